//! What an audit is told about borrowed guesses, against a plain look at every row and every pair of rows.

use fairveil_core::Counts;
use fairveil_core::counts::Borrowed;
use fairveil_core::vocabulary::{Class, Stratum};
use fairveil_ingest::{Columns, Input, Reading, Table, read_rows};
use fairveil_neighbors::{Metric, SearchMethod};
use std::collections::{BTreeMap, BTreeSet};

/// One row: prediction (or none), label (or none), guess (or none), segment, weight, true group, place on a line.
struct Person {
    prediction: Option<usize>,
    label: Option<usize>,
    guess: Option<usize>,
    segment: usize,
    weight: f64,
    group: usize,
    at: f64,
}

fn people(rows: usize, seed: u64) -> Vec<Person> {
    let mut state = seed;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % limit) as usize
    };
    let one = |_| Person {
        prediction: Some(below(2)).filter(|_| below(12) > 0),
        label: Some(below(2)).filter(|_| below(6) > 0),
        guess: Some(below(2)).filter(|_| below(6) > 0),
        segment: below(3),
        weight: [0.0, 0.5, 1.0, 1.5, 2.0, 3.0][below(6)],
        group: below(2),
        // Few places, so that there are duplicates and ties.
        at: below(rows as u64) as f64,
    };
    (0..rows).map(one).collect()
}

fn table(people: &[Person], weighted: bool, triples: Option<u64>) -> Table {
    let field = |value: Option<usize>, names: [&str; 2]| value.map_or("", |value| names[value]).to_owned();
    let mut text = format!("y_pred,y_true,proxy_a,part,{},t,at\n", if weighted { "weight" } else { "other" });
    for (row, p) in people.iter().enumerate() {
        // Some spell their guess differently.
        let guess = field(p.guess, if row % 3 == 0 { ["1.0", "2"] } else { ["1", "2"] });
        let (prediction, label) = (field(p.prediction, ["0", "1"]), field(p.label, ["0", "1"]));
        let group = ["1", "2"][p.group];
        text += &format!("{prediction},{label},{guess},{},{},{group},{}\n", p.segment, p.weight, p.at);
    }
    let columns = Columns {
        features: vec!["at".into()],
        by: vec!["part".into()],
        min_segment: Some(0),
        truth: Some("t".into()),
        ..Columns::default()
    };
    let input = Input::Bytes { name: "people".into(), bytes: Box::new(text.as_bytes()) };
    let rows = read_rows(vec![input], &columns, None, &Reading::default()).unwrap();
    let found = rows.find_neighbors(Metric::Euclidean, SearchMethod::Exact, &|_, _| ());
    found.unwrap().table(triples).unwrap()
}

/// The people who count, and the two nearest of each among them; of equals the first.
fn plain_search(people: &[Person], weighted: bool) -> (Vec<&Person>, Vec<[usize; 2]>) {
    let counts = |p: &&Person| p.prediction.is_some() && (!weighted || p.weight > 0.0);
    let counted: Vec<&Person> = people.iter().filter(counts).collect();
    let nearest = (0..counted.len()).map(|row| {
        let mut others: Vec<usize> = (0..counted.len()).filter(|other| *other != row).collect();
        let distance = |other: usize| (counted[other].at - counted[row].at).abs();
        others.sort_by(|a, b| distance(*a).total_cmp(&distance(*b)).then(a.cmp(b)));
        [others[0], others[1]]
    });
    let nearest = nearest.collect();
    (counted, nearest)
}

fn stratum(person: &Person) -> Stratum {
    Stratum { label: person.label.map(Class), prediction: Class(person.prediction.unwrap()) }
}

/// What is said of the people of a segment, or of all, is what a look at each of them finds.
fn check(counts: &Counts, people: &[Person], segment: Option<usize>, weighted: bool) {
    let borrowed: &Borrowed = counts.intake().borrowed.as_ref().unwrap();
    let (counted, nearest) = plain_search(people, weighted);
    let inside = |row: &usize| segment.is_none_or(|segment| counted[*row].segment == segment);
    let rows: Vec<usize> = (0..counted.len()).filter(inside).collect();
    assert_eq!(borrowed.rows, rows.len() as u64);
    let distance = |a: usize, b: usize| (counted[a].at - counted[b].at).abs();
    let alone = |row: &&usize| distance(**row, nearest[**row][0]) > 0.0;
    assert_eq!(borrowed.duplicates as usize, rows.len() - rows.iter().filter(alone).count());

    let mut shared: BTreeMap<(Stratum, Stratum), [f64; 3]> = BTreeMap::new();
    let people_of = |row: usize| BTreeSet::from([row, nearest[row][0], nearest[row][1]]);
    for n in &rows {
        for m in rows.iter().filter(|m| *m != n) {
            let common = people_of(*n).intersection(&people_of(*m)).count();
            let weight = if weighted { counted[*n].weight * counted[*m].weight } else { 1.0 };
            if common > 0 {
                shared.entry((stratum(counted[*n]), stratum(counted[*m]))).or_default()[common - 1] += weight;
            }
        }
    }
    assert_eq!(borrowed.shared, shared, "segment {segment:?}");

    let [proxy] = borrowed.proxies.as_slice() else { panic!("one proxy lends") };
    assert_eq!(proxy.proxy, "proxy_a");
    let differ = |pairs: &[(usize, usize)]| {
        let both = pairs.iter().filter_map(|(a, b)| Some((counted[*a].guess?, counted[*b].guess?)));
        let both: Vec<(usize, usize)> = both.collect();
        (both.len() as u64, both.iter().filter(|(a, b)| a != b).count() as u64)
    };
    let said = |pairs: &fairveil_core::counts::ComparedPairs| (pairs.compared, pairs.differ);
    let with = |which: usize| rows.iter().map(|row| (*row, nearest[*row][which])).collect::<Vec<_>>();
    let between: Vec<(usize, usize)> = rows.iter().map(|row| nearest[*row].into()).collect();
    assert_eq!(proxy.pairs.each_ref().map(said), [differ(&with(0)), differ(&with(1)), differ(&between)]);
    let mut all: Vec<(usize, usize)> =
        rows.iter().flat_map(|row| [(*row, nearest[*row][0]), (*row, nearest[*row][1])]).collect();
    let equal: Vec<(usize, usize)> = all.iter().copied().filter(|(a, b)| distance(*a, *b) == 0.0).collect();
    assert_eq!(said(&proxy.duplicates), differ(&equal));
    all.sort_by(|x, y| distance(x.0, x.1).total_cmp(&distance(y.0, y.1)));
    let third = |i: usize| differ(&all[all.len() * i / 3..all.len() * (i + 1) / 3]);
    assert_eq!(proxy.by_distance.each_ref().map(said), [third(0), third(1), third(2)]);
    let alike =
        |row: &&usize| nearest[**row].iter().all(|other| counted[*other].group == counted[**row].group);
    let share = rows.iter().filter(alike).count() as f64 / rows.len() as f64;
    assert_eq!(borrowed.clusterability, Some(share));

    // The tally itself: own guess, and those of the two neighbours.
    let mut cells: BTreeMap<(Stratum, [Option<usize>; 3]), f64> = BTreeMap::new();
    for row in &rows {
        let guesses = [*row, nearest[*row][0], nearest[*row][1]].map(|person| counted[person].guess);
        let weight = if weighted { counted[*row].weight } else { 1.0 };
        *cells.entry((stratum(counted[*row]), guesses)).or_default() += weight;
    }
    let tally = counts.cells().filter(|(_, tally)| tally.weight > 0.0).map(|(cell, tally)| {
        let guess = |place: usize| cell.guesses[place].map(|guess| guess.0);
        ((cell.stratum, [0, 1, 2].map(guess)), tally.weight)
    });
    assert_eq!(tally.collect::<BTreeMap<_, _>>(), cells);
}

#[test]
fn what_is_borrowed_is_what_a_look_at_every_row_and_pair_finds() {
    for (seed, weighted) in [(1, false), (2, true), (3, true)] {
        let people = people(160, seed);
        let table = table(&people, weighted, None);
        check(&table.counts, &people, None, weighted);
        assert_eq!(table.segments.len(), 3);
        for (segment, part) in table.segments.iter().enumerate() {
            assert_eq!(part.values, [segment.to_string()]);
            check(&part.counts, &people, Some(segment), weighted);
        }
        let names: Vec<_> =
            table.counts.legend().proxies.iter().map(|p| (&*p.name, p.lent_by.as_deref())).collect();
        let lent = |name| (name, Some("proxy_a"));
        assert_eq!(names, [("proxy_a", None), lent("proxy_a (neighbor 1)"), lent("proxy_a (neighbor 2)")]);
        // A guess that is spelled in two ways is told once, and not of those who borrow it.
        let spelled: Vec<&str> = table.counts.intake().spellings.iter().map(|s| s.column.as_str()).collect();
        assert_eq!(spelled, ["proxy_a"]);
    }
}

#[test]
fn three_random_guesses_of_a_lone_proxy_are_all_there_are_in_another_order() {
    let people = people(160, 4);
    let sorted = |table: &Table| {
        let mut cells: BTreeMap<(Stratum, Vec<Option<usize>>), f64> = BTreeMap::new();
        for (cell, tally) in table.counts.cells() {
            let mut guesses: Vec<Option<usize>> =
                cell.guesses.iter().map(|guess| guess.map(|g| g.0)).collect();
            guesses.sort_unstable();
            *cells.entry((cell.stratum, guesses)).or_default() += tally.weight;
        }
        cells
    };
    let (all, three) = (table(&people, false, None), table(&people, false, Some(9)));
    assert_eq!(sorted(&all), sorted(&three));
    assert!(
        all.counts.cells().map(|(cell, _)| cell).ne(three.counts.cells().map(|(cell, _)| cell))
            || all.counts.cells().map(|(_, t)| t.weight).ne(three.counts.cells().map(|(_, t)| t.weight))
    );
    assert_eq!(all.counts.intake().borrowed, three.counts.intake().borrowed);
}
