//! Rows whose group is known, without a model of how the proxies err.

use fairveil_core::estimate::{AuditLabels, Population};
use fairveil_core::noise::TransitionMatrix;
use fairveil_core::record::{Measurement, Premise, Test};
use fairveil_core::vocabulary::Class;
use fairveil_core::world::{SimulatedPerson, WorldStratum};
use fairveil_core::{
    Aggregate, Audit, Basis, Counts, Criterion, Estimator, EstimatorChoice, Settings, World,
};

/// Proxies whose errors go with the decision: guesses of the second group are rarer by `shift` among the selected, and more
/// frequent among the others.
fn shifted(shift: f64) -> World {
    let base = World::symmetric(2, 2, &[0.75; 3], 0.25);
    let strata = base.strata().iter().map(|part| {
        let tilt = if part.stratum.prediction == Class(1) { shift } else { -shift };
        let rows = vec![vec![0.75 + tilt, 0.25 - tilt], vec![0.25 + tilt, 0.75 - tilt]];
        WorldStratum { noise: vec![TransitionMatrix::new(rows).unwrap(); 3], ..part.clone() }
    });
    World::new(base.legend().clone(), strata.collect()).unwrap()
}

/// A sample with the true group on the first so many rows for which `chosen` holds.
fn labelled(
    world: &World,
    rows: u64,
    labels: usize,
    seed: u64,
    chosen: fn(&SimulatedPerson) -> bool,
) -> Counts {
    let (counts, _) = world.sample(rows, seed).unwrap();
    let mut known = AuditLabels::new(Population::Same);
    for person in world.people(seed).take(rows as usize).filter(chosen).take(labels) {
        known.add(Some(person.stratum), person.guesses, person.group, 1, 1.0);
    }
    counts.with_audit_labels(known)
}

fn run(counts: &Counts, n_boot: usize) -> Audit {
    Audit::run(counts, None, &Settings { n_boot, ..Settings::default() }).unwrap()
}

fn anyone(_: &SimulatedPerson) -> bool {
    true
}

fn parity(audit: &Audit, basis: Basis, estimator: Option<Estimator>) -> &Measurement {
    let mine = |r: &&Measurement| {
        (r.origin.basis, r.origin.estimator, r.criterion, r.aggregate)
            == (basis, estimator, Criterion::DemographicParity, Aggregate::Difference)
    };
    audit.results.iter().find(mine).unwrap()
}

fn has(audit: &Audit, code: &str) -> bool {
    audit.findings.iter().any(|finding| finding.code == code)
}

#[test]
fn the_regression_is_unbiased_however_errors_go_with_the_decision() {
    let (world, samples) = (shifted(0.1), 60);
    let settings =
        Settings { n_boot: 0, criteria: vec![Criterion::DemographicParity], ..Settings::default() };
    let (mut regression, mut model, mut made) = (0.0, 0.0, 0.0);
    for seed in 0..samples {
        let audit = Audit::run(&labelled(&world, 2_000, 200, seed, anyone), None, &settings).unwrap();
        let gap =
            |estimator| Some(parity(&audit, Basis::AuditSample, Some(estimator)).pairs.first()?.difference);
        // Of a hundred random samples one looks as if it were not.
        let (Some(by_regression), Some(by_model)) = (gap(Estimator::Regression), gap(Estimator::Audit))
        else {
            continue;
        };
        (regression, model, made) = (regression + by_regression, model + by_model, made + 1.0);
    }
    assert!(made >= 55.0);
    let (regression, model) = (regression / made, model / made);
    // One sample is off by about 0.06, the mean of sixty by 0.008; four of these. The truth is −0.25.
    assert!((regression + 0.25).abs() < 0.031, "{regression}");
    assert!((model + 0.25).abs() > 0.1, "{model}");
}

#[test]
fn labelled_rows_read_directly_are_what_they_say() {
    let world = World::symmetric(2, 2, &[0.75; 3], 0.25);
    let audit = run(&labelled(&world, 2_000, 200, 5, anyone), 0);
    let rate = |group: usize| {
        let mine: Vec<_> = world.people(5).take(200).filter(|person| person.group.0 == group).collect();
        mine.iter().filter(|person| person.stratum.prediction == Class(1)).count() as f64 / mine.len() as f64
    };
    let direct = parity(&audit, Basis::LabelledRows, None);
    assert!((direct.value.unwrap() - (rate(1) - rate(0)).abs()).abs() < 1e-12);
    assert!(!direct.recommended);
}

#[test]
fn the_range_on_top_reaches_as_far_as_the_model_and_the_regression_do() {
    let audit = run(&labelled(&World::symmetric(2, 2, &[0.75; 3], 0.25), 4_000, 300, 5, anyone), 400);
    for criterion in Criterion::USUAL {
        let top = audit.recommended(criterion, Aggregate::MeanPairwise).unwrap();
        assert_eq!(top.origin.estimator, Some(Estimator::Audit));
        let honest = top.honest_interval.as_ref().unwrap();
        assert_eq!(honest.premise, Premise::LabelsAsDrawn);
        for estimator in [Estimator::Audit, Estimator::Regression] {
            let mine = |r: &&Measurement| {
                (r.origin.estimator, r.criterion, r.aggregate)
                    == (Some(estimator), criterion, Aggregate::MeanPairwise)
            };
            let ends = audit.results.iter().find(mine).unwrap().interval.as_ref().unwrap().ends;
            assert!(honest.ends.low <= ends.low && ends.high <= honest.ends.high);
        }
        // What needs no model is less sharp.
        assert!(honest.ends.width() > top.interval.as_ref().unwrap().ends.width());
    }
}

#[test]
fn labels_that_contradict_one_table_of_errors_stand_in_its_place() {
    let audit = run(&labelled(&shifted(0.15), 10_000, 400, 1, anyone), 100);
    let top = audit.recommended(Criterion::DemographicParity, Aggregate::Difference).unwrap();
    assert_eq!((top.origin.estimator, top.origin.scope), (Some(Estimator::Regression), None));
    assert_eq!((audit.advice.estimator, audit.advice.scope), (Some(Estimator::Regression), None));
    assert!(has(&audit, "N12"));
    let test = audit.tests.iter().find(|test| test.test == Test::LabelsAgree).unwrap();
    assert!(test.p_value < 0.01 && test.degrees_of_freedom == 1, "{test:?}");
    assert!((top.pairs[0].difference + 0.25).abs() < 0.12);
}

#[test]
fn labels_on_selected_people_alone_give_no_number_and_say_why() {
    let world = World::symmetric(2, 2, &[0.75; 3], 0.25);
    let selected = |person: &SimulatedPerson| person.stratum.prediction == Class(1);
    let audit = run(&labelled(&world, 4_000, 200, 1, selected), 100);
    let finding = audit.findings.iter().find(|finding| finding.code == "D13").unwrap();
    assert!(finding.message.to_string().contains("No number uses these labels"), "{}", finding.message);
    for (basis, estimator) in [
        (Basis::AuditSample, Some(Estimator::Audit)),
        (Basis::AuditSample, Some(Estimator::Regression)),
        (Basis::LabelledRows, None),
    ] {
        let result = parity(&audit, basis, estimator);
        assert!(
            result.value.is_none() && result.unavailable.as_ref().unwrap().contains("random"),
            "{result:?}"
        );
    }
    // Agreement alone says what it said without labels.
    let top = audit.recommended(Criterion::DemographicParity, Aggregate::Difference).unwrap();
    assert!(top.origin.basis == Basis::Calibrated && (top.value.unwrap() - 0.25).abs() < 0.06);
    // Someone who insists has the number of the method that was named, and the finding.
    let named = Settings {
        n_boot: 0,
        estimator: EstimatorChoice::Fixed(Estimator::Audit),
        criteria: vec![Criterion::DemographicParity],
        ..Settings::default()
    };
    let audit = Audit::run(&labelled(&world, 4_000, 200, 1, selected), None, &named).unwrap();
    assert!(parity(&audit, Basis::AuditSample, Some(Estimator::Audit)).value.is_some() && has(&audit, "D13"));
}

#[test]
fn labels_drawn_at_random_are_taken_for_it_as_often_as_they_should() {
    let world = World::symmetric(2, 2, &[0.75; 3], 0.25);
    let rejected = (0..200).filter(|seed| {
        let audit = run(&labelled(&world, 1_000, 100, *seed, anyone), 0);
        audit.tests.iter().find(|test| test.test == Test::LabelsAtRandom).unwrap().p_value < 0.05
    });
    // 5 % wanted; of 200 samples three standard errors are 5 points.
    let share = rejected.count() as f64 / 200.0;
    assert!((share - 0.05).abs() < 0.05, "{share}");
}

#[test]
fn too_few_labels_of_a_group_give_no_number_and_say_how_many_there_are() {
    let world = World::symmetric(2, 2, &[0.75; 3], 0.25);
    let audit = run(&labelled(&world, 4_000, 15, 1, anyone), 100);
    assert!(audit.recommended(Criterion::DemographicParity, Aggregate::Difference).is_none());
    assert!(has(&audit, "D14") && audit.advice.reason.contains("at least 10"), "{}", audit.advice.reason);
    assert!(audit.advice.direction_only);
}

#[test]
fn the_regression_can_be_asked_for_by_name() {
    let counts = labelled(&World::symmetric(2, 2, &[0.75; 3], 0.25), 4_000, 300, 5, anyone);
    let settings = Settings {
        n_boot: 100,
        estimator: EstimatorChoice::Fixed(Estimator::Regression),
        ..Settings::default()
    };
    let audit = Audit::run(&counts, None, &settings).unwrap();
    assert!(audit.recommended(Criterion::EqualizedOdds, Aggregate::MeanPairwise).is_some());
    let plain = World::symmetric(2, 2, &[0.75; 3], 0.25).population(4_000).unwrap();
    assert!(Audit::run(&plain, None, &settings).is_err());
}
