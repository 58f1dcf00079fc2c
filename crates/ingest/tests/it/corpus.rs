//! What fuzzing once found (`docs/fuzzing.md`), and a few telling files beside: each is read or refused, soon.

use crate::claims;
use std::path::Path;
use std::time::{Duration, Instant};

/// Holds claims against every file of a folder of the corpus.
fn each(format: &str, claims: &[fn(&[u8])]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(format);
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let (bytes, start) = (std::fs::read(&file).unwrap(), Instant::now());
        for claim in claims {
            let held = std::panic::catch_unwind(|| claim(&bytes));
            assert!(held.is_ok(), "{}", file.display());
        }
        // Most take milliseconds; the machine may be busy.
        assert!(start.elapsed() < Duration::from_secs(20), "{} takes {:?}", file.display(), start.elapsed());
    }
}

#[test]
fn csv() {
    let plain = claims::a_plain_reader_counts_the_same;
    each("csv", &[claims::lines_are_read_or_refused, plain, claims::a_tally_tells_what_its_table_tells]);
}

#[test]
fn json_lines() {
    each("json", &[claims::lines_are_read_or_refused, claims::a_tally_tells_what_its_table_tells]);
}

#[test]
fn parquet() {
    each("parquet", &[claims::columns_are_read_or_refused]);
}

#[test]
fn arrow() {
    each("arrow", &[claims::columns_are_read_or_refused]);
}

#[test]
fn tallies() {
    each("tally", &[claims::lines_are_read_or_refused, claims::a_tally_tells_what_its_table_tells]);
}

#[test]
fn rows() {
    each("rows", &[claims::a_copy_can_be_read]);
}
