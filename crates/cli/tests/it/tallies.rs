//! Tallies: exact however the rows were cut up, honest about what they withhold, and never taken for rows or rows for them.

use crate::tables::{Dice, Place, Table, Weights, Wish, says, table};
use std::collections::BTreeSet;

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn weighted(rows: usize) -> Table {
    let wish = Wish {
        rows,
        groups: 3,
        guessers: 1,
        scorers: 2,
        labels: true,
        weights: Some(Weights::Any),
        segments: true,
        truth: false,
        sample: false,
        odd_names: true,
        classes: 0,
    };
    table(&mut Dice(1), &wish)
}

#[test]
fn the_tally_of_a_hundred_files_is_the_tally_of_their_concatenation() {
    let place = Place::new();
    let table = weighted(4_000);
    place.file("all.csv", table.csv(b',', "\n", false));
    place.count(&["all.csv"], "all.tally.csv", &table.flags);
    let expected = place.text("all.tally.csv");
    assert!(expected.lines().count() > 100);

    let formats = ["csv", "jsonl", "parquet", "tsv"];
    let mut tallies = Vec::new();
    for (i, part) in table.deal(100, &mut Dice(2)).iter().enumerate() {
        let name = format!("part{i:02}.csv");
        place.file(&name, part.csv(b',', "\n", false));
        // The last ones stay uncounted, so that rows and merged tallies are both met.
        let tally = format!("tally{i:02}.{}", formats[i % 4]);
        place.count(&[&name], &tally, &table.flags);
        tallies.push(tally);
    }
    place.count(&["part*.csv"], "together.csv", &table.flags);
    assert!(place.text("together.csv") == expected, "counted together");
    let names: Vec<&str> = tallies.iter().map(String::as_str).collect();
    place.count(&names, "apart.csv", &table.flags);
    assert!(place.text("apart.csv") == expected, "counted apart and added");
    // Added in two steps, in another order.
    let backwards: Vec<&str> = names.iter().rev().copied().collect();
    place.count(&backwards[..37], "first.parquet", &table.flags);
    place.count(&backwards[37..], "second.jsonl", &table.flags);
    place.count(&["second.jsonl", "first.parquet"], "steps.csv", &table.flags);
    assert!(place.text("steps.csv") == expected, "added in steps");
    // Tallies under one header.
    let texts: Vec<String> =
        names.iter().filter(|name| name.ends_with("csv")).map(|name| place.text(name)).collect();
    let rows = |text: &String| {
        // The header has line ends in its names: it is as long in every file.
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        reader.headers().unwrap();
        text[reader.position().byte() as usize..].to_owned()
    };
    let head = &texts[0][..texts[0].len() - rows(&texts[0]).len()];
    place.file("concatenated.csv", head.to_owned() + &texts.iter().map(rows).collect::<String>());
    let others: Vec<&str> =
        names.iter().filter(|name| !name.ends_with("csv")).copied().chain(["concatenated.csv"]).collect();
    place.count(&others, "from-concatenated.csv", &table.flags);
    assert!(place.text("from-concatenated.csv") == expected, "tallies written one after the other");

    let flags: Vec<String> = table.flags.iter().cloned().chain(strings(&["--n-boot", "0"])).collect();
    let audit = place.audit(&["all.csv"], &flags);
    for inputs in [&["part*.csv"][..], &names, &["steps.csv"], &["first.parquet", "second.jsonl"], &others] {
        assert!(place.audit(inputs, &flags) == audit, "{inputs:?}");
    }
}

#[test]
fn sums_past_what_one_row_may_weigh_are_read_back() {
    let place = Place::new();
    let rows: String = (0..40)
        .map(|i| format!("{},{},{},4e11\n", i % 2, ["x", "y"][i / 2 % 2], ["x", "y"][i / 4 % 2]))
        .collect();
    place.file("t.csv", format!("y_pred,proxy_a,proxy_b,weight\n{rows}"));
    place.count(&["t.csv"], "tally.csv", &[]);
    let flags = strings(&["--n-boot", "0"]);
    assert!(place.audit(&["t.csv"], &flags) == place.audit(&["tally.csv"], &flags));
}

/// Rows of which some cells are small: what only they hold must not be in the tally.
fn with_small_cells() -> String {
    let mut text = String::from("y_pred,proxy_a,proxy_b,where,weight\n");
    for (row, times) in [
        ("1,x,x,north,0.1", 40),
        ("0,x,x,north,0.1", 30),
        ("1,y,y,north,0.1", 20),
        ("0,y,y,north,0.1", 30),
        ("1,x,y,north,0.1", 30),
        ("0,y,x,north,0.1", 25),
        ("1,x,x,hamlet,0.5", 4),
        ("0,secret,secret,north,0.25", 3),
        (",y,y,nowhere,2", 1),
    ] {
        text += &format!("{row}\n").repeat(times);
    }
    text
}

#[test]
fn cells_about_few_people_are_withheld_and_counted_in_every_format() {
    let place = Place::new();
    place.file("t.csv", with_small_cells());
    let by = strings(&["--by", "where"]);
    place.count(&["t.csv"], "all.csv", &by);
    for format in ["csv", "tsv", "jsonl", "parquet"] {
        let name = format!("tally.{format}");
        place.count(&["t.csv"], &name, &[&by[..], &strings(&["--min-cell", "5"])].concat());
        let bytes = place.read(&name);
        for secret in ["secret", "hamlet", "nowhere"] {
            assert!(
                !bytes.windows(secret.len()).any(|window| window == secret.as_bytes()),
                "{secret} is in {name}"
            );
        }
        place.count(&[&name], "again.csv", &by);
        let again = place.text("again.csv");
        // The larger cells, and one line about what is withheld: three small cells of 8 rows and the smallest of the others, 20
        // rows, told as at most 5 cells of 50 rows with the mean weight of the rest, 0.1.
        assert_eq!(again.lines().count(), 1 + 5 + 1, "{name}: {again}");
        assert!(again.lines().last().unwrap().ends_with(",5,50,5"), "{name}: {again}");
        assert!(again.contains("0,y,x,north,2.5,25,"), "{again}");
        let audit = place.audit(&[&name], &[&by[..], &strings(&["--n-boot", "0"])].concat());
        let audit: serde_json::Value = serde_json::from_str(&audit).unwrap();
        let findings = audit["findings"].as_array().or_else(|| audit["all"]["findings"].as_array()).unwrap();
        let finding = findings.iter().find(|finding| finding["code"] == "D11").unwrap();
        says(&finding["message"].to_string(), &["At most 50 rows in 5 cells"]);
        assert_eq!(finding["evidence"]["rows"], 50.0);
        assert_eq!(finding["evidence"]["cells"], 5.0);
        // Of what is there, 155 rows of weight 0.1.
        let share = finding["evidence"]["share"].as_f64().unwrap();
        assert!((share - 5.0 / (5.0 + 15.5)).abs() < 1e-12, "{share}");
    }
}

#[test]
fn what_is_withheld_adds_up_when_tallies_are_added() {
    let place = Place::new();
    place.file("t.csv", with_small_cells());
    let by = strings(&["--by", "where"]);
    let least = |n: &str| [&by[..], &strings(&["--min-cell", n])].concat();
    place.count(&["t.csv"], "five.parquet", &least("5"));
    place.count(&["t.csv"], "eight.jsonl", &least("8"));
    place.count(&["t.csv"], "all.csv", &by);
    // Five: at most 5 cells of 50 rows. Eight: at most 5 cells of 80 rows. One withholds nothing.
    for inputs in [["five.parquet", "eight.jsonl", "all.csv"], ["all.csv", "eight.jsonl", "five.parquet"]] {
        place.count(&inputs, "sum.csv", &by);
        let sum = place.text("sum.csv");
        assert!(sum.lines().last().unwrap().ends_with(",10,130,13"), "{sum}");
    }
    // What one part withheld and the other did not is small in the sum: 25 rows, and three cells of 60 with them.
    place.count(&["five.parquet", "eight.jsonl"], "more.csv", &least("30"));
    let more = place.text("more.csv");
    assert!(more.lines().last().unwrap().ends_with(",15,430,43"), "{more}");
}

const TALLY: &str =
    "y_pred,proxy_a,proxy_b,count\n1,x,x,30\n0,x,x,20\n1,y,y,10\n0,y,y,20\n1,x,y,5\n0,y,x,5\n";

#[test]
fn a_count_beside_columns_without_a_role_is_a_question() {
    let place = Place::new();
    place.file("tally.csv", TALLY);
    let person = |line: &str, times: usize| {
        let (key, count) = line.rsplit_once(',').unwrap();
        format!("{key},{count},id\n").repeat(times)
    };
    let text: String = TALLY.lines().skip(1).map(|line| person(line, 1)).collect();
    place.file("t.csv", format!("y_pred,proxy_a,proxy_b,count,id\n{text}"));
    for command in [&["audit"][..], &["count", "-o", "out.csv"]] {
        let said = place.refused(command[0], &["t.csv"], &command[1..]);
        says(
            &said,
            &[
                "t.csv, column `count`: this may be a tally, but it would not use `id`",
                "--count count",
                "--count none",
            ],
        );
    }
    let rows = |flags: &[&str], name: &str| {
        let audit = place.audit(&[name], &strings(&[&["--n-boot", "0"], flags].concat()));
        let audit: serde_json::Value = serde_json::from_str(&audit).unwrap();
        audit["input"]["rows"].as_f64().unwrap()
    };
    assert_eq!(rows(&["--count", "none"], "t.csv"), 6.0);
    assert_eq!(rows(&["--count", "count"], "t.csv"), 90.0);
    assert_eq!(rows(&[], "tally.csv"), 90.0);
    assert_eq!(rows(&["--count", "none"], "tally.csv"), 6.0);
    place.file("n.csv", TALLY.replace("count", "n"));
    assert_eq!(rows(&["--count", "n"], "n.csv"), 90.0);
    assert_eq!(rows(&[], "n.csv"), 6.0);
    // A column that was given another role counts nothing.
    assert_eq!(rows(&["--by", "count"], "tally.csv"), 6.0);
    says(
        &place.refused("audit", &["tally.csv"], &["--count", "cuont"]),
        &["column `cuont`", "did you mean `count`?"],
    );
}

#[test]
fn numbers_of_a_tally_that_make_no_sense_are_refused_where_they_stand() {
    let place = Place::new();
    let head = "y_pred,proxy_a,proxy_b,count";
    let with = |name: &str, head: &str, line: &str| {
        let zeros = ",0".repeat(head.split(',').count() - 4);
        // Where rows have weights, each weighs one.
        let more = |row: &str| {
            let count = row.rsplit(',').next().unwrap();
            if head.contains("squared") { format!(",{count},{count},0") } else { zeros.clone() }
        };
        let rows: String = TALLY.lines().skip(1).map(|row| format!("{row}{}\n", more(row))).collect();
        let objects: Vec<String> = std::iter::once(format!("{head}\n{rows}{line}\n")).collect();
        place.file(name, &objects[0]);
    };
    let weighted = "y_pred,proxy_a,proxy_b,count,rows,squared_weight,rest";
    let soft = "y_pred,proxy_a,proxy_b,count,soft_x,soft_y,soft_weight,rest";
    let hidden = "y_pred,proxy_a,proxy_b,count,hidden_cells,hidden_rows,hidden_count";
    let plain = format!("{head},invalid");
    for (head, line, column, found) in [
        (head, "1,x,x,1.5", "count", "the count is `1.5`"),
        (head, "1,x,x,-1", "count", "the count is `-1`"),
        (head, "1,x,x,", "count", "the count is ``"),
        (head, "1,x,x,many", "count", "the count is `many`"),
        (head, "1,x,x,NaN", "count", "the count is `NaN`"),
        (head, "1,x,x,1e17", "count", "the count is `1e17`"),
        (
            &plain,
            "1,x,x,5,2",
            "invalid",
            "2 rows behind this tally have a weight or probabilities that make no sense",
        ),
        (weighted, "1,x,x,0.5,1.5,1,", "rows", "the count is `1.5`"),
        (weighted, "1,x,x,0.5,1,,", "squared_weight", "the count is ``"),
        (weighted, "1,x,x,-0.5,1,1,", "count", "the count is `-0.5`"),
        (weighted, "1,x,x,0.5,1,0.25,nonsense", "rest", "the remainder of rounding is `nonsense`"),
        (weighted, "1,x,x,0.5,1,0.25,count=inf", "rest", "the remainder of rounding is `count=inf`"),
        (weighted, "1,x,x,0.5,1,0.25,soft7=1e-20", "rest", "the remainder of rounding is `soft7=1e-20`"),
        // More than rounding can leave.
        (weighted, "1,x,x,0.5,1,0.25,count=3", "rest", "the remainder of rounding is `count=3`"),
        (soft, "1,x,x,5,,2,5,", "soft_x", "the count is ``"),
        (soft, "1,x,x,5,3,2,NaN,", "soft_weight", "the count is ``"),
        (hidden, ",,,0,1.5,3,3", "hidden_cells", "the count is `1.5`"),
        (hidden, ",,,0,1,-3,3", "hidden_rows", "the count is `-3`"),
    ] {
        // Zeros are a rest of nothing that nobody writes.
        with("tally.csv", head, line);
        if head.ends_with("rest") {
            let text = place.text("tally.csv").replace(",0\n", ",\n");
            let text = if head == weighted { text.replace(",0,0,\n", ",1,1,\n") } else { text };
            place.file("tally.csv", text);
        }
        let said = place.refused("audit", &["tally.csv"], &[]);
        says(&said, &[&format!("tally.csv, line 8, column `{column}`: {found}")]);
        // Lenience is for rows, not for what stands for many.
        assert_eq!(place.refused("audit", &["tally.csv"], &["--lenient"]), said);
    }
    place.file(
        "w.csv",
        TALLY.replace("count\n", "count,weight\n").replace("0\n", "0,1\n").replace("5\n", "5,1\n"),
    );
    says(
        &place.refused("audit", &["w.csv"], &[]),
        &["column `weight`: a column of weights in a tally", "--count none"],
    );
}

#[test]
fn rows_and_tallies_are_not_mixed_and_the_same_file_is_not_counted_twice() {
    let place = Place::new();
    place.file("tally.csv", TALLY);
    place.file("rows.csv", "y_pred,proxy_a,proxy_b\n1,x,y\n0,y,x\n");
    says(
        &place.refused("audit", &["tally.csv", "rows.csv"], &[]),
        &["rows.csv: the columns used here are", "`count`"],
    );
    says(&place.refused("audit", &["rows.csv", "./rows.csv"], &[]), &["rows.csv: ", "twice"]);
    says(&place.refused("audit", &["rows.csv", "r*.csv"], &[]), &["rows.csv: ", "twice"]);
}

#[test]
fn a_tally_keeps_the_order_of_the_columns() {
    let place = Place::new();
    let text = "y_pred,proxy_z,proxy_a,proxy_m\n1,x,y,x\n0,y,x,y\n1,x,x,y\n0,y,y,x\n1,y,x,x\n";
    place.file("t.csv", text);
    let flags = strings(&["--n-boot", "0"]);
    let expected = place.audit(&["t.csv"], &flags);
    for tally in ["tally.csv", "tally.jsonl", "tally.parquet"] {
        place.count(&["t.csv"], tally, &[]);
        assert!(place.audit(&[tally], &flags) == expected, "{tally}");
    }
    assert!(place.text("tally.jsonl").starts_with("{\"y_pred\":\"0\",\"proxy_z\":\"y\",\"proxy_a\":"));
}

#[test]
fn an_audit_sample_in_a_tally_counts_rows_not_lines() {
    let place = Place::new();
    let head = "y_pred,proxy_a,proxy_b,known\n";
    let mut dice = Dice(8);
    let row = |dice: &mut Dice| {
        let truth = dice.below(2);
        let guess = |dice: &mut Dice| ["x", "y"][if dice.chance(75) { truth } else { 1 - truth }];
        let (a, b) = (guess(dice), guess(dice));
        format!("{},{a},{b},{}\n", dice.below(2), ["x", "y"][truth])
    };
    let rows: String = (0..300).map(|_| row(&mut dice)).collect();
    let sample: String = (0..60).map(|_| row(&mut dice)).collect();
    place.file(
        "t.csv",
        format!("{head}{rows}")
            .lines()
            .map(|line| line.rsplit_once(',').unwrap().0.to_owned() + "\n")
            .collect::<String>(),
    );
    place.file("sample.csv", format!("{head}{sample}"));
    let known = strings(&["--audit-labels", "known"]);
    place.count(&["sample.csv"], "sample.tally.csv", &known);
    let audit = |sample: &str| {
        let flags = [&strings(&["--audit-table", sample, "--n-boot", "0"])[..], &known].concat();
        place.audit(&["t.csv"], &flags)
    };
    assert!(audit("sample.csv") == audit("sample.tally.csv"));
}

#[test]
fn names_that_a_tally_could_not_keep_apart_are_refused_before_it_is_written() {
    let place = Place::new();
    place.file("t.csv", "risk,risk_x,risk_y,proxy_a\n1,0.5,0.5,x\n0,0.25,0.75,y\n");
    let said =
        place.refused("count", &["t.csv"], &["--y-pred", "risk", "--proxy-probs", "risk_", "-o", "out.csv"]);
    says(&said, &["column `risk`"]);
    place.file("r.csv", "y_pred,proxy_a,rest\n1,x,n\n0,y,s\n");
    says(
        &place.refused("count", &["r.csv"], &["--by", "rest", "-o", "out.csv"]),
        &["column `rest`: a tally uses this column name itself"],
    );
    let names: BTreeSet<String> = place.names().into_iter().collect();
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["r.csv", "t.csv"]);
}
