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
                        for x in 0..groups {
                            let mut triple = [v, w, x];
                            triple.sort_unstable();
                            third[(triple[0] * groups + triple[1]) * groups + triple[2]] +=
                                two[v * groups + w] * before[x];
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
