//! The probabilities of a situation as one vector, and the information that rows and labels give of them.

use super::Situation;
use crate::estimate::Errors;
use nalgebra::{DMatrix, DVector};

/// Where each probability stands: `J[a,k]` first, then the errors of each group.
pub(super) struct Space {
    groups: usize,
    errors: Errors,
    pub patterns: Vec<Vec<usize>>,
    /// Ends of the distributions; the last entry of each follows from the others.
    blocks: Vec<std::ops::Range<usize>>,
    size: usize,
}

impl Space {
    pub fn of(situation: &Situation, errors: Errors) -> Self {
        let (groups, proxies) = (situation.shares.len(), situation.proxies.len());
        let mut patterns: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 0..proxies {
            let longer = |pattern: &Vec<usize>| {
                (0..groups).map(|g| [pattern.as_slice(), &[g]].concat()).collect::<Vec<_>>()
            };
            patterns = patterns.iter().flat_map(longer).collect();
        }
        let (count, width) = match errors {
            Errors::Alike => (groups, groups),
            // Every proxy of a plan is a source of its own.
            Errors::Own | Errors::BySource => (groups * proxies, groups),
            Errors::Free => (groups, patterns.len()),
        };
        let joint = 2 * groups;
        let errors_of = (0..count).map(|i| joint + i * width..joint + (i + 1) * width);
        let blocks = std::iter::once(0..joint).chain(errors_of).collect();
        Space { groups, errors, patterns, blocks, size: joint + count * width }
    }

    /// `P(g|a)` and its slope by the errors.
    pub fn chance(&self, situation: &Situation, pattern: usize, a: usize) -> (f64, Vec<(usize, f64)>) {
        let said = &self.patterns[pattern];
        let part = |c: usize| situation.proxies[c].rows()[a][said[c]];
        let chance: f64 = (0..said.len()).map(part).product();
        let slopes = match self.errors {
            Errors::Free => {
                let mean = (0..said.len()).map(part).sum::<f64>() / said.len().max(1) as f64;
                let shared = if said.windows(2).all(|pair| pair[0] == pair[1]) { mean } else { 0.0 };
                let chance = (1.0 - situation.copying) * chance + situation.copying * shared;
                return (chance, vec![(self.blocks[1 + a].start + pattern, 1.0)]);
            }
            _ => {
                let slope = |c: usize| {
                    let block = if self.errors == Errors::Alike { a } else { c * self.groups + a };
                    let others: f64 = (0..said.len()).filter(|other| *other != c).map(part).product();
                    (self.blocks[1 + block].start + said[c], others)
                };
                (0..said.len()).map(slope).collect()
            }
        };
        (chance, slopes)
    }

    pub fn information(&self, situation: &Situation, rows: f64, labels: f64) -> DMatrix<f64> {
        let free = self.size - self.blocks.len();
        let mut information = DMatrix::zeros(free, free);
        let joint = |a: usize, k: usize| {
            situation.shares[a] * if k == 1 { situation.rates[a] } else { 1.0 - situation.rates[a] }
        };
        for pattern in 0..self.patterns.len() {
            for k in 0..2 {
                let (mut all, mut slope) = (0.0, DVector::zeros(self.size));
                for a in 0..self.groups {
                    let (chance, slopes) = self.chance(situation, pattern, a);
                    let mut own = DVector::zeros(self.size);
                    own[2 * a + k] = chance;
                    slopes.iter().for_each(|(place, part)| own[*place] += joint(a, k) * part);
                    let probability = joint(a, k) * chance;
                    if labels > 0.0 && probability > 0.0 {
                        let own = self.reduced(&own);
                        information.ger(labels / probability, &own, &own, 1.0);
                    }
                    all += probability;
                    slope += own;
                }
                if all > 0.0 {
                    let slope = self.reduced(&slope);
                    information.ger(rows / all, &slope, &slope, 1.0);
                }
            }
        }
        information
    }

    /// Slope of the rate of `a` minus that of `b`.
    pub fn slope(&self, situation: &Situation, a: usize, b: usize) -> DVector<f64> {
        self.weighed(situation, [(a, 1.0), (b, -1.0)])
    }

    /// Slope of a sum of rates, each with its weight.
    pub fn weighed(&self, situation: &Situation, rates: [(usize, f64); 2]) -> DVector<f64> {
        let mut slope = DVector::zeros(self.size);
        for (group, weight) in rates {
            let (share, rate) = (situation.shares[group], situation.rates[group]);
            slope[2 * group] = -weight * rate / share;
            slope[2 * group + 1] = weight * (1.0 - rate) / share;
        }
        slope
    }

    /// A slope along probabilities that keep their sums.
    pub fn reduced(&self, slope: &DVector<f64>) -> DVector<f64> {
        let free = |block: &std::ops::Range<usize>| {
            let last = slope[block.end - 1];
            (block.start..block.end - 1).map(move |i| slope[i] - last)
        };
        DVector::from_vec(self.blocks.iter().flat_map(free).collect())
    }
}
