//! What to learn, and what came of it.

use crate::{Aim, Design};
use rayon::prelude::*;
use std::fmt;

/// What to learn: a label from features, with wanted gaps between groups.
///
/// ```text
/// c_j  =  Σ_n w_n · V_j[n] · decision_n / Σ_n w_n  =  t_j
/// ```
/// `V_j[n]` is the weight of row `n` in the calibrated rate of one group minus that of another: it is made of guesses,
/// and with it any trainer knows the gap without knowing a group.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    /// The features.
    pub features: &'a Design,
    /// Whether a row is of the positive class.
    pub labels: &'a [bool],
    /// How often a row counts; once, where there are none.
    pub weights: Option<&'a [f64]>,
    /// For each constraint its weight of each row, `V_j`.
    pub constraints: &'a [Vec<f64>],
    /// For each constraint the gap that hard decisions are to have, `t_j`.
    pub targets: &'a [f64],
    /// Where decisions are cut.
    pub aim: Aim,
}

impl Problem<'_> {
    /// How often a row counts.
    pub(crate) fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }

    /// The weights of all rows.
    pub(crate) fn total(&self) -> f64 {
        self.weights.map_or(self.labels.len() as f64, |weights| weights.iter().sum())
    }

    pub(crate) fn check(&self) -> Result<(), ProblemError> {
        let rows = self.features.rows();
        let length = |what, found| {
            if found == rows { Ok(()) } else { Err(ProblemError::Length { what, found, needed: rows }) }
        };
        length("labels", self.labels.len())?;
        if let Some(weights) = self.weights {
            length("weights", weights.len())?;
            if let Some(row) = weights.iter().position(|weight| !(weight.is_finite() && *weight >= 0.0)) {
                return Err(ProblemError::Weight { row, found: weights[row] });
            }
        }
        for constraint in self.constraints {
            length("weights of a constraint", constraint.len())?;
            if let Some(row) = constraint.iter().position(|value| !value.is_finite()) {
                return Err(ProblemError::Constraint { row, found: constraint[row] });
            }
        }
        let rows = self.features.values().par_chunks(self.features.width().max(1) * 1024);
        let unsound = |rows: &[f32]| !rows.iter().fold(true, |sound, value| sound & value.is_finite());
        if let Some(chunk) = rows.position_first(unsound) {
            let unsound = |row: &usize| {
                let mut sound = true;
                self.features.row(*row).each(|_, value| sound &= value.is_finite());
                !sound
            };
            let row = (chunk * 1024..self.features.rows()).find(unsound).unwrap_or(chunk * 1024);
            return Err(ProblemError::Feature { row });
        }
        let (Aim::Chance(aim) | Aim::Share(aim)) = self.aim;
        if !(aim > 0.0 && aim < 1.0) {
            return Err(ProblemError::Aim { found: aim });
        }
        if self.targets.len() != self.constraints.len()
            || !self.targets.iter().all(|target| target.is_finite())
        {
            let (found, needed) = (self.targets.len(), self.constraints.len());
            return Err(ProblemError::Targets { found, needed });
        }
        let total = self.total();
        if total > 0.0 && total.is_finite() { Ok(()) } else { Err(ProblemError::Rows { total }) }
    }
}

/// Why nothing can be learned.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ProblemError {
    /// A column that is too short or too long.
    #[error("{found} {what} for {needed} rows of features; give one for each row")]
    Length {
        /// The column.
        what: &'static str,
        /// Its rows.
        found: usize,
        /// Those of the features.
        needed: usize,
    },
    /// A weight that is no weight.
    #[error("row {} has the weight {found}, and a weight is a finite number not below 0; correct it", row + 1)]
    Weight {
        /// The row, from 0.
        row: usize,
        /// Its weight.
        found: f64,
    },
    /// A row without a place in a constraint.
    #[error(
        "row {} counts {found} in a constraint, and a finite number is needed; \
         proxies that tell the groups apart give one", row + 1
    )]
    Constraint {
        /// The row, from 0.
        row: usize,
        /// Its weight there.
        found: f64,
    },
    /// A feature that is not finite.
    #[error("row {} has a feature that is not finite; encode features first", row + 1)]
    Feature {
        /// The row, from 0.
        row: usize,
    },
    /// Not one target for each constraint.
    #[error("{found} targets for {needed} constraints; give one finite gap for each")]
    Targets {
        /// How many targets.
        found: usize,
        /// How many constraints.
        needed: usize,
    },
    /// A cut past all decisions.
    #[error("decisions are to be cut at {found}; give a chance or a share between 0 and 1")]
    Aim {
        /// The chance or share.
        found: f64,
    },
    /// A model of other features to start from.
    #[error("a start with {found} coefficients for {needed} features; give one for each, or none")]
    Start {
        /// Its coefficients.
        found: usize,
        /// How many features there are.
        needed: usize,
    },
    /// Nothing to learn from.
    #[error("the rows to learn from weigh {total} together; give rows whose weights sum to more than 0")]
    Rows {
        /// Their weight.
        total: f64,
    },
}

/// A model and how it was reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained<M> {
    /// The model.
    pub model: M,
    /// The log odds above which it decides positive.
    pub place: f64,
    /// The gaps of its scores, one for each constraint, on the rows it was fitted on.
    pub soft: Vec<f64>,
    /// The gaps of its decisions, one for each constraint, on the same rows.
    pub hard: Vec<f64>,
    /// What each constraint costs: how fast the loss falls where its soft target gives way.
    pub multipliers: Vec<f64>,
    /// How far the worst soft gap is from the soft target that was in force at the end.
    pub residual: f64,
    /// The weighted mean log loss.
    pub loss: f64,
    /// Why training stopped.
    pub stopped: Stopped,
    /// Rounds of the method of multipliers (an epoch of minibatches is one) on all rows.
    pub rounds: usize,
    /// How often the soft target was shifted to move the hard gap.
    pub shifts: usize,
    /// Passes over all rows.
    pub passes: usize,
}

/// Why training stopped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stopped {
    /// At an optimum that meets every constraint.
    Converged {
        /// Rounds of the method of multipliers.
        rounds: usize,
    },
    /// The constraints were not met within the rounds that were allowed.
    Unmet {
        /// Rounds of the method of multipliers.
        rounds: usize,
        /// How far the worst soft gap is from its target.
        residual: f64,
    },
    /// The constraints are met, and the loss may still fall.
    Unfinished {
        /// Rounds of the method of multipliers.
        rounds: usize,
    },
}

impl fmt::Display for Stopped {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times =
            |rounds: usize| if rounds == 1 { "1 round".to_owned() } else { format!("{rounds} rounds") };
        match *self {
            Stopped::Converged { rounds } => write!(out, "converged after {}", times(rounds)),
            Stopped::Unmet { rounds, residual } => {
                write!(
                    out,
                    "stopped after {}: a gap of the scores is still {residual:.2e} from its target",
                    times(rounds)
                )
            }
            Stopped::Unfinished { rounds } => {
                write!(out, "stopped after {}: the gaps are met, the loss may still fall", times(rounds))
            }
        }
    }
}

/// How far training is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// What is being done.
    pub stage: Stage,
    /// Rounds so far, from 1.
    pub round: usize,
    /// How far the worst gap is from its target: of scores, or of decisions when targets are shifted.
    pub residual: f64,
}

/// What training does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// A first solution, on some of the rows.
    Start,
    /// Minibatches.
    Learn,
    /// The constraint on scores.
    Constrain,
    /// The constraint on decisions.
    Shift,
}
