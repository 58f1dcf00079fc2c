//! A text cut into blocks of whole rows.

use super::Bytes;
use crate::error::Problem;
use crate::value::At;
use crate::worker::Fault;
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
    ended: bool,
}

impl<'a> Blocks<'a> {
    pub fn new(file: u32, bytes: Bytes<'a>) -> Self {
        Blocks { bytes, file, carry: Vec::new(), line: 1, after_return: false, ended: false }
    }

    /// Reads some more bytes, with every line end as `\n`, and one after the last line.
    fn fill(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        let before = out.len();
        out.reserve(BLOCK);
        let read = (&mut self.bytes).take(BLOCK as u64).read_to_end(out).map_err(|error| {
            let number = self.line + count_lines(&out[..before]);
            let at = At { file: self.file, number };
            Fault { at, column: None, problem: Problem::Unreadable(error) }
        })?;
        if self.after_return || memchr::memchr(b'\r', &out[before..]).is_some() {
            self.after_return = unify_line_ends(out, before, self.after_return);
        }
        if read == 0 {
            self.ended = true;
            if out.last().is_some_and(|last| *last != b'\n') {
                out.push(b'\n');
            }
        }
        Ok(())
    }

    /// Puts the next whole rows into the buffer and gives the line of the first. `end` finds where the last whole
    /// row of a text ends.
    pub fn next(
        &mut self,
        buffer: &mut Vec<u8>,
        end: impl Fn(&[u8]) -> Option<usize>,
        endless: impl Fn(&[u8]) -> (usize, Problem),
    ) -> Result<Option<u64>, Fault> {
        buffer.clear();
        buffer.append(&mut self.carry);
        let end = loop {
            if !self.ended {
                self.fill(buffer)?;
            }
            if buffer.is_empty() && self.ended {
                return Ok(None);
            }
            let end = end(buffer);
            let left = &buffer[end.unwrap_or(0)..];
            if (self.ended && !left.is_empty()) || left.len() > LONGEST_ROW {
                let (place, problem) = endless(left);
                let number = self.line + count_lines(&buffer[..end.unwrap_or(0) + place]);
                return Err(Fault { at: At { file: self.file, number }, column: None, problem });
            }
            if let Some(end) = end {
                break end;
            }
        };
        self.carry.extend_from_slice(&buffer[end..]);
        buffer.truncate(end);
        let line = self.line;
        self.line += count_lines(buffer);
        Ok(Some(line))
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

/// Turns `\r\n` and `\r` into `\n` from a place on; gives whether the text ends in `\r`.
fn unify_line_ends(text: &mut Vec<u8>, from: usize, mut after_return: bool) -> bool {
    let mut kept = from;
    for i in from..text.len() {
        let byte = text[i];
        let second_half = byte == b'\n' && after_return;
        after_return = byte == b'\r';
        if !second_half {
            text[kept] = if byte == b'\r' { b'\n' } else { byte };
            kept += 1;
        }
    }
    text.truncate(kept);
    after_return
}
