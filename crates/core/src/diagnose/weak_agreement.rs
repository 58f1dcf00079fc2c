use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/P06.md")]
pub(super) struct WeakAgreement {
    pub place: String,
    pub z: f64,
}

/// From here on estimates behave as the usual approximations say (METHODS 9.5).
pub(super) const STRONG: f64 = 10.0;

impl Diagnosis for WeakAgreement {
    const CODE: &'static str = "P06";
    const TITLE: &'static str = "the proxies' agreement barely stands out from chance";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!(
            "Among {}, the proxies' agreement stands out from chance by {:.1} standard errors; from {STRONG:.0} on \
             estimates are steady.",
            self.place, self.z
        )
    }

    fn advice(&self) -> String {
        "Report the interval, not the number alone. Better proxies help more than more rows.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![("place", self.place.as_str().into()), ("z", self.z.into())]
    }
}
