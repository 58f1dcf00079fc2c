//! Tables as people have them: what spreadsheets, vendors and pandas write is read, or the message says the one thing to type next.

use crate::tables::{Dice, Place, says};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exports");

/// One person: decision, and what three proxies guess.
struct Person {
    approved: bool,
    guesses: [bool; 3],
    /// What a vendor says of the first group.
    chance: f64,
}

fn people() -> Vec<Person> {
    let mut dice = Dice(7);
    let person = |_| {
        let white = dice.chance(50);
        let approved = dice.chance(if white { 65 } else { 35 });
        let guesses = [85, 80, 80].map(|right| if dice.chance(right) { white } else { !white });
        let sure = 50 + dice.below(50);
        let chance = if guesses[0] { sure as f64 / 100.0 } else { 1.0 - sure as f64 / 100.0 };
        Person { approved, guesses, chance }
    };
    (0..600).map(person).collect()
}

const NAMES: [&str; 2] = ["White", "Black"];

fn named(white: bool, names: [&str; 2]) -> &str {
    names[usize::from(!white)]
}

/// A table of them: the header, and what each person's row is.
fn text(header: &str, row: impl Fn(&Person) -> String) -> String {
    let rows: String = people().iter().map(|person| row(person) + "\n").collect();
    format!("{header}\n{rows}")
}

fn plain() -> String {
    text("y_pred,name,zip,school", |p| {
        let [a, b, c] = p.guesses.map(|guess| named(guess, NAMES));
        format!("{},{a},{b},{c}", u8::from(p.approved))
    })
}

fn flags(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// What an audit of one file says, as JSON.
#[track_caller]
fn audit(place: &Place, file: &str, line: &str) -> String {
    place.audit(&[file], &flags(line))
}

/// What is said on the way.
#[track_caller]
fn noted(place: &Place, file: &str, line: &str) -> String {
    let seen = place.run(&[&flags(&format!("audit {file} --quiet")), flags(line).as_slice()].concat(), None);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    seen.stderr
}

#[track_caller]
fn refused(place: &Place, file: &str, line: &str, parts: &[&str]) {
    let line = flags(line);
    let line: Vec<&str> = line.iter().map(String::as_str).collect();
    says(&place.refused("audit", &[file], &line), parts);
}

#[test]
fn what_pandas_writes_is_read_however_it_is_packed() {
    let file = |name: &str| format!("{FOLDER}/{name}");
    let place = Place::new();
    let expected = place.audit(&[&file("people.csv")], &[]);
    for name in ["people.feather", "people-zstd.feather", "people-brotli.parquet"] {
        assert!(place.audit(&[&file(name)], &[]) == expected, "{name}");
    }
    place.file("old.feather", b"FEA1\x00\x00\x00\x00FEA1");
    refused(&place, "old.feather", "", &["Feather of the first version"]);
}

#[test]
fn an_excel_export_is_read_with_its_semicolons_commas_and_mark() {
    let place = Place::new();
    let table = |decimal: &str, delimiter: &str| {
        text(&["y_pred", "weight", "name", "zip", "school"].join(delimiter), |p| {
            let [a, b, c] = p.guesses.map(|guess| named(guess, NAMES));
            let weight = format!("{:.2}", 1.0 + p.chance).replace('.', decimal);
            [if p.approved { "1" } else { "0" }, &weight, a, b, c].join(delimiter)
        })
    };
    place.file("plain.csv", table(".", ","));
    let line = "--proxy name,zip,school --n-boot 0";
    let expected = audit(&place, "plain.csv", line);
    let excel = format!("\u{feff}{}", table(",", ";").replace('\n', "\r\n"));
    place.file("excel.csv", &excel);
    place.file("bars.csv", table(".", "|"));
    let utf16 = |big: bool, mark: bool| -> Vec<u8> {
        let text = if mark { excel.as_str() } else { excel.trim_start_matches('\u{feff}') };
        text.encode_utf16()
            .flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() })
            .collect()
    };
    for (name, bytes) in [
        ("unicode.csv", utf16(false, true)),
        ("unicode-be.csv", utf16(true, true)),
        ("unmarked.csv", utf16(false, false)),
    ] {
        place.file(name, bytes);
        assert!(audit(&place, name, line) == expected, "{name}");
        says(&noted(&place, name, line), &["note:", name, "UTF-16"]);
    }
    for name in ["excel.csv", "bars.csv"] {
        assert!(audit(&place, name, line) == expected, "{name}");
    }
    says(
        &noted(&place, "excel.csv", line),
        &["note: excel.csv: commas in its numbers are read as decimal marks"],
    );
    assert_eq!(noted(&place, "bars.csv", line), "");
    // Between quotes, where nobody could know.
    let quoted = text("y_pred,weight,name,zip,school", |p| {
        let [a, b, c] = p.guesses.map(|guess| named(guess, NAMES));
        format!(
            "{},\"{}\",{a},{b},{c}",
            u8::from(p.approved),
            format!("{:.2}", 1.0 + p.chance).replace('.', ",")
        )
    });
    place.file("quoted.csv", quoted);
    refused(&place, "quoted.csv", line, &["has a comma", "--decimal ,"]);
    assert!(audit(&place, "quoted.csv", &format!("{line} --decimal ,")) == expected);
    refused(&place, "plain.csv", &format!("{line} --decimal ,"), &["has a point"]);
    // One number with a point, where all others have commas.
    place.file("mixed.csv", excel.replacen(";1,", ";1.", 1));
    refused(&place, "mixed.csv", line, &["line 3", "some a point", "or say --decimal . or --decimal ,"]);
    // Decimals of decisions, as pandas writes them.
    place.file("floats.csv", excel.replace("\n1;", "\n1,0;").replace("\n0;", "\n0,0;"));
    assert!(audit(&place, "floats.csv", line).contains("\"positive\": \"1\""));
}

#[test]
fn letters_of_windows_are_recognised_and_a_note_says_so() {
    let place = Place::new();
    let names = ["Réunion", "Île"];
    let table = text("y_pred,name,zip,school", |p| {
        let [a, b, c] = p.guesses.map(|guess| named(guess, names));
        format!("{},{a},{b},{c}", u8::from(p.approved))
    });
    let latin: Vec<u8> = table.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect();
    place.file("utf8.csv", &table);
    place.file("latin.csv", &latin);
    let line = "--proxy name,zip,school --n-boot 0";
    let expected = audit(&place, "utf8.csv", line);
    assert!(audit(&place, "latin.csv", line) == expected);
    assert!(audit(&place, "latin.csv", &format!("{line} --encoding latin-1")) == expected);
    says(&noted(&place, "latin.csv", line), &["note: latin.csv: read as Latin-1", "--encoding settles it"]);
    assert_eq!(noted(&place, "latin.csv", &format!("{line} --encoding latin-1")), "");
    assert_eq!(noted(&place, "utf8.csv", line), "");
    refused(&place, "latin.csv", &format!("{line} --encoding utf-8"), &["not UTF-8", "--encoding latin-1"]);
    // Half of the table in each.
    let half = |bytes: &[u8], from: usize, to: usize| -> Vec<u8> {
        bytes.split_inclusive(|byte| *byte == b'\n').skip(from).take(to).flatten().copied().collect()
    };
    let mixed = [half(&latin, 0, 500), half(table.as_bytes(), 500, 500)].concat();
    place.file("mixed.csv", mixed);
    refused(&place, "mixed.csv", line, &["some letters are Latin-1 and others UTF-8"]);
    // Letters of neither.
    place.file("neither.csv", [&b"y_pred,name\n1,"[..], &[0x81, 0x8d], &b"\n0,b\n"[..]].concat());
    refused(&place, "neither.csv", "--proxy name", &["not UTF-8", "--encoding latin-1"]);
    let marked: Vec<u8> = "\u{feff}y_pred,name\n1,a\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    place.file("odd.csv", &marked[..marked.len() - 1]);
    refused(&place, "odd.csv", "--proxy name", &["the text ends in the middle of a letter of UTF-16"]);
}

/// A vendor's file: probabilities under names that end alike, and one of which says all.
fn vendor() -> String {
    text("y_pred,p_w,p_b,White_prob,Black_prob", |p| {
        let (white, black) = (format!("{:.2}", p.chance), format!("{:.2}", 1.0 - p.chance));
        format!("{},{white},{black},{white},{black}", u8::from(p.approved))
    })
}

#[test]
fn probabilities_are_found_by_pattern_by_list_and_where_one_group_has_the_rest() {
    let place = Place::new();
    place.file("vendor.csv", vendor());
    let by_list = audit(&place, "vendor.csv", "--proxy-probs bisg=White:p_w,Black:p_b --n-boot 0");
    says(&by_list, &["\"Black\"", "\"bisg\"", "\"basis\": \"soft\""]);
    for asked in ["bisg=*_prob", "bisg=Black:p_b,White"] {
        assert!(
            audit(&place, "vendor.csv", &format!("--proxy-probs {asked} --n-boot 0")) == by_list,
            "{asked}"
        );
    }
    // A tally has the same answer.
    place.count(&["vendor.csv"], "tally.csv", &flags("--proxy-probs bisg=Black:p_b,White"));
    let tally = audit(&place, "tally.csv", "--proxy-probs bisg=Black:p_b,White --n-boot 0");
    let soft = |json: &str| {
        let record: serde_json::Value = serde_json::from_str(json).unwrap();
        let results = record["results"].as_array().unwrap().clone();
        results.into_iter().find(|result| result["basis"] == "soft").unwrap()["value"].as_f64().unwrap()
    };
    assert!((soft(&tally) - soft(&by_list)).abs() < 1e-12 && soft(&tally) > 0.05);
    // The other half is what is left, and not the same again.
    let swapped = audit(&place, "vendor.csv", "--proxy-probs bisg=Black:p_w,White --n-boot 0");
    assert!(swapped != by_list);
}

#[test]
fn what_is_typed_wrong_about_probabilities_is_answered_by_what_to_type() {
    let place = Place::new();
    place.file("vendor.csv", vendor());
    for (asked, parts) in [
        ("p_b", &["whole name of one column", "--proxy-probs p_"][..]),
        ("Black_", &["only column", "--proxy-probs Black=prob:Black_prob,OTHER"]),
        ("*_chance", &["no such column"]),
        ("bisg=Black:p_b", &["the other one is not", "OTHER"]),
        ("bisg=Black:p_b,Black:p_w", &["a group is named twice"]),
        ("*", &["a star alone"]),
    ] {
        refused(&place, "vendor.csv", &format!("--proxy-probs {asked}"), parts);
    }
    refused(&place, "vendor.csv", "--proxy p_w,p_b", &["look like probabilities", "--proxy-probs p_"]);
    refused(
        &place,
        "vendor.csv",
        "--proxy p_b",
        &["look like probabilities", "--proxy-probs proxy=GROUP:p_b,OTHER"],
    );
    place.file("alone.csv", "y_pred,p_Black\n1,0.3\n0,0.6\n");
    refused(
        &place,
        "alone.csv",
        "--proxy-probs p_Black",
        &["only column", "--proxy-probs p=Black:p_Black,OTHER"],
    );
    place.file("alike.csv", "y_pred,p_1,p_1.0,p_2\n1,0.3,0.3,0.4\n");
    refused(&place, "alike.csv", "--proxy-probs p_", &["`p_1`, `p_1.0` are both about the group `1`"]);
    place.file("percent.csv", "y_pred,p_a,p_b\n1,30,70\n0,60,40\n");
    refused(&place, "percent.csv", "--proxy-probs p_", &["`30`", "divide them by 100"]);
}

#[test]
fn codes_beside_names_are_explained_and_mapped() {
    let place = Place::new();
    place.file("plain.csv", plain());
    let coded = text("y_pred,name,zip,school", |p| {
        let [a, b, c] = p.guesses;
        format!(
            "{},{},{},{}",
            if p.approved { "Approved" } else { "Denied" },
            named(a, NAMES),
            named(b, ["1", "2"]),
            named(c, NAMES)
        )
    });
    place.file("coded.csv", &coded);
    let line = "--proxy name,zip,school --n-boot 0";
    refused(&place, "coded.csv", line, &["name it: for example --positive 'Approved'"]);
    let approved = format!("{line} --positive Approved");
    refused(
        &place,
        "coded.csv",
        &approved,
        &["`zip` says `1`, `2`, and elsewhere the groups are `Black`, `White`", "--map zip:1=Black,2=White"],
    );
    let maps = "--map zip:1=White,2=Black --map y_pred:Approved=1,Denied=0";
    let expected = audit(&place, "plain.csv", line);
    assert!(audit(&place, "coded.csv", &format!("{line} {maps}")) == expected);
    // A tally has the names, and takes the same flags.
    place.count(&["coded.csv"], "tally.csv", &flags(&format!("--proxy name,zip,school {maps}")));
    assert!(!place.text("tally.csv").contains("Approved"));
    assert!(audit(&place, "tally.csv", &format!("{line} {maps}")) == expected);
    assert!(audit(&place, "tally.csv", line) == expected);
    // What the map does not name.
    let typed = format!("{approved} --map");
    for (map, parts) in [
        ("zip:1=White", &["line 2", "`zip`", "has no name in the map", "3= makes it mean nothing"][..]),
        ("zip:1=White,1=Black", &["`1` has two names"]),
        ("zip", &["there is no colon"]),
        ("zip:1,2", &["`1` is not VALUE=NAME"]),
        ("zap:1=White", &["`zap`", "no such column"]),
    ] {
        refused(&place, "coded.csv", &format!("{typed} {map}"), parts);
    }
    let rest = audit(&place, "coded.csv", &format!("{typed} zip:1=White,*=Black"));
    assert!(rest == audit(&place, "coded.csv", &format!("{typed} zip:1=White,2=Black")));
    let silent = audit(&place, "coded.csv", &format!("{typed} zip:1=White,2="));
    assert!(!silent.contains("\"abstained\": 0\n      }\n    ]") && silent != rest);
}

#[test]
fn proxies_between_commas_are_taken_apart_and_an_empty_one_is_refused() {
    let place = Place::new();
    place.file("plain.csv", plain());
    let apart = audit(&place, "plain.csv", "--proxy name --proxy zip:post --proxy school --n-boot 0");
    assert!(audit(&place, "plain.csv", "--proxy name,zip:post,school --n-boot 0") == apart);
    refused(&place, "plain.csv", "--proxy name,,zip", &["empty name between its commas"]);
    let told =
        place.run(&flags("privatize plain.csv --proxy name,zip --epsilon 1 --seed 1 -o told.csv"), None);
    assert_eq!(told.code, 0, "{}", told.stderr);
    says(&place.text("told.csv.mechanism.json"), &["\"name\"", "\"zip\""]);
    place.file("one.csv", "y_pred,\"a,b\",c\n1,x,x\n0,y,y\n1,y,x\n0,x,x\n");
    let seen = place
        .run(&["audit", "one.csv", "--proxy", "a,b", "--proxy", "c", "--json", "-", "--n-boot", "0"], None);
    says(&seen.stdout, &["\"a,b\""]);
}

#[test]
fn guesses_are_told_under_the_names_of_a_map() {
    let place = Place::new();
    place.file(
        "coded.csv",
        text("y_pred,zip", |p| format!("{},{}", u8::from(p.approved), named(p.guesses[1], ["1", "2"]))),
    );
    let line = "privatize coded.csv --proxy zip --map zip:1=White,2=Black --epsilon 1 --seed 1 -o told.csv";
    assert_eq!(place.run(&flags(line), None).code, 0);
    let told = place.text("told.csv");
    assert!(
        told.contains(",White\n")
            && told.contains(",Black\n")
            && !told.contains(",1\n")
            && !told.contains(",2\n")
    );
}

#[test]
fn a_header_of_300_letters_is_cut_in_its_middle_in_a_message() {
    let place = Place::new();
    let long = format!("begin{}end", "x".repeat(292));
    place.file("long.csv", format!("y_pred,{long}\n1,a\n0,b\n"));
    refused(&place, "long.csv", "--proxy beginx", &["`begin", "…", "end`"]);
    let said = place.refused("audit", &["long.csv"], &["--proxy", "beginx"]);
    assert!(said.lines().all(|line| line.chars().count() < 120), "{said}");
}

#[test]
fn a_simulated_table_does_not_take_the_place_of_a_file_unasked() {
    let place = Place::new();
    place.file("people.csv", "real people");
    let seen = place.run(&flags("simulate --rows 10 -o people.csv"), None);
    assert_eq!((seen.code, place.text("people.csv").as_str()), (2, "real people"));
    says(&seen.stderr, &["is there already", "--overwrite"]);
    assert_eq!(place.run(&flags("simulate --rows 10 -o people.csv --overwrite"), None).code, 0);
    assert!(place.text("people.csv").starts_with("y_pred"));
}

#[test]
fn features_on_other_scales_are_said_to_be_and_scaled_where_asked() {
    let place = Place::new();
    let mut dice = Dice(3);
    let mut row = || {
        let (age, income) = (20 + dice.below(50), 1000 * dice.below(100));
        let guess = named(dice.chance(50), NAMES);
        format!("{},{guess},{age},{income}\n", dice.below(2))
    };
    let table = String::from("y_pred,name,age,income\n") + &(0..300).map(|_| row()).collect::<String>();
    place.file("people.csv", table);
    let line = "neighbors people.csv --proxy name --features age,income --metric euclidean";
    let plain = place.run(&flags(&format!("{line} -o plain.csv")), None);
    assert_eq!(plain.code, 0, "{}", plain.stderr);
    says(&plain.stderr, &["`income` varies", "times as much as `age`", "--scale"]);
    let scaled = place.run(&flags(&format!("{line} --scale -o scaled.csv")), None);
    assert_eq!(scaled.code, 0, "{}", scaled.stderr);
    assert!(!scaled.stderr.contains("varies"), "{}", scaled.stderr);
    assert!(place.text("plain.csv") != place.text("scaled.csv"));
}

#[test]
fn proxies_with_names_of_300_letters_do_not_break_the_text_and_are_whole_in_the_json() {
    let place = Place::new();
    let long = |end: &str| format!("begin{}{end}", "x".repeat(290));
    let names = ["first", "second", "third"].map(long);
    place.file("long.csv", plain().replacen("name,zip,school", &names.join(","), 1));
    let line = format!("audit long.csv --proxy {} --n-boot 0 --json audit.json", names.join(","));
    let seen = place.run(&flags(&line), None);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    let widest = seen.stdout.lines().map(|line| line.chars().count()).max();
    assert!(widest.is_some_and(|widest| widest <= 150), "{widest:?} {}", seen.stdout);
    says(&seen.stdout, &["begin", "…", "xfirst", "xthird"]);
    says(&place.text("audit.json"), &[&names[0], &names[2]]);
}
