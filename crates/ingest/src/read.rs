//! The ways to read: a table, a tally to write, models to compare, and what estimators ask for beside.

use crate::cells::Cells;
use crate::columns::{COUNT, Columns, Count, Layout, ProxyColumn};
use crate::confident::{Confidence, Sure};
use crate::error::{IngestError, Place, Problem};
use crate::evidence::EvidenceFile;
use crate::fault::Fault;
use crate::feed::{Delimiter, Gathered, Input, Reading, gather};
use crate::labels;
use crate::plan::Plan;
use crate::tally::{Compared, RawTable, Table};
use crate::tally_file::TallyTable;
use crate::worker::Consumer;
use fairveil_core::Counts;
use fairveil_core::estimate::{AuditLabels, ConfidentTally};
use fairveil_core::vocabulary::Legend;
use std::io::Read;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Reads a table from all inputs together.
pub fn read_table(inputs: Vec<Input>, columns: &Columns, reading: &Reading) -> Result<Table, IngestError> {
    raw(inputs, columns, reading)?.finish()
}

/// Reads a tally with the evidence that was written beside it.
pub(crate) fn read_with_evidence(
    inputs: Vec<Input>,
    columns: &Columns,
    reading: &Reading,
    evidence: EvidenceFile,
) -> Result<Table, IngestError> {
    raw(inputs, columns, reading)?.with_file(evidence)?.finish()
}

/// Counts a table without making sense of it, to be written as a tally.
pub fn count_table(
    inputs: Vec<Input>,
    columns: &Columns,
    reading: &Reading,
) -> Result<TallyTable, IngestError> {
    let (_, gathered) = of_table(inputs, columns, reading, |_| Cells::default())?;
    refuse_negative(&gathered)?;
    TallyTable::new(columns, gathered)
}

/// Reads the decisions of several models on the same rows: `y_pred` and `other_preds` of the columns.
pub fn read_compared(
    inputs: Vec<Input>,
    columns: &Columns,
    reading: &Reading,
) -> Result<Compared, IngestError> {
    raw(inputs, columns, reading)?.finish_all()
}

/// Reads a table once more, for what the probabilities of its rows are sure of.
pub fn read_confident(
    inputs: Vec<Input>,
    columns: &Columns,
    counts: &Counts,
    reading: &Reading,
) -> Result<ConfidentTally, IngestError> {
    let file = inputs.first().map(Input::name).unwrap_or_default();
    let confidence = Confidence::new(counts, &file)?;
    let (layout, gathered) = of_table(inputs, columns, reading, |plan| Sure::new(&confidence, plan))?;
    if layout.tallied.is_some() {
        let place = Place { file, ..Place::default() };
        return Err(IngestError { place, problem: Problem::RowsNeeded });
    }
    Ok(gathered.consumer.finish(&layout, &gathered.dictionaries))
}

/// Reads the rows of another population, whose groups are known in the column `labels`, for the groups and proxies of a
/// table that was read.
pub fn read_labels(
    inputs: Vec<Input>,
    columns: &Columns,
    labels: &str,
    legend: &Legend,
    reading: &Reading,
) -> Result<AuditLabels, IngestError> {
    let found = Mutex::new(None);
    let resolve = |file: &str, header: &[String]| {
        let known = columns.resolve_labels(file, header, labels)?;
        let planned = Plan::of_labels(&known).finish(header);
        found.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(known);
        Ok(planned)
    };
    // Rows left out of the sample would be told nowhere.
    let reading = Reading { lenient: false, ..reading.clone() };
    let gathered = gather(inputs, columns, &reading, &resolve, |_| Cells::default())?;
    refuse_negative(&gathered)?;
    if gathered.consumer.noise.is_some() {
        return Err(Fault::of_file(0, Problem::NoisedLabels).named(&gathered.files));
    }
    match found.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(known) => labels::finish(gathered, &known, legend),
        None => Err(no_input()),
    }
}

/// Reads the table in a file. A name that ends in `.tsv` or `.tsv.gz` says tabs, unless a delimiter is given.
pub fn read_file(path: &Path, columns: &Columns, delimiter: Delimiter) -> Result<Table, IngestError> {
    let reading = Reading { delimiter, ..Reading::default() };
    read_table(vec![Input::File(path.to_owned())], columns, &reading)
}

/// Reads a table from bytes. `name` is what messages call it.
///
/// ```
/// # use fairveil_ingest::{Columns, Delimiter, read};
/// let bytes = "y_pred,proxy_a,proxy_b\n1,x,x\n0,y,\n1,y,x\n0,x,y\n";
/// let table = read(bytes.as_bytes(), "people", &Columns::default(), Delimiter::Detect)?;
/// assert_eq!(table.counts.weight(), 4.0);
/// assert_eq!(table.counts.legend().groups, ["x", "y"]);
/// # Ok::<(), fairveil_ingest::IngestError>(())
/// ```
pub fn read(
    bytes: impl Read + Send,
    name: &str,
    columns: &Columns,
    delimiter: Delimiter,
) -> Result<Table, IngestError> {
    let reading = Reading { delimiter, threads: Some(1), ..Reading::default() };
    read_table(vec![Input::Bytes { name: name.to_owned(), bytes: Box::new(bytes) }], columns, &reading)
}

fn raw<'a>(
    inputs: Vec<Input<'a>>,
    columns: &'a Columns,
    reading: &Reading,
) -> Result<RawTable<'a>, IngestError> {
    let (layout, gathered) = of_table(inputs, columns, reading, |_| Cells::default())?;
    refuse_negative(&gathered)?;
    Ok(RawTable::new(columns, layout, gathered))
}

/// A count below zero makes sense only where the tally tells of noise.
fn refuse_negative(gathered: &Gathered<Cells>) -> Result<(), IngestError> {
    gathered.consumer.refuse_negative(&gathered.plan).map_err(|fault| fault.named(&gathered.files))
}

/// Rows of a table to any consumer.
fn of_table<C: Consumer>(
    inputs: Vec<Input>,
    columns: &Columns,
    reading: &Reading,
    consumer: impl Fn(&Plan) -> C,
) -> Result<(Layout, Gathered<C>), IngestError> {
    of_table_if(inputs, columns, reading, |_| Ok(()), consumer)
}

/// Rows of a table whose columns are `fit`, to any consumer.
pub(crate) fn of_table_if<C: Consumer>(
    inputs: Vec<Input>,
    columns: &Columns,
    reading: &Reading,
    fit: impl Fn(&Layout) -> Result<(), Problem> + Sync,
    consumer: impl Fn(&Plan) -> C,
) -> Result<(Layout, Gathered<C>), IngestError> {
    let found = Mutex::new(None);
    // A database is asked for a tally, whatever its table is.
    let counted = if inputs.iter().any(Input::makes_tally) {
        Columns { count: Count::Column(COUNT.into()), ..columns.clone() }
    } else {
        columns.clone()
    };
    let resolve = |file: &str, header: &[String]| {
        let mut layout = counted.resolve(file, header)?;
        fit(&layout).map_err(|problem| {
            let place = Place { file: file.to_owned(), ..Place::default() };
            IngestError { place, problem }
        })?;
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        let first = found.get_or_insert_with(|| layout.clone());
        align(&mut layout.proxies, &first.proxies);
        let (plan, slots) = Plan::of_table(&layout).finish(header);
        crate::evidence::refuse(&plan).map_err(|problem| {
            let place = Place { file: file.to_owned(), ..Place::default() };
            IngestError { place, problem }
        })?;
        Ok((plan, slots))
    };
    let gathered = gather(inputs, columns, reading, &resolve, consumer)?;
    match found.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(layout) => Ok((layout, gathered)),
        None => Err(no_input()),
    }
}

/// Puts proxies in the order that they have in the first file, as far as that has them.
pub(crate) fn align(proxies: &mut [ProxyColumn], first: &[ProxyColumn]) {
    proxies
        .sort_by_key(|proxy| first.iter().position(|other| other.name == proxy.name).unwrap_or(first.len()));
}

pub(crate) fn no_input() -> IngestError {
    IngestError { place: Place::default(), problem: Problem::EmptyFile }
}
