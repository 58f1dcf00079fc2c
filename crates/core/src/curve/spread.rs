//! Shares of the bins, and what they are by group.

use super::Bin;
use crate::counts::{Cell, Frequencies, View};
use crate::rates::NOBODY;
use crate::uncertainty::Interval;
use crate::uncertainty::bootstrap::multinomial;
use crate::undo::Undo;
use crate::vocabulary::Group;
use std::collections::BTreeMap;
use std::ops::Range;

/// Neighbouring bins, put together.
pub(super) type Bands = Vec<Range<usize>>;

/// The rows of all bins, as shares of the table.
#[derive(Clone)]
pub(super) struct Table {
    /// Where each bin begins.
    lows: Vec<f64>,
    /// Decisions and guesses that there are, without labels.
    cells: Vec<Cell>,
    parts: Vec<Part>,
}

/// Rows that agree in everything.
#[derive(Debug, Clone, Copy)]
struct Part {
    bin: usize,
    /// Which of the cells.
    cell: usize,
    /// Whether the label is positive, where there is one.
    label: Option<bool>,
    share: f64,
}

impl Table {
    pub fn of(bins: &[Bin]) -> Table {
        let mut sums: BTreeMap<(usize, Cell, Option<bool>), f64> = BTreeMap::new();
        for (bin, one) in bins.iter().enumerate() {
            let Some(counts) = one.counts.as_ref().map(|counts| counts.in_name_order().0) else { continue };
            let positive = counts.legend().positive;
            for (cell, tally) in counts.cells() {
                let Some(stratum) = View::Predictions.regroup(cell.stratum) else { continue };
                let label = cell.stratum.label.map(|label| label == positive);
                let cell = Cell { stratum, guesses: cell.guesses.clone() };
                *sums.entry((bin, cell, label)).or_default() += tally.weight;
            }
        }
        let whole: f64 = sums.values().sum();
        let mut cells: Vec<Cell> = sums.keys().map(|(_, cell, _)| cell.clone()).collect();
        cells.sort();
        cells.dedup();
        let part = |((bin, cell, label), weight): ((usize, Cell, Option<bool>), f64)| Part {
            bin,
            // infallible: the cells are those of the sums
            cell: cells.binary_search(&cell).unwrap_or_default(),
            label,
            share: weight / whole,
        };
        let parts = sums.into_iter().filter(|(_, weight)| *weight > 0.0).map(part).collect();
        Table { lows: bins.iter().map(|bin| bin.low).collect(), cells, parts }
    }

    pub fn low(&self, bin: usize) -> f64 {
        self.lows[bin]
    }

    /// The bins whose lower end some people reach and some do not.
    pub fn cuts(&self) -> impl Iterator<Item = usize> {
        let bins = || self.parts.iter().map(|part| part.bin);
        let (first, last) = (bins().min().unwrap_or(0), bins().max().unwrap_or(0));
        first + 1..last + 1
    }

    fn sum(&self, of: impl Fn(&Part) -> bool) -> f64 {
        self.parts.iter().filter(|part| of(part)).map(|part| part.share).sum()
    }

    /// The share of all people whose number is at least the lower end of a bin.
    pub fn reached(&self, bin: usize) -> f64 {
        self.sum(|part| part.bin >= bin)
    }

    /// The share of labelled people in some bins.
    pub fn labelled(&self, bins: &Range<usize>) -> f64 {
        let within = self.sum(|part| part.label.is_some() && bins.contains(&part.bin));
        within / self.sum(|part| part.label.is_some())
    }

    /// From where to where some bins go.
    pub fn ends(&self, bins: &Range<usize>) -> Interval {
        Interval {
            low: self.lows[bins.start],
            high: self.lows.get(bins.end).copied().unwrap_or(f64::INFINITY),
        }
    }

    /// All bins in bands that each hold at least this share of the rows, or of the labelled rows.
    pub fn bands(&self, least: f64, labelled: bool) -> Bands {
        let counts = |part: &Part| !labelled || part.label.is_some();
        let whole = self.sum(counts);
        let mut bands: Bands = Vec::new();
        if whole <= 0.0 {
            return bands;
        }
        let (mut start, mut held) = (0, 0.0);
        for bin in 0..self.lows.len() {
            held += self.sum(|part| part.bin == bin && counts(part)) / whole;
            // Rounding must not make a band of the last bins alone.
            if held >= least - 1e-9 {
                bands.push(start..bin + 1);
                (start, held) = (bin + 1, 0.0);
            }
        }
        match bands.last_mut() {
            Some(last) => last.end = self.lows.len(),
            None => bands.push(0..self.lows.len()),
        }
        bands
    }

    /// Rows drawn anew, and what an estimator sees of them.
    pub fn redrawn(&self, seen: &Frequencies, rows: f64, seed: u64, index: u64) -> (Table, Frequencies) {
        let shares: Vec<f64> = self.parts.iter().map(|part| part.share).collect();
        let mut drawn = self.clone();
        let shares = multinomial(&shares, rows, seed, index);
        drawn.parts.iter_mut().zip(shares).for_each(|(part, share)| part.share = share);
        let mut sums = vec![0.0; self.cells.len()];
        drawn.parts.iter().for_each(|part| sums[part.cell] += part.share);
        let cells = self.cells.iter().cloned().zip(sums).filter(|(_, share)| *share > 0.0).collect();
        let seen = Frequencies { cells, ..seen.clone() };
        (drawn, seen)
    }

    /// What the bins are by group; nothing where a group is nobody.
    pub fn spread(&self, undo: &Undo) -> Option<Spread> {
        let said: Vec<Option<Vec<f64>>> = self.cells.iter().map(|cell| undo.says(cell)).collect();
        let groups = said.iter().flatten().next()?.len();
        let mut by = vec![vec![[0.0; 3]; self.lows.len()]; groups];
        for part in &self.parts {
            let Some(about) = &said[part.cell] else { continue };
            for (bins, about) in by.iter_mut().zip(about) {
                let mass = &mut bins[part.bin];
                mass[0] += part.share * about;
                mass[1] += part.share * about * f64::from(u8::from(part.label.is_some()));
                mass[2] += part.share * about * f64::from(u8::from(part.label == Some(true)));
            }
        }
        let people: Vec<f64> = by.iter().map(|bins| bins.iter().map(|mass| mass[0]).sum()).collect();
        people.iter().all(|people| *people > NOBODY).then(|| Spread { lows: self.lows.clone(), by, people })
    }
}

/// The bins by group: people, those with a label, those whose label is positive.
pub(super) struct Spread {
    lows: Vec<f64>,
    by: Vec<Vec<[f64; 3]>>,
    people: Vec<f64>,
}

/// A band of which so small a part of a group's labelled people is told of says nothing of it.
const LEAST_OF_GROUP: f64 = 0.005;

impl Spread {
    /// The share of a group whose number is at least the lower end of a bin.
    pub fn reached(&self, a: Group, bin: usize) -> f64 {
        self.by[a.0][bin..].iter().map(|mass| mass[0]).sum::<f64>() / self.people[a.0]
    }

    /// Below which number a share of a group lies; nothing where that is in a bin without an end.
    pub fn quantile(&self, a: Group, share: f64) -> Option<f64> {
        let mut below = 0.0;
        for (bin, mass) in self.by[a.0].iter().enumerate() {
            let within = mass[0] / self.people[a.0];
            if below + within >= share && within > 0.0 {
                let (low, high) = (self.lows[bin], *self.lows.get(bin + 1)?);
                let part = ((share - below) / within).max(0.0);
                return low.is_finite().then_some(low + part * (high - low));
            }
            below += within;
        }
        None
    }

    /// How often the label of a group's people in some bins is positive; nothing where too few of them are there.
    pub fn positive(&self, a: Group, bins: &Range<usize>) -> Option<f64> {
        let sum = |of: usize, bins: &[[f64; 3]]| bins.iter().map(|mass| mass[of]).sum::<f64>();
        let (among, all) = (sum(1, &self.by[a.0][bins.clone()]), sum(1, &self.by[a.0]));
        (all > NOBODY && among > LEAST_OF_GROUP * all).then(|| sum(2, &self.by[a.0][bins.clone()]) / among)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One group: half of it in a bin without a lower end, a quarter each in [1, 2) and [2, 4).
    fn spread() -> Spread {
        let by = vec![vec![[0.5, 0.5, 0.1], [0.25, 0.25, 0.1], [0.25, 0.25, 0.2], [0.0; 3]]];
        Spread { lows: vec![f64::NEG_INFINITY, 1.0, 2.0, 4.0], by, people: vec![1.0] }
    }

    #[test]
    fn quantiles_lie_between_the_ends_of_a_bin_in_proportion() {
        let a = Group(0);
        assert_eq!(spread().quantile(a, 0.25), None, "the first bin has no lower end");
        assert_eq!(spread().quantile(a, 0.625), Some(1.5));
        assert_eq!(spread().quantile(a, 0.875), Some(3.0));
        assert_eq!(spread().quantile(a, 1.0), Some(4.0));
    }

    #[test]
    fn thresholds_and_labels_are_what_a_hand_makes_of_them() {
        let a = Group(0);
        assert_eq!(spread().reached(a, 1), 0.5);
        assert_eq!(spread().reached(a, 2), 0.25);
        assert!((spread().positive(a, &(1..3)).unwrap() - 0.6).abs() < 1e-12);
        assert_eq!(spread().positive(a, &(3..4)), None, "nobody is there");
    }
}
