//! Rows that belong together.

use crate::cli::Place;

/// Four rows of each of 1,500 people, who are decided and guessed alike.
fn people() -> String {
    let mut state = 9u64;
    let mut draw = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1u64 << 31) as f64
    };
    let mut table = String::from("person,y_pred,proxy_a,proxy_b,proxy_c\n");
    for person in 0..1_500 {
        let member = draw() < 0.4;
        let chosen = draw() < if member { 0.6 } else { 0.35 };
        let guesses = [0; 3].map(|_| if (draw() < 0.8) == member { "x" } else { "y" });
        for _ in 0..4 {
            table += &format!("{person},{},{}\n", u8::from(chosen), guesses.join(","));
        }
    }
    table
}

fn width(document: &str) -> f64 {
    let audit: serde_json::Value = serde_json::from_str(document).unwrap();
    let interval = &audit["answers"][0]["interval"];
    interval["high"].as_f64().unwrap() - interval["low"].as_f64().unwrap()
}

#[test]
fn rows_of_one_person_widen_intervals_and_raise_a_finding() {
    let place = Place::new();
    place.file("people.csv", &people());
    let plain = place.run("audit people.csv --scope global --json -");
    let clustered = place.run("audit people.csv --cluster person --scope global --json -");
    assert_eq!((plain.code, clustered.code), (0, 0), "{}", clustered.all());
    let ratio = width(&clustered.stdout) / width(&plain.stdout);
    // Four equal rows are one: intervals are twice as wide.
    assert!((1.6..2.5).contains(&ratio), "{ratio}");
    assert!(clustered.stdout.contains("\"U05\"") && !plain.stdout.contains("\"U05\""));
    // The order of the rows and the number of threads change nothing.
    let again = place.run("audit people.csv --cluster person --scope global --threads 1 --json -");
    assert_eq!(again.stdout, clustered.stdout);
}

#[test]
fn a_row_without_its_cluster_is_refused() {
    let place = Place::new();
    place.file("people.csv", "person,y_pred,proxy_a,proxy_b,proxy_c\n1,1,x,y,x\n,0,y,y,x\n");
    let seen = place.run("audit people.csv --cluster person");
    assert_eq!(seen.code, 2);
    assert!(seen.stderr.contains("line 3") && seen.stderr.contains("--cluster"), "{}", seen.all());
}

#[test]
fn people_in_several_rows_are_found_by_their_ids_and_no_id_is_told() {
    let place = Place::new();
    place.file("people.csv", &people());
    let mut row = 0;
    let mut own_id = |line: &str| {
        row += 1;
        format!("{row},{}\n", line.split_once(',').unwrap().1)
    };
    let table = people();
    let (header, rows) = table.split_once('\n').unwrap();
    place.file("rows.csv", &(header.to_owned() + "\n" + &rows.lines().map(&mut own_id).collect::<String>()));
    let seen = place.run("audit people.csv --id person --scope global --json -");
    assert_eq!(seen.code, 0, "{}", seen.all());
    assert!(seen.stdout.contains("\"U07\"") && seen.stdout.contains("rows_per_person"), "{}", seen.all());
    let one = place.run("audit people.csv --id person --scope global --threads 1 --json -");
    assert_eq!(one.stdout, seen.stdout);
    for flags in ["people.csv", "people.csv --id person --cluster person", "rows.csv --id person"] {
        let seen = place.run(&format!("audit {flags} --scope global --json -"));
        assert_eq!(seen.code, 0, "{}", seen.all());
        assert!(!seen.stdout.contains("\"U07\""), "{flags}");
    }
    let counted = place.run("count people.csv --id person --output tally.csv");
    assert!(counted.code == 2 && counted.stderr.contains("leave --id out"), "{}", counted.all());
}
