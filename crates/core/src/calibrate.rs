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
//! Where proxies abstain, `Q` is the mean over proxies of what each says when it guesses, and `J` comes out
//! multiplied by how often each group gets a guess. As long as that depends on the group alone it cancels in every
//! rate of a group; shares are then those among given guesses.
//!
//! Assumes that `T` describes the stratum the shares come from. Does not push anything into `[0, 1]`: a
//! negative share says that the noise model is wrong, and `diagnose` must see it. [`repaired`] gives the
//! nearest table without negative shares, under its own name.

use crate::counts::{Cell, Frequencies, View};
use crate::linalg::least_squares_on_simplex;
use crate::noise::{NoiseError, NoiseModel, TransitionMatrix};
use crate::rates::{Joint, Shares};
use crate::vocabulary::{Group, Guess};
use nalgebra::{DMatrix, DVector};

/// Undoes the noise in one stratum: the `J` with `Tᵀ J = Q`.
///
/// ```
/// # use fairveil_core::calibrate::unmix;
/// # use fairveil_core::noise::{NoiseError, TransitionMatrix};
/// # use fairveil_core::rates::Shares;
/// # use fairveil_core::vocabulary::Group;
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
    match mixing.full_piv_lu().solve(&right) {
        Some(joint) => Ok(Shares::new(joint.iter().copied().collect::<Vec<_>>())),
        None => Err(NoiseError::Singular { smallest: noise.singular_range().1 }),
    }
}

/// `Tᵀ` and `Q`.
fn equations(seen: &Shares<Guess>, noise: &TransitionMatrix) -> (DMatrix<f64>, DVector<f64>) {
    let groups = noise.groups();
    let mixing = DMatrix::from_fn(groups, groups, |g, a| noise[(Group(a), Guess(g))]);
    (mixing, DVector::from_column_slice(seen.as_slice()))
}

/// The joint table of strata and true groups that explains what is seen, where the noise model describes a
/// stratum; `None` in the others.
pub fn calibrate(seen: &Frequencies, view: View, noise: &NoiseModel) -> Joint<Group> {
    solve_strata(seen, view, noise, |guesses, transition| unmix(guesses, transition).ok())
}

/// The joint table without negative shares that comes nearest to explaining what is seen: least squares on
/// the simplex in each stratum, each guess weighted by one over its share. A repair, to be reported as one.
pub fn repaired(seen: &Frequencies, view: View, noise: &NoiseModel) -> Joint<Group> {
    solve_strata(seen, view, noise, |guesses, transition| {
        let (mut mixing, mut right) = equations(guesses, transition);
        for (g, share) in guesses.as_slice().iter().enumerate().filter(|(_, share)| **share > 0.0) {
            // Counts vary as their root, so this puts all guesses on one scale.
            mixing.row_mut(g).scale_mut(1.0 / share.sqrt());
            right[g] /= share.sqrt();
        }
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
        let guesses = mean_guesses(seen, cells);
        (stratum, noise.transition(stratum).and_then(|transition| solve(&guesses, transition)))
    });
    Joint::new(view, seen.classes(), seen.groups(), strata)
}

/// What the proxies say on some of the rows, each proxy counting alike, however often it guesses: `T` is the mean of
/// theirs.
pub(crate) fn mean_guesses<'a>(
    seen: &Frequencies,
    cells: impl IntoIterator<Item = &'a (Cell, f64)>,
) -> Shares<Guess> {
    let given = |c: usize| -> f64 {
        let answered = seen.cells().iter().filter(|(cell, _)| cell.guesses[c].is_some());
        seen.proxies() as f64 * answered.map(|(_, share)| share).sum::<f64>()
    };
    let given: Vec<f64> = (0..seen.proxies()).map(given).collect();
    let mut guesses = vec![0.0; seen.groups()];
    for (cell, share) in cells {
        for (guess, given) in cell.guesses.iter().zip(&given) {
            if let Some(guess) = guess {
                guesses[guess.0] += share / given;
            }
        }
    }
    Shares::new(guesses)
}
