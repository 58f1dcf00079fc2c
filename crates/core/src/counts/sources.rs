//! Which proxies are one view: those that declare one source.
//!
//! What proxies of one source share is not known, so that together they say one thing: a *letter*, the guesses and
//! silences of all of them. A proxy without a source is a view of its own.

use super::Frequencies;
use crate::vocabulary::{Guess, Legend, ProxyId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// For each proxy the view it belongs to, numbered in the order of their first proxies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sources(Arc<[usize]>);

impl Sources {
    /// As declared. Guesses that neighbours lent have the source of the proxy that lent them and a reason of their own to be
    /// there: beside such guesses every proxy is a view of its own.
    pub fn of(legend: &Legend) -> Self {
        let proxies = &legend.proxies;
        if proxies.iter().any(|proxy| proxy.lent_by.is_some()) {
            return Sources::apart(proxies.len());
        }
        let first = |c: usize| match &proxies[c].source {
            Some(source) => proxies.iter().position(|other| other.source.as_ref() == Some(source)),
            None => Some(c),
        };
        Sources::numbered((0..proxies.len()).map(|c| first(c).unwrap_or(c)))
    }

    /// Every proxy for itself.
    pub fn apart(proxies: usize) -> Self {
        Sources((0..proxies).collect())
    }

    /// The same of proxies in another order, or of some of them.
    pub fn reordered(&self, proxies: &[ProxyId]) -> Self {
        Sources::numbered(proxies.iter().map(|proxy| self.0[proxy.0]))
    }

    fn numbered(marks: impl Iterator<Item = usize>) -> Self {
        let mut known: Vec<usize> = Vec::new();
        let number = |mark: usize| {
            known.iter().position(|other| *other == mark).unwrap_or_else(|| {
                known.push(mark);
                known.len() - 1
            })
        };
        Sources(marks.map(number).collect())
    }

    /// How many views there are.
    pub fn views(&self) -> usize {
        self.0.iter().max().map_or(0, |last| last + 1)
    }

    /// The view of a proxy.
    pub fn view(&self, proxy: usize) -> usize {
        self.0[proxy]
    }

    /// The proxies of a view.
    pub fn members(&self, view: usize) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().filter(move |(_, other)| **other == view).map(|(proxy, _)| proxy)
    }

    /// Some proxies declare one source.
    pub fn are_shared(&self) -> bool {
        self.views() < self.0.len()
    }
}

/// What the proxies of one view say together.
pub(crate) type Letter = Box<[Option<Guess>]>;

/// The letters of every view that occur in a table, in order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Letters {
    members: Vec<Vec<usize>>,
    of_view: Vec<Vec<Letter>>,
}

impl Letters {
    pub fn of(seen: &Frequencies) -> Self {
        let members: Vec<Vec<usize>> =
            (0..seen.sources.views()).map(|view| seen.sources.members(view).collect()).collect();
        let of_view = |members: &Vec<usize>| {
            let said: BTreeSet<Letter> =
                seen.cells().iter().map(|(cell, _)| letter(members, &cell.guesses)).collect();
            said.into_iter().collect()
        };
        Letters { of_view: members.iter().map(of_view).collect(), members }
    }

    /// How many views there are.
    pub fn views(&self) -> usize {
        self.members.len()
    }

    /// How many letters each view has.
    pub fn sizes(&self) -> Vec<usize> {
        self.of_view.iter().map(Vec::len).collect()
    }

    /// The letters of a view.
    pub fn view(&self, view: usize) -> &[Letter] {
        &self.of_view[view]
    }

    /// The proxies of a view, in the order of its letters.
    pub fn members(&self, view: usize) -> &[usize] {
        &self.members[view]
    }

    /// The letter that each view says in a pattern of guesses of the table.
    pub fn spell(&self, guesses: &[Option<Guess>]) -> Vec<usize> {
        // infallible: letters are those of the table
        self.known(guesses).unwrap_or_else(|| vec![0; self.views()])
    }

    /// The same of any pattern; nothing where a view never says it.
    pub fn known(&self, guesses: &[Option<Guess>]) -> Option<Vec<usize>> {
        let place = |(members, letters): (&Vec<usize>, &Vec<Letter>)| {
            letters.binary_search(&letter(members, guesses)).ok()
        };
        self.members.iter().zip(&self.of_view).map(place).collect()
    }

    /// The share of a letter's guesses that name each group; even where all of its proxies are silent.
    pub fn votes(&self, view: usize, letter: usize, groups: usize) -> Vec<f64> {
        let mut votes = vec![0.0; groups];
        self.of_view[view][letter].iter().flatten().for_each(|guess| votes[guess.0] += 1.0);
        let said: f64 = votes.iter().sum();
        votes.iter().map(|n| if said > 0.0 { n / said } else { 1.0 / groups as f64 }).collect()
    }
}

fn letter(members: &[usize], guesses: &[Option<Guess>]) -> Letter {
    members.iter().map(|c| guesses[*c]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxies_of_one_source_are_one_view_and_others_their_own() {
        let mut legend = Legend::plain(2, 2, 5, false);
        for (proxy, source) in legend.proxies.iter_mut().zip([Some("a"), None, Some("b"), Some("a"), None]) {
            proxy.source = source.map(str::to_owned);
        }
        let sources = Sources::of(&legend);
        assert_eq!((sources.views(), sources.are_shared()), (4, true));
        assert_eq!(sources.members(0).collect::<Vec<_>>(), [0, 3]);
        // The order of the columns changes numbers, not views.
        let order = [3, 2, 1, 0, 4].map(ProxyId);
        assert_eq!(sources.reordered(&order).members(0).collect::<Vec<_>>(), [0, 3]);
        // What neighbours lent is no second view of a source.
        legend.proxies[3].lent_by = Some("proxy_1".into());
        assert!(!Sources::of(&legend).are_shared());
    }
}
