//! Several models on the same people.

use fairveil_core::compare::{Candidate, Order, PairedCell, WhyNoOrder};
use fairveil_core::counts::{Cell, Intake, Tally};
use fairveil_core::vocabulary::{Class, Group, Guess, Legend, Stratum};
use fairveil_core::world::Truth;
use fairveil_core::{Comparison, Counts, Interval, Scope, Settings};
use std::collections::BTreeMap;

/// A share of the population: its group, what the two models decide, and how the proxies guess there.
struct Part {
    group: usize,
    decisions: [usize; 2],
    share: f64,
    guessed_second: f64,
}

/// Exact tables of two models on the same people, three proxies that err independently within a part.
fn tables(parts: &[Part], rows: f64) -> ([Counts; 2], [Truth; 2], Vec<(PairedCell, f64)>) {
    let mut paired: BTreeMap<PairedCell, f64> = BTreeMap::new();
    let mut truths = [Truth::default(), Truth::default()];
    for part in parts {
        let decided = |model: usize| Stratum { label: None, prediction: Class(part.decisions[model]) };
        for (model, truth) in truths.iter_mut().enumerate() {
            truth.add(decided(model), Group(part.group), part.share * rows);
        }
        for pattern in 0..8usize {
            let guess = |c: usize| (pattern >> c) & 1;
            let chance =
                |c: usize| if guess(c) == 1 { part.guessed_second } else { 1.0 - part.guessed_second };
            let cell = PairedCell {
                predictions: part.decisions.map(Class).to_vec(),
                label: None,
                guesses: (0..3).map(|c| Some(Guess(guess(c)))).collect(),
            };
            *paired.entry(cell).or_default() += rows * part.share * (0..3).map(chance).product::<f64>();
        }
    }
    let counts = [0, 1].map(|model| {
        let mut legend = Legend::plain(2, 2, 3, false);
        legend.prediction = ["steady", "tilted"][model].into();
        let cells = paired.iter().map(|(cell, weight)| {
            let stratum = Stratum { label: None, prediction: cell.predictions[model] };
            (Cell { stratum, guesses: cell.guesses.clone() }, Tally::of(*weight))
        });
        Counts::new(legend, Intake { rows: rows as u64, ..Intake::default() }, cells).unwrap()
    });
    (counts, truths, paired.into_iter().collect())
}

/// The situation of the paper's Figure 1: the second model has the larger gap, and its decisions go with what the
/// proxies take people for, so that read directly it looks like the better one.
fn figure_one() -> Vec<Part> {
    let mut parts = Vec::new();
    // Rates of selection in the two groups: gaps of 0.20 and 0.30.
    let rates = [[0.40, 0.60], [0.35, 0.65]];
    for group in 0..2 {
        for decisions in [[0, 0], [0, 1], [1, 0], [1, 1]] {
            let rate = |model: usize| {
                let selected: f64 = rates[model][group];
                if decisions[model] == 1 { selected } else { 1.0 - selected }
            };
            // Those whom the second model selects are taken for the first group more often, whoever they are.
            let tilt = if decisions[1] == 1 { -0.07 } else { 0.07 };
            let guessed_second = [0.2, 0.8][group] + tilt;
            parts.push(Part { group, decisions, share: 0.5 * rate(0) * rate(1), guessed_second });
        }
    }
    parts
}

/// With half of the agreement shared and both scopes held possible, the range of the tilted model says nothing of a size.
fn little_shared() -> Settings {
    Settings { shared_error: 0.2, ..Settings::default() }
}

#[test]
fn proxies_that_rank_two_models_the_wrong_way_round_are_set_right() {
    let (counts, truths, rows) = tables(&figure_one(), 60_000.0);
    let candidates: Vec<Candidate> =
        counts.iter().zip(&truths).map(|(counts, truth)| Candidate { counts, truth: Some(truth) }).collect();
    let settings = Settings { n_boot: 200, ..little_shared() };
    let comparison = Comparison::run(&candidates, &rows, &settings).unwrap();
    let pair = &comparison.pairs[0];
    assert!((pair.true_difference.unwrap() + 0.1).abs() < 1e-9, "the first model has the smaller gap");
    assert!(pair.proxy_difference.unwrap() > 0.02, "the proxies say otherwise: {:?}", pair.proxy_difference);
    // The second model's strata err in ways of their own, which its audit sees.
    let advice = &comparison.models[1].audit.advice;
    assert_eq!(advice.scope, Some(Scope::Local), "{}", advice.reason);
    assert!(pair.difference.unwrap() < -0.05, "{:?}", pair.difference);
    assert!(pair.proxies_rank_otherwise && pair.probability_a_smaller.unwrap() > 0.99);
}

/// The same people and models; the proxies err alike whomever the second model selects.
fn untilted() -> Vec<Part> {
    let right = |part: Part| Part { guessed_second: [0.2, 0.8][part.group], ..part };
    figure_one().into_iter().map(right).collect()
}

#[test]
fn an_order_that_shared_error_leaves_is_told() {
    let (counts, _, rows) = tables(&untilted(), 60_000.0);
    let candidates = [&counts[0], &counts[1]].map(|counts| Candidate { counts, truth: None });
    let settings = Settings { n_boot: 200, ..Settings::default() };
    let pair = &Comparison::run(&candidates, &rows, &settings).unwrap().pairs[0];
    assert_eq!((pair.order, &pair.no_order), (Some(Order::FirstSmaller), &None));
    // Copying stretches both gaps alike, so that the order survives it.
    assert!(pair.probability_range.unwrap().low > 0.95, "{:?}", pair.probability_range);
}

#[test]
fn an_order_that_one_explanation_turns_round_is_not_told() {
    // One table of errors for all strata, which shared mistakes could mimic, ranks the models as the proxies do.
    let (counts, _, rows) = tables(&figure_one(), 60_000.0);
    let candidates = [&counts[0], &counts[1]].map(|counts| Candidate { counts, truth: None });
    let pair =
        &Comparison::run(&candidates, &rows, &Settings { n_boot: 200, ..little_shared() }).unwrap().pairs[0];
    let range = pair.probability_range.unwrap();
    assert!(range.low < 0.05 && range.high > 0.95, "{range:?}");
    assert_eq!(pair.order, None);
    assert_eq!(pair.no_order.as_ref().unwrap().why, WhyNoOrder::NotSupported);
}

#[test]
fn a_model_compared_with_itself_is_a_tie() {
    let mut parts = figure_one();
    for part in &mut parts {
        part.decisions[0] = part.decisions[1];
    }
    let (counts, _, rows) = tables(&parts, 60_000.0);
    let candidates = [&counts[0], &counts[1]].map(|counts| Candidate { counts, truth: None });
    let comparison =
        Comparison::run(&candidates, &rows, &Settings { n_boot: 100, ..little_shared() }).unwrap();
    let pair = &comparison.pairs[0];
    assert_eq!((pair.difference, pair.probability_a_smaller), (Some(0.0), Some(0.5)));
    assert_eq!((pair.interval, pair.true_difference), (Some(Interval { low: 0.0, high: 0.0 }), None));
}

#[test]
fn without_draws_the_difference_stands_and_no_chance_is_given() {
    let (counts, _, rows) = tables(&figure_one(), 60_000.0);
    let candidates = [&counts[0], &counts[1]].map(|counts| Candidate { counts, truth: None });
    let comparison =
        Comparison::run(&candidates, &rows, &Settings { n_boot: 0, ..Settings::default() }).unwrap();
    let pair = &comparison.pairs[0];
    assert!(pair.difference.is_some() && pair.unavailable.is_none());
    assert_eq!((pair.interval, pair.probability_a_smaller), (None, None));
}
