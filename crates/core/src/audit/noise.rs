//! How the proxies err, as plain data.

use crate::answers::Answers;
use crate::counts::View;
use crate::estimate::NoiseEstimator;
use crate::noise::{Fit, NoiseError, NoiseModel, ProxyNoise, Stopped, TransitionMatrix};
use crate::record::{LearnedFrom, NoiseRecord, SolverEnd, StratumRecord};
use crate::vocabulary::{Legend, Proxy, Stratum};

/// One record for the global matrix, one for each stratum's own.
pub(super) fn records(legend: &Legend, answers: &[Answers]) -> Vec<NoiseRecord> {
    let mut records: Vec<NoiseRecord> = Vec::new();
    for answers in answers {
        for explanation in &answers.explanations {
            let estimator = explanation.estimator.as_ref();
            let record = |stratum, fit| of_stratum(legend, answers.view, estimator, stratum, fit);
            let found: Vec<NoiseRecord> = match &explanation.noise {
                Err(reason) => record(None, Err(reason)),
                Ok(NoiseModel::Global(fit)) => record(None, Ok(fit)),
                Ok(NoiseModel::Local(fits)) => {
                    fits.iter().flat_map(|(stratum, fit)| record(Some(*stratum), fit.as_ref())).collect()
                }
            };
            // The global matrix by moments is the same in both views.
            records.extend(found.into_iter().filter(|record| !records.contains(record)).collect::<Vec<_>>());
        }
    }
    records
}

/// One record; one for each proxy where they err in their own ways.
fn of_stratum(
    legend: &Legend,
    view: View,
    estimator: &dyn NoiseEstimator,
    stratum: Option<Stratum>,
    fit: Result<&Fit<ProxyNoise>, &NoiseError>,
) -> Vec<NoiseRecord> {
    let stratum = stratum.map(|s| StratumRecord {
        prediction: legend.class(s.prediction).to_owned(),
        label: s.label.map(|label| legend.label_class(label).to_owned()),
    });
    let found = fit.ok();
    let value = found.map(|fit| &fit.value);
    let (stopped, iterations) = match found.map(|fit| fit.stopped) {
        None => (None, None),
        Some(Stopped::ClosedForm) => (Some(SolverEnd::ClosedForm), None),
        Some(Stopped::Converged { iterations }) => (Some(SolverEnd::Converged), Some(iterations)),
        Some(Stopped::IterationLimit { iterations }) => (Some(SolverEnd::IterationLimit), Some(iterations)),
    };
    let all = estimator.learns_from_all_rows() || view == View::Predictions;
    let before =
        |place: usize| value.and_then(|v| v.unrandomized.get(place).or(v.unrandomized.first()).cloned());
    let record = |place: usize, proxy: Option<&str>, transition: Option<&TransitionMatrix>| NoiseRecord {
        estimator: estimator.kind(),
        scope: estimator.scope(),
        rows: if all { LearnedFrom::All } else { LearnedFrom::Labelled },
        stratum: stratum.clone(),
        proxy: proxy.map(str::to_owned),
        groups: legend.groups.clone(),
        transition: transition.map(|transition| transition.rows().to_vec()),
        before_mechanism: before(place),
        group_shares: value.map(|noise| noise.group_shares.as_slice().to_vec()),
        condition: transition.map(TransitionMatrix::condition),
        feasible: found.is_some(),
        reason: fit.err().map(|reason| reason.describe(legend)),
        misfit: found.map(|fit| fit.misfit),
        stopped,
        iterations,
    };
    match value {
        Some(noise) if !noise.by_proxy.is_empty() => {
            let proxies = legend.proxies.iter().zip(&noise.by_proxy).enumerate();
            let own = |(place, (proxy, transition)): (usize, (&Proxy, _))| {
                record(place, Some(&proxy.name), Some(transition))
            };
            proxies.map(own).collect()
        }
        _ => vec![record(0, None, value.map(|noise| &noise.transition))],
    }
}
