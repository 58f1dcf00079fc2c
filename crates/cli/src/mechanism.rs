//! Files that state how proxies were randomised.

use crate::held::digest;
use crate::intake::read_stated;
use crate::output::{Shown, tell};
use crate::telling;
use anyhow::Context;
use fairveil_core::counts::Randomized;
use fairveil_ingest::Mechanism;
use std::path::PathBuf;

/// Tells of mechanisms that lie beside tables and were not given.
fn tell_of_forgotten(given: &[PathBuf], tables: &[PathBuf]) {
    for table in tables {
        let beside = telling::beside(table);
        if given.is_empty() && beside.is_file() {
            tell(&format!(
                "warning: {} was randomised by {}, which is not undone unless it is given with --mechanism",
                table.shown(),
                beside.shown()
            ));
        }
    }
}

/// The columns of all files together. `tables` are the files that will be read: where none of them is the one that a
/// mechanism was written beside, that is told, and may be right (a copy, another format).
pub fn read(files: &[PathBuf], tables: &[PathBuf]) -> anyhow::Result<Vec<Randomized>> {
    tell_of_forgotten(files, tables);
    let mut columns = Vec::new();
    for file in files {
        let name = || file.shown();
        let text = read_stated(file).with_context(|| {
            format!(
                "{}: cannot be read
  needed: the file that `fairveil privatize` wrote",
                name()
            )
        })?;
        let mechanism = Mechanism::from_json(&text).with_context(name)?;
        if let (Some(beside), [_, ..]) = (&mechanism.table_sha256, tables)
            && !tables.iter().any(|table| digest(table).as_ref() == Some(beside))
        {
            tell(&format!(
                "warning: {} was not written beside {}: make sure that it belongs to this table",
                name(),
                tables[0].shown()
            ));
        }
        columns.extend(mechanism.columns);
    }
    Ok(columns)
}
