//! Rows cut into bins, in which the proxies may err differently: by the score, or by the decision before.
//!
//! ```text
//! R[n,a] = mean over proxies c of (T_b⁻ᵀ)[a, g_nc]          b the bin of row n
//! ```
//! `T_b` is learned from the rows of a bin and stays as it is while a rule is learned. With the decision before as the bin that is the
//! paper's local calibration, of the decisions that are there. Error rates by the decision of the rule that is being learned are
//! not offered: they would have to be learned again with every change of it, their constraints conflict, and what meets them all
//! is the same decision for everyone.

use super::measure::binned_legend;
use super::part::{Part, Patterns};
use super::{MitigateError, MitigateSettings};
use crate::Rows;
use fairveil_core::Interval;
use fairveil_core::mitigate::{CalibratedWeights, DriftBin, DriftRecord, ScoreBin, drift};
use fairveil_core::noise::TransitionMatrix;
use fairveil_core::vocabulary::Class;

/// Error rates by bin, fixed before training.
pub(super) struct Binned {
    pub matrices: Vec<TransitionMatrix>,
    by: By,
    pub of_rows: Vec<u8>,
}

/// What says which bin a row is in.
enum By {
    /// Scores up to which each bin but the last reaches.
    Score(Vec<f64>),
    /// The decision before: first the others, then those decided positive.
    Decision,
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
        let matrices = matrices(&found, |place| format!("bin {} of the score", place + 1))?;
        let ends: Vec<f64> = found.bins.iter().take(bins - 1).map(|bin| bin.high).collect();
        let mut binned = Binned { matrices, by: By::Score(ends), of_rows: Vec::new() };
        binned.of_rows = binned.bins_of(part, eta);
        Ok(binned)
    }

    /// One bin for each decision before.
    pub fn by_decision(rows: &Rows, patterns: &Patterns, part: &Part) -> Result<Self, MitigateError> {
        let before = part.before.as_ref().ok_or(MitigateError::NoDecisions)?;
        let legend = binned_legend(&rows.legend, 2);
        let (counts, _) = part.tally(rows, patterns, legend, |row| Class(usize::from(before[row])))?;
        let positive = before.iter().filter(|decision| **decision).count() as u64;
        let bin = |at: f64, rows: u64| ScoreBin { scores: Interval { low: at, high: at }, rows };
        let bins = [bin(0.0, before.len() as u64 - positive), bin(1.0, positive)];
        let found = drift(&counts, &bins).map_err(|reason| MitigateError::Noise { reason })?;
        let names = [Class(1 - rows.legend.positive.0.min(1)), rows.legend.positive];
        let matrices = matrices(&found, |place| format!("decision {}", rows.legend.class(names[place])))?;
        let mut binned = Binned { matrices, by: By::Decision, of_rows: Vec::new() };
        binned.of_rows = binned.bins_of(part, &[]);
        Ok(binned)
    }

    /// The bin of every row of a part.
    pub fn bins_of(&self, part: &Part, eta: &[f64]) -> Vec<u8> {
        match &self.by {
            By::Score(ends) => eta.iter().map(|eta| ends.partition_point(|end| end < eta) as u8).collect(),
            By::Decision => part.before.iter().flatten().map(|decision| u8::from(*decision)).collect(),
        }
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

/// The error rates of every bin.
fn matrices(
    found: &DriftRecord,
    name: impl Fn(usize) -> String,
) -> Result<Vec<TransitionMatrix>, MitigateError> {
    let matrix = |(place, bin): (usize, &DriftBin)| {
        let reason = || {
            let reason = bin.reason.clone().unwrap_or_default();
            MitigateError::Noise { reason: format!("{}: {reason}", name(place)) }
        };
        let rows = bin.transition.clone().ok_or_else(reason)?;
        TransitionMatrix::new(rows).map_err(|error| MitigateError::Noise { reason: error.to_string() })
    };
    found.bins.iter().enumerate().map(matrix).collect()
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
