//! Rows kept one by one, column by column.
//!
//! A thread takes blocks of rows in the order of the input, and may miss some that another has. What follows each other
//! without a gap is a run; runs sorted by their first row are the rows in the order of the input.

use crate::error::Problem;
use crate::fault::Fault;
use crate::plan::Plan;
use crate::training::TrainingProblem;
use crate::value::At;
use crate::worker::{Batch, Codes, Consumer};

/// Rows of one thread, and of those it was given.
#[derive(Default)]
pub(super) struct Kept {
    own: Store,
    others: Vec<Store>,
}

/// Rows of one thread, in the order in which it met them.
#[derive(Default)]
struct Store {
    rows: usize,
    runs: Vec<Run>,
    codes: Vec<Vec<u32>>,
    weights: Vec<f64>,
    scores: Vec<f64>,
    features: Vec<Vec<f32>>,
    marks: Vec<u64>,
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
    pub runs: Vec<Run>,
    /// For each key, the code of each row.
    pub codes: Vec<Vec<u32>>,
    /// Empty where rows have none.
    pub weights: Vec<f64>,
    /// Empty where rows have none.
    pub scores: Vec<f64>,
    /// For each feature that is a number, that of each row.
    pub features: Vec<Vec<f32>>,
    /// A number for the whole content of each row.
    pub marks: Vec<u64>,
}

impl KeptRows {
    /// Where a row is.
    pub fn at(&self, row: usize) -> At {
        at_row(&self.runs, row)
    }
}

/// Where a row is, by the runs before it.
pub(super) fn at_row(runs: &[Run], row: usize) -> At {
    let before = runs.partition_point(|run| run.row <= row).checked_sub(1);
    before.map_or(At { file: 0, number: 0 }, |before| {
        let run = runs[before];
        At { number: run.at.number + (row - run.row) as u64, ..run.at }
    })
}

/// Adds where one more row is.
fn follow(runs: &mut Vec<Run>, row: usize, at: At) {
    let follows = |run: &Run| run.at.file == at.file && run.at.number + (row - run.row) as u64 == at.number;
    if !runs.last().is_some_and(follows) {
        runs.push(Run { row, at });
    }
}

impl Consumer for Kept {
    fn held(&self) -> u64 {
        let row = 4 * (self.own.codes.len() + self.own.features.len()) + 24;
        // Rows are copied once, into the order of the input.
        2 * (row * self.own.rows) as u64
    }

    fn add(&mut self, batch: &Batch, plan: &Plan) -> Result<(), Fault> {
        let is_in = |row: &usize| !batch.left_out.get(*row).is_some_and(|out| *out);
        let rows: Vec<usize> = (0..batch.rows).filter(is_in).collect();
        let whole = rows.len() == batch.rows;
        let own = &mut self.own;
        let too_many = |rows| {
            let problem = Problem::Training(TrainingProblem::TooMany { rows });
            Fault { at: At { file: batch.file, number: 0 }, column: None, problem }
        };
        fn take<T: Copy>(all: &mut Vec<T>, more: &[T], rows: &[usize], whole: bool) -> bool {
            if all.try_reserve(rows.len()).is_err() {
                return false;
            }
            if whole {
                all.extend_from_slice(&more[..rows.len()]);
            } else {
                all.extend(rows.iter().map(|row| more[*row]));
            }
            true
        }
        own.codes.resize_with(batch.codes.len(), Vec::new);
        own.features.resize_with(batch.features.len(), Vec::new);
        let mut fits = true;
        for (all, more) in own.codes.iter_mut().zip(&batch.codes) {
            fits &= take(all, more, &rows, whole);
        }
        for (all, more) in own.features.iter_mut().zip(&batch.features) {
            fits &= take(all, more, &rows, whole);
        }
        if let Some(place) = plan.weight {
            fits &= take(&mut own.weights, &batch.numbers[place], &rows, whole);
        }
        if let Some(place) = plan.score {
            fits &= take(&mut own.scores, &batch.numbers[place], &rows, whole);
        }
        fits &= take(&mut own.marks, &batch.marks, &rows, whole);
        if !fits {
            return Err(too_many(own.rows + rows.len()));
        }
        for (place, row) in rows.iter().enumerate() {
            follow(&mut own.runs, own.rows + place, batch.at(*row));
        }
        own.rows += rows.len();
        Ok(())
    }

    fn merge(&mut self, other: Self, codes: &Codes) -> Result<(), Problem> {
        for mut store in std::iter::once(other.own).chain(other.others) {
            for (column, codes) in store.codes.iter_mut().zip(codes) {
                column.iter_mut().for_each(|code| *code = codes[*code as usize]);
            }
            self.others.push(store);
        }
        Ok(())
    }
}

/// Rows of one store that follow each other.
#[derive(Clone, Copy)]
struct Part {
    store: usize,
    start: usize,
    end: usize,
    at: At,
}

/// A column of all stores, its parts in order. Each store lets go of its own, so that columns are not in memory twice.
fn joined<T: Copy>(
    stores: &mut [Store],
    parts: &[Part],
    column: impl Fn(&mut Store) -> Option<&mut Vec<T>>,
) -> Result<Vec<T>, Problem> {
    let mut taken: Vec<Vec<T>> =
        stores.iter_mut().map(|store| column(store).map(std::mem::take).unwrap_or_default()).collect();
    if let [own] = taken.as_mut_slice() {
        return Ok(std::mem::take(own));
    }
    let rows = taken.iter().map(Vec::len).sum();
    let mut all = Vec::new();
    all.try_reserve_exact(rows).map_err(|_| Problem::Training(TrainingProblem::TooMany { rows }))?;
    for part in parts {
        all.extend_from_slice(taken[part.store].get(part.start..part.end).unwrap_or_default());
    }
    Ok(all)
}

impl Kept {
    /// The rows in the order of the input.
    pub fn in_order(self, plan: &Plan) -> Result<KeptRows, Problem> {
        let stores = std::iter::once(self.own).chain(self.others).filter(|store| store.rows > 0);
        let stores = &mut stores.collect::<Vec<Store>>()[..];
        let mut parts = Vec::new();
        for (store, kept) in stores.iter().enumerate() {
            let ends = kept.runs.iter().skip(1).map(|run| run.row).chain([kept.rows]);
            let part = |(run, end): (&Run, usize)| Part { store, start: run.row, end, at: run.at };
            parts.extend(kept.runs.iter().zip(ends).map(part));
        }
        // One thread alone meets rows in their order.
        parts.sort_by_key(|part| part.at);
        let (mut rows, mut runs) = (0, Vec::new());
        for part in &parts {
            follow(&mut runs, rows, part.at);
            rows += part.end - part.start;
        }
        let codes = (0..plan.keys.len()).map(|key| joined(stores, &parts, |store| store.codes.get_mut(key)));
        let codes = codes.collect::<Result<_, _>>()?;
        let weights = joined(stores, &parts, |store| Some(&mut store.weights))?;
        let scores = joined(stores, &parts, |store| Some(&mut store.scores))?;
        let features = (0..plan.features.len())
            .map(|place| joined(stores, &parts, |store| store.features.get_mut(place)))
            .collect::<Result<_, _>>()?;
        let marks = joined(stores, &parts, |store| Some(&mut store.marks))?;
        Ok(KeptRows { rows, runs, codes, weights, scores, features, marks })
    }
}
