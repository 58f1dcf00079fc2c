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

use super::checks::{points_of, weighed};
use super::points::{At, Points, Rows, joined, point_hash};
use super::problem::EvidenceProblem;
use super::told::{ByPoint, Told};
use super::{Evidence, RawEvidence, Several};
use crate::cells::Key;
use crate::columns::Columns;
use crate::error::{IngestError, Place, Problem, Spot};
use crate::names::unpacked;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::{BufRead, Read, Write};

/// The name of the format.
const SCHEMA: &str = "fairveil.evidence/1";
/// No line of such a file is longer.
const MOST_LINE: u64 = 64 << 20;
/// The most rows of a count.
const MOST_ROWS: u64 = 1 << 53;

/// The evidence of the rows behind a tally.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceFile {
    /// The columns whose values make a place.
    pub(super) columns: Vec<String>,
    /// Their values at each place; empty where one is missing.
    pub(super) places: Vec<Vec<String>>,
    pub(super) weighted: bool,
    pub(super) counted: Evidence,
}

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    pub(super) schema: String,
    pub(super) columns: Vec<String>,
    pub(super) weighted: bool,
    #[serde(flatten)]
    pub(super) told: Told,
    pub(super) looked: Vec<[u64; 5]>,
    pub(super) counts: Vec<CountTold>,
    pub(super) places: Vec<Vec<String>>,
}

/// One of the counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CountTold {
    /// The sources whose points a cell has.
    pub(super) of: Vec<usize>,
    /// The steps of the grid.
    pub(super) steps: u8,
    /// The product of all sources.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) product: bool,
    /// Cells are kept whose points have a hash that ends in so many zeros.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) zeros: Option<u32>,
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
        if head.schema != SCHEMA {
            return Err(found(format!("its schema is {}, where {SCHEMA} is known", head.schema)));
        }
        head.check()?;
        let Head { columns, weighted, told, looked, counts, places, .. } = head;
        let (groups, sources) = (told.groups.len(), told.sources.len());
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
}

fn refused(place: Place, problem: EvidenceProblem) -> IngestError {
    IngestError { place, problem: Problem::Evidence(problem) }
}
