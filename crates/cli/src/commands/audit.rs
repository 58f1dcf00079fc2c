//! `fairveil audit`: the whole flow for a person with a table.

use crate::args::AuditArgs;
use crate::output::{OutputFile, is_standard, print, style};
use anyhow::Context;
use fairveil_core::Audit;
use fairveil_ingest::Table;
use fairveil_report::{Subject, json, text};

pub fn run(args: &AuditArgs) -> anyhow::Result<()> {
    let input = (!is_standard(&args.table)).then_some(args.table.as_path());
    let json_only = args.json.as_deref().is_some_and(is_standard);
    let json_file = match &args.json {
        Some(path) if !json_only => Some(OutputFile::reserve(path, input)?),
        _ => None,
    };
    let Table { counts, truth } = read(args)?;
    let name = input.map_or("standard input".to_string(), |path| path.display().to_string());
    let audit = Audit::run(&counts, truth.as_ref(), &args.settings()).with_context(|| name.clone())?;
    let subject = Subject { audit: &audit, table: &name, version: env!("CARGO_PKG_VERSION") };
    if let Some(file) = json_file {
        file.commit_bytes(json(&subject)?.as_bytes())?;
    }
    if json_only {
        print(&json(&subject)?)?;
    } else if !args.quiet {
        print(&text(&subject, style()))?;
    }
    Ok(())
}

fn read(args: &AuditArgs) -> anyhow::Result<Table> {
    let (columns, delimiter) = (args.columns(), args.delimiter());
    Ok(match is_standard(&args.table) {
        true => fairveil_ingest::read(std::io::stdin().lock(), "standard input", &columns, delimiter)?,
        false => fairveil_ingest::read_file(&args.table, &columns, delimiter)?,
    })
}
