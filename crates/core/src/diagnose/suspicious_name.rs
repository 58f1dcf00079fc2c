use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/D05.md")]
pub(super) struct SuspiciousName {
    pub group: String,
}

/// What exports write where they know nothing.
const NOTHING: [&str; 12] =
    ["na", "n/a", "none", "nil", "unknown", "unk", "missing", "undefined", "other/unknown", "?", "-", "-1"];

impl SuspiciousName {
    /// Whether a name usually means that there is no guess.
    pub(super) fn is(name: &str) -> bool {
        NOTHING.contains(&name.to_lowercase().as_str())
    }
}

impl Diagnosis for SuspiciousName {
    const CODE: &'static str = "D05";
    const TITLE: &'static str = "a group is called as if there were no guess";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!("{} is counted as a group of people.", self.group)
    }

    fn advice(&self) -> String {
        format!("If it means that the proxy gives no guess, say so with --missing '{}'.", self.group)
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![("group", self.group.as_str().into())]
    }
}
