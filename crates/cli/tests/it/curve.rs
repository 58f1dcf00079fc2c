//! A number by group, as it is run.

use crate::cli::{Place, close};
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

/// People of two groups whose scores and prices differ, with three proxies; some have no price.
fn people(rows: usize) -> String {
    let mut state = 11u64;
    let mut unit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1u64 << 31) as f64
    };
    let mut table = String::from("p,price,y_true,proxy_a,proxy_b,proxy_c\n");
    for row in 0..rows {
        let first = unit() < 0.4;
        // Between 0 and 1, lower in the first group.
        let score = (unit() + unit() + if first { 0.0 } else { 0.4 }) / 2.4;
        let price = 1000.0 + 400.0 * (unit() + unit()) + if first { 150.0 } else { 0.0 };
        let price = if row % 40 == 0 { String::new() } else { format!("{price:.2}") };
        let _ = write!(table, "{score:.4},{price},{}", u8::from(unit() < score));
        for right in [0.85, 0.75, 0.7] {
            let _ = write!(table, ",{}", if (unit() < right) == first { "x" } else { "z" });
        }
        table.push('\n');
    }
    table
}

fn record(json: &str) -> Value {
    let record: Value = serde_json::from_str(json).unwrap();
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/fairveil.curve-1.json");
    let mut schema: Value = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    close(&mut schema);
    let errors: Vec<String> = jsonschema::validator_for(&schema)
        .unwrap()
        .iter_errors(&record)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    record
}

#[test]
fn a_score_has_a_gap_at_every_threshold_and_keeps_its_contract() {
    let place = Place::new();
    place.file("people.csv", &people(6_000));
    let seen = place.run("curve people.csv --score p --bins 5");
    assert_eq!(seen.code, 0, "{}", seen.all());
    insta::assert_snapshot!(seen.all());
    let widest = seen.stdout.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(100), "{widest:?}");
    let json = place.run("curve people.csv --score p --bins 5 --json -");
    let record = record(&json.stdout);
    assert_eq!(record["thresholds"].as_array().unwrap().len(), 4);
    assert!(!record["calibration"].as_array().unwrap().is_empty());
    assert_eq!(place.run("curve people.csv --score p --bins 5 --json - --threads 1").stdout, json.stdout);
    let forms = "curve people.csv --score p --quiet --html page.html --markdown page.md --svg plots";
    assert_eq!(place.run(forms).code, 0);
    assert!(place.read("page.html").contains("The gap along the number"));
    assert!(place.read("page.md").contains("Quantiles of p"));
    assert!(place.read("plots/gap-along-thresholds-1.svg").contains("<svg"));
}

#[test]
fn prices_have_quantiles_and_rows_without_one_are_counted() {
    let place = Place::new();
    place.file("people.csv", &people(6_000));
    let seen = place.run("curve people.csv --outcome price --bins 900:2000:50 --json -");
    let record = record(&seen.stdout);
    assert_eq!(record["rows_without"], 150);
    let median = &record["quantiles"][2]["groups"];
    let (first, second) = (&median[0]["value"]["value"], &median[1]["value"]["value"]);
    // Means of 1550 and 1400 of a symmetric spread of 163; about 2,400 people of one group known to a tenth.
    assert!((first.as_f64().unwrap() - 1550.0).abs() < 40.0, "{first}");
    assert!((second.as_f64().unwrap() - 1400.0).abs() < 40.0, "{second}");
    assert!(
        seen.code == 0
            && place.run("curve people.csv --outcome price --bins 900:2000:50").all().contains("150")
    );
}

#[test]
fn a_tally_of_bins_gives_the_digits_of_its_rows() {
    let place = Place::new();
    place.file("people.csv", &people(3_000));
    let counted = place.run("count people.csv --score p --threshold 0.5 --bins 5 -o tally.csv");
    assert_eq!(counted.code, 0, "{}", counted.all());
    assert!(place.read("tally.csv").lines().next().unwrap().contains("p_bin"));
    let of = |table: &str| place.run(&format!("curve {table} --score p --bins 5 --json -"));
    let (rows, tally) = (of("people.csv"), of("tally.csv"));
    assert_eq!(tally.code, 0, "{}", tally.all());
    let strip = |json: &str| {
        let mut record = record(json);
        // The tally has decisions, and no score to say where they were cut.
        record["input"]["prediction"].take();
        record
    };
    assert_eq!(strip(&rows.stdout), strip(&tally.stdout));
    // The same bins in a query.
    let sql = place
        .run("sql --table people --y-pred p --threshold 0.5 --bins 0.2,0.5 --proxy proxy_a --dialect duckdb");
    assert!(sql.stdout.contains("THEN '-inf'") && sql.stdout.contains("\"p_bin\""), "{}", sql.all());
}

#[test]
fn what_cannot_be_cut_is_refused_with_what_to_do() {
    let place = Place::new();
    place.file("people.csv", &people(200));
    place.file("text.csv", "p,proxy_a\nhigh,x\n0.3,z\n");
    for (asked, said) in [
        ("curve people.csv", "give --score or --outcome"),
        ("curve people.csv --outcome price", "give --bins"),
        ("curve people.csv --score p --bins 3,2", "each above the one before"),
        ("curve people.csv --score p --by price", "--by"),
        ("curve people.csv --score nothing", "nothing"),
        ("curve text.csv --score p", "high"),
        ("count people.csv --y-pred y_true --bins 5 -o tally.csv", "--score or --outcome"),
        ("sql --table people --proxy a --bins 5", "--outcome"),
    ] {
        let seen = place.run(asked);
        assert_eq!(seen.code, 2, "{asked}: {}", seen.all());
        assert!(seen.all().contains(said), "{asked}: {}", seen.all());
    }
    assert!(!place.names().contains(&"tally.csv".to_owned()));
}
