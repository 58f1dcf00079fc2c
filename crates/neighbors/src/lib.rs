//! The two nearest neighbours of every row, by which one proxy can stand for three.
//!
//! ```
//! use fairveil_neighbors::{Metric, SearchMethod, Vectors, nearest};
//! // Four places on a line: 0, 1, 3 and again 1.
//! let places = Vectors::new(vec![0.0, 1.0, 3.0, 1.0], 1, Metric::Euclidean)?;
//! let found = nearest(&places, SearchMethod::Auto, &|_, _| ());
//! assert_eq!(found.nearest, [[1, 3], [3, 0], [1, 3], [1, 0]]);
//! assert_eq!(found.distances[1], [0.0, 1.0]);
//! # Ok::<(), fairveil_neighbors::VectorProblem>(())
//! ```
//!
//! For a row `a`, those two other rows `b` for which
//! ```text
//! Σ (aᵢ − bᵢ)²      is least; on equal sums, the lower row number is nearer
//! ```
//! For cosine the rows are brought to length 1 first, where that sum is `2 − 2·cos(a, b)`. A row is never its own
//! neighbour; a row equal to it is, at distance 0. Sums are compared in double precision, so that the answer does not
//! depend on the number of threads or on how the work was cut.
//!
//! Up to [`EXACT_ROWS`] rows every pair is looked at (`exact`). Above, a graph is searched (`hnsw`), which misses
//! some: how many is measured on a sample and handed back as [`Neighbors::recall`].

mod exact;
mod hnsw;
mod vectors;

pub use vectors::{VectorProblem, Vectors};

use exact::{Best, Points};
use vectors::Distinct;

/// The most different rows that [`SearchMethod::Auto`] compares pair by pair: minutes on a small machine, since time
/// grows with the square of the rows.
pub const EXACT_ROWS: usize = 200_000;

/// What is near.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Metric {
    /// The angle: 1 − cos. Lengths of rows do not matter; embeddings are made for it.
    #[default]
    Cosine,
    /// The straight line. Scales of features matter.
    Euclidean,
}

/// How neighbours are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchMethod {
    /// Exact up to [`EXACT_ROWS`] different rows, the graph above.
    #[default]
    Auto,
    /// Every pair.
    Exact,
    /// A graph of near rows; misses some neighbours.
    Hnsw,
}

/// Each row's two nearest neighbours.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbors {
    /// For each row its nearest and second nearest, never itself.
    pub nearest: Vec<[u32; 2]>,
    /// How far they are. Cosine: 1 − cos. Euclidean: the distance, not its square.
    pub distances: Vec<[f32; 2]>,
    /// How they were looked for: [`Exact`](SearchMethod::Exact) or [`Hnsw`](SearchMethod::Hnsw).
    pub method: SearchMethod,
    /// For the graph: which share of the true neighbours of a sample of rows was found.
    pub recall: Option<f64>,
}

/// Looks for the two nearest neighbours of every row, on the threads of the `rayon` pool it is called in.
///
/// `progress` is told, now and then and from any thread, how many rows' worth of the work is done, and of how many.
///
/// # Panics
/// Where `progress` does: a search ends whole or not at all.
pub fn nearest(
    vectors: &Vectors,
    method: SearchMethod,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Neighbors {
    let distinct = Distinct::new(vectors);
    let points = Points::new(vectors, &distinct.first);
    let graph = match method {
        SearchMethod::Auto => distinct.first.len() > EXACT_ROWS,
        SearchMethod::Exact => false,
        SearchMethod::Hnsw => true,
    };
    let (found, recall) = if graph {
        let (found, recall) = hnsw::all_nearest(&points, progress);
        (found, Some(recall))
    } else {
        (points.all_nearest(progress), None)
    };
    let method = if graph { SearchMethod::Hnsw } else { SearchMethod::Exact };
    let (nearest, distances) = (0..vectors.rows()).map(|row| of_row(row, vectors, &distinct, &found)).unzip();
    Neighbors { nearest, distances, method, recall }
}

/// From the nearest kinds of a row's kind to its nearest rows.
///
/// Equal rows come first. After them, the kinds are in order of distance and first row: if the two nearest kinds are
/// at the same distance, the second row of the first may be lower than the first row of the second.
fn of_row(row: usize, vectors: &Vectors, distinct: &Distinct, found: &[Best]) -> ([u32; 2], [f32; 2]) {
    let kind = distinct.kind(row);
    let best = found[kind as usize];
    let own =
        distinct.lowest(kind).iter().map(|&other| (0.0, other)).filter(|&(_, other)| other as usize != row);
    let near =
        best.found().flat_map(|(squared, kind)| distinct.lowest(kind).iter().map(move |&row| (squared, row)));
    let mut rows = Best::default();
    for (squared, other) in own.chain(near) {
        rows.offer(squared, other);
    }
    (rows.at, rows.squared.map(|squared| vectors.distance(squared)))
}
