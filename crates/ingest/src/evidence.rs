//! Rows counted by the points of their evidence, beside the tally of guesses.
//!
//! Three kinds of count: rows by the point of each source alone, by the product of all that speak, and by the points of all of them.
//! The first two are on a grid that is made coarser when it has too many cells. Of the third, which tests need and cells multiply in, some
//! cells are kept where there are too many: those whose points have a hash that ends in so many zeros, whatever was decided. What is
//! kept does not depend on threads or the order of rows. A row is added in a few steps and forgotten.

use crate::cells::Key;
use crate::error::Problem;
use crate::names::{Looked, MOST_NAMED_GROUPS, NameSource, coarse, packed, unpacked};
use crate::plan::Plan;
use crate::worker::{Batch, Codes};
use fairveil_core::counts::{ExactSum, NameRows};
use fairveil_core::evidence::{
    COARSEST, EvidenceCell, EvidenceSource, EvidenceTally, FINEST, MOST_CELLS, Mass, PointTally,
    nearest_point,
};
use fairveil_core::vocabulary::{Group, Stratum};
use hashbrown::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Where all sources are kept side by side the grid is coarse from the start: cells multiply.
pub(crate) const JOINT_STEPS: u8 = 32;
/// The most cells in which sources stand side by side.
const MOST_JOINT: usize = 50_000;
/// Sources of names: first names, surnames, places.
const MOST_SOURCES: usize = 3;
/// Single sources are counted entry by entry up to so many places and entries, which is quicker than by their points.
const MOST_DENSE: usize = 4_000_000;

/// What stands at one place.
#[derive(Clone, Default)]
struct Rows {
    rows: u64,
    /// Weights and their squares, where rows have weights.
    sums: Option<Box<[ExactSum; 2]>>,
}

impl Rows {
    fn add(&mut self, weight: Option<f64>) {
        self.rows += 1;
        if let Some(weight) = weight {
            let [sum, squares] = &mut **self.sums.get_or_insert_default();
            sum.add(weight);
            squares.add(weight * weight);
        }
    }

    fn merge(&mut self, other: &Rows) {
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
#[derive(Clone, Copy, PartialEq, Eq)]
struct At<const N: usize> {
    place: u32,
    points: [u128; N],
}

impl<const N: usize> Hash for At<N> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.points.iter().for_each(|point| state.write_u128(*point));
        state.write_u32(self.place);
    }
}

/// Rows by place and points.
#[derive(Clone)]
struct Points<const N: usize> {
    groups: usize,
    steps: u8,
    /// Cells are kept whose points have a hash that ends in so many zeros; nothing where all are.
    thinned: Option<u32>,
    cells: HashMap<At<N>, Rows>,
}

impl<const N: usize> Points<N> {
    fn new(groups: usize, steps: u8) -> Self {
        Points { groups, steps, thinned: None, cells: HashMap::new() }
    }

    /// The points of all sources, of which some are kept where there are many.
    fn thinned(groups: usize) -> Self {
        Points { thinned: Some(0), ..Points::new(groups, JOINT_STEPS) }
    }

    /// Whether a cell whose points have this hash is among those that are kept.
    #[inline]
    fn keeps(&self, hash: u64) -> bool {
        self.thinned.is_none_or(|zeros| hash.trailing_zeros() >= zeros)
    }

    /// Adds a row whose points are on the grid as it is.
    #[inline]
    fn add(&mut self, at: At<N>, weight: Option<f64>) {
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
    fn shrink(&mut self) {
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
    fn merge(&mut self, mut other: Points<N>, places: &[u32]) {
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
}

impl<const N: usize> Points<N> {
    /// The rows of places that have one in the words of the audit, by the points of so many sources.
    fn tally(&self, sources: usize, places: &[Option<Placed>]) -> PointTally {
        let mut tally = PointTally::new(self.groups);
        for (at, rows) in &self.cells {
            let Some((stratum, control)) = places[at.place as usize] else { continue };
            let points =
                at.points.iter().take(sources).flat_map(|point| unpacked(*point, self.groups)).collect();
            tally.add(EvidenceCell { stratum, control, points }, rows.mass(), self.steps);
        }
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
fn joined<const N: usize>(hashes: [u64; N]) -> u64 {
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

/// The evidence of one thread's rows.
#[derive(Default)]
pub(crate) struct EvidenceCells {
    counts: Option<Counted>,
}

struct Counted {
    sources: Vec<Arc<NameSource>>,
    places: HashMap<Key, u32>,
    keys: Vec<Key>,
    /// For each cell of guesses, the place of its rows.
    of_cell: Vec<u32>,
    alone: Vec<Points<1>>,
    /// For each source, rows by place and entry; moved to the points at the end.
    dense: Vec<Vec<u32>>,
    /// Rows in there.
    in_dense: u32,
    several: Option<Several>,
    /// For each source, rows by what the look-up gave: known, empty, no name, unknown, a whole name.
    looked: Vec<[u64; 5]>,
}

/// What several sources say of the same rows.
#[derive(Clone)]
struct Several {
    /// Rows by the product of all that speak.
    together: Points<1>,
    /// Rows by the points of all, zero past the last source.
    jointly: Points<MOST_SOURCES>,
}

/// Which kinds of evidence a plan has.
pub(crate) enum Kind<'p> {
    /// Names that tables know.
    Names(&'p [Arc<NameSource>]),
    /// One proxy that gives probabilities, and no other.
    Probabilities { groups: usize },
}

impl Plan {
    /// The evidence that its rows have, if any.
    pub(crate) fn evidence(&self) -> Option<Kind<'_>> {
        let lone = self.probabilities.len() == 1 && self.roles.guesses.len() == 1 && self.tally.is_none();
        if !self.sources.is_empty() {
            Some(Kind::Names(&self.sources))
        } else {
            lone.then_some(Kind::Probabilities { groups: self.score_groups.len() })
        }
    }
}

impl EvidenceCells {
    /// Takes the rows of a batch, whose cells of guesses are `found` among `keys`.
    pub fn add(&mut self, batch: &Batch, plan: &Plan, found: &[u32], keys: &[Key]) {
        let Some(kind) = plan.evidence() else { return };
        let counts = self.counts.get_or_insert_with(|| Counted::new(&kind));
        for key in &keys[counts.of_cell.len()..] {
            let place = counts.place(plan.roles.place_of(key));
            counts.of_cell.push(place);
        }
        let rows = (0..batch.rows).filter(|row| !batch.left_out.get(*row).is_some_and(|out| *out));
        let weights = plan.weight.map(|place| &batch.numbers[place]);
        for row in rows {
            let place = counts.of_cell[found[row] as usize];
            let weight = weights.map(|weights| weights[row]);
            match &kind {
                Kind::Names(sources) => {
                    counts.add_names(sources, place, weight, |s| batch.looked[s][row]);
                }
                Kind::Probabilities { .. } => {
                    let said = batch.scored.get(row).is_some_and(|scored| *scored);
                    counts.add_probabilities(place, weight, batch.scores.iter().map(|p| p[row]), said);
                }
            }
        }
        if counts.in_dense > u32::MAX / 2 {
            counts.settle();
        }
    }

    /// Takes what another thread has; `codes` gives, for each key column, the code here of each code there.
    pub fn merge(&mut self, other: EvidenceCells, codes: &Codes) {
        let Some(mut theirs) = other.counts else { return };
        theirs.settle();
        let remapped = |key: &Key| key.iter().zip(codes).map(|(code, codes)| codes[*code as usize]).collect();
        let Some(mine) = &mut self.counts else {
            let keys: Vec<Key> = theirs.keys.iter().map(remapped).collect();
            let places = keys.iter().cloned().zip(0..).collect();
            self.counts = Some(Counted { keys, places, of_cell: Vec::new(), ..theirs });
            return;
        };
        let places: Vec<u32> = theirs.keys.iter().map(|key| mine.place(remapped(key))).collect();
        for (mine, theirs) in mine.alone.iter_mut().zip(theirs.alone) {
            mine.merge(theirs, &places);
        }
        if let (Some(mine), Some(theirs)) = (&mut mine.several, theirs.several) {
            mine.together.merge(theirs.together, &places);
            mine.jointly.merge(theirs.jointly, &places);
        }
        for (mine, theirs) in mine.looked.iter_mut().zip(theirs.looked) {
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
        }
    }

    /// About how many bytes it holds.
    pub fn held(&self) -> u64 {
        let Some(counts) = &self.counts else { return 0 };
        let alone = counts.alone.iter().map(|points| points.cells.len() as u64 * 100);
        let several = counts.several.iter().map(|several| {
            several.together.cells.len() as u64 * 100 + several.jointly.cells.len() as u64 * 200
        });
        alone.chain(several).chain(counts.dense.iter().map(|dense| 4 * dense.len() as u64)).sum()
    }

    /// All that was counted, to be made sense of.
    pub fn finish(self, plan: &Plan) -> Option<RawEvidence> {
        let mut counts = self.counts?;
        counts.settle();
        let Counted { keys, alone, several, looked, .. } = counts;
        let sources = plan.sources.clone();
        let groups = plan.score_groups.clone();
        Some(RawEvidence { keys, alone, several, looked, sources, groups })
    }
}

impl Counted {
    fn new(kind: &Kind) -> Self {
        let (sources, groups) = match kind {
            Kind::Names(sources) => (sources.len(), sources[0].of().len()),
            Kind::Probabilities { groups } => (1, *groups),
        };
        let of_names = match kind {
            Kind::Names(sources) => sources.to_vec(),
            Kind::Probabilities { .. } => Vec::new(),
        };
        Counted {
            sources: of_names,
            places: HashMap::new(),
            keys: Vec::new(),
            of_cell: Vec::new(),
            alone: vec![Points::new(groups, FINEST); sources],
            dense: vec![Vec::new(); sources],
            in_dense: 0,
            several: (sources > 1)
                .then(|| Several { together: Points::new(groups, FINEST), jointly: Points::thinned(groups) }),
            looked: vec![[0; 5]; sources],
        }
    }

    fn place(&mut self, key: Key) -> u32 {
        if let Some(place) = self.places.get(&key) {
            return *place;
        }
        let place = self.keys.len() as u32;
        self.places.insert(key.clone(), place);
        self.keys.push(key);
        place
    }

    #[inline]
    fn add_names(
        &mut self,
        sources: &[Arc<NameSource>],
        place: u32,
        weight: Option<f64>,
        looked: impl Fn(usize) -> Looked,
    ) {
        let mut entries = [0; MOST_SOURCES];
        let mut spoken = false;
        for (s, (entry, source)) in entries.iter_mut().zip(sources).enumerate() {
            let looked = looked(s);
            *entry = source.place(looked);
            spoken |= looked.is_known();
            self.looked[s][kind_of(looked)] += 1;
            self.add_alone(s, source, place, *entry, weight);
        }
        if let Some(several) = &mut self.several {
            several.add(sources, place, weight, &entries, spoken);
        }
    }

    /// Counts a row by the point of one source: by its entry, where rows have no weights and places are few.
    #[inline]
    fn add_alone(&mut self, s: usize, source: &NameSource, place: u32, entry: usize, weight: Option<f64>) {
        if weight.is_none() {
            let at = place as usize * source.places() + entry;
            if let Some(rows) = self.dense[s].get_mut(at) {
                *rows += 1;
                self.in_dense += 1;
                return;
            }
            let needed = (place as usize + 1) * source.places();
            if needed <= MOST_DENSE {
                self.dense[s].resize(needed, 0);
                self.dense[s][at] += 1;
                self.in_dense += 1;
                return;
            }
        }
        let alone = &mut self.alone[s];
        alone.add(At { place, points: [coarse(source.point(entry), alone.steps)] }, weight);
    }

    /// Moves what was counted by entries to the points.
    fn settle(&mut self) {
        self.in_dense = 0;
        for (s, source) in self.sources.iter().enumerate() {
            let alone = &mut self.alone[s];
            let dense = std::mem::take(&mut self.dense[s]);
            for (place, entries) in (0..).zip(dense.chunks_exact(source.places())) {
                for (entry, rows) in entries.iter().enumerate().filter(|(_, rows)| **rows > 0) {
                    let at = At { place, points: [coarse(source.point(entry), alone.steps)] };
                    alone.cells.entry(at).or_default().rows += u64::from(*rows);
                    alone.shrink();
                }
            }
        }
    }

    fn add_probabilities(
        &mut self,
        place: u32,
        weight: Option<f64>,
        said: impl Iterator<Item = f64>,
        speaks: bool,
    ) {
        let alone = &mut self.alone[0];
        let mut point = 0;
        if speaks {
            let roots: Vec<f64> = said.map(|p| p.max(0.0).sqrt()).collect();
            let mut nearest = vec![0; roots.len()];
            nearest_point(&roots, FINEST, &mut nearest);
            point = packed(&nearest);
        }
        alone.add(At { place, points: [coarse(point, alone.steps)] }, weight);
    }
}

impl Several {
    #[inline]
    fn add(
        &mut self,
        sources: &[Arc<NameSource>],
        place: u32,
        weight: Option<f64>,
        entries: &[usize; MOST_SOURCES],
        spoken: bool,
    ) {
        let groups = self.together.groups;
        let mut point = 0;
        if spoken {
            let (mut roots, mut nearest) = ([1.0; MOST_NAMED_GROUPS], [0; MOST_NAMED_GROUPS]);
            for (source, entry) in sources.iter().zip(entries) {
                let factors = source.roots(*entry).iter().map(|root| f64::from(*root));
                roots.iter_mut().zip(factors).for_each(|(product, root)| *product *= root);
            }
            nearest_point(&roots[..groups], FINEST, &mut nearest);
            point = coarse(u128::from_le_bytes(nearest), self.together.steps);
        }
        self.together.add(At { place, points: [point] }, weight);
        let mut hashes = [point_hash(0); MOST_SOURCES];
        for (hash, (source, entry)) in hashes.iter_mut().zip(sources.iter().zip(entries)) {
            *hash = source.joint_hash(*entry);
        }
        if self.jointly.keeps(joined(hashes)) {
            let mut points = [0; MOST_SOURCES];
            for (point, (source, entry)) in points.iter_mut().zip(sources.iter().zip(entries)) {
                *point = source.joint_point(*entry);
            }
            self.jointly.add(At { place, points }, weight);
        }
    }
}

/// What a look-up gave, as it is counted.
#[inline]
fn kind_of(looked: Looked) -> usize {
    match looked {
        Looked::EMPTY => 1,
        Looked::NOT_A_NAME => 2,
        Looked::UNKNOWN => 3,
        Looked::WHOLE_NAME => 4,
        _ => 0,
    }
}

/// Evidence in raw values.
pub(crate) struct RawEvidence {
    /// The raw codes of each place.
    keys: Vec<Key>,
    alone: Vec<Points<1>>,
    several: Option<Several>,
    looked: Vec<[u64; 5]>,
    sources: Vec<Arc<NameSource>>,
    /// Groups of probabilities.
    groups: Vec<String>,
}

/// A place in the words of the audit: its stratum, and which value of what is controlled for.
pub(crate) type Placed = (Stratum, u32);

impl RawEvidence {
    /// The raw codes of its places.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// The evidence about the rows of some places.
    pub fn tally(
        &self,
        name: &str,
        groups: &[String],
        placed: impl Fn(&Key) -> Option<Placed>,
    ) -> Option<EvidenceTally> {
        let places: Vec<Option<Placed>> = self.keys.iter().map(placed).collect();
        let (fine, of, sources): (Vec<String>, Vec<usize>, Vec<EvidenceSource>) = match self.sources.first() {
            Some(first) => {
                let place = |group: &String| groups.iter().position(|other| other == group);
                let of = first.of().iter().map(|at| place(&first.groups()[*at])).collect::<Option<_>>()?;
                (first.fine().to_vec(), of, self.sources.iter().map(|source| source.evidence()).collect())
            }
            None => {
                let place = |group: &String| groups.iter().position(|other| other == group);
                let of = self.groups.iter().map(place).collect::<Option<_>>()?;
                let source =
                    EvidenceSource { name: name.to_owned(), about: None, reference: None, population: None };
                (self.groups.clone(), of, vec![source])
            }
        };
        let several = self.several.as_ref();
        Some(EvidenceTally {
            groups: fine,
            of: of.into_iter().map(Group).collect(),
            alone: self.alone.iter().map(|points| points.tally(1, &places)).collect(),
            together: several.map(|several| several.together.tally(1, &places)),
            jointly: several.map(|several| several.jointly.tally(sources.len(), &places)),
            sources,
        })
    }

    /// How many names of each source were found.
    pub fn looked(&self) -> Vec<NameRows> {
        let counts = |(source, looked): (&Arc<NameSource>, &[u64; 5])| {
            let [known, empty, not_a_name, unknown, whole_name] = *looked;
            NameRows {
                source: source.name().to_owned(),
                table: source.table().name().to_owned(),
                about: source.table().about().to_owned(),
                known,
                empty,
                not_a_name,
                unknown,
                whole_name,
            }
        };
        self.sources.iter().zip(&self.looked).map(counts).collect()
    }
}

/// Nothing speaks against evidence in this plan.
pub(crate) fn refuse(plan: &Plan) -> Result<(), Problem> {
    let fine = plan.sources.first().map(|source| source.fine().to_vec());
    let same = plan.sources.iter().all(|source| Some(source.fine()) == fine.as_deref());
    if same { Ok(()) } else { Err(Problem::NamesApart) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairveil_core::evidence::halved;
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
