//! CSV and TSV in blocks of whole rows.

use super::blocks::{Block, Blocks, count_lines};
use super::{Bytes, Decimal, Reads};
use crate::error::Problem;
use crate::fault::Fault;
use crate::feed::Delimiter;
use crate::formats::Resolve;
use crate::plan::Slots;
use crate::value::At;
use crate::worker::Worker;
use std::sync::Arc;

/// A text on its way to rows.
pub(crate) struct CsvFeed<'a> {
    blocks: Blocks<'a>,
    table: Arc<CsvTable>,
}

struct CsvTable {
    file: u32,
    delimiter: u8,
    reads: Reads,
    slots: Slots,
}

/// Whole rows, their bytes in a buffer.
pub(crate) struct CsvBlock {
    table: Arc<CsvTable>,
    block: Block,
}

/// Reads the header.
pub(crate) fn open<'a>(
    file: u32,
    mut bytes: Bytes<'a>,
    delimiter: Delimiter,
    decimal: Decimal,
    header: &mut Resolve,
) -> Result<CsvFeed<'a>, Fault> {
    let unreadable = |error| Fault::of_file(file, Problem::Unreadable(error));
    let delimiter = match delimiter {
        Delimiter::Byte(byte) => byte,
        Delimiter::Detect => {
            let start = bytes.fill_buf().map_err(unreadable)?;
            let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
            detect(start.split(is_end).find(|line| !line.is_empty()).unwrap_or_default())
        }
    };
    let mut blocks = Blocks::new(file, bytes, Some(delimiter));
    let mut start = Vec::new();
    let (line, blank) = loop {
        let Some(Block { line, .. }) = next(&mut blocks, delimiter, &mut start)? else {
            return Err(Fault::of_file(file, Problem::EmptyFile));
        };
        // Blank lines before the header are none.
        let blank = start.iter().take_while(|byte| **byte == b'\n').count();
        if blank < start.len() {
            break (line, blank);
        }
    };
    let end = blank + Rows::new(&start[blank..], delimiter).next().unwrap_or(start.len() - blank);
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter).has_headers(false).from_reader(&start[blank..end]);
    let mut record = csv::ByteRecord::new();
    let read = reader.read_byte_record(&mut record);
    read.map_err(|error| unreadable(std::io::Error::other(error)))?;
    if record.iter().all(|field| field.is_empty()) {
        return Err(Fault::of_file(file, Problem::EmptyFile));
    }
    let as_text = |field: &[u8]| std::str::from_utf8(field).map(|field| field.trim().to_owned());
    let names: Result<Vec<String>, _> = record.iter().map(as_text).collect();
    let at = At { file, number: line + blank as u64 };
    let names = names.map_err(|_| Fault { at, column: None, problem: Problem::NotUtf8 })?;
    let slots = header(&names)?;
    let line = line + count_lines(&start[..end]);
    blocks.give_back(start.split_off(end), line);
    Ok(CsvFeed {
        blocks,
        table: Arc::new(CsvTable { file, delimiter, reads: decimal.between(delimiter), slots }),
    })
}

/// Puts the next whole rows into the buffer.
fn next(blocks: &mut Blocks, delimiter: u8, buffer: &mut Vec<u8>) -> Result<Option<Block>, Fault> {
    // Quotes may hold line ends; without any, the last line end is the end of the last row.
    let end = |text: &[u8]| match memchr::memchr(b'"', text) {
        None => memchr::memrchr(b'\n', text).map(|end| end + 1),
        Some(_) => Rows::new(text, delimiter).last(),
    };
    let endless = |row: &[u8]| {
        let field = Rows::new(row, delimiter).last_field();
        match row.get(field) {
            Some(b'"') => (field, Problem::OpenQuote),
            _ => (0, Problem::Format("a text without lines")),
        }
    };
    blocks.next(buffer, end, endless)
}

impl CsvFeed<'_> {
    pub fn next(&mut self, buffer: &mut Vec<u8>) -> Result<Option<CsvBlock>, Fault> {
        let block = next(&mut self.blocks, self.table.delimiter, buffer)?;
        Ok(block.map(|block| CsvBlock { table: Arc::clone(&self.table), block }))
    }
}

/// The ends of the rows of a text that begins with one.
struct Rows<'t> {
    text: &'t [u8],
    delimiter: u8,
    place: usize,
}

impl<'t> Rows<'t> {
    fn new(text: &'t [u8], delimiter: u8) -> Self {
        Rows { text, delimiter, place: 0 }
    }

    /// Where the last field begins: the one that does not end, where there is one.
    fn last_field(&self) -> usize {
        let mut start = 0;
        while let Ok(end) = self.end_of_field(start) {
            start = end;
        }
        start
    }

    /// One past the delimiter or line end of the field that begins here; nothing to give where it does not end.
    fn end_of_field(&self, start: usize) -> Result<usize, ()> {
        let mut place = start;
        if self.text.get(place) == Some(&b'"') {
            place += 1;
            loop {
                place += memchr::memchr(b'"', &self.text[place..]).ok_or(())? + 1;
                match self.text.get(place) {
                    Some(b'"') => place += 1,
                    _ => break,
                }
            }
        }
        let rest = self.text.get(place..).ok_or(())?;
        memchr::memchr2(self.delimiter, b'\n', rest).map(|end| place + end + 1).ok_or(())
    }
}

impl Iterator for Rows<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        loop {
            let end = self.end_of_field(self.place).ok()?;
            self.place = end;
            if self.text[end - 1] == b'\n' {
                return Some(end);
            }
        }
    }
}

/// The delimiter that the header has most of outside quotes; a comma if it has none.
fn detect(header: &[u8]) -> u8 {
    let mut quoted = false;
    let mut found = [(b',', 0), (b'\t', 0), (b';', 0), (b'|', 0)];
    for byte in header {
        quoted ^= *byte == b'"';
        found.iter_mut().filter(|(delimiter, _)| !quoted && delimiter == byte).for_each(|(_, n)| *n += 1);
    }
    // The first of equals is the comma.
    found.iter().rev().max_by_key(|(_, n)| *n).map_or(b',', |(delimiter, _)| *delimiter)
}

impl CsvBlock {
    /// Takes the rows of the block.
    pub fn run(self, text: &[u8], worker: &mut Worker) -> Result<(), Fault> {
        worker.decimals.reads = self.table.reads;
        match memchr::memchr(b'"', text) {
            None => self.plain(text, worker),
            Some(_) => self.quoted(text, worker),
        }
    }

    /// Rows without any quote: a field is what stands between two delimiters.
    fn plain(&self, text: &[u8], worker: &mut Worker) -> Result<(), Fault> {
        let CsvTable { file, delimiter, slots, .. } = &*self.table;
        let mut at = At { file: *file, number: self.block.line };
        let (mut start, mut field, mut fault) = (0, 0, None);
        for end in memchr::memchr2_iter(*delimiter, b'\n', text) {
            // Nothing of a blank line is looked at.
            if field == 0 && start == end && text[end] == b'\n' {
                at.number += 1;
                start = end + 1;
                continue;
            }
            if fault.is_none()
                && let Some(slots) = slots.of.get(field)
            {
                let raw = &text[start..end];
                let put = match slots.as_slice() {
                    [] => Ok(()),
                    [slot] => worker.put(*slot, raw, at),
                    many => many.iter().try_for_each(|slot| worker.put(*slot, raw, at)),
                };
                fault = put.err();
            }
            field += 1;
            if text[end] == b'\n' {
                let wrong =
                    if field == slots.width { fault.take() } else { Some(self.field_count(at, field)) };
                match wrong {
                    None => worker.end_row(at)?,
                    Some(fault) => Self::reject(worker, fault, end + 1 < text.len() || !self.block.cut)?,
                }
                fault = None;
                field = 0;
                at.number += 1;
            }
            start = end + 1;
        }
        Ok(())
    }

    fn quoted(&self, text: &[u8], worker: &mut Worker) -> Result<(), Fault> {
        let slots = &self.table.slots;
        self.parsed(text, |record, at, may_be| {
            let put = |worker: &mut Worker| {
                if record.len() != slots.width {
                    return Err(self.field_count(at, record.len()));
                }
                for (field, slots) in record.iter().zip(&slots.of) {
                    slots.iter().try_for_each(|slot| worker.put(*slot, field, at))?;
                }
                Ok(())
            };
            match put(worker) {
                Ok(()) => worker.end_row(at),
                Err(fault) => Self::reject(worker, fault, may_be),
            }
        })
    }

    /// The rows of the block as they are.
    pub fn records(
        &self,
        text: &[u8],
        mut take: impl FnMut(&csv::ByteRecord, At) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.parsed(text, |record, at, _| {
            if record.len() == self.table.slots.width {
                take(record, at)
            } else {
                Err(self.field_count(at, record.len()))
            }
        })
    }

    /// Hands on each row, where it is, and whether it may be left out if it is broken.
    fn parsed(
        &self,
        text: &[u8],
        mut take: impl FnMut(&csv::ByteRecord, At, bool) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let CsvTable { file, delimiter, slots, .. } = &*self.table;
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(*delimiter)
            .has_headers(false)
            .flexible(true)
            .from_reader(text);
        let mut record = csv::ByteRecord::new();
        loop {
            let read = reader.read_byte_record(&mut record);
            let more = read.map_err(|error| Fault {
                at: At { file: *file, number: self.block.line },
                column: None,
                problem: Problem::Unreadable(std::io::Error::other(error)),
            })?;
            if !more {
                return Ok(());
            }
            // The parser skips blank lines, so the first line of the row is counted back from its end.
            let within = count_lines(record.as_slice());
            let line = reader.position().line().saturating_sub(1 + within);
            let at = At { file: *file, number: self.block.line + line - 1 };
            // A quote that was opened by mistake makes one row of many.
            let one_row = within == 0 || record.len() == slots.width;
            let last = reader.position().byte() as usize >= text.len();
            take(&record, at, one_row && !(last && self.block.cut))?;
        }
    }

    /// Leaves a broken row out where that may be: one row, and not the last of a text that ends in the middle.
    fn reject(worker: &mut Worker, fault: Fault, may_be: bool) -> Result<(), Fault> {
        if may_be { worker.reject_row(fault) } else { Err(worker.first_of(fault)) }
    }

    fn field_count(&self, at: At, found: usize) -> Fault {
        let problem = Problem::FieldCount { found: found as u64, needed: self.table.slots.width as u64 };
        Fault { at, column: None, problem }
    }
}
