//! Randomised response: a guess is told as another with stated probabilities.
//!
//! ```text
//! R[v,w] = P(told w | guess v)          ε = max over w, v, v′ of ln R[v,w] / R[v′,w]
//! ```
//! Told right with probability `1 − e` and the rest spread evenly over `M` groups, `ε = ln((1−e)(M−1)/e)`.
//!
//! `ε` belongs to the matrix that was applied. A matrix that was estimated never yields one: how a proxy errs is a
//! property of a population, and says nothing about what its guess tells of one person.

use crate::noise::{NoiseError, TransitionMatrix};
use crate::vocabulary::Guess;
use std::fmt;

/// Privacy spent: seeing what was told changes the odds between any two guesses by at most a factor of `e^ε`.
///
/// Spent again on the same person it adds up:
///
/// ```
/// # use fairveil_core::Epsilon;
/// let spent: Epsilon = [Epsilon::new(1.0)?, Epsilon::new(0.5)?].into_iter().sum();
/// assert_eq!(spent.value(), 1.5);
/// assert!(Epsilon::new(0.0).is_err());
/// # Ok::<(), fairveil_core::PrivacyError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Epsilon(f64);

impl Epsilon {
    /// A finite amount above zero.
    pub fn new(epsilon: f64) -> Result<Self, PrivacyError> {
        match epsilon.is_finite() && epsilon > 0.0 {
            true => Ok(Epsilon(epsilon)),
            false => Err(PrivacyError::Epsilon { epsilon }),
        }
    }

    /// The number; infinite where a told guess can rule another out.
    pub fn value(self) -> f64 {
        self.0
    }
}

impl std::iter::Sum for Epsilon {
    fn sum<I: Iterator<Item = Epsilon>>(all: I) -> Self {
        Epsilon(all.map(Epsilon::value).sum())
    }
}

impl fmt::Display for Epsilon {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.0.is_finite() {
            true => write!(f, "{:.2}", self.0),
            false => write!(f, "infinite"),
        }
    }
}

/// Why a mechanism can not be had: what was found and what was needed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PrivacyError {
    /// An epsilon that promises nothing.
    #[error("epsilon is {epsilon}, a finite number above 0 is needed")]
    Epsilon {
        /// What was given.
        epsilon: f64,
    },
    /// A flip that leaves nothing to learn, or does nothing.
    #[error(
        "a flip of {flip} is not above 0 and below {most:.4}, where {groups} groups are told evenly and nothing can be \
         learned"
    )]
    Flip {
        /// What was given.
        flip: f64,
        /// How many groups there are.
        groups: usize,
        /// What is too much.
        most: f64,
    },
    /// A matrix that is none.
    #[error("the mechanism's matrix: {0}")]
    Matrix(#[from] NoiseError),
    /// A matrix that can not be undone.
    #[error(
        "the mechanism's matrix is singular (smallest singular value {smallest:.1e}): what it tells can not be undone"
    )]
    Singular {
        /// Smallest singular value.
        smallest: f64,
    },
    /// Fewer than two groups.
    #[error("randomised response tells one of several groups, and there are {found}")]
    TooFewGroups {
        /// How many there are.
        found: usize,
    },
}

/// Below this what was told can not be undone.
const SINGULAR: f64 = 1e-6;

/// The mechanism, with its guarantee: one can not be had without the other.
///
/// The paper flips 40 % of a two-valued proxy's guesses:
///
/// ```
/// # use fairveil_core::*;
/// let told = RandomizedResponse::flip(2, 0.4)?;
/// assert!((told.epsilon().value() - 1.5_f64.ln()).abs() < 1e-12);
/// assert_eq!(told.epsilon().to_string(), "0.41");
/// # Ok::<(), PrivacyError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RandomizedResponse {
    matrix: TransitionMatrix,
}

impl RandomizedResponse {
    /// From a full matrix: a row for each guess, a column for what is told.
    pub fn new(rows: Vec<Vec<f64>>) -> Result<Self, PrivacyError> {
        if rows.len() < 2 {
            return Err(PrivacyError::TooFewGroups { found: rows.len() });
        }
        let matrix = TransitionMatrix::new(rows)?;
        let (_, smallest) = matrix.singular_range();
        if smallest < SINGULAR {
            return Err(PrivacyError::Singular { smallest });
        }
        Ok(RandomizedResponse { matrix })
    }

    /// Tells another guess with probability `flip`, each of the others as often.
    pub fn flip(groups: usize, flip: f64) -> Result<Self, PrivacyError> {
        if groups < 2 {
            return Err(PrivacyError::TooFewGroups { found: groups });
        }
        let most = (groups - 1) as f64 / groups as f64;
        if !(flip > 0.0 && flip < most) {
            return Err(PrivacyError::Flip { flip, groups, most });
        }
        RandomizedResponse::new(TransitionMatrix::symmetric(groups, 1.0 - flip).rows().to_vec())
    }

    /// Tells the truth as often as `epsilon` allows, `e^ε / (e^ε + M − 1)`.
    pub fn with_epsilon(groups: usize, epsilon: Epsilon) -> Result<Self, PrivacyError> {
        let others = (groups.max(1) - 1) as f64;
        // Written so that a large epsilon does not overflow.
        let flip = others * (-epsilon.value()).exp() / (1.0 + others * (-epsilon.value()).exp());
        RandomizedResponse::flip(groups, flip)
    }

    /// The privacy that one told guess spends.
    pub fn epsilon(&self) -> Epsilon {
        let columns = 0..self.groups();
        let ratio = |told: usize| {
            let column = self.matrix.rows().iter().map(|row| row[told]);
            let (least, most) =
                column.fold((f64::INFINITY, 0.0_f64), |(least, most), p| (least.min(p), most.max(p)));
            // What is never told tells nothing.
            if most == 0.0 { 0.0 } else { (most / least).ln() }
        };
        Epsilon(columns.map(ratio).fold(0.0, f64::max))
    }

    /// Number of groups.
    pub fn groups(&self) -> usize {
        self.matrix.groups()
    }

    /// `R`, a row for each guess.
    pub fn rows(&self) -> &[Vec<f64>] {
        self.matrix.rows()
    }

    /// What is told of a guess, from a number drawn evenly from 0 to below 1.
    pub fn tell(&self, guess: Guess, drawn: f64) -> Guess {
        let mut below = 0.0;
        let row = &self.matrix.rows()[guess.0];
        let told = row.iter().position(|p| {
            below += p;
            drawn < below
        });
        // Rounding may leave the sum a hair below one.
        Guess(told.unwrap_or_else(|| row.iter().rposition(|p| *p > 0.0).unwrap_or(guess.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epsilon_and_flip_are_two_names_of_one_mechanism() {
        for groups in 2..9 {
            for epsilon in [0.1, 0.41, 1.0, 4.0, 12.0] {
                let told = RandomizedResponse::with_epsilon(groups, Epsilon::new(epsilon).unwrap()).unwrap();
                // The flip is a difference from one: its relative error is that of e^ε times rounding.
                assert!((told.epsilon().value() - epsilon).abs() < 1e-9, "{groups} groups, {epsilon}");
                let flip = 1.0 - told.rows()[0][0];
                let by_hand = ((1.0 - flip) * (groups - 1) as f64 / flip).ln();
                assert!((by_hand - epsilon).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn a_guess_that_can_be_ruled_out_has_no_finite_epsilon() {
        let told = RandomizedResponse::new(vec![vec![0.8, 0.2], vec![0.0, 1.0]]).unwrap();
        assert_eq!(told.epsilon().value(), f64::INFINITY);
        assert_eq!(told.epsilon().to_string(), "infinite");
    }

    #[test]
    fn what_promises_nothing_or_leaves_nothing_is_refused() {
        assert!(matches!(Epsilon::new(f64::NAN), Err(PrivacyError::Epsilon { .. })));
        assert!(matches!(RandomizedResponse::flip(2, 0.5), Err(PrivacyError::Flip { .. })));
        assert!(matches!(RandomizedResponse::flip(2, 0.0), Err(PrivacyError::Flip { .. })));
        assert!(RandomizedResponse::flip(3, 0.6).is_ok());
        let uneven = RandomizedResponse::new(vec![vec![0.8, 0.1], vec![0.0, 1.0]]);
        assert!(matches!(uneven, Err(PrivacyError::Matrix(NoiseError::RowSum { group: 0, .. }))));
        let flat = RandomizedResponse::new(vec![vec![0.6, 0.4], vec![0.6, 0.4]]);
        assert!(matches!(flat, Err(PrivacyError::Singular { .. })));
    }
}
