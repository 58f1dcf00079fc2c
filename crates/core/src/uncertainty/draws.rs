//! From draws of the group rates to intervals.
//!
//! Absolute gaps pile up at zero, so their percentiles never cover a true zero. Intervals are therefore made of
//! *signed* differences and projected. For one difference `d` between two groups the ends of its interval are
//! folded. For a mean or a maximum over several differences the **gated** rule (`docs/methods/uncertainty.md`): the lower end is 0
//! when a χ² test accepts "all groups alike", otherwise the lower percentile less twice the bias that folding
//! brings; the upper end is the upper percentile.
//!
//! A draw without an estimate is kept: it counts as the smallest value for lower ends and the largest for upper
//! ends, so that tables that often have no estimate have wide intervals.

use super::interval::Interval;
use nalgebra::{DMatrix, DVector};
use statrs::function::beta::checked_beta_reg;
use statrs::function::gamma::checked_gamma_ur;

/// The upper tail of χ² with `freedom` degrees of freedom.
pub(crate) fn chi_square_tail(statistic: f64, freedom: usize) -> f64 {
    if statistic > 0.0 {
        // A statistic without end leaves no tail.
        checked_gamma_ur(freedom as f64 / 2.0, statistic / 2.0).unwrap_or(0.0)
    } else {
        1.0
    }
}

/// The chance that `freedom · F` exceeds a statistic, `F` having so many degrees of freedom above and `residual` below.
pub(crate) fn f_tail(statistic: f64, freedom: usize, residual: f64) -> f64 {
    if statistic > 0.0 {
        checked_beta_reg(residual / 2.0, freedom as f64 / 2.0, residual / (residual + statistic))
            .unwrap_or(1.0)
    } else {
        1.0
    }
}

/// The value that χ² with one degree of freedom exceeds with probability `1 − confidence`.
pub(crate) fn chi_square_one(confidence: f64) -> f64 {
    let z = normal_quantile(confidence);
    z * z
}

/// The `z` with `P(|Z| ≤ z) = confidence` for a standard normal `Z`.
pub fn normal_quantile(confidence: f64) -> f64 {
    std::f64::consts::SQRT_2 * statrs::function::erf::erf_inv(confidence)
}

/// The `share` quantile of numbers (nearest rank, rounded outwards by `upper`); puts them in another order.
fn quantile(numbers: &mut [f64], share: f64, upper: bool) -> f64 {
    let last = numbers.len() - 1;
    let place = share * last as f64;
    let place = if upper { place.ceil() } else { place.floor() };
    *numbers.select_nth_unstable_by((place.max(0.0) as usize).min(last), f64::total_cmp).1
}

/// Percentile ends of a signed quantity that lies within `bounds`.
pub(crate) fn percentile(draws: &[Option<f64>], confidence: f64, bounds: Interval) -> Interval {
    let tail = (1.0 - confidence) / 2.0;
    let all = |missing: f64| draws.iter().map(|draw| draw.unwrap_or(missing)).collect::<Vec<f64>>();
    Interval {
        low: quantile(&mut all(bounds.low), tail, false).clamp(bounds.low, bounds.high),
        high: quantile(&mut all(bounds.high), 1.0 - tail, true).clamp(bounds.low, bounds.high),
    }
}

/// Interval of `|d|` from those of `d`.
pub(crate) fn folded(signed: Interval) -> Interval {
    let (low, high) = (signed.low.abs(), signed.high.abs());
    if signed.low <= 0.0 && signed.high >= 0.0 {
        Interval { low: 0.0, high: low.max(high) }
    } else {
        Interval { low: low.min(high), high: low.max(high) }
    }
}

/// The gated rule for a gap `g ≥ 0` over several contrasts: its draws, its estimate, and whether "all alike" is
/// accepted.
pub(crate) fn gated(gaps: &[Option<f64>], estimate: f64, alike: bool, confidence: f64) -> Interval {
    let percentiles = percentile(gaps, confidence, Interval::UNIT);
    let known: Vec<f64> = gaps.iter().flatten().copied().collect();
    let low = if alike || known.is_empty() {
        0.0
    } else {
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        // Folding only ever adds to a gap; a mean below the estimate is no reason to move the end up.
        (percentiles.low - 2.0 * (mean - estimate).max(0.0)).max(0.0)
    };
    Interval { low: low.min(estimate), high: percentiles.high.max(estimate) }
}

/// Mean and covariance of draws of a vector; `None` where fewer than half of them exist.
pub(crate) fn covariance(draws: &[Option<Vec<f64>>]) -> Option<DMatrix<f64>> {
    let known: Vec<DVector<f64>> =
        draws.iter().flatten().map(|draw| DVector::from_column_slice(draw)).collect();
    if known.len() * 2 < draws.len() || known.len() < 10 {
        return None;
    }
    let mean = known.iter().fold(DVector::zeros(known[0].len()), |sum, draw| sum + draw) / known.len() as f64;
    let mut covariance = DMatrix::zeros(mean.len(), mean.len());
    for draw in &known {
        let off = draw - &mean;
        covariance.ger(1.0 / (known.len() - 1) as f64, &off, &off, 1.0);
    }
    Some(covariance)
}

/// The Wald statistic `dᵀV⁺d` with the rank of `V` as its degrees of freedom.
pub(crate) fn wald(difference: &[f64], covariance: &DMatrix<f64>) -> (f64, usize) {
    if difference.is_empty() {
        return (0.0, 0);
    }
    let eigen = covariance.clone().symmetric_eigen();
    let largest = eigen.eigenvalues.max();
    let difference = DVector::from_column_slice(difference);
    let (mut statistic, mut freedom) = (0.0, 0);
    for (value, vector) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
        if *value > 1e-9 * largest && *value > 0.0 {
            statistic += vector.dot(&difference).powi(2) / value;
            freedom += 1;
        }
    }
    (statistic, freedom)
}

/// How many standard errors make a band that holds all differences at once: the `confidence` quantile over draws
/// of the largest `|d* − d| / σ`. At least that of one difference.
pub(crate) fn simultaneous(
    draws: &[Option<Vec<f64>>],
    estimate: &[f64],
    errors: &[f64],
    confidence: f64,
) -> f64 {
    let farthest = |draw: &Option<Vec<f64>>| match draw {
        None => f64::INFINITY,
        Some(draw) => (draw.iter().zip(estimate).zip(errors))
            .filter(|(_, error)| **error > 0.0)
            .map(|((draw, estimate), error)| (draw - estimate).abs() / error)
            .fold(0.0, f64::max),
    };
    let mut largest: Vec<f64> = draws.iter().map(farthest).collect();
    quantile(&mut largest, confidence, true).max(normal_quantile(confidence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_and_quantiles_are_those_of_the_tables() {
        assert!((normal_quantile(0.95) - 1.959_964).abs() < 1e-6);
        assert!((chi_square_one(0.95) - 3.841_459).abs() < 1e-5);
        for (statistic, freedom, tail) in [(3.841_459, 1, 0.05), (5.991_465, 2, 0.05), (9.487_729, 4, 0.05)] {
            assert!((chi_square_tail(statistic, freedom) - tail).abs() < 1e-7);
        }
    }

    #[test]
    fn the_tail_of_f_is_that_of_tables_and_of_chi_square_with_many_rows() {
        // Upper 5 and 1 % points of F(5, 10) and F(2, 20), from printed tables to their digits.
        for (value, freedom, residual, tail) in
            [(3.326, 5, 10.0, 0.05), (5.636, 5, 10.0, 0.01), (3.493, 2, 20.0, 0.05)]
        {
            assert!((f_tail(value * freedom as f64, freedom, residual) - tail).abs() < 2e-5, "{value}");
        }
        assert!((f_tail(11.07, 5, 1e7) - chi_square_tail(11.07, 5)).abs() < 1e-5);
        assert_eq!(f_tail(0.0, 5, 10.0), 1.0);
    }

    #[test]
    fn draws_without_an_estimate_widen_the_interval() {
        let bounds = Interval::SIGNED;
        let mut draws: Vec<Option<f64>> =
            (0..1000).map(|i| Some(f64::from(i) / 1000.0 * 0.2 + 0.1)).collect();
        let all = percentile(&draws, 0.95, bounds);
        assert!((all.low - 0.105).abs() < 1e-3 && (all.high - 0.295).abs() < 1e-3);
        draws.iter_mut().step_by(10).for_each(|draw| *draw = None);
        assert_eq!(percentile(&draws, 0.95, bounds), bounds);
    }

    #[test]
    fn folding_keeps_zero_where_the_signed_interval_has_it() {
        assert_eq!(folded(Interval { low: -0.1, high: 0.3 }), Interval { low: 0.0, high: 0.3 });
        assert_eq!(folded(Interval { low: -0.3, high: -0.1 }), Interval { low: 0.1, high: 0.3 });
    }
}
