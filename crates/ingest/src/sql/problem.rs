//! Why no query can be written.

use crate::error::said;
use fairveil_core::setting::{Refusal, Setting};
use fairveil_core::text;

/// What keeps a query from being written. Nothing was sent anywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SqlProblem {
    /// A name or a group that no quotes hold.
    Unquotable {
        /// What is in it.
        why: &'static str,
    },
    /// A table's name with an empty part, or a quote that is not closed.
    TableName,
    /// A query without words.
    EmptyQuery,
    /// A semicolon with more behind it.
    SeveralStatements,
    /// A column that bears the name of another column of the tally.
    NameTaken {
        /// What the tally needs the name for.
        by: &'static str,
    },
    /// No proxy was named, and there is no header to find one in.
    ProxiesNotSaid,
    /// Probabilities were asked for without their groups, and there is no header to find them in.
    GroupsNotSaid,
}

impl SqlProblem {
    /// What was found, what was needed, what to do.
    pub fn refusal(&self) -> Refusal {
        let rename = || {
            let query = Setting::Query.to("'SELECT … AS other_name, … FROM …'");
            text!["give the column another name with ", query]
        };
        match self {
            SqlProblem::Unquotable { why } => {
                said(format!("the name holds {why}"), "a name that can be quoted on one line", rename())
            }
            SqlProblem::TableName => said(
                "a part of the table's name is empty or its quote is not closed",
                "a name such as people, schema.people or \"odd.schema\".people",
                text!["correct {table}"],
            ),
            SqlProblem::EmptyQuery => said(
                "the query is empty",
                "one SELECT",
                text!["write a SELECT after {query}, or name a table with {table}"],
            ),
            SqlProblem::SeveralStatements => said(
                "there are several statements",
                "one SELECT",
                "keep the SELECT, and run what comes before it beforehand",
            ),
            SqlProblem::NameTaken { by } => said(
                format!("the tally needs this name for {by}"),
                "each column of the tally under a name of its own",
                rename(),
            ),
            SqlProblem::ProxiesNotSaid => said(
                "no proxy is named",
                "at least one proxy: a query has no header to look for one in",
                text!["name it with {proxy} or {proxy_probs}"],
            ),
            SqlProblem::GroupsNotSaid => said(
                "the groups of these probabilities are not named",
                "each group: a query has no header to look for them in",
                text!["list them with {groups=a,b}: the columns PREFIXa, PREFIXb are read"],
            ),
        }
    }
}
