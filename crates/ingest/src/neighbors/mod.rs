//! A stand-in for the search: every pair, one thread.

/// What is near.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Metric {
    /// The angle.
    #[default]
    Cosine,
    /// The straight line.
    Euclidean,
}

/// How neighbours are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchMethod {
    /// As is best.
    #[default]
    Auto,
    /// Every pair.
    Exact,
    /// A graph.
    Hnsw,
}

/// Each row's two nearest neighbours.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbors {
    /// Nearest and second nearest.
    pub nearest: Vec<[u32; 2]>,
    /// How far they are.
    pub distances: Vec<[f32; 2]>,
    /// How they were looked for.
    pub method: SearchMethod,
    /// Which share was found.
    pub recall: Option<f64>,
}

/// Rows of numbers, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Vectors {
    data: Vec<f32>,
    dimensions: usize,
}

/// Why rows have no neighbours.
#[derive(Debug, Clone, PartialEq)]
pub enum VectorProblem {
    /// Too few rows.
    TooFew {
        /// Rows.
        rows: usize,
    },
    /// Too many rows.
    TooMany {
        /// Rows.
        rows: usize,
    },
    /// No whole rows.
    Ragged {
        /// Numbers.
        numbers: usize,
        /// Of each row.
        dimensions: usize,
    },
    /// No number.
    NotFinite {
        /// From 0.
        row: usize,
        /// From 0.
        dimension: usize,
    },
    /// Zeros only.
    Zero {
        /// From 0.
        row: usize,
    },
    /// All rows are the same.
    AllIdentical,
}

impl Vectors {
    /// Takes `data` row after row.
    pub fn new(mut data: Vec<f32>, dimensions: usize, metric: Metric) -> Result<Self, VectorProblem> {
        let rows = data.len() / dimensions.max(1);
        if rows < 3 {
            return Err(VectorProblem::TooFew { rows });
        }
        if let Some(at) = data.iter().position(|value| !value.is_finite()) {
            return Err(VectorProblem::NotFinite { row: at / dimensions, dimension: at % dimensions });
        }
        for row in 0..rows {
            let values = &mut data[row * dimensions..(row + 1) * dimensions];
            let length = values.iter().map(|v| f64::from(*v) * f64::from(*v)).sum::<f64>().sqrt();
            if metric == Metric::Cosine {
                if length == 0.0 {
                    return Err(VectorProblem::Zero { row });
                }
                values.iter_mut().for_each(|v| *v = (f64::from(*v) / length) as f32);
            }
        }
        if data.chunks(dimensions).all(|row| row == &data[..dimensions]) {
            return Err(VectorProblem::AllIdentical);
        }
        Ok(Vectors { data, dimensions })
    }

    /// How many.
    pub fn rows(&self) -> usize {
        self.data.len() / self.dimensions
    }

    /// Numbers of each.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// One of them.
    pub fn row(&self, i: usize) -> &[f32] {
        &self.data[i * self.dimensions..(i + 1) * self.dimensions]
    }
}

/// Looks for the two nearest neighbours of every row.
pub fn nearest(
    vectors: &Vectors,
    _method: SearchMethod,
    _threads: Option<usize>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Neighbors {
    let rows = vectors.rows();
    let (mut nearest, mut distances) = (Vec::new(), Vec::new());
    for row in 0..rows {
        let square = |a: &[f32], b: &[f32]| {
            a.iter().zip(b).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum::<f64>()
        };
        let mut best = [(f64::INFINITY, 0), (f64::INFINITY, 0)];
        for other in (0..rows).filter(|other| *other != row) {
            let found = square(vectors.row(row), vectors.row(other));
            if found < best[0].0 {
                best = [(found, other), best[0]];
            } else if found < best[1].0 {
                best[1] = (found, other);
            }
        }
        nearest.push(best.map(|(_, other)| other as u32));
        distances.push(best.map(|(square, _)| square.sqrt() as f32));
        progress(row + 1, rows);
    }
    Neighbors { nearest, distances, method: SearchMethod::Exact, recall: None }
}
