//! Tallies as files: what `count` writes and every reader takes back.
//!
//! A tally has the key columns of the table it was made from, and beside them `count` and the other sums. A number that
//! is rounded cannot be added to another without a trace, so what rounding left of a sum of weights is written too, in
//! the column `rest`: tallies of parts add up to the tally of the whole, to the last digit.

use crate::cells::{Cells, Hidden, Key, NoiseTold, OutcomeSums, RawTally, Sums};
use crate::columns::{
    COUNT, Columns, HIDDEN, NOISE, OUTCOME, REST, ROWS, SOFT, SOFT_WEIGHT, SQUARED, of_a_tally,
};
use crate::domain::{Domain, setting_of};
use crate::error::{IngestError, Place, Problem};
use crate::evidence::EvidenceFile;
use crate::fault::{Fault, skipped};
use crate::feed::Gathered;
use crate::formula::{Guard, is_formula};
use crate::plan::{KeyColumn, Role};
use crate::rewrite::{Out, text_writer};
use crate::value::{Dictionary, Named, RawValue, canonical};
use fairveil_core::counts::{ExactSum, Skipped};
use fairveil_core::privacy::{DiscreteLaplace, rand_core};
use fairveil_core::setting::Setting;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// A table, counted and not yet made sense of.
#[derive(Clone)]
pub struct TallyTable {
    keys: Vec<String>,
    /// What each key says of a row.
    roles: Vec<Role>,
    /// The distinct values of each key, in order.
    values: Vec<Vec<String>>,
    /// Cells in the order of their values, each by the places of its values.
    cells: Vec<(Key, RawTally)>,
    weighted: bool,
    /// Whether rows have an outcome.
    outcome: bool,
    score_groups: Vec<String>,
    hidden: Option<Hidden>,
    noise: Option<NoiseTold>,
    /// What messages call the first input, and whether it is a tally itself.
    file: String,
    tallied: bool,
    skipped: Vec<Skipped>,
    /// Whether what a spreadsheet would take for a formula gets an apostrophe before it.
    safe: bool,
    evidence: Option<EvidenceFile>,
}

/// A value as a tally writes it: as the table does, or by its name; empty where it means nothing.
fn as_written(value: &RawValue) -> &str {
    match &value.canonical {
        None => "",
        Some(name) if value.named == Named::Mapped => name,
        Some(_) => &value.text,
    }
}

/// Past this many cells, most of them nothing but noise, no audit of the tally is worth its file.
const MOST_NOISED: usize = 1_000_000;

/// How a tally is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TallyFormat {
    /// Values between commas.
    Csv,
    /// Values between tabs.
    Tsv,
    /// One JSON object on each line.
    JsonLines,
    /// Parquet.
    Parquet,
}

/// One number of a cell.
pub(crate) enum Number {
    Whole(u64),
    Signed(i64),
    Real(f64),
    Text(String),
    Nothing,
}

impl TallyTable {
    pub(crate) fn new(columns: &Columns, gathered: Gathered<Cells>) -> Result<Self, IngestError> {
        refuse_other_groups(columns, &gathered)?;
        let Gathered { plan, files, dictionaries, consumer: mut cells, skipped: left_out, .. } = gathered;
        let evidence = std::mem::take(&mut cells.evidence).finish(&plan);
        // A column in two roles is written once.
        let mut kept: Vec<usize> = Vec::new();
        let derived = |place: usize| plan.groups_of(place).is_some();
        for (place, key) in plan.keys.iter().enumerate() {
            let name = &key.name;
            let same_name =
                |other: &usize| plan.keys[*other].name == *name && (derived(place) || derived(*other));
            let problem = match () {
                () if of_a_tally(name) => Some(Problem::ReservedName),
                () if kept.iter().any(same_name) => Some(Problem::SameName),
                () => None,
            };
            if let Some(problem) = problem {
                let file = files.first().map(|file| file.name.clone()).unwrap_or_default();
                let place = Place { file, spot: None, column: Some(name.clone()) };
                return Err(IngestError { place, problem });
            }
            if !kept.iter().any(|kept| plan.keys[*kept].name == *name) {
                kept.push(place);
            }
        }
        let texts = |place: usize| -> Vec<&str> {
            if let Some(groups) = plan.groups_of(place) {
                return groups.iter().map(String::as_str).chain([""]).collect();
            }
            let values = dictionaries[place].values.iter();
            values.map(as_written).collect()
        };
        let evidence = evidence.map(|evidence| {
            let keys: Vec<usize> = plan.roles.placing().collect();
            let columns = keys.iter().map(|place| plan.keys[*place].name.clone()).collect();
            EvidenceFile::new(evidence, (columns, &keys), plan.weighted(), |place, code| {
                texts(place).get(code as usize).copied().unwrap_or_default().to_owned()
            })
        });
        // Distinct values in order, and where each code stands among them.
        let mut values: Vec<Vec<String>> = Vec::with_capacity(kept.len());
        let mut places: Vec<Vec<u32>> = Vec::with_capacity(kept.len());
        for place in &kept {
            let texts = texts(*place);
            let distinct: Vec<&str> = texts.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
            let at = |text: &&str| distinct.binary_search(text).unwrap_or(0) as u32;
            places.push(texts.iter().map(at).collect());
            values.push(distinct.into_iter().map(str::to_owned).collect());
        }
        let mut named: Vec<(Key, RawTally)> = Vec::with_capacity(cells.keys.len());
        for (key, tally) in cells.keys.iter().zip(cells.tallies).filter(|(_, tally)| tally.is_counted()) {
            let place = |(kept, places): (&usize, &Vec<u32>)| places[key[*kept] as usize];
            named.push((kept.iter().zip(&places).map(place).collect(), tally));
        }
        // Values that mean nothing are written alike: their cells are one.
        merge_same(&mut named);
        Ok(TallyTable {
            keys: kept.iter().map(|place| plan.keys[*place].name.clone()).collect(),
            roles: kept.iter().map(|place| plan.keys[*place].role).collect(),
            values,
            cells: named,
            weighted: plan.weighted(),
            outcome: plan.has_outcome(),
            score_groups: plan.score_groups.clone(),
            hidden: cells.hidden,
            noise: cells.noise,
            tallied: plan.tally.is_some(),
            file: files.first().map(|file| file.name.clone()).unwrap_or_default(),
            skipped: skipped(&left_out, &files),
            safe: false,
            evidence,
        })
    }

    /// The evidence of its rows, where they have names or the probabilities of one proxy.
    pub fn evidence(&self) -> Option<&EvidenceFile> {
        self.evidence.as_ref()
    }

    /// Withholds cells with fewer rows than this, and with them the smallest of the others, so that the rows of a small cell
    /// cannot be told from what is left where the sum of all is known. What is told of them are limits on a coarse grid, and a weight
    /// that follows from those and from what is shown.
    pub fn hide_below(&mut self, least: u64) {
        let mut rows: Vec<u64> = self.cells.iter().map(|(_, tally)| tally.rows).collect();
        rows.sort_unstable();
        let small = rows.iter().take_while(|rows| **rows < least).count();
        let withheld = if small == 0 { 0 } else { small + enough_beside(&rows[small..], least) };
        let Some(largest) = rows[..withheld].last().copied() else {
            self.hidden.get_or_insert_default();
            return;
        };
        // Cells of as many rows all go: which of them is kept would tell where the small ones are.
        let (mut cells, mut rows) = (0, 0);
        self.cells.retain(|(_, tally)| {
            let shown = tally.rows > largest;
            if !shown {
                cells += 1;
                rows += tally.rows;
            }
            shown
        });
        let shown: u64 = self.cells.iter().map(|(_, tally)| tally.rows).sum();
        let weight: f64 = self.cells.iter().map(|(_, tally)| tally.weight(self.weighted)).sum();
        let mean = if shown == 0 || !self.weighted { 1.0 } else { weight / shown as f64 };
        let hidden = self.hidden.get_or_insert_default();
        let rows = coarse(rows, GRID.saturating_mul(least));
        hidden.cells += coarse(cells, GRID);
        hidden.rows += rows;
        hidden.weight.add(rows as f64 * mean);
    }

    /// Adds noise to every combination of the values that a domain states, whether or not a row has it. The generator is the
    /// caller's.
    pub fn add_noise(
        &mut self,
        noise: &DiscreteLaplace,
        domain: &Domain,
        random: &mut impl rand_core::Rng,
    ) -> Result<(), IngestError> {
        self.refuse_noise()?;
        let refused = |column: Option<&String>, problem| {
            let place = Place { file: self.file.clone(), column: column.cloned(), spot: None };
            IngestError { place, problem }
        };
        if let Some(name) = domain.may_be_missing.iter().find(|name| !self.keys.contains(name)) {
            let nearest = crate::columns::nearest(name, &self.keys);
            let problem =
                Problem::NoSuchColumn { role: "what may be missing", nearest, columns: self.keys.clone() };
            return Err(refused(Some(name), problem));
        }
        let mut stated: Vec<Vec<String>> = Vec::with_capacity(self.keys.len());
        // Where each value that was met stands among those that were stated.
        let mut places: Vec<Vec<u32>> = Vec::with_capacity(self.keys.len());
        for ((name, role), met) in self.keys.iter().zip(&self.roles).zip(&self.values) {
            let values = domain.of_column(name, *role).map_err(|problem| refused(Some(name), problem))?;
            let place = |text: &String| {
                let found = values.binary_search_by(|value| value.as_str().cmp(&canonical(text)));
                let setting = if text.is_empty() { Setting::MayBeMissing } else { setting_of(*role) };
                found.map(|place| place as u32).map_err(|_| Problem::OutsideDomain { setting })
            };
            let found = met.iter().map(place).collect::<Result<_, _>>();
            places.push(found.map_err(|problem| refused(Some(name), problem))?);
            stated.push(values);
        }
        let all = stated.iter().try_fold(1_usize, |all, values| all.checked_mul(values.len()));
        let all = all.filter(|all| *all <= MOST_NOISED).ok_or_else(|| {
            let found = match all {
                Some(all) => {
                    format!("the values that were stated make {all} cells, each of which would be written")
                }
                None => "the values that were stated make more cells than can be counted".to_owned(),
            };
            refused(None, Problem::NoNoise { found })
        })?;
        let mut counted = std::mem::take(&mut self.cells);
        for (key, _) in &mut counted {
            key.iter_mut().zip(&places).for_each(|(place, places)| *place = places[*place as usize]);
        }
        merge_same(&mut counted);
        self.values = stated;
        let mut counted = counted.into_iter().peekable();
        let mut key: Vec<u32> = vec![0; self.keys.len()];
        for _ in 0..all {
            // Both are in the order of their keys.
            let rows = counted.next_if(|(counted, _)| **counted == *key).map_or(0, |(_, tally)| tally.rows);
            let noisy = rows as i64 + noise.draw(random);
            let (rows, owed) = (noisy.max(0) as u64, noisy.min(0).unsigned_abs());
            let tally = RawTally { rows, owed, lines: 1, sums: None };
            self.cells.push((key.clone().into(), tally));
            for (place, values) in key.iter_mut().zip(&self.values).rev() {
                *place += 1;
                if (*place as usize) < values.len() {
                    break;
                }
                *place = 0;
            }
        }
        let mut variance = ExactSum::default();
        variance.add(noise.variance());
        self.noise = Some(NoiseTold { epsilon: noise.epsilon().value(), variance, tallies: 1 });
        Ok(())
    }

    /// What counts that noise would not protect say against it.
    fn refuse_noise(&self) -> Result<(), IngestError> {
        let found = if self.weighted {
            "rows have weights, and one person may weigh more than one row"
        } else if !self.score_groups.is_empty() {
            "sums of probabilities are no counts"
        } else if self.outcome {
            "sums of an outcome are no counts"
        } else if self.tallied {
            "this is a tally, in which one row may stand for many people"
        } else if self.hidden.is_some() {
            "small cells are withheld"
        } else {
            return Ok(());
        };
        let place = Place { file: self.file.clone(), ..Place::default() };
        Err(IngestError { place, problem: Problem::NoNoise { found: found.to_owned() } })
    }

    /// Whether its cells have noise.
    pub fn has_noise(&self) -> bool {
        self.noise.is_some()
    }

    /// The sum of all counts; below zero where noise made it so.
    pub fn sum(&self) -> i64 {
        self.cells.iter().map(|(_, tally)| tally.rows as i64 - tally.owed as i64).sum()
    }

    /// How many cells it has.
    pub fn cells(&self) -> usize {
        self.cells.len()
    }

    /// How many rows it counts.
    pub fn rows(&self) -> u64 {
        self.cells.iter().map(|(_, tally)| tally.rows).sum()
    }

    /// Cells and rows that were withheld.
    pub fn hidden(&self) -> Option<(u64, u64)> {
        self.hidden.as_ref().map(|hidden| (hidden.cells, hidden.rows))
    }

    /// Segments that fewer rows than this are in: what was guessed of people who are few can be read off. None where the rows are not
    /// cut into segments, or were counted before.
    pub fn small_segments(&self, least: u64) -> usize {
        let cuts = |at: &usize| matches!(self.roles[*at], Role::Segment | Role::Control);
        let cut: Vec<usize> = (0..self.roles.len()).filter(cuts).collect();
        if cut.is_empty() || self.tallied {
            return 0;
        }
        let mut rows: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
        for (key, tally) in &self.cells {
            *rows.entry(cut.iter().map(|at| key[*at]).collect()).or_default() += tally.rows;
        }
        rows.values().filter(|rows| **rows < least).count()
    }

    /// Rows that could not be read and were left out.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// Whether there are sums that rounding leaves something of.
    fn has_sums(&self) -> bool {
        self.weighted || self.outcome || !self.score_groups.is_empty()
    }

    /// The names of the numbers.
    fn numbers(&self) -> Vec<String> {
        let mut names = vec![COUNT.to_owned()];
        if self.weighted {
            names.extend([ROWS, SQUARED].map(str::to_owned));
        }
        if !self.score_groups.is_empty() {
            names.extend(self.score_groups.iter().map(|group| format!("{SOFT}{group}")));
            names.push(SOFT_WEIGHT.to_owned());
        }
        if self.outcome {
            names.extend(OUTCOME.map(str::to_owned));
        }
        if self.has_sums() {
            names.push(REST.to_owned());
        }
        if self.noise.is_some() {
            names.extend(NOISE.map(str::to_owned));
        }
        if self.hidden.is_some() {
            names.extend(HIDDEN.map(str::to_owned));
        }
        names
    }

    /// The numbers of a cell, in the order of their names.
    fn numbers_of(&self, tally: &RawTally) -> Vec<Number> {
        let none = Sums::default();
        let sums = tally.sums.as_deref().unwrap_or(&none);
        let mut numbers = if self.weighted {
            vec![
                Number::Real(sums.weight.value()),
                Number::Whole(tally.rows),
                Number::Real(sums.squares.value()),
            ]
        } else {
            // Rows that were read are fewer than 2⁵³, and so is noise.
            vec![Number::Signed(tally.rows as i64 - tally.owed as i64)]
        };
        if !self.score_groups.is_empty() {
            let zero = ExactSum::default();
            let soft = (0..self.score_groups.len()).map(|g| sums.scores.get(g).unwrap_or(&zero).value());
            numbers.extend(soft.map(Number::Real));
            numbers.push(Number::Real(sums.scored.value()));
        }
        if self.outcome {
            let none = OutcomeSums::default();
            let outcome = sums.outcome.as_ref().unwrap_or(&none);
            numbers.extend([
                Number::Whole(outcome.rows),
                Number::Real(outcome.weight(self.weighted)),
                Number::Real(outcome.sum.value()),
                Number::Real(outcome.squares.value()),
            ]);
        }
        if self.has_sums() {
            numbers.push(Number::Text(rest(sums)));
        }
        if self.noise.is_some() {
            numbers.extend([Number::Nothing, Number::Nothing]);
        }
        if self.hidden.is_some() {
            numbers.extend([Number::Nothing, Number::Nothing, Number::Nothing]);
        }
        numbers
    }

    /// The rows of the file: values of the keys, then the numbers.
    fn lines(&self) -> impl Iterator<Item = (Vec<&str>, Vec<Number>)> {
        let cells = self.cells.iter().map(|(key, tally)| {
            let texts = key.iter().zip(&self.values).map(|(place, values)| values[*place as usize].as_str());
            (texts.collect::<Vec<_>>(), self.numbers_of(tally))
        });
        let withheld = self.hidden.iter().map(|hidden| {
            let mut numbers = self.numbers_of(&RawTally::default());
            numbers.truncate(numbers.len() - HIDDEN.len());
            numbers.extend([
                Number::Whole(hidden.cells),
                Number::Whole(hidden.rows),
                Number::Real(hidden.weight.value()),
            ]);
            (vec![""; self.keys.len()], numbers)
        });
        let noised = self.noise.iter().map(|noise| {
            let mut numbers = self.numbers_of(&RawTally::default());
            let first = numbers.len() - NOISE.len() - if self.hidden.is_some() { HIDDEN.len() } else { 0 };
            numbers[first] = Number::Real(noise.epsilon);
            // Of a tally that was made from others, a cell may be the sum of several lines.
            let lines = self.cells.iter().map(|(_, tally)| tally.lines).max().unwrap_or(1);
            numbers[first + 1] = Number::Real(noise.of_lines(lines));
            (vec![""; self.keys.len()], numbers)
        });
        cells.chain(withheld).chain(noised)
    }

    fn names(&self) -> Vec<String> {
        self.keys.iter().cloned().chain(self.numbers()).collect()
    }

    /// Writes an apostrophe before what a spreadsheet would take for a formula, in CSV and TSV.
    pub fn guard_formulas(&mut self) {
        self.safe = true;
    }

    /// How many names and values of the tally a spreadsheet takes for formulas.
    pub fn formulas(&self) -> u64 {
        let values = self.lines().flat_map(|(values, _)| values).filter(|value| is_formula(value)).count();
        (values + self.keys.iter().filter(|name| is_formula(name)).count()) as u64
    }

    /// Writes the tally.
    pub fn write(&self, format: TallyFormat, mut out: impl Write + Send) -> std::io::Result<()> {
        self.write_to(format, Out::new(false, &mut out))
    }

    fn write_to(&self, format: TallyFormat, out: Out) -> std::io::Result<()> {
        match format {
            TallyFormat::Csv => self.write_text(b',', out),
            TallyFormat::Tsv => self.write_text(b'\t', out),
            TallyFormat::JsonLines => self.write_json(out),
            TallyFormat::Parquet => {
                let lines: Vec<_> = self.lines().collect();
                crate::formats::write_parquet(&self.keys, &self.numbers(), &lines, out)
            }
        }
    }

    fn write_text(&self, delimiter: u8, out: Out) -> std::io::Result<()> {
        let mut guard = Guard::new(self.safe);
        let names: Vec<String> = self.names().iter().map(|name| guard.text(name).into_owned()).collect();
        let mut writer = text_writer(out, delimiter, &names)?;
        for (values, numbers) in self.lines() {
            let numbers = numbers.iter().map(|number| match number {
                Number::Whole(whole) => whole.to_string(),
                Number::Signed(whole) => whole.to_string(),
                Number::Real(real) => real.to_string(),
                Number::Text(text) => text.clone(),
                Number::Nothing => String::new(),
            });
            // What is counted is made here, and of digits.
            let values = values.into_iter().map(|value| guard.text(value).into_owned());
            writer.write_record(values.chain(numbers))?;
        }
        writer.flush()
    }

    fn write_json(&self, mut out: Out) -> std::io::Result<()> {
        use serde_json::Value;
        let names: Vec<String> = self.names().into_iter().map(|name| Value::from(name).to_string()).collect();
        for (values, numbers) in self.lines() {
            let text = |text: &str| match text {
                "" => Value::Null,
                text => Value::from(text),
            };
            let values = values.into_iter().map(text);
            let numbers = numbers.iter().map(|number| match number {
                Number::Whole(whole) => Value::from(*whole),
                Number::Signed(whole) => Value::from(*whole),
                Number::Real(real) => Value::from(*real),
                Number::Text(rest) => text(rest),
                Number::Nothing => Value::Null,
            });
            // In the order of the columns, which a map would not keep.
            let pairs =
                names.iter().zip(values.chain(numbers)).map(|(name, value)| format!("{name}:{value}"));
            writeln!(out, "{{{}}}", pairs.collect::<Vec<_>>().join(","))?;
        }
        out.flush()
    }
}

/// Puts cells of the same key together, in the order of their keys.
fn merge_same(cells: &mut Vec<(Key, RawTally)>) {
    cells.sort_by(|a, b| a.0.cmp(&b.0));
    cells.dedup_by(|more, first| {
        let same = more.0 == first.0;
        if same {
            first.1.merge(&more.1);
        }
        same
    });
}

/// Guesses outside the groups that were listed are refused where rows are counted too: what is wrong with them is seen best
/// where the rows are.
fn refuse_other_groups(columns: &Columns, gathered: &Gathered<Cells>) -> Result<(), IngestError> {
    let Some(groups) = &columns.groups else { return Ok(()) };
    let listed: BTreeSet<_> = groups.iter().map(|group| canonical(group)).collect();
    let about_groups =
        |(_, key): &(&Dictionary, &KeyColumn)| [Role::Guess, Role::KnownGroup].contains(&key.role);
    for (values, key) in gathered.dictionaries.iter().zip(&gathered.plan.keys).filter(about_groups) {
        let named = values.values.iter().filter_map(|value| Some((value, value.canonical.as_deref()?)));
        let mut other = named.filter(|(_, name)| !listed.contains(*name));
        if let Some((value, name)) = other.next() {
            let value_said = columns.show_values.then(|| name.to_owned());
            let problem = Problem::UnknownGroup { value: value_said, groups: groups.clone() };
            let fault = Fault { at: value.first, column: Some(key.name.clone()), problem };
            return Err(fault.named(&gathered.files));
        }
    }
    Ok(())
}

/// What is told of withheld cells is a multiple of this, and of rows of this times the limit.
const GRID: u64 = 5;

/// The next multiple of a step.
fn coarse(number: u64, step: u64) -> u64 {
    number.div_ceil(step).saturating_mul(step)
}

/// How many of these cells, smallest first, are withheld beside smaller ones: as many as have together room for twice the limit
/// beside what each of them must have.
fn enough_beside(cells: &[u64], least: u64) -> usize {
    let mut sum = 0_u64;
    for (place, rows) in cells.iter().enumerate() {
        sum = sum.saturating_add(*rows);
        if sum >= least.saturating_mul(place as u64 + 3) {
            return place + 1;
        }
    }
    cells.len()
}

/// What rounding leaves of the sums, such as `count=1e-17;soft0=3e-18 2e-35`.
fn rest(sums: &Sums) -> String {
    let named = [(COUNT.to_owned(), &sums.weight), (SQUARED.to_owned(), &sums.squares)];
    let named = named.into_iter().chain([(SOFT_WEIGHT.to_owned(), &sums.scored)]);
    let soft = sums.scores.iter().enumerate().map(|(g, sum)| (format!("soft{g}"), sum));
    let outcome = sums.outcome.iter().flat_map(|one| {
        let [_, weight, sum, squares] = OUTCOME.map(str::to_owned);
        [(weight, &one.weight), (sum, &one.sum), (squares, &one.squares)]
    });
    let parts = named.chain(soft).chain(outcome).filter_map(|(name, sum)| {
        let left: Vec<String> = sum.rest().iter().map(|part| format!("{part:e}")).collect();
        (!left.is_empty()).then(|| format!("{name}={}", left.join(" ")))
    });
    parts.collect::<Vec<_>>().join(";")
}

/// Adds what rounding left of the sums of a cell; nothing where it cannot be read.
pub(crate) fn add_rest(tally: &mut RawTally, rest: &str) -> Option<()> {
    let sums = tally.sums.as_mut()?;
    for part in rest.split(';') {
        let (name, left) = part.split_once('=')?;
        let outcome = sums.outcome.as_mut();
        let sum = match name {
            _ if name == OUTCOME[1] => &mut outcome?.weight,
            _ if name == OUTCOME[2] => &mut outcome?.sum,
            _ if name == OUTCOME[3] => &mut outcome?.squares,
            COUNT => &mut sums.weight,
            SQUARED => &mut sums.squares,
            SOFT_WEIGHT => &mut sums.scored,
            _ => sums.scores.get_mut(name.strip_prefix("soft")?.parse::<usize>().ok()?)?,
        };
        let rounded = sum.value();
        // What rounding leaves is less than the last digit of the sum.
        let most = sum.value().abs() * f64::EPSILON;
        for term in left.split(' ') {
            sum.add(term.parse().ok().filter(|term: &f64| term.abs() <= most)?);
        }
        // What rounding left changes no digit.
        (sum.value() == rounded).then_some(())?;
    }
    Some(())
}
