//! The query that makes a tally where the rows are.
//!
//! ```text
//! person   one row for each row: keys as they are, weights and probabilities as numbers
//!    │
//! judged   for each probability proxy its most likely group, and whether it spoke, was silent or makes no sense
//!    │
//! tally    one row for each combination of keys
//! ```
//! Names are put in quotes that they cannot leave. Nothing is repaired: rows whose weight or probabilities make no
//! sense are counted in the column `invalid`, and whoever reads the tally refuses it.

mod dialect;
mod problem;
mod relation;

pub use dialect::Dialect;
pub use problem::SqlProblem;
pub use relation::Relation;

use crate::bins::Bins;
use crate::columns::{
    Chance, Column, Columns, Count, Cut, Layout, Listed, OUTCOME, Probabilities, ProxyKind,
};
use crate::error::{IngestError, Place, Problem};

/// The query that makes the tally of a table that is not at hand: all columns must be named, except the decisions
/// where they are called `y_pred`. It ends without a semicolon.
///
/// ```
/// # use fairveil_ingest::{Columns, Dialect, Relation, tally_sql};
/// let columns = Columns { proxies: vec!["zip_guess".into()], ..Columns::default() };
/// let query = tally_sql(&columns, &Relation::Table("bank.loans".into()), Dialect::Spark)?;
/// assert_eq!(
///     query,
///     "SELECT\n  `y_pred`,\n  `zip_guess`,\n  COUNT(*) AS `count`\nFROM `bank`.`loans`\nGROUP BY\n  `y_pred`,\n  `zip_guess`"
/// );
/// # Ok::<(), fairveil_ingest::IngestError>(())
/// ```
pub fn tally_sql(columns: &Columns, from: &Relation, dialect: Dialect) -> Result<String, IngestError> {
    let header = named_columns(columns)?;
    // Each row of the table is one.
    let columns = &Columns { count: Count::Never, ..columns.clone() };
    let mut layout = columns.resolve("query", &header)?;
    let groups: Vec<_> =
        columns.groups.iter().flatten().map(|group| crate::value::canonical(group)).collect();
    let listed = probabilities_asked(columns)?;
    for proxy in &mut layout.proxies {
        let by_pattern = |asked: &Probabilities| {
            asked.name == proxy.name && matches!(asked.columns, Listed::Pattern { .. })
        };
        if let ProxyKind::Probabilities(columns) = &mut proxy.kind
            && listed.iter().any(by_pattern)
        {
            // Another named column may fit the pattern.
            columns.retain(|(group, _)| groups.contains(&group.as_str().into()));
        }
    }
    tally_query(&layout, from, dialect)
}

fn refused(problem: Problem) -> IngestError {
    IngestError { place: Place::default(), problem }
}

/// The proxies that give probabilities, as they were asked for.
fn probabilities_asked(columns: &Columns) -> Result<Vec<Probabilities>, IngestError> {
    let asked = columns.proxy_probs.iter().map(|asked| Probabilities::parse(asked, |_| false));
    asked.collect::<Result<_, _>>().map_err(refused)
}

/// The columns that were named, as if they were a header.
fn named_columns(columns: &Columns) -> Result<Vec<String>, IngestError> {
    if let Some(name) = columns.names.first() {
        let place = Place { column: Some(name.column.clone()), ..Place::default() };
        return Err(IngestError { place, problem: Problem::NamesInTally });
    }
    if columns.proxies.is_empty() && columns.proxy_probs.is_empty() {
        return Err(error(None, SqlProblem::ProxiesNotSaid));
    }
    let mut header = vec![columns.y_pred.clone().unwrap_or_else(|| "y_pred".into())];
    header.extend(columns.other_preds.iter().cloned());
    header.extend(columns.y_true.iter().cloned());
    for asked in &columns.proxies {
        let named = crate::columns::proxies(asked, |_| false).map_err(refused)?;
        header.extend(named.into_iter().map(|(name, _)| name.to_owned()));
    }
    for asked in probabilities_asked(columns)? {
        let groups = columns.groups.as_deref().unwrap_or_default();
        if groups.is_empty() && matches!(asked.columns, Listed::Pattern { .. }) {
            return Err(error(Some(&format!("{}…", asked.name)), SqlProblem::GroupsNotSaid));
        }
        header.extend(asked.of_groups(groups));
    }
    header.extend(columns.outcome.iter().cloned());
    header.extend(columns.weight.iter().chain(&columns.truth).chain(&columns.audit_labels).cloned());
    header.extend(columns.by.iter().cloned());
    let mut seen = Vec::with_capacity(header.len());
    header.into_iter().for_each(|name| {
        if !seen.contains(&name) {
            seen.push(name);
        }
    });
    Ok(seen)
}

/// The query that makes the tally of a table whose columns are known. It ends without a semicolon.
pub(crate) fn tally_query(layout: &Layout, from: &Relation, dialect: Dialect) -> Result<String, IngestError> {
    if let Some(column) = &layout.label_probability {
        let place = Place { column: Some(column.name.clone()), ..Place::default() };
        return Err(IngestError { place, problem: Problem::LabelProbabilityOfRows });
    }
    Writer::new(layout, from, dialect)?.query(from)
}

/// The names of the columns that the query gives, in order.
#[cfg(feature = "postgres")]
pub(crate) fn tally_columns(layout: &Layout) -> Vec<String> {
    let keys = keys(layout).into_iter().map(|key| key.name);
    keys.chain(sums(layout).into_iter().map(|(name, _)| name)).collect()
}

/// A key column of the tally.
struct Key {
    name: String,
    /// Its column, or which of the probability proxies it is the guess of.
    from: KeyFrom,
}

enum KeyFrom {
    Column,
    /// The column is a score, which is told apart at this one.
    Decided(f64),
    /// The column is a number, of which the bin counts.
    Binned {
        column: String,
        bins: Bins,
    },
    Probabilities(usize),
}

fn keys(layout: &Layout) -> Vec<Key> {
    let plain = |column: &Column| Key { name: column.name.clone(), from: KeyFrom::Column };
    let decisions = match layout.threshold {
        Some(threshold) => Key { from: KeyFrom::Decided(threshold), ..plain(&layout.prediction) },
        None => plain(&layout.prediction),
    };
    let mut keys = vec![decisions];
    keys.extend(layout.label.iter().map(plain));
    let mut given = 0;
    for proxy in &layout.proxies {
        keys.push(match &proxy.kind {
            ProxyKind::Guess(column) | ProxyKind::MostLikely(column, _) | ProxyKind::Names(column, _) => {
                plain(column)
            }
            ProxyKind::Probabilities(_) => {
                given += 1;
                Key { name: proxy.name.clone(), from: KeyFrom::Probabilities(given - 1) }
            }
        });
    }
    let bins = match &layout.cut {
        Some(Cut::Bins(bins)) => Some(bins),
        _ => None,
    };
    keys.extend(bins.into_iter().flat_map(|bins| {
        layout.by.iter().map(|column| Key {
            name: Columns::binned(&column.name),
            from: KeyFrom::Binned { column: column.name.clone(), bins: bins.clone() },
        })
    }));
    let by = layout.by.iter().filter(|_| bins.is_none());
    let further = layout.others.iter().chain(by).chain(&layout.audit_labels).chain(&layout.truth);
    for column in further {
        // The segments may be cut by a column that has another role too: it is there once.
        if !keys.iter().any(|key| key.name == column.name && matches!(key.from, KeyFrom::Column)) {
            keys.push(plain(column));
        }
    }
    keys
}

/// What the tally tells of each combination.
enum Sum {
    Count,
    Rows,
    SquaredWeight,
    Soft(usize),
    SoftWeight,
    OutcomeRows,
    OutcomeWeight,
    Outcome,
    OutcomeSquares,
    Invalid,
}

fn sums(layout: &Layout) -> Vec<(String, Sum)> {
    let mut sums = vec![("count".to_owned(), Sum::Count)];
    if layout.weight.is_some() {
        sums.extend([("rows".into(), Sum::Rows), ("squared_weight".into(), Sum::SquaredWeight)]);
    }
    if let Some(columns) = probabilities(layout).first() {
        let soft = columns.iter().enumerate().map(|(g, (group, _))| (format!("soft_{group}"), Sum::Soft(g)));
        sums.extend(soft);
        sums.push(("soft_weight".into(), Sum::SoftWeight));
    }
    if layout.outcome.is_some() {
        let told = [Sum::OutcomeRows, Sum::OutcomeWeight, Sum::Outcome, Sum::OutcomeSquares];
        sums.extend(OUTCOME.map(str::to_owned).into_iter().zip(told));
    }
    if sums.len() > 1 {
        sums.push(("invalid".into(), Sum::Invalid));
    }
    sums
}

/// The columns of each probability proxy.
fn probabilities(layout: &Layout) -> Vec<&[(String, Chance)]> {
    let columns = layout.proxies.iter().filter_map(|proxy| match &proxy.kind {
        ProxyKind::Probabilities(columns) => Some(columns.as_slice()),
        ProxyKind::Guess(_) | ProxyKind::MostLikely(..) | ProxyKind::Names(..) => None,
    });
    columns.collect()
}

/// Names that a tally may hold beside its keys, whoever made it.
const RESERVED: [&str; 12] = [
    "count",
    "rows",
    "squared_weight",
    "invalid",
    "rest",
    "hidden_cells",
    "hidden_rows",
    "hidden_count",
    OUTCOME[0],
    OUTCOME[1],
    OUTCOME[2],
    OUTCOME[3],
];

struct Writer<'a> {
    layout: &'a Layout,
    dialect: Dialect,
    /// Begins the names that are the query's own; nothing of the user's holds it.
    own: String,
}

impl<'a> Writer<'a> {
    fn new(layout: &'a Layout, from: &Relation, dialect: Dialect) -> Result<Self, IngestError> {
        let (keys, sums) = (keys(layout), sums(layout));
        for (i, key) in keys.iter().enumerate() {
            let by = match () {
                () if RESERVED.contains(&key.name.as_str()) => "itself",
                () if sums.iter().any(|(name, _)| *name == key.name) => "the probabilities of a group",
                () if keys[..i].iter().any(|other| other.name == key.name) => "another column",
                () => continue,
            };
            return Err(error(Some(&key.name), SqlProblem::NameTaken { by }));
        }
        for (i, (name, _)) in sums.iter().enumerate() {
            if sums[..i].iter().any(|(other, _)| other == name) {
                return Err(error(Some(name), SqlProblem::NameTaken { by: "another column" }));
            }
        }
        let (Relation::Table(rows) | Relation::Query(rows)) = from;
        let mut own = String::from("fv_");
        let taken = |own: &str| {
            let inside = |text: &str| text.to_lowercase().contains(own);
            inside(rows) || keys.iter().any(|key| inside(&key.name))
        };
        while taken(&own) {
            own.insert(2, 'v');
        }
        Ok(Writer { layout, dialect, own })
    }

    fn query(&self, from: &Relation) -> Result<String, IngestError> {
        let from = from
            .after_from(self.dialect, &format!("{}source", self.own))
            .map_err(|problem| error(None, problem))?;
        let (weighted, given) = (self.layout.weight.is_some(), !probabilities(self.layout).is_empty());
        if !weighted && !given && self.layout.outcome.is_none() {
            return self.tally(&from);
        }
        let (person, judged) = (format!("{}person", self.own), format!("{}judged", self.own));
        let mut steps = format!("WITH {person} AS (\n{}\n)", self.person(&from)?);
        if given {
            steps += &format!(",\n{judged} AS (\n{}\n)", self.judged(&person)?);
        }
        Ok(format!("{steps}\n{}", self.tally(if given { &judged } else { &person })?))
    }

    /// One row for each combination of keys.
    fn tally(&self, from: &str) -> Result<String, IngestError> {
        let (mut columns, mut group) = (Vec::new(), Vec::new());
        for key in keys(self.layout) {
            let name = self.name(&key.name)?;
            let (value, shown) = match &key.from {
                KeyFrom::Binned { column, bins } => {
                    let binned = self.binned(&self.name(column)?, bins);
                    (binned.clone(), binned)
                }
                KeyFrom::Decided(threshold) => {
                    let score = self.dialect.measured(&name);
                    let decided = format!(
                        "CASE WHEN {score} >= {threshold} THEN '1' WHEN {score} < {threshold} THEN '0' END"
                    );
                    (decided.clone(), decided)
                }
                KeyFrom::Column => (name.clone(), self.dialect.key(&name)),
                KeyFrom::Probabilities(proxy) => (self.guess(*proxy), self.guess(*proxy)),
            };
            columns.push(if shown == name { shown } else { format!("{shown} AS {name}") });
            group.push(value);
        }
        for (name, sum) in sums(self.layout) {
            columns.push(format!("{} AS {}", self.sum(&sum), self.name(&name)?));
        }
        Ok(format!("{}\nGROUP BY\n  {}", select("", &columns, from), group.join(",\n  ")))
    }

    /// The name of the bin that a number lies in.
    fn binned(&self, name: &str, bins: &Bins) -> String {
        let number = self.dialect.measured(name);
        let mut cases = String::from("CASE");
        for (cut, below) in bins.cuts().iter().zip(bins.names()) {
            cases += &format!(" WHEN {number} < {cut} THEN '{below}'");
        }
        match bins.names().last().zip(bins.cuts().last()) {
            Some((last, cut)) => cases + &format!(" WHEN {number} >= {cut} THEN '{last}' END"),
            None => "NULL".into(),
        }
    }

    /// The rows, with weights and probabilities as numbers.
    fn person(&self, from: &str) -> Result<String, IngestError> {
        let mut columns = Vec::new();
        for key in keys(self.layout).iter().filter(|key| !matches!(key.from, KeyFrom::Probabilities(_))) {
            let column = match &key.from {
                KeyFrom::Binned { column, .. } => column,
                _ => &key.name,
            };
            let name = self.name(column)?;
            if !columns.contains(&name) {
                columns.push(name);
            }
        }
        if let Some(column) = &self.layout.weight {
            let weight = self.dialect.number(&self.name(&column.name)?);
            // False for NULL and for NaN, which compares as nothing or as more than any number.
            let own = self.weight();
            columns.push(format!("CASE WHEN {weight} BETWEEN 0 AND 1e12 THEN {weight} END AS {own}"));
        }
        if let Some(column) = &self.layout.outcome {
            let number = self.dialect.outcome(&self.name(&column.name)?);
            columns.push(format!("{number} AS {}", self.outcome()));
        }
        for (p, given) in probabilities(self.layout).iter().enumerate() {
            for (g, (_, chance)) in given.iter().enumerate() {
                // Of two groups, one may have what the other leaves.
                let other = || given.iter().find_map(|(_, chance)| chance.column());
                let Some(column) = chance.column().or_else(other) else { continue };
                let number = self.dialect.number_or_nothing(&self.name(&column.name)?);
                let number = if *chance == Chance::Rest { format!("1 - ({number})") } else { number };
                columns.push(format!("{number} AS {}", self.probability(p, g)));
            }
        }
        Ok(select("  ", &columns, from))
    }

    /// The rows, with what each probability proxy says.
    fn judged(&self, person: &str) -> Result<String, IngestError> {
        let mut columns = vec![format!("{person}.*")];
        for (p, given) in probabilities(self.layout).iter().enumerate() {
            let all: Vec<String> = (0..given.len()).map(|g| self.probability(p, g)).collect();
            let mut cases = Vec::with_capacity(given.len());
            for ((group, chance), this) in given.iter().zip(&all) {
                let others = all.iter().filter(|other| *other != this);
                let largest: Vec<String> = others.map(|other| format!("{this} > {other}")).collect();
                let column = chance.column().map(|column| column.name.as_str());
                let group = self.dialect.text(group).map_err(|problem| error(column, problem))?;
                cases.push(format!("WHEN {} THEN {group}", largest.join(" AND ")));
            }
            columns.push(format!("CASE\n  {}\nEND AS {}", cases.join("\n  "), self.guess(p)));
            let each = |test: &str| {
                all.iter().map(|this| format!("{this} {test}")).collect::<Vec<_>>().join(" AND ")
            };
            columns.push(format!(
                "CASE\n  WHEN {} THEN 0\n  WHEN {} AND ABS({} - 1) <= 1e-2 THEN 1\nEND AS {}",
                each("IS NULL"),
                each("BETWEEN 0 AND 1"),
                all.join(" + "),
                self.spoke(p)
            ));
        }
        Ok(select("  ", &columns, person))
    }

    fn sum(&self, sum: &Sum) -> String {
        let weight = self.weight();
        let proxies = probabilities(self.layout).len();
        let spoke = (0..proxies).map(|p| self.spoke(p)).collect::<Vec<_>>().join(" + ");
        let weighted = self.layout.weight.is_some();
        match sum {
            Sum::Count if weighted => self.dialect.sum(&weight),
            Sum::Count | Sum::Rows => "COUNT(*)".into(),
            Sum::SquaredWeight => self.dialect.sum(&format!("{weight} * {weight}")),
            Sum::Soft(group) => {
                let total = match proxies {
                    1 => self.probability(0, *group),
                    _ => {
                        let each =
                            (0..proxies).map(|p| format!("COALESCE({}, 0)", self.probability(p, *group)));
                        format!("({}) / ({spoke})", each.collect::<Vec<_>>().join(" + "))
                    }
                };
                let score = if weighted { format!("{weight} * {total}") } else { total };
                self.dialect.sum(&format!("CASE WHEN {spoke} > 0 THEN {score} ELSE 0 END"))
            }
            Sum::SoftWeight if weighted => {
                self.dialect.sum(&format!("CASE WHEN {spoke} > 0 THEN {weight} ELSE 0 END"))
            }
            Sum::SoftWeight => format!("SUM(CASE WHEN {spoke} > 0 THEN 1 ELSE 0 END)"),
            Sum::OutcomeRows => format!("SUM(CASE WHEN {} THEN 1 ELSE 0 END)", self.has_outcome()),
            Sum::OutcomeWeight if weighted => {
                self.dialect.sum(&format!("CASE WHEN {} THEN {weight} ELSE 0 END", self.has_outcome()))
            }
            Sum::OutcomeWeight => format!("SUM(CASE WHEN {} THEN 1 ELSE 0 END)", self.has_outcome()),
            Sum::Outcome | Sum::OutcomeSquares => {
                let outcome = self.outcome();
                let number = if weighted { format!("{weight} * {outcome}") } else { outcome.clone() };
                let number =
                    if matches!(sum, Sum::Outcome) { number } else { format!("{number} * {outcome}") };
                self.dialect.sum(&format!("CASE WHEN {} THEN {number} ELSE 0 END", self.has_outcome()))
            }
            Sum::Invalid => {
                let checked =
                    weighted.then_some(weight).into_iter().chain((0..proxies).map(|p| self.spoke(p)));
                let mut bad: Vec<String> = checked.map(|name| format!("{name} IS NULL")).collect();
                // An infinite one is none; what is too large, or no number, is refused.
                let large = || format!("ABS({}) > 1e12 AND ABS({0}) < 1.7e308", self.outcome());
                bad.extend(self.layout.outcome.as_ref().map(|_| large()));
                format!("SUM(CASE WHEN {} THEN 1 ELSE 0 END)", bad.join(" OR "))
            }
        }
    }

    fn name(&self, name: &str) -> Result<String, IngestError> {
        self.dialect.identifier(name).map_err(|problem| error(Some(name), problem))
    }

    /// The weight of a row; NULL where it makes no sense.
    fn weight(&self) -> String {
        format!("{}weight", self.own)
    }

    /// The outcome of a row; NULL where it has none.
    fn outcome(&self) -> String {
        format!("{}outcome", self.own)
    }

    /// False for NULL.
    fn has_outcome(&self) -> String {
        format!("ABS({}) <= 1e12", self.outcome())
    }

    fn probability(&self, proxy: usize, group: usize) -> String {
        format!("{}p{}_{}", self.own, proxy + 1, group + 1)
    }

    /// The one most likely group; NULL for a tie or no probabilities.
    fn guess(&self, proxy: usize) -> String {
        format!("{}guess{}", self.own, proxy + 1)
    }

    /// 1 where a proxy gives probabilities, 0 where it gives none, NULL where they make no sense.
    fn spoke(&self, proxy: usize) -> String {
        format!("{}spoke{}", self.own, proxy + 1)
    }
}

/// A SELECT on lines of their own. What stands after FROM is left as it is: a text of the user's may span lines.
fn select(indent: &str, columns: &[String], from: &str) -> String {
    let line = format!("\n{indent}  ");
    let columns: Vec<String> = columns.iter().map(|column| column.replace('\n', &line)).collect();
    format!("{indent}SELECT{line}{}\n{indent}FROM {from}", columns.join(&format!(",{line}")))
}

pub(crate) fn error(column: Option<&str>, problem: SqlProblem) -> IngestError {
    let place = Place { file: "query".into(), spot: None, column: column.map(str::to_owned) };
    IngestError { place, problem: Problem::Sql(problem) }
}
