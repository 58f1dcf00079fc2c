//! Pages of what is asked of a table beside an audit: periods, a number along its thresholds, two attributes.

use crate::page::{about, numbers, rounds_to, write};
use fairveil_core::curve::{Bin, CurveSettings};
use fairveil_core::intersect::{AttributeRecord, Intersection, PairRecord};
use fairveil_core::measures::Estimate;
use fairveil_core::monitor::{MonitorSettings, Null, Period};
use fairveil_core::{Counts, Criterion, Curve, Interval, Monitor, Settings, World};
use fairveil_report::{CurveReport, IntersectionReport, MonitorReport, Report};
use serde_json::Value;

const HOSTILE: &str = "<script>alert(1)</script> & \"two\"";

fn settings() -> Settings {
    Settings { n_boot: 100, ..Settings::default() }
}

/// Parts of a table, each drawn from a world, with the whole of them.
fn parts(count: u64, rows: u64) -> (Counts, Vec<Counts>) {
    let of = |seed: u64| World::lending().sample(rows, seed).unwrap().0;
    let parts: Vec<Counts> = (0..count).map(of).collect();
    let mut intake = parts[0].intake().clone();
    intake.rows = count * rows;
    let cells = parts.iter().flat_map(Counts::cells).map(|(cell, tally)| (cell.clone(), tally.clone()));
    (Counts::new(parts[0].legend().clone(), intake, cells).unwrap(), parts)
}

fn monitor() -> Monitor {
    let (whole, parts) = parts(18, 600);
    let period = |(i, counts): (usize, Counts)| Period {
        name: format!("{}-{:02}", 2023 + i / 12, i % 12 + 1),
        // One of them has no rows.
        counts: (i != 5).then_some(counts),
    };
    let periods: Vec<Period> = parts.into_iter().enumerate().map(period).collect();
    let asked = MonitorSettings {
        criterion: Criterion::DemographicParity,
        null: Null::Limit,
        limit: Some(0.05),
        audit: settings(),
    };
    Monitor::run(&whole, &periods, &asked).unwrap()
}

fn curve() -> Curve {
    let (whole, parts) = parts(12, 1_500);
    let bin = |(i, counts): (usize, Counts)| {
        let low = if i == 0 { f64::NEG_INFINITY } else { 250.0 * i as f64 };
        Bin { low, counts: Some(counts) }
    };
    let bins: Vec<Bin> = parts.into_iter().enumerate().map(bin).collect();
    let asked = CurveSettings { column: HOSTILE.into(), rows_without: 17, audit: settings() };
    Curve::run(&whole, &bins, &asked).unwrap()
}

fn intersection() -> Intersection {
    let known = |value: f64| Estimate {
        value: Some(value),
        interval: Some(Interval { low: value - 0.03, high: value + 0.03 }),
        honest_interval: Some(Interval { low: value - 0.08, high: value + 0.05 }),
        unavailable: None,
    };
    let pair = |one: &str, other: &str, rate: f64| PairRecord {
        groups: vec![one.into(), other.into()],
        people: Some(812.4),
        rate: known(rate),
        difference: known(rate - 0.6),
        adverse_impact_ratio: known(rate / 0.6),
        unavailable: None,
    };
    let attribute = |name: &str, groups: [&str; 2]| AttributeRecord {
        name: name.into(),
        groups: groups.map(str::to_owned).to_vec(),
        proxies: vec!["surname".into(), "zip".into(), "list".into()],
        rests_on: None,
    };
    let long = "w".repeat(120);
    Intersection {
        input: monitor().input,
        attributes: vec![attribute(HOSTILE, ["black", "white"]), attribute("sex", ["female", "male"])],
        confidence: 0.95,
        confidence_of_each: 0.9875,
        shared_error: 0.5,
        seed: 0,
        reference: Some(vec!["white".into(), "male".into()]),
        groups: vec![
            pair("black", "female", 0.41),
            pair("black", &long, 0.48),
            pair("white", "female", 0.55),
            pair("white", "male", 0.6),
        ],
        findings: Vec::new(),
        unavailable: None,
    }
}

/// What holds of every page.
fn holds(name: &str, report: &dyn Report) {
    let document: Value = serde_json::from_str(&report.json().unwrap()).unwrap();
    let page = report.html();
    let numbers = numbers(&page);
    assert!(numbers.len() > 10, "{name}: {}", numbers.len());
    for (path, exact, shown) in &numbers {
        let known = document.pointer(path).and_then(Value::as_f64);
        assert_eq!(known, Some(*exact), "{name}: {path}");
        assert!(rounds_to(shown, *exact), "{name}: {path}: {shown} for {exact}");
    }
    assert!(!page.contains("<script>"), "{name}");
    assert!(!report.markdown().contains("<script>"), "{name}");
    write(&format!("{name}.html"), &page);
    for plot in report.plots() {
        write(&format!("{name}-{}", plot.name), &plot.svg);
    }
}

#[test]
fn pages_of_records_show_the_numbers_of_their_json_and_are_left_for_the_browser() {
    let (monitor, curve, intersection) = (monitor(), curve(), intersection());
    let about = about("people.csv");
    holds("monitor", &MonitorReport { monitor: &monitor, every: "month", left_out: None, about });
    holds("curve", &CurveReport { curve: &curve, about });
    holds("intersection", &IntersectionReport { intersection: &intersection, about });
}

#[test]
fn the_gap_is_drawn_at_every_threshold_and_period() {
    let about = about("people.csv");
    let curve = curve();
    let plots = CurveReport { curve: &curve, about }.plots();
    let dots = |svg: &str| svg.matches("dot-strong").count();
    let drawn = plots.iter().find(|plot| plot.name.starts_with("gap-along-thresholds")).unwrap();
    let known =
        curve.thresholds.iter().filter(|one| one.groups.iter().any(|group| group.difference.value.is_some()));
    // The style sheet names the class once.
    assert_eq!(dots(&drawn.svg) - dots(style_of(&drawn.svg)), known.count());
}

/// The style sheet of a plot.
fn style_of(svg: &str) -> &str {
    svg.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0
}
