//! How many people two rows have in common, counted without looking at pairs of rows.
//!
//! A row and its two neighbours are three people. Of two rows that share `k` of them, `k` sets of one, `k(k−1)/2` sets of
//! two and `k(k−1)(k−2)/6` sets of three people are in both. So with `Pⱼ` the pairs of rows that both hold a set of `j`
//! people, added up over all such sets,
//! ```text
//! pairs that share 1:  P₁ − 2·P₂ + 3·P₃      2:  P₂ − 3·P₃      3:  P₃
//! ```
//! and `Pⱼ` needs only how many rows hold each set. A person who is near to everyone (a hub, or one of many equal rows)
//! costs no more than others; by pairs it would cost the square of their number.

use fairveil_core::counts::ExactSum;
use std::collections::BTreeMap;

/// A row: the three people that it is about, all different, its stratum and its weight.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Three {
    pub people: [u32; 3],
    pub stratum: u32,
    pub weight: f64,
}

/// Pairs, counted and weighed, that share one, two and three people.
#[derive(Default)]
struct Pairs {
    rows: [i128; 3],
    weights: [ExactSum; 3],
}

/// For ordered pairs of different rows, by their strata: the products of their weights, summed over pairs that share one,
/// two and three people. Without weights, pairs are counted.
pub(crate) fn shared(rows: &[Three], weighted: bool) -> BTreeMap<(u32, u32), [f64; 3]> {
    const NOBODY: u32 = u32::MAX;
    /// The sets of one, two and three of three people, and how often their pairs count for one, two and three in common.
    const SETS: [(&[&[usize]], [i8; 3]); 3] = [
        (&[&[0], &[1], &[2]], [1, 0, 0]),
        (&[&[0, 1], &[0, 2], &[1, 2]], [-2, 1, 0]),
        (&[&[0, 1, 2]], [3, -3, 1]),
    ];
    let mut pairs: BTreeMap<(u32, u32), Pairs> = BTreeMap::new();
    for (sets, times) in SETS {
        let mut holders = Vec::with_capacity(rows.len() * sets.len());
        for row in rows {
            let mut three = row.people;
            three.sort_unstable();
            for set in sets {
                let mut people = [NOBODY; 3];
                people.iter_mut().zip(*set).for_each(|(person, place)| *person = three[*place]);
                holders.push(Three { people, ..*row });
            }
        }
        // By weight at last, so that sums do not depend on the order of rows.
        holders.sort_unstable_by(|a, b| {
            let keys = (a.people, a.stratum).cmp(&(b.people, b.stratum));
            keys.then_with(|| a.weight.total_cmp(&b.weight))
        });
        for same in holders.chunk_by(|a, b| a.people == b.people).filter(|same| same.len() > 1) {
            let parts = same.chunk_by(|a, b| a.stratum == b.stratum);
            let parts: Vec<(u32, i128, f64, f64)> = parts
                .map(|part| {
                    let sum: f64 = part.iter().map(|holder| holder.weight).sum();
                    let squares = part.iter().map(|holder| holder.weight * holder.weight).sum();
                    (part[0].stratum, part.len() as i128, sum, squares)
                })
                .collect();
            for (a, rows, sum, squares) in &parts {
                for (b, others, other_sum, _) in &parts {
                    let found = if a == b { rows * (rows - 1) } else { rows * others };
                    if found == 0 {
                        continue;
                    }
                    let entry = pairs.entry((*a, *b)).or_default();
                    for (place, times) in times.iter().enumerate().filter(|(_, times)| **times != 0) {
                        entry.rows[place] += i128::from(*times) * found;
                        if weighted {
                            entry.weights[place].add(f64::from(*times) * sum * other_sum);
                            if a == b {
                                entry.weights[place].add(-f64::from(*times) * squares);
                            }
                        }
                    }
                }
            }
        }
    }
    let total = |pairs: Pairs| {
        let weighed = |place: usize| match (pairs.rows[place], weighted) {
            // Where no pair is, nothing but rounding is left of the weights.
            (0, _) => 0.0,
            (rows, false) => rows as f64,
            (_, true) => pairs.weights[place].value(),
        };
        [0, 1, 2].map(weighed)
    };
    let pairs = pairs.into_iter().map(|(strata, pairs)| (strata, total(pairs)));
    pairs.filter(|(_, totals)| totals.iter().any(|total| *total != 0.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers below a limit, one after the other.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % limit
        }
    }

    /// Every pair of rows, looked at.
    fn naive(rows: &[Three], weighted: bool) -> BTreeMap<(u32, u32), [f64; 3]> {
        let mut found: BTreeMap<(u32, u32), [f64; 3]> = BTreeMap::new();
        for (n, a) in rows.iter().enumerate() {
            for (_, b) in rows.iter().enumerate().filter(|(m, _)| *m != n) {
                let common = a.people.iter().filter(|person| b.people.contains(person)).count();
                if common > 0 {
                    let weight = if weighted { a.weight * b.weight } else { 1.0 };
                    found.entry((a.stratum, b.stratum)).or_default()[common - 1] += weight;
                }
            }
        }
        found
    }

    #[test]
    fn pairs_that_share_people_are_as_many_as_a_look_at_every_pair_finds() {
        let mut numbers = Numbers(1);
        for count in [3, 4, 10, 60, 200] {
            // Few people to choose from make hubs, and rows that share two and three.
            for people_to_choose in [3, 5, count] {
                let mut rows = Vec::new();
                for row in 0..count {
                    let mut three = vec![row as u32];
                    while three.len() < 3 {
                        let person = numbers.below(people_to_choose.min(count)) as u32;
                        if !three.contains(&person) {
                            three.push(person);
                        }
                    }
                    let people = [three[0], three[1], three[2]];
                    // Halves are added without rounding, so that the two ways agree to the last bit.
                    let weight = (1 + numbers.below(5)) as f64 / 2.0;
                    rows.push(Three { people, stratum: numbers.below(3) as u32, weight });
                }
                assert_eq!(shared(&rows, false), naive(&rows, false), "{count}");
                assert_eq!(shared(&rows, true), naive(&rows, true), "{count}");
            }
        }
    }

    #[test]
    fn a_hub_that_is_near_to_everyone_takes_no_longer() {
        // By pairs these would be 4·10¹⁰ looks, minutes of them.
        let count = 200_000_u32;
        let row = |row| Three { people: [row, count, count + 1], stratum: 0, weight: 0.1 };
        let rows: Vec<Three> = (0..count).map(row).collect();
        let all = f64::from(count) * f64::from(count - 1);
        assert_eq!(shared(&rows, false), BTreeMap::from([((0, 0), [0.0, all, 0.0])]));
        // Where no pair is, nothing is left of weights that do not add up without rounding.
        let [one, two, three] = shared(&rows, true)[&(0, 0)];
        assert_eq!((one, three), (0.0, 0.0));
        // A sum of 2·10⁵ terms is right to 2·10⁵ roundings of 10⁻¹⁶.
        assert!((two / (all * 0.01) - 1.0).abs() < 1e-10, "{two}");
    }
}
