//! Proxies that share mistakes, as one number.
//!
//! Copying: with probability `ρ` all proxies repeat one shared guess. It is undone on the tally,
//! ```text
//! P′_s(g) = [P_s(g) − ρ·1(all guesses equal)·q̄_s(g)] / (1−ρ)          q̄: mean share of each guess
//! ```
//! exactly, for any number of groups and whether or not strata err alike; then everything is fitted as usual.
//! Where a known mechanism randomised guesses, they were copied before, and what is told of a shared guess `v` is
//! `q̄_s(v)·Π_c R_c[v, g_c]` instead. Every cell has some of it, so that chance leaves rare ones below zero: what is made
//! of such a table is moments, in which they may be.
//!
//! `ρ` cannot be estimated from proxies alone. We speak of `r = ρ/φ`, with `φ` the observed agreement beyond
//! chance: the share of the proxies' agreement that is shared error.

use crate::counts::{Cell, Frequencies};
use crate::vocabulary::{Guess, Stratum};
use std::collections::BTreeMap;

/// Agreement of two proxies beyond chance, `(P(equal) − Σ q²) / (1 − Σ q²)`, averaged over pairs: for two groups
/// the correlation between proxies. `None` where no row has two guesses, or all guesses are one.
///
/// ```
/// # use fairveil_core::World;
/// # use fairveil_core::uncertainty::agreement;
/// // Two groups of equal size, accuracy 0.8: correlation (2·0.8 − 1)².
/// let seen = World::symmetric(2, 2, &[0.8; 3], 0.3).frequencies();
/// assert!((agreement(&seen).unwrap() - 0.36).abs() < 1e-12);
/// ```
pub fn agreement(seen: &Frequencies) -> Option<f64> {
    agreement_of(seen, |_, _| true)
}

/// The same of proxies that come from different sources: that of one source's is none.
pub(crate) fn agreement_between(seen: &Frequencies) -> Option<f64> {
    agreement_of(seen, |i, j| seen.sources.view(i) != seen.sources.view(j))
}

fn agreement_of(seen: &Frequencies, counts: impl Fn(usize, usize) -> bool) -> Option<f64> {
    let seen = &seen.undone()?;
    let mut shares = vec![0.0; seen.groups()];
    let (mut equal, mut pairs) = (0.0, 0.0);
    for (cell, share) in seen.cells() {
        let guesses = cell.guesses.iter().enumerate();
        let said: Vec<(usize, Guess)> = guesses.filter_map(|(c, guess)| Some((c, (*guess)?))).collect();
        for (i, (first, guess)) in said.iter().enumerate() {
            for (_, other) in said[..i].iter().filter(|(second, _)| counts(*first, *second)) {
                pairs += share;
                if guess == other {
                    equal += share;
                }
                shares[guess.0] += share / 2.0;
                shares[other.0] += share / 2.0;
            }
        }
    }
    let by_chance: f64 = shares.iter().map(|share| (share / pairs).powi(2)).sum();
    (pairs > 0.0 && by_chance < 1.0 - 1e-12).then(|| (equal / pairs - by_chance) / (1.0 - by_chance))
}

/// The agreement beyond chance (Cohen's kappa) of every two proxies. `None` where a pair never speaks together, or always
/// says one thing.
pub(crate) fn pair_agreements(seen: &Frequencies) -> Option<Vec<f64>> {
    let seen = &seen.undone()?;
    let pairs = (0..seen.proxies()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.map(|(i, j)| kappa(seen, i, j)).collect()
}

fn kappa(seen: &Frequencies, i: usize, j: usize) -> Option<f64> {
    let mut shares = vec![[0.0; 2]; seen.groups()];
    let (mut same, mut both) = (0.0, 0.0);
    for (cell, share) in seen.cells() {
        if let (Some(first), Some(second)) = (cell.guesses[i], cell.guesses[j]) {
            shares[first.0][0] += share;
            shares[second.0][1] += share;
            both += share;
            same += if first == second { *share } else { 0.0 };
        }
    }
    let by_chance: f64 = shares.iter().map(|[first, second]| first * second / (both * both)).sum();
    (both > 0.0 && by_chance < 1.0 - 1e-12).then(|| (same / both - by_chance) / (1.0 - by_chance))
}

/// The table without the copying of a given probability. `None` where that much copying is impossible: a cell
/// would hold less than no one. Rows on which some proxies abstain are undone among those that do not.
///
/// ```
/// # use fairveil_core::World;
/// # use fairveil_core::uncertainty::without_copying;
/// # use fairveil_core::world::WorldError;
/// let plain = World::symmetric(3, 2, &[0.7; 4], 0.3);
/// let copied = plain.clone().with_copying(0.1)?.frequencies();
/// let undone = without_copying(&copied, 0.1).unwrap();
/// for ((_, undone), (_, plain)) in undone.cells().iter().zip(plain.frequencies().cells()) {
///     assert!((undone - plain).abs() < 1e-12);
/// }
/// assert!(without_copying(&copied, 0.9).is_none());
/// # Ok::<(), WorldError>(())
/// ```
pub fn without_copying(seen: &Frequencies, probability: f64) -> Option<Frequencies> {
    if probability == 0.0 {
        return Some(seen.clone());
    }
    if !(0.0..1.0).contains(&probability) {
        return None;
    }
    if !seen.told.is_nothing() {
        return without_copying_before(seen, probability);
    }
    let mut undone = seen.clone();
    // Cells of one stratum in which the same proxies answer.
    let mut parts: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (i, (cell, _)) in seen.cells().iter().enumerate() {
        let answered: Vec<bool> = cell.guesses.iter().map(Option::is_some).collect();
        parts.entry((cell.stratum, answered)).or_default().push(i);
    }
    for ((_, answered), cells) in parts {
        let answers = answered.iter().filter(|answered| **answered).count();
        let mut shares = vec![0.0; seen.groups()];
        for i in &cells {
            let (cell, share) = &seen.cells()[*i];
            cell.guesses.iter().flatten().for_each(|guess| shares[guess.0] += share / answers as f64);
        }
        for i in cells {
            let (cell, share) = &mut undone.cells[i];
            let mut said = cell.guesses.iter().flatten();
            let first = said.next();
            let copied = match first {
                Some(first) if said.all(|guess| guess == first) => probability * shares[first.0],
                Some(_) => 0.0,
                None => probability * *share,
            };
            *share = (*share - copied) / (1.0 - probability);
        }
    }
    // Rounding may leave a cell that copying explains fully at a hair below zero.
    undone.cells.iter().all(|(_, share)| *share > -1e-12).then(|| {
        undone.cells.iter_mut().for_each(|(_, share)| *share = share.max(0.0));
        undone.cells.retain(|(_, share)| *share > 0.0);
        undone
    })
}

/// The table of what is told without the copying of guesses before they were randomised; a rare cell may come out below
/// zero. `None` where there are too many patterns of guesses to go through.
fn without_copying_before(seen: &Frequencies, probability: f64) -> Option<Frequencies> {
    const MOST: usize = 20_000;
    let (groups, proxies) = (seen.groups(), seen.proxies());
    u32::try_from(proxies).ok().and_then(|c| groups.checked_pow(c)).filter(|patterns| *patterns <= MOST)?;
    let mut parts: BTreeMap<(Stratum, Vec<usize>), f64> = BTreeMap::new();
    let mut shares: BTreeMap<(Stratum, Vec<usize>), Vec<f64>> = BTreeMap::new();
    for (cell, share) in seen.cells() {
        let answered: Vec<usize> = (0..proxies).filter(|c| cell.guesses[*c].is_some()).collect();
        let before = shares.entry((cell.stratum, answered.clone())).or_insert_with(|| vec![0.0; groups]);
        for c in &answered {
            let Some(told) = cell.guesses[*c] else { continue };
            for (v, sum) in before.iter_mut().enumerate() {
                *sum += share * seen.told.undo(*c, told, v) / answered.len() as f64;
            }
        }
        *parts.entry((cell.stratum, answered)).or_default() += share;
    }
    let mut cells: BTreeMap<Cell, f64> = seen.cells().iter().cloned().collect();
    for ((stratum, answered), whole) in parts {
        let before = &shares[&(stratum, answered.clone())];
        let patterns = groups.pow(answered.len() as u32);
        for pattern in 0..patterns {
            let mut guesses: Box<[Option<Guess>]> = vec![None; proxies].into();
            let mut rest = pattern;
            for c in &answered {
                guesses[*c] = Some(Guess(rest % groups));
                rest /= groups;
            }
            let told = |v: usize| -> f64 {
                let chance = |c: &usize| guesses[*c].map_or(1.0, |g| seen.told.chance(*c, v, g.0));
                before[v] * answered.iter().map(chance).product::<f64>()
            };
            let copied = if answered.is_empty() { whole } else { (0..groups).map(told).sum() };
            *cells.entry(Cell { stratum, guesses }).or_default() -= probability * copied;
        }
    }
    let cells = cells.into_iter().map(|(cell, share)| (cell, share / (1.0 - probability)));
    Some(seen.with_cells(cells.collect()))
}
