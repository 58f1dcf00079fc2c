use crate::diagnose::{Diagnosis, Severity, finding};
use crate::mitigate::{Sharpness, Trial};

finding! {
    /// # What it means
    /// The labels follow the score more closely than the score itself claims. A chance of .8 is wrong for one person in five; this score is
    ///   wrong far less often. That happens where the model that made it was fitted on these very rows.
    /// # Why it matters
    /// Accuracy, on held-out rows too, is then what the model remembers and not what it knows about new people. The rule moves people whom the
    ///   score seems sure of, and on new people it is not.
    /// # What to do
    /// Give the score of a model that saw none of these rows: score them in folds (`cross_val_predict`), or use rows that came after the
    ///   model. A score that is only too timid looks the same: `{recalibrate}` mends that, and nothing mends a leak.
    struct LeakedScore {
        /// How far labels are from the score, squared and on average, for each unit that the score claims.
        ratio: f64,
        /// Standard errors from 1.
        errors: f64,
    }
}

/// A score that is half as steep as the truth has about .75 here, a forest on its own rows about .2.
const SHARP: f64 = 0.6;
const CLEAR: f64 = 5.0;

impl Diagnosis<Trial<'_>> for LeakedScore {
    const CODE: &'static str = "M16";
    const TITLE: &'static str = "the score seems to come from a model that was fitted on these rows";
    const ADVICE: &'static str = "Give a score from a model that saw none of these rows, such as one made in folds. Do not believe the accuracy until then.";

    fn look(at: &Trial) -> Option<Self> {
        let Sharpness { ratio, error } = at.sharpness?;
        let errors = (1.0 - ratio) / error;
        (ratio < SHARP && errors > CLEAR).then_some(LeakedScore { ratio, errors })
    }

    fn severity(&self) -> Severity {
        Severity::Serious
    }

    fn message(&self) -> String {
        format!(
            "If the score were a chance, labels would lie about as far from it as it says; they lie {:.0} % as far (squared, on average). A \
             model that was fitted on these rows does that.",
            100.0 * self.ratio
        )
    }
}
