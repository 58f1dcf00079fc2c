//! Exact HOC: error rates from first, second and third moments of proxies that err independently and alike.
//!
//! For two groups the equations have a closed form. With `m₁ = P(g=1)`, `m₂ = P(gᵢ=gⱼ=1)` and
//! `m₃ = P(gᵢ=gⱼ=g_l=1)`, the numbers `u₀ = P(g=1|A=0)` and `u₁ = P(g=1|A=1)` are the roots of `x² − bx + c`:
//! ```text
//! b = (m₃ − m₁m₂) / (m₂ − m₁²)      c = b·m₁ − m₂      p₁ = (m₁ − u₀) / (u₁ − u₀)
//! ```
//! For more groups the moments are matched by a deterministic solver (`solver.rs`). Only rows with three guesses
//! take part; see `moments.rs` for why abstentions do no harm.
//!
//! Assumes that, given the group, the proxies err independently of each other and with one `T`. With three
//! two-valued proxies nothing in the data can show whether that is so. Refuses to clip: where no probabilities
//! solve the equations, that is the answer.
//!
//! Guesses that a known mechanism `R` randomised are undone in the moments, and the matrix that comes out is `T·R`.

use super::moments::Moments;
use super::solver;
use super::{Explained, NoiseEstimator, Offer, Offered, Place};
use crate::calibrate::calibrate;
use crate::counts::{Cell, Counts, Frequencies};
use crate::linalg::best_assignment;
use crate::noise::{Fit, NoiseError, NoiseModel, ProxyNoise, Stopped};
use crate::privacy::Told;
use crate::rates::Shares;
use crate::uncertainty::checks::{WEAK, informativeness};
use crate::uncertainty::effective::repeated_pairs;
use crate::vocabulary::{Estimator, Group, Guess, Scope};
use nalgebra::DMatrix;
use std::sync::Arc;

/// The estimator of the paper, solved exactly.
///
/// ```
/// # use fairveil_core::{Scope, World};
/// # use fairveil_core::estimate::{Hoc, NoiseEstimator};
/// # use fairveil_core::noise::{NoiseError, NoiseModel};
/// # use fairveil_core::vocabulary::{Group, Guess};
/// // Three proxies, wrong for one in five, on two groups of equal size.
/// let seen = World::symmetric(2, 2, &[0.8, 0.8, 0.8], 0.3).frequencies();
/// let NoiseModel::Global(fit) = Hoc { scope: Scope::Global }.fit(&seen)? else { unreachable!() };
/// assert!((fit.value.transition[(Group(0), Guess(1))] - 0.2).abs() < 1e-12);
/// assert!((fit.value.group_shares[Group(0)] - 0.5).abs() < 1e-12);
/// # Ok::<(), NoiseError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hoc {
    /// One matrix for all strata, or one for each.
    pub scope: Scope,
}

impl Hoc {
    /// One matrix for all rows, unless the proxies say too little for the size of the table.
    pub(crate) fn of_all_rows(counts: &Counts) -> Result<NoiseModel, NoiseError> {
        let seen = counts.frequencies();
        // Asked first: what noise does to the equations is no finding about the proxies.
        let rows = counts.effective_rows() / repeated_pairs(counts);
        match informativeness(seen.groups(), seen.cells(), rows) {
            Some(z) if z < WEAK && seen.proxies() >= Hoc::PROXIES => Err(NoiseError::TooWeak { z }),
            _ => Hoc { scope: Scope::Global }.fit(&seen),
        }
    }

    pub(super) fn offers(table: &Offered) -> Vec<Offer> {
        let Offered { seen, view, rows, .. } = *table;
        let local = Hoc { scope: Scope::Local }.fit(seen).map(|noise| only_strong(noise, seen, rows));
        let offer = |scope, model: Result<NoiseModel, NoiseError>| -> Offer {
            let undone = |noise: NoiseModel| Explained { joint: calibrate(seen, view, &noise), noise };
            (Arc::new(Hoc { scope }), model.map(undone))
        };
        vec![offer(Scope::Global, table.by_moments.clone()), offer(Scope::Local, local)]
    }

    /// How many proxies are compared at a time.
    pub const PROXIES: usize = 3;
    /// Past this the solver takes long and real tables no longer identify the rows of `T`.
    pub const MAX_GROUPS: usize = 10;
}

/// Below this the smallest singular value of `T` is rounding: nothing can be undone.
const SINGULAR: f64 = 1e-7;
/// A share below this is the solver's way to say that a group is not needed.
const VANISHED: f64 = 1e-7;
/// How far outside `[0, 1]` rounding alone can push the root of an exactly solvable table.
const ROUNDING: f64 = 1e-9;
/// Covariances and discriminants below this cannot be told from zero after rounding.
const NOTHING: f64 = 1e-13;

/// A local model without the strata in which the proxies say too little.
fn only_strong(noise: NoiseModel, seen: &Frequencies, rows: f64) -> NoiseModel {
    let NoiseModel::Local(mut fits) = noise else { return noise };
    for (stratum, cells) in seen.strata() {
        let share: f64 = cells.iter().map(|(_, share)| share).sum();
        let weak = informativeness(seen.groups(), cells, rows * share).filter(|z| *z < WEAK);
        if let (Some(fit), Some(z)) = (fits.get_mut(&stratum), weak) {
            *fit = Err(NoiseError::TooWeak { z });
        }
    }
    NoiseModel::Local(fits)
}

impl NoiseEstimator for Hoc {
    fn kind(&self) -> Estimator {
        Estimator::Hoc
    }

    fn scope(&self) -> Scope {
        self.scope
    }

    fn learns_from_all_rows(&self) -> bool {
        self.scope == Scope::Global
    }

    fn trusts_agreement(&self) -> bool {
        true
    }

    fn in_likelihood(&self) -> Option<Place> {
        (self.scope == Scope::Global).then_some(Place::Beside)
    }

    fn fit(&self, seen: &Frequencies) -> Result<NoiseModel, NoiseError> {
        if seen.proxies() < Hoc::PROXIES {
            let found = seen.proxies();
            return Err(NoiseError::TooFewProxies { method: Estimator::Hoc, needed: Hoc::PROXIES, found });
        }
        if seen.groups() > Hoc::MAX_GROUPS {
            return Err(NoiseError::TooManyGroups { found: seen.groups(), limit: Hoc::MAX_GROUPS });
        }
        let fit = |cells: &[(Cell, f64)]| match Moments::of(seen.groups(), cells, &seen.told) {
            Some(moments) => fit_moments(&moments, &seen.told, seen.proxies()),
            None => Err(NoiseError::NoTriples),
        };
        match self.scope {
            Scope::Global => fit(seen.cells()).map(NoiseModel::Global),
            Scope::Local => {
                let fits = seen.strata().map(|(stratum, cells)| (stratum, fit(cells)));
                Ok(NoiseModel::Local(fits.collect()))
            }
        }
    }
}

fn fit_moments(moments: &Moments, told: &Told, proxies: usize) -> Result<Fit<ProxyNoise>, NoiseError> {
    let fit = match moments.groups {
        2 => closed_form(moments, told, proxies)?,
        _ => {
            let fit = named(&solver::match_moments(moments));
            let (rows, shares) = (fit.value.transition.rows().to_vec(), fit.value.group_shares.clone());
            if told.is_nothing() {
                fit
            } else {
                Fit { value: ProxyNoise::folded(vec![rows], shares, told, proxies)?, ..fit }
            }
        }
    };
    let (_, smallest) = fit.value.transition.singular_range();
    if smallest < SINGULAR {
        return Err(NoiseError::Singular { smallest });
    }
    let shares = fit.value.group_shares.as_slice().iter().enumerate();
    match shares.min_by(|a, b| a.1.total_cmp(b.1)) {
        Some((group, &share)) if share < VANISHED => Err(NoiseError::VanishingGroup { group, share }),
        _ => Ok(fit),
    }
}

fn closed_form(moments: &Moments, told: &Told, proxies: usize) -> Result<Fit<ProxyNoise>, NoiseError> {
    let (m1, m2, m3) = (moments.first[1], moments.pair(1, 1), moments.triple(1, 1, 1));
    let covariance = m2 - m1 * m1;
    if covariance <= NOTHING {
        return Err(NoiseError::NoAgreement { covariance });
    }
    let b = (m3 - m1 * m2) / covariance;
    let c = b * m1 - m2;
    let discriminant = b * b - 4.0 * c;
    if discriminant <= NOTHING {
        return Err(NoiseError::NoRealSolution { discriminant });
    }
    let root = discriminant.sqrt();
    let (u0, u1) = ((b - root) / 2.0, (b + root) / 2.0);
    // What was told must be possible. That the guesses before were is asked of the proxies, not of chance, which
    // randomising magnifies: a finding says where they were not.
    let (u0, u1) =
        if told.is_nothing() { (probability(u0, Group(0))?, probability(u1, Group(1))?) } else { (u0, u1) };
    let p1 = (m1 - u0) / (u1 - u0);
    let (rows, shares) = (vec![vec![1.0 - u0, u0], vec![1.0 - u1, u1]], Shares::new([1.0 - p1, p1]));
    let value = ProxyNoise::folded(vec![rows], shares, told, proxies)?;
    Ok(Fit { value, misfit: 0.0, stopped: Stopped::ClosedForm })
}

/// A root that is a probability up to rounding, as one.
fn probability(root: f64, group: Group) -> Result<f64, NoiseError> {
    if (-ROUNDING..=1.0 + ROUNDING).contains(&root) {
        return Ok(root.clamp(0.0, 1.0));
    }
    Err(NoiseError::OutsideUnit { group: group.0, guess: Guess(1).0, value: root })
}

/// Names the latent classes: each group is the class that guesses it most, all together (Requirement 4.2).
fn named(fit: &Fit<ProxyNoise>) -> Fit<ProxyNoise> {
    let rows = fit.value.transition.rows();
    let groups = rows.len();
    let class_of = best_assignment(&DMatrix::from_fn(groups, groups, |class, guess| rows[class][guess]));
    let shares = fit.value.group_shares.as_slice();
    let value = ProxyNoise {
        transition: fit.value.transition.with_rows(&class_of),
        by_proxy: Vec::new(),
        group_shares: Shares::new(class_of.iter().map(|&class| shares[class]).collect::<Vec<_>>()),
        unrandomized: Vec::new(),
    };
    Fit { value, misfit: fit.misfit, stopped: fit.stopped }
}
