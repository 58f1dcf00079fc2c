//! `fairveil compare`: several models on the same people.

use crate::args::AuditArgs;
use crate::dialect::Flags;
use crate::intake::Source;
use crate::mechanism;
use crate::places::Places;
use crate::provenance::Made;
use crate::threads::with_threads;
use anyhow::{Context, bail};
use fairveil_core::compare::{Candidate, Comparison};
use fairveil_ingest::read_compared;
use fairveil_report::ComparisonReport;

pub fn run(args: &AuditArgs) -> anyhow::Result<()> {
    refuse(args)?;
    let source = Source::new(&args.table)?;
    let places = Places::reserve(&args.forms(), &args.inputs(&source))?;
    let mechanisms = mechanism::read(&args.mechanism, source.files())?;
    let columns = args.columns();
    let (mut compared, sha256) = source.read(&args.table.reading(), places.shown(), |inputs, reading| {
        read_compared(inputs, &columns, reading)
    })?;
    let tables = std::mem::take(&mut compared.tables).into_iter();
    compared.tables = tables.map(|table| table.with_mechanisms(&mechanisms)).collect::<Result<_, _>>()?;
    let settings = args.settings_of(compared.tables[0].counts.legend())?;
    let candidates: Vec<Candidate> = (compared.tables.iter())
        .map(|table| Candidate { counts: &table.counts, truth: table.truth.as_ref() })
        .collect();
    let name = source.name();
    let comparison =
        with_threads(args.table.threads, || Comparison::run(&candidates, &compared.rows, &settings))
            .with_context(|| name.clone())?
            .spelled(&Flags);
    let made = Made::new(args.date.as_deref(), sha256).identified(&args.identity);
    places.commit(&ComparisonReport { comparison: &comparison, about: made.about(&name) }, &[])
}

/// What an audit takes and a comparison does not.
fn refuse(args: &AuditArgs) -> anyhow::Result<()> {
    if args.table.y_pred.len() < 2 {
        bail!(
            "{} model is named\n  needed: two or more\n  to do:  give --y-pred once for each",
            args.table.y_pred.len()
        );
    }
    let given = [
        (!args.fail_above.is_empty(), "--fail-above"),
        (!args.fail_below.is_empty(), "--fail-below"),
        (args.outcome.outcome.is_some(), "--outcome"),
        (!args.table.by.is_empty(), "--by"),
        (args.names.is_given(), "a column of names or places"),
        (!args.control.is_empty(), "--control"),
        (!args.evidence.is_empty(), "--evidence"),
        (!args.population.is_empty(), "--population"),
        (args.table.audit_labels.is_some(), "--audit-labels"),
        (args.svg.is_some(), "--svg"),
        (args.jsonl.is_some(), "--jsonl"),
        (args.near.features.is_some(), "--features"),
    ];
    match given.iter().find(|(is, _)| *is) {
        Some((_, flag)) => {
            bail!(
                "{flag} is for one model, and compare looks at several\n  needed: proxies that guess\n  to do:  leave it out, or use \
                 fairveil audit for each model"
            )
        }
        None => Ok(()),
    }
}
