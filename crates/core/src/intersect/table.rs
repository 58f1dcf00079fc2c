//! All rows with what the proxies of both attributes say.

use super::{Attributes, Cell, Guess, Legend, View};
use crate::rates::NOBODY;
use crate::undo::Undo;
use crate::vocabulary::Class;

/// Rows by what all proxies say.
pub(super) struct Joint {
    cells: Vec<One>,
}

/// Rows of which all proxies say the same.
struct One {
    share: f64,
    selected: f64,
    first: Cell,
    second: Cell,
}

/// Rates of all pairs of groups, and what a row of each cell says about them.
#[derive(Clone)]
pub(super) struct Rates {
    /// As shares of the rows.
    pub people: Vec<f64>,
    pub rates: Vec<f64>,
    /// The share of each cell, and by how much one of its rows moves every rate.
    moved: Vec<(f64, Vec<f64>)>,
}

impl Joint {
    /// The proxies of the second stand in the order of their names, as those of a sorted tally do.
    pub fn of(asked: &Attributes, second: &Legend, positive: Class) -> Joint {
        let all = asked.counts[0].weight();
        let place = |name: &String| asked.proxies.iter().position(|proxy| proxy == name);
        let order: Vec<Option<usize>> = second.proxies.iter().map(|proxy| place(&proxy.name)).collect();
        let mut cells = Vec::new();
        for pattern in asked.patterns {
            let guess = |place: &Option<usize>| {
                let said = pattern.guesses.get((*place)?)?.as_ref()?;
                second.groups.iter().position(|group| group == said).map(Guess)
            };
            let guesses: Box<[Option<Guess>]> = order.iter().map(guess).collect();
            for (cell, tally) in pattern.counts.in_name_order().0.cells() {
                let Some(stratum) = View::Predictions.regroup(cell.stratum) else { continue };
                cells.push(One {
                    share: tally.weight / all,
                    selected: f64::from(u8::from(stratum.prediction == positive)),
                    first: Cell { stratum, guesses: cell.guesses.clone() },
                    second: Cell { stratum, guesses: guesses.clone() },
                });
            }
        }
        Joint { cells }
    }

    /// Rates by these errors; nothing where no row has guesses of both.
    pub fn rates(&self, first: &Undo, second: &Undo, groups: [usize; 2]) -> Option<Rates> {
        let pairs = groups[0] * groups[1];
        let mut said: Vec<(f64, f64, Vec<f64>)> = Vec::new();
        for one in &self.cells {
            let (Some(first), Some(second)) = (first.says(&one.first), second.says(&one.second)) else {
                continue;
            };
            let about = (0..pairs).map(|pair| first[pair / groups[1]] * second[pair % groups[1]]).collect();
            said.push((one.share, one.selected, about));
        }
        let whole: f64 = said.iter().map(|(share, ..)| share).sum();
        let sum = |pair: usize, of: fn(f64) -> f64| -> f64 {
            said.iter().map(|(share, selected, about)| share * about[pair] * of(*selected)).sum::<f64>()
                / whole
        };
        let people: Vec<f64> = (0..pairs).map(|pair| sum(pair, |_| 1.0)).collect();
        let rate = |pair: usize| {
            if people[pair] > NOBODY { sum(pair, |selected| selected) / people[pair] } else { f64::NAN }
        };
        let rates: Vec<f64> = (0..pairs).map(rate).collect();
        let moved = said.iter().map(|(share, selected, about)| {
            let by = |pair: usize| about[pair] * (selected - rates[pair]) / people[pair];
            (share / whole, (0..pairs).map(by).collect())
        });
        let moved = moved.collect();
        (whole > 0.0).then_some(Rates { people, rates, moved })
    }
}

impl Rates {
    /// What one row adds to the variance of a rate, or of its difference to another.
    pub fn variance(&self, pair: usize, beside: Option<usize>) -> f64 {
        let by = |moved: &Vec<f64>| moved[pair] - beside.map_or(0.0, |beside| moved[beside]);
        self.moved.iter().map(|(share, moved)| share * by(moved).powi(2)).sum()
    }

    /// The same of the logarithm of a ratio.
    pub fn log_variance(&self, pair: usize, beside: usize) -> f64 {
        let by = |moved: &Vec<f64>| moved[pair] / self.rates[pair] - moved[beside] / self.rates[beside];
        self.moved.iter().map(|(share, moved)| share * by(moved).powi(2)).sum()
    }
}
