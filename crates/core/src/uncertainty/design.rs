//! How many rows of equal weight, drawn one by one, tell as much as weighted rows or rows in clusters do.
//!
//! Kish's `(Σw)²/Σw²` is right where weights have nothing to do with what is asked. A design gives one part of the rows
//! larger weights than another, and a gap may rest on that part alone. With `φ(c)` the change of a gap by one more row in
//! cell `c`, its variance is `Σ_c (Σw²)_c·φ(c)²/(Σw)²`; the rows are those of a plain table with that variance. The gap
//! is that of mean votes, undone by `T⁻¹` where `T` is known; of several gaps the least certain counts.
//!
//! Rows of one person, household or branch are no independent rows. Clusters are put into `G` parts by a hash; the parts
//! are independent, and with `z_g = Σ_c w_gc·φ(c)` the variance is `G/(G−1)·Σ_g z_g²/(Σw)²`, as deleting each part in
//! turn would give it.

use crate::counts::{Cell, Counts, Tally, View};
use crate::noise::NoiseModel;
use crate::rates::NOBODY;
use crate::vocabulary::{Class, Legend, Stratum};
use nalgebra::{DMatrix, RowDVector};

/// A cell of a view: who was decided how, what the proxies say on average, and the weights of its rows.
struct Weighed {
    stratum: Stratum,
    votes: RowDVector<f64>,
    weight: f64,
    squares: f64,
    clusters: Option<Box<[f64]>>,
}

/// The effective number of rows in a view.
pub(crate) fn rows_of(counts: &Counts, view: View, noise: Option<&NoiseModel>) -> f64 {
    let inverse = noise.and_then(inverse);
    // Where squares are known of all cells together only, every cell has its part of them.
    let each = counts.intake().squared_weights.map_or(1.0, |squares| squares / counts.weight());
    let cells: Vec<Weighed> = counts
        .cells()
        .filter_map(|(cell, tally)| weighed(cell, tally, view, inverse.as_ref(), each))
        .collect();
    let weight: f64 = cells.iter().map(|cell| cell.weight).sum();
    let squares: f64 = cells.iter().map(|cell| cell.squares).sum();
    let plain = counts.intake().squared_weights.is_none() && cells.iter().all(|cell| cell.clusters.is_none());
    if plain || squares <= 0.0 {
        return counts.effective_rows() * weight / counts.weight();
    }
    let gaps = gaps(&cells, view, counts.legend());
    let ratio = |influence: &Vec<f64>| {
        let sum = |of: fn(&Weighed) -> f64| -> f64 {
            cells.iter().zip(influence).map(|(cell, phi)| of(cell) * phi * phi).sum()
        };
        let variance = by_clusters(&cells, influence).unwrap_or_else(|| sum(|cell| cell.squares));
        (variance / squares) / (sum(|cell| cell.weight) / weight)
    };
    let ratios = gaps.iter().map(ratio).filter(|ratio| ratio.is_finite() && *ratio > 0.0);
    weight * weight / squares / ratios.reduce(f64::max).unwrap_or(1.0)
}

/// The variance of a gap between independent parts; `None` where rows belong to no clusters.
fn by_clusters(cells: &[Weighed], influence: &[f64]) -> Option<f64> {
    let parts = cells.iter().find_map(|cell| cell.clusters.as_ref())?.len();
    let (mut sums, mut held) = (vec![0.0; parts], vec![false; parts]);
    for (cell, phi) in cells.iter().zip(influence) {
        for (part, weight) in cell.clusters.iter().flatten().enumerate() {
            sums[part] += weight * phi;
            held[part] |= *weight > 0.0;
        }
    }
    let parts = held.into_iter().filter(|held| *held).count() as f64;
    let squares: f64 = sums.iter().map(|sum| sum * sum).sum();
    (parts > 1.0).then(|| parts / (parts - 1.0) * squares)
}

/// The variance of a gap over that of as many rows that are in no cluster, in the view of all rows; `None` where rows
/// belong to no clusters.
pub(crate) fn clustering(counts: &Counts, noise: Option<&NoiseModel>) -> Option<f64> {
    counts.cells().find_map(|(_, tally)| tally.clusters.as_ref())?;
    let alone = |(cell, tally): (&Cell, &Tally)| (cell.clone(), Tally { clusters: None, ..tally.clone() });
    let alone =
        Counts::new(counts.legend().clone(), counts.intake().clone(), counts.cells().map(alone)).ok()?;
    let view = View::Predictions;
    Some(rows_of(&alone, view, noise) / rows_of(counts, view, noise))
}

fn weighed(
    cell: &Cell,
    tally: &Tally,
    view: View,
    inverse: Option<&DMatrix<f64>>,
    each: f64,
) -> Option<Weighed> {
    let stratum = view.regroup(cell.stratum)?;
    let said = cell.guesses.iter().flatten().count() as f64;
    let groups = inverse
        .map_or_else(|| cell.guesses.iter().flatten().map(|guess| guess.0 + 1).max(), |t| Some(t.nrows()));
    let mut votes = RowDVector::zeros(groups.unwrap_or(0));
    cell.guesses.iter().flatten().for_each(|guess| votes[guess.0] += 1.0 / said);
    let votes = match inverse {
        Some(inverse) => votes * inverse,
        None => votes,
    };
    Some(Weighed {
        stratum,
        votes,
        weight: tally.weight,
        squares: tally.squares.unwrap_or(each * tally.weight),
        clusters: tally.clusters.clone(),
    })
}

/// For each gap between two groups within a label, its influence on every cell.
fn gaps(cells: &[Weighed], view: View, legend: &Legend) -> Vec<Vec<f64>> {
    let (groups, positive) = (legend.groups.len(), legend.positive);
    let labels: Vec<Option<Class>> = match view {
        View::Predictions => vec![None],
        View::Labelled => (0..legend.classes.len()).map(|label| Some(Class(label))).collect(),
    };
    let mut gaps = Vec::new();
    for label in labels {
        let of_group = |a: usize| influence(cells, a, label, positive);
        let rates: Vec<Option<Vec<f64>>> = (0..groups).map(of_group).collect();
        for (a, first) in rates.iter().enumerate() {
            for second in rates[a + 1..].iter().flatten() {
                gaps.extend(
                    first.as_ref().map(|first| first.iter().zip(second).map(|(x, y)| x - y).collect()),
                );
            }
        }
    }
    gaps
}

/// How far a row in each cell moves the selection rate of a group within a label.
fn influence(cells: &[Weighed], group: usize, label: Option<Class>, positive: Class) -> Option<Vec<f64>> {
    let vote = |cell: &Weighed| {
        let inside = label.is_none() || cell.stratum.label == label;
        if inside { cell.votes.get(group).copied().unwrap_or(0.0) } else { 0.0 }
    };
    let selected = |cell: &Weighed| f64::from(u8::from(cell.stratum.prediction == positive));
    let mass: f64 = cells.iter().map(|cell| cell.weight * vote(cell)).sum();
    let chosen: f64 = cells.iter().map(|cell| cell.weight * vote(cell) * selected(cell)).sum();
    (mass > NOBODY)
        .then(|| cells.iter().map(|cell| vote(cell) * (selected(cell) - chosen / mass) / mass).collect())
}

/// `T⁻¹` of one matrix for all rows.
fn inverse(noise: &NoiseModel) -> Option<DMatrix<f64>> {
    let NoiseModel::Global(fit) = noise else { return None };
    let errors = &fit.value.transition;
    DMatrix::from_fn(errors.groups(), errors.groups(), |a, g| errors.rows()[a][g]).try_inverse()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Intake;
    use crate::world::World;

    /// The rows of a world, of whose positive labels one in `kept` is kept at a weight that makes up for it.
    fn thinned(kept: f64) -> Counts {
        let world = World::symmetric(2, 2, &[0.8; 3], 0.2);
        let counts = world.population(80_000).unwrap();
        let mut intake = Intake { rows: 0, ..Intake::default() };
        let (mut rows, mut squared) = (0.0, 0.0);
        let mut cells = Vec::new();
        for (cell, tally) in counts.cells() {
            let weight = if cell.stratum.label == Some(Class(1)) { kept } else { 1.0 };
            rows += tally.weight / weight;
            squared += tally.weight * weight;
            cells.push((cell.clone(), Tally { squares: Some(tally.weight * weight), ..tally.clone() }));
        }
        intake.rows = rows as u64;
        intake.squared_weights = Some(squared);
        Counts::new(counts.legend().clone(), intake, cells).unwrap()
    }

    #[test]
    fn a_part_that_was_thinned_out_tells_as_much_as_its_own_rows() {
        // Half of the people have the positive label: of 40,000, one in eight is left.
        let counts = thinned(8.0);
        let labelled = rows_of(&counts, View::Labelled, None);
        // The least certain gap is among them; a plain table in which that part has 5,000 rows has 10,000.
        assert!((labelled / 10_000.0 - 1.0).abs() < 0.02, "{labelled}");
        // Kish counts (5,000·8 + 40,000)²/(5,000·64 + 40,000) rows.
        let kish = counts.effective_rows();
        assert!((kish - 17_777.8).abs() < 1.0, "{kish}");
    }

    #[test]
    fn rows_that_come_four_by_four_tell_a_quarter() {
        let world = World::symmetric(2, 2, &[0.8; 3], 0.2);
        // Every person stands in four equal rows; people are put into 100 parts at random.
        let people: Vec<_> = world.people(7).take(20_000).collect();
        let mut parts: std::collections::BTreeMap<Cell, Vec<f64>> = std::collections::BTreeMap::new();
        for (i, person) in people.iter().enumerate() {
            let cell = Cell { stratum: person.stratum, guesses: person.guesses.clone() };
            parts.entry(cell).or_insert_with(|| vec![0.0; 100])[(i * 7919) % 100] += 4.0;
        }
        let cells = parts.into_iter().map(|(cell, parts)| {
            let weight = parts.iter().sum();
            (cell, Tally { clusters: Some(parts.into()), ..Tally::of(weight) })
        });
        let intake = Intake { rows: 80_000, ..Intake::default() };
        let counts = Counts::new(world.legend().clone(), intake, cells).unwrap();
        let rows = rows_of(&counts, View::Predictions, None);
        // A variance of 100 parts is known to a seventh; three of them.
        assert!((rows / 20_000.0 - 1.0).abs() < 0.45, "{rows}");
        assert!((clustering(&counts, None).unwrap() / (80_000.0 / rows) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn squares_of_all_cells_together_are_shared_out() {
        // Weights that are known in sum only are taken to be unrelated: Kish's rows.
        let counts = thinned(8.0);
        let together =
            |(cell, tally): (&Cell, &Tally)| (cell.clone(), Tally { squares: None, ..tally.clone() });
        let cells = counts.cells().map(together);
        let counts = Counts::new(counts.legend().clone(), counts.intake().clone(), cells).unwrap();
        assert!((rows_of(&counts, View::Predictions, None) - counts.effective_rows()).abs() < 1e-6);
    }

    #[test]
    fn equal_weights_change_nothing() {
        let counts = thinned(1.0);
        for view in [View::Predictions, View::Labelled] {
            assert!((rows_of(&counts, view, None) - 80_000.0).abs() < 1e-6);
        }
    }
}
