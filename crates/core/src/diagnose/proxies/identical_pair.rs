use crate::diagnose::{Diagnosis, Looked, Severity, finding};

finding! {
    /// # What it means
    /// Two proxies give the same guess on every row: they are one proxy under two names.
    /// # Why it matters
    /// Their agreement is taken as evidence that both are right.
    /// # What to do
    /// Leave one of them out if at least three proxies remain. Otherwise replace it with a proxy from another source, or give
    ///   both the same source, so that they count as one view.
    struct IdenticalPair {
        proxies: [String; 2],
    } with {
        /// So many proxies are left without one of them.
        left: usize,
    }
}

impl Diagnosis<Looked<'_>> for IdenticalPair {
    const CODE: &'static str = "P05";
    const TITLE: &'static str = "two proxies are one";
    const SEVERITY: Severity = Severity::Serious;

    fn look(at: &Looked) -> Vec<Self> {
        let cells = || at.counts.cells().filter(|(_, tally)| tally.weight > 0.0);
        let one = |[i, j]: &[usize; 2]| cells().all(|(cell, _)| cell.guesses[*i] == cell.guesses[*j]);
        // As one view they confirm nothing.
        let proxies = &at.legend().proxies;
        let one_view = |[i, j]: &[usize; 2]| {
            at.relied.by_source() && proxies[*i].source.is_some() && proxies[*i].source == proxies[*j].source
        };
        let left = at.legend().proxies.len() - 1;
        let named = |pair: [usize; 2]| {
            let proxies = pair.map(|i| at.legend().proxies[i].name.clone());
            IdenticalPair { proxies, left }
        };
        at.pairs().filter(one).filter(|pair| !one_view(pair)).map(named).collect()
    }

    fn message(&self) -> String {
        format!("Proxies {} and {} give the same guess on every row.", self.proxies[0], self.proxies[1])
    }

    fn advice(&self) -> String {
        let [first, second] = &self.proxies;
        let what = match self.left {
            // Fewer than three proxies are no longer compared.
            0..3 => format!("Replace {second} with a proxy built from other data"),
            _ => format!("Leave out {second}"),
        };
        format!(
            "{what}. Until then each confirms the other's mistakes, and the calibrated number trusts {first} too much."
        )
    }
}
