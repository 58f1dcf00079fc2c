//! How far a calibrated disparity may be from the true one, and when it is nearer than a proxy's (paper,
//! Theorem 4.5 in its full version, and Corollary 4.7 corrected).
//!
//! ```text
//! |Δ̂ − Δ| ≤ 2/n Σ ‖Λ_p⁻¹‖₁ · ‖Λ_p H[:,k]‖_∞ · ε_k          ε = ‖Λ_p̂⁻¹Λ_p − 1‖₁·‖T T̂⁻¹‖₁ + ‖1 − T T̂⁻¹‖₁
//! ```
//! over the `n` columns that a criterion compares. The factor is 2, as the theorem says; the last line of its
//! proof has another 2, which is a slip: that of the pair of groups is already counted. With 2 the bound is
//! attained (see the tests), so 1 would be too small, and 4 would hold but is twice too large.

use super::known::{Belief, Column, KnownProxy, TheoremError, largest_column_sum};
use super::raw::BinaryRawError;
use crate::vocabulary::{Class, Criterion, Stratum};
use nalgebra::DMatrix;

/// The bound of Theorem 4.5, with its parts. It is about `Ĥ = Λ_p̂⁻¹ T̂⁻ᵀ Q`, divided by `P(y)` within a label; a
/// table from [`calibrate`](crate::calibrate::calibrate) is this with the shares of [`Belief::of`].
///
/// ```
/// # use fairveil_core::Criterion;
/// # use fairveil_core::bounds::{Belief, CalibratedErrorBound, KnownProxy};
/// # use fairveil_core::calibrate::unmix;
/// # use fairveil_core::noise::TransitionMatrix;
/// # use fairveil_core::rates::Shares;
/// # use fairveil_core::vocabulary::{Class, Group};
/// // No gap: half of either group is selected. The proxy is wrong for one in five; believed is another matrix.
/// let half = || Shares::new([0.5, 0.5]);
/// let rates = [vec![0.5, 0.5], vec![0.5, 0.5]];
/// let known = KnownProxy::non_differential(&half(), &rates, &TransitionMatrix::flips(0.2))?;
/// let believed = TransitionMatrix::new(vec![vec![0.86, 0.14], vec![0.26, 0.74]])?;
/// let belief = Belief::global(&believed, half(), 2);
/// let bound = CalibratedErrorBound::of(&known, &belief, Criterion::DemographicParity, Class(1))?;
/// // T·T̂⁻¹ = [[0.9, 0.1], [−0.1, 1.1]] differs from 1 by 0.2 in each column: 2 · (1/0.5) · 0.25 · 0.2.
/// assert!((bound.parts[1].epsilon() - 0.2).abs() < 1e-12);
/// assert!((bound.value() - 0.2).abs() < 1e-12);
/// // All of it: half of the people are selected and half of them guessed 0, 0.25 of all and 0.25 of all.
/// let selected = unmix(&Shares::new([0.25, 0.25]), &believed)?;
/// assert!(((selected[Group(0)] - selected[Group(1)]).abs() / 0.5 - 0.2).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CalibratedErrorBound {
    /// The disparity it is about.
    pub criterion: Criterion,
    /// What each column adds. A column that nobody is in adds nothing and is not listed.
    pub parts: Vec<CalibratedErrorPart>,
    /// How many columns the criterion compares (`n`).
    pub columns: usize,
}

/// What one column adds to a [`CalibratedErrorBound`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CalibratedErrorPart {
    /// Which column: a prediction, or a prediction among people with a label.
    pub stratum: Stratum,
    /// `‖Λ_p⁻¹‖₁ · ‖Λ_p H[:,k]‖_∞`: one over the smallest group's share, times the largest share of a group that
    /// has this prediction.
    pub exposure: f64,
    /// `‖Λ_p̂⁻¹Λ_p − 1‖₁`: how wrong the group shares are.
    pub share_error: f64,
    /// `‖T T̂⁻¹‖₁`: how much undoing the noise magnifies.
    pub stretch: f64,
    /// `‖1 − T T̂⁻¹‖₁`: how wrong the matrix is.
    pub noise_error: f64,
}

impl CalibratedErrorPart {
    /// `ε`: the error of the belief in this column.
    pub fn epsilon(&self) -> f64 {
        self.share_error * self.stretch + self.noise_error
    }
}

impl CalibratedErrorBound {
    /// The bound for a criterion.
    pub fn of(
        known: &KnownProxy,
        belief: &Belief,
        criterion: Criterion,
        positive: Class,
    ) -> Result<Self, TheoremError> {
        let columns = known.columns(criterion, positive)?;
        let part = |column: &Column| {
            let (shares, undo) = belief.about(column.stratum)?;
            let groups = column.shares.len();
            if shares.len() != groups || undo.nrows() != groups {
                return Err(TheoremError::NoBelief(column.stratum));
            }
            let left: DMatrix<f64> = &column.transition * undo;
            Ok(CalibratedErrorPart {
                stratum: column.stratum,
                exposure: exposure(column),
                share_error: column.shares.zip_map(&shares, |p, believed| p / believed - 1.0).amax(),
                stretch: largest_column_sum(&left),
                noise_error: largest_column_sum(&(DMatrix::identity(groups, groups) - left)),
            })
        };
        let parts = columns.iter().flatten().map(part).collect::<Result<_, _>>()?;
        Ok(CalibratedErrorBound { criterion, parts, columns: columns.len() })
    }

    /// The largest error that the theorem allows.
    pub fn value(&self) -> f64 {
        let sum: f64 = self.parts.iter().map(|part| part.exposure * part.epsilon()).sum();
        2.0 / self.columns as f64 * sum
    }

    /// It in two parts: of wrong group shares, and of a wrong matrix.
    pub fn split(&self) -> (f64, f64) {
        let sum = |part: fn(&CalibratedErrorPart) -> f64| {
            2.0 / self.columns as f64 * self.parts.iter().map(part).sum::<f64>()
        };
        (
            sum(|part| part.exposure * part.share_error * part.stretch),
            sum(|part| part.exposure * part.noise_error),
        )
    }

    /// The largest `ε` of a column: what [`CalibrationThreshold`] is about.
    pub fn largest_epsilon(&self) -> f64 {
        self.parts.iter().map(CalibratedErrorPart::epsilon).fold(0.0, f64::max)
    }
}

fn exposure(column: &Column) -> f64 {
    column.shares.component_mul(&column.rates).max() / column.shares.min()
}

/// How good a belief must be so that calibrating is sure to be no worse than reading the proxy (Corollary 4.7,
/// corrected). For two groups, two classes and errors that do not depend on the decision:
///
/// ```text
/// every ε_k ≤ γ = min(p)·Δ·(e₁+e₂) / Σ_k max_a p[a]·H[a,k]   ⟹   calibrated error ≤ raw error
/// ```
/// The printed corollary, for groups of equal size, takes the *largest* over `k` of
/// `(e₁+e₂) / (1 + (H[0,k]+H[1,k])/Δ)`. That is false. The smallest is right; `γ` above is never below it.
/// Where `e₁+e₂ > 1` the raw error is `Δ·(2−e₁−e₂)` and takes the place of `Δ·(e₁+e₂)`.
///
/// ```
/// # use fairveil_core::Criterion;
/// # use fairveil_core::bounds::{BinaryRawError, CalibrationThreshold, KnownProxy};
/// # use fairveil_core::noise::TransitionMatrix;
/// # use fairveil_core::rates::Shares;
/// # use fairveil_core::vocabulary::Class;
/// let rates = [vec![0.96, 0.04], vec![0.99, 0.01]];
/// let noise = TransitionMatrix::new(vec![vec![0.7, 0.3], vec![0.1, 0.9]])?;
/// let known = KnownProxy::non_differential(&Shares::new([0.5, 0.5]), &rates, &noise)?;
/// let threshold = CalibrationThreshold::of(&known, Criterion::DemographicParity, Class(1))?;
/// // Δ = 0.03 and e₁+e₂ = 0.375 (see BinaryRawError); Σ_k max p·H = 0.5·0.99 + 0.5·0.04.
/// assert!((threshold.gamma - 0.5 * 0.03 * 0.375 / 0.515).abs() < 1e-12);
/// let [others, selected] = threshold.by_class.unwrap();
/// assert!((others - 0.375 / 66.0).abs() < 1e-12 && (selected - 0.375 / (1.0 + 5.0 / 3.0)).abs() < 1e-12);
/// assert!(threshold.smallest() < Some(threshold.gamma) && Some(threshold.gamma) < threshold.as_printed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CalibrationThreshold {
    /// The disparity it is about. The paper has demographic parity; the same argument serves the others.
    pub criterion: Criterion,
    /// `γ`: calibration is no worse as long as no `ε` exceeds it.
    pub gamma: f64,
    /// The paper's expression for each class, for demographic parity, groups of equal size and `e₁+e₂ ≤ 1`.
    pub by_class: Option<[f64; 2]>,
}

impl CalibrationThreshold {
    /// The threshold for a criterion.
    pub fn of(known: &KnownProxy, criterion: Criterion, positive: Class) -> Result<Self, TheoremError> {
        let raw = BinaryRawError::of(known, criterion, positive)?;
        let columns = known.columns(criterion, positive)?;
        // Theorem 4.5 with ε = 1: twice the mean exposure.
        let exposed: f64 = columns.iter().flatten().map(exposure).sum();
        let gamma = raw.exact() / (2.0 / columns.len() as f64 * exposed);
        let by_class = match (criterion, &raw.parts[..], &columns[..]) {
            (Criterion::DemographicParity, [part], [Some(first), Some(second)])
                if (first.shares[0] - 0.5).abs() < 1e-9 && part.mistakes() <= 1.0 && part.gap > 0.0 =>
            {
                let printed = |column: &Column| part.mistakes() / (1.0 + column.rates.sum() / part.gap);
                Some([printed(first), printed(second)])
            }
            _ => None,
        };
        Ok(CalibrationThreshold { criterion, gamma, by_class })
    }

    /// The smallest over the classes: what the printed corollary should say.
    pub fn smallest(&self) -> Option<f64> {
        self.by_class.map(|[a, b]| a.min(b))
    }

    /// The largest over the classes: what the printed corollary says. **Not a guarantee**; here so that it can be
    /// shown to fail.
    pub fn as_printed(&self) -> Option<f64> {
        self.by_class.map(|[a, b]| a.max(b))
    }
}
