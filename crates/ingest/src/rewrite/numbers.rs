//! Numbers of each row as a table of their own.

use super::write::Out;
use super::{Kind, TableFormat};
use std::io::{Error, ErrorKind, Write};

/// The column that says which row of the table the numbers are about, counted from 1.
const ROW: &str = "row";

/// Writes a table with a column `row`, the number of each row of another table counted from 1, and a column of numbers for
/// each name. Digits are the fewest that read back to the same number; where a row has none, which is NaN, the field is
/// empty, or null. Refuses columns of other lengths, names that repeat or are `row`, and numbers that are infinite.
///
/// ```
/// # use fairveil_ingest::{TableFormat, write_weights};
/// let mut out = Vec::new();
/// write_weights(2, &["a".to_owned()], &[vec![0.1, f64::NAN]], TableFormat::CSV, &mut out)?;
/// assert_eq!(out, b"row,a\n1,0.1\n2,\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_weights(
    rows: usize,
    names: &[String],
    values: &[Vec<f64>],
    format: TableFormat,
    mut out: impl Write + Send,
) -> std::io::Result<()> {
    let refuse = |what: String| Err(Error::new(ErrorKind::InvalidInput, what));
    if names.len() != values.len() || values.iter().any(|values| values.len() != rows) {
        return refuse(format!("the numbers are not those of {rows} rows and {} columns", names.len()));
    }
    let twice = |(place, name): &(usize, &String)| *name == ROW || names[..*place].contains(name);
    if let Some((_, name)) = names.iter().enumerate().find(twice) {
        return refuse(format!("two columns would be called `{name}`"));
    }
    for (name, values) in names.iter().zip(values) {
        if let Some(row) = values.iter().position(|value| value.is_infinite()) {
            return refuse(format!("the number of row {} in column `{name}` is infinite", row + 1));
        }
    }
    numbers(rows, names, values, format.kind, Out::new(format.gzip, &mut out))
}

fn numbers(
    rows: usize,
    names: &[String],
    values: &[Vec<f64>],
    kind: Kind,
    mut out: Out,
) -> std::io::Result<()> {
    match kind {
        Kind::Text(delimiter) => {
            let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(out);
            let header = std::iter::once(ROW).chain(names.iter().map(String::as_str));
            writer.write_record(header).map_err(of_csv)?;
            for row in 0..rows {
                writer.write_field((row + 1).to_string()).map_err(of_csv)?;
                for values in values {
                    writer.write_field(digits(values[row], "")).map_err(of_csv)?;
                }
                writer.write_record(None::<&[u8]>).map_err(of_csv)?;
            }
            out = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
        }
        Kind::JsonLines => {
            let keys: Vec<String> =
                names.iter().map(|name| serde_json::Value::from(name.as_str()).to_string()).collect();
            for row in 0..rows {
                write!(out, "{{\"{ROW}\":{}", row + 1)?;
                for (key, values) in keys.iter().zip(values) {
                    write!(out, ",{key}:{}", digits(values[row], "null"))?;
                }
                writeln!(out, "}}")?;
            }
        }
        Kind::Parquet => return of_parquet(rows, names, values, out),
    }
    out.finish()
}

/// The fewest digits that read back to the same number; `nothing` where there is none.
fn digits(value: f64, nothing: &str) -> String {
    if value.is_nan() { nothing.to_owned() } else { format!("{value:?}") }
}

/// An error of the CSV writer as what it is: whoever stopped reading is told by its kind.
fn of_csv(error: csv::Error) -> Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => Error::other(format!("{other:?}")),
    }
}

fn of_parquet(rows: usize, names: &[String], values: &[Vec<f64>], out: Out) -> std::io::Result<()> {
    use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
    use arrow_schema::{DataType, Field, Schema};
    use std::sync::Arc;
    const ROWS: usize = 1 << 16;
    let numbers = names.iter().map(|name| Field::new(name, DataType::Float64, true));
    let fields: Vec<Field> =
        std::iter::once(Field::new(ROW, DataType::Int64, false)).chain(numbers).collect();
    let schema = Arc::new(Schema::new(fields));
    let properties = super::write::of_parquet::properties();
    let writer = parquet::arrow::ArrowWriter::try_new(out, Arc::clone(&schema), Some(properties));
    let mut writer = writer.map_err(Error::other)?;
    for start in (0..rows).step_by(ROWS) {
        let end = rows.min(start + ROWS);
        let mut columns: Vec<ArrayRef> =
            vec![Arc::new((start..end).map(|row| row as i64 + 1).collect::<Int64Array>())];
        for values in values {
            let some = |value: &f64| Some(*value).filter(|value| !value.is_nan());
            columns.push(Arc::new(values[start..end].iter().map(some).collect::<Float64Array>()));
        }
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns).map_err(Error::other)?;
        writer.write(&batch).map_err(Error::other)?;
    }
    writer.into_inner().map_err(Error::other)?.finish()
}
