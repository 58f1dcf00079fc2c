//! Whether the chance that one model's gap is the smaller is what it says: two models on the same people, selecting about half and
//! about one in twenty, so that one gap is known far better than the other.

use fairveil_core::compare::{Candidate, Order, PairedCell, WhyNoOrder};
use fairveil_core::counts::{Cell, Intake, Tally};
use fairveil_core::noise::TransitionMatrix;
use fairveil_core::vocabulary::{Class, Legend, Stratum};
use fairveil_core::world::WorldStratum;
use fairveil_core::{Comparison, Counts, Criterion, Settings, World};
use rand_distr::{Distribution, Uniform};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::SeedableRng;
use std::collections::BTreeMap;

/// Rates of the positive decision around which groups differ.
const RATES: [f64; 2] = [0.5, 0.05];

/// What is seen of one sample.
struct Seen {
    chance: f64,
    low: f64,
    high: f64,
    order: Option<Order>,
    refused: bool,
}

/// Two groups, the first 40 %, whose rates differ by a signed gap in each model; a class for each pair of decisions.
fn world(gaps: [f64; 2], right: &[f64]) -> World {
    let legend = Legend::plain(2, 4, right.len(), false);
    let noise: Vec<_> = right.iter().map(|right| TransitionMatrix::symmetric(2, *right)).collect();
    let (shares, sides) = ([0.4, 0.6], [-0.5, 0.5]);
    let part = |class: usize| {
        let decided = |model: usize, a: usize| {
            let rate = RATES[model] + sides[a] * gaps[model];
            if class >> model & 1 == 1 { rate } else { 1.0 - rate }
        };
        let joint = (0..2).map(|a| shares[a] * decided(0, a) * decided(1, a)).collect();
        WorldStratum {
            stratum: Stratum { label: None, prediction: Class(class) },
            joint,
            noise: noise.clone(),
        }
    };
    World::new(legend, (0..4).map(part).collect()).unwrap()
}

fn compared(world: &World, rows: u64, seed: u64) -> Option<Seen> {
    let (counts, _) = world.sample(rows, seed).unwrap();
    let decided = |class: Class, model: usize| Class(class.0 >> model & 1);
    let pair = |(cell, tally): (&Cell, &Tally)| {
        let predictions = vec![decided(cell.stratum.prediction, 0), decided(cell.stratum.prediction, 1)];
        (PairedCell { predictions, label: None, guesses: cell.guesses.clone() }, tally.weight)
    };
    let paired: Vec<(PairedCell, f64)> = counts.cells().map(pair).collect();
    let proxies = counts.legend().proxies.len();
    let of_model = |model: usize| {
        let mut legend = Legend::plain(2, 2, proxies, false);
        legend.prediction = ["half", "few"][model].into();
        let mut cells: BTreeMap<Cell, f64> = BTreeMap::new();
        for (row, weight) in &paired {
            let stratum = Stratum { label: None, prediction: row.predictions[model] };
            *cells.entry(Cell { stratum, guesses: row.guesses.clone() }).or_default() += weight;
        }
        let cells = cells.into_iter().map(|(cell, weight)| (cell, Tally::of(weight)));
        Counts::new(legend, Intake { rows, ..Intake::default() }, cells).unwrap()
    };
    let tables = [of_model(0), of_model(1)];
    let candidates = [0, 1].map(|model| Candidate { counts: &tables[model], truth: None });
    let criteria = vec![Criterion::DemographicParity];
    let settings = Settings { n_boot: 400, seed, criteria, ..Settings::default() };
    let comparison = Comparison::run(&candidates, &paired, &settings).unwrap();
    let pair = comparison.pairs.into_iter().next()?;
    let (chance, range) = pair.probability_a_smaller.zip(pair.probability_range)?;
    let refused = pair.no_order.is_some_and(|reason| reason.why == WhyNoOrder::NotSupported);
    Some(Seen { chance, low: range.low, high: range.high, order: pair.order, refused })
}

/// Prints both tables.
pub fn print(samples: u64) {
    println!(
        "Chance that the first of two models has the smaller gap, {samples} samples a cell (standard error of a mean .02)\n"
    );
    println!(
        "| gap, selecting half | selecting 5 % | right | rows | mean chance | below .05 | above .95 | no number |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let strong: &[f64] = &[0.8; 3];
    let unequal: &[f64] = &[0.9, 0.7, 0.6];
    let cells: [([f64; 2], &[f64], u64); 10] = [
        ([0.0, 0.0], strong, 4_000),
        ([0.02, 0.02], strong, 4_000),
        ([0.02, -0.02], strong, 4_000),
        ([0.04, 0.04], strong, 4_000),
        ([0.04, 0.04], strong, 20_000),
        ([0.08, 0.08], strong, 4_000),
        ([0.04, 0.04], unequal, 10_000),
        ([-0.04, 0.04], unequal, 10_000),
        ([0.04, 0.04], &[0.65; 3], 20_000),
        ([0.02, 0.06], strong, 20_000),
    ];
    for (gaps, right, rows) in cells {
        let world = world(gaps, right);
        let seen: Vec<Option<Seen>> = (0..samples).map(|seed| compared(&world, rows, seed)).collect();
        let found: Vec<f64> = seen.iter().flatten().map(|seen| seen.chance).collect();
        let share = |of: &dyn Fn(f64) -> bool| {
            found.iter().filter(|chance| of(**chance)).count() as f64 / found.len().max(1) as f64
        };
        println!(
            "| {:.2} | {:.2} | {right:?} | {rows} | {:.3} | {:.3} | {:.3} | {:.3} |",
            gaps[0],
            gaps[1],
            found.iter().sum::<f64>() / found.len().max(1) as f64,
            share(&|p| p < 0.05),
            share(&|p| p > 0.95),
            1.0 - found.len() as f64 / samples as f64,
        );
    }
    print_bins(10 * samples);
}

/// Worlds with any gaps: among those with a chance, how often the first gap is the smaller.
fn print_bins(worlds: u64) {
    println!(
        "\n{worlds} worlds, gaps drawn evenly from −.1 to .1, 2,000 to 20,000 rows, proxies right .7 to .9\n"
    );
    println!("| chance | worlds | mean chance | first is smaller |");
    println!("|---|---|---|---|");
    let mut random = Pcg64::seed_from_u64(2026);
    let mut draw = |low: f64, high: f64| Uniform::new(low, high).unwrap().sample(&mut random);
    let mut bins = [[0.0; 3]; 10];
    let (mut told, mut wrong, mut refused, mut held, mut all) = (0, 0, 0, 0, 0);
    for seed in 0..worlds {
        // One in twenty leaves a gap of at most .1.
        let gaps = [draw(-0.1, 0.1), draw(-0.095, 0.095)];
        let right: Vec<f64> = vec![draw(0.7, 0.9); 3];
        let rows = draw(2_000.0, 20_000.0) as u64;
        let smaller = gaps[0].abs() < gaps[1].abs();
        let Some(seen) = compared(&world(gaps, &right), rows, 100_000 + seed) else { continue };
        let bin = &mut bins[((10.0 * seen.chance) as usize).min(9)];
        bin[0] += 1.0;
        bin[1] += seen.chance;
        bin[2] += f64::from(u8::from(smaller));
        all += 1;
        held += u64::from(if smaller { seen.high > 0.05 } else { seen.low < 0.95 });
        refused += u64::from(seen.refused);
        if let Some(order) = seen.order {
            told += 1;
            wrong += u64::from((order == Order::FirstSmaller) != smaller);
        }
    }
    for (i, [count, chances, smaller]) in bins.iter().enumerate() {
        let of = |sum: f64| sum / count.max(1.0);
        println!("| .{i} to .{} | {count} | {:.3} | {:.3} |", i + 1, of(*chances), of(*smaller));
    }
    println!(
        "\norders told {told} of {all}, wrong {wrong}; not supported {refused}; true order within the range {held}"
    );
}
