//! A proxy among the features, classes beyond two, and local calibration: what docs/mitigation.md says of them, run.

use crate::mitigate::{COLUMNS, Random, fairveil, folder, json, people, refused};
use tempfile::TempDir;

/// People with a fourth proxy of its own, a copy of the third that errs on one row in a hundred, and a decision of three classes.
fn with_more(rows: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(77);
    let mut text = String::new();
    for (place, line) in people(rows, 1).lines().enumerate() {
        let fields: Vec<&str> = line.split(',').collect();
        let other = |group: &str| if group == "blue" { "green" } else { "blue" };
        let more = if place == 0 {
            "fourth,copy,three".to_owned()
        } else {
            let (third, group) = (fields[8], fields[9]);
            let fourth = if random.uniform() < 0.8 { group } else { other(group) };
            let copy = if random.uniform() < 0.01 { other(third) } else { third };
            format!("{fourth},{copy},{}", ["high", "low", "middle"][place % 3])
        };
        text += &format!("{line},{more}\n");
    }
    std::fs::write(folder.path().join("people.csv"), text).unwrap();
    folder
}

/// The true gap and the accuracy after.
fn after(folder: &TempDir, words: &str) -> (f64, f64) {
    let common =
        "mitigate people.csv --y-true repaid --y-pred approved --truth group --no-curve --n-boot 0 --quiet";
    let end = "-o rule.json --json told.json";
    let all = format!("{common} {words} {end}");
    fairveil(folder).args(all.split_whitespace()).assert().success();
    let told = json(&folder.path().join("told.json"));
    (told["after"]["true_gap"].as_f64().unwrap(), told["after"]["accuracy"]["value"].as_f64().unwrap())
}

#[test]
fn a_proxy_of_its_own_as_a_feature_keeps_accuracy_and_a_copy_is_refused() {
    let folder = with_more(20_000);
    let three = "--proxy proxy_a --proxy proxy_b --proxy proxy_c";
    let plain = after(&folder, &format!("{three} --features income,district,noise"));
    let fourth = after(&folder, &format!("{three} --features income,district,noise,fourth"));
    // All three teach their errors, two of them measure, and the third is looked at.
    fairveil(&folder)
        .args(
            format!("audit people.csv --y-pred approved {three} --n-boot 0 --json audit.json --quiet")
                .split_whitespace(),
        )
        .assert()
        .success();
    let two = "--proxy proxy_a --proxy proxy_b --given audit.json --features income,district,noise,proxy_c";
    let third = after(&folder, two);
    // Chance on 6,000 rows moves a gap by .013 and an accuracy by .006, and the fit by as much.
    for (name, (gap, accuracy)) in [("fourth", fourth), ("third", third)] {
        assert!(gap < 0.05, "{name}: {gap}");
        assert!(accuracy > plain.1 + 0.005, "{name}: {accuracy} {}", plain.1);
    }
    let trap: Vec<String> =
        format!("people.csv --y-true repaid {three} --features income,copy -o other.json")
            .split_whitespace()
            .map(str::to_owned)
            .collect();
    let trap: Vec<&str> = trap.iter().map(String::as_str).collect();
    let told = refused(&folder, &trap);
    assert!(told.contains("`copy`") && told.contains("`proxy_c`") && told.contains("--drop"), "{told}");
}

#[test]
fn three_classes_have_weights_and_no_rule() {
    let folder = with_more(6_000);
    let table = ["people.csv", "--y-pred", "three", "--features=income"];
    let told = refused(&folder, &[&table[..], &["-o", "rule.json"]].concat());
    assert!(told.contains("3 classes") && told.contains("--weights-only"), "{told}");
    let weights = |column: &str, file: &str| {
        let words =
            format!("mitigate people.csv --y-pred {column} --positive high --weights-only -o {file} --quiet");
        let words = if column == "approved" { words.replace("--positive high ", "") } else { words };
        fairveil(&folder).args(words.split_whitespace()).assert().success();
        std::fs::read_to_string(folder.path().join(file)).unwrap()
    };
    // Weights look at no decision: those of three classes are those of two.
    let (of_three, of_two) = (weights("three", "three.csv"), weights("approved", "two.csv"));
    assert_eq!(of_three.lines().count(), 6_001);
    assert_eq!(of_three, of_two);
}

#[test]
fn local_calibration_is_offered_and_its_limits_are_told() {
    let folder = folder(20_000);
    let (gap, _) = after(&folder, "--score p --features income,district,noise --local");
    // Proxies that err alike: twice the chance of one table for all.
    assert!(gap < 0.08, "{gap}");
    assert_eq!(json(&folder.path().join("told.json"))["settings"]["local"], true);
    let without: Vec<&str> =
        COLUMNS.iter().copied().filter(|word| *word != "--y-pred" && *word != "approved").collect();
    let told = refused(&folder, &[&without[..], &["--local", "-o", "other.json"]].concat());
    assert!(told.contains("--y-pred") && told.contains("--local"), "{told}");
    let told =
        refused(&folder, &[&COLUMNS[..], &["--local", "--noise-bins", "3", "-o", "other.json"]].concat());
    assert!(told.contains("--noise-bins"), "{told}");
}
