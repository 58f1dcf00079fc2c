//! Privacy: what is told is drawn from the stated matrix, what is stated is what was applied, and nothing else is touched.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use assert_cmd::Command;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Place(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.text(name)).unwrap()
    }

    /// Standard error of a command that ends with this code.
    fn run(&self, code: i32, words: &str) -> String {
        let mut command = Command::cargo_bin("fairveil").unwrap();
        let out = command.current_dir(&self.0).args(words.split_whitespace()).assert().code(code);
        String::from_utf8(out.get_output().stderr.clone()).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let names = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// Rows of guesses a and b in turn, every tenth missing, beside a column with every oddity of CSV.
fn people(rows: usize) -> String {
    let row = |i: usize| {
        let guess = if i % 10 == 9 { "" } else { ["a", "b"][i % 2] };
        format!("{i},\" {i}, \"\"é\"\"\",{guess},{},{}\n", ["b", "a"][i % 2], i % 3 / 2)
    };
    "id,note,surname,zip,y_pred\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

/// A column of a CSV file without its header.
fn column(text: &str, place: usize) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.records().map(|record| record.unwrap()[place].to_owned()).collect()
}

#[test]
fn guesses_are_told_and_the_rest_of_the_table_stays_as_it_is() {
    let place = Place::new();
    place.file("people.csv", people(4000));
    let said = place.run(0, "privatize people.csv --proxy surname --epsilon 1 -o told.csv --date 2026-02-03");
    let (before, told) = (place.text("people.csv"), place.text("told.csv"));
    for untouched in [0, 1, 3, 4] {
        assert_eq!(column(&before, untouched), column(&told, untouched));
    }
    // Byte for byte: only the third field of a line differs.
    let without = |text: &str| -> Vec<(String, String)> {
        let parts = text.lines().map(|line| {
            let (start, end) = line.rsplit_once(',').unwrap();
            let (start, zip) = start.rsplit_once(',').unwrap();
            (start.rsplit_once(',').unwrap().0.to_owned(), format!("{zip},{end}"))
        });
        parts.collect()
    };
    assert_eq!(without(&before), without(&told));
    let (guessed, told) = (column(&before, 2), column(&told, 2));
    let missing = |values: &[String]| values.iter().map(String::is_empty).collect::<Vec<_>>();
    assert_eq!(missing(&guessed), missing(&told));
    let kept = guessed.iter().zip(&told).filter(|(a, b)| a == b && !a.is_empty()).count() as f64;
    // 3,600 guesses, kept with e / (e + 1) = 0.731: nobody chose the seed, so seven standard errors of 0.0074.
    assert!((kept / 3600.0 - 0.7311).abs() < 0.052, "{kept}");
    for words in [
        "4000 rows randomised; the mechanism is in told.csv.mechanism.json",
        "epsilon 1.00: seeing it changes the odds between any two guesses of a row by at most a factor of 2.72",
        "whether a proxy gave a guess at all (400 missing guesses stay missing)",
        "the list of groups, taken from the data",
    ] {
        assert!(said.contains(words), "{said}");
    }
    let file = place.json("told.csv.mechanism.json");
    assert_eq!(file["schema"], "fairveil.mechanism/1");
    assert_eq!(file["date"], "2026-02-03");
    assert_eq!(file["columns"][0]["column"], "surname");
    assert_eq!(file["columns"][0]["groups"], json!(["a", "b"]));
    let right = file["columns"][0]["matrix"][0][0].as_f64().unwrap();
    assert!((right - 1.0 / (1.0 + (-1.0_f64).exp())).abs() < 1e-12);
    assert!((file["epsilon_per_row"].as_f64().unwrap() - 1.0).abs() < 1e-9);
    assert_eq!(file["generator"], "ChaCha20, seeded by the operating system");
}

#[test]
fn parquet_is_told_and_other_columns_keep_their_types() {
    let place = Place::new();
    let whole = |values: Vec<Option<i64>>| -> ArrayRef { Arc::new(Int64Array::from(values)) };
    let ids = whole((0..1000).map(Some).collect());
    let guesses = whole((0..1000).map(|i| (i % 7 > 0).then_some(i % 3)).collect());
    let batch = RecordBatch::try_from_iter([("id", Arc::clone(&ids)), ("zip", guesses)]).unwrap();
    let file = std::fs::File::create(place.path("people.parquet")).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    place.run(0, "privatize people.parquet --proxy zip --flip 0.3 --seed 4 -o told.parquet");
    let file = std::fs::File::open(place.path("told.parquet")).unwrap();
    let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let told = reader.build().unwrap().next().unwrap().unwrap();
    assert_eq!(told.column(0).as_primitive::<Int64Type>(), ids.as_primitive::<Int64Type>());
    let words: Vec<Option<&str>> = told.column(1).as_string::<i32>().iter().collect();
    assert!(words.iter().enumerate().all(|(i, word)| word.is_none() == (i % 7 == 0)));
    let kept = words.iter().enumerate().filter(|(i, word)| **word == Some(&(i % 3).to_string())).count();
    // 857 guesses, kept with 0.7: five standard errors of 13.4.
    assert!((kept as f64 - 600.0).abs() < 67.0, "{kept}");
    // The same seed tells the same, whatever the format.
    place.run(0, "privatize people.parquet --proxy zip --flip 0.3 --seed 4 -o told.csv");
    place.run(0, "privatize people.parquet --proxy zip --flip 0.3 --seed 4 -o told.jsonl.gz");
    let csv: Vec<String> = column(&place.text("told.csv"), 1);
    assert_eq!(csv, words.iter().map(|word| word.unwrap_or_default()).collect::<Vec<_>>());
}

#[test]
fn with_a_seed_the_table_is_the_same_and_without_it_never_is() {
    let place = Place::new();
    place.file("people.csv", people(500));
    for (name, seed) in [("a", "--seed 9"), ("b", "--seed 9"), ("c", ""), ("d", "")] {
        let said =
            place.run(0, &format!("privatize people.csv --proxy zip --flip 0.25 {seed} -o {name}.csv"));
        assert_eq!(said.contains("anyone who knows the seed can undo it"), !seed.is_empty(), "{said}");
    }
    assert_eq!(place.text("a.csv"), place.text("b.csv"));
    assert_ne!(place.text("a.csv"), place.text("c.csv"));
    assert_ne!(place.text("c.csv"), place.text("d.csv"));
    let file = place.json("a.csv.mechanism.json");
    assert!(file["generator"].as_str().unwrap().contains("anyone who knows the seed can undo it"));
    assert_eq!(file.get("seed"), None);
}

#[test]
fn epsilon_adds_up_over_columns_and_releases_and_each_release_counts_once() {
    let place = Place::new();
    place.file("people.csv", people(300));
    let said = place.run(0, "privatize people.csv --proxy surname --proxy zip --epsilon 0.5 -o one.csv");
    assert!(said.contains("the 2 proxies of a row together: epsilon 1.00"), "{said}");
    let earlier = "--earlier one.csv.mechanism.json";
    let said = place.run(0, &format!("privatize people.csv --proxy zip --epsilon 0.5 {earlier} -o two.csv"));
    assert!(said.contains("with 1 earlier release of the same rows: epsilon 1.50"), "{said}");
    let both = format!("{earlier} --earlier two.csv.mechanism.json");
    let said = place.run(0, &format!("privatize people.csv --proxy zip --epsilon 0.5 {both} -o three.csv"));
    assert!(said.contains("with 2 earlier releases of the same rows: epsilon 2.00"), "{said}");
    let total = &place.json("three.csv.mechanism.json")["epsilon_per_row"];
    assert!((total.as_f64().unwrap() - 2.0).abs() < 1e-9);
}

#[test]
fn a_matrix_that_rules_a_guess_out_is_applied_and_promises_nothing() {
    let place = Place::new();
    place.file("people.csv", people(300));
    place.file("m.json", r#"{"groups": ["b", "a"], "matrix": [[1, 0], [0.4, 0.6]]}"#);
    let said = place.run(0, "privatize people.csv --proxy zip --matrix m.json -o told.csv");
    assert!(said.contains("no guarantee (epsilon is infinite)"), "{said}");
    let file = place.json("told.csv.mechanism.json");
    assert_eq!(file["columns"][0]["epsilon"], Value::Null);
    assert!(file["columns"][0]["unavailable"].as_str().unwrap().contains("no guarantee"));
    assert_eq!(file["columns"][0]["groups"], json!(["b", "a"]));
    // Who was guessed b is told b.
    let (before, told) = (column(&place.text("people.csv"), 3), column(&place.text("told.csv"), 3));
    assert!(before.iter().zip(&told).all(|(guess, told)| guess == "a" || told == "b"));
    assert!(before.iter().zip(&told).any(|(guess, told)| guess != told));
}

#[test]
fn standard_input_is_told_with_stated_groups() {
    let mut command = Command::cargo_bin("fairveil").unwrap();
    let place = Place::new();
    let words = "privatize - --proxy zip --groups a,b --flip 0.2 --seed 1 -o - --mechanism m.json";
    let command = command.current_dir(&place.0).args(words.split(' ')).write_stdin(people(50));
    let out = command.assert().success();
    let text = String::from_utf8(out.get_output().stdout.clone()).unwrap();
    assert_eq!(column(&text, 0).len(), 50);
    assert!(place.json("m.json")["table_sha256"].as_str().unwrap().len() == 64);
}

#[test]
fn bad_input_is_refused_with_2_and_leaves_no_file() {
    let place = Place::new();
    place.file("people.csv", people(50));
    place.file("one.csv", "zip\na\na\n");
    place.file("tally.csv", "zip,count\na,5\nb,6\n");
    place.file("sum.json", r#"{"groups": ["a", "b"], "matrix": [[0.9, 0.2], [0.1, 0.9]]}"#);
    place.file("shape.json", r#"{"groups": ["a", "b"], "matrix": [[1.0]]}"#);
    place.file("other.json", r#"{"groups": ["a", "c"], "matrix": [[0.9, 0.1], [0.1, 0.9]]}"#);
    place.file("no.json", "{");
    let lie = r#"{"schema": "fairveil.mechanism/1", "columns": [{"column": "zip", "groups": ["a", "b"],
        "matrix": [[0.6, 0.4], [0.4, 0.6]], "epsilon": 0.1}]}"#;
    place.file("lie.json", lie);
    place.file("kept.csv", "kept");
    let before = place.names();
    for (words, needle) in [
        ("people.csv --proxy zip --epsilon 0 -o x.csv", "epsilon is 0, a finite number above 0 is needed"),
        ("people.csv --proxy zip --epsilon -1 -o x.csv", "epsilon is -1"),
        ("people.csv --proxy zip --epsilon nan -o x.csv", "epsilon is NaN"),
        ("people.csv --proxy zip --epsilon 40 -o x.csv", "is drawn as often as stated"),
        ("people.csv --proxy zip --flip 0.5 -o x.csv", "a flip of 0.5 is not above 0 and below 0.5000"),
        ("people.csv --proxy zip --flip 0 -o x.csv", "a flip of 0 is not above 0"),
        ("people.csv --proxy zip --matrix sum.json -o x.csv", "sums to 1.1000, expected 1"),
        ("people.csv --proxy zip --matrix shape.json -o x.csv", "1 rows and there are 2 groups"),
        (
            "people.csv --proxy zip --matrix other.json -o x.csv",
            "line 2, column `zip`: the value here is not one of the groups",
        ),
        ("people.csv --proxy zip --matrix no.json -o x.csv", "this is no JSON"),
        ("people.csv --proxy zip --matrix gone.json -o x.csv", "cannot read gone.json"),
        (
            "people.csv --proxy zip --groups a,c --flip 0.1 -o kept.csv",
            "line 2, column `zip`: the value here is not one of",
        ),
        ("people.csv --proxy zip --groups a,a --flip 0.1 -o x.csv", "--groups lists `a` twice"),
        ("people.csv --proxy zip --proxy zip --flip 0.1 -o x.csv", "--proxy names `zip` twice"),
        ("people.csv --proxy zop --flip 0.1 -o x.csv", "did you mean `zip`?"),
        ("people.csv --proxy note --groups a,b --flip 0.1 -o x.csv", "is not one of the groups"),
        ("people.csv --proxy zip --flip 0.1 --earlier lie.json -o x.csv", "epsilon is stated as 0.1"),
        ("people.csv --proxy zip --flip 0.1 --earlier people.csv -o x.csv", "this is no JSON"),
        ("people.csv --proxy zip --flip 0.1 --epsilon 1 -o x.csv", "cannot be used with"),
        ("people.csv --proxy zip -o x.csv", "no mechanism is stated"),
        ("people.csv --proxy zip --flip 0.1 -o people.csv", "the output would replace the input"),
        ("people.csv --proxy zip --flip 0.1 -o x.csv --mechanism x.csv", "two outputs have this name"),
        ("people.csv --proxy zip --flip 0.1 -o x.xlsx", "the file name does not say which format"),
        ("people.csv --proxy zip --flip 0.1 -o none/x.csv", "cannot write here"),
        ("people.csv --proxy zip --flip 0.1 -o x.csv --mechanism none/m.json", "cannot write here"),
        ("people.csv --proxy zip --flip 0.1 -o -", "name a file with --mechanism"),
        ("- --proxy zip --flip 0.1 -o x.csv", "list them with --groups"),
        ("one.csv --proxy zip --flip 0.1 -o x.csv", "hold 1 group(s)"),
        ("tally.csv --proxy zip --flip 0.1 -o x.csv", "whose rows stand for many people"),
        ("gone.csv --proxy zip --flip 0.1 -o x.csv", "cannot be read"),
        ("postgres://u:secret@h/d --proxy zip --flip 0.1 -o x.csv", "rows in a database cannot be copied"),
    ] {
        let said = place.run(2, &format!("privatize {words}"));
        assert!(said.contains(needle) && !said.contains("panicked"), "{words}: {said}");
        assert!(!said.contains("secret"), "{said}");
        assert_eq!(place.names(), before, "{words}");
        assert_eq!(place.text("kept.csv"), "kept");
    }
}

/// A table of people, counted with and without noise.
fn simulated(place: &Place, rows: u64) {
    place.run(0, &format!("simulate --rows {rows} --seed 5 --abstain 0.02 -o people.csv"));
    place.file("people.csv", place.text("people.csv").replace("group ", "g"));
    place.run(0, "count people.csv -o exact.csv");
}

/// What the columns of that table may hold.
const STATED: &str =
    "--groups g1,g2 --classes 0,1 --may-be-missing proxy_1 --may-be-missing proxy_2 --may-be-missing proxy_3";

fn counts(text: &str) -> Vec<(String, i64)> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let place = reader.headers().unwrap().iter().position(|name| name == "count").unwrap();
    let row = |record: csv::StringRecord| {
        let key: Vec<&str> = record.iter().take(place).collect();
        (key.join("|"), record[place].parse().unwrap())
    };
    reader.records().map(|record| row(record.unwrap())).collect()
}

#[test]
fn noise_is_on_every_combination_and_has_the_stated_variance() {
    let place = Place::new();
    simulated(&place, 3000);
    let said = place.run(0, &format!("count people.csv --epsilon 0.5 {STATED} -o noisy.csv"));
    // Two decisions, two labels, three proxies of two groups or nothing.
    assert!(said.contains("108 cells, all with noise"), "{said}");
    assert!(said.contains("at most a factor of 1.65"), "{said}");
    assert!(!said.contains("3000 rows"), "{said}");
    let exact: std::collections::HashMap<String, i64> =
        counts(&place.text("exact.csv")).into_iter().collect();
    let mut sum = 0.0;
    let noisy = counts(&place.text("noisy.csv"));
    assert_eq!(noisy.len(), 109);
    for (key, count) in noisy.iter().take(108) {
        sum += ((count - exact.get(key).copied().unwrap_or(0)) as f64).powi(2);
    }
    // 2q/(1-q)² with q = e^-½ is 7.835. The mean of 108 squares, each with a variance of five squared, is within 65 % at
    // three standard errors; nobody chose the seed, so seven.
    assert!((sum / 108.0 / 7.835 - 1.0).abs() < 1.6 && sum > 0.0, "{sum}");
    assert!(place.text("noisy.csv").lines().last().unwrap().ends_with(",0,0.5,7.835396178065527"));
    let again = place.run(0, &format!("count people.csv --epsilon 0.5 {STATED} -o again.csv"));
    assert!(!again.contains("--seed"));
    assert_ne!(place.text("noisy.csv"), place.text("again.csv"));
    for name in ["s1.csv", "s2.csv"] {
        let said = place.run(0, &format!("count people.csv --epsilon 0.5 {STATED} --seed 3 -o {name}"));
        assert!(said.contains("anyone who knows the seed can remove the noise"), "{said}");
    }
    assert_eq!(place.text("s1.csv"), place.text("s2.csv"));
}

#[test]
fn an_audit_of_a_noisy_tally_says_so_in_every_format() {
    let place = Place::new();
    simulated(&place, 3000);
    let mut findings = Vec::new();
    for name in ["noisy.csv", "noisy.tsv", "noisy.jsonl", "noisy.parquet"] {
        place.run(0, &format!("count people.csv --epsilon 0.5 {STATED} --seed 8 -o {name}"));
        place.run(0, &format!("audit {name} --n-boot 0 --quiet --json {name}.json"));
        let audit = place.json(&format!("{name}.json"));
        let found = audit["findings"].as_array().unwrap().iter().find(|f| f["code"] == "D12").cloned();
        findings.push((audit["input"]["rows"].clone(), found.unwrap()));
    }
    assert!(findings.windows(2).all(|pair| pair[0] == pair[1]), "{findings:?}");
    let evidence = &findings[0].1["evidence"];
    let noisy = counts(&place.text("noisy.csv"));
    let below: Vec<i64> = noisy.iter().map(|(_, count)| *count).filter(|count| *count < 0).collect();
    assert!(!below.is_empty());
    assert_eq!(evidence["negative_cells"].as_f64(), Some(below.len() as f64));
    assert_eq!(evidence["negative_rows"].as_f64(), Some(-below.iter().sum::<i64>() as f64));
    assert_eq!(evidence["epsilon"].as_f64(), Some(0.5));
    assert!((evidence["standard_deviation"].as_f64().unwrap() - 7.835396178065527_f64.sqrt()).abs() < 1e-12);
    // What is below zero is counted as empty, and adds rows.
    let above: i64 = noisy.iter().map(|(_, count)| count.max(&0)).sum();
    assert_eq!(findings[0].0.as_i64(), Some(above));
}

#[test]
fn cells_of_several_noisy_tallies_add_up_before_they_are_called_empty() {
    let place = Place::new();
    let head = "y_pred,proxy_a,proxy_b,count,noise_epsilon,noise_variance\n";
    let rest = "0,x,y,9,,\n1,x,x,40,,\n0,x,x,30,,\n1,y,y,20,,\n";
    place.file("one.csv", format!("{head}1,x,y,-3,,\n0,y,y,-5,,\n{rest},,,0,0.5,8\n"));
    place.file("two.csv", format!("{head}1,x,y,7,,\n0,y,y,2,,\n{rest},,,0,1,2\n"));
    place.file("plain.csv", format!("y_pred,proxy_a,proxy_b,count\n{}", rest.replace(",,\n", "\n")));
    let found = |tables: &str| {
        place.run(0, &format!("audit {tables} --n-boot 0 --quiet --json audit.json"));
        let audit = place.json("audit.json");
        let finding =
            audit["findings"].as_array().unwrap().iter().find(|f| f["code"] == "D12").cloned().unwrap();
        let number = |name: &str| finding["evidence"][name].as_f64().unwrap();
        (
            audit["input"]["rows"].as_f64().unwrap(),
            number("epsilon"),
            number("standard_deviation").powi(2).round(),
            number("negative_cells"),
            number("negative_rows"),
        )
    };
    assert_eq!(found("one.csv"), (99.0, 0.5, 8.0, 2.0, 8.0));
    assert_eq!(found("two.csv"), (108.0, 1.0, 2.0, 0.0, 0.0));
    // -3 + 7 is 4; -5 + 2 is empty, and adds 3.
    assert_eq!(found("one.csv two.csv"), (202.0, 1.0, 10.0, 1.0, 3.0));
    assert_eq!(found("two.csv one.csv plain.csv").0, 301.0);
    // A tally of tallies keeps what is below zero.
    place.run(0, "count one.csv two.csv -o both.csv");
    assert!(
        place.text("both.csv").contains("0,y,y,-3,,\n") && place.text("both.csv").contains(",,,0,1,10\n")
    );
    assert_eq!(found("both.csv"), found("one.csv two.csv"));
    // Segments are cells of their own, and the whole adds their noise up.
    place.file(
        "by.csv",
        place
            .text("one.csv")
            .replace("y_pred", "branch,y_pred")
            .replace("\n0,", "\nN,0,")
            .replace("\n1,", "\nS,1,")
            .replace("\n,", "\n,,"),
    );
    assert_eq!(found("by.csv --by branch").2, 16.0);
}

#[test]
fn counts_below_zero_need_noise_and_noise_needs_people() {
    let place = Place::new();
    simulated(&place, 300);
    place.file("weighted.csv", "y_pred,proxy_a,proxy_b,weight\n1,x,x,2\n0,y,y,1\n");
    place.file("empty.csv", "");
    place.file("header.csv", "branch\n");
    place.file("wide.csv", {
        let mut file = Vec::new();
        writeln!(file, "y_pred,proxy_a,proxy_b,branch").unwrap();
        (0..1000).for_each(|i| writeln!(file, "{},{},{},{i}", i % 2, i % 40, i % 40).unwrap());
        file
    });
    place.file("below.csv", "y_pred,proxy_a,proxy_b,count\n1,x,x,5\n0,y,y,-2\n1,y,x,4\n");
    let noise = "y_pred,proxy_a,proxy_b,count,noise_epsilon,noise_variance\n";
    place.file(
        "noisy.csv",
        format!("{noise}1,x,x,5,,\n0,y,y,-2,,\n1,y,x,4,,\n0,x,x,4,,\n1,y,y,6,,\n,,,0,1,2\n"),
    );
    place.file("half.csv", "y_pred,proxy_a,proxy_b,count,noise_epsilon\n1,x,x,5,\n0,y,y,2,1\n");
    let before = place.names();
    for (words, needle) in [
        ("audit below.csv", "below.csv, line 3, column `count`: the count is `-2`"),
        ("audit noisy.csv below.csv", "below.csv, line 3, column `count`: the count is `-2`"),
        ("count below.csv -o x.csv", "below.csv, line 3, column `count`: the count is `-2`"),
        ("audit half.csv", "column `noise_variance`: there is no such column"),
        ("count people.csv --epsilon 0 -o x.csv", "epsilon is 0, a finite number above 0 is needed"),
        ("count people.csv --epsilon inf -o x.csv", "epsilon is inf"),
        ("count people.csv --epsilon 1e-9 -o x.csv", "at least 1e-6 is needed"),
        ("count people.csv --epsilon 1 --truth truth -o x.csv", "--epsilon beside --truth"),
        ("count people.csv --epsilon 1 --audit-labels truth -o x.csv", "--epsilon beside --audit-labels"),
        ("count people.csv --epsilon 1 --min-cell 3 -o x.csv", "cannot be used with"),
        ("count people.csv --seed 1 -o x.csv", "required arguments were not provided"),
        ("count weighted.csv --epsilon 1 --groups x,y --classes 0,1 -o x.csv", "rows have weights"),
        ("count exact.csv --epsilon 1 --groups g1,g2 --classes 0,1 -o x.csv", "this is a tally"),
        ("count noisy.csv --min-cell 2 -o x.csv", "the tally has noise"),
        (
            "count wide.csv --by branch --epsilon 1 --groups 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,\
             27,28,29,30,31,32,33,34,35,36,37,38,39 --classes 0,1 --segments wide.csv -o x.csv",
            "the values that were stated make 3200000 cells",
        ),
        ("count people.csv --epsilon 1 -o x.csv", "--epsilon without --groups"),
        (
            "count people.csv --epsilon 1 --groups g1,g2, --classes 0,1 -o x.csv",
            "which means a missing value",
        ),
        (
            "count people.csv --epsilon 1 --groups g1,g2 --classes 0,1 --may-be-missing proxi_1 -o x.csv",
            "column `proxi_1`: there is no such column",
        ),
        ("count people.csv --epsilon 1 --groups g1,g2 -o x.csv", "--epsilon without --classes"),
        (
            "count wide.csv --by branch --epsilon 1 --groups 1,2 --classes 0,1 -o x.csv",
            "--epsilon without --segments",
        ),
        (
            "count people.csv --epsilon 1 --groups g1,g2 --classes 0,1 -o x.csv",
            "column `proxy_1`: some rows have no value here, and that was not stated",
        ),
        (
            "count people.csv --epsilon 1 --groups g1,g2 --classes 1 -o x.csv",
            "column `y_pred`: some rows have a value that was not stated",
        ),
        ("count people.csv --epsilon 1 --groups g1 --classes 0,1 -o x.csv", "is not one of the groups"),
        ("count people.csv --groups g1 -o x.csv", "is not one of the groups"),
        (
            "count wide.csv --by branch --epsilon 1 --groups 1,2 --classes 0,1 --segments people.csv -o x.csv",
            "people.csv, column `branch`: there is no such column",
        ),
        (
            "count wide.csv --by branch --epsilon 1 --groups 1,2 --classes 0,1 --segments gone.csv -o x.csv",
            "cannot read gone.csv",
        ),
        (
            "count wide.csv --by branch --epsilon 1 --groups 1,2 --classes 0,1 --segments empty.csv -o x.csv",
            "empty.csv: the file is empty",
        ),
        (
            "count wide.csv --by branch --epsilon 1 --groups 1,2 --classes 0,1 --segments header.csv -o x.csv",
            "header.csv: there is a header and no row",
        ),
        ("count postgres://u:secret@h/d --table t --epsilon 1 -o x.csv", "--epsilon beside postgres://"),
    ] {
        let said = place.run(2, words);
        assert!(
            said.contains(needle) && !said.contains("panicked") && !said.contains("secret"),
            "{words}: {said}"
        );
        assert_eq!(place.names(), before, "{words}");
    }
    assert!(place.run(0, "audit noisy.csv --n-boot 0").is_empty());
}

const PROXIES: &str = "--proxy proxy_1 --proxy proxy_2 --proxy proxy_3";

#[test]
fn a_told_table_is_audited_with_its_mechanism_and_without_another() {
    let place = Place::new();
    simulated(&place, 20_000);
    place.run(0, &format!("privatize people.csv {PROXIES} --flip 0.2 --seed 5 -o told.csv"));
    let audit = |flags: &str| {
        place.run(0, &format!("audit told.csv {PROXIES} --json out.json --quiet --n-boot 0 {flags}"));
        place.json("out.json")
    };
    let told = audit("--mechanism told.csv.mechanism.json");
    let plain = audit("");
    assert!((told["input"]["proxies"][0]["mechanism"]["epsilon"].as_f64().unwrap() - 4f64.ln()).abs() < 1e-9);
    assert!(plain["input"]["proxies"][0]["mechanism"].is_null());
    let global = |audit: &Value| {
        let noise = audit["noise"].as_array().unwrap().iter();
        noise.clone().find(|n| n["estimator"] == "hoc" && n["scope"] == "global").unwrap().clone()
    };
    // What is told errs as it does, whoever knows why; before, the proxies err less.
    let entry = |value: &Value| value[0][0].as_f64().unwrap();
    assert!((entry(&global(&told)["transition"]) - entry(&global(&plain)["transition"])).abs() < 1e-9);
    assert!(entry(&global(&told)["before_mechanism"]) > entry(&global(&told)["transition"]) + 0.05);
    assert!(told["findings"].as_array().unwrap().iter().any(|finding| finding["code"] == "P11"));
    // The mechanism of other columns, of other groups, and what is none.
    let file = place.text("told.csv.mechanism.json");
    place.file("columns.json", file.replace("proxy_1", "surname"));
    place.file("groups.json", file.replace("\"g1\"", "\"x\""));
    place.file("none.json", "{}");
    for (name, said) in [
        ("columns", "column surname"),
        ("groups", "is about the groups x"),
        ("none", "schema"),
        ("absent", "cannot be read"),
    ] {
        let error = place.run(2, &format!("audit told.csv {PROXIES} --json no.json --mechanism {name}.json"));
        assert!(error.contains(said), "{name}: {error}");
        assert!(!place.path("no.json").exists());
    }
}

#[test]
fn a_report_shows_what_each_epsilon_costs_and_tells_nothing() {
    let place = Place::new();
    simulated(&place, 20_000);
    for name in ["cost.html", "cost.svg", "cost.json"] {
        place.run(0, &format!("privatize people.csv {PROXIES} --report {name} --epsilon 1.2"));
    }
    assert_eq!(place.names(), ["cost.html", "cost.json", "cost.svg", "exact.csv", "people.csv"]);
    let cost = place.json("cost.json");
    let points = cost["points"].as_array().unwrap();
    let widths: Vec<f64> = points.iter().filter_map(|point| point["half_width"].as_f64()).collect();
    assert!(widths.len() >= 9, "{widths:?}");
    assert!(widths.windows(2).all(|two| two[0] > two[1]), "more privacy, less precision: {widths:?}");
    assert!(widths.last().unwrap() / cost["in_the_clear"].as_f64().unwrap() < 1.01);
    let own = points.iter().find(|point| point["epsilon"] == 1.2).unwrap();
    assert!((own["epsilon_per_row"].as_f64().unwrap() - 3.6).abs() < 1e-9);
    assert!(points[0]["direction_only"] == true && points.last().unwrap()["direction_only"] == false);
    let page = place.text("cost.html");
    assert!(page.contains("What an epsilon costs") && page.contains("Content-Security-Policy"));
    for (words, said) in [
        ("--report no.html --proxy proxy_1 --proxy proxy_2", "even without noise"),
        ("--report no.pdf --proxy proxy_1", "does not say which format"),
        ("--report no.html --proxy proxy_1 --y-pred nowhere", "nowhere"),
        // A vendor has guesses and no decisions.
        ("--report no.html --proxy proxy_1 --y-pred nowhere", "fairveil plan --rows"),
        ("--proxy proxy_1 -o no.csv", "no mechanism is stated"),
    ] {
        let error = place.run(2, &format!("privatize people.csv {words}"));
        assert!(error.contains(said), "{words}: {error}");
    }
    assert_eq!(place.names(), ["cost.html", "cost.json", "cost.svg", "exact.csv", "people.csv"]);
}

#[test]
fn one_seed_does_not_draw_two_mechanisms_alike() {
    let place = Place::new();
    place.file("people.csv", people(4000));
    let told = |epsilon: &str| {
        place.run(
            0,
            &format!("privatize people.csv --proxy surname --epsilon {epsilon} --seed 7 -o told.csv"),
        );
        column(&place.text("told.csv"), 2)
    };
    let (strong, weak) = (told("1"), told("2"));
    // Drawn alike, nobody flipped at epsilon 2 would be left alone at epsilon 1.
    let guessed = column(&place.text("people.csv"), 2);
    let odd = guessed.iter().zip(strong.iter().zip(&weak)).filter(|(g, (s, w))| g == s && g != w).count();
    // 0.73 of those flipped at epsilon 2: 0.73 · 0.12 · 3,600 = 315, give or take five times 17.
    assert!((230..400).contains(&odd), "{odd}");
    let noise = "--epsilon 1 --seed 7 --groups a,b --classes 0,1 --may-be-missing surname";
    let counted = |file: &str, more: &str| {
        place.file("more.csv", people(4000) + more);
        place.run(0, &format!("count more.csv --proxy surname --proxy zip {noise} -o {file}"));
        counts(&place.text(file))
    };
    let (one, two) = (counted("one.csv", ""), counted("two.csv", "9,x,a,b,1\n"));
    let changed = one.iter().zip(&two).filter(|(a, b)| a != b).count();
    assert!(changed > 3, "one row more must not show in one cell only: {changed}");
}

#[test]
fn noise_of_columns_that_are_not_asked_about_counts_too() {
    let place = Place::new();
    let parts = (0..3000).map(|i| {
        let guess = |k: usize| ["a", "b"][usize::from((i * k) % 7 < 3)];
        format!("{},{},{},{},{}\n", i % 2, guess(1), guess(3), guess(5), i % 16)
    });
    place.file("people.csv", "y_pred,proxy_1,proxy_2,proxy_3,part\n".to_owned() + &parts.collect::<String>());
    let noise = "--epsilon 0.5 --seed 1 --groups a,b --classes 0,1";
    place.run(0, &format!("count people.csv --by part --segments people.csv {noise} -o tally.csv"));
    place.run(0, &format!("count people.csv {noise} -o whole.csv"));
    let deviation = |words: &str| {
        place.run(0, &format!("audit {words} --count count --json out.json --quiet --n-boot 0"));
        let audit = place.json("out.json");
        let findings = audit["findings"].as_array().unwrap();
        let message =
            findings.iter().find(|f| f["code"] == "D12").unwrap()["message"].as_str().unwrap().to_owned();
        let (_, rest) = message.split_once("deviation of ").unwrap();
        rest.split_once(" rows").unwrap().0.parse::<f64>().unwrap()
    };
    let (own, summed, by) =
        (deviation("whole.csv"), deviation("tally.csv"), deviation("tally.csv --by part"));
    // Sixteen lines make one cell; told with one decimal.
    assert!((summed / own - 4.0).abs() < 0.15 && summed == by, "{own} {summed} {by}");
}

#[test]
fn tallies_that_no_rows_give_are_refused() {
    let place = Place::new();
    let noise =
        "y_pred,proxy_a,proxy_b,count,noise_epsilon,noise_variance\n1,x,x,5,,\n0,y,y,6,,\n1,x,y,4,,\n";
    let weights = "y_pred,proxy_a,proxy_b,count,rows,squared_weight\n1,x,x,10,5,22\n0,y,y,6,3,12\n";
    let soft = "y_pred,proxy_a,proxy_b,count,soft_x,soft_y,soft_weight\n1,x,x,10,6,4,10\n0,y,y,6,2,4,6\n";
    let hidden = "y_pred,proxy_a,proxy_b,count,hidden_cells,hidden_rows,hidden_count\n1,x,x,9,,,\n0,y,y,9,,,\n,,,0,3,1,1\n";
    place.file("good.csv", format!("{weights}1,x,y,4,4,4\n0,y,x,2,1,4\n"));
    place.run(0, "count good.csv -o same.csv");
    for (text, needle) in [
        (format!("{noise},,,0,1,0\n"), "noise of epsilon 1 is told without its variance"),
        (format!("{noise},,,0,0,4\n"), "noise of variance 4 is told without its epsilon"),
        (
            format!("{noise},,,0,0.1,2\n"),
            "noise of epsilon 0.1 has a variance of at least 199.8334, and 2 is told",
        ),
        (
            format!("{weights}1,x,y,4,2,1000\n"),
            "2 rows that weigh 4 are told to have squared weights of 1000",
        ),
        (format!("{weights}1,x,y,4,2,1\n"), "2 rows that weigh 4 are told to have squared weights of 1"),
        (format!("{weights}1,x,y,4,0,16\n"), "0 rows that weigh 4"),
        (hidden.to_owned(), "1 rows are told to be withheld in 3 cells"),
        (hidden.replace("3,1,1", "0,30,30"), "30 rows are told to be withheld in 0 cells"),
        (hidden.replace("3,1,1", "3,30,7"), "30 rows without weights are told to weigh 7"),
        (
            hidden.replace(",,,0,3,1,1", "1,x,y,7,3,30,30"),
            "a line that counts rows tells of withheld cells too",
        ),
        (format!("{soft}1,x,y,4,2,2,40\n"), "probabilities of 40 rows are told, and there are 4"),
        (format!("{soft}1,x,y,4,2,1,4\n"), "probabilities of 4 rows sum to 3"),
    ] {
        place.file("tally.csv", &text);
        for words in ["audit tally.csv", "count tally.csv -o x.csv"] {
            let said = place.run(2, words);
            assert!(said.contains("tally.csv, line ") && said.contains(needle), "{words}: {text}{said}");
            assert!(!place.path("x.csv").exists());
        }
    }
}

#[test]
fn a_told_table_is_told_again_only_with_what_was_told_before() {
    let place = Place::new();
    place.file("people.csv", people(300));
    place.run(0, "privatize people.csv --proxy zip --epsilon 1 -o told.csv");
    let said = place.run(2, "privatize told.csv --proxy surname --epsilon 1 -o again.csv");
    assert!(said.contains("told.csv: the table was already randomised by told.csv.mechanism.json"), "{said}");
    assert!(!place.path("again.csv").exists());
    let earlier = "--earlier told.csv.mechanism.json";
    let said =
        place.run(0, &format!("privatize told.csv --proxy surname --epsilon 1 {earlier} -o again.csv"));
    assert!(said.contains("with 1 earlier release of the same rows: epsilon 2.00"), "{said}");
}

#[test]
fn files_that_state_something_are_not_read_past_their_size() {
    let place = Place::new();
    place.file("people.csv", people(300));
    // Nothing of it is on the disk.
    std::fs::File::create(place.path("large.json")).unwrap().set_len(1 << 33).unwrap();
    for words in [
        "apply large.json people.csv -o x.csv",
        "plan --half-width 0.05 --from large.json",
        "audit people.csv --proxy surname --proxy zip --given large.json",
        "audit people.csv --proxy surname --proxy zip --mechanism large.json",
        "privatize people.csv --proxy zip --matrix large.json -o x.csv",
        "privatize people.csv --proxy zip --epsilon 1 --earlier large.json -o x.csv",
    ] {
        let said = place.run(2, words);
        assert!(said.contains("more than 64 MiB"), "{words}: {said}");
    }
}
