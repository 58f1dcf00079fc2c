//! One person, one answer: randomised response by a secret, what it costs, and whose mechanism it is.

use assert_cmd::Command;
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use tempfile::TempDir;

/// Standard error of a command that ends with this code.
fn run(folder: &TempDir, code: i32, words: &str) -> String {
    let mut command = Command::cargo_bin("fairveil").unwrap();
    let out = command.current_dir(folder).args(words.split_whitespace()).assert().code(code);
    String::from_utf8(out.get_output().stderr.clone()).unwrap()
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// A month's table: some people, in some order, with a guess each.
fn month(people: impl Iterator<Item = usize>, guess: impl Fn(usize) -> &'static str) -> String {
    let row = |person: usize| format!("p{person},{},{}\n", guess(person), person % 2);
    "person,surname,y_pred\n".to_owned() + &people.map(row).collect::<String>()
}

/// The answer of each person.
fn answers(folder: &TempDir, file: &str) -> HashMap<String, String> {
    let text = std::fs::read_to_string(folder.path().join(file)).unwrap();
    let field = |line: &str, place: usize| line.split(',').nth(place).unwrap().to_owned();
    text.lines().skip(1).map(|line| (field(line, 0), field(line, 1))).collect()
}

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("key"), "a secret that nobody can guess\n").unwrap();
    folder
}

const TELL: &str = "--proxy surname --groups a,b --epsilon 1 --key-file key --id person";

#[test]
fn a_person_has_one_answer_in_every_release_and_releases_do_not_add_up() {
    let folder = folder();
    let guess = |person: usize| if person.is_multiple_of(3) { "a" } else { "b" };
    std::fs::write(folder.path().join("may.csv"), month(0..4000, guess)).unwrap();
    // A month later: other rows, another order, and the guess about every tenth person has changed.
    let changed = |person: usize| if person.is_multiple_of(10) { "b" } else { guess(person) };
    std::fs::write(folder.path().join("june.csv"), month((2000..6000).rev(), changed)).unwrap();
    run(&folder, 0, &format!("privatize may.csv {TELL} -o may-told.csv"));
    let told = run(
        &folder,
        0,
        &format!("privatize june.csv {TELL} --earlier may-told.csv.mechanism.json -o june-told.csv"),
    );
    assert!(told.contains("the same answer in every release"), "{told}");
    let (may, june) = (answers(&folder, "may-told.csv"), answers(&folder, "june-told.csv"));
    for person in (2000..4000).filter(|person| guess(*person) == changed(*person)) {
        assert_eq!(may[&format!("p{person}")], june[&format!("p{person}")], "p{person}");
    }
    let mechanism = json(&folder.path().join("june-told.csv.mechanism.json"));
    let spent = mechanism["epsilon_per_row"].as_f64().unwrap();
    assert!((spent - 1.0).abs() < 1e-6, "{spent}");
    // Answers are drawn as the mechanism says: 4,000 draws at e/(1 + e) = .731 are off by .007 (one standard error).
    let kept = (0..4000).filter(|person| may[&format!("p{person}")] == guess(*person)).count();
    assert!((kept as f64 / 4000.0 - 0.7311).abs() < 0.028, "{kept}");
    // The secret itself is nowhere.
    for file in ["may-told.csv", "may-told.csv.mechanism.json"] {
        assert!(
            !std::fs::read_to_string(folder.path().join(file)).unwrap().contains("secret that"),
            "{file}"
        );
    }
}

#[test]
fn another_secret_epsilon_or_column_is_another_answer_and_adds_up() {
    let folder = folder();
    std::fs::write(folder.path().join("may.csv"), month(0..2000, |_| "a")).unwrap();
    std::fs::write(folder.path().join("other"), "another secret that nobody can guess").unwrap();
    run(&folder, 0, &format!("privatize may.csv {TELL} -o one.csv"));
    let earlier = "--earlier one.csv.mechanism.json";
    let with = TELL.replace("--key-file key", "--key-file other");
    run(&folder, 0, &format!("privatize may.csv {with} {earlier} -o two.csv"));
    run(
        &folder,
        0,
        &format!("privatize may.csv {} {earlier} -o three.csv", TELL.replace("epsilon 1", "epsilon 0.5")),
    );
    let one = answers(&folder, "one.csv");
    for (file, spent) in [("two.csv", 2.0), ("three.csv", 1.5)] {
        let mechanism = json(&folder.path().join(format!("{file}.mechanism.json")));
        assert!((mechanism["epsilon_per_row"].as_f64().unwrap() - spent).abs() < 1e-6, "{file}");
        let other = answers(&folder, file);
        let differ = one.keys().filter(|person| one[*person] != other[*person]).count();
        // Independent draws differ for 2·.73·.27 = .39, or .73·.38 + .27·.62 = .44, of 2,000 people.
        assert!((650..1000).contains(&differ), "{file}: {differ}");
    }
}

#[test]
fn a_secret_that_is_short_or_a_row_without_an_id_is_refused() {
    let folder = folder();
    std::fs::write(folder.path().join("may.csv"), month(0..20, |_| "a") + ",a,1\n").unwrap();
    std::fs::write(folder.path().join("short"), "secret\n").unwrap();
    let told =
        run(&folder, 2, &format!("privatize may.csv {} -o told.csv", TELL.replace("file key", "file short")));
    assert!(told.contains("6 bytes") && told.contains("openssl rand"), "{told}");
    let told = run(&folder, 2, &format!("privatize may.csv {TELL} -o told.csv"));
    assert!(told.contains("line 22") && told.contains("who it is about") && told.contains("--id"), "{told}");
    for words in [
        "--key-file key",
        "--id person",
        "--key-file key --id person --seed 1",
        "--key-file key --id surname",
    ] {
        let told = run(
            &folder,
            2,
            &format!("privatize may.csv --proxy surname --groups a,b --epsilon 1 {words} -o told.csv"),
        );
        assert!(
            told.contains("--id") || told.contains("--seed") || told.contains("--key-file"),
            "{words}: {told}"
        );
    }
    assert!(!folder.path().join("told.csv").exists());
}

#[test]
fn a_plan_says_what_an_epsilon_costs_without_any_table() {
    let folder = folder();
    let rows = |words: &str| {
        run(&folder, 0, &format!("plan --accuracy 0.8 --gap 0.1 --json plan.json {words}"));
        json(&folder.path().join("plan.json"))["rows_without_labels"].as_u64().unwrap()
    };
    let (clear, told) = (rows(""), rows("--epsilon 1"));
    // A guess right for 80 % is told right for 64 %: three of them say less than a third as much.
    assert!(told > 3 * clear, "{clear} {told}");
    assert_eq!(json(&folder.path().join("plan.json"))["assumed"]["epsilon"], 1.0);
    run(&folder, 0, "plan --accuracy 0.8 --gap 0.1 --rate 0.3 --rows 50000 --epsilon 0.9 --cost cost.json");
    let cost = json(&folder.path().join("cost.json"));
    let points = cost["points"].as_array().unwrap();
    let own = points.iter().find(|point| point["epsilon"] == 0.9).unwrap();
    // Three columns of a person add up.
    assert!((own["epsilon_per_row"].as_f64().unwrap() - 2.7).abs() < 1e-9);
    let widths: Vec<f64> = points.iter().filter_map(|point| point["half_width"].as_f64()).collect();
    assert!(widths.windows(2).all(|pair| pair[0] >= pair[1]), "{widths:?}");
    let told = run(&folder, 2, "plan --cost cost.html");
    assert!(told.contains("--rows"), "{told}");
    let told = run(&folder, 2, "plan --epsilon 0");
    assert!(told.contains("--epsilon"), "{told}");
}

#[test]
fn a_mechanism_is_doubted_where_guesses_cannot_come_of_it_and_not_after_a_join() {
    let folder = folder();
    run(&folder, 0, "simulate --rows 4000 --seed 3 -o people.csv");
    run(
        &folder,
        0,
        "privatize people.csv --proxy proxy_1 --proxy proxy_2 --proxy proxy_3 --epsilon 1 --seed 1 -o told.csv",
    );
    // A join: another column, fewer rows.
    let told = std::fs::read_to_string(folder.path().join("told.csv")).unwrap();
    let joined: String = told
        .lines()
        .take(3500)
        .enumerate()
        .map(|(i, l)| format!("{l},{}\n", if i == 0 { "branch" } else { "x" }))
        .collect();
    std::fs::write(folder.path().join("joined.csv"), joined).unwrap();
    let words = "--mechanism told.csv.mechanism.json --n-boot 0 --json audit.json --quiet";
    let said = run(&folder, 0, &format!("audit joined.csv {words}"));
    assert!(!said.contains("warning"), "{said}");
    let codes = |folder: &TempDir| {
        let audit = json(&folder.path().join("audit.json"));
        let codes =
            audit["findings"].as_array().unwrap().iter().map(|f| f["code"].as_str().unwrap().to_owned());
        codes.collect::<Vec<String>>()
    };
    assert!(!codes(&folder).contains(&"P21".to_owned()));
    // Guesses that name one group on nearly every row were never told so: the mechanism would name the other on 27 %.
    let rare = std::fs::read_to_string(folder.path().join("people.csv")).unwrap();
    let mut lines = rare.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let place = head.iter().position(|name| *name == "proxy_1").unwrap();
    let common = rare.lines().nth(1).unwrap().split(',').nth(place).unwrap().to_owned();
    let rare: String = lines
        .enumerate()
        .map(|(i, line)| {
            let mut fields: Vec<&str> = line.split(',').collect();
            if i % 30 != 0 {
                fields[place] = &common;
            }
            fields.join(",") + "\n"
        })
        .collect();
    std::fs::write(folder.path().join("rare.csv"), head.join(",") + "\n" + &rare).unwrap();
    run(&folder, 0, &format!("audit rare.csv {words}"));
    assert!(codes(&folder).contains(&"P21".to_owned()), "{:?}", codes(&folder));
}
