//! What may stand on top: a number, a direction or nothing, and why. Text, pages, gates and other front ends only word it.

use crate::advise::Relied;
use crate::answers::Answers;
use crate::counts::View;
use crate::diagnose::{Finding, LIKELY, SIGNIFICANT, Severity};
use crate::named::named;
use crate::record::{GroupRate, HonestRecord, Measurement, Origin, Test, TestRecord};
use crate::settings::Settings;
use crate::uncertainty::Interval;
use crate::uncertainty::checks::{Score, zero_test};
use crate::vocabulary::{Aggregate, Basis, Criterion, Legend, Scope};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

named! {
    /// How much may be said.
    pub enum Says {
        /// A number with its range.
        Number = "number",
        /// A range, and no number inside it.
        Range = "range",
        /// Who is selected more often, and no size.
        Direction = "direction",
        /// Neither.
        Nothing = "nothing",
    }

    /// Why a number does not stand on top.
    pub enum Why {
        /// There is none.
        NoNumber = "no_number",
        /// Some of its rates are those of no population.
        ImpossibleRates = "impossible_rates",
        /// Its interval, or a range that leaves open whether there is a gap, is wider than half of what is possible.
        TooWide = "too_wide",
        /// The test of no gap finds the other direction.
        AgainstTest = "against_test",
        /// Explanations that fit the table find opposite directions.
        SignsDisagree = "signs_disagree",
        /// A proxy read directly shows more, which independent errors cannot do.
        BelowProxy = "below_proxy",
        /// A proxy may follow from the features by which neighbours are near.
        ReadsFeatures = "reads_features",
        /// Proxies err in ways that go with the decision, and with errors of their own where decisions differ the number would be
        /// another beyond chance: the range alone stands.
        ErrorsFollowDecisions = "errors_follow_decisions",
        /// Proxies declare one source and had to be taken for independent nevertheless: the range alone stands.
        SharedSource = "shared_source",
    }
}

/// What may be said about one criterion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The criterion.
    pub criterion: Criterion,
    /// How much may be said.
    pub says: Says,
    /// The largest difference between groups, where a number may be said.
    pub value: Option<f64>,
    /// All that is held possible of it: chance, shared error, and every explanation that fits.
    pub range: Option<Interval>,
    /// What chance alone leaves open, given the assumptions of the method.
    pub interval: Option<Interval>,
    /// The smallest rate over the largest.
    pub ratio: Option<f64>,
    /// All that is held possible of the ratio.
    pub ratio_range: Option<Interval>,
    /// The number and its range as people: of a thousand in each of the two groups, how many more are selected in one.
    #[serde(default)]
    pub per_thousand: Option<PerThousand>,
    /// The two groups whose difference the number is.
    #[serde(default)]
    pub pair: Option<ComparedPair>,
    /// Groups of whom too little is known: the number is that of the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Who is selected more often than whom, where that may be said.
    pub direction: Option<Direction>,
    /// Guesses that shift this much with the decision, inside every group, would make a table without a gap look like
    /// this one.
    pub breakdown_shift: Option<f64>,
    /// What the number was computed from.
    pub rests_on: Option<Origin>,
    /// Why there is no number on top.
    pub reasons: Vec<Reason>,
    /// Why the range is to be read, and not the number alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cautions: Vec<Reason>,
    /// How many kinds of findings there are to read beside it; one that occurs in six strata counts once.
    pub warnings: Warnings,
}

/// A difference of rates as people: of a thousand in each of two groups, how many more are selected in one. Rounded to tens
/// where the range is wider than that.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PerThousand {
    /// The number; absent where the range alone stands.
    pub value: Option<f64>,
    /// The lower end of the range.
    pub low: Option<f64>,
    /// The upper end of the range.
    pub high: Option<f64>,
}

impl PerThousand {
    /// Nothing where there is neither a number nor a range.
    fn of(value: Option<f64>, range: Option<Interval>) -> Option<Self> {
        value.or(range.map(|range| range.low))?;
        let step = if range.is_none_or(|range| range.width() < 0.01) { 1.0 } else { 10.0 };
        let people = |share: f64| (1000.0 * share / step).round() * step;
        let end = |end: fn(Interval) -> f64| range.map(|range| people(end(range)));
        Some(PerThousand { value: value.map(people), low: end(|r| r.low), high: end(|r| r.high) })
    }
}

/// Two groups, and how often people in each are selected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedPair {
    /// The group that is selected more often, as far as the estimate tells.
    pub more: String,
    /// The group that is selected less often.
    pub less: String,
    /// Among people with this label (or this decision, where labels are counted), if any.
    pub label: Option<String>,
    /// The rate of the first; absent where the range alone stands.
    pub more_rate: Option<f64>,
    /// The rate of the second.
    pub less_rate: Option<f64>,
}

/// Who is selected more often than whom.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Direction {
    /// The group that is selected more often.
    pub more: String,
    /// The group that is selected less often; absent where only the first can be told.
    pub less: Option<String>,
    /// Among people with this label, if any.
    pub label: Option<String>,
    /// The p-value of the test of no gap that says so; absent where the number itself does.
    pub p_value: Option<f64>,
}

/// A reason, as data and in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// Which.
    pub why: Why,
    /// In words, without a full stop.
    pub text: String,
}

/// Findings by how much they weigh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Warnings {
    /// Those to be dealt with before the number is used.
    pub serious: usize,
    /// Those that say that it may be off.
    pub warning: usize,
}

impl Why {
    /// Speaks against the number and not against its honest range, which allows for it.
    fn leaves_range(self) -> bool {
        matches!(self, Why::SharedSource | Why::ErrorsFollowDecisions)
    }
}

/// The range stands on top, without a number inside it.
pub(crate) fn range_stands(reasons: &[Reason]) -> bool {
    !reasons.is_empty() && reasons.iter().all(|reason| reason.why.leaves_range())
}

impl Reason {
    /// A reason in words.
    pub(crate) fn new(why: Why, text: impl Into<String>) -> Self {
        Reason { why, text: text.into() }
    }
}

/// An interval wider than this share of what is possible says nothing of a size; nor does a range that leaves open whether
/// there is a gap at all.
const TOO_WIDE: f64 = 0.5;

/// What is told about a criterion before anything is said of it.
pub(crate) struct Candidate<'a> {
    pub legend: &'a Legend,
    pub tests: &'a [TestRecord],
    /// The largest difference by the method that is relied on.
    pub result: &'a Measurement,
    /// The same of everything else that was measured.
    pub others: &'a [&'a Measurement],
}

impl Candidate<'_> {
    /// Why the number may not stand on top; nothing where it may.
    pub fn reasons(&self) -> Vec<Reason> {
        let result = self.result;
        if let Some(reason) = &result.unavailable {
            return vec![Reason::new(Why::NoNumber, reason.clone())];
        }
        let contradicted = || [self.against_test(), self.below_proxy()].into_iter().flatten();
        let doubts = [self.impossible(), self.too_wide(), self.other_by_stratum()].into_iter().flatten();
        // Both take for granted that errors do not go with the decision, which labels of the table itself do not need.
        if result.honest_interval.as_ref().is_some_and(HonestRecord::is_by_labels) {
            doubts.collect()
        } else {
            doubts.chain(contradicted()).collect()
        }
    }

    /// A population can have its rates. One that cannot has a finding (N03).
    fn impossible(&self) -> Option<Reason> {
        let rounding = 1e-9;
        let possible = |rate: f64| (-rounding..=1.0 + rounding).contains(&rate);
        let compared = self.result.groups.iter().filter(|one| !self.result.left_out.contains(&one.group));
        let all = compared.into_iter().all(|group| group.rate.is_some_and(possible));
        (!all).then(|| Reason::new(Why::ImpossibleRates, "its rates fall outside 0 to 1 (finding N03)"))
    }

    /// Chance leaves too much open, or the range leaves open whether there is a gap at all.
    fn too_wide(&self) -> Option<Reason> {
        let chance = self.result.interval.as_ref().map(|one| one.ends).zip(self.result.value);
        let open = too_open(chance, range(self.result)?)?;
        let text = format!("anything from {:.3} to {:.3} is possible", open.low, open.high);
        Some(Reason::new(Why::TooWide, text))
    }

    /// Errors that all strata share are rejected, and what every stratum's own say lies elsewhere: chance is no longer what the
    /// number is most in doubt for.
    fn other_by_stratum(&self) -> Option<Reason> {
        let Measurement { criterion, origin, interval, .. } = self.result;
        if origin.scope != Some(Scope::Global) || !errors_follow_decisions(self.tests, criterion.view()) {
            return None;
        }
        let mine = interval.as_ref()?.ends;
        let by_stratum = |other: &&&Measurement| {
            (other.origin.estimator, other.origin.scope) == (origin.estimator, Some(Scope::Local))
        };
        let theirs = self.others.iter().find(by_stratum)?.interval.as_ref()?.ends;
        mine.apart(theirs).then(|| {
            let text = format!(
                "the proxies err differently where decisions differ (finding N07): the same errors everywhere give {:.3} to {:.3}, separate errors {:.3} to {:.3}",
                mine.low, mine.high, theirs.low, theirs.high
            );
            Reason::new(Why::ErrorsFollowDecisions, text)
        })
    }

    /// With one rate for each group, the test and the number can contradict each other. Where errors are seen to go with
    /// the decision the test says nothing.
    fn against_test(&self) -> Option<Reason> {
        if errors_follow_decisions(self.tests, self.result.criterion.view()) {
            return None;
        }
        let test = no_gap(self.tests, self.result.criterion).filter(|test| test.p_value < SIGNIFICANT)?;
        let favoured = test.favoured.as_deref()?;
        let rates = &self.result.groups;
        if rates.len() != self.legend.groups.len() {
            return None;
        }
        let of = |name: &str| rates.iter().find(|rate| rate.group == name)?.rate;
        let own = of(favoured)?;
        let lowest = rates.iter().filter_map(|rate| rate.rate).all(|rate| own <= rate);
        lowest.then(|| {
            let text = format!(
                "the test of no gap finds that {favoured} is selected more often, and the number says the opposite"
            );
            Reason::new(Why::AgainstTest, text)
        })
    }

    /// Errors that do not go with the decision only ever shrink a gap.
    fn below_proxy(&self) -> Option<Reason> {
        let high = self.result.interval.as_ref()?.ends.high;
        let shows_more = |other: &&&Measurement| {
            other.origin.basis == Basis::Proxy
                && other.interval.as_ref().is_some_and(|direct| direct.ends.low > high)
        };
        let proxy = self.others.iter().find(shows_more)?.origin.proxy.as_deref()?;
        let text = format!(
            "proxy {proxy} alone shows more, which errors unrelated to the decision cannot cause (finding N08)"
        );
        Some(Reason::new(Why::BelowProxy, text))
    }
}

/// What leaves too much open, if anything: chance, or a range that holds zero. The interval of a small number is cut off at zero and
/// narrow; judged by its width the small would stand and the large would not. So an interval counts as twice as far as it reaches above
/// the number, and a range that holds zero as that times how much longer it is, wherever the number fell.
fn too_open(chance: Option<(Interval, f64)>, range: Interval) -> Option<Interval> {
    let (mut wide, mut unsigned) = (None, range.width());
    if let Some((chance, value)) = chance {
        let reach = 2.0 * (chance.high - value);
        let longer = if chance.high > 0.0 { (range.high / chance.high).max(1.0) } else { 1.0 };
        wide = (chance.width().max(reach) > TOO_WIDE).then_some(chance);
        unsigned = unsigned.max(longer * reach);
    }
    wide.or((range.low <= 0.0 && unsigned > TOO_WIDE).then_some(range))
}

/// All that is held possible of a measurement.
fn range(result: &Measurement) -> Option<Interval> {
    let honest = result.honest_interval.as_ref().map(|honest| honest.ends);
    honest.or_else(|| result.interval.as_ref().map(|interval| interval.ends))
}

/// The proxies are seen to err in ways that go with the decision (finding N07): what takes the opposite for granted is void.
pub(crate) fn errors_follow_decisions(tests: &[TestRecord], view: View) -> bool {
    tests.iter().any(|test| {
        let about = test.criterion.map(Criterion::view);
        test.test == Test::SameNoise && about == Some(view) && test.p_value < SIGNIFICANT
    })
}

/// The same, or they seem to: what takes the opposite for granted is to be read with its range.
fn errors_may_follow_decisions(tests: &[TestRecord], view: View) -> bool {
    let shifts = |test: &TestRecord| {
        test.criterion.map(Criterion::view) == Some(view) && test.test == Test::Shift && test.p_value < LIKELY
    };
    errors_follow_decisions(tests, view) || tests.iter().any(shifts)
}

/// Why a number that stands is to be read with its range: errors seem to go with the decision. One that takes for granted that
/// they do not is then off by more than chance; one that learns them by stratum is misled by mistakes that proxies share, which
/// look the same. Labels need neither.
pub(crate) fn cautions(tests: &[TestRecord], result: &Measurement) -> Vec<Reason> {
    let labelled = result.honest_interval.as_ref().is_some_and(HonestRecord::is_by_labels);
    let learned = result.origin.scope.is_some() && !labelled;
    let seem = learned && errors_may_follow_decisions(tests, result.criterion.view());
    let text = "the proxies' errors seem to depend on the decision (finding N07), which can move the number by more than chance";
    seem.then(|| Reason::new(Why::ErrorsFollowDecisions, text)).into_iter().collect()
}

fn no_gap(tests: &[TestRecord], criterion: Criterion) -> Option<&TestRecord> {
    tests.iter().find(|test| test.test == Test::NoGap && test.criterion == Some(criterion))
}

/// What there is to answer from.
pub(crate) struct Grounds<'a> {
    pub legend: &'a Legend,
    pub settings: &'a Settings,
    pub answers: &'a [Answers],
    pub relied: &'a Relied,
    pub results: &'a [Measurement],
    pub tests: &'a [TestRecord],
    pub findings: &'a [Finding],
}

impl Grounds<'_> {
    /// The answer about one criterion, given why no number may stand on top.
    pub fn answer(&self, criterion: Criterion, reasons: Vec<Reason>) -> Answer {
        let of = |aggregate| {
            let wanted =
                |r: &&Measurement| r.recommended && r.criterion == criterion && r.aggregate == aggregate;
            self.results.iter().find(wanted)
        };
        let (result, ratio) = (of(Aggregate::Difference), of(Aggregate::Ratio));
        let kept = |aggregate| self.range_kept(criterion, aggregate, &reasons);
        let (ranged, ratio_ranged) =
            (result.or(kept(Aggregate::Difference)), ratio.or(kept(Aggregate::Ratio)));
        let direction = ranged.and_then(by_number);
        let direction =
            if result.is_some() { direction } else { direction.or_else(|| self.tested(criterion)) };
        let says = match (result, ranged, &direction) {
            (Some(_), ..) => Says::Number,
            (None, Some(_), _) => Says::Range,
            (None, None, Some(_)) => Says::Direction,
            (None, None, None) => Says::Nothing,
        };
        let count = |severity| {
            let of_it = self.findings.iter().filter(|finding| finding.severity == severity);
            of_it.map(|finding| &finding.code).collect::<BTreeSet<_>>().len()
        };
        let value = result.and_then(|result| result.value);
        let pair = ranged.and_then(widest).map(|pair| match result {
            Some(_) => pair,
            None => ComparedPair { more_rate: None, less_rate: None, ..pair },
        });
        Answer {
            criterion,
            says,
            value,
            range: ranged.and_then(range),
            per_thousand: PerThousand::of(value, ranged.and_then(range)),
            pair,
            interval: result.and_then(|result| result.interval.as_ref()).map(|interval| interval.ends),
            ratio: ratio.and_then(|ratio| ratio.value),
            ratio_range: ratio_ranged.and_then(range),
            left_out: ranged.map_or_else(Vec::new, |result| result.left_out.clone()),
            direction,
            breakdown_shift: self.breakdown_shift(criterion),
            rests_on: ranged.map(|result| result.origin.clone()),
            cautions: result.map_or_else(Vec::new, |result| cautions(self.tests, result)),
            reasons,
            warnings: Warnings { serious: count(Severity::Serious), warning: count(Severity::Warning) },
        }
    }

    /// What is relied on, where nothing speaks against its number but what its honest range allows for: then the range
    /// stands.
    fn range_kept(
        &self,
        criterion: Criterion,
        aggregate: Aggregate,
        reasons: &[Reason],
    ) -> Option<&Measurement> {
        let wanted = |r: &&Measurement| {
            (r.criterion, r.aggregate) == (criterion, aggregate)
                && r.honest_interval.is_some()
                && self.relied.chose(criterion.view(), &r.origin)
        };
        self.results.iter().filter(|_| range_stands(reasons)).find(wanted)
    }

    fn breakdown_shift(&self, criterion: Criterion) -> Option<f64> {
        let (own, rows) = self.answers.iter().find(|answers| answers.view == criterion.view())?.own();
        zero_test(own, rows, criterion, self.legend.positive, Score::Votes).map(|test| test.largest_shift)
    }

    /// The direction by the test of no gap. It takes for granted that errors do not go with the decision: where they
    /// are seen to, there is none.
    fn tested(&self, criterion: Criterion) -> Option<Direction> {
        if errors_follow_decisions(self.tests, criterion.view()) {
            return None;
        }
        let test =
            no_gap(self.tests, criterion).filter(|test| test.p_value < 1.0 - self.settings.confidence)?;
        let more = test.favoured.clone()?;
        let less = match self.legend.groups.as_slice() {
            [a, b] => Some(if *a == more { b.clone() } else { a.clone() }),
            _ => None,
        };
        Some(Direction { more, less, label: None, p_value: Some(test.p_value) })
    }
}

/// The largest gap, if chance and shared error leave its direction.
fn by_number(result: &Measurement) -> Option<Direction> {
    range(result).filter(|range| range.low > 0.0)?;
    let ComparedPair { more, less, label, .. } = widest(result)?;
    Some(Direction { more, less: Some(less), label, p_value: None })
}

/// The two groups whose difference a measurement is: those that are furthest apart among people with one label.
fn widest(result: &Measurement) -> Option<ComparedPair> {
    let compared = |group: &&GroupRate| !result.left_out.contains(&group.group);
    let rates = || result.groups.iter().filter(compared).filter_map(|group| Some((group, group.rate?)));
    let within = |label: &Option<String>| {
        let mine = || rates().filter(|(group, _)| group.label == *label);
        let most = mine().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let least = mine().min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some((most.1 - least.1, most, least))
    };
    let labels = result.groups.iter().map(|group| &group.label);
    let (_, most, least) = labels.filter_map(within).max_by(|a, b| a.0.total_cmp(&b.0))?;
    (most.0.group != least.0.group).then(|| ComparedPair {
        more: most.0.group.clone(),
        less: least.0.group.clone(),
        label: most.0.label.clone(),
        more_rate: Some(most.1),
        less_rate: Some(least.1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number, what chance leaves open of it if it moves a signed gap this much either way, and a range longer by some factor.
    fn stands(gap: f64, chance: f64, longer: f64) -> bool {
        let low = if gap < chance { 0.0 } else { gap - chance };
        let interval = Interval { low, high: gap + chance };
        too_open(Some((interval, gap)), Interval { low, high: longer * (gap + chance) }).is_none()
    }

    #[test]
    fn where_a_number_fell_does_not_decide_whether_chance_lets_it_stand() {
        for gap in [0.0, 0.05, 0.15, 0.2, 0.3, 0.5] {
            assert!(stands(gap, 0.2, 1.0), "{gap}");
            assert!(!stands(gap, 0.3, 1.0), "{gap}");
        }
    }

    #[test]
    fn a_range_that_says_nothing_takes_the_number_away_however_small_chance_is() {
        let narrow = Some((Interval { low: 0.27, high: 0.29 }, 0.28));
        assert!(too_open(narrow, Interval { low: 0.0, high: 1.0 }).is_some());
        // A wide range that does not hold zero still says who is selected more often, and by how much at least.
        assert!(too_open(narrow, Interval { low: 0.1, high: 0.9 }).is_none());
    }

    #[test]
    fn a_gap_is_told_as_people_to_the_tens_that_its_range_supports() {
        let range = |low, high| Some(Interval { low, high });
        let people = |value, range| PerThousand::of(value, range);
        let told = |value, low, high| Some(PerThousand { value, low, high });
        assert_eq!(people(Some(0.2528), range(0.218, 0.373)), told(Some(250.0), Some(220.0), Some(370.0)));
        assert_eq!(people(Some(0.2528), range(0.2506, 0.2551)), told(Some(253.0), Some(251.0), Some(255.0)));
        assert_eq!(people(None, range(0.069, 0.42)), told(None, Some(70.0), Some(420.0)));
        assert_eq!(people(Some(0.2528), None), told(Some(253.0), None, None));
        assert_eq!(people(None, None), None);
    }
}
