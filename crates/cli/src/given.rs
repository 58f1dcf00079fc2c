//! Error rates from a JSON file.

use crate::intake::read_stated;
use crate::output::Shown;
use anyhow::{Context, anyhow};
use fairveil_core::estimate::{Given, StatedNoise};
use fairveil_core::vocabulary::Legend;
use std::path::Path;

/// Reads the file in the words of the audited table.
pub fn read(path: &Path, legend: &Legend) -> anyhow::Result<Given> {
    let name = path.shown();
    let text = read_stated(path)?;
    let stated: StatedNoise = serde_json::from_str(&text).map_err(|error| {
        let what = if error.is_data() { "states no error rates" } else { "is no JSON" };
        anyhow!(
            "{name} {what}: {error}\n  needed: an object with a `transition` matrix, or what --json wrote"
        )
    })?;
    stated.given(legend).with_context(|| name.to_string())
}
