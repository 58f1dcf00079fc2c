//! The report of several models, side by side.

mod markdown;
mod page;
mod plots;
mod text;
mod words;

use crate::report::json;
use crate::{About, PlotFile, Report, Style};
use fairveil_core::Comparison;

/// Several models side by side.
#[derive(Debug, Clone, Copy)]
pub struct ComparisonReport<'a> {
    /// The comparison.
    pub comparison: &'a Comparison,
    /// Where it comes from.
    pub about: About<'a>,
}

impl ComparisonReport<'_> {
    /// The contract that the JSON keeps.
    pub const SCHEMA: &'static str = "fairveil.compare/1";
}

impl Report for ComparisonReport<'_> {
    fn text(&self, style: Style) -> String {
        style.finish(&text::text(self.comparison, &self.about))
    }

    fn json(&self) -> Result<String, serde_json::Error> {
        json(Self::SCHEMA, self.about.version, self.comparison)
    }

    fn html(&self) -> String {
        page::html(self.comparison, &self.about)
    }

    fn markdown(&self) -> String {
        markdown::markdown(self.comparison, &self.about)
    }

    /// None: the plots of each model are those of its audit.
    fn plots(&self) -> Vec<PlotFile> {
        Vec::new()
    }
}
