//! Rows cut into bins of the score, in which the proxies may err differently.

use super::measure::binned_legend;
use super::part::{Part, Patterns};
use super::{MitigateError, MitigateSettings};
use crate::Rows;
use fairveil_core::Interval;
use fairveil_core::mitigate::{CalibratedWeights, DriftRecord, ScoreBin, drift};
use fairveil_core::noise::TransitionMatrix;
use fairveil_core::vocabulary::Class;

/// Error rates by bin of the score, fixed before training.
pub(super) struct Binned {
    pub matrices: Vec<TransitionMatrix>,
    /// Scores up to which each bin but the last reaches.
    pub ends: Vec<f64>,
    pub of_rows: Vec<u8>,
}

impl Binned {
    pub fn of(
        rows: &Rows,
        patterns: &Patterns,
        part: &Part,
        eta: &[f64],
        bins: usize,
    ) -> Result<Self, MitigateError> {
        let found = drift_of(rows, patterns, part, eta, bins);
        let found = found.map_err(|reason| MitigateError::Noise { reason })?;
        if found.bins.len() < bins {
            let reason = format!("the score has too few different values for {bins} bins");
            return Err(MitigateError::Noise { reason });
        }
        let matrix = |(place, bin): (usize, &fairveil_core::mitigate::DriftBin)| {
            let reason = || bin.reason.clone().unwrap_or_default();
            let reason =
                || MitigateError::Noise { reason: format!("bin {} of the score: {}", place + 1, reason()) };
            let rows = bin.transition.clone().ok_or_else(reason)?;
            TransitionMatrix::new(rows).map_err(|error| MitigateError::Noise { reason: error.to_string() })
        };
        let matrices = found.bins.iter().enumerate().map(matrix).collect::<Result<Vec<_>, _>>()?;
        let ends: Vec<f64> = found.bins.iter().take(bins - 1).map(|bin| bin.high).collect();
        let mut binned = Binned { matrices, ends, of_rows: Vec::new() };
        binned.of_rows = binned.bins_of(eta);
        Ok(binned)
    }

    pub fn bins_of(&self, eta: &[f64]) -> Vec<u8> {
        eta.iter().map(|eta| self.ends.partition_point(|end| end < eta) as u8).collect()
    }

    pub fn weights(
        &self,
        rows: &Rows,
        patterns: &Patterns,
        part: &Part,
        settings: &MitigateSettings,
    ) -> Result<CalibratedWeights, MitigateError> {
        let legend = binned_legend(&rows.legend, self.matrices.len());
        let bin = |row: usize| Class(usize::from(self.of_rows[row]));
        let (tally, _) = part.tally(rows, patterns, legend, bin)?;
        Ok(CalibratedWeights::new(&tally, settings.criterion, &self.matrices)?)
    }
}

/// Compares the proxies' errors between bins with about as many rows each.
pub(super) fn drift_of(
    rows: &Rows,
    patterns: &Patterns,
    part: &Part,
    eta: &[f64],
    bins: usize,
) -> Result<DriftRecord, String> {
    let mut sorted = eta.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut ends: Vec<f64> = (1..bins).map(|bin| sorted[bin * sorted.len() / bins]).collect();
    ends.push(f64::INFINITY);
    ends.dedup();
    let last = sorted.last().copied().unwrap_or(0.0);
    // A bin up to the largest score is the last.
    ends.retain(|end| *end < last || end.is_infinite());
    if ends.len() < 2 {
        return Err("the score has too few different values to be cut into bins".into());
    }
    let of = |eta: f64| ends.partition_point(|end| *end < eta);
    let nobody = ScoreBin { scores: Interval { low: f64::INFINITY, high: f64::NEG_INFINITY }, rows: 0 };
    let mut bounds = vec![nobody; ends.len()];
    for eta in eta {
        let bin = &mut bounds[of(*eta)];
        bin.scores = Interval { low: bin.scores.low.min(*eta), high: bin.scores.high.max(*eta) };
        bin.rows += 1;
    }
    let legend = binned_legend(&rows.legend, ends.len());
    let tally = part.tally(rows, patterns, legend, |row| Class(of(eta[row])));
    let (counts, _) = tally.map_err(|error| error.to_string())?;
    drift(&counts, &bounds)
}
