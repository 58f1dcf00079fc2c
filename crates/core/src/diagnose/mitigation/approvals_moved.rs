use crate::diagnose::{Diagnosis, Severity, finding};
use crate::mitigate::{Approvals, OperatingPoint, Trial};

finding! {
    /// # What it means
    /// The share of held-out rows decided positive is not what it was, by more than chance (at 99 %) and by more than two points in a
    ///   hundred.
    /// # Why it matters
    /// Who is decided positive costs money or places. A change in accuracy or in a gap that comes with another share of positive
    ///   decisions is partly that other share.
    /// # What to do
    /// Say where decisions are to be cut: `{rate}` for a share, `{threshold}` for a chance of the label, `{costs}` for what mistakes
    ///   cost. Without any of them the share of the decisions before is kept, as far as the score has different values to cut between.
    struct ApprovalsMoved {
        before: f64,
        after: f64,
        reach: f64,
    }
    with {
        asked: OperatingPoint,
    }
}

impl ApprovalsMoved {
    /// The share that was asked for, where another came of it.
    fn missed(&self) -> Option<f64> {
        match self.asked {
            OperatingPoint::Rate { share } => {
                Some(share).filter(|share| (self.after - share).abs() > self.reach.max(0.02))
            }
            _ => None,
        }
    }
}

impl Diagnosis<Trial<'_>> for ApprovalsMoved {
    const CODE: &'static str = "M14";
    const TITLE: &'static str = "another share is decided positive";
    const ADVICE: &'static str =
        "Make sure that this is the share you want; {rate}, {threshold} and {costs} set it.";

    fn look(at: &Trial) -> Option<Self> {
        let Approvals { before, after, reach, asked } = at.approvals?;
        ((after - before).abs() > reach.max(0.02)).then_some(ApprovalsMoved { before, after, reach, asked })
    }

    fn severity(&self) -> Severity {
        if self.asked == OperatingPoint::Kept || self.missed().is_some() {
            Severity::Warning
        } else {
            Severity::Info
        }
    }

    fn message(&self) -> String {
        let why = match self.asked {
            OperatingPoint::Kept => {
                "The share before was to be kept: either the score has too few different values to cut between, or what the rule learned \
                 holds for its own rows only"
                    .to_owned()
            }
            OperatingPoint::Rate { .. } => match self.missed() {
                Some(asked) => format!(
                    "{:.1} % were asked for: either the score has too few different values to cut between, or what the rule learned holds \
                     for its own rows only",
                    100.0 * asked
                ),
                None => "That follows from the share that was asked for".to_owned(),
            },
            OperatingPoint::Threshold { .. } => "That follows from the threshold that was asked for".to_owned(),
            OperatingPoint::Costs { .. } => "That follows from the costs of mistakes that were given".to_owned(),
        };
        format!(
            "Of the held-out rows {:.1} % were decided positive before and {:.1} % are now. {why}.",
            100.0 * self.before,
            100.0 * self.after
        )
    }
}
