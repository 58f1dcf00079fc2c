//! Columns of names and places: looked up in one pass, counted as guesses and as evidence, and kept nowhere.

use fairveil_core::Counts;
use fairveil_core::counts::NameRows;
use fairveil_core::evidence::PointTally;
use fairveil_core::vocabulary::{Class, Guess};
use fairveil_ingest::tables_of_names::from_csv;
use fairveil_ingest::{AuditTable, Columns, Input, NameProblem, NamesAsked, Problem, Reading, Table};

/// Names of three groups, of which the last is small.
const SURNAMES: &str = "surname,red,green,blue\n*,60,30,10\nOak,0.9,0.05,0.05\nElm,0.2,0.7,0.1\nFir,0.5,0.1,0.4\nAsh,0.3,0.4,0.3\n";
const FIRST: &str =
    "first_name,red,green,blue\n*,60,30,10\nAnn,0.8,0.1,0.1\nBob,0.3,0.6,0.1\nCid,0.4,0.2,0.4\n";

fn asked(surname: bool, first: bool) -> NamesAsked {
    let named = |is: bool, column: &str| is.then(|| column.to_owned());
    NamesAsked {
        first_name: named(first, "first"),
        surname: named(surname, "last"),
        tables: vec![from_csv(SURNAMES, "surnames").unwrap(), from_csv(FIRST, "first names").unwrap()],
        ..NamesAsked::default()
    }
}

fn columns(groups: Option<&[&str]>) -> Columns {
    let groups: Option<Vec<String>> =
        groups.map(|groups| groups.iter().map(|group| (*group).to_owned()).collect());
    let names = asked(true, true).sources(groups.as_deref()).unwrap();
    Columns { names, groups, ..Columns::default() }
}

fn people(rows: usize) -> String {
    let mut csv = String::from("y_pred,y_true,first,last,weight,band,place\n");
    let (first, last) = (["Ann", "bob", "CID", "Zoe", ""], ["Oak", "elm", "Fir", "Ash", "Yew", "N/A"]);
    for i in 0..rows {
        let (a, b) = ((i * 7) % 5, (i * 11 + i / 3) % 6);
        csv += &format!(
            "{},{},{},{},{},{},{}\n",
            i % 2,
            (i / 2) % 2,
            first[a],
            last[b],
            1 + i % 3,
            ["young", "old"][(i / 5) % 2],
            ["north", "south"][(i / 7) % 2]
        );
    }
    csv
}

fn read(csv: &str, columns: Columns, threads: usize) -> Table {
    let input = Input::Memory { name: "people".into(), bytes: csv.to_owned().into() };
    let reading = Reading { threads: Some(threads), ..Reading::default() };
    AuditTable::new(columns).read(vec![input], &reading).unwrap()
}

fn weight(tally: &PointTally) -> f64 {
    tally.cells().map(|(_, mass)| mass.weight).sum()
}

#[test]
fn a_name_is_guessed_by_odds_against_the_tables_own_people() {
    let csv = "y_pred,first,last\n1,Ann,Fir\n0,Bob,Oak\n1,Cid,Elm\n0,Zoe,Ash\n";
    let counts: Counts = read(csv, columns(None), 1).counts;
    let guesses = |selected: usize| -> Vec<Box<[Option<Guess>]>> {
        let mine = counts.cells().filter(|(cell, _)| cell.stratum.prediction == Class(selected));
        mine.map(|(cell, _)| cell.guesses.clone()).collect()
    };
    let [red, green, blue] = ["red", "green", "blue"]
        .map(|name| Guess(counts.legend().groups.iter().position(|group| group == name).unwrap()));
    // Fir is borne by more of the red, and is four times as likely among the blue as there are blue.
    assert!(guesses(1).contains(&[Some(red), Some(blue)].into()));
    assert!(guesses(0).contains(&[Some(green), Some(red)].into()));
    assert!(guesses(1).contains(&[Some(blue), Some(green)].into()));
    // Ash is 3 times as likely among the blue; nobody knows Zoe.
    assert!(guesses(0).contains(&[None, Some(blue)].into()));
    let sources: Vec<Option<&str>> =
        counts.legend().proxies.iter().map(|proxy| proxy.source.as_deref()).collect();
    assert_eq!(sources, [Some("first_name"), Some("surname")]);
}

#[test]
fn groups_that_are_not_named_go_to_the_rest_and_evidence_tells_them_apart() {
    let counts = read(&people(600), columns(Some(&["blue", "not blue"])), 1).counts;
    assert_eq!(counts.legend().groups, ["blue", "not blue"]);
    let evidence = counts.evidence().unwrap();
    assert_eq!(evidence.groups, ["red", "green", "blue"]);
    assert_eq!(evidence.of.iter().map(|group| group.0).collect::<Vec<_>>(), [1, 1, 0]);
    let wrong = |groups: &[&str]| {
        let groups: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
        asked(true, false).sources(Some(&groups)).unwrap_err()
    };
    assert!(matches!(wrong(&["blue", "pink", "grey"]), NameProblem::UnknownGroups { .. }));
    assert!(matches!(wrong(&["blue", "red"]), NameProblem::UnknownGroups { .. }));
    assert!(matches!(wrong(&["all"]), NameProblem::OneGroup { .. }));
}

#[test]
fn threads_and_the_order_of_rows_change_no_digit() {
    let csv = people(40_000);
    let by = Columns { by: vec!["place".into()], control: vec!["band".into()], ..columns(None) };
    let one = read(&csv, by.clone(), 1);
    assert_eq!(one, read(&csv, by.clone(), 4));
    let (header, rows) = csv.split_once('\n').unwrap();
    let mut rows: Vec<&str> = rows.lines().collect();
    rows.reverse();
    assert_eq!(one.counts, read(&format!("{header}\n{}\n", rows.join("\n")), by, 3).counts);
}

#[test]
fn every_row_is_counted_once_in_every_kind_of_evidence() {
    let csv = people(3_000);
    let by = Columns { by: vec!["place".into()], control: vec!["band".into()], ..columns(None) };
    let table = read(&csv, by, 2);
    let evidence = table.counts.evidence().unwrap();
    let all = evidence.alone.iter().chain(&evidence.together).chain(&evidence.jointly);
    // Rows weigh 1, 2 and 3 in turn.
    all.for_each(|tally| assert_eq!(weight(tally), 6_000.0));
    let controls: std::collections::BTreeSet<u32> =
        evidence.alone[0].cells().map(|(cell, _)| cell.control).collect();
    assert_eq!(controls.len(), 2);
    // Segments have their own rows, and together all of them.
    let parts = table.segments.iter().map(|segment| weight(&segment.counts.evidence().unwrap().alone[0]));
    assert_eq!(parts.sum::<f64>(), 6_000.0);
}

#[test]
fn silence_is_counted_by_its_reason_and_never_filled() {
    let csv = "y_pred,first,last\n1,Ann,Oak\n0,,N/A\n1,ann@oak.org,42\n0,Zoe,Yew\n1,\"Oak, Ann\",Elm\n";
    let counts = read(csv, columns(None), 1).counts;
    let rows = |source: &str| counts.intake().names.iter().find(|names| names.source == source).unwrap();
    let NameRows { known, empty, not_a_name, unknown, .. } = rows("surname");
    assert_eq!((*known, *empty, *not_a_name, *unknown), (2, 1, 1, 1));
    // After the comma stands the first name.
    let NameRows { known, empty, not_a_name, unknown, .. } = rows("first_name");
    assert_eq!((*known, *empty, *not_a_name, *unknown), (2, 1, 1, 1));
}

#[test]
fn names_are_in_nothing_that_comes_out() {
    let counts = read(&people(500), columns(None), 1).counts;
    let told = format!("{counts:?}");
    for name in ["Ann", "ANN", "Oak", "OAK", "elm", "ELM", "Yew", "Zoe"] {
        assert!(!told.contains(name), "{name}");
    }
}

#[test]
fn names_of_a_tally_are_refused() {
    let csv = "y_pred,first,last,count\n1,Ann,Oak,3\n0,Bob,Elm,4\n";
    let input = Input::Memory { name: "people".into(), bytes: csv.into() };
    let counted = Columns { count: fairveil_ingest::Count::Column("count".into()), ..columns(None) };
    let refused = AuditTable::new(counted).read(vec![input], &Reading::default()).unwrap_err();
    assert!(matches!(refused.problem, Problem::NamesInTally), "{refused}");
}

#[test]
fn a_lone_proxy_of_probabilities_is_evidence_and_several_are_not() {
    let csv = "y_pred,a_x,a_y,b_x,b_y\n1,0.9,0.1,0.6,0.4\n0,0.2,0.8,0.5,0.5\n1,,,0.1,0.9\n";
    let of = |prefixes: &[&str]| {
        let proxy_probs = prefixes.iter().map(|prefix| (*prefix).to_owned()).collect();
        read(csv, Columns { proxy_probs, ..Columns::default() }, 1).counts
    };
    let lone = of(&["a_"]);
    let evidence = lone.evidence().unwrap();
    assert_eq!((evidence.sources.len(), evidence.sources[0].name.as_str()), (1, "a"));
    assert_eq!(evidence.sources[0].reference, None);
    assert_eq!(weight(&evidence.alone[0]), 3.0);
    assert!(of(&["a_", "b_"]).evidence().is_none());
}
