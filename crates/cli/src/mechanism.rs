//! Files that state how proxies were randomised.

use anyhow::Context;
use fairveil_core::RandomizedResponse;
use fairveil_ingest::Mechanism;
use std::path::PathBuf;

/// For each column its groups, in the order of the mechanism's rows, and the mechanism.
pub type Told = Vec<(String, Vec<String>, RandomizedResponse)>;

/// The columns of all files together.
pub fn read(files: &[PathBuf]) -> anyhow::Result<Told> {
    let mut columns = Told::new();
    for file in files {
        let name = || file.display().to_string();
        let text = std::fs::read_to_string(file).with_context(|| {
            format!("{}: cannot be read\n  needed: the file that `fairveil privatize` wrote", name())
        })?;
        let mechanism = Mechanism::from_json(&text).with_context(name)?;
        columns.extend(mechanism.columns.into_iter().map(|told| (told.column, told.groups, told.response)));
    }
    Ok(columns)
}
