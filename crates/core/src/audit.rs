//! The flow, from a tally to all that a report may say.
//!
//! ```text
//! Counts ──► Frequencies ──► what the proxies say        base, soft
//!                │
//!                ├─ NoiseEstimator::fit ──► NoiseModel    how the proxies err
//!                └─ calibrate ──► Joint<Group>            what must be true to explain what they say
//!                       │ measure
//!                   Measurement ──► findings, advice
//! ```
//! [`Audit`] is plain data. Where no number can be given it holds the reason in its place and carries on with
//! the rest.

use crate::advise::{Choice, Facts, advise, choice};
use crate::answers::{Answers, Origin, Table, global_noise};
use crate::bounds::in_audit::bounds;
use crate::counts::{Counts, View};
use crate::diagnose::{Looked, examine, reads_features};
use crate::disparity::{ErrorMeasures, measure, pairs};
use crate::estimate::AuditLabels;
use crate::noise::{Fit, NoiseError, NoiseModel, ProxyNoise, Stopped, TransitionMatrix};
use crate::pairwise::pairwise;
use crate::rates::{GroupRates, Joint, Unavailable};
use crate::record::{
    Audit, ErrorRecord, GroupRate, GroupRatesRecord, HonestRecord, Input, IntervalRecord, LearnedFrom,
    Measurement, MechanismRecord, NoiseRecord, PairGap, ProxyRecord, RateIntervals, RatesRecord,
    SharedErrorRecord, SolverEnd, StratumRecord, Test, TestRecord, TrueValue,
};
use crate::settings::{AuditError, EstimatorChoice, Settings};
use crate::uncertainty::Interval;
use crate::uncertainty::attach::{Doubt, Uncertainty, Wanted};
use crate::uncertainty::checks::{exchangeability, zero_test};
use crate::uncertainty::draws::chi_square_tail;
use crate::uncertainty::intervals::{Asked, Model};
use crate::uncertainty::what_if::shared_error;
use crate::vocabulary::{
    Aggregate, Axis, Class, Criterion, Estimator, Group, Guess, Legend, Proxy, ProxyId, Scope, Stratum,
};
use crate::world::Truth;

/// Past this many the list of pairs is longer than anyone reads; it grows with the square of groups and classes.
const MOST_PAIRS: usize = 2_000;

impl Audit {
    /// The whole flow. The truth, where given, is only compared against.
    ///
    /// ```
    /// # use fairveil_core::{Aggregate, Audit, Criterion, Settings, World};
    /// let (counts, truth) = World::lending().sample(20_000, 0)?;
    /// let audit = Audit::run(&counts, Some(&truth), &Settings::default())?;
    /// let parity = audit.recommended(Criterion::DemographicParity, Aggregate::Difference).unwrap();
    /// // The proxies read directly show about 0.13 of a true gap of 0.25.
    /// assert!((parity.value.unwrap() - 0.25).abs() < 0.03);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run(counts: &Counts, truth: Option<&Truth>, settings: &Settings) -> Result<Audit, AuditError> {
        settings.check()?;
        match settings.estimator {
            EstimatorChoice::Fixed(Estimator::Audit) if counts.audit_labels().is_none() => {
                return Err(AuditError::NoAuditLabels);
            }
            EstimatorChoice::Fixed(Estimator::ConfidentJoint) if counts.confident_tally().is_none() => {
                return Err(AuditError::NoProbabilities);
            }
            EstimatorChoice::Fixed(Estimator::Given) if settings.given.is_none() => {
                return Err(AuditError::NothingGiven);
            }
            _ => {}
        }
        refuse_useless_proxies(counts)?;
        check_bounds(counts, settings)?;
        let criteria = criteria(counts, settings)?;
        let legend = counts.legend();
        let (sorted, places) = counts.in_name_order();

        // One global matrix from all rows; local ones from the strata of each view.
        let global = global_noise(&sorted);
        let of_view = |view| Answers::of(view, &sorted, &places, &global, settings);
        let answers: Vec<Answers> =
            [View::Predictions, View::Labelled].into_iter().filter_map(of_view).collect();
        let about = |view: View| answers.iter().find(|answers| answers.view == view);
        let origins: Vec<Origin> = about(View::Predictions)
            .map(|answers| answers.tables.iter().map(|(origin, _)| *origin).collect())
            .unwrap_or_default();

        let tests = tests(legend, &answers, &criteria);
        let chosen = [View::Predictions, View::Labelled]
            .map(|view| about(view).and_then(|answers| choice(answers, &tests, settings)));
        // A proxy that follows from the features has no number to rely on, unless someone insists.
        let by_agreement =
            |c: &Choice| c.estimator == Estimator::Hoc || c.estimator == Estimator::LatentClass;
        let veto = (settings.estimator == EstimatorChoice::Auto && chosen.iter().flatten().any(by_agreement))
            .then(|| reads_features(&sorted, about(View::Predictions)))
            .flatten();
        let mut results = Vec::new();
        for criterion in &criteria {
            for aggregate in Aggregate::ALL {
                for origin in &origins {
                    let table = about(criterion.view()).and_then(|answers| answers.table(*origin));
                    let mut result = measurement(legend, *origin, table, *criterion, aggregate);
                    let chosen = &chosen[usize::from(criterion.needs_labels())];
                    let is_chosen = chosen.as_ref().is_some_and(|chosen| chosen.is(*origin));
                    result.recommended = is_chosen && can_be_true(&result) && veto.is_none();
                    results.push(result);
                }
            }
        }
        let rates = |origin: &Origin| {
            let table = |view| about(view).and_then(|answers| answers.table(*origin));
            rates_record(legend, *origin, table(View::Predictions), table(View::Labelled))
        };
        let mut rates: Vec<RatesRecord> = origins.iter().map(rates).collect();
        if settings.n_boot > 0 {
            attach_intervals(&mut results, &mut rates, &answers, &origins, settings, legend.positive);
        }
        let truth = truth.map(|truth| compare(&mut results, truth, legend, &criteria));
        let noise = noise_records(sorted.legend(), &answers);
        let chosen = chosen[usize::from(criteria.iter().all(|criterion| criterion.needs_labels()))].clone();
        let agreement = pairwise(&sorted, &places);
        let (answers_of, results_of) = (&answers, &results);
        let facts =
            Facts { legend, answers: answers_of, results: results_of, agreement: &agreement, settings, veto };
        let advice = advise(&facts, &noise, chosen.as_ref());
        if let (true, Some(chosen)) =
            (settings.estimator != EstimatorChoice::Auto && advice.scope.is_none(), chosen.as_ref())
        {
            let (estimator, scope) = (chosen.estimator, chosen.scope);
            return Err(AuditError::Estimator { estimator, scope, reason: advice.reason });
        }
        Ok(Audit {
            input: input(counts),
            bounds: bounds(legend, &answers, &criteria, settings),
            settings: settings.record(criteria),
            rates,
            noise,
            agreement,
            findings: examine(&Looked {
                counts: &sorted,
                answers: &answers,
                tests: &tests,
                results: &results,
                settings,
                estimator: advice.estimator,
            }),
            shared_error: what_if(legend, &answers, &results),
            results,
            tests,
            truth,
            advice,
        })
    }

    /// The number to report for a criterion, if there is one.
    pub fn recommended(&self, criterion: Criterion, aggregate: Aggregate) -> Option<&Measurement> {
        self.results.iter().find(|r| r.recommended && r.criterion == criterion && r.aggregate == aggregate)
    }
}

/// A proxy that tells no one apart, or proxies that are all one, are a mistake in the table and not a finding.
fn refuse_useless_proxies(counts: &Counts) -> Result<(), AuditError> {
    let legend = counts.legend();
    let cells = || counts.cells().filter(|(_, tally)| tally.weight > 0.0).map(|(cell, _)| cell);
    for id in legend.all_proxies() {
        let first = cells().next().and_then(|cell| cell.guesses[id.0]);
        if cells().all(|cell| cell.guesses[id.0] == first) {
            let value = first.map(|guess| legend.group(guess).to_owned());
            return Err(AuditError::ConstantProxy { proxy: legend.proxies[id.0].name.clone(), value });
        }
    }
    let identical = cells().all(|cell| cell.guesses.iter().all(|guess| *guess == cell.guesses[0]));
    if identical && legend.proxies.len() > 1 {
        let proxies = legend.proxies.iter().map(|proxy| proxy.name.clone()).collect();
        return Err(AuditError::IdenticalProxies { proxies });
    }
    Ok(())
}

/// What is said about shares and errors must be about this table.
fn check_bounds(counts: &Counts, settings: &Settings) -> Result<(), AuditError> {
    let (legend, groups) = (counts.legend(), counts.legend().groups.len());
    if let Some(shares) = &settings.known_shares {
        let sum: f64 = shares.iter().sum();
        if shares.len() != groups || (sum - 1.0).abs() > 1e-3 || shares.iter().any(|share| *share <= 0.0) {
            return Err(AuditError::KnownShares { found: shares.clone(), groups });
        }
    }
    let unknown = settings.max_proxy_error.iter().filter_map(|(proxy, _)| proxy.as_ref());
    let mut unknown = unknown.filter(|name| !legend.proxies.iter().any(|proxy| proxy.name == **name));
    if let Some(name) = unknown.next() {
        return Err(AuditError::MaxProxyError { problem: format!("there is no proxy {name}") });
    }
    let named: Vec<_> = settings.max_proxy_error.iter().map(|(proxy, _)| proxy).collect();
    if let Some((_, proxy)) = named.iter().enumerate().find(|(i, proxy)| named[..*i].contains(proxy)) {
        let problem = format!("{} is said twice", proxy.as_deref().unwrap_or("the error of all proxies"));
        return Err(AuditError::MaxProxyError { problem });
    }
    if !settings.max_proxy_error.is_empty() && settings.known_shares.is_none() {
        return Err(AuditError::MaxProxyError { problem: "the shares of the groups are not known".into() });
    }
    Ok(())
}

fn criteria(counts: &Counts, settings: &Settings) -> Result<Vec<Criterion>, AuditError> {
    let labelled = counts.cells().any(|(cell, tally)| cell.stratum.label.is_some() && tally.weight > 0.0);
    if settings.criteria.is_empty() {
        return Ok(Criterion::ALL.into_iter().filter(|c| labelled || !c.needs_labels()).collect());
    }
    match settings.criteria.iter().find(|criterion| criterion.needs_labels() && !labelled) {
        Some(criterion) => Err(AuditError::NoLabels { criterion: *criterion }),
        None => Ok(Criterion::ALL.into_iter().filter(|c| settings.criteria.contains(c)).collect()),
    }
}

fn input(counts: &Counts) -> Input {
    let (legend, intake) = (counts.legend(), counts.intake());
    let proxy = |id: ProxyId| {
        let Proxy { name, source, lent_by } = legend.proxies[id.0].clone();
        let mechanism = counts.mechanism(id).map(|told| MechanismRecord {
            matrix: told.rows().to_vec(),
            epsilon: Some(told.epsilon().value()).filter(|epsilon| epsilon.is_finite()),
        });
        ProxyRecord { name, source, abstained: counts.abstained(id), lent_by, mechanism }
    };
    Input {
        rows: intake.rows,
        weight: counts.weight(),
        rows_without_prediction: intake.without_prediction,
        rows_without_label: legend.label.is_some().then_some(intake.without_label),
        rows_with_known_group: counts.audit_labels().map(AuditLabels::rows),
        prediction: legend.prediction.clone(),
        label: legend.label.clone(),
        groups: legend.groups.clone(),
        classes: legend.classes.clone(),
        positive: legend.class(legend.positive).to_owned(),
        proxies: legend.all_proxies().map(proxy).collect(),
    }
}

fn measurement(
    legend: &Legend,
    origin: Origin,
    table: Option<&Result<Table, String>>,
    criterion: Criterion,
    aggregate: Aggregate,
) -> Measurement {
    let (value, groups, pairs) = match table {
        None => (Err(Unavailable::NoLabels.describe(legend)), Vec::new(), Vec::new()),
        Some(Err(reason)) => (Err(reason.clone()), Vec::new(), Vec::new()),
        Some(Ok(Table::Seen(joint))) => measured(legend, joint, criterion, aggregate),
        Some(Ok(Table::Inferred(joint))) => measured(legend, joint, criterion, aggregate),
    };
    Measurement {
        criterion,
        aggregate,
        basis: origin.basis,
        estimator: origin.estimator,
        scope: origin.scope,
        proxy: origin.proxy.map(|id| legend.proxies[id.0].name.clone()),
        recommended: false,
        unavailable: value.as_ref().err().cloned(),
        value: value.ok(),
        interval: None,
        honest_interval: None,
        groups,
        pairs,
        errors: None,
    }
}

fn measured<A: Axis>(
    legend: &Legend,
    joint: &Joint<A>,
    criterion: Criterion,
    aggregate: Aggregate,
) -> (Result<f64, String>, Vec<GroupRate>, Vec<PairGap>) {
    let positive = legend.positive;
    let value = measure(joint, criterion, aggregate, positive).map_err(|reason| reason.describe(legend));
    let class_name = |class: Class| legend.class(class).to_owned();
    let labels = criterion.labels(joint.classes(), positive);
    let rate = |a: A, label: Option<Class>| GroupRate {
        group: legend.group(a).to_owned(),
        label: label.map(class_name),
        share: joint.share(a).ok(),
        rate: joint.rate(a, label, positive).ok(),
        interval: None,
    };
    let groups: Vec<GroupRate> =
        labels.iter().flat_map(|label| joint.axis().map(|a| rate(a, *label))).collect();
    let count = joint.members() * (joint.members() - 1) / 2
        * groups.len().div_ceil(joint.members())
        * joint.classes();
    let gaps = match count <= MOST_PAIRS {
        true => pairs(joint, criterion, positive),
        false => Vec::new(),
    };
    let gap = |pair: crate::disparity::Pair<A>| PairGap {
        a: legend.group(pair.a).to_owned(),
        b: legend.group(pair.b).to_owned(),
        class: class_name(pair.class),
        label: pair.label.map(class_name),
        difference: pair.difference,
        interval: None,
    };
    (value, groups, gaps.into_iter().map(gap).collect())
}

/// The curve over shared error for every criterion that has a global number.
fn what_if(legend: &Legend, answers: &[Answers], results: &[Measurement]) -> Vec<SharedErrorRecord> {
    let known = |r: &&Measurement| {
        r.aggregate == Aggregate::MeanPairwise
            && (r.estimator, r.scope) == (Some(Estimator::Hoc), Some(Scope::Global))
            && r.value.is_some()
    };
    let about = |criterion: Criterion| answers.iter().find(|answers| answers.view == criterion.view());
    let curve = |r: &Measurement| shared_error(about(r.criterion)?, r.criterion, legend.positive);
    results.iter().filter(known).filter_map(curve).collect()
}

/// Tests that need no calibration.
fn tests(legend: &Legend, answers: &[Answers], criteria: &[Criterion]) -> Vec<TestRecord> {
    let mut tests = Vec::new();
    for criterion in criteria {
        let Some(answers) = answers.iter().find(|answers| answers.view == criterion.view()) else {
            continue;
        };
        let (own, rows) = answers.own();
        if let Some(test) = zero_test(own, rows, *criterion, legend.positive) {
            tests.push(TestRecord {
                test: Test::NoGap,
                criterion: Some(*criterion),
                statistic: test.statistic,
                degrees_of_freedom: test.freedom,
                p_value: test.p_value,
                favoured: test.favoured.map(|group| legend.group(group).to_owned()),
            });
        }
    }
    let record = |test, criterion, (statistic, degrees_of_freedom): (f64, usize)| TestRecord {
        test,
        criterion,
        statistic,
        degrees_of_freedom,
        p_value: chi_square_tail(statistic, degrees_of_freedom),
        favoured: None,
    };
    for answers in answers {
        if answers.view == View::Predictions
            && let Some((statistic, freedom, _)) = exchangeability(&answers.seen, answers.rows)
        {
            tests.push(record(Test::Exchangeable, None, (statistic, freedom)));
        }
        let model = Model::of(&answers.seen, answers.view, answers.rows);
        if let Some(own) = model.and_then(|model| model.own_noise(&answers.seen, answers.view, answers.rows))
        {
            tests.push(record(
                Test::SameNoise,
                Some(answers.view.every_stratum()),
                (own.statistic, own.freedom),
            ));
        }
    }
    tests
}

/// Whether a population can have these rates. One that cannot has a finding (N03), and is not to be reported.
fn can_be_true(result: &Measurement) -> bool {
    let rounding = 1e-9;
    let possible = |rate: Option<f64>| rate.is_some_and(|rate| (-rounding..=1.0 + rounding).contains(&rate));
    result.value.is_some() && result.groups.iter().all(|group| possible(group.rate))
}

/// Puts beside every number how far chance, and shared mistakes, could have moved it.
fn attach_intervals(
    results: &mut [Measurement],
    rates: &mut [RatesRecord],
    answers: &[Answers],
    origins: &[Origin],
    settings: &Settings,
    positive: Class,
) {
    let asked =
        Asked { confidence: settings.confidence, draws: settings.n_boot, seed: settings.seed, positive };
    let wanted = Wanted { asked, shared_error: settings.shared_error };
    for answers in answers {
        let uncertainty = Uncertainty::of(answers, wanted);
        let criteria: Vec<Criterion> =
            Criterion::ALL.into_iter().filter(|c| c.view() == answers.view).collect();
        for (place, origin) in origins.iter().enumerate() {
            let doubts = uncertainty.doubts(*origin, &criteria);
            for (group, ends) in rates[place].groups.iter_mut().zip(doubts.rates.iter().flatten()) {
                attach_rates(group, ends, answers.view);
            }
            for (criterion, doubt) in criteria.iter().zip(doubts.criteria) {
                let Some(doubt) = doubt else { continue };
                let same = results.iter_mut().filter(|r| r.criterion == *criterion);
                for (i, result) in same.enumerate().filter(|(i, _)| i % origins.len() == place) {
                    attach(result, &doubt, i / origins.len(), settings.shared_error);
                }
            }
        }
    }
}

/// Shares and selection rates are those of all rows; the others those of labelled ones.
fn attach_rates(group: &mut GroupRatesRecord, ends: &[Option<Interval>; 8], view: View) {
    let [share, selection_rate, rest @ ..] = *ends;
    let known = group.intervals.unwrap_or_default();
    group.intervals = Some(match view {
        View::Predictions => RateIntervals { share, selection_rate, ..known },
        View::Labelled => {
            let [
                true_positive_rate,
                false_positive_rate,
                false_negative_rate,
                precision,
                accuracy,
                base_rate,
            ] = rest;
            RateIntervals {
                true_positive_rate,
                false_positive_rate,
                false_negative_rate,
                precision,
                accuracy,
                base_rate,
                ..known
            }
        }
    });
}

fn attach(result: &mut Measurement, doubt: &Doubt, aggregate: usize, shared_error: f64) {
    if result.value.is_none() {
        return;
    }
    result.interval = doubt.spread.values[aggregate].map(|(ends, method)| IntervalRecord {
        ends,
        method,
        draws_without_estimate: doubt.spread.without_estimate,
    });
    let honest = doubt.honest.and_then(|honest| honest[aggregate]);
    let reached = doubt.reached;
    result.honest_interval = honest.map(|ends| HonestRecord { ends, shared_error, reached });
    for (rate, ends) in result.groups.iter_mut().zip(&doubt.spread.rates) {
        // A rate that no population can have has no interval either.
        if let Some(value) = rate.rate.filter(|value| (0.0..=1.0).contains(value)) {
            rate.interval = Some(ends.with(value));
        }
    }
    for (pair, ends) in result.pairs.iter_mut().zip(&doubt.spread.pairs) {
        pair.interval = Some(*ends);
    }
}

/// Selection rates come from all rows; the others from the labelled ones.
fn rates_record(
    legend: &Legend,
    origin: Origin,
    all: Option<&Result<Table, String>>,
    labelled: Option<&Result<Table, String>>,
) -> RatesRecord {
    let rates = |table: Option<&Result<Table, String>>, a: usize| match table {
        Some(Ok(Table::Seen(joint))) => joint.group_rates(Guess(a), legend.positive),
        Some(Ok(Table::Inferred(joint))) => joint.group_rates(Group(a), legend.positive),
        _ => GroupRates::unavailable(),
    };
    let of_group = |a: usize| {
        let (all, labelled) = (rates(all, a), rates(labelled, a));
        GroupRatesRecord {
            group: legend.groups[a].clone(),
            share: all.share.ok(),
            selection_rate: all.selection_rate.ok(),
            true_positive_rate: labelled.true_positive_rate.ok(),
            false_positive_rate: labelled.false_positive_rate.ok(),
            false_negative_rate: labelled.false_negative_rate.ok(),
            precision: labelled.precision.ok(),
            accuracy: labelled.accuracy.ok(),
            base_rate: labelled.base_rate.ok(),
            intervals: None,
        }
    };
    RatesRecord {
        basis: origin.basis,
        estimator: origin.estimator,
        scope: origin.scope,
        proxy: origin.proxy.map(|id| legend.proxies[id.0].name.clone()),
        groups: (0..legend.groups.len()).map(of_group).collect(),
    }
}

/// One record for the global matrix, one for each stratum's own.
fn noise_records(legend: &Legend, answers: &[Answers]) -> Vec<NoiseRecord> {
    let mut records: Vec<NoiseRecord> = Vec::new();
    for answers in answers {
        for (origin, noise) in &answers.noise {
            let found = match noise {
                Err(reason) => noise_record(legend, answers.view, *origin, None, Err(reason)),
                Ok(NoiseModel::Global(fit)) => noise_record(legend, answers.view, *origin, None, Ok(fit)),
                Ok(NoiseModel::Local(fits)) => {
                    let record = |(stratum, fit): (&Stratum, &Result<_, _>)| {
                        noise_record(legend, answers.view, *origin, Some(*stratum), fit.as_ref())
                    };
                    fits.iter().flat_map(record).collect()
                }
            };
            // The global matrix by moments is the same in both views.
            records.extend(found.into_iter().filter(|record| !records.contains(record)).collect::<Vec<_>>());
        }
    }
    records
}

/// One record; one for each proxy where they err in their own ways.
fn noise_record(
    legend: &Legend,
    view: View,
    origin: Origin,
    stratum: Option<Stratum>,
    fit: Result<&Fit<ProxyNoise>, &NoiseError>,
) -> Vec<NoiseRecord> {
    let name = |class: Class| legend.class(class).to_owned();
    let stratum = stratum.map(|s| StratumRecord { prediction: name(s.prediction), label: s.label.map(name) });
    let found = fit.ok();
    let value = found.map(|fit| &fit.value);
    let (stopped, iterations) = match found.map(|fit| fit.stopped) {
        None => (None, None),
        Some(Stopped::ClosedForm) => (Some(SolverEnd::ClosedForm), None),
        Some(Stopped::Converged { iterations }) => (Some(SolverEnd::Converged), Some(iterations)),
        Some(Stopped::IterationLimit { iterations }) => (Some(SolverEnd::IterationLimit), Some(iterations)),
    };
    // By moments, one global matrix is learned from all rows and used in both views.
    let all_rows = origin.estimator == Some(Estimator::Hoc) && origin.scope == Some(Scope::Global);
    let before =
        |place: usize| value.and_then(|v| v.unrandomized.get(place).or(v.unrandomized.first()).cloned());
    let record = |place: usize, proxy: Option<&str>, transition: Option<&TransitionMatrix>| NoiseRecord {
        estimator: origin.estimator.unwrap_or(Estimator::Hoc),
        scope: origin.scope.unwrap_or(Scope::Global),
        rows: if all_rows || view == View::Predictions { LearnedFrom::All } else { LearnedFrom::Labelled },
        stratum: stratum.clone(),
        proxy: proxy.map(str::to_owned),
        groups: legend.groups.clone(),
        transition: transition.map(|transition| transition.rows().to_vec()),
        before_mechanism: before(place),
        group_shares: value.map(|noise| noise.group_shares.as_slice().to_vec()),
        condition: transition.map(TransitionMatrix::condition),
        feasible: found.is_some(),
        reason: fit.err().map(|reason| reason.describe(legend)),
        misfit: found.map(|fit| fit.misfit),
        stopped,
        iterations,
    };
    match value {
        Some(noise) if !noise.by_proxy.is_empty() => {
            let proxies = legend.proxies.iter().zip(&noise.by_proxy).enumerate();
            let own = |(place, (proxy, transition)): (usize, (&Proxy, _))| {
                record(place, Some(&proxy.name), Some(transition))
            };
            proxies.map(own).collect()
        }
        _ => vec![record(0, None, value.map(|noise| &noise.transition))],
    }
}

/// True values, and beside every result how far off it is.
fn compare(
    results: &mut [Measurement],
    truth: &Truth,
    legend: &Legend,
    criteria: &[Criterion],
) -> Vec<TrueValue> {
    let mut values = Vec::new();
    for criterion in criteria {
        let joint = truth.joint(legend, criterion.view());
        for aggregate in Aggregate::ALL {
            let value = measure(&joint, *criterion, aggregate, legend.positive);
            let same = |r: &&mut Measurement| r.criterion == *criterion && r.aggregate == aggregate;
            let base = results.iter().find(|r| r.criterion == *criterion && r.aggregate == aggregate);
            let base = base.and_then(|first_proxy| first_proxy.value);
            for result in results.iter_mut().filter(same) {
                let errors =
                    result.value.zip(value.as_ref().ok()).map(|(v, t)| ErrorMeasures::of(v, *t, base));
                result.errors = Some(ErrorRecord {
                    raw_error: errors.map(|e| e.raw),
                    normalized_error: errors.and_then(|e| e.normalized),
                    improvement: errors.and_then(|e| e.improvement),
                });
            }
            let (value, unavailable) = match value {
                Ok(value) => (Some(value), None),
                Err(reason) => (None, Some(reason.describe(legend))),
            };
            values.push(TrueValue { criterion: *criterion, aggregate, value, unavailable });
        }
    }
    values
}
