//! `fairveil curve`: a number by group, along all thresholds.

use crate::args::CurveArgs;
use crate::dialect::Flags;
use crate::intake::Source;
use crate::places::Places;
use crate::provenance::Made;
use crate::threads::with_threads;
use anyhow::{Context, bail};
use fairveil_core::Curve;
use fairveil_core::curve::CurveSettings;
use fairveil_ingest::{AuditTable, Table};
use fairveil_report::CurveReport;

pub fn run(args: &CurveArgs) -> anyhow::Result<()> {
    refuse(args)?;
    let number = args.number()?;
    let source = Source::new(&args.table)?;
    let inputs: Vec<_> = source.files().iter().cloned().chain(args.given.clone()).collect();
    let places = Places::reserve(&args.forms(), &inputs)?;
    let asked = AuditTable::new(args.columns(&number));
    let (table, sha256) = source.read(&args.table.reading(), places.shown(), |inputs, reading| {
        with_threads(args.table.threads, || asked.read(inputs, reading)).map_err(anyhow::Error::from)
    })?;
    let Table { counts, segments, .. } = table;
    let (bins, in_none) = number.bins.of(segments);
    // Where the number decides, rows without one were left out before.
    let left_out = if args.table.y_pred.is_empty() { counts.intake().without_prediction } else { 0 };
    let rows_without = in_none + left_out;
    let column = number.column.to_owned();
    let settings = CurveSettings { column, rows_without, audit: args.settings_of(counts.legend())? };
    let name = source.name();
    let curve = with_threads(args.table.threads, || Curve::run(&counts, &bins, &settings))
        .with_context(|| name.clone())?
        .spelled(&Flags);
    let made = Made::new(None, sha256);
    places.commit(&CurveReport { curve: &curve, about: made.about(&name) }, &[])
}

/// What an audit takes and this does not.
fn refuse(args: &CurveArgs) -> anyhow::Result<()> {
    if args.table.y_pred.len() > 1 {
        bail!("{} columns of decisions are named\n  needed: one", args.table.y_pred.len());
    }
    let given = [
        (!args.table.by.is_empty(), "--by"),
        (args.table.audit_labels.is_some(), "--audit-labels"),
        (args.table.truth.is_some(), "--truth"),
    ];
    match given.iter().find(|(is, _)| *is) {
        Some((_, flag)) => bail!("{flag} is for an audit\n  to do:  leave it out, or use fairveil audit"),
        None => Ok(()),
    }
}
