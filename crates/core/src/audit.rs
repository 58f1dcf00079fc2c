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

use crate::calibrate::calibrate;
use crate::counts::{Counts, Frequencies, View};
use crate::diagnose::{Explanation, examine};
use crate::disparity::{ErrorMeasures, measure, pairs};
use crate::estimate::{Hoc, NoiseEstimator};
use crate::noise::{Fit, NoiseError, NoiseModel, ProxyNoise, Stopped};
use crate::rates::{GroupRates, Joint, Unavailable, base, soft_scores, soft_votes};
use crate::record::{
    Advice, Audit, ErrorRecord, GroupRate, GroupRatesRecord, Input, Measurement, NoiseRecord, PairGap,
    ProxyRecord, RatesRecord, SettingsRecord, StratumRecord, TrueValue,
};
use crate::vocabulary::{
    Aggregate, Axis, Basis, Class, Criterion, Group, Guess, Legend, ProxyId, Scope, Stratum,
};
use crate::world::Truth;

/// Which noise estimator to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EstimatorChoice {
    /// The best that the table allows; where none works, the audit says why and reports the rest.
    #[default]
    Auto,
    /// HOC or nothing: that it can not be had is an error.
    Hoc,
}

/// Which scope to recommend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScopeChoice {
    /// Global, the safer of the two where nothing is known about the strata.
    #[default]
    Auto,
    /// This one.
    Fixed(Scope),
}

/// What is asked of an audit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    /// Criteria to measure; empty means all that the table allows.
    pub criteria: Vec<Criterion>,
    /// Which noise estimator to use.
    pub estimator: EstimatorChoice,
    /// Which scope to recommend. Both are always computed.
    pub scope: ScopeChoice,
}

impl Settings {
    fn record(&self, criteria: Vec<Criterion>) -> SettingsRecord {
        let estimator = match self.estimator {
            EstimatorChoice::Auto => "auto",
            EstimatorChoice::Hoc => "hoc",
        };
        let scope = match self.scope {
            ScopeChoice::Auto => "auto",
            ScopeChoice::Fixed(scope) => scope.name(),
        };
        SettingsRecord { criteria, estimator, scope }
    }
}

/// Why a table can not be audited at all: what was found, what was needed, what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AuditError {
    /// A proxy says the same of everyone.
    #[error(
        "proxy {proxy} never varies: {}\n  needed: a proxy that tells people apart\n  to do:  leave it out, or check \
         that it is the right column",
        .value.as_ref().map_or("it never gives a guess".to_string(), |value| format!("it guesses {value} on every row"))
    )]
    ConstantProxy {
        /// Its name.
        proxy: String,
        /// What it says; nothing if it always abstains.
        value: Option<String>,
    },
    /// All proxies are one.
    #[error(
        "proxies {} give the same guess on every row: they are one proxy under several names\n  needed: proxies that \
         guess for themselves\n  to do:  keep one of them and add proxies built from other sources",
        .proxies.join(", ")
    )]
    IdenticalProxies {
        /// Their names.
        proxies: Vec<String>,
    },
    /// A criterion was asked for that needs labels.
    #[error(
        "no row has a label\n  needed: labels, because {} compares people with the same label\n  to do:  name the label \
         column, or ask for demographic_parity",
        .criterion.name()
    )]
    NoLabels {
        /// The criterion.
        criterion: Criterion,
    },
    /// The estimator that was asked for gives nothing.
    #[error(
        "estimator {estimator}, {} scope, gives no number: {reason}\n  to do:  leave out --estimator to see what the \
         proxies say directly",
        .scope.name()
    )]
    Estimator {
        /// Its name.
        estimator: &'static str,
        /// The scope asked for.
        scope: Scope,
        /// Why.
        reason: String,
    },
}

/// Past this many groups the list of pairs is longer than anyone reads, and grows with the square.
const MOST_GROUPS_WITH_PAIRS: usize = 50;

/// What a number is computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Origin {
    basis: Basis,
    scope: Option<Scope>,
    /// Position among the proxies as the user gave them.
    proxy: Option<ProxyId>,
}

/// A joint table, split by what was guessed or by what is inferred.
enum Table {
    Seen(Joint<Guess>),
    Inferred(Joint<Group>),
}

/// All that is known about the rows of one view: a table, or why there is none, for every origin.
struct Answers {
    view: View,
    seen: Frequencies,
    noise: [(Scope, Result<NoiseModel, NoiseError>); 2],
    tables: Vec<(Origin, Result<Table, String>)>,
}

impl Answers {
    /// `None` where the table has no rows of this view. `places` says where each of the user's proxies stands.
    fn of(
        view: View,
        counts: &Counts,
        places: &[ProxyId],
        global: &Result<NoiseModel, NoiseError>,
    ) -> Option<Self> {
        let seen = counts.frequencies().view(view)?;
        let mut tables = Vec::new();
        for (id, place) in places.iter().enumerate() {
            let origin = Origin { basis: Basis::Proxy, scope: None, proxy: Some(ProxyId(id)) };
            tables.push((origin, Ok(Table::Seen(base(&seen, *place)))));
        }
        let soft = soft_scores(counts, view).unwrap_or_else(|| soft_votes(&seen));
        tables.push((Origin { basis: Basis::Soft, scope: None, proxy: None }, Ok(Table::Seen(soft))));

        let local = Hoc { scope: Scope::Local }.fit(&seen);
        let noise = [(Scope::Global, global.clone()), (Scope::Local, local)];
        for (scope, noise) in &noise {
            let origin = Origin { basis: Basis::Calibrated, scope: Some(*scope), proxy: None };
            let table = match noise {
                Ok(noise) => Ok(Table::Inferred(calibrate(&seen, view, noise))),
                Err(reason) => Err(reason.describe(counts.legend())),
            };
            tables.push((origin, table));
        }
        Some(Answers { view, seen, noise, tables })
    }

    fn table(&self, origin: Origin) -> Option<&Result<Table, String>> {
        self.tables.iter().find(|(known, _)| *known == origin).map(|(_, table)| table)
    }

    fn explanations(&self) -> impl Iterator<Item = Explanation<'_>> {
        self.noise.iter().map(|(scope, noise)| {
            let origin = Origin { basis: Basis::Calibrated, scope: Some(*scope), proxy: None };
            let joint = match self.table(origin) {
                Some(Ok(Table::Inferred(joint))) => Some(joint),
                _ => None,
            };
            Explanation { scope: *scope, view: self.view, seen: &self.seen, noise, joint }
        })
    }
}

fn view_of(criterion: Criterion) -> View {
    if criterion.needs_labels() { View::Labelled } else { View::Predictions }
}

impl Audit {
    /// The whole flow. The truth, where given, is only compared against.
    ///
    /// ```
    /// # use fairveil_core::*;
    /// let (counts, truth) = World::lending().sample(20_000, 0)?;
    /// let audit = Audit::run(&counts, Some(&truth), &Settings::default())?;
    /// let parity = audit.recommended(Criterion::DemographicParity, Aggregate::Difference).unwrap();
    /// // The proxies read directly show about 0.16 of a true gap of 0.28.
    /// assert!((parity.value.unwrap() - 0.28).abs() < 0.05);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run(counts: &Counts, truth: Option<&Truth>, settings: &Settings) -> Result<Audit, AuditError> {
        refuse_useless_proxies(counts)?;
        let criteria = criteria(counts, settings)?;
        let legend = counts.legend();
        let (sorted, places) = counts.in_name_order();

        // One global matrix from all rows; local ones from the strata of each view.
        let global = Hoc { scope: Scope::Global }.fit(&sorted.frequencies());
        let of_view = |view| Answers::of(view, &sorted, &places, &global);
        let answers: Vec<Answers> =
            [View::Predictions, View::Labelled].into_iter().filter_map(of_view).collect();
        let about = |view: View| answers.iter().find(|answers| answers.view == view);
        let origins: Vec<Origin> = about(View::Predictions)
            .map(|answers| answers.tables.iter().map(|(origin, _)| *origin).collect())
            .unwrap_or_default();

        let scope = match settings.scope {
            ScopeChoice::Auto => Scope::Global,
            ScopeChoice::Fixed(scope) => scope,
        };
        let mut results = Vec::new();
        for criterion in &criteria {
            for aggregate in Aggregate::ALL {
                for origin in &origins {
                    let table = about(view_of(*criterion)).and_then(|answers| answers.table(*origin));
                    let mut result = measurement(legend, *origin, table, *criterion, aggregate);
                    result.recommended = result.value.is_some() && origin.scope == Some(scope);
                    results.push(result);
                }
            }
        }
        let truth = truth.map(|truth| compare(&mut results, truth, legend, &criteria));
        let noise = noise_records(legend, &answers);
        let advice = advise(&results, &noise, scope, settings);
        if settings.estimator == EstimatorChoice::Hoc && advice.scope.is_none() {
            return Err(AuditError::Estimator { estimator: "hoc", scope, reason: advice.reason });
        }
        let explanations: Vec<Explanation> = answers.iter().flat_map(Answers::explanations).collect();
        let rates = |origin: &Origin| {
            let table = |view| about(view).and_then(|answers| answers.table(*origin));
            rates_record(legend, *origin, table(View::Predictions), table(View::Labelled))
        };
        Ok(Audit {
            input: input(counts),
            settings: settings.record(criteria),
            rates: origins.iter().map(rates).collect(),
            results,
            noise,
            truth,
            findings: examine(&sorted, &explanations),
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
        let proxy = legend.proxies[id.0].clone();
        ProxyRecord { name: proxy.name, source: proxy.source, abstained: counts.abstained(id) }
    };
    Input {
        rows: intake.rows,
        weight: counts.weight(),
        rows_without_prediction: intake.without_prediction,
        rows_without_label: legend.label.is_some().then_some(intake.without_label),
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
        estimator: (origin.basis == Basis::Calibrated).then_some("hoc"),
        scope: origin.scope,
        proxy: origin.proxy.map(|id| legend.proxies[id.0].name.clone()),
        recommended: false,
        unavailable: value.as_ref().err().cloned(),
        value: value.ok(),
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
    let labels: Vec<Option<Class>> = match criterion {
        Criterion::DemographicParity => vec![None],
        Criterion::EqualOpportunity => vec![Some(positive)],
        Criterion::EqualizedOdds => (0..joint.classes()).map(|y| Some(Class(y))).collect(),
    };
    let rate = |a: A, label: Option<Class>| GroupRate {
        group: legend.group(a).to_owned(),
        label: label.map(class_name),
        share: joint.share(a).ok(),
        rate: joint.rate(a, label, positive).ok(),
    };
    let groups = labels.iter().flat_map(|label| joint.axis().map(|a| rate(a, *label))).collect();
    let gaps = match joint.members() <= MOST_GROUPS_WITH_PAIRS {
        true => pairs(joint, criterion, positive),
        false => Vec::new(),
    };
    let gap = |pair: crate::disparity::Pair<A>| PairGap {
        a: legend.group(pair.a).to_owned(),
        b: legend.group(pair.b).to_owned(),
        class: class_name(pair.class),
        label: pair.label.map(class_name),
        difference: pair.difference,
    };
    (value, groups, gaps.into_iter().map(gap).collect())
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
        }
    };
    RatesRecord {
        basis: origin.basis,
        estimator: (origin.basis == Basis::Calibrated).then_some("hoc"),
        scope: origin.scope,
        proxy: origin.proxy.map(|id| legend.proxies[id.0].name.clone()),
        groups: (0..legend.groups.len()).map(of_group).collect(),
    }
}

/// One record for the global matrix, one for each stratum's own.
fn noise_records(legend: &Legend, answers: &[Answers]) -> Vec<NoiseRecord> {
    let mut records: Vec<NoiseRecord> = Vec::new();
    for (scope, noise) in answers.iter().flat_map(|answers| &answers.noise) {
        let found = match noise {
            Err(reason) => vec![noise_record(legend, *scope, None, Err(reason))],
            Ok(NoiseModel::Global(fit)) => vec![noise_record(legend, *scope, None, Ok(fit))],
            Ok(NoiseModel::Local(fits)) => {
                let record = |(stratum, fit): (&Stratum, &Result<_, _>)| {
                    noise_record(legend, *scope, Some(*stratum), fit.as_ref())
                };
                fits.iter().map(record).collect()
            }
        };
        // The global matrix is the same in both views.
        records.extend(found.into_iter().filter(|record| !records.contains(record)).collect::<Vec<_>>());
    }
    records
}

fn noise_record(
    legend: &Legend,
    scope: Scope,
    stratum: Option<Stratum>,
    fit: Result<&Fit<ProxyNoise>, &NoiseError>,
) -> NoiseRecord {
    let name = |class: Class| legend.class(class).to_owned();
    let stratum = stratum.map(|s| StratumRecord { prediction: name(s.prediction), label: s.label.map(name) });
    let found = fit.ok();
    let value = found.map(|fit| &fit.value);
    let (stopped, iterations) = match found.map(|fit| fit.stopped) {
        None => (None, None),
        Some(Stopped::ClosedForm) => (Some("closed_form"), None),
        Some(Stopped::Converged { iterations }) => (Some("converged"), Some(iterations)),
        Some(Stopped::IterationLimit { iterations }) => (Some("iteration_limit"), Some(iterations)),
    };
    NoiseRecord {
        estimator: "hoc",
        scope,
        stratum,
        proxy: None,
        transition: value.map(|noise| noise.transition.rows().to_vec()),
        group_shares: value.map(|noise| noise.group_shares.as_slice().to_vec()),
        condition: value.map(|noise| noise.transition.condition()),
        feasible: found.is_some(),
        reason: fit.err().map(|reason| reason.describe(legend)),
        misfit: found.map(|fit| fit.misfit),
        stopped,
        iterations,
    }
}

fn advise(results: &[Measurement], noise: &[NoiseRecord], scope: Scope, settings: &Settings) -> Advice {
    let calibrated = results.iter().any(|result| result.recommended);
    let reason = match (calibrated, settings.scope) {
        (true, ScopeChoice::Auto) => {
            "one transition matrix for all rows: it uses every row, and the strata of a table \
                                      are often too small for matrices of their own"
                .to_string()
        }
        (true, ScopeChoice::Fixed(_)) => "as asked for".to_string(),
        (false, _) => {
            let of_scope = noise.iter().filter(|record| record.scope == scope);
            let reason = of_scope.filter_map(|record| record.reason.clone()).next();
            reason.unwrap_or_else(|| "no criterion has a calibrated number".to_string())
        }
    };
    Advice { estimator: calibrated.then_some("hoc"), scope: calibrated.then_some(scope), reason }
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
        let joint = truth.joint(legend, view_of(*criterion));
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
