//! The interval of a contrast from its profile: the values that the best likelihood, all else refitted, does not rule out.
//!
//! The profile of a contrast `f` is traced by a penalty: the maximiser of `ℓ(θ) − κ/2·(f(θ) − d)²` is the
//! constrained maximum at its own value of `f`, so `(f, ℓ)` lies on the profile whatever `κ` is.

use super::{Contrast, Likelihood, Maximum, Parameters, Scale};
use nalgebra::DMatrix;

/// Twice the log-likelihood that errors of one kind gain over none: past it the table leaves no islands.
const TOLD: f64 = 40.0;
/// Beyond this the logarithm of a ratio is not looked for.
pub(crate) const LOG_LIMIT: f64 = 20.0;
/// Values tried between a limit and the estimate.
const ISLANDS: usize = 60;
/// Every so many of them before all.
const STRIDE: usize = 3;

impl Likelihood {
    /// The values of a contrast whose log-likelihood, maximised over all else, is within `drop / 2` of the best.
    pub fn interval(&self, best: &Maximum, contrast: &Contrast, drop: f64) -> (f64, f64) {
        let plain = contrast.scale == Scale::Plain;
        let limit = if plain { 1.0 } else { LOG_LIMIT };
        if 2.0 * (best.log_likelihood - self.without_information()) <= drop {
            return (-limit, limit);
        }
        let centre = contrast.value(&best.parameters);
        let variance =
            self.covariance(&best.parameters, std::slice::from_ref(contrast)).map_or(0.01, |v| v[(0, 0)]);
        let error = variance.sqrt().clamp(1e-4, 0.5);
        let end = |side: f64| self.end(best, contrast, drop, side, centre, error, limit);
        let near = (end(-1.0), end(1.0));
        if 2.0 * (best.log_likelihood - self.without_information()) > TOLD || !plain {
            return near;
        }
        // Weak proxies leave islands: values further out that the table cannot rule out either.
        let far = |side: f64, found: f64| {
            self.farthest(best, contrast, drop, side * limit, error)
                .map_or(found, |f| if side < 0.0 { f.min(found) } else { f.max(found) })
        };
        (far(-1.0, near.0), far(1.0, near.1))
    }

    /// The value farthest towards a limit that the table does not rule out, looked for from the limit inwards.
    fn farthest(
        &self,
        best: &Maximum,
        contrast: &Contrast,
        drop: f64,
        limit: f64,
        error: f64,
    ) -> Option<f64> {
        let kappa = 400.0 / (error * error);
        let centre = contrast.value(&best.parameters);
        let starts = self.weak_starts(&best.parameters);
        let tried = |target: f64| -> Option<f64> {
            let climbed =
                starts.iter().filter_map(|start| self.climb(start, Some((contrast, target, kappa))));
            let named = climbed.filter(|m| self.naming(&m.parameters).is_sorted());
            let allowed = named.filter(|m| 2.0 * (best.log_likelihood - m.log_likelihood) <= drop);
            let value = |m: Maximum| contrast.value(&m.parameters);
            allowed.map(value).max_by(|a, b| (a - centre).abs().total_cmp(&(b - centre).abs()))
        };
        let value = |step: usize| tried(limit + (centre - limit) * step as f64 / ISLANDS as f64);
        // In strides first: few tables have an island that fits between two of them.
        let first = (0..ISLANDS).step_by(STRIDE).find_map(|step| Some((step, value(step)?)));
        let (reached, found) = match first {
            Some((step, found)) => (step, Some(found)),
            None => (ISLANDS, None),
        };
        (reached.saturating_sub(STRIDE - 1)..reached).find_map(value).or(found)
    }

    /// The same people with other errors: stronger, and shifted towards one guess or the other.
    fn weak_starts(&self, at: &Parameters) -> Vec<Parameters> {
        let mut starts = vec![at.clone()];
        for group in 0..self.groups {
            let votes: Vec<DMatrix<f64>> = (0..self.matrices()).map(|m| self.votes_by_column(m)).collect();
            let rows = DMatrix::from_fn(at.rows.nrows(), self.width, |place, x| {
                let towards = votes[place / self.groups][(x, group)];
                let own = at.rows[(place, x)];
                0.5 * own + 0.5 * if place % self.groups == group { towards } else { own }
            });
            let silence = at.silence.clone();
            starts.push(Parameters { silence, ..self.inside(&at.joint, &rows) });
        }
        starts
    }

    #[allow(clippy::too_many_arguments)] // one caller, one line above
    fn end(
        &self,
        best: &Maximum,
        contrast: &Contrast,
        drop: f64,
        side: f64,
        centre: f64,
        error: f64,
        limit: f64,
    ) -> f64 {
        // Strong enough to bring the contrast most of the way to where it is drawn.
        let kappa = 100.0 / (error * error);
        let fallen = |target: f64, start: Option<&Parameters>| -> (f64, f64, Parameters) {
            let starts = start.into_iter().chain([&best.parameters]);
            let climbed = starts.filter_map(|start| self.climb(start, Some((contrast, target, kappa))));
            let named = climbed.filter(|m| self.naming(&m.parameters).is_sorted());
            match named.max_by(|a, b| a.log_likelihood.total_cmp(&b.log_likelihood)) {
                Some(found) => {
                    let fell = 2.0 * (best.log_likelihood - found.log_likelihood);
                    (contrast.value(&found.parameters), fell.max(0.0), found.parameters)
                }
                // Beyond this the classes would have to swap names: past proxies that know nothing.
                None => (target, f64::INFINITY, start.unwrap_or(&best.parameters).clone()),
            }
        };
        // Where the contrast is drawn to, and the root of the drop there: nearly linear in each other.
        let wanted = drop.sqrt();
        let (mut near, mut near_root, mut from) = (centre, 0.0, None);
        let mut step = error * wanted;
        let (mut far, mut far_root) = loop {
            let target = (near + side * step).clamp(-limit, limit);
            let (value, fell, at) = fallen(target, from.as_ref());
            if fell >= drop {
                break (target, fell.sqrt());
            }
            // A contrast that can go no further is held by its bounds.
            if target.abs() >= limit || (target - value).abs() > 20.0 * error {
                return value;
            }
            (near, near_root, from) = (target, fell.sqrt(), Some(at));
            step *= 1.5;
        };
        let mut found = near;
        for _ in 0..20 {
            let share =
                if far_root.is_finite() { (wanted - near_root) / (far_root - near_root) } else { 0.5 };
            let target = near + (far - near) * share.clamp(0.05, 0.95);
            let (value, fell, at) = fallen(target, from.as_ref());
            found = value;
            if (fell.sqrt() - wanted).abs() < 1e-3 || (far - near).abs() < 1e-4 * error {
                break;
            }
            if fell >= drop {
                (far, far_root) = (target, fell.sqrt());
            } else {
                (near, near_root, from) = (target, fell.sqrt(), Some(at));
            }
        }
        found
    }

    /// The best log-likelihood of proxies that know nothing: then any contrast is as likely as any other.
    fn without_information(&self) -> f64 {
        let mut by_stratum = vec![0.0; self.strata.len()];
        let mut by_guess = vec![0.0; self.matrices() * self.width];
        let mut by_silence = vec![0.0; self.silent.len()];
        for cell in &self.cells {
            by_stratum[cell.stratum] += cell.rows;
            by_guess.iter_mut().zip(&cell.said).for_each(|(sum, said)| *sum += cell.rows * said);
            for (sum, _) in by_silence.iter_mut().zip(&cell.silences).filter(|(_, silent)| **silent) {
                *sum += cell.rows;
            }
        }
        let entropy = |counts: &[f64]| -> f64 {
            let total: f64 = counts.iter().sum();
            counts.iter().filter(|n| **n > 0.0).map(|n| n * (n / total).ln()).sum()
        };
        let said: f64 = by_guess.chunks(self.width).map(entropy).sum();
        let silent: f64 = by_silence.iter().map(|n| entropy(&[*n, self.rows - n])).sum();
        entropy(&by_stratum) + said + silent
    }
}
