use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/M09.md")]
pub(crate) struct GuessesInFeatures {
    pub explained: f64,
    pub possible: f64,
}

impl Diagnosis for GuessesInFeatures {
    const CODE: &'static str = "M09";
    const TITLE: &'static str = "features tell more about the guesses than a group could";

    fn severity(&self) -> Severity {
        Severity::Serious
    }

    fn message(&self) -> String {
        format!(
            "Features explain {:.1} % of how the weights of people differ. If the proxies erred independently of the features, \
             knowing the group itself would explain {:.1} %: a feature and a proxy are made from the same thing, or a guess is \
             among the features. The calibrated gap after can be near zero while the true one is not.",
            100.0 * self.explained,
            100.0 * self.possible
        )
    }

    fn advice(&self) -> String {
        "Leave out features that a proxy is made from (--drop), such as the surname or the district that it reads. Do not use this \
         rule before.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![("explained", self.explained.into()), ("possible", self.possible.into())]
    }
}
