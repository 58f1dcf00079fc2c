//! How often intervals hold the truth, what the zero test rejects and how well scope `auto` chooses, in repeated
//! samples from known worlds. Prints what `docs/methods/uncertainty.md` shows. Minutes, not part of the tests.
#![allow(clippy::print_stdout, clippy::unwrap_used)] // a program for the terminal, of which a failed cell must stop

mod audit_sample;
mod celeba;
mod compare;
mod coverage;
mod headline;
mod labels;
mod mitigation;
mod names;
mod plans;
mod scope;
mod sources;

use fairveil_core::{Audit, Criterion, Settings, World};

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

/// `fairveil-study [coverage|zero-test|scope|audit-sample] [SAMPLES [WORLD]]`: all of them if none is named; or `celeba`,
/// `labels [SAMPLES [WORLD]]`, `names [SAMPLES [WORLD]]`, `mitigation [SEEDS [METHOD]]`, `sources [SAMPLES [WORLD]]`, `compare [SAMPLES]`,
/// `plans [SAMPLES]`, or `choice [WORLDS [FROM]]`.
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
    if named.as_deref() == Some("names") {
        return names::print(if samples == 400 { 200 } else { samples }, arguments.next().as_deref());
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
        coverage::print(if samples == 400 { 200 } else { samples }, arguments.next().as_deref());
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
