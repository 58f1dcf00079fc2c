use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/M07.md")]
pub(crate) struct StandIns {
    pub explained: f64,
}

impl Diagnosis for StandIns {
    const CODE: &'static str = "M07";
    const TITLE: &'static str = "features stand in for the group";

    fn severity(&self) -> Severity {
        Severity::Info
    }

    fn message(&self) -> String {
        format!(
            "The rule looks at no group and no proxy, but it weighs features by how they go with the proxies' guesses; they \
             explain {:.1} % of how the weights of people differ. Whether that is allowed is a question of law, not of statistics.",
            100.0 * self.explained
        )
    }

    fn advice(&self) -> String {
        "Show the rule to whoever answers for it: its JSON lists every feature and its weight.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![("explained", self.explained.into())]
    }
}
