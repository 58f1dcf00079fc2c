//! What an audit chooses by itself, and what its honest range takes in.

use fairveil_core::counts::{Cell, Intake, Tally};
use fairveil_core::diagnose::Severity;
use fairveil_core::headline::{Says, Why};
use fairveil_core::noise::TransitionMatrix;
use fairveil_core::record::{ErrorModel, Measurement, Step, Test};
use fairveil_core::vocabulary::{Class, Legend, ProxyId, Stratum};
use fairveil_core::world::WorldStratum;
use fairveil_core::{
    Aggregate, Audit, Counts, Criterion, Estimator, EstimatorChoice, Scope, Settings, World,
};

fn settings() -> Settings {
    Settings { n_boot: 200, ..Settings::default() }
}

fn run(counts: &Counts, settings: &Settings) -> Audit {
    Audit::run(counts, None, settings).unwrap()
}

fn parity(audit: &Audit) -> Vec<&Measurement> {
    let same = |r: &&Measurement| {
        (r.criterion, r.aggregate) == (Criterion::DemographicParity, Aggregate::Difference)
    };
    audit.results.iter().filter(same).collect()
}

fn recommended(audit: &Audit) -> &Measurement {
    audit.recommended(Criterion::DemographicParity, Aggregate::Difference).unwrap()
}

#[test]
fn own_errors_are_chosen_where_proxies_differ_and_both_explanations_are_shown() {
    for (right, wanted) in [([0.9, 0.7, 0.6], ErrorModel::Own), ([0.75; 3], ErrorModel::Alike)] {
        let audit = run(&World::symmetric(2, 2, &right, 0.25).population(20_000).unwrap(), &settings());
        let latent: Vec<ErrorModel> = parity(&audit).iter().filter_map(|r| r.origin.assumption).collect();
        assert_eq!(latent.len(), 2, "{latent:?}");
        assert_eq!((latent[0], recommended(&audit).origin.assumption), (wanted, Some(wanted)));
        assert!((recommended(&audit).value.unwrap() - 0.25).abs() < 1e-4);
        // Asked for by name it is the same one.
        let named = EstimatorChoice::Fixed(Estimator::LatentClass);
        let audit = run(
            &World::symmetric(2, 2, &right, 0.25).population(20_000).unwrap(),
            &Settings { estimator: named, ..settings() },
        );
        assert_eq!(recommended(&audit).origin.assumption, Some(wanted));
    }
}

#[test]
fn the_honest_range_holds_the_sampling_interval_and_every_plausible_explanation() {
    let (counts, _) = World::symmetric(2, 2, &[0.8, 0.75, 0.7], 0.25).sample(10_000, 3).unwrap();
    let audit = run(&counts, &settings());
    let chosen = recommended(&audit);
    let honest = chosen.honest_interval.as_ref().unwrap().ends;
    let plain = chosen.interval.as_ref().unwrap().ends;
    assert!(honest.low <= plain.low && plain.high <= honest.high);
    let global = |r: &&&Measurement| r.origin.scope == Some(Scope::Global);
    let others = parity(&audit);
    let others: Vec<_> =
        others.iter().filter(global).map(|r| r.honest_interval.as_ref().unwrap().ends).collect();
    assert_eq!(others.len(), 3);
    assert!(others.iter().all(|other| honest.low <= other.low && other.high <= honest.high));
    // An estimator that was asked for answers for itself.
    let named = Settings { estimator: EstimatorChoice::Fixed(Estimator::LatentClass), ..settings() };
    let alone = run(&counts, &named);
    assert!(recommended(&alone).honest_interval.as_ref().unwrap().ends.width() < honest.width());
}

#[test]
fn skill_that_no_sharing_explains_rules_out_one_table_for_all_proxies() {
    let (counts, _) = World::symmetric(2, 2, &[0.95, 0.7, 0.55], 0.25).sample(20_000, 3).unwrap();
    let audit = run(&counts, &settings());
    let chosen = recommended(&audit).honest_interval.as_ref().unwrap().ends;
    let of =
        |assumption| parity(&audit).into_iter().find(|r| r.origin.assumption == Some(assumption)).unwrap();
    // The pairs agree by 0.36, 0.09 and 0.04 beyond chance: if skill were the same, 0.32, 0.05 and 0 of that would be shared,
    // three quarters of it.
    assert_eq!(chosen, of(ErrorModel::Own).honest_interval.as_ref().unwrap().ends);
    assert!(
        chosen.holds(0.25) && of(ErrorModel::Alike).honest_interval.as_ref().unwrap().ends.high > chosen.high
    );
    // If nine tenths may be, it could: what was chosen then answers for one table too.
    let open = run(&counts, &Settings { shared_error: 0.9, ..settings() });
    let range = |assumption| {
        let found = parity(&open).into_iter().find(|r| r.origin.assumption == Some(assumption)).unwrap();
        found.honest_interval.as_ref().unwrap().ends
    };
    assert!(range(ErrorModel::Own).high >= range(ErrorModel::Alike).high.min(1.0));
}

#[test]
fn a_table_that_contradicts_independent_errors_widens_the_honest_range() {
    let plain = World::symmetric(2, 2, &[0.75; 4], 0.25);
    let shared = plain.clone().with_sharing(0.5, &[ProxyId(0), ProxyId(1)]).unwrap();
    let fit = |audit: &Audit| audit.tests.iter().find(|test| test.test == Test::Fit).unwrap().p_value;
    let found = |audit: &Audit| audit.findings.iter().any(|finding| finding.code == "P14");
    let (counts, _) = shared.sample(20_000, 1).unwrap();
    let audit = run(&counts, &settings());
    assert!(fit(&audit) < 1e-6 && found(&audit));
    assert!(parity(&audit).iter().any(|r| {
        (r.origin.estimator, r.origin.scope) == (Some(Estimator::LatentClass), Some(Scope::Local))
    }));
    // What is wrong looks like errors that go with the decision; no number stands, and the range holds the true gap.
    let answer = audit.answer(Criterion::DemographicParity).unwrap();
    let why: Vec<Why> = answer.reasons.iter().map(|reason| reason.why).collect();
    assert_eq!((answer.says, answer.value, &why[..]), (Says::Range, None, &[Why::ErrorsFollowDecisions][..]));
    assert!(answer.range.unwrap().holds(0.25), "{answer:?}");
    assert_eq!(audit.advice.next[0].step, Step::ReportRange);
    assert!(!audit.results.iter().any(|result| result.recommended && result.criterion == answer.criterion));
    // Skill cannot be told from sharing: one table of errors for all proxies.
    let assumed = answer.rests_on.as_ref().unwrap();
    assert_eq!((assumed.scope, assumed.assumption), (Some(Scope::Global), Some(ErrorModel::Alike)));
    let (counts, _) = plain.sample(20_000, 1).unwrap();
    let audit = run(&counts, &settings());
    assert!(fit(&audit) > 0.01 && !found(&audit));
}

/// Three groups, one of which is four people of a thousand: the other two are compared.
#[test]
fn a_group_that_cannot_be_told_takes_down_its_own_row_only() {
    let noise = vec![TransitionMatrix::symmetric(3, 0.9); 3];
    let part = |prediction: usize, joint: [f64; 3]| WorldStratum {
        stratum: Stratum { label: None, prediction: Class(prediction) },
        joint: joint.to_vec(),
        noise: noise.clone(),
    };
    let strata = vec![part(0, [0.30, 0.198, 0.002]), part(1, [0.20, 0.298, 0.002])];
    let world = World::new(Legend::plain(3, 2, 3, false), strata).unwrap();
    let (counts, truth) = world.sample(10_000, 3).unwrap();
    let criteria = vec![Criterion::DemographicParity];
    let settings = Settings { criteria: criteria.clone(), ..Settings::default() };
    let audit = Audit::run(&counts, Some(&truth), &settings).unwrap();
    let answer = audit.answer(Criterion::DemographicParity).unwrap();
    let rare = counts.legend().groups[2].clone();
    assert_eq!((answer.says, &answer.left_out), (Says::Number, &vec![rare.clone()]), "{:?}", answer.reasons);
    assert!(answer.interval.unwrap().holds(0.2), "{answer:?}");
    let result = audit.recommended(Criterion::DemographicParity, Aggregate::Difference).unwrap();
    assert!(result.pairs.iter().all(|pair| pair.a != rare && pair.b != rare));
    assert!(result.groups.iter().all(|group| group.rate.is_none() == (group.group == rare)));
    assert!(audit.findings.iter().any(|finding| finding.code == "U06"));
    // A method that was asked for answers for all of them.
    let settings = Settings { estimator: EstimatorChoice::Fixed(Estimator::LatentClass), ..settings };
    let asked = Audit::run(&counts, None, &settings).unwrap();
    assert!(asked.results.iter().all(|result| result.left_out.is_empty()));
}

/// Silence by group alone is harmless; silence that goes with the decision inside a group is not.
#[test]
fn silence_that_goes_with_the_decision_is_serious_and_silence_by_group_a_note() {
    let severity = |silent: fn(usize, usize) -> u64| {
        let world = World::symmetric(2, 2, &[0.8; 3], 0.2);
        let mut cells = std::collections::BTreeMap::<Cell, f64>::new();
        for (i, person) in world.people(5).take(20_000).enumerate() {
            let mut guesses = person.guesses.clone();
            let chance = silent(person.group.0, person.stratum.prediction.0);
            for (c, guess) in guesses.iter_mut().enumerate() {
                // People come in no order: so many of a hundred, of other people for each proxy.
                if (i as u64 * 7_919 + c as u64 * 37) % 100 < chance {
                    *guess = None;
                }
            }
            *cells.entry(Cell { stratum: person.stratum, guesses }).or_default() += 1.0;
        }
        let cells = cells.into_iter().map(|(cell, rows)| (cell, Tally::of(rows)));
        let intake = Intake { rows: 20_000, ..Intake::default() };
        let counts = Counts::new(world.legend().clone(), intake, cells).unwrap();
        let audit = run(&counts, &settings());
        audit.findings.iter().find(|finding| finding.code == "D03").unwrap().severity
    };
    assert_eq!(severity(|group, _| [20, 10][group]), Severity::Info);
    assert_eq!(severity(|group, decision| [[5, 30], [20, 5]][group][decision]), Severity::Serious);
}

/// Guesses of the first group are more frequent among the selected than among the others, in both groups.
fn shifted(by: f64) -> World {
    let part = |prediction: usize, joint: [f64; 2]| {
        let moved = if prediction == 1 { by / 2.0 } else { -by / 2.0 };
        let noise = |right: f64| {
            let rows =
                vec![vec![right + moved, 1.0 - right - moved], vec![1.0 - right + moved, right - moved]];
            TransitionMatrix::new(rows).unwrap()
        };
        WorldStratum {
            stratum: Stratum { label: None, prediction: Class(prediction) },
            joint: joint.to_vec(),
            noise: [0.85, 0.75, 0.7].map(noise).into(),
        }
    };
    let strata = vec![part(0, [0.3, 0.2]), part(1, [0.2, 0.3])];
    World::new(Legend::plain(2, 2, 3, false), strata).unwrap()
}

#[test]
fn guesses_that_shift_with_the_decision_have_errors_of_every_stratum_and_a_caution() {
    let criterion = Criterion::DemographicParity;
    let of = |by, rows| run(&shifted(by).population(rows).unwrap(), &settings());
    let audit = of(0.08, 12_000);
    let answer = audit.answer(criterion).unwrap();
    assert!((answer.value.unwrap() - 0.2).abs() < 1e-3, "{answer:?}");
    assert_eq!(answer.rests_on.as_ref().and_then(|origin| origin.scope), Some(Scope::Local));
    assert_eq!(answer.cautions.len(), 1);
    // Too small a shift to learn it: the number stands, to be read with its range.
    let audit = of(0.05, 6_000);
    let answer = audit.answer(criterion).unwrap();
    assert_eq!((answer.says, answer.cautions.len()), (Says::Number, 1), "{answer:?}");
    assert_eq!(answer.rests_on.as_ref().and_then(|origin| origin.scope), Some(Scope::Global));
    assert_eq!(audit.advice.next[0].step, Step::ReportRange);
    assert!(audit.advice.next.iter().all(|next| next.step != Step::Calibrate));
    let clean = of(0.0, 40_000);
    assert!(
        clean.answer(criterion).is_some_and(|answer| answer.cautions.is_empty() && answer.value.is_some())
    );
}
