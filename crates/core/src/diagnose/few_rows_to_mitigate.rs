use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/M03.md")]
pub(crate) struct FewRowsToMitigate {
    pub error: f64,
    pub gap: f64,
    pub rows: f64,
    pub needed: Option<f64>,
}

fn wanted(rows: Option<f64>) -> String {
    match rows {
        Some(rows) => format!(" About {rows:.0} rows like these would tell it to half of the gap (95 %)."),
        None => String::new(),
    }
}

impl Diagnosis for FewRowsToMitigate {
    const CODE: &'static str = "M03";
    const TITLE: &'static str = "few rows for these proxies";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!(
            "On {:.0} rows the proxies tell the gap to about ± {:.3} (one standard error), and the gap is {:.3}. What chance \
             adds to it the rule can not remove: expect a true gap of that size to stay or to appear.{}",
            self.rows,
            self.error,
            self.gap,
            wanted(self.needed)
        )
    }

    fn advice(&self) -> String {
        "Bring more rows, or proxies that err less; or a few rows with known groups (fairveil plan tells how many).".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("standard_error", self.error.into()),
            ("gap", self.gap.into()),
            ("rows", self.rows.into()),
            ("rows_needed", self.needed.map_or(Evidence::Nothing, Evidence::from)),
        ]
    }
}
