use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/N10.md")]
pub(super) struct GivenShares {
    pub group: String,
    pub given: f64,
    pub found: f64,
}

/// Shares that differ by less may differ by chance.
pub(super) const FAR: f64 = 0.05;

impl Diagnosis for GivenShares {
    const CODE: &'static str = "N10";
    const TITLE: &'static str = "given shares and given errors disagree";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!(
            "The given share of group {} is {:.3}; the given error rates make it {:.3} in this table.",
            self.group, self.given, self.found
        )
    }

    fn advice(&self) -> String {
        "The table has another mix of groups than the one the errors were learned in, or the proxies err differently here. Rates \
         use the share found here.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("group", self.group.as_str().into()),
            ("given", self.given.into()),
            ("found", self.found.into()),
        ]
    }
}
