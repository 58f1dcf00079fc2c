//! What guesses say about groups where the errors of the proxies are known.
//!
//! ```text
//! R[g,a] = Σ_c v_c·(T_c⁻ᵀ)[a,g_c] / Σ_c v_c
//! ```
//! The mean of `R` over people of group `a` is one for `a` and nothing for others, whichever proxies speak, so that sums of
//! `R` times anything that errors do not go with inside the groups are right on average, whatever the mix of groups is. A proxy
//! counts by `v_c = det(T_c)²`, nearly one over what its errors add. Rows on which no proxy speaks say nothing.

use crate::advise::ReliedOn;
use crate::answers::Answers;
use crate::counts::{Cell, Frequencies};
use crate::noise::{Fit, NoiseError, NoiseModel, ProxyNoise};
use crate::settings::{EstimatorChoice, Settings};
use crate::uncertainty::without_copying;
use crate::vocabulary::Stratum;
use nalgebra::DMatrix;
use std::collections::BTreeMap;

/// What undoes the errors of every proxy.
pub(crate) enum Undo {
    Everywhere(Vec<Voice>),
    ByStratum(BTreeMap<Stratum, Vec<Voice>>),
}

/// `T⁻ᵀ` of one proxy, and how much it counts.
pub(crate) struct Voice {
    undo: DMatrix<f64>,
    counts: f64,
}

impl Undo {
    /// `None` where some errors cannot be undone.
    pub fn of(noise: &NoiseModel, proxies: usize) -> Option<Undo> {
        match noise {
            NoiseModel::Global(fit) => voices(&fit.value, proxies).map(Undo::Everywhere),
            NoiseModel::Local(fits) => {
                let of = |(stratum, fit): (&Stratum, &Result<Fit<ProxyNoise>, NoiseError>)| {
                    Some((*stratum, voices(&fit.as_ref().ok()?.value, proxies)?))
                };
                fits.iter().map(of).collect::<Option<_>>().map(Undo::ByStratum)
            }
        }
    }

    /// What the guesses of a cell say about each group; nothing where no proxy speaks or its errors are not known.
    pub fn says(&self, cell: &Cell) -> Option<Vec<f64>> {
        let voices = match self {
            Undo::Everywhere(voices) => voices,
            Undo::ByStratum(strata) => strata.get(&cell.stratum)?,
        };
        let said = || cell.guesses.iter().zip(voices).filter_map(|(guess, voice)| Some(((*guess)?, voice)));
        let counts: f64 = said().map(|(_, voice)| voice.counts).sum();
        let groups = voices.first()?.undo.nrows();
        let about = |a: usize| {
            said().map(|(guess, voice)| voice.counts * voice.undo[(a, guess.0)]).sum::<f64>() / counts
        };
        (counts > 0.0).then(|| (0..groups).map(about).collect())
    }
}

fn voices(noise: &ProxyNoise, proxies: usize) -> Option<Vec<Voice>> {
    let of = |c: usize| {
        let errors = noise.by_proxy.get(c).unwrap_or(&noise.transition);
        let groups = errors.groups();
        let errors = DMatrix::from_fn(groups, groups, |a, g| errors.rows()[a][g]);
        let counts = errors.determinant().powi(2);
        let undo = errors.try_inverse()?.transpose();
        Some(Voice { undo, counts }).filter(|voice| voice.counts > 1e-12)
    };
    (0..proxies).map(of).collect()
}

/// The same by errors that may be true too: with shared error taken out of what the proxies say, and by every other explanation that
/// fits.
pub(crate) fn others(relied: &ReliedOn, answers: &Answers, settings: &Settings) -> Vec<Undo> {
    if !relied.estimator.trusts_agreement() {
        return Vec::new();
    }
    let proxies = answers.seen.proxies();
    let explained = |seen: &Frequencies| {
        let found = relied.estimator.explain(seen, relied.view).ok()?;
        Undo::of(&found.noise, proxies)
    };
    let agreement = answers.agreement_in_doubt();
    let most = crate::uncertainty::attach::reachable(&answers.seen, agreement, settings.shared_error);
    let shared = [0.5, 1.0].iter().filter_map(|part| without_copying(&answers.seen, part * most * agreement));
    let mut others: Vec<Undo> = shared.filter_map(|seen| explained(&seen)).collect();
    if settings.estimator == EstimatorChoice::Auto {
        let plausible = answers.plausible(settings.shared_error);
        let noise = plausible.filter_map(|one| one.noise.as_ref().ok());
        others.extend(noise.filter_map(|noise| Undo::of(noise, proxies)));
    }
    others
}
