//! Gates: a gap that must not be exceeded, or a ratio that must not be fallen short of, and what an audit says to that.
//!
//! A gate looks at the range that stands on top: on the wrong side of the value it is crossed, on the right one held, around it
//! open.

use crate::measures::{GroupMeasures, Measure, MeasuresRecord};
use crate::named::named;
use crate::record::Audit;
use crate::setting::{Refusal, Refuses, Setting};
use crate::uncertainty::Interval;
use crate::vocabulary::Criterion;
use crate::{shows_refusal, text};
use std::fmt;

/// A value that must not be passed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Gate {
    /// The gap in a criterion must not exceed it.
    Above {
        /// The criterion.
        criterion: Criterion,
        /// The value.
        value: f64,
    },
    /// No group's ratio of selection rates may fall below it.
    Below {
        /// The ratio.
        ratio: Ratio,
        /// The value.
        value: f64,
    },
}

named! {
    /// A ratio that rules put a floor under.
    pub enum Ratio {
        /// To the rate of the reference group.
        AdverseImpactRatio = "adverse_impact_ratio",
        /// To the rate of the most selected group.
        ImpactRatio = "impact_ratio",
    }
}

impl From<Ratio> for Measure {
    fn from(ratio: Ratio) -> Measure {
        match ratio {
            Ratio::AdverseImpactRatio => Measure::AdverseImpactRatio,
            Ratio::ImpactRatio => Measure::ImpactRatio,
        }
    }
}

/// The state of a gate, from good to open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The whole interval lies on the allowed side of the value.
    Held,
    /// The whole interval lies on the other side.
    Crossed,
    /// The value lies inside, or there is no interval.
    Undecided,
}

/// One gate and its state.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The gate.
    pub gate: Gate,
    /// Its state.
    pub verdict: Verdict,
    /// The interval it was compared with.
    pub interval: Option<Interval>,
    /// The group that it is about, where it is about one.
    pub group: Option<String>,
}

/// A gate on a criterion that the audit did not measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NotMeasured {
    criterion: Criterion,
    gate: Setting,
}

impl Refuses for NotMeasured {
    fn refusal(&self) -> Refusal {
        let needs = if self.criterion.needs_labels() { "labels, and no " } else { "no " };
        Refusal::new(format!("{} was not measured", self.criterion.name()))
            .needed(text![needs, Setting::Criterion, " that leaves it out"])
            .to_do(text!["correct ", self.gate])
    }
}

shows_refusal!(NotMeasured);

impl Gate {
    /// Compares an audit's intervals with the value.
    ///
    /// ```
    /// # use fairveil_core::{Audit, Criterion, Settings, World};
    /// # use fairveil_core::gate::{Gate, Ratio, Verdict};
    /// let (counts, _) = World::lending().sample(20_000, 0)?;
    /// let audit = Audit::run(&counts, None, &Settings::default())?;
    /// // A gap near 0.25, known to a few hundredths.
    /// let above = |value| Gate::Above { criterion: Criterion::DemographicParity, value };
    /// let verdict = |gate: Gate| gate.judge(&audit).map(|judged| judged.verdict);
    /// assert_eq!((verdict(above(0.05))?, verdict(above(0.25))?), (Verdict::Crossed, Verdict::Undecided));
    /// assert_eq!(verdict(above(0.60))?, Verdict::Held);
    /// // Rates of 0.35 and 0.60: not four fifths.
    /// let below = |value| Gate::Below { ratio: Ratio::AdverseImpactRatio, value };
    /// assert_eq!((verdict(below(0.8))?, verdict(below(0.2))?), (Verdict::Crossed, Verdict::Held));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn judge(self, audit: &Audit) -> Result<Judged, NotMeasured> {
        let (criterion, setting) = match self {
            Gate::Above { criterion, .. } => (criterion, Setting::FailAbove),
            Gate::Below { .. } => (Criterion::DemographicParity, Setting::FailBelow),
        };
        if !audit.settings.criteria.contains(&criterion) {
            return Err(NotMeasured { criterion, gate: setting });
        }
        Ok(match self {
            Gate::Above { criterion, value } => {
                let interval = audit.answer(criterion).and_then(|answer| answer.range);
                let verdict = match interval {
                    Some(ends) if ends.low > value => Verdict::Crossed,
                    Some(ends) if ends.high <= value => Verdict::Held,
                    _ => Verdict::Undecided,
                };
                Judged { gate: self, verdict, interval, group: None }
            }
            Gate::Below { ratio, value } => self.floor(audit, ratio.into(), value),
        })
    }

    /// Crossed where one group lies below, held where none reaches below. The group that decides is named.
    fn floor(self, audit: &Audit, measure: Measure, value: f64) -> Judged {
        let about = |record: &&MeasuresRecord| record.criterion == Criterion::DemographicParity;
        let record = audit.measures.iter().find(about);
        // Of the reference a ratio to itself says nothing.
        let beside = record.and_then(|record| record.reference.as_ref());
        let is_beside = |group: &&GroupMeasures| {
            measure == Measure::ImpactRatio || beside.is_none_or(|reference| *reference != group.group)
        };
        let groups: Vec<&GroupMeasures> =
            record.into_iter().flat_map(|record| &record.groups).filter(is_beside).collect();
        let state = |group: &GroupMeasures| match group.of(measure).range() {
            Some(ends) if ends.high < value => Verdict::Crossed,
            Some(ends) if ends.low >= value => Verdict::Held,
            _ => Verdict::Undecided,
        };
        let lowest = |group: &GroupMeasures| group.of(measure).range().map_or(0.0, |ends| ends.low);
        let verdict = match together(groups.iter().map(|group| state(group))) {
            Verdict::Held if groups.is_empty() => Verdict::Undecided,
            verdict => verdict,
        };
        let deciding = (groups.iter().filter(|group| groups.len() == 1 || state(group) == verdict))
            .min_by(|a, b| lowest(a).total_cmp(&lowest(b)));
        Judged {
            gate: self,
            verdict,
            interval: deciding.and_then(|group| group.of(measure).range()),
            group: deciding.map(|group| group.group.clone()),
        }
    }
}

/// Crossed if one is, else open if one is.
fn together(states: impl Iterator<Item = Verdict> + Clone) -> Verdict {
    if states.clone().any(|state| state == Verdict::Crossed) {
        return Verdict::Crossed;
    }
    states.max().unwrap_or(Verdict::Held)
}

impl Judged {
    /// The state of several gates together: crossed if one is, else open if one is.
    pub fn together(judged: &[Judged]) -> Verdict {
        together(judged.iter().map(|judged| judged.verdict))
    }
}

impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let state = match self.verdict {
            Verdict::Held => "held",
            Verdict::Crossed => "crossed",
            Verdict::Undecided => "cannot be decided",
        };
        let (name, value) = match self.gate {
            Gate::Above { criterion, value } => (criterion.name(), value),
            Gate::Below { ratio, value } => (ratio.name(), value),
        };
        write!(f, "gate {name} = {value}: {state}: ")?;
        match (&self.group, self.interval) {
            (None, Some(ends)) => write!(f, "the gap is {:.3} to {:.3}", ends.low, ends.high),
            (Some(group), Some(ends)) => write!(f, "that of {group} is {:.3} to {:.3}", ends.low, ends.high),
            (_, None) => f.write_str("there is no interval"),
        }
    }
}
