//! What a person at the terminal sees: standard output, standard error, exit codes and files.

use assert_cmd::Command;
use sha2::Digest;
use std::path::Path;
use tempfile::TempDir;

/// A scratch folder in which commands run.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
}

pub(crate) struct Seen {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Seen {
    /// All that was seen, for a snapshot.
    pub fn all(&self) -> String {
        format!("exit {}\n--- stdout\n{}--- stderr\n{}", self.code, self.stdout, self.stderr)
    }
}

impl Place {
    pub fn new() -> Self {
        Place { folder: tempfile::tempdir().unwrap() }
    }

    pub fn file(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let files = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn run(&self, line: &str) -> Seen {
        self.run_with(line, "")
    }

    fn run_with(&self, line: &str, stdin: &str) -> Seen {
        let mut command = Command::cargo_bin("fairveil").unwrap();
        let output =
            command.args(line.split_whitespace()).current_dir(self.folder.path()).write_stdin(stdin).output();
        let output = output.unwrap();
        Seen {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// A run that must fail without leaving or changing a file.
    fn refused(&self, line: &str) -> String {
        let before: Vec<(String, String)> =
            self.names().into_iter().map(|n| (n.clone(), self.read(&n))).collect();
        let seen = self.run(line);
        let after: Vec<(String, String)> =
            self.names().into_iter().map(|n| (n.clone(), self.read(&n))).collect();
        assert_eq!(seen.code, 2, "{}", seen.all());
        assert!(seen.stdout.is_empty(), "{}", seen.stdout);
        assert_eq!(before, after);
        seen.stderr
    }
}

/// Rows with weights, in which three proxies agree as three independent ones with errors 0.2 would (rounded).
fn loans() -> String {
    let mut text = String::from("approved,repaid,surname,first_name,zip,weight,true_group\n");
    for (group, other, approved) in [("green", "blue", [0.3, 0.5]), ("blue", "green", [0.5, 0.7])] {
        for repaid in [0, 1] {
            for granted in [0, 1] {
                for pattern in 0..8u32 {
                    let wrong = pattern.count_ones();
                    let chance = 0.2f64.powi(wrong as i32) * 0.8f64.powi(3 - wrong as i32);
                    let share = if granted == 1 { approved[repaid] } else { 1.0 - approved[repaid] };
                    let guess = |bit: u32| if pattern >> bit & 1 == 1 { other } else { group };
                    let weight = (chance * share * 1000.0).round();
                    text += &format!(
                        "{granted},{repaid},{},{},{},{weight},{group}\n",
                        guess(0),
                        guess(1),
                        guess(2)
                    );
                }
            }
        }
    }
    text
}

const FLAGS: &str =
    "--y-pred approved --y-true repaid --proxy surname:census --proxy first_name:ssa --proxy zip:acs";

#[test]
fn an_audit_reads_like_an_answer() {
    let place = Place::new();
    place.file("loans.csv", &loans());
    insta::assert_snapshot!(place.run(&format!("audit loans.csv {FLAGS}")).all());
}

#[test]
fn an_audit_beside_the_truth_shows_the_papers_error_measures() {
    let place = Place::new();
    place.file("loans.csv", &loans());
    let line = format!("audit loans.csv {FLAGS} --truth true_group --criterion demographic_parity --full");
    insta::assert_snapshot!(place.run(&line).all());
}

#[test]
fn json_keeps_the_contract() {
    let place = Place::new();
    place.file("loans.csv", &loans());
    let seen = place
        .run(&format!("audit loans.csv {FLAGS} --truth true_group --criterion equal_opportunity --json -"));
    insta::assert_snapshot!(seen.all());
}

#[test]
fn every_json_meets_the_published_schema() {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/fairveil.audit-2.json");
    let mut schema: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    let open = jsonschema::validator_for(&schema).unwrap();
    close(&mut schema);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let place = Place::new();
    place.file("loans.csv", &loans());
    place.file("noise.csv", "y_pred,proxy_a,proxy_b,proxy_c\n1,x,y,x\n0,y,x,x\n1,x,y,y\n0,y,x,y\n1,y,x,\n");
    for line in [
        format!("audit loans.csv {FLAGS} --json -"),
        format!("audit loans.csv {FLAGS} --truth true_group --scope local --json -"),
        "audit loans.csv --y-pred approved --proxy zip --json -".into(),
        format!("audit loans.csv {FLAGS} --audit-labels true_group --by true_group --json -"),
        format!("audit loans.csv {FLAGS} --known-shares green=0.4 --max-proxy-error zip=0.4 --json -"),
        "audit loans.csv --y-pred approved --proxy zip --proxy surname --json -".into(),
        "audit noise.csv --json -".into(),
    ] {
        let seen = place.run(&line);
        assert_eq!(seen.code, 0, "{}", seen.all());
        let document: serde_json::Value = serde_json::from_str(&seen.stdout).unwrap();
        let problems: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(problems.is_empty(), "{line}: {problems:?}");
        // The schema is open to additions, and names all that is there today.
        let mut more = document.clone();
        more["results"][0]["surprise"] = 1.into();
        assert!(open.is_valid(&more) && !validator.is_valid(&more));
    }
}

/// The schema without room for what it does not name.
pub(crate) fn close(schema: &mut serde_json::Value) {
    match schema {
        serde_json::Value::Object(fields) => {
            fields.values_mut().for_each(close);
            if fields.contains_key("properties") && fields.contains_key("type") {
                fields.insert("additionalProperties".into(), false.into());
            }
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

#[test]
fn files_standard_input_and_compression_give_the_same_digits() {
    let place = Place::new();
    place.file("loans.csv", &loans());
    place.file("loans.tsv", &loans().replace(',', "\t"));
    let from_file = place.run(&format!("audit loans.csv {FLAGS} --json -"));
    let from_tabs = place.run(&format!("audit loans.tsv {FLAGS} --json -"));
    let from_stdin = place.run_with(&format!("audit - {FLAGS} --json -"), &loans());
    let mut backwards: Vec<String> = loans().lines().skip(1).map(String::from).collect();
    backwards.reverse();
    let header = loans().lines().next().unwrap().to_owned();
    place.file("backwards.csv", &format!("{header}\r\n{}", backwards.join("\r\n")));
    let shuffled = place.run(&format!("audit backwards.csv {FLAGS} --json -"));
    assert_eq!(from_file.stdout, from_tabs.stdout);
    assert_eq!(from_file.stdout, from_stdin.stdout);
    assert_eq!(from_file.stdout, shuffled.stdout);
    let quiet = place.run(&format!("audit loans.csv {FLAGS} --quiet --json audit.json"));
    assert_eq!((quiet.code, quiet.stdout.as_str()), (0, ""));
    assert_eq!(place.read("audit.json"), from_file.stdout);
}

#[test]
fn the_order_of_proxy_flags_changes_no_digit_of_a_value() {
    let place = Place::new();
    place.file("loans.csv", &loans());
    let values = |flags: &str| {
        let seen = place.run(&format!("audit loans.csv --y-pred approved --y-true repaid {flags} --json -"));
        let document: serde_json::Value = serde_json::from_str(&seen.stdout).unwrap();
        let results = document["results"].as_array().unwrap().clone();
        let mut values: Vec<String> = results
            .iter()
            .map(|r| {
                format!("{} {} {} {} {}", r["criterion"], r["aggregate"], r["proxy"], r["scope"], r["value"])
            })
            .collect();
        values.sort();
        values
    };
    let first = values("--proxy surname --proxy first_name --proxy zip");
    assert_eq!(first, values("--proxy zip --proxy surname --proxy first_name"));
}

#[test]
fn bad_input_exits_with_2_and_touches_no_file() {
    let place = Place::new();
    place.file("loans.csv", &loans());
    place.file("empty.csv", "");
    place.file("audit.json", "an older audit\n");
    place.file("same.csv", "y_pred,proxy_a,proxy_b,proxy_c\n1,x,x,x\n0,y,y,y\n1,y,y,y\n");
    place.file("noise.csv", "y_pred,proxy_a,proxy_b,proxy_c\n1,x,y,x\n0,y,x,x\n1,x,y,y\n0,y,x,y\n");
    let mut seen = String::new();
    for line in [
        "audit nothing.csv --json audit.json",
        "audit nothing.csv --html report.html --svg plots",
        "audit empty.csv --json audit.json",
        "audit loans.csv --json audit.json",
        "audit loans.csv --y-pred aproved --proxy zip --json audit.json",
        "audit loans.csv --y-pred approved --proxy surname --proxy zip --estimator hoc --json audit.json",
        "audit loans.csv --y-pred approved --proxy surname --criterion equalized_odds --json audit.json",
        "audit loans.csv --y-pred approved --proxy surname --positive yes --json audit.json",
        "audit loans.csv --y-pred approved --proxy surname --weight true_group --json audit.json",
        "audit same.csv --json audit.json",
        "audit noise.csv --estimator hoc --json audit.json",
        "audit loans.csv --y-pred approved --proxy zip --json loans.csv",
        "audit loans.csv --y-pred approved --proxy zip --json no/such/folder/audit.json",
        "audit loans.csv --y-pred approved --proxy zip --html no/such/folder/report.html",
        "audit loans.csv --y-pred approved --proxy zip --markdown loans.csv",
        "audit loans.csv --y-pred approved --proxy zip --svg loans.csv",
        "audit loans.csv --y-pred approved --proxy zip --html report.html --date 2026-02-30",
        "simulate -o people.xlsx",
        "simulate --accuracy 0.7,0.8 -o people.csv",
        "explain X99",
    ] {
        seen += &format!("$ fairveil {line}\n{}\n", place.refused(line));
    }
    insta::assert_snapshot!(seen);
}

#[test]
fn wrong_arguments_exit_with_2() {
    let place = Place::new();
    for line in
        ["", "audit", "audit x.csv --scope everywhere", "simulate --rows 0", "simulate --gap 2", "frobnicate"]
    {
        assert_eq!(place.run(line).code, 2, "{line}");
    }
}

#[test]
fn what_cannot_be_calibrated_is_said_and_the_rest_is_given() {
    let place = Place::new();
    place.file("noise.csv", "y_pred,proxy_a,proxy_b,proxy_c\n1,x,y,x\n0,y,x,x\n1,x,y,y\n0,y,x,y\n");
    insta::assert_snapshot!(place.run("audit noise.csv").all());
}

#[test]
fn gates_have_exit_codes_of_their_own() {
    let place = Place::new();
    place.run("simulate -o people.csv --rows 20000 --gap 0.25 --accuracy 0.8");
    let code = |gates: &str| place.run(&format!("audit people.csv --quiet --n-boot 200 {gates}")).code;
    assert_eq!(code("--fail-above demographic_parity=0.1"), 1);
    assert_eq!(code("--fail-above demographic_parity=0.6"), 0);
    assert_eq!(code("--fail-above demographic_parity=0.25"), 3);
    assert_eq!(code("--fail-above demographic_parity=0.25 --fail-above equal_opportunity=0.05"), 1);
    assert_eq!(place.run("audit people.csv --quiet --n-boot 0 --fail-above demographic_parity=0.1").code, 3);
    assert_eq!(place.run("audit people.csv --fail-above parity=0.1").code, 2);
    // A floor under a ratio: rates of 0.375 and 0.625.
    assert_eq!(code("--fail-below impact_ratio=0.8"), 1);
    assert_eq!(code("--fail-below impact_ratio=0.6"), 3);
    assert_eq!(code("--fail-below impact_ratio=0.1 --fail-below adverse_impact_ratio=0.1"), 0);
    assert_eq!(place.run("audit people.csv --fail-below ratio=0.8").code, 2);
    let told = place.run("audit people.csv --quiet --fail-below impact_ratio=0.8").all();
    assert!(told.contains("gate impact_ratio = 0.8: crossed: that of group 1 is "), "{told}");
    let refused = place.run("audit people.csv --reference nobody").all();
    assert!(refused.contains("the reference group `nobody` is not in the table"), "{refused}");
    assert!(refused.contains("correct --reference"), "{refused}");
}

#[test]
fn too_weak_proxies_end_in_a_direction_not_in_a_number() {
    let place = Place::new();
    place.run("simulate -o weak.csv --rows 5000 --accuracy 0.52 --seed 3");
    let seen = place.run("audit weak.csv");
    assert_eq!(seen.code, 0, "{}", seen.all());
    assert!(
        seen.stdout.contains("Why no size can be given: ") && seen.stdout.contains("beyond chance"),
        "{}",
        seen.stdout
    );
    let json = place.run("audit weak.csv --json -").stdout;
    let document: serde_json::Value = serde_json::from_str(&json).unwrap();
    let results = document["results"].as_array().unwrap();
    let global: Vec<_> = results.iter().filter(|r| r["scope"] == "global").collect();
    assert!(
        !global.is_empty() && global.iter().all(|r| r["value"].is_null() && r["unavailable"].is_string())
    );
}

#[test]
fn labels_known_only_for_one_decision_give_no_number() {
    let place = Place::new();
    place.run("simulate -o people.csv --rows 5000");
    let text = place.read("people.csv");
    // Who repaid is known only for loans that were granted.
    let selected = text.lines().map(|line| match line.strip_prefix("0,") {
        Some(rest) => format!("0,,{}", rest.split_once(',').unwrap().1),
        None => line.to_owned(),
    });
    place.file("selected.csv", &(selected.collect::<Vec<_>>().join("\n") + "\n"));
    let seen = place.run("audit selected.csv --n-boot 0");
    assert!(seen.stdout.contains("every row with a label has y_pred = 1"), "{}", seen.stdout);
}

#[test]
fn names_cannot_command_the_terminal() {
    let place = Place::new();
    place.file(
        "names.csv",
        "y_pred,proxy_a,proxy_b\n1,\u{1b}[31mred,blue\n0,blue,\u{1b}[31mred\n1,blue,blue\n",
    );
    let seen = place.run("audit names.csv");
    assert_eq!(seen.code, 0, "{}", seen.all());
    assert!(!seen.stdout.contains('\u{1b}') && seen.stdout.contains("[31mred"));
}

#[test]
fn a_simulated_table_can_be_audited_and_is_the_same_for_a_seed() {
    let place = Place::new();
    for name in ["a.csv", "b.csv"] {
        let line = format!(
            "simulate -o {name} --rows 5000 --groups 3 --classes 3 --proxies 4 --abstain 0.1 --seed 4"
        );
        let seen = place.run(&line);
        assert_eq!(seen.code, 0, "{}", seen.all());
        assert!(seen.stderr.contains("mean gaps in the population: demographic parity"), "{}", seen.stderr);
    }
    assert_eq!(place.read("a.csv"), place.read("b.csv"));
    assert_eq!(
        place.read("a.csv").lines().next().unwrap(),
        "y_pred,y_true,proxy_1,proxy_2,proxy_3,proxy_4,truth"
    );
    let packed = place
        .run("simulate -o c.tsv.gz --rows 5000 --groups 3 --classes 3 --proxies 4 --abstain 0.1 --seed 4");
    assert_eq!(packed.code, 0);
    let json = |table: &str| {
        place.run(&format!("audit {table} --positive 2 --truth truth --n-boot 100 --json -")).stdout
    };
    assert!(json("a.csv").contains("\"improvement\""));
    assert_eq!(json("a.csv"), json("c.tsv.gz"));
    let printed = place.run("simulate --rows 5000 --groups 3 --classes 3 --proxies 4 --abstain 0.1 --seed 4");
    assert_eq!(printed.stdout, place.read("a.csv"));
}

#[test]
fn the_demo_leaves_its_files() {
    let place = Place::new();
    let seen = place.run("demo --rows 2000");
    assert_eq!(seen.code, 0, "{}", seen.all());
    assert!(seen.stdout.contains("truth") && seen.stdout.contains("The same by hand:"));
    let out = Place { folder: tempfile::tempdir_in(place.folder.path()).unwrap() };
    drop(out);
    assert_eq!(place.read("out/lending.csv").lines().count(), 2001);
    // The file has all that the screen has no room for.
    let (first, _) = seen.stdout.split_once("\nWhat to doubt").unwrap();
    let full = place.read("out/audit.txt");
    assert!(full.starts_with(first) && full.contains("The gap on every basis"), "{full}");
    assert!(place.read("out/audit.json").contains("fairveil.audit/2"));
    assert!(place.read("out/report.html").contains("Group disparities in"));
    assert_eq!(place.run("demo --rows 2000").stdout, seen.stdout);
}

#[test]
fn an_audit_leaves_its_page_its_markdown_and_its_plots() {
    let place = Place::new();
    place.file("loans.csv", &loans());
    let line = format!(
        "audit loans.csv {FLAGS} --n-boot 100 --quiet --html a.html --markdown a.md --svg plots --date 2026-01-31"
    );
    let seen = place.run(&line);
    assert_eq!((seen.code, seen.stdout.as_str()), (0, ""), "{}", seen.all());
    for report in [place.read("a.html"), place.read("a.md")] {
        assert!(report.contains("2026-01-31") && report.contains("Demographic parity"));
        // The digest of the table, as any other tool gives it.
        let digest = sha2::Sha256::digest(loans().as_bytes());
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(report.contains(&digest));
        assert!(report.contains("fairveil audit loans.csv"));
    }
    let plots = std::fs::read_dir(place.folder.path().join("plots")).unwrap();
    // A table this small is not calibrated: three gaps, two sets of rates and the proxies' agreement are left.
    assert_eq!(plots.count(), 6);
    assert!(place.read("plots/gap-demographic-parity.svg").starts_with("<svg"));
    // The page is the same for the same input, settings and date; the JSON knows of no date.
    let first = place.read("a.html");
    place.run(&line);
    assert_eq!(place.read("a.html"), first);
    let json = place.run(&format!("audit loans.csv {FLAGS} --n-boot 100 --date 2026-01-31 --json -")).stdout;
    assert!(!json.contains("2026-01-31"));
}

#[test]
fn the_page_of_a_pipe_knows_its_digest_too() {
    let place = Place::new();
    let line = format!("audit - {FLAGS} --n-boot 0 --quiet --html a.html");
    assert_eq!(place.run_with(&line, &loans()).code, 0);
    assert!(place.read("a.html").contains("<dt>SHA-256</dt><dd class=\"digest\"><code>"));
}

#[test]
fn explain_tells_what_why_and_what_to_do() {
    let place = Place::new();
    insta::assert_snapshot!(place.run("explain p02").all());
    insta::assert_snapshot!(place.run("explain").all());
}

/// Two models on the same simulated people: the loans and a coarser rule.
fn two_models(place: &Place) {
    assert_eq!(place.run("simulate --rows 6000 --seed 4 --accuracy 0.8 -o people.csv").code, 0);
    let text = place.read("people.csv");
    let (header, rest) = text.split_once('\n').unwrap();
    // Selects every other person: no gap.
    let other = |(i, row): (usize, &str)| format!("{row},{}\n", i % 2);
    let rows: String = rest.lines().enumerate().map(other).collect();
    place.file("people.csv", &format!("{header},coin\n{rows}"));
}

#[test]
fn two_models_are_compared_on_the_same_rows() {
    let place = Place::new();
    two_models(&place);
    let seen = place.run("compare people.csv --y-pred y_pred --y-pred coin --json pair.json --n-boot 200");
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    assert!(
        seen.stdout.contains("coin has a smaller gap than y_pred with a chance of more than 99 %"),
        "{}",
        seen.stdout
    );
    let pair: serde_json::Value = serde_json::from_str(&place.read("pair.json")).unwrap();
    assert_eq!(pair["schema"], "fairveil.compare/1");
    assert_eq!(pair["models"][1]["model"], "coin");
    assert!(pair["pairs"][0]["probability_a_smaller"].as_f64().unwrap() < 0.01);
    let both = "compare people.csv --y-pred y_pred --y-pred coin --quiet --n-boot 200 --date 2026-01-31";
    assert_eq!(place.run(&format!("{both} --html pair.html --markdown pair.md")).code, 0);
    let (page, text) = (place.read("pair.html"), place.read("pair.md"));
    assert!(page.contains("2 models compared on") && page.contains("2026-01-31") && page.contains("SHA-256"));
    assert!(text.starts_with("# 2 models compared on people.csv") && text.contains("SHA-256"));
    // No draws, no chance: still a comparison.
    assert_eq!(place.run("compare people.csv --y-pred y_pred --y-pred coin --n-boot 0").code, 0);
    // What is for one model is refused.
    assert_eq!(place.run("compare people.csv --y-pred y_pred --y-pred coin --svg plots").code, 2);
    assert_eq!(place.run("compare people.csv --y-pred y_pred").code, 2);
    assert_eq!(place.run("audit people.csv --y-pred y_pred --y-pred coin").code, 2);
    assert_eq!(place.run("compare people.csv --y-pred y_pred --y-pred nobody").code, 2);
}

#[test]
fn what_one_audit_learned_can_be_given_to_the_next() {
    let place = Place::new();
    assert_eq!(place.run("simulate --rows 8000 --seed 3 -o people.csv").code, 0);
    assert_eq!(
        place
            .run("audit people.csv --quiet --estimator hoc --scope global --json first.json --n-boot 0")
            .code,
        0
    );
    assert_eq!(
        place.run("audit people.csv --quiet --given first.json --json second.json --n-boot 0").code,
        0
    );
    let json = |name: &str| -> serde_json::Value { serde_json::from_str(&place.read(name)).unwrap() };
    let (first, second) = (json("first.json"), json("second.json"));
    let value = |audit: &serde_json::Value, estimator: &str| {
        let same = |r: &&serde_json::Value| r["estimator"] == estimator && r["scope"] == "global";
        audit["results"].as_array().unwrap().iter().find(same).unwrap()["value"].as_f64().unwrap()
    };
    assert_eq!(second["advice"]["estimator"], "given");
    assert!((value(&first, "hoc") - value(&second, "given")).abs() < 1e-9);
    for (text, complaint) in [
        ("nonsense", "is no JSON"),
        ("{\"noise\": []}", "no `transition` matrix"),
        ("{\"transition\": [[0.9, 0.1], [0.2, 0.8]]}", "which row is which group"),
        ("{\"transition\": [[0.9, 0.3], [0.2, 0.8]], \"groups\": [\"group 1\", \"group 2\"]}", "sums to 1.2"),
        ("{\"transition\": [[0.9, 0.1]], \"groups\": [\"group 1\", \"group 2\"]}", "2 rows of 2 numbers"),
        (
            "{\"transition\": [[1, 0], [0, 1]], \"groups\": [\"group 1\", \"group 2\"], \"shares\": [1, 0]}",
            "`group_shares`",
        ),
        ("{\"transition\": [[1, 0], [0, 1]], \"groups\": [\"x\", \"y\"]}", "is not among its groups"),
    ] {
        place.file("given.json", text);
        let seen = place.run("audit people.csv --given given.json");
        assert_eq!(seen.code, 2);
        assert!(seen.stderr.contains(complaint), "{}", seen.stderr);
    }
    assert_eq!(place.run("audit people.csv --estimator given").code, 2);
}

#[test]
fn labels_of_a_few_rows_are_used_and_bad_ones_refused() {
    let place = Place::new();
    assert_eq!(place.run("simulate --rows 4000 --seed 5 --copying 0.3 -o people.csv").code, 0);
    let text = place.read("people.csv");
    let (header, rest) = text.split_once('\n').unwrap();
    let group = header.split(',').position(|name| name == "truth").unwrap();
    let with = |every: usize, wrong: bool| {
        let row = |(i, row): (usize, &str)| {
            let known = if wrong { "nobody" } else { row.split(',').nth(group).unwrap() };
            format!("{row},{}\n", if i % every == 0 { known } else { "" })
        };
        format!("{header},known\n{}", rest.lines().enumerate().map(row).collect::<String>())
    };
    place.file("people.csv", &with(20, false));
    let seen = place.run("audit people.csv --audit-labels known --json - --n-boot 200");
    let audit: serde_json::Value = serde_json::from_str(&seen.stdout).unwrap();
    assert_eq!(audit["advice"]["estimator"], "audit");
    assert!(audit["findings"].as_array().unwrap().iter().any(|finding| finding["code"] == "P09"));
    let results = audit["results"].as_array().unwrap();
    let result = results.iter().find(|r| r["recommended"] == true).unwrap();
    assert_eq!(result["basis"], "audit_sample");
    assert!(result["interval"]["low"].as_f64().unwrap() < result["interval"]["high"].as_f64().unwrap());
    // The same rows as a sample of another population.
    place.file("other.csv", &with(20, false));
    let seen = place.run("audit people.csv --audit-labels known --audit-table other.csv --n-boot 0 --json -");
    let other: serde_json::Value = serde_json::from_str(&seen.stdout).unwrap();
    assert_eq!(other["advice"]["estimator"], "audit");
    place.file("wrong.csv", &with(20, true));
    for (line, complaint) in [
        ("audit wrong.csv --audit-labels known", "nobody"),
        ("audit people.csv --audit-labels nothing", "nothing"),
        ("audit people.csv --estimator audit", "--audit-labels"),
        ("audit people.csv --audit-table other.csv", "--audit-labels"),
    ] {
        let seen = place.run(line);
        assert_eq!(seen.code, 2, "{line}");
        assert!(seen.stderr.contains(complaint), "{}", seen.stderr);
    }
}

#[test]
fn known_shares_give_bounds_and_wrong_ones_are_refused() {
    let place = Place::new();
    assert_eq!(place.run("simulate --rows 3000 --seed 5 -o people.csv").code, 0);
    // A line is cut at blanks here, so names have none.
    place.file("people.csv", &place.read("people.csv").replace("group ", "g"));
    let second = "g2";
    let seen = place.run(&format!(
        "audit people.csv --known-shares {second}=0.5 --max-proxy-error 0.3 --json - --n-boot 0"
    ));
    let audit: serde_json::Value = serde_json::from_str(&seen.stdout).unwrap();
    let bounds = audit["bounds"].as_array().unwrap();
    let of = |assumes: &str, proxy: bool| {
        let found =
            bounds.iter().find(|b| b["assumes"] == assumes && b["proxy"].is_string() == proxy).unwrap();
        (found["low"].as_f64().unwrap(), found["high"].as_f64().unwrap())
    };
    let (shares, errors) = (of("known_shares", false), of("max_proxy_error", false));
    assert!(shares.0 <= errors.0 && errors.1 <= shares.1 && errors.1 - errors.0 < shares.1 - shares.0);
    for (line, complaint) in [
        ("--known-shares nobody=0.5", "no proxy guesses"),
        (&format!("--known-shares {second}=2"), "a number from 0 to 1"),
        (&format!("--known-shares {second}"), "GROUP=SHARE"),
        ("--max-proxy-error 0.1", "--known-shares"),
        (&format!("--known-shares {second}=0.5 --max-proxy-error nobody=0.1"), "there is no proxy nobody"),
    ] {
        let seen = place.run(&format!("audit people.csv {line}"));
        assert_eq!(seen.code, 2, "{line}");
        assert!(seen.stderr.contains(complaint), "{line}: {}", seen.stderr);
    }
}

#[test]
fn threads_change_no_digit() {
    let place = Place::new();
    assert_eq!(place.run("simulate --rows 2000 --abstain 0.1 --seed 8 -o people.csv").code, 0);
    let with = |threads: u8| {
        place.run(&format!("audit people.csv --n-boot 200 --json - --threads {threads}")).stdout
    };
    assert_eq!(with(1), with(2));
    assert!(with(1).len() > 1000);
}

#[test]
fn a_plan_says_rows_and_labels() {
    let place = Place::new();
    let seen = place.run("plan --accuracy 0.65 --half-width 0.05 --rows 20000");
    insta::assert_snapshot!(seen.all());
    assert_eq!(place.run("plan --accuracy 0.65 --svg plan.svg").code, 0);
    assert!(place.read("plan.svg").starts_with("<svg"));
    let seen = place.run("plan --accuracy 0.5 --json -");
    let plan: serde_json::Value = serde_json::from_str(&seen.stdout).unwrap();
    assert_eq!(plan["schema"], "fairveil.plan/1");
    assert!(plan["rows_without_labels"].is_null() && plan["unavailable"].is_string());
    assert_eq!(place.run("simulate --rows 8000 --seed 3 -o people.csv").code, 0);
    assert_eq!(place.run("audit people.csv --quiet --json audit.json --n-boot 0").code, 0);
    let seen = place.run("plan --from audit.json");
    assert!(seen.stdout.contains("Beside 8,000 rows, about"), "{}", seen.all());
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&seen.stdout).contains("; 3 proxies, right"), "{}", seen.all());
    let seen = place.run("plan --accuracy 0.8 --epsilon 0.01");
    assert!(words(&seen.stdout).contains("an epsilon of 0.01, 0.03 for the 3"), "{}", seen.all());
    for line in
        ["plan --gap 0.9", "plan --accuracy 0.7,0.8", "plan --from nothing.json", "plan --half-width 0"]
    {
        assert_eq!(place.run(line).code, 2, "{line}");
    }
}

#[test]
fn segments_are_audited_on_their_own() {
    let place = Place::new();
    assert_eq!(place.run("simulate --rows 6000 --seed 5 --accuracy 0.85 -o people.csv").code, 0);
    let text = place.read("people.csv");
    let (header, rest) = text.split_once('\n').unwrap();
    let region = |i: usize| ["north", "south", "", "west"][i % 4];
    let rows: String =
        rest.lines().enumerate().map(|(i, row)| format!("{row},{},{}\n", region(i), 2020 + i % 2)).collect();
    place.file("people.csv", &format!("{header},region,year\n{rows}"));
    let seen = place.run("audit people.csv --by region --n-boot 100 --json audit.json --html page.html");
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    assert!(seen.stdout.contains("Demographic parity by region") && seen.stdout.contains("(missing)"));
    let audit: serde_json::Value = serde_json::from_str(&place.read("audit.json")).unwrap();
    let segments = audit["segments"].as_array().unwrap();
    let names: Vec<_> = segments.iter().map(|segment| segment["values"][0].clone()).collect();
    assert_eq!(names, [serde_json::Value::Null, "north".into(), "south".into(), "west".into()]);
    let rows = |audit: &serde_json::Value| audit["input"]["rows"].as_u64().unwrap();
    assert_eq!(segments.iter().map(|segment| rows(&segment["audit"])).sum::<u64>(), rows(&audit));
    let page = place.read("page.html");
    assert!(page.contains("4 segments by") && page.contains("south"));
    // The whole is the same with and without segments; several columns cut finer.
    let plain: serde_json::Value =
        serde_json::from_str(&place.run("audit people.csv --n-boot 100 --json -").stdout).unwrap();
    assert_eq!(plain["results"], audit["results"]);
    let both: serde_json::Value =
        serde_json::from_str(&place.run("audit people.csv --by region --by year --n-boot 0 --json -").stdout)
            .unwrap();
    assert_eq!(both["segments"].as_array().unwrap().len(), 4);
    assert_eq!(place.run("audit people.csv --by nowhere").code, 2);
}

#[test]
fn outputs_replace_no_input_and_not_each_other() {
    let place = Place::new();
    assert_eq!(place.run("simulate --rows 500 --seed 5 -o people.csv").code, 0);
    place.file("other.csv", &place.read("people.csv"));
    place.file(
        "given.json",
        "{\"transition\": [[0.9, 0.1], [0.2, 0.8]], \"groups\": [\"group 1\", \"group 2\"]}",
    );
    let before = (place.read("other.csv"), place.read("given.json"));
    for line in [
        "audit people.csv --audit-table other.csv --audit-labels truth --json other.csv",
        "audit people.csv --given given.json --json given.json",
        "audit people.csv --json a.out --html ./a.out",
        "audit people.csv --html -",
        "audit people.csv --n-boot 1000000000",
        "audit people.csv --criterion demographic_parity --fail-above equalized_odds=0.1",
    ] {
        let seen = place.run(line);
        assert_eq!(seen.code, 2, "{line}: {}", seen.stderr);
        assert!(seen.stderr.contains("to do:"), "{line}: {}", seen.stderr);
    }
    assert_eq!(before, (place.read("other.csv"), place.read("given.json")));
    assert!(!place.names().iter().any(|name| name == "-" || name == "a.out"));
}

#[test]
fn another_table_is_matched_by_the_names_of_its_proxies() {
    let place = Place::new();
    assert_eq!(place.run("simulate --rows 2000 --seed 5 -o people.csv").code, 0);
    let text = place.read("people.csv");
    // One more proxy in front, and one fewer at the end.
    let longer =
        |line: &str| format!("{},{line}\n", if line.starts_with("y_pred") { "proxy_0" } else { "group 1" });
    place.file("same.csv", &text);
    place.file("more.csv", &text.lines().map(longer).collect::<String>());
    place.file("fewer.csv", &text.replace("proxy_3", "else"));
    let value = |table: &str| {
        let line = format!("audit people.csv --audit-table {table} --audit-labels truth --json - --n-boot 0");
        let seen = place.run(&line);
        let audit: serde_json::Value = serde_json::from_str(&seen.stdout).unwrap();
        let results = audit["results"].as_array().unwrap();
        results.iter().find(|r| r["estimator"] == "audit").unwrap()["value"].as_f64().unwrap()
    };
    assert_eq!(value("same.csv"), value("more.csv"));
    let seen = place.run("audit people.csv --audit-table fewer.csv --audit-labels truth");
    assert_eq!(seen.code, 2);
    assert!(seen.stderr.contains("proxy_3") && seen.stderr.contains("to do:"), "{}", seen.stderr);
}
