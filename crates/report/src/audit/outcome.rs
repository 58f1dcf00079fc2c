//! An outcome by group.

use super::measures::{Told, decimals};
use crate::sentence::{Figure, Sentence, Unit, fixed, thousands};
use crate::table::Table;
use crate::text::{MOST_ROWS, WIDTH, head, plain_table, render, wrapped};
use fairveil_core::measures::Estimate;
use fairveil_core::outcome::{GroupOutcome, OutcomeRecord};
use fairveil_core::{Audit, Interval};

/// What the columns mean.
const MEANING: &str = "Mean: of the people of a group who have an outcome, the proxies' errors undone. Less: mean less that of the \
     reference. Standardized: the same over the standard deviation within the two groups. In brackets what chance leaves open; all \
     groups hold at once. All of it holds if inside a group the guesses do not go with the outcome.";

/// The outcome of every group for a screen.
pub(super) fn text(audit: &Audit) -> String {
    let Some(record) = &audit.outcome else { return String::new() };
    let title = Sentence::named(&record.column).text(" by group").in_columns();
    let mut out = format!("\n{}\n", head(&title));
    if let Some(reason) = &record.unavailable {
        return out + &wrapped(&format!("– {reason}"), "  ", WIDTH) + &without(record);
    }
    let mut table = plain_table();
    table.set_header(["group", "mean", "less", "with shared error", "ratio", "standardized"]);
    for group in record.groups.iter().take(MOST_ROWS) {
        table.add_row(row(group));
    }
    out += &render(table);
    reasons(record)
        .iter()
        .for_each(|reason| out += &wrapped(&format!("– {}", reason.in_columns()), "  ", WIDTH));
    let beside = record.reference.iter().map(|reference| {
        wrapped(&Sentence::of("The reference is ").name(reference).text(".").in_columns(), "  ", WIDTH)
    });
    out + &beside.collect::<String>() + &without(record) + &wrapped(MEANING, "  ", WIDTH)
}

/// How many rows have none.
fn without(record: &OutcomeRecord) -> String {
    match record.rows_without {
        0 => String::new(),
        rows => wrapped(
            &format!("{} have no outcome, or an infinite one, and are left out here.", rows_of(rows)),
            "  ",
            WIDTH,
        ),
    }
}

fn rows_of(rows: u64) -> String {
    if rows == 1 { "1 row".into() } else { format!("{} rows", thousands(rows as f64)) }
}

fn row(group: &GroupOutcome) -> Vec<String> {
    let honest = group.difference.honest_interval;
    let mean = group.mean.value.map(|mean| shown(mean, places(group.mean.interval)));
    vec![
        group.group.clone(),
        mean.unwrap_or("–".into()),
        estimate(&group.difference),
        honest.map_or("–".into(), |ends| {
            let places = places(Some(ends));
            format!("{} to {}", shown(ends.low, places), shown(ends.high, places))
        }),
        estimate(&group.ratio),
        estimate(&group.standardized_mean_difference),
    ]
}

fn estimate(found: &Estimate) -> String {
    let places = places(found.interval);
    match (found.value, found.interval) {
        (Some(value), Some(ends)) => {
            format!("{} ({} to {})", shown(value, places), shown(ends.low, places), shown(ends.high, places))
        }
        (Some(value), None) => shown(value, places),
        (None, _) => "–".into(),
    }
}

/// Decimals that leave two digits of the interval's width.
pub(crate) fn places(ends: Option<Interval>) -> usize {
    let width = ends.map_or(0.0, |ends| ends.high - ends.low);
    if width > 0.0 { (1.0 - width.log10().floor()).clamp(0.0, 6.0) as usize } else { 3 }
}

fn shown(value: f64, places: usize) -> String {
    match places {
        0 if value.abs() >= 1_000.0 => {
            let whole = thousands(value.abs().round());
            if value < 0.0 { format!("-{whole}") } else { whole }
        }
        _ => fixed(value, places),
    }
}

/// Why something is missing, once for each reason of a group but the reference.
fn reasons(record: &OutcomeRecord) -> Vec<Sentence> {
    let mut said: Vec<(&str, &str)> = Vec::new();
    for group in record.groups.iter().filter(|group| Some(&group.group) != record.reference.as_ref()) {
        let all = [&group.mean, &group.difference, &group.ratio, &group.standardized_mean_difference];
        for reason in all.iter().filter_map(|found| found.unavailable.as_deref()) {
            if !said.contains(&(&group.group, reason)) {
                said.push((&group.group, reason));
            }
        }
    }
    said.into_iter().map(|(group, reason)| Sentence::named(group).text(format!(": {reason}"))).collect()
}

/// The outcome of every group for a page and for Markdown.
pub(super) fn told(audit: &Audit) -> Option<Told> {
    let record = audit.outcome.as_ref()?;
    let mut table =
        Table::with_head(["group", "mean", "less", "less, with shared error", "ratio", "standardized", "p"]);
    for (place, group) in record.groups.iter().enumerate() {
        let root = format!("/outcome/groups/{place}");
        let of = |found: &Estimate, name: &str| figures(found, &format!("{root}/{name}"));
        let honest = group.difference.honest_interval;
        let range = Sentence::range(
            honest.map(|ends| (ends.low, ends.high)),
            None,
            &format!("{root}/difference/honest_interval"),
        );
        table.push(vec![
            Sentence::named(&group.group),
            of(&group.mean, "mean"),
            of(&group.difference, "difference"),
            if range.0.is_empty() { Sentence::of("–") } else { decimals(range, places(honest)) },
            of(&group.ratio, "ratio"),
            of(&group.standardized_mean_difference, "standardized_mean_difference"),
            Figure::new(group.p_value, format!("{root}/p_value")).unit(Unit::PValue).into(),
        ]);
    }
    let mut said = reasons(record);
    said.extend(record.unavailable.as_ref().map(Sentence::of));
    if record.rows_without > 0 {
        let rows = Figure::count(record.rows_without, "/outcome/rows_without");
        said.push(
            Sentence::from(rows).text(" rows have no outcome, or an infinite one, and are left out here."),
        );
    }
    let heading = Sentence::named(&record.column).text(" by group");
    let heading = match &record.reference {
        Some(reference) => heading.text(", beside ").name(reference),
        None => heading,
    };
    Some(Told { heading, table, reasons: said, meaning: MEANING })
}

pub(crate) fn figures(found: &Estimate, path: &str) -> Sentence {
    let number = Sentence::from(Figure::new(found.value, format!("{path}/value")));
    let ends = found.interval.filter(|_| found.value.is_some());
    let sentence = match ends {
        None => number,
        Some(ends) => number
            .text(" (")
            .then(Sentence::range(Some((ends.low, ends.high)), None, &format!("{path}/interval")))
            .text(")"),
    };
    decimals(sentence, places(ends))
}
