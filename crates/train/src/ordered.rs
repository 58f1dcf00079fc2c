//! Sums over rows that do not depend on threads.
//!
//! ```text
//! Σ over all rows  =  ((chunk 0 + chunk 1) + chunk 2) + …      chunks of a fixed number of rows
//! ```
//! Rounding depends on the order in which numbers are added. Here the order is that of the rows, whoever computes a
//! chunk.

use rayon::prelude::*;
use std::ops::Range;

/// Adds up the vectors of `length` that `of` makes of `chunk` rows at a time: `of` adds to a vector of zeros.
pub(crate) fn sum(
    rows: usize,
    chunk: usize,
    length: usize,
    of: impl Fn(Range<usize>, &mut [f64]) + Sync,
) -> Vec<f64> {
    let one = |start: usize| {
        let mut part = vec![0.0; length];
        of(start..rows.min(start + chunk), &mut part);
        part
    };
    let parts: Vec<Vec<f64>> = if rows <= chunk {
        vec![one(0)]
    } else {
        (0..rows.div_ceil(chunk)).into_par_iter().map(|index| one(index * chunk)).collect()
    };
    let mut total = vec![0.0; length];
    for part in parts {
        add(&mut total, &part);
    }
    total
}

/// `into += what`.
pub(crate) fn add(into: &mut [f64], what: &[f64]) {
    for (into, what) in into.iter_mut().zip(what) {
        *into += what;
    }
}

/// `into += factor · what`.
pub(crate) fn add_times(into: &mut [f64], factor: f64, what: &[f64]) {
    for (into, what) in into.iter_mut().zip(what) {
        *into += factor * what;
    }
}

/// `Σ a·b`, eight sums side by side.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// `Σ a·b` of single and double precision: to the last bit what [`dot`] gives after converting.
pub(crate) fn dot_single(a: &[f32], b: &[f64]) -> f64 {
    let length = a.len().min(b.len());
    let (a, b) = (&a[..length], &b[..length]);
    let mut sums = [0.0; 8];
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| f64::from(*a) * b).sum();
    for (a, b) in a.zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += f64::from(*a) * b;
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// The largest of the absolute values; 0 of none.
pub(crate) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()))
}
