//! The face of every report, and what each says of where it came from.

use crate::Style;
use fairveil_core::setting::{Dialect, Text};
use serde::Serialize;

/// Something to report, in every form there is: a front end writes an audit, a comparison and a mitigation alike.
pub trait Report {
    /// For a screen: what to know first.
    fn text(&self, style: Style) -> String;
    /// For a screen: all there is to print.
    fn full_text(&self, style: Style) -> String {
        self.text(style)
    }
    /// For machines, ending in a newline.
    fn json(&self) -> Result<String, serde_json::Error>;
    /// The same in lines of which each can be read by itself, where it has parts.
    fn json_lines(&self) -> Result<String, serde_json::Error> {
        self.json()
    }
    /// One page that needs nothing else.
    fn html(&self) -> String;
    /// The answer alone, as a page of one printed sheet, where there is such a thing.
    fn brief(&self) -> Option<String> {
        None
    }
    /// The same in Markdown, without the plots.
    fn markdown(&self) -> String;
    /// The plots of the page, each for a file of its own.
    fn plots(&self) -> Vec<PlotFile>;
}

/// A plot for a file of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlotFile {
    /// The name of the file, such as `agreement.svg`.
    pub name: String,
    /// Its text.
    pub svg: String,
}

/// Where a report comes from, and who asks for it.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// The table's name.
    pub table: &'a str,
    /// The version of fairveil.
    pub version: &'a str,
    /// How it can be made again.
    pub provenance: Provenance<'a>,
    /// How the front end says settings and jobs, where a report names one.
    pub dialect: &'a dyn Dialect,
}

impl About<'_> {
    pub(crate) fn spelled(&self, text: &Text) -> String {
        text.spelled(self.dialect)
    }
}

/// What a page says beside its numbers, so that a reader can make it again. Not in the JSON, which is the same for the same
/// input and settings, whenever and wherever it is made.
#[derive(Debug, Clone, Copy, Default)]
pub struct Provenance<'a> {
    /// The command as typed.
    pub command: Option<&'a str>,
    /// The SHA-256 of the input, in hexadecimal.
    pub sha256: Option<&'a str>,
    /// The date, `YYYY-MM-DD`.
    pub date: Option<&'a str>,
    /// What it is and whose, in the words of who made it.
    pub identity: Identity<'a>,
}

/// What a report is about and whose it is, in the words of who made it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Identity<'a> {
    /// The title, in the place of the table's name.
    pub title: Option<&'a str>,
    /// The model that was audited.
    pub model: Option<&'a str>,
    /// Who made the report.
    pub author: Option<&'a str>,
    /// What it was made for.
    pub purpose: Option<&'a str>,
    /// Anything else a reader should know.
    pub note: Option<&'a str>,
}

impl<'a> Identity<'a> {
    /// What was said, each with its name; the title stands elsewhere.
    pub(crate) fn said(&self) -> Vec<(&'static str, &'a str)> {
        let all =
            [("Model", self.model), ("Author", self.author), ("Purpose", self.purpose), ("Note", self.note)];
        all.into_iter().filter_map(|(name, said)| Some((name, said?))).collect()
    }
}

/// A record under the name of its contract, as JSON that ends in a newline.
pub(crate) fn json(schema: &str, version: &str, record: impl Serialize) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Document<'a, R> {
        schema: &'a str,
        version: &'a str,
        #[serde(flatten)]
        record: R,
    }
    Ok(serde_json::to_string_pretty(&Document { schema, version, record })? + "\n")
}
