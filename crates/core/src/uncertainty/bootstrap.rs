//! Resampling the tally: a refit costs microseconds, so thousands are free.

use super::copying::without_copying;
use super::draw_in_order;
use crate::counts::{Frequencies, View};
use crate::rates::Joint;
use crate::vocabulary::Axis;
use nalgebra::{DMatrix, DVector};
use rand_distr::{Binomial, ChiSquared, Distribution, StandardNormal};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::SeedableRng;

/// Tables drawn as `rows` rows from the shares of one table. Draw `i` of a seed is always the same.
pub(crate) struct Bootstrap<'a> {
    seen: &'a Frequencies,
    rows: u64,
    seed: u64,
}

impl<'a> Bootstrap<'a> {
    pub fn new(seen: &'a Frequencies, rows: f64, seed: u64) -> Self {
        Bootstrap { seen, rows: rows.round().max(1.0) as u64, seed }
    }

    /// One multinomial draw, cell by cell.
    pub fn draw(&self, index: u64) -> Frequencies {
        let shares: Vec<f64> = self.seen.cells.iter().map(|(_, share)| *share).collect();
        let mut drawn = self.seen.clone();
        let counts = multinomial(&shares, self.rows as f64, self.seed, index);
        drawn.cells.iter_mut().zip(counts).for_each(|((_, share), drawn)| *share = drawn);
        drawn.cells.retain(|(_, share)| *share > 0.0);
        drawn
    }
}

/// A table and how its rows are to be drawn anew.
#[derive(Debug, Clone, Copy)]
pub struct Redraw<'a> {
    /// The table.
    pub seen: &'a Frequencies,
    /// The question its strata are cut for.
    pub view: View,
    /// The effective number of rows.
    pub rows: f64,
    /// How many draws are wanted.
    pub draws: usize,
    /// Their seed.
    pub seed: u64,
}

/// Tables drawn from the tally and turned into joint tables; where asked, with copying undone on each.
pub(crate) fn resampled<A: Axis + Send>(
    table: Redraw,
    copying: f64,
    joint: impl Fn(&Frequencies) -> Option<Joint<A>> + Sync,
) -> Vec<Option<Joint<A>>> {
    if copying == 0.0 {
        return redrawn(table, joint);
    }
    redrawn(table, |seen| joint(&without_copying(seen, copying)?))
}

/// The same tables, turned into whatever is asked for.
pub(crate) fn redrawn<T: Send>(table: Redraw, read: impl Fn(&Frequencies) -> T + Sync) -> Vec<T> {
    let bootstrap = Bootstrap::new(table.seen, table.rows, table.seed);
    draw_in_order(table.draws, |index| read(&bootstrap.draw(index)))
}

/// Shares among `rows` rows drawn with these chances, which sum to one up to rounding. Draw `index` of a seed is always
/// the same.
pub(crate) fn multinomial(chances: &[f64], rows: f64, seed: u64, index: u64) -> Vec<f64> {
    let mut random = generator(seed, index);
    let rows = rows.round().max(1.0) as u64;
    let (mut left, mut mass) = (rows, 1.0f64);
    let mut draw = |share: &f64| {
        let chance = (share / mass).clamp(0.0, 1.0);
        mass -= share;
        // infallible: the chance lies in [0, 1]
        let count = Binomial::new(left, chance).map_or(0, |binomial| binomial.sample(&mut random));
        left -= count;
        count as f64 / rows as f64
    };
    let mut drawn: Vec<f64> = chances.iter().map(&mut draw).collect();
    // Rounding of the last chance may leave a few rows over.
    if left > 0 {
        let scale = rows as f64 / (rows - left.min(rows - 1)) as f64;
        drawn.iter_mut().for_each(|share| *share *= scale);
    }
    drawn
}

/// Draws from a normal distribution around `centre`.
pub(crate) fn normal_draws(
    centre: &[f64],
    covariance: &DMatrix<f64>,
    draws: usize,
    seed: u64,
) -> Vec<Vec<f64>> {
    // Nothing to draw: a table whose every probability is held where it is.
    if centre.is_empty() {
        return vec![Vec::new(); draws];
    }
    let eigen = covariance.clone().symmetric_eigen();
    let roots = eigen.eigenvalues.map(|value| value.max(0.0).sqrt());
    let spread = &eigen.eigenvectors * DMatrix::from_diagonal(&roots);
    let centre = DVector::from_column_slice(centre);
    let draw = |index| {
        crate::watch::pause();
        let mut random = generator(seed, index);
        let normal = DVector::from_fn(centre.len(), |_, _| StandardNormal.sample(&mut random));
        (&centre + &spread * normal).iter().copied().collect()
    };
    (0..draws as u64).map(draw).collect()
}

/// Draws from Student's `t` with this spread around `centre`: normal draws, all entries of one divided by the root of the
/// same χ² over its degrees of freedom.
pub(crate) fn student_draws(
    centre: &[f64],
    spread: &DMatrix<f64>,
    freedom: f64,
    draws: usize,
    seed: u64,
) -> Vec<Vec<f64>> {
    let mut drawn = normal_draws(centre, spread, draws, seed);
    for (index, draw) in drawn.iter_mut().enumerate() {
        // A stream of its own, beside those of the normal draws.
        let mut random = generator(!seed, index as u64);
        let scale =
            ChiSquared::new(freedom).map_or(1.0, |square| (freedom / square.sample(&mut random)).sqrt());
        draw.iter_mut().zip(centre).for_each(|(value, centre)| *value = centre + scale * (*value - centre));
    }
    drawn
}

/// A generator of its own for each draw, so that draws do not depend on how the work is shared out.
pub(crate) fn generator(seed: u64, index: u64) -> Pcg64 {
    Pcg64::seed_from_u64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(index))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::World;

    #[test]
    fn draws_have_the_mean_and_the_spread_of_a_multinomial() {
        let seen = World::symmetric(2, 2, &[0.8; 3], 0.2).frequencies();
        let (rows, draws) = (500.0, 4000);
        let bootstrap = Bootstrap::new(&seen, rows, 7);
        for place in [0, 9, seen.cells().len() - 1] {
            let (cell, p) = &seen.cells()[place];
            let share = |index| {
                let drawn = bootstrap.draw(index);
                drawn.cells().iter().find(|(other, _)| other == cell).map_or(0.0, |(_, share)| *share)
            };
            let values: Vec<f64> = (0..draws).map(share).collect();
            let mean = values.iter().sum::<f64>() / draws as f64;
            let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / draws as f64;
            let expected = p * (1.0 - p) / rows;
            assert!((mean - p).abs() < 5.0 * (expected / draws as f64).sqrt());
            // The relative error of a variance from n draws is about √(2/n) = 2 %; five of them.
            assert!((variance / expected - 1.0).abs() < 0.15, "{}", variance / expected);
        }
    }
}
