//! An audit of rows that are in memory: `cargo run --example rows_in_memory`.

#![allow(clippy::print_stdout, reason = "an example tells what it found")]

use fairveil_core::counts::{CountsBuilder, Row};
use fairveil_core::{Aggregate, Audit, Criterion, Settings, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Anything that has a decision and guesses will do; here people are simulated.
    let world = World::lending();
    let legend = world.legend().clone();
    let mut rows = CountsBuilder::new(legend.clone());
    for person in world.people(1).take(20_000) {
        let guesses: Vec<Option<&str>> =
            person.guesses.iter().map(|guess| guess.map(|guess| legend.group(guess))).collect();
        rows.add(&Row {
            prediction: legend.class(person.stratum.prediction),
            label: person.stratum.label.map(|label| legend.class(label)),
            guesses: &guesses,
            weight: 1.0,
        })?;
    }
    let audit = Audit::run(&rows.finish()?, None, &Settings::default())?;
    let gap = audit.recommended(Criterion::DemographicParity, Aggregate::Difference);
    let gap = gap.and_then(|result| result.value).ok_or("no number can be given")?;
    // The people of this world differ by 0.25.
    assert!((gap - 0.25).abs() < 0.05, "{gap}");
    println!("a gap of {gap:.3}, and {} findings", audit.findings.len());
    Ok(())
}
