//! The chance of a positive label: a score of the table, or a cross-fitted logistic model of the features.

use super::part::Part;
use super::{MitigateError, MitigateSettings};
use crate::plug_in::fold_of;
use crate::rule::{Eta, Scale, SeenScore, chance};
use crate::{Aim, Design, Linear, LogisticSettings, Problem, Rows, logistic};

/// `η` of the fitted rows, each by a model that has not seen it, and the model for others.
pub(crate) struct Learned {
    pub of_rows: Vec<f64>,
    pub model: Eta,
}

pub(crate) fn learn(
    rows: &Rows,
    part: &Part,
    settings: &MitigateSettings,
    progress: &(dyn Fn(String) + Sync),
) -> Result<Learned, MitigateError> {
    match &rows.score {
        Some(column) => from_score(column, rows, part, settings),
        None => from_features(part, settings, progress),
    }
}

/// Of rows that the model has not seen.
pub(crate) fn predict(model: &Eta, part: &Part) -> Vec<f64> {
    match model {
        Eta::Score { scale: None, .. } => part.scores.clone(),
        Eta::Score { scale: Some(scale), .. } => part.scores.iter().map(|s| scale.chance(*s)).collect(),
        Eta::Features { model } => model.logits(&part.features).into_iter().map(chance).collect(),
    }
}

fn from_score(
    column: &str,
    rows: &Rows,
    part: &Part,
    settings: &MitigateSettings,
) -> Result<Learned, MitigateError> {
    let (column, seen) = (column.to_owned(), Some(SeenScore::of(&part.scores)));
    if rows.labels.is_none() {
        // The decisions before are imitated, wherever they cut the score. A steeper curve would forget who is near the cut.
        let inside = part.scores.iter().all(|score| (0.0..=1.0).contains(score));
        let model = Eta::Score { column, scale: Some(scale(part, inside, 1e-2)?), seen };
        return Ok(Learned { of_rows: predict(&model, part), model });
    }
    let outside = part.scores.iter().position(|score| !(0.0..=1.0).contains(score));
    let scale = match (settings.recalibrate, outside) {
        (true, outside) => Some(scale(part, outside.is_none(), 1e-6)?),
        (false, Some(row)) => {
            // The first of the table, whatever the order of the split.
            let outside = |row: &usize| !(0.0..=1.0).contains(&part.scores[*row]);
            let first = (0..part.rows.len()).filter(outside).min_by_key(|row| part.rows[*row]).unwrap_or(row);
            let (row, found) = (part.rows[first], part.scores[first]);
            return Err(MitigateError::Score { row, column, found });
        }
        (false, None) => None,
    };
    let model = Eta::Score { column, scale, seen };
    Ok(Learned { of_rows: predict(&model, part), model })
}

/// Slope and offset of the labels on the score, or on its log odds.
pub(crate) fn scale(part: &Part, log_odds: bool, ridge: f64) -> Result<Scale, MitigateError> {
    let regressor: Vec<f64> = part.scores.iter().map(|s| Scale::regressor(log_odds, *s)).collect();
    let mean = regressor.iter().sum::<f64>() / regressor.len() as f64;
    let spread = (regressor.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / regressor.len() as f64).sqrt();
    let spread = if spread > 0.0 { spread } else { 1.0 };
    let values = regressor.iter().map(|x| ((x - mean) / spread) as f32).collect();
    let features = Design::new(regressor.len(), 1, values);
    let problem = Problem {
        features: &features,
        labels: &part.target,
        weights: Some(&part.weights),
        constraints: &[],
        targets: &[],
        aim: Aim::default(),
    };
    let settings = LogisticSettings { ridge, ..LogisticSettings::default() };
    let fitted = logistic(&problem, &settings, None, &|_| {})?.model;
    let slope = fitted.coefficients.first().copied().unwrap_or(0.0) / spread;
    Ok(Scale { log_odds, intercept: fitted.intercept - slope * mean, slope })
}

fn from_features(
    part: &Part,
    settings: &MitigateSettings,
    progress: &(dyn Fn(String) + Sync),
) -> Result<Learned, MitigateError> {
    let folds = settings.folds;
    let rows = part.rows.len();
    let mut of_rows = vec![0.0; rows];
    let mut models: Vec<Linear> = Vec::with_capacity(folds);
    for fold in 0..folds {
        progress(format!("learning the chance of the label, fold {} of {folds}", fold + 1));
        let (mine, others): (Vec<usize>, Vec<usize>) =
            (0..rows).partition(|row| fold_of(*row, folds) == fold);
        let features = part.features.only(&others);
        let labels: Vec<bool> = others.iter().map(|row| part.target[*row]).collect();
        let weights: Vec<f64> = others.iter().map(|row| part.weights[*row]).collect();
        let problem = Problem {
            features: &features,
            labels: &labels,
            weights: Some(&weights),
            constraints: &[],
            targets: &[],
            aim: Aim::default(),
        };
        let start = models.last();
        let fitted = logistic(&problem, &LogisticSettings::default(), start, &|_| {})?.model;
        mine.iter().for_each(|row| of_rows[*row] = chance(fitted.logit(part.features.row(*row))));
        models.push(fitted);
    }
    let columns = part.features.columns();
    let mean = |value: &dyn Fn(&Linear) -> f64| models.iter().map(value).sum::<f64>() / folds as f64;
    let coefficients = (0..columns).map(|j| mean(&|model| model.coefficients[j])).collect();
    let model = Eta::Features { model: Linear { intercept: mean(&|model| model.intercept), coefficients } };
    Ok(Learned { of_rows, model })
}
