//! Evidence that leaves the house beside a tally: an audit elsewhere says what one here would, and believes no other file.

use crate::names::{COLUMNS, Place, csv, people};
use serde_json::Value;

/// People with a band of age, some without a name, and a weight.
fn table(rows: std::ops::Range<usize>) -> String {
    let people = people(rows.end);
    let mut lines = String::new();
    for (i, row) in people.iter().enumerate().skip(rows.start) {
        let mut row = row.clone();
        if i % 17 == 0 {
            row[1].clear();
        }
        let band = ["young", "old"][(i / 2) % 2];
        lines += &format!("{},{band},{}\n", row.join(","), [0.1, 0.7, 1.3][i % 3]);
    }
    format!("id,first,last,zip,y_pred,band,w\n{lines}")
}

/// What an audit says, but for the input and what it was asked.
fn answers(audit: &Value) -> [Value; 5] {
    ["results", "noise", "findings", "answer", "bounds"].map(|part| audit[part].clone())
}

#[test]
fn an_audit_of_the_tally_and_its_evidence_is_that_of_the_rows() {
    for more in ["", "--weight w", "--control band", "--by band --control band"] {
        let place = Place::new();
        place.file("people.csv", table(0..1500));
        let control = if more.contains("control") { "--control band" } else { "" };
        let rest = more.replace("--control band", "");
        let rows = place.json(&format!("audit people.csv {COLUMNS} --n-boot 200 {more}"));
        place.run(
            0,
            &format!(
                "count people.csv {COLUMNS} {rest} {control} -o tally.csv --evidence said.jsonl --quiet"
            ),
        );
        let read = if rest.contains("weight") { String::new() } else { rest };
        let told = format!("audit tally.csv --evidence said.jsonl --n-boot 200 {read} {control}");
        let tally = place.json(&told);
        assert_eq!(answers(&rows), answers(&tally), "{more}");
        assert_eq!(rows["segments"], tally["segments"], "{more}");
        let evidence = |audit: &Value| {
            let results = audit["results"].as_array().unwrap().iter();
            results.filter(|one| one["estimator"] == "evidence" && one["value"].is_number()).count()
        };
        assert!(evidence(&tally) > 0, "{more}");
    }
}

#[test]
fn groups_that_nobody_named_stand_in_the_order_of_the_rows_audit() {
    let place = Place::new();
    place.file("people.csv", table(0..900));
    let columns = "--first-name first --surname last";
    let rows = place.json(&format!("audit people.csv {columns} --n-boot 200"));
    place.run(0, &format!("count people.csv {columns} -o tally.csv --evidence said.jsonl --quiet"));
    assert_eq!(answers(&rows), answers(&place.json("audit tally.csv --evidence said.jsonl --n-boot 200")));
}

#[test]
fn weights_of_places_that_are_one_add_up_to_the_same_digits_every_time() {
    let place = Place::new();
    // One decision in three spellings.
    let mut lines: Vec<String> = table(0..900).lines().map(str::to_owned).collect();
    for (i, line) in lines.iter_mut().enumerate().skip(1) {
        let mut fields: Vec<String> = line.split(',').map(str::to_owned).collect();
        fields[4] = format!("{}{}", fields[4], ["", ".0", " "][i % 3]);
        *line = fields.join(",");
    }
    place.file("people.csv", lines.join("\n") + "\n");
    let words = format!("audit people.csv {COLUMNS} --weight w --by band --n-boot 100");
    let first = place.json(&words);
    for _ in 0..3 {
        assert_eq!(first, place.json(&words));
    }
    place.run(
        0,
        &format!(
            "count people.csv {COLUMNS} --weight w --by band -o tally.csv --evidence said.jsonl --quiet"
        ),
    );
    let tally = place.json("audit tally.csv --evidence said.jsonl --by band --n-boot 100");
    assert_eq!(answers(&first), answers(&tally));
}

#[test]
fn evidence_of_parts_adds_up_to_that_of_the_whole() {
    let place = Place::new();
    place.file("all.csv", table(0..1500));
    place.file("a.csv", table(0..700));
    place.file("b.csv", table(700..1500));
    let columns = format!("{COLUMNS} --weight w");
    for part in ["all", "a", "b"] {
        place.run(
            0,
            &format!("count {part}.csv {columns} -o {part}_tally.parquet --evidence {part}.jsonl --quiet"),
        );
    }
    let whole = place.json("audit all_tally.parquet --evidence all.jsonl --n-boot 200");
    let parts = "audit a_tally.parquet b_tally.parquet --n-boot 200";
    for order in ["--evidence a.jsonl --evidence b.jsonl", "--evidence b.jsonl --evidence a.jsonl"] {
        assert_eq!(answers(&whole), answers(&place.json(&format!("{parts} {order}"))));
    }
    // Half of the evidence is of other rows than the tally.
    let found = "the evidence tells of";
    place.refused(&format!("{parts} --evidence a.jsonl"), found, "the very rows", "written together");
    place.refused("audit a_tally.parquet --evidence b.jsonl", found, "the very rows", "written together");
}

#[test]
fn the_probabilities_of_one_proxy_leave_as_evidence_too() {
    let place = Place::new();
    let row = |i: usize| {
        let p = [0.1, 0.35, 0.6, 0.9][i % 4];
        format!("{},{p},{:.2}\n", u8::from(i * 7 % 10 < 3 + i % 4), 1.0 - p)
    };
    place.file("people.csv", format!("y_pred,bisg_a,bisg_b\n{}", (0..900).map(row).collect::<String>()));
    place.run(0, "count people.csv --proxy-probs bisg_ -o tally.csv --evidence said.jsonl --quiet");
    let rows = place.json("audit people.csv --proxy-probs bisg_ --n-boot 200");
    let tally = place.json("audit tally.csv --proxy-probs bisg_ --evidence said.jsonl --n-boot 200");
    assert_eq!(answers(&rows), answers(&tally));
}

#[test]
fn evidence_does_not_depend_on_threads_or_the_order_of_rows() {
    let place = Place::new();
    place.file("people.csv", table(0..1200));
    let text = table(0..1200);
    let mut lines: Vec<&str> = text.lines().collect();
    lines[1..].reverse();
    place.file("turned.csv", lines.join("\n") + "\n");
    let count = |file: &str, threads: usize| {
        let columns = format!("{COLUMNS} --weight w --threads {threads}");
        place.run(0, &format!("count {file} {columns} -o tally.csv --evidence said.jsonl --quiet"));
        place.text("said.jsonl")
    };
    let first = count("people.csv", 1);
    assert_eq!(first, count("people.csv", 2));
    assert_eq!(first, count("turned.csv", 2));
}

#[test]
fn guesses_are_the_same_with_and_without_evidence_however_many_names_there_are() {
    let place = Place::new();
    let frequent =
        ["Smith", "garcia", "O'Brien", "NGUYEN", "", "n/a", "Xqzwv", "17", "Garcia-Lopez", "Jones"];
    let zips = ["00000", "02139", "2139", "10001", "99999", "SW1A 1AA", "", "60601"];
    let mut rows = String::from("last,zip,y_pred\n");
    // Words of four letters, more than a thread remembers, each met again after many others.
    for i in 0..50_000usize {
        let letter = |place: u32| char::from(b'a' + (i / 2 % 20_000 * 7919 / 26usize.pow(place) % 26) as u8);
        let word: String = (0..4).map(letter).collect();
        let last = if i % 5 == 0 { frequent[i / 5 % 10] } else { &word };
        rows += &format!("{last},{},{}\n", zips[i / 3 % 8], i % 2);
    }
    place.file("people.csv", rows);
    let count = |flags: &str| {
        place.run(0, &format!("count people.csv --surname last --zip zip -o tally.csv --quiet {flags}"));
        place.text("tally.csv")
    };
    let plain = count("");
    assert!(plain.lines().count() > 20, "{plain}");
    assert_eq!(plain, count("--evidence said.jsonl"));
}

#[test]
fn evidence_that_no_rows_give_is_not_believed() {
    let place = Place::new();
    place.file("people.csv", csv(&people(600)));
    place.run(0, &format!("count people.csv {COLUMNS} -o tally.csv --evidence said.jsonl --quiet"));
    let text = place.text("said.jsonl");
    let changed = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        place.file("said2.jsonl", text.replacen(from, to, 1));
    };
    let audit = "audit tally.csv --evidence said2.jsonl";
    let first = text.lines().nth(1).unwrap();
    let rows = first.rsplit(',').next().unwrap();
    changed(first, &first.replace(rows, "0]"));
    place.refused(audit, "line 2: a cell has no rows", "what rows can give", "again");
    changed(first, &first.replace(rows, "900000]"));
    place.refused(audit, "its counts tell of other rows", "what rows can give", "again");
    changed("\"steps\":128", "\"steps\":127");
    place.refused(audit, "the counts are not those of its sources", "what rows can give", "again");
    changed("fairveil.evidence/1", "fairveil.evidence/9");
    place.refused(audit, "its schema is", "beside the tally", "check the name");
    place.file("said2.jsonl", &text[..text.len() - 5]);
    place.refused(audit, "this is no evidence", "beside the tally", "check the name");
    place.file("said2.jsonl", "");
    place.refused(audit, "empty", "", "");
    place.refused(
        "audit tally.csv --evidence tally.csv",
        "this is no evidence",
        "beside the tally",
        "check the name",
    );
    place.refused(
        "audit tally.csv --evidence none.jsonl",
        "cannot read none.jsonl",
        "count --evidence",
        "check the name",
    );
    place.refused(
        "audit people.csv --evidence said.jsonl --proxy first",
        "beside a table of rows",
        "a tally",
        "leave out --evidence",
    );
    place.refused(
        "audit tally.csv --evidence said.jsonl --control first_name",
        "not counted by this column",
        "y_pred",
        "",
    );
    place.refused(
        "count people.csv --proxy first -o out.csv --evidence e.jsonl",
        "there is no evidence",
        "--first-name",
        "leave out --evidence",
    );
    assert!(!place.path("e.jsonl").exists());
    let said =
        place.run(2, &format!("count people.csv {COLUMNS} -o out.csv --evidence e.jsonl --min-cell 5"));
    assert!(said.contains("--min-cell"), "{said}");
}

#[test]
fn a_table_of_the_program_is_what_the_program_knows_it_to_be() {
    let place = Place::new();
    place.file("people.csv", csv(&people(600)));
    place.run(0, &format!("count people.csv {COLUMNS} -o tally.csv --evidence said.jsonl --quiet"));
    let text = place.text("said.jsonl");
    let changed = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        place.file("said2.jsonl", text.replacen(from, to, 1));
    };
    let audit = "audit tally.csv --evidence said2.jsonl";
    let (needed, to_do) = ("what rows can give", "again");
    let another = "told to be another than it is";
    changed("Registered voters of AL", "Registered voters of NY");
    place.refused(audit, another, needed, to_do);
    // Shares of other people, which would move every number.
    let shares = text.split("\"population\":[").nth(1).unwrap().split(']').next().unwrap();
    changed(shares, "0.2,0.2,0.2,0.2,0.2");
    place.refused(audit, another, needed, to_do);
    // A name that says something else of the same person.
    let first = text.lines().nth(1).unwrap();
    let point = first.split('"').nth(1).unwrap();
    changed(&format!("\"{point}\""), "\"2a2a2a0101\"");
    place.refused(audit, "a point that no entry of its table gives", needed, to_do);
    changed("\"of\":[1,0,1,1,1]", "\"of\":[0,1,1,1,1]");
    place.refused(audit, "is counted as another that is compared", needed, to_do);
    let looked = text.split("\"looked\":[[").nth(1).unwrap().split(']').next().unwrap();
    let numbers: Vec<u64> = looked.split(',').map(|number| number.parse().unwrap()).collect();
    let moved = format!("{},{},0,0,0", numbers[0] - 1, numbers[1..].iter().sum::<u64>() + 1);
    changed(looked, &moved);
    place.refused(audit, "not as many as those that say something", needed, to_do);
    // A table of the user's own may be called the same: of that the file is all there is.
    std::fs::create_dir(place.path("own")).unwrap();
    place.file("two.csv", "last,y_pred\nSmith,1\nJones,0\nSmith,0\nJones,1\n");
    // Some of the groups that tables of race know are groups like any others.
    for groups in ["north,south", "black,white"] {
        let table = format!("surname,{groups}\n*,0.3,0.7\nSMITH,0.2,0.8\nJONES,0.5,0.5\n");
        place.file("own/rosenman_surnames.csv", table);
        place.run(0, "count two.csv --surname last --tables own -o own.csv --evidence own.jsonl --quiet");
        place.run(0, "audit own.csv --evidence own.jsonl --n-boot 0");
    }
}

#[test]
fn a_column_of_probabilities_has_a_soft_gap_with_an_interval_and_its_population_is_told() {
    let place = Place::new();
    // The likeliest group is the same for all.
    let row = |i: usize| {
        let p = [0.05, 0.15, 0.25, 0.45][i % 4];
        format!("{},{p},{:.2}\n", u8::from(i * 7 % 10 < 3 + i % 4), 1.0 - p)
    };
    place.file("people.csv", format!("y_pred,bisg_a,bisg_b\n{}", (0..600).map(row).collect::<String>()));
    let audit = place.json("audit people.csv --proxy-probs bisg_ --n-boot 400 --population a=0.2");
    let mut results = audit["results"].as_array().unwrap().iter();
    let soft = results.find(|one| one["basis"] == "soft" && one["estimator"].is_null()).unwrap();
    let ends = ["low", "high"].map(|end| soft["interval"][end].as_f64().unwrap());
    // Of 600 decisions chance moves a difference by some .03 however little the probabilities vary.
    assert!(ends[1] - ends[0] > 0.02, "{soft}");
    assert!(ends[0] <= soft["value"].as_f64().unwrap() && soft["value"].as_f64().unwrap() <= ends[1]);
    assert_eq!(audit["settings"]["population"], serde_json::json!([0.2, 0.8]));
    assert!(
        place.json("audit people.csv --proxy-probs bisg_ --n-boot 0")["settings"]["population"].is_null()
    );
}

/// People of two groups, six and four in ten, of whom the second are selected .2 more often; a vendor's probabilities were made for a
/// nation of nine and one in ten.
fn vendor() -> String {
    let mut lines = String::new();
    // What a name says is right: how likely it is in each group, by how many people of ten thousand have it.
    let names = [(0.7, 0.1), (0.2, 0.2), (0.1, 0.7)];
    for (in_first, in_second) in names {
        let p = 0.1 * in_second / (0.9 * in_first + 0.1 * in_second);
        for (people, bears, rate) in [(6000.0, in_first, 0.3), (4000.0, in_second, 0.5)] {
            let with: f64 = people * bears;
            let selected = (with * rate).round() as usize;
            for i in 0..with.round() as usize {
                lines += &format!("{},{:.9},{p:.9}\n", u8::from(i < selected), 1.0 - p);
            }
        }
    }
    format!("y_pred,v_a,v_b\n{lines}")
}

#[test]
fn probabilities_that_were_made_for_the_nation_say_what_they_know_of_these_people() {
    let place = Place::new();
    place.file("people.csv", vendor());
    let gap = |flags: &str| {
        let audit = place.json(&format!("audit people.csv --proxy-probs v_ --n-boot 0 {flags}"));
        let mut results = audit["results"].as_array().unwrap().iter();
        let found = results.find(|one| one["estimator"] == "evidence" && one["aggregate"] == "difference");
        found.unwrap()["value"].as_f64().unwrap()
    };
    // The grid costs the third digit.
    assert!((gap("--population a=0.9,b=0.1") - 0.2).abs() < 0.005);
    assert!((gap("--population b=0.1") - 0.2).abs() < 0.005);
    assert!((gap("") - 0.2).abs() > 0.02, "the shares matter");
    let asked = "audit people.csv --proxy-probs v_ --population";
    place.refused(&format!("{asked} a=0.9,b=0.3"), "1.200 in all", "1 in all", "correct");
    place.refused(&format!("{asked} a=1"), "nothing for a group", "above 0", "correct");
    let said = place.run(2, &format!("{asked} c=1"));
    assert!(said.contains("names the group `c`"), "{said}");
}

#[test]
fn evidence_and_tally_weigh_the_same() {
    let place = Place::new();
    place.file("people.csv", table(0..600));
    for (name, weight) in [("plain", ""), ("weighed", "--weight w")] {
        place.run(
            0,
            &format!("count people.csv {COLUMNS} {weight} -o {name}.csv --evidence {name}.jsonl --quiet"),
        );
    }
    let found = "weigh something else";
    place.refused("audit plain.csv --evidence weighed.jsonl", found, "same weights", "in one go");
    place.refused("audit weighed.csv --evidence plain.jsonl", found, "same weights", "in one go");
}

#[test]
fn what_is_controlled_for_shows_nobody_alone() {
    let place = Place::new();
    place.file("people.csv", table(0..90));
    let words = format!("count people.csv {COLUMNS} --control id -o out.csv --evidence e.jsonl");
    place.refused(&words, "segments have fewer than 50 rows", "at least 50", "another column");
    assert!(!place.path("e.jsonl").exists());
}
