//! The formats, told by their first bytes. Each cuts its input into pieces, and turns a piece into rows.

mod arrow;
mod blocks;
mod csv;
mod decimals;
mod differences;
mod encoding;
mod features;
mod guard;
mod json;
mod parquet;
mod rows;
mod seekable;
mod thrift;

use crate::columns::Columns;
use crate::error::Problem;
use crate::fault::Fault;
use crate::feed::{Delimiter, Input, Meter, Metered, Note, Texts, open_file};
use crate::plan::Slots;
use crate::value::At;
use crate::worker::Worker;
use flate2::bufread::MultiGzDecoder;
use std::io::{BufRead, BufReader, Cursor, Read};

pub use decimals::Decimal;
pub(crate) use decimals::{Decimals, Reads, without_decimals};
pub use encoding::Encoding;
pub(crate) use seekable::Seekable;

pub(crate) use arrow::as_text;
use encoding::{Decoded, Guessed};
pub(crate) use json::{Members, as_field};
pub(crate) use parquet::write as write_parquet;

/// What can be read, in words.
pub const FORMATS: &str = "CSV, TSV or JSON lines (plain, gzip or zstd), Parquet, Arrow or Feather";

/// An input that is being read.
pub(crate) enum Open<'a> {
    Csv(csv::CsvFeed<'a>),
    Json(json::JsonFeed<'a>),
    Parquet(parquet::ParquetFeed),
    Arrow(arrow::ArrowFeed<'a>),
    Rows(rows::RowFeed<'a>),
}

/// A piece of an input, to be turned into rows.
pub(crate) enum Task {
    Csv(csv::CsvBlock),
    Json(json::JsonBlock),
    Parquet(parquet::RowGroup),
    Arrow(arrow::Rows),
    Rows(rows::RowBlock),
}

impl Open<'_> {
    /// Whether rows are found by line.
    pub fn has_lines(&self) -> bool {
        match self {
            Open::Csv(_) => true,
            Open::Json(json) => json.has_lines(),
            Open::Parquet(_) => false,
            Open::Arrow(_) => false,
            Open::Rows(_) => false,
        }
    }

    pub fn next(&mut self, buffer: &mut Vec<u8>) -> Result<Option<Task>, Fault> {
        Ok(match self {
            Open::Csv(csv) => csv.next(buffer)?.map(Task::Csv),
            Open::Json(json) => json.next(buffer)?.map(Task::Json),
            Open::Parquet(parquet) => parquet.next().map(Task::Parquet),
            Open::Arrow(arrow) => arrow.next()?.map(Task::Arrow),
            Open::Rows(rows) => rows.next()?.map(Task::Rows),
        })
    }
}

impl Task {
    pub fn run(self, buffer: &[u8], worker: &mut Worker) -> Result<(), Fault> {
        match self {
            Task::Csv(block) => block.run(buffer, worker),
            Task::Json(block) => block.run(buffer, worker),
            Task::Parquet(group) => group.run(worker),
            Task::Arrow(rows) => rows.run(worker),
            Task::Rows(rows) => rows.run(worker),
        }
    }
}

impl Task {
    /// Each row as fields of text. Rows that are objects or columns are taken as such, and have none.
    pub fn records(
        &self,
        buffer: &[u8],
        mut take: impl FnMut(::csv::ByteRecord, At) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        match self {
            Task::Csv(block) => block.records(buffer, |record, at| take(record.clone(), at)),
            Task::Rows(block) => block.each(|fields, at| take(fields.iter().collect(), at)),
            Task::Json(_) | Task::Parquet(_) | Task::Arrow(_) => Ok(()),
        }
    }
}

/// Bytes that can be looked at before they are read.
pub(crate) type Bytes<'a> = Box<dyn BufRead + Send + 'a>;

/// From the columns of a file to what becomes of each.
pub(crate) type Resolve<'r> = dyn FnMut(&[String]) -> Result<Slots, Fault> + 'r;

/// Opens an input by what its bytes look like; `header` is given its columns.
pub(crate) fn open<'a>(
    file: u32,
    input: Input<'a>,
    texts: &Texts,
    columns: &'a Columns,
    meter: &Meter,
    header: &mut Resolve,
) -> Result<Open<'a>, Fault> {
    let unreadable = |error| Fault::of_file(file, Problem::Unreadable(error));
    let (name, delimiter) = (input.name(), texts.delimiter);
    let delimiter = match &input {
        Input::File(path) if delimiter == Delimiter::Detect && says_tabs(&path.display().to_string()) => {
            Delimiter::Byte(b'\t')
        }
        _ => delimiter,
    };
    let mut lies = match &input {
        Input::File(path) => Some(Seekable::File(path.clone())),
        Input::Memory { bytes, .. } => Some(Seekable::Memory(bytes.clone())),
        _ => None,
    };
    let bytes: Box<dyn Read + Send + 'a> = match input {
        Input::File(path) => Box::new(open_file(&path).map_err(unreadable)?),
        Input::Bytes { bytes, .. } => bytes,
        Input::Memory { bytes, .. } => Box::new(Cursor::new(bytes)),
        Input::Batches { batches, .. } => {
            return arrow::open_batches(file, batches, header).map(Open::Arrow);
        }
        Input::Rows(source) => return rows::open(file, source, columns, header).map(Open::Rows),
    };
    let bytes = Metered { inner: bytes, input: file, meter: meter.clone() };
    let mut bytes = peekable(Box::new(bytes)).map_err(unreadable)?;
    // An archive in an archive is somebody's mistake.
    let start = first_bytes(&mut bytes).map_err(unreadable)?;
    // What was unpacked is not what lies there.
    match start.as_slice() {
        [0x1f, 0x8b, ..] => {
            lies = None;
            bytes = peekable(Box::new(MultiGzDecoder::new(bytes))).map_err(unreadable)?;
        }
        #[cfg(feature = "zstd")]
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            lies = None;
            let decoder = zstd::stream::read::Decoder::with_buffer(bytes).map_err(unreadable)?;
            bytes = peekable(Box::new(decoder)).map_err(unreadable)?;
        }
        _ => {}
    }
    let start = first_bytes(&mut bytes).map_err(unreadable)?;
    if !is_columnar(&start) {
        let shown = Encoding::shown_by(&start);
        if let (None, Some(shown)) = (texts.encoding, shown) {
            texts.note(&name, Note::Encoding(shown));
        }
        bytes = match texts.encoding.or(shown) {
            Some(Encoding::Utf8) => bytes,
            Some(encoding) => peekable(Box::new(Decoded::new(bytes, encoding))).map_err(unreadable)?,
            None => {
                let (texts, name) = (texts.clone(), name.clone());
                let told = move || texts.note(&name, Note::Encoding(Encoding::Latin1));
                peekable(Box::new(Guessed::new(bytes, told))).map_err(unreadable)?
            }
        };
    }
    if first_bytes(&mut bytes).map_err(unreadable)?.starts_with(b"\xef\xbb\xbf") {
        bytes.consume(3);
    }
    let start = first_bytes(&mut bytes).map_err(unreadable)?;
    match start.as_slice() {
        [] => Err(Fault::of_file(file, Problem::EmptyFile)),
        #[cfg(not(feature = "zstd"))]
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Err(Fault::of_file(file, Problem::Format("an archive by zstd"))),
        [b'P', b'A', b'R', b'1', ..] => {
            parquet::open(file, lies, bytes, &meter.read, header).map(Open::Parquet)
        }
        [b'A', b'R', b'R', b'O', b'W', b'1', ..] => {
            arrow::open_file(file, lies, bytes, header).map(Open::Arrow)
        }
        [0xff, 0xff, 0xff, 0xff, ..] => arrow::open_stream(file, bytes, header).map(Open::Arrow),
        start => match other_format(start) {
            Some(format) => Err(Fault::of_file(file, Problem::Format(format))),
            None if looks_like_json(start) => json::open(file, bytes, columns, header).map(Open::Json),
            None => csv::open(file, bytes, delimiter, texts.decimal, header).map(Open::Csv),
        },
    }
}

fn says_tabs(name: &str) -> bool {
    let lower = name.to_lowercase();
    let plain = [".gz", ".zst", ".zstd"].iter().find_map(|end| lower.strip_suffix(end)).unwrap_or(&lower);
    [".tsv", ".tab"].iter().any(|end| plain.ends_with(end))
}

/// Bytes of which enough can be looked at to tell the format and the delimiter, however slowly they come.
fn peekable<'a>(mut bytes: Box<dyn Read + Send + 'a>) -> std::io::Result<Bytes<'a>> {
    const LOOK: u64 = 1 << 12;
    let mut start = Vec::new();
    // What cannot be read behind the start is told when it is read.
    let read = (&mut bytes).take(LOOK).read_to_end(&mut start);
    if let (Err(error), true) = (read, start.is_empty()) {
        return Err(error);
    }
    Ok(Box::new(Cursor::new(start).chain(BufReader::with_capacity(1 << 16, bytes))))
}

/// The first bytes, left in their place.
fn first_bytes(bytes: &mut Bytes) -> std::io::Result<Vec<u8>> {
    Ok(bytes.fill_buf()?.iter().take(1024).copied().collect())
}

/// Whether these are the first bytes of a format that keeps columns apart, and is no text.
fn is_columnar(start: &[u8]) -> bool {
    [&b"PAR1"[..], b"ARROW1", b"FEA1", &[0xff; 4]].iter().any(|magic| start.starts_with(magic))
}

fn looks_like_json(start: &[u8]) -> bool {
    match start.trim_ascii_start() {
        [b'{', rest @ ..] => matches!(rest.trim_ascii_start(), [] | [b'"' | b'}', ..]),
        [b'[', rest @ ..] => matches!(rest.trim_ascii_start(), [] | [b'{' | b']', ..]),
        _ => false,
    }
}

/// Whether text that begins so would be taken for something else than a table with a delimiter.
pub(crate) fn is_taken_for_another(start: &[u8]) -> bool {
    let bare = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let magic = [&b"PAR1"[..], b"ARROW1"].iter().any(|magic| bare.starts_with(magic));
    magic || bare.len() < start.len() || other_format(start).is_some() || looks_like_json(start)
}

/// Formats that people hand over by mistake, by their first bytes.
fn other_format(start: &[u8]) -> Option<&'static str> {
    match start {
        [b'F', b'E', b'A', b'1', ..] => Some("Feather of the first version, which pandas wrote until 2020"),
        [b'P', b'K', 3, 4, ..] => Some("a zip archive or an Excel workbook"),
        [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] => Some("an archive in an archive"),
        [b'B', b'Z', b'h', ..] => Some("a bzip2 archive"),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some("an xz archive"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("text in UTF-16"),
        _ if start.contains(&0) => Some("a binary file"),
        _ => None,
    }
}
