//! Labels by decision: how many, and where they tell most, whatever the proxies do.
//!
//! Labelled rows put right what the guesses predict, decision by decision ([`labels`](crate::labels)). With `n_k` labels among rows
//! with decision `k` the variance of a gap is
//! ```text
//! Σ_k A_k/n_k + B/N          A_k = P(k)²·E[ vᵀ(diag p − ppᵀ)v | k ]
//! ```
//! with `p` the chances of the groups given the guesses and `v` the slope of the gap by the groups' shares in `k`. The fewest labels
//! for a variance are `n_k ∝ √A_k` (Neyman 1934). `B` is what the guesses tell of everyone, which rows alone make smaller.
//!
//! Assumes that guesses are as good as stated; if they are worse more labels are needed, and the number is still right.

use super::space::Space;
use super::{PlanError, Situation};
use crate::estimate::Errors;
use crate::uncertainty::draws::normal_quantile;
use serde::{Deserialize, Serialize};

/// Labels for a half-width that needs no model of errors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LabelsByDecision {
    /// In all.
    pub labels: u64,
    /// Among rows with the positive decision.
    pub selected: u64,
    /// Among the others.
    pub others: u64,
}

impl Situation {
    /// The fewest labels for a half-width of every difference between two groups, whatever the proxies do, and where to draw
    /// them. Of every group at least as many as a number needs.
    ///
    /// ```
    /// # use fairveil_core::noise::TransitionMatrix;
    /// # use fairveil_core::plan::{PlanError, Situation};
    /// // Guesses that know nothing: labels alone, (1.96/0.1)² · 2 · 0.25/0.5 = 384.
    /// let useless = Situation::new(vec![0.5, 0.5], vec![0.5, 0.5], vec![TransitionMatrix::flips(0.5); 3])?;
    /// let plan = useless.labels_whatever(1e9, 0.1, 0.95)?;
    /// assert!((384..=386).contains(&plan.labels) && plan.selected == plan.others);
    /// // Guesses that are right for 80 % leave less to be put right.
    /// let proxies = vec![TransitionMatrix::flips(0.2); 3];
    /// let good = Situation::new(vec![0.5, 0.5], vec![0.5, 0.5], proxies)?;
    /// assert!(good.labels_whatever(20_000.0, 0.1, 0.95)?.labels < plan.labels / 2);
    /// # Ok::<(), PlanError>(())
    /// ```
    pub fn labels_whatever(
        &self,
        rows: f64,
        half_width: f64,
        confidence: f64,
    ) -> Result<LabelsByDecision, PlanError> {
        let wanted = (half_width / normal_quantile(confidence)).powi(2);
        let groups = self.shares.len();
        let pairs = (0..groups).flat_map(|a| (0..a).map(move |b| (a, b)));
        let (mut most, mut parts) = (0.0, [0.0; 2]);
        for (a, b) in pairs {
            let left = self.left_by_guesses(a, b);
            let told = self.told_by_guesses(a, b, left) / rows;
            if told >= wanted {
                return Err(PlanError::MoreThanRows { rows: rows as u64 });
            }
            let roots = left.map(f64::sqrt);
            let labels = (roots[0] + roots[1]).powi(2) / (wanted - told);
            if labels > most {
                (most, parts) = (labels, roots.map(|root| root / (roots[0] + roots[1])));
            }
        }
        let smallest = self.shares.iter().copied().fold(1.0, f64::min);
        let labels = most.max(crate::labels::LEAST_LABELS as f64 / smallest);
        if labels > rows {
            return Err(PlanError::MoreThanRows { rows: rows as u64 });
        }
        let [others, selected] = parts.map(|part| (part * labels).ceil() as u64);
        Ok(LabelsByDecision { labels: others + selected, selected, others })
    }

    /// `P(k)` for the other decisions and the positive one.
    pub(super) fn decided(&self) -> [f64; 2] {
        let selected: f64 = self.shares.iter().zip(&self.rates).map(|(share, rate)| share * rate).sum();
        [1.0 - selected, selected]
    }

    /// `A_k` of a pair of groups.
    pub(super) fn left_by_guesses(&self, a: usize, b: usize) -> [f64; 2] {
        let space = Space::of(self, Errors::Free);
        let slope = |group: usize, k: usize| (k as f64 - self.rates[group]) / self.shares[group];
        let joint = |group: usize, k: usize| {
            self.shares[group] * if k == 1 { self.rates[group] } else { 1.0 - self.rates[group] }
        };
        [0, 1].map(|k| {
            let mut left = 0.0;
            for pattern in 0..space.patterns.len() {
                let of = |group: usize| joint(group, k) * space.chance(self, pattern, group).0;
                let all: f64 = (0..self.shares.len()).map(of).sum();
                if all > 0.0 {
                    let (first, second) = (of(a) / all, of(b) / all);
                    let mean = slope(a, k) * first - slope(b, k) * second;
                    let square = slope(a, k).powi(2) * first + slope(b, k).powi(2) * second;
                    left += all * (square - mean * mean);
                }
            }
            left * self.decided()[k]
        })
    }

    /// `B` of a pair of groups: what labels on all rows would leave open, less what guesses leave open of it.
    pub(super) fn told_by_guesses(&self, a: usize, b: usize, left: [f64; 2]) -> f64 {
        let of_group = |a: usize| self.rates[a] * (1.0 - self.rates[a]) / self.shares[a];
        let decided = self.decided();
        let open: f64 = (0..2).filter(|k| decided[*k] > 0.0).map(|k| left[k] / decided[k]).sum();
        (of_group(a) + of_group(b) - open).max(0.0)
    }
}
