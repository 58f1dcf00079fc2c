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

use fairveil_core::ExactSum;
use std::collections::BTreeMap;

/// One row that holds a set of people.
struct Holder {
    people: [u32; 3],
    stratum: u32,
    row: u32,
}

/// Pairs, counted and weighed, that share one, two and three people.
#[derive(Default)]
struct Pairs {
    rows: [i128; 3],
    weights: [ExactSum; 3],
}

/// For ordered pairs of different rows, by their strata: the products of their weights, summed over pairs that share one,
/// two and three people. Rows without a stratum are not asked. The people of a row are different ones.
pub(crate) fn shared(
    people: &[[u32; 3]],
    strata: &[Option<u32>],
    weights: Option<&[f64]>,
) -> BTreeMap<(u32, u32), [f64; 3]> {
    const NOBODY: u32 = u32::MAX;
    /// The sets of one, two and three of three people, and how often their pairs count for one, two and three in common.
    const SETS: [(&[&[usize]], [i8; 3]); 3] = [
        (&[&[0], &[1], &[2]], [1, 0, 0]),
        (&[&[0, 1], &[0, 2], &[1, 2]], [-2, 1, 0]),
        (&[&[0, 1, 2]], [3, -3, 1]),
    ];
    let weight = |row: u32| weights.map_or(1.0, |weights| weights[row as usize]);
    let mut pairs: BTreeMap<(u32, u32), Pairs> = BTreeMap::new();
    for (sets, times) in SETS {
        let mut holders = Vec::with_capacity(people.len() * sets.len());
        for (row, (three, stratum)) in people.iter().zip(strata).enumerate() {
            let Some(stratum) = stratum else { continue };
            let mut three = *three;
            three.sort_unstable();
            for set in sets {
                let mut people = [NOBODY; 3];
                people.iter_mut().zip(*set).for_each(|(person, place)| *person = three[*place]);
                holders.push(Holder { people, stratum: *stratum, row: row as u32 });
            }
        }
        // By weight at last, so that sums do not depend on the order of rows.
        holders.sort_unstable_by(|a, b| {
            let keys = (a.people, a.stratum).cmp(&(b.people, b.stratum));
            keys.then_with(|| weight(a.row).total_cmp(&weight(b.row)))
        });
        for same in holders.chunk_by(|a, b| a.people == b.people).filter(|same| same.len() > 1) {
            let parts = same.chunk_by(|a, b| a.stratum == b.stratum);
            let parts: Vec<(u32, i128, f64, f64)> = parts
                .map(|part| {
                    let sum: f64 = part.iter().map(|holder| weight(holder.row)).sum();
                    let squares = part.iter().map(|holder| weight(holder.row).powi(2)).sum();
                    (part[0].stratum, part.len() as i128, sum, squares)
                })
                .collect();
            for (a, rows, sum, squares) in &parts {
                for (b, others, other_sum, _) in &parts {
                    let found = match a == b {
                        true => rows * (rows - 1),
                        false => rows * others,
                    };
                    if found == 0 {
                        continue;
                    }
                    let entry = pairs.entry((*a, *b)).or_default();
                    for (place, times) in times.iter().enumerate().filter(|(_, times)| **times != 0) {
                        entry.rows[place] += i128::from(*times) * found;
                        if weights.is_some() {
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
        let weighed = |place: usize| match (pairs.rows[place], weights) {
            // Where no pair is, nothing but rounding is left of the weights.
            (0, _) => 0.0,
            (rows, None) => rows as f64,
            (_, Some(_)) => pairs.weights[place].value(),
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
    fn naive(
        people: &[[u32; 3]],
        strata: &[Option<u32>],
        weights: Option<&[f64]>,
    ) -> BTreeMap<(u32, u32), [f64; 3]> {
        let mut found: BTreeMap<(u32, u32), [f64; 3]> = BTreeMap::new();
        for n in 0..people.len() {
            for m in (0..people.len()).filter(|m| *m != n) {
                let (Some(a), Some(b)) = (strata[n], strata[m]) else { continue };
                let common = people[n].iter().filter(|person| people[m].contains(person)).count();
                if common > 0 {
                    let weight = weights.map_or(1.0, |weights| weights[n] * weights[m]);
                    found.entry((a, b)).or_default()[common - 1] += weight;
                }
            }
        }
        found
    }

    #[test]
    fn pairs_that_share_people_are_as_many_as_a_look_at_every_pair_finds() {
        let mut numbers = Numbers(1);
        for rows in [3, 4, 10, 60, 200] {
            // Few people to choose from make hubs, and rows that share two and three.
            for people_to_choose in [3, 5, rows] {
                let mut people = Vec::new();
                for row in 0..rows {
                    let mut three = vec![row as u32];
                    while three.len() < 3 {
                        let person = numbers.below(people_to_choose.min(rows)) as u32;
                        if !three.contains(&person) {
                            three.push(person);
                        }
                    }
                    people.push([three[0], three[1], three[2]]);
                }
                let strata: Vec<Option<u32>> =
                    (0..rows).map(|_| Some(numbers.below(4) as u32).filter(|stratum| *stratum < 3)).collect();
                assert_eq!(shared(&people, &strata, None), naive(&people, &strata, None), "{rows}");
                // Halves are added without rounding, so that the two ways agree to the last bit.
                let halves: Vec<f64> = (0..rows).map(|_| numbers.below(5) as f64 / 2.0).collect();
                let found = shared(&people, &strata, Some(&halves));
                let mut looked_at = naive(&people, &strata, Some(&halves));
                looked_at.retain(|_, totals| totals.iter().any(|total| *total != 0.0));
                assert_eq!(found, looked_at, "{rows}");
            }
        }
    }

    #[test]
    fn a_hub_that_is_near_to_everyone_takes_no_longer() {
        // By pairs these would be 4·10¹⁰ looks, hours of them.
        let rows = 200_000_u32;
        let people: Vec<[u32; 3]> = (0..rows).map(|row| [row, rows, rows + 1]).collect();
        let strata = vec![Some(0); rows as usize];
        let found = shared(&people, &strata, None);
        let all = f64::from(rows) * f64::from(rows - 1);
        assert_eq!(found, BTreeMap::from([((0, 0), [0.0, all, 0.0])]));
    }
}
