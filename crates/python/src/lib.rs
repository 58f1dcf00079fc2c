//! What the Python package cannot say in Python: arrays and Arrow streams into the readers, audits with the interpreter's lock
//! released, and the command line.
//!
//! No statistics and no words of its own: `python/fairveil` is the face, `fairveil-core` has the numbers, `fairveil-report` the
//! words.

mod asked;
mod attend;
mod audited;
mod capsule;
mod compared;
mod counted;
mod keywords;
mod mitigated;
mod objects;
mod overall;
mod planned;
mod recorded;
mod refused;
mod simulated;
mod table;

use pyo3::prelude::*;

/// Called by the package `fairveil` and by nobody else.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::audited::{Audited, audit};
    #[pymodule_export]
    use super::compared::{Compared, compare};
    #[pymodule_export]
    use super::counted::{count, joined};
    #[pymodule_export]
    use super::mitigated::{Mitigated, Rule, learn, mitigate, weights};
    #[pymodule_export]
    use super::overall::overall;
    #[pymodule_export]
    use super::planned::plan;
    #[pymodule_export]
    use super::recorded::{Recorded, curve, intersect, middle, monitor};
    #[pymodule_export]
    use super::simulated::simulate;
    #[pymodule_export]
    use super::table::Table;

    use pyo3::prelude::*;
    use std::ffi::OsString;

    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "as Python spells it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// The command line: does what the words say, of which the first is the program's name, and gives the exit code.
    #[pyfunction]
    fn run(py: Python, words: Vec<OsString>) -> u8 {
        py.detach(|| fairveil::run(words))
    }

    /// The full text of a finding; nothing where there is none of this code.
    #[pyfunction]
    fn explain(code: &str) -> Option<String> {
        let entry = fairveil_core::diagnose::explain(code)?;
        Some(fairveil_report::explanation(entry, fairveil_report::Style::Plain, &super::keywords::Keywords))
    }
}
