//! The report of a gap by period. The schema of its JSON is published in `docs/schema/`.

mod page;
mod plot;
mod text;
mod words;

use crate::report::json;
use crate::{About, PlotFile, Report, Style};
use fairveil_core::Monitor;
use serde::Serialize;
pub(crate) use words::cells;

/// The gap by period.
#[derive(Debug, Clone, Copy)]
pub struct MonitorReport<'a> {
    /// The series.
    pub monitor: &'a Monitor,
    /// How long a period is.
    pub every: &'a str,
    /// What is said of periods of few rows, which are not shown.
    pub left_out: Option<&'a str>,
    /// Where it comes from.
    pub about: About<'a>,
}

impl MonitorReport<'_> {
    /// The contract that the JSON keeps.
    pub const SCHEMA: &'static str = "fairveil.monitor/1";
}

impl Report for MonitorReport<'_> {
    fn text(&self, style: Style) -> String {
        style.finish(&text::text(self))
    }

    fn json(&self) -> Result<String, serde_json::Error> {
        #[derive(Serialize)]
        struct Told<'a> {
            every: &'a str,
            left_out: Option<&'a str>,
            #[serde(flatten)]
            monitor: &'a Monitor,
        }
        let MonitorReport { monitor, every, left_out, about } = *self;
        json(Self::SCHEMA, about.version, Told { every, left_out, monitor })
    }

    fn html(&self) -> String {
        page::html(self)
    }

    fn markdown(&self) -> String {
        page::markdown(self)
    }

    fn plots(&self) -> Vec<PlotFile> {
        plot::plots(self).iter().map(crate::plot::Plot::file).collect()
    }
}
