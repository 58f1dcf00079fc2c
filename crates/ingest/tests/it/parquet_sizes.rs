//! The sizes that a Parquet file tells of itself are believed as far as they make sense, and no honest file is refused.

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use fairveil_ingest::{Columns, Delimiter, Input, Reading, read, read_table};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::{WriterProperties, WriterVersion};
use std::path::Path;
use std::sync::Arc;

const ROWS: usize = 24_000;

fn group(row: usize) -> Option<String> {
    let length = row % 31;
    (!row.is_multiple_of(11))
        .then(|| format!("a group with a name of its own {}{length}", "z".repeat(length)))
}

fn written(properties: WriterProperties) -> Vec<u8> {
    let text = |value: &dyn Fn(usize) -> Option<String>| -> ArrayRef {
        Arc::new((0..ROWS).map(value).collect::<StringArray>())
    };
    let columns = [
        ("y_pred", text(&|row| Some((row % 2).to_string()))),
        ("proxy_a", text(&group)),
        ("proxy_b", text(&|row| group(row / 3))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    file
}

#[test]
fn every_way_to_write_texts_is_read_alike() {
    let counts = |file: &[u8]| read(file, "t", &Columns::default(), Delimiter::Detect).unwrap().counts;
    let expected = counts(&written(WriterProperties::builder().build()));
    assert_eq!(expected.weight(), ROWS as f64);
    let packed = [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::ZSTD(Default::default())];
    for encoding in [Encoding::PLAIN, Encoding::DELTA_BYTE_ARRAY, Encoding::DELTA_LENGTH_BYTE_ARRAY] {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for compression in packed {
                let properties = WriterProperties::builder()
                    .set_dictionary_enabled(false)
                    .set_encoding(encoding)
                    .set_writer_version(version)
                    .set_compression(compression)
                    .set_max_row_group_row_count(Some(ROWS / 2));
                assert_eq!(counts(&written(properties.build())), expected, "{encoding} {version:?}");
            }
        }
    }
}

#[test]
fn a_file_that_makes_no_sense_is_called_so() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    for (file, says) in [
        (
            "parquet/columns-it-does-not-have",
            "this Parquet file cannot be read: it says to have more columns",
        ),
        (
            "parquet/columns-nested-without-end",
            "this Parquet file cannot be read: its columns are nested too deep",
        ),
        (
            "parquet/page-of-two-gib-zstd",
            "this Parquet file cannot be read: its pages say to be larger than 512 MiB",
        ),
        ("parquet/texts-past-counting", "this Parquet file cannot be read: a page says to hold more text"),
        ("parquet/column-of-negative-length", "this Parquet file cannot be read: column start and length"),
        ("arrow/footer-past-the-file", "this Arrow file cannot be read"),
        ("arrow/batch-past-the-file", "this Arrow file cannot be read"),
        ("arrow/buffer-past-its-batch", "this Arrow file cannot be read: the offset of the new Buffer"),
    ] {
        let bytes = std::fs::read(folder.join(file)).unwrap();
        // The first byte says which columns the file has.
        let columns = match bytes[0] & 7 {
            1 => Columns { proxies: vec!["a".into()], weight: Some("w".into()), ..Columns::default() },
            _ => Columns::default(),
        };
        let refused = read(&bytes[1..], "t", &columns, Delimiter::Detect).unwrap_err().to_string();
        assert!(refused.contains(says), "{file}: {refused}");
    }
}

/// Four columns of 400 rows, as another writer wrote them: every page has a checksum.
const CHECKED: &[u8] = include_bytes!("../corpus/parquet/checksums.parquet");

#[test]
fn a_bit_that_flipped_in_a_page_changes_no_count_in_silence() {
    let count = |bytes: Vec<u8>| {
        let input = Input::Memory { name: "t".into(), bytes: bytes.into() };
        read_table(vec![input], &Columns::default(), &Reading::default()).map(|table| table.counts)
    };
    let whole = count(CHECKED.to_vec()).unwrap();
    assert_eq!(whole.weight(), 400.0);
    // What follows the pages is the footer, which the format gives no checksum.
    let footer = u32::from_le_bytes(CHECKED[CHECKED.len() - 8..CHECKED.len() - 4].try_into().unwrap());
    let (mut refused, pages) = (0, CHECKED.len() - 8 - footer as usize);
    for place in 4..pages {
        let mut bytes = CHECKED.to_vec();
        bytes[place] ^= 1 << (place % 8);
        match count(bytes) {
            Ok(read) => assert!(read == whole, "byte {place}"),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > (pages - 4) * 3 / 4, "{refused} of {pages}");
}
