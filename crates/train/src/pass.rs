//! One pass over the rows: loss, gaps and all their gradients.
//!
//! ```text
//! z = β₀ + x·β,  p = 1 / (1 + e^-z)
//! loss     Σ w·(ln(1 + e^z) - y·z) / Σ w + ridge/2·‖β‖²        gradient  Σ w·(p - y)·x / Σ w + ridge·β
//! soft_j   Σ w·V_j·q / Σ w                                     gradient  Σ w·V_j·q·(1 - q)·x / Σ w
//! hard_j   Σ w·V_j·1[z > c] / Σ w                              no gradient
//! ```
//! Decisions are cut at `c`, and `q = 1 / (1 + e^-(z - c))` is what the scores say about them: `p` where `c = 0`.
//! The intercept has no ridge. Features are single, all sums double precision; eight rows at a time are brought to
//! double precision, so that each is read from memory once. Of a sparse design only what is not 0 is touched.

use crate::Problem;
use crate::ordered::{dot, sum};
use std::ops::Range;

/// Rows whose sums one thread makes at a time.
pub(crate) const CHUNK: usize = 2048;
const BLOCK: usize = 8;
/// Columns of a matrix of which few copies fit.
const LARGE: usize = 250;

/// What one pass finds. Coefficients and gradients have the intercept last.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Evaluation {
    /// The mean log loss, without ridge.
    pub loss: f64,
    /// Its gradient, without ridge.
    pub gradient: Vec<f64>,
    /// The gaps of scores.
    pub soft: Vec<f64>,
    /// The gaps of decisions.
    pub hard: Vec<f64>,
    /// The gradients of the gaps of scores.
    pub slopes: Vec<Vec<f64>>,
}

pub(crate) fn pass(problem: &Problem<'_>, beta: &[f64], cut: f64) -> Evaluation {
    let (size, gaps, total) = (beta.len(), problem.constraints.len(), problem.total());
    let length = 1 + 2 * gaps + size * (1 + gaps);
    let sparse = problem.features.is_sparse();
    let mut sums = sum(problem.features.rows(), chunk(sparse, size), length, |rows, out| {
        if sparse {
            return add_sparse(problem, (beta, cut), rows, out);
        }
        let mut block = Block::new(size, gaps);
        let (mut start, end) = (rows.start, rows.end);
        while start < end {
            let next = end.min(start + BLOCK);
            block.add(problem, (beta, cut), start..next, out);
            start = next;
        }
    });
    sums.iter_mut().for_each(|sum| *sum /= total);
    let mut parts = sums[1 + 2 * gaps..].chunks_exact(size).map(<[f64]>::to_vec);
    Evaluation {
        loss: sums[0],
        soft: sums[1..=gaps].to_vec(),
        hard: sums[1 + gaps..=2 * gaps].to_vec(),
        gradient: parts.next().unwrap_or_default(),
        slopes: parts.collect(),
    }
}

/// Rows whose sums are made together. Sums of a sparse design have many more numbers than a row: more rows share them.
fn chunk(sparse: bool, size: usize) -> usize {
    if sparse { CHUNK.max(2 * size) } else { CHUNK }
}

/// What rows of a sparse design add.
fn add_sparse(problem: &Problem<'_>, (beta, cut): (&[f64], f64), rows: Range<usize>, out: &mut [f64]) {
    let (size, gaps) = (beta.len(), problem.constraints.len());
    let (scalars, gradients) = out.split_at_mut(1 + 2 * gaps);
    let mut factors = vec![0.0; 1 + gaps];
    for row in rows {
        let x = problem.features.row(row);
        let z = x.dot(beta) + beta[size - 1];
        look(problem, row, (z, cut), scalars, |which, factor| factors[which] = factor);
        for (gradient, factor) in gradients.chunks_exact_mut(size).zip(&factors) {
            x.each(|column, value| gradient[column] += factor * value);
            gradient[size - 1] += factor;
        }
    }
}

/// Adds what a row with log odds `z` adds to loss and gaps, and tells its factor in each gradient.
fn look(
    problem: &Problem<'_>,
    row: usize,
    (z, cut): (f64, f64),
    scalars: &mut [f64],
    mut tell: impl FnMut(usize, f64),
) {
    let (weight, gaps) = (problem.weight(row), problem.constraints.len());
    let e = (-z.abs()).exp();
    let small = e / (1.0 + e);
    let (p, label) = (if z > 0.0 { 1.0 - small } else { small }, problem.labels[row]);
    let y = f64::from(u8::from(label));
    scalars[0] += weight * ((1.0 + e).ln() + z.max(0.0) - y * z);
    tell(0, weight * (p - y));
    let (q, curve) = if cut == 0.0 { (p, small / (1.0 + e)) } else { near(z - cut) };
    for (gap, constraint) in problem.constraints.iter().enumerate() {
        let v = weight * constraint[row];
        scalars[1 + gap] += v * q;
        scalars[1 + gaps + gap] += if z > cut { v } else { 0.0 };
        tell(1 + gap, v * curve);
    }
}

/// A few rows in double precision, each with a 1 at its end for the intercept, and their factors in each gradient.
struct Block {
    x: Vec<f64>,
    factors: Vec<[f64; BLOCK]>,
}

impl Block {
    fn new(size: usize, gaps: usize) -> Self {
        Block { x: vec![1.0; size * BLOCK], factors: vec![[0.0; BLOCK]; 1 + gaps] }
    }

    fn add(
        &mut self,
        problem: &Problem<'_>,
        (beta, cut): (&[f64], f64),
        rows: Range<usize>,
        out: &mut [f64],
    ) {
        let (size, gaps, columns) = (beta.len(), problem.constraints.len(), problem.features.columns());
        let (scalars, gradients) = out.split_at_mut(1 + 2 * gaps);
        for factors in &mut self.factors {
            factors.fill(0.0);
        }
        for (place, row) in rows.enumerate() {
            let x = &mut self.x[place * size..(place + 1) * size];
            problem.features.row(row).write(&mut x[..columns]);
            let z = dot(&x[..columns], &beta[..columns]) + beta[columns];
            look(problem, row, (z, cut), scalars, |which, factor| self.factors[which][place] = factor);
        }
        // Rows behind the last are left over from the block before; their factor is 0.
        let (first, second) = self.x.split_at(4 * size);
        for (gradient, factors) in gradients.chunks_exact_mut(size).zip(&self.factors) {
            add_four(gradient, first, [factors[0], factors[1], factors[2], factors[3]]);
            add_four(gradient, second, [factors[4], factors[5], factors[6], factors[7]]);
        }
    }
}

/// `σ` and its slope.
fn near(z: f64) -> (f64, f64) {
    let e = (-z.abs()).exp();
    let small = e / (1.0 + e);
    (if z > 0.0 { 1.0 - small } else { small }, small / (1.0 + e))
}

/// `gradient += Σ factor · row` over four rows.
fn add_four(gradient: &mut [f64], rows: &[f64], factors: [f64; 4]) {
    let size = gradient.len();
    let (a, rest) = rows.split_at(size);
    let (b, rest) = rest.split_at(size);
    let (c, d) = rest.split_at(size);
    for ((((gradient, a), b), c), d) in gradient.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *gradient += (factors[0] * a + factors[1] * b) + (factors[2] * c + factors[3] * d);
    }
}

/// What a row of a sparse design adds to the curvature.
fn curve_sparse(problem: &Problem<'_>, row: usize, beta: &[f64], out: &mut [f64]) {
    let (size, x) = (beta.len(), problem.features.row(row));
    let (e, weight) = ((-(x.dot(beta) + beta[size - 1]).abs()).exp(), problem.weight(row));
    let factor = weight * e / (1.0 + e).powi(2);
    out[0] += weight;
    let matrix = &mut out[1..];
    let last = (size - 1) * size;
    x.each(|i, a| {
        // Columns ascend: the lower half, as of all rows.
        x.each(|j, b| matrix[i * size + j] += if j <= i { factor * a * b } else { 0.0 });
        matrix[last + i] += factor * a;
    });
    matrix[last + size - 1] += factor;
}

/// `Σ w·p·(1 - p)·x² / Σ w` over all rows: the diagonal of how the loss curves.
pub(crate) fn diagonal(problem: &Problem<'_>, beta: &[f64]) -> Vec<f64> {
    let size = beta.len();
    let mut sums =
        sum(problem.features.rows(), chunk(problem.features.is_sparse(), size), size, |rows, out| {
            for row in rows {
                let x = problem.features.row(row);
                let e = (-(x.dot(beta) + beta[size - 1]).abs()).exp();
                let factor = problem.weight(row) * e / (1.0 + e).powi(2);
                x.each(|column, value| out[column] += factor * value * value);
                out[size - 1] += factor;
            }
        });
    let total = problem.total();
    sums.iter_mut().for_each(|sum| *sum /= total);
    sums
}

/// `Σ w·p·(1 - p)·x·xᵀ / Σ w` over every so many rows: how the loss curves. Row by row, all of it.
pub(crate) fn curvature(problem: &Problem<'_>, beta: &[f64], every: usize) -> Vec<f64> {
    let size = beta.len();
    let rows = problem.features.rows().div_ceil(every);
    // Four parts of a large matrix at most.
    let chunk = if size > LARGE { rows.div_ceil(4).max(1024) } else { 1024 };
    let mut sums = sum(rows, chunk, 1 + size * size, |range, out| {
        let mut x = vec![1.0; size];
        for row in range.map(|row| row * every) {
            if problem.features.is_sparse() {
                curve_sparse(problem, row, beta, out);
                continue;
            }
            problem.features.row(row).write(&mut x[..size - 1]);
            let (e, weight) = ((-dot(&x, beta).abs()).exp(), problem.weight(row));
            let factor = weight * e / (1.0 + e).powi(2);
            out[0] += weight;
            // The lower half; one-hot columns are mostly zero.
            for (i, line) in out[1..].chunks_exact_mut(size).enumerate().filter(|(i, _)| x[*i] != 0.0) {
                let scaled = factor * x[i];
                for (sum, x) in line.iter_mut().zip(&x[..=i]) {
                    *sum += scaled * x;
                }
            }
        }
    });
    let total = sums.remove(0);
    for i in 0..size {
        for j in 0..=i {
            // No weight at all among these rows: no curvature, and the ridge alone remains.
            let value = if total > 0.0 { sums[i * size + j] / total } else { 0.0 };
            sums[i * size + j] = value;
            sums[j * size + i] = value;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aim, Design, Linear};

    /// Not at a chance of one half.
    const CUT: f64 = 0.4;

    /// A few rows without pattern; more than a block and not a multiple of it.
    fn rows() -> (Design, Vec<bool>, Vec<f64>, Vec<Vec<f64>>) {
        let wave = |index: usize, speed: f64| (index as f64 * speed).sin() * 1.7;
        let values = (0..43 * 5).map(|index| wave(index, 1.3) as f32).collect();
        let labels = (0..43).map(|row| wave(row, 2.1) > 0.3).collect();
        let weights = (0..43).map(|row| wave(row, 0.7).abs()).collect();
        let constraints = [0.9, 3.3].map(|speed| (0..43).map(|row| wave(row, speed)).collect()).to_vec();
        (Design::new(43, 5, values), labels, weights, constraints)
    }

    #[test]
    fn gradients_are_the_differences_of_what_they_belong_to() {
        let (features, labels, weights, constraints) = rows();
        let targets = [0.0, 0.0];
        for weights in [None, Some(&weights[..])] {
            let problem = Problem {
                features: &features,
                labels: &labels,
                weights,
                constraints: &constraints,
                targets: &targets,
                aim: Aim::default(),
            };
            let beta = [0.5, -1.0, 0.3, 0.8, -0.2, 0.1];
            let seen = pass(&problem, &beta, CUT);
            for place in 0..beta.len() {
                let beside = |by: f64| {
                    let mut beta = beta;
                    beta[place] += by;
                    pass(&problem, &beta, CUT)
                };
                // Central differences: 1e-10 from the third derivative, 1e-11 from rounding.
                let (above, below, by) = (beside(1e-5), beside(-1e-5), 2e-5);
                assert!((seen.gradient[place] - (above.loss - below.loss) / by).abs() < 1e-9);
                for gap in 0..2 {
                    let difference = (above.soft[gap] - below.soft[gap]) / by;
                    assert!((seen.slopes[gap][place] - difference).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn sums_are_those_of_the_definition() {
        let (features, labels, weights, constraints) = rows();
        let problem = Problem {
            features: &features,
            labels: &labels,
            weights: Some(&weights),
            constraints: &constraints,
            targets: &[0.0, 0.0],
            aim: Aim::default(),
        };
        let beta = [0.5, -1.0, 0.3, 0.8, -0.2, 0.1];
        let seen = pass(&problem, &beta, CUT);
        let z = Linear::from_beta(&beta).logits(&features);
        let total: f64 = weights.iter().sum();
        let mean = |of: &dyn Fn(usize) -> f64| (0..43).map(|row| weights[row] * of(row)).sum::<f64>() / total;
        let p = |row: usize| 1.0 / (1.0 + (-z[row]).exp());
        // Forty-three numbers of the order of one, added in another order.
        let near = |a: f64, b: f64| (a - b).abs() < 1e-13;
        assert!(near(seen.loss, mean(&|row| -(if labels[row] { p(row) } else { 1.0 - p(row) }).ln())));
        for (gap, v) in constraints.iter().enumerate() {
            assert!(near(seen.soft[gap], mean(&|row| v[row] / (1.0 + (CUT - z[row]).exp()))));
            assert!(near(seen.hard[gap], mean(&|row| if z[row] > CUT { v[row] } else { 0.0 })));
        }
    }

    #[test]
    fn curvature_is_the_difference_of_gradients() {
        let (features, labels, weights, _) = rows();
        let problem = Problem {
            features: &features,
            labels: &labels,
            weights: Some(&weights),
            constraints: &[],
            targets: &[],
            aim: Aim::default(),
        };
        let beta = [0.5, -1.0, 0.3, 0.8, -0.2, 0.1];
        let curvature = curvature(&problem, &beta, 1);
        for i in 0..6 {
            let beside = |by: f64| {
                let mut beta = beta;
                beta[i] += by;
                pass(&problem, &beta, CUT).gradient
            };
            let (above, below) = (beside(1e-5), beside(-1e-5));
            for j in 0..6 {
                assert!((curvature[i * 6 + j] - (above[j] - below[j]) / 2e-5).abs() < 1e-9);
            }
        }
    }
}
