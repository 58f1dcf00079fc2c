//! JSON lines, and arrays of objects, which become lines first.

use super::Bytes;
use super::blocks::{Block, Blocks};
use crate::columns::Columns;
use crate::error::Problem;
use crate::fault::Fault;
use crate::formats::Resolve;
use crate::plan::{Slot, Slots};
use crate::value::At;
use crate::worker::Worker;
use serde::de::{DeserializeSeed, Deserializer as _, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;

/// A text on its way to rows.
pub(crate) struct JsonFeed<'a> {
    blocks: Blocks<'a>,
    table: Arc<JsonTable>,
    has_lines: bool,
}

struct JsonTable {
    file: u32,
    slots: Slots,
    /// Where each column that is used stands among those, by its place in the header.
    used: Vec<usize>,
    columns: Columns,
}

impl JsonTable {
    /// Whether a column that was met too late would have been a feature: its name starts as those of features do.
    fn is_feature(&self, name: &str) -> bool {
        let prefixes = self.columns.features.iter().filter(|asked| !self.slots.names.contains_key(*asked));
        prefixes.into_iter().any(|prefix| name.starts_with(prefix.as_str()))
    }
}

/// Whole lines, their bytes in a buffer.
pub(crate) struct JsonBlock {
    table: Arc<JsonTable>,
    block: Block,
}

/// Looks at the first objects for their keys.
pub(crate) fn open<'a>(
    file: u32,
    mut bytes: Bytes<'a>,
    columns: &Columns,
    header: &mut Resolve,
) -> Result<JsonFeed<'a>, Fault> {
    let unreadable = |error| Fault::of_file(file, Problem::Unreadable(error));
    let is_array = bytes.fill_buf().map_err(unreadable)?.trim_ascii_start().first() == Some(&b'[');
    if is_array {
        bytes = Box::new(BufReader::with_capacity(1 << 16, ArrayLines::new(bytes)));
    }
    let mut blocks = Blocks::new(file, bytes, None);
    let mut start = Vec::new();
    let (mut names, mut known) = (Vec::new(), HashSet::new());
    let Some(Block { line, .. }) = next(&mut blocks, &mut start)? else {
        return Err(Fault::of_file(file, Problem::NoRows));
    };
    for text in start.split(|byte| *byte == b'\n') {
        // An object that cannot be read is told when its row is.
        let keys = serde_json::Deserializer::from_slice(text).deserialize_map(Keys);
        for key in keys.unwrap_or_default() {
            if known.insert(key.clone()) {
                names.push(key);
            }
        }
    }
    if is_array && start.trim_ascii().is_empty() {
        return Err(Fault::of_file(file, Problem::NoRows));
    }
    if names.is_empty() {
        let problem = Problem::Json("no key on the first lines".into());
        return Err(Fault { at: At { file, number: line }, column: None, problem });
    }
    let slots = header(&names)?;
    blocks.give_back(start, line);
    let used = (0..slots.of.len()).filter(|place| !slots.of[*place].is_empty()).collect();
    let table = JsonTable { file, slots, used, columns: columns.clone() };
    Ok(JsonFeed { blocks, table: Arc::new(table), has_lines: !is_array })
}

fn next(blocks: &mut Blocks, buffer: &mut Vec<u8>) -> Result<Option<Block>, Fault> {
    let end = |text: &[u8]| memchr::memrchr(b'\n', text).map(|end| end + 1);
    blocks.next(buffer, end, |_| (0, Problem::Json("the line does not end".into())))
}

impl JsonFeed<'_> {
    pub fn has_lines(&self) -> bool {
        self.has_lines
    }

    pub fn next(&mut self, buffer: &mut Vec<u8>) -> Result<Option<JsonBlock>, Fault> {
        let block = next(&mut self.blocks, buffer)?;
        Ok(block.map(|block| JsonBlock { table: Arc::clone(&self.table), block }))
    }
}

impl JsonBlock {
    /// Takes the rows of the block.
    pub fn run(self, text: &[u8], worker: &mut Worker) -> Result<(), Fault> {
        let mut at = At { file: self.table.file, number: self.block.line };
        let mut seen = vec![0; self.table.slots.width];
        let mut row = 0;
        let mut start = 0;
        for line in text.split(|byte| *byte == b'\n') {
            start += line.len() + 1;
            if !line.trim_ascii().is_empty() {
                row += 1;
                let mut object = Object { table: &self.table, worker, at, seen: &mut seen, row, fault: None };
                let mut reader = serde_json::Deserializer::from_slice(line);
                let read = (&mut object).deserialize(&mut reader).and_then(|()| reader.end());
                let fault = object.fault.take().or_else(|| {
                    let problem = Problem::Json(read.err()?.to_string());
                    Some(Fault { at, column: None, problem })
                });
                let absent = |worker: &mut Worker| {
                    let left = self.table.used.iter().filter(|place| seen[**place] != row);
                    for slot in left.flat_map(|place| &self.table.slots.of[*place]) {
                        worker.put(*slot, b"", at)?;
                    }
                    Ok(())
                };
                match fault.map_or_else(|| absent(worker), Err) {
                    Ok(()) => worker.end_row(at)?,
                    // A text that ends in the middle of an object is not complete.
                    Err(fault) if self.block.cut && start >= text.len() => return Err(worker.first_of(fault)),
                    Err(fault) => worker.reject_row(fault)?,
                }
            }
            at.number += 1;
        }
        Ok(())
    }
}

impl JsonBlock {
    /// The objects of the block as they are.
    pub fn objects(
        &self,
        text: &[u8],
        mut take: impl FnMut(Members, At) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut at = At { file: self.table.file, number: self.block.line };
        for line in text.split(|byte| *byte == b'\n') {
            if !line.trim_ascii().is_empty() {
                let mut reader = serde_json::Deserializer::from_slice(line);
                let read = reader.deserialize_map(All).and_then(|all| reader.end().map(|()| all));
                let problem = |error: serde_json::Error| Problem::Json(error.to_string());
                take(read.map_err(|error| Fault { at, column: None, problem: problem(error) })?, at)?;
            }
            at.number += 1;
        }
        Ok(())
    }
}

/// The members of an object in their order, each value as it is written.
pub(crate) type Members = Vec<(String, Box<RawValue>)>;

/// A value as it would be written in a CSV file; nothing for a list or an object.
pub(crate) fn as_field(value: &RawValue) -> Option<Cow<'_, str>> {
    Value.deserialize(&mut serde_json::Deserializer::from_str(value.get())).ok().flatten()
}

/// All members of an object.
struct All;

impl<'de> Visitor<'de> for All {
    type Value = Members;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Members, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = object.next_entry()? {
            members.push(member);
        }
        Ok(members)
    }
}

/// One object, whose values go to the worker as they are met.
struct Object<'o, 'w> {
    table: &'o JsonTable,
    worker: &'o mut Worker<'w>,
    at: At,
    /// For each column, the last row of the block that has it.
    seen: &'o mut [u64],
    row: u64,
    fault: Option<Fault>,
}

impl<'de> DeserializeSeed<'de> for &mut Object<'_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Object<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        while let Some(key) = object.next_key_seed(Text)? {
            let fault = |problem| Fault { at: self.at, column: Some(key.to_string()), problem };
            let known = self.table.slots.names.get(key.as_ref()).copied();
            let slots: &[Slot] = known.map_or(&[], |place| &self.table.slots.of[place]);
            let taken = match known {
                None if self.table.columns.would_use(&key, self.worker.plan.tally.is_some())
                    || self.table.is_feature(&key) =>
                {
                    Err(fault(Problem::LateColumn))
                }
                // A column that only tells rows apart may hold anything, as if it were not looked at.
                Some(_) if !slots.is_empty() && slots.iter().all(|slot| matches!(slot, Slot::Mark(_))) => {
                    match object.next_value_seed(Value)? {
                        Some(value) => slots
                            .iter()
                            .try_for_each(|slot| self.worker.put(*slot, value.as_bytes(), self.at)),
                        None => Ok(()),
                    }
                }
                Some(place) if self.seen[place] == self.row && !slots.is_empty() => {
                    Err(fault(Problem::DuplicateColumn))
                }
                Some(place) if !slots.is_empty() => {
                    self.seen[place] = self.row;
                    match object.next_value_seed(Value)? {
                        Some(value) => slots
                            .iter()
                            .try_for_each(|slot| self.worker.put(*slot, value.as_bytes(), self.at)),
                        None => Err(fault(Problem::Nested)),
                    }
                }
                _ => {
                    object.next_value::<IgnoredAny>()?;
                    Ok(())
                }
            };
            if let Err(fault) = taken {
                self.fault = Some(fault);
                return Err(A::Error::custom("a row that cannot be read"));
            }
        }
        Ok(())
    }
}

/// A key.
struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Cow<'de, str>;

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

/// A value as it would be written in a CSV file; nothing for a list or an object.
struct Value;

impl<'de> DeserializeSeed<'de> for Value {
    type Value = Option<Cow<'de, str>>;

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value {
    type Value = Option<Cow<'de, str>>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(text.to_owned())))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Some(Cow::Borrowed(if value { "true" } else { "false" })))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(value.to_string())))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Some(match value {
            0 => Cow::Borrowed("0"),
            1 => Cow::Borrowed("1"),
            _ => Cow::Owned(value.to_string()),
        }))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(value.to_string())))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Some(Cow::Borrowed("")))
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

/// The keys of an object.
struct Keys;

impl<'de> Visitor<'de> for Keys {
    type Value = Vec<String>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut keys = Vec::new();
        while let Some((key, _)) = object.next_entry::<String, IgnoredAny>()? {
            keys.push(key);
        }
        Ok(keys)
    }
}

/// The objects of an array, each on a line of its own.
struct ArrayLines<R> {
    inner: R,
    depth: u32,
    quoted: bool,
    escaped: bool,
    closed: bool,
}

impl<R: Read> ArrayLines<R> {
    fn new(inner: R) -> Self {
        ArrayLines { inner, depth: 0, quoted: false, escaped: false, closed: false }
    }

    fn turn(&mut self, byte: u8) -> std::io::Result<u8> {
        if self.quoted {
            self.quoted = self.escaped || byte != b'"';
            self.escaped = !self.escaped && byte == b'\\';
            return Ok(byte);
        }
        if self.closed && !byte.is_ascii_whitespace() {
            return Err(std::io::Error::other("there is text after the array"));
        }
        Ok(match byte {
            b'"' => {
                self.quoted = true;
                byte
            }
            b'[' | b'{' => {
                self.depth += 1;
                if self.depth == 1 { b' ' } else { byte }
            }
            b']' | b'}' => {
                self.depth = self.depth.saturating_sub(1);
                self.closed = self.depth == 0;
                if self.closed { b'\n' } else { byte }
            }
            b',' if self.depth == 1 => b'\n',
            b'\n' | b'\r' => b' ',
            _ => byte,
        })
    }
}

impl<R: Read> Read for ArrayLines<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(out)?;
        if read == 0 && !out.is_empty() && !self.closed {
            let error = "the array is not closed: the text ends in the middle";
            return Err(std::io::Error::new(std::io::ErrorKind::UnexpectedEof, error));
        }
        for byte in &mut out[..read] {
            *byte = self.turn(*byte)?;
        }
        Ok(read)
    }
}
