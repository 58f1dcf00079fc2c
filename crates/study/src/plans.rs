//! Whether an audit prints the half-width that was planned.

use fairveil_core::estimate::{AuditLabels, Population};
use fairveil_core::noise::TransitionMatrix;
use fairveil_core::plan::Situation;
use fairveil_core::vocabulary::{Class, Legend, Stratum};
use fairveil_core::world::WorldStratum;
use fairveil_core::{Aggregate, Audit, Criterion, Settings, World};

/// Shares of the two groups, and their rates of selection.
const SHARES: [f64; 2] = [0.4, 0.6];
const RATES: [f64; 2] = [0.35, 0.55];
/// The half-width that rows are planned for.
const WANTED: f64 = 0.05;

fn noise(right: &[f64]) -> Vec<TransitionMatrix> {
    right.iter().map(|right| TransitionMatrix::symmetric(2, *right)).collect()
}

fn world(right: &[f64]) -> World {
    let legend = Legend::plain(2, 2, right.len(), false);
    let part = |k: usize| WorldStratum {
        stratum: Stratum { label: None, prediction: Class(k) },
        joint: (0..2).map(|a| SHARES[a] * if k == 1 { RATES[a] } else { 1.0 - RATES[a] }).collect(),
        noise: noise(right),
    };
    World::new(legend, vec![part(0), part(1)]).unwrap()
}

/// Half-widths that audits print: of the difference without labels, of the range on top with them; and how many have none.
fn printed(world: &World, rows: u64, labels: usize, samples: u64) -> (f64, u64) {
    let (mut sum, mut none) = (0.0, 0);
    for seed in 0..samples {
        let (mut counts, _) = world.sample(rows - labels as u64, 500_000 + seed).unwrap();
        if labels > 0 {
            let mut known = AuditLabels::new(Population::Same);
            for person in world.people(900_000 + seed).take(labels) {
                known.add(Some(person.stratum), person.guesses, person.group, 1, 1.0);
            }
            counts = counts.with_audit_labels(known);
        }
        let criteria = vec![Criterion::DemographicParity];
        let settings = Settings { n_boot: 400, seed, criteria, ..Settings::default() };
        let audit = Audit::run(&counts, None, &settings).unwrap();
        let found =
            audit.recommended(Criterion::DemographicParity, Aggregate::Difference).and_then(
                |top| match labels {
                    0 => top.pairs.first()?.interval.map(|ends| ends.width() / 2.0),
                    _ => top.honest_interval.as_ref().map(|range| range.ends.width() / 2.0),
                },
            );
        match found {
            Some(width) => sum += width,
            None => none += 1,
        }
    }
    (sum / (samples - none).max(1) as f64, none)
}

/// Prints planned and printed half-widths.
pub fn print(samples: u64) {
    println!("Planned half-width and the mean of what {samples} audits print\n");
    println!("| right | rows | labels | planned | printed | ratio | no number |");
    println!("|---|---|---|---|---|---|---|");
    let proxies: [&[f64]; 10] = [
        &[0.8; 3],
        &[0.65; 3],
        &[0.6; 3],
        &[0.9, 0.7, 0.6],
        &[0.95, 0.6, 0.55],
        &[0.8; 4],
        &[0.65; 4],
        &[0.6; 4],
        &[0.9, 0.7, 0.6, 0.6],
        &[0.95, 0.6, 0.55, 0.6],
    ];
    let row = |right: &[f64], rows: f64, labels: usize, planned: f64| {
        let (found, none) = printed(&world(right), rows as u64, labels, samples);
        println!(
            "| {right:?} | {rows:.0} | {labels} | {planned:.4} | {found:.4} | {:.2} | {none} |",
            found / planned
        );
    };
    for right in proxies {
        let situation = Situation::new(SHARES.to_vec(), RATES.to_vec(), noise(right)).unwrap();
        match situation.rows_for(WANTED, 0.95) {
            Ok(rows) => row(right, rows, 0, situation.half_width(rows.floor(), 0.0, 0.95).unwrap()),
            Err(reason) => println!("| {right:?} | | 0 | {reason} | | | |"),
        }
    }
    for right in &proxies[..5] {
        let situation = Situation::new(SHARES.to_vec(), RATES.to_vec(), noise(right)).unwrap();
        for labels in [200, 400] {
            let rows = 5_000.0;
            row(right, rows, labels, situation.half_width(rows, labels as f64, 0.95).unwrap());
        }
    }
}
