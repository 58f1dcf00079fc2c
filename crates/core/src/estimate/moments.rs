//! How often one, two and three proxies say what, whatever their order.
//!
//! ```text
//! m₁[v]     = mean over proxies  i        of P(gᵢ=v)
//! m₂[v,w]   = mean over pairs    i≠j      of P(gᵢ=v, gⱼ=w)
//! m₃[v,w,x] = mean over triples  i≠j≠l≠i  of P(gᵢ=v, gⱼ=w, g_l=x)
//! ```
//! Taking the mean over all orders makes an estimate independent of the order of the columns, and with more
//! than three proxies uses every triple. An abstention is one more value, the last.

use crate::counts::Cell;
use crate::vocabulary::Guess;

/// Symmetrised moments of the proxies' guesses in one population.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Moments {
    pub(crate) groups: usize,
    /// Number of values: the groups, and one more where proxies abstain.
    pub(crate) values: usize,
    pub(crate) first: Vec<f64>,
    /// Row-major, symmetric.
    pub(crate) second: Vec<f64>,
    /// Row-major, symmetric in all three.
    pub(crate) third: Vec<f64>,
}

impl Moments {
    /// Moments of the cells, each with its share of one population. Needs at least three proxies.
    pub(crate) fn of<'a>(groups: usize, cells: impl Iterator<Item = (&'a Cell, f64)> + Clone) -> Self {
        let abstains = cells.clone().any(|(cell, _)| cell.guesses.iter().any(Option::is_none));
        let values = groups + usize::from(abstains);
        let mut moments = Moments {
            groups,
            values,
            first: vec![0.0; values],
            second: vec![0.0; values * values],
            third: vec![0.0; values * values * values],
        };
        let total: f64 = cells.clone().map(|(_, share)| share).sum();
        let proxies = cells.clone().next().map_or(0, |(cell, _)| cell.guesses.len());
        let pairs = (proxies * (proxies - 1) / 2) as f64;
        let triples = pairs * (proxies - 2) as f64 / 3.0;
        let mut said = vec![0; proxies];
        for (cell, share) in cells {
            said.iter_mut().zip(&cell.guesses).for_each(|(v, guess)| *v = guess.map_or(groups, |Guess(g)| g));
            let share = share / total;
            for i in 0..proxies {
                moments.first[said[i]] += share / proxies as f64;
                for j in 0..i {
                    moments.add_pair(said[i], said[j], share / pairs);
                    for l in 0..j {
                        moments.add_triple([said[i], said[j], said[l]], share / triples);
                    }
                }
            }
        }
        moments
    }

    fn add_pair(&mut self, v: usize, w: usize, share: f64) {
        self.second[v * self.values + w] += share / 2.0;
        self.second[w * self.values + v] += share / 2.0;
    }

    fn add_triple(&mut self, [v, w, x]: [usize; 3], share: f64) {
        for (v, w, x) in [(v, w, x), (v, x, w), (w, v, x), (w, x, v), (x, v, w), (x, w, v)] {
            self.third[(v * self.values + w) * self.values + x] += share / 6.0;
        }
    }

    /// `m₂[v,w]`.
    pub(crate) fn pair(&self, v: usize, w: usize) -> f64 {
        self.second[v * self.values + w]
    }

    /// `m₃[v,w,x]`.
    pub(crate) fn triple(&self, v: usize, w: usize, x: usize) -> f64 {
        self.third[(v * self.values + w) * self.values + x]
    }
}
