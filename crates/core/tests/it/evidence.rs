//! Probabilities as evidence, in worlds of names whose truth is known.

use fairveil_core::counts::{Cell, Intake, Tally};
use fairveil_core::evidence::{EvidenceRow, EvidenceSource, EvidenceTally};
use fairveil_core::headline::Says;
use fairveil_core::record::{Assumption, Measurement, Premise, Test};
use fairveil_core::vocabulary::{Class, Group, Guess, Legend, Proxy, Stratum};
use fairveil_core::{Aggregate, Audit, Basis, Counts, Criterion, Estimator, Settings};

/// Numbers that look random, the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mixed = (self.0 ^ (self.0 >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        ((mixed ^ (mixed >> 33)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn pick(&mut self, chances: &[f64]) -> usize {
        let (mut left, last) = (self.next(), chances.len() - 1);
        chances
            .iter()
            .position(|chance| {
                left -= chance;
                left < 0.0
            })
            .unwrap_or(last)
    }
}

/// A table of names: how likely each is in each group.
struct Names {
    chances: Vec<Vec<f64>>,
    /// The shares of the groups among the people it was made from.
    population: Vec<f64>,
}

impl Names {
    /// Names of which each is at home in one group, more or less.
    fn draw(random: &mut Random, names: usize, population: Vec<f64>, telling: f64) -> Self {
        let groups = population.len();
        let mut chances = vec![vec![0.0; names]; groups];
        for name in 0..names {
            let (home, much, often) = (name % groups, telling * random.next(), random.next() + 0.05);
            for (a, chances) in chances.iter_mut().enumerate() {
                chances[name] = often * if a == home { 1.0 + 8.0 * much } else { 1.0 - much * 0.9 };
            }
        }
        for chances in &mut chances {
            let total: f64 = chances.iter().sum();
            chances.iter_mut().for_each(|chance| *chance /= total);
        }
        Names { chances, population }
    }

    /// `P(group | name)` among the people of the table.
    fn says(&self, name: usize) -> Vec<f64> {
        let joint: Vec<f64> =
            self.population.iter().zip(&self.chances).map(|(share, chances)| share * chances[name]).collect();
        let total: f64 = joint.iter().sum();
        joint.into_iter().map(|p| p / total).collect()
    }
}

struct World {
    tables: Vec<Names>,
    shares: Vec<f64>,
    /// Chance to be selected, by label and group.
    selected: [Vec<f64>; 2],
    /// With this chance all names of a person have the same place in their tables.
    copying: f64,
    /// Those with a name at home elsewhere are selected so much less often: of the first table.
    follows: f64,
    /// What groups are audited, of those that the tables tell apart.
    of: Vec<usize>,
    /// What every row weighs.
    weight: f64,
    /// The chance of each group that the table of the last source does not know a name.
    unknown: Vec<f64>,
}

impl World {
    fn two_groups(seed: u64, tables: usize) -> Self {
        let mut random = Random(seed);
        let tables = (0..tables).map(|_| Names::draw(&mut random, 120, vec![0.8, 0.2], 0.9)).collect();
        World {
            tables,
            shares: vec![0.6, 0.4],
            selected: [vec![0.5, 0.3], vec![0.7, 0.45]],
            copying: 0.0,
            follows: 0.0,
            of: vec![0, 1],
            weight: 1.0,
            unknown: vec![0.0; 2],
        }
    }

    /// The true rates of the audited groups.
    fn gap(&self) -> f64 {
        let groups = self.of.iter().max().unwrap() + 1;
        let (mut people, mut chosen) = (vec![0.0; groups], vec![0.0; groups]);
        for (a, share) in self.shares.iter().enumerate() {
            people[self.of[a]] += share;
            chosen[self.of[a]] += share * (self.selected[0][a] + self.selected[1][a]) / 2.0;
        }
        let rates: Vec<f64> = people.iter().zip(chosen).map(|(people, chosen)| chosen / people).collect();
        rates.iter().copied().fold(f64::MIN, f64::max) - rates.iter().copied().fold(f64::MAX, f64::min)
    }

    fn sample(&self, rows: usize, seed: u64) -> Counts {
        let mut random = Random(seed.wrapping_mul(77_777).wrapping_add(5));
        let groups = self.of.iter().max().unwrap() + 1;
        let mut legend = Legend::plain(groups, 2, self.tables.len(), true);
        legend.proxies = (0..self.tables.len())
            .map(|i| Proxy { name: format!("source {i}"), source: Some(format!("{i}")), lent_by: None })
            .collect();
        let says: Vec<Vec<Vec<f64>>> = (self.tables.iter())
            .map(|table| (0..table.chances[0].len()).map(|name| table.says(name)).collect())
            .collect();
        // Names in the order of how much they tell of their group: places that are copied are alike in that.
        let order = |(table, says): (&Names, &Vec<Vec<f64>>), group: usize| {
            let mut order: Vec<usize> = (0..table.chances[group].len()).collect();
            order.sort_by(|x, y| says[*x][group].total_cmp(&says[*y][group]));
            order
        };
        let orders: Vec<Vec<Vec<usize>>> = (self.tables.iter().zip(&says))
            .map(|both| (0..self.shares.len()).map(|group| order(both, group)).collect())
            .collect();
        let (mut cells, mut evidence) = (Vec::new(), Vec::new());
        for _ in 0..rows {
            let group = random.pick(&self.shares);
            let label = usize::from(random.next() < 0.5);
            let mut place = random.next();
            let copied = random.next() < self.copying;
            let mut names = Vec::new();
            for (table, orders) in self.tables.iter().zip(&orders) {
                if !copied {
                    place = random.next();
                }
                let (order, mut left) = (&orders[group], place);
                let found = order.iter().position(|name| {
                    left -= table.chances[group][*name];
                    left < 0.0
                });
                names.push(order[found.unwrap_or(order.len() - 1)]);
            }
            let first = &self.tables[0];
            let likely = says[0][names[0]][1] / first.population[1];
            let rate = self.selected[label][group] - self.follows * (likely - 1.0).clamp(-1.0, 1.0);
            let prediction = Class(usize::from(random.next() < rate));
            let stratum = Stratum { label: Some(Class(label)), prediction };
            let mut said: Vec<Option<Vec<f64>>> =
                names.iter().zip(&says).map(|(name, says)| Some(says[*name].clone())).collect();
            if let (Some(last), true) = (said.last_mut(), random.next() < self.unknown[group]) {
                *last = None;
            }
            let guess = |(said, table): (&Option<Vec<f64>>, &Names)| {
                let mut odds = vec![(0.0, 0.0); groups];
                for (a, p) in said.iter().flatten().enumerate() {
                    odds[self.of[a]].0 += p;
                    odds[self.of[a]].1 += table.population[a];
                }
                let most = (0..groups)
                    .max_by(|x, y| (odds[*x].0 / odds[*x].1).total_cmp(&(odds[*y].0 / odds[*y].1)));
                most.filter(|_| said.is_some()).map(Guess)
            };
            let guesses = said.iter().zip(&self.tables).map(guess).collect();
            let squares = (self.weight != 1.0).then_some(self.weight * self.weight);
            cells.push((Cell { stratum, guesses }, Tally { squares, ..Tally::of(self.weight) }));
            evidence.push(EvidenceRow { stratum, control: 0, said, weight: self.weight });
        }
        let source = |(i, table): (usize, &Names)| EvidenceSource {
            name: format!("source {i}"),
            about: None,
            reference: Some(table.population.clone()),
            population: Some(table.population.clone()),
        };
        let fine = (0..self.shares.len()).map(|a| format!("fine {a}")).collect();
        let tally = EvidenceTally::of_rows(
            fine,
            self.of.iter().map(|a| Group(*a)).collect(),
            self.tables.iter().enumerate().map(source).collect(),
            evidence,
        );
        let squared_weights = (self.weight != 1.0).then_some(rows as f64 * self.weight * self.weight);
        let intake = Intake { rows: rows as u64, squared_weights, ..Intake::default() };
        Counts::new(legend, intake, cells).unwrap().with_evidence(tally)
    }
}

fn run(counts: &Counts, n_boot: usize) -> Audit {
    Audit::run(counts, None, &Settings { n_boot, ..Settings::default() }).unwrap()
}

fn parity<'a>(audit: &'a Audit, estimator: Estimator, source: Option<&str>) -> &'a Measurement {
    let mine = |r: &&Measurement| {
        r.origin.basis.is_inferred()
            && (r.origin.estimator, r.origin.proxy.as_deref(), r.criterion, r.aggregate)
                == (Some(estimator), source, Criterion::DemographicParity, Aggregate::Difference)
    };
    audit.results.iter().find(mine).unwrap()
}

/// Of so many samples, those in which something holds.
fn times(samples: u64, holds: impl Fn(&Audit) -> bool, world: &World, rows: usize) -> u64 {
    (0..samples).filter(|seed| holds(&run(&world.sample(rows, *seed), 200))).count() as u64
}

fn has(audit: &Audit, code: &str) -> bool {
    audit.findings.iter().any(|finding| finding.code == code)
}

#[test]
fn sources_that_are_right_give_the_gap_and_their_interval_holds_it() {
    let world = World::two_groups(3, 2);
    let truth = world.gap();
    let holds = |audit: &Audit| {
        let top = parity(audit, Estimator::Evidence, None);
        top.recommended && top.interval.as_ref().unwrap().ends.holds(truth)
    };
    // Of twenty intervals of 95 %, sixteen or fewer hold once in four hundred sets.
    assert!(times(20, holds, &world, 3000) >= 17);
}

#[test]
fn the_range_of_several_sources_holds_what_each_says_alone() {
    let audit = run(&World::two_groups(3, 2).sample(3000, 1), 200);
    let top = parity(&audit, Estimator::Evidence, None);
    let range = top.honest_interval.as_ref().unwrap();
    assert_eq!(range.premise, Premise::OneSource);
    for source in ["source 0", "source 1"] {
        let alone = parity(&audit, Estimator::Evidence, Some(source)).interval.as_ref().unwrap().ends;
        assert!(range.ends.low <= alone.low && alone.high <= range.ends.high);
    }
}

#[test]
fn a_lone_source_has_the_bracket_for_its_range() {
    let audit = run(&World::two_groups(3, 1).sample(4000, 2), 200);
    let top = parity(&audit, Estimator::Evidence, None);
    assert!(top.recommended);
    let range = top.honest_interval.as_ref().unwrap();
    assert_eq!(range.premise, Premise::Bracket);
    let weighted = (audit.results.iter())
        .find(|r| {
            (r.origin.basis, r.origin.estimator) == (Basis::Soft, Some(Estimator::Evidence))
                && (r.criterion, r.aggregate) == (Criterion::DemographicParity, Aggregate::Difference)
        })
        .unwrap();
    let linear = parity(&audit, Estimator::Linear, None);
    // Weights show too little; where names do not go with decisions the regression shows the gap itself.
    assert!(weighted.value < top.value && (linear.value.unwrap() - top.value.unwrap()).abs() < 0.05);
    assert!(range.ends.holds(weighted.value.unwrap()) && range.ends.holds(linear.value.unwrap()));
    assert!(has(&audit, "P18"));
    // Nobody's gap lies outside what right probabilities allow.
    let bound = audit.bounds.iter().find(|b| b.assumes == Assumption::RightProbabilities).unwrap();
    let ends = bound.interval.unwrap();
    assert!(ends.low < -0.2 && ends.high > -0.25, "{ends:?}");
}

#[test]
fn sources_that_share_are_told_and_those_that_do_not_are_left_alone() {
    let apart = World::two_groups(3, 2);
    let shared = World { copying: 0.2, ..World::two_groups(3, 2) };
    assert!(times(10, |audit| has(audit, "P16"), &shared, 4000) >= 9);
    // One in a hundred by chance.
    assert!(times(10, |audit| has(audit, "P16"), &apart, 4000) <= 1);
}

#[test]
fn a_source_that_goes_with_the_decision_is_told() {
    let world = World { follows: 0.08, ..World::two_groups(3, 2) };
    assert!(times(10, |audit| has(audit, "P15"), &world, 4000) >= 9);
    assert!(times(10, |audit| has(audit, "P15"), &World::two_groups(3, 2), 4000) <= 1);
}

#[test]
fn groups_that_are_put_together_are_told_apart_first() {
    // Two small groups that nobody asks about have names of their own.
    let mut random = Random(11);
    let population = vec![0.6, 0.2, 0.15, 0.05];
    let tables = (0..2).map(|_| Names::draw(&mut random, 200, population.clone(), 0.9)).collect();
    let world = World {
        tables,
        shares: vec![0.35, 0.4, 0.15, 0.1],
        selected: [vec![0.3, 0.5, 0.3, 0.25], vec![0.5, 0.75, 0.5, 0.45]],
        copying: 0.0,
        follows: 0.0,
        of: vec![0, 1, 0, 0],
        weight: 1.0,
        unknown: vec![0.0; 4],
    };
    let audit = run(&world.sample(20_000, 4), 400);
    let top = parity(&audit, Estimator::Evidence, None);
    // Three standard errors of some 0.012.
    assert!((top.value.unwrap() - world.gap()).abs() < 0.04, "{:?} {}", top.value, world.gap());
}

/// The same rows on a grid that is coarser and coarser: two groups, the finest within a thousandth of a grid four times as fine
/// is what is promised.
#[test]
fn rounding_to_the_grid_moves_a_gap_by_less_than_a_thousandth() {
    let world = World::two_groups(5, 2);
    let fine = world.sample(20_000, 9);
    let gap = |counts: &Counts| parity(&run(counts, 0), Estimator::Evidence, None).value.unwrap();
    let halved = |counts: &Counts| {
        let mut tally = counts.evidence().unwrap().clone();
        let together = tally.together.as_mut().unwrap();
        together.coarsen_to(together.cells().count() - 1);
        counts.clone().with_evidence(tally)
    };
    let coarse = halved(&fine);
    assert!(
        coarse.evidence().unwrap().together.as_ref().unwrap().steps()
            < fine.evidence().unwrap().together.as_ref().unwrap().steps()
    );
    // The error goes with the square of a step: what halving adds is three times what the finest has.
    assert!((gap(&fine) - gap(&coarse)).abs() < 0.001, "{} {}", gap(&fine), gap(&coarse));
}

#[test]
fn weights_of_another_scale_change_no_test() {
    let p_values = |weight: f64| -> Vec<f64> {
        let world = World { weight, follows: 0.03, ..World::two_groups(3, 2) };
        let audit = run(&world.sample(3000, 5), 200);
        let of_sources = [Test::SourcesAgree, Test::SharesAgree, Test::SourcesIndependent];
        audit.tests.iter().filter(|test| of_sources.contains(&test.test)).map(|test| test.p_value).collect()
    };
    let one = p_values(1.0);
    assert_eq!(one.len(), 5);
    for weight in [50.0, 1.0 / 3000.0] {
        one.iter()
            .zip(p_values(weight))
            .for_each(|(a, b)| assert!((a - b).abs() < 1e-6, "{weight}: {a} {b}"));
    }
}

#[test]
fn sources_of_opposite_signs_leave_no_number_and_no_direction() {
    // Those whose first name speaks for the second group are selected far less often, although the group is selected more often.
    let world =
        World { follows: 0.35, selected: [vec![0.2, 0.8], vec![0.2, 0.8]], ..World::two_groups(3, 2) };
    let audit = run(&world.sample(6000, 3), 400);
    let [first, second] = ["source 0", "source 1"].map(|source| {
        let pair = &parity(&audit, Estimator::Evidence, Some(source)).pairs;
        pair.iter().find(|pair| pair.class == "1").unwrap().difference
    });
    assert!(first * second < 0.0, "{first} {second}");
    let answer = audit.answer(Criterion::DemographicParity).unwrap();
    assert_ne!(answer.says, Says::Number);
    assert!(parity(&audit, Estimator::Evidence, None).honest_interval.as_ref().unwrap().ends.low <= 0.0);
}

#[test]
fn silence_of_one_group_moves_no_rate() {
    let world = World {
        unknown: vec![0.02, 0.5],
        selected: [vec![0.7, 0.25], vec![0.7, 0.25]],
        ..World::two_groups(3, 1)
    };
    let audit = run(&world.sample(20_000, 6), 400);
    let top = parity(&audit, Estimator::Evidence, None);
    // Counting the silent among the selected as if they were like those who speak would show 0.52; three standard errors are 0.04.
    assert!((top.value.unwrap() - 0.45).abs() < 0.04, "{:?}", top.value);
}
