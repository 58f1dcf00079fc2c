//! How proxies truly err, and the parts of the error that the theorems name, where groups are known.
//!
//! ```text
//! read directly   |Δ̃ − Δ| ≤ 2/n Σ h̄·‖Λ_p̃ (T⁻¹T_k − 1) Λ_p̃⁻¹‖₁  +  2/n Σ δ·‖Λ_p T_k Λ_p̃⁻¹ − 1‖₁       (Theorem 3.2)
//! calibrated      |Δ̂ − Δ| ≤ 2/n Σ x·‖Λ_p̂⁻¹Λ_p − 1‖₁·‖T T̂⁻¹‖₁  +  2/n Σ x·‖1 − T T̂⁻¹‖₁                  (Theorem 4.5)
//! ```
//! Nothing that is estimated uses this. It needs the truth, or labelled rows, in which chance then is.

use super::{Belief, CalibratedErrorBound, KnownProxy, RawErrorBound, TheoremError};
use crate::advise::ReliedOn;
use crate::counts::{Counts, View};
use crate::disparity::measure;
use crate::noise::NoiseModel;
use crate::record::{
    CalibratedErrorRecord, ErrorPartsRecord, KnownErrorsRecord, KnownFrom, KnownStratumRecord, RawErrorRecord,
};
use crate::vocabulary::{Aggregate, Class, Criterion, Group, Guess, Legend, ProxyId, Stratum};
use crate::world::Truth;

/// Labelled people of a group below which no shares of guesses about them are told.
const FEWEST: u64 = 10;

/// One record for each proxy of the table: from the truth, else from labelled rows of the table itself. `sorted` is the table with its
/// proxies in the order of their names, which `places` gives.
pub(crate) fn known_errors(
    legend: &Legend,
    sorted: &Counts,
    places: &[ProxyId],
    truth: Option<&Truth>,
    relied_on: &[ReliedOn],
    criteria: &[Criterion],
) -> Vec<KnownErrorsRecord> {
    let labels = sorted.audit_labels().map(|labels| labels.drawn()).filter(|drawn| !drawn.is_empty());
    let record = |(id, place): (ProxyId, ProxyId)| {
        let (from, cells): (_, Vec<(Stratum, Group, Guess, f64)>) = match (truth, labels) {
            (Some(truth), _) => (KnownFrom::Truth, truth.guesses(id).collect()),
            (None, Some(drawn)) => {
                let known = drawn.iter().filter_map(|((stratum, guesses, group), rows)| {
                    Some((*stratum, *group, guesses[place.0]?, rows.design))
                });
                (KnownFrom::AuditLabels, known.collect())
            }
            (None, None) => return None,
        };
        let known = KnownProxy::new(legend.classes.len(), legend.groups.len(), cells).ok()?;
        if known.weight() <= 0.0 {
            return None;
        }
        let mut record = of_proxy(legend, id, place, from, &known, relied_on, criteria);
        // Of few labelled people a row of shares would tell what was guessed about each.
        if let (KnownFrom::AuditLabels, Some(labels)) = (from, sorted.audit_labels()) {
            record.strata.clear();
            for (a, row) in record.transition.iter_mut().enumerate() {
                *row = row.take().filter(|_| labels.of_group(Group(a)) >= FEWEST);
            }
        }
        Some(record)
    };
    legend.all_proxies().zip(places.iter().copied()).filter_map(record).collect()
}

fn of_proxy(
    legend: &Legend,
    id: ProxyId,
    place: ProxyId,
    from: KnownFrom,
    known: &KnownProxy,
    relied_on: &[ReliedOn],
    criteria: &[Criterion],
) -> KnownErrorsRecord {
    let by = |view: View| relied_on.iter().find(|one| one.view == view);
    let about_all = by(View::Predictions).map(|one| &one.found.noise);
    let estimated = |stratum: Stratum| {
        let noise = about_all?.of(stratum)?;
        Some(noise.by_proxy.get(place.0).unwrap_or(&noise.transition).rows().to_vec())
    };
    let any = Stratum { label: None, prediction: Class(0) };
    let of_class = |k: usize| KnownStratumRecord {
        prediction: legend.class(Class(k)).to_owned(),
        transition: known.transition(Some(Class(k))),
        estimated: estimated(Stratum { label: None, prediction: Class(k) }),
    };
    KnownErrorsRecord {
        proxy: legend.proxies[id.0].name.clone(),
        from,
        weight: known.weight(),
        groups: legend.groups.clone(),
        transition: known.transition(None),
        estimated: about_all
            .filter(|noise| matches!(noise, NoiseModel::Global(_)))
            .and_then(|_| estimated(any)),
        strata: (0..legend.classes.len()).map(of_class).collect(),
        parts: criteria
            .iter()
            .filter(|criterion| criterion.is_about_decisions())
            .map(|criterion| parts(legend, place, known, by(criterion.view()), *criterion))
            .collect(),
    }
}

fn parts(
    legend: &Legend,
    place: ProxyId,
    known: &KnownProxy,
    relied_on: Option<&ReliedOn>,
    criterion: Criterion,
) -> ErrorPartsRecord {
    let (view, positive) = (criterion.view(), legend.positive);
    let gap = |value: Result<f64, _>| value.map_err(TheoremError::Rate);
    let mean = Aggregate::MeanPairwise;
    let raw = RawErrorBound::of(known, criterion, positive).and_then(|bound| {
        let shown = gap(measure(&known.seen(view), criterion, mean, positive))?;
        let truth = gap(measure(&known.truth(view), criterion, mean, positive))?;
        let (dependence, proxy_error) = bound.split();
        Ok(RawErrorRecord { error: (shown - truth).abs(), bound: bound.value(), dependence, proxy_error })
    });
    let calibrated = match relied_on {
        None => Err("no estimated errors are relied on".to_owned()),
        Some(one) => Belief::of_proxy(&one.found.noise, &one.found.joint, place)
            .and_then(|belief| CalibratedErrorBound::of(known, &belief, criterion, positive))
            .map_err(|reason| told(legend, &reason)),
    };
    let (raw, no_read_directly) = apart(raw.map_err(|reason| told(legend, &reason)));
    let (calibrated, no_calibrated) = apart(calibrated.map(|bound| {
        let (shares, matrix) = bound.split();
        CalibratedErrorRecord { bound: bound.value(), shares, matrix }
    }));
    ErrorPartsRecord { criterion, read_directly: raw, no_read_directly, calibrated, no_calibrated }
}

fn apart<T>(found: Result<T, String>) -> (Option<T>, Option<String>) {
    match found {
        Ok(value) => (Some(value), None),
        Err(reason) => (None, Some(reason)),
    }
}

/// Why a theorem gives no number, in the names of the table.
fn told(legend: &Legend, reason: &TheoremError) -> String {
    match reason {
        TheoremError::Rate(reason) => reason.describe(legend),
        TheoremError::NeverGuessed { guess, .. } => {
            format!("the proxy guesses {} for nobody whose group is known", legend.group(Group(*guess)))
        }
        TheoremError::Singular { .. } => "a table of errors cannot be undone".to_owned(),
        TheoremError::NoBelief(_) => "there are no estimated errors for a part of the table".to_owned(),
        TheoremError::BelievedShare { group, share } => {
            format!(
                "the estimated share of {} is {share:.3}, and the theorem divides by it",
                legend.group(Group(*group))
            )
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use crate::record::KnownFrom;
    use crate::vocabulary::ProxyId;
    use crate::{Audit, Settings, World};

    #[test]
    fn the_true_matrix_stands_beside_the_estimated_one_and_the_parts_add_up() {
        let (counts, truth) = World::lending().sample(20_000, 0).unwrap();
        let audit =
            Audit::run(&counts, Some(&truth), &Settings { n_boot: 0, ..Settings::default() }).unwrap();
        assert_eq!(audit.known_errors.len(), 3);
        for (known, proxy) in audit.known_errors.iter().zip(&audit.input.proxies) {
            assert_eq!((&known.proxy, known.from), (&proxy.name, KnownFrom::Truth));
            let estimated = known.estimated.as_ref().unwrap();
            for (row, estimated) in known.transition.iter().zip(estimated) {
                let row = row.as_ref().unwrap();
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                // Two proxies of this world share a little error, which estimates cannot know.
                row.iter().zip(estimated).for_each(|(a, b)| assert!((a - b).abs() < 0.06, "{a} {b}"));
            }
            for parts in &known.parts {
                let raw = parts.read_directly.unwrap();
                assert!((raw.dependence + raw.proxy_error - raw.bound).abs() < 1e-12);
                assert!(raw.error <= raw.bound && raw.error > 0.0);
                let calibrated = parts.calibrated.unwrap();
                assert!((calibrated.shares + calibrated.matrix - calibrated.bound).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn without_a_known_group_nothing_is_known() {
        let (counts, _) = World::lending().sample(2_000, 0).unwrap();
        let audit = Audit::run(&counts, None, &Settings { n_boot: 0, ..Settings::default() }).unwrap();
        assert!(audit.known_errors.is_empty());
    }

    #[test]
    fn the_truth_changes_no_estimate() {
        let (counts, truth) = World::lending().sample(2_000, 0).unwrap();
        let settings = Settings { n_boot: 0, ..Settings::default() };
        let with = Audit::run(&counts, Some(&truth), &settings).unwrap();
        let without = Audit::run(&counts, None, &settings).unwrap();
        assert_eq!((with.noise, with.rates, with.answers), (without.noise, without.rates, without.answers));
    }

    #[test]
    fn labelled_rows_tell_it_too() {
        use crate::estimate::{AuditLabels, Population};
        use crate::vocabulary::Group;
        let world = World::symmetric(2, 2, &[0.75; 3], 0.3);
        let mut labels = AuditLabels::new(Population::Same);
        for (a, alone) in world.apart().iter().enumerate() {
            for (cell, share) in alone.cells() {
                labels.add(Some(cell.stratum), cell.guesses.clone(), Group(a), 1, 100.0 * share);
            }
        }
        let counts = world.population(10_000).unwrap().with_audit_labels(labels);
        let audit = Audit::run(&counts, None, &Settings { n_boot: 0, ..Settings::default() }).unwrap();
        let known = &audit.known_errors[ProxyId(0).0];
        assert_eq!(known.from, KnownFrom::AuditLabels);
        assert!(known.strata.is_empty());
        // Labels are the population here, so nothing but rounding is between them.
        assert!((known.transition[0].as_ref().unwrap()[0] - 0.75).abs() < 1e-9, "{known:?}");
    }
}
