use super::{Diagnosis, Evidence, Severity};
use crate::vocabulary::{Criterion, Scope};

#[doc = include_str!("texts/N03.md")]
pub(super) struct NegativeShares {
    pub scope: Scope,
    pub criterion: Criterion,
    pub place: String,
    pub share: f64,
    pub value: Option<f64>,
    pub repaired: Option<f64>,
}

impl Diagnosis for NegativeShares {
    const CODE: &'static str = "N03";
    const TITLE: &'static str = "undoing the error gives a negative share";

    fn severity(&self) -> Severity {
        Severity::Serious
    }

    fn message(&self) -> String {
        format!(
            "Undoing the estimated error ({} scope) leaves a share of {:.4} for {}: the estimated error does not fit \
             there. The number is left as it came out, and not recommended where a rate falls outside 0 to 1.",
            self.scope.name(),
            self.share,
            self.place
        )
    }

    fn advice(&self) -> String {
        let cause = "Look for proxies that err differently where the decision differs.";
        let number = |value: Option<f64>| value.map_or("no number".into(), |value| format!("{value:.4}"));
        format!(
            "{cause} As a named repair, the nearest table without negative shares has a mean pairwise {} of {}; as it came \
             out it has {}.",
            self.criterion.words(),
            number(self.repaired),
            number(self.value)
        )
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("scope", self.scope.name().into()),
            ("criterion", self.criterion.name().into()),
            ("place", self.place.as_str().into()),
            ("share", self.share.into()),
            ("value", self.value.map_or(Evidence::Nothing, Evidence::from)),
            ("repaired_value", self.repaired.map_or(Evidence::Nothing, Evidence::from)),
        ]
    }
}
