//! A contrast: what is asked of the shares of groups and strata.
//!
//! ```text
//! f(θ) = r[a] − r[b],  ln r[a] − ln r[b]  or  logit r[a] − logit r[b]      r[a] = Σ_counted J[a,s] / Σ_within J[a,s]
//! ∂r[a]/∂logit J[a,s] = J[a,s]·(1[s counted] − r[a]) / Σ_within J[a,s]
//! ```

use super::{Likelihood, Parameters};
use crate::criterion::Proportion;
use crate::vocabulary::Group;
use nalgebra::DVector;

/// On which scale two rates are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    /// As they are.
    Plain,
    /// By the logarithm of their ratio.
    LogRatio,
    /// By the logarithm of the ratio of their odds.
    LogOdds,
}

impl Scale {
    fn of(self, rate: f64) -> f64 {
        match self {
            Scale::Plain => rate,
            Scale::LogRatio => rate.ln(),
            Scale::LogOdds => (rate / (1.0 - rate)).ln(),
        }
    }

    fn slope(self, rate: f64) -> f64 {
        match self {
            Scale::Plain => 1.0,
            Scale::LogRatio => 1.0 / rate,
            Scale::LogOdds => 1.0 / (rate * (1.0 - rate)),
        }
    }
}

/// A rate of one group beside that of another.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Contrast {
    plus: Group,
    /// Nothing for the rate of one group alone.
    minus: Option<Group>,
    /// Strata within which the rate is taken, and those of them that count.
    within: Vec<bool>,
    counted: Vec<bool>,
    pub(super) scale: Scale,
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
            scale: Scale::Plain,
        }
    }
}

impl Contrast {
    /// The same two groups compared on another scale.
    pub fn on(self, scale: Scale) -> Self {
        Contrast { scale, ..self }
    }

    fn rate(&self, at: &Parameters, a: Group) -> (f64, f64) {
        let sum = |strata: &[bool]| {
            strata.iter().enumerate().filter(|(_, is)| **is).map(|(s, _)| at.joint[(a.0, s)]).sum::<f64>()
        };
        let whole = sum(&self.within);
        (sum(&self.counted) / whole, whole)
    }

    pub fn value(&self, at: &Parameters) -> f64 {
        let of = |group| self.scale.of(self.rate(at, group).0);
        of(self.plus) - self.minus.map_or(0.0, of)
    }

    /// Derivative by the logits; those of `T` do not matter.
    pub(super) fn slope(&self, at: &Parameters, size: usize) -> DVector<f64> {
        let strata = at.joint.ncols();
        let mut slope = DVector::zeros(size);
        for (a, sign) in [(self.plus, 1.0)].into_iter().chain(self.minus.map(|minus| (minus, -1.0))) {
            let (rate, whole) = self.rate(at, a);
            let scale = sign * self.scale.slope(rate);
            for s in (0..strata).filter(|s| self.within[*s]) {
                let counts = f64::from(u8::from(self.counted[s]));
                slope[a.0 * strata + s] += scale * at.joint[(a.0, s)] * (counts - rate) / whole;
            }
        }
        slope
    }
}
