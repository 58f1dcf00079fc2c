//! A mixture of groups seen through guesses, fitted by expectation–maximisation.
//!
//! ```text
//! P(s, g) = Σₐ J[a,s] · P(g | a)
//! ```
//! `P(g|a)` is one matrix for all proxies, one for each, one for each source ([`by_source`](super::by_source)), or free: then
//! proxies may share any mistakes, and only rows whose group is known can tell the groups apart. Abstaining is an answer of its
//! own, by proxy and group.
//!
//! Each pass shares every row out among the groups and counts again. Passes are accelerated by SQUAREM (Varadhan and
//! Roland 2008): from `r = θ₁ − θ₀` and `v = (θ₂ − θ₁) − r` to `θ₀ + 2αr + α²v` with `α = ‖r‖/‖v‖`, held inside the
//! probabilities, and taken only where the likelihood does not fall.

mod fitted;

pub(crate) use fitted::{Fitted, Influences};

use super::by_source::Emission;
use crate::counts::Frequencies;
use crate::noise::Stopped;
use crate::privacy::{Alike, Told};
use crate::uncertainty::bootstrap::multinomial;
use crate::vocabulary::{Group, Guess, Stratum};
use std::collections::BTreeMap;

/// What is assumed about how the proxies err.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errors {
    /// Independently given the group, all by one matrix.
    Alike,
    /// Independently given the group, each by a matrix of its own.
    Own,
    /// In any way within a source, independently between sources given the group.
    BySource,
    /// In any way, as long as it is the same in all strata.
    Free,
}

/// Rows of one stratum with the same guesses, and their group where it is known.
#[derive(Debug, Clone, Copy)]
struct Rows {
    /// Absent for rows of another population: they tell how proxies err and nothing about the strata.
    stratum: Option<usize>,
    pattern: usize,
    group: Option<Group>,
    weight: f64,
}

/// A table as the mixture sees it.
#[derive(Debug, Clone)]
pub(crate) struct Mixture {
    groups: usize,
    proxies: usize,
    errors: Errors,
    /// How guesses were randomised; the matrices are those before.
    told: Told,
    strata: Vec<Stratum>,
    patterns: Vec<Box<[Option<Guess>]>>,
    /// What sources say, where they are the views.
    emission: Option<Emission>,
    rows: Vec<Rows>,
}

/// Weight of rows whose group is known.
pub(crate) type KnownRows = BTreeMap<(Option<Stratum>, Box<[Option<Guess>]>, Group), f64>;

/// Probabilities: `J` by stratum and group, then what the errors need.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Point(Vec<f64>);

/// Passes after which a search gives up, and the work after which it does in tables of many patterns.
pub(super) const PASSES: usize = 10_000;
const WORK: usize = 40_000_000;

impl Mixture {
    pub fn new(seen: &Frequencies, known: &KnownRows, errors: Errors) -> Self {
        let mut strata: Vec<Stratum> = seen.strata().map(|(stratum, _)| stratum).collect();
        strata.extend(known.keys().filter_map(|(stratum, ..)| *stratum));
        strata.sort();
        strata.dedup();
        // Proxies that err alike are told apart by whether they guess, not by what: far fewer patterns to go through.
        let as_told = matches!(errors, Errors::Free | Errors::BySource);
        let told = if as_told { Told::default() } else { seen.told.clone() };
        let pattern = |guesses: &[Option<Guess>]| match errors {
            Errors::Alike if told.alike() != Alike::Differently => sorted(guesses),
            _ => guesses.into(),
        };
        let mut patterns: Vec<_> = seen.cells().iter().map(|(cell, _)| pattern(&cell.guesses)).collect();
        patterns.extend(known.keys().map(|(_, guesses, _)| pattern(guesses)));
        patterns.sort();
        patterns.dedup();
        let stratum_at = |stratum: &Stratum| strata.binary_search(stratum).ok();
        // infallible: the pattern was put there above
        let pattern_at =
            |guesses: &[Option<Guess>]| patterns.binary_search_by(|p| p[..].cmp(guesses)).unwrap_or_default();
        let mut rows: BTreeMap<(Option<usize>, usize, Option<Group>), f64> = BTreeMap::new();
        for (cell, share) in seen.cells() {
            let place = (stratum_at(&cell.stratum), pattern_at(&pattern(&cell.guesses)), None);
            *rows.entry(place).or_default() += share;
        }
        for ((stratum, guesses, group), weight) in known {
            let place = (stratum.as_ref().and_then(stratum_at), pattern_at(&pattern(guesses)), Some(*group));
            *rows.entry(place).or_default() += weight;
        }
        let row = |((stratum, pattern, group), weight)| Rows { stratum, pattern, group, weight };
        let rows = rows.into_iter().map(row).collect();
        let emission = (errors == Errors::BySource).then(|| Emission::of(seen, &patterns));
        let (groups, proxies) = (seen.groups(), seen.proxies());
        Mixture { groups, proxies, errors, told, strata, patterns, emission, rows }
    }

    /// What is assumed about how the proxies err.
    pub fn errors(&self) -> Errors {
        self.errors
    }

    /// The strata, in the order of [`Fitted::joint`].
    pub fn strata(&self) -> &[Stratum] {
        &self.strata
    }

    fn joint_size(&self) -> usize {
        self.strata.len() * self.groups
    }

    fn matrices(&self) -> usize {
        if self.errors == Errors::Own { self.proxies } else { 1 }
    }

    /// Where `T[c][a][v]` starts, and where the chances of abstaining do.
    fn matrix_at(&self, proxy: usize, group: usize) -> usize {
        let matrix = if self.errors == Errors::Own { proxy } else { 0 };
        self.joint_size() + (matrix * self.groups + group) * self.groups
    }

    fn silence_at(&self, proxy: usize, group: usize) -> usize {
        self.joint_size() + self.matrices() * self.groups * self.groups + proxy * self.groups + group
    }

    /// `P(pattern | group)`, by pattern and group.
    fn chances(&self, Point(at): &Point) -> Vec<f64> {
        if self.errors == Errors::Free {
            return at[self.joint_size()..].to_vec();
        }
        if let Some(emission) = &self.emission {
            return emission.chances(&at[self.joint_size()..]);
        }
        let tellings = self.tellings(at);
        let chance = |pattern: &[Option<Guess>], a: usize| -> f64 {
            let answer = |(c, guess): (usize, &Option<Guess>)| match guess {
                Some(Guess(v)) => {
                    let answer = match &tellings {
                        None => at[self.matrix_at(c, a) + v],
                        Some(told) => told[c][a][*v],
                    };
                    answer * (1.0 - at[self.silence_at(c, a)])
                }
                None => at[self.silence_at(c, a)],
            };
            pattern.iter().enumerate().map(answer).product()
        };
        self.patterns.iter().flat_map(|p| (0..self.groups).map(move |a| chance(p, a))).collect()
    }

    /// For each proxy `T·R`, where guesses were randomised.
    fn tellings(&self, at: &[f64]) -> Option<Vec<Vec<Vec<f64>>>> {
        let row = |c: usize, a: usize| at[self.matrix_at(c, a)..][..self.groups].to_vec();
        let rows = |c: usize| (0..self.groups).map(|a| row(c, a)).collect::<Vec<_>>();
        (!self.told.is_nothing()).then(|| (0..self.proxies).map(|c| self.told.folded(c, &rows(c))).collect())
    }

    /// One pass of expectation–maximisation, and the log-likelihood before it.
    fn pass(&self, point: &Point) -> (Point, f64) {
        let (groups, chances) = (self.groups, self.chances(point));
        let mut joint = vec![0.0; self.joint_size()];
        let mut said = vec![0.0; chances.len()];
        let mut log_likelihood = 0.0;
        let mut parts = vec![0.0; groups];
        for rows in &self.rows {
            let of_group = |a: usize| {
                let share = rows.stratum.map_or(1.0, |s| point.0[s * groups + a]);
                share * chances[rows.pattern * groups + a]
            };
            match rows.group {
                Some(Group(a)) => {
                    log_likelihood += rows.weight * of_group(a).max(f64::MIN_POSITIVE).ln();
                    parts.fill(0.0);
                    parts[a] = 1.0;
                }
                None => {
                    parts.iter_mut().enumerate().for_each(|(a, part)| *part = of_group(a));
                    let sum = parts.iter().sum::<f64>().max(f64::MIN_POSITIVE);
                    log_likelihood += rows.weight * sum.ln();
                    parts.iter_mut().for_each(|part| *part /= sum);
                }
            }
            for (a, part) in parts.iter().enumerate() {
                if let Some(s) = rows.stratum {
                    joint[s * groups + a] += rows.weight * part;
                }
                said[rows.pattern * groups + a] += rows.weight * part;
            }
        }
        let total: f64 = joint.iter().sum();
        joint.iter_mut().for_each(|share| *share /= total);
        joint.extend(self.errors_from(&said, point));
        (Point(joint), log_likelihood)
    }

    /// The errors that explain best how often each group says each pattern; where guesses were randomised, what was
    /// told is shared out among them as the errors so far have it.
    fn errors_from(&self, said: &[f64], Point(at): &Point) -> Vec<f64> {
        if let Some(emission) = &self.emission {
            return emission.explaining(said);
        }
        let groups = self.groups;
        let of_pattern = |p: usize, a: usize| said[p * groups + a];
        let totals: Vec<f64> =
            (0..groups).map(|a| (0..self.patterns.len()).map(|p| of_pattern(p, a)).sum::<f64>()).collect();
        if self.errors == Errors::Free {
            return said
                .iter()
                .enumerate()
                .map(|(i, n)| n / totals[i % groups].max(f64::MIN_POSITIVE))
                .collect();
        }
        let offset = self.joint_size();
        let mut errors = vec![0.0; self.matrices() * groups * groups + self.proxies * groups];
        let tellings = self.tellings(at);
        for (p, pattern) in self.patterns.iter().enumerate() {
            for (c, guess) in pattern.iter().enumerate() {
                for a in 0..groups {
                    if let (Some(tellings), Some(Guess(told))) = (&tellings, guess) {
                        let whole = tellings[c][a][*told].max(f64::MIN_POSITIVE);
                        for v in 0..groups {
                            let place = self.matrix_at(c, a) + v;
                            let part = at[place] * self.told.chance(c, v, *told) / whole;
                            errors[place - offset] += of_pattern(p, a) * part;
                        }
                        continue;
                    }
                    let place = match guess {
                        Some(Guess(v)) => self.matrix_at(c, a) + v,
                        None => self.silence_at(c, a),
                    };
                    errors[place - offset] += of_pattern(p, a);
                }
            }
        }
        let silences = self.matrices() * groups * groups;
        for row in errors[..silences].chunks_mut(groups) {
            let sum: f64 = row.iter().sum();
            // A group that no one is in may say anything.
            row.iter_mut().for_each(|n| *n = if sum > 0.0 { *n / sum } else { 1.0 / groups as f64 });
        }
        for (i, n) in errors[silences..].iter_mut().enumerate() {
            *n /= totals[i % groups].max(f64::MIN_POSITIVE);
        }
        errors
    }

    /// A start from a share of each group in each stratum and, where errors are not free, a chance of each answer by
    /// proxy, group and guess. Every group starts as silent as all of them are.
    pub fn start(
        &self,
        joint: impl Fn(usize, usize) -> f64,
        answer: impl Fn(usize, usize, usize) -> f64,
    ) -> Point {
        let groups = self.groups;
        let strata = 0..self.strata.len();
        let mut point: Vec<f64> =
            strata.flat_map(|s| (0..groups).map(move |a| (s, a))).map(|(s, a)| joint(s, a)).collect();
        let total: f64 = point.iter().sum();
        point.iter_mut().for_each(|share| *share /= total);
        if let Some(emission) = &self.emission {
            let of_group = |a: usize| point.iter().skip(a).step_by(groups).sum();
            let prior: Vec<f64> = (0..groups).map(of_group).collect();
            point.extend(emission.start(&prior, answer));
            return Point(point);
        }
        for c in 0..self.matrices() {
            for a in 0..groups {
                let row: Vec<f64> = (0..groups).map(|v| answer(c, a, v)).collect();
                let sum: f64 = row.iter().sum();
                point.extend(row.iter().map(|chance| chance / sum));
            }
        }
        let total: f64 = self.rows.iter().map(|rows| rows.weight).sum();
        for c in 0..self.proxies {
            let silent = self.rows.iter().filter(|rows| self.patterns[rows.pattern][c].is_none());
            let share = silent.map(|rows| rows.weight).sum::<f64>() / total;
            point.extend(std::iter::repeat_n(share, groups));
        }
        Point(point)
    }

    /// A start where the rows of known groups put it, mixed with a share of what all rows say.
    pub fn start_from_known(&self, mixed: f64) -> Point {
        let groups = self.groups;
        let (mut all, mut strata) = (vec![0.0; self.patterns.len()], vec![0.0; self.strata.len()]);
        let (mut of_group, mut said) = (vec![0.0; groups], vec![0.0; self.patterns.len() * groups]);
        for row in &self.rows {
            all[row.pattern] += row.weight;
            if let Some(s) = row.stratum {
                strata[s] += row.weight;
            }
            if let Some(Group(a)) = row.group {
                of_group[a] += row.weight;
                said[row.pattern * groups + a] += row.weight;
            }
        }
        let total: f64 = all.iter().sum();
        for (i, n) in said.iter_mut().enumerate() {
            *n = (1.0 - mixed) * *n / of_group[i % groups] + mixed * all[i / groups] / total;
        }
        let total: f64 = strata.iter().sum::<f64>() * of_group.iter().sum::<f64>();
        let mut point: Vec<f64> =
            strata.iter().flat_map(|s| of_group.iter().map(move |n| s * n / total)).collect();
        point.extend(self.errors_from(&said, &Point(Vec::new())));
        Point(point)
    }

    /// As many rows drawn anew, those of known groups apart from the others. `None` where a group is left without a
    /// known row.
    pub fn drawn(&self, others: f64, known: f64, seed: u64, index: u64) -> Option<Mixture> {
        let mut drawn = self.clone();
        let weights = |labelled: bool| {
            self.rows.iter().filter(move |r| r.group.is_some() == labelled).map(|r| r.weight)
        };
        let (all_others, all_known): (f64, f64) = (weights(false).sum(), weights(true).sum());
        let shares: Vec<f64> = weights(false).map(|w| w / all_others).collect();
        let labelled: Vec<f64> = weights(true).map(|w| w / all_known).collect();
        // Two streams of one draw.
        let shares = multinomial(&shares, others, seed, 2 * index);
        let labelled = multinomial(&labelled, known, seed, 2 * index + 1);
        let mut shares = shares.into_iter().map(|share| share * all_others);
        let mut labelled = labelled.into_iter().map(|share| share * all_known);
        for row in &mut drawn.rows {
            row.weight = if row.group.is_some() { labelled.next()? } else { shares.next()? };
        }
        let labelled = |a: usize| drawn.rows.iter().any(|r| r.group == Some(Group(a)) && r.weight > 0.0);
        (0..self.groups).all(labelled).then_some(drawn)
    }

    /// Climbs from a start until a pass moves nothing by more than `tolerance`, or there were enough of them.
    pub fn climb(&self, start: &Point, tolerance: f64, most: usize) -> Fitted {
        let mut at = start.clone();
        let mut passes = 0;
        let limit = (WORK / (self.rows.len() * self.groups * self.proxies).max(1)).clamp(30, most);
        loop {
            crate::watch::pause();
            let (one, height) = self.pass(&at);
            let (two, _) = self.pass(&one);
            passes += 2;
            let moved = distance(&at, &one);
            if moved < tolerance || passes >= limit {
                let stopped = if moved < tolerance {
                    Stopped::Converged { iterations: passes }
                } else {
                    Stopped::IterationLimit { iterations: passes }
                };
                return Fitted { point: at, log_likelihood: height, stopped };
            }
            at = match self.leap(&at, &one, &two, height) {
                Some(next) => {
                    passes += 1;
                    next
                }
                None => two,
            };
        }
    }

    /// The accelerated step, if the likelihood does not fall by it.
    fn leap(
        &self,
        Point(zero): &Point,
        Point(one): &Point,
        Point(two): &Point,
        height: f64,
    ) -> Option<Point> {
        let (mut r2, mut v2) = (0.0, 0.0);
        for ((z, o), t) in zero.iter().zip(one).zip(two) {
            r2 += (o - z).powi(2);
            v2 += (t - 2.0 * o + z).powi(2);
        }
        if v2 <= 0.0 {
            return None;
        }
        let mut alpha = (r2 / v2).sqrt();
        while alpha > 1.0 {
            let step = |((z, o), t): ((&f64, &f64), &f64)| {
                z + 2.0 * alpha * (o - z) + alpha * alpha * (t - 2.0 * o + z)
            };
            let far: Vec<f64> = zero.iter().zip(one).zip(two).map(step).collect();
            if far.iter().all(|p| *p >= 0.0 && *p <= 1.0) {
                let (next, reached) = self.pass(&Point(far));
                return (reached >= height).then_some(next);
            }
            alpha = (alpha - 1.0) / 2.0;
        }
        None
    }
}

/// The same silences, and the guesses in order.
fn sorted(guesses: &[Option<Guess>]) -> Box<[Option<Guess>]> {
    let mut said: Vec<Guess> = guesses.iter().flatten().copied().collect();
    said.sort_unstable();
    let mut said = said.into_iter();
    guesses.iter().map(|guess| guess.and_then(|_| said.next())).collect()
}

fn distance(Point(a): &Point, Point(b): &Point) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}
