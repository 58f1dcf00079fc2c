use super::*;
use crate::DesignRow;

fn numbers(name: &str, values: &[f32]) -> Feature {
    Feature { name: name.to_owned(), values: FeatureValues::Numbers(values.to_vec()) }
}

fn categories(name: &str, values: &[&str]) -> Feature {
    let mut levels: Vec<String> = Vec::new();
    let code = |value: &&str| match levels.iter().position(|level| level == value) {
        _ if value.is_empty() => u32::MAX,
        Some(code) => code as u32,
        None => {
            levels.push((*value).to_owned());
            levels.len() as u32 - 1
        }
    };
    let codes = values.iter().map(code).collect();
    Feature { name: name.to_owned(), values: FeatureValues::Categories { levels, codes } }
}

fn table() -> Vec<Feature> {
    vec![numbers("age", &[20.0, 40.0, 60.0, 100.0]), categories("town", &["york", "bath", "york", "ely"])]
}

#[test]
fn numbers_are_standardised_and_categories_get_a_column_for_each_level() {
    let encoding = Encoding::fit(&table(), &[0, 1, 2], false).unwrap();
    let design = encoding.encode(&table(), &[2, 0]).unwrap();
    assert_eq!(encoding.column_names(), ["age", "town = bath", "town = york"]);
    // Mean 40, deviation √(800 / 3).
    let one = (20.0 / (800.0f64 / 3.0).sqrt()) as f32;
    assert_eq!(design.row(0), (&[one, 0.0, 1.0][..]).into());
    assert_eq!(design.row(1), (&[-one, 0.0, 1.0][..]).into());
}

#[test]
fn a_constant_number_becomes_zero_whatever_its_rounding() {
    // 0.1 has no exact sum: a deviation computed from it would be rounding and not zero.
    let rows: Vec<usize> = (0..1000).collect();
    let features = [numbers("flat", &[0.1; 1000])];
    let encoding = Encoding::fit(&features, &rows, false).unwrap();
    assert!(encoding.encode(&features, &rows).unwrap().values().iter().all(|&value| value == 0.0));
}

#[test]
fn the_order_of_columns_and_of_levels_changes_nothing() {
    let encoding = Encoding::fit(&table(), &[0, 1, 2], false).unwrap();
    let other =
        [categories("town", &["bath", "york"]), numbers("extra", &[0.0; 2]), numbers("age", &[40.0, 20.0])];
    assert_eq!(encoding.encode(&other, &[1, 0]).unwrap(), encoding.encode(&table(), &[0, 1]).unwrap());
}

#[test]
fn an_encoding_survives_json() {
    for impute in [false, true] {
        let encoding = Encoding::fit(&table(), &[0, 1, 2, 3], impute).unwrap();
        let text = serde_json::to_string(&encoding).unwrap();
        assert!(text.contains(r#""kind":"number","name":"age""#), "{text}");
        assert!(text.contains(r#""kind":"category","name":"town","levels":["bath","ely","york"]"#), "{text}");
        assert_eq!(serde_json::from_str::<Encoding>(&text).unwrap(), encoding);
    }
}

#[test]
fn a_stored_encoding_that_no_fit_can_have_made_is_refused() {
    for feature in [
        r#"{"kind":"number","name":"age","mean":0,"deviation":0,"missing":false}"#,
        r#"{"kind":"category","name":"town","levels":["york","bath"],"missing":false}"#,
        r#"{"kind":"category","name":"town","levels":[],"missing":true}"#,
    ] {
        let text = format!(r#"{{"features":[{feature}]}}"#);
        assert!(serde_json::from_str::<Encoding>(&text).is_err(), "{text}");
    }
}

#[test]
fn an_unseen_level_is_an_error_with_its_row() {
    let encoding = Encoding::fit(&table(), &[0, 1, 2], false).unwrap();
    let unseen = EncodeError::Unseen { feature: "town".to_owned(), value: "ely".to_owned(), row: Some(3) };
    assert_eq!(encoding.encode(&table(), &[0, 3]).unwrap_err(), unseen);
    assert!(unseen.to_string().starts_with("feature `town` is `ely` in row 4, which no row had"), "{unseen}");
    let row = [Value::Number(20.0), Value::Text("ely")];
    let unseen = EncodeError::Unseen { feature: "town".to_owned(), value: "ely".to_owned(), row: None };
    assert_eq!(encoding.encode_row(&row).unwrap_err(), unseen);
}

#[test]
fn the_first_error_of_the_table_is_told_whatever_the_threads() {
    let mut values = vec![1.0; 100_000];
    for row in [30_000, 60_001, 99_999] {
        values[row] = f32::INFINITY;
    }
    let rows: Vec<usize> = (0..values.len()).collect();
    let encoding = Encoding::fit(&[numbers("x", &values)], &rows[..9], false).unwrap();
    let error = encoding.encode(&[numbers("x", &values)], &rows).unwrap_err();
    assert!(matches!(error, EncodeError::NotFinite { row: Some(30_000), .. }), "{error}");
}

#[test]
fn missing_values_are_an_error_or_a_column() {
    let features = [numbers("age", &[20.0, f32::NAN, 60.0]), categories("town", &["york", "bath", ""])];
    let missing = |feature: &str, row| EncodeError::Missing { feature: feature.to_owned(), row: Some(row) };
    assert_eq!(Encoding::fit(&features, &[0, 1, 2], false).unwrap_err(), missing("age", 1));
    assert_eq!(Encoding::fit(&features[1..], &[0, 1, 2], false).unwrap_err(), missing("town", 2));
    let strict = Encoding::fit(&features[..1], &[0, 2], false).unwrap();
    assert_eq!(strict.encode(&features, &[0, 1]).unwrap_err(), missing("age", 1));

    let encoding = Encoding::fit(&features, &[0, 1, 2], true).unwrap();
    let names = ["age", "age (missing)", "town = bath", "town = york", "town (missing)"];
    assert_eq!(encoding.column_names(), names);
    assert_eq!(encoding.columns(), names.len());
    let design = encoding.encode(&features, &[0, 1, 2]).unwrap();
    assert_eq!(design.row(0), (&[-1.0, 0.0, 0.0, 1.0, 0.0][..]).into());
    assert_eq!(design.row(1), (&[0.0, 1.0, 1.0, 0.0, 0.0][..]).into());
    assert_eq!(design.row(2), (&[1.0, 0.0, 0.0, 0.0, 1.0][..]).into());
}

#[test]
fn one_row_becomes_the_numbers_it_becomes_in_a_table() {
    let features = [numbers("age", &[0.1, f32::NAN, 61.7]), categories("town", &["york", "", "bath"])];
    let encoding = Encoding::fit(&features, &[0, 1, 2], true).unwrap();
    let design = encoding.encode(&features, &[0, 1, 2]).unwrap();
    // A table has numbers in single precision, a row in double: they meet to seven digits.
    let rows = [
        [Value::Number(0.1), Value::Text("york")],
        [Value::Missing, Value::Missing],
        [Value::Number(61.7), Value::Text("bath")],
    ];
    for (place, row) in rows.iter().enumerate() {
        let mut dense = vec![0.0; encoding.columns()];
        encoding.encode_row(row).unwrap().into_iter().for_each(|(column, x)| dense[column] = x);
        assert!(
            dense.iter().zip(all(design.row(place), dense.len())).all(|(a, b)| (a - b).abs() < 1e-6),
            "{dense:?}"
        );
    }
}

#[test]
fn what_is_no_feature_is_refused() {
    let rows: Vec<usize> = (0..1001).collect();
    let names: Vec<String> = rows.iter().map(|row| format!("id{row}")).collect();
    let codes = (0..1001).collect();
    let id = Feature { name: "id".to_owned(), values: FeatureValues::Categories { levels: names, codes } };
    let error = Encoding::fit(&[id], &rows, false).unwrap_err();
    assert!(matches!(error, EncodeError::MostlyRare { found: 1001, least: 10, .. }), "{error}");

    let encoding = Encoding::fit(&table(), &[0, 1, 2], false).unwrap();
    let swapped = [categories("age", &["old"]), categories("town", &["york"])];
    assert!(matches!(encoding.encode(&swapped, &[0]).unwrap_err(), EncodeError::Kind { .. }));
    assert!(matches!(encoding.encode(&table()[..1], &[0]).unwrap_err(), EncodeError::Absent { .. }));
    assert!(matches!(encoding.encode(&table(), &[9]).unwrap_err(), EncodeError::Row { row: 9, rows: 4, .. }));
    let values = EncodeError::Values { found: 1, needed: 2 };
    assert_eq!(encoding.encode_row(&[Value::Missing]).unwrap_err(), values);
    assert!(matches!(
        Encoding::fit(&[numbers("none", &[f32::NAN])], &[0], true).unwrap_err(),
        EncodeError::Empty { .. }
    ));
    let two = [numbers("same", &[1.0]), numbers("same", &[2.0])];
    assert!(matches!(Encoding::fit(&two, &[0], false).unwrap_err(), EncodeError::Stored { .. }));
}

#[test]
fn a_number_too_large_for_the_table_is_an_error() {
    let encoding = Encoding::fit(&table()[..1], &[0, 1, 2], false).unwrap();
    for value in [1e39, f64::INFINITY, f64::NAN] {
        let error = encoding.encode_row(&[Value::Number(value)]).unwrap_err();
        assert!(matches!(error, EncodeError::NotFinite { .. }), "{error}");
    }
}

/// All numbers of a row.
fn all(row: DesignRow<'_>, columns: usize) -> Vec<f64> {
    let mut out = vec![0.0; columns];
    row.write(&mut out);
    out
}

/// A town of 300 values that all are common, and an age; one row in seven lacks the age.
fn towns() -> Vec<Feature> {
    let levels = (0..300).map(|town| format!("town {town:03}")).collect();
    let codes = (0..6000).map(|row| (row * 7 % 300) as u32).collect();
    let ages: Vec<f32> =
        (0..6000).map(|row| if row % 7 == 0 { f32::NAN } else { (row % 61) as f32 }).collect();
    let town = FeatureValues::Categories { levels, codes };
    vec![Feature { name: "town".into(), values: town }, numbers("age", &ages)]
}

#[test]
fn many_levels_are_held_by_what_is_not_zero() {
    let rows: Vec<usize> = (0..6000).collect();
    let encoding = Encoding::fit(&towns(), &rows, true).unwrap();
    let design = encoding.encode(&towns(), &rows).unwrap();
    // 300 towns and the missing, the age and its mark; two numbers of each row.
    assert_eq!((design.columns(), design.is_sparse(), design.values().len()), (303, true, 12_000));
    let some = design.only(&[17, 7]);
    for (place, row) in [17, 7].into_iter().enumerate() {
        let FeatureValues::Numbers(ages) = &towns()[1].values else { unreachable!() };
        let age = if ages[row].is_nan() { Value::Missing } else { Value::Number(f64::from(ages[row])) };
        let town = format!("town {:03}", row * 7 % 300);
        let mut wanted = vec![0.0; 303];
        let encoded = encoding.encode_row(&[Value::Text(&town), age]).unwrap();
        encoded.into_iter().for_each(|(column, number)| wanted[column] = number);
        // Single precision against double.
        let found = all(some.row(place), 303);
        assert!(wanted.iter().zip(&found).all(|(a, b)| (a - b).abs() < 1e-6), "{row}");
        let dense = all(design.dense().row(row), 303);
        assert_eq!(dense, found);
    }
}

#[test]
fn a_category_with_thousands_of_common_values_is_kept_and_a_name_is_not() {
    let rows: Vec<usize> = (0..40_000).collect();
    let levels: Vec<String> = (0..20_000).map(|level| format!("{level:05}")).collect();
    let feature = |codes: Vec<u32>| {
        [Feature { name: "code".into(), values: FeatureValues::Categories { levels: levels.clone(), codes } }]
    };
    // 3,000 values of thirteen rows each.
    let common = feature((0..40_000).map(|row| row % 3000).collect());
    assert_eq!(Encoding::fit(&common, &rows, false).unwrap().columns(), 3000);
    // 20,000 values of two rows each.
    let error =
        Encoding::fit(&feature((0..40_000).map(|row| row % 20_000).collect()), &rows, false).unwrap_err();
    assert!(matches!(error, EncodeError::MostlyRare { found: 20_000, rare: 1.0, .. }), "{error}");
}
