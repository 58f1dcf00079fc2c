//! The plots: plain data to shapes, each with its title, its reading in a sentence and the table it draws.

mod agreement;
mod forest;
mod matrix;
mod mitigation;
mod models;
mod plan;
mod rates;
mod rows;
mod segments;
mod shared_error;
mod trend;

pub(crate) use forest::{forest, other_aggregates};
pub(crate) use matrix::place;
pub(crate) use mitigation::{MitigationPlots, learned_from, mitigation_aggregates, multipliers};
pub(crate) use models::{brief, chances, models, pairs};
pub use plan::plan_svg;
pub(crate) use rates::{rates, usual_rates};
pub(crate) use segments::{common_scale, strip};
pub(crate) use trend::trend;

use crate::sentence::Sentence;
use crate::svg::Canvas;
use crate::table::Table;
use fairveil_core::Audit;

/// One plot and what stands around it.
#[derive(Debug, Clone)]
pub(crate) struct Plot {
    /// The name of its file, and of its element on a page.
    pub id: String,
    pub title: Sentence,
    /// What it shows, in a sentence.
    pub reading: Sentence,
    /// What its marks mean, where names beside them do not say it; of no use without the plot.
    pub key: Sentence,
    pub canvas: Canvas,
    pub table: Table,
}

impl Plot {
    /// The plot in words, for those who can not see it.
    pub fn description(&self) -> String {
        [self.reading.plain(), self.key.plain()].join(" ").trim_end().to_owned()
    }
}

/// All plots of an audit, in the order of the page.
#[derive(Debug, Clone)]
pub(crate) struct Plots {
    pub forests: Vec<Plot>,
    pub rates: Vec<Plot>,
    /// Matrices of the method relied on; then all others.
    pub matrices: Vec<Plot>,
    pub other_matrices: Vec<Plot>,
    pub agreement: Option<Plot>,
    pub shared_error: Vec<Plot>,
}

impl Plots {
    pub fn of(audit: &Audit) -> Self {
        let (matrices, other_matrices) = matrix::matrices(audit);
        Plots {
            forests: audit.settings.criteria.iter().map(|criterion| forest(audit, *criterion)).collect(),
            rates: rates(audit),
            matrices,
            other_matrices,
            agreement: agreement::agreement(audit),
            shared_error: shared_error::curves(audit),
        }
    }

    pub fn all(&self) -> impl Iterator<Item = &Plot> {
        let kinds = self.forests.iter().chain(&self.rates).chain(&self.matrices);
        kinds.chain(&self.other_matrices).chain(&self.agreement).chain(&self.shared_error)
    }
}
