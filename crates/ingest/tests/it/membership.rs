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
