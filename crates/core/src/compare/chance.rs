//! How sure it is that one gap is smaller than another.
//!
//! A gap `G` is the largest difference between two groups' rates. It has no sign, so that noise only ever adds to it: of two
//! models with equal gaps the one whose rates are known less well has the larger gap in most draws around its estimate, and by
//! these it would be called worse for its noise. What is asked instead is how often two models with *equal* gaps would be seen
//! like this:
//! ```text
//! ĝ  = [G_A·(V_B − C) + G_B·(V_A − C)] / (V_A + V_B − 2C)        the gap that both would have
//! T* = G(ĝ/G_A · H_A + e_A) − G(ĝ/G_B · H_B + e_B)               e: how far rows drawn anew move each rate
//! P(A's gap < B's) = P(T* > G_A − G_B), ties counting half
//! ```
//! `V` and `C` are the variances and the covariance of the two largest differences, with their signs. Near zero a sign may be
//! chance, and with it whether noise that both models share moves the gaps together or apart. So the same is asked with the second
//! model turned round (`G_B` and `C` with the other sign), and the two count by how well equal gaps explain what is seen,
//! `exp(−½·(G_A ∓ G_B)²/(V_A + V_B ∓ 2C))`. Of equal gaps the chance is evenly spread over 0 to 1, however different the noise; far
//! from zero it is the share of draws in which the gap is smaller.

use std::cmp::Ordering;

/// The rates of one model, rate by rate and group by group, and how far each draw moves them.
pub(super) struct Moved<'a> {
    pub groups: usize,
    pub estimate: &'a [f64],
    pub by_draw: Vec<Option<&'a [f64]>>,
}

/// The largest difference between two groups in one rate.
pub(super) fn gap(rates: &[f64], groups: usize) -> f64 {
    let (most, least) = extremes(rates, groups);
    rates[most] - rates[least]
}

/// Where the two rates are that differ most.
fn extremes(rates: &[f64], groups: usize) -> (usize, usize) {
    let by_rate = (0..rates.len()).step_by(groups.max(1)).map(|first| {
        let places = || first..(first + groups).min(rates.len());
        let by_value = |a: &usize, b: &usize| rates[*a].total_cmp(&rates[*b]);
        (places().max_by(by_value).unwrap_or(first), places().min_by(by_value).unwrap_or(first))
    });
    let wider = |a: &(usize, usize), b: &(usize, usize)| {
        (rates[a.0] - rates[a.1]).total_cmp(&(rates[b.0] - rates[b.1]))
    };
    by_rate.max_by(wider).unwrap_or_default()
}

/// How likely the first gap is the smaller; `None` without draws that have both.
pub(super) fn chance_smaller(a: &Moved, b: &Moved) -> Option<f64> {
    let both = || a.by_draw.iter().zip(&b.by_draw).filter_map(|(a, b)| Some(((*a)?, (*b)?)));
    let draws = both().count();
    if draws == 0 {
        return None;
    }
    let (gap_a, gap_b) = (gap(a.estimate, a.groups), gap(b.estimate, b.groups));
    let (at_a, at_b) = (extremes(a.estimate, a.groups), extremes(b.estimate, b.groups));
    let (mut var_a, mut var_b, mut shared) = (0.0, 0.0, 0.0);
    for (by_a, by_b) in both() {
        let (moved_a, moved_b) = (by_a[at_a.0] - by_a[at_a.1], by_b[at_b.0] - by_b[at_b.1]);
        var_a += moved_a * moved_a;
        var_b += moved_b * moved_b;
        shared += moved_a * moved_b;
    }
    let counted = draws as f64;
    let (var_a, var_b, shared) = (var_a / counted, var_b / counted, shared / counted);
    // With the second model as it is, and turned round.
    let asked = |side: f64| {
        let (own_b, together) = (side * gap_b, side * shared);
        let apart = var_a + var_b - 2.0 * together;
        // Models that always move together have one gap, as far as noise can tell.
        if apart <= 1e-12 * (var_a + var_b) {
            let equal = (gap_a + own_b) / 2.0;
            let misfit = if gap_a == own_b { 0.0 } else { f64::INFINITY };
            return (equal, misfit);
        }
        let equal = (gap_a * (var_b - together) + own_b * (var_a - together)) / apart;
        (equal, (gap_a - own_b).powi(2) / apart)
    };
    let with = |moved: &Moved, scale: f64, by: &[f64]| {
        let rates = moved.estimate.chunks(moved.groups.max(1)).zip(by.chunks(moved.groups.max(1)));
        let widest = rates.map(|(rates, by)| {
            let moved = rates.iter().zip(by).map(|(rate, by)| scale * rate + by);
            let ends = (f64::NEG_INFINITY, f64::INFINITY);
            let (most, least) = moved.fold(ends, |(most, least), rate| (most.max(rate), least.min(rate)));
            most - least
        });
        widest.fold(0.0, f64::max)
    };
    let scaled = |equal: f64, own: f64| if own > 0.0 { equal / own } else { 1.0 };
    let seen = gap_a - gap_b;
    let share = |side: f64, equal: f64| {
        let (scale_a, scale_b) = (scaled(equal, gap_a), side * scaled(equal, gap_b));
        let score = |(by_a, by_b): (&[f64], &[f64])| match (with(a, scale_a, by_a) - with(b, scale_b, by_b))
            .total_cmp(&seen)
        {
            Ordering::Greater => 1.0,
            Ordering::Equal => 0.5,
            Ordering::Less => 0.0,
        };
        both().map(score).sum::<f64>() / counted
    };
    let ((as_seen, misfit), (turned, other)) = (asked(1.0), asked(-1.0));
    let weight = if misfit == other { 0.5 } else { 1.0 / (1.0 + ((misfit - other) / 2.0).exp()) };
    // Far from zero only one of the two is worth asking.
    if weight > 1.0 - NEGLIGIBLE {
        return Some(share(1.0, as_seen));
    }
    Some(weight * share(1.0, as_seen) + (1.0 - weight) * share(-1.0, turned))
}

/// A weight that changes no digit of a chance from draws.
const NEGLIGIBLE: f64 = 1e-4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uncertainty::bootstrap::normal_draws;
    use nalgebra::DMatrix;

    /// Two groups: a rate of nobody, and one that a model's noise moves.
    fn moved(draws: &[Vec<f64>], model: usize) -> Vec<Vec<f64>> {
        draws.iter().map(|draw| vec![0.0, draw[model]]).collect()
    }

    /// Chances of many samples of two models with these differences and noise.
    fn chances(differences: [f64; 2], noise: [f64; 2], shared: f64, samples: usize) -> Vec<f64> {
        let covariance =
            DMatrix::from_fn(
                2,
                2,
                |i, j| {
                    if i == j { noise[i] * noise[i] } else { shared * noise[0] * noise[1] }
                },
            );
        let seen = normal_draws(&differences, &covariance, samples, 11);
        let of_sample = |(i, seen): (usize, Vec<f64>)| {
            let draws = normal_draws(&[0.0; 2], &covariance, 100, 1000 + i as u64);
            let moved = [0, 1].map(|model| moved(&draws, model));
            let estimates = [0, 1].map(|model| vec![0.0, seen[model]]);
            let [a, b] = [0, 1].map(|m| {
                let by_draw = moved[m].iter().map(|draw| Some(draw.as_slice())).collect();
                Moved { groups: 2, estimate: &estimates[m], by_draw }
            });
            chance_smaller(&a, &b).unwrap()
        };
        seen.into_iter().enumerate().map(of_sample).collect()
    }

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    #[test]
    fn of_equal_gaps_the_noisier_is_not_the_worse() {
        // The mean of 400 numbers spread evenly over 0 to 1 is known to .0144; three of these and what pooling leaves.
        for noise in [[1.0, 0.1], [1.0, 0.5], [1.0, 1.0], [0.2, 1.0]] {
            for (gap, shared) in [(0.0, 0.0), (0.5, 0.0), (1.0, 0.5), (1.0, 0.8), (2.0, 0.0), (4.0, 0.5)] {
                for sign in [1.0, -1.0] {
                    let found = chances([gap, sign * gap], noise, shared, 400);
                    assert!((mean(&found) - 0.5).abs() < 0.06, "{noise:?} {gap} {shared}: {}", mean(&found));
                    let tails = found.iter().filter(|p| **p < 0.05 || **p > 0.95).count() as f64 / 400.0;
                    assert!(tails < 0.16, "{noise:?} {gap} {shared}: {tails}");
                }
            }
        }
    }

    #[test]
    fn a_gap_that_is_clearly_larger_is_told() {
        // Against a gap of nothing that is known well, a noisy one of five standard errors is the larger.
        assert!(mean(&chances([0.0, 5.0], [0.05, 1.0], 0.0, 100)) > 0.99);
        assert!(mean(&chances([5.0, 0.0], [1.0, 0.05], 0.0, 100)) < 0.01);
        assert!(mean(&chances([-1.0, 9.0], [1.0, 1.0], 0.5, 100)) > 0.99);
    }

    #[test]
    fn the_largest_gap_of_several_rates_is_taken_within_one() {
        // Two rates of three groups: .1 to .3, and .5 to .9; never between rates.
        assert_eq!(extremes(&[0.1, 0.3, 0.2, 0.9, 0.5, 0.6], 3), (3, 4));
        assert!((gap(&[0.1, 0.3, 0.2, 0.9, 0.5, 0.6], 3) - 0.4).abs() < 1e-12);
    }
}
