//! How often two proxies guess the same, and how much more than chance.
//!
//! Over the rows on which both give a guess, `p` the share of each guess there (Cohen 1960):
//! ```text
//! same          = P(Ãᵢ = Ãⱼ)
//! chance        = Σ_ã pᵢ[ã] · pⱼ[ã]
//! beyond_chance = (same − chance) / (1 − chance)
//! ```
//! Says nothing about why they agree: skill and shared mistakes look alike here.

use crate::counts::Counts;
use crate::record::AgreementRecord;
use crate::vocabulary::{Guess, ProxyId};

/// Every pair of proxies, in the user's order. `places` says where each of the user's proxies stands in `sorted`.
pub(crate) fn pairwise(sorted: &Counts, places: &[ProxyId]) -> Vec<AgreementRecord> {
    let mut records = Vec::new();
    for (i, first) in places.iter().enumerate() {
        for second in &places[i + 1..] {
            records.push(agreement(sorted, *first, *second));
        }
    }
    records
}

fn agreement(counts: &Counts, first: ProxyId, second: ProxyId) -> AgreementRecord {
    let (legend, groups) = (counts.legend(), counts.legend().groups.len());
    let mut sizes = vec![[0.0; 2]; groups];
    let (mut both, mut same) = (0.0, 0.0);
    for (cell, tally) in counts.cells() {
        let (Some(Guess(a)), Some(Guess(b))) = (cell.guesses[first.0], cell.guesses[second.0]) else {
            continue;
        };
        both += tally.weight;
        sizes[a][0] += tally.weight;
        sizes[b][1] += tally.weight;
        if a == b {
            same += tally.weight;
        }
    }
    let chance: f64 = sizes.iter().map(|[a, b]| (a / both) * (b / both)).sum();
    // Two proxies that give one guess only agree by necessity: there is nothing beyond chance to speak of.
    let beyond = (both > 0.0 && chance < 1.0).then(|| (same / both - chance) / (1.0 - chance));
    AgreementRecord {
        a: legend.proxies[first.0].name.clone(),
        b: legend.proxies[second.0].name.clone(),
        answered: both / counts.weight(),
        same: (both > 0.0).then(|| same / both),
        beyond_chance: beyond,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{Cell, Intake, Tally};
    use crate::vocabulary::{Class, Legend, Stratum};

    fn counts(cells: &[([Option<usize>; 2], f64)]) -> Counts {
        let cell = |(guesses, weight): &([Option<usize>; 2], f64)| {
            let stratum = Stratum { label: None, prediction: Class(0) };
            let guesses = guesses.iter().map(|guess| guess.map(Guess)).collect();
            (Cell { stratum, guesses }, Tally::of(*weight))
        };
        Counts::new(Legend::plain(2, 2, 2, false), Intake::default(), cells.iter().map(cell)).unwrap()
    }

    fn only(cells: &[([Option<usize>; 2], f64)]) -> AgreementRecord {
        pairwise(&counts(cells), &[ProxyId(0), ProxyId(1)]).remove(0)
    }

    #[test]
    fn agreement_is_counted_among_rows_that_both_answered() {
        // 35 + 35 of 100 agree; guesses are half and half on either side, so chance alone gives 0.5.
        let record = only(&[
            ([Some(0), Some(0)], 35.0),
            ([Some(1), Some(1)], 35.0),
            ([Some(0), Some(1)], 15.0),
            ([Some(1), Some(0)], 15.0),
            ([None, Some(1)], 100.0),
        ]);
        assert_eq!((record.answered, record.same), (0.5, Some(0.7)));
        // (0.7 - 0.5) / 0.5, up to rounding.
        assert!((record.beyond_chance.unwrap() - 0.4).abs() < 1e-15);
    }

    #[test]
    fn proxies_that_never_meet_have_no_agreement() {
        let record = only(&[([None, Some(1)], 1.0), ([Some(0), None], 3.0)]);
        assert_eq!((record.answered, record.same, record.beyond_chance), (0.0, None, None));
    }

    #[test]
    fn pairs_come_in_the_users_order() {
        let cells = [([Some(0), Some(0)], 1.0), ([Some(0), Some(1)], 1.0)];
        let record = pairwise(&counts(&cells), &[ProxyId(1), ProxyId(0)]).remove(0);
        assert_eq!((record.a.as_str(), record.b.as_str()), ("proxy_2", "proxy_1"));
    }
}
