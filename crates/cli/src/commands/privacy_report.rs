//! `fairveil privatize --report`: what an epsilon would cost, planned for a table.

use crate::args::PrivatizeArgs;
use crate::intake::Source;
use crate::output::{Outputs, Shown};
use crate::provenance::Made;
use anyhow::{Context, anyhow, bail};
use fairveil_core::privacy::PrivacyCurve;
use fairveil_core::{Audit, Criterion, Settings};
use fairveil_ingest::{Columns, Count, IngestError, Problem, read_table};
use fairveil_report::PrivacyReport;
use std::path::Path;

/// Reads the table, audits it in the clear and plans what each epsilon would leave.
pub fn make(args: &PrivatizeArgs, path: &Path, source: &Source, outputs: &mut Outputs) -> anyhow::Result<()> {
    let format = Format::of(path)?;
    if source.is_standard() {
        bail!(
            "-: the report reads the table a second time\n  to do:  write the table to a file and name that"
        );
    }
    let slot = outputs.reserve(path)?;
    let columns = Columns {
        y_pred: Some(args.y_pred.clone()),
        proxies: args.proxy.clone(),
        positive: args.positive.clone(),
        groups: (!args.groups.is_empty()).then(|| args.groups.clone()),
        map: args.map.clone(),
        missing: args.missing.clone(),
        count: if args.count.is_some() { Count::Never } else { Count::Detect },
        ..Columns::default()
    };
    let reading = args.text.reading();
    let read = source.read(&reading, true, |inputs, reading| read_table(inputs, &columns, reading));
    let (table, sha256) = read.map_err(|error| without_decisions(error, &args.y_pred))?;
    let settings =
        Settings { n_boot: 0, criteria: vec![Criterion::DemographicParity], ..Settings::default() };
    let audit = Audit::run(&table.counts, None, &settings).with_context(|| source.name())?;
    let curve = PrivacyCurve::of_audit(&audit, &source.name(), &args.proxy, args.epsilon)
        .with_context(|| source.name())?;
    let made = Made::new(args.date.as_deref(), sha256);
    let report = PrivacyReport { curve: &curve, about: made.about(&curve.table) };
    outputs.write(slot, format.write(&report)?.as_bytes())
}

/// Who has guesses and no decisions can suppose them.
fn without_decisions(error: anyhow::Error, column: &str) -> anyhow::Error {
    let absent = |error: &IngestError| {
        matches!(error.problem, Problem::NoSuchColumn { .. }) && error.place.column.as_deref() == Some(column)
    };
    match error.downcast_ref::<IngestError>().filter(|error| absent(error)) {
        Some(error) => anyhow!(
            "{}: there is no such column\n  needed: the decisions whose gap is to be measured\n  to do:  name their column with --y-pred; \
             without decisions `fairveil plan --rows N --accuracy SHARE --rate SHARE --gap GAP --cost FILE` makes the page for what you \
             suppose of them",
            error.place
        ),
        None => error,
    }
}

/// What a page on costs is written as.
#[derive(Clone, Copy)]
pub enum Format {
    Html,
    Svg,
    Json,
}

impl Format {
    pub fn write(&self, report: &PrivacyReport) -> Result<String, serde_json::Error> {
        match self {
            Format::Html => Ok(report.html()),
            Format::Svg => Ok(report.svg()),
            Format::Json => report.json(),
        }
    }

    pub fn of(path: &Path) -> anyhow::Result<Self> {
        let name = path.to_string_lossy().to_lowercase();
        Ok(match name.rsplit_once('.').map(|(_, end)| end) {
            Some("html" | "htm") => Format::Html,
            Some("svg") => Format::Svg,
            Some("json") => Format::Json,
            _ => bail!(
                "{}: the file name does not say which format\n  needed: a name that ends in .html, .svg or .json\n  to do:  name \
                 another file",
                path.shown()
            ),
        })
    }
}
