//! Shares, joint tables and the rates that follow from them; what the proxies say directly.
//!
//! A joint table `J[a, y, k] = P(A=a, Y=y, f=k)` holds everything that is asked about groups:
//! ```text
//! H[a, k]     = P(f=k | A=a)       = J[a, ·, k] / Σ_k J[a, ·, k]
//! H[a, k ⊗ y] = P(f=k | Y=y, A=a)  = J[a, y, k] / Σ_k J[a, y, k]
//!               P(Y=y | f=k, A=a)  = J[a, y, k] / Σ_y J[a, y, k]
//! ```
//! The same formulas serve a table split by what a proxy guessed (`Joint<Guess>`) and one split by what is
//! inferred about the groups (`Joint<Group>`); the type keeps the two apart.

use crate::counts::{Cell, Counts, Frequencies, View};
use crate::criterion::{Among, Proportion};
use crate::vocabulary::{Axis, Class, Group, Guess, Legend, ProxyId, Stratum};
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ops::Index;
use std::sync::Arc;

/// The share of each group, or of each guess.
///
/// ```
/// # use fairveil_core::rates::Shares;
/// # use fairveil_core::vocabulary::Group;
/// let shares: Shares<Group> = Shares::new([0.3, 0.7]);
/// assert_eq!(shares[Group(1)], 0.7);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Shares<A> {
    values: Vec<f64>,
    axis: PhantomData<A>,
}

impl<A: Axis> Shares<A> {
    /// Shares in the order of the groups.
    pub fn new(values: impl Into<Vec<f64>>) -> Self {
        Shares { values: values.into(), axis: PhantomData }
    }

    /// The shares in order.
    pub fn as_slice(&self) -> &[f64] {
        &self.values
    }

    /// Their sum.
    pub fn total(&self) -> f64 {
        self.values.iter().sum()
    }
}

impl<A: Axis> Index<A> for Shares<A> {
    type Output = f64;
    fn index(&self, a: A) -> &f64 {
        &self.values[a.index()]
    }
}

/// Why a rate or a disparity has no number.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Unavailable {
    /// The noise of a stratum could not be estimated.
    #[error("no estimate for stratum {0:?}")]
    Stratum(Stratum),
    /// A group has no one in it, or less than no one, so that a rate in it would divide by that.
    #[error("group {group} has share {share} among {among:?}")]
    EmptyGroup {
        /// Position of the group.
        group: usize,
        /// Among whom.
        among: Among,
        /// Its share of the table.
        share: f64,
    },
    /// A group has no one without the positive label.
    #[error("group {group} has no one without the positive label")]
    NoOthers {
        /// Position of the group.
        group: usize,
    },
    /// A ratio over a largest rate of zero, or of rates below zero.
    #[error("a ratio of rates from {low} to {high}")]
    Ratio {
        /// Smallest rate.
        low: f64,
        /// Largest rate.
        high: f64,
    },
    /// The table has no labels.
    #[error("no labels")]
    NoLabels,
}

impl Unavailable {
    /// The reason in the words of the user's table: what was found, what was needed.
    pub fn describe(&self, legend: &Legend) -> String {
        match self {
            Unavailable::Stratum(stratum) => format!(
                "the proxies' error could not be estimated among rows with {}, and this number needs every part",
                legend.stratum(*stratum)
            ),
            Unavailable::EmptyGroup { group, among, share } => {
                let also = match among {
                    Among::Everyone | Among::Judged(_) => String::new(),
                    Among::Label(label) | Among::PassedOver(label) => {
                        format!(" with {}", legend.label(*label))
                    }
                    Among::Decision(decision) => format!(" with {}", legend.decision(*decision)),
                };
                format!(
                    "the estimated share of group {}{also} is {share:.4}; a rate needs a share above 0",
                    legend.group(Group(*group))
                )
            }
            Unavailable::NoOthers { group } => format!(
                "nobody of group {} is estimated to have a label other than {}; a false positive rate needs some",
                legend.group(Group(*group)),
                legend.label(legend.positive)
            ),
            Unavailable::Ratio { low, high } => format!(
                "the group rates run from {low:.4} to {high:.4}; a ratio needs rates of at least 0 and a largest above 0"
            ),
            Unavailable::NoLabels => "no row has a label, and this criterion needs labels".to_string(),
        }
    }
}

/// The joint table of strata and groups (or guesses). A stratum may be missing; what needs it is unavailable,
/// the rest stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint<A> {
    view: View,
    classes: usize,
    members: usize,
    /// Members of whom too little is known to compare them with the others, by place; nothing where there are none.
    left_out: Option<Arc<[bool]>>,
    /// By label and prediction; nothing where nobody is. Draws ask a table thousands of times.
    strata: Vec<Option<Option<Shares<A>>>>,
}

impl<A: Axis> Joint<A> {
    /// A table from its strata. Strata that are not given hold nobody; those given as `None` are unknown.
    pub fn new(
        view: View,
        classes: usize,
        members: usize,
        strata: impl IntoIterator<Item = (Stratum, Option<Shares<A>>)>,
    ) -> Self {
        let labels = if view == View::Labelled { classes } else { 1 };
        let nobody = vec![None; labels * classes];
        let mut joint = Joint { view, classes, members, left_out: None, strata: nobody };
        for (stratum, shares) in strata {
            if let Some(place) = joint.place(stratum) {
                joint.strata[place] = Some(shares);
            }
        }
        joint
    }

    fn place(&self, Stratum { label, prediction }: Stratum) -> Option<usize> {
        let label = match self.view {
            View::Predictions => label.is_none().then_some(0)?,
            View::Labelled => label?.0,
        };
        Some(label * self.classes + prediction.0)
            .filter(|place| prediction.0 < self.classes && *place < self.strata.len())
    }

    fn stratum(&self, place: usize) -> Stratum {
        let label = (self.view == View::Labelled).then_some(Class(place / self.classes));
        Stratum { label, prediction: Class(place % self.classes) }
    }

    /// The question the table was made for.
    pub fn view(&self) -> View {
        self.view
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Number of groups or guesses.
    pub fn members(&self) -> usize {
        self.members
    }

    /// The groups or guesses that are compared, in order: all, but for those that were left out.
    pub fn axis(&self) -> impl Iterator<Item = A> + Clone + use<A> {
        let left_out = self.left_out.clone();
        let compared = move |i: &usize| left_out.as_ref().is_none_or(|left_out| !left_out[*i]);
        (0..self.members).filter(compared).map(A::at)
    }

    /// The place of a group among those that are compared; nothing where it is not.
    pub(crate) fn place_of(&self, group: Group) -> Option<usize> {
        self.axis().position(|a| a.index() == group.0)
    }

    /// The number of those that are compared.
    pub fn compared(&self) -> usize {
        self.axis().count()
    }

    /// The same table, whose members at these places are compared with nobody.
    pub(crate) fn leaving_out(mut self, places: &[usize]) -> Self {
        let left_out = (0..self.members).map(|i| places.contains(&i)).collect();
        self.left_out = Some(left_out).filter(|_| !places.is_empty());
        self
    }

    /// Nobody is left out.
    pub(crate) fn compares_all(&self) -> bool {
        self.left_out.is_none()
    }

    /// The same table, in which those are compared that another compares.
    pub(crate) fn comparing<B>(mut self, like: &Joint<B>) -> Self {
        self.left_out = like.left_out.clone();
        self
    }

    /// The strata that hold somebody, in order.
    pub fn strata(&self) -> impl Iterator<Item = (Stratum, Option<&Shares<A>>)> {
        let held = |(place, shares): (usize, &'_ Option<Option<Shares<A>>>)| {
            shares.is_some().then(|| self.stratum(place))
        };
        let strata = self.strata.iter().enumerate().map(held);
        let both = strata.zip(&self.strata);
        both.filter_map(|(stratum, shares)| Some((stratum?, shares.as_ref()?.as_ref())))
    }

    /// `P(A=a, Y=label, f=prediction)`.
    pub fn cell(&self, a: A, label: Option<Class>, prediction: Class) -> Result<f64, Unavailable> {
        let stratum = Stratum { label, prediction };
        match self.place(stratum).and_then(|place| self.strata[place].as_ref()) {
            None => Ok(0.0),
            Some(Some(shares)) => Ok(shares[a]),
            Some(None) => Err(Unavailable::Stratum(stratum)),
        }
    }

    /// Sum of the cells of `a` in these strata.
    pub(crate) fn mass(&self, a: A, counts: impl Fn(Stratum) -> bool) -> Result<f64, Unavailable> {
        let strata =
            (0..self.strata.len()).map(|place| self.stratum(place)).filter(|stratum| counts(*stratum));
        let mut sum = 0.0;
        for stratum in strata {
            sum += self.cell(a, stratum.label, stratum.prediction)?;
        }
        Ok(sum)
    }

    /// `P(A=a)`.
    pub fn share(&self, a: A) -> Result<f64, Unavailable> {
        self.mass(a, |_| true)
    }

    /// How often a class is met in `a`, among some of its people.
    pub fn proportion(&self, a: A, asked: Proportion) -> Result<f64, Unavailable> {
        let counts = |stratum| asked.counts(stratum);
        self.part(a, counts, |stratum| asked.among.holds(stratum), asked.among)
    }

    /// `P(f=prediction | A=a)`, or `P(f=prediction | Y=label, A=a)` within a label.
    pub fn rate(&self, a: A, label: Option<Class>, prediction: Class) -> Result<f64, Unavailable> {
        self.proportion(a, Proportion { class: prediction, among: Among::label(label) })
    }

    fn part(
        &self,
        a: A,
        counts: impl Fn(Stratum) -> bool,
        within: impl Fn(Stratum) -> bool,
        among: Among,
    ) -> Result<f64, Unavailable> {
        let share = self.mass(a, within)?;
        if share > NOBODY {
            Ok(self.mass(a, counts)? / share)
        } else {
            Err(Unavailable::EmptyGroup { group: a.index(), among, share })
        }
    }

    /// The rates of one group with respect to a positive class. What has no number says why.
    pub fn group_rates(&self, a: A, positive: Class) -> GroupRates {
        let labelled =
            |counts: &dyn Fn(Stratum) -> bool, within: &dyn Fn(Stratum) -> bool, among| match self.view {
                View::Predictions => Err(Unavailable::NoLabels),
                View::Labelled => self.part(a, counts, within, among),
            };
        let (yes, of_label) = (Some(positive), Among::Label(positive));
        let (has, chosen) = (|s: Stratum| s.label == yes, |s: Stratum| s.prediction == positive);
        let no_others = |reason| match reason {
            Unavailable::EmptyGroup { group, .. } => Unavailable::NoOthers { group },
            other => other,
        };
        GroupRates {
            share: self.share(a),
            selection_rate: self.rate(a, None, positive),
            true_positive_rate: labelled(&|s| has(s) && chosen(s), &has, of_label),
            false_positive_rate: labelled(&|s| !has(s) && chosen(s), &|s| !has(s), Among::Everyone)
                .map_err(no_others),
            false_negative_rate: labelled(&|s| has(s) && !chosen(s), &has, of_label),
            precision: labelled(&|s| has(s) && chosen(s), &chosen, Among::Decision(positive)),
            accuracy: labelled(&|s| s.label == Some(s.prediction), &|_| true, Among::Everyone),
            base_rate: labelled(&has, &|_| true, Among::Everyone),
        }
    }
}

/// A share below this is rounding, and a rate over it would be made of rounding too.
pub(crate) const NOBODY: f64 = 1e-9;

/// The usual rates of one group; the positive class against all others.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupRates {
    /// `P(A=a)`.
    pub share: Result<f64, Unavailable>,
    /// `P(f=1 | A=a)`.
    pub selection_rate: Result<f64, Unavailable>,
    /// `P(f=1 | Y=1, A=a)`.
    pub true_positive_rate: Result<f64, Unavailable>,
    /// `P(f=1 | Y≠1, A=a)`.
    pub false_positive_rate: Result<f64, Unavailable>,
    /// `P(f≠1 | Y=1, A=a)`.
    pub false_negative_rate: Result<f64, Unavailable>,
    /// `P(Y=1 | f=1, A=a)`.
    pub precision: Result<f64, Unavailable>,
    /// `P(f=Y | A=a)`.
    pub accuracy: Result<f64, Unavailable>,
    /// `P(Y=1 | A=a)`.
    pub base_rate: Result<f64, Unavailable>,
}

impl GroupRates {
    /// The rates that have a number, in the order of the fields.
    pub(crate) fn values(self) -> [Option<f64>; 8] {
        let all = [
            self.share,
            self.selection_rate,
            self.true_positive_rate,
            self.false_positive_rate,
            self.false_negative_rate,
            self.precision,
            self.accuracy,
            self.base_rate,
        ];
        all.map(Result::ok)
    }

    /// No rate has a number.
    pub(crate) fn unavailable() -> Self {
        let none = || Err(Unavailable::NoLabels);
        GroupRates {
            share: none(),
            selection_rate: none(),
            true_positive_rate: none(),
            false_positive_rate: none(),
            false_negative_rate: none(),
            precision: none(),
            accuracy: none(),
            base_rate: none(),
        }
    }
}

/// What one proxy says when its guess is taken for the group (Base in the paper). Rows on which it abstains
/// say nothing and are left out.
///
/// ```
/// # use fairveil_core::World;
/// # use fairveil_core::counts::View;
/// # use fairveil_core::rates::{Unavailable, base};
/// # use fairveil_core::vocabulary::{Class, Guess, ProxyId};
/// let world = World::symmetric(2, 2, &[0.8, 0.8, 0.8], 0.3);
/// let seen = world.frequencies().view(View::Predictions).unwrap();
/// let base = base(&seen, ProxyId(0));
/// let gap = base.rate(Guess(1), None, Class(1))? - base.rate(Guess(0), None, Class(1))?;
/// // Groups of equal size and a proxy wrong for one in five: it shows 0.8 − 0.2 of the gap of 0.3.
/// assert!((gap - 0.18).abs() < 1e-12);
/// # Ok::<(), Unavailable>(())
/// ```
pub fn base(seen: &Frequencies, proxy: ProxyId) -> Joint<Guess> {
    votes(seen, |guesses, add| {
        if let Some(guess) = guesses[proxy.0] {
            add(guess, 1.0);
        }
    })
}

/// What the proxies say together when each row is shared out among the groups they vote for (Soft in the
/// paper, for proxies that give labels and not probabilities). A row on which all abstain is left out.
pub fn soft_votes(seen: &Frequencies) -> Joint<Guess> {
    votes_of(seen, &(0..seen.proxies).map(ProxyId).collect::<Vec<_>>())
}

/// The same by some of the proxies.
pub(crate) fn votes_of(seen: &Frequencies, voters: &[ProxyId]) -> Joint<Guess> {
    votes(seen, |guesses, add| {
        let said = || voters.iter().filter_map(|proxy| guesses[proxy.0]);
        let answered = said().count() as f64;
        said().for_each(|guess| add(guess, 1.0 / answered));
    })
}

/// A joint table in which every cell is shared out among guesses by `vote`.
fn votes(seen: &Frequencies, vote: impl Fn(&[Option<Guess>], &mut dyn FnMut(Guess, f64))) -> Joint<Guess> {
    let mut sums = Sums::default();
    for (cell, share) in &seen.cells {
        vote(&cell.guesses, &mut |guess, part| sums.add(cell.stratum, guess, share * part, seen.groups));
    }
    // The strata of a view are labelled either all or not at all.
    let labelled = seen.cells.iter().any(|(cell, _)| cell.stratum.label.is_some());
    let view = if labelled { View::Labelled } else { View::Predictions };
    sums.scaled(view, seen.classes, seen.groups)
}

/// The mean probabilities that proxies gave to the people of each cell, and the share of them that had any.
#[derive(Debug, Clone)]
pub(crate) struct ScoreMeans {
    cells: BTreeMap<Cell, Vec<f64>>,
}

impl ScoreMeans {
    /// `None` where no row of the view has probabilities.
    pub(crate) fn of(counts: &Counts, view: View) -> Option<Self> {
        let mut sums: BTreeMap<Cell, (Vec<f64>, f64)> = BTreeMap::new();
        for (cell, tally) in counts.cells() {
            let (Some(scores), Some(stratum)) = (&tally.scores, view.regroup(cell.stratum)) else { continue };
            let cell = Cell { stratum, guesses: cell.guesses.clone() };
            let (totals, weight) = sums.entry(cell).or_insert_with(|| (vec![0.0; scores.totals.len()], 0.0));
            totals.iter_mut().zip(&scores.totals).for_each(|(sum, total)| *sum += total);
            *weight += tally.weight;
        }
        let mean = |(cell, (totals, weight)): (Cell, (Vec<f64>, f64))| {
            (weight > 0.0).then(|| (cell, totals.iter().map(|total| total / weight).collect()))
        };
        let cells: BTreeMap<Cell, Vec<f64>> = sums.into_iter().filter_map(mean).collect();
        (!cells.is_empty()).then_some(ScoreMeans { cells })
    }

    /// What the proxies say when each row is shared out by its probabilities (Soft in the paper).
    pub(crate) fn joint(&self, seen: &Frequencies, view: View) -> Joint<Guess> {
        let mut sums = Sums::default();
        for (cell, share) in &seen.cells {
            for (a, mean) in self.cells.get(cell).into_iter().flatten().enumerate() {
                sums.add(cell.stratum, Guess(a), share * mean, seen.groups);
            }
        }
        sums.scaled(view, seen.classes, seen.groups)
    }
}

/// What proxies with probabilities say when each row is shared out by them (Soft in the paper). `None` where
/// no row of the view has probabilities.
pub fn soft_scores(counts: &Counts, view: View) -> Option<Joint<Guess>> {
    let seen = counts.frequencies().view(view)?;
    ScoreMeans::of(counts, view).map(|scores| scores.joint(&seen, view))
}

/// A joint table of true groups from weights, for simulated worlds and labelled samples.
pub fn true_joint(
    classes: usize,
    groups: usize,
    cells: impl IntoIterator<Item = (Stratum, Group, f64)>,
    view: View,
) -> Joint<Group> {
    let mut sums = Sums::default();
    for (stratum, group, weight) in cells {
        if let Some(stratum) = view.regroup(stratum) {
            sums.add(stratum, group, weight, groups);
        }
    }
    sums.scaled(view, classes, groups)
}

/// Weights on their way to a joint table.
#[derive(Default)]
struct Sums {
    strata: BTreeMap<Stratum, Vec<f64>>,
}

impl Sums {
    fn add<A: Axis>(&mut self, stratum: Stratum, a: A, weight: f64, members: usize) {
        self.strata.entry(stratum).or_insert_with(|| vec![0.0; members])[a.index()] += weight;
    }

    /// Shares of everything that was added.
    fn scaled<A: Axis>(self, view: View, classes: usize, members: usize) -> Joint<A> {
        let total: f64 = self.strata.values().flatten().sum();
        let scale = if total > 0.0 { 1.0 / total } else { 0.0 };
        let shares = |sums: Vec<f64>| Shares::new(sums.iter().map(|sum| sum * scale).collect::<Vec<_>>());
        let strata = self.strata.into_iter().map(|(stratum, sums)| (stratum, Some(shares(sums))));
        Joint::new(view, classes, members, strata)
    }
}
