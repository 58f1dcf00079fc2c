//! Rows of numbers, checked once: what a nearest neighbour can be looked for in.

use crate::Metric;
use hashbrown::hash_table::{Entry, HashTable};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

/// Fewer rows have no two neighbours each.
const FEWEST_ROWS: usize = 3;

/// More features than anyone has; the bound on rounding that the exact search lives by holds up to here.
const MOST_DIMENSIONS: usize = 1 << 20;

/// Rows of numbers, checked: all finite, and for cosine none of length zero.
///
/// For [`Metric::Cosine`] the rows are kept at length 1, in place of those that came in: nothing is stored twice. Rows
/// that came in with the same bits are stored with the same bits, so that duplicates stay duplicates.
#[derive(Debug, Clone, PartialEq)]
pub struct Vectors {
    data: Vec<f32>,
    rows: usize,
    dimensions: usize,
    metric: Metric,
}

/// Why rows of numbers have no nearest neighbours. Rows and dimensions count from 0.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum VectorProblem {
    /// A row needs two others.
    #[error("{rows} rows with numbers; two neighbours for each need at least {FEWEST_ROWS}")]
    TooFew {
        /// Rows found.
        rows: usize,
    },
    /// More than can be numbered.
    #[error("{rows} rows with numbers are more than can be searched; take a sample of at most 4 billion")]
    TooMany {
        /// Rows found.
        rows: usize,
    },
    /// Rows without a number, or numbers that do not fill the last row.
    #[error(
        "{numbers} numbers do not make whole rows of {dimensions}; each row needs the same number of features"
    )]
    Ragged {
        /// Numbers found.
        numbers: usize,
        /// Numbers in a row.
        dimensions: usize,
    },
    /// More features than rounding allows.
    #[error("rows of {dimensions} features are longer than can be compared; take at most {MOST_DIMENSIONS}")]
    TooWide {
        /// Numbers in a row.
        dimensions: usize,
    },
    /// Distances to what is not a number are not numbers.
    #[error("feature {dimension} of row {row} is not a finite number; fill it in or leave the row out")]
    NotFinite {
        /// Counting from 0.
        row: usize,
        /// Counting from 0.
        dimension: usize,
    },
    /// A row of zeros has no direction.
    #[error("all features of row {row} are 0, so it has no direction to compare; use the euclidean distance")]
    Zero {
        /// Counting from 0.
        row: usize,
    },
    /// No row is nearer than another.
    #[error("all rows have the same features, so none is nearer than another; choose features that differ")]
    AllIdentical,
}

impl Vectors {
    /// Takes `data` row after row.
    ///
    /// ```
    /// # use fairveil_neighbors::{Metric, VectorProblem, Vectors};
    /// let square = Vectors::new(vec![0.0, 0.0, 3.0, 4.0, 6.0, 8.0], 2, Metric::Euclidean)?;
    /// assert_eq!((square.rows(), square.row(1)), (3, [3.0, 4.0].as_slice()));
    /// // A row of zeros points nowhere.
    /// let cosine = Vectors::new(vec![0.0, 0.0, 3.0, 4.0, 6.0, 8.0], 2, Metric::Cosine);
    /// assert_eq!(cosine, Err(VectorProblem::Zero { row: 0 }));
    /// # Ok::<(), VectorProblem>(())
    /// ```
    pub fn new(data: Vec<f32>, dimensions: usize, metric: Metric) -> Result<Self, VectorProblem> {
        if dimensions == 0 || !data.len().is_multiple_of(dimensions) {
            return Err(VectorProblem::Ragged { numbers: data.len(), dimensions });
        }
        let rows = data.len() / dimensions;
        if rows < FEWEST_ROWS {
            return Err(VectorProblem::TooFew { rows });
        }
        if rows >= u32::MAX as usize {
            return Err(VectorProblem::TooMany { rows });
        }
        if dimensions > MOST_DIMENSIONS {
            return Err(VectorProblem::TooWide { dimensions });
        }
        if let Some(at) = data.iter().position(|value| !value.is_finite()) {
            return Err(VectorProblem::NotFinite { row: at / dimensions, dimension: at % dimensions });
        }
        let mut vectors = Vectors { data, rows, dimensions, metric };
        vectors.prepare()?;
        let (first, others) = vectors.data.split_at(dimensions);
        if others.chunks_exact(dimensions).all(|row| row == first) {
            return Err(VectorProblem::AllIdentical);
        }
        Ok(vectors)
    }

    /// Rows of length 1 for cosine; a zero without a sign for both, so that equal rows have equal bits.
    fn prepare(&mut self) -> Result<(), VectorProblem> {
        for (at, row) in self.data.chunks_exact_mut(self.dimensions).enumerate() {
            let scale = match self.metric {
                Metric::Euclidean => 1.0,
                Metric::Cosine => row.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>().sqrt(),
            };
            if scale == 0.0 {
                return Err(VectorProblem::Zero { row: at });
            }
            for value in row {
                *value = (f64::from(*value) / scale) as f32 + 0.0;
            }
        }
        Ok(())
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Numbers in a row.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// What is near.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// A row as it is compared: of length 1 for cosine.
    ///
    /// # Panics
    /// Past the last row, as a slice does.
    pub fn row(&self, i: usize) -> &[f32] {
        &self.data[i * self.dimensions..][..self.dimensions]
    }

    /// The square of the distance of two rows as they are compared, by which all neighbours are ranked.
    ///
    /// For rows of length 1 it is `2 − 2·cos`. The sum of squares keeps all digits of a small distance, which the
    /// difference would lose, and is exactly 0 for equal rows and only for those: a square of a difference of two
    /// `f32` is at least 2⁻²⁹⁸, far from being rounded to 0.
    pub(crate) fn squared_distance(&self, i: usize, j: usize) -> f64 {
        // Eight sums side by side: the processor adds several at once, and the order of addition is always the same.
        const LANES: usize = 8;
        let (a, b) = (self.row(i).chunks_exact(LANES), self.row(j).chunks_exact(LANES));
        let rest = a.remainder().iter().zip(b.remainder());
        let mut sums = [0.0_f64; LANES];
        for (a, b) in a.zip(b) {
            for lane in 0..LANES {
                let difference = f64::from(a[lane]) - f64::from(b[lane]);
                sums[lane] += difference * difference;
            }
        }
        rest.map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2)).sum::<f64>() + sums.iter().sum::<f64>()
    }

    /// From the square of [`squared_distance`](Self::squared_distance) to what a reader is told.
    pub(crate) fn distance(&self, squared: f64) -> f32 {
        match self.metric {
            Metric::Cosine => (squared / 2.0) as f32,
            Metric::Euclidean => squared.sqrt() as f32,
        }
    }
}

/// Rows that differ, each with the rows that are equal to it.
///
/// Only different rows are searched: what is equal is at distance 0 without looking, and a thousand equal rows would
/// otherwise tie a thousand times.
pub(crate) struct Distinct {
    /// The first row of each kind, rising.
    pub first: Vec<u32>,
    /// For each row its kind, a place in `first`.
    kind: Vec<u32>,
    /// For kinds of more than one row, the three lowest of them: a row of that kind has two others among these.
    lowest: hashbrown::HashMap<u32, Vec<u32>>,
}

/// Enough rows of one kind to leave two beside any row.
const LOWEST: usize = 3;

impl Distinct {
    pub fn new(vectors: &Vectors) -> Self {
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        let row = |at: u32| vectors.row(at as usize);
        let hash = |at: u32| {
            hasher.hash_one(row(at).iter().fold(0_u64, |mixed, value| {
                // Mixed as in the FNV hash, four bytes at a time; the hasher spreads the bits.
                (mixed ^ u64::from(value.to_bits())).wrapping_mul(0x0100_0000_01b3)
            }))
        };
        let mut table: HashTable<u32> = HashTable::new();
        let mut distinct =
            Distinct { first: Vec::new(), kind: Vec::new(), lowest: hashbrown::HashMap::new() };
        distinct.kind.reserve_exact(vectors.rows());
        for at in 0..vectors.rows() as u32 {
            let first = &distinct.first;
            let same = |&kind: &u32| row(first[kind as usize]) == row(at);
            let kind = match table.entry(hash(at), same, |&kind| hash(first[kind as usize])) {
                Entry::Vacant(place) => {
                    let kind = first.len() as u32;
                    place.insert(kind);
                    distinct.first.push(at);
                    kind
                }
                Entry::Occupied(place) => {
                    let kind = *place.get();
                    let lowest = distinct.lowest.entry(kind).or_insert_with(|| vec![first[kind as usize]]);
                    if lowest.len() < LOWEST {
                        lowest.push(at);
                    }
                    kind
                }
            };
            distinct.kind.push(kind);
        }
        distinct
    }

    /// The kind of a row.
    pub fn kind(&self, row: usize) -> u32 {
        self.kind[row]
    }

    /// The lowest rows of a kind, rising, as many as can be anyone's neighbours.
    pub fn lowest(&self, kind: u32) -> &[u32] {
        match self.lowest.get(&kind) {
            Some(rows) => rows,
            None => self.first.get(kind as usize).map_or(&[], std::slice::from_ref),
        }
    }
}
