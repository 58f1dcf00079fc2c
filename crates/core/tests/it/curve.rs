//! A number cut into bins: exact where the population is, and refused or doubted where it must be.

use fairveil_core::counts::{Cell, Intake, Tally};
use fairveil_core::curve::{Bin, CurveSettings};
use fairveil_core::vocabulary::{Class, Guess, Legend, Stratum};
use fairveil_core::{Counts, Curve, Settings};

/// Two groups of 40 and 60 %; the shares of each in five bins from −∞, 0, 1, 2 and 3 on, and how often the label is positive there.
struct People {
    bins: [[f64; 5]; 2],
    labels: [[f64; 5]; 2],
    /// How often each proxy is right, in every bin.
    right: [[f64; 3]; 5],
}

const LOWS: [f64; 5] = [f64::NEG_INFINITY, 0.0, 1.0, 2.0, 3.0];
const SHARES: [f64; 2] = [0.4, 0.6];

fn people() -> People {
    People {
        bins: [[0.0, 0.3, 0.4, 0.2, 0.1], [0.0, 0.1, 0.3, 0.4, 0.2]],
        labels: [[0.0, 0.1, 0.3, 0.5, 0.7], [0.0, 0.2, 0.4, 0.6, 0.9]],
        right: [[0.85, 0.75, 0.7]; 5],
    }
}

impl People {
    fn counts(&self, rows: f64, bins: &[usize]) -> Counts {
        let mut cells = Vec::new();
        for bin in bins {
            for place in 0..16usize {
                let guesses = [place % 2, place / 2 % 2, place / 4 % 2];
                let label = place / 8;
                let share = |a: usize| {
                    let guessed = |c: usize| {
                        let right = self.right[*bin][c];
                        if guesses[c] == a { right } else { 1.0 - right }
                    };
                    let labelled = self.labels[a][*bin];
                    let labelled = if label == 1 { labelled } else { 1.0 - labelled };
                    SHARES[a] * self.bins[a][*bin] * labelled * (0..3).map(guessed).product::<f64>()
                };
                // Selected are those in the upper two bins.
                let stratum =
                    Stratum { label: Some(Class(label)), prediction: Class(usize::from(*bin >= 3)) };
                let guesses = guesses.iter().map(|guess| Some(Guess(*guess))).collect();
                let weight = rows * (share(0) + share(1));
                if weight > 0.0 {
                    cells.push((Cell { stratum, guesses }, Tally::of(weight)));
                }
            }
        }
        let rows = cells.iter().map(|(_, tally)| tally.weight).sum::<f64>().round() as u64;
        Counts::new(Legend::plain(2, 2, 3, true), Intake { rows, ..Intake::default() }, cells).unwrap()
    }

    fn curve(&self, rows: f64, settings: Settings) -> Curve {
        let all: Vec<usize> = (0..5).collect();
        let counts = self.counts(rows, &all);
        let bin = |place: usize| {
            let people = self.bins[0][place] + self.bins[1][place];
            Bin { low: LOWS[place], counts: (people > 0.0).then(|| self.counts(rows, &[place])) }
        };
        let bins: Vec<Bin> = all.iter().map(|place| bin(*place)).collect();
        let asked = CurveSettings { column: "score".into(), rows_without: 0, audit: settings };
        Curve::run(&counts, &bins, &asked).unwrap()
    }
}

fn quick() -> Settings {
    Settings { n_boot: 100, ..Settings::default() }
}

/// The value of a group, and its difference to the reference.
fn told(groups: &[fairveil_core::curve::BesideRecord], a: usize) -> (f64, Option<f64>) {
    (groups[a].value.value.unwrap(), groups[a].difference.value)
}

#[test]
fn thresholds_quantiles_and_bands_of_an_exact_population_are_exact() {
    let world = people();
    let curve = world.curve(200_000.0, quick());
    assert_eq!(curve.reference.as_deref(), Some("group 2"));
    let thresholds: Vec<f64> = curve.thresholds.iter().map(|one| one.threshold).collect();
    assert_eq!(thresholds, [1.0, 2.0, 3.0], "everyone reaches 0, and −∞ is no threshold");
    for (one, first) in curve.thresholds.iter().zip(2..) {
        let reached = |a: usize| world.bins[a][first..].iter().sum::<f64>();
        let (own, less) = told(&one.groups, 0);
        assert!((own - reached(0)).abs() < 1e-8, "{own} {}", reached(0));
        assert!((less.unwrap() - (reached(0) - reached(1))).abs() < 1e-8);
        assert!((one.selected - SHARES[0] * reached(0) - SHARES[1] * reached(1)).abs() < 1e-12);
    }
    // 0.3 of the first group lie below 1 and 0.7 below 2: its median is the half of that bin.
    let median = &curve.quantiles[2];
    assert_eq!(median.quantile, 0.5);
    assert!((told(&median.groups, 0).0 - 1.5).abs() < 1e-8);
    // 0.4 of the second lie below 2, and 0.8 below 3.
    assert!((told(&median.groups, 1).0 - 2.25).abs() < 1e-8);
    let upper = &curve.quantiles[4];
    assert!(
        upper.groups[1].value.value.is_none(),
        "nine tenths of the second group end in a bin without one"
    );
    assert!(upper.groups[1].value.unavailable.as_deref().unwrap().contains("without an end"));
    for (band, bin) in curve.calibration.iter().zip(1..) {
        for a in 0..2 {
            let known = world.labels[a][bin];
            assert!((told(&band.groups, a).0 - known).abs() < 1e-8, "bin {bin}, group {a}");
        }
    }
    assert_eq!(curve.calibration.len(), 4);
    assert!(curve.drift.as_ref().is_some_and(|drift| drift.p_value > 0.9));
    assert!(curve.findings.iter().all(|finding| finding.code != "U10"));
}

#[test]
fn every_number_lies_in_its_interval_and_that_in_the_honest_one() {
    let curve = people().curve(5_000.0, quick());
    let all =
        curve.thresholds.iter().map(|one| &one.groups).chain(curve.quantiles.iter().map(|one| &one.groups));
    let mut seen = 0;
    for group in all.flatten() {
        for found in [&group.value, &group.difference] {
            let (Some(value), Some(ends), Some(honest)) =
                (found.value, found.interval, found.honest_interval)
            else {
                assert!(found.unavailable.is_some(), "{found:?}");
                continue;
            };
            assert!(ends.low < value && value < ends.high, "{found:?}");
            assert!(honest.low <= ends.low && ends.high <= honest.high, "{found:?}");
            seen += 1;
        }
    }
    assert!(seen > 15, "{seen}");
}

#[test]
fn proxies_that_err_differently_along_the_number_are_a_serious_finding() {
    let mut world = people();
    world.right[1] = [0.95, 0.9, 0.9];
    world.right[4] = [0.65, 0.6, 0.6];
    let curve = world.curve(20_000.0, quick());
    assert!(curve.findings.iter().any(|finding| finding.code == "U10"), "{:?}", curve.drift);
    assert!(curve.findings.iter().all(|finding| finding.code != "U09"), "one of the two is said");
}

#[test]
fn proxies_that_say_nothing_give_no_curve_and_a_reason() {
    let mut world = people();
    world.right = [[0.5; 3]; 5];
    let curve = world.curve(5_000.0, quick());
    assert!(curve.thresholds.is_empty() && curve.unavailable.is_some());
}
