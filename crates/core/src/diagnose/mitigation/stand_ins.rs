use super::guess_as_feature::GuessAsFeature;
use super::guesses_in_features::GuessesInFeatures;
use crate::diagnose::{Diagnosis, Severity, finding};
use crate::mitigate::Trial;

finding! {
    /// # What it means
    /// To treat groups more alike without knowing them, the rule leans on features that are related to the group, such as a
    ///   district or a first degree.
    /// # Why it matters
    /// Two people with the same score may be decided differently because of such features. In some places that is what the law
    ///   asks for, in others what it forbids.
    /// # What to do
    /// Read the rule: it is small, and its JSON names every feature with its weight. Leave out features that must not count
    ///   (`{drop=COLUMN}`); what is left can then do less.
    struct StandIns {
        explained: f64,
    }
}

impl Diagnosis<Trial<'_>> for StandIns {
    const CODE: &'static str = "M07";
    const TITLE: &'static str = "features stand in for the group";
    const ADVICE: &'static str =
        "Show the rule to whoever answers for it: its JSON lists every feature and its weight.";
    const SEVERITY: Severity = Severity::Info;

    fn look(at: &Trial) -> Option<Self> {
        // That no proxy is looked at is not to be said where one is among the features.
        let none = GuessesInFeatures::look(at).is_none() && GuessAsFeature::look(at).is_none();
        let parts = at.explained.as_ref().filter(|_| none)?;
        Some(StandIns { explained: parts.iter().map(|part| part.explained).fold(0.0, f64::max) })
    }

    fn message(&self) -> String {
        format!(
            "The rule looks at no group and no proxy, but it weighs features by how they relate to the proxies' guesses; they explain {:.1} % of how the weights of people differ. Whether that is allowed is a question of law, not of statistics.",
            100.0 * self.explained
        )
    }
}
