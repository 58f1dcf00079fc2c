//! Two attributes at once, as they are run.

use crate::cli::{Place, close};
use std::fmt::Write;
use std::path::Path;

/// People of two attributes whose proxies err independently, with decisions that depend on both.
fn people(rows: usize) -> String {
    let mut state = 7u64;
    let mut unit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1u64 << 31) as f64
    };
    let mut table = String::from("y_pred,r1,r2,r3,s1,s2,s3\n");
    for _ in 0..rows {
        let (race, sex) = (unit() < 0.4, unit() < 0.5);
        let rate = 0.6 - if race { 0.2 } else { 0.0 } - if race && sex { 0.15 } else { 0.0 };
        let _ = write!(table, "{}", u8::from(unit() < rate));
        for right in [0.8, 0.8, 0.75] {
            let _ = write!(table, ",{}", if (unit() < right) == race { "black" } else { "white" });
        }
        for right in [0.9, 0.85, 0.8] {
            let _ = write!(table, ",{}", if (unit() < right) == sex { "female" } else { "male" });
        }
        table.push('\n');
    }
    table
}

const BOTH: &str = "--attribute race=r1,r2,r3 --attribute sex=s1,s2,s3";

#[test]
fn pairs_of_groups_have_rates_and_keep_the_contract() {
    let place = Place::new();
    place.file("people.csv", &people(8_000));
    let json = place.run(&format!("intersect people.csv {BOTH} --reference white,male --json -"));
    assert_eq!(json.code, 0, "{}", json.all());
    let record: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/fairveil.intersection-1.json");
    let mut schema: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    close(&mut schema);
    let errors: Vec<String> = jsonschema::validator_for(&schema)
        .unwrap()
        .iter_errors(&record)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    let rate = |groups: [&str; 2]| {
        let pairs = record["groups"].as_array().unwrap();
        let pair = pairs.iter().find(|pair| pair["groups"] == serde_json::json!(groups)).unwrap();
        pair["rate"]["value"].as_f64().unwrap()
    };
    // About 1,600 people in each pair: rates are known to two or three hundredths.
    for (groups, known) in [
        (["black", "female"], 0.25),
        (["black", "male"], 0.4),
        (["white", "female"], 0.6),
        (["white", "male"], 0.6),
    ] {
        assert!((rate(groups) - known).abs() < 0.08, "{groups:?}: {}", rate(groups));
    }
    assert_eq!(
        place.run(&format!("intersect people.csv {BOTH} --reference white,male --json - --threads 1")).stdout,
        json.stdout
    );
    let text = place.run(&format!("intersect people.csv {BOTH} --html page.html --markdown page.md"));
    assert!(text.stdout.contains("Selected least often: black, female"), "{}", text.stdout);
    assert!(text.stdout.contains("P20"));
    assert!(place.read("page.html").contains("Both attributes at once"));
    assert!(place.read("page.md").contains("| black, female |"));
}

#[test]
fn attributes_that_make_no_sense_are_refused() {
    let place = Place::new();
    place.file("people.csv", &people(1_000));
    let refused = |words: &str, said: &str| {
        let seen = place.run(&format!("intersect people.csv {words}"));
        assert_eq!(seen.code, 2, "{words}");
        assert!(seen.stderr.contains(said), "{words}: {}", seen.stderr);
    };
    refused("--attribute race=r1,r2,r3", "1 attributes are named");
    refused("--attribute race=r1,r2,r3 --attribute sex=s1,s2,r3", "have the proxy r3 in common");
    refused("--attribute race=r1,r2,r3 --attribute race=s1,s2,s3", "both attributes are called race");
    refused("--attribute race --attribute sex=s1,s2,s3", "names no attribute with its proxies");
    refused(&format!("{BOTH} --proxy r1"), "--proxy is for an audit");
    refused(&format!("{BOTH} --reference white"), "does not name two groups");
    refused(&format!("{BOTH} --reference white,green"), "`green` is no group of sex");
    refused("--attribute race=r1,r2,r9 --attribute sex=s1,s2,s3", "r9");
    let piped = place.run("intersect - --attribute race=r1,r2,r3 --attribute sex=s1,s2,s3");
    assert_eq!(piped.code, 2);
    assert!(piped.stderr.contains("need the table twice"), "{}", piped.stderr);
}
