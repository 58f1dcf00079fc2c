//! The report of a mitigation: what a rule with a smaller gap gains and costs on rows it was not fitted on. No number is made
//! here: every one is of the [`MitigationRecord`].

mod criteria;
mod markdown;
mod page;
mod plots;
mod text;
mod words;

use crate::plot::Plot;
use crate::report::json;
use crate::{About, PlotFile, Report, Style};
use fairveil_core::mitigate::MitigationRecord;
use plots::MitigationPlots;
use serde::Serialize;

/// A rule with a smaller gap, before and after.
#[derive(Debug, Clone, Copy)]
pub struct MitigationReport<'a> {
    /// The mitigation.
    pub record: &'a MitigationRecord,
    /// Where it comes from.
    pub about: About<'a>,
}

impl MitigationReport<'_> {
    /// The contract that the JSON keeps.
    pub const SCHEMA: &'static str = "fairveil.mitigation/1";
}

impl Report for MitigationReport<'_> {
    fn text(&self, style: Style) -> String {
        style.finish(&text::text(self.record, &self.about))
    }

    fn json(&self) -> Result<String, serde_json::Error> {
        #[derive(Serialize)]
        struct Named<'a> {
            table: &'a str,
            #[serde(flatten)]
            record: &'a MitigationRecord,
        }
        json(Self::SCHEMA, self.about.version, Named { table: self.about.table, record: self.record })
    }

    fn html(&self) -> String {
        page::html(self.record, &self.about)
    }

    fn markdown(&self) -> String {
        markdown::markdown(self.record, &self.about)
    }

    fn plots(&self) -> Vec<PlotFile> {
        MitigationPlots::of(self.record).all().map(Plot::file).collect()
    }
}
