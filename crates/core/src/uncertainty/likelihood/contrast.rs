//! A contrast: what is asked of the shares of groups and strata.
//!
//! ```text
//! f(θ) = r[a] − r[b]  or  ln(r[a]/r[b])            r[a] = Σ_counted J[a,s] / Σ_within J[a,s]
//! ∂r[a]/∂logit J[a,s] = J[a,s]·(1[s counted] − r[a]) / Σ_within J[a,s]
//! ```

use super::{Likelihood, Parameters};
use crate::criterion::Proportion;
use crate::vocabulary::Group;
use nalgebra::DVector;

/// A rate of one group minus that of another, or the logarithm of their ratio.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Contrast {
    plus: Group,
    /// Nothing for the rate of one group alone.
    minus: Option<Group>,
    /// Strata within which the rate is taken, and those of them that count.
    within: Vec<bool>,
    counted: Vec<bool>,
    pub(super) logarithm: bool,
}

impl Likelihood {
    /// A rate of `plus` minus that of `minus`.
    pub fn contrast(&self, plus: Group, minus: Group, rate: Proportion) -> Contrast {
        Contrast { minus: Some(minus), ..self.rate(plus, rate) }
    }

    /// The rate of one group.
    pub fn rate(&self, group: Group, rate: Proportion) -> Contrast {
        Contrast {
            plus: group,
            minus: None,
            within: self.strata.iter().map(|s| rate.among.holds(*s)).collect(),
            counted: self.strata.iter().map(|s| rate.counts(*s)).collect(),
            logarithm: false,
        }
    }
}

impl Contrast {
    /// The same two groups compared by the logarithm of the ratio of their rates.
    pub fn log_ratio(mut self) -> Self {
        self.logarithm = true;
        self
    }

    fn rate(&self, at: &Parameters, a: Group) -> (f64, f64) {
        let sum = |strata: &[bool]| {
            strata.iter().enumerate().filter(|(_, is)| **is).map(|(s, _)| at.joint[(a.0, s)]).sum::<f64>()
        };
        let whole = sum(&self.within);
        (sum(&self.counted) / whole, whole)
    }

    pub fn value(&self, at: &Parameters) -> f64 {
        let plus = self.rate(at, self.plus).0;
        match self.minus.map(|minus| self.rate(at, minus).0) {
            Some(minus) if self.logarithm => (plus / minus).ln(),
            Some(minus) => plus - minus,
            None => plus,
        }
    }

    /// Derivative by the logits; those of `T` do not matter.
    pub(super) fn slope(&self, at: &Parameters, size: usize) -> DVector<f64> {
        let strata = at.joint.ncols();
        let mut slope = DVector::zeros(size);
        for (a, sign) in [(self.plus, 1.0)].into_iter().chain(self.minus.map(|minus| (minus, -1.0))) {
            let (rate, whole) = self.rate(at, a);
            let scale = if self.logarithm { sign / rate } else { sign };
            for s in (0..strata).filter(|s| self.within[*s]) {
                let counts = f64::from(u8::from(self.counted[s]));
                slope[a.0 * strata + s] += scale * at.joint[(a.0, s)] * (counts - rate) / whole;
            }
        }
        slope
    }
}
