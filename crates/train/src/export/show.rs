//! A rule for people: what it reads, where it cuts, what each feature does.

use crate::rule::Eta;
use crate::{EncodedFeature, Linear, Model, Rule, Tilt};
use std::fmt::Write;

/// Coefficients that are listed, the largest first.
const MOST: usize = 20;

/// Whether the margin of a plug-in rule falls somewhere as the chance of the label grows: its slope in `η` is linear in `η`, and looked at
/// for people of mean features.
fn turned(tilts: &[Tilt]) -> bool {
    let slope = |eta: f64| {
        let moved = |tilt: &Tilt| {
            let last = tilt.weight.coefficients.last().copied().unwrap_or(0.0);
            let weight = tilt.weight.intercept + last * (2.0 * eta - 1.0);
            tilt.multiplier
                * match tilt.label {
                    None => 2.0 * last,
                    Some(true) => weight + 2.0 * last * eta,
                    Some(false) => 2.0 * last * (1.0 - eta) - weight,
                }
        };
        2.0 - tilts.iter().map(moved).sum::<f64>()
    };
    slope(0.1) < 0.0 || slope(0.9) < 0.0
}

impl Rule {
    /// The rule in words and numbers.
    pub fn show(&self) -> String {
        let mut out = String::new();
        let mut line = |text: String| {
            // Writing to a string does not fail.
            let _ = writeln!(out, "{text}");
        };
        let method = match self.model {
            Model::PlugIn { .. } => "plug-in rule",
            Model::Logistic { .. } => "logistic regression",
            Model::Mlp { .. } => "neural network with one hidden layer",
        };
        line(format!(
            "{method} for {}, tolerance {}, written by fairveil {}",
            self.criterion, self.tolerance, self.version
        ));
        line(format!(
            "decides {} where its margin is above 0, else {}; needs no group and no proxy",
            self.positive, self.negative
        ));
        line(format!("cut: {:.4}", self.cut));
        line(String::new());
        line("It reads".into());
        for feature in self.encoding.features() {
            line(match feature {
                EncodedFeature::Number { name, mean, deviation, missing, range } => {
                    let missing = if *missing { ", may be missing" } else { "" };
                    let range = range
                        .map(|[low, high]| format!(", mostly {} to {}", low as f32, high as f32))
                        .unwrap_or_default();
                    format!("  {name}: a number, mean {mean:.4}, deviation {deviation:.4}{range}{missing}")
                }
                EncodedFeature::Category { name, levels, others, missing, .. } => {
                    let others = if *others { ", others count as one" } else { "" };
                    let missing = if *missing { ", may be missing" } else { "" };
                    format!("  {name}: a category of {} values{others}{missing}", levels.len())
                }
            });
        }
        if let Model::PlugIn { eta: Eta::Score { column, seen, .. }, .. } = &self.model {
            let seen = seen.map(|seen| format!(", mean {:.4}, deviation {:.4}", seen.mean, seen.deviation));
            line(format!("  {column}: the score{}", seen.unwrap_or_default()));
        }
        if self.encoding.features().iter().any(|feature| matches!(feature, EncodedFeature::Number { .. })) {
            line(
                "Weights of numbers are for one deviation more; those of categories for having the value."
                    .into(),
            );
        }
        let mut linear = |title: String, model: &Linear| {
            line(String::new());
            line(title);
            line(format!("  {:>10.4}  for everyone", model.intercept));
            // After the columns comes, in what moves a plug-in rule, twice the chance less one.
            let last = "twice the chance of the label, less 1".to_owned();
            let names = self.columns.iter().chain([&last]);
            let mut order: Vec<(&String, f64)> = names.zip(model.coefficients.iter().copied()).collect();
            order.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(b.0)));
            order.iter().take(MOST).for_each(|(name, value)| line(format!("  {value:>10.4}  {name}")));
            if order.len() > MOST {
                line(format!("  and {} smaller ones", order.len() - MOST));
            }
        };
        match &self.model {
            Model::Logistic { model } => linear("What adds to the log odds".into(), model),
            Model::Mlp { model } => {
                let units = model.biases.len();
                line(String::new());
                line(format!(
                    "{units} hidden units; a network has no list of weights that says what it does"
                ));
            }
            Model::PlugIn { eta, tilts } => {
                if let Eta::Features { model } = eta {
                    linear("What adds to the log odds of a positive label".into(), model);
                }
                for (place, tilt) in tilts.iter().enumerate() {
                    let among = match tilt.label {
                        None => "all",
                        Some(true) => "people with the positive label",
                        Some(false) => "people with the other label",
                    };
                    let title = format!(
                        "Gap {} (among {among}): moved by {:.4} times the sum of",
                        place + 1,
                        tilt.multiplier
                    );
                    linear(title, &tilt.weight);
                }
                if turned(tilts) {
                    line(String::new());
                    line("For people alike in all features, a higher chance of the label can make a positive decision less likely.".into());
                }
            }
        }
        out
    }
}
