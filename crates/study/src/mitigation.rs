//! Rules learned without the attribute, scored with it: none, one proxy at its word, calibrated, and with the true attribute, for
//! three ways to learn a rule, three criteria and two tolerances. `mitigation/run.py` makes the tables, and puts peers beside.
//!
//! A folder has a table `train.csv` and a table `test.csv` for each draw: `y_true`, `truth`, `proxy_1` to `proxy_3`, features `f_…`.
//! The truth of `test.csv` is used to score and nowhere else.

use fairveil_core::disparity::measure;
use fairveil_core::estimate::{Given, GivenNoise};
use fairveil_core::noise::TransitionMatrix;
use fairveil_core::vocabulary::{Class, Group, Guess, Stratum};
use fairveil_core::world::Truth;
use fairveil_core::{Aggregate, Criterion, Estimator, EstimatorChoice, Settings};
use fairveil_ingest::{Columns, Input, Reading, TrainingColumns, read_training_rows};
use fairveil_train::{Method, MitigateError, MitigateSettings, Rows, learn_rule};
use std::path::Path;

/// Who says which group a person is of.
#[derive(Clone, Copy, PartialEq)]
enum Attribute {
    None,
    OneProxy,
    Calibrated,
    True,
}

impl Attribute {
    fn name(self) -> &'static str {
        match self {
            Attribute::None => "none",
            Attribute::OneProxy => "one proxy",
            Attribute::Calibrated => "calibrated",
            Attribute::True => "true attribute",
        }
    }

    /// A tolerance that is never reached holds nothing back.
    fn tolerances(self) -> &'static [f64] {
        if self == Attribute::None { &[0.999] } else { &[0.0, 0.05] }
    }
}

fn read(path: &Path) -> Rows {
    let columns = Columns { truth: Some("truth".into()), features: vec!["f_".into()], ..Columns::default() };
    let inputs = vec![Input::File(path.to_owned())];
    read_training_rows(inputs, &columns, &TrainingColumns::default(), &Reading::default()).unwrap().rows
}

/// What a rule came to, on rows whose groups are known.
struct Scored {
    /// The gap of the criterion.
    gap: f64,
    accuracy: f64,
    /// Rate of the second group minus that of the first, among everyone or among each label: their mean over draws is not pushed away
    /// from zero by chance, as that of a gap is.
    signed: Vec<f64>,
}

fn scored(rows: &Rows, decided: &[bool], criterion: Criterion) -> Scored {
    let mut truth = Truth::default();
    let (labels, groups) = (rows.labels.as_ref().unwrap(), rows.truth.as_ref().unwrap());
    let positive = rows.legend.positive;
    let negative = Class(1 - positive.0);
    let mut right = 0;
    for (row, decision) in decided.iter().enumerate() {
        let prediction = if *decision { positive } else { negative };
        right += usize::from(labels[row] == Some(prediction));
        truth.add(Stratum { label: labels[row], prediction }, groups[row].unwrap(), 1.0);
    }
    let joint = truth.joint(&rows.legend, criterion.view());
    let gap = measure(&joint, criterion, Aggregate::Difference, positive).unwrap();
    let among: &[Option<Class>] = match criterion {
        Criterion::DemographicParity => &[None],
        Criterion::EqualOpportunity => &[Some(positive)],
        _ => &[Some(negative), Some(positive)],
    };
    let rate = |group: usize, label: Option<Class>| {
        let some =
            |row: &usize| groups[*row] == Some(Group(group)) && (label.is_none() || labels[*row] == label);
        let some: Vec<usize> = (0..decided.len()).filter(some).collect();
        some.iter().filter(|row| decided[**row]).count() as f64 / some.len() as f64
    };
    let signed = among.iter().map(|label| rate(1, *label) - rate(0, *label)).collect();
    Scored { gap, accuracy: right as f64 / decided.len() as f64, signed }
}

/// A table with one proxy that is taken at its word.
fn at_its_word(train: &Rows, guesses: Vec<Option<Guess>>) -> (Rows, Settings) {
    let mut table = train.clone();
    table.legend.proxies.truncate(1);
    table.guesses = vec![guesses];
    let noise =
        vec![GivenNoise { stratum: None, transition: TransitionMatrix::flips(0.0), group_shares: None }];
    let audit = Settings {
        estimator: EstimatorChoice::Fixed(Estimator::Given),
        given: Some(Given { noise }),
        ..Settings::default()
    };
    (table, audit)
}

/// A rule learned with what an attribute tells, scored on other rows; nothing where it was refused. The true groups go in only where
/// the attribute is the truth.
fn outcome(
    (train, test): (&Rows, &Rows),
    attribute: Attribute,
    settings: &MitigateSettings,
) -> Result<Scored, MitigateError> {
    let (table, audit) = match attribute {
        Attribute::Calibrated => (train.clone(), Settings::default()),
        Attribute::OneProxy => at_its_word(train, train.guesses[0].clone()),
        Attribute::None | Attribute::True => {
            let truth = train.truth.as_ref().unwrap();
            at_its_word(train, truth.iter().map(|group| group.map(|group| Guess(group.0))).collect())
        }
    };
    let audit = Settings { n_boot: 0, ..audit };
    let settings = MitigateSettings { audit, ..settings.clone() };
    let rule = learn_rule(&Rows { truth: None, ..table }, &settings, &|_| {})?;
    let all: Vec<usize> = (0..test.rows).collect();
    let features = rule.encoding.encode(&test.features, &all).unwrap();
    Ok(scored(test, &rule.decide_all(&features, &[]), settings.criterion))
}

/// Prints one line of CSV for each rule of each draw: `criterion,learner,attribute,tolerance,draw,gap,accuracy,signed`, the last three
/// empty where a rule was refused; `signed` has one number for each label that rates are among.
pub fn print(folder: &Path, methods: &[Method]) {
    println!("criterion,learner,attribute,tolerance,draw,gap,accuracy,signed");
    for draw in 0.. {
        let place = folder.join(draw.to_string());
        if !place.is_dir() {
            break;
        }
        let (train, test) = (read(&place.join("train.csv")), read(&place.join("test.csv")));
        assert_eq!(
            (&train.legend.groups, &train.legend.classes),
            (&test.legend.groups, &test.legend.classes)
        );
        for criterion in Criterion::USUAL {
            for method in methods {
                for attribute in
                    [Attribute::None, Attribute::OneProxy, Attribute::Calibrated, Attribute::True]
                {
                    for tolerance in attribute.tolerances() {
                        let settings = MitigateSettings {
                            criterion,
                            method: *method,
                            tolerance: *tolerance,
                            ..MitigateSettings::default()
                        };
                        let found = outcome((&train, &test), attribute, &settings);
                        let told = found.map_or(",,".to_owned(), |Scored { gap, accuracy, signed }| {
                            let signed: Vec<String> = signed.iter().map(|one| format!("{one:.6}")).collect();
                            format!("{gap:.6},{accuracy:.6},{}", signed.join(" "))
                        });
                        println!(
                            "{},{},{},{tolerance},{draw},{told}",
                            criterion.name(),
                            method.name(),
                            attribute.name()
                        );
                    }
                }
            }
        }
    }
}
