//! How long one fit takes. With `--json`, one line per case for `bench/compare.py`: the time and the table, so
//! that a peer can be given the same work.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // a program for the terminal

use fairveil_core::counts::Frequencies;
use fairveil_core::estimate::{Hoc, NoiseEstimator};
use fairveil_core::noise::NoiseModel;
use fairveil_core::{Scope, World};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Median time of one call, over batches that together take about a second.
fn median(mut call: impl FnMut()) -> Duration {
    let mut times = Vec::new();
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(1) || times.len() < 11 {
        let once = Instant::now();
        call();
        times.push(once.elapsed());
    }
    times.sort();
    times[times.len() / 2]
}

fn patterns(seen: &Frequencies) -> String {
    let pattern = |(cell, share): &(fairveil_core::counts::Cell, f64)| {
        let guesses: Vec<String> = cell.guesses.iter().map(|g| g.unwrap().0.to_string()).collect();
        format!("[[{}],{share:e}]", guesses.join(","))
    };
    seen.cells().iter().map(pattern).collect::<Vec<_>>().join(",")
}

fn main() {
    let json = std::env::args().any(|argument| argument == "--json");
    for groups in [2, 3, 5] {
        // A sample, not an exact table: the solver has to work for its answer.
        let world = World::random(groups, 2, 3, false, 1);
        let seen = world.sample(20_000, 1).unwrap().0.frequencies();
        let estimator = Hoc { scope: Scope::Global };
        let time = median(|| drop(black_box(estimator.fit(black_box(&seen)))));
        let NoiseModel::Global(fit) = estimator.fit(&seen).unwrap() else { continue };
        let micros = time.as_secs_f64() * 1e6;
        if json {
            println!(
                "{{\"groups\":{groups},\"micros\":{micros},\"misfit\":{:e},\"patterns\":[{}]}}",
                fit.misfit,
                patterns(&seen)
            );
        } else {
            println!("HOC, {groups} groups: {micros:.1} µs, {:?}", fit.stopped);
        }
    }
}
