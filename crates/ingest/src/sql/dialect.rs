//! How one database writes names, texts and numbers, and what differs between them.

use super::problem::SqlProblem;

/// Whose SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// The standard, as far as it goes.
    #[default]
    Ansi,
    /// PostgreSQL.
    Postgres,
    /// Spark SQL and Databricks.
    Spark,
    /// BigQuery.
    BigQuery,
    /// Snowflake.
    Snowflake,
    /// DuckDB.
    DuckDb,
    /// Trino and Athena.
    Trino,
}

impl Dialect {
    /// All dialects, in the order of the documentation.
    pub const ALL: [Dialect; 7] = [
        Dialect::Ansi,
        Dialect::Postgres,
        Dialect::Spark,
        Dialect::BigQuery,
        Dialect::Snowflake,
        Dialect::DuckDb,
        Dialect::Trino,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Ansi => "ansi",
            Dialect::Postgres => "postgres",
            Dialect::Spark => "spark",
            Dialect::BigQuery => "bigquery",
            Dialect::Snowflake => "snowflake",
            Dialect::DuckDb => "duckdb",
            Dialect::Trino => "trino",
        }
    }

    /// A name in quotes that it cannot leave.
    pub fn identifier(self, name: &str) -> Result<String, SqlProblem> {
        self.refuse(name)?;
        Ok(match self {
            // Backslashes escape in BigQuery's names as in its texts; in Spark's they are letters.
            Dialect::BigQuery => format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`")),
            Dialect::Spark => format!("`{}`", name.replace('`', "``")),
            _ => format!("\"{}\"", name.replace('"', "\"\"")),
        })
    }

    /// A text in quotes that it cannot leave.
    pub fn text(self, text: &str) -> Result<String, SqlProblem> {
        self.refuse(text)?;
        let escaped = || text.replace('\\', "\\\\");
        Ok(match self {
            // Two quotes in a row are two texts to Spark and BigQuery.
            Dialect::BigQuery | Dialect::Spark => format!("'{}'", escaped().replace('\'', "\\'")),
            Dialect::Snowflake => format!("'{}'", escaped().replace('\'', "''")),
            // Means the same whatever `standard_conforming_strings` is.
            Dialect::Postgres if text.contains('\\') => format!("E'{}'", escaped().replace('\'', "''")),
            _ => format!("'{}'", text.replace('\'', "''")),
        })
    }

    fn refuse(self, text: &str) -> Result<(), SqlProblem> {
        let why = match text {
            "" => "nothing",
            _ if text.contains('\0') => "the character NUL",
            _ if text.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']) => "a line break",
            _ if text.chars().any(|letter| letter.is_control() && letter != '\t') => "a control character",
            // Spark puts variables in before it looks at quotes.
            _ if self == Dialect::Spark && text.contains("${") => "${, which Spark replaces even in quotes",
            _ => return Ok(()),
        };
        Err(SqlProblem::Unquotable { why })
    }

    /// A column as a floating-point number.
    pub(super) fn number(self, column: &str) -> String {
        format!("CAST({column} AS {})", self.double())
    }

    /// A column as a floating-point number, and nothing where it is NaN. The standard knows no NaN: there it stays, and
    /// is counted as invalid.
    pub(super) fn number_or_nothing(self, column: &str) -> String {
        let number = self.number(column);
        match self {
            Dialect::Ansi => number,
            // NaN equals itself.
            Dialect::Postgres => format!("NULLIF({number}, CAST('NaN' AS DOUBLE PRECISION))"),
            Dialect::Snowflake | Dialect::DuckDb => format!("NULLIF({number}, CAST('NaN' AS DOUBLE))"),
            // Without `spark.sql.ansi.enabled` a text that is no number would become NULL unseen: -1 is refused.
            Dialect::Spark => format!(
                "CASE WHEN {column} IS NOT NULL THEN NULLIF(COALESCE({number}, -1), CAST('NaN' AS DOUBLE)) END"
            ),
            // It does not.
            Dialect::BigQuery => format!("CASE WHEN NOT IS_NAN({number}) THEN {number} END"),
            Dialect::Trino => format!("CASE WHEN NOT is_nan({number}) THEN {number} END"),
        }
    }

    /// A column as a floating-point number, and nothing where it is NaN or, in Spark, no number.
    pub fn measured(self, column: &str) -> String {
        match self {
            Dialect::Spark => format!("NULLIF({}, CAST('NaN' AS DOUBLE))", self.number(column)),
            _ => self.number_or_nothing(column),
        }
    }

    /// A column as text.
    pub fn as_text(self, column: &str) -> String {
        match self {
            Dialect::Spark | Dialect::BigQuery => format!("CAST({column} AS STRING)"),
            Dialect::Postgres => format!("CAST({column} AS text)"),
            _ => format!("CAST({column} AS VARCHAR)"),
        }
    }

    /// The type of numbers of double precision.
    pub fn double(self) -> &'static str {
        match self {
            Dialect::Ansi | Dialect::Postgres => "DOUBLE PRECISION",
            Dialect::BigQuery => "FLOAT64",
            _ => "DOUBLE",
        }
    }

    /// A number of any size; NULL where there is none, and more than any that is taken where it is no number.
    pub(super) fn outcome(self, column: &str) -> String {
        match self {
            // Without `spark.sql.ansi.enabled` a text that is no number would become NULL unseen.
            Dialect::Spark => format!(
                "CASE WHEN {column} IS NOT NULL THEN NULLIF(COALESCE({}, 1e13), CAST('NaN' AS DOUBLE)) END",
                self.number(column)
            ),
            _ => self.number_or_nothing(column),
        }
    }

    /// A key column in the result. PostgreSQL writes truth values as t and f unless they are made text.
    pub(super) fn key(self, column: &str) -> String {
        match self {
            Dialect::Postgres => format!("CAST({column} AS text)"),
            _ => column.to_owned(),
        }
    }

    /// The sum of a floating-point number. PostgreSQL can sum its shortest decimals exactly, so that the digits do not
    /// depend on the order in which it reads the rows; elsewhere the last digits may.
    pub(super) fn sum(self, number: &str) -> String {
        match self {
            Dialect::Postgres => format!("SUM(CAST(CAST({number} AS text) AS numeric))"),
            _ => format!("SUM({number})"),
        }
    }

    /// Whether a backslash in a text escapes what follows.
    pub(super) fn backslash_escapes(self) -> bool {
        matches!(self, Dialect::Spark | Dialect::BigQuery | Dialect::Snowflake)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a database reads between the quotes; nothing if the quotes end before the end.
    fn unquoted(text: &str, quote: char, backslash: bool, doubled: bool) -> Option<String> {
        let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
        let (mut read, mut letters) = (String::new(), inner.chars());
        while let Some(letter) = letters.next() {
            match letter {
                '\\' if backslash => read.push(letters.next()?),
                _ if letter == quote => {
                    (doubled && letters.next()? == quote).then_some(())?;
                    read.push(quote);
                }
                _ => read.push(letter),
            }
        }
        Some(read)
    }

    #[test]
    fn what_is_quoted_is_read_back_as_it_was_and_never_ends_early() {
        let pieces = ["'", "\"", "`", "\\", "a", ";", "--", "/*", "$$", "é", ")", "''", "\\'", "\t"];
        for dialect in Dialect::ALL {
            for (first, second, third) in pieces
                .iter()
                .flat_map(|a| pieces.iter().map(move |b| (a, b)))
                .flat_map(|(a, b)| pieces.iter().map(move |c| (a, b, c)))
            {
                let name = format!("{first}{second}{third}");
                let quoted = dialect.identifier(&name).unwrap();
                let (quote, backslash, doubled) = match dialect {
                    Dialect::BigQuery => ('`', true, false),
                    Dialect::Spark => ('`', false, true),
                    _ => ('"', false, true),
                };
                let read = unquoted(&quoted, quote, backslash, doubled);
                assert_eq!(read.as_deref(), Some(name.as_str()), "{dialect:?} {quoted}");
                let quoted = dialect.text(&name).unwrap();
                let (text, escapes) = match quoted.strip_prefix('E') {
                    Some(text) => (text, true),
                    None => (quoted.as_str(), dialect.backslash_escapes()),
                };
                let doubled = !matches!(dialect, Dialect::Spark | Dialect::BigQuery);
                let read = unquoted(text, '\'', escapes, doubled);
                assert_eq!(read.as_deref(), Some(name.as_str()), "{dialect:?} {quoted}");
            }
        }
    }

    #[test]
    fn what_no_quotes_hold_is_refused() {
        for dialect in Dialect::ALL {
            for name in ["", "a\nb", "a\0", "a\rb", "a\u{2028}b", "\u{1b}[1m"] {
                assert!(dialect.identifier(name).is_err() && dialect.text(name).is_err(), "{name:?}");
            }
            assert_eq!(dialect.identifier("${x}").is_err(), dialect == Dialect::Spark);
        }
    }
}
