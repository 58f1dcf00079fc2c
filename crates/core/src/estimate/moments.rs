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
        let mut said = Vec::new();
        for (cell, share) in cells {
            said.clear();
            said.extend(cell.guesses.iter().flatten().map(|Guess(g)| *g));
            for i in 2..said.len() {
                for j in 1..i {
                    for l in 0..j {
                        let mut triple = [said[i], said[j], said[l]];
                        triple.sort_unstable();
                        third[(triple[0] * groups + triple[1]) * groups + triple[2]] += share;
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
        for (cell, share) in cells {
            let said: Vec<(usize, Guess)> =
                cell.guesses.iter().enumerate().filter_map(|(c, guess)| Some((c, (*guess)?))).collect();
            let before = |(proxy, guess): (usize, Guess)| -> Vec<f64> {
                (0..groups).map(|v| told.undo(proxy, guess, v)).collect()
            };
            let before: Vec<Vec<f64>> = said.into_iter().map(before).collect();
            for i in 2..before.len() {
                for j in 1..i {
                    for l in 0..j {
                        for v in 0..groups {
                            for w in 0..groups {
                                for x in 0..groups {
                                    let mut triple = [v, w, x];
                                    triple.sort_unstable();
                                    third[(triple[0] * groups + triple[1]) * groups + triple[2]] +=
                                        share * before[i][v] * before[j][w] * before[l][x];
                                }
                            }
                        }
                    }
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
