//! Given: error rates from elsewhere, such as an earlier study.
//!
//! Nothing is learned from the table; the noise that is given is undone (Theorem 4.1). Works with one proxy.
//!
//! Assumes that the proxies err here as they did there. Where guesses were randomised since, what is given is how the
//! proxies err before, and the known mechanism is folded in.

use super::{NoiseEstimator, Offer, Offered};
use crate::counts::Frequencies;
use crate::linalg::best_assignment;
use crate::noise::{Fit, NoiseError, NoiseModel, ProxyNoise, Stopped, TransitionMatrix};
use crate::rates::Shares;
use crate::vocabulary::{Estimator, Group, Scope, Stratum};
use nalgebra::DMatrix;

/// What is given of all rows, or of one stratum.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenNoise {
    /// The stratum it is about; nothing for all.
    pub stratum: Option<Stratum>,
    /// `T`, the mean over the proxies where they have their own.
    pub transition: TransitionMatrix,
    /// `p`, compared against what `T` leads to and not used.
    pub group_shares: Option<Shares<Group>>,
}

/// The estimator. With several entries for strata the scope is local, and strata without one have no estimate.
///
/// ```
/// # use fairveil_core::{Aggregate, Criterion, World};
/// # use fairveil_core::counts::View;
/// # use fairveil_core::diagnose::explain;
/// # use fairveil_core::disparity::measure;
/// # use fairveil_core::estimate::{Given, GivenNoise, NoiseEstimator};
/// # use fairveil_core::noise::{NoiseError, TransitionMatrix};
/// # use fairveil_core::vocabulary::Class;
/// let world = World::symmetric(2, 2, &[0.8], 0.3);
/// let transition = TransitionMatrix::flips(0.2);
/// let given = Given { noise: vec![GivenNoise { stratum: None, transition, group_shares: None }] };
/// let explained = given.explain(&world.frequencies().view(View::Predictions).unwrap(), View::Predictions)?;
/// // One proxy of known error recovers the gap that it shows as 0.18.
/// let gap = measure(&explained.joint, Criterion::DemographicParity, Aggregate::Difference, Class(1)).unwrap();
/// assert!((gap - 0.3).abs() < 1e-12);
/// # Ok::<(), NoiseError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// What is given.
    pub noise: Vec<GivenNoise>,
}

impl Given {
    pub(super) fn offers(table: &Offered) -> Vec<Offer> {
        table.by(table.settings.given.clone())
    }

    /// One matrix for all rows, or one for each stratum.
    pub fn scope(&self) -> Scope {
        if self.noise.iter().any(|given| given.stratum.is_none()) { Scope::Global } else { Scope::Local }
    }
}

impl NoiseEstimator for Given {
    fn kind(&self) -> Estimator {
        Estimator::Given
    }

    fn scope(&self) -> Scope {
        Given::scope(self)
    }

    fn fit(&self, seen: &Frequencies) -> Result<NoiseModel, NoiseError> {
        let fit = |given: &GivenNoise| {
            let (groups, columns) = (seen.groups(), given.transition.groups());
            if groups != columns {
                return Err(NoiseError::Shape { group: 0, groups, columns });
            }
            let (_, smallest) = given.transition.singular_range();
            if smallest < 1e-7 {
                return Err(NoiseError::Singular { smallest });
            }
            let rows = given.transition.rows();
            if !best_assignment(&DMatrix::from_fn(groups, groups, |a, g| rows[a][g])).is_sorted() {
                return Err(NoiseError::Exchanged);
            }
            let rows = given.transition.rows().to_vec();
            let mut value = ProxyNoise::folded(vec![rows], Shares::new(vec![]), &seen.told, seen.proxies())?;
            let cells =
                seen.strata().filter(|(stratum, _)| given.stratum.is_none_or(|mine| mine == *stratum));
            let guesses = crate::calibrate::mean_guesses(seen, cells.flat_map(|(_, cells)| cells));
            let shares = crate::calibrate::unmix(&guesses, &value.transition)?;
            let total = shares.total();
            value.group_shares = Shares::new(shares.as_slice().iter().map(|p| p / total).collect::<Vec<_>>());
            Ok(Fit { value, misfit: 0.0, stopped: Stopped::ClosedForm })
        };
        if let Some(everywhere) = self.noise.iter().find(|given| given.stratum.is_none()) {
            return fit(everywhere).map(NoiseModel::Global);
        }
        let of = |stratum: Stratum| match self.noise.iter().find(|given| given.stratum == Some(stratum)) {
            Some(given) => fit(given),
            None => Err(NoiseError::NotGiven),
        };
        Ok(NoiseModel::Local(seen.strata().map(|(stratum, _)| (stratum, of(stratum))).collect()))
    }
}
