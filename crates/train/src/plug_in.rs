//! The cross-fitted plug-in rule: a black box's score, moved by what features tell about the calibrated weights.
//!
//! Of all decisions with given gaps `mean V_j·f = t_j` the most accurate is, with multipliers `λ` and the cut `t`,
//! ```text
//! f(x) = 1[ 2η(x) − 2t > Σ_j λ_j·ŵ_j(x) ]          η(x) = P(Y=1 | x),  ŵ_j(x) = E[V_j | x]
//! ```
//! `t` is one half, what the costs of mistakes make it, or the multiplier of one more constraint, `mean f = p`: the share
//! decided positive. Given `λ` that one is a quantile of `2η − λ·ŵ`.
//! `ŵ` is a ridge regression of `V` on features and score, within a label times the chance of that label; every row is
//! predicted by a model that has not seen it. `λ` is chosen so that the gaps of the hard decisions are `t`: one signed
//! number by bisection, several by the smoothed dual
//! ```text
//! min over λ, t of  mean s·log(1 + exp((2η − 2t − λ·ŵ)/s)) + λ·gaps + 2t·p          s ↓ 0
//! ```
//! which is convex (plus a small ridge, so that gaps that cannot be had leave `λ` finite), its target moved by what the
//! hard decisions miss. A `ŵ` that is badly predicted costs accuracy; the
//! gaps are those of the decisions all the same.

use crate::aim::{Aim, place};
use crate::ridge::{CrossFit, Regression};
use crate::{Design, DesignRow, Linear};
use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What the rule moves the score by, for one gap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tilt {
    /// `λ`.
    pub multiplier: f64,
    /// Whether the gap is among people with the positive label, with the other, or among all.
    pub label: Option<bool>,
    /// The regression of `V` on the encoded features and, last, `2η − 1`.
    pub weight: Linear,
}

impl Tilt {
    /// `ŵ(x)`, given the encoded features and `η`.
    pub fn weight_at<'a>(&self, row: impl Into<DesignRow<'a>>, eta: f64) -> f64 {
        let margin = 2.0 * eta - 1.0;
        let (last, coefficients) =
            self.weight.coefficients.split_last().map_or((0.0, &[][..]), |(l, r)| (*l, r));
        let mut features = 0.0;
        row.into().each(|column, x| features += coefficients[column] * x);
        let within = match self.label {
            None => 1.0,
            Some(true) => eta,
            Some(false) => 1.0 - eta,
        };
        within * (self.weight.intercept + features + last * margin)
    }
}

/// What a plug-in rule is learned from.
pub(crate) struct Task<'a> {
    pub features: &'a Design,
    /// `η` of each row, by a model that has not seen it.
    pub eta: &'a [f64],
    /// Whether each row has the positive label.
    pub labels: &'a [bool],
    pub weights: &'a [f64],
    /// `V` of each row, for each gap.
    pub constraints: &'a [Vec<f64>],
    /// The label that each gap is among.
    pub within: &'a [Option<bool>],
    pub folds: usize,
}

impl Task<'_> {
    /// The place above which `2η − λ·ŵ` is decided positive, twice the cut.
    fn place(&self, aim: Aim, left: &[f64]) -> f64 {
        match aim {
            Aim::Chance(chance) => 2.0 * chance,
            Aim::Share(share) => place(left, |row| self.weights[row], share),
        }
    }
}

/// `ŵ` of every row by a model that has not seen it, and the models to use on new rows.
pub(crate) struct Predicted {
    /// For each gap, `ŵ` of each row.
    pub weights: Vec<Vec<f64>>,
    pub tilts: Vec<Tilt>,
    /// For each gap, the share of the spread of `V` that features explain.
    pub explained: Vec<f64>,
}

/// Rows are in an order of chance: every fifth makes a fold.
pub(crate) fn fold_of(row: usize, folds: usize) -> usize {
    row % folds
}

pub(crate) fn predict(task: &Task) -> Predicted {
    let margin: Vec<f64> = task.eta.iter().map(|eta| 2.0 * eta - 1.0).collect();
    let fold = |row: usize| fold_of(row, task.folds);
    // Gaps among one label are regressed together.
    let mut labels: Vec<Option<bool>> = task.within.to_vec();
    labels.sort_unstable();
    labels.dedup();
    let mut found: Vec<Option<CrossFit>> = task.within.iter().map(|_| None).collect();
    for label in labels {
        let counts = |row: usize| label.is_none_or(|label| task.labels[row] == label);
        let regression = Regression {
            features: task.features,
            extra: &margin,
            weights: task.weights,
            counts: &counts,
            fold_of: &fold,
            folds: task.folds,
        };
        let among: Vec<usize> = (0..found.len()).filter(|gap| task.within[*gap] == label).collect();
        let values: Vec<&[f64]> = among.iter().map(|gap| task.constraints[*gap].as_slice()).collect();
        among.iter().zip(regression.fit(&values)).for_each(|(gap, fit)| found[*gap] = Some(fit));
    }
    let mut predicted = Predicted { weights: Vec::new(), tilts: Vec::new(), explained: Vec::new() };
    for (fit, label) in found.into_iter().flatten().zip(task.within) {
        let tilt = |weight: &Linear| Tilt { multiplier: 0.0, label: *label, weight: weight.clone() };
        let of_fold: Vec<Tilt> = fit.of_fold.iter().map(tilt).collect();
        let at = |row: usize| of_fold[fold(row)].weight_at(task.features.row(row), task.eta[row]);
        predicted.weights.push((0..task.features.rows()).into_par_iter().map(at).collect());
        predicted.tilts.push(tilt(&fit.mean));
        predicted.explained.push(fit.explained);
    }
    predicted
}

/// Multipliers, and how the search for them ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Solved {
    pub multipliers: Vec<f64>,
    /// The cut of `η`, moved as it is.
    pub cut: f64,
    /// The share of the fitted rows above it.
    pub share: f64,
    /// The gaps of the hard decisions on the fitted rows.
    pub gaps: Vec<f64>,
    pub stopped: String,
}

/// Finds the multipliers with which the gaps of hard decisions are `targets`.
pub(crate) fn solve(task: &Task, aim: Aim, predicted: &[Vec<f64>], targets: &[f64]) -> Solved {
    match targets {
        [] => as_it_is(task, aim, predicted, Vec::new()),
        [target] => {
            let found = bisect(|multiplier| decide(task, aim, predicted, &[multiplier]).gaps[0], *target);
            Solved { stopped: found.1.into(), ..as_it_is(task, aim, predicted, vec![found.0]) }
        }
        _ => dual(task, aim, predicted, targets),
    }
}

/// The gaps with given multipliers.
pub(crate) fn as_it_is(task: &Task, aim: Aim, predicted: &[Vec<f64>], multipliers: Vec<f64>) -> Solved {
    let Decided { place, share, gaps, .. } = decide(task, aim, predicted, &multipliers);
    Solved { multipliers, cut: place / 2.0, share, gaps, stopped: "nothing to solve".into() }
}

const CHUNK: usize = 8192;

/// What hard decisions come to.
struct Decided {
    /// Twice the cut.
    place: f64,
    /// `mean f`.
    share: f64,
    /// `mean V_j·f`.
    gaps: Vec<f64>,
    /// `mean (2η − 2t)·f`, `2t` being 0 where it is the share that is aimed at.
    right: f64,
}

/// Hard decisions with these multipliers.
fn decide(task: &Task, aim: Aim, predicted: &[Vec<f64>], multipliers: &[f64]) -> Decided {
    let rows = task.eta.len();
    let left = |row: usize| {
        let moved: f64 = predicted.iter().zip(multipliers).map(|(weights, l)| l * weights[row]).sum();
        2.0 * task.eta[row] - moved
    };
    let left: Vec<f64> = (0..rows).into_par_iter().with_min_len(CHUNK).map(left).collect();
    let (place, base, gaps) = (task.place(aim, &left), base(aim), task.constraints.len());
    let part = |start: usize| {
        let mut sums = vec![0.0; gaps + 3];
        for row in start..(start + CHUNK).min(rows) {
            let weight = task.weights[row];
            sums[gaps] += weight;
            if left[row] > place {
                sums.iter_mut().zip(task.constraints).for_each(|(sum, v)| *sum += weight * v[row]);
                sums[gaps + 1] += weight * (2.0 * task.eta[row] - base);
                sums[gaps + 2] += weight;
            }
        }
        sums
    };
    let starts: Vec<usize> = (0..rows).step_by(CHUNK).collect();
    let parts: Vec<Vec<f64>> = starts.par_iter().map(|start| part(*start)).collect();
    let mut sums = vec![0.0; gaps + 3];
    parts.iter().for_each(|part| sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part));
    let (total, right, above) = (sums[gaps], sums[gaps + 1], sums[gaps + 2]);
    sums.truncate(gaps);
    let gaps = sums.iter().map(|sum| sum / total).collect();
    Decided { place, share: above / total, gaps, right: right / total }
}

/// Twice the cut where it is known; a share has it among the multipliers.
fn base(aim: Aim) -> f64 {
    match aim {
        Aim::Chance(chance) => 2.0 * chance,
        Aim::Share(_) => 0.0,
    }
}

/// Doublings of the multiplier before it is given up.
const DOUBLINGS: usize = 40;
const HALVINGS: usize = 60;

/// The signed multiplier with which a gap that falls with it is nearest to the target, and how it was found.
fn bisect(gap: impl Fn(f64) -> f64, target: f64) -> (f64, &'static str) {
    let start = gap(0.0);
    let mut best = (0.0, start);
    let mut look = |multiplier: f64| {
        let found = gap(multiplier);
        if (found - target).abs() < (best.1 - target).abs() {
            best = (multiplier, found);
        }
        found
    };
    let sign = if start > target { 1.0 } else { -1.0 };
    // Above zero as long as more is needed in this direction.
    let lacking = |found: f64| sign * (found - target);
    let (mut low, mut high) = (0.0, 0.01);
    let mut crossed = start == target;
    for _ in 0..DOUBLINGS {
        if crossed {
            break;
        }
        if lacking(look(sign * high)) <= 0.0 {
            crossed = true;
        } else {
            (low, high) = (high, 2.0 * high);
        }
    }
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        if lacking(look(sign * middle)) > 0.0 { low = middle } else { high = middle }
    }
    let stopped = if crossed {
        "the multiplier was found by bisection"
    } else {
        "no multiplier reaches the target: the features say too little about the guesses"
    };
    (best.0, stopped)
}

/// Widths of the smoothed step, one after the other.
const SMOOTHING: [f64; 6] = [0.3, 0.1, 0.03, 0.01, 0.005, 0.003];
const SHIFTS: usize = 12;
/// Of the dual; shifts make up for what it keeps back.
const RIDGE: f64 = 1e-4;

/// What one round of the dual gave.
struct Round {
    /// Multipliers, and last twice the cut where a share is aimed at.
    at: DVector<f64>,
    decided: Decided,
    missed: f64,
}

/// Several multipliers at once. Of rounds that miss the targets about as little, within a part of what chance moves the gaps by,
/// the most accurate is kept.
fn dual(task: &Task, aim: Aim, predicted: &[Vec<f64>], targets: &[f64]) -> Solved {
    let size = targets.len();
    let total: f64 = task.weights.iter().sum();
    let look = |at: &DVector<f64>| {
        let decided = decide(task, aim, predicted, &at.as_slice()[..size]);
        let missed = decided.gaps.iter().zip(targets).map(|(gap, t)| (gap - t).abs()).fold(0.0, f64::max);
        Round { at: at.clone(), decided, missed }
    };
    let share = match aim {
        Aim::Chance(_) => None,
        Aim::Share(share) => Some(share),
    };
    let mut wanted = DVector::from_iterator(size + share.iter().len(), targets.iter().copied().chain(share));
    let mut at = DVector::zeros(wanted.len());
    if share.is_some() {
        at[size] = decide(task, aim, predicted, &vec![0.0; size]).place;
    }
    SMOOTHING.iter().for_each(|width| newton(task, aim, predicted, &wanted, *width, &mut at));
    let sane = 5.0 * at.amax().max(1.0);
    let mut rounds = vec![look(&at)];
    let mut damping = 1.0;
    for _ in 1..SHIFTS {
        let last = &rounds[rounds.len() - 1];
        if last.missed < 1e-4 {
            break;
        }
        // What the hard decisions miss is asked for on top.
        let mut asked = wanted.clone();
        for (asked, (gap, target)) in asked.iter_mut().zip(last.decided.gaps.iter().zip(targets)) {
            *asked -= damping * (gap - target);
        }
        let mut next = last.at.clone();
        newton(task, aim, predicted, &asked, SMOOTHING[SMOOTHING.len() - 1], &mut next);
        let round = look(&next);
        // More than can be had, or a step too far: less of it, from where we were.
        if next.amax() > sane || round.missed > 1.5 * last.missed {
            damping /= 2.0;
            continue;
        }
        wanted = asked;
        rounds.push(round);
    }
    let spread =
        |v: &Vec<f64>| v.iter().zip(task.weights).map(|(v, w)| (v * w).powi(2)).sum::<f64>().sqrt() / total;
    let chance = task.constraints.iter().map(spread).fold(0.0, f64::max);
    let least = rounds.iter().map(|round| round.missed).fold(f64::INFINITY, f64::min);
    let tried = rounds.len();
    let near = rounds.into_iter().filter(|round| round.missed <= least + 0.2 * chance);
    let best = near.max_by(|a, b| a.decided.right.total_cmp(&b.decided.right));
    let stopped = format!("the multipliers were found by the smoothed dual; {tried} targets tried");
    match best {
        Some(best) => Solved {
            multipliers: best.at.as_slice()[..size].to_vec(),
            cut: best.decided.place / 2.0,
            share: best.decided.share,
            gaps: best.decided.gaps,
            stopped,
        },
        None => as_it_is(task, aim, predicted, vec![0.0; size]),
    }
}

/// Value, slope and curvature of the smoothed dual.
fn smoothed(
    task: &Task,
    aim: Aim,
    predicted: &[Vec<f64>],
    wanted: &DVector<f64>,
    width: f64,
    at: &DVector<f64>,
) -> (f64, DVector<f64>, DMatrix<f64>) {
    let (rows, size, base) = (task.eta.len(), at.len(), base(aim));
    let part = |start: usize| {
        let mut value = 0.0;
        let (mut slope, mut curve) = (DVector::zeros(size), DMatrix::zeros(size, size));
        let mut total = 0.0;
        for row in start..(start + CHUNK).min(rows) {
            let weight = task.weights[row];
            let w = DVector::from_iterator(
                size,
                predicted.iter().map(|weights| weights[row]).chain([1.0]).take(size),
            );
            let z = (2.0 * task.eta[row] - base - at.dot(&w)) / width;
            let chance = if z > 0.0 { 1.0 / (1.0 + (-z).exp()) } else { z.exp() / (1.0 + z.exp()) };
            value += weight * width * (z.max(0.0) + (-z.abs()).exp().ln_1p());
            slope.axpy(-weight * chance, &w, 1.0);
            curve.ger(weight * chance * (1.0 - chance) / width, &w, &w, 1.0);
            total += weight;
        }
        (value, slope, curve, total)
    };
    let starts: Vec<usize> = (0..rows).step_by(CHUNK).collect();
    let parts: Vec<_> = starts.par_iter().map(|start| part(*start)).collect();
    let (mut value, mut total) = (0.0, 0.0);
    let (mut slope, mut curve) = (DVector::zeros(size), DMatrix::zeros(size, size));
    for (v, s, c, t) in parts {
        value += v;
        slope += s;
        curve += c;
        total += t;
    }
    let ridge = DMatrix::from_diagonal_element(size, size, RIDGE);
    let value = value / total + at.dot(wanted) + RIDGE / 2.0 * at.norm_squared();
    (value, slope / total + wanted + RIDGE * at, curve / total + ridge)
}

/// Damped Newton steps to the minimum of the smoothed dual.
fn newton(
    task: &Task,
    aim: Aim,
    predicted: &[Vec<f64>],
    wanted: &DVector<f64>,
    width: f64,
    at: &mut DVector<f64>,
) {
    for _ in 0..40 {
        let (value, slope, mut curve) = smoothed(task, aim, predicted, wanted, width, at);
        if slope.amax() < 1e-6 {
            return;
        }
        let scale = curve.diagonal().max().max(1e-12);
        (0..at.len()).for_each(|j| curve[(j, j)] += 1e-6 * scale);
        let Some(step) = curve.cholesky().map(|factor| factor.solve(&slope)) else { return };
        let falls = slope.dot(&step);
        let mut length = 1.0;
        loop {
            let next = &*at - length * &step;
            if smoothed(task, aim, predicted, wanted, width, &next).0 <= value - 1e-4 * length * falls {
                *at = next;
                break;
            }
            length /= 2.0;
            if length < 1e-6 {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows with two gaps, made by a small generator (Knuth's MMIX).
    struct Made {
        features: Design,
        eta: Vec<f64>,
        labels: Vec<bool>,
        weights: Vec<f64>,
        constraints: Vec<Vec<f64>>,
    }

    fn made(rows: usize) -> Made {
        let mut state = 7u64;
        let mut uniform = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let (mut eta, mut labels, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        let mut constraints = vec![Vec::new(); 2];
        let mut values = Vec::new();
        for _ in 0..rows {
            let mut side = || if uniform() < 0.5 { 1.0 } else { -1.0 };
            let sides = [side(), side()];
            let x = [uniform() + 0.4 * sides[0], uniform() + 0.4 * sides[1]];
            let chance = (0.1 + 0.4 * x[0] + 0.3 * x[1] + 0.2 * uniform()).clamp(0.02, 0.98);
            values.extend(x.map(|x| x as f32));
            eta.push(chance);
            labels.push(uniform() < chance);
            weights.push(0.5 + uniform());
            constraints.iter_mut().zip(sides).for_each(|(values, side)| values.push(2.0 * side));
        }
        Made { features: Design::new(rows, 2, values), eta, labels, weights, constraints }
    }

    impl Made {
        fn task(&self, gaps: usize) -> Task<'_> {
            Task {
                features: &self.features,
                eta: &self.eta,
                labels: &self.labels,
                weights: &self.weights,
                constraints: &self.constraints[..gaps],
                within: &[None, None][..gaps],
                folds: 5,
            }
        }
    }

    #[test]
    fn the_smoothed_dual_is_certified_by_the_primal_it_bounds() {
        // No decisions with the same gaps are more accurate than mean (2η − 1 − λ·ŵ)₊ + λ·gaps, for any λ. Decisions that come
        // within s·ln 2 of it are therefore optimal to that much, by any solver.
        let made = made(4_000);
        let task = made.task(2);
        let predicted = predict(&task).weights;
        let wanted = DVector::from_column_slice(&[0.02, -0.01]);
        let mut at = DVector::zeros(2);
        SMOOTHING
            .iter()
            .for_each(|width| newton(&task, Aim::default(), &predicted, &wanted, *width, &mut at));
        let width = SMOOTHING[SMOOTHING.len() - 1];
        let total: f64 = made.weights.iter().sum();
        let (mut dual, mut primal, mut gaps) = (0.0, 0.0, [0.0; 2]);
        for row in 0..made.eta.len() {
            let weight = made.weights[row] / total;
            let margin = 2.0 * made.eta[row] - 1.0;
            let left = margin - at[0] * predicted[0][row] - at[1] * predicted[1][row];
            let share = 1.0 / (1.0 + (-left / width).exp());
            dual += weight * left.max(0.0);
            primal += weight * margin * share;
            gaps.iter_mut().zip(&predicted).for_each(|(gap, w)| *gap += weight * w[row] * share);
        }
        dual += at[0] * gaps[0] + at[1] * gaps[1];
        // The ridge keeps back 1e-4 of multipliers below 1.
        assert!((gaps[0] - 0.02).abs() < 2e-4 && (gaps[1] + 0.01).abs() < 2e-4, "{gaps:?}");
        assert!(at.amax() > 0.05, "nothing to solve: {at}");
        assert!(primal <= dual && dual - primal < width * 2f64.ln(), "{primal} {dual}");
    }

    #[test]
    fn gaps_that_cannot_be_had_leave_multipliers_finite() {
        let made = made(2_000);
        let task = made.task(2);
        let predicted = predict(&task).weights;
        let solved = solve(&task, Aim::default(), &predicted, &[5.0, 5.0]);
        assert!(solved.multipliers.iter().all(|l| l.abs() < 1e6), "{solved:?}");
    }

    #[test]
    fn hard_decisions_meet_one_gap_by_bisection_and_several_by_the_dual() {
        let made = made(20_000);
        let one = made.task(1);
        let predicted = predict(&one).weights;
        let solved = solve(&one, Aim::default(), &predicted, &[0.0]);
        // One row of 20,000 moves the gap by 2·1.5/20,000 at most.
        assert!(solved.gaps[0].abs() < 3e-4, "{solved:?}");
        let two = made.task(2);
        let predicted = predict(&two).weights;
        let solved = solve(&two, Aim::default(), &predicted, &[0.05, 0.0]);
        assert!((solved.gaps[0] - 0.05).abs() < 0.005 && solved.gaps[1].abs() < 0.005, "{solved:?}");
    }

    #[test]
    fn every_row_is_predicted_by_a_model_that_has_not_seen_it() {
        // Values that nothing explains: a model that saw its own row would seem to explain some.
        let mut made = made(300);
        let noise = |row: usize| if (row * 7919) % 13 < 6 { 1.0 } else { -1.0 };
        made.constraints[0] = (0..300).map(noise).collect();
        let task = made.task(1);
        let found = predict(&task);
        assert!(found.explained[0] < 0.02, "{:?}", found.explained);
        let own = task.constraints[0].iter().zip(&found.weights[0]);
        let together: f64 = own.map(|(v, w)| v * w).sum::<f64>() / 300.0;
        assert!(together < 0.02, "{together}");
    }

    #[test]
    fn a_share_is_kept_while_gaps_are_closed_and_no_decisions_with_both_are_more_accurate() {
        let made = made(20_000);
        let total: f64 = made.weights.iter().sum();
        for (gaps, targets) in [(1, &[0.0][..]), (2, &[0.05, 0.0])] {
            let task = made.task(gaps);
            let predicted = predict(&task).weights;
            for share in [0.2, 0.6] {
                let aim = Aim::Share(share);
                let free = as_it_is(&task, aim, &predicted, vec![0.0; gaps]);
                let solved = solve(&task, aim, &predicted, targets);
                assert!(free.gaps[0].abs() > 0.15, "nothing to close: {free:?}");
                let off = solved.gaps.iter().zip(targets).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(off < if gaps == 1 { 3e-4 } else { 0.005 }, "{share} {solved:?}");
                // Any decisions f with this share and these gaps by ŵ have mean 2η·f ≤ mean (2η − 2t − λ·ŵ)₊ + λ·gaps + 2t·p.
                let (mut dual, mut primal, mut above) = (0.0, 0.0, 0.0);
                let mut by_weight = vec![0.0; gaps];
                for row in 0..made.eta.len() {
                    let weight = made.weights[row] / total;
                    let moved: f64 = solved.multipliers.iter().zip(&predicted).map(|(l, w)| l * w[row]).sum();
                    let left = 2.0 * made.eta[row] - moved - 2.0 * solved.cut;
                    dual += weight * left.max(0.0);
                    if left > 0.0 {
                        primal += weight * 2.0 * made.eta[row];
                        above += weight;
                        by_weight.iter_mut().zip(&predicted).for_each(|(gap, w)| *gap += weight * w[row]);
                    }
                }
                // One row of 20,000 is the share to half of 1.5/20,000.
                assert!((above - share).abs() < 1e-4, "{share}: {above}");
                dual += 2.0 * solved.cut * above;
                dual += solved.multipliers.iter().zip(&by_weight).map(|(l, gap)| l * gap).sum::<f64>();
                assert!((primal - dual).abs() < 1e-9, "{primal} {dual}");
            }
        }
    }
}
