//! Several methods on the same rows: what each leaves of the gap, and what it costs.

use super::trade::{Curve, draw_curves, figure_of};
use crate::mitigation::words;
use crate::plot::Plot;
use crate::sentence::{Figure, Sentence};
use crate::table::{Row, Table};
use fairveil_core::mitigate::{MethodRecord, MitigationRecord};

/// A curve for each method. Nothing where one alone was asked for.
pub(super) fn methods(record: &MitigationRecord) -> Option<Plot> {
    if record.methods.is_empty() {
        return None;
    }
    let curves = record.methods.iter().map(|tried| Curve { name: tried.method.name(), points: &tried.curve });
    Some(Plot {
        id: "methods".into(),
        title: Sentence::of("The methods on the same rows"),
        reading: Sentence::of(
            "Each method learned from the same rows and was measured on the same others. The rule that is written is by the first.",
        ),
        key: Sentence::of(
            "One line for each method: its tolerances, joined. Further left is a smaller gap, further up is more often right. Dashed: \
             deciding alike for everyone. The upright scale does not start at 0.",
        ),
        canvas: draw_curves(record, &curves.collect::<Vec<_>>()),
        table: table(record),
    })
}

fn table(record: &MitigationRecord) -> Table {
    let interval = format!("{:.0} % interval", 100.0 * record.settings.confidence);
    let truth = record.methods.iter().flat_map(|tried| &tried.after).any(|point| point.true_gap.is_some());
    let mut table = Table::with_head([
        "method",
        "tolerance",
        "gap left",
        interval.as_str(),
        words::accuracy(record),
        "decided positive",
    ]);
    table.head.extend(truth.then(|| Sentence::of("true gap")));
    for (i, tried) in record.methods.iter().enumerate() {
        if let Some(reason) = &tried.unavailable {
            let mut cells = vec![Sentence::of(tried.method.name()), Sentence::of(first_line(reason))];
            cells.resize(table.head.len(), Sentence::default());
            table.push(cells);
        }
        for (j, _) in tried.curve.iter().enumerate() {
            let cells = point(record, (i, tried), j, truth);
            let strong = i == 0 && tried.curve[j].tolerance == record.settings.tolerance;
            table.rows.push(Row { cells, strong, segment: None });
        }
    }
    table.trimmed()
}

fn point(
    record: &MitigationRecord,
    (i, tried): (usize, &MethodRecord),
    j: usize,
    truth: bool,
) -> Vec<Sentence> {
    let (point, place) = (&tried.curve[j], |name: &str| format!("/methods/{i}/curve/{j}/{name}"));
    let gap = figure_of(point, place("gap"));
    let ends = gap.ends;
    let [_, after] = words::sides(record);
    // As many digits as those of the rule itself: the rows are the same.
    let accuracy = Figure::new(Some(point.accuracy), place("accuracy")).within(after.accuracy().ends);
    let positive =
        Figure::new(Some(point.positive_rate), place("positive_rate")).within(after.positive().ends);
    let mut cells = vec![
        Sentence::of(tried.method.name()),
        words::setting(point.tolerance, place("tolerance")).into(),
        gap.into(),
        Sentence::range(ends, ends, &place("interval")),
        accuracy.into(),
        positive.into(),
    ];
    cells.extend(truth.then(|| words::precise(point.true_gap, place("true_gap")).into()));
    cells
}

fn first_line(reason: &str) -> String {
    format!("refused: {}", reason.lines().next().unwrap_or_default())
}
