//! Logistic regression with given gaps between groups: the paper's mitigation in training.
//!
//! ```text
//! smallest   mean log loss(β) + ridge/2·‖β‖²     where   c_j(β) = Σ w·V_j·σ(z) / Σ w  =  s_j
//! by rounds  β ← smallest of  loss + Σ μ_j·(c_j - s_j) + ρ/2·Σ (c_j - s_j)²          (L-BFGS)
//!            μ ← μ + ρ·(c - s);   ρ ← 4·ρ  where max|c - s| fell by less than 4 times
//! then       s ← s + B·(t - hard)    hard_j = Σ w·V_j·1[z > 0] / Σ w,  t the gap that is wanted
//! ```
//! Scores can be pushed smoothly, decisions can not; so the scores' target `s` is shifted by what the decisions are
//! off. Decisions answer more strongly than scores, two or three times where we looked, and a shift by all they are off
//! (`B = 1`) swings wider every time. So `B` starts at a half and follows what shifts did (Broyden's rule; with one
//! constraint, the secant). Of all shifts the one with the decisions nearest to `t` is kept. With many rows a first solution comes from
//! every so many of them; where there are few features, an approximate Hessian shortens the way. Neither changes what
//! is converged to.
//!
//! Assumes that the wanted gap can be had: where it can not, [`Stopped::Unmet`] says how far off the scores stayed.
//! A gap of 0 on these rows is not one on others; that is for held-out rows to tell. Without constraints this is ridge
//! logistic regression.

use crate::lbfgs::{Ended, LbfgsSettings, minimise};
use crate::ordered::{add_times, dot, dot_single};
use crate::pass::{self, Evaluation, pass};
use crate::{Design, Problem, ProblemError, Stage, Step, Stopped, Trained};
use nalgebra::{Cholesky, DMatrix, DVector, DVectorView, DVectorViewMut, Dyn};
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

/// With more columns an approximate Hessian costs more than it saves.
const MOST_CURVATURE: usize = 500;
/// Rows behind an approximate Hessian; more would not make it better by much.
const CURVATURE_ROWS: usize = 20_000;

/// A larger ρ would leave the loss no digits.
const MOST_RHO: f64 = 1e6;

/// A linear model of the log odds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Linear {
    /// The log odds where all features are 0.
    pub intercept: f64,
    /// What each encoded feature adds.
    pub coefficients: Vec<f64>,
}

impl Linear {
    /// The log odds of one row; a decision is positive above 0.
    pub fn logit(&self, row: &[f32]) -> f64 {
        dot_single(row, &self.coefficients) + self.intercept
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
        }
    }
}

/// Where the method of multipliers is.
#[derive(Debug, Clone)]
struct State {
    beta: Vec<f64>,
    multipliers: Vec<f64>,
    rho: f64,
    /// The targets of scores, `s`.
    targets: Vec<f64>,
    /// How far to shift them for what decisions are off, `B`.
    answer: DMatrix<f64>,
}

impl State {
    /// Broyden's rule: `B` becomes what would have made this move of targets from this move of decisions.
    fn learn(&mut self, targets: &DVector<f64>, decisions: &DVector<f64>) {
        let said = &self.answer * decisions;
        let back = self.answer.tr_mul(targets);
        let scale = targets.dot(&said);
        // Few decisions change at a time, so that one move may say anything: it is believed where it makes `B` not
        // three times larger or smaller.
        if (1.0 / 3.0..=3.0).contains(&(scale / targets.norm_squared())) {
            self.answer += (targets - said) * back.transpose() / scale;
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
    let seen = pass(problem, &state.beta);
    let mut search = Search {
        problem,
        settings,
        at: state.beta.clone(),
        seen,
        curvature: Vec::new(),
        passes: 1,
        rounds: 0,
    };
    let mut found = search.meet(&mut state, progress, 0);
    let mut best = (found.clone(), state.clone());
    for shift in 1..=settings.shifts {
        if off(problem, &found) <= settings.shift_tolerance {
            break;
        }
        let hard = DVector::from_column_slice(&found.hard);
        let moved = &state.answer * (DVector::from_column_slice(problem.targets) - &hard);
        add_times(&mut state.targets, 1.0, moved.as_slice());
        found = search.meet(&mut state, progress, shift);
        state.learn(&moved, &(DVector::from_column_slice(&found.hard) - hard));
        if off(problem, &found) < off(problem, &best.0) {
            best = (found.clone(), state.clone());
        }
    }
    best.0.passes = search.passes;
    best
}

/// How far the decisions' gaps are from what is wanted.
fn off(problem: &Problem<'_>, found: &Trained<Linear>) -> f64 {
    distance(&found.hard, problem.targets)
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |largest: f64, (a, b)| largest.max((a - b).abs()))
}

/// The rows, and what the last pass over them found.
struct Search<'a> {
    problem: &'a Problem<'a>,
    settings: &'a LogisticSettings,
    at: Vec<f64>,
    seen: Evaluation,
    curvature: Vec<f64>,
    passes: usize,
    rounds: usize,
}

impl Search<'_> {
    fn look(&mut self, beta: &[f64]) -> &Evaluation {
        if self.at != beta {
            self.seen = pass(self.problem, beta);
            self.at.copy_from_slice(beta);
            self.passes += 1;
        }
        &self.seen
    }

    /// One target of scores, met.
    fn meet(&mut self, state: &mut State, progress: &dyn Fn(Step), shift: usize) -> Trained<Linear> {
        let stopped =
            self.multiply(state, progress, if shift == 0 { Stage::Constrain } else { Stage::Shift });
        let rounds = self.rounds;
        let seen = self.look(&state.beta);
        Trained {
            model: Linear::from_beta(&state.beta),
            soft: seen.soft.clone(),
            hard: seen.hard.clone(),
            multipliers: state.multipliers.clone(),
            residual: distance(&seen.soft, &state.targets),
            loss: seen.loss,
            stopped,
            rounds,
            shifts: shift,
            passes: 0,
        }
    }

    /// The method of multipliers.
    fn multiply(&mut self, state: &mut State, progress: &dyn Fn(Step), stage: Stage) -> Stopped {
        let settings = self.settings;
        let mut before = f64::INFINITY;
        let mut residual = distance(&self.look(&state.beta).soft, &state.targets);
        for _ in 0..settings.outer {
            // No use in the last digits of a point that the next round leaves.
            let gradient = if residual > settings.tolerance { 0.01 * residual } else { 0.0 };
            let gradient = gradient.clamp(settings.gradient, settings.gradient.max(1e-3));
            // The second time at a point that is near.
            if self.rounds < 2 {
                self.curvature = self.curvature(&state.beta);
            }
            let inner = LbfgsSettings { iterations: settings.inner, gradient, ..LbfgsSettings::default() };
            let ended = self.descend(state, &inner);
            self.rounds += 1;
            let soft = &self.look(&state.beta).soft;
            residual = distance(soft, &state.targets);
            for ((multiplier, soft), target) in state.multipliers.iter_mut().zip(soft).zip(&state.targets) {
                *multiplier += state.rho * (soft - target);
            }
            progress(Step { stage, round: self.rounds, residual });
            if residual <= settings.tolerance && gradient <= settings.gradient {
                let rounds = self.rounds;
                return match ended {
                    Ended::Converged { .. } => Stopped::Converged { rounds },
                    _ => Stopped::Unfinished { rounds },
                };
            }
            if residual > before / 4.0 {
                state.rho = (4.0 * state.rho).min(MOST_RHO);
            }
            before = residual;
        }
        Stopped::Unmet { rounds: self.rounds, residual }
    }

    /// How the loss curves at this point, from some rows; nothing where there are too many columns.
    fn curvature(&self, beta: &[f64]) -> Vec<f64> {
        let size = beta.len();
        if size > MOST_CURVATURE {
            return Vec::new();
        }
        let rows = (200_000_000 / (size * size)).max(4 * size).min(CURVATURE_ROWS);
        pass::curvature(self.problem, beta, self.problem.features.rows().div_ceil(rows))
    }

    /// One round: the smallest value with multipliers and ρ as they are.
    fn descend(&mut self, state: &mut State, settings: &LbfgsSettings) -> Ended {
        let factor = self.factor(state);
        let solve = |v: &mut [f64]| {
            if let Some(factor) = &factor {
                let size = v.len();
                factor.solve_mut(&mut DVectorViewMut::from_slice(v, size));
            }
        };
        let precondition = factor.is_some().then_some(&solve as &dyn Fn(&mut [f64]));
        let State { beta, multipliers, rho, targets, .. } = state;
        let ridge = self.settings.ridge;
        minimise(beta, settings, precondition, |beta, gradient| {
            let seen = self.look(beta);
            let last = beta.len() - 1;
            gradient.copy_from_slice(&seen.gradient);
            add_times(&mut gradient[..last], ridge, &beta[..last]);
            let mut value = seen.loss + 0.5 * ridge * dot(&beta[..last], &beta[..last]);
            let gaps = seen.soft.iter().zip(&*targets).zip(&*multipliers).zip(&seen.slopes);
            for (((soft, target), multiplier), slope) in gaps {
                let gap = soft - target;
                value += multiplier * gap + 0.5 * *rho * gap * gap;
                add_times(gradient, multiplier + *rho * gap, slope);
            }
            value
        })
    }

    /// The factors of `curvature + ridge + ρ·Σ slope·slopeᵀ`; none where there is no curvature.
    fn factor(&mut self, state: &State) -> Option<Cholesky<f64, Dyn>> {
        if self.curvature.is_empty() {
            return None;
        }
        let (size, ridge) = (state.beta.len(), self.settings.ridge);
        let mut matrix = DMatrix::from_column_slice(size, size, &self.curvature);
        for slope in &self.look(&state.beta).slopes {
            let slope = DVectorView::from_slice(slope, size);
            matrix.ger(state.rho, &slope, &slope, 1.0);
        }
        for place in 0..size {
            // Some rows may lack a level that others have: nothing is known of its curvature, and a little is supposed.
            matrix[(place, place)] += ridge.max(1e-4);
        }
        matrix.cholesky()
    }
}
