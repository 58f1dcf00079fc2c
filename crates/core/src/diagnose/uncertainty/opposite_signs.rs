use crate::diagnose::{Diagnosis, Looked, Severity, finding};
use crate::uncertainty::attach::opposite_signs;
use crate::vocabulary::Criterion;

finding! {
    /// # What it means
    /// Several explanations of the same table are possible: one table of errors for all proxies, one for each, or one set for
    ///   each stratum. Two of them say that different groups are favoured, each beyond chance.
    /// # Why it matters
    /// The table does not show which explanation is right. Not even the direction of the gap can be reported.
    /// # What to do
    /// Label a few hundred rows, chosen at random, with their group ({audit_labels}), or add a proxy from another source.
    struct OppositeSigns {
        criterion: String,
    } with {
        first: f64,
        second: f64,
        words: String,
    }
}

impl Diagnosis<Looked<'_>> for OppositeSigns {
    const CODE: &'static str = "U03";
    const TITLE: &'static str = "explanations that both fit disagree about who is favoured";
    const SEVERITY: Severity = Severity::Serious;
    const ADVICE: &'static str = "Report neither the size nor the direction of this gap until rows with a known group, or a proxy from another source, decide between the explanations.";

    fn look(at: &Looked) -> Vec<Self> {
        let of_criterion = |criterion: Criterion| {
            opposite_signs(at.plausible, criterion).map(|(a, b, place)| OppositeSigns {
                criterion: criterion.name().into(),
                first: a.differences[place],
                second: b.differences[place],
                words: format!("{} and {}", a.words(), b.words()),
            })
        };
        Criterion::ALL.into_iter().filter_map(of_criterion).collect()
    }

    fn message(&self) -> String {
        format!(
            "In {} two explanations of this table, {}, put the same difference at {:+.3} and {:+.3}.",
            self.criterion.replace('_', " "),
            self.words,
            self.first,
            self.second
        )
    }
}
