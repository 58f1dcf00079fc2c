//! Where the rows are: a table, or a query of the user's own.

use super::dialect::Dialect;
use super::problem::SqlProblem;

/// Where the rows of a query come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relation {
    /// A table or view: `people`, `schema.people`, `"odd.schema".people`. The case of letters counts.
    Table(String),
    /// A SELECT.
    Query(String),
}

impl Relation {
    /// What stands after FROM; `alias` names a query.
    pub fn after_from(&self, dialect: Dialect, alias: &str) -> Result<String, SqlProblem> {
        match self {
            Relation::Table(name) => {
                let parts = parts(name)?;
                let quoted: Result<Vec<_>, _> = parts.iter().map(|part| dialect.identifier(part)).collect();
                Ok(quoted?.join("."))
            }
            // On a line of its own, so that a comment at the end of the query does not swallow the bracket.
            Relation::Query(query) => Ok(format!("(\n{}\n) AS {alias}", statement(query, dialect)?)),
        }
    }
}

/// The parts of a dotted name; double quotes keep a dot in a part, and two of them are one.
fn parts(name: &str) -> Result<Vec<String>, SqlProblem> {
    let mut parts = Vec::new();
    let mut rest = name.trim();
    loop {
        let (part, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted_part(quoted).ok_or(SqlProblem::TableName)?,
            None => {
                let end = rest.find('.').unwrap_or(rest.len());
                (rest[..end].to_owned(), &rest[end..])
            }
        };
        if part.is_empty() {
            return Err(SqlProblem::TableName);
        }
        parts.push(part);
        match after.strip_prefix('.') {
            Some(next) => rest = next,
            None if after.is_empty() => return Ok(parts),
            None => return Err(SqlProblem::TableName),
        }
    }
}

/// What stands before the closing quote, and what comes after it.
fn quoted_part(text: &str) -> Option<(String, &str)> {
    let mut end = 0;
    loop {
        end += text[end..].find('"')?;
        if text[end + 1..].starts_with('"') {
            end += 2;
        } else {
            return Some((text[..end].replace("\"\"", "\""), &text[end + 1..]));
        }
    }
}

/// The one statement of a query, without the semicolon at its end.
fn statement(query: &str, dialect: Dialect) -> Result<&str, SqlProblem> {
    let code = code(query, dialect);
    let end = code.iter().find(|(_, letter)| *letter == ';').map_or(query.len(), |(at, _)| *at);
    if code.iter().any(|(at, letter)| *at > end && !letter.is_whitespace() && *letter != ';') {
        return Err(SqlProblem::SeveralStatements);
    }
    if code.iter().all(|(at, letter)| *at >= end || letter.is_whitespace()) {
        return Err(SqlProblem::EmptyQuery);
    }
    Ok(query[..end].trim())
}

/// The letters of a query outside comments, with their places; a quoted text counts as its opening quote.
fn code(query: &str, dialect: Dialect) -> Vec<(usize, char)> {
    let mut code = Vec::new();
    let mut at = 0;
    while let Some(letter) = query[at..].chars().next() {
        let rest = &query[at..];
        let after = at + letter.len_utf8();
        let past =
            |end: &str| query[after..].find(end).map_or(query.len(), |found| after + found + end.len());
        let comment = match letter {
            '-' if rest.starts_with("--") => Some(past("\n")),
            '#' if dialect == Dialect::BigQuery => Some(past("\n")),
            '/' if rest.starts_with("/*") => Some(past("*/")),
            _ => None,
        };
        if let Some(end) = comment {
            at = end;
            continue;
        }
        code.push((at, letter));
        at = match letter {
            '\'' | '"' | '`' => after + quoted_length(&query[after..], letter, dialect.backslash_escapes()),
            '$' => match dollar_tag(rest) {
                Some(tag) => {
                    query[at + tag.len()..].find(tag).map_or(query.len(), |n| at + n + 2 * tag.len())
                }
                None => after,
            },
            _ => after,
        };
    }
    code
}

/// How far a quoted text goes, its closing quote included. Two quotes in a row are two texts, which ends no later.
fn quoted_length(text: &str, quote: char, backslash: bool) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = backslash,
            _ if letter == quote => return at + letter.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// `$$` or `$tag$` at the start of a text.
fn dollar_tag(text: &str) -> Option<&str> {
    let end = 1 + text[1..].find('$')?;
    let tag = &text[1..end];
    let is_name = tag.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    let starts_well = !tag.starts_with(|letter: char| letter.is_ascii_digit());
    (is_name && starts_well).then(|| &text[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dotted_name_is_quoted_part_by_part() {
        let from = |name: &str| Relation::Table(name.into()).after_from(Dialect::Ansi, "t");
        assert_eq!(from("people").as_deref(), Ok("\"people\""));
        assert_eq!(from("a.b.c").as_deref(), Ok("\"a\".\"b\".\"c\""));
        assert_eq!(from("\"a.b\".c").as_deref(), Ok("\"a.b\".\"c\""));
        assert_eq!(from("\"a\"\"b\"").as_deref(), Ok("\"a\"\"b\""));
        assert_eq!(from("a; DROP TABLE b").as_deref(), Ok("\"a; DROP TABLE b\""));
        for wrong in ["", "a.", ".a", "a..b", "\"a", "\"a\"b", "\"\"", "\"a\"\""] {
            assert_eq!(from(wrong), Err(SqlProblem::TableName), "{wrong}");
        }
        let from = |dialect| Relation::Table("my-project.d.t".into()).after_from(dialect, "t");
        assert_eq!(from(Dialect::BigQuery).as_deref(), Ok("`my-project`.`d`.`t`"));
    }

    #[test]
    fn a_query_is_one_statement_whatever_its_comments_and_texts_hold() {
        let one = |query| statement(query, Dialect::Postgres);
        for (query, kept) in [
            ("SELECT 1;", "SELECT 1"),
            (" SELECT 1 ; ;\n", "SELECT 1"),
            ("SELECT ';' -- ; not here", "SELECT ';' -- ; not here"),
            ("SELECT 1; -- done", "SELECT 1"),
            ("SELECT 'it''s;' /* ; */", "SELECT 'it''s;' /* ; */"),
            ("SELECT $a$ ; ' $a$ AS x", "SELECT $a$ ; ' $a$ AS x"),
            ("SELECT \"a;b\" FROM t", "SELECT \"a;b\" FROM t"),
        ] {
            assert_eq!(one(query), Ok(kept));
        }
        assert_eq!(one("SELECT 1; DROP TABLE t"), Err(SqlProblem::SeveralStatements));
        for empty in ["", " ;", "-- nothing", "/* nothing */;"] {
            assert_eq!(one(empty), Err(SqlProblem::EmptyQuery));
        }
        assert_eq!(statement("SELECT 'a\\';b'", Dialect::Spark), Ok("SELECT 'a\\';b'"));
        assert_eq!(statement("SELECT 1 # ;", Dialect::BigQuery), Ok("SELECT 1 # ;"));
    }
}
