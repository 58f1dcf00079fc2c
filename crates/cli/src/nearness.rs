//! Whom each row is near to: reading features, looking for neighbours, and how far that is.

use crate::args::FeatureArgs;
use crate::intake::Source;
use crate::output::tell;
use crate::threads::with_threads;
use fairveil_core::counts::Borrowed;
use fairveil_ingest::{Columns, Neighborhood, Reading, read_rows};
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Reads the rows and looks for their neighbours; also gives the SHA-256 of the table where a report will show it.
pub fn find<'c>(
    args: &FeatureArgs,
    source: &Source,
    columns: &'c Columns,
    reading: &Reading,
    shown: bool,
    quiet: bool,
) -> anyhow::Result<(Neighborhood<'c>, Option<String>)> {
    let (rows, sha256) =
        source.read(reading, shown, |inputs, reading| read_rows(inputs, columns, args.array(), reading))?;
    let start = Instant::now();
    let bar = bar(rows.searched());
    // Nobody needs to be told of work that is soon done.
    const PATIENCE: Duration = Duration::from_secs(1);
    let progress = |done: usize, of: usize| {
        if let Some(bar) = &bar
            && start.elapsed() > PATIENCE
        {
            bar.set_length(of as u64);
            bar.set_position(done as u64);
        }
    };
    let threads = reading.threads.map(|threads| threads as u64);
    let found = with_threads(threads, || rows.find_neighbors(args.metric(), args.search(), &progress));
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let found = found??;
    if !quiet {
        tell(&crate::output::harmless(&summary(&found.about(), start.elapsed())));
    }
    Ok((found, sha256))
}

fn bar(rows: usize) -> Option<ProgressBar> {
    std::io::stderr().is_terminal().then(|| {
        let bar = ProgressBar::new(rows as u64);
        if let Ok(style) =
            ProgressStyle::with_template("{bar:24} {human_pos} of {human_len} rows, {eta} left")
        {
            bar.set_style(style);
        }
        bar
    })
}

/// What was searched and how, in one line.
fn summary(about: &Borrowed, took: Duration) -> String {
    let recall = match about.recall {
        Some(recall) => format!(" (found {:.1} % of a sample's neighbours)", 100.0 * recall),
        None => String::new(),
    };
    format!(
        "neighbors: {} rows x {} features ({}), {} distance, {} search{recall}, {:.1} s",
        HumanCount(about.rows),
        about.dimensions,
        about.features,
        about.metric,
        about.search,
        took.as_secs_f64(),
    )
}
