//! Everything that can be wrong with a table, each with its words.

use crate::columns::{ColumnProblem, LEAST_SAID, NAMES, example};
use crate::error::{said, short, some};
use crate::evidence::EvidenceProblem;
use crate::features::FeatureProblem;
use crate::formats::FORMATS;
#[cfg(feature = "postgres")]
use crate::postgres::DatabaseProblem;
use crate::sql::SqlProblem;
use crate::training::{RuleProblem, TrainingProblem};
use fairveil_core::counts::CountsError;
use fairveil_core::setting::{Refusal, Setting, Text};
use fairveil_core::text;
use std::io::ErrorKind;

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
        /// What names it.
        settings: &'static [Setting],
        /// All columns.
        columns: Vec<String>,
    },
    /// Names or places of a table whose rows are not there.
    NamesInTally,
    /// Tables of names that tell other groups apart than each other.
    NamesApart,
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
        /// The guess, where it may be said.
        value: Option<String>,
        /// What the other proxies know, as far as it may be said.
        known: Vec<String>,
    },
    /// A value outside the groups that were listed.
    UnknownGroup {
        /// The value, where it may be said.
        value: Option<String>,
        /// The groups.
        groups: Vec<String>,
    },
    /// A true group that no proxy guesses.
    UnknownTruth {
        /// The value, where it may be said.
        value: Option<String>,
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
    /// The chance that a row was labelled, and it is none.
    LabelProbability {
        /// What was found.
        value: String,
    },
    /// Labelled rows whose chance of being labelled is not told.
    LabelProbabilityMissing {
        /// How many.
        rows: u64,
    },
    /// Chances of being labelled of rows that are counted in another way than one by one.
    LabelProbabilityOfRows,
    /// Ids of rows that stand for many.
    IdInTally,
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
    /// A column of a tally with noise, whose values were not stated.
    Domain {
        /// What states them.
        setting: Setting,
    },
    /// Rows with a value that was not stated.
    OutsideDomain {
        /// What states them.
        setting: Setting,
    },
    /// A line of a tally that no rows give.
    ImpossibleTally {
        /// What it says.
        found: String,
        /// What rows give.
        needed: &'static str,
    },
    /// A group listed twice.
    GroupTwice {
        /// The group.
        value: String,
    },
    /// A listed group that no proxy ever guesses.
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
    /// A positive label that does not occur.
    UnknownPositiveLabel {
        /// What was asked for.
        value: String,
        /// The labels.
        labels: Vec<String>,
    },
    /// Labels with names of their own, and more than two of them or of decisions.
    LabelsOfTheirOwn {
        /// Values of the predictions.
        decisions: Vec<String>,
        /// Values of the labels.
        labels: Vec<String>,
    },
    /// The positive class was not said and is not obvious.
    PositiveNotSaid {
        /// The classes.
        classes: Vec<String>,
    },
    /// Predictions and labels have no value in common.
    Disjoint {
        /// The column of labels.
        column: String,
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
    /// An outcome that is no number, or too large a one.
    Outcome {
        /// What was found.
        value: String,
    },
    /// A score that is no number, where decisions follow from it.
    Score {
        /// What was found.
        value: String,
    },
    /// An outcome is asked of a tally that has no sums of one.
    NoOutcomeInTally,
    /// An outcome is asked of rows that borrow guesses from their neighbours.
    OutcomeBorrowed,
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
    /// What was said about columns cannot be followed.
    Columns(ColumnProblem),
    /// A number with a comma before its decimals, or with a point where commas were asked for.
    Decimals {
        /// What was found.
        value: String,
        /// Whether it is a comma.
        comma: bool,
    },
    /// Numbers with points and numbers with commas in one file.
    DecimalsMixed,
    /// A row whose true group is missing.
    TruthMissing,
    /// A row that does not say who it is about.
    IdMissing,
    /// A row whose cluster is missing.
    ClusterMissing,
    /// A row without a date that can be read.
    NoDate,
    /// More memory than may be used.
    Memory {
        /// About how many bytes the rows read so far take.
        held: u64,
        /// How many may be used.
        most: u64,
    },
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
    Counts(CountsError),
    /// Features cannot be used, or no neighbours found by them.
    Features(FeatureProblem),
    /// Evidence that is not believed, or does not go with the tally.
    Evidence(EvidenceProblem),
    /// Rows that no rule can be learned from.
    Training(TrainingProblem),
    /// A row that a rule cannot decide about.
    Rule(RuleProblem),
    /// No query can be written.
    Sql(SqlProblem),
    /// A database does not answer, or refuses.
    #[cfg(feature = "postgres")]
    Database(DatabaseProblem),
}

impl Problem {
    /// What was found, what was needed, what to do.
    pub fn refusal(&self) -> Refusal {
        let table = || format!("a table in {FORMATS}");
        const EXPORT: &str = "check the export that made the file";
        const PROBABILITIES: &str = "check that the prefix names probabilities only, and correct this row; nothing is rescaled silently";
        match self {
            Problem::Unreadable(error) => said(
                format!("cannot be read: {error}"),
                table(),
                match error.kind() {
                    ErrorKind::NotFound => "check the name and the folder",
                    _ => "check that the file is complete and that you may read it",
                },
            ),
            Problem::EmptyFile => said("the file is empty", "a header line and at least one row", EXPORT),
            Problem::NoRows => {
                said("there is a header and no row", "a header line and at least one row", EXPORT)
            }
            Problem::Format(format @ "text in UTF-16") => {
                said(format!("this looks like {format}"), table(), text!["say {encoding=utf-16}"])
            }
            Problem::Format(format) => {
                said(format!("this looks like {format}"), table(), "export the table as CSV")
            }
            Problem::FieldCount { found, needed } => said(
                format!("the row has {found} fields, the header {needed}"),
                "as many fields in every row as in the header",
                text!["quote fields that hold the delimiter, or name the delimiter with {delimiter}"],
            ),
            Problem::NotUtf8 => said(
                "the bytes are not UTF-8",
                table(),
                text![
                    "say {encoding=latin-1} if the table comes from Windows or an older program, or save it as UTF-8"
                ],
            ),
            Problem::NoSuchColumn { role, nearest, columns } => said(
                "there is no such column",
                format!("a column for {role}"),
                match nearest {
                    Some(nearest) => format!("did you mean `{}`?", short(nearest)).into(),
                    None if columns.len() == 1 => one_column(),
                    None => format!("choose one of {}", some(columns)).into(),
                },
            ),
            Problem::NotSaid { role, default, settings, columns } => said(
                format!("no column `{default}` to use as {role}"),
                format!("a column for {role}"),
                match settings {
                    _ if columns.len() == 1 => one_column(),
                    [one] => text!["name it with ", *one, "; the columns are ", some(columns)],
                    [one, other, ..] => {
                        text!["name it with ", *one, " or ", *other, "; the columns are ", some(columns)]
                    }
                    [] => format!("the columns are {}", some(columns)).into(),
                },
            ),
            Problem::DuplicateColumn => said(
                "the header has this name more than once",
                "one column of each name that is used",
                "rename or remove one of them",
            ),
            Problem::UsedTwice { first: NAMES, second: NAMES } => said(
                "the column is asked for as two kinds of names or places",
                "one kind in each column: first names, surnames or ZIP codes",
                "split the column; whole names that are written \"Last, First\" part at the comma",
            ),
            Problem::UsedTwice { first, second } => said(
                format!("the column is asked for as {first} and as {second}"),
                "each column in one role",
                "name another column for one of them",
            ),
            Problem::TooManyValues { what, limit } => {
                let found = format!("more than {limit} distinct values; this does not look like a {what}");
                let needed = format!("on every row a {what}, at most {limit} in all");
                match *what {
                    "class" => said(
                        found,
                        format!("decisions from at most {limit} classes"),
                        "if these are scores, turn them into decisions first (approve from 0.5, say)",
                    ),
                    "category" => said(
                        found,
                        needed,
                        text![
                            "leave the column out with {drop}, or merge its rare values; if these are numbers, \
                             correct what is none in the first rows, or name it with {missing}"
                        ],
                    ),
                    "value to control for" => said(
                        found,
                        needed,
                        "put values together, such as ages in bands, or name another column",
                    ),
                    _ => said(found, needed, "name the column that holds the proxy's guess of the group"),
                }
            }
            Problem::TooFew { what, found } => said(
                match found.as_slice() {
                    [] => format!("fewer than two {what}"),
                    found => format!("fewer than two {what}: {}", some(found)),
                },
                format!("at least two {what} to compare"),
                "check that the right column was named",
            ),
            Problem::LonelyGuess { value, known } => said(
                format!("no other proxy makes the guess {}", quoted(value)),
                format!("proxies that guess the same groups (the others guess {})", some_said(known)),
                text![
                    "write the groups in the same way in every proxy (a column of names or ZIP codes is not a guess); list all groups with {groups} if this is one, or name it with {missing} if it means no guess"
                ],
            ),
            Problem::UnknownGroup { value, groups } => said(
                format!("the value {} is not one of the groups", quoted(value)),
                format!("one of {}", some(groups)),
                text![
                    "correct the value, list it with {groups}, or name it with {missing} if it means no guess"
                ],
            ),
            Problem::UnknownTruth { value, groups } => said(
                format!("the true group {} is guessed by no proxy", quoted(value)),
                format!("one of {}", some(groups)),
                "recode the column of true groups to the groups that proxies guess",
            ),
            Problem::ProxyMissing { found } => said(
                format!("this proxy is not here; there are {}", some(found)),
                "every proxy of the audited table, under the same name",
                text!["rename the column, or name the proxies that both tables have with {proxy}"],
            ),
            Problem::NoProbabilities => said(
                "no row with this guess has probabilities for every group",
                "probabilities of each group among rows with each guess",
                text!["name a proxy with {proxy_probs}, or use another estimator"],
            ),
            Problem::OtherClasses { first, found } => said(
                format!("this model decides between {}, the first between {}", some(found), some(first)),
                "models that decide between the same classes",
                "recode the decisions, or compare models of one kind",
            ),
            Problem::NoAuditLabels => said(
                "no row has a known group in this column",
                "the true group on a few rows, chosen at random",
                text!["fill it in on a few rows, or leave out {audit_labels}"],
            ),
            Problem::LabelProbability { value } => said(
                format!("the chance of being labelled is `{}`", short(value)),
                "a number above 0, at most 1, on every labelled row",
                "give the chance with which the row was drawn to be labelled",
            ),
            Problem::LabelProbabilityMissing { rows } => said(
                format!("{rows} labelled rows do not say how likely they were to be labelled"),
                "a number above 0, at most 1, on every labelled row",
                text!["fill it in, or leave out {label_probability} if rows were drawn at random"],
            ),
            Problem::LabelProbabilityOfRows => said(
                "the chance of being labelled does not work with a tally or with neighbours",
                "rows that are read one by one",
                text!["give the rows themselves without neighbours, or leave out {label_probability}"],
            ),
            Problem::NamesInTally => said(
                "names or places, in a tally or a database".to_owned(),
                "rows, of which each has a name to look up",
                "give the table itself, or columns that guess a group",
            ),
            Problem::NamesApart => said(
                "tables of names with different groups".to_owned(),
                "tables of the same groups",
                "use tables of one attribute, with the same columns of groups",
            ),
            Problem::IdInTally => said(
                "a tally has ids, but its rows stand for many people",
                "rows of one person each",
                text!["give the rows themselves, or leave out {id}"],
            ),
            Problem::WeightInTally { count } => said(
                format!("a column of weights in a tally, whose column `{count}` holds their sums"),
                "weights summed once",
                text!["leave the column out, or say {count=none} if each row is one person"],
            ),
            Problem::PerhapsTally { left_over } => said(
                format!("this may be a tally, but it would not use {}", some(left_over)),
                "to know whether a row stands for one person or for many",
                text!["say {count=count} if it is a tally, {count=none} if each row is one person"],
            ),
            Problem::Count { value } => said(
                format!("the count is `{}`", short(value)),
                "a whole number from 0 (of weights: any number from 0; below 0 only where the tally tells of noise)",
                text!["correct it, or say {count=none} if the column counts something else"],
            ),
            Problem::Memory { held, most } => {
                let size = |bytes: u64| match bytes {
                    0..10_000 => format!("{bytes} bytes"),
                    10_000..10_000_000 => format!("{} KB", bytes / 1_000),
                    _ => format!("{} MB", bytes / 1_000_000),
                };
                said(
                    format!(
                        "the rows read so far take about {}, and at most {} may be used",
                        size(*held),
                        size(*most)
                    ),
                    text!["fewer different rows, fewer features, or a larger {max_memory}"],
                    text![
                        "name fewer columns, or columns with fewer different values; say {max_memory} where the \
                         machine has more"
                    ],
                )
            }
            Problem::TooManyRows => said(
                "the counts add up to more than 9e15 rows",
                "at most 9e15 rows",
                "check the column that counts",
            ),
            Problem::Rest { value } => said(
                format!("the remainder of rounding is `{}`", short(value)),
                text!["what `{!count}` wrote"],
                "make the tally anew",
            ),
            Problem::Invalid { rows } => said(
                format!("{rows} rows behind this tally have a weight or probabilities that make no sense"),
                "weights from 0 to 1e12, and probabilities from 0 to 1 that sum to 1 (0.99 to 1.01)",
                text!["correct these rows in the database, or leave them out with {query}"],
            ),
            Problem::OtherColumns { first, found } => said(
                format!("the columns used here are {}, in the first file {}", some(found), some(first)),
                "the same columns in every file, in any order",
                "name the columns that all files have, or read the files apart",
            ),
            Problem::OtherLayout { first, found } => said(
                format!("the columns are {}, in the first file {}", some(found), some(first)),
                "the same columns in the same order in every file",
                "copy the files one by one",
            ),
            Problem::OtherTypes => said(
                "the columns have different types from those in the first file",
                "the same types in every file",
                "copy the files one by one, or write CSV or JSON lines",
            ),
            Problem::ColumnExists => said(
                "the table has a column of this name already",
                "a name that no column has",
                "rename or remove the column, or name another output column",
            ),
            Problem::RowsOfMany => said(
                "a column of this name is in a tally, whose rows stand for many people",
                "rows that are one person each",
                text![
                    "name the table that the tally was made from, or say {count=none} if each row is one person"
                ],
            ),
            Problem::LateColumn => said(
                "none of the first objects has this key",
                "every key that is used in one of the first objects, null where there is no value",
                "write the key in the first object too, or name the columns to use",
            ),
            Problem::OpenQuote => said(
                "a quoted field begins here and does not end",
                "a closing quote",
                "close it, or double the quotes inside a field",
            ),
            Problem::Json(error) => said(
                format!("not a JSON object: {error}"),
                "one object with the columns as keys on each line, or an array of objects",
                EXPORT,
            ),
            Problem::Nested => said(
                "the value is a list or an object",
                "text, a number, true, false or null",
                "name another column, or flatten it first",
            ),
            Problem::Damaged { format, detail } => said(
                format!("this {format} cannot be read: {detail}"),
                format!("a complete {format}"),
                "check that the file is complete: copy or export it again",
            ),
            Problem::Type { found } => said(
                format!("the column has the type {found}"),
                "text, whole numbers, numbers, booleans or dictionaries of them",
                "name another column, or convert it to text",
            ),
            Problem::Mixed => said(
                "a database is named beside other inputs",
                "one database, or files",
                "name them apart; tallies of each can be audited together",
            ),
            Problem::NoMatch => {
                said("no file matches this name", "at least one file", "check the name and the folder")
            }
            Problem::FileTwice => said(
                "the file is named twice, and its rows would be counted twice",
                "each file once",
                "name it once; a pattern may name it too",
            ),
            Problem::SameName => said(
                "a column and the proxy that probabilities make have this name",
                "one column of each name in the tally",
                "rename the column, or the columns of the probabilities",
            ),
            Problem::ReservedName => said(
                "a tally uses this column name itself",
                "other names for the columns of the table",
                "rename the column",
            ),
            Problem::RowsNeeded => said(
                "this is a tally, and estimator confident-joint looks at each row",
                "the table that the tally was made from",
                "name the table, or use another estimator",
            ),
            Problem::NoisedLabels => said(
                "this is a tally with noise, and known groups are counted exactly",
                "a tally, or a table, without noise",
                "name the table that the tally was made from",
            ),
            Problem::NoNoise { found } => said(
                found,
                "rows that are one person each, without weights or probabilities, in at most 1,000,000 cells",
                text![
                    "count fewer columns of the table itself, with {weight} and {proxy_probs} left out, or \
                     without {epsilon}"
                ],
            ),
            Problem::Domain { setting } => said(
                "noise hides a row only where every cell that could be there gets it, and the values of this column were not stated",
                "every value that the column may hold, whether or not a row has it",
                match setting {
                    Setting::Segments => {
                        text!["state them with {segments}, a CSV file with a column of this name"]
                    }
                    setting => text!["state them with ", *setting],
                },
            ),
            Problem::OutsideDomain { setting: Setting::MayBeMissing } => said(
                "some rows have no value here, and that was not stated",
                "a value on every row, or a cell for rows without one",
                text!["name the column with {may_be_missing}"],
            ),
            Problem::OutsideDomain { setting } => said(
                "some rows have a value that was not stated",
                text!["all values among those of ", *setting],
                text!["add it to ", *setting, ", or name it with ", Setting::Missing, " if it means nothing"],
            ),
            Problem::ImpossibleTally { found, needed } => {
                said(found, *needed, "make the tally again from its rows, or correct what was edited")
            }
            Problem::GroupTwice { value } => said(
                text![Setting::Groups, format!(" lists `{}` twice", short(value))],
                "each group once",
                text!["correct {groups}"],
            ),
            Problem::GroupNeverGuessed { value, known } => said(
                format!("no proxy ever guesses the group `{value}`"),
                format!("groups that proxies guess ({})", some_said(known)),
                text!["leave it out of {groups}"],
            ),
            Problem::UnknownPositive { value, classes } => said(
                format!("the positive class `{value}` does not occur"),
                format!("one of the classes {}", some(classes)),
                text!["correct {positive}"],
            ),
            Problem::UnknownPositiveLabel { value, labels } => said(
                format!("the positive label `{value}` does not occur"),
                format!("one of the labels {}", some(labels)),
                text!["correct {positive_label}"],
            ),
            Problem::LabelsOfTheirOwn { decisions, labels } => said(
                format!("decisions are {} and labels {}", some(decisions), some(labels)),
                text!["two decisions and two labels, to use {positive_label}"],
                "recode one of the two columns",
            ),
            Problem::PositiveNotSaid { classes } => {
                let quoted = |class: &String| Setting::Positive.to(format!("'{class}'"));
                let example = match (likely_positive(classes), classes.as_slice()) {
                    (Some(class), _) => text!["for example ", quoted(class)],
                    (None, [one, other]) => text![quoted(one), " or ", quoted(other)],
                    (None, _) => Setting::Positive.to("CLASS"),
                };
                said(
                    format!("the classes are {}, and it is not obvious which one is positive", some(classes)),
                    "the class that counts as selected or granted",
                    text!["name it: ", example],
                )
            }
            Problem::Disjoint { column, predictions, labels } => said(
                format!(
                    "predictions ({}) and labels ({}) have no value in common",
                    some(predictions),
                    some(labels)
                ),
                "predictions and labels written in the same way, or the label that goes with being selected",
                {
                    let name = Setting::PositiveLabel
                        .to(format!("'{}'", labels.last().map_or("LABEL", String::as_str)));
                    // A map of three labels to two predictions would be a guess.
                    match labels.len() == predictions.len() {
                        true => text![
                            "name it, for example ",
                            name,
                            ", or map one to the other: ",
                            Setting::Map.to(example(column, labels, predictions))
                        ],
                        false => text!["name it, for example ", name],
                    }
                },
            ),
            Problem::Weight { value } => said(
                format!("the weight is `{}`", short(value)),
                "a number from 0 to 1e12 on every row",
                "correct the weight, or leave the row out of the table",
            ),
            Problem::Outcome { value } => said(
                format!("the outcome is `{}`", short(value)),
                "a number from -1e12 to 1e12, or nothing where the row has none",
                match value.trim().parse::<f64>() {
                    Ok(_) => text!["give it in larger units, such as thousands"],
                    Err(_) => text!["correct it, or say what means nothing ({missing})"],
                },
            ),
            Problem::Score { value } => said(
                format!("the score is `{}`", short(value)),
                "a number on every row that has a decision",
                text!["correct it, or say what means nothing ({missing})"],
            ),
            Problem::NoOutcomeInTally => said(
                "this tally has no sums of an outcome",
                "the columns outcome_rows, outcome_weight, outcome_sum and outcome_squares",
                text!["count the rows again with {outcome}, or leave it out"],
            ),
            Problem::OutcomeBorrowed => said(
                "an outcome beside guesses that neighbours lend",
                "guesses of the rows themselves",
                text!["leave out {outcome} or {features}"],
            ),
            Problem::Probability { value } => said(
                format!("the probability is `{}`", short(value)),
                "a number from 0 to 1, or nothing where the proxy abstains",
                if value.trim().trim_end_matches('%').parse().is_ok_and(|p| 1.0 < p && p <= 100.0) {
                    "if these are percent, divide them by 100 first"
                } else {
                    PROBABILITIES
                },
            ),
            Problem::ProbabilitySum { sum } => said(
                format!("the probabilities of the row sum to {sum:.4}"),
                "a sum of 1 (0.99 to 1.01 is taken for rounding)",
                PROBABILITIES,
            ),
            Problem::ProbabilityMissing => said(
                "some probabilities of the row are missing and some are not",
                "a probability for every group, or for none",
                "fill them in, or leave all of them empty",
            ),
            Problem::ProbabilityGroups { first, found } => said(
                format!(
                    "these probabilities are about {}, those of the first such proxy about {}",
                    some(found),
                    some(first)
                ),
                "probability columns for the same groups in every proxy",
                "give every probability proxy a column for each group",
            ),
            Problem::IdMissing => said(
                "the row does not say who it is about",
                "an id on every row: answers are kept by it",
                text!["fill it in, or leave {id} and the secret out"],
            ),
            Problem::ClusterMissing => said(
                "the cluster is missing",
                "on every row, what it has in common with others",
                text!["fill it in (rows that stand alone: a value of their own), or leave out {cluster}"],
            ),
            Problem::NoDate => said(
                "there is no date, or none that can be read",
                "a date such as 2024-03-09 on every row, alone or before a time",
                text![
                    "write dates as YYYY-MM-DD, fill them in, or leave out these rows; {date} names the column"
                ],
            ),
            Problem::TruthMissing => said(
                "the true group is missing",
                "the true group on every row",
                text!["fill it in, or leave out {truth}"],
            ),
            Problem::TooManyCells { limit } => said(
                format!("more than {limit} different combinations of prediction, label and guesses"),
                format!("at most {limit}, so that the tally fits in memory"),
                "use fewer proxies or merge groups and classes",
            ),
            Problem::NoPredictions => said(
                "no row has a prediction",
                "at least one row with a prediction",
                "check that the right column was named for the predictions",
            ),
            Problem::NoWeight => {
                said("all weights are 0", "a positive total weight", "check the weight column")
            }
            Problem::Counts(error) => said(error.to_string(), "a tally that makes sense", "check the table"),
            Problem::Columns(problem) => problem.refusal(),
            Problem::Decimals { value, comma: true } => said(
                format!("the number `{}` has a comma", short(value)),
                "a point before the decimals",
                text!["say {decimal=,} if commas stand before the decimals of this table"],
            ),
            Problem::Decimals { value, comma: false } => said(
                format!(
                    "the number `{}` has a point, and commas were said to stand before decimals",
                    short(value)
                ),
                "a comma before the decimals of every number",
                text!["leave out {decimal}, or write all numbers alike"],
            ),
            Problem::DecimalsMixed => said(
                "some numbers of this file have a comma and some a point, so either may set thousands apart",
                "the same mark before the decimals of every number, and none between thousands",
                text!["write all numbers alike, or say {decimal=.} or {decimal=,}"],
            ),
            Problem::Features(problem) => problem.refusal(),
            Problem::Evidence(problem) => problem.refusal(),
            Problem::Training(problem) => problem.refusal(),
            Problem::Rule(problem) => problem.refusal(),
            Problem::Sql(problem) => problem.refusal(),
            #[cfg(feature = "postgres")]
            Problem::Database(problem) => problem.refusal(),
        }
    }
}

/// What to do where a column is not found among one.
/// A value that tells a group, if it may be said.
fn quoted(value: &Option<String>) -> String {
    match value {
        Some(value) => format!("`{}`", short(value)),
        None => "here".into(),
    }
}

/// Values that tell a group, as far as they may be said.
fn some_said(values: &[String]) -> String {
    if values.is_empty() { format!("none that {LEAST_SAID} rows say") } else { some(values) }
}

/// The class that its name says is granted, if there is one such.
fn likely_positive(classes: &[String]) -> Option<&String> {
    const GRANTED: [&str; 16] = [
        "accept", "admit", "allow", "approve", "award", "eligible", "fund", "good", "grant", "hire",
        "invite", "offer", "pass", "positive", "select", "yes",
    ];
    let granted = |class: &&String| GRANTED.iter().any(|word| class.trim().to_lowercase().starts_with(word));
    let mut found = classes.iter().filter(granted);
    found.next().filter(|_| found.next().is_none())
}

fn one_column() -> Text {
    text!["the header has one column only: name what sets columns apart with {delimiter}"]
}
