//! Randomised response: a guess is told as another with stated probabilities.
//!
//! ```text
//! R[v,w] = P(told w | guess v)          ε = max over w, v, v′ of ln R[v,w] / R[v′,w]
//! ```
//! Told right with probability `1 − e` and the rest spread evenly over `M` groups, `ε = ln((1−e)(M−1)/e)`.
//!
//! `ε` belongs to the matrix that was applied. A matrix that was estimated never yields one: how a proxy errs is a
//! property of a population, and says nothing about what its guess tells of one person.

use crate::linalg::best_assignment;
use crate::noise::{NoiseError, TransitionMatrix};
use crate::vocabulary::Guess;
use nalgebra::DMatrix;
use std::fmt;

/// Privacy spent: seeing what was told changes the odds between any two guesses by at most a factor of `e^ε`.
///
/// Spent again on the same person it adds up:
///
/// ```
/// # use fairveil_core::privacy::Epsilon;
/// let spent: Epsilon = [Epsilon::new(1.0)?, Epsilon::new(0.5)?].into_iter().sum();
/// assert_eq!(spent.value(), 1.5);
/// assert!(Epsilon::new(0.0).is_err());
/// # Ok::<(), fairveil_core::privacy::PrivacyError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Epsilon(f64);

impl Epsilon {
    /// A finite amount above zero.
    pub fn new(epsilon: f64) -> Result<Self, PrivacyError> {
        if epsilon.is_finite() && epsilon > 0.0 {
            Ok(Epsilon(epsilon))
        } else {
            Err(PrivacyError::Epsilon { epsilon })
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
        if self.0.is_finite() { write!(f, "{:.2}", self.0) } else { write!(f, "infinite") }
    }
}

/// Why a mechanism cannot be had: what was found and what was needed.
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
    /// A matrix that cannot be undone.
    #[error(
        "the mechanism's matrix is singular (smallest singular value {smallest:.1e}), so it cannot be undone"
    )]
    Singular {
        /// Smallest singular value.
        smallest: f64,
    },
    /// Told so seldom that the generator's digits would not draw it as often as stated.
    #[error(
        "a group would be told with a probability of {probability:e}: 0, or at least {least:e} is needed, so that it \
         is drawn as often as stated"
    )]
    TooRare {
        /// The probability.
        probability: f64,
        /// What can be drawn.
        least: f64,
    },
    /// An epsilon that leaves nothing of what it protects.
    #[error("epsilon is {epsilon:e}: noise of {:.0e} rows on every count; at least {least:e} is needed", 1.0 / .epsilon)]
    OnlyNoise {
        /// What was given.
        epsilon: f64,
        /// What can be used.
        least: f64,
    },
    /// A mechanism that tells groups as others.
    #[error(
        "by the mechanism's matrix a guess is told as another group more often than as its own, all together: its rows look \
         exchanged"
    )]
    Exchanged,
    /// Fewer than two groups.
    #[error("randomised response needs at least two groups, and there are {found}")]
    TooFewGroups {
        /// How many there are.
        found: usize,
    },
}

/// Below this what was told cannot be undone.
const SINGULAR: f64 = 1e-6;
/// A draw has 53 binary digits: a probability of at least this is drawn with a relative error below 1e-6, and epsilon is the
/// stated one to as many digits. Reached at an epsilon of about 20, which protects one guess in half a billion.
const RAREST: f64 = 1e-9;
/// Rounding of a row's sum that is no reason to touch it.
const ROUNDING: f64 = 1e-14;

/// The mechanism, with its guarantee: one cannot be had without the other.
///
/// The paper flips 40 % of a two-valued proxy's guesses:
///
/// ```
/// # use fairveil_core::privacy::{PrivacyError, RandomizedResponse};
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
        // What a row misses of one would be told somewhere; it is shared out, so that epsilon stays what the matrix says.
        let checked = TransitionMatrix::new(rows)?;
        let rows = checked.rows().iter().map(|row| {
            let sum: f64 = row.iter().sum();
            if (sum - 1.0).abs() > ROUNDING { row.iter().map(|p| p / sum).collect() } else { row.clone() }
        });
        let matrix = TransitionMatrix::new(rows.collect())?;
        let rare = matrix.rows().iter().flatten().find(|p| **p > 0.0 && **p < RAREST);
        if let Some(probability) = rare {
            return Err(PrivacyError::TooRare { probability: *probability, least: RAREST });
        }
        let (_, smallest) = matrix.singular_range();
        if smallest < SINGULAR {
            return Err(PrivacyError::Singular { smallest });
        }
        let groups = matrix.groups();
        if !best_assignment(&DMatrix::from_fn(groups, groups, |v, w| matrix.rows()[v][w])).is_sorted() {
            return Err(PrivacyError::Exchanged);
        }
        Ok(RandomizedResponse { matrix })
    }

    /// Tells another guess with probability `flip`, each of the others as often. Few rows are told otherwise where it is
    /// small; below one in a billion it is refused.
    pub fn flip(groups: usize, flip: f64) -> Result<Self, PrivacyError> {
        if groups < 2 {
            return Err(PrivacyError::TooFewGroups { found: groups });
        }
        let most = (groups - 1) as f64 / groups as f64;
        if !(flip > 0.0 && flip < most) {
            return Err(PrivacyError::Flip { flip, groups, most });
        }
        let probability = flip / (groups - 1) as f64;
        if probability < RAREST {
            return Err(PrivacyError::TooRare { probability, least: RAREST });
        }
        RandomizedResponse::new(TransitionMatrix::symmetric(groups, 1.0 - flip).rows().to_vec())
    }

    /// Tells the truth as often as `epsilon` allows, `e^ε / (e^ε + M − 1)`.
    pub fn with_epsilon(groups: usize, epsilon: Epsilon) -> Result<Self, PrivacyError> {
        let others = (groups.max(1) - 1) as f64;
        // Written so that a large epsilon does not overflow.
        let flip = others * (-epsilon.value()).exp() / (1.0 + others * (-epsilon.value()).exp());
        if groups >= 2 && flip == 0.0 {
            return Err(PrivacyError::TooRare { probability: 0.0, least: RAREST });
        }
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
    use crate::privacy::chi_square_p_value;
    use rand_pcg::Pcg64;
    use rand_pcg::rand_core::{Rng, SeedableRng};

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

    /// A matrix with a zero here and there, far enough from singular.
    fn random_matrix(groups: usize, random: &mut Pcg64) -> RandomizedResponse {
        let uniform = |random: &mut Pcg64| (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        loop {
            let rows = (0..groups).map(|guess| {
                let row: Vec<f64> = (0..groups)
                    .map(|told| {
                        let p = uniform(random);
                        if told == guess {
                            1.0 + p
                        } else if p < 0.1 {
                            0.0
                        } else {
                            p
                        }
                    })
                    .collect();
                let sum: f64 = row.iter().sum();
                row.iter().map(|p| p / sum).collect()
            });
            if let Ok(told) = RandomizedResponse::new(rows.collect()) {
                return told;
            }
        }
    }

    #[test]
    fn guesses_are_told_as_often_as_the_matrix_says() {
        let mut random = Pcg64::seed_from_u64(28);
        let draws = 40_000;
        for groups in 2..=8 {
            let told = random_matrix(groups, &mut random);
            for guess in 0..groups {
                let mut seen = vec![0.0; groups];
                for _ in 0..draws {
                    let drawn = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
                    seen[told.tell(Guess(guess), drawn).0] += 1.0;
                }
                let row = &told.rows()[guess];
                let possible = |values: &[f64]| -> Vec<f64> {
                    values.iter().zip(row).filter(|(_, p)| **p > 0.0).map(|(value, _)| *value).collect()
                };
                let never: f64 = seen.iter().zip(row).filter(|(_, p)| **p == 0.0).map(|(seen, _)| seen).sum();
                assert_eq!(never, 0.0);
                let expected: Vec<f64> = row.iter().map(|p| p * draws as f64).collect();
                // 35 tests on one fixed seed: one chance in ten thousand each. With the rows of R for its columns p is
                // below 1e-100.
                let p = chi_square_p_value(&possible(&seen), &possible(&expected));
                assert!(p > 1e-4, "{groups} groups, guess {guess}: p = {p}");
            }
        }
    }

    #[test]
    fn a_row_that_misses_one_by_rounding_keeps_the_ratios_that_make_epsilon() {
        let told = RandomizedResponse::new(vec![vec![0.75, 0.25 + 9e-10], vec![0.25, 0.75]]).unwrap();
        let sums: Vec<f64> = told.rows().iter().map(|row| row.iter().sum()).collect();
        assert!(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-15), "{sums:?}");
    }

    #[test]
    fn what_promises_nothing_or_leaves_nothing_is_refused() {
        assert!(matches!(Epsilon::new(f64::NAN), Err(PrivacyError::Epsilon { .. })));
        assert!(matches!(RandomizedResponse::flip(2, 0.5), Err(PrivacyError::Flip { .. })));
        assert!(matches!(RandomizedResponse::flip(2, 0.0), Err(PrivacyError::Flip { .. })));
        assert!(RandomizedResponse::flip(3, 0.6).is_ok());
        let uneven = RandomizedResponse::new(vec![vec![0.8, 0.1], vec![0.0, 1.0]]);
        assert!(matches!(uneven, Err(PrivacyError::Matrix(NoiseError::RowSum { group: 0, .. }))));
        for flip in [1e-10, 1e-17] {
            assert!(matches!(RandomizedResponse::flip(2, flip), Err(PrivacyError::TooRare { .. })));
        }
        for epsilon in [25.0, 800.0] {
            let told = RandomizedResponse::with_epsilon(3, Epsilon::new(epsilon).unwrap());
            assert!(matches!(told, Err(PrivacyError::TooRare { .. })), "{told:?}");
        }
        let swapped = RandomizedResponse::new(vec![vec![0.1, 0.9], vec![0.9, 0.1]]);
        assert!(matches!(swapped, Err(PrivacyError::Exchanged)));
        let flat = RandomizedResponse::new(vec![vec![0.6, 0.4], vec![0.6, 0.4]]);
        assert!(matches!(flat, Err(PrivacyError::Singular { .. })));
    }
}
