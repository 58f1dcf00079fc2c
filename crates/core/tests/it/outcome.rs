//! Outcomes by group: exact where the population is, those of the rows where proxies are right, refused with a reason else.

use fairveil_core::counts::{Cell, Intake, OutcomeColumn, OutcomeTotals, Tally};
use fairveil_core::estimate::{Given, GivenNoise};
use fairveil_core::noise::TransitionMatrix;
use fairveil_core::outcome::OutcomeRecord;
use fairveil_core::vocabulary::{Class, Guess, Legend, Stratum};
use fairveil_core::{Audit, Counts, Criterion, Estimator, EstimatorChoice, Settings};
use rand_distr::{Distribution, LogNormal, Normal};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::collections::BTreeMap;

/// Groups of these shares, selection rates, means and standard deviations, three proxies that are right this often.
struct People {
    groups: Vec<[f64; 4]>,
    right: [f64; 3],
}

impl People {
    fn two() -> People {
        People { groups: vec![[0.35, 0.3, 100.0, 20.0], [0.65, 0.6, 130.0, 25.0]], right: [0.8, 0.75, 0.7] }
    }

    /// `P(guess | group)`.
    fn guessed(&self, proxy: usize, group: usize, guess: usize) -> f64 {
        let right = self.right[proxy];
        if group == guess { right } else { (1.0 - right) / (self.groups.len() - 1) as f64 }
    }

    /// Every cell with its share of each group.
    fn cells(&self) -> Vec<(Cell, Vec<f64>)> {
        let groups = self.groups.len();
        let mut cells = Vec::new();
        for place in 0..2 * groups.pow(3) {
            let guesses = [place / 2 % groups, place / 2 / groups % groups, place / 2 / groups / groups];
            let share = |a: usize| {
                let [people, rate, ..] = self.groups[a];
                let decided = if place % 2 == 1 { rate } else { 1.0 - rate };
                people * decided * (0..3).map(|c| self.guessed(c, a, guesses[c])).product::<f64>()
            };
            let stratum = Stratum { label: None, prediction: Class(place % 2) };
            let guesses = guesses.iter().map(|guess| Some(Guess(*guess))).collect();
            cells.push((Cell { stratum, guesses }, (0..groups).map(share).collect()));
        }
        cells
    }

    /// The whole population, as so many rows.
    fn exact(&self, rows: f64) -> Counts {
        let tally = |(cell, shares): (Cell, Vec<f64>)| {
            let sum = |of: fn(&[f64; 4]) -> f64| -> f64 {
                shares.iter().zip(&self.groups).map(|(share, group)| rows * share * of(group)).sum()
            };
            let outcome = OutcomeTotals {
                weight: sum(|_| 1.0),
                sum: sum(|[.., mean, _]| *mean),
                squares: sum(|[.., mean, sd]| mean * mean + sd * sd),
            };
            (cell, Tally { outcome: Some(outcome), ..Tally::of(outcome.weight) })
        };
        self.counts(rows as u64, self.cells().into_iter().map(tally))
    }

    fn counts(&self, rows: u64, cells: impl IntoIterator<Item = (Cell, Tally)>) -> Counts {
        let outcome = Some(OutcomeColumn { column: "price".into(), missing: 0 });
        let intake = Intake { rows, outcome, ..Intake::default() };
        Counts::new(Legend::plain(self.groups.len(), 2, 3, false), intake, cells).unwrap()
    }

    /// So many rows, whose outcomes are drawn by group.
    fn sample(&self, rows: u64, seed: u64, draw: impl Fn(usize, &mut Pcg64) -> f64) -> Counts {
        let mut random = Pcg64::seed_from_u64(seed);
        let unit = |random: &mut Pcg64| (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let mut cells: BTreeMap<Cell, Tally> = BTreeMap::new();
        for _ in 0..rows {
            let group = usize::from(unit(&mut random) >= self.groups[0][0]);
            let selected = usize::from(unit(&mut random) < self.groups[group][1]);
            let guesses = self
                .right
                .map(|right| Some(Guess(if unit(&mut random) < right { group } else { 1 - group })));
            let stratum = Stratum { label: None, prediction: Class(selected) };
            let tally = cells.entry(Cell { stratum, guesses: guesses.into() }).or_default();
            let outcome = draw(group, &mut random);
            tally.weight += 1.0;
            let more = OutcomeTotals { weight: 1.0, sum: outcome, squares: outcome * outcome };
            tally.outcome.get_or_insert_default().add(&more);
        }
        self.counts(rows, cells)
    }
}

fn outcome(counts: &Counts, settings: &Settings) -> OutcomeRecord {
    Audit::run(counts, None, settings).unwrap().outcome.unwrap()
}

#[test]
fn means_are_exact_where_the_population_is() {
    let three = People {
        groups: vec![[0.2, 0.3, 90.0, 10.0], [0.5, 0.6, 130.0, 25.0], [0.3, 0.5, 70.0, 5.0]],
        right: [0.8, 0.75, 0.7],
    };
    for people in [People::two(), three] {
        let settings = Settings { n_boot: 0, ..Settings::default() };
        let found = outcome(&people.exact(1e6), &settings);
        assert_eq!(found.reference.as_deref(), Some("group 2"));
        let [_, _, beside, beside_sd] = people.groups[1];
        for (group, [share, _, mean, sd]) in found.groups.iter().zip(&people.groups) {
            // The errors are learned to about 1e-9, and means are of the size of 100.
            assert!((group.mean.value.unwrap() - mean).abs() < 1e-6, "{:?}", group.mean);
            assert!((group.people.unwrap() / 1e6 - share).abs() < 1e-8);
            assert!((group.standard_deviation.unwrap() - sd).abs() < 1e-5);
            if group.group == "group 2" {
                assert_eq!(group.ratio.value, None);
                continue;
            }
            assert!((group.ratio.value.unwrap() - mean / beside).abs() < 1e-8);
            let both = share + people.groups[1][0];
            let spread = ((share * sd * sd + people.groups[1][0] * beside_sd * beside_sd) / both).sqrt();
            let standardized = group.standardized_mean_difference.value.unwrap();
            assert!((standardized - (mean - beside) / spread).abs() < 1e-7);
        }
    }
}

#[test]
fn with_proxies_that_are_right_means_are_those_of_the_rows() {
    let people = People { right: [1.0; 3], ..People::two() };
    let spread = Normal::new(0.0, 1.0).unwrap();
    let counts = people.sample(3_000, 3, |group, random| {
        people.groups[group][2] + people.groups[group][3] * spread.sample(random)
    });
    // One of the three, which all say the same.
    let one = counts.cells().map(|(cell, tally)| {
        (Cell { stratum: cell.stratum, guesses: cell.guesses[..1].into() }, tally.clone())
    });
    let counts =
        Counts::new(Legend::plain(2, 2, 1, false), counts.intake().clone(), one.collect::<Vec<_>>()).unwrap();
    let identity = TransitionMatrix::new(vec![vec![1.0, 0.0], vec![0.0, 1.0]]).unwrap();
    let given = Given { noise: vec![GivenNoise { stratum: None, transition: identity, group_shares: None }] };
    let settings = Settings {
        given: Some(given),
        estimator: EstimatorChoice::Fixed(Estimator::Given),
        ..Settings::default()
    };
    let found = outcome(&counts, &settings);
    for (a, group) in found.groups.iter().enumerate() {
        let own = |cell: &Cell| cell.guesses[0] == Some(Guess(a));
        let mut sum = OutcomeTotals::default();
        counts.cells().filter(|(cell, _)| own(cell)).for_each(|(_, tally)| sum.add(&tally.outcome.unwrap()));
        let mean = sum.sum / sum.weight;
        assert!((group.mean.value.unwrap() / mean - 1.0).abs() < 1e-12);
        let sd = (sum.squares / sum.weight - mean * mean).sqrt();
        // 200 draws know a standard error to 5 %: four of them.
        let ends = group.mean.interval.unwrap();
        let half = 1.96 * sd / sum.weight.sqrt();
        assert!(((ends.high - ends.low) / 2.0 / half - 1.0).abs() < 0.2, "{ends:?} {half}");
    }
}

#[test]
fn intervals_hold_the_mean_of_heavy_tails() {
    let people = People::two();
    // A price of 400 in the middle, and a tenth more for the second group.
    let price = [LogNormal::new(6.0, 1.0).unwrap(), LogNormal::new(6.1, 1.0).unwrap()];
    let truth = (6.1f64 + 0.5).exp() - (6.0f64 + 0.5).exp();
    let settings =
        Settings { n_boot: 200, criteria: vec![Criterion::DemographicParity], ..Settings::default() };
    let held = (0..60).filter(|seed| {
        let counts = people.sample(5_000, *seed, |group, random| price[group].sample(random));
        let found = outcome(&counts, &settings);
        let ends = found.groups[0].difference.interval.unwrap();
        ends.holds(-truth)
    });
    // 90 % of 60 less three standard errors of 3.9 %; the study has the figure.
    assert!(held.count() >= 47);
}

#[test]
fn what_cannot_be_compared_says_why() {
    let people = People::two();
    let same = people.sample(2_000, 1, |_, _| 0.1);
    let found = outcome(&same, &Settings::default());
    assert!(found.unavailable.unwrap().contains("on every row"));
    assert!(found.groups.is_empty());
    let spread = Normal::new(0.0, 1.0).unwrap();
    let around_zero = people.sample(5_000, 1, |group, random| group as f64 - 0.5 + spread.sample(random));
    let found = outcome(&around_zero, &Settings::default());
    let first = &found.groups[0];
    assert!(first.difference.value.unwrap() < -0.5);
    assert_eq!(first.ratio.value, None);
    assert!(first.ratio.unavailable.as_ref().unwrap().contains("above 0"));
    let nobody = people
        .exact(1e4)
        .cells()
        .map(|(cell, tally)| (cell.clone(), Tally::of(tally.weight)))
        .collect::<Vec<_>>();
    let found = outcome(&people.counts(10_000, nobody), &Settings::default());
    assert!(found.unavailable.unwrap().contains("no row has an outcome"));
}
