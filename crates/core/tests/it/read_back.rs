//! Records read back what they write.

use fairveil_core::bounds::MaxProxyError;
use fairveil_core::compare::{Candidate, PairedCell};
use fairveil_core::counts::Cell;
use fairveil_core::counts::Randomized;
use fairveil_core::estimate::{AuditLabels, Given, GivenNoise, Population};
use fairveil_core::noise::TransitionMatrix;
use fairveil_core::privacy::{Epsilon, RandomizedResponse};
use fairveil_core::vocabulary::Legend;
use fairveil_core::{Audit, Comparison, Counts, Estimator, EstimatorChoice, Settings, World};
use serde::Serialize;
use serde::de::DeserializeOwned;

fn reads_back<T: Serialize + DeserializeOwned>(record: &T) {
    let written = serde_json::to_string_pretty(record).unwrap();
    let read: T = serde_json::from_str(&written).unwrap();
    assert_eq!(serde_json::to_string_pretty(&read).unwrap(), written);
    // What a later version adds is no reason to refuse.
    let added = written.replacen('{', r#"{ "added_later": { "by": ["someone"] },"#, 1);
    assert_eq!(serde_json::to_string_pretty(&serde_json::from_str::<T>(&added).unwrap()).unwrap(), written);
}

fn run(counts: &Counts, settings: &Settings) {
    reads_back(&Audit::run(counts, None, settings).unwrap());
}

fn quick() -> Settings {
    Settings { n_boot: 100, ..Settings::default() }
}

/// Random rows with their group.
fn labelled(counts: Counts, world: &World) -> Counts {
    let mut labels = AuditLabels::new(Population::Same);
    for person in world.people(7).take(300) {
        labels.add(Some(person.stratum), person.guesses, person.group, 1, 1.0);
    }
    counts.with_audit_labels(labels)
}

#[test]
fn an_audit_reads_back_what_it_wrote() {
    let (counts, truth) = World::lending().sample(5_000, 7).unwrap();
    reads_back(&Audit::run(&counts, Some(&truth), &quick()).unwrap());
    // Nothing to calibrate with, nothing labelled, and what is known without either.
    let one = World::symmetric(2, 2, &[0.8], 0.3).population(2_000).unwrap();
    let shares = Some(vec![0.5, 0.5]);
    run(
        &one,
        &Settings { known_shares: shares, max_proxy_error: vec![MaxProxyError::of_all(0.1)], ..quick() },
    );
    let transition = TransitionMatrix::flips(0.2);
    let given = Given { noise: vec![GivenNoise { stratum: None, transition, group_shares: None }] };
    run(&one, &Settings { given: Some(given), ..quick() });
}

#[test]
fn so_does_one_of_proxies_that_abstain_are_told_or_err_in_their_own_ways() {
    let silent = vec![vec![0.3, 0.1], vec![0.0, 0.2], vec![0.1, 0.1]];
    let world = World::symmetric(2, 2, &[0.85, 0.7, 0.75], 0.3).with_abstention(silent).unwrap();
    let estimator = EstimatorChoice::Fixed(Estimator::LatentClass);
    run(&world.population(4_000).unwrap(), &Settings { estimator, ..quick() });
    let world = World::symmetric(2, 2, &[0.8; 3], 0.3);
    let counts = world.population(4_000).unwrap();
    let told = RandomizedResponse::with_epsilon(2, Epsilon::new(2.0).unwrap()).unwrap();
    let Legend { proxies, groups, .. } = counts.legend().clone();
    let told: Vec<_> = (proxies.into_iter())
        .map(|p| Randomized { column: p.name, groups: groups.clone(), response: told.clone() })
        .collect();
    run(&counts.with_mechanisms(&told).unwrap(), &quick());
    run(&labelled(world.population(4_000).unwrap(), &world), &quick());
}

#[test]
fn so_does_a_comparison() {
    let (counts, truth) = World::lending().sample(2_000, 3).unwrap();
    let candidates = [Candidate { counts: &counts, truth: Some(&truth) }; 2];
    let rows: Vec<(PairedCell, f64)> = counts
        .cells()
        .map(|(cell, tally)| {
            let Cell { stratum, guesses } = cell.clone();
            (
                PairedCell { predictions: vec![stratum.prediction; 2], label: stratum.label, guesses },
                tally.weight,
            )
        })
        .collect();
    reads_back(&Comparison::run(&candidates, &rows, &quick()).unwrap());
}
