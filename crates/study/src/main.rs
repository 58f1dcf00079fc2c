//! How often intervals hold the truth, what the zero test rejects and how well scope `auto` chooses, in repeated
//! samples from known worlds. Prints what `docs/methods/uncertainty.md` shows. Minutes, not part of the tests.
#![allow(clippy::print_stdout, clippy::unwrap_used)] // a program for the terminal, of which a failed cell must stop

mod audit_sample;
mod celeba;
mod compare;
mod headline;
mod labels;
mod mitigation;
mod plans;
mod scope;
mod sources;

use fairveil_core::disparity::measure;
use fairveil_core::uncertainty::sampling_intervals;
use fairveil_core::{Aggregate, Audit, Criterion, Interval, Settings, World};

struct Cell {
    groups: usize,
    accuracy: f64,
    rows: u64,
    gap: f64,
    criterion: Criterion,
    aggregate: Aggregate,
}

/// Share of samples whose interval holds the truth, the share without an interval, and the mean width.
fn coverage(cell: &Cell, samples: u64) -> (f64, f64, f64) {
    let world = World::symmetric(cell.groups, 2, &[cell.accuracy; 3], cell.gap);
    let view = cell.criterion.view();
    let truth = measure(&world.truth(view), cell.criterion, cell.aggregate, world.legend().positive).unwrap();
    let place = usize::from(cell.aggregate == Aggregate::Difference);
    let (mut held, mut missing, mut width) = (0, 0, 0.0);
    for seed in 0..samples {
        let (counts, _) = world.sample(cell.rows, 1_000_000 + seed).unwrap();
        let settings = Settings { n_boot: 400, seed, ..Settings::default() };
        match sampling_intervals(&counts, cell.criterion, &settings).and_then(|intervals| intervals[place]) {
            Some(Interval { low, high }) => {
                // The truth of a world is exact, the interval is not: rounding must not decide.
                held += u64::from(low <= truth + 1e-9 && truth <= high + 1e-9);
                width += high - low;
            }
            None => missing += 1,
        }
    }
    let made = (samples - missing) as f64;
    (held as f64 / made, missing as f64 / samples as f64, width / made)
}

/// Share of samples without a gap in which the test of no gap rejects at 5 %.
fn zero_test_size(copying: f64, samples: u64) -> f64 {
    let world = World::symmetric(2, 2, &[0.7; 3], 0.0).with_copying(copying).unwrap();
    let settings =
        Settings { n_boot: 0, criteria: vec![Criterion::DemographicParity], ..Settings::default() };
    let rejects = (0..samples).filter(|seed| {
        let (counts, _) = world.sample(3_000, *seed).unwrap();
        let audit = Audit::run(&counts, None, &settings).unwrap();
        audit.tests.iter().find(|test| test.test == fairveil_core::record::Test::NoGap).unwrap().p_value
            < 0.05
    });
    rejects.count() as f64 / samples as f64
}

/// `fairveil-study [coverage|zero-test|scope|audit-sample] [SAMPLES]`: all of them if none is named; or `celeba`,
/// `labels [SAMPLES [WORLD]]`, `mitigation [SEEDS [METHOD]]`, `headline [SAMPLES [WORLD]]`, `sources [SAMPLES [WORLD]]`,
/// `compare [SAMPLES]`, `plans [SAMPLES]`, or `choice [WORLDS [FROM]]`.
fn main() {
    let mut arguments = std::env::args().skip(1).peekable();
    let named = arguments.next_if(|argument| argument.parse::<u64>().is_err());
    let samples: u64 = arguments.next().and_then(|argument| argument.parse().ok()).unwrap_or(400);
    let wanted = |name: &str| named.as_deref().is_none_or(|named| named == name);
    if named.as_deref() == Some("celeba") {
        let beaten = celeba::print(std::path::Path::new("../shared/data/paper/celeba.csv"));
        std::process::exit(i32::from(!beaten));
    }
    if named.as_deref() == Some("labels") {
        return labels::print(if samples == 400 { 200 } else { samples }, arguments.next().as_deref());
    }
    if named.as_deref() == Some("mitigation") {
        use fairveil_train::Method;
        let data = std::path::Path::new("../shared/data");
        let only = arguments.next();
        let methods = [Method::Logistic, Method::Mlp, Method::PlugIn];
        let methods: Vec<Method> =
            methods.into_iter().filter(|m| only.as_deref().is_none_or(|only| only == m.name())).collect();
        let held = mitigation::print(
            if samples == 400 { 8 } else { samples },
            &data.join("compas/compas.csv"),
            &data.join("paper/mitigation.csv"),
            &methods,
        );
        std::process::exit(i32::from(!held));
    }
    if named.as_deref() == Some("headline") {
        headline::print(samples, arguments.next().as_deref());
        return;
    }
    if named.as_deref() == Some("compare") {
        compare::print(if samples == 400 { 200 } else { samples });
        return;
    }
    if named.as_deref() == Some("sources") {
        return sources::print(if samples == 400 { 100 } else { samples }, arguments.next().as_deref());
    }
    if named.as_deref() == Some("plans") {
        return plans::print(if samples == 400 { 100 } else { samples });
    }
    if named.as_deref() == Some("choice") {
        let from = arguments.next().and_then(|from| from.parse().ok()).unwrap_or(1_000);
        headline::print_choice(samples, from, 12);
        return;
    }
    if wanted("coverage") {
        print_coverage(samples);
    }
    if wanted("zero-test") {
        println!("\nTest of no gap, no gap, 3,000 rows, {} samples: share rejected at 5 %", 5 * samples);
        for copying in [0.0, 0.3, 0.5] {
            println!("copying {copying}: {:.1} %", 100.0 * zero_test_size(copying, 5 * samples));
        }
        println!();
    }
    if wanted("scope") {
        scope::print(samples / 10);
    }
    if wanted("audit-sample") {
        audit_sample::print(samples / 10, std::path::Path::new("../shared/data/compas/compas.csv"));
    }
}

fn print_coverage(samples: u64) {
    println!("95 % intervals, global scope, three independent proxies, {samples} samples a cell");
    println!(
        "(standard error of a coverage of 95 %: {:.1} points)\n",
        100.0 * (0.95 * 0.05 / samples as f64).sqrt()
    );
    println!("| groups | criterion | aggregate | accuracy | rows | true gap | coverage | none | width |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut cells = Vec::new();
    let aggregate = Aggregate::MeanPairwise;
    for accuracy in [0.58, 0.65, 0.80] {
        for rows in [2_000, 5_000, 20_000] {
            for gap in [0.0, 0.25] {
                cells.push(Cell {
                    groups: 2,
                    accuracy,
                    rows,
                    gap,
                    criterion: Criterion::DemographicParity,
                    aggregate,
                });
            }
        }
    }
    for criterion in [Criterion::EqualOpportunity, Criterion::EqualizedOdds] {
        for (accuracy, rows) in [(0.65, 5_000), (0.65, 20_000), (0.80, 5_000)] {
            for gap in [0.0, 0.25] {
                cells.push(Cell { groups: 2, accuracy, rows, gap, criterion, aggregate });
            }
        }
    }
    for aggregate in [Aggregate::MeanPairwise, Aggregate::Difference] {
        for (accuracy, rows) in [(0.6, 5_000), (0.6, 20_000), (0.75, 5_000)] {
            for gap in [0.0, 0.25] {
                cells.push(Cell {
                    groups: 3,
                    accuracy,
                    rows,
                    gap,
                    criterion: Criterion::DemographicParity,
                    aggregate,
                });
            }
        }
    }
    let (mut sum, mut least) = (0.0, f64::INFINITY);
    for cell in &cells {
        let (held, missing, width) = coverage(cell, samples);
        sum += held;
        least = least.min(held);
        println!(
            "| {} | {} | {} | {} | {} | {} | {:.1} % | {:.1} % | {width:.3} |",
            cell.groups,
            cell.criterion.words(),
            cell.aggregate.name(),
            cell.accuracy,
            cell.rows,
            cell.gap,
            100.0 * held,
            100.0 * missing
        );
    }
    println!("\nmean {:.1} %, least {:.1} %", 100.0 * sum / cells.len() as f64, 100.0 * least);
}
