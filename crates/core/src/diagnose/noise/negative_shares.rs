use crate::answers::{Answers, Explanation};
use crate::calibrate::repaired;
use crate::diagnose::{Diagnosis, Looked, Severity, finding};
use crate::disparity::measure;
use crate::rates::Joint;
use crate::vocabulary::{Aggregate, Criterion, Group, Legend, Scope};

finding! {
    /// # What it means
    /// Undoing the estimated error gave a group a negative share of some stratum. No population looks like that, so the
    ///   estimated error does not describe that stratum.
    /// # Why it matters
    /// Chance does it in small strata. In large ones it says that the proxies err differently there than elsewhere, or that
    ///   they share mistakes. The number is given as it came out, neither clipped nor rescaled.
    /// # What to do
    /// Compare with the local scope. The advice names, as a repair, the value of the nearest table without negative shares
    ///   (least squares on the simplex); if you report it, call it that.
    struct NegativeShares {
        scope: Scope,
        criterion: Criterion,
        place: String,
        share: f64,
        value: Option<f64>,
        repaired_value: Option<f64>,
    }
}

impl Diagnosis<Looked<'_>> for NegativeShares {
    const CODE: &'static str = "N03";
    const TITLE: &'static str = "undoing the error gives a negative share";
    const SEVERITY: Severity = Severity::Serious;

    /// The lowest share of each explanation.
    fn look(at: &Looked) -> Vec<Self> {
        at.examined().filter_map(|(answers, explanation)| lowest(at.legend(), answers, explanation)).collect()
    }

    fn message(&self) -> String {
        format!(
            "Undoing the estimated error ({} scope) leaves a share of {:.4} for {}: the estimated error does not fit \
             there. The number is reported as it came out, and not recommended where a rate falls outside 0 to 1.",
            self.scope.name(),
            self.share,
            self.place
        )
    }

    fn advice(&self) -> String {
        let cause = "Look for proxies that err differently where the decision differs.";
        let number = |value: Option<f64>| value.map_or("no number".into(), |value| format!("{value:.4}"));
        format!(
            "{cause} As a named repair, the nearest table without negative shares has a mean pairwise {} of {}; as it came \
             out it has {}.",
            self.criterion.words(),
            number(self.repaired_value),
            number(self.value)
        )
    }
}

/// Below this a negative share is rounding.
const NEGATIVE: f64 = -1e-9;

/// The lowest share that an explanation leads to, if it is negative.
fn lowest(legend: &Legend, answers: &Answers, explanation: &Explanation) -> Option<NegativeShares> {
    let (joint, noise) = (explanation.joint.as_ref().ok()?, explanation.noise.as_ref().ok()?);
    let cells = joint.strata().filter_map(|(stratum, shares)| Some((stratum, shares?)));
    let cells = cells
        .flat_map(|(stratum, shares)| legend.all_groups().map(move |group| (stratum, group, shares[group])));
    let (stratum, group, share) =
        cells.min_by(|a, b| a.2.total_cmp(&b.2)).filter(|cell| cell.2 < NEGATIVE)?;
    let criterion = answers.view.every_stratum();
    let value =
        |joint: &Joint<Group>| measure(joint, criterion, Aggregate::MeanPairwise, legend.positive).ok();
    Some(NegativeShares {
        scope: explanation.origin.scope.unwrap_or(Scope::Global),
        criterion,
        place: format!("group {} among rows with {}", legend.group(group), legend.stratum(stratum)),
        share,
        value: value(joint),
        repaired_value: value(&repaired(&answers.seen, answers.view, noise)),
    })
}
