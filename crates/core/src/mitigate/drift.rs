//! Whether the proxies err alike along the score.
//!
//! Rows are cut into bins of the score. One matrix for all bins is compared with one for each, by maximum likelihood of latent
//! classes,
//! ```text
//! statistic = 2·(Σ_b ℓ_b(T_b) − ℓ(T))          χ² with (bins − 1)·M·(M − 1) degrees of freedom if T is one
//! ```
//! Where the proxies clearly err in different ways each has a matrix of its own (and as many times the degrees of freedom):
//! one for all would not fit any bin, and look like drift. A rule moves decisions along the score, so errors that change along
//! it leave a true gap behind a calibrated gap of zero. The test cannot see errors that all proxies share.

use super::record::{DriftBin, DriftRecord};
use crate::counts::{Counts, View};
use crate::diagnose::SIGNIFICANT;
use crate::estimate::{Errors, LatentClass, NoiseEstimator};
use crate::noise::NoiseModel;
use crate::uncertainty::Interval;
use crate::uncertainty::checks::exchangeability;
use crate::uncertainty::draws::chi_square_tail;
use crate::vocabulary::{Class, Scope};

/// Rows with neighbouring scores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreBin {
    /// From the lowest score to the highest.
    pub scores: Interval,
    /// How many rows.
    pub rows: u64,
}

/// Compares the proxies' errors between bins of the score: the predictions of the tally are the bins. Says why where that
/// cannot be done.
pub fn drift(counts: &Counts, bins: &[ScoreBin]) -> Result<DriftRecord, String> {
    let seen = counts.frequencies().view(View::Predictions).ok_or("there are no rows")?;
    let rows = counts.effective_rows();
    if seen.proxies() < 3 {
        return Err("fewer than three proxies show their errors only together with the strata".into());
    }
    let abstains = seen.cells().iter().any(|(cell, _)| cell.guesses.iter().any(Option::is_none));
    if abstains {
        return Err("proxies abstain, and the test needs a guess of every proxy on every row".into());
    }
    let none = "the proxies' errors cannot be estimated in every bin of the score";
    let unequal = exchangeability(&seen, rows).is_some_and(|(_, _, p_value)| p_value < SIGNIFICANT);
    let errors = if unequal { Errors::Own } else { Errors::Alike };
    let fitted = |scope| LatentClass { scope, errors }.fit(&seen);
    let Ok(NoiseModel::Global(one)) = fitted(Scope::Global) else { return Err(none.into()) };
    let local = fitted(Scope::Local);
    let mut apart = 0.0;
    for (stratum, cells) in seen.strata() {
        let share: f64 = cells.iter().map(|(_, share)| share).sum();
        let fit = match &local {
            Ok(NoiseModel::Local(fits)) => fits.get(&stratum).and_then(|fit| fit.as_ref().ok()),
            _ => None,
        };
        apart += share * fit.ok_or(none)?.misfit;
    }
    let matrices = if unequal { seen.proxies() } else { 1 };
    let freedom = (seen.strata().count().max(1) - 1) * matrices * seen.groups() * (seen.groups() - 1);
    if freedom == 0 {
        return Err(none.into());
    }
    let statistic = (rows * (one.misfit - apart)).max(0.0);
    let of_bin = |bin: usize| match &local {
        Ok(NoiseModel::Local(fits)) => {
            fits.iter().find(|(stratum, _)| stratum.prediction == Class(bin)).map(|(_, fit)| fit)
        }
        _ => None,
    };
    let of_scores = |(bin, ScoreBin { scores, rows }): (usize, &ScoreBin)| {
        let (transition, reason) = match of_bin(bin) {
            Some(Ok(fit)) => (Some(fit.value.transition.rows().to_vec()), None),
            Some(Err(error)) => (None, Some(error.describe(counts.legend()))),
            None => (None, Some(none.to_owned())),
        };
        DriftBin { low: scores.low, high: scores.high, rows: *rows, transition, reason }
    };
    Ok(DriftRecord {
        statistic,
        degrees_of_freedom: freedom,
        p_value: chi_square_tail(statistic, freedom),
        bins: bins.iter().enumerate().map(of_scores).collect(),
        groups: counts.legend().groups.clone(),
    })
}
