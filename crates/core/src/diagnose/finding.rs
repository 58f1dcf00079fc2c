//! A finding as plain data, and what every kind of finding has.

use crate::privacy::Epsilon;
use crate::setting::{Dialect, Text, is_template};
use crate::vocabulary::{Criterion, Scope};
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
    /// A number that could not be computed.
    Nothing,
}

macro_rules! evidence {
    ($($from:ty: $name:ident => $made:expr),* $(,)?) => {$(
        impl From<&$from> for Evidence {
            fn from($name: &$from) -> Self {
                $made
            }
        }
    )*};
}

evidence! {
    f64: number => if number.is_finite() { Evidence::Number(*number) } else { Evidence::Nothing },
    u64: count => Evidence::Number(*count as f64),
    usize: count => Evidence::Number(*count as f64),
    Epsilon: epsilon => Evidence::from(&epsilon.value()),
    Option<f64>: number => number.as_ref().map_or(Evidence::Nothing, Evidence::from),
    String: text => Evidence::Text(text.clone()),
    Criterion: criterion => Evidence::Text(criterion.name().into()),
    Scope: scope => Evidence::Text(scope.name().into()),
    Vec<String>: texts => Evidence::List(texts.clone()),
    [String; 2]: texts => Evidence::List(texts.to_vec()),
}

/// A reason to doubt, as plain data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable code, as in `fairveil explain CODE`.
    pub code: Cow<'static, str>,
    /// How much it weighs.
    pub severity: Severity,
    /// The finding in a few words.
    pub title: Cow<'static, str>,
    /// The finding itself, with its numbers.
    pub message: Text,
    /// The thing to do about it.
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
/// ([`Trial`](crate::mitigate::Trial)).
pub(crate) trait Diagnosis<At>: Declared + Sized {
    /// Never used for another kind.
    const CODE: &'static str;
    const TITLE: &'static str;
    const SEVERITY: Severity = Severity::Warning;
    /// The thing to do, as a template of [`Text`], where it is always the same.
    const ADVICE: &'static str = "";

    /// The condition: every one that is to be raised, in the order in which they are told.
    fn look(at: &At) -> impl IntoIterator<Item = Self>;

    fn severity(&self) -> Severity {
        Self::SEVERITY
    }

    fn message(&self) -> impl Into<Text>;

    fn advice(&self) -> impl Into<Text> {
        const { assert!(is_template(Self::ADVICE), "braces name a setting or a job") };
        Text::template(Self::ADVICE)
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

/// Made by `finding!` from the declaration of a type.
pub(crate) trait Declared {
    /// Lines of Markdown as in comments, after a blank; an indented one goes on with the one before. Settings and jobs are as
    /// in a template of [`Text`].
    const TEXT: &'static [&'static str];
    fn evidence(&self) -> Vec<(&'static str, Evidence)>;
}

/// Declares the type of a finding. Its documentation is the text that `explain` gives, its fields are the evidence, and
/// those after `with` serve its words alone.
macro_rules! finding {
    (
        $(#[doc = $line:literal])*
        struct $name:ident { $($(#[$about:meta])* $field:ident: $type:ty),* $(,)? }
        $(with { $($(#[$beside:meta])* $other:ident: $kind:ty),* $(,)? })?
    ) => {
        $(#[doc = $line])*
        pub(crate) struct $name {
            $($(#[$about])* $field: $type,)*
            $($($(#[$beside])* $other: $kind,)*)?
        }

        impl $crate::diagnose::Declared for $name {
            const TEXT: &'static [&'static str] = {
                $(assert!($crate::setting::is_template($line), "braces name a setting or a job");)*
                &[$($line),*]
            };

            fn evidence(&self) -> Vec<(&'static str, $crate::diagnose::Evidence)> {
                vec![$((stringify!($field), (&self.$field).into())),*]
            }
        }
    };
}
pub(crate) use finding;
