//! Which columns a rule is learned from: those named, or all that have no other role.

use crate::columns::{
    AUDIT_LABELS, COUNT, Column, Columns, Count, FEATURE, Header, LABEL, Layout, PREDICTION, SEGMENT, TRUTH,
    WEIGHT, in_name_order,
};
use crate::error::{IngestError, Problem};
use crate::plan::{NumberKind, Plan, Planned};
use crate::training::TrainingProblem;
use fairveil_core::setting::Setting;
use std::collections::BTreeSet;

/// What the user said about the columns of a rule, beside [`Columns`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrainingColumns {
    /// The model's score, a finite number.
    pub score: Option<String>,
    /// Which rows are held out.
    pub split: Option<String>,
    /// Columns that are no features, each a name or the start of several.
    pub drop: Vec<String>,
    /// Features that are categories whatever they look like, each a name or the start of several.
    pub categorical: Vec<String>,
    /// Whether a table without proxies will do.
    pub proxies_optional: bool,
    /// Whether features are not looked at: weights need none.
    pub without_features: bool,
}

const SCORE: &str = "the score";
const SPLIT: &str = "the split";
const DECISION: &str = "the model's decisions or the labels";

/// Positions of the columns in one table.
#[derive(Debug, Clone)]
pub(super) struct TrainingLayout {
    /// As of an audit. Where there are no decisions, the labels stand in their place.
    pub layout: Layout,
    pub labels_only: bool,
    pub score: Option<Column>,
    pub split: Option<Column>,
    /// In the order of their names.
    pub features: Vec<Column>,
    /// Those of them that are categories because the user says so.
    pub categorical: BTreeSet<String>,
}

impl TrainingLayout {
    /// What is taken from each row, where these features are categories.
    pub fn plan(&self, categories: &BTreeSet<String>, lenient: bool) -> Planned {
        let kind = if lenient { NumberKind::ScoreOrNothing } else { NumberKind::Score };
        let score = self.score.as_ref().map(|column| (column, kind));
        let mut planned = Plan::of_training(&self.layout, score, self.split.as_ref());
        for column in &self.features {
            if categories.contains(&column.name) {
                planned.category(column);
            } else {
                planned.feature(column);
            }
        }
        planned
    }
}

impl TrainingColumns {
    /// Columns for the reader of JSON, which must know which keys it may not miss.
    pub(super) fn watched(&self, columns: &Columns) -> Columns {
        let mut features = columns.features.clone();
        if features.is_empty() && !self.without_features {
            // Every name starts like this.
            features.push(String::new());
        } else {
            features.extend(columns.y_pred.is_none().then(|| "y_pred".to_owned()));
        }
        Columns { features, ..columns.clone() }
    }

    pub(super) fn resolve(
        &self,
        columns: &Columns,
        file: &str,
        names: &[String],
    ) -> Result<TrainingLayout, IngestError> {
        let header = Header { file, names };
        let refuse = |column: Option<&str>, problem| Err(header.error(column, Problem::Training(problem)));
        let optional = |named: &Option<String>, default: &str, role| match named {
            Some(name) => header.named(name, role).map(Some),
            None => header.find(default),
        };
        let prediction = optional(&columns.y_pred, "y_pred", PREDICTION)?;
        let label = optional(&columns.y_true, "y_true", LABEL)?;
        let labels_only = prediction.is_none();
        let (prediction, label) = match (prediction, label) {
            (Some(prediction), label) => (prediction, label),
            (None, Some(label)) => (label, None),
            (None, None) => {
                return Err(header.not_said(DECISION, "y_pred", &[Setting::YPred, Setting::YTrue]));
            }
        };
        self.refuse_tally(columns, &header)?;
        let score = self.score.as_ref().map(|name| header.named(name, SCORE)).transpose()?;
        let split = self.split.as_ref().map(|name| header.named(name, SPLIT)).transpose()?;
        let one =
            |name: &Option<String>, role| name.as_ref().map(|name| header.named(name, role)).transpose();
        let all = |names: &[String], role| -> Result<Vec<Column>, IngestError> {
            names.iter().map(|name| header.named(name, role)).collect()
        };
        let proxies = match columns.resolve_proxies(&header, None) {
            Err(IngestError { problem: Problem::NotSaid { .. }, .. }) if self.proxies_optional => Vec::new(),
            proxies => proxies?,
        };
        let layout = Layout {
            threshold: None,
            outcome: None,
            guesses_alone: false,
            control: Vec::new(),
            prediction,
            others: all(&columns.other_preds, PREDICTION)?,
            by: all(&columns.by, SEGMENT)?,
            cut: None,
            cluster: None,
            id: None,
            label,
            proxies,
            weight: optional(&columns.weight, "weight", WEIGHT)?,
            truth: one(&columns.truth, TRUTH)?,
            audit_labels: one(&columns.audit_labels, AUDIT_LABELS)?,
            label_probability: None,
            tallied: None,
            features: Vec::new(),
            maps: header.maps(&columns.map)?,
        };
        header.refuse_idle_maps(&columns.map, &layout)?;
        header.refuse_double_use(&layout)?;
        header.refuse_other_groups(&layout.proxies)?;
        let mut roles = layout.used();
        if labels_only {
            roles[0].1 = LABEL;
        }
        roles.extend(layout.by.iter().map(|column| (column, SEGMENT)));
        roles.extend(layout.truth.iter().map(|column| (column, TRUTH)));
        for (column, second) in score.iter().map(|c| (c, SCORE)).chain(split.iter().map(|c| (c, SPLIT))) {
            if let Some((_, first)) = roles.iter().find(|(other, _)| *other == column) {
                let problem = Problem::UsedTwice { first, second };
                return Err(header.error(Some(&column.name), problem));
            }
            roles.push((column, second));
        }
        let mut dropped = BTreeSet::new();
        for asked in &self.drop {
            dropped.extend(header.starting(asked)?);
        }
        let kept = |column: &Column| !dropped.contains(&column.name);
        let features: Vec<Column> = if self.without_features {
            Vec::new()
        } else if columns.features.is_empty() {
            let is_free = |name: &&String| {
                !dropped.contains(name) && !roles.iter().any(|(column, _)| column.name == **name)
            };
            let free = names.iter().filter(is_free).map(|name| header.named(name, FEATURE));
            in_name_order(free.collect::<Result<_, _>>()?)
        } else {
            header.features(&columns.features, &roles)?.into_iter().filter(kept).collect()
        };
        if features.iter().any(|column| column.name.is_empty()) {
            return refuse(None, TrainingProblem::NoName);
        }
        if features.is_empty() && score.is_none() && !self.without_features {
            return refuse(None, TrainingProblem::NoFeatures { columns: names.to_vec() });
        }
        let mut categorical = BTreeSet::new();
        for asked in &self.categorical {
            let named: Vec<&String> = header.starting(asked)?;
            let found: Vec<&&String> =
                named.iter().filter(|name| features.iter().any(|column| column.name == ***name)).collect();
            if found.is_empty() {
                return refuse(Some(asked), TrainingProblem::NoFeature);
            }
            categorical.extend(found.into_iter().map(|name| (*name).clone()));
        }
        Ok(TrainingLayout { layout, labels_only, score, split, features, categorical })
    }

    /// A rule is learned from people, and the rows of a tally stand for many.
    fn refuse_tally(&self, columns: &Columns, header: &Header) -> Result<(), IngestError> {
        let named = |asked: &Vec<String>| asked.iter().any(|name| name == COUNT);
        let given = columns.gives_role(COUNT)
            || self.score.as_deref() == Some(COUNT)
            || named(&columns.features)
            || named(&self.drop);
        match &columns.count {
            Count::Never => Ok(()),
            Count::Column(name) => {
                Err(header.error(Some(name), Problem::Training(TrainingProblem::RowsNeeded)))
            }
            Count::Detect if given || header.find(COUNT)?.is_none() => Ok(()),
            Count::Detect => Err(header.error(Some(COUNT), Problem::RowsOfMany)),
        }
    }
}
