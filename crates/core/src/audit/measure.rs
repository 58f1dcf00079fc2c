//! Measurements, each built once and whole: the number and what it compares, how far chance and shared mistakes could
//! have moved it, how far it is from the truth, and whether it is the one to report.

use super::beside::{Beside, Weights};
use crate::advise::Relied;
use crate::answers::{Answers, Table};
use crate::counts::View;
use crate::criterion::Proportion;
use crate::disparity::{ErrorMeasures, Pair, measure, pairs};
use crate::evidence::EvidenceAnswers;
use crate::headline::{Candidate, Reason, Why};
use crate::measures::MeasuresRecord;
use crate::noise::NoiseModel;
use crate::rates::{GroupRates, Joint, Unavailable};
use crate::record::{
    ErrorRecord, GroupRate, GroupRatesRecord, HonestRecord, IntervalRecord, Measurement, Origin, PairGap,
    Premise, RateIntervals, RatesRecord, TestRecord, TrueValue,
};
use crate::settings::{EstimatorChoice, Settings};
use crate::uncertainty::Interval;
use crate::uncertainty::attach::{Doubt, Doubts, Plausible, Uncertainty, Wanted, opposite_signs};
use crate::uncertainty::intervals::Asked;
use crate::uncertainty::left_out::LeftOut;
use crate::uncertainty::shift::Shifted;
use crate::vocabulary::{Aggregate, Axis, Class, Criterion, Estimator, Group, Guess, Legend};
use crate::world::Truth;

/// Past this many the list of pairs is longer than anyone reads; it grows with the square of groups and classes.
const MOST_PAIRS: usize = 2_000;

/// Estimators whose range labels of the table itself give.
pub(super) const BY_LABELS: [Estimator; 2] = [Estimator::Audit, Estimator::Regression];

/// What is measured, and on what.
pub(super) struct Measuring<'a> {
    pub legend: &'a Legend,
    pub settings: &'a Settings,
    pub criteria: &'a [Criterion],
    pub answers: &'a [Answers],
    pub relied: &'a Relied,
    pub tests: &'a [TestRecord],
    /// The group that others stand beside in measures by name.
    pub reference: Option<Group>,
    pub weights: Weights,
}

/// Everything that was measured.
pub(super) struct Measured {
    pub results: Vec<Measurement>,
    /// Why a criterion's number may not stand on top; nothing where it may.
    pub withheld: Vec<(Criterion, Vec<Reason>)>,
    /// Every group beside the reference, from what is relied on.
    pub measures: Vec<MeasuresRecord>,
    pub rates: Vec<RatesRecord>,
    pub truth: Option<Vec<TrueValue>>,
    /// Every explanation that the table does not rule out, and what it says of each criterion; nothing without draws.
    pub plausible: Vec<Plausible>,
}

/// What a number is computed from in one view: a table, or why there is none, and what to doubt about it.
pub(super) struct Source<'a> {
    view: View,
    pub origin: &'a Origin,
    pub table: Result<Table<'a>, &'a String>,
    /// How the proxies err, where the table is inferred from that.
    noise: Option<&'a NoiseModel>,
    pub doubts: Doubts,
}

impl<'a> Source<'a> {
    /// What is inferred, and from which errors.
    pub fn inferred(&self) -> Option<(&'a Joint<Group>, &'a NoiseModel)> {
        match self {
            Source { table: Ok(Table::Inferred(joint)), noise: Some(noise), .. } => Some((joint, noise)),
            _ => None,
        }
    }
}

/// Which number is asked for, and of which groups.
#[derive(Clone, Copy)]
struct Which<'a> {
    criterion: Criterion,
    aggregate: Aggregate,
    left_out: &'a LeftOut,
}

/// What a table says about a criterion.
struct Numbers {
    value: Result<f64, String>,
    groups: Vec<GroupRate>,
    pairs: Vec<PairGap>,
}

impl Measuring<'_> {
    /// Every criterion by every aggregate, of everything that a number can be computed from.
    pub fn measure(&self, truth: Option<&Truth>) -> Measured {
        let (mut sources, mut plausible) = self.in_all_views(self.criteria, &LeftOut::default());
        let left_out = &self.left_out(&sources);
        let affected: Vec<Criterion> = left_out.criteria().collect();
        if !affected.is_empty() {
            let (again, explanations) = self.in_all_views(&affected, left_out);
            sources
                .iter_mut()
                .zip(again)
                .for_each(|(source, again)| source.doubts.replace(&affected, again.doubts));
            plausible.retain(|one| !affected.contains(&one.criterion));
            plausible.extend(explanations);
        }
        let find =
            |view, origin: &Origin| sources.iter().find(|one| one.view == view && one.origin == origin);
        let origins_in = |view: View| -> Vec<&Origin> {
            sources.iter().filter(|one| one.view == view).map(|one| one.origin).collect()
        };
        let mut origins = origins_in(View::Predictions);
        // An explanation may be on offer about labelled rows alone.
        let others = origins_in(View::Labelled);
        origins.extend(others.iter().filter(|one| !origins.contains(one)).collect::<Vec<_>>());
        let (mut results, mut truths, mut withheld) = (Vec::new(), Vec::new(), Vec::new());
        let mut measures = Vec::new();
        for criterion in self.criteria {
            let mut measurements = Vec::new();
            let view = criterion.view();
            let offered = origins_in(view);
            let of_view = if offered.is_empty() { origins.clone() } else { offered };
            let places = left_out.of(*criterion);
            let joint = truth.map(|truth| truth.joint(self.legend, view).leaving_out(places));
            for aggregate in Aggregate::ALL {
                let which = Which { criterion: *criterion, aggregate, left_out };
                let measured = |joint| measure(joint, *criterion, aggregate, self.legend.positive);
                let known = joint.as_ref().map(measured);
                let mut first = None;
                for origin in &of_view {
                    let source = find(view, origin);
                    let numbers = self.numbers(source, which);
                    let value = numbers.value.as_ref().ok().copied();
                    // What the first proxy shows is what others improve on.
                    let base = *first.get_or_insert(value);
                    let errors = known.as_ref().map(|truth| errors(value, truth.as_ref().ok(), base));
                    measurements.push(self.whole(which, origin, numbers, source, errors));
                }
                truths.extend(known.map(|value| TrueValue {
                    criterion: *criterion,
                    aggregate,
                    unavailable: value.as_ref().err().map(|reason| reason.describe(self.legend)),
                    value: value.ok(),
                }));
            }
            let reasons = self.withheld(*criterion, &measurements, &plausible);
            let stands = |result: &Measurement| reasons.is_empty() && self.relied_on(result);
            results.extend(
                measurements.into_iter().map(|result| Measurement { recommended: stands(&result), ..result }),
            );
            let chosen = |source: &&Source| source.view == view && self.relied.chose(view, source.origin);
            let source = sources.iter().find(chosen);
            measures
                .extend(Beside { criterion: *criterion, source, reasons: &reasons, left_out }.records(self));
            withheld.push((*criterion, reasons));
        }
        let rates = |origin: &&Origin| {
            self.rates(origin, [View::Predictions, View::Labelled].map(|view| find(view, origin)))
        };
        let rates = origins.iter().map(rates).collect();
        Measured { results, withheld, measures, rates, truth: truth.map(|_| truths), plausible }
    }

    /// A number by the method that is relied on.
    fn relied_on(&self, result: &Measurement) -> bool {
        self.relied.is_on(result.criterion.view(), &result.origin) && result.value.is_some()
    }

    /// Why the number of a criterion may not stand on top.
    fn withheld(
        &self,
        criterion: Criterion,
        results: &[Measurement],
        plausible: &[Plausible],
    ) -> Vec<Reason> {
        let (legend, tests) = (self.legend, self.tests);
        let largest = || results.iter().filter(|result| result.aggregate == Aggregate::Difference);
        let chosen = |result: &&Measurement| self.relied.chose(criterion.view(), &result.origin);
        let mut reasons: Vec<Reason> = self.relied.veto().into_iter().collect();
        match largest().find(chosen) {
            Some(result) => {
                let others: Vec<&Measurement> = largest().collect();
                reasons.extend(Candidate { legend, tests, result, others: &others }.reasons());
            }
            None => reasons.push(Reason::new(Why::NoNumber, "nothing explains what the proxies say")),
        }
        let about = self.answers.iter().find(|answers| answers.view == criterion.view());
        if let Some(why) = about.and_then(|answers| self.relied.despite_sources(answers))
            && !reasons.iter().any(|reason| reason.why == Why::NoNumber)
        {
            let text = format!("{why}: what they share cannot be separated from skill (finding P04)");
            reasons.push(Reason::new(Why::SharedSource, text));
        }
        if let Some((first, second, _)) = opposite_signs(plausible, criterion) {
            let text =
                format!("{} and {} find opposite directions (finding U03)", first.words(), second.words());
            reasons.push(Reason::new(Why::SignsDisagree, text));
        }
        reasons
    }

    fn in_all_views(&self, criteria: &[Criterion], left_out: &LeftOut) -> (Vec<Source<'_>>, Vec<Plausible>) {
        let (mut sources, mut plausible) = (Vec::new(), Vec::new());
        for (of_view, explanations) in
            self.answers.iter().map(|answers| self.sources(answers, criteria, left_out))
        {
            sources.extend(of_view);
            plausible.extend(explanations);
        }
        (sources, plausible)
    }

    /// The groups that what is chosen cannot tell. A method that was asked for answers for all of them.
    fn left_out(&self, sources: &[Source]) -> LeftOut {
        let mut left_out = LeftOut::default();
        if self.settings.estimator != EstimatorChoice::Auto {
            return left_out;
        }
        for criterion in self.criteria {
            let view = criterion.view();
            let chosen = |one: &&Source| one.view == view && self.relied.chose(view, one.origin);
            if let Some(Source { table: Ok(Table::Inferred(joint)), doubts, .. }) =
                sources.iter().find(chosen)
            {
                left_out.note(*criterion, joint, self.legend.positive, doubts);
            }
        }
        left_out
    }

    /// Everything that a number can be computed from, and the explanations that the table does not rule out.
    fn sources<'a>(
        &self,
        answers: &'a Answers,
        criteria: &[Criterion],
        left_out: &LeftOut,
    ) -> (Vec<Source<'a>>, Vec<Plausible>) {
        let settings = self.settings;
        let asked = Asked {
            confidence: settings.confidence,
            draws: settings.n_boot,
            seed: settings.seed,
            positive: self.legend.positive,
            reference: self.reference,
        };
        let wanted = Wanted { asked, shared_error: settings.shared_error };
        let mine = criteria.iter().copied().filter(|criterion| criterion.view() == answers.view);
        let mine: Vec<Criterion> = mine.collect();
        // An estimator that was asked for answers for itself; what is chosen here answers for what else may be true.
        let hull = settings.estimator == EstimatorChoice::Auto;
        let chosen = |origin: &Origin| hull && self.relied.chose(answers.view, origin);
        let (doubts, plausible) = if settings.n_boot > 0 {
            Uncertainty::of(answers, &mine, left_out, wanted).doubts(chosen)
        } else {
            (Vec::new(), Vec::new())
        };
        let doubts = doubts.into_iter().chain(std::iter::repeat_with(Doubts::default));
        let noise = |origin: &Origin| {
            let explanation = answers.explanations.iter().find(|one| one.origin == *origin)?;
            explanation.noise.as_ref().ok()
        };
        let source = |((origin, table), doubts)| Source {
            view: answers.view,
            origin,
            table,
            noise: noise(origin),
            doubts,
        };
        (answers.tables().zip(doubts).map(source).collect(), plausible)
    }

    fn numbers(&self, source: Option<&Source>, which: Which) -> Numbers {
        let Which { criterion, aggregate, left_out } = which;
        let without = |reason| Numbers { value: Err(reason), groups: Vec::new(), pairs: Vec::new() };
        match source.map(|source| source.table) {
            None => without(Unavailable::NoLabels.describe(self.legend)),
            Some(Err(reason)) => without(reason.clone()),
            Some(Ok(Table::Seen(joint))) => {
                self.read(&left_out.table(joint, criterion), criterion, aggregate)
            }
            Some(Ok(Table::Inferred(joint))) => {
                self.read(&left_out.table(joint, criterion), criterion, aggregate)
            }
        }
    }

    fn read<A: Axis>(&self, joint: &Joint<A>, criterion: Criterion, aggregate: Aggregate) -> Numbers {
        let (legend, positive) = (self.legend, self.legend.positive);
        let class_name = |class: Class| legend.class(class).to_owned();
        let of_group = |a: A, rate: Proportion| GroupRate {
            group: legend.group(a).to_owned(),
            label: rate.among.name(legend),
            share: joint.share(a).ok(),
            rate: joint.proportion(a, rate).ok(),
            interval: None,
        };
        let told = criterion.spec().told(joint.classes(), positive);
        let compared = told.iter().flat_map(|rate| joint.axis().map(|a| of_group(a, *rate)));
        let left_out = |a: &A| joint.axis().all(|other| other != *a);
        let untold = |rate: &Proportion| {
            let others = (0..joint.members()).map(A::at).filter(left_out);
            let row = |a: A| GroupRate { rate: None, ..of_group(a, *rate) };
            others.map(row).collect::<Vec<_>>()
        };
        let groups = compared.chain(told.iter().flat_map(untold)).collect();
        let gap = |pair: Pair<A>| PairGap {
            a: legend.group(pair.a).to_owned(),
            b: legend.group(pair.b).to_owned(),
            class: class_name(pair.rate.class),
            label: pair.rate.among.name(legend),
            difference: pair.difference,
            interval: None,
        };
        let of_groups = joint.compared() * (joint.compared() - 1) / 2;
        let few = of_groups * told.len() * joint.classes() <= MOST_PAIRS;
        let gaps = if few { pairs(joint, criterion, positive) } else { Vec::new() };
        let value = measure(joint, criterion, aggregate, positive).map_err(|reason| reason.describe(legend));
        Numbers { value, groups, pairs: gaps.into_iter().map(gap).collect() }
    }

    fn whole(
        &self,
        which: Which,
        origin: &Origin,
        numbers: Numbers,
        source: Option<&Source>,
        errors: Option<ErrorRecord>,
    ) -> Measurement {
        let Which { criterion, aggregate, left_out } = which;
        let doubt = source.and_then(|source| source.doubts.about(criterion));
        let doubt = doubt.filter(|_| numbers.value.is_ok());
        let Numbers { value, groups, pairs } = numbers.with(doubt);
        let place = aggregate as usize;
        let chance = doubt.and_then(|doubt| Some((doubt.spread.values[place]?, doubt)));
        let honest_interval = self.honest(which, source, doubt);
        let no_honest = doubt.and_then(|doubt| doubt.honest.as_ref()?.as_ref().err().cloned());
        let no_honest_interval = no_honest.filter(|_| honest_interval.is_none());
        Measurement {
            criterion,
            aggregate,
            origin: origin.clone(),
            recommended: false,
            interval: chance.map(|((ends, method), doubt)| IntervalRecord {
                ends,
                method,
                draws_without_estimate: doubt.spread.without_estimate,
            }),
            honest_interval,
            no_honest_interval,
            left_out: left_out.of(criterion).iter().map(|a| self.legend.groups[*a].clone()).collect(),
            groups,
            pairs,
            unavailable: value.as_ref().err().cloned(),
            value: value.ok(),
            errors,
        }
    }

    /// What chance, shared error and errors that go with the decision leave open together.
    fn honest(&self, which: Which, source: Option<&Source>, doubt: Option<&Doubt>) -> Option<HonestRecord> {
        let Which { criterion, aggregate, left_out } = which;
        let (doubt, place, max_shift) = (doubt?, aggregate as usize, self.settings.max_shift);
        let by_labels = |one: &Source| one.origin.estimator.is_some_and(|by| BY_LABELS.contains(&by));
        let labelled = doubt.honest.is_some() && source.is_some_and(by_labels);
        let evidence = source.is_some_and(|one| one.origin.estimator == Some(Estimator::Evidence));
        let lone = self
            .answers
            .iter()
            .any(|answers| answers.evidence.as_ref().is_some_and(EvidenceAnswers::is_lone));
        let premise = match (labelled, evidence, lone) {
            (true, ..) => Premise::LabelsAsDrawn,
            (_, true, false) => Premise::OneSource,
            (_, true, true) => Premise::Bracket,
            _ => Premise::SharedError,
        };
        let shared =
            doubt.honest.as_ref().and_then(|honest| honest.as_ref().ok()?.values[place]).map(|ends| {
                HonestRecord {
                    ends,
                    premise,
                    shared_error: self.settings.shared_error,
                    reached: doubt.reached,
                    max_shift,
                    by_stratum: doubt.by_stratum,
                }
            });
        // Labels of the table itself leave errors that go with the decision nothing to change.
        let doubted = max_shift > 0.0 && !labelled;
        let inferred = source.and_then(Source::inferred).filter(|_| doubted);
        let Some((joint, noise)) = inferred else { return shared };
        let joint = &*left_out.table(joint, criterion);
        let shifted = Shifted { joint, noise, positive: self.legend.positive };
        // Where labels or stated rates leave no sharing to doubt, errors may still go with the decision.
        let chance = doubt.spread.values[place].map(|(ends, _)| ends);
        let plain = HonestRecord {
            ends: chance?,
            premise,
            shared_error: 0.0,
            reached: 0.0,
            max_shift,
            by_stratum: false,
        };
        let known = shared.unwrap_or(plain);
        let ends = shifted.widened(criterion, aggregate, known.ends, max_shift).unwrap_or(Interval::UNIT);
        Some(HonestRecord { ends, ..known })
    }

    /// Shares and selection rates are those of all rows; the others those of labelled ones.
    fn rates(&self, origin: &Origin, views: [Option<&Source>; 2]) -> RatesRecord {
        let of_group = |(a, group): (usize, &String)| {
            let [all, labelled] = views.map(|source| match source.map(|source| source.table) {
                Some(Ok(Table::Seen(joint))) => joint.group_rates(Guess(a), self.legend.positive),
                Some(Ok(Table::Inferred(joint))) => joint.group_rates(Group(a), self.legend.positive),
                _ => GroupRates::unavailable(),
            });
            let ends = views.map(|source| Some(source?.doubts.rates.as_ref()?[a]));
            let intervals = (ends[0].or(ends[1])).map(|_| {
                let [share, selection_rate, ..] = ends[0].unwrap_or_default();
                let [_, _, true_positive_rate, false_positive_rate, rest @ ..] = ends[1].unwrap_or_default();
                let [false_negative_rate, precision, accuracy, base_rate] = rest;
                RateIntervals {
                    share,
                    selection_rate,
                    true_positive_rate,
                    false_positive_rate,
                    false_negative_rate,
                    precision,
                    accuracy,
                    base_rate,
                }
            });
            GroupRatesRecord {
                group: group.clone(),
                share: all.share.ok(),
                selection_rate: all.selection_rate.ok(),
                true_positive_rate: labelled.true_positive_rate.ok(),
                false_positive_rate: labelled.false_positive_rate.ok(),
                false_negative_rate: labelled.false_negative_rate.ok(),
                precision: labelled.precision.ok(),
                accuracy: labelled.accuracy.ok(),
                base_rate: labelled.base_rate.ok(),
                intervals,
            }
        };
        RatesRecord {
            origin: origin.clone(),
            groups: self.legend.groups.iter().enumerate().map(of_group).collect(),
        }
    }
}

impl Numbers {
    /// The same with what chance leaves open of rates and gaps.
    fn with(mut self, doubt: Option<&Doubt>) -> Self {
        let Some(Doubt { spread, .. }) = doubt else { return self };
        for (rate, ends) in self.groups.iter_mut().zip(&spread.rates) {
            // A rate that no population can have has no interval either.
            rate.interval = rate.rate.filter(|rate| (0.0..=1.0).contains(rate)).map(|rate| ends.with(rate));
        }
        for (pair, ends) in self.pairs.iter_mut().zip(&spread.pairs) {
            pair.interval = Some(*ends);
        }
        self
    }
}

/// How far off a value is, as far as it and the truth are there; `base` is what the first proxy shows.
fn errors(value: Option<f64>, truth: Option<&f64>, base: Option<f64>) -> ErrorRecord {
    let errors = value.zip(truth).map(|(value, truth)| ErrorMeasures::of(value, *truth, base));
    ErrorRecord {
        raw_error: errors.map(|errors| errors.raw),
        normalized_error: errors.and_then(|errors| errors.normalized),
        improvement: errors.and_then(|errors| errors.improvement),
    }
}
