//! Segments side by side, when all are looked at.

use crate::sentence::{Figure, Sentence, fixed, thousands};
use crate::table::Table;
use crate::text::{MOST_ROWS, WIDTH, head, plain_table, render, wrapped};
use fairveil_core::measures::Estimate;
use fairveil_core::segments::{SegmentGap, TogetherGap, TogetherRecord};

/// What the columns mean.
fn meaning(record: &TogetherRecord) -> String {
    format!(
        "Own: by the segment's rows, errors of the proxies learned from all rows. Pooled: drawn towards the mean of all segments, the \
         more so the less is known of the segment. Intervals hold for all {} segments at once (each at {} %).",
        record.segments,
        fixed(100.0 * record.confidence_of_each, 2)
    )
}

/// `green less blue`.
fn title(record: &TogetherRecord, gap: &TogetherGap) -> Sentence {
    let title = Sentence::named(&gap.group).text(" less ").name(record.reference.as_deref().unwrap_or("–"));
    match &gap.label {
        Some(label) => title.text(", among ").name(label),
        None => title,
    }
}

/// `north, 2021`.
fn called(segment: &SegmentGap) -> String {
    let values: Vec<&str> =
        segment.values.iter().map(|value| value.as_deref().unwrap_or("(missing)")).collect();
    if values.is_empty() { "others (small segments)".into() } else { values.join(", ") }
}

/// For a screen.
pub(super) fn text(record: &TogetherRecord) -> String {
    let mut out = format!("\n{}\n", head("All segments at once"));
    if let Some(reason) = &record.unavailable {
        return out + &wrapped(&format!("– {reason}"), "  ", WIDTH);
    }
    for gap in &record.gaps {
        out += &wrapped(&title(record, gap).in_columns(), "  ", WIDTH);
        let mut table = plain_table();
        table.set_header(["segment", "rows", "own", "pooled", "pooled, with shared error"]);
        for segment in gap.segments.iter().take(MOST_ROWS) {
            let honest = segment.pooled.honest_interval;
            let honest = honest.map(|ends| format!("{} to {}", fixed(ends.low, 3), fixed(ends.high, 3)));
            table.add_row([
                called(segment),
                thousands(segment.rows as f64),
                estimate(&segment.own),
                estimate(&segment.pooled),
                honest.unwrap_or("–".into()),
            ]);
        }
        if let Some(mean) = &gap.mean {
            table.add_row([
                "mean of all".into(),
                String::new(),
                String::new(),
                estimate(mean),
                String::new(),
            ]);
        }
        out += &render(table);
        if gap.segments.len() > MOST_ROWS {
            out += &format!("  … and {} more, in the JSON\n", gap.segments.len() - MOST_ROWS);
        }
        if let Some(spread) = gap.spread {
            out += &wrapped(
                &format!(
                    "Gaps of segments differ by about {} beyond chance (standard deviation).",
                    fixed(spread, 3)
                ),
                "  ",
                WIDTH,
            );
        }
    }
    out + &wrapped(&meaning(record), "  ", WIDTH)
}

fn estimate(found: &Estimate) -> String {
    match (found.value, found.interval) {
        (Some(value), Some(ends)) => {
            format!("{} ({} to {})", fixed(value, 3), fixed(ends.low, 3), fixed(ends.high, 3))
        }
        (Some(value), None) => fixed(value, 3),
        (None, _) => "–".into(),
    }
}

/// For a page: what it says, and a table for each group.
pub(super) fn told(record: &TogetherRecord) -> (String, Vec<(Sentence, Table)>) {
    if let Some(reason) = &record.unavailable {
        return (reason.clone(), Vec::new());
    }
    let table = |(place, gap): (usize, &TogetherGap)| {
        let mut table = Table::with_head(["segment", "rows", "own", "pooled", "pooled, with shared error"]);
        for (i, segment) in gap.segments.iter().enumerate() {
            let root = format!("/together/gaps/{place}/segments/{i}");
            let honest = segment.pooled.honest_interval.map(|ends| (ends.low, ends.high));
            let honest = Sentence::range(honest, Figure::GAP, &format!("{root}/pooled/honest_interval"));
            table.push(vec![
                Sentence::named(called(segment)),
                Figure::count(segment.rows, format!("{root}/rows")).into(),
                figures(&segment.own, &format!("{root}/own")),
                figures(&segment.pooled, &format!("{root}/pooled")),
                if honest.0.is_empty() { Sentence::of("–") } else { honest },
            ]);
        }
        (title(record, gap), table)
    };
    (meaning(record), record.gaps.iter().enumerate().map(table).collect())
}

fn figures(found: &Estimate, path: &str) -> Sentence {
    let number = Sentence::from(Figure::new(found.value, format!("{path}/value")).within(Figure::GAP));
    match found.interval.filter(|_| found.value.is_some()) {
        None => number,
        Some(ends) => number
            .text(" (")
            .then(Sentence::range(Some((ends.low, ends.high)), Figure::GAP, &format!("{path}/interval")))
            .text(")"),
    }
}
