//! Rows by the place that they count at and the points of their evidence.

use super::Placed;
use crate::names::unpacked;
use fairveil_core::counts::ExactSum;
use fairveil_core::evidence::{COARSEST, EvidenceCell, MOST_CELLS, Mass, PointTally};
use hashbrown::HashMap;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// Where all sources are kept side by side the grid is coarse from the start: cells multiply.
pub(crate) const JOINT_STEPS: u8 = 32;
/// The most cells in which sources stand side by side.
const MOST_JOINT: usize = 50_000;

/// What stands at one place.
#[derive(Clone, Default, Debug, PartialEq)]
pub(crate) struct Rows {
    pub rows: u64,
    /// Weights and their squares, where rows have weights.
    pub sums: Option<Box<[ExactSum; 2]>>,
}

impl Rows {
    pub fn add(&mut self, weight: Option<f64>) {
        self.rows += 1;
        if let Some(weight) = weight {
            let [sum, squares] = &mut **self.sums.get_or_insert_default();
            sum.add(weight);
            squares.add(weight * weight);
        }
    }

    pub fn merge(&mut self, other: &Rows) {
        self.rows += other.rows;
        if let Some(theirs) = &other.sums {
            let mine = self.sums.get_or_insert_default();
            mine.iter_mut().zip(theirs.iter()).for_each(|(mine, theirs)| mine.merge(theirs));
        }
    }

    fn mass(&self) -> Mass {
        match &self.sums {
            Some(sums) => Mass { weight: sums[0].value(), squares: sums[1].value() },
            None => Mass { weight: self.rows as f64, squares: self.rows as f64 },
        }
    }
}

/// Where a row counts: its place, and the points of its evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct At<const N: usize> {
    pub place: u32,
    pub points: [u128; N],
}

impl<const N: usize> Hash for At<N> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.points.iter().for_each(|point| state.write_u128(*point));
        state.write_u32(self.place);
    }
}

/// Rows by place and points.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Points<const N: usize> {
    pub groups: usize,
    pub steps: u8,
    /// Cells are kept whose points have a hash that ends in so many zeros; nothing where all are.
    pub thinned: Option<u32>,
    pub cells: HashMap<At<N>, Rows>,
}

impl<const N: usize> Points<N> {
    pub fn new(groups: usize, steps: u8) -> Self {
        Points { groups, steps, thinned: None, cells: HashMap::new() }
    }

    /// The points of all sources, of which some are kept where there are many.
    pub fn thinned(groups: usize) -> Self {
        Points { thinned: Some(0), ..Points::new(groups, JOINT_STEPS) }
    }

    /// The same count of no rows.
    pub fn emptied(&self) -> Self {
        Points { cells: HashMap::new(), ..*self }
    }

    /// Adds rows whose points are on the grid that was stated for them, however coarse it has become since.
    pub fn put(&mut self, at: At<N>, stated: u8, rows: &Rows) {
        let mut at = at;
        let mut steps = stated;
        while steps > self.steps {
            at.points = at.points.map(half);
            steps /= 2;
        }
        if self.keeps(joined(at.points.map(point_hash))) {
            self.cells.entry(at).or_default().merge(rows);
            self.shrink();
        }
    }

    /// Whether a cell whose points have this hash is among those that are kept.
    #[inline]
    pub fn keeps(&self, hash: u64) -> bool {
        self.thinned.is_none_or(|zeros| hash.trailing_zeros() >= zeros)
    }

    /// Adds a row whose points are on the grid as it is.
    #[inline]
    pub fn add(&mut self, at: At<N>, weight: Option<f64>) {
        match self.cells.get_mut(&at) {
            Some(rows) => rows.add(weight),
            None => {
                let mut rows = Rows::default();
                rows.add(weight);
                self.insert(at, rows);
            }
        }
    }

    #[cold]
    fn insert(&mut self, at: At<N>, rows: Rows) {
        self.cells.insert(at, rows);
        self.shrink();
    }

    /// Makes the grid coarser where it has too many cells.
    pub fn shrink(&mut self) {
        while let Some(zeros) = self.thinned.filter(|_| self.cells.len() > MOST_JOINT) {
            self.thin(zeros + 1);
        }
        while self.thinned.is_none() && self.cells.len() > MOST_CELLS && self.steps > COARSEST {
            self.halve();
        }
    }

    fn thin(&mut self, zeros: u32) {
        self.thinned = Some(zeros);
        self.cells.retain(|at, _| joined(at.points.map(point_hash)).trailing_zeros() >= zeros);
    }

    fn halve(&mut self) {
        self.steps /= 2;
        for (at, rows) in std::mem::take(&mut self.cells) {
            let at = At { points: at.points.map(half), ..at };
            self.cells.entry(at).or_default().merge(&rows);
        }
    }

    /// Takes what another has; `places` are the places here of the places there.
    pub fn merge(&mut self, mut other: Points<N>, places: &[u32]) {
        if let (Some(mine), Some(theirs)) = (self.thinned, other.thinned) {
            let zeros = mine.max(theirs);
            self.thin(zeros);
            other.thin(zeros);
        }
        while self.steps > other.steps {
            self.halve();
        }
        while other.steps > self.steps {
            other.halve();
        }
        for (at, rows) in other.cells {
            let at = At { place: places[at.place as usize], ..at };
            self.cells.entry(at).or_default().merge(&rows);
        }
        self.shrink();
    }

    /// The rows of places that have one in the words of the audit, by the points of so many sources.
    pub fn tally(&self, sources: usize, places: &[Option<Placed>]) -> PointTally {
        // Places of one stratum add up exactly: the order in which a hash has them changes no digit.
        let mut cells: BTreeMap<EvidenceCell, Rows> = BTreeMap::new();
        for (at, rows) in &self.cells {
            let Some((stratum, control)) = places[at.place as usize] else { continue };
            let points =
                at.points.iter().take(sources).flat_map(|point| unpacked(*point, self.groups)).collect();
            cells.entry(EvidenceCell { stratum, control, points }).or_default().merge(rows);
        }
        let mut tally = PointTally::new(self.groups);
        cells.into_iter().for_each(|(cell, rows)| tally.add(cell, rows.mass(), self.steps));
        tally
    }
}

/// A hash of a point that is the same on every machine.
pub(crate) fn point_hash(point: u128) -> u64 {
    let mix = |hash: u64, half: u64| (hash ^ half).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    mix(mix(0x2545_f491_4f6c_dd1d, point as u64), (point >> 64) as u64)
}

/// One hash of the points of all sources.
#[inline]
pub fn joined<const N: usize>(hashes: [u64; N]) -> u64 {
    let hash = hashes
        .iter()
        .fold(0, |hash: u64, one| (hash ^ one).wrapping_mul(0xd6e8_feb8_6659_fd93).rotate_left(31));
    (hash ^ hash >> 31).wrapping_mul(0xd6e8_feb8_6659_fd93).swap_bytes()
}

/// A point on a grid that is half as fine, all coordinates at once.
#[inline]
pub(crate) fn half(point: u128) -> u128 {
    const ONES: u128 = u128::MAX / 255;
    // Steps are even, so that an even number of coordinates is odd: the first half of them get what is left.
    let mut odd = point & ONES;
    let mut half = (point >> 1) & (ONES * 0x7f);
    for _ in 0..odd.count_ones() / 2 {
        let first = odd & odd.wrapping_neg();
        half += first;
        odd ^= first;
    }
    half
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::{MOST_NAMED_GROUPS, packed};
    use fairveil_core::evidence::{FINEST, halved, nearest_point};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_coordinates_are_halved_at_once(roots in prop::collection::vec(0.0f64..1.0, 2..=MOST_NAMED_GROUPS)) {
            let mut point = vec![0; roots.len()];
            nearest_point(&roots, FINEST, &mut point);
            let mut steps = FINEST;
            while steps > COARSEST {
                let quick = half(packed(&point));
                halved(&mut point);
                prop_assert_eq!(quick, packed(&point));
                steps /= 2;
            }
        }
    }
}
