//! A finding as plain data, and what every kind of finding has.

use crate::setting::{Dialect, Text};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know.
    Info,
    /// The number may be off.
    Warning,
    /// Do not use the number without dealing with this.
    Serious,
}

/// A number or a text behind a finding, for machines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Evidence {
    /// A number; always finite.
    Number(f64),
    /// A text.
    Text(String),
    /// Several texts.
    List(Vec<String>),
    /// What could not be computed.
    Nothing,
}

impl From<f64> for Evidence {
    fn from(number: f64) -> Self {
        if number.is_finite() { Evidence::Number(number) } else { Evidence::Nothing }
    }
}

impl From<Option<f64>> for Evidence {
    fn from(number: Option<f64>) -> Self {
        number.map_or(Evidence::Nothing, Evidence::from)
    }
}

impl From<u64> for Evidence {
    fn from(count: u64) -> Self {
        Evidence::Number(count as f64)
    }
}

impl From<usize> for Evidence {
    fn from(count: usize) -> Self {
        Evidence::Number(count as f64)
    }
}

impl From<&str> for Evidence {
    fn from(text: &str) -> Self {
        Evidence::Text(text.to_owned())
    }
}

impl From<&[String]> for Evidence {
    fn from(texts: &[String]) -> Self {
        Evidence::List(texts.to_vec())
    }
}

/// What to doubt, as plain data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable code, as in `fairveil explain CODE`.
    pub code: Cow<'static, str>,
    /// How much it weighs.
    pub severity: Severity,
    /// The finding in a few words.
    pub title: Cow<'static, str>,
    /// What was found, with its numbers.
    pub message: Text,
    /// What to do.
    pub advice: Text,
    /// The numbers and names behind it.
    pub evidence: BTreeMap<Cow<'static, str>, Evidence>,
}

impl Finding {
    /// Puts it into the words of a front end.
    pub(crate) fn spell(&mut self, dialect: &dyn Dialect) {
        self.message.spell(dialect);
        self.advice.spell(dialect);
    }
}

/// One kind of finding, raised by looking at `At`: an audit ([`Looked`](super::Looked)) or a mitigation
/// ([`Trial`](crate::mitigate::Trial)). `finding!` declares its type.
pub(crate) trait Diagnosis<At>: Documented + Sized {
    /// Never used for another kind.
    const CODE: &'static str;
    const TITLE: &'static str;

    /// The condition: every one that is to be raised, in the order in which they are told.
    fn look(at: &At) -> impl IntoIterator<Item = Self>;

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> impl Into<Text>;
    fn advice(&self) -> impl Into<Text>;

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        Vec::new()
    }

    fn finding(&self) -> Finding {
        Finding {
            code: Self::CODE.into(),
            severity: self.severity(),
            title: Self::TITLE.into(),
            message: self.message().into(),
            advice: self.advice().into(),
            evidence: self.evidence().into_iter().map(|(name, value)| (name.into(), value)).collect(),
        }
    }
}

/// The text that explains a kind of finding.
pub(crate) trait Documented {
    /// Lines of Markdown, each after the blank that a comment has before it; settings and jobs as in a template of [`Text`].
    const TEXT: &'static [&'static str];
}

/// Declares the type of a finding: its documentation is the text that `explain` gives.
macro_rules! finding {
    ($(#[doc = $line:literal])* pub(crate) struct $name:ident $($fields:tt)*) => {
        $(#[doc = $line])*
        pub(crate) struct $name $($fields)*

        impl $crate::diagnose::Documented for $name {
            const TEXT: &'static [&'static str] = &[$($line),*];
        }
    };
}
pub(crate) use finding;
