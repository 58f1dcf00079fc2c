//! `fairveil audit`: the whole flow for a person with a table.

use crate::args::AuditArgs;
use crate::dialect::Flags;
use crate::intake::Source;
use crate::mechanism;
use crate::nearness::Search;
use crate::output::{Shown, tell};
use crate::places::Places;
use crate::provenance::Made;
use crate::threads::with_threads;
use anyhow::{Context, bail};
use fairveil_core::Audit;
use fairveil_core::gate::{Judged, Verdict};
use fairveil_core::record::SegmentRecord;
use fairveil_core::segments::{Segment, TogetherRecord};
use fairveil_ingest::{AuditTable, Columns, EvidenceFile, Input, Near, Table};
use fairveil_report::AuditReport;
use std::path::PathBuf;

pub fn run(args: &AuditArgs) -> anyhow::Result<Verdict> {
    refuse(args)?;
    let source = Source::new(&args.table)?;
    let places = Places::reserve(&args.forms(), &args.inputs(&source))?;
    let mechanisms = mechanism::read(&args.mechanism, source.files())?;
    let (table, sha256) = read(args, &source, places.shown())?;
    let table = match &args.population()?[..] {
        [] => table,
        stated => table.with_population(stated)?,
    };
    let Table { counts, truth, segments } = table.with_mechanisms(&mechanisms)?;
    let settings = args.settings_of(counts.legend())?;
    let name = source.name();
    let audit = with_threads(args.table.threads, || Audit::run(&counts, truth.as_ref(), &settings))
        .with_context(|| name.clone())?
        .spelled(&Flags);
    let settings = settings.beside(&audit);
    let together = with_threads(args.table.threads, || {
        TogetherRecord::of(&counts, &segments, &audit.settings.criteria, &settings)
    });
    let segments = with_threads(args.table.threads, || Segment::audits(&segments, &settings));
    let segments: Vec<SegmentRecord> = segments.into_iter().map(|segment| segment.spelled(&Flags)).collect();
    // Judged before anything is written: a gate that cannot be leaves no file.
    let gates = args.fail_above.iter().chain(&args.fail_below);
    let judged: Vec<Judged> = gates.map(|gate| gate.judge(&audit)).collect::<Result<_, _>>()?;
    let made = Made::new(args.date.as_deref(), sha256).identified(&args.identity);
    let report = AuditReport {
        audit: &audit,
        by: &args.table.by,
        segments: &segments,
        together: together.as_ref(),
        about: made.about(&name),
    };
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
    let lone = table.proxy_probs.len() == 1 && table.proxy.is_empty();
    let evidence = args.names.is_given() || !args.evidence.is_empty() || lone;
    let control = (!args.control.is_empty() && !evidence).then_some("--control");
    if let Some(flag) = args.names.idle().or(control) {
        bail!(
            "{flag} is about names or places, and no column of them is named\n  needed: --first-name, --surname or --zip\n  to do:  \
             name the column, or leave {flag} out"
        );
    }
    Ok(())
}

/// The table, and the SHA-256 of its bytes where a report will show it.
fn read(args: &AuditArgs, source: &Source, shown: bool) -> anyhow::Result<(Table, Option<String>)> {
    let confident = args.confident_joint();
    if confident && !args.table.proxy_probs.is_empty() && source.is_standard() {
        bail!("estimator confident-joint reads the table twice\n  to do:  write it to a file and name that");
    }
    let search = Search::default();
    let progress = |done: usize, of: usize| search.progress(done, of);
    let named = args.score.columns(args.table.columns());
    let asked = AuditTable {
        columns: Columns {
            control: args.control.clone(),
            ..args.outcome.columns(args.names.columns(args.near.columns(named))?)
        },
        near: args.near.features.is_some().then(|| Near {
            array: args.near.array(),
            metric: args.near.metric(),
            scale: args.near.scale,
            search: args.near.search(),
            triple_seed: args.triple_seed,
            progress: &progress,
        }),
        again: confident.then(|| source.again()),
        sample: args.audit_table.clone().map(|path| vec![Input::File(path)]),
        evidence: evidence(&args.evidence)?,
    };
    let read = source.read(&args.table.reading(), shown, |inputs, reading| {
        with_threads(args.table.threads, || asked.read(inputs, reading)).map_err(anyhow::Error::from)
    });
    search.end();
    let (table, sha256) = read?;
    if let Some(about) = table.counts.intake().borrowed.as_ref().filter(|_| !args.quiet) {
        search.tell(about);
    }
    Ok((table, sha256))
}

/// What was written beside tallies, all parts together.
fn evidence(files: &[PathBuf]) -> anyhow::Result<Option<EvidenceFile>> {
    let mut all: Option<EvidenceFile> = None;
    for path in files {
        let file = std::fs::File::open(path).with_context(|| {
            format!(
                "cannot read {}\n  needed: a file that fairveil count --evidence wrote\n  to do:  check the name",
                path.shown()
            )
        })?;
        let more = EvidenceFile::read(&path.shown(), file)?;
        match &mut all {
            Some(all) => all.merge(more)?,
            None => all = Some(more),
        }
    }
    Ok(all)
}
