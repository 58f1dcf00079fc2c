//! Rows counted by the points of their evidence, beside the tally of guesses.
//!
//! Three kinds of count: rows by the point of each source alone, by the product of all that speak, and by the points of all of them.
//! The first two are on a grid that is made coarser when it has too many cells. Of the third, which tests need and cells multiply in, some
//! cells are kept where there are too many: those whose points have a hash that ends in so many zeros, whatever was decided. What is
//! kept does not depend on threads or the order of rows. A row is added in a few steps and forgotten.

mod beside;
mod checks;
mod file;
mod points;
mod problem;
mod told;

pub use file::EvidenceFile;
pub(crate) use points::{JOINT_STEPS, half, point_hash};
pub use problem::EvidenceProblem;
pub(crate) use told::{Evidence, Placed, RawEvidence};

use crate::cells::Key;
use crate::error::Problem;
use crate::names::{Looked, MOST_NAMED_GROUPS, NameSource, coarse, packed};
use crate::plan::Plan;
use crate::worker::{Batch, Codes};
use fairveil_core::evidence::{FINEST, nearest_point};
use hashbrown::HashMap;
use points::{At, Points, joined};
use std::sync::Arc;
use told::{ByPoint, Told};

/// Sources of names: first names, surnames, places.
pub(crate) const MOST_SOURCES: usize = 3;
/// Single sources are counted entry by entry up to so many places and entries, which is quicker than by their points.
const MOST_DENSE: usize = 4_000_000;

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
    by_point: ByPoint,
    /// For each source, rows by place and entry; moved to the points at the end.
    dense: Vec<Vec<u32>>,
    /// Rows in there.
    in_dense: u32,
}

/// What several sources say of the same rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Several {
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
        let lone = self.probabilities.len() == 1
            && self.roles.guesses.len() == 1
            && self.tally.is_none()
            && self.score_groups.len() <= MOST_NAMED_GROUPS;
        match self.sources.as_slice() {
            _ if self.guesses_alone => None,
            [] => lone.then_some(Kind::Probabilities { groups: self.score_groups.len() }),
            sources => Some(Kind::Names(sources)),
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
        mine.by_point.merge(theirs.by_point, &places);
    }

    /// About how many bytes it holds.
    pub fn held(&self) -> u64 {
        let Some(counts) = &self.counts else { return 0 };
        let dense = counts.dense.iter().map(|dense| 4 * dense.len() as u64).sum::<u64>();
        counts.by_point.cells() as u64 * 200 + dense
    }

    /// All that was counted, to be made sense of.
    pub fn finish(self, plan: &Plan) -> Option<RawEvidence> {
        let mut counts = self.counts?;
        counts.settle();
        let Counted { keys, by_point, .. } = counts;
        Some(RawEvidence { keys, counted: Evidence { by_point, told: Told::of(plan)? } })
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
            dense: vec![Vec::new(); sources],
            in_dense: 0,
            by_point: ByPoint {
                alone: vec![Points::new(groups, FINEST); sources],
                several: (sources > 1).then(|| Several {
                    together: Points::new(groups, FINEST),
                    jointly: Points::thinned(groups),
                }),
                looked: vec![[0; 5]; sources],
            },
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
            self.by_point.looked[s][kind_of(looked)] += 1;
            self.add_alone(s, source, place, *entry, weight);
        }
        if let Some(several) = &mut self.by_point.several {
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
        let alone = &mut self.by_point.alone[s];
        alone.add(At { place, points: [coarse(source.point(entry), alone.steps)] }, weight);
    }

    /// Moves what was counted by entries to the points.
    fn settle(&mut self) {
        self.in_dense = 0;
        for (s, source) in self.sources.iter().enumerate() {
            let alone = &mut self.by_point.alone[s];
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
        let alone = &mut self.by_point.alone[0];
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

/// Nothing speaks against evidence in this plan.
pub(crate) fn refuse(plan: &Plan) -> Result<(), Problem> {
    let fine = plan.sources.first().map(|source| source.fine().to_vec());
    let same = plan.sources.iter().all(|source| Some(source.fine()) == fine.as_deref());
    if same { Ok(()) } else { Err(Problem::NamesApart) }
}
