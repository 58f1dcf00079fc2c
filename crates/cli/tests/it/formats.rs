//! One table, every way to write it: the digits are the same.

use crate::tables::{Arrays, Dice, Place, Table, Weights, Wish, arguments, gzip, says, table, zstd};
use std::io::Write;
use std::process::Stdio;

/// Every way to write a table; the first is the one that the others are held against.
fn written(table: &Table) -> Vec<(&'static str, Vec<u8>)> {
    let plain = table.csv(b',', "\n", false);
    let rows = table.rows();
    vec![
        ("crlf.csv", table.csv(b',', "\r\n", false)),
        ("quoted.csv", table.csv(b',', "\n", true)),
        ("quoted-crlf.csv", table.csv(b',', "\r\n", true)),
        ("mark.csv", [b"\xef\xbb\xbf".as_slice(), &plain].concat()),
        ("tabs.tsv", table.csv(b'\t', "\n", false)),
        ("packed.csv.gz", gzip(&plain)),
        ("members.csv.gz", [gzip(&plain[..plain.len() / 2]), gzip(&plain[plain.len() / 2..])].concat()),
        ("packed.csv.zst", zstd(&plain)),
        ("lines.jsonl", table.json_lines(false, false)),
        ("typed.jsonl", table.json_lines(true, false)),
        ("packed.jsonl.zst", zstd(&table.json_lines(true, false))),
        ("array.json", table.json_array()),
        ("strings.parquet", table.parquet(Arrays::Strings, rows / 3 + 1)),
        ("large.parquet", table.parquet(Arrays::LargeStrings, rows)),
        ("dictionaries.parquet", table.parquet(Arrays::Dictionaries, rows / 4 + 1)),
        ("typed.parquet", table.parquet(Arrays::Typed, rows / 2 + 1)),
        ("floats.parquet", table.parquet(Arrays::Floats, rows / 2 + 1)),
        ("packed.parquet.gz", gzip(&table.parquet(Arrays::Views, rows))),
        ("strings.arrow", table.arrow_file(Arrays::Strings, rows / 3 + 1)),
        ("dictionaries.arrow", table.arrow_file(Arrays::Dictionaries, rows)),
        ("typed.arrow", table.arrow_file(Arrays::Typed, rows / 5 + 1)),
        ("views.arrows", table.arrow_stream(Arrays::Views, rows / 3 + 1)),
        ("typed.arrows", table.arrow_stream(Arrays::Typed, rows / 2 + 1)),
        ("packed.arrows.zst", zstd(&table.arrow_stream(Arrays::Dictionaries, rows))),
    ]
}

/// The audit of a table is the same from every format, from standard input, from parts, and from tallies of all of it and of
/// its parts.
fn every_way_gives_the_same_audit(table: &Table, settings: &[&str], dice: &mut Dice) {
    let place = Place::new();
    let flags: Vec<String> =
        table.flags.iter().cloned().chain(settings.iter().map(|flag| (*flag).to_owned())).collect();
    let plain = table.csv(b',', "\n", false);
    place.file("plain.csv", &plain);
    let expected = place.audit(&["plain.csv"], &flags);
    assert!(expected.len() > 1000 && !expected.contains("plain.csv"));
    for (name, bytes) in written(table) {
        place.file(name, &bytes);
        assert!(place.audit(&[name], &flags) == expected, "{name} {flags:?}");
    }
    for name in [
        "plain.csv",
        "typed.jsonl",
        "array.json",
        "strings.parquet",
        "strings.arrow",
        "views.arrows",
        "packed.csv.gz",
    ] {
        let arguments =
            arguments("audit", &["-"], &[&["--json", "-"].map(String::from)[..], &flags].concat());
        let seen = place.run(&arguments, Some(&place.read(name)));
        assert!((seen.code, &seen.stdout) == (0, &expected), "standard input, {name}: {}", seen.stderr);
    }

    // Parts in several formats, their columns in any order.
    let parts = table.deal(3, dice);
    place.file("part0.csv", parts[0].csv(b',', "\n", false));
    place.file("part1.jsonl", parts[1].shuffled_columns(dice).json_lines(true, false));
    place.file("part2.parquet", parts[2].shuffled_columns(dice).parquet(Arrays::Typed, 7));
    let names = ["part0.csv", "part1.jsonl", "part2.parquet"];
    assert!(place.audit(&names, &flags) == expected, "parts {flags:?}");
    assert!(place.audit(&["part*"], &flags) == expected, "parts by a pattern {flags:?}");

    // Tallies, from any format, in any format.
    let count = &table.flags;
    let tallies = [
        ("plain.csv", "tally.csv"),
        ("typed.jsonl", "tally.tsv"),
        ("dictionaries.parquet", "tally.jsonl"),
        ("typed.arrows", "tally.parquet"),
    ];
    for (from, to) in tallies {
        place.count(&[from], to, count);
        assert!(
            place.audit(&[to], &flags) == expected,
            "{from} in {to} {flags:?}\n{}",
            place.text("tally.csv")
        );
    }
    for (from, to) in
        [("tally.parquet", "again.csv"), ("tally.jsonl", "again.csv"), ("tally.tsv", "again.csv")]
    {
        place.count(&[from], to, count);
        assert_eq!(place.text(to), place.text("tally.csv"), "{from}");
    }
    for (i, part) in names.iter().enumerate() {
        place.count(&[part], &format!("some{i}.{}", ["parquet", "csv", "jsonl"][i]), count);
    }
    let some = ["some0.parquet", "some1.csv", "some2.jsonl"];
    assert!(place.audit(&some, &flags) == expected, "tallies of parts {flags:?}");
    place.count(&some, "sum.csv", count);
    assert_eq!(place.text("sum.csv"), place.text("tally.csv"));
    place.count(&names, "parts.csv", count);
    assert_eq!(place.text("parts.csv"), place.text("tally.csv"));
}

fn from_seeds(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let mut dice = Dice(seed);
        let rows = 40 + dice.below(160);
        let wish = Wish::any(&mut dice, rows);
        let table = table(&mut dice, &wish);
        let positive = if wish.classes == 2 { &["--positive", "yes"][..] } else { &[] };
        every_way_gives_the_same_audit(&table, &[&["--n-boot", "0"], positive].concat(), &mut dice);
    }
}

#[test]
fn random_tables_give_the_same_json_from_every_format() {
    from_seeds(0..3);
}

#[test]
fn more_random_tables_give_the_same_json_from_every_format() {
    from_seeds(3..5);
}

#[test]
fn a_table_with_everything_in_it_gives_the_same_json_from_every_format() {
    let mut dice = Dice(99);
    let wish = Wish {
        rows: 220,
        groups: 4,
        guessers: 2,
        scorers: 2,
        labels: true,
        weights: Some(Weights::Any),
        segments: true,
        truth: true,
        sample: true,
        odd_names: true,
        classes: 0,
    };
    let table = table(&mut dice, &wish);
    every_way_gives_the_same_audit(&table, &["--n-boot", "0"], &mut dice);
}

/// Draws are shared out over threads too.
#[test]
fn intervals_are_the_same_from_every_format() {
    let mut dice = Dice(21);
    let wish = Wish {
        groups: 2,
        guessers: 3,
        scorers: 0,
        labels: false,
        segments: false,
        odd_names: true,
        classes: 0,
        ..Wish::any(&mut dice, 60)
    };
    let table = table(&mut dice, &wish);
    let place = Place::new();
    let flags = |threads: &str| -> Vec<String> {
        table
            .flags
            .iter()
            .cloned()
            .chain(["--n-boot", "100", "--threads", threads].map(String::from))
            .collect()
    };
    place.file("t.csv", table.csv(b',', "\n", false));
    place.file("t.parquet", table.parquet(Arrays::Typed, 20));
    place.count(&["t.parquet"], "tally.jsonl", &table.flags);
    let expected = place.audit(&["t.csv"], &flags("1"));
    assert!(place.audit(&["t.parquet"], &flags("2")) == expected);
    assert!(place.audit(&["tally.jsonl"], &flags("4")) == expected);
}

#[test]
fn objects_without_their_nulls_are_the_same_rows() {
    let mut dice = Dice(7);
    let wish = Wish { scorers: 1, weights: Some(Weights::Any), odd_names: true, ..Wish::any(&mut dice, 150) };
    let table = table(&mut dice, &Wish { classes: 0, ..wish });
    let flags: Vec<String> = table.flags.iter().cloned().chain(["--n-boot".into(), "0".into()]).collect();
    let place = Place::new();
    place.file("all.csv", table.csv(b',', "\n", false));
    place.file("some.jsonl", table.json_lines(true, true));
    assert!(place.audit(&["all.csv"], &flags) == place.audit(&["some.jsonl"], &flags));
}

/// Enough rows for many blocks, batches and row groups, and for threads to be worth starting.
#[test]
fn large_tables_give_the_same_json_whatever_the_threads() {
    let mut dice = Dice(5);
    let wish = Wish {
        rows: 30_000,
        groups: 3,
        guessers: 2,
        scorers: 1,
        labels: true,
        weights: Some(Weights::Any),
        segments: true,
        truth: true,
        sample: true,
        odd_names: true,
        classes: 1,
    };
    let table = table(&mut dice, &wish);
    let place = Place::new();
    place.file("t.csv", table.csv(b',', "\r\n", false));
    place.file("t.tsv", table.csv(b'\t', "\n", true));
    place.file("t.jsonl", table.json_lines(true, false));
    place.file("array.json", table.json_array());
    place.file("t.parquet", table.parquet(Arrays::Dictionaries, 3_001));
    place.file("typed.parquet", table.parquet(Arrays::Typed, 100_000));
    place.file("t.arrows", table.arrow_stream(Arrays::Strings, 2_000));
    place.file("t.arrow", table.arrow_file(Arrays::Typed, 100_000));
    place.file("t.csv.zst", zstd(&place.read("t.csv")));
    let flags = |threads: &str| -> Vec<String> {
        table.flags.iter().cloned().chain(["--n-boot", "0", "--threads", threads].map(String::from)).collect()
    };
    let expected = place.audit(&["t.csv"], &flags("1"));
    for name in [
        "t.csv",
        "t.tsv",
        "t.jsonl",
        "array.json",
        "t.parquet",
        "typed.parquet",
        "t.arrows",
        "t.arrow",
        "t.csv.zst",
    ] {
        assert!(place.audit(&[name], &flags("4")) == expected, "{name}");
    }
    assert!(place.audit(&["t.csv"], &flags("2")) == expected);
    let threads = |threads: &str| -> Vec<String> {
        table.flags.iter().cloned().chain(["--threads", threads].map(String::from)).collect()
    };
    place.count(&["t.csv"], "one.csv", &threads("1"));
    place.count(&["t.csv"], "four.csv", &threads("4"));
    place.count(&["t.parquet"], "parquet.csv", &threads("4"));
    assert_eq!(place.text("one.csv"), place.text("four.csv"));
    assert_eq!(place.text("one.csv"), place.text("parquet.csv"));
    assert!(place.audit(&["one.csv"], &flags("1")) == expected);
}

/// The first blocks hold more combinations of values than the last.
#[test]
fn cells_are_told_apart_when_few_values_follow_many() {
    let place = Place::new();
    let row = |i: usize, dice: &mut Dice| {
        format!("{},{},g{},g{},g{}\n", dice.below(2), i % 400, dice.below(5), dice.below(5), dice.below(5))
    };
    let mut dice = Dice(3);
    let many: String = (0..20_000).map(|i| row(i, &mut dice)).collect();
    let few: String = (0..50).map(|i| format!("{},0,g{},g{},g1\n", i % 2, i % 2, i / 2 % 2)).collect();
    let head = "y_pred,where,proxy_a,proxy_b,proxy_c\n";
    place.file("many.csv", format!("{head}{many}"));
    place.file("few.csv", format!("{head}{few}"));
    place.file("together.csv", format!("{head}{many}{few}"));
    place.file("backwards.csv", format!("{head}{few}{many}"));
    let by = ["--by".to_owned(), "where".to_owned()];
    place.count(&["many.csv", "few.csv"], "a.csv", &by);
    place.count(&["few.csv", "many.csv"], "b.csv", &by);
    place.count(&["together.csv"], "c.csv", &by);
    place.count(&["backwards.csv"], "d.csv", &by);
    let tally = place.text("a.csv");
    let total: u64 =
        tally.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().parse::<u64>().unwrap()).sum();
    assert_eq!(total, 20_050);
    for other in ["b.csv", "c.csv", "d.csv"] {
        assert!(place.text(other) == tally, "{other}");
    }
}

/// What comes through a pipe comes in pieces of any size.
#[test]
fn formats_are_told_however_slowly_the_bytes_come() {
    let mut dice = Dice(11);
    let wish = Wish { odd_names: false, classes: 0, ..Wish::any(&mut dice, 60) };
    let table = table(&mut dice, &wish);
    let place = Place::new();
    let flags: Vec<String> = table.flags.iter().cloned().chain(["--n-boot", "0"].map(String::from)).collect();
    place.file("t.csv", table.csv(b',', "\n", false));
    let expected = place.audit(&["t.csv"], &flags);
    for (name, bytes) in [
        ("csv", table.csv(b';', "\n", false)),
        ("gz", gzip(&table.csv(b'\t', "\n", false))),
        ("jsonl", table.json_lines(true, false)),
        ("array", table.json_array()),
        ("parquet", table.parquet(Arrays::Typed, 20)),
        ("arrow", table.arrow_stream(Arrays::Strings, 20)),
    ] {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("fairveil"));
        command.args(arguments("audit", &["-"], &[&["--json", "-"].map(String::from)[..], &flags].concat()));
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        for piece in [&bytes[..1], &bytes[1..5], &bytes[5..9], &bytes[9..]] {
            stdin.write_all(piece).unwrap();
            stdin.flush().unwrap();
            std::thread::sleep(std::time::Duration::from_millis(30));
        }
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(String::from_utf8(output.stdout).unwrap() == expected, "{name}: {said}");
    }
}

#[test]
fn one_value_in_several_spellings_is_one_value_and_is_reported() {
    let place = Place::new();
    let rows = "1,x,x\n1.0,y,x\n\" 1\",y,y\n0,x,y\n0,x,x\n";
    place.file("t.csv", format!("y_pred,proxy_a,proxy_b\n{rows}"));
    let objects: String = [
        (r#""1""#, "x", "x"),
        (r#""1.0""#, "y", "x"),
        (r#"" 1""#, "y", "y"),
        ("0", "x", "y"),
        ("0.0", "x", "x"),
    ]
    .iter()
    .map(|(p, a, b)| format!("{{\"y_pred\": {p}, \"proxy_a\": \"{a}\", \"proxy_b\": \"{b}\"}}\n"))
    .collect();
    place.file("t.jsonl", objects);
    let flags = ["--n-boot".to_owned(), "0".to_owned()];
    let expected = place.audit(&["t.csv"], &flags);
    says(&expected, &["\"D04\"", "\\\" 1\\\"", "\\\"1.0\\\""]);
    assert!(place.audit(&["t.jsonl"], &flags) == expected);
    place.count(&["t.csv"], "tally.parquet", &[]);
    assert!(place.audit(&["tally.parquet"], &flags) == expected);
}
