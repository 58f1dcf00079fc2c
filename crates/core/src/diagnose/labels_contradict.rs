use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/N09.md")]
pub(super) struct LabelsContradict {
    pub group: String,
    pub right: f64,
    pub by_chance: f64,
}

impl Diagnosis for LabelsContradict {
    const CODE: &'static str = "N09";
    const TITLE: &'static str = "known groups contradict the proxies";

    fn severity(&self) -> Severity {
        Severity::Serious
    }

    fn message(&self) -> String {
        format!(
            "People labelled {} are guessed so in {:.0} % of guesses, no more often than other people ({:.0} %).",
            self.group,
            100.0 * self.right,
            100.0 * self.by_chance
        )
    }

    fn advice(&self) -> String {
        "Check that the labels mean the same groups as the guesses, and that columns were not swapped.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("group", self.group.as_str().into()),
            ("right", self.right.into()),
            ("by_chance", self.by_chance.into()),
        ]
    }
}
