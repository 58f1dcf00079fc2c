//! Which rows a rule is measured on.

use crate::people::{People, reordered};
use fairveil_core::mitigate::{MeasuredOn, MethodRecord};
use fairveil_core::{Criterion, Settings};
use fairveil_train::{Measuring, Method, MitigateError, MitigateSettings, Mitigated, Rows, mitigate};

fn settings() -> MitigateSettings {
    let audit = Settings { n_boot: 0, ..Settings::default() };
    MitigateSettings { curve: false, audit, ..MitigateSettings::default() }
}

fn learn(rows: &Rows, settings: &MitigateSettings) -> Mitigated {
    mitigate(rows, settings, &|_| {}).unwrap()
}

/// The same people, with a number for each row's content and decisions at one half.
fn marked(people: &People) -> Rows {
    let rows = people.simulate();
    let decided = rows
        .scores
        .iter()
        .flatten()
        .map(|score| Some(fairveil_core::vocabulary::Class(usize::from(*score > 0.5))));
    let marks = rows.scores.iter().flatten().map(|score| score.to_bits()).collect();
    Rows { predictions: Some(decided.collect()), marks: Some(marks), ..rows }
}

#[test]
fn held_out_rows_follow_from_the_rows_and_the_seed_alone() {
    let rows = marked(&People::default());
    let settings = MitigateSettings { measuring: Measuring::HeldOut(0.3), ..settings() };
    let all = learn(&rows, &settings);
    // Decisions before are those of the table, so the same numbers come from the same rows.
    let same = |rows: &Rows, settings: &MitigateSettings| {
        let other = learn(rows, settings).record;
        assert_eq!(other.input.rows_held_out, all.record.input.rows_held_out);
        assert_eq!(other.before.accuracy, all.record.before.accuracy);
        assert_eq!(other.before.true_gap, all.record.before.true_gap);
    };
    let fewer = Rows { features: rows.features[..2].to_vec(), ..rows.clone() };
    same(&fewer, &settings);
    same(&rows, &MitigateSettings { method: Method::Logistic, ..settings.clone() });
    let two = Rows { weights: Some(vec![1.0; rows.rows]), ..rows.clone() };
    same(&two, &settings);
    let backwards: Vec<usize> = (0..rows.rows).rev().collect();
    same(&reordered(&rows, &backwards), &settings);
    // Another seed holds out others, and a share of 30 % of 8,000 rows is off by 41 (one standard error).
    let other =
        MitigateSettings { audit: Settings { seed: 1, ..settings.audit.clone() }, ..settings.clone() };
    assert_ne!(learn(&rows, &other).record.before.accuracy, all.record.before.accuracy);
    assert!(all.record.input.rows_held_out.abs_diff(2_400) < 4 * 41, "{}", all.record.input.rows_held_out);
    assert_eq!(all.record.settings.measured_on, MeasuredOn::HeldOut);
}

#[test]
fn rows_that_a_column_holds_out_are_measured_on_and_no_others() {
    let rows = marked(&People::default());
    let sides = (0..rows.rows).map(|row| match row % 10 {
        0 => None,
        1..=3 => Some(true),
        _ => Some(false),
    });
    let split = Rows { held_out: Some(sides.collect()), split: Some("part".into()), ..rows.clone() };
    let record = learn(&split, &settings()).record;
    assert_eq!(record.settings.measured_on, MeasuredOn::Column { name: "part".into() });
    let input = &record.input;
    assert_eq!((input.rows_held_out, input.rows_fitted, input.rows_left_out), (2_400, 4_800, 800));
    let right = (0..rows.rows).filter(|row| (1..=3).contains(&(row % 10)));
    let right =
        right.filter(|row| rows.predictions.as_ref().unwrap()[*row] == rows.labels.as_ref().unwrap()[*row]);
    assert_eq!(record.before.accuracy.value, right.count() as f64 / 2_400.0);
    let one_side = Rows { held_out: Some(vec![Some(true); rows.rows]), ..split };
    let refused = mitigate(&one_side, &settings(), &|_| {});
    assert!(matches!(refused, Err(MitigateError::Sides { fitted: 0, .. })), "{refused:?}");
}

#[test]
fn few_rows_are_cross_fitted_and_the_gap_told_is_that_of_new_people() {
    let rows = marked(&People { rows: 4_000, ..People::default() });
    let done = learn(&rows, &settings());
    assert_eq!(done.record.settings.measured_on, MeasuredOn::CrossFitted { folds: 5 });
    assert_eq!((done.record.input.rows_fitted, done.record.input.rows_held_out), (4_000, 4_000));
    // The rule of all rows on people nobody saw, and what was told of it: two gaps, each with a standard error of about
    // √(4·¼/4000) = .016, and the fit's own.
    let new = People { rows: 40_000, seed: 77, ..People::default() }.simulate();
    let all: Vec<usize> = (0..new.rows).collect();
    let features = done.rule.encoding.encode(&new.features, &all).unwrap();
    let decided = done.rule.decide_all(&features, new.scores.as_ref().unwrap());
    let rate = |group: usize| {
        let of = |row: &usize| new.truth.as_ref().unwrap()[*row].unwrap().0 == group;
        let some: Vec<usize> = (0..new.rows).filter(of).collect();
        some.iter().filter(|row| decided[**row]).count() as f64 / some.len() as f64
    };
    let (told, is) = (done.record.after.true_gap.unwrap(), (rate(1) - rate(0)).abs());
    assert!((told - is).abs() < 0.05 && is < 0.07, "told {told}, is {is}");
    let order: Vec<usize> = (0..rows.rows).rev().collect();
    assert_eq!(learn(&reordered(&rows, &order), &settings()).rule, done.rule);
}

#[test]
fn several_methods_are_measured_on_the_same_rows_and_the_first_makes_the_rule() {
    let rows = marked(&People { rows: 4_000, ..People::default() });
    let rows = Rows { scores: None, score: None, ..rows };
    let several =
        MitigateSettings { beside: vec![Method::Logistic], curve: true, tolerance: 0.02, ..settings() };
    let twice = MitigateSettings { beside: vec![Method::Logistic, Method::PlugIn], ..several.clone() };
    let refused = mitigate(&rows, &twice, &|_| {}).unwrap_err();
    assert!(matches!(refused, MitigateError::Setting { name: "method", .. }), "{refused:?}");
    let done = learn(&rows, &several);
    let names: Vec<Method> = done.record.methods.iter().map(|tried| tried.method).collect();
    assert_eq!(names, [Method::PlugIn, Method::Logistic]);
    let alone = learn(&rows, &MitigateSettings { beside: Vec::new(), ..several.clone() });
    assert!(alone.record.methods.is_empty());
    assert_eq!(alone.rule, done.rule);
    let tolerances = |tried: &MethodRecord| tried.curve.iter().map(|p| p.tolerance).collect::<Vec<_>>();
    assert_eq!(tolerances(&done.record.methods[0]), tolerances(&done.record.methods[1]));
    assert_eq!(done.record.methods[0].curve, done.record.curve);
    // A method alone gives what it gives beside others.
    let logistic = MitigateSettings { method: Method::Logistic, beside: Vec::new(), ..several };
    let logistic = learn(&rows, &logistic).record;
    assert_eq!(
        Some(logistic.after.accuracy.value),
        done.record.methods[1].after.as_ref().map(|p| p.accuracy)
    );
    assert_eq!(logistic.criterion, Criterion::DemographicParity);
}
