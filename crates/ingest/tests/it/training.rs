//! Rows for a rule: the same whatever they are written in, and refused where they make no sense.

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, ListArray, RecordBatch, StringArray};
use fairveil_core::mitigate::FeatureValues;
use fairveil_core::vocabulary::{Class, Group, Guess};
use fairveil_ingest::{
    Columns, Count, Input, Reading, TrainingColumns, TrainingRows, read_table, read_training_rows,
};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;
use std::io::Write;
use std::sync::Arc;

fn bytes<'b>(name: &str, bytes: &'b [u8]) -> Input<'b> {
    Input::Bytes { name: name.into(), bytes: Box::new(bytes) }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn read(table: &[u8], columns: &Columns, wanted: &TrainingColumns) -> Result<TrainingRows, String> {
    let read = read_training_rows(vec![bytes("people", table)], columns, wanted, &Reading::default());
    read.map_err(|error| error.to_string())
}

fn refused(table: &str, columns: &Columns, wanted: &TrainingColumns) -> String {
    read(table.as_bytes(), columns, wanted).unwrap_err()
}

fn lenient(table: &str, wanted: &TrainingColumns) -> Result<TrainingRows, String> {
    let reading = Reading { lenient: true, ..Reading::default() };
    let read =
        read_training_rows(vec![bytes("people", table.as_bytes())], &Columns::default(), wanted, &reading);
    read.map_err(|error| error.to_string())
}

/// All that is read, in words; NaN reads as NaN.
fn told(read: &TrainingRows) -> String {
    format!("{:?}\n{:?}", read.rows, read.intake)
}

fn numbers<'r>(read: &'r TrainingRows, name: &str) -> &'r [f32] {
    match &read.rows.features.iter().find(|feature| feature.name == name).unwrap().values {
        FeatureValues::Numbers(numbers) => numbers,
        FeatureValues::Categories { .. } => panic!("{name} holds categories"),
    }
}

fn categories(read: &TrainingRows, name: &str) -> Vec<Option<String>> {
    match &read.rows.features.iter().find(|feature| feature.name == name).unwrap().values {
        FeatureValues::Numbers(_) => panic!("{name} holds numbers"),
        FeatureValues::Categories { levels, codes } => {
            codes.iter().map(|code| levels.get(*code as usize).cloned()).collect()
        }
    }
}

/// Six people, with one of everything missing.
fn people() -> RecordBatch {
    let text = |values: [Option<&str>; 6]| Arc::new(StringArray::from(values.to_vec())) as ArrayRef;
    let whole = |values: [Option<i64>; 6]| Arc::new(Int64Array::from(values.to_vec())) as ArrayRef;
    let real = |values: [Option<f64>; 6]| Arc::new(Float64Array::from(values.to_vec())) as ArrayRef;
    let truths = |values: [Option<bool>; 6]| Arc::new(BooleanArray::from(values.to_vec())) as ArrayRef;
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("x 10", whole([Some(1), Some(2), None, Some(4), Some(5), Some(-6)])),
        ("y_pred", whole([Some(1), Some(0), Some(1), None, Some(0), Some(1)])),
        ("proxy_b", text([Some("a"), Some("b"), Some("b"), Some("a"), None, Some("a")])),
        ("job", text([Some("cook"), Some("smith"), None, Some("cook"), Some("9"), Some("cook")])),
        ("proxy_a", text([Some("a"), None, Some("b"), Some("b"), Some("a"), Some("b")])),
        ("y_true", whole([Some(1), Some(1), None, Some(0), Some(0), Some(1)])),
        ("x 9", real([Some(0.25), Some(1e-3), Some(3.0), None, Some(-0.5), Some(1e6)])),
        ("member", truths([Some(true), None, Some(false), Some(true), Some(true), Some(false)])),
        ("weight", real([Some(1.0), Some(0.5), Some(2.0), Some(1.0), Some(1.0), Some(3.0)])),
        ("s", real([Some(0.9), Some(0.1), Some(0.8), Some(0.4), Some(-0.2), Some(1.5)])),
        ("t", text([Some("a"), Some("b"), None, Some("b"), Some("a"), Some("a")])),
        ("id", text([Some("p1"), Some("p2"), Some("p3"), Some("p4"), Some("p5"), Some("p6")])),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

fn parquet(batch: &RecordBatch, group: usize) -> Vec<u8> {
    let mut file = Vec::new();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(group)).build();
    let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    file
}

fn arrow(batch: &RecordBatch) -> Vec<u8> {
    let mut file = Vec::new();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(&mut file, &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    file
}

/// The fields of a batch as text, the columns in this order.
fn fields(batch: &RecordBatch, order: &[usize]) -> Vec<Vec<String>> {
    let texts: Vec<ArrayRef> = order
        .iter()
        .map(|column| arrow_cast::cast(batch.column(*column), &arrow_schema::DataType::Utf8).unwrap())
        .collect();
    let text = |row: usize| {
        let field = |array: &ArrayRef| {
            let array = array.as_any().downcast_ref::<StringArray>().unwrap();
            if arrow_array::Array::is_valid(array, row) { array.value(row).to_owned() } else { String::new() }
        };
        texts.iter().map(field).collect()
    };
    (0..batch.num_rows()).map(text).collect()
}

fn delimited(batch: &RecordBatch, order: &[usize], delimiter: &str) -> String {
    let schema = batch.schema();
    let names: Vec<&str> = order.iter().map(|column| schema.field(*column).name().as_str()).collect();
    let rows = fields(batch, order).into_iter().map(|row| row.join(delimiter) + "\n");
    names.join(delimiter) + "\n" + &rows.collect::<String>()
}

fn json(batch: &RecordBatch, order: &[usize]) -> String {
    let schema = batch.schema();
    let value = |text: &str| match text {
        "" => "null".to_owned(),
        _ if text.parse::<f64>().is_ok() || ["true", "false"].contains(&text) => text.to_owned(),
        _ => format!("{text:?}"),
    };
    let object = |row: Vec<String>| {
        let member =
            |(column, text): (&usize, &String)| format!("{:?}:{}", schema.field(*column).name(), value(text));
        let members: Vec<String> = order.iter().zip(&row).map(member).collect();
        format!("{{{}}}\n", members.join(","))
    };
    fields(batch, order).into_iter().map(object).collect()
}

fn asked() -> (Columns, TrainingColumns) {
    let columns = Columns { truth: Some("t".into()), ..Columns::default() };
    let wanted =
        TrainingColumns { score: Some("s".into()), drop: names(&["id"]), ..TrainingColumns::default() };
    (columns, wanted)
}

#[test]
fn every_format_and_order_of_columns_gives_the_same_rows() {
    let (columns, wanted) = asked();
    let batch = people();
    let order: Vec<usize> = (0..batch.num_columns()).collect();
    // Proxies keep the order that the table has them in; all else has an order of its own.
    let other: Vec<usize> = order[3..].iter().chain(&order[..2]).rev().chain(&[2]).copied().collect();
    let csv = delimited(&batch, &order, ",");
    let first = read(csv.as_bytes(), &columns, &wanted).unwrap();
    assert_eq!(first.rows.rows, 6);
    assert_eq!(first.rows.legend.classes, ["0", "1"]);
    assert_eq!(first.rows.legend.groups, ["a", "b"]);
    let class = |class: usize| Some(Class(class));
    assert_eq!(
        first.rows.predictions.as_deref().unwrap(),
        [class(1), class(0), class(1), None, class(0), class(1)]
    );
    assert_eq!(
        first.rows.labels.as_deref().unwrap(),
        [class(1), class(1), None, class(0), class(0), class(1)]
    );
    assert_eq!(
        first.rows.guesses[0],
        [Some(0), Some(1), Some(1), Some(0), None, Some(0)].map(|guess| guess.map(Guess))
    );
    assert_eq!(
        first.rows.truth.as_deref().unwrap(),
        [Some(0), Some(1), None, Some(1), Some(0), Some(0)].map(|group| group.map(Group))
    );
    assert_eq!(first.rows.weights.as_deref().unwrap(), [1.0, 0.5, 2.0, 1.0, 1.0, 3.0]);
    assert_eq!(first.rows.scores.as_deref().unwrap(), [0.9, 0.1, 0.8, 0.4, -0.2, 1.5]);
    let features: Vec<&str> = first.rows.features.iter().map(|feature| feature.name.as_str()).collect();
    assert_eq!(features, ["job", "member", "x 9", "x 10"]);
    let x = numbers(&first, "x 9");
    assert!(x[0] == 0.25 && x[1] == 1e-3 && x[3].is_nan() && x[5] == 1e6);
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(
        categories(&first, "job"),
        [some("cook"), some("smith"), None, some("cook"), some("9"), some("cook")]
    );
    assert_eq!(categories(&first, "member")[..3], [some("true"), None, some("false")]);
    let intake = &first.intake;
    assert_eq!((intake.rows, intake.without_prediction, intake.without_label), (5, 1, 1));
    // The squared weights of the five rows with a decision: 1 + 0.25 + 4 + 1 + 9.
    assert_eq!(intake.squared_weights, Some(15.25));

    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(csv.as_bytes()).unwrap();
    let turned: Vec<usize> = other.clone();
    let batch_of = |order: &[usize]| batch.project(order).unwrap();
    let in_order: [Vec<u8>; 8] = [
        gz.finish().unwrap(),
        zstd::encode_all(csv.as_bytes(), 1).unwrap(),
        delimited(&batch, &order, "\t").into_bytes(),
        json(&batch, &order).into_bytes(),
        format!("[{}]", json(&batch, &order).trim_end().replace('\n', ",\n")).into_bytes(),
        parquet(&batch, 1000),
        parquet(&batch, 2),
        arrow(&batch),
    ];
    for (format, table) in in_order.iter().enumerate() {
        let rows = read(table, &columns, &wanted).unwrap_or_else(|error| panic!("{format}: {error}"));
        assert_eq!(told(&rows), told(&first), "format {format}");
    }
    let columns = Columns { proxies: names(&["proxy_b", "proxy_a"]), ..columns };
    let first = read(csv.as_bytes(), &columns, &wanted).unwrap();
    for (format, table) in [
        delimited(&batch, &turned, ",").into_bytes(),
        json(&batch, &turned).into_bytes(),
        parquet(&batch_of(&turned), 4),
        arrow(&batch_of(&turned)),
    ]
    .iter()
    .enumerate()
    {
        let rows = read(table, &columns, &wanted).unwrap_or_else(|error| panic!("{format}: {error}"));
        assert_eq!(told(&rows), told(&first), "format {format}");
    }
}

/// Many rows: a number, a category and a label, drawn from the row's own number.
fn long(rows: usize) -> String {
    let mut text = String::from("y_true,proxy_a,proxy_b,score,x,kind\n");
    for row in 0..rows {
        let mixed = (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let (label, a, b) =
            (mixed & 1, ["u", "v"][(mixed >> 1 & 1) as usize], ["v", "u"][(mixed >> 2 & 1) as usize]);
        let kind = if row % 97 == 0 { String::new() } else { format!("k{}", mixed % 300) };
        text += &format!("{label},{a},{b},{},{},{kind}\n", row as f64 / 8.0, (mixed % 1000) as f64 / 1000.0);
    }
    text
}

#[test]
fn threads_and_several_files_change_nothing_and_rows_keep_their_order() {
    const ROWS: usize = 60_000;
    let text = long(ROWS);
    assert!(text.len() > 1 << 20, "several blocks, and more than one thread is used for");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.csv");
    std::fs::write(&path, &text).unwrap();
    let (columns, wanted) =
        (Columns::default(), TrainingColumns { score: Some("score".into()), ..TrainingColumns::default() });
    let with = |threads: usize| {
        let reading = Reading { threads: Some(threads), ..Reading::default() };
        read_training_rows(vec![Input::File(path.clone())], &columns, &wanted, &reading).unwrap()
    };
    let alone = with(1);
    assert_eq!(alone.rows.rows, ROWS);
    let in_order = |row: usize| row as f64 / 8.0;
    assert!(
        alone.rows.scores.as_deref().unwrap().iter().enumerate().all(|(row, score)| *score == in_order(row))
    );
    assert_eq!(told(&with(4)), told(&alone));
    let (head, rest) = text.split_once('\n').unwrap();
    let half = rest[..rest.len() / 2].rfind('\n').unwrap() + 1;
    let parts = [&rest[..half], &rest[half..]].map(|part| format!("{head}\n{part}"));
    let inputs = vec![bytes("one", parts[0].as_bytes()), bytes("two", parts[1].as_bytes())];
    let both = read_training_rows(inputs, &columns, &wanted, &Reading::default()).unwrap();
    assert_eq!(told(&both), told(&alone));
    let first = parts[0].lines().count() - 1;
    assert_eq!(both.place(first - 1, None).to_string(), format!("one, line {}", first + 1));
    assert_eq!(both.place(first, Some("x")).to_string(), "two, line 2, column `x`");
}

#[test]
fn labels_alone_will_do_and_so_will_decisions() {
    let (columns, wanted) = (Columns::default(), TrainingColumns::default());
    let labels = "y_true,proxy_a,proxy_b,x\n1,a,b,1\n0,b,b,2\n,a,a,3\n";
    let rows = read(labels.as_bytes(), &columns, &wanted).unwrap();
    assert!(rows.rows.predictions.is_none());
    assert_eq!(rows.rows.labels.unwrap(), [Some(Class(1)), Some(Class(0)), None]);
    assert_eq!(
        (rows.rows.legend.prediction.as_str(), rows.rows.legend.label.as_deref()),
        ("decision", Some("y_true"))
    );
    assert_eq!((rows.intake.rows, rows.intake.without_label), (3, 1));
    let decisions = labels.replace("y_true", "y_pred");
    let rows = read(decisions.as_bytes(), &columns, &wanted).unwrap();
    assert!(rows.rows.labels.is_none() && rows.rows.predictions.is_some());
    let message = refused(&labels.replace("y_true", "z"), &columns, &wanted);
    assert!(message.contains("to use as the model's decisions or the labels"), "{message}");
    assert!(message.contains("y_pred or y_true"), "{message}");
}

#[test]
fn features_are_those_named_or_all_that_have_no_other_role() {
    let table = "y_true,proxy_a,proxy_b,weight,s,t,k,x1,x2,x10,id\n\
                 1,a,b,1,0.5,a,b,1,1.0,01,7\n0,b,a,1,0.5,b,,2, 1,1,8\n";
    let read = |features: &[&str], drop: &[&str], categorical: &[&str]| {
        let columns = Columns {
            truth: Some("t".into()),
            audit_labels: Some("k".into()),
            features: names(features),
            ..Columns::default()
        };
        let wanted = TrainingColumns {
            score: Some("s".into()),
            drop: names(drop),
            categorical: names(categorical),
            ..TrainingColumns::default()
        };
        read(table.as_bytes(), &columns, &wanted)
    };
    let found = |features: &[&str], drop: &[&str]| -> Vec<String> {
        read(features, drop, &[]).unwrap().rows.features.into_iter().map(|feature| feature.name).collect()
    };
    assert_eq!(found(&[], &[]), ["id", "x1", "x2", "x10"]);
    assert_eq!(found(&[], &["id", "x1"]), ["x2", "x10"], "a name is a name before it is the start of some");
    assert_eq!(found(&["x"], &["x2"]), ["x1", "x10"]);
    assert_eq!(found(&["x10", "id"], &[]), ["id", "x10"]);
    let forced = read(&["x2", "x10"], &[], &["x"]).unwrap();
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(categories(&forced, "x2"), [some("1"), some("1")], "1.0 and 1 are one category");
    assert_eq!(categories(&forced, "x10"), [some("01"), some("1")]);
    for (features, drop, categorical, needle) in [
        (&["proxy_a"][..], &[][..], &[][..], "as a proxy's guess and as a feature"),
        (&["y_true"], &[], &[], "as the labels and as a feature"),
        (&["t"], &[], &[], "as the true groups and as a feature"),
        (&["s"], &[], &[], "as the score and as a feature"),
        (&["k"], &[], &[], "as the groups of the audit sample and as a feature"),
        (&["z9"], &[], &[], "no such column"),
        (&[], &["idd"], &[], "did you mean `id`?"),
        (&[], &[], &["weight"], "column `weight`: no feature has this name"),
    ] {
        let message = read(features, drop, categorical).unwrap_err();
        assert!(message.contains(needle), "{message}");
    }
}

#[test]
fn a_value_that_contradicts_the_first_rows_is_told_with_its_place() {
    let mut table = String::from("y_true,proxy_a,proxy_b,x\n");
    for row in 0..12_000 {
        table += &format!("{},{},{},{row}\n", row % 2, ["a", "b"][row % 2], ["a", "b"][row / 2 % 2]);
    }
    let late = table.clone() + "1,a,b,many\n";
    let (columns, wanted) = (Columns::default(), TrainingColumns::default());
    let message = refused(&late, &columns, &wanted);
    assert!(
        message.starts_with(
            "people, line 12002, column `x`: the feature is a text, and the first rows hold numbers"
        ),
        "{message}"
    );
    assert!(message.contains("with categorical"), "{message}");
    // Left out where that was asked for, and counted.
    let rows = lenient(&late, &wanted).unwrap();
    assert_eq!(rows.rows.rows, 12_000);
    assert_eq!(rows.intake.skipped[0].rows, 1);
    assert_eq!(rows.intake.skipped[0].reason, "the features");
    // As a category it has as many values as rows, which is for the rule to judge; past a hundred thousand it is none.
    let coded = TrainingColumns { categorical: names(&["x"]), ..wanted.clone() };
    let mut endless = String::from("y_true,proxy_a,proxy_b,x\n");
    for row in 0..100_002 {
        endless += &format!("{},{},{},{row}\n", row % 2, ["a", "b"][row % 2], ["a", "b"][row / 2 % 2]);
    }
    let message = refused(&endless, &columns, &coded);
    assert!(message.contains("line 100002, column `x`: more than 100000 distinct values"), "{message}");
    assert!(message.contains("with drop"), "{message}");
    // A number that is none is told too, however early it comes.
    let kinds = [("inf", "infinite"), ("1e39", "a number that is too large"), ("-inf", "infinite")];
    for (value, kind) in kinds {
        let message = refused(&table.replacen(",7\n", &format!(",{value}\n"), 1), &columns, &wanted);
        assert!(message.contains(&format!("line 9, column `x`: the feature is {kind}")), "{message}");
        // A value of a feature may be one person's.
        assert!(!message.contains(&format!("`{value}`")), "{message}");
    }
    // A broken row that would shift text into a number is not what the first rows hold.
    let broken = table.replacen("\n1,", "\n1,a,b,u,v\n1,", 1);
    let rows = lenient(&broken, &wanted).unwrap();
    assert_eq!((rows.rows.rows, numbers(&rows, "x").len()), (12_000, 12_000));
}

#[test]
fn what_is_said_to_mean_nothing_is_missing_everywhere() {
    let table = "y_true,proxy_a,proxy_b,x,c,s\n1,a,b,-999,NA,-999\n0,b,NA,2,u,0.5\nNA,a,a,NA,v,1\n";
    let columns = Columns { missing: names(&["NA", "-999"]), ..Columns::default() };
    let wanted = TrainingColumns { score: Some("s".into()), ..TrainingColumns::default() };
    let message = refused(table, &columns, &wanted);
    assert!(message.contains("line 2, column `s`: the score is `-999`"), "{message}");
    let reading = Reading { lenient: true, ..Reading::default() };
    let rows = read_training_rows(vec![bytes("p", table.as_bytes())], &columns, &wanted, &reading).unwrap();
    let x = numbers(&rows, "x");
    assert!(x[0].is_nan() && x[1] == 2.0 && x[2].is_nan());
    assert_eq!(categories(&rows, "c"), [None, Some("u".to_owned()), Some("v".to_owned())]);
    assert!(rows.rows.scores.as_ref().unwrap()[0].is_nan() && rows.rows.scores.unwrap()[1] == 0.5);
    assert_eq!(rows.rows.labels.unwrap()[2], None);
    assert_eq!(rows.rows.guesses[1][1], None);
}

#[test]
fn rows_that_no_rule_can_be_learned_from_are_refused() {
    let (columns, wanted) = (Columns::default(), TrainingColumns::default());
    let scored = TrainingColumns { score: Some("x".into()), ..TrainingColumns::default() };
    let head = "y_true,proxy_a,proxy_b,x\n";
    for (table, wanted, needle) in [
        (format!("{head}1,a,b,1\n2,b,a,1\n3,a,a,1\n"), &wanted, "there are 3 classes: `1`, `2`, `3`"),
        (format!("{head}1,a,b,1\n1,b,a,1\n"), &wanted, "fewer than two classes"),
        (format!("{head},a,b,1\n,b,a,1\n"), &wanted, "no row has a label"),
        (format!("{head}1,a,b,\n0,b,a,1\n"), &scored, "line 2, column `x`: the score is missing"),
        (format!("{head}1,a,b,u\n0,b,a,1\n"), &scored, "line 2, column `x`: the score is `u`"),
        (format!("{head}1,a,b,inf\n0,b,a,1\n"), &scored, "line 2, column `x`: the score is `inf`"),
        (format!("{head}1,a,b\n"), &wanted, "line 2: the row has 3 fields"),
        (head.to_owned(), &wanted, "there is a header and no row"),
        (String::new(), &wanted, "the file is empty"),
        ("y_true,x\n1,1\n0,2\n".into(), &wanted, "to use as a proxy's guess"),
        ("y_true,proxy_a,proxy_b\n1,a,b\n0,b,a\n".into(), &wanted, "no column is left for a feature"),
        (",y_true,proxy_a,proxy_b\n0,1,a,b\n1,0,b,a\n".into(), &wanted, "a column has no name"),
        ("y_true,proxy_a,proxy_b,x,x\n1,a,b,1,1\n".into(), &wanted, "this name more than once"),
        ("y_true,proxy_a,proxy_b,x,count\n1,a,b,1,9\n".into(), &wanted, "say count = none"),
        (
            "{\"y_true\":1,\"proxy_a\":\"a\",\"proxy_b\":\"b\",\"x\":[1]}\n".into(),
            &wanted,
            "is a list or an object",
        ),
        (
            "y_pred,y_true,proxy_a,proxy_b,x\n1,1,a,b,1\n0,0,b,a,1\n,7,a,b,1\n".into(),
            &wanted,
            "line 4, column `y_true`: the class is `7`",
        ),
        (
            "y_pred,y_true,proxy_a,proxy_b,x\n1,1,a,b,1\n0,0,b,a,1\n,1,z,b,1\n".into(),
            &wanted,
            "line 4, column `proxy_a`: the value here is not one of the groups",
        ),
    ] {
        let message = refused(&table, &columns, wanted);
        assert!(message.contains(needle), "{message}\n{table}");
    }
    // Bytes of any kind are read or refused.
    for table in [&b"\xff\xfe\x00"[..], b"{\"a\":", b"PAR1", b"ARROW1", b"y_true,x\n\xff,1\n", b"\n\n\n"] {
        assert!(read(table, &columns, &wanted).is_err());
    }
    let counted = Columns { count: Count::Never, ..Columns::default() };
    let table = "y_true,proxy_a,proxy_b,count\n1,a,b,9\n0,b,a,8\n";
    assert_eq!(numbers(&read(table.as_bytes(), &counted, &wanted).unwrap(), "count"), [9.0, 8.0]);
    let tally = Columns { count: Count::Column("count".into()), ..Columns::default() };
    assert!(refused(table, &tally, &wanted).contains("this is a tally"));
    let alone = TrainingColumns { proxies_optional: true, ..TrainingColumns::default() };
    let rows = read(b"y_true,x\n1,1\n0,2\n", &columns, &alone).unwrap();
    assert!(rows.rows.guesses.is_empty() && rows.rows.legend.groups.is_empty());
}

#[test]
fn lists_are_no_features() {
    let lists = ListArray::from_iter_primitive::<arrow_array::types::Float32Type, _, _>(
        (0..6).map(|row| Some(vec![Some(row as f32), None])),
    );
    let mut columns: Vec<(String, ArrayRef)> = Vec::new();
    for (field, column) in people().schema().fields().iter().zip(people().columns()) {
        columns.push((field.name().clone(), Arc::clone(column)));
    }
    columns.push(("embedding".into(), Arc::new(lists)));
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap();
    let (columns, wanted) = asked();
    for table in [parquet(&batch, 100), arrow(&batch)] {
        let message = read(&table, &columns, &wanted).unwrap_err();
        assert!(message.contains("column `embedding`: the column has the type List"), "{message}");
        let wanted = TrainingColumns { drop: names(&["id", "embedding"]), ..wanted.clone() };
        assert!(read(&table, &columns, &wanted).is_ok());
    }
}

#[test]
fn a_key_that_comes_late_is_not_left_out_of_the_rule() {
    let mut table = String::new();
    for row in 0..20_000 {
        table += &format!(
            "{{\"y_true\":{},\"proxy_a\":\"{}\",\"proxy_b\":\"{}\",\"x\":{row}}}\n",
            row % 2,
            ["a", "b"][row % 2],
            ["a", "b"][row / 2 % 2]
        );
    }
    table += "{\"y_true\":1,\"proxy_a\":\"a\",\"proxy_b\":\"b\",\"x\":1,\"late\":3}\n";
    let message = refused(&table, &Columns::default(), &TrainingColumns::default());
    assert!(message.contains("column `late`: none of the first objects has this key"), "{message}");
    let named = Columns { features: names(&["x"]), ..Columns::default() };
    assert!(read(table.as_bytes(), &named, &TrainingColumns::default()).is_ok());
}

/// A table of fields that are mostly right, and sometimes odd.
fn odd_table() -> impl Strategy<Value = String> {
    let class = prop_oneof![8 => "[01]", 1 => Just(String::new()), 1 => Just("1.0".to_owned()), 1 => Just("2".to_owned())];
    let group = prop_oneof![8 => "[ab]", 1 => Just(String::new()), 1 => Just(" a".to_owned()), 1 => Just("c".to_owned())];
    let weight = prop_oneof![6 => "[0-3]", 1 => Just("-1".to_owned()), 1 => Just("0.5".to_owned())];
    let value = prop_oneof![6 => "-?[0-9]{1,3}", 1 => Just(String::new()), 1 => "[a-z\"\n,]{1,4}", 1 => Just("1e400".to_owned())];
    let row = (class.clone(), class, group.clone(), group, weight, value.clone(), value);
    let rows = prop::collection::vec(row, 0..40);
    rows.prop_map(|rows| {
        let line = |(a, b, c, d, e, f, g)| [a, b, c, d, e, f, g].join(",") + "\n";
        "y_pred,y_true,proxy_a,proxy_b,weight,x,kind\n".to_owned()
            + &rows.into_iter().map(line).collect::<String>()
    })
}

proptest! {
    #[test]
    fn any_table_is_read_or_refused_and_named_as_an_audit_names_it(table in odd_table(), lenient: bool) {
        let columns = Columns { positive: Some("1".into()), ..Columns::default() };
        let read = |threads| {
            let reading = Reading { threads: Some(threads), lenient, ..Reading::default() };
            let wanted = TrainingColumns::default();
            read_training_rows(vec![bytes("p", table.as_bytes())], &columns, &wanted, &reading)
        };
        let reading = Reading { lenient, ..Reading::default() };
        let audited = read_table(vec![bytes("p", table.as_bytes())], &columns, &reading);
        match (read(1), read(3)) {
            (Ok(alone), Ok(three)) => {
                prop_assert_eq!(told(&alone), told(&three));
                prop_assert!(alone.rows.guesses.iter().all(|guesses| guesses.len() == alone.rows.rows));
                // Rows left out for their features are among those of an audit. Of the same rows an audit finds the same.
                if alone.intake.skipped.iter().all(|skipped| skipped.reason != "the features") {
                    let audited = audited.unwrap();
                    let (mine, theirs) = (&alone.intake, audited.counts.intake());
                    prop_assert_eq!(&alone.rows.legend, audited.counts.legend());
                    prop_assert_eq!((mine.rows, mine.without_label), (theirs.rows, theirs.without_label));
                    prop_assert_eq!(mine.squared_weights, theirs.squared_weights);
                    prop_assert_eq!(&mine.spellings, &theirs.spellings);
                    prop_assert_eq!(&mine.skipped, &theirs.skipped);
                }
            }
            (Err(alone), Err(three)) => prop_assert_eq!(alone.to_string(), three.to_string()),
            (alone, three) => prop_assert!(false, "{:?}\n{:?}", alone.is_ok(), three.is_ok()),
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(file in prop::collection::vec(any::<u8>(), 0..200), json: bool) {
        let start: &[u8] = if json { b"{\"y_true\":1,\"x\":" } else { b"y_true,proxy_a,proxy_b,x\n1,a,b,2\n0,b,a,1\n" };
        for table in [file.clone(), [start, &file].concat()] {
            let _ = read(&table, &Columns::default(), &TrainingColumns::default());
        }
    }
}
