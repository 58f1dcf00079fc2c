//! What every noise estimator must keep, whatever its method.

use super::{Hoc, NoiseEstimator};
use crate::calibrate::calibrate;
use crate::counts::{Counts, Frequencies, View};
use crate::noise::NoiseError;
use crate::vocabulary::Scope;
use crate::world::World;

fn every_estimator() -> Vec<Box<dyn NoiseEstimator>> {
    vec![Box::new(Hoc { scope: Scope::Global }), Box::new(Hoc { scope: Scope::Local })]
}

/// Largest difference between the calibrated and the true joint table.
fn distance(estimator: &dyn NoiseEstimator, world: &World, seen: &Frequencies) -> f64 {
    let noise = estimator.fit(seen).unwrap();
    let (joint, truth) = (calibrate(seen, View::Labelled, &noise), world.truth(View::Labelled));
    let cells = truth.strata().flat_map(|(stratum, shares)| {
        world.legend().all_groups().map(move |a| (stratum, a, shares.unwrap()[a]))
    });
    cells
        .map(|(s, a, share)| (joint.cell(a, s.label, s.prediction).unwrap() - share).abs())
        .fold(0.0, f64::max)
}

#[test]
fn an_exact_table_of_independent_proxies_is_undone() {
    for estimator in every_estimator() {
        for (groups, classes, proxies) in [(2, 2, 3), (2, 3, 5), (3, 2, 3), (4, 2, 4)] {
            let world = World::random(groups, classes, proxies, false, 11);
            let seen = world.frequencies().view(View::Labelled).unwrap();
            // Rounding of 1e-16 per cell, magnified by the condition of the moment equations (about 1e3).
            assert!(distance(estimator.as_ref(), &world, &seen) < 1e-10, "{groups} {classes} {proxies}");
        }
    }
}

#[test]
fn the_same_frequencies_give_the_same_bits() {
    let (counts, _) = World::random(3, 2, 4, true, 5).sample(5_000, 1).unwrap();
    for estimator in every_estimator() {
        assert_eq!(estimator.fit(&counts.frequencies()), estimator.fit(&counts.frequencies()));
    }
}

#[test]
fn two_proxies_are_refused_with_the_way_out() {
    let seen = World::random(2, 2, 2, false, 0).frequencies();
    for estimator in every_estimator() {
        let error = estimator.fit(&seen).unwrap_err();
        assert!(matches!(error, NoiseError::TooFewProxies { needed: 3, found: 2, .. }));
        assert!(error.to_string().contains("add a proxy"));
    }
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
