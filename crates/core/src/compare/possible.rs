//! What else a model's table may mean: every explanation that it does not rule out, with growing parts of the proxies' agreement
//! taken for shared error.
//!
//! How far rows drawn anew move such an explanation is told by its likelihood, to first order:
//! ```text
//! e = Σ_c φ(c)·(q*(c) − q(c))        q, q*: shares of the rows, seen and drawn     φ(c): what a row in c moves
//! ```
//! Copying is undone by a linear map ([`without_copying`]), so that with `ρ` of it a row in `c` moves
//! ```text
//! φ(c) = [φ′(c) − ρ · mean over its guesses g of φ′(all say g)] / (1 − ρ)
//! ```

use super::chance::Moved;
use super::redrawn::rates;
use crate::advise::ReliedOn;
use crate::answers::{Answers, Explanation};
use crate::counts::{Cell, Frequencies};
use crate::estimate::{Errors, Hoc, NoiseEstimator, Place};
use crate::rates::{Joint, Shares};
use crate::record::ErrorModel;
use crate::settings::{EstimatorChoice, Settings};
use crate::uncertainty::attach::{PARTS, reachable};
use crate::uncertainty::independent::Independent;
use crate::uncertainty::without_copying;
use crate::vocabulary::{Class, Criterion, Estimator, Group, Scope, Stratum};
use nalgebra::DMatrix;

/// What one model's table says of a criterion under one explanation and one part of shared error.
pub(super) struct Possible {
    pub criterion: Criterion,
    pub means: Means,
    /// Which part of shared error, from none on.
    pub step: usize,
    groups: usize,
    estimate: Vec<f64>,
    /// Rate by draw.
    moved: DMatrix<f64>,
}

/// What is assumed about the proxies, which two models share. Strata are each model's own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Means {
    estimator: Option<Estimator>,
    assumption: Option<ErrorModel>,
    /// It is what the model's audit relies on.
    pub relied_on: bool,
}

impl Means {
    /// Whether two models are explained alike, or each as its own audit does.
    pub fn goes_with(self, other: Means) -> bool {
        (self.estimator, self.assumption) == (other.estimator, other.assumption)
            || self.relied_on && other.relied_on
    }
}

impl Possible {
    pub fn as_moved(&self) -> Moved<'_> {
        let by_draw = self.moved.as_slice().chunks(self.estimate.len().max(1)).map(Some).collect();
        Moved { groups: self.groups, estimate: &self.estimate, by_draw }
    }
}

/// Probabilities of copying, from none to all of the shared error asked for that every one of these tables allows.
pub(super) fn copying(tables: &[&Answers], shared_error: f64) -> Vec<f64> {
    let first = tables.first().filter(|answers| answers.seen.told.is_nothing());
    let agreement = first.map_or(0.0, |answers| answers.agreement_in_doubt());
    let most = |answers: &&Answers| reachable(&answers.seen, agreement, shared_error);
    let reached = tables.iter().map(most).fold(shared_error, f64::min);
    let parts = if agreement * reached > 0.0 { &PARTS[..] } else { &[] };
    std::iter::once(0.0).chain(parts.iter().map(|part| part * agreement * reached)).collect()
}

/// What is asked of one model's table.
pub(super) struct Asked<'a> {
    pub criteria: &'a [Criterion],
    pub positive: Class,
    pub settings: &'a Settings,
    /// Probabilities of copying, step by step.
    pub copying: &'a [f64],
    /// How far each draw is from the table, cell by cell.
    pub off: &'a DMatrix<f64>,
}

/// Everything that a table may mean.
pub(super) fn possible(answers: &Answers, relied_on: &ReliedOn, asked: &Asked) -> Vec<Possible> {
    let plausible: Vec<&Explanation> = match asked.settings.estimator {
        EstimatorChoice::Auto => answers.plausible(asked.settings.shared_error).collect(),
        EstimatorChoice::Fixed(_) => Vec::new(),
    };
    let is_relied_on = |one: &&Explanation| one.origin == relied_on.origin;
    let chosen = answers.explanations.iter().filter(is_relied_on);
    let others = plausible.into_iter().filter(|one| !is_relied_on(one));
    let undone: Vec<Option<Frequencies>> =
        asked.copying.iter().map(|part| without_copying(&answers.seen, *part)).collect();
    let mut found = Vec::new();
    for explanation in chosen.chain(others) {
        let means = Means {
            estimator: explanation.origin.estimator,
            assumption: explanation.origin.assumption,
            relied_on: explanation.origin == relied_on.origin,
        };
        for (step, tangent) in tangents(answers, explanation, asked.copying, &undone).into_iter().enumerate()
        {
            found.extend(
                asked.criteria.iter().filter(|criterion| criterion.view() == answers.view).filter_map(
                    |criterion| {
                        let (estimate, slopes) = tangent.rates(*criterion, asked.positive)?;
                        let moved = slopes * asked.off;
                        let groups = tangent.joint.members();
                        Some(Possible { criterion: *criterion, means, step, groups, estimate, moved })
                    },
                ),
            );
        }
    }
    found
}

/// An explanation, and how far one more row in each cell of the table would move it.
struct Tangent {
    joint: Joint<Group>,
    strata: Vec<Stratum>,
    /// Group by stratum.
    by_cell: Vec<DMatrix<f64>>,
}

/// An explanation with growing parts of shared error undone, as far as it goes.
fn tangents(
    answers: &Answers,
    explanation: &Explanation,
    copying: &[f64],
    undone: &[Option<Frequencies>],
) -> Vec<Tangent> {
    let by_moments = explanation.estimator.in_likelihood() == Some(Place::Beside);
    let of_alike = |one: &&Explanation| {
        one.estimator.errors() == Some(Errors::Alike) && one.origin.scope == Some(Scope::Global)
    };
    // An estimate by moments moves as the likelihood of the same assumptions does.
    let likely = if by_moments { answers.explanations.iter().find(of_alike) } else { Some(explanation) };
    let Some(first) = likely.and_then(|one| one.independent.as_ref()) else { return Vec::new() };
    let beside = |seen: &Frequencies| {
        by_moments.then(|| Hoc { scope: Scope::Global }.explain(seen, answers.view).ok()).flatten()
    };
    let mut tangents: Vec<Tangent> = Vec::new();
    let mut last: Option<Independent> = None;
    for (step, (part, seen)) in copying.iter().zip(undone).enumerate() {
        let Some(seen) = seen else { break };
        if step > 0 {
            let Some(next) = last.as_ref().unwrap_or(first).again(seen, answers.rows) else { break };
            last = Some(next);
        }
        let Some(mut tangent) = Tangent::of(last.as_ref().unwrap_or(first), answers, *part) else { break };
        if by_moments {
            let at_first = || explanation.joint.as_ref().ok().cloned();
            let joint = if step == 0 { at_first() } else { beside(seen).map(|explained| explained.joint) };
            let Some(joint) = joint else { break };
            tangent.joint = joint;
        }
        tangents.push(tangent);
    }
    tangents
}

impl Tangent {
    fn of(independent: &Independent, answers: &Answers, copying: f64) -> Option<Self> {
        let cells: Vec<Cell> = answers.seen.cells().iter().map(|(cell, _)| cell.clone()).collect();
        let joint = independent.joint(answers.view, answers.seen.classes());
        let (strata, plain) = independent.moved(&cells)?;
        if copying == 0.0 {
            return Some(Tangent { joint, strata, by_cell: plain });
        }
        let said = |cell: &Cell| cell.guesses.iter().flatten().count();
        let unanimous = |cell: &Cell| -> Vec<Cell> {
            let all_say = |guess| cell.guesses.iter().map(|own| own.map(|_| guess)).collect();
            let guesses = cell.guesses.iter().flatten();
            guesses.map(|guess| Cell { guesses: all_say(*guess), ..cell.clone() }).collect()
        };
        let shared: Vec<Cell> = cells.iter().flat_map(unanimous).collect();
        let (_, by_shared) = independent.moved(&shared)?;
        let mut rest = by_shared.as_slice();
        let mut by_cell = Vec::with_capacity(cells.len());
        for (cell, own) in cells.iter().zip(plain) {
            let (mine, others) = rest.split_at(said(cell));
            rest = others;
            by_cell.push(match mine {
                [] => own,
                _ => {
                    let share = copying / mine.len() as f64;
                    mine.iter().fold(own, |sum, moved| sum - moved * share) / (1.0 - copying)
                }
            });
        }
        Some(Tangent { joint, strata, by_cell })
    }

    /// The rates that a criterion looks at, and what a row in each cell moves of them: rate by cell.
    fn rates(&self, criterion: Criterion, positive: Class) -> Option<(Vec<f64>, DMatrix<f64>)> {
        const STEP: f64 = 1e-5;
        let estimate = rates(&self.joint, criterion, positive)?;
        let mut slopes = DMatrix::zeros(estimate.len(), self.by_cell.len());
        for (moved, mut slope) in self.by_cell.iter().zip(slopes.column_iter_mut()) {
            let [up, down] = [STEP, -STEP].map(|step| rates(&self.at(moved, step), criterion, positive));
            let (up, down) = (up?, down?);
            let along = up.iter().zip(down).map(|(up, down)| (up - down) / (2.0 * STEP));
            slope.iter_mut().zip(along).for_each(|(slope, along)| *slope = along);
        }
        Some((estimate, slopes))
    }

    fn at(&self, moved: &DMatrix<f64>, step: f64) -> Joint<Group> {
        let share = |s: usize, a: usize| {
            let Stratum { label, prediction } = self.strata[s];
            self.joint.cell(Group(a), label, prediction).unwrap_or(0.0) + step * moved[(a, s)]
        };
        let members = self.joint.members();
        let cells = self.strata.iter().enumerate().map(|(s, stratum)| {
            (*stratum, Some(Shares::new((0..members).map(|a| share(s, a)).collect::<Vec<_>>())))
        });
        Joint::new(self.joint.view(), self.joint.classes(), members, cells)
    }
}
