//! The quantities that the theorems speak of, all from one table `P(A=a, Ã=g, Y=y, f=k)`.
//!
//! ```text
//! p_y[a] = P(A=a | Y=y)            T_y[a,g]   = P(Ã=g | A=a, Y=y)            H[a,k⊗y] = P(f=k | A=a, Y=y)
//! p̃_y[g] = P(Ã=g | Y=y)            T_k⊗y[a,g] = P(Ã=g | A=a, Y=y, f=k)
//! ```
//! For demographic parity the same without `Y`. Where a group has no one in a stratum, its row of `T_k⊗y` is that
//! of `T_y`: the theorems hold with any row there.

use crate::counts::View;
use crate::criterion::Among;
use crate::linalg::singular_range;
use crate::noise::{NoiseModel, TransitionMatrix};
use crate::rates::{Joint, NOBODY, Shares, Unavailable, true_joint};
use crate::vocabulary::{Class, Criterion, Group, Guess, ProxyId, Stratum};
use crate::world::World;
use nalgebra::{DMatrix, DVector};
use std::collections::BTreeMap;

/// A population in which both the group and one proxy's guess of it are known: simulated, or labelled by hand.
/// People without a guess are left out.
///
/// ```
/// # use fairveil_core::{Aggregate, Criterion, World};
/// # use fairveil_core::bounds::KnownProxy;
/// # use fairveil_core::counts::View;
/// # use fairveil_core::disparity::measure;
/// # use fairveil_core::vocabulary::{Class, Guess, ProxyId};
/// let world = World::symmetric(2, 2, &[0.8], 0.3);
/// let known = KnownProxy::of(&world, ProxyId(0))?;
/// let gap = |value| measure(value, Criterion::DemographicParity, Aggregate::MeanPairwise, Class(1));
/// assert!((gap(&known.truth(View::Predictions))? - 0.30).abs() < 1e-12);
/// let seen = known.seen(View::Predictions);
/// assert!((seen.rate(Guess(1), None, Class(1))? - seen.rate(Guess(0), None, Class(1))? - 0.18).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct KnownProxy {
    classes: usize,
    groups: usize,
    cells: BTreeMap<(Stratum, Group, Guess), f64>,
}

/// Why a theorem gives no number.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TheoremError {
    /// A weight is no weight.
    #[error("a weight of {weight} for group {group} guessed {guess}; expected a finite number of 0 or more")]
    Weight {
        /// Position of the group.
        group: usize,
        /// Position of the guess.
        guess: usize,
        /// What was given.
        weight: f64,
    },
    /// A class, group or guess is not one of the table's.
    #[error("{what} {found} in a table that has {limit}")]
    Outside {
        /// What.
        what: &'static str,
        /// Its position.
        found: usize,
        /// How many there are.
        limit: usize,
    },
    /// Something has the wrong length.
    #[error("{what}: {found} given, {needed} needed")]
    Length {
        /// What.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many are needed.
        needed: usize,
    },
    /// The theorems are about rates of decisions.
    #[error("the theorems are about how often groups get a decision; {} {}", .criterion.words(), .criterion.spec().within.compares())]
    NotDecisions {
        /// The criterion.
        criterion: Criterion,
    },
    /// The corollaries are about two groups and two classes.
    #[error("the corollary is about two groups and two classes; the table has {groups} and {classes}")]
    NotBinary {
        /// How many groups there are.
        groups: usize,
        /// How many classes there are.
        classes: usize,
    },
    /// The corollaries assume that errors do not depend on the decision.
    #[error(
        "in stratum {stratum:?} the proxy errs differently from elsewhere (by {by:.2e}); the corollary needs errors \
         that do not depend on the decision once the group is known; use the theorem instead"
    )]
    Differential {
        /// Where.
        stratum: Stratum,
        /// Largest difference between a probability of a guess here and among all decisions.
        by: f64,
    },
    /// A guess is never made, so there is no rate by guess.
    #[error("no one is guessed to be of group {guess} (label {label:?}), so the proxy gives no rate for it")]
    NeverGuessed {
        /// Position of the guess.
        guess: usize,
        /// Within which label, if any.
        label: Option<Class>,
    },
    /// A matrix that the theorem inverts cannot be inverted.
    #[error(
        "the transition matrix of stratum {stratum:?} is singular (smallest singular value {smallest:.1e})"
    )]
    Singular {
        /// Where.
        stratum: Stratum,
        /// Smallest singular value.
        smallest: f64,
    },
    /// Nothing is believed about a stratum that has people.
    #[error("nothing is believed about stratum {0:?}; give a matrix and group shares for it")]
    NoBelief(Stratum),
    /// A believed share that the theorem divides by.
    #[error(
        "group {group} is believed to be a share of {share}; the theorem divides by it and needs more than 0"
    )]
    BelievedShare {
        /// Position of the group.
        group: usize,
        /// Its believed share.
        share: f64,
    },
    /// A rate has no number.
    #[error(transparent)]
    Rate(#[from] Unavailable),
}

impl KnownProxy {
    /// From weights of people by stratum, true group and guess.
    pub fn new(
        classes: usize,
        groups: usize,
        weights: impl IntoIterator<Item = (Stratum, Group, Guess, f64)>,
    ) -> Result<Self, TheoremError> {
        let inside = |what, found, limit| {
            if found < limit { Ok(()) } else { Err(TheoremError::Outside { what, found, limit }) }
        };
        let mut cells = BTreeMap::new();
        for (stratum, group, guess, weight) in weights {
            inside("class", stratum.prediction.0, classes)?;
            stratum.label.map_or(Ok(()), |label| inside("label", label.0, classes))?;
            inside("group", group.0, groups)?;
            inside("guess", guess.0, groups)?;
            if !(weight >= 0.0 && weight.is_finite()) {
                return Err(TheoremError::Weight { group: group.0, guess: guess.0, weight });
            }
            *cells.entry((stratum, group, guess)).or_default() += weight;
        }
        Ok(KnownProxy { classes, groups, cells })
    }

    /// One proxy of a simulated world.
    pub fn of(world: &World, proxy: ProxyId) -> Result<Self, TheoremError> {
        let (groups, classes) = (world.legend().groups.len(), world.legend().classes.len());
        let weights = world.strata().iter().flat_map(|part| {
            (0..groups).map(Group).flat_map(move |a| {
                let guesses = world.guesses(part, a, proxy).into_iter().enumerate();
                guesses.map(move |(g, chance)| (part.stratum, a, Guess(g), part.joint[a.0] * chance))
            })
        });
        KnownProxy::new(classes, groups, weights)
    }

    /// A population without labels from `p`, `H[a][k]` and one `T` for all decisions.
    pub fn non_differential(
        shares: &Shares<Group>,
        rates: &[Vec<f64>],
        noise: &TransitionMatrix,
    ) -> Result<Self, TheoremError> {
        for (what, found) in [("group shares", shares.as_slice().len()), ("groups with rates", rates.len())] {
            if found != noise.groups() {
                return Err(TheoremError::Length { what, found, needed: noise.groups() });
            }
        }
        let classes = rates.first().map_or(0, Vec::len);
        let weights = rates.iter().enumerate().flat_map(|(a, row)| {
            row.iter().enumerate().flat_map(move |(k, rate)| {
                let stratum = Stratum { label: None, prediction: Class(k) };
                let weight = move |g| shares[Group(a)] * rate * noise[(Group(a), Guess(g))];
                (0..noise.groups()).map(move |g| (stratum, Group(a), Guess(g), weight(g)))
            })
        });
        KnownProxy::new(classes, noise.groups(), weights)
    }

    /// The weight of all people in it.
    pub fn weight(&self) -> f64 {
        self.cells.values().sum()
    }

    /// `P(guess | group)` of all people, or of those with a prediction; a group that nobody is in has no row.
    pub fn transition(&self, prediction: Option<Class>) -> Vec<Option<Vec<f64>>> {
        let weights = self.weights(None, prediction);
        let row = |a: usize| {
            let people = weights.row(a).sum();
            (people > 0.0).then(|| weights.row(a).iter().map(|weight| weight / people).collect())
        };
        (0..self.groups).map(row).collect()
    }

    /// The joint table of decisions and true groups.
    pub fn truth(&self, view: View) -> Joint<Group> {
        let cells = self.cells.iter().map(|((stratum, group, _), weight)| (*stratum, *group, *weight));
        true_joint(self.classes, self.groups, cells, view)
    }

    /// The joint table of decisions and guesses: what the proxy shows.
    pub fn seen(&self, view: View) -> Joint<Guess> {
        let cells =
            self.cells.iter().map(|((stratum, _, guess), weight)| (*stratum, Group(guess.0), *weight));
        let table = true_joint(self.classes, self.groups, cells, view);
        let relabel = |shares: &Shares<Group>| Shares::new(shares.as_slice());
        let strata =
            table.strata().map(|(stratum, shares)| (stratum, shares.map(relabel))).collect::<Vec<_>>();
        Joint::new(view, self.classes, self.groups, strata)
    }

    pub(super) fn binary(&self) -> Result<(), TheoremError> {
        match (self.groups, self.classes) {
            (2, 2) => Ok(()),
            (groups, classes) => Err(TheoremError::NotBinary { groups, classes }),
        }
    }

    /// The columns that a criterion compares. One that nobody is in adds nothing to any bound.
    pub(super) fn columns(
        &self,
        criterion: Criterion,
        positive: Class,
    ) -> Result<Vec<Option<Column>>, TheoremError> {
        let labelled = self.cells.keys().any(|(stratum, ..)| stratum.label.is_some());
        if criterion.needs_labels() && !labelled {
            return Err(Unavailable::NoLabels.into());
        }
        if !criterion.is_about_decisions() {
            return Err(TheoremError::NotDecisions { criterion });
        }
        let compared = criterion.spec().compared(self.classes, positive);
        compared.into_iter().filter_map(|rate| rate.stratum()).map(|stratum| self.column(stratum)).collect()
    }

    /// Weights by group and guess of the people with a label (any, where it is `None`) and a prediction.
    fn weights(&self, label: Option<Class>, prediction: Option<Class>) -> DMatrix<f64> {
        let mut sums = DMatrix::zeros(self.groups, self.groups);
        for ((stratum, group, guess), weight) in &self.cells {
            let asked = label.is_none_or(|y| stratum.label == Some(y));
            if asked && prediction.is_none_or(|k| stratum.prediction == k) {
                sums[(group.0, guess.0)] += weight;
            }
        }
        sums
    }

    fn column(&self, stratum: Stratum) -> Result<Option<Column>, TheoremError> {
        let all = self.weights(stratum.label, None);
        let here = self.weights(stratum.label, Some(stratum.prediction));
        let (size, whole) = (|table: &DMatrix<f64>, a: usize| table.row(a).sum(), all.sum());
        for a in 0..self.groups {
            let share = size(&all, a) / whole;
            if share.is_nan() || share <= NOBODY {
                return Err(
                    Unavailable::EmptyGroup { group: a, among: Among::label(stratum.label), share }.into()
                );
            }
            if all.column(a).sum() <= 0.0 {
                return Err(TheoremError::NeverGuessed { guess: a, label: stratum.label });
            }
        }
        let pooled = DMatrix::from_fn(self.groups, self.groups, |a, g| all[(a, g)] / size(&all, a));
        let row = |a, g| match size(&here, a) {
            people if people > 0.0 => here[(a, g)] / people,
            _ => pooled[(a, g)],
        };
        let by_group = |number: &dyn Fn(usize) -> f64| DVector::from_fn(self.groups, |a, _| number(a));
        let column = Column {
            stratum,
            shares: by_group(&|a| size(&all, a) / whole),
            seen_shares: by_group(&|g| all.column(g).sum() / whole),
            rates: by_group(&|a| size(&here, a) / size(&all, a)),
            transition: DMatrix::from_fn(self.groups, self.groups, row),
            pooled,
        };
        Ok((here.sum() > 0.0).then_some(column))
    }
}

/// One column `k` or `k ⊗ y` of the rates, with all that the theorems say about it.
pub(super) struct Column {
    pub(super) stratum: Stratum,
    /// `p_y`.
    pub(super) shares: DVector<f64>,
    /// `p̃_y`.
    pub(super) seen_shares: DVector<f64>,
    /// `H[:, k⊗y]`.
    pub(super) rates: DVector<f64>,
    /// `T_k⊗y`.
    pub(super) transition: DMatrix<f64>,
    /// `T_y`.
    pub(super) pooled: DMatrix<f64>,
}

/// What is believed about a proxy: `T̂` for each stratum and `p̂`, or `p̂_y` for each label.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Belief {
    transitions: BTreeMap<Stratum, TransitionMatrix>,
    shares: BTreeMap<Option<Class>, Shares<Group>>,
}

impl Belief {
    /// From matrices by stratum and group shares by label; without labels for demographic parity.
    pub fn new(
        transitions: impl IntoIterator<Item = (Stratum, TransitionMatrix)>,
        shares: impl IntoIterator<Item = (Option<Class>, Shares<Group>)>,
    ) -> Self {
        Belief { transitions: transitions.into_iter().collect(), shares: shares.into_iter().collect() }
    }

    /// One matrix and one set of shares for the decisions of a table without labels.
    pub fn global(transition: &TransitionMatrix, shares: Shares<Group>, classes: usize) -> Self {
        let stratum = |prediction| Stratum { label: None, prediction };
        let everywhere = (0..classes).map(|k| (stratum(Class(k)), transition.clone()));
        Belief::new(everywhere, [(None, shares)])
    }

    /// The belief behind a calibrated table: the matrices it was made with, and its own group shares, which its
    /// rates are divided by.
    pub fn of(noise: &NoiseModel, calibrated: &Joint<Group>) -> Result<Self, TheoremError> {
        Belief::by(|stratum| noise.transition(stratum), calibrated)
    }

    /// The same about one proxy: with its own matrices where proxies have their own.
    pub fn of_proxy(
        noise: &NoiseModel,
        calibrated: &Joint<Group>,
        proxy: ProxyId,
    ) -> Result<Self, TheoremError> {
        let own =
            |stratum| noise.of(stratum).map(|noise| noise.by_proxy.get(proxy.0).unwrap_or(&noise.transition));
        Belief::by(own, calibrated)
    }

    fn by<'n>(
        matrix: impl Fn(Stratum) -> Option<&'n TransitionMatrix>,
        calibrated: &Joint<Group>,
    ) -> Result<Self, TheoremError> {
        let mut belief = Belief::default();
        for (stratum, shares) in calibrated.strata() {
            let (Some(transition), Some(shares)) = (matrix(stratum), shares) else {
                return Err(TheoremError::NoBelief(stratum));
            };
            belief.transitions.insert(stratum, transition.clone());
            let empty = || Shares::new(vec![0.0; calibrated.members()]);
            let sum = belief.shares.entry(stratum.label).or_insert_with(empty);
            let added = sum.as_slice().iter().zip(shares.as_slice()).map(|(a, b)| a + b);
            *sum = Shares::new(added.collect::<Vec<_>>());
        }
        for shares in belief.shares.values_mut() {
            let whole = shares.total();
            *shares = Shares::new(shares.as_slice().iter().map(|share| share / whole).collect::<Vec<_>>());
        }
        Ok(belief)
    }

    /// `p̂_y` and the inverse of `T̂` for a stratum.
    pub(super) fn about(&self, stratum: Stratum) -> Result<(DVector<f64>, DMatrix<f64>), TheoremError> {
        let missing = || TheoremError::NoBelief(stratum);
        let shares = self.shares.get(&stratum.label).ok_or_else(missing)?;
        let transition = self.transitions.get(&stratum).ok_or_else(missing)?;
        let bad = |share: &f64| share.is_nan() || *share <= 0.0;
        if let Some(group) = shares.as_slice().iter().position(bad) {
            return Err(TheoremError::BelievedShare { group, share: shares.as_slice()[group] });
        }
        let groups = transition.groups();
        let matrix = DMatrix::from_fn(groups, groups, |a, g| transition[(Group(a), Guess(g))]);
        Ok((DVector::from_column_slice(shares.as_slice()), inverse(&matrix, stratum)?))
    }
}

/// The inverse, refused where rounding would be all of it.
pub(super) fn inverse(matrix: &DMatrix<f64>, stratum: Stratum) -> Result<DMatrix<f64>, TheoremError> {
    let smallest = singular_range(matrix).1;
    let regular = matrix.clone().try_inverse().filter(|_| smallest > 1e-12);
    regular.ok_or(TheoremError::Singular { stratum, smallest })
}

/// The norm induced by the 1-norm of vectors: the largest sum of absolute values in a column.
pub(super) fn largest_column_sum(matrix: &DMatrix<f64>) -> f64 {
    matrix.column_iter().map(|column| column.iter().map(|x| x.abs()).sum()).fold(0.0, f64::max)
}

/// `Λ_left · matrix · Λ_right⁻¹ − 1`.
pub(super) fn rescaled_less_one(
    left: &DVector<f64>,
    matrix: &DMatrix<f64>,
    right: &DVector<f64>,
) -> DMatrix<f64> {
    DMatrix::from_fn(matrix.nrows(), matrix.ncols(), |a, g| {
        left[a] * matrix[(a, g)] / right[g] - if a == g { 1.0 } else { 0.0 }
    })
}
