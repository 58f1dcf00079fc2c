//! Sources whose tables may be off for our people: a joint model with an estimated confusion for each.
//!
//! A name is borne here as it is by people of the table's group `b`, for a part `C[a,b]` of our group `a`:
//! ```text
//! P(stratum s, points) = Σₐ J[a,s] · Π_sources Σ_b C[a,b] · L[b]          rows of C are distributions
//! ```
//! `C` is the identity where a table is right. With two sources or more it shows in how they agree and how decisions go with them, as
//! the errors of guesses do; `J` and all `C` are made likeliest together by EM, from near the identity. It learns more than evidence
//! does and is less sure: a second opinion where tables are in doubt, and no more. Needs sources that are independent of each other
//! inside the groups.

use super::estimate::Frame;
use super::tally::PointTally;
use crate::rates::{Joint, Shares};
use crate::uncertainty::bootstrap::multinomial;
use crate::uncertainty::draw_in_order;
use crate::vocabulary::{Group, Stratum};
use std::collections::BTreeMap;

/// More cells than these are put together: every step of every refit goes through all of them.
const MOST_CELLS: usize = 4_000;
const MOST_STEPS: usize = 2_000;
/// Refits of rows drawn anew start at the estimate and need fewer.
const FEWER_STEPS: usize = 60;
/// The last step moved no share by more.
const SETTLED: f64 = 1e-7;
/// How right tables are at the start.
const NEARLY: f64 = 0.95;

/// Rows of one stratum with the likelihoods of every source; those of a silent one are empty.
#[derive(Debug, Clone)]
struct Seen {
    stratum: usize,
    likelihoods: Vec<Vec<f64>>,
    share: f64,
}

/// The likeliest table and confusions.
#[derive(Debug, Clone)]
pub(super) struct Confused {
    strata: Vec<Stratum>,
    cells: Vec<Seen>,
    found: Parameters,
}

#[derive(Debug, Clone)]
struct Parameters {
    /// By stratum and group.
    joint: Vec<Vec<f64>>,
    /// By source, group here and group of the table.
    confusion: Vec<Vec<Vec<f64>>>,
}

impl Confused {
    /// Of the audited groups; `likelihood` gives those of a point of a source. Nothing where a group vanishes.
    pub fn fit(
        jointly: &PointTally,
        likelihood: impl Fn(usize, &[f64]) -> Vec<f64>,
        sources: usize,
        groups: usize,
    ) -> Option<Self> {
        let mut tally = jointly.clone();
        tally.coarsen_to(MOST_CELLS);
        let mut places: BTreeMap<Stratum, usize> = BTreeMap::new();
        for (cell, _) in tally.cells() {
            places.entry(cell.stratum).or_default();
        }
        places.values_mut().enumerate().for_each(|(i, place)| *place = i);
        let mut cells: Vec<Seen> = Vec::new();
        for (cell, mass) in tally.cells().filter(|(_, mass)| mass.weight > 0.0) {
            let points = tally.probabilities(cell);
            let likelihoods = points.enumerate().map(|(s, point)| likelihood(s, &point)).collect();
            cells.push(Seen { stratum: places[&cell.stratum], likelihoods, share: mass.weight });
        }
        let total: f64 = cells.iter().map(|cell| cell.share).sum();
        cells.iter_mut().for_each(|cell| cell.share /= total);
        let own = |a: usize, b: usize| if a == b { NEARLY } else { (1.0 - NEARLY) / (groups - 1) as f64 };
        let rows: Vec<Vec<f64>> = (0..groups).map(|a| (0..groups).map(|b| own(a, b)).collect()).collect();
        let mut joint = vec![vec![0.0; groups]; places.len()];
        cells.iter().for_each(|cell| {
            joint[cell.stratum].iter_mut().for_each(|share| *share += cell.share / groups as f64);
        });
        let start = Parameters { joint, confusion: vec![rows; sources] };
        let found = climb(&cells, start, groups, MOST_STEPS);
        let share = |a: usize| found.joint.iter().map(|row| row[a]).sum::<f64>();
        let known = (0..groups).all(|a| share(a) > 1e-4);
        known.then(|| Confused { strata: places.into_keys().collect(), cells, found })
    }

    fn table(&self, found: &Parameters, frame: &Frame) -> Joint<Group> {
        let strata = self.strata.iter().copied().zip(&found.joint);
        let strata = strata.map(|(stratum, row)| (stratum, Some(Shares::new(row.clone()))));
        Joint::new(frame.view, frame.classes, frame.groups, strata)
    }

    /// The table.
    pub fn joint(&self, frame: &Frame) -> Joint<Group> {
        self.table(&self.found, frame)
    }

    /// Tables of rows drawn anew.
    pub fn draws(&self, frame: &Frame, draws: usize, seed: u64) -> Vec<Option<Joint<Group>>> {
        let shares: Vec<f64> = self.cells.iter().map(|cell| cell.share).collect();
        draw_in_order(draws, |index| {
            let drawn = multinomial(&shares, frame.rows, seed, index);
            let cells: Vec<Seen> = (self.cells.iter().zip(drawn))
                .filter(|(_, share)| *share > 0.0)
                .map(|(cell, share)| Seen { share, ..cell.clone() })
                .collect();
            Some(self.table(&climb(&cells, self.found.clone(), frame.groups, FEWER_STEPS), frame))
        })
    }
}

/// Steps of EM until nothing moves.
fn climb(cells: &[Seen], mut at: Parameters, groups: usize, steps: usize) -> Parameters {
    let mut within = vec![0.0; groups];
    for _ in 0..steps {
        crate::watch::pause();
        let mut next = Parameters {
            joint: vec![vec![0.0; groups]; at.joint.len()],
            confusion: vec![vec![vec![0.0; groups]; groups]; at.confusion.len()],
        };
        for cell in cells {
            let row = &at.joint[cell.stratum];
            let mut total = 0.0;
            for a in 0..groups {
                let mut chance = row[a];
                for (likelihood, confusion) in cell.likelihoods.iter().zip(&at.confusion) {
                    if !likelihood.is_empty() {
                        chance *= dot(&confusion[a], likelihood);
                    }
                }
                within[a] = chance;
                total += chance;
            }
            if total <= 0.0 {
                continue;
            }
            for (a, chance) in within.iter().enumerate() {
                let weight = cell.share * chance / total;
                next.joint[cell.stratum][a] += weight;
                for (s, likelihood) in cell.likelihoods.iter().enumerate().filter(|(_, l)| !l.is_empty()) {
                    let confusion = &at.confusion[s][a];
                    let seen = dot(confusion, likelihood);
                    if seen > 0.0 {
                        for b in 0..groups {
                            next.confusion[s][a][b] += weight * confusion[b] * likelihood[b] / seen;
                        }
                    }
                }
            }
        }
        for row in next.confusion.iter_mut().flatten() {
            let total: f64 = row.iter().sum();
            row.iter_mut().for_each(|share| *share /= total.max(f64::MIN_POSITIVE));
        }
        let before = at.joint.iter().flatten();
        let moved =
            before.zip(next.joint.iter().flatten()).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
        at = next;
        if moved < SETTLED {
            break;
        }
    }
    at
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
