//! What is known about guesses that neighbours lent, as the audit needs it: no row comes out of here.

use super::shared::shared;
use crate::cells::Key;
use fairveil_core::{Borrowed, BorrowedGuesses, ComparedPairs, Stratum};
use std::collections::{BTreeMap, HashMap};

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
    /// What is known about the rows of which `stratum` knows the stratum: all of them, or those of a segment. Their
    /// neighbours may be in another.
    pub fn borrowed(&self, stratum: impl Fn(&[u32]) -> Option<Stratum>) -> Borrowed {
        let of_key: Vec<Option<Stratum>> = self.keys.iter().map(|key| stratum(key)).collect();
        let names: BTreeMap<Stratum, u32> = of_key.iter().flatten().map(|stratum| (*stratum, 0)).collect();
        let names: Vec<Stratum> = names.into_keys().collect();
        let places: HashMap<Stratum, u32> =
            names.iter().enumerate().map(|(place, stratum)| (*stratum, place as u32)).collect();
        let place = |key: &u32| of_key[*key as usize].and_then(|stratum| places.get(&stratum).copied());
        let strata: Vec<Option<u32>> = self.key_of.iter().map(place).collect();
        let people: Vec<[u32; 3]> =
            self.nearest.iter().enumerate().map(|(row, [a, b])| [row as u32, *a, *b]).collect();
        let pairs = shared(&people, &strata, self.weights.as_deref());
        let name = |place: u32| names[place as usize];
        let rows: Vec<usize> = (0..strata.len()).filter(|row| strata[*row].is_some()).collect();
        Borrowed {
            shared: pairs.into_iter().map(|((a, b), totals)| ((name(a), name(b)), totals)).collect(),
            ..self.about(&rows)
        }
    }

    /// The same but for the people that rows share.
    pub fn about(&self, rows: &[usize]) -> Borrowed {
        Borrowed {
            rows: rows.len() as u64,
            duplicates: rows.iter().filter(|row| self.distances[**row][0] == 0.0).count() as u64,
            proxies: self.compared(rows),
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
            }
        };
        self.guesses.iter().map(of_proxy).collect()
    }

    /// The share of rows of one true group with both their neighbours.
    fn clusterability(&self, rows: &[usize], truth: &[u32]) -> f64 {
        let alike =
            |row: &&usize| self.nearest[**row].iter().all(|other| truth[*other as usize] == truth[**row]);
        rows.iter().filter(alike).count() as f64 / rows.len().max(1) as f64
    }
}
