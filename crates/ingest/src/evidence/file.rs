//! Evidence as a file beside a tally, so that names stay where they are and an audit elsewhere uses all that they say.
//!
//! The first line says what the points mean and lists the places (decision, label, segments, what is controlled for); every other
//! line is a cell: which count, which place, its points in hexadecimal digits, its rows, and with weights their sum and that of their
//! squares, each followed by what rounding left of it. Files of parts add up to the file of the whole.
//! ```text
//! {"schema":"fairveil.evidence/1","columns":["y_pred"],"groups":["a","b"],…,"counts":[{"of":[0],"steps":128}],"places":[["0"],["1"]]}
//! [0,1,"5c24",17]
//! ```
//! A cell says how many people have names that say the same, and of a rare name that may be one. It is no file for people who may not
//! see the tally.

use super::points::{At, Points, Rows, joined, point_hash};
use super::told::{ByPoint, Told};
use super::{Evidence, MOST_SOURCES, RawEvidence, Several};
use crate::cells::Key;
use crate::columns::Columns;
use crate::error::{IngestError, Place, Problem, Spot, said, short};
use crate::names::{MOST_NAMED_GROUPS, packed, unpacked};
use crate::tally::RawTable;
use crate::value::{canonical, is_missing};
use fairveil_core::counts::ExactSum;
use fairveil_core::evidence::{COARSEST, FINEST};
use fairveil_core::setting::Refusal;
use fairveil_core::text;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, Read, Write};

/// The name of the format.
const SCHEMA: &str = "fairveil.evidence/1";
/// No line of such a file is longer.
const MOST_LINE: u64 = 64 << 20;
/// The most rows of a count, and the largest sum of weights.
const MOST_ROWS: u64 = 1 << 53;
const MOST_SUM: f64 = 1e24;
/// No table has fewer people of a group.
const LEAST_SHARE: f64 = 1e-9;

/// The evidence of the rows behind a tally.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceFile {
    /// The columns whose values make a place.
    columns: Vec<String>,
    /// Their values at each place; empty where one is missing.
    places: Vec<Vec<String>>,
    weighted: bool,
    counted: Evidence,
}

/// Why evidence is not believed, or does not go with a tally.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EvidenceProblem {
    /// Another file, or a damaged one.
    NotEvidence {
        /// What was found.
        found: String,
    },
    /// What no rows give.
    Impossible {
        /// What was found.
        found: &'static str,
    },
    /// Two files that tell of other groups, sources or columns.
    Apart,
    /// A column that the audit looks at and that the evidence was not counted by.
    Column {
        /// Those that it was counted by.
        known: Vec<String>,
    },
    /// Other rows than those of the tally.
    OtherRows {
        /// Rows of the evidence.
        found: u64,
        /// Rows of the tally.
        needed: u64,
    },
    /// Other weights than those of the tally, or weights on one side alone.
    OtherWeights,
    /// A tally with noise or with cells withheld, whose rows are not those of the evidence.
    Changed,
    /// A table of rows, or of names, that has its own.
    Rows,
}

impl EvidenceProblem {
    pub(crate) fn refusal(&self) -> Refusal {
        const WRITTEN: &str = "the file that was written beside the tally";
        match self {
            EvidenceProblem::NotEvidence { found } => said(
                format!("this is no evidence: {}", short(found)),
                WRITTEN,
                text!["check the name, or {!count} again"],
            ),
            EvidenceProblem::Impossible { found } => said(
                *found,
                "what rows can give",
                text!["{!count} the rows again: the file was changed or damaged"],
            ),
            EvidenceProblem::Apart => said(
                "two files of evidence tell of other columns, groups or sources",
                "files that were counted in the same way",
                text!["{!count} all parts with the same settings"],
            ),
            EvidenceProblem::Column { known } => said(
                "the evidence was not counted by this column",
                format!("one of {}", crate::error::some(known)),
                text!["{!count} the rows again with this column, or leave it out"],
            ),
            EvidenceProblem::OtherRows { found, needed } => said(
                format!("the evidence tells of {found} rows where the tally has {needed}"),
                "evidence about the very rows of the tally, decision by decision",
                text!["name the files that were written together, all parts of both"],
            ),
            EvidenceProblem::OtherWeights => said(
                "the rows of the evidence weigh something else than those of the tally",
                "evidence and tally of the same weights",
                text!["{!count} both in one go, with {weight} or without"],
            ),
            EvidenceProblem::Changed => said(
                "the tally has noise or withholds cells, and evidence tells of every row",
                "a tally of all rows as they are",
                text!["leave out {evidence}, or {!count} without noise and with all cells"],
            ),
            EvidenceProblem::Rows => said(
                "evidence is named beside a table of rows",
                "a tally, beside which the evidence was written",
                text!["leave out {evidence}: rows bring their own"],
            ),
        }
    }
}

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    schema: String,
    columns: Vec<String>,
    weighted: bool,
    #[serde(flatten)]
    told: Told,
    looked: Vec<[u64; 5]>,
    counts: Vec<CountTold>,
    places: Vec<Vec<String>>,
}

/// One of the counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CountTold {
    /// The sources whose points a cell has.
    of: Vec<usize>,
    /// The steps of the grid.
    steps: u8,
    /// The product of all sources.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    product: bool,
    /// Cells are kept whose points have a hash that ends in so many zeros.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    zeros: Option<u32>,
}

impl EvidenceFile {
    /// Evidence in the words of its table; `text` says what a code of a column means.
    pub(crate) fn new(
        raw: RawEvidence,
        (columns, keys): (Vec<String>, &[usize]),
        weighted: bool,
        text: impl Fn(usize, u32) -> String,
    ) -> Self {
        let RawEvidence { keys: raw, counted } = raw;
        let said = |key: &Key| keys.iter().map(|place| text(*place, key[*place])).collect();
        let told: Vec<Vec<String>> = raw.iter().map(said).collect();
        let mut file = EvidenceFile { columns, places: Vec::new(), weighted, counted };
        let by_point = file.counted.by_point.emptied();
        let mine = std::mem::replace(&mut file.counted.by_point, by_point);
        file.take(told, mine);
        file
    }

    /// Adds rows whose places are these.
    fn take(&mut self, told: Vec<Vec<String>>, rows: ByPoint) {
        let mut at: HashMap<Vec<String>, u32> = self.places.iter().cloned().zip(0..).collect();
        let mut places = Vec::with_capacity(told.len());
        for values in told {
            let next = self.places.len() as u32;
            places.push(*at.entry(values.clone()).or_insert(next));
            if self.places.len() < at.len() {
                self.places.push(values);
            }
        }
        self.counted.by_point.merge(rows, &places);
    }

    /// Adds the evidence of other rows.
    pub fn merge(&mut self, other: EvidenceFile) -> Result<(), IngestError> {
        let same = (&self.columns, self.weighted, &self.counted.told)
            == (&other.columns, other.weighted, &other.counted.told);
        if !same {
            return Err(refused(Place::default(), EvidenceProblem::Apart));
        }
        self.take(other.places, other.counted.by_point);
        Ok(())
    }

    /// The columns of an audit, with the proxies that guess from its names and the groups that it compares where none are named.
    pub(crate) fn completed(&self, columns: Columns) -> Columns {
        let told = &self.counted.told;
        let sources = told.sources.iter().filter(|source| source.table.is_some());
        let proxies = match columns.proxies.is_empty() && columns.proxy_probs.is_empty() {
            true => sources.map(|source| format!("{0}:{0}", source.name)).collect(),
            false => columns.proxies,
        };
        let groups = columns.groups.or_else(|| told.stated.then(|| told.compared.clone()));
        Columns { proxies, groups, ..columns }
    }

    /// Rows that it tells of.
    pub fn rows(&self) -> u64 {
        let first = self.counted.by_point.alone.first();
        first.map_or(0, |alone| alone.cells.values().map(|rows| rows.rows).sum())
    }

    /// Cells of its counts.
    pub fn cells(&self) -> usize {
        self.counted.by_point.cells()
    }

    /// Writes it, in an order that follows from what it holds.
    pub fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let Evidence { by_point: ByPoint { alone, several, looked }, told } = &self.counted;
        let mut order: Vec<usize> = (0..self.places.len()).collect();
        order.sort_by(|a, b| self.places[*a].cmp(&self.places[*b]));
        let mut rank = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, at)| rank[*at] = place);
        let all: Vec<usize> = (0..told.sources.len()).collect();
        let counted = |of: Vec<usize>, steps, product, zeros| CountTold { of, steps, product, zeros };
        let mut counts: Vec<CountTold> =
            alone.iter().enumerate().map(|(s, alone)| counted(vec![s], alone.steps, false, None)).collect();
        if let Some(Several { together, jointly }) = several {
            counts.push(counted(all.clone(), together.steps, true, None));
            counts.push(counted(all, jointly.steps, false, jointly.thinned));
        }
        let head = Head {
            schema: SCHEMA.to_owned(),
            columns: self.columns.clone(),
            weighted: self.weighted,
            told: told.clone(),
            looked: looked.clone(),
            counts,
            places: order.iter().map(|at| self.places[*at].clone()).collect(),
        };
        serde_json::to_writer(&mut *out, &head)?;
        out.write_all(b"\n")?;
        for (count, alone) in alone.iter().enumerate() {
            self.write_cells(alone, (count, 1), &rank, out)?;
        }
        if let Some(Several { together, jointly }) = several {
            self.write_cells(together, (alone.len(), 1), &rank, out)?;
            self.write_cells(jointly, (alone.len() + 1, told.sources.len()), &rank, out)?;
        }
        Ok(())
    }

    fn write_cells<const N: usize>(
        &self,
        points: &Points<N>,
        (count, sources): (usize, usize),
        rank: &[usize],
        out: &mut impl Write,
    ) -> std::io::Result<()> {
        let mut cells: Vec<(usize, [u128; N], &Rows)> =
            points.cells.iter().map(|(at, rows)| (rank[at.place as usize], at.points, rows)).collect();
        cells.sort_by_key(|(place, points, _)| (*place, *points));
        for (place, said, rows) in cells {
            write!(out, "[{count},{place},\"")?;
            for byte in said.iter().take(sources).flat_map(|point| unpacked(*point, points.groups)) {
                write!(out, "{byte:02x}")?;
            }
            write!(out, "\",{}", rows.rows)?;
            for sum in rows.sums.iter().flat_map(|sums| sums.iter()) {
                let parts: Vec<f64> = std::iter::once(sum.value()).chain(sum.rest()).collect();
                write!(out, ",{}", serde_json::to_string(&parts)?)?;
            }
            out.write_all(b"]\n")?;
        }
        Ok(())
    }

    /// Reads what [`write`](Self::write) wrote. `name` is what messages call the file.
    ///
    /// # Errors
    /// If it is another file, damaged, or tells what no rows give.
    pub fn read(name: &str, bytes: impl Read) -> Result<Self, IngestError> {
        let place = |line: u64| Place { file: name.to_owned(), spot: Some(Spot::Line(line)), column: None };
        let mut lines = std::io::BufReader::new(bytes);
        let mut line = Vec::new();
        let mut next = |number: u64| -> Result<Option<Vec<u8>>, IngestError> {
            line.clear();
            let read = lines.by_ref().take(MOST_LINE).read_until(b'\n', &mut line);
            read.map_err(|error| IngestError { place: place(number), problem: Problem::Unreadable(error) })?;
            if line.len() as u64 >= MOST_LINE {
                let found = format!("a line of {} MiB", MOST_LINE >> 20);
                return Err(refused(place(number), EvidenceProblem::NotEvidence { found }));
            }
            Ok((!line.is_empty()).then(|| line.clone()))
        };
        let Some(first) = next(1)? else {
            return Err(IngestError { place: place(1), problem: Problem::EmptyFile });
        };
        let (mut file, counts) =
            EvidenceFile::headed(&first).map_err(|problem| refused(place(1), problem))?;
        let mut totals = vec![0; counts.len()];
        let mut number = 1;
        while let Some(line) = next(number + 1)? {
            number += 1;
            file.read_cell(&line, &counts, &mut totals).map_err(|problem| refused(place(number), problem))?;
        }
        let whole = Place { file: name.to_owned(), ..Place::default() };
        file.examine().map_err(|problem| refused(whole, problem))?;
        Ok(file)
    }

    /// A file without cells, from its first line.
    fn headed(line: &[u8]) -> Result<(Self, Vec<CountTold>), EvidenceProblem> {
        let found = |found: String| EvidenceProblem::NotEvidence { found };
        let head: Head = serde_json::from_slice(line).map_err(|error| found(error.to_string()))?;
        let impossible = |found| Err(EvidenceProblem::Impossible { found });
        let Head { schema, columns, weighted, told, looked, counts, places } = head;
        if schema != SCHEMA {
            return Err(found(format!("its schema is {schema}, where {SCHEMA} is known")));
        }
        let (groups, sources) = (told.groups.len(), told.sources.len());
        if !(2..=MOST_NAMED_GROUPS).contains(&groups) || told.of.len() != groups {
            return impossible("the groups that sources tell apart do not fit those that are compared");
        }
        if told.of.iter().any(|at| *at >= told.compared.len()) || !(1..=MOST_SOURCES).contains(&sources) {
            return impossible("a group or a source is named that is not told of");
        }
        let unlike =
            |names: &[String]| names.iter().enumerate().all(|(at, name)| !names[..at].contains(name));
        let all_meant = (0..told.compared.len()).all(|at| told.of.contains(&at));
        let named: Vec<String> = told.sources.iter().map(|source| source.name.clone()).collect();
        if ![&told.groups, &told.compared, &named].iter().all(|names| unlike(names)) || !all_meant {
            return impossible("a group or a source is named twice, or a group is nobody's");
        }
        let is_share = |shares: &Vec<f64>| {
            let sum: f64 = shares.iter().sum();
            let none = shares.iter().any(|share| share.is_nan() || *share < LEAST_SHARE);
            shares.len() == groups && !none && (sum - 1.0).abs() < 1e-6
        };
        let stated = told.sources.iter().flat_map(|source| source.reference.iter().chain(&source.population));
        if !stated.into_iter().all(is_share) {
            return impossible("shares of the groups do not sum to 1, or one is nothing");
        }
        // Several are multiplied as likelihoods, for which each needs its shares.
        if sources > 1 && told.sources.iter().any(|source| source.reference.is_none()) {
            return impossible("one of several sources does not say what its points take the shares to be");
        }
        if looked.len() != sources || places.iter().any(|place| place.len() != columns.len()) {
            return impossible("the first line does not fit itself");
        }
        let told_counts = |of: &[usize]| -> Vec<CountTold> {
            let one = |of: Vec<usize>, product, zeros| CountTold { of, steps: 0, product, zeros };
            let mut counts: Vec<CountTold> = of.iter().map(|s| one(vec![*s], false, None)).collect();
            if of.len() > 1 {
                counts.push(one(of.to_vec(), true, None));
                counts.push(one(of.to_vec(), false, Some(0)));
            }
            counts
        };
        let all: Vec<usize> = (0..sources).collect();
        let shape =
            |count: &CountTold| CountTold { steps: 0, zeros: count.zeros.map(|_| 0), ..count.clone() };
        let grid = |count: &CountTold| {
            count.steps.is_power_of_two()
                && (COARSEST..=FINEST).contains(&count.steps)
                && count.zeros.is_none_or(|zeros| zeros < 64)
        };
        if counts.iter().map(shape).collect::<Vec<_>>() != told_counts(&all) || !counts.iter().all(grid) {
            return impossible("the counts are not those of its sources");
        }
        let points = |count: &CountTold| Points::new(groups, count.steps);
        let several = (sources > 1).then(|| Several {
            together: points(&counts[sources]),
            jointly: Points {
                thinned: counts[sources + 1].zeros,
                ..Points::new(groups, counts[sources + 1].steps)
            },
        });
        let alone = counts[..sources].iter().map(points).collect();
        let counted = Evidence { by_point: ByPoint { alone, several, looked }, told };
        Ok((EvidenceFile { columns, places, weighted, counted }, counts))
    }

    fn read_cell(
        &mut self,
        line: &[u8],
        counts: &[CountTold],
        totals: &mut [u64],
    ) -> Result<(), EvidenceProblem> {
        type Cell = (usize, u32, String, u64);
        type Weighed = (usize, u32, String, u64, Vec<f64>, Vec<f64>);
        let found = |error: serde_json::Error| EvidenceProblem::NotEvidence { found: error.to_string() };
        let impossible = |found| Err(EvidenceProblem::Impossible { found });
        let (count, place, digits, rows, sums) = if self.weighted {
            let (count, place, digits, rows, weight, squares): Weighed =
                serde_json::from_slice(line).map_err(found)?;
            (count, place, digits, rows, Some([weight, squares]))
        } else {
            let (count, place, digits, rows): Cell = serde_json::from_slice(line).map_err(found)?;
            (count, place, digits, rows, None)
        };
        let (Some(told), true) = (counts.get(count), (place as usize) < self.places.len()) else {
            return impossible("a cell is in a count or at a place that is not told of");
        };
        totals[count] = totals[count].saturating_add(rows);
        if rows == 0 || totals[count] > MOST_ROWS {
            return impossible("a cell has no rows, or more than can be");
        }
        let groups = self.counted.told.groups.len();
        let sources = if told.product { 1 } else { told.of.len() };
        let points = points_of(&digits, groups, sources, told.steps);
        let Some(points) = points else { return impossible("a point of a cell is none of its grid") };
        let kept = |zeros: u32| joined(points.map(point_hash)).trailing_zeros() >= zeros;
        if !told.zeros.is_none_or(kept) {
            return impossible("a cell is there that would have been left out");
        }
        let rows = Rows { rows, sums: sums.map(|sums| weighed(rows, sums)).transpose()?.map(Box::new) };
        let by_point = &mut self.counted.by_point;
        let (alone, steps) = (by_point.alone.len(), told.steps);
        let one = At { place, points: [points[0]] };
        match &mut by_point.several {
            _ if count < alone => by_point.alone[count].put(one, steps, &rows),
            Some(several) if count == alone => several.together.put(one, steps, &rows),
            Some(several) => several.jointly.put(At { place, points }, steps, &rows),
            None => {}
        }
        Ok(())
    }

    /// What all counts have in common: every row is in each, but where cells were left out on purpose.
    fn examine(&self) -> Result<(), EvidenceProblem> {
        let ByPoint { alone, several, .. } = &self.counted.by_point;
        let Some(first) = alone.first() else { return Ok(()) };
        let rows = by_place(first);
        let impossible = |found| Err(EvidenceProblem::Impossible { found });
        let together = several.iter().map(|several| by_place(&several.together));
        let whole = several.iter().filter(|several| several.jointly.thinned == Some(0));
        let jointly = whole.map(|several| by_place(&several.jointly));
        let apart = alone.iter().map(by_place).chain(together).chain(jointly).any(|other| other != rows);
        let some = several.iter().flat_map(|several| by_place(&several.jointly));
        let more = some.into_iter().any(|(place, some)| rows.get(&place).is_none_or(|rows| some > *rows));
        if apart || more {
            return impossible("its counts tell of other rows than each other");
        }
        let all: u64 = rows.values().sum();
        for (source, looked) in self.counted.told.sources.iter().zip(&self.counted.by_point.looked) {
            let sum = looked.iter().try_fold(0, |sum: u64, rows| sum.checked_add(*rows));
            if sum != Some(if source.table.is_some() { all } else { 0 }) {
                return impossible("names that were looked up are not as many as its rows");
            }
        }
        Ok(())
    }
}

fn by_place<const N: usize>(points: &Points<N>) -> BTreeMap<u32, u64> {
    let mut rows = BTreeMap::new();
    points.cells.iter().for_each(|(at, cell)| *rows.entry(at.place).or_default() += cell.rows);
    rows
}

/// Points from their digits, zero past the last source; nothing where one is none of the grid.
fn points_of(digits: &str, groups: usize, sources: usize, steps: u8) -> Option<[u128; MOST_SOURCES]> {
    let digits = digits.as_bytes();
    if digits.len() != 2 * groups * sources || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Vec<u8> = digits.chunks(2).map(byte).collect::<Option<_>>()?;
    let mut points = [0; MOST_SOURCES];
    for (point, bytes) in points.iter_mut().zip(bytes.chunks(groups)) {
        let sum: u32 = bytes.iter().map(|byte| u32::from(*byte)).sum();
        if sum != 0 && sum != u32::from(steps) {
            return None;
        }
        *point = packed(bytes);
    }
    Some(points)
}

/// The sums of weights and of their squares, from a number each and what rounding left of it.
fn weighed(rows: u64, sums: [Vec<f64>; 2]) -> Result<[ExactSum; 2], EvidenceProblem> {
    let impossible = || EvidenceProblem::Impossible { found: "sums of weights are none that rows can have" };
    let exact = sums.map(|parts| {
        let mut sum = ExactSum::default();
        let fine = parts.iter().all(|part| part.abs() <= MOST_SUM) && !parts.is_empty();
        parts.iter().filter(|_| fine).for_each(|part| sum.add(*part));
        fine.then_some(sum)
    });
    let [Some(weight), Some(squares)] = exact else { return Err(impossible()) };
    let (sum, square) = (weight.value(), squares.value());
    // Of so many weights with this sum the squares are smallest where all are equal, largest where one has it all.
    let room = 1e-9 * sum * sum;
    let can_be = sum >= 0.0 && square <= sum * sum + room && square >= sum * sum / rows as f64 - room;
    if can_be { Ok([weight, squares]) } else { Err(impossible()) }
}

fn refused(place: Place, problem: EvidenceProblem) -> IngestError {
    IngestError { place, problem: Problem::Evidence(problem) }
}

impl RawTable<'_> {
    /// The same tally with the evidence that was written beside it.
    pub(crate) fn with_file(mut self, file: EvidenceFile) -> Result<Self, IngestError> {
        let refuse = |table: &Self, column: Option<&str>, problem| {
            Err(table.error(None, column, Problem::Evidence(problem)))
        };
        if self.layout.tallied.is_none() || self.evidence.is_some() {
            return refuse(&self, None, EvidenceProblem::Rows);
        }
        if self.hidden.is_some() || self.noise.is_some() {
            return refuse(&self, None, EvidenceProblem::Changed);
        }
        if self.weighted != file.weighted {
            return refuse(&self, None, EvidenceProblem::OtherWeights);
        }
        // Where each key that says where rows count stands among the columns of the file.
        let mut keys: Vec<(usize, usize)> = Vec::new();
        let layout = &self.layout;
        let named =
            [&layout.prediction].into_iter().chain(&layout.label).chain(&layout.by).chain(&layout.control);
        for (column, place) in named.zip(self.roles.placing()) {
            match file.columns.iter().position(|known| *known == column.name) {
                Some(at) => keys.push((place, at)),
                None => {
                    let problem = EvidenceProblem::Column { known: file.columns.clone() };
                    return refuse(&self, Some(&column.name), problem);
                }
            }
        }
        let codes: Vec<HashMap<&str, u32>> = (self.values.iter())
            .map(|values| {
                (0..)
                    .zip(&values.values)
                    .map(|(code, value)| (value.canonical.as_deref().unwrap_or_default(), code))
                    .collect()
            })
            .collect();
        let missing = &self.columns.missing;
        let code = |place: usize, text: &str| {
            let text = if is_missing(text, missing) { Cow::default() } else { canonical(text) };
            codes[place].get(text.as_ref()).copied()
        };
        let mut rows: BTreeMap<Key, u64> = BTreeMap::new();
        // A place that the tally does not know has rows that it does not have.
        let mut unknown = 0;
        let told = file.counted.by_point.alone.first().map(by_place).unwrap_or_default();
        let mut found = Vec::with_capacity(file.places.len());
        for (at, values) in (0..).zip(&file.places) {
            let mut key: Option<Key> = Some(vec![0; self.values.len()].into());
            for (place, column) in &keys {
                let code = code(*place, &values[*column]);
                key = key.zip(code).map(|(mut key, code)| {
                    key[*place] = code;
                    key
                });
            }
            let mine = told.get(&at).copied().unwrap_or(0);
            match &key {
                Some(key) => *rows.entry(self.spelled_once(key, &keys)).or_default() += mine,
                None => unknown += mine,
            }
            found.push(key.unwrap_or_else(|| vec![0; self.values.len()].into()));
        }
        let mut counted: BTreeMap<Key, u64> = BTreeMap::new();
        let mut weights: BTreeMap<Key, [ExactSum; 2]> = BTreeMap::new();
        for (key, tally) in &self.cells {
            let place = self.spelled_once(&self.roles.place_of(key), &keys);
            *counted.entry(place.clone()).or_default() += tally.rows;
            tally
                .sums
                .iter()
                .for_each(|sums| weights.entry(place.clone()).or_default()[0].merge(&sums.weight));
        }
        let cells = file.counted.by_point.alone.first().into_iter().flat_map(|alone| &alone.cells);
        for (at, rows) in cells {
            let place = self.spelled_once(&found[at.place as usize], &keys);
            rows.sums.iter().for_each(|sums| weights.entry(place.clone()).or_default()[1].merge(&sums[0]));
        }
        rows.retain(|_, rows| *rows > 0);
        let apart = counted.iter().find(|(key, needed)| rows.get(*key) != Some(needed));
        let all = |rows: &BTreeMap<Key, u64>| rows.values().sum::<u64>();
        if let Some((key, needed)) = apart {
            let found = rows.get(key).copied().unwrap_or(0);
            let problem = EvidenceProblem::OtherRows { found, needed: *needed };
            return refuse(&self, None, problem);
        }
        if unknown > 0 || rows.len() != counted.len() {
            let problem = EvidenceProblem::OtherRows { found: all(&rows) + unknown, needed: all(&counted) };
            return refuse(&self, None, problem);
        }
        // The digits of both are exact; those of a tally that another program wrote may be rounded.
        let weights = weights.values().map(|sums| [sums[0].value(), sums[1].value()]);
        if self.weighted && weights.into_iter().any(|[a, b]| (a - b).abs() > 1e-9 * a.max(b)) {
            return refuse(&self, None, EvidenceProblem::OtherWeights);
        }
        self.evidence = Some(RawEvidence { keys: found, counted: file.counted });
        Ok(self)
    }

    /// A key with the same code for all spellings of a value.
    fn spelled_once(&self, key: &[u32], keys: &[(usize, usize)]) -> Key {
        let mut same: Key = vec![0; key.len()].into();
        for (place, _) in keys {
            let values = &self.values[*place].values;
            let mine = values.get(key[*place] as usize).and_then(|value| value.canonical.as_deref());
            let first = values.iter().position(|value| value.canonical.as_deref() == mine);
            same[*place] = first.unwrap_or(0) as u32;
        }
        same
    }
}
