//! Rates over all rows, which need no group.

use crate::asked::Asked;
use fairveil_core::counts::View;
use fairveil_core::rates::{GroupRates, true_joint};
use fairveil_core::vocabulary::Group;
use fairveil_ingest::read_table;
use pyo3::prelude::*;

/// The usual rates over all rows, in the order of [`GroupRates`]; nothing where there is none. All rows are one group.
#[pyfunction]
pub fn overall(py: Python, asked: Asked) -> PyResult<Vec<Option<f64>>> {
    let counts = asked.read(py, read_table)?.counts;
    let legend = counts.legend();
    let rates = |view| {
        let cells = counts.cells().map(|(cell, tally)| (cell.stratum, Group(0), tally.weight));
        true_joint(legend.classes.len(), 1, cells, view).group_rates(Group(0), legend.positive)
    };
    let GroupRates { share, selection_rate, .. } = rates(View::Predictions);
    let of_labels = rates(View::Labelled);
    let all = [
        share,
        selection_rate,
        of_labels.true_positive_rate,
        of_labels.false_positive_rate,
        of_labels.false_negative_rate,
        of_labels.precision,
        of_labels.accuracy,
        of_labels.base_rate,
    ];
    Ok(all.map(Result::ok).to_vec())
}
