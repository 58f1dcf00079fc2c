//! Mitigations of every shape that a page must carry, written by hand.

use crate::worlds::HOSTILE;
use fairveil_core::diagnose::Severity;
use fairveil_core::mitigate::{
    ConstantRecord, CriterionChange, CurvePoint, DriftBin, DriftRecord, MeasuredOn, Method, MethodRecord,
    MitigatedSide, MitigationInput, MitigationRecord, MitigationSettings, Multiplier, OperatingPoint,
    OperatingRecord, RateRecord, Target,
};
use fairveil_core::record::{
    ErrorRecord, GroupRate, GroupRatesRecord, HonestRecord, IntervalMethod, IntervalRecord, LearnedFrom,
    Measurement, NoiseRecord, Origin, PairGap, Premise, RateIntervals, RatesRecord, SolverEnd,
};
use fairveil_core::{Aggregate, Basis, Criterion, Estimator, Finding, Interval, Scope};
use std::collections::BTreeMap;

/// One page: what it is called and what it shows.
pub struct Case {
    pub name: &'static str,
    pub record: MitigationRecord,
}

fn interval(low: f64, high: f64) -> Option<IntervalRecord> {
    Some(IntervalRecord {
        ends: Interval { low, high },
        method: IntervalMethod::Bootstrap,
        draws_without_estimate: 0.0,
    })
}

/// One result with an interval of about ± `half`; no number, and why, where `value` is none.
fn result(criterion: Criterion, basis: Basis, value: Option<f64>, half: f64) -> Measurement {
    let calibrated = basis == Basis::Calibrated;
    Measurement {
        criterion,
        aggregate: Aggregate::Difference,
        origin: Origin {
            basis,
            estimator: calibrated.then_some(Estimator::LatentClass),
            scope: calibrated.then_some(Scope::Global),
            proxy: None,
            assumption: None,
        },
        recommended: calibrated && value.is_some(),
        value,
        interval: value.and_then(|v| interval((v - half).max(0.0), v + half)),
        honest_interval: value.filter(|_| calibrated).map(|v| HonestRecord {
            premise: Premise::SharedError,
            ends: Interval { low: (v - half).max(0.0), high: v + 2.4 * half },
            shared_error: 0.5,
            reached: 0.5,
            max_shift: 0.0,
            by_stratum: false,
        }),
        no_honest_interval: None,
        left_out: Vec::new(),
        groups: Vec::new(),
        pairs: Vec::new(),
        unavailable: value.is_none().then(|| "fewer than 3 proxies guess".into()),
        errors: None,
    }
}

/// Every basis: what each of the proxies shows is less than the calibrated gap.
fn results(criterion: Criterion, proxies: &[String], gap: Option<f64>, half: f64) -> Vec<Measurement> {
    let mut results = Vec::new();
    for (i, proxy) in proxies.iter().enumerate() {
        let shown = gap.map(|gap| gap * (0.35 + 0.07 * i as f64));
        let direct = result(criterion, Basis::Proxy, shown.or(Some(0.08)), 0.4 * half);
        let origin = Origin { proxy: Some(proxy.clone()), ..direct.origin.clone() };
        results.push(Measurement { origin, ..direct });
    }
    results.push(result(criterion, Basis::Soft, gap.map(|gap| 0.4 * gap).or(Some(0.09)), 0.4 * half));
    let mut calibrated = result(criterion, Basis::Calibrated, gap, half);
    if let Some(value) = gap {
        let rate = |group: &str, rate: f64| GroupRate {
            group: group.into(),
            label: None,
            share: Some(0.5),
            rate: Some(rate),
            interval: Some(Interval { low: rate - half, high: rate + half }),
        };
        calibrated.groups = vec![rate("blue", 0.4 + value), rate("green", 0.4)];
        calibrated.pairs = vec![PairGap {
            a: "blue".into(),
            b: "green".into(),
            class: "1".into(),
            label: None,
            difference: value,
            interval: Some(Interval { low: value - half, high: value + half }),
        }];
    }
    let mean = Measurement { aggregate: Aggregate::MeanPairwise, ..calibrated.clone() };
    let ratio = Measurement { aggregate: Aggregate::Ratio, honest_interval: None, ..calibrated.clone() };
    results.extend([calibrated, mean, ratio]);
    results
}

fn rate(value: f64, half: f64) -> RateRecord {
    RateRecord { value, interval: Interval { low: value - half, high: value + half } }
}

fn group_rates(group: &str, base: f64, labelled: bool) -> GroupRatesRecord {
    let around = |value: f64| Some(Interval { low: value - 0.021, high: value + 0.023 });
    let known = |value: f64| labelled.then_some(value);
    let (hit, alarm) = (0.55 + 0.4 * base, 0.1 + 0.3 * base);
    GroupRatesRecord {
        group: group.into(),
        share: Some(0.4),
        selection_rate: Some(base),
        true_positive_rate: known(hit),
        false_positive_rate: known(alarm),
        false_negative_rate: known(1.0 - hit),
        precision: known(0.7),
        accuracy: known(0.8),
        base_rate: known(0.45),
        intervals: Some(RateIntervals {
            share: around(0.4),
            selection_rate: around(base),
            true_positive_rate: around(hit).filter(|_| labelled),
            false_positive_rate: around(alarm).filter(|_| labelled),
            ..RateIntervals::default()
        }),
    }
}

fn rates(groups: &[String], bases: &[f64], labelled: bool) -> Option<RatesRecord> {
    let each = groups.iter().zip(bases.iter().cycle());
    Some(RatesRecord {
        origin: Origin {
            basis: Basis::Calibrated,
            estimator: Some(Estimator::LatentClass),
            scope: Some(Scope::Global),
            proxy: None,
            assumption: None,
        },
        groups: each.map(|(group, base)| group_rates(group, *base, labelled)).collect(),
    })
}

/// Right with one chance, and wrong in favour of every other group alike.
fn matrix(groups: usize, right: f64) -> Vec<Vec<f64>> {
    let wrong = (1.0 - right) / (groups - 1) as f64;
    (0..groups).map(|a| (0..groups).map(|g| if a == g { right } else { wrong }).collect()).collect()
}

fn noise(groups: &[String], right: Option<f64>) -> NoiseRecord {
    NoiseRecord {
        estimator: Estimator::LatentClass,
        scope: Scope::Global,
        rows: LearnedFrom::All,
        stratum: None,
        proxy: None,
        groups: groups.to_vec(),
        transition: right.map(|right| matrix(groups.len(), right)),
        before_mechanism: None,
        group_shares: right.map(|_| vec![1.0 / groups.len() as f64; groups.len()]),
        condition: right.map(|right| 1.0 / (2.0 * right - 1.0)),
        feasible: right.is_some(),
        reason: right.is_none().then(|| "the proxies hardly agree beyond chance".into()),
        misfit: right.map(|_| 0.001),
        stopped: right.map(|_| SolverEnd::Converged),
        iterations: right.map(|_| 41),
    }
}

fn drift(groups: &[String], rights: &[Option<f64>], p_value: f64) -> DriftRecord {
    let bin = |(i, right): (usize, &Option<f64>)| DriftBin {
        low: 0.25 * i as f64 + 0.0031,
        high: 0.25 * (i + 1) as f64 - 0.0012,
        rows: 4_000 + i as u64,
        transition: right.map(|right| matrix(groups.len(), right)),
        reason: right.is_none().then(|| "too few rows with three guesses".into()),
    };
    DriftRecord {
        statistic: if p_value < 0.01 { 148.3 } else { 4.71 },
        degrees_of_freedom: 6,
        p_value,
        bins: rights.iter().enumerate().map(bin).collect(),
        groups: groups.to_vec(),
    }
}

fn finding(code: &'static str, severity: Severity, text: &str) -> Finding {
    Finding {
        code: code.into(),
        severity,
        title: "something to know about a rule".into(),
        message: format!("{text} What was found stands here with its numbers, in a sentence or two.").into(),
        advice: format!("Look at {code} before the rule is used.").into(),
        evidence: BTreeMap::new(),
    }
}

/// What τ leaves of the gap and of the accuracy, on made-up rows.
fn curve(truth: bool) -> Vec<CurvePoint> {
    let points = [
        (0.0, 0.012, 0.8249),
        (0.02, 0.024, 0.8271),
        (0.05, 0.052, 0.8312),
        (0.1, 0.099, 0.8391),
        (0.15, 0.151, 0.8446),
        (0.2, 0.183, 0.8481),
    ];
    let point = |(tolerance, gap, accuracy): (f64, f64, f64)| CurvePoint {
        tolerance,
        gap: Some(gap),
        interval: interval((gap - 0.0192f64).max(0.0), gap + 0.0203),
        accuracy,
        positive_rate: 0.2 + 0.1 * gap,
        true_gap: truth.then_some(0.9 * gap + 0.01),
    };
    points.map(point).into()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| name.to_string()).collect()
}

/// Two groups, demographic parity, a rule for decisions that are in the table.
/// A criterion before and after.
fn change(criterion: Criterion, (before, after): (f64, f64), wider_by: RateRecord) -> CriterionChange {
    CriterionChange {
        criterion,
        before: Some(before),
        before_interval: interval(before - 0.021, before + 0.024),
        after: Some(after),
        after_interval: interval(after - 0.011, after + 0.026),
        true_before: None,
        true_after: None,
        wider_by: Some(wider_by),
    }
}

pub fn two_groups() -> MitigationRecord {
    let (groups, proxies) = (names(&["blue", "green"]), names(&["surname", "voice", "zip"]));
    let criterion = Criterion::DemographicParity;
    let side = |gap: f64, accuracy: f64, bases: [f64; 2]| MitigatedSide {
        accuracy: rate(accuracy, 0.0067),
        positive_rate: rate(0.21, 0.0083),
        results: results(criterion, &proxies, Some(gap), 0.0191),
        rates: rates(&groups, &bases, true),
        true_gap: None,
        binned_gap: None,
    };
    MitigationRecord {
        criterion,
        method: Method::PlugIn,
        before: side(0.1834, 0.8483, [0.301, 0.118]),
        after: side(0.0123, 0.8249, [0.217, 0.205]),
        constant: ConstantRecord { decision: "0".into(), accuracy: 0.7592 },
        operating_point: OperatingRecord {
            asked: OperatingPoint::Kept,
            wanted_rate: Some(0.2113),
            cut: 0.4817,
        },
        criteria: vec![
            change(criterion, (0.1834, 0.0123), rate(-0.1711, 0.021)),
            change(Criterion::EqualOpportunity, (0.1183, 0.2954), rate(0.1771, 0.031)),
            change(Criterion::EqualizedOdds, (0.1183, 0.2954), rate(0.1771, 0.033)),
        ],
        curve: curve(false),
        methods: Vec::new(),
        drift: Some(drift(&groups, &[Some(0.71), Some(0.70), Some(0.72), Some(0.69)], 0.5812)),
        drift_unavailable: None,
        noise: vec![noise(&groups, Some(0.704))],
        multipliers: vec![Multiplier {
            a: "green".into(),
            b: "blue".into(),
            label: None,
            value: -0.3417,
            gap: 0.0004,
        }],
        stopped: "the constraint holds on the fitted rows".into(),
        findings: vec![finding("U01", Severity::Info, "Intervals are of held-out rows.")],
        input: MitigationInput {
            rows_fitted: 36_631,
            rows_held_out: 12_211,
            rows_left_out: 17,
            prediction: Some("approved".into()),
            label: Some("repaid".into()),
            score: Some("score".into()),
            target: Target::Label,
            features: names(&["age", "income", "occupation"]),
            encoded_features: 17,
            groups,
            positive: "1".into(),
            proxies,
        },
        settings: MitigationSettings {
            tolerance: 0.0,
            held_out: 0.25,
            measured_on: MeasuredOn::HeldOut,
            folds: 5,
            noise_bins: 1,
            local: false,
            estimator: Estimator::LatentClass,
            confidence: 0.95,
            shared_error: 0.5,
            n_boot: 200,
            seed: 7,
        },
    }
}

/// The same where true groups were given to compare.
fn with_truth() -> MitigationRecord {
    let mut record = two_groups();
    for (side, truth) in [(&mut record.before, 0.1912), (&mut record.after, 0.0189)] {
        side.true_gap = Some(truth);
        for result in &mut side.results {
            let raw_error = result.value.map(|value| (value - truth).abs());
            let normalized_error = raw_error.map(|error| error / truth);
            result.errors = Some(ErrorRecord { raw_error, normalized_error, improvement: Some(0.5) });
        }
    }
    record.curve = curve(true);
    record.settings.measured_on = MeasuredOn::CrossFitted { folds: 5 };
    let refused = Err("the rule collapsed\n  needed: a rule that still decides".to_owned());
    let worse = curve(true).into_iter().map(|point| CurvePoint { accuracy: point.accuracy - 0.013, ..point });
    record.methods = vec![
        MethodRecord::new(Method::PlugIn, 0.0, Ok(curve(true))),
        MethodRecord::new(Method::Logistic, 0.0, Ok(worse.collect())),
        MethodRecord::new(Method::Mlp, 0.0, refused),
    ];
    for change in &mut record.criteria {
        (change.true_before, change.true_after) = (Some(0.1912), Some(0.2189));
    }
    record
}

/// Three groups, equalized odds, errors that drift, much to doubt, trained with a constraint.
fn three_groups() -> MitigationRecord {
    let groups = names(&["amber", "blue", "green"]);
    let mut record = two_groups();
    record.criterion = Criterion::EqualizedOdds;
    record.method = Method::Mlp;
    record.input.groups = groups.clone();
    record.input.prediction = None;
    record.settings.tolerance = 0.025;
    record.operating_point = OperatingRecord {
        asked: OperatingPoint::Costs { false_positive: 1.0, false_negative: 5.0 },
        wanted_rate: None,
        cut: 1.0 / 6.0,
    };
    record.settings.noise_bins = 2;
    for (side, gap, bases) in
        [(&mut record.before, 0.2614, [0.61, 0.33, 0.42]), (&mut record.after, 0.0743, [0.47, 0.44, 0.46])]
    {
        side.results = results(Criterion::EqualizedOdds, &record.input.proxies, Some(gap), 0.0461);
        side.rates = rates(&groups, &bases, true);
        side.binned_gap = Some(rate(1.2 * gap, 0.0312));
    }
    let rights = [Some(0.62), Some(0.68), None, Some(0.81)];
    record.drift = Some(drift(&groups, &rights, 3e-28));
    record.noise = vec![noise(&groups, Some(0.64)), noise(&groups, Some(0.79))];
    let price = |(a, label, value): (&str, &str, f64)| Multiplier {
        a: a.into(),
        b: "amber".into(),
        label: Some(label.into()),
        value,
        gap: 0.02 * value,
    };
    let prices = [("blue", "0", 0.61), ("blue", "1", -0.42), ("green", "0", 0.18), ("green", "1", 1.27)];
    record.multipliers = prices.map(price).into();
    record.stopped = "after 20 rounds the constraint was left by 0.0031".into();
    record.findings = [
        ("P02", Severity::Serious),
        ("N03", Severity::Serious),
        ("P01", Severity::Warning),
        ("U01", Severity::Warning),
        ("D01", Severity::Warning),
        ("D02", Severity::Info),
        ("U02", Severity::Info),
    ]
    .map(|(code, severity)| finding(code, severity, "Error rates differ along the score."))
    .into();
    record
}

/// No labels, no score: decisions before are imitated; other tolerances were not tried.
fn without_labels() -> MitigationRecord {
    let mut record = two_groups();
    (record.input.label, record.input.score, record.input.target) = (None, None, Target::Decision);
    (record.drift, record.drift_unavailable) = (None, Some("no column holds a score".into()));
    record.curve = Vec::new();
    record.criteria.truncate(1);
    record.operating_point.asked = OperatingPoint::Rate { share: 0.25 };
    record.before.accuracy = RateRecord { value: 1.0, interval: Interval { low: 1.0, high: 1.0 } };
    record.after.accuracy = rate(0.9312, 0.0041);
    record.before.rates = rates(&record.input.groups, &[0.301, 0.118], false);
    record.after.rates = rates(&record.input.groups, &[0.217, 0.205], false);
    record.findings = Vec::new();
    record
}

/// Nothing can be calibrated afterwards, nothing is known about chance, and the rule is no better than deciding alike.
fn missing() -> MitigationRecord {
    let mut record = two_groups();
    let proxies = record.input.proxies.clone();
    record.criterion = Criterion::EqualOpportunity;
    record.before.results = results(record.criterion, &proxies, Some(0.1834), 0.0191);
    record.after.results = results(record.criterion, &proxies, None, 0.0191);
    for result in record.before.results.iter_mut().chain(&mut record.after.results) {
        (result.interval, result.honest_interval) = (None, None);
    }
    record.after.rates = None;
    for group in record.before.rates.iter_mut().flat_map(|rates| &mut rates.groups) {
        group.intervals = None;
    }
    record.after.accuracy = rate(0.7594, 0.0071);
    for point in &mut record.curve[1..4] {
        (point.gap, point.interval) = (None, None);
    }
    record.noise = vec![noise(&record.input.groups, None)];
    record.settings.noise_bins = 2;
    record.drift = Some(drift(&record.input.groups, &[None, None], 0.04));
    record.multipliers = Vec::new();
    record.settings.n_boot = 0;
    record
}

/// Names that would run, break out, turn the text around or burst the layout, and many proxies.
pub fn hostile() -> MitigationRecord {
    let mut record = three_groups();
    let long = "w".repeat(200);
    let groups: Vec<String> =
        HOSTILE[..4].iter().map(|name| name.to_string()).chain([long.clone()]).collect();
    let mut proxies: Vec<String> = (0..16).map(|i| format!("{} {i}", HOSTILE[i % 8])).collect();
    proxies.push(long.clone());
    for (side, gap) in [(&mut record.before, 0.31), (&mut record.after, 0.08)] {
        side.results = results(record.criterion, &proxies, Some(gap), 0.0461);
        side.rates = rates(&groups, &[0.5, 0.41, 0.6, 0.33, 0.2], true);
    }
    record.noise = vec![noise(&groups, Some(0.64)), noise(&groups, None)];
    record.drift = Some(drift(&groups, &[Some(0.6), Some(0.7), Some(0.5), Some(0.66), Some(0.9)], 1e-9));
    record.multipliers[0].a = HOSTILE[1].into();
    record.multipliers[0].label = Some(HOSTILE[6].into());
    record.constant.decision = format!("{} {long}", HOSTILE[4]);
    record.stopped = HOSTILE[5].into();
    record.findings[0].message = HOSTILE.join(" ").into();
    record.input.prediction = Some(HOSTILE[7].into());
    record.input.label = Some(format!("{long} with spaces {long}"));
    record.input.score = Some(HOSTILE[0].into());
    record.input.features = HOSTILE.iter().map(|name| name.to_string()).chain([long]).collect();
    record.input.positive = HOSTILE[4].into();
    (record.input.groups, record.input.proxies) = (groups, proxies);
    record
}

/// Every shape of page that shows a mitigation.
pub fn cases() -> Vec<Case> {
    let case = |name, record| Case { name, record };
    vec![
        case("mitigation-two-groups", two_groups()),
        case("mitigation-three-groups", three_groups()),
        case("mitigation-truth", with_truth()),
        case("mitigation-without-labels", without_labels()),
        case("mitigation-missing", missing()),
        case("mitigation-hostile", hostile()),
    ]
}
