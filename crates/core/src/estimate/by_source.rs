//! Proxies of one source as one view.
//!
//! ```text
//! P(s, x₁ … x_V) = Σₐ J[a,s] · Π_v E_v[a, x_v]          x_v: all that the proxies of source v say together
//! ```
//! `E_v` is free: whatever mistakes the proxies of a source share, and however their silence goes together, is learned and
//! counts for nothing. Between sources errors are independent given the group, as between proxies before. Three views tell
//! the groups apart, and two where strata differ in their mix (Hui and Walter 1980).
//!
//! Where guesses were randomised the views are those of what was told.

use crate::counts::{Frequencies, Letters};
use crate::vocabulary::Guess;

/// `E`, view by view and group by group, as a list of probabilities.
#[derive(Debug, Clone)]
pub(super) struct Emission {
    groups: usize,
    letters: Letters,
    /// The letter of every view in each pattern.
    spelled: Vec<Vec<usize>>,
    /// Where each view begins in the list, and where the last ends.
    starts: Vec<usize>,
    /// The share of rows with each letter, view by view.
    shares: Vec<Vec<f64>>,
}

impl Emission {
    pub fn of(seen: &Frequencies, patterns: &[Box<[Option<Guess>]>]) -> Self {
        let (groups, letters) = (seen.groups(), Letters::of(seen));
        let mut starts = vec![0];
        letters.sizes().iter().for_each(|size| starts.push(starts[starts.len() - 1] + groups * size));
        let mut shares: Vec<Vec<f64>> = letters.sizes().into_iter().map(|size| vec![0.0; size]).collect();
        for (cell, share) in seen.cells() {
            let spelled = letters.spell(&cell.guesses);
            spelled.iter().enumerate().for_each(|(view, letter)| shares[view][*letter] += share);
        }
        let spelled = patterns.iter().map(|pattern| letters.spell(pattern)).collect();
        Emission { groups, letters, spelled, starts, shares }
    }

    fn at(&self, view: usize, group: usize, letter: usize) -> usize {
        self.starts[view] + group * self.shares[view].len() + letter
    }

    fn views(&self) -> std::ops::Range<usize> {
        0..self.letters.views()
    }

    /// `P(pattern | group)`, by pattern and group.
    pub fn chances(&self, errors: &[f64]) -> Vec<f64> {
        let chance = |spelled: &Vec<usize>, a: usize| -> f64 {
            spelled.iter().enumerate().map(|(view, letter)| errors[self.at(view, a, *letter)]).product()
        };
        let groups = 0..self.groups;
        self.spelled.iter().flat_map(|spelled| groups.clone().map(move |a| chance(spelled, a))).collect()
    }

    /// What explains best how often each group says each pattern.
    pub fn explaining(&self, said: &[f64]) -> Vec<f64> {
        let mut errors = vec![0.0; self.starts[self.letters.views()]];
        for (spelled, said) in self.spelled.iter().zip(said.chunks(self.groups)) {
            for (view, letter) in spelled.iter().enumerate() {
                said.iter().enumerate().for_each(|(a, n)| errors[self.at(view, a, *letter)] += n);
            }
        }
        for view in self.views() {
            for a in 0..self.groups {
                let start = self.at(view, a, 0);
                let row = &mut errors[start..start + self.shares[view].len()];
                let sum: f64 = row.iter().sum();
                // A group that no one is in may say anything.
                let even = 1.0 / row.len() as f64;
                row.iter_mut().for_each(|n| *n = if sum > 0.0 { *n / sum } else { even });
            }
        }
        errors
    }

    /// Where each letter is shared out among the groups as independent proxies would have it, `answer` by proxy, group
    /// and guess.
    pub fn start(&self, prior: &[f64], answer: impl Fn(usize, usize, usize) -> f64) -> Vec<f64> {
        let mut errors = vec![0.0; self.starts[self.letters.views()]];
        for view in self.views() {
            let members = self.letters.members(view);
            for (place, letter) in self.letters.view(view).iter().enumerate() {
                let chance = |a: usize| -> f64 {
                    let said = members.iter().zip(letter).filter_map(|(c, guess)| Some((*c, (*guess)?)));
                    prior[a] * said.map(|(c, Guess(v))| answer(c, a, v)).product::<f64>()
                };
                let parts: Vec<f64> = (0..self.groups).map(chance).collect();
                let sum = parts.iter().sum::<f64>().max(f64::MIN_POSITIVE);
                for (a, part) in parts.iter().enumerate() {
                    errors[self.at(view, a, place)] = self.shares[view][place] * part / sum;
                }
            }
            for a in 0..self.groups {
                let start = self.at(view, a, 0);
                let row = &mut errors[start..start + self.shares[view].len()];
                let sum = row.iter().sum::<f64>().max(f64::MIN_POSITIVE);
                row.iter_mut().for_each(|chance| *chance /= sum);
            }
        }
        errors
    }

    /// How a proxy errs where it gives a guess, as far as its view says it: row for the group, column for the guess.
    pub fn matrix(&self, errors: &[f64], proxy: usize) -> Vec<Vec<f64>> {
        let place = |view: &usize| self.letters.members(*view).iter().position(|c| *c == proxy);
        let Some((view, place)) = self.views().find_map(|view| Some((view, place(&view)?))) else {
            return Vec::new();
        };
        let row = |a: usize| {
            let mut row = vec![0.0; self.groups];
            for (letter, guesses) in self.letters.view(view).iter().enumerate() {
                guesses[place].iter().for_each(|Guess(v)| row[*v] += errors[self.at(view, a, letter)]);
            }
            let sum: f64 = row.iter().sum();
            row.iter().map(|n| if sum > 0.0 { n / sum } else { 1.0 / self.groups as f64 }).collect()
        };
        (0..self.groups).map(row).collect()
    }

    /// The same with groups in another order.
    pub fn reordered(&self, errors: &[f64], class_of: &[usize]) -> Vec<f64> {
        let rows = self.views().flat_map(|view| class_of.iter().map(move |class| (view, *class)));
        let row = |(view, class): (usize, usize)| {
            let start = self.at(view, class, 0);
            &errors[start..start + self.shares[view].len()]
        };
        rows.flat_map(row).copied().collect()
    }
}
