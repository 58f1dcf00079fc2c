//! What chance leaves open of measures of one group beside another: percentiles over draws of the table, which a logarithm does
//! not change. Groups beside one reference hold at once (Bonferroni).

use super::draws::percentile;
use super::interval::Interval;
use crate::measures::{Measure, Told};

/// What is left open of each measure of one rate, in the order of [`Measure::ALL`]; nothing where it has no number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Open {
    pub ends: [Option<Interval>; Measure::ALL.len()],
    /// The standard error of the difference.
    pub error: Option<f64>,
}

impl Open {
    pub const NOTHING: Open = Open { ends: [None; Measure::ALL.len()], error: None };

    /// Widened to hold another's: of what one of them does not know, nothing is known.
    pub fn and(self, other: &Open) -> Open {
        let both = |i: usize| self.ends[i].zip(other.ends[i]).map(|(mine, other)| mine.and(other));
        Open { ends: std::array::from_fn(both), error: self.error }
    }
}

/// For each rate that is told of each group.
pub(crate) fn open(
    estimate: &Told,
    reference: Option<usize>,
    draws: &[Option<Told>],
    confidence: f64,
) -> Vec<Open> {
    let others = estimate.groups.saturating_sub(1).max(1);
    let confidence = 1.0 - (1.0 - confidence) / others as f64;
    let of_rate = |place: usize| {
        let drawn = |measure: Measure| -> Vec<Option<f64>> {
            draws.iter().map(|draw| draw.as_ref()?.measure(measure, place, reference)).collect()
        };
        let ends = |measure: Measure| {
            let value = estimate.measure(measure, place, reference)?;
            Some(percentile(&drawn(measure), confidence, measure.bounds()).with(value))
        };
        Open { ends: Measure::ALL.map(ends), error: standard_error(&drawn(Measure::Difference)) }
    };
    (0..estimate.rates.len()).map(of_rate).collect()
}

/// The same laid around another estimate: what was found reaches as far from it as from the one it was found around.
pub(crate) fn around(open: &mut [Open], from: &Told, to: &Told, reference: Option<usize>) {
    for (place, open) in open.iter_mut().enumerate() {
        for (measure, ends) in Measure::ALL.into_iter().zip(&mut open.ends) {
            let of = |told: &Told| told.measure(measure, place, reference);
            let (Some(ends), Some(from), Some(to)) = (ends, of(from), of(to)) else { continue };
            let moved = |end: f64| match measure.is_ratio() {
                true if from > 0.0 => end * to / from,
                true => end,
                false => end + to - from,
            };
            let other = Interval { low: moved(ends.low), high: moved(ends.high) };
            *ends = ends.and(other).within(measure.bounds());
        }
    }
}

fn standard_error(draws: &[Option<f64>]) -> Option<f64> {
    let known: Vec<f64> = draws.iter().flatten().copied().collect();
    if known.len() * 2 < draws.len() || known.len() < 10 {
        return None;
    }
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    let variance = known.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (known.len() - 1) as f64;
    Some(variance.sqrt()).filter(|error| *error > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(first: f64) -> Told {
        Told { groups: 3, rates: vec![first, 0.5, 0.4], people: vec![0.2, 0.5, 0.3] }
    }

    #[test]
    fn a_ratio_is_open_as_far_as_its_draws_and_no_draw_may_be_left_out() {
        let mut draws: Vec<Option<Told>> =
            (0..1001).map(|i| Some(told(0.2 + 0.2 * f64::from(i) / 1000.0))).collect();
        let found = open(&told(0.3), Some(1), &draws, 0.95);
        let ratio = found[0].ends[Measure::AdverseImpactRatio as usize].unwrap();
        // Two groups beside one reference: 97.5 % each, 1.25 % left at either end.
        assert!((ratio.low - 0.4 * (1.0 + 0.0125)).abs() < 1e-3, "{ratio:?}");
        assert!((ratio.high - 0.8 * (1.0 - 0.0125 / 2.0)).abs() < 1e-3, "{ratio:?}");
        // Uniform over 0.2: its root variance is 0.2/√12.
        assert!((found[0].error.unwrap() - 0.2 / 12f64.sqrt()).abs() < 1e-4);
        draws.iter_mut().step_by(20).for_each(|draw| *draw = None);
        let found = open(&told(0.3), Some(1), &draws, 0.95);
        let ratio = found[0].ends[Measure::AdverseImpactRatio as usize].unwrap();
        assert_eq!((ratio.low, ratio.high), (0.0, f64::INFINITY));
    }

    #[test]
    fn another_estimate_gets_the_same_reach() {
        let draws: Vec<Option<Told>> = (0..100).map(|i| Some(told(0.25 + 0.001 * f64::from(i)))).collect();
        let mut found = open(&told(0.3), Some(1), &draws, 0.95);
        let before = found[0].ends[Measure::AdverseImpactRatio as usize].unwrap();
        around(&mut found, &told(0.3), &told(0.36), Some(1));
        let after = found[0].ends[Measure::AdverseImpactRatio as usize].unwrap();
        assert_eq!(after.low, before.low);
        assert!((after.high - before.high * 1.2).abs() < 1e-12);
    }
}
