use crate::diagnose::{Diagnosis, Looked, Severity, finding};

finding! {
    /// # What it means
    /// Two proxies give the same guess on every row: they are one proxy under two names.
    /// # Why it matters
    /// Their agreement is taken as evidence that both are right.
    /// # What to do
    /// Leave out one of them. If fewer than three remain, look for a proxy from another source.
    struct IdenticalPair {
        proxies: [String; 2],
    }
}

impl Diagnosis<Looked<'_>> for IdenticalPair {
    const CODE: &'static str = "P05";
    const TITLE: &'static str = "two proxies are one";
    const SEVERITY: Severity = Severity::Serious;

    fn look(at: &Looked) -> Vec<Self> {
        let cells = || at.counts.cells().filter(|(_, tally)| tally.weight > 0.0);
        let one = |[i, j]: &[usize; 2]| cells().all(|(cell, _)| cell.guesses[*i] == cell.guesses[*j]);
        let named =
            |pair: [usize; 2]| IdenticalPair { proxies: pair.map(|i| at.legend().proxies[i].name.clone()) };
        at.pairs().filter(one).map(named).collect()
    }

    fn message(&self) -> String {
        format!("Proxies {} and {} give the same guess on every row.", self.proxies[0], self.proxies[1])
    }

    fn advice(&self) -> String {
        format!(
            "Leave out one of them. As it stands each confirms the other's mistakes, and the calibrated number trusts \
             {} too much.",
            self.proxies[0]
        )
    }
}
