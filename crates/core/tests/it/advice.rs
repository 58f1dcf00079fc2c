//! What is relied on, what is doubted and what is advised, on tables made to show it.

use fairveil_core::bounds::MaxProxyError;
use fairveil_core::diagnose::Evidence;
use fairveil_core::estimate::{AuditLabels, Given, GivenNoise, Population};
use fairveil_core::noise::TransitionMatrix;
use fairveil_core::rates::Shares;
use fairveil_core::record::{Assumption, Measurement, Step};
use fairveil_core::vocabulary::{Class, Group};
use fairveil_core::world::WorldStratum;
use fairveil_core::{Aggregate, Audit, Counts, Criterion, Estimator, Scope, ScopeChoice, Settings, World};

fn quick() -> Settings {
    Settings { n_boot: 0, ..Settings::default() }
}

fn run(counts: &Counts, settings: &Settings) -> Audit {
    Audit::run(counts, None, settings).unwrap()
}

fn relies_on(audit: &Audit) -> (Option<Estimator>, Option<Scope>) {
    (audit.advice.estimator, audit.advice.scope)
}

fn has(audit: &Audit, code: &str) -> bool {
    audit.findings.iter().any(|finding| finding.code == code)
}

/// Errors that differ between the selected and the others.
fn tilted(shift: f64) -> World {
    let base = World::symmetric(2, 2, &[0.8; 3], 0.25);
    let strata = base.strata().iter().map(|part| {
        let tilt = if part.stratum.prediction == Class(1) { shift } else { -shift };
        let rows = vec![vec![0.8 + tilt, 0.2 - tilt], vec![0.2 + tilt, 0.8 - tilt]];
        WorldStratum { noise: vec![TransitionMatrix::new(rows).unwrap(); 3], ..part.clone() }
    });
    World::new(base.legend().clone(), strata.collect()).unwrap()
}

/// A sample with the true group on the first rows.
fn labelled(world: &World, rows: usize, labels: usize, swapped: bool) -> Counts {
    let (counts, _) = world.sample(rows as u64, 3).unwrap();
    let mut known = AuditLabels::new(Population::Same);
    for person in world.people(3).take(labels) {
        let group = if swapped { Group(1 - person.group.0) } else { person.group };
        known.add(Some(person.stratum), person.guesses, group, 1, 1.0);
    }
    counts.with_audit_labels(known)
}

#[test]
fn the_method_follows_the_evidence() {
    let strong = World::symmetric(2, 2, &[0.8; 3], 0.25).population(5_000).unwrap();
    assert_eq!(relies_on(&run(&strong, &quick())), (Some(Estimator::LatentClass), Some(Scope::Global)));
    // Agreement of 0.0576 on 5,000 rows stands out by 0.0576·√15,000 = 7 standard errors.
    let weak = World::symmetric(2, 2, &[0.62; 3], 0.25).population(5_000).unwrap();
    assert_eq!(relies_on(&run(&weak, &quick())), (Some(Estimator::LatentClass), Some(Scope::Global)));
    let apart = tilted(0.1).population(20_000).unwrap();
    assert_eq!(relies_on(&run(&apart, &quick())), (Some(Estimator::LatentClass), Some(Scope::Local)));
    let two = World::symmetric(2, 2, &[0.8; 2], 0.4).population(20_000).unwrap();
    let audit = run(&two, &quick());
    assert_eq!(relies_on(&audit), (Some(Estimator::LatentClass), Some(Scope::Global)));
    // What is calibrated is not said to be beyond calibration.
    assert!(has(&audit, "P10") && !has(&audit, "P03"));
    let labels = labelled(&World::symmetric(2, 2, &[0.8; 3], 0.25), 3_000, 200, false);
    assert_eq!(relies_on(&run(&labels, &quick())), (Some(Estimator::Audit), Some(Scope::Global)));
    let noise =
        vec![GivenNoise { stratum: None, transition: TransitionMatrix::flips(0.2), group_shares: None }];
    let given = Settings { given: Some(Given { noise }), ..quick() };
    assert_eq!(relies_on(&run(&strong, &given)), (Some(Estimator::Given), Some(Scope::Global)));
}

#[test]
fn proxies_that_hardly_know_end_in_a_direction() {
    let (counts, _) = World::symmetric(2, 2, &[0.52; 3], 0.25).sample(5_000, 1).unwrap();
    let audit = run(&counts, &quick());
    assert!(
        audit.advice.direction_only
            && audit.recommended(Criterion::DemographicParity, Aggregate::Difference).is_none()
    );
    assert_eq!(audit.advice.next[0].step, Step::ReportDirection);
}

#[test]
fn two_proxies_without_strata_that_differ_give_no_number() {
    let counts = World::symmetric(2, 2, &[0.8; 2], 0.0).population(2_000).unwrap();
    let settings = Settings { criteria: vec![Criterion::DemographicParity], ..quick() };
    let audit = run(&counts, &settings);
    assert_eq!(relies_on(&audit), (None, None));
    assert!(audit.advice.reason.contains("two proxies"), "{}", audit.advice.reason);
}

#[test]
fn small_parts_and_few_labels_are_doubted() {
    let world = World::symmetric(2, 2, &[0.8; 3], 0.25);
    assert!(has(&run(&world.population(300).unwrap(), &quick()), "D07"));
    assert!(!has(&run(&world.population(5_000).unwrap(), &quick()), "D07"));
    assert!(has(&run(&labelled(&world, 3_000, 20, false), &quick()), "D08"));
    assert!(!has(&run(&labelled(&world, 3_000, 200, false), &quick()), "D08"));
}

#[test]
fn labels_that_mean_something_else_are_doubted() {
    let world = World::symmetric(2, 2, &[0.8; 3], 0.25);
    assert!(has(&run(&labelled(&world, 3_000, 200, true), &quick()), "N09"));
    assert!(!has(&run(&labelled(&world, 3_000, 200, false), &quick()), "N09"));
}

#[test]
fn labels_do_not_speak_for_strata_that_err_in_ways_of_their_own() {
    let audit = run(&labelled(&tilted(0.1), 20_000, 300, false), &quick());
    assert_eq!(relies_on(&audit), (Some(Estimator::Regression), None));
    assert!(has(&audit, "N12") && !has(&audit, "P09"));
    let gap = |estimator: Estimator, scope| {
        let same = |r: &&Measurement| {
            (r.origin.estimator, r.origin.scope, r.aggregate)
                == (Some(estimator), Some(scope), Aggregate::Difference)
        };
        audit.results.iter().find(same).unwrap().pairs[0].difference
    };
    // Signed, of a gap of -0.25: a sample of 20,000 rows moves the local estimate by some hundredths.
    let (local, audit) = (gap(Estimator::Hoc, Scope::Local), gap(Estimator::Audit, Scope::Global));
    assert!((local + 0.25).abs() < 0.05 && (audit + 0.25).abs() > 0.1, "{local} {audit}");
}

#[test]
fn few_labels_for_many_patterns_are_doubted() {
    let five = World::symmetric(2, 2, &[0.75; 5], 0.25);
    assert!(has(&run(&labelled(&five, 3_000, 100, false), &quick()), "D09"));
    let three = World::symmetric(2, 2, &[0.75; 3], 0.25);
    assert!(!has(&run(&labelled(&three, 3_000, 200, false), &quick()), "D09"));
}

#[test]
fn labels_of_one_group_alone_leave_the_rest_standing() {
    let world = World::symmetric(2, 2, &[0.8; 3], 0.25);
    let (counts, _) = world.sample(3_000, 3).unwrap();
    let mut known = AuditLabels::new(Population::Same);
    for person in world.people(3).take(200).filter(|person| person.group == Group(0)) {
        known.add(Some(person.stratum), person.guesses, person.group, 1, 1.0);
    }
    let audit = run(&counts.with_audit_labels(known), &quick());
    assert_eq!(relies_on(&audit), (Some(Estimator::LatentClass), Some(Scope::Global)));
    assert!(has(&audit, "D08"));
}

#[test]
fn bounds_of_a_proxy_that_abstains_are_not_made_up() {
    let world = World::symmetric(2, 2, &[0.95; 3], 0.2).with_abstention(vec![
        vec![0.2; 2],
        vec![0.0; 2],
        vec![0.0; 2],
    ]);
    let settings = Settings {
        known_shares: Some(vec![0.5, 0.5]),
        max_proxy_error: vec![MaxProxyError::of_all(0.1)],
        criteria: vec![Criterion::DemographicParity],
        ..quick()
    };
    let audit = run(&world.unwrap().population(5_000).unwrap(), &settings);
    let bound = |assumes: Assumption, proxy: Option<usize>| {
        let name = proxy.map(|place| audit.input.proxies[place].name.clone());
        audit.bounds.iter().find(|b| b.assumes == assumes && b.proxy == name).unwrap()
    };
    // Half of all are selected and half are of each group: from the share alone anything goes.
    let alone = bound(Assumption::KnownShares, None).interval.unwrap();
    assert!((alone.low + 1.0).abs() < 1e-9 && (alone.high - 1.0).abs() < 1e-9);
    assert!(
        bound(Assumption::MaxProxyError, Some(0))
            .unavailable
            .as_ref()
            .unwrap()
            .contains("abstains on 20.0 %")
    );
    // At most one wrong guess in ten moves the gap of 0.18 that the proxy shows by 0.2 either way.
    let own = bound(Assumption::MaxProxyError, Some(1)).interval.unwrap();
    assert!((own.low + 0.02).abs() < 1e-9 && (own.high - 0.38).abs() < 1e-9, "{own:?}");
}

#[test]
fn labels_tell_how_much_error_is_shared() {
    let shared = |copying: f64| {
        let world = World::symmetric(2, 2, &[0.75; 3], 0.25).with_copying(copying).unwrap();
        let audit = run(&labelled(&world, 20_000, 3_000, false), &quick());
        let finding = audit.findings.iter().find(|finding| finding.code == "P09").unwrap();
        match finding.evidence["shared_error"] {
            Evidence::Number(share) => share,
            _ => f64::NAN,
        }
    };
    // Copying 0.3 on top of an agreement of 0.25: 0.3/(0.3 + 0.7·0.25) = 0.63 of it is shared. Chance with 3,000 labels
    // moves that by some hundredths.
    assert!((shared(0.3) - 0.63).abs() < 0.08, "{}", shared(0.3));
    assert!(shared(0.0) < 0.1, "{}", shared(0.0));
}

#[test]
fn a_calibrated_gap_below_what_a_proxy_shows_is_doubted() {
    // Guesses that go with the decision show a gap that is not all there.
    let world = tilted(-0.15);
    let settings = Settings { n_boot: 200, scope: ScopeChoice::Fixed(Scope::Local), ..Settings::default() };
    let audit = run(&world.population(50_000).unwrap(), &settings);
    assert!(has(&audit, "N08"), "{:?}", audit.findings.iter().map(|f| &f.code).collect::<Vec<_>>());
    let plain = World::symmetric(2, 2, &[0.8; 3], 0.25).population(50_000).unwrap();
    assert!(!has(&run(&plain, &settings), "N08"));
}

#[test]
fn given_shares_are_compared_with_those_found() {
    let counts = World::symmetric(2, 2, &[0.8; 3], 0.25).population(5_000).unwrap();
    let with = |share: f64| {
        let group_shares = Some(Shares::new([1.0 - share, share]));
        let noise =
            vec![GivenNoise { stratum: None, transition: TransitionMatrix::flips(0.2), group_shares }];
        has(&run(&counts, &Settings { given: Some(Given { noise }), ..quick() }), "N10")
    };
    assert!(with(0.7) && !with(0.5));
}

#[test]
fn what_cannot_be_tested_is_said() {
    let audit = run(&World::symmetric(2, 2, &[0.8; 3], 0.25).population(5_000).unwrap(), &quick());
    let finding = audit.findings.iter().find(|finding| finding.code == "P08").unwrap();
    assert!(finding.message.to_string().contains("any table fits"));
}

#[test]
fn steps_name_labels_and_the_proxy_to_replace() {
    let settings = Settings { n_boot: 200, ..Settings::default() };
    let audit = run(&World::symmetric(2, 2, &[0.85, 0.85, 0.6], 0.25).population(10_000).unwrap(), &settings);
    let step = |audit: &Audit, what: Step| audit.advice.next.iter().find(|step| step.step == what).cloned();
    let replace = step(&audit, Step::ReplaceProxy).unwrap();
    assert!(replace.text.to_string().contains(&audit.input.proxies[2].name), "{}", replace.text);
    let audit = run(&World::symmetric(2, 2, &[0.75; 3], 0.25).population(10_000).unwrap(), &settings);
    assert!(step(&audit, Step::ReplaceProxy).is_none());
    let labels = step(&audit, Step::LabelRows).unwrap().number.unwrap();
    assert!((50.0..1_500.0).contains(&labels), "{labels}");
    assert!(step(&audit, Step::Calibrate).is_some() && step(&audit, Step::TrustProxies).is_none());
    // Proxies that are nearly always right show the gap themselves.
    let audit = run(&World::symmetric(2, 2, &[0.99; 3], 0.05).population(2_000).unwrap(), &settings);
    assert!(step(&audit, Step::TrustProxies).is_some());
}
