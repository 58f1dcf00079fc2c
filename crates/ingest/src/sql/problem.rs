//! Why no query can be written.

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
    /// Nothing between the quotes of `--query`.
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
    /// What was found.
    pub fn found(&self) -> String {
        match self {
            SqlProblem::Unquotable { why } => format!("the name holds {why}"),
            SqlProblem::TableName => "a part of the table's name is empty or its quote is not closed".into(),
            SqlProblem::EmptyQuery => "the query is empty".into(),
            SqlProblem::SeveralStatements => "there are several statements".into(),
            SqlProblem::NameTaken { by } => format!("the tally needs this name for {by}"),
            SqlProblem::ProxiesNotSaid => "no proxy is named".into(),
            SqlProblem::GroupsNotSaid => "the groups of these probabilities are not named".into(),
        }
    }

    /// What was needed.
    pub fn needed(&self) -> String {
        match self {
            SqlProblem::Unquotable { .. } => "a name that can be quoted on one line".into(),
            SqlProblem::TableName => "a name such as people, schema.people or \"odd.schema\".people".into(),
            SqlProblem::EmptyQuery | SqlProblem::SeveralStatements => "one SELECT".into(),
            SqlProblem::NameTaken { .. } => "each column of the tally under a name of its own".into(),
            SqlProblem::ProxiesNotSaid => {
                "at least one proxy: a query has no header to look for one in".into()
            }
            SqlProblem::GroupsNotSaid => "each group: a query has no header to look for them in".into(),
        }
    }

    /// What to do.
    pub fn to_do(&self) -> String {
        match self {
            SqlProblem::Unquotable { .. } | SqlProblem::NameTaken { .. } => {
                "give the column another name with --query 'SELECT … AS other_name, … FROM …'".into()
            }
            SqlProblem::TableName => "correct --table".into(),
            SqlProblem::EmptyQuery => "write a SELECT after --query, or name a table with --table".into(),
            SqlProblem::SeveralStatements => {
                "keep the SELECT, and run what comes before it beforehand".into()
            }
            SqlProblem::ProxiesNotSaid => "name it with --proxy or --proxy-probs".into(),
            SqlProblem::GroupsNotSaid => {
                "list them with --groups a,b: the columns PREFIXa, PREFIXb are read".into()
            }
        }
    }
}
