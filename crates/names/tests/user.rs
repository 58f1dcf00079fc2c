//! A user's own table: what is read, and what is said where it cannot be.
#![allow(clippy::unwrap_used, clippy::panic)] // tests may stop at the first surprise

use fairveil_names::{Entry, Field, Found, NamesError, Table, from_csv, from_dir};

fn shares(table: &Table, raw: &str) -> Vec<f32> {
    let Found::Known(entry) = table.find(raw) else { panic!("{raw} is unknown") };
    table.probabilities(entry).to_vec()
}

fn close(found: &[f64], needed: &[f64]) -> bool {
    found.len() == needed.len()
        && found.iter().zip(needed).all(|(found, needed)| (found - needed).abs() < 1e-12)
}

#[test]
fn counts_give_shares_and_the_population() {
    let table = from_csv("surname,a,b\nAsh,30,10\nO'Oak,0,20\nÅsh,10,30\n", "trees").unwrap();
    assert_eq!((table.name(), table.field(), table.len()), ("trees", Field::Surname, 2));
    assert_eq!(table.groups(), ["a", "b"]);
    // Ash is there twice after normalisation: 40 and 40 people.
    assert_eq!(shares(&table, "ASH"), [0.5, 0.5]);
    assert_eq!(shares(&table, "ooak"), [0.0, 1.0]);
    assert!(close(table.population(), &[0.4, 0.6]));
    assert_eq!(table.spelling(Entry(1)), "OOAK");
}

#[test]
fn shares_take_the_population_from_a_row_or_from_counts_of_people() {
    let row = from_csv("first_name,a,b\n*,0.3,0.7\nAda,0.75,0.25\n", "t").unwrap();
    assert!(close(row.population(), &[0.3, 0.7]));
    assert_eq!(shares(&row, "Ada"), [0.75, 0.25]);
    let percent = from_csv("first_name,a,b\nAda,75,25\nBob,50,50\n*,300,700\n", "t").unwrap();
    assert!(close(percent.population(), &[0.3, 0.7]));
    assert_eq!(shares(&percent, "Ada"), [0.75, 0.25]);
    let count =
        from_csv("first_name,a,b,count\nAda,0.75,0.25,4\nBob,0.5,0.5,2\nAda,0.0,1.0,4\n", "t").unwrap();
    assert!(close(count.population(), &[0.4, 0.6]));
    assert_eq!(shares(&count, "Ada"), [0.375, 0.625]);
}

#[test]
fn rounded_shares_are_brought_to_sum_one() {
    let table = from_csv("zip,a,b,c\n2139,0.33,0.33,0.33\n*,1,1,2\n", "t").unwrap();
    assert!((shares(&table, "02139-1234").iter().sum::<f32>() - 1.0).abs() < 1e-6);
    assert!(close(table.population(), &[0.25, 0.25, 0.5]));
}

#[test]
fn quotes_a_mark_at_the_start_and_other_line_ends_are_read() {
    let table = from_csv("\u{feff}surname,\"a, or b\",c\r\n\"Ash\",1,0\r\n", "t").unwrap();
    assert_eq!(table.groups(), ["a, or b", "c"]);
    assert!(from_csv("surname,a,b\n", "t").unwrap_err().to_string().contains("no names"));
}

#[test]
fn names_of_any_length_are_found() {
    let long = "Wolfeschlegelsteinhausenbergerdorff";
    let table = from_csv(format!("surname,a,b\n{long},3,1\n"), "t").unwrap();
    assert_eq!(shares(&table, &long.to_uppercase()), [0.75, 0.25]);
}

#[test]
fn what_cannot_be_used_is_said_with_its_place_and_a_way_out() {
    for (text, parts) in [
        ("", ["row 1", "nothing"]),
        ("name,a,b\n", ["row 1", "\"name\""]),
        ("surname,a\n", ["row 1", "1 groups"]),
        ("surname,a,a\n", ["row 1", "column 3 called \"a\""]),
        ("surname,a,,b\n", ["row 1", "column 3 called \"\""]),
        ("surname,count,a,b\n", ["row 1", "column 2 called \"count\""]),
        ("surname,a,b\nAsh,1\n", ["row 2", "cells"]),
        ("surname,a,b\nAsh,1,x\n", ["row 2, column b", "\"x\""]),
        ("surname,a,b\nAsh,1,-2\n", ["row 2, column b", "\"-2\""]),
        ("surname,a,b\nAsh,1,NaN\n", ["row 2, column b", "\"NaN\""]),
        ("surname,a,b\nAsh,1,\n", ["row 2, column b", "\"\""]),
        ("surname,a,b\nAsh,0,0\n", ["row 2", "sum to 0"]),
        ("surname,a,b\n1234,1,2\n", ["row 2, column surname", "\"1234\""]),
        ("surname,a,b\nN/A,1,2\n", ["row 2, column surname", "stands for nothing"]),
        ("zip,a,b\nSW1A,1,2\n", ["row 2, column zip", "five digits"]),
        ("surname,a,b\n*,1,2\n*,1,2\nAsh,1,2\n", ["row 3", "second row *"]),
        ("surname,a,b\nAsh,0.5,0.5\n", ["whole file", "row * "]),
        ("surname,a,b\nAsh,0.5,0.5\nOak,3,4\n", ["row 3", "parts of a person in row 2"]),
        ("surname,a,b\n*,1,1\nAsh,0.5,0.5\nash,0.1,0.9\n", ["row 4", "ASH a second time"]),
        ("surname,a,b,count\nAsh,0.5,0.5,0\n", ["row 2, column count", "above 0"]),
    ] {
        let error = from_csv(text, "mine").unwrap_err();
        assert!(matches!(error, NamesError::Csv { .. }));
        let said = error.to_string();
        assert!(said.starts_with("mine, ") && parts.iter().all(|part| said.contains(part)), "{text}: {said}");
    }
    assert!(from_csv(b"surname,a,b\nAsh\xff,1,2\n", "mine").is_err());
}

#[test]
fn a_folder_gives_its_tables_in_order() {
    let folder = std::env::temp_dir().join(format!("fairveil-names-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (file, text) in
        [("b.csv", "surname,a,b\nAsh,1,2\n"), ("a.CSV", "zip,a,b\n2139,1,2\n"), ("c.txt", "no table")]
    {
        std::fs::write(folder.join(file), text).unwrap();
    }
    let tables = from_dir(&folder).unwrap();
    assert_eq!(tables.iter().map(Table::name).collect::<Vec<_>>(), ["a", "b"]);
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(matches!(from_dir(&folder), Err(NamesError::Unreadable { .. })));
}
