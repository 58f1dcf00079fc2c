//! Errors of a proxy along the features.
//!
//! A rule needs guesses that do not go with its features given the group. What two proxies say about the group, `V_c` and
//! `V_d`, then goes with features only through the group, so with the right factor nothing is left:
//! ```text
//! E[V_c − s·V_d | x] = constant          s = Cov(V_c, V_e) / Cov(V_d, V_e) for a third proxy e
//! ```
//! The difference is regressed on the `k` columns of the features; `m·R²/(1 − R²)` with `m = n − k − 1` is `k` times a value of `F(k, m)`.
//! With many columns a χ² would do only for many more rows: noise of 1,300 columns and 14,000 rows exceeded it in two tables of three.
//! Two groups and three proxies; errors that all proxies have along the same features stay unseen.

use super::ground::Ground;
use crate::Rows;
use crate::ridge::Regression;
use fairveil_core::mitigate::Along;
use fairveil_core::vocabulary::Guess;

/// Compares every proxy with the next. Nothing where there are too few proxies, more than two groups, or silent proxies.
pub(super) fn along(rows: &Rows, ground: &Ground) -> Option<Along> {
    let (part, proxies) = (&ground.fitted, rows.guesses.len());
    if rows.legend.groups.len() != 2 || proxies < 3 || part.features.columns() == 0 {
        return None;
    }
    let said = |c: usize| -> Option<Vec<f64>> {
        let guess = |row: &usize| rows.guesses[c][*row].map(|Guess(g)| g as f64);
        part.rows.iter().map(guess).collect()
    };
    let said: Vec<Vec<f64>> = (0..proxies).map(said).collect::<Option<_>>()?;
    let total = part.total();
    let mean = |values: &mut dyn Iterator<Item = f64>| {
        values.zip(&part.weights).map(|(value, weight)| value * weight).sum::<f64>() / total
    };
    let means: Vec<f64> = said.iter().map(|values| mean(&mut values.iter().copied())).collect();
    let covariance = |c: usize, d: usize| {
        mean(&mut said[c].iter().zip(&said[d]).map(|(a, b)| (a - means[c]) * (b - means[d])))
    };
    let nothing = vec![0.0; part.rows.len()];
    let compare = |c: usize| {
        let (d, e) = ((c + 1) % proxies, (c + 2) % proxies);
        let scale = covariance(c, e) / covariance(d, e);
        if !scale.is_finite() || scale <= 0.0 {
            return None;
        }
        let difference: Vec<f64> = said[c].iter().zip(&said[d]).map(|(a, b)| a - scale * b).collect();
        Some(([c, d], difference))
    };
    let (pairs, differences): (Vec<[usize; 2]>, Vec<Vec<f64>>) = (0..proxies).filter_map(compare).unzip();
    let regression = Regression {
        features: &part.features,
        extra: &nothing,
        weights: &part.weights,
        counts: &|_| true,
        fold_of: &|_| 0,
        folds: 1,
    };
    let told = |(pair, found): (&[usize; 2], Option<(f64, usize)>)| {
        let (explained, freedom) = found?;
        let residual = part.effective() - freedom as f64 - 1.0;
        if residual < 1.0 {
            return None;
        }
        let statistic = residual * explained / (1.0 - explained).max(1e-12);
        let name = |proxy: usize| rows.legend.proxies[proxy].name.clone();
        Some(Along { proxies: pair.map(name), statistic, freedom, residual })
    };
    let all = pairs.iter().zip(regression.within(&differences)).filter_map(told);
    all.max_by(|a, b| (a.statistic / a.freedom as f64).total_cmp(&(b.statistic / b.freedom as f64)))
}
