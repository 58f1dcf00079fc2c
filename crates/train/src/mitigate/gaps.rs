//! Calibrated gaps of decisions about rows, and how far chance moves them.

use super::part::{Part, Patterns};
use fairveil_core::mitigate::{CalibratedWeights, GroupPair};
use fairveil_core::vocabulary::Class;

/// The weights of every row of a part.
pub(crate) struct RowWeights {
    labels: Vec<Option<Class>>,
    groups: usize,
    patterns: usize,
    /// `W` by label, bin, pattern and group.
    table: Vec<f64>,
    bins: usize,
}

/// A gap between two groups.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PairedGap {
    pub pair: GroupPair,
    /// Rate of the first group minus that of the second.
    pub gap: f64,
    /// Its standard error, with the proxies' error rates taken as known.
    pub error: f64,
    /// The two rates.
    pub rates: [f64; 2],
}

impl RowWeights {
    pub fn new(weights: &CalibratedWeights, patterns: &Patterns, groups: usize, bins: usize) -> Self {
        let labels: Vec<Option<Class>> = weights.labels().collect();
        let mut table = Vec::with_capacity(labels.len() * bins * patterns.cells.len() * groups);
        for label in &labels {
            for bin in 0..bins {
                patterns.cells.iter().for_each(|cell| table.extend(weights.of_groups(*label, cell, bin)));
            }
        }
        RowWeights { labels, groups, patterns: patterns.cells.len(), table, bins }
    }

    fn at(&self, label: usize, bin: usize, pattern: usize) -> &[f64] {
        let start = ((label * self.bins + bin) * self.patterns + pattern) * self.groups;
        &self.table[start..start + self.groups]
    }

    /// `V` of a pattern of guesses in a bin.
    pub fn value(&self, pair: GroupPair, bin: usize, pattern: usize) -> f64 {
        let label = self.labels.iter().position(|label| *label == pair.label);
        let of_groups = label.map(|label| self.at(label, bin, pattern));
        of_groups.map_or(0.0, |of_groups| of_groups[pair.a.0] - of_groups[pair.b.0])
    }

    /// `V` of every row.
    pub fn values(&self, pair: GroupPair, part: &Part, bins: &[u8]) -> Vec<f64> {
        let bin = |row: usize| bins.get(row).map_or(0, |bin| usize::from(*bin));
        (0..part.rows.len()).map(|row| self.value(pair, bin(row), part.pattern(row))).collect()
    }

    /// The gaps of decisions between all pairs of groups.
    pub fn gaps(&self, pairs: &[GroupPair], part: &Part, bins: &[u8], decisions: &[bool]) -> Vec<PairedGap> {
        let total = part.total();
        let bin = |row: usize| bins.get(row).map_or(0, |bin| usize::from(*bin));
        let rates_of = |label: usize| {
            let mut rates = vec![0.0; self.groups];
            for row in (0..decisions.len()).filter(|row| decisions[*row]) {
                let weights = self.at(label, bin(row), part.pattern(row));
                rates.iter_mut().zip(weights).for_each(|(rate, w)| *rate += part.weights[row] * w / total);
            }
            rates
        };
        let rates: Vec<Vec<f64>> = (0..self.labels.len()).map(rates_of).collect();
        let gap = |pair: &GroupPair| {
            let label = self.labels.iter().position(|label| *label == pair.label).unwrap_or(0);
            let (a, b) = (pair.a.0, pair.b.0);
            let [first, second] = [rates[label][a], rates[label][b]];
            // How far one row moves the gap; its mean is zero.
            let mut squares = 0.0;
            for (row, decision) in decisions.iter().enumerate() {
                let weights = self.at(label, bin(row), part.pattern(row));
                let decision = f64::from(u8::from(*decision));
                let moved = weights[a] * (decision - first) - weights[b] * (decision - second);
                squares += (part.weights[row] * moved).powi(2);
            }
            PairedGap {
                pair: *pair,
                gap: first - second,
                error: squares.sqrt() / total,
                rates: [first, second],
            }
        };
        pairs.iter().map(gap).collect()
    }
}

impl RowWeights {
    /// How much wider the largest gap of `after` is than that of `before`, and the standard error of that: the same rows move both.
    pub fn wider(
        &self,
        pairs: &[GroupPair],
        part: &Part,
        before: &[bool],
        after: &[bool],
    ) -> Option<(f64, f64)> {
        let was = largest(&self.gaps(pairs, part, &[], before))?;
        let is = largest(&self.gaps(pairs, part, &[], after))?;
        let moved = |found: &PairedGap, decided: bool, row: usize| {
            let label = self.labels.iter().position(|label| *label == found.pair.label).unwrap_or(0);
            let weights = self.at(label, 0, part.pattern(row));
            let decided = f64::from(u8::from(decided));
            let [first, second] = found.rates;
            let by =
                weights[found.pair.a.0] * (decided - first) - weights[found.pair.b.0] * (decided - second);
            by * found.gap.signum()
        };
        let square = |row: usize| {
            let by = moved(&is, after[row], row) - moved(&was, before[row], row);
            (part.weights[row] * by).powi(2)
        };
        let error = (0..after.len()).map(square).sum::<f64>().sqrt() / part.total();
        Some((is.gap.abs() - was.gap.abs(), error))
    }
}

/// The largest of several gaps.
pub(crate) fn largest(gaps: &[PairedGap]) -> Option<PairedGap> {
    gaps.iter().copied().max_by(|x, y| x.gap.abs().total_cmp(&y.gap.abs()))
}

/// The largest difference between any two groups, from the gaps of all against the first, label by label.
pub(crate) fn widest(pairs: &[GroupPair], gaps: &[f64]) -> f64 {
    let mut widest = 0.0f64;
    for label in pairs.iter().map(|pair| pair.label) {
        let mine = pairs.iter().zip(gaps).filter(|(pair, _)| pair.label == label).map(|(_, gap)| *gap);
        let (low, high) = mine.fold((0.0f64, 0.0f64), |(low, high), gap| (low.min(gap), high.max(gap)));
        widest = widest.max(high - low);
    }
    widest
}
