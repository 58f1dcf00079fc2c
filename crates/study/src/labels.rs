//! How often the range on top holds the truth where some rows have a known group, whatever the proxies do.

use fairveil_core::disparity::measure;
use fairveil_core::estimate::{AuditLabels, Population};
use fairveil_core::noise::TransitionMatrix;
use fairveil_core::record::{Measurement, Test};
use fairveil_core::vocabulary::{Class, Legend, ProxyId, Stratum};
use fairveil_core::world::WorldStratum;
use fairveil_core::{Aggregate, Audit, Counts, Criterion, Estimator, Settings, World};

/// A world by name, its rows and how many of them are labelled.
struct Cell {
    name: String,
    world: World,
    rows: u64,
    labels: usize,
}

/// Selection rates and groups of a world; noise by stratum and proxy.
struct Plan<'a> {
    shares: &'a [f64],
    gap: f64,
    proxies: usize,
    noise: &'a dyn Fn(Stratum, usize) -> TransitionMatrix,
    copying: (f64, &'a [usize]),
    silent: f64,
}

impl Default for Plan<'_> {
    fn default() -> Self {
        Plan {
            shares: &[0.65, 0.35],
            gap: 0.25,
            proxies: 3,
            noise: &|_, _| TransitionMatrix::symmetric(2, 0.75),
            copying: (0.0, &[]),
            silent: 0.0,
        }
    }
}

impl Plan<'_> {
    /// Half of the people have the positive label, which adds 0.15 to the rate of selection.
    fn world(&self) -> World {
        let groups = self.shares.len();
        let legend = Legend::plain(groups, 2, self.proxies, true);
        let mut strata = Vec::new();
        for label in [0, 1] {
            for prediction in [0, 1] {
                let stratum = Stratum { label: Some(Class(label)), prediction: Class(prediction) };
                let of_group = |a: usize| {
                    let rate =
                        0.45 + self.gap * (a as f64 / (groups - 1) as f64 - 0.5) + [-0.15, 0.15][label];
                    self.shares[a] * 0.5 * if prediction == 1 { rate } else { 1.0 - rate }
                };
                let noise = (0..self.proxies).map(|c| (self.noise)(stratum, c)).collect();
                strata.push(WorldStratum { stratum, joint: (0..groups).map(of_group).collect(), noise });
            }
        }
        let (probability, copying) = self.copying;
        let copying: Vec<ProxyId> = copying.iter().map(|c| ProxyId(*c)).collect();
        let silent: Vec<f64> = (0..groups).map(|a| self.silent * a as f64).collect();
        let world = World::new(legend, strata).unwrap().with_sharing(probability, &copying).unwrap();
        world.with_abstention(vec![silent; self.proxies]).unwrap()
    }
}

/// Right for three in four, and `shift` more often guessed the second group where selected, less often elsewhere.
fn shifting(shift: f64) -> impl Fn(Stratum, usize) -> TransitionMatrix {
    move |stratum, _| {
        let tilt = if stratum.prediction == Class(1) { shift } else { -shift };
        TransitionMatrix::new(vec![vec![0.75 - tilt, 0.25 + tilt], vec![0.25 - tilt, 0.75 + tilt]]).unwrap()
    }
}

fn cells() -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut add = |name: &str, plan: Plan, rows, labels| {
        cells.push(Cell { name: name.into(), world: plan.world(), rows, labels });
    };
    let right = |groups, accuracies: &'static [f64]| {
        move |_: Stratum, c: usize| TransitionMatrix::symmetric(groups, accuracies[c])
    };
    add("equal .75", Plan::default(), 5_000, 200);
    add("equal .75, no gap", Plan { gap: 0.0, ..Plan::default() }, 5_000, 200);
    add("equal .75, half of the rows labelled", Plan::default(), 600, 300);
    add("equal .75, 400 labels", Plan::default(), 20_000, 400);
    add("unequal .9/.7/.6", Plan { noise: &right(2, &[0.9, 0.7, 0.6]), ..Plan::default() }, 20_000, 200);
    add("unequal .95/.6/.55", Plan { noise: &right(2, &[0.95, 0.6, 0.55]), ..Plan::default() }, 20_000, 200);
    add("good .95", Plan { noise: &right(2, &[0.95; 3]), ..Plan::default() }, 5_000, 200);
    for shift in [0.05, -0.05, 0.1, -0.1, 0.2, -0.2] {
        add(
            &format!("errors shift by {shift:+}"),
            Plan { noise: &shifting(shift), ..Plan::default() },
            4_000,
            200,
        );
    }
    add("errors shift by +0.05, 600 labels", Plan { noise: &shifting(0.05), ..Plan::default() }, 20_000, 600);
    add("all share .4", Plan { copying: (0.4, &[0, 1, 2]), ..Plan::default() }, 5_000, 200);
    add("a pair shares .6", Plan { copying: (0.6, &[0, 1]), ..Plan::default() }, 5_000, 200);
    add("useless", Plan { noise: &right(2, &[0.5; 3]), ..Plan::default() }, 5_000, 200);
    let features = |stratum: Stratum, c: usize| {
        let score = 0.2 + 0.3 * stratum.prediction.0 as f64 + 0.2 * stratum.label.map_or(0.0, |y| y.0 as f64);
        let second = score + 0.1 * c as f64;
        TransitionMatrix::new(vec![vec![1.0 - second, second]; 2]).unwrap()
    };
    add("functions of features", Plan { noise: &features, ..Plan::default() }, 5_000, 200);
    let worse = |stratum: Stratum, _: usize| {
        TransitionMatrix::symmetric(2, if stratum.prediction == Class(1) { 0.63 } else { 0.8 })
    };
    add("less right where selected", Plan { noise: &worse, ..Plan::default() }, 5_000, 200);
    add("silent for some", Plan { silent: 0.3, ..Plan::default() }, 5_000, 200);
    add("two proxies", Plan { proxies: 2, ..Plan::default() }, 5_000, 200);
    add("five proxies", Plan { proxies: 5, ..Plan::default() }, 5_000, 200);
    add("a group of 15 %", Plan { shares: &[0.85, 0.15], ..Plan::default() }, 5_000, 200);
    add("a group of 10 %, 400 labels", Plan { shares: &[0.9, 0.1], ..Plan::default() }, 10_000, 400);
    add("a group of 3 %", Plan { shares: &[0.97, 0.03], ..Plan::default() }, 10_000, 200);
    let three = right(3, &[0.7; 3]);
    add("three groups", Plan { shares: &[0.45, 0.3, 0.25], noise: &three, ..Plan::default() }, 5_000, 200);
    let four = right(4, &[0.65; 3]);
    add("four groups", Plan { shares: &[0.3, 0.25, 0.25, 0.2], noise: &four, ..Plan::default() }, 5_000, 300);
    let tilted = |stratum: Stratum, _: usize| {
        let tilt = if stratum.prediction == Class(1) { 0.1 } else { -0.1 };
        let row = |a: usize| (0..3).map(|g| if g == a { 0.7 - tilt } else { 0.15 + tilt / 2.0 }).collect();
        TransitionMatrix::new((0..3).map(row).collect()).unwrap()
    };
    add(
        "three groups, errors shift",
        Plan { shares: &[0.45, 0.3, 0.25], noise: &tilted, ..Plan::default() },
        5_000,
        200,
    );
    cells
}

/// The first rows of a sample labelled: rows come in no order, so that these are a random part.
fn sample(cell: &Cell, seed: u64) -> Counts {
    let (counts, _) = cell.world.sample(cell.rows, seed).unwrap();
    let mut known = AuditLabels::new(Population::Same);
    for person in cell.world.people(seed).take(cell.labels) {
        known.add(Some(person.stratum), person.guesses, person.group, 1, 1.0);
    }
    counts.with_audit_labels(known)
}

/// How often each of several ranges holds the truth.
#[derive(Default, Clone, Copy)]
struct Held {
    made: f64,
    top: f64,
    width: f64,
    chance: f64,
    model: f64,
    regression: f64,
    direct: f64,
}

/// Prints coverage by world and criterion, of the mean gap and of the largest together.
pub fn print(samples: u64, only: Option<&str>) {
    println!("Labelled rows, {samples} samples a world: share of ranges that hold the truth, in %\n");
    println!(
        "| world | labels | criterion | range on top | width | interval of the number | audit sample | regression | direct | no number | disagree |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for cell in cells().iter().filter(|cell| only.is_none_or(|only| cell.name.contains(only))) {
        let mut held = [[Held::default(); 2]; 3];
        let mut disagree = [0.0; 2];
        for seed in 0..samples {
            let counts = sample(cell, 11_000_000 + seed);
            let settings = Settings { n_boot: 800, seed, ..Settings::default() };
            let audit = Audit::run(&counts, None, &settings).unwrap();
            let tests = audit.tests.iter().filter(|test| test.test == Test::LabelsAgree);
            tests.for_each(|test| {
                disagree[usize::from(test.criterion != Some(Criterion::DemographicParity))] +=
                    f64::from(u8::from(test.p_value < 0.05)) / samples as f64;
            });
            for (i, criterion) in Criterion::USUAL.into_iter().enumerate() {
                for (j, aggregate) in [Aggregate::MeanPairwise, Aggregate::Difference].into_iter().enumerate()
                {
                    take(&mut held[i][j], cell, &audit, criterion, aggregate);
                }
            }
        }
        for (i, criterion) in Criterion::USUAL.into_iter().enumerate() {
            for (j, aggregate) in ["mean", "largest"].into_iter().enumerate() {
                let Held { made, top, width, chance, model, regression, direct } = held[i][j];
                let percent = |of: f64| format!("{:.1}", 100.0 * of / made);
                println!(
                    "| {}, {} rows | {} | {} {aggregate} | {} | {:.3} | {} | {} | {} | {} | {:.1} | {:.0} |",
                    cell.name,
                    cell.rows,
                    cell.labels,
                    criterion.name(),
                    percent(top),
                    width / made,
                    percent(chance),
                    percent(model),
                    percent(regression),
                    percent(direct),
                    100.0 * (1.0 - made / samples as f64),
                    100.0 * disagree[i.min(1)]
                );
            }
        }
    }
}

fn take(held: &mut Held, cell: &Cell, audit: &Audit, criterion: Criterion, aggregate: Aggregate) {
    let positive = cell.world.legend().positive;
    let truth = measure(&cell.world.truth(criterion.view()), criterion, aggregate, positive).unwrap();
    let Some(top) = audit.recommended(criterion, aggregate) else { return };
    let holds = |result: Option<&Measurement>| {
        let ends = result.and_then(|result| result.interval.as_ref()).map(|interval| interval.ends);
        f64::from(u8::from(ends.is_some_and(|ends| ends.low <= truth + 1e-9 && truth <= ends.high + 1e-9)))
    };
    let of = |estimator: Option<Estimator>, scopeless: bool| {
        audit.results.iter().find(|r| {
            (r.criterion, r.aggregate, r.origin.estimator) == (criterion, aggregate, estimator)
                && (!scopeless || r.origin.basis == fairveil_core::Basis::LabelledRows)
        })
    };
    let Some(range) = top.honest_interval.as_ref() else { return };
    held.made += 1.0;
    held.top += f64::from(u8::from(range.ends.low <= truth + 1e-9 && truth <= range.ends.high + 1e-9));
    held.width += range.ends.width();
    held.chance += holds(Some(top));
    held.model += holds(of(Some(Estimator::Audit), false));
    held.regression += holds(of(Some(Estimator::Regression), false));
    held.direct += holds(of(None, true));
}
