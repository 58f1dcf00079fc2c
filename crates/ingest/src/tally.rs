//! From rows to [`Counts`]: the last place that sees a row.
//!
//! Rows are counted by their raw values, so that a row costs a few look-ups; names are made sense of once, at
//! the end. Weights are summed exactly, so neither the order of rows nor the way a file is cut changes a digit.

use crate::columns::{Columns, Layout, ProxyKind};
use crate::error::{IngestError, Place, Problem};
use crate::value::{Dictionary, Refused, is_missing, sort_names};
use fairveil_core::{
    AuditLabels, Cell, Class, Counts, ExactSum, Group, Guess, Intake, Legend, PairedCell, Population, Proxy,
    ScoreTotals, Spelling, Stratum, Tally, Truth,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A table, read: the tally, and the true groups where a column of them was named.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The tally.
    pub counts: Counts,
    /// True groups, only to compare against.
    pub truth: Option<Truth>,
}

/// Several models on the same rows, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// One table for each model.
    pub tables: Vec<Table>,
    /// Their rows with all decisions, and what they weigh.
    pub rows: Vec<(PairedCell, f64)>,
}

/// Past this many distinct values a column holds something else than groups.
pub const MOST_GROUPS: usize = 10_000;
/// Past this many distinct values a column holds something else than decisions.
pub const MOST_CLASSES: usize = 50;
/// Past this many cells the tally no longer fits comfortably in memory.
const MOST_CELLS: usize = 4_000_000;
/// How far the probabilities of a row may be from summing to one: rounding in the export.
const SUM_TOLERANCE: f64 = 0.01;
/// Past this weights lose their units.
const MOST_WEIGHT: f64 = 1e12;
/// The code of "no guess" among raw values of a probability proxy.
pub(crate) const ABSTAINS: u32 = u32::MAX;

/// Raw codes of one row.
type Key = Box<[u32]>;

/// Rows on their way to a tally.
pub(crate) struct RowCounter<'a> {
    file: &'a str,
    columns: &'a Columns,
    layout: Layout,
    prediction: Dictionary,
    /// Decisions of further models.
    others: Vec<Dictionary>,
    label: Dictionary,
    guessed: Vec<Dictionary>,
    truth: Dictionary,
    /// Raw codes of prediction, label, guesses and further predictions.
    cells: HashMap<Key, RawTally>,
    /// Raw codes of a cell, and of the true group.
    true_cells: BTreeMap<(Key, u32), ExactSum>,
    audit_labels: Dictionary,
    /// Raw codes of a cell, and of the known group.
    labelled: BTreeMap<(Key, u32), (u64, ExactSum)>,
    rows: u64,
    key: Vec<u32>,
}

#[derive(Clone, Default)]
struct RawTally {
    rows: u64,
    weight: ExactSum,
    squares: ExactSum,
    scores: Vec<ExactSum>,
    scored: ExactSum,
}

impl<'a> RowCounter<'a> {
    pub fn new(file: &'a str, columns: &'a Columns, layout: Layout) -> Self {
        RowCounter {
            file,
            columns,
            prediction: Dictionary::default(),
            others: layout.others.iter().map(|_| Dictionary::default()).collect(),
            label: Dictionary::default(),
            guessed: layout.proxies.iter().map(|_| Dictionary::default()).collect(),
            truth: Dictionary::default(),
            cells: HashMap::new(),
            true_cells: BTreeMap::new(),
            audit_labels: Dictionary::default(),
            labelled: BTreeMap::new(),
            rows: 0,
            key: Vec::new(),
            layout,
        }
    }

    /// Counts one row.
    pub fn add(&mut self, line: u64, record: &csv::ByteRecord) -> Result<(), IngestError> {
        let field = |position: usize| &record[position];
        let missing = &self.columns.missing;
        let layout = &self.layout;
        let place =
            |column: &str| Place { file: self.file.into(), line: Some(line), column: Some(column.into()) };
        let code = |dictionary: &mut Dictionary, column: &crate::columns::Column, what, limit| {
            dictionary.code(field(column.position), line, missing, limit).map_err(|refused| IngestError {
                place: place(&column.name),
                problem: match refused {
                    Refused::NotUtf8 => Problem::NotUtf8,
                    Refused::Full => Problem::TooManyValues { what, limit },
                },
            })
        };
        let text = |column: &crate::columns::Column| {
            std::str::from_utf8(field(column.position))
                .map_err(|_| IngestError { place: place(&column.name), problem: Problem::NotUtf8 })
        };
        self.rows += 1;
        self.key.clear();
        self.key.push(code(&mut self.prediction, &layout.prediction, "class", MOST_CLASSES)?);
        self.key.push(match &layout.label {
            Some(column) => code(&mut self.label, column, "class", MOST_CLASSES)?,
            None => 0,
        });
        let weight = match &layout.weight {
            None => 1.0,
            Some(column) => {
                let text = text(column)?;
                let parsed = text.trim().parse().ok().filter(|weight| (0.0..=MOST_WEIGHT).contains(weight));
                parsed.ok_or_else(|| IngestError {
                    place: place(&column.name),
                    problem: Problem::Weight { value: text.to_owned() },
                })?
            }
        };
        let mut scores: Vec<f64> = Vec::new();
        let mut scored = 0.0;
        for (proxy, dictionary) in layout.proxies.iter().zip(&mut self.guessed) {
            match &proxy.kind {
                ProxyKind::Guess(column) => self.key.push(code(dictionary, column, "group", MOST_GROUPS)?),
                ProxyKind::Probabilities(columns) => {
                    let given = probabilities(&proxy.name, columns, missing, &place, record)?;
                    self.key.push(match given.len() {
                        0 => ABSTAINS,
                        _ => {
                            scores.resize(given.len(), 0.0);
                            scores.iter_mut().zip(&given).for_each(|(total, p)| *total += p);
                            scored += 1.0;
                            most_likely(&given)
                        }
                    });
                }
            }
        }
        for (column, dictionary) in layout.others.iter().zip(&mut self.others) {
            self.key.push(code(dictionary, column, "class", MOST_CLASSES)?);
        }
        if !self.cells.contains_key(self.key.as_slice()) {
            if self.cells.len() >= MOST_CELLS {
                let place = Place { file: self.file.into(), line: Some(line), column: None };
                return Err(IngestError { place, problem: Problem::TooManyCells { limit: MOST_CELLS } });
            }
            self.cells.insert(self.key.as_slice().into(), RawTally::default());
        }
        if let Some(cell) = self.cells.get_mut(self.key.as_slice()) {
            cell.rows += 1;
            if layout.weight.is_some() {
                cell.weight.add(weight);
                cell.squares.add(weight * weight);
            }
            if scored > 0.0 {
                cell.scores.resize(scores.len(), ExactSum::default());
                cell.scores.iter_mut().zip(&scores).for_each(|(sum, score)| sum.add(weight * score / scored));
                cell.scored.add(weight);
            }
        }
        if let Some(column) = &layout.audit_labels {
            let group = code(&mut self.audit_labels, column, "group", MOST_GROUPS)?;
            if self.audit_labels.values[group as usize].canonical.is_some() {
                let place = (self.key.as_slice().into(), group);
                let (rows, sum) = self.labelled.entry(place).or_default();
                *rows += 1;
                sum.add(weight);
            }
        }
        if let Some(column) = &layout.truth {
            let group = code(&mut self.truth, column, "group", MOST_GROUPS)?;
            if self.truth.values[group as usize].canonical.is_none() {
                return Err(IngestError { place: place(&column.name), problem: Problem::TruthMissing });
            }
            self.true_cells.entry((self.key.as_slice().into(), group)).or_default().add(weight);
        }
        Ok(())
    }

    /// Makes sense of the names and hands over the tally.
    pub fn finish(self) -> Result<Table, IngestError> {
        if self.rows == 0 {
            return Err(self.error(None, None, Problem::NoRows));
        }
        if self.prediction.values.iter().all(|value| value.canonical.is_none()) {
            return Err(self.error(None, Some(&self.layout.prediction.name), Problem::NoPredictions));
        }
        let counted = self.counted();
        if counted[0].is_empty() {
            let column = self.layout.weight.as_ref().map(|column| column.name.as_str());
            return Err(self.error(None, column, Problem::NoWeight));
        }
        let classes = self.classes(&counted)?;
        let positive = self.positive(&classes)?;
        let groups = self.groups(&counted)?;
        let class_at = positions(&classes);
        let group_at = positions(&groups);
        let class = |dictionary: &Dictionary, code: u32| {
            let value = dictionary.values.get(code as usize)?.canonical.as_deref()?;
            class_at.get(value).copied().map(Class)
        };
        let stratum = |key: &[u32]| {
            let label = self.layout.label.as_ref().and_then(|_| class(&self.label, key[1]));
            class(&self.prediction, key[0]).map(|prediction| Stratum { label, prediction })
        };
        let mut intake = Intake { spellings: self.spellings(), ..Intake::default() };
        let mut cells: BTreeMap<Cell, RawTally> = BTreeMap::new();
        let mut squares = ExactSum::default();
        for (key, raw) in &self.cells {
            let Some(stratum) = stratum(key) else {
                intake.without_prediction += raw.rows;
                continue;
            };
            intake.rows += raw.rows;
            squares.merge(&raw.squares);
            if self.layout.label.is_some() && stratum.label.is_none() {
                intake.without_label += raw.rows;
            }
            let guesses = self.guesses(key, &group_at);
            let cell = cells.entry(Cell { stratum, guesses }).or_default();
            cell.rows += raw.rows;
            cell.weight.merge(&raw.weight);
            cell.scores.resize(raw.scores.len().max(cell.scores.len()), ExactSum::default());
            cell.scores.iter_mut().zip(&raw.scores).for_each(|(sum, more)| sum.merge(more));
            cell.scored.merge(&raw.scored);
        }
        intake.squared_weights = self.layout.weight.as_ref().map(|_| squares.value());
        let score_places = self.score_places(&group_at);
        let tally = |raw: RawTally| {
            let scores = (!raw.scores.is_empty()).then(|| {
                let mut totals = vec![0.0; groups.len()];
                raw.scores.iter().zip(&score_places).for_each(|(sum, place)| totals[*place] = sum.value());
                ScoreTotals { totals: totals.into(), weight: raw.scored.value() }
            });
            let weight = if self.layout.weight.is_some() { raw.weight.value() } else { raw.rows as f64 };
            Tally { weight, scores }
        };
        let mut truth = self.layout.truth.as_ref().map(|_| BTreeMap::<(Stratum, Group), ExactSum>::new());
        for ((key, group), weight) in &self.true_cells {
            let (Some(truth), Some(stratum)) = (&mut truth, stratum(key)) else {
                continue;
            };
            let group = self.known_group(&self.layout.truth, &self.truth, *group, &group_at, &groups)?;
            truth.entry((stratum, group)).or_default().merge(weight);
        }
        let mut audit_labels = AuditLabels::new(Population::Same);
        for ((key, group), (rows, weight)) in &self.labelled {
            let Some(stratum) = stratum(key) else { continue };
            let guesses = self.guesses(key, &group_at);
            let (column, values) = (&self.layout.audit_labels, &self.audit_labels);
            let group = self.known_group(column, values, *group, &group_at, &groups)?;
            audit_labels.add(Some(stratum), guesses, group, *rows, weight.value());
        }
        if let (Some(column), 0) = (&self.layout.audit_labels, audit_labels.rows()) {
            return Err(self.error(None, Some(&column.name), Problem::NoAuditLabels));
        }
        let truth = truth.map(|cells| {
            let mut truth = Truth::default();
            cells.into_iter().for_each(|((stratum, group), sum)| truth.add(stratum, group, sum.value()));
            truth
        });
        let proxy =
            |p: &crate::columns::ProxyColumn| Proxy { name: p.name.clone(), source: p.source.clone() };
        let legend = Legend {
            positive,
            proxies: self.layout.proxies.iter().map(proxy).collect(),
            prediction: self.layout.prediction.name.clone(),
            label: self.layout.label.as_ref().map(|column| column.name.clone()),
            groups: groups.clone(),
            classes: classes.clone(),
        };
        let cells = cells.into_iter().map(|(cell, raw)| (cell, tally(raw)));
        match Counts::new(legend, intake, cells) {
            Ok(counts) => {
                let labelled = audit_labels.rows() > 0;
                Ok(Table {
                    counts: if labelled { counts.with_audit_labels(audit_labels) } else { counts },
                    truth,
                })
            }
            Err(error) => Err(self.error(None, None, Problem::Counts(error))),
        }
    }

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
            match &self.layout.weight {
                Some(_) => sum.merge(&raw.weight),
                None => sum.add(raw.rows as f64),
            }
        }
        let rows = rows.into_iter().map(|(cell, sum)| (cell, sum.value())).collect();
        Ok(Compared { tables, rows })
    }

    fn prediction_of(&self, model: usize) -> &Dictionary {
        if model == 0 { &self.prediction } else { &self.others[model - 1] }
    }

    fn prediction_column(&self, model: usize) -> &crate::columns::Column {
        if model == 0 { &self.layout.prediction } else { &self.layout.others[model - 1] }
    }

    /// Where the decision of a model stands in a key.
    fn place(&self, model: usize) -> usize {
        if model == 0 { 0 } else { 1 + self.layout.proxies.len() + model }
    }

    /// The rows that all models decide, as if this one were the only one.
    fn of_model(&self, model: usize) -> RowCounter<'a> {
        let decided = |key: &[u32]| {
            let known = |model: usize| {
                let value = self.prediction_of(model).values.get(key[self.place(model)] as usize);
                value.is_some_and(|value| value.canonical.is_some())
            };
            (0..=self.others.len()).all(known)
        };
        let shorter = |key: &[u32]| -> Box<[u32]> {
            let mut short = key[..2 + self.layout.proxies.len()].to_vec();
            short[0] = key[self.place(model)];
            short.into()
        };
        let mut layout = self.layout.clone();
        layout.prediction = self.prediction_column(model).clone();
        layout.others.clear();
        let mut alone = RowCounter::new(self.file, self.columns, layout);
        alone.prediction = self.prediction_of(model).clone();
        alone.label = self.label.clone();
        alone.guessed = self.guessed.clone();
        alone.truth = self.truth.clone();
        alone.rows = self.rows;
        for (key, raw) in self.cells.iter().filter(|(key, _)| decided(key)) {
            let cell = alone.cells.entry(shorter(key)).or_default();
            cell.rows += raw.rows;
            cell.weight.merge(&raw.weight);
            cell.squares.merge(&raw.squares);
            cell.scores.resize(raw.scores.len().max(cell.scores.len()), ExactSum::default());
            cell.scores.iter_mut().zip(&raw.scores).for_each(|(sum, more)| sum.merge(more));
            cell.scored.merge(&raw.scored);
        }
        for ((key, group), weight) in self.true_cells.iter().filter(|((key, _), _)| decided(key)) {
            alone.true_cells.entry((shorter(key), *group)).or_default().merge(weight);
        }
        alone
    }

    fn error(&self, line: Option<u64>, column: Option<&str>, problem: Problem) -> IngestError {
        let place = Place { file: self.file.into(), line, column: column.map(str::to_owned) };
        IngestError { place, problem }
    }

    /// For prediction, label and each proxy, the raw codes on rows that count: with a prediction and some weight.
    fn counted(&self) -> Vec<BTreeSet<u32>> {
        let mut counted = vec![BTreeSet::new(); 2 + self.layout.proxies.len()];
        for (key, raw) in &self.cells {
            let predicted = self.prediction.values[key[0] as usize].canonical.is_some();
            if predicted && (self.layout.weight.is_none() || raw.weight.value() > 0.0) {
                for (codes, code) in counted.iter_mut().zip(key.iter()) {
                    codes.insert(*code);
                }
            }
        }
        counted
    }

    fn classes(&self, counted: &[BTreeSet<u32>]) -> Result<Vec<String>, IngestError> {
        let names = |dictionary: &Dictionary, codes: &BTreeSet<u32>| -> BTreeSet<String> {
            codes.iter().filter_map(|code| dictionary.values.get(*code as usize)?.canonical.clone()).collect()
        };
        let predictions = names(&self.prediction, &counted[0]);
        let labels = match &self.layout.label {
            Some(_) => names(&self.label, &counted[1]),
            None => BTreeSet::new(),
        };
        let sorted = |names: BTreeSet<String>| {
            let mut names: Vec<String> = names.into_iter().collect();
            sort_names(&mut names);
            names
        };
        let column = Some(self.layout.prediction.name.as_str());
        if !labels.is_empty() && predictions.is_disjoint(&labels) {
            let problem = Problem::Disjoint { predictions: sorted(predictions), labels: sorted(labels) };
            return Err(self.error(None, column, problem));
        }
        match predictions.len() {
            0 | 1 => {
                Err(self.error(None, column, Problem::TooFew { what: "classes", found: sorted(predictions) }))
            }
            _ => Ok(sorted(&predictions | &labels)),
        }
    }

    /// The positive class: the one named, the larger of two numbers, or the one that says yes.
    fn positive(&self, classes: &[String]) -> Result<Class, IngestError> {
        let column = Some(self.layout.prediction.name.as_str());
        let find = |wanted: &dyn Fn(&str) -> bool| classes.iter().position(|class| wanted(class)).map(Class);
        if let Some(asked) = &self.columns.positive {
            let value = crate::value::canonical(asked);
            return find(&|class| class == value).ok_or_else(|| {
                let problem = Problem::UnknownPositive { value: asked.clone(), classes: classes.to_vec() };
                self.error(None, column, problem)
            });
        }
        let numeric = classes.iter().all(|class| class.parse::<f64>().is_ok_and(f64::is_finite));
        let says_yes = |class: &str| ["1", "true", "yes"].iter().any(|yes| class.eq_ignore_ascii_case(yes));
        let found = match (classes.len(), numeric) {
            (2, true) => Some(Class(1)),
            (2, false) => find(&says_yes),
            _ => None,
        };
        found.ok_or_else(|| self.error(None, column, Problem::PositiveNotSaid { classes: classes.to_vec() }))
    }

    /// What each proxy can guess, with the line on which it first did (the header for probability columns).
    fn known(&self, proxy: usize, counted: &BTreeSet<u32>) -> BTreeMap<String, u64> {
        let mut known = BTreeMap::new();
        match &self.layout.proxies[proxy].kind {
            ProxyKind::Guess(_) => {
                let values = counted.iter().filter_map(|code| self.guessed[proxy].values.get(*code as usize));
                for value in values {
                    if let Some(name) = &value.canonical {
                        let first = known.entry(name.clone()).or_insert(value.first_line);
                        *first = value.first_line.min(*first);
                    }
                }
            }
            ProxyKind::Probabilities(columns) => {
                known.extend(columns.iter().map(|(group, _)| (group.clone(), 1)));
            }
        }
        known
    }

    fn groups(&self, counted: &[BTreeSet<u32>]) -> Result<Vec<String>, IngestError> {
        let asked: Option<Vec<String>> = (self.columns.groups.as_ref())
            .map(|groups| groups.iter().map(|group| crate::value::canonical(group).into_owned()).collect());
        let twice = |groups: &Vec<String>| {
            let repeated = groups.iter().enumerate().find(|(i, value)| groups[..*i].contains(value));
            repeated.map(|(_, value)| value.clone())
        };
        if let Some(value) = asked.as_ref().and_then(twice) {
            return Err(self.error(None, None, Problem::GroupTwice { value }));
        }
        let known: Vec<BTreeMap<String, u64>> =
            (0..self.layout.proxies.len()).map(|c| self.known(c, &counted[2 + c])).collect();
        let sorted = |names: BTreeSet<String>| {
            let mut names: Vec<String> = names.into_iter().collect();
            sort_names(&mut names);
            names
        };
        let all = sorted(known.iter().flat_map(|known| known.keys().cloned()).collect());
        // A proxy that never varies knows one value and makes those of the others look lonely; the audit names it.
        let all_vary = known.iter().all(|known| known.len() > 1);
        for (c, mine) in known.iter().enumerate() {
            let column = Some(self.layout.proxies[c].name.as_str());
            for (value, line) in mine {
                match &asked {
                    Some(groups) if !groups.contains(value) => {
                        let problem = Problem::UnknownGroup { value: value.clone(), groups: groups.clone() };
                        return Err(self.error(Some(*line), column, problem));
                    }
                    None if known.len() > 1 && all_vary => {
                        let others = known.iter().enumerate().filter(|(other, _)| *other != c);
                        let others: BTreeSet<String> =
                            others.flat_map(|(_, known)| known.keys().cloned()).collect();
                        if !others.contains(value) {
                            let problem =
                                Problem::LonelyGuess { value: value.clone(), known: sorted(others) };
                            return Err(self.error(Some(*line), column, problem));
                        }
                    }
                    _ => {}
                }
            }
        }
        let groups = match &asked {
            Some(groups) => {
                if let Some(value) = groups.iter().find(|group| !all.contains(group)) {
                    let problem = Problem::GroupNeverGuessed { value: value.clone(), known: all };
                    return Err(self.error(None, None, problem));
                }
                groups.clone()
            }
            None => all,
        };
        if groups.len() < 2 {
            let column = Some(self.layout.proxies[0].name.as_str());
            return Err(self.error(None, column, Problem::TooFew { what: "groups", found: groups }));
        }
        Ok(groups)
    }

    fn guesses(&self, key: &[u32], group_at: &HashMap<&str, usize>) -> Box<[Option<Guess>]> {
        let codes = key[2..].iter().take(self.layout.proxies.len());
        codes.enumerate().map(|(c, code)| self.guess(c, *code, group_at)).collect()
    }

    fn guess(&self, proxy: usize, code: u32, group_at: &HashMap<&str, usize>) -> Option<Guess> {
        let name = match &self.layout.proxies[proxy].kind {
            ProxyKind::Guess(_) => self.guessed[proxy].values.get(code as usize)?.canonical.as_deref()?,
            ProxyKind::Probabilities(columns) => &columns.get(code as usize)?.0,
        };
        group_at.get(name).copied().map(Guess)
    }

    /// The group that each score total is about.
    fn score_places(&self, group_at: &HashMap<&str, usize>) -> Vec<usize> {
        let probabilities = self.layout.proxies.iter().find_map(|proxy| match &proxy.kind {
            ProxyKind::Probabilities(columns) => Some(columns),
            ProxyKind::Guess(_) => None,
        });
        let place = |(group, _): &(String, _)| group_at.get(group.as_str()).copied();
        probabilities.map(|columns| columns.iter().filter_map(place).collect()).unwrap_or_default()
    }

    /// The group that a value of a column of known groups means.
    fn known_group(
        &self,
        column: &Option<crate::columns::Column>,
        values: &Dictionary,
        code: u32,
        group_at: &HashMap<&str, usize>,
        groups: &[String],
    ) -> Result<Group, IngestError> {
        let value = &values.values[code as usize];
        let name = value.canonical.as_deref().unwrap_or_default();
        group_at.get(name).copied().map(Group).ok_or_else(|| {
            let column = column.as_ref().map(|column| column.name.as_str());
            let problem = Problem::UnknownTruth { value: name.to_owned(), groups: groups.to_vec() };
            self.error(Some(value.first_line), column, problem)
        })
    }

    fn spellings(&self) -> Vec<Spelling> {
        let mut columns: Vec<(&str, &Dictionary)> = vec![(&self.layout.prediction.name, &self.prediction)];
        columns.extend(self.layout.label.as_ref().map(|column| (column.name.as_str(), &self.label)));
        columns.extend(self.layout.proxies.iter().map(|proxy| proxy.name.as_str()).zip(&self.guessed));
        let mut found = Vec::new();
        for (column, dictionary) in columns {
            let mut written: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
            for value in &dictionary.values {
                if let Some(read_as) = &value.canonical {
                    written.entry(read_as).or_default().insert(&value.text);
                }
            }
            found.extend(written.into_iter().filter(|(_, written)| written.len() > 1).map(
                |(read_as, written)| Spelling {
                    column: column.to_owned(),
                    read_as: read_as.to_owned(),
                    written: written.into_iter().map(|text| format!("\"{text}\"")).collect(),
                },
            ));
        }
        found
    }
}

fn positions(names: &[String]) -> HashMap<&str, usize> {
    names.iter().enumerate().map(|(position, name)| (name.as_str(), position)).collect()
}

/// What a proxy gives to each group on a row; nothing where it abstains.
pub(crate) fn probabilities(
    proxy: &str,
    columns: &[(String, crate::columns::Column)],
    missing: &[String],
    place: &dyn Fn(&str) -> Place,
    record: &csv::ByteRecord,
) -> Result<Vec<f64>, IngestError> {
    let mut given = Vec::with_capacity(columns.len());
    for (_, column) in columns {
        let text = std::str::from_utf8(&record[column.position])
            .map_err(|_| IngestError { place: place(&column.name), problem: Problem::NotUtf8 })?;
        if is_missing(text, missing) {
            continue;
        }
        let parsed = text.trim().parse().ok().filter(|p| (0.0..=1.0).contains(p));
        given.push(parsed.ok_or_else(|| IngestError {
            place: place(&column.name),
            problem: Problem::Probability { value: text.to_owned() },
        })?);
    }
    let sum: f64 = given.iter().sum();
    let problem = match given.len() {
        0 => return Ok(given),
        n if n < columns.len() => Problem::ProbabilityMissing,
        _ if (sum - 1.0).abs() > SUM_TOLERANCE => Problem::ProbabilitySum { sum },
        _ => return Ok(given),
    };
    Err(IngestError { place: place(proxy), problem })
}

/// The position of the largest probability; a tie abstains.
pub(crate) fn most_likely(probabilities: &[f64]) -> u32 {
    let largest = probabilities.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut holders = probabilities.iter().enumerate().filter(|(_, p)| **p == largest);
    match (holders.next(), holders.next()) {
        (Some((position, _)), None) => position as u32,
        _ => ABSTAINS,
    }
}
