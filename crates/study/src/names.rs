//! Evidence from names, as a user sees it: how far numbers are from the truth, how often intervals and ranges hold, and which
//! findings are raised, in worlds whose people bear names of the built-in tables.
//!
//! A world takes some thousand names of each table and how often they occur from a seed; what the table says of them is what is true
//! of its people. Ours may have other shares of the groups, first names and surnames that go together inside a group, names that
//! say less than the table believes, or first names that go with the decision.
//!
//! `fairveil-study names [SAMPLES [WORLD]]`.

use fairveil_core::headline::Says;
use fairveil_core::record::Measurement;
use fairveil_core::{Aggregate, Audit, Criterion, Settings};
use fairveil_ingest::tables_of_names::{Attribute, Field, Table, built_in, from_csv};
use fairveil_ingest::{AuditTable, Columns, Input, NameColumn, NameSource, Reading};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::fmt::Write;
use std::sync::Arc;

/// Names of each table in a world.
const NAMES: usize = 3_000;

struct Chance(Pcg64);

impl Chance {
    fn new(seed: u64) -> Self {
        Chance(Pcg64::seed_from_u64(seed))
    }

    fn next(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn pick(&mut self, cumulated: &[f64]) -> usize {
        let place = self.next() * cumulated[cumulated.len() - 1];
        cumulated.partition_point(|sum| *sum <= place).min(cumulated.len() - 1)
    }
}

fn cumulated(chances: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sum = 0.0;
    let add = |chance: f64| {
        sum += chance;
        sum
    };
    chances.map(add).collect()
}

/// Names of one table: what it says of them, and how our people bear them.
struct Bearers {
    source: Arc<NameSource>,
    names: Vec<String>,
    /// For each group, names in the order of how much they tell of it, and their chances, cumulated.
    order: Vec<Vec<usize>>,
    chances: Vec<Vec<f64>>,
    /// Chances of names whatever the group.
    everyone: Vec<f64>,
    /// Names that speak for the second group more than most do, over all people of the table.
    speaks: Vec<bool>,
}

impl Bearers {
    fn draw(field: Field, chance: &mut Chance, groups: &[String]) -> Self {
        let table = built_in(field, Attribute::Race).unwrap();
        let entries: Vec<_> = table.entries().collect();
        let mut names = Vec::new();
        let mut said: Vec<Vec<f64>> = Vec::new();
        while names.len() < NAMES {
            let entry = entries[(chance.next() * entries.len() as f64) as usize];
            let name = table.spelling(entry).to_owned();
            if !names.contains(&name) {
                names.push(name);
                said.push(table.probabilities(entry).iter().map(|p| f64::from(*p)).collect());
            }
        }
        // Few names are frequent.
        let often: Vec<f64> = (0..NAMES).map(|_| chance.next().powi(-1).min(200.0)).collect();
        let total: f64 = often.iter().sum();
        let often: Vec<f64> = often.iter().map(|o| o / total).collect();
        let fine = table.groups().len();
        let population: Vec<f64> =
            (0..fine).map(|a| said.iter().zip(&often).map(|(said, often)| said[a] * often).sum()).collect();
        let mut csv = format!("{},{}\n*,{}\n", field.word(), table.groups().join(","), list(&population));
        for (name, said) in names.iter().zip(&said) {
            writeln!(csv, "{name},{}", list(said)).unwrap();
        }
        let own: Table = from_csv(csv, "world").unwrap();
        let source = NameSource::new(field.word(), Arc::new(own), Some(groups)).unwrap();
        let order = |a: usize| {
            let mut order: Vec<usize> = (0..NAMES).collect();
            order.sort_by(|x, y| said[*x][a].total_cmp(&said[*y][a]));
            order
        };
        let order: Vec<Vec<usize>> = (0..fine).map(order).collect();
        let chances = (0..fine)
            .map(|a| cumulated(order[a].iter().map(|name| said[*name][a] * often[*name] / population[a])))
            .collect();
        let everyone = cumulated(often.iter().copied());
        let mut by_weight: Vec<usize> = (0..NAMES).collect();
        by_weight.sort_by(|x, y| said[*x][1].total_cmp(&said[*y][1]));
        let (mut speaks, mut below) = (vec![false; NAMES], 0.0);
        for name in by_weight {
            speaks[name] = below > 0.5;
            below += often[name];
        }
        Bearers { source: Arc::new(source), names, order, chances, everyone, speaks }
    }
}

fn list(numbers: &[f64]) -> String {
    numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(",")
}

/// How our people differ from those of the tables.
#[derive(Clone)]
struct Scene {
    name: &'static str,
    /// Shares of white, black, hispanic, asian and other.
    shares: [f64; 5],
    groups: &'static [&'static str],
    sources: &'static [Field],
    rows: usize,
    /// With this chance all names of a person are equally telling.
    copying: f64,
    /// With this chance a name says nothing of its bearer's group, by source.
    silent: [f64; 2],
    /// People whose first name speaks for the second group are selected this much more often than others, in every group.
    follows: f64,
    /// What is assumed holds.
    holds: bool,
}

const US: [f64; 5] = [0.62, 0.13, 0.17, 0.05, 0.03];
const SOUTH: [f64; 5] = [0.34, 0.51, 0.09, 0.02, 0.04];
const TWO: &[&str] = &["black", "rest"];
const FOUR: &[&str] = &["white", "black", "hispanic", "other"];
const BOTH: &[Field] = &[Field::FirstName, Field::Surname];

fn scenes() -> Vec<Scene> {
    let base = Scene {
        name: "as assumed, 5,000 rows",
        shares: SOUTH,
        groups: TWO,
        sources: BOTH,
        rows: 5_000,
        copying: 0.0,
        silent: [0.0; 2],
        follows: 0.0,
        holds: true,
    };
    vec![
        base.clone(),
        Scene { name: "as assumed, 20,000 rows", rows: 20_000, ..base.clone() },
        Scene { name: "other shares than the tables", shares: US, ..base.clone() },
        Scene { name: "four groups, 10,000 rows", groups: FOUR, rows: 10_000, ..base.clone() },
        Scene { name: "surname alone", sources: &[Field::Surname], ..base.clone() },
        Scene { name: "names go together by .2", copying: 0.2, holds: false, ..base.clone() },
        Scene { name: "a fifth of surnames say nothing", silent: [0.0, 0.2], holds: false, ..base.clone() },
        Scene { name: "a fifth of all names say nothing", silent: [0.2, 0.2], holds: false, ..base.clone() },
        Scene { name: "first names go with the decision by .2", follows: 0.2, holds: false, ..base },
    ]
}

struct World {
    scene: Scene,
    bearers: Vec<Bearers>,
    shares: Vec<f64>,
    /// Rates of the positive label, and of selection by label.
    labels: [f64; 5],
    selected: [[f64; 5]; 2],
}

struct Person {
    group: usize,
    label: bool,
    selected: bool,
    names: Vec<usize>,
}

impl World {
    fn new(scene: Scene, seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        let groups: Vec<String> = scene.groups.iter().map(|group| (*group).to_owned()).collect();
        let bearers = scene.sources.iter().map(|field| Bearers::draw(*field, &mut chance, &groups)).collect();
        World {
            shares: cumulated(scene.shares.into_iter()),
            scene,
            bearers,
            labels: [0.39, 0.52, 0.36, 0.3, 0.35],
            selected: [[0.24, 0.45, 0.21, 0.2, 0.2], [0.52, 0.72, 0.44, 0.4, 0.4]],
        }
    }

    fn person(&self, chance: &mut Chance) -> Person {
        let group = chance.pick(&self.shares);
        let copied = chance.next() < self.scene.copying;
        let shared = chance.next();
        let mut names = Vec::new();
        for (s, bearers) in self.bearers.iter().enumerate() {
            let place = if copied { shared } else { chance.next() };
            names.push(if chance.next() < self.scene.silent[s] {
                chance.pick(&bearers.everyone)
            } else {
                let chances = &bearers.chances[group];
                let wanted = place * chances[chances.len() - 1];
                bearers.order[group][chances.partition_point(|sum| *sum <= wanted).min(NAMES - 1)]
            });
        }
        let label = chance.next() < self.labels[group];
        let tilt = if self.bearers[0].speaks[names[0]] { 0.5 } else { -0.5 } * self.scene.follows;
        let selected = chance.next() < self.selected[usize::from(label)][group] + tilt;
        Person { group, label, selected, names }
    }

    /// The group that is audited.
    fn audited(&self, group: usize) -> usize {
        let name = ["white", "black", "hispanic", "asian", "other"][group];
        let known = self.scene.groups.iter().position(|other| *other == name);
        known.unwrap_or(self.scene.groups.len() - 1)
    }

    /// True largest gaps: demographic parity, equalized odds, equal opportunity.
    fn truth(&self) -> [f64; 3] {
        let mut chance = Chance::new(99);
        let groups = self.scene.groups.len();
        let mut people = vec![[[0.0; 2]; 2]; groups];
        for _ in 0..2_000_000 {
            let person = self.person(&mut chance);
            people[self.audited(person.group)][usize::from(person.label)][usize::from(person.selected)] +=
                1.0;
        }
        let spread = |rate: &dyn Fn(&[[f64; 2]; 2]) -> f64| {
            let rates = people.iter().map(rate);
            rates.clone().fold(f64::MIN, f64::max) - rates.fold(f64::MAX, f64::min)
        };
        let of_label = |y: usize| spread(&|p: &[[f64; 2]; 2]| p[y][1] / (p[y][0] + p[y][1]));
        let parity = spread(&|p: &[[f64; 2]; 2]| (p[0][1] + p[1][1]) / p.iter().flatten().sum::<f64>());
        [parity, of_label(0).max(of_label(1)), of_label(1)]
    }

    fn audit(&self, seed: u64) -> Audit {
        let mut chance = Chance::new(1_000 + seed);
        let fields = self.scene.sources.iter().map(|field| field.word());
        let mut csv = format!("y_pred,y_true,{}\n", fields.collect::<Vec<_>>().join(","));
        for _ in 0..self.scene.rows {
            let person = self.person(&mut chance);
            let names =
                person.names.iter().zip(&self.bearers).map(|(name, bearers)| bearers.names[*name].as_str());
            let names: Vec<&str> = names.collect();
            writeln!(csv, "{},{},{}", u8::from(person.selected), u8::from(person.label), names.join(","))
                .unwrap();
        }
        let names = self.bearers.iter().map(|bearers| NameColumn {
            column: bearers.source.name().to_owned(),
            source: bearers.source.clone(),
        });
        let groups = self.scene.groups.iter().map(|group| (*group).to_owned()).collect();
        let columns = Columns { names: names.collect(), groups: Some(groups), ..Columns::default() };
        let input = Input::Memory { name: "world".into(), bytes: csv.into() };
        let table = AuditTable::new(columns).read(vec![input], &Reading::default()).unwrap();
        Audit::run(&table.counts, None, &Settings { n_boot: 400, ..Settings::default() }).unwrap()
    }
}

#[derive(Default, Clone)]
struct Tally {
    numbers: f64,
    square: f64,
    bias: f64,
    held: f64,
    range_held: f64,
    width: f64,
}

/// Prints every world, or the one whose name begins so.
pub fn print(samples: u64, only: Option<&str>) {
    println!("| world | criterion | truth | number | bias | RMSE | interval holds | range holds | width |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for scene in scenes().into_iter().filter(|scene| only.is_none_or(|only| scene.name.starts_with(only))) {
        let world = World::new(scene, 7);
        let truth = world.truth();
        let criteria = [Criterion::DemographicParity, Criterion::EqualizedOdds, Criterion::EqualOpportunity];
        let mut tallies = vec![Tally::default(); 3];
        let codes = ["P15", "P16", "P17"];
        let mut fired = [0.0; 3];
        let mut any = 0.0;
        for seed in 0..samples {
            let audit = world.audit(seed);
            let has = |code: &str| audit.findings.iter().any(|finding| finding.code == code);
            fired.iter_mut().zip(codes).for_each(|(fired, code)| *fired += f64::from(u8::from(has(code))));
            any += f64::from(u8::from(codes.iter().any(|code| has(code))));
            for ((criterion, tally), truth) in criteria.iter().zip(&mut tallies).zip(truth) {
                let answer = audit.answer(*criterion).unwrap();
                let wanted = |r: &&Measurement| {
                    r.recommended && (r.criterion, r.aggregate) == (*criterion, Aggregate::Difference)
                };
                if answer.says != Says::Number {
                    continue;
                }
                let Some(result) = audit.results.iter().find(wanted) else { continue };
                let (value, ends) = (result.value.unwrap(), result.interval.as_ref().unwrap().ends);
                let range = answer.range.unwrap();
                tally.numbers += 1.0;
                tally.bias += value - truth;
                tally.square += (value - truth).powi(2);
                tally.held += f64::from(u8::from(ends.holds(truth)));
                tally.range_held += f64::from(u8::from(range.holds(truth)));
                tally.width += range.width();
            }
        }
        for ((criterion, tally), truth) in criteria.iter().zip(&tallies).zip(truth) {
            let n = tally.numbers.max(1.0);
            println!(
                "| {}{} | {criterion} | {truth:.3} | {:.0} % | {:+.4} | {:.4} | {:.1} % | {:.1} % | {:.3} |",
                world.scene.name,
                if world.scene.holds { "" } else { " (fails)" },
                100.0 * tally.numbers / samples as f64,
                tally.bias / n,
                (tally.square / n).sqrt(),
                100.0 * tally.held / n,
                100.0 * tally.range_held / n,
                tally.width / n
            );
        }
        let share = |count: f64| 100.0 * count / samples as f64;
        println!(
            "|  | findings | P15 {:.0} % | P16 {:.0} % | P17 {:.0} % | any {:.0} % | | | |",
            share(fired[0]),
            share(fired[1]),
            share(fired[2]),
            share(any)
        );
    }
}
