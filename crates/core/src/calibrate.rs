//! Calibration: from shares seen through a proxy to shares of the true groups.
//!
//! The proxy mixes the groups before anyone counts them. In one stratum `s` (paper, Theorem 4.1, multiplied
//! out so that nothing is divided by `p̃`):
//! ```text
//! Q[g, s] = P(g, s) = Σₐ T_s[a, g] · J[a, s]          solve for J[·, s]
//! H[a, k] = J[a, k] / Σ_k J[a, k]                     normalise with the same J
//! ```
//! `Q` is the mean over the proxies, which share one `T`. Because shares and rates come from the same `J`, the
//! rates of a group sum to one.
//!
//! Assumes that `T` describes the stratum the shares come from. Does not push anything into `[0, 1]`: a
//! negative share says that the noise model is wrong, and `diagnose` must see it. [`repaired`] gives the
//! nearest table without negative shares, under its own name.

use crate::counts::{Frequencies, View};
use crate::linalg::{least_squares_on_simplex, least_squares_with_total};
use crate::noise::{NoiseError, NoiseModel, TransitionMatrix};
use crate::rates::{Joint, Shares};
use crate::vocabulary::{Group, Guess};
use nalgebra::{DMatrix, DVector};

/// Undoes the noise in one stratum: the `J` with `Tᵀ J = Q`. Where proxies abstain, `Q` and `T` have one more
/// value, and `J` is the least-squares solution with the stratum's total.
///
/// ```
/// # use fairveil_core::*;
/// // A proxy wrong for one person in five, two groups of equal size; 13 % were selected and guessed "a",
/// // 22 % were selected and guessed "b".
/// let selected = unmix(&Shares::new([0.13, 0.22]), &TransitionMatrix::flips(0.2))?;
/// // The proxy alone reports a gap of 0.18. The gap that explains it is 0.30.
/// let gap = (selected[Group(1)] - selected[Group(0)]) / 0.5;
/// assert!((gap - 0.30).abs() < 1e-12);
/// # Ok::<(), NoiseError>(())
/// ```
pub fn unmix(seen: &Shares<Guess>, noise: &TransitionMatrix) -> Result<Shares<Group>, NoiseError> {
    let (mixing, right) = equations(seen, noise);
    let solved = match mixing.is_square() {
        true => mixing.full_piv_lu().solve(&right),
        false => least_squares_with_total(&mixing, &right, seen.total()),
    };
    match solved {
        Some(joint) => Ok(Shares::new(joint.iter().copied().collect::<Vec<_>>())),
        None => Err(NoiseError::Singular { smallest: noise.singular_range().1 }),
    }
}

/// `Tᵀ` and `Q` over the same values.
fn equations(seen: &Shares<Guess>, noise: &TransitionMatrix) -> (DMatrix<f64>, DVector<f64>) {
    let rows = noise.rows();
    let values = rows[0].len();
    let mixing = DMatrix::from_fn(values, rows.len(), |v, a| rows[a][v]);
    let right = DVector::from_fn(values, |v, _| seen.as_slice().get(v).copied().unwrap_or(0.0));
    (mixing, right)
}

/// The joint table of strata and true groups that explains what is seen, where the noise model describes a
/// stratum; `None` in the others.
pub fn calibrate(seen: &Frequencies, view: View, noise: &NoiseModel) -> Joint<Group> {
    solve_strata(seen, view, noise, |guesses, transition| unmix(guesses, transition).ok())
}

/// The joint table without negative shares that comes nearest to explaining what is seen: least squares on
/// the simplex in each stratum. A repair, to be reported as one.
pub fn repaired(seen: &Frequencies, view: View, noise: &NoiseModel) -> Joint<Group> {
    solve_strata(seen, view, noise, |guesses, transition| {
        let (mixing, right) = equations(guesses, transition);
        let joint = least_squares_on_simplex(&mixing, &right, guesses.total());
        Some(Shares::new(joint.iter().copied().collect::<Vec<_>>()))
    })
}

fn solve_strata(
    seen: &Frequencies,
    view: View,
    noise: &NoiseModel,
    solve: impl Fn(&Shares<Guess>, &TransitionMatrix) -> Option<Shares<Group>>,
) -> Joint<Group> {
    let strata = seen.strata().map(|(stratum, cells)| {
        let mut guesses = vec![0.0; seen.groups() + 1];
        for (cell, share) in cells {
            for guess in &cell.guesses {
                guesses[guess.map_or(seen.groups(), |Guess(g)| g)] += share / seen.proxies() as f64;
            }
        }
        let guesses = Shares::new(guesses);
        (stratum, noise.transition(stratum).and_then(|transition| solve(&guesses, transition)))
    });
    Joint::new(view, seen.classes(), seen.groups(), strata)
}
