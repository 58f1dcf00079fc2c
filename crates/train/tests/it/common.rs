//! Rows with known groups, and solvers that share no code with ours.

use fairveil_train::{Aim, Design, Problem};
use nalgebra::{DMatrix, DVector};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// Rows of two groups that differ in some features, with the constraint that three weak proxies give.
pub struct Simulated {
    pub features: Design,
    pub labels: Vec<bool>,
    pub groups: Vec<bool>,
    /// For each row how much of it its guesses give to the second group; below 0 and above 1 where they are weak.
    pub shares: Vec<f64>,
    pub constraints: Vec<Vec<f64>>,
}

pub fn uniform(random: &mut Pcg64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

pub fn normal(random: &mut Pcg64) -> f64 {
    let radius = (-2.0 * (1.0 - uniform(random)).ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform(random)).cos()
}

/// The log odds of a label, from features and group.
pub type Truth = fn(&[f64], f64) -> f64;

/// A truth that is linear in the features; groups differ in the first three and in the label.
pub fn linear(x: &[f64], group: f64) -> f64 {
    let slopes = [1.2, 0.8, 0.6, -0.7, 0.5, 0.3, -0.2, 0.1, 0.0, 0.4];
    x.iter().zip(slopes.iter().cycle()).map(|(x, slope)| x * slope).sum::<f64>() + 0.3 * group - 0.2
}

impl Simulated {
    pub fn new(rows: usize, columns: usize, right: f64, truth: Truth, seed: u64) -> Self {
        let mut random = Pcg64::seed_from_u64(seed);
        let (mut values, mut labels, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        let mut guesses = Vec::new();
        for _ in 0..rows {
            let group = f64::from(u8::from(uniform(&mut random) < 0.4));
            let shift = |column: usize| if column < 3 { 0.6 * (group - 0.4) } else { 0.0 };
            let x: Vec<f64> = (0..columns).map(|column| normal(&mut random) + shift(column)).collect();
            labels.push(uniform(&mut random) < 1.0 / (1.0 + (-truth(&x, group)).exp()));
            values.extend(x.iter().map(|x| *x as f32));
            groups.push(group > 0.5);
            guesses.push([0; 3].map(|_| (uniform(&mut random) < right) == (group > 0.5)));
        }
        // The inverse of [[right, wrong], [wrong, right]].
        let (own, other) = (right / (2.0 * right - 1.0), (right - 1.0) / (2.0 * right - 1.0));
        let share = |guesses: &[bool; 3]| {
            guesses.iter().map(|guess| if *guess { own } else { other }).sum::<f64>() / 3.0
        };
        let shares: Vec<f64> = guesses.iter().map(share).collect();
        let mean = shares.iter().sum::<f64>() / rows as f64;
        let constraint = shares.iter().map(|share| share / mean - (1.0 - share) / (1.0 - mean)).collect();
        let features = Design::new(rows, columns, values);
        Simulated { features, labels, groups, shares, constraints: vec![constraint] }
    }

    /// The constraints of equalized odds: the difference of the groups' rates within each label.
    pub fn odds(&self) -> Vec<Vec<f64>> {
        let within = |label: bool| {
            let own = self.labels.iter().map(|other| f64::from(u8::from(*other == label)));
            let rows: f64 = own.clone().sum();
            let mean =
                self.shares.iter().zip(own.clone()).map(|(share, own)| share * own).sum::<f64>() / rows;
            let all = self.labels.len() as f64;
            let weight =
                |(share, own): (&f64, f64)| own * all / rows * (share / mean - (1.0 - share) / (1.0 - mean));
            self.shares.iter().zip(own).map(weight).collect()
        };
        vec![within(false), within(true)]
    }

    pub fn free(&self) -> Problem<'_> {
        Problem {
            features: &self.features,
            labels: &self.labels,
            weights: None,
            constraints: &[],
            targets: &[],
            aim: Aim::default(),
        }
    }

    pub fn with_gap<'a>(&'a self, targets: &'a [f64]) -> Problem<'a> {
        Problem { constraints: &self.constraints, targets, ..self.free() }
    }

    /// The share of rows decided as labelled.
    pub fn accuracy(&self, logits: &[f64]) -> f64 {
        let right = logits.iter().zip(&self.labels).filter(|(z, label)| (**z > 0.0) == **label).count();
        right as f64 / self.labels.len() as f64
    }

    /// The accuracy of deciding alike for everyone.
    pub fn constant(&self) -> f64 {
        let positive = self.labels.iter().filter(|label| **label).count() as f64 / self.labels.len() as f64;
        positive.max(1.0 - positive)
    }

    /// The difference of the groups' positive rates, as nobody but a simulation knows it.
    pub fn true_gap(&self, logits: &[f64]) -> f64 {
        let rate = |group: bool| {
            let own = || logits.iter().zip(&self.groups).filter(move |(_, own)| **own == group);
            own().filter(|(z, _)| **z > 0.0).count() as f64 / own().count() as f64
        };
        rate(true) - rate(false)
    }
}

/// Loss, gaps, and their first and second derivatives, by matrices and without tricks. The intercept is last.
pub struct Exact {
    x: DMatrix<f64>,
    y: DVector<f64>,
    w: DVector<f64>,
    v: Vec<DVector<f64>>,
    ridge: f64,
}

impl Exact {
    pub fn new(problem: &Problem<'_>, ridge: f64) -> Self {
        let (rows, columns) = (problem.features.rows(), problem.features.columns());
        let x = DMatrix::from_fn(rows, columns + 1, |row, column| {
            match problem.features.values()[row * columns..(row + 1) * columns].get(column) {
                Some(x) => f64::from(*x),
                None => 1.0,
            }
        });
        let y = DVector::from_fn(rows, |row, _| if problem.labels[row] { 1.0 } else { 0.0 });
        let w = DVector::from_fn(rows, |row, _| problem.weights.map_or(1.0, |weights| weights[row]));
        let w = &w / w.sum();
        let v = problem.constraints.iter().map(|v| DVector::from_column_slice(v)).collect();
        Exact { x, y, w, v, ridge }
    }

    fn p(&self, beta: &DVector<f64>) -> DVector<f64> {
        (&self.x * beta).map(|z| 1.0 / (1.0 + (-z).exp()))
    }

    fn penalty(&self, beta: &DVector<f64>) -> DVector<f64> {
        let mut penalty = beta * self.ridge;
        penalty[beta.len() - 1] = 0.0;
        penalty
    }

    pub fn loss(&self, beta: &DVector<f64>) -> f64 {
        let z = &self.x * beta;
        let rows = z.zip_map(&self.y, |z, y| (1.0 + (-z.abs()).exp()).ln() + z.max(0.0) - y * z);
        rows.dot(&self.w) + 0.5 * beta.dot(&self.penalty(beta))
    }

    pub fn gap(&self, beta: &DVector<f64>, j: usize) -> f64 {
        self.p(beta).component_mul(&self.w).dot(&self.v[j])
    }

    pub fn gap_slope(&self, beta: &DVector<f64>, j: usize) -> DVector<f64> {
        let factor = self.p(beta).map(|p| p * (1.0 - p)).component_mul(&self.w).component_mul(&self.v[j]);
        self.x.transpose() * factor
    }

    pub fn loss_slope(&self, beta: &DVector<f64>) -> DVector<f64> {
        self.x.transpose() * (self.p(beta) - &self.y).component_mul(&self.w) + self.penalty(beta)
    }

    fn outer(&self, factor: &DVector<f64>) -> DMatrix<f64> {
        let mut scaled = self.x.clone();
        for (mut row, factor) in scaled.row_iter_mut().zip(factor.iter()) {
            row *= *factor;
        }
        self.x.transpose() * scaled
    }

    /// Newton's method on the optimality conditions: `∇loss + Σ μ·∇gap = 0` and `gap = target`.
    pub fn newton(&self, targets: &[f64]) -> (DVector<f64>, DVector<f64>) {
        let (size, gaps) = (self.x.ncols(), self.v.len());
        let mut beta = DVector::zeros(size);
        let mut mu = DVector::zeros(gaps);
        for _ in 0..100 {
            let p = self.p(&beta);
            let mut hessian = self.outer(&p.map(|p| p * (1.0 - p)).component_mul(&self.w));
            for place in 0..size - 1 {
                hessian[(place, place)] += self.ridge;
            }
            let mut system = DMatrix::zeros(size + gaps, size + gaps);
            let mut right = DVector::zeros(size + gaps);
            let mut slope = self.loss_slope(&beta);
            for j in 0..gaps {
                let third = p
                    .map(|p| p * (1.0 - p) * (1.0 - 2.0 * p))
                    .component_mul(&self.w)
                    .component_mul(&self.v[j]);
                hessian += self.outer(&third) * mu[j];
                let own = self.gap_slope(&beta, j);
                slope += &own * mu[j];
                system.view_mut((0, size + j), (size, 1)).copy_from(&own);
                system.view_mut((size + j, 0), (1, size)).copy_from(&own.transpose());
                right[size + j] = targets[j] - self.gap(&beta, j);
            }
            system.view_mut((0, 0), (size, size)).copy_from(&hessian);
            right.rows_mut(0, size).copy_from(&-slope);
            let step = system.lu().solve(&right).unwrap();
            beta += step.rows(0, size);
            mu += step.rows(size, gaps);
            if step.amax() < 1e-12 {
                return (beta, mu);
            }
        }
        panic!("Newton's method did not converge");
    }
}
