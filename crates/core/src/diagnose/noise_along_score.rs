use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/M01.md")]
pub(crate) struct NoiseAlongScore {
    pub statistic: f64,
    pub freedom: usize,
    pub p_value: f64,
    pub bins: usize,
}

impl Diagnosis for NoiseAlongScore {
    const CODE: &'static str = "M01";
    const TITLE: &'static str = "the proxies err differently along the score";

    fn severity(&self) -> Severity {
        Severity::Serious
    }

    fn message(&self) -> String {
        format!(
            "Cut into {} bins of the score, the proxies err differently from bin to bin (χ² {:.0} with {} degrees of \
             freedom). A rule moves decisions along the score, so a calibrated gap of zero may hide a true gap.",
            self.bins, self.statistic, self.freedom
        )
    }

    fn advice(&self) -> String {
        "Look at the matrices by bin. With --noise-bins 3 each bin has error rates of its own; that helps only where they \
         really differ, and costs precision. Better: a proxy built from other data, or a few rows with known groups.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("statistic", self.statistic.into()),
            ("degrees_of_freedom", (self.freedom as f64).into()),
            ("p_value", self.p_value.into()),
            ("bins", (self.bins as f64).into()),
        ]
    }
}
