//! One thread's share of the rows: values looked up, numbers checked, batches handed on.

use crate::columns::ColumnProblem;
use crate::error::Problem;
use crate::fault::{Fault, SkippedRows, safe_to_skip, skip};
use crate::features::FeatureProblem;
use crate::feed::Note;
use crate::formats::{Decimals, Reads};
use crate::names::{Lately, Looked, NameColumn, NameSource, Unlooked};
use crate::people::{People, hashed};
use crate::period::Every;
use crate::plan::{FeatureUse, KeyColumn, NumberKind, Plan, Role, Slot};
use crate::tally::{CLUSTERS, SUM_TOLERANCE, most_likely};
use crate::training::TrainingProblem;
use crate::value::{At, Dictionary, RawValue, Read, Refused, is_missing, look_like_probabilities};
use fairveil_core::setting::Setting;
use fairveil_names::Field;
use std::sync::Arc;

/// Rows of a batch: enough to make up for the look around each, few enough to stay in the cache.
pub(crate) const BATCH: usize = 8192;

/// Some rows, looked up.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub rows: usize,
    pub file: u32,
    /// The line or row of each.
    pub numbers_at: Vec<u64>,
    /// For each key column, the codes of its values.
    pub codes: Vec<Vec<u32>>,
    /// For each number column, its values; NaN where there is none.
    pub numbers: Vec<Vec<f64>>,
    /// For each column of features, its values.
    pub features: Vec<Vec<f32>>,
    /// Features that are the elements of a list, where a column holds lists.
    pub lists: Lists,
    /// For each source of names, the names of these rows until they are looked up, all together.
    names: Vec<Vec<Unlooked>>,
    /// And what looking them up gave, where it is asked for.
    pub looked: Vec<Vec<Looked>>,
    /// A number for the whole content of each row, where it is asked for.
    pub marks: Vec<u64>,
    /// What rounding left of a tally's sums.
    pub rests: Vec<String>,
    /// For each group, the mean over the probability proxies that spoke on the row.
    pub scores: Vec<Vec<f64>>,
    /// Whether any spoke.
    pub scored: Vec<bool>,
    /// Rows that are left out; empty if none is.
    pub left_out: Vec<bool>,
    /// The first row that can neither be taken nor left out, and why.
    fault: Option<(usize, Fault)>,
}

/// The lists of a column, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    pub values: Vec<f32>,
    /// Where the list of each row ends.
    pub ends: Vec<usize>,
}

impl Lists {
    /// Forgets all but the lists of the first so many rows.
    fn truncate(&mut self, rows: usize) {
        self.ends.truncate(rows);
        self.values.truncate(self.ends.last().copied().unwrap_or(0));
    }
}

impl Batch {
    pub fn at(&self, row: usize) -> At {
        At { file: self.file, number: self.numbers_at[row] }
    }

    fn clear(&mut self) {
        self.rows = 0;
        self.numbers_at.clear();
        self.codes.iter_mut().for_each(Vec::clear);
        self.numbers.iter_mut().for_each(Vec::clear);
        self.features.iter_mut().for_each(Vec::clear);
        self.lists.truncate(0);
        self.names.iter_mut().for_each(Vec::clear);
        self.looked.iter_mut().for_each(Vec::clear);
        self.rests.clear();
        self.marks.clear();
        self.left_out.clear();
        self.fault = None;
    }
}

/// What is done with rows that were looked up.
pub(crate) trait Consumer: Send {
    /// Takes some rows.
    fn add(&mut self, batch: &Batch, plan: &Plan) -> Result<(), Fault>;

    /// Takes what another has; `codes` gives, for each key column, the code here of each code there.
    fn merge(&mut self, other: Self, codes: &Codes) -> Result<(), Problem>
    where
        Self: Sized;

    /// About how many bytes grow with what was taken, those of putting it together at the end included.
    fn held(&self) -> u64 {
        0
    }
}

/// For each key column, the code that each code of another thread has here.
pub(crate) type Codes = Vec<Vec<u32>>;

/// One thread's share of the rows.
pub(crate) struct Worker<'a> {
    pub plan: &'a Plan,
    pub missing: &'a [String],
    pub lenient: bool,
    pub dictionaries: Vec<Dictionary>,
    pub batch: Batch,
    consumer: &'a mut dyn Consumer,
    pub skipped: SkippedRows,
    pub people: People,
    pub decimals: Decimals,
    pub rows: u64,
    /// For each source of names, those met lately, where guesses are all that is asked for.
    lately: Vec<Lately>,
    /// For each source of names, rows with several words where one part of a name is needed.
    pub several: Vec<u64>,
    /// The last row that was taken.
    last: Option<At>,
}

/// What a field says, as a number: `0.50` is what a file with numbers of its own calls `0.5`.
fn content(text: &str) -> u64 {
    let text = text.trim();
    let starts = text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '+' | '.'));
    match text.parse::<f64>().ok().filter(|_| starts) {
        // Both zeros are one.
        Some(number) => (number + 0.0).to_bits().wrapping_mul(0xff51_afd7_ed55_8ccd),
        None => hashed(text),
    }
}

/// The part that a cluster is put into, the same in every table and on every machine.
fn part_of(raw: &[u8], missing: &[String]) -> Result<String, Problem> {
    let text = std::str::from_utf8(raw).map_err(|_| Problem::NotUtf8)?;
    if is_missing(text, missing) {
        return Err(Problem::ClusterMissing);
    }
    Ok((hashed(text) % CLUSTERS as u64).to_string())
}

/// The period that a date lies in.
fn period_of(raw: &[u8], every: Every) -> Result<String, Problem> {
    let text = std::str::from_utf8(raw).map_err(|_| Problem::NotUtf8)?;
    every.of(text).ok_or(Problem::NoDate)
}

impl<'a> Worker<'a> {
    /// About how many bytes grow with the rows that were read.
    pub fn held(&self) -> u64 {
        self.consumer.held() + self.dictionaries.iter().map(Dictionary::held).sum::<u64>()
    }

    pub fn new(plan: &'a Plan, missing: &'a [String], lenient: bool, consumer: &'a mut dyn Consumer) -> Self {
        let batch = Batch {
            codes: plan.keys.iter().map(|_| Vec::with_capacity(BATCH)).collect(),
            numbers: plan.numbers.iter().map(|_| Vec::with_capacity(BATCH)).collect(),
            scores: plan.score_groups.iter().map(|_| Vec::new()).collect(),
            features: plan.features.iter().map(|_| Vec::new()).collect(),
            names: plan.sources.iter().map(|_| Vec::with_capacity(BATCH)).collect(),
            looked: plan.sources.iter().map(|_| Vec::with_capacity(BATCH)).collect(),
            ..Batch::default()
        };
        let dictionaries = plan.keys.iter().map(|_| Dictionary::default()).collect();
        let skipped = SkippedRows::new();
        let (people, decimals) = (People::default(), Decimals::default());
        let sources = plan.sources.iter().filter(|_| plan.guesses_alone);
        let lately = sources.map(|source| Lately::new(source)).collect();
        Worker {
            plan,
            missing,
            lenient,
            dictionaries,
            batch,
            consumer,
            skipped,
            people,
            decimals,
            rows: 0,
            several: vec![0; plan.sources.len()],
            lately,
            last: None,
        }
    }

    /// The code of a value of a key column.
    #[inline]
    pub fn code(&mut self, key: usize, raw: &[u8], at: At) -> Result<u32, Fault> {
        let plan = self.plan;
        let column = &plan.keys[key];
        let part;
        let made = match column.role {
            Role::Cluster => Some(part_of(raw, self.missing)),
            Role::Period(every) => Some(period_of(raw, every)),
            _ => self.cut(column, raw, at),
        };
        let raw = match made {
            Some(made) => {
                part = made.map_err(|problem| Fault { at, column: Some(column.name.clone()), problem })?;
                part.as_bytes()
            }
            None => raw,
        };
        let read = Read {
            missing: self.missing,
            map: column.map.as_deref(),
            commas: self.decimals.reads != Reads::Point,
            limit: column.limit,
        };
        match self.dictionaries[key].code(raw, at, read) {
            Ok(code) => Ok(code),
            Err(refused) => Err(Fault {
                at,
                column: Some(column.name.clone()),
                problem: match refused {
                    Refused::NotUtf8 => Problem::NotUtf8,
                    Refused::Full => too_many(column, self.dictionaries[key].values.iter()),
                },
            }),
        }
    }

    /// What becomes of a number that is cut, where it is: decided by a threshold, or the bin that it lies in; nothing where there is no
    /// number.
    fn cut(&mut self, column: &KeyColumn, raw: &[u8], at: At) -> Option<Result<String, Problem>> {
        let KeyColumn { threshold, bins, .. } = column;
        match (threshold, bins) {
            (None, None) => None,
            (Some(threshold), _) => Some(self.number_cut(raw, at, |score| {
                if score >= *threshold { "1".to_owned() } else { "0".to_owned() }
            })),
            (None, Some(bins)) => Some(self.number_cut(raw, at, |number| bins.name_of(number))),
        }
    }

    fn number_cut(&mut self, raw: &[u8], at: At, of: impl Fn(f64) -> String) -> Result<String, Problem> {
        let text = std::str::from_utf8(raw).map_err(|_| Problem::NotUtf8)?.trim();
        if is_missing(text, self.missing) {
            return Ok(String::new());
        }
        match self.decimals.number(text, at).filter(|score| !score.is_nan()) {
            Some(number) => Ok(of(number)),
            None => Err(self.decimals.wrong(text).unwrap_or(Problem::Score { value: text.to_owned() })),
        }
    }

    /// Takes one field as it is written.
    #[inline]
    pub fn put(&mut self, slot: Slot, raw: &[u8], at: At) -> Result<(), Fault> {
        match slot {
            Slot::Key(key) => {
                let code = self.code(key, raw, at)?;
                self.batch.codes[key].push(code);
            }
            Slot::Number(place) => {
                let number = self.number(place, raw, at)?;
                self.batch.numbers[place].push(number);
            }
            Slot::Feature(place) => {
                let feature = self.feature(place, raw, at)?;
                self.batch.features[place].push(feature);
            }
            Slot::Name(place) => self.name_written(place, raw, at)?,
            Slot::Person => {
                let text = std::str::from_utf8(raw);
                let text = text.map_err(|_| Fault { at, column: None, problem: Problem::NotUtf8 })?;
                self.people.note(text, self.missing);
            }
            Slot::Rest => {
                let text = std::str::from_utf8(raw);
                let text = text.map_err(|_| Fault { at, column: None, problem: Problem::NotUtf8 })?;
                self.batch.rests.push(text.trim().to_owned());
            }
            Slot::Mark(column) => self.mark(0, column, &String::from_utf8_lossy(raw)),
        }
        Ok(())
    }

    /// Adds a field to the number of the row that is so many after the last complete one. The order of columns does not matter, and
    /// a column without a value is as if it were not there.
    pub fn mark(&mut self, after: usize, column: u64, text: &str) {
        let row = self.batch.rows + after;
        if self.batch.marks.len() <= row {
            self.batch.marks.resize(row + 1, 0);
        }
        if !is_missing(text, self.missing) {
            let field = (column ^ content(text).rotate_left(23)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            self.batch.marks[row] = self.batch.marks[row].wrapping_add(field ^ (field >> 29));
        }
    }

    /// Takes a name or a place as it is written.
    #[inline]
    fn name_written(&mut self, place: usize, raw: &[u8], at: At) -> Result<(), Fault> {
        let plain = self.plan.sources[place].plain(raw).filter(|_| self.missing.is_empty());
        match plain {
            Some(name) => self.batch.names[place].push(name),
            None => {
                let text = std::str::from_utf8(raw);
                let text = text.map_err(|_| Fault { at, column: None, problem: Problem::NotUtf8 })?;
                self.name(place, text);
            }
        }
        Ok(())
    }

    /// Looks up a name or a place.
    pub fn name(&mut self, place: usize, text: &str) {
        let said = !self.missing.is_empty() && is_missing(text, self.missing);
        let source = &self.plan.sources[place];
        let looked = if said { Looked::EMPTY } else { source.look_up(text) };
        self.several[place] += u64::from(looked != Looked::EMPTY && source.seems_whole(text));
        self.batch.names[place].push(looked.into());
    }

    /// Looks up the names of all rows: one after the other the processor waits for the memory of several at once.
    fn look_up(&mut self) {
        let Batch { names, codes, looked, .. } = &mut self.batch;
        for (place, source) in self.plan.sources.iter().enumerate() {
            let codes = &mut codes[self.plan.source_keys[place]];
            match self.lately.get_mut(place) {
                Some(lately) => lately.codes(source, &names[place], codes),
                None => {
                    looked[place].extend(names[place].iter().map(|name| source.settle(*name)));
                    codes.extend(looked[place].iter().map(|looked| source.code(*looked)));
                }
            }
        }
    }

    /// A number as it is written; NaN where it is missing.
    pub fn number(&mut self, place: usize, raw: &[u8], at: At) -> Result<f64, Fault> {
        let plan = self.plan;
        let column = &plan.numbers[place];
        let fault = |problem| Fault { at, column: Some(column.name.clone()), problem };
        let text = std::str::from_utf8(raw).map_err(|_| fault(Problem::NotUtf8))?.trim();
        match self.decimals.number(text, at) {
            Some(number)
                if column.kind.accepts(number) && !(column.kind.is_score() && self.is_nothing(number)) =>
            {
                Ok(number)
            }
            // A database has no sum of rows of which none makes sense; the check of the batch knows why.
            _ if (column.kind.may_be_missing() || column.kind == NumberKind::Sum)
                && is_missing(text, self.missing) =>
            {
                Ok(f64::NAN)
            }
            _ => {
                let wrong = self.decimals.wrong(text);
                Err(fault(wrong.unwrap_or_else(|| no_number(column.kind, text.to_owned()))))
            }
        }
    }

    /// A feature as it is written.
    fn feature(&mut self, place: usize, raw: &[u8], at: At) -> Result<f32, Fault> {
        let plan = self.plan;
        let fault = |problem| Fault { at, column: Some(plan.features[place].clone()), problem };
        let text = std::str::from_utf8(raw).map_err(|_| fault(Problem::NotUtf8))?.trim();
        match self.decimals.number(text, at).and_then(|number| self.single(number)) {
            Some(feature) => Ok(feature),
            None => {
                self.odd_feature(text).map_err(|problem| fault(self.decimals.wrong(text).unwrap_or(problem)))
            }
        }
    }

    /// What becomes of a feature that is no number which could be taken.
    pub fn odd_feature(&self, text: &str) -> Result<f32, Problem> {
        let value = || text.to_owned();
        match self.plan.feature_use {
            FeatureUse::Near => Err(Problem::Features(FeatureProblem::Value { value: value() })),
            _ if is_missing(text, self.missing) => Ok(f32::NAN),
            FeatureUse::Train => Err(Problem::Training(TrainingProblem::NoNumber { value: value() })),
            // A number that cannot be taken is told when it is read.
            FeatureUse::Look if text.parse::<f64>().is_ok() => Ok(0.0),
            FeatureUse::Look => Ok(f32::INFINITY),
        }
    }

    /// A number in the precision in which features are kept; nothing where it means nothing or has none.
    pub fn single(&self, number: f64) -> Option<f32> {
        let single = number as f32;
        (single.is_finite() && !self.is_nothing(number)).then_some(single)
    }

    /// Whether the user said that this number means nothing.
    fn is_nothing(&self, number: f64) -> bool {
        self.missing.iter().any(|value| value.trim().parse() == Ok(number))
    }

    /// The row whose fields were put is complete.
    #[inline]
    pub fn end_row(&mut self, at: At) -> Result<(), Fault> {
        self.batch.file = at.file;
        self.batch.numbers_at.push(at.number);
        self.batch.rows += 1;
        self.last = Some(at);
        if self.batch.rows >= BATCH { self.flush() } else { Ok(()) }
    }

    /// The rows whose columns were filled are complete; `at` is the first.
    pub fn end_rows(&mut self, at: At, rows: usize) -> Result<(), Fault> {
        self.batch.file = at.file;
        self.batch.numbers_at.extend((0..rows as u64).map(|i| at.number + i));
        self.batch.rows += rows;
        self.last = Some(At { number: at.number + (rows as u64).saturating_sub(1), ..at });
        if self.batch.rows >= BATCH { self.flush() } else { Ok(()) }
    }

    /// The row whose fields were put is broken: leaves it out where that was asked for and is safe.
    pub fn reject_row(&mut self, fault: Fault) -> Result<(), Fault> {
        self.forget_row();
        match self.reason_to_skip(&fault) {
            Some(reason) => {
                skip(&mut self.skipped, reason, &fault, 1);
                Ok(())
            }
            None => Err(self.first_of(fault)),
        }
    }

    /// What is wrong with a row that was not taken, unless a row before it is wrong.
    pub fn first_of(&mut self, fault: Fault) -> Fault {
        self.forget_row();
        self.flush().err().unwrap_or(fault)
    }

    /// Forgets the fields that were put since the last row ended.
    pub fn forget_row(&mut self) {
        self.keep_rows(self.batch.rows);
        let at = self.last;
        self.dictionaries.iter_mut().for_each(|dictionary| dictionary.forget_after(at));
    }

    /// Forgets the fields that were put since the last row ended, but those of so many rows.
    pub fn keep_more(&mut self, rows: usize) {
        self.keep_rows(self.batch.rows + rows);
    }

    /// Forgets the fields of all rows of the batch but the first so many.
    fn keep_rows(&mut self, rows: usize) {
        self.batch.codes.iter_mut().for_each(|codes| codes.truncate(rows));
        self.batch.numbers.iter_mut().for_each(|numbers| numbers.truncate(rows));
        self.batch.features.iter_mut().for_each(|features| features.truncate(rows));
        self.batch.lists.truncate(rows);
        self.batch.names.iter_mut().for_each(|names| names.truncate(rows));
        self.batch.looked.iter_mut().for_each(|looked| looked.truncate(rows));
        self.batch.rests.truncate(rows);
        self.batch.marks.truncate(rows);
        self.batch.left_out.truncate(rows);
    }

    fn reason_to_skip(&self, fault: &Fault) -> Option<&'static str> {
        // What stands for many is not broken by itself.
        safe_to_skip(&fault.problem).filter(|_| self.lenient && self.plan.tally.is_none())
    }

    /// Hands on the rows so far. Every file ends with this.
    pub fn flush(&mut self) -> Result<(), Fault> {
        if self.batch.rows == 0 {
            return Ok(());
        }
        // A file may not have the columns that tell something.
        for (numbers, column) in self.batch.numbers.iter_mut().zip(&self.plan.numbers) {
            if column.kind.is_told() {
                numbers.resize(self.batch.rows, f64::NAN);
            }
        }
        if self.plan.marked {
            self.batch.marks.resize(self.batch.rows, 0);
        }
        self.name_file()?;
        self.look_up();
        self.check_invalid();
        self.check_numbers();
        self.check_truth();
        self.score();
        if let Some((row, fault)) = self.batch.fault.take() {
            // Rows before it may still be wrong for the consumer.
            self.keep_rows(row);
            self.batch.rows = row;
            self.consumer.add(&self.batch, self.plan)?;
            return Err(fault);
        }
        self.rows += self.batch.rows as u64;
        self.consumer.add(&self.batch, self.plan)?;
        self.batch.clear();
        Ok(())
    }

    /// The file that the rows of a batch are of, where it cuts them.
    fn name_file(&mut self) -> Result<(), Fault> {
        let Some(key) = self.plan.by_file else { return Ok(()) };
        let at = At { file: self.batch.file, number: 0 };
        let place = self.batch.file.to_string();
        let code = self.code(key, place.as_bytes(), at)?;
        self.batch.codes[key].resize(self.batch.rows, code);
        Ok(())
    }

    /// A row of a batch is broken: leaves it out, where that was asked for and is safe.
    pub fn leave_out(&mut self, row: usize, fault: Fault) {
        if self.batch.left_out.get(row).is_some_and(|out| *out) {
            return;
        }
        match self.reason_to_skip(&fault) {
            Some(reason) => {
                skip(&mut self.skipped, reason, &fault, 1);
                let rows = self.batch.left_out.len().max(self.batch.rows).max(row + 1);
                self.batch.left_out.resize(rows, false);
                self.batch.left_out[row] = true;
            }
            None if self.batch.fault.as_ref().is_none_or(|(first, _)| row < *first) => {
                self.batch.fault = Some((row, fault));
            }
            None => {}
        }
    }

    fn leave_out_for(&mut self, row: usize, column: &str, problem: Problem) {
        self.leave_out(row, Fault { at: self.batch.at(row), column: Some(column.to_owned()), problem });
    }

    /// Rows behind a tally that its maker found to make no sense.
    fn check_invalid(&mut self) {
        let plan = self.plan;
        let Some(tally) = &plan.tally else { return };
        for row in 0..self.batch.rows {
            let rows = self.batch.numbers[tally.invalid][row];
            if rows > 0.0 {
                self.leave_out_for(row, &plan.numbers[tally.invalid].name, Problem::Invalid { rows });
            }
        }
    }

    fn check_numbers(&mut self) {
        let plan = self.plan;
        for (place, column) in plan.numbers.iter().enumerate() {
            for row in 0..self.batch.rows {
                let number = self.batch.numbers[place][row];
                let missing = number.is_nan() && column.kind.may_be_missing();
                if missing && column.kind.is_told() {
                    self.batch.numbers[place][row] = 0.0;
                }
                let nothing = column.kind.is_score() && self.is_nothing(number);
                if missing || (column.kind.accepts(number) && !nothing) {
                    continue;
                }
                let value = if number.is_nan() { String::new() } else { number.to_string() };
                if column.kind.may_be_missing() && is_missing(&value, self.missing) {
                    self.batch.numbers[place][row] = f64::NAN;
                } else {
                    self.leave_out_for(row, &column.name, no_number(column.kind, value));
                }
            }
        }
    }

    fn check_truth(&mut self) {
        let plan = self.plan;
        let Some(key) = plan.truth else { return };
        // The row of a tally that tells what was withheld is about no one.
        let rows = plan.tally.as_ref().map(|tally| tally.weights.map_or(tally.count, |(rows, _)| rows));
        for row in 0..self.batch.rows {
            let code = self.batch.codes[key][row];
            let known = self.dictionaries[key].values[code as usize].canonical.is_some();
            let about_no_one = rows.is_some_and(|rows| self.batch.numbers[rows][row] == 0.0);
            if !known && !about_no_one {
                self.leave_out_for(row, &plan.keys[key].name, Problem::TruthMissing);
            }
        }
    }

    /// From probabilities to the most likely group and the mean score.
    fn score(&mut self) {
        let plan = self.plan;
        if plan.probabilities.is_empty() {
            return;
        }
        let rows = self.batch.rows;
        let groups = plan.score_groups.len();
        self.batch.scores.iter_mut().for_each(|scores| {
            scores.clear();
            scores.resize(rows, 0.0);
        });
        self.batch.scored.clear();
        self.batch.scored.resize(rows, false);
        let mut spoke = vec![0.0; rows];
        for (key, numbers) in &plan.probabilities {
            let name = &plan.keys[*key].name;
            let mut given = Vec::with_capacity(groups);
            for row in 0..rows {
                given.clear();
                let values = numbers.iter().flatten().map(|place| self.batch.numbers[*place][row]);
                given.extend(values.filter(|p| !p.is_nan()));
                // Of two groups, one may have what the other leaves.
                if let (Some(rest), [other]) = (numbers.iter().position(Option::is_none), given.as_slice()) {
                    given.insert(rest, 1.0 - other);
                }
                let sum: f64 = given.iter().sum();
                let problem = match given.len() {
                    0 => None,
                    n if n < groups => Some(Problem::ProbabilityMissing),
                    _ if (sum - 1.0).abs() > SUM_TOLERANCE => Some(Problem::ProbabilitySum { sum }),
                    _ => None,
                };
                self.batch.codes[*key].push(most_likely(&given).map_or(groups as u32, |place| place as u32));
                if let Some(problem) = problem {
                    self.leave_out_for(row, name, problem);
                } else if !given.is_empty() {
                    spoke[row] += 1.0;
                    self.batch.scored[row] = true;
                    self.batch.scores.iter_mut().zip(&given).for_each(|(total, p)| total[row] += p);
                }
            }
        }
        for scores in &mut self.batch.scores {
            scores.iter_mut().zip(&spoke).filter(|(_, n)| **n > 1.0).for_each(|(score, n)| *score /= n);
        }
    }

    /// Columns of parts of names that mostly hold more.
    pub fn whole_names(&self, named: &[NameColumn]) -> Vec<Note> {
        let sources = self.plan.sources.iter().zip(&self.several);
        let most = sources.filter(|(_, several)| 2 * **several > self.rows);
        let note = |(source, _): (&Arc<NameSource>, &u64)| {
            let column = named.iter().find(|one| one.source.name() == source.name())?.column.clone();
            let named = match source.table().field() {
                Field::FirstName => Setting::FirstName,
                _ => Setting::Surname,
            };
            Some(Note::WholeNames { column, named })
        };
        most.filter_map(note).collect()
    }

    /// Takes the values that another thread met, and gives their codes here.
    pub fn merge(&mut self, other: Self) -> Codes {
        self.people.merge(other.people);
        self.decimals.merge(other.decimals);
        self.rows += other.rows;
        self.several.iter_mut().zip(other.several).for_each(|(mine, theirs)| *mine += theirs);
        let mut codes = Vec::with_capacity(other.dictionaries.len());
        for (key, (mine, theirs)) in self.dictionaries.iter_mut().zip(other.dictionaries).enumerate() {
            // Codes of the most likely group are places of groups, not of values met.
            codes.push(match self.plan.groups_of(key) {
                Some(groups) => (0..=groups.len() as u32).collect(),
                None => mine.merge(theirs),
            });
        }
        for (reason, (rows, at, found)) in other.skipped {
            let entry = self.skipped.entry(reason).or_insert_with(|| (0, at, found.clone()));
            entry.0 += rows;
            if at < entry.1 {
                (entry.1, entry.2) = (at, found);
            }
        }
        codes
    }
}

/// Why a column has more values than it may.
pub(crate) fn too_many<'v>(column: &KeyColumn, values: impl Iterator<Item = &'v RawValue>) -> Problem {
    let mut read = values.filter_map(|value| value.canonical.as_deref()).peekable();
    if column.role == Role::Guess && read.peek().is_some() && look_like_probabilities(read) {
        let column = column.name.clone();
        return Problem::Columns(ColumnProblem::ProbabilitiesAsGuesses { column, prefix: None });
    }
    Problem::TooManyValues { what: column.role.what(), limit: column.limit }
}

fn no_number(kind: NumberKind, value: String) -> Problem {
    match kind {
        NumberKind::Weight => Problem::Weight { value },
        NumberKind::Probability => Problem::Probability { value },
        NumberKind::LabelChance => Problem::LabelProbability { value },
        NumberKind::Outcome => Problem::Outcome { value },
        NumberKind::Score | NumberKind::ScoreOrNothing => Problem::Training(TrainingProblem::Score { value }),
        NumberKind::Rows
        | NumberKind::NoisyRows
        | NumberKind::Sum
        | NumberKind::Told
        | NumberKind::OutcomeSum
        | NumberKind::ToldSum => Problem::Count { value },
    }
}
