//! `V` of every row, for anyone's trainer.

use super::gaps::RowWeights;
use super::part::Patterns;
use super::{MitigateError, MitigateSettings, noise};
use crate::Rows;
use fairveil_core::counts::{Cell, Intake, Tally};
use fairveil_core::mitigate::{CalibratedWeights, GroupPair};
use fairveil_core::record::NoiseRecord;
use fairveil_core::vocabulary::{Class, Legend, Stratum};
use fairveil_core::{Counts, Estimator};

/// `V` of every row, in the order of the table, and where it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedWeights {
    /// A name for each pair of groups, and label.
    pub names: Vec<String>,
    /// For each of them, `V` of every row.
    pub values: Vec<Vec<f64>>,
    /// How the proxies err.
    pub noise: Vec<NoiseRecord>,
    /// The noise estimator that was used.
    pub estimator: Estimator,
}

/// Computes `V` for every row of a table. Rows that count for nothing have `V = 0`.
pub fn calibrated_weights(
    rows: &Rows,
    settings: &MitigateSettings,
) -> Result<ExportedWeights, MitigateError> {
    settings.check()?;
    if settings.criterion.needs_labels() && rows.labels.is_none() {
        return Err(MitigateError::NoLabels { criterion: settings.criterion });
    }
    if settings.noise_bins > 1 {
        return Err(MitigateError::Setting {
            name: "noise-bins",
            value: settings.noise_bins.to_string(),
            needed: "1: weights alone know no score to cut into bins",
        });
    }
    if settings.local {
        return Err(MitigateError::Setting {
            name: "local",
            value: "true".into(),
            needed: "false: weights alone do not look at decisions",
        });
    }
    let rows = &*rows.in_name_order();
    let patterns = Patterns::of(rows);
    let weight = |row: usize| rows.weights.as_ref().map_or(1.0, |weights| weights[row]);
    let mut totals = vec![0.0; patterns.cells.len()];
    let mut squares = 0.0;
    for row in 0..rows.rows {
        totals[patterns.of_row(row)] += weight(row);
        squares += weight(row).powi(2);
    }
    // Decisions play no part in the weights; every row is in one class so that there is a tally.
    let legend: &Legend = &rows.legend;
    let cells = patterns.cells.iter().zip(&totals).map(|(cell, weight)| {
        let prediction = cell.stratum.label.unwrap_or(Class(0));
        let stratum = Stratum { prediction, ..cell.stratum };
        (Cell { stratum, guesses: cell.guesses.clone() }, Tally::of(*weight))
    });
    let squared_weights = rows.weights.is_some().then_some(squares);
    let intake = Intake { rows: rows.rows as u64, squared_weights, ..Intake::default() };
    let counts = Counts::new(legend.clone(), intake, cells)?;
    let noise = noise::learn(&counts, settings)?;
    let weights = CalibratedWeights::new(&counts, settings.criterion, &[noise.transition])?;
    let table = RowWeights::new(&weights, &patterns, legend.groups.len(), 1);
    let pairs = weights.all_pairs();
    let of_row = |pair: GroupPair, row: usize| {
        if weight(row) > 0.0 { table.value(pair, 0, patterns.of_row(row)) } else { 0.0 }
    };
    let name = |pair: &GroupPair| {
        let gap = format!("v_{}_{}", legend.group(pair.a), legend.group(pair.b));
        pair.label.map_or(gap.clone(), |label| format!("{gap}_given_{}", legend.class(label)))
    };
    Ok(ExportedWeights {
        names: pairs.iter().map(name).collect(),
        values: pairs.iter().map(|pair| (0..rows.rows).map(|row| of_row(*pair, row)).collect()).collect(),
        noise: noise.records,
        estimator: noise.estimator,
    })
}
