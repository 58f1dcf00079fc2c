//! Latent class: the error rates and the joint table that make the counted table most likely.
//!
//! ```text
//! P(s, g₁ … g_C) = Σₐ J[a,s] · Π_c T_c[a, g_c]          one T for all proxies, or one for each
//! ```
//! Assumes that, given the group, the proxies err independently of each other, or those of different sources do
//! ([`by_source`](super::by_source)), and in all strata alike (global scope) or in each in a way of its own (local). Takes proxies that abstain, any number of them from three on, and two
//! where strata differ in their mix of groups (Hui and Walter 1980). Uses more of the table than moments do, so it is
//! steadier where proxies are weak, and more misled where strata err differently.
//!
//! The joint table is part of the estimate, so no share is ever negative: what moments would call impossible shows
//! as a probability at 0.

use super::mixture::{Errors, Fitted, KnownRows, Mixture, PASSES, Point};
use super::{Explained, NoiseEstimator, Offer, Offered, Place};
use crate::counts::{Frequencies, View};
use crate::linalg::best_assignment;
use crate::noise::{Fit, NoiseError, NoiseModel, ProxyNoise, TransitionMatrix};
use crate::rates::{Joint, Shares};
use crate::uncertainty::checks::{WEAK, informativeness, informativeness_between, strata_differ};
use crate::uncertainty::likelihood::affordable_beside;
use crate::vocabulary::{Estimator, Group, Guess, Scope, Stratum};
use nalgebra::DMatrix;
use std::sync::Arc;

/// Maximum likelihood of proxies that err independently.
///
/// ```
/// # use fairveil_core::{Scope, World};
/// # use fairveil_core::estimate::{Errors, LatentClass, NoiseEstimator};
/// # use fairveil_core::noise::{NoiseError, NoiseModel};
/// # use fairveil_core::vocabulary::{Group, Guess};
/// // Two proxies suffice where the strata differ in their mix of groups.
/// let seen = World::symmetric(2, 2, &[0.8, 0.7], 0.3).frequencies();
/// let latent = LatentClass { scope: Scope::Global, errors: Errors::Own };
/// let NoiseModel::Global(fit) = latent.fit(&seen)? else { unreachable!() };
/// assert!((fit.value.by_proxy[1][(Group(0), Guess(0))] - 0.7).abs() < 1e-4);
/// # Ok::<(), NoiseError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LatentClass {
    /// One set of errors for all strata, or one for each.
    pub scope: Scope,
    /// One matrix for all proxies, one for each, or one for each source.
    pub errors: Errors,
}

/// A pass that moves no probability by more than this is the last.
const TOLERANCE: f64 = 1e-11;
/// The same for draws, whose spread is far larger.
const QUICK: f64 = 1e-5;
/// Passes after which the best of several starts shows.
const SHORT: usize = 60;
/// Below this the smallest singular value of `T` is rounding.
const SINGULAR: f64 = 1e-6;

impl LatentClass {
    fn check(&self, seen: &Frequencies) -> Result<(), NoiseError> {
        let views = if self.errors == Errors::BySource { seen.sources.views() } else { seen.proxies() };
        let (found, method) = (views, Estimator::LatentClass);
        let strata = seen.strata().count();
        let needed = if self.scope == Scope::Global && strata > 1 { 2 } else { 3 };
        if found < needed {
            return Err(NoiseError::TooFewProxies { method, needed, found });
        }
        if seen.groups() > Self::MAX_GROUPS {
            return Err(NoiseError::TooManyGroups { found: seen.groups(), limit: Self::MAX_GROUPS });
        }
        Ok(())
    }
}

impl LatentClass {
    /// Past this a table of real size no longer identifies the rows of `T`.
    pub const MAX_GROUPS: usize = 12;

    /// Both explanations of proxies that err independently, by one matrix and each by its own, the one that BIC prefers
    /// first: whichever that is, the other may be nearer to the truth where proxies share mistakes. Where some declare one
    /// source neither is one: sources that err independently are, unless they leave their errors open.
    pub(super) fn offers(table: &Offered) -> Vec<Offer> {
        let by_source = LatentClass::by_source(table).map(|explained| {
            let sources = LatentClass { scope: Scope::Global, errors: Errors::BySource };
            (Arc::new(sources) as Arc<dyn NoiseEstimator>, explained)
        });
        let local = |errors| {
            let asked = table.settings.estimator.fixed() == Some(Estimator::LatentClass);
            table.by(asked.then_some(LatentClass { scope: Scope::Local, errors }))
        };
        if let Some((_, Ok(_) | Err(NoiseError::TooWeak { .. }))) = by_source {
            return by_source.into_iter().chain(local(Errors::BySource)).collect();
        }
        let (errors, explained) = LatentClass::preferred(table.seen, table.view, table.rows);
        let (preferred, identified) = (LatentClass { scope: Scope::Global, errors }, explained.is_ok());
        let mut offers: Vec<Offer> = vec![(Arc::new(preferred), explained)];
        let other = if errors == Errors::Own { Errors::Alike } else { Errors::Own };
        let three = table.seen.proxies() >= 3 || errors == Errors::Own;
        if identified && three && affordable_beside(table.seen, other) {
            let errors = other;
            offers.extend(table.by(Some(LatentClass { scope: Scope::Global, errors })));
        }
        // Why sources say nothing is told beside what is said without them.
        offers.extend(by_source);
        offers.extend(local(errors));
        offers
    }

    /// Sources that err independently, whatever mistakes the proxies of one share. Nothing where no two proxies declare one
    /// source or all do, or where guesses were randomised: then what a source says is not what its proxies guessed. Refused
    /// where the sources say too little together, or two of them leave their errors open.
    fn by_source(&Offered { seen, view, rows, .. }: &Offered) -> Option<Result<Explained, NoiseError>> {
        if !(seen.sources.are_shared() && seen.sources.views() > 1 && seen.told.is_nothing()) {
            return None;
        }
        if let Some(z) = informativeness_between(seen, rows).filter(|z| *z < WEAK) {
            return Some(Err(NoiseError::TooWeak { z }));
        }
        if seen.sources.views() == 2 {
            let statistic = strata_differ(seen, rows);
            if statistic < WEAK * WEAK {
                return Some(Err(NoiseError::StrataAlike { statistic }));
            }
        }
        Some(LatentClass { scope: Scope::Global, errors: Errors::BySource }.explain(seen, view))
    }

    /// Proxies that err alike or, where that gains more than the extra parameters cost (BIC), each in its own way. Refused
    /// where the proxies say too little for the size of the table.
    pub(crate) fn preferred(
        seen: &Frequencies,
        view: View,
        rows: f64,
    ) -> (Errors, Result<Explained, NoiseError>) {
        if seen.proxies() > 1
            && let Some(z) = informativeness(seen.groups(), seen.cells(), rows).filter(|z| *z < WEAK)
        {
            return (Errors::Alike, Err(NoiseError::TooWeak { z }));
        }
        if seen.proxies() == 2 {
            // Strata that do not differ leave the errors of two proxies open.
            let statistic = strata_differ(seen, rows);
            if statistic < WEAK * WEAK {
                return (Errors::Alike, Err(NoiseError::StrataAlike { statistic }));
            }
        }
        let explain = |errors| LatentClass { scope: Scope::Global, errors }.explain(seen, view);
        let misfit = |explained: &Explained| match &explained.noise {
            NoiseModel::Global(fit) => rows * fit.misfit,
            NoiseModel::Local(_) => f64::INFINITY,
        };
        let alike = explain(Errors::Alike);
        let Ok(found) = &alike else { return (Errors::Alike, alike) };
        let extra = seen.groups() * (seen.groups() - 1) * (seen.proxies() - 1);
        let price = extra as f64 * rows.ln();
        // Nothing can gain more than a table without any model.
        if misfit(found) > price
            && let Ok(own) = explain(Errors::Own)
            && misfit(found) - misfit(&own) > price
        {
            return (Errors::Own, Ok(own));
        }
        (Errors::Alike, alike)
    }
}

impl NoiseEstimator for LatentClass {
    fn kind(&self) -> Estimator {
        Estimator::LatentClass
    }

    fn fit(&self, seen: &Frequencies) -> Result<NoiseModel, NoiseError> {
        self.explain(seen, View::Labelled).map(|explained| explained.noise)
    }

    fn explain(&self, seen: &Frequencies, view: View) -> Result<Explained, NoiseError> {
        self.check(seen)?;
        self.climb_from(seen, view, TOLERANCE, starts)
    }

    fn scope(&self) -> Scope {
        self.scope
    }

    fn trusts_agreement(&self) -> bool {
        true
    }

    fn errors(&self) -> Option<Errors> {
        Some(self.errors)
    }

    fn in_likelihood(&self) -> Option<Place> {
        (self.scope == Scope::Global && self.errors == Errors::Alike).then_some(Place::Top)
    }

    fn again(&self, seen: &Frequencies, view: View, near: &Explained) -> Option<Joint<Group>> {
        let start = |mixture: &Mixture, _: &Frequencies| {
            let strata = mixture.strata();
            let share = |s: usize, a: usize| {
                let Stratum { label, prediction } = strata[s];
                near.joint.cell(Group(a), label, prediction).unwrap_or(0.0).max(1e-6)
            };
            let answer = |c: usize, a: usize, v: usize| {
                let Some(noise) = near.noise.of(strata[0]) else { return 1.0 };
                let before = noise.unrandomized.get(c).or(noise.unrandomized.first());
                let matrix = noise.by_proxy.get(c).unwrap_or(&noise.transition);
                before.map_or(matrix[(Group(a), Guess(v))], |rows| rows[a][v]).max(1e-6)
            };
            vec![mixture.start(share, answer)]
        };
        self.climb_from(seen, view, QUICK, start).ok().map(|explained| explained.joint)
    }
}

impl LatentClass {
    fn climb_from(
        &self,
        seen: &Frequencies,
        view: View,
        tolerance: f64,
        starts: impl Fn(&Mixture, &Frequencies) -> Vec<Point>,
    ) -> Result<Explained, NoiseError> {
        let solve = |seen: &Frequencies| {
            let mixture = Mixture::new(seen, &KnownRows::new(), self.errors);
            let fitted = best(&mixture, &starts(&mixture, seen), tolerance);
            noise_of(&mixture, &fitted, seen)
                .map(|fit| (fit, mixture.strata().to_vec(), fitted.joint(&mixture)))
        };
        if self.scope == Scope::Global {
            let (fit, strata, joint) = solve(seen)?;
            let cells =
                strata.into_iter().zip(joint).map(|(stratum, shares)| (stratum, Some(Shares::new(shares))));
            let joint = Joint::new(view, seen.classes(), seen.groups(), cells);
            return Ok(Explained { noise: NoiseModel::Global(fit), joint });
        }
        let mut fits = std::collections::BTreeMap::new();
        let mut cells = Vec::new();
        for (stratum, of_stratum) in seen.strata() {
            let share: f64 = of_stratum.iter().map(|(_, share)| share).sum();
            let solved = solve(&seen.only(of_stratum, share));
            let scaled =
                |joint: &Vec<Vec<f64>>| Shares::new(joint[0].iter().map(|p| p * share).collect::<Vec<_>>());
            cells.push((stratum, solved.as_ref().ok().map(|(_, _, joint)| scaled(joint))));
            fits.insert(stratum, solved.map(|(fit, _, _)| fit));
        }
        let joint = Joint::new(view, seen.classes(), seen.groups(), cells);
        Ok(Explained { noise: NoiseModel::Local(fits), joint })
    }
}

/// The best of several deterministic starts, each followed a little way, its classes named by the largest trace of
/// the mean matrix.
fn best(mixture: &Mixture, starts: &[Point], tolerance: f64) -> Fitted {
    let better = |a: &Fitted, b: &Fitted| a.log_likelihood.total_cmp(&b.log_likelihood);
    let first = match starts {
        [only] => only.clone(),
        _ => {
            let tried = starts.iter().map(|start| mixture.climb(start, tolerance, SHORT)).max_by(better);
            // infallible: there is always a start
            tried.map_or_else(|| starts[0].clone(), |fitted| fitted.point)
        }
    };
    let best = mixture.climb(&first, tolerance, PASSES);
    let mean = mean_matrix(&best.matrices(mixture));
    let class_of = best_assignment(&DMatrix::from_fn(mean.len(), mean.len(), |a, g| mean[a][g]));
    best.reordered(mixture, &class_of)
}

/// Diagonal-dominant errors of three strengths; the mix of groups by the votes of the proxies.
fn starts(mixture: &Mixture, seen: &Frequencies) -> Vec<Point> {
    let groups = seen.groups();
    let mut votes = vec![vec![1e-3; groups]; mixture.strata().len()];
    let mut all = vec![1e-3; groups];
    for (cell, share) in seen.cells() {
        let place = mixture.strata().binary_search(&cell.stratum).unwrap_or_default();
        for Guess(v) in cell.guesses.iter().flatten() {
            votes[place][*v] += share;
            all[*v] += share;
        }
    }
    let total: f64 = all.iter().sum();
    let start = |right: &f64| {
        let answer =
            |_: usize, a: usize, v: usize| (1.0 - right) * all[v] / total + if a == v { *right } else { 0.0 };
        mixture.start(|s, a| votes[s][a], answer)
    };
    [0.3, 0.6, 0.85].iter().map(start).collect()
}

pub(super) fn mean_matrix(matrices: &[Vec<Vec<f64>>]) -> Vec<Vec<f64>> {
    let groups = matrices[0].len();
    let mean = |a: usize, g: usize| matrices.iter().map(|t| t[a][g]).sum::<f64>() / matrices.len() as f64;
    (0..groups).map(|a| (0..groups).map(|g| mean(a, g)).collect()).collect()
}

/// A fitted mixture as a noise model. Its misfit is the deviance of a row: twice the log-likelihood that a table
/// without any model has more.
pub(super) fn noise_of(
    mixture: &Mixture,
    fitted: &Fitted,
    seen: &Frequencies,
) -> Result<Fit<ProxyNoise>, NoiseError> {
    let matrices = fitted.matrices(mixture);
    let joint = fitted.joint(mixture);
    let shares: Vec<f64> = (0..seen.groups()).map(|a| joint.iter().map(|stratum| stratum[a]).sum()).collect();
    if let Some((group, share)) = shares.iter().copied().enumerate().find(|(_, share)| *share < SINGULAR) {
        return Err(NoiseError::VanishingGroup { group, share });
    }
    let saturated: f64 = seen.cells().iter().map(|(_, share)| share * share.ln()).sum();
    let alike = matrices.iter().all(|t| *t == matrices[0]);
    let rows = if alike { matrices[..1].to_vec() } else { matrices };
    let value = match mixture.errors() {
        // What labels and sources taught is about what was told.
        Errors::Free | Errors::BySource => {
            let mean = TransitionMatrix::from_distributions(mean_matrix(&rows));
            let own = rows.into_iter().map(TransitionMatrix::from_distributions).collect();
            let by_proxy = if alike { Vec::new() } else { own };
            let group_shares = Shares::new(shares);
            ProxyNoise { transition: mean, by_proxy, group_shares, unrandomized: Vec::new() }
        }
        _ => ProxyNoise::folded(rows, Shares::new(shares), &seen.told, seen.proxies())?,
    };
    let (_, smallest) = value.transition.singular_range();
    if smallest < SINGULAR {
        return Err(NoiseError::Singular { smallest });
    }
    let misfit = (2.0 * (saturated - fitted.log_likelihood)).max(0.0);
    Ok(Fit { value, misfit, stopped: fitted.stopped })
}
