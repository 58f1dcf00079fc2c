//! Which interval belongs to which number of an audit.

use super::bootstrap::{Redraw, resampled};
use super::copying::{agreement, without_copying};
use super::interval::Interval;
use super::intervals::{Asked, Model, Spread, from_draws, rate_ends};
use crate::answers::{Answers, Explanation, Reading};
use crate::counts::Frequencies;
use crate::estimate::{Hoc, NoiseEstimator, Place};
use crate::rates::Joint;
use crate::vocabulary::{Axis, Criterion, Group, Scope};

/// What chance and shared mistakes do to one criterion on one basis.
#[derive(Debug, Clone)]
pub(crate) struct Doubt {
    pub spread: Spread,
    /// For each aggregate, the union of intervals over shared error from none to that asked for.
    pub honest: Option<[Option<Interval>; 3]>,
    /// The share of shared error up to which `honest` reaches: less than asked for where the table allows no more.
    pub reached: f64,
}

/// The doubt about each criterion, and about the usual rates of each group; nothing where nothing can be drawn.
#[derive(Debug, Clone, Default)]
pub(crate) struct Doubts {
    pub criteria: Vec<(Criterion, Doubt)>,
    pub rates: Option<Vec<[Option<Interval>; 8]>>,
}

impl Doubts {
    /// The doubt about one criterion.
    pub fn about(&self, criterion: Criterion) -> Option<&Doubt> {
        self.criteria.iter().find(|(other, _)| *other == criterion).map(|(_, doubt)| doubt)
    }
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
/// Shared error is tried at none and at these parts of what is asked for.
const PARTS: [f64; 4] = [0.25, 0.5, 0.75, 1.0];

/// What explains a table, and draws of it.
type Redrawn = (Option<Joint<Group>>, Vec<Option<Joint<Group>>>);
/// From a table to what explains it.
type Refit<'r> = dyn Fn(&Frequencies) -> Option<Joint<Group>> + Sync + 'r;

/// Intervals for one view; draws are shared between criteria.
pub(crate) struct Uncertainty<'a> {
    answers: &'a Answers,
    /// Those that are asked for.
    criteria: &'a [Criterion],
    wanted: Wanted,
    agreement: Option<f64>,
    model: Option<Model>,
}

impl<'a> Uncertainty<'a> {
    pub fn of(answers: &'a Answers, criteria: &'a [Criterion], wanted: Wanted) -> Self {
        let model = Model::of(&answers.seen, answers.view, answers.rows);
        Uncertainty { agreement: agreement(&answers.seen), answers, criteria, wanted, model }
    }

    /// The doubt about everything that numbers are computed from, in the order of [`Answers::tables`].
    pub fn doubts(&self) -> Vec<Doubts> {
        let read = self.answers.readings.iter().map(|reading| self.about_reading(reading));
        let explained = self.answers.explanations.iter().map(|explanation| self.about(explanation));
        read.chain(explained).collect()
    }

    fn about_reading(&self, reading: &Reading) -> Doubts {
        let Ok(joint) = &reading.joint else { return Doubts::default() };
        // Pairs grow with the square of the groups, and with them what each draw costs.
        let fewer = if joint.members() > REFITTED_GROUPS { SLOW_FEWER } else { 1 };
        let draws = (self.wanted.asked.draws / fewer).max(100);
        let table = Redraw { rows: self.answers.effective.direct, ..self.redraw(draws) };
        let drawn = resampled(table, 0.0, |seen| Some(reading.again(seen, table.view)));
        self.sampling(joint, &drawn)
    }

    fn about(&self, explanation: &Explanation) -> Doubts {
        let Some(explained) = explanation.explained() else { return Doubts::default() };
        let (estimator, joint) = (explanation.estimator.as_ref(), &explained.joint);
        if !estimator.trusts_agreement() {
            return self.sampling(joint, &estimator.draws(self.redraw(self.wanted.asked.draws)));
        }
        if let (Some(place), Some(model)) = (estimator.in_likelihood(), &self.model) {
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
            let spread = from_draws(joint, criterion, drawn, self.wanted.asked)?;
            Some(Doubt { spread, honest: None, reached: 0.0 })
        };
        let rates = Some(rate_ends(joint, drawn, self.wanted.asked));
        Doubts { criteria: self.each(doubt), rates }
    }

    fn by_likelihood(&self, model: &Model, joint: &Joint<Group>, place: Place) -> Doubts {
        let (agreement, reached) = self.shared();
        let randomized = !self.answers.seen.told.is_nothing();
        // Without copying some cells hold less than no one where guesses were randomised, and there is no likelihood.
        let parts: &[f64] = if randomized { &[] } else { &PARTS };
        let copied: Vec<(Model, Joint<Group>)> =
            parts.iter().filter_map(|part| self.without(part * agreement * reached, place)).collect();
        let refit = |seen: &Frequencies| self.by_moments(seen);
        let redrawn = if randomized { self.copied_draws(agreement * reached, 1, &refit) } else { Vec::new() };
        let doubt = |criterion| {
            let spread = model.spread(joint, criterion, self.wanted.asked, false)?;
            let further = copied.iter().filter_map(|(model, joint)| {
                let asked = Asked { draws: self.wanted.asked.draws / 4, ..self.wanted.asked };
                model.spread(joint, criterion, asked, true)
            });
            let redrawn = redrawn.iter().filter_map(|(joint, draws)| {
                from_draws(joint.as_ref()?, criterion, draws, self.wanted.asked)
            });
            let honest = honest(&spread, &further.chain(redrawn).collect::<Vec<_>>());
            Some(Doubt { spread, honest: Some(honest), reached })
        };
        let fewer = Asked { draws: self.wanted.asked.draws / 4, ..self.wanted.asked };
        let drawn = model.joint_draws(joint.view(), joint.classes(), fewer);
        let rates = drawn.map(|drawn| rate_ends(joint, &drawn, fewer));
        Doubts { criteria: self.each(doubt), rates }
    }

    fn by_refitting(&self, joint: &Joint<Group>, refit: &Refit) -> Doubts {
        let (agreement, reached) = self.shared();
        let most = agreement * reached;
        let fewer = if self.answers.seen.groups() > QUICK_GROUPS { SLOW_FEWER } else { 1 };
        let plain = self.drawn(0.0, fewer, refit);
        let copied = self.copied_draws(most, fewer, refit);
        let doubt = |criterion| {
            let spread = from_draws(joint, criterion, &plain, self.wanted.asked)?;
            let further = copied.iter().filter_map(|(joint, draws)| {
                from_draws(joint.as_ref()?, criterion, draws, self.wanted.asked)
            });
            let honest = honest(&spread, &further.collect::<Vec<_>>());
            Some(Doubt { spread, honest: Some(honest), reached })
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

    /// The proxies' agreement beyond chance, and the share of it that can be undone.
    fn shared(&self) -> (f64, f64) {
        let agreement = self.agreement.unwrap_or(0.0).max(0.0);
        (agreement, self.reachable(agreement))
    }

    /// The largest share of shared error, up to that asked for, that can be undone: past it a cell of the table
    /// would hold less than no one.
    fn reachable(&self, agreement: f64) -> f64 {
        let possible = |r: f64| without_copying(&self.answers.seen, r * agreement).is_some();
        let (mut low, mut high) = (0.0, self.wanted.shared_error);
        if possible(high) {
            return high;
        }
        for _ in 0..20 {
            let middle = (low + high) / 2.0;
            if possible(middle) { low = middle } else { high = middle }
        }
        low
    }

    /// The likelihood without copying of this probability, and the table to centre on: by moments where they have
    /// a solution, else by likelihood.
    fn without(&self, copying: f64, place: Place) -> Option<(Model, Joint<Group>)> {
        let (answers, view) = (self.answers, self.answers.view);
        let undone = without_copying(&answers.seen, copying)?;
        let model = Model::of(&undone, view, answers.rows)?;
        let beside = if place == Place::Beside { self.by_moments(&undone) } else { None };
        let joint = beside.unwrap_or_else(|| model.joint(view, undone.classes()));
        Some((model, joint))
    }

    /// The table by moments, one matrix for all strata.
    fn by_moments(&self, seen: &Frequencies) -> Option<Joint<Group>> {
        let explained = Hoc { scope: Scope::Global }.explain(seen, self.answers.view);
        explained.ok().map(|explained| explained.joint)
    }
}

fn honest(spread: &Spread, further: &[Spread]) -> [Option<Interval>; 3] {
    std::array::from_fn(|i| {
        let own = spread.values[i].map(|(ends, _)| ends)?;
        let others = further.iter().filter_map(|spread| spread.values[i].map(|(ends, _)| ends));
        Some(others.fold(own, Interval::and))
    })
}
