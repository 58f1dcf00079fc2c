//! What the likelihood claims, on worlds whose truth is known.

use super::{Likelihood, Parameters, Scale};
use crate::counts::{Frequencies, View};
use crate::criterion::{Among, Proportion};
use crate::estimate::{Errors, LatentClass, NoiseEstimator};
use crate::noise::TransitionMatrix;
use crate::vocabulary::{Class, Group, Scope};
use crate::world::{World, WorldStratum};
use nalgebra::{DMatrix, DVector};

const SELECTED: Proportion = Proportion { class: Class(1), among: Among::Everyone };

/// `P(Y=1 | f=1, A)` of two groups, by hand: 0.12 of 0.20 and 0.20 of 0.25.
#[test]
fn a_contrast_within_a_decision_counts_labels() {
    let seen = World::random(2, 2, 3, true, 1).frequencies().view(View::Labelled).unwrap();
    let likelihood = Likelihood::new(&seen, 500.0).unwrap();
    let share = |a: usize, s: usize| match (a, likelihood.strata[s].label, likelihood.strata[s].prediction) {
        (0, Some(Class(1)), Class(1)) => 0.12,
        (0, Some(Class(0)), Class(1)) => 0.08,
        (1, Some(Class(1)), Class(1)) => 0.20,
        (1, Some(Class(0)), Class(1)) => 0.05,
        (0, ..) => 0.15,
        _ => 0.125,
    };
    let joint = DMatrix::from_fn(2, 4, share);
    let rows = DMatrix::from_row_slice(2, 2, &[0.8, 0.2, 0.3, 0.7]);
    let at = Parameters { joint, rows, silence: DMatrix::zeros(0, 2) };
    let precision = Proportion { class: Class(1), among: Among::Decision(Class(1)) };
    let contrast = likelihood.contrast(Group(1), Group(0), precision);
    assert!((contrast.value(&at) - (0.8 - 0.6)).abs() < 1e-12);
    assert!((contrast.clone().on(Scale::LogRatio).value(&at) - (0.8f64 / 0.6).ln()).abs() < 1e-12);
    // ∂/∂logit J[a,s] = J·(counted − rate)/whole within the decision, and nothing elsewhere.
    let slope = contrast.slope(&at, 12);
    for (s, stratum) in likelihood.strata.iter().enumerate() {
        let (first, second) = match (stratum.label, stratum.prediction) {
            (Some(Class(1)), Class(1)) => (-0.12 * 0.4 / 0.2, 0.2 * 0.2 / 0.25),
            (Some(Class(0)), Class(1)) => (0.08 * 0.6 / 0.2, -0.05 * 0.8 / 0.25),
            _ => (0.0, 0.0),
        };
        assert!((slope[s] - first).abs() < 1e-12 && (slope[4 + s] - second).abs() < 1e-12);
    }
}

fn likelihood(world: &World, rows: u64, seed: u64) -> (Likelihood, Frequencies) {
    let seen = world.sample(rows, seed).unwrap().0.frequencies().view(View::Predictions).unwrap();
    (Likelihood::new(&seen, rows as f64).unwrap(), seen)
}

#[test]
fn the_score_equals_finite_differences() {
    let (plain, _) = likelihood(&World::random(3, 2, 3, false, 1), 500, 1);
    score_is_right(&plain);
    // The same of guesses that were randomised.
    let told = crate::privacy::RandomizedResponse::new(vec![
        vec![0.7, 0.2, 0.1],
        vec![0.15, 0.8, 0.05],
        vec![0.25, 0.15, 0.6],
    ])
    .unwrap();
    let seen = World::random(3, 2, 3, false, 1).frequencies().view(View::Predictions).unwrap();
    let told = seen.randomized(vec![Some(told); 3]);
    score_is_right(&Likelihood::new(&told, 500.0).unwrap());
    // Proxies that err each in its own way, two of which abstain on some rows.
    let silent = vec![vec![0.1, 0.2, 0.05], vec![0.0; 3], vec![0.3, 0.1, 0.2]];
    let silent = World::random(3, 2, 3, false, 1).with_abstention(silent).unwrap();
    let seen = silent.frequencies().view(View::Predictions).unwrap();
    for errors in [Errors::Own, Errors::Alike] {
        score_is_right(&Likelihood::of(&seen, 500.0, errors).unwrap());
    }
    score_is_right(&Likelihood::of(&told, 500.0, Errors::Own).unwrap());
}

fn score_is_right(likelihood: &Likelihood) {
    let at = likelihood.starts(&World::random(3, 2, 3, false, 1).frequencies(), View::Predictions).remove(1);
    let (score, _) = likelihood.score(&at);
    for i in 0..score.len() {
        let moved = |h: f64| {
            let mut step = DVector::zeros(score.len());
            step[i] = h;
            at.moved(&step).unwrap()
        };
        let (up, down) = (moved(1e-5), moved(-1e-5));
        let numeric = (likelihood.log_likelihood(&up) - likelihood.log_likelihood(&down)) / 2e-5;
        // Central differences of a sum of 500 logarithms: about 1e-10·500 from the step, 1e-8 from rounding.
        assert!((numeric - score[i]).abs() < 1e-5 * (1.0 + score[i].abs()), "{i}: {numeric} {}", score[i]);
        for scale in [Scale::Plain, Scale::LogRatio, Scale::LogOdds] {
            let contrast = likelihood.contrast(Group(0), Group(2), SELECTED).on(scale);
            let numeric = (contrast.value(&up) - contrast.value(&down)) / 2e-5;
            assert!((numeric - contrast.slope(&at, score.len())[i]).abs() < 1e-8);
        }
    }
}

#[test]
fn the_profile_falls_by_the_drop_at_both_ends() {
    let (likelihood, seen) = likelihood(&World::symmetric(2, 2, &[0.75; 3], 0.25), 4000, 3);
    let best = likelihood.maximise(&seen, View::Predictions).unwrap();
    let contrast = likelihood.contrast(Group(1), Group(0), SELECTED);
    let (low, high) = likelihood.interval(&best, &contrast, 3.841);
    let value = contrast.value(&best.parameters);
    assert!(low < value && value < high && high - low < 0.2, "{low} {value} {high}");
    for end in [low, high] {
        // Refitted with ever stiffer penalties, the end has the drop that defines it.
        let mut held = best.clone();
        for kappa in [1e4, 1e5, 1e6, 1e7, 1e8] {
            held = likelihood.climb(&held.parameters, Some((&contrast, end, kappa))).unwrap();
        }
        assert!((contrast.value(&held.parameters) - end).abs() < 1e-5);
        let fell = 2.0 * (best.log_likelihood - held.log_likelihood);
        assert!((fell - 3.841).abs() < 0.03, "{fell}");
    }
}

#[test]
fn the_fit_of_an_exact_table_is_perfect_and_its_freedom_is_counted() {
    let world = World::symmetric(2, 2, &[0.9, 0.7, 0.6, 0.8], 0.25);
    let seen = world.frequencies().view(View::Predictions).unwrap();
    let explained = LatentClass { scope: Scope::Global, errors: Errors::Own };
    let explained = explained.explain(&seen, View::Predictions).unwrap();
    let likelihood = Likelihood::of(&seen, 20_000.0, Errors::Own).unwrap();
    let best = likelihood.maximise_from(&likelihood.at(&explained).unwrap()).unwrap();
    let fit = likelihood.fit(&best.parameters).unwrap();
    // Two strata of sixteen patterns, less one; four shares less one and four matrices of two.
    assert_eq!(fit.freedom, 31 - (3 + 8));
    assert!(fit.statistic < 1e-6, "{}", fit.statistic);
    // Where mistakes are shared it is not.
    let copied = world.with_copying(0.3).unwrap().frequencies().view(View::Predictions).unwrap();
    let likelihood = Likelihood::of(&copied, 20_000.0, Errors::Own).unwrap();
    let best = likelihood.maximise_from(&best.parameters).unwrap();
    assert!(likelihood.fit(&best.parameters).unwrap().p_value() < 1e-6);
}

/// Samples of 20,000 with and without a shift of .05 by the decision.
#[test]
fn a_shift_with_the_decision_is_seen_and_chance_is_not() {
    let world = World::symmetric(2, 2, &[0.8, 0.75, 0.7], 0.25);
    let shifted: Vec<WorldStratum> = world
        .strata()
        .iter()
        .map(|part| {
            let by = if part.stratum.prediction == Class(1) { 0.025 } else { -0.025 };
            let moved = |row: &Vec<f64>| vec![row[0] + by, row[1] - by];
            let noise = part.noise.iter();
            let noise =
                noise.map(|t| TransitionMatrix::new(t.rows().iter().map(moved).collect()).unwrap()).collect();
            WorldStratum { noise, ..part.clone() }
        })
        .collect();
    let shifted = World::new(world.legend().clone(), shifted).unwrap();
    let p_value = |world: &World, seed: u64| {
        let seen = world.sample(20_000, seed).unwrap().0.frequencies().view(View::Predictions).unwrap();
        let likelihood = Likelihood::of(&seen, 20_000.0, Errors::Own).unwrap();
        let best = likelihood.maximise(&seen, View::Predictions).unwrap();
        let found = likelihood.shift(&best.parameters, Class(1)).unwrap();
        assert_eq!(found.freedom, 1);
        found.p_value()
    };
    let rejected = |world: &World| (0..40).filter(|seed| p_value(world, *seed) < 0.05).count();
    // Two of forty are expected without a shift; seven or more come once in 290 times.
    assert!(rejected(&world) < 7);
    assert!(rejected(&shifted) > 30);
}

#[test]
fn less_than_a_row_draws_nothing() {
    let seen = World::symmetric(2, 2, &[0.8; 3], 0.2).frequencies().view(View::Predictions).unwrap();
    let likelihood = Likelihood::new(&seen, 1e-3).unwrap();
    let best = likelihood.maximise(&seen, View::Predictions).unwrap();
    assert!(likelihood.draws(&best.parameters, 10, 0).is_none());
}

#[test]
fn proxies_that_know_nothing_allow_any_gap() {
    let (likelihood, seen) = likelihood(&World::symmetric(2, 2, &[0.5; 3], 0.25), 2000, 5);
    let best = likelihood.maximise(&seen, View::Predictions).unwrap();
    let contrast = likelihood.contrast(Group(1), Group(0), SELECTED);
    let (low, high) = likelihood.interval(&best, &contrast, 3.841);
    assert!(high - low > 1.0, "{low} {high}");
}
