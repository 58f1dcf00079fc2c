//! Features on one scale: each less its mean, and divided by its standard deviation, so that all count alike in a distance.

use super::FeatureRows;
use crate::feed::Note;

/// Features whose spread differs by more than this are said to.
const FAR_APART: f64 = 20.0;

impl FeatureRows<'_> {
    /// The mean and the standard deviation of each feature, over the rows that are searched.
    fn spreads(&self) -> Vec<(f64, f64)> {
        let dimensions = self.kept.dimensions;
        let rows = (self.counted.len() as f64).max(1.0);
        let mut sums = vec![(0.0, 0.0); dimensions];
        for row in &self.counted {
            let start = *row as usize * dimensions;
            for (sum, value) in sums.iter_mut().zip(&self.kept.features[start..start + dimensions]) {
                sum.0 += f64::from(*value) / rows;
            }
        }
        for row in &self.counted {
            let start = *row as usize * dimensions;
            for (sum, value) in sums.iter_mut().zip(&self.kept.features[start..start + dimensions]) {
                sum.1 += (f64::from(*value) - sum.0).powi(2) / rows;
            }
        }
        sums.into_iter().map(|(mean, variance)| (mean, variance.sqrt())).collect()
    }

    /// Puts all features on one scale. One that never varies says nothing of who is near, and becomes 0.
    pub fn scaled(mut self) -> Self {
        let spreads = self.spreads();
        for (place, value) in self.kept.features.iter_mut().enumerate() {
            let (mean, deviation) = spreads[place % spreads.len()];
            let from_mean = f64::from(*value) - mean;
            *value = if deviation > 0.0 { (from_mean / deviation) as f32 } else { 0.0 };
        }
        self.scaled = true;
        self
    }

    /// What is to be said of named features that are used as they are, where one would outweigh another.
    pub fn unscaled(&self) -> Option<Note> {
        let names = &self.plan.features;
        let spreads = self.spreads();
        if self.scaled || names.len() < 2 || names.len() != spreads.len() {
            return None;
        }
        let varies = |i: &usize| spreads[*i].1 > 0.0;
        let by_spread = |a: &usize, b: &usize| spreads[*a].1.total_cmp(&spreads[*b].1);
        let large = (0..names.len()).filter(varies).max_by(by_spread)?;
        let small = (0..names.len()).filter(varies).min_by(by_spread)?;
        let times = spreads[large].1 / spreads[small].1;
        (times > FAR_APART).then(|| Note::Unscaled {
            large: names[large].clone(),
            small: names[small].clone(),
            times: times.round() as u64,
        })
    }
}
