//! A page about an audit, written to a file: `cargo run --example page`.

#![allow(clippy::print_stdout, reason = "an example tells what it found")]

use fairveil_core::setting::Plain;
use fairveil_core::{Audit, Settings, World};
use fairveil_report::{About, AuditReport, Provenance, Report};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (counts, _) = World::lending().sample(5_000, 1)?;
    let audit = Audit::run(&counts, None, &Settings { n_boot: 200, ..Settings::default() })?;
    let about = About {
        table: "loans in memory",
        version: env!("CARGO_PKG_VERSION"),
        provenance: Provenance { date: Some("2026-01-01"), ..Provenance::default() },
        dialect: &Plain,
    };
    let report = AuditReport::new(&audit, about);
    let page = report.html();
    let path = std::env::temp_dir().join(format!("fairveil-example-{}.html", std::process::id()));
    std::fs::write(&path, &page)?;
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("loans in memory"));
    println!("{} bytes of HTML, {} of JSON", page.len(), report.json()?.len());
    Ok(std::fs::remove_file(path)?)
}
