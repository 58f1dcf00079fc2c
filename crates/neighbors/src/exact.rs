//! Every pair of rows, as products of blocks of rows.
//!
//! ```text
//! −|a − b|² / 2  =  a·b − |a|²/2 − |b|²/2
//! ```
//! The products `a·b` of 256 rows with 256 others are one product of matrices in single precision, the fastest thing a
//! processor does; as the distance from `a` to `b` is that from `b` to `a`, each block serves its rows and its
//! columns, and only the blocks on and above the diagonal are computed.
//!
//! Single precision only rules out. In place of `|a|²/2` stands `|a|²/2 · (1 − κ)`, with `κ` so large that the right side
//! is never below the left whatever was rounded; a pair whose right side still falls short of a row's second best
//! cannot be among its two nearest. Of all others the distance is computed in double precision. So no neighbour is lost
//! to rounding, ties go to the lower number, and the order in which blocks are done does not matter.

use crate::vectors::Vectors;
use nalgebra::{DMatrixView, DMatrixViewMut, Dyn, MatrixView};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Rows of a block: its products, 256 KiB, stay in a core's own cache until they were looked through.
const BLOCK: usize = 256;

/// Below this many features, `nalgebra` multiplies column by column, which is many times slower than with zeros added.
const LEAST_WIDTH: usize = 8;

/// Numbers that are compared at once.
const LANES: usize = 16;

/// The two nearest so far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Best {
    /// Squares of their distances, infinite where there is none.
    pub squared: [f64; 2],
    pub at: [u32; 2],
}

impl Default for Best {
    fn default() -> Self {
        Best { squared: [f64::INFINITY; 2], at: [u32::MAX; 2] }
    }
}

impl Best {
    /// Takes one more into account; the lower number first where distances are equal.
    pub fn offer(&mut self, squared: f64, at: u32) {
        let nearer = |place: usize| {
            squared.total_cmp(&self.squared[place]).then_with(|| at.cmp(&self.at[place])).is_lt()
        };
        if nearer(0) {
            *self = Best { squared: [squared, self.squared[0]], at: [at, self.at[0]] };
        } else if nearer(1) {
            (self.squared[1], self.at[1]) = (squared, at);
        }
    }

    /// Those that were found, the nearer first.
    pub fn found(self) -> impl Iterator<Item = (f64, u32)> {
        self.squared.into_iter().zip(self.at).filter(|(squared, _)| squared.is_finite())
    }
}

/// Different rows, numbered anew from 0.
///
/// In blocks they are moved to have mean 0 and scaled by a power of two: distances keep their order, `κ` counts less
/// the shorter the rows, and no square overflows.
pub(crate) struct Points<'a> {
    pub vectors: &'a Vectors,
    /// The row of each.
    pub rows: &'a [u32],
    width: usize,
    scale: f32,
    centre: Vec<f32>,
    kappa: f64,
    /// What products of numbers too small for single precision may have lost.
    lost: f64,
}

/// Some points side by side, ready to be multiplied; filled up with points that are infinitely far.
struct Strip {
    points: Vec<u32>,
    numbers: Vec<f32>,
    /// `|a|²/2 · (1 − κ)` of each.
    halves: Vec<f32>,
}

impl Strip {
    fn new(width: usize) -> Self {
        Strip { points: Vec::new(), numbers: vec![0.0; BLOCK * width], halves: vec![f32::INFINITY; BLOCK] }
    }

    /// The largest of the halves, of points that are there.
    fn largest_half(&self) -> f64 {
        self.halves[..self.points.len()].iter().fold(0.0, |largest, &half| largest.max(f64::from(half)))
    }
}

/// The best so far of the points of one strip, and what a value has to reach to be looked at.
struct Standing {
    best: Vec<Best>,
    bar: Vec<f32>,
}

impl Standing {
    fn new(points: usize) -> Mutex<Self> {
        Mutex::new(Standing { best: vec![Best::default(); points], bar: vec![f32::NEG_INFINITY; points] })
    }
}

/// One thread's room for a block.
struct Room {
    strip: Strip,
    /// `a·b`, a row of the block after the other.
    products: Vec<f32>,
    row_best: Vec<f32>,
    column_best: Vec<f32>,
    values: Vec<f32>,
}

impl Room {
    fn new(width: usize) -> Self {
        Room {
            strip: Strip::new(width),
            products: vec![0.0; BLOCK * BLOCK],
            row_best: vec![0.0; BLOCK],
            column_best: vec![0.0; BLOCK],
            values: Vec::with_capacity(BLOCK),
        }
    }
}

impl<'a> Points<'a> {
    pub fn new(vectors: &'a Vectors, rows: &'a [u32]) -> Self {
        let width = vectors.dimensions().max(LEAST_WIDTH);
        let row = |&row: &u32| vectors.row(row as usize);
        let mut sums = vec![0.0_f64; vectors.dimensions()];
        let mut largest = 0.0_f32;
        for numbers in rows.iter().map(row) {
            for (sum, &number) in sums.iter_mut().zip(numbers) {
                *sum += f64::from(number);
                largest = largest.max(number.abs());
            }
        }
        // The power of two that brings the largest number below 1, as far as such a power is a normal number.
        let scale = f32::from_bits(253_u32.saturating_sub(largest.to_bits() >> 23).clamp(1, 253) << 23);
        let centre = sums.iter().map(|sum| (sum / rows.len() as f64 * f64::from(scale)) as f32).collect();
        // With u = 2⁻²⁴, a sum of w products is off by at most w·u/(1 − w·u) · Σ|aᵢbᵢ|, in any order, and Σ|aᵢbᵢ| is at
        // most |a|²/2 + |b|²/2. Moving the mean adds 4u of that, rounding the halves, and the difference from them, 4u.
        // Sixteen leaves room, as does the factor for the denominator up to a million features.
        let kappa = (width as f64 + 16.0) * 0.5_f64.powi(24) * 1.1;
        let lost = (width as f64 + 16.0) * f64::from(f32::MIN_POSITIVE);
        Points { vectors, rows, width, scale, centre, kappa, lost }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn squared_distance(&self, a: u32, b: u32) -> f64 {
        self.vectors.squared_distance(self.rows[a as usize] as usize, self.rows[b as usize] as usize)
    }

    /// The two nearest of every point.
    pub fn all_nearest(&self, progress: &(dyn Fn(usize, usize) + Sync)) -> Vec<Best> {
        let strips = self.len().div_ceil(BLOCK);
        let standings: Vec<_> =
            (0..strips).map(|strip| Standing::new(self.strip_points(strip).len())).collect();
        let (blocks, done) = (strips * (strips + 1) / 2, AtomicUsize::new(0));
        let tell = |more: usize| {
            let done = done.fetch_add(more, Ordering::Relaxed) + more;
            progress((self.len() as f64 * done as f64 / blocks as f64) as usize, self.len());
        };
        // The diagonal first: where rows come in some order the near ones are there, and later blocks have little to add.
        self.share(strips, |room, own, strip| {
            self.pack(self.strip_points(strip), own);
            self.pack(self.strip_points(strip), &mut room.strip);
            self.multiply(own, room);
            self.offer_rows(own, room, &standings[strip]);
            tell(1);
        });
        // The longest strips come first, so that threads end together.
        self.share(strips, |room, own, strip| {
            self.pack(self.strip_points(strip), own);
            for other in strip + 1..strips {
                self.pack(self.strip_points(other), &mut room.strip);
                self.multiply(own, room);
                self.offer_rows(own, room, &standings[strip]);
                self.offer_columns(own, room, &standings[other]);
            }
            tell(strips - strip - 1);
        });
        unlocked(standings)
    }

    /// The two nearest, among all points, of some.
    pub fn nearest_of(&self, some: &[u32]) -> Vec<Best> {
        let asked: Vec<Strip> = some
            .chunks(BLOCK)
            .map(|points| {
                let mut strip = Strip::new(self.width);
                self.pack(points.iter().copied(), &mut strip);
                strip
            })
            .collect();
        let standings: Vec<_> = asked.iter().map(|strip| Standing::new(strip.points.len())).collect();
        self.share(self.len().div_ceil(BLOCK), |room, _, other| {
            self.pack(self.strip_points(other), &mut room.strip);
            for (strip, standing) in asked.iter().zip(&standings) {
                self.multiply(strip, room);
                self.offer_rows(strip, room, standing);
            }
        });
        unlocked(standings)
    }

    fn strip_points(&self, strip: usize) -> std::ops::Range<u32> {
        (strip * BLOCK) as u32..((strip + 1) * BLOCK).min(self.len()) as u32
    }

    /// Hands out the numbers below `tasks`, in order, to threads with room for a block and a strip each.
    fn share(&self, tasks: usize, task: impl Fn(&mut Room, &mut Strip, usize) + Sync + Send) {
        let own = || (Room::new(self.width), Strip::new(self.width));
        // Bridged, not split: numbers go out one by one, and a thread makes its room once.
        (0..tasks).par_bridge().for_each_init(own, |(room, strip), number| task(room, strip, number));
    }

    /// Writes points into a strip: centred, scaled, with their halves.
    fn pack(&self, points: impl Iterator<Item = u32>, strip: &mut Strip) {
        strip.points.clear();
        strip.points.extend(points);
        strip.halves.fill(f32::INFINITY);
        let numbers = strip.numbers.chunks_exact_mut(self.width);
        for ((&point, into), half) in strip.points.iter().zip(numbers).zip(&mut strip.halves) {
            let row = self.vectors.row(self.rows[point as usize] as usize);
            for ((into, &number), &centre) in into.iter_mut().zip(row).zip(&self.centre) {
                *into = number * self.scale - centre;
            }
            *half = (sum_of_squares(into) / 2.0 * (1.0 - self.kappa)) as f32;
        }
    }

    /// All products of a strip with the other one, and the best value in each row and column of them.
    fn multiply(&self, strip: &Strip, room: &mut Room) {
        let other = &room.strip;
        let a = DMatrixView::from_slice(&strip.numbers, self.width, BLOCK);
        let b: MatrixView<f32, Dyn, Dyn, Dyn, Dyn> = MatrixView::from_slice_with_strides_generic(
            &other.numbers,
            Dyn(BLOCK),
            Dyn(self.width),
            Dyn(self.width),
            Dyn(1),
        );
        DMatrixViewMut::from_slice(&mut room.products, BLOCK, BLOCK).gemm(1.0, &b, &a, 0.0);
        room.column_best.fill(f32::NEG_INFINITY);
        let rows = room.products.chunks_exact(BLOCK).zip(&strip.halves).zip(&mut room.row_best);
        for ((products, &half), best) in rows {
            let mut lanes = [f32::NEG_INFINITY; LANES];
            let columns = products.chunks_exact(LANES).zip(other.halves.chunks_exact(LANES));
            for ((products, halves), columns) in columns.zip(room.column_best.chunks_exact_mut(LANES)) {
                for lane in 0..LANES {
                    lanes[lane] = larger(lanes[lane], products[lane] - halves[lane]);
                    columns[lane] = larger(columns[lane], products[lane] - half);
                }
            }
            *best = lanes.into_iter().fold(f32::NEG_INFINITY, larger);
        }
    }

    /// Offers the points of a strip those of the other one, as they stand in the rows of the block.
    fn offer_rows(&self, strip: &Strip, room: &mut Room, standing: &Mutex<Standing>) {
        let others = &room.strip;
        let largest_half = others.largest_half();
        let mut standing = lock(standing);
        for place in 0..strip.points.len() {
            if room.row_best[place] >= standing.bar[place] {
                let products = room.products[place * BLOCK..].iter();
                room.values.clear();
                room.values
                    .extend(products.zip(&others.halves).map(|(product, half)| product - half).take(BLOCK));
                let offered = Offered { points: &others.points, values: &room.values, largest_half };
                self.offer(strip, place, &offered, &mut standing);
            }
        }
    }

    /// The other way round: the points of the other strip, as they stand in the columns.
    fn offer_columns(&self, others: &Strip, room: &mut Room, standing: &Mutex<Standing>) {
        let largest_half = others.largest_half();
        let mut standing = lock(standing);
        for place in 0..room.strip.points.len() {
            if room.column_best[place] >= standing.bar[place] {
                let products = room.products[place..].iter().step_by(BLOCK);
                room.values.clear();
                room.values.extend(products.zip(&others.halves).map(|(product, half)| product - half));
                let offered = Offered { points: &others.points, values: &room.values, largest_half };
                self.offer(&room.strip, place, &offered, &mut standing);
            }
        }
    }

    /// Offers one point of a strip those whose value says that they can be among its two nearest.
    fn offer(&self, strip: &Strip, place: usize, offered: &Offered, standing: &mut Standing) {
        let (point, half) = (strip.points[place], f64::from(strip.halves[place]));
        let others = || offered.values.iter().zip(offered.points).filter(|&(_, &other)| other != point);
        let mut top = [f32::NEG_INFINITY; 2];
        for (&value, _) in others() {
            if value > top[1] {
                top = if value > top[0] { [value, top[0]] } else { [top[0], value] };
            }
        }
        // Two of them have at least the second value, and are no farther than it says once all that was added for
        // safety is taken off again: nothing below that can be among the two nearest.
        let added = 2.0 * (self.kappa / (1.0 - self.kappa) * (half + offered.largest_half) + self.lost);
        let bar = larger(standing.bar[place], below(f64::from(top[1]) - added));
        let best = &mut standing.best[place];
        for (_, &other) in others().filter(|&(&value, _)| value >= bar) {
            best.offer(self.squared_distance(point, other), other);
        }
        let scale = f64::from(self.scale);
        standing.bar[place] = below(half - scale * scale * best.squared[1] / 2.0 - self.lost);
    }
}

/// Points offered to a point `a`: for each point `b` its value, at least `|a|²/2 · (1 − κ) − |a − b|²/2`.
struct Offered<'a> {
    points: &'a [u32],
    values: &'a [f32],
    largest_half: f64,
}

/// A number in single precision that is not above `value`.
fn below(value: f64) -> f32 {
    (value as f32).next_down()
}

/// The processor's own `max`, which `f32::max`, careful with what is not a number, is not.
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

fn sum_of_squares(numbers: &[f32]) -> f64 {
    let mut sums = [0.0_f64; LANES / 2];
    let chunks = numbers.chunks_exact(LANES / 2);
    let rest: f64 = chunks.remainder().iter().map(|&number| f64::from(number).powi(2)).sum();
    for chunk in chunks {
        for (sum, &number) in sums.iter_mut().zip(chunk) {
            *sum += f64::from(number) * f64::from(number);
        }
    }
    rest + sums.iter().sum::<f64>()
}

/// A panic in another thread ends the whole search: what it left is never handed out.
fn lock(standing: &Mutex<Standing>) -> MutexGuard<'_, Standing> {
    standing.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unlocked(standings: Vec<Mutex<Standing>>) -> Vec<Best> {
    standings
        .into_iter()
        .flat_map(|standing| standing.into_inner().unwrap_or_else(PoisonError::into_inner).best)
        .collect()
}
