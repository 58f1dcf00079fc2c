//! The shares of the groups among rows whose likelihoods are known.
//!
//! ```text
//! max over w on the simplex of   ℓ(w) = Σ n · log Σₐ w[a]·L[a]          L[a] ∝ P(evidence | group a)
//! ```
//! A concave function: one maximum, found by Newton's method on the simplex (each step is the quadratic programme below)
//! after some steps of EM. Around it, the maximum of rows drawn anew is
//! ```text
//! ŵ + argmin over d of  ½ dᵀHd − (g + ξ)ᵀd    with Σ d = 0, ŵ + d ≥ 0          ξ ~ N(0, S)
//! ```
//! with `H = Σ n·LLᵀ/(wᵀL)²` the information, `g` the slope at the maximum and `S` the spread of the slopes of single rows:
//! right inside the simplex and on its edges (Andrews 1999).

use crate::uncertainty::bootstrap::normal_draws;
use nalgebra::{DMatrix, DVector};

/// Rows that say the same: likelihoods, their weight, their squared weights.
#[derive(Debug, Clone)]
pub(super) struct Point {
    pub likelihood: Vec<f64>,
    pub weight: f64,
    pub squares: f64,
}

/// The shares of the groups, and what is known of how far chance moves them.
#[derive(Debug, Clone)]
pub(super) struct Mixture {
    pub shares: Vec<f64>,
    /// `H`.
    information: DMatrix<f64>,
    /// `g`.
    slope: DVector<f64>,
    /// `S`.
    spread: DMatrix<f64>,
}

/// Steps of EM before Newton's method.
const FIRST_STEPS: usize = 30;
const MOST_STEPS: usize = 60;
/// A step that moves no share by more than this is the last.
const SETTLED: f64 = 1e-11;
/// Shares are known to a part of this of what is possible, or the groups are not told apart.
const TOLD_APART: f64 = 1e-6;

impl Mixture {
    /// The likeliest shares; nothing where the points cannot tell the groups apart.
    pub fn fit(points: &[Point], groups: usize) -> Option<Self> {
        let total: f64 = points.iter().map(|point| point.weight).sum();
        if total <= 0.0 || groups == 0 {
            return None;
        }
        let mut shares = vec![1.0 / groups as f64; groups];
        for _ in 0..FIRST_STEPS {
            crate::watch::pause();
            let mut next = vec![0.0; groups];
            for point in points {
                let seen = dot(&shares, &point.likelihood);
                for a in 0..groups {
                    next[a] += point.weight * shares[a] * point.likelihood[a] / seen / total;
                }
            }
            shares = next;
        }
        let mut at = Mixture::at(points, shares);
        if !at.tells_apart(total) {
            return None;
        }
        let mut reached = log_likelihood(points, &at.shares);
        for _ in 0..MOST_STEPS {
            crate::watch::pause();
            let step = on_simplex(&at.information, &at.slope, &at.shares);
            let largest = step.iter().fold(0.0f64, |most, d| most.max(d.abs()));
            if largest < SETTLED {
                break;
            }
            let moved = |length: f64| -> Vec<f64> {
                at.shares.iter().zip(step.iter()).map(|(w, d)| (w + length * d).max(0.0)).collect()
            };
            let lengths = std::iter::successors(Some(1.0), |length| Some(length / 2.0)).take(30);
            let mut tried = lengths.map(|length| {
                let shares = moved(length);
                (log_likelihood(points, &shares), shares)
            });
            match tried.find(|(found, _)| *found > reached) {
                Some((found, shares)) => (reached, at) = (found, Mixture::at(points, shares)),
                None => break,
            }
        }
        Some(at)
    }

    fn at(points: &[Point], shares: Vec<f64>) -> Self {
        let groups = shares.len();
        let (mut information, mut spread) = (DMatrix::zeros(groups, groups), DMatrix::zeros(groups, groups));
        let mut slope = DVector::zeros(groups);
        for point in points {
            let seen = dot(&shares, &point.likelihood);
            if seen <= 0.0 {
                continue;
            }
            let score: Vec<f64> = point.likelihood.iter().map(|likelihood| likelihood / seen).collect();
            for a in 0..groups {
                slope[a] += point.weight * score[a];
                for b in 0..groups {
                    information[(a, b)] += point.weight * score[a] * score[b];
                    spread[(a, b)] += point.squares * (score[a] - 1.0) * (score[b] - 1.0);
                }
            }
        }
        Mixture { shares, information, slope, spread }
    }

    /// The curvature along every direction in which shares can move.
    fn tells_apart(&self, total: f64) -> bool {
        let groups = self.shares.len();
        let mean = |row: usize, column: usize| {
            let own = if row == column { 1.0 } else { 0.0 };
            own - 1.0 / groups as f64
        };
        let tangent = DMatrix::from_fn(groups, groups, mean);
        let mut curvature: Vec<f64> =
            (&tangent * &self.information * &tangent).symmetric_eigenvalues().iter().copied().collect();
        curvature.sort_by(f64::total_cmp);
        // The smallest is that of the direction in which shares cannot move.
        curvature.get(1).is_none_or(|least| *least > TOLD_APART * total)
    }

    /// How far the slope of one more row moves the shares, for each unit of it.
    pub fn moved_by(&self) -> DMatrix<f64> {
        let groups = self.shares.len();
        let free: Vec<usize> = (0..groups).filter(|a| self.shares[*a] > 0.0).collect();
        let size = free.len();
        let system = DMatrix::from_fn(size + 1, size + 1, |i, j| match (i < size, j < size) {
            (true, true) => self.information[(free[i], free[j])],
            (false, false) => 0.0,
            _ => 1.0,
        });
        let mut moved = DMatrix::zeros(groups, groups);
        if let Some(inverse) = system.try_inverse() {
            for (i, a) in free.iter().enumerate() {
                for (j, b) in free.iter().enumerate() {
                    moved[(*a, *b)] = inverse[(i, j)];
                }
            }
        }
        moved
    }

    /// The slope of one row with these likelihoods.
    pub fn slope_of(&self, likelihood: &[f64]) -> DVector<f64> {
        let seen = dot(&self.shares, likelihood);
        if seen <= 0.0 {
            return DVector::zeros(self.shares.len());
        }
        DVector::from_iterator(likelihood.len(), likelihood.iter().map(|l| l / seen))
    }

    /// The chance of each group at a point.
    pub fn posterior(&self, likelihood: &[f64]) -> Vec<f64> {
        self.slope_of(likelihood).iter().zip(&self.shares).map(|(slope, share)| slope * share).collect()
    }

    /// Shares as they would come out of rows drawn anew; `inflation` is how much more chance moves them than these rows
    /// say.
    pub fn draws(&self, inflation: f64, draws: usize, seed: u64) -> Vec<Vec<f64>> {
        let zero = vec![0.0; self.shares.len()];
        let noise = normal_draws(&zero, &(&self.spread * inflation), draws, seed);
        let moved = |noise: Vec<f64>| {
            let slope = &self.slope + DVector::from_vec(noise);
            let step = on_simplex(&self.information, &slope, &self.shares);
            let shares: Vec<f64> =
                self.shares.iter().zip(step.iter()).map(|(w, d)| (w + d).max(0.0)).collect();
            let total: f64 = shares.iter().sum();
            shares.into_iter().map(|share| share / total).collect()
        };
        noise.into_iter().map(moved).collect()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn log_likelihood(points: &[Point], shares: &[f64]) -> f64 {
    points.iter().map(|point| point.weight * dot(shares, &point.likelihood).ln()).sum()
}

/// The step `d` from `at` that minimises `½ dᵀHd − gᵀd` and stays on the simplex: shares that would fall below zero are held
/// at it, and let go where that would be better.
fn on_simplex(information: &DMatrix<f64>, slope: &DVector<f64>, at: &[f64]) -> DVector<f64> {
    let groups = at.len();
    let mut held = vec![false; groups];
    let mut step = DVector::zeros(groups);
    for _ in 0..4 * groups {
        let free: Vec<usize> = (0..groups).filter(|a| !held[*a]).collect();
        let fixed: Vec<usize> = (0..groups).filter(|a| held[*a]).collect();
        let size = free.len();
        let mut system = DMatrix::zeros(size + 1, size + 1);
        let mut right = DVector::zeros(size + 1);
        for (i, a) in free.iter().enumerate() {
            for (j, b) in free.iter().enumerate() {
                system[(i, j)] = information[(*a, *b)];
            }
            (system[(i, size)], system[(size, i)]) = (1.0, 1.0);
            let pulled: f64 = fixed.iter().map(|b| information[(*a, *b)] * -at[*b]).sum();
            right[i] = slope[*a] - pulled;
        }
        right[size] = fixed.iter().map(|b| at[*b]).sum();
        let Some(solved) = system.lu().solve(&right) else { break };
        step.fill(0.0);
        fixed.iter().for_each(|b| step[*b] = -at[*b]);
        free.iter().enumerate().for_each(|(i, a)| step[*a] = solved[i]);
        let below = free.iter().copied().filter(|a| at[*a] + step[*a] < -1e-14);
        if let Some(worst) = below.min_by(|a, b| (at[*a] + step[*a]).total_cmp(&(at[*b] + step[*b]))) {
            held[worst] = true;
            continue;
        }
        // What holding a share at zero costs; below nothing it is better let go.
        let pressure = |a: usize| (information.row(a) * &step)[0] - slope[a] + solved[size];
        let better = fixed.iter().copied().filter(|a| pressure(*a) < -1e-9 * slope.amax().max(1.0));
        match better.min_by(|a, b| pressure(*a).total_cmp(&pressure(*b))) {
            Some(best) => held[best] = false,
            None => break,
        }
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point(likelihood: &[f64], weight: f64) -> Point {
        Point { likelihood: likelihood.to_vec(), weight, squares: weight }
    }

    #[test]
    fn shares_that_made_the_points_are_found() {
        // Four kinds of evidence, of known chance in each of three groups.
        let chances = [[0.7, 0.1, 0.1], [0.1, 0.6, 0.2], [0.1, 0.2, 0.6], [0.1, 0.1, 0.1]];
        let truth = [0.2, 0.3, 0.5];
        let points: Vec<Point> =
            chances.iter().map(|chance| point(chance, 1000.0 * dot(chance, &truth))).collect();
        let found = Mixture::fit(&points, 3).unwrap();
        found.shares.iter().zip(truth).for_each(|(a, b)| assert!((a - b).abs() < 1e-9, "{:?}", found.shares));
        assert!(Mixture::fit(&[point(&[0.5, 0.5], 10.0), point(&[0.1, 0.1], 3.0)], 2).is_none());
    }

    #[test]
    fn draws_spread_as_shares_of_rows_drawn_anew() {
        // Two groups, known to a guess that is right four times in five: the share has variance q(1−q)/(n·0.36).
        let (n, share) = (2000.0, 0.3);
        let right = 0.8 * share + 0.2 * (1.0 - share);
        let points = [point(&[0.8, 0.2], n * right), point(&[0.2, 0.8], n * (1.0 - right))];
        let found = Mixture::fit(&points, 2).unwrap();
        assert!((found.shares[0] - share).abs() < 1e-9);
        let draws = found.draws(1.0, 4000, 3);
        let mean = draws.iter().map(|w| w[0]).sum::<f64>() / 4000.0;
        let variance = draws.iter().map(|w| (w[0] - mean).powi(2)).sum::<f64>() / 4000.0;
        let expected = right * (1.0 - right) / (n * 0.36);
        // Four thousand draws know a variance to 2.2 %; five of that.
        assert!((variance / expected - 1.0).abs() < 0.11, "{}", variance / expected);
    }

    #[test]
    fn a_group_of_nobody_stays_at_the_edge_and_is_drawn_above_it() {
        let points = [point(&[0.9, 0.05], 950.0), point(&[0.1, 0.95], 50.0)];
        let found = Mixture::fit(&points, 2).unwrap();
        assert_eq!(found.shares[1], 0.0);
        let draws = found.draws(1.0, 500, 1);
        assert!(draws.iter().all(|w| w[1] >= 0.0 && (w[0] + w[1] - 1.0).abs() < 1e-12));
    }

    proptest! {
        #[test]
        fn no_shares_are_likelier(raw in prop::collection::vec((0.01f64..1.0, 0.01f64..1.0, 0.01f64..1.0, 1.0f64..50.0), 3..12)) {
            let points: Vec<Point> = raw.iter().map(|(a, b, c, n)| point(&[*a, *b, *c], *n)).collect();
            if let Some(found) = Mixture::fit(&points, 3) {
                let reached = log_likelihood(&points, &found.shares);
                for other in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.3, 0.3, 0.4]] {
                    for part in [0.01, 0.1, 0.5] {
                        let moved: Vec<f64> =
                            found.shares.iter().zip(other).map(|(w, o)| w * (1.0 - part) + part * o).collect();
                        prop_assert!(log_likelihood(&points, &moved) <= reached + 1e-7);
                    }
                }
            }
        }
    }
}
