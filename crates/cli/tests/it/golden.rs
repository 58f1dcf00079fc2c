//! The paper's COMPAS tables and the example shipped with HOC, to the digits that were published.

use fairveil_core::counts::View;
use fairveil_core::disparity::measure;
use fairveil_core::estimate::{Errors, LatentClass, NoiseEstimator};
use fairveil_core::{Aggregate, Audit, Basis, Criterion, Scope, Settings};
use fairveil_ingest::{Columns, Delimiter, Table, read, read_file};
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

const MODELS: [(&str, &str); 7] = [
    ("tree", "pred_tree"),
    ("forest", "pred_forest"),
    ("boosting", "pred_boosting"),
    ("SVM", "pred_svm"),
    ("logit", "pred_logit"),
    ("nn", "pred_nn"),
    ("compas_score", "pred_compas_score"),
];

const CRITERIA: [(&str, Criterion); 3] = [
    ("dp", Criterion::DemographicParity),
    ("eod", Criterion::EqualizedOdds),
    ("eop", Criterion::EqualOpportunity),
];

/// A file of the shared data, or nothing, with a message, where it is absent.
fn shared(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("FAIRVEIL_SHARED").map_or(beside, PathBuf::from);
    let found = [folder.join(name), folder.join("data").join(name)].into_iter().find(|path| path.exists());
    if found.is_none() {
        // Written past the test harness, so that a skipped comparison is seen.
        let _ = writeln!(std::io::stderr(), "skipped: {name} is not in {}", folder.display());
    }
    found
}

/// A published table as (model, metric, third column) → value.
fn published(name: &str, quantity: Option<&str>) -> Option<HashMap<(String, String, String), f64>> {
    let mut reader = csv::Reader::from_path(shared(name)?).unwrap();
    let rows = reader.records().map(Result::unwrap);
    let wanted = rows.filter(|row| quantity.is_none_or(|quantity| &row[3] == quantity));
    let last = if quantity.is_some() { 4 } else { 3 };
    Some(
        wanted
            .map(|row| ((row[0].into(), row[1].into(), row[2].into()), row[last].parse().unwrap()))
            .collect(),
    )
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).into()).collect()
}

fn compas(prediction: &str, proxies: &[&str], probabilities: &[&str], truth: &str) -> Option<Audit> {
    let columns = Columns {
        y_pred: Some(prediction.into()),
        y_true: Some("y_true".into()),
        proxies: strings(proxies),
        proxy_probs: strings(probabilities),
        truth: Some(truth.into()),
        ..Columns::default()
    };
    let Table { counts, truth, .. } =
        read_file(&shared("compas/compas.csv")?, &columns, Delimiter::Detect).unwrap();
    let settings = Settings { n_boot: 0, ..Settings::default() };
    Some(Audit::run(&counts, truth.as_ref(), &settings).unwrap())
}

/// Value and normalised error in percent of the first result with this basis and scope.
fn found(audit: &Audit, criterion: Criterion, basis: Basis, scope: Option<Scope>) -> (f64, f64) {
    let result = audit.results.iter().find(|r| {
        (r.criterion, r.aggregate, r.origin.basis, r.origin.scope)
            == (criterion, Aggregate::MeanPairwise, basis, scope)
    });
    let result = result.unwrap();
    (result.value.unwrap(), 100.0 * result.errors.unwrap().normalized_error.unwrap())
}

const BINARY: [&str; 3] = ["census_2", "fl_2", "nc_2"];

#[test]
fn true_and_base_disparities_equal_the_papers() {
    let Some(published) = published("paper/compas_disparities.csv", None) else { return };
    for (model, column) in MODELS {
        let audit = compas(column, &BINARY, &[], "race_2").unwrap();
        for (metric, criterion) in CRITERIA {
            let paper = |basis: &str| published[&(model.into(), metric.into(), basis.into())];
            let truth = audit.truth.as_ref().unwrap().iter();
            let truth =
                truth.clone().find(|t| (t.criterion, t.aggregate) == (criterion, Aggregate::MeanPairwise));
            assert!((truth.unwrap().value.unwrap() - paper("true")).abs() < 1e-4, "{model} {metric}");
            let (base, _) = found(&audit, criterion, Basis::Proxy, None);
            assert!((base - paper("base")).abs() < 1e-4, "{model} {metric}");
        }
    }
}

#[test]
fn base_and_soft_errors_equal_the_papers() {
    let Some(published) = published("paper/compas_binary.csv", Some("normalized_error_pct")) else { return };
    for (model, column) in MODELS {
        let hard = compas(column, &BINARY, &[], "race_2").unwrap();
        let soft = compas(column, &[], &["census_soft_", "fl_soft_", "nc_soft_"], "race_2").unwrap();
        for (metric, criterion) in CRITERIA {
            let paper = |method: &str| published[&(model.into(), metric.into(), method.into())];
            let (_, base) = found(&hard, criterion, Basis::Proxy, None);
            assert!((base - paper("base")).abs() < 0.01, "{model} {metric}: {base}");
            let (_, soft) = found(&soft, criterion, Basis::Soft, None);
            assert!((soft - paper("soft")).abs() < 0.02, "{model} {metric}: {soft}");
        }
    }
}

#[test]
fn exact_calibration_gives_the_golden_values() {
    // Solved once by hand from the closed form, independently of this code.
    let golden = [0.1801, 0.1840, 0.1801, 0.1692, 0.1515, 0.1790, 0.2169];
    let mut means = [[0.0; 2]; 3];
    for ((_, column), golden) in MODELS.iter().zip(golden) {
        let Some(audit) = compas(column, &BINARY, &[], "race_2") else { return };
        let (parity, _) = found(&audit, Criterion::DemographicParity, Basis::Calibrated, Some(Scope::Global));
        assert!((parity - golden).abs() < 2e-4, "{column}: {parity}");
        for (mean, (_, criterion)) in means.iter_mut().zip(CRITERIA) {
            for (mean, scope) in mean.iter_mut().zip([Scope::Global, Scope::Local]) {
                *mean += found(&audit, criterion, Basis::Calibrated, Some(scope)).1 / MODELS.len() as f64;
            }
        }
        let noise = audit.noise.iter().find(|noise| noise.scope == Scope::Global).unwrap();
        let transition = noise.transition.as_ref().unwrap();
        assert!((transition[0][0] - 0.730).abs() < 5e-4 && (transition[1][1] - 0.902).abs() < 5e-4);
    }
    // Mean normalised errors in percent over the models: demographic parity, equalized odds, equal opportunity.
    let golden = [[24.3, 39.6], [28.5, 40.8], [35.9, 46.6]];
    for (means, golden) in means.iter().zip(golden) {
        for (mean, golden) in means.iter().zip(golden) {
            assert!((mean - golden).abs() < 0.05 + 1e-9, "{mean} {golden}");
        }
    }
}

#[test]
fn base_with_three_groups_equals_the_papers() {
    let Some(published) = published("paper/compas_three_groups.csv", Some("normalized_error_pct")) else {
        return;
    };
    for (model, column) in MODELS {
        let audit = compas(column, &["census_3", "fl_3", "nc_3"], &[], "race_3").unwrap();
        for (metric, criterion) in CRITERIA {
            let (_, base) = found(&audit, criterion, Basis::Proxy, None);
            let paper = published[&(model.into(), metric.into(), "base".into())];
            assert!((base - paper).abs() < 0.01, "{model} {metric}: {base} {paper}");
            // Calibration with three groups has no published exact value; it must be there and be nearer.
            let (_, calibrated) = found(&audit, criterion, Basis::Calibrated, Some(Scope::Global));
            assert!(calibrated < base, "{model} {metric}: {calibrated} {base}");
        }
    }
}

#[test]
fn the_example_of_hoc_has_its_exact_answer() {
    let Some(path) = shared("hoc_example.csv") else { return };
    // The file has proxies only; a decision that depends on nothing leaves the global matrix as it is.
    let text = std::fs::read_to_string(path).unwrap();
    let rows = text.lines().skip(1).enumerate().map(|(i, row)| format!("{},{row}\n", i % 2));
    let table = format!("y_pred,label1,label2,label3\n{}", rows.collect::<String>());
    let columns = Columns { proxies: strings(&["label1", "label2", "label3"]), ..Columns::default() };
    let table = read(table.as_bytes(), "hoc_example.csv", &columns, Delimiter::Detect).unwrap();
    let audit = Audit::run(&table.counts, None, &Settings::default()).unwrap();
    let transition = audit.noise[0].transition.clone().unwrap();
    for (found, golden) in transition.concat().into_iter().zip([0.874, 0.126, 0.181, 0.819]) {
        assert!((found - golden).abs() < 5e-4, "{transition:?}");
    }
}

#[test]
fn honest_intervals_hold_the_truth_where_usual_ones_do_not() {
    let (mut usual, mut honest, mut width) = (0, 0, 0.0);
    let (mut chosen, mut chosen_width) = (0, 0.0);
    for (_, column) in MODELS {
        let columns = Columns {
            y_pred: Some(column.into()),
            y_true: Some("y_true".into()),
            proxies: strings(&BINARY),
            truth: Some("race_2".into()),
            ..Columns::default()
        };
        let Some(path) = shared("compas/compas.csv") else { return };
        let Table { counts, truth, .. } = read_file(&path, &columns, Delimiter::Detect).unwrap();
        let settings = Settings { n_boot: 400, ..Settings::default() };
        let audit = Audit::run(&counts, truth.as_ref(), &settings).unwrap();
        for (_, criterion) in CRITERIA {
            let same = |t: &&fairveil_core::record::TrueValue| {
                (t.criterion, t.aggregate) == (criterion, Aggregate::MeanPairwise)
            };
            let truth = audit.truth.as_ref().unwrap().iter().find(same).unwrap().value.unwrap();
            let global = audit.results.iter().find(|r| {
                (r.criterion, r.aggregate, r.origin.scope)
                    == (criterion, Aggregate::MeanPairwise, Some(Scope::Global))
            });
            let (plain, wide) =
                (global.unwrap().interval.clone().unwrap(), global.unwrap().honest_interval.clone().unwrap());
            let on_top = audit.recommended(criterion, Aggregate::MeanPairwise).unwrap();
            let range = on_top.honest_interval.clone().unwrap().ends;
            chosen += usize::from(range.holds(truth));
            if criterion == Criterion::DemographicParity {
                chosen_width += range.width() / MODELS.len() as f64;
            }
            usual += usize::from(plain.ends.holds(truth));
            honest += usize::from(wide.ends.holds(truth));
            if criterion == Criterion::DemographicParity {
                width += wide.ends.width() / MODELS.len() as f64;
            }
        }
    }
    // The paper's proxies read the same name: usual intervals, which assume independence, hold none or hardly any.
    assert!(honest == 21 && usual <= 2 && width <= 0.15, "honest {honest}, usual {usual}, width {width}");
    // What an audit chooses by itself answers for every explanation that the table does not rule out.
    assert!(chosen == 21 && chosen_width <= 0.16, "chosen {chosen}, width {chosen_width}");
}

/// COMPAS with the true group on some rows: those that a small generator picks.
fn compas_with_labels(labels: usize, seed: u64) -> Option<String> {
    let text = std::fs::read_to_string(shared("compas/compas.csv")?).unwrap();
    let (header, rest) = text.split_once('\n').unwrap();
    let rows: Vec<&str> = rest.lines().collect();
    let truth = header.trim().split(',').position(|name| name == "race_2").unwrap();
    // Knuth's MMIX generator: any that does not follow the order of rows will do.
    let mut state = seed;
    let mut known = vec![""; rows.len()];
    while known.iter().filter(|known| !known.is_empty()).count() < labels {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let row = (state >> 33) as usize % rows.len();
        known[row] = rows[row].split(',').nth(truth).unwrap();
    }
    let lines = rows.iter().zip(known).map(|(row, known)| format!("{row},{known}\n"));
    Some(format!("{},known\n{}", header.trim(), lines.collect::<String>()))
}

#[test]
fn a_few_labels_bring_the_answer_near_the_truth() {
    // Over many draws 14, 11.5 and 9 % (docs/methods/estimators.md); of six draws the mean varies by some 3 points.
    for (labels, most) in [(50, 21.0), (200, 12.0)] {
        let (mut sum, mut made) = (0.0, 0.0);
        for draw in 0..6 {
            let Some(text) = compas_with_labels(labels, 1000 + draw) else { return };
            for (_, model) in MODELS {
                let columns = Columns {
                    y_pred: Some(model.into()),
                    y_true: Some("y_true".into()),
                    proxies: strings(&BINARY),
                    truth: Some("race_2".into()),
                    audit_labels: Some("known".into()),
                    ..Columns::default()
                };
                let table = read(text.as_bytes(), "compas", &columns, Delimiter::Detect).unwrap();
                let settings = Settings { n_boot: 0, ..Settings::default() };
                let audit = Audit::run(&table.counts, table.truth.as_ref(), &settings).unwrap();
                for (_, criterion) in CRITERIA {
                    sum += found(&audit, criterion, Basis::AuditSample, Some(Scope::Global)).1;
                    made += 1.0;
                }
            }
        }
        assert!(sum / made < most, "{labels} labels: {:.1} %", sum / made);
    }
}

#[test]
fn latent_classes_that_err_alike_give_the_golden_errors() {
    let (mut sums, mut made) = ([0.0; 3], 0.0);
    for (_, model) in MODELS {
        let Some(path) = shared("compas/compas.csv") else { return };
        let columns = Columns {
            y_pred: Some(model.into()),
            y_true: Some("y_true".into()),
            proxies: strings(&BINARY),
            truth: Some("race_2".into()),
            ..Columns::default()
        };
        let Table { counts, truth, .. } = read_file(&path, &columns, Delimiter::Detect).unwrap();
        let method = LatentClass { scope: Scope::Global, errors: Errors::Alike };
        for (place, (_, criterion)) in CRITERIA.iter().enumerate() {
            // The golden errors come from one fit to labels and decisions for all three.
            let view = View::Labelled;
            let seen = counts.frequencies().view(view).unwrap();
            let gap = |joint| measure(joint, *criterion, Aggregate::MeanPairwise, counts.legend().positive);
            let (found, truth) = (
                method.explain(&seen, view).unwrap().joint,
                truth.as_ref().unwrap().joint(counts.legend(), view),
            );
            let (found, truth) = (gap(&found).unwrap(), gap(&truth).unwrap());
            sums[place] += 100.0 * (found - truth).abs() / truth;
        }
        made += 1.0;
    }
    for (sum, golden) in sums.iter().zip([25.8, 29.3, 36.8]) {
        assert!((sum / made - golden).abs() < 0.06, "{:.2} against {golden}", sum / made);
    }
}
