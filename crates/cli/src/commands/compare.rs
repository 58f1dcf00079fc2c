//! `fairveil compare`: several models on the same people.

use crate::args::AuditArgs;
use crate::dialect::Flags;
use crate::given;
use crate::intake::Source;
use crate::mechanism;
use crate::output::{OutputFile, is_standard, print, style};
use crate::provenance::{command, today};
use crate::threads::with_threads;
use anyhow::{Context, bail};
use fairveil_core::{Candidate, Comparison};
use fairveil_ingest::read_compared;
use fairveil_report::{Provenance, comparison_html, comparison_json, comparison_markdown, comparison_text};
use std::path::PathBuf;

pub fn run(args: &AuditArgs) -> anyhow::Result<()> {
    refuse(args)?;
    let source = Source::new(&args.table)?;
    let inputs = || source.files().iter().map(|file| file.as_path());
    let json_only = args.json.as_deref().is_some_and(is_standard);
    let json_file = match &args.json {
        Some(path) if !json_only => Some(OutputFile::reserve(path, inputs())?),
        _ => None,
    };
    let reserve =
        |path: &Option<PathBuf>| path.as_ref().map(|path| OutputFile::reserve(path, inputs())).transpose();
    let (html_file, markdown_file) = (reserve(&args.html)?, reserve(&args.markdown)?);
    let shown = html_file.is_some() || markdown_file.is_some();
    let columns = args.columns();
    mechanism::tell_of_forgotten(&args.mechanism, source.files());
    let mechanisms = mechanism::read(&args.mechanism, source.files())?;
    let (mut compared, sha256) = source
        .read(&args.table.reading(), shown, |inputs, reading| read_compared(inputs, &columns, reading))?;
    for table in &mut compared.tables {
        table.counts = table.counts.clone().with_mechanisms(&mechanisms)?;
    }
    let mut settings = args.settings();
    let legend = compared.tables[0].counts.legend();
    settings.known_shares = args.shares(&legend.groups)?;
    settings.given = args.given.as_deref().map(|path| given::read(path, legend)).transpose()?;
    let candidates: Vec<Candidate> = (compared.tables.iter())
        .map(|table| Candidate { counts: &table.counts, truth: table.truth.as_ref() })
        .collect();
    let name = source.name();
    let comparison =
        with_threads(args.table.threads, || Comparison::run(&candidates, &compared.rows, &settings))?
            .with_context(|| name.clone())?
            .spelled(&Flags);
    let version = env!("CARGO_PKG_VERSION");
    if json_only {
        print(&comparison_json(&comparison, version)?)?;
    } else if !args.quiet {
        print(&comparison_text(&comparison, &name, version, style()))?;
    }
    // Last, so that a run that fails leaves no file.
    if let Some(file) = json_file {
        file.commit_bytes(comparison_json(&comparison, version)?.as_bytes())?;
    }
    let (command, date) = (command(), args.date.clone().unwrap_or_else(today));
    let provenance = Provenance { command: Some(&command), sha256: sha256.as_deref(), date: Some(&date) };
    if let Some(file) = html_file {
        file.commit_bytes(comparison_html(&comparison, &name, version, &provenance).as_bytes())?;
    }
    if let Some(file) = markdown_file {
        file.commit_bytes(comparison_markdown(&comparison, &name, version, &provenance).as_bytes())?;
    }
    Ok(())
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
        (!args.table.by.is_empty(), "--by"),
        (args.table.audit_labels.is_some(), "--audit-labels"),
        (args.svg.is_some(), "--svg"),
        (args.near.features.is_some(), "--features"),
    ];
    match given.iter().find(|(is, _)| *is) {
        Some((_, flag)) => {
            bail!("{flag} is for one model\n  to do:  leave it out, or use fairveil audit for each model")
        }
        None => Ok(()),
    }
}
