//! Probabilities as evidence: what a table of names or places says of a row's group, used as it is and not as a guess.
//!
//! A table made of other people gives `P(a | name)` among them. What it knows of ours is how much likelier a name is in one group
//! than in another, by Bayes' rule over its own shares `π`:
//! ```text
//! P(name | a)  ∝  P(a | name) / π[a]
//! ```
//! Several sources multiply where they are independent inside the groups. The shares of the groups in every stratum are then those
//! that make the rows likeliest (`mixture`), and rates follow. McCartan, Fisher, Goldin, Ho and Imai (BIRDiE, JASA 2025)
//! argue so; the equation that is solved for every stratum is
//! ```text
//! J[a,s] = P(s)·w[a; s]          w[·; s] = argmax Σ_(rows of s) log Σₐ w[a]·P(evidence | a)
//! ```
//! Assumes that inside a group evidence does not go with the decision, or does not within the values of what is controlled for,
//! and that a name is as telling here as in the table. Sources that are used one by one need no independence of each other:
//! where they say different things, one of them goes with the decision (`agree`).
//!
//! Beside it stand what needs less: probabilities as weights, which shows too little of a gap, and a regression on them, which
//! shows too much (Elzayn and others 2023, if decisions go with the group given the probability, and with the probability given
//! the group, in the same direction); and bounds that need no assumption about decisions at all (`frechet`).

mod agree;
mod confusion;
mod estimate;
mod frechet;
mod grid;
mod mixture;
mod tally;

pub(crate) use agree::Dependence;
pub use grid::{COARSEST, FINEST, halved, nearest_point, probabilities};
pub use tally::{
    EvidenceCell, EvidenceRow, EvidenceSource, EvidenceTally, LEAST_ROOT, MOST_CELLS, Mass, PointTally,
};

use crate::counts::{Counts, View};
use crate::criterion::Among;
use crate::rates::Joint;
use crate::record::{Assumption, BoundRecord, ErrorModel, Origin};
use crate::uncertainty::likelihood::Fitness;
use crate::vocabulary::{Basis, Class, Criterion, Estimator, Group, Guess, Legend, Stratum};
use agree::{Alone, Compared};
use confusion::Confused;
use estimate::{ByEvidence, ByProbability, Frame, How, Unclear};
use std::sync::Arc;

/// A number that rests on evidence.
pub(crate) struct FromEvidence {
    pub origin: Origin,
    /// The table, or why it says nothing.
    pub joint: Result<Joint<Group>, String>,
    made: Option<Made>,
}

/// What a table was made from.
#[derive(Clone)]
enum Made {
    Evidence(ByEvidence),
    Probability(Arc<ByProbability>, How),
    Confused(Confused),
}

/// All that evidence says about one view.
pub(crate) struct EvidenceAnswers {
    pub view: View,
    classes: usize,
    groups: usize,
    of: Vec<Group>,
    rows: f64,
    weight: f64,
    inflation: f64,
    /// All sources together first, then each alone, then what needs less.
    pub readings: Vec<FromEvidence>,
    /// Names of the sources.
    pub sources: Vec<String>,
    /// For every source, what its points take the shares of the groups to be.
    references: Vec<Vec<f64>>,
    jointly: Option<PointTally>,
    /// The probabilities behind weights and regression.
    probabilities: Option<Arc<ByProbability>>,
    /// The probabilities of one proxy as it gives them.
    given: Option<ByProbability>,
    /// How sources go together inside the groups.
    pub dependence: Vec<Dependence>,
}

/// The most groups whose confusions are learned.
const MOST_CONFUSED: usize = 3;
/// Fewer draws where each is a fit.
const FEWER_REFITS: usize = 20;

impl EvidenceAnswers {
    /// `None` where there is no evidence, or none in this view.
    pub fn of(counts: &Counts, view: View, rows: f64) -> Option<Self> {
        let (tally, legend) = (counts.evidence()?, counts.legend());
        let fine = tally.groups.len();
        let references: Vec<Vec<f64>> = tally
            .sources
            .iter()
            .zip(&tally.alone)
            .map(|(source, alone)| reference(source, alone, fine))
            .collect();
        let alone: Vec<PointTally> = tally.alone.iter().map(|alone| alone.view(view)).collect();
        let (weight, squares) = alone
            .first()?
            .cells()
            .fold((0.0, 0.0), |(weight, squares), (_, mass)| (weight + mass.weight, squares + mass.squares));
        if weight <= 0.0 || squares <= 0.0 {
            return None;
        }
        let mut answers = EvidenceAnswers {
            view,
            classes: legend.classes.len(),
            groups: legend.groups.len(),
            of: tally.of.clone(),
            rows,
            weight,
            inflation: (weight * weight / squares / rows.max(1.0)).max(1.0),
            readings: Vec::new(),
            sources: tally.sources.iter().map(|source| source.name.clone()).collect(),
            jointly: tally.jointly.as_ref().map(|jointly| jointly.view(view)),
            probabilities: None,
            given: None,
            dependence: Vec::new(),
            references,
        };
        let frame = answers.frame();
        if let [source] = &tally.sources[..]
            && source.about.is_none()
        {
            answers.given = ByProbability::of(&alone[0], &frame, |_, said| said[0].clone());
        }
        let by_source =
            |s: usize| ByEvidence::fit(&alone[s], |said| over(&said[0], &answers.references[s]), fine);
        let together = tally.together.as_ref().map(|together| together.view(view));
        let best = match &together {
            // What sources say together is kept as likelihoods.
            Some(together) => ByEvidence::fit(together, |said| said[0].clone(), fine),
            None => by_source(0),
        };
        let origin = |proxy| Origin {
            basis: Basis::Calibrated,
            estimator: Some(Estimator::Evidence),
            scope: None,
            proxy,
            assumption: None,
        };
        let read = |origin: Origin, found: Result<ByEvidence, Unclear>| {
            let joint = found.as_ref().map(|found| found.table(&frame)).map_err(|why| describe(*why, legend));
            FromEvidence { origin, joint, made: found.ok().map(Made::Evidence) }
        };
        let (shares, among) = (best.as_ref().ok().map(|best| best.shares(fine)), best.clone());
        let mut readings = vec![read(origin(None), best)];
        if tally.sources.len() > 1 {
            let each = tally.sources.iter().enumerate();
            readings.extend(each.map(|(s, source)| read(origin(Some(source.name.clone())), by_source(s))));
        }
        // Probabilities about our people: evidence over the shares that it finds here.
        let probabilities = among.ok().and_then(|best| {
            // Among people with one label the groups have shares of their own.
            let mut labels: Vec<Option<Class>> = best.parts.iter().map(|part| part.stratum.label).collect();
            labels.sort();
            labels.dedup();
            let among: Vec<(Option<Class>, Vec<f64>)> =
                labels.into_iter().map(|label| (label, best.shares_among(label, fine))).collect();
            let of = |stratum: Stratum, likelihood: &[f64]| {
                let mine = among.iter().find(|(label, _)| *label == stratum.label);
                mine.map(|(_, shares)| posterior(likelihood, shares)).unwrap_or_default()
            };
            match &together {
                Some(together) => ByProbability::of(together, &frame, |stratum, said| of(stratum, &said[0])),
                None => ByProbability::of(&alone[0], &frame, |stratum, said| {
                    of(stratum, &over(&said[0], &answers.references[0]))
                }),
            }
        });
        let probabilities = probabilities.map(Arc::new);
        for (how, origin) in [
            (
                How::Weighted,
                Origin { basis: Basis::Soft, estimator: Some(Estimator::Evidence), ..origin(None) },
            ),
            (How::Linear, Origin { estimator: Some(Estimator::Linear), ..origin(None) }),
        ] {
            let joint = probabilities.as_ref().and_then(|found| found.table(&frame, how));
            let made = probabilities.as_ref().map(|found| Made::Probability(found.clone(), how));
            let joint = joint
                .ok_or_else(|| "the probabilities do not vary enough to tell the groups apart".to_string());
            readings.push(FromEvidence { origin, joint, made });
        }
        // With more groups than these so many confusions follow from hardly anything.
        if let (Some(jointly), Some(shares), true) =
            (&answers.jointly, &shares, answers.groups <= MOST_CONFUSED)
        {
            // What a point says of the audited groups, whose parts are as large as they are found to be.
            let coarse = |s: usize, point: &[f64]| {
                let fine = over(point, &answers.references[s]);
                let (mut sums, mut people) = (vec![0.0; answers.groups], vec![0.0; answers.groups]);
                for ((likelihood, share), group) in fine.iter().zip(shares).zip(&answers.of) {
                    sums[group.0] += likelihood * share;
                    people[group.0] += share;
                }
                let mean = |(sum, people): (f64, &f64)| if *people > 0.0 { sum / people } else { 0.0 };
                if fine.is_empty() { fine } else { sums.into_iter().zip(&people).map(mean).collect() }
            };
            let found = Confused::fit(jointly, coarse, answers.sources.len(), answers.groups);
            let joint = found.as_ref().map(|found| found.joint(&frame));
            readings.push(FromEvidence {
                origin: Origin { assumption: Some(ErrorModel::Own), ..origin(None) },
                joint: joint
                    .ok_or_else(|| "no pattern of errors in the sources explains the rows".to_string()),
                made: found.map(Made::Confused),
            });
        }
        let dependence = match (&readings[0].made, &answers.jointly) {
            (Some(Made::Evidence(best)), Some(jointly)) => agree::dependence(
                best,
                jointly,
                &|said| product(said, &answers.references),
                fine,
                answers.inflation,
            ),
            _ => Vec::new(),
        };
        (answers.readings, answers.probabilities, answers.dependence) = (readings, probabilities, dependence);
        Some(answers)
    }

    fn frame(&self) -> Frame {
        Frame {
            view: self.view,
            classes: self.classes,
            of: self.of.clone(),
            groups: self.groups,
            rows: self.rows,
            weight: self.weight,
            inflation: self.inflation,
        }
    }

    /// One source alone has nothing to be compared with.
    pub fn is_lone(&self) -> bool {
        self.sources.len() == 1
    }

    /// Parts of too few rows that were put together with others.
    pub fn pooled(&self) -> usize {
        match &self.readings[0].made {
            Some(Made::Evidence(found)) => found.pooled,
            _ => 0,
        }
    }

    /// What all sources say together.
    pub fn together(&self) -> &FromEvidence {
        &self.readings[0]
    }

    /// Each source alone, where there are several.
    pub fn each(&self) -> &[FromEvidence] {
        if self.is_lone() { &[] } else { &self.readings[1..=self.sources.len()] }
    }

    /// Tables drawn around one of the readings.
    pub fn draws(&self, reading: &FromEvidence, draws: usize, seed: u64) -> Vec<Option<Joint<Group>>> {
        match &reading.made {
            Some(Made::Evidence(found)) => found.draws(&self.frame(), draws, seed),
            Some(Made::Probability(found, how)) => found.draws(&self.frame(), *how, draws, seed),
            Some(Made::Confused(found)) => found.draws(&self.frame(), (draws / FEWER_REFITS).max(100), seed),
            None => Vec::new(),
        }
    }

    /// Tables of rows drawn anew that are shared out by the probabilities of one proxy as it gives them; nothing where there are
    /// others. A tally of guesses has the mean probability of each cell alone, and where guesses never vary that of each stratum.
    pub fn shared_out(&self, draws: usize, seed: u64) -> Option<Vec<Option<Joint<Guess>>>> {
        self.given.as_ref().map(|given| given.draws(&self.frame(), How::Weighted, draws, seed))
    }

    /// How clearly sources differ in the rates of a criterion.
    pub fn differ(&self, criterion: Criterion, positive: Class) -> Option<Fitness> {
        self.compare(&Compared::Rates(criterion.spec().told(self.classes, positive)))
    }

    /// How clearly sources differ in the shares of the groups.
    pub fn shares_differ(&self) -> Option<Fitness> {
        self.compare(&Compared::Shares)
    }

    fn compare(&self, compared: &Compared) -> Option<Fitness> {
        let likelihoods: Vec<_> =
            self.references.iter().map(|reference| move |point: &[f64]| over(point, reference)).collect();
        let alone = |(reading, likelihood)| {
            let reading: &FromEvidence = reading;
            match (&reading.made, &reading.joint) {
                (Some(Made::Evidence(found)), Ok(joint)) => Some(Alone { found, joint, likelihood }),
                _ => None,
            }
        };
        let likelihoods = likelihoods.iter().map(|likelihood| likelihood as &dyn Fn(&[f64]) -> Vec<f64>);
        let alone: Vec<Alone> = self.each().iter().zip(likelihoods).map(alone).collect::<Option<_>>()?;
        agree::differ(&alone, self.jointly.as_ref()?, &self.frame(), compared)
    }

    /// Bounds on the gap of every pair of groups that need no assumption about decisions.
    pub fn bounds(&self, criterion: Criterion, legend: &Legend) -> Vec<BoundRecord> {
        let Some(probabilities) = &self.probabilities else { return Vec::new() };
        let [among] = criterion.spec().parts(self.classes, legend.positive)[..] else { return Vec::new() };
        let label = match among {
            Among::Everyone => None,
            Among::Label(label) => Some(label),
            Among::Decision(_) | Among::PassedOver(_) | Among::Judged(_) => return Vec::new(),
        };
        let mut records = Vec::new();
        for a in legend.all_groups() {
            for b in legend.all_groups().take(a.0) {
                let interval = frechet::gap(&probabilities.cells, self.rows, label, legend.positive, (a, b));
                records.push(BoundRecord {
                    criterion,
                    assumes: Assumption::RightProbabilities,
                    proxy: None,
                    a: Some(legend.group(a).to_owned()),
                    b: Some(legend.group(b).to_owned()),
                    interval,
                    unavailable: interval
                        .is_none()
                        .then(|| "a group is nobody's by the probabilities".into()),
                });
            }
        }
        records
    }
}

/// What the points of a source take the shares of the groups to be: as stated, or their mean.
fn reference(source: &EvidenceSource, tally: &PointTally, groups: usize) -> Vec<f64> {
    if let Some(reference) = &source.reference {
        return reference.clone();
    }
    let (mut sums, mut total) = (vec![0.0; groups], 0.0);
    for (cell, mass) in tally.cells() {
        for point in tally.probabilities(cell).filter(|point| !point.is_empty()) {
            sums.iter_mut().zip(&point).for_each(|(sum, p)| *sum += mass.weight * p);
            total += mass.weight;
        }
    }
    sums.into_iter().map(|sum| if total > 0.0 { sum / total } else { 0.0 }).collect()
}

/// Likelihoods from a point and the shares that it takes the groups to have; nothing from nothing. A group that nobody has
/// anywhere has no likelihood.
fn over(point: &[f64], reference: &[f64]) -> Vec<f64> {
    point.iter().zip(reference).map(|(p, share)| if *share > 0.0 { p / share } else { 0.0 }).collect()
}

/// The product of what sources say that speak; nothing where none does.
fn product(said: &[Vec<f64>], references: &[Vec<f64>]) -> Vec<f64> {
    let spoken = said.iter().zip(references).filter(|(point, _)| !point.is_empty());
    let likelihoods = spoken.map(|(point, reference)| over(point, reference));
    likelihoods.reduce(|a, b| a.iter().zip(b).map(|(a, b)| a * b).collect()).unwrap_or_default()
}

fn posterior(likelihood: &[f64], shares: &[f64]) -> Vec<f64> {
    let joint: Vec<f64> =
        likelihood.iter().zip(shares).map(|(likelihood, share)| likelihood * share).collect();
    let total: f64 = joint.iter().sum();
    if total > 0.0 { joint.into_iter().map(|p| p / total).collect() } else { Vec::new() }
}

fn describe(why: Unclear, legend: &Legend) -> String {
    let Unclear::Stratum(stratum) = why;
    format!("the evidence does not tell the groups apart among rows with {}", legend.stratum(stratum))
}
