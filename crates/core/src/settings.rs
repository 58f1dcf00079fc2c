//! What is asked of an audit, and why it may be refused.

use crate::bounds::MaxProxyError;
use crate::counts::NameRows;
use crate::estimate::Given;
use crate::named::Choice;
use crate::record::{Audit, SettingsRecord};
use crate::setting::{Refusal, Refuses, Setting};
use crate::vocabulary::{Criterion, Estimator, Scope, SelectedIs};
use crate::{shows_refusal, text};

/// Which noise estimator to use: the best that the table allows (where none works, the audit says why and reports the
/// rest), or one whose failure is an error.
pub type EstimatorChoice = Choice<Estimator>;

/// Which scope to recommend.
pub type ScopeChoice = Choice<Scope>;

/// The most groups that are told apart: moments grow with their third power, and the time to solve them faster.
pub const MOST_GROUPS: usize = 32;
/// The most proxies of an audit: its time grows much faster than their number.
pub const MOST_PROXIES: usize = 64;

/// What is asked of an audit.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Criteria to measure; empty means all that the table allows.
    pub criteria: Vec<Criterion>,
    /// Which noise estimator to use.
    pub estimator: EstimatorChoice,
    /// Error rates from elsewhere.
    pub given: Option<Given>,
    /// The shares of the groups, in their order, where they are known from elsewhere.
    pub known_shares: Option<Vec<f64>>,
    /// How often proxies are wrong at most, where that is known from elsewhere.
    pub max_proxy_error: Vec<MaxProxyError>,
    /// The group that others stand beside in measures by name; the largest where nothing is said.
    pub reference: Option<String>,
    /// Which scope to recommend. Both are always computed.
    pub scope: ScopeChoice,
    /// How often an interval should hold what it is about.
    pub confidence: f64,
    /// The share of the proxies' agreement that may be shared error in honest intervals (`r`).
    pub shared_error: f64,
    /// Inside every group, guesses may shift with the decision by this much in honest intervals (`δ`).
    pub max_shift: f64,
    /// Draws behind intervals; 0 for no intervals.
    pub n_boot: usize,
    /// Seed of the draws.
    pub seed: u64,
    /// What being selected means to a person, where that was said. No number depends on it.
    pub selected_is: Option<SelectedIs>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            criteria: Vec::new(),
            estimator: EstimatorChoice::Auto,
            given: None,
            known_shares: None,
            max_proxy_error: Vec::new(),
            reference: None,
            scope: ScopeChoice::Auto,
            confidence: 0.95,
            shared_error: 0.5,
            max_shift: 0.0,
            n_boot: 2000,
            seed: 0,
            selected_is: None,
        }
    }
}

impl Settings {
    /// Shares in the order of the groups, from those that a setting gave by name. One may be left out: it is the rest.
    ///
    /// ```
    /// # use fairveil_core::Settings;
    /// use fairveil_core::setting::Setting::KnownShares;
    /// let groups = ["a".to_owned(), "b".to_owned()];
    /// assert_eq!(Settings::shares_by_name(KnownShares, &[("b".into(), 0.25)], &groups), Ok(vec![0.75, 0.25]));
    /// assert!(Settings::shares_by_name(KnownShares, &[("c".into(), 0.25)], &groups).is_err());
    /// ```
    pub fn shares_by_name(
        setting: Setting,
        said: &[(String, f64)],
        groups: &[String],
    ) -> Result<Vec<f64>, AuditError> {
        let refused = |problem| AuditError::ShareOf { setting, problem, groups: groups.to_vec() };
        let mut shares: Vec<Option<f64>> = vec![None; groups.len()];
        for (name, share) in said {
            let place = groups.iter().position(|group| group == name);
            let place =
                place.ok_or_else(|| refused(format!("names the group `{name}`, which no proxy guesses")))?;
            if !(0.0..=1.0).contains(share) {
                return Err(refused(format!(
                    "gives {name} the share {share}, and needs a number from 0 to 1"
                )));
            }
            if shares[place].replace(*share).is_some() {
                return Err(refused(format!("names {name} twice")));
            }
        }
        if shares.iter().filter(|share| share.is_none()).count() > 1 {
            return Err(refused("leaves out several groups".into()));
        }
        let known: f64 = shares.iter().flatten().sum();
        Ok(shares.into_iter().map(|share| share.unwrap_or(1.0 - known)).collect())
    }

    /// The same for parts of an audited table: groups stand beside the same reference in all of them.
    pub fn beside(&self, whole: &Audit) -> Settings {
        Settings { reference: whole.settings.reference.clone(), ..self.clone() }
    }

    pub(crate) fn check(&self) -> Result<(), AuditError> {
        let within = |setting, needed, value: f64, is: bool| {
            if is { Ok(()) } else { Err(AuditError::Setting { setting, value, needed }) }
        };
        let confidence = self.confidence > 0.5 && self.confidence < 1.0;
        within(Setting::Confidence, "above 0.5 and below 1", self.confidence, confidence)?;
        let shared = (0.0..1.0).contains(&self.shared_error);
        within(Setting::SharedError, "from 0 to below 1", self.shared_error, shared)?;
        let shift = (0.0..=0.5).contains(&self.max_shift);
        within(Setting::MaxShift, "from 0 to 0.5", self.max_shift, shift)?;
        for MaxProxyError { share, .. } in &self.max_proxy_error {
            within(Setting::MaxProxyError, "from 0 to 1", *share, (0.0..=1.0).contains(share))?;
        }
        let draws = self.n_boot == 0 || (100..=1_000_000).contains(&self.n_boot);
        within(Setting::NBoot, "0, or from 100 to 1,000,000", self.n_boot as f64, draws)
    }

    pub(crate) fn record(&self, criteria: Vec<Criterion>, reference: Option<String>) -> SettingsRecord {
        SettingsRecord {
            criteria,
            estimator: self.estimator,
            scope: self.scope,
            known_shares: self.known_shares.clone(),
            population: None,
            max_proxy_error: self.max_proxy_error.clone(),
            reference,
            confidence: self.confidence,
            shared_error: self.shared_error,
            max_shift: self.max_shift,
            n_boot: self.n_boot,
            seed: self.seed,
            selected_is: self.selected_is,
        }
    }
}

/// A reason why a table cannot be audited at all.
#[derive(Debug, Clone, PartialEq)]
pub enum AuditError {
    /// A table knows none of the names or places.
    UnknownNames {
        /// What looking them up gave.
        rows: NameRows,
    },
    /// A proxy says the same of everyone.
    ConstantProxy {
        /// Its name.
        proxy: String,
        /// It never says anything.
        silent: bool,
    },
    /// More groups than can be told apart.
    TooManyGroups {
        /// How many.
        found: usize,
    },
    /// More proxies than are audited in reasonable time.
    TooManyProxies {
        /// How many.
        found: usize,
    },
    /// All proxies are one.
    IdenticalProxies {
        /// Their names.
        proxies: Vec<String>,
    },
    /// A setting out of its range.
    Setting {
        /// Which.
        setting: Setting,
        /// Its value.
        value: f64,
        /// What is needed.
        needed: &'static str,
    },
    /// A criterion was asked for that needs labels.
    NoLabels {
        /// The criterion.
        criterion: Criterion,
    },
    /// Known shares that do not fit the groups.
    KnownShares {
        /// What was given.
        found: Vec<f64>,
        /// How many groups there are.
        groups: usize,
    },
    /// A known share of a group that is not there, or no share.
    ShareOf {
        /// What gave it.
        setting: Setting,
        /// What is wrong.
        problem: String,
        /// The groups.
        groups: Vec<String>,
    },
    /// A bound on the errors of a proxy that is not there, or without known shares.
    MaxProxyError {
        /// What is wrong.
        problem: String,
    },
    /// A reference group that no proxy guesses.
    Reference {
        /// What was named.
        found: String,
        /// The groups.
        groups: Vec<String>,
    },
    /// The audit sample was asked for and there is none.
    NoAuditLabels,
    /// The confident joint was asked for and nothing was counted for it.
    NoProbabilities,
    /// An estimator was asked for that needs probabilities of every row as evidence.
    NoEvidence,
    /// Given error rates were asked for and there are none.
    NothingGiven,
    /// The estimator that was asked for gives nothing.
    Estimator {
        /// Which.
        estimator: Estimator,
        /// The scope asked for.
        scope: Scope,
        /// Why.
        reason: String,
    },
}

impl Refuses for AuditError {
    fn refusal(&self) -> Refusal {
        match self {
            AuditError::TooManyGroups { found } => {
                Refusal::new(format!("{found} different guesses: this looks like a name or a ZIP code"))
                    .needed(format!("guesses of at most {MOST_GROUPS} groups"))
                    .to_do(
                        "give the group that a name or a place makes likely, and not the name or the place",
                    )
            }
            AuditError::TooManyProxies { found } => Refusal::new(format!(
                "{found} proxies: the time of an audit grows much faster than their number"
            ))
            .needed(format!("at most {MOST_PROXIES} proxies"))
            .to_do(text!["name those that know most with ", Setting::Proxy]),
            AuditError::UnknownNames { rows } => {
                let NameRows { source, table, empty, not_a_name, unknown, whole_name, .. } = rows;
                let kinds = [
                    (*empty, "empty"),
                    (*not_a_name, "digits, addresses, initials or another script"),
                    (*unknown, "unknown to it"),
                    (*whole_name, "whole names"),
                ];
                let kinds: Vec<String> =
                    kinds.iter().filter(|(n, _)| *n > 0).map(|(n, kind)| format!("{n} {kind}")).collect();
                Refusal::new(format!("{source}: table {table} knows none of the rows: {}", kinds.join(", ")))
                    .needed(format!("a column that holds what table {table} is about"))
                    .to_do("check that it is the right column, or leave it out")
            }
            AuditError::ConstantProxy { proxy, silent } => {
                // What it guesses would tell the group that is guessed of everyone.
                let says =
                    if *silent { "it never gives a guess" } else { "it guesses the same on every row" };
                Refusal::new(format!("proxy {proxy} never varies: {says}"))
                    .needed("a proxy that tells people apart")
                    .to_do("leave it out, or check that it is the right column")
            }
            AuditError::IdenticalProxies { proxies } => Refusal::new(format!(
                "proxies {} give the same guess on every row: they are one proxy under several names",
                proxies.join(", ")
            ))
            .needed("proxies that guess for themselves")
            .to_do("keep one of them and add proxies built from other sources"),
            AuditError::Setting { setting, value, needed } => {
                Refusal::new(format!("{} is {value}", setting.name()))
                    .needed(*needed)
                    .to_do(text!["change ", *setting])
            }
            AuditError::NoLabels { criterion } => Refusal::new("no row has a label")
                .needed(format!(
                    "labels, because {} {}",
                    criterion.name(),
                    criterion.spec().within.compares()
                ))
                .to_do("name the label column, or ask for demographic_parity"),
            AuditError::KnownShares { found, groups } => Refusal::new(format!("known shares are {found:?}"))
                .needed(format!("a share above 0 for each of the {groups} groups, together 1")),
            AuditError::ShareOf { setting, problem, groups } => {
                Refusal::new(text![*setting, " ", problem.as_str()])
                    .needed(format!("a share for each of the groups {}", groups.join(", ")))
            }
            AuditError::MaxProxyError { problem } => Refusal::new(format!("max_proxy_error: {problem}"))
                .needed("known shares of the groups, and the name of a proxy of the table, each once")
                .to_do(text!["correct {max_proxy_error}"]),
            AuditError::Reference { found, groups } => {
                Refusal::new(format!("the reference group `{found}` is not in the table: no proxy guesses it"))
                    .needed(format!("one of {}", groups.join(", ")))
                    .to_do(text!["correct {reference}"])
            }
            AuditError::NoAuditLabels => Refusal::new("no row has a known group")
                .needed(
                    "labels, because estimators audit and regression learn from rows whose group is known",
                )
                .to_do(text!["name their column with {audit_labels}"]),
            AuditError::NoProbabilities => Refusal::new("no proxy gives probabilities")
                .needed("one, for estimator confident-joint")
                .to_do(text!["name it with {proxy_probs}"]),
            AuditError::NoEvidence => Refusal::new("there are no probabilities to be used as evidence")
                .needed("names or places that a table knows, or one proxy that gives probabilities")
                .to_do(text![
                    "name a column with {surname}, {first_name} or {zip}, or the probabilities with {proxy_probs}"
                ]),
            AuditError::NothingGiven => Refusal::new("no error rates are given")
                .needed("a file of them for estimator given")
                .to_do(text!["name it with {given}"]),
            AuditError::Estimator { estimator, scope, reason } => Refusal::new(format!(
                "estimator {estimator}, {} scope, gives no number: {reason}",
                scope.name()
            ))
            .to_do(text!["leave out {estimator} to see what the proxies say directly"]),
        }
    }
}

shows_refusal!(AuditError);
