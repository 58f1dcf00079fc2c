//! What a spreadsheet would take for a formula is said, and written as text where that is asked for.

use crate::cli::Place;

/// Rows with a name that is a formula, and segments of which one is.
fn people() -> String {
    let guess = |row: usize, proxy: usize| if (row * 11 + proxy * 3) % (5 + proxy) < 2 { "b" } else { "a" };
    let line = |row: usize| {
        let guesses = [0, 1, 2].map(|proxy| guess(row, proxy)).join(",");
        let name = if row == 7 { "=1+2" } else { "Ann" };
        let part = if row.is_multiple_of(2) { "@north" } else { "-1" };
        format!("{name},{part},{}.5,{},{guesses}\n", row % 9, usize::from(row.is_multiple_of(3)))
    };
    String::from("name,+part,x,y_pred,proxy_a,proxy_b,proxy_c\n") + &(0..300).map(line).collect::<String>()
}

/// The cells of a text that a spreadsheet computes.
fn computed(text: &str) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    let cells =
        reader.records().flat_map(|record| record.unwrap().iter().map(str::to_owned).collect::<Vec<_>>());
    let is =
        |cell: &String| cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
    cells.filter(is).collect()
}

#[test]
fn formulas_are_said_and_with_safe_csv_there_are_none() {
    for (words, cells) in [
        ("count people.csv --by +part --show-single-people -o out.csv", None),
        ("neighbors people.csv --proxy proxy_a --features x --metric euclidean -o out.csv", Some(152)),
        ("privatize people.csv --proxy proxy_a --epsilon 1 --seed 1 -o out.csv", Some(152)),
    ] {
        let place = Place::new();
        place.file("people.csv", &people());
        let plain = place.run(words);
        assert_eq!(plain.code, 0, "{}", plain.all());
        let found = computed(&place.read("out.csv")).len();
        assert!(found > 1 && cells.is_none_or(|cells| found == cells), "{words}: {found}");
        let said = format!("warning: {found} cells begin like a formula");
        assert!(plain.stderr.contains(&said) && plain.stderr.contains("--safe-csv"), "{}", plain.all());

        let place = Place::new();
        place.file("people.csv", &people());
        let safe = place.run(&format!("{words} --safe-csv"));
        assert_eq!(safe.code, 0, "{}", safe.all());
        let written = place.read("out.csv");
        assert_eq!(computed(&written), [""; 0], "{words}");
        assert!(written.contains("'+part") && written.contains("'@north"), "{written}");
        // A number is no formula, and stays what it is.
        assert!(written.contains(",-1,") || written.contains("\n-1,"), "{written}");
        assert!(!safe.stderr.contains("computes"), "{}", safe.all());
    }
}

#[test]
fn tables_without_formulas_are_written_as_they_were() {
    let place = Place::new();
    assert_eq!(place.run("simulate --rows 300 --seed 5 -o people.csv").code, 0);
    assert_eq!(computed(&place.read("people.csv")), [""; 0]);
    for words in ["count people.csv", "privatize people.csv --proxy proxy_1 --epsilon 1 --seed 1"] {
        let plain = place.run(&format!("{words} -o plain.csv"));
        let safe = place.run(&format!("{words} -o safe.csv --safe-csv"));
        assert_eq!((plain.code, safe.code), (0, 0), "{} {}", plain.all(), safe.all());
        assert_eq!(place.read("plain.csv"), place.read("safe.csv"));
        assert!(!plain.stderr.contains("formula"), "{}", plain.all());
    }
}

#[test]
fn safe_csv_is_refused_where_it_would_break_something_or_means_nothing() {
    let place = Place::new();
    place.file("people.csv", &people().replace(",b", ",=b"));
    for (words, found) in [
        ("count people.csv --safe-csv -o out.jsonl", "is not CSV or TSV"),
        ("count people.csv --safe-csv -o out.parquet", "is not CSV or TSV"),
        ("privatize people.csv --proxy proxy_a --epsilon 1 --safe-csv -o out.jsonl.gz", "is not CSV or TSV"),
        // The mechanism lists the group as it is.
        (
            "privatize people.csv --proxy proxy_a --epsilon 1 --safe-csv -o out.csv",
            "would rename a proxy or a group",
        ),
    ] {
        let seen = place.run(words);
        assert_eq!(seen.code, 2, "{}", seen.all());
        for part in [found, "needed:", "to do:"] {
            assert!(seen.stderr.contains(part), "{}", seen.all());
        }
        assert_eq!(place.names(), ["people.csv"], "{words}");
    }
}

#[test]
fn more_proxies_than_can_be_audited_are_refused() {
    let place = Place::new();
    let line = |row: usize| {
        let guesses: Vec<&str> =
            (0..65).map(|c| if (row * 7 + c * row + c) % 5 < 2 { "b" } else { "a" }).collect();
        format!("{},{}\n", row % 2, guesses.join(","))
    };
    let names: Vec<String> = (0..65).map(|c| format!("proxy_{c}")).collect();
    let table = format!("y_pred,{}\n", names.join(",")) + &(0..100).map(line).collect::<String>();
    place.file("people.csv", &table);
    let seen = place.run("audit people.csv --json out.json");
    assert_eq!(seen.code, 2, "{}", seen.all());
    for part in ["65 proxies", "needed: at most 64 proxies", "to do:", "--proxy"] {
        assert!(seen.stderr.contains(part), "{}", seen.all());
    }
    assert_eq!(place.names(), ["people.csv"]);
}

#[test]
fn what_count_refuses_is_not_in_its_help() {
    for command in ["count", "mitigate"] {
        let help = Place::new().run(&format!("{command} --help")).stdout;
        assert!(!help.contains("--id ") && !help.contains("--cluster "), "{help}");
    }
    assert!(Place::new().run("audit --help").stdout.contains("--cluster "));
}
