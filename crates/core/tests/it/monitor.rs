//! The gap by period: exact where the population is, quiet without a gap, and not for long with one.

use fairveil_core::counts::{Row, View};
use fairveil_core::monitor::{Monitor, MonitorSettings, Null, Period};
use fairveil_core::vocabulary::{Class, Group};
use fairveil_core::{Counts, CountsBuilder, Criterion, Settings, World};

/// The rows of all parts.
fn together(parts: &[Counts]) -> Counts {
    let legend = parts[0].legend().clone();
    let mut rows = CountsBuilder::new(legend.clone());
    for (cell, tally) in parts.iter().flat_map(Counts::cells) {
        let guesses: Vec<Option<&str>> =
            cell.guesses.iter().map(|guess| guess.map(|guess| legend.group(guess))).collect();
        let prediction = legend.class(cell.stratum.prediction);
        let label = cell.stratum.label.map(|label| legend.class(label));
        // People one by one; cells of a population are no whole people.
        let people = tally.weight.fract() == 0.0;
        let (times, weight) = if people { (tally.weight as usize, 1.0) } else { (1, tally.weight) };
        for _ in 0..times {
            rows.add(&Row { prediction, label, guesses: &guesses, weight }).unwrap();
        }
    }
    rows.finish().unwrap()
}

fn periods(parts: Vec<Counts>) -> Vec<Period> {
    let period = |(t, counts)| Period { name: format!("2024-{:02}", t + 1), counts: Some(counts) };
    parts.into_iter().enumerate().map(period).collect()
}

fn asked(null: Null, limit: Option<f64>) -> MonitorSettings {
    let audit = Settings { n_boot: 0, ..Settings::default() };
    MonitorSettings { criterion: Criterion::DemographicParity, null, limit, audit }
}

fn world(gap: f64) -> World {
    World::symmetric(2, 2, &[0.8, 0.75, 0.7], gap)
}

#[test]
fn every_period_is_exact_where_its_population_is() {
    let gaps = [0.05, 0.3, 0.1];
    let parts: Vec<Counts> = gaps.iter().map(|gap| world(*gap).population(100_000).unwrap()).collect();
    let monitor = Monitor::run(&together(&parts), &periods(parts), &asked(Null::NoGap, None)).unwrap();
    for (gap, period) in gaps.iter().zip(&monitor.periods) {
        let truth = world(*gap).truth(View::Predictions);
        let rate = |a| truth.rate(Group(a), None, Class(1)).unwrap();
        let [found] = &period.gaps[..] else { panic!("{period:?}") };
        let (own, other) = if found.group == "group 1" { (0, 1) } else { (1, 0) };
        let value = found.difference.value.unwrap();
        assert!((value - (rate(own) - rate(other))).abs() < 1e-8, "{gap}: {value}");
        assert!(found.difference.interval.unwrap().holds(value));
        assert!(found.difference.honest_interval.unwrap().holds(value));
    }
}

/// Of some years, in how many there was an alarm.
fn alarms(gaps: &[f64], null: Null, limit: Option<f64>, years: u64) -> usize {
    let alarm = |year: u64| {
        let sample = |(t, gap): (usize, &f64)| world(*gap).sample(1_000, 100 * year + t as u64).unwrap().0;
        let parts: Vec<Counts> = gaps.iter().enumerate().map(sample).collect();
        Monitor::run(&together(&parts), &periods(parts), &asked(null, limit)).unwrap().alarm.is_some()
    };
    (0..years).filter(|year| alarm(*year)).count()
}

#[test]
fn alarms_are_rare_without_a_gap_and_come_with_one() {
    let opens: Vec<f64> = (0..24).map(|t| if t < 12 { 0.02 } else { 0.10 }).collect();
    // Of twenty years one would be 5 %; more than three have a chance of 2 %.
    assert!(alarms(&[0.0; 24], Null::NoGap, None, 20) <= 3);
    assert!(alarms(&[0.05; 24], Null::Limit, Some(0.05), 20) <= 3);
    assert!(alarms(&opens, Null::NoGap, None, 20) >= 18);
    assert!(
        alarms(&[0.05; 24], Null::Limit, Some(0.01), 20) > alarms(&[0.05; 24], Null::Limit, Some(0.05), 20)
    );
}

#[test]
fn a_period_without_rows_is_named_and_adds_nothing() {
    let parts: Vec<Counts> = (0..3).map(|seed| world(0.2).sample(2_000, seed).unwrap().0).collect();
    let whole = together(&parts);
    let mut all = periods(parts);
    all.insert(1, Period { name: "nothing".into(), counts: None });
    let monitor = Monitor::run(&whole, &all, &asked(Null::Baseline, None)).unwrap();
    assert_eq!(monitor.unavailable, None);
    let hole = &monitor.periods[1];
    assert_eq!((hole.rows, hole.unavailable.as_deref()), (0, Some("no rows")));
    assert!(hole.gaps.is_empty() && monitor.periods[0].evidence == Some(1.0));
    assert_eq!(monitor.settings.reference.as_deref().map(|name| name.starts_with("group")), Some(true));
}

#[test]
fn where_no_number_stands_there_is_no_alarm_and_the_reason_is_said() {
    let useless = World::symmetric(2, 2, &[0.5; 3], 0.2);
    let parts: Vec<Counts> = (0..2).map(|seed| useless.sample(1_000, seed).unwrap().0).collect();
    let monitor = Monitor::run(&together(&parts), &periods(parts), &asked(Null::NoGap, None)).unwrap();
    assert!(monitor.alarm.is_none() && monitor.unavailable.is_some_and(|reason| !reason.is_empty()));
    let parts = vec![world(0.1).sample(1_000, 0).unwrap().0];
    let refused = Monitor::run(&together(&parts), &periods(parts.clone()), &asked(Null::Limit, Some(1.5)));
    assert!(refused.is_err());
}
