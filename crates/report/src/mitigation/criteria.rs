//! Every criterion before and after: what a rule does to gaps that nobody asked it to reduce.

use super::words::{gap_of, precise};
use crate::sentence::{Figure, Sentence, capital};
use crate::table::{Row, Table};
use fairveil_core::mitigate::{CriterionChange, MitigationRecord};

/// What the table shows.
pub(super) const READING: &str = "Largest calibrated gaps on held-out rows. The change compares the same rows before and after, with the \
     error rates learned from the fitted rows taken as known: where its interval is above 0, the gap is wider. A rule \
     that closes one gap can open another.";

/// One line for each criterion.
pub(super) fn table(record: &MitigationRecord) -> Table {
    let interval = format!("{:.0} % interval", 100.0 * record.settings.confidence);
    let truth = record.criteria.iter().any(|change| change.true_before.or(change.true_after).is_some());
    let heads = ["criterion", "gap before", &interval, "gap after", &interval, "change", &interval];
    let mut table = Table::with_head(heads);
    table.head.extend(truth.then(|| Sentence::of("true gap before")));
    table.head.extend(truth.then(|| Sentence::of("true gap after")));
    for (i, change) in record.criteria.iter().enumerate() {
        let range = |when: &str, figure: &Figure| {
            Sentence::range(figure.ends, figure.ends, &format!("/criteria/{i}/{when}_interval"))
        };
        let (before, after) = (gap_of(i, change, "before"), gap_of(i, change, "after"));
        let (before_range, after_range) = (range("before", &before), range("after", &after));
        let (by, by_range) = wider(i, change);
        let mut cells = vec![
            Sentence::of(capital(change.criterion.words())),
            before.into(),
            before_range,
            after.into(),
            after_range,
            by,
            by_range,
        ];
        let known = |value: Option<f64>, name: &str| precise(value, format!("/criteria/{i}/{name}")).into();
        if truth {
            cells.extend([known(change.true_before, "true_before"), known(change.true_after, "true_after")]);
        }
        table.rows.push(Row { cells, strong: change.criterion == record.criterion, segment: None });
    }
    table.trimmed()
}

/// How much wider, and its interval.
fn wider(i: usize, change: &CriterionChange) -> (Sentence, Sentence) {
    let Some(by) = &change.wider_by else { return (Sentence::default(), Sentence::default()) };
    let ends = Some((by.interval.low, by.interval.high));
    let path = format!("/criteria/{i}/wider_by");
    (
        Figure::new(Some(by.value), format!("{path}/value")).within(ends).into(),
        Sentence::range(ends, ends, &path),
    )
}
