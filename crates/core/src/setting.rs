//! Settings and jobs by name, and texts that hold them.
//!
//! A library does not know how it is asked: the command line says `--audit-labels`, Python `audit_labels=`. So a message names a
//! [`Setting`] or a [`Job`], and the front end spells it with its [`Dialect`]. Text from outside (a column, a group) goes in as
//! words and is never searched for names.
//!
//! ```
//! use fairveil_core::setting::{Dialect, Job, Setting, Text};
//! use fairveil_core::text;
//!
//! #[derive(Debug)]
//! struct Flags;
//! impl Dialect for Flags {
//!     fn setting(&self, setting: Setting, value: Option<&str>) -> String {
//!         let flag = format!("--{}", setting.name().replace('_', "-"));
//!         value.map_or(flag.clone(), |value| format!("{flag} {value}"))
//!     }
//!     fn job(&self, job: Job) -> String {
//!         format!("fairveil {}", job.name())
//!     }
//! }
//!
//! let advice = text!["label a few rows (", Setting::AuditLabels, ") or say ", Setting::Scope.to("global")];
//! assert_eq!(advice.to_string(), "label a few rows (audit_labels) or say scope = global");
//! assert_eq!(advice.spelled(&Flags), "label a few rows (--audit-labels) or say --scope global");
//! assert_eq!(advice, text!["label a few rows ({audit_labels}) or say {scope=global}"]);
//! ```

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

macro_rules! names {
    ($(#[$doc:meta])* $kind:ident: $($variant:ident $name:literal),* $(,)?) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "the name says all that is known here; front ends describe their own")]
        #[non_exhaustive]
        pub enum $kind { $($variant),* }

        impl $kind {
            /// All there are.
            pub const ALL: &[$kind] = &[$($kind::$variant),*];
            const NAMES: &[&str] = &[$($name),*];

            /// The one name, from which a front end makes its own.
            pub const fn name(self) -> &'static str {
                match self { $($kind::$variant => $name),* }
            }
        }
    };
}

names! {
    /// Something that a person can say to a front end.
    Setting:
    AuditLabels "audit_labels",
    AuditTable "audit_table",
    Accuracy "accuracy",
    By "by",
    Categorical "categorical",
    Classes "classes",
    Column "column",
    Cluster "cluster",
    Confidence "confidence",
    Control "control",
    Copying "copying",
    Costs "costs",
    Count "count",
    Criterion "criterion",
    Date "date",
    Decimal "decimal",
    Delimiter "delimiter",
    Drop "drop",
    Earlier "earlier",
    Encoding "encoding",
    Epsilon "epsilon",
    Estimator "estimator",
    Evidence "evidence",
    Every "every",
    Bins "bins",
    FailAbove "fail_above",
    FailBelow "fail_below",
    Features "features",
    FirstName "first_name",
    For "for",
    Flip "flip",
    Given "given",
    Groups "groups",
    HeldOut "held_out",
    CrossFit "cross_fit",
    Split "split",
    Id "id",
    Impute "impute",
    Json "json",
    KnownShares "known_shares",
    LabelProbability "label_probability",
    Lenient "lenient",
    Limit "limit",
    Local "local",
    Map "map",
    Matrix "matrix",
    MaxMemory "max_memory",
    MaxProxyError "max_proxy_error",
    MaxShift "max_shift",
    MayBeMissing "may_be_missing",
    Mechanism "mechanism",
    Method "method",
    Metric "metric",
    MinCell "min_cell",
    Missing "missing",
    NBoot "n_boot",
    NoiseBins "noise_bins",
    Outcome "outcome",
    Outside "outside",
    Population "population",
    Positive "positive",
    PositiveLabel "positive_label",
    Proxy "proxy",
    ProxyProbs "proxy_probs",
    Plain "plain",
    Query "query",
    Rate "rate",
    Recalibrate "recalibrate",
    Reference "reference",
    Report "report",
    Rows "rows",
    Scale "scale",
    Scope "scope",
    Score "score",
    Search "search",
    SelectedIs "selected_is",
    Segments "segments",
    Seed "seed",
    SharedError "shared_error",
    StatementTimeout "statement_timeout",
    Surname "surname",
    Table "table",
    Tables "tables",
    Threads "threads",
    Threshold "threshold",
    Tolerance "tolerance",
    TripleSeed "triple_seed",
    Truth "truth",
    Weight "weight",
    WeightsOnly "weights_only",
    YPred "y_pred",
    YTrue "y_true",
    Zip "zip",
}

names! {
    /// Something that fairveil can be asked to do.
    Job:
    Apply "apply",
    Audit "audit",
    Compare "compare",
    Count "count",
    Demo "demo",
    Explain "explain",
    Mitigate "mitigate",
    Neighbors "neighbors",
    Plan "plan",
    Privatize "privatize",
    Proxies "proxies",
    Simulate "simulate",
    Sql "sql",
}

impl Setting {
    /// The setting with this value, as a person would say it.
    pub fn to(self, value: impl Into<String>) -> Text {
        Text(vec![Piece::Setting(self, Some(value.into()))])
    }
}

/// How a front end says settings and jobs.
pub trait Dialect: fmt::Debug {
    /// A setting, with a value where one is said.
    fn setting(&self, setting: Setting, value: Option<&str>) -> String;
    /// A job.
    fn job(&self, job: Job) -> String;
}

/// Names as they are, for those who speak to the library itself.
#[derive(Debug, Clone, Copy)]
pub struct Plain;

impl Dialect for Plain {
    fn setting(&self, setting: Setting, value: Option<&str>) -> String {
        value.map_or_else(|| setting.name().into(), |value| format!("{} = {value}", setting.name()))
    }

    fn job(&self, job: Job) -> String {
        job.name().into()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Words(String),
    Setting(Setting, Option<String>),
    Job(Job),
}

/// Words with settings and jobs in them. Shown as it is, these have their plain names; in data it is a string.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text(Vec<Piece>);

impl Text {
    /// Adds to the end.
    pub fn push(&mut self, more: impl Into<Text>) {
        for piece in more.into().0 {
            match (self.0.last_mut(), piece) {
                (Some(Piece::Words(words)), Piece::Words(more)) => words.push_str(&more),
                (_, piece) => self.0.push(piece),
            }
        }
    }

    /// A text of our own in which `{name}` stands for a setting, `{name=value}` for one with a value and `{!name}` for a job.
    /// What is no such name stays as it is.
    pub fn template(template: &'static str) -> Text {
        let mut text = Text::default();
        let mut rest = template;
        while let Some((before, name, after)) = placeholder(rest) {
            text.push(before);
            match named(name) {
                Some(piece) => text.push(Text(vec![piece])),
                None => text.push(&rest[before.len()..rest.len() - after.len()]),
            }
            rest = after;
        }
        text.push(rest);
        text
    }

    /// The words of a front end.
    pub fn spelled(&self, dialect: &dyn Dialect) -> String {
        let spell = |piece: &Piece| match piece {
            Piece::Words(words) => words.clone(),
            Piece::Setting(setting, value) => dialect.setting(*setting, value.as_deref()),
            Piece::Job(job) => dialect.job(*job),
        };
        self.0.iter().map(spell).collect()
    }

    /// One line, as it may be shown.
    fn visible(&self) -> Text {
        let piece = |piece: &Piece| match piece {
            Piece::Words(words) => Piece::Words(visible(words).into_owned()),
            Piece::Setting(setting, value) => {
                Piece::Setting(*setting, value.as_deref().map(|value| visible(value).into_owned()))
            }
            Piece::Job(job) => Piece::Job(*job),
        };
        Text(self.0.iter().map(piece).collect())
    }

    /// Puts itself into the words of a front end, for good.
    pub fn spell(&mut self, dialect: &dyn Dialect) {
        *self = Text::from(self.spelled(dialect));
    }
}

fn placeholder(text: &'static str) -> Option<(&'static str, &'static str, &'static str)> {
    let (before, rest) = text.split_once('{')?;
    let (name, after) = rest.split_once('}')?;
    Some((before, name, after))
}

fn named(name: &str) -> Option<Piece> {
    if let Some(job) = name.strip_prefix('!') {
        return Job::ALL.iter().find(|known| known.name() == job).map(|job| Piece::Job(*job));
    }
    let (name, value) =
        name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value.to_owned())));
    let setting = Setting::ALL.iter().find(|known| known.name() == name)?;
    Some(Piece::Setting(*setting, value))
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.spelled(&Plain))
    }
}

impl From<String> for Text {
    fn from(words: String) -> Self {
        if words.is_empty() { Text::default() } else { Text(vec![Piece::Words(words)]) }
    }
}

impl From<&String> for Text {
    fn from(words: &String) -> Self {
        words.clone().into()
    }
}

impl From<&str> for Text {
    fn from(words: &str) -> Self {
        words.to_owned().into()
    }
}

impl From<Setting> for Text {
    fn from(setting: Setting) -> Self {
        Text(vec![Piece::Setting(setting, None)])
    }
}

impl From<Job> for Text {
    fn from(job: Job) -> Self {
        Text(vec![Piece::Job(job)])
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Text::from)
    }
}

/// Whether every `{…}` of a template is a name: asked of every sentence before it compiles.
#[doc(hidden)]
pub const fn is_template(template: &str) -> bool {
    let mut rest = template.as_bytes();
    while let [first, after @ ..] = rest {
        let known = match after {
            [b'!', job @ ..] => begins_with_one(Job::NAMES, job, b'}'),
            setting => begins_with_one(Setting::NAMES, setting, b'='),
        };
        if *first == b'{' && !known {
            return false;
        }
        rest = after;
    }
    true
}

/// Whether a text begins with one of the names, and a closing brace or `or` after it.
const fn begins_with_one(mut names: &[&str], text: &[u8], or: u8) -> bool {
    while let [name, others @ ..] = names {
        let (mut name, mut text) = (name.as_bytes(), text);
        while let ([wanted, more @ ..], [found, after @ ..]) = (name, text)
            && *wanted == *found
        {
            (name, text) = (more, after);
        }
        if let ([], [end, ..]) = (name, text)
            && (*end == b'}' || *end == or)
        {
            return true;
        }
        names = others;
    }
    false
}

/// A [`Text`] from words, settings, jobs and texts, one after the other; or from one sentence of our own that names them in
/// braces, as in [`Text::template`]. A name that there is not does not compile:
///
/// ```compile_fail,E0080
/// # use fairveil_core::text;
/// text!["name it with {missin}"];
/// ```
#[macro_export]
macro_rules! text {
    ($template:literal) => {{
        const { assert!($crate::setting::is_template($template), "braces name a setting or a job") };
        $crate::setting::Text::template($template)
    }};
    ($($piece:expr),* $(,)?) => {{
        #[allow(unused_mut, reason = "a text may be empty")]
        let mut text = $crate::setting::Text::default();
        $(text.push($piece);)*
        text
    }};
}

/// Text from outside as it may be shown: what would command a terminal, end a line or turn the direction of what follows is
/// written out, such as `\\n` or `\\u{202e}`.
///
/// ```
/// # use fairveil_core::setting::visible;
/// assert_eq!(visible("zip"), "zip");
/// assert_eq!(visible("a\n  to do:  pay"), "a\\n  to do:  pay");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    let hidden = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
            || matches!(letter, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
    };
    if !text.contains(hidden) {
        return text.into();
    }
    let mut shown = String::new();
    for letter in text.chars() {
        if hidden(letter) {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown.into()
}

/// Why something cannot be done: found, needed, to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What was found, and where.
    pub found: Text,
    /// What was needed, where `found` does not say it.
    pub needed: Option<Text>,
    /// What a person can do about it.
    pub to_do: Option<Text>,
}

impl Refusal {
    /// A refusal that says what was found.
    pub fn new(found: impl Into<Text>) -> Self {
        Refusal { found: found.into(), needed: None, to_do: None }
    }

    /// With what was needed.
    pub fn needed(self, needed: impl Into<Text>) -> Self {
        Refusal { needed: Some(needed.into()), ..self }
    }

    /// With what to do.
    pub fn to_do(self, to_do: impl Into<Text>) -> Self {
        Refusal { to_do: Some(to_do.into()), ..self }
    }

    /// All of it, a line each, whatever stands in the names it holds.
    pub fn text(&self) -> Text {
        let mut text = self.found.visible();
        for (head, part) in [("\n  needed: ", &self.needed), ("\n  to do:  ", &self.to_do)] {
            if let Some(part) = part {
                text.push(head);
                text.push(part.visible());
            }
        }
        text
    }
}

/// An error that a person can act on.
pub trait Refuses: std::error::Error {
    /// What was found, what was needed, what to do.
    fn refusal(&self) -> Refusal;
}

/// Makes an error of what has a refusal: it shows that, in plain names.
#[macro_export]
macro_rules! shows_refusal {
    ($($error:ty),* $(,)?) => {$(
        impl std::fmt::Display for $error {
            fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                std::fmt::Display::fmt(&$crate::setting::Refuses::refusal(self).text(), f)
            }
        }
        impl std::error::Error for $error {}
    )*};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Loud;

    impl Dialect for Loud {
        fn setting(&self, setting: Setting, value: Option<&str>) -> String {
            format!("<{}{}>", setting.name(), value.unwrap_or_default())
        }

        fn job(&self, job: Job) -> String {
            format!("<!{}>", job.name())
        }
    }

    #[test]
    fn text_from_outside_is_never_taken_for_a_setting() {
        let hostile = String::from("{scope} <groups> {!plan}");
        let told = text!["group ", &hostile, " is not in ", Setting::Groups];
        assert_eq!(told.spelled(&Loud), "group {scope} <groups> {!plan} is not in <groups>");
    }

    #[test]
    fn a_template_names_settings_values_and_jobs_and_leaves_the_rest() {
        let told = Text::template("say {scope=global}, {n_boot}, {!plan}; {a, b} and {x");
        assert_eq!(told.spelled(&Loud), "say <scopeglobal>, <n_boot>, <!plan>; {a, b} and {x");
    }

    #[test]
    fn spelled_for_good_it_reads_back_as_it_was_written() {
        let mut told = text!["label rows (", Setting::AuditLabels, ")"];
        told.spell(&Loud);
        let written = serde_json::to_string(&told).unwrap();
        assert_eq!(written, "\"label rows (<audit_labels>)\"");
        assert_eq!(serde_json::from_str::<Text>(&written).unwrap(), told);
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = Setting::ALL.iter().map(|setting| setting.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Setting::ALL.len());
    }
}
