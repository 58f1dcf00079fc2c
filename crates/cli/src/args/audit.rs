//! What is asked of an audit or a comparison, and where it is written.

use super::value::{estimator_choice, one_of, or_auto, within};
use super::{FeatureArgs, NameArgs, OutcomeArgs, ScoreArgs, TableArgs};
use crate::dialect::Flags;
use crate::given;
use crate::intake::Source;
use crate::places::Forms;
use anyhow::Context;
use clap::Args;
use fairveil_core::bounds::MaxProxyError;
use fairveil_core::gate::Gate;
use fairveil_core::setting::{Dialect, Setting, visible};
use fairveil_core::vocabulary::Legend;
use fairveil_core::{
    Criterion, Estimator, EstimatorChoice, Scope, ScopeChoice, SelectedIs, Settings, UnknownName,
};
use fairveil_ingest::Columns;
use fairveil_report::Identity;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct AuditArgs {
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub score: ScoreArgs,
    #[command(flatten)]
    pub outcome: OutcomeArgs,
    /// A table of another population with the same proxies and the column named by --audit-labels: it shows how the proxies err, but nothing about these decisions.
    #[arg(long, value_name = "FILE", requires = "audit_labels", help_heading = "Columns")]
    pub audit_table: Option<PathBuf>,

    #[command(flatten)]
    pub names: NameArgs,
    /// With a tally: what names and places say about its rows, as written by `fairveil count --evidence`; repeatable, for tallies of parts.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["first_name", "surname", "zip"], help_heading = "Names")]
    pub evidence: Vec<PathBuf>,
    /// Column to control for: names are used as evidence only within its values, such as age in bands; repeatable.
    #[arg(long, value_name = "COLUMN", help_heading = "Names")]
    pub control: Vec<String>,

    #[command(flatten)]
    pub near: FeatureArgs,
    /// Each row keeps a random three of its own and borrowed guesses, as in the paper, instead of all: the seed.
    #[arg(long, value_name = "SEED", requires = "features", help_heading = "Neighbors")]
    pub triple_seed: Option<u64>,

    /// What to measure; repeatable [default: all that the columns allow].
    #[arg(long, value_name = "CRITERION", value_parser = one_of::<Criterion>(Criterion::ALL.map(Criterion::name)), help_heading = "Settings")]
    pub criterion: Vec<Criterion>,
    /// How to learn the proxies' error. If you name one and it gives no number, that is an error (exit 2).
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = estimator_choice(), help_heading = "Settings")]
    pub estimator: EstimatorChoice,
    /// The proxies' error rates from elsewhere: a JSON file with a `transition` matrix, or what --json wrote.
    #[arg(long, value_name = "FILE", help_heading = "Settings")]
    pub given: Option<PathBuf>,
    /// How proxies were randomised before: a file that `fairveil privatize` wrote. What it states is undone, not estimated; repeatable, one for each file of columns.
    #[arg(long, value_name = "FILE", help_heading = "Settings")]
    pub mechanism: Vec<PathBuf>,
    /// With one --proxy-probs: the shares of the groups among the people for whom its probabilities were made, such as
    /// white=0.62,black=0.13 for the nation; one may be left out [default: they were made for these people].
    #[arg(
        long,
        value_name = "GROUP=SHARE,…",
        value_delimiter = ',',
        requires = "proxy_probs",
        help_heading = "Settings"
    )]
    pub population: Vec<String>,
    /// Shares of the groups known from elsewhere, such as black=0.51: bounds that need no belief in the proxies.
    #[arg(long, value_name = "GROUP=SHARE,…", value_delimiter = ',', help_heading = "Settings")]
    pub known_shares: Vec<String>,
    /// At most this share of a proxy's guesses is wrong, of one proxy or of all; needs --known-shares; repeatable.
    #[arg(long, value_name = "[PROXY=]SHARE", requires = "known_shares", value_parser = proxy_error, help_heading = "Settings")]
    pub max_proxy_error: Vec<MaxProxyError>,
    /// The group that others stand beside in ratios, differences and shortfalls [default: the largest].
    #[arg(long, value_name = "GROUP", help_heading = "Settings")]
    pub reference: Option<String>,
    /// Which calibrated number to recommend; both are always printed.
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = one_of::<ScopeChoice>(or_auto(Scope::ALL.map(Scope::name))), help_heading = "Settings")]
    pub scope: ScopeChoice,

    /// How often an interval should hold the truth, above 0.5 and below 1.
    #[arg(long, value_name = "SHARE", default_value_t = 0.95, help_heading = "Settings")]
    pub confidence: f64,
    /// The share of the proxies' agreement that may be shared error in honest intervals, from 0 to below 1.
    #[arg(long, value_name = "R", default_value_t = 0.5, help_heading = "Settings")]
    pub shared_error: f64,
    /// In honest intervals: how much more often a group may be guessed among selected people of the same true group, from 0 to 0.5.
    #[arg(long, value_name = "DELTA", default_value_t = 0.0, help_heading = "Settings")]
    pub max_shift: f64,
    /// Draws behind intervals, at least 100; 0 for no intervals.
    #[arg(long, value_name = "N", default_value_t = 2000, help_heading = "Settings")]
    pub n_boot: usize,
    /// Seed of the draws: the same seed, the same digits.
    #[arg(long, default_value_t = 0, help_heading = "Settings")]
    pub seed: u64,

    /// Exit 1 if the whole honest interval of a criterion's largest gap lies above this value, 3 if the value lies inside it; repeatable.
    #[arg(long, value_name = "CRITERION=VALUE", value_parser = gate, help_heading = "Output")]
    pub fail_above: Vec<Gate>,
    /// Exit 1 if a group's whole interval of a ratio of selection rates, shared error included, lies below a value, 3 if the value
    /// lies inside one: adverse_impact_ratio (to the reference group) or impact_ratio (to the most selected); repeatable.
    #[arg(long, value_name = "RATIO=VALUE", value_parser = floor, help_heading = "Output")]
    pub fail_below: Vec<Gate>,
    /// Writes the audit as JSON; with - only JSON goes to standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// Writes everything as lines of JSON: one for all rows, then one for each segment.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub jsonl: Option<PathBuf>,
    /// Writes the audit, or the comparison, as one HTML page that needs nothing else.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,
    /// Writes the audit, or the comparison, as Markdown.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub markdown: Option<PathBuf>,
    /// Writes each plot of the page as an SVG file into a folder, made if absent.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub svg: Option<PathBuf>,
    /// The date on the page and in Markdown, YYYY-MM-DD [default: today].
    #[arg(long, value_name = "DATE", value_parser = crate::provenance::date, help_heading = "Output")]
    pub date: Option<String>,
    /// Writes the answer alone as one HTML page that prints on one sheet.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub brief: Option<PathBuf>,
    /// Prints every number, table and finding; without it, one screen.
    #[arg(long, visible_alias = "verbose", help_heading = "Output")]
    pub full: bool,
    /// Prints no text.
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
    /// What being selected means to a person: words and colours follow it, no number does [default: neither is assumed].
    #[arg(long, value_name = "MEANING", value_parser = one_of::<SelectedIs>(SelectedIs::ALL.map(SelectedIs::name)), help_heading = "Output")]
    pub selected_is: Option<SelectedIs>,

    #[command(flatten)]
    pub identity: IdentityArgs,
}

/// What a page is about and whose it is.
#[derive(Debug, Default, Args)]
pub struct IdentityArgs {
    /// The title of the page and of Markdown [default: the name of the table].
    #[arg(long, value_name = "TEXT", help_heading = "Page")]
    pub title: Option<String>,
    /// The model that was audited, for the page.
    #[arg(long, value_name = "TEXT", help_heading = "Page")]
    pub model: Option<String>,
    /// Who made the page.
    #[arg(long, value_name = "TEXT", help_heading = "Page")]
    pub author: Option<String>,
    /// What the page was made for.
    #[arg(long, value_name = "TEXT", help_heading = "Page")]
    pub purpose: Option<String>,
    /// Anything else a reader of the page should know.
    #[arg(long, value_name = "TEXT", help_heading = "Page")]
    pub note: Option<String>,
    /// Shows files with their folders; without it, by their names.
    #[arg(long, help_heading = "Page")]
    pub full_paths: bool,
}

impl IdentityArgs {
    pub fn identity(&self) -> Identity<'_> {
        Identity {
            title: self.title.as_deref(),
            model: self.model.as_deref(),
            author: self.author.as_deref(),
            purpose: self.purpose.as_deref(),
            note: self.note.as_deref(),
        }
    }
}

impl AuditArgs {
    /// What was said about the columns. With a table of another population, the known groups are there.
    pub fn columns(&self) -> Columns {
        let audit_labels = self.table.audit_labels.clone().filter(|_| self.audit_table.is_none());
        Columns { audit_labels, ..self.table.columns() }
    }

    /// The shares among the people for whom probabilities were made.
    pub fn population(&self) -> anyhow::Result<Vec<(String, f64)>> {
        shares(Setting::Population, &self.population)
    }

    /// What is asked of the audit, in the words of its table.
    pub fn settings_of(&self, legend: &Legend) -> anyhow::Result<Settings> {
        Ok(Settings {
            criteria: self.criterion.clone(),
            estimator: self.estimator,
            given: self.given.as_deref().map(|path| given::read(path, legend)).transpose()?,
            known_shares: match &shares(Setting::KnownShares, &self.known_shares)?[..] {
                [] => None,
                said => Some(Settings::shares_by_name(Setting::KnownShares, said, &legend.groups)?),
            },
            max_proxy_error: self.max_proxy_error.clone(),
            reference: self.reference.clone(),
            scope: self.scope,
            confidence: self.confidence,
            shared_error: self.shared_error,
            max_shift: self.max_shift,
            n_boot: self.n_boot,
            seed: self.seed,
            selected_is: self.selected_is,
        })
    }

    /// Whether the table is read a second time for it.
    pub fn confident_joint(&self) -> bool {
        self.estimator.fixed() == Some(Estimator::ConfidentJoint)
    }

    /// What is to be written.
    pub fn forms(&self) -> Forms<'_> {
        Forms {
            json: self.json.as_deref(),
            jsonl: self.jsonl.as_deref(),
            html: self.html.as_deref(),
            markdown: self.markdown.as_deref(),
            svg: self.svg.as_deref(),
            brief: self.brief.as_deref(),
            full: self.full,
            quiet: self.quiet,
            beside: None,
        }
    }

    /// Files that are read, and must not be written over.
    pub fn inputs(&self, source: &Source) -> Vec<PathBuf> {
        let others = [self.audit_table.as_deref(), self.given.as_deref(), self.near.array()];
        let others = others.into_iter().flatten().map(Path::to_owned).chain(self.names.files());
        let stated = self.mechanism.iter().chain(&self.evidence).cloned();
        source.files().iter().cloned().chain(others).chain(stated).collect()
    }
}

/// Shares by the names of groups, as a flag gives them.
fn shares(setting: Setting, stated: &[String]) -> anyhow::Result<Vec<(String, f64)>> {
    let flag = Flags.setting(setting, None);
    let parse = |said: &String| {
        // As names of the table are.
        let said = visible(said);
        let (name, share) = said.rsplit_once('=').with_context(|| {
            format!("{flag} holds `{said}`\n  needed: GROUP=SHARE, such as a=0.62\n  to do:  correct {flag}")
        })?;
        let share: f64 = share.trim().parse().ok().with_context(|| {
            format!("{flag} gives {name} the share `{share}`\n  needed: a number from 0 to 1\n  to do:  correct {flag}")
        })?;
        anyhow::Ok((name.trim().to_owned(), share))
    };
    stated.iter().map(parse).collect()
}

fn proxy_error(text: &str) -> Result<MaxProxyError, String> {
    match text.rsplit_once('=') {
        Some((proxy, share)) => Ok(MaxProxyError::of(proxy, within(share, 0.0, 1.0)?)),
        None => Ok(MaxProxyError::of_all(within(text, 0.0, 1.0)?)),
    }
}

fn gate(text: &str) -> Result<Gate, String> {
    let (name, value) =
        text.split_once('=').ok_or("CRITERION=VALUE is needed, such as demographic_parity=0.1")?;
    let criterion = Criterion::ALL.into_iter().find(|criterion| criterion.name() == name);
    let names = Criterion::ALL.map(Criterion::name).join(", ");
    let criterion = criterion.ok_or_else(|| format!("`{name}` is not one of {names}"))?;
    Ok(Gate::Above { criterion, value: within(value, 0.0, 1.0)? })
}

fn floor(text: &str) -> Result<Gate, String> {
    let (name, value) =
        text.split_once('=').ok_or("RATIO=VALUE is needed, such as adverse_impact_ratio=0.8")?;
    let ratio = name.parse().map_err(|error: UnknownName| error.to_string())?;
    Ok(Gate::Below { ratio, value: within(value, 0.0, 1.0)? })
}
