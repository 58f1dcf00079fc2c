use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/P03.md")]
pub(super) struct TooFewProxies {
    pub found: usize,
}

impl Diagnosis for TooFewProxies {
    const CODE: &'static str = "P03";
    const TITLE: &'static str = "fewer than three proxies: nothing can be calibrated";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!(
            "The error of proxies is learned from how three of them agree, and there {} {}. The numbers are what the \
             proxies say directly, and usually show less than the true gap.",
            if self.found == 1 { "is" } else { "are" },
            self.found
        )
    }

    fn advice(&self) -> String {
        "Add proxies built from other sources until there are three; or borrow guesses from nearest neighbours (--features), if the \
         proxy is not computed from the features; or report the direction of the gap and not its size."
            .into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![("found", (self.found as f64).into()), ("needed", 3.0.into())]
    }
}
