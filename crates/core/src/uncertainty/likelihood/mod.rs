//! The likelihood of proxies that err independently and in all strata alike, and its profile.
//!
//! ```text
//! P(s, g₁ … g_C) = Σₐ J[a,s] · Π_m Πᵥ T_m[a,v]^{n_mv(g)}     n_mv(g): how many proxies with matrix m say v
//! ```
//! One matrix `m` for all proxies that err alike, else one for each. Fitted by Fisher scoring on logits, damped as in
//! Levenberg–Marquardt. With `q[a]` the term of class `a` and `n_m` guesses by matrix `m`,
//! ```text
//! ∂P/∂logit T_m[a,x] = q[a]·(n_mx − n_m·T_m[a,x])        ∂P/∂logit J[a,s′] = 1[s′=s]·q[a] − J[a,s′]·P
//! ```
//! A proxy that abstains does so with a chance of its own in each group, `σ_c[a]`, a parameter like the others:
//! `∂P/∂logit σ_c[a] = q[a]·(1[c silent] − σ_c[a])`.
//!
//! Where a known mechanism `R` randomised all proxies alike, what is told has `S = T·R` in place of `T`, and
//! ```text
//! ∂P/∂logit T[a,x] = q[a]·T[a,x]·(Σ_w R[x,w]·n_w/S[a,w] − C)
//! ```
//!
//! Proxies of one source are one view with a free matrix of its own, whose columns are what they say together, silences
//! included ([`Letters`]): `T_m[a, letter]` in place of `T_m[a,v]`, and no `σ`.
//!
//! The information is the expected one, over all that proxies can say; where that is too much to go through, the sum
//! of squared scores of what they said.
//!
//! Here: the model and the chance of what was said. [`table`] goes from a tally to its cells, [`information`] has the
//! derivatives, [`start`] where to climb from, [`climb`] the maximum and how well it fits, [`contrast`] what is asked of it,
//! [`profile`] its interval, [`spread`] its draws and what a row moves, [`score_test`] the test of guesses that go with the decision.

mod climb;
mod contrast;
mod information;
mod profile;
mod score_test;
mod spread;
mod start;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use climb::{Fitness, Maximum};
pub(crate) use contrast::{Contrast, Scale};
pub(crate) use profile::LOG_LIMIT;
pub(crate) use spread::Influence;
pub(crate) use table::affordable_beside;
pub(super) use table::{orders, ways_to_vote};

use crate::counts::{Letters, View};
use crate::rates::{Joint, Shares};
use crate::vocabulary::{Group, Stratum};
use nalgebra::DMatrix;
use std::borrow::Cow;

/// The table as the likelihood sees it: how many rows of a stratum have how many proxies saying what.
#[derive(Debug, Clone)]
pub(crate) struct Likelihood {
    groups: usize,
    /// Proxies.
    guesses: usize,
    rows: f64,
    /// For each matrix of errors `R`, where guesses were randomised.
    responses: Vec<Option<DMatrix<f64>>>,
    /// Columns of the widest matrix; those that another has fewer are nothing.
    width: usize,
    /// What sources say, where they are the views.
    letters: Option<Letters>,
    /// The proxies that abstain on some row.
    silent: Vec<usize>,
    strata: Vec<Stratum>,
    /// Every stratum with every way to vote, or those that were seen.
    cells: Vec<Votes>,
    /// Whether the cells are all that can be.
    whole: bool,
}

#[derive(Debug, Clone)]
struct Votes {
    stratum: usize,
    /// How often each guess was given, by matrix and column.
    said: Vec<f64>,
    /// How many guesses were given, by matrix.
    answered: Vec<f64>,
    /// Which of the proxies that may abstain do.
    silences: Vec<bool>,
    /// In how many orders the proxies can say it.
    orders: f64,
    rows: f64,
}

/// Shares `J[a,s]` and rows of `T`, always distributions.
#[derive(Debug, Clone)]
pub(crate) struct Parameters {
    /// Group × stratum.
    pub joint: DMatrix<f64>,
    /// Group × guess (or letter), one matrix below the other.
    pub rows: DMatrix<f64>,
    /// Proxies that may abstain × group: the chance that they do.
    pub silence: DMatrix<f64>,
}

impl Likelihood {
    /// How many columns a matrix of errors has.
    fn columns(&self, matrix: usize) -> usize {
        self.letters.as_ref().map_or(self.groups, |letters| letters.view(matrix).len())
    }

    /// Matrices of errors: one for all proxies, or one for each.
    fn matrices(&self) -> usize {
        self.responses.len()
    }

    /// Free parameters: shares of groups and strata, errors, silences.
    pub fn freedom(&self) -> usize {
        self.kept(self.size()).len()
    }

    fn size(&self) -> usize {
        let groups = self.groups;
        groups * self.strata.len() + self.matrices() * groups * self.width + self.silent.len() * groups
    }

    /// Parameters as a joint table.
    pub fn joint(&self, at: &Parameters, view: View, classes: usize) -> Joint<Group> {
        let shares = |s: usize| Shares::new(at.joint.column(s).iter().copied().collect::<Vec<_>>());
        let strata = self.strata.iter().enumerate().map(|(s, stratum)| (*stratum, Some(shares(s))));
        Joint::new(view, classes, self.groups, strata)
    }

    /// `T`, or `T·R` where guesses were randomised.
    pub(super) fn told<'t>(&self, parameters: &'t Parameters) -> Cow<'t, DMatrix<f64>> {
        if self.responses.iter().all(Option::is_none) {
            return Cow::Borrowed(&parameters.rows);
        }
        let mut told = parameters.rows.clone();
        for (m, response) in self.responses.iter().enumerate() {
            if let Some(response) = response {
                let rows = parameters.rows.rows(m * self.groups, self.groups) * response;
                told.rows_mut(m * self.groups, self.groups).copy_from(&rows);
            }
        }
        Cow::Owned(told)
    }

    fn terms(&self, cell: &Votes, at: &Parameters, told: &DMatrix<f64>, terms: &mut [f64]) -> f64 {
        let groups = self.groups;
        for (a, term) in terms.iter_mut().enumerate() {
            let mut chance = 1.0;
            for (place, said) in cell.said.iter().enumerate().filter(|(_, said)| **said > 0.0) {
                let (m, v) = (place / self.width, place % self.width);
                chance *= told[(m * groups + a, v)].powi(*said as i32);
            }
            for (c, silent) in cell.silences.iter().enumerate() {
                let silence = at.silence[(c, a)];
                chance *= if *silent { silence } else { 1.0 - silence };
            }
            *term = at.joint[(a, cell.stratum)] * chance;
        }
        terms.iter().sum()
    }

    pub fn log_likelihood(&self, parameters: &Parameters) -> f64 {
        let mut terms = vec![0.0; self.groups];
        let told = self.told(parameters);
        let seen = self.cells.iter().filter(|cell| cell.rows > 0.0);
        seen.map(|cell| cell.rows * self.terms(cell, parameters, &told, &mut terms).ln()).sum()
    }

    /// Stratum and votes of each cell, in order.
    pub(super) fn votes(&self) -> impl Iterator<Item = (usize, Vec<usize>)> {
        self.cells.iter().map(|cell| (cell.stratum, cell.said.iter().map(|n| *n as usize).collect()))
    }

    pub(super) fn groups(&self) -> usize {
        self.groups
    }

    /// Guesses in a row.
    pub(super) fn guesses(&self) -> usize {
        self.guesses
    }

    pub(super) fn strata(&self) -> &[Stratum] {
        &self.strata
    }
}
