//! Inputs that lie: cut off, mixed up, wrong in one row of many. An error says where, whatever the threads, or rows are left
//! out and counted, where that was asked for and is safe; there is never silently another number.

use crate::tables::{Dice, Place, Table, Weights, Wish, gzip, parquet, says, table, zstd};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, Float64Array, Int64Array, ListArray, RecordBatch, StringArray, StructArray,
};
use arrow_schema::{DataType, Field, Schema};
use parquet::basic::Compression;
use std::sync::Arc;

const HEAD: &str = "y_pred,proxy_a,proxy_b";

/// So many good rows.
fn rows(n: usize) -> String {
    (0..n).map(|i| format!("{},{},{}\n", i % 2, ["x", "y"][i / 2 % 2], ["x", "y"][i / 3 % 2])).collect()
}

fn made(rows: usize) -> Table {
    let wish = Wish {
        rows,
        groups: 2,
        guessers: 2,
        scorers: 0,
        labels: true,
        weights: Some(Weights::Any),
        segments: false,
        truth: false,
        sample: false,
        odd_names: false,
        classes: 0,
    };
    table(&mut Dice(4), &wish)
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn files_that_were_cut_off_are_refused_wherever_they_were_cut() {
    let place = Place::new();
    let table = made(3_000);
    let csv = table.csv(b',', "\n", false);
    for (name, whole) in [
        ("t.csv.gz", gzip(&csv)),
        ("t.csv.zst", zstd(&csv)),
        ("t.jsonl.gz", gzip(&table.json_lines(true, false))),
        ("t.json", table.json_array()),
        ("t.parquet", table.parquet(crate::tables::Arrays::Typed, 700)),
        ("t.parquet.zst", zstd(&table.parquet(crate::tables::Arrays::Strings, 700))),
        ("t.arrow", table.arrow_file(crate::tables::Arrays::Strings, 700)),
        ("t.arrows", table.arrow_stream(crate::tables::Arrays::Typed, 700)),
    ] {
        place.file(name, &whole);
        let seen = place.run(&["count", name, "-o", "-", "--quiet"], None);
        assert_eq!(seen.code, 0, "{name}: {}", seen.stderr);
        let n = whole.len();
        for cut in [n - 1, n - 3, n - 9, n / 2, n / 3] {
            // White space at the end of an array is none of it.
            let cut = if name == "t.json" { cut.min(n - 2) } else { cut };
            place.file(name, &whole[..cut]);
            for command in [&["audit", "--quiet"][..], &["count", "-o", "out.csv"]] {
                let said = place.refused(command[0], &[name], &command[1..]);
                says(&said, &[name]);
                let lenient = place.refused(command[0], &[name], &[&command[1..], &["--lenient"]].concat());
                assert_eq!(lenient, said, "{name} cut to {cut} of {n}");
            }
        }
    }
}

/// A stream has no table of its batches: one that was cut between two looks complete but for the mark of its end.
#[test]
fn a_stream_that_was_cut_between_two_batches_is_refused_and_so_is_what_follows_its_end() {
    let place = Place::new();
    let table = made(100);
    let whole = table.arrow_stream(crate::tables::Arrays::Strings, 50);
    place.file("cut.arrows", &whole[..whole.len() - 8]);
    says(
        &place.refused("audit", &["cut.arrows"], &[]),
        &["cut.arrows, row 101", "ends without the mark of its end"],
    );
    place.file("two.arrows", [whole.as_slice(), &whole].concat());
    says(&place.refused("audit", &["two.arrows"], &[]), &["there is more after the end of the stream"]);
}

#[test]
fn a_row_with_a_field_too_many_is_found_behind_many_blocks() {
    let place = Place::new();
    // Four blocks of 512 KiB and more before the row.
    let n = 400_000;
    let plain = format!("{HEAD}\n{}1,x,x,x\n{}", rows(n), rows(100));
    assert!(plain.len() > 4 << 19);
    let said = |name: &str, text: &str, line: usize| {
        place.file(name, text);
        let said = place.refused("audit", &[name], &["--json", "out.json"]);
        says(&said, &[&format!("{name}, line {line}: the row has 4 fields, the header 3"), "--delimiter"]);
    };
    said("plain.csv", &plain, n + 2);
    said("returns.csv", &plain.replace('\n', "\r\n"), n + 2);
    // A quoted line end in every thousandth row, of a column without a role.
    let head = "note,y_pred,proxy_a,proxy_b\n";
    let note = |i: usize| if i.is_multiple_of(1000) { "\"two\nlines \"\"\"" } else { "" };
    let many: String = rows(n).lines().enumerate().map(|(i, row)| format!("{},{row}\n", note(i))).collect();
    let quoted = format!("{head}{many}one,too,many,\"fields\n\",\n{many}");
    let line = n + n / 1000 + 2;
    for (name, text) in [("quoted.csv", quoted.clone()), ("quoted-returns.csv", quoted.replace('\n', "\r\n"))]
    {
        place.file(name, &text);
        let said = place.refused("audit", &[name], &[]);
        says(&said, &[&format!("{name}, line {line}: the row has 5 fields, the header 4")]);
    }
    // In JSON lines and in a file of rows without lines.
    let object = |row: &str| {
        let fields: Vec<&str> = row.split(',').collect();
        format!(
            "{{\"y_pred\": {}, \"proxy_a\": \"{}\", \"proxy_b\": \"{}\"}}\n",
            fields[0], fields[1], fields[2]
        )
    };
    let objects: String = rows(60_000).lines().map(object).collect();
    place.file("t.jsonl", format!("{objects}{{\"y_pred\": 1,, }}\n{objects}"));
    says(&place.refused("audit", &["t.jsonl"], &[]), &["t.jsonl, line 60001: not a JSON object"]);
}

#[test]
fn the_first_of_many_faults_is_told_whatever_the_threads() {
    let place = Place::new();
    let mut lines: Vec<String> = rows(200_000).lines().map(|row| format!("{row},1,0.5,0.5,x")).collect();
    let head = format!("{HEAD},weight,p_x,p_y,truth");
    let flags = ["--proxy", "proxy_a", "--proxy-probs", "p_", "--truth", "truth"];
    // From the last to the first, each becomes the one that is told, though rows behind it are wrong as well.
    for (line, broken, found) in [
        (199_000, "1,x,x,1,0.5,0.5", "line 199000: the row has 6 fields"),
        (190_000, "1,x,x,1,0.5,0.5,", "line 190000, column `truth`: the true group is missing"),
        (120_000, "1,x,x,-1,0.5,0.5,x", "line 120000, column `weight`: the weight is `-1`"),
        (119_900, "1,x,x,1,0.5,0.6,x", "line 119900, column `p`: the probabilities of the row sum to 1.1"),
        (119_890, "1,x,x,1,0.5,,x", "line 119890, column `p`: some probabilities"),
        (60_000, "1,x,x,1,0.5,0.5,x,\"", "line 60000: a quoted field begins here and does not end"),
        (59_990, "1,x,x,1,0.5,2,x", "line 59990, column `p_y`: the probability is `2`"),
        (59_980, "1,x,x,1,0.5,0.5,", "line 59980, column `truth`: the true group is missing"),
    ] {
        lines[line - 2] = broken.to_owned();
        place.file("t.csv", format!("{head}\n{}\n", lines.join("\n")));
        says(&place.refused("audit", &["t.csv"], &flags), &[&format!("t.csv, {found}")]);
    }
    // Columns are looked at one after the other; the first row counts all the same.
    let n = 40_000;
    let mut weights: Vec<Option<f64>> = vec![Some(1.0); n];
    let mut scores = vec![Some(0.5); n];
    let batch = |weights: &[Option<f64>], scores: &[Option<f64>]| {
        let text = |place: usize| -> ArrayRef {
            Arc::new(StringArray::from_iter_values(
                rows(n).lines().map(|row| row.split(',').nth(place).unwrap()),
            ))
        };
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("y_pred", text(0)),
            ("proxy_a", text(1)),
            ("weight", Arc::new(Float64Array::from(weights.to_vec()))),
            ("p_x", Arc::new(Float64Array::from(scores.to_vec()))),
            ("p_y", Arc::new(Float64Array::from(vec![0.5; n]))),
        ];
        parquet(&[RecordBatch::try_from_iter(columns).unwrap()], Compression::UNCOMPRESSED, 9_000)
    };
    let flags = ["--proxy", "proxy_a", "--proxy-probs", "p_"];
    weights[30_000] = Some(f64::NAN);
    scores[29_999] = None;
    place.file("t.parquet", batch(&weights, &scores));
    says(
        &place.refused("audit", &["t.parquet"], &flags),
        &["t.parquet, row 30000, column `p`: some probabilities"],
    );
    weights[29_998] = Some(-2.0);
    place.file("t.parquet", batch(&weights, &scores));
    says(
        &place.refused("audit", &["t.parquet"], &flags),
        &["row 29999, column `weight`: the weight is `-2`"],
    );
}

#[test]
fn a_column_of_too_many_values_is_told_at_the_same_place_whatever_the_threads() {
    let place = Place::new();
    // A new class in every twenty-thousandth row: 50 are taken. Each block knows a few.
    let n = 1_100_000;
    let line = |i: usize| format!("{},{},{}\n", i / 20_000, ["x", "y"][i % 2], ["x", "y"][i / 3 % 2]);
    place.file("classes.csv", format!("{HEAD}\n{}", (0..n).map(line).collect::<String>()));
    let found = "column `y_pred`: more than 50 distinct values";
    says(
        &place.refused("count", &["classes.csv"], &["-o", "out.csv"]),
        &[&format!("classes.csv, line 1000002, {found}")],
    );
    // All of them in the first block, and new ones in every other.
    let line = |i: usize| format!("{},{},{}\n", i % 3_000, ["x", "y"][i % 2], ["x", "y"][i / 3 % 2]);
    place.file("early.csv", format!("{HEAD}\n{}", (0..300_000).map(line).collect::<String>()));
    says(
        &place.refused("count", &["early.csv"], &["-o", "out.csv"]),
        &[&format!("early.csv, line 52, {found}")],
    );
    // Groups, and a worse row behind them.
    let line = |i: usize| format!("{},{},{}\n", i % 2, i / 20, ["x", "y"][i / 3 % 2]);
    let many: String = (0..300_000).map(line).collect();
    place.file("groups.csv", format!("{HEAD}\n{many}1,x\n"));
    let found = "column `proxy_a`: more than 10000 distinct values";
    says(
        &place.refused("count", &["groups.csv"], &["-o", "out.csv"]),
        &[&format!("groups.csv, line 200002, {found}")],
    );
}

#[test]
fn texts_that_are_broken_are_refused_where_they_break() {
    let place = Place::new();
    let refused = |name: &str, bytes: &[u8], flags: &[&str], parts: &[&str]| {
        place.file(name, bytes);
        says(&place.refused("audit", &[name], flags), parts);
    };
    let good = format!("{HEAD}\n{}", rows(1000));
    let with = |row: &[u8]| [good.as_bytes(), row, rows(1000).as_bytes()].concat();
    refused(
        "t.csv",
        &with(b"1,\xff\xfe,x\n"),
        &[],
        &["t.csv, line 1002, column `proxy_a`: the bytes are not UTF-8"],
    );
    refused(
        "t.csv",
        &with(b"1,\"x,x\n"),
        &[],
        &["t.csv, line 1002: a quoted field begins here and does not end"],
    );
    refused("t.csv", &with(b"1,x\n"), &[], &["t.csv, line 1002: the row has 2 fields, the header 3"]);
    refused(
        "t.csv",
        b"y_pred,proxy_a,proxy_a\n1,x,x\n",
        &[],
        &["column `proxy_a`: the header has this name more than once"],
    );
    let objects = |rows: &[&str]| rows.join("\n").into_bytes();
    let ok = r#"{"y_pred": 1, "proxy_a": "x", "proxy_b": "y"}"#;
    let other = r#"{"y_pred": 0, "proxy_a": "y", "proxy_b": "x"}"#;
    for (line, found) in [
        (
            r#"{"y_pred": 1, "proxy_a": ["x"], "proxy_b": "y"}"#,
            "column `proxy_a`: the value is a list or an object",
        ),
        (
            r#"{"y_pred": {"a": 1}, "proxy_a": "x", "proxy_b": "y"}"#,
            "column `y_pred`: the value is a list or an object",
        ),
        (
            r#"{"y_pred": 1, "proxy_a": "x", "proxy_a": "y"}"#,
            "column `proxy_a`: the header has this name more than once",
        ),
        (r#"{"y_pred": 1, "proxy_a": "x", "proxy_b": "y"} {}"#, "not a JSON object: trailing characters"),
        (r#"{"y_pred": 1, "proxy_a": "x""#, "not a JSON object: EOF"),
        (r#"[1, "x", "y"]"#, "not a JSON object"),
        ("1", "not a JSON object"),
        ("{\"y_pred\": 1, \"proxy_a\": \"\u{1}\"}", "not a JSON object: control character"),
    ] {
        refused("t.jsonl", &objects(&[ok, other, line, ok, ""]), &[], &["t.jsonl, line 3", found]);
        let array = format!("[{}]", [ok, other, line, ok].join(",\n"));
        if !line.ends_with("\"x\"") {
            refused("t.json", array.as_bytes(), &[], &["t.json, row 3", found]);
        }
    }
    refused("t.json", format!("[{ok}, {other}] {ok}").as_bytes(), &[], &["there is text after the array"]);
    refused("t.json", b"[]", &[], &["there is a header and no row"]);
    // A number where a weight should be, and then none.
    let weighted = |weight: &str| ok.replace('}', &format!(", \"weight\": {weight}}}"));
    for weight in ["\"heavy\"", "true", "null", "-1", "1e13"] {
        let lines = [weighted("1"), weighted("2.5"), weighted(weight), weighted("1")];
        refused(
            "t.jsonl",
            lines.join("\n").as_bytes(),
            &[],
            &["t.jsonl, line 3, column `weight`: the weight is `"],
        );
    }
}

#[test]
fn a_key_that_comes_late_is_refused_where_it_would_have_meant_something() {
    let place = Place::new();
    let ok = r#"{"y_pred": 1, "proxy_a": "x", "proxy_b": "y"}"#;
    let many = format!("{ok}\n{}\n", ok.replace("1", "0")).repeat(9_000);
    let with = |more: &str| format!("{many}{}\n", ok.replace('}', &format!(", {more}}}")));
    for (more, column) in [
        ("\"weight\": 3", "weight"),
        ("\"y_true\": 1", "y_true"),
        ("\"proxy_c\": \"x\"", "proxy_c"),
        ("\"count\": 12", "count"),
    ] {
        place.file("t.jsonl", with(more));
        says(
            &place.refused("audit", &["t.jsonl"], &[]),
            &[&format!("t.jsonl, line 18001, column `{column}`: none of the first objects has this key")],
        );
    }
    // What would have had no role does no harm.
    place.file("plain.jsonl", format!("{many}{ok}\n"));
    place.file("t.jsonl", with("\"hobby\": [1, 2]"));
    let flags = ["--count".to_owned(), "none".to_owned()];
    place.count(&["plain.jsonl"], "plain.csv", &flags);
    place.count(&["t.jsonl"], "t.csv", &flags);
    assert_eq!(place.text("plain.csv"), place.text("t.csv"));
    // What a tally tells only once.
    let tally = ok.replace('}', ", \"count\": 1}");
    let many = format!("{tally}\n").repeat(12_000);
    place.file("tally.jsonl", format!("{many}{}\n", tally.replace('}', ", \"hidden_rows\": 2}")));
    says(
        &place.refused("audit", &["tally.jsonl"], &[]),
        &["line 12001, column `hidden_rows`: none of the first objects has this key"],
    );
}

#[test]
fn files_that_do_not_belong_together_are_refused() {
    let place = Place::new();
    place.file("a.csv", format!("{HEAD}\n{}", rows(50)));
    for (name, head) in [
        ("label.csv", "y_pred,proxy_a,y_true"),
        ("more.csv", "proxy_b,proxy_c,y_pred,proxy_a"),
        ("fewer.csv", "y_pred,proxy_a"),
        ("weighted.csv", "weight,y_pred,proxy_a,proxy_b"),
    ] {
        let width = head.split(',').count();
        place.file(name, format!("{head}\n{}\n", vec!["1"; width].join(",")));
        let said = place.refused("audit", &["a.csv", name], &[]);
        says(&said, &[&format!("{name}: the columns used here are"), "in the first file", "`proxy_b`"]);
    }
    place.file("empty.csv", "");
    says(&place.refused("audit", &["a.csv", "empty.csv"], &[]), &["empty.csv: the file is empty"]);
    says(&place.refused("audit", &["a.csv", "none*.csv"], &[]), &["none*.csv: no file matches this name"]);
    says(&place.refused("audit", &["a.csv", "absent.csv"], &[]), &["absent.csv: cannot be read"]);
    // A part without rows is a part.
    place.file("header.csv", format!("{HEAD}\n"));
    let flags = strings(&["--n-boot", "0"]);
    assert!(place.audit(&["a.csv", "header.csv"], &flags) == place.audit(&["a.csv"], &flags));
    says(&place.refused("audit", &["header.csv"], &[]), &["a header and no row"]);
}

fn strings_array(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

#[test]
fn columns_of_the_wrong_kind_are_refused_and_empty_row_groups_are_not() {
    let place = Place::new();
    let y: ArrayRef = Arc::new(Int64Array::from(vec![0, 1, 0, 1]));
    let (a, b) = (strings_array(&["x", "y", "x", "y"]), strings_array(&["x", "x", "y", "y"]));
    let of = |columns: Vec<(&str, ArrayRef)>| RecordBatch::try_from_iter(columns).unwrap();
    let write = |name: &str, batches: &[RecordBatch], group: usize| {
        place.file(&format!("{name}.parquet"), parquet(batches, Compression::SNAPPY, group));
        let mut out = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batches[0].schema()).unwrap();
        batches.iter().for_each(|batch| out.write(batch).unwrap());
        place.file(&format!("{name}.arrows"), out.into_inner().unwrap());
        [format!("{name}.parquet"), format!("{name}.arrows")]
    };
    let list: ArrayRef =
        Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>((0..4).map(|i| Some(vec![Some(i)]))));
    let object: ArrayRef =
        Arc::new(StructArray::from(vec![(Arc::new(Field::new("x", DataType::Utf8, false)), Arc::clone(&a))]));
    for (name, odd) in [("list", list), ("struct", object)] {
        let batch =
            of(vec![("y_pred", Arc::clone(&y)), ("proxy_a", Arc::clone(&a)), ("proxy_b", Arc::clone(&odd))]);
        for file in write(name, &[batch], 100) {
            says(
                &place.refused("audit", &[&file], &[]),
                &[&format!("{file}, column `proxy_b`: the column has the type")],
            );
        }
        // Without a role it does no harm.
        let batch = of(vec![
            ("other", odd),
            ("y_pred", Arc::clone(&y)),
            ("proxy_a", Arc::clone(&a)),
            ("proxy_b", Arc::clone(&b)),
        ]);
        for file in write(name, &[batch], 100) {
            place.audit(&[&file], &strings(&["--n-boot", "0"]));
        }
    }
    let bytes: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"x", b"y", b"\xff", b"y"]));
    let batch = of(vec![("y_pred", Arc::clone(&y)), ("proxy_a", Arc::clone(&a)), ("proxy_b", bytes)]);
    for file in write("bytes", &[batch], 100) {
        says(&place.refused("audit", &[&file], &[]), &[&file, "column `proxy_b`: the bytes are not UTF-8"]);
    }
    let text: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"x", b"x", b"y", b"y"]));
    let batch = of(vec![("y_pred", Arc::clone(&y)), ("proxy_a", Arc::clone(&a)), ("proxy_b", text)]);
    let flags = strings(&["--n-boot", "0"]);
    place.file("t.csv", "y_pred,proxy_a,proxy_b\n0,x,x\n1,y,x\n0,x,y\n1,y,y\n");
    let expected = place.audit(&["t.csv"], &flags);
    for file in write("text", &[batch], 2) {
        assert!(place.audit(&[&file], &flags) == expected, "{file}");
    }
    let good = of(vec![("y_pred", Arc::clone(&y)), ("proxy_a", Arc::clone(&a)), ("proxy_b", Arc::clone(&b))]);
    for file in write("gaps", &[good.slice(0, 0), good.slice(0, 1), good.slice(0, 0), good.slice(1, 3)], 1) {
        assert!(place.audit(&[&file], &flags) == expected, "{file}");
    }
    for file in write("nothing", &[good.slice(0, 0)], 10) {
        says(&place.refused("audit", &[&file], &[]), &[&format!("{file}: there is a header and no row")]);
        place.audit(&["t.csv", &file], &flags);
    }
    let names = ["y_pred", "proxy_a", "proxy_a"];
    let fields: Vec<Field> = names
        .iter()
        .zip([&y, &a, &b])
        .map(|(name, array)| Field::new(*name, array.data_type().clone(), true))
        .collect();
    let twins = RecordBatch::try_new(
        Arc::new(Schema::new(fields)),
        vec![Arc::clone(&y), Arc::clone(&a), Arc::clone(&b)],
    );
    let mut out =
        arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &twins.as_ref().unwrap().schema()).unwrap();
    out.write(&twins.unwrap()).unwrap();
    place.file("twins.arrows", out.into_inner().unwrap());
    says(
        &place.refused("audit", &["twins.arrows"], &[]),
        &["column `proxy_a`: the header has this name more than once"],
    );
    // What other writers put beside a column does not matter.
    let about = |name: &str, kind: DataType, id: &str| {
        Field::new(name, kind, true)
            .with_metadata(std::collections::HashMap::from([("PARQUET:field_id".to_owned(), id.to_owned())]))
    };
    let fields = vec![
        about("y_pred", DataType::Int64, "1"),
        about("proxy_a", DataType::Utf8, "2"),
        about("proxy_b", DataType::Utf8, "3"),
    ];
    let numbered = RecordBatch::try_new(Arc::new(Schema::new(fields)), vec![y, a, b]).unwrap();
    for file in write("numbered", &[numbered], 10) {
        assert!(place.audit(&[&file], &flags) == expected, "{file}");
    }
}

#[test]
fn lenience_leaves_broken_rows_out_counts_them_and_changes_nothing_else() {
    let place = Place::new();
    let head = format!("{HEAD},weight,p_x,p_y,truth");
    let good: Vec<String> = rows(30_000)
        .lines()
        .enumerate()
        .map(|(i, row)| format!("{row},0.{},{},x", 1 + i % 9, ["0.25,0.75", "0.75,0.25"][i / 5 % 2]))
        .collect();
    // Values that no good row has: they must leave no trace, neither as groups nor as classes or spellings.
    let mut all = good.clone();
    let broken = [
        (20_000, "1,x,x,1", "the number of fields", "the row has 4 fields, the header 7"),
        (15_000, "1.0,z,q,1,0.25,0.75,x,", "the number of fields", ""),
        (11_000, "2,x ,x,much,0.25,0.75,x", "the weight", "column `weight`: the weight is `much`"),
        (
            10_000,
            "0.0,x,new,1,0.25,0.8,x",
            "the probabilities",
            "column `p`: the probabilities of the row sum to 1.05",
        ),
        (9_000, "1, y,x,1,0.25,,x", "the probabilities", ""),
        (5_000, "1,x,ghost,1,0.25,0.75,", "no true group", "column `truth`: the true group is missing"),
    ];
    for (line, row, ..) in broken {
        all.insert(line, row.to_owned());
    }
    place.file("good.csv", format!("{head}\n{}\n", good.join("\n")));
    let bytes = format!("{head}\n{}\n", all.join("\n")).into_bytes();
    place.file("all.csv", &bytes);
    let flags = strings(&[
        "--proxy",
        "proxy_a",
        "--proxy",
        "proxy_b",
        "--proxy-probs",
        "p_",
        "--truth",
        "truth",
        "--n-boot",
        "0",
    ]);
    let value = |name: &str, more: &[&str]| -> serde_json::Value {
        serde_json::from_str(&place.audit(&[name], &[&flags[..], &strings(more)].concat())).unwrap()
    };
    let expected = value("good.csv", &[]);
    for threads in ["1", "4"] {
        let mut lenient = value("all.csv", &["--lenient", "--threads", threads]);
        let findings = lenient["findings"].as_array().unwrap().clone();
        let (left_out, others): (Vec<_>, Vec<_>) =
            findings.into_iter().partition(|finding| finding["code"] == "D10");
        for (reason, rows, first) in [
            ("the number of fields", 2.0, "all.csv, line 15006: the row has 8 fields, the header 7"),
            ("the weight", 1.0, "all.csv, line 11005: column `weight`: the weight is `much`"),
            (
                "the probabilities",
                2.0,
                "all.csv, line 9003: column `p`: some probabilities of the row are missing",
            ),
            ("no true group", 1.0, "all.csv, line 5002: column `truth`: the true group is missing"),
        ] {
            let finding = left_out.iter().find(|finding| finding["evidence"]["reason"] == reason).unwrap();
            assert_eq!(
                (&finding["evidence"]["rows"], &finding["evidence"]["all"]),
                (&rows.into(), &30_006.0.into())
            );
            says(finding["evidence"]["first"].as_str().unwrap(), &[first]);
        }
        assert_eq!(left_out.len(), 4);
        lenient["findings"] = others.into();
        // Each answer counts them, too: the same finding for several reasons is one warning.
        for (answer, plain) in
            lenient["answers"].as_array_mut().unwrap().iter_mut().zip(expected["answers"].as_array().unwrap())
        {
            assert_eq!(answer["warnings"]["warning"], plain["warnings"]["warning"].as_u64().unwrap() + 1);
            answer["warnings"] = plain["warnings"].clone();
        }
        assert!(lenient == expected, "{threads} threads");
    }
    // The tally of the good rows, and a warning.
    let count = |name: &str, more: &[&str]| {
        let flags = &flags[..flags.len() - 2];
        let run = [&strings(&["count", name, "-o", "-"])[..], flags, &strings(more)].concat();
        place.run(&run, None)
    };
    let (good, all) = (count("good.csv", &[]), count("all.csv", &["--lenient"]));
    assert_eq!((good.code, all.code), (0, 0));
    assert!(good.stdout == all.stdout);
    says(
        &all.stderr,
        &["warning: 2 rows left out because of the number of fields; the first is all.csv, line 15006"],
    );
}

#[test]
fn lenience_is_the_same_in_every_format() {
    let place = Place::new();
    let weights = ["1", "2", "heavy", "0.5", "-3", "", "1", "1e13", "2"];
    let n = weights.len() * 20;
    let row = |i: usize| (i % 2, ["x", "y"][i / 2 % 2], ["x", "y"][i / 3 % 2], weights[i % weights.len()]);
    let csv: String = (0..n).map(row).map(|(y, a, b, w)| format!("{y},{a},{b},{w}\n")).collect();
    place.file("t.csv", format!("{HEAD},weight\n{csv}"));
    let objects: String = (0..n)
        .map(row)
        .map(|(y, a, b, w)| {
            format!("{{\"y_pred\":{y},\"proxy_a\":\"{a}\",\"proxy_b\":\"{b}\",\"weight\":\"{w}\"}}\n")
        })
        .collect();
    place.file("t.jsonl", objects);
    let column = |values: Vec<String>| -> ArrayRef { Arc::new(StringArray::from(values)) };
    let columns = vec![
        ("y_pred", column((0..n).map(|i| row(i).0.to_string()).collect())),
        ("proxy_a", column((0..n).map(|i| row(i).1.to_owned()).collect())),
        ("proxy_b", column((0..n).map(|i| row(i).2.to_owned()).collect())),
        ("weight", column((0..n).map(|i| row(i).3.to_owned()).collect())),
    ];
    place
        .file("t.parquet", parquet(&[RecordBatch::try_from_iter(columns).unwrap()], Compression::SNAPPY, 50));
    let audit = |name: &str, place_of: &str| {
        let audit = place.audit(&[name], &strings(&["--lenient", "--n-boot", "0"]));
        says(&audit, &["\"D10\"", &format!("{name}, {place_of}: column `weight`: the weight is `heavy`")]);
        audit.replace(&format!("{name}, {place_of}"), "HERE")
    };
    let expected = audit("t.csv", "line 4");
    assert!(audit("t.jsonl", "line 3") == expected);
    assert!(audit("t.parquet", "row 3") == expected);
    let numbers: ArrayRef =
        Arc::new(Float64Array::from((0..n).map(|i| row(i).3.parse().ok()).collect::<Vec<Option<f64>>>()));
    let columns = vec![
        ("y_pred", column((0..n).map(|i| row(i).0.to_string()).collect())),
        ("proxy_a", column((0..n).map(|i| row(i).1.to_owned()).collect())),
        ("proxy_b", column((0..n).map(|i| row(i).2.to_owned()).collect())),
        ("weight", numbers),
    ];
    place.file(
        "numbers.parquet",
        parquet(
            &[RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true)))
                .unwrap()],
            Compression::SNAPPY,
            50,
        ),
    );
    let audit = place.audit(&["numbers.parquet"], &strings(&["--lenient", "--n-boot", "0"]));
    let found = "numbers.parquet, row 3: column `weight`: the weight is ``";
    says(&audit, &[found]);
    assert!(audit.replace(found, "HERE: column `weight`: the weight is `heavy`") == expected);
}

#[test]
fn lenience_does_not_forgive_what_hides_other_rows() {
    let place = Place::new();
    let good = format!("{HEAD}\n{}", rows(100));
    let refused = |name: &str, text: String, parts: &[&str]| {
        place.file(name, text);
        says(&place.refused("audit", &[name], &["--lenient"]), parts);
    };
    // A quote opened by mistake makes one row of many.
    refused(
        "t.csv",
        format!("{good}\"1,x,x\n{}\"\n{}", rows(5), rows(100)),
        &["t.csv, line 102: the row has 1 fields"],
    );
    refused("t.csv", format!("{good}1,\"x,x\n{}", rows(5)), &["t.csv, line 102: a quoted field begins here"]);
    // A last row without its end is half a row.
    refused("t.csv", format!("{good}1,x"), &["t.csv, line 102: the row has 2 fields"]);
    refused("t.csv", format!("{HEAD},note\n1,x,x,\"\n\"\n1,x"), &["t.csv, line 4: the row has 2 fields"]);
    let ok = "{\"y_pred\": 1, \"proxy_a\": \"x\", \"proxy_b\": \"y\"}\n";
    refused("t.jsonl", format!("{ok}{ok}{}", &ok[..20]), &["t.jsonl, line 3: not a JSON object"]);
    // Two of one key: nobody knows which was meant.
    refused(
        "t.jsonl",
        format!("{ok}{}", ok.replace('}', ", \"proxy_a\": \"y\"}")),
        &["t.jsonl, line 2, column `proxy_a`"],
    );
    // Nothing is left.
    refused("t.csv", format!("{HEAD}\n1,x\n0,y\n"), &["there is a header and no row"]);
}
