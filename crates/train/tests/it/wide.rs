//! Categories with hundreds and thousands of levels: what is held is what is not 0, and what is learned is the same.

use crate::common::{Simulated, linear};
use crate::people::People;
use fairveil_core::{Criterion, Settings};
use fairveil_train::{
    Design, Encoding, Feature, FeatureValues, LogisticSettings, Method, MitigateError, MitigateSettings,
    Problem, Rows, logistic, mitigate,
};

/// A category whose level follows from the row and from whether something holds of it.
fn category(name: &str, levels: usize, rows: usize, holds: impl Fn(usize) -> bool) -> Feature {
    let names = (0..levels).map(|level| format!("{level:05}")).collect();
    // Levels of the first half are common where it holds, those of the second where not; every fourth row is the other way round.
    let code = |row: usize| {
        let half = levels / 2;
        let first = holds(row) != row.is_multiple_of(4);
        ((row * 7919) % half + if first { 0 } else { half }) as u32
    };
    let codes = (0..rows).map(code).collect();
    Feature { name: name.into(), values: FeatureValues::Categories { levels: names, codes } }
}

#[test]
fn a_sparse_design_has_the_model_of_the_same_design_with_its_zeros() {
    // With 300 columns the metric is a matrix, with 1,300 its diagonal.
    for (levels, size) in [(299, 6_000), (1_298, 32_000)] {
        let rows = Simulated::new(size, 3, 0.75, linear, 5);
        let number =
            FeatureValues::Numbers(rows.features.values().iter().step_by(3).copied().collect::<Vec<f32>>());
        let features = [
            category("town", levels, size, |row| rows.labels[row]),
            Feature { name: "x".into(), values: number },
        ];
        let all: Vec<usize> = (0..size).collect();
        let sparse = Encoding::fit(&features, &all, false).unwrap().encode(&features, &all).unwrap();
        assert!(sparse.is_sparse() && sparse.columns() > levels - 2, "{}", sparse.columns());
        let columns = sparse.columns();
        let mut values = vec![0.0; size * columns];
        let FeatureValues::Categories { codes, .. } = &features[0].values else { unreachable!() };
        for row in 0..size {
            values[row * columns + codes[row] as usize] = 1.0;
            values[row * columns + columns - 1] = sparse.values()[2 * row + 1];
        }
        let dense = Design::new(size, columns, values);
        let found = [&sparse, &dense].map(|features| {
            let problem =
                Problem { features, constraints: &rows.constraints, targets: &[0.0], ..rows.free() };
            let settings = LogisticSettings {
                shifts: 0,
                gradient: 1e-9,
                tolerance: 1e-9,
                inner: 1000,
                ..LogisticSettings::default()
            };
            logistic(&problem, &settings, None, &|_| ()).unwrap()
        });
        let [a, b] = &found;
        assert!(a.residual < 1e-8 && b.residual < 1e-8, "{} {}", a.residual, b.residual);
        // Both end with a gradient of 1e-9, where no curvature is below the ridge of 1e-4: coefficients within 1e-5.
        assert!((a.loss - b.loss).abs() < 1e-8, "{levels}: {} {}", a.loss, b.loss);
        let differ = a.model.coefficients.iter().zip(&b.model.coefficients).map(|(a, b)| (a - b).abs());
        assert!(differ.fold(0.0, f64::max) < 2e-5, "{levels}");
    }
}

/// People who also have a code with thousands of values, which goes with the group.
fn coded(levels: usize) -> Rows {
    let rows = People { rows: 30_000, ..People::default() }.simulate();
    let truth = rows.truth.clone().unwrap();
    let code = category("code", levels, rows.rows, |row| truth[row].is_some_and(|group| group.0 == 1));
    let features = rows.features.iter().cloned().chain([code]).collect();
    Rows { features, scores: None, score: None, ..rows }
}

#[test]
fn a_rule_is_learned_from_a_category_of_two_thousand_values() {
    let rows = coded(2_000);
    for method in [Method::PlugIn, Method::Logistic] {
        let audit = Settings { n_boot: 0, ..Settings::default() };
        let asked = MitigateSettings { method, curve: false, audit, ..MitigateSettings::default() };
        let done = mitigate(&rows, &asked, &|_| {}).unwrap();
        assert!(done.record.input.encoded_features > 1_500);
        let (before, after) = (&done.record.before, &done.record.after);
        let gaps = (before.true_gap.unwrap(), after.true_gap.unwrap());
        // Chance on 9,000 rows moves a gap by about .011, and the fit by as much.
        assert!(gaps.0 > 0.15 && gaps.1 < 0.05, "{method:?}: {gaps:?}");
        assert!(after.accuracy.value > done.record.constant.accuracy + 0.05, "{method:?}");
        let again = fairveil_train::Rule::from_json(&done.rule.to_json().unwrap()).unwrap();
        assert_eq!(again, done.rule);
    }
}

#[test]
fn a_hidden_layer_over_too_many_columns_is_refused_with_what_to_do() {
    let mut rows = coded(2_000);
    // Ten values of 30,000 rows each have ten rows: six such columns are 18,000 levels.
    for place in 0..6 {
        let levels = (0..2_900).map(|level| format!("{level:05}")).collect();
        let codes = (0..rows.rows as u32).map(|row| (row * 7 + place) % 2_900).collect();
        let values = FeatureValues::Categories { levels, codes };
        rows.features.push(Feature { name: format!("code {place}"), values });
    }
    let asked = MitigateSettings { method: Method::Mlp, ..MitigateSettings::default() };
    let error = mitigate(&rows, &asked, &|_| {}).unwrap_err();
    assert!(matches!(error, MitigateError::Columns { most: 10_000, .. }), "{error}");
}

#[test]
fn local_calibration_has_error_rates_by_the_decision_before_and_helps_where_they_differ() {
    use fairveil_core::vocabulary::Class;
    // Guesses of people with a chance above one half lean to the second group.
    let accuracy = |group: usize, chance: f64| match (group, chance > 0.5) {
        (1, true) | (0, false) => 0.85,
        _ => 0.65,
    };
    let rows = |accuracy| {
        let rows = People { rows: 40_000, accuracy, ..People::default() }.simulate();
        let cut = |score: &f64| Some(Class(usize::from(*score > 0.5)));
        let predictions = rows.scores.as_ref().map(|scores| scores.iter().map(cut).collect());
        Rows { predictions, ..rows }
    };
    let audit = Settings { n_boot: 0, ..Settings::default() };
    let one = MitigateSettings {
        criterion: Criterion::DemographicParity,
        curve: false,
        audit,
        ..MitigateSettings::default()
    };
    let local = MitigateSettings { local: true, ..one.clone() };
    let left = |rows: &Rows, asked: &MitigateSettings| {
        let record = mitigate(rows, asked, &|_| {}).unwrap().record;
        assert_eq!(record.settings.local, asked.local);
        assert_eq!(record.after.binned_gap.is_some(), asked.local);
        record.after.true_gap.unwrap()
    };
    let leaning = rows(accuracy);
    let (with_one, with_local) = (left(&leaning, &one), left(&leaning, &local));
    println!("errors by the decision: one table leaves {with_one:.3}, one for each decision {with_local:.3}");
    assert!(with_one > 0.06 && with_local < with_one / 2.0, "{with_one} {with_local}");
    let alike = rows(|_, _| 0.75);
    let (with_one, with_local) = (left(&alike, &one), left(&alike, &local));
    println!("errors alike: one table leaves {with_one:.3}, one for each decision {with_local:.3}");
    // Chance on 12,000 rows moves a gap by about .01, and the fit by as much.
    assert!(with_one < 0.04 && with_local < 0.06, "{with_one} {with_local}");
    let undecided = Rows { predictions: None, ..alike };
    assert!(matches!(mitigate(&undecided, &local, &|_| {}), Err(MitigateError::NoDecisions)));
    let both = MitigateSettings { noise_bins: 3, ..local };
    assert!(matches!(mitigate(&leaning, &both, &|_| {}), Err(MitigateError::Setting { name: "local", .. })));
}

#[test]
fn a_category_of_noise_with_many_values_is_no_error_of_a_proxy() {
    let told = |seed: u64| {
        let rows = People { rows: 5_000, seed, ..People::default() }.simulate();
        let mut with = rows.clone();
        with.features.push(category("shop", 400, rows.rows, |row| row.is_multiple_of(3)));
        let audit = Settings { n_boot: 0, ..Settings::default() };
        let settings = MitigateSettings { curve: false, audit, ..MitigateSettings::default() };
        let done = mitigate(&with, &settings, &|_| {}).unwrap();
        done.record.findings.iter().any(|finding| finding.code == "M11")
    };
    // By a χ² with as many rows as there are, about 4,100 for 400 columns, most of these were told.
    let alarms = (0..8).filter(|seed| told(*seed)).count();
    assert!(alarms <= 1, "{alarms} of 8");
}
