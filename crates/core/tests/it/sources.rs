//! Proxies that declare one source are one view, whatever mistakes they share.

use fairveil_core::compare::{Candidate, PairedCell};
use fairveil_core::counts::{Randomized, View};
use fairveil_core::diagnose::Severity;
use fairveil_core::disparity::measure;
use fairveil_core::estimate::{Errors, LatentClass, NoiseEstimator};
use fairveil_core::headline::{Says, Why};
use fairveil_core::noise::NoiseModel;
use fairveil_core::privacy::RandomizedResponse;
use fairveil_core::record::{ErrorModel, Step};
use fairveil_core::vocabulary::{Group, Guess, ProxyId};
use fairveil_core::{
    Aggregate, Audit, Comparison, Counts, Criterion, Estimator, EstimatorChoice, Scope, ScopeChoice,
    Settings, World,
};

const PARITY: Criterion = Criterion::DemographicParity;

fn settings() -> Settings {
    Settings { n_boot: 200, ..Settings::default() }
}

fn run(counts: &Counts, settings: &Settings) -> Audit {
    Audit::run(counts, None, settings).unwrap()
}

/// Four proxies of unequal skill, the first two of one source, which share a guess this often.
fn pair(sharing: f64) -> World {
    let world = World::symmetric(2, 2, &[0.85, 0.7, 0.8, 0.65], 0.25);
    let sources = [Some("names"), Some("names"), None, Some("survey")];
    world.with_sources(&sources).with_sharing(sharing, &[ProxyId(0), ProxyId(1)]).unwrap()
}

/// The gap in demographic parity of an exact table, by one assumption about errors.
fn gap(world: &World, errors: Errors) -> f64 {
    let seen = world.frequencies().view(View::Predictions).unwrap();
    let latent = LatentClass { scope: Scope::Global, errors };
    let joint = latent.explain(&seen, View::Predictions).unwrap().joint;
    measure(&joint, PARITY, Aggregate::Difference, world.legend().positive).unwrap()
}

fn severity(audit: &Audit, code: &str) -> Option<Severity> {
    audit.findings.iter().find(|finding| finding.code == code).map(|finding| finding.severity)
}

#[test]
fn what_a_source_shares_is_undone_where_each_proxy_for_itself_is_misled() {
    for sharing in [0.0, 0.3, 0.6, 0.9] {
        let world = pair(sharing);
        // The last pass moves nothing by 1e-11, and may have gone a ten-thousandth of the way.
        let off = (gap(&world, Errors::BySource) - 0.25).abs();
        assert!(off < 1e-6, "{sharing}: {off}");
        let misled = (gap(&world, Errors::Own) - 0.25).abs();
        assert!(sharing < 0.5 || misled > 0.01, "{sharing}: {misled}");
    }
}

#[test]
fn sources_are_undone_in_all_strata_with_three_groups_and_silence() {
    let silent = vec![vec![0.2, 0.1, 0.0], vec![0.0, 0.3, 0.1], vec![0.1; 3], vec![0.0; 3]];
    let world = World::symmetric(3, 2, &[0.8, 0.7, 0.75, 0.7], 0.3)
        .with_sources(&[Some("a"), Some("a"), None, None])
        .with_sharing(0.5, &[ProxyId(0), ProxyId(1)])
        .unwrap()
        .with_abstention(silent)
        .unwrap();
    let seen = world.frequencies().view(View::Labelled).unwrap();
    let latent = LatentClass { scope: Scope::Global, errors: Errors::BySource };
    let explained = latent.explain(&seen, View::Labelled).unwrap();
    let truth = world.truth(View::Labelled);
    for (stratum, shares) in truth.strata() {
        for a in world.legend().all_groups() {
            let found = explained.joint.cell(a, stratum.label, stratum.prediction).unwrap();
            assert!((found - shares.unwrap()[a]).abs() < 1e-5, "{stratum:?} {a:?}: {found}");
        }
    }
    // Each proxy errs as it does, however its source does together: by itself, or by the mean of the two.
    let NoiseModel::Global(fit) = explained.noise else { unreachable!() };
    for (matrix, right) in fit.value.by_proxy.iter().zip([0.775, 0.725, 0.75, 0.7]) {
        let found = matrix[(Group(1), Guess(1))];
        assert!((found - right).abs() < 1e-4, "{found} {right}");
    }
}

#[test]
fn an_audit_relies_on_sources_and_says_so() {
    let (counts, _) = pair(0.6).sample(20_000, 3).unwrap();
    let audit = run(&counts, &settings());
    for criterion in Criterion::USUAL {
        let result = audit.recommended(criterion, Aggregate::Difference).unwrap();
        assert_eq!(result.origin.assumption, Some(ErrorModel::BySource));
        let (plain, honest) = (result.interval.as_ref().unwrap(), result.honest_interval.as_ref().unwrap());
        assert!(honest.ends.low <= plain.ends.low && plain.ends.high <= honest.ends.high);
    }
    let ends = audit.answer(PARITY).unwrap().interval.unwrap();
    assert!(ends.holds(0.25) && ends.width() < 0.1, "{ends:?}");
    assert!(audit.advice.reason.contains("one source count as one view"), "{}", audit.advice.reason);
    assert_eq!(severity(&audit, "P04"), Some(Severity::Info));
    // The noise table has a row of matrices for every proxy.
    let of_proxy = |name: &str| audit.noise.iter().any(|one| one.proxy.as_deref() == Some(name));
    assert!(audit.input.proxies.iter().all(|proxy| of_proxy(&proxy.name)));
    // Asked for by name it is the same.
    let named = Settings { estimator: EstimatorChoice::Fixed(Estimator::LatentClass), ..settings() };
    let named = run(&counts, &named);
    let of = |audit: &Audit| audit.recommended(PARITY, Aggregate::Difference).unwrap().value.unwrap();
    assert!((of(&named) - of(&audit)).abs() < 1e-9);
}

#[test]
fn the_order_of_the_columns_changes_nothing() {
    let world = pair(0.6);
    let (counts, _) = world.sample(5_000, 1).unwrap();
    let order = [2, 0, 3, 1];
    let mut legend = counts.legend().clone();
    legend.proxies = order.iter().map(|c| counts.legend().proxies[*c].clone()).collect();
    let cells = counts.cells().map(|(cell, tally)| {
        let mut cell = cell.clone();
        cell.guesses = order.iter().map(|c| cell.guesses[*c]).collect();
        (cell, tally.clone())
    });
    let turned = Counts::new(legend, counts.intake().clone(), cells).unwrap();
    let of = |counts: &Counts| run(counts, &settings()).answer(PARITY).unwrap().clone();
    assert_eq!(of(&counts), of(&turned));
}

#[test]
fn copying_between_sources_is_undone_before_views_are_merged() {
    // All four repeat one guess on a tenth of the rows: less than half of what sources agree on.
    let world = World::symmetric(2, 2, &[0.75; 4], 0.25).with_copying(0.1).unwrap();
    let world = world.with_sources(&[Some("a"), Some("a"), None, None]);
    let audit = run(&world.population(200_000).unwrap(), &settings());
    let answer = audit.answer(PARITY).unwrap();
    assert_eq!(answer.rests_on.as_ref().unwrap().assumption, Some(ErrorModel::BySource));
    assert!(!answer.interval.unwrap().holds(0.25), "{answer:?}");
    assert!(answer.range.unwrap().holds(0.25), "{answer:?}");
}

#[test]
fn two_sources_suffice_where_groups_are_decided_differently() {
    let two = |gap: f64| {
        let world = World::symmetric(2, 2, &[0.8, 0.75, 0.8], gap);
        let world = world.with_sources(&[Some("a"), Some("a"), None]);
        world.with_sharing(0.5, &[ProxyId(0), ProxyId(1)]).unwrap().population(20_000).unwrap()
    };
    let audit = run(&two(0.4), &settings());
    let result = audit.recommended(PARITY, Aggregate::Difference).unwrap();
    assert_eq!(result.origin.assumption, Some(ErrorModel::BySource));
    // Two views bend the likelihood less, so a pass goes a smaller part of the way.
    assert!((result.value.unwrap() - 0.4).abs() < 1e-3, "{:?}", result.value);
    // Without a gap nothing tells what they share from skill: the range is all that is said.
    let answer = run(&two(0.0), &settings()).answer(PARITY).unwrap().clone();
    assert_eq!((answer.says, answer.value), (Says::Range, None));
    assert_eq!(answer.reasons[0].why, Why::SharedSource);
}

#[test]
fn where_all_proxies_have_one_source_only_the_range_stands_on_top() {
    let world = World::symmetric(2, 2, &[0.8; 3], 0.25).with_sources(&[Some("a"); 3]);
    let one = run(&world.clone().population(20_000).unwrap(), &settings());
    let apart = run(&world.with_sources(&[None; 3]).population(20_000).unwrap(), &settings());
    for criterion in Criterion::USUAL {
        let (answer, plain) = (one.answer(criterion).unwrap(), apart.answer(criterion).unwrap());
        assert_eq!((answer.says, answer.value, answer.interval), (Says::Range, None, None));
        // Calibrated as without sources.
        assert_eq!((answer.range, &answer.rests_on), (plain.range, &plain.rests_on));
        assert!(plain.says == Says::Number && one.recommended(criterion, Aggregate::Difference).is_none());
        assert!(answer.reasons.iter().all(|reason| reason.why == Why::SharedSource));
    }
    assert_eq!(severity(&one, "P04"), Some(Severity::Serious));
    // Someone who insists on a method gets its number.
    let named = Settings { estimator: EstimatorChoice::Fixed(Estimator::Hoc), ..settings() };
    let world = World::symmetric(2, 2, &[0.8; 3], 0.25).with_sources(&[Some("a"); 3]);
    let named = run(&world.population(20_000).unwrap(), &named);
    assert_eq!(named.answer(PARITY).unwrap().says, Says::Number);
    assert_eq!(severity(&named, "P04"), Some(Severity::Warning));
}

#[test]
fn randomised_guesses_of_one_source_leave_the_range() {
    let world = pair(0.0);
    let response = RandomizedResponse::flip(2, 0.1).unwrap();
    let seen = world.population(40_000).unwrap();
    let told = |name: &str| Randomized {
        column: name.into(),
        groups: seen.legend().groups.clone(),
        response: response.clone(),
    };
    let told: Vec<Randomized> = seen.legend().proxies.iter().map(|proxy| told(&proxy.name)).collect();
    let counts = seen.clone().with_mechanisms(&told).unwrap();
    let audit = run(&counts, &settings());
    let answer = audit.answer(PARITY).unwrap();
    assert!(answer.value.is_none() && answer.reasons.iter().any(|one| one.why == Why::SharedSource));
    assert!(answer.reasons.iter().any(|one| one.text.contains("randomised")), "{:?}", answer.reasons);
}

#[test]
fn sources_that_say_too_little_together_give_no_number() {
    // Two that repeat each other and know little look skilled; the others hardly know anything.
    let world = World::symmetric(2, 2, &[0.55, 0.55, 0.52, 0.51], 0.25);
    let world = world.with_sources(&[Some("a"), Some("a"), None, None]);
    let world = world.with_sharing(0.9, &[ProxyId(0), ProxyId(1)]).unwrap();
    let audit = run(&world.population(5_000).unwrap(), &settings());
    let answer = audit.answer(PARITY).unwrap();
    assert_eq!((answer.value, answer.range, answer.reasons[0].why), (None, None, Why::NoNumber));
    assert!(answer.reasons[0].text.contains("little more than by chance"), "{:?}", answer.reasons);
}

#[test]
fn strata_may_err_in_ways_of_their_own_by_source_too() {
    let local = Settings { scope: ScopeChoice::Fixed(Scope::Local), ..settings() };
    let audit = run(&pair(0.6).population(20_000).unwrap(), &local);
    let result = audit.recommended(PARITY, Aggregate::Difference).unwrap();
    let origin = (result.origin.scope, result.origin.assumption);
    assert_eq!(origin, (Some(Scope::Local), Some(ErrorModel::BySource)));
    // One stratum bends the likelihood less than two.
    assert!((result.value.unwrap() - 0.25).abs() < 1e-4, "{:?}", result.value);
    assert!(result.interval.as_ref().unwrap().ends.holds(0.25));
}

#[test]
fn two_models_are_compared_by_source() {
    let (counts, _) = pair(0.6).sample(10_000, 2).unwrap();
    let rows: Vec<(PairedCell, f64)> = (counts.cells())
        .map(|(cell, tally)| {
            let predictions = vec![cell.stratum.prediction; 2];
            let label = cell.stratum.label;
            (PairedCell { predictions, label, guesses: cell.guesses.clone() }, tally.weight)
        })
        .collect();
    let candidate = || Candidate { counts: &counts, truth: None };
    let found = Comparison::run(&[candidate(), candidate()], &rows, &settings()).unwrap();
    let parity = found.pairs.iter().find(|pair| pair.criterion == PARITY).unwrap();
    assert_eq!((parity.difference, parity.draws_without_estimate), (Some(0.0), 0.0));
}

#[test]
fn advice_names_the_proxy_that_repeats_or_differs_and_never_the_impossible() {
    let step = |audit: &Audit| {
        audit
            .advice
            .next
            .iter()
            .find(|step| step.step == Step::ReplaceProxy)
            .map(|step| step.text.to_string())
    };
    let audit = |world: World| run(&world.population(10_000).unwrap(), &settings());
    // Nothing differs, nothing repeats.
    assert_eq!(step(&audit(World::symmetric(2, 2, &[0.75; 3], 0.25))), None);
    // One agrees far less than the others do: it is weak, or they share.
    let differs = step(&audit(World::symmetric(2, 2, &[0.85, 0.85, 0.6], 0.25))).unwrap();
    assert!(differs.starts_with("Look at proxy_3"), "{differs}");
    // Two are nearly one; of these the one that the third agrees with less.
    let twins = World::symmetric(2, 2, &[0.85, 0.8, 0.8], 0.25);
    let twins = twins.with_sharing(0.95, &[ProxyId(0), ProxyId(1)]).unwrap();
    let repeats = step(&audit(twins.clone())).unwrap();
    assert!(repeats.contains("proxy_2 repeats proxy_1"), "{repeats}");
    // Declared and used, there is nothing to replace; declared and not to be used, another source helps.
    let declared = twins.clone().with_sources(&[Some("a"), Some("a"), None]);
    assert_eq!(step(&audit(declared)), None);
    let one = step(&audit(twins.with_sources(&[Some("a"); 3]))).unwrap();
    assert!(one.starts_with("Replace proxy_2 with a proxy from another source"), "{one}");
    for text in [differs, repeats, one] {
        let lower = text.to_lowercase();
        assert!(!["leave out", "drop", "remove"].iter().any(|word| lower.contains(word)), "{text}");
    }
    // Of three that are partly one none can be left out; of four one can.
    let same = |proxies: usize| {
        let right = vec![0.8; proxies];
        let world = World::symmetric(2, 2, &right, 0.25);
        let world = world.with_sharing(1.0, &[ProxyId(0), ProxyId(1)]).unwrap();
        let audit = audit(world);
        audit.findings.iter().find(|one| one.code == "P05").unwrap().advice.to_string()
    };
    assert!(same(3).starts_with("Replace proxy_2") && same(4).starts_with("Leave out proxy_2"));
}
