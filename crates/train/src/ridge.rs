//! Ridge regression, cross-fitted: every row is predicted by a model that has not seen it.
//!
//! ```text
//! β_f = (G − G_f + κ·n·I)⁻¹ (b − b_f)          G_f = Σ w x xᵀ,  b_f = Σ w x v  over the rows of fold f
//! ```
//! One pass over the rows gives all folds. The penalty `κ` is the one of a few that predicts held-out folds best; the
//! intercept is not penalised. Of a sparse design `G` is not made: `conjugate` solves with products of rows alone.

mod conjugate;
mod gram;

use crate::{Design, Linear};
use nalgebra::DVector;

const PENALTIES: [f64; 6] = [1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0];

/// Models that each leave out one fold.
pub(crate) struct CrossFit {
    /// One for each fold, of the rows outside it.
    pub of_fold: Vec<Linear>,
    /// Their mean, for rows that none of them has seen.
    pub mean: Linear,
    /// The share of the spread that is explained where it was not fitted; at most 1, below 0 where nothing is learned.
    pub explained: f64,
}

/// What is regressed on features and one more number of each row.
pub(crate) struct Regression<'a> {
    pub features: &'a Design,
    /// One more regressor, last.
    pub extra: &'a [f64],
    pub weights: &'a [f64],
    /// The rows that count.
    pub counts: &'a (dyn Fn(usize) -> bool + Sync),
    pub fold_of: &'a (dyn Fn(usize) -> usize + Sync),
    pub folds: usize,
}

/// The models of one penalty, one for each fold, and their summed squared error on the folds that they did not see.
type Tried = (Vec<DVector<f64>>, f64);

impl Regression<'_> {
    /// Intercept, features, and one more.
    fn size(&self) -> usize {
        self.features.columns() + 2
    }

    /// The share of the spread of each of the `values` that is explained where it was fitted, and by how many free coefficients.
    /// Folds are not looked at.
    pub fn within(&self, values: &[Vec<f64>]) -> Vec<Option<(f64, usize)>> {
        let found =
            if self.features.is_sparse() { self.sparse_within(values) } else { self.dense_within(values) };
        let sound = |(explained, freedom): (f64, usize)| {
            (explained.is_finite() && freedom > 0).then_some((explained.clamp(0.0, 1.0), freedom))
        };
        found.into_iter().map(|found| found.and_then(sound)).collect()
    }

    /// Regresses each of the `values`.
    pub fn fit(&self, values: &[&[f64]]) -> Vec<CrossFit> {
        let tried = if self.features.is_sparse() { self.sparse_fit(values) } else { self.dense_fit(values) };
        tried.into_iter().zip(values).map(|(tried, values)| self.choose(tried, values)).collect()
    }

    /// Weight, sum and sum of squares of values of the rows that count.
    fn moments(&self, values: &[f64]) -> [f64; 3] {
        let mut sums = [0.0; 3];
        for row in (0..values.len()).filter(|row| (self.counts)(*row)) {
            let (weight, value) = (self.weights[row], values[row]);
            [weight, weight * value, weight * value * value]
                .iter()
                .zip(&mut sums)
                .for_each(|(part, sum)| *sum += part);
        }
        sums
    }

    fn choose(&self, tried: Vec<Tried>, values: &[f64]) -> CrossFit {
        let size = self.size();
        let [weight, sum, squares] = self.moments(values);
        let spread = if weight > 0.0 { squares - sum * sum / weight } else { 0.0 };
        let best = tried.into_iter().min_by(|a, b| a.1.total_cmp(&b.1));
        let (models, error) = best.unwrap_or_else(|| {
            // Without rows there is nothing to learn: everyone alike.
            (vec![DVector::zeros(size); self.folds], spread)
        });
        let linear = |model: &DVector<f64>| Linear {
            intercept: model[0],
            coefficients: model.iter().skip(1).copied().collect(),
        };
        let mean =
            models.iter().fold(DVector::zeros(size), |sum, model| sum + model) / models.len().max(1) as f64;
        let explained = if spread > 0.0 { 1.0 - error / spread } else { 0.0 };
        CrossFit { of_fold: models.iter().map(linear).collect(), mean: linear(&mean), explained }
    }

    /// Columns of a sparse design that can tell rows apart. Each feature has one number in a row; where all of them are 1, one of its
    /// columns follows from the others.
    fn freedom(&self) -> usize {
        let mut met: Vec<Vec<(usize, bool)>> = vec![Vec::new(); self.features.width()];
        for row in (0..self.features.rows()).filter(|row| (self.counts)(*row)) {
            let mut feature = 0;
            self.features.row(row).each(|column, value| {
                let known = &mut met[feature];
                match known.binary_search_by_key(&column, |(column, _)| *column) {
                    Ok(place) => known[place].1 |= value != 1.0,
                    Err(place) => known.insert(place, (column, value != 1.0)),
                }
                feature += 1;
            });
        }
        let free = |known: &Vec<(usize, bool)>| {
            let numbers = known.iter().any(|(_, number)| *number);
            known.len() - usize::from(!numbers && !known.is_empty())
        };
        met.iter().map(free).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A category of 9 levels, a number, and one more regressor; rows without pattern.
    fn rows() -> (Design, Vec<f64>, Vec<f64>, Vec<f64>) {
        let wave = |index: usize, speed: f64| (index as f64 * speed).sin() * 1.7;
        let (mut places, mut values) = (Vec::new(), Vec::new());
        for row in 0..300usize {
            places.extend([(row * 7 % 9) as u32, 9]);
            values.extend([1.0, wave(row, 1.3) as f32]);
        }
        let of = |speed: f64| (0..300).map(|row| wave(row, speed)).collect::<Vec<f64>>();
        let wanted =
            (0..300).map(|row| wave(row * 7 % 9, 0.8) + 0.3 * wave(row, 1.3) + wave(row, 2.9)).collect();
        (Design::sparse(10, 2, places, values), of(0.7), of(3.1).iter().map(|w| w.abs()).collect(), wanted)
    }

    #[test]
    fn sparse_and_dense_designs_have_the_same_models() {
        let (sparse, extra, weights, values) = rows();
        let dense = sparse.dense();
        let fit = |features: &Design| {
            let (counts, fold_of) = (|row: usize| !row.is_multiple_of(11), |row: usize| row % 5);
            let regression = Regression {
                features,
                extra: &extra,
                weights: &weights,
                counts: &counts,
                fold_of: &fold_of,
                folds: 5,
            };
            (
                regression.fit(&[&values]).remove(0),
                regression.within(std::slice::from_ref(&values)).remove(0).unwrap(),
            )
        };
        let ((a, inside), (b, beside)) = (fit(&sparse), fit(&dense));
        // Conjugate gradients end where the residual is 1e-8 of the start.
        assert!((a.explained - b.explained).abs() < 1e-7, "{} {}", a.explained, b.explained);
        assert!((inside.0 - beside.0).abs() < 1e-7, "{inside:?} {beside:?}");
        for (a, b) in a.of_fold.iter().zip(&b.of_fold) {
            let differ = |(a, b): (&f64, &f64)| (a - b).abs() > 1e-6;
            assert!(!a.coefficients.iter().zip(&b.coefficients).any(differ), "{a:?} {b:?}");
        }
        // Nine levels that add up to one, and two numbers; the regressor beside the features is not among them here.
        assert_eq!((inside.1, beside.1), (9, 10));
    }
}
