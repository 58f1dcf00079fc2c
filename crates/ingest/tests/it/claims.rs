//! What must hold of any bytes whatever: they are read or refused, and never differently the second time.
//!
//! The first byte chooses how to read, the rest is the file. The fuzz targets (`fuzz/`) and the tests of what they once
//! found (`corpus.rs`) share these claims.

use fairveil_ingest::{
    Columns, Count, Delimiter, Edit, Input, Reading, RewritePlan, Table, TableFormat, TallyFormat,
    count_table, each_rows, read_table, rewrite,
};
use std::collections::BTreeMap;

/// How to read, by the first byte.
pub struct Asked {
    pub columns: Columns,
    reading: Reading,
    /// The format in which its tally is written.
    tally: TallyFormat,
    /// Whether rows are repeated until they fill several blocks.
    long: bool,
}

impl Asked {
    /// Three bits for the columns, one for leaving out broken rows, two for the tally; two together ask for many rows.
    pub fn by(byte: u8) -> Self {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let none = Columns::default();
        let columns = match byte & 7 {
            0 => none,
            1 => Columns { proxies: names(&["a", "b:census"]), weight: Some("w".into()), ..none },
            2 => Columns { proxy_probs: names(&["p_"]), ..none },
            3 => Columns { by: names(&["s", "y_true"]), ..none },
            4 => Columns { truth: Some("t".into()), ..none },
            5 => Columns { proxies: names(&["a"]), proxy_probs: names(&["p_", "q_"]), ..none },
            6 => Columns { count: Count::Column("n".into()), proxy_probs: names(&["p_"]), ..none },
            _ => Columns {
                audit_labels: Some("t".into()),
                groups: Some(names(&["x", "y"])),
                missing: names(&["NA"]),
                positive: Some("1".into()),
                count: Count::Never,
                ..none
            },
        };
        let reading = Reading { threads: Some(1), lenient: byte & 8 != 0, ..Reading::default() };
        let tally = match byte >> 5 & 3 {
            0 => TallyFormat::Csv,
            1 => TallyFormat::Tsv,
            2 => TallyFormat::JsonLines,
            _ => TallyFormat::Parquet,
        };
        Asked { columns, reading, tally, long: byte & 0x90 == 0x90 }
    }

    fn read(&self, bytes: &[u8], threads: usize) -> Result<Table, String> {
        let reading = Reading { threads: Some(threads), ..self.reading.clone() };
        read_table(input(bytes), &self.columns, &reading).map_err(|error| error.to_string())
    }
}

fn input(bytes: &[u8]) -> Vec<Input<'_>> {
    vec![Input::Bytes { name: "f".into(), bytes: Box::new(bytes) }]
}

/// A file of columns is read or refused, by one thread as by two.
pub fn columns_are_read_or_refused(data: &[u8]) {
    let Some((byte, file)) = data.split_first() else { return };
    let asked = Asked::by(*byte);
    let alone = asked.read(file, 1);
    if byte & 16 != 0 {
        assert_eq!(alone, asked.read(file, 2), "one thread and two");
    }
}

/// A text is read or refused, by one thread as by three.
pub fn lines_are_read_or_refused(data: &[u8]) {
    let Some((byte, file)) = data.split_first() else { return };
    let asked = Asked::by(*byte);
    let long = if asked.long { repeated(file) } else { None };
    let file = long.as_deref().unwrap_or(file);
    let alone = asked.read(file, 1);
    if byte & 16 != 0 {
        assert_eq!(alone, asked.read(file, 3), "one thread and three");
    }
}

/// The first line, and the others again and again until they fill several blocks.
fn repeated(file: &[u8]) -> Option<Vec<u8>> {
    const BLOCKS: usize = 9 << 16;
    let head = file.iter().position(|byte| *byte == b'\n')? + 1;
    let rows = file.get(head..).filter(|rows| rows.len() > 64)?;
    let mut long = file[..head].to_vec();
    while long.len() < BLOCKS {
        long.extend_from_slice(rows);
    }
    Some(long)
}

/// What comes out of a table of commas is what a reader of ten lines counts.
pub fn a_plain_reader_counts_the_same(data: &[u8]) {
    let Some((_, file)) = data.split_first() else { return };
    let reading = Reading { delimiter: Delimiter::Byte(b','), threads: Some(1), ..Reading::default() };
    let columns = Columns { count: Count::Never, ..Columns::default() };
    let packed = file.starts_with(&[0x1f, 0x8b]) || file.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]);
    let Ok(table) = read_table(input(file), &columns, &reading) else { return };
    let legend = table.counts.legend();
    let weighted = table.counts.intake().squared_weights.is_some();
    if packed || weighted || !legend.proxies.iter().all(|proxy| proxy.name.starts_with("proxy_")) {
        return;
    }
    let Some(plain) = plain(file) else { return };
    let mut counted: BTreeMap<Vec<Option<String>>, f64> = BTreeMap::new();
    for (cell, tally) in table.counts.cells() {
        let class = |class: fairveil_core::vocabulary::Class| legend.classes[class.0].clone();
        let mut key = vec![Some(class(cell.stratum.prediction)), cell.stratum.label.map(class)];
        key.extend(cell.guesses.iter().map(|guess| guess.map(|guess| legend.groups[guess.0].clone())));
        counted.insert(key, tally.weight);
    }
    assert_eq!(counted, plain);
}

/// Prediction, label and guesses of every row with a prediction, counted; nothing where the text is no such table.
fn plain(file: &[u8]) -> Option<BTreeMap<Vec<Option<String>>, f64>> {
    let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
    if file.trim_ascii_start().starts_with(b"{") || file.trim_ascii_start().starts_with(b"[") {
        return None;
    }
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(file);
    let mut rows = reader.records();
    let header = rows.next()?.ok()?;
    let place = |name: &str| header.iter().position(|found| found.trim() == name);
    let (prediction, label) = (place("y_pred")?, place("y_true"));
    let proxies = (0..header.len()).filter(|i| header[*i].trim().starts_with("proxy_")).collect::<Vec<_>>();
    let value = |field: &str| {
        let text = field.replace("\r\n", "\n").replace('\r', "\n").trim().to_owned();
        let whole = text.trim_end_matches('0').strip_suffix('.').filter(|whole| {
            let digits = whole.strip_prefix('-').unwrap_or(whole);
            text.ends_with('0') && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        });
        let text = whole.map(str::to_owned).unwrap_or(text);
        let missing = text.is_empty() || ["null", "nan"].contains(&text.to_ascii_lowercase().as_str());
        (!missing).then_some(text)
    };
    let mut counted = BTreeMap::new();
    for row in rows {
        let row = row.ok()?;
        let mut key = vec![value(&row[prediction]), label.and_then(|label| value(&row[label]))];
        key.extend(proxies.iter().map(|proxy| value(&row[*proxy])));
        if key[0].is_some() {
            *counted.entry(key).or_insert(0.0) += 1.0;
        }
    }
    Some(counted)
}

/// A tally that was written and is read again is the table it was made from.
pub fn a_tally_tells_what_its_table_tells(data: &[u8]) {
    let Some((byte, file)) = data.split_first() else { return };
    let asked = Asked::by(*byte);
    let Ok(tally) = count_table(input(file), &asked.columns, &asked.reading) else { return };
    let mut written = Vec::new();
    // A column of the file may have a name that a format cannot write.
    if tally.write(asked.tally, &mut written).is_err() {
        return;
    }
    let of_rows = asked.read(file, 1);
    let count = Count::Column("count".into());
    let again = Asked { columns: Columns { count, ..asked.columns.clone() }, ..asked };
    let of_tally = again.read(&written, 1);
    match (of_rows, of_tally) {
        (Ok(rows), Ok(tally)) => {
            assert_eq!(rows.truth, tally.truth);
            // JSON keeps its keys in the order of letters, and proxies are named in the order of the keys.
            let [rows, tally] = [rows, tally].map(|table| table.counts.in_name_order().0);
            assert!(rows.cells().eq(tally.cells()), "{rows:?}\n{tally:?}");
            assert_eq!(rows.legend(), tally.legend());
            assert_eq!(rows.intake().rows, tally.intake().rows);
            assert_eq!(rows.intake().hidden, tally.intake().hidden);
        }
        (Ok(_), Err(error)) => panic!("the table is read and its tally is not: {error}"),
        (Err(error), Ok(_)) => panic!("the tally is read and its table is not: {error}"),
        (Err(_), Err(_)) => {}
    }
}

/// As many rows of a table are copied as are seen, in the format that the first byte chooses, and the copy can be read.
pub fn a_copy_can_be_read(data: &[u8]) {
    let Some((format, bytes)) = data.split_first() else { return };
    let names = ["t.csv", "t.tsv", "t.jsonl", "t.parquet"];
    // A file is read by the delimiter that its name says; without a name that would be a guess.
    let delimiter = Delimiter::Byte(if format % 4 == 1 { b'\t' } else { b',' });
    let format = TableFormat::of_name(names[usize::from(format % 4)]).expect("a format");
    let plan =
        RewritePlan { added: vec!["added by us".into()], rows_are_single: true, ..RewritePlan::default() };
    let input = || vec![Input::Bytes { name: "fuzz".into(), bytes: Box::new(bytes) }];
    let mut seen = 0;
    let looked = each_rows(input(), &plan, &Reading::default(), |rows| {
        seen += rows.rows() as u64;
        Ok(())
    });
    let mut out = Vec::new();
    let copied = rewrite(input(), &plan, &Reading::default(), format, &mut out, |rows| {
        Ok(Edit { added: vec![vec![Some("1".into()); rows.rows()]], ..Edit::default() })
    });
    let (Ok(looked), Ok(copied)) = (looked, copied) else { return };
    assert_eq!((looked, copied.rows), (seen, seen));
    if seen > 0 {
        let copy = vec![Input::Memory { name: "copy".into(), bytes: out.into() }];
        let again = RewritePlan { rows_are_single: true, ..RewritePlan::default() };
        let mut read = 0;
        each_rows(copy, &again, &Reading { delimiter, ..Reading::default() }, |rows| {
            read += rows.rows() as u64;
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(read, seen);
    }
}
