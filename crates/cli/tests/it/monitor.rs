//! The gap by period, as it is run.

use crate::cli::{Place, close};
use std::fmt::Write;
use std::path::Path;

/// People of a simulated table, so many in each of some months from January 2023 on; dates with and without a time.
fn dated(place: &Place, months: usize, rows: usize, gap: f64) -> String {
    place.run(&format!("simulate -o all.csv --rows {} --gap {gap} --accuracy 0.8 --seed 4", months * rows));
    let all = place.read("all.csv");
    let mut lines = all.lines();
    let mut table = format!("{},applied\n", lines.next().unwrap());
    for (i, line) in lines.enumerate() {
        let (month, day) = (i / rows, i % 28 + 1);
        let time = if i % 2 == 0 { "T10:15:00Z" } else { "" };
        let _ = writeln!(table, "{line},{}-{:02}-{day:02}{time}", 2023 + month / 12, month % 12 + 1);
    }
    table
}

#[test]
fn a_gap_is_found_and_the_series_keeps_its_contract() {
    let place = Place::new();
    place.file("people.csv", &dated(&place, 14, 400, 0.2));
    let seen = place.run("monitor people.csv --date applied --every month");
    assert_eq!(seen.code, 1, "{}", seen.all());
    insta::assert_snapshot!(seen.all());
    let json = place.run("monitor people.csv --date applied --json -");
    let record: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/fairveil.monitor-1.json");
    let mut schema: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    close(&mut schema);
    let errors: Vec<String> = jsonschema::validator_for(&schema)
        .unwrap()
        .iter_errors(&record)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(record["periods"].as_array().unwrap().len(), 14);
    // The same digits by one thread.
    assert_eq!(place.run("monitor people.csv --date applied --json - --threads 1").stdout, json.stdout);
    let forms = "monitor people.csv --date applied --quiet --html page.html --markdown page.md --svg plots";
    assert_eq!(place.run(forms).code, 1);
    assert!(place.read("page.html").contains("The gap by period"));
    assert!(
        place.read("page.md").contains("| 2024-02 |")
            && place.read("plots/gap-by-period-1.svg").contains("alarm")
    );
}

#[test]
fn a_limit_and_a_first_period_are_other_questions() {
    let place = Place::new();
    place.file("people.csv", &dated(&place, 8, 400, 0.2));
    let code = |more: &str| place.run(&format!("monitor people.csv --date applied --quiet {more}")).code;
    assert_eq!(code("--limit 0.05"), 1);
    assert_eq!(code("--limit 0.4"), 0);
    assert_eq!(code("--baseline"), 0);
    assert_eq!(code("--limit 0.1 --baseline"), 2);
    assert_eq!(code("--limit 2"), 2);
}

#[test]
fn months_without_rows_are_listed_and_those_of_few_are_counted() {
    let place = Place::new();
    let table = dated(&place, 4, 400, 0.2);
    let (mut kept, mut few) = (String::new(), 0);
    for line in table.lines() {
        let (march, april) = (line.contains(",2023-03-"), line.contains(",2023-04-"));
        few += usize::from(april);
        if !march && (!april || few > 380) {
            kept += line;
            kept.push('\n');
        }
    }
    // January, February, nothing in March, twenty people in April, and January's people again in May.
    let january = table.lines().filter(|line| line.contains(",2023-01-"));
    let later: String = january.map(|line| line.replace(",2023-01-", ",2023-05-") + "\n").collect();
    place.file("people.csv", &(kept + &later));
    let seen = place.run("monitor people.csv --date applied").all();
    for told in ["2023-03", "no rows", "2023-05", "1 period of fewer than 50 rows, 20 in all"] {
        assert!(seen.contains(told), "{told}: {seen}");
    }
}

#[test]
fn a_date_that_cannot_be_read_is_refused_with_its_row() {
    let place = Place::new();
    let table = dated(&place, 2, 200, 0.2);
    for bad in ["09/03/2024", "", "2023-02-30"] {
        let broken: String = table
            .lines()
            .enumerate()
            .map(|(i, line)| {
                if i == 7 {
                    format!("{},{bad}\n", line.rsplit_once(',').unwrap().0)
                } else {
                    format!("{line}\n")
                }
            })
            .collect();
        place.file("people.csv", &broken);
        let seen = place.run("monitor people.csv --date applied");
        assert_eq!(seen.code, 2, "{}", seen.all());
        for told in ["line 8", "applied", "a date such as 2024-03-09", "--date"] {
            assert!(seen.all().contains(told), "{told}: {}", seen.all());
        }
    }
    place.file("people.csv", &table);
    let seen = place.run("monitor people.csv --date applied --by y_pred");
    assert_eq!(seen.code, 2);
    assert!(place.run("monitor people.csv --date when").all().contains("when"));
}

#[test]
fn every_file_is_a_period_where_no_date_says_more() {
    let place = Place::new();
    let names = ["jan.csv", "feb.csv", "mar.csv"];
    for (seed, name) in names.iter().enumerate() {
        place.run(&format!("simulate -o {name} --rows 1500 --gap 0.2 --accuracy 0.8 --seed {seed}"));
        let counted = place.run(&format!("count {name} -o tally-{name}"));
        assert_eq!(counted.code, 0, "{}", counted.all());
    }
    let rows = place.run("monitor jan.csv feb.csv mar.csv --json -");
    let record: serde_json::Value = serde_json::from_str(&rows.stdout).unwrap();
    let told: Vec<&str> =
        record["periods"].as_array().unwrap().iter().map(|one| one["period"].as_str().unwrap()).collect();
    assert_eq!((told.as_slice(), record["every"].as_str()), (names.as_slice(), Some("file")));
    assert!(record["periods"].as_array().unwrap().iter().all(|one| one["rows"] == 1500));
    // Tallies say the same, in the order in which they are named.
    let tallies = place.run("monitor tally-mar.csv tally-jan.csv tally-feb.csv --json -");
    let others: serde_json::Value = serde_json::from_str(&tallies.stdout).unwrap();
    assert_eq!(others["periods"][1]["gaps"], record["periods"][0]["gaps"], "{}", tallies.all());
    let one = place.run("monitor jan.csv");
    assert!(one.code == 2 && one.stderr.contains("--date"), "{}", one.all());
}
