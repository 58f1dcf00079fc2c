//! Files that state how proxies were randomised.

use crate::intake::read_stated;
use crate::output::{Shown, is_same, tell};
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

/// The columns of all files together. `tables` are the files that will be read. A table that was joined, cut or written anew since has
/// other bytes, so bytes say nothing; what is told is another mechanism that lies beside a table, and an audit looks whether the guesses
/// can have come out of the one that was given (finding P21).
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
        for table in tables {
            let own = telling::beside(table);
            let other = read_stated(&own).ok().filter(|_| own.is_file()).is_some_and(|other| other != text);
            if other && files.iter().all(|given| !is_same(given, &own)) {
                tell(&format!(
                    "warning: {} was given, and {} lies beside the table: make sure that it is the right one",
                    name(),
                    own.shown()
                ));
            }
        }
        columns.extend(mechanism.columns);
    }
    Ok(columns)
}
