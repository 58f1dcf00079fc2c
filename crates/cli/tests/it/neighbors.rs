//! Guesses borrowed from neighbours: the same whatever the features are written in, and refused where they make no sense.

use crate::tables::{Arrays, Column, Dice, Place, Table, arguments, says};
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{ArrayRef, FixedSizeListArray, LargeListArray, ListArray, RecordBatch};
use parquet::basic::Compression;
use serde_json::Value;
use std::sync::Arc;

/// Features `e0`, `e1` … that lie around one place for each group, and a proxy that is wrong for one in five.
fn people(rows: usize, dimensions: usize, proxies: usize) -> Table {
    let dice = &mut Dice(5);
    let truth: Vec<bool> = (0..rows).map(|_| dice.chance(40)).collect();
    let text = |values: Vec<String>| Column::Text(values.into_iter().map(Some).collect());
    let group = |is: bool| if is { "x" } else { "y" }.to_owned();
    let mut columns = vec![(
        "y_pred".to_owned(),
        text(truth.iter().map(|is| u8::from(dice.chance(if *is { 60 } else { 30 })).to_string()).collect()),
    )];
    for c in 0..proxies {
        let guesses = truth.iter().map(|is| group(*is != dice.chance(20))).collect();
        columns.push((format!("proxy_{}", ["a", "b", "c"][c]), text(guesses)));
    }
    columns.push(("truth".into(), text(truth.iter().map(|is| group(*is)).collect())));
    columns.push(("region".into(), text((0..rows).map(|row| ["n", "s"][row % 2].to_owned()).collect())));
    for place in 0..dimensions {
        let centre = |is: bool| if is == (place % 2 == 0) { 0.5 } else { 0.0 };
        let value = |is: &bool| Some((1000.0 * (dice.unit() + centre(*is) + 0.01)).round() / 1000.0);
        columns.push((format!("e{place}"), Column::Number(truth.iter().map(value).collect())));
    }
    Table { columns, flags: Vec::new() }
}

fn numbers<'t>(table: &'t Table, name: &str) -> &'t [Option<f64>] {
    match table.columns.iter().find(|(column, _)| column == name) {
        Some((_, Column::Number(values))) => values,
        _ => panic!("no numbers in {name}"),
    }
}

/// The features of each row.
fn features(table: &Table, dimensions: usize) -> Vec<Vec<f64>> {
    let columns: Vec<&[Option<f64>]> =
        (0..dimensions).map(|place| numbers(table, &format!("e{place}"))).collect();
    (0..table.rows()).map(|row| columns.iter().map(|column| column[row].unwrap()).collect()).collect()
}

fn without_features(table: &Table) -> Table {
    let kept = table.columns.iter().filter(|(name, _)| !name.starts_with('e'));
    Table { columns: kept.cloned().collect(), flags: Vec::new() }
}

/// The table with one more column.
fn with_array(table: &Table, name: &str, array: ArrayRef) -> RecordBatch {
    let batch = table.batch(Arrays::Strings);
    let names: Vec<String> = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
    let columns = names.into_iter().zip(batch.columns().to_vec());
    RecordBatch::try_from_iter_with_nullable(
        columns
            .chain([(name.to_owned(), array)])
            .map(|(name, array)| (name, array, true))
            .collect::<Vec<_>>(),
    )
    .unwrap()
}

fn singles(row: &[f64]) -> Option<Vec<Option<f32>>> {
    Some(row.iter().map(|value| Some(*value as f32)).collect())
}

fn doubles(row: &[f64]) -> Option<Vec<Option<f64>>> {
    Some(row.iter().map(|value| Some(*value)).collect())
}

/// A `.npy` file, as NumPy writes it.
fn npy(kind: &str, shape: &str, version: u8, numbers: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    let mut bytes = [b"\x93NUMPY".as_slice(), &[version, 0]].concat();
    let before = if version == 1 { 10 } else { 12 };
    let length = (before + header.len() + 1).next_multiple_of(64) - before;
    match version {
        1 => bytes.extend((length as u16).to_le_bytes()),
        _ => bytes.extend((length as u32).to_le_bytes()),
    }
    bytes.extend(header.as_bytes());
    bytes.resize(before + length - 1, b' ');
    bytes.push(b'\n');
    numbers.for_each(|number| bytes.extend(number));
    bytes
}

fn npy_of(rows: &[Vec<f64>], kind: &str, version: u8) -> Vec<u8> {
    let shape = format!("({}, {})", rows.len(), rows.first().map_or(0, Vec::len));
    let bytes = |number: &f64| match kind {
        "<f4" => (*number as f32).to_le_bytes().to_vec(),
        _ => number.to_le_bytes().to_vec(),
    };
    npy(kind, &shape, version, rows.iter().flatten().map(bytes))
}

fn flags(words: &[&str]) -> Vec<String> {
    let draws = ["--n-boot", "100"];
    words.iter().chain(&draws).map(|word| (*word).to_owned()).collect()
}

fn results(json: &str) -> Value {
    let json: Value = serde_json::from_str(json).unwrap();
    json["results"].clone()
}

/// The values of the results that were inferred, by what they are.
fn calibrated(json: &str) -> Vec<(String, Value)> {
    let results = results(json);
    let inferred = results.as_array().unwrap().iter().filter(|result| result["basis"] == "calibrated");
    let what = |result: &Value| {
        ["criterion", "aggregate", "estimator", "scope"].map(|key| result[key].to_string()).join(" ")
    };
    inferred.map(|result| (what(result), result["value"].clone())).collect()
}

/// An audit without what it calls the features.
fn nameless(audit: &str) -> String {
    let (before, after) = audit.split_once("Distance: cosine over ").expect("finding P12");
    let (_, after) = after.split_once(" (11 numbers)").expect("the number of features");
    format!("{before}{after}")
}

#[test]
fn the_answer_is_the_same_from_columns_lists_and_arrays() {
    let (place, dimensions) = (Place::new(), 11);
    let table = people(300, dimensions, 1);
    let (rows, bare) = (features(&table, dimensions), without_features(&table));
    place.file("plain.csv", table.csv(b',', "\n", false));
    let expected = nameless(&place.audit(&["plain.csv"], &flags(&["--features", "e"])));
    assert!(expected.contains("proxy_a (neighbor 2)"));
    for (name, bytes) in [
        ("quoted.csv", table.csv(b',', "\n", true)),
        ("lines.jsonl", table.json_lines(true, false)),
        ("typed.parquet", table.parquet(Arrays::Typed, 70)),
        ("strings.parquet", table.parquet(Arrays::Strings, 70)),
        ("typed.arrow", table.arrow_file(Arrays::Typed, 70)),
    ] {
        place.file(name, bytes);
        assert!(nameless(&place.audit(&[name], &flags(&["--features", "e"]))) == expected, "{name}");
    }
    let list = ListArray::from_iter_primitive::<Float32Type, _, _>(rows.iter().map(|row| singles(row)));
    let large = LargeListArray::from_iter_primitive::<Float64Type, _, _>(rows.iter().map(|row| doubles(row)));
    let fixed = FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(
        rows.iter().map(|row| singles(row)),
        dimensions as i32,
    );
    for (name, array) in
        [("list", Arc::new(list) as ArrayRef), ("large", Arc::new(large)), ("fixed", Arc::new(fixed))]
    {
        let batch = with_array(&bare, "embedding", array);
        place.file(
            "rows.parquet",
            crate::tables::parquet(std::slice::from_ref(&batch), Compression::SNAPPY, 70),
        );
        let mut out = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        // Pieces begin in the middle of what is behind a list.
        (0..300).step_by(70).for_each(|row| out.write(&batch.slice(row, 70.min(300 - row))).unwrap());
        place.file("rows.arrows", out.into_inner().unwrap());
        for file in ["rows.parquet", "rows.arrows"] {
            let found = place.audit(&[file], &flags(&["--features", "embedding"]));
            assert!(nameless(&found) == expected, "{name} {file}");
        }
    }
    place.file("bare.csv", bare.csv(b',', "\n", false));
    for (kind, version) in [("<f4", 1), ("<f8", 1), ("<f4", 2), ("<f8", 3)] {
        place.file("e.npy", npy_of(&rows, kind, version));
        let found = place.audit(&["bare.csv"], &flags(&["--features", "e.npy"]));
        assert!(nameless(&found) == expected, "{kind} {version}");
    }
    // In parts, whose rows follow each other.
    place.file("part0.csv", table.pick(&(0..100).collect::<Vec<_>>()).csv(b',', "\n", false));
    let rest = table.pick(&(100..300).collect::<Vec<_>>());
    place.file("part1.jsonl", rest.shuffled_columns(&mut Dice(3)).json_lines(true, false));
    let parts = place.audit(&["part0.csv", "part1.jsonl"], &flags(&["--features", "e"]));
    assert!(nameless(&parts) == expected);
    // The features matter.
    assert!(place.audit(&["plain.csv"], &flags(&["--features", "e0,e1"])) != expected);
}

#[test]
fn neither_threads_nor_the_order_of_columns_change_a_digit() {
    let (place, dimensions) = (Place::new(), 24);
    let table = people(8_000, dimensions, 2);
    let bytes = table.csv(b',', "\n", false);
    assert!(bytes.len() > 1 << 20, "smaller tables are read by one thread");
    place.file("plain.csv", bytes);
    let audit = |file: &str, features: &str, more: &[&str]| {
        let proxies = ["--proxy", "proxy_a", "--proxy", "proxy_b"];
        let near = ["--features", features, "--metric", "euclidean"];
        place.audit(&[file], &flags(&[&proxies[..], &near, more].concat()))
    };
    let expected = audit("plain.csv", "e", &["--threads", "1"]);
    for threads in ["2", "4"] {
        assert!(audit("plain.csv", "e", &["--threads", threads]) == expected, "{threads} threads");
    }
    let sampled = audit("plain.csv", "e", &["--triple-seed", "3", "--threads", "1"]);
    assert!(audit("plain.csv", "e", &["--triple-seed", "3", "--threads", "4"]) == sampled);
    let mut names: Vec<String> = (0..dimensions).map(|place| format!("e{place}")).collect();
    Dice(9).shuffle(&mut names);
    assert!(audit("plain.csv", &names.join(","), &[]) == expected, "names in another order");
    place.file("shuffled.csv", table.shuffled_columns(&mut Dice(4)).csv(b',', "\n", false));
    assert!(audit("shuffled.csv", "e", &[]) == expected, "columns in another order");
}

#[test]
fn neighbors_lend_what_a_person_would_find_by_hand() {
    let place = Place::new();
    // Places on a line: 0, 1, 3, 3, 10; the last but one has no prediction, the last but two no guess.
    let lines = ["1,x,0", "0,y,1", "1,,3", ",y,3", "0,x,10"];
    place.file("line.csv", format!("y_pred,proxy_a,at\n{}\n", lines.join("\n")));
    let run = |output: &str| {
        let words = ["--features", "at", "--metric", "euclidean", "-o", output].map(String::from);
        let seen = place.run(&arguments("neighbors", &["line.csv"], &words), None);
        assert_eq!(seen.code, 0, "{}", seen.stderr);
        seen
    };
    let seen = run("out.csv");
    assert_eq!(seen.stdout, "");
    let expected = "y_pred,proxy_a,at,proxy_a_neighbor_1,proxy_a_neighbor_2\n\
                    1,x,0,y,\n0,y,1,x,\n1,,3,y,x\n,y,3,,\n0,x,10,,y\n";
    assert_eq!(place.text("out.csv"), expected);
    says(
        &seen.stderr,
        &["4 rows x 1 features", "euclidean", "exact", "5 rows written", "1 rows have no prediction"],
    );
    // Of x, y and x both neighbours are known to guess: 0 and 1, 1 and 0; the third abstains; 10 and 1 by its second.
    says(&seen.stderr, &["a row and its nearest neighbour differ on 100.0 %"]);
    run("out.jsonl");
    says(&place.text("out.jsonl"), &[r#""proxy_a_neighbor_1":"y""#]);
    run("out.parquet");
    assert!(place.read("out.parquet").starts_with(b"PAR1"));
}

#[test]
fn a_file_with_borrowed_guesses_gives_the_numbers_of_an_audit_that_borrows() {
    let place = Place::new();
    for proxies in [1, 2] {
        let table = people(700, 6, proxies);
        place.file("plain.csv", table.csv(b',', "\n", false));
        place.file("typed.parquet", table.parquet(Arrays::Typed, 100));
        let expected = calibrated(&place.audit(&["plain.csv"], &flags(&["--features", "e"])));
        assert!(expected.iter().any(|(_, value)| value.is_number()));
        for (input, output) in [("plain.csv", "out.csv"), ("typed.parquet", "out.parquet")] {
            let words = ["--features", "e", "-o", output, "--quiet"].map(String::from);
            let seen = place.run(&arguments("neighbors", &[input], &words), None);
            assert_eq!((seen.code, seen.stdout, seen.stderr), (0, String::new(), String::new()));
            assert_eq!(calibrated(&place.audit(&[output], &flags(&[]))), expected, "{output} {proxies}");
        }
    }
}

#[test]
fn three_random_guesses_of_each_row_are_the_same_for_the_same_seed() {
    let place = Place::new();
    place.file("plain.csv", people(400, 6, 2).csv(b',', "\n", false));
    let audit = |seed: &str| place.audit(&["plain.csv"], &flags(&["--features", "e", "--triple-seed", seed]));
    let first = audit("1");
    says(&first, &["borrowed 1", "borrowed 2", "borrowed 3"]);
    assert!(!first.contains("proxy_a (neighbor"));
    assert!(audit("1") == first);
    assert!(audit("2") != first);
}

#[test]
fn probabilities_lend_the_most_likely_group_and_stay_the_rows_own_in_soft_numbers() {
    let place = Place::new();
    let mut table = people(400, 6, 1);
    let dice = &mut Dice(8);
    let sure: Vec<Option<f64>> = (0..400).map(|_| Some((dice.unit() * 64.0).round() / 64.0)).collect();
    table.columns.push(("p_y".into(), Column::Number(sure.iter().map(|p| p.map(|p| 1.0 - p)).collect())));
    table.columns.push(("p_x".into(), Column::Number(sure)));
    place.file("plain.csv", table.csv(b',', "\n", false));
    let columns = ["--proxy-probs", "p_"];
    let soft = |json: &str| {
        let results = results(json);
        let own = |result: &&Value| result["basis"] == "soft" && result["estimator"].is_null();
        let soft = results.as_array().unwrap().iter().filter(own);
        soft.filter_map(|result| result["value"].as_f64()).collect::<Vec<f64>>()
    };
    let alone = place.audit(&["plain.csv"], &flags(&columns));
    let borrowed = place.audit(&["plain.csv"], &flags(&[&columns[..], &["--features", "e"]].concat()));
    let (alone, with) = (soft(&alone), soft(&borrowed));
    assert!(!alone.is_empty() && alone.len() == with.len());
    // There are more cells, and their sums are added in another order.
    assert!(alone.iter().zip(&with).all(|(a, b)| (a - b).abs() < 1e-12), "{alone:?} {with:?}");
    says(&borrowed, &["p (neighbor 1)", "p (neighbor 2)"]);
}

/// Six features, two of which are larger for one group; a proxy that is a noisy sum of these two, or of the group with noise of its own.
fn read_off(noise: f64, by_group: bool) -> Table {
    let dice = &mut Dice(17);
    let bell = |dice: &mut Dice| (0..12).map(|_| dice.unit()).sum::<f64>() - 6.0;
    let mut columns: [Vec<String>; 8] = Default::default();
    for _ in 0..4000 {
        let group = dice.chance(50);
        let apart = if by_group { 6.0 } else { 1.0 };
        let size = |place: usize| if group { [apart, 0.6 * apart, 0.0, 0.0, 0.0, 0.0][place] } else { 0.0 };
        let features: Vec<f64> = (0..6).map(|place| size(place) + bell(dice)).collect();
        let sum = features[0] + 0.6 * features[1] - 0.68 + noise * bell(dice);
        let guess = if by_group { group != dice.chance(25) } else { sum > 0.0 };
        columns[0].push(u8::from(dice.chance(if group { 60 } else { 30 })).to_string());
        columns[1].push(if guess { "x" } else { "y" }.into());
        features.iter().zip(&mut columns[2..]).for_each(|(value, column)| column.push(format!("{value:.4}")));
    }
    let names = ["y_pred", "proxy_a", "e0", "e1", "e2", "e3", "e4", "e5"].map(String::from);
    let text = |values: Vec<String>| Column::Text(values.into_iter().map(Some).collect());
    Table { columns: names.into_iter().zip(columns.map(text)).collect(), flags: Vec::new() }
}

#[test]
fn no_number_stands_on_top_where_a_proxy_is_a_noisy_function_of_the_features() {
    let place = Place::new();
    let audit = |table: Table| -> Value {
        place.file("faces.csv", table.csv(b',', "\n", false));
        let words = flags(&["--features", "e", "--metric", "euclidean"]);
        serde_json::from_str(&place.audit(&["faces.csv"], &words)).unwrap()
    };
    let shaded = |audit: &Value| {
        let findings = audit["findings"].as_array().unwrap();
        findings
            .iter()
            .any(|f| f["code"] == "P13" && f["severity"] == "serious" && f["evidence"]["sign"] == "shades")
    };
    for noise in [0.6, 1.0, 1.5] {
        let found = audit(read_off(noise, false));
        assert!(shaded(&found), "noise {noise}: {}", found["findings"]);
        assert!(found["answers"][0]["value"].is_null(), "noise {noise}: {}", found["answers"][0]);
    }
    let found = audit(read_off(0.0, true));
    assert!(!shaded(&found), "errors of its own: {}", found["findings"]);
    assert!(
        (found["answers"][0]["value"].as_f64().unwrap().abs() - 0.3).abs() < 0.1,
        "{}",
        found["answers"][0]
    );
}

#[test]
fn features_that_make_no_sense_are_refused_with_their_row() {
    let place = Place::new();
    let header = "y_pred,proxy_a,e0,e1";
    let good: Vec<String> =
        (0..9).map(|row| format!("{},{},{row}.5,{}", row % 2, ["x", "y"][row / 4 % 2], row * row)).collect();
    let write = |name: &str, lines: &[String]| place.file(name, format!("{header}\n{}\n", lines.join("\n")));
    let refused = |name: &str, more: &[&str], parts: &[&str]| {
        let said = place.refused("audit", &[name], &[&["--features", "e"], more].concat());
        says(&said, parts);
        let words = [&["--features", "e", "-o", "out.csv"], more].concat();
        says(&place.refused("neighbors", &[name], &words), parts);
    };
    for (field, found) in [
        ("", "the feature is missing"),
        ("NaN", "the feature is NaN"),
        ("inf", "the feature is infinite"),
        ("tall", "the feature is a text"),
        ("1e39", "the feature is a number that is too large"),
    ] {
        let mut lines = good.clone();
        lines[4] = format!("1,x,{field},2");
        write("bad.csv", &lines);
        refused("bad.csv", &[], &["bad.csv, line 6, column `e0`", found]);
    }
    let mut lines = good.clone();
    lines[6] = "1,x,-9,2".into();
    write("missing.csv", &lines);
    refused(
        "missing.csv",
        &["--missing", "-9"],
        &["missing.csv, line 8, column `e0`", "a value that means nothing"],
    );
    lines[6] = "1,x,0,0".into();
    write("zero.csv", &lines);
    refused("zero.csv", &[], &["zero.csv, line 8", "no direction", "--metric euclidean"]);
    place.audit(&["zero.csv"], &flags(&["--features", "e", "--metric", "euclidean"]));
    let same: Vec<String> =
        (0..9).map(|row| format!("{},{},1,2", row % 2, ["x", "y"][row / 4 % 2])).collect();
    write("same.csv", &same);
    refused("same.csv", &[], &["all rows have the same features"]);
    // One row makes no classes to compare; with enough classes and groups, two rows have no two neighbours each.
    write("two.csv", &[good[3].clone(), good[4].clone()]);
    refused("two.csv", &[], &["two.csv: 2 rows have a prediction", "at least three"]);
    write("one.csv", &good[..1]);
    refused("one.csv", &[], &["one.csv", "fewer than two classes"]);
    // Left out where that is asked for, and told.
    write("bad.csv", &[&good[..], &["1,x,,1".into()]].concat());
    let lenient = place.audit(&["bad.csv"], &flags(&["--features", "e", "--lenient"]));
    write("fine.csv", &good);
    let fine = place.audit(&["fine.csv"], &flags(&["--features", "e"]));
    assert_eq!(results(&lenient), results(&fine));
    says(&lenient, &["the features", "bad.csv, line 11", "the feature is missing"]);
}

#[test]
fn columns_that_cannot_be_features_are_refused() {
    let place = Place::new();
    let table = people(40, 3, 1);
    place.file("plain.csv", table.csv(b',', "\n", false));
    let refused =
        |flags: &[&str], parts: &[&str]| says(&place.refused("audit", &["plain.csv"], flags), parts);
    refused(&["--features", "f"], &["column `f`", "no such column"]);
    refused(&["--features", "e0,e1x"], &["column `e1x`", "did you mean `e1`?"]);
    refused(&["--features", "e0,e"], &["column `e0`", "as a feature and as a feature"]);
    refused(&["--features", "e0,y_pred"], &["column `y_pred`", "the model's decisions and as a feature"]);
    refused(&["--features", "p"], &["column `proxy_a`", "a proxy's guess and as a feature"]);
    refused(&["--features", "truth", "--truth", "truth"], &["the true groups and as a feature"]);
    refused(&["--features", "region"], &["line 2, column `region`", "the feature is a text"]);
    // An exact name wins over the start of other names.
    let mut more = table.clone();
    more.columns.push(("e".into(), table.columns[table.columns.len() - 1].1.clone()));
    place.file("exact.csv", more.csv(b',', "\n", false));
    let one = place.run(
        &arguments("audit", &["exact.csv"], &flags(&["--features", "e", "--metric", "euclidean"])),
        None,
    );
    says(&one.stderr, &["x 1 features (e)"]);
    // A feature that only later objects have.
    let late = "{\"y_pred\":1,\"proxy_a\":\"x\",\"e0\":1}\n".repeat(20_000)
        + "{\"y_pred\":0,\"proxy_a\":\"y\",\"e0\":2,\"e1\":2}\n";
    place.file("late.jsonl", late);
    says(&place.refused("audit", &["late.jsonl"], &["--features", "e"]), &["line 20001, column `e1`"]);
}

#[test]
fn lists_that_make_no_sense_are_refused_with_their_row() {
    let place = Place::new();
    let table = people(60, 3, 1);
    let (rows, bare) = (features(&table, 3), without_features(&table));
    let refused = |lists: Vec<Option<Vec<Option<f32>>>>, flag: &str, parts: &[&str]| {
        let array = ListArray::from_iter_primitive::<Float32Type, _, _>(lists);
        let batch = with_array(&bare, "list", Arc::new(array));
        place.file("rows.parquet", crate::tables::parquet(&[batch], Compression::SNAPPY, 7));
        says(&place.refused("audit", &["rows.parquet"], &["--features", flag]), parts);
    };
    let good: Vec<Option<Vec<Option<f32>>>> = rows.iter().map(|row| singles(row)).collect();
    let with = |row: usize, list: Option<Vec<Option<f32>>>| {
        let mut lists = good.clone();
        lists[row] = list;
        lists
    };
    refused(
        with(40, Some(vec![Some(1.0); 4])),
        "list",
        &["row 41, column `list`", "4 elements, that of the first row 3"],
    );
    refused(with(40, Some(vec![])), "list", &["row 41, column `list`", "0 elements"]);
    refused(vec![Some(vec![]); 60], "list", &["row 1, column `list`", "no features"]);
    refused(with(59, None), "list", &["row 60, column `list`", "missing"]);
    refused(
        with(8, Some(vec![Some(1.0), None, Some(1.0)])),
        "list",
        &["row 9", "element 2 of the features is missing"],
    );
    refused(
        with(8, Some(vec![Some(1.0), Some(f32::NAN), Some(1.0)])),
        "list",
        &["row 9", "element 2", "NaN"],
    );
    refused(good.clone(), "list,region", &["column `list`", "beside other features"]);
}

#[test]
fn arrays_that_make_no_sense_are_refused() {
    let place = Place::new();
    let table = people(60, 3, 1);
    let (rows, bare) = (features(&table, 3), without_features(&table));
    place.file("bare.csv", bare.csv(b',', "\n", false));
    let refused = |bytes: &[u8], more: &[&str], parts: &[&str]| {
        place.file("e.npy", bytes);
        says(&place.refused("audit", &["bare.csv"], &[&["--features", "e.npy"], more].concat()), parts);
    };
    let good = npy_of(&rows, "<f4", 1);
    refused(&npy_of(&rows[1..], "<f4", 1), &[], &["e.npy", "59 rows, the table 60"]);
    refused(&good[..good.len() - 1], &[], &["e.npy", "60 x 3", "is not its size"]);
    refused(&good[..40], &[], &["e.npy", "ends in its header"]);
    refused(b"", &[], &["e.npy", "too short"]);
    refused(b"y_pred,proxy_a\n1,x\n", &[], &["e.npy", "does not begin as a .npy file"]);
    refused(&npy("<i8", "(60, 3)", 1, std::iter::empty()), &[], &["an array of `<i8`", "numpy.save"]);
    refused(&npy("<f4", "(60,)", 1, std::iter::empty()), &[], &["shape (60,)"]);
    // More than a machine has, in a small file.
    refused(&npy("<f8", "(60, 288230376151711743)", 1, std::iter::empty()), &[], &["e.npy"]);
    let mut odd = rows.clone();
    odd[41][1] = f64::NAN;
    refused(&npy_of(&odd, "<f8", 1), &[], &["e.npy, row 42", "element 2 of the features is NaN"]);
    odd[41] = vec![0.0; 3];
    refused(&npy_of(&odd, "<f8", 1), &[], &["e.npy, row 42", "no direction"]);
    refused(&good, &["--lenient"], &["--lenient"]);
    std::fs::remove_file(place.path("e.npy")).unwrap();
    says(&place.refused("audit", &["bare.csv"], &["--features", "e.npy"]), &["e.npy: cannot be read"]);
    // An array is an input: it is not written over.
    place.file("e.npy", &good);
    let words = flags(&["--features", "e.npy", "--json", "e.npy"]);
    let seen = place.run(&arguments("audit", &["bare.csv"], &words), None);
    assert_eq!(seen.code, 2);
    assert_eq!(place.read("e.npy"), good);
}

#[test]
fn neighbors_are_refused_where_there_are_none_or_they_are_not_needed() {
    let place = Place::new();
    let table = people(60, 3, 3);
    place.file("plain.csv", table.csv(b',', "\n", false));
    let refused = |command: &str, inputs: &[&str], flags: &[&str], parts: &[&str]| {
        says(&place.refused(command, inputs, flags), parts);
    };
    refused("audit", &["plain.csv"], &["--features", "e"], &["3 proxies", "need no neighbours"]);
    let one = ["--proxy", "proxy_a"];
    place.count(&["plain.csv"], "tally.csv", &one.map(String::from));
    let features: &[&str] = &["--proxy", "proxy_a", "--features", "e.npy"];
    place.file("e.npy", npy_of(&self::features(&table, 3), "<f4", 1));
    refused("audit", &["tally.csv"], features, &["tally.csv", "this is a tally"]);
    refused("audit", &["plain.csv"], &[features, &["--count", "e0"]].concat(), &["this is a tally"]);
    let models = [&one[..], &["--features", "e0", "--y-pred", "y_pred", "--y-pred", "region"]].concat();
    let seen = place.run(
        &arguments(
            "compare",
            &["plain.csv"],
            &models.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>(),
        ),
        None,
    );
    assert_eq!(seen.code, 2);
    says(&seen.stderr, &["--features is for one model"]);
    let database = ["--table", "people"];
    refused(
        "audit",
        &["postgres://nobody@127.0.0.1:1/none"],
        &[&database[..], &one, &["--features", "e"]].concat(),
        &["this is a tally", "in files"],
    );
    refused(
        "neighbors",
        &["plain.csv"],
        &[&one[..], &["-o", "out.csv"]].concat(),
        &["no features are named"],
    );
    refused(
        "neighbors",
        &["plain.csv"],
        &[&one[..], &["--features", "e", "-o", "out.txt"]].concat(),
        &["out.txt"],
    );
    // The column is there already.
    let words = ["--proxy", "proxy_a", "--features", "e", "-o", "out.csv", "--quiet"].map(String::from);
    assert_eq!(place.run(&arguments("neighbors", &["plain.csv"], &words), None).code, 0);
    let again = [&one[..], &["--features", "e", "-o", "more.csv"]].concat();
    refused("neighbors", &["out.csv"], &again, &["column `proxy_a_neighbor_1`"]);
}
