//! Outcomes and scores, as they are run.

use crate::cli::{Place, close};
use std::fmt::Write;
use std::path::Path;

/// People of a simulated table with a price that follows their true group, and a score that their decision follows.
fn priced(place: &Place, rows: usize) -> String {
    place.run(&format!("simulate -o all.csv --rows {rows} --gap 0.2 --accuracy 0.8 --seed 4"));
    let all = place.read("all.csv");
    let mut lines = all.lines();
    let head = lines.next().unwrap();
    let column = |name: &str| head.split(',').position(|other| other == name).unwrap();
    let (truth, decided) = (column("truth"), column("y_pred"));
    let mut table = format!("{head},price,score\n");
    for (i, line) in lines.enumerate() {
        let fields: Vec<&str> = line.split(',').collect();
        // Spread by a fixed pattern, with what no binary number is.
        let spread = (i * 7919 % 1000) as f64 / 10.0;
        let price = if fields[truth] == "group 1" { 100.0 } else { 130.0 } + spread + 0.1;
        let score = (i * 104_729 % 100) as f64 / 200.0 + if fields[decided] == "1" { 0.5 } else { 0.0 };
        let _ = match i % 50 {
            0 => writeln!(table, "{line},,{score}"),
            1 => writeln!(table, "{line},inf,{score}"),
            _ => writeln!(table, "{line},{price},{score}"),
        };
    }
    table
}

fn record(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_price_is_compared_by_group_and_keeps_the_contract() {
    let place = Place::new();
    place.file("people.csv", &priced(&place, 6_000));
    let audit = "audit people.csv --outcome price --truth truth --n-boot 200";
    let json = place.run(&format!("{audit} --json -"));
    assert_eq!(json.code, 0, "{}", json.all());
    let found = record(&json.stdout);
    let outcome = &found["outcome"];
    assert_eq!(outcome["rows_without"], 240);
    let difference = &outcome["groups"][0]["difference"];
    // Means of 150.0 and 180.0, each known to about one.
    let away = |value: &serde_json::Value| value["value"].as_f64().unwrap().abs() - 30.0;
    let difference =
        if difference["value"].is_null() { &outcome["groups"][1]["difference"] } else { difference };
    assert!(away(difference).abs() < 5.0, "{difference}");
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/fairveil.audit-2.json");
    let mut schema = record(&std::fs::read_to_string(schema).unwrap());
    close(&mut schema);
    let errors: Vec<String> = jsonschema::validator_for(&schema)
        .unwrap()
        .iter_errors(&found)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    // Sums are exact: neither threads nor parts change a digit.
    assert_eq!(place.run(&format!("{audit} --json - --threads 1")).stdout, json.stdout);
    let text = place.run(audit);
    assert!(text.stdout.contains("price by group") && text.stdout.contains("240 rows have no outcome"));
    place.run(&format!("{audit} --quiet --html page.html --markdown page.md"));
    assert!(place.read("page.html").contains("by group, beside"));
    assert!(place.read("page.md").contains("standardized"));
}

#[test]
fn a_tally_keeps_the_sums_of_an_outcome_and_parts_add_up() {
    let place = Place::new();
    let table = priced(&place, 3_000);
    place.file("people.csv", &table);
    let mut lines = table.lines();
    let head = lines.next().unwrap();
    let rows: Vec<&str> = lines.collect();
    place.file("one.csv", &format!("{head}\n{}\n", rows[..1_100].join("\n")));
    place.file("two.csv", &format!("{head}\n{}\n", rows[1_100..].join("\n")));
    let of = |table: &str| {
        let seen = place.run(&format!("audit {table} --outcome price --n-boot 100 --json -"));
        assert_eq!(seen.code, 0, "{}", seen.all());
        record(&seen.stdout)["outcome"].to_string()
    };
    let whole = of("people.csv");
    for format in ["csv", "parquet", "jsonl"] {
        for part in ["people", "one", "two"] {
            let counted = place.run(&format!("count {part}.csv --outcome price -o {part}_tally.{format}"));
            assert_eq!(counted.code, 0, "{}", counted.all());
        }
        assert_eq!(of(&format!("people_tally.{format}")), whole, "{format}");
        assert_eq!(of(&format!("one_tally.{format} two_tally.{format}")), whole, "{format}");
    }
    let plain = place.run("count people.csv -o plain.csv");
    assert_eq!(plain.code, 0);
    let missing = place.run("audit plain.csv --outcome price");
    assert_eq!(missing.code, 2);
    assert!(missing.stderr.contains("no sums of an outcome"), "{}", missing.stderr);
    let noise =
        place.run("count people.csv --outcome price --epsilon 1 --groups a,b --classes 0,1 -o noisy.csv");
    assert_eq!(noise.code, 2, "{}", noise.all());
    // A line that no rows can have.
    let tally = place.read("people_tally.csv").replacen(",0\n", ",-1\n", 1);
    let place_of =
        tally.lines().next().unwrap().split(',').position(|name| name == "outcome_squares").unwrap();
    let broken: Vec<String> = (tally.lines().enumerate())
        .map(|(i, line)| {
            let mut fields: Vec<&str> = line.split(',').collect();
            if i == 1 {
                fields[place_of] = "1";
            }
            fields.join(",")
        })
        .collect();
    place.file("broken.csv", &(broken.join("\n") + "\n"));
    let broken = place.run("audit broken.csv --outcome price");
    assert_eq!(broken.code, 2);
    assert!(broken.stderr.contains("squares"), "{}", broken.stderr);
}

#[test]
fn an_outcome_that_is_none_is_refused_or_told() {
    let place = Place::new();
    let table = priced(&place, 2_000);
    let with = |name: &str, price: &str| {
        let mut lines: Vec<String> = table.lines().map(str::to_owned).collect();
        let mut fields: Vec<&str> = lines[7].split(',').collect();
        let at = fields.len() - 2;
        fields[at] = price;
        lines[7] = fields.join(",");
        place.file(name, &(lines.join("\n") + "\n"));
        place.run(&format!("audit {name} --outcome price --n-boot 0"))
    };
    let text = with("text.csv", "cheap");
    assert_eq!(text.code, 2);
    assert!(text.stderr.contains("row 7") || text.stderr.contains("line 8"), "{}", text.stderr);
    assert!(
        text.stderr.contains("the outcome is `cheap`") && text.stderr.contains("--missing"),
        "{}",
        text.stderr
    );
    let large = with("large.csv", "1e13");
    assert_eq!(large.code, 2);
    assert!(large.stderr.contains("larger units"), "{}", large.stderr);
    assert_eq!(with("fine.csv", "-3.5").code, 0);
    assert_eq!(with("none.csv", "NaN").code, 0);
    let constant: String = table.lines().enumerate().fold(String::new(), |mut all, (i, line)| {
        let _ = writeln!(all, "{line},{}", if i == 0 { "fee" } else { "12.1" });
        all
    });
    place.file("constant.csv", &constant);
    let constant = place.run("audit constant.csv --outcome fee --n-boot 0");
    assert_eq!(constant.code, 0);
    assert!(constant.stdout.contains("on every row"), "{}", constant.stdout);
    let nowhere = place.run("audit constant.csv --outcome fees");
    assert_eq!(nowhere.code, 2);
    assert!(nowhere.stderr.contains("`fee`"), "{}", nowhere.stderr);
    assert_eq!(place.run("audit constant.csv --outcome y_pred").code, 2);
    assert_eq!(place.run("compare constant.csv --y-pred y_pred --y-pred fee --outcome price").code, 2);
}

#[test]
fn a_score_decides_from_its_threshold_on() {
    let place = Place::new();
    place.file("people.csv", &priced(&place, 3_000));
    let of = |more: &str| {
        let seen = place.run(&format!("audit people.csv --n-boot 0 --json - {more}"));
        assert_eq!(seen.code, 0, "{}", seen.all());
        record(&seen.stdout)
    };
    let (decided, scored) = (of(""), of("--score score --threshold 0.5"));
    assert_eq!(decided["results"], scored["results"]);
    assert_eq!(scored["input"]["prediction"], "score ≥ 0.5");
    place.run("count people.csv --score score --threshold 0.5 -o tally.csv");
    let tally = place.run("audit tally.csv --n-boot 0 --json - --score score --threshold 0.5");
    assert_eq!(record(&tally.stdout)["results"], scored["results"]);
    assert_eq!(place.run("audit people.csv --score score").code, 2);
    assert_eq!(place.run("audit people.csv --threshold 0.5").code, 2);
    assert_eq!(place.run("audit people.csv --score score --threshold 0.5 --y-pred y_pred").code, 2);
    let words = place.run("audit people.csv --score truth --threshold 0.5");
    assert_eq!(words.code, 2);
    assert!(words.stderr.contains("the score is `group"), "{}", words.stderr);
}

#[test]
fn sums_of_an_outcome_are_in_the_query_of_every_dialect() {
    let place = Place::new();
    for dialect in ["ansi", "postgres", "spark", "bigquery", "snowflake", "duckdb", "trino"] {
        let named = format!("sql --dialect {dialect} --table loans --proxy zip --outcome price");
        let query = place.run(&named).stdout;
        for column in ["outcome_rows", "outcome_weight", "outcome_sum", "outcome_squares", "invalid"] {
            assert!(
                query.contains(&format!("AS \"{column}\"")) || query.contains(&format!("AS `{column}`")),
                "{query}"
            );
        }
        let scored = place.run(&format!("{named} --y-pred score --threshold 0.5")).stdout;
        assert!(scored.contains(">= 0.5 THEN '1'") && scored.contains("GROUP BY\n  CASE"), "{scored}");
    }
}
