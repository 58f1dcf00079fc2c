//! What if the proxies share mistakes: the disparity over `r`, and where it would tip.

use super::checks::{Score, zero_test};
use super::copying::{agreement, without_copying};
use super::intervals::MOST_GROUPS;
use crate::answers::Answers;
use crate::calibrate::calibrate;
use crate::counts::Frequencies;
use crate::disparity::measure;
use crate::estimate::{Hoc, NoiseEstimator};
use crate::record::{SharedErrorPoint, SharedErrorRecord};
use crate::vocabulary::{Aggregate, Class, Criterion, Scope};

/// Steps of `r` on the curve.
const STEPS: usize = 10;

/// The mean gap (global scope) if a share `r` of the proxies' agreement were shared error. `None` where it has no
/// value to begin with, or there are too many groups to fit so often.
pub(crate) fn shared_error(
    answers: &Answers,
    criterion: Criterion,
    positive: Class,
) -> Option<SharedErrorRecord> {
    if answers.seen.groups() > MOST_GROUPS {
        return None;
    }
    let phi = agreement(&answers.seen).filter(|phi| *phi > 0.0)?;
    let value = |r: f64| gap(&without_copying(&answers.seen, r * phi)?, answers, criterion, positive);
    let start = value(0.0)?;
    let point = |step: usize| {
        let r = step as f64 / STEPS as f64;
        SharedErrorPoint { shared_error: r, copying: r * phi, value: value(r) }
    };
    let curve: Vec<SharedErrorPoint> = (0..STEPS).map(point).collect();
    let doubled = |r: f64| value(r).is_some_and(|value| value >= 2.0 * start);
    let after = curve.iter().position(|point| point.value.is_some_and(|value| value >= 2.0 * start));
    let doubles_at = after.filter(|step| *step > 0 && start > 0.0).map(|step| {
        let (mut low, mut high) = (curve[step - 1].shared_error, curve[step].shared_error);
        for _ in 0..30 {
            let middle = (low + high) / 2.0;
            if doubled(middle) { high = middle } else { low = middle }
        }
        high
    });
    let (own, rows) = answers.own();
    let zero_needs = zero_test(own, rows, criterion, positive, Score::Votes).map(|test| test.largest_shift);
    Some(SharedErrorRecord { criterion, agreement: phi, curve, doubles_at, zero_needs })
}

/// The mean gap by moments, if a population can have its rates.
fn gap(seen: &Frequencies, answers: &Answers, criterion: Criterion, positive: Class) -> Option<f64> {
    let joint = calibrate(seen, answers.view, &Hoc { scope: Scope::Global }.fit(seen).ok()?);
    let value = measure(&joint, criterion, Aggregate::MeanPairwise, positive).ok()?;
    let possible = joint
        .strata()
        .all(|(_, shares)| shares.is_some_and(|shares| shares.as_slice().iter().all(|share| *share > -1e-9)));
    possible.then_some(value)
}
