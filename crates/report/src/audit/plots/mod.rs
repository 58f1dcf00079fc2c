//! The plots of an audit: plain data to shapes, each with its title, its reading in a sentence and the table it draws.

mod agreement;
mod forest;
mod front;
mod matrices;
mod outcome;
mod rates;
mod shared_error;

pub(crate) use forest::{UNIT, against_truth, bases, forest, key, truth, truth_missing};
pub(crate) use front::front;
pub(crate) use matrices::place;
pub(crate) use rates::{rates, usual_rates};

use crate::plot::Plot;
use fairveil_core::Audit;

/// All plots of an audit, in the order of the page.
#[derive(Debug, Clone)]
pub(crate) struct Plots {
    /// Carries the answer.
    pub front: Option<Plot>,
    pub forests: Vec<Plot>,
    pub rates: Vec<Plot>,
    pub outcome: Option<Plot>,
    /// Matrices of the method relied on; then all others.
    pub matrices: Vec<Plot>,
    pub other_matrices: Vec<Plot>,
    /// How many more there are in the JSON.
    pub further_matrices: usize,
    pub agreement: Option<Plot>,
    pub shared_error: Vec<Plot>,
}

/// More matrices by other methods than this are in the JSON alone.
const MOST_OTHERS: usize = 12;

impl Plots {
    pub fn of(audit: &Audit) -> Self {
        let (matrices, mut other_matrices) = matrices::matrices(audit);
        let further_matrices = other_matrices.len().saturating_sub(MOST_OTHERS);
        other_matrices.truncate(MOST_OTHERS);
        Plots {
            front: front(audit),
            forests: audit.settings.criteria.iter().map(|criterion| forest(audit, *criterion)).collect(),
            rates: rates(audit),
            outcome: outcome::outcome(audit),
            matrices,
            other_matrices,
            further_matrices,
            agreement: agreement::agreement(audit),
            shared_error: shared_error::curves(audit),
        }
    }

    pub fn all(&self) -> impl Iterator<Item = &Plot> {
        let kinds = self.front.iter().chain(&self.forests).chain(&self.rates).chain(&self.outcome);
        kinds
            .chain(&self.matrices)
            .chain(&self.other_matrices)
            .chain(&self.agreement)
            .chain(&self.shared_error)
    }
}
