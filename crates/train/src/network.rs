//! One hidden layer: the model, and the gradient of its loss and gaps.
//!
//! ```text
//! h = max(0, W·x + b),   z = u₀ + u·h,   p = 1 / (1 + e^-z)
//! ∂/∂z of  loss + Σ λ_j·c_j   =  w·((p - y) + Σ λ_j·V_j·q·(1 - q))      and backwards through u, h > 0 and W
//! ```
//! with `q = 1 / (1 + e^-(z - c))` around the cut `c`. A hidden unit is 0 or linear. Beyond the values it was fitted on such a model goes on in straight lines, as a linear
//! one does, where a tanh would level off; and it costs a comparison where a tanh costs an exponential.

use crate::ordered::{add_times, dot, sum};
use crate::{Aim, Design, DesignRow, Linear, Problem};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Rows of a minibatch whose gradient one thread makes at a time.
const CHUNK: usize = 64;

/// A model of the log odds with one hidden layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Mlp {
    /// `Wᵀ`: for each encoded feature what it adds to each hidden unit.
    pub weights: Vec<Vec<f64>>,
    /// `b`: each hidden unit where all features are 0.
    pub biases: Vec<f64>,
    /// `u`: what hidden units add to the log odds.
    pub output: Linear,
}

/// A model as a file has it, not yet checked.
#[derive(Deserialize)]
struct Stored {
    weights: Vec<Vec<f64>>,
    biases: Vec<f64>,
    output: Linear,
}

impl TryFrom<Stored> for Mlp {
    type Error = String;

    fn try_from(stored: Stored) -> Result<Self, String> {
        let Stored { weights, biases, output } = stored;
        let (units, out) = (biases.len(), output.coefficients.len());
        if let Some(found) = weights.iter().map(Vec::len).chain([out]).find(|found| *found != units) {
            return Err(format!(
                "a layer of {found} hidden units where {units} have a bias; learn the rule again"
            ));
        }
        Ok(Mlp { weights, biases, output })
    }
}

impl Mlp {
    /// Whether it is a model of so many encoded features, all of its numbers finite.
    pub(crate) fn fits(&self, columns: usize) -> bool {
        let units = self.biases.len();
        let finite = |values: &[f64]| values.len() == units && values.iter().all(|value| value.is_finite());
        self.weights.len() == columns
            && self.weights.iter().all(|weights| finite(weights))
            && finite(&self.biases)
            && finite(&self.output.coefficients)
            && self.output.intercept.is_finite()
    }

    /// How many numbers it takes of a row.
    pub fn columns(&self) -> usize {
        self.weights.len()
    }

    /// The log odds of one row; a decision is positive above 0.
    pub fn logit<'a>(&self, row: impl Into<DesignRow<'a>>) -> f64 {
        self.output.logit(self.hidden(row.into()).as_slice())
    }

    /// The log odds of all rows.
    pub fn logits(&self, features: &Design) -> Vec<f64> {
        self.output.logits(&self.hidden_layer(features))
    }

    /// The hidden units of one row, in single precision as all features are.
    fn hidden(&self, row: DesignRow<'_>) -> Vec<f32> {
        let mut units = self.biases.clone();
        row.each(|column, x| add_times(&mut units, x, &self.weights[column]));
        units.into_iter().map(|unit| unit.max(0.0) as f32).collect()
    }

    /// The hidden units of all rows: features of what is then a linear model.
    pub(crate) fn hidden_layer(&self, features: &Design) -> Design {
        let rows: Vec<Vec<f32>> = (0..features.rows())
            .into_par_iter()
            .with_min_len(1024)
            .map(|row| self.hidden(features.row(row)))
            .collect();
        Design::new(features.rows(), self.biases.len(), rows.concat())
    }
}

/// The parameters of a model in one line: `Wᵀ` by feature, then `b`, `u` and `u₀`.
#[derive(Debug, Clone)]
pub(crate) struct Network {
    pub columns: usize,
    pub units: usize,
    pub values: Vec<f64>,
}

impl Network {
    /// Random weights whose units neither vanish nor grow (He), and the log odds of the label as the intercept.
    pub fn random(columns: usize, units: usize, intercept: f64, random: &mut Pcg64) -> Self {
        let mut values = vec![0.0; columns * units + 2 * units + 1];
        let (weights, rest) = values.split_at_mut(columns * units);
        let scale = (2.0 / columns.max(1) as f64).sqrt();
        weights.iter_mut().for_each(|weight| *weight = scale * normal(random));
        let scale = (1.0 / units.max(1) as f64).sqrt();
        rest[units..2 * units].iter_mut().for_each(|weight| *weight = scale * normal(random));
        rest[2 * units] = intercept;
        Network { columns, units, values }
    }

    /// The model.
    pub fn model(&self) -> Mlp {
        let (weights, biases, output) = self.parts();
        let (output, intercept) = output.split_at(self.units);
        Mlp {
            weights: (0..self.columns)
                .map(|column| weights[column * self.units..][..self.units].to_vec())
                .collect(),
            biases: biases.to_vec(),
            output: Linear { intercept: intercept[0], coefficients: output.to_vec() },
        }
    }

    fn parts(&self) -> (&[f64], &[f64], &[f64]) {
        let (weights, rest) = self.values.split_at(self.columns * self.units);
        let (biases, output) = rest.split_at(self.units);
        (weights, biases, output)
    }

    /// The log odds of one row; `units` become its hidden units.
    fn forward(&self, row: DesignRow<'_>, units: &mut [f64]) -> f64 {
        let (weights, biases, output) = self.parts();
        units.copy_from_slice(biases);
        row.each(|column, x| add_times(units, x, &weights[column * self.units..][..self.units]));
        units.iter_mut().for_each(|unit| *unit = unit.max(0.0));
        dot(units, &output[..self.units]) + output[self.units]
    }

    /// The log odds above which decisions are positive; no pass where they are known, or nothing depends on them.
    pub fn place(&self, problem: &Problem<'_>) -> f64 {
        let logits = match problem.aim {
            Aim::Share(_) if !problem.constraints.is_empty() => self.model().logits(problem.features),
            Aim::Share(_) => return 0.0,
            Aim::Chance(_) => Vec::new(),
        };
        problem.aim.on_log_odds(&logits, |row| problem.weight(row))
    }

    /// The mean log loss and the gaps of scores over all rows.
    pub fn look(&self, problem: &Problem<'_>, place: f64) -> (f64, Vec<f64>) {
        let gaps = problem.constraints.len();
        let mut sums = sum(problem.features.rows(), 1024, 1 + gaps, |rows, out| {
            let mut units = vec![0.0; self.units];
            for row in rows {
                let (z, weight) = (self.forward(problem.features.row(row), &mut units), problem.weight(row));
                let e = (-z.abs()).exp();
                let q = 1.0 / (1.0 + (place - z).exp());
                let y = f64::from(u8::from(problem.labels[row]));
                out[0] += weight * ((1.0 + e).ln() + z.max(0.0) - y * z);
                for (sum, constraint) in out[1..].iter_mut().zip(problem.constraints) {
                    *sum += weight * constraint[row] * q;
                }
            }
        });
        let total = problem.total();
        sums.iter_mut().for_each(|sum| *sum /= total);
        let loss = sums.remove(0);
        (loss, sums)
    }

    /// The gradient of the mean of `loss + Σ λ_j·V_j·q` over these rows, of which each stands for as many as there are
    /// rows in all divided by these, plus that of `ridge/2·(‖W‖² + ‖u‖²)`.
    pub fn gradient(
        &self,
        problem: &Problem<'_>,
        rows: &[usize],
        (lambda, place): (&[f64], f64),
        ridge: f64,
    ) -> Vec<f64> {
        let (units, inner) = (self.units, self.columns * self.units);
        let scale = problem.features.rows() as f64 / problem.total() / rows.len() as f64;
        let mut gradient = sum(rows.len(), CHUNK, self.values.len(), |range, out| {
            let (mut hidden, mut back) = (vec![0.0; units], vec![0.0; units]);
            for &row in &rows[range] {
                let x = problem.features.row(row);
                let z = self.forward(x, &mut hidden);
                let (p, q) = (1.0 / (1.0 + (-z).exp()), 1.0 / (1.0 + (place - z).exp()));
                let price: f64 =
                    lambda.iter().zip(problem.constraints).map(|(l, constraint)| l * constraint[row]).sum();
                let y = f64::from(u8::from(problem.labels[row]));
                let factor = scale * problem.weight(row) * ((p - y) + price * q * (1.0 - q));
                let (weights, rest) = out.split_at_mut(inner);
                let (biases, output) = rest.split_at_mut(units);
                add_times(&mut output[..units], factor, &hidden);
                output[units] += factor;
                for ((back, hidden), u) in back.iter_mut().zip(&hidden).zip(&self.values[inner + units..]) {
                    *back = if *hidden > 0.0 { factor * u } else { 0.0 };
                }
                add_times(biases, 1.0, &back);
                x.each(|column, x| add_times(&mut weights[column * units..][..units], x, &back));
            }
        });
        add_times(&mut gradient[..inner], ridge, &self.values[..inner]);
        let output = inner + units..inner + 2 * units;
        add_times(&mut gradient[output.clone()], ridge, &self.values[output]);
        gradient
    }
}

/// Between 0 and 1, never 1.
fn uniform(random: &mut Pcg64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// A normal number (Box and Muller).
fn normal(random: &mut Pcg64) -> f64 {
    let radius = (-2.0 * (1.0 - uniform(random)).ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform(random)).cos()
}

/// Puts rows in a random order (Fisher and Yates).
pub(crate) fn shuffle(rows: &mut [usize], random: &mut Pcg64) {
    for last in (1..rows.len()).rev() {
        rows.swap(last, (uniform(random) * (last + 1) as f64) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_pcg::rand_core::SeedableRng;

    #[test]
    fn the_gradient_is_the_difference_of_loss_gaps_and_ridge() {
        let mut random = Pcg64::seed_from_u64(1);
        let features = Design::new(150, 4, (0..600).map(|_| normal(&mut random) as f32).collect());
        let labels: Vec<bool> = (0..150).map(|_| uniform(&mut random) < 0.4).collect();
        let weights: Vec<f64> = (0..150).map(|_| uniform(&mut random)).collect();
        let constraints: Vec<Vec<f64>> =
            (0..2).map(|_| (0..150).map(|_| normal(&mut random)).collect()).collect();
        let rows: Vec<usize> = (0..150).collect();
        for weights in [None, Some(&weights[..])] {
            let problem = Problem {
                features: &features,
                labels: &labels,
                weights,
                constraints: &constraints,
                targets: &[0.0; 2],
                aim: Aim::default(),
            };
            let network = Network::random(4, 5, 0.3, &mut random);
            let (lambda, ridge) = ([0.7, -1.3], 0.05);
            let value = |network: &Network| {
                let (loss, soft) = network.look(&problem, 0.3);
                let model = network.model();
                let squares = model.weights.iter().flatten().chain(&model.output.coefficients).map(|w| w * w);
                loss + lambda[0] * soft[0] + lambda[1] * soft[1] + 0.5 * ridge * squares.sum::<f64>()
            };
            let gradient = network.gradient(&problem, &rows, (&lambda, 0.3), ridge);
            for (place, found) in gradient.iter().enumerate() {
                let beside = |by: f64| {
                    let mut network = network.clone();
                    network.values[place] += by;
                    value(&network)
                };
                let difference = (beside(1e-6) - beside(-1e-6)) / 2e-6;
                // Rounding 1e-10; no hidden unit changes sign within a millionth, as this seed has it.
                assert!((found - difference).abs() < 1e-8, "{place}: {found} {difference}");
            }
        }
    }

    #[test]
    fn minibatches_average_to_the_whole() {
        let mut random = Pcg64::seed_from_u64(2);
        let features = Design::new(96, 3, (0..288).map(|_| normal(&mut random) as f32).collect());
        let labels: Vec<bool> = (0..96).map(|_| uniform(&mut random) < 0.4).collect();
        let weights: Vec<f64> = (0..96).map(|_| uniform(&mut random)).collect();
        let constraints = vec![(0..96).map(|_| normal(&mut random)).collect()];
        let problem = Problem {
            features: &features,
            labels: &labels,
            weights: Some(&weights),
            constraints: &constraints,
            targets: &[0.0],
            aim: Aim::default(),
        };
        let network = Network::random(3, 4, 0.0, &mut random);
        let mut rows: Vec<usize> = (0..96).collect();
        shuffle(&mut rows, &mut random);
        let mut mean = vec![0.0; network.values.len()];
        for batch in rows.chunks_exact(12) {
            add_times(&mut mean, 1.0 / 8.0, &network.gradient(&problem, batch, (&[0.5], -0.2), 0.01));
        }
        let whole = network.gradient(&problem, &rows, (&[0.5], -0.2), 0.01);
        assert!(mean.iter().zip(&whole).all(|(a, b)| (a - b).abs() < 1e-14));
    }

    #[test]
    fn the_model_decides_as_the_network_that_it_was_made_of() {
        let mut random = Pcg64::seed_from_u64(3);
        let features = Design::new(50, 6, (0..300).map(|_| normal(&mut random) as f32).collect());
        let network = Network::random(6, 8, 0.1, &mut random);
        let model = network.model();
        let all = model.logits(&features);
        for (row, z) in all.iter().enumerate() {
            assert_eq!(model.logit(features.row(row)), *z);
            // Hidden units are rounded to single precision.
            assert!((network.forward(features.row(row), &mut [0.0; 8]) - z).abs() < 1e-5);
        }
    }
}
