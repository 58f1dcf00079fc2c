//! Whether the labelled rows are the part of the table that they are said to be.
//!
//! What every row tells, `x` = (decision, label or its absence, each proxy's guess), must have the same mean among labelled
//! rows, each counting for as many as it stands for, as among all rows:
//! ```text
//! t = x̄_labelled − x̄_all        χ² = tᵀ·V⁻¹·t        V = Σ d²·(x − x̄)(x − x̄)ᵀ/(Σd)²·(1 − n/N)
//! ```
//! Does not see labels that were chosen by something else, such as the group itself.

use crate::counts::Counts;
use crate::estimate::Population;
use crate::uncertainty::draws::{chi_square_tail, wald};
use crate::vocabulary::{Guess, Stratum};
use nalgebra::{DMatrix, DVector};
use std::collections::BTreeMap;

/// Labels are not used where the test rejects at this level.
pub(crate) const REJECTED: f64 = 0.01;

/// Fewer labelled rows are not tested.
const FEW: u64 = 10;

/// The test, and what differs most.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chosen {
    pub statistic: f64,
    pub freedom: usize,
    pub p_value: f64,
    /// What is said too often or too rarely by labelled rows, with its share among them and among all.
    pub most: (Said, f64, f64),
}

/// Something that a row tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Said {
    /// Its decision and label.
    Stratum(Stratum),
    /// A proxy's guess; nothing where it abstains.
    Guess(usize, Option<Guess>),
}

/// `None` where no rows of the table are labelled, or too few, or all.
pub(crate) fn at_random(counts: &Counts) -> Option<Chosen> {
    let labels = counts.audit_labels().filter(|labels| labels.population() == Population::Same)?;
    if labels.rows() < FEW {
        return None;
    }
    let mut columns = BTreeMap::new();
    let said = |stratum: Stratum, guesses: &[Option<Guess>]| -> Vec<Said> {
        let guessed = guesses.iter().enumerate().map(|(c, guess)| Said::Guess(c, *guess));
        std::iter::once(Said::Stratum(stratum)).chain(guessed).collect()
    };
    for (cell, tally) in counts.cells().filter(|(_, tally)| tally.weight > 0.0) {
        for one in said(cell.stratum, &cell.guesses) {
            *columns.entry(one).or_insert(0.0) += tally.weight / counts.weight();
        }
    }
    for (stratum, guesses, _) in labels.drawn().keys() {
        said(*stratum, guesses).into_iter().for_each(|one| _ = columns.entry(one).or_insert(0.0));
    }
    let place: BTreeMap<Said, usize> = columns.keys().enumerate().map(|(i, one)| (*one, i)).collect();
    let all = DVector::from_iterator(columns.len(), columns.values().copied());
    let total: f64 = labels.drawn().values().map(|drawn| drawn.design).sum();
    let (mut mean, mut covariance) = (DVector::zeros(all.len()), DMatrix::zeros(all.len(), all.len()));
    for ((stratum, guesses, _), drawn) in labels.drawn() {
        let mut x = -all.clone();
        said(*stratum, guesses).iter().for_each(|one| x[place[one]] += 1.0);
        mean.axpy(drawn.design / total, &x, 1.0);
        covariance.ger(drawn.squares / (total * total), &x, &x, 1.0);
    }
    let left = 1.0 - labels.rows() as f64 / counts.effective_rows().max(1.0);
    if left <= 0.0 {
        return None;
    }
    // Around their own mean: what is tested must not widen its own test.
    covariance.ger(-1.0 / labels.rows() as f64, &mean, &mean, 1.0);
    covariance *= left;
    let (statistic, freedom) = wald(mean.as_slice(), &covariance);
    let most = (columns.keys().zip(mean.iter()).zip(all.iter()))
        .max_by(|a, b| a.0.1.abs().total_cmp(&b.0.1.abs()))
        .map(|((said, off), all)| (*said, all + off, *all))?;
    (freedom > 0).then(|| Chosen { statistic, freedom, p_value: chi_square_tail(statistic, freedom), most })
}
