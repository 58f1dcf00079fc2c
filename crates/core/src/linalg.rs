//! The few helpers we need over nalgebra: singular values, least squares on a simplex, and the assignment that names latent classes.

use nalgebra::{DMatrix, DVector};

/// Largest and smallest singular value.
pub(crate) fn singular_range(matrix: &DMatrix<f64>) -> (f64, f64) {
    let values = matrix.clone().svd(false, false).singular_values;
    (values.max(), values.min())
}

/// The point of `{x ≥ 0, Σx = total}` nearest to `point` (Held, Wolfe and Crowder 1974).
pub(crate) fn nearest_on_simplex(point: &DVector<f64>, total: f64) -> DVector<f64> {
    let mut sorted: Vec<f64> = point.iter().copied().collect();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let mut sum = 0.0;
    let mut shift = 0.0;
    for (i, value) in sorted.iter().enumerate() {
        sum += value;
        let candidate = (sum - total) / (i + 1) as f64;
        if *value > candidate {
            shift = candidate;
        }
    }
    point.map(|x| (x - shift).max(0.0))
}

/// The `x ≥ 0` with `Σx = total` that minimises `‖Ax − b‖²`, by accelerated projected gradient. The problem is
/// convex and small; the iteration ends where a plain step from the point no longer moves it.
pub(crate) fn least_squares_on_simplex(a: &DMatrix<f64>, b: &DVector<f64>, total: f64) -> DVector<f64> {
    let gram = a.transpose() * a;
    let right = a.transpose() * b;
    let step = 1.0 / gram.norm().max(f64::MIN_POSITIVE);
    let downhill = |x: &DVector<f64>| nearest_on_simplex(&(x - (&gram * x - &right) * step), total);
    let still = 1e-14 * total;
    let mut x = DVector::from_element(a.ncols(), total / a.ncols() as f64);
    let (mut ahead, mut momentum) = (x.clone(), 1.0f64);
    for _ in 0..100_000 {
        let next = downhill(&ahead);
        // Momentum can bring the point back to where it was before it is done: only a plain step tells.
        if (&next - &x).amax() <= still {
            let plain = downhill(&next);
            if (&plain - &next).amax() <= still {
                return plain;
            }
            (ahead, x, momentum) = (plain, next, 1.0);
            continue;
        }
        let next_momentum = (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt()) / 2.0;
        ahead = &next + (&next - &x) * ((momentum - 1.0) / next_momentum);
        (x, momentum) = (next, next_momentum);
    }
    x
}

/// For each column of a square table the row assigned to it, so that the assigned entries sum to the most
/// (Kuhn 1955, in the shortest augmenting path form). Ties go to the earlier row.
pub(crate) fn best_assignment(worth: &DMatrix<f64>) -> Vec<usize> {
    let n = worth.nrows();
    // Potentials and matches are 1-based; index 0 is the unmatched column.
    let (mut by_row, mut by_column) = (vec![0.0; n + 1], vec![0.0; n + 1]);
    let mut row_of = vec![0usize; n + 1];
    for row in 1..=n {
        row_of[0] = row;
        let mut column = 0;
        let mut slack = vec![f64::INFINITY; n + 1];
        let mut previous = vec![0usize; n + 1];
        let mut used = vec![false; n + 1];
        while row_of[column] != 0 {
            used[column] = true;
            let current = row_of[column];
            let (mut delta, mut next) = (f64::INFINITY, 0);
            for j in 1..=n {
                if used[j] {
                    continue;
                }
                let reduced = -worth[(current - 1, j - 1)] - by_row[current] - by_column[j];
                if reduced < slack[j] {
                    slack[j] = reduced;
                    previous[j] = column;
                }
                if slack[j] < delta {
                    delta = slack[j];
                    next = j;
                }
            }
            for j in 0..=n {
                if used[j] {
                    by_row[row_of[j]] += delta;
                    by_column[j] -= delta;
                } else {
                    slack[j] -= delta;
                }
            }
            column = next;
        }
        while column != 0 {
            row_of[column] = row_of[previous[column]];
            column = previous[column];
        }
    }
    row_of[1..].iter().map(|row| row - 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn best_by_trying_all(worth: &DMatrix<f64>, column: usize, free: &mut Vec<usize>) -> f64 {
        if free.is_empty() {
            return 0.0;
        }
        let mut best = f64::NEG_INFINITY;
        for i in 0..free.len() {
            let row = free.remove(i);
            best = best.max(worth[(row, column)] + best_by_trying_all(worth, column + 1, free));
            free.insert(i, row);
        }
        best
    }

    proptest! {
        #[test]
        fn the_assignment_is_the_best_of_all(n in 1usize..6, values in prop::collection::vec(0.0f64..1.0, 25)) {
            let worth = DMatrix::from_fn(n, n, |i, j| values[i * 5 + j]);
            let rows = best_assignment(&worth);
            let sum: f64 = rows.iter().enumerate().map(|(j, i)| worth[(*i, j)]).sum();
            let best = best_by_trying_all(&worth, 0, &mut (0..n).collect());
            prop_assert!((sum - best).abs() < 1e-12);
        }

        #[test]
        fn no_point_of_the_simplex_is_nearer(
            point in prop::collection::vec(-2.0f64..2.0, 3), other in prop::collection::vec(0.01f64..1.0, 3)
        ) {
            let point = DVector::from_vec(point);
            let nearest = nearest_on_simplex(&point, 1.0);
            prop_assert!((nearest.sum() - 1.0).abs() < 1e-12 && nearest.min() >= 0.0);
            let other = DVector::from_vec(other);
            let other = &other / other.sum();
            prop_assert!((&point - &nearest).norm() <= (&point - &other).norm() + 1e-12);
        }

        #[test]
        fn least_squares_on_the_simplex_beats_its_neighbours(
            values in prop::collection::vec(0.0f64..1.0, 9), b in prop::collection::vec(0.0f64..1.0, 3)
        ) {
            let a = DMatrix::from_fn(3, 3, |i, j| values[i * 3 + j] + if i == j { 2.0 } else { 0.0 });
            let b = DVector::from_vec(b);
            let cost = |x: &DVector<f64>| (&a * x - &b).norm();
            let found = least_squares_on_simplex(&a, &b, 0.5);
            prop_assert!((found.sum() - 0.5).abs() < 1e-12 && found.min() >= 0.0);
            for (i, j) in [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2)] {
                let mut near = found.clone();
                (near[i], near[j]) = (near[i] + 1e-4, near[j] - 1e-4);
                prop_assert!(near.min() < 0.0 || cost(&found) <= cost(&near) + 1e-12);
            }
        }
    }
}
