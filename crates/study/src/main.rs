//! How often intervals hold the truth, what the zero test rejects and how well scope `auto` chooses, in repeated
//! samples from known worlds. Prints what `docs/methods/uncertainty.md` shows. Minutes, not part of the tests.
#![allow(clippy::print_stdout, clippy::unwrap_used)] // a program for the terminal, of which a failed cell must stop

mod audit_sample;
mod celeba;
mod compare;
mod coverage;
mod headline;
mod labels;
mod measures;
mod mitigation;
mod names;
mod outcomes;
mod plans;
mod scope;
mod sources;

use fairveil_core::record::Test;
use fairveil_core::{Audit, Criterion, Settings, World};
use fairveil_train::Method;
use std::path::Path;

/// Share of samples without a gap in which the test of no gap rejects at 5 %.
fn zero_test_size(copying: f64, samples: u64) -> f64 {
    let world = World::symmetric(2, 2, &[0.7; 3], 0.0).with_copying(copying).unwrap();
    let settings =
        Settings { n_boot: 0, criteria: vec![Criterion::DemographicParity], ..Settings::default() };
    let rejects = (0..samples).filter(|seed| {
        let (counts, _) = world.sample(3_000, *seed).unwrap();
        let audit = Audit::run(&counts, None, &settings).unwrap();
        audit.tests.iter().find(|test| test.test == Test::NoGap).unwrap().p_value < 0.05
    });
    rejects.count() as f64 / samples as f64
}

fn print_zero_test(samples: u64) {
    println!("\nTest of no gap, no gap, 3,000 rows, {samples} samples: share rejected at 5 %");
    for copying in [0.0, 0.3, 0.5] {
        println!("copying {copying}: {:.1} %", 100.0 * zero_test_size(copying, samples));
    }
    println!();
}

/// `fairveil-study [coverage|zero-test|scope|audit-sample] [SAMPLES [WORLD]]`: all of them if none is named; or `celeba`,
/// `labels [SAMPLES [WORLD]]`, `names [SAMPLES [WORLD]]`, `mitigation-rules FOLDER [METHOD]`, `sources [SAMPLES [WORLD]]`, `compare [SAMPLES]`,
/// `plans [SAMPLES]`, `measures [SAMPLES]`, `monitor [YEARS]`, or `choice [WORLDS [FROM]]`.
fn main() {
    let mut arguments = std::env::args().skip(1).peekable();
    let named = arguments.next_if(|argument| argument.parse::<u64>().is_err());
    let samples: Option<u64> = arguments
        .next_if(|argument| argument.parse::<u64>().is_ok())
        .and_then(|argument| argument.parse().ok());
    let samples = |usual: u64| samples.unwrap_or(usual);
    let further = arguments.next();
    let further = further.as_deref();
    let data = Path::new("../shared/data");
    let compas = data.join("compas/compas.csv");
    let held = match named.as_deref() {
        None => {
            coverage::print(samples(200), further);
            print_zero_test(5 * samples(400));
            scope::print(samples(400) / 10);
            audit_sample::print(samples(400) / 10, &compas);
            true
        }
        Some("celeba") => celeba::print(&data.join("paper/celeba.csv")),
        Some("mitigation-rules") => {
            let methods = [Method::PlugIn, Method::Logistic, Method::Mlp].into_iter();
            let only = arguments.next();
            let methods: Vec<Method> =
                methods.filter(|method| only.as_deref().is_none_or(|only| only == method.name())).collect();
            mitigation::print(Path::new(further.unwrap_or(".")), &methods);
            true
        }
        Some(other) => {
            match other {
                "coverage" => coverage::print(samples(200), further),
                "zero-test" => print_zero_test(5 * samples(400)),
                "scope" => scope::print(samples(400) / 10),
                "audit-sample" => audit_sample::print(samples(400) / 10, &compas),
                "labels" => labels::print(samples(200), further),
                "names" => names::print(samples(200), further),
                "compare" => compare::print(samples(200)),
                "sources" => sources::print(samples(100), further),
                "plans" => plans::print(samples(100)),
                "measures" => {
                    measures::print(samples(400));
                    outcomes::print(samples(400));
                }
                "monitor" => measures::print_monitor(samples(1000)),
                "choice" => {
                    let from = further.and_then(|from| from.parse().ok()).unwrap_or(1_000);
                    headline::print_choice(samples(400), from, 12);
                }
                _ => println!("there is no study of this name: {other}"),
            }
            true
        }
    };
    std::process::exit(i32::from(!held));
}
