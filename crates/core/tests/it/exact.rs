//! Where the population is known exactly, so is the answer.

use fairveil_core::calibrate::calibrate;
use fairveil_core::counts::{Cell, Frequencies, View};
use fairveil_core::disparity::measure;
use fairveil_core::estimate::{Hoc, NoiseEstimator};
use fairveil_core::rates::base;
use fairveil_core::vocabulary::{Class, Guess, ProxyId};
use fairveil_core::world::WorldStratum;
use fairveil_core::{Aggregate, Audit, Basis, Criterion, Estimator, Scope, Settings, World};

fn without_intervals() -> Settings {
    Settings { n_boot: 0, ..Settings::default() }
}

/// What fairveil says of a world, against what is true of it: every criterion in both families.
fn largest_error(world: &World, scope: Scope) -> f64 {
    let counts = world.population(1_000_000).unwrap();
    let audit = Audit::run(&counts, None, &without_intervals()).unwrap();
    let mut largest = 0.0f64;
    for result in audit
        .results
        .iter()
        .filter(|r| (r.origin.estimator, r.origin.scope) == (Some(Estimator::Hoc), Some(scope)))
    {
        let view = if result.criterion.needs_labels() { View::Labelled } else { View::Predictions };
        let positive = world.legend().positive;
        let truth = measure(&world.truth(view), result.criterion, result.aggregate, positive).unwrap();
        let value =
            result.value.unwrap_or_else(|| panic!("{:?}: {:?}", result.criterion, result.unavailable));
        largest = largest.max((value - truth).abs());
    }
    largest
}

/// Tables whose every explanation is found in a moment.
fn small(groups: usize, proxies: usize) -> bool {
    groups.pow(proxies as u32) <= 1_100
}

#[test]
fn global_recovers_every_disparity_where_all_strata_err_alike() {
    for groups in 2..=5 {
        for classes in 2..=4 {
            for proxies in (3..=6).filter(|proxies| small(groups, *proxies)) {
                let world = World::random(
                    groups,
                    classes,
                    proxies,
                    false,
                    (groups * 100 + classes * 10 + proxies) as u64,
                );
                let error = largest_error(&world, Scope::Global);
                assert!(error < 1e-8, "{groups} groups, {classes} classes, {proxies} proxies: {error:e}");
            }
        }
    }
}

#[test]
fn local_recovers_every_disparity_where_each_stratum_errs_in_its_own_way() {
    for groups in 2..=5 {
        for classes in 2..=4 {
            for proxies in (3..=6).filter(|proxies| small(groups, *proxies)) {
                let world = own_noise_by_prediction(groups, classes, proxies);
                let error = largest_error(&world, Scope::Local);
                assert!(error < 1e-8, "{groups} groups, {classes} classes, {proxies} proxies: {error:e}");
            }
        }
    }
}

/// A world in which the proxies err by prediction and not by label, so that the local matrices of demographic
/// parity (one for each prediction) and of equalized odds (one for each prediction and label) both exist.
fn own_noise_by_prediction(groups: usize, classes: usize, proxies: usize) -> World {
    let seed = (groups * 1000 + classes * 100 + proxies) as u64;
    let base = World::random(groups, classes, proxies, true, seed);
    let strata = base.strata().iter().map(|part| {
        let first = base.strata().iter().find(|other| other.stratum.prediction == part.stratum.prediction);
        WorldStratum { noise: first.unwrap().noise.clone(), ..part.clone() }
    });
    World::new(base.legend().clone(), strata.collect()).unwrap()
}

#[test]
fn local_recovers_labelled_criteria_where_every_cell_errs_in_its_own_way() {
    for groups in 2..=5 {
        let world = World::random(groups, 2, 4, true, groups as u64);
        let seen = world.frequencies().view(View::Labelled).unwrap();
        let joint = calibrate(&seen, View::Labelled, &Hoc { scope: Scope::Local }.fit(&seen).unwrap());
        for criterion in [Criterion::EqualizedOdds, Criterion::EqualOpportunity] {
            for aggregate in Aggregate::ALL {
                let value = measure(&joint, criterion, aggregate, Class(1)).unwrap();
                let truth = measure(&world.truth(View::Labelled), criterion, aggregate, Class(1)).unwrap();
                assert!((value - truth).abs() < 1e-8);
            }
        }
    }
}

#[test]
fn abstentions_that_depend_on_the_group_do_not_move_a_rate() {
    for groups in [2, 3] {
        let silence = |c: usize| (0..groups).map(|a| 0.05 * (c + 2 * a) as f64).collect();
        let world =
            World::random(groups, 2, 4, false, 3).with_abstention((0..4).map(silence).collect()).unwrap();
        assert!(largest_error(&world, Scope::Global) < 1e-8);
        assert!(largest_error(&world, Scope::Local) < 1e-8);
    }
}

#[test]
fn rates_of_a_group_follow_from_the_joint() {
    let world = World::symmetric(2, 2, &[0.75; 3], 0.2);
    let audit = Audit::run(&world.population(1_000_000).unwrap(), None, &without_intervals()).unwrap();
    let rates = audit.rates.iter().find(|r| r.origin.scope == Some(Scope::Global)).unwrap();
    // First group of `symmetric`: selected 0.4, so 0.55 of positive and 0.25 of other labels, half and half.
    let expected = [
        (rates.groups[0].share, 0.5),
        (rates.groups[0].selection_rate, 0.4),
        (rates.groups[0].true_positive_rate, 0.55),
        (rates.groups[0].false_positive_rate, 0.25),
        (rates.groups[0].false_negative_rate, 0.45),
        (rates.groups[0].precision, 0.55 / 0.8),
        (rates.groups[0].accuracy, 0.5 * 0.55 + 0.5 * 0.75),
        (rates.groups[0].base_rate, 0.5),
    ];
    for (found, wanted) in expected {
        assert!((found.unwrap() - wanted).abs() < 1e-10, "{found:?} {wanted}");
    }
}

#[test]
fn copying_adds_shared_guesses_and_leaves_the_marginals_alone() {
    let (plain, rho) = (World::symmetric(3, 2, &[0.7, 0.7, 0.7], 0.3), 0.2);
    let copied = plain.clone().with_copying(rho).unwrap().frequencies();
    let plain = plain.frequencies();
    assert!((copied.cells().iter().map(|(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-12);
    for ((cell, with), (same, without)) in copied.cells().iter().zip(plain.cells()) {
        assert_eq!(cell, same);
        let all_equal = cell.guesses.iter().all(|guess| *guess == cell.guesses[0]);
        let marginal: f64 = (plain.cells().iter())
            .filter(|(other, _)| other.stratum == cell.stratum && other.guesses[0] == cell.guesses[0])
            .map(|(_, share)| share)
            .sum();
        let expected = (1.0 - rho) * without + if all_equal { rho * marginal } else { 0.0 };
        assert!((with - expected).abs() < 1e-12);
    }
    let base_of = |seen: &Frequencies| base(seen, ProxyId(1)).share(Guess(2)).unwrap();
    assert!((base_of(&copied) - base_of(&plain)).abs() < 1e-12);
}

#[test]
fn shared_error_hides_a_part_of_the_gap() {
    let world = World::symmetric(2, 2, &[0.75; 3], 0.3).with_copying(0.1).unwrap();
    let audit = Audit::run(&world.population(1_000_000).unwrap(), None, &without_intervals()).unwrap();
    let gap = |basis| audit.results.iter().find(|r| r.origin.basis == basis).unwrap().value.unwrap();
    assert!(gap(Basis::Proxy) + 0.05 < gap(Basis::Calibrated) && gap(Basis::Calibrated) < 0.3 - 0.02);
}

#[test]
fn a_sample_has_the_frequencies_of_its_world() {
    let silence = vec![vec![0.1, 0.0], vec![0.0, 0.0], vec![0.2, 0.3]];
    let world = World::symmetric(2, 2, &[0.8, 0.7, 0.6], 0.2).with_copying(0.15).unwrap();
    let world = world.with_abstention(silence).unwrap();
    let rows = 40_000.0;
    let (counts, truth) = world.sample(rows as u64, 9).unwrap();
    let exact = world.frequencies();
    let drawn = counts.frequencies();
    let share = |cell: &Cell| drawn.cells().iter().find(|(c, _)| c == cell).map_or(0.0, |(_, share)| *share);
    let cells = exact.cells();
    let chi_square: f64 = cells.iter().map(|(cell, p)| rows * (share(cell) - p).powi(2) / p).sum();
    // Mean n − 1 and variance 2(n − 1) for n cells; five standard deviations.
    let freedom = cells.len() as f64 - 1.0;
    assert!(chi_square < freedom + 5.0 * (2.0 * freedom).sqrt(), "{chi_square} on {freedom}");
    let (sampled, known) = (truth.joint(world.legend(), View::Labelled), world.truth(View::Labelled));
    for (stratum, shares) in known.strata() {
        for a in world.legend().all_groups() {
            let p = shares.unwrap()[a];
            let drawn = sampled.cell(a, stratum.label, stratum.prediction).unwrap();
            assert!((drawn - p).abs() < 5.0 * (p * (1.0 - p) / rows).sqrt());
        }
    }
}
