//! Rows counted by the codes of their keys.
//!
//! A table has few cells and many rows, so a row must find its cell in a few instructions. As long as all
//! combinations of the values met so far are few, their codes packed into one number are the place in a plain array;
//! past that a hash table takes over.

use crate::columns::REST;
use crate::error::Problem;
use crate::evidence::EvidenceCells;
use crate::fault::Fault;
use crate::plan::{MOST_ROWS, Plan};
use crate::quick_sum::{self, QuickSum};
use crate::tally::{MOST_CELLS, SUM_TOLERANCE};
use crate::value::At;
use crate::worker::{Batch, Codes, Consumer};
use fairveil_core::counts::ExactSum;
use fairveil_core::privacy::{DiscreteLaplace, Epsilon};
use hashbrown::HashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Codes of one row, in the order of the plan's keys.
pub(crate) type Key = Box<[u32]>;

/// What was counted in one cell.
#[derive(Clone, Default)]
pub(crate) struct RawTally {
    pub rows: u64,
    /// Rows below zero, in tallies with noise: the count is what is left of the rows.
    pub owed: u64,
    /// Lines of tallies that were added up, each with noise of its own where there is any.
    pub lines: u64,
    /// Sums, where rows have weights or probabilities.
    pub sums: Option<Box<Sums>>,
}

#[derive(Clone, Default)]
pub(crate) struct Sums {
    pub weight: ExactSum,
    pub squares: ExactSum,
    pub scores: Vec<ExactSum>,
    pub scored: ExactSum,
    pub drawn: Option<Design>,
    pub outcome: Option<OutcomeSums>,
}

/// Rows of a batch that have an outcome.
#[derive(Clone, Default)]
struct Quick {
    rows: u64,
    weight: QuickSum,
    sum: QuickSum,
    squares: QuickSum,
}

/// Rows that have an outcome.
#[derive(Clone, Default)]
pub(crate) struct OutcomeSums {
    pub rows: u64,
    pub weight: ExactSum,
    pub sum: ExactSum,
    pub squares: ExactSum,
}

impl OutcomeSums {
    fn merge(&mut self, other: &OutcomeSums) {
        self.rows += other.rows;
        self.weight.merge(&other.weight);
        self.sum.merge(&other.sum);
        self.squares.merge(&other.squares);
    }

    /// The weight of these rows: their number, where they have none.
    pub fn weight(&self, weighted: bool) -> f64 {
        if weighted { self.weight.value() } else { self.rows as f64 }
    }
}

/// Rows whose chance of being labelled is told.
#[derive(Clone, Default)]
pub(crate) struct Design {
    pub rows: u64,
    /// Weight over chance, summed, and the same squared.
    pub weight: ExactSum,
    pub squares: ExactSum,
}

impl Design {
    pub fn merge(&mut self, other: &Design) {
        self.rows += other.rows;
        self.weight.merge(&other.weight);
        self.squares.merge(&other.squares);
    }
}

impl RawTally {
    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: &RawTally) {
        self.rows += other.rows;
        self.owed += other.owed;
        self.lines += other.lines;
        let Some(theirs) = &other.sums else { return };
        let mine = self.sums.get_or_insert_default();
        mine.weight.merge(&theirs.weight);
        mine.squares.merge(&theirs.squares);
        mine.scores.resize(theirs.scores.len().max(mine.scores.len()), ExactSum::default());
        mine.scores.iter_mut().zip(&theirs.scores).for_each(|(sum, more)| sum.merge(more));
        mine.scored.merge(&theirs.scored);
        theirs.drawn.iter().for_each(|drawn| mine.drawn.get_or_insert_default().merge(drawn));
        theirs.outcome.iter().for_each(|outcome| mine.outcome.get_or_insert_default().merge(outcome));
    }

    /// Whether anyone is counted here, below zero included.
    pub fn is_counted(&self) -> bool {
        self.rows > 0 || self.owed > 0
    }

    /// The rows' weight: their number, where they have none.
    pub fn weight(&self, weighted: bool) -> f64 {
        match (&self.sums, weighted) {
            (Some(sums), true) => sums.weight.value(),
            (None, true) => 0.0,
            (_, false) => self.rows as f64,
        }
    }
}

/// What a tally says was withheld from it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Hidden {
    pub cells: u64,
    pub rows: u64,
    pub weight: ExactSum,
}

impl Hidden {
    /// Adds what was withheld elsewhere.
    fn add(&mut self, more: &Hidden) -> Result<(), Problem> {
        self.cells = add_rows(self.cells, more.cells)?;
        self.rows = add_rows(self.rows, more.rows)?;
        self.weight.merge(&more.weight);
        Ok(())
    }
}

/// Rows of two parts; a tally may claim more than can be counted.
fn add_rows(rows: u64, more: u64) -> Result<u64, Problem> {
    rows.checked_add(more).filter(|rows| *rows as f64 <= MOST_ROWS).ok_or(Problem::TooManyRows)
}

/// What tallies say of the noise on their cells.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct NoiseTold {
    /// The largest.
    pub epsilon: f64,
    /// Summed: cells of tallies add up, and their noise with them.
    pub variance: ExactSum,
    /// How many tallies say so.
    pub tallies: u64,
}

impl NoiseTold {
    /// The variance of a cell that is the sum of so many lines.
    pub fn of_lines(&self, lines: u64) -> f64 {
        self.variance.value() * lines as f64 / self.tallies.max(1) as f64
    }
}

/// Cells met so far.
#[derive(Default)]
pub(crate) struct Cells {
    places: HashMap<Key, u32>,
    pub keys: Vec<Key>,
    pub tallies: Vec<RawTally>,
    packed: Packed,
    /// The places of one batch's cells.
    found: Vec<u32>,
    /// Outcomes of one batch by place, and the places that have any.
    quick: Vec<Quick>,
    touched: Vec<u32>,
    pub hidden: Option<Hidden>,
    pub noise: Option<NoiseTold>,
    /// Rows below zero, before anything is added up.
    owed: u64,
    /// Files that tell of noise.
    noised: BTreeSet<u32>,
    /// The first count below zero of each file that has one.
    negative: BTreeMap<u32, (u64, f64)>,
    /// Rows behind the cells, those of a tally included.
    pub rows: u64,
    /// The evidence about them.
    pub evidence: EvidenceCells,
}

/// The places of cells by their packed codes.
#[derive(Default)]
struct Packed {
    /// Bits of each key's code.
    bits: Vec<u32>,
    /// One more than the place; 0 where no such cell was met.
    table: Vec<u32>,
}

/// Packed codes have at most so many bits; of the array only what is met is touched.
const MOST_BITS: u32 = 20;

impl Cells {
    /// Finds the cell of every row of a batch; `found` holds their places.
    fn find(&mut self, batch: &Batch) -> Result<(), Problem> {
        let largest = |codes: &Vec<u32>| codes.iter().copied().max().unwrap_or(0);
        let bits = batch.codes.iter().map(|codes| u32::BITS - largest(codes).leading_zeros());
        let known = self.packed.bits.iter().copied().chain(std::iter::repeat(0));
        let bits: Vec<u32> = bits.zip(known).map(|(needed, known)| needed.max(known)).collect();
        self.found.clear();
        self.found.resize(batch.rows, 0);
        if bits.iter().sum::<u32>() > MOST_BITS {
            return self.find_by_hash(batch);
        }
        if bits != self.packed.bits || self.packed.table.is_empty() {
            self.packed = Packed { table: vec![0; 1 << bits.iter().sum::<u32>()], bits };
            // Cells that were found by hash may have codes that do not fit; they are found by hash again.
            let fits = |key: &Key| key.iter().zip(&self.packed.bits).all(|(code, bits)| code >> bits == 0);
            for (place, key) in self.keys.iter().enumerate().filter(|(_, key)| fits(key)) {
                let packed = key.iter().zip(&self.packed.bits).rev();
                let packed = packed.fold(0, |packed, (code, bits)| packed << bits | code);
                self.packed.table[packed as usize] = place as u32 + 1;
            }
        }
        let mut shift = 0;
        for (codes, bits) in batch.codes.iter().zip(&self.packed.bits) {
            self.found.iter_mut().zip(codes).for_each(|(packed, code)| *packed |= code << shift);
            shift += bits;
        }
        for row in 0..batch.rows {
            let packed = self.found[row] as usize;
            let place = match self.packed.table[packed] {
                0 => {
                    let place = self.insert(batch, row)?;
                    self.packed.table[packed] = place + 1;
                    place
                }
                place => place - 1,
            };
            self.found[row] = place;
        }
        Ok(())
    }

    fn find_by_hash(&mut self, batch: &Batch) -> Result<(), Problem> {
        let mut key = vec![0; batch.codes.len()];
        for row in 0..batch.rows {
            key.iter_mut().zip(&batch.codes).for_each(|(code, codes)| *code = codes[row]);
            self.found[row] = match self.places.get(key.as_slice()) {
                Some(place) => *place,
                None => self.insert(batch, row)?,
            };
        }
        Ok(())
    }

    #[cold]
    fn insert(&mut self, batch: &Batch, row: usize) -> Result<u32, Problem> {
        let key: Key = batch.codes.iter().map(|codes| codes[row]).collect();
        self.place(key)
    }

    /// The place of a cell; a new one where it was not met before.
    fn place(&mut self, key: Key) -> Result<u32, Problem> {
        if let Some(place) = self.places.get(&key) {
            return Ok(*place);
        }
        if self.keys.len() >= MOST_CELLS {
            return Err(Problem::TooManyCells { limit: MOST_CELLS });
        }
        let place = self.keys.len() as u32;
        self.places.insert(key.clone(), place);
        self.keys.push(key);
        self.tallies.push(RawTally::default());
        Ok(place)
    }

    fn add_rows(&mut self, batch: &Batch, plan: &Plan) {
        self.rows += (batch.rows - batch.left_out.iter().filter(|out| **out).count()) as u64;
        self.add_outcomes(batch, plan);
        let numbers = plan.weight.or(plan.label_chance).is_some();
        let plain = !numbers && plan.probabilities.is_empty() && batch.left_out.is_empty();
        if plain {
            self.found.iter().for_each(|place| self.tallies[*place as usize].rows += 1);
            return;
        }
        for row in 0..batch.rows {
            if batch.left_out.get(row).is_some_and(|out| *out) {
                continue;
            }
            let tally = &mut self.tallies[self.found[row] as usize];
            tally.rows += 1;
            let weight = plan.weight.map(|place| batch.numbers[place][row]);
            if let Some(weight) = weight {
                let sums = tally.sums.get_or_insert_default();
                sums.weight.add(weight);
                sums.squares.add(weight * weight);
            }
            let chance = plan.label_chance.map(|place| batch.numbers[place][row]);
            if let Some(chance) = chance.filter(|chance| !chance.is_nan()) {
                let stands_for = weight.unwrap_or(1.0) / chance;
                let drawn = tally.sums.get_or_insert_default().drawn.get_or_insert_default();
                drawn.rows += 1;
                drawn.weight.add(stands_for);
                drawn.squares.add(stands_for * stands_for);
            }
            if batch.scored.get(row).is_some_and(|scored| *scored) {
                let (sums, weight) = (tally.sums.get_or_insert_default(), weight.unwrap_or(1.0));
                sums.scores.resize(batch.scores.len(), ExactSum::default());
                let scores = sums.scores.iter_mut().zip(&batch.scores);
                scores.for_each(|(sum, score)| sum.add(weight * score[row]));
                sums.scored.add(weight);
            }
        }
    }

    /// Sums the outcomes of a batch, as many at once as a quick sum takes.
    fn add_outcomes(&mut self, batch: &Batch, plan: &Plan) {
        for first in (0..batch.rows).step_by(quick_sum::MOST) {
            self.add_some_outcomes(batch, plan, first..batch.rows.min(first + quick_sum::MOST));
        }
    }

    fn add_some_outcomes(&mut self, batch: &Batch, plan: &Plan, rows: std::ops::Range<usize>) {
        let Some(outcomes) = plan.outcome.map(|place| &batch.numbers[place]) else { return };
        let weights = plan.weight.map(|place| &batch.numbers[place]);
        self.quick.resize_with(self.tallies.len(), Quick::default);
        for row in rows {
            let outcome = outcomes[row];
            if !outcome.is_finite() || batch.left_out.get(row).is_some_and(|out| *out) {
                continue;
            }
            let place = self.found[row];
            let quick = &mut self.quick[place as usize];
            if quick.rows == 0 {
                self.touched.push(place);
            }
            quick.rows += 1;
            let weight = weights.map(|weights| weights[row]);
            let weighed = weight.map_or(outcome, |weight| weight * outcome);
            let slow = [
                weight.filter(|weight| !quick.weight.add(*weight)),
                Some(weighed).filter(|term| !quick.sum.add(*term)),
                Some(weighed * outcome).filter(|term| !quick.squares.add(*term)),
            ];
            if slow.iter().any(Option::is_some) {
                let sums = self.tallies[place as usize].sums.get_or_insert_default();
                let sums = sums.outcome.get_or_insert_default();
                let of = [&mut sums.weight, &mut sums.sum, &mut sums.squares];
                of.into_iter()
                    .zip(slow)
                    .for_each(|(sum, term)| term.into_iter().for_each(|term| sum.add(term)));
            }
        }
        for place in self.touched.drain(..) {
            let quick = &mut self.quick[place as usize];
            let sums = self.tallies[place as usize].sums.get_or_insert_default();
            let sums = sums.outcome.get_or_insert_default();
            sums.rows += std::mem::take(&mut quick.rows);
            quick.weight.hand_on(&mut sums.weight);
            quick.sum.hand_on(&mut sums.sum);
            quick.squares.hand_on(&mut sums.squares);
        }
    }

    /// The first count below zero in a file that tells of no noise.
    pub fn refuse_negative(&self, plan: &Plan) -> Result<(), Fault> {
        let wrong = self.negative.iter().find(|(file, _)| !self.noised.contains(file));
        let Some((file, (number, count))) = wrong else { return Ok(()) };
        let column = plan.tally.as_ref().map(|tally| plan.numbers[tally.count].name.clone());
        let problem = Problem::Count { value: count.to_string() };
        Err(Fault { at: At { file: *file, number: *number }, column, problem })
    }

    fn add_tallied(&mut self, batch: &Batch, plan: &Plan) -> Result<(), Fault> {
        let Some(tally) = &plan.tally else { return Ok(()) };
        for row in 0..batch.rows {
            let fault =
                |column: &str, problem| Fault { at: batch.at(row), column: Some(column.to_owned()), problem };
            // Where the limit is passed depends on which thread had which rows.
            let too_many = |problem| Fault::of_file(batch.file, problem);
            let number = |place: usize| batch.numbers[place][row];
            let [cells, rows, weight] = tally.hidden;
            let told = [cells, rows, weight].map(number);
            if let Some(problem) = impossible_hidden(told, tally.weights.is_some(), number(tally.count)) {
                return Err(fault(&plan.numbers[rows].name, problem));
            }
            if [cells, rows, weight].iter().any(|place| number(*place) > 0.0) {
                let hidden = self.hidden.get_or_insert_default();
                let more =
                    Hidden { cells: number(cells) as u64, rows: number(rows) as u64, ..Hidden::default() };
                hidden.add(&more).map_err(too_many)?;
                hidden.weight.add(number(weight));
            }
            let [epsilon, variance] = tally.noise.map(number);
            let about = |place: usize| plan.numbers[place].name.as_str();
            if let Some(problem) = impossible_noise(epsilon, variance) {
                return Err(fault(about(tally.noise[0]), problem));
            }
            if epsilon > 0.0 || variance > 0.0 {
                let noise = self.noise.get_or_insert_default();
                noise.epsilon = noise.epsilon.max(epsilon);
                noise.variance.add(variance);
                noise.tallies += 1;
                self.noised.insert(batch.file);
            }
            let about_no_one = epsilon > 0.0 || variance > 0.0 || number(cells) > 0.0;
            let count = number(tally.count);
            if count < 0.0 {
                let at = batch.at(row).number;
                let first = self.negative.entry(batch.file).or_insert((at, count));
                if at < first.0 {
                    *first = (at, count);
                }
            }
            // Only one of the two is above zero.
            let (rows, owed) = (count.max(0.0) as u64, (-count).max(0.0) as u64);
            let mut more = RawTally { rows, owed, lines: u64::from(!about_no_one), sums: None };
            if let Some((rows, squared)) = tally.weights {
                more.rows = number(rows) as u64;
                let sums = more.sums.get_or_insert_default();
                sums.weight.add(number(tally.count));
                sums.squares.add(number(squared));
            }
            if let Some(scored) = tally.soft_weight.map(number).filter(|scored| *scored > 0.0) {
                let sums = more.sums.get_or_insert_default();
                sums.scored.add(scored);
                for place in &tally.soft {
                    let mut sum = ExactSum::default();
                    sum.add(number(*place));
                    sums.scores.push(sum);
                }
            }
            if let Some([rows, weight, sum, squares]) = tally.outcome.map(|places| places.map(number))
                && rows > 0.0
            {
                let mut told = OutcomeSums { rows: rows as u64, ..OutcomeSums::default() };
                told.weight.add(weight);
                told.sum.add(sum);
                told.squares.add(squares);
                more.sums.get_or_insert_default().outcome = Some(told);
            }
            if let Some(problem) = impossible_sums(&more, tally.weights.is_some()) {
                return Err(fault(about(tally.count), problem));
            }
            if let Some(rest) = batch.rests.get(row).filter(|rest| !rest.is_empty()) {
                crate::tally_file::add_rest(&mut more, rest)
                    .ok_or_else(|| fault(REST, Problem::Rest { value: rest.clone() }))?;
            }
            self.rows = add_rows(self.rows, more.rows).map_err(too_many)?;
            self.owed = add_rows(self.owed, more.owed).map_err(too_many)?;
            // A row of no rows may tell what was withheld.
            self.tallies[self.found[row] as usize].merge(&more);
        }
        Ok(())
    }
}

/// Sums come from other programs too, whose last digits are their own.
const ROUNDING: f64 = 1e-6;

/// Noise that is told by half, or is less than its epsilon needs. Several tallies in one have more.
fn impossible_noise(epsilon: f64, variance: f64) -> Option<Problem> {
    let needed = "both of them, the variance at least that of discrete Laplace noise with this epsilon";
    if epsilon == 0.0 && variance == 0.0 {
        return None;
    }
    let told = Epsilon::new(epsilon).and_then(DiscreteLaplace::new).map(|noise| noise.variance());
    let found = match told {
        _ if variance == 0.0 => format!("noise of epsilon {epsilon} is told without its variance"),
        _ if epsilon == 0.0 => format!("noise of variance {variance} is told without its epsilon"),
        Ok(told) if variance >= told * (1.0 - ROUNDING) => return None,
        Ok(told) => {
            format!("noise of epsilon {epsilon} has a variance of at least {told:.4}, and {variance} is told")
        }
        Err(error) => error.to_string(),
    };
    Some(Problem::ImpossibleTally { found, needed })
}

/// Withheld cells that nobody withholds: none of any rows, more cells than rows, rows of another weight than their number where
/// they have none, or on a line that counts rows itself.
fn impossible_hidden([cells, rows, weight]: [f64; 3], weighted: bool, count: f64) -> Option<Problem> {
    if cells == 0.0 && rows == 0.0 && weight == 0.0 {
        return None;
    }
    let needed = "withheld cells on a line of their own, each of at least one row, and as much weight as rows where these have none";
    let found = match () {
        () if count != 0.0 => "a line that counts rows tells of withheld cells too".to_owned(),
        () if cells == 0.0 || rows < cells => format!("{rows} rows are told to be withheld in {cells} cells"),
        () if !weighted && (weight - rows).abs() > rows * ROUNDING => {
            format!("{rows} rows without weights are told to weigh {weight}")
        }
        () => return None,
    };
    Some(Problem::ImpossibleTally { found, needed })
}

/// Sums that no rows have: what weights and probabilities of single rows can add up to is bounded by their number.
fn impossible_sums(tally: &RawTally, weighted: bool) -> Option<Problem> {
    let sums = tally.sums.as_deref()?;
    let (rows, weight, squares) = (tally.rows as f64, sums.weight.value(), sums.squares.value());
    let above = |sum: f64, most: f64| sum > most * (1.0 + ROUNDING);
    let impossible = |found, needed| Some(Problem::ImpossibleTally { found, needed });
    if weighted && (above(squares, weight * weight) || above(weight * weight, rows * squares)) {
        let found = format!("{rows} rows that weigh {weight} are told to have squared weights of {squares}");
        let needed = "squared weights between the squared weight over the rows and the squared weight itself";
        return impossible(found, needed);
    }
    if let Some(outcome) = &sums.outcome {
        let (people, weigh) = (outcome.rows as f64, outcome.weight.value());
        let (sum, squares) = (outcome.sum.value(), outcome.squares.value());
        let most = if weighted { weight } else { rows };
        let all = above(people, rows) || above(weigh, most) || (!weighted && weigh != people);
        if all || squares < 0.0 || above(sum * sum, weigh * squares) {
            let found = format!(
                "of {rows} rows, {people} that weigh {weigh} are told to have outcomes of {sum} in all and squares of {squares}"
            );
            return impossible(
                found,
                "at most the rows that are counted, and squares of at least the squared sum over their weight",
            );
        }
    }
    let (scored, all) = (sums.scored.value(), if weighted { weight } else { rows });
    if above(scored, all) {
        let found = format!("probabilities of {scored} rows are told, and there are {all}");
        return impossible(found, "probabilities of at most the rows that are counted");
    }
    let scores: f64 = sums.scores.iter().map(ExactSum::value).sum();
    if (scores - scored).abs() > scored * (SUM_TOLERANCE + ROUNDING) {
        let found = format!("probabilities of {scored} rows sum to {scores}");
        return impossible(found, "probabilities that sum to one for each row");
    }
    None
}

impl Cells {
    /// Counts one row with its key, its weight and, where probabilities were given, its scores; gives the cell's place.
    pub fn add_row(
        &mut self,
        key: Key,
        weight: Option<f64>,
        scores: Option<impl Iterator<Item = f64>>,
    ) -> Result<u32, Problem> {
        let place = self.place(key)?;
        let tally = &mut self.tallies[place as usize];
        self.rows += 1;
        tally.rows += 1;
        if let Some(weight) = weight {
            let sums = tally.sums.get_or_insert_default();
            sums.weight.add(weight);
            sums.squares.add(weight * weight);
        }
        if let Some(scores) = scores {
            let (sums, weight) = (tally.sums.get_or_insert_default(), weight.unwrap_or(1.0));
            for (group, score) in scores.enumerate() {
                sums.scores.resize(sums.scores.len().max(group + 1), ExactSum::default());
                sums.scores[group].add(weight * score);
            }
            sums.scored.add(weight);
        }
        Ok(place)
    }
}

/// Bytes of a cell beside its key: its count, two vectors, a place in the hash table, each at most half full.
const CELL: u64 = 160;

impl Consumer for Cells {
    fn held(&self) -> u64 {
        let codes = self.keys.first().map_or(0, |key| key.len() as u64);
        let sums = self.tallies.first().and_then(|tally| tally.sums.as_ref());
        // Exact sums are a few numbers each.
        let sums = sums.map_or(0, |sums| 64 * (4 + sums.scores.len() as u64));
        self.keys.len() as u64 * (CELL + 2 * 4 * codes + sums) + self.evidence.held()
    }

    fn add(&mut self, batch: &Batch, plan: &Plan) -> Result<(), Fault> {
        self.find(batch).map_err(|problem| Fault { at: batch.at(0), column: None, problem })?;
        match plan.tally {
            Some(_) => self.add_tallied(batch, plan)?,
            None => {
                self.add_rows(batch, plan);
                self.evidence.add(batch, plan, &self.found, &self.keys);
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: Self, codes: &Codes) -> Result<(), Problem> {
        self.evidence.merge(other.evidence, codes);
        self.rows = add_rows(self.rows, other.rows)?;
        self.owed = add_rows(self.owed, other.owed)?;
        for (key, tally) in other.keys.iter().zip(&other.tallies) {
            let key = key.iter().zip(codes).map(|(code, codes)| codes[*code as usize]).collect();
            let place = self.place(key)?;
            self.tallies[place as usize].merge(tally);
        }
        if let Some(theirs) = other.hidden {
            self.hidden.get_or_insert_default().add(&theirs)?;
        }
        if let Some(theirs) = other.noise {
            let noise = self.noise.get_or_insert_default();
            noise.epsilon = noise.epsilon.max(theirs.epsilon);
            noise.variance.merge(&theirs.variance);
            noise.tallies += theirs.tallies;
        }
        self.noised.extend(other.noised);
        for (file, theirs) in other.negative {
            let first = self.negative.entry(file).or_insert(theirs);
            *first = if theirs.0 < first.0 { theirs } else { *first };
        }
        Ok(())
    }
}
