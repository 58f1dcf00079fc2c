//! What rules decide about rows that they did not learn from.
//!
//! ```text
//! held out        one rule, the rows that it did not learn from
//! cross-fitted    for each fold the rule of the others; all rows together, each decided about once
//! ```

use super::fit::{Chance, Fit};
use super::ground::Ground;
use super::part::{Part, Split};
use super::{Method, MitigateError, MitigateSettings};
use crate::Rows;
use fairveil_core::mitigate::MeasuredOn;

/// Decisions about the rows that are measured on.
pub(super) struct Tried {
    /// Those before.
    pub before: Vec<bool>,
    /// Those of the rule that nothing holds back.
    pub free: Vec<bool>,
    /// Those of the rule with each tolerance.
    pub at: Vec<Vec<bool>>,
}

/// What is tried, and on which rows.
pub(super) struct Try<'a> {
    pub rows: &'a Rows,
    pub settings: &'a MitigateSettings,
    pub split: &'a Split,
    /// The rows that are measured on, as numbers.
    pub part: &'a Part,
    pub tolerances: &'a [f64],
    pub progress: &'a (dyn Fn(String) + Sync),
}

impl Try<'_> {
    /// Decisions by one method; `ground` and `fit` are those of the rule that is written.
    pub fn decisions(
        &self,
        method: Method,
        ground: &Ground,
        fit: Option<&Fit>,
    ) -> Result<Tried, MitigateError> {
        if let MeasuredOn::CrossFitted { folds } = self.split.measured_on {
            return self.cross_fitted(method, folds);
        }
        match fit {
            Some(fit) => self.by(ground, fit, self.part),
            None => {
                let learner = ground.learner(method, self.settings, self.progress);
                let fit =
                    Fit::of(self.rows, self.settings, ground, &learner, Chance::Refused, self.progress)?;
                let learned = fit.at_tolerance(self.settings.tolerance, self.progress)?;
                fit.refuse_constant(&ground.rule(self.rows, self.settings, &learned), &ground.fitted)?;
                self.by(ground, &fit, self.part)
            }
        }
    }

    fn cross_fitted(&self, method: Method, folds: usize) -> Result<Tried, MitigateError> {
        let rows = self.part.rows.len();
        let nobody = vec![false; rows];
        let mut all =
            Tried { before: nobody.clone(), free: nobody.clone(), at: vec![nobody; self.tolerances.len()] };
        for (fold, (split, places)) in self.split.folds().iter().enumerate() {
            let told = |message: String| (self.progress)(format!("fold {} of {folds}: {message}", fold + 1));
            let ground = Ground::of(self.rows, self.settings, split, &told)?;
            let learner = ground.learner(method, self.settings, &told);
            // Whether the gap drowns in chance was asked of all rows.
            let fit = Fit::of(self.rows, self.settings, &ground, &learner, Chance::Taken, &told)?;
            let part = Part::of(self.rows, &split.held_out, &ground.encoding, &ground.patterns)?;
            let one = Try { progress: &told, ..*self }.by(&ground, &fit, &part)?;
            for (at, place) in places.iter().enumerate() {
                all.before[*place] = one.before[at];
                all.free[*place] = one.free[at];
                for (all, one) in all.at.iter_mut().zip(&one.at) {
                    all[*place] = one[at];
                }
            }
        }
        Ok(all)
    }

    fn by(&self, ground: &Ground, fit: &Fit, part: &Part) -> Result<Tried, MitigateError> {
        let mut at = Vec::with_capacity(self.tolerances.len());
        for tolerance in self.tolerances {
            (self.progress)(format!("trying a tolerance of {tolerance}"));
            let learned = fit.at_tolerance(*tolerance, self.progress)?;
            let rule = ground.rule(self.rows, self.settings, &learned);
            at.push(rule.decide_all(&part.features, &part.scores));
        }
        let free = fit.free_rule.decide_all(&part.features, &part.scores);
        Ok(Tried { before: fit.before(part), free, at })
    }
}
