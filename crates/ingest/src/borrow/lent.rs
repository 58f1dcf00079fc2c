//! What is known about guesses that neighbours lent, as the audit needs it: no row comes out of here.

use super::shades::Circles;
use super::shared::{Three, shared};
use crate::cells::Key;
use fairveil_core::counts::{Borrowed, BorrowedGuesses, ComparedPairs};
use fairveil_core::vocabulary::Stratum;
use std::collections::HashMap;
use std::hash::Hash;

/// A guess that is none.
pub(crate) const ABSTAINS: u16 = u16::MAX;

/// The rows that were searched, and whom each borrows from.
pub(crate) struct Lent {
    /// What is the same for all segments.
    pub about: Borrowed,
    /// Raw codes of prediction, label, guesses and segments that occur.
    pub keys: Vec<Key>,
    /// Which of them each row has.
    pub key_of: Vec<u32>,
    /// Where rows have weights.
    pub weights: Option<Vec<f64>>,
    pub nearest: Vec<[u32; 2]>,
    pub distances: Vec<[f32; 2]>,
    /// Of each proxy, its name and the guess on each row, by the place of its group.
    pub guesses: Vec<(String, Vec<u16>)>,
    /// The code of the true group of each row, where there is one.
    pub truth: Option<Vec<u32>>,
}

impl Lent {
    /// The rows of each segment, as their keys tell it.
    pub fn by_segment<S: Eq + Hash>(&self, segment: impl Fn(&[u32]) -> S) -> HashMap<S, Vec<u32>> {
        let mut parts: HashMap<S, Vec<u32>> = HashMap::new();
        let mut of_key: Vec<Vec<u32>> = vec![Vec::new(); self.keys.len()];
        self.key_of.iter().enumerate().for_each(|(row, key)| of_key[*key as usize].push(row as u32));
        for (key, rows) in self.keys.iter().zip(of_key) {
            parts.entry(segment(key)).or_default().extend(rows);
        }
        // In their order again: it decides between equal distances.
        parts.values_mut().for_each(|rows| rows.sort_unstable());
        parts
    }

    /// What is known about some rows, or about all; `stratum` tells that of a key. Their neighbours may be others.
    pub fn borrowed(&self, rows: Option<&[u32]>, stratum: impl Fn(&[u32]) -> Option<Stratum>) -> Borrowed {
        let all: Vec<u32>;
        let rows = match rows {
            Some(rows) => rows,
            None => {
                all = (0..self.key_of.len() as u32).collect();
                &all
            }
        };
        let mut of_key: HashMap<u32, u32> = HashMap::new();
        let mut names: Vec<Stratum> = Vec::new();
        let mut threes = Vec::with_capacity(rows.len());
        for row in rows {
            let key = self.key_of[*row as usize];
            let place = match of_key.get(&key) {
                Some(place) => *place,
                None => {
                    // Rows that were searched have a prediction, and with it a stratum.
                    let Some(found) = stratum(&self.keys[key as usize]) else { continue };
                    let known = names.iter().position(|name| *name == found);
                    let place = known.unwrap_or_else(|| {
                        names.push(found);
                        names.len() - 1
                    });
                    of_key.insert(key, place as u32);
                    place as u32
                }
            };
            let [a, b] = self.nearest[*row as usize];
            let weight = self.weights.as_ref().map_or(1.0, |weights| weights[*row as usize]);
            threes.push(Three { people: [*row, a, b], stratum: place, weight });
        }
        let pairs = shared(&threes, self.weights.is_some());
        let name = |place: u32| names[place as usize];
        Borrowed {
            shared: pairs.into_iter().map(|((a, b), totals)| ((name(a), name(b)), totals)).collect(),
            ..self.about(rows)
        }
    }

    /// The same but for the people that rows share.
    pub fn about(&self, rows: &[u32]) -> Borrowed {
        Borrowed {
            rows: rows.len() as u64,
            duplicates: rows.iter().filter(|row| self.distances[**row as usize][0] == 0.0).count() as u64,
            proxies: self.compared(&rows.iter().map(|row| *row as usize).collect::<Vec<_>>()),
            clusterability: self.truth.as_ref().map(|truth| self.clusterability(rows, truth)),
            ..self.about.clone()
        }
    }

    /// How the guesses of these rows and of their neighbours differ.
    fn compared(&self, rows: &[usize]) -> Vec<BorrowedGuesses> {
        let both = || rows.iter().flat_map(|row| [(*row, 0), (*row, 1)]);
        let distance = |(row, which): (usize, usize)| self.distances[row][which];
        let mut by_distance: Vec<(usize, usize)> = both().collect();
        by_distance.sort_by(|a, b| distance(*a).total_cmp(&distance(*b)));
        let third = |i: usize| by_distance.len() * i / 3;
        let circles = Circles::around(rows, &self.nearest);
        let of_proxy = |(proxy, guesses): &(String, Vec<u16>)| {
            let compare = |pairs: &mut dyn Iterator<Item = (usize, usize)>| {
                let mut compared = ComparedPairs::default();
                for (a, b) in pairs {
                    let (a, b) = (guesses[a], guesses[b]);
                    if a != ABSTAINS && b != ABSTAINS {
                        compared.compared += 1;
                        compared.differ += u64::from(a != b);
                    }
                }
                compared
            };
            let lender = |(row, which): (usize, usize)| (row, self.nearest[row][which] as usize);
            let with = |which: usize| compare(&mut rows.iter().map(|row| lender((*row, which))));
            let between = rows.iter().map(|row| self.nearest[*row].map(|other| other as usize));
            let part = |i: usize| by_distance[third(i)..third(i + 1)].iter().map(|pair| lender(*pair));
            BorrowedGuesses {
                proxy: proxy.clone(),
                pairs: [with(0), with(1), compare(&mut between.map(|[a, b]| (a, b)))],
                by_distance: [0, 1, 2].map(|i| compare(&mut part(i))),
                duplicates: compare(&mut both().filter(|pair| distance(*pair) == 0.0).map(lender)),
                shades: circles.shades(guesses),
            }
        };
        self.guesses.iter().map(of_proxy).collect()
    }

    /// The share of rows of one true group with both their neighbours.
    fn clusterability(&self, rows: &[u32], truth: &[u32]) -> f64 {
        let alike = |row: &&u32| {
            let group = truth[**row as usize];
            self.nearest[**row as usize].iter().all(|other| truth[*other as usize] == group)
        };
        rows.iter().filter(alike).count() as f64 / rows.len().max(1) as f64
    }
}
