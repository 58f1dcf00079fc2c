use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/D06.md")]
pub(super) struct SmallGroup {
    pub group: String,
    pub rows: f64,
}

/// With fewer people a rate moves by several points if one of them is decided otherwise.
pub(super) const FEW: f64 = 50.0;

impl Diagnosis for SmallGroup {
    const CODE: &'static str = "D06";
    const TITLE: &'static str = "a group is small";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!(
            "Group {} comes out as about {:.0} of the rows, and a few people decide its rates.",
            self.group, self.rows
        )
    }

    fn advice(&self) -> String {
        "Merge it with another group, or leave its gap out of the headline.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![("group", self.group.as_str().into()), ("rows", self.rows.into())]
    }
}
