//! What is wrong with a row that a rule is to decide about.

use crate::error::{kind_of, said, some};
use fairveil_core::setting::{Refusal, Setting};
use fairveil_core::text;

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
    /// Far outside of what the rule was learned from.
    Outside,
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
            RuleProblem::Outside => "a number far outside of what the rule was learned from",
            RuleProblem::Other { .. } => "another reason",
        }
    }

    pub(crate) fn refusal(&self) -> Refusal {
        let empty = || text!["say {lenient} for an empty decision"];
        match self {
            // What the row holds is not said: it may be one person's.
            RuleProblem::Unseen { known, .. } => said(
                "the rule does not know this category",
                format!("one of {}", some(known)),
                text!["correct it, learn the rule again with such rows, or ", empty()],
            ),
            RuleProblem::Outside => said(
                "the number is far outside of what the rule was learned from",
                "people like those that it was learned from",
                text![
                    "correct it, or say {outside=empty} for an empty decision, {outside=tell} to decide all the same"
                ],
            ),
            RuleProblem::Missing => said(
                "the value is missing",
                "a value: the rule was learned without missing ones",
                text!["fill it in, learn the rule again with ", Setting::Impute, ", or ", empty()],
            ),
            RuleProblem::NoNumber { value }
                if value.contains(',') && value.replacen(',', ".", 1).parse::<f64>().is_ok() =>
            {
                said(
                    "the number has a comma",
                    "a point before the decimals",
                    text!["say {decimal=,} if commas stand before the decimals of this table"],
                )
            }
            RuleProblem::NoNumber { value } => said(
                format!("the value is {}", kind_of(value)),
                "a finite number of at most 3.4e38",
                text!["correct it, name it with ", Setting::Missing, " if it means nothing, or ", empty()],
            ),
            RuleProblem::Other { said: words } => said(
                words,
                "a row like those that the rule was learned from",
                text!["check the table, or ", empty()],
            ),
        }
    }
}
