//! What we believe about the proxies: how they err, and how large the groups are.

use crate::linalg::singular_range;
use crate::privacy::Told;
use crate::rates::Shares;
use crate::vocabulary::{Estimator, Group, Guess, Legend, Scope, Stratum};
use nalgebra::DMatrix;
use std::collections::BTreeMap;
use std::ops::Index;

/// How a proxy errs: `t[(group, guess)]` is P(guess | group).
///
/// Rows are distributions over the guesses of those rows on which the proxy gives one; [`new`](Self::new) checks
/// it, nothing checks it again.
///
/// ```
/// # use fairveil_core::noise::TransitionMatrix;
/// # use fairveil_core::vocabulary::{Group, Guess};
/// let t = TransitionMatrix::new(vec![vec![0.9, 0.1], vec![0.3, 0.7]])?;
/// assert_eq!(t[(Group(1), Guess(0))], 0.3);
/// # Ok::<(), fairveil_core::noise::NoiseError>(())
/// ```
///
/// ```compile_fail,E0277
/// # use fairveil_core::noise::TransitionMatrix;
/// # use fairveil_core::vocabulary::{Group, Guess};
/// # let t = TransitionMatrix::flips(0.1);
/// let swapped = t[(Guess(0), Group(1))]; // transposing T is a type error
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TransitionMatrix {
    rows: Vec<Vec<f64>>,
}

/// How far a row may be from summing to one: rounding, not modelling.
const ROW_SUM_TOLERANCE: f64 = 1e-9;

impl TransitionMatrix {
    /// A matrix from its rows, one for each group.
    pub fn new(rows: Vec<Vec<f64>>) -> Result<Self, NoiseError> {
        let groups = rows.len();
        for (group, row) in rows.iter().enumerate() {
            if row.len() != groups {
                return Err(NoiseError::Shape { group, groups, columns: row.len() });
            }
            if let Some((guess, value)) =
                row.iter().enumerate().find(|(_, value)| !(0.0..=1.0 + ROW_SUM_TOLERANCE).contains(*value))
            {
                return Err(NoiseError::NotAProbability { group, guess, value: *value });
            }
            let sum: f64 = row.iter().sum();
            if (sum - 1.0).abs() > ROW_SUM_TOLERANCE {
                return Err(NoiseError::RowSum { group, sum });
            }
        }
        Ok(TransitionMatrix { rows })
    }

    /// Two groups, each mistaken for the other with probability `error`. Panics unless `0 ≤ error ≤ 1`.
    pub fn flips(error: f64) -> Self {
        assert!((0.0..=1.0).contains(&error), "an error probability of {error}");
        TransitionMatrix { rows: vec![vec![1.0 - error, error], vec![error, 1.0 - error]] }
    }

    /// `M` groups, guessed right with probability `accuracy`, the rest spread evenly. Panics unless
    /// `groups ≥ 2` and `0 ≤ accuracy ≤ 1`.
    pub fn symmetric(groups: usize, accuracy: f64) -> Self {
        assert!(groups >= 2 && (0.0..=1.0).contains(&accuracy), "{groups} groups with accuracy {accuracy}");
        let wrong = (1.0 - accuracy) / (groups - 1) as f64;
        let row = |a| (0..groups).map(|g| if a == g { accuracy } else { wrong }).collect();
        TransitionMatrix { rows: (0..groups).map(row).collect() }
    }

    /// The mean of several, all of the same size: how proxies err on average.
    pub fn mean(matrices: &[TransitionMatrix]) -> Result<Self, NoiseError> {
        let groups = matrices.first().map_or(0, TransitionMatrix::groups);
        let mean =
            |a: usize, g: usize| matrices.iter().map(|t| t.rows[a][g]).sum::<f64>() / matrices.len() as f64;
        TransitionMatrix::new((0..groups).map(|a| (0..groups).map(|g| mean(a, g)).collect()).collect())
    }

    /// `T·R`: guesses by this matrix, told as another by `R`.
    #[cfg(test)]
    pub(crate) fn followed_by(&self, told: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let entry = |row: &Vec<f64>, w: usize| row.iter().zip(told).map(|(p, told)| p * told[w]).sum();
        self.rows.iter().map(|row| (0..self.groups()).map(|w| entry(row, w)).collect()).collect()
    }

    /// Number of groups.
    pub fn groups(&self) -> usize {
        self.rows.len()
    }

    /// The rows in order of the groups.
    pub fn rows(&self) -> &[Vec<f64>] {
        &self.rows
    }

    /// A matrix from rows that are distributions up to rounding.
    pub(crate) fn from_distributions(rows: Vec<Vec<f64>>) -> Self {
        TransitionMatrix { rows }
    }

    /// The same rows in another order.
    pub(crate) fn with_rows(&self, order: &[usize]) -> Self {
        TransitionMatrix { rows: order.iter().map(|&row| self.rows[row].clone()).collect() }
    }

    /// Largest over smallest singular value: how much solving magnifies an error.
    /// Infinite for a singular matrix.
    pub fn condition(&self) -> f64 {
        let (largest, smallest) = self.singular_range();
        largest / smallest
    }

    pub(crate) fn singular_range(&self) -> (f64, f64) {
        singular_range(&DMatrix::from_fn(self.groups(), self.groups(), |a, g| self.rows[a][g]))
    }
}

impl Index<(Group, Guess)> for TransitionMatrix {
    type Output = f64;
    fn index(&self, (group, guess): (Group, Guess)) -> &f64 {
        &self.rows[group.0][guess.0]
    }
}

/// How the proxies err in one population, and the shares of its groups.
#[derive(Debug, Clone, PartialEq)]
pub struct ProxyNoise {
    /// `T`, shared by all proxies, or the mean of theirs.
    pub transition: TransitionMatrix,
    /// The matrix of each proxy where they have their own; empty where they share one.
    pub by_proxy: Vec<TransitionMatrix>,
    /// `p`, from the same equations as `T`.
    pub group_shares: Shares<Group>,
    /// Where guesses were randomised by a known mechanism: the rows of `T` before, shared or of each proxy. The matrices
    /// above include it. Chance may put an entry a little outside `[0, 1]`.
    pub unrandomized: Vec<Vec<Vec<f64>>>,
}

impl ProxyNoise {
    /// From how proxies err to how what was told of their guesses errs: `T·R`. `rows` is shared by all, or has a matrix
    /// for each proxy; those that come out no distributions are refused.
    pub(crate) fn folded(
        rows: Vec<Vec<Vec<f64>>>,
        group_shares: Shares<Group>,
        told: &Told,
        proxies: usize,
    ) -> Result<Self, NoiseError> {
        let of = |c: usize| if rows.len() > 1 { &rows[c] } else { &rows[0] };
        if told.is_nothing() {
            let matrices = rows.into_iter().map(TransitionMatrix::new).collect::<Result<Vec<_>, _>>()?;
            let transition = TransitionMatrix::mean(&matrices)?;
            let by_proxy = if matrices.len() > 1 { matrices } else { Vec::new() };
            return Ok(ProxyNoise { transition, by_proxy, group_shares, unrandomized: Vec::new() });
        }
        let matrix = |c: usize| {
            let folded = told.folded(c, of(c));
            // A row of numbers that sums to one and has none below zero is a distribution.
            let outside = folded.iter().enumerate().find_map(|(a, row)| {
                let least = row.iter().copied().enumerate().min_by(|x, y| x.1.total_cmp(&y.1));
                least.filter(|(_, p)| *p < -ROW_SUM_TOLERANCE).map(|(g, value)| (a, g, value))
            });
            match outside {
                Some((group, guess, value)) => Err(NoiseError::OutsideUnit { group, guess, value }),
                None => {
                    let rows = folded.into_iter().map(|row| row.iter().map(|p| p.clamp(0.0, 1.0)).collect());
                    TransitionMatrix::new(rows.collect())
                }
            }
        };
        let matrices: Vec<TransitionMatrix> = (0..proxies).map(matrix).collect::<Result<_, _>>()?;
        let transition = TransitionMatrix::mean(&matrices)?;
        let alike = matrices.iter().all(|t| *t == matrices[0]);
        let by_proxy = if alike { Vec::new() } else { matrices };
        Ok(ProxyNoise { transition, by_proxy, group_shares, unrandomized: rows })
    }
}

/// Everything we believe about the proxies (`{T_k}, p̂` in the paper).
#[derive(Debug, Clone, PartialEq)]
pub enum NoiseModel {
    /// One matrix for all strata.
    Global(Fit<ProxyNoise>),
    /// One matrix for each stratum; one that fails leaves the others standing.
    Local(BTreeMap<Stratum, Result<Fit<ProxyNoise>, NoiseError>>),
}

impl NoiseModel {
    /// One for all strata, or one for each.
    pub fn scope(&self) -> Scope {
        match self {
            NoiseModel::Global(_) => Scope::Global,
            NoiseModel::Local(_) => Scope::Local,
        }
    }

    /// What is believed about a stratum, if anything is.
    pub fn of(&self, stratum: Stratum) -> Option<&ProxyNoise> {
        match self {
            NoiseModel::Global(fit) => Some(&fit.value),
            NoiseModel::Local(fits) => {
                fits.get(&stratum).and_then(|fit| fit.as_ref().ok()).map(|fit| &fit.value)
            }
        }
    }

    /// The matrix that describes a stratum, if there is one.
    pub fn transition(&self, stratum: Stratum) -> Option<&TransitionMatrix> {
        self.of(stratum).map(|noise| &noise.transition)
    }
}

/// An estimate and how it was reached. A poor fit is still a fit: `diagnose` judges it.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit<T> {
    /// The estimate.
    pub value: T,
    /// Root of the summed squared differences between observed and explained moments.
    pub misfit: f64,
    /// Why the solver stopped.
    pub stopped: Stopped,
}

/// Why a solver stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// There was nothing to iterate.
    ClosedForm,
    /// No step improves the fit any more.
    Converged {
        /// Iterations of the start that won.
        iterations: usize,
    },
    /// The limit of iterations was reached while steps still improved the fit.
    IterationLimit {
        /// The limit.
        iterations: usize,
    },
}

/// Why no noise model can be given.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NoiseError {
    /// A row of a matrix has the wrong length.
    #[error("the transition row of group {group} has {columns} columns, expected {groups}")]
    Shape {
        /// Position of the group.
        group: usize,
        /// How many groups there are.
        groups: usize,
        /// How many columns the row has.
        columns: usize,
    },
    /// An entry of a matrix is no probability.
    #[error(
        "the transition of group {group} to guess {guess} is {value}, expected a probability from 0 to 1"
    )]
    NotAProbability {
        /// Position of the group.
        group: usize,
        /// Position of the guess.
        guess: usize,
        /// The entry.
        value: f64,
    },
    /// A row of a matrix is no distribution.
    #[error("the transition row of group {group} sums to {sum:.4}, expected 1")]
    RowSum {
        /// Position of the group.
        group: usize,
        /// The sum.
        sum: f64,
    },
    /// Too few proxies for the method.
    #[error(
        "{} compares {needed} proxies at a time and the table has {found}; add a proxy built from another \
         source, or read the proxies directly and say so",
        .method.words()
    )]
    TooFewProxies {
        /// The method.
        method: Estimator,
        /// How many it needs.
        needed: usize,
        /// How many there are.
        found: usize,
    },
    /// More groups than the solver takes.
    #[error(
        "{found} groups are more than the {limit} that agreement between proxies can tell apart in practice; merge \
         small groups"
    )]
    TooManyGroups {
        /// How many there are.
        found: usize,
        /// How many the method takes.
        limit: usize,
    },
    /// No row has three guesses.
    #[error(
        "no row has a guess of three proxies at once, so their agreement shows nothing; use proxies that abstain less"
    )]
    NoTriples,
    /// Proxies agree no more often than by chance.
    #[error(
        "the proxies agree no more often than by chance (covariance {covariance:.2e}), so their agreement says \
         nothing about a group; use proxies that inform about the group"
    )]
    NoAgreement {
        /// Mean covariance between two proxies.
        covariance: f64,
    },
    /// Agreement stands out too little from chance.
    #[error("{}", too_weak(*z))]
    TooWeak {
        /// Standard errors.
        z: f64,
    },
    /// The moment equations have no real solution.
    #[error(
        "these proxies cannot be three independent noisy views of one two-valued group: no error rates give the \
         pairs and triples that were counted (discriminant {discriminant:.2e}); look for proxies that repeat \
         each other, or for a third group"
    )]
    NoRealSolution {
        /// `b² − 4c`.
        discriminant: f64,
    },
    /// The moment equations are solved by something that is no probability.
    #[error("the proxies' agreement would need P(guess {guess} | group {group}) = {value:.4}")]
    OutsideUnit {
        /// Position of the group.
        group: usize,
        /// Position of the guess.
        guess: usize,
        /// What would be needed.
        value: f64,
    },
    /// A group has no row with a known group.
    #[error(
        "no labelled row is of group {group}; label a few rows of every group, chosen at random, or merge groups"
    )]
    NoLabels {
        /// Position of the group.
        group: usize,
    },
    /// Two proxies, and strata that do not differ.
    #[error(
        "two proxies show how they err only where strata differ in their mix of groups, and these differ by too little \
         (χ² {statistic:.1}); add a third proxy, or label a few rows"
    )]
    StrataAlike {
        /// How far the strata differ.
        statistic: f64,
    },
    /// Rows of a given matrix that look exchanged.
    #[error(
        "by the given matrix, the proxies together guess people of a group as another group more often than as their own: its rows look swapped; check the order of its groups"
    )]
    Exchanged,
    /// Nothing was given for a stratum.
    #[error("no transition matrix was given for these rows; give one for every stratum, or one for all rows")]
    NotGiven,
    /// The matrix cannot be undone.
    #[error(
        "the estimated transition matrix is singular (smallest singular value {smallest:.1e}): the proxies guess \
         alike whatever the group, so their error cannot be undone; use proxies that inform about the group"
    )]
    Singular {
        /// Smallest singular value.
        smallest: f64,
    },
    /// A group disappears in the best explanation.
    #[error(
        "the best explanation of the proxies' agreement leaves no one in group {group} (share {share:.1e})"
    )]
    VanishingGroup {
        /// Position of the group.
        group: usize,
        /// Its share.
        share: f64,
    },
}

/// What agreement that does not stand out from chance says; `z` standard errors.
fn too_weak(z: f64) -> String {
    if z < 0.0 {
        "these proxies contradict each other: they agree less often than by chance; check how each of them codes the groups"
            .into()
    } else {
        format!(
            "the proxies agree little more than by chance ({z:.1} standard errors, and 4 are needed): that shows the direction of \
             a gap and not its size; bring more rows or better proxies"
        )
    }
}

impl NoiseError {
    /// The reason in the words of the user's table.
    pub fn describe(&self, legend: &Legend) -> String {
        let name = |position: usize| legend.group(Group(position));
        match self {
            NoiseError::OutsideUnit { group, guess, value } => format!(
                "these proxies cannot be three independent noisy views of one two-valued group: their agreement \
                 would need P(guess {} | group {}) = {value:.4}; look for proxies that repeat each other or err \
                 very differently",
                name(*guess),
                name(*group)
            ),
            NoiseError::VanishingGroup { group, share } => format!(
                "the best explanation of the proxies' agreement leaves no one in group {} (share {share:.1e}); merge \
                 it with another group or use proxies that tell it apart",
                name(*group)
            ),
            NoiseError::NoLabels { group } => format!(
                "no labelled row is of group {}; label a few rows of every group, chosen at random, or merge groups",
                name(*group)
            ),
            other => other.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_that_is_no_distribution_is_refused_with_its_place() {
        let error =
            |rows: &[&[f64]]| TransitionMatrix::new(rows.iter().map(|r| r.to_vec()).collect()).unwrap_err();
        assert_eq!(error(&[&[0.5, 0.4], &[0.0, 1.0]]), NoiseError::RowSum { group: 0, sum: 0.9 });
        let outside = NoiseError::NotAProbability { group: 1, guess: 0, value: -0.5 };
        assert_eq!(error(&[&[1.0, 0.0], &[-0.5, 1.5]]), outside);
        assert!(matches!(error(&[&[1.0, 0.0], &[f64::NAN, 1.0]]), NoiseError::NotAProbability { .. }));
        assert_eq!(error(&[&[1.0], &[1.0]]), NoiseError::Shape { group: 0, groups: 2, columns: 1 });
    }

    #[test]
    fn the_condition_of_a_flip_is_one_over_its_determinant() {
        for error in [0.0, 0.2, 0.45] {
            // Singular values of a symmetric flip are 1 and 1 − 2·error.
            assert!((TransitionMatrix::flips(error).condition() * (1.0 - 2.0 * error) - 1.0).abs() < 1e-12);
        }
    }
}
