//! Why evidence is refused.

use crate::error::{said, short};
use fairveil_core::setting::Refusal;
use fairveil_core::text;

/// Why evidence is not believed, or does not go with a tally.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EvidenceProblem {
    /// Another file, or a damaged one.
    NotEvidence {
        /// What was found.
        found: String,
    },
    /// What no rows give.
    Impossible {
        /// What was found.
        found: &'static str,
    },
    /// Two files that tell of other groups, sources or columns.
    Apart,
    /// A column that the audit looks at and that the evidence was not counted by.
    Column {
        /// Those that it was counted by.
        known: Vec<String>,
    },
    /// Other rows than those of the tally.
    OtherRows {
        /// Rows of the evidence.
        found: u64,
        /// Rows of the tally.
        needed: u64,
    },
    /// Other weights than those of the tally, or weights on one side alone.
    OtherWeights,
    /// A tally with noise or with cells withheld, whose rows are not those of the evidence.
    Changed,
    /// A table of rows, or of names, that has its own.
    Rows,
}

impl EvidenceProblem {
    pub(crate) fn refusal(&self) -> Refusal {
        const WRITTEN: &str = "the file that was written beside the tally";
        match self {
            EvidenceProblem::NotEvidence { found } => said(
                format!("this is no evidence: {}", short(found)),
                WRITTEN,
                text!["check the name, or {!count} again"],
            ),
            EvidenceProblem::Impossible { found } => said(
                *found,
                "what rows can give",
                text!["{!count} the rows again: the file was changed or damaged"],
            ),
            EvidenceProblem::Apart => said(
                "two files of evidence tell of other columns, groups or sources",
                "files that were counted in the same way",
                text!["{!count} all parts with the same settings"],
            ),
            EvidenceProblem::Column { known } => said(
                "the evidence was not counted by this column",
                format!("one of {}", crate::error::some(known)),
                text!["{!count} the rows again with this column, or leave it out"],
            ),
            EvidenceProblem::OtherRows { found, needed } => said(
                format!("the evidence tells of {found} rows where the tally has {needed}"),
                "evidence about the very rows of the tally, decision by decision",
                text!["name the files that were written together, all parts of both"],
            ),
            EvidenceProblem::OtherWeights => said(
                "the rows of the evidence weigh something else than those of the tally",
                "evidence and tally of the same weights",
                text!["{!count} both in one go, with {weight} or without"],
            ),
            EvidenceProblem::Changed => said(
                "the tally has noise or withholds cells, and evidence tells of every row",
                "a tally of all rows as they are",
                text!["leave out {evidence}, or {!count} without noise and with all cells"],
            ),
            EvidenceProblem::Rows => said(
                "evidence is named beside a table of rows",
                "a tally, beside which the evidence was written",
                text!["leave out {evidence}: rows bring their own"],
            ),
        }
    }
}
