//! `fairveil monitor`: the gap by period, and an alarm.

use crate::args::MonitorArgs;
use crate::dialect::Flags;
use crate::intake::Source;
use crate::places::Places;
use crate::provenance::Made;
use crate::threads::with_threads;
use anyhow::{Context, bail};
use fairveil_core::Monitor;
use fairveil_core::gate::Verdict;
use fairveil_ingest::{AuditTable, Periods, Table};
use fairveil_report::MonitorReport;

pub fn run(args: &MonitorArgs) -> anyhow::Result<Verdict> {
    refuse(args)?;
    let source = Source::new(&args.table)?;
    let inputs: Vec<_> = source.files().iter().cloned().chain(args.given.clone()).collect();
    let places = Places::reserve(&args.forms(), &inputs)?;
    let asked = AuditTable::new(args.columns());
    let (table, sha256) = source.read(&args.table.reading(), places.shown(), |inputs, reading| {
        with_threads(args.table.threads, || asked.read(inputs, reading)).map_err(anyhow::Error::from)
    })?;
    let Table { counts, segments, .. } = table;
    let settings = args.settings_of(counts.legend())?;
    let Periods { periods, left_out } = Periods::of(segments, args.every, args.min_rows)?;
    let name = source.name();
    let monitor = with_threads(args.table.threads, || Monitor::run(&counts, &periods, &settings))
        .with_context(|| name.clone())?
        .spelled(&Flags);
    let made = Made::new(None, sha256);
    let report = MonitorReport {
        monitor: &monitor,
        every: args.every.name(),
        left_out: left_out.as_deref(),
        about: made.about(&name),
    };
    places.commit(&report, &[])?;
    Ok(match (&monitor.alarm, &monitor.unavailable) {
        (_, Some(_)) => Verdict::Undecided,
        (Some(_), None) => Verdict::Crossed,
        (None, None) => Verdict::Held,
    })
}

/// Combinations that make no sense.
fn refuse(args: &MonitorArgs) -> anyhow::Result<()> {
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
