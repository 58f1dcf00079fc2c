use super::{Diagnosis, Evidence, Severity};
use crate::uncertainty::effective::EffectiveRows;

#[doc = include_str!("texts/U02.md")]
pub(super) struct SharedPeople {
    pub rows: f64,
    pub effective: EffectiveRows,
}

impl Diagnosis for SharedPeople {
    const CODE: &'static str = "U02";
    const TITLE: &'static str = "rows tell less than as many independent ones";

    fn severity(&self) -> Severity {
        Severity::Info
    }

    fn message(&self) -> String {
        let EffectiveRows { calibrated, sharing, noise, bounded, .. } = self.effective;
        let mut why = Vec::new();
        if sharing > 1.0 {
            why.push(format!("neighbours are shared between rows (variance times {sharing:.2})"));
        }
        if noise > 1.0 {
            why.push(format!("noise was added to the tally (variance times {noise:.2})"));
        }
        let bound = match bounded {
            true => {
                " How much exactly can not be told here: for neighbours a number on the safe side is used, for noise an \
                 approximation."
            }
            false => "",
        };
        format!(
            "For calibrated gaps {:.0} rows are worth {calibrated:.0}, because {}; intervals are wider by that.{bound}",
            self.rows,
            why.join(" and ")
        )
    }

    fn advice(&self) -> String {
        "Nothing to do: the intervals know it. More rows help as usual.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("rows", self.rows.into()),
            ("effective_rows", self.effective.calibrated.into()),
            ("by_sharing", self.effective.sharing.into()),
            ("by_noise", self.effective.noise.into()),
        ]
    }
}
