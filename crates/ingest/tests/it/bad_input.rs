//! What bad tables get: where, what was found, what was needed, what to do. And never a panic.

use fairveil_core::{Audit, Settings};
use fairveil_ingest::{Columns, Delimiter, IngestError, read, read_file};
use proptest::prelude::*;
use std::io::Write;

fn table(text: &str) -> Result<fairveil_ingest::Table, IngestError> {
    table_with(text, &Columns::default())
}

fn table_with(text: impl AsRef<[u8]>, columns: &Columns) -> Result<fairveil_ingest::Table, IngestError> {
    read(text.as_ref(), "t.csv", columns, Delimiter::Detect)
}

/// The message of a table that must be refused.
fn refused(text: impl AsRef<[u8]>, columns: &Columns) -> String {
    let message = table_with(text, columns).unwrap_err().to_string();
    assert!(message.contains("needed:") && message.contains("to do:"), "{message}");
    message
}

#[track_caller]
fn says(message: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(message.contains(part), "`{part}` is not in: {message}"));
}

const HEAD: &str = "y_pred,y_true,proxy_a,proxy_b,proxy_c\n";

fn rows(rows: &str) -> String {
    format!("{HEAD}1,1,x,x,y\n0,0,y,y,x\n{rows}")
}

#[test]
fn blank_lines_are_no_rows_and_count_as_lines() {
    let blank = "\n".repeat(200_000);
    let with = format!("{blank}{HEAD}{blank}1,1,x,x,y\n{blank}0,0,y,y,x\n\n");
    let counts = table(&with).unwrap().counts;
    assert_eq!(counts, table(&rows("")).unwrap().counts);
    // The line of what is wrong behind them, in texts with and without quotes.
    for quoted in ["x", "\"x\""] {
        let broken = format!("{HEAD}1,1,{quoted},x,y\n{blank}0,0,y,y,x\n{blank}1,1,x\n0,0,y,y,x\n");
        says(&refused(&broken, &Columns::default()), &["t.csv, line 400004: the row has 3 fields"]);
    }
}

#[test]
fn files_that_are_no_table() {
    let none = Columns::default();
    says(&refused("", &none), &["t.csv: the file is empty"]);
    says(&refused("\n\n", &none), &["the file is empty"]);
    says(&refused(HEAD, &none), &["a header and no row"]);
    says(&refused("PAR1....", &none), &["Parquet"]);
    says(&refused([0xff, 0xfe, b'a', 0], &none), &["no column `y_pred`"]);
    says(&refused("a\0b,c\n", &none), &["binary"]);
    let missing = read_file(std::path::Path::new("no/such.csv"), &none, Delimiter::Detect).unwrap_err();
    says(&missing.to_string(), &["no/such.csv: cannot be read", "check the name"]);
    let folder = read_file(std::path::Path::new("."), &none, Delimiter::Detect).unwrap_err();
    says(&folder.to_string(), &[".: cannot be read"]);
}

#[test]
fn columns_that_are_not_there_or_there_twice() {
    let asked = |name: &str| Columns { y_pred: Some(name.into()), ..Columns::default() };
    says(
        &refused(rows(""), &asked("y_perd")),
        &["column `y_perd`: there is no such column", "did you mean `y_pred`?"],
    );
    says(&refused(rows(""), &asked("zzz")), &["choose one of `y_pred`, `y_true`"]);
    says(
        &refused("y_pred,y_pred,proxy_a\n1,1,x\n", &Columns::default()),
        &["`y_pred`: the header has this name more"],
    );
    says(
        &refused("a,b\n1,2\n", &Columns::default()),
        &["no column `y_pred`", "name it with y_pred", "`a`, `b`"],
    );
    says(&refused("y_pred,b\n1,2\n", &Columns::default()), &["no column `proxy_*`", "name it with proxy;"]);
    says(
        &refused(rows(""), &asked("proxy_a")),
        &["asked for as the model's decisions and as a proxy's guess"],
    );
    let twice = Columns { proxies: vec!["proxy_a".into(), "proxy_a:s".into()], ..Columns::default() };
    says(&refused(rows(""), &twice), &["column `proxy_a`: the column is asked for as"]);
    let probs = Columns { proxy_probs: vec!["nothing_".into()], ..Columns::default() };
    says(&refused(rows(""), &probs), &["column `nothing_…`: there is no such column"]);
}

#[test]
fn rows_that_are_broken() {
    let none = Columns::default();
    says(
        &refused(rows("1,1,x,x\n"), &none),
        &["t.csv, line 4: the row has 4 fields, the header 5", "name the delimiter with delimiter"],
    );
    says(
        &refused([rows("").as_bytes(), b"1,1,x,\xff,y\n"].concat(), &none),
        &["line 4, column `proxy_b`", "not UTF-8"],
    );
}

#[test]
fn values_that_make_no_sense() {
    let none = Columns::default();
    says(&refused("y_pred,proxy_a,proxy_b\n1,x,x\n0,x,x\n", &none), &["fewer than two groups"]);
    says(&refused("y_pred,proxy_a\n1,x\n1,y\n", &none), &["fewer than two classes: `1`"]);
    says(&refused("y_pred,proxy_a\n,x\n,y\n", &none), &["no row has a prediction"]);
    says(
        &refused(rows("1,1,z,x,x\n"), &none),
        &["line 4, column `proxy_a`: no other proxy makes the guess here", "list all groups with groups"],
    );
    says(
        &refused("y_pred,proxy_a\nred,x\nblue,y\n", &none),
        &["not obvious which one is positive", "positive = 'red'"],
    );
    says(&refused("y_pred,y_true,proxy_a\n1,yes,x\n0,no,y\n", &none), &["have no value in common"]);
    let positive = Columns { positive: Some("2".into()), ..Columns::default() };
    says(
        &refused(rows(""), &positive),
        &["the positive class `2` does not occur", "one of the classes `0`, `1`"],
    );
    let groups = Columns { groups: Some(vec!["x".into(), "w".into()]), ..Columns::default() };
    says(&refused(rows(""), &groups), &["the value here is not one of the groups"]);
    let groups = Columns { groups: Some(vec!["x".into(), "y".into(), "w".into()]), ..Columns::default() };
    says(&refused(rows(""), &groups), &["no proxy ever guesses the group `w`"]);
    let truth = Columns { truth: Some("t".into()), ..Columns::default() };
    says(
        &refused("y_pred,proxy_a,t\n1,x,x\n0,y,\n", &truth),
        &["line 3, column `t`: the true group is missing"],
    );
    says(
        &refused("y_pred,proxy_a,t\n1,x,x\n0,y,q\n", &truth),
        &["line 3, column `t`: the true group here is guessed by no proxy"],
    );
}

#[test]
fn weights_that_are_none() {
    let head = "y_pred,proxy_a,weight\n1,x,1\n";
    for (weight, shown) in [
        ("-1", "`-1`"),
        ("NaN", "`NaN`"),
        ("abc", "`abc`"),
        ("", "``"),
        ("inf", "`inf`"),
        ("1e300", "`1e300`"),
    ] {
        let message = refused(format!("{head}0,y,{weight}\n"), &Columns::default());
        says(&message, &["t.csv, line 3, column `weight`: the weight is", shown, "a number from 0 to 1e12"]);
    }
    says(&refused("y_pred,proxy_a,weight\n1,x,0\n0,y,0\n", &Columns::default()), &["all weights are 0"]);
}

#[test]
fn probabilities_that_are_none() {
    let columns = Columns { proxy_probs: vec!["p_".into()], ..Columns::default() };
    let with = |a: &str, b: &str| refused(format!("y_pred,p_x,p_y\n1,0.5,0.5\n0,{a},{b}\n"), &columns);
    says(&with("0.5", "0.6"), &["line 3, column `p`: the probabilities of the row sum to 1.1000"]);
    says(&with("1.5", "0"), &["line 3, column `p_x`: the probability is `1.5`"]);
    says(&with("x", "0"), &["the probability is `x`"]);
    says(&with("", "1"), &["some probabilities of the row are missing"]);
    let two = Columns { proxy_probs: vec!["p_".into(), "q_".into()], ..Columns::default() };
    says(
        &refused("y_pred,p_x,p_y,q_x,q_z\n1,1,0,1,0\n", &two),
        &["column `q`: these probabilities are about `x`, `z`"],
    );
}

#[test]
fn columns_that_hold_something_else() {
    let ids: String = (0..10_001).map(|i| format!("{},id{i}\n", i % 2)).collect();
    let message = refused(format!("y_pred,proxy_a\n{ids}"), &Columns::default());
    says(
        &message,
        &["line 10002, column `proxy_a`: more than 10000 distinct values; this does not look like a group"],
    );
    let scores: String = (0..300).map(|i| format!("0.{i:03},x\n")).collect();
    let message = refused(format!("y_pred,proxy_a\n{scores}"), &Columns::default());
    says(&message, &["column `y_pred`: more than 50 distinct values", "turn them into decisions"]);
}

#[test]
fn useless_proxies_are_refused_by_the_audit() {
    let audit = |text: &str| {
        Audit::run(&table(text).unwrap().counts, None, &Settings::default()).unwrap_err().to_string()
    };
    says(
        &audit("y_pred,proxy_a,proxy_b\n1,x,x\n0,y,x\n"),
        &["proxy proxy_b never varies: it guesses the same on every row"],
    );
    says(
        &audit("y_pred,proxy_a,proxy_b\n1,x,\n0,y,\n"),
        &["proxy proxy_b never varies: it never gives a guess"],
    );
    says(
        &audit("y_pred,proxy_a,proxy_b\n1,x,x\n0,y,y\n"),
        &["proxies proxy_a, proxy_b give the same guess on every row"],
    );
}

#[test]
fn truncated_gzip_is_an_error() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    let long: String = (0..5000).map(|i| format!("{},{},x,y,x\n", i % 2, i % 3 % 2)).collect();
    packed.write_all(rows(&long).as_bytes()).unwrap();
    let bytes = packed.finish().unwrap();
    assert_eq!(table_with(&bytes, &Columns::default()).unwrap().counts.weight(), 5002.0);
    says(
        &refused(&bytes[..bytes.len() / 2], &Columns::default()),
        &["cannot be read", "check that the file is complete"],
    );
}

#[test]
fn quoting_byte_order_marks_line_ends_and_tabs_are_read() {
    let plain = table("y_pred,proxy_a,proxy_b\n1,\"a, b\",c\n0,c,\"a, b\"\n1,c,c\n").unwrap();
    assert_eq!(plain.counts.legend().groups, ["a, b", "c"]);
    for same in [
        "\u{feff}y_pred,proxy_a,proxy_b\r\n1,\"a, b\",c\r\n0,c,\"a, b\"\r\n1,c,c",
        "y_pred\tproxy_a\tproxy_b\n1\ta, b\tc\n0\tc\ta, b\n1\tc\tc\n",
        "y_pred;proxy_a;proxy_b\n1;a, b;c\n0;c;a, b\n1;c;c\n",
        "\"y_pred\",other,\"proxy_a\",\"proxy_b\"\n1,\"multi\nline\",\"a, b\",c\n0,,c,\"a, b\"\n1,,c,c\n",
    ] {
        assert_eq!(table(same).unwrap(), plain, "{same}");
    }
}

#[test]
fn lines_are_counted_as_an_editor_counts_them() {
    let bad = |text: &str| refused(text, &Columns::default());
    let head = "y_pred,proxy_a,note,weight";
    for (text, line) in [
        (format!("{head}\n1,x,,1\n0,y,,bad\n"), 3),
        (format!("{head}\r\n1,x,,1\r\n0,y,,bad\r\n"), 3),
        (format!("{head}\r1,x,,1\r0,y,,bad"), 3),
        (format!("{head}\n\n\n1,x,,1\n\n0,y,,bad"), 6),
        (format!("{head}\r\n1,x,\"two\r\nlines\",1\r\n0,y,\"a\nb\nc\",bad"), 4),
    ] {
        says(&bad(&text), &[&format!("line {line}, column `weight`")]);
    }
}

#[test]
fn rows_that_do_not_count_bring_no_group_and_no_class() {
    let plain = table(&rows("")).unwrap().counts;
    let ghost = table(&rows(",1,ghost,ghost,ghost\n")).unwrap().counts;
    assert_eq!(ghost.legend(), plain.legend());
    let weighted = "y_pred,proxy_a,proxy_b,weight\n1,x,y,1\n0,y,x,2\n2,ghost,ghost,0\n";
    let legend = table(weighted).unwrap().counts.legend().clone();
    assert_eq!((legend.groups, legend.classes), (vec!["x".into(), "y".into()], vec!["0".into(), "1".into()]));
}

#[test]
fn groups_can_be_listed_once_in_any_spelling() {
    let asked = |groups: &[&str]| Columns {
        groups: Some(groups.iter().map(|g| (*g).into()).collect()),
        ..Columns::default()
    };
    says(&refused(rows(""), &asked(&["x", "x", "y"])), &["groups lists `x` twice"]);
    assert_eq!(table_with(rows(""), &asked(&[" y", "x "])).unwrap().counts.legend().groups, ["y", "x"]);
}

#[test]
fn what_is_missing_is_counted() {
    let text = rows("NaN,1,x,x,x\n1,null,,NaN,x\n,,y,y,y\n1.0,1,x,x, x\n");
    let counts = table(&text).unwrap().counts;
    let intake = counts.intake();
    assert_eq!((intake.rows, intake.without_prediction, intake.without_label), (4, 2, 1));
    assert_eq!(counts.abstained(fairveil_core::vocabulary::ProxyId(0)), 1.0);
    let spelled: Vec<&str> = intake.spellings.iter().map(|s| s.column.as_str()).collect();
    assert_eq!(spelled, ["y_pred", "proxy_c"]);
    let findings = Audit::run(&counts, None, &Settings::default()).unwrap().findings;
    for code in ["D01", "D02", "D03", "D04"] {
        assert!(findings.iter().any(|finding| finding.code == code), "{code} {findings:?}");
    }
}

#[test]
fn weights_and_probabilities_are_summed_whatever_the_order_of_rows() {
    let lines: Vec<String> = (0..97)
        .map(|i| {
            format!(
                "{},{},{:.3},{:.3},0.{}7",
                i % 2,
                ["x", "y"][i % 3 % 2],
                i as f64 / 100.0,
                1.0 - i as f64 / 100.0,
                i % 9
            )
        })
        .collect();
    let columns = Columns { proxy_probs: vec!["p_".into()], proxies: vec!["g".into()], ..Columns::default() };
    let read = |lines: &[String]| {
        table_with(format!("y_pred,g,p_x,p_y,weight\n{}", lines.join("\n")), &columns).unwrap()
    };
    let mut backwards = lines.clone();
    backwards.reverse();
    assert_eq!(read(&lines), read(&backwards));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = table_with(&bytes, &Columns::default());
        let _ = table_with([HEAD.as_bytes(), &bytes].concat(), &Columns::default());
        let _ = table_with([&[0x1f, 0x8b][..], &bytes].concat(), &Columns::default());
    }

    #[test]
    fn arbitrary_tables_are_audited_or_refused(
        header in prop::collection::vec(
            prop_oneof!["y_pred", "y_true", "weight", "proxy_a", "proxy_b", "proxy_c", "p_x", "p_y", "t", "[a-c,\" ]{0,3}"], 1..8),
        cells in prop::collection::vec(
            prop_oneof!["0", "1", "x", "y", "", "NaN", "0.5", "-1", "1e9", "[\\x00-\\x7f]{0,3}", "\\PC{0,2}"], 0..120),
        delimiter in prop_oneof![Just(b','), Just(b'\t'), Just(b';')],
        probabilities in any::<bool>(), truth in any::<bool>()
    ) {
        let mut text = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
        text.write_record(&header).unwrap();
        for row in cells.chunks_exact(header.len()) {
            text.write_record(row).unwrap();
        }
        let columns = Columns {
            proxies: vec![],
            proxy_probs: if probabilities { vec!["p_".into()] } else { vec![] },
            truth: truth.then(|| "t".into()),
            ..Columns::default()
        };
        if let Ok(table) = table_with(text.into_inner().unwrap(), &columns) {
            let settings = Settings { n_boot: 100, ..Settings::default() };
            let audit = Audit::run(&table.counts, table.truth.as_ref(), &settings);
            if let Ok(audit) = audit {
                prop_assert!(audit.results.iter().all(|r| r.value.is_none_or(f64::is_finite)));
            }
        }
    }
}
