use super::{Diagnosis, Evidence, Severity};

/// A condition of 10 is that of two groups guessed right 55 times in 100.
pub(super) const LIMIT: f64 = 10.0;

#[doc = include_str!("texts/N04.md")]
pub(super) struct NearSingular {
    pub place: String,
    pub condition: f64,
}

impl Diagnosis for NearSingular {
    const CODE: &'static str = "N04";
    const TITLE: &'static str = "undoing the error magnifies chance";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!(
            "Among {}, undoing the proxies' error multiplies chance in the counts by up to {:.0}.",
            self.place, self.condition
        )
    }

    fn advice(&self) -> String {
        "Trust the direction of the gap more than its size; bring more rows or better proxies.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![("place", self.place.as_str().into()), ("condition", self.condition.into())]
    }
}
