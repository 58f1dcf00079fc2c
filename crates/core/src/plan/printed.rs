//! The half-width that an audit of so many rows then prints, by its own methods on the table that is expected.
//!
//! Without labels: the errors that BIC prefers at this number of rows, and the profile of their likelihood. The information of
//! the true errors is not enough: proxies that differ are taken for alike in small tables, cost parameters in large ones, and
//! weak ones leave a likelihood that is no parabola.
//!
//! With labels: the range of both estimates that labels give. With `w` their half-widths and `δ` their difference, whose
//! variance is that of the regression less that of the model (Hausman 1978), it is on average
//! ```text
//! w_reg + E[ (|δ| − (w_reg − w_model))₊ ] / 2
//! ```

use super::Situation;
use crate::counts::View;
use crate::estimate::{Errors, LatentClass};
use crate::uncertainty::draws::normal_quantile;
use crate::uncertainty::independent::Independent;
use crate::uncertainty::intervals::Asked;
use crate::vocabulary::{Class, Criterion, Legend, Scope, Stratum};
use crate::world::{World, WorldStratum};
use statrs::function::erf::erfc;

/// Draws for what is not asked for here.
const DRAWS: usize = 50;

impl Situation {
    /// The errors that an audit of so many rows prefers, and what two groups' interval then is; for more groups what their
    /// information tells. `None` where an audit gives no number.
    pub(super) fn printed(&self, rows: f64, confidence: f64) -> Option<f64> {
        let legend = Legend::plain(self.shares.len(), 2, self.proxies.len(), false);
        let positive = legend.positive;
        let seen = self.world(legend)?.frequencies().view(View::Predictions)?;
        let (errors, explained) = LatentClass::preferred(&seen, View::Predictions, rows);
        let explained = explained.ok()?;
        if self.shares.len() > 2 {
            return Some(normal_quantile(confidence) * self.variance(rows, 0.0, errors)?.sqrt());
        }
        let independent = Independent::near(&seen, rows, (errors, Scope::Global), &explained)?;
        let asked = Asked { confidence, draws: DRAWS, seed: 0, positive, reference: None };
        let model = independent.together()?;
        let joint = independent.joint(View::Predictions, seen.classes());
        let spread = model.spread(&joint, Criterion::DemographicParity, asked, false)?;
        // The difference with its sign: the interval of a gap ends at zero.
        spread.pairs.first().map(|ends| ends.width() / 2.0)
    }

    fn world(&self, legend: Legend) -> Option<World> {
        let part = |k: usize| {
            let share = |(share, rate): (&f64, &f64)| share * if k == 1 { *rate } else { 1.0 - rate };
            WorldStratum {
                stratum: Stratum { label: None, prediction: Class(k) },
                joint: self.shares.iter().zip(&self.rates).map(share).collect(),
                noise: self.proxies.clone(),
            }
        };
        World::new(legend, vec![part(0), part(1)]).ok()
    }

    /// The half-width of the range that labels give, whatever the proxies share.
    pub(super) fn by_labels(&self, rows: f64, labels: f64, confidence: f64) -> Option<f64> {
        let model = self.variance(rows, labels, Errors::Free)?;
        let groups = self.shares.len();
        let decided = self.decided();
        let regression = self.worst_pair(|a, b| {
            let left = self.left_by_guesses(a, b);
            let open: f64 =
                (0..2).filter(|k| decided[*k] > 0.0).map(|k| left[k] / (labels * decided[k])).sum();
            open + self.told_by_guesses(a, b, left) / rows
        });
        let rarest = self.shares.iter().copied().fold(1.0, f64::min) * labels;
        let columns = (2 + self.proxies.len() * (groups - 1)) as f64;
        // Each row is predicted by the others, from as many columns.
        let regression = regression.max(model) * (1.0 + columns / labels);
        let (z, freedom) = (normal_quantile(confidence), (rarest - 1.0).max(1.0));
        // Student's quantile to first order.
        let t = z * (1.0 + (z * z + 1.0) / (4.0 * freedom));
        let (wide, narrow) = (t * regression.sqrt(), z * model.sqrt());
        let apart = (regression - model).max(0.0).sqrt();
        Some(wide + beyond(wide - narrow, apart) / 2.0)
    }
}

/// `E[(|δ| − limit)₊]` of a normal `δ` with this spread.
fn beyond(limit: f64, spread: f64) -> f64 {
    if spread <= 0.0 {
        return 0.0;
    }
    let x = limit.max(0.0) / spread;
    let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let tail = erfc(x / std::f64::consts::SQRT_2) / 2.0;
    2.0 * spread * (density - x * tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_normal_number_exceeds_a_limit_by() {
        // E|δ| is the root of 2/π; past one standard error it is 2·(φ(1) − Φ(−1)) = 0.16663.
        assert!((beyond(0.0, 1.0) - (2.0 / std::f64::consts::PI).sqrt()).abs() < 1e-9);
        assert!((beyond(1.0, 1.0) - 0.166_63).abs() < 1e-5 && beyond(1.0, 0.0) == 0.0);
    }
}
