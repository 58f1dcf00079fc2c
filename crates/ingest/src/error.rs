//! What is wrong with a table: what was found and where, what was needed, what to do.

use std::fmt;

/// Where in the input something was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The file, or `standard input`.
    pub file: String,
    /// The line, or the row.
    pub spot: Option<Spot>,
    /// The column.
    pub column: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.file)?;
        match self.spot {
            Some(Spot::Line(line)) => write!(f, ", line {line}")?,
            Some(Spot::Row(row)) => write!(f, ", row {row}")?,
            None => {}
        }
        match &self.column {
            Some(column) => write!(f, ", column `{column}`"),
            None => Ok(()),
        }
    }
}

/// A line of a text, or a row of a table that has no lines, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    /// A line of the file.
    Line(u64),
    /// A row of the table, the header not counted.
    Row(u64),
}

/// A table that cannot be read or makes no sense. Nothing was written.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {}\n  needed: {}\n  to do:  {}", .problem.found(), .problem.needed(), .problem.to_do())]
pub struct IngestError {
    /// Where.
    pub place: Place,
    /// What.
    pub problem: Problem,
}

/// What is wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The bytes cannot be read.
    Unreadable(std::io::Error),
    /// No bytes.
    EmptyFile,
    /// A header and nothing else.
    NoRows,
    /// Another format, told by its first bytes.
    Format(&'static str),
    /// A row with more or fewer fields than the header.
    FieldCount {
        /// How many fields the row has.
        found: u64,
        /// How many the header has.
        needed: u64,
    },
    /// Bytes that are no UTF-8.
    NotUtf8,
    /// A column that the table does not have.
    NoSuchColumn {
        /// What it would have been for.
        role: &'static str,
        /// The column whose name is nearest.
        nearest: Option<String>,
        /// All columns.
        columns: Vec<String>,
    },
    /// No column of the default name, and none was named.
    NotSaid {
        /// What it would have been for.
        role: &'static str,
        /// The default name.
        default: &'static str,
        /// The flag that names it.
        flag: &'static str,
        /// All columns.
        columns: Vec<String>,
    },
    /// Two columns of the same name.
    DuplicateColumn,
    /// One column asked for in two roles.
    UsedTwice {
        /// The first.
        first: &'static str,
        /// The second.
        second: &'static str,
    },
    /// Too many distinct values.
    TooManyValues {
        /// What the column would have been.
        what: &'static str,
        /// How many distinct values are accepted.
        limit: usize,
    },
    /// One group, or one class.
    TooFew {
        /// `groups` or `classes`.
        what: &'static str,
        /// What there is.
        found: Vec<String>,
    },
    /// A guess that only one proxy knows.
    LonelyGuess {
        /// The guess.
        value: String,
        /// What the other proxies know.
        known: Vec<String>,
    },
    /// A value outside `--groups`.
    UnknownGroup {
        /// The value.
        value: String,
        /// The groups.
        groups: Vec<String>,
    },
    /// A true group that no proxy guesses.
    UnknownTruth {
        /// The value.
        value: String,
        /// The groups.
        groups: Vec<String>,
    },
    /// A proxy of the audited table that another table does not have.
    ProxyMissing {
        /// The proxies it has.
        found: Vec<String>,
    },
    /// No proxy gives probabilities, or the first never guesses some group.
    NoProbabilities,
    /// A model decides between other classes than the first.
    OtherClasses {
        /// The classes of the first model.
        first: Vec<String>,
        /// Those of this one.
        found: Vec<String>,
    },
    /// No row has a known group.
    NoAuditLabels,
    /// A column of weights in a tally, whose sums hold them.
    WeightInTally {
        /// The column that counts.
        count: String,
    },
    /// A column `count`, and columns that a tally of these would not have.
    PerhapsTally {
        /// Those columns.
        left_over: Vec<String>,
    },
    /// A count that is none.
    Count {
        /// What was found.
        value: String,
    },
    /// More rows than can be counted.
    TooManyRows,
    /// What rounding left of a sum, and cannot be read.
    Rest {
        /// What was found.
        value: String,
    },
    /// Rows of a tally that the database found to make no sense.
    Invalid {
        /// How many.
        rows: f64,
    },
    /// A file with other columns than the first.
    OtherColumns {
        /// Columns of the first that have a role.
        first: Vec<String>,
        /// Those of this one.
        found: Vec<String>,
    },
    /// A file whose rows cannot stand behind those of the first.
    OtherLayout {
        /// Columns of the first.
        first: Vec<String>,
        /// Those of this one.
        found: Vec<String>,
    },
    /// A file whose columns have other types than those of the first.
    OtherTypes,
    /// A column to be added that is there already.
    ColumnExists,
    /// A column `count` where every row must be one person.
    RowsOfMany,
    /// A key of a JSON object that came too late to be given a role.
    LateColumn,
    /// A quoted field that does not end.
    OpenQuote,
    /// A JSON text that is none.
    Json(String),
    /// A value that is a list or an object.
    Nested,
    /// A file that its own format calls broken.
    Damaged {
        /// The format.
        format: &'static str,
        /// What the format's reader says.
        detail: String,
    },
    /// A column of a type that holds no group, class or number.
    Type {
        /// The type.
        found: String,
    },
    /// A source that makes a tally beside other inputs.
    Mixed,
    /// A name with `*` or `?` that fits no file.
    NoMatch,
    /// A file that is named twice.
    FileTwice,
    /// Two key columns of one name, which a tally could not keep apart.
    SameName,
    /// The tally has a column of this name itself.
    ReservedName,
    /// A tally where rows are needed.
    RowsNeeded,
    /// Noise on a tally that gives known groups.
    NoisedLabels,
    /// A tally to which noise cannot be added.
    NoNoise {
        /// What stands against it.
        found: String,
    },
    /// A group listed twice in `--groups`.
    GroupTwice {
        /// The group.
        value: String,
    },
    /// A group of `--groups` that no proxy ever guesses.
    GroupNeverGuessed {
        /// The group.
        value: String,
        /// What is guessed.
        known: Vec<String>,
    },
    /// A positive class that does not occur.
    UnknownPositive {
        /// What was asked for.
        value: String,
        /// The classes.
        classes: Vec<String>,
    },
    /// The positive class was not said and is not obvious.
    PositiveNotSaid {
        /// The classes.
        classes: Vec<String>,
    },
    /// Predictions and labels have no value in common.
    Disjoint {
        /// Values of the predictions.
        predictions: Vec<String>,
        /// Values of the labels.
        labels: Vec<String>,
    },
    /// A weight that is none.
    Weight {
        /// What was found.
        value: String,
    },
    /// A probability that is none.
    Probability {
        /// What was found.
        value: String,
    },
    /// Probabilities of one row that do not sum to one.
    ProbabilitySum {
        /// Their sum.
        sum: f64,
    },
    /// Probabilities given for some groups of a row and missing for others.
    ProbabilityMissing,
    /// Probability proxies that speak about different groups.
    ProbabilityGroups {
        /// Groups of the first.
        first: Vec<String>,
        /// Groups of this one.
        found: Vec<String>,
    },
    /// A row whose true group is missing.
    TruthMissing,
    /// More cells than fit in memory.
    TooManyCells {
        /// How many are accepted.
        limit: usize,
    },
    /// Every row was left out.
    NoPredictions,
    /// The rows weigh nothing.
    NoWeight,
    /// The tally was refused for a reason that the reader does not know.
    Counts(fairveil_core::CountsError),
    /// Features cannot be used, or no neighbours found by them.
    Features(crate::features::FeatureProblem),
    /// Rows that no rule can be learned from.
    Training(crate::training::TrainingProblem),
    /// A row that a rule cannot decide about.
    Rule(crate::training::RuleProblem),
    /// No query can be written.
    Sql(crate::sql::SqlProblem),
    /// A database does not answer, or refuses.
    #[cfg(feature = "postgres")]
    Database(crate::postgres::DatabaseProblem),
}

/// Names in a sentence, the first few of many.
pub(crate) fn some(names: &[String]) -> String {
    const MOST: usize = 12;
    let shown: Vec<String> = names.iter().take(MOST).map(|name| format!("`{}`", short(name))).collect();
    match names.len() {
        0 => "none".into(),
        n if n > MOST => format!("{} and {} more", shown.join(", "), n - MOST),
        _ => shown.join(", "),
    }
}

/// The first letters of a long value.
pub(crate) fn short(value: &str) -> String {
    const MOST: usize = 60;
    match value.chars().count() > MOST {
        true => value.chars().take(MOST).chain(['…']).collect(),
        false => value.to_owned(),
    }
}

impl Problem {
    /// What was found.
    pub fn found(&self) -> String {
        match self {
            Problem::Unreadable(error) => format!("cannot be read: {error}"),
            Problem::EmptyFile => "the file is empty".into(),
            Problem::NoRows => "there is a header and no row".into(),
            Problem::Format(format) => format!("this looks like {format}"),
            Problem::FieldCount { found, needed } => {
                format!("the row has {found} fields, the header {needed}")
            }
            Problem::NotUtf8 => "the bytes are not UTF-8".into(),
            Problem::NoSuchColumn { .. } => "there is no such column".into(),
            Problem::NotSaid { role, default, .. } => format!("no column `{default}` to use as {role}"),
            Problem::DuplicateColumn => "the header has this name more than once".into(),
            Problem::UsedTwice { first, second } => {
                format!("the column is asked for as {first} and as {second}")
            }
            Problem::TooManyValues { what, limit } => {
                format!("more than {limit} distinct values; this does not look like a {what}")
            }
            Problem::TooFew { what, found } => format!("fewer than two {what}: {}", some(found)),
            Problem::LonelyGuess { value, .. } => {
                format!("the guess `{}` is known to no other proxy", short(value))
            }
            Problem::UnknownGroup { value, .. } => format!("`{}` is not one of the groups", short(value)),
            Problem::UnknownTruth { value, .. } => {
                format!("the true group `{}` is guessed by no proxy", short(value))
            }
            Problem::ProxyMissing { found } => format!("this proxy is not here; there are {}", some(found)),
            Problem::NoProbabilities => "no row guessed here has probabilities for every group".into(),
            Problem::OtherClasses { first, found } => {
                format!("this model decides between {}, the first between {}", some(found), some(first))
            }
            Problem::NoAuditLabels => "no row has a known group in this column".into(),
            Problem::WeightInTally { count } => {
                format!("a column of weights in a tally, whose column `{count}` holds their sums")
            }
            Problem::PerhapsTally { left_over } => {
                format!("this may be a tally, but {} would not be used", some(left_over))
            }
            Problem::Count { value } => format!("the count is `{}`", short(value)),
            Problem::TooManyRows => "the counts add up to more than 9e15 rows".into(),
            Problem::Rest { value } => format!("what is left of rounding is `{}`", short(value)),
            Problem::Invalid { rows } => {
                format!("{rows} rows behind this tally have a weight or probabilities that make no sense")
            }
            Problem::OtherColumns { first, found } => {
                format!("the columns used here are {}, in the first file {}", some(found), some(first))
            }
            Problem::OtherLayout { first, found } => {
                format!("the columns are {}, in the first file {}", some(found), some(first))
            }
            Problem::OtherTypes => "the columns have other types than in the first file".into(),
            Problem::ColumnExists => "the table has a column of this name already".into(),
            Problem::RowsOfMany => {
                "a column of this name is in a tally, whose rows stand for many people".into()
            }
            Problem::LateColumn => "this key was in none of the first objects".into(),
            Problem::OpenQuote => "a quoted field begins here and does not end".into(),
            Problem::Json(error) => format!("no JSON object: {error}"),
            Problem::Nested => "the value is a list or an object".into(),
            Problem::Damaged { format, detail } => format!("this {format} cannot be read: {detail}"),
            Problem::Type { found } => format!("the column has the type {found}"),
            Problem::Mixed => "a database is named beside other inputs".into(),
            Problem::NoMatch => "no file fits this name".into(),
            Problem::FileTwice => "the file is named twice, and its rows would be counted twice".into(),
            Problem::SameName => "a column and the proxy that probabilities make have this name".into(),
            Problem::RowsNeeded => "this is a tally, and estimator confident-joint looks at each row".into(),
            Problem::ReservedName => "a tally has a column of this name of its own".into(),
            Problem::NoisedLabels => {
                "this is a tally with noise, and known groups are counted exactly".into()
            }
            Problem::NoNoise { found } => found.clone(),
            Problem::GroupTwice { value } => format!("--groups lists `{}` twice", short(value)),
            Problem::GroupNeverGuessed { value, .. } => format!("no proxy ever guesses the group `{value}`"),
            Problem::UnknownPositive { value, .. } => format!("the positive class `{value}` does not occur"),
            Problem::PositiveNotSaid { classes } => {
                format!("the classes are {}, and it is not obvious which one is positive", some(classes))
            }
            Problem::Disjoint { predictions, labels } => format!(
                "predictions ({}) and labels ({}) have no value in common",
                some(predictions),
                some(labels)
            ),
            Problem::Weight { value } => format!("the weight is `{}`", short(value)),
            Problem::Probability { value } => format!("the probability is `{}`", short(value)),
            Problem::ProbabilitySum { sum } => format!("the probabilities of the row sum to {sum:.4}"),
            Problem::ProbabilityMissing => {
                "some probabilities of the row are missing and some are not".into()
            }
            Problem::ProbabilityGroups { first, found } => format!(
                "these probabilities are about {}, those of the first such proxy about {}",
                some(found),
                some(first)
            ),
            Problem::TruthMissing => "the true group is missing".into(),
            Problem::TooManyCells { limit } => {
                format!("more than {limit} different combinations of prediction, label and guesses")
            }
            Problem::NoPredictions => "no row has a prediction".into(),
            Problem::NoWeight => "all weights are 0".into(),
            Problem::Counts(error) => error.to_string(),
            Problem::Features(problem) => problem.found(),
            Problem::Training(problem) => problem.found(),
            Problem::Rule(problem) => problem.found(),
            Problem::Sql(problem) => problem.found(),
            #[cfg(feature = "postgres")]
            Problem::Database(problem) => problem.found(),
        }
    }

    /// What was needed.
    pub fn needed(&self) -> String {
        match self {
            Problem::Unreadable(_) | Problem::Format(_) | Problem::NotUtf8 => {
                "a table in CSV, TSV or JSON lines (UTF-8; plain, gzip or zstd), Parquet or Arrow".into()
            }
            Problem::EmptyFile | Problem::NoRows => "a header line and at least one row".into(),
            Problem::FieldCount { .. } => "as many fields in every row as in the header".into(),
            Problem::NoSuchColumn { role, .. } | Problem::NotSaid { role, .. } => {
                format!("a column for {role}")
            }
            Problem::DuplicateColumn => "one column of each name that is used".into(),
            Problem::UsedTwice { .. } => "each column in one role".into(),
            Problem::TooManyValues { what: "class", limit } => {
                format!("decisions from at most {limit} classes")
            }
            Problem::TooManyValues { what, limit } => {
                format!("a {what} for each row, at most {limit} in all")
            }
            Problem::TooFew { what, .. } => format!("at least two {what} to compare"),
            Problem::LonelyGuess { known, .. } => {
                format!("proxies that guess the same groups (the others know {})", some(known))
            }
            Problem::UnknownGroup { groups, .. } | Problem::UnknownTruth { groups, .. } => {
                format!("one of {}", some(groups))
            }
            Problem::ProxyMissing { .. } => "every proxy of the audited table, under the same name".into(),
            Problem::NoProbabilities => "probabilities of each group among rows guessed so".into(),
            Problem::OtherClasses { .. } => "models that decide between the same classes".into(),
            Problem::NoAuditLabels => "the true group on a few rows, chosen at random".into(),
            Problem::WeightInTally { .. } => "weights summed once".into(),
            Problem::PerhapsTally { .. } => "to know whether a row stands for one person or for many".into(),
            Problem::Count { .. } => "a whole number from 0 (of weights: any number from 0; below 0 only where the tally tells of noise)".into(),
            Problem::TooManyRows => "as many rows as can be told from one more".into(),
            Problem::Rest { .. } => "what `fairveil count` wrote".into(),
            Problem::Invalid { .. } => {
                "weights from 0 to 1e12, and probabilities from 0 to 1 that sum to 1 (0.99 to 1.01)".into()
            }
            Problem::OtherColumns { .. } => "the same columns in every file, in any order".into(),
            Problem::OtherLayout { .. } => "the same columns in the same order in every file".into(),
            Problem::OtherTypes => "the same types in every file".into(),
            Problem::ColumnExists => "a name that no column has".into(),
            Problem::RowsOfMany => "rows that are one person each".into(),
            Problem::LateColumn => {
                "every key that is used in one of the first objects, null where there is no value".into()
            }
            Problem::OpenQuote => "a closing quote".into(),
            Problem::Json(_) => {
                "one object with the columns as keys on each line, or an array of objects".into()
            }
            Problem::Nested => "text, a number, true, false or null".into(),
            Problem::Damaged { format, .. } => format!("a complete {format}"),
            Problem::Type { .. } => "text, whole numbers, numbers, booleans or dictionaries of them".into(),
            Problem::Mixed => "one database, or files".into(),
            Problem::NoMatch => "at least one file".into(),
            Problem::FileTwice => "each file once".into(),
            Problem::SameName => "one column of each name in the tally".into(),
            Problem::RowsNeeded => "the table that the tally was made from".into(),
            Problem::ReservedName => "other names for the columns of the table".into(),
            Problem::NoisedLabels => "a tally, or a table, without noise".into(),
            Problem::NoNoise { .. } => {
                "rows that are one person each, without weights or probabilities, in at most 1,000,000 cells".into()
            }
            Problem::GroupTwice { .. } => "each group once".into(),
            Problem::GroupNeverGuessed { known, .. } => {
                format!("groups that proxies guess ({})", some(known))
            }
            Problem::UnknownPositive { classes, .. } => format!("one of the classes {}", some(classes)),
            Problem::PositiveNotSaid { .. } => "the class that counts as selected or granted".into(),
            Problem::Disjoint { .. } => "predictions and labels written in the same way".into(),
            Problem::Weight { .. } => "a number from 0 to 1e12 on every row".into(),
            Problem::Probability { .. } => "a number from 0 to 1, or nothing where the proxy abstains".into(),
            Problem::ProbabilitySum { .. } => "a sum of 1 (0.99 to 1.01 is taken for rounding)".into(),
            Problem::ProbabilityMissing => "a probability for every group, or for none".into(),
            Problem::ProbabilityGroups { .. } => {
                "probability columns for the same groups in every proxy".into()
            }
            Problem::TruthMissing => "the true group on every row".into(),
            Problem::TooManyCells { limit } => format!("at most {limit}, so that the tally fits in memory"),
            Problem::NoPredictions => "at least one row with a prediction".into(),
            Problem::NoWeight => "a positive total weight".into(),
            Problem::Counts(_) => "a tally that makes sense".into(),
            Problem::Features(problem) => problem.needed(),
            Problem::Training(problem) => problem.needed(),
            Problem::Rule(problem) => problem.needed(),
            Problem::Sql(problem) => problem.needed(),
            #[cfg(feature = "postgres")]
            Problem::Database(problem) => problem.needed(),
        }
    }

    /// What to do.
    pub fn to_do(&self) -> String {
        match self {
            Problem::Unreadable(error) if error.kind() == std::io::ErrorKind::NotFound => {
                "check the name and the folder".into()
            }
            Problem::Unreadable(_) => "check that the file is complete and that you may read it".into(),
            Problem::EmptyFile | Problem::NoRows => "check the export that made the file".into(),
            Problem::Format(_) => "export the table as CSV".into(),
            Problem::FieldCount { .. } => {
                "quote fields that hold the delimiter, or name the delimiter with --delimiter".into()
            }
            Problem::NotUtf8 => "save the table as UTF-8".into(),
            Problem::NoSuchColumn { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
            Problem::NoSuchColumn { columns, .. } | Problem::NotSaid { columns, .. } if columns.len() == 1 => {
                "the header has one column only: name what sets columns apart with --delimiter".into()
            }
            Problem::NoSuchColumn { columns, .. } => format!("choose one of {}", some(columns)),
            Problem::NotSaid { flag, columns, .. } => {
                format!("name it with {flag}; the columns are {}", some(columns))
            }
            Problem::DuplicateColumn => "rename or remove one of them".into(),
            Problem::UsedTwice { .. } => "name another column for one of them".into(),
            Problem::TooManyValues { what: "class", .. } => {
                "if these are scores, turn them into decisions first (approve from 0.5, say)".into()
            }
            Problem::TooManyValues { what: "category", .. } => {
                "leave the column out with --drop, or merge its rare values; if these are numbers, correct what is none \
                 in the first rows, or name it with --missing"
                    .into()
            }
            Problem::TooManyValues { .. } => {
                "name the column that holds the proxy's guess of the group".into()
            }
            Problem::TooFew { .. } => "check that the right column was named".into(),
            Problem::LonelyGuess { .. } => {
                "write the groups alike in every proxy; list all groups with --groups if it is meant, or name it with \
                 --missing if it means no guess"
                    .into()
            }
            Problem::UnknownGroup { .. } => {
                "correct the value, list it with --groups, or name it with --missing if it means no guess".into()
            }
            Problem::UnknownTruth { .. } => "recode the column of true groups to the groups that proxies guess".into(),
            Problem::ProxyMissing { .. } => "rename the column, or name the proxies that both tables have with --proxy".into(),
            Problem::NoProbabilities => "name a proxy with --proxy-probs, or use another estimator".into(),
            Problem::OtherClasses { .. } => "recode the decisions, or compare models of one kind".into(),
            Problem::NoAuditLabels => "fill it in on a few rows, or leave out --audit-labels".into(),
            Problem::WeightInTally { .. } => "leave the column out, or say --count none if each row is one person".into(),
            Problem::PerhapsTally { .. } => {
                "say --count count if it is a tally, --count none if each row is one person".into()
            }
            Problem::Count { .. } => "correct it, or say --count none if the column counts something else".into(),
            Problem::TooManyRows => "check the column that counts".into(),
            Problem::Rest { .. } => "make the tally anew".into(),
            Problem::Invalid { .. } => "correct these rows in the database, or leave them out with --query".into(),
            Problem::OtherColumns { .. } => "name the columns that all files have, or read the files apart".into(),
            Problem::OtherLayout { .. } => "copy the files one by one".into(),
            Problem::OtherTypes => "copy the files one by one, or write CSV or JSON lines".into(),
            Problem::ColumnExists => "rename or remove the column, or name another output column".into(),
            Problem::RowsOfMany => {
                "name the table that the tally was made from, or say --count none if each row is one person".into()
            }
            Problem::LateColumn => "write the key in the first object too, or name the columns to use".into(),
            Problem::OpenQuote => "close it, or double the quotes inside a field".into(),
            Problem::Json(_) => "check the export that made the file".into(),
            Problem::Nested => "name another column, or flatten it first".into(),
            Problem::Damaged { .. } => "check that the file is complete: copy or export it again".into(),
            Problem::Type { .. } => "name another column, or convert it to text".into(),
            Problem::Mixed => "name them apart; tallies of each can be audited together".into(),
            Problem::NoMatch => "check the name and the folder".into(),
            Problem::FileTwice => "name it once; a pattern may name it too".into(),
            Problem::SameName => "rename the column, or the columns of the probabilities".into(),
            Problem::RowsNeeded => "name the table, or use another estimator".into(),
            Problem::ReservedName => "rename the column".into(),
            Problem::NoisedLabels => "name the table that the tally was made from".into(),
            Problem::NoNoise { .. } => {
                "count fewer columns of the table itself, with --weight and --proxy-probs left out, or without --epsilon".into()
            }
            Problem::GroupTwice { .. } => "correct --groups".into(),
            Problem::GroupNeverGuessed { .. } => "leave it out of --groups".into(),
            Problem::UnknownPositive { .. } => "correct --positive".into(),
            Problem::PositiveNotSaid { classes } => {
                let example = classes.last().map_or("CLASS", String::as_str);
                format!("name it with --positive, for example --positive '{example}'")
            }
            Problem::Disjoint { .. } => "recode one of the two columns".into(),
            Problem::Weight { .. } => "correct the weight, or leave the row out of the table".into(),
            Problem::Probability { .. } | Problem::ProbabilitySum { .. } => {
                "check that the prefix names probabilities only, and correct this row; nothing is rescaled silently".into()
            }
            Problem::ProbabilityMissing => "fill them in, or leave all of them empty".into(),
            Problem::ProbabilityGroups { .. } => {
                "give every probability proxy a column for each group".into()
            }
            Problem::TruthMissing => "fill it in, or leave out --truth".into(),
            Problem::TooManyCells { .. } => "use fewer proxies or merge groups and classes".into(),
            Problem::NoPredictions => "check that the right column was named for the predictions".into(),
            Problem::NoWeight => "check the weight column".into(),
            Problem::Counts(_) => "check the table".into(),
            Problem::Features(problem) => problem.to_do(),
            Problem::Training(problem) => problem.to_do(),
            Problem::Rule(problem) => problem.to_do(),
            Problem::Sql(problem) => problem.to_do(),
            #[cfg(feature = "postgres")]
            Problem::Database(problem) => problem.to_do(),
        }
    }
}
