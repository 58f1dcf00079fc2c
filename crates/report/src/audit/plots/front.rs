//! The one plot that carries the answer: how often each group is selected, and below it the gap on every basis.

use super::forest::{UNIT, key, reference, rows_of, truth};
use super::rates::rate_rows;
use crate::measured::results;
use crate::plot::Plot;
use crate::plot::rows::{Panel, draw_panels};
use crate::sentence::Sentence;
use crate::words::Voice;
use fairveil_core::{Aggregate, Audit};

/// More than this of groups or of bases make the plot longer than a sheet leaves room for.
const MOST: usize = 8;

/// Nothing where no rate is known at all.
pub(crate) fn front(audit: &Audit) -> Option<Plot> {
    let criterion = *audit.settings.criteria.first()?;
    let rates = rate_rows(audit, criterion)?;
    let gaps = results(audit, criterion, Aggregate::Difference);
    let mut bases = rows_of(&gaps);
    if bases.len() > MOST {
        bases.sort_by_key(|row| !row.bold);
    }
    let truth = truth(audit, criterion, Aggregate::Difference);
    let line = reference(truth.as_ref());
    let often = format!("How often each group is {}", Voice::of(audit).selected());
    let title = if criterion.is_about_decisions() { often } else { "Rates by group".into() };
    let axis = rates.axis.replace("selected", Voice::of(audit).selected());
    let panels = [
        Panel { title: &title, rows: &rates.rows, unit: &axis, truth: None, most: MOST },
        Panel {
            title: "The largest gap between groups, on every basis",
            rows: &bases,
            unit: UNIT,
            truth: line.as_ref(),
            most: MOST,
        },
    ];
    Some(Plot {
        id: "answer-plot".into(),
        title: Sentence::of("Rates by group, and the gap on every basis"),
        reading: rates.reading,
        key: key(audit, criterion),
        canvas: draw_panels(&panels),
        table: rates.table,
    })
}
