//! How often what an audit recommends holds the truth: the number on top as a user sees it, in worlds with known truth.
//!
//! Every scene is judged by one bar. Where proxies err independently the sampling interval must hold, where they share
//! mistakes inside the premise the range on top, where errors go with the decision the range with the stated shift; and
//! without a stated shift something serious must be said, or no number given.

use crate::headline::{Scene, copied, difficulty, hard, shifted, world};
use fairveil_core::counts::{Cell, CountsBuilder, Intake, Row, Tally, View};
use fairveil_core::diagnose::Severity;
use fairveil_core::disparity::measure;
use fairveil_core::headline::{Says, Why};
use fairveil_core::rates::{Joint, Shares};
use fairveil_core::uncertainty::agreement;
use fairveil_core::vocabulary::{Class, Group, Guess, Stratum};
use fairveil_core::world::SimulatedPerson;
use fairveil_core::{Aggregate, Audit, Counts, Criterion, Estimator, Interval, Settings, World};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is promised of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bar {
    /// The sampling interval of the number on top holds.
    Sampling,
    /// The range on top does.
    Range,
    /// The range does with the largest shift stated.
    Shift,
    /// Something serious is said, or there is no number.
    Warned,
}

/// How rows come about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Draw {
    /// One for each person.
    Plain,
    /// People with the positive label are kept one in so many, with that weight.
    RareLabels(f64),
    /// The same of people who are selected.
    RareSelected(f64),
    /// Weights that have nothing to do with anything, from one half to eight.
    Unrelated,
    /// So many rows of each person, in each of which the decision is the first one's with this chance, else another's of
    /// the same group; guesses are about the person.
    Clusters(u64, f64),
}

struct Study {
    scene: Scene,
    bar: Bar,
    draw: Draw,
    max_shift: f64,
}

/// What became of a criterion and an aggregate in one sample.
#[derive(Clone, Default)]
struct Outcome {
    interval: Option<Interval>,
    range: Option<Interval>,
    shown: bool,
    /// The number, or what it would have been.
    value: Option<f64>,
    serious: bool,
    /// What is true of the groups that are compared.
    truth: f64,
    /// The first reason why there is no number.
    why: Option<Why>,
    breakdown: bool,
}

const AGGREGATES: [Aggregate; 2] = [Aggregate::MeanPairwise, Aggregate::Difference];
/// Cells below this are measured again with more samples, and what is then seen counts.
const DOUBTFUL: f64 = 0.92;
const MORE: u64 = 1_000;
/// Fewer samples are a first look.
const FEW: u64 = 100;
const LEAST: f64 = 0.90;

fn studies() -> Vec<Study> {
    let mut studies = Vec::new();
    let two = [0.35, 0.65];
    let mut add = |bar, name: &str, world: World, rows: u64, draw, max_shift| {
        studies.push(Study { scene: Scene { name: name.into(), world, rows }, bar, draw, max_shift });
    };
    let plain = |gap, right: &[f64], tilt| world(&two, gap, right, tilt, 2, 0.0);
    let unequal = |right: &[f64]| plain(0.2, right, 0.02);
    {
        let mut add =
            |name: &str, world: World, rows| add(Bar::Sampling, name, world, rows, Draw::Plain, 0.0);
        for gap in [0.0, 0.2] {
            for rows in [2_000, 5_000, 20_000] {
                add(&format!("equal .65, gap {gap}"), plain(gap, &[0.65; 3], 0.0), rows);
                add(&format!("equal .8, asymmetric, gap {gap}"), plain(gap, &[0.8; 3], 0.05), rows);
            }
        }
        add("equal .58", plain(0.2, &[0.58; 3], 0.0), 20_000);
        add("equal .85", plain(0.2, &[0.85; 3], 0.05), 500);
        for rows in [5_000, 20_000, 40_000] {
            add(".9/.7/.6", unequal(&[0.9, 0.7, 0.6]), rows);
            add(".95/.6/.55", unequal(&[0.95, 0.6, 0.55]), rows);
        }
        add(".9/.7/.6, no gap", plain(0.0, &[0.9, 0.7, 0.6], 0.05), 20_000);
        add(".85/.75/.65", unequal(&[0.85, 0.75, 0.65]), 10_000);
        add(".95/.9/.6", unequal(&[0.95, 0.9, 0.6]), 10_000);
        for rows in [5_000, 20_000] {
            add("four, one useless", unequal(&[0.8, 0.8, 0.8, 0.52]), rows);
        }
        add("four, .9/.8/.7/.6", unequal(&[0.9, 0.8, 0.7, 0.6]), 10_000);
        add("five, .9 to .6", unequal(&[0.9, 0.82, 0.75, 0.68, 0.6]), 10_000);
        add("six .7", plain(0.2, &[0.7; 6], 0.05), 5_000);
        add("six, .9 to .55", unequal(&[0.9, 0.83, 0.76, 0.69, 0.62, 0.55]), 10_000);
        let (three, four) = ([0.3, 0.3, 0.4], [0.2, 0.2, 0.3, 0.3]);
        for gap in [0.0, 0.25] {
            add(
                &format!("three groups .75, gap {gap}"),
                world(&three, gap, &[0.75; 3], 0.05, 2, 0.0),
                10_000,
            );
        }
        add("three groups, .85/.7/.6", world(&three, 0.25, &[0.85, 0.7, 0.6], 0.02, 2, 0.0), 20_000);
        add("three groups, four proxies .7", world(&three, 0.25, &[0.7; 4], 0.02, 2, 0.0), 10_000);
        add("four groups .75", world(&four, 0.25, &[0.75; 3], 0.0, 2, 0.0), 20_000);
        add("four groups, .85/.75/.65", world(&four, 0.25, &[0.85, 0.75, 0.65], 0.0, 2, 0.0), 20_000);
        add("three classes .75", world(&two, 0.2, &[0.75; 3], 0.05, 3, 0.0), 10_000);
        add("three classes, .9/.75/.65", world(&two, 0.2, &[0.9, 0.75, 0.65], 0.02, 3, 0.0), 20_000);
        add("three groups and classes .8", world(&three, 0.25, &[0.8; 3], 0.0, 3, 0.0), 20_000);
        add("a group of 3 %, .85", world(&[0.03, 0.97], 0.2, &[0.85; 3], 0.0, 2, 0.0), 20_000);
        add("a group of 3 %, .95/.9/.85", world(&[0.03, 0.97], 0.2, &[0.95, 0.9, 0.85], 0.0, 2, 0.0), 20_000);
        let rare = world(&[0.04, 0.36, 0.6], 0.25, &[0.85; 3], 0.0, 2, 0.0);
        add("three groups, one of 4 %", rare, 20_000);
        let silent = |world: World, by: &[f64]| {
            let proxies = world.legend().proxies.len();
            world.with_abstention(vec![by.to_vec(); proxies]).unwrap()
        };
        add("abstention by group", silent(plain(0.2, &[0.8; 3], 0.05), &[0.2, 0.1]), 10_000);
        add("abstention, .85/.75/.65", silent(unequal(&[0.85, 0.75, 0.65]), &[0.2, 0.1]), 10_000);
        let uneven = unequal(&[0.8, 0.8, 0.75, 0.75]);
        let uneven = uneven.with_abstention(vec![vec![0.5, 0.3], vec![0.0; 2], vec![0.1, 0.3], vec![0.0; 2]]);
        add("abstention, four, uneven", uneven.unwrap(), 10_000);
        let silent_three = silent(world(&three, 0.25, &[0.8; 3], 0.0, 2, 0.0), &[0.2, 0.1, 0.15]);
        add("abstention, three groups", silent_three, 10_000);
    }
    for (name, right) in [("equal .8", [0.8; 3]), (".9/.75/.65", [0.9, 0.75, 0.65])] {
        let designs = [
            ("labels 1 kept 1 in 8", Draw::RareLabels(8.0)),
            ("labels 1 kept 1 in 20", Draw::RareLabels(20.0)),
            ("selected kept 1 in 8", Draw::RareSelected(8.0)),
            ("unrelated weights", Draw::Unrelated),
            ("4 rows each, .7 alike", Draw::Clusters(4, 0.7)),
            ("10 rows each, .9 alike", Draw::Clusters(10, 0.9)),
        ];
        for (design, draw) in designs {
            add(Bar::Sampling, &format!("{name}, {design}"), plain(0.2, &right, 0.02), 20_000, draw, 0.0);
        }
    }
    for rows in [5_000, 20_000] {
        let mut add = |name: &str, world: World| add(Bar::Range, name, world, rows, Draw::Plain, 0.0);
        let base = plain(0.2, &[0.8; 3], 0.05);
        add("copying .1", copied(&base, 0.1, &[0, 1, 2]));
        add("copying .2", copied(&base, 0.2, &[0, 1, 2]));
        add("pair shares .3", copied(&base, 0.3, &[0, 1]));
        add("pair shares .5", copied(&base, 0.5, &[0, 1]));
        add("four, pair shares .5", copied(&plain(0.2, &[0.75; 4], 0.05), 0.5, &[0, 1]));
        add("30 % hard cases", hard(&two, 0.2, &[0.85; 3], 0.3));
        add("difficulty", difficulty(&two, 0.2, 0.8, 3));
        add(".85/.75/.65, copying .1", copied(&unequal(&[0.85, 0.75, 0.65]), 0.1, &[0, 1, 2]));
        add("four, copying .15", copied(&plain(0.2, &[0.78; 4], 0.02), 0.15, &[0, 1, 2, 3]));
        let three = world(&[0.3, 0.3, 0.4], 0.25, &[0.75; 3], 0.02, 2, 0.0);
        add("three groups, copying .15", copied(&three, 0.15, &[0, 1, 2]));
    }
    for shift in [0.05, -0.05, 0.02] {
        let name = |right: &str| format!("{right}, errors shift by {shift:+}");
        let four = shifted(&two, 0.2, &[0.75; 4], shift);
        let three = shifted(&two, 0.2, &[0.75; 3], shift);
        let unequal = shifted(&two, 0.2, &[0.85, 0.75, 0.7], shift);
        add(Bar::Shift, &name("equal .75, stated"), three.clone(), 4_000, Draw::Plain, shift.abs());
        add(Bar::Shift, &name("equal .75, stated"), three.clone(), 20_000, Draw::Plain, shift.abs());
        add(Bar::Shift, &name(".85/.75/.7, stated"), unequal.clone(), 20_000, Draw::Plain, shift.abs());
        if shift.abs() == 0.05 {
            let right = shifted(&two, 0.2, &[0.85; 3], shift);
            let weakest = shifted(&two, 0.2, &[0.7; 3], shift);
            for (right, world) in
                [("equal .7", weakest), ("equal .75", three), ("equal .85", right), ("four .75", four)]
            {
                add(Bar::Warned, &name(right), world, 20_000, Draw::Plain, 0.0);
            }
            add(Bar::Warned, &name(".85/.75/.7"), unequal, 20_000, Draw::Plain, 0.0);
        }
    }
    studies
}

impl Study {
    fn sample(&self, seed: u64) -> Counts {
        let Scene { world, rows, .. } = &self.scene;
        let people = || world.people(seed);
        let positive = |stratum: &Stratum| match self.draw {
            Draw::RareLabels(_) => stratum.label == Some(Class(1)),
            _ => stratum.prediction == Class(1),
        };
        match self.draw {
            Draw::Plain => world.sample(*rows, seed).unwrap().0,
            Draw::RareLabels(by) | Draw::RareSelected(by) => {
                // One of so many, whichever it is: people come in no order.
                let mut met = 0;
                let kept = people().filter_map(|person| {
                    if !positive(&person.stratum) {
                        return Some((person, 1.0));
                    }
                    met += 1;
                    (met % by as u64 == 0).then_some((person, by))
                });
                self.weighed(kept.take(*rows as usize))
            }
            Draw::Unrelated => {
                let mut state = seed;
                let weight = move || {
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    0.5 * 16f64.powf((state >> 11) as f64 / (1u64 << 53) as f64)
                };
                let weights = std::iter::repeat_with(weight);
                self.weighed(people().zip(weights).take(*rows as usize))
            }
            Draw::Clusters(size, alike) => self.clustered(size, alike, seed),
        }
    }

    fn weighed(&self, people: impl Iterator<Item = (SimulatedPerson, f64)>) -> Counts {
        let legend = self.scene.world.legend();
        let mut builder = CountsBuilder::new(legend.clone());
        for (person, weight) in people {
            let guesses: Vec<Option<&str>> =
                person.guesses.iter().map(|guess| guess.map(|Guess(g)| legend.groups[g].as_str())).collect();
            let label = person.stratum.label.map(|label| legend.class(label));
            let prediction = legend.class(person.stratum.prediction);
            builder.add(&Row { prediction, label, guesses: &guesses, weight }).unwrap();
        }
        builder.finish().unwrap()
    }

    fn clustered(&self, size: u64, alike: f64, seed: u64) -> Counts {
        const PARTS: usize = 100;
        let Scene { world, rows, .. } = &self.scene;
        let mut others: Vec<_> = (0..world.legend().groups.len()).map(|_| Vec::new()).collect();
        for person in world.people(seed ^ 0x5eed).take(4 * *rows as usize) {
            others[person.group.0].push(person.stratum);
        }
        let mut cells: BTreeMap<Cell, Vec<f64>> = BTreeMap::new();
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        for (i, person) in world.people(seed).take((*rows / size) as usize).enumerate() {
            for row in 0..size {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let same = row == 0 || ((state >> 11) as f64 / (1u64 << 53) as f64) < alike;
                let stratum = if same { person.stratum } else { others[person.group.0].pop().unwrap() };
                let cell = Cell { stratum, guesses: person.guesses.clone() };
                cells.entry(cell).or_insert_with(|| vec![0.0; PARTS])[(i * 7_919) % PARTS] += 1.0;
            }
        }
        let tally = |(cell, parts): (Cell, Vec<f64>)| {
            (cell, Tally { clusters: Some(parts.clone().into()), ..Tally::of(parts.iter().sum()) })
        };
        let intake = Intake { rows: *rows, ..Intake::default() };
        Counts::new(world.legend().clone(), intake, cells.into_iter().map(tally)).unwrap()
    }

    fn outcomes(&self, seed: u64) -> [[Outcome; 2]; 3] {
        let settings = Settings { n_boot: 400, seed, max_shift: self.max_shift, ..Settings::default() };
        let audit = Audit::run(&self.sample(9_000_000 + seed), None, &settings).unwrap();
        let serious = audit.findings.iter().any(|finding| finding.severity == Severity::Serious);
        Criterion::USUAL.map(|criterion| {
            AGGREGATES.map(|aggregate| {
                let answer = audit.answer(criterion);
                let top = audit.recommended(criterion, aggregate);
                let chosen = audit.results.iter().find(|r| {
                    (r.criterion, r.aggregate) == (criterion, aggregate)
                        && r.origin.estimator == Some(Estimator::LatentClass)
                        && r.value.is_some()
                });
                Outcome {
                    interval: top.and_then(|r| r.interval.as_ref()).map(|interval| interval.ends),
                    range: top.and_then(|r| r.honest_interval.as_ref()).map(|range| range.ends),
                    shown: top.is_some() && answer.is_some_and(|answer| answer.says == Says::Number),
                    value: top.or(chosen).and_then(|r| r.value),
                    serious,
                    truth: self.truth(criterion, aggregate, top.map_or(&[], |r| &r.left_out)),
                    why: answer.and_then(|answer| answer.reasons.first()).map(|reason| reason.why),
                    breakdown: answer.is_some_and(|answer| answer.breakdown_shift.is_some()),
                }
            })
        })
    }

    /// The truth about all groups but those that were left out.
    fn truth(&self, criterion: Criterion, aggregate: Aggregate, left_out: &[String]) -> f64 {
        let legend = self.scene.world.legend();
        let all = self.scene.world.truth(criterion.view());
        let compared: Vec<Group> =
            (0..legend.groups.len()).filter(|a| !left_out.contains(&legend.groups[*a])).map(Group).collect();
        let strata = all.strata().map(|(stratum, shares)| {
            let of = |shares: &Shares<Group>| compared.iter().map(|a| shares[*a]).collect::<Vec<f64>>();
            (stratum, shares.map(|shares| Shares::<Group>::new(of(shares))))
        });
        let truth = Joint::new(criterion.view(), all.classes(), compared.len(), strata);
        measure(&truth, criterion, aggregate, legend.positive).unwrap()
    }

    /// Samples from one seed to another, on two threads.
    fn samples(&self, seeds: std::ops::Range<u64>) -> Vec<[[Outcome; 2]; 3]> {
        let next = AtomicU64::new(seeds.start);
        let work = || {
            let mut done = Vec::new();
            loop {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                if seed >= seeds.end {
                    return done;
                }
                done.push((seed, self.outcomes(seed)));
            }
        };
        let mut all = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        all.sort_by_key(|(seed, _)| *seed);
        all.into_iter().map(|(_, outcome)| outcome).collect()
    }

    /// The agreement beyond chance in its standard errors.
    fn strength(&self) -> f64 {
        let seen = self.scene.world.frequencies().view(View::Predictions).unwrap();
        let proxies = self.scene.world.legend().proxies.len();
        agreement(&seen).unwrap() * (self.scene.rows as f64 * (proxies * (proxies - 1) / 2) as f64).sqrt()
    }
}

/// One line of the table.
struct Line {
    name: String,
    bar: Bar,
    samples: u64,
    made: u64,
    held: u64,
    /// Warned of, or without a number.
    warned: f64,
    strength: f64,
}

impl Line {
    fn coverage(&self) -> f64 {
        self.held as f64 / self.made.max(1) as f64
    }

    fn without(&self) -> f64 {
        1.0 - self.made as f64 / self.samples as f64
    }
}

/// Prints all scenes, or those whose name holds `only`, and what the bars say of them.
pub fn print(samples: u64, only: Option<&str>) {
    println!(
        "| world | rows | z | criterion | aggregate | samples | sampling | width | range | width | none | mostly | serious | RMSE |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut lines = Vec::new();
    let all = studies();
    for study in all.iter().filter(|study| only.is_none_or(|only| study.scene.name.contains(only))) {
        let mut outcomes = study.samples(0..samples);
        let doubtful = |outcomes: &[[[Outcome; 2]; 3]]| {
            study
                .lines(outcomes)
                .iter()
                .any(|(line, _)| line.bar != Bar::Warned && line.coverage() < DOUBTFUL)
        };
        if (FEW..MORE).contains(&samples) && doubtful(&outcomes) {
            outcomes.extend(study.samples(samples..MORE));
        }
        for (line, shown) in study.lines(&outcomes) {
            println!("{shown}");
            lines.push(line);
        }
    }
    judge(&lines);
}

impl Study {
    fn lines(&self, outcomes: &[[[Outcome; 2]; 3]]) -> Vec<(Line, String)> {
        let legend = self.scene.world.legend();
        let same = legend.groups.len() == 2 && legend.classes.len() == 2;
        let mut lines = Vec::new();
        for (i, criterion) in Criterion::USUAL.into_iter().enumerate() {
            for (j, aggregate) in AGGREGATES.into_iter().enumerate() {
                // With two groups and classes both aggregates are one number, but for equalized odds.
                if same && criterion != Criterion::EqualizedOdds && aggregate == Aggregate::Difference {
                    continue;
                }
                let of: Vec<&Outcome> = outcomes.iter().map(|outcome| &outcome[i][j]).collect();
                lines.push(self.line(criterion, aggregate, &of));
            }
        }
        lines
    }

    fn line(&self, criterion: Criterion, aggregate: Aggregate, of: &[&Outcome]) -> (Line, String) {
        // The truth of a world is exact, the interval is not: rounding must not decide.
        let holds =
            |one: &Outcome, ends: &Interval| ends.low <= one.truth + 1e-9 && one.truth <= ends.high + 1e-9;
        let shown: Vec<&&Outcome> = of.iter().filter(|one| one.shown).collect();
        let held = |ends: fn(&Outcome) -> Option<Interval>| {
            shown.iter().filter(|one| ends(one).is_some_and(|ends| holds(one, &ends))).count() as u64
        };
        let width = |ends: fn(&Outcome) -> Option<Interval>| {
            let widths: Vec<f64> = shown.iter().filter_map(|one| Some(ends(one)?.width())).collect();
            widths.iter().sum::<f64>() / widths.len().max(1) as f64
        };
        let interval: fn(&Outcome) -> Option<Interval> = |one| one.interval;
        let range: fn(&Outcome) -> Option<Interval> = |one| one.range;
        let share = |is: &dyn Fn(&Outcome) -> bool| {
            of.iter().filter(|one| is(one)).count() as f64 / of.len().max(1) as f64
        };
        let errors: Vec<f64> = of.iter().filter_map(|one| Some((one.value? - one.truth).powi(2))).collect();
        let line = Line {
            name: format!(
                "{}, {} rows, {} {}",
                self.scene.name,
                self.scene.rows,
                criterion.name(),
                aggregate.name()
            ),
            bar: self.bar,
            samples: of.len() as u64,
            made: shown.len() as u64,
            held: if self.bar == Bar::Sampling { held(interval) } else { held(range) },
            warned: share(&|one| one.serious || !one.shown),
            strength: self.strength(),
        };
        let percent = |held: u64| match shown.len() {
            0 => "–".to_string(),
            made => format!("{:.1}", 100.0 * held as f64 / made as f64),
        };
        debug_assert!(of.iter().all(|one| one.breakdown || !one.shown));
        let mut whys: BTreeMap<&str, usize> = BTreeMap::new();
        of.iter().filter_map(|one| one.why).for_each(|why| *whys.entry(why.name()).or_default() += 1);
        let mostly = whys.iter().max_by_key(|(_, times)| **times).map_or("", |(why, _)| why);
        let text = format!(
            "| {} | {} | {:.0} | {} | {} | {} | {} | {:.3} | {} | {:.3} | {:.1} | {mostly} | {:.1} | {:.3} |",
            self.scene.name,
            self.scene.rows,
            line.strength,
            criterion.name(),
            aggregate.name(),
            of.len(),
            percent(held(interval)),
            width(interval),
            percent(held(range)),
            width(range),
            100.0 * line.without(),
            100.0 * line.warned,
            (errors.iter().sum::<f64>() / errors.len().max(1) as f64).sqrt(),
        );
        (line, text)
    }
}

/// The chance of so few or fewer held of those made, if each held with the least coverage allowed.
fn by_chance(held: u64, made: u64) -> f64 {
    let ln = |n: u64| (1..=n).map(|i| (i as f64).ln()).sum::<f64>();
    let all = ln(made);
    let term = |k: u64| {
        (all - ln(k) - ln(made - k) + k as f64 * LEAST.ln() + (made - k) as f64 * (1.0 - LEAST).ln()).exp()
    };
    (0..=held).map(term).sum()
}

fn judge(lines: &[Line]) {
    for (bar, name) in [
        (Bar::Sampling, "sampling interval"),
        (Bar::Range, "range"),
        (Bar::Shift, "range with the shift stated"),
    ] {
        let mine: Vec<&Line> = lines.iter().filter(|line| line.bar == bar).collect();
        let told: Vec<&&Line> = mine.iter().filter(|line| line.made > 0).collect();
        if told.is_empty() {
            continue;
        }
        let mean = told.iter().map(|line| line.coverage()).sum::<f64>() / told.len() as f64;
        let least = told.iter().min_by(|a, b| a.coverage().total_cmp(&b.coverage())).unwrap();
        println!(
            "\n{name}: {} cells, mean {:.1} %, least {:.1} % ({})",
            told.len(),
            100.0 * mean,
            100.0 * least.coverage(),
            least.name
        );
        let below = told.iter().filter(|line| by_chance(line.held, line.made) < 0.05 / mine.len() as f64);
        below.for_each(|line| println!("  below 90 %: {} ({:.1} %)", line.name, 100.0 * line.coverage()));
        let silent = mine.iter().filter(|line| line.strength >= 10.0 && line.without() > 0.1);
        silent
            .for_each(|line| println!("  without a number: {} ({:.1} %)", line.name, 100.0 * line.without()));
    }
    let warned: Vec<&Line> = lines.iter().filter(|line| line.bar == Bar::Warned).collect();
    if let Some(least) = warned.iter().min_by(|a, b| a.warned.total_cmp(&b.warned)) {
        println!(
            "\nwarned or without a number: {} cells, least {:.1} % ({})",
            warned.len(),
            100.0 * least.warned,
            least.name
        );
        let below = warned.iter().filter(|line| line.warned < 0.8);
        below.for_each(|line| println!("  below 80 %: {} ({:.1} %)", line.name, 100.0 * line.warned));
    }
}
