//! Whether the proxies err alike along the score.
//!
//! Rows are cut into bins of the score. One matrix for all bins is compared with one for each,
//! ```text
//! statistic = 2·(Σ_b ℓ_b(T_b) − ℓ(T))          χ² with (bins − 1)·M·(M − 1) degrees of freedom if T is one
//! ```
//! A rule moves decisions along the score, so errors that change along it leave a true gap behind a calibrated gap of
//! zero. The test can not see errors that all proxies share.

use super::record::{DriftBin, DriftRecord};
use crate::counts::{Counts, View};
use crate::estimate::{Hoc, NoiseEstimator};
use crate::noise::NoiseModel;
use crate::uncertainty::draws::chi_square_tail;
use crate::uncertainty::intervals::Model;
use crate::vocabulary::{Class, Scope};

/// Compares the proxies' errors between bins of the score: the predictions of the tally are the bins, of which `bounds`
/// hold the lowest score, the highest and the rows. Says why where that can not be done.
pub fn drift(counts: &Counts, bounds: &[(f64, f64, u64)]) -> Result<DriftRecord, String> {
    let seen = counts.frequencies().view(View::Predictions).ok_or("there are no rows")?;
    let rows = counts.effective_rows();
    if seen.proxies() < 3 {
        return Err("fewer than three proxies show their errors only together with the strata".into());
    }
    let abstains = seen.cells().iter().any(|(cell, _)| cell.guesses.iter().any(Option::is_none));
    if abstains {
        return Err("proxies abstain, and the test needs a guess of every proxy on every row".into());
    }
    let none = "the proxies' errors can not be told in every bin of the score";
    let model = Model::of(&seen, View::Predictions, rows).ok_or(none)?;
    let own = model.own_noise(&seen, View::Predictions, rows).ok_or(none)?;
    let local = Hoc { scope: Scope::Local }.fit(&seen);
    let of_bin = |bin: usize| match &local {
        Ok(NoiseModel::Local(fits)) => {
            fits.iter().find(|(stratum, _)| stratum.prediction == Class(bin)).map(|(_, fit)| fit)
        }
        _ => None,
    };
    let bin = |(bin, (low, high, rows)): (usize, &(f64, f64, u64))| {
        let (transition, reason) = match of_bin(bin) {
            Some(Ok(fit)) => (Some(fit.value.transition.rows().to_vec()), None),
            Some(Err(error)) => (None, Some(error.describe(counts.legend()))),
            None => (None, Some(none.to_owned())),
        };
        DriftBin { low: *low, high: *high, rows: *rows, transition, reason }
    };
    Ok(DriftRecord {
        statistic: own.statistic,
        degrees_of_freedom: own.freedom,
        p_value: chi_square_tail(own.statistic, own.freedom),
        bins: bounds.iter().enumerate().map(bin).collect(),
        groups: counts.legend().groups.clone(),
    })
}
