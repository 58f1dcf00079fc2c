//! What is kept of rows whose group has evidence: how many stand at which point, in which stratum.

use super::grid::{COARSEST, FINEST, halved, nearest_point, probabilities};
use crate::counts::View;
use crate::vocabulary::{Group, Stratum};
use std::collections::BTreeMap;

/// What sources say together never rules a group out: two tables without any bearer of a name in different groups would leave
/// nobody.
pub const LEAST_ROOT: f64 = 1e-3;
/// Past this many cells the grid is made coarser.
pub const MOST_CELLS: usize = 200_000;

/// Rows at one place: a stratum, a value of what is controlled for, and one point for each source, one after the other; all
/// zero where a source is silent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EvidenceCell {
    /// Prediction and label.
    pub stratum: Stratum,
    /// Which value of what is controlled for.
    pub control: u32,
    /// Points of the grid.
    pub points: Box<[u8]>,
}

/// What stands at one place.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Mass {
    /// The rows' weights, summed.
    pub weight: f64,
    /// Their squares, summed.
    pub squares: f64,
}

/// Rows by the points of one or several sources.
#[derive(Debug, Clone, PartialEq)]
pub struct PointTally {
    groups: usize,
    steps: u8,
    cells: BTreeMap<EvidenceCell, Mass>,
}

impl PointTally {
    /// Nothing yet, on the finest grid of so many groups.
    pub fn new(groups: usize) -> Self {
        PointTally { groups, steps: FINEST, cells: BTreeMap::new() }
    }

    /// The steps of its grid.
    pub fn steps(&self) -> u8 {
        self.steps
    }

    /// Its cells in order.
    pub fn cells(&self) -> impl Iterator<Item = (&EvidenceCell, &Mass)> {
        self.cells.iter()
    }

    /// Adds rows whose points are on a grid of `steps`, at least as fine as its own or coarser: the coarser of the two stays.
    pub fn add(&mut self, mut cell: EvidenceCell, mass: Mass, steps: u8) {
        while self.steps > steps && self.steps > COARSEST {
            self.coarsen();
        }
        let mut fine = steps;
        while fine > self.steps {
            halve_all(&mut cell.points, self.groups);
            fine /= 2;
        }
        let entry = self.cells.entry(cell).or_default();
        entry.weight += mass.weight;
        entry.squares += mass.squares;
    }

    /// Makes the grid half as fine until it has at most so many cells, or is as coarse as it may be.
    pub fn coarsen_to(&mut self, most: usize) {
        while self.cells.len() > most && self.steps > COARSEST {
            self.coarsen();
        }
    }

    fn coarsen(&mut self) {
        self.steps /= 2;
        for (mut cell, mass) in std::mem::take(&mut self.cells) {
            halve_all(&mut cell.points, self.groups);
            let entry = self.cells.entry(cell).or_default();
            entry.weight += mass.weight;
            entry.squares += mass.squares;
        }
    }

    /// The same with strata as a view cuts them. Rows that it does not look at are left out.
    pub(crate) fn view(&self, view: View) -> PointTally {
        let mut seen = PointTally { groups: self.groups, steps: self.steps, cells: BTreeMap::new() };
        for (cell, mass) in &self.cells {
            let Some(stratum) = view.regroup(cell.stratum) else { continue };
            let cell = EvidenceCell { stratum, ..cell.clone() };
            seen.add(cell, *mass, self.steps);
        }
        seen
    }

    /// The points of a cell, source by source, as probabilities; nothing where one is silent.
    pub(crate) fn probabilities<'c>(
        &self,
        cell: &'c EvidenceCell,
    ) -> impl Iterator<Item = Vec<f64>> + use<'c> {
        cell.points.chunks(self.groups).map(probabilities)
    }
}

fn halve_all(points: &mut [u8], groups: usize) {
    points.chunks_mut(groups).for_each(halved);
}

/// Where evidence comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceSource {
    /// Its name: that of the proxy that guesses from it.
    pub name: String,
    /// Whom its table is about.
    pub about: Option<String>,
    /// What its points take the shares of the groups to be: likelihoods are points over these. Nothing where they are
    /// probabilities about the people of this very table, whose mean is their share.
    pub reference: Option<Vec<f64>>,
    /// The shares of the groups in the population that its table is about.
    pub population: Option<Vec<f64>>,
}

/// All evidence about the groups of the rows of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceTally {
    /// The groups that the sources tell apart.
    pub groups: Vec<String>,
    /// The audited group that each belongs to.
    pub of: Vec<Group>,
    /// The sources.
    pub sources: Vec<EvidenceSource>,
    /// Rows by the points of each source alone.
    pub alone: Vec<PointTally>,
    /// Rows by what all sources that speak say together, as likelihoods; nothing where there is one source.
    pub together: Option<PointTally>,
    /// Rows by the points of all sources, or a part of such rows that does not depend on their decisions, where there are many;
    /// nothing where there is one source.
    pub jointly: Option<PointTally>,
}

/// A row with what each source says of its group.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceRow {
    /// Prediction and label.
    pub stratum: Stratum,
    /// Which value of what is controlled for.
    pub control: u32,
    /// Probabilities of the groups by each source; nothing where it is silent.
    pub said: Vec<Option<Vec<f64>>>,
    /// What the row weighs.
    pub weight: f64,
}

impl EvidenceTally {
    /// Whether a source says different things of different rows.
    pub fn tells_apart(&self, source: &str) -> bool {
        let place = self.sources.iter().position(|one| one.name == source);
        let mut said =
            place.into_iter().flat_map(|place| self.alone[place].cells()).map(|(cell, _)| &cell.points);
        let spoken = said.find(|points| points.iter().any(|part| *part > 0));
        spoken.is_some_and(|first| said.any(|points| points != first && points.iter().any(|part| *part > 0)))
    }

    /// Counts rows. With several sources, each needs its reference shares: what they say together is a product of likelihoods.
    pub fn of_rows(
        groups: Vec<String>,
        of: Vec<Group>,
        sources: Vec<EvidenceSource>,
        rows: impl IntoIterator<Item = EvidenceRow>,
    ) -> Self {
        let fine = groups.len();
        let several = sources.len() > 1;
        let empty = || PointTally::new(fine);
        let mut tally = EvidenceTally {
            of,
            alone: sources.iter().map(|_| empty()).collect(),
            together: several.then(empty),
            jointly: several.then(empty),
            groups,
            sources,
        };
        for row in rows {
            let mass = Mass { weight: row.weight, squares: row.weight * row.weight };
            let cell = |points: Vec<u8>| EvidenceCell {
                stratum: row.stratum,
                control: row.control,
                points: points.into(),
            };
            let mut points = vec![0; fine * row.said.len()];
            let mut roots = vec![1.0; fine];
            for ((said, place), source) in row.said.iter().zip(points.chunks_mut(fine)).zip(&tally.sources) {
                let Some(said) = said else { continue };
                nearest_point(&said.iter().map(|p| p.sqrt()).collect::<Vec<_>>(), FINEST, place);
                for (a, root) in roots.iter_mut().enumerate() {
                    let share = source.reference.as_ref().map_or(1.0, |reference| reference[a]);
                    // No source rules a group out.
                    *root *= if share > 0.0 { (said[a] / share).sqrt().max(LEAST_ROOT) } else { LEAST_ROOT };
                }
            }
            for (alone, point) in tally.alone.iter_mut().zip(points.chunks(fine)) {
                alone.add(cell(point.to_vec()), mass, FINEST);
            }
            if let (Some(together), Some(jointly)) = (&mut tally.together, &mut tally.jointly) {
                let mut point = vec![0; fine];
                if row.said.iter().any(Option::is_some) {
                    nearest_point(&roots, FINEST, &mut point);
                }
                together.add(cell(point), mass, FINEST);
                jointly.add(cell(points.clone()), mass, FINEST);
                jointly.coarsen_to(MOST_CELLS);
                together.coarsen_to(MOST_CELLS);
            }
        }
        tally.alone.iter_mut().for_each(|alone| alone.coarsen_to(MOST_CELLS));
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::Class;

    fn cell(points: &[u8]) -> EvidenceCell {
        EvidenceCell {
            stratum: Stratum { label: None, prediction: Class(0) },
            control: 0,
            points: points.into(),
        }
    }

    #[test]
    fn a_grid_that_was_halved_early_counts_as_one_that_was_halved_late() {
        let rows = [[127, 1], [100, 28], [99, 29], [65, 63], [3, 125], [0, 0]];
        let one = Mass { weight: 1.0, squares: 1.0 };
        let (mut late, mut early) = (PointTally::new(2), PointTally::new(2));
        rows.iter().for_each(|points| late.add(cell(points), one, FINEST));
        for points in &rows {
            early.add(cell(points), one, FINEST);
            early.coarsen_to(2);
        }
        late.coarsen_to(2);
        assert!(late.steps() < FINEST);
        assert_eq!(late, early);
        let total: f64 = late.cells().map(|(_, mass)| mass.weight).sum();
        assert_eq!(total, 6.0);
    }
}
