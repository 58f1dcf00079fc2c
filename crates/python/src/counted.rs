//! Tallies: what is left of a table when its rows are forgotten.

use crate::asked::ColumnsAsked;
use crate::attend::attend;
use crate::refused::of_table;
use crate::table::{Table, inputs};
use fairveil_ingest::{TallyFormat, count_table};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Counts tables together; gives the tally as CSV, as the command line writes it. Cells of fewer rows than `min_cell` are withheld.
#[pyfunction]
#[pyo3(signature = (tables, columns, min_cell=None, told=None))]
pub fn count<'py>(
    py: Python<'py>,
    tables: Vec<Py<Table>>,
    columns: ColumnsAsked,
    min_cell: Option<u64>,
    told: Option<&Bound<PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let inputs = inputs(&tables)?;
    let asked = columns.columns();
    let counted = attend(py, told, |progress| count_table(inputs, &asked, &columns.reading(progress)))?;
    let mut tally = counted.map_err(|error| of_table(py, &error))?;
    if let Some(least) = min_cell {
        tally.hide_below(least);
    }
    let mut out = Vec::new();
    tally.write(TallyFormat::Csv, &mut out).map_err(|error| PyOSError::new_err(error.to_string()))?;
    Ok(PyBytes::new(py, &out))
}
