//! Calibrated weights, the theorem of `docs/methods/mitigation.md`, and the drift of errors along a score.

use fairveil_core::counts::{Cell, Intake, Tally, View};
use fairveil_core::diagnose::Severity;
use fairveil_core::estimate::{Hoc, NoiseEstimator};
use fairveil_core::mitigate::{
    Approvals, CalibratedWeights, ConstantRecord, DriftRecord, GroupPair, OperatingPoint, ScoreBin, Trial,
    WeightsError, drift,
};
use fairveil_core::noise::{NoiseModel, TransitionMatrix};
use fairveil_core::rates::base;
use fairveil_core::record::{Measurement, PairGap};
use fairveil_core::vocabulary::{Class, Guess, Legend, ProxyId, Stratum};
use fairveil_core::world::WorldStratum;
use fairveil_core::{Audit, Counts, Criterion, Estimator, EstimatorChoice, Interval, Scope, Settings, World};
use proptest::prelude::*;

fn gap(weights: &CalibratedWeights, pair: GroupPair, counts: &Counts) -> f64 {
    let positive = counts.legend().positive;
    let granted = |cell: &Cell| f64::from(u8::from(cell.stratum.prediction == positive));
    let part = |(cell, tally): (&Cell, &Tally)| tally.weight * weights.of(pair, cell, 0) * granted(cell);
    counts.cells().map(part).sum::<f64>() / counts.weight()
}

fn hoc(counts: &Counts) -> Option<TransitionMatrix> {
    match (Hoc { scope: Scope::Global }).fit(&counts.frequencies()) {
        Ok(NoiseModel::Global(fit)) => Some(fit.value.transition),
        _ => None,
    }
}

#[test]
fn weighted_decisions_add_up_to_the_gaps_of_an_audit_for_every_criterion() {
    let plain = World::symmetric(2, 2, &[0.75; 3], 0.3);
    let three = World::symmetric(3, 2, &[0.8; 4], 0.3);
    let silent = World::symmetric(2, 2, &[0.75; 3], 0.3).with_abstention(vec![vec![0.1, 0.3]; 3]).unwrap();
    for world in [plain, three, silent] {
        let (counts, _) = world.sample(30_000, 5).unwrap();
        let transition = hoc(&counts).unwrap();
        let settings =
            Settings { n_boot: 0, estimator: EstimatorChoice::Fixed(Estimator::Hoc), ..Settings::default() };
        let audit = Audit::run(&counts, None, &settings).unwrap();
        for criterion in Criterion::USUAL {
            let weights =
                CalibratedWeights::new(&counts, criterion, std::slice::from_ref(&transition)).unwrap();
            let of_audit = |r: &&Measurement| {
                (r.criterion, r.origin.estimator, r.origin.scope)
                    == (criterion, Some(Estimator::Hoc), Some(Scope::Global))
            };
            let audited = &audit.results.iter().find(of_audit).unwrap().pairs;
            let legend = counts.legend();
            for pair in weights.all_pairs() {
                let (a, b) = (legend.group(pair.a), legend.group(pair.b));
                let label = pair.label.map(|label| legend.class(label).to_owned());
                let same = |p: &&PairGap| {
                    p.label == label && p.class == "1" && (p.a == a && p.b == b || p.a == b && p.b == a)
                };
                let found = audited.iter().find(same).unwrap();
                let signed = if found.a == a { found.difference } else { -found.difference };
                // The same sums in another order.
                assert!((gap(&weights, pair, &counts) - signed).abs() < 1e-10, "{criterion:?} {pair:?}");
            }
        }
    }
}

#[test]
fn weights_average_to_nothing_so_that_deciding_alike_has_no_gap() {
    let (counts, _) = World::symmetric(3, 2, &[0.8; 3], 0.2).sample(20_000, 1).unwrap();
    let transition = hoc(&counts).unwrap();
    let weights = CalibratedWeights::new(&counts, Criterion::EqualizedOdds, &[transition]).unwrap();
    for pair in weights.all_pairs() {
        let mean: f64 =
            counts.cells().map(|(cell, tally)| tally.weight * weights.of(pair, cell, 0)).sum::<f64>();
        assert!((mean / counts.weight()).abs() < 1e-12);
    }
}

proptest! {
    /// Zero proxy disparity ⇔ zero calibrated disparity, with one matrix for all strata; exact populations.
    #[test]
    fn rates_by_guess_are_equal_exactly_where_rates_by_group_are(
        groups in 2usize..5,
        seed in 0u64..1_000,
        alike in any::<bool>(),
    ) {
        let world = World::random(groups, 2, 3, false, seed);
        let legend = world.legend().clone();
        let own = world.strata().to_vec();
        // Everyone is decided by one rate, or each group by its own.
        let rate = |a: usize| if alike { 0.37 } else { 0.1 + 0.8 * a as f64 / groups as f64 };
        let share = |a: usize| own.iter().map(|stratum| stratum.joint[a]).sum::<f64>();
        let stratum = |k: usize| {
            let decided = |a: usize| if k == 1 { rate(a) } else { 1.0 - rate(a) };
            WorldStratum {
                stratum: Stratum { label: None, prediction: Class(k) },
                joint: (0..groups).map(|a| share(a) * decided(a)).collect(),
                noise: own[0].noise.clone(),
            }
        };
        let world = World::new(legend, vec![stratum(0), stratum(1)]).unwrap();
        let seen = world.frequencies();
        let spread = |rates: Vec<f64>| {
            rates.iter().copied().fold(f64::MIN, f64::max) - rates.iter().copied().fold(f64::MAX, f64::min)
        };
        let view = seen.view(View::Predictions).unwrap();
        let joint = base(&view, ProxyId(0));
        let by_guess = spread((0..groups).map(|g| joint.rate(Guess(g), None, Class(1)).unwrap()).collect());
        let by_group = spread((0..groups).map(rate).collect());
        prop_assert_eq!(by_group == 0.0, alike);
        // Rounding only, where there is none; where there is one, mixing cannot hide all of it.
        prop_assert_eq!(by_guess < 1e-12, alike, "by guess {}", by_guess);
    }
}

/// A tally whose predictions are bins of a score, with a share of right guesses in each.
fn bins(accuracy: [f64; 3], rows: u64, seed: u64) -> Counts {
    bins_of(accuracy.map(|right| [right; 3]), [0.5; 3], rows, seed)
}

/// The same with accuracies of each proxy, and shares of the second group, by bin.
fn bins_of(accuracy: [[f64; 3]; 3], shares: [f64; 3], rows: u64, seed: u64) -> Counts {
    let mut cells = Vec::new();
    for (bin, accuracy) in accuracy.into_iter().enumerate() {
        let one = World::symmetric(2, 2, &accuracy, 0.0);
        let mut strata = one.strata().to_vec();
        for stratum in &mut strata {
            stratum.joint[0] *= 2.0 * (1.0 - shares[bin]);
            stratum.joint[1] *= 2.0 * shares[bin];
        }
        let world = World::new(one.legend().clone(), strata).unwrap();
        let (counts, _) = world.sample(rows / 3, seed + bin as u64).unwrap();
        cells.extend(counts.cells().map(|(cell, tally)| {
            let stratum = Stratum { label: cell.stratum.label, prediction: Class(bin) };
            (Cell { stratum, guesses: cell.guesses.clone() }, tally.clone())
        }));
    }
    let legend = Legend::plain(2, 3, 3, true);
    Counts::new(legend, Intake { rows, ..Intake::default() }, cells).unwrap()
}

fn thirds(rows: u64) -> [ScoreBin; 3] {
    [(0.0, 0.3), (0.3, 0.6), (0.6, 1.0)].map(|(low, high)| ScoreBin { scores: Interval { low, high }, rows })
}

#[test]
fn errors_that_change_along_the_score_are_seen_and_steady_ones_are_not() {
    let bounds = thirds(10_000);
    // Two parameters more in each of two bins: 4 degrees of freedom. Over 40 tables 1 in 100 is below .01.
    let steady = |seed: u64| drift(&bins([0.7; 3], 30_000, 10 * seed), &bounds).unwrap();
    let raised = (0..40).filter(|seed| steady(*seed).p_value < 0.01).count();
    assert!(raised <= 3, "{raised} of 40");
    let changing = drift(&bins([0.85, 0.7, 0.6], 30_000, 3), &bounds).unwrap();
    assert_eq!(changing.degrees_of_freedom, 4);
    assert!(changing.statistic > 100.0, "{}", changing.statistic);
    let first = changing.bins[0].transition.as_ref().unwrap()[0][0];
    assert!((first - 0.85).abs() < 0.03, "{first}");
    let found = Trial { drift: Some(&changing), ..Trial::default() }.findings();
    assert!(matches!(&found[..], [finding] if finding.code == "M01"), "{found:?}");
}

#[test]
fn a_doubt_that_chance_raises_in_one_good_rule_of_a_hundred_is_no_serious_one() {
    let changing = drift(&bins([0.85, 0.7, 0.6], 30_000, 3), &thirds(10_000)).unwrap();
    for (p_value, severity) in [(0.008, Severity::Warning), (0.0009, Severity::Serious)] {
        let drift = DriftRecord { p_value, ..changing.clone() };
        let found = Trial { drift: Some(&drift), ..Trial::default() }.findings();
        assert!(matches!(&found[..], [finding] if finding.severity == severity), "{found:?}");
    }
}

#[test]
fn a_rule_is_of_no_use_where_lots_do_as_well_or_at_one_half_a_constant() {
    let constant = ConstantRecord { decision: "0".into(), accuracy: 0.54 };
    let told = |accuracy: f64, free: f64, asked: OperatingPoint| {
        let approvals = Approvals { before: 0.75, after: 0.75, reach: 0.01, asked };
        let trial = Trial {
            accuracy,
            accuracy_free: Some(free),
            constant: Some(&constant),
            lottery: Some(0.48),
            approvals: Some(approvals),
            ..Trial::default()
        };
        let found = trial.findings();
        found.iter().find(|finding| finding.code == "M02").map(|finding| finding.message.to_string())
    };
    let half = OperatingPoint::Threshold { chance: 0.5 };
    // Three in four are to be approved where fewer than half repay: nothing could be right as often as a constant.
    assert_eq!(told(0.52, 0.56, OperatingPoint::Kept), None);
    assert_eq!(told(0.52, 0.56, OperatingPoint::Costs { false_positive: 1.0, false_negative: 5.0 }), None);
    assert!(told(0.47, 0.56, OperatingPoint::Kept).is_some_and(|told| told.contains("lottery")));
    assert!(told(0.52, 0.56, half).is_some_and(|told| told.contains("giving everyone 0")));
    // It is not the constraint.
    assert_eq!(told(0.52, 0.53, half), None);
    assert_eq!(told(0.55, 0.56, half), None);
}

#[test]
fn proxies_that_err_unequally_but_steadily_raise_no_alarm_however_many_rows() {
    let bounds = thirds(1);
    let steady = |seed: u64| {
        let counts = bins_of([[0.6, 0.75, 0.9]; 3], [0.2, 0.5, 0.8], 90_000, 10 * seed);
        drift(&counts, &bounds).unwrap()
    };
    assert_eq!(steady(0).degrees_of_freedom, 12);
    // One matrix for all proxies would put every table beyond a χ² of 100.
    let raised = (0..30).filter(|seed| steady(*seed).p_value < 0.01).count();
    assert!(raised <= 3, "{raised} of 30");
}

#[test]
fn a_group_that_no_population_could_have_gives_no_weights() {
    let (counts, _) = World::symmetric(2, 2, &[0.75; 3], 0.3).sample(20_000, 5).unwrap();
    // If nearly everyone of the first group were guessed as the first, there would be fewer of the second than none.
    let wrong = TransitionMatrix::new(vec![vec![0.2, 0.8], vec![0.1, 0.9]]).unwrap();
    let found = CalibratedWeights::new(&counts, Criterion::DemographicParity, &[wrong]);
    assert!(matches!(found, Err(WeightsError::Infeasible { .. })), "{found:?}");
    let same = TransitionMatrix::new(vec![vec![0.5, 0.5]; 2]).unwrap();
    let found = CalibratedWeights::new(&counts, Criterion::DemographicParity, &[same]);
    assert!(matches!(found, Err(WeightsError::Singular { .. })), "{found:?}");
}
