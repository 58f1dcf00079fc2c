//! Texts that a spreadsheet takes for formulas.
//!
//! A spreadsheet that opens a CSV file computes every field that begins with `=`, `+`, `-`, `@`, a tab or a line end, quoted or not;
//! some do so for the full-width forms of these signs too. An apostrophe before it makes it text again. No reader of ours takes
//! that apostrophe off: it may be the table's own.

use std::borrow::Cow;

/// Whether a spreadsheet takes a text for a formula. A number is none, whatever its sign.
///
/// ```
/// # use fairveil_ingest::is_formula;
/// assert!(is_formula("=1+1") && is_formula("@SUM(A1)") && is_formula("-2+3"));
/// assert!(!is_formula("-0.5") && !is_formula("a=b") && !is_formula("'=1+1"));
/// ```
pub fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'])
        && !text.parse().is_ok_and(f64::is_finite)
}

/// The text with an apostrophe before it where it is a formula, or one behind apostrophes: two texts stay two.
pub(crate) fn as_text(text: &str) -> Cow<'_, str> {
    if is_formula(text.trim_start_matches('\'')) { format!("'{text}").into() } else { text.into() }
}

/// Counts formulas on their way out, and makes text of them where that was asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guard {
    pub safe: bool,
    /// Fields that were, or would have been, formulas.
    pub met: u64,
}

impl Guard {
    pub fn new(safe: bool) -> Self {
        Guard { safe, met: 0 }
    }

    pub fn text<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        self.met += u64::from(is_formula(text));
        if self.safe { as_text(text) } else { text.into() }
    }

    /// The same of bytes; what is no text is no formula.
    pub fn bytes<'t>(&mut self, bytes: &'t [u8]) -> Cow<'t, [u8]> {
        match std::str::from_utf8(bytes).map(|text| self.text(text)) {
            Ok(Cow::Owned(text)) => text.into_bytes().into(),
            _ => bytes.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_texts_stay_two_and_none_of_them_is_a_formula() {
        let texts = [
            "=a", "'=a", "''=a", "a", "'a", "-1", "'-1", "+x", "@x", "\tx", "\rx", "\nx", "＝x", "", "-",
            "-inf",
        ];
        let safe: std::collections::BTreeSet<Cow<str>> = texts.iter().map(|text| as_text(text)).collect();
        assert_eq!(safe.len(), texts.len(), "{safe:?}");
        assert!(!safe.iter().any(|text| is_formula(text)), "{safe:?}");
        assert_eq!(as_text("-1"), "-1");
        assert_eq!(as_text("=a"), "'=a");
    }
}
