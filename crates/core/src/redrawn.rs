//! A number, the same from tables drawn anew, and by errors that may be true too: what becomes of them as an [`Estimate`].
//!
//! ```text
//! interval          value ± z·sd of the draws              value·exp(± z·sd of the logarithms) for a ratio
//! honest interval   the hull of the same around the value by every other set of errors
//! ```

use crate::measures::Estimate;
use crate::uncertainty::{Interval, normal_quantile};

/// On which scale a number is normal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scale {
    Plain,
    Log,
}

impl Scale {
    fn of(self, value: f64) -> f64 {
        if self == Scale::Log { value.ln() } else { value }
    }

    fn around(self, value: f64, reach: f64) -> Interval {
        match self {
            Scale::Plain => Interval { low: value - reach, high: value + reach },
            Scale::Log => Interval { low: value * (-reach).exp(), high: value * reach.exp() },
        }
    }
}

/// All that is known of something that numbers are read from.
pub(crate) struct Redrawn<T> {
    pub found: T,
    /// Of rows drawn anew, with errors learned from them; nothing where they give none.
    pub drawn: Vec<Option<T>>,
    /// By errors that may be true too.
    pub others: Vec<T>,
    /// Why the range alone stands, where it does.
    pub withheld: Option<String>,
    /// Why there are no draws, where there are none.
    pub undrawn: Option<&'static str>,
}

impl<T> Redrawn<T> {
    /// The number itself stands.
    pub fn stands(&self) -> bool {
        self.withheld.is_none()
    }

    /// The standard error over draws, on a scale; nothing where too many draws have no number.
    pub fn error(&self, scale: Scale, of: &dyn Fn(&T) -> Option<f64>) -> Option<f64> {
        let known: Vec<f64> =
            self.drawn.iter().filter_map(|one| of(one.as_ref()?)).map(|value| scale.of(value)).collect();
        if known.len() < 20 || known.len() * 4 < self.drawn.len() * 3 {
            return None;
        }
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        let sum: f64 = known.iter().map(|value| (value - mean).powi(2)).sum();
        Some((sum / (known.len() - 1) as f64).sqrt()).filter(|error| *error > 0.0)
    }

    /// A number with both intervals; `missing` says why there is none.
    pub fn estimate(
        &self,
        confidence: f64,
        scale: Scale,
        missing: &str,
        of: &dyn Fn(&T) -> Option<f64>,
    ) -> Estimate {
        let Some(value) = of(&self.found) else { return Estimate::none(missing) };
        let reach = self.error(scale, of).map(|error| normal_quantile(confidence) * error);
        let interval = reach.map(|reach| scale.around(value, reach));
        let other = |one: &T| Some(scale.around(of(one)?, reach?));
        let honest = interval.map(|ends| self.others.iter().filter_map(other).fold(ends, Interval::and));
        let reason =
            match reach {
                Some(_) => None,
                None => Some(self.undrawn.unwrap_or(
                    "too many tables drawn anew have no such number, so that there is no interval",
                )),
            };
        Estimate {
            value: Some(value).filter(|_| self.stands()),
            interval: interval.filter(|_| self.stands()),
            honest_interval: honest.filter(|_| !self.others.is_empty()),
            unavailable: self.withheld.clone().or(reason.map(str::to_owned)),
        }
    }
}

impl Estimate {
    /// The same, its ends held within what such a number can be.
    pub(crate) fn within(mut self, bounds: Interval) -> Self {
        self.interval = self.interval.map(|ends| ends.within(bounds));
        self.honest_interval = self.honest_interval.map(|ends| ends.within(bounds));
        self
    }
}
