//! A graph of near rows, walked from row to row: a hierarchical navigable small world (Malkov and Yashunin, 2018).
//!
//! ```text
//! walk:    of the rows seen, step to the nearest not yet stepped to, until it is farther than the `ef` nearest seen
//! choose:  keep b, nearest first, if |a − b| < |b − c| for every c kept before
//! ```
//! Every row is in layer 0, one in sixteen also in layer 1, one in 256 in layer 2: a new row is led through the upper
//! layers to where it belongs, is linked to those chosen among the nearest it finds, and they to it.
//!
//! Rows are added in batches: all rows of a batch are led through the graph as it was before, side by side, and linked
//! in order of their numbers. So the graph, and what a walk misses, is the same on any number of threads and in every
//! run. A row's neighbours are looked for from the row itself. Distances on the way are in single precision, those of
//! what was found in double.

use crate::exact::{Best, Points};
use hashbrown::HashMap;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Mutex, PoisonError};

/// Links a row starts with in each layer; more find more, and take memory.
const LINKS: usize = 16;
/// Most links in layer 0, where all rows are; twice the links, as its authors advise.
const MOST_LINKS: usize = 2 * LINKS;
/// Rows kept in sight while a row is added.
const EF_ADD: usize = 96;
/// Rows kept in sight while a row's neighbours are looked for.
const EF_FIND: usize = 160;
/// Most rows of a batch, and the share of the rows before it: rows of one batch do not see each other.
const MOST_BATCH: usize = 2048;
const BATCH_SHARE: usize = 64;
/// Rows whose neighbours are looked for between two words on the progress.
const FOUND_AT_ONCE: usize = 32_768;
/// Rows that the recall is measured on: at a recall of 0.98, 2,000 neighbours give it to ±0.006.
const SAMPLE: usize = 1024;
/// Points that a thread takes at once; handing out fewer costs more than they take.
const PIECE: usize = 32;
/// No table has this many layers: one row in 16⁸ reaches the last.
const MOST_LAYERS: u32 = 8;

/// The two nearest of every point that walks found, and the share of the truth in that.
pub(crate) fn all_nearest(points: &Points, progress: &(dyn Fn(usize, usize) + Sync)) -> (Vec<Best>, f64) {
    let total = points.len();
    let walkers = Walkers { points: total, idle: Mutex::default() };
    // Adding takes about two thirds of the time.
    let graph = Graph::new(points, &walkers, |added| progress(added / 3 * 2, total));
    let mut found = Vec::with_capacity(total);
    for start in (0..total).step_by(FOUND_AT_ONCE) {
        let some: Vec<u32> = (start as u32..(start + FOUND_AT_ONCE).min(total) as u32).collect();
        found.extend(walkers.each(&some, |walker, point| graph.nearest(walker, point)));
        progress(total / 3 * 2 + (start + some.len()) / 3, total);
    }
    drop(graph);
    for point in 0..total as u32 {
        for (squared, other) in found[point as usize].found() {
            // To be near is mutual: a walk from there may have missed what this one found.
            if !found[other as usize].at.contains(&point) {
                found[other as usize].offer(squared, point);
            }
        }
    }
    let wanted = 2.min(total.saturating_sub(1));
    let lost: Vec<u32> =
        (0..total as u32).filter(|&point| found[point as usize].found().count() < wanted).collect();
    for (&point, best) in lost.iter().zip(points.nearest_of(&lost)) {
        found[point as usize] = best;
    }
    progress(total, total);
    let recall = recall(points, &found);
    (found, recall)
}

/// Which share of the true neighbours, of points evenly spread over all, was found.
fn recall(points: &Points, found: &[Best]) -> f64 {
    let size = SAMPLE.min(points.len());
    let sample: Vec<u32> = (0..size).map(|place| (place * points.len() / size) as u32).collect();
    let (mut all, mut hit) = (0, 0);
    for (&point, truth) in sample.iter().zip(points.nearest_of(&sample)) {
        for (_, neighbor) in truth.found() {
            all += 1;
            hit += usize::from(found[point as usize].at.contains(&neighbor));
        }
    }
    hit as f64 / all as f64
}

/// A distance, never negative, and the point at that distance, as one number with the order of both.
type Near = u64;

fn near(distance: f32, point: u32) -> Near {
    u64::from(distance.to_bits()) << 32 | u64::from(point)
}

fn point_of(near: Near) -> u32 {
    near as u32
}

fn distance_of(near: Near) -> f32 {
    f32::from_bits((near >> 32) as u32)
}

/// The room for one walk at a time, kept from walk to walk.
struct Walker {
    /// The walk that last saw each point.
    seen: Vec<u32>,
    walk: u32,
    ahead: BinaryHeap<Reverse<Near>>,
    kept: BinaryHeap<Near>,
}

impl Walker {
    fn new(points: usize) -> Self {
        Walker { seen: vec![0; points], walk: 0, ahead: BinaryHeap::new(), kept: BinaryHeap::new() }
    }

    fn start(&mut self) {
        self.ahead.clear();
        self.kept.clear();
        self.walk = self.walk.wrapping_add(1);
        if self.walk == 0 {
            self.seen.fill(0);
            self.walk = 1;
        }
    }

    /// Whether this walk sees the point for the first time.
    fn sees(&mut self, point: u32) -> bool {
        std::mem::replace(&mut self.seen[point as usize], self.walk) != self.walk
    }
}

/// Walkers without work: as many as ever walked at once.
struct Walkers {
    points: usize,
    idle: Mutex<Vec<Walker>>,
}

impl Walkers {
    /// Does the same for all points, and keeps their order.
    fn each<R: Send>(&self, points: &[u32], task: impl Fn(&mut Walker, u32) -> R + Sync) -> Vec<R> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let some = |points: &[u32]| {
            let rested = idle().pop();
            let mut walker = rested.unwrap_or_else(|| Walker::new(self.points));
            let done: Vec<R> = points.iter().map(|&point| task(&mut walker, point)).collect();
            idle().push(walker);
            done
        };
        if points.len() <= PIECE {
            return some(points);
        }
        points.par_chunks(PIECE).map(some).collect::<Vec<_>>().into_iter().flatten().collect()
    }
}

struct Graph<'a> {
    points: &'a Points<'a>,
    /// Layer 0: room for `MOST_LINKS` for each point, of which `used` are taken.
    links: Vec<u32>,
    used: Vec<u8>,
    /// Links in the layers above, of the few points that reach them.
    upper: HashMap<u32, Vec<Vec<u32>>>,
    /// A point of the highest layer.
    entry: u32,
}

impl<'a> Graph<'a> {
    fn new(points: &'a Points, walkers: &Walkers, added: impl Fn(usize)) -> Self {
        let total = points.len();
        let (links, used) = (vec![0; total * MOST_LINKS], vec![0; total]);
        let mut graph = Graph { points, links, used, upper: HashMap::new(), entry: 0 };
        graph.upper.insert(0, vec![Vec::new(); layer_of(0)]);
        let mut done = 1;
        while done < total {
            let size = (done / BATCH_SHARE).clamp(1, MOST_BATCH).min(total - done);
            let batch: Vec<u32> = (done as u32..(done + size) as u32).collect();
            graph.add(&batch, walkers);
            done += size;
            if size == MOST_BATCH || done == total {
                added(done);
            }
        }
        graph
    }

    fn layers(&self, point: u32) -> usize {
        self.upper.get(&point).map_or(0, Vec::len)
    }

    fn links(&self, point: u32, layer: usize) -> &[u32] {
        if layer == 0 {
            let at = point as usize;
            return &self.links[at * MOST_LINKS..][..usize::from(self.used[at])];
        }
        self.upper.get(&point).and_then(|layers| layers.get(layer - 1)).map_or(&[], Vec::as_slice)
    }

    fn set_links(&mut self, point: u32, layer: usize, links: &[u32]) {
        if layer == 0 {
            let at = point as usize;
            self.links[at * MOST_LINKS..][..links.len()].copy_from_slice(links);
            self.used[at] = links.len() as u8;
        } else if let Some(own) = self.upper.get_mut(&point).and_then(|layers| layers.get_mut(layer - 1)) {
            *own = links.to_vec();
        }
    }

    /// Adds points side by side: each finds its links in the graph as it is, then all links are made.
    fn add(&mut self, batch: &[u32], walkers: &Walkers) {
        let chosen = walkers.each(batch, |walker, point| self.links_for(walker, point));
        let mut back: Vec<(usize, u32, u32)> = Vec::new();
        for (&point, layers) in batch.iter().zip(&chosen) {
            let highest = layer_of(point);
            if highest > 0 {
                self.upper.insert(point, vec![Vec::new(); highest]);
            }
            for (layer, links) in layers.iter().enumerate() {
                self.set_links(point, layer, links);
                back.extend(links.iter().map(|&other| (layer, other, point)));
            }
            if highest > self.layers(self.entry) {
                self.entry = point;
            }
        }
        back.sort_unstable();
        let same: Vec<_> = back.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).collect();
        let changed: Vec<Vec<u32>> =
            same.par_iter().with_min_len(PIECE).map(|back| self.with_links_back(back)).collect();
        for (back, links) in same.iter().zip(changed) {
            self.set_links(back[0].1, back[0].0, &links);
        }
    }

    /// The links of a new point, from layer 0 up.
    fn links_for(&self, walker: &mut Walker, point: u32) -> Vec<Vec<u32>> {
        let highest = layer_of(point);
        let mut at = vec![self.near(point, self.entry)];
        let mut links = Vec::new();
        for layer in (0..=self.layers(self.entry)).rev() {
            at = self.walk(walker, point, &at, if layer > highest { 1 } else { EF_ADD }, layer);
            if layer <= highest {
                links.push(self.choose(&at, LINKS));
            }
        }
        links.reverse();
        links
    }

    /// The links of a point with those of new points added, and again chosen from where they are too many.
    fn with_links_back(&self, back: &[(usize, u32, u32)]) -> Vec<u32> {
        let (layer, point, _) = back[0];
        let most = if layer == 0 { MOST_LINKS } else { LINKS };
        let mut links = self.links(point, layer).to_vec();
        links.extend(back.iter().map(|&(_, _, new)| new));
        if links.len() <= most {
            return links;
        }
        let mut nearest: Vec<Near> = links.iter().map(|&other| self.near(point, other)).collect();
        nearest.sort_unstable();
        self.choose(&nearest, most)
    }

    /// From points in order of distance, those that are not nearer to one chosen before: links in all directions.
    fn choose(&self, nearest: &[Near], most: usize) -> Vec<u32> {
        let mut chosen: Vec<u32> = Vec::with_capacity(most);
        for &candidate in nearest {
            let (distance, point) = (distance_of(candidate), point_of(candidate));
            if chosen.iter().all(|&other| distance < self.distance(point, other)) {
                chosen.push(point);
                if chosen.len() == most {
                    break;
                }
            }
        }
        chosen
    }

    /// The `ef` nearest points that a walk in one layer finds, the nearest first.
    fn walk(&self, walker: &mut Walker, point: u32, from: &[Near], ef: usize, layer: usize) -> Vec<Near> {
        walker.start();
        for &start in from {
            walker.sees(point_of(start));
            walker.ahead.push(Reverse(start));
            walker.kept.push(start);
        }
        while let Some(Reverse(step)) = walker.ahead.pop() {
            if walker.kept.len() >= ef && walker.kept.peek().is_some_and(|&farthest| step > farthest) {
                break;
            }
            for &other in self.links(point_of(step), layer) {
                if !walker.sees(other) {
                    continue;
                }
                let seen = self.near(point, other);
                if walker.kept.len() < ef || walker.kept.peek().is_some_and(|&farthest| seen < farthest) {
                    walker.ahead.push(Reverse(seen));
                    walker.kept.push(seen);
                    if walker.kept.len() > ef {
                        walker.kept.pop();
                    }
                }
            }
        }
        let mut kept: Vec<Near> = walker.kept.drain().collect();
        kept.sort_unstable();
        kept
    }

    /// The two nearest of a point that is in the graph: the best few of a walk from it, ranked in double precision.
    fn nearest(&self, walker: &mut Walker, point: u32) -> Best {
        let mut best = Best::default();
        for other in
            self.walk(walker, point, &[near(0.0, point)], EF_FIND, 0).into_iter().take(8).map(point_of)
        {
            if other != point {
                best.offer(self.points.squared_distance(point, other), other);
            }
        }
        best
    }

    fn near(&self, point: u32, other: u32) -> Near {
        near(self.distance(point, other), other)
    }

    /// The square of a distance, in single precision.
    fn distance(&self, a: u32, b: u32) -> f32 {
        const LANES: usize = 16;
        let row = |point: u32| self.points.vectors.row(self.points.rows[point as usize] as usize);
        let (a, b) = (row(a).chunks_exact(LANES), row(b).chunks_exact(LANES));
        let rest: f32 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| (a - b) * (a - b)).sum();
        let mut sums = [0.0_f32; LANES];
        for (a, b) in a.zip(b) {
            for lane in 0..LANES {
                sums[lane] += (a[lane] - b[lane]) * (a[lane] - b[lane]);
            }
        }
        rest + sums.iter().sum::<f32>()
    }
}

/// The highest layer of a point, from its number alone: one in sixteen goes on to the next.
fn layer_of(point: u32) -> usize {
    // The mixing of the splitmix64 generator.
    let mut mixed = (u64::from(point) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ mixed >> 31).trailing_zeros() / 4).min(MOST_LAYERS) as usize
}
