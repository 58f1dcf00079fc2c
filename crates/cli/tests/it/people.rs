//! Nothing printed tells what was guessed of one person.

use crate::cli::Place;

/// Rows whose guesses follow from their number, each with a column `id` by `name`.
fn table(rows: usize, name: impl Fn(usize) -> String) -> String {
    let guess =
        |row: usize, proxy: usize| if (row * 11 + proxy * 3) % (5 + proxy) < 2 { "purple" } else { "teal" };
    let line = |row| {
        let guesses = [0, 1, 2].map(|proxy| guess(row, proxy)).join(",");
        format!("{},{},{guesses}\n", name(row), usize::from(row % 3 == 0))
    };
    String::from("id,y_pred,proxy_a,proxy_b,proxy_c\n") + &(0..rows).map(line).collect::<String>()
}

#[test]
fn a_segment_of_one_person_is_not_shown_by_itself() {
    let place = Place::new();
    place.file("people.csv", &table(300, |row| format!("person-{row:03}")));
    let seen = place
        .run("audit people.csv --by id --n-boot 0 --json audit.json --html page.html --markdown page.md");
    assert_eq!(seen.code, 0, "{}", seen.all());
    let files = ["audit.json", "page.html", "page.md"].map(|file| place.read(file));
    for shown in files.iter().chain([&seen.stdout, &seen.stderr]) {
        assert!(!shown.contains("person-"), "{shown}");
    }
    let audit: serde_json::Value = serde_json::from_str(&files[0]).unwrap();
    assert_eq!(audit["segments"].as_array().unwrap().len(), 1);
    assert_eq!(audit["segments"][0]["pooled"], 300);
    assert!(seen.stdout.contains("others (300 small segments)"), "{}", seen.stdout);
    // Someone who wants it says so.
    let asked = place.run("audit people.csv --by id --show-single-people --n-boot 0 --json -");
    assert!(asked.stdout.contains("person-017"), "{}", asked.all());
}

#[test]
fn a_tally_is_of_no_one_person_either() {
    let place = Place::new();
    place.file("people.csv", &table(300, |row| format!("person-{row:03}")));
    let names: String = (0..300)
        .map(|row| format!("{},person-{row},{}\n", row % 2, ["Washington", "Yoder", "Lopez"][row % 3]))
        .collect();
    place.file("names.csv", &format!("y_pred,id,last\n{names}"));
    for line in ["count people.csv --by id", "count names.csv --surname last --by id"] {
        let seen = place.run(&format!("{line} -o tally.csv"));
        assert_eq!(seen.code, 2, "{line}: {}", seen.all());
        assert!(seen.stderr.contains("300 segments have fewer than 50 rows"), "{line}: {}", seen.all());
        assert!(!seen.all().contains("person-"), "{line}: {}", seen.all());
        assert!(!place.names().contains(&"tally.csv".to_owned()), "{line}");
    }
    // Withheld they tell nothing, and someone who wants them says so.
    assert_eq!(place.run("count people.csv --by id --min-cell 5 -o few.csv").code, 0);
    assert!(!place.read("few.csv").contains("person-"));
    assert_eq!(place.run("count people.csv --by id --show-single-people -o all.csv").code, 0);
    assert!(place.read("all.csv").contains("person-017"));
    // What was counted before can be added up.
    assert_eq!(place.run("count all.csv --by id -o again.csv").code, 0);
}

#[test]
fn few_rows_that_are_left_over_are_counted_and_not_audited() {
    let place = Place::new();
    let part = |row: usize| if row < 200 { "north".into() } else { format!("person-{row}") };
    place.file("people.csv", &table(240, part));
    let seen = place.run("audit people.csv --by id --n-boot 0 --json -");
    let audit: serde_json::Value = serde_json::from_str(&seen.stdout).unwrap();
    let segments = audit["segments"].as_array().unwrap();
    assert_eq!((segments.len(), &segments[0]["values"][0]), (2, &"north".into()), "{}", seen.all());
    assert_eq!(segments[1]["pooled"], 40);
    assert!(segments[1]["audit"].is_null());
    assert_eq!(segments[1]["unavailable"], "together they have fewer than 50 rows");
    // Forty are enough where that is said.
    let told = place.run("audit people.csv --by id --min-segment 30 --n-boot 0 --json -");
    let audit: serde_json::Value = serde_json::from_str(&told.stdout).unwrap();
    assert!(audit["segments"][1]["audit"].is_object(), "{}", told.all());
}

#[test]
fn a_proxy_that_never_varies_is_named_without_its_guess() {
    let place = Place::new();
    place.file("people.csv", "y_pred,proxy_a,proxy_b,proxy_c\n1,purple,teal,purple\n0,purple,teal,teal\n");
    let seen = place.run("audit people.csv");
    assert_eq!(seen.code, 2);
    assert!(seen.stderr.contains("proxy_a never varies"), "{}", seen.all());
    assert!(!seen.all().contains("purple") && !seen.all().contains("teal"), "{}", seen.all());
}

#[test]
fn names_and_places_are_no_groups() {
    let place = Place::new();
    let mut table = String::from("y_pred,proxy_a,proxy_b,proxy_c\n");
    for row in 0..6_000 {
        let name = |step: usize| format!("name-{:04}", (row * step) % 2_000);
        table += &format!("{},{},{},{}\n", row % 2, name(1), name(7), name(11));
    }
    place.file("people.csv", &table);
    let seen = place.run("audit people.csv");
    assert_eq!(seen.code, 2, "{}", seen.all());
    assert!(
        seen.stderr.contains("2000 different guesses: this looks like a name or a ZIP code"),
        "{}",
        seen.all()
    );
    assert!(!seen.all().contains("name-"), "{}", seen.all());
}

#[test]
fn a_message_repeats_no_guess_that_few_rows_have() {
    let place = Place::new();
    // A column of names where a guess was wanted.
    let line = |row: usize| {
        format!("{},{},{},person-{row}\n", row % 2, ["x", "y"][row % 3 / 2], ["x", "y"][row % 5 / 3])
    };
    let rows: String = (0..60).map(line).collect();
    place.file("people.csv", &format!("y_pred,proxy_a,proxy_b,proxy_c\n{rows}"));
    place.file("known.csv", &place.read("people.csv").replace("proxy_c", "known"));
    for line in [
        "audit people.csv",
        "audit people.csv --groups x,y",
        "audit people.csv --groups x,y,z",
        "count people.csv --groups x,y -o tally.csv",
        "audit known.csv --audit-labels known",
        "audit known.csv --truth known",
        "privatize people.csv --proxy proxy_c --groups x,y --epsilon 1 -o told.csv",
        "mitigate people.csv --groups x,y --features y_pred -o rule.json",
    ] {
        let seen = place.run(line);
        assert_eq!(seen.code, 2, "{line}: {}", seen.all());
        assert!(!seen.all().contains("person-"), "{line}: {}", seen.all());
    }
    let seen = place.run("audit people.csv");
    assert!(
        seen.stderr.contains("line 2, column `proxy_c`: no other proxy makes the guess here"),
        "{}",
        seen.all()
    );
    // What many have tells nothing about one.
    assert!(seen.stderr.contains("the others guess `x`, `y`"), "{}", seen.all());
    let line = |row: usize| {
        format!(
            "{},{},{},{}\n",
            row % 2,
            ["x", "y"][row % 3 / 2],
            ["x", "y"][row % 5 / 3],
            ["x", "green"][row % 4 / 2]
        )
    };
    place.file(
        "many.csv",
        &format!("y_pred,proxy_a,proxy_b,proxy_c\n{}", (0..60).map(line).collect::<String>()),
    );
    assert!(place.run("audit many.csv").stderr.contains("no other proxy makes the guess `green`"));
    assert!(
        place.run("audit people.csv --show-values").stderr.contains("the guess `person-"),
        "shown where asked for"
    );
}

/// What would command a terminal, end a line or turn its direction.
const HOSTILE: &str = "z\u{1b}[2J\n  to do:  pay\u{202e}\u{7}\r\u{2069}";

#[test]
fn no_name_commands_a_terminal_or_forges_a_line() {
    let place = Place::new();
    let quoted = HOSTILE.to_owned();
    let line = |row: usize| {
        let guess = |k: usize| if (row * k) % 7 < 3 { quoted.clone() } else { "y".into() };
        format!("{},\"{}\",\"{}\",\"{}\",\"{}\"\n", row % 2, guess(1), guess(3), guess(5), guess(2))
    };
    let rows: String = (0..400).map(line).collect();
    place.file("people.csv", &format!("y_pred,\"{HOSTILE}\",proxy_b,proxy_c,part\n{rows}"));
    let proxy = format!("{HOSTILE}:{HOSTILE}");
    let words = |more: &[&str]| {
        let own = ["--proxy", proxy.as_str(), "--proxy", "proxy_b", "--proxy", "proxy_c"];
        [&["audit", "people.csv", "--n-boot", "0"], &own[..], more]
            .concat()
            .iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<_>>()
    };
    let name = format!("{HOSTILE}.csv");
    std::fs::copy(place.folder.path().join("people.csv"), place.folder.path().join(&name)).unwrap();
    let runs: Vec<Vec<String>> = vec![
        words(&["--by", "part", "--min-segment", "1"]),
        words(&["--groups", "a,b"]),
        words(&["--y-true", HOSTILE]),
        words(&["--known-shares", HOSTILE]),
        words(&["--html", &format!("{HOSTILE}/x.html")]),
        words(&["--estimator", HOSTILE]),
        words(&["--given", HOSTILE]),
        words(&["--missing", HOSTILE]),
        ["audit", &name].map(str::to_owned).to_vec(),
        ["audit", HOSTILE].map(str::to_owned).to_vec(),
        ["explain", HOSTILE].map(str::to_owned).to_vec(),
        ["count", &name, "-o", "tally.csv", "--proxy", "proxy_b", HOSTILE].map(str::to_owned).to_vec(),
    ];
    for words in runs {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("fairveil"));
        let done = command.current_dir(place.folder.path()).args(&words).output().unwrap();
        for (what, bytes) in [("out", &done.stdout), ("err", &done.stderr)] {
            let text = String::from_utf8_lossy(bytes);
            assert!(!text.contains("\n  to do:  pay"), "{words:?}: {text}");
            let bad =
                |letter: char| (letter.is_control() && letter != '\n') || "\u{202e}\u{2069}".contains(letter);
            // Names of our own report are set between marks of direction, which end where they began.
            let text = text.replace('\u{2068}', "");
            assert!(!text.contains(bad), "{what} of {words:?}: {text:?}");
        }
    }
}

#[test]
fn segments_can_be_lines() {
    let place = Place::new();
    place.file("people.csv", &table(600, |row| ["north", "south", "west"][row % 3].into()));
    let seen = place.run("audit people.csv --by id --n-boot 0 --quiet --json all.json --jsonl all.jsonl");
    assert_eq!(seen.code, 0, "{}", seen.all());
    let all: serde_json::Value = serde_json::from_str(&place.read("all.json")).unwrap();
    let lines = place.read("all.jsonl");
    let lines: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4);
    assert_eq!((&lines[0]["schema"], &lines[0]["answers"]), (&"fairveil.audit/2".into(), &all["answers"]));
    for (line, segment) in lines[1..].iter().zip(all["segments"].as_array().unwrap()) {
        assert_eq!((&line["schema"], &line["by"][0]), (&"fairveil.segment/2".into(), &"id".into()));
        assert_eq!((&line["values"], &line["audit"]), (&segment["values"], &segment["audit"]));
    }
}

#[test]
fn what_grows_with_the_table_is_refused_before_it_takes_the_memory() {
    let place = Place::new();
    let mut text = String::from("y_pred,proxy_a,proxy_b,branch,x1,x2,x3\n");
    for row in 0..60_000 {
        let guess = |k: usize| ["x", "y"][usize::from((row * k) % 7 < 3)];
        text +=
            &format!("{},{},{},b{row},{},{},{}\n", row % 2, guess(1), guess(3), row % 91, row % 83, row % 77);
    }
    place.file("people.csv", &text);
    let features = "--features x1,x2,x3";
    for line in [
        "audit people.csv --by branch --n-boot 0 --max-memory 2M".to_owned(),
        "count people.csv --by branch -o tally.csv --max-memory 2M".to_owned(),
        format!("mitigate people.csv {features} -o rule.json --max-memory 200K"),
        format!("neighbors people.csv {features} --proxy proxy_a -o near.csv --max-memory 2M"),
    ] {
        let seen = place.run(&line);
        assert_eq!(seen.code, 2, "{line}: {}", seen.all());
        assert!(seen.stderr.contains("the rows read so far take about"), "{line}: {}", seen.all());
        assert!(seen.stderr.contains("--max-memory"), "{line}: {}", seen.all());
    }
    assert_eq!(place.names(), ["people.csv"]);
    let all = "count people.csv --by branch --show-single-people -o tally.csv --max-memory 1G --quiet";
    assert_eq!(place.run(all).code, 0);
    for wrong in ["0", "-1", "1X", "many", "99999999999999T"] {
        assert_eq!(place.run(&format!("count people.csv -o t.csv --max-memory={wrong}")).code, 2, "{wrong}");
    }
}

#[test]
fn a_rule_lists_no_value_that_few_people_have() {
    let place = Place::new();
    assert_eq!(place.run("simulate --rows 3000 --seed 5 -o people.csv").code, 0);
    let text = place.read("people.csv");
    let town = |row: usize| {
        if row % 500 == 7 { format!("person-{row}") } else { ["north", "south"][row % 2].into() }
    };
    let rows =
        text.lines().skip(1).enumerate().map(|(row, line)| format!("{line},{},{}\n", town(row), row % 37));
    let head = text.lines().next().unwrap();
    place.file("people.csv", &format!("{head},town,age\n{}", rows.collect::<String>()));
    let seen = place.run("mitigate people.csv --features town,age --tolerance 0.2 --n-boot 0 -o rule.json");
    assert_eq!(seen.code, 0, "{}", seen.all());
    assert!(seen.stderr.contains("values of fewer than 10 rows count as others"), "{}", seen.all());
    let rule = place.read("rule.json");
    assert!(
        !rule.contains("person-") && rule.contains("\"others\": true") && rule.contains("town = north"),
        "{rule}"
    );
    // Whoever is decided about later may have a value that nobody had.
    place.file("new.csv", "town,age\nnorth,3\nperson-7,3\nmars,3\n");
    let seen = place.run("apply rule.json new.csv -o -");
    assert_eq!(seen.code, 0, "{}", seen.all());
    let lines: Vec<&str> = seen.stdout.lines().collect();
    let decision = |line: usize| lines[line].rsplit(',').next().unwrap();
    assert_eq!((lines.len(), decision(2)), (4, decision(3)), "{}", seen.all());
}
