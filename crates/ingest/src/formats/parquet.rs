//! Parquet, row group by row group, only the columns that are used.

use super::Bytes;
use super::arrow::{Met, names, take};
use super::differences::fits;
use super::guard::guarded;
use super::seekable::Seekable;
use super::thrift::{check_columns, look_at_pages};
use crate::error::Problem;
use crate::fault::Fault;
use crate::formats::Resolve;
use crate::plan::{Slot, Slots};
use crate::rewrite::Out;
use crate::tally_file::Number;
use crate::value::At;
use crate::worker::{BATCH, Worker};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Compression;
use parquet::column::page::PageReader;
use parquet::errors::ParquetError;
use parquet::file::reader::Length;
use parquet::file::serialized_reader::SerializedPageReader;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What one thread may hold unpacked at a time of all columns; writers make pages of about a megabyte.
const MOST_UNPACKED: u64 = 1 << 29;

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
    /// The same with the types that the writer gave.
    as_written: ArrowReaderMetadata,
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

/// What a reader makes of bytes; its errors and its panics alike mean that they are damaged.
fn sound<T>(at: At, read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, Fault> {
    guarded(read).map_err(|panic| damaged(at, panic))?.map_err(|error| damaged(at, error))
}

/// Reads what the end of the file tells about it.
pub(crate) fn open(
    file: u32,
    lies: Option<Seekable>,
    mut bytes: Bytes,
    read: &Arc<AtomicU64>,
    header: &mut Resolve,
) -> Result<ParquetFeed, Fault> {
    let at = At { file, number: 0 };
    let opened = Seekable::new(lies, &mut bytes).and_then(|source| Ok((source.open()?, source)));
    let (mut opened, source) = opened.map_err(|error| Fault::of_file(file, Problem::Unreadable(error)))?;
    check_columns(&mut opened).map_err(|error| damaged(at, error))?;
    let load = |options| sound(at, || ArrowReaderMetadata::load(&opened, options));
    let as_written = load(ArrowReaderOptions::new())?;
    let slots = header(&names(as_written.schema()))?;
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
    let fields: Vec<Arc<Field>> = as_written.schema().fields().iter().map(as_dictionary).collect();
    let metadata = load(ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields))))?;
    let table = Arc::new(ParquetTable { file, source, metadata, as_written, slots });
    Ok(ParquetFeed { table, next: 0, row: 1, read: Arc::clone(read) })
}

impl ParquetFeed {
    pub fn next(&mut self) -> Option<RowGroup> {
        let group = self.next;
        let about = self.table.metadata.metadata().row_groups().get(group)?;
        let task = RowGroup { table: Arc::clone(&self.table), group, row: self.row };
        self.next += 1;
        self.row = self.row.saturating_add(about.num_rows().max(0) as u64);
        self.read.fetch_add(about.compressed_size().max(0) as u64, Ordering::Relaxed);
        Some(task)
    }
}

impl RowGroup {
    pub fn run(self, worker: &mut Worker) -> Result<(), Fault> {
        let slots = &self.table.slots;
        let used: Vec<usize> = (0..slots.of.len()).filter(|place| !slots.of[*place].is_empty()).collect();
        let mut met = Met::new(worker.plan);
        self.read(&self.table.metadata, &used, &mut |batch, at| {
            let columns: Vec<(&ArrayRef, &[Slot])> =
                (batch.columns().iter()).zip(used.iter().map(|place| slots.of[*place].as_slice())).collect();
            take(worker, &mut met, &columns, at, batch.num_rows())
        })
    }

    /// The rows as they are: of some columns, or of all.
    pub fn batches(
        &self,
        columns: Option<&[usize]>,
        take: &mut dyn FnMut(RecordBatch, At) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let all: Vec<usize> = (0..self.table.slots.width).collect();
        self.read(&self.table.as_written, columns.unwrap_or(&all), take)
    }

    /// Reads some columns of the group.
    fn read(
        &self,
        metadata: &ArrowReaderMetadata,
        columns: &[usize],
        take: &mut dyn FnMut(RecordBatch, At) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let ParquetTable { file, source, .. } = &*self.table;
        let mut at = At { file: *file, number: self.row };
        let opened = source.open().map_err(|error| Fault::of_file(*file, Problem::Unreadable(error)))?;
        let mask = ProjectionMask::roots(metadata.parquet_schema(), columns.iter().copied());
        self.check_sizes(&mask, at)?;
        let mut reader: ParquetRecordBatchReader = sound(at, || {
            ParquetRecordBatchReaderBuilder::new_with_metadata(opened, metadata.clone())
                .with_row_groups(vec![self.group])
                .with_projection(mask)
                .with_batch_size(BATCH)
                .build()
        })?;
        while let Some(batch) = sound(at, || reader.next().transpose().map_err(ParquetError::from))? {
            let rows = batch.num_rows();
            take(batch, at)?;
            at.number += rows as u64;
        }
        Ok(())
    }

    /// Looks at what the columns that are used say of their size, before anything of that size is made.
    fn check_sizes(&self, mask: &ProjectionMask, at: At) -> Result<(), Fault> {
        let open = || {
            let opened = self.table.source.open();
            opened.map_err(|error| Fault::of_file(at.file, Problem::Unreadable(error)))
        };
        let mut file = open()?;
        let length = Length::len(&file);
        let group = self.table.metadata.metadata().row_group(self.group);
        let rows = usize::try_from(group.num_rows()).map_err(|_| damaged(at, "a negative number of rows"))?;
        let mut unpacked = 0;
        for (_, column) in group.columns().iter().enumerate().filter(|(place, _)| mask.leaf_included(*place))
        {
            let (start, size) = sound(at, || Ok(column.byte_range()))?;
            if start.checked_add(size).is_none_or(|end| end > length) {
                return Err(damaged(at, "a column lies outside the file"));
            }
            let pages = look_at_pages(&mut file, start, size, BATCH as u64);
            if column.compression() != Compression::UNCOMPRESSED {
                unpacked += pages.unpacked;
            }
            if unpacked > MOST_UNPACKED {
                return Err(damaged(at, "its pages say to be larger than 512 MiB once unpacked"));
            }
            if pages.differences {
                let again = Arc::new(open()?);
                let mut pages = sound(at, || SerializedPageReader::new(again, column, rows, None))?;
                let about = column.column_descr();
                let levels = (about.max_rep_level(), about.max_def_level());
                while let Some(page) = sound(at, || pages.get_next_page())? {
                    fits(&page, levels, BATCH, MOST_UNPACKED / 2)
                        .ok_or_else(|| damaged(at, "a page says to hold more text than makes sense"))?;
                }
            }
        }
        Ok(())
    }
}

/// Writes a tally: key columns as text, whole numbers and reals as such.
pub(crate) fn write(
    keys: &[String],
    numbers: &[String],
    lines: &[(Vec<&str>, Vec<Number>)],
    out: Out,
) -> std::io::Result<()> {
    use arrow_array::{Float64Array, Int64Array, StringArray};
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
                Number::Signed(whole) => Some(whole as f64),
                _ => None,
            };
            Arc::new(cells().map(real).collect::<Float64Array>())
        } else {
            let whole = |cell: &Number| match *cell {
                Number::Whole(whole) => i64::try_from(whole).ok(),
                Number::Signed(whole) => Some(whole),
                _ => None,
            };
            Arc::new(cells().map(whole).collect::<Int64Array>())
        };
        columns.push((name.clone(), array, true));
    }
    let batch = RecordBatch::try_from_iter_with_nullable(columns).map_err(std::io::Error::other)?;
    let mut writer = ArrowWriter::try_new(out, batch.schema(), None).map_err(std::io::Error::other)?;
    writer.write(&batch).map_err(std::io::Error::other)?;
    writer.into_inner().map_err(std::io::Error::other)?.finish()
}
