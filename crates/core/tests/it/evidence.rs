//! Probabilities as evidence, in worlds of names whose truth is known.

use fairveil_core::counts::{Cell, Intake, Tally};
use fairveil_core::evidence::{EvidenceRow, EvidenceSource, EvidenceTally};
use fairveil_core::record::{Measurement, Premise, Test};
use fairveil_core::vocabulary::{Class, Group, Guess, Legend, Proxy, Stratum};
use fairveil_core::{Aggregate, Audit, Counts, Criterion, Estimator, Settings};

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
            let said: Vec<Option<Vec<f64>>> =
                names.iter().zip(&says).map(|(name, says)| Some(says[*name].clone())).collect();
            let guess = |(said, table): (&Option<Vec<f64>>, &Names)| {
                let mut odds = vec![(0.0, 0.0); groups];
                for (a, p) in said.iter().flatten().enumerate() {
                    odds[self.of[a]].0 += p;
                    odds[self.of[a]].1 += table.population[a];
                }
                let most = (0..groups)
                    .max_by(|x, y| (odds[*x].0 / odds[*x].1).total_cmp(&(odds[*y].0 / odds[*y].1)));
                most.map(Guess)
            };
            let guesses = said.iter().zip(&self.tables).map(guess).collect();
            cells.push((Cell { stratum, guesses }, Tally::of(1.0)));
            evidence.push(EvidenceRow { stratum, control: 0, said, weight: 1.0 });
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
        let intake = Intake { rows: rows as u64, ..Intake::default() };
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

#[test]
fn scratch() {
    for (copying, follows, tables) in
        [(0.0, 0.0, 2), (0.2, 0.0, 2), (0.0, 0.08, 2), (0.0, 0.0, 1), (0.0, 0.0, 3)]
    {
        let world = World { copying, follows, ..World::two_groups(3, tables) };
        let truth = world.gap();
        let (mut held, mut honest, mut sum, mut fire, mut shares, mut dep, mut width) =
            (0, 0, 0.0, 0, 0, 0, 0.0);
        let n = 30;
        for seed in 0..n {
            let audit = run(&world.sample(4000, seed), 200);
            let top = parity(&audit, Estimator::Evidence, None);
            let (ends, range) =
                (top.interval.as_ref().unwrap().ends, top.honest_interval.as_ref().unwrap().ends);
            held += usize::from(ends.holds(truth));
            honest += usize::from(range.holds(truth));
            width += range.width() / n as f64;
            sum += top.value.unwrap() / n as f64;
            let p = |test| {
                audit
                    .tests
                    .iter()
                    .find(|t| t.test == test && t.criterion.is_none_or(|c| c == Criterion::DemographicParity))
                    .map_or(1.0, |t| t.p_value)
            };
            fire += usize::from(p(Test::SourcesAgree) < 0.05);
            shares += usize::from(p(Test::SharesAgree) < 0.05);
            dep += usize::from(p(Test::SourcesIndependent) < 0.05);
        }
        println!(
            "copying {copying} follows {follows} tables {tables}: truth {truth:.3} mean {sum:.3} held {held} honest {honest} width {width:.3} of {n}; agree {fire} shares {shares} dep {dep}"
        );
    }
}
