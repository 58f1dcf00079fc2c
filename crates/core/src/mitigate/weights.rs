//! The calibrated constraint as one weight per row and group: what any trainer needs.
//!
//! With `T` and the shares of the groups fixed, a calibrated rate is linear in the decisions `f`, so the whole
//! constraint is a weight that depends on a row's guesses (and label) alone:
//! ```text
//! R[n,a] = mean over proxies c of (T⁻ᵀ)[a, g_nc]            what row n says about group a, the error undone
//! W[n,a] = R[n,a] / mean over rows of R[·,a]                within a label: rows with it, zero for all others
//! V[n]   = W[n,a] − W[n,b]        gap(f) = mean over rows of V·f = rate of group a − rate of group b
//! ```
//! `f` is 1 where the decision is positive, or its chance. The gap is that of an audit with global scope, to the last
//! digits. A proxy that abstains on a row adds nothing there, and counts by what it says elsewhere.
//!
//! Assumes what calibration assumes. `V` is a function of a row's guesses: it is no group of a person, and is as
//! sensitive as the guesses are.

use crate::counts::{Cell, Counts};
use crate::noise::TransitionMatrix;
use crate::vocabulary::{Class, Criterion, Group, Guess, Legend};
use nalgebra::DMatrix;

/// Two groups whose rates are compared, among people with one label or among all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupPair {
    /// The group whose rate comes first.
    pub a: Group,
    /// The group whose rate is subtracted.
    pub b: Group,
    /// The label within which the rates are taken.
    pub label: Option<Class>,
}

/// Weights by which decisions add up to calibrated gaps.
///
/// ```
/// # use fairveil_core::{Audit, Criterion, Estimator, Scope, Settings, World};
/// # use fairveil_core::counts::{Cell, Tally};
/// # use fairveil_core::estimate::{Hoc, NoiseEstimator};
/// # use fairveil_core::mitigate::CalibratedWeights;
/// # use fairveil_core::noise::NoiseModel;
/// # use fairveil_core::record::Measurement;
/// let (counts, _) = World::lending().sample(20_000, 7)?;
/// let NoiseModel::Global(noise) = Hoc { scope: Scope::Global }.fit(&counts.frequencies())? else { unreachable!() };
/// let criterion = Criterion::DemographicParity;
/// let weights = CalibratedWeights::new(&counts, criterion, &[noise.value.transition.clone()])?;
/// let pair = weights.constraints()[0];
/// let positive = counts.legend().positive;
/// let granted = |cell: &Cell| f64::from(u8::from(cell.stratum.prediction == positive));
/// let gap = |(cell, tally): (&Cell, &Tally)| tally.weight * weights.of(pair, cell, 0) * granted(cell);
/// let gap = counts.cells().map(gap).sum::<f64>() / counts.weight();
/// // The same gap that calibration gives.
/// let audit = Audit::run(&counts, None, &Settings { n_boot: 0, ..Settings::default() })?;
/// let same = |r: &&Measurement| {
///     let by = (r.origin.estimator, r.origin.scope);
///     r.criterion == criterion && by == (Some(Estimator::Hoc), Some(Scope::Global))
/// };
/// let found = audit.results.iter().find(same).unwrap().pairs.iter().find(|p| p.class == "1").unwrap();
/// assert!((gap.abs() - found.difference.abs()).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CalibratedWeights {
    /// For each bin `T⁻ᵀ`: row group, column guess.
    undo: Vec<DMatrix<f64>>,
    /// For each proxy, one over how often it guesses, times one over the number of proxies.
    voice: Vec<f64>,
    /// The labels that are looked at, each with the mean of `R` over all rows for each group.
    means: Vec<(Option<Class>, Vec<f64>)>,
}

/// Why there are no weights.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WeightsError {
    /// The criterion compares people with a label, and no row has one.
    #[error("{} {}, and no row has a label; name the column of labels", .criterion.words(), .criterion.spec().within.compares())]
    NoLabels {
        /// The criterion.
        criterion: Criterion,
    },
    /// A gap that is no weighted sum of decisions.
    #[error(
        "{} {}: its gap is no weighted sum of decisions, so there are no weights; choose a criterion about decisions",
        .criterion.words(), .criterion.spec().within.compares()
    )]
    NotDecisions {
        /// The criterion.
        criterion: Criterion,
    },
    /// A matrix cannot be undone.
    #[error(
        "the proxies guess alike whatever the group (smallest singular value {smallest:.1e}): their error cannot be undone"
    )]
    Singular {
        /// Smallest singular value.
        smallest: f64,
    },
    /// Undoing the error leaves no one in a group.
    #[error(
        "with these error rates group {group} would hold {share:.4} of the rows{}: no population is like that, so there is \
         no gap to reduce; look for proxies that repeat each other, or merge the group with another",
        .label.as_ref().map(|label| format!(" with {label}")).unwrap_or_default()
    )]
    Infeasible {
        /// The group.
        group: String,
        /// The label within which, in words.
        label: Option<String>,
        /// What its share would be.
        share: f64,
    },
}

impl CalibratedWeights {
    /// From a tally and how the proxies err: one matrix for all rows, or one for each class of the predictions, where
    /// those are bins into which rows were cut beforehand.
    pub fn new(
        counts: &Counts,
        criterion: Criterion,
        noise: &[TransitionMatrix],
    ) -> Result<Self, WeightsError> {
        if !criterion.is_about_decisions() {
            return Err(WeightsError::NotDecisions { criterion });
        }
        let legend = counts.legend();
        let seen = counts.frequencies().view(criterion.view()).ok_or(WeightsError::NoLabels { criterion })?;
        let groups = legend.groups.len();
        let inverse = |t: &TransitionMatrix| {
            let matrix = DMatrix::from_fn(groups, groups, |g, a| t[(Group(a), Guess(g))]);
            let smallest = t.singular_range().1;
            matrix
                .try_inverse()
                .filter(|inverse| inverse.iter().all(|x| x.is_finite()))
                .ok_or(WeightsError::Singular { smallest })
        };
        let undo = noise.iter().map(inverse).collect::<Result<Vec<_>, _>>()?;
        let answered = |c: usize| -> f64 {
            seen.cells().iter().filter(|(cell, _)| cell.guesses[c].is_some()).map(|(_, share)| share).sum()
        };
        let voice = |c: usize| 1.0 / (legend.proxies.len() as f64 * answered(c));
        let voice: Vec<f64> = (0..legend.proxies.len()).map(voice).collect();
        let mut weights = CalibratedWeights { undo, voice, means: Vec::new() };
        for among in criterion.spec().parts(label_classes(counts), legend.positive) {
            let label = among.class();
            let mut mean = vec![0.0; groups];
            for (cell, tally) in counts.cells().filter(|(cell, _)| is_in(label, cell)) {
                let said = weights.says(cell, weights.bin_of(cell));
                mean.iter_mut().zip(&said).for_each(|(mean, r)| *mean += tally.weight * r / counts.weight());
            }
            let total: f64 = mean.iter().sum();
            if let Some(group) = mean.iter().position(|share| share.is_nan() || *share <= 0.0) {
                return Err(infeasible(legend, group, label, mean[group] / total));
            }
            weights.means.push((label, mean));
        }
        Ok(weights)
    }

    /// The gaps that say all: every group against the first, within every label that the criterion looks at.
    pub fn constraints(&self) -> Vec<GroupPair> {
        self.pairs_with(|_, b| b == 0)
    }

    /// Every pair of groups, within every label that the criterion looks at.
    pub fn all_pairs(&self) -> Vec<GroupPair> {
        self.pairs_with(|_, _| true)
    }

    fn pairs_with(&self, wanted: impl Fn(usize, usize) -> bool) -> Vec<GroupPair> {
        let groups = self.undo[0].nrows();
        let mut pairs = Vec::new();
        for (label, _) in &self.means {
            for a in 1..groups {
                for b in (0..a).filter(|b| wanted(a, *b)) {
                    pairs.push(GroupPair { a: Group(a), b: Group(b), label: *label });
                }
            }
        }
        pairs
    }

    /// The labels within which rates are taken.
    pub fn labels(&self) -> impl Iterator<Item = Option<Class>> + '_ {
        self.means.iter().map(|(label, _)| *label)
    }

    /// `V` of rows with these guesses and this label, in a bin (0 where there is one matrix for all).
    pub fn of(&self, pair: GroupPair, cell: &Cell, bin: usize) -> f64 {
        let of_groups = self.of_groups(pair.label, cell, bin);
        of_groups[pair.a.0] - of_groups[pair.b.0]
    }

    /// `W` of such rows for each group, within a label.
    pub fn of_groups(&self, label: Option<Class>, cell: &Cell, bin: usize) -> Vec<f64> {
        match self.means.iter().find(|(known, _)| *known == label) {
            Some((_, means)) if is_in(label, cell) => {
                self.says(cell, bin).iter().zip(means).map(|(said, mean)| said / mean).collect()
            }
            _ => vec![0.0; self.undo[0].nrows()],
        }
    }

    /// The share of each group among the rows with a label, or among all.
    pub fn shares(&self, label: Option<Class>) -> Vec<f64> {
        let means = self.means.iter().find(|(known, _)| *known == label).map(|(_, means)| means.as_slice());
        let total: f64 = means.iter().copied().flatten().sum();
        means.iter().copied().flatten().map(|mean| mean / total).collect()
    }

    /// `R`: what guesses say about each group.
    fn says(&self, cell: &Cell, bin: usize) -> Vec<f64> {
        let undo = &self.undo[bin.min(self.undo.len() - 1)];
        let mut said = vec![0.0; undo.nrows()];
        for (guess, voice) in cell.guesses.iter().zip(&self.voice) {
            let Some(guess) = guess else { continue };
            said.iter_mut().enumerate().for_each(|(a, said)| *said += voice * undo[(a, guess.0)]);
        }
        said
    }

    fn bin_of(&self, cell: &Cell) -> usize {
        if self.undo.len() > 1 { cell.stratum.prediction.0 } else { 0 }
    }
}

/// Predictions may be bins, so only labels tell how many classes those have.
fn label_classes(counts: &Counts) -> usize {
    let labels = counts.cells().filter_map(|(cell, _)| cell.stratum.label);
    labels.map(|label| label.0 + 1).max().unwrap_or(0)
}

fn is_in(label: Option<Class>, cell: &Cell) -> bool {
    label.is_none() || cell.stratum.label == label
}

fn infeasible(legend: &Legend, group: usize, label: Option<Class>, share: f64) -> WeightsError {
    let label = label.map(|label| legend.label(label));
    WeightsError::Infeasible { group: legend.groups[group].clone(), label, share }
}
