//! Every group beside the reference.

use crate::sentence::{Figure, Piece, Sentence, Unit, fixed, number, thousands};
use crate::table::Table;
use crate::text::{MOST_ROWS, WIDTH, head, plain_table, render, wrapped};
use fairveil_core::measures::{Estimate, GroupMeasures, Measure, MeasuresRecord};
use fairveil_core::{Audit, Criterion};

/// What the columns mean.
const MEANING: &str = "Ratio: rate over that of the reference (adverse impact ratio; the four-fifths rule asks for 0.8), and all that is \
     held possible of it with shared error. To the most: rate over the largest. Short: people more who would be selected at the \
     reference's rate. In brackets what chance leaves open; all groups hold at once. Odds and z are in the JSON.";

/// Selection rates beside the reference, and where they stand in the JSON. Other rates are in the JSON alone.
struct Beside<'a> {
    place: usize,
    record: &'a MeasuresRecord,
    reference: &'a str,
}

impl<'a> Beside<'a> {
    /// Nothing where no group can be compared.
    fn of(audit: &'a Audit) -> Option<Self> {
        let about = |record: &MeasuresRecord| record.criterion == Criterion::DemographicParity;
        let place = audit.measures.iter().position(about)?;
        let record = &audit.measures[place];
        let reference = record.reference.as_deref().filter(|_| !record.groups.is_empty())?;
        Some(Beside { place, record, reference })
    }

    /// The other groups, each with its place.
    fn others(&self) -> impl Iterator<Item = (usize, &'a GroupMeasures)> {
        let reference = self.reference;
        self.record.groups.iter().enumerate().filter(move |(_, group)| group.group != reference)
    }

    /// Why something is missing, once for each reason of a group.
    fn reasons(&self) -> Vec<(&'a str, &'a str)> {
        let mut reasons = Vec::new();
        for (_, group) in self.others() {
            let missing = Measure::ALL.iter().filter_map(|measure| group.of(*measure).unavailable.as_ref());
            for reason in missing.map(|reason| (group.group.as_str(), reason.as_str())) {
                if !reasons.contains(&reason) {
                    reasons.push(reason);
                }
            }
        }
        reasons
    }
}

/// The groups beside the reference for a screen.
pub(super) fn text(audit: &Audit) -> String {
    let Some(beside) = Beside::of(audit) else { return String::new() };
    let mut out = format!("\n{}\n", head(&Sentence::of("Beside ").name(beside.reference).in_columns()));
    let mut table = plain_table();
    table.set_header(["group", "difference", "ratio", "with shared error", "to the most", "short", "p"]);
    for (_, group) in beside.others().take(MOST_ROWS) {
        table.add_row(row(group));
    }
    out += &render(table);
    let reasons = beside.reasons();
    let said = |(group, reason): &(&str, &str)| wrapped(&format!("– {group}: {reason}"), "  ", WIDTH);
    reasons.iter().take(MOST_ROWS).for_each(|reason| out += &said(reason));
    out + &wrapped(MEANING, "  ", WIDTH)
}

/// The same as a table, under its heading, with what its columns mean and why something is missing.
pub(super) struct Told {
    pub heading: Sentence,
    pub table: Table,
    pub reasons: Vec<Sentence>,
    pub meaning: &'static str,
}

/// The groups beside the reference for a page and for Markdown.
pub(super) fn told(audit: &Audit) -> Option<Told> {
    let beside = Beside::of(audit)?;
    let head = ["group", "difference", "ratio", "ratio with shared error", "to the most", "short", "p"];
    let mut table = Table::with_head(head);
    for (place, group) in beside.others() {
        let root = format!("/measures/{}/groups/{place}", beside.place);
        let of = |measure: Measure, decimals: usize| {
            figures(group.of(measure), &format!("{root}/{}", measure.name()), decimals)
        };
        let honest = group.adverse_impact_ratio.honest_interval.map(|ends| (ends.low, ends.high));
        let honest = Sentence::range(honest, None, &format!("{root}/adverse_impact_ratio/honest_interval"));
        table.push(vec![
            Sentence::named(&group.group),
            of(Measure::Difference, 3),
            of(Measure::AdverseImpactRatio, 2),
            decimals(if honest.0.is_empty() { Sentence::of("–") } else { honest }, 2),
            of(Measure::ImpactRatio, 2),
            of(Measure::Shortfall, 0),
            Figure::new(group.p_value, format!("{root}/p_value")).unit(Unit::PValue).into(),
        ]);
    }
    let reason = |(group, reason): (&str, &str)| Sentence::named(group).text(format!(": {reason}"));
    Some(Told {
        heading: Sentence::of("Beside ").name(beside.reference),
        table,
        reasons: beside.reasons().into_iter().map(reason).collect(),
        meaning: MEANING,
    })
}

/// The number and, in brackets, what chance leaves open.
fn figures(found: &Estimate, path: &str, places: usize) -> Sentence {
    let number = Sentence::from(Figure::new(found.value, format!("{path}/value")));
    let ends = found.interval.filter(|_| found.value.is_some()).map(|ends| (ends.low, ends.high));
    let sentence = match ends {
        None => number,
        ends => number.text(" (").then(Sentence::range(ends, None, &format!("{path}/interval"))).text(")"),
    };
    decimals(sentence, places)
}

/// The same with so many decimals in every number.
pub(crate) fn decimals(mut sentence: Sentence, places: usize) -> Sentence {
    for piece in &mut sentence.0 {
        if let Piece::Number(figure) = piece {
            figure.digits = Some(places);
        }
    }
    sentence
}

fn row(group: &GroupMeasures) -> Vec<String> {
    let honest = group.adverse_impact_ratio.honest_interval;
    let p_value = group.p_value.map(|p| Figure::bare(Some(p)).unit(Unit::PValue).shown());
    vec![
        group.group.clone(),
        estimate(&group.difference, |value| number(Some(value))),
        estimate(&group.adverse_impact_ratio, |value| fixed(value, 2)),
        honest.map_or("–".into(), |ends| format!("{} to {}", fixed(ends.low, 2), fixed(ends.high, 2))),
        estimate(&group.impact_ratio, |value| fixed(value, 2)),
        estimate(&group.shortfall, people),
        p_value.unwrap_or("–".into()),
    ]
}

/// The number and, in brackets, what chance leaves open.
fn estimate(found: &Estimate, shown: impl Fn(f64) -> String) -> String {
    match (found.value, found.interval) {
        (Some(value), Some(ends)) => {
            format!("{} ({} to {})", shown(value), shown(ends.low), shown(ends.high))
        }
        (Some(value), None) => shown(value),
        (None, _) => "–".into(),
    }
}

/// Whole people, more or fewer.
fn people(value: f64) -> String {
    let whole = thousands(value.abs().round());
    if value.round() < 0.0 { format!("−{whole}") } else { whole }
}
