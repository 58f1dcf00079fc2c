//! Confident joint (Northcutt, Jiang and Chuang 2021): error rates from how sure probabilities are, for comparison.
//!
//! A row counts as surely of group `a` where its probability of `a` is at least the mean one among rows guessed `a`.
//! From `C[g,a]`, the rows guessed `g` and surely of `a`:
//! ```text
//! Q[g,a] = P(g)·C[g,a] / Σₐ C[g,a]          T[a,g] = Q[g,a] / Σ_g Q[g,a]
//! ```
//! Assumes that the probabilities know better than the guess. Probabilities of the same proxy do not: then `T` comes out
//! near the identity and the answer stays near what the proxy says directly, which is what the paper reports of it.

use super::{Explained, NoiseEstimator, Offer, Offered};
use crate::calibrate::calibrate;
use crate::counts::{Cell, Counts, Frequencies, View};
use crate::noise::{Fit, NoiseError, NoiseModel, ProxyNoise, Stopped, TransitionMatrix};
use crate::rates::Shares;
use crate::vocabulary::{Estimator, Group, Guess, ProxyId};

/// Rows by what the first proxy guesses and what their probabilities are sure of.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfidentTally {
    /// The proxy whose guess is judged.
    pub proxy: ProxyId,
    /// `C[g][a]`: weight of rows guessed `g` and surely of `a`.
    pub sure: Vec<Vec<f64>>,
}

impl ConfidentTally {
    /// For each group the mean probability of it among rows that a proxy guesses to be of it. `None` where a group is
    /// never guessed, or no row has probabilities.
    pub fn thresholds(counts: &Counts, proxy: ProxyId) -> Option<Vec<f64>> {
        let of_group = |a: usize| {
            let guessed = counts.cells().filter(|(cell, _)| cell.guesses[proxy.0] == Some(Guess(a)));
            let (mut sum, mut weight) = (0.0, 0.0);
            for scores in guessed.filter_map(|(_, tally)| tally.scores.as_ref()) {
                sum += scores.totals[a];
                weight += scores.weight;
            }
            (weight > 0.0).then(|| sum / weight)
        };
        (0..counts.legend().groups.len()).map(of_group).collect()
    }

    /// The group that probabilities are sure of: the likeliest of those at or above their threshold.
    ///
    /// ```
    /// # use fairveil_core::estimate::ConfidentTally;
    /// # use fairveil_core::vocabulary::Group;
    /// assert_eq!(ConfidentTally::sure_of(&[0.7, 0.3], &[0.8, 0.6]), None);
    /// assert_eq!(ConfidentTally::sure_of(&[0.3, 0.7], &[0.8, 0.6]), Some(Group(1)));
    /// ```
    pub fn sure_of(probabilities: &[f64], thresholds: &[f64]) -> Option<Group> {
        let sure = probabilities.iter().zip(thresholds).enumerate().filter(|(_, (p, t))| p >= t);
        sure.max_by(|a, b| a.1.0.total_cmp(b.1.0)).map(|(a, _)| Group(a))
    }
}

/// The estimator.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfidentJoint {
    /// What it learns from.
    pub tally: ConfidentTally,
}

impl ConfidentJoint {
    pub(super) fn offers(table: &Offered) -> Vec<Offer> {
        table.by(table.counts.confident_tally().map(|tally| ConfidentJoint { tally: tally.clone() }))
    }

    /// The table of the judged proxy alone: the matrix is about its guesses.
    fn judged(&self, seen: &Frequencies) -> Result<Frequencies, NoiseError> {
        let mut cells = std::collections::BTreeMap::new();
        for (cell, share) in seen.cells() {
            if let Some(guess) = cell.guesses[self.tally.proxy.0] {
                let alone = Cell { stratum: cell.stratum, guesses: [Some(guess)].into() };
                *cells.entry(alone).or_insert(0.0) += share;
            }
        }
        let total: f64 = cells.values().sum();
        let cells = cells.into_iter().map(|(cell, share): (Cell, f64)| (cell, share / total)).collect();
        Ok(seen.of_one_proxy(cells))
    }
}

impl NoiseEstimator for ConfidentJoint {
    fn kind(&self) -> Estimator {
        Estimator::ConfidentJoint
    }

    fn learns_from_guesses_alone(&self) -> bool {
        false
    }

    fn fit(&self, seen: &Frequencies) -> Result<NoiseModel, NoiseError> {
        let (groups, sure) = (seen.groups(), &self.tally.sure);
        let mut guessed = vec![0.0; groups];
        for (cell, share) in self.judged(seen)?.cells() {
            cell.guesses.iter().flatten().for_each(|guess| guessed[guess.0] += share);
        }
        let joint = |g: usize, a: usize| {
            let row: f64 = sure[g].iter().sum();
            if row > 0.0 { guessed[g] * sure[g][a] / row } else { 0.0 }
        };
        let shares: Vec<f64> = (0..groups).map(|a| (0..groups).map(|g| joint(g, a)).sum()).collect();
        if let Some((group, share)) = shares.iter().copied().enumerate().find(|(_, share)| *share <= 0.0) {
            return Err(NoiseError::VanishingGroup { group, share });
        }
        let row = |a: usize| (0..groups).map(|g| joint(g, a) / shares[a]).collect();
        let transition = TransitionMatrix::from_distributions((0..groups).map(row).collect());
        let (_, smallest) = transition.singular_range();
        if smallest < 1e-7 {
            return Err(NoiseError::Singular { smallest });
        }
        let group_shares = Shares::new(shares);
        let value =
            ProxyNoise::folded(vec![transition.rows().to_vec()], group_shares, &seen.told, seen.proxies())?;
        Ok(NoiseModel::Global(Fit { value, misfit: 0.0, stopped: Stopped::ClosedForm }))
    }

    fn explain(&self, seen: &Frequencies, view: View) -> Result<Explained, NoiseError> {
        let noise = self.fit(seen)?;
        Ok(Explained { joint: calibrate(&self.judged(seen)?, view, &noise), noise })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disparity::measure;
    use crate::vocabulary::{Aggregate, Class, Criterion};
    use crate::world::World;

    #[test]
    fn sure_rows_that_are_right_undo_the_error() {
        let world = World::symmetric(2, 2, &[0.8; 3], 0.3);
        let seen = world.frequencies().view(View::Predictions).unwrap();
        // Of those guessed 0, four in five are of group 0, and as many are surely so.
        let tally = ConfidentTally { proxy: ProxyId(0), sure: vec![vec![0.8, 0.2], vec![0.2, 0.8]] };
        let explained = ConfidentJoint { tally }.explain(&seen, View::Predictions).unwrap();
        let gap =
            measure(&explained.joint, Criterion::DemographicParity, Aggregate::Difference, Class(1)).unwrap();
        assert!((gap - 0.3).abs() < 1e-12);
        // Probabilities that always agree with the guess leave it as it is.
        let tally = ConfidentTally { proxy: ProxyId(0), sure: vec![vec![1.0, 0.0], vec![0.0, 1.0]] };
        let explained = ConfidentJoint { tally }.explain(&seen, View::Predictions).unwrap();
        let gap =
            measure(&explained.joint, Criterion::DemographicParity, Aggregate::Difference, Class(1)).unwrap();
        assert!((gap - 0.18).abs() < 1e-12);
    }
}
