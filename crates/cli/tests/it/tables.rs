//! Tables made up from a seed, and every way to write one.

use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, LargeStringArray,
    RecordBatch, StringArray, StringViewArray, UInt8Array,
};
use assert_cmd::Command;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

/// Numbers from a seed (SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

#[derive(Clone)]
pub enum Column {
    Text(Vec<Option<String>>),
    Number(Vec<Option<f64>>),
}

impl Column {
    fn pick(&self, rows: &[usize]) -> Column {
        match self {
            Column::Text(values) => Column::Text(rows.iter().map(|row| values[*row].clone()).collect()),
            Column::Number(values) => Column::Number(rows.iter().map(|row| values[*row]).collect()),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Column::Text(values) => values.len(),
            Column::Number(values) => values.len(),
        }
    }

    fn field(&self, row: usize) -> String {
        match self {
            Column::Text(values) => values[row].clone().unwrap_or_default(),
            Column::Number(values) => values[row].map(|number| number.to_string()).unwrap_or_default(),
        }
    }

    fn whole(&self) -> Option<Vec<Option<i64>>> {
        let Column::Text(values) = self else { return None };
        values
            .iter()
            .map(|value| value.as_ref().map(|text| text.parse().ok()).map_or(Some(None), |n| n.map(Some)))
            .collect()
    }

    fn truths(&self) -> Option<Vec<Option<bool>>> {
        let Column::Text(values) = self else { return None };
        values
            .iter()
            .map(|value| value.as_ref().map(|text| text.parse().ok()).map_or(Some(None), |n| n.map(Some)))
            .collect()
    }
}

#[derive(Clone)]
pub struct Table {
    pub columns: Vec<(String, Column)>,
    pub flags: Vec<String>,
}

/// Which arrays hold the values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Arrays {
    Strings,
    LargeStrings,
    Views,
    Dictionaries,
    /// Whole numbers, floating-point numbers and booleans where the values are such.
    Typed,
    /// Whole numbers as floating-point numbers.
    Floats,
}

impl Table {
    pub fn rows(&self) -> usize {
        self.columns[0].1.len()
    }

    /// Some of the rows.
    pub fn pick(&self, rows: &[usize]) -> Table {
        let columns = self.columns.iter().map(|(name, column)| (name.clone(), column.pick(rows)));
        Table { columns: columns.collect(), flags: self.flags.clone() }
    }

    /// The rows dealt out to so many tables, in an order from the dice.
    pub fn deal(&self, parts: usize, dice: &mut Dice) -> Vec<Table> {
        let mut hands = vec![Vec::new(); parts];
        let mut order: Vec<usize> = (0..self.rows()).collect();
        dice.shuffle(&mut order);
        order.into_iter().for_each(|row| hands[dice.below(parts)].push(row));
        hands.into_iter().map(|rows| self.pick(&rows)).collect()
    }

    pub fn shuffled_columns(&self, dice: &mut Dice) -> Table {
        let mut shuffled = self.clone();
        dice.shuffle(&mut shuffled.columns);
        shuffled
    }

    pub fn csv(&self, delimiter: u8, end: &str, quote_all: bool) -> Vec<u8> {
        let quotes = if quote_all { csv::QuoteStyle::Always } else { csv::QuoteStyle::Necessary };
        let end = if end == "\r\n" { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
        let mut out = csv::WriterBuilder::new()
            .delimiter(delimiter)
            .quote_style(quotes)
            .terminator(end)
            .from_writer(Vec::new());
        out.write_record(self.columns.iter().map(|(name, _)| name)).unwrap();
        for row in 0..self.rows() {
            out.write_record(self.columns.iter().map(|(_, column)| column.field(row))).unwrap();
        }
        out.into_inner().unwrap()
    }

    /// One object for each row; values typed where they can be; nulls left out if asked for.
    pub fn objects(&self, typed: bool, leave_out_nulls: bool, between: &str) -> Vec<String> {
        let texts = |text: &str| serde_json::to_string(text).unwrap();
        let columns: Vec<Vec<Option<String>>> = self
            .columns
            .iter()
            .map(|(_, column)| match column {
                Column::Number(values) => {
                    values.iter().map(|number| number.map(|number| format!("{number:?}"))).collect()
                }
                _ if typed && column.whole().is_some() => {
                    let whole = column.whole().unwrap();
                    // Some writers know no whole numbers.
                    whole
                        .iter()
                        .enumerate()
                        .map(|(i, n)| n.map(|n| if i % 2 == 0 { n.to_string() } else { format!("{n}.0") }))
                        .collect()
                }
                _ if typed && column.truths().is_some() => column
                    .truths()
                    .unwrap()
                    .iter()
                    .map(|truth| truth.map(|truth| truth.to_string()))
                    .collect(),
                Column::Text(values) => values.iter().map(|value| value.as_deref().map(texts)).collect(),
            })
            .collect();
        let one = |row: usize| {
            let pairs = self
                .columns
                .iter()
                .zip(&columns)
                .filter(|(_, column)| !leave_out_nulls || column[row].is_some());
            let pairs = pairs.map(|((name, _), column)| {
                format!("{}: {}", texts(name), column[row].as_deref().unwrap_or("null"))
            });
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(between))
        };
        (0..self.rows()).map(one).collect()
    }

    pub fn json_lines(&self, typed: bool, leave_out_nulls: bool) -> Vec<u8> {
        self.objects(typed, leave_out_nulls, ", ")
            .iter()
            .map(|object| format!("{object}\n"))
            .collect::<String>()
            .into_bytes()
    }

    /// An array, one object over several lines.
    pub fn json_array(&self) -> Vec<u8> {
        format!(" [\r\n  {}\n]\n", self.objects(true, false, ",\r\n    ").join(",\n  ")).into_bytes()
    }

    pub fn batch(&self, arrays: Arrays) -> RecordBatch {
        let column = |column: &Column| -> ArrayRef {
            let texts = match column {
                Column::Number(values) => return Arc::new(Float64Array::from(values.clone())),
                Column::Text(values) => values,
            };
            match arrays {
                Arrays::Typed if column.whole().is_some() => {
                    let whole = column.whole().unwrap();
                    match whole.len() % 3 {
                        0 => Arc::new(Int64Array::from(whole)),
                        1 => Arc::new(Int32Array::from_iter(whole.iter().map(|n| n.map(|n| n as i32)))),
                        _ => Arc::new(UInt8Array::from_iter(whole.iter().map(|n| n.map(|n| n as u8)))),
                    }
                }
                Arrays::Typed if column.truths().is_some() => {
                    Arc::new(BooleanArray::from(column.truths().unwrap()))
                }
                Arrays::Floats if column.whole().is_some() => Arc::new(Float64Array::from_iter(
                    column.whole().unwrap().iter().map(|n| n.map(|n| n as f64)),
                )),
                Arrays::Strings | Arrays::Floats => Arc::new(StringArray::from(texts.clone())),
                Arrays::LargeStrings => Arc::new(LargeStringArray::from(texts.clone())),
                Arrays::Views => Arc::new(StringViewArray::from_iter(texts)),
                Arrays::Dictionaries if texts.len() % 2 == 0 => {
                    Arc::new(texts.iter().map(Option::as_deref).collect::<DictionaryArray<Int32Type>>())
                }
                _ => Arc::new(texts.iter().map(Option::as_deref).collect::<DictionaryArray<Int8Type>>()),
            }
        };
        let columns = self.columns.iter().map(|(name, values)| (name.as_str(), column(values), true));
        RecordBatch::try_from_iter_with_nullable(columns).unwrap()
    }

    pub fn parquet(&self, arrays: Arrays, group: usize) -> Vec<u8> {
        let kind = match arrays {
            Arrays::Strings => Compression::SNAPPY,
            Arrays::Dictionaries => Compression::ZSTD(ZstdLevel::default()),
            Arrays::Typed => Compression::LZ4_RAW,
            _ => Compression::UNCOMPRESSED,
        };
        parquet(&[self.batch(arrays)], kind, group)
    }

    pub fn arrow_file(&self, arrays: Arrays, rows: usize) -> Vec<u8> {
        let batch = self.batch(arrays);
        let mut out = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        pieces(&batch, rows).iter().for_each(|piece| out.write(piece).unwrap());
        out.into_inner().unwrap()
    }

    pub fn arrow_stream(&self, arrays: Arrays, rows: usize) -> Vec<u8> {
        let batch = self.batch(arrays);
        let mut out = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        pieces(&batch, rows).iter().for_each(|piece| out.write(piece).unwrap());
        out.into_inner().unwrap()
    }
}

/// A batch in pieces of so many rows, with an empty one among them.
fn pieces(batch: &RecordBatch, rows: usize) -> Vec<RecordBatch> {
    let mut pieces: Vec<RecordBatch> = (0..batch.num_rows())
        .step_by(rows)
        .map(|from| batch.slice(from, rows.min(batch.num_rows() - from)))
        .collect();
    pieces.insert(pieces.len() / 2, batch.slice(0, 0));
    pieces
}

pub fn parquet(batches: &[RecordBatch], compression: Compression, group: usize) -> Vec<u8> {
    let properties =
        WriterProperties::builder().set_compression(compression).set_max_row_group_row_count(Some(group));
    let mut out = ArrowWriter::try_new(Vec::new(), batches[0].schema(), Some(properties.build())).unwrap();
    batches.iter().for_each(|batch| out.write(batch).unwrap());
    out.into_inner().unwrap()
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::stream::encode_all(bytes, 1).unwrap()
}

/// What a made-up table has.
#[derive(Debug, Clone)]
pub struct Wish {
    pub rows: usize,
    pub groups: usize,
    pub guessers: usize,
    /// Proxies that give probabilities.
    pub scorers: usize,
    pub labels: bool,
    /// Weights: none, multiples of 1/8, or any.
    pub weights: Option<Weights>,
    pub segments: bool,
    pub truth: bool,
    pub sample: bool,
    /// Names that every format has to carry through: quotes, delimiters, line ends, letters of many scripts.
    pub odd_names: bool,
    /// How classes are written: 0 whole numbers, 1 truth values, 2 words.
    pub classes: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Weights {
    Eighths,
    Any,
}

impl Wish {
    pub fn any(dice: &mut Dice, rows: usize) -> Wish {
        let scorers = dice.below(3);
        Wish {
            rows,
            groups: 2 + dice.below(3),
            guessers: 2usize.saturating_sub(scorers) + dice.below(3),
            scorers,
            labels: dice.chance(60),
            weights: dice.chance(60).then_some(Weights::Any),
            segments: dice.chance(40),
            truth: dice.chance(40),
            sample: dice.chance(40),
            odd_names: dice.chance(60),
            classes: dice.below(3),
        }
    }
}

const PLAIN: [&str; 4] = ["ash", "birch", "cedar", "3"];
const ODD: [&str; 4] = ["sa,id \"no\"", "two\nlines; or\r\nthree", "Ünï\t雪 🌲", "' OR 1=1 --"];

pub fn table(dice: &mut Dice, wish: &Wish) -> Table {
    let names: &[&str] = if wish.odd_names { &ODD } else { &PLAIN };
    let groups = &names[..wish.groups];
    let classes: [&str; 2] = [["0", "1"], ["false", "true"], ["re, fused", "yes"]][wish.classes];
    let rows = wish.rows;
    let truth: Vec<usize> =
        (0..rows).map(|row| if row < 8 { row % groups.len() } else { dice.below(groups.len()) }).collect();
    let text = |value: Option<&str>| value.map(str::to_owned);
    let mut columns: Vec<(String, Column)> = Vec::new();
    let mut flags: Vec<String> = Vec::new();
    let labels: Vec<usize> = (0..rows).map(|_| dice.below(2)).collect();
    let decisions: Vec<usize> =
        (0..rows).map(|row| usize::from(dice.chance(30 + 10 * truth[row] + 20 * labels[row]))).collect();
    let decision =
        |dice: &mut Dice, class: usize, lost: usize| text((!dice.chance(lost)).then_some(classes[class]));
    columns.push((
        "y_pred".into(),
        Column::Text(decisions.iter().map(|class| decision(dice, *class, 3)).collect()),
    ));
    if wish.labels {
        let name = if wish.odd_names { "wh\"at, was" } else { "y_true" };
        columns.push((
            name.into(),
            Column::Text(labels.iter().map(|class| decision(dice, *class, 8)).collect()),
        ));
        if wish.odd_names {
            flags.extend(["--y-true".into(), name.into()]);
        }
    }
    for c in 0..wish.guessers {
        let name = if wish.odd_names {
            format!("proxy_{c} é,\"q\"\n{}", ["b", "a", "c", "d"][c % 4])
        } else {
            format!("proxy_{}", 9 - c)
        };
        let guess = |dice: &mut Dice, row: usize| match () {
            // Every proxy knows every group.
            () if row < groups.len() * 2 => text(Some(groups[(row + c) % groups.len()])),
            () if dice.chance(10) => None,
            () if dice.chance(60) => text(Some(groups[truth[row]])),
            () => text(Some(groups[dice.below(groups.len())])),
        };
        columns.push((name.clone(), Column::Text((0..rows).map(|row| guess(dice, row)).collect())));
        if wish.scorers > 0 {
            flags.extend(["--proxy".into(), name]);
        }
    }
    for c in 0..wish.scorers {
        let prefix = format!("{}_", ["scores", "odds\""][c % 2]);
        flags.extend(["--proxy-probs".into(), prefix.clone()]);
        let mut scores = vec![Vec::with_capacity(rows); groups.len()];
        for group in &truth {
            let silent = dice.chance(10);
            let tie = dice.chance(10);
            let mut raw: Vec<f64> = (0..groups.len())
                .map(|g| if tie { 1.0 } else { dice.unit() + if g == *group { 1.0 } else { 0.0 } })
                .collect();
            if wish.weights == Some(Weights::Eighths) {
                // Sums that are exact in every arithmetic.
                raw = vec![0.0; groups.len()];
                (0..8).for_each(|i| {
                    raw[if tie { i % 2 } else { [*group, dice.below(groups.len())][i % 2] }] += 1.0;
                });
            }
            let sum: f64 = raw.iter().sum();
            for (column, score) in scores.iter_mut().zip(&raw) {
                column.push((!silent).then_some(score / sum));
            }
        }
        for (group, column) in groups.iter().zip(scores) {
            columns.push((format!("{prefix}{group}"), Column::Number(column)));
        }
    }
    if let Some(kind) = wish.weights {
        let weight = |dice: &mut Dice| match (kind, dice.below(7)) {
            (Weights::Eighths, n) => n as f64 / 8.0,
            (_, 0) => 0.1,
            (_, 1) => 1.0 / 3.0,
            (_, 2) => 1e-9,
            (_, 3) => 1e9,
            (_, 4) => 0.0,
            _ => dice.unit() * 3.0,
        };
        let weights: Vec<Option<f64>> =
            (0..rows).map(|row| Some(if row < 8 { 1.0 } else { weight(dice) })).collect();
        columns.push(("weight".into(), Column::Number(weights)));
    }
    if wish.segments {
        let name = if wish.odd_names { "wh,ere" } else { "region" };
        let regions = ["north", "s\"outh, far", "10"];
        let region =
            |dice: &mut Dice| if dice.chance(5) { None } else { Some(regions[dice.below(3)].to_owned()) };
        columns.push((name.into(), Column::Text((0..rows).map(|_| region(dice)).collect())));
        flags.extend(["--by".into(), name.into()]);
    }
    if wish.truth {
        columns.push((
            "truth".into(),
            Column::Text(truth.iter().map(|group| text(Some(groups[*group]))).collect()),
        ));
        flags.extend(["--truth".into(), "truth".into()]);
    }
    if wish.sample {
        let known = |dice: &mut Dice, group: usize| text(dice.chance(40).then_some(groups[group]));
        columns
            .push(("sample".into(), Column::Text(truth.iter().map(|group| known(dice, *group)).collect())));
        flags.extend(["--audit-labels".into(), "sample".into()]);
    }
    // Columns that have no role, but not where a tally could be meant.
    columns.push((
        "note".into(),
        Column::Text((0..rows).map(|row| text(Some(["", "x", "\"y\"\n"][row % 3]))).collect()),
    ));
    Table { columns, flags }
}

/// A scratch folder in which commands run.
pub struct Place {
    pub folder: TempDir,
}

#[derive(Debug, PartialEq, Clone)]
pub struct Seen {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Place {
    pub fn new() -> Self {
        Place { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        std::fs::write(self.path(name), bytes).unwrap();
        name.to_owned()
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    pub fn names(&self) -> Vec<String> {
        let files = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn run<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S], stdin: Option<&[u8]>) -> Seen {
        let mut command = Command::cargo_bin("fairveil").unwrap();
        command.args(arguments).current_dir(self.folder.path());
        stdin.iter().for_each(|bytes| {
            command.write_stdin(bytes.to_vec());
        });
        let output = command.output().unwrap();
        Seen {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The JSON of an audit that must work.
    #[track_caller]
    pub fn audit(&self, inputs: &[&str], flags: &[String]) -> String {
        let seen = self.run(
            &arguments("audit", inputs, &[&["--json", "-"].map(String::from)[..], flags].concat()),
            None,
        );
        assert_eq!(seen.code, 0, "{inputs:?} {flags:?}: {}", seen.stderr);
        seen.stdout
    }

    /// Counts, which must work, segments of few rows too.
    #[track_caller]
    pub fn count(&self, inputs: &[&str], output: &str, flags: &[String]) {
        let small = flags.contains(&"--by".to_owned()).then(|| "--show-single-people".to_owned());
        let mine: Vec<String> = ["-o", output].map(String::from).into_iter().chain(small).collect();
        let seen = self.run(&arguments("count", inputs, &[&mine[..], flags].concat()), None);
        assert_eq!(seen.code, 0, "{inputs:?} {flags:?}: {}", seen.stderr);
    }

    /// What is said where a command is refused, whatever the number of threads; no file may appear or change.
    #[track_caller]
    pub fn refused(&self, command: &str, inputs: &[&str], flags: &[&str]) -> String {
        let before: Vec<(String, Vec<u8>)> =
            self.names().into_iter().map(|name| (name.clone(), self.read(&name))).collect();
        let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let said = ["1", "4"].map(|threads| {
            let seen = self.run(
                &arguments(command, inputs, &[&flags[..], &["--threads".into(), threads.into()]].concat()),
                None,
            );
            assert_eq!((seen.code, seen.stdout.as_str()), (2, ""), "{inputs:?} {flags:?} {}", seen.stderr);
            for part in ["needed:", "to do:"] {
                assert!(seen.stderr.contains(part), "{}", seen.stderr);
            }
            seen.stderr
        });
        assert_eq!(said[0], said[1]);
        let after: Vec<(String, Vec<u8>)> =
            self.names().into_iter().map(|name| (name.clone(), self.read(&name))).collect();
        assert!(before == after, "files appeared or changed");
        said[0].clone()
    }
}

pub fn arguments(command: &str, inputs: &[&str], flags: &[String]) -> Vec<String> {
    let mut arguments = vec![command.to_owned()];
    arguments.extend(inputs.iter().map(|input| (*input).to_owned()));
    arguments.extend(flags.iter().cloned());
    arguments
}

#[track_caller]
pub fn says(message: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(message.contains(part), "`{part}` is not in: {message}"));
}
