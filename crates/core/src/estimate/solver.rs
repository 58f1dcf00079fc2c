//! Matching moments for any number of groups: Levenberg–Marquardt on logits, from several deterministic starts.
//!
//! Minimises over shares `p` and rows `T[a]`, both on the simplex, the sum over orders `d = 1, 2, 3` of
//! ```text
//! ‖ m_d − Σₐ p[a] · T[a] ⊗ … ⊗ T[a] ‖²
//! ```
//! On logits every iterate is a distribution, and the derivatives are short. With `q[a] = p[a]·Π T[a,v]` the
//! term of class `a` in the cell `(v, …)` and `n_x` the number of times `x` occurs in that cell,
//! ```text
//! ∂/∂logit T[a,x] = q[a]·(n_x − d·T[a,x])        ∂/∂logit p[a] = q[a] − p[a]·Σ q
//! ```
//! Starts: the eigenvectors of a contracted third moment, exact where the model holds, and matrices with a
//! dominant diagonal. The start with the best fit wins; the search ends when two agree on it.

use super::moments::Moments;
use crate::noise::{Fit, ProxyNoise, Stopped, TransitionMatrix};
use crate::rates::Shares;
use nalgebra::{DMatrix, DVector, SymmetricEigen};

const ITERATIONS: usize = 300;
/// Starts from eigenvectors; one is enough where the model holds.
const SPECTRAL: usize = 5;
/// Diagonals of the starts that are not derived from the data.
const DIAGONALS: [f64; 4] = [0.5, 0.6, 0.75, 0.9];
/// Entries of a start are kept this far from zero, where logits end.
const INTERIOR: f64 = 1e-3;
/// Fits whose costs differ by less than this share are one.
const SAME: f64 = 1e-6;
/// A sum of squares below this is rounding: moments are sums of thousands of shares, good to about 1e-15 each.
const EXACT: f64 = 1e-28;

/// The best fit to the moments; its classes are not yet named.
pub(super) fn match_moments(moments: &Moments) -> Fit<ProxyNoise> {
    let target = Target::new(moments);
    let mut best: Option<(Point, Descent)> = None;
    for start in starts(moments) {
        let (point, descent) = target.descend(start);
        let known = best.as_ref().map(|(_, kept)| kept.cost);
        // Two starts that end at the same best fit have found what there is to find.
        let confirmed = known.is_some_and(|known| (descent.cost - known).abs() <= SAME * known);
        let exact = descent.cost < EXACT;
        if known.is_none_or(|known| descent.cost < known) {
            best = Some((point, descent));
        }
        if exact || confirmed {
            break;
        }
    }
    // infallible: `starts` always yields the starts with a dominant diagonal
    let (point, descent) = best.expect("at least one start");
    let rows = point.rows.row_iter().map(|row| row.iter().copied().collect()).collect();
    let transition = TransitionMatrix::from_distributions(rows);
    let group_shares = Shares::new(point.shares.iter().copied().collect::<Vec<_>>());
    let stopped = if descent.converged {
        Stopped::Converged { iterations: descent.iterations }
    } else {
        Stopped::IterationLimit { iterations: descent.iterations }
    };
    Fit {
        value: ProxyNoise { transition, by_proxy: Vec::new(), group_shares, unrandomized: Vec::new() },
        misfit: descent.cost.sqrt(),
        stopped,
    }
}

/// Shares and rows, always distributions.
#[derive(Clone)]
struct Point {
    shares: DVector<f64>,
    rows: DMatrix<f64>,
}

struct Descent {
    cost: f64,
    iterations: usize,
    converged: bool,
}

/// The moments as a list of distinct cells with the weight of their repetitions.
struct Target {
    groups: usize,
    /// Values of the cell, its order being their number; what was observed; root of how often it occurs.
    cells: Vec<(Vec<usize>, f64, f64)>,
}

impl Target {
    fn new(moments: &Moments) -> Self {
        let mut cells = Vec::new();
        for v in 0..moments.groups {
            cells.push((vec![v], moments.first[v], 1.0));
            for w in v..moments.groups {
                let repeats = if v == w { 1.0f64 } else { 2.0 };
                cells.push((vec![v, w], moments.pair(v, w), repeats.sqrt()));
                for x in w..moments.groups {
                    let repeats = match (v == w, w == x) {
                        (true, true) => 1.0f64,
                        (false, false) => 6.0,
                        _ => 3.0,
                    };
                    cells.push((vec![v, w, x], moments.triple(v, w, x), repeats.sqrt()));
                }
            }
        }
        Target { groups: moments.groups, cells }
    }

    fn residuals(&self, point: &Point) -> DVector<f64> {
        let explained = |cell: &[usize]| -> f64 {
            let of_class = |a| cell.iter().map(|v| point.rows[(a, *v)]).product::<f64>() * point.shares[a];
            (0..self.groups).map(of_class).sum()
        };
        let residual = |(cell, seen, weight): &(Vec<usize>, f64, f64)| weight * (explained(cell) - seen);
        DVector::from_iterator(self.cells.len(), self.cells.iter().map(residual))
    }

    /// Derivatives of the residuals by the logits: first those of the shares, then those of the rows.
    fn jacobian(&self, point: &Point) -> DMatrix<f64> {
        let groups = self.groups;
        let mut jacobian = DMatrix::zeros(self.cells.len(), groups + groups * groups);
        let mut terms = vec![0.0; groups];
        for (i, (cell, _, weight)) in self.cells.iter().enumerate() {
            for (a, term) in terms.iter_mut().enumerate() {
                let product: f64 = cell.iter().map(|v| point.rows[(a, *v)]).product();
                *term = weight * point.shares[a] * product;
            }
            let sum: f64 = terms.iter().sum();
            for (a, term) in terms.iter().enumerate() {
                jacobian[(i, a)] = term - point.shares[a] * sum;
                let column = groups + a * groups;
                for x in 0..groups {
                    jacobian[(i, column + x)] = -term * cell.len() as f64 * point.rows[(a, x)];
                }
                for v in cell {
                    jacobian[(i, column + v)] += term;
                }
            }
        }
        jacobian
    }

    fn descend(&self, start: Point) -> (Point, Descent) {
        let mut point = start;
        let mut residuals = self.residuals(&point);
        let mut cost = residuals.norm_squared();
        let mut damping = 1e-3;
        for iteration in 0..ITERATIONS {
            crate::watch::pause();
            let jacobian = self.jacobian(&point);
            let gradient = jacobian.tr_mul(&residuals);
            // Through a blocked product, which `tr_mul` is not.
            let curvature = jacobian.transpose() * &jacobian;
            let scale = curvature.diagonal().max().max(f64::MIN_POSITIVE);
            let improved = loop {
                let mut damped = curvature.clone();
                for i in 0..damped.nrows() {
                    // Logits of vanishing entries have no curvature; a floor keeps the system solvable.
                    damped[(i, i)] += damping * damped[(i, i)].max(1e-9 * scale);
                }
                let step = damped.cholesky().map(|factor| factor.solve(&gradient));
                let candidate = step.and_then(|step| self.moved(&point, &step));
                if let Some(candidate) = candidate {
                    let residuals = self.residuals(&candidate);
                    if residuals.norm_squared() < cost {
                        break Some((candidate, residuals));
                    }
                }
                damping *= 4.0;
                if damping > 1e8 {
                    break None;
                }
            };
            let Some((next, next_residuals)) = improved else {
                return (point, Descent { cost, iterations: iteration, converged: true });
            };
            let next_cost = next_residuals.norm_squared();
            // Where the model fits exactly go on to rounding; elsewhere stop when steps gain nothing.
            let done = next_cost < EXACT || cost - next_cost < 1e-14 * cost;
            (point, residuals, cost) = (next, next_residuals, next_cost);
            damping = (damping / 10.0).max(1e-13);
            if done {
                return (point, Descent { cost, iterations: iteration + 1, converged: true });
            }
        }
        (point, Descent { cost, iterations: ITERATIONS, converged: false })
    }

    /// The point after a step downhill in the logits; `None` if the step is absurd.
    fn moved(&self, point: &Point, step: &DVector<f64>) -> Option<Point> {
        if !step.iter().all(|s| s.abs() < 50.0) {
            return None;
        }
        let softened = |values: &mut dyn Iterator<Item = (f64, f64)>| {
            let grown: Vec<f64> = values.map(|(p, step)| p * (-step).exp()).collect();
            let total: f64 = grown.iter().sum();
            grown.into_iter().map(move |value| value / total)
        };
        let groups = self.groups;
        let shares = softened(&mut point.shares.iter().copied().zip(step.iter().copied()));
        let shares = DVector::from_iterator(groups, shares);
        let mut rows = point.rows.clone();
        for a in 0..groups {
            let steps = step.iter().skip(groups + a * groups).take(groups).copied();
            let row = softened(&mut point.rows.row(a).iter().copied().zip(steps));
            rows.row_mut(a).iter_mut().zip(row).for_each(|(old, new)| *old = new);
        }
        Some(Point { shares, rows })
    }
}

fn starts(moments: &Moments) -> impl Iterator<Item = Point> + '_ {
    // The two kinds take turns, so that those that agree have come from different places.
    let most = moments.groups.min(SPECTRAL).max(DIAGONALS.len());
    (0..most).flat_map(|i| {
        let spectral = (i < moments.groups.min(SPECTRAL)).then(|| spectral(moments, i)).flatten();
        spectral.into_iter().chain(DIAGONALS.get(i).map(|diagonal| dominant(moments, *diagonal)))
    })
}

/// Every group guessed right with probability `diagonal`, wrong guesses and shares as the proxies have them.
fn dominant(moments: &Moments, diagonal: f64) -> Point {
    let groups = moments.groups;
    let rows = DMatrix::from_fn(groups, groups, |a, v| {
        let own = if a == v { diagonal } else { 0.0 };
        (own + (1.0 - diagonal) * moments.first[v]).max(INTERIOR)
    });
    let shares = DVector::from_fn(groups, |a, _| moments.first[a].max(INTERIOR));
    interior(shares, rows)
}

/// Eigenvectors of a contracted third moment. With `W` such that `Wᵀ m₂ W = 1`,
/// ```text
/// Wᵀ m₃(·,·,η) W = Σₐ ⟨T[a],η⟩ wₐwₐᵀ,    wₐ = √p[a]·WᵀT[a] orthonormal
/// ```
/// so its eigenvectors, turned back, are the rows of `T` up to scale. Any direction `η` that separates the
/// eigenvalues will do where the model holds exactly; on a sample each value in turn gives a start.
fn spectral(moments: &Moments, eta: usize) -> Option<Point> {
    let groups = moments.groups;
    let second = SymmetricEigen::new(DMatrix::from_fn(groups, groups, |v, w| moments.pair(v, w)));
    if second.eigenvalues.min() <= 1e-12 {
        return None;
    }
    let roots = second.eigenvalues.map(f64::sqrt);
    let whiten = &second.eigenvectors * DMatrix::from_diagonal(&roots.map(|root| 1.0 / root));
    let unwhiten = &second.eigenvectors * DMatrix::from_diagonal(&roots);
    let slice = DMatrix::from_fn(groups, groups, |v, w| moments.triple(v, w, eta));
    let contracted = SymmetricEigen::new(whiten.transpose() * slice * &whiten);
    let turned = &unwhiten * contracted.eigenvectors;
    // Column a is √p[a]·T[a] up to sign; T[a] sums to one, so the column sums to ±√p[a].
    let sums: Vec<f64> = turned.column_iter().map(|column| column.sum()).collect();
    if sums.iter().any(|sum| sum.abs() < 1e-9) {
        return None;
    }
    let rows = DMatrix::from_fn(groups, groups, |a, v| (turned[(v, a)] / sums[a]).max(INTERIOR));
    let shares = DVector::from_iterator(groups, sums.iter().map(|sum| (sum * sum).max(INTERIOR)));
    Some(interior(shares, rows))
}

/// Distributions from positive numbers.
fn interior(shares: DVector<f64>, mut rows: DMatrix<f64>) -> Point {
    rows.row_iter_mut().for_each(|mut row| row /= row.sum());
    let total = shares.sum();
    Point { shares: shares / total, rows }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_is_that_of_full_tensors_and_derivatives_equal_finite_differences() {
        let moments = Moments::explained(&[0.5, 0.3, 0.2], &vec![vec![0.4, 0.4, 0.2]; 3]);
        let target = Target::new(&moments);
        let point = dominant(&moments, 0.6);
        let jacobian = target.jacobian(&point);
        // Distinct cells with their weights are the full tensors: singles, pairs and triples in every order.
        let other = Moments::explained(
            &[0.2, 0.3, 0.5],
            &[vec![0.6, 0.3, 0.1], vec![0.2, 0.7, 0.1], vec![0.1, 0.1, 0.8]],
        );
        let exact = Point {
            shares: DVector::from_vec(vec![0.2, 0.3, 0.5]),
            rows: DMatrix::from_row_slice(3, 3, &[0.6, 0.3, 0.1, 0.2, 0.7, 0.1, 0.1, 0.1, 0.8]),
        };
        let mut full = 0.0;
        for v in 0..3 {
            full += (other.first[v] - moments.first[v]).powi(2);
            for w in 0..3 {
                full += (other.pair(v, w) - moments.pair(v, w)).powi(2);
                full +=
                    (0..3).map(|x| (other.triple(v, w, x) - moments.triple(v, w, x)).powi(2)).sum::<f64>();
            }
        }
        assert!((target.residuals(&exact).norm_squared() - full).abs() < 1e-14);
        for column in 0..jacobian.ncols() {
            let residuals = |step: f64| {
                let mut steps = DVector::zeros(jacobian.ncols());
                steps[column] = -step; // `moved` goes downhill
                target.residuals(&target.moved(&point, &steps).unwrap())
            };
            let numeric = (residuals(1e-5) - residuals(-1e-5)) / 2e-5;
            // Central differences err by about step² = 1e-10.
            assert!((numeric - jacobian.column(column)).amax() < 1e-9);
        }
    }
}
