//! What is wrong with a row that a rule is to decide about.

use crate::error::{short, some};

/// Why a rule cannot decide about a row: what a value is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RuleProblem {
    /// A category that no row had which the rule was learned from.
    Unseen {
        /// The value.
        value: String,
        /// What the rule knows.
        known: Vec<String>,
    },
    /// Nothing, where the rule has no place for that.
    Missing,
    /// No number, or none that can be taken.
    NoNumber {
        /// The value.
        value: String,
    },
    /// What the rule says itself.
    Other {
        /// Its words.
        said: String,
    },
}

impl RuleProblem {
    /// The kind of the problem, of which rows without a decision are counted.
    pub fn kind(&self) -> &'static str {
        match self {
            RuleProblem::Unseen { .. } => "a category that the rule does not know",
            RuleProblem::Missing => "a missing value",
            RuleProblem::NoNumber { .. } => "no number where the rule needs one",
            RuleProblem::Other { .. } => "another reason",
        }
    }

    pub(crate) fn found(&self) -> String {
        match self {
            RuleProblem::Unseen { value, .. } => format!("the rule does not know `{}`", short(value)),
            RuleProblem::Missing => "the value is missing".into(),
            RuleProblem::NoNumber { value } => format!("the value is `{}`", short(value)),
            RuleProblem::Other { said } => said.clone(),
        }
    }

    pub(crate) fn needed(&self) -> String {
        match self {
            RuleProblem::Unseen { known, .. } => format!("one of {}", some(known)),
            RuleProblem::Missing => "a value: the rule was learned without missing ones".into(),
            RuleProblem::NoNumber { .. } => "a finite number of at most 3.4e38".into(),
            RuleProblem::Other { .. } => "a row like those that the rule was learned from".into(),
        }
    }

    pub(crate) fn to_do(&self) -> String {
        match self {
            RuleProblem::Unseen { .. } => {
                "correct it, learn the rule again with such rows, or say --lenient for an empty decision".into()
            }
            RuleProblem::Missing => {
                "fill it in, learn the rule again with --impute, or say --lenient for an empty decision".into()
            }
            RuleProblem::NoNumber { .. } => {
                "correct it, name it with --missing if it means nothing, or say --lenient for an empty decision".into()
            }
            RuleProblem::Other { .. } => "check the table, or say --lenient for an empty decision".into(),
        }
    }
}
