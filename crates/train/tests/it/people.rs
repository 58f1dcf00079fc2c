//! Simulated people whose groups are known: features that go with the group, a label that goes with the features, and
//! three proxies that err.

use fairveil_core::vocabulary::{Class, Group, Guess, Legend};
use fairveil_train::{Feature, FeatureValues, Rows};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};

pub struct People {
    pub rows: usize,
    pub seed: u64,
    /// How often a proxy is right, given a person's group and chance of the label.
    pub accuracy: fn(usize, f64) -> f64,
    /// Whether all proxies repeat one guess.
    pub copied: bool,
}

impl Default for People {
    fn default() -> Self {
        People { rows: 8_000, seed: 1, accuracy: |_, _| 0.75, copied: false }
    }
}

fn uniform(random: &mut Pcg64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Nearly normal: the sum of twelve uniform numbers.
fn normal(random: &mut Pcg64) -> f64 {
    (0..12).map(|_| uniform(random)).sum::<f64>() - 6.0
}

impl People {
    pub fn simulate(&self) -> Rows {
        let mut random = Pcg64::seed_from_u64(self.seed);
        let mut numbers = vec![Vec::new(); 4];
        let (mut districts, mut labels, mut truth, mut scores) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut guesses = vec![Vec::new(); 3];
        for _ in 0..self.rows {
            let group = usize::from(uniform(&mut random) < 0.5);
            let side = group as f64 - 0.5;
            let x = [0.9 * side, 0.6 * side, 0.0, 0.0].map(|shift| shift + normal(&mut random));
            let north = uniform(&mut random) < 0.5 + 0.5 * side;
            let logit = 0.7 * x[0] + 0.4 * x[1] + 0.9 * x[2] + if north { 0.3 } else { -0.3 };
            let chance = 1.0 / (1.0 + f64::exp(-logit));
            labels.push(Some(Class(usize::from(uniform(&mut random) < chance))));
            scores.push(chance);
            truth.push(Some(Group(group)));
            districts.push(u32::from(north));
            numbers.iter_mut().zip(x).for_each(|(values, x)| values.push(x as f32));
            let mut before = None;
            for guess in &mut guesses {
                let right = uniform(&mut random) < (self.accuracy)(group, chance);
                let own = Guess(if right { group } else { 1 - group });
                let told = if self.copied { *before.get_or_insert(own) } else { own };
                guess.push(Some(told));
            }
        }
        let mut features: Vec<Feature> = vec![Feature {
            name: "district".into(),
            values: FeatureValues::Categories {
                levels: vec!["south".into(), "north".into()],
                codes: districts,
            },
        }];
        features.extend(
            numbers
                .into_iter()
                .enumerate()
                .map(|(j, values)| Feature { name: format!("x{j}"), values: FeatureValues::Numbers(values) }),
        );
        Rows {
            legend: Legend::plain(2, 2, 3, true),
            rows: self.rows,
            predictions: None,
            labels: Some(labels),
            guesses,
            weights: None,
            scores: Some(scores),
            score: Some("score".into()),
            truth: Some(truth),
            marks: None,
            split: None,
            held_out: None,
            features,
        }
    }
}

/// The same rows in another order.
pub fn reordered(rows: &Rows, order: &[usize]) -> Rows {
    fn pick<T: Copy>(values: &[T], order: &[usize]) -> Vec<T> {
        order.iter().map(|row| values[*row]).collect()
    }
    let feature = |feature: &Feature| Feature {
        name: feature.name.clone(),
        values: match &feature.values {
            FeatureValues::Numbers(numbers) => FeatureValues::Numbers(pick(numbers, order)),
            FeatureValues::Categories { levels, codes } => {
                FeatureValues::Categories { levels: levels.clone(), codes: pick(codes, order) }
            }
        },
    };
    Rows {
        legend: rows.legend.clone(),
        rows: order.len(),
        predictions: rows.predictions.as_ref().map(|values| pick(values, order)),
        labels: rows.labels.as_ref().map(|values| pick(values, order)),
        guesses: rows.guesses.iter().map(|guesses| pick(guesses, order)).collect(),
        weights: rows.weights.as_ref().map(|values| pick(values, order)),
        scores: rows.scores.as_ref().map(|values| pick(values, order)),
        score: rows.score.clone(),
        truth: rows.truth.as_ref().map(|values| pick(values, order)),
        marks: rows.marks.as_ref().map(|values| pick(values, order)),
        split: rows.split.clone(),
        held_out: rows.held_out.as_ref().map(|values| pick(values, order)),
        features: rows.features.iter().map(feature).collect(),
    }
}
