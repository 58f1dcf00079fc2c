use crate::diagnose::{Diagnosis, Looked, Severity, finding};
use crate::record::Test;

finding! {
    /// # What it means
    /// How much of what calibration assumes a stratum of this shape could contradict. With two groups and three proxies it is
    ///   nothing: three error rates always explain three kinds of agreement, and a test of the fit (`fit` among the tests) sees
    ///   only what strata do not share. More proxies or more groups leave degrees of freedom; where they were tested this
    ///   finding is not raised.
    /// # Why it matters
    /// A model that fits need not be right. Proxies that repeat each other and proxies that are simply good can produce the
    ///   same table, and no number of rows can tell them apart.
    /// # What to do
    /// Choose proxies by source, state the share of agreement that may be shared error, and label a few rows if the answer
    ///   matters.
    struct NotTestable {
        degrees_of_freedom_alike: usize,
        degrees_of_freedom_own: usize,
    } with {
        groups: usize,
        proxies: usize,
    }
}

impl NotTestable {
    /// Patterns that the proxies can give, less what the model can choose: in any order for one matrix, else in order.
    fn of(groups: usize, proxies: usize) -> Self {
        let (m, c) = (groups as u128, proxies as u128);
        let ways = (1..m).fold(1u128, |ways, i| ways.saturating_mul(c + i) / i);
        let alike = (ways - 1).saturating_sub(m * m - 1);
        let patterns = m.saturating_pow(proxies as u32);
        let own = (patterns - 1).saturating_sub(c * m * (m - 1) + m - 1);
        let shown = |n: u128| usize::try_from(n).unwrap_or(usize::MAX);
        NotTestable {
            degrees_of_freedom_alike: shown(alike),
            degrees_of_freedom_own: shown(own),
            groups,
            proxies,
        }
    }
}

impl Diagnosis<Looked<'_>> for NotTestable {
    const CODE: &'static str = "P08";
    const TITLE: &'static str = "what this table cannot show";
    const ADVICE: &'static str =
        "Only rows whose group is known show how the proxies err together: label a few ({audit_labels}).";
    const SEVERITY: Severity = Severity::Info;

    fn look(at: &Looked) -> Option<Self> {
        let (groups, proxies) = (at.legend().groups.len(), at.legend().proxies.len());
        let tested = at.tests.iter().any(|test| test.test == Test::Fit);
        let found = NotTestable::of(groups, proxies);
        let open = found.degrees_of_freedom_own == 0 || !tested;
        (proxies > 1 && open && at.rests_on_agreement()).then_some(found)
    }

    fn message(&self) -> String {
        match (self.degrees_of_freedom_alike, self.degrees_of_freedom_own) {
            (0, 0) => format!(
                "With {} groups and {} proxies, any table fits independent errors: a good fit says nothing about independence.",
                self.groups, self.proxies
            ),
            (alike, own) => format!(
                "With {} groups and {} proxies a table can contradict independent errors in {alike} (one matrix for all) or {own} \
                 (one for each) independent ways. A table that does not contradict them does not prove them.",
                self.groups, self.proxies
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_of_freedom_are_those_counted_by_hand() {
        let freedom = |groups, proxies| {
            let found = NotTestable::of(groups, proxies);
            (found.degrees_of_freedom_alike, found.degrees_of_freedom_own)
        };
        assert_eq!([freedom(2, 3), freedom(2, 4), freedom(3, 3)], [(0, 0), (1, 6), (1, 6)]);
    }
}
