//! Measures by name: exact where the population is, with intervals that belong to them, and floors under them.

use fairveil_core::counts::{Row, View};
use fairveil_core::estimate::{Given, GivenNoise};
use fairveil_core::gate::{Gate, Ratio, Verdict};
use fairveil_core::measures::{GroupMeasures, Measure, MeasuresRecord};
use fairveil_core::noise::TransitionMatrix;
use fairveil_core::rates::Joint;
use fairveil_core::setting::Refuses;
use fairveil_core::vocabulary::{Class, Group, Legend};
use fairveil_core::{
    Aggregate, Audit, Counts, CountsBuilder, Criterion, Estimator, EstimatorChoice, Settings, World,
};

fn record(audit: &Audit, criterion: Criterion) -> &MeasuresRecord {
    audit.measures.iter().find(|record| record.criterion == criterion).unwrap()
}

fn group<'a>(record: &'a MeasuresRecord, name: &str) -> &'a GroupMeasures {
    record.groups.iter().find(|group| group.group == name).unwrap()
}

/// What a hand makes of two rates and the people behind the first.
fn by_hand(measure: Measure, own: f64, reference: f64, largest: f64, people: f64) -> f64 {
    match measure {
        Measure::Difference => own - reference,
        Measure::AdverseImpactRatio => own / reference,
        Measure::OddsRatio => own * (1.0 - reference) / (reference * (1.0 - own)),
        Measure::ImpactRatio => own / largest,
        Measure::Shortfall => (reference - own) * people,
    }
}

/// The largest error of all measures of selection rates, against a table that is known.
fn largest_error(audit: &Audit, known: &Joint<Group>, weight: f64) -> f64 {
    let record = record(audit, Criterion::DemographicParity);
    let rates: Vec<f64> = known.axis().map(|a| known.rate(a, None, Class(1)).unwrap()).collect();
    let largest = rates.iter().copied().fold(0.0, f64::max);
    let reference =
        audit.input.groups.iter().position(|name| Some(name) == record.reference.as_ref()).unwrap();
    let mut error = 0.0f64;
    for (a, name) in audit.input.groups.iter().enumerate() {
        let people = known.share(Group(a)).unwrap() * weight;
        for measure in Measure::ALL {
            let found = group(record, name).of(measure);
            if a == reference && measure != Measure::ImpactRatio {
                assert_eq!(found.value, None);
                continue;
            }
            let value = found.value.unwrap_or_else(|| panic!("{measure}: {:?}", found.unavailable));
            let expected = by_hand(measure, rates[a], rates[reference], largest, people);
            error = error
                .max((value - expected).abs() / if measure == Measure::Shortfall { weight } else { 1.0 });
        }
    }
    error
}

#[test]
fn every_measure_is_exact_where_the_population_is() {
    for (groups, seed) in [(2, 3), (3, 4), (4, 5)] {
        let world = World::random(groups, 2, 3, false, seed);
        let settings =
            Settings { n_boot: 0, criteria: vec![Criterion::DemographicParity], ..Settings::default() };
        let audit = Audit::run(&world.population(1_000_000).unwrap(), None, &settings).unwrap();
        let error = largest_error(&audit, &world.truth(View::Predictions), 1_000_000.0);
        assert!(error < 1e-8, "{groups} groups: {error:e}");
    }
}

/// One proxy that is right about everyone, and says so.
fn perfect() -> (Counts, Settings) {
    let legend = Legend::plain(3, 2, 1, false);
    let mut rows = CountsBuilder::new(legend);
    for (guess, selected, others) in [("group 1", 31, 69), ("group 2", 120, 80), ("group 3", 7, 53)] {
        for (prediction, count) in [("1", selected), ("0", others)] {
            for _ in 0..count {
                let row = Row { prediction, label: None, guesses: &[Some(guess)], weight: 1.0 };
                rows.add(&row).unwrap();
            }
        }
    }
    let given = Given {
        noise: vec![GivenNoise {
            stratum: None,
            transition: TransitionMatrix::new(vec![vec![1., 0., 0.], vec![0., 1., 0.], vec![0., 0., 1.]])
                .unwrap(),
            group_shares: None,
        }],
    };
    let settings = Settings {
        given: Some(given),
        estimator: EstimatorChoice::Fixed(Estimator::Given),
        ..Settings::default()
    };
    (rows.finish().unwrap(), settings)
}

#[test]
fn with_proxies_that_are_right_measures_are_those_of_the_counts() {
    let (counts, settings) = perfect();
    let audit = Audit::run(&counts, None, &settings).unwrap();
    let record = record(&audit, Criterion::DemographicParity);
    // The largest of 100, 200 and 60 people.
    assert_eq!(
        (record.reference.as_deref(), record.most_selected.as_deref()),
        (Some("group 2"), Some("group 2"))
    );
    for (name, rate, people) in [("group 1", 0.31, 100.0), ("group 3", 7.0 / 60.0, 60.0)] {
        for measure in Measure::ALL {
            let value = group(record, name).of(measure).value.unwrap();
            assert!(
                (value - by_hand(measure, rate, 0.6, 0.6, people)).abs() < 1e-12,
                "{name} {measure}: {value}"
            );
        }
    }
    // The error of a difference of two independent shares, up to what 2,000 draws leave open of it (2 %).
    let first = group(record, "group 1");
    let error = (0.31f64 * 0.69 / 100.0 + 0.6 * 0.4 / 200.0).sqrt();
    assert!((first.z.unwrap() / (-0.29 / error) - 1.0).abs() < 0.06, "{:?}", first.z);
    assert!(first.p_value.unwrap() < 1e-5);
}

#[test]
fn a_reference_can_be_named_and_must_be_there() {
    let (counts, settings) = perfect();
    let named = |name: &str| Settings { reference: Some(name.into()), ..settings.clone() };
    let audit = Audit::run(&counts, None, &named("group 3")).unwrap();
    let record = record(&audit, Criterion::DemographicParity);
    let ratio = group(record, "group 1").adverse_impact_ratio.value.unwrap();
    assert!((ratio - 0.31 / (7.0 / 60.0)).abs() < 1e-12);
    // Beside the most selected it is the same whatever the reference.
    assert!((group(record, "group 1").impact_ratio.value.unwrap() - 0.31 / 0.6).abs() < 1e-12);
    let refused = Audit::run(&counts, None, &named("group X")).unwrap_err().refusal().text().to_string();
    assert!(refused.contains("`group X`") && refused.contains("group 1, group 2, group 3"), "{refused}");
}

#[test]
fn intervals_hold_the_number_and_honest_ones_hold_intervals() {
    let (counts, _) = World::lending().sample(8_000, 1).unwrap();
    let audit = Audit::run(&counts, None, &Settings::default()).unwrap();
    for record in &audit.measures {
        let beside = record.groups.iter().filter(|group| Some(&group.group) != record.reference.as_ref());
        for group in beside {
            for measure in Measure::ALL {
                let found = group.of(measure);
                let (value, chance) = (found.value.unwrap(), found.interval.unwrap());
                let honest = found.honest_interval.unwrap();
                assert!(chance.holds(value), "{measure} {found:?}");
                assert!(honest.holds(chance.low) && honest.holds(chance.high), "{measure} {found:?}");
            }
            // One hypothesis: where the difference keeps clear of 0, ratios keep clear of 1.
            let clear = !group.difference.interval.unwrap().holds(0.0);
            assert_eq!(!group.adverse_impact_ratio.interval.unwrap().holds(1.0), clear);
            assert_eq!(!group.odds_ratio.interval.unwrap().holds(1.0), clear);
        }
    }
}

#[test]
fn a_floor_is_crossed_below_held_above_and_open_inside() {
    let (counts, _) = World::lending().sample(20_000, 0).unwrap();
    let audit = Audit::run(&counts, None, &Settings::default()).unwrap();
    let record = record(&audit, Criterion::DemographicParity);
    let low = record.groups.iter().find(|group| Some(&group.group) != record.reference.as_ref()).unwrap();
    let range = low.adverse_impact_ratio.range().unwrap();
    let judged = |value| Gate::Below { ratio: Ratio::AdverseImpactRatio, value }.judge(&audit).unwrap();
    assert_eq!(judged(range.high + 1e-9).verdict, Verdict::Crossed);
    assert_eq!(judged(range.high).verdict, Verdict::Undecided);
    assert_eq!(judged(range.low).verdict, Verdict::Held);
    assert_eq!(judged(range.low + 1e-9).verdict, Verdict::Undecided);
    assert_eq!(judged(0.8).group.as_ref(), Some(&low.group));
}

#[test]
fn where_no_number_stands_measures_give_none_and_say_why() {
    // Proxies that know nothing.
    let world = World::symmetric(2, 2, &[0.5; 3], 0.2);
    let (counts, _) = world.sample(2_000, 0).unwrap();
    let audit = Audit::run(&counts, None, &Settings { n_boot: 200, ..Settings::default() }).unwrap();
    let record = record(&audit, Criterion::DemographicParity);
    assert!(record.unavailable.as_ref().is_some_and(|reason| !reason.is_empty()) && record.groups.is_empty());
    let gate = Gate::Below { ratio: Ratio::ImpactRatio, value: 0.8 };
    assert_eq!(gate.judge(&audit).unwrap().verdict, Verdict::Undecided);
}

#[test]
fn precisions_and_false_positives_are_exact_where_the_population_is() {
    let world = World::random(3, 2, 3, false, 9);
    let criteria = vec![Criterion::PredictiveParity, Criterion::FalsePositiveParity];
    let settings = Settings { n_boot: 0, criteria: criteria.clone(), ..Settings::default() };
    let audit = Audit::run(&world.population(1_000_000).unwrap(), None, &settings).unwrap();
    assert_eq!(audit.settings.criteria, criteria);
    let truth = world.truth(View::Labelled);
    for (criterion, place) in criteria.into_iter().zip([0, 1]) {
        let rate = |a| {
            let rates = truth.group_rates(a, Class(1));
            [rates.precision, rates.false_positive_rate][place].clone().unwrap()
        };
        let rates: Vec<f64> = truth.axis().map(rate).collect();
        let (low, high) = rates.iter().fold((1.0f64, 0.0f64), |(low, high), r| (low.min(*r), high.max(*r)));
        let found = audit.recommended(criterion, Aggregate::Difference).unwrap().value.unwrap();
        assert!((found - (high - low)).abs() < 1e-8, "{criterion}: {found}");
        let record = record(&audit, criterion);
        for (name, rate) in audit.input.groups.iter().zip(&rates) {
            assert!((group(record, name).rate.unwrap() - rate).abs() < 1e-8);
        }
    }
    // Without being asked for they are not measured.
    let usual =
        Audit::run(&world.population(1_000).unwrap(), None, &Settings { n_boot: 0, ..Settings::default() });
    assert_eq!(usual.unwrap().settings.criteria, Criterion::USUAL);
}

#[test]
fn misses_and_hits_are_exact_and_their_intervals_hold_them() {
    let criteria =
        vec![Criterion::EqualOpportunity, Criterion::FalseNegativeParity, Criterion::AccuracyParity];
    let world = World::random(2, 2, 3, true, 7);
    let truth = world.truth(View::Labelled);
    let rates = [Group(0), Group(1)].map(|a| truth.group_rates(a, Class(1)));
    let exact = Settings { n_boot: 0, criteria: criteria.clone(), ..Settings::default() };
    let audit = Audit::run(&world.population(1_000_000).unwrap(), None, &exact).unwrap();
    let reference = audit.settings.reference.clone().unwrap();
    let (own, beside) = if reference == audit.input.groups[0] { (1, 0) } else { (0, 1) };
    let (own, beside) = (&rates[own], &rates[beside]);
    let found = |audit: &Audit, criterion| {
        let record = record(audit, criterion);
        let other = record.groups.iter().find(|group| group.group != reference).unwrap().clone();
        (other.adverse_impact_ratio, other.difference)
    };
    let of = |rate: &Result<f64, _>| *rate.as_ref().unwrap();
    let missed = (of(&own.false_negative_rate), of(&beside.false_negative_rate));
    let right = (of(&own.accuracy), of(&beside.accuracy));
    for (criterion, (own, beside)) in
        [(Criterion::FalseNegativeParity, missed), (Criterion::AccuracyParity, right)]
    {
        let (ratio, difference) = found(&audit, criterion);
        assert!((ratio.value.unwrap() - own / beside).abs() < 1e-8, "{criterion}");
        assert!((difference.value.unwrap() - (own - beside)).abs() < 1e-8, "{criterion}");
    }
    let turned = found(&audit, Criterion::EqualOpportunity).1.value.unwrap();
    assert!((turned + missed.0 - missed.1).abs() < 1e-8);
    let settings = Settings { criteria, ..Settings::default() };
    let audit = Audit::run(&World::lending().sample(20_000, 1).unwrap().0, None, &settings).unwrap();
    for criterion in [Criterion::FalseNegativeParity, Criterion::AccuracyParity] {
        let record = record(&audit, criterion);
        let beside = record.groups.iter().find(|group| Some(&group.group) != record.reference.as_ref());
        let ratio = &beside.unwrap().adverse_impact_ratio;
        let (value, ends) = (ratio.value.unwrap(), ratio.interval.unwrap());
        assert!(ends.holds(value) && ends.high - ends.low < 0.5, "{criterion}: {ends:?}");
    }
}
