//! Names and places: what is looked up, what is written, and what never is.

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use assert_cmd::Command;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

pub struct Place(TempDir);

/// Names, places and others that stand in the tables below: in no message, and in no copy.
const WRITTEN: &[&str] = &[
    "deshawn",
    "lakisha",
    "emily",
    "brad",
    "guadalupe",
    "washington",
    "lopez",
    "o'brien",
    "yoder",
    "30310",
    "02139",
    "someone@example.org",
    "agent007",
];

impl Place {
    pub fn new() -> Self {
        Place(TempDir::new().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn file(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// What a command that ends with this code says and prints; it names nobody.
    pub fn run(&self, code: i32, words: &str) -> String {
        let mut command = Command::cargo_bin("fairveil").unwrap();
        let out = command.current_dir(&self.0).args(words.split_whitespace()).assert().code(code);
        let out = out.get_output();
        let said = [&out.stderr[..], &out.stdout[..]].concat();
        let said = String::from_utf8(said).unwrap();
        names_nobody(&said);
        said
    }

    pub fn json(&self, words: &str) -> Value {
        serde_json::from_str(&self.run(0, &format!("{words} --json - --quiet"))).unwrap()
    }

    /// A message of three lines, of which each holds something.
    pub fn refused(&self, words: &str, found: &str, needed: &str, to_do: &str) {
        let said = self.run(2, words);
        let line =
            |start: &str| said.lines().find(|line| line.starts_with(start)).unwrap_or_default().to_owned();
        assert!(line("error: ").contains(found), "{said}");
        assert!(line("  needed: ").contains(needed), "{said}");
        assert!(line("  to do:  ").contains(to_do), "{said}");
        assert!(!self.path("out.csv").exists());
    }
}

fn names_nobody(text: &str) {
    let lower = text.to_lowercase();
    for name in WRITTEN {
        assert!(!lower.contains(name), "{name} in {text}");
    }
}

/// People of two groups by name and place, the first selected more often. Rows follow each other in a fixed order, and names go with
/// groups as names do: mostly.
pub fn people(rows: usize) -> Vec<[String; 5]> {
    let row = |i: usize| {
        let black = i.is_multiple_of(3);
        let odd = |step: usize| (i / 3).is_multiple_of(step);
        let first = match (black ^ odd(5), i % 2) {
            (true, 0) => "DeShawn",
            (true, _) => "Lakisha",
            (false, 0) => "Brad",
            (false, _) => "Emily",
        };
        let surname = if black ^ odd(7) { "Washington" } else { ["Yoder", "O'Brien"][i % 2] };
        let zip = if black ^ odd(4) { "30310" } else { "02139" };
        let selected = if black { i % 10 < 7 } else { i % 10 < 3 };
        [i.to_string(), first.into(), surname.into(), zip.into(), u8::from(selected).to_string()]
    };
    (0..rows).map(row).collect()
}

const HEADER: [&str; 5] = ["id", "first", "last", "zip", "y_pred"];
pub const COLUMNS: &str = "--first-name first --surname last --zip zip --groups black,other";

pub fn csv(rows: &[[String; 5]]) -> String {
    let lines = rows.iter().map(|row| row.join(",") + "\n");
    HEADER.join(",") + "\n" + &lines.collect::<String>()
}

fn parquet(rows: &[[String; 5]]) -> Vec<u8> {
    let column = |at: usize| -> ArrayRef {
        Arc::new(rows.iter().map(|row| Some(row[at].clone())).collect::<StringArray>())
    };
    let columns = HEADER.iter().enumerate().map(|(at, name)| (*name, column(at)));
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut file = Vec::new();
    let mut writer = parquet::arrow::ArrowWriter::try_new(&mut file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    file
}

/// A column of a CSV file.
fn column(text: &str, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let at = reader.headers().unwrap().iter().position(|header| header == name).unwrap();
    reader.records().map(|record| record.unwrap()[at].to_owned()).collect()
}

#[test]
fn a_plain_copy_is_audited_as_it_is_and_says_what_the_names_said() {
    let place = Place::new();
    place.file("people.csv", csv(&people(600)));
    let said = place.run(0, &format!("proxies people.csv {COLUMNS} --plain -o out.csv"));
    for words in [
        "first_name: 600 of 600 known (100.0 %) to the table rosenman_first_names",
        "zip: 600 of 600 known (100.0 %) to the table census_2020_zips",
        "left out of the copy: first, last, zip; all other columns stay as they are",
        "600 rows written, with a guessed group of each person",
        "fairveil audit out.csv --proxy proxy_first_name:first_name --proxy proxy_surname:surname --proxy proxy_zip:zip --groups black,other",
    ] {
        assert!(said.contains(words), "{words} in {said}");
    }
    let copy = place.text("out.csv");
    names_nobody(&copy);
    let header = "id,y_pred,proxy_first_name,proxy_surname,proxy_zip,first_name_black,first_name_other,surname_black,surname_other,zip_black,zip_other";
    assert_eq!(copy.lines().next(), Some(header));
    // The copy says what a look-up in one pass says, guess by guess.
    let direct = |json: &Value| -> Vec<(String, String)> {
        let results = json["results"].as_array().unwrap();
        let rows = results.iter().filter(|row| row["basis"] == "proxy");
        rows.map(|row| {
            let proxy = row["proxy"].as_str().unwrap_or_default().trim_start_matches("proxy_").to_owned();
            (proxy, row["value"].to_string())
        })
        .collect()
    };
    let of_names = place.json(&format!("audit people.csv {COLUMNS}"));
    let tagged = "--proxy proxy_first_name:first_name --proxy proxy_surname:surname --proxy proxy_zip:zip --groups black,other";
    for line in ["audit out.csv --groups black,other", &format!("audit out.csv {tagged}")] {
        let of_copy = place.json(line);
        assert!(!direct(&of_copy).is_empty());
        assert_eq!(direct(&of_copy), direct(&of_names), "{line}");
    }
    // So do the probabilities, as a proxy that gives them.
    place.run(0, "audit out.csv --proxy-probs surname_:surname --proxy-probs zip_:zip --proxy proxy_first_name:first_name --quiet");
}

#[test]
fn every_format_gives_the_same_copy_and_a_seed_the_same_guesses() {
    let place = Place::new();
    let rows = people(300);
    place.file("people.csv", csv(&rows));
    place.file("people.parquet", parquet(&rows));
    for how in ["--plain --bisg --bifsg", "--epsilon 1 --seed 7 --date 2026-02-03"] {
        place.run(0, &format!("proxies people.csv {COLUMNS} {how} -o a.csv"));
        place.run(0, &format!("proxies people.parquet {COLUMNS} {how} -o b.csv"));
        assert_eq!(place.text("a.csv"), place.text("b.csv"));
        // By way of Parquet and of JSON, in which probabilities are numbers.
        place.run(0, &format!("proxies people.parquet {COLUMNS} {how} -o c.parquet"));
        place.run(0, &format!("proxies people.csv {COLUMNS} {how} -o c.jsonl"));
        names_nobody(&place.text("c.jsonl"));
        let json: Value = serde_json::from_str(place.text("c.jsonl").lines().next().unwrap()).unwrap();
        assert_eq!(json["surname_black"].is_f64(), how.starts_with("--plain"), "{json}");
        let bytes = std::fs::read(place.path("c.parquet")).unwrap();
        let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(
            std::fs::File::open(place.path("c.parquet")).unwrap(),
        );
        let names: Vec<String> =
            reader.unwrap().schema().fields().iter().map(|field| field.name().clone()).collect();
        assert_eq!(names.join(","), place.text("a.csv").lines().next().unwrap());
        names_nobody(&String::from_utf8_lossy(&bytes));
    }
    let line = format!("proxies people.csv {COLUMNS} --epsilon 1 --quiet --date 2026-02-03");
    place.run(0, &format!("{line} -o one.csv"));
    place.run(0, &format!("{line} -o two.csv"));
    assert_ne!(place.text("one.csv"), place.text("two.csv"), "nobody chose a seed");
}

#[test]
fn told_guesses_come_with_the_mechanism_that_an_audit_undoes() {
    let place = Place::new();
    place.file("people.csv", csv(&people(3000)));
    let said = place.run(0, &format!("proxies people.csv {COLUMNS} --epsilon 2 -o told.csv"));
    for words in [
        "3000 rows randomised; the mechanism is in told.csv.mechanism.json",
        "each randomised guess: epsilon 2.00",
        "the 3 proxies of a row together: epsilon 6.00",
        "not protected: all other columns",
        "--mechanism told.csv.mechanism.json",
    ] {
        assert!(said.contains(words), "{words} in {said}");
    }
    // Guesses alone: a probability would tell what was looked up.
    let told = place.text("told.csv");
    assert_eq!(told.lines().next(), Some("id,y_pred,proxy_first_name,proxy_surname,proxy_zip"));
    names_nobody(&told);
    names_nobody(&place.text("told.csv.mechanism.json"));
    place.run(0, &format!("proxies people.csv {COLUMNS} --plain -o plain.csv --quiet"));
    let guesses = column(&place.text("plain.csv"), "proxy_surname");
    let kept = guesses.iter().zip(column(&told, "proxy_surname")).filter(|(a, b)| *a == b).count() as f64;
    // Kept with e² / (e² + 1) = 0.881: nobody chose the seed, so seven standard errors of 0.0059.
    assert!((kept / 3000.0 - 0.8808).abs() < 0.042, "{kept}");
    let audit = "audit told.csv --groups black,other --quiet";
    assert!(place.run(0, audit).contains("which is not undone unless it is given with --mechanism"));
    let said = place.run(0, &format!("{audit} --mechanism told.csv.mechanism.json"));
    assert!(!said.contains("warning"), "{said}");
    // What is told a second time adds up, and is refused until that is said.
    place.refused(
        "proxies told.csv --surname id --epsilon 1 -o out.csv",
        "the table was already randomised",
        "every earlier release",
        "--earlier",
    );
    // To standard output the mechanism needs a place.
    place.refused(
        &format!("proxies people.csv {COLUMNS} --epsilon 1 -o -"),
        "standard output",
        "",
        "--mechanism",
    );
    let printed =
        place.run(0, &format!("proxies people.csv {COLUMNS} --epsilon 1 --mechanism m.json -o - --quiet"));
    assert!(printed.starts_with("id,y_pred,proxy_first_name"), "{printed}");
}

#[test]
fn a_guessed_group_is_written_only_for_who_says_how() {
    let place = Place::new();
    place.file("people.csv", csv(&people(30)));
    place.refused(
        &format!("proxies people.csv {COLUMNS} -o out.csv"),
        "--plain or --epsilon",
        "one of them",
        "fairveil audit",
    );
    let said = place.run(2, &format!("proxies people.csv {COLUMNS} --plain --epsilon 1 -o out.csv"));
    assert!(said.contains("cannot be used with"), "{said}");
    for epsilon in ["0", "-1", "nan"] {
        place.refused(
            &format!("proxies people.csv {COLUMNS} --epsilon {epsilon} -o out.csv"),
            "--epsilon",
            "",
            "such as 1",
        );
    }
    let bisg = |more: &str| format!("proxies people.csv {more} -o out.csv");
    place.refused(
        &bisg(&format!("{COLUMNS} --epsilon 1 --bisg")),
        "a posterior reveals",
        "guesses alone",
        "leave out --bisg",
    );
    place.refused(
        &bisg("--surname last --plain --bisg"),
        "--bisg without --zip",
        "surname and ZIP",
        "name the column",
    );
    place.refused(
        &bisg("--zip zip --surname last --plain --bifsg"),
        "without --first-name",
        "first name",
        "name the column",
    );
    place.refused(
        &bisg("--first-name first --for sex --plain --bisg"),
        "about race",
        "--for race",
        "leave out",
    );
    place.refused(
        "proxies people.csv --plain -o out.csv",
        "no column of names",
        "at least one",
        "--first-name",
    );
    // A copy is a copy: inputs are never written over.
    let said = place.run(2, &format!("proxies people.csv {COLUMNS} --plain -o people.csv"));
    assert!(said.contains("would replace the input"), "{said}");
    place.run(2, &format!("proxies people.csv {COLUMNS} --plain -o people.xlsx"));
    // Printed, for who pipes it on; with --quiet there is nothing beside it.
    let printed = place.run(0, &format!("proxies people.csv {COLUMNS} --plain -o - --quiet"));
    assert_eq!(printed.lines().count(), 31, "{printed}");
}

#[test]
fn posteriors_are_those_of_the_library_and_silent_where_a_part_is() {
    let place = Place::new();
    place.file("people.csv", "first,last,zip,y_pred\nLakisha,Washington,30310,1\n,Washington,30310,0\nLakisha,Washington,SW1A 1AA,0\n");
    place.run(
        0,
        "proxies people.csv --first-name first --surname last --zip zip --plain --bisg --bifsg -o out.csv",
    );
    let copy = place.text("out.csv");
    let bisg = fairveil_ingest::tables_of_names::Bisg::new().unwrap();
    let groups = fairveil_ingest::tables_of_names::BISG_GROUPS;
    let without = bisg.posterior("Washington", "30310", None).unwrap();
    let with = bisg.posterior("Washington", "30310", Some("Lakisha")).unwrap();
    for (at, group) in groups.iter().enumerate() {
        let numbers = |name: &str| column(&copy, &format!("{name}_{group}"));
        let first = numbers("bisg");
        // Written with all their digits.
        assert_eq!(first[0].parse::<f64>().unwrap().to_bits(), without[at].to_bits());
        assert_eq!((&first[1], first[2].as_str()), (&first[0], ""));
        let second = numbers("bifsg");
        assert_eq!(second[0].parse::<f64>().unwrap().to_bits(), with[at].to_bits());
        assert_eq!([&second[1][..], &second[2][..]], ["", ""]);
    }
}

#[test]
fn what_is_no_name_is_counted_and_never_guessed() {
    let place = Place::new();
    let long = "Lopez".repeat(60);
    let rows = [
        // What is written, and how a column of surnames counts it.
        ("Lopez", "known"),
        ("  LOPEZ ", "known"),
        ("\"Lopez, Guadalupe\"", "known"),
        ("", "empty"),
        ("N/A", "empty"),
        ("null", "empty"),
        ("-", "empty"),
        ("someone@example.org", "not a name"),
        ("Agent007", "not a name"),
        ("12345", "not a name"),
        (long.as_str(), "not a name"),
        ("李", "not a name"),
        ("Xqzwvlopezq", "unknown"),
    ];
    let table: String = rows.iter().map(|(name, _)| format!("{name},1\n")).collect();
    place.file("people.csv", format!("last,y_pred\n{table}"));
    let said = place.run(0, "proxies people.csv --surname last --plain -o out.csv");
    for kind in ["empty", "not a name", "unknown"] {
        let count = rows.iter().filter(|(_, told)| *told == kind).count();
        assert!(said.contains(&format!("{count} {kind} (")), "{kind}: {said}");
    }
    assert!(said.contains("surname: 3 of 13 known (23.1 %)"), "{said}");
    assert!(
        said.contains("warning: the table of surname knows 23.1 % of the rows: is `last` the right column?"),
        "{said}"
    );
    let guesses = column(&place.text("out.csv"), "proxy_surname");
    for ((_, kind), guess) in rows.iter().zip(&guesses) {
        assert_eq!(guess == "hispanic", *kind == "known");
        assert_eq!(guess.is_empty(), *kind != "known");
    }
    // A warning is told however quiet.
    let said = place.run(0, "proxies people.csv --surname last --plain -o out.csv --quiet");
    assert!(said.starts_with("warning: ") && said.lines().count() == 1, "{said}");
    // So are values that the user says mean nothing.
    let said = place.run(0, "proxies people.csv --surname last --plain --missing 12345 -o out.csv");
    assert!(said.contains("5 empty") && said.contains("4 not a name"), "{said}");
}

#[test]
fn places_are_found_as_people_write_them() {
    let place = Place::new();
    let known = ["30310", "30310-1234", "303101234", "30310.0", "2139", "02139", "2139.0"];
    let silent = ["SW1A 1AA", "K1A 0B1", "12", "1234567", "", "n/a", "00000", "99999"];
    let table: String = known.iter().chain(&silent).map(|zip| format!("{zip},1\n")).collect();
    place.file("people.csv", format!("zip,y_pred\n{table}"));
    let said = place.run(0, "proxies people.csv --zip zip --plain -o out.csv");
    assert!(said.contains("zip: 7 of 15 known (46.7 %)"), "{said}");
    assert!(said.contains("2 unknown (13.3 %), 2 empty (13.3 %), 4 no ZIP code (26.7 %)"), "{said}");
    assert!(said.contains("is `zip` the right column?"), "{said}");
    let guesses = column(&place.text("out.csv"), "proxy_zip");
    assert!(guesses[..4].iter().all(|guess| guess == "black"));
    assert!(guesses[4..7].iter().all(|guess| *guess == guesses[4] && !guess.is_empty()));
    assert!(guesses[7..].iter().all(String::is_empty));
}

#[test]
fn whole_names_are_told_apart_by_their_comma_or_not_at_all() {
    let place = Place::new();
    let rows = people(120);
    place.file("people.csv", csv(&rows));
    let both = |form: fn(&[String; 5]) -> String| {
        let line = |row: &[String; 5]| format!("\"{}\",{}\n", form(row), row[4]);
        "name,y_pred\n".to_owned() + &rows.iter().map(line).collect::<String>()
    };
    place.file("comma.csv", both(|row| format!("{}, {}", row[2], row[1])));
    place.file("space.csv", both(|row| format!("{} {}", row[1], row[2])));
    place.run(0, &format!("proxies people.csv {COLUMNS} --plain -o parts.csv"));
    let said = place.run(0, "proxies comma.csv --name name --groups black,other --plain -o whole.csv");
    assert!(said.contains("surname: 120 of 120 known") && !said.contains("warning"), "{said}");
    for proxy in ["proxy_first_name", "proxy_surname"] {
        assert_eq!(column(&place.text("parts.csv"), proxy), column(&place.text("whole.csv"), proxy));
    }
    names_nobody(&place.text("whole.csv"));
    let said = place.run(0, "proxies space.csv --name name --plain -o whole.csv");
    assert!(said.contains("first_name: 0 of 120 known (0.0 %)"), "{said}");
    assert!(said.contains("120 not \"Last, First\" (100.0 %)"), "{said}");
    assert_eq!(
        said.matches("warning: most values of `name` are not written \"Last, First\"").count(),
        1,
        "{said}"
    );
    for flag in ["--first-name", "--surname"] {
        let said = place.run(0, &format!("proxies space.csv {flag} name --plain -o whole.csv"));
        assert!(
            said.contains(&format!("warning: `name` seems to hold whole names, and {flag} needs one part")),
            "{said}"
        );
        let said = place.run(0, &format!("count space.csv {flag} name -o tally.csv"));
        assert!(
            said.contains(&format!("note: `name` seems to hold whole names, and {flag} needs one part")),
            "{said}"
        );
    }
    place.refused(
        "proxies comma.csv --first-name name --surname name --plain -o out.csv",
        "name the same column `name`",
        "a column for each",
        "--name",
    );
    // Sex is told by the first name alone.
    place.run(0, "proxies comma.csv --name name --for sex --plain -o sex.csv");
    let guesses = column(&place.text("sex.csv"), "proxy_first_name");
    assert!(guesses.iter().all(|guess| guess == "male" || guess == "female"));
}

#[test]
fn surnames_given_as_first_names_are_told_although_most_are_known() {
    let place = Place::new();
    let surnames = [
        "Smith",
        "Johnson",
        "Garcia",
        "Miller",
        "Rodriguez",
        "Wilson",
        "Nguyen",
        "Fitzgerald",
        "Kowalski",
        "Goldstein",
        "Abernathy",
        "Papadopoulos",
        "Vandenberg",
        "Weatherspoon",
        "Brzezinski",
        "Castellanos",
        "Villarreal",
        "Okafor",
        "Mukherjee",
        "Schwarz",
    ];
    let firsts = [
        "James",
        "Mary",
        "Robert",
        "Patricia",
        "Jennifer",
        "Tyrone",
        "Latoya",
        "Carmen",
        "Juan",
        "Priya",
        "Wei",
        "Sven",
        "Tamika",
        "Ashleigh",
        "Brayden",
        "Kaylee",
        "Jayden",
        "Shaniqua",
        "Zoey",
        "Mackenzie",
    ];
    let line = |(first, last): (&&str, &&str)| format!("{first},{last},1\n");
    let table: String = firsts.iter().zip(&surnames).map(line).collect();
    place.file("people.csv", format!("a,b,y_pred\n{table}"));
    let right = place.run(0, "proxies people.csv --first-name a --surname b --plain -o out.csv");
    assert!(!right.contains("warning"), "{right}");
    let wrong = place.run(0, "proxies people.csv --first-name b --surname a --plain -o out.csv");
    assert!(wrong.contains("warning: `b` seems to hold surnames"), "{wrong}");
    assert!(wrong.contains("warning: `a` seems to hold first names"), "{wrong}");
}

#[test]
fn what_cannot_be_looked_up_is_refused_before_anything_is_written() {
    let place = Place::new();
    place.file("people.csv", csv(&people(30)));
    let proxies = |more: &str| format!("proxies people.csv {more} --plain -o out.csv");
    place.refused(
        &proxies("--surname lsat"),
        "`lsat`: there is no such column",
        "a column",
        "did you mean `last`?",
    );
    place.refused(&proxies("--first-name last --surname last"), "the same column", "for each", "split it");
    place.refused(
        &proxies("--surname last --groups black,green,blue"),
        "--groups lists green, blue",
        "white, black",
        "--groups",
    );
    place.refused(
        &proxies("--surname last --groups black"),
        "--groups lists black, and no name for the other groups of",
        "one more name",
        "correct --groups",
    );
    place.refused(&proxies("--surname last --groups black,other,black"), "`black` twice", "once", "--groups");
    place.refused(
        &proxies("--surname last --for sex"),
        "no built-in table goes from surname to sex",
        "first_name to sex",
        "--surname",
    );
    place.file("tally.csv", "last,y_pred,count\nYoder,1,20\n");
    place.refused(
        "proxies tally.csv --surname last --plain -o out.csv",
        "`count`",
        "one person each",
        "--count none",
    );
    place.run(0, "proxies tally.csv --surname last --plain --count none -o counted.csv");
    place.file("taken.csv", "last,proxy_surname,y_pred\nYoder,1,20\n");
    place.refused(
        "proxies taken.csv --surname last --plain -o out.csv",
        "of this name already",
        "no column has",
        "rename",
    );
    place.file("empty.csv", "last,y_pred\n");
    place.run(2, "proxies empty.csv --surname last --plain -o out.csv");
    // Names in a tally cannot be audited either, and both say the same of tables.
    place.refused(
        "audit people.csv --surname last --for sex",
        "no built-in table goes from surname to sex",
        "first_name",
        "--tables",
    );
}

#[test]
fn columns_that_hold_no_names_are_told_with_what_they_hold() {
    let place = Place::new();
    let table = |first: &str| format!("first,y_pred\n{}", format!("{first},1\n{first},0\n").repeat(30));
    for (first, kind) in [
        ("17", "60 digits, addresses"),
        ("a@b.org", "60 digits, addresses"),
        ("n/a", "60 empty"),
        ("Xqzwv", "60 unknown to it"),
        ("\"Xqzwv Q. Zzyx\"", "60 whole names"),
    ] {
        place.file("people.csv", table(first));
        let found = format!("table rosenman_first_names knows none of the rows: {kind}");
        place.refused("audit people.csv --first-name first", &found, "rosenman_first_names", "right column");
    }
    let twice = "audit people.csv --first-name first --surname first";
    place.refused(twice, "two kinds of names", "one kind in each column", "at the comma");
    place.file("head.csv", "first,y_pred\n");
    let words = "count head.csv --first-name first -o tally.csv --evidence said.jsonl";
    place.refused(words, "there is no row", "at least one row", "check the export");
    assert!(!place.path("tally.csv").exists() && !place.path("said.jsonl").exists());
}

#[test]
fn a_folder_of_tables_is_used_or_refused_and_never_passed_over() {
    let place = Place::new();
    place.file("people.csv", "last,y_pred\nAsh,1\nOak,0\nÁsh,1\nLopez,0\n");
    let folder = |name: &str, files: &[(&str, &str)]| {
        std::fs::create_dir(place.path(name)).unwrap();
        files.iter().for_each(|(file, text)| place.file(&format!("{name}/{file}"), text));
    };
    let trees = "surname,north,south\nAsh,9,1\nOak,2,8\n";
    folder("own", &[("trees.csv", trees)]);
    folder("none", &[("trees.txt", trees)]);
    folder("two", &[("a.csv", trees), ("b.csv", trees)]);
    folder("broken", &[("trees.csv", "surname,north,south\nAsh,9,many\n")]);
    folder("apart", &[("a.csv", trees), ("z.csv", "zip,east,west\n12345,1,1\n")]);
    let with =
        |folder: &str| format!("proxies people.csv --surname last --tables {folder} --plain -o out.csv");
    place.refused(&with("absent"), "cannot read absent", "a folder", "check the name");
    place.refused(&with("people.csv"), "cannot read people.csv", "a folder", "check the name");
    // What has no end, and what is larger than any table: nothing of either is read.
    folder("pipe", &[]);
    let made = std::process::Command::new("mkfifo").arg(place.path("pipe/trees.csv")).status().unwrap();
    assert!(made.success());
    place.refused(&with("pipe"), "this is a pipe or a device", "a folder", "into a file");
    folder("device", &[]);
    std::os::unix::fs::symlink("/dev/zero", place.path("device/trees.csv")).unwrap();
    place.refused(&with("device"), "this is a pipe or a device", "a folder", "into a file");
    folder("large", &[("trees.csv", trees)]);
    let large = std::fs::File::options().write(true).open(place.path("large/trees.csv")).unwrap();
    large.set_len(300 << 20).unwrap();
    place.refused(&with("large"), "300 MiB of tables", "at most 256 MiB", "the rarest names");
    place.refused(&with("none"), "no file ends in .csv", "a folder", "another folder");
    place.refused(&with("two"), "a and b are tables of surname", "one CSV file for each", "keep one");
    place.refused(
        &with("broken"),
        "trees.csv, row 2, column south: found \"many\"",
        "a number",
        "write shares",
    );
    place.refused(&(with("own") + " --bisg"), "--tables names others", "built-in", "leave out one");
    place.file("both.csv", "last,zip,y_pred\nAsh,12345,1\n");
    place.refused(
        "proxies both.csv --surname last --zip zip --tables apart --plain -o out.csv",
        "different groups: surname north, south; zip east, west",
        "the same groups",
        "leave out a column",
    );
    let said = place.run(0, &with("own"));
    assert!(said.contains("surname: 3 of 4 known (75.0 %) to the table trees; 1 unknown (25.0 %)"), "{said}");
    assert_eq!(
        place.text("out.csv"),
        "y_pred,proxy_surname,surname_north,surname_south\n1,north,0.9,0.1\n0,south,0.2,0.8\n1,north,0.9,0.1\n0,,,\n"
    );
    // The tables are inputs too.
    let said = place.run(2, "proxies people.csv --surname last --tables own --plain -o own/trees.csv");
    assert!(said.contains("would replace the input"), "{said}");
}
