//! How close an audit sample comes on COMPAS, and how often its interval holds the truth.

use fairveil_core::{Aggregate, Audit, AuditLabels, Basis, Criterion, EstimatorChoice, Population, Settings};
use fairveil_ingest::{Columns, Delimiter, read};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::path::Path;

const MODELS: [&str; 7] =
    ["pred_tree", "pred_forest", "pred_boosting", "pred_svm", "pred_logit", "pred_nn", "pred_compas_score"];

/// The table with the true group on `labels` rows drawn without replacement.
fn with_labels(text: &str, labels: usize, seed: u64) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let header = lines.remove(0);
    let truth = header.split(',').position(|name| name == "race_2").unwrap();
    let mut order: Vec<usize> = (0..lines.len()).collect();
    let mut random = Pcg64::seed_from_u64(seed);
    for i in 0..labels {
        let j = i + (random.next_u64() % (order.len() - i) as u64) as usize;
        order.swap(i, j);
    }
    let mut known = vec![""; lines.len()];
    for row in &order[..labels] {
        known[*row] = lines[*row].split(',').nth(truth).unwrap();
    }
    let mut out = format!("{header},known\n");
    for (line, known) in lines.iter().zip(known) {
        out += &format!("{line},{known}\n");
    }
    out
}

/// Prints errors and coverage over models and criteria; needs the shared data.
pub fn print(draws: u64, data: &Path) {
    let Ok(text) = std::fs::read_to_string(data) else {
        println!("COMPAS is not at {}: the audit sample is not studied", data.display());
        return;
    };
    println!(
        "Audit sample on COMPAS, {draws} draws, 7 models, 3 criteria: mean normalised error, share of 95 % intervals that hold the truth"
    );
    for labels in [50, 100, 200, 400, 800] {
        let (mut errors, mut held, mut made, mut width) = (Vec::new(), 0u64, 0u64, 0.0);
        for draw in 0..draws {
            let table = with_labels(&text, labels, draw);
            for model in MODELS {
                let columns = Columns {
                    y_pred: Some(model.into()),
                    proxies: ["census_2", "fl_2", "nc_2"].map(String::from).to_vec(),
                    truth: Some("race_2".into()),
                    audit_labels: Some("known".into()),
                    ..Columns::default()
                };
                let table = read(table.as_bytes(), "compas", &columns, Delimiter::Detect).unwrap();
                let settings = Settings {
                    n_boot: 400,
                    estimator: EstimatorChoice::Audit,
                    seed: draw,
                    ..Settings::default()
                };
                let audit = match Audit::run(&table.counts, table.truth.as_ref(), &settings) {
                    Ok(audit) => audit,
                    Err(error) => {
                        println!("{labels} {model} {draw}: {error}");
                        continue;
                    }
                };
                for criterion in Criterion::ALL {
                    let truth = audit
                        .truth
                        .as_ref()
                        .unwrap()
                        .iter()
                        .find(|t| t.criterion == criterion && t.aggregate == Aggregate::MeanPairwise)
                        .unwrap()
                        .value
                        .unwrap();
                    let result = audit
                        .results
                        .iter()
                        .find(|r| {
                            r.basis == Basis::AuditSample
                                && r.criterion == criterion
                                && r.aggregate == Aggregate::MeanPairwise
                        })
                        .unwrap();
                    let (Some(value), Some(interval)) = (result.value, &result.interval) else { continue };
                    errors.push(100.0 * (value - truth).abs() / truth);
                    made += 1;
                    held += u64::from(interval.low <= truth && truth <= interval.high);
                    width += interval.high - interval.low;
                }
            }
        }
        println!(
            "{labels} labels: error {:.1} %, held {:.1} %, mean width {:.3} ({made} intervals)",
            errors.iter().sum::<f64>() / errors.len() as f64,
            100.0 * held as f64 / made as f64,
            width / made as f64
        );
    }
    let _ = (AuditLabels::new(Population::Same),);
}
