//! An order of the rows that does not depend on the order of the table.
//!
//! A rule is fitted on some rows and measured on others, and cross-fitted in folds. Which row goes where follows from its
//! content, the seed, and for rows alike in everything their count so far: shuffling the table changes no digit. Content is that of
//! the whole row where it is known, so that other features, criteria and methods are measured on the same rows.

use crate::{Feature, FeatureValues, Rows};

/// A row and its place, which is as if drawn from all `u64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Placed {
    place: u64,
    pub row: usize,
}

impl Placed {
    /// Whether the row is among this share of all rows that there could be: more rows leave it where it is.
    pub fn is_within(self, share: f64) -> bool {
        (self.place as f64) < share * (u64::MAX as f64)
    }
}

/// The rows that take part, in an order of chance that the content of the table and the seed alone decide.
pub(crate) fn shuffled(rows: &Rows, taking_part: &[usize], seed: u64) -> Vec<Placed> {
    let names: Vec<Vec<u64>> = rows.features.iter().map(level_keys).collect();
    let mut proxies: Vec<usize> = (0..rows.guesses.len()).collect();
    proxies.sort_by(|a, b| rows.legend.proxies[*a].name.cmp(&rows.legend.proxies[*b].name));
    let used = |row: usize| {
        let mut key = mix(seed);
        let mut add = |part: u64| key = mix(key ^ part);
        let class = |column: &Option<Vec<Option<fairveil_core::vocabulary::Class>>>| {
            column.as_ref().map_or(9, |values| values[row].map_or(8, |class| class.0 as u64))
        };
        add(class(&rows.predictions));
        add(class(&rows.labels));
        for proxy in &proxies {
            add(rows.guesses[*proxy][row].map_or(u64::MAX, |guess| guess.0 as u64));
        }
        add(rows.weights.as_ref().map_or(1, |weights| weights[row].to_bits()));
        add(rows.scores.as_ref().map_or(2, |scores| scores[row].to_bits()));
        for (feature, names) in rows.features.iter().zip(&names) {
            add(match &feature.values {
                FeatureValues::Numbers(numbers) => u64::from(numbers[row].to_bits()),
                FeatureValues::Categories { codes, .. } => {
                    names.get(codes[row] as usize).copied().unwrap_or(u64::MAX)
                }
            });
        }
        key
    };
    let mark = |row: usize| rows.marks.as_ref().map_or(0, |marks| mix(mix(seed) ^ marks[row]));
    let key = |row: usize| (mark(row), used(row), row);
    let mut keyed: Vec<(u64, u64, usize)> = taking_part.iter().map(|row| key(*row)).collect();
    keyed.sort_unstable();
    // Rows alike in everything are told apart by their number only, and are interchangeable.
    let content = |(mark, used, _): &(u64, u64, usize)| if rows.marks.is_some() { *mark } else { *used };
    let (mut met, mut before) = (0, None);
    let mut placed: Vec<Placed> = Vec::with_capacity(keyed.len());
    for one in &keyed {
        let content = content(one);
        met = if before == Some(content) { met + 1 } else { 0 };
        before = Some(content);
        placed.push(Placed { place: mix(content ^ mix(met)), row: one.2 });
    }
    placed.sort_unstable();
    placed
}

/// A number for the name of each level: codes depend on which level was met first.
fn level_keys(feature: &Feature) -> Vec<u64> {
    let of_name = |name: &String| name.bytes().fold(mix(7), |key, byte| mix(key ^ u64::from(byte)));
    match &feature.values {
        FeatureValues::Numbers(_) => Vec::new(),
        FeatureValues::Categories { levels, .. } => levels.iter().map(of_name).collect(),
    }
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit of the input moves every bit of the output.
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
