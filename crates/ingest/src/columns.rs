//! Which columns mean what: what the user asked for, resolved against the header of a table.

use crate::error::{IngestError, Place, Problem};
use fairveil_core::setting::Setting;
use std::collections::BTreeMap;

/// What the user said about the columns. What is left out takes its default name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Columns {
    /// The model's decisions; default `y_pred`.
    pub y_pred: Option<String>,
    /// Decisions of further models on the same rows, to compare.
    pub other_preds: Vec<String>,
    /// Columns whose values cut the rows into segments.
    pub by: Vec<String>,
    /// The labels; default `y_true` where there is such a column.
    pub y_true: Option<String>,
    /// Proxies that guess a group, each `COLUMN` or `COLUMN:SOURCE`; default `proxy_*` where no proxy is named.
    pub proxies: Vec<String>,
    /// Proxies that give probabilities, each `PREFIX` or `PREFIX:SOURCE` of the columns `PREFIX<group>`.
    pub proxy_probs: Vec<String>,
    /// The weights of the rows; default `weight` where there is such a column.
    pub weight: Option<String>,
    /// What rows have in common that are not independent: a person, a household, a branch.
    pub cluster: Option<String>,
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
    /// Values that mean "nothing", beside the empty field, `null` and `NaN`.
    pub missing: Vec<String>,
    /// Whether a row stands for many: the column that says for how many.
    pub count: Count,
    /// Features that tell which rows are near each other, or that a rule decides by, each a column or the start of the
    /// names of several. An audit does not look at them.
    pub features: Vec<String>,
}

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
    pub others: Vec<Column>,
    pub by: Vec<Column>,
    pub cluster: Option<Column>,
    pub label: Option<Column>,
    pub proxies: Vec<ProxyColumn>,
    pub weight: Option<Column>,
    pub truth: Option<Column>,
    pub audit_labels: Option<Column>,
    pub label_probability: Option<Column>,
    pub tallied: Option<Tallied>,
    /// In the order of their names.
    pub features: Vec<Column>,
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

/// Whether only a tally has a column of this name.
pub(crate) fn of_a_tally(name: &str) -> bool {
    [COUNT, ROWS, SQUARED, REST, INVALID].contains(&name)
        || HIDDEN.contains(&name)
        || NOISE.contains(&name)
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
            ProxyKind::Guess(column) | ProxyKind::MostLikely(column, _) => vec![column],
            ProxyKind::Probabilities(columns) => columns.iter().map(|(_, column)| column).collect(),
        }
    }
}

/// Positions of the columns in a table of rows whose groups are known.
#[derive(Debug, Clone)]
pub(crate) struct LabelColumns {
    pub proxies: Vec<ProxyColumn>,
    pub labels: Column,
    pub tallied: Option<Tallied>,
}

#[derive(Debug, Clone)]
pub(crate) enum ProxyKind {
    /// A column of guesses.
    Guess(Column),
    /// A column of probabilities for each group; column names end with the group's.
    Probabilities(Vec<(String, Column)>),
    /// In a tally, the most likely of these groups.
    MostLikely(Column, Vec<String>),
}

pub(crate) const PREDICTION: &str = "the model's decisions";
pub(crate) const LABEL: &str = "the labels";
pub(crate) const PROXY: &str = "a proxy's guess";
const PROBABILITIES: &str = "a proxy's probabilities";
pub(crate) const WEIGHT: &str = "the weights";
pub(crate) const TRUTH: &str = "the true groups";
pub(crate) const SEGMENT: &str = "the segments";
pub(crate) const CLUSTER: &str = "the clusters";
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
        let by = self.by.iter().map(|name| header.named(name, SEGMENT)).collect::<Result<Vec<_>, _>>()?;
        let cluster = self.cluster.as_ref().map(|name| header.named(name, CLUSTER)).transpose()?;
        let features = Vec::new();
        let mut layout = Layout {
            prediction,
            others,
            by,
            cluster,
            label,
            proxies,
            weight,
            truth,
            audit_labels,
            label_probability,
            tallied,
            features,
        };
        header.refuse_double_use(&layout)?;
        header.refuse_other_groups(&layout.proxies)?;
        if self.count == Count::Detect && layout.tallied.is_some() {
            let mut used: Vec<&Column> = layout.used().into_iter().map(|(column, _)| column).collect();
            used.extend(layout.by.iter().chain(&layout.cluster).chain(&layout.truth));
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
        Ok(LabelColumns { proxies, labels, tallied })
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
        Ok(Some(Tallied { count, rows, squared, soft, soft_weight, rest, hidden, invalid, noise }))
    }

    /// The columns of features. Their order is that of their names, so that neither the order of the table's columns nor
    /// that of what was typed changes a digit of a distance.
    fn resolve_features(&self, header: &Header, layout: &Layout) -> Result<Vec<Column>, IngestError> {
        let mut roles = layout.used();
        roles.extend(layout.by.iter().map(|column| (column, SEGMENT)));
        roles.extend(layout.cluster.iter().map(|column| (column, CLUSTER)));
        roles.extend(layout.truth.iter().map(|column| (column, TRUTH)));
        header.features(&self.features, &roles)
    }

    /// Whether this column was asked for by name.
    pub(crate) fn gives_role(&self, name: &str) -> bool {
        let one = [&self.y_pred, &self.y_true, &self.weight, &self.cluster, &self.truth, &self.audit_labels];
        let one = one.into_iter().chain([&self.label_probability]);
        let mut named = one.flatten().chain(&self.by).chain(&self.other_preds);
        let bare =
            |asked: &String| asked == name || asked.rsplit_once(':').is_some_and(|(bare, _)| bare == name);
        named.any(|asked| asked == name) || self.proxies.iter().any(bare)
    }

    /// Whether a column of this name would have been given a role that nobody asked for by name; `tallied` in a tally.
    pub(crate) fn would_use(&self, name: &str, tallied: bool) -> bool {
        (tallied && of_a_tally(name))
            || (self.count == Count::Detect && name == COUNT)
            || (self.y_true.is_none() && name == "y_true")
            || (self.weight.is_none() && name == "weight")
            || (self.proxies.is_empty() && self.proxy_probs.is_empty() && name.starts_with("proxy_"))
            || self.proxy_probs.iter().any(|asked| {
                let prefix = asked.rsplit_once(':').map_or(asked.as_str(), |(prefix, _)| prefix);
                name.starts_with(prefix)
            })
    }

    pub(crate) fn resolve_proxies(
        &self,
        header: &Header,
        tallied: Option<&Tallied>,
    ) -> Result<Vec<ProxyColumn>, IngestError> {
        let mut proxies = Vec::new();
        for asked in &self.proxies {
            let (name, source) = header.split_source(asked, |name| header.names.iter().any(|n| n == name));
            let column = header.named(name, PROXY)?;
            proxies.push(ProxyColumn { name: name.into(), source, kind: ProxyKind::Guess(column) });
        }
        for asked in &self.proxy_probs {
            let starts =
                |prefix: &str| header.names.iter().any(|n| n.starts_with(prefix) && n.len() > prefix.len());
            let (prefix, source) = header.split_source(asked, starts);
            let name = prefix.trim_end_matches(['_', '-', '.', ' ']);
            let name = if name.is_empty() { prefix } else { name };
            let kind = match (tallied, header.find(name)?) {
                (Some(tallied), Some(column)) => {
                    let groups = tallied.soft.iter().map(|(group, _)| group.clone()).collect();
                    ProxyKind::MostLikely(column, groups)
                }
                _ => ProxyKind::Probabilities(header.probabilities(prefix)?),
            };
            proxies.push(ProxyColumn { name: name.into(), source, kind });
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
    /// The columns that have a role, and which. Columns of segments and of true groups may have another one beside.
    pub(crate) fn used(&self) -> Vec<(&Column, &'static str)> {
        let mut used: Vec<(&Column, &'static str)> = vec![(&self.prediction, PREDICTION)];
        used.extend(self.others.iter().map(|column| (column, PREDICTION)));
        used.extend(self.label.as_ref().map(|column| (column, LABEL)));
        used.extend(self.weight.as_ref().map(|column| (column, WEIGHT)));
        used.extend(self.audit_labels.as_ref().map(|column| (column, AUDIT_LABELS)));
        used.extend(self.label_probability.as_ref().map(|column| (column, LABEL_PROBABILITY)));
        used.extend(self.tallied.as_ref().map(|tallied| (&tallied.count, COUNTS)));
        for proxy in &self.proxies {
            match &proxy.kind {
                ProxyKind::Guess(column) | ProxyKind::MostLikely(column, _) => used.push((column, PROXY)),
                ProxyKind::Probabilities(columns) => {
                    used.extend(columns.iter().map(|(_, column)| (column, PROBABILITIES)));
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

/// The name that is most like this one, if any is alike at all.
pub(crate) fn nearest(name: &str, names: &[String]) -> Option<String> {
    const ALIKE: f64 = 0.75;
    let alike = |other: &str| strsim::jaro_winkler(&name.to_lowercase(), &other.to_lowercase());
    let best = names.iter().max_by(|a, b| alike(a).total_cmp(&alike(b)))?;
    (alike(best) >= ALIKE).then(|| best.clone())
}

/// The names of the columns of a file.
pub(crate) struct Header<'a> {
    pub file: &'a str,
    pub names: &'a [String],
}

impl Header<'_> {
    pub fn error(&self, column: Option<&str>, problem: Problem) -> IngestError {
        let place = Place { file: self.file.into(), spot: None, column: column.map(str::to_owned) };
        IngestError { place, problem }
    }

    pub fn not_said(
        &self,
        role: &'static str,
        default: &'static str,
        settings: &'static [Setting],
    ) -> IngestError {
        self.error(None, Problem::NotSaid { role, default, settings, columns: self.names.to_vec() })
    }

    pub fn named(&self, name: &str, role: &'static str) -> Result<Column, IngestError> {
        self.find(name)?.ok_or_else(|| {
            let nearest = self.nearest(name);
            let columns = self.names.to_vec();
            self.error(Some(name), Problem::NoSuchColumn { role, nearest, columns })
        })
    }

    /// The column of this name, if there is one.
    pub fn find(&self, name: &str) -> Result<Option<Column>, IngestError> {
        let mut found = (0..self.names.len()).filter(|i| self.names[*i] == name);
        let first = found.next().map(|position| Column { name: name.to_owned(), position });
        match found.next() {
            Some(_) => Err(self.error(Some(name), Problem::DuplicateColumn)),
            None => Ok(first),
        }
    }

    fn nearest(&self, name: &str) -> Option<String> {
        nearest(name, self.names)
    }

    /// The column of this name, or else all whose names start like this.
    pub fn starting(&self, asked: &str) -> Result<Vec<&String>, IngestError> {
        let exact = self.find(asked)?.is_some();
        let fits = |name: &&String| {
            if exact { *name == asked } else { !asked.is_empty() && name.starts_with(asked) }
        };
        let names: Vec<&String> = self.names.iter().filter(fits).collect();
        if names.is_empty() {
            let (nearest, columns) = (self.nearest(asked), self.names.to_vec());
            Err(self.error(Some(asked), Problem::NoSuchColumn { role: FEATURE, nearest, columns }))
        } else {
            Ok(names)
        }
    }

    /// The columns of the features asked for, which have none of these roles, in the order of their names.
    pub fn features(
        &self,
        asked: &[String],
        roles: &[(&Column, &'static str)],
    ) -> Result<Vec<Column>, IngestError> {
        let mut found: BTreeMap<String, Column> = BTreeMap::new();
        for asked in asked {
            for name in self.starting(asked)? {
                let column = self.named(name, FEATURE)?;
                let role = roles.iter().find(|(other, _)| **other == column).map(|(_, role)| *role);
                let role = role.or_else(|| found.contains_key(name).then_some(FEATURE));
                if let Some(first) = role {
                    return Err(self.error(Some(name), Problem::UsedTwice { first, second: FEATURE }));
                }
                found.insert(name.clone(), column);
            }
        }
        Ok(in_name_order(found.into_values().collect()))
    }

    /// `COLUMN:SOURCE` apart, unless the whole is a name that the table knows.
    fn split_source<'t>(&self, asked: &'t str, known: impl Fn(&str) -> bool) -> (&'t str, Option<String>) {
        match asked.rsplit_once(':') {
            Some((name, source)) if !known(asked) && !source.is_empty() => (name, Some(source.to_owned())),
            _ => (asked, None),
        }
    }

    fn probabilities(&self, prefix: &str) -> Result<Vec<(String, Column)>, IngestError> {
        let mut columns = BTreeMap::new();
        for name in self.names {
            if let Some(group) = name.strip_prefix(prefix).filter(|group| !group.is_empty()) {
                columns.insert(crate::value::canonical(group).into_owned(), self.named(name, PROBABILITIES)?);
            }
        }
        match columns.len() {
            0 => {
                let nearest = self.nearest(prefix);
                let problem =
                    Problem::NoSuchColumn { role: PROBABILITIES, nearest, columns: self.names.to_vec() };
                Err(self.error(Some(&format!("{prefix}…")), problem))
            }
            1 => {
                let found = columns.into_keys().collect();
                Err(self.error(Some(&format!("{prefix}…")), Problem::TooFew { what: "groups", found }))
            }
            _ => Ok(columns.into_iter().collect()),
        }
    }

    /// A tally has no columns without a role: where there are some, the column `count` may count something else.
    fn refuse_left_over(&self, used: &[&str]) -> Result<(), IngestError> {
        let left_over = |name: &&String| !of_a_tally(name) && !used.contains(&name.as_str());
        let left_over: Vec<String> = self.names.iter().filter(left_over).cloned().collect();
        if left_over.is_empty() {
            Ok(())
        } else {
            Err(self.error(Some(COUNT), Problem::PerhapsTally { left_over }))
        }
    }

    pub fn refuse_double_use(&self, layout: &Layout) -> Result<(), IngestError> {
        let used = layout.used();
        for (i, (column, second)) in used.iter().enumerate() {
            if let Some((_, first)) = used[..i].iter().find(|(other, _)| other == column) {
                return Err(self.error(Some(&column.name), Problem::UsedTwice { first, second }));
            }
        }
        for (i, proxy) in layout.proxies.iter().enumerate() {
            if layout.proxies[..i].iter().any(|other| other.name == proxy.name) {
                return Err(self.error(Some(&proxy.name), Problem::UsedTwice { first: PROXY, second: PROXY }));
            }
        }
        Ok(())
    }

    pub fn refuse_other_groups(&self, proxies: &[ProxyColumn]) -> Result<(), IngestError> {
        let mut first: Option<Vec<String>> = None;
        for proxy in proxies {
            let ProxyKind::Probabilities(columns) = &proxy.kind else { continue };
            let found: Vec<String> = columns.iter().map(|(group, _)| group.clone()).collect();
            match &first {
                Some(first) if *first != found => {
                    let problem = Problem::ProbabilityGroups { first: first.clone(), found };
                    return Err(self.error(Some(&proxy.name), problem));
                }
                _ => first = Some(found),
            }
        }
        Ok(())
    }
}
