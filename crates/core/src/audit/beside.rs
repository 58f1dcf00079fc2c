//! Measures by name of what is relied on: every group beside the reference.

use super::measure::{Measuring, Source};
use crate::advise::Relied;
use crate::answers::{Answers, Table};
use crate::counts::{Counts, View};
use crate::criterion::Proportion;
use crate::headline::{Reason, range_stands};
use crate::measures::{Estimate, GroupMeasures, Measure, MeasuresRecord, Told};
use crate::rates::Joint;
use crate::record::Origin;
use crate::settings::{AuditError, Settings};
use crate::uncertainty::against::Open;
use crate::uncertainty::attach::{Doubt, Range};
use crate::uncertainty::left_out::LeftOut;
use crate::uncertainty::shift::Shifted;
use crate::uncertainty::{Interval, draws};
use crate::vocabulary::{Axis, Basis, Criterion, Group, Legend};

/// The group that others stand beside: as asked for, else the largest as far as can be told.
pub(super) fn reference(
    legend: &Legend,
    settings: &Settings,
    answers: &[Answers],
    relied: &Relied,
) -> Option<Group> {
    if let Some(name) = &settings.reference {
        return legend.groups.iter().position(|group| group == name).map(Group);
    }
    let tables = || answers.iter().flat_map(|one| one.tables().map(move |table| (one.view, table)));
    let inferred = tables().find_map(|(view, (origin, table))| match table {
        Ok(Table::Inferred(joint)) if relied.chose(view, origin) => largest(joint),
        _ => None,
    });
    inferred.or_else(|| {
        tables().find_map(|(_, (origin, table))| match table {
            Ok(Table::Seen(joint)) if origin.basis == Basis::Soft => largest(joint),
            _ => None,
        })
    })
}

/// The group of most people; of several the first.
fn largest<A: Axis>(joint: &Joint<A>) -> Option<Group> {
    let share = |a: A| Some((joint.share(a).ok()?, Group(a.index())));
    let most = |best: (f64, Group), one: (f64, Group)| if one.0 > best.0 { one } else { best };
    joint.axis().filter_map(share).reduce(most).map(|(_, group)| group)
}

/// A reference group that nobody guesses.
pub(super) fn refuse(legend: &Legend, settings: &Settings) -> Result<(), AuditError> {
    match &settings.reference {
        Some(name) if !legend.groups.contains(name) => {
            Err(AuditError::Reference { found: name.clone(), groups: legend.groups.clone() })
        }
        _ => Ok(()),
    }
}

/// How much the rows of each view weigh.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weights {
    all: f64,
    labelled: f64,
}

impl Weights {
    pub fn of(counts: &Counts) -> Self {
        let labelled = counts.cells().filter(|(cell, _)| cell.stratum.label.is_some());
        Weights { all: counts.weight(), labelled: labelled.map(|(_, tally)| tally.weight).sum() }
    }

    fn in_view(self, view: View) -> f64 {
        match view {
            View::Predictions => self.all,
            View::Labelled => self.labelled,
        }
    }
}

/// What is relied on for one criterion, and what speaks against its number.
pub(super) struct Beside<'a> {
    pub criterion: Criterion,
    pub source: Option<&'a Source<'a>>,
    pub reasons: &'a [Reason],
    pub left_out: &'a LeftOut,
}

impl Beside<'_> {
    /// One record for each rate that the criterion tells.
    pub fn records(&self, measuring: &Measuring) -> Vec<MeasuresRecord> {
        let Measuring { legend, reference, .. } = *measuring;
        let classes = legend.classes.len();
        let told = self.criterion.spec().told(classes, legend.positive);
        let origin = self.source.map(|source| source.origin);
        let record = |(part, rate): (usize, &Proportion)| {
            let empty = MeasuresRecord {
                criterion: self.criterion,
                label: rate.among.name(legend),
                reference: reference.map(|reference| legend.group(reference).to_owned()),
                most_selected: None,
                rests_on: origin.cloned(),
                groups: Vec::new(),
                unavailable: None,
            };
            match self.table(measuring) {
                Ok((joint, numbers)) => numbers.of_part(part, &joint, measuring, empty),
                Err(reason) => MeasuresRecord { unavailable: Some(reason), ..empty },
            }
        };
        told.iter().enumerate().map(record).collect()
    }

    /// The table that is relied on, or why there is none.
    fn table(&self, measuring: &Measuring) -> Result<(Joint<Group>, Numbers<'_>), String> {
        let withheld = || {
            let reasons: Vec<&str> = self.reasons.iter().map(|reason| reason.text.as_str()).collect();
            reasons.join("; ")
        };
        let only_range = range_stands(self.reasons);
        if !self.reasons.is_empty() && !only_range {
            return Err(withheld());
        }
        let source = self.source.ok_or("nothing explains what the proxies say")?;
        let joint = match source.table {
            Ok(Table::Inferred(joint)) => self.left_out.table(joint, self.criterion).into_owned(),
            Ok(Table::Seen(_)) => return Err("what is relied on was read from proxies directly".into()),
            Err(reason) => return Err(reason.clone()),
        };
        let told = Told::of(&joint, self.criterion, measuring.legend.positive)
            .ok_or("a group has no people among whom a rate could be taken")?;
        let doubt = source.doubts.about(self.criterion);
        let withheld = only_range.then(withheld);
        Ok((joint, Numbers { criterion: self.criterion, source, told, doubt, withheld }))
    }
}

/// The rates of the groups, and what is left open of what follows from them.
struct Numbers<'a> {
    criterion: Criterion,
    source: &'a Source<'a>,
    told: Told,
    doubt: Option<&'a Doubt>,
    /// Why the range alone stands, where it does.
    withheld: Option<String>,
}

impl Numbers<'_> {
    fn of_part(
        &self,
        part: usize,
        joint: &Joint<Group>,
        measuring: &Measuring,
        record: MeasuresRecord,
    ) -> MeasuresRecord {
        let (legend, told) = (measuring.legend, &self.told);
        let first = part * told.groups;
        let compared: Vec<Group> = joint.axis().collect();
        let rates = &told.rates[first..first + told.groups];
        let most = (0..rates.len()).fold(0, |best, i| if rates[i] > rates[best] { i } else { best });
        let group = |a: Group| match compared.iter().position(|other| *other == a) {
            Some(place) => self.group(a, first + place, joint, measuring),
            None => untold(legend.group(a), "too little is known of this group (finding U06)"),
        };
        MeasuresRecord {
            most_selected: compared
                .get(most)
                .filter(|_| self.withheld.is_none())
                .map(|a| legend.group(*a).to_owned()),
            groups: legend.all_groups().map(group).collect(),
            ..record
        }
    }

    fn group(&self, a: Group, place: usize, joint: &Joint<Group>, measuring: &Measuring) -> GroupMeasures {
        let (legend, told) = (measuring.legend, &self.told);
        let weight = measuring.weights.in_view(self.criterion.view());
        let beside = measuring.reference.and_then(|reference| joint.place_of(reference));
        let is_reference = measuring.reference == Some(a);
        let open = self.doubt.and_then(|doubt| doubt.spread.measures.get(place));
        let estimate = |measure: Measure| {
            if is_reference && measure != Measure::ImpactRatio {
                return Estimate::none("this is the reference group");
            }
            if beside.is_none() && measure != Measure::ImpactRatio {
                return Estimate::none("too little is known of the reference group");
            }
            let found = self.estimate(measure, place, beside, joint, measuring);
            if measure == Measure::Shortfall { scaled(found, weight) } else { found }
        };
        let difference = estimate(Measure::Difference);
        let error = open.and_then(|open| open.error).filter(|_| self.withheld.is_none());
        let z = difference.value.zip(error).map(|(difference, error)| difference / error);
        GroupMeasures {
            group: legend.group(a).to_owned(),
            rate: Some(told.rates[place]).filter(|_| self.withheld.is_none()),
            people: Some(told.people[place] * weight).filter(|_| self.withheld.is_none()),
            difference,
            adverse_impact_ratio: estimate(Measure::AdverseImpactRatio),
            odds_ratio: estimate(Measure::OddsRatio),
            impact_ratio: estimate(Measure::ImpactRatio),
            shortfall: estimate(Measure::Shortfall),
            z,
            p_value: z.map(|z| draws::chi_square_tail(z * z, 1)),
        }
    }

    fn estimate(
        &self,
        measure: Measure,
        place: usize,
        beside: Option<usize>,
        joint: &Joint<Group>,
        measuring: &Measuring,
    ) -> Estimate {
        let Some(value) = self.told.measure(measure, place, beside) else {
            return Estimate::none(measure.needs());
        };
        let of = |open: &[Open]| open.get(place).and_then(|open| open.ends[measure as usize]);
        let interval = self.doubt.and_then(|doubt| of(&doubt.spread.measures));
        let honest = self.doubt.and_then(|doubt| doubt.honest.as_ref());
        let range = match honest {
            Some(Ok(Range { measures, .. })) => of(measures),
            _ => None,
        };
        let range = self.shifted(measure, place, beside, joint, measuring, range.or(interval), range);
        let reason = match (interval, honest) {
            _ if measuring.settings.n_boot == 0 => {
                Some("no draws were asked for, so that there is no interval".to_owned())
            }
            (None, _) => Some("this method has no draws of the table, so that there is no interval".into()),
            (Some(ends), _) if !ends.high.is_finite() => Some(NO_END.into()),
            (_, Some(Err(reason))) => Some(reason.clone()),
            (_, Some(Ok(_))) if range.is_none_or(|ends| !ends.high.is_finite()) => Some(NO_END.into()),
            _ => None,
        };
        let finite = |ends: Option<Interval>| ends.filter(|ends| ends.high.is_finite());
        Estimate {
            value: Some(value).filter(|_| self.withheld.is_none()),
            interval: finite(interval).filter(|_| self.withheld.is_none()),
            honest_interval: finite(range),
            unavailable: self.withheld.clone().or(reason),
        }
    }

    /// What errors that go with the decision leave open beside, where they are allowed for.
    #[allow(clippy::too_many_arguments)] // one caller, above
    fn shifted(
        &self,
        measure: Measure,
        place: usize,
        beside: Option<usize>,
        joint: &Joint<Group>,
        measuring: &Measuring,
        ends: Option<Interval>,
        known: Option<Interval>,
    ) -> Option<Interval> {
        let max_shift = measuring.settings.max_shift;
        let Some((_, noise)) = self.source.inferred().filter(|_| max_shift > 0.0 && !self.by_labels()) else {
            return known;
        };
        let positive = measuring.legend.positive;
        let scale = |value: f64| if measure.is_ratio() { value.ln() } else { value };
        let back = |value: f64| if measure.is_ratio() { value.exp() } else { value };
        let value = |joint: &Joint<Group>| {
            Told::of(joint, self.criterion, positive)?.measure(measure, place, beside).map(scale)
        };
        let on_scale = |ends: Interval| Interval { low: scale(ends.low), high: scale(ends.high) };
        let wide = Shifted { joint, noise, positive }.moved(value, on_scale(ends?), max_shift);
        let wide = wide.map(|ends| Interval { low: back(ends.low), high: back(ends.high) });
        Some(wide.unwrap_or(measure.bounds()).within(measure.bounds()))
    }

    fn by_labels(&self) -> bool {
        let Origin { estimator, .. } = self.source.origin;
        estimator.is_some_and(|estimator| super::measure::BY_LABELS.contains(&estimator))
    }
}

/// Why a ratio has no upper end.
const NO_END: &str = "the reference's rate may be 0, so that the ratio has no upper end";

/// A group that is compared with no other.
fn untold(group: &str, reason: &str) -> GroupMeasures {
    let none = || Estimate::none(reason);
    GroupMeasures {
        group: group.to_owned(),
        rate: None,
        people: None,
        difference: none(),
        adverse_impact_ratio: none(),
        odds_ratio: none(),
        impact_ratio: none(),
        shortfall: none(),
        z: None,
        p_value: None,
    }
}

/// Shares of the table as people.
fn scaled(found: Estimate, weight: f64) -> Estimate {
    let ends = |ends: Interval| Interval { low: ends.low * weight, high: ends.high * weight };
    Estimate {
        value: found.value.map(|value| value * weight),
        interval: found.interval.map(ends),
        honest_interval: found.honest_interval.map(ends),
        ..found
    }
}
