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
use fairveil_core::setting::visible;
use fairveil_ingest::{AuditTable, Periods, Table};
use fairveil_report::MonitorReport;
use std::path::PathBuf;

pub fn run(args: &MonitorArgs) -> anyhow::Result<Verdict> {
    refuse(args)?;
    let source = Source::new(&args.table)?;
    if args.date.is_none() && source.files().len() < 2 {
        bail!(
            "neither dates nor several files say which period a row is of\n  needed: a column of dates, or a file for each period\n  to do:  \
             give --date, or name two files or more"
        );
    }
    let inputs: Vec<_> = source.files().iter().cloned().chain(args.given.clone()).collect();
    let places = Places::reserve(&args.forms(), &inputs)?;
    let asked = AuditTable::new(args.columns());
    let (table, sha256) = source.read(&args.table.reading(), places.shown(), |inputs, reading| {
        with_threads(args.table.threads, || asked.read(inputs, reading)).map_err(anyhow::Error::from)
    })?;
    let Table { counts, segments, .. } = table;
    let settings = args.settings_of(counts.legend())?;
    let Periods { periods, left_out } = match args.date {
        Some(_) => Periods::of(segments, args.every, args.min_rows)?,
        None => Periods::of_files(segments, &file_names(source.files()), args.min_rows)?,
    };
    let name = source.name();
    let monitor = with_threads(args.table.threads, || Monitor::run(&counts, &periods, &settings))
        .with_context(|| name.clone())?
        .spelled(&Flags);
    let made = Made::new(None, sha256);
    let report = MonitorReport {
        monitor: &monitor,
        every: if args.date.is_some() { args.every.name() } else { "file" },
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

/// Files by their names; those that several folders have, by more of their paths.
fn file_names(files: &[PathBuf]) -> Vec<String> {
    let short = |file: &PathBuf| file.file_name().map(|name| name.to_string_lossy().into_owned());
    let named = |file: &PathBuf| {
        let alike = files.iter().filter(|other| short(other) == short(file)).count();
        short(file).filter(|_| alike == 1).unwrap_or_else(|| file.to_string_lossy().into_owned())
    };
    files.iter().map(|file| visible(&named(file)).into_owned()).collect()
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
