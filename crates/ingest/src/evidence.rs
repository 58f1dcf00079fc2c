//! Rows counted by the points of their evidence, beside the tally of guesses.
//!
//! Three kinds of count: rows by the point of each source alone, by the product of all that speak, and by the points of all of them.
//! The first two are on a grid that is made coarser when it has too many cells. Of the third, which tests need and cells multiply in, some
//! cells are kept where there are too many: those whose points have a hash that ends in so many zeros, whatever was decided. What is
//! kept does not depend on threads or the order of rows. A row is added in a few steps and forgotten.

use crate::cells::Key;
use crate::error::Problem;
use crate::names::{Looked, NameSource, packed, unpacked};
use crate::plan::Plan;
use crate::worker::{Batch, Codes};
use fairveil_core::counts::{ExactSum, NameRows};
use fairveil_core::evidence::{
    COARSEST, EvidenceCell, EvidenceSource, EvidenceTally, FINEST, LEAST_ROOT, MOST_CELLS, Mass, PointTally,
    halved, nearest_point,
};
use fairveil_core::vocabulary::{Group, Stratum};
use hashbrown::HashMap;
use std::sync::Arc;

/// Where all sources are kept side by side the grid is coarse from the start: cells multiply.
pub(crate) const JOINT_STEPS: u8 = 32;
/// The most cells in which sources stand side by side.
const MOST_JOINT: usize = 50_000;
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

/// Rows by place and points. The first of a key is the place.
#[derive(Clone)]
struct Points {
    groups: usize,
    steps: u8,
    /// Cells are kept whose points have a hash that ends in so many zeros; nothing where all are.
    thinned: Option<u32>,
    cells: HashMap<Box<[u128]>, Rows>,
}

impl Points {
    fn new(groups: usize, steps: u8) -> Self {
        Points { groups, steps, thinned: None, cells: HashMap::new() }
    }

    /// The points of all sources, of which some are kept where there are many.
    fn thinned(groups: usize) -> Self {
        Points { thinned: Some(0), ..Points::new(groups, JOINT_STEPS) }
    }

    /// Whether a cell with these points is among those that are kept.
    fn keeps(&self, points: &[u128]) -> bool {
        self.thinned.is_none_or(|zeros| zeros == 0 || hashed(points).trailing_zeros() >= zeros)
    }

    /// A point of the finest grid on the grid as it is.
    fn coarse(&self, mut point: u128) -> u128 {
        let mut steps = FINEST;
        while steps > self.steps {
            point = half(point, self.groups);
            steps /= 2;
        }
        point
    }

    /// Adds a row whose points are on the grid as it is.
    fn add(&mut self, key: &[u128], weight: Option<f64>) {
        match self.cells.get_mut(key) {
            Some(rows) => rows.add(weight),
            None => {
                let mut rows = Rows::default();
                rows.add(weight);
                self.cells.insert(key.into(), rows);
                self.shrink();
            }
        }
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
        self.cells.retain(|key, _| hashed(&key[1..]).trailing_zeros() >= zeros);
    }

    fn halve(&mut self) {
        self.steps /= 2;
        let groups = self.groups;
        for (mut key, rows) in std::mem::take(&mut self.cells) {
            key.iter_mut().skip(1).for_each(|point| *point = half(*point, groups));
            self.cells.entry(key).or_default().merge(&rows);
        }
    }

    /// Takes what another has; `places` are the places here of the places there.
    fn merge(&mut self, mut other: Points, places: &[u32]) {
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
        for (mut key, rows) in other.cells {
            key[0] = u128::from(places[key[0] as usize]);
            self.cells.entry(key).or_default().merge(&rows);
        }
        self.shrink();
    }
}

/// A hash that is the same on every machine.
fn hashed(points: &[u128]) -> u64 {
    let mix = |hash: u64, half: u64| (hash ^ half).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let halves = points.iter().flat_map(|point| [*point as u64, (*point >> 64) as u64]);
    let hash = halves.fold(0x2545_f491_4f6c_dd1d, mix);
    (hash ^ (hash >> 31)).wrapping_mul(0xd6e8_feb8_6659_fd93).swap_bytes()
}

fn half(point: u128, groups: usize) -> u128 {
    let mut bytes = point.to_le_bytes();
    halved(&mut bytes[..groups]);
    u128::from_le_bytes(bytes)
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
    alone: Vec<Points>,
    /// For each source and place, rows by entry; moved to the points at the end.
    dense: Vec<Vec<Vec<u64>>>,
    together: Option<Points>,
    jointly: Option<Points>,
    /// For each source, rows by what the look-up gave: known, empty, no name, unknown, a whole name.
    looked: Vec<[u64; 5]>,
    /// What is worked with in between.
    key: Vec<u128>,
    roots: Vec<f64>,
    point: Vec<u8>,
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
        for row in 0..batch.rows {
            if batch.left_out.get(row).is_some_and(|out| *out) {
                continue;
            }
            let place = counts.of_cell[found[row] as usize];
            let weight = plan.weight.map(|place| batch.numbers[place][row]);
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
        for (mine, theirs) in [(&mut mine.together, theirs.together), (&mut mine.jointly, theirs.jointly)] {
            if let (Some(mine), Some(theirs)) = (mine, theirs) {
                mine.merge(theirs, &places);
            }
        }
        for (mine, theirs) in mine.looked.iter_mut().zip(theirs.looked) {
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
        }
    }

    /// About how many bytes it holds.
    pub fn held(&self) -> u64 {
        let Some(counts) = &self.counts else { return 0 };
        let all = counts.alone.iter().chain(&counts.together).chain(&counts.jointly);
        let dense = counts.dense.iter().flatten().map(|entries| 8 * entries.len() as u64);
        all.map(|points| points.cells.len() as u64 * 200).chain(dense).sum()
    }

    /// All that was counted, to be made sense of.
    pub fn finish(self, plan: &Plan) -> Option<RawEvidence> {
        let mut counts = self.counts?;
        counts.settle();
        let Counted { keys, alone, together, jointly, looked, .. } = counts;
        let sources = plan.sources.clone();
        let groups = plan.score_groups.clone();
        Some(RawEvidence { keys, alone, together, jointly, looked, sources, groups })
    }
}

impl Counted {
    fn new(kind: &Kind) -> Self {
        let (sources, groups) = match kind {
            Kind::Names(sources) => (sources.len(), sources[0].of().len()),
            Kind::Probabilities { groups } => (1, *groups),
        };
        let several = sources > 1;
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
            together: several.then(|| Points::new(groups, FINEST)),
            jointly: several.then(|| Points::thinned(groups)),
            looked: vec![[0; 5]; sources],
            key: Vec::new(),
            roots: vec![0.0; groups],
            point: vec![0; groups],
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

    fn add_names(
        &mut self,
        sources: &[Arc<NameSource>],
        place: u32,
        weight: Option<f64>,
        looked: impl Fn(usize) -> Looked,
    ) {
        self.roots.fill(1.0);
        let mut spoken = false;
        for (s, source) in sources.iter().enumerate() {
            let looked = looked(s);
            let kind = match looked {
                Looked::EMPTY => 1,
                Looked::NOT_A_NAME => 2,
                Looked::UNKNOWN => 3,
                Looked::WHOLE_NAME => 4,
                _ => 0,
            };
            self.looked[s][kind] += 1;
            self.add_alone(s, source, place, looked, weight);
            if let Some(roots) = source.roots(looked) {
                spoken = true;
                self.roots
                    .iter_mut()
                    .zip(roots)
                    .for_each(|(product, root)| *product *= f64::from(*root).max(LEAST_ROOT));
            }
        }
        if let (Some(together), Some(jointly)) = (&mut self.together, &mut self.jointly) {
            let point = if spoken {
                nearest_point(&self.roots, FINEST, &mut self.point);
                packed(&self.point)
            } else {
                0
            };
            let point = together.coarse(point);
            together.add(&[u128::from(place), point], weight);
            self.key.clear();
            self.key.push(u128::from(place));
            self.key.extend(sources.iter().enumerate().map(|(s, source)| source.joint_point(looked(s))));
            if jointly.keeps(&self.key[1..]) {
                jointly.add(&self.key, weight);
            }
        }
    }

    /// Counts a row by the point of one source: by its entry, where rows have no weights and places are few.
    fn add_alone(&mut self, s: usize, source: &NameSource, place: u32, looked: Looked, weight: Option<f64>) {
        let place_at = place as usize;
        let entries = source.table().len();
        if let (Some(entry), true) =
            (looked.entry(), weight.is_none() && (place_at + 1) * entries <= MOST_DENSE)
        {
            let dense = &mut self.dense[s];
            if dense.len() <= place_at {
                dense.resize(place_at + 1, Vec::new());
            }
            if dense[place_at].is_empty() {
                dense[place_at].resize(entries, 0);
            }
            dense[place_at][entry] += 1;
            return;
        }
        let alone = &mut self.alone[s];
        let key = [u128::from(place), alone.coarse(source.point(looked))];
        alone.add(&key, weight);
    }

    /// Moves what was counted by entries to the points.
    fn settle(&mut self) {
        for (s, source) in self.sources.iter().enumerate() {
            for (place, entries) in std::mem::take(&mut self.dense[s]).into_iter().enumerate() {
                for (entry, rows) in entries.into_iter().enumerate().filter(|(_, rows)| *rows > 0) {
                    let alone = &mut self.alone[s];
                    let key = [place as u128, alone.coarse(source.point(Looked::at(entry)))];
                    alone.cells.entry(key.into()).or_default().rows += rows;
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
        let point = if speaks {
            self.roots.iter_mut().zip(said).for_each(|(root, p)| *root = p.max(0.0).sqrt());
            nearest_point(&self.roots, FINEST, &mut self.point);
            packed(&self.point)
        } else {
            0
        };
        let alone = &mut self.alone[0];
        let key = [u128::from(place), alone.coarse(point)];
        alone.add(&key, weight);
    }
}

/// Evidence in raw values.
pub(crate) struct RawEvidence {
    /// The raw codes of each place.
    keys: Vec<Key>,
    alone: Vec<Points>,
    together: Option<Points>,
    jointly: Option<Points>,
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
        let tally = |points: &Points| {
            let mut tally = PointTally::new(points.groups);
            for (key, rows) in &points.cells {
                let Some((stratum, control)) = places[key[0] as usize] else { continue };
                let bytes = key[1..].iter().flat_map(|point| unpacked(*point, points.groups)).collect();
                tally.add(EvidenceCell { stratum, control, points: bytes }, rows.mass(), points.steps);
            }
            tally
        };
        Some(EvidenceTally {
            groups: fine,
            of: of.into_iter().map(Group).collect(),
            sources,
            alone: self.alone.iter().map(tally).collect(),
            together: self.together.as_ref().map(tally),
            jointly: self.jointly.as_ref().map(tally),
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
