//! Which columns mean what: what the user asked for, resolved against the header of a table.

mod asked;
mod header;
mod map;
mod problem;

pub(crate) use asked::{Listed, Probabilities, proxies};
pub(crate) use header::{Header, nearest};
pub(crate) use map::{Maps, Meaning, ValueMap, resolve as resolve_maps};
pub use problem::ColumnProblem;
pub(crate) use problem::example;

use crate::bins::Bins;
use crate::error::{IngestError, Problem};
use crate::names::{NameColumn, NameSource};
use crate::period::Every;
use fairveil_core::setting::Setting;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the user said about the columns. What is left out takes its default name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Columns {
    /// The model's decisions; default `y_pred`.
    pub y_pred: Option<String>,
    /// They are scores, and who has at least this one is selected.
    pub threshold: Option<f64>,
    /// A number of every person (a price, an amount), to be compared between groups; rows may have none.
    pub outcome: Option<String>,
    /// Decisions of further models on the same rows, to compare.
    pub other_preds: Vec<String>,
    /// Columns whose values cut the rows into segments.
    pub by: Vec<String>,
    /// What the values of these columns become before they cut rows.
    pub cut: Option<Cut>,
    /// Segments of fewer rows are put together: a number about one person tells what was guessed of them. Default
    /// [`LEAST_SEGMENT`].
    pub min_segment: Option<u64>,
    /// Repeats values that tell a group in messages, however few rows have them.
    pub show_values: bool,
    /// The labels; default `y_true` where there is such a column.
    pub y_true: Option<String>,
    /// Proxies that guess a group, each `COLUMN` or `COLUMN:SOURCE`, or several of them between commas; default `proxy_*` where no
    /// proxy is named.
    pub proxies: Vec<String>,
    /// Proxies that give probabilities, each `PREFIX[:SOURCE]` of the columns `PREFIX<group>`, `[NAME[:SOURCE]=]PATTERN` with a star for
    /// the group, or `NAME[:SOURCE]=GROUP:COLUMN,…`; of two groups one may have no column.
    pub proxy_probs: Vec<String>,
    /// Columns of names and places that tables know, each a source of its own.
    pub names: Vec<NameColumn>,
    /// Columns within whose values evidence is used: what names follow beside the group, such as age.
    pub control: Vec<String>,
    /// Counts the guesses of names alone, and not what they say: for a tally that has no place for evidence.
    pub guesses_alone: bool,
    /// The weights of the rows; default `weight` where there is such a column.
    pub weight: Option<String>,
    /// What rows have in common that are not independent: a person, a household, a branch.
    pub cluster: Option<String>,
    /// Who a row is about, only to find out whether people stand in several rows. No id is kept.
    pub id: Option<String>,
    /// The true group on every row, only compared against.
    pub truth: Option<String>,
    /// The true group on few rows, used as the audit sample.
    pub audit_labels: Option<String>,
    /// The chance with which each row was drawn to be labelled; default the same for all.
    pub label_probability: Option<String>,
    /// The groups, in order; default all that proxies guess.
    pub groups: Option<Vec<String>>,
    /// The positive class; default the larger of two numbers, or the one that says yes.
    pub positive: Option<String>,
    /// What the values of columns mean, each `COLUMN:VALUE=NAME,…`.
    pub map: Vec<String>,
    /// The label that goes with being selected, where labels have other names than decisions; default the positive class.
    pub positive_label: Option<String>,
    /// Values that mean "nothing", beside the empty field, `null` and `NaN`.
    pub missing: Vec<String>,
    /// Whether a row stands for many: the column that says for how many.
    pub count: Count,
    /// Features that tell which rows are near each other, or that a rule decides by, each a column or the start of the
    /// names of several. An audit does not look at them.
    pub features: Vec<String>,
}

/// What values become before they cut rows into segments.
#[derive(Debug, Clone, PartialEq)]
pub enum Cut {
    /// They are dates, and segments are periods of this length.
    Every(Every),
    /// They are numbers, and segments are bins.
    Bins(Bins),
    /// There are none: every file is a segment, named by its place.
    Files,
}

/// What is added to the name of a column whose bins are counted.
const BIN: &str = "_bin";

impl Columns {
    /// The column of a tally that holds the bins of a column.
    pub(crate) fn binned(name: &str) -> String {
        format!("{name}{BIN}")
    }
}

/// What fewer rows say about groups is not repeated in messages, unless that is asked for: it may be about one person.
pub const LEAST_SAID: u64 = 10;

/// The fewest rows of a segment that is shown by itself, unless another number is said.
pub const LEAST_SEGMENT: u64 = 50;

/// Whether the input is a tally, whose rows stand for many.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Count {
    /// A tally where there is a column `count` and no column would be left over.
    #[default]
    Detect,
    /// A tally; this column counts.
    Column(String),
    /// Every row is one.
    Never,
}

/// Positions of the columns in one table.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub prediction: Column,
    /// Decisions are scores of at least this.
    pub threshold: Option<f64>,
    /// A number to compare; nothing in a tally, which has its sums.
    pub outcome: Option<Column>,
    pub others: Vec<Column>,
    pub by: Vec<Column>,
    /// What their values become before they cut.
    pub cut: Option<Cut>,
    pub control: Vec<Column>,
    pub guesses_alone: bool,
    pub cluster: Option<Column>,
    pub id: Option<Column>,
    pub label: Option<Column>,
    pub proxies: Vec<ProxyColumn>,
    pub weight: Option<Column>,
    pub truth: Option<Column>,
    pub audit_labels: Option<Column>,
    pub label_probability: Option<Column>,
    pub tallied: Option<Tallied>,
    /// In the order of their names.
    pub features: Vec<Column>,
    /// What the values of columns mean.
    pub maps: Maps,
}

/// The columns that only a tally has.
#[derive(Debug, Clone)]
pub(crate) struct Tallied {
    pub count: Column,
    /// Rows and squared weights, where rows had weights.
    pub rows: Option<Column>,
    pub squared: Option<Column>,
    /// Totals of the probabilities, by group.
    pub soft: Vec<(String, Column)>,
    pub soft_weight: Option<Column>,
    pub rest: Option<Column>,
    /// Cells, rows and weight that were withheld.
    pub hidden: Option<[Column; 3]>,
    pub invalid: Option<Column>,
    /// Epsilon and variance of the noise on every cell.
    pub noise: Option<[Column; 2]>,
    /// Rows that have an outcome, their weight, its sum and that of its squares.
    pub outcome: Option<[Column; 4]>,
}

/// The columns that `count` adds to those of the table.
pub(crate) const COUNT: &str = "count";
pub(crate) const ROWS: &str = "rows";
pub(crate) const SQUARED: &str = "squared_weight";
pub(crate) const SOFT: &str = "soft_";
pub(crate) const SOFT_WEIGHT: &str = "soft_weight";
pub(crate) const REST: &str = "rest";
pub(crate) const HIDDEN: [&str; 3] = ["hidden_cells", "hidden_rows", "hidden_count"];
pub(crate) const INVALID: &str = "invalid";
pub(crate) const NOISE: [&str; 2] = ["noise_epsilon", "noise_variance"];
pub(crate) const OUTCOME: [&str; 4] = ["outcome_rows", "outcome_weight", "outcome_sum", "outcome_squares"];

/// Whether only a tally has a column of this name.
pub(crate) fn of_a_tally(name: &str) -> bool {
    [COUNT, ROWS, SQUARED, REST, INVALID].contains(&name)
        || HIDDEN.contains(&name)
        || NOISE.contains(&name)
        || OUTCOME.contains(&name)
        || name.starts_with(SOFT)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    pub name: String,
    pub position: usize,
}

#[derive(Debug, Clone)]
pub(crate) struct ProxyColumn {
    pub name: String,
    pub source: Option<String>,
    pub kind: ProxyKind,
}

impl ProxyColumn {
    /// The columns that it is read from.
    pub fn columns(&self) -> Vec<&Column> {
        match &self.kind {
            ProxyKind::Guess(column) | ProxyKind::MostLikely(column, _) | ProxyKind::Names(column, _) => {
                vec![column]
            }
            ProxyKind::Probabilities(columns) => {
                columns.iter().filter_map(|(_, chance)| chance.column()).collect()
            }
        }
    }
}

/// Positions of the columns in a table of rows whose groups are known.
#[derive(Debug, Clone)]
pub(crate) struct LabelColumns {
    pub proxies: Vec<ProxyColumn>,
    pub labels: Column,
    pub tallied: Option<Tallied>,
    pub maps: Maps,
}

#[derive(Debug, Clone)]
pub(crate) enum ProxyKind {
    /// A column of guesses.
    Guess(Column),
    /// The probability of each group.
    Probabilities(Vec<(String, Chance)>),
    /// In a tally, the most likely of these groups.
    MostLikely(Column, Vec<String>),
    /// A column of names or places, and what is known of them.
    Names(Column, Arc<NameSource>),
}

/// Where the probability of a group is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Chance {
    /// In a column.
    Column(Column),
    /// It is what the other group leaves of one.
    Rest,
}

impl Chance {
    pub fn column(&self) -> Option<&Column> {
        match self {
            Chance::Column(column) => Some(column),
            Chance::Rest => None,
        }
    }
}

impl ProxyKind {
    /// The groups whose places its codes are; nothing where they are those of values met.
    pub fn groups(&self) -> Option<Vec<&String>> {
        match self {
            ProxyKind::Probabilities(columns) => Some(columns.iter().map(|(group, _)| group).collect()),
            ProxyKind::Names(_, source) => Some(source.groups().iter().collect()),
            ProxyKind::Guess(_) | ProxyKind::MostLikely(..) => None,
        }
    }
}

pub(crate) const PREDICTION: &str = "the model's decisions";
pub(crate) const LABEL: &str = "the labels";
pub(crate) const PROXY: &str = "a proxy's guess";
pub(crate) const NAMES: &str = "names or places";
pub(crate) const CONTROL: &str = "what is controlled for";
const PROBABILITIES: &str = "a proxy's probabilities";
pub(crate) const WEIGHT: &str = "the weights";
pub(crate) const NUMBERS: &str = "the outcome";
pub(crate) const TRUTH: &str = "the true groups";
pub(crate) const SEGMENT: &str = "the segments";
pub(crate) const CLUSTER: &str = "the clusters";
pub(crate) const ID: &str = "the ids";
pub(crate) const AUDIT_LABELS: &str = "the groups of the audit sample";
const LABEL_PROBABILITY: &str = "the chances of being labelled";
const COUNTS: &str = "how many rows a row stands for";
pub(crate) const FEATURE: &str = "a feature";

impl Columns {
    pub(crate) fn resolve(&self, file: &str, header: &[String]) -> Result<Layout, IngestError> {
        let header = Header { file, names: header };
        let prediction = match &self.y_pred {
            Some(name) => header.named(name, PREDICTION)?,
            None => header
                .find("y_pred")?
                .ok_or_else(|| header.not_said(PREDICTION, "y_pred", &[Setting::YPred]))?,
        };
        let label = match &self.y_true {
            Some(name) => Some(header.named(name, LABEL)?),
            None => header.find("y_true")?,
        };
        let tallied = self.resolve_tallied(&header)?;
        let weight = match &self.weight {
            // The sums of a tally hold the weights: its settings are those of the table it was made from.
            Some(name) if tallied.is_some() => header.find(name)?,
            Some(name) => Some(header.named(name, WEIGHT)?),
            None => header.find("weight")?,
        };
        if let (Some(weight), Some(tallied)) = (&weight, &tallied) {
            let problem = Problem::WeightInTally { count: tallied.count.name.clone() };
            return Err(header.error(Some(&weight.name), problem));
        }
        let outcome = match (&self.outcome, &tallied) {
            (Some(name), None) => Some(header.named(name, NUMBERS)?),
            (Some(name), Some(tallied)) if tallied.outcome.is_none() => {
                return Err(header.error(Some(name), Problem::NoOutcomeInTally));
            }
            _ => None,
        };
        let truth = self.truth.as_ref().map(|name| header.named(name, TRUTH)).transpose()?;
        let audit_labels =
            self.audit_labels.as_ref().map(|name| header.named(name, AUDIT_LABELS)).transpose()?;
        // Without labels there is nothing that it could be about: another table has them.
        let label_probability = self.label_probability.as_ref().filter(|_| audit_labels.is_some());
        let label_probability =
            label_probability.map(|name| header.named(name, LABEL_PROBABILITY)).transpose()?;
        if let (Some(column), Some(_)) = (&label_probability, &tallied) {
            return Err(header.error(Some(&column.name), Problem::LabelProbabilityOfRows));
        }
        let proxies = self.resolve_proxies(&header, tallied.as_ref())?;
        let others = self.other_preds.iter().map(|name| header.named(name, PREDICTION));
        let others = others.collect::<Result<Vec<_>, _>>()?;
        // A tally has the bins of a number, and not the number.
        let bins_told = tallied.is_some() && matches!(self.cut, Some(Cut::Bins(_)));
        let cut_by = |name: &String| match bins_told {
            true => header.named(&Columns::binned(name), SEGMENT),
            false => header.named(name, SEGMENT),
        };
        let by = self.by.iter().map(cut_by).collect::<Result<Vec<_>, _>>()?;
        let control = self.control.iter().map(|name| header.named(name, CONTROL));
        let control = control.collect::<Result<Vec<_>, _>>()?;
        let cluster = self.cluster.as_ref().map(|name| header.named(name, CLUSTER)).transpose()?;
        let id = self.id.as_ref().map(|name| header.named(name, ID)).transpose()?;
        if let (Some(id), Some(_)) = (&id, &tallied) {
            return Err(header.error(Some(&id.name), Problem::IdInTally));
        }
        let (features, maps) = (Vec::new(), header.maps(&self.map)?);
        let mut layout = Layout {
            prediction,
            // What a tally counts are decisions.
            threshold: self.threshold.filter(|_| tallied.is_none()),
            outcome,
            others,
            by,
            cut: self.cut.clone(),
            control,
            guesses_alone: self.guesses_alone,
            cluster,
            id,
            label,
            proxies,
            weight,
            truth,
            audit_labels,
            label_probability,
            tallied,
            features,
            maps,
        };
        header.refuse_idle_maps(&self.map, &layout)?;
        header.refuse_double_use(&layout)?;
        header.refuse_other_groups(&layout.proxies)?;
        if self.count == Count::Detect && layout.tallied.is_some() {
            let mut used: Vec<&Column> = layout.used().into_iter().map(|(column, _)| column).collect();
            used.extend(layout.control.iter());
            used.extend(layout.by.iter().chain(&layout.cluster).chain(&layout.id).chain(&layout.truth));
            header.refuse_left_over(&used.iter().map(|column| column.name.as_str()).collect::<Vec<_>>())?;
        }
        layout.features = self.resolve_features(&header, &layout)?;
        Ok(layout)
    }

    /// Proxies and known groups alone, of a table that has nothing else to tell.
    pub(crate) fn resolve_labels(
        &self,
        file: &str,
        header: &[String],
        labels: &str,
    ) -> Result<LabelColumns, IngestError> {
        let header = Header { file, names: header };
        let labels = header.named(labels, AUDIT_LABELS)?;
        let tallied = self.resolve_tallied(&header)?;
        let proxies = self.resolve_proxies(&header, tallied.as_ref())?;
        header.refuse_other_groups(&proxies)?;
        if self.count == Count::Detect && tallied.is_some() {
            // What else a tally of the sample may hold.
            let named = [&self.y_pred, &self.y_true, &self.truth].into_iter().flatten();
            let named = named.chain(&self.by).chain(&self.other_preds).map(String::as_str);
            let mut used: Vec<&str> = named.chain(["y_pred", "y_true", &labels.name]).collect();
            used.extend(proxies.iter().flat_map(|proxy| proxy.columns()).map(|column| column.name.as_str()));
            header.refuse_left_over(&used)?;
        }
        Ok(LabelColumns { proxies, labels, tallied, maps: header.maps(&self.map)? })
    }

    fn resolve_tallied(&self, header: &Header) -> Result<Option<Tallied>, IngestError> {
        let count = match &self.count {
            Count::Never => None,
            Count::Column(name) => Some(header.named(name, COUNTS)?),
            Count::Detect if self.gives_role(COUNT) => None,
            Count::Detect => header.find(COUNT)?,
        };
        let Some(count) = count else { return Ok(None) };
        let mut soft = Vec::new();
        for name in header.names.iter().filter(|name| *name != SOFT_WEIGHT) {
            if let Some(group) = name.strip_prefix(SOFT) {
                soft.push((crate::value::canonical(group).into_owned(), header.named(name, PROBABILITIES)?));
            }
        }
        soft.sort_by(|a, b| a.0.cmp(&b.0));
        let hidden = match header.find(HIDDEN[0])? {
            None => None,
            Some(cells) => Some([cells, header.named(HIDDEN[1], COUNTS)?, header.named(HIDDEN[2], COUNTS)?]),
        };
        let (rows, squared) = match header.find(ROWS)? {
            None => (None, None),
            Some(rows) => (Some(rows), Some(header.named(SQUARED, WEIGHT)?)),
        };
        let soft_weight = if soft.is_empty() { None } else { Some(header.named(SOFT_WEIGHT, WEIGHT)?) };
        let (rest, invalid) = (header.find(REST)?, header.find(INVALID)?);
        let noise = match header.find(NOISE[0])? {
            None => None,
            Some(epsilon) => Some([epsilon, header.named(NOISE[1], COUNTS)?]),
        };
        let outcome = match header.find(OUTCOME[0])? {
            None => None,
            Some(rows) => Some([
                rows,
                header.named(OUTCOME[1], NUMBERS)?,
                header.named(OUTCOME[2], NUMBERS)?,
                header.named(OUTCOME[3], NUMBERS)?,
            ]),
        };
        Ok(Some(Tallied { count, rows, squared, soft, soft_weight, rest, hidden, invalid, noise, outcome }))
    }

    /// The columns of features. Their order is that of their names, so that neither the order of the table's columns nor
    /// that of what was typed changes a digit of a distance.
    fn resolve_features(&self, header: &Header, layout: &Layout) -> Result<Vec<Column>, IngestError> {
        let mut roles = layout.used();
        roles.extend(layout.by.iter().map(|column| (column, SEGMENT)));
        roles.extend(layout.control.iter().map(|column| (column, CONTROL)));
        roles.extend(layout.cluster.iter().map(|column| (column, CLUSTER)));
        roles.extend(layout.id.iter().map(|column| (column, ID)));
        roles.extend(layout.truth.iter().map(|column| (column, TRUTH)));
        header.features(&self.features, &roles)
    }

    /// The fewest rows of a segment that is shown by itself.
    pub fn least_segment(&self) -> u64 {
        self.min_segment.unwrap_or(LEAST_SEGMENT)
    }

    /// Whether this column was asked for by name.
    pub(crate) fn gives_role(&self, name: &str) -> bool {
        let one = [&self.y_pred, &self.y_true, &self.weight, &self.cluster, &self.truth, &self.audit_labels];
        let one = one.into_iter().chain([&self.label_probability, &self.id, &self.outcome]);
        let names = self.names.iter().map(|name| &name.column);
        let mut named =
            one.flatten().chain(&self.by).chain(&self.other_preds).chain(&self.control).chain(names);
        let bare = |asked: &String| {
            proxies(asked, |known| known == name)
                .is_ok_and(|named| named.iter().any(|(named, _)| *named == name))
        };
        named.any(|asked| asked == name) || self.proxies.iter().any(bare)
    }

    /// Whether a column of this name would have been given a role that nobody asked for by name; `tallied` in a tally.
    pub(crate) fn would_use(&self, name: &str, tallied: bool) -> bool {
        (tallied && of_a_tally(name))
            || (self.count == Count::Detect && name == COUNT)
            || (self.y_true.is_none() && name == "y_true")
            || (self.weight.is_none() && name == "weight")
            || (self.proxies.is_empty()
                && self.proxy_probs.is_empty()
                && self.names.is_empty()
                && name.starts_with("proxy_"))
            || self
                .proxy_probs
                .iter()
                .any(|asked| Probabilities::parse(asked, |_| false).is_ok_and(|asked| asked.takes(name)))
    }

    pub(crate) fn resolve_proxies(
        &self,
        header: &Header,
        tallied: Option<&Tallied>,
    ) -> Result<Vec<ProxyColumn>, IngestError> {
        let mut proxies = Vec::new();
        for asked in &self.proxies {
            let known = |name: &str| header.names.iter().any(|n| n == name);
            let named = asked::proxies(asked, known).map_err(|problem| header.error(None, problem))?;
            for (name, source) in named {
                let column = header.named(name, PROXY)?;
                proxies.push(ProxyColumn { name: name.into(), source, kind: ProxyKind::Guess(column) });
            }
        }
        for asked in &self.proxy_probs {
            let starts =
                |prefix: &str| header.names.iter().any(|n| n.starts_with(prefix) && n.len() > prefix.len());
            let asked = Probabilities::parse(asked, starts).map_err(|problem| header.error(None, problem))?;
            let kind = match (tallied, header.find(&asked.name)?) {
                (Some(tallied), Some(column)) => {
                    let groups = tallied.soft.iter().map(|(group, _)| group.clone()).collect();
                    ProxyKind::MostLikely(column, groups)
                }
                _ => ProxyKind::Probabilities(header.probabilities(&asked)?),
            };
            proxies.push(ProxyColumn { name: asked.name, source: asked.source, kind });
        }
        for NameColumn { column, source } in &self.names {
            if tallied.is_some() {
                return Err(header.error(Some(column), Problem::NamesInTally));
            }
            let found = header.named(column, NAMES)?;
            let name = source.name().to_owned();
            proxies.push(ProxyColumn {
                source: Some(name.clone()),
                name,
                kind: ProxyKind::Names(found, source.clone()),
            });
        }
        if proxies.is_empty() {
            for name in header.names.iter().filter(|name| name.starts_with("proxy_")) {
                let column = header.named(name, PROXY)?;
                proxies.push(ProxyColumn {
                    name: name.clone(),
                    source: None,
                    kind: ProxyKind::Guess(column),
                });
            }
        }
        if proxies.is_empty() {
            return Err(header.not_said(PROXY, "proxy_*", &[Setting::Proxy]));
        }
        Ok(proxies)
    }
}

impl Layout {
    /// The columns whose values are told apart.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &Column> {
        let guesses = self.proxies.iter().filter_map(|proxy| match &proxy.kind {
            ProxyKind::Guess(column) | ProxyKind::MostLikely(column, _) => Some(column),
            ProxyKind::Names(..) | ProxyKind::Probabilities(_) => None,
        });
        let one = [&self.label, &self.truth, &self.audit_labels].into_iter().flatten();
        let many = self.others.iter().chain(&self.by).chain(&self.control);
        [&self.prediction].into_iter().chain(one).chain(many).chain(guesses)
    }

    /// The columns that have a role, and which. Columns of segments and of true groups may have another one beside.
    pub(crate) fn used(&self) -> Vec<(&Column, &'static str)> {
        let mut used: Vec<(&Column, &'static str)> = vec![(&self.prediction, PREDICTION)];
        used.extend(self.others.iter().map(|column| (column, PREDICTION)));
        used.extend(self.label.as_ref().map(|column| (column, LABEL)));
        used.extend(self.weight.as_ref().map(|column| (column, WEIGHT)));
        used.extend(self.outcome.as_ref().map(|column| (column, NUMBERS)));
        used.extend(self.audit_labels.as_ref().map(|column| (column, AUDIT_LABELS)));
        used.extend(self.label_probability.as_ref().map(|column| (column, LABEL_PROBABILITY)));
        used.extend(self.tallied.as_ref().map(|tallied| (&tallied.count, COUNTS)));
        for proxy in &self.proxies {
            match &proxy.kind {
                ProxyKind::Guess(column) | ProxyKind::MostLikely(column, _) => used.push((column, PROXY)),
                ProxyKind::Names(column, _) => used.push((column, NAMES)),
                ProxyKind::Probabilities(columns) => {
                    let columns = columns.iter().filter_map(|(_, chance)| chance.column());
                    used.extend(columns.map(|column| (column, PROBABILITIES)));
                }
            }
        }
        used
    }
}

/// Columns in the order of their names, in which neither the table nor what was typed has a say.
pub(crate) fn in_name_order(columns: Vec<Column>) -> Vec<Column> {
    let mut found: BTreeMap<String, Column> =
        columns.into_iter().map(|column| (column.name.clone(), column)).collect();
    let mut names: Vec<String> = found.keys().cloned().collect();
    crate::value::sort_names(&mut names);
    names.iter().filter_map(|name| found.remove(name)).collect()
}
