//! `fairveil mitigate`: from a table to a rule and a page, to weights, or to a refusal that says why.

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

fn fairveil(folder: &TempDir) -> Command {
    let mut command = Command::cargo_bin("fairveil").unwrap();
    command.current_dir(folder.path());
    command
}

/// A generator that needs nothing else (Knuth's MMIX).
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// People with a feature, a district and a label that go with the group, a score, and three proxies right for 80 %.
fn people(rows: usize, seed: u64) -> String {
    let mut random = Random(seed);
    (0..20).for_each(|_| {
        random.uniform();
    });
    let mut text = String::from("income,district,noise,p,approved,repaid,proxy_a,proxy_b,proxy_c,group\n");
    for _ in 0..rows {
        let group = random.uniform() < 0.5;
        let side = if group { 0.5 } else { -0.5 };
        let mut normal = || (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
        let (income, noise) = (normal() + side, normal());
        let north = random.uniform() < 0.5 + 0.6 * side;
        let logit = 0.8 * income + 0.9 * noise + if north { 0.4 } else { -0.4 };
        let chance = 1.0 / (1.0 + f64::exp(-logit));
        let repaid = random.uniform() < chance;
        let mut guess = || if (random.uniform() < 0.8) == group { "blue" } else { "green" };
        let guesses = [guess(), guess(), guess()].join(",");
        text += &format!(
            "{income:.4},{},{noise:.4},{chance:.5},{},{},{guesses},{}\n",
            if north { "north" } else { "south" },
            u8::from(chance > 0.5),
            u8::from(repaid),
            if group { "blue" } else { "green" },
        );
    }
    text
}

fn folder(rows: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("people.csv"), people(rows, 1)).unwrap();
    folder
}

const COLUMNS: [&str; 8] = [
    "people.csv",
    "--y-true",
    "repaid",
    "--y-pred",
    "approved",
    "--score",
    "p",
    "--features=income,district,noise",
];

fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn refused(folder: &TempDir, arguments: &[&str]) -> String {
    let before = std::fs::read_dir(folder.path()).unwrap().count();
    let output = fairveil(folder).arg("mitigate").args(arguments).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), before, "a file was left: {told}");
    told
}

#[test]
fn a_rule_closes_the_gap_of_people_it_was_not_learned_from() {
    let folder = folder(12_000);
    let outputs =
        ["-o", "rule.json", "--json", "record.json", "--html", "page.html", "--markdown", "page.md"];
    let done = fairveil(&folder)
        .arg("mitigate")
        .args(COLUMNS)
        .args(["--truth", "group", "--n-boot", "200"])
        .args(outputs)
        .assert()
        .success();
    let text = String::from_utf8(done.get_output().stdout.clone()).unwrap();
    assert!(text.contains("mitigation of demographic parity"), "{text}");
    let record = json(&folder.path().join("record.json"));
    let schema: Value =
        serde_json::from_str(include_str!("../../../../docs/schema/fairveil.mitigation-1.json")).unwrap();
    let checked = jsonschema::validate(&schema, &record);
    assert!(checked.is_ok(), "{checked:?}");
    let gap = |side: &str| record[side]["true_gap"].as_f64().unwrap();
    assert!(gap("before") > 0.25 && gap("after") < 0.06, "{} {}", gap("before"), gap("after"));
    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(page.contains("What zero means"));
    // New people, without proxies or groups.
    let all = people(4_000, 9);
    let without: String =
        all.lines().map(|line| line.split(',').take(4).collect::<Vec<_>>().join(",") + "\n").collect();
    std::fs::write(folder.path().join("new.csv"), without).unwrap();
    fairveil(&folder).args(["apply", "rule.json", "new.csv", "-o", "decided.csv"]).assert().success();
    let decided = std::fs::read_to_string(folder.path().join("decided.csv")).unwrap();
    let rate = |group: &str| {
        let pairs = decided.lines().skip(1).zip(all.lines().skip(1));
        let mine: Vec<&str> =
            pairs.filter(|(_, person)| person.ends_with(group)).map(|(line, _)| line).collect();
        mine.iter().filter(|line| line.ends_with(",1")).count() as f64 / mine.len() as f64
    };
    // 2,000 people of each group: a gap of nothing comes out as .016 (one standard error), the fit adds as much.
    assert!((rate("blue") - rate("green")).abs() < 0.07, "{} {}", rate("blue"), rate("green"));
}

#[test]
fn threads_formats_and_the_order_of_columns_change_no_byte_of_the_rule() {
    let folder = folder(3_000);
    let rule = |table: &str, more: &[&str]| {
        let mut arguments = COLUMNS;
        arguments[0] = table;
        let output = ["-o", "rule.json", "--quiet", "--no-curve", "--n-boot", "0"];
        fairveil(&folder).arg("mitigate").args(arguments).args(output).args(more).assert().success();
        std::fs::read_to_string(folder.path().join("rule.json")).unwrap()
    };
    let first = rule("people.csv", &["--threads", "1"]);
    assert_eq!(first, rule("people.csv", &["--threads", "2"]));
    let text = std::fs::read_to_string(folder.path().join("people.csv")).unwrap();
    let turned: String =
        text.lines().map(|line| line.split(',').rev().collect::<Vec<_>>().join("\t") + "\n").collect();
    std::fs::write(folder.path().join("turned.tsv"), turned).unwrap();
    assert_eq!(first, rule("turned.tsv", &[]));
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let object = |line: &str| {
        let fields = header.iter().zip(line.split(',')).map(|(name, value)| match value.parse::<f64>() {
            Ok(_) => format!("\"{name}\":{value}"),
            Err(_) => format!("\"{name}\":\"{value}\""),
        });
        format!("{{{}}}\n", fields.collect::<Vec<_>>().join(","))
    };
    std::fs::write(folder.path().join("people.jsonl"), text.lines().skip(1).map(object).collect::<String>())
        .unwrap();
    assert_eq!(first, rule("people.jsonl", &[]));
    let (head, rest) = text.split_once('\n').unwrap();
    let mut lines: Vec<&str> = rest.lines().collect();
    lines.reverse();
    std::fs::write(folder.path().join("back.csv"), format!("{head}\n{}\n", lines.join("\n"))).unwrap();
    assert_eq!(first, rule("back.csv", &[]));
}

#[test]
fn rules_of_every_method_meet_their_schema() {
    let folder = folder(3_000);
    let schema: Value =
        serde_json::from_str(include_str!("../../../../docs/schema/fairveil.rule-1.json")).unwrap();
    for more in [
        &["--method", "plug-in"][..],
        &["--method", "plug-in", "--recalibrate", "--criterion", "equalized_odds"],
        &["--method", "logistic", "--impute"],
        &["--method", "mlp"],
    ] {
        let scored = more.contains(&"plug-in");
        let columns = COLUMNS.iter().filter(|c| scored || !["--score", "p"].contains(*c));
        fairveil(&folder)
            .arg("mitigate")
            .args(columns)
            .args(["-o", "rule.json", "--quiet", "--no-curve", "--n-boot", "0"])
            .args(more)
            .assert()
            .success();
        let rule = json(&folder.path().join("rule.json"));
        let checked = jsonschema::validate(&schema, &rule);
        assert!(checked.is_ok(), "{more:?}: {:?}", checked.map_err(|error| error.to_string()));
    }
}

#[test]
fn weights_add_up_to_the_gap_of_an_audit() {
    let folder = folder(3_000);
    let table = ["people.csv", "--y-true", "repaid", "--y-pred", "approved"];
    fairveil(&folder)
        .args(["audit", "--estimator", "hoc", "--n-boot", "0", "--json", "audit.json", "--quiet"])
        .args(table)
        .assert()
        .success();
    let audit = json(&folder.path().join("audit.json"));
    let approved: Vec<bool> = std::fs::read_to_string(folder.path().join("people.csv"))
        .unwrap()
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(4) == Some("1"))
        .collect();
    for criterion in ["demographic_parity", "equalized_odds"] {
        fairveil(&folder)
            .args(["mitigate", "--weights-only", "-o", "weights.csv", "--criterion", criterion])
            .args(["--estimator", "hoc"])
            .args(table)
            .assert()
            .success();
        let weights = std::fs::read_to_string(folder.path().join("weights.csv")).unwrap();
        let columns = weights.lines().next().unwrap().split(',').count() - 1;
        assert_eq!(columns, if criterion == "demographic_parity" { 1 } else { 2 });
        let result = audit["results"]
            .as_array()
            .unwrap()
            .iter()
            .find(|r| r["criterion"] == criterion && r["estimator"] == "hoc" && r["scope"] == "global");
        for column in 0..columns {
            let value = |line: &str| line.split(',').nth(1 + column).unwrap().parse::<f64>().unwrap();
            let rows = weights.lines().skip(1).zip(&approved);
            let gap = rows.filter(|(_, yes)| **yes).map(|(line, _)| value(line)).sum::<f64>() / 3_000.0;
            let pairs = result.unwrap()["pairs"].as_array().unwrap();
            let same = |p: &&Value| {
                p["class"] == "1" && (p["difference"].as_f64().unwrap().abs() - gap.abs()).abs() < 1e-9
            };
            assert!(pairs.iter().any(|pair| same(&pair)), "{criterion} {column}: {gap} {pairs:?}");
        }
    }
    fairveil(&folder)
        .args(["mitigate", "--weights-only", "-o", "weights.parquet", "--quiet"])
        .args(table)
        .assert()
        .success();
    let told = refused(&folder, &["people.csv", "--y-true", "repaid", "--weights-only", "-o", "weights.txt"]);
    assert!(told.contains(".parquet"), "{told}");
}

#[test]
fn what_cannot_be_learned_is_refused_with_what_was_found_and_what_to_do() {
    let folder = folder(2_000);
    let rule = ["-o", "rule.json"];
    let with = |more: &[&str]| -> String {
        let arguments: Vec<&str> = COLUMNS.iter().chain(&rule).chain(more).copied().collect();
        refused(&folder, &arguments)
    };
    let told = refused(
        &folder,
        &[
            "people.csv",
            "--y-pred",
            "approved",
            "--criterion",
            "equal_opportunity",
            "--features=noise",
            "-o",
            "rule.json",
        ],
    );
    assert!(told.contains("labels") && told.contains("--y-true"), "{told}");
    let told = with(&["--tolerance", "-1"]);
    assert!(told.contains("tolerance is -1"), "{told}");
    let told = with(&["--by", "district"]);
    assert!(told.contains("--by"), "{told}");
    let told = with(&["--features", "incomes"]);
    assert!(told.contains("incomes") && told.contains("income"), "{told}");
    let told = with(&["--method", "logistic"]);
    assert!(told.contains("--score"), "{told}");
    // Nobody's group becomes a feature by itself.
    let told = refused(&folder, &["people.csv", "--y-true", "repaid", "-o", "rule.json"]);
    assert!(told.contains("--features"), "{told}");
    let told = refused(&folder, &["people.csv", "--y-true", "repaid", "--features=noise", "-o", "rule.txt"]);
    assert!(told.contains(".json"), "{told}");
    // Two proxies that err alike cannot be told apart from one.
    let told = refused(
        &folder,
        &["people.csv", "--y-true", "repaid", "--proxy", "proxy_a", "--features=noise", "-o", "rule.json"],
    );
    assert!(told.contains("cannot be undone"), "{told}");
    // A missing feature has a place only where one is asked for.
    let text = people(2_000, 1).replacen(",north,", ",,", 3);
    std::fs::write(folder.path().join("holes.csv"), text).unwrap();
    let told = refused(
        &folder,
        &[
            "holes.csv",
            "--y-true",
            "repaid",
            "--features",
            "*",
            "--drop",
            "group,approved",
            "-o",
            "rule.json",
        ],
    );
    assert!(told.contains("district") && told.contains("--impute") && told.contains("line"), "{told}");
    fairveil(&folder)
        .args([
            "mitigate",
            "holes.csv",
            "--y-true",
            "repaid",
            "--features=income,district",
            "-o",
            "rule.json",
        ])
        .args(["--impute", "--no-curve", "--n-boot", "0", "--quiet"])
        .assert()
        .success();
    // Decisions that go with no guess: every second person of each pattern. What gap there is, is chance, and the planner says
    // how many rows would tell it.
    let mut met: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
    let lines = people(2_000, 1);
    let coin = |line: &str| {
        let pattern = line.split(',').skip(6).take(3).collect::<Vec<_>>().join(",");
        let times = met.entry(pattern).or_default();
        *times += 1;
        format!("{line},{}\n", *times % 2)
    };
    let coins: String = lines.lines().map(coin).collect();
    std::fs::write(folder.path().join("coin.csv"), coins.replacen("group,1", "group,coin", 1)).unwrap();
    let told = refused(
        &folder,
        &[
            "coin.csv",
            "--y-pred",
            "coin",
            "--y-true",
            "repaid",
            "--features=income,noise",
            "-o",
            "other.json",
        ],
    );
    assert!(told.contains("standard error") && told.contains("fitted rows like these"), "{told}");
}
