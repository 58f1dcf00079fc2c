use crate::diagnose::{Diagnosis, Looked, Severity, finding};

finding! {
    /// # What it means
    /// The calibrated numbers rest on requirement 4.3 of the paper: within a true group, the proxies err independently and with
    ///   the same probabilities.
    /// # Why it matters
    /// Shared mistakes look like skill. If proxies repeat each other's errors, their noise is underestimated and the calibrated
    ///   gap stays too close to the proxies' own. On the paper's COMPAS data, where all three proxies read the same name, exact
    ///   calibration finds about three quarters of the true gap. With up to three proxies and two groups, no test without known
    ///   groups can show it: the model fits any such table perfectly.
    /// # What to do
    /// Choose proxies by source: surname, first name, address and language come from different data. Say which sources were
    ///   used. Report the interval that allows for shared error too: it says what the gap would be if a stated share of the
    ///   proxies' agreement were shared error.
    struct IndependenceAssumed {
        proxies: Vec<String>,
    } with {
        testable: bool,
    }
}

impl Diagnosis<Looked<'_>> for IndependenceAssumed {
    const CODE: &'static str = "P02";
    const TITLE: &'static str = "independent errors are assumed, not shown";
    const ADVICE: &'static str = "Use proxies built from different sources (a name and an address, not two models of the same name) and say so \
         beside the number. If errors are shared, the true gap is usually larger than the calibrated one.";
    const SEVERITY: Severity = Severity::Info;

    fn look(at: &Looked) -> Option<Self> {
        let proxies: Vec<String> = at.legend().proxies.iter().map(|proxy| proxy.name.clone()).collect();
        let testable = proxies.len() > 3 || at.legend().groups.len() > 2;
        at.rests_on_agreement().then_some(IndependenceAssumed { proxies, testable })
    }

    fn message(&self) -> String {
        if self.testable {
            return "The calibrated numbers hold if, within each group, the proxies err independently and equally often. That is \
                    assumed here, not tested."
                .into();
        }
        let proxies = match self.proxies.len() {
            1 => "one proxy".to_owned(),
            2 => "two proxies".to_owned(),
            _ => "three proxies".to_owned(),
        };
        format!(
            "The calibrated numbers hold if the proxies err independently within each group. With {proxies} and two groups, only \
             rows whose group is known can show whether they do."
        )
    }
}
