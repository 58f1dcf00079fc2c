//! The file that says what was done to a table's guesses: a stated matrix for each column, and what it spends.
//!
//! It is written by whoever applied the mechanism, and believed only where it agrees with itself: an epsilon must be the
//! one that its matrix gives. There is no way from an estimated matrix to such a file.

use crate::error::said;
use fairveil_core::counts::Randomized;
use fairveil_core::privacy::{Epsilon, PrivacyError, RandomizedResponse};
use fairveil_core::setting::{Job, Refusal, Refuses};
use fairveil_core::{shows_refusal, text};
use serde::Serialize;
use serde_json::Value;

/// The name of the format.
pub const MECHANISM_SCHEMA: &str = "fairveil.mechanism/1";

/// How far a stated epsilon may be from the one that its matrix gives: digits lost on the way through another program.
const EPSILON_TOLERANCE: f64 = 1e-6;

/// Why there is no epsilon.
const NO_GUARANTEE: &str = "some told guess rules out another: there is no guarantee";

/// Randomised response as it was applied to the columns of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Mechanism {
    /// The day, where it is known.
    pub date: Option<String>,
    /// The columns, each with its own matrix.
    pub columns: Vec<Randomized>,
    /// SHA-256 of the table that was written. Two releases with the same bytes are one.
    pub table_sha256: Option<String>,
    /// What was told of the same rows before.
    pub earlier: Vec<EarlierRelease>,
    /// Where chance came from, in words.
    pub generator: Option<String>,
    /// What names a secret and what it is used for, where it gives one person with one guess one answer: releases with the same name tell
    /// nothing new.
    pub answers: Option<String>,
}

/// A table told before, of the same rows.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlierRelease {
    /// The day, where it is known.
    pub date: Option<String>,
    /// Its columns.
    pub columns: Vec<String>,
    /// What it alone spent on a row; infinite where it gave no guarantee.
    pub epsilon: f64,
    /// SHA-256 of its table.
    pub table_sha256: Option<String>,
    /// What names its answers, where a secret gives them.
    pub answers: Option<String>,
}

/// Why a mechanism file is not believed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum MechanismError {
    /// No JSON at all.
    NotJson {
        /// What the parser says.
        error: String,
    },
    /// Something else.
    Schema {
        /// What it says it is.
        found: String,
    },
    /// A part that is absent or of another kind.
    Part {
        /// Which part.
        what: String,
        /// What is there.
        found: String,
        /// What belongs there.
        needed: &'static str,
    },
    /// A column, or a group, that is there twice.
    Twice {
        /// A column or a group.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// A matrix that is none.
    Matrix {
        /// The column.
        column: String,
        /// What is wrong with it.
        error: PrivacyError,
    },
    /// A matrix of another size than its list of groups.
    Shape {
        /// The column.
        column: String,
        /// Rows of the matrix.
        rows: usize,
        /// Groups.
        groups: usize,
    },
    /// An epsilon that is not the matrix's.
    Epsilon {
        /// A column, or the row as a whole.
        what: String,
        /// What the file says.
        stated: String,
        /// What the matrix says.
        given: String,
    },
}

impl Refuses for MechanismError {
    fn refusal(&self) -> Refusal {
        let a_file = |found: String| {
            let schema = format!("a mechanism file (`\"schema\": \"{MECHANISM_SCHEMA}\"`), as `");
            Refusal::new(found).needed(text![schema, Job::Privatize, "` writes it"])
        };
        let written = || text!["use the file that `{!privatize}` wrote"];
        match self {
            MechanismError::NotJson { error } => a_file(format!("this is no JSON: {error}")),
            MechanismError::Schema { found } => a_file(format!("the schema is {found}")),
            MechanismError::Part { what, found, needed } => {
                said(format!("{what} is {found}"), *needed, written())
            }
            MechanismError::Twice { what, name } => {
                said(format!("{what} `{name}` is there twice"), "each once", written())
            }
            MechanismError::Matrix { column, error } => said(
                format!("column `{column}`: {error}"),
                "a row for each guess whose probabilities sum to 1",
                "state the matrix that was applied, with all its digits",
            ),
            MechanismError::Shape { column, rows, groups } => said(
                format!("column `{column}`: the matrix has {rows} rows and there are {groups} groups"),
                "a row and a column for each group",
                "list the groups in the order of the matrix",
            ),
            MechanismError::Epsilon { what, stated, given } => said(
                format!("{what}: epsilon is stated as {stated}, and what was applied gives {given}"),
                "the epsilon of the matrix, null where it is infinite",
                text![written(), "; an epsilon belongs to the mechanism that was applied"],
            ),
        }
    }
}

shows_refusal!(MechanismError);

impl Mechanism {
    /// What this release alone spends on a row that has a guess in every column.
    pub fn epsilon_here(&self) -> Epsilon {
        self.columns.iter().map(|column| column.response.epsilon()).sum()
    }

    /// What was spent on a row before. The same answers again spend nothing.
    pub fn epsilon_earlier(&self) -> f64 {
        let mut known: Vec<&String> = self.answers.iter().collect();
        let mut sum = 0.0;
        for release in &self.earlier {
            match &release.answers {
                Some(answers) if known.contains(&answers) => {}
                answers => {
                    known.extend(answers);
                    sum += release.epsilon;
                }
            }
        }
        sum
    }

    /// What all releases together spend on a row: it adds up. Infinite where one gives no guarantee.
    pub fn epsilon_per_row(&self) -> f64 {
        self.epsilon_here().value() + self.epsilon_earlier()
    }

    /// Adds what another mechanism says was told of the same rows, each release once: releases with the same bytes are one.
    pub fn add_earlier(&mut self, other: &Mechanism) {
        let itself = EarlierRelease {
            date: other.date.clone(),
            columns: other.columns.iter().map(|column| column.column.clone()).collect(),
            epsilon: other.epsilon_here().value(),
            table_sha256: other.table_sha256.clone(),
            answers: other.answers.clone(),
        };
        for release in other.earlier.iter().cloned().chain([itself]) {
            let same = |known: &EarlierRelease| {
                known.table_sha256.is_some() && known.table_sha256 == release.table_sha256
            };
            if !self.earlier.iter().any(same) {
                self.earlier.push(release);
            }
        }
    }

    /// The mechanism as a file; `version` is the program's.
    pub fn to_json(&self, version: &str) -> String {
        let columns = self.columns.iter().map(|column| ColumnFile {
            column: &column.column,
            groups: &column.groups,
            matrix: column.response.rows(),
            spent: Spent::new(column.response.epsilon().value()),
        });
        let earlier = self.earlier.iter().map(|release| EarlierFile {
            date: release.date.as_deref(),
            columns: &release.columns,
            spent: Spent::new(release.epsilon),
            table_sha256: release.table_sha256.as_deref(),
            answers: release.answers.as_deref(),
        });
        let total = Spent::new(self.epsilon_per_row());
        let file = MechanismFile {
            schema: MECHANISM_SCHEMA,
            version,
            date: self.date.as_deref(),
            columns: columns.collect(),
            epsilon_per_row: total.epsilon,
            unavailable: total.unavailable,
            earlier: earlier.collect(),
            table_sha256: self.table_sha256.as_deref(),
            generator: self.generator.as_deref(),
            answers: self.answers.as_deref(),
        };
        // Plain data: names and finite numbers.
        serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
    }

    /// Reads a file, and believes it only where it agrees with itself.
    ///
    /// ```
    /// # use fairveil_ingest::Mechanism;
    /// let file = r#"{"schema": "fairveil.mechanism/1", "columns": [
    ///     {"column": "surname", "groups": ["a", "b"], "matrix": [[0.6, 0.4], [0.4, 0.6]], "epsilon": 0.4054651}]}"#;
    /// let told = Mechanism::from_json(file)?;
    /// assert!((told.epsilon_per_row() - 1.5_f64.ln()).abs() < 1e-12);
    /// assert!(Mechanism::from_json(&file.replace("0.4054651", "0.3")).is_err());
    /// # Ok::<(), fairveil_ingest::MechanismError>(())
    /// ```
    pub fn from_json(text: &str) -> Result<Self, MechanismError> {
        let root: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|error| MechanismError::NotJson { error: error.to_string() })?;
        if root["schema"] != MECHANISM_SCHEMA {
            let found = match &root["schema"] {
                Value::Null => "not said".to_owned(),
                other => short(other),
            };
            return Err(MechanismError::Schema { found });
        }
        let mut columns: Vec<Randomized> = Vec::new();
        for value in list(&root["columns"], "`columns`", "a list of columns")? {
            let column = column(value)?;
            if columns.iter().any(|other| other.column == column.column) {
                return Err(MechanismError::Twice { what: "column", name: column.column });
            }
            columns.push(column);
        }
        if columns.is_empty() {
            let (what, found) = ("`columns`".into(), "empty".into());
            return Err(MechanismError::Part { what, found, needed: "at least one column" });
        }
        let mut earlier = Vec::new();
        if !root["earlier"].is_null() {
            for value in list(&root["earlier"], "`earlier`", "a list of releases")? {
                earlier.push(earlier_release(value)?);
            }
        }
        let mechanism = Mechanism {
            date: text_or_nothing(&root["date"], "`date`")?,
            table_sha256: text_or_nothing(&root["table_sha256"], "`table_sha256`")?,
            generator: text_or_nothing(&root["generator"], "`generator`")?,
            answers: text_or_nothing(&root["answers"], "`answers`")?,
            columns,
            earlier,
        };
        if root.get("epsilon_per_row").is_some() {
            check_epsilon(&root["epsilon_per_row"], mechanism.epsilon_per_row(), "all columns together")?;
        }
        Ok(mechanism)
    }
}

/// The file, in the order in which it is read by people.
#[derive(Serialize)]
struct MechanismFile<'m> {
    schema: &'m str,
    version: &'m str,
    date: Option<&'m str>,
    columns: Vec<ColumnFile<'m>>,
    epsilon_per_row: Option<f64>,
    unavailable: Option<&'m str>,
    earlier: Vec<EarlierFile<'m>>,
    table_sha256: Option<&'m str>,
    generator: Option<&'m str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<&'m str>,
}

#[derive(Serialize)]
struct ColumnFile<'m> {
    column: &'m str,
    groups: &'m [String],
    matrix: &'m [Vec<f64>],
    #[serde(flatten)]
    spent: Spent,
}

#[derive(Serialize)]
struct EarlierFile<'m> {
    date: Option<&'m str>,
    columns: &'m [String],
    #[serde(flatten)]
    spent: Spent,
    table_sha256: Option<&'m str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<&'m str>,
}

/// An epsilon, or null and why.
#[derive(Serialize)]
struct Spent {
    epsilon: Option<f64>,
    unavailable: Option<&'static str>,
}

impl Spent {
    fn new(epsilon: f64) -> Self {
        let finite = epsilon.is_finite();
        Spent { epsilon: finite.then_some(epsilon), unavailable: (!finite).then_some(NO_GUARANTEE) }
    }
}

fn column(value: &Value) -> Result<Randomized, MechanismError> {
    let name = text(&value["column"], "the name of a column")?;
    let part = |part: &str| format!("column `{name}`: `{part}`");
    let groups = list(&value["groups"], &part("groups"), "a list of names")?;
    let groups: Vec<String> =
        groups.iter().map(|group| text(group, &part("groups"))).collect::<Result<_, _>>()?;
    if let Some((_, twice)) = groups.iter().enumerate().find(|(i, group)| groups[..*i].contains(group)) {
        return Err(MechanismError::Twice { what: "group", name: twice.clone() });
    }
    let matrix = matrix(&value["matrix"], &part("matrix"))?;
    if matrix.len() != groups.len() {
        return Err(MechanismError::Shape { column: name, rows: matrix.len(), groups: groups.len() });
    }
    let response = RandomizedResponse::new(matrix);
    let response = response.map_err(|error| MechanismError::Matrix { column: name.clone(), error })?;
    check_epsilon(&value["epsilon"], response.epsilon().value(), &format!("column `{name}`"))?;
    Ok(Randomized { column: name, groups, response })
}

/// Rows of numbers, whatever they mean.
pub(crate) fn matrix(value: &Value, what: &str) -> Result<Vec<Vec<f64>>, MechanismError> {
    const ROWS: &str = "a list of rows, each a list of numbers";
    let number = |value: &Value| {
        let part = || MechanismError::Part { what: what.to_owned(), found: short(value), needed: ROWS };
        value.as_f64().ok_or_else(part)
    };
    let row = |value: &Value| list(value, what, ROWS)?.iter().map(number).collect();
    list(value, what, ROWS)?.iter().map(row).collect()
}

/// A matrix that is to be applied: `{"groups": […], "matrix": [[…]]}`, rows for guesses, columns for what is told.
pub fn stated_matrix(text_of_file: &str) -> Result<(Vec<String>, RandomizedResponse), MechanismError> {
    let root: Value = serde_json::from_str(text_of_file.trim_start_matches('\u{feff}'))
        .map_err(|error| MechanismError::NotJson { error: error.to_string() })?;
    let names = list(&root["groups"], "`groups`", "the groups in the order of the matrix")?;
    let name = |value: &Value| Ok(crate::canonical(&text(value, "a group")?).into_owned());
    let groups: Vec<String> = names.iter().map(name).collect::<Result<_, _>>()?;
    if let Some((_, twice)) = groups.iter().enumerate().find(|(i, group)| groups[..*i].contains(group)) {
        return Err(MechanismError::Twice { what: "group", name: twice.clone() });
    }
    let rows = matrix(&root["matrix"], "`matrix`")?;
    let column = "the matrix".to_owned();
    if rows.len() != groups.len() {
        return Err(MechanismError::Shape { column, rows: rows.len(), groups: groups.len() });
    }
    let response = RandomizedResponse::new(rows);
    Ok((groups, response.map_err(|error| MechanismError::Matrix { column, error })?))
}

fn earlier_release(value: &Value) -> Result<EarlierRelease, MechanismError> {
    let columns = list(&value["columns"], "`columns` of an earlier release", "a list of names")?;
    let epsilon = match &value["epsilon"] {
        Value::Null if value.get("epsilon").is_some() => f64::INFINITY,
        other => other.as_f64().filter(|epsilon| *epsilon >= 0.0).ok_or_else(|| MechanismError::Part {
            what: "`epsilon` of an earlier release".into(),
            found: short(other),
            needed: "a number from 0, or null where there was no guarantee",
        })?,
    };
    Ok(EarlierRelease {
        date: text_or_nothing(&value["date"], "`date` of an earlier release")?,
        columns: columns
            .iter()
            .map(|name| text(name, "a column of an earlier release"))
            .collect::<Result<_, _>>()?,
        epsilon,
        table_sha256: text_or_nothing(&value["table_sha256"], "`table_sha256` of an earlier release")?,
        answers: text_or_nothing(&value["answers"], "`answers` of an earlier release")?,
    })
}

fn check_epsilon(stated: &Value, given: f64, what: &str) -> Result<(), MechanismError> {
    let right = match stated {
        Value::Null => given.is_infinite(),
        stated => stated.as_f64().is_some_and(|stated| (stated - given).abs() <= EPSILON_TOLERANCE),
    };
    let shown =
        |epsilon: f64| if epsilon.is_finite() { epsilon.to_string() } else { "an infinite one".into() };
    if right {
        Ok(())
    } else {
        Err(MechanismError::Epsilon { what: what.to_owned(), stated: short(stated), given: shown(given) })
    }
}

fn list<'v>(value: &'v Value, what: &str, needed: &'static str) -> Result<&'v Vec<Value>, MechanismError> {
    value.as_array().ok_or_else(|| MechanismError::Part {
        what: what.to_owned(),
        found: short(value),
        needed,
    })
}

fn text(value: &Value, what: &str) -> Result<String, MechanismError> {
    let found = value.as_str().map(str::to_owned);
    found.ok_or_else(|| MechanismError::Part { what: what.to_owned(), found: short(value), needed: "a text" })
}

fn text_or_nothing(value: &Value, what: &str) -> Result<Option<String>, MechanismError> {
    match value {
        Value::Null => Ok(None),
        value => text(value, what).map(Some),
    }
}

/// A value in a message.
fn short(value: &Value) -> String {
    let text = match value {
        Value::Null => return "absent".into(),
        value => value.to_string(),
    };
    if text.chars().count() > 60 { text.chars().take(60).chain(['…']).collect() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn column(name: &str, response: RandomizedResponse) -> Randomized {
        let groups = (0..response.groups()).map(|group| format!("group {group}")).collect();
        Randomized { column: name.to_owned(), groups, response }
    }

    fn mechanism(columns: Vec<Randomized>, digest: &str) -> Mechanism {
        let generator = Some("ChaCha20".to_owned());
        let (date, table_sha256) = (Some("2026-01-02".to_owned()), Some(digest.to_owned()));
        Mechanism { date, columns, table_sha256, earlier: Vec::new(), generator, answers: None }
    }

    #[test]
    fn a_file_reads_back_as_it_was_written() {
        let flip = RandomizedResponse::flip(3, 0.2).unwrap();
        let odd = RandomizedResponse::new(vec![vec![2.0 / 3.0, 1.0 / 3.0], vec![0.1, 0.9]]).unwrap();
        let one_way = RandomizedResponse::new(vec![vec![0.8, 0.2], vec![0.0, 1.0]]).unwrap();
        let mut last = mechanism(vec![column("a", flip), column("b", odd)], "2");
        last.add_earlier(&mechanism(vec![column("c", one_way)], "1"));
        let file = last.to_json("0.1.0");
        assert_eq!(Mechanism::from_json(&file).unwrap(), last);
        assert!(file.contains("\"epsilon_per_row\": null") && file.contains(NO_GUARANTEE), "{file}");
        last.earlier.clear();
        let file = last.to_json("0.1.0");
        assert_eq!(Mechanism::from_json(&file).unwrap(), last);
        assert!(!file.contains("NaN") && file.contains("\"epsilon_per_row\": 3.97"), "{file}");
    }

    #[test]
    fn releases_add_up_and_each_counts_once() {
        let one = |digest: &str| {
            let told = RandomizedResponse::with_epsilon(2, Epsilon::new(1.0).unwrap()).unwrap();
            mechanism(vec![column("a", told)], digest)
        };
        let (first, mut second, mut third) = (one("1"), one("2"), one("3"));
        second.add_earlier(&first);
        assert!((second.epsilon_per_row() - 2.0).abs() < 1e-9);
        third.add_earlier(&second);
        third.add_earlier(&first);
        assert!((third.epsilon_per_row() - 3.0).abs() < 1e-9, "{third:?}");
        // Without a digest nobody knows whether it is the same.
        let unknown = Mechanism { table_sha256: None, ..one("") };
        third.add_earlier(&unknown);
        third.add_earlier(&unknown);
        assert!((third.epsilon_per_row() - 5.0).abs() < 1e-9);
    }

    #[test]
    fn the_same_answers_again_add_nothing_and_other_answers_do() {
        let one = |digest: &str, answers: &str| {
            let told = RandomizedResponse::with_epsilon(2, Epsilon::new(1.0).unwrap()).unwrap();
            Mechanism { answers: Some(answers.to_owned()), ..mechanism(vec![column("a", told)], digest) }
        };
        let (first, mut second, mut third) = (one("1", "k"), one("2", "k"), one("3", "other"));
        second.add_earlier(&first);
        assert!((second.epsilon_per_row() - 1.0).abs() < 1e-9, "{second:?}");
        third.add_earlier(&second);
        assert!((third.epsilon_per_row() - 2.0).abs() < 1e-9, "{third:?}");
        let file = third.to_json("0.1.0");
        assert_eq!(Mechanism::from_json(&file).unwrap(), third);
    }

    #[test]
    fn a_file_that_contradicts_itself_is_refused() {
        let told = mechanism(vec![column("a", RandomizedResponse::flip(2, 0.25).unwrap())], "1");
        let good = told.to_json("0.1.0");
        let file: Value = serde_json::from_str(&good).unwrap();
        let with = |change: &dyn Fn(&mut Value)| {
            let mut file = file.clone();
            change(&mut file);
            Mechanism::from_json(&file.to_string()).map_err(|error| error.to_string())
        };
        assert!(with(&|_| {}).is_ok());
        type Change = fn(&mut Value);
        let wrong: [(Change, &str); 12] = [
            (|f| f["schema"] = "fairveil.audit/1".into(), "the schema is \"fairveil.audit/1\""),
            (|f| f["columns"] = json!([]), "`columns` is empty"),
            (|f| f["columns"] = json!({}), "`columns` is {}"),
            (|f| f["columns"][0]["matrix"][0] = json!([0.7, 0.2]), "sums to 0.9000, expected 1"),
            (
                |f| f["columns"][0]["matrix"][0] = json!([0.75, 0.15, 0.1]),
                "column `a`: the mechanism's matrix",
            ),
            (|f| f["columns"][0]["matrix"] = json!([[1.0]]), "has 1 rows and there are 2 groups"),
            (|f| f["columns"][0]["groups"] = json!(["x", "x"]), "group `x` is there twice"),
            (|f| f["columns"][0]["epsilon"] = json!(1.1), "epsilon is stated as 1.1"),
            (|f| f["columns"][0]["epsilon"] = Value::Null, "epsilon is stated as absent"),
            (|f| f["epsilon_per_row"] = json!(0.5), "all columns together: epsilon is stated as 0.5"),
            (
                |f| f["earlier"] = json!([{"columns": ["a"], "epsilon": -1}]),
                "`epsilon` of an earlier release",
            ),
            (|f| f["columns"][0]["matrix"] = json!([[0.5, 0.5], [0.5, 0.5]]), "singular"),
        ];
        for (change, needle) in wrong {
            let message = with(&change).unwrap_err();
            assert!(message.contains(needle) && message.contains("needed:"), "{message}");
        }
        assert!(Mechanism::from_json("[1").unwrap_err().to_string().contains("this is no JSON"));
        // Digits lost on the way through another program are no contradiction.
        assert!(with(&|f| f["columns"][0]["epsilon"] = json!(1.098612)).is_ok());
    }
}
