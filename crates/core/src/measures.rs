//! Measures by name: what rules and habits of practice ask about one group beside another.
//!
//! With `h` the rate of a group, `h₀` that of the reference group and `n` the group's people among whom rates are taken:
//! ```text
//! difference             h − h₀
//! adverse impact ratio   h / h₀
//! odds ratio             [h/(1−h)] / [h₀/(1−h₀)]
//! impact ratio           h / max h                    the most selected group, whichever it is
//! shortfall              n·(h₀ − h)                   people short of the reference's rate; below 0 where there are more
//! ```
//! All are functions of the joint table that the answer rests on, so that they are calibrated as it is, and chance and shared
//! mistakes are carried through them. What several groups are said to be beside one reference holds for all of them at once.

use crate::named::named;
use crate::rates::Joint;
use crate::record::Origin;
use crate::uncertainty::Interval;
use crate::vocabulary::{Axis, Class, Criterion};
use serde::{Deserialize, Serialize};

named! {
    /// A measure of one group beside others.
    pub enum Measure {
        /// The rate less that of the reference group.
        Difference = "difference",
        /// The rate over that of the reference group: the four-fifths rule asks for at least 0.8.
        AdverseImpactRatio = "adverse_impact_ratio",
        /// The odds over those of the reference group.
        OddsRatio = "odds_ratio",
        /// The rate over that of the most selected group.
        ImpactRatio = "impact_ratio",
        /// How many people more would have been selected at the rate of the reference group.
        Shortfall = "shortfall",
    }
}

/// What groups are beside a reference group, in one rate of a criterion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasuresRecord {
    /// Whose rates are compared.
    pub criterion: Criterion,
    /// The label, or the decision, among whose people rates are taken.
    pub label: Option<String>,
    /// The group that the others stand beside.
    pub reference: Option<String>,
    /// The group with the largest rate.
    pub most_selected: Option<String>,
    /// What it was computed from.
    pub rests_on: Option<Origin>,
    /// One row for each group, the reference among them.
    pub groups: Vec<GroupMeasures>,
    /// Why there are no numbers.
    pub unavailable: Option<String>,
}

/// One group beside the reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupMeasures {
    /// The group.
    pub group: String,
    /// Its rate.
    pub rate: Option<f64>,
    /// The people among whom it is taken, by weight.
    pub people: Option<f64>,
    /// [`Measure::Difference`].
    pub difference: Estimate,
    /// [`Measure::AdverseImpactRatio`].
    pub adverse_impact_ratio: Estimate,
    /// [`Measure::OddsRatio`].
    pub odds_ratio: Estimate,
    /// [`Measure::ImpactRatio`].
    pub impact_ratio: Estimate,
    /// [`Measure::Shortfall`].
    pub shortfall: Estimate,
    /// The difference over its standard error.
    pub z: Option<f64>,
    /// The chance of a `z` so far from 0 if there is no difference and the method's assumptions hold.
    pub p_value: Option<f64>,
}

impl GroupMeasures {
    /// One measure by name.
    pub fn of(&self, measure: Measure) -> &Estimate {
        match measure {
            Measure::Difference => &self.difference,
            Measure::AdverseImpactRatio => &self.adverse_impact_ratio,
            Measure::OddsRatio => &self.odds_ratio,
            Measure::ImpactRatio => &self.impact_ratio,
            Measure::Shortfall => &self.shortfall,
        }
    }
}

/// A number with what is left open of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Estimate {
    /// The number.
    pub value: Option<f64>,
    /// What chance leaves open, given the assumptions of the method.
    pub interval: Option<Interval>,
    /// The same when the proxies may share mistakes, over every explanation that fits.
    pub honest_interval: Option<Interval>,
    /// Why something of it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<String>,
}

impl Estimate {
    /// Nothing, and why.
    pub(crate) fn none(reason: impl Into<String>) -> Self {
        Estimate { unavailable: Some(reason.into()), ..Estimate::default() }
    }

    /// All that is held possible.
    pub fn range(&self) -> Option<Interval> {
        self.honest_interval.or(self.interval)
    }
}

/// The rates that are told of the groups of a table, and the people behind them, part by part.
#[derive(Debug, Clone)]
pub(crate) struct Told {
    /// How many groups are compared.
    pub groups: usize,
    pub rates: Vec<f64>,
    /// As shares of the table.
    pub people: Vec<f64>,
}

impl Told {
    /// `None` where a group has no rate.
    pub fn of<A: Axis>(joint: &Joint<A>, criterion: Criterion, positive: Class) -> Option<Told> {
        let told = criterion.spec().told(joint.classes(), positive);
        let (mut rates, mut people) = (Vec::new(), Vec::new());
        for rate in told {
            for a in joint.axis() {
                rates.push(joint.proportion(a, rate).ok()?);
                people.push(joint.mass(a, |stratum| rate.among.holds(stratum)).ok()?);
            }
        }
        Some(Told { groups: joint.compared(), rates, people })
    }

    /// One measure of the `place`-th rate, beside the group at `reference` of the same part; a shortfall as a share of the table.
    pub fn measure(&self, measure: Measure, place: usize, reference: Option<usize>) -> Option<f64> {
        let first = place / self.groups * self.groups;
        let own = self.rates[place];
        let beside = || reference.map(|reference| self.rates[first + reference]);
        let ratio = |own: f64, other: f64| (own >= 0.0 && other > 0.0).then(|| own / other);
        match measure {
            Measure::Difference => Some(own - beside()?),
            Measure::AdverseImpactRatio => ratio(own, beside()?),
            Measure::OddsRatio => {
                let other = beside()?;
                let odds = |rate: f64| (rate < 1.0).then(|| rate / (1.0 - rate));
                ratio(odds(own)?, odds(other)?)
            }
            Measure::ImpactRatio => {
                let part = &self.rates[first..first + self.groups];
                ratio(own, part.iter().copied().fold(f64::NEG_INFINITY, f64::max))
            }
            Measure::Shortfall => Some(self.people[place] * (beside()? - own)),
        }
    }
}

impl Measure {
    /// Where it can lie; a shortfall as a share of the table.
    pub(crate) const fn bounds(self) -> Interval {
        match self {
            Measure::Difference | Measure::Shortfall => Interval::SIGNED,
            Measure::ImpactRatio => Interval::UNIT,
            Measure::AdverseImpactRatio | Measure::OddsRatio => Interval { low: 0.0, high: f64::INFINITY },
        }
    }

    /// It is one where groups are alike, and what moves it multiplies it.
    pub(crate) const fn is_ratio(self) -> bool {
        matches!(self, Measure::AdverseImpactRatio | Measure::OddsRatio | Measure::ImpactRatio)
    }

    /// Why a table has no such number.
    pub(crate) const fn needs(self) -> &'static str {
        match self {
            Measure::Difference | Measure::Shortfall => "a rate of both groups is needed",
            Measure::AdverseImpactRatio => {
                "a ratio needs rates of at least 0 and a rate of the reference above 0"
            }
            Measure::OddsRatio => "an odds ratio needs rates below 1 and a rate of the reference above 0",
            Measure::ImpactRatio => "a ratio needs rates of at least 0 and a largest above 0",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two groups of 30 and 70 %, of whom 20 and 40 % are selected.
    fn told() -> Told {
        Told { groups: 2, rates: vec![0.2, 0.4], people: vec![0.3, 0.7] }
    }

    #[test]
    fn measures_are_what_a_hand_makes_of_them() {
        let of = |measure| told().measure(measure, 0, Some(1)).unwrap();
        assert!((of(Measure::Difference) + 0.2).abs() < 1e-12);
        assert!((of(Measure::AdverseImpactRatio) - 0.5).abs() < 1e-12);
        // Odds of one in four beside two in three.
        assert!((of(Measure::OddsRatio) - 0.375).abs() < 1e-12);
        assert!((of(Measure::ImpactRatio) - 0.5).abs() < 1e-12);
        // Of 1,000 people, 300 of whom should be selected as often as the others: 60 more.
        assert!((of(Measure::Shortfall) - 0.06).abs() < 1e-12);
    }

    #[test]
    fn the_most_selected_group_needs_no_reference() {
        assert_eq!(told().measure(Measure::ImpactRatio, 1, None), Some(1.0));
        assert_eq!(told().measure(Measure::Difference, 1, None), None);
    }

    #[test]
    fn a_ratio_to_nothing_is_no_number() {
        let none = Told { groups: 2, rates: vec![0.2, 0.0], people: vec![0.5, 0.5] };
        assert_eq!(none.measure(Measure::AdverseImpactRatio, 0, Some(1)), None);
        assert_eq!(none.measure(Measure::OddsRatio, 0, Some(1)), None);
        let all = Told { groups: 2, rates: vec![1.0, 0.5], people: vec![0.5, 0.5] };
        assert_eq!(all.measure(Measure::OddsRatio, 0, Some(1)), None);
    }
}
