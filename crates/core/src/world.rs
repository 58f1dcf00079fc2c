//! A population with known truth: exact [`Frequencies`], or a seeded sample.
//!
//! People of group `a` fall into stratum `s` with probability `J[a, s]`; there each proxy `c` guesses by its
//! own `T[s][c]`. With probability `ρ` some proxies do not guess for themselves but repeat one shared guess,
//! drawn from the mean of their matrices. Then each proxy may abstain, by its own chance in each group.
//!
//! Everything here is simulated. "True" is a word for worlds and labelled samples only.

use crate::counts::{Cell, Counts, CountsError, Frequencies, Intake, Sources, Tally, View};
use crate::noise::TransitionMatrix;
use crate::rates::{Joint, true_joint};
use crate::vocabulary::{Class, Group, Guess, Legend, Proxy, ProxyId, Stratum};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::collections::BTreeMap;

/// One part of the population: people with the same prediction and label.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldStratum {
    /// Prediction and label.
    pub stratum: Stratum,
    /// `P(A=a, s)` for each group.
    pub joint: Vec<f64>,
    /// How each proxy errs here.
    pub noise: Vec<TransitionMatrix>,
}

/// Proxies that sometimes repeat one shared guess.
#[derive(Debug, Clone, PartialEq)]
struct Copying {
    /// How often (`ρ`).
    probability: f64,
    /// Which proxies.
    proxies: Vec<ProxyId>,
}

/// A population with known truth.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    legend: Legend,
    strata: Vec<WorldStratum>,
    copying: Copying,
    /// For each proxy, how often it abstains in each group.
    abstention: Vec<Vec<f64>>,
}

/// Why a world cannot be.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WorldError {
    /// Something has the wrong length.
    #[error("{what}: {found} given, {needed} needed")]
    Length {
        /// What.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many are needed.
        needed: usize,
    },
    /// Something is no probability.
    #[error("{what} is {value}, a probability from 0 to 1 is needed")]
    Probability {
        /// What.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// The population does not sum to one.
    #[error("the shares of all groups and strata sum to {sum}, 1 is needed")]
    Total {
        /// The sum.
        sum: f64,
    },
}

/// One simulated person.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulatedPerson {
    /// The true group, known because it is simulated.
    pub group: Group,
    /// Prediction and label.
    pub stratum: Stratum,
    /// What the proxies guess.
    pub guesses: Box<[Option<Guess>]>,
}

/// True groups of a table, tallied: what `--truth` compares against. Never used in an estimate.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Truth {
    cells: BTreeMap<(Stratum, Group), f64>,
    guessed: BTreeMap<(ProxyId, Stratum, Group, Guess), f64>,
}

impl Truth {
    /// Adds weight to one cell.
    pub fn add(&mut self, stratum: Stratum, group: Group, weight: f64) {
        *self.cells.entry((stratum, group)).or_default() += weight;
    }

    /// Adds weight to what one proxy guesses about people of a group.
    pub fn add_guess(&mut self, proxy: ProxyId, stratum: Stratum, group: Group, guess: Guess, weight: f64) {
        *self.guessed.entry((proxy, stratum, group, guess)).or_default() += weight;
    }

    /// What one proxy guesses about people of each group.
    pub(crate) fn guesses(&self, of: ProxyId) -> impl Iterator<Item = (Stratum, Group, Guess, f64)> {
        let cells = self.guessed.iter().filter(move |((proxy, ..), _)| *proxy == of);
        cells.map(|((_, stratum, group, guess), weight)| (*stratum, *group, *guess, *weight))
    }

    /// The joint table of strata and true groups.
    pub fn joint(&self, legend: &Legend, view: View) -> Joint<Group> {
        let cells = self.cells.iter().map(|((stratum, group), weight)| (*stratum, *group, *weight));
        true_joint(legend.classes.len(), legend.groups.len(), cells, view)
    }
}

impl World {
    /// A world whose proxies err independently of each other and never abstain.
    pub fn new(legend: Legend, strata: Vec<WorldStratum>) -> Result<Self, WorldError> {
        World::independent(legend, strata).checked()
    }

    fn independent(legend: Legend, strata: Vec<WorldStratum>) -> Self {
        let copying = Copying { probability: 0.0, proxies: legend.all_proxies().collect() };
        let abstention = vec![vec![0.0; legend.groups.len()]; legend.proxies.len()];
        World { legend, strata, copying, abstention }
    }

    /// Checks a world once; nothing checks it again.
    fn checked(self) -> Result<Self, WorldError> {
        let World { legend, strata, copying, abstention } = &self;
        let (groups, proxies) = (legend.groups.len(), legend.proxies.len());
        let length = |what, found, needed| {
            if found == needed { Ok(()) } else { Err(WorldError::Length { what, found, needed }) }
        };
        let probability = |what, value: f64| {
            if (0.0..=1.0).contains(&value) { Ok(()) } else { Err(WorldError::Probability { what, value }) }
        };
        length("proxies with abstention probabilities", abstention.len(), proxies)?;
        for silent in abstention {
            length("abstention probabilities of a proxy", silent.len(), groups)?;
            silent.iter().try_for_each(|value| probability("an abstention probability", *value))?;
        }
        probability("the copying probability", copying.probability)?;
        for part in strata {
            length("group shares of a stratum", part.joint.len(), groups)?;
            length("transition matrices of a stratum", part.noise.len(), proxies)?;
            part.joint.iter().try_for_each(|value| probability("a share", *value))?;
            for transition in &part.noise {
                length("groups of a transition matrix", transition.groups(), groups)?;
            }
        }
        let sum: f64 = strata.iter().flat_map(|part| &part.joint).sum();
        if (sum - 1.0).abs() > 1e-9 {
            return Err(WorldError::Total { sum });
        }
        Ok(self)
    }

    /// Groups of equal size; selection rates from `0.5 − gap/2` in the first to `0.5 + gap/2` in the last, the
    /// other classes sharing the rest; half of each group has the positive label, which adds 0.15 to the
    /// rate, the other half loses as much. Each proxy is right with its accuracy, its errors spread evenly.
    /// Panics unless `groups ≥ 2`, `classes ≥ 2`, accuracies in `[0, 1]` and `gap` in `[-0.7, 0.7]`.
    pub fn symmetric(groups: usize, classes: usize, accuracies: &[f64], gap: f64) -> Self {
        assert!(groups >= 2 && classes >= 2 && (-0.7..=0.7).contains(&gap), "{groups} {classes} {gap}");
        let legend = Legend::plain(groups, classes, accuracies.len(), true);
        let noise: Vec<_> =
            accuracies.iter().map(|right| TransitionMatrix::symmetric(groups, *right)).collect();
        let spread = |class: Class, share: f64| {
            if class == legend.positive { share } else { (1.0 - share) / (classes - 1) as f64 }
        };
        let mut strata = Vec::new();
        for label in (0..classes).map(Class) {
            for prediction in (0..classes).map(Class) {
                let of_group = |a: usize| {
                    let shift = if label == legend.positive { 0.15 } else { -0.15 };
                    let selected = 0.5 + gap * (a as f64 / (groups - 1) as f64 - 0.5) + shift;
                    spread(label, 0.5) * spread(prediction, selected) / groups as f64
                };
                let joint = (0..groups).map(of_group).collect();
                let stratum = Stratum { label: Some(label), prediction };
                strata.push(WorldStratum { stratum, joint, noise: noise.clone() });
            }
        }
        World::independent(legend, strata)
    }

    /// A labelled world drawn at random: any shares and rates, independent proxies that all err alike within a
    /// stratum and are right more often than each wrong way, everywhere alike or, with `own_noise`, in each
    /// stratum in its own way. Panics unless `groups ≥ 2` and `classes ≥ 2`.
    pub fn random(groups: usize, classes: usize, proxies: usize, own_noise: bool, seed: u64) -> Self {
        assert!(groups >= 2 && classes >= 2, "{groups} groups, {classes} classes");
        let mut random = Pcg64::seed_from_u64(seed);
        let legend = Legend::plain(groups, classes, proxies, true);
        let mut matrix = || {
            let row = |a: usize| {
                let right = 0.55 + 0.3 * uniform(&mut random);
                let wrong: Vec<f64> = (0..groups).map(|_| 0.2 + uniform(&mut random)).collect();
                let total: f64 = wrong.iter().enumerate().filter(|(g, _)| *g != a).map(|(_, w)| w).sum();
                (0..groups).map(|g| if g == a { right } else { (1.0 - right) * wrong[g] / total }).collect()
            };
            TransitionMatrix::from_distributions((0..groups).map(row).collect())
        };
        let everywhere = matrix();
        let noise: Vec<_> =
            (0..classes * classes).map(|_| if own_noise { matrix() } else { everywhere.clone() }).collect();
        let joint: Vec<f64> = (0..classes * classes * groups).map(|_| 0.3 + uniform(&mut random)).collect();
        let total: f64 = joint.iter().sum();
        let part = |s: usize| WorldStratum {
            stratum: Stratum { label: Some(Class(s / classes)), prediction: Class(s % classes) },
            joint: joint[s * groups..(s + 1) * groups].iter().map(|share| share / total).collect(),
            noise: vec![noise[s].clone(); proxies],
        };
        World::independent(legend, (0..classes * classes).map(part).collect())
    }

    /// Applicants for a loan in two groups, a model that grants it less often in the smaller one, and three
    /// proxies of moderate accuracy from different sources, two of which share a little error.
    pub fn lending() -> Self {
        let proxy = |name: &str, source: &str| Proxy {
            name: name.into(),
            source: Some(source.into()),
            lent_by: None,
        };
        let legend = Legend {
            groups: vec!["green".into(), "blue".into()],
            classes: vec!["0".into(), "1".into()],
            positive: Class(1),
            prediction: "approved".into(),
            label: Some("repaid".into()),
            label_classes: None,
            proxies: vec![
                proxy("surname", "census"),
                proxy("first_name", "registry"),
                proxy("zip", "survey"),
            ],
        };
        // Rows: group. P(repays), P(approved | repays), P(approved | does not).
        let shares = [0.38, 0.62];
        let rates = [(0.66, 0.55, 0.22), (0.72, 0.80, 0.40)];
        let matrix = |green: f64, blue: f64| {
            TransitionMatrix::from_distributions(vec![vec![green, 1.0 - green], vec![1.0 - blue, blue]])
        };
        let noise = [matrix(0.70, 0.84), matrix(0.71, 0.83), matrix(0.69, 0.85)];
        let mut strata = Vec::new();
        for repays in [false, true] {
            for approved in [false, true] {
                let of_group = |a: usize| {
                    let (repaid, if_repaid, if_not) = rates[a];
                    let approval = if repays { if_repaid } else { if_not };
                    let either = |yes: bool, share: f64| if yes { share } else { 1.0 - share };
                    shares[a] * either(repays, repaid) * either(approved, approval)
                };
                let stratum =
                    Stratum { label: Some(Class(repays.into())), prediction: Class(approved.into()) };
                strata.push(WorldStratum {
                    stratum,
                    joint: (0..2).map(of_group).collect(),
                    noise: noise.to_vec(),
                });
            }
        }
        let copying = Copying { probability: 0.05, proxies: vec![ProxyId(0), ProxyId(1)] };
        World { legend, strata, copying, abstention: vec![vec![0.0; 2], vec![0.04, 0.01], vec![0.0; 2]] }
    }

    /// The same world in which all proxies repeat one shared guess with this probability.
    pub fn with_copying(self, probability: f64) -> Result<Self, WorldError> {
        let proxies: Vec<ProxyId> = self.legend.all_proxies().collect();
        self.with_sharing(probability, &proxies)
    }

    /// The same world in which some proxies repeat one shared guess with this probability.
    pub fn with_sharing(self, probability: f64, proxies: &[ProxyId]) -> Result<Self, WorldError> {
        World { copying: Copying { probability, proxies: proxies.to_vec() }, ..self }.checked()
    }

    /// The same world in which proxies declare their sources, in order; those without one declare none.
    pub fn with_sources(mut self, sources: &[Option<&str>]) -> Self {
        for (proxy, source) in self.legend.proxies.iter_mut().zip(sources) {
            proxy.source = source.map(str::to_owned);
        }
        self
    }

    /// The same world in which each proxy abstains with its own probability in each group.
    pub fn with_abstention(self, abstention: Vec<Vec<f64>>) -> Result<Self, WorldError> {
        World { abstention, ..self }.checked()
    }

    /// The names.
    pub fn legend(&self) -> &Legend {
        &self.legend
    }

    /// The parts of the population.
    pub fn strata(&self) -> &[WorldStratum] {
        &self.strata
    }

    /// The true joint table.
    pub fn truth(&self, view: View) -> Joint<Group> {
        let cells = self.strata.iter().flat_map(|part| {
            part.joint.iter().enumerate().map(|(a, share)| (part.stratum, Group(a), *share))
        });
        true_joint(self.legend.classes.len(), self.legend.groups.len(), cells, view)
    }

    /// The exact shares of all cells: a sample without end.
    pub fn frequencies(&self) -> Frequencies {
        let mut cells = BTreeMap::new();
        for part in &self.strata {
            for (a, share) in part.joint.iter().enumerate() {
                let apart: Vec<&[f64]> = part.noise.iter().map(|t| t.rows()[a].as_slice()).collect();
                let independent = share * (1.0 - self.copying.probability);
                self.add_patterns(&mut cells, part.stratum, Group(a), independent, &apart);
                let shared = self.shared_guess(part, Group(a));
                for (guess, chance) in shared.iter().enumerate() {
                    let certain: Vec<f64> =
                        (0..shared.len()).map(|g| f64::from(u8::from(g == guess))).collect();
                    let copied: Vec<&[f64]> = (self.legend.all_proxies())
                        .map(|id| if self.copying.proxies.contains(&id) { &certain[..] } else { apart[id.0] })
                        .collect();
                    let weight = share * self.copying.probability * chance;
                    self.add_patterns(&mut cells, part.stratum, Group(a), weight, &copied);
                }
            }
        }
        Frequencies {
            groups: self.legend.groups.len(),
            classes: self.legend.classes.len(),
            proxies: self.legend.proxies.len(),
            told: crate::privacy::Told::default(),
            sources: Sources::of(&self.legend),
            cells: cells.into_iter().filter(|(_, share)| *share > 0.0).collect(),
        }
    }

    /// The same for the people of each group alone; all of them together are the population.
    pub fn apart(&self) -> Vec<Frequencies> {
        let alone = |group: usize| {
            let mut world = self.clone();
            let others = |a: usize| a != group;
            for part in &mut world.strata {
                part.joint
                    .iter_mut()
                    .enumerate()
                    .filter(|(a, _)| others(*a))
                    .for_each(|(_, share)| *share = 0.0);
            }
            world.frequencies()
        };
        (0..self.legend.groups.len()).map(alone).collect()
    }

    /// Adds `weight` spread over all patterns of proxies that guess independently by `rows`.
    fn add_patterns(
        &self,
        cells: &mut BTreeMap<Cell, f64>,
        stratum: Stratum,
        group: Group,
        weight: f64,
        rows: &[&[f64]],
    ) {
        if weight == 0.0 {
            return;
        }
        let mut patterns: Vec<(Vec<Option<Guess>>, f64)> = vec![(Vec::new(), weight)];
        for (row, silent) in rows.iter().zip(&self.abstention) {
            let silent = silent[group.0];
            let answers = row.iter().enumerate().map(|(g, chance)| (Some(Guess(g)), chance * (1.0 - silent)));
            let answers: Vec<_> =
                answers.chain([(None, silent)]).filter(|(_, chance)| *chance > 0.0).collect();
            let extend = |(pattern, weight): &(Vec<Option<Guess>>, f64)| {
                let longer = |(answer, chance): &(Option<Guess>, f64)| {
                    (pattern.iter().copied().chain([*answer]).collect(), weight * chance)
                };
                answers.iter().map(longer).collect::<Vec<_>>()
            };
            patterns = patterns.iter().flat_map(extend).collect();
        }
        for (pattern, weight) in patterns {
            *cells.entry(Cell { stratum, guesses: pattern.into() }).or_default() += weight;
        }
    }

    /// How often one proxy makes each guess for people of a group in a part of the population; less than one in
    /// all where it abstains.
    pub(crate) fn guesses(&self, part: &WorldStratum, group: Group, proxy: ProxyId) -> Vec<f64> {
        let copies = self.copying.proxies.contains(&proxy);
        let copied = if copies { self.copying.probability } else { 0.0 };
        let shared = if copies { self.shared_guess(part, group) } else { vec![0.0; part.joint.len()] };
        let speaks = 1.0 - self.abstention[proxy.0][group.0];
        let own = part.noise[proxy.0].rows()[group.0].iter();
        own.zip(shared).map(|(own, shared)| speaks * ((1.0 - copied) * own + copied * shared)).collect()
    }

    /// Distribution of the guess that copying proxies share.
    fn shared_guess(&self, part: &WorldStratum, group: Group) -> Vec<f64> {
        let sources: Vec<_> = self.copying.proxies.iter().map(|id| &part.noise[id.0]).collect();
        if sources.is_empty() {
            return vec![0.0; self.legend.groups.len()];
        }
        let mean = |g| sources.iter().map(|t| t[(group, Guess(g))]).sum::<f64>() / sources.len() as f64;
        (0..self.legend.groups.len()).map(mean).collect()
    }

    /// The exact table as a tally of `rows` rows, in which cells may weigh fractions of a row.
    pub fn population(&self, rows: u64) -> Result<Counts, CountsError> {
        let tally = |(cell, share): (Cell, f64)| (cell, Tally::of(share * rows as f64));
        let cells = self.frequencies().cells.into_iter().map(tally);
        Counts::new(self.legend.clone(), Intake { rows, ..Intake::default() }, cells)
    }

    /// People drawn from the world, without end. The generator is pinned, so a seed survives upgrades.
    pub fn people(&self, seed: u64) -> impl Iterator<Item = SimulatedPerson> + '_ {
        let mut random = Pcg64::seed_from_u64(seed);
        let places: Vec<(&WorldStratum, usize, f64)> = (self.strata.iter())
            .flat_map(|part| part.joint.iter().enumerate().map(move |(a, share)| (part, a, *share)))
            .collect();
        std::iter::repeat_with(move || {
            let (part, a, _) = places[draw(&mut random, places.iter().map(|place| place.2))];
            let group = Group(a);
            let copies = uniform(&mut random) < self.copying.probability;
            let shared = Guess(draw(&mut random, self.shared_guess(part, group).into_iter()));
            let guess = |id: ProxyId| {
                let own = Guess(draw(&mut random, part.noise[id.0].rows()[a].iter().copied()));
                let silent = uniform(&mut random) < self.abstention[id.0][a];
                let copied = copies && self.copying.proxies.contains(&id);
                if silent { None } else { Some(if copied { shared } else { own }) }
            };
            let guesses = self.legend.all_proxies().map(guess).collect();
            SimulatedPerson { group, stratum: part.stratum, guesses }
        })
    }

    /// The tally of the first `rows` people drawn with a seed, and their true groups.
    pub fn sample(&self, rows: u64, seed: u64) -> Result<(Counts, Truth), CountsError> {
        let mut cells: BTreeMap<Cell, Tally> = BTreeMap::new();
        let mut truth = Truth::default();
        for person in self.people(seed).take(rows as usize) {
            truth.add(person.stratum, person.group, 1.0);
            for (proxy, guess) in person.guesses.iter().enumerate() {
                if let Some(guess) = guess {
                    truth.add_guess(ProxyId(proxy), person.stratum, person.group, *guess, 1.0);
                }
            }
            cells.entry(Cell { stratum: person.stratum, guesses: person.guesses }).or_default().weight += 1.0;
        }
        let intake = Intake { rows, ..Intake::default() };
        Ok((Counts::new(self.legend.clone(), intake, cells)?, truth))
    }
}

/// A number in `[0, 1)` from the upper 53 bits of the generator.
pub(crate) fn uniform(random: &mut Pcg64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// A position drawn with the given chances, which sum to one up to rounding.
fn draw(random: &mut Pcg64, chances: impl Iterator<Item = f64>) -> usize {
    let mut left = uniform(random);
    let mut last = 0;
    for (position, chance) in chances.enumerate() {
        if chance > 0.0 {
            last = position;
            if left < chance {
                return position;
            }
            left -= chance;
        }
    }
    last
}
