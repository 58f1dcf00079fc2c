//! Several models on the same rows.

use crate::columns::{Column, Layout};
use crate::error::{IngestError, Problem};
use crate::plan::Roles;
use crate::tally::{Compared, RawTable, positions};
use fairveil_core::compare::PairedCell;
use fairveil_core::counts::ExactSum;
use fairveil_core::vocabulary::{Class, Legend};
use std::collections::BTreeMap;

impl<'a> RawTable<'a> {
    /// The tables of all models on the rows that all of them decide, and those rows with all decisions.
    pub fn finish_all(self) -> Result<Compared, IngestError> {
        let models = self.roles.predictions.len();
        let mut tables = Vec::with_capacity(models);
        for model in 0..models {
            tables.push(self.of_model(model).finish()?);
        }
        let legends: Vec<&Legend> = tables.iter().map(|table| table.counts.legend()).collect();
        let (groups, classes) = (&legends[0].groups, &legends[0].classes);
        for (model, legend) in legends.iter().enumerate() {
            if legend.classes != *classes {
                let column = Some(self.prediction_column(model).name.as_str());
                let (first, found) = (classes.clone(), legend.classes.clone());
                return Err(self.error(None, column, Problem::OtherClasses { first, found }));
            }
        }
        let (group_at, class_at) = (positions(groups), positions(classes));
        let label_at = positions(legends[0].label_classes.as_ref().unwrap_or(classes));
        let class =
            |place: usize, key: &[u32]| class_at.get(self.named(place, key[place])?).copied().map(Class);
        let mut rows: BTreeMap<PairedCell, ExactSum> = BTreeMap::new();
        for (key, raw) in &self.cells {
            let decided = self.roles.predictions.iter().map(|place| class(*place, key));
            let Some(predictions) = decided.collect::<Option<Vec<_>>>() else { continue };
            let label = |place: usize| label_at.get(self.named(place, key[place])?).copied().map(Class);
            let label = self.roles.label.and_then(label);
            let cell = PairedCell { predictions, label, guesses: self.guesses(key, &group_at) };
            let sum = rows.entry(cell).or_default();
            match (&raw.sums, self.weighted) {
                (Some(sums), true) => sum.merge(&sums.weight),
                _ => sum.add(raw.rows as f64),
            }
        }
        let rows = rows.into_iter().map(|(cell, sum)| (cell, sum.value())).collect();
        Ok(Compared { tables, rows })
    }

    fn prediction_column(&self, model: usize) -> &Column {
        if model == 0 { &self.layout.prediction } else { &self.layout.others[model - 1] }
    }

    /// The rows that all models decide, as if this one were the only one.
    fn of_model(&self, model: usize) -> RawTable<'a> {
        let decided = |key: &[u32]| {
            self.roles.predictions.iter().all(|place| self.named(*place, key[*place]).is_some())
        };
        let layout = Layout {
            prediction: self.prediction_column(model).clone(),
            others: Vec::new(),
            by: Vec::new(),
            ..self.layout.clone()
        };
        let predictions = vec![self.roles.predictions[model]];
        let roles = Roles { predictions, segments: Vec::new(), known: None, ..self.roles.clone() };
        let cells = self.cells.iter().filter(|(key, _)| decided(key));
        let true_cells = self.true_cells.iter().filter(|((key, _), _)| decided(key));
        RawTable {
            outcome: None,
            // Evidence is about the decisions of one model.
            evidence: None,
            files: self.files.clone(),
            columns: self.columns,
            layout,
            roles,
            values: self.values.clone(),
            cells: cells.map(|(key, raw)| (key.clone(), raw.clone())).collect(),
            true_cells: true_cells.map(|(known, weight)| (known.clone(), weight.clone())).collect(),
            labelled: BTreeMap::new(),
            weighted: self.weighted,
            score_groups: self.score_groups.clone(),
            rows: self.rows,
            noise: self.noise.clone(),
            negative: self.negative.iter().filter(|(key, _)| decided(key)).cloned().collect(),
            noisy_cells: [self.noisy_cells[0]; 2],
            skipped: self.skipped.clone(),
            rows_per_person: self.rows_per_person,
            hidden: self.hidden.clone(),
            lent: None,
        }
    }
}
