//! How often the proxies are right at low and at high scores.

use crate::mitigation::words;
use crate::plot::{Plot, matrix};
use crate::sentence::{Figure, Sentence, fixed};
use crate::table::Table;
use fairveil_core::mitigate::{DriftBin, DriftRecord, MitigationRecord};

/// The diagonal of every bin's matrix, and in the table all of it. Nothing where no bin has one.
pub(super) fn drift(record: &MitigationRecord) -> Option<Plot> {
    let drift = record.drift.as_ref()?;
    drift.bins.iter().find(|bin| bin.transition.is_some())?;
    let entry = |bin: usize, group: usize, guess: usize| {
        let row = drift.bins[bin].transition.as_ref().and_then(|matrix| matrix.get(group));
        let value = row.and_then(|row| row.get(guess).copied());
        Figure::new(value, format!("/drift/bins/{bin}/transition/{group}/{guess}"))
    };
    let columns: Vec<String> = drift.bins.iter().map(|bin| span(drift, bin)).collect();
    let canvas = matrix::draw(&drift.groups, &columns, |group, bin| {
        let figure = entry(bin, group, group);
        Some((figure.value?, figure.shown(), None))
    });
    let mut table = Table::with_head(["of group", "scores", "rows"]);
    table.head.extend(drift.groups.iter().map(|group| Sentence::of("guessed ").name(group)));
    for (b, bin) in drift.bins.iter().enumerate() {
        for (a, group) in drift.groups.iter().enumerate() {
            let rows = Figure::count(bin.rows, format!("/drift/bins/{b}/rows"));
            let mut cells = vec![Sentence::named(group), words::scores(b, bin), rows.into()];
            let guesses = 0..drift.groups.len();
            cells.extend(guesses.map(|g| entry(b, a, g).into()));
            table.push(cells);
        }
    }
    Some(Plot {
        id: "drift".into(),
        title: Sentence::of("How often proxies are right, along the score"),
        reading: Sentence::of(
            "A row is a group, a column a bin of the score, lowest first: how often the proxies guess the group right.",
        ),
        key: Sentence::of("Darker is more often. The table has what they guess instead."),
        canvas,
        table,
    })
}

/// The scores of a bin in few letters: what counts is told by the table.
fn span(drift: &DriftRecord, bin: &DriftBin) -> String {
    let largest = drift.bins.iter().flat_map(|bin| [bin.low, bin.high]).map(f64::abs).fold(0.0, f64::max);
    let decimals = match largest {
        large if large >= 100.0 => 0,
        some if some >= 10.0 => 1,
        _ => 2,
    };
    format!("{} to {}", fixed(bin.low, decimals), fixed(bin.high, decimals))
}
