//! Parquet, row group by row group, only the columns that are used.

use super::Bytes;
use super::arrow::{Met, Seekable, names, take};
use crate::error::Problem;
use crate::plan::{Slot, Slots};
use crate::tally_file::Number;
use crate::value::At;
use crate::worker::{BATCH, Consumer, Fault, Worker};
use arrow::array::ArrayRef;
use arrow::datatypes::{DataType, Field, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file whose row groups are handed out.
pub(crate) struct ParquetFeed {
    table: Arc<ParquetTable>,
    next: usize,
    row: u64,
    read: Arc<AtomicU64>,
}

struct ParquetTable {
    file: u32,
    source: Seekable,
    metadata: ArrowReaderMetadata,
    slots: Slots,
}

/// One row group.
pub(crate) struct RowGroup {
    table: Arc<ParquetTable>,
    group: usize,
    row: u64,
}

fn damaged(at: At, error: impl std::fmt::Display) -> Fault {
    let problem = Problem::Damaged { format: "Parquet file", detail: error.to_string() };
    Fault { at, column: None, problem }
}

/// Reads what the end of the file tells about it.
pub(crate) fn open(
    file: u32,
    path: Option<PathBuf>,
    mut bytes: Bytes,
    read: &Arc<AtomicU64>,
    header: impl FnOnce(&[String]) -> Result<Slots, Fault>,
) -> Result<ParquetFeed, Fault> {
    let at = At { file, number: 0 };
    let opened = Seekable::new(path, &mut bytes).and_then(|source| Ok((source.open()?, source)));
    let (opened, source) = opened.map_err(|error| Fault::of_file(file, Problem::Unreadable(error)))?;
    let load = |options| ArrowReaderMetadata::load(&opened, options).map_err(|error| damaged(at, error));
    let metadata = load(ArrowReaderOptions::new())?;
    let slots = header(&names(metadata.schema()))?;
    // Texts repeat: told apart once for each dictionary of the file, not once for each row.
    let as_dictionary = |field: &Arc<Field>| match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            let kind = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
            let field =
                Field::new(field.name(), kind, field.is_nullable()).with_metadata(field.metadata().clone());
            Arc::new(field)
        }
        _ => Arc::clone(field),
    };
    let fields: Vec<Arc<Field>> = metadata.schema().fields().iter().map(as_dictionary).collect();
    let metadata = load(ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields))))?;
    let table = Arc::new(ParquetTable { file, source, metadata, slots });
    Ok(ParquetFeed { table, next: 0, row: 1, read: Arc::clone(read) })
}

impl ParquetFeed {
    pub fn next(&mut self) -> Option<RowGroup> {
        let group = self.next;
        let about = self.table.metadata.metadata().row_groups().get(group)?;
        let task = RowGroup { table: Arc::clone(&self.table), group, row: self.row };
        self.next += 1;
        self.row += about.num_rows().max(0) as u64;
        self.read.fetch_add(about.compressed_size().max(0) as u64, Ordering::Relaxed);
        Some(task)
    }
}

impl RowGroup {
    pub fn run<C: Consumer>(self, worker: &mut Worker<C>) -> Result<(), Fault> {
        let ParquetTable { file, source, metadata, slots } = &*self.table;
        let mut at = At { file: *file, number: self.row };
        let opened = source.open().map_err(|error| Fault::of_file(*file, Problem::Unreadable(error)))?;
        let used: Vec<usize> = (0..slots.of.len()).filter(|place| !slots.of[*place].is_empty()).collect();
        let mask = ProjectionMask::roots(metadata.parquet_schema(), used.iter().copied());
        let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(opened, metadata.clone())
            .with_row_groups(vec![self.group])
            .with_projection(mask)
            .with_batch_size(BATCH)
            .build()
            .map_err(|error| damaged(at, error))?;
        let mut met = Met::new(worker.plan);
        for batch in reader {
            let batch = batch.map_err(|error| damaged(at, error))?;
            let columns: Vec<(&ArrayRef, &[Slot])> =
                (batch.columns().iter()).zip(used.iter().map(|place| slots.of[*place].as_slice())).collect();
            take(worker, &mut met, &columns, at, batch.num_rows())?;
            at.number += batch.num_rows() as u64;
        }
        Ok(())
    }
}

/// Writes a tally: key columns as text, whole numbers and reals as such.
pub(crate) fn write(
    keys: &[String],
    numbers: &[String],
    lines: &[(Vec<&str>, Vec<Number>)],
    out: impl std::io::Write + Send,
) -> std::io::Result<()> {
    use arrow::array::{Float64Array, Int64Array, RecordBatch, StringArray};
    use parquet::arrow::ArrowWriter;
    let mut columns: Vec<(String, ArrayRef, bool)> = Vec::with_capacity(keys.len() + numbers.len());
    for (place, name) in keys.iter().enumerate() {
        let values = lines.iter().map(|(values, _)| Some(values[place]).filter(|value| !value.is_empty()));
        columns.push((name.clone(), Arc::new(values.collect::<StringArray>()), true));
    }
    for (place, name) in numbers.iter().enumerate() {
        let cells = || lines.iter().map(|(_, numbers)| &numbers[place]);
        let array: ArrayRef = if cells().any(|cell| matches!(cell, Number::Text(_))) {
            fn text(cell: &Number) -> Option<&str> {
                match cell {
                    Number::Text(text) => Some(text.as_str()).filter(|text| !text.is_empty()),
                    _ => None,
                }
            }
            Arc::new(cells().map(text).collect::<StringArray>())
        } else if cells().any(|cell| matches!(cell, Number::Real(_))) {
            let real = |cell: &Number| match *cell {
                Number::Real(real) => Some(real),
                Number::Whole(whole) => Some(whole as f64),
                _ => None,
            };
            Arc::new(cells().map(real).collect::<Float64Array>())
        } else {
            let whole = |cell: &Number| match *cell {
                Number::Whole(whole) => i64::try_from(whole).ok(),
                _ => None,
            };
            Arc::new(cells().map(whole).collect::<Int64Array>())
        };
        columns.push((name.clone(), array, true));
    }
    let batch = RecordBatch::try_from_iter_with_nullable(columns).map_err(std::io::Error::other)?;
    let mut writer = ArrowWriter::try_new(out, batch.schema(), None).map_err(std::io::Error::other)?;
    writer.write(&batch).map_err(std::io::Error::other)?;
    writer.close().map_err(std::io::Error::other)?;
    Ok(())
}
