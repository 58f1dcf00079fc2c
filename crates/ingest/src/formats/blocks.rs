//! A text cut into blocks of whole rows.

use super::Bytes;
use crate::error::Problem;
use crate::fault::Fault;
use crate::value::At;
use std::io::Read;

/// Bytes of a block: small enough to be in the cache when its rows are counted.
const BLOCK: usize = 1 << 19;
/// A row longer than this is none.
const LONGEST_ROW: usize = 1 << 24;

/// A text on its way to blocks.
pub(crate) struct Blocks<'a> {
    bytes: Bytes<'a>,
    file: u32,
    /// What was read behind the last whole row.
    carry: Vec<u8>,
    /// The line on which the next block begins.
    line: u64,
    after_return: bool,
    /// What sets fields apart, where quotes around them keep line ends as they are.
    delimiter: Option<u8>,
    ended: bool,
    /// Why no more can be read. Told when all rows before were handed out.
    failed: Option<std::io::Error>,
    /// Whether the last line had no end.
    cut: bool,
}

/// Whole rows: the line of the first, and whether the last may be half a row because the text ends without a line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    pub line: u64,
    pub cut: bool,
}

/// Where a text is: in a quoted field or not. A quote means something only where a field begins, and in one.
struct Quotes {
    delimiter: u8,
    state: Quoted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quoted {
    Begin,
    Field,
    Inside,
    /// After a quote inside: it ends the field, or is the first of two.
    Quote,
}

impl Quotes {
    /// After a text that begins with a row.
    fn after(text: &[u8], delimiter: u8) -> Self {
        let mut quotes = Quotes { delimiter, state: Quoted::Begin };
        text.iter().for_each(|byte| {
            quotes.step(*byte);
        });
        quotes
    }

    /// Takes one byte; gives whether it stands in a quoted field.
    fn step(&mut self, byte: u8) -> bool {
        let inside = self.state == Quoted::Inside;
        self.state = match (self.state, byte) {
            (Quoted::Inside, b'"') => Quoted::Quote,
            (Quoted::Inside, _) => Quoted::Inside,
            (Quoted::Begin | Quoted::Quote, b'"') => Quoted::Inside,
            (_, b'\n' | b'\r') => Quoted::Begin,
            (_, byte) if byte == self.delimiter => Quoted::Begin,
            _ => Quoted::Field,
        };
        inside
    }
}

impl<'a> Blocks<'a> {
    pub fn new(file: u32, bytes: Bytes<'a>, delimiter: Option<u8>) -> Self {
        let (carry, after_return, ended, failed, cut) = (Vec::new(), false, false, None, false);
        Blocks { bytes, file, carry, line: 1, after_return, delimiter, ended, failed, cut }
    }

    /// Reads some more bytes, with every line end outside quotes as `\n`, and one after the last line.
    fn fill(&mut self, out: &mut Vec<u8>) {
        let before = out.len();
        out.reserve(BLOCK);
        let read = (&mut self.bytes).take(BLOCK as u64).read_to_end(out);
        let read = read.map_err(|error| self.failed = Some(error));
        if self.after_return || memchr::memchr(b'\r', &out[before..]).is_some() {
            let quoted = self.delimiter.filter(|_| memchr::memchr(b'"', out).is_some());
            self.after_return = match quoted.map(|delimiter| Quotes::after(&out[..before], delimiter)) {
                Some(mut quotes) => unify_line_ends(out, before, self.after_return, |byte| quotes.step(byte)),
                None => unify_line_ends(out, before, self.after_return, |_| false),
            };
        }
        if read == Ok(0) {
            self.ended = true;
            if out.last().is_some_and(|last| *last != b'\n') {
                out.push(b'\n');
                self.cut = true;
            }
        }
    }

    /// Puts the next whole rows into the buffer. `end` finds where the last whole row of a text ends.
    pub fn next(
        &mut self,
        buffer: &mut Vec<u8>,
        end: impl Fn(&[u8]) -> Option<usize>,
        endless: impl Fn(&[u8]) -> (usize, Problem),
    ) -> Result<Option<Block>, Fault> {
        buffer.clear();
        buffer.append(&mut self.carry);
        let end = loop {
            if !self.ended && self.failed.is_none() {
                self.fill(buffer);
            }
            if buffer.is_empty() && self.ended {
                return Ok(None);
            }
            // Rows before what is wrong are handed out first: they may be wrong too.
            if let Some(end) = end(buffer) {
                break end;
            }
            let (place, problem) = match self.failed.take() {
                Some(error) => (buffer.len(), Problem::Unreadable(error)),
                None if self.ended || buffer.len() > LONGEST_ROW => endless(buffer),
                None => continue,
            };
            let number = self.line + count_lines(&buffer[..place]);
            return Err(Fault { at: At { file: self.file, number }, column: None, problem });
        };
        self.carry.extend_from_slice(&buffer[end..]);
        buffer.truncate(end);
        let line = self.line;
        self.line += count_lines(buffer);
        Ok(Some(Block { line, cut: self.cut && self.carry.is_empty() }))
    }

    /// Gives bytes back, to be read again.
    pub fn give_back(&mut self, mut bytes: Vec<u8>, line: u64) {
        bytes.append(&mut self.carry);
        (self.carry, self.line) = (bytes, line);
    }
}

pub(crate) fn count_lines(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}

/// Turns `\r\n` and `\r` into `\n` from a place on, except where a byte is `kept`; gives whether the text ends in `\r`.
fn unify_line_ends(
    text: &mut Vec<u8>,
    from: usize,
    mut after_return: bool,
    mut kept: impl FnMut(u8) -> bool,
) -> bool {
    let mut length = from;
    for i in from..text.len() {
        let byte = text[i];
        let as_it_is = kept(byte);
        let second_half = byte == b'\n' && after_return;
        after_return = byte == b'\r' && !as_it_is;
        if !second_half {
            text[length] = if after_return { b'\n' } else { byte };
            length += 1;
        }
    }
    text.truncate(length);
    after_return
}
