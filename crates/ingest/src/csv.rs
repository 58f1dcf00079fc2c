//! CSV and TSV, plain or gzipped, row by row: memory does not grow with rows.

use crate::columns::Columns;
use crate::confident::ConfidentCounter;
use crate::error::{IngestError, Place, Problem};
use crate::labels::LabelCounter;
use crate::tally::{Compared, RowCounter, Table};
use fairveil_core::{AuditLabels, ConfidentTally, Counts, Legend};
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;

/// How the fields of a row are set apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Delimiter {
    /// The one of comma, tab and semicolon that the header has most of.
    #[default]
    Detect,
    /// This byte.
    Byte(u8),
}

/// Reads the rows of another population, whose groups are known in the column `labels`, for the groups and proxies of a
/// table that was read.
pub fn read_labels_file(
    path: &Path,
    columns: &Columns,
    labels: &str,
    legend: &Legend,
    delimiter: Delimiter,
) -> Result<AuditLabels, IngestError> {
    let (name, file, delimiter) = open(path, delimiter)?;
    let begin = |header: &[String]| LabelCounter::new(&name, columns, labels, header);
    each_row(file, &name, delimiter, begin, LabelCounter::add)?.finish(legend)
}

/// Reads a table once more, for what the probabilities of its rows are sure of.
pub fn read_confident_file(
    path: &Path,
    columns: &Columns,
    counts: &Counts,
    delimiter: Delimiter,
) -> Result<ConfidentTally, IngestError> {
    let (name, file, delimiter) = open(path, delimiter)?;
    let begin = |header: &[String]| ConfidentCounter::new(&name, columns, header, counts);
    Ok(each_row(file, &name, delimiter, begin, ConfidentCounter::add)?.finish())
}

/// Reads the decisions of several models on the same rows: `y_pred` and `other_preds` of the columns.
pub fn read_compared_file(
    path: &Path,
    columns: &Columns,
    delimiter: Delimiter,
) -> Result<Compared, IngestError> {
    let (name, file, delimiter) = open(path, delimiter)?;
    let begin = |header: &[String]| Ok(RowCounter::new(&name, columns, columns.resolve(&name, header)?));
    each_row(file, &name, delimiter, begin, RowCounter::add)?.finish_all()
}

/// Reads the table in a file. A name that ends in `.tsv` or `.tsv.gz` says tabs, unless a delimiter is given.
pub fn read_file(path: &Path, columns: &Columns, delimiter: Delimiter) -> Result<Table, IngestError> {
    let (name, file, delimiter) = open(path, delimiter)?;
    read(file, &name, columns, delimiter)
}

fn open(path: &Path, delimiter: Delimiter) -> Result<(String, File, Delimiter), IngestError> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| unreadable(&name, None, error))?;
    let lower = name.to_lowercase();
    let says_tabs = [".tsv", ".tsv.gz", ".tab"].iter().any(|end| lower.ends_with(end));
    let delimiter = match delimiter {
        Delimiter::Detect if says_tabs => Delimiter::Byte(b'\t'),
        other => other,
    };
    Ok((name, file, delimiter))
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
    bytes: impl Read,
    name: &str,
    columns: &Columns,
    delimiter: Delimiter,
) -> Result<Table, IngestError> {
    let begin = |header: &[String]| Ok(RowCounter::new(name, columns, columns.resolve(name, header)?));
    each_row(bytes, name, delimiter, begin, RowCounter::add)?.finish()
}

/// Gives the header to `begin`, then every row to `add`.
fn each_row<S>(
    bytes: impl Read,
    name: &str,
    delimiter: Delimiter,
    begin: impl FnOnce(&[String]) -> Result<S, IngestError>,
    add: impl FnMut(&mut S, u64, &csv::ByteRecord) -> Result<(), IngestError>,
) -> Result<S, IngestError> {
    let mut bytes = BufReader::with_capacity(1 << 16, bytes);
    let start = bytes.fill_buf().map_err(|error| unreadable(name, None, error))?;
    match start {
        [] => Err(problem(name, Problem::EmptyFile)),
        [0x1f, 0x8b, ..] => {
            let bytes = BufReader::with_capacity(1 << 16, MultiGzDecoder::new(bytes));
            each_text_row(bytes, name, delimiter, begin, add)
        }
        _ => each_text_row(bytes, name, delimiter, begin, add),
    }
}

fn each_text_row<S>(
    mut text: impl BufRead,
    name: &str,
    delimiter: Delimiter,
    begin: impl FnOnce(&[String]) -> Result<S, IngestError>,
    mut add: impl FnMut(&mut S, u64, &csv::ByteRecord) -> Result<(), IngestError>,
) -> Result<S, IngestError> {
    // The first line tells the delimiter; a header longer than this is none.
    const LONGEST_HEADER: u64 = 1 << 20;
    let mut first_line = Vec::new();
    (&mut text)
        .take(LONGEST_HEADER)
        .read_until(b'\n', &mut first_line)
        .map_err(|e| unreadable(name, None, e))?;
    if let Some(format) = other_format(&first_line) {
        return Err(problem(name, Problem::Format(format)));
    }
    let head = first_line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&first_line);
    let delimiter = match delimiter {
        Delimiter::Byte(byte) => byte,
        Delimiter::Detect => detect(head),
    };
    let text = Newlines::new(Cursor::new(head.to_vec()).chain(text));
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(text);
    let header = reader.byte_headers().map_err(|error| broken(name, error))?;
    if header.iter().all(|field| field.is_empty()) {
        return Err(problem(name, Problem::EmptyFile));
    }
    let as_text = |field: &[u8]| std::str::from_utf8(field).map(|field| field.trim().to_owned());
    let header: Result<Vec<String>, _> = header.iter().map(as_text).collect();
    let header = header.map_err(|_| IngestError {
        place: Place { file: name.into(), line: Some(1), column: None },
        problem: Problem::NotUtf8,
    })?;
    let mut counter = begin(&header)?;
    let mut record = csv::ByteRecord::new();
    loop {
        let more = reader.read_byte_record(&mut record).map_err(|error| broken(name, error));
        if !more? {
            break;
        }
        add(&mut counter, first_line_of(&reader, &record), &record)?;
    }
    Ok(counter)
}

/// The line on which the record that was just read begins: blank lines before it are skipped by the parser, so it
/// is counted back from where the record ends.
fn first_line_of(reader: &csv::Reader<impl Read>, record: &csv::ByteRecord) -> u64 {
    let within = record.as_slice().iter().filter(|byte| **byte == b'\n').count() as u64;
    reader.position().line().saturating_sub(1 + within)
}

/// Text with every line end, `\r\n` and `\r` too, as `\n`, and one after the last line, so that lines are counted
/// as an editor counts them.
struct Newlines<R> {
    inner: R,
    after_return: bool,
    last: u8,
    ended: bool,
}

impl<R: Read> Newlines<R> {
    fn new(inner: R) -> Self {
        Newlines { inner, after_return: false, last: b'\n', ended: false }
    }
}

impl<R: Read> Read for Newlines<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.ended || out.is_empty() {
            return Ok(0);
        }
        loop {
            let read = self.inner.read(out)?;
            if read == 0 {
                self.ended = true;
                if self.last == b'\n' {
                    return Ok(0);
                }
                out[0] = b'\n';
                return Ok(1);
            }
            let mut kept = 0;
            for i in 0..read {
                let byte = out[i];
                let second_half = byte == b'\n' && self.after_return;
                self.after_return = byte == b'\r';
                if !second_half {
                    out[kept] = if byte == b'\r' { b'\n' } else { byte };
                    kept += 1;
                }
            }
            if kept > 0 {
                self.last = out[kept - 1];
                return Ok(kept);
            }
        }
    }
}

/// The delimiter that the header has most of outside quotes; a comma if it has none.
fn detect(header: &[u8]) -> u8 {
    let mut quoted = false;
    let mut found = [(b',', 0), (b'\t', 0), (b';', 0)];
    for byte in header {
        quoted ^= *byte == b'"';
        found.iter_mut().filter(|(delimiter, _)| !quoted && delimiter == byte).for_each(|(_, n)| *n += 1);
    }
    // The first of equals is the comma.
    found.iter().rev().max_by_key(|(_, n)| *n).map_or(b',', |(delimiter, _)| *delimiter)
}

/// Formats that people hand over by mistake, by their first bytes.
fn other_format(start: &[u8]) -> Option<&'static str> {
    match start {
        [b'P', b'A', b'R', b'1', ..] => Some("a Parquet file"),
        [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Some("an Arrow file"),
        [b'P', b'K', 3, 4, ..] => Some("a zip archive or an Excel workbook"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some("a zstd archive"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("text in UTF-16"),
        _ if start.contains(&0) => Some("a binary file"),
        _ => None,
    }
}

fn problem(name: &str, problem: Problem) -> IngestError {
    IngestError { place: Place { file: name.into(), line: None, column: None }, problem }
}

fn unreadable(name: &str, line: Option<u64>, error: std::io::Error) -> IngestError {
    IngestError {
        place: Place { file: name.into(), line, column: None },
        problem: Problem::Unreadable(error),
    }
}

fn broken(name: &str, error: csv::Error) -> IngestError {
    let line = error.position().map(csv::Position::line);
    match error.into_kind() {
        csv::ErrorKind::Io(error) => unreadable(name, line, error),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => IngestError {
            place: Place { file: name.into(), line, column: None },
            problem: Problem::FieldCount { found: len, needed: expected_len },
        },
        other => unreadable(name, line, std::io::Error::other(format!("{other:?}"))),
    }
}
