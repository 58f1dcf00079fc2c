//! Rows kept one by one, because each has neighbours of its own.
//!
//! Threads hand in pieces in any order; a piece holds rows that follow each other, so pieces sorted by their first row
//! are the rows in the order of the input.

use crate::error::Problem;
use crate::fault::Fault;
use crate::features::FeatureProblem;
use crate::plan::Plan;
use crate::value::At;
use crate::worker::{Batch, Codes, Consumer};

/// Rows of one thread.
#[derive(Default)]
pub(crate) struct Kept {
    pieces: Vec<Piece>,
    /// Bytes of all pieces.
    held: u64,
}

/// Rows that follow each other in the input.
#[derive(Default)]
struct Piece {
    at: Vec<At>,
    /// For each key, the code of each row.
    codes: Vec<Vec<u32>>,
    weights: Vec<f64>,
    /// For each group, the mean probability on each row.
    scores: Vec<Vec<f64>>,
    scored: Vec<bool>,
    /// Row after row.
    features: Vec<f32>,
    /// How many features each row has, where they are the elements of a list.
    lengths: Vec<u32>,
}

/// All rows in the order of the input.
#[derive(Default)]
pub(crate) struct KeptRows {
    pub at: Vec<At>,
    pub codes: Vec<Vec<u32>>,
    /// Empty where rows have none.
    pub weights: Vec<f64>,
    pub scores: Vec<Vec<f64>>,
    pub scored: Vec<bool>,
    pub features: Vec<f32>,
    pub dimensions: usize,
}

impl Piece {
    fn bytes(&self) -> u64 {
        let row = size_of::<At>() + 4 * self.codes.len() + 8 * (1 + self.scores.len()) + 5;
        (row * self.at.len() + 4 * self.features.len()) as u64
    }
}

impl Consumer for Kept {
    fn held(&self) -> u64 {
        // Rows are copied once, into the order of the input.
        2 * self.held
    }

    fn add(&mut self, batch: &Batch, plan: &Plan) -> Result<(), Fault> {
        let rows: Vec<usize> =
            (0..batch.rows).filter(|row| !batch.left_out.get(*row).is_some_and(|out| *out)).collect();
        let mut piece = Piece {
            at: rows.iter().map(|row| batch.at(*row)).collect(),
            codes: batch.codes.iter().map(|codes| rows.iter().map(|row| codes[*row]).collect()).collect(),
            ..Piece::default()
        };
        if let Some(place) = plan.weight {
            piece.weights = rows.iter().map(|row| batch.numbers[place][*row]).collect();
        }
        if !plan.probabilities.is_empty() {
            let of_group = |scores: &Vec<f64>| rows.iter().map(|row| scores[*row]).collect();
            piece.scores = batch.scores.iter().map(of_group).collect();
            piece.scored = rows.iter().map(|row| batch.scored[*row]).collect();
        }
        let too_many = || {
            let problem = FeatureProblem::TooMany { rows: rows.len(), dimensions: plan.features.len() };
            Fault {
                at: At { file: batch.file, number: 0 },
                column: None,
                problem: Problem::Features(problem),
            }
        };
        if batch.lists.ends.is_empty() {
            let numbers = rows.len() * batch.features.len();
            piece.features.try_reserve_exact(numbers).map_err(|_| too_many())?;
            for row in &rows {
                piece.features.extend(batch.features.iter().map(|features| features[*row]));
            }
        } else {
            for row in &rows {
                let start = row.checked_sub(1).map_or(0, |before| batch.lists.ends[before]);
                let list = &batch.lists.values[start..batch.lists.ends[*row]];
                piece.features.try_reserve(list.len()).map_err(|_| too_many())?;
                piece.features.extend_from_slice(list);
                piece.lengths.push(list.len() as u32);
            }
        }
        self.held += piece.bytes();
        self.pieces.extend(Some(piece).filter(|piece| !piece.at.is_empty()));
        Ok(())
    }

    fn merge(&mut self, other: Self, codes: &Codes) -> Result<(), Problem> {
        for mut piece in other.pieces {
            for (column, codes) in piece.codes.iter_mut().zip(codes) {
                column.iter_mut().for_each(|code| *code = codes[*code as usize]);
            }
            self.pieces.push(piece);
        }
        Ok(())
    }
}

impl Kept {
    /// The rows in the order of the input. Lists must have the length of the first.
    pub fn in_order(mut self, plan: &Plan) -> Result<KeptRows, Fault> {
        self.pieces.sort_by_key(|piece| piece.at.first().copied());
        let fault = |at: Option<At>, problem| {
            let at = at.unwrap_or(At { file: 0, number: 0 });
            Fault { at, column: plan.features.first().cloned(), problem: Problem::Features(problem) }
        };
        let rows: usize = self.pieces.iter().map(|piece| piece.at.len()).sum();
        let numbers: usize = self.pieces.iter().map(|piece| piece.features.len()).sum();
        let lists = self.pieces.first().is_some_and(|piece| !piece.lengths.is_empty());
        let dimensions = match self.pieces.first() {
            Some(first) if lists => first.lengths[0] as usize,
            _ => plan.features.len(),
        };
        if rows > 0 && dimensions == 0 && !plan.features.is_empty() {
            return Err(fault(self.pieces.first().map(|piece| piece.at[0]), FeatureProblem::NoDimensions));
        }
        let mut all = KeptRows {
            codes: plan.keys.iter().map(|_| Vec::with_capacity(rows)).collect(),
            scores: plan.score_groups.iter().map(|_| Vec::new()).collect(),
            dimensions,
            ..KeptRows::default()
        };
        let too_many = |_| fault(None, FeatureProblem::TooMany { rows, dimensions });
        all.features.try_reserve_exact(numbers).map_err(too_many)?;
        all.at.try_reserve_exact(rows).map_err(too_many)?;
        // Piece by piece, and each let go of at once: features are not in memory twice.
        for piece in self.pieces {
            // A file may hold numbers where another holds lists: then its rows have one feature.
            let length = |row: usize| piece.lengths.get(row).map_or(plan.features.len(), |n| *n as usize);
            if let Some(row) = (0..piece.at.len()).find(|row| length(*row) != dimensions) {
                let problem = FeatureProblem::Length { found: length(row), needed: dimensions };
                return Err(fault(Some(piece.at[row]), problem));
            }
            all.at.extend(piece.at);
            all.codes.iter_mut().zip(piece.codes).for_each(|(all, codes)| all.extend(codes));
            all.weights.extend(piece.weights);
            all.scores.iter_mut().zip(piece.scores).for_each(|(all, scores)| all.extend(scores));
            all.scored.extend(piece.scored);
            all.features.extend(piece.features);
        }
        Ok(all)
    }
}
