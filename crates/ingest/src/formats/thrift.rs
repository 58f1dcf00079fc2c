//! What a Parquet file says about itself, looked at before memory is set aside for it.
//!
//! The description of a Parquet file and of its pages is Thrift in its compact form: fields of a number and a kind. Only the
//! few that make a reader ask for memory, or call itself without end, are looked at; all others are passed over.

use std::collections::VecDeque;
use std::io::{BufReader, Error, ErrorKind, Read, Result, Seek, SeekFrom};

/// Groups in groups in groups: no table of rows goes this deep, and readers call themselves for each.
const DEEPEST: usize = 64;

fn broken(what: &'static str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

/// Bytes in compact Thrift.
struct Thrift<R> {
    bytes: R,
    /// How many were read.
    read: u64,
}

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const I32: u8 = 5;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

impl<R: Read> Thrift<R> {
    fn byte(&mut self) -> Result<u8> {
        let mut byte = [0];
        self.bytes.read_exact(&mut byte)?;
        self.read += 1;
        Ok(byte[0])
    }

    fn number(&mut self) -> Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(broken("a number does not end"))
    }

    fn signed(&mut self) -> Result<i64> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// The fields of a struct, each given by its number and kind to `field`, which takes it or passes over it.
    fn fields(&mut self, mut field: impl FnMut(&mut Self, i64, u8) -> Result<()>) -> Result<()> {
        let mut id = 0_i64;
        loop {
            let head = self.byte()?;
            let kind = head & 0x0f;
            if kind == 0 {
                return Ok(());
            }
            id = match head >> 4 {
                0 => self.signed()?,
                step => id.wrapping_add(i64::from(step)),
            };
            field(self, id, kind)?;
        }
    }

    /// The kind and number of the elements of a list.
    fn list(&mut self) -> Result<(u8, u64)> {
        let head = self.byte()?;
        let size = match head >> 4 {
            15 => self.number()?,
            size => u64::from(size),
        };
        Ok((head & 0x0f, size))
    }

    fn pass(&mut self, bytes: u64) -> Result<()> {
        let passed = std::io::copy(&mut (&mut self.bytes).take(bytes), &mut std::io::sink())?;
        self.read += passed;
        if passed == bytes { Ok(()) } else { Err(ErrorKind::UnexpectedEof.into()) }
    }

    /// Passes over a value.
    fn skip(&mut self, kind: u8, depth: usize) -> Result<()> {
        if depth > DEEPEST {
            return Err(broken("its description is nested too deep"));
        }
        match kind {
            // In a field the kind is the value.
            TRUE | FALSE => Ok(()),
            3 => self.pass(1),
            4..=6 => self.number().map(drop),
            7 => self.pass(8),
            8 => {
                let length = self.number()?;
                self.pass(length)
            }
            LIST | 10 => {
                let (kind, size) = self.list()?;
                (0..size).try_for_each(|_| self.element(kind, depth))
            }
            11 => match self.number()? {
                0 => Ok(()),
                size => {
                    let kinds = self.byte()?;
                    (0..size).try_for_each(|_| {
                        self.element(kinds >> 4, depth)?;
                        self.element(kinds & 0x0f, depth)
                    })
                }
            },
            STRUCT => self.fields(|thrift, _, kind| thrift.skip(kind, depth + 1)),
            13 => self.pass(16),
            _ => Err(broken("its description has a value of no known kind")),
        }
    }

    /// Passes over an element, in which a truth value takes a byte.
    fn element(&mut self, kind: u8, depth: usize) -> Result<()> {
        match kind {
            TRUE | FALSE => self.pass(1),
            kind => self.skip(kind, depth + 1),
        }
    }
}

/// Looks at the description at the end of a file: columns as many as are said, and groups not nested without end.
pub(crate) fn check_columns(mut file: impl Read + Seek) -> Result<()> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut tail = [0; 8];
    file.seek(SeekFrom::Start(length.checked_sub(12).ok_or_else(|| broken("it ends too soon"))? + 4))?;
    file.read_exact(&mut tail)?;
    let [a, b, c, d, magic @ ..] = tail;
    let size = u64::from(u32::from_le_bytes([a, b, c, d]));
    if magic != *b"PAR1" || size > length - 12 {
        // The reader says best what is wrong.
        return Ok(());
    }
    file.seek(SeekFrom::Start(length - 8 - size))?;
    let mut thrift = Thrift { bytes: BufReader::new(file).take(size), read: 0 };
    thrift.fields(|thrift, id, kind| match (id, kind) {
        (2, LIST) => {
            let (kind, size) = thrift.list()?;
            let mut open: Vec<u64> = Vec::new();
            for _ in 0..size {
                if kind != STRUCT {
                    return Err(broken("its columns are none"));
                }
                let mut children = 0;
                thrift.fields(|thrift, id, kind| match (id, kind) {
                    (5, I32) => {
                        children = thrift.signed()?;
                        Ok(())
                    }
                    (_, kind) => thrift.skip(kind, 0),
                })?;
                while open.pop_if(|left| *left == 0).is_some() {}
                if let Some(left) = open.last_mut() {
                    *left -= 1;
                }
                if children > 0 {
                    open.push(children as u64);
                }
                if children < 0 || children as u64 > size {
                    return Err(broken("it says to have more columns than it has"));
                }
                if open.len() > DEEPEST {
                    return Err(broken("its columns are nested too deep"));
                }
            }
            Ok(())
        }
        (_, kind) => thrift.skip(kind, 0),
    })
}

/// What the heads of the pages of a column say.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Pages {
    /// The most bytes that pages for so many values take once they are unpacked.
    pub unpacked: u64,
    /// Whether texts are written as differences to the ones before.
    pub differences: bool,
}

/// Looks at the heads of the pages of a column, up to one that is broken: no reader gets past it. As many values as
/// `batch` are read at a time.
pub(crate) fn look_at_pages(mut file: impl Read + Seek, start: u64, length: u64, batch: u64) -> Pages {
    const DELTA_LENGTH_BYTE_ARRAY: i64 = 6;
    const DELTA_BYTE_ARRAY: i64 = 7;
    if file.rewind().is_err() {
        return Pages::default();
    }
    // The heads are short and far apart.
    let mut thrift = Thrift { bytes: BufReader::with_capacity(256, file), read: 0 };
    let mut page = |skip: u64| {
        thrift.bytes.seek_relative(i64::try_from(skip).unwrap_or(i64::MAX))?;
        thrift.read = 0;
        let (mut unpacked, mut packed, mut values, mut encoding) = (-1, -1, 0, 0);
        thrift.fields(|thrift, id, kind| match (id, kind) {
            (2, I32) => thrift.signed().map(|size| unpacked = size),
            (3, I32) => thrift.signed().map(|size| packed = size),
            // Of the first and of the second version.
            (5 | 8, STRUCT) => {
                let place_of_encoding = if id == 5 { 2 } else { 4 };
                thrift.fields(|thrift, id, kind| match (id, kind) {
                    (1, I32) => thrift.signed().map(|number| values = number),
                    (id, I32) if id == place_of_encoding => thrift.signed().map(|number| encoding = number),
                    (_, kind) => thrift.skip(kind, 0),
                })
            }
            (_, kind) => thrift.skip(kind, 0),
        })?;
        let size = |size: i64| u64::try_from(size).map_err(|_| broken("a page has no size"));
        Ok::<_, Error>((size(unpacked)?, size(packed)?, size(values)?, encoding, thrift.read))
    };
    let mut pages = Pages::default();
    let (mut skip, mut left) = (start, length);
    // Pages that may be in memory together, the bytes and the values of each.
    let (mut together, mut bytes, mut values) = (VecDeque::new(), 0, 0);
    while left > 0
        && let Ok((unpacked, packed, more, encoding, head)) = page(skip)
    {
        together.push_back((unpacked, more));
        (bytes, values) = (bytes + unpacked, values + more);
        while let Some((size, first)) = together.front().copied().filter(|(_, first)| values - first >= batch)
        {
            together.pop_front();
            (bytes, values) = (bytes - size, values - first);
        }
        pages.unpacked = pages.unpacked.max(bytes);
        pages.differences |= matches!(encoding, DELTA_LENGTH_BYTE_ARRAY | DELTA_BYTE_ARRAY);
        left = left.saturating_sub(head.saturating_add(packed));
        skip = packed;
    }
    pages
}
