use crate::diagnose::{Diagnosis, finding};
use crate::mitigate::{Scale, Trial};

finding! {
    /// # What it means
    /// A logistic regression of the labels on the log odds of the score finds a slope other than 1 or an offset other than 0.
    /// # Why it matters
    /// The rule trades accuracy against the gap as if the score were the chance of a positive label. With a score on another
    ///   scale it still closes the gap, but not at the least cost, and its threshold of one half may be far from the best. A slope well above 1
    ///   is that of a timid score, or of a model that was fitted on these very rows; nothing in the table tells these apart.
    /// # What to do
    /// `{recalibrate}` fits slope and offset on the rows the rule is fitted on and keeps them in the rule. It mends no leak: make sure that the
    ///   model saw none of these rows.
    struct ScoreScale {
        slope: f64,
        intercept: f64,
        mean_difference: f64,
    }
}

/// A forest of ten levels and boosting with deep trees had 2 on their own rows.
const LEAK: f64 = 1.5;

impl Diagnosis<Trial<'_>> for ScoreScale {
    const CODE: &'static str = "M05";
    const TITLE: &'static str = "the score is not a probability of the label";
    const ADVICE: &'static str = "Give {recalibrate}, which puts the score on the scale of the labels first, or a score that is a probability.";

    fn look(at: &Trial) -> Option<Self> {
        let Scale { slope, intercept, mean_difference } = at.scale?;
        let off = !(0.8..=1.25).contains(&slope) || mean_difference.abs() > 0.02;
        off.then_some(ScoreScale { slope, intercept, mean_difference })
    }

    fn message(&self) -> String {
        let leak = if self.slope > LEAK {
            " A model that was fitted on these very rows has such a slope too."
        } else {
            ""
        };
        format!(
            "Against the labels, the score has slope {:.2} and offset {:.2} on the scale of log odds, where 1 and 0 mean that \
             it is a probability; decisions weigh it as one.{leak}",
            self.slope, self.intercept
        )
    }
}
