//! What to take from every row: the columns of a layout as keys to look up and numbers to add.

use crate::bins::Bins;
use crate::cells::Key;
use crate::columns::{
    Column, Columns, Cut, HIDDEN, INVALID, LabelColumns, Layout, Maps, NOISE, ProxyColumn, ProxyKind,
    Tallied, ValueMap,
};
use crate::names::NameSource;
use crate::people::hashed;
use crate::period::Every;
use crate::tally::{
    CLUSTERS, MOST_CLASSES, MOST_CONTROLS, MOST_GROUPS, MOST_LEVELS, MOST_SEGMENTS, MOST_WEIGHT,
};
use std::collections::HashMap;
use std::sync::Arc;

/// Past this not every whole number can be told from the next.
pub(crate) const MOST_ROWS: f64 = 9e15;
/// So many rows of the largest weight, squared: no sum over rows is larger, and any number of them can be added.
const MOST_SUM: f64 = MOST_ROWS * MOST_WEIGHT * MOST_WEIGHT;

/// Past this squares lose what outcomes of the usual size add to them.
pub(crate) const MOST_OUTCOME: f64 = 1e12;

/// What is taken from a row, the same for every file of a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    pub keys: Vec<KeyColumn>,
    /// Which of the keys has which role.
    pub roles: Roles,
    pub numbers: Vec<NumberColumn>,
    /// Probability proxies: the key that holds the most likely group, and the numbers; none for a group that has the rest.
    pub probabilities: Vec<(usize, Vec<Option<usize>>)>,
    /// Sources of names, and the keys that hold what they guess.
    pub sources: Vec<Arc<NameSource>>,
    pub source_keys: Vec<usize>,
    /// The key that says which file a row is of.
    pub by_file: Option<usize>,
    /// What names say is not counted, only what they guess.
    pub guesses_alone: bool,
    /// The groups that probabilities or their totals are about.
    pub score_groups: Vec<String>,
    pub weight: Option<usize>,
    /// A number to compare.
    pub outcome: Option<usize>,
    /// The chance that a row was labelled.
    pub label_chance: Option<usize>,
    pub tally: Option<TallyNumbers>,
    /// The key of the true groups, which must be there on every row.
    pub truth: Option<usize>,
    /// Columns of features, in the order of their names.
    pub features: Vec<String>,
    pub feature_use: FeatureUse,
    /// The number that is the model's score.
    pub score: Option<usize>,
    /// Whether rows get a number for their whole content.
    pub marked: bool,
}

/// What features are for, which says what they may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FeatureUse {
    /// For distances: a number on every row, or a list of them.
    Near,
    /// For a rule: a number, or nothing, which is NaN.
    Train,
    /// To find out what a column holds: 0 for a number, NaN for nothing, infinity for all else.
    Look,
}

/// A column whose values are told apart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KeyColumn {
    pub name: String,
    pub role: Role,
    /// How many distinct values are taken.
    pub limit: usize,
    /// What its values mean.
    pub map: Option<Arc<ValueMap>>,
    /// Its values are scores, told apart at this one alone.
    pub threshold: Option<f64>,
    /// Its values are numbers, told apart by these.
    pub bins: Option<Bins>,
}

/// What a key says of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Prediction,
    Label,
    Guess,
    Segment,
    /// The same, of the period that its date lies in.
    Period(Every),
    /// The same, of the bin that its number lies in.
    Bin,
    /// What evidence is used within.
    Control,
    /// Which of a fixed number of parts the row's cluster was put into.
    Cluster,
    KnownGroup,
    TrueGroup,
    /// Whether the row is held out.
    Split,
    /// A feature.
    Category,
}

impl Role {
    /// What a value is, for messages.
    pub fn what(self) -> &'static str {
        match self {
            Role::Prediction | Role::Label => "class",
            Role::Guess | Role::KnownGroup | Role::TrueGroup => "group",
            Role::Segment => "segment",
            Role::Period(_) => "period",
            Role::Bin => "bin",
            Role::Control => "value to control for",
            Role::Cluster => "cluster",
            Role::Split => "side of the split",
            Role::Category => "category",
        }
    }

    fn limit(self) -> usize {
        match self {
            Role::Prediction | Role::Label => MOST_CLASSES,
            Role::Guess | Role::KnownGroup | Role::TrueGroup => MOST_GROUPS,
            Role::Segment | Role::Period(_) | Role::Bin => MOST_SEGMENTS,
            Role::Control => MOST_CONTROLS,
            Role::Cluster => CLUSTERS,
            Role::Split => MOST_CLASSES,
            Role::Category => MOST_LEVELS,
        }
    }
}

/// Where the keys of each role stand among all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Roles {
    /// Of the model, and of further models after it.
    pub predictions: Vec<usize>,
    pub label: Option<usize>,
    /// In the order of the proxies.
    pub guesses: Vec<usize>,
    pub segments: Vec<usize>,
    pub controls: Vec<usize>,
    pub cluster: Option<usize>,
    pub known: Option<usize>,
    pub truth: Option<usize>,
    pub split: Option<usize>,
    pub categories: Vec<usize>,
}

impl Roles {
    fn add(&mut self, role: Role, place: usize) {
        match role {
            Role::Prediction => self.predictions.push(place),
            Role::Label => self.label = Some(place),
            Role::Guess => self.guesses.push(place),
            Role::Segment | Role::Period(_) | Role::Bin => self.segments.push(place),
            Role::Control => self.controls.push(place),
            Role::Cluster => self.cluster = Some(place),
            Role::KnownGroup => self.known = Some(place),
            Role::TrueGroup => self.truth = Some(place),
            Role::Split => self.split = Some(place),
            Role::Category => self.categories.push(place),
        }
    }

    /// The keys that an audit of the first model looks at.
    pub fn audited(&self) -> impl Iterator<Item = usize> {
        self.predictions.iter().take(1).chain(&self.label).chain(&self.guesses).copied()
    }

    /// The keys that say where a row's evidence counts: decision, label, segments and what is controlled for.
    pub fn placing(&self) -> impl Iterator<Item = usize> {
        let decided = self.predictions.iter().take(1).chain(&self.label);
        decided.chain(&self.segments).chain(&self.controls).copied()
    }

    /// The codes of a row that say so.
    pub fn place_of(&self, key: &[u32]) -> Key {
        let mut place: Key = vec![0; key.len()].into();
        self.placing().for_each(|at| place[at] = key[at]);
        place
    }

    /// The codes of a row without its known and its true group: rows that differ in nothing else are one.
    pub fn without_groups(&self, key: &[u32]) -> Key {
        let mut key: Key = key.into();
        self.known.iter().chain(&self.truth).for_each(|place| key[*place] = 0);
        key
    }
}

/// A column of numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NumberColumn {
    pub name: String,
    pub kind: NumberKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberKind {
    Weight,
    Probability,
    /// The chance that a row was labelled; rows without a label may have none.
    LabelChance,
    /// A whole number of rows.
    Rows,
    /// A whole number of rows, below zero where noise made it so; whether it may be is known when all was read.
    NoisyRows,
    /// A sum over rows.
    Sum,
    /// A whole number of rows or cells, in the line of a tally that tells it.
    Told,
    /// A sum over rows, in the line of a tally that tells it.
    ToldSum,
    /// An outcome, where a row has one. An infinite one is as good as none.
    Outcome,
    /// A sum of outcomes, or of their squares.
    OutcomeSum,
    /// The score of a model.
    Score,
    /// The score of a model, where it has one.
    ScoreOrNothing,
}

impl NumberKind {
    pub fn may_be_missing(self) -> bool {
        let optional = [
            NumberKind::Probability,
            NumberKind::LabelChance,
            NumberKind::Outcome,
            NumberKind::ScoreOrNothing,
        ];
        optional.contains(&self) || self.is_told()
    }

    /// Whether most lines say nothing.
    pub fn is_told(self) -> bool {
        matches!(self, NumberKind::Told | NumberKind::ToldSum)
    }

    /// Whether any number could be one, so that a number may also be what means nothing.
    pub fn is_score(self) -> bool {
        matches!(self, NumberKind::Score | NumberKind::ScoreOrNothing | NumberKind::Outcome)
    }

    pub fn accepts(self, number: f64) -> bool {
        match self {
            NumberKind::Weight => (0.0..=MOST_WEIGHT).contains(&number),
            NumberKind::Probability => (0.0..=1.0).contains(&number),
            NumberKind::LabelChance => number > 0.0 && number <= 1.0,
            NumberKind::Rows | NumberKind::Told => {
                (0.0..=MOST_ROWS).contains(&number) && number.fract() == 0.0
            }
            NumberKind::NoisyRows => (-MOST_ROWS..=MOST_ROWS).contains(&number) && number.fract() == 0.0,
            NumberKind::Sum | NumberKind::ToldSum => (0.0..=MOST_SUM).contains(&number),
            NumberKind::Outcome => number.is_infinite() || number.abs() <= MOST_OUTCOME,
            NumberKind::OutcomeSum => number.abs() <= MOST_SUM * MOST_OUTCOME,
            NumberKind::Score | NumberKind::ScoreOrNothing => number.is_finite(),
        }
    }
}

/// Where the numbers of a tally stand.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TallyNumbers {
    pub count: usize,
    /// Rows and squared weights, where rows had weights.
    pub weights: Option<(usize, usize)>,
    pub soft: Vec<usize>,
    pub soft_weight: Option<usize>,
    /// Cells, rows and weight that were withheld; a file may not have these columns.
    pub hidden: [usize; 3],
    pub invalid: usize,
    /// Epsilon and variance of noise; a file may not have these columns.
    pub noise: [usize; 2],
    /// Rows with an outcome, their weight, its sum and that of its squares.
    pub outcome: Option<[usize; 4]>,
}

/// What becomes of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    Key(usize),
    Number(usize),
    Feature(usize),
    /// A name or a place that a source knows.
    Name(usize),
    /// Who a row is about.
    Person,
    Rest,
    /// A part of the row's content, whatever else it is: the column, as a number.
    Mark(u64),
}

/// So many columns tell rows apart; of a table with more, those whose names come first.
const MOST_MARKED: usize = 64;

/// For each column of one file, what becomes of it; a column may be used more than once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slots {
    pub width: usize,
    pub of: Vec<Vec<Slot>>,
    pub names: HashMap<String, usize>,
}

/// A plan, and where one file has its columns.
pub(crate) struct Planned {
    plan: Plan,
    places: Vec<(usize, Slot)>,
    maps: Maps,
}

impl Planned {
    fn new() -> Self {
        let plan = Plan {
            keys: Vec::new(),
            roles: Roles::default(),
            numbers: Vec::new(),
            probabilities: Vec::new(),
            sources: Vec::new(),
            source_keys: Vec::new(),
            by_file: None,
            guesses_alone: false,
            score_groups: Vec::new(),
            weight: None,
            outcome: None,
            label_chance: None,
            tally: None,
            truth: None,
            features: Vec::new(),
            feature_use: FeatureUse::Near,
            score: None,
            marked: false,
        };
        Planned { plan, places: Vec::new(), maps: Maps::new() }
    }

    fn key(&mut self, column: &Column, role: Role) -> usize {
        let place = self.derived_key(&column.name, role);
        let map = self.maps.iter().find(|(name, _)| *name == column.name);
        // Which part a cluster is in, and which feature a category is, has nothing to do with names.
        let map = map.filter(|_| !matches!(role, Role::Cluster | Role::Category));
        self.plan.keys[place].map = map.map(|(_, map)| Arc::clone(map));
        self.places.push((column.position, Slot::Key(place)));
        place
    }

    fn keys<'c>(&mut self, columns: impl IntoIterator<Item = &'c Column>, role: Role) {
        columns.into_iter().for_each(|column| {
            self.key(column, role);
        });
    }

    /// What cuts rows into segments, each value as it is or as the period or the bin that it lies in.
    fn cut(&mut self, layout: &Layout) {
        let role = match &layout.cut {
            None => Role::Segment,
            Some(Cut::Every(every)) => Role::Period(*every),
            Some(Cut::Bins(_)) => Role::Bin,
            Some(Cut::Files) => {
                self.plan.by_file = Some(self.derived_key("file", Role::Segment));
                return;
            }
        };
        for column in &layout.by {
            let place = self.key(column, role);
            let key = &mut self.plan.keys[place];
            if let Some(Cut::Bins(bins)) = &layout.cut {
                key.bins = Some(bins.clone());
                // Beside the decisions that are cut from the same column.
                if layout.tallied.is_none() {
                    key.name = Columns::binned(&column.name);
                }
            }
        }
    }

    fn derived_key(&mut self, name: &str, role: Role) -> usize {
        let place = self.plan.keys.len();
        self.plan.keys.push(KeyColumn {
            name: name.to_owned(),
            role,
            limit: role.limit(),
            map: None,
            threshold: None,
            bins: None,
        });
        self.plan.roles.add(role, place);
        place
    }

    /// A feature that is a number.
    pub fn feature(&mut self, column: &Column) {
        self.places.push((column.position, Slot::Feature(self.plan.features.len())));
        self.plan.features.push(column.name.clone());
    }

    /// A feature that is one of some values.
    pub fn category(&mut self, column: &Column) {
        self.key(column, Role::Category);
    }

    fn number(&mut self, column: &Column, kind: NumberKind) -> usize {
        self.plan.numbers.push(NumberColumn { name: column.name.clone(), kind });
        let place = self.plan.numbers.len() - 1;
        self.places.push((column.position, Slot::Number(place)));
        place
    }

    fn proxies(&mut self, proxies: &[ProxyColumn]) {
        for proxy in proxies {
            match &proxy.kind {
                ProxyKind::Guess(column) | ProxyKind::MostLikely(column, _) => {
                    self.key(column, Role::Guess);
                }
                ProxyKind::Names(column, source) => {
                    let key = self.derived_key(&proxy.name, Role::Guess);
                    self.places.push((column.position, Slot::Name(self.plan.sources.len())));
                    self.plan.sources.push(source.clone());
                    self.plan.source_keys.push(key);
                }
                ProxyKind::Probabilities(columns) => {
                    let key = self.derived_key(&proxy.name, Role::Guess);
                    let numbers = columns.iter().map(|(_, chance)| {
                        chance.column().map(|column| self.number(column, NumberKind::Probability))
                    });
                    let numbers = numbers.collect();
                    self.plan.probabilities.push((key, numbers));
                    self.plan.score_groups = columns.iter().map(|(group, _)| group.clone()).collect();
                }
            }
        }
    }

    /// A number that a file may not have a column for.
    fn told(&mut self, column: Option<&Column>, name: &str, kind: NumberKind) -> usize {
        match column {
            Some(column) => self.number(column, kind),
            None => {
                self.plan.numbers.push(NumberColumn { name: name.to_owned(), kind });
                self.plan.numbers.len() - 1
            }
        }
    }

    fn tally(&mut self, tallied: Option<&Tallied>) {
        let Some(tallied) = tallied else { return };
        let of_count = if tallied.rows.is_some() { NumberKind::Sum } else { NumberKind::NoisyRows };
        let count = self.number(&tallied.count, of_count);
        let weights = match (&tallied.rows, &tallied.squared) {
            (Some(rows), Some(squared)) => {
                Some((self.number(rows, NumberKind::Rows), self.number(squared, NumberKind::Sum)))
            }
            _ => None,
        };
        let soft = tallied.soft.iter().map(|(_, column)| self.number(column, NumberKind::Sum)).collect();
        let soft_weight = tallied.soft_weight.as_ref().map(|column| self.number(column, NumberKind::Sum));
        let hidden = [0, 1, 2].map(|i| {
            let kind = if i < 2 { NumberKind::Told } else { NumberKind::ToldSum };
            self.told(tallied.hidden.as_ref().map(|hidden| &hidden[i]), HIDDEN[i], kind)
        });
        let invalid = self.told(tallied.invalid.as_ref(), INVALID, NumberKind::Told);
        let noise = [0, 1]
            .map(|i| self.told(tallied.noise.as_ref().map(|noise| &noise[i]), NOISE[i], NumberKind::ToldSum));
        self.places.extend(tallied.rest.as_ref().map(|column| (column.position, Slot::Rest)));
        self.plan.score_groups = tallied.soft.iter().map(|(group, _)| group.clone()).collect();
        let kinds = [NumberKind::Rows, NumberKind::Sum, NumberKind::OutcomeSum, NumberKind::OutcomeSum];
        let outcome = tallied.outcome.as_ref();
        let outcome = outcome.map(|columns| [0, 1, 2, 3].map(|i| self.number(&columns[i], kinds[i])));
        self.plan.tally =
            Some(TallyNumbers { count, weights, soft, soft_weight, hidden, invalid, noise, outcome });
    }

    /// Gives every row a number for its whole content, so that it is the same whatever else is taken.
    pub fn marked(mut self, header: &[String]) -> Self {
        let mut order: Vec<usize> = (0..header.len()).collect();
        order.sort_by(|a, b| header[*a].cmp(&header[*b]));
        let some = order.into_iter().take(MOST_MARKED);
        self.places.extend(some.map(|place| (place, Slot::Mark(hashed(&header[place])))));
        self.plan.marked = true;
        self
    }

    /// The plan, and what becomes of each column of a file that has so many.
    pub fn finish(self, header: &[String]) -> (Plan, Slots) {
        let mut of = vec![Vec::new(); header.len()];
        self.places.iter().for_each(|(position, slot)| of[*position].push(*slot));
        let names = header.iter().enumerate().map(|(position, name)| (name.clone(), position)).collect();
        (self.plan, Slots { width: header.len(), of, names })
    }
}

impl Plan {
    /// What an audit takes. The order of the keys is that of a tally's columns.
    pub fn of_table(layout: &Layout) -> Planned {
        let mut planned = Planned::new();
        planned.maps.clone_from(&layout.maps);
        let decisions = planned.key(&layout.prediction, Role::Prediction);
        planned.plan.keys[decisions].threshold = layout.threshold;
        planned.keys(&layout.label, Role::Label);
        planned.proxies(&layout.proxies);
        planned.plan.guesses_alone = layout.guesses_alone;
        planned.keys(&layout.others, Role::Prediction);
        planned.cut(layout);
        planned.keys(&layout.control, Role::Control);
        planned.keys(&layout.cluster, Role::Cluster);
        planned.keys(&layout.audit_labels, Role::KnownGroup);
        planned.plan.truth = layout.truth.as_ref().map(|column| planned.key(column, Role::TrueGroup));
        planned.plan.weight = layout.weight.as_ref().map(|column| planned.number(column, NumberKind::Weight));
        planned.plan.outcome =
            layout.outcome.as_ref().map(|column| planned.number(column, NumberKind::Outcome));
        planned.plan.label_chance =
            layout.label_probability.as_ref().map(|column| planned.number(column, NumberKind::LabelChance));
        planned.places.extend(layout.id.as_ref().map(|column| (column.position, Slot::Person)));
        planned.tally(layout.tallied.as_ref());
        layout.features.iter().for_each(|column| planned.feature(column));
        planned
    }

    /// As of a table, but true groups may be missing; features are added to it.
    pub fn of_training(
        layout: &Layout,
        score: Option<(&Column, NumberKind)>,
        split: Option<&Column>,
    ) -> Planned {
        let mut planned = Plan::of_table(layout);
        planned.plan.truth = None;
        planned.keys(split, Role::Split);
        planned.plan.feature_use = FeatureUse::Train;
        planned.plan.score = score.map(|(column, kind)| planned.number(column, kind));
        planned
    }

    /// Features alone, to find out what they hold.
    pub fn of_look<'c>(features: impl Iterator<Item = &'c Column>) -> Planned {
        let mut planned = Planned::new();
        planned.plan.feature_use = FeatureUse::Look;
        features.for_each(|column| planned.feature(column));
        planned
    }

    /// Proxies and known groups.
    pub fn of_labels(columns: &LabelColumns) -> Planned {
        let mut planned = Planned::new();
        planned.maps.clone_from(&columns.maps);
        planned.proxies(&columns.proxies);
        planned.key(&columns.labels, Role::KnownGroup);
        planned.tally(columns.tallied.as_ref());
        planned
    }

    /// The groups of a key whose codes are their places, and not those of values met.
    pub fn groups_of(&self, key: usize) -> Option<&[String]> {
        let named = self.source_keys.iter().position(|place| *place == key);
        let scored = self.probabilities.iter().any(|(place, _)| *place == key);
        named.map(|s| self.sources[s].groups()).or_else(|| scored.then_some(self.score_groups.as_slice()))
    }

    /// Whether rows have weights.
    pub fn weighted(&self) -> bool {
        self.weight.is_some() || self.tally.as_ref().is_some_and(|tally| tally.weights.is_some())
    }

    /// Whether rows have an outcome.
    pub fn has_outcome(&self) -> bool {
        self.outcome.is_some() || self.tally.as_ref().is_some_and(|tally| tally.outcome.is_some())
    }

    /// The names of all columns, to tell whether files agree.
    pub fn names(&self) -> Vec<String> {
        let keys = self.keys.iter().map(|key| key.name.clone());
        let numbers = self.numbers.iter().filter(|number| !number.kind.is_told());
        keys.chain(numbers.map(|number| number.name.clone())).chain(self.features.iter().cloned()).collect()
    }
}
