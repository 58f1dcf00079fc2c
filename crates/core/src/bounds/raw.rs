//! How far a proxy's disparity may be from the true one (paper, Theorem 3.2 and Corollary 3.3, full versions).
//!
//! ```text
//! |Δ̃ − Δ| ≤ 2/n Σ ( h̄ · ‖Λ_p̃ (T⁻¹ T_k − 1) Λ_p̃⁻¹‖₁  +  δ · ‖Λ_p T_k Λ_p̃⁻¹ − 1‖₁ )
//!                          errors depend on decisions            the proxy errs
//! ```
//! over the `n` columns that a criterion compares: `K` classes, `K²` pairs of class and label, or one. `h̄` is the
//! plain mean of the group rates of the column, `δ` the furthest of them from it; for equalized odds and equal
//! opportunity `p`, `p̃`, `T` and `T_k` are those among people with the label. The norm is the largest column sum.
//! Speaks of [`Aggregate::MeanPairwise`](crate::Aggregate::MeanPairwise) only.

use super::known::{Column, KnownProxy, TheoremError, inverse, largest_column_sum, rescaled_less_one};
use crate::vocabulary::{Class, Criterion, Stratum};
use nalgebra::DMatrix;

/// The bound of Theorem 3.2, with its parts.
///
/// ```
/// # use fairveil_core::{Criterion, World};
/// # use fairveil_core::bounds::{KnownProxy, RawErrorBound, TheoremError};
/// # use fairveil_core::vocabulary::{Class, ProxyId};
/// // Two groups of equal size, selected at 0.35 and 0.65; a proxy wrong for one in five in both.
/// let world = World::symmetric(2, 2, &[0.8], 0.3);
/// let bound = RawErrorBound::of(&KnownProxy::of(&world, ProxyId(0))?, Criterion::DemographicParity, Class(1))?;
/// let part = &bound.parts[1];
/// // Half of all are selected, either group 0.15 off; columns of [[0.8, 0.2], [0.2, 0.8]] − 1 sum to 0.4.
/// assert!((part.mean_rate - 0.5).abs() < 1e-12 && (part.spread - 0.15).abs() < 1e-12);
/// assert!(part.dependence < 1e-12 && (part.proxy_error - 0.4).abs() < 1e-12);
/// // 2 · 0.15 · 0.4: all of it, for the proxy shows 0.18 of 0.30.
/// assert!((bound.value() - 0.12).abs() < 1e-12);
/// # Ok::<(), TheoremError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RawErrorBound {
    /// The disparity it is about.
    pub criterion: Criterion,
    /// What each column adds. A column that nobody is in adds nothing and is not listed.
    pub parts: Vec<RawErrorPart>,
    /// How many columns the criterion compares (`n`).
    pub columns: usize,
}

/// What one column adds to a [`RawErrorBound`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RawErrorPart {
    /// Which column: a prediction, or a prediction among people with a label.
    pub stratum: Stratum,
    /// `h̄`: the plain mean of the group rates.
    pub mean_rate: f64,
    /// `δ`: the largest distance of a group rate from it.
    pub spread: f64,
    /// How much the proxy's errors depend on the decision; 0 when they do not.
    pub dependence: f64,
    /// How much the proxy errs; 0 when it never does.
    pub proxy_error: f64,
}

impl RawErrorPart {
    /// `h̄ · dependence + δ · proxy error`.
    pub fn sum(&self) -> f64 {
        self.mean_rate * self.dependence + self.spread * self.proxy_error
    }
}

impl RawErrorBound {
    /// The bound for a criterion.
    pub fn of(known: &KnownProxy, criterion: Criterion, positive: Class) -> Result<Self, TheoremError> {
        let columns = known.columns(criterion, positive)?;
        let parts = columns.iter().flatten().map(raw_part).collect::<Result<_, _>>()?;
        Ok(RawErrorBound { criterion, parts, columns: columns.len() })
    }

    /// The largest error that the theorem allows.
    pub fn value(&self) -> f64 {
        2.0 / self.columns as f64 * self.parts.iter().map(RawErrorPart::sum).sum::<f64>()
    }

    /// It in two parts: of errors that depend on the decision, and of a proxy that errs.
    pub fn split(&self) -> (f64, f64) {
        let sum = |part: fn(&RawErrorPart) -> f64| {
            2.0 / self.columns as f64 * self.parts.iter().map(part).sum::<f64>()
        };
        (sum(|part| part.mean_rate * part.dependence), sum(|part| part.spread * part.proxy_error))
    }
}

fn raw_part(column: &Column) -> Result<RawErrorPart, TheoremError> {
    let mean_rate = column.rates.mean();
    let relative: DMatrix<f64> = inverse(&column.pooled, column.stratum)? * &column.transition;
    let seen = &column.seen_shares;
    Ok(RawErrorPart {
        stratum: column.stratum,
        mean_rate,
        spread: column.rates.iter().map(|rate| (rate - mean_rate).abs()).fold(0.0, f64::max),
        // Scaling both sides of 1 by p̃ leaves it 1.
        dependence: largest_column_sum(&rescaled_less_one(seen, &relative, seen)),
        proxy_error: largest_column_sum(&rescaled_less_one(&column.shares, &column.transition, seen)),
    })
}

/// The error of a proxy for two groups and two classes, when its errors do not depend on the decision
/// (Corollary 3.3): the gap, times how often a guess is mistaken, added up over both guesses.
///
/// ```text
/// |Δ̃ − Δ| ≤ δ · (e₁ + e₂)          e₁ = P(A=0 | g=1),  e₂ = P(A=1 | g=0)
/// ```
/// The proxy shows `δ·|1 − e₁ − e₂|`. So this is an equality as long as `e₁ + e₂ ≤ 1`; a proxy that is wrong more
/// often than that shows the gap turned around, and its error is `δ·(2 − e₁ − e₂)`.
///
/// ```
/// # use fairveil_core::Criterion;
/// # use fairveil_core::bounds::{BinaryRawError, KnownProxy};
/// # use fairveil_core::noise::TransitionMatrix;
/// # use fairveil_core::rates::Shares;
/// # use fairveil_core::vocabulary::Class;
/// let rates = [vec![0.96, 0.04], vec![0.99, 0.01]];
/// let noise = TransitionMatrix::new(vec![vec![0.7, 0.3], vec![0.1, 0.9]])?;
/// let known = KnownProxy::non_differential(&Shares::new([0.5, 0.5]), &rates, &noise)?;
/// let error = BinaryRawError::of(&known, Criterion::DemographicParity, Class(1))?;
/// // Of 60 guessed 1, 15 are of group 0; of 40 guessed 0, 5 are of group 1. The gap is 0.03.
/// assert!((error.parts[0].mistaken[1] - 0.25).abs() < 1e-12);
/// assert!((error.parts[0].mistaken[0] - 0.125).abs() < 1e-12);
/// assert!((error.exact() - 0.03 * 0.375).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BinaryRawError {
    /// The disparity it is about.
    pub criterion: Criterion,
    /// One part; for equalized odds one for each label.
    pub parts: Vec<BinaryRawErrorPart>,
}

/// One gap of a [`BinaryRawError`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BinaryRawErrorPart {
    /// The positive prediction, and the label within which the gap is taken.
    pub stratum: Stratum,
    /// `δ`: the absolute gap between the groups.
    pub gap: f64,
    /// For each guess, how often it is wrong: `e₂` and `e₁`.
    pub mistaken: [f64; 2],
}

impl BinaryRawErrorPart {
    /// `e₁ + e₂`.
    pub fn mistakes(&self) -> f64 {
        self.mistaken.iter().sum()
    }
}

/// How far matrices of two strata may be apart and still count as one: rounding of shares.
const SAME_NOISE: f64 = 1e-9;

impl BinaryRawError {
    /// The error for a criterion. Refused where the proxy errs differently where decisions differ.
    pub fn of(known: &KnownProxy, criterion: Criterion, positive: Class) -> Result<Self, TheoremError> {
        known.binary()?;
        let mut parts = Vec::new();
        for column in known.columns(criterion, positive)?.into_iter().flatten() {
            let by = (&column.transition - &column.pooled).amax();
            if by > SAME_NOISE {
                return Err(TheoremError::Differential { stratum: column.stratum, by });
            }
            let wrong = |g: usize| column.shares[1 - g] * column.pooled[(1 - g, g)] / column.seen_shares[g];
            if column.stratum.prediction == positive {
                let gap = (column.rates[1] - column.rates[0]).abs();
                parts.push(BinaryRawErrorPart {
                    stratum: column.stratum,
                    gap,
                    mistaken: [wrong(0), wrong(1)],
                });
            }
        }
        Ok(BinaryRawError { criterion, parts })
    }

    /// The largest error that the corollary allows.
    pub fn bound(&self) -> f64 {
        self.mean(|part| part.gap * part.mistakes())
    }

    /// The error itself.
    pub fn exact(&self) -> f64 {
        self.mean(|part| part.gap * (1.0 - (1.0 - part.mistakes()).abs()))
    }

    /// With two classes both have the same gap; equalized odds is the mean over labels.
    fn mean(&self, number: impl Fn(&BinaryRawErrorPart) -> f64) -> f64 {
        let labels = self.criterion.spec().worst_of.len() as f64;
        self.parts.iter().map(number).sum::<f64>() / labels
    }
}
