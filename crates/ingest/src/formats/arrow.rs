//! Arrow IPC, and what all readers of columns have in common: from arrays to codes and numbers.

use super::Bytes;
use super::features::take_feature;
use super::guard::guarded;
use super::seekable::{Handle, Seekable};
use crate::columns::{ID, NAMES, REST};
use crate::error::Problem;
use crate::fault::Fault;
use crate::formats::Resolve;
use crate::plan::{Plan, Slot, Slots};
use crate::value::At;
use crate::worker::{BATCH, Worker};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, DictionaryArray, RecordBatch, RecordBatchReader};
use arrow_buffer::ArrowNativeType;
use arrow_cast::{CastOptions, cast, cast_with_options};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::root_as_footer;
use arrow_schema::{ArrowError, DataType, Schema};
use hashbrown::HashMap;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;

/// Record batches, one after the other.
pub(crate) struct ArrowFeed<'a> {
    file: u32,
    batches: Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send + 'a>,
    /// A batch that is handed out in parts, and where the next one begins.
    batch: Option<(RecordBatch, usize)>,
    slots: Arc<Slots>,
    row: u64,
}

/// Some rows.
pub(crate) struct Rows {
    file: u32,
    batch: RecordBatch,
    slots: Arc<Slots>,
    row: u64,
}

pub(crate) fn names(schema: &Schema) -> Vec<String> {
    schema.fields().iter().map(|field| field.name().clone()).collect()
}

fn damaged(at: At, error: impl std::fmt::Display) -> Fault {
    let problem = Problem::Damaged { format: "Arrow file", detail: error.to_string() };
    Fault { at, column: None, problem }
}

/// What a reader makes of bytes; its errors and its panics alike mean that they are damaged.
fn sound<T>(at: At, read: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, Fault> {
    guarded(read).map_err(|panic| damaged(at, panic))?.map_err(|error| damaged(at, error))
}

/// Looks at where the end of a file says that its batches are, before memory is set aside for them.
fn check_blocks(file: &mut Handle) -> Result<(), ArrowError> {
    let broken = |what: &str| ArrowError::IpcError(what.to_owned());
    let length = file.seek(SeekFrom::End(0))?;
    let Some(tail) = length.checked_sub(10) else { return Err(broken("it ends too soon")) };
    file.seek(SeekFrom::Start(tail))?;
    let mut size = [0; 4];
    file.read_exact(&mut size)?;
    let size = u64::try_from(i32::from_le_bytes(size)).ok().filter(|size| *size <= tail);
    let size = size.ok_or_else(|| broken("the description of its batches lies outside the file"))?;
    file.seek(SeekFrom::Start(tail - size))?;
    let mut footer = Vec::new();
    file.take(size).read_to_end(&mut footer)?;
    // One that cannot be read is told by the reader.
    let Ok(footer) = root_as_footer(&footer) else { return Ok(()) };
    for block in footer.recordBatches().into_iter().chain(footer.dictionaries()).flatten() {
        let parts = [block.offset(), i64::from(block.metaDataLength()), block.bodyLength()];
        let parts = parts.map(|part| u64::try_from(part).unwrap_or(u64::MAX));
        if parts.into_iter().fold(0, u64::saturating_add) > length {
            return Err(broken("a batch lies outside the file"));
        }
    }
    Ok(())
}

/// A file, which ends with a table of its batches.
pub(crate) fn open_file<'a>(
    file: u32,
    lies: Option<Seekable>,
    mut bytes: Bytes<'a>,
    header: &mut Resolve,
) -> Result<ArrowFeed<'a>, Fault> {
    let opened = Seekable::new(lies, &mut bytes).and_then(|bytes| Ok((bytes.open()?, bytes)));
    let (mut opened, source) = opened.map_err(|error| Fault::of_file(file, Problem::Unreadable(error)))?;
    let at = At { file, number: 0 };
    let reader = sound(at, || {
        check_blocks(&mut opened)?;
        FileReader::try_new(BufReader::new(opened), None)
    })?;
    let slots = header(&names(&reader.schema()))?;
    // The copy lives as long as it is read.
    let batches = reader.inspect(move |_| {
        let _ = &source;
    });
    Ok(ArrowFeed { file, batches: Box::new(batches), batch: None, slots: Arc::new(slots), row: 1 })
}

/// Batches that are in memory, or come from elsewhere.
pub(crate) fn open_batches<'a>(
    file: u32,
    batches: Box<dyn RecordBatchReader + Send + 'a>,
    header: &mut Resolve,
) -> Result<ArrowFeed<'a>, Fault> {
    let slots = Arc::new(header(&names(&batches.schema()))?);
    Ok(ArrowFeed { file, batches, batch: None, slots, row: 1 })
}

/// A stream, which has no end until it ends.
pub(crate) fn open_stream<'a>(
    file: u32,
    bytes: Bytes<'a>,
    header: &mut Resolve,
) -> Result<ArrowFeed<'a>, Fault> {
    let bytes = ToTheEnd { inner: bytes, ended: false };
    let reader = sound(At { file, number: 0 }, || StreamReader::try_new(bytes, None))?;
    let slots = header(&names(&reader.schema()))?;
    Ok(ArrowFeed {
        file,
        batches: Box::new(Complete(Some(reader))),
        batch: None,
        slots: Arc::new(slots),
        row: 1,
    })
}

/// Bytes that tell whether their end was met.
struct ToTheEnd<R> {
    inner: R,
    ended: bool,
}

impl<R: Read> Read for ToTheEnd<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(out)?;
        self.ended |= read == 0 && !out.is_empty();
        Ok(read)
    }
}

/// The batches of a stream, which must end with the mark that writers put there, and with nothing behind it. A stream that
/// was cut between two batches can be told from a complete one by nothing else.
struct Complete<R: Read>(Option<StreamReader<ToTheEnd<R>>>);

impl<R: Read> Iterator for Complete<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(batch) = self.0.as_mut()?.next() {
            return Some(batch);
        }
        let mut reader = self.0.take()?;
        let bytes = reader.get_mut();
        let found = if bytes.ended {
            "the stream ends without the mark of its end"
        } else {
            match bytes.read(&mut [0]) {
                Ok(0) => return None,
                Ok(_) => "there is more after the end of the stream",
                Err(error) => return Some(Err(error.into())),
            }
        };
        Some(Err(ArrowError::IpcError(found.to_owned())))
    }
}

impl ArrowFeed<'_> {
    /// Rows of one piece: enough to be worth a thread's while.
    const PIECE: usize = 1 << 16;

    pub fn next(&mut self) -> Result<Option<Rows>, Fault> {
        let (batch, start) = match self.batch.take() {
            Some(part) => part,
            None => {
                let at = At { file: self.file, number: self.row };
                match sound(at, || self.batches.next().transpose())? {
                    None => return Ok(None),
                    Some(batch) => (batch, 0),
                }
            }
        };
        let length = (batch.num_rows() - start).min(Self::PIECE);
        let part = batch.slice(start, length);
        let rows = Rows { file: self.file, batch: part, slots: Arc::clone(&self.slots), row: self.row };
        self.row += length as u64;
        if start + length < batch.num_rows() {
            self.batch = Some((batch, start + length));
        }
        Ok(Some(rows))
    }
}

impl Rows {
    /// The rows as they are, and the first of them.
    pub fn batch(self) -> (RecordBatch, At) {
        (self.batch, At { file: self.file, number: self.row })
    }

    pub fn run(self, worker: &mut Worker) -> Result<(), Fault> {
        let used = self.slots.of.iter().enumerate().filter(|(_, slots)| !slots.is_empty());
        let used: Vec<(&ArrayRef, &[Slot])> =
            used.map(|(place, slots)| (self.batch.column(place), slots.as_slice())).collect();
        take(
            worker,
            &mut Met::new(worker.plan),
            &used,
            At { file: self.file, number: self.row },
            self.batch.num_rows(),
        )
    }
}

/// Takes rows from columns; `at` is the first.
pub(crate) fn take(
    worker: &mut Worker,
    met: &mut Met,
    columns: &[(&ArrayRef, &[Slot])],
    at: At,
    rows: usize,
) -> Result<(), Fault> {
    for start in (0..rows).step_by(BATCH) {
        let length = BATCH.min(rows - start);
        let at = At { number: at.number + start as u64, ..at };
        let mut first: Option<Fault> = None;
        for (array, slots) in columns {
            let part = array.slice(start, length);
            for slot in *slots {
                let taken = match slot {
                    Slot::Key(key) => take_key(worker, met, *key, &part, at),
                    Slot::Number(place) => take_number(worker, *place, &part, at),
                    Slot::Feature(place) => take_feature(worker, *place, &part, at),
                    Slot::Name(place) => take_name(worker, *place, &part, at),
                    Slot::Person => take_person(worker, &part, at),
                    Slot::Rest => take_rest(worker, &part, at),
                    Slot::Mark(column) => {
                        take_mark(worker, *column, &part, at);
                        Ok(())
                    }
                };
                if let Err(fault) = taken
                    && first.as_ref().is_none_or(|first| fault.at < first.at)
                {
                    first = Some(fault);
                }
            }
        }
        if let Some(fault) = first {
            // Rows before it may be wrong for other reasons.
            let before = fault.at.number.saturating_sub(at.number) as usize;
            worker.keep_more(before);
            worker.end_rows(at, before)?;
            return Err(worker.first_of(fault));
        }
        worker.end_rows(at, length)?;
    }
    Ok(())
}

fn take_name(worker: &mut Worker, place: usize, array: &ArrayRef, at: At) -> Result<(), Fault> {
    let text = as_text(array, at, NAMES)?;
    text.as_string::<i32>().iter().for_each(|name| worker.name(place, name.unwrap_or_default()));
    Ok(())
}

fn take_person(worker: &mut Worker, array: &ArrayRef, at: At) -> Result<(), Fault> {
    let text = as_text(array, at, ID)?;
    let missing = worker.missing;
    text.as_string::<i32>().iter().flatten().for_each(|id| worker.people.note(id, missing));
    Ok(())
}

/// What has no text tells no rows apart.
fn take_mark(worker: &mut Worker, column: u64, array: &ArrayRef, at: At) {
    let Ok(text) = as_text(array, at, "") else { return };
    for (row, field) in text.as_string::<i32>().iter().enumerate() {
        worker.mark(row, column, field.unwrap_or_default());
    }
}

fn take_rest(worker: &mut Worker, array: &ArrayRef, at: At) -> Result<(), Fault> {
    let text = as_text(array, at, REST)?;
    let rests = text.as_string::<i32>().iter().map(|rest| rest.unwrap_or_default().trim().to_owned());
    worker.batch.rests.extend(rests);
    Ok(())
}

/// Dictionaries of arrays, with the codes of those of their values that were met.
pub(crate) struct Met {
    dictionaries: Vec<Option<(ArrayRef, Vec<u32>)>>,
}

impl Met {
    pub fn new(plan: &Plan) -> Self {
        Met { dictionaries: plan.keys.iter().map(|_| None).collect() }
    }
}

/// A value that was not met before.
const UNKNOWN: u32 = u32::MAX;

fn take_key(worker: &mut Worker, met: &mut Met, key: usize, array: &ArrayRef, at: At) -> Result<(), Fault> {
    let row = |i: usize| At { number: at.number + i as u64, ..at };
    match array.data_type() {
        DataType::Dictionary(keys, _) => match keys.as_ref() {
            DataType::Int8 => take_dictionary::<Int8Type>(worker, met, key, array.as_dictionary(), at),
            DataType::Int16 => take_dictionary::<Int16Type>(worker, met, key, array.as_dictionary(), at),
            DataType::Int32 => take_dictionary::<Int32Type>(worker, met, key, array.as_dictionary(), at),
            DataType::Int64 => take_dictionary::<Int64Type>(worker, met, key, array.as_dictionary(), at),
            DataType::UInt8 => take_dictionary::<UInt8Type>(worker, met, key, array.as_dictionary(), at),
            DataType::UInt16 => take_dictionary::<UInt16Type>(worker, met, key, array.as_dictionary(), at),
            DataType::UInt32 => take_dictionary::<UInt32Type>(worker, met, key, array.as_dictionary(), at),
            _ => take_dictionary::<UInt64Type>(worker, met, key, array.as_dictionary(), at),
        },
        DataType::Utf8 => {
            for (i, text) in array.as_string::<i32>().iter().enumerate() {
                let code = worker.code(key, text.unwrap_or_default().as_bytes(), row(i))?;
                worker.batch.codes[key].push(code);
            }
            Ok(())
        }
        kind if kind.is_integer() && *kind != DataType::UInt64 => {
            let whole = cast(array, &DataType::Int64).map_err(|error| no_type(worker, key, at, &error))?;
            take_whole(worker, key, &whole, at)
        }
        DataType::Float16 | DataType::Float32 | DataType::Float64 => take_floats(worker, key, array, at),
        _ => {
            let text = as_text(array, at, &worker.plan.keys[key].name)?;
            take_key(worker, met, key, &text, at)
        }
    }
}

/// An array as text. What cannot be turned into text is an error, not nothing.
pub(crate) fn as_text(array: &ArrayRef, at: At, column: &str) -> Result<ArrayRef, Fault> {
    let kind = match array.data_type() {
        DataType::Dictionary(_, values) => values.as_ref(),
        kind => kind,
    };
    let options = CastOptions { safe: false, ..CastOptions::default() };
    let text = if kind.is_nested() {
        None
    } else {
        // A moment far off may have no text.
        guarded(|| cast_with_options(array, &DataType::Utf8, &options)).ok().and_then(Result::ok)
    };
    text.ok_or_else(|| {
        let fault = |at, problem| Fault { at, column: Some(column.to_owned()), problem };
        let bytes = matches!(
            kind,
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_)
        );
        if bytes {
            fault(at, Problem::NotUtf8)
        } else {
            let problem = Problem::Type { found: array.data_type().to_string() };
            fault(At { number: 0, ..at }, problem)
        }
    })
}

fn no_type(worker: &Worker, key: usize, at: At, error: &ArrowError) -> Fault {
    let column = Some(worker.plan.keys[key].name.clone());
    Fault { at, column, problem: Problem::Type { found: error.to_string() } }
}

fn take_dictionary<K: ArrowDictionaryKeyType>(
    worker: &mut Worker,
    met: &mut Met,
    key: usize,
    array: &DictionaryArray<K>,
    at: At,
) -> Result<(), Fault> {
    let values = array.values();
    // The batches of a file share their dictionaries: what was looked up stays.
    let mut places = match met.dictionaries[key].take() {
        Some((known, places)) if Arc::ptr_eq(&known, values) => places,
        _ => vec![UNKNOWN; values.len()],
    };
    let keys = array.keys();
    let nulls = keys.nulls().filter(|nulls| nulls.null_count() > 0);
    let start = worker.batch.codes[key].len();
    let code = |place: K::Native| places.get(place.as_usize()).copied().unwrap_or(UNKNOWN);
    worker.batch.codes[key].extend(keys.values().iter().map(|place| code(*place)));
    if nulls.is_some() || worker.batch.codes[key][start..].contains(&UNKNOWN) {
        let texts = as_text(values, at, &worker.plan.keys[key].name)?;
        let texts = texts.as_string::<i32>();
        let mut none = UNKNOWN;
        for (row, place) in keys.values().iter().enumerate() {
            let here = At { number: at.number + row as u64, ..at };
            if nulls.is_some_and(|nulls| nulls.is_null(row)) {
                if none == UNKNOWN {
                    none = worker.code(key, b"", here)?;
                }
                worker.batch.codes[key][start + row] = none;
            } else if worker.batch.codes[key][start + row] == UNKNOWN {
                let place = place.as_usize();
                if places[place] == UNKNOWN {
                    let text = if texts.is_valid(place) { texts.value(place) } else { "" };
                    places[place] = worker.code(key, text.as_bytes(), here)?;
                }
                worker.batch.codes[key][start + row] = places[place];
            }
        }
    }
    met.dictionaries[key] = Some((Arc::clone(values), places));
    Ok(())
}

fn take_whole(worker: &mut Worker, key: usize, array: &ArrayRef, at: At) -> Result<(), Fault> {
    let array = array.as_primitive::<Int64Type>();
    let mut codes = std::mem::take(&mut worker.batch.codes[key]);
    // Groups and classes are mostly small numbers.
    const SMALL: usize = 256;
    let mut small = [UNKNOWN; SMALL];
    let mut large: HashMap<i64, u32> = HashMap::new();
    let mut none = UNKNOWN;
    let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
    let mut take = |i: usize, value: i64| {
        let at = At { number: at.number + i as u64, ..at };
        if nulls.is_some_and(|nulls| nulls.is_null(i)) {
            if none == UNKNOWN {
                none = worker.code(key, b"", at)?;
            }
            codes.push(none);
            return Ok(());
        }
        let near = (value as u64) < SMALL as u64;
        let known = if near { small[value as usize] } else { large.get(&value).copied().unwrap_or(UNKNOWN) };
        if known != UNKNOWN {
            codes.push(known);
            return Ok(());
        }
        let code = worker.code(key, value.to_string().as_bytes(), at)?;
        if near {
            small[value as usize] = code;
        } else {
            large.insert(value, code);
        }
        codes.push(code);
        Ok(())
    };
    let taken = array.values().iter().enumerate().try_for_each(|(i, value)| take(i, *value));
    worker.batch.codes[key] = codes;
    taken
}

fn take_floats(worker: &mut Worker, key: usize, array: &ArrayRef, at: At) -> Result<(), Fault> {
    let numbers = cast(array, &DataType::Float64).map_err(|error| no_type(worker, key, at, &error))?;
    let mut met: HashMap<u64, u32> = HashMap::new();
    for (i, number) in numbers.as_primitive::<Float64Type>().iter().enumerate() {
        let bits = number.unwrap_or(f64::NAN).to_bits();
        let code = match met.get(&bits) {
            Some(code) => *code,
            None => {
                let text = number.filter(|number| !number.is_nan()).map(|number| match array.data_type() {
                    // 0.1 of 32 bits is 0.1, not what it is in 64.
                    DataType::Float64 => number.to_string(),
                    _ => (number as f32).to_string(),
                });
                let at = At { number: at.number + i as u64, ..at };
                let code = worker.code(key, text.unwrap_or_default().as_bytes(), at)?;
                met.insert(bits, code);
                code
            }
        };
        worker.batch.codes[key].push(code);
    }
    Ok(())
}

fn take_number(worker: &mut Worker, place: usize, array: &ArrayRef, at: At) -> Result<(), Fault> {
    let kind = array.data_type();
    if kind.is_numeric() {
        let numbers = cast(array, &DataType::Float64);
        let numbers = numbers.map_err(|error| Fault {
            at,
            column: Some(worker.plan.numbers[place].name.clone()),
            problem: Problem::Type { found: error.to_string() },
        })?;
        let numbers = numbers.as_primitive::<Float64Type>().iter();
        worker.batch.numbers[place].extend(numbers.map(|number| number.unwrap_or(f64::NAN)));
        return Ok(());
    }
    let text = as_text(array, at, &worker.plan.numbers[place].name)?;
    for (i, text) in text.as_string::<i32>().iter().enumerate() {
        let at = At { number: at.number + i as u64, ..at };
        let number = match worker.number(place, text.unwrap_or_default().as_bytes(), at) {
            Ok(number) => number,
            Err(fault) if worker.lenient => {
                worker.leave_out(worker.batch.rows + i, fault);
                f64::NAN
            }
            Err(fault) => return Err(fault),
        };
        worker.batch.numbers[place].push(number);
    }
    Ok(())
}
