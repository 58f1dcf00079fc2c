//! The membership game: of two tables that differ in one row, which was counted? Noise with an epsilon must leave anyone who
//! sees the tally, whatever they look at, with odds of at most `e^ε`.

use fairveil_core::privacy::{DiscreteLaplace, Epsilon};
use fairveil_ingest::{Columns, Domain, Input, Reading, TallyFormat, TallyTable, count_table};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;

const RELEASES: u64 = 2_000;

fn tally(rows: &str) -> TallyTable {
    let text = format!("y_pred,proxy_a,proxy_b,branch\n{rows}");
    let columns = Columns { by: vec!["branch".into()], ..Columns::default() };
    let input =
        Input::Bytes { name: "rows".into(), bytes: Box::new(std::io::Cursor::new(text.into_bytes())) };
    count_table(vec![input], &columns, &Reading::default()).unwrap()
}

fn domain() -> Domain {
    let branches = ["north", "south", "west"].map(str::to_owned).to_vec();
    Domain {
        groups: vec!["x".into(), "y".into()],
        classes: vec!["0".into(), "1".into()],
        segments: [("branch".to_owned(), branches)].into(),
        ..Domain::default()
    }
}

/// What one release shows: the bytes, the person's cell, the largest count and the sum of all.
struct Seen {
    lines: usize,
    names_west: bool,
    own_cell: i64,
    sum: i64,
    largest: i64,
    negative: usize,
}

/// Says that the person was counted.
type Teller = Box<dyn Fn(&Seen) -> bool>;

fn release(table: &TallyTable, noise: &DiscreteLaplace, seed: u64) -> Seen {
    let mut table = table.clone();
    table.add_noise(noise, &domain(), &mut Pcg64Mcg::seed_from_u64(seed)).unwrap();
    let mut bytes = Vec::new();
    table.write(TallyFormat::Csv, &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let counts = || text.lines().skip(1).map(|line| line.split(',').nth(4).unwrap().parse::<i64>().unwrap());
    let own = text.lines().find(|line| line.starts_with("1,x,x,west,"));
    Seen {
        lines: text.lines().count(),
        names_west: text.contains("west"),
        own_cell: own.map_or(i64::MIN, |line| line.split(',').nth(4).unwrap().parse().unwrap()),
        sum: counts().sum(),
        largest: counts().max().unwrap(),
        negative: counts().filter(|count| *count < 0).count(),
    }
}

#[test]
fn nobody_tells_two_neighbouring_tables_apart_beyond_epsilon() {
    let others = "1,x,x,north\n0,y,y,north\n1,x,y,south\n0,y,y,south\n".repeat(5);
    // The person is the only one of the branch.
    let (without, with) = (tally(&others), tally(&format!("{others}1,x,x,west\n")));
    for epsilon in [0.1, 1.0] {
        let noise = DiscreteLaplace::new(Epsilon::new(epsilon).unwrap()).unwrap();
        let all = |table: &TallyTable, from: u64| -> Vec<Seen> {
            (from..from + RELEASES).map(|seed| release(table, &noise, seed)).collect()
        };
        let (without, with) = (all(&without, 0), all(&with, RELEASES));
        let mut tellers: Vec<(String, Teller)> = vec![
            ("the branch is named".into(), Box::new(|seen| seen.names_west)),
            ("lines".into(), Box::new(|seen| seen.lines > 25)),
            ("sum".into(), Box::new(|seen| seen.sum > 20)),
            ("largest".into(), Box::new(|seen| seen.largest > 10)),
            ("below zero".into(), Box::new(|seen| seen.negative < 9)),
        ];
        for least in -3..=4 {
            tellers.push((format!("own cell from {least}"), Box::new(move |seen| seen.own_cell >= least)));
        }
        for (name, says_with) in &tellers {
            let share = |seen: &[Seen], says: bool| {
                seen.iter().filter(|seen| says_with(seen) == says).count() as f64 / RELEASES as f64
            };
            for says in [true, false] {
                let (a, b) = (share(&with, says), share(&without, says));
                for (more, less) in [(a, b), (b, a)] {
                    let bound = less * f64::exp(epsilon);
                    // Five standard errors of the difference, and of a count of none.
                    let spread = (more * (1.0 - more) + less * (1.0 - less) * f64::exp(2.0 * epsilon))
                        / RELEASES as f64;
                    let chance = 5.0 * spread.sqrt() + 5.0 / RELEASES as f64;
                    assert!(more <= bound + chance, "epsilon {epsilon}, {name}: {more} against {less}");
                }
            }
        }
        // The game can be won where there is something to win: the best look at one cell comes close to the bound.
        let best = (-3..=4).map(|least| {
            let share = |seen: &[Seen]| seen.iter().filter(|seen| seen.own_cell >= least).count() as f64;
            share(&with) / share(&without)
        });
        assert!(best.fold(0.0, f64::max) > 1.0 + 0.4 * (f64::exp(epsilon) - 1.0));
    }
}

/// What is released of a table with so many rows in each of its cells.
fn released(cells: &[u64; 4], least: u64) -> String {
    let keys = ["0,x,x", "0,y,y", "1,x,x", "1,y,y"];
    let lines: String = keys.iter().zip(cells).map(|(key, rows)| format!("{key},{rows}\n")).collect();
    let text = format!("y_pred,proxy_a,proxy_b,count\n{lines}");
    let input =
        Input::Bytes { name: "rows".into(), bytes: Box::new(std::io::Cursor::new(text.into_bytes())) };
    let mut table = count_table(vec![input], &Columns::default(), &Reading::default()).unwrap();
    table.hide_below(least);
    let mut bytes = Vec::new();
    table.write(TallyFormat::Csv, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn no_small_cell_can_be_worked_out_by_who_knows_the_rule() {
    const ROWS: [u64; 10] = [0, 1, 2, 3, 4, 5, 6, 9, 30, 31];
    for least in [2, 3, 5] {
        // All tables by what is released of them.
        let mut tables: std::collections::BTreeMap<String, Vec<[u64; 4]>> = std::collections::BTreeMap::new();
        for number in 1..ROWS.len().pow(4) {
            let cells = [1, 10, 100, 1000].map(|power| ROWS[number / power % ROWS.len()]);
            tables.entry(released(&cells, least)).or_default().push(cells);
        }
        for (release, tables) in &tables {
            for table in tables {
                for (place, rows) in table.iter().enumerate().filter(|(_, rows)| (1..least).contains(rows)) {
                    let other = tables.iter().any(|other| other[place] != *rows);
                    assert!(other, "limit {least}: cell {place} of {table:?} is told by\n{release}");
                }
            }
        }
    }
}
