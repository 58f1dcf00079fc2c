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
