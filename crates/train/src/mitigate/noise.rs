//! How the proxies err, learned from the rows that a rule is fitted on.

use super::{MitigateError, MitigateSettings};
use fairveil_core::noise::TransitionMatrix;
use fairveil_core::record::{LearnedFrom, NoiseRecord};
use fairveil_core::{Audit, AuditError, Counts, Criterion, Estimator, Scope, ScopeChoice, Settings};

/// One matrix for all rows, and where it came from.
pub(crate) struct Noise {
    pub estimator: Estimator,
    pub transition: TransitionMatrix,
    pub records: Vec<NoiseRecord>,
}

/// Asks an audit which method to rely on, and takes its global matrix. Local ones are not for training: their constraints
/// conflict, and the only decisions that meet them all are the same for everyone.
pub(crate) fn learn(counts: &Counts, settings: &MitigateSettings) -> Result<Noise, MitigateError> {
    let asked = Settings {
        criteria: vec![Criterion::DemographicParity],
        scope: ScopeChoice::Fixed(Scope::Global),
        n_boot: 0,
        ..settings.audit.clone()
    };
    let audit = match Audit::run(counts, None, &asked) {
        Err(AuditError::Estimator { reason, .. }) => return Err(MitigateError::Noise { reason }),
        other => other?,
    };
    let (Some(estimator), Some(_)) = (audit.advice.estimator, audit.advice.scope) else {
        return Err(MitigateError::Noise { reason: audit.advice.reason });
    };
    let global = |record: &&NoiseRecord| {
        record.estimator == estimator
            && record.stratum.is_none()
            && record.transition.is_some()
            && record.rows == LearnedFrom::All
    };
    let records: Vec<NoiseRecord> = audit.noise.iter().filter(global).cloned().collect();
    let mean = mean_matrix(&records, &counts.legend().groups);
    let transition = mean.and_then(|rows| TransitionMatrix::new(rows).ok());
    let transition =
        transition.ok_or_else(|| MitigateError::Noise { reason: audit.advice.reason.clone() })?;
    Ok(Noise { estimator, transition, records })
}

/// The mean over proxies that err in their own ways, groups in the order that is asked for.
fn mean_matrix(records: &[NoiseRecord], groups: &[String]) -> Option<Vec<Vec<f64>>> {
    let mut mean = vec![vec![0.0; groups.len()]; groups.len()];
    for record in records {
        let place = |name: &String| record.groups.iter().position(|group| group == name);
        let places: Vec<usize> = groups.iter().map(place).collect::<Option<_>>()?;
        let matrix = record.transition.as_ref()?;
        for (to, a) in mean.iter_mut().zip(&places) {
            for (to, g) in to.iter_mut().zip(&places) {
                *to += matrix[*a][*g] / records.len() as f64;
            }
        }
    }
    (!records.is_empty()).then_some(mean)
}
