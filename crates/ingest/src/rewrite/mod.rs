//! A table copied row by row, some of its columns changed, left out or added; all else stays as it is.
//!
//! ```text
//! Input ──formats::open──► Chunk ──shown──► Rows ──the caller──► Edit ──► Sink ──► bytes
//!                          some rows        the columns asked for          the rows in their own format, edited
//! ```
//! One chunk is in memory at a time, however many rows there are. Rows are read in order by one thread: what is drawn at
//! random for a row must not depend on which thread had it. A row that cannot be read is refused, not left out: the copy
//! would silently be another table.

mod chunk;
mod numbers;
mod write;

pub use numbers::write_weights;

use crate::columns::{COUNT, ColumnProblem, Columns, ValueMap, resolve_maps};
use crate::error::{IngestError, Place, Problem};
use crate::fault::{Fault, FileName};
use crate::feed::{Input, Meter, Reading, Texts, size};
use crate::formats;
use crate::plan::Slots;
use crate::value::At;
use chunk::Chunk;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use write::Sink;
pub(crate) use write::{Out, text_writer};

/// What is asked of the rows of a table, and what becomes of them.
#[derive(Debug, Clone, Default)]
pub struct RewritePlan {
    /// Columns whose values are shown.
    pub shown: Vec<String>,
    /// Those of them that are given new values.
    pub changed: Vec<String>,
    /// Columns that the copy does not have.
    pub dropped: Vec<String>,
    /// Columns that are added behind the others.
    pub added: Vec<String>,
    /// Whether the columns that are added hold whole numbers; else text.
    pub added_whole: bool,
    /// Columns of numbers that are added behind these.
    pub numbers: Vec<String>,
    /// What the values of columns that are shown mean, each `COLUMN:VALUE=NAME,…`.
    pub map: Vec<String>,
    /// Values that mean "nothing", beside the empty field, `null` and `NaN`.
    pub missing: Vec<String>,
    /// Whether every row is one, even where a column `count` says that the table may be a tally.
    pub rows_are_single: bool,
}

/// Some rows, as they follow each other in the table.
#[derive(Debug)]
pub struct Rows<'r> {
    /// For each column that is shown, the values as they are written; nothing where one is missing.
    pub columns: Vec<Vec<Option<String>>>,
    names: &'r [String],
    at: &'r [At],
    files: &'r [FileName],
}

impl Rows<'_> {
    /// How many rows.
    pub fn rows(&self) -> usize {
        self.at.len()
    }

    /// What is wrong with a row, in one of the columns that are shown.
    pub fn error(&self, row: usize, column: usize, problem: Problem) -> IngestError {
        let at = self.at.get(row).copied().unwrap_or(At { file: 0, number: 0 });
        Fault { at, column: self.names.get(column).cloned(), problem }.named(self.files)
    }
}

/// New values of some rows. `None` is written as an empty field, or as null.
#[derive(Debug, Clone, Default)]
pub struct Edit {
    /// For each column that is changed, a value for each row.
    pub changed: Vec<Vec<Option<String>>>,
    /// For each column that is added, a value for each row.
    pub added: Vec<Vec<Option<String>>>,
    /// For each column of numbers that is added, a finite number for each row.
    pub numbers: Vec<Vec<Option<f64>>>,
}

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableFormat {
    kind: Kind,
    gzip: bool,
    /// Whether what a spreadsheet would take for a formula gets an apostrophe before it.
    safe: bool,
}

/// What was copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    /// How many rows.
    pub rows: u64,
    /// How many fields and names of a CSV or TSV file a spreadsheet takes for formulas, or would, were it not for the
    /// apostrophe before them.
    pub formulas: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text(u8),
    JsonLines,
    Parquet,
}

impl TableFormat {
    /// Values between commas.
    pub const CSV: TableFormat = TableFormat { kind: Kind::Text(b','), gzip: false, safe: false };

    /// The format that a name asks for: `.csv`, `.tsv` or `.jsonl`, packed with `.gz`, or `.parquet`.
    ///
    /// ```
    /// # use fairveil_ingest::TableFormat;
    /// assert_eq!(TableFormat::of_name("people.csv"), Some(TableFormat::CSV));
    /// assert!(TableFormat::of_name("People.JSONL.gz").is_some());
    /// assert!(TableFormat::of_name("people.parquet.gz").is_none());
    /// ```
    pub fn of_name(name: &str) -> Option<Self> {
        let lower = name.to_lowercase();
        let (name, gzip) = match lower.strip_suffix(".gz") {
            Some(name) => (name, true),
            None => (lower.as_str(), false),
        };
        let kind = match name.rsplit_once('.').map(|(_, end)| end) {
            Some("csv") => Kind::Text(b','),
            Some("tsv" | "tab") => Kind::Text(b'\t'),
            Some("jsonl" | "ndjson") => Kind::JsonLines,
            Some("parquet") if !gzip => Kind::Parquet,
            _ => return None,
        };
        Some(TableFormat { kind, gzip, safe: false })
    }

    /// The same, with an apostrophe before what a spreadsheet would take for a formula. Nothing where spreadsheets compute
    /// nothing: JSON and Parquet.
    pub fn safe(self) -> Option<Self> {
        matches!(self.kind, Kind::Text(_)).then_some(TableFormat { safe: true, ..self })
    }
}

/// Why a table cannot be copied.
#[derive(Debug, thiserror::Error)]
pub enum RewriteError {
    /// What is read makes no sense.
    #[error(transparent)]
    Input(#[from] IngestError),
    /// What is written cannot be.
    #[error(transparent)]
    Output(std::io::Error),
}

/// Copies a table from all inputs together and says how many rows it has. `edit` is shown some rows at a time, in order.
///
/// ```
/// # use fairveil_ingest::*;
/// let bytes = "name,proxy\n\"Doe, J.\",x\nRoe,\n".as_bytes();
/// let input = Input::Bytes { name: "people".into(), bytes: Box::new(bytes) };
/// let columns = vec!["proxy".to_owned()];
/// let plan = RewritePlan { shown: columns.clone(), changed: columns, ..RewritePlan::default() };
/// let mut out = Vec::new();
/// rewrite(vec![input], &plan, &Reading::default(), TableFormat::CSV, &mut out, |rows| {
///     let loud = |value: &Option<String>| value.as_ref().map(|value| value.to_uppercase());
///     Ok(Edit { changed: vec![rows.columns[0].iter().map(loud).collect()], ..Edit::default() })
/// })?;
/// assert_eq!(out, b"name,proxy\n\"Doe, J.\",X\nRoe,\n");
/// # Ok::<(), RewriteError>(())
/// ```
pub fn rewrite(
    inputs: Vec<Input>,
    plan: &RewritePlan,
    reading: &Reading,
    format: TableFormat,
    mut out: impl Write + Send,
    mut edit: impl FnMut(&Rows) -> Result<Edit, IngestError>,
) -> Result<Copied, RewriteError> {
    let mut sink = Sink::new(format, &mut out);
    let rows = each_chunk(inputs, plan, reading, true, &mut |table, chunk, rows| {
        let edit = edit(&rows)?;
        sink.write(table, chunk, &edit)
    })?;
    let formulas = sink.finish().map_err(RewriteError::Output)?;
    Ok(Copied { rows, formulas })
}

/// The names of an input's columns.
pub fn header(input: Input, reading: &Reading) -> Result<Vec<String>, IngestError> {
    let files = [FileName { name: input.name(), has_lines: true }];
    let mut names = Vec::new();
    let mut take = |header: &[String]| {
        names = header.to_vec();
        Ok(Slots { width: header.len(), of: vec![Vec::new(); header.len()], names: Default::default() })
    };
    let (columns, meter) = (Columns::default(), Meter::default());
    formats::open(0, input, &Texts::of(reading), &columns, &meter, &mut take)
        .map_err(|fault| fault.named(&files))?;
    Ok(names)
}

/// Shows the rows of a table without copying them, and gives their number.
pub fn each_rows(
    inputs: Vec<Input>,
    plan: &RewritePlan,
    reading: &Reading,
    mut see: impl FnMut(&Rows) -> Result<(), IngestError>,
) -> Result<u64, IngestError> {
    let rows = each_chunk(inputs, plan, reading, false, &mut |_, _, rows| Ok(see(&rows)?));
    rows.map_err(|error| match error {
        RewriteError::Input(error) => error,
        // Nothing is written.
        RewriteError::Output(error) => {
            IngestError { place: Place::default(), problem: Problem::Unreadable(error) }
        }
    })
}

/// The columns of a table that is copied, the same in every file.
struct Table {
    names: Vec<String>,
    /// Where the columns stand that are shown.
    shown: Vec<usize>,
    /// What their values mean.
    maps: Vec<Option<Arc<ValueMap>>>,
    /// For each column, which of the changed ones it is.
    changed: Vec<Option<usize>>,
    /// The places of the columns that the copy has.
    kept: Vec<usize>,
    added: Vec<String>,
    whole: bool,
    numbers: Vec<String>,
    files: Vec<FileName>,
}

impl Table {
    /// The columns of the copy.
    fn header(&self) -> impl Iterator<Item = &String> {
        self.kept.iter().map(|column| &self.names[*column]).chain(&self.added).chain(&self.numbers)
    }

    fn new(plan: &RewritePlan, files: Vec<FileName>, file: u32, names: Vec<String>) -> Result<Self, Fault> {
        let fault = |column: &str, problem| Fault {
            at: At { file, number: 0 },
            column: Some(column.to_owned()),
            problem,
        };
        let place = |name: &String| {
            let mut found = names.iter().enumerate().filter(|(_, column)| *column == name);
            let position = found.next().map(|(position, _)| position).ok_or_else(|| {
                let nearest = crate::columns::nearest(name, &names);
                let columns = names.clone();
                fault(name, Problem::NoSuchColumn { role: "the values asked for", nearest, columns })
            })?;
            if found.next().is_some() { Err(fault(name, Problem::DuplicateColumn)) } else { Ok(position) }
        };
        let shown = plan.shown.iter().map(place).collect::<Result<Vec<usize>, _>>()?;
        let mut maps = vec![None; shown.len()];
        for (column, map) in
            resolve_maps(&plan.map, &names).map_err(|problem| Fault::of_file(file, problem))?
        {
            let found = plan.shown.iter().position(|shown| *shown == column);
            let idle = || fault(&column, Problem::Columns(ColumnProblem::MapIdle));
            maps[found.ok_or_else(idle)?] = Some(map);
        }
        let dropped = plan.dropped.iter().map(place).collect::<Result<Vec<usize>, _>>()?;
        let kept = (0..names.len()).filter(|column| !dropped.contains(column)).collect();
        let new: Vec<&String> = plan.added.iter().chain(&plan.numbers).collect();
        let twice = new.iter().enumerate().find(|(i, name)| names.contains(name) || new[..*i].contains(name));
        if let Some((_, name)) = twice {
            return Err(fault(name, Problem::ColumnExists));
        }
        if !plan.rows_are_single && names.iter().any(|name| name == COUNT) {
            return Err(fault(COUNT, Problem::RowsOfMany));
        }
        let changed = names.iter().map(|name| plan.changed.iter().position(|changed| changed == name));
        let (added, numbers) = (plan.added.clone(), plan.numbers.clone());
        let whole = plan.added_whole;
        Ok(Table { changed: changed.collect(), maps, shown, kept, added, whole, numbers, files, names })
    }
}

/// Reads all inputs; `whole` asks for all columns, else only those that are shown are looked at.
fn each_chunk(
    inputs: Vec<Input>,
    plan: &RewritePlan,
    reading: &Reading,
    whole: bool,
    take: &mut dyn FnMut(&Table, &Chunk, Rows) -> Result<(), RewriteError>,
) -> Result<u64, RewriteError> {
    let mut files: Vec<FileName> =
        inputs.iter().map(|input| FileName { name: input.name(), has_lines: true }).collect();
    let total = inputs.iter().map(size).sum::<Option<u64>>();
    let progress = reading.progress.clone().unwrap_or_default();
    progress.total.store(total.unwrap_or(0), Ordering::Relaxed);
    progress.bytes.store(0, Ordering::Relaxed);
    progress.rows.store(0, Ordering::Relaxed);
    let meter = Meter { read: Arc::clone(&progress.bytes), witness: reading.witness.clone() };
    let columns = Columns { missing: plan.missing.clone(), count: crate::Count::Never, ..Columns::default() };
    let mut table: Option<Table> = None;
    let (mut buffer, mut rows) = (Vec::new(), 0);
    for (file, input) in inputs.into_iter().enumerate() {
        let mut names = Vec::new();
        let mut header = |header: &[String]| {
            names = header.to_vec();
            let at = header.iter().enumerate().map(|(position, name)| (name.clone(), position)).collect();
            Ok(Slots { width: header.len(), of: vec![Vec::new(); header.len()], names: at })
        };
        let opened = formats::open(file as u32, input, &Texts::of(reading), &columns, &meter, &mut header);
        let mut opened = opened.map_err(|fault| fault.named(&files))?;
        files[file].has_lines = opened.has_lines();
        let table = match &mut table {
            Some(first) if first.names != names => {
                let problem = Problem::OtherLayout { first: first.names.clone(), found: names };
                return Err(Fault::of_file(file as u32, problem).named(&files).into());
            }
            Some(first) => {
                first.files.clone_from(&files);
                first
            }
            None => {
                let new = Table::new(plan, files.clone(), file as u32, names);
                table.insert(new.map_err(|fault| fault.named(&files))?)
            }
        };
        while let Some(task) = opened.next(&mut buffer).map_err(|fault| fault.named(&files))? {
            let only = (!whole).then_some(table.shown.as_slice());
            let mut failed = None;
            let chunks = chunk::each(task, &buffer, only, &mut |chunk| {
                let columns = chunk.shown(table, &plan.missing)?;
                let shown = Rows { columns, names: &plan.shown, at: chunk.at(), files: &files };
                rows += shown.rows() as u64;
                progress.rows.store(rows, Ordering::Relaxed);
                match shown.rows() {
                    0 => Ok(true),
                    _ => Ok(take(table, chunk, shown).map_err(|error| failed = Some(error)).is_ok()),
                }
            });
            chunks.map_err(|fault| fault.named(&files))?;
            if let Some(error) = failed {
                return Err(error);
            }
        }
    }
    match rows {
        0 => {
            let file = files.first().map(|file| file.name.clone()).unwrap_or_default();
            let place = Place { file, ..Place::default() };
            Err(IngestError { place, problem: Problem::NoRows }.into())
        }
        rows => Ok(rows),
    }
}
