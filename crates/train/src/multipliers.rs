//! The method of multipliers, for one target of scores.
//!
//! ```text
//! round    β ← smallest of  loss + ridge/2·‖β‖² + Σ μ_j·(c_j - s_j) + ρ/2·Σ (c_j - s_j)²
//!          μ ← μ + ρ·(c - s);   ρ ← 4·ρ  where max|c - s| fell by less than 4 times
//! metric   Σ w·p·(1 - p)·x·xᵀ / Σ w  +  ridge  +  ρ·Σ ∇c_j·∇c_jᵀ       its inverse is the middle of L-BFGS
//! ```
//! One pass over the rows gives loss, gaps and all gradients, so that new multipliers need no new pass. The metric comes
//! from some rows; with many columns it is the diagonal alone. It changes how many passes are needed, not where they end.

use crate::lbfgs::{Ended, LbfgsSettings, minimise};
use crate::metric::{Curvature, Metric};
use crate::ordered::{add_times, dot};
use crate::pass::{Evaluation, pass};
use crate::{Aim, Linear, LogisticSettings, Problem, Stage, Step, Stopped, Trained};
use nalgebra::{DMatrix, DVector};

/// A larger ρ would leave the loss no digits.
const MOST_RHO: f64 = 1e6;

/// How often scores are pushed around a cut that moves with them, and how far it may still move.
const SETTLES: usize = 5;
const STAYS: f64 = 0.01;

/// Where the method of multipliers is.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub beta: Vec<f64>,
    pub multipliers: Vec<f64>,
    pub rho: f64,
    /// The targets of scores, `s`.
    pub targets: Vec<f64>,
    /// How far to shift them for what decisions are off, `B`.
    pub answer: DMatrix<f64>,
}

impl State {
    /// Broyden's rule: `B` becomes what would have made this move of targets from this move of decisions. Says whether
    /// it did.
    pub fn learn(&mut self, targets: &DVector<f64>, decisions: &DVector<f64>) -> bool {
        let said = &self.answer * decisions;
        let back = self.answer.tr_mul(targets);
        let scale = targets.dot(&said);
        // Few decisions change at a time, so that one move may say anything: it is believed where it makes `B` not
        // three times larger or smaller.
        let believed = (1.0 / 3.0..=3.0).contains(&(scale / targets.norm_squared()));
        if believed {
            self.answer += (targets - said) * back.transpose() / scale;
        }
        believed
    }
}

/// The rows, and what the last pass over them found.
pub(crate) struct Search<'a> {
    problem: &'a Problem<'a>,
    settings: &'a LogisticSettings,
    /// The log odds above which decisions are positive.
    place: f64,
    at: Vec<f64>,
    seen: Evaluation,
    curvature: Option<Curvature>,
    passes: usize,
    rounds: usize,
    /// The cut around which the last target was met.
    met: f64,
}

impl<'a> Search<'a> {
    pub fn new(problem: &'a Problem<'a>, settings: &'a LogisticSettings, beta: &[f64]) -> Self {
        let place = Self::place_of(problem, beta);
        let (at, seen) = (beta.to_vec(), pass(problem, beta, place));
        Search { place, problem, settings, at, seen, curvature: None, passes: 1, rounds: 0, met: place }
    }

    /// Passes over all rows so far.
    pub fn passes(&self) -> usize {
        self.passes
    }

    fn look(&mut self, beta: &[f64]) -> &Evaluation {
        if self.at != beta {
            self.seen = pass(self.problem, beta, self.place);
            self.at.copy_from_slice(beta);
            self.passes += 1;
        }
        &self.seen
    }

    fn place_of(problem: &Problem<'_>, beta: &[f64]) -> f64 {
        match problem.aim {
            Aim::Chance(_) => problem.aim.on_log_odds(&[], |_| 1.0),
            Aim::Share(_) => {
                let logits = Linear::from_beta(beta).logits(problem.features);
                problem.aim.on_log_odds(&logits, |row| problem.weight(row))
            }
        }
    }

    /// Cuts where the aim is with these coefficients; says how far the cut moved.
    fn aim(&mut self, beta: &[f64]) -> f64 {
        let place = Self::place_of(self.problem, beta);
        let moved = (place - self.place).abs();
        if moved > 0.0 {
            self.place = place;
            self.seen = pass(self.problem, beta, place);
            self.at.copy_from_slice(beta);
            self.passes += 1;
        }
        moved
    }

    /// One target of scores, met: around a cut that follows the scores, until it stays where it is.
    pub fn settle(&mut self, state: &mut State, progress: &dyn Fn(Step)) -> Trained<Linear> {
        let mut found = self.meet(state, progress, 0);
        for _ in 1..SETTLES {
            if (found.place - self.met).abs() <= STAYS || self.problem.constraints.is_empty() {
                break;
            }
            found = self.meet(state, progress, 0);
        }
        found
    }

    /// One target of scores, met.
    pub fn meet(&mut self, state: &mut State, progress: &dyn Fn(Step), shift: usize) -> Trained<Linear> {
        let stopped =
            self.multiply(state, progress, if shift == 0 { Stage::Constrain } else { Stage::Shift });
        let rounds = self.rounds;
        let residual = distance(&self.look(&state.beta).soft, &state.targets);
        self.met = self.place;
        self.aim(&state.beta);
        let place = self.place;
        let seen = self.look(&state.beta);
        Trained {
            model: Linear::from_beta(&state.beta),
            place,
            soft: seen.soft.clone(),
            hard: seen.hard.clone(),
            multipliers: state.multipliers.clone(),
            residual,
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
                self.curvature = Curvature::of(self.problem, &state.beta, settings.ridge);
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
                if state.rho >= MOST_RHO {
                    break;
                }
                state.rho = (4.0 * state.rho).min(MOST_RHO);
            }
            before = residual;
        }
        Stopped::Unmet { rounds: self.rounds, residual }
    }

    /// One round: the smallest value with multipliers and ρ as they are.
    fn descend(&mut self, state: &mut State, settings: &LbfgsSettings) -> Ended {
        let slopes = self.look(&state.beta).slopes.clone();
        let curvature = self.curvature.take();
        let metric = curvature.as_ref().and_then(|curvature| Metric::new(curvature, &slopes, state.rho));
        let solve = |v: &mut [f64]| {
            if let Some(metric) = &metric {
                metric.solve(v);
            }
        };
        let precondition = metric.is_some().then_some(&solve as &dyn Fn(&mut [f64]));
        let State { beta, multipliers, rho, targets, .. } = state;
        let ridge = self.settings.ridge;
        let ended = minimise(beta, settings, precondition, |beta, gradient| {
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
        });
        self.curvature = curvature;
        ended
    }
}

/// The largest difference.
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |largest: f64, (a, b)| largest.max((a - b).abs()))
}
