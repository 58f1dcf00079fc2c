//! What is said of a number by group, and its tables.

use super::CurveReport;
use crate::audit::{figures, places};
use crate::sentence::{Figure, Sentence, fixed};
use crate::table::Table;
use fairveil_core::Interval;
use fairveil_core::curve::{BandRecord, BesideRecord, ThresholdRecord};
use fairveil_core::measures::Estimate;

/// The answer: the largest gap of all thresholds, and where it is.
pub(super) fn answer(report: &CurveReport) -> Sentence {
    let curve = report.curve;
    if let Some(reason) = &curve.unavailable {
        return Sentence::of("Nothing can be said: ").text(reason.clone()).text(".");
    }
    let all = curve.thresholds.iter().enumerate().flat_map(|(i, one)| {
        let groups = one.groups.iter().enumerate();
        groups.filter_map(move |(j, group)| Some((i, j, one, group, group.difference.value?)))
    });
    let Some((i, j, at, group, gap)) = all.max_by(|a, b| a.4.abs().total_cmp(&b.4.abs())) else {
        return Sentence::of("No gap can be given at any threshold: ").text(withheld(report)).text(".");
    };
    let path = format!("/thresholds/{i}/groups/{j}/difference/value");
    let ends = group.difference.interval.map(|ends| (ends.low, ends.high));
    Sentence::of("The gap is largest at a threshold of ")
        .number(cut(at.threshold, format!("/thresholds/{i}/threshold")))
        .text(": there ")
        .name(&group.group)
        .text(if gap < 0.0 { " reaches it less often than " } else { " reaches it more often than " })
        .name(curve.reference.clone().unwrap_or_default())
        .text(", a difference of ")
        .number(Figure::new(Some(gap), path).within(ends))
        .then(match group.difference.honest_interval {
            Some(honest) => Sentence::of(" (")
                .then(Sentence::range(
                    Some((honest.low, honest.high)),
                    ends,
                    &format!("/thresholds/{i}/groups/{j}/difference/honest_interval"),
                ))
                .text(" where proxies may share mistakes)"),
            None => Sentence::default(),
        })
        .text(".")
}

/// Why numbers are missing.
fn withheld(report: &CurveReport) -> String {
    let all = report.curve.thresholds.iter().flat_map(|one| &one.groups);
    let reason = all.filter_map(|group| group.value.unavailable.clone()).next();
    reason.unwrap_or_else(|| "everyone lies in one bin".into())
}

/// What the columns mean.
pub(super) fn meaning(report: &CurveReport) -> String {
    let curve = report.curve;
    format!(
        "In brackets what chance leaves open, each for itself ({} %); with shared error: the same when the proxies may share mistakes \
         (up to {} % of their agreement) and by every explanation that fits. Errors of the proxies were learned from all rows and are \
         taken to be the same along {}.",
        fixed(100.0 * curve.confidence, 0),
        fixed(100.0 * curve.shared_error, 0),
        curve.column
    )
}

/// A table with what it shows.
pub(super) struct Shown {
    pub heading: Sentence,
    pub table: Table,
    /// Why something is missing.
    pub reasons: Vec<Sentence>,
}

/// Thresholds, quantiles and bands, as far as there are any; for a screen without what chance leaves open of each value.
pub(super) fn tables(report: &CurveReport, screen: bool) -> Vec<Shown> {
    let curve = report.curve;
    let mut shown = Vec::new();
    if !curve.thresholds.is_empty() {
        let rows = curve.thresholds.iter().enumerate().map(|(i, one)| {
            let name = place(one.threshold, format!("/thresholds/{i}/threshold"), screen);
            (name, format!("/thresholds/{i}"), one.groups.as_slice())
        });
        let heading = Sentence::of("Who reaches a threshold of ").name(&curve.column);
        shown.push(table(report, heading, ("threshold", screen), rows));
    }
    if !curve.quantiles.is_empty() {
        let rows = curve.quantiles.iter().enumerate().map(|(i, one)| {
            let name = place(one.quantile, format!("/quantiles/{i}/quantile"), screen);
            (name, format!("/quantiles/{i}"), one.groups.as_slice())
        });
        let heading = Sentence::of("Quantiles of ").name(&curve.column);
        shown.push(table(report, heading, ("quantile", screen), rows));
    }
    if !curve.calibration.is_empty() {
        let rows =
            curve.calibration.iter().enumerate().map(|(i, one)| {
                (Sentence::of(band(one)), format!("/calibration/{i}"), one.groups.as_slice())
            });
        let heading = Sentence::of("How often the label is positive within bands of ").name(&curve.column);
        shown.push(table(report, heading, ("band", screen), rows));
    }
    shown
}

/// `0.2 to 0.35`.
pub(super) fn band(band: &BandRecord) -> String {
    match (band.low, band.high) {
        (Some(low), Some(high)) => format!("{low} to {high}"),
        (None, Some(high)) => format!("below {high}"),
        (Some(low), None) => format!("{low} or more"),
        (None, None) => "all".into(),
    }
}

/// `0.35`.
pub(super) fn threshold(one: &ThresholdRecord) -> String {
    one.threshold.to_string()
}

/// One row for each place and group, beside the reference.
fn table<'a>(
    report: &CurveReport,
    heading: Sentence,
    (first, screen): (&str, bool),
    rows: impl Iterator<Item = (Sentence, String, &'a [BesideRecord])>,
) -> Shown {
    let reference = report.curve.reference.as_deref();
    let head = [first, "group", "its value", "the reference's", "less", "less, with shared error"];
    let mut table = Table::with_head(head);
    let mut reasons: Vec<String> = Vec::new();
    for (name, path, groups) in rows {
        let beside = groups.iter().position(|group| Some(group.group.as_str()) == reference);
        let value = |j: usize| {
            let found = &groups[j].value;
            let alone = Estimate { interval: None, ..found.clone() };
            let shown = figures(if screen { &alone } else { found }, &format!("{path}/groups/{j}/value"));
            or_dash(crate::audit::decimals(shown, places(found.interval)))
        };
        let compared = (0..groups.len()).filter(|j| Some(*j) != beside);
        for (place, j) in compared.enumerate() {
            let group = &groups[j];
            let missing =
                [&group.value, &group.difference].into_iter().filter_map(|one| one.unavailable.clone());
            for reason in missing {
                if !reasons.contains(&reason) {
                    reasons.push(reason);
                }
            }
            let root = format!("{path}/groups/{j}/difference");
            table.push(vec![
                if place == 0 { name.clone() } else { Sentence::default() },
                Sentence::named(&group.group),
                value(j),
                beside.map_or_else(Sentence::default, value),
                or_dash(figures(&group.difference, &root)),
                range(&group.difference, &format!("{root}/honest_interval")),
            ]);
        }
    }
    Shown { heading, table, reasons: reasons.into_iter().map(Sentence::of).collect() }
}

/// Where a row is: a number of the JSON, or as it was written where columns have digits of their own.
fn place(value: f64, path: String, screen: bool) -> Sentence {
    if screen { Sentence::of(value.to_string()) } else { cut(value, path).into() }
}

/// A cut as it was written.
fn cut(value: f64, path: String) -> Figure {
    let decimals = value.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len());
    Figure { digits: Some(decimals), ..Figure::new(Some(value), path) }
}

fn or_dash(sentence: Sentence) -> Sentence {
    if sentence.plain().trim().is_empty() { Sentence::of("–") } else { sentence }
}

fn range(found: &Estimate, path: &str) -> Sentence {
    let ends = found.honest_interval.map(|Interval { low, high }| (low, high));
    let range = Sentence::range(ends, None, path);
    if range.0.is_empty() {
        return Sentence::of("–");
    }
    crate::audit::decimals(range, places(found.honest_interval))
}
