//! The three ways to learn a rule, behind one question: which rule has these gaps?

use super::MitigateError;
use super::part::Part;
use crate::aim::{log_odds, place};
use crate::plug_in::{Predicted, Task, Tilt, as_it_is, solve};
use crate::rule::{Eta, Model, chance};
use crate::{Aim, Linear, LogisticSettings, MlpSettings, Problem, Stage, Step, Trained, logistic, mlp};
use rayon::prelude::*;

/// Columns under a hidden layer: every step moves a weight of each of them for each unit.
const MOST_HIDDEN: usize = 10_000;

/// A rule and how it was reached.
#[derive(Clone)]
pub(crate) struct Learned {
    pub model: Model,
    /// The chance above which it decides positive.
    pub cut: f64,
    /// The share of the fitted rows that it decides positive.
    pub share: f64,
    /// The gaps of its hard decisions on the fitted rows.
    pub gaps: Vec<f64>,
    pub multipliers: Vec<f64>,
    pub stopped: String,
}

/// What a rule is learned with.
pub(crate) enum Learner<'a> {
    PlugIn { task: Task<'a>, predicted: Predicted, eta: Eta },
    Logistic { part: &'a Part, constraints: &'a [Vec<f64>], start: Option<Linear> },
    Mlp { part: &'a Part, constraints: &'a [Vec<f64>], seed: u64 },
}

impl Learner<'_> {
    /// The rule whose hard decisions on the fitted rows have these gaps; without targets, the one that nothing holds back.
    pub fn learn(
        &self,
        targets: Option<&[f64]>,
        aim: Aim,
        progress: &(dyn Fn(String) + Sync),
    ) -> Result<Learned, MitigateError> {
        let told = |step: Step| progress(words(step));
        match self {
            Learner::PlugIn { task, predicted, eta } => {
                let free = vec![0.0; task.constraints.len()];
                let solved = match targets {
                    Some(targets) => solve(task, aim, &predicted.weights, targets),
                    None => as_it_is(task, aim, &predicted.weights, free),
                };
                let mut tilts = predicted.tilts.clone();
                tilts.iter_mut().zip(&solved.multipliers).for_each(|(tilt, l)| tilt.multiplier = *l);
                let (gaps, multipliers, stopped) = (solved.gaps, solved.multipliers, solved.stopped);
                let (cut, share) = match aim {
                    Aim::Chance(_) => (solved.cut, solved.share),
                    Aim::Share(share) => as_written(task, &tilts, share),
                };
                let model = Model::PlugIn { eta: eta.clone(), tilts };
                Ok(Learned { model, cut, share, gaps, multipliers, stopped })
            }
            Learner::Logistic { part, constraints, start } => {
                let problem = problem(part, constraints, targets, aim);
                let trained = logistic(&problem, &LogisticSettings::default(), start.as_ref(), &told)?;
                let logits = trained.model.logits(&part.features);
                Ok(finish(trained, aim, &logits, part, constraints, |model| Model::Logistic { model }))
            }
            Learner::Mlp { part, constraints, seed } => {
                let found = part.features.columns();
                if found > MOST_HIDDEN {
                    return Err(MitigateError::Columns { found, most: MOST_HIDDEN });
                }
                let problem = problem(part, constraints, targets, aim);
                let trained = mlp(&problem, &MlpSettings { seed: *seed, ..MlpSettings::default() }, &told)?;
                let logits = trained.model.logits(&part.features);
                Ok(finish(trained, aim, &logits, part, constraints, |model| Model::Mlp { model }))
            }
        }
    }
}

/// The cut with which the rule as it is written decides this share of its rows positive, and the share it does. The models of the folds
/// differ from their mean, the more the larger the multipliers, and so do the places that leave a share above them.
fn as_written(task: &Task, tilts: &[Tilt], share: f64) -> (f64, f64) {
    let left = |row: usize| {
        let features = task.features.row(row);
        let moved: f64 = tilts.iter().map(|t| t.multiplier * t.weight_at(features, task.eta[row])).sum();
        2.0 * task.eta[row] - moved
    };
    let left: Vec<f64> = (0..task.eta.len()).into_par_iter().map(left).collect();
    let at = place(&left, |row| task.weights[row], share);
    let above = left.iter().zip(task.weights).filter(|(left, _)| **left > at).map(|(_, weight)| weight);
    (at / 2.0, above.sum::<f64>() / task.weights.iter().sum::<f64>())
}

fn problem<'p>(
    part: &'p Part,
    constraints: &'p [Vec<f64>],
    targets: Option<&'p [f64]>,
    aim: Aim,
) -> Problem<'p> {
    Problem {
        features: &part.features,
        labels: &part.target,
        weights: Some(&part.weights),
        constraints: if targets.is_some() { constraints } else { &[] },
        targets: targets.unwrap_or_default(),
        aim,
    }
}

fn finish<M>(
    trained: Trained<M>,
    aim: Aim,
    logits: &[f64],
    part: &Part,
    constraints: &[Vec<f64>],
    model: impl Fn(M) -> Model,
) -> Learned {
    let total = part.total();
    let cut = match aim {
        Aim::Chance(chance) => chance,
        Aim::Share(_) => chance(trained.place),
    };
    // As the rule has it.
    let place = log_odds(cut);
    let gap = |values: &Vec<f64>| {
        let some = (0..logits.len()).filter(|row| logits[*row] > place);
        some.map(|row| part.weights[row] * values[row]).sum::<f64>() / total
    };
    Learned {
        model: model(trained.model),
        cut,
        share: part.share(|row| logits[row] > place),
        gaps: constraints.iter().map(gap).collect(),
        multipliers: if trained.multipliers.is_empty() {
            vec![0.0; constraints.len()]
        } else {
            trained.multipliers
        },
        stopped: trained.stopped.to_string(),
    }
}

fn words(step: Step) -> String {
    let what = match step.stage {
        Stage::Start => "a first solution on some of the rows",
        Stage::Learn | Stage::Constrain => "training",
        Stage::Shift => "moving decisions to the target",
    };
    format!("{what}: round {}, {:.4} from the target", step.round, step.residual)
}
