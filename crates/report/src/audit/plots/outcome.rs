//! The mean outcome of every group.

use crate::audit::{figures, places};
use crate::plot::Plot;
use crate::plot::rows::{Estimate, IntervalRow, MOST, Tone, draw};
use crate::sentence::{Sentence, fixed};
use crate::table::Table;
use fairveil_core::Audit;
use fairveil_core::outcome::GroupOutcome;

/// Means of all groups that have one; nothing where there is no outcome.
pub(super) fn outcome(audit: &Audit) -> Option<Plot> {
    let record = audit.outcome.as_ref().filter(|record| !record.groups.is_empty())?;
    let mut table = Table::with_head(["group", "mean", "with shared error"]);
    let mut rows = Vec::new();
    for (i, group) in record.groups.iter().enumerate() {
        let path = format!("/outcome/groups/{i}/mean");
        let found = &group.mean;
        let honest = found.honest_interval.map(|ends| (ends.low, ends.high));
        let range = Sentence::range(honest, None, &format!("{path}/honest_interval"));
        let range = crate::audit::decimals(range, places(found.honest_interval));
        table.push(vec![
            Sentence::named(&group.group),
            figures(found, &path),
            if range.0.is_empty() { Sentence::of("–") } else { range },
        ]);
        let mean = found.value.map(|value| fixed(value, places(found.interval)));
        rows.push(IntervalRow {
            label: group.group.clone(),
            note: mean.unwrap_or_else(|| "–".into()),
            estimate: Estimate {
                value: found.value,
                interval: found.interval.map(|ends| (ends.low, ends.high)),
                reach: honest,
                truth: None,
            },
            tone: Tone::of(rows.len() < MOST),
            bold: false,
            marks: Vec::new(),
        });
    }
    let known = |group: &&GroupOutcome| group.mean.value.is_some();
    let by_mean = |a: &&GroupOutcome, b: &&GroupOutcome| {
        a.mean.value.unwrap_or(0.0).total_cmp(&b.mean.value.unwrap_or(0.0))
    };
    let of = || record.groups.iter().filter(known);
    let reading = match (of().max_by(by_mean), of().min_by(by_mean)) {
        (Some(most), Some(least)) if most.group != least.group => Sentence::named(&most.group)
            .text(" has the highest mean, ")
            .name(&least.group)
            .text(" the lowest."),
        _ => Sentence::of("No two means can be compared."),
    };
    Some(Plot {
        id: "outcome-by-group".into(),
        title: Sentence::of("Mean of ").name(&record.column).text(" by group"),
        reading,
        key: Sentence::of("Dots: means; thick: what chance leaves open; thin: with shared error."),
        canvas: draw(&rows, &record.column, None),
        table,
    })
}
