//! Features as numbers, for any table.

use fairveil_train::{Encoding, Feature, FeatureValues};
use proptest::prelude::*;

/// A column of numbers or of categories, some of them missing.
fn feature(rows: usize) -> impl Strategy<Value = FeatureValues> {
    let number = prop_oneof![4 => -1e6f32..1e6, 1 => Just(f32::NAN), 1 => Just(1.0)];
    let code = prop_oneof![4 => 0u32..3, 1 => Just(u32::MAX)];
    let levels = || ["b", "a", "b c"].map(str::to_owned).to_vec();
    prop_oneof![
        prop::collection::vec(number, rows).prop_map(FeatureValues::Numbers),
        prop::collection::vec(code, rows)
            .prop_map(move |codes| FeatureValues::Categories { levels: levels(), codes }),
    ]
}

fn table() -> impl Strategy<Value = Vec<Feature>> {
    let named = |(place, values)| Feature { name: format!("f{place}"), values };
    (1usize..20, 1usize..5)
        .prop_flat_map(|(rows, features)| prop::collection::vec(feature(rows), features))
        .prop_map(move |columns| columns.into_iter().enumerate().map(named).collect())
}

fn rows(features: &[Feature]) -> usize {
    match &features[0].values {
        FeatureValues::Numbers(numbers) => numbers.len(),
        FeatureValues::Categories { codes, .. } => codes.len(),
    }
}

proptest! {
    #[test]
    fn any_table_is_encoded_or_refused_and_the_way_does_not_matter(mut features in table(), impute in any::<bool>()) {
        let all: Vec<usize> = (0..rows(&features)).collect();
        let Ok(encoding) = Encoding::fit(&features, &all, impute) else { return Ok(()) };
        let design = encoding.encode(&features, &all).unwrap();
        prop_assert_eq!(design.columns(), encoding.columns());
        prop_assert_eq!(design.columns(), encoding.column_names().len());
        prop_assert!(design.values().iter().all(|value| value.is_finite()));
        let stored: Encoding = serde_json::from_str(&serde_json::to_string(&encoding).unwrap()).unwrap();
        features.reverse();
        prop_assert_eq!(stored.encode(&features, &all).unwrap(), design);
    }

    #[test]
    fn standardised_columns_have_mean_0_and_deviation_1(numbers in prop::collection::vec(-1e6f32..1e6, 2..50)) {
        let all: Vec<usize> = (0..numbers.len()).collect();
        let constant = numbers.iter().all(|number| *number == numbers[0]);
        let features = [Feature { name: "x".to_owned(), values: FeatureValues::Numbers(numbers) }];
        let design = Encoding::fit(&features, &all, false).unwrap().encode(&features, &all).unwrap();
        let mean = |of: fn(f64) -> f64| {
            design.values().iter().map(|value| of(f64::from(*value))).sum::<f64>() / all.len() as f64
        };
        // Numbers of single precision, the largest below the root of fifty.
        prop_assert!(mean(|value| value).abs() < 1e-6);
        let square = if constant { 0.0 } else { 1.0 };
        prop_assert!((mean(|value| value * value) - square).abs() < 1e-5);
    }
}
