//! What is wrong with what was said about columns.

use crate::error::{said, short, some};
use fairveil_core::setting::{Refusal, Setting};
use fairveil_core::text;

/// Why what was said about columns cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnProblem {
    /// A list of columns in which a name is empty.
    EmptyName {
        /// What was typed.
        asked: String,
    },
    /// Probabilities that are named in no known way.
    Probabilities {
        /// What was typed.
        asked: String,
        /// What is wrong with it.
        found: &'static str,
    },
    /// Two columns that hold the probability of the same group.
    GroupsAlike {
        /// The group.
        group: String,
        /// The columns.
        columns: Vec<String>,
    },
    /// The probability of one group, and no other group.
    OneSided {
        /// The group.
        group: String,
        /// Its column.
        column: String,
    },
    /// A column of probabilities in place of how their names begin.
    WholeColumn {
        /// How they begin.
        prefix: String,
    },
    /// A column of guesses that holds probabilities.
    ProbabilitiesAsGuesses {
        /// The column.
        column: String,
        /// How the names of it and of others begin, where there are others.
        prefix: Option<String>,
    },
    /// A map that is none.
    MapForm {
        /// What was typed.
        asked: String,
        /// What is wrong with it.
        found: String,
    },
    /// A map of a column without values that are told apart.
    MapIdle,
    /// A value that a map does not name.
    Unmapped {
        /// The value, where it may be said.
        value: Option<String>,
        /// How many more there are.
        more: usize,
    },
    /// Codes in one column, names in the others.
    Codes {
        /// The column of codes.
        column: String,
        /// Its values, as far as they may be said.
        codes: Vec<String>,
        /// The names elsewhere, as far as they may be said.
        names: Vec<String>,
    },
}

/// A value as it would be typed in a shell.
fn quoted(value: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "_-.:,=/…".contains(letter);
    if value.chars().all(plain) { value.to_owned() } else { format!("'{}'", value.replace('\'', "'\\''")) }
}

/// A part of a map as it would be typed.
fn part(value: &str) -> String {
    if value.contains([',', '=', '"', '*']) {
        format!("\"{}\"", value.replace('"', "\"\""))
    } else {
        value.to_owned()
    }
}

/// The map that a person would begin with: codes and names, each in their order.
pub(crate) fn example(column: &str, codes: &[String], names: &[String]) -> String {
    let name = |i: usize| names.get(i).map_or_else(|| "NAME".to_owned(), |name| part(name));
    let pairs: Vec<String> =
        codes.iter().enumerate().map(|(i, code)| format!("{}={}", part(code), name(i))).collect();
    let pairs = if pairs.is_empty() { "VALUE=NAME,…".to_owned() } else { pairs.join(",") };
    quoted(&format!("{column}:{pairs}"))
}

impl ColumnProblem {
    pub(crate) fn refusal(&self) -> Refusal {
        match self {
            ColumnProblem::EmptyName { asked } => said(
                format!("`{}` has an empty name between its commas", short(asked)),
                "a column's name before and after every comma",
                text!["correct {proxy}"],
            ),
            ColumnProblem::Probabilities { asked, found } => said(
                format!("`{}`: {found}", short(asked)),
                "how the columns' names begin (p_), a pattern with one star for the group (*_prob), or a list (NAME=GROUP:COLUMN,GROUP:COLUMN)",
                text![
                    "correct {proxy_probs}; of two groups, one may have no column: NAME=GROUP:COLUMN,OTHER"
                ],
            ),
            ColumnProblem::GroupsAlike { group, columns } => said(
                format!("{} are both about the group `{}`", some(columns), short(group)),
                "one column of probabilities for each group",
                "rename or remove one of them, or list the columns that are meant",
            ),
            ColumnProblem::OneSided { group, column } => {
                let name = column.split(['_', '-', '.', ' ']).next().filter(|name| name != column);
                let example = format!(
                    "{}={group}:{column},OTHER",
                    name.filter(|name| !name.is_empty()).unwrap_or("proxy")
                );
                said(
                    format!("`{}` is the only column of probabilities", short(column)),
                    "a column for each group, or the name of the other group, which has the rest",
                    text![
                        "say ",
                        Setting::ProxyProbs.to(quoted(&example)),
                        ", with the other group's name for OTHER"
                    ],
                )
            }
            ColumnProblem::WholeColumn { prefix } => said(
                "this is the whole name of one column",
                "how the names of all columns of probabilities begin",
                text!["say ", Setting::ProxyProbs.to(quoted(prefix))],
            ),
            ColumnProblem::ProbabilitiesAsGuesses { column, prefix } => {
                let found = "the column holds numbers between 0 and 1, which look like probabilities";
                let needed = "a column that names a group on each row";
                match prefix {
                    Some(prefix) => {
                        said(found, needed, text!["say ", Setting::ProxyProbs.to(quoted(prefix)), " instead"])
                    }
                    None => {
                        let example = format!("proxy=GROUP:{column},OTHER");
                        let to_do = text![
                            "say ",
                            Setting::ProxyProbs.to(quoted(&example)),
                            " instead, with the names of the group and of the other one"
                        ];
                        said(found, needed, to_do)
                    }
                }
            }
            ColumnProblem::MapForm { asked, found } => said(
                format!("`{}`: {found}", short(asked)),
                "COLUMN:VALUE=NAME,VALUE=NAME, each value once",
                text!["correct {map}; text with a comma, a colon or an = goes between double quotes"],
            ),
            ColumnProblem::MapIdle => said(
                "a map is given for this column, and nothing reads it",
                "a column of decisions, labels, guesses, groups or segments",
                text!["name the column for what it is, or leave out {map}"],
            ),
            ColumnProblem::Unmapped { value, more } => {
                let value = value.as_ref().map_or("here".to_owned(), |value| format!("`{}`", short(value)));
                let more = match more {
                    0 => String::new(),
                    1 => ", nor has one more".to_owned(),
                    more => format!(", nor have {more} more"),
                };
                said(
                    format!("the value {value} has no name in the map{more}"),
                    "a name for every value of the column",
                    text![
                        "add it to {map}: 3=NAME names it, 3= makes it mean nothing, *=NAME takes all others"
                    ],
                )
            }
            ColumnProblem::Codes { column, codes, names } => said(
                format!(
                    "`{}` says {}, and elsewhere the groups are {}",
                    short(column),
                    some(codes),
                    some(names)
                ),
                "groups that are written alike",
                text![
                    "map them: ",
                    Setting::Map.to(example(column, codes, names)),
                    ", with each code at the name it stands for"
                ],
            ),
        }
    }
}
