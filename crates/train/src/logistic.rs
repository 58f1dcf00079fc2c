//! Logistic regression with given gaps between groups: the paper's mitigation in training.
//!
//! ```text
//! smallest   mean log loss(β) + ridge/2·‖β‖²     where   c_j(β) = Σ w·V_j·σ(z - c) / Σ w  =  s_j
//! by rounds  β ← smallest of  loss + Σ μ_j·(c_j - s_j) + ρ/2·Σ (c_j - s_j)²          (L-BFGS)
//!            μ ← μ + ρ·(c - s);   ρ ← 4·ρ  where max|c - s| fell by less than 4 times
//! then       s ← s + B·(t - hard)    hard_j = Σ w·V_j·1[z > c] / Σ w,  t the gap that is wanted
//! ```
//! Scores can be pushed smoothly, decisions cannot; so the scores' target `s` is shifted by what the decisions are
//! off. Decisions answer more strongly than scores, two or three times where we looked, and a shift by all they are off
//! (`B = 1`) swings wider every time. So `B` starts at a half and follows what shifts did (Broyden's rule; with one
//! constraint, the secant) or, where that says nothing, halves; a shift that did not help is taken back. Of all shifts
//! the one with the decisions nearest to `t` is kept. With many rows a first solution comes from every so many of them;
//! that shortens the way and does not change where it ends.
//!
//! Decisions are cut at `c`: the log odds of a chance, or what leaves a share above it, which follows the scores from target
//! to target. Scores are pushed around it, by `σ(z - c)`; the loss is that of `σ(z)`.
//!
//! Assumes that the wanted gap can be had: where it cannot, [`Stopped::Unmet`] says how far off the scores stayed.
//! A gap of 0 on these rows is not one on others; that is for held-out rows to tell. Without constraints this is ridge
//! logistic regression.

use crate::multipliers::{Search, State, distance};
use crate::ordered::add_times;
use crate::{Design, DesignRow, Problem, ProblemError, Stage, Step, Stopped, Trained};
use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How to learn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogisticSettings {
    /// What large coefficients cost.
    pub ridge: f64,
    /// Steps of L-BFGS in one round at most.
    pub inner: usize,
    /// Rounds of the method of multipliers at most, for one target.
    pub outer: usize,
    /// The first ρ.
    pub rho: f64,
    /// How far the scores' gaps may be from their targets.
    pub tolerance: f64,
    /// How large a part of the gradient may be at the end.
    pub gradient: f64,
    /// Shifts of the target at most.
    pub shifts: usize,
    /// No shift where the decisions' gaps are this near to what is wanted.
    pub shift_tolerance: f64,
    /// With more than twice as many rows the first solution comes from about so many.
    pub start_rows: usize,
}

impl Default for LogisticSettings {
    fn default() -> Self {
        LogisticSettings {
            ridge: 1e-4,
            inner: 100,
            outer: 20,
            rho: 1.0,
            tolerance: 1e-4,
            gradient: 1e-6,
            shifts: 6,
            shift_tolerance: 1e-3,
            start_rows: 20_000,
        }
    }
}

/// A linear model of the log odds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Linear {
    /// The log odds where all features are 0.
    pub intercept: f64,
    /// What each encoded feature adds.
    pub coefficients: Vec<f64>,
}

impl Linear {
    /// How many numbers it takes of a row.
    pub fn columns(&self) -> usize {
        self.coefficients.len()
    }

    /// The log odds of one row; a decision is positive above 0.
    pub fn logit<'a>(&self, row: impl Into<DesignRow<'a>>) -> f64 {
        row.into().dot(&self.coefficients) + self.intercept
    }

    /// The log odds of all rows.
    pub fn logits(&self, features: &Design) -> Vec<f64> {
        let rows = (0..features.rows()).into_par_iter().with_min_len(1024);
        rows.map(|row| self.logit(features.row(row))).collect()
    }

    pub(crate) fn beta(&self) -> Vec<f64> {
        self.coefficients.iter().copied().chain([self.intercept]).collect()
    }

    pub(crate) fn from_beta(beta: &[f64]) -> Self {
        let (intercept, coefficients) =
            beta.split_last().map_or((0.0, &[][..]), |(last, rest)| (*last, rest));
        Linear { intercept, coefficients: coefficients.to_vec() }
    }
}

/// Learns a linear model; `progress` hears of every round.
///
/// ```
/// # use fairveil_train::*;
/// // Eight people whose group is known, which is all that the one feature tells. Of the first four three have the label,
/// // of the others one. The constraint is the rate of the others minus that of the first: each counts 2, the mean of eight.
/// let features = Design::new(8, 1, vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]);
/// let labels = [true, true, true, false, true, false, false, false];
/// let gap = [vec![-2.0, -2.0, -2.0, -2.0, 2.0, 2.0, 2.0, 2.0]];
/// let settings = LogisticSettings { ridge: 0.0, shifts: 0, ..LogisticSettings::default() };
///
/// let free = Problem { features: &features, labels: &labels, weights: None, constraints: &[], targets: &[], aim: Aim::default() };
/// let found = logistic(&free, &settings, None, &|_| ())?;
/// assert!((found.model.intercept - 3f64.ln()).abs() < 1e-4); // odds of three to one
///
/// let alike = Problem { constraints: &gap, targets: &[0.0], ..free };
/// let found = logistic(&alike, &settings, None, &|_| ())?;
/// assert!(found.soft[0].abs() < 1e-4 && found.model.coefficients[0].abs() < 1e-3); // half of everyone
/// # Ok::<(), ProblemError>(())
/// ```
pub fn logistic(
    problem: &Problem<'_>,
    settings: &LogisticSettings,
    start: Option<&Linear>,
    progress: &(dyn Fn(Step) + Sync),
) -> Result<Trained<Linear>, ProblemError> {
    problem.check()?;
    let columns = problem.features.columns();
    let beta = match start {
        Some(start) if start.coefficients.len() != columns => {
            return Err(ProblemError::Start { found: start.coefficients.len(), needed: columns });
        }
        Some(start) => start.beta(),
        None => vec![0.0; columns + 1],
    };
    let (multipliers, targets) = (vec![0.0; problem.targets.len()], problem.targets.to_vec());
    let answer = DMatrix::identity(targets.len(), targets.len()) * 0.5;
    let mut state = State { beta, multipliers, rho: settings.rho, targets, answer };
    let every = problem.features.rows() / settings.start_rows.max(1);
    if every >= 2 {
        let sample = Sample::of(problem, every);
        let some = sample.problem(problem);
        // Every so many rows may have no weight; then there is nothing to start from.
        if some.total() > 0.0 {
            state = solve(&some, settings, state, &|step| progress(Step { stage: Stage::Start, ..step })).1;
        }
    }
    Ok(solve(problem, settings, state, progress).0)
}

/// Every so many rows, copied.
struct Sample {
    features: Design,
    labels: Vec<bool>,
    weights: Option<Vec<f64>>,
    constraints: Vec<Vec<f64>>,
}

impl Sample {
    fn of(problem: &Problem<'_>, every: usize) -> Self {
        let rows: Vec<usize> = (0..problem.features.rows()).step_by(every).collect();
        let only = |values: &[f64]| rows.iter().map(|row| values[*row]).collect();
        Sample {
            features: problem.features.only(&rows),
            labels: rows.iter().map(|row| problem.labels[*row]).collect(),
            weights: problem.weights.map(only),
            constraints: problem.constraints.iter().map(|constraint| only(constraint)).collect(),
        }
    }

    fn problem<'a>(&'a self, all: &Problem<'a>) -> Problem<'a> {
        Problem {
            features: &self.features,
            labels: &self.labels,
            weights: self.weights.as_deref(),
            constraints: &self.constraints,
            targets: all.targets,
            aim: all.aim,
        }
    }
}

/// The model that meets the targets, and where it was reached.
fn solve(
    problem: &Problem<'_>,
    settings: &LogisticSettings,
    mut state: State,
    progress: &dyn Fn(Step),
) -> (Trained<Linear>, State) {
    let mut search = Search::new(problem, settings, &state.beta);
    let mut found = search.settle(&mut state, progress);
    let mut best = (found.clone(), state.clone());
    for shift in 1..=settings.shifts {
        // Scores that do not follow their target will not follow another.
        let follow = !matches!(found.stopped, Stopped::Unmet { .. });
        if off(problem, &best.0) <= settings.shift_tolerance || !follow {
            break;
        }
        // Always from the best so far: what made it worse is taken back.
        let hard = DVector::from_column_slice(&best.0.hard);
        let moved = &state.answer * (DVector::from_column_slice(problem.targets) - &hard);
        state.targets.clone_from(&best.1.targets);
        add_times(&mut state.targets, 1.0, moved.as_slice());
        found = search.meet(&mut state, progress, shift);
        let believed = state.learn(&moved, &(DVector::from_column_slice(&found.hard) - hard));
        if off(problem, &found) < off(problem, &best.0) {
            best = (found.clone(), state.clone());
        } else if !believed {
            state.answer *= 0.5;
        }
    }
    best.1.answer = state.answer;
    best.0.passes = search.passes();
    best
}

/// How far the decisions' gaps are from what is wanted.
fn off(problem: &Problem<'_>, found: &Trained<Linear>) -> f64 {
    distance(&found.hard, problem.targets)
}
