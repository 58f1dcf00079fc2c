//! `fairveil count`: from a table to its tally.

use crate::args::CountArgs;
use crate::intake::Source;
use crate::output::{OutputFile, is_standard, tell};
use anyhow::{Context, bail};
use fairveil_ingest::{TallyFormat, count_table};
use std::io::{BufWriter, Write};
use std::path::Path;

pub fn run(args: &CountArgs) -> anyhow::Result<()> {
    let format = format(&args.output)?;
    let source = Source::new(&args.table)?;
    let inputs = source.files().iter().map(|file| file.as_path());
    let file = match is_standard(&args.output) {
        true => None,
        false => Some(OutputFile::reserve(&args.output, inputs)?),
    };
    let columns = args.table.columns();
    let (mut tally, _) = source
        .read(&args.table.reading(), false, |inputs, reading| count_table(inputs, &columns, reading))?;
    if let Some(least) = args.min_cell {
        tally.hide_below(least);
    }
    match file {
        None => tally.write(format, BufWriter::new(std::io::stdout()))?,
        Some(mut file) => {
            let mut out = BufWriter::new(file.writer());
            let written = tally.write(format, &mut out).and_then(|()| out.flush());
            written.with_context(|| format!("{}: cannot be written", args.output.display()))?;
            drop(out);
            file.commit()?;
        }
    }
    if !args.quiet {
        tell(&format!("{} rows in {} cells", tally.rows(), tally.cells()));
        if let Some((cells, rows)) = tally.hidden() {
            tell(&format!("{rows} rows in {cells} small cells are withheld; the tally says how many"));
        }
    }
    for skipped in tally.skipped() {
        tell(&format!(
            "warning: {} rows left out because of {}; the first is {}",
            skipped.rows, skipped.reason, skipped.first
        ));
    }
    Ok(())
}

/// The format that a name asks for.
fn format(output: &Path) -> anyhow::Result<TallyFormat> {
    let name = output.to_string_lossy().to_lowercase();
    Ok(match name.rsplit_once('.').map(|(_, end)| end) {
        _ if is_standard(output) => TallyFormat::Csv,
        Some("csv") => TallyFormat::Csv,
        Some("tsv" | "tab") => TallyFormat::Tsv,
        Some("json" | "jsonl" | "ndjson") => TallyFormat::JsonLines,
        Some("parquet") => TallyFormat::Parquet,
        _ => bail!(
            "{}: the name does not tell the format\n  needed: a name that ends in .csv, .tsv, .jsonl or .parquet\n  \
             to do:  name another file, or - for CSV on standard output",
            output.display()
        ),
    })
}
