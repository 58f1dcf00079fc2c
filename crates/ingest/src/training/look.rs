//! A first look at the rows: which features are numbers and which are categories.

use crate::columns::Columns;
use crate::error::{IngestError, Problem};
use crate::fault::Fault;
use crate::feed::{Input, Reading, gather, open_file};
use crate::formats::Seekable;
use crate::plan::Plan;
use crate::source::MemoryRows;
use crate::training::columns::TrainingColumns;
use crate::worker::{Batch, Codes, Consumer};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Rows that are looked at: enough to meet what is not rare, few enough to cost nothing beside reading all.
const FIRST_ROWS: usize = 10_000;

/// What the first rows hold.
#[derive(Default)]
struct Seen {
    rows: usize,
    /// For each feature, whether any value is no number.
    texts: Vec<bool>,
}

/// Looks until it has seen enough.
struct Look<'l> {
    seen: &'l Mutex<Seen>,
}

impl Consumer for Look<'_> {
    fn add(&mut self, batch: &Batch, _: &Plan) -> Result<(), Fault> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.texts.resize(batch.features.len(), false);
        let is_in = |row: &usize| !batch.left_out.get(*row).is_some_and(|out| *out);
        // Not one more, however many rows a format hands out at a time.
        let rows: Vec<usize> = (0..batch.rows).filter(is_in).take(FIRST_ROWS - seen.rows).collect();
        for (features, text) in batch.features.iter().zip(&mut seen.texts) {
            *text |= rows.iter().any(|row| features[*row].is_infinite());
        }
        seen.rows += rows.len();
        if seen.rows < FIRST_ROWS {
            Ok(())
        } else {
            // There is no other way to stop a reader; nobody is told.
            Err(Fault::of_file(0, Problem::NoRows))
        }
    }

    fn merge(&mut self, _: Self, _: &Codes) -> Result<(), Problem> {
        Ok(())
    }
}

/// The features that are categories: those that the user says, and those with a value that is no number among the first
/// rows of an input. `true` and `false` are no numbers.
pub(super) fn categories(
    input: Input,
    columns: &Columns,
    wanted: &TrainingColumns,
    reading: &Reading,
) -> Result<BTreeSet<String>, IngestError> {
    let watched = wanted.watched(columns);
    let found = Mutex::new((Vec::new(), BTreeSet::new()));
    let resolve = |file: &str, header: &[String]| {
        let layout = wanted.resolve(columns, file, header)?;
        let open = layout.features.iter().filter(|column| !layout.categorical.contains(&column.name));
        let names = open.clone().map(|column| column.name.clone()).collect();
        let planned = Plan::of_look(open).finish(header);
        *found.lock().unwrap_or_else(PoisonError::into_inner) = (names, layout.categorical);
        Ok(planned)
    };
    let seen = Mutex::new(Seen::default());
    let reading = Reading { threads: Some(1), progress: None, ..reading.clone() };
    let looked = gather(vec![input], &watched, &reading, &resolve, |_| Look { seen: &seen }).map(drop);
    let seen = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let (Err(error), true) = (looked, seen.rows < FIRST_ROWS) {
        return Err(error);
    }
    let (names, mut categories) = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    categories.extend(names.into_iter().zip(&seen.texts).filter(|(_, text)| **text).map(|(name, _)| name));
    Ok(categories)
}

/// An input twice, to be looked at and to be read. What can be read once only is copied, to a file where there are files,
/// which is kept until both are done.
pub(super) fn twice<'a>(input: Input<'a>) -> std::io::Result<(Input<'a>, Input<'a>, Option<Seekable>)> {
    let name = input.name();
    let mut bytes: Box<dyn std::io::Read + Send + 'a> = match input {
        Input::Bytes { bytes, .. } => bytes,
        Input::Memory { bytes, .. } => {
            let again = || Input::Memory { name: name.clone(), bytes: bytes.clone() };
            return Ok((again(), again(), None));
        }
        // What is not there is told when it is opened.
        Input::File(path)
            if std::fs::metadata(&path).map_or(true, |about| about.is_file() || about.is_dir()) =>
        {
            return Ok((Input::File(path.clone()), Input::File(path), None));
        }
        Input::File(path) => Box::new(open_file(&path)?),
        Input::Batches { batches, .. } => {
            let batches = batches.collect::<Result<Vec<_>, _>>().map_err(std::io::Error::other)?;
            let again = |batches| Input::of_batches(&name, batches);
            return Ok((again(batches.clone()), again(batches), None));
        }
        Input::Rows(source) => {
            let rows = MemoryRows::of(source).map_err(std::io::Error::other)?;
            let again = |rows| Input::Rows(Box::new(rows));
            return Ok((again(rows.clone()), again(rows), None));
        }
    };
    let copy = Seekable::copy(&mut bytes)?;
    let again = |bytes| Input::Bytes { name: name.clone(), bytes: Box::new(bytes) };
    Ok((again(copy.open()?), again(copy.open()?), Some(copy)))
}
