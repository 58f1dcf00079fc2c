//! A rule on new rows: the same decisions whatever the table is written in, and none about what it was never shown.

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use assert_cmd::Command;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// `(age − 40)/10 + ½` for cooks, `− ½` for smiths: yes above 0.
const BY_AGE: &str = r#"{"schema": "fairveil.rule/1", "version": "0.1.0", "criterion": "demographic_parity",
 "tolerance": 0.0, "positive": "yes", "negative": "no",
 "encoding": {"features": [
   {"kind": "number", "name": "age", "mean": 40, "deviation": 10, "missing": false},
   {"kind": "category", "name": "job", "levels": ["1", "cook", "smith"], "missing": false}]},
 "columns": ["age", "job = 1", "job = cook", "job = smith"],
 "method": "logistic", "model": {"intercept": 0.0, "coefficients": [1.0, 0.0, 0.5, -0.5]}}"#;

/// `2s − 1 > ½·(age − 40)/10`: yes above 0. A missing age is read as 40, and moves the score by a tenth.
const BY_SCORE: &str = r#"{"schema": "fairveil.rule/1", "version": "0.1.0", "criterion": "demographic_parity",
 "tolerance": 0.0, "positive": "1", "negative": "0",
 "encoding": {"features": [{"kind": "number", "name": "age", "mean": 40, "deviation": 10, "missing": true}]},
 "columns": ["age", "age (missing)"],
 "method": "plug-in", "eta": {"from": "score", "column": "s"},
 "tilts": [{"multiplier": 0.5, "label": null, "weight": {"intercept": 0.0, "coefficients": [1.0, 0.2, 0.0]}}]}"#;

const PEOPLE: &str =
    "id,job,age,note\n1,cook,36,a\n2,cook,34,\"b, c\"\n3, smith ,46,\n4,smith,44.0,d\n5,1.0,40.5,e\n";
const DECISIONS: [&str; 5] = ["yes", "no", "yes", "no", "yes"];

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Place(TempDir::new().unwrap());
        place.write("rule.json", BY_AGE);
        place.write("people.csv", PEOPLE);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Exit code, standard output and standard error.
    fn apply(&self, arguments: &[&str]) -> (i32, String, String) {
        self.apply_to(arguments, "")
    }

    fn apply_to(&self, arguments: &[&str], input: &str) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fairveil"));
        let output = command
            .current_dir(self.0.path())
            .arg("apply")
            .args(arguments)
            .write_stdin(input)
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// What is said when a table is refused. Nothing is written.
    fn refused(&self, table: &str, arguments: &[&str]) -> String {
        self.write("odd.csv", table);
        let all = [&["rule.json", "odd.csv", "-o", "out.csv"], arguments].concat();
        let (code, out, message) = self.apply(&all);
        assert_eq!((code, out.as_str()), (2, ""), "{message}");
        assert!(!self.path("out.csv").exists(), "{message}");
        let to_standard = self.apply(&[&["rule.json", "odd.csv", "-o", "-"], arguments].concat());
        assert_eq!((to_standard.0, to_standard.1.as_str()), (2, ""), "{message}");
        message
    }
}

/// The last column of a CSV file.
fn decisions(text: &str) -> Vec<String> {
    text.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().to_owned()).collect()
}

fn batch() -> RecordBatch {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("age", Arc::new(Float64Array::from(vec![36.0, 34.0, 46.0, 44.0, 40.5]))),
        ("id", Arc::new(Int64Array::from(vec![1, 2, 3, 4, 5]))),
        ("job", Arc::new(StringArray::from(vec!["cook", "cook", "smith", "smith", "1"]))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn parquet(batch: &RecordBatch) -> Vec<u8> {
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    file
}

fn of_parquet(path: &Path) -> RecordBatch {
    let reader = ParquetRecordBatchReaderBuilder::try_new(std::fs::File::open(path).unwrap()).unwrap();
    reader.build().unwrap().next().unwrap().unwrap()
}

#[test]
fn decisions_stand_beside_all_other_columns() {
    let place = Place::new();
    let (code, out, said) = place.apply(&["rule.json", "people.csv", "-o", "out.csv"]);
    assert_eq!((code, out.as_str()), (0, ""), "{said}");
    assert_eq!(said, "5 rows written: 3 decided yes, 2 decided no\n");
    let wanted = "id,job,age,note,decision\n1,cook,36,a,yes\n2,cook,34,\"b, c\",no\n3, smith ,46,,yes\n\
                  4,smith,44.0,d,no\n5,1.0,40.5,e,yes\n";
    assert_eq!(place.read("out.csv"), wanted);
    let (code, _, said) =
        place.apply(&["rule.json", "people.csv", "-o", "other.tsv", "--column", "granted", "--quiet"]);
    assert_eq!((code, said.as_str()), (0, ""));
    assert!(place.read("other.tsv").starts_with("id\tjob\tage\tnote\tgranted\n1\tcook\t36\ta\tyes\n"));
}

#[test]
fn every_format_and_order_of_columns_is_decided_alike() {
    let place = Place::new();
    let batch = batch();
    place.write("people.parquet", parquet(&batch));
    let mut arrow = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    arrow.write(&batch).unwrap();
    arrow.finish().unwrap();
    place.write("people.arrow", arrow.into_inner().unwrap());
    place.write("turned.csv", "x,age,y,job\n,36,,cook\n,34,,cook\n,46,,smith\n,44,,smith\n,40.5,,1\n");
    let object = |(age, job): (&str, &str)| format!("{{\"job\":\"{job}\",\"l\":[1],\"age\":{age}}}\n");
    let people = [("36", "cook"), ("34", "cook"), ("46", "smith"), ("44", "smith"), ("40.5", "1")];
    place.write("people.jsonl", people.map(object).concat());
    for table in ["people.csv", "turned.csv", "people.parquet", "people.arrow"] {
        let (code, out, said) = place.apply(&["rule.json", table, "-o", "-"]);
        assert_eq!(code, 0, "{said}");
        assert_eq!(decisions(&out), DECISIONS, "{table}");
    }
    let (code, _, said) = place.apply(&["rule.json", "people.jsonl", "-o", "out.jsonl"]);
    assert_eq!(code, 0, "{said}");
    let first = place.read("out.jsonl").lines().next().unwrap().to_owned();
    assert_eq!(first, r#"{"job":"cook","l":[1],"age":36,"decision":"yes"}"#);
    for table in ["people.csv", "people.parquet", "people.arrow"] {
        let (code, _, said) = place.apply(&["rule.json", table, "-o", "out.parquet"]);
        assert_eq!(code, 0, "{said}");
        let copy = of_parquet(&place.path("out.parquet"));
        let column = copy.column_by_name("decision").unwrap().as_string::<i32>();
        assert_eq!(column.iter().map(Option::unwrap).collect::<Vec<_>>(), DECISIONS, "{table}");
    }
    let kept = of_parquet(&place.path("out.parquet"));
    assert_eq!(kept.column_by_name("age").unwrap(), batch.column_by_name("age").unwrap());
    // Standard input, and several files.
    let (code, out, said) = place.apply_to(&["rule.json", "-", "-o", "-"], PEOPLE);
    assert_eq!(code, 0, "{said}");
    assert_eq!(decisions(&out), DECISIONS);
    place.write("more.csv", PEOPLE);
    let (code, out, said) = place.apply(&["rule.json", "people.csv", "more.csv", "-o", "-"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(decisions(&out), [DECISIONS, DECISIONS].concat());
}

#[test]
fn what_the_rule_was_never_shown_is_refused_with_its_place() {
    let place = Place::new();
    for (field, needles) in [
        (
            "baker,40",
            &["line 3, column `job`: the rule does not know this category", "one of `1`, `cook`, `smith`"][..],
        ),
        (",40", &["line 3, column `job`: the value is missing", "--impute"]),
        ("cook,", &["line 3, column `age`: the value is missing", "--impute"]),
        ("cook,old", &["line 3, column `age`: the value is a text", "a finite number"]),
        ("cook,inf", &["line 3, column `age`: the value is infinite"]),
        ("cook,1e39", &["line 3, column `age`: the value is a number that is too large"]),
    ] {
        let message = place.refused(&format!("job,age\ncook,41\n{field}\n"), &[]);
        for needle in needles.iter().chain(&["odd.csv", "--lenient"]) {
            assert!(message.contains(needle), "{message}");
        }
        // What one person has is not repeated.
        assert!(!message.contains("baker") && !message.contains("`old"), "{message}");
    }
    // A row that cannot be copied is refused whatever is asked for.
    for flags in [&[][..], &["--lenient"]] {
        let message = place.refused("job,age\ncook,41\ncook\n", flags);
        assert!(message.contains("line 3: the row has 1 fields, the header 2"), "{message}");
        let message = place.refused("job,agee\ncook,41\n", flags);
        assert!(message.contains("column `age`: there is no such column"), "{message}");
        assert!(message.contains("did you mean `agee`?"), "{message}");
    }
    let message = place.refused("job,age,decision\ncook,41,1\n", &[]);
    assert!(message.contains("column `decision`: the table has a column of this name already"), "{message}");
    let message = place.refused("job,age,age\ncook,41,1\n", &[]);
    assert!(message.contains("column `age`: the header has this name more than once"), "{message}");
}

#[test]
fn rows_that_cannot_be_decided_stay_empty_where_that_is_asked_for() {
    let place = Place::new();
    place.write("odd.csv", "job,age\ncook,41\nbaker,41\ncook,NA\nmiller,41\ncook,\nsmith,20\n");
    let (code, _, said) =
        place.apply(&["rule.json", "odd.csv", "-o", "out.csv", "--lenient", "--missing", "NA", "--quiet"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(decisions(&place.read("out.csv")), ["yes", "", "", "", "", "no"]);
    let wanted = "warning: 4 rows have no decision\n  \
         a category that the rule does not know: 2 rows, first odd.csv, line 3, column `job`: the rule does not know this category\n  \
         a missing value: 2 rows, first odd.csv, line 4, column `age`: the value is missing\n";
    assert_eq!(said, wanted);
}

#[test]
fn a_rule_with_a_score_and_a_place_for_the_missing_decides() {
    let place = Place::new();
    place.write("score.json", BY_SCORE);
    // 2s − 1 = 0.2 against ½·(age − 40)/10, and against ½·0.2 where the age is missing.
    place.write("scored.csv", "s,age,proxy_a,y_true\n0.6,43.9,x,1\n0.6,44.1,x,1\n0.6,,,\n0.54,,y,0\n");
    let (code, out, said) = place.apply(&["score.json", "scored.csv", "-o", "-"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(decisions(&out), ["1", "0", "1", "0"]);
    let unfit = [
        ("", "the score is missing"),
        ("high", "the value is a text"),
        ("inf", "the score is inf"),
        ("60", "from 0 to 1"),
    ];
    for (score, needle) in unfit {
        place.write("scored.csv", format!("s,age\n{score},40\n"));
        let (code, _, message) = place.apply(&["score.json", "scored.csv", "-o", "-"]);
        assert_eq!(code, 2);
        assert!(message.contains("line 2, column `s`") && message.contains(needle), "{message}");
    }
}

#[test]
fn files_that_are_no_rules_and_places_that_are_taken_are_refused() {
    let place = Place::new();
    let refused = |arguments: &[&str], needle: &str| {
        let (code, out, message) = place.apply(arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{message}");
        assert!(message.contains(needle), "{message}");
    };
    refused(&["rule.json", "people.csv", "-o", "people.csv"], "the output would replace the input");
    refused(&["rule.json", "people.csv", "-o", "rule.json"], "the file name does not say which format");
    refused(&["people.csv", "people.csv", "-o", "out.csv"], "this is no rule");
    refused(&["none.json", "people.csv", "-o", "out.csv"], "cannot read none.json");
    refused(&["rule.json", "none.csv", "-o", "out.csv"], "none.csv: cannot be read");
    refused(&["rule.json", "postgres://u@h/d", "-o", "out.csv"], "rows in a database cannot be copied");
    place.write("other.json", BY_AGE.replace("rule/1", "rule/9"));
    refused(&["other.json", "people.csv", "-o", "out.csv"], "the rule has the format fairveil.rule/9");
    place.write("other.json", BY_AGE.replace("[1.0, 0.0,", "[1.0,"));
    refused(&["other.json", "people.csv", "-o", "out.csv"], "its coefficients do not fit its features");
    assert_eq!(place.read("people.csv"), PEOPLE);
    assert!(!place.path("out.csv").exists());
}

#[test]
fn a_rule_is_shown_and_written_as_sql_python_and_onnx() {
    let place = Place::new();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fairveil"));
        let output = command.current_dir(place.0.path()).arg("rule").args(arguments).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    };
    let (code, shown, told) = run(&["show", "rule.json"]);
    assert_eq!(code, 0, "{told}");
    assert!(shown.contains("age: a number") && shown.contains("0.5000  job = cook"), "{shown}");
    // Names and levels stay in their quotes; what is missing or unseen has no decision.
    place.write("odd.json", BY_AGE.replace("smith", "o'hara").replace("age", "a`b"));
    for (dialect, column, level) in [
        ("postgres", "\"a`b\"", "'o''hara'"),
        ("bigquery", "`a\\`b`", "'o\\'hara'"),
        ("spark", "`a``b`", "'o\\'hara'"),
        ("ansi", "\"a`b\"", "'o''hara'"),
        ("snowflake", "\"a`b\"", "'o''hara'"),
        ("duckdb", "\"a`b\"", "'o''hara'"),
        ("trino", "\"a`b\"", "'o''hara'"),
    ] {
        let (code, query, told) = run(&["sql", "odd.json", "--dialect", dialect, "--table", "a.b"]);
        assert_eq!(code, 0, "{dialect}: {told}");
        assert!(query.contains(column) && query.contains(level), "{dialect}: {query}");
        assert!(query.starts_with("WITH") && query.contains("fairveil_decision"), "{query}");
    }
    let (code, module, told) = run(&["python", "rule.json"]);
    assert_eq!(code, 0, "{told}");
    assert!(module.contains("def decide(row)") && module.contains("fairveil.rule/1"));
    let (code, out, told) = run(&["onnx", "rule.json", "-o", "rule.onnx"]);
    assert_eq!((code, out.as_str()), (0, ""), "{told}");
    let model = std::fs::read(place.path("rule.onnx")).unwrap();
    assert!(model.windows(12).any(|part| part == b"LabelEncoder"));
    // The rule is not written over, and what is no rule is refused.
    let (code, _, told) = run(&["onnx", "rule.json", "-o", "rule.json"]);
    assert_eq!(code, 2, "{told}");
    let (code, _, told) = run(&["show", "people.csv"]);
    assert!(code == 2 && told.contains("no rule"), "{told}");
}

#[test]
fn margins_and_rows_for_review_stand_beside_decisions() {
    let place = Place::new();
    let (code, _, told) =
        place.apply(&["rule.json", "people.csv", "-o", "out.csv", "--margin", "m", "--review", "0.11"]);
    assert_eq!(code, 0, "{told}");
    assert!(told.contains("within 0.11 of the cut, for a person to look at: 5 rows"), "{told}");
    let out = place.read("out.csv");
    assert!(out.starts_with("id,job,age,note,decision,m,review\n"), "{out}");
    let margins = out.lines().skip(1).map(|line| line.rsplit(',').nth(1).unwrap().parse::<f64>().unwrap());
    // (age − 40)/10, and ½ for cooks or −½ for smiths.
    let wanted = [0.1, -0.1, 0.1, -0.1, 0.05];
    assert!(margins.zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-12), "{out}");
    let (_, _, told) = place.apply(&["rule.json", "people.csv", "-o", "out2.csv", "--review", "0.07"]);
    assert!(told.contains("within 0.07 of the cut, for a person to look at: 1 rows"), "{told}");
    let (code, _, told) = place.apply(&["rule.json", "people.csv", "-o", "out3.csv", "--review=-1"]);
    assert!(code == 2 && told.contains("above 0") && !place.path("out3.csv").exists(), "{told}");
}
