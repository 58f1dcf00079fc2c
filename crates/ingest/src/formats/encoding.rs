//! Texts that are not UTF-8: UTF-16, told by its mark or by its zeros, and windows-1252, told by its first letter that is not ASCII.
//!
//! ```text
//! bytes ──► Decoded ──► UTF-8      an encoding that was named or shown
//! bytes ──► Guessed ──► UTF-8      nobody knows yet
//! ```
//! Nothing is replaced: bytes that are no text in their encoding are an error.

use std::io::{Error, ErrorKind, Read, Result};

/// How letters are written as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Encoding {
    /// UTF-8, the default.
    Utf8,
    /// Latin-1 as Windows has it (windows-1252).
    Latin1,
    /// UTF-16; its mark says which half of a letter comes first, and without one the lower does.
    Utf16,
    /// UTF-16, the lower half first.
    Utf16Le,
    /// UTF-16, the upper half first.
    Utf16Be,
}

impl Encoding {
    /// All names, the one that is shown first.
    const NAMES: [(Encoding, &[&str]); 5] = [
        (Encoding::Utf8, &["utf-8", "utf8"]),
        (Encoding::Latin1, &["latin-1", "latin1", "iso-8859-1", "windows-1252", "cp1252"]),
        (Encoding::Utf16, &["utf-16", "utf16"]),
        (Encoding::Utf16Le, &["utf-16le", "utf-16-le"]),
        (Encoding::Utf16Be, &["utf-16be", "utf-16-be"]),
    ];

    /// The encoding of this name, in any case of letters.
    pub fn of_name(name: &str) -> Option<Self> {
        let lower = name.to_lowercase();
        let found = Self::NAMES.iter().find(|(_, names)| names.contains(&lower.as_str()));
        found.map(|(encoding, _)| *encoding)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(encoding, _)| *encoding == self).map_or("", |(_, names)| names[0])
    }

    /// What the first bytes of a text show; nothing where they look like UTF-8.
    pub(crate) fn shown_by(start: &[u8]) -> Option<Self> {
        match start {
            [0xff, 0xfe, ..] => return Some(Encoding::Utf16Le),
            [0xfe, 0xff, ..] => return Some(Encoding::Utf16Be),
            _ => {}
        }
        // The letters of a header are mostly ASCII, and one half of them is zero.
        let pairs = start.chunks_exact(2);
        let (mut first, mut second, all) = (0, 0, pairs.len());
        pairs.for_each(|pair| {
            first += usize::from(pair[0] == 0);
            second += usize::from(pair[1] == 0);
        });
        let most = |zeros: usize| all > 1 && 10 * zeros >= 7 * all;
        let few = |zeros: usize| 10 * zeros <= all;
        match () {
            () if most(second) && few(first) => Some(Encoding::Utf16Le),
            () if most(first) && few(second) => Some(Encoding::Utf16Be),
            () => None,
        }
    }
}

/// The letters of windows-1252 from 0x80 to 0x9f; five have none and stay what they are in Latin-1.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

fn windows(byte: u8) -> char {
    match byte {
        0x80..0xa0 => WINDOWS[usize::from(byte - 0x80)],
        byte => char::from(byte),
    }
}

/// A text as UTF-8.
pub(crate) struct Decoded<R> {
    inner: R,
    encoding: Encoding,
    /// The second half of a unit is yet to come.
    half: Option<u8>,
    /// The second unit of a letter is yet to come.
    high: Option<u16>,
    begun: bool,
    out: Vec<u8>,
    taken: usize,
    /// Why there is no more, said as often as it is asked.
    failed: Option<&'static str>,
}

impl<R: Read> Decoded<R> {
    pub fn new(inner: R, encoding: Encoding) -> Self {
        let (half, high, failed) = (None, None, None);
        Decoded { inner, encoding, half, high, begun: false, out: Vec::new(), taken: 0, failed }
    }

    fn put(&mut self, letter: char) {
        self.out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn unit(&mut self, unit: u16) -> std::result::Result<(), &'static str> {
        if !std::mem::replace(&mut self.begun, true) {
            match (unit, self.encoding) {
                (0xfeff, _) => return Ok(()),
                (0xfffe, Encoding::Utf16) => {
                    self.encoding = Encoding::Utf16Be;
                    return Ok(());
                }
                _ => {}
            }
        }
        let units = [self.high.take(), Some(unit)].into_iter().flatten();
        if (0xd800..0xdc00).contains(&unit) && units.clone().count() == 1 {
            self.high = Some(unit);
            return Ok(());
        }
        for letter in char::decode_utf16(units.collect::<Vec<_>>()) {
            self.put(letter.map_err(|_| "the text is no UTF-16: half of a letter stands alone")?);
        }
        Ok(())
    }

    fn take(&mut self, bytes: &[u8]) -> std::result::Result<(), &'static str> {
        for byte in bytes {
            match (self.encoding, self.half.take()) {
                (Encoding::Utf8, _) => self.out.push(*byte),
                (Encoding::Latin1, _) => self.put(windows(*byte)),
                (_, None) => self.half = Some(*byte),
                (Encoding::Utf16Be, Some(first)) => self.unit(u16::from_be_bytes([first, *byte]))?,
                (_, Some(first)) => self.unit(u16::from_le_bytes([first, *byte]))?,
            }
        }
        Ok(())
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, to: &mut [u8]) -> Result<usize> {
        if to.is_empty() {
            return Ok(0);
        }
        while self.taken == self.out.len() {
            if let Some(failed) = self.failed {
                return Err(Error::new(ErrorKind::InvalidData, failed));
            }
            self.out.clear();
            self.taken = 0;
            let mut bytes = [0; 1 << 13];
            let read = self.inner.read(&mut bytes)?;
            self.failed = self.take(&bytes[..read]).err();
            if read == 0 {
                if self.half.is_none() && self.high.is_none() {
                    return Ok(0);
                }
                self.failed = Some("the text ends in the middle of a letter of UTF-16");
            }
        }
        let length = to.len().min(self.out.len() - self.taken);
        to[..length].copy_from_slice(&self.out[self.taken..self.taken + length]);
        self.taken += length;
        Ok(length)
    }
}

/// A text that is UTF-8 or windows-1252, as UTF-8.
///
/// Up to the first byte that is not ASCII both are the same. If no letter of UTF-8 begins there, and a letter of windows-1252 does, inside a
/// word, then the text is windows-1252 from its beginning. Anything else passes as it is, and readers say where it is no UTF-8.
pub(crate) struct Guessed<R> {
    inner: R,
    guess: Guess,
    /// The byte before.
    last: u8,
    out: Vec<u8>,
    taken: usize,
    /// Why there is no more, said as often as it is asked.
    failed: Option<&'static str>,
    /// Told once that this is windows-1252.
    told: Box<dyn Fn() + Send>,
}

#[derive(Clone, Copy, PartialEq)]
enum Guess {
    /// All was ASCII so far.
    Open,
    AsItIs,
    Windows,
}

impl<R: Read> Guessed<R> {
    pub fn new(inner: R, told: impl Fn() + Send + 'static) -> Self {
        let (out, failed, told) = (Vec::new(), None, Box::new(told));
        Guessed { inner, guess: Guess::Open, last: 0, out, taken: 0, failed, told }
    }

    /// What begins with a byte that is not ASCII, made long enough to tell.
    fn decided(&mut self, mut from: Vec<u8>) -> Result<(Guess, Vec<u8>)> {
        // The longest letter of UTF-8 has four bytes.
        while from.len() < 4 {
            let mut more = [0; 4];
            match self.inner.read(&mut more[..4 - from.len()])? {
                0 => break,
                read => from.extend_from_slice(&more[..read]),
            }
        }
        let first = from[0];
        let begins = from.utf8_chunks().next().is_some_and(|chunk| !chunk.valid().is_empty());
        // 0xff fills broken files oftener than it is the letter ÿ.
        let letter = first != 0xff && windows(first).is_alphabetic();
        let in_word = self.last.is_ascii_alphabetic() || from.get(1).is_some_and(u8::is_ascii_alphabetic);
        let guess = if !begins && letter && in_word { Guess::Windows } else { Guess::AsItIs };
        Ok((guess, from))
    }

    fn decode(&mut self, bytes: &[u8]) {
        for byte in bytes {
            // The letters é and ü of UTF-8 are two bytes like these, which no word of windows-1252 has side by side.
            if (0xc2..0xe0).contains(&self.last) && (0x80..0xc0).contains(byte) {
                self.failed = Some(
                    "some letters are Latin-1 and others UTF-8: save the table in one encoding, or name it",
                );
                return;
            }
            self.last = *byte;
            self.out.extend_from_slice(windows(*byte).encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
}

impl<R: Read> Read for Guessed<R> {
    fn read(&mut self, to: &mut [u8]) -> Result<usize> {
        if to.is_empty() {
            return Ok(0);
        }
        loop {
            if self.taken < self.out.len() {
                let length = to.len().min(self.out.len() - self.taken);
                to[..length].copy_from_slice(&self.out[self.taken..self.taken + length]);
                self.taken += length;
                return Ok(length);
            }
            if let Some(failed) = self.failed {
                return Err(Error::new(ErrorKind::InvalidData, failed));
            }
            self.out.clear();
            self.taken = 0;
            if self.guess == Guess::Windows {
                let mut bytes = [0; 1 << 13];
                let read = self.inner.read(&mut bytes)?;
                if read == 0 {
                    return Ok(0);
                }
                self.decode(&bytes[..read]);
                continue;
            }
            let read = self.inner.read(to)?;
            let ascii = to[..read].iter().position(|byte| !byte.is_ascii());
            let (Guess::Open, Some(at)) = (self.guess, ascii) else {
                self.last = to[..read].last().copied().unwrap_or(self.last);
                return Ok(read);
            };
            if at > 0 {
                self.last = to[at - 1];
            }
            let (guess, from) = self.decided(to[at..read].to_vec())?;
            self.guess = guess;
            if guess == Guess::Windows {
                (self.told)();
                self.decode(&from);
            } else {
                self.out = from;
            }
            if at > 0 {
                return Ok(at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// What comes out of bytes that come a few at a time, and how often windows-1252 was told.
    fn guessed(bytes: &[u8], at_once: usize) -> (Result<Vec<u8>>, usize) {
        struct Slow<'a>(&'a [u8], usize);
        impl Read for Slow<'_> {
            fn read(&mut self, to: &mut [u8]) -> Result<usize> {
                let length = to.len().min(self.1);
                self.0.read(&mut to[..length])
            }
        }
        let told = Arc::new(AtomicUsize::new(0));
        let teller = Arc::clone(&told);
        let mut out = Vec::new();
        let mut guessed = Guessed::new(Slow(bytes, at_once), move || {
            teller.fetch_add(1, Ordering::Relaxed);
        });
        let read = guessed.read_to_end(&mut out);
        // Who asks again is not given what stands behind.
        assert!(read.is_ok() || guessed.read(&mut [0; 8]).is_err());
        (read.map(|_| out), told.load(Ordering::Relaxed))
    }

    #[test]
    fn letters_of_windows_are_told_from_utf_8_however_the_bytes_come() {
        for at_once in [1, 2, 3, 5, 100] {
            let (read, told) = guessed(b"name,zip\nRen\xe9,1\n\x8aime,2\n\xc9,3\n", at_once);
            assert_eq!(String::from_utf8(read.unwrap()).unwrap(), "name,zip\nRené,1\nŠime,2\nÉ,3\n");
            assert_eq!(told, 1);
            for same in ["a,b\nRené,1\n", "plain\n", "", "😀", "aé"] {
                let (read, told) = guessed(same.as_bytes(), at_once);
                assert_eq!((read.unwrap(), told), (same.as_bytes().to_vec(), 0), "{same}");
            }
            // Neither of the two: left to the readers, which say where.
            for broken in [&b"ab\xff\n"[..], b"1,\xe9,2\n", b"a\x81b", b"Ren\xc3\xa9,Ren\xe9\n", b"x\xc3"] {
                let (read, told) = guessed(broken, at_once);
                let windows = broken == b"x\xc3";
                assert_eq!(told, usize::from(windows));
                assert!(windows || read.unwrap() == broken);
            }
            let (mixed, _) = guessed(b"Ren\xe9,Ren\xc3\xa9\n", at_once);
            assert!(mixed.unwrap_err().to_string().contains("others UTF-8"));
        }
    }

    fn read(bytes: &[u8], encoding: Encoding) -> Result<String> {
        let mut text = String::new();
        Decoded::new(bytes, encoding).read_to_string(&mut text).map(|_| text)
    }

    #[test]
    fn text_in_utf_16_is_told_by_its_mark_or_its_zeros_and_read() {
        let text = "name;é;😀\n1;2;3\n";
        for big in [false, true] {
            let bytes = |text: &str| -> Vec<u8> {
                text.encode_utf16()
                    .flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() })
                    .collect()
            };
            let encoding = if big { Encoding::Utf16Be } else { Encoding::Utf16Le };
            let marked = bytes(&format!("\u{feff}{text}"));
            for bytes in [bytes(text), marked.clone()] {
                assert_eq!(Encoding::shown_by(&bytes), Some(encoding));
                assert_eq!(read(&bytes, encoding).unwrap(), text);
            }
            assert_eq!(read(&marked, Encoding::Utf16).unwrap(), text);
            let odd = &marked[..marked.len() - 1];
            assert!(read(odd, encoding).unwrap_err().to_string().contains("middle"));
        }
        assert!(read(&[0x00, 0xd8, b'a', 0], Encoding::Utf16Le).unwrap_err().to_string().contains("alone"));
        assert_eq!(Encoding::shown_by(text.as_bytes()), None);
    }

    #[test]
    fn windows_has_letters_where_latin_1_has_none() {
        assert_eq!(read(b"Ren\xe9 \x80 \x92", Encoding::Latin1).unwrap(), "René € ’");
        assert_eq!(Encoding::of_name("Windows-1252"), Some(Encoding::Latin1));
        assert_eq!(Encoding::of_name("ebcdic"), None);
    }
}
