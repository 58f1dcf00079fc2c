//! Proxies of one source as one view: how far numbers are from the truth, and how often their intervals and ranges hold, as a
//! user sees them, where proxies declare what they share.
//!
//! `fairveil-study sources [SAMPLES [WORLD]]`.

use crate::headline::world;
use fairveil_core::counts::{Counts, Frequencies, View};
use fairveil_core::disparity::measure;
use fairveil_core::estimate::{Errors, LatentClass, NoiseEstimator};
use fairveil_core::headline::Says;
use fairveil_core::vocabulary::ProxyId;
use fairveil_core::{Aggregate, Audit, Criterion, Interval, Scope, Settings, World};

struct Scene {
    name: String,
    world: World,
}

#[derive(Default)]
struct Tally {
    made: f64,
    square: f64,
    held: f64,
    width: f64,
    ranges: f64,
    range_held: f64,
    range_width: f64,
}

/// Squared errors of a method by name.
#[derive(Default)]
struct Fixed {
    made: f64,
    square: f64,
}

fn shared(world: World, probability: f64, pair: [usize; 2]) -> World {
    world.with_sharing(probability, &pair.map(ProxyId)).unwrap()
}

fn scenes() -> Vec<Scene> {
    let mut scenes = Vec::new();
    let mut add = |name: String, world: World| scenes.push(Scene { name, world });
    let (two, three) = ([0.35, 0.65], [0.3, 0.3, 0.4]);
    let pair = &[Some("a"), Some("a"), None, None];
    for by in [0.0, 0.3, 0.6, 0.9] {
        let equal = world(&two, 0.2, &[0.75; 4], 0.05, 2, 0.0).with_sources(pair);
        add(format!("four .75, pair shares {by}"), shared(equal, by, [0, 1]));
        let unequal = world(&two, 0.2, &[0.85, 0.7, 0.8, 0.65], 0.05, 2, 0.0).with_sources(pair);
        add(format!("four .85/.7/.8/.65, pair shares {by}"), shared(unequal, by, [0, 1]));
    }
    let none = world(&two, 0.0, &[0.85, 0.7, 0.8, 0.65], 0.05, 2, 0.0).with_sources(pair);
    add("four, no gap, pair shares 0.6".into(), shared(none, 0.6, [0, 1]));
    for by in [0.0, 0.5] {
        let three = world(&two, 0.2, &[0.8, 0.75, 0.8], 0.05, 2, 0.0);
        let three = three.with_sources(&[Some("a"), Some("a"), None]);
        add(format!("three in two sources, pair shares {by}"), shared(three, by, [0, 1]));
    }
    let five = world(&two, 0.2, &[0.8, 0.7, 0.75, 0.7, 0.8], 0.05, 2, 0.0);
    let five = five.with_sources(&[Some("a"), Some("a"), Some("b"), Some("b"), None]);
    add("five in three sources, a pair shares 0.6".into(), shared(five, 0.6, [0, 1]));
    let groups = world(&three, 0.25, &[0.8, 0.75, 0.75, 0.7], 0.02, 2, 0.0).with_sources(pair);
    add("three groups, four, pair shares 0.5".into(), shared(groups, 0.5, [0, 1]));
    let silent = world(&two, 0.2, &[0.85, 0.7, 0.8, 0.65], 0.05, 2, 0.0).with_sources(pair);
    let silent = shared(silent, 0.5, [0, 1]).with_abstention(vec![vec![0.2, 0.1]; 4]).unwrap();
    add("abstention, four, pair shares 0.5".into(), silent);
    let all = world(&two, 0.2, &[0.75; 4], 0.05, 2, 0.0).with_sources(pair);
    add("four, all copy 0.1".into(), all.with_copying(0.1).unwrap());
    let one = world(&two, 0.2, &[0.8; 3], 0.05, 2, 0.0).with_sources(&[Some("a"); 3]);
    for by in [0.0, 0.1] {
        let one = one.clone().with_copying(by).unwrap();
        add(format!("three in one source, all copy {by}"), one);
    }
    scenes
}

fn holds(ends: Interval, truth: f64) -> f64 {
    f64::from(u8::from(ends.low <= truth + 1e-9 && truth <= ends.high + 1e-9))
}

/// The same rows by latent class with a matrix for each proxy, and by what is chosen where no source is declared.
fn compared(counts: &Counts, seen: &Frequencies, settings: &Settings, truth: f64, fixed: &mut [Fixed; 2]) {
    let positive = counts.legend().positive;
    let criterion = Criterion::DemographicParity;
    let mut add = |place: usize, value: Option<f64>| {
        if let Some(value) = value {
            fixed[place].made += 1.0;
            fixed[place].square += (value - truth).powi(2);
        }
    };
    let own = LatentClass { scope: Scope::Global, errors: Errors::Own };
    let own = own.explain(seen, View::Predictions).ok();
    add(0, own.and_then(|own| measure(&own.joint, criterion, Aggregate::Difference, positive).ok()));
    let mut legend = counts.legend().clone();
    legend.proxies.iter_mut().for_each(|proxy| proxy.source = None);
    let cells = counts.cells().map(|(cell, tally)| (cell.clone(), tally.clone()));
    let undeclared = Counts::new(legend, counts.intake().clone(), cells).unwrap();
    let settings = Settings { n_boot: 0, ..settings.clone() };
    let audit = Audit::run(&undeclared, None, &settings).unwrap();
    add(1, audit.recommended(criterion, Aggregate::Difference).and_then(|r| r.value));
}

/// Prints the table, all criteria by their largest difference.
pub fn print(samples: u64, only: Option<&str>) {
    println!(
        "| world | rows | criterion | RMSE | own `T` | undeclared | sampling | width | range | width | number | range only |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for scene in scenes().iter().filter(|scene| only.is_none_or(|only| scene.name.contains(only))) {
        for rows in [5_000, 20_000] {
            one(scene, rows, samples);
        }
    }
}

fn one(scene: &Scene, rows: u64, samples: u64) {
    let positive = scene.world.legend().positive;
    let truths = Criterion::USUAL.map(|criterion| {
        let joint = scene.world.truth(criterion.view());
        measure(&joint, criterion, Aggregate::Difference, positive).unwrap()
    });
    let mut tallies: [Tally; 3] = Default::default();
    let mut fixed: [Fixed; 2] = Default::default();
    for seed in 0..samples {
        let (counts, _) = scene.world.sample(rows, 8_000_000 + seed).unwrap();
        let settings = Settings { n_boot: 400, seed, ..Settings::default() };
        let audit = Audit::run(&counts, None, &settings).unwrap();
        let seen = counts.frequencies().view(View::Predictions).unwrap();
        compared(&counts, &seen, &settings, truths[0], &mut fixed);
        for ((criterion, truth), tally) in Criterion::USUAL.iter().zip(truths).zip(&mut tallies) {
            let answer = audit.answer(*criterion).unwrap();
            if let (Some(value), Some(interval)) = (answer.value, answer.interval) {
                tally.made += 1.0;
                tally.square += (value - truth).powi(2);
                tally.held += holds(interval, truth);
                tally.width += interval.width();
            }
            if let Some(range) = answer.range {
                tally.ranges += f64::from(u8::from(answer.says == Says::Range));
                tally.range_held += holds(range, truth);
                tally.range_width += range.width();
            }
        }
    }
    let root = |square: f64, made: f64| {
        if made > 0.0 { format!("{:.4}", (square / made).sqrt()) } else { "–".into() }
    };
    let percent = |part: f64, whole: f64| {
        if whole > 0.0 { format!("{:.1} %", 100.0 * part / whole) } else { "–".into() }
    };
    for (place, (criterion, tally)) in Criterion::USUAL.iter().zip(&tallies).enumerate() {
        let ranged = tally.made + tally.ranges;
        let beside = |fixed: &Fixed| if place == 0 { root(fixed.square, fixed.made) } else { String::new() };
        println!(
            "| {} | {rows} | {} | {} | {} | {} | {} | {:.3} | {} | {:.3} | {} | {} |",
            scene.name,
            criterion.name(),
            root(tally.square, tally.made),
            beside(&fixed[0]),
            beside(&fixed[1]),
            percent(tally.held, tally.made),
            tally.width / tally.made.max(1.0),
            percent(tally.range_held, ranged),
            tally.range_width / ranged.max(1.0),
            percent(tally.made, samples as f64),
            percent(tally.ranges, samples as f64),
        );
    }
}
