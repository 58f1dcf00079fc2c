//! Guesses lent by nearest neighbours: what sharing them does to intervals.
#![allow(clippy::print_stdout)] // a measured share is worth seeing

use fairveil_core::counts::{Borrowed, Cell, Intake, Tally};
use fairveil_core::uncertainty::sampling_intervals;
use fairveil_core::vocabulary::{Class, Guess, Legend, Stratum};
use fairveil_core::{Counts, Criterion, Settings};
use rand_distr::{Distribution, StandardUniform};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::SeedableRng;
use std::collections::BTreeMap;

/// People on a line, each group by itself, so that neighbours are of one group; people who are near are decided alike.
struct Village {
    groups: Vec<usize>,
    decisions: Vec<usize>,
    guesses: Vec<usize>,
    neighbors: Vec<[usize; 2]>,
}

/// Shares of the second group, rates of selection and right guesses by group.
const SHARE: f64 = 0.4;
const SELECTED: [f64; 2] = [0.35, 0.6];

impl Village {
    fn new(people: usize, right: [f64; 2], seed: u64) -> Self {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut drawn = move || -> f64 { StandardUniform.sample(&mut random) };
        let groups: Vec<usize> = (0..people).map(|_| usize::from(drawn() < SHARE)).collect();
        let places: Vec<f64> = groups.iter().map(|a| 10.0 * *a as f64 + drawn()).collect();
        // Half of the decisions follow from where one lives.
        let decided = |(a, place): (&usize, &f64), luck: f64, which: f64| {
            let local = if (place * 20.0).fract() < SELECTED[*a] { 1 } else { 0 };
            if which < 0.5 { local } else { usize::from(luck < SELECTED[*a]) }
        };
        let decisions = groups.iter().zip(&places).map(|person| decided(person, drawn(), drawn())).collect();
        let guesses = groups.iter().map(|a| if drawn() < right[*a] { *a } else { 1 - *a }).collect();
        let mut order: Vec<usize> = (0..people).collect();
        order.sort_by(|i, j| places[*i].total_cmp(&places[*j]));
        let mut neighbors = vec![[0; 2]; people];
        for (rank, i) in order.iter().enumerate() {
            let near = rank.saturating_sub(2)..(rank + 3).min(people);
            let mut others: Vec<usize> = near.filter(|r| *r != rank).map(|r| order[r]).collect();
            others
                .sort_by(|a, b| (places[*a] - places[*i]).abs().total_cmp(&(places[*b] - places[*i]).abs()));
            neighbors[*i] = [others[0], others[1]];
        }
        Village { groups, decisions, guesses, neighbors }
    }

    fn stratum(&self, i: usize) -> Stratum {
        Stratum { label: None, prediction: Class(self.decisions[i]) }
    }

    fn people(&self, i: usize) -> [usize; 3] {
        [i, self.neighbors[i][0], self.neighbors[i][1]]
    }

    /// The tally, with what its rows share or, if that is to be ignored, as one of three proxies.
    fn counts(&self, told: bool) -> Counts {
        let mut legend = Legend::plain(2, 2, 3, false);
        for proxy in &mut legend.proxies[1..] {
            proxy.lent_by = told.then(|| "proxy_1".into());
        }
        let rows = self.groups.len();
        let cells = (0..rows).map(|i| {
            let guesses = self.people(i).map(|person| Some(Guess(self.guesses[person]))).into();
            (Cell { stratum: self.stratum(i), guesses }, Tally::of(1.0))
        });
        let mut holders: Vec<Vec<usize>> = vec![Vec::new(); rows];
        (0..rows).for_each(|i| self.people(i).iter().for_each(|person| holders[*person].push(i)));
        let mut shared: BTreeMap<(Stratum, Stratum), [f64; 3]> = BTreeMap::new();
        for i in 0..rows {
            let mut common: BTreeMap<usize, usize> = BTreeMap::new();
            for person in self.people(i) {
                holders[person].iter().filter(|j| **j != i).for_each(|j| *common.entry(*j).or_default() += 1);
            }
            for (j, people) in common {
                shared.entry((self.stratum(i), self.stratum(j))).or_default()[people - 1] += 1.0;
            }
        }
        let borrowed = told.then(|| Borrowed { rows: rows as u64, shared, ..Borrowed::default() });
        let intake = Intake { rows: rows as u64, borrowed, ..Intake::default() };
        Counts::new(legend, intake, cells).unwrap()
    }
}

/// How often the interval of the gap in demographic parity holds it.
fn covered(people: usize, right: [f64; 2], draws: u64, told: bool) -> f64 {
    let settings = Settings { n_boot: 100, ..Settings::default() };
    let truth = SELECTED[1] - SELECTED[0];
    let holds = |seed: &u64| {
        let counts = Village::new(people, right, 1000 + *seed).counts(told);
        let intervals = sampling_intervals(&counts, Criterion::DemographicParity, &settings).unwrap();
        intervals[0].unwrap().holds(truth)
    };
    (0..draws).filter(holds).count() as f64 / draws as f64
}

#[test]
fn intervals_hold_the_gap_though_neighbours_are_shared() {
    for (people, right) in [(1500, [0.75, 0.8]), (4000, [0.65, 0.7])] {
        let (aware, unaware) = (covered(people, right, 300, true), covered(people, right, 300, false));
        println!("{people} people, {right:?}: {aware:.3} aware, {unaware:.3} unaware");
        // 95 %, less two and a half standard errors of 300 draws.
        assert!(aware > 0.918, "{people} {right:?}: {aware}");
        // Whoever takes lent guesses for further proxies is too sure.
        assert!(unaware < aware - 0.02, "{people} {right:?}: {unaware} unaware, {aware} aware");
    }
}
