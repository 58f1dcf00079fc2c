//! Reading one field: what means nothing, and what is written differently but means the same.

use crate::columns::{Meaning, ValueMap};
use crate::formats::without_decimals;
use std::borrow::Cow;

/// Whether a field means "nothing": empty, `null`, `NaN`, or what the user said.
pub(crate) fn is_missing(field: &str, also: &[String]) -> bool {
    let field = field.trim();
    field.is_empty()
        || field.eq_ignore_ascii_case("null")
        || field.eq_ignore_ascii_case("nan")
        || also.iter().any(|value| canonical(value) == canonical(field))
}

/// A field without blanks around it, and a whole number without its decimals: `1.0` and ` 1` are `1`.
pub fn canonical(field: &str) -> Cow<'_, str> {
    let field = field.trim();
    let whole = match field.split_once('.') {
        Some((whole, decimals)) if !decimals.is_empty() && decimals.bytes().all(|b| b == b'0') => whole,
        _ => return field.into(),
    };
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if is_number { whole.into() } else { field.into() }
}

/// Whether so many different numbers between 0 and 1 are probabilities and no names.
pub(crate) fn look_like_probabilities<'v>(values: impl Iterator<Item = &'v str>) -> bool {
    const ENOUGH: usize = 5;
    let mut between = 0;
    for value in values {
        match value.trim().replacen(',', ".", 1).parse::<f64>() {
            Ok(number) if (0.0..=1.0).contains(&number) => between += usize::from(number.fract() != 0.0),
            _ => return false,
        }
    }
    between >= ENOUGH
}

/// Names in the order people expect: numbers by value, other names by letters, and numbers inside names by value
/// (`group 2` before `group 10`).
pub fn sort_names(names: &mut [String]) {
    let number = |name: &String| name.parse::<f64>().ok().filter(|number| number.is_finite());
    match names.iter().map(number).collect::<Option<Vec<f64>>>() {
        Some(_) => {
            let value = |name: &String| number(name).unwrap_or(f64::INFINITY);
            names.sort_by(|a, b| value(a).total_cmp(&value(b)).then(a.cmp(b)));
        }
        None => names.sort_by(|a, b| parts(a).cmp(&parts(b)).then(a.cmp(b))),
    }
}

/// A name as runs of digits and of other letters. Digits compare by length without leading zeros, then by letters,
/// which is by value however long they are.
fn parts(name: &str) -> Vec<(bool, usize, &str)> {
    let runs = name.as_bytes().chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
    let mut start = 0;
    runs.map(|run| {
        let text = &name[start..start + run.len()];
        start += run.len();
        if run[0].is_ascii_digit() {
            let digits = text.trim_start_matches('0');
            (false, digits.len(), digits)
        } else {
            (true, 0, text)
        }
    })
    .collect()
}

/// Where a value was met: the input, and its line or row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct At {
    pub file: u32,
    pub number: u64,
}

/// The distinct raw values of one column, each with a number.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dictionary {
    codes: hashbrown::HashMap<Box<[u8]>, u32>,
    recent: Recent,
    pub values: Vec<RawValue>,
    /// Bytes of all values that were met.
    text: u64,
}

/// A short value as numbers: two values are the same if these are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Print {
    start: u64,
    end: u64,
    length: u32,
}

impl Print {
    /// Values are mostly short; a long one has none.
    #[inline]
    fn of(raw: &[u8]) -> Option<Self> {
        let four = |place: usize| {
            let bytes = raw.get(place..place + 4).and_then(|bytes| bytes.try_into().ok());
            u64::from(u32::from_le_bytes(bytes.unwrap_or_default()))
        };
        let eight = |place: usize| {
            let bytes = raw.get(place..place + 8).and_then(|bytes| bytes.try_into().ok());
            u64::from_le_bytes(bytes.unwrap_or_default())
        };
        let (start, end) = match raw.len() {
            0 => (0, 0),
            n @ 1..=3 => (u64::from(raw[0]) | u64::from(raw[n / 2]) << 8 | u64::from(raw[n - 1]) << 16, 0),
            n @ 4..=8 => (four(0), four(n - 4)),
            n @ 9..=16 => (eight(0), eight(n - 8)),
            _ => return None,
        };
        Some(Print { start, end, length: raw.len() as u32 })
    }

    /// Where it belongs among the recent ones.
    #[inline]
    fn place(self) -> usize {
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        let mixed = (self.start ^ self.end.rotate_left(29) ^ u64::from(self.length)).wrapping_mul(SPREAD);
        (mixed >> (u64::BITS - Recent::BITS)) as usize
    }
}

/// Values met lately and their codes, in front of the hash table, which takes longer.
#[derive(Debug, Clone)]
struct Recent(Box<[Option<(Print, u32)>; 1 << Recent::BITS]>);

impl Recent {
    const BITS: u32 = 6;

    #[inline]
    fn get(&self, print: Print) -> Option<u32> {
        self.0[print.place()].filter(|(known, _)| *known == print).map(|(_, code)| code)
    }

    fn put(&mut self, print: Print, code: u32) {
        self.0[print.place()] = Some((print, code));
    }
}

impl Default for Recent {
    fn default() -> Self {
        Recent(Box::new([None; 1 << Recent::BITS]))
    }
}

/// A value as it was written.
#[derive(Debug, Clone)]
pub(crate) struct RawValue {
    pub text: String,
    /// What it is read as; nothing if it means nothing.
    pub canonical: Option<String>,
    /// Whether a map says what it is read as, or should and does not.
    pub named: Named,
    pub first: At,
}

/// Who says what a value is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    /// The value itself.
    Itself,
    /// A map.
    Mapped,
    /// A map, which does not have it.
    Unsaid,
}

/// How the values of a column are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Read<'a> {
    /// Values that mean nothing.
    pub missing: &'a [String],
    pub map: Option<&'a ValueMap>,
    /// Whether a comma may stand before decimals.
    pub commas: bool,
    /// How many distinct values are taken.
    pub limit: usize,
}

impl Read<'_> {
    fn value(&self, text: &str) -> (Option<String>, Named) {
        let plain = |text: &str| {
            let whole = if self.commas { without_decimals(text) } else { None };
            whole.map_or_else(|| canonical(text), Cow::Borrowed).into_owned()
        };
        match self.map.map(|map| map.meaning(&plain(text))) {
            Some(Meaning::Name(name)) => (Some(name), Named::Mapped),
            Some(Meaning::Nothing) => (None, Named::Mapped),
            _ if is_missing(text, self.missing) => (None, Named::Itself),
            Some(Meaning::Unsaid) => (Some(plain(text)), Named::Unsaid),
            None => (Some(plain(text)), Named::Itself),
        }
    }
}

/// Why a value cannot be taken into a dictionary.
pub(crate) enum Refused {
    NotUtf8,
    Full,
}

impl Dictionary {
    /// Names as values, in their order.
    pub fn of_names(names: &[String]) -> Self {
        let mut dictionary = Dictionary::default();
        for name in names {
            let first = At { file: 0, number: 0 };
            let canonical = Some(name.clone());
            dictionary.push(RawValue { text: name.clone(), canonical, named: Named::Itself, first });
        }
        dictionary
    }

    /// The code of a raw value; a new one where it was not seen before.
    #[inline]
    pub fn code(&mut self, raw: &[u8], at: At, read: Read) -> Result<u32, Refused> {
        let print = Print::of(raw);
        if let Some(code) = print.and_then(|print| self.recent.get(print)) {
            return Ok(code);
        }
        let code = match self.codes.get(raw) {
            Some(code) => *code,
            None => self.insert(raw, at, read)?,
        };
        if let Some(print) = print {
            self.recent.put(print, code);
        }
        Ok(code)
    }

    #[cold]
    fn insert(&mut self, raw: &[u8], at: At, read: Read) -> Result<u32, Refused> {
        let text = std::str::from_utf8(raw).map_err(|_| Refused::NotUtf8)?;
        if self.values.len() >= read.limit {
            return Err(Refused::Full);
        }
        let (canonical, named) = read.value(text);
        Ok(self.push(RawValue { text: text.to_owned(), canonical, named, first: at }))
    }

    fn push(&mut self, value: RawValue) -> u32 {
        let code = self.values.len() as u32;
        self.codes.insert(value.text.as_bytes().into(), code);
        self.text += value.text.len() as u64;
        self.values.push(value);
        code
    }

    /// About how many bytes it takes: each value is kept as it was written, as it is read, and where it is looked up, and once more when
    /// threads are put together.
    pub fn held(&self) -> u64 {
        4 * self.text + self.values.len() as u64 * (size_of::<RawValue>() as u64 + 96)
    }

    /// Forgets the values that were first met after a row; those were met last.
    pub fn forget_after(&mut self, at: Option<At>) {
        while let Some(value) = self.values.pop_if(|value| Some(value.first) > at) {
            self.codes.remove(value.text.as_bytes());
            self.recent = Recent::default();
        }
    }

    /// Takes in the values of another; gives the code here of each code there.
    pub fn merge(&mut self, other: Dictionary) -> Vec<u32> {
        let mut places = Vec::with_capacity(other.values.len());
        for value in other.values {
            places.push(match self.codes.get(value.text.as_bytes()) {
                Some(code) => {
                    let known = &mut self.values[*code as usize];
                    known.first = known.first.min(value.first);
                    *code
                }
                None => self.push(value),
            });
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_and_blanks_are_read_alike_and_nothing_else_is() {
        for (raw, read) in
            [("1.0", "1"), (" 1", "1"), ("-2.00", "-2"), ("1.5", "1.5"), ("v1.0", "v1.0"), (".0", ".0")]
        {
            assert_eq!(canonical(raw), read);
        }
        for nothing in ["", "  ", "NaN", "NULL", "null", "nan"] {
            assert!(is_missing(nothing, &[]));
        }
        assert!(!is_missing("NA", &[]) && is_missing("NA", &["NA".into()]));
    }

    #[test]
    fn numbers_sort_by_value_and_names_by_letters() {
        let mut names = ["10", "9", "-1"].map(String::from);
        sort_names(&mut names);
        assert_eq!(names, ["-1", "9", "10"]);
        let mut names = ["b", "10", "a"].map(String::from);
        sort_names(&mut names);
        assert_eq!(names, ["10", "a", "b"]);
        let mut names = ["é 10", "é 9", "é 009b", "é"].map(String::from);
        sort_names(&mut names);
        assert_eq!(names, ["é", "é 9", "é 009b", "é 10"]);
    }
}
