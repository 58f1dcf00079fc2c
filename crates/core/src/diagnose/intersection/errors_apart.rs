use crate::diagnose::{Diagnosis, Severity, finding};

finding! {
    /// # What it means
    /// Rates of two attributes at once multiply what the proxies of one say with what those of the other say. That is right if the two
    ///   sets of proxies err independently inside every pair of groups and decision.
    /// # Why it matters
    /// A first name that tells both sex and origin errs about both at once: the rates of the pairs are then mixed, and nothing in the
    ///   table shows it. The rates of each attribute alone do not need this.
    /// # What to do
    /// Use proxies of the two attributes that are made from different things. Label a few rows with both groups and compare.
    struct ErrorsApart {
        first: String,
        second: String,
    }
}

impl Diagnosis<[String; 2]> for ErrorsApart {
    const CODE: &'static str = "P20";
    const TITLE: &'static str = "proxies of the two attributes are taken to err independently";
    const ADVICE: &'static str = "Use proxies of the two attributes that are made from different things.";
    const SEVERITY: Severity = Severity::Warning;

    fn look([first, second]: &[String; 2]) -> Option<Self> {
        Some(ErrorsApart { first: first.clone(), second: second.clone() })
    }

    fn message(&self) -> String {
        format!(
            "Rates by {} and {} at once hold if the proxies of one err independently of those of the other. The table cannot show that.",
            self.first, self.second
        )
    }
}
