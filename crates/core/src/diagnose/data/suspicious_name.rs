use crate::diagnose::{Diagnosis, Looked, finding};
use crate::setting::{Setting, Text};
use crate::text;

finding! {
    /// # What it means
    /// One of the groups has a name such as `NA`, `unknown` or `-1`, which many exports write where they know nothing. It was
    ///   counted as a group like any other.
    /// # Why it matters
    /// If it means "no guess", all proxies now seem to agree on people they know nothing about, and every number is about one
    ///   group too many.
    /// # What to do
    /// Name the value with `{missing}`. If it is a group, nothing.
    struct SuspiciousName {
        group: String,
    }
}

/// Names that exports write where they know nothing.
const NOTHING: [&str; 12] =
    ["na", "n/a", "none", "nil", "unknown", "unk", "missing", "undefined", "other/unknown", "?", "-", "-1"];

impl Diagnosis<Looked<'_>> for SuspiciousName {
    const CODE: &'static str = "D05";
    const TITLE: &'static str = "a group's name looks like a missing value";

    fn look(at: &Looked) -> Vec<Self> {
        let nothing = |group: &&String| NOTHING.contains(&group.to_lowercase().as_str());
        at.legend()
            .groups
            .iter()
            .filter(nothing)
            .map(|group| SuspiciousName { group: group.clone() })
            .collect()
    }

    fn message(&self) -> String {
        format!("{} is counted as a group of people.", self.group)
    }

    fn advice(&self) -> Text {
        let missing = Setting::Missing.to(format!("'{}'", self.group));
        text!["If it means that the proxy gives no guess, say so with ", missing, "."]
    }
}
