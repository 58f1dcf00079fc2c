//! How often three proxies say what, whatever their order.
//!
//! ```text
//! m₃[v,w,x] = mean over triples i≠j≠l≠i of P(gᵢ=v, gⱼ=w, g_l=x | all three guess)
//! m₂[v,w]   = Σ_x m₃[v,w,x]          m₁[v] = Σ_w m₂[v,w]
//! ```
//! Taking the mean over all orders makes an estimate independent of the order of the columns, and with more
//! than three proxies uses every triple. Rows on which a proxy abstains serve the triples without it. Given the
//! group, guesses on rows that all three answer are distributed as on any other, however often each proxy
//! abstains and whether or not that depends on the group; only the mix of groups differs there.
//!
//! Where guesses were randomised by a known `R` before they were counted, these are the moments of the guesses before:
//! each triple that was told counts as `R⁻¹` says.

use crate::counts::Cell;
use crate::privacy::Told;
use crate::vocabulary::Guess;

/// Symmetrised moments of the proxies' guesses in one population.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Moments {
    pub(crate) groups: usize,
    pub(crate) first: Vec<f64>,
    /// Row-major, symmetric.
    second: Vec<f64>,
    /// Row-major, symmetric in all three.
    third: Vec<f64>,
}

impl Moments {
    /// Moments of the cells. `None` where no row has three guesses.
    pub(crate) fn of(groups: usize, cells: &[(Cell, f64)], told: &Told) -> Option<Self> {
        if !told.is_nothing() {
            return Self::undone(groups, cells, told);
        }
        let mut third = vec![0.0; groups * groups * groups];
        let mut said = vec![0.0; groups];
        for (cell, share) in cells {
            said.fill(0.0);
            for Guess(guess) in cell.guesses.iter().flatten() {
                said[*guess] += 1.0;
            }
            // A cell's triples are counted, not gone through: of `n` proxies there are n(n-1)(n-2)/6.
            for v in 0..groups {
                for w in v..groups {
                    for x in w..groups {
                        third[(v * groups + w) * groups + x] += share * triples(&said, v, w, x);
                    }
                }
            }
        }
        let total: f64 = third.iter().sum();
        (total > 0.0).then(|| Moments::symmetric(groups, &third, total))
    }

    /// Moments of the guesses before they were randomised.
    fn undone(groups: usize, cells: &[(Cell, f64)], told: &Told) -> Option<Self> {
        let mut third = vec![0.0; groups * groups * groups];
        let mut one = vec![0.0; groups];
        let mut two = vec![0.0; groups * groups];
        for (cell, share) in cells {
            one.fill(0.0);
            two.fill(0.0);
            // Each proxy is the third of the pairs, and the second of the guesses, that came before it.
            for (proxy, guess) in cell.guesses.iter().enumerate().rev() {
                let Some(guess) = *guess else { continue };
                let before: Vec<f64> = (0..groups).map(|v| told.undo(proxy, guess, v)).collect();
                for v in 0..groups {
                    for w in 0..groups {
                        for (x, before) in before.iter().enumerate() {
                            let mut triple = [v, w, x];
                            triple.sort_unstable();
                            third[(triple[0] * groups + triple[1]) * groups + triple[2]] +=
                                two[v * groups + w] * before;
                        }
                    }
                }
                for v in 0..groups {
                    for w in 0..groups {
                        two[v * groups + w] += one[v] * before[w];
                    }
                }
                for v in 0..groups {
                    one[v] += share * before[v];
                }
            }
        }
        let total: f64 = third.iter().sum();
        (total > 0.0).then(|| Moments::symmetric(groups, &third, total))
    }

    /// Spreads counts of sorted triples over all their orders.
    fn symmetric(groups: usize, sorted: &[f64], total: f64) -> Self {
        let at = |v: usize, w: usize, x: usize| (v * groups + w) * groups + x;
        let mut moments = Moments {
            groups,
            first: vec![0.0; groups],
            second: vec![0.0; groups * groups],
            third: vec![0.0; groups * groups * groups],
        };
        for v in 0..groups {
            for w in 0..groups {
                for x in 0..groups {
                    let mut triple = [v, w, x];
                    triple.sort_unstable();
                    let orders = match (triple[0] == triple[1], triple[1] == triple[2]) {
                        (true, true) => 1.0,
                        (false, false) => 6.0,
                        _ => 3.0,
                    };
                    let share = sorted[at(triple[0], triple[1], triple[2])] / (orders * total);
                    moments.third[at(v, w, x)] = share;
                    moments.second[v * groups + w] += share;
                    moments.first[v] += share;
                }
            }
        }
        moments
    }

    /// `m₂[v,w]`.
    pub(crate) fn pair(&self, v: usize, w: usize) -> f64 {
        self.second[v * self.groups + w]
    }

    /// `m₃[v,w,x]`.
    pub(crate) fn triple(&self, v: usize, w: usize, x: usize) -> f64 {
        self.third[(v * self.groups + w) * self.groups + x]
    }

    /// Moments of a population of groups with these shares and guesses with these rows of chances.
    #[cfg(test)]
    pub(crate) fn explained(shares: &[f64], rows: &[Vec<f64>]) -> Self {
        let groups = shares.len();
        let mut third = vec![0.0; groups * groups * groups];
        for v in 0..groups {
            for w in v..groups {
                for x in w..groups {
                    let orders = if v == w && w == x {
                        1.0
                    } else if v == w || w == x {
                        3.0
                    } else {
                        6.0
                    };
                    let chance = |a: usize| shares[a] * rows[a][v] * rows[a][w] * rows[a][x];
                    third[(v * groups + w) * groups + x] = orders * (0..groups).map(chance).sum::<f64>();
                }
            }
        }
        Moments::symmetric(groups, &third, 1.0)
    }
}

/// How many triples of proxies said `v ≤ w ≤ x`, whatever their order, where `said` proxies said each. Whole numbers.
fn triples(said: &[f64], v: usize, w: usize, x: usize) -> f64 {
    let (a, b, c) = (said[v], said[w], said[x]);
    match (v == w, w == x) {
        (true, true) => a * (a - 1.0) * (a - 2.0) / 6.0,
        (true, false) => a * (a - 1.0) / 2.0 * c,
        (false, true) => a * (b * (b - 1.0) / 2.0),
        (false, false) => a * b * c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::RandomizedResponse;
    use crate::vocabulary::{Class, Stratum};

    /// Cells of seven proxies, some of which abstain, whose guesses follow from their number.
    fn cells() -> Vec<(Cell, f64)> {
        let stratum = Stratum { prediction: Class(0), label: None };
        let guess = |cell: usize, proxy: usize| match (cell * 7 + proxy * 5 + cell * proxy) % 11 {
            0 => None,
            n => Some(Guess(n % 3)),
        };
        let cell = |cell: usize| Cell { stratum, guesses: (0..7).map(|proxy| guess(cell, proxy)).collect() };
        (0..40).map(|number| (cell(number), 1.0 / (2.0 + number as f64))).collect()
    }

    /// Every triple of proxies, one after the other.
    fn by_triple(cells: &[(Cell, f64)], before: impl Fn(usize, Guess, usize) -> f64) -> Moments {
        let mut third = vec![0.0; 27];
        for (cell, share) in cells {
            for (i, j, l) in (0..7).flat_map(|i| (0..i).flat_map(move |j| (0..j).map(move |l| (i, j, l)))) {
                let [Some(a), Some(b), Some(c)] = [i, j, l].map(|proxy| cell.guesses[proxy]) else {
                    continue;
                };
                for place in 0..27 {
                    let (v, w, x) = (place / 9, place / 3 % 3, place % 3);
                    let mut triple = [v, w, x];
                    triple.sort_unstable();
                    third[(triple[0] * 3 + triple[1]) * 3 + triple[2]] +=
                        share * before(i, a, v) * before(j, b, w) * before(l, c, x);
                }
            }
        }
        let total = third.iter().sum();
        Moments::symmetric(3, &third, total)
    }

    fn assert_same(found: &Moments, wanted: &Moments) {
        // Sums of some hundred terms below 1: rounding leaves far less.
        let same = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-13;
        assert!(found.third.iter().zip(&wanted.third).all(same), "{found:?} {wanted:?}");
        assert!(found.first.iter().zip(&wanted.first).all(same), "{found:?} {wanted:?}");
    }

    #[test]
    fn triples_that_are_counted_are_those_gone_through() {
        let cells = cells();
        let says = |_: usize, Guess(guess): Guess, v: usize| f64::from(u8::from(guess == v));
        assert_same(&Moments::of(3, &cells, &Told::default()).unwrap(), &by_triple(&cells, says));
    }

    #[test]
    fn guesses_that_were_randomised_are_undone_for_every_triple() {
        let cells = cells();
        let told = Told::new(vec![Some(RandomizedResponse::flip(3, 0.2).unwrap()); 7]);
        let before = |proxy: usize, guess: Guess, v: usize| told.undo(proxy, guess, v);
        assert_same(&Moments::of(3, &cells, &told).unwrap(), &by_triple(&cells, before));
    }
}
