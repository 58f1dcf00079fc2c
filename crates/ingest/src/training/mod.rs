//! The rows of a table, column by column, for what learns a rule from them.
//!
//! ```text
//! Input ──look──► which features are categories ──gather──► Kept ──names──► TrainingRows
//!         first rows                                        codes, numbers  classes, guesses, features
//! ```
//! Classes, groups and the positive class are those that an audit of the same table finds. Here decisions are optional:
//! labels alone will do. A feature is a number where the first rows hold numbers or nothing, else a category; `true` and
//! `false` make a category. The values of a category are read as guesses are: `1.0` and ` 1` are `1`. Nothing is filled
//! in: what is missing comes out as such.

mod columns;
mod decide;
mod kept;
mod look;
mod problem;

pub use columns::TrainingColumns;
pub use decide::RuleProblem;
pub use problem::TrainingProblem;

use crate::cells::Cells;
use crate::columns::Columns;
use crate::error::{IngestError, Place, Problem};
use crate::fault::{Fault, FileName};
use crate::feed::{Gathered, Input, Reading, gather};
use crate::naming::Names;
use crate::plan::Plan;
use crate::read::{align, no_input};
use crate::tally::{RawTable, positions};
use crate::value::{Dictionary, sort_names};
use columns::TrainingLayout;
use fairveil_core::counts::{ExactSum, Intake};
use fairveil_core::mitigate::{Feature, FeatureValues, Rows};
use fairveil_core::vocabulary::{Class, Group, Guess};
use kept::{Kept, KeptRows, Run, at_row};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

/// The rows of a table, and where they came from.
#[derive(Debug, Clone)]
pub struct TrainingRows {
    /// The rows.
    pub rows: Rows,
    /// What became of them on their way in.
    pub intake: Intake,
    runs: Vec<Run>,
    files: Vec<FileName>,
}

impl TrainingRows {
    /// Where a row is, and a column of it, for what is found to be wrong later.
    pub fn place(&self, row: usize, column: Option<&str>) -> Place {
        let at = at_row(&self.runs, row);
        Fault { at, column: column.map(str::to_owned), problem: Problem::NoRows }.named(&self.files).place
    }
}

/// Reads all rows of a table from all inputs together. What can be read once only is copied to a temporary file, to be
/// looked at first.
///
/// ```
/// # use fairveil_ingest::*;
/// let bytes = "y_true,proxy_a,proxy_b,age,job\n1,x,x,31,cook\n0,y,,,smith\n".as_bytes();
/// let input = Input::Bytes { name: "people".into(), bytes: Box::new(bytes) };
/// # use fairveil_core::mitigate::FeatureValues;
/// let read = read_training_rows(
///     vec![input],
///     &Columns::default(),
///     &TrainingColumns::default(),
///     &Reading::default(),
/// )?;
/// assert_eq!(read.rows.rows, 2);
/// let FeatureValues::Numbers(ages) = &read.rows.features[0].values else { unreachable!() };
/// assert!(ages[0] == 31.0 && ages[1].is_nan());
/// let FeatureValues::Categories { levels, codes } = &read.rows.features[1].values else { unreachable!() };
/// assert_eq!((&levels[..], &codes[..]), (&["cook".to_owned(), "smith".to_owned()][..], &[0, 1][..]));
/// assert_eq!(read.place(1, Some("age")).to_string(), "people, line 3, column `age`");
/// # Ok::<(), IngestError>(())
/// ```
pub fn read_training_rows(
    inputs: Vec<Input>,
    columns: &Columns,
    wanted: &TrainingColumns,
    reading: &Reading,
) -> Result<TrainingRows, IngestError> {
    let file = inputs.first().map(Input::name).unwrap_or_default();
    let of_file = |problem| IngestError { place: Place { file, ..Place::default() }, problem };
    if inputs.iter().any(Input::makes_tally) {
        return Err(of_file(Problem::Training(TrainingProblem::RowsNeeded)));
    }
    let mut inputs = inputs.into_iter();
    let first = inputs.next().ok_or_else(no_input)?;
    let (first, again, _copy) = look::twice(first).map_err(|error| of_file(Problem::Unreadable(error)))?;
    let categories = look::categories(first, columns, wanted, reading)?;

    let watched = wanted.watched(columns);
    let found: Mutex<Option<TrainingLayout>> = Mutex::new(None);
    let resolve = |file: &str, header: &[String]| {
        let mut layout = wanted.resolve(columns, file, header)?;
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        let first = found.get_or_insert_with(|| layout.clone());
        align(&mut layout.layout.proxies, &first.layout.proxies);
        Ok(layout.plan(&categories, reading.lenient).marked(header).finish(header))
    };
    let inputs = std::iter::once(again).chain(inputs).collect();
    let gathered = gather(inputs, &watched, reading, &resolve, |_| Kept::default())?;
    let layout = found.into_inner().unwrap_or_else(PoisonError::into_inner).ok_or_else(no_input)?;
    // Weights alone look at no decision.
    finish(columns, &layout, gathered, wanted.without_features)
}

/// What the rows are in the words of an audit.
fn finish(
    columns: &Columns,
    layout: &TrainingLayout,
    gathered: Gathered<Kept>,
    any_classes: bool,
) -> Result<TrainingRows, IngestError> {
    let Gathered { plan, files, mut dictionaries, consumer, skipped, people } = gathered;
    let of_file = |problem| Fault::of_file(0, problem).named(&files);
    let mut kept = consumer.in_order(&plan).map_err(of_file)?;
    // Categories stand behind all else.
    let roles = plan.keys.len() - plan.roles.categories.len();
    let categories = dictionaries.split_off(roles);
    let mut category_codes = kept.codes.split_off(roles);
    let mut cells = Cells::default();
    for row in 0..kept.rows {
        let key = kept.codes.iter().map(|codes| codes[row]).collect();
        let weight = kept.weights.get(row).copied();
        cells.add_row(key, weight, None::<std::iter::Empty<f64>>).map_err(of_file)?;
    }
    let own = Gathered {
        plan: plan.clone(),
        files: files.clone(),
        dictionaries: dictionaries.clone(),
        consumer: cells,
        skipped,
        people,
    };
    let own = RawTable::new(columns, layout.layout.clone(), own);
    let Names { mut legend, group_at, label_at, .. } = names(&own, layout, any_classes)?;
    let meant = Meant { plan: &plan, files: &files, kept: &kept, dictionaries: &dictionaries };
    let class_at = positions(&legend.classes);
    let class = |key: usize| {
        let at = if plan.roles.label == Some(key) { &label_at } else { &class_at };
        meant.values(key, at, |value| {
            let classes = legend.classes.clone();
            Problem::Training(TrainingProblem::OtherClass { value, classes })
        })
    };
    let classes = |key| Ok::<_, IngestError>(class(key)?.into_iter().map(|place| place.map(Class)).collect());
    let first: Vec<Option<Class>> = classes(plan.roles.predictions[0])?;
    let (predictions, labels) = if layout.labels_only {
        (None, Some(first))
    } else {
        (Some(first), plan.roles.label.map(classes).transpose()?)
    };
    let proxies = &layout.layout.proxies;
    let unknown = |_| Problem::UnknownGroup { value: None, groups: legend.groups.clone() };
    let mut guesses = Vec::with_capacity(proxies.len());
    for (proxy, key) in proxies.iter().zip(&plan.roles.guesses) {
        let places = match proxy.kind.groups() {
            Some(groups) => {
                let place = |code: &u32| group_at.get(*groups.get(*code as usize)?).copied();
                kept.codes[*key].iter().map(place).collect()
            }
            None => meant.values(*key, &group_at, unknown)?,
        };
        guesses.push(places.into_iter().map(|place| place.map(Guess)).collect());
    }
    let truth = match plan.roles.truth {
        None => None,
        Some(key) => {
            let unknown = |_| Problem::UnknownTruth { value: None, groups: legend.groups.clone() };
            let places = meant.values(key, &group_at, unknown)?;
            Some(places.into_iter().map(|place| place.map(Group)).collect())
        }
    };
    let held_out = plan.roles.split.map(|key| meant.sides(key)).transpose()?;
    let intake = intake(&own, &kept, predictions.as_deref(), labels.as_deref());
    if layout.labels_only {
        legend.label = Some(std::mem::replace(&mut legend.prediction, "decision".into()));
    }
    let (mut numbers, mut texts) = (kept.features.drain(..), category_codes.drain(..).zip(&categories));
    let mut features = Vec::with_capacity(layout.features.len());
    let is_number: BTreeSet<&String> = plan.features.iter().collect();
    for column in &layout.features {
        let values = if is_number.contains(&column.name) {
            FeatureValues::Numbers(numbers.next().unwrap_or_default())
        } else {
            texts.next().map_or(FeatureValues::Numbers(Vec::new()), |(codes, values)| levels(codes, values))
        };
        features.push(Feature { name: column.name.clone(), values });
    }
    drop((numbers, texts));
    let rows = Rows {
        legend: legend.visible(),
        rows: kept.rows,
        predictions,
        labels,
        guesses,
        weights: layout.layout.weight.as_ref().map(|_| std::mem::take(&mut kept.weights)),
        scores: layout.score.as_ref().map(|_| std::mem::take(&mut kept.scores)),
        score: layout.score.as_ref().map(|column| column.name.clone()),
        truth,
        features,
        marks: Some(std::mem::take(&mut kept.marks)),
        split: layout.split.as_ref().map(|column| column.name.clone()),
        held_out,
    };
    Ok(TrainingRows { rows, intake, runs: kept.runs, files })
}

/// The names, as an audit finds them; two classes unless any will do, and in the words of labels where there are no decisions.
fn names(own: &RawTable, layout: &TrainingLayout, any_classes: bool) -> Result<Names, IngestError> {
    let many = |classes: Vec<String>| Problem::Training(TrainingProblem::ManyClasses { classes });
    let column = layout.layout.prediction.name.as_str();
    let found = own.names().map_err(|IngestError { place, problem }| {
        let problem = match problem {
            Problem::PositiveNotSaid { classes } if classes.len() > 2 && !any_classes => many(classes),
            Problem::NoPredictions if layout.labels_only => Problem::Training(TrainingProblem::NoLabels),
            other => other,
        };
        IngestError { place, problem }
    })?;
    match found.legend.classes.len() {
        2 => Ok(found),
        more if more > 2 && any_classes => Ok(found),
        _ => Err(own.error(None, Some(column), many(found.legend.classes))),
    }
}

/// What was kept, and what its codes stand for.
struct Meant<'m> {
    plan: &'m Plan,
    files: &'m [FileName],
    kept: &'m KeptRows,
    dictionaries: &'m [Dictionary],
}

impl Meant<'_> {
    /// The place among names of each row's value of a key; nothing where it is missing. A value that is none of them is
    /// refused, but on rows that weigh nothing and had no say in the names.
    fn values(
        &self,
        key: usize,
        places: &HashMap<String, usize>,
        unknown: impl Fn(String) -> Problem,
    ) -> Result<Vec<Option<usize>>, IngestError> {
        let values = &self.dictionaries[key].values;
        let place = |value: &crate::value::RawValue| {
            value.canonical.as_ref().map(|name| places.get(name).copied().ok_or_else(|| name.clone()))
        };
        let meanings: Vec<Option<Result<usize, String>>> = values.iter().map(place).collect();
        let weighs = |row: usize| self.kept.weights.get(row).is_none_or(|weight| *weight > 0.0);
        let mut all = Vec::with_capacity(self.kept.rows);
        for (row, code) in self.kept.codes[key].iter().enumerate() {
            all.push(match &meanings[*code as usize] {
                Some(Ok(place)) => Some(*place),
                Some(Err(name)) if weighs(row) => {
                    let at = self.kept.at(row);
                    let column = Some(self.plan.keys[key].name.clone());
                    return Err(Fault { at, column, problem: unknown(name.clone()) }.named(self.files));
                }
                _ => None,
            });
        }
        Ok(all)
    }
}

/// Words for rows to measure on, and for rows to learn from.
const HELD_OUT: [&str; 9] =
    ["test", "held_out", "held-out", "held out", "holdout", "validation", "1", "true", "yes"];
const FITTED: [&str; 7] = ["train", "training", "fit", "fitted", "0", "false", "no"];

impl Meant<'_> {
    /// Whether each row is held out, by what a column says; nothing where it says nothing.
    fn sides(&self, key: usize) -> Result<Vec<Option<bool>>, IngestError> {
        let word = |words: &[&str], side: usize| -> Vec<(String, usize)> {
            words.iter().map(|word| ((*word).to_owned(), side)).collect()
        };
        let known: HashMap<String, usize> = word(&FITTED, 0).into_iter().chain(word(&HELD_OUT, 1)).collect();
        let values = self.dictionaries[key].values.iter().filter_map(|value| value.canonical.as_ref());
        let places = values.filter_map(|name| Some((name.clone(), *known.get(&name.to_lowercase())?)));
        let places: HashMap<String, usize> = places.collect();
        let unknown = |value| Problem::Training(TrainingProblem::Side { value });
        let sides = self.values(key, &places, unknown)?;
        Ok(sides.into_iter().map(|side| side.map(|side| side == 1)).collect())
    }
}

/// The values of a category on the rows, each spelling of one as the same.
fn levels(mut codes: Vec<u32>, values: &Dictionary) -> FeatureValues {
    // Values of rows that were left out are in the dictionary too.
    let mut met = vec![false; values.values.len()];
    codes.iter().for_each(|code| met[*code as usize] = true);
    let names = values.values.iter().zip(&met).filter(|(_, met)| **met);
    let names: BTreeSet<String> = names.filter_map(|(value, _)| value.canonical.clone()).collect();
    let mut levels: Vec<String> = names.into_iter().collect();
    sort_names(&mut levels);
    let place_of = positions(&levels);
    let place = |value: &crate::value::RawValue| {
        value.canonical.as_ref().and_then(|name| place_of.get(name)).map_or(u32::MAX, |place| *place as u32)
    };
    let places: Vec<u32> = values.values.iter().map(place).collect();
    codes.iter_mut().for_each(|code| *code = places[*code as usize]);
    FeatureValues::Categories { levels, codes }
}

/// What became of the rows, in the words of an audit: rows count that have a decision, or where there are none, all.
fn intake(
    own: &RawTable,
    kept: &KeptRows,
    predictions: Option<&[Option<Class>]>,
    labels: Option<&[Option<Class>]>,
) -> Intake {
    let counts = |row: usize| predictions.is_none_or(|predictions| predictions[row].is_some());
    let counted = (0..kept.rows).filter(|row| counts(*row)).count();
    let unlabelled = |row: &usize| counts(*row) && labels.is_some_and(|labels| labels[*row].is_none());
    let mut squares = ExactSum::default();
    let weights = kept.weights.iter().enumerate().filter(|(row, _)| counts(*row));
    weights.for_each(|(_, weight)| squares.add(weight * weight));
    Intake {
        rows: counted as u64,
        without_prediction: (kept.rows - counted) as u64,
        without_label: (0..kept.rows).filter(unlabelled).count() as u64,
        squared_weights: own.weighted.then(|| squares.value()),
        spellings: own.spellings(),
        skipped: own.skipped.clone(),
        ..Intake::default()
    }
}
