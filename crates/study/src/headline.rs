//! What an audit recommends, judged on worlds that it was not made for: how far the number is from the truth against
//! the best fixed method. `fairveil-study choice [WORLDS [FROM]]` goes through worlds `FROM` and on, each drawn from its
//! own seed.

use fairveil_core::disparity::measure;
use fairveil_core::noise::TransitionMatrix;
use fairveil_core::record::Measurement;
use fairveil_core::vocabulary::{Class, Legend, ProxyId, Stratum};
use fairveil_core::world::WorldStratum;
use fairveil_core::{Aggregate, Audit, Criterion, Scope, Settings, World};

/// A world with a name.
pub struct Scene {
    pub name: String,
    pub world: World,
    pub rows: u64,
}

/// Errors of a proxy of two groups or more: right with `right`, a little more often in the first group.
pub fn matrix(groups: usize, right: f64, tilt: f64) -> TransitionMatrix {
    let row = |a: usize| {
        let right = (right + if a == 0 { tilt } else { -tilt }).clamp(0.02, 0.98);
        let wrong = (1.0 - right) / (groups - 1) as f64;
        (0..groups).map(|g| if a == g { right } else { wrong }).collect()
    };
    TransitionMatrix::new((0..groups).map(row).collect()).unwrap()
}

/// Groups of unequal size, decided at unequal rates; errors may move with the decision by `shift`.
pub fn world(shares: &[f64], gap: f64, right: &[f64], tilt: f64, classes: usize, shift: f64) -> World {
    let groups = shares.len();
    let legend = Legend::plain(groups, classes, right.len(), true);
    let mut strata = Vec::new();
    for label in 0..classes {
        for prediction in 0..classes {
            let of_group = |a: usize| {
                let part = a as f64 / (groups - 1) as f64 - 0.5;
                let base = 0.5 + 0.1 * part;
                let selected = 0.45 + gap * part + if label == 1 { 0.15 } else { -0.15 };
                let split = |is: bool, p: f64| if is { p } else { (1.0 - p) / (classes - 1) as f64 };
                shares[a] * split(label == 1, base) * split(prediction == 1, selected)
            };
            let moved = if prediction == 1 { shift } else { -shift };
            let noise = right.iter().map(|right| {
                let rows = matrix(groups, *right, tilt).rows().to_vec();
                let towards = |row: Vec<f64>| {
                    let mut row = row;
                    row[0] = (row[0] + moved).clamp(0.01, 0.99);
                    let rest: f64 = row[1..].iter().sum();
                    let scale = (1.0 - row[0]) / rest;
                    row[1..].iter_mut().for_each(|p| *p *= scale);
                    row
                };
                TransitionMatrix::new(rows.into_iter().map(towards).collect()).unwrap()
            });
            let noise = noise.collect();
            strata.push(WorldStratum {
                stratum: Stratum { label: Some(Class(label)), prediction: Class(prediction) },
                joint: (0..groups).map(of_group).collect(),
                noise,
            });
        }
    }
    World::new(legend, strata).unwrap()
}

pub fn copied(world: &World, probability: f64, proxies: &[usize]) -> World {
    let proxies: Vec<ProxyId> = proxies.iter().map(|c| ProxyId(*c)).collect();
    world.clone().with_sharing(probability, &proxies).unwrap()
}

/// Two groups or more whose errors go with the decision: among the selected, guesses of the first group are `shift` more
/// frequent in every group than among the others, and on average as frequent as elsewhere.
pub fn shifted(shares: &[f64], gap: f64, right: &[f64], shift: f64) -> World {
    let plain = world(shares, gap, right, 0.02, 2, 0.0);
    let is_selected = |part: &WorldStratum| part.stratum.prediction == Class(1);
    let all = plain.strata().iter().filter(|part| is_selected(part));
    let selected: f64 = all.flat_map(|part| &part.joint).sum();
    let moved = |part: &WorldStratum| {
        let by = if is_selected(part) { shift * (1.0 - selected) } else { -shift * selected };
        let matrix = |errors: &TransitionMatrix| {
            let row = |row: &Vec<f64>| {
                let first = row[0] + by;
                let scale = (1.0 - first) / (1.0 - row[0]);
                std::iter::once(first).chain(row[1..].iter().map(|p| p * scale)).collect()
            };
            TransitionMatrix::new(errors.rows().iter().map(row).collect()).unwrap()
        };
        WorldStratum { noise: part.noise.iter().map(matrix).collect(), ..part.clone() }
    };
    let strata = plain.strata().iter().map(moved).collect();
    World::new(plain.legend().clone(), strata).unwrap()
}

/// Proxies that are right more often, or less, among the selected than among the others.
fn skilled_by_decision(plain: &World, by: f64) -> World {
    let moved = |part: &WorldStratum| {
        let by = if part.stratum.prediction == Class(1) { by / 2.0 } else { -by / 2.0 };
        let matrix = |errors: &TransitionMatrix| {
            let row = |(a, row): (usize, &Vec<f64>)| {
                let right = (row[a] + by).clamp(0.05, 0.98);
                let scale = (1.0 - right) / (1.0 - row[a]);
                row.iter().enumerate().map(|(g, p)| if g == a { right } else { p * scale }).collect()
            };
            TransitionMatrix::new(errors.rows().iter().enumerate().map(row).collect()).unwrap()
        };
        WorldStratum { noise: part.noise.iter().map(matrix).collect(), ..part.clone() }
    };
    let strata = plain.strata().iter().map(moved).collect();
    World::new(plain.legend().clone(), strata).unwrap()
}

/// Three in ten people are guessed at random by all proxies alike well: groups split in two kinds, told as one.
pub fn hard(shares: &[f64], gap: f64, right: &[f64], part: f64) -> World {
    mixed(shares, gap, &[(1.0 - part, right.to_vec()), (part, vec![0.5 + 0.02; right.len()])])
}

/// Skill that varies from person to person, all proxies together: five kinds around a mean.
pub fn difficulty(shares: &[f64], gap: f64, right: f64, proxies: usize) -> World {
    let odds = (right / (1.0 - right)).ln();
    let kinds = [(0.1, -1.6), (0.2, -0.8), (0.4, 0.0), (0.2, 0.8), (0.1, 1.6)];
    let kind = |(share, by): &(f64, f64)| (*share, vec![1.0 / (1.0 + (-(odds + by)).exp()); proxies]);
    mixed(shares, gap, &kinds.iter().map(kind).collect::<Vec<_>>())
}

/// People of several kinds, within whom proxies err independently.
fn mixed(shares: &[f64], gap: f64, kinds: &[(f64, Vec<f64>)]) -> World {
    let of_kind = |(share, right): &(f64, Vec<f64>)| {
        let kind = world(shares, gap, right, 0.03, 2, 0.0);
        let scaled = |part: &WorldStratum| WorldStratum {
            joint: part.joint.iter().map(|p| p * share).collect(),
            ..part.clone()
        };
        kind.strata().iter().map(scaled).collect::<Vec<_>>()
    };
    let legend = Legend::plain(shares.len(), 2, kinds[0].1.len(), true);
    // A stratum may stand there more than once: people who are decided alike and guessed in different ways.
    World::new(legend, kinds.iter().flat_map(of_kind).collect()).unwrap()
}

/// A world drawn from its seed: any kind of dependence, skill and size.
pub fn drawn(seed: u64) -> Scene {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x1234_5678);
    // SplitMix64: a number in [0, 1).
    let mut next = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    };
    let three = next() < 0.25;
    let small = 0.15 + 0.35 * next();
    let shares = if three { vec![small * 0.6, 0.3, 0.7 - small * 0.6] } else { vec![small, 1.0 - small] };
    let gap = [0.0, 0.08, 0.2, 0.3][(4.0 * next()) as usize];
    let proxies = 3 + (3.0 * next() * next()) as usize;
    let mean = 0.65 + 0.2 * next();
    let unequal = next() < 0.5;
    let right: Vec<f64> = (0..proxies)
        .map(|_| (mean + if unequal { 0.3 * (next() - 0.5) } else { 0.0 }).clamp(0.55, 0.95))
        .collect();
    let tilt = 0.1 * (next() - 0.5);
    let rows = [2_000, 5_000, 20_000, 50_000][(4.0 * next()) as usize];
    let kind = (7.0 * next()) as usize;
    let amount = next();
    let plain = |shift| world(&shares, gap, &right, tilt, 2, shift);
    let skill = if unequal { "unequal" } else { "equal" };
    let (name, world) = match kind {
        0 | 1 => (skill.to_string(), plain(0.0)),
        2 => (
            format!("{skill}, copying {:.2}", 0.25 * amount),
            copied(&plain(0.0), 0.25 * amount, &(0..proxies).collect::<Vec<_>>()),
        ),
        3 => (format!("{skill}, pair {:.2}", 0.6 * amount), copied(&plain(0.0), 0.6 * amount, &[0, 1])),
        4 if !three => {
            (format!("hard cases {:.2}", 0.35 * amount), hard(&shares, gap, &right, 0.35 * amount))
        }
        5 => (
            format!("{skill}, skill by decision {:.2}", 0.24 * (amount - 0.5)),
            skilled_by_decision(&plain(0.0), 0.24 * (amount - 0.5)),
        ),
        _ => (format!("{skill}, shift {:.2}", 0.1 * (amount - 0.5)), plain(0.1 * (amount - 0.5))),
    };
    Scene { name: format!("#{seed} M{} C{proxies} {name}", shares.len()), world, rows }
}

/// Root mean squared errors of every method by its name.
fn errors(audits: &[Audit], criterion: Criterion, truth: f64) -> Vec<(String, f64)> {
    let mut errors: Vec<(String, Vec<f64>)> = Vec::new();
    let mine = |r: &&Measurement| {
        (r.criterion, r.aggregate) == (criterion, Aggregate::MeanPairwise) && r.origin.estimator.is_some()
    };
    for r in audits.iter().flat_map(|audit| audit.results.iter().filter(mine)) {
        // Where there is no number, as far off as a guess.
        let (name, error) = (fixed(r), r.value.map_or(0.25, |value| (value - truth).powi(2)));
        match errors.iter_mut().find(|(other, _)| *other == name) {
            Some((_, errors)) => errors.push(error),
            None => errors.push((name, vec![error])),
        }
    }
    let root = |errors: Vec<f64>| (errors.iter().sum::<f64>() / errors.len() as f64).sqrt();
    errors.into_iter().map(|(name, errors)| (name, root(errors))).collect()
}

/// A method by name; those that are offered in some samples only are no fixed choice.
fn fixed(r: &Measurement) -> String {
    let part = |name: Option<&'static str>| name.unwrap_or("");
    format!(
        "{} {} {}",
        part(r.origin.estimator.map(fairveil_core::Estimator::name)),
        part(r.origin.scope.map(Scope::name)),
        part(r.origin.assumption.map(|one| one.name()))
    )
}

fn audits(scene: &Scene, samples: u64, draws: usize) -> Vec<Audit> {
    let audit = |seed: u64| {
        let (counts, _) = scene.world.sample(scene.rows, 7_000_000 + seed).unwrap();
        let settings = Settings { n_boot: draws, seed, ..Settings::default() };
        Audit::run(&counts, None, &settings).unwrap()
    };
    (0..samples).map(audit).collect()
}

/// Root mean squared error against that of the best fixed method, over worlds drawn from `from` on.
pub fn print_choice(worlds: u64, from: u64, samples: u64) {
    const FIXED: [&str; 4] =
        ["hoc global ", "hoc local ", "latent-class global alike", "latent-class global own"];
    let mut logs: Vec<Vec<f64>> = vec![Vec::new(); 3];
    for seed in from..from + worlds {
        let scene = drawn(seed);
        let audits = audits(&scene, samples, 0);
        let mut shown = Vec::new();
        for (place, criterion) in Criterion::USUAL.into_iter().enumerate() {
            let (mut square, mut made) = (0.0, 0.0);
            let truth = scene.world.truth(criterion.view());
            let truth =
                measure(&truth, criterion, Aggregate::MeanPairwise, scene.world.legend().positive).unwrap();
            for audit in &audits {
                // The number of a range counts though it is not shown.
                let origin = audit.answer(criterion).and_then(|answer| answer.rests_on.as_ref());
                let same = |r: &&Measurement| {
                    (r.criterion, r.aggregate) == (criterion, Aggregate::MeanPairwise)
                        && Some(&r.origin) == origin
                };
                if let Some(value) = audit.results.iter().find(same).and_then(|r| r.value) {
                    square += (value - truth).powi(2);
                    made += 1.0;
                }
            }
            let found = errors(&audits, criterion, truth);
            let of = |name: &&str| found.iter().find(|(other, _)| other == name).map(|(_, error)| *error);
            let means: Vec<Option<f64>> = FIXED.iter().map(of).collect();
            let best = means.iter().flatten().copied().fold(f64::INFINITY, f64::min);
            if made > 0.0 && best.is_finite() && best > 0.0 {
                let ratio = (square / made).sqrt() / best;
                logs[place].push(ratio.ln());
                let means: Vec<String> =
                    means.iter().map(|m| m.map_or("-".into(), |m| format!("{m:.4}"))).collect();
                shown.push(format!("{:.2} [{}]", ratio, means.join(" ")));
            }
        }
        println!("{} {}: {}", scene.name, scene.rows, shown.join("  "));
    }
    for (criterion, logs) in Criterion::USUAL.iter().zip(logs) {
        let mean = logs.iter().sum::<f64>() / logs.len().max(1) as f64;
        let worst = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        println!(
            "{}: geometric mean {:.3}, worst {:.2} over {} worlds",
            criterion.name(),
            mean.exp(),
            worst.exp(),
            logs.len()
        );
    }
}
