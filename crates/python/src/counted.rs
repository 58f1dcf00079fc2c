//! Tallies: what is left of a table when its rows are forgotten.

use crate::asked::Asked;
use crate::refused::of_table;
use fairveil_core::setting::Setting;
use fairveil_ingest::{EvidenceFile, TallyFormat, count_table};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Bytes that something writes.
fn written<'py>(
    py: Python<'py>,
    write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut out = Vec::new();
    write(&mut out).map_err(|error| PyOSError::new_err(error.to_string()))?;
    Ok(PyBytes::new(py, &out))
}

/// Counts tables together; gives the tally as CSV, as the command line writes it, and what names say of its rows, where that was
/// counted, and how many segments are too small to be shown. Cells of fewer rows than `min_cell` are withheld, and then none is.
#[pyfunction]
#[pyo3(signature = (asked, min_cell=None))]
pub fn count<'py>(
    py: Python<'py>,
    asked: Asked,
    min_cell: Option<u64>,
) -> PyResult<(Bound<'py, PyBytes>, Option<Bound<'py, PyBytes>>, usize)> {
    let (mut tally, shown) = asked.read(py, |inputs, columns, reading| {
        count_table(inputs, columns, reading).map(|tally| (tally, columns.least_segment()))
    })?;
    let small = if min_cell.is_none() { tally.small_segments(shown) } else { 0 };
    if let Some(least) = min_cell {
        tally.hide_below(least);
    }
    let evidence = tally.evidence().map(|evidence| written(py, |out| evidence.write(out))).transpose()?;
    Ok((written(py, |out| tally.write(TallyFormat::Csv, out))?, evidence, small))
}

/// The evidence of all rows, from that of parts.
#[pyfunction]
pub fn joined<'py>(py: Python<'py>, one: &[u8], other: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let read =
        |bytes| EvidenceFile::read(Setting::Evidence.name(), bytes).map_err(|error| of_table(py, &error));
    let mut all = read(one)?;
    all.merge(read(other)?).map_err(|error| of_table(py, &error))?;
    written(py, |out| all.write(out))
}
