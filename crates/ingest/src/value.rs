//! Reading one field: what means nothing, and what is written differently but means the same.

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
pub(crate) fn canonical(field: &str) -> Cow<'_, str> {
    let field = field.trim();
    let whole = match field.split_once('.') {
        Some((whole, decimals)) if !decimals.is_empty() && decimals.bytes().all(|b| b == b'0') => whole,
        _ => return field.into(),
    };
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if is_number { whole.into() } else { field.into() }
}

/// Names in the order people expect: numbers by value, other names by letters, and numbers inside names by value
/// (`group 2` before `group 10`).
pub(crate) fn sort_names(names: &mut [String]) {
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
        match run[0].is_ascii_digit() {
            true => {
                let digits = text.trim_start_matches('0');
                (false, digits.len(), digits)
            }
            false => (true, 0, text),
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
    pub values: Vec<RawValue>,
}

/// A value as it was written.
#[derive(Debug, Clone)]
pub(crate) struct RawValue {
    pub text: String,
    /// What it is read as; nothing if it means nothing.
    pub canonical: Option<String>,
    pub first: At,
}

/// Why a value can not be taken into a dictionary.
pub(crate) enum Refused {
    NotUtf8,
    Full,
}

impl Dictionary {
    /// The code of a raw value; a new one where it was not seen before.
    #[inline]
    pub fn code(&mut self, raw: &[u8], at: At, missing: &[String], limit: usize) -> Result<u32, Refused> {
        match self.codes.get(raw) {
            Some(code) => Ok(*code),
            None => self.insert(raw, at, missing, limit),
        }
    }

    #[cold]
    fn insert(&mut self, raw: &[u8], at: At, missing: &[String], limit: usize) -> Result<u32, Refused> {
        let text = std::str::from_utf8(raw).map_err(|_| Refused::NotUtf8)?;
        if self.values.len() >= limit {
            return Err(Refused::Full);
        }
        let canonical = (!is_missing(text, missing)).then(|| canonical(text).into_owned());
        Ok(self.push(RawValue { text: text.to_owned(), canonical, first: at }))
    }

    fn push(&mut self, value: RawValue) -> u32 {
        let code = self.values.len() as u32;
        self.codes.insert(value.text.as_bytes().into(), code);
        self.values.push(value);
        code
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
