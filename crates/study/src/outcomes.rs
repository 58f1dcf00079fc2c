//! How often intervals of means by group hold the truth.

use fairveil_core::counts::{Cell, Intake, OutcomeColumn, OutcomeTotals, Tally};
use fairveil_core::measures::Estimate;
use fairveil_core::vocabulary::{Class, Guess, Legend, Stratum};
use fairveil_core::{Audit, Counts, Criterion, Settings};
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::collections::BTreeMap;

/// How an outcome is spread inside a group around its place.
#[derive(Clone, Copy)]
enum Spread {
    /// Normal, with this standard deviation.
    Normal(f64),
    /// Lognormal: its logarithm has this standard deviation.
    Lognormal(f64),
}

/// People with an outcome.
struct World {
    name: &'static str,
    rows: u64,
    /// The share, the selection rate and the place of the outcome of each group; of a lognormal the mean of its logarithm.
    groups: Vec<[f64; 3]>,
    right: [f64; 3],
    spread: Spread,
    /// Who has an outcome: everyone, or the selected.
    of_selected: bool,
}

impl World {
    fn mean(&self, a: usize) -> f64 {
        match self.spread {
            Spread::Normal(_) => self.groups[a][2],
            Spread::Lognormal(sd) => (self.groups[a][2] + sd * sd / 2.0).exp(),
        }
    }

    fn variance(&self, a: usize) -> f64 {
        match self.spread {
            Spread::Normal(sd) => sd * sd,
            Spread::Lognormal(sd) => ((sd * sd).exp() - 1.0) * self.mean(a).powi(2),
        }
    }

    fn sample(&self, seed: u64) -> Counts {
        let mut random = Pcg64::seed_from_u64(seed);
        let unit = |random: &mut Pcg64| (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let groups = self.groups.len();
        let mut cells: BTreeMap<Cell, Tally> = BTreeMap::new();
        let mut missing = 0;
        for _ in 0..self.rows {
            let mut place = unit(&mut random);
            let below = |[share, ..]: &[f64; 3]| {
                place -= share;
                place < 0.0
            };
            let group = self.groups.iter().position(below).unwrap_or(groups - 1);
            let [_, rate, centre] = self.groups[group];
            let selected = unit(&mut random) < rate;
            let guesses = self.right.map(|right| {
                let wrong = (group + 1 + (unit(&mut random) * (groups - 1) as f64) as usize) % groups;
                Some(Guess(if unit(&mut random) < right { group } else { wrong }))
            });
            let stratum = Stratum { label: None, prediction: Class(usize::from(selected)) };
            let tally = cells.entry(Cell { stratum, guesses: guesses.into() }).or_default();
            tally.weight += 1.0;
            let normal: f64 = StandardNormal.sample(&mut random);
            let outcome = match self.spread {
                Spread::Normal(sd) => centre + sd * normal,
                Spread::Lognormal(sd) => (centre + sd * normal).exp(),
            };
            if self.of_selected && !selected {
                missing += 1;
                continue;
            }
            let more = OutcomeTotals { weight: 1.0, sum: outcome, squares: outcome * outcome };
            tally.outcome.get_or_insert_default().add(&more);
        }
        let outcome = Some(OutcomeColumn { column: "price".into(), missing });
        let intake = Intake { rows: self.rows, outcome, ..Intake::default() };
        Counts::new(Legend::plain(groups, 2, 3, false), intake, cells).unwrap()
    }
}

fn worlds() -> Vec<World> {
    let two = |places: [f64; 2]| vec![[0.35, 0.3, places[0]], [0.65, 0.6, places[1]]];
    let world =
        |name, rows, groups, right, spread| World { name, rows, groups, right, spread, of_selected: false };
    vec![
        world("normal, right .8", 4_000, two([100.0, 130.0]), [0.8; 3], Spread::Normal(40.0)),
        world("normal, no gap, right .7", 8_000, two([100.0, 100.0]), [0.7; 3], Spread::Normal(40.0)),
        world(
            "normal, right .9/.75/.65",
            8_000,
            two([100.0, 110.0]),
            [0.9, 0.75, 0.65],
            Spread::Normal(40.0),
        ),
        world("lognormal, sd of logarithms 1", 5_000, two([6.0, 6.2]), [0.8; 3], Spread::Lognormal(1.0)),
        World {
            of_selected: true,
            ..world("lognormal .5, of the selected", 8_000, two([6.0, 6.1]), [0.8; 3], Spread::Lognormal(0.5))
        },
        world(
            "three groups, normal, right .8",
            8_000,
            vec![[0.2, 0.3, 90.0], [0.5, 0.6, 120.0], [0.3, 0.5, 110.0]],
            [0.8; 3],
            Spread::Normal(40.0),
        ),
    ]
}

/// Coverage of the sampling and of the honest interval.
pub fn print(samples: u64) {
    println!("\nIntervals of means by group that hold the truth, %, {samples} samples (sampling / honest)\n");
    println!("| outcome | rows | mean | difference | ratio | standardized |\n|---|---|---|---|---|---|");
    for world in worlds() {
        let mut held = [[0u64; 3]; 4];
        for seed in 0..samples {
            count(&world, seed, &mut held);
        }
        let share = |[all, chance, honest]: [u64; 3]| {
            let percent = |held: u64| 100.0 * held as f64 / all.max(1) as f64;
            format!("{:.1} / {:.1}", percent(chance), percent(honest))
        };
        println!("| {} | {} | {} |", world.name, world.rows, held.map(share).join(" | "));
    }
}

fn count(world: &World, seed: u64, held: &mut [[u64; 3]; 4]) {
    let settings = Settings {
        criteria: vec![Criterion::DemographicParity],
        reference: Some("group 2".into()),
        n_boot: 200,
        ..Settings::default()
    };
    let audit = Audit::run(&world.sample(seed), None, &settings).unwrap();
    let Some(found) = audit.outcome else { return };
    let share = |a: usize| world.groups[a][0] * if world.of_selected { world.groups[a][1] } else { 1.0 };
    for (a, group) in found.groups.iter().enumerate() {
        let mut note = |place: usize, found: &Estimate, known: f64| {
            if let (Some(chance), Some(honest)) = (found.interval, found.honest_interval) {
                held[place][0] += 1;
                held[place][1] += u64::from(chance.holds(known));
                held[place][2] += u64::from(honest.holds(known));
            }
        };
        let (own, beside) = (world.mean(a), world.mean(1));
        note(0, &group.mean, own);
        if a != 1 {
            let variance =
                (share(a) * world.variance(a) + share(1) * world.variance(1)) / (share(a) + share(1));
            note(1, &group.difference, own - beside);
            note(2, &group.ratio, own / beside);
            note(3, &group.standardized_mean_difference, (own - beside) / variance.sqrt());
        }
    }
}
