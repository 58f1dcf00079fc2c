//! What is asked about two attributes at once.

use super::{ScoreArgs, TableArgs};
use crate::places::Forms;
use anyhow::bail;
use clap::Args;
use fairveil_core::Settings;
use fairveil_ingest::Columns;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct IntersectArgs {
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub score: ScoreArgs,
    /// An attribute and its proxies, race=surname,zip,bisg; give two of them.
    #[arg(long, value_name = "NAME=COLUMN,…", help_heading = "Columns")]
    pub attribute: Vec<String>,

    /// The group of each attribute that others stand beside, such as white,male [default: the largest pair].
    #[arg(long, value_name = "GROUP,GROUP", help_heading = "Settings")]
    pub reference: Option<String>,
    /// How often all intervals should hold at once.
    #[arg(long, value_name = "SHARE", default_value_t = 0.95, help_heading = "Settings")]
    pub confidence: f64,
    /// The share of the proxies' agreement that may be shared error in honest intervals, from 0 to below 1.
    #[arg(long, value_name = "R", default_value_t = 0.5, help_heading = "Settings")]
    pub shared_error: f64,
    /// Seed of the draws: the same seed, the same digits.
    #[arg(long, default_value_t = 0, help_heading = "Settings")]
    pub seed: u64,

    /// Writes the rates as JSON; with - only JSON goes to standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// Writes them as one HTML page that needs nothing else.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,
    /// Writes them as Markdown.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub markdown: Option<PathBuf>,
    /// Writes the plot as an SVG file into a folder, made if absent.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub svg: Option<PathBuf>,
    /// Prints no text.
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}

/// An attribute and its proxies.
pub struct Attribute {
    pub name: String,
    pub proxies: Vec<String>,
}

impl IntersectArgs {
    /// The two attributes.
    pub fn attributes(&self) -> anyhow::Result<[Attribute; 2]> {
        let [first, second] = self.attribute.as_slice() else {
            bail!(
                "{} attributes are named\n  needed: two\n  to do:  give --attribute NAME=COLUMN,… twice",
                self.attribute.len()
            );
        };
        let [first, second] = [attribute(first)?, attribute(second)?];
        if first.name == second.name {
            bail!("both attributes are called {}\n  needed: a name of its own for each", first.name);
        }
        if let Some(common) = first.proxies.iter().find(|proxy| second.proxies.contains(proxy)) {
            bail!(
                "{} and {} have the proxy {common} in common\n  needed: proxies of its own for each, which err independently of the \
                 others'\n  to do:  name it for one of them",
                first.name,
                second.name
            );
        }
        Ok([first, second])
    }

    /// The groups that others stand beside.
    pub fn reference(&self) -> anyhow::Result<Option<[&str; 2]>> {
        let Some(said) = &self.reference else { return Ok(None) };
        match said.split(',').map(str::trim).collect::<Vec<_>>()[..] {
            [first, second] => Ok(Some([first, second])),
            _ => bail!(
                "--reference {said} does not name two groups\n  needed: a group of each attribute, in their order\n  to do:  write GROUP,GROUP"
            ),
        }
    }

    /// The rows by the proxies of one attribute, cut by what those of the other guess, where there are such.
    pub fn columns(&self, proxies: &[String], cut: &[String]) -> Columns {
        Columns {
            proxies: proxies.to_vec(),
            by: cut.to_vec(),
            min_segment: Some(0),
            ..self.score.columns(self.table.columns())
        }
    }

    pub fn settings(&self) -> Settings {
        Settings {
            confidence: self.confidence,
            shared_error: self.shared_error,
            seed: self.seed,
            ..Settings::default()
        }
    }

    /// What is to be written.
    pub fn forms(&self) -> Forms<'_> {
        Forms {
            json: self.json.as_deref(),
            html: self.html.as_deref(),
            markdown: self.markdown.as_deref(),
            svg: self.svg.as_deref(),
            quiet: self.quiet,
            ..Forms::default()
        }
    }
}

fn attribute(said: &str) -> anyhow::Result<Attribute> {
    let parted = said.split_once('=').map(|(name, columns)| {
        let columns = columns.split(',').map(|column| column.trim().to_owned());
        (name.trim(), columns.filter(|column| !column.is_empty()).collect::<Vec<_>>())
    });
    match parted {
        Some((name, proxies)) if !name.is_empty() && !proxies.is_empty() => {
            Ok(Attribute { name: name.to_owned(), proxies })
        }
        _ => bail!(
            "--attribute {said} names no attribute with its proxies\n  needed: a name, = and columns between commas\n  to do:  write it as \
             race=surname,zip"
        ),
    }
}
