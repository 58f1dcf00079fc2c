//! Edited rows into a file of any format.

use super::chunk::{Chunk, Fields, RowsOf};
use super::{Edit, Kind, RewriteError, Table, TableFormat};
use crate::error::Problem;
use crate::fault::Fault;
use crate::formats::is_taken_for_another;
use crate::formula::Guard;
use crate::value::At;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{BufWriter, Write};

/// Where bytes go.
pub(crate) type Target<'w> = &'w mut (dyn Write + Send);

/// Bytes on their way out, packed or not.
pub(crate) enum Out<'w> {
    Plain(BufWriter<Target<'w>>),
    Gzip(Box<GzEncoder<BufWriter<Target<'w>>>>),
}

impl Write for Out<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Out::Plain(out) => out.write(bytes),
            Out::Gzip(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Out::Plain(out) => out.flush(),
            Out::Gzip(out) => out.flush(),
        }
    }
}

impl<'w> Out<'w> {
    pub fn new(gzip: bool, out: Target<'w>) -> Self {
        let out = BufWriter::with_capacity(1 << 16, out);
        if gzip { Out::Gzip(Box::new(GzEncoder::new(out, Compression::default()))) } else { Out::Plain(out) }
    }

    pub fn finish(self) -> std::io::Result<()> {
        match self {
            Out::Plain(mut out) => out.flush(),
            Out::Gzip(out) => out.finish()?.flush(),
        }
    }
}

/// A file that rows are written to. It begins with the first of them, which show what columns there are.
pub(crate) struct Sink<'w> {
    kind: Kind,
    guard: Guard,
    state: State<'w>,
}

enum State<'w> {
    Before(Out<'w>),
    Text(Box<csv::Writer<Out<'w>>>),
    Json(Out<'w>),
    Parquet(Box<parquet::arrow::ArrowWriter<Out<'w>>>, arrow_schema::SchemaRef),
    /// Something went wrong on the way from one to the next.
    Lost,
}

fn output(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> RewriteError {
    RewriteError::Output(std::io::Error::other(error))
}

/// An error of the CSV writer as what it is: whoever stopped reading is told by its kind.
fn of_csv(error: csv::Error) -> RewriteError {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => RewriteError::Output(error),
        other => output(format!("{other:?}")),
    }
}

impl<'w> Sink<'w> {
    pub fn new(format: TableFormat, out: Target<'w>) -> Self {
        let guard = Guard::new(format.safe);
        Sink { kind: format.kind, guard, state: State::Before(Out::new(format.gzip, out)) }
    }

    /// Writes some rows as they are, but for what was edited.
    pub fn write(&mut self, table: &Table, chunk: &Chunk, edit: &Edit) -> Result<(), RewriteError> {
        let named = |fault: Fault| RewriteError::Input(fault.named(&table.files));
        if let State::Before(_) = self.state {
            self.begin(table, chunk)?;
        }
        match &mut self.state {
            State::Text(writer) => {
                let fields = chunk.fields(table).map_err(named)?;
                for row in 0..chunk.at().len() {
                    for &column in &table.kept {
                        match table.changed[column] {
                            Some(place) => {
                                writer.write_field(&*self.guard.text(new(&edit.changed, place, row)))
                            }
                            None => {
                                let field = fields.get(row, column).map_err(named)?;
                                writer.write_field(&*self.guard.bytes(&field))
                            }
                        }
                        .map_err(of_csv)?;
                    }
                    for place in 0..table.added.len() {
                        writer
                            .write_field(&*self.guard.text(new(&edit.added, place, row)))
                            .map_err(of_csv)?;
                    }
                    for place in 0..table.numbers.len() {
                        let digits = number(edit, place, row).map(|number| number.to_string());
                        writer.write_field(digits.unwrap_or_default()).map_err(of_csv)?;
                    }
                    writer.write_record(None::<&[u8]>).map_err(of_csv)?;
                }
                Ok(())
            }
            State::Json(out) => write_json(out, table, chunk, edit),
            State::Parquet(writer, schema) => {
                let batch = of_parquet::edited(table, chunk, edit)?;
                let batch = batch.with_schema(std::sync::Arc::clone(schema));
                let batch = batch.map_err(|_| {
                    let problem = Problem::OtherTypes;
                    let at = chunk.at().first().map_or(0, |at| at.file);
                    named(Fault::of_file(at, problem))
                })?;
                writer.write(&batch).map_err(output)
            }
            State::Before(_) | State::Lost => Err(output("the file was not begun")),
        }
    }

    /// Writes what stands before the first row.
    fn begin(&mut self, table: &Table, chunk: &Chunk) -> Result<(), RewriteError> {
        let State::Before(out) = std::mem::replace(&mut self.state, State::Lost) else { return Ok(()) };
        let named = |column: &str, problem| {
            let fault = Fault { at: At { file: 0, number: 0 }, column: Some(column.to_owned()), problem };
            RewriteError::Input(fault.named(&table.files))
        };
        let text = matches!((self.kind, &chunk.rows), (Kind::Text(_), RowsOf::Text(_)));
        let twice = table.names.iter().enumerate().find(|(i, name)| table.names[..*i].contains(name));
        if let (false, Some((_, name))) = (text, twice) {
            return Err(named(name, Problem::DuplicateColumn));
        }
        self.state = match self.kind {
            Kind::Text(delimiter) => {
                let names = table.header().map(|name| self.guard.text(name).into_owned());
                let names: Vec<String> = names.collect();
                State::Text(Box::new(text_writer(out, delimiter, &names).map_err(of_csv)?))
            }
            Kind::JsonLines => State::Json(out),
            Kind::Parquet => {
                let schema = of_parquet::schema(table, chunk);
                let properties = of_parquet::properties();
                let writer = parquet::arrow::ArrowWriter::try_new(
                    out,
                    std::sync::Arc::clone(&schema),
                    Some(properties),
                );
                State::Parquet(Box::new(writer.map_err(output)?), schema)
            }
        };
        Ok(())
    }

    /// Writes what stands behind the last row, and tells how many formulas there were.
    pub fn finish(self) -> std::io::Result<u64> {
        match self.state {
            State::Before(out) => out.finish(),
            State::Text(writer) => {
                writer.into_inner().map_err(|error| error.into_error()).and_then(Out::finish)
            }
            State::Json(out) => out.finish(),
            State::Parquet(writer, _) => writer.into_inner().map_err(std::io::Error::other)?.finish(),
            State::Lost => Err(std::io::Error::other("the file was not begun")),
        }?;
        Ok(self.guard.met)
    }
}

/// A new value; empty where there is none.
fn new(values: &[Vec<Option<String>>], place: usize, row: usize) -> &str {
    values.get(place).and_then(|values| values.get(row)?.as_deref()).unwrap_or_default()
}

/// A new number, where there is one.
fn number(edit: &Edit, place: usize, row: usize) -> Option<f64> {
    edit.numbers.get(place)?.get(row).copied().flatten().filter(|number| number.is_finite())
}

fn write_json(out: &mut Out, table: &Table, chunk: &Chunk, edit: &Edit) -> Result<(), RewriteError> {
    use serde_json::Value;
    let named = |fault: Fault| RewriteError::Input(fault.named(&table.files));
    let text = |text: &str| if text.is_empty() { Value::Null } else { Value::from(text) };
    let place = |name: &str| table.names.iter().position(|n| n == name);
    let changed = |name: &str| place(name).and_then(|at| table.changed[at]);
    let dropped = |name: &str| place(name).is_some_and(|at| !table.kept.contains(&at));
    let fields = match &chunk.rows {
        RowsOf::Objects(_) => None,
        _ => Some(chunk.fields(table).map_err(named)?),
    };
    for row in 0..chunk.at().len() {
        let mut members: Vec<String> = Vec::with_capacity(table.header().count());
        match (&chunk.rows, &fields) {
            // Members stay as they are written, lists and objects too.
            (RowsOf::Objects(objects), _) => {
                for (key, value) in objects[row].iter().filter(|(key, _)| !dropped(key)) {
                    let key_text = Value::from(key.as_str());
                    members.push(match changed(key) {
                        Some(place) => format!("{key_text}:{}", text(new(&edit.changed, place, row))),
                        None => format!("{key_text}:{}", value.get()),
                    });
                }
                for (name, place) in table.names.iter().zip(&table.changed) {
                    let absent = !dropped(name) && !objects[row].iter().any(|(key, _)| key == name);
                    let value = place.map(|place| new(&edit.changed, place, row)).unwrap_or_default();
                    if absent && !value.is_empty() {
                        members.push(format!("{}:{}", Value::from(name.as_str()), Value::from(value)));
                    }
                }
            }
            (_, Some(fields)) => {
                for &column in &table.kept {
                    let name = &table.names[column];
                    let value = match table.changed[column] {
                        Some(place) => text(new(&edit.changed, place, row)),
                        None => text(&utf8(fields, table, chunk, row, column).map_err(named)?),
                    };
                    members.push(format!("{}:{value}", Value::from(name.as_str())));
                }
            }
            (_, None) => {}
        }
        for (place, name) in table.added.iter().enumerate() {
            let value = new(&edit.added, place, row);
            let value = match value.parse::<i64>() {
                Ok(whole) if table.whole => whole.to_string(),
                _ => text(value).to_string(),
            };
            members.push(format!("{}:{value}", Value::from(name.as_str())));
        }
        for (place, name) in table.numbers.iter().enumerate() {
            members.push(format!("{}:{}", Value::from(name.as_str()), Value::from(number(edit, place, row))));
        }
        writeln!(out, "{{{}}}", members.join(",")).map_err(RewriteError::Output)?;
    }
    Ok(())
}

/// A field as text.
fn utf8(fields: &Fields, table: &Table, chunk: &Chunk, row: usize, column: usize) -> Result<String, Fault> {
    String::from_utf8(fields.get(row, column)?.into_owned()).map_err(|_| Fault {
        at: chunk.at()[row],
        column: Some(table.names[column].clone()),
        problem: Problem::NotUtf8,
    })
}

pub(super) mod of_parquet {
    use super::*;
    use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchOptions, StringArray};
    use arrow_schema::{DataType, Field, Schema, SchemaRef};
    use parquet::file::properties::WriterProperties;
    use std::sync::Arc;

    /// Rows of a group are held until it is full: so many at most, and so many bytes.
    pub fn properties() -> WriterProperties {
        WriterProperties::builder()
            .set_compression(parquet::basic::Compression::SNAPPY)
            .set_max_row_group_row_count(Some(1 << 18))
            .set_max_row_group_bytes(Some(1 << 27))
            .build()
    }

    /// Columns keep their types; those that are changed or added are text, but for numbers.
    pub fn schema(table: &Table, chunk: &Chunk) -> SchemaRef {
        let text = |name: &String| Arc::new(Field::new(name, DataType::Utf8, true));
        let columns = table.kept.iter().map(|&column| match &chunk.rows {
            RowsOf::Columns(batch) if table.changed[column].is_none() => {
                let field = batch.schema_ref().field(column);
                Arc::new(field.clone().with_nullable(true))
            }
            _ => text(&table.names[column]),
        });
        let number = |name: &String| Arc::new(Field::new(name, DataType::Float64, true));
        let whole = |name: &String| Arc::new(Field::new(name, DataType::Int64, true));
        let added = |name: &String| if table.whole { whole(name) } else { text(name) };
        let added = table.added.iter().map(added).chain(table.numbers.iter().map(number));
        Arc::new(Schema::new(columns.chain(added).collect::<Vec<_>>()))
    }

    /// The rows with their new values, as columns.
    pub fn edited(table: &Table, chunk: &Chunk, edit: &Edit) -> Result<RecordBatch, RewriteError> {
        let named = |fault: Fault| RewriteError::Input(fault.named(&table.files));
        let rows = chunk.at().len();
        let given = |values: &[Vec<Option<String>>], place: usize| -> ArrayRef {
            let value = |row: usize| values.get(place).and_then(|values| values.get(row)?.as_deref());
            Arc::new((0..rows).map(value).collect::<StringArray>())
        };
        let fields = match &chunk.rows {
            RowsOf::Columns(_) => None,
            _ => Some(chunk.fields(table).map_err(named)?),
        };
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(table.header().count());
        for &column in &table.kept {
            columns.push(match (table.changed[column], &chunk.rows, &fields) {
                (Some(place), ..) => given(&edit.changed, place),
                (None, RowsOf::Columns(batch), _) => Arc::clone(batch.column(column)),
                (None, _, Some(fields)) => {
                    let text = |row| utf8(fields, table, chunk, row, column);
                    let texts: Vec<String> = (0..rows).map(text).collect::<Result<_, _>>().map_err(named)?;
                    let value = |text: &'_ String| Some(text.clone()).filter(|text| !text.is_empty());
                    Arc::new(texts.iter().map(value).collect::<StringArray>())
                }
                (None, _, None) => return Err(output("no rows")),
            });
        }
        let whole = |place: usize| -> ArrayRef {
            let value = |row: usize| edit.added.get(place)?.get(row)?.as_ref()?.parse::<i64>().ok();
            Arc::new((0..rows).map(value).collect::<Int64Array>())
        };
        let added = |place: usize| if table.whole { whole(place) } else { given(&edit.added, place) };
        columns.extend((0..table.added.len()).map(added));
        let numbers = |place| (0..rows).map(|row| number(edit, place, row)).collect::<Float64Array>();
        columns.extend((0..table.numbers.len()).map(|place| -> ArrayRef { Arc::new(numbers(place)) }));
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(schema(table, chunk), columns, &options).map_err(output)
    }
}

/// A writer of rows below a header. Names that begin like another format are quoted: the copy of a table must not be taken for it.
pub(crate) fn text_writer<W: Write>(
    mut out: W,
    delimiter: u8,
    header: &[String],
) -> Result<csv::Writer<W>, csv::Error> {
    let written = |style: csv::QuoteStyle| -> Result<Vec<u8>, csv::Error> {
        let mut line =
            csv::WriterBuilder::new().delimiter(delimiter).quote_style(style).from_writer(Vec::new());
        line.write_record(header)?;
        Ok(line.into_inner().map_err(csv::IntoInnerError::into_error)?)
    };
    let plain = written(csv::QuoteStyle::Necessary)?;
    let line = if is_taken_for_another(&plain) { written(csv::QuoteStyle::Always)? } else { plain };
    out.write_all(&line)?;
    Ok(csv::WriterBuilder::new().delimiter(delimiter).from_writer(out))
}
