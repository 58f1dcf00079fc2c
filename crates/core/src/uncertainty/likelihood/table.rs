//! From a tally to the cells of the likelihood: how many rows of a stratum have how many proxies saying what.
//!
//! Proxies that err alike are told apart by nobody, so a cell is how many of them say what, in some number of orders; proxies
//! with matrices of their own, and sources, are a pattern each. All patterns that can be are gone through where they are few.

use super::{Likelihood, Votes};
use crate::counts::{Cell, Frequencies, Letters};
use crate::estimate::Errors;
use crate::privacy::Alike;
use crate::vocabulary::{Guess, ProxyId};
use nalgebra::DMatrix;
use std::collections::BTreeMap;

/// Past this many cells only those that were seen are gone through.
const MOST_CELLS: usize = 40_000;
/// Multiplications that one look at the information may take: half a second.
const MOST_WORK: usize = 2_000_000_000;
/// The same for an explanation that is not preferred.
const WORK_BESIDE: usize = 100_000_000;

/// Whether the likelihood of a table is climbed soon enough for an explanation beside the preferred one.
pub(crate) fn affordable_beside(seen: &Frequencies, errors: Errors) -> bool {
    work(seen, errors) <= WORK_BESIDE
}

fn work(seen: &Frequencies, errors: Errors) -> usize {
    let (groups, strata) = (seen.groups(), seen.strata().count());
    let columns = match errors {
        Errors::Own => seen.proxies() * groups,
        Errors::BySource => Letters::of(seen).sizes().iter().sum(),
        Errors::Alike | Errors::Free => groups,
    };
    let size = groups * strata + groups * columns;
    seen.cells().len().saturating_mul(size).saturating_mul(size)
}

impl Likelihood {
    /// Of proxies that err alike. `None` where one abstains, or they were randomised differently. `rows` is the effective
    /// number of rows.
    pub fn new(seen: &Frequencies, rows: f64) -> Option<Self> {
        let answers = |(cell, _): &(Cell, f64)| cell.guesses.iter().all(Option::is_some);
        seen.cells().iter().all(answers).then(|| Likelihood::of(seen, rows, Errors::Alike))?
    }

    /// Of proxies that err alike or each in its own way. `None` where proxies that err alike were randomised differently.
    pub fn of(seen: &Frequencies, rows: f64, errors: Errors) -> Option<Self> {
        let (groups, guesses) = (seen.groups(), seen.proxies());
        if work(seen, errors) > MOST_WORK {
            return None;
        }
        let responses = match (seen.told.alike(), errors) {
            (_, Errors::Free) | (Alike::Differently, Errors::Alike) => return None,
            (Alike::Untouched, Errors::Alike) => vec![None],
            (Alike::All(response), Errors::Alike) => {
                vec![Some(DMatrix::from_fn(groups, groups, |v, w| response.rows()[v][w]))]
            }
            (_, Errors::BySource) => vec![None; seen.sources.views()],
            (_, Errors::Own) => {
                let response = |c: usize| {
                    seen.told.of(ProxyId(c))?;
                    Some(DMatrix::from_fn(groups, groups, |v, w| seen.told.chance(c, v, w)))
                };
                (0..guesses).map(response).collect()
            }
        };
        let letters = (errors == Errors::BySource).then(|| Letters::of(seen));
        let width = letters.as_ref().map_or(groups, |letters| letters.sizes().into_iter().max().unwrap_or(0));
        // Silence is a letter too.
        let is_silent =
            |c: &usize| letters.is_none() && seen.cells().iter().any(|(cell, _)| cell.guesses[*c].is_none());
        let silent: Vec<usize> = (0..guesses).filter(is_silent).collect();
        let matrix_of = |c: usize| if errors == Errors::Own { c } else { 0 };
        let said_in = |cell: &Cell| {
            let mut said = vec![0; responses.len() * width];
            if let Some(letters) = &letters {
                let spelled = letters.spell(&cell.guesses);
                spelled.iter().enumerate().for_each(|(m, letter)| said[m * width + letter] = 1);
                return said;
            }
            for (c, guess) in cell.guesses.iter().enumerate() {
                guess.iter().for_each(|Guess(v)| said[matrix_of(c) * width + v] += 1);
            }
            said
        };
        let mut cells: BTreeMap<(usize, Vec<usize>, Vec<bool>), f64> = BTreeMap::new();
        let mut strata = Vec::new();
        for (stratum, of_stratum) in seen.strata() {
            for (cell, share) in of_stratum {
                let said = said_in(cell);
                let silences = silent.iter().map(|c| cell.guesses[*c].is_none()).collect();
                *cells.entry((strata.len(), said, silences)).or_default() += share * rows;
            }
            strata.push(stratum);
        }
        let votes = |(stratum, said, silences): (usize, Vec<usize>, Vec<bool>), rows: f64| Votes {
            answered: said.chunks(width).map(|said| said.iter().sum::<usize>() as f64).collect(),
            orders: if errors == Errors::Alike { orders(&said) } else { 1.0 },
            said: said.iter().map(|n| *n as f64).collect(),
            stratum,
            silences,
            rows,
        };
        let most = MOST_CELLS / strata.len().max(1);
        let possible = match &letters {
            Some(letters) => all_letters(&letters.sizes(), width, most),
            None => all_votes(groups, guesses, errors, &silent, most),
        };
        let whole = possible.is_some();
        let cells = match possible {
            None => cells.into_iter().map(|(place, rows)| votes(place, rows)).collect(),
            Some(possible) => {
                let all = (0..strata.len()).flat_map(|s| possible.iter().map(move |vote| (s, vote)));
                let vote = |(s, (said, silences)): (usize, &(Vec<usize>, Vec<bool>))| {
                    let place = (s, said.clone(), silences.clone());
                    let rows = cells.get(&place).copied().unwrap_or(0.0);
                    votes(place, rows)
                };
                all.map(vote).collect()
            }
        };
        Some(Likelihood { groups, guesses, rows, responses, width, letters, silent, strata, cells, whole })
    }

    /// What the proxies say in a cell.
    pub(super) fn vote(&self, cell: &Cell) -> Option<Votes> {
        let width = self.width;
        let mut said = vec![0.0; self.matrices() * width];
        if let Some(letters) = &self.letters {
            let spelled = letters.known(&cell.guesses)?;
            spelled.iter().enumerate().for_each(|(m, letter)| said[m * width + letter] = 1.0);
        } else {
            for (c, guess) in cell.guesses.iter().enumerate() {
                let matrix = if self.matrices() == 1 { 0 } else { c };
                guess.iter().for_each(|Guess(v)| said[matrix * width + v] += 1.0);
            }
        }
        Some(Votes {
            stratum: self.strata.iter().position(|stratum| *stratum == cell.stratum)?,
            answered: said.chunks(width).map(|said| said.iter().sum()).collect(),
            said,
            silences: self.silent.iter().map(|c| cell.guesses[*c].is_none()).collect(),
            orders: 1.0,
            rows: 0.0,
        })
    }
}

/// All that proxies can say: what is said, by matrix and guess, and who is silent. `None` past `most`.
fn all_votes(
    groups: usize,
    proxies: usize,
    errors: Errors,
    silent: &[usize],
    most: usize,
) -> Option<Vec<(Vec<usize>, Vec<bool>)>> {
    let mut all = Vec::new();
    for set in 0..1usize.checked_shl(u32::try_from(silent.len()).ok()?).filter(|sets| *sets <= most)? {
        let silences: Vec<bool> = (0..silent.len()).map(|i| set >> i & 1 == 1).collect();
        let answer = |c: &usize| !silent.iter().zip(&silences).any(|(other, is)| other == c && *is);
        let speaking: Vec<usize> = (0..proxies).filter(answer).collect();
        let ways = match errors {
            Errors::Own => {
                let patterns = groups.checked_pow(u32::try_from(speaking.len()).ok()?)?;
                (patterns <= most).then(|| own_votes(groups, proxies, &speaking, patterns))?
            }
            _ => {
                // Ways to vote grow as a binomial coefficient.
                let ways =
                    (1..groups).try_fold(1usize, |ways, i| Some(ways.checked_mul(speaking.len() + i)? / i));
                ways.filter(|ways| *ways <= most).map(|_| ways_to_vote(speaking.len(), groups))?
            }
        };
        all.extend(ways.into_iter().map(|said| (said, silences.clone())));
        if all.len() > most {
            return None;
        }
    }
    Some(all)
}

/// All that views can say, each letter in its own matrix. `None` past `most`.
fn all_letters(sizes: &[usize], width: usize, most: usize) -> Option<Vec<(Vec<usize>, Vec<bool>)>> {
    let patterns = sizes.iter().try_fold(1usize, |all, size| all.checked_mul(*size))?;
    let pattern = |mut rest: usize| {
        let mut said = vec![0; sizes.len() * width];
        for (m, size) in sizes.iter().enumerate() {
            said[m * width + rest % size] = 1;
            rest /= size;
        }
        (said, Vec::new())
    };
    (patterns <= most).then(|| (0..patterns).map(pattern).collect())
}

/// Every pattern of guesses of the proxies that speak, each proxy's guess in its own matrix.
fn own_votes(groups: usize, proxies: usize, speaking: &[usize], patterns: usize) -> Vec<Vec<usize>> {
    let pattern = |mut rest: usize| {
        let mut said = vec![0; proxies * groups];
        for c in speaking {
            said[c * groups + rest % groups] = 1;
            rest /= groups;
        }
        said
    };
    (0..patterns).map(pattern).collect()
}

/// All ways in which `proxies` votes fall on `groups`.
pub(in crate::uncertainty) fn ways_to_vote(proxies: usize, groups: usize) -> Vec<Vec<usize>> {
    if groups == 1 {
        return vec![vec![proxies]];
    }
    let with_first = |first: usize| {
        let rest = ways_to_vote(proxies - first, groups - 1);
        rest.into_iter().map(move |rest| [vec![first], rest].concat())
    };
    (0..=proxies).flat_map(with_first).collect()
}

/// The multinomial coefficient.
pub(in crate::uncertainty) fn orders(said: &[usize]) -> f64 {
    let factorial = |n: usize| (1..=n).map(|i| i as f64).product::<f64>();
    factorial(said.iter().sum()) / said.iter().map(|n| factorial(*n)).product::<f64>()
}
