use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/M05.md")]
pub(crate) struct ScoreScale {
    pub slope: f64,
    pub intercept: f64,
    pub mean_difference: f64,
}

impl Diagnosis for ScoreScale {
    const CODE: &'static str = "M05";
    const TITLE: &'static str = "the score is no probability of the label";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!(
            "Against the labels, the score has slope {:.2} and offset {:.2} on the scale of log odds, where 1 and 0 mean that \
             it is a probability; decisions weigh it as one.",
            self.slope, self.intercept
        )
    }

    fn advice(&self) -> String {
        "Give --recalibrate, which puts the score on the scale of the labels first, or a score that is a probability.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("slope", self.slope.into()),
            ("intercept", self.intercept.into()),
            ("mean_difference", self.mean_difference.into()),
        ]
    }
}
