//! Errors of a proxy along the features.
//!
//! A rule needs guesses that do not go with its features given the group. What two proxies say about the group, `V_c` and
//! `V_d`, then goes with features only through the group, so with the right factor nothing is left:
//! ```text
//! E[V_c − s·V_d | x] = constant for some s          R² = least over s of  explained(V_c − s·V_d) / variance(V_c − s·V_d)
//! ```
//! `explained` and `variance` are quadratic in `s`, so the least is the smaller root `r` of `|E − r·S| = 0` of their 2 × 2 matrices. With `k`
//! columns of features and `m = n − k − 1`, `m·R²/(1 − R²)` is `k − 1` times a value of `F(k − 1, m)`: `s` is fitted. Where a third proxy
//! told `s`, chance in it was taken for errors: with proxies right for 65 to 70 %, in 5 of 20 good tables. Two groups and two proxies or
//! more; errors that all proxies have along the same features, or along one feature alone, stay unseen.

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
    let pairs: Vec<[usize; 2]> = (0..proxies).map(|c| [c, (c + 1) % proxies]).collect();
    let difference =
        |[c, d]: &[usize; 2]| said[*c].iter().zip(&said[*d]).map(|(a, b)| a - b).collect::<Vec<f64>>();
    let values: Vec<Vec<f64>> = said.iter().cloned().chain(pairs.iter().map(difference)).collect();
    let nothing = vec![0.0; part.rows.len()];
    let regression = Regression {
        features: &part.features,
        extra: &nothing,
        weights: &part.weights,
        counts: &|_| true,
        fold_of: &|_| 0,
        folds: 1,
    };
    let found = regression.within(&values);
    let told = |(place, [c, d]): (usize, &[usize; 2])| {
        let spread = [covariance(*c, *c), covariance(*d, *d), covariance(*c, *d)];
        let apart = spread[0] + spread[1] - 2.0 * spread[2];
        let (of_c, columns) = found[*c]?;
        let explained =
            [of_c * spread[0], found[*d]?.0 * spread[1], found[proxies + place].map_or(0.0, |f| f.0) * apart];
        let together = (explained[0] + explained[1] - explained[2]) / 2.0;
        let least = least_share([explained[0], explained[1], together], spread)?;
        let (freedom, residual) = (columns.checked_sub(1)?, part.effective() - columns as f64 - 1.0);
        if freedom == 0 || residual < 1.0 {
            return None;
        }
        let statistic = residual * least / (1.0 - least).max(1e-12);
        let name = |proxy: usize| rows.legend.proxies[proxy].name.clone();
        Some(Along { proxies: [*c, *d].map(name), statistic, freedom, residual, pairs: pairs.len() })
    };
    let all = pairs.iter().enumerate().filter_map(told);
    all.max_by(|a, b| (a.statistic / a.freedom as f64).total_cmp(&(b.statistic / b.freedom as f64)))
}

/// The least share of `V_c − s·V_d` that is explained, over `s`: from what is explained of both and together, and from their spread.
fn least_share([e, f, g]: [f64; 3], [s, t, u]: [f64; 3]) -> Option<f64> {
    let (square, line, rest) = (s * t - u * u, e * t + f * s - 2.0 * g * u, e * f - g * g);
    // Two proxies that always say the same have no difference.
    if square <= 1e-12 * s * t {
        return None;
    }
    let root = (line - (line * line - 4.0 * square * rest).max(0.0).sqrt()) / (2.0 * square);
    root.is_finite().then_some(root.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::least_share;

    #[test]
    fn the_least_share_is_what_the_best_factor_leaves() {
        // Features explain a half of one and a fifth of the other, and nothing of `c − 2·d`.
        let (spread, explained) = ([4.0, 2.0, 1.0], [1.6, 0.4, 0.8]);
        assert!(least_share(explained, spread).unwrap().abs() < 1e-12);
        let (spread, explained) = ([1.0, 1.5, 0.2], [0.3, 0.4, 0.1]);
        let at = |s: f64| {
            (explained[0] - 2.0 * s * explained[2] + s * s * explained[1])
                / (spread[0] - 2.0 * s * spread[2] + s * s * spread[1])
        };
        let least = (-4000..4000).map(|s| at(f64::from(s) / 200.0)).fold(f64::INFINITY, f64::min);
        assert!((least_share(explained, spread).unwrap() - least).abs() < 1e-5, "{least}");
        assert_eq!(least_share([0.3; 3], [1.0; 3]), None);
    }
}
