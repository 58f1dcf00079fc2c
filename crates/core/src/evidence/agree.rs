//! Whether sources agree: on a gap, on the shares of the groups, and with each other as far as the groups explain.
//!
//! Each source alone gives shares and rates, and they are of the same people, so that their difference has the variance of
//! what one row moves in the one minus what it moves in the other. Whether two sources err independently inside the groups is
//! seen in
//! ```text
//! t = Σ_rows Σₐ r(a) · (x₁ − μ₁ₐ)ᵀ(x₂ − μ₂ₐ)          x the points of the two sources, μ their means in each group
//! ```
//! with `r(a)` the chance of group `a` given both: it has mean zero where they do.

use super::estimate::{ByEvidence, Frame, Part};
use super::tally::PointTally;
use crate::criterion::Proportion;
use crate::rates::Joint;
use crate::uncertainty::draws::wald;
use crate::uncertainty::likelihood::Fitness;
use crate::vocabulary::{Group, Stratum};
use nalgebra::{DMatrix, DVector};
use std::collections::BTreeMap;

/// A source alone: its estimate, its table, and the likelihoods of its points.
pub(super) struct Alone<'a> {
    pub found: &'a ByEvidence,
    pub joint: &'a Joint<Group>,
    pub likelihood: &'a dyn Fn(&[f64]) -> Vec<f64>,
}

/// What is compared between sources.
#[derive(Debug, Clone)]
pub(super) enum Compared {
    /// Rates of every group.
    Rates(Vec<Proportion>),
    /// Shares of the groups.
    Shares,
}

/// The parts of an estimate by their place, and how far a row's slope moves the shares there.
type Places<'a> = BTreeMap<(Stratum, u32), (&'a Part, DMatrix<f64>)>;

fn places(found: &ByEvidence) -> Places<'_> {
    let place = |part| -> ((Stratum, u32), (&Part, DMatrix<f64>)) {
        let part: &Part = part;
        ((part.stratum, part.control), (part, part.mixture.moved_by()))
    };
    found.parts.iter().map(place).collect()
}

/// The part that rows belong to: small ones are in the largest of their stratum.
fn place<'p, 'a>(places: &'p Places<'a>, at: (Stratum, u32)) -> Option<&'p (&'a Part, DMatrix<f64>)> {
    let of_stratum = || places.range((at.0, 0)..=(at.0, u32::MAX)).map(|(_, part)| part);
    places.get(&at).or_else(|| of_stratum().max_by(|a, b| a.0.mass.total_cmp(&b.0.mass)))
}

impl Alone<'_> {
    /// What is compared, of this source.
    fn numbers(&self, frame: &Frame, compared: &Compared) -> Option<Vec<f64>> {
        let groups = (0..frame.groups).map(Group);
        match compared {
            Compared::Shares => groups.map(|a| self.joint.share(a).ok()).collect(),
            Compared::Rates(rates) => {
                let of = |rate: &Proportion| {
                    groups.clone().map(|a| self.joint.proportion(a, *rate).ok()).collect::<Vec<_>>()
                };
                rates.iter().flat_map(of).collect()
            }
        }
    }

    /// How far one row of a cell moves each of them.
    fn moved(
        &self,
        frame: &Frame,
        compared: &Compared,
        places: &Places,
        at: (Stratum, u32),
        point: &[f64],
    ) -> Option<Vec<f64>> {
        let (part, moved_by) = place(places, at)?;
        let total = frame.weight;
        let fine = part.mixture.shares.len();
        // The part's own shares move with the evidence; all shares move because there is one row more here.
        let likelihood = (self.likelihood)(point);
        let own = if likelihood.is_empty() {
            DVector::zeros(fine)
        } else {
            moved_by * part.mixture.slope_of(&likelihood)
        };
        let mut here = vec![0.0; frame.groups];
        for a in 0..fine {
            here[frame.of[a].0] += part.mass * own[a] + part.mixture.shares[a] / total;
        }
        let moved = |a: Group, counts: &dyn Fn(Stratum) -> bool| {
            let all = self.joint.mass(a, counts).unwrap_or(0.0) / total;
            if counts(at.0) { here[a.0] - all } else { -all }
        };
        let groups = (0..frame.groups).map(Group);
        match compared {
            Compared::Shares => Some(groups.map(|a| moved(a, &|_| true)).collect()),
            Compared::Rates(rates) => {
                let mut all = Vec::new();
                for rate in rates {
                    for a in groups.clone() {
                        let value = self.joint.proportion(a, *rate).ok()?;
                        let people = self.joint.mass(a, |stratum| rate.among.holds(stratum)).ok()?;
                        let counted = moved(a, &|stratum| rate.counts(stratum));
                        let among = moved(a, &|stratum| rate.among.holds(stratum));
                        all.push((counted - value * among) / people);
                    }
                }
                Some(all)
            }
        }
    }
}

/// How clearly sources differ in what is compared; nothing where one of them has no number.
pub(super) fn differ(
    sources: &[Alone],
    jointly: &PointTally,
    frame: &Frame,
    compared: &Compared,
) -> Option<Fitness> {
    let numbers: Vec<Vec<f64>> =
        sources.iter().map(|source| source.numbers(frame, compared)).collect::<Option<_>>()?;
    let (first, others) = numbers.split_first()?;
    let apart: Vec<f64> =
        others.iter().flat_map(|other| other.iter().zip(first).map(|(a, b)| a - b)).collect();
    let places: Vec<Places> = sources.iter().map(|source| places(source.found)).collect();
    let weight: f64 = jointly.cells().map(|(_, mass)| mass.weight).sum();
    // Of many cells some are kept, whatever was decided: they stand for all.
    let scale = frame.weight / weight;
    let mut covariance = DMatrix::zeros(apart.len(), apart.len());
    for (cell, mass) in jointly.cells() {
        let points: Vec<Vec<f64>> = jointly.probabilities(cell).collect();
        let at = (cell.stratum, cell.control);
        let moved = |i: usize| sources[i].moved(frame, compared, &places[i], at, &points[i]);
        let moved: Vec<Vec<f64>> = (0..sources.len()).map(moved).collect::<Option<_>>()?;
        let (first, others) = moved.split_first()?;
        let off = others.iter().flat_map(|other| other.iter().zip(first).map(|(a, b)| a - b));
        let off = DVector::from_iterator(apart.len(), off);
        covariance.ger(mass.squares * scale * frame.inflation, &off, &off, 1.0);
    }
    let (statistic, freedom) = wald(&apart, &covariance);
    (freedom > 0).then_some(Fitness { statistic, freedom })
}

/// How two sources go together inside the groups.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Dependence {
    /// Places of the two.
    pub sources: (usize, usize),
    /// Their correlation inside the groups.
    pub correlation: f64,
    /// Standard errors from none.
    pub z: f64,
}

/// For each pair of sources, how they go together inside the groups, if `together` explains the rows.
pub(super) fn dependence(
    together: &ByEvidence,
    jointly: &PointTally,
    likelihood: &dyn Fn(&[Vec<f64>]) -> Vec<f64>,
    groups: usize,
    inflation: f64,
) -> Vec<Dependence> {
    let places = places(together);
    struct Seen {
        points: Vec<Vec<f64>>,
        chances: Vec<f64>,
        weight: f64,
        squares: f64,
    }
    let mut cells: Vec<Seen> = Vec::new();
    for (cell, mass) in jointly.cells() {
        let points: Vec<Vec<f64>> = jointly.probabilities(cell).collect();
        let Some((part, _)) = place(&places, (cell.stratum, cell.control)) else { continue };
        let likelihood = likelihood(&points);
        if likelihood.is_empty() {
            continue;
        }
        let chances = part.mixture.posterior(&likelihood);
        cells.push(Seen { points, chances, weight: mass.weight, squares: mass.squares });
    }
    let sources = cells.first().map_or(0, |cell| cell.points.len());
    let mut found = Vec::new();
    for s in 0..sources {
        for t in s + 1..sources {
            let both: Vec<&Seen> = cells
                .iter()
                .filter(|cell| !cell.points[s].is_empty() && !cell.points[t].is_empty())
                .collect();
            // Means of the points in each group.
            let mut people = vec![0.0; groups];
            let mut means = [vec![vec![0.0; groups]; groups], vec![vec![0.0; groups]; groups]];
            for cell in &both {
                for a in 0..groups {
                    let weight = cell.weight * cell.chances[a];
                    people[a] += weight;
                    for (mean, source) in means.iter_mut().zip([s, t]) {
                        mean[a].iter_mut().zip(&cell.points[source]).for_each(|(sum, x)| *sum += weight * x);
                    }
                }
            }
            for mean in &mut means {
                for a in 0..groups {
                    mean[a].iter_mut().for_each(|sum| *sum /= people[a].max(f64::MIN_POSITIVE));
                }
            }
            let (mut sum, mut variance, mut spreads) = (0.0, 0.0, [0.0; 2]);
            for cell in &both {
                let mut product = 0.0;
                for (chance, (first, second)) in cell.chances.iter().zip(means[0].iter().zip(&means[1])) {
                    let points = cell.points[s].iter().zip(&cell.points[t]);
                    for ((x, y), (mean_x, mean_y)) in points.zip(first.iter().zip(second)) {
                        let (x, y) = (x - mean_x, y - mean_y);
                        product += chance * x * y;
                        spreads[0] += cell.weight * chance * x * x;
                        spreads[1] += cell.weight * chance * y * y;
                    }
                }
                sum += cell.weight * product;
                variance += inflation * cell.squares * product * product;
            }
            let spread = (spreads[0] * spreads[1]).sqrt();
            if spread > 0.0 && variance > 0.0 {
                found.push(Dependence {
                    sources: (s, t),
                    correlation: sum / spread,
                    z: sum / variance.sqrt(),
                });
            }
        }
    }
    found
}
