//! `fairveil mitigate`: from a table to a rule and a page, to weights, or to a refusal that says why.

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

pub fn fairveil(folder: &TempDir) -> Command {
    let mut command = Command::cargo_bin("fairveil").unwrap();
    command.current_dir(folder.path());
    command
}

/// A generator that needs nothing else (Knuth's MMIX).
pub struct Random(pub u64);

impl Random {
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// People with a feature, a district and a label that go with the group, a score, and three proxies right for 80 %.
pub fn people(rows: usize, seed: u64) -> String {
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

pub fn folder(rows: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("people.csv"), people(rows, 1)).unwrap();
    folder
}

pub const COLUMNS: [&str; 8] = [
    "people.csv",
    "--y-true",
    "repaid",
    "--y-pred",
    "approved",
    "--score",
    "p",
    "--features=income,district,noise",
];

pub fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

pub fn refused(folder: &TempDir, arguments: &[&str]) -> String {
    let before = std::fs::read_dir(folder.path()).unwrap().count();
    let output = fairveil(folder).arg("mitigate").args(arguments).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), before, "a file was left: {told}");
    // A setting that was not spelled in flags.
    assert!(!told.contains('{'), "{told}");
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
    assert_eq!(record["operating_point"]["asked"]["by"], "kept");
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

#[test]
fn other_features_methods_and_formats_are_measured_on_the_same_people() {
    let folder = folder(6_000);
    let people = std::fs::read_to_string(folder.path().join("people.csv")).unwrap();
    // The same people as JSON lines, with the columns in another order.
    let mut lines = people.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let object = |fields: Vec<&str>| {
        let one = |(name, value): (&&str, &&str)| match value.parse::<f64>() {
            Ok(_) => format!("\"{name}\":{value}"),
            Err(_) => format!("\"{name}\":\"{value}\""),
        };
        let pairs: Vec<String> = head.iter().zip(&fields).rev().map(one).collect();
        format!("{{{}}}\n", pairs.join(","))
    };
    std::fs::write(folder.path().join("people.jsonl"), lines.map(object).collect::<String>()).unwrap();
    let before = |table: &str, features: &str, more: &[&str]| {
        fairveil(&folder)
            .args(["mitigate", table, "--y-true", "repaid", "--y-pred", "approved", "--truth", "group"])
            .args([features, "--n-boot", "0", "--no-curve", "--held-out", "0.3", "-o", "rule.json"])
            .args(["--json", "record.json", "--quiet"])
            .args(more)
            .assert()
            .success();
        let record = json(&folder.path().join("record.json"));
        let (before, rows) = (&record["before"], record["input"]["rows_held_out"].clone());
        [rows, before["accuracy"].clone(), before["true_gap"].clone()]
    };
    let first = before("people.csv", "--features=income,district,noise", &["--score", "p"]);
    assert_eq!(first, before("people.csv", "--features=income,noise", &["--score", "p"]));
    assert_eq!(first, before("people.csv", "--features=income,district,noise", &["--method", "logistic"]));
    assert_eq!(first, before("people.jsonl", "--features=income,district,noise", &["--score", "p"]));
    assert_ne!(first, before("people.csv", "--features=income,district,noise", &["--seed", "5"]));
}

#[test]
fn a_column_says_which_rows_are_measured_on() {
    let folder = folder(6_000);
    let people = std::fs::read_to_string(folder.path().join("people.csv")).unwrap();
    let with = |side: &dyn Fn(usize) -> &'static str| {
        let line =
            |(row, line): (usize, &str)| format!("{line},{}\n", if row == 0 { "part" } else { side(row) });
        people.lines().enumerate().map(line).collect::<String>()
    };
    std::fs::write(
        folder.path().join("people.csv"),
        with(&|row| match row % 4 {
            0 => "test",
            1 => "",
            _ => "Train",
        }),
    )
    .unwrap();
    let outputs = ["-o", "rule.json", "--json", "record.json", "--n-boot", "0", "--no-curve"];
    fairveil(&folder)
        .arg("mitigate")
        .args(COLUMNS)
        .args(["--split", "part"])
        .args(outputs)
        .assert()
        .success();
    let record = json(&folder.path().join("record.json"));
    let rows = ["rows_fitted", "rows_held_out", "rows_left_out"].map(|name| record["input"][name].as_u64());
    assert_eq!(rows, [Some(3_000), Some(1_500), Some(1_500)]);
    assert_eq!(record["settings"]["measured_on"]["name"], "part");
    // A word that is neither.
    std::fs::remove_file(folder.path().join("rule.json")).unwrap();
    std::fs::remove_file(folder.path().join("record.json")).unwrap();
    std::fs::write(folder.path().join("people.csv"), with(&|row| if row == 7 { "later" } else { "train" }))
        .unwrap();
    let told = refused(&folder, &[&COLUMNS[..], &["--split", "part", "-o", "rule.json"]].concat());
    assert!(told.contains("line 8") && told.contains("`later`") && told.contains("--split"), "{told}");
    let told =
        refused(&folder, &[&COLUMNS[..], &["--split", "part", "--held-out", "0.2", "-o", "r.json"]].concat());
    assert!(told.contains("--held-out"), "{told}");
}

#[test]
fn several_methods_stand_on_one_page() {
    let folder = folder(3_000);
    let done = fairveil(&folder)
        .args(["mitigate", "people.csv", "--y-true", "repaid", "--y-pred", "approved"])
        .args(["--features=income,district,noise", "--method", "logistic,plug-in", "--n-boot", "0"])
        .args(["-o", "rule.json", "--json", "record.json", "--html", "page.html"])
        .assert()
        .success();
    let text = String::from_utf8(done.get_output().stdout.clone()).unwrap();
    assert!(
        text.contains("The methods on the same rows") && text.contains("cross-fitted in 5 folds"),
        "{text}"
    );
    let record = json(&folder.path().join("record.json"));
    let schema: Value =
        serde_json::from_str(include_str!("../../../../docs/schema/fairveil.mitigation-1.json")).unwrap();
    let checked = jsonschema::validate(&schema, &record);
    assert!(checked.is_ok(), "{checked:?}");
    assert_eq!(json(&folder.path().join("rule.json"))["method"], "logistic");
    assert!(
        std::fs::read_to_string(folder.path().join("page.html"))
            .unwrap()
            .contains("The methods on the same rows")
    );
}

#[test]
fn hints_can_be_followed_and_help_lists_nothing_that_is_refused() {
    let folder = folder(2_000);
    let two = [
        "people.csv",
        "--y-true",
        "repaid",
        "--proxy",
        "proxy_a",
        "--proxy",
        "proxy_b",
        "--features=noise",
        "-o",
        "r.json",
    ];
    let told = refused(&folder, &two);
    assert!(
        told.contains("--audit-labels") && told.contains("--given") && !told.contains("follow its advice"),
        "{told}"
    );
    let database = ["postgres://localhost/x", "--features=noise", "-o", "r.json"];
    let told = refused(&folder, &database);
    assert!(told.contains("hands out a tally") && !told.contains("--table"), "{told}");
    let help = fairveil(&folder).args(["mitigate", "--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    for flag in [
        "--by",
        "--cluster",
        "--audit-labels",
        "--label-probability",
        "--min-segment",
        "--show-single-people",
        "--query",
    ] {
        assert!(!help.contains(&format!("{flag} ")), "{flag}");
    }
    assert!(!help.contains("postgres://"), "{help}");
    assert!(!help.contains("--count "), "mitigate reads rows: {help}");
    // What is offered as an estimator can be used by a rule.
    let offered = help.split("--estimator").nth(1).unwrap().split("possible values: ").nth(1).unwrap();
    let offered: Vec<&str> = offered.split(']').next().unwrap().split(", ").collect();
    assert!(offered.contains(&"latent-class") && !offered.contains(&"base"), "{offered:?}");
    // Two need more than guesses: error rates, probabilities.
    for estimator in offered.iter().filter(|name| !["given", "confident-joint"].contains(*name)) {
        let words =
            ["mitigate", "--estimator", estimator, "--n-boot", "0", "--no-curve", "--quiet", "-o", "e.json"];
        fairveil(&folder).args(words).args(COLUMNS).assert().success();
    }
    let told = refused(&folder, &[&COLUMNS[..], &["--method", "plug-in,plug-in", "-o", "r.json"]].concat());
    assert!(told.contains("each method once"), "{told}");
    // A score is for the plug-in rule; the methods beside it do without.
    let words = ["mitigate", "--method", "plug-in,logistic", "--n-boot", "0", "--no-curve", "-o", "s.json"];
    fairveil(&folder).args(words).args(COLUMNS).assert().success();
}

#[test]
fn a_rule_knows_whom_it_was_learned_from_and_tells_where_others_come() {
    let folder = folder(6_000);
    let outputs = ["-o", "rule.json", "--n-boot", "0", "--no-curve", "--quiet"];
    fairveil(&folder).arg("mitigate").args(COLUMNS).args(outputs).assert().success();
    let apply = |table: &str, more: &[&str]| {
        std::fs::write(folder.path().join("new.csv"), table).unwrap();
        let words = ["apply", "rule.json", "new.csv", "-o", "out.jsonl"];
        let _ = std::fs::remove_file(folder.path().join("out.jsonl"));
        let output = fairveil(&folder).args(words).args(more).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let line = |i: usize, income: &str, district: &str| {
        format!("{income},{district},{:.3},0.5\n", (i % 7) as f64 / 4.0 - 0.75)
    };
    let head = "income,district,noise,p\n".to_owned();
    // People like those before: about half live in the north, with incomes around 0.
    let alike = |i: usize| {
        line(i, &format!("{:.3}", ((i * 37) % 200) as f64 / 100.0 - 1.0), ["north", "south"][i % 2])
    };
    let usual: String = head.clone() + &(0..400).map(alike).collect::<String>();
    let (code, said) = apply(&usual, &[]);
    assert!(code == 0 && !said.contains("warning"), "{said}");
    // Labels are whole numbers, and so are decisions.
    let first = std::fs::read_to_string(folder.path().join("out.jsonl")).unwrap();
    let first: Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    assert!(first["decision"].is_i64(), "{first}");
    let odd = usual.clone() + &line(1, "99999", "north");
    let (code, said) = apply(&odd, &[]);
    assert!(code == 0 && said.contains("1 rows are far outside") && said.contains("line 402"), "{said}");
    assert!(!said.contains("differ from those"), "one slip is no other people: {said}");
    let (code, said) = apply(&odd, &["--outside", "empty"]);
    assert!(code == 0 && said.contains("1 rows have no decision"), "{said}");
    // Leniency is about rows that cannot be decided about; what is to be refused is refused.
    let (code, said) = apply(&odd, &["--outside", "refuse", "--lenient"]);
    assert!(code == 2 && !folder.path().join("out.jsonl").exists(), "{said}");
    let (code, said) = apply(&odd, &["--outside", "refuse"]);
    assert!(
        code == 2 && said.contains("--outside empty") && !folder.path().join("out.jsonl").exists(),
        "{said}"
    );
    // Other people: all in the north, and richer by half of a deviation or more.
    let other = |i: usize| line(i, &format!("{:.3}", 1.0 + ((i * 37) % 200) as f64 / 200.0), "north");
    let (code, said) = apply(&(head + &(0..400).map(other).collect::<String>()), &[]);
    assert!(code == 0 && said.contains("differ from those"), "{said}");
    assert!(said.contains("income: mean") && said.contains("district: "), "{said}");
    // Incomes of another unit, all far outside: told, and the other columns are as they were.
    let cents = |i: usize| {
        line(i, &format!("{:.1}", 100.0 + 100.0 * ((i * 37) % 200) as f64), ["north", "south"][i % 2])
    };
    let (code, said) =
        apply(&("income,district,noise,p\n".to_owned() + &(0..400).map(cents).collect::<String>()), &[]);
    assert!(code == 0 && said.contains("income: 100 % of the values are far outside"), "{said}");
    assert!(!said.contains("district: ") && !said.contains("noise: "), "{said}");
    // The same people with scores of another scale: all would be refused, and nothing else is unusual.
    let (code, said) = apply(&usual.replace(",0.5\n", ",0.1\n"), &[]);
    assert!(code == 0 && said.contains("differ from those") && said.contains("p: mean 0.1000 for"), "{said}");
    // The very smallest and largest values are one person's, and are not in the rule.
    let range = json(&folder.path().join("rule.json"))["encoding"]["features"][1]["range"].clone();
    let people = std::fs::read_to_string(folder.path().join("people.csv")).unwrap();
    let incomes = people.lines().skip(1).map(|line| line.split(',').next().unwrap().parse::<f64>().unwrap());
    let beyond = incomes.filter(|income| *income > range[1].as_f64().unwrap() + 1e-6).count();
    assert_eq!(beyond, 9, "{range}");
}
