//! Rows cut in two: those a rule is fitted on, and those it is measured on.

use super::{Measuring, MitigateError, MitigateSettings};
use crate::order::{Placed, shuffled};
use crate::plug_in::fold_of;
use crate::{Design, Encoding, Rows};
use fairveil_core::Counts;
use fairveil_core::counts::{Cell, CountsError, Intake, Tally};
use fairveil_core::mitigate::MeasuredOn;
use fairveil_core::vocabulary::{Class, Legend, Stratum};
use fairveil_core::world::Truth;
use std::collections::HashMap;

/// Fewer rows cannot be split.
const FEWEST: usize = 100;

/// Some of the rows, in an order of chance.
pub(crate) struct Part {
    /// Their places in the table.
    pub rows: Vec<usize>,
    pub features: Design,
    /// Whether the right decision is positive: the label or, where there are none, the decision before.
    pub target: Vec<bool>,
    /// The decisions before, where the table has them.
    pub before: Option<Vec<bool>>,
    pub weights: Vec<f64>,
    /// Empty where the table has none.
    pub scores: Vec<f64>,
    /// For each row the place of its label and guesses among the patterns.
    patterns: Vec<u32>,
}

/// What rows say that counts: label and guesses; the prediction is to be filled in.
pub(crate) struct Patterns {
    pub cells: Vec<Cell>,
    of_row: Vec<u32>,
}

impl Patterns {
    pub fn of(rows: &Rows) -> Self {
        let mut cells = Vec::new();
        let mut known: HashMap<Cell, u32> = HashMap::new();
        let mut of_row = Vec::with_capacity(rows.rows);
        for row in 0..rows.rows {
            let label = rows.labels.as_ref().and_then(|labels| labels[row]);
            let stratum = Stratum { label, prediction: Class(0) };
            let cell = Cell { stratum, guesses: rows.guesses.iter().map(|guesses| guesses[row]).collect() };
            let next = cells.len() as u32;
            let place = *known.entry(cell).or_insert_with_key(|cell| {
                cells.push(cell.clone());
                next
            });
            of_row.push(place);
        }
        Patterns { cells, of_row }
    }

    /// The pattern of a row of the table.
    pub fn of_row(&self, row: usize) -> usize {
        self.of_row[row] as usize
    }
}

/// Fewer held-out rows give no interval worth the name.
const FEWEST_HELD_OUT: usize = 20;

/// Below so many rows all are measured on, cross-fitted, unless a share is asked for: three in ten of fewer tell little.
const FEW: usize = 5_000;

/// The rows that take part, fitted and held out.
pub(crate) struct Split {
    pub fitted: Vec<usize>,
    pub held_out: Vec<usize>,
    pub left_out: usize,
    pub measured_on: MeasuredOn,
}

impl Split {
    /// All rows that take part, fitted.
    pub fn whole(rows: &Rows, settings: &MitigateSettings) -> Result<Self, MitigateError> {
        let order = taking_part(rows, settings)?;
        let fitted: Vec<usize> = order.iter().map(|placed| placed.row).collect();
        let left_out = rows.rows - fitted.len();
        Ok(Split { fitted, held_out: Vec::new(), left_out, measured_on: MeasuredOn::HeldOut })
    }

    /// Some fitted, others held out; or, cross-fitted, all of them both.
    pub fn of(rows: &Rows, settings: &MitigateSettings) -> Result<Self, MitigateError> {
        let order = taking_part(rows, settings)?;
        let share = match (&rows.held_out, settings.measuring) {
            (Some(sides), _) => return Split::by_column(rows, &order, sides),
            (None, Measuring::CrossFitted) => None,
            (None, Measuring::Auto) if order.len() < FEW => None,
            (None, Measuring::Auto) => Some(Measuring::SHARE),
            (None, Measuring::HeldOut(share)) => Some(share),
        };
        let left_out = rows.rows - order.len();
        let all = || order.iter().map(|placed| placed.row).collect::<Vec<_>>();
        let Some(share) = share else {
            let measured_on = MeasuredOn::CrossFitted { folds: settings.folds };
            return Ok(Split { fitted: all(), held_out: all(), left_out, measured_on });
        };
        let (held_out, fitted): (Vec<_>, Vec<_>) = order.iter().partition(|placed| placed.is_within(share));
        let rows_of = |some: Vec<Placed>| some.into_iter().map(|placed| placed.row).collect::<Vec<_>>();
        let split = Split {
            fitted: rows_of(fitted),
            held_out: rows_of(held_out),
            left_out,
            measured_on: MeasuredOn::HeldOut,
        };
        split.checked()
    }

    fn by_column(rows: &Rows, order: &[Placed], sides: &[Option<bool>]) -> Result<Self, MitigateError> {
        let on = |side: bool| {
            order.iter().map(|placed| placed.row).filter(|row| sides[*row] == Some(side)).collect::<Vec<_>>()
        };
        let (fitted, held_out) = (on(false), on(true));
        let left_out = rows.rows - fitted.len() - held_out.len();
        let name = rows.split.clone().unwrap_or_default();
        Split { fitted, held_out, left_out, measured_on: MeasuredOn::Column { name } }.checked()
    }

    fn checked(self) -> Result<Self, MitigateError> {
        if self.fitted.len() < FEWEST || self.held_out.len() < FEWEST_HELD_OUT {
            return Err(MitigateError::Sides {
                fitted: self.fitted.len(),
                held_out: self.held_out.len(),
                fewest: [FEWEST, FEWEST_HELD_OUT],
            });
        }
        Ok(self)
    }

    /// All rows that take part, each once.
    pub fn taking_part(&self) -> Vec<usize> {
        match self.measured_on {
            MeasuredOn::CrossFitted { .. } => self.fitted.clone(),
            _ => self.fitted.iter().chain(&self.held_out).copied().collect(),
        }
    }

    /// For each fold, the split that holds it out, and the places of its rows among those held out here; none where rows are held out
    /// once for all.
    pub fn folds(&self) -> Vec<(Split, Vec<usize>)> {
        let MeasuredOn::CrossFitted { folds } = self.measured_on else { return Vec::new() };
        let fold = |fold: usize| {
            let (mine, others): (Vec<usize>, Vec<usize>) =
                (0..self.held_out.len()).partition(|place| fold_of(*place, folds) == fold);
            let rows = |places: &[usize]| places.iter().map(|place| self.held_out[*place]).collect();
            let split = Split {
                fitted: rows(&others),
                held_out: rows(&mine),
                left_out: self.left_out,
                measured_on: MeasuredOn::HeldOut,
            };
            (split, mine)
        };
        (0..folds).map(fold).collect()
    }
}

/// The rows with all that is needed of them.
fn taking_part(rows: &Rows, settings: &MitigateSettings) -> Result<Vec<Placed>, MitigateError> {
    let told = |column: &Option<Vec<Option<Class>>>, row: usize| {
        column.as_ref().is_none_or(|values| values[row].is_some())
    };
    let scored = |row: usize| rows.scores.as_ref().is_none_or(|scores| !scores[row].is_nan());
    let weighs = |row: usize| rows.weights.as_ref().is_none_or(|weights| weights[row] > 0.0);
    let takes_part = |row: &usize| {
        told(&rows.labels, *row) && told(&rows.predictions, *row) && scored(*row) && weighs(*row)
    };
    let taking_part: Vec<usize> = (0..rows.rows).filter(takes_part).collect();
    if taking_part.len() < FEWEST {
        return Err(MitigateError::FewRows { found: taking_part.len(), needed: FEWEST });
    }
    Ok(shuffled(rows, &taking_part, settings.audit.seed))
}

impl Part {
    pub fn of(
        rows: &Rows,
        some: &[usize],
        encoding: &Encoding,
        patterns: &Patterns,
    ) -> Result<Part, MitigateError> {
        let positive = rows.legend.positive;
        let column = |values: &Vec<Option<Class>>| -> Vec<bool> {
            some.iter().map(|row| values[*row] == Some(positive)).collect()
        };
        let before = rows.predictions.as_ref().map(column);
        let target = rows.labels.as_ref().map(column).or_else(|| before.clone());
        let numbers = |values: &Vec<f64>| some.iter().map(|row| values[*row]).collect();
        Ok(Part {
            rows: some.to_vec(),
            features: encoding.encode(&rows.features, some)?,
            target: target.ok_or(MitigateError::NoTarget)?,
            before,
            weights: rows.weights.as_ref().map_or_else(|| vec![1.0; some.len()], numbers),
            scores: rows.scores.as_ref().map(numbers).unwrap_or_default(),
            patterns: some.iter().map(|row| patterns.of_row[*row]).collect(),
        })
    }

    /// What a row says that counts.
    pub fn pattern(&self, row: usize) -> usize {
        self.patterns[row] as usize
    }

    /// The weights of all rows.
    pub fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// How many rows of equal weight would tell as much.
    pub fn effective(&self) -> f64 {
        let total = self.total();
        total * total / self.weights.iter().map(|w| w * w).sum::<f64>()
    }

    /// The weighted share of rows for which something holds.
    pub fn share(&self, holds: impl Fn(usize) -> bool) -> f64 {
        let some: f64 = (0..self.weights.len()).filter(|row| holds(*row)).map(|row| self.weights[row]).sum();
        // An empty sum is a negative zero.
        some / self.total() + 0.0
    }

    /// The tally of these rows, each in the class that is said, with the true groups where they are known.
    pub fn tally(
        &self,
        rows: &Rows,
        patterns: &Patterns,
        legend: Legend,
        class: impl Fn(usize) -> Class,
    ) -> Result<(Counts, Option<Truth>), CountsError> {
        let classes = legend.classes.len();
        let mut weights = vec![0.0; patterns.cells.len() * classes];
        let mut truth = rows.truth.as_ref().map(|_| Truth::default());
        for row in 0..self.rows.len() {
            let class = class(row);
            weights[self.pattern(row) * classes + class.0] += self.weights[row];
            let group = rows.truth.as_ref().and_then(|groups| groups[self.rows[row]]);
            if let (Some(truth), Some(group)) = (&mut truth, group) {
                let label = patterns.cells[self.pattern(row)].stratum.label;
                truth.add(Stratum { label, prediction: class }, group, self.weights[row]);
            }
        }
        let cells = weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0).map(|(place, weight)| {
            let cell = &patterns.cells[place / classes];
            let stratum = Stratum { prediction: Class(place % classes), ..cell.stratum };
            (Cell { stratum, guesses: cell.guesses.clone() }, Tally::of(*weight))
        });
        let squared = rows.weights.is_some().then(|| self.weights.iter().map(|w| w * w).sum());
        let intake = Intake { rows: self.rows.len() as u64, squared_weights: squared, ..Intake::default() };
        Ok((Counts::new(legend, intake, cells)?, truth))
    }
}
