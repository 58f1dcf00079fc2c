//! Fewer than three proxies: each row borrows the guesses of its two nearest neighbours (Algorithm 2, line 4).
//!
//! ```text
//! read_rows ──► FeatureRows ──find_neighbors──► Neighborhood ──table──► Table: 3C proxies for C
//!               codes, weights, features  two for each row └─write─► the table, two columns more
//! ```
//! Assumes that a row and its two neighbours are of one true group and that the proxy errs on each of them on its own.
//! Rows without a prediction, or without weight, count for nothing: they neither borrow nor lend.

mod kept;
mod lent;
mod npy;
mod scale;
mod shades;
mod shared;
mod triples;

pub(crate) use lent::Lent;

use crate::cells::{Cells, Key};
use crate::columns::{Column, Columns, Layout, ProxyColumn, ProxyKind};
use crate::error::{IngestError, Place, Problem, Spot};
use crate::fault::{Fault, FileName, SkippedRows};
use crate::features::FeatureProblem;
use crate::feed::{Gathered, Input, Reading};
use crate::naming::Names;
use crate::people::People;
use crate::plan::Plan;
use crate::read::of_table_if;
use crate::rewrite::{Copied, Edit, RewriteError, RewritePlan, TableFormat, rewrite};
use crate::tally::{RawTable, Table};
use crate::value::Dictionary;
use fairveil_core::counts::Borrowed;
use fairveil_core::vocabulary::Proxy;
use fairveil_neighbors::{Metric, Neighbors, SearchMethod, VectorProblem, Vectors, nearest};
use kept::{Kept, KeptRows};
use lent::ABSTAINS;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The rows of a table with their features, before anyone looked for neighbours.
pub struct FeatureRows<'a> {
    columns: &'a Columns,
    layout: Layout,
    plan: Plan,
    files: Vec<FileName>,
    dictionaries: Vec<Dictionary>,
    skipped: SkippedRows,
    people: People,
    kept: KeptRows,
    names: Names,
    /// For each proxy and code of its column, the place of the group that it means.
    meanings: Vec<Vec<u16>>,
    /// The raw cell of each row.
    cell_of: Vec<u32>,
    cells: Vec<Key>,
    /// The rows that have a prediction and weight.
    counted: Vec<u32>,
    array: Option<PathBuf>,
    /// Whether its features were put on one scale.
    scaled: bool,
}

/// The rows of a table and whom each borrows from.
pub struct Neighborhood<'a> {
    rows: FeatureRows<'a>,
    found: Neighbors,
    metric: Metric,
    dimensions: usize,
}

/// Reads the rows of a table with their features: the columns named by [`Columns::features`], or the rows of an array.
pub fn read_rows<'a>(
    inputs: Vec<Input>,
    columns: &'a Columns,
    array: Option<&Path>,
    reading: &Reading,
) -> Result<FeatureRows<'a>, IngestError> {
    let file = inputs.first().map(Input::name).unwrap_or_default();
    let refuse = |problem| {
        let place = Place { file: file.clone(), ..Place::default() };
        Err(IngestError { place, problem: Problem::Features(problem) })
    };
    if columns.features.is_empty() && array.is_none() {
        return refuse(FeatureProblem::NotSaid);
    }
    if inputs.iter().any(Input::makes_tally) {
        return refuse(FeatureProblem::RowsNeeded);
    }
    if array.is_some() && reading.lenient {
        return refuse(FeatureProblem::ArrayLenient);
    }
    // Read first: it is refused for what it is before a large table is read.
    let numbers = array.map(npy::read).transpose()?;
    let fit = |layout: &Layout| match layout.proxies.len() {
        _ if layout.tallied.is_some() => Err(Problem::Features(FeatureProblem::RowsNeeded)),
        found if found > 2 => Err(Problem::Features(FeatureProblem::EnoughProxies { found })),
        _ => Ok(()),
    };
    let (layout, gathered) = of_table_if(inputs, columns, reading, fit, |_| Kept::default())?;
    let Gathered { plan, files, dictionaries, consumer, skipped, people } = gathered;
    let mut kept = consumer.in_order(&plan).map_err(|fault| fault.named(&files))?;
    let total = kept.at.len();
    if u32::try_from(total).is_err() {
        return refuse(FeatureProblem::TooMany { rows: total, dimensions: kept.dimensions });
    }
    if let (Some(numbers), Some(path)) = (numbers, array) {
        if numbers.rows != total {
            let problem = FeatureProblem::ArrayRows { found: numbers.rows, needed: total };
            let place = Place { file: path.display().to_string(), ..Place::default() };
            return Err(IngestError { place, problem: Problem::Features(problem) });
        }
        (kept.features, kept.dimensions) = (numbers.values, numbers.columns);
    }
    let mut cells = Cells::default();
    let mut cell_of = Vec::with_capacity(total);
    for row in 0..total {
        let key = kept.codes.iter().map(|codes| codes[row]).collect();
        cell_of.push(kept.count(&mut cells, key, row).map_err(|e| Fault::of_file(0, e).named(&files))?);
    }
    let (keys, rows) = (cells.keys.clone(), cells.rows);
    let own = Gathered {
        plan: plan.clone(),
        files: files.clone(),
        dictionaries: dictionaries.clone(),
        consumer: cells,
        skipped: skipped.clone(),
        people: people.clone(),
    };
    debug_assert_eq!(rows, total as u64);
    let own = RawTable::new(columns, layout.clone(), own);
    let names = own.names()?;
    let meaning = |proxy: usize| {
        let codes = match layout.proxies[proxy].kind.groups() {
            Some(groups) => groups.len() + 1,
            None => own.values[plan.roles.guesses[proxy]].values.len(),
        };
        let group = |code| own.guess(proxy, code as u32, &names.group_at).map_or(ABSTAINS, |g| g.0 as u16);
        (0..codes).map(group).collect()
    };
    let meanings = (0..layout.proxies.len()).map(meaning).collect();
    let prediction = plan.roles.predictions[0];
    let predicted = |row: usize| own.named(prediction, kept.codes[prediction][row]).is_some();
    let weighs = |row: usize| kept.weights.get(row).is_none_or(|weight| *weight > 0.0);
    let counted = (0..total).filter(|row| predicted(*row) && weighs(*row)).map(|row| row as u32).collect();
    let array = array.map(Path::to_owned);
    let cells = keys.iter().map(|key| plan.roles.without_groups(key)).collect();
    Ok(FeatureRows {
        columns,
        layout,
        plan,
        files,
        dictionaries,
        skipped,
        people,
        kept,
        names,
        meanings,
        cell_of,
        cells,
        counted,
        array,
        scaled: false,
    })
}

impl KeptRows {
    /// Counts one row in the cell of a key; gives its place.
    fn count(&self, cells: &mut Cells, key: Key, row: usize) -> Result<u32, Problem> {
        let scored = self.scored.get(row).is_some_and(|scored| *scored);
        let scores = self.scores.iter().map(|scores| scores[row]);
        cells.add_row(key, self.weights.get(row).copied(), scored.then_some(scores))
    }
}

impl<'a> FeatureRows<'a> {
    /// How many rows have a prediction and weight, and are searched.
    pub fn searched(&self) -> usize {
        self.counted.len()
    }

    /// How many features a row has.
    pub fn dimensions(&self) -> usize {
        self.kept.dimensions
    }

    /// Looks for the two nearest neighbours of every row, on the threads of the `rayon` pool it is called in.
    pub fn find_neighbors(
        mut self,
        metric: Metric,
        method: SearchMethod,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Neighborhood<'a>, IngestError> {
        let dimensions = self.kept.dimensions;
        let mut features = std::mem::take(&mut self.kept.features);
        if self.counted.len() < self.kept.at.len() {
            for (place, row) in self.counted.iter().enumerate() {
                let start = *row as usize * dimensions;
                features.copy_within(start..start + dimensions, place * dimensions);
            }
            features.truncate(self.counted.len() * dimensions);
        }
        let vectors = Vectors::new(features, dimensions, metric).map_err(|problem| self.refused(&problem))?;
        let found = nearest(&vectors, method, progress);
        Ok(Neighborhood { rows: self, found, metric, dimensions })
    }

    /// What is wrong with vectors, in the words of the table.
    fn refused(&self, problem: &VectorProblem) -> IngestError {
        let (row, problem) = match *problem {
            VectorProblem::TooFew { rows } => (None, FeatureProblem::TooFewRows { found: rows }),
            VectorProblem::NotFinite { row, dimension } => {
                (Some(row), FeatureProblem::Element { place: dimension + 1, value: "not finite".into() })
            }
            VectorProblem::Zero { row } => (Some(row), FeatureProblem::Zero),
            VectorProblem::AllIdentical => (None, FeatureProblem::AllIdentical),
            VectorProblem::TooMany { rows } => {
                (None, FeatureProblem::TooMany { rows, dimensions: self.kept.dimensions })
            }
            VectorProblem::Ragged { .. } => (None, FeatureProblem::NoDimensions),
            VectorProblem::TooWide { dimensions } => (None, FeatureProblem::TooWide { dimensions }),
        };
        let row = row.map(|row| self.counted[row] as usize);
        let problem = Problem::Features(problem);
        match &self.array {
            Some(path) => {
                let spot = row.map(|row| Spot::Row(row as u64 + 1));
                let place = Place { file: path.display().to_string(), spot, column: None };
                IngestError { place, problem }
            }
            None => {
                let column = match self.plan.features.as_slice() {
                    [only] => Some(only.clone()),
                    _ => None,
                };
                let at = row.map_or(crate::value::At { file: 0, number: 0 }, |row| self.kept.at[row]);
                Fault { at, column, problem }.named(&self.files)
            }
        }
    }

    /// What near means, in words.
    fn words(&self) -> String {
        let names = self.names_of_features();
        if self.scaled { format!("{names}, scaled") } else { names }
    }

    fn names_of_features(&self) -> String {
        match (&self.array, self.plan.features.as_slice()) {
            (Some(path), _) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            (None, few) if few.len() <= 3 => few.join(", "),
            (None, many) => {
                let last = many.last().map(String::as_str).unwrap_or_default();
                format!("{} to {last}", many[0])
            }
        }
    }

    /// The code of the value of a key on each row that was searched; one code for all spellings of a value.
    fn one_spelling(&self, key: usize) -> Vec<u32> {
        let values = &self.dictionaries[key].values;
        let first = |code: usize| values.iter().position(|value| value.canonical == values[code].canonical);
        let firsts: Vec<u32> = (0..values.len()).map(|code| first(code).unwrap_or(code) as u32).collect();
        self.counted.iter().map(|row| firsts[self.kept.codes[key][*row as usize] as usize]).collect()
    }

    /// For each row of the input its place among those that were searched; past their end where it is none of them.
    fn places(&self) -> Vec<u32> {
        let mut places = vec![u32::MAX; self.kept.at.len()];
        self.counted.iter().enumerate().for_each(|(counted, row)| places[*row as usize] = counted as u32);
        places
    }

    /// What a proxy guessed on a row that was searched, as the place of a group.
    fn guess(&self, proxy: usize, counted: usize) -> u16 {
        let code = self.kept.codes[self.plan.roles.guesses[proxy]][self.counted[counted] as usize];
        self.meanings[proxy].get(code as usize).copied().unwrap_or(ABSTAINS)
    }
}

impl Neighborhood<'_> {
    /// What is known about the neighbours of all rows. Of shared people nothing: an audit counts them.
    pub fn about(&self) -> Borrowed {
        let lent = self.of_rows();
        lent.about(&(0..lent.key_of.len() as u32).collect::<Vec<_>>())
    }

    /// Copies the table, which is read once more, and adds two columns for each proxy: what it guesses on the nearest
    /// neighbour of a row and on the second. They are named after the proxy, `_neighbor_1` and `_neighbor_2`.
    pub fn write(
        &self,
        inputs: Vec<Input>,
        reading: &Reading,
        format: TableFormat,
        out: impl Write + Send,
    ) -> Result<Copied, RewriteError> {
        let rows = &self.rows;
        let total = rows.kept.at.len();
        let proxies = rows.layout.proxies.iter();
        let added = proxies.flat_map(|proxy| [0, 1].map(|which| lent_name(&proxy.name, which))).collect();
        // What may be a tally was refused when its rows were read.
        let plan = RewritePlan { added, rows_are_single: true, ..RewritePlan::default() };
        let changed = || {
            let file = rows.files.first().map(|file| file.name.clone()).unwrap_or_default();
            let problem = Problem::Features(FeatureProblem::Changed { rows: total });
            IngestError { place: Place { file, ..Place::default() }, problem }
        };
        let place = rows.places();
        let mut start = 0;
        let edit = |some: &crate::rewrite::Rows| {
            let places = place.get(start..start + some.rows()).ok_or_else(changed)?;
            start += some.rows();
            let lent = |proxy: usize, which: usize| {
                let one = |counted: &u32| {
                    let [a, b] = *self.found.nearest.get(*counted as usize)?;
                    let guess = rows.guess(proxy, [a, b][which] as usize);
                    rows.names.legend.groups.get(usize::from(guess)).cloned()
                };
                places.iter().map(one).collect()
            };
            let columns = (0..rows.layout.proxies.len()).flat_map(|c| [(c, 0), (c, 1)]);
            Ok(Edit { added: columns.map(|(proxy, which)| lent(proxy, which)).collect(), ..Edit::default() })
        };
        let written = rewrite(inputs, &plan, reading, format, out, edit)?;
        if written.rows == total as u64 { Ok(written) } else { Err(changed().into()) }
    }

    /// The tally of own and borrowed guesses: `C` proxies become `3C`. With a seed each row keeps a random three of them
    /// instead, as three proxies.
    pub fn table(self, triples: Option<u64>) -> Result<Table, IngestError> {
        let lent = self.of_rows();
        let Neighborhood { rows, found, .. } = self;
        let FeatureRows { columns, layout, plan, files, dictionaries, skipped, people, kept, .. } = &rows;
        let mut names = rows.names.clone();
        let own = layout.proxies.len();
        let (proxies, legend) = borrowed_proxies(&layout.proxies, triples.is_some());
        // Lent guesses stand behind all else, and are places of groups, whatever the spelling of the lender was.
        let mut plan = plan.clone();
        let mut dictionaries: Vec<Dictionary> = dictionaries.clone();
        let own_places = std::mem::take(&mut plan.roles.guesses);
        let mut lend = || {
            dictionaries.push(Dictionary::of_names(&names.legend.groups));
            dictionaries.len() - 1
        };
        plan.roles.guesses = match triples {
            None => own_places.iter().flat_map(|place| [*place, lend(), lend()]).collect(),
            Some(_) => vec![lend(), lend(), lend()],
        };
        let mut cells = Cells::default();
        let place = rows.places();
        let code = |guess: u16| if guess == ABSTAINS { u32::MAX } else { u32::from(guess) };
        for (row, counted) in place.into_iter().enumerate() {
            let counted = counted as usize;
            let people = found.nearest.get(counted).map(|[a, b]| [counted, *a as usize, *b as usize]);
            let guess = |proxy: usize, which: usize| {
                people.map_or(u32::MAX, |people| code(rows.guess(proxy, people[which])))
            };
            let mut key: Vec<u32> = kept.codes.iter().map(|codes| codes[row]).collect();
            match triples {
                None => (0..own).for_each(|c| key.extend([guess(c, 1), guess(c, 2)])),
                Some(seed) => {
                    let three = triples::three_of(seed, row as u64, 3 * own);
                    key.extend(three.map(|chosen| guess(chosen / 3, chosen % 3)));
                    own_places.iter().for_each(|place| key[*place] = 0);
                }
            }
            kept.count(&mut cells, key.into(), row).map_err(|e| Fault::of_file(0, e).named(files))?;
        }
        names.legend.proxies = legend;
        let gathered = Gathered {
            plan,
            files: files.clone(),
            dictionaries,
            consumer: cells,
            skipped: skipped.clone(),
            people: people.clone(),
        };
        let mut table = RawTable::new(columns, Layout { proxies, ..layout.clone() }, gathered);
        table.lent = Some(lent);
        table.finish_named(&names)
    }

    fn of_rows(&self) -> Lent {
        let rows = &self.rows;
        let of_counted = |values: &[u32]| rows.counted.iter().map(|row| values[*row as usize]).collect();
        let of_proxy = |(c, proxy): (usize, &ProxyColumn)| {
            let guesses = (0..rows.counted.len()).map(|counted| rows.guess(c, counted)).collect();
            (proxy.name.clone(), guesses)
        };
        let metric = match self.metric {
            Metric::Cosine => "cosine",
            Metric::Euclidean => "euclidean",
        };
        let search = match self.found.method {
            SearchMethod::Hnsw => "hnsw",
            SearchMethod::Auto | SearchMethod::Exact => "exact",
        };
        Lent {
            about: Borrowed {
                features: rows.words(),
                dimensions: self.dimensions,
                metric: metric.into(),
                search: search.into(),
                recall: self.found.recall,
                ..Borrowed::default()
            },
            keys: rows.cells.clone(),
            key_of: of_counted(&rows.cell_of),
            weights: rows
                .plan
                .weight
                .map(|_| rows.counted.iter().map(|row| rows.kept.weights[*row as usize]).collect()),
            nearest: self.found.nearest.clone(),
            distances: self.found.distances.clone(),
            guesses: rows.layout.proxies.iter().enumerate().map(of_proxy).collect(),
            truth: rows.plan.truth.map(|key| rows.one_spelling(key)),
        }
    }
}

/// The name of a column that a neighbour lends: `which` is 0 or 1.
fn lent_name(proxy: &str, which: usize) -> String {
    format!("{proxy}_neighbor_{}", which + 1)
}

/// The proxies of a table of own and borrowed guesses: as columns, and as the legend calls them.
fn borrowed_proxies(own: &[ProxyColumn], sampled: bool) -> (Vec<ProxyColumn>, Vec<Proxy>) {
    let column = |name: &str, source: &Option<String>| {
        let column = Column { name: name.to_owned(), position: 0 };
        ProxyColumn { name: name.to_owned(), source: source.clone(), kind: ProxyKind::Guess(column) }
    };
    let mut proxies: Vec<(ProxyColumn, Option<String>)> = Vec::with_capacity(3 * own.len());
    if sampled {
        // Where there are two proxies, a column holds guesses of both.
        let names: Vec<&str> = own.iter().map(|proxy| proxy.name.as_str()).collect();
        let source = match own {
            [only] => only.source.clone(),
            _ => None,
        };
        let named = |i: usize| (column(&format!("borrowed {i}"), &source), Some(names.join(" and ")));
        proxies.extend((1..=3).map(named));
    } else {
        for proxy in own {
            proxies.push((proxy.clone(), None));
            let named = |i: usize| {
                let name = format!("{} (neighbor {i})", proxy.name);
                (column(&name, &proxy.source), Some(proxy.name.clone()))
            };
            proxies.extend((1..=2).map(named));
        }
    }
    let legend = |(proxy, lent_by): &(ProxyColumn, Option<String>)| Proxy {
        name: proxy.name.clone(),
        source: proxy.source.clone(),
        lent_by: lent_by.clone(),
    };
    let legend = proxies.iter().map(legend).collect();
    (proxies.into_iter().map(|(proxy, _)| proxy).collect(), legend)
}
