//! How close an audit sample comes on COMPAS, and how often its interval holds the truth.

use fairveil_core::{Aggregate, Audit, Criterion, Estimator, Settings};
use fairveil_ingest::{Columns, Delimiter, read};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::path::Path;

const MODELS: [&str; 7] =
    ["pred_tree", "pred_forest", "pred_boosting", "pred_svm", "pred_logit", "pred_nn", "pred_compas_score"];

/// The table with the true group on `labels` rows drawn without replacement.
fn with_labels(text: &str, labels: usize, seed: u64) -> String {
    let (header, rest) = text.split_once('\n').unwrap();
    let rows: Vec<&str> = rest.lines().collect();
    let truth = header.trim().split(',').position(|name| name == "race_2").unwrap();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let mut random = Pcg64::seed_from_u64(seed);
    for i in 0..labels {
        let other = i + (random.next_u64() % (order.len() - i) as u64) as usize;
        order.swap(i, other);
    }
    let mut known = vec![""; rows.len()];
    order[..labels].iter().for_each(|row| known[*row] = rows[*row].split(',').nth(truth).unwrap());
    let lines = rows.iter().zip(known).map(|(row, known)| format!("{row},{known}\n"));
    format!("{},known\n{}", header.trim(), lines.collect::<String>())
}

/// What was found over draws, models and criteria.
#[derive(Default)]
struct Found {
    errors: f64,
    held: f64,
    width: f64,
    made: f64,
    missing: f64,
    topped: f64,
    top: f64,
    top_width: f64,
}

fn one_model(table: &str, model: &str, seed: u64, found: &mut Found) {
    let columns = Columns {
        y_pred: Some(model.into()),
        proxies: ["census_2", "fl_2", "nc_2"].map(String::from).to_vec(),
        truth: Some("race_2".into()),
        audit_labels: Some("known".into()),
        ..Columns::default()
    };
    let table = read(table.as_bytes(), "compas", &columns, Delimiter::Detect).unwrap();
    let settings = Settings { n_boot: 400, seed, ..Settings::default() };
    let audit = Audit::run(&table.counts, table.truth.as_ref(), &settings).unwrap();
    for criterion in Criterion::USUAL {
        let mean = |r: (Criterion, Aggregate)| r == (criterion, Aggregate::MeanPairwise);
        let truth = audit.truth.iter().flatten().find(|t| mean((t.criterion, t.aggregate)));
        let truth = truth.and_then(|t| t.value).unwrap();
        let result = audit
            .results
            .iter()
            .find(|r| r.origin.estimator == Some(Estimator::Audit) && mean((r.criterion, r.aggregate)));
        // Labels that chance made look chosen give no number.
        let Some((result, interval)) = result.and_then(|result| Some((result, result.interval.as_ref()?)))
        else {
            found.missing += 1.0;
            continue;
        };
        found.errors += (result.value.unwrap() - truth).abs() / truth;
        found.held += f64::from(u8::from(interval.ends.holds(truth)));
        found.width += interval.ends.width();
        found.made += 1.0;
        let top = audit.recommended(criterion, Aggregate::MeanPairwise);
        let Some(range) = top.and_then(|top| top.honest_interval.as_ref()) else { continue };
        found.topped += 1.0;
        found.top += f64::from(u8::from(range.ends.holds(truth)));
        found.top_width += range.ends.width();
    }
}

/// Prints errors and coverage; needs the shared data.
pub fn print(draws: u64, data: &Path) {
    let Ok(text) = std::fs::read_to_string(data) else {
        println!("COMPAS is not at {}: the audit sample is not studied", data.display());
        return;
    };
    println!("Audit sample on COMPAS, {draws} draws of labelled rows, 7 models, 3 criteria\n");
    println!(
        "| labels | mean normalised error | 95 % intervals that hold the truth | mean width | ranges on top that do | mean width | no number on top |"
    );
    println!("|---|---|---|---|---|---|---|");
    for labels in [50, 100, 200, 400] {
        let mut found = Found::default();
        for draw in 0..draws {
            let table = with_labels(&text, labels, draw);
            MODELS.iter().for_each(|model| one_model(&table, model, draw, &mut found));
        }
        let Found { errors, held, width, made, missing, topped, top, top_width } = found;
        println!(
            "| {labels} | {:.1} % | {:.1} % | {:.3} | {:.1} % | {:.3} | {:.1} % |",
            100.0 * errors / made,
            100.0 * held / made,
            width / made,
            100.0 * top / topped,
            top_width / topped,
            100.0 * (1.0 - topped / (made + missing))
        );
    }
}
