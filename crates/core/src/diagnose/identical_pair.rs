use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/P05.md")]
pub(super) struct IdenticalPair {
    pub proxies: [String; 2],
}

impl Diagnosis for IdenticalPair {
    const CODE: &'static str = "P05";
    const TITLE: &'static str = "two proxies are one";

    fn severity(&self) -> Severity {
        Severity::Serious
    }

    fn message(&self) -> String {
        format!("Proxies {} and {} give the same guess on every row.", self.proxies[0], self.proxies[1])
    }

    fn advice(&self) -> String {
        format!(
            "Leave out one of them. As it stands each confirms the other's mistakes, and the calibrated number trusts \
             {} too much.",
            self.proxies[0]
        )
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![("proxies", self.proxies.as_slice().into())]
    }
}
