//! What no rows give is not believed.
//!
//! Nothing proves that a file tells of the people that it is said to tell of. What is checked: that its counts are of the same rows, that
//! its points are on their grids, that shares are shares; and of a table that comes with the program, that the file says of it what the
//! program knows, point by point. Of a table of the user's own the file is all there is.

use super::MOST_SOURCES;
use super::file::{CountTold, EvidenceFile, Head};
use super::points::Points;
use super::problem::EvidenceProblem;
use super::told::{ByPoint, SourceTold, Told};
use crate::names::{MOST_NAMED_GROUPS, NameSource, coarse, for_audits, packed};
use fairveil_core::counts::ExactSum;
use fairveil_core::evidence::{COARSEST, FINEST};
use fairveil_names::built_in_tables;
use std::collections::{BTreeMap, HashSet};

/// The largest sum of weights.
const MOST_SUM: f64 = 1e24;
/// No table has fewer people of a group.
const LEAST_SHARE: f64 = 1e-9;

fn impossible<T>(found: &'static str) -> Result<T, EvidenceProblem> {
    Err(EvidenceProblem::Impossible { found })
}

impl Head {
    /// What the first line says fits together.
    pub(super) fn check(&self) -> Result<(), EvidenceProblem> {
        let Head { columns, told, looked, counts, places, .. } = self;
        let (groups, sources) = (told.groups.len(), told.sources.len());
        if !(2..=MOST_NAMED_GROUPS).contains(&groups) || told.of.len() != groups {
            return impossible("the groups that sources tell apart do not fit those that are compared");
        }
        if told.of.iter().any(|at| *at >= told.compared.len()) || !(1..=MOST_SOURCES).contains(&sources) {
            return impossible("a group or a source is named that is not told of");
        }
        let unlike =
            |names: &[String]| names.iter().enumerate().all(|(at, name)| !names[..at].contains(name));
        let all_meant = (0..told.compared.len()).all(|at| told.of.contains(&at));
        let named: Vec<String> = told.sources.iter().map(|source| source.name.clone()).collect();
        // A group that both tell of is the same.
        let moved = told
            .groups
            .iter()
            .zip(&told.of)
            .any(|(group, at)| told.compared.contains(group) && told.compared[*at] != *group);
        if moved {
            return impossible("a group that is told apart is counted as another that is compared");
        }
        if ![&told.groups, &told.compared, &named].iter().all(|names| unlike(names)) || !all_meant {
            return impossible("a group or a source is named twice, or a group is nobody's");
        }
        let is_share = |shares: &Vec<f64>| {
            let sum: f64 = shares.iter().sum();
            let none = shares.iter().any(|share| share.is_nan() || *share < LEAST_SHARE);
            shares.len() == groups && !none && (sum - 1.0).abs() < 1e-6
        };
        let stated = told.sources.iter().flat_map(|source| source.reference.iter().chain(&source.population));
        if !stated.into_iter().all(is_share) {
            return impossible("shares of the groups do not sum to 1, or one is nothing");
        }
        // Several are multiplied as likelihoods, for which each needs its shares.
        if sources > 1 && told.sources.iter().any(|source| source.reference.is_none()) {
            return impossible("one of several sources does not say what its points take the shares to be");
        }
        if looked.len() != sources || places.iter().any(|place| place.len() != columns.len()) {
            return impossible("the first line does not fit itself");
        }
        let told_counts = |of: &[usize]| -> Vec<CountTold> {
            let one = |of: Vec<usize>, product, zeros| CountTold { of, steps: 0, product, zeros };
            let mut counts: Vec<CountTold> = of.iter().map(|s| one(vec![*s], false, None)).collect();
            if of.len() > 1 {
                counts.push(one(of.to_vec(), true, None));
                counts.push(one(of.to_vec(), false, Some(0)));
            }
            counts
        };
        let all: Vec<usize> = (0..sources).collect();
        let shape =
            |count: &CountTold| CountTold { steps: 0, zeros: count.zeros.map(|_| 0), ..count.clone() };
        let grid = |count: &CountTold| {
            count.steps.is_power_of_two()
                && (COARSEST..=FINEST).contains(&count.steps)
                && count.zeros.is_none_or(|zeros| zeros < 64)
        };
        if counts.iter().map(shape).collect::<Vec<_>>() != told_counts(&all) || !counts.iter().all(grid) {
            return impossible("the counts are not those of its sources");
        }
        Ok(())
    }
}

impl SourceTold {
    /// A table that comes with the program is what the program knows it to be: its groups, its people, and what its entries say.
    fn is_as_built_in(&self, told: &Told, alone: &Points<1>) -> Result<(), EvidenceProblem> {
        let mut known = built_in_tables().iter();
        let Some(known) = known.find(|table| self.table.as_deref() == Some(table.name)) else {
            return Ok(());
        };
        let own = format!("The user's table {}", known.name);
        if self.about.as_deref() == Some(own.as_str()) {
            return Ok(());
        }
        let other = || impossible("a table that comes with the program is told to be another than it is");
        let read = known.table().and_then(|table| for_audits(table, known.attribute));
        let Ok(table) = read else { return other() };
        let near = |told: &Vec<f64>, known: &[f64]| {
            told.len() == known.len()
                && told.iter().zip(known).all(|(told, known)| (told - known).abs() < 1e-9)
        };
        let population = self.population.as_ref().is_some_and(|told| near(told, table.population()));
        let even = vec![1.0 / told.groups.len() as f64; told.groups.len()];
        let reference = self.reference.as_ref().is_some_and(|told| near(told, &even));
        if self.about.as_deref() != Some(known.about)
            || told.groups != table.groups()
            || !population
            || !reference
        {
            return other();
        }
        let Ok(source) = NameSource::new(&self.name, table, None) else { return other() };
        let can_be: HashSet<u128> =
            (0..source.places()).map(|place| coarse(source.point(place), alone.steps)).collect();
        if alone.cells.keys().all(|at| can_be.contains(&at.points[0])) {
            Ok(())
        } else {
            impossible("a cell has a point that no entry of its table gives")
        }
    }
}

impl EvidenceFile {
    /// What all counts have in common: every row is in each, but where cells were left out on purpose.
    pub(super) fn examine(&self) -> Result<(), EvidenceProblem> {
        let ByPoint { alone, several, .. } = &self.counted.by_point;
        let Some(first) = alone.first() else { return Ok(()) };
        let rows = by_place(first);
        let together = several.iter().map(|several| by_place(&several.together));
        let whole = several.iter().filter(|several| several.jointly.thinned == Some(0));
        let jointly = whole.map(|several| by_place(&several.jointly));
        let apart = alone.iter().map(by_place).chain(together).chain(jointly).any(|other| other != rows);
        let some = several.iter().flat_map(|several| by_place(&several.jointly));
        let more = some.into_iter().any(|(place, some)| rows.get(&place).is_none_or(|rows| some > *rows));
        if apart || more {
            return impossible("its counts tell of other rows than each other");
        }
        let all: u64 = rows.values().sum();
        let sources = self.counted.told.sources.iter().zip(&self.counted.by_point.looked).zip(alone);
        for ((source, looked), alone) in sources {
            let sum = looked.iter().try_fold(0, |sum: u64, rows| sum.checked_add(*rows));
            if sum != Some(if source.table.is_some() { all } else { 0 }) {
                return impossible("names that were looked up are not as many as its rows");
            }
            let speaks = alone.cells.iter().filter(|(at, _)| at.points != [0]).map(|(_, cell)| cell.rows);
            if source.table.is_some() && looked[0] != speaks.sum::<u64>() {
                return impossible("names that a table knows are not as many as those that say something");
            }
            source.is_as_built_in(&self.counted.told, alone)?;
        }
        Ok(())
    }
}

pub(super) fn by_place<const N: usize>(points: &Points<N>) -> BTreeMap<u32, u64> {
    let mut rows = BTreeMap::new();
    points.cells.iter().for_each(|(at, cell)| *rows.entry(at.place).or_default() += cell.rows);
    rows
}

/// Points from their digits, zero past the last source; nothing where one is none of the grid.
pub(super) fn points_of(
    digits: &str,
    groups: usize,
    sources: usize,
    steps: u8,
) -> Option<[u128; MOST_SOURCES]> {
    let digits = digits.as_bytes();
    if digits.len() != 2 * groups * sources || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Vec<u8> = digits.chunks(2).map(byte).collect::<Option<_>>()?;
    let mut points = [0; MOST_SOURCES];
    for (point, bytes) in points.iter_mut().zip(bytes.chunks(groups)) {
        let sum: u32 = bytes.iter().map(|byte| u32::from(*byte)).sum();
        if sum != 0 && sum != u32::from(steps) {
            return None;
        }
        *point = packed(bytes);
    }
    Some(points)
}

/// The sums of weights and of their squares, from a number each and what rounding left of it.
pub(super) fn weighed(rows: u64, sums: [Vec<f64>; 2]) -> Result<[ExactSum; 2], EvidenceProblem> {
    let impossible = || EvidenceProblem::Impossible { found: "sums of weights are none that rows can have" };
    let exact = sums.map(|parts| {
        let mut sum = ExactSum::default();
        let fine = parts.iter().all(|part| part.abs() <= MOST_SUM) && !parts.is_empty();
        parts.iter().filter(|_| fine).for_each(|part| sum.add(*part));
        fine.then_some(sum)
    });
    let [Some(weight), Some(squares)] = exact else { return Err(impossible()) };
    let (sum, square) = (weight.value(), squares.value());
    // Of so many weights with this sum the squares are smallest where all are equal, largest where one has it all.
    let room = 1e-9 * sum * sum;
    let can_be = sum >= 0.0 && square <= sum * sum + room && square >= sum * sum / rows as f64 - room;
    if can_be { Ok([weight, squares]) } else { Err(impossible()) }
}
