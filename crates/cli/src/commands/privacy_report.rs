//! `fairveil privatize --report`: what an epsilon would cost, planned for a table.

use crate::args::PrivatizeArgs;
use crate::intake::Source;
use crate::output::{Outputs, Shown};
use crate::provenance::Made;
use anyhow::{Context, bail};
use fairveil_core::privacy::PrivacyCurve;
use fairveil_core::{Audit, Criterion, Settings};
use fairveil_ingest::{Columns, Count, read_table};
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
    let (table, sha256) =
        source.read(&reading, true, |inputs, reading| read_table(inputs, &columns, reading))?;
    let settings =
        Settings { n_boot: 0, criteria: vec![Criterion::DemographicParity], ..Settings::default() };
    let audit = Audit::run(&table.counts, None, &settings).with_context(|| source.name())?;
    let curve = PrivacyCurve::of_audit(&audit, &source.name(), &args.proxy, args.epsilon)
        .with_context(|| source.name())?;
    let made = Made::new(args.date.as_deref(), sha256);
    let report = PrivacyReport { curve: &curve, about: made.about(&curve.table) };
    outputs.write(slot, format.write(&report)?.as_bytes())
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
