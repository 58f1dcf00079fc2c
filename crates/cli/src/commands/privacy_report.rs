//! `fairveil privatize --report`: what an epsilon would cost, planned for a table.

use super::plan::from_audit;
use crate::args::PrivatizeArgs;
use crate::intake::Source;
use crate::output::OutputFile;
use crate::provenance::{command, today};
use anyhow::{Context, bail};
use fairveil_core::{Audit, Criterion, Epsilon, RandomizedResponse, Settings, Situation};
use fairveil_ingest::{Columns, Count, Delimiter, Reading, read_table};
use fairveil_report::{PrivacyCurve, PrivacyPoint, Provenance, privacy_html, privacy_json, privacy_svg};
use std::path::Path;

/// From privacy that leaves next to nothing to privacy that costs next to nothing; 0.41 is the paper's.
const EPSILONS: [f64; 11] = [0.1, 0.2, 0.41, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0];
const CONFIDENCE: f64 = 0.95;
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A report that is made and not yet in its place.
pub struct Made {
    file: OutputFile,
    bytes: Vec<u8>,
}

impl Made {
    /// Puts it in its place.
    pub fn commit(self) -> anyhow::Result<()> {
        self.file.commit_bytes(&self.bytes)
    }
}

/// Reads the table, audits it in the clear and plans what each epsilon would leave.
pub fn make(args: &PrivatizeArgs, path: &Path) -> anyhow::Result<Made> {
    let format = Format::of(path)?;
    let source = Source::of_rows(&args.tables)?;
    if source.is_standard() {
        bail!(
            "-: the report takes a look at the table of its own\n  to do:  write the table to a file and name that"
        );
    }
    let file = OutputFile::reserve(path, source.files().iter().map(|file| file.as_path()))?;
    let columns = Columns {
        y_pred: Some(args.y_pred.clone()),
        proxies: args.proxy.clone(),
        positive: args.positive.clone(),
        groups: (!args.groups.is_empty()).then(|| args.groups.clone()),
        missing: args.missing.clone(),
        count: if args.count.is_some() { Count::Never } else { Count::Detect },
        ..Columns::default()
    };
    let delimiter = args.delimiter.map_or(Delimiter::Detect, Delimiter::Byte);
    let reading = Reading { delimiter, ..Reading::default() };
    let (table, sha256) =
        source.read(&reading, true, |inputs, reading| read_table(inputs, &columns, reading))?;
    let settings =
        Settings { n_boot: 0, criteria: vec![Criterion::DemographicParity], ..Settings::default() };
    let audit = Audit::run(&table.counts, None, &settings).with_context(|| source.name())?;
    let (situation, rows) = from_audit(&serde_json::to_value(&audit)?).with_context(|| {
        format!(
            "{}: no report, because in the clear these proxies give no calibrated gap\n  needed: three proxies whose agreement \
             tells how they err\n  to do:  fairveil audit says why",
            source.name()
        )
    })?;
    let curve = curve(args, &audit, &situation, rows, source.name())?;
    let (command, date) = (command(), args.date.clone().unwrap_or_else(today));
    let provenance = Provenance { command: Some(&command), sha256: sha256.as_deref(), date: Some(&date) };
    let text = match format {
        Format::Html => privacy_html(&curve, VERSION, &provenance),
        Format::Svg => privacy_svg(&curve),
        Format::Json => privacy_json(&curve, VERSION)?,
    };
    Ok(Made { file, bytes: text.into_bytes() })
}

enum Format {
    Html,
    Svg,
    Json,
}

impl Format {
    fn of(path: &Path) -> anyhow::Result<Self> {
        let name = path.to_string_lossy().to_lowercase();
        Ok(match name.rsplit_once('.').map(|(_, end)| end) {
            Some("html" | "htm") => Format::Html,
            Some("svg") => Format::Svg,
            Some("json") => Format::Json,
            _ => bail!(
                "{}: the name does not tell the format\n  needed: a name that ends in .html, .svg or .json\n  to do:  name \
                 another file",
                path.display()
            ),
        })
    }
}

fn curve(
    args: &PrivatizeArgs,
    audit: &Audit,
    situation: &Situation,
    rows: Option<u64>,
    table: String,
) -> anyhow::Result<PrivacyCurve> {
    let rows = rows.unwrap_or(audit.input.rows);
    let groups = audit.input.groups.len();
    // A gap is at most one: past that nothing is known.
    let half_width = |situation: &Situation| {
        situation.half_width(rows as f64, 0.0, CONFIDENCE).filter(|half| *half <= 1.0)
    };
    let Some(in_the_clear) = half_width(situation) else {
        bail!(
            "these proxies and rows do not tell the gap even in the clear\n  to do:  fairveil audit says why"
        );
    };
    let mut epsilons = EPSILONS.to_vec();
    epsilons.extend(args.epsilon);
    epsilons.sort_by(f64::total_cmp);
    epsilons.dedup();
    let point = |epsilon: f64| -> anyhow::Result<PrivacyPoint> {
        let response = RandomizedResponse::with_epsilon(groups, Epsilon::new(epsilon)?)?;
        let told = situation.randomized(&response)?;
        Ok(PrivacyPoint {
            epsilon,
            epsilon_per_row: epsilon * args.proxy.len() as f64,
            flip: 1.0 - response.rows()[0][0],
            half_width: half_width(&told),
            direction_only: told.direction_only(rows as f64),
        })
    };
    let gap = audit
        .recommended(Criterion::DemographicParity, fairveil_core::Aggregate::Difference)
        .and_then(|result| result.value)
        .unwrap_or_default();
    Ok(PrivacyCurve {
        table,
        rows,
        proxies: args.proxy.clone(),
        groups,
        gap,
        confidence: CONFIDENCE,
        in_the_clear,
        points: epsilons.into_iter().map(point).collect::<anyhow::Result<_>>()?,
    })
}
