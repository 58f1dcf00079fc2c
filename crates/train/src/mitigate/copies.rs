//! Features from which a proxy's guess follows.
//!
//! ```text
//! a category   the most frequent guess of each value is right for more than 98 % of the rows
//! a number     so is one cut with one guess on either side, or the most frequent guess of each value where values are few
//! ```
//! A rule that knows a guess brings the gap by guesses to zero and leaves the true one. Codes of districts from which a guess was made
//! tell as much as the guess. A proxy of its own as a feature is another matter: no guess follows from it.

use super::MitigateError;
use super::part::Part;
use crate::{FeatureValues, Rows};
use fairveil_core::vocabulary::Guess;
use std::collections::HashMap;

/// But for one row in fifty.
const COPY: f64 = 0.98;

/// Fewer rows than this for each value, and the most frequent guess of a value is right by chance.
const ROWS_PER_VALUE: usize = 5;

pub(super) fn refuse_copies(rows: &Rows, fitted: &Part) -> Result<(), MitigateError> {
    for feature in &rows.features {
        for (guesses, proxy) in rows.guesses.iter().zip(&rows.legend.proxies) {
            let told: Vec<(usize, Guess)> =
                fitted.rows.iter().filter_map(|row| guesses[*row].map(|guess| (*row, guess))).collect();
            let groups = rows.legend.groups.len();
            let right = match &feature.values {
                FeatureValues::Categories { codes, .. } => by_value(&told, groups, |row| codes[row]),
                FeatureValues::Numbers(numbers) => by_value(&told, groups, |row| numbers[row].to_bits())
                    .max(by_cut(&told, groups, |row| numbers[row])),
            };
            let all = told.len() as f64;
            // A proxy that always guesses alike follows from anything.
            let usual = most_frequent(&told, groups) as f64;
            if right as f64 > COPY * all && usual <= COPY * all {
                let (feature, proxy) = (feature.name.clone(), proxy.name.clone());
                return Err(MitigateError::ProxyAsFeature { feature, proxy });
            }
        }
    }
    Ok(())
}

fn most_frequent(told: &[(usize, Guess)], groups: usize) -> usize {
    let mut times = vec![0; groups];
    told.iter().for_each(|(_, guess)| times[guess.0] += 1);
    times.into_iter().max().unwrap_or(0)
}

/// Rows whose guess is the most frequent one of their value; none where there are too many values to tell.
fn by_value(told: &[(usize, Guess)], groups: usize, value: impl Fn(usize) -> u32) -> usize {
    let mut times: HashMap<u32, Vec<usize>> = HashMap::new();
    for (row, guess) in told {
        times.entry(value(*row)).or_insert_with(|| vec![0; groups])[guess.0] += 1;
        if times.len() * ROWS_PER_VALUE > told.len() {
            return 0;
        }
    }
    times.values().filter_map(|times| times.iter().max()).sum()
}

/// Rows whose guess follows from one cut: the best there is, with one guess on either side.
fn by_cut(told: &[(usize, Guess)], groups: usize, number: impl Fn(usize) -> f32) -> usize {
    let mut order: Vec<(f32, usize)> = told.iter().map(|(row, guess)| (number(*row), guess.0)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, mut above) = (vec![0; groups], vec![0; groups]);
    order.iter().for_each(|(_, guess)| above[*guess] += 1);
    let mut best = 0;
    for (place, (value, guess)) in order.iter().enumerate() {
        below[*guess] += 1;
        above[*guess] -= 1;
        if order.get(place + 1).is_none_or(|next| next.0 > *value) {
            let most = |times: &[usize]| times.iter().copied().max().unwrap_or(0);
            best = best.max(most(&below) + most(&above));
        }
    }
    best
}
