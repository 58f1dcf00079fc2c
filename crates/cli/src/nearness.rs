//! Whom each row is near to: how far the search is, and what it found.

use crate::args::FeatureArgs;
use crate::intake::Source;
use crate::output::tell;
use crate::threads::with_threads;
use fairveil_core::counts::Borrowed;
use fairveil_ingest::{Columns, Neighborhood, Reading, read_rows};
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Reads the rows and looks for their neighbours.
pub fn find<'c>(
    args: &FeatureArgs,
    source: &Source,
    columns: &'c Columns,
    reading: &Reading,
    quiet: bool,
) -> anyhow::Result<Neighborhood<'c>> {
    let (rows, _) = source.read(reading, false, |inputs, reading| {
        let rows = read_rows(inputs, columns, args.array(), reading)?;
        let rows = if args.scale { rows.scaled() } else { rows };
        reading.note(rows.unscaled());
        Ok::<_, fairveil_ingest::IngestError>(rows)
    })?;
    let search = Search::default();
    search.progress(0, rows.searched());
    let threads = reading.threads.map(|threads| threads as u64);
    let found = with_threads(threads, || {
        rows.find_neighbors(args.metric(), args.search(), &|done, of| search.progress(done, of))
    });
    search.end();
    let found = found?;
    if !quiet {
        search.tell(&found.about());
    }
    Ok(found)
}

/// A search for neighbours, on a terminal with a bar.
#[derive(Default)]
pub struct Search {
    begun: OnceLock<(Instant, Option<ProgressBar>)>,
}

impl Search {
    /// So many rows' worth of the search is done, of so many.
    pub fn progress(&self, done: usize, of: usize) {
        // Nobody needs to be told of work that is soon done.
        const PATIENCE: Duration = Duration::from_secs(1);
        let (start, bar) = self.begun.get_or_init(|| (Instant::now(), bar()));
        if let Some(bar) = bar
            && start.elapsed() > PATIENCE
        {
            bar.set_length(of as u64);
            bar.set_position(done as u64);
        }
    }

    /// Takes the bar away.
    pub fn end(&self) {
        if let Some((_, Some(bar))) = self.begun.get() {
            bar.finish_and_clear();
        }
    }

    /// What was searched and how, in one line.
    pub fn tell(&self, about: &Borrowed) {
        let took = self.begun.get().map_or(Duration::ZERO, |(start, _)| start.elapsed());
        tell(&summary(about, took));
    }
}

fn bar() -> Option<ProgressBar> {
    std::io::stderr().is_terminal().then(|| {
        let bar = ProgressBar::new(0);
        if let Ok(style) =
            ProgressStyle::with_template("{bar:24} {human_pos} of {human_len} rows, {eta} left")
        {
            bar.set_style(style);
        }
        bar
    })
}

/// The line.
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
