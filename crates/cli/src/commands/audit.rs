//! `fairveil audit`: the whole flow for a person with a table.

use crate::args::{AuditArgs, EstimatorName};
use crate::dialect::Flags;
use crate::given;
use crate::intake::Source;
use crate::mechanism;
use crate::nearness;
use crate::output::{OutputFile, OutputFolder, is_standard, print, refuse_same, style, tell};
use crate::provenance::{command, today};
use crate::threads::with_threads;
use anyhow::{Context, bail};
use fairveil_core::setting::Refuses;
use fairveil_core::{Aggregate, Audit, AuditError, Criterion, SegmentRecord, Settings};
use fairveil_ingest::{Input, Reading, Segment, Table, read_confident, read_labels, read_table};
use fairveil_report::{
    Provenance, Subject, html, html_segments, json, json_segments, markdown, segment_name, segments_text,
    svg, text,
};
use rayon::prelude::*;
use std::path::PathBuf;

/// What the gates say. The numbers are exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gate {
    /// All hold: the upper ends are not above their values.
    Held = 0,
    /// One is crossed: a lower end is above its value.
    Crossed = 1,
    /// None is crossed, and one can not be decided.
    Undecided = 3,
}

pub fn run(args: &AuditArgs) -> anyhow::Result<Gate> {
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
    if args.triple_seed.is_some() && args.estimator == EstimatorName::ConfidentJoint {
        bail!(
            "--triple-seed mixes the guesses of rows, and estimator confident-joint asks for a row's own\n  \
             needed: one of the two\n  to do:  leave out --triple-seed"
        );
    }
    let source = Source::new(table)?;
    let files = || source.files().iter().map(|file| file.as_path());
    let inputs = || {
        files()
            .chain(args.audit_table.as_deref())
            .chain(args.given.as_deref())
            .chain(args.near.array())
            .chain(args.mechanism.iter().map(PathBuf::as_path))
    };
    let outputs = [&args.json, &args.html, &args.markdown].into_iter().filter_map(|path| path.as_deref());
    refuse_same(outputs.filter(|path| !is_standard(path)))?;
    let json_only = args.json.as_deref().is_some_and(is_standard);
    let json_file = match &args.json {
        Some(path) if !json_only => Some(OutputFile::reserve(path, inputs())?),
        _ => None,
    };
    let reserve =
        |path: &Option<PathBuf>| path.as_ref().map(|path| OutputFile::reserve(path, inputs())).transpose();
    let (html_file, markdown_file) = (reserve(&args.html)?, reserve(&args.markdown)?);
    let svg_folder = args.svg.as_deref().map(OutputFolder::reserve).transpose()?;
    mechanism::tell_of_forgotten(&args.mechanism, source.files());
    let mechanisms = mechanism::read(&args.mechanism, source.files())?;
    let (Table { counts, truth, segments }, sha256) = read(args, &source)?;
    let counts = counts.with_mechanisms(&mechanisms)?;
    let segments = (segments.into_iter())
        .map(|segment| Ok(Segment { counts: segment.counts.with_mechanisms(&mechanisms)?, ..segment }))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let name = source.name();
    let mut settings = args.settings();
    settings.known_shares = args.shares(&counts.legend().groups)?;
    settings.given = args.given.as_deref().map(|path| given::read(path, counts.legend())).transpose()?;
    let audit = with_threads(table.threads, || Audit::run(&counts, truth.as_ref(), &settings))?
        .with_context(|| name.clone())?
        .spelled(&Flags);
    let segments = with_threads(table.threads, || audited(segments, &settings))?;
    let subject = Subject { audit: &audit, table: &name, version: env!("CARGO_PKG_VERSION") };
    let as_json = || match table.by.is_empty() {
        true => json(&subject),
        false => json_segments(&subject, &table.by, &segments),
    };
    if json_only {
        print(&as_json()?)?;
    } else if !args.quiet {
        print(&text(&subject, style()))?;
        if !table.by.is_empty() {
            print(&segments_text(&audit, &table.by, &segments, style()))?;
        }
    }
    // Last, so that a run that fails leaves no file.
    if let Some(file) = json_file {
        file.commit_bytes(as_json()?.as_bytes())?;
    }
    let (command, date) = (command(), args.date.clone().unwrap_or_else(today));
    let provenance = Provenance { command: Some(&command), sha256: sha256.as_deref(), date: Some(&date) };
    if let Some(file) = html_file {
        let page = match table.by.is_empty() {
            true => html(&subject, &provenance),
            false => {
                let known = segments.iter().filter_map(|segment| {
                    let audit = segment.audit.as_ref()?;
                    Some((segment_name(&segment.values), Subject { audit, ..subject }))
                });
                let known: Vec<_> = known.collect();
                let without = segments.iter().filter_map(|segment| {
                    Some((segment_name(&segment.values), segment.unavailable.as_ref()?.to_string()))
                });
                html_segments(
                    &subject,
                    &table.by.join(", "),
                    &known,
                    &without.collect::<Vec<_>>(),
                    &provenance,
                )
            }
        };
        file.commit_bytes(page.as_bytes())?;
    }
    if let Some(file) = markdown_file {
        file.commit_bytes(markdown(&subject, &provenance).as_bytes())?;
    }
    if let Some(folder) = svg_folder {
        folder.commit(&svg(&subject))?;
    }
    if let Some((criterion, _)) =
        args.fail_above.iter().find(|(criterion, _)| !audit.settings.criteria.contains(criterion))
    {
        let name = criterion.name();
        bail!(
            "{name} was not measured\n  needed: labels, and no --criterion that leaves it out\n  to do:  correct --fail-above"
        );
    }
    let gates: Vec<Gate> =
        args.fail_above.iter().map(|(criterion, value)| gate(&audit, *criterion, *value)).collect();
    if gates.contains(&Gate::Crossed) {
        return Ok(Gate::Crossed);
    }
    Ok(gates.into_iter().max().unwrap_or(Gate::Held))
}

/// Every segment's own audit, or why it has none.
fn audited(segments: Vec<Segment>, settings: &Settings) -> Vec<SegmentRecord> {
    let one = |segment: Segment| {
        let values = segment.values.into_iter().map(|value| Some(value).filter(|value| !value.is_empty()));
        let run = |settings: &Settings| Audit::run(&segment.counts, segment.truth.as_ref(), settings);
        let audit = match run(settings) {
            // A criterion that the whole table allows may find no labels in a segment: then the others are measured.
            Err(AuditError::NoLabels { .. }) => run(&Settings { criteria: Vec::new(), ..settings.clone() }),
            other => other,
        };
        let unavailable = audit.as_ref().err().map(|error| error.refusal().text());
        SegmentRecord { values: values.collect(), audit: audit.ok(), unavailable }.spelled(&Flags)
    };
    segments.into_par_iter().map(one).collect()
}

/// Compares the interval of the largest gap, shared error included, with a value, and says the outcome.
fn gate(audit: &Audit, criterion: Criterion, value: f64) -> Gate {
    let result = audit.recommended(criterion, Aggregate::Difference);
    let honest = result.and_then(|r| r.honest_interval.as_ref().map(|i| (i.low, i.high)));
    let ends = honest.or_else(|| result.and_then(|r| r.interval.as_ref().map(|i| (i.low, i.high))));
    let name = criterion.name();
    let (gate, why) = match ends {
        Some((low, high)) if low > value => {
            (Gate::Crossed, format!("crossed: the gap is {low:.3} to {high:.3}"))
        }
        Some((low, high)) if high <= value => (Gate::Held, format!("held: the gap is {low:.3} to {high:.3}")),
        Some((low, high)) => {
            (Gate::Undecided, format!("can not be decided: the gap is {low:.3} to {high:.3}"))
        }
        None => (Gate::Undecided, "can not be decided: there is no interval".to_string()),
    };
    tell(&format!("gate {name} = {value}: {why}"));
    gate
}

/// The table, and the SHA-256 of its bytes where a report will show it.
fn read(args: &AuditArgs, source: &Source) -> anyhow::Result<(Table, Option<String>)> {
    let (columns, reading) = (args.columns(), args.table.reading());
    let shown = args.html.is_some() || args.markdown.is_some();
    let (mut table, sha256) = match args.near.features {
        None => source.read(&reading, shown, |inputs, reading| read_table(inputs, &columns, reading))?,
        Some(_) => {
            let columns = args.near.columns(columns.clone());
            let (found, sha256) = nearness::find(&args.near, source, &columns, &reading, shown, args.quiet)?;
            (found.table(args.triple_seed)?, sha256)
        }
    };
    if args.estimator == EstimatorName::ConfidentJoint && !args.table.proxy_probs.is_empty() {
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
