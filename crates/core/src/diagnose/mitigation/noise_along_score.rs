use crate::diagnose::{Diagnosis, SIGNIFICANT, Severity, finding};
use crate::mitigate::{CLEAR, Trial};

finding! {
    /// # What it means
    /// The rows were cut into bins of the score, and the proxies' error rates differ between the bins by more than chance explains.
    /// # Why it matters
    /// One matrix for all rows is then wrong in every bin. A rule changes decisions where scores are near the threshold, so what it
    ///   undoes is not what is there: read directly or calibrated, a gap of zero can hide a large true gap.
    /// # What to do
    /// Find out why: a proxy built from a feature that the score uses errs with the score. Use a proxy built from other data. With
    ///   `{noise_bins=3}` every bin has error rates of its own, fixed before training; that helps where they really differ and costs
    ///   precision where they do not, so it is never chosen for you.
    struct NoiseAlongScore {
        statistic: f64,
        degrees_of_freedom: usize,
        p_value: f64,
        bins: usize,
    }
}

impl Diagnosis<Trial<'_>> for NoiseAlongScore {
    const CODE: &'static str = "M01";
    const TITLE: &'static str = "the proxies err differently along the score";
    const ADVICE: &'static str = "Look at the matrices by bin. With {noise_bins=3} each bin has error rates of its own; that helps only where they \
             really differ, and costs precision. Better: a proxy built from other data, or a few rows with known groups.";

    fn look(at: &Trial) -> Option<Self> {
        let drift = at.drift.filter(|drift| drift.p_value < SIGNIFICANT)?;
        Some(NoiseAlongScore {
            statistic: drift.statistic,
            degrees_of_freedom: drift.degrees_of_freedom,
            p_value: drift.p_value,
            bins: drift.bins.len(),
        })
    }

    /// Of rules without any fault one in a hundred shows so much, and other doubts are raised by chance too.
    fn severity(&self) -> Severity {
        if self.p_value < CLEAR { Severity::Serious } else { Severity::Warning }
    }

    fn message(&self) -> String {
        format!(
            "Cut into {} bins of the score, the proxies err differently from bin to bin (χ² {:.0} with {} degrees of \
             freedom). A rule moves decisions along the score, so a calibrated gap of zero may hide a true gap.",
            self.bins, self.statistic, self.degrees_of_freedom
        )
    }
}
