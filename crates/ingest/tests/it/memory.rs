//! One table, from every input there is: the same tally.

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use fairveil_ingest::{AuditTable, Columns, Input, MemoryRows, Reading, Table};
use parquet::arrow::ArrowWriter;
use std::sync::Arc;

const COLUMNS: [&str; 4] = ["y_pred", "y_true", "proxy_a", "proxy_b"];

fn rows() -> Vec<[&'static str; 4]> {
    let some = [["1", "1", "x", "x"], ["0", "1", "y", ""], ["1", "0", "y", "x"], ["0", "0", "x", "y"]];
    some.iter().copied().cycle().take(999).collect()
}

fn batch() -> RecordBatch {
    let column = |place: usize| -> ArrayRef {
        Arc::new(rows().iter().map(|row| Some(row[place]).filter(|v| !v.is_empty())).collect::<StringArray>())
    };
    RecordBatch::try_from_iter_with_nullable(
        COLUMNS.iter().enumerate().map(|(place, name)| (*name, column(place), true)),
    )
    .unwrap()
}

fn csv() -> Vec<u8> {
    let lines = rows().into_iter().map(|row| row.join(","));
    std::iter::once(COLUMNS.join(",")).chain(lines).collect::<Vec<_>>().join("\n").into_bytes()
}

fn json() -> Vec<u8> {
    let line = |row: [&str; 4]| {
        let members = COLUMNS.iter().zip(row).map(|(name, value)| format!("\"{name}\":\"{value}\""));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    };
    rows().into_iter().map(line).collect::<Vec<_>>().join("\n").into_bytes()
}

fn parquet() -> Vec<u8> {
    let mut writer = ArrowWriter::try_new(Vec::new(), batch().schema(), None).unwrap();
    writer.write(&batch()).unwrap();
    writer.into_inner().unwrap()
}

fn arrow() -> [Vec<u8>; 2] {
    let mut file = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch().schema()).unwrap();
    file.write(&batch()).unwrap();
    let mut stream = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batch().schema()).unwrap();
    stream.write(&batch()).unwrap();
    [file.into_inner().unwrap(), stream.into_inner().unwrap()]
}

fn read(input: Input) -> Table {
    AuditTable::new(Columns::default()).read(vec![input], &Reading::default()).unwrap()
}

#[test]
fn every_input_gives_the_same_tally() {
    let expected = read(Input::Rows(Box::new(MemoryRows::new("people", COLUMNS, rows()))));
    assert_eq!(expected.counts.weight(), 999.0);
    assert_eq!(read(Input::of_batches("people", vec![batch()])), expected);
    // Two batches of which the second begins in the middle of the first's rows.
    let parts = vec![batch().slice(0, 500), batch().slice(500, 499)];
    assert_eq!(read(Input::of_batches("people", parts)), expected);
    let [file, stream] = arrow();
    for bytes in [csv(), json(), parquet(), file, stream] {
        let name = "people".to_owned();
        // What can be gone to, and what can be read only once.
        let once: &[u8] = &bytes.clone();
        assert_eq!(read(Input::Bytes { name: name.clone(), bytes: Box::new(once) }), expected);
        assert_eq!(read(Input::Memory { name, bytes: bytes.into() }), expected);
    }
}
