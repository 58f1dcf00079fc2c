//! An audit of an Arrow record batch: `cargo run --example arrow_batch`.
#![allow(clippy::print_stdout, reason = "what it prints is what it is for")]

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use fairveil_core::{Aggregate, Audit, Criterion, Settings, World};
use fairveil_ingest::{AuditTable, Columns, Input, Reading, Table};
use std::error::Error;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    // A frame of any library that speaks Arrow will do; here people are simulated.
    let world = World::lending();
    let legend = world.legend();
    let people: Vec<_> = world.people(1).take(20_000).collect();
    let decisions = people.iter().map(|person| Some(legend.class(person.stratum.prediction)));
    let mut columns: Vec<(String, ArrayRef)> =
        vec![("y_pred".into(), Arc::new(decisions.collect::<StringArray>()))];
    for (place, proxy) in legend.proxies.iter().enumerate() {
        let guesses = people.iter().map(|person| person.guesses[place].map(|guess| legend.group(guess)));
        columns.push((proxy.name.clone(), Arc::new(guesses.collect::<StringArray>())));
    }
    let batch = RecordBatch::try_from_iter(columns)?;

    let proxies = legend.proxies.iter().map(|proxy| proxy.name.clone()).collect();
    let positive = Some(legend.class(legend.positive).to_owned());
    let asked = AuditTable::new(Columns { proxies, positive, ..Columns::default() });
    let input = Input::of_batches("people", vec![batch]);
    let Table { counts, truth, .. } = asked.read(vec![input], &Reading::default())?;
    let audit = Audit::run(&counts, truth.as_ref(), &Settings::default())?;
    let gap = audit.recommended(Criterion::DemographicParity, Aggregate::Difference);
    let gap = gap.and_then(|result| result.value).ok_or("no number can be given")?;
    // The people of this world differ by 0.25.
    assert!((gap - 0.25).abs() < 0.05, "{gap}");
    println!("a gap of {gap:.3}, and {} findings", audit.findings.len());
    Ok(())
}
