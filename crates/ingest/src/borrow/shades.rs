//! Whether the guesses around rows are those of a few groups, or of all shades.
//!
//! If neighbours are of one group and err independently, the chance of a guess around a row is one of as many numbers as there are groups.
//! A proxy that is computed from the features has another chance for every place. More than three neighbours tell the two apart.

use super::lent::ABSTAINS;
use fairveil_core::counts::Shades;
use std::collections::HashMap;

/// People around a row, itself among them: enough for a fourth moment with little chance, few enough to stay near.
const PEOPLE: usize = 9;
/// Fewer say nothing about a fourth moment.
const LEAST: usize = 4;
/// Rows that are looked at. More would make the error smaller than it needs to be.
const ROWS: usize = 10_000;

/// People near each other: neighbours, and theirs, and so on.
pub(super) struct Circles(Vec<Vec<u32>>);

impl Circles {
    /// Around some of these rows, evenly chosen.
    pub fn around(rows: &[usize], nearest: &[[u32; 2]]) -> Circles {
        let circle = |row: usize| {
            let mut people = vec![row as u32];
            let mut asked = 0;
            while asked < people.len() && people.len() < PEOPLE {
                for near in nearest[people[asked] as usize] {
                    if people.len() < PEOPLE && !people.contains(&near) {
                        people.push(near);
                    }
                }
                asked += 1;
            }
            people
        };
        Circles(rows.iter().step_by(rows.len().div_ceil(ROWS).max(1)).map(|row| circle(*row)).collect())
    }

    /// Of each guess but the last, which follows from the others where there are two.
    pub fn shades(&self, guesses: &[u16]) -> Vec<Shades> {
        let groups = guesses.iter().filter(|guess| **guess != ABSTAINS).max().map_or(0, |last| last + 1);
        let told = if groups == 2 { 1 } else { groups };
        (0..told).filter_map(|group| self.of(guesses, group)).collect()
    }

    /// The fourth moment of the chance of a guess beyond the least that its first three allow, in units of its variance: 0 where the
    /// chance has two values, 0.8 where it is uniform, 2 where it is normal.
    fn of(&self, guesses: &[u16], group: u16) -> Option<Shades> {
        let mut circles = Vec::new();
        let mut powers = Vec::new();
        for people in &self.0 {
            let who: Vec<u32> = people.iter().copied().filter(|p| guesses[*p as usize] != ABSTAINS).collect();
            if who.len() >= LEAST {
                let hits = who.iter().filter(|person| guesses[**person as usize] == group).count();
                powers.push(powers_of_chance(hits, who.len()));
                circles.push(who);
            }
        }
        let rows = circles.len() as f64;
        let mean = powers.iter().map(|power| power[0]).sum::<f64>() / rows;
        let central: Vec<[f64; 4]> = powers.iter().map(|power| about(mean, *power)).collect();
        let moment = |j: usize| central.iter().map(|c| c[j - 1]).sum::<f64>() / rows;
        let (second, third, fourth) = (moment(2), moment(3), moment(4));
        if second.is_nan() || second <= 0.0 {
            return None;
        }
        let skew = third * third / second.powi(3);
        let excess = fourth / second.powi(2) - skew - 1.0;
        let influence: Vec<f64> = central
            .iter()
            .map(|[first, c2, c3, c4]| {
                (c4 - fourth - 4.0 * third * first) / second.powi(2)
                    - 2.0 * third / second.powi(3) * (c3 - third - 3.0 * second * first)
                    + (3.0 * skew / second - 2.0 * fourth / second.powi(3)) * (c2 - second)
            })
            .collect();
        let error = shared_variance(&circles, &influence).sqrt() / rows;
        (excess.is_finite() && error.is_finite()).then_some(Shades {
            group: usize::from(group),
            excess,
            error,
        })
    }
}

/// Unbiased guesses of the first four powers of a chance that hit so often.
fn powers_of_chance(hits: usize, of: usize) -> [f64; 4] {
    let mut power = 1.0;
    std::array::from_fn(|j| {
        power *= hits.saturating_sub(j) as f64 / (of - j) as f64;
        power
    })
}

/// Powers of the difference to a number.
fn about(mean: f64, [one, two, three, four]: [f64; 4]) -> [f64; 4] {
    [
        one - mean,
        two - 2.0 * mean * one + mean.powi(2),
        three - 3.0 * mean * two + 3.0 * mean.powi(2) * one - mean.powi(3),
        four - 4.0 * mean * three + 6.0 * mean.powi(2) * two - 4.0 * mean.powi(3) * one + mean.powi(4),
    ]
}

/// The variance of a sum over circles that have people in common.
fn shared_variance(circles: &[Vec<u32>], influence: &[f64]) -> f64 {
    let mut with: HashMap<u32, Vec<u32>> = HashMap::new();
    for (circle, people) in circles.iter().enumerate() {
        people.iter().for_each(|person| with.entry(*person).or_default().push(circle as u32));
    }
    let alone: f64 = influence.iter().map(|i| i * i).sum();
    let together: f64 = circles
        .iter()
        .zip(influence)
        .map(|(people, own)| {
            let mut others: Vec<u32> =
                people.iter().flat_map(|person| with[person].iter().copied()).collect();
            others.sort_unstable();
            others.dedup();
            own * others.iter().map(|other| influence[*other as usize]).sum::<f64>()
        })
        .sum();
    // By chance the second may come out below the first; circles in common never make a sum surer.
    together.max(alone)
}
