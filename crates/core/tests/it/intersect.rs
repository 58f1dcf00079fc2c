//! Two attributes at once: exact where the population is, held by intervals where it is sampled, refused where people are few.

use fairveil_core::counts::{Cell, Intake, Tally};
use fairveil_core::intersect::{Attributes, Intersection, Pattern};
use fairveil_core::setting::Refuses;
use fairveil_core::vocabulary::{Class, Guess, Legend, Stratum};
use fairveil_core::{Counts, Settings};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::collections::BTreeMap;

/// Shares and selection rates of the four pairs, in the order of the first attribute's groups.
const SHARES: [f64; 4] = [0.15, 0.25, 0.35, 0.25];
const RATES: [f64; 4] = [0.2, 0.45, 0.5, 0.7];
const RIGHT: [[f64; 3]; 2] = [[0.8, 0.75, 0.85], [0.9, 0.8, 0.75]];

/// All rows, by what all six proxies say and by the decision.
struct Rows {
    weights: BTreeMap<([usize; 3], [usize; 3], usize), f64>,
}

impl Rows {
    /// The whole population.
    fn exact(rows: f64) -> Rows {
        let mut weights = BTreeMap::new();
        for (pair, share) in SHARES.iter().enumerate() {
            for place in 0..128usize {
                let guesses: [usize; 6] = std::array::from_fn(|i| place >> i & 1);
                let (first, second) = ([0, 1, 2].map(|i| guesses[i]), [3, 4, 5].map(|i| guesses[i]));
                let said = |attribute: usize, guesses: [usize; 3]| -> f64 {
                    let group = if attribute == 0 { pair / 2 } else { pair % 2 };
                    let one = |(guess, right): (usize, f64)| if guess == group { right } else { 1.0 - right };
                    guesses.into_iter().zip(RIGHT[attribute]).map(one).product()
                };
                let selected = place >> 6;
                let decided = if selected == 1 { RATES[pair] } else { 1.0 - RATES[pair] };
                let weight = rows * share * decided * said(0, first) * said(1, second);
                *weights.entry((first, second, selected)).or_default() += weight;
            }
        }
        Rows { weights }
    }

    fn sample(rows: u64, seed: u64) -> Rows {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut unit = || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let mut weights = BTreeMap::new();
        for _ in 0..rows {
            let mut place = unit();
            let pair = SHARES.iter().position(|share| {
                place -= share;
                place < 0.0
            });
            let pair = pair.unwrap_or(3);
            let selected = usize::from(unit() < RATES[pair]);
            let first = RIGHT[0].map(|right| if unit() < right { pair / 2 } else { 1 - pair / 2 });
            let second = RIGHT[1].map(|right| if unit() < right { pair % 2 } else { 1 - pair % 2 });
            *weights.entry((first, second, selected)).or_default() += 1.0;
        }
        Rows { weights }
    }

    fn counts(
        &self,
        rows: u64,
        keep: impl Fn(&([usize; 3], [usize; 3], usize)) -> Option<[usize; 3]>,
    ) -> Counts {
        let cells = self.weights.iter().filter_map(|(key, weight)| {
            let guesses = keep(key)?.iter().map(|guess| Some(Guess(*guess))).collect();
            let stratum = Stratum { label: None, prediction: Class(key.2) };
            Some((Cell { stratum, guesses }, Tally::of(*weight)))
        });
        let intake = Intake { rows, ..Intake::default() };
        Counts::new(Legend::plain(2, 2, 3, false), intake, cells.collect::<Vec<_>>()).unwrap()
    }

    fn intersection(&self, rows: u64, reference: Option<[&str; 2]>) -> Result<Intersection, String> {
        let (first, second) = (self.counts(rows, |key| Some(key.0)), self.counts(rows, |key| Some(key.1)));
        let mut patterns: Vec<Pattern> = Vec::new();
        for place in 0..8usize {
            let said = [0, 1, 2].map(|i| place >> i & 1);
            if self.weights.keys().any(|key| key.1 == said) {
                patterns.push(Pattern {
                    guesses: said.iter().map(|guess| Some(format!("group {}", guess + 1))).collect(),
                    counts: self.counts(rows, |key| (key.1 == said).then_some(key.0)),
                });
            }
        }
        let proxies: Vec<String> = second.legend().proxies.iter().map(|proxy| proxy.name.clone()).collect();
        let asked = Attributes {
            names: ["race", "sex"],
            counts: [&first, &second],
            proxies: &proxies,
            patterns: &patterns,
            reference,
        };
        Intersection::run(&asked, &Settings::default()).map_err(|error| error.refusal().text().to_string())
    }
}

#[test]
fn rates_of_pairs_are_exact_where_the_population_is() {
    let found = Rows::exact(1e6).intersection(1_000_000, None).unwrap();
    assert_eq!(found.reference.as_deref(), Some(&["group 2".to_owned(), "group 1".to_owned()][..]));
    for (pair, (share, rate)) in found.groups.iter().zip(SHARES.iter().zip(RATES)) {
        assert!((pair.rate.value.unwrap() - rate).abs() < 1e-8, "{pair:?}");
        assert!((pair.people.unwrap() / 1e6 - share).abs() < 1e-8);
        if let Some(ratio) = pair.adverse_impact_ratio.value {
            assert!((ratio - rate / 0.5).abs() < 1e-7);
        }
    }
    assert!(found.findings.iter().any(|finding| finding.code == "P20"));
}

#[test]
fn intervals_of_all_pairs_hold_at_once() {
    let held = (0..30).filter(|seed| {
        let found = Rows::sample(6_000, *seed).intersection(6_000, Some(["group 2", "group 2"])).unwrap();
        found.groups.iter().zip(RATES).all(|(pair, rate)| {
            let difference = pair.difference.interval;
            pair.rate.interval.unwrap().holds(rate) && difference.is_none_or(|ends| ends.holds(rate - 0.7))
        })
    });
    // 95 % of 30 less three standard errors of 4 %.
    assert!(held.count() >= 24);
}

#[test]
fn few_people_and_unknown_groups_are_refused_with_the_reason() {
    let found = Rows::sample(600, 1).intersection(600, None).unwrap();
    let few = found.groups.iter().find(|pair| pair.unavailable.is_some()).unwrap();
    let reason = few.unavailable.as_ref().unwrap();
    assert!(reason.contains("people are estimated") || reason.contains("too little"), "{reason}");
    let refused = Rows::sample(2_000, 1).intersection(2_000, Some(["group 1", "purple"])).unwrap_err();
    assert!(refused.contains("`purple` is no group of sex"), "{refused}");
}
