//! What is known about a gap without any belief in how the proxy errs (after Kallus, Mao and Zhou).
//!
//! Two groups, the positive class against all others. Seen are the four shares `Q[k,g]` of decision and guess;
//! known is the share `p` of group 1. With `w = P(f=1, A=1)` the signed gap is one line:
//! ```text
//! d = P(f=1 | A=1) − P(f=1 | A=0) = (w − p·P(f=1)) / (p·(1−p))
//! ```
//! so its ends are those of `w`. With `Δ = p − P(g=1)`, if at most a share `ε` of all guesses is wrong:
//! ```text
//! w ≤ Q[1,1] + min{ (ε+Δ)/2, Q[1,0], Q[0,1]+Δ }          w ≥ p − Q[0,1] − min{ (ε+Δ)/2, Q[0,0], Q[1,1]+Δ }
//! ```
//! and without `ε` the first term of each minimum is left out. Both ends are reached by some population with
//! these shares. Assumes that `p` and `ε` are right; nothing else, in particular nothing about independence.

use crate::counts::View;
use crate::criterion::Among;
use crate::rates::{Joint, Unavailable};
use crate::uncertainty::Interval;
use crate::vocabulary::{Class, Guess};

/// Rounding that a share may carry. A contradiction smaller than this is none.
const ROUNDING: f64 = 1e-9;

/// What one proxy, a known share and a bound on its errors say about the gap between two groups.
///
/// ```
/// # use fairveil_core::bounds::{AssumptionFree, BoundError};
/// // 1,000 people, half of them of group 1. Selected: 100 guessed 0, 250 guessed 1. Others: 400 and 250.
/// let seen = [[0.40, 0.25], [0.10, 0.25]];
/// // At most one guess in ten is wrong: of the selected, at least 200 and at most 300 are of group 1.
/// let known = AssumptionFree::new(seen, 0.5, Some(0.1))?.interval();
/// assert!((known.low - 0.10).abs() < 1e-12 && (known.high - 0.50).abs() < 1e-12);
/// // From the share alone: anything from none to all 350.
/// let known = AssumptionFree::new(seen, 0.5, None)?.interval();
/// assert!((known.low + 0.70).abs() < 1e-12 && (known.high - 0.70).abs() < 1e-12);
/// # Ok::<(), BoundError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AssumptionFree {
    seen: [[f64; 2]; 2],
    share: f64,
    error: Option<f64>,
}

/// Why there are no bounds.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BoundError {
    /// The groups are not two.
    #[error("bounds without assumptions compare two groups and the table has {found}; merge groups")]
    NotTwoGroups {
        /// How many there are.
        found: usize,
    },
    /// The table is no table of shares.
    #[error("the share of decision {decision} and guess {guess} is {value}, expected a number from 0 to 1")]
    NotAShare {
        /// 1 for the positive class, 0 for all others.
        decision: usize,
        /// Position of the guess.
        guess: usize,
        /// What was given.
        value: f64,
    },
    /// The table does not sum to one.
    #[error("the shares of decisions and guesses sum to {sum}, expected 1")]
    Total {
        /// The sum.
        sum: f64,
    },
    /// No row has a guess.
    #[error("the proxy guesses for no one here, so there is nothing to bound; use another proxy")]
    Nobody,
    /// The known share leaves a group empty, or is no share.
    #[error(
        "the known share of group 1 is {share}, expected a number between 0 and 1: both groups need people"
    )]
    Share {
        /// What was given.
        share: f64,
    },
    /// The bound on errors is no share.
    #[error("at most {error} of the guesses are said to be wrong, expected a number from 0 to 1")]
    ErrorRange {
        /// What was given.
        error: f64,
    },
    /// Fewer errors are allowed than the shares alone imply.
    #[error(
        "at most {error} of the guesses are said to be wrong, but group 1 is a share of {share} and guessed for \
         {guessed}, so at least {needed} are; allow more errors or check the known share"
    )]
    ErrorTooSmall {
        /// The bound that was given.
        error: f64,
        /// The known share of group 1.
        share: f64,
        /// The share guessed to be of group 1.
        guessed: f64,
        /// The smallest possible share of wrong guesses.
        needed: f64,
    },
    /// There is nothing to intersect.
    #[error("no bounds were given; at least one proxy is needed")]
    NoBounds,
    /// Two bounds are not about the same people.
    #[error(
        "bounds {first} and {other} are about different people: group shares {shares:?}, positive decisions \
         {selected:?}; compare proxies on the same rows and with the same known share"
    )]
    DifferentPeople {
        /// Position of one bound.
        first: usize,
        /// Position of the other.
        other: usize,
        /// The known shares of group 1.
        shares: [f64; 2],
        /// The shares of positive decisions.
        selected: [f64; 2],
    },
    /// No gap satisfies two bounds at once.
    #[error(
        "bound {above} says that the gap is at least {low:.4}, bound {below} that it is at most {high:.4}; at \
         least one proxy errs more often than was said, or the known share is wrong"
    )]
    Contradiction {
        /// Position of the bound with the highest lower end.
        above: usize,
        /// That end.
        low: f64,
        /// Position of the bound with the lowest upper end.
        below: usize,
        /// That end.
        high: f64,
    },
    /// A rate has no number.
    #[error(transparent)]
    Rate(#[from] Unavailable),
}

impl AssumptionFree {
    /// Bounds from `seen[k][g]`, the share of people with decision `k` (1: the positive class, 0: any other) and
    /// guess `g`; the known share of group 1; and, if it is known, the largest share of guesses that are wrong.
    pub fn new(seen: [[f64; 2]; 2], share: f64, error: Option<f64>) -> Result<Self, BoundError> {
        for (decision, row) in seen.iter().enumerate() {
            for (guess, value) in row.iter().enumerate() {
                if !(0.0..=1.0 + ROUNDING).contains(value) {
                    return Err(BoundError::NotAShare { decision, guess, value: *value });
                }
            }
        }
        let sum: f64 = seen.iter().flatten().sum();
        if (sum - 1.0).abs() > ROUNDING {
            return Err(BoundError::Total { sum });
        }
        if !(share > 0.0 && share < 1.0) {
            return Err(BoundError::Share { share });
        }
        if let Some(error) = error {
            let guessed = seen[0][1] + seen[1][1];
            let needed = (share - guessed).abs();
            if !(0.0..=1.0).contains(&error) {
                return Err(BoundError::ErrorRange { error });
            }
            if error < needed - ROUNDING {
                return Err(BoundError::ErrorTooSmall { error, share, guessed, needed });
            }
        }
        Ok(AssumptionFree { seen, share, error })
    }

    /// Bounds from what one proxy says. With a label all is taken among people who have it, `share` and `error`
    /// too: for the positive label the gap is that of equal opportunity. People without a guess are not in the
    /// table, and nothing is said about them.
    pub fn of(
        seen: &Joint<Guess>,
        label: Option<Class>,
        positive: Class,
        share: f64,
        error: Option<f64>,
    ) -> Result<Self, BoundError> {
        if seen.members() != 2 {
            return Err(BoundError::NotTwoGroups { found: seen.members() });
        }
        with_labels(seen, label)?;
        let within = Among::label(label);
        let cell = |guess, selected| {
            seen.mass(Guess(guess), |s| within.holds(s) && (s.prediction == positive) == selected)
        };
        let table = [[cell(0, false)?, cell(1, false)?], [cell(0, true)?, cell(1, true)?]];
        let whole: f64 = table.iter().flatten().sum();
        if whole <= 0.0 {
            return Err(BoundError::Nobody);
        }
        AssumptionFree::new(table.map(|row| row.map(|share| share / whole)), share, error)
    }

    /// All signed gaps `P(f=1 | A=1) − P(f=1 | A=0)` that some population with these shares has.
    pub fn interval(&self) -> Interval {
        let [others, selected] = self.seen;
        let most = self.most_of_group_1(selected, others);
        let least = self.share - self.most_of_group_1(others, selected);
        let gap = |w: f64| (w - self.share * self.selected()) / (self.share * (1.0 - self.share));
        // Where only one gap is possible, rounding may turn the ends around.
        Interval { low: gap(least).min(gap(most)), high: gap(most).max(gap(least)) }
    }

    /// The largest possible `P(k, A=1)` for a decision, from its shares by guess and those of the other decision.
    fn most_of_group_1(&self, of: [f64; 2], other: [f64; 2]) -> f64 {
        let excess = self.share - of[1] - other[1];
        // Missed people of group 1 exceed the falsely guessed by Δ, so no more than (ε+Δ)/2 are missed.
        let missed = self.error.map_or(f64::INFINITY, |error| (error.max(excess.abs()) + excess) / 2.0);
        of[1] + missed.min(of[0]).min(other[1] + excess)
    }

    /// `P(f=1)`.
    fn selected(&self) -> f64 {
        self.seen[1].iter().sum()
    }
}

/// The gaps that no proxy rules out, each proxy with its own bound on errors. All must be about the same people.
///
/// Valid, but no longer the narrowest: how often two proxies disagree is not used.
///
/// ```
/// # use fairveil_core::bounds::{AssumptionFree, BoundError, intersect};
/// let first = AssumptionFree::new([[0.40, 0.25], [0.10, 0.25]], 0.5, Some(0.1))?; // 0.10 to 0.50
/// let second = AssumptionFree::new([[0.35, 0.30], [0.15, 0.20]], 0.5, Some(0.1))?; // −0.10 to 0.30
/// let both = intersect(&[first, second])?;
/// assert!((both.low - 0.10).abs() < 1e-12 && (both.high - 0.30).abs() < 1e-12);
/// // If none of the guesses were wrong, the gap would be 0.30 and 0.10 at once.
/// let sure = AssumptionFree::new([[0.40, 0.25], [0.10, 0.25]], 0.5, Some(0.0))?;
/// let also = AssumptionFree::new([[0.35, 0.30], [0.15, 0.20]], 0.5, Some(0.0))?;
/// assert!(matches!(intersect(&[sure, also]), Err(BoundError::Contradiction { above: 0, below: 1, .. })));
/// # Ok::<(), BoundError>(())
/// ```
pub fn intersect(bounds: &[AssumptionFree]) -> Result<Interval, BoundError> {
    let head = bounds.first().ok_or(BoundError::NoBounds)?;
    let same = |a: f64, b: f64| (a - b).abs() <= ROUNDING;
    let stranger = |b: &AssumptionFree| !same(head.share, b.share) || !same(head.selected(), b.selected());
    if let Some(other) = bounds.iter().position(stranger) {
        let shares = [head.share, bounds[other].share];
        let selected = [head.selected(), bounds[other].selected()];
        return Err(BoundError::DifferentPeople { first: 0, other, shares, selected });
    }
    let (mut low, mut above) = (f64::NEG_INFINITY, 0);
    let (mut high, mut below) = (f64::INFINITY, 0);
    for (position, ends) in bounds.iter().map(AssumptionFree::interval).enumerate() {
        if ends.low > low {
            (low, above) = (ends.low, position);
        }
        if ends.high < high {
            (high, below) = (ends.high, position);
        }
    }
    // Rounding of a share is magnified by the division in `d`.
    if low > high + ROUNDING / (head.share * (1.0 - head.share)) {
        return Err(BoundError::Contradiction { above, low, below, high });
    }
    Ok(Interval { low: low.min(high), high: high.max(low) })
}

/// The least gap there can be if the proxy's errors do not depend on the decision once the group is known
/// (non-differential error): the gap that the proxy shows. For any number of groups it bounds the largest rate
/// minus the smallest.
///
/// Each rate by guess is then a mean of the rates by group, and means lie no further apart than what they are
/// means of. How often the proxy errs does not matter.
///
/// ```
/// # use fairveil_core::World;
/// # use fairveil_core::bounds::non_differential_floor;
/// # use fairveil_core::counts::View;
/// # use fairveil_core::rates::{Unavailable, base};
/// # use fairveil_core::vocabulary::{Class, ProxyId};
/// let world = World::symmetric(2, 2, &[0.8], 0.3);
/// let seen = base(&world.frequencies().view(View::Predictions).unwrap(), ProxyId(0));
/// // Wrong for one person in five: it shows 0.18, and the gap of 0.30 is no smaller.
/// assert!((non_differential_floor(&seen, None, Class(1))? - 0.18).abs() < 1e-12);
/// # Ok::<(), Unavailable>(())
/// ```
pub fn non_differential_floor(
    seen: &Joint<Guess>,
    label: Option<Class>,
    positive: Class,
) -> Result<f64, Unavailable> {
    with_labels(seen, label)?;
    let rates: Vec<f64> = seen.axis().map(|g| seen.rate(g, label, positive)).collect::<Result<_, _>>()?;
    let highest = rates.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Ok(highest - rates.iter().copied().fold(f64::INFINITY, f64::min))
}

/// A table without labels has no part with one.
fn with_labels(seen: &Joint<Guess>, label: Option<Class>) -> Result<(), Unavailable> {
    let missing = label.is_some() && seen.view() == View::Predictions;
    if missing { Err(Unavailable::NoLabels) } else { Ok(()) }
}
