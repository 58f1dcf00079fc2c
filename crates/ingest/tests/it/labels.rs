//! Rows whose group is known, and how they were drawn.

use fairveil_core::record::{Measurement, Test};
use fairveil_core::vocabulary::Class;
use fairveil_core::{Aggregate, Audit, Criterion, Estimator, Settings, World};
use fairveil_ingest::{Columns, Delimiter, read};
use std::fmt::Write;

fn columns(label_probability: Option<&str>) -> Columns {
    Columns {
        audit_labels: Some("known".into()),
        label_probability: label_probability.map(String::from),
        ..Columns::default()
    }
}

/// Every second selected person is labelled, and every tenth of the others.
fn table() -> String {
    let mut text = String::from("y_pred,proxy_a,proxy_b,proxy_c,known,chance\n");
    let world = World::symmetric(2, 2, &[0.75; 3], 0.25);
    for (i, person) in world.people(4).take(3_000).enumerate() {
        let selected = person.stratum.prediction == Class(1);
        let (every, chance) = if selected { (2, "0.5") } else { (10, "0.1") };
        let guesses: Vec<String> =
            person.guesses.iter().map(|guess| format!("g{}", guess.unwrap().0)).collect();
        let known = if i % every == 0 { format!("g{},{chance}", person.group.0) } else { ",".into() };
        writeln!(text, "{},{},{known}", u8::from(selected), guesses.join(",")).unwrap();
    }
    text
}

fn parity(audit: &Audit) -> &Measurement {
    let mine = |r: &&Measurement| {
        (r.origin.estimator, r.criterion, r.aggregate)
            == (Some(Estimator::Regression), Criterion::DemographicParity, Aggregate::Difference)
    };
    audit.results.iter().find(mine).unwrap()
}

#[test]
fn rows_that_were_labelled_with_stated_chances_stand_for_as_many_as_they_should() {
    let settings = Settings { n_boot: 400, ..Settings::default() };
    let audit = |chance| {
        let counts = read(table().as_bytes(), "people", &columns(chance), Delimiter::Detect).unwrap().counts;
        Audit::run(&counts, None, &settings).unwrap()
    };
    // Taken for a random part they are far from it, and give no number.
    let plain = audit(None);
    assert!(parity(&plain).value.is_none() && plain.findings.iter().any(|finding| finding.code == "D13"));
    let stated = audit(Some("chance"));
    let test = stated.tests.iter().find(|test| test.test == Test::LabelsAtRandom).unwrap();
    assert!(test.p_value > 0.01, "{test:?}");
    let ends = parity(&stated).interval.as_ref().unwrap().ends;
    assert!(ends.low < 0.25 && 0.25 < ends.high && ends.width() < 0.2, "{ends:?}");
}

#[test]
fn a_chance_that_is_none_or_missing_on_a_labelled_row_is_refused() {
    let read = |text: String| read(text.as_bytes(), "people", &columns(Some("chance")), Delimiter::Detect);
    let wrong = |from: &str, to: &str| read(table().replacen(from, to, 1)).unwrap_err().to_string();
    assert!(wrong(",0.5\n", ",0\n").contains("chance of being labelled is `0`"));
    assert!(wrong(",0.5\n", ",1.5\n").contains("chance of being labelled is `1.5`"));
    assert!(
        wrong(",0.5\n", ",\n").contains("1 labelled rows do not say how likely they were to be labelled")
    );
}
