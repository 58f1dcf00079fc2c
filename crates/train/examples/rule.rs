//! A rule with a smaller gap, learned from rows in memory, written, read back and applied: `cargo run --example rule`.

#![allow(clippy::print_stdout, reason = "an example tells what it found")]

use fairveil_core::privacy::rand_core::Rng;
use fairveil_core::vocabulary::{Class, Guess, Legend};
use fairveil_train::{Feature, FeatureValues, MitigateSettings, Rows, Rule, Value, mitigate};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Two groups, incomes that differ between them, repayment that follows income and years at work, three proxies right for
    // four of five.
    let mut random = rand_pcg::Pcg64::new(7, 7);
    let mut chance = |share: f64| (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64 > 1.0 - share;
    let count = 6_000;
    let (mut incomes, mut years, mut labels) = (Vec::<f32>::new(), Vec::<f32>::new(), Vec::new());
    let mut guesses = vec![Vec::new(); 3];
    for _ in 0..count {
        let group = usize::from(chance(0.4));
        let income = (0..20).filter(|_| chance(0.6 - 0.15 * group as f64)).count() as f64;
        let worked = (0..20).filter(|_| chance(0.5)).count() as f64;
        labels
            .push(Some(Class(usize::from(chance((0.05 * (income + 2.0 * worked) - 1.0).clamp(0.02, 0.98))))));
        years.push(worked as f32);
        incomes.push(income as f32);
        for of_proxy in &mut guesses {
            of_proxy.push(Some(Guess(if chance(0.8) { group } else { 1 - group })));
        }
    }
    let rows = Rows {
        legend: Legend::plain(2, 2, 3, true),
        rows: count,
        predictions: None,
        labels: Some(labels),
        guesses,
        weights: None,
        scores: None,
        score: None,
        truth: None,
        marks: None,
        split: None,
        held_out: None,
        features: vec![
            Feature { name: "income".into(), values: FeatureValues::Numbers(incomes) },
            Feature { name: "years".into(), values: FeatureValues::Numbers(years) },
        ],
    };
    let done = mitigate(&rows, &MitigateSettings { curve: false, ..MitigateSettings::default() }, &|_| {})?;
    let rule = Rule::from_json(&done.rule.to_json()?)?;
    let decide = |years: f64| rule.decide(&[Value::Number(10.0), Value::Number(years)]);
    let approved = (0..=20).map(|years| decide(f64::from(years))).collect::<Result<Vec<bool>, _>>()?;
    println!("of incomes of 10, approved from {:?} years on", approved.iter().position(|is| *is));
    assert!(!approved[0] && approved[20]);
    assert_eq!(rule.needs().len(), 2);
    Ok(())
}
