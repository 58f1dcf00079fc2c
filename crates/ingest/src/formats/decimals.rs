//! What stands before the decimals of a number that is written as text: a point or a comma.

use crate::error::Problem;
use crate::fault::Fault;
use crate::value::At;
use std::collections::BTreeMap;

/// What stands before the decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Decimal {
    /// A point; or a comma, where semicolons set fields apart and all numbers are written so.
    #[default]
    Detect,
    /// A point.
    Point,
    /// A comma.
    Comma,
}

impl Decimal {
    /// In a text whose fields are set apart so.
    pub(crate) fn between(self, delimiter: u8) -> Reads {
        match self {
            Decimal::Comma => Reads::Comma,
            Decimal::Detect if delimiter == b';' => Reads::Either,
            Decimal::Detect | Decimal::Point => Reads::Point,
        }
    }
}

/// How the numbers of one input are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Reads {
    #[default]
    Point,
    Comma,
    Either,
}

/// Numbers as text, and where the first with a point and with a comma is in each file, where both may be.
#[derive(Debug, Default)]
pub(crate) struct Decimals {
    pub reads: Reads,
    met: BTreeMap<u32, [Option<At>; 2]>,
}

impl Decimals {
    /// The number that a text is, if it is one.
    #[inline]
    pub fn number(&mut self, text: &str, at: At) -> Option<f64> {
        match self.reads {
            Reads::Point => text.parse().ok(),
            reads => self.with_commas(text, at, reads),
        }
    }

    fn with_commas(&mut self, text: &str, at: At, reads: Reads) -> Option<f64> {
        let (point, comma) = (text.contains('.'), text.contains(','));
        let number = match (point, comma) {
            (false, false) => return text.parse().ok(),
            (false, true) => text.replace(',', ".").parse().ok(),
            (true, false) if reads == Reads::Either => text.parse().ok(),
            (true, _) => None,
        }?;
        if reads == Reads::Either {
            let first = &mut self.met.entry(at.file).or_default()[usize::from(comma)];
            *first = Some(first.map_or(at, |first| first.min(at)));
        }
        Some(number)
    }

    /// What is wrong with a text that is no number: perhaps its decimals.
    pub fn wrong(&self, text: &str) -> Option<Problem> {
        let other = match self.reads {
            Reads::Point if !text.contains('.') => text.replace(',', "."),
            Reads::Comma if !text.contains(',') => text.to_owned(),
            _ => return None,
        };
        let comma = self.reads == Reads::Point;
        let number = other.parse::<f64>().is_ok_and(f64::is_finite) && text.contains(['.', ',']);
        number.then(|| Problem::Decimals { value: text.to_owned(), comma })
    }

    pub fn merge(&mut self, other: Decimals) {
        for (file, theirs) in other.met {
            let mine = self.met.entry(file).or_default();
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                *mine = match (*mine, theirs) {
                    (Some(mine), Some(theirs)) => Some(mine.min(theirs)),
                    (mine, theirs) => mine.or(theirs),
                };
            }
        }
    }

    /// The files whose numbers have commas; the first of them that has points too is refused.
    pub fn settled(&self) -> Result<Vec<u32>, Fault> {
        let mixed = self.met.values().find_map(|[point, comma]| Some((*point)?.max((*comma)?)));
        match mixed {
            Some(at) => Err(Fault { at, column: None, problem: Problem::DecimalsMixed }),
            None => Ok(self.met.iter().filter(|(_, met)| met[1].is_some()).map(|(file, _)| *file).collect()),
        }
    }
}

/// A whole number without its decimals, which a comma sets apart: `1,0` is `1`.
pub(crate) fn without_decimals(text: &str) -> Option<&str> {
    let (whole, decimals) = text.trim().split_once(',')?;
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let is = |text: &str, fits: fn(&u8) -> bool| !text.is_empty() && text.as_bytes().iter().all(fits);
    (is(digits, u8::is_ascii_digit) && is(decimals, |byte| *byte == b'0')).then_some(whole)
}
