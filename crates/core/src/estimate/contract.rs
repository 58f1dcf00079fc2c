//! What every noise estimator must keep, whatever its method.

use super::{
    AuditLabels, AuditSample, ConfidentJoint, ConfidentTally, Errors, Given, GivenNoise, Hoc, LatentClass,
    NoiseEstimator, Population,
};
use crate::counts::{Cell, Counts, Frequencies, Intake, Tally, View};
use crate::noise::{NoiseError, NoiseModel, TransitionMatrix};
use crate::privacy::RandomizedResponse;
use crate::uncertainty::{agreement, without_copying};
use crate::vocabulary::{Estimator, Group, ProxyId, Scope};
use crate::world::{Truth, World};

/// Methods that learn from agreement alone, each with how far it may be from exact: rounding of 1e-16 a cell,
/// magnified by the condition of the moment equations (about 1e3); or the last pass of a search that moves nothing by
/// 1e-11, where a pass may go a ten-thousandth of the way.
fn by_agreement() -> Vec<(Box<dyn NoiseEstimator>, f64)> {
    let mut all: Vec<(Box<dyn NoiseEstimator>, f64)> = Vec::new();
    for scope in [Scope::Global, Scope::Local] {
        all.push((Box::new(Hoc { scope }), 1e-10));
        all.push((Box::new(LatentClass { scope, errors: Errors::Alike }), 1e-6));
        all.push((Box::new(LatentClass { scope, errors: Errors::Own }), 1e-6));
        all.push((Box::new(LatentClass { scope, errors: Errors::BySource }), 1e-6));
    }
    all
}

/// The same, and those that know something beside the table: true error rates, true groups of some rows.
fn every_estimator(world: &World, rows: u64) -> Vec<(Box<dyn NoiseEstimator>, f64)> {
    let mut all = by_agreement();
    let transition = world.strata()[0].noise[0].clone();
    let noise = vec![GivenNoise { stratum: None, transition, group_shares: None }];
    all.push((Box::new(Given { noise }), 1e-12));
    all.push((Box::new(labelled(world, rows, 0.05)), 1e-6));
    all.push((Box::new(ConfidentJoint { tally: sure(world) }), 1e-10));
    all
}

/// Probabilities that know the group: of those that the first proxy guesses `g` they are sure of as many of each group as
/// there are.
fn sure(world: &World) -> ConfidentTally {
    let groups = world.legend().groups.len();
    let mut sure = vec![vec![0.0; groups]; groups];
    for (a, alone) in world.apart().into_iter().enumerate() {
        for (cell, share) in alone.cells() {
            cell.guesses[0].iter().for_each(|guess| sure[guess.0][a] += share);
        }
    }
    ConfidentTally { proxy: ProxyId(0), sure }
}

/// The exact audit sample: of every cell and group this share of the rows.
fn labelled(world: &World, rows: u64, share: f64) -> AuditSample {
    let mut labels = AuditLabels::new(Population::Same);
    for (a, alone) in world.apart().into_iter().enumerate() {
        for (cell, part) in alone.cells() {
            let weight = share * part * rows as f64;
            labels.add(Some(cell.stratum), cell.guesses.clone(), Group(a), 1, weight);
        }
    }
    let counts = world.population(rows).unwrap().with_audit_labels(labels);
    AuditSample::of(&counts, View::Labelled).unwrap()
}

/// Largest difference between the calibrated and the true joint table.
fn distance(estimator: &dyn NoiseEstimator, world: &World, seen: &Frequencies) -> f64 {
    let joint = estimator.explain(seen, View::Labelled).unwrap().joint;
    let truth = world.truth(View::Labelled);
    let cells = truth.strata().flat_map(|(stratum, shares)| {
        world.legend().all_groups().map(move |a| (stratum, a, shares.unwrap()[a]))
    });
    cells
        .map(|(s, a, share)| (joint.cell(a, s.label, s.prediction).unwrap() - share).abs())
        .fold(0.0, f64::max)
}

#[test]
fn every_estimator_there_is_keeps_the_contract() {
    let kept: Vec<Estimator> =
        every_estimator(&World::random(2, 2, 3, false, 1), 1_000).iter().map(|(one, _)| one.kind()).collect();
    let mut learn = Estimator::ALL.iter().filter(|estimator| estimator.learns_errors());
    assert!(learn.all(|estimator| kept.contains(estimator)), "{kept:?}");
}

#[test]
fn an_exact_table_of_independent_proxies_is_undone() {
    for (groups, classes, proxies) in [(2, 2, 3), (2, 3, 5), (3, 2, 3), (4, 2, 4)] {
        let world = World::random(groups, classes, proxies, false, 11);
        let seen = world.frequencies().view(View::Labelled).unwrap();
        for (estimator, tolerance) in every_estimator(&world, 10_000) {
            let off = distance(estimator.as_ref(), &world, &seen);
            assert!(off < tolerance, "{}: {groups} {classes} {proxies}: {off}", estimator.kind());
        }
    }
}

/// Mechanisms of mild and strong randomisation: the same for all proxies, or another for each and none for the last.
fn mechanisms(groups: usize, proxies: usize, alike: bool) -> Vec<Option<RandomizedResponse>> {
    let uneven = |first: f64| {
        let mut rows = RandomizedResponse::flip(groups, 0.2).unwrap().rows().to_vec();
        rows[0] =
            (0..groups).map(|w| if w == 0 { first } else { (1.0 - first) / (groups - 1) as f64 }).collect();
        RandomizedResponse::new(rows).unwrap()
    };
    if alike {
        vec![Some(uneven(0.7)); proxies]
    } else {
        (0..proxies).map(|c| (c + 1 < proxies).then(|| uneven(0.65 + 0.1 * c as f64))).collect()
    }
}

#[test]
fn a_known_mechanism_is_folded_in_and_not_learned_again() {
    for (groups, proxies, alike) in [(2, 3, true), (2, 3, false), (2, 4, false), (3, 3, true), (3, 3, false)]
    {
        let world = World::random(groups, 2, proxies, false, 11);
        let before = world.frequencies().view(View::Labelled).unwrap();
        let told = mechanisms(groups, proxies, alike);
        let seen = before.randomized(told.clone());
        let transition = world.strata()[0].noise[0].clone();
        let given = Given { noise: vec![GivenNoise { stratum: None, transition, group_shares: None }] };
        // Undoing magnifies rounding by the condition of R cubed, about 50. The search for latent classes goes slower
        // the less is left to see: its last pass moves 1e-11, and there may be 10,000 times as far to go.
        let mut all: Vec<(Box<dyn NoiseEstimator>, f64)> = vec![(Box::new(given), 1e-12)];
        for scope in [Scope::Global, Scope::Local] {
            all.push((Box::new(Hoc { scope }), 1e-8));
        }
        for errors in [Errors::Alike, Errors::Own] {
            all.push((Box::new(LatentClass { scope: Scope::Global, errors }), 2e-5));
        }
        for (estimator, tolerance) in all {
            let off = distance(estimator.as_ref(), &world, &seen);
            assert!(off < tolerance, "{} {alike}: {groups} {proxies}: {off}", estimator.kind());
            let NoiseModel::Global(fit) = estimator.fit(&seen).unwrap() else { continue };
            let truth = world.strata()[0].noise[0].rows();
            let near = |rows: &[Vec<f64>], truth: &[Vec<f64>]| {
                let pairs = rows.iter().flatten().zip(truth.iter().flatten());
                pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
            };
            assert!(near(&fit.value.unrandomized[0], truth) < 10.0 * tolerance);
            // What is told errs by T·R.
            let first = fit.value.by_proxy.first().unwrap_or(&fit.value.transition);
            let folded =
                TransitionMatrix::new(truth.to_vec()).unwrap().followed_by(told[0].as_ref().unwrap().rows());
            assert!(near(first.rows(), &folded) < 10.0 * tolerance);
        }
    }
}

#[test]
fn copying_before_a_mechanism_is_undone_exactly() {
    for alike in [true, false] {
        let plain = World::random(2, 2, 3, false, 4);
        let copied =
            plain.clone().with_copying(0.15).unwrap().frequencies().randomized(mechanisms(2, 3, alike));
        let expected = plain.frequencies().randomized(mechanisms(2, 3, alike));
        let undone = without_copying(&copied, 0.15).unwrap();
        for ((_, undone), (_, expected)) in undone.cells().iter().zip(expected.cells()) {
            assert!((undone - expected).abs() < 1e-12);
        }
        let phi = agreement(&copied).unwrap();
        let before = agreement(&plain.clone().with_copying(0.15).unwrap().frequencies()).unwrap();
        assert!((phi - before).abs() < 1e-10, "{phi} {before}");
    }
}

#[test]
fn the_same_frequencies_give_the_same_bits() {
    let world = World::random(3, 2, 4, true, 5);
    let (counts, _) = world.sample(5_000, 1).unwrap();
    for (estimator, _) in every_estimator(&world, 5_000) {
        assert_eq!(estimator.fit(&counts.frequencies()), estimator.fit(&counts.frequencies()));
    }
}

#[test]
fn two_proxies_are_refused_with_the_way_out_where_nothing_else_tells_their_error() {
    let one_stratum = |world: World| {
        let seen = world.frequencies();
        let (_, cells) = seen.strata().next().unwrap();
        let share: f64 = cells.iter().map(|(_, share)| share).sum();
        seen.only(cells, share)
    };
    let seen = one_stratum(World::random(2, 2, 2, false, 0));
    for (estimator, _) in by_agreement() {
        let error = estimator.fit(&seen).unwrap_err();
        assert!(matches!(error, NoiseError::TooFewProxies { needed: 3, found: 2, .. }));
        assert!(error.to_string().contains("add a proxy"));
    }
}

#[test]
fn two_proxies_suffice_where_strata_differ() {
    for errors in [Errors::Alike, Errors::Own] {
        let accuracy = if errors == Errors::Own { [0.85, 0.7] } else { [0.8; 2] };
        let world = World::symmetric(2, 2, &accuracy, 0.4);
        let seen = world.frequencies().view(View::Labelled).unwrap();
        // Two proxies bend the likelihood less, so a pass goes a smaller part of the way.
        assert!(distance(&LatentClass { scope: Scope::Global, errors }, &world, &seen) < 1e-4);
    }
}

#[test]
fn likelihood_takes_proxies_that_abstain_and_err_in_their_own_ways() {
    let silent = vec![vec![0.3, 0.1], vec![0.0, 0.2], vec![0.1, 0.1]];
    let world = World::symmetric(2, 2, &[0.85, 0.7, 0.75], 0.3).with_abstention(silent).unwrap();
    let seen = world.frequencies().view(View::Labelled).unwrap();
    let own = LatentClass { scope: Scope::Global, errors: Errors::Own };
    let off = distance(&own, &world, &seen);
    assert!(off < 1e-6, "{off} {:?}", own.fit(&seen));
    let NoiseModel::Global(fit) = own.fit(&seen).unwrap() else { unreachable!() };
    for (transition, right) in fit.value.by_proxy.iter().zip([0.85, 0.7, 0.75]) {
        assert!((transition.rows()[0][0] - right).abs() < 1e-5);
    }
}

#[test]
fn labels_undo_mistakes_that_proxies_share() {
    for population in [Population::Same, Population::Other] {
        let world = World::symmetric(2, 2, &[0.75; 3], 0.3).with_copying(0.35).unwrap();
        let seen = world.frequencies().view(View::Labelled).unwrap();
        // Agreement alone takes what proxies copy from each other for skill.
        assert!(distance(&Hoc { scope: Scope::Global }, &world, &seen) > 0.01);
        let mut audit = labelled(&world, 10_000, 0.02);
        if population == Population::Other {
            audit = audit.elsewhere();
        }
        assert!(distance(&audit, &world, &seen) < 1e-5, "{population:?}");
    }
}

#[test]
fn a_table_labelled_throughout_is_what_its_labels_say() {
    let world = World::symmetric(2, 2, &[0.7; 3], 0.3);
    let mut labels = AuditLabels::new(Population::Same);
    let mut cells = std::collections::BTreeMap::new();
    let mut truth = Truth::default();
    for person in world.people(5).take(400) {
        labels.add(Some(person.stratum), person.guesses.clone(), person.group, 1, 1.0);
        truth.add(person.stratum, person.group, 1.0);
        let cell = Cell { stratum: person.stratum, guesses: person.guesses };
        cells.entry(cell).or_insert(Tally::default()).weight += 1.0;
    }
    let intake = Intake { rows: 400, ..Intake::default() };
    let counts = Counts::new(world.legend().clone(), intake, cells).unwrap().with_audit_labels(labels);
    let seen = counts.frequencies().view(View::Labelled).unwrap();
    let found =
        AuditSample::of(&counts, View::Labelled).unwrap().explain(&seen, View::Labelled).unwrap().joint;
    let truth = truth.joint(counts.legend(), View::Labelled);
    for (stratum, shares) in truth.strata() {
        for a in [Group(0), Group(1)] {
            // Nothing is left to estimate, so it is exact to the last pass.
            let share = found.cell(a, stratum.label, stratum.prediction).unwrap();
            assert!((share - shares.unwrap()[a]).abs() < 1e-7);
        }
    }
}

#[test]
fn a_group_without_a_label_is_refused_by_name() {
    let world = World::symmetric(2, 2, &[0.8; 3], 0.3);
    let mut labels = AuditLabels::new(Population::Same);
    let cell = &world.frequencies().cells()[0].0.clone();
    labels.add(Some(cell.stratum), cell.guesses.clone(), Group(0), 1, 1.0);
    let counts = world.population(1000).unwrap().with_audit_labels(labels);
    let audit = AuditSample::of(&counts, View::Labelled).unwrap();
    assert_eq!(audit.fit(&counts.frequencies()), Err(NoiseError::NoLabels { group: 1 }));
}

#[test]
fn rows_that_no_three_proxies_answer_are_refused() {
    // Each row has two guesses: pairs, and no triple.
    let (counts, _) = World::random(2, 2, 3, false, 0).sample(100, 1).unwrap();
    let two_guesses = counts.cells().enumerate().map(|(i, (cell, tally))| {
        let mut cell = cell.clone();
        cell.guesses[i % 3] = None;
        (cell, tally.clone())
    });
    let counts = Counts::new(counts.legend().clone(), counts.intake().clone(), two_guesses).unwrap();
    assert_eq!(Hoc { scope: Scope::Global }.fit(&counts.frequencies()), Err(NoiseError::NoTriples));
}
