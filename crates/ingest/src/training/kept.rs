//! Rows kept one by one, column by column.
//!
//! Threads hand in pieces in any order; a piece holds rows that follow each other, so pieces sorted by their first row
//! are the rows in the order of the input.

use crate::error::Problem;
use crate::plan::Plan;
use crate::training::TrainingProblem;
use crate::value::At;
use crate::worker::{Batch, Consumer, Fault};

/// Rows of one thread.
#[derive(Default)]
pub(super) struct Kept {
    pieces: Vec<Piece>,
}

/// Rows that follow each other in the input.
#[derive(Default)]
struct Piece {
    rows: usize,
    places: Vec<Run>,
    codes: Vec<Vec<u32>>,
    weights: Vec<f64>,
    scores: Vec<f64>,
    features: Vec<Vec<f32>>,
}

/// Rows that are found on lines, or rows, one after the other: the first of them, and where it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Run {
    pub row: usize,
    pub at: At,
}

/// All rows in the order of the input.
#[derive(Default)]
pub(super) struct KeptRows {
    pub rows: usize,
    pub places: Vec<Run>,
    /// For each key, the code of each row.
    pub codes: Vec<Vec<u32>>,
    /// Empty where rows have none.
    pub weights: Vec<f64>,
    /// Empty where rows have none.
    pub scores: Vec<f64>,
    /// For each feature that is a number, that of each row.
    pub features: Vec<Vec<f32>>,
}

/// Adds where one more row is.
fn follow(places: &mut Vec<Run>, row: usize, at: At) {
    let follows = places
        .last()
        .is_some_and(|run| run.at.file == at.file && run.at.number + (row - run.row) as u64 == at.number);
    if !follows {
        places.push(Run { row, at });
    }
}

impl Consumer for Kept {
    fn add(&mut self, batch: &Batch, plan: &Plan) -> Result<(), Fault> {
        let is_in = |row: &usize| !batch.left_out.get(*row).is_some_and(|out| *out);
        let rows: Vec<usize> = (0..batch.rows).filter(is_in).collect();
        if rows.is_empty() {
            return Ok(());
        }
        fn only<T: Copy>(values: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().map(|row| values[*row]).collect()
        }
        let mut piece = Piece {
            rows: rows.len(),
            codes: batch.codes.iter().map(|codes| only(codes, &rows)).collect(),
            features: batch.features.iter().map(|features| only(features, &rows)).collect(),
            ..Piece::default()
        };
        rows.iter().enumerate().for_each(|(place, row)| follow(&mut piece.places, place, batch.at(*row)));
        piece.weights = plan.weight.map(|place| only(&batch.numbers[place], &rows)).unwrap_or_default();
        piece.scores = plan.score.map(|place| only(&batch.numbers[place], &rows)).unwrap_or_default();
        self.pieces.push(piece);
        Ok(())
    }

    fn merge(&mut self, other: Self, codes: &[Vec<u32>]) -> Result<(), Problem> {
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
    /// The rows in the order of the input.
    pub fn in_order(mut self, plan: &Plan) -> Result<KeptRows, Problem> {
        self.pieces.sort_by_key(|piece| piece.places.first().map(|run| run.at));
        let rows: usize = self.pieces.iter().map(|piece| piece.rows).sum();
        let mut places = Vec::new();
        let mut before = 0;
        for piece in &self.pieces {
            for run in &piece.places {
                follow(&mut places, before + run.row, run.at);
            }
            before += piece.rows;
        }
        let pieces = &mut self.pieces;
        // Column by column, and each let go of at once: features are not in memory twice.
        fn joined<T>(
            pieces: &mut [Piece],
            rows: usize,
            column: impl Fn(&mut Piece) -> Option<&mut Vec<T>>,
        ) -> Result<Vec<T>, Problem> {
            let mut all = Vec::new();
            for piece in pieces {
                if let Some(part) = column(piece).filter(|part| !part.is_empty()) {
                    if all.is_empty() {
                        let too_many = |_| Problem::Training(TrainingProblem::TooMany { rows });
                        all.try_reserve_exact(rows).map_err(too_many)?;
                    }
                    all.append(&mut std::mem::take(part));
                }
            }
            Ok(all)
        }
        Ok(KeptRows {
            rows,
            places,
            codes: (0..plan.keys.len())
                .map(|key| joined(pieces, rows, |piece| piece.codes.get_mut(key)))
                .collect::<Result<_, _>>()?,
            weights: joined(pieces, rows, |piece| Some(&mut piece.weights))?,
            scores: joined(pieces, rows, |piece| Some(&mut piece.scores))?,
            features: (0..plan.features.len())
                .map(|place| joined(pieces, rows, |piece| piece.features.get_mut(place)))
                .collect::<Result<_, _>>()?,
        })
    }
}
