//! A copy of a table is the table, but for what was changed in it.

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int32Array, RecordBatch, StringArray};
use fairveil_ingest::{
    Columns, Delimiter, Edit, Input, Reading, RewriteError, RewritePlan, TableFormat, each_rows, read,
    rewrite, write_weights,
};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::io::{Read, Write};
use std::sync::Arc;

fn bytes(bytes: &[u8]) -> Input<'_> {
    Input::Bytes { name: "people".into(), bytes: Box::new(bytes) }
}

fn plan(changed: &[&str], added: &[&str]) -> RewritePlan {
    let changed: Vec<String> = changed.iter().map(|name| (*name).to_owned()).collect();
    let added = added.iter().map(|name| (*name).to_owned()).collect();
    RewritePlan { shown: changed.clone(), changed, added, ..RewritePlan::default() }
}

/// Copies with the shown values doubled, and their row numbers added.
fn copy(inputs: Vec<Input>, plan: &RewritePlan, name: &str) -> Result<Vec<u8>, RewriteError> {
    let (mut out, mut before) = (Vec::new(), 0);
    let format = TableFormat::of_name(name).unwrap();
    rewrite(inputs, plan, &Reading::default(), format, &mut out, |rows| {
        let twice = |value: &Option<String>| value.as_ref().map(|value| format!("{value}{value}"));
        let changed = rows.columns.iter().take(plan.changed.len());
        let changed = changed.map(|values| values.iter().map(twice).collect()).collect();
        let number = |row: usize| Some((before + row).to_string());
        let added = plan.added.iter().map(|_| (0..rows.rows()).map(number).collect()).collect();
        before += rows.rows();
        Ok(Edit { changed, added, ..Edit::default() })
    })?;
    Ok(out)
}

fn failure(inputs: Vec<Input>, plan: &RewritePlan, name: &str) -> String {
    copy(inputs, plan, name).unwrap_err().to_string()
}

#[test]
fn fields_that_are_not_touched_stay_as_they_are_written() {
    let table = b"id,proxy,note\r\n 01 ,x,\"a, \"\"b\"\"\nc\"\r\n1.0,NaN,\xff\xfe\r\n\r\n,null,NA\r\n";
    let out = copy(vec![bytes(table)], &plan(&["proxy"], &["row"]), "copy.csv").unwrap();
    let wanted: &[u8] = b"id,proxy,note,row\n 01 ,xx,\"a, \"\"b\"\"\nc\",0\n1.0,,\xff\xfe,1\n,,NA,2\n";
    assert_eq!(out, wanted);
}

#[test]
fn text_goes_through_every_packing_and_delimiter() {
    let table = "a;proxy\n1;x\n2;y\n";
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(table.as_bytes()).unwrap();
    let gz = gz.finish().unwrap();
    let zst = zstd::encode_all(table.as_bytes(), 1).unwrap();
    for packed in [table.as_bytes(), &gz, &zst] {
        let out = copy(vec![bytes(packed)], &plan(&["proxy"], &[]), "copy.tsv.gz").unwrap();
        let mut text = String::new();
        flate2::read::GzDecoder::new(out.as_slice()).read_to_string(&mut text).unwrap();
        assert_eq!(text, "a\tproxy\n1\txx\n2\tyy\n");
    }
}

#[test]
fn json_keeps_the_order_of_keys_and_values_as_they_are_written() {
    let table =
        "{\"z\":1.50,\"proxy\":\"x\",\"list\":[1, 2]}\n{\"proxy\":null,\"late\":{\"a\":\"é\"},\"z\":1e3}\n";
    let out = copy(vec![bytes(table.as_bytes())], &plan(&["proxy"], &["row"]), "copy.jsonl").unwrap();
    let wanted = "{\"z\":1.50,\"proxy\":\"xx\",\"list\":[1, 2],\"row\":\"0\"}\n\
                  {\"proxy\":null,\"late\":{\"a\":\"é\"},\"z\":1e3,\"row\":\"1\"}\n";
    assert_eq!(String::from_utf8(out).unwrap(), wanted);
    // A list has no place in a text.
    let message = failure(vec![bytes(table.as_bytes())], &plan(&["proxy"], &[]), "copy.csv");
    assert!(message.contains("column `list`: the value is a list or an object"), "{message}");
}

fn people() -> RecordBatch {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("age", Arc::new(Int32Array::from(vec![Some(31), None, Some(7)]))),
        ("proxy", Arc::new(Int32Array::from(vec![Some(1), Some(0), None]))),
        ("score", Arc::new(Float64Array::from(vec![0.1, 1.0, f64::NAN]))),
        ("member", Arc::new(BooleanArray::from(vec![true, false, true]))),
        ("name", Arc::new(StringArray::from(vec![Some("Ä"), None, Some("")]))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

fn parquet(batch: &RecordBatch) -> Vec<u8> {
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), None).unwrap();
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

fn of_parquet(bytes: &[u8]) -> RecordBatch {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    reader.build().unwrap().next().unwrap().unwrap()
}

#[test]
fn parquet_keeps_the_types_of_columns_that_are_not_touched() {
    for table in [parquet(&people()), arrow(&people())] {
        let out =
            of_parquet(&copy(vec![bytes(&table)], &plan(&["proxy"], &["row"]), "copy.parquet").unwrap());
        let before = people();
        for name in ["age", "member", "name"] {
            assert_eq!(out.column_by_name(name).unwrap(), before.column_by_name(name).unwrap(), "{name}");
        }
        let score = out.column_by_name("score").unwrap().as_primitive::<arrow_array::types::Float64Type>();
        assert!(score.value(0) == 0.1 && score.value(1) == 1.0 && score.value(2).is_nan());
        let texts = |name: &str| -> Vec<Option<String>> {
            let column = out.column_by_name(name).unwrap().as_string::<i32>();
            column.iter().map(|text| text.map(str::to_owned)).collect()
        };
        assert_eq!(texts("proxy"), [Some("11".into()), Some("00".into()), None]);
        assert_eq!(texts("row"), [Some("0".into()), Some("1".into()), Some("2".into())]);
    }
}

#[test]
fn between_formats_values_become_text_and_are_read_alike() {
    let columns =
        Columns { y_pred: Some("member".into()), proxies: vec!["proxy".into()], ..Columns::default() };
    let tables = [parquet(&people()), arrow(&people())];
    let lent = vec![bytes(&tables[0])];
    let csv = copy(lent, &RewritePlan::default(), "copy.csv").unwrap();
    let text = "age,proxy,score,member,name\n31,1,0.1,true,Ä\n,0,1.0,false,\n7,,NaN,true,\n";
    assert_eq!(String::from_utf8(csv.clone()).unwrap(), text);
    let first = read(csv.as_slice(), "first", &columns, Delimiter::Detect).unwrap();
    for from in [&csv, &tables[0], &tables[1]] {
        for name in ["copy.csv", "copy.tsv", "copy.jsonl", "copy.jsonl.gz", "copy.parquet"] {
            let copied = copy(vec![bytes(from)], &RewritePlan::default(), name).unwrap();
            let copied = read(copied.as_slice(), "copy", &columns, Delimiter::Detect).unwrap();
            assert_eq!(copied.counts, first.counts, "{name}");
        }
    }
}

#[test]
fn several_files_follow_each_other_if_their_columns_agree() {
    let copied =
        copy(vec![bytes(b"a,b\n1,2\n"), bytes(b"a\tb\n3\t4\n")], &plan(&["b"], &["row"]), "copy.csv");
    assert_eq!(copied.unwrap(), b"a,b,row\n1,22,0\n3,44,1\n");
    let message = failure(vec![bytes(b"a,b\n1,2\n"), bytes(b"b,a\n3,4\n")], &plan(&["b"], &[]), "copy.csv");
    assert!(message.contains("the columns are `b`, `a`, in the first file `a`, `b`"), "{message}");
    // The same columns, but one of them is text.
    let names = people().schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
    let mut columns = people().columns().to_vec();
    columns[2] = Arc::clone(&columns[4]);
    let columns = names.iter().zip(columns).map(|(name, column)| (name, column, true));
    let differs = parquet(&RecordBatch::try_from_iter_with_nullable(columns).unwrap());
    let (same, plan) = (parquet(&people()), plan(&["proxy"], &[]));
    assert!(copy(vec![bytes(&same), bytes(&same)], &plan, "copy.parquet").is_ok());
    let message = failure(vec![bytes(&same), bytes(&differs)], &plan, "copy.parquet");
    assert!(message.contains("the columns have different types from those in the first file"), "{message}");
}

#[test]
fn what_cannot_be_copied_is_refused_with_its_place() {
    let one = |table: &'static [u8], plan: &RewritePlan, name: &str| failure(vec![bytes(table)], plan, name);
    let proxy = plan(&["proxy"], &[]);
    for (table, needle) in [
        (&b"a,proxy\n1,x\n2\n"[..], "line 3: the row has 1 fields, the header 2"),
        (b"a,proxy\n1,\xff\n", "line 2, column `proxy`: the bytes are not UTF-8"),
        (b"a,proxi\n1,x\n", "did you mean `proxi`?"),
        (b"proxy,proxy\n1,x\n", "column `proxy`: the header has this name more than once"),
        (b"proxy,count\nx,7\n", "column `count`: a column of this name is in a tally"),
        (b"a,proxy\n", "there is a header and no row"),
        (b"", "the file is empty"),
        (b"a,proxy\n1,\"x\n", "a quoted field begins here and does not end"),
        (b"{\"proxy\":[1]}\n", "line 1, column `proxy`: the value is a list or an object"),
        (b"{\"proxy\":1}\n{\"proxy\":1,\"proxy\":2}\n", "line 2, column `proxy`: the header has this name"),
        (b"{\"proxy\":1}\n{\"proxy\":\n", "line 2: not a JSON object"),
    ] {
        let message = one(table, &proxy, "copy.csv");
        assert!(message.contains(needle), "{message}");
    }
    let message = one(b"a,proxy\n1,x\n", &plan(&["proxy"], &["a"]), "copy.csv");
    assert!(message.contains("column `a`: the table has a column of this name already"), "{message}");
    let message = one(b"a,a,proxy\n1,1,x\n", &proxy, "copy.jsonl");
    assert!(message.contains("column `a`: the header has this name more than once"), "{message}");
    let message = one(b"a,proxy\n\xff,x\n", &proxy, "copy.parquet");
    assert!(message.contains("line 2, column `a`: the bytes are not UTF-8"), "{message}");
    // Untouched columns of one name, and a column `count` of people, are nobody's business.
    assert!(copy(vec![bytes(b"a,a,proxy\n1,1,x\n")], &proxy, "copy.csv").is_ok());
    let people = RewritePlan { rows_are_single: true, ..proxy };
    assert!(copy(vec![bytes(b"proxy,count\nx,7\n")], &people, "copy.csv").is_ok());
}

#[test]
fn rows_can_be_seen_without_a_copy_in_the_order_asked_for() {
    for table in [parquet(&people()), arrow(&people())] {
        let shown = vec!["name".to_owned(), "age".to_owned()];
        let plan = RewritePlan { shown, missing: vec!["7".into()], ..RewritePlan::default() };
        let mut seen = Vec::new();
        let rows = each_rows(vec![bytes(&table)], &plan, &Reading::default(), |rows| {
            seen.push(rows.columns.clone());
            Ok(())
        });
        assert_eq!(rows.unwrap(), 3);
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(seen, [vec![vec![text("Ä"), None, None], vec![text("31"), None, None]]]);
    }
}

#[test]
fn numbers_are_written_with_the_digits_that_read_back_to_them() {
    let names = ["a: 1 - 0".to_owned(), "b,\"c\"".to_owned()];
    let values = [vec![0.1 + 0.2, -1e-300, f64::NAN], vec![1.0, 1.7976931348623157e308, -0.0]];
    let written = |name: &str| {
        let mut out = Vec::new();
        write_weights(3, &names, &values, TableFormat::of_name(name).unwrap(), &mut out).unwrap();
        out
    };
    let text = String::from_utf8(written("w.csv")).unwrap();
    assert_eq!(
        text,
        "row,a: 1 - 0,\"b,\"\"c\"\"\"\n1,0.30000000000000004,1.0\n2,-1e-300,1.7976931348623157e308\n3,,-0.0\n"
    );
    assert_eq!(String::from_utf8(written("w.tsv")).unwrap().lines().nth(2).unwrap().split('\t').count(), 3);
    let json = String::from_utf8(written("w.jsonl")).unwrap();
    assert_eq!(json.lines().last(), Some("{\"row\":3,\"a: 1 - 0\":null,\"b,\\\"c\\\"\":-0.0}"));
    let mut unpacked = String::new();
    flate2::read::GzDecoder::new(written("w.jsonl.gz").as_slice()).read_to_string(&mut unpacked).unwrap();
    assert_eq!(unpacked, json);
    let batch = of_parquet(&written("w.parquet"));
    let row = batch.column_by_name("row").unwrap().as_primitive::<arrow_array::types::Int64Type>();
    assert_eq!(row.values().to_vec(), [1, 2, 3]);
    for (name, values) in names.iter().zip(&values) {
        let column = batch.column_by_name(name).unwrap().as_primitive::<arrow_array::types::Float64Type>();
        let bits = |value: &f64| (!value.is_nan()).then(|| value.to_bits());
        let found: Vec<Option<u64>> = column.iter().map(|value| value.map(f64::to_bits)).collect();
        assert_eq!(found, values.iter().map(bits).collect::<Vec<_>>());
    }
    let refused = |rows: usize, names: &[&str], values: &[Vec<f64>]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        write_weights(rows, &names, values, TableFormat::CSV, Vec::new()).unwrap_err().to_string()
    };
    assert!(refused(2, &["a"], &[vec![1.0]]).contains("not those of 2 rows"));
    assert!(refused(1, &["row"], &[vec![1.0]]).contains("two columns would be called `row`"));
    assert!(refused(1, &["a", "a"], &[vec![1.0], vec![1.0]]).contains("two columns would be called `a`"));
    assert!(refused(1, &["a"], &[vec![f64::INFINITY]]).contains("row 1 in column `a` is infinite"));
}

#[test]
fn columns_that_are_dropped_are_in_no_copy_and_numbers_are_numbers() {
    let plan = RewritePlan {
        shown: vec!["name".into()],
        dropped: vec!["name".into(), "zip".into()],
        added: vec!["guess".into()],
        numbers: vec!["share".into()],
        ..RewritePlan::default()
    };
    let edit = |rows: &fairveil_ingest::Rows| {
        let guesses = rows.columns[0].iter().map(|name| name.as_ref().map(|_| "a".to_owned())).collect();
        let shares = rows.columns[0].iter().map(|name| name.as_ref().map(|_| 0.25)).collect();
        Ok(Edit { added: vec![guesses], numbers: vec![shares], ..Edit::default() })
    };
    let to = |input: Input, name: &str| {
        let (mut out, format) = (Vec::new(), TableFormat::of_name(name).unwrap());
        rewrite(vec![input], &plan, &Reading::default(), format, &mut out, edit).unwrap();
        out
    };
    let csv: &[u8] = b"id,name,zip,y\n1,Doe,02139,0\n2,,10001,1\n";
    let json: &[u8] = b"{\"id\":1,\"name\":\"Doe\",\"zip\":\"02139\",\"y\":[0]}\n{\"zip\":1,\"id\":2,\"name\":null,\"y\":1}\n";
    assert_eq!(to(bytes(csv), "copy.csv"), b"id,y,guess,share\n1,0,a,0.25\n2,1,,\n");
    let lines = "{\"id\":1,\"y\":[0],\"guess\":\"a\",\"share\":0.25}\n{\"id\":2,\"y\":1,\"guess\":null,\"share\":null}\n";
    assert_eq!(String::from_utf8(to(bytes(json), "copy.jsonl")).unwrap(), lines);
    let lines = "{\"id\":\"1\",\"y\":\"0\",\"guess\":\"a\",\"share\":0.25}\n{\"id\":\"2\",\"y\":\"1\",\"guess\":null,\"share\":null}\n";
    assert_eq!(String::from_utf8(to(bytes(csv), "copy.jsonl")).unwrap(), lines);
    // From Parquet to Parquet, and from there to CSV again.
    let whole = RewritePlan::default();
    let mut parquet = Vec::new();
    let format = TableFormat::of_name("a.parquet").unwrap();
    rewrite(vec![bytes(csv)], &whole, &Reading::default(), format, &mut parquet, |_| Ok(Edit::default()))
        .unwrap();
    let copied = to(bytes(&parquet), "copy.parquet");
    assert!(!copied.windows(3).any(|bytes| bytes == b"Doe" || bytes == b"zip"));
    let batch = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(copied.clone())).unwrap();
    let types: Vec<String> =
        batch.schema().fields().iter().map(|f| format!("{} {}", f.name(), f.data_type())).collect();
    assert_eq!(types, ["id Utf8", "y Utf8", "guess Utf8", "share Float64"]);
    let mut again = Vec::new();
    rewrite(vec![bytes(&copied)], &whole, &Reading::default(), TableFormat::CSV, &mut again, |_| {
        Ok(Edit::default())
    })
    .unwrap();
    assert_eq!(again, b"id,y,guess,share\n1,0,a,0.25\n2,1,,\n");
    // A column that is not there cannot be left out.
    let absent = RewritePlan { dropped: vec!["nmae".into()], ..RewritePlan::default() };
    assert!(failure(vec![bytes(csv)], &absent, "copy.csv").contains("`name`"));
}
