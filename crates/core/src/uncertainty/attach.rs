//! Which interval belongs to which number of an audit.
//!
//! The honest range of an explanation is the union of its intervals over shared error. That of the number which an audit
//! chooses by itself is the union over all explanations that the table does not rule out ([`Answers::plausible`]): a
//! table cannot tell unequal proxies from some that share mistakes, and each explanation is safe only under its own.

use super::against::Open;
use super::bootstrap::{Redraw, redrawn, resampled};
use super::copying::without_copying;
use super::draw_in_order;
use super::independent::Independent;
use super::interval::Interval;
use super::intervals::{Asked, MOST_GROUPS, Model, Spread, from_draws, rate_ends};
use super::left_out::LeftOut;
use crate::answers::{Answers, Explanation, Reading};
use crate::counts::Frequencies;
use crate::disparity::pairs;
use crate::estimate::{Errors, Hoc, NoiseEstimator, Place};
use crate::evidence::FromEvidence;
use crate::labels::FromLabels;
use crate::rates::Joint;
use crate::record::{ErrorModel, Origin};
use crate::vocabulary::{Axis, Criterion, Estimator, Group, Guess, Scope};
use std::borrow::Cow;

/// What chance and shared mistakes do to one criterion on one basis.
#[derive(Debug, Clone)]
pub(crate) struct Doubt {
    pub spread: Spread,
    /// The union of intervals over shared error from none to that asked for, or why there is none; nothing where shared
    /// mistakes are no question.
    pub honest: Option<Result<Range, String>>,
    /// The share of shared error up to which `honest` reaches: less than asked for where the table allows no more.
    pub reached: f64,
    /// `honest` takes in errors that are alike in all strata as well as errors of every stratum's own.
    pub by_stratum: bool,
}

/// All that is held possible of a criterion.
#[derive(Debug, Clone)]
pub(crate) struct Range {
    /// For each aggregate, in the order of [`Aggregate::ALL`](crate::Aggregate::ALL).
    pub values: [Option<Interval>; 3],
    /// For each signed difference, in the order of [`pairs`].
    pub pairs: Vec<Interval>,
    /// For each measure beside the reference group.
    pub measures: Vec<Open>,
}

impl Range {
    fn of(spread: &Spread) -> Self {
        Range {
            values: spread.values.map(|value| value.map(|(ends, _)| ends)),
            pairs: spread.pairs.clone(),
            measures: spread.measures.clone(),
        }
    }

    /// The same where no signed difference keeps clear of zero: then none of the unsigned ones does.
    fn open_to_zero(mut self) -> Self {
        if !self.pairs.is_empty() && self.pairs.iter().all(|ends| ends.holds(0.0)) {
            let [mean, largest, ratio] = &mut self.values;
            mean.iter_mut().chain(largest).for_each(|ends| ends.low = 0.0);
            ratio.iter_mut().for_each(|ends| ends.high = 1.0);
        }
        self
    }

    fn and(mut self, other: &Range) -> Self {
        for (mine, other) in self.values.iter_mut().zip(other.values) {
            *mine = mine.zip(other).map(|(mine, other)| mine.and(other)).or(*mine);
        }
        self.pairs.iter_mut().zip(&other.pairs).for_each(|(mine, other)| *mine = mine.and(*other));
        let nothing = std::iter::repeat(&Open::NOTHING);
        self.measures
            .iter_mut()
            .zip(other.measures.iter().chain(nothing))
            .for_each(|(mine, other)| *mine = mine.and(other));
        self
    }
}

/// The doubt about each criterion, and about the usual rates of each group; nothing where nothing can be drawn.
#[derive(Debug, Clone, Default)]
pub(crate) struct Doubts {
    pub criteria: Vec<(Criterion, Doubt)>,
    pub rates: Option<Vec<[Option<Interval>; 8]>>,
}

impl Doubts {
    /// Takes over what another says of some criteria.
    pub fn replace(&mut self, criteria: &[Criterion], other: Doubts) {
        self.criteria.retain(|(criterion, _)| !criteria.contains(criterion));
        self.criteria.extend(other.criteria);
    }

    /// The doubt about one criterion.
    pub fn about(&self, criterion: Criterion) -> Option<&Doubt> {
        self.criteria.iter().find(|(other, _)| *other == criterion).map(|(_, doubt)| doubt)
    }
}

/// An explanation that the table does not rule out, and what it says of a criterion. Where two of them differ in the sign
/// of a difference, no direction can be told.
#[derive(Debug, Clone)]
pub(crate) struct Plausible {
    pub origin: Origin,
    pub criterion: Criterion,
    /// Nothing shows clearly that it does not hold: errors that all strata share where these differ by far more than chance
    /// stay in the range, for shared mistakes look the same, but say nothing for a direction.
    pub fits: bool,
    /// The signed differences, in the order of a measurement's pairs.
    pub differences: Vec<f64>,
    /// What shared error up to that asked for leaves open of them under this explanation alone.
    pub range: Option<Range>,
}

impl Plausible {
    /// The first difference of which two explanations tell opposite signs, each beyond chance.
    pub fn disagrees_at(&self, other: &Plausible) -> Option<usize> {
        let clear = |one: &Plausible, i: usize| {
            let ends = one.range.as_ref().and_then(|range| range.pairs.get(i));
            ends.is_some_and(|ends| !ends.holds(0.0))
        };
        let mut pairs = self.differences.iter().zip(&other.differences).enumerate();
        let apart = |(i, (a, b)): (usize, (&f64, &f64))| a * b < 0.0 && clear(self, i) && clear(other, i);
        pairs.position(apart).filter(|_| self.criterion == other.criterion)
    }

    /// What is assumed, in a few words.
    pub fn words(&self) -> String {
        if let (Some(Estimator::Evidence), Some(source)) = (self.origin.estimator, &self.origin.proxy) {
            return format!("evidence from {source} alone");
        }
        let errors = match self.origin.assumption {
            Some(ErrorModel::Own) => "one table of errors for each proxy",
            Some(ErrorModel::BySource) => "one table of errors for each source",
            _ => "one table of errors for all proxies",
        };
        match self.origin.scope {
            Some(Scope::Local) => format!("{errors} in each stratum"),
            _ => errors.to_string(),
        }
    }
}

/// Two explanations of a criterion that tell opposite signs of the same difference, and its place.
pub(crate) fn opposite_signs(
    plausible: &[Plausible],
    criterion: Criterion,
) -> Option<(&Plausible, &Plausible, usize)> {
    let about = || plausible.iter().filter(|one| one.criterion == criterion && one.fits);
    let pairs = about().enumerate().flat_map(|(i, a)| about().skip(i + 1).map(move |b| (a, b)));
    let mut apart = pairs.filter_map(|(a, b)| Some((a, b, a.disagrees_at(b)?)));
    apart.next()
}

/// What is asked about uncertainty.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub asked: Asked,
    pub shared_error: f64,
}

/// Fits of three groups take a millisecond each, so fewer of them are drawn; with more groups none are, and there
/// is an interval only where the likelihood gives one.
const QUICK_GROUPS: usize = 2;
const REFITTED_GROUPS: usize = 3;
const SLOW_FEWER: usize = 8;
/// So many proxies are read of the same draws, which are then all kept.
const READ_TOGETHER: usize = 8;
/// Shared error is tried at none and at these parts of what is asked for.
pub(crate) const PARTS: [f64; 4] = [0.25, 0.5, 0.75, 1.0];
/// The same where a fit takes long: the gap grows with shared error, so the ends matter most.
const FEW_PARTS: [f64; 2] = [0.5, 1.0];

/// What explains a table, and draws of it.
type Redrawn = (Option<Joint<Group>>, Vec<Option<Joint<Group>>>);
/// From a table to what explains it.
type Refit<'r> = dyn Fn(&Frequencies) -> Option<Joint<Group>> + Sync + 'r;

/// Intervals for one view; draws are shared between criteria.
pub(crate) struct Uncertainty<'a> {
    answers: &'a Answers,
    /// Those that are asked for.
    criteria: &'a [Criterion],
    /// Groups that are not compared.
    left_out: &'a LeftOut,
    wanted: Wanted,
    /// The proxies' agreement beyond chance, and the share of it that can be undone.
    shared: (f64, f64),
    /// The table with growing parts of the agreement undone.
    undone: Vec<Frequencies>,
    /// The likelihood of proxies that err alike and never abstain.
    alike: Option<Cow<'a, Model>>,
}

impl<'a> Uncertainty<'a> {
    pub fn of(
        answers: &'a Answers,
        criteria: &'a [Criterion],
        left_out: &'a LeftOut,
        wanted: Wanted,
    ) -> Self {
        let seen = &answers.seen;
        let agreement = answers.agreement_in_doubt();
        let reached = reachable(seen, agreement, wanted.shared_error);
        let parts: &[f64] = if seen.groups() > REFITTED_GROUPS { &FEW_PARTS } else { &PARTS };
        // Without copying some cells hold less than no one where guesses were randomised, and there is no likelihood.
        let parts = if seen.told.is_nothing() && agreement * reached > 0.0 { parts } else { &[] };
        let undone = parts.iter().filter_map(|part| without_copying(seen, part * agreement * reached));
        let undone = undone.collect();
        Uncertainty {
            answers,
            criteria,
            left_out,
            wanted,
            shared: (agreement, reached),
            undone,
            alike: likelihood_alike(answers),
        }
    }

    /// The doubt about everything that numbers are computed from, in the order of [`Answers::tables`]. The honest range of
    /// what was chosen takes in every explanation that the table does not rule out.
    pub fn doubts(&self, chosen: impl Fn(&Origin) -> bool) -> (Vec<Doubts>, Vec<Plausible>) {
        let (readings, explanations) = (&self.answers.readings, &self.answers.explanations);
        let read = readings.chunks(READ_TOGETHER).flat_map(|readings| self.about_readings(readings));
        let mut explained = draw_in_order(explanations.len(), |i| self.about(&explanations[i as usize]));
        let plausible = self.plausible(&explained);
        for (explanation, doubts) in explanations.iter().zip(&mut explained) {
            if explanation.estimator.errors().is_some() && chosen(&explanation.origin) {
                doubts.criteria.iter_mut().for_each(|(criterion, doubt)| {
                    let about: Vec<&Plausible> =
                        plausible.iter().filter(|one| one.criterion == *criterion).collect();
                    widen(doubt, explanation.origin.scope, &about);
                });
            }
        }
        let labelled = self.answers.labels.iter().flat_map(|labels| &labels.readings);
        let labelled = labelled.map(|reading| self.about_labels(reading));
        let evidence = self.answers.evidence.iter().flat_map(|evidence| &evidence.readings);
        let evidence = evidence.map(|reading| self.about_evidence(reading));
        let mut doubts: Vec<Doubts> = read.chain(explained).chain(labelled).chain(evidence).collect();
        self.join_labels(&mut doubts);
        self.join_evidence(&mut doubts);
        let plausible = plausible.into_iter().chain(self.each_source(&doubts)).collect();
        (doubts, plausible)
    }

    fn plausible(&self, explained: &[Doubts]) -> Vec<Plausible> {
        let mut plausible = Vec::new();
        let positive = self.wanted.asked.positive;
        for one in self.answers.plausible(self.wanted.shared_error) {
            let place = self.answers.explanations.iter().position(|other| std::ptr::eq(other, one));
            let doubts = place.map(|place| &explained[place]);
            let Ok(joint) = &one.joint else { continue };
            for criterion in self.criteria {
                let honest = doubts.and_then(|doubts| doubts.about(*criterion)?.honest.clone()?.ok());
                let found = pairs(&*self.left_out.table(joint, *criterion), *criterion, positive);
                plausible.push(Plausible {
                    origin: one.origin.clone(),
                    criterion: *criterion,
                    fits: one.origin.scope == Some(Scope::Local) || !self.answers.strata_clearly_differ(),
                    differences: found.iter().map(|pair| pair.difference).collect(),
                    range: honest,
                });
            }
        }
        plausible
    }

    fn about_labels(&self, reading: &FromLabels) -> Doubts {
        let Ok(joint) = &reading.joint else { return Doubts::default() };
        self.sampling(joint, &reading.draws(self.redraw(self.wanted.asked.draws)))
    }

    /// What each of several sources says alone: where two find opposite directions, there is none.
    fn each_source(&self, doubts: &[Doubts]) -> Vec<Plausible> {
        let Some(evidence) = &self.answers.evidence else { return Vec::new() };
        let first = doubts.len() - evidence.readings.len() + 1;
        let mut each = Vec::new();
        for (place, reading) in evidence.each().iter().enumerate() {
            let Ok(joint) = &reading.joint else { continue };
            for criterion in self.criteria {
                let joint = self.left_out.table(joint, *criterion);
                let found = pairs(&*joint, *criterion, self.wanted.asked.positive);
                each.push(Plausible {
                    origin: reading.origin.clone(),
                    criterion: *criterion,
                    fits: true,
                    differences: found.iter().map(|pair| pair.difference).collect(),
                    range: doubts[first + place].about(*criterion).map(|doubt| Range::of(&doubt.spread)),
                });
            }
        }
        each
    }

    fn about_evidence(&self, reading: &FromEvidence) -> Doubts {
        let (Ok(joint), Some(evidence)) = (&reading.joint, &self.answers.evidence) else {
            return Doubts::default();
        };
        let Asked { draws, seed, .. } = self.wanted.asked;
        self.sampling(joint, &evidence.draws(reading, draws, seed))
    }

    /// The range of what sources say together reaches as far as what each says alone: alone they need not be independent of each
    /// other, and one that does not go with the decision is enough. A lone source has the bracket instead: what its probabilities
    /// show as weights, which is too little, and by regression, which is too much.
    fn join_evidence(&self, doubts: &mut [Doubts]) {
        let Some(evidence) = &self.answers.evidence else { return };
        let places = doubts.len() - evidence.readings.len();
        let others =
            if evidence.is_lone() { 1..evidence.readings.len() } else { 1..evidence.each().len() + 1 };
        for criterion in self.criteria {
            let of =
                |place: usize| doubts[places + place].about(*criterion).map(|doubt| Range::of(&doubt.spread));
            let Some(own) = of(0) else { continue };
            let found: Vec<Option<Range>> = others.clone().map(of).collect();
            let missing = found.iter().position(Option::is_none).filter(|_| !evidence.is_lone());
            let range = match missing {
                Some(place) => Err(format!(
                    "{} alone gives no number, so the range cannot cover what it would say",
                    evidence.sources[place]
                )),
                None => {
                    Ok(found.into_iter().flatten().fold(own, |range, other| range.and(&other)).open_to_zero())
                }
            };
            let mine = doubts[places].criteria.iter_mut().filter(|(other, _)| other == criterion);
            mine.for_each(|(_, doubt)| doubt.honest = Some(range.clone()));
        }
    }

    /// No test that labels can afford sees every error that goes with the decision, so the range of the audit sample and that of
    /// the regression reach as far as both do: as often as the regression alone it holds the truth, whatever the proxies do. A
    /// model that is refuted adds nothing to the regression's.
    fn join_labels(&self, doubts: &mut [Doubts]) {
        let place = |wanted: Estimator| {
            self.answers.tables().position(|(origin, _)| origin.estimator == Some(wanted))
        };
        let (Some(model), Some(labels)) = (place(Estimator::Audit), place(Estimator::Regression)) else {
            return;
        };
        let refuted = self.answers.labels.as_ref().is_some_and(|labels| labels.refute());
        for criterion in self.criteria {
            let of = |place: usize| doubts[place].about(*criterion).map(|doubt| &doubt.spread);
            let Some(labelled) = of(labels).cloned() else { continue };
            let own = Range::of(&labelled);
            let both = of(model).map_or(own.clone(), |model| own.clone().and(&Range::of(model)));
            let alone = if refuted { own } else { both.clone() };
            for (place, range) in [(model, both), (labels, alone)] {
                let mine = doubts[place].criteria.iter_mut().filter(|(other, _)| other == criterion);
                mine.for_each(|(_, doubt)| {
                    (doubt.honest, doubt.reached) = (Some(Ok(range.clone())), self.wanted.shared_error);
                });
            }
        }
    }

    /// Tables are drawn once for several readings, which takes longer than to read them.
    fn about_readings(&self, readings: &[Reading]) -> Vec<Doubts> {
        // Pairs grow with the square of the groups, and with them what each draw costs.
        let fewer = if self.answers.seen.groups() > REFITTED_GROUPS { SLOW_FEWER } else { 1 };
        let draws = (self.wanted.asked.draws / fewer).max(100);
        let table = Redraw { rows: self.answers.effective.direct, ..self.redraw(draws) };
        let told = || readings.iter().filter(|reading| reading.joint.is_ok());
        let mut drawn: Vec<Vec<Option<Joint<Guess>>>> = told().map(|_| Vec::with_capacity(draws)).collect();
        for tables in redrawn(table, |seen| told().map(|one| one.again(seen, table.view)).collect::<Vec<_>>())
        {
            drawn.iter_mut().zip(tables).for_each(|(drawn, joint)| drawn.push(Some(joint)));
        }
        let mut drawn = drawn.into_iter();
        let given = |reading: &Reading| {
            let evidence = self.answers.evidence.as_ref().filter(|_| reading.is_by_scores())?;
            evidence.shared_out(draws, self.wanted.asked.seed)
        };
        let doubts = |reading: &Reading| match &reading.joint {
            Ok(joint) => {
                let drawn = drawn.next().map(|drawn| given(reading).unwrap_or(drawn));
                drawn.map_or_else(Doubts::default, |drawn| self.sampling(joint, &drawn))
            }
            Err(_) => Doubts::default(),
        };
        readings.iter().map(doubts).collect()
    }

    fn about(&self, explanation: &Explanation) -> Doubts {
        let Some(explained) = explanation.explained() else { return Doubts::default() };
        let (estimator, joint) = (explanation.estimator.as_ref(), &explained.joint);
        if !estimator.trusts_agreement() {
            return self.sampling(joint, &estimator.draws(self.redraw(self.wanted.asked.draws)));
        }
        let randomized = !self.answers.seen.told.is_nothing();
        if let Some(independent) = explanation.independent.as_ref().filter(|_| !randomized) {
            return self.by_independence(independent, joint);
        }
        if let (Some(place), Some(model)) = (estimator.in_likelihood(), &self.alike) {
            return self.by_likelihood(model, joint, place);
        }
        if self.answers.seen.groups() > REFITTED_GROUPS {
            return Doubts::default();
        }
        self.by_refitting(joint, &|seen| estimator.again(seen, self.answers.view, &explained))
    }

    fn redraw(&self, draws: usize) -> Redraw<'a> {
        let (answers, seed) = (self.answers, self.wanted.asked.seed);
        Redraw { seen: &answers.seen, view: answers.view, rows: answers.rows, draws, seed }
    }

    fn each(&self, doubt: impl Fn(Criterion) -> Option<Doubt>) -> Vec<(Criterion, Doubt)> {
        self.criteria.iter().filter_map(|criterion| Some((*criterion, doubt(*criterion)?))).collect()
    }

    /// Intervals from draws, where shared mistakes are no question or not ours to ask.
    fn sampling<A: Axis>(&self, joint: &Joint<A>, drawn: &[Option<Joint<A>>]) -> Doubts {
        let doubt = |criterion| {
            let joint = self.left_out.table(joint, criterion);
            let spread = from_draws(&*joint, criterion, drawn, self.wanted.asked)?;
            Some(Doubt { spread, honest: None, reached: 0.0, by_stratum: false })
        };
        let rates = Some(rate_ends(joint, drawn, self.wanted.asked));
        Doubts { criteria: self.each(doubt), rates }
    }

    /// Intervals from the likelihood that an explanation stands on.
    fn by_independence(&self, independent: &Independent, joint: &Joint<Group>) -> Doubts {
        let (answers, view) = (self.answers, self.answers.view);
        let (classes, rows) = (joint.classes(), answers.rows);
        let fewer = self.fewer();
        let drawn = |independent: &Independent, asked: Asked| independent.draws(view, classes, asked, rows);
        let own = if independent.together().is_none() { drawn(independent, self.wanted.asked) } else { None };
        let rates = if own.is_some() { own.clone() } else { drawn(independent, fewer) };
        let rates = rates.map(|drawn| rate_ends(joint, &drawn, fewer));
        // Each step starts where the last one ended.
        let mut steps: Vec<(Independent, Vec<Option<Joint<Group>>>)> = Vec::new();
        for undone in &self.undone {
            let near = steps.last().map_or(independent, |(last, _)| last);
            let Some(next) = near.again(undone, rows) else { break };
            let Some(tables) = drawn(&next, fewer) else { break };
            steps.push((next, tables));
        }
        let reached = self.shared.1
            * if self.undone.is_empty() { 1.0 } else { steps.len() as f64 / self.undone.len() as f64 };
        let doubt = |criterion| {
            let joint = &*self.left_out.table(joint, criterion);
            let spread = match (independent.together(), &own) {
                (Some(model), _) => model.spread(joint, criterion, self.wanted.asked, false)?,
                (None, Some(own)) => from_draws(joint, criterion, own, self.wanted.asked)?,
                (None, None) => return None,
            };
            let further = steps.iter().filter_map(|(step, tables)| {
                from_draws(&step.joint(view, classes).comparing(joint), criterion, tables, fewer)
            });
            let honest = further.fold(Range::of(&spread), |range, spread| range.and(&Range::of(&spread)));
            Some(Doubt { spread, honest: Some(Ok(honest)), reached, by_stratum: false })
        };
        Doubts { criteria: self.each(doubt), rates }
    }

    /// Intervals around an estimate by moments, from the likelihood of the same assumptions.
    fn by_likelihood(&self, model: &Model, joint: &Joint<Group>, place: Place) -> Doubts {
        let (agreement, reached) = self.shared;
        let rows = self.answers.rows;
        let mut copied: Vec<(Model, Joint<Group>)> = Vec::new();
        for undone in &self.undone {
            let near = copied.last().map_or(model, |(last, _)| last);
            let Some(next) = near.again(undone, rows, Errors::Alike) else { break };
            let beside = if place == Place::Beside { self.by_moments(undone) } else { None };
            let joint = beside.unwrap_or_else(|| next.joint(joint.view(), joint.classes()));
            copied.push((next, joint));
        }
        let refit = |seen: &Frequencies| self.by_moments(seen);
        let randomized = !self.answers.seen.told.is_nothing();
        let redrawn = if randomized { self.copied_draws(agreement * reached, 1, &refit) } else { Vec::new() };
        let fewer = self.fewer();
        let doubt = |criterion| {
            let compared = |joint| self.left_out.table(joint, criterion);
            let spread = model.spread(&compared(joint), criterion, self.wanted.asked, false)?;
            let further = copied
                .iter()
                .filter_map(|(model, joint)| model.drawn_spread(&compared(joint), criterion, fewer, true));
            let redrawn = redrawn.iter().filter_map(|(joint, draws)| {
                from_draws(&*compared(joint.as_ref()?), criterion, draws, self.wanted.asked)
            });
            let all = further.chain(redrawn);
            let honest = all.fold(Range::of(&spread), |range, spread| range.and(&Range::of(&spread)));
            Some(Doubt { spread, honest: Some(Ok(honest)), reached, by_stratum: false })
        };
        let drawn = model.joint_draws(joint.view(), joint.classes(), fewer);
        let rates = drawn.map(|drawn| rate_ends(joint, &drawn, fewer));
        Doubts { criteria: self.each(doubt), rates }
    }

    fn fewer(&self) -> Asked {
        Asked { draws: self.wanted.asked.draws / 4, ..self.wanted.asked }
    }

    fn by_refitting(&self, joint: &Joint<Group>, refit: &Refit) -> Doubts {
        let (agreement, reached) = self.shared;
        let most = agreement * reached;
        let fewer = if self.answers.seen.groups() > QUICK_GROUPS { SLOW_FEWER } else { 1 };
        let plain = self.drawn(0.0, fewer, refit);
        let copied = self.copied_draws(most, fewer, refit);
        let doubt = |criterion| {
            let compared = |joint| self.left_out.table(joint, criterion);
            let spread = from_draws(&*compared(joint), criterion, &plain, self.wanted.asked)?;
            let further = copied.iter().map(|(joint, draws)| {
                let joint = compared(joint.as_ref().ok_or(1.0)?);
                from_draws(&*joint, criterion, draws, self.wanted.asked).ok_or(1.0)
            });
            let honest = self.of_refits(&spread, further);
            Some(Doubt { spread, honest: Some(honest), reached, by_stratum: false })
        };
        let rates = Some(rate_ends(joint, &plain, self.wanted.asked));
        Doubts { criteria: self.each(doubt), rates }
    }

    fn drawn(&self, copying: f64, fewer: usize, refit: &Refit) -> Vec<Option<Joint<Group>>> {
        resampled(self.redraw((self.wanted.asked.draws / fewer).max(50)), copying, refit)
    }

    /// Refits with half and with all of the most copying undone: on the table, and on draws of it.
    fn copied_draws(&self, most: f64, fewer: usize, refit: &Refit) -> Vec<Redrawn> {
        let with = |part: f64| {
            let undone = without_copying(&self.answers.seen, part * most);
            (undone.and_then(|undone| refit(&undone)), self.drawn(part * most, 4 * fewer, refit))
        };
        [0.5, 1.0].map(with).into()
    }

    /// The range of refits, unless too many of them have no solution: kept at their widest they would say nothing.
    fn of_refits(
        &self,
        spread: &Spread,
        further: impl Iterator<Item = Result<Spread, f64>>,
    ) -> Result<Range, String> {
        let tail = (1.0 - self.wanted.asked.confidence) / 2.0;
        let mut range = Range::of(spread);
        for found in further {
            let missing = found.as_ref().map_or_else(|missing| *missing, |spread| spread.without_estimate);
            match found {
                Ok(spread) if missing <= tail => range = range.and(&Range::of(&spread)),
                _ => {
                    return Err(format!(
                        "with shared error removed, {:.0} % of the redrawn tables have no solution by this method",
                        100.0 * missing
                    ));
                }
            }
        }
        Ok(range)
    }

    /// The table by moments, one matrix for all strata.
    fn by_moments(&self, seen: &Frequencies) -> Option<Joint<Group>> {
        let explained = Hoc { scope: Scope::Global }.explain(seen, self.answers.view);
        explained.ok().map(|explained| explained.joint)
    }
}

/// The largest share of shared error, up to that asked for, that can be undone: past it a cell of the table would hold
/// less than no one.
pub(crate) fn reachable(seen: &Frequencies, agreement: f64, asked: f64) -> f64 {
    let possible = |r: f64| without_copying(seen, r * agreement).is_some();
    let (mut low, mut high) = (0.0, asked);
    if possible(high) {
        return high;
    }
    for _ in 0..20 {
        let middle = (low + high) / 2.0;
        if possible(middle) { low = middle } else { high = middle }
    }
    low
}

/// The likelihood of proxies that err alike: as an explanation has it, else made for what is explained by moments. `None`
/// where one abstains; such tables are drawn anew.
fn likelihood_alike(answers: &Answers) -> Option<Cow<'_, Model>> {
    let speak = |guesses: &[Option<_>]| guesses.iter().all(Option::is_some);
    if answers.seen.groups() > MOST_GROUPS
        || !answers.seen.cells().iter().all(|(cell, _)| speak(&cell.guesses))
    {
        return None;
    }
    let alike = answers.explanations.iter().filter(|one| one.estimator.errors() == Some(Errors::Alike));
    let mut models = alike.filter_map(|one| one.independent.as_ref()?.together());
    match models.next().filter(|_| answers.seen.proxies() >= Hoc::PROXIES) {
        Some(model) => Some(Cow::Borrowed(model)),
        None => Model::of(&answers.seen, answers.view, answers.rows).map(Cow::Owned),
    }
}

/// Widens the honest range to hold those of all plausible explanations.
fn widen(doubt: &mut Doubt, scope: Option<Scope>, plausible: &[&Plausible]) {
    let Some(Ok(honest)) = &mut doubt.honest else { return };
    for (one, range) in plausible.iter().filter_map(|one| Some((one, one.range.as_ref()?))) {
        *honest = honest.clone().and(range);
        doubt.by_stratum |= one.origin.scope != scope;
    }
    honest.values.iter_mut().flatten().for_each(|ends| *ends = ends.within(Interval::UNIT));
}
