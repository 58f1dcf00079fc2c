//! An interval, and the forms in which records write it.

use serde::{Deserialize, Serialize};

/// All that is held possible, from `low` to `high`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// Where shares and absolute gaps lie.
    pub const UNIT: Interval = Interval { low: 0.0, high: 1.0 };
    /// Where differences of shares lie.
    pub const SIGNED: Interval = Interval { low: -1.0, high: 1.0 };

    /// Whether a value lies in it.
    pub fn holds(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// How far its ends are apart.
    pub fn width(self) -> f64 {
        self.high - self.low
    }

    /// Nothing lies in both.
    pub(crate) fn apart(self, other: Interval) -> bool {
        self.high < other.low || other.high < self.low
    }

    /// The smallest interval that holds this one and a value.
    pub(crate) fn with(self, value: f64) -> Interval {
        Interval { low: self.low.min(value), high: self.high.max(value) }
    }

    /// The part of it that lies in another.
    pub(crate) fn within(self, other: Interval) -> Interval {
        let held = |end: f64| end.clamp(other.low, other.high);
        Interval { low: held(self.low), high: held(self.high) }
    }

    /// The smallest interval that holds this one and another.
    pub(crate) fn and(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

/// `low` and `high` among the fields of a record, empty where there is no interval.
pub(crate) mod among_fields {
    use super::*;
    use serde::{Deserializer, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Ends {
        low: Option<f64>,
        high: Option<f64>,
    }

    pub fn serialize<S: Serializer>(interval: &Option<Interval>, serializer: S) -> Result<S::Ok, S::Error> {
        Ends { low: interval.map(|i| i.low), high: interval.map(|i| i.high) }.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Interval>, D::Error> {
        let Ends { low, high } = Ends::deserialize(deserializer)?;
        Ok(low.zip(high).map(|(low, high)| Interval { low, high }))
    }
}

/// A list of the two ends.
pub(crate) mod as_list {
    use super::*;
    use serde::{Deserializer, Serializer};

    pub fn serialize<S: Serializer>(interval: &Option<Interval>, serializer: S) -> Result<S::Ok, S::Error> {
        interval.map(|i| [i.low, i.high]).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Interval>, D::Error> {
        let ends = Option::<[f64; 2]>::deserialize(deserializer)?;
        Ok(ends.map(|[low, high]| Interval { low, high }))
    }
}
