use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/P04.md")]
pub(super) struct SameSource {
    pub proxies: [String; 2],
    pub source: String,
}

impl Diagnosis for SameSource {
    const CODE: &'static str = "P04";
    const TITLE: &'static str = "proxies have the same source";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!("Proxies {} and {} both come from {}.", self.proxies[0], self.proxies[1], self.source)
    }

    fn advice(&self) -> String {
        "Expect shared mistakes, which make proxies look better than they are and the calibrated gap too small. Replace \
         one by a proxy built from other data."
            .into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![("proxies", self.proxies.as_slice().into()), ("source", self.source.as_str().into())]
    }
}
