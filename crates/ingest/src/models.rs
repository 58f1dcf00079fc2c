//! Several models on the same rows.

use crate::cells::Key;
use crate::columns::Column;
use crate::error::{IngestError, Problem};
use crate::tally::{Compared, RawTable, positions};
use crate::value::Dictionary;
use fairveil_core::compare::PairedCell;
use fairveil_core::counts::ExactSum;
use fairveil_core::vocabulary::{Class, Legend};
use std::collections::{BTreeMap, HashMap};

impl<'a> RawTable<'a> {
    /// The tables of all models on the rows that all of them decide, and those rows with all decisions.
    pub fn finish_all(self) -> Result<Compared, IngestError> {
        let models = 1 + self.others.len();
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
        let class = |dictionary: &Dictionary, code: u32| {
            let value = dictionary.values.get(code as usize)?.canonical.as_deref()?;
            class_at.get(value).copied().map(Class)
        };
        let mut rows: BTreeMap<PairedCell, ExactSum> = BTreeMap::new();
        for (key, raw) in &self.cells {
            let code = |model: usize| class(self.prediction_of(model), key[self.place(model)]);
            let Some(predictions) = (0..models).map(code).collect::<Option<Vec<_>>>() else { continue };
            let label = self.layout.label.as_ref().and_then(|_| class(&self.label, key[1]));
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

    fn prediction_of(&self, model: usize) -> &Dictionary {
        if model == 0 { &self.prediction } else { &self.others[model - 1] }
    }

    fn prediction_column(&self, model: usize) -> &Column {
        if model == 0 { &self.layout.prediction } else { &self.layout.others[model - 1] }
    }

    /// Where the decision of a model stands in a key.
    fn place(&self, model: usize) -> usize {
        if model == 0 { 0 } else { 1 + self.layout.proxies.len() + model }
    }

    /// The rows that all models decide, as if this one were the only one.
    fn of_model(&self, model: usize) -> RawTable<'a> {
        let decided = |key: &[u32]| {
            let known = |model: usize| {
                let value = self.prediction_of(model).values.get(key[self.place(model)] as usize);
                value.is_some_and(|value| value.canonical.is_some())
            };
            (0..=self.others.len()).all(known)
        };
        let shorter = |key: &[u32]| -> Key {
            let mut short = key[..2 + self.layout.proxies.len()].to_vec();
            short[0] = key[self.place(model)];
            short.into()
        };
        let mut layout = self.layout.clone();
        layout.prediction = self.prediction_column(model).clone();
        layout.others.clear();
        layout.by.clear();
        let mut alone = RawTable {
            files: self.files.clone(),
            columns: self.columns,
            layout,
            prediction: self.prediction_of(model).clone(),
            others: Vec::new(),
            segments: Vec::new(),
            label: self.label.clone(),
            guessed: self.guessed.clone(),
            truth: self.truth.clone(),
            cells: HashMap::new(),
            true_cells: BTreeMap::new(),
            audit_labels: Dictionary::default(),
            labelled: BTreeMap::new(),
            weighted: self.weighted,
            score_groups: self.score_groups.clone(),
            rows: self.rows,
            noise: self.noise.clone(),
            negative: self
                .negative
                .iter()
                .filter(|(key, _)| decided(key))
                .map(|(key, n)| (shorter(key), *n))
                .collect(),
            noisy_cells: [self.noisy_cells[0]; 2],
            skipped: self.skipped.clone(),
            hidden: self.hidden.clone(),
            #[cfg(feature = "neighbors")]
            lent: None,
        };
        for (key, raw) in self.cells.iter().filter(|(key, _)| decided(key)) {
            alone.cells.entry(shorter(key)).or_default().merge(raw);
        }
        for ((key, group), weight) in self.true_cells.iter().filter(|((key, _), _)| decided(key)) {
            alone.true_cells.entry((shorter(key), *group)).or_default().merge(weight);
        }
        alone
    }
}
