//! Rows drawn anew, all decisions of a row together, and what every model's audit makes of them.

use super::{Candidate, PairedCell};
use crate::advise::ReliedOn;
use crate::calibrate::calibrate;
use crate::counts::{Cell, Counts, Frequencies, View};
use crate::rates::Joint;
use crate::settings::Settings;
use crate::uncertainty::bootstrap::multinomial;
use crate::uncertainty::design::rows_of;
use crate::uncertainty::draw_in_order;
use crate::vocabulary::{Class, Criterion, Group, Stratum};
use nalgebra::DMatrix;

/// Numbers that may be kept of how far draws are from a table: past it only the first draws are.
const MOST_KEPT: usize = 4_000_000;

/// Rates by draw, model and criterion, by what each model's audit relies on; and the draws themselves.
pub(super) struct Redrawn {
    pub rates: Vec<Vec<Vec<Option<Vec<f64>>>>>,
    tables: Vec<Tallied>,
    drawn: Vec<Vec<f64>>,
}

impl Redrawn {
    pub fn of(
        candidates: &[Candidate],
        rows: &[(PairedCell, f64)],
        relied: &[&[ReliedOn]],
        criteria: &[Criterion],
        settings: &Settings,
    ) -> Self {
        let total: f64 = rows.iter().map(|(_, weight)| weight).sum();
        let shares: Vec<f64> = rows.iter().map(|(_, weight)| weight / total).collect();
        let worth = |candidate: &Candidate| rows_of(candidate.counts, View::Predictions, None);
        let effective = candidates.iter().map(worth).fold(f64::INFINITY, f64::min);
        let tables: Vec<Tallied> = (candidates.iter().enumerate())
            .map(|(model, candidate)| Tallied::of(candidate.counts, rows, model))
            .collect();
        let draws = if candidates.is_empty() { 0 } else { settings.n_boot };
        let found = draw_in_order(draws, |index| {
            let drawn = multinomial(&shares, effective, settings.seed, index);
            let of_model = |(model, candidate): (usize, &Candidate)| {
                let seen = tables[model].with(&drawn);
                explained(relied[model], &seen, criteria, candidate.counts.legend().positive)
            };
            let rates = candidates.iter().enumerate().map(of_model).collect();
            let kept = (index as usize).saturating_mul(rows.len()) < MOST_KEPT;
            (rates, if kept { drawn } else { Vec::new() })
        });
        let (rates, mut drawn): (Vec<_>, Vec<Vec<f64>>) = found.into_iter().unzip();
        drawn.retain(|draw| !draw.is_empty());
        Redrawn { rates, tables, drawn }
    }

    /// How far each draw is from a model's table, cell by cell of a view; nothing where a draw leaves it without rows.
    pub fn off(&self, model: usize, seen: &Frequencies, view: View) -> DMatrix<f64> {
        let cells = seen.cells();
        let table = &self.tables[model];
        let place = |cell: &Cell| {
            let cell = Cell { stratum: view.regroup(cell.stratum)?, guesses: cell.guesses.clone() };
            cells.binary_search_by(|(other, _)| other.cmp(&cell)).ok()
        };
        let places: Vec<Option<usize>> = table.cells.iter().map(place).collect();
        let mut off = DMatrix::zeros(cells.len(), self.drawn.len());
        for (drawn, mut off) in self.drawn.iter().zip(off.column_iter_mut()) {
            for (of_row, share) in table.places.iter().zip(drawn) {
                places[*of_row].iter().for_each(|place| off[*place] += share);
            }
            let total = off.sum();
            if total > 0.0 {
                off /= total;
                off.iter_mut().zip(cells).for_each(|(off, (_, share))| *off -= share);
            }
        }
        off
    }
}

/// One model's table, its proxies in the order in which audits see them, and the cell that each row falls into.
struct Tallied {
    table: Frequencies,
    cells: Vec<Cell>,
    places: Vec<usize>,
}

impl Tallied {
    fn of(counts: &Counts, rows: &[(PairedCell, f64)], model: usize) -> Self {
        let (sorted, places) = counts.in_name_order();
        let cell = |(row, _): &(PairedCell, f64)| {
            let stratum = Stratum { label: row.label, prediction: row.predictions[model] };
            let mut guesses = row.guesses.clone();
            places.iter().zip(&row.guesses).for_each(|(place, guess)| guesses[place.0] = *guess);
            Cell { stratum, guesses }
        };
        let of_rows: Vec<Cell> = rows.iter().map(cell).collect();
        let mut cells = of_rows.clone();
        cells.sort();
        cells.dedup();
        // infallible: every cell is one of them
        let place = |cell: &Cell| cells.binary_search(cell).unwrap_or_default();
        let places = of_rows.iter().map(place).collect();
        Tallied { table: sorted.frequencies(), cells, places }
    }

    /// The table with drawn shares of the rows.
    fn with(&self, drawn: &[f64]) -> Frequencies {
        let mut shares = vec![0.0; self.cells.len()];
        self.places.iter().zip(drawn).for_each(|(place, share)| shares[*place] += share);
        let held = self.cells.iter().zip(shares).filter(|(_, share)| *share > 0.0);
        self.table.with_cells(held.map(|(cell, share)| (cell.clone(), share)).collect())
    }
}

/// The rates that a criterion looks at, rate by rate and group by group.
pub(super) fn rates(joint: &Joint<Group>, criterion: Criterion, positive: Class) -> Option<Vec<f64>> {
    let worst_of = criterion.spec().worst_of.iter();
    worst_of.flat_map(|rate| joint.axis().map(|a| rate.of(joint, a, positive).ok())).collect()
}

/// One model's rates on a draw, by what its audit relies on.
fn explained(
    relied: &[ReliedOn],
    all: &Frequencies,
    criteria: &[Criterion],
    positive: Class,
) -> Vec<Option<Vec<f64>>> {
    let from_all = relied.iter().find(|one| one.estimator.learns_from_all_rows());
    let everywhere = from_all.map(|one| one.estimator.fit(all));
    let of_view = |one: &ReliedOn| {
        let seen = all.view(one.view)?;
        match everywhere.as_ref().filter(|_| one.estimator.learns_from_all_rows()) {
            Some(noise) => Some(calibrate(&seen, one.view, noise.as_ref().ok()?)),
            None => one.estimator.again(&seen, one.view, &one.found),
        }
    };
    let joints: Vec<_> = relied.iter().map(|one| (one.view, of_view(one))).collect();
    let of_criterion = |criterion: &Criterion| {
        let (_, joint) = joints.iter().find(|(view, _)| *view == criterion.view())?;
        rates(joint.as_ref()?, *criterion, positive)
    };
    criteria.iter().map(of_criterion).collect()
}
