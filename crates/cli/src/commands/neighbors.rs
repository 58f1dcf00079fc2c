//! `fairveil neighbors`: a table with what neighbours lend beside it.

use crate::args::NeighborsArgs;
use crate::intake::Source;
use crate::nearness;
use crate::output::{Outputs, Shown, is_standard, safe_format, tell, tell_of_formulas};
use anyhow::{Context, bail};
use fairveil_core::counts::{Borrowed, ComparedPairs};
use fairveil_ingest::{RewriteError, TableFormat};
use std::io::{BufWriter, Write};

pub fn run(args: &NeighborsArgs) -> anyhow::Result<()> {
    let output = &args.output;
    let Some(format) = TableFormat::of_name(&output.to_string_lossy()).filter(|_| !is_standard(output))
    else {
        bail!(
            "{}: the file name does not say which format\n  needed: a name that ends in .csv, .tsv, .jsonl (or .gz after it) \
             or .parquet\n  to do:  name another file",
            output.shown()
        );
    };
    let format = safe_format(format, args.safe_csv, output)?;
    let source = Source::new(&args.table)?;
    if source.is_standard() {
        bail!(
            "neighbors reads the table twice\n  needed: a file\n  to do:  write it to a file and name that"
        );
    }
    if args.table.lenient {
        bail!(
            "--lenient leaves out rows, and a copy of a table has all of them\n  needed: every row\n  to do:  correct the rows"
        );
    }
    let inputs = source.files().iter().map(|file| file.as_path()).chain(args.near.array());
    let mut outputs = Outputs::beside(inputs);
    let slot = outputs.reserve(output)?;
    let columns = args.near.columns(args.table.columns());
    let reading = args.table.reading();
    let found = nearness::find(&args.near, &source, &columns, &reading, args.quiet)?;
    let mut out = BufWriter::new(outputs.writer(slot));
    let copied = source.read(&reading, false, |inputs, reading| {
        match found.write(inputs, reading, format, &mut out) {
            Ok(copied) => Ok(Ok(copied)),
            Err(RewriteError::Input(error)) => Err(error),
            Err(RewriteError::Output(error)) => Ok(Err(error)),
        }
    })?;
    let unwritten = || format!("{}: cannot be written", output.shown());
    let copied = copied.0.with_context(unwritten)?;
    out.flush().with_context(unwritten)?;
    drop(out);
    outputs.commit()?;
    if !args.quiet {
        summary(&found.about(), copied.rows).iter().for_each(|line| tell(line));
    }
    tell_of_formulas(copied.formulas, args.safe_csv);
    Ok(())
}

/// What the neighbours are like.
fn summary(about: &Borrowed, rows: u64) -> Vec<String> {
    let share = |pairs: &ComparedPairs| match pairs.compared {
        0 => "never both guess".to_owned(),
        all => format!("differ on {:.1} %", 100.0 * pairs.differ as f64 / all as f64),
    };
    let mut lines = vec![format!("{rows} rows written")];
    if rows > about.rows {
        lines.push(format!(
            "{} rows have no prediction or no weight: they borrow nothing and lend nothing",
            rows - about.rows
        ));
    }
    if about.duplicates > 0 {
        lines.push(format!("{} rows have a neighbour with exactly their features", about.duplicates));
    }
    for proxy in &about.proxies {
        let [first, second, between] = &proxy.pairs;
        lines.push(format!(
            "{}: a row and its nearest neighbour {}, it and the second {}, the two neighbours {}",
            proxy.proxy,
            share(first),
            share(second),
            share(between)
        ));
    }
    if let Some(share) = about.clusterability {
        lines
            .push(format!("for {:.1} % of rows, both neighbours are of the row's true group", 100.0 * share));
    }
    lines
}
