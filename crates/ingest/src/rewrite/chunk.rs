//! Some rows in the shape that their format gives them.

use super::Table;
use crate::columns::{ColumnProblem, Meaning};
use crate::error::Problem;
use crate::fault::Fault;
use crate::formats::Task;
use crate::value::{At, is_missing};
use std::borrow::Cow;

/// Some rows, and where each is.
pub(crate) struct Chunk {
    at: Vec<At>,
    pub rows: RowsOf,
}

/// Rows as they were read.
pub(crate) enum RowsOf {
    /// Fields of a text.
    Text(Vec<csv::ByteRecord>),
    /// Members of objects.
    Objects(Vec<crate::formats::Members>),
    /// Columns: all of them, or those that are shown.
    Columns(arrow_array::RecordBatch),
}

/// Hands on the rows of a piece of the input, until it is told to stop. Of formats that keep columns apart only some are
/// read, where that is enough.
pub(crate) fn each(
    task: Task,
    buffer: &[u8],
    only: Option<&[usize]>,
    take: &mut dyn FnMut(&Chunk) -> Result<bool, Fault>,
) -> Result<(), Fault> {
    match task {
        Task::Json(block) => {
            let (mut at, mut objects) = (Vec::new(), Vec::new());
            let read = block.objects(buffer, |object, place| {
                at.push(place);
                objects.push(object);
                Ok(())
            });
            take(&Chunk { at, rows: RowsOf::Objects(objects) })?;
            read
        }
        Task::Parquet(group) => {
            // Columns come in the order of the file, whatever the order they are asked for.
            let mut sorted = only.map(<[usize]>::to_vec);
            sorted.iter_mut().for_each(|columns| columns.sort_unstable());
            let mut going = true;
            group.batches(sorted.as_deref(), &mut |batch, at| {
                if going {
                    let batch = match (only, &sorted) {
                        (Some(only), Some(sorted)) => reordered(&batch, only, sorted, at)?,
                        _ => batch,
                    };
                    going = take(&of_columns(batch, at))?;
                }
                Ok(())
            })
        }
        Task::Arrow(rows) => {
            let (batch, at) = rows.batch();
            let batch = match only {
                Some(only) => batch.project(only).map_err(|error| no_columns(at, &error))?,
                None => batch,
            };
            take(&of_columns(batch, at)).map(drop)
        }
        text => {
            let (mut at, mut records) = (Vec::new(), Vec::new());
            let read = text.records(buffer, |record, place| {
                at.push(place);
                records.push(record);
                Ok(())
            });
            // Rows before a broken one may be wrong for other reasons, and come first.
            take(&Chunk { at, rows: RowsOf::Text(records) })?;
            read
        }
    }
}

fn no_columns(at: At, error: &arrow_schema::ArrowError) -> Fault {
    let problem = Problem::Damaged { format: "table", detail: error.to_string() };
    Fault { at, column: None, problem }
}

fn reordered(
    batch: &arrow_array::RecordBatch,
    only: &[usize],
    sorted: &[usize],
    at: At,
) -> Result<arrow_array::RecordBatch, Fault> {
    let places: Vec<usize> =
        only.iter().filter_map(|column| sorted.iter().position(|place| place == column)).collect();
    batch.project(&places).map_err(|error| no_columns(at, &error))
}

fn of_columns(batch: arrow_array::RecordBatch, at: At) -> Chunk {
    let rows = batch.num_rows() as u64;
    let at = (0..rows).map(|row| At { number: at.number + row, ..at }).collect();
    Chunk { at, rows: RowsOf::Columns(batch) }
}

impl Chunk {
    pub fn at(&self) -> &[At] {
        &self.at
    }

    fn fault(&self, row: usize, column: &str, problem: Problem) -> Fault {
        let at = self.at.get(row).copied().unwrap_or(At { file: 0, number: 0 });
        Fault { at, column: Some(column.to_owned()), problem }
    }

    /// The values of the columns that are shown.
    pub fn shown(&self, table: &Table, missing: &[String]) -> Result<Vec<Vec<Option<String>>>, Fault> {
        let column = |(place, column): (usize, &usize)| -> Result<Vec<Option<String>>, Fault> {
            let name = &table.names[*column];
            let map = table.maps[place].as_deref();
            let value = |row: usize, text: &str| match map.map(|map| map.meaning(text)) {
                Some(Meaning::Name(name)) => Ok(Some(name)),
                Some(Meaning::Nothing) => Ok(None),
                _ if is_missing(text, missing) => Ok(None),
                None => Ok(Some(text.to_owned())),
                Some(Meaning::Unsaid) => {
                    let problem = ColumnProblem::Unmapped { value: None, more: 0 };
                    Err(self.fault(row, name, Problem::Columns(problem)))
                }
            };
            match &self.rows {
                RowsOf::Text(records) => {
                    let field = |(row, record): (usize, &csv::ByteRecord)| {
                        let field = std::str::from_utf8(record.get(*column).unwrap_or_default());
                        let field = field.map_err(|_| self.fault(row, name, Problem::NotUtf8))?;
                        value(row, field)
                    };
                    records.iter().enumerate().map(field).collect()
                }
                RowsOf::Objects(objects) => {
                    let field = |(row, object): (usize, &crate::formats::Members)| {
                        let mut found = object.iter().filter(|(key, _)| key == name);
                        let first = found.next();
                        if found.next().is_some() {
                            return Err(self.fault(row, name, Problem::DuplicateColumn));
                        }
                        let Some((_, raw)) = first else { return Ok(None) };
                        let text = crate::formats::as_field(raw);
                        let text = text.ok_or_else(|| self.fault(row, name, Problem::Nested))?;
                        value(row, &text)
                    };
                    objects.iter().enumerate().map(field).collect()
                }
                RowsOf::Columns(batch) => {
                    use arrow_array::cast::AsArray;
                    // Where only some columns were read, those are the ones that are shown.
                    let all = batch.num_columns() == table.names.len();
                    let array = batch.column(if all { *column } else { place });
                    let at = self.at.first().copied().unwrap_or(At { file: 0, number: 0 });
                    let text = crate::formats::as_text(array, at, name)?;
                    let texts = text.as_string::<i32>().iter().enumerate();
                    texts.map(|(row, text)| value(row, text.unwrap_or_default())).collect()
                }
            }
        };
        table.shown.iter().enumerate().map(column).collect()
    }

    /// The rows as fields of a text, whatever they were.
    pub fn fields<'c>(&'c self, table: &'c Table) -> Result<Fields<'c>, Fault> {
        Ok(match &self.rows {
            RowsOf::Text(records) => Fields::Text(records),
            RowsOf::Objects(objects) => {
                for (row, object) in objects.iter().enumerate() {
                    if let Some((key, _)) = object.iter().find(|(key, _)| !table.names.contains(key)) {
                        return Err(self.fault(row, key, Problem::LateColumn));
                    }
                }
                Fields::Objects(self, objects, &table.names)
            }
            RowsOf::Columns(batch) => {
                let at = self.at.first().copied().unwrap_or(At { file: 0, number: 0 });
                let text = |(array, name): (&arrow_array::ArrayRef, &String)| {
                    crate::formats::as_text(array, at, name)
                };
                let texts = batch.columns().iter().zip(&table.names).map(text);
                Fields::Columns(texts.collect::<Result<_, _>>()?)
            }
        })
    }
}

/// Rows as fields of a text.
pub(crate) enum Fields<'c> {
    Text(&'c [csv::ByteRecord]),
    Objects(&'c Chunk, &'c [crate::formats::Members], &'c [String]),
    Columns(Vec<arrow_array::ArrayRef>),
}

impl Fields<'_> {
    /// One field; empty where there is nothing.
    pub fn get(&self, row: usize, column: usize) -> Result<Cow<'_, [u8]>, Fault> {
        match self {
            Fields::Text(records) => Ok(Cow::Borrowed(records[row].get(column).unwrap_or_default())),
            Fields::Objects(chunk, objects, names) => {
                let name = &names[column];
                // Members mostly come in the same order.
                let near = objects[row].get(column).filter(|(key, _)| key == name);
                let member = near.or_else(|| objects[row].iter().find(|(key, _)| key == name));
                let Some((_, raw)) = member else { return Ok(Cow::Borrowed(b"")) };
                let text = crate::formats::as_field(raw);
                let text = text.ok_or_else(|| chunk.fault(row, name, Problem::Nested))?;
                Ok(match text {
                    Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
                    Cow::Owned(text) => Cow::Owned(text.into_bytes()),
                })
            }
            Fields::Columns(columns) => {
                use arrow_array::Array;
                use arrow_array::cast::AsArray;
                let array = columns[column].as_string::<i32>();
                Ok(Cow::Borrowed(if array.is_valid(row) { array.value(row).as_bytes() } else { b"" }))
            }
        }
    }
}
