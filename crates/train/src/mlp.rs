//! x
use crate::*;
/// x
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Mlp {}
impl Mlp {
    /// x
    pub fn inputs(&self) -> usize {
        0
    }
    /// x
    pub fn is_finite(&self) -> bool {
        true
    }
    /// x
    pub fn logit(&self, _r: &[f32]) -> f64 {
        0.0
    }
    /// x
    pub fn logits(&self, _r: &Design) -> Vec<f64> {
        vec![]
    }
}
/// x
#[derive(Default)]
pub struct MlpSettings {
    /// x
    pub seed: u64,
}
/// x
pub fn mlp(
    _p: &Problem<'_>,
    _s: &MlpSettings,
    _pr: &(dyn Fn(Step) + Sync),
) -> Result<Trained<Mlp>, ProblemError> {
    Err(ProblemError::Rows { total: 0.0 })
}
