//! A model with one hidden layer and given gaps between groups.
//!
//! ```text
//! minibatch   θ ← Adam step along  ∇loss_batch + Σ λ_j·∇c_batch,j + ridge·θ
//! five times  λ ← μ + ρ·(c - t)       with c over all rows
//! an epoch    μ ← μ + ρ·(c - t)
//! then        the hidden layer stays, and the output layer is a logistic regression with given gaps
//! ```
//! The constraint enters by its multiplier, which is known from all rows; the square of a minibatch's gap would have
//! the variance of the minibatch in its mean and push scores together wherever proxies are weak. Minibatches leave the
//! gap of scores near its target and say nothing of decisions. With the hidden layer as it is the rest is
//! [`logistic()`], which meets the gap of decisions to its tolerance; that is the last stage, and what it says of soft and
//! hard gaps, multipliers and convergence is what is reported. The learning rate falls to nothing over the second half.
//!
//! Assumes what [`logistic()`] assumes. The loss is not convex: another seed ends elsewhere, and the same seed in the same
//! place, whatever the threads.

use crate::network::{Network, shuffle};
use crate::ordered::largest;
use crate::{LogisticSettings, Mlp, Problem, ProblemError, Stage, Step, Trained, logistic};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::SeedableRng;

/// How to learn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MlpSettings {
    /// Hidden units.
    pub hidden: usize,
    /// How often each row is seen.
    pub epochs: usize,
    /// The first learning rate of Adam.
    pub learning_rate: f64,
    /// The ρ of minibatches.
    pub rho: f64,
    /// Seed of the first weights and of the order of rows.
    pub seed: u64,
    /// The last stage; its ridge is that of all stages. It is larger than that of a linear model, because hidden units
    /// learn the chance in the guesses of these very rows: on simulated rows (20,000, proxies right 70 % of the time,
    /// 0 wanted, 30 epochs) a ridge of 1e-4 leaves a true gap of 0.057 on new rows with an accuracy of 0.660, 3e-3 one of 0.020
    /// with 0.649, 1e-2 one of 0.003 with 0.639.
    pub output: LogisticSettings,
}

impl Default for MlpSettings {
    fn default() -> Self {
        MlpSettings {
            hidden: 32,
            epochs: 20,
            learning_rate: 5e-3,
            rho: 2.0,
            seed: 0,
            output: LogisticSettings { ridge: 3e-3, ..LogisticSettings::default() },
        }
    }
}

/// About a hundred steps in an epoch, of no fewer and no more rows than these.
const BATCH: (usize, usize) = (32, 1024);
/// How often in an epoch the multipliers look at all rows.
const LOOKS: usize = 5;

/// Learns a model with one hidden layer; `progress` hears of every epoch and every round.
pub fn mlp(
    problem: &Problem<'_>,
    settings: &MlpSettings,
    progress: &(dyn Fn(Step) + Sync),
) -> Result<Trained<Mlp>, ProblemError> {
    problem.check()?;
    let mut random = Pcg64::seed_from_u64(settings.seed);
    let mut network =
        Network::random(problem.features.columns(), settings.hidden, log_odds(problem), &mut random);
    learn(&mut network, problem, settings, &mut random, progress);

    let mut model = network.model();
    let hidden = model.hidden_layer(problem.features);
    let last = Problem { features: &hidden, ..*problem };
    let told = |step: Step| progress(Step { round: settings.epochs + step.round, ..step });
    let output = logistic(&last, &settings.output, Some(&model.output), &told)?;
    model.output = output.model;
    Ok(Trained {
        model,
        place: output.place,
        soft: output.soft,
        hard: output.hard,
        multipliers: output.multipliers,
        residual: output.residual,
        loss: output.loss,
        stopped: output.stopped,
        rounds: settings.epochs + output.rounds,
        shifts: output.shifts,
        passes: settings.epochs * (1 + LOOKS) + output.passes,
    })
}

/// The log odds of a label, whatever the row; those of one row more of each, so that they are finite.
fn log_odds(problem: &Problem<'_>) -> f64 {
    let positive: f64 =
        (0..problem.labels.len()).filter(|row| problem.labels[*row]).map(|row| problem.weight(row)).sum();
    ((positive + 1.0) / (problem.total() - positive + 1.0)).ln()
}

fn learn(
    network: &mut Network,
    problem: &Problem<'_>,
    settings: &MlpSettings,
    random: &mut Pcg64,
    progress: &(dyn Fn(Step) + Sync),
) {
    let count = problem.features.rows();
    let batch = (count / 100).clamp(BATCH.0, BATCH.1).min(count);
    // What is left over at the end of an epoch is at the beginning of another, as the order changes.
    let steps = count / batch;
    let between = steps.div_ceil(LOOKS);
    let mut rows: Vec<usize> = (0..count).collect();
    let mut multipliers = vec![0.0; problem.targets.len()];
    let mut lambda = multipliers.clone();
    let mut adam = Adam::new(network.values.len());
    let mut place = 0.0;
    for epoch in 0..settings.epochs {
        shuffle(&mut rows, random);
        for (step, batch) in rows.chunks_exact(batch).enumerate() {
            if step % between == 0 {
                place = network.place(problem);
                let gaps = off(network, problem, place);
                for ((lambda, multiplier), gap) in lambda.iter_mut().zip(&multipliers).zip(&gaps) {
                    *lambda = multiplier + settings.rho * gap;
                }
            }
            let gradient = network.gradient(problem, batch, (&lambda, place), settings.output.ridge);
            let done = (epoch * steps + step) as f64 / (settings.epochs * steps) as f64;
            adam.step(&mut network.values, &gradient, settings.learning_rate * (2.0 - 2.0 * done).min(1.0));
        }
        let gaps = off(network, problem, place);
        for (multiplier, gap) in multipliers.iter_mut().zip(&gaps) {
            *multiplier += settings.rho * gap;
        }
        let residual = largest(&gaps);
        progress(Step { stage: Stage::Learn, round: epoch + 1, residual });
    }
}

/// For each constraint how far the scores' gap is from what is wanted; no pass where there is none.
fn off(network: &Network, problem: &Problem<'_>, place: f64) -> Vec<f64> {
    if problem.constraints.is_empty() {
        return Vec::new();
    }
    let (_, soft) = network.look(problem, place);
    soft.iter().zip(problem.targets).map(|(soft, target)| soft - target).collect()
}

/// Adam (Kingma and Ba, 2015), with their constants.
struct Adam {
    first: Vec<f64>,
    second: Vec<f64>,
    steps: i32,
}

impl Adam {
    fn new(size: usize) -> Self {
        Adam { first: vec![0.0; size], second: vec![0.0; size], steps: 0 }
    }

    fn step(&mut self, values: &mut [f64], gradient: &[f64], rate: f64) {
        self.steps = self.steps.saturating_add(1);
        let (first, second) = (1.0 - 0.9f64.powi(self.steps), 1.0 - 0.999f64.powi(self.steps));
        let moments = self.first.iter_mut().zip(&mut self.second);
        for ((value, gradient), (m, v)) in values.iter_mut().zip(gradient).zip(moments) {
            *m = 0.9 * *m + 0.1 * gradient;
            *v = 0.999 * *v + 0.001 * gradient * gradient;
            *value -= rate * (*m / first) / ((*v / second).sqrt() + 1e-8);
        }
    }
}
