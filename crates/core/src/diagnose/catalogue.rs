//! Every finding there is, with the text that `fairveil explain CODE` prints.

use super::{Finding, Looked, ROOMS, curve, intersection, mitigation};
use crate::curve::Along;
use crate::mitigate::Trial;
use crate::setting::Text;
use std::sync::LazyLock;

/// One kind of finding, explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Stable code.
    pub code: &'static str,
    /// The finding in a few words.
    pub title: &'static str,
    /// The full text, in Markdown.
    pub text: Text,
}

/// One kind of finding: how it is explained, and the function that looks for it.
pub(crate) struct Kind<Look> {
    pub code: &'static str,
    pub title: &'static str,
    pub text: &'static [&'static str],
    pub look: Look,
}

/// A kind of finding about an audit.
pub(crate) type OfAudit = Kind<fn(&Looked) -> Vec<Finding>>;

/// A kind of finding about a mitigation.
pub(crate) type OfMitigation = Kind<fn(&Trial) -> Vec<Finding>>;

/// A kind of finding about two attributes, which have these names.
pub(crate) type OfIntersection = Kind<fn(&[String; 2]) -> Vec<Finding>>;

/// A kind of finding about a number cut into bins.
pub(crate) type OfCurve = Kind<fn(&Along) -> Vec<Finding>>;

/// The kinds of a room, by their types.
macro_rules! kinds {
    ($($kind:ty),* $(,)?) => {{
        use $crate::diagnose::{Diagnosis, Declared};
        &[$($crate::diagnose::Kind {
            code: <$kind>::CODE,
            title: <$kind>::TITLE,
            text: <$kind>::TEXT,
            look: |at| <$kind>::look(at).into_iter().map(|found| found.finding()).collect(),
        }),*]
    }};
}
pub(crate) use kinds;

impl<Look> Kind<Look> {
    fn entry(&self) -> Entry {
        let mut text = Text::default();
        for (i, line) in self.text.iter().enumerate() {
            // A line that is indented goes on with the one before.
            let (between, line) = match line.strip_prefix("   ") {
                Some(more) => (" ", more),
                None => ("\n", line.strip_prefix(' ').unwrap_or(line)),
            };
            text.push(if i == 0 { "" } else { between });
            text.push(Text::template(line));
        }
        text.push("\n");
        Entry { code: self.code, title: self.title, text }
    }
}

/// All findings, by code.
pub fn catalogue() -> &'static [Entry] {
    static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
        let mut entries: Vec<Entry> = ROOMS.into_iter().flatten().map(Kind::entry).collect();
        entries.extend(mitigation::KINDS.iter().map(Kind::entry));
        entries.extend(intersection::KINDS.iter().map(Kind::entry));
        entries.extend(curve::KINDS.iter().map(Kind::entry));
        entries.sort_by_key(|entry| entry.code);
        entries
    });
    &ENTRIES
}

/// The entry of a code, in any case of letters.
///
/// ```
/// assert_eq!(fairveil_core::diagnose::explain("p02").unwrap().code, "P02");
/// assert!(fairveil_core::diagnose::explain("P99").is_none());
/// ```
pub fn explain(code: &str) -> Option<&'static Entry> {
    catalogue().iter().find(|entry| entry.code.eq_ignore_ascii_case(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_every_text_has_its_three_parts() {
        assert!(catalogue().is_sorted_by(|a, b| a.code < b.code));
        for entry in catalogue() {
            let text = entry.text.to_string();
            let heads: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
            assert_eq!(heads, ["# What it means", "# Why it matters", "# What to do"], "{}", entry.code);
        }
    }

    #[test]
    fn no_text_says_a_flag() {
        for entry in catalogue() {
            assert!(!entry.text.to_string().contains("--"), "{}: {}", entry.code, entry.text);
        }
    }
}
