//! `fairveil audit`: the whole flow for a person with a table.

use crate::args::AuditArgs;
use crate::dialect::Flags;
use crate::intake::Source;
use crate::mechanism;
use crate::nearness;
use crate::output::tell;
use crate::places::Places;
use crate::provenance::Made;
use crate::threads::with_threads;
use anyhow::{Context, bail};
use fairveil_core::Audit;
use fairveil_core::counts::Randomized;
use fairveil_core::gate::{Judged, Verdict};
use fairveil_core::record::SegmentRecord;
use fairveil_core::segments::Segment;
use fairveil_ingest::{Input, Reading, Table, read_confident, read_labels, read_table};
use fairveil_report::AuditReport;

pub fn run(args: &AuditArgs) -> anyhow::Result<Verdict> {
    refuse(args)?;
    let source = Source::new(&args.table)?;
    let places = Places::reserve(&args.forms(), &args.inputs(&source))?;
    let mechanisms = mechanism::read(&args.mechanism, source.files())?;
    let (table, sha256) = read(args, &source, places.shown())?;
    let Table { counts, truth, segments } = undone(table, &mechanisms)?;
    let settings = args.settings_of(counts.legend())?;
    let name = source.name();
    let audit = with_threads(args.table.threads, || Audit::run(&counts, truth.as_ref(), &settings))?
        .with_context(|| name.clone())?
        .spelled(&Flags);
    let segments = with_threads(args.table.threads, || Segment::audits(&segments, &settings))?;
    let segments: Vec<SegmentRecord> = segments.into_iter().map(|segment| segment.spelled(&Flags)).collect();
    // Judged before anything is written: a gate that cannot be leaves no file.
    let judged: Vec<Judged> =
        args.fail_above.iter().map(|gate| gate.judge(&audit)).collect::<Result<_, _>>()?;
    let made = Made::new(args.date.as_deref(), sha256);
    let report =
        AuditReport { audit: &audit, by: &args.table.by, segments: &segments, about: made.about(&name) };
    places.commit(&report, &[])?;
    judged.iter().for_each(|judged| tell(&judged.to_string()));
    Ok(Judged::together(&judged))
}

/// Combinations that make no sense.
fn refuse(args: &AuditArgs) -> anyhow::Result<()> {
    let table = &args.table;
    if table.y_pred.len() > 1 {
        bail!(
            "{} columns of decisions are named\n  needed: one\n  to do:  fairveil compare takes several",
            table.y_pred.len()
        );
    }
    if args.near.features.is_some() && args.audit_table.is_some() {
        bail!(
            "--audit-table names rows of another table, which borrow no guesses from the neighbours of this one\n  \
             needed: the same proxies in both\n  to do:  put the known groups in the audited table, or leave out --features"
        );
    }
    if args.triple_seed.is_some() && args.confident_joint() {
        bail!(
            "--triple-seed mixes the guesses of rows, and estimator confident-joint asks for a row's own\n  \
             needed: one of the two\n  to do:  leave out --triple-seed"
        );
    }
    Ok(())
}

/// The table with what mechanisms did to its guesses.
fn undone(table: Table, mechanisms: &[Randomized]) -> anyhow::Result<Table> {
    let of_segment =
        |segment: Segment| Ok(Segment { counts: segment.counts.with_mechanisms(mechanisms)?, ..segment });
    let segments = table.segments.into_iter().map(of_segment).collect::<anyhow::Result<_>>()?;
    Ok(Table { counts: table.counts.with_mechanisms(mechanisms)?, segments, ..table })
}

/// The table, and the SHA-256 of its bytes where a report will show it.
fn read(args: &AuditArgs, source: &Source, shown: bool) -> anyhow::Result<(Table, Option<String>)> {
    let (columns, reading) = (args.columns(), args.table.reading());
    let (mut table, sha256) = match args.near.features {
        None => source.read(&reading, shown, |inputs, reading| read_table(inputs, &columns, reading))?,
        Some(_) => {
            let columns = args.near.columns(columns.clone());
            let (found, sha256) = nearness::find(&args.near, source, &columns, &reading, shown, args.quiet)?;
            (found.table(args.triple_seed)?, sha256)
        }
    };
    if args.confident_joint() && !args.table.proxy_probs.is_empty() {
        if source.is_standard() {
            bail!(
                "estimator confident-joint reads the table twice\n  to do:  write it to a file and name that"
            );
        }
        let again =
            |inputs: Vec<Input>, reading: &Reading| read_confident(inputs, &columns, &table.counts, reading);
        let (tally, _) = source.read(&reading, false, again)?;
        table.counts = table.counts.with_confident_tally(tally);
    }
    if let (Some(path), Some(column)) = (&args.audit_table, &args.table.audit_labels) {
        let input = vec![Input::File(path.clone())];
        let labels = read_labels(input, &columns, column, table.counts.legend(), &reading)?;
        table.counts = table.counts.with_audit_labels(labels);
    }
    Ok((table, sha256))
}
