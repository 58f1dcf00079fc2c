use super::{Diagnosis, Evidence, Severity};

/// From here on people without a guess can move the proxy's own number by as much as the gaps of interest.
const MANY: f64 = 0.2;

#[doc = include_str!("texts/D03.md")]
pub(super) struct Abstentions {
    pub proxy: String,
    pub share: f64,
}

impl Diagnosis for Abstentions {
    const CODE: &'static str = "D03";
    const TITLE: &'static str = "a proxy abstains";

    fn severity(&self) -> Severity {
        if self.share < MANY { Severity::Info } else { Severity::Warning }
    }

    fn message(&self) -> String {
        format!("Proxy {} gives no guess on {:.1} % of the rows.", self.proxy, 100.0 * self.share)
    }

    fn advice(&self) -> String {
        "Read the number of this proxy alone as one about people it can guess. Calibrated rates are right if silence \
         depends on the group alone; group shares are those among given guesses."
            .into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![("proxy", self.proxy.as_str().into()), ("share", self.share.into())]
    }
}
