//! Which interval belongs to which number of an audit.

use super::copying::{agreement, without_copying};
use super::interval::Interval;
use super::intervals::{Asked, Model, Spread, from_draws, rate_ends, resampled};
use crate::answers::{Answers, Origin, Table};
use crate::calibrate::calibrate;
use crate::counts::{Frequencies, View};
use crate::estimate::{Errors, Hoc, LatentClass, NoiseEstimator};
use crate::rates::{Joint, base, votes_of};
use crate::vocabulary::{Criterion, Estimator, Group, ProxyId, Scope};

/// What chance and shared mistakes do to one criterion on one basis.
#[derive(Debug, Clone)]
pub(crate) struct Doubt {
    pub spread: Spread,
    /// For each aggregate, the union of intervals over shared error from none to that asked for.
    pub honest: Option<[Option<Interval>; 3]>,
    /// The share of shared error up to which `honest` reaches: less than asked for where the table allows no more.
    pub reached: f64,
}

/// The doubt about each criterion, and about the usual rates of each group.
#[derive(Debug, Clone, Default)]
pub(crate) struct Doubts {
    pub criteria: Vec<Option<Doubt>>,
    pub rates: Option<Vec<[Option<Interval>; 8]>>,
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
/// A refit of an audit sample takes a millisecond too.
const AUDIT_FEWER: usize = 4;
/// Shared error is tried at none and at these parts of what is asked for.
const PARTS: [f64; 4] = [0.25, 0.5, 0.75, 1.0];

/// What explains a table, and draws of it.
type Redrawn = (Option<Joint<Group>>, Vec<Option<Joint<Group>>>);
/// From a table to what explains it.
type Refit<'r> = dyn Fn(&Frequencies) -> Option<Joint<Group>> + Sync + 'r;

/// Intervals for one view; draws are shared between criteria.
pub(crate) struct Uncertainty<'a> {
    answers: &'a Answers,
    wanted: Wanted,
    agreement: Option<f64>,
    model: Option<Model>,
}

impl<'a> Uncertainty<'a> {
    pub fn of(answers: &'a Answers, wanted: Wanted) -> Self {
        let model = Model::of(&answers.seen, answers.view, answers.rows);
        Uncertainty { agreement: agreement(&answers.seen), answers, wanted, model }
    }

    /// The doubt about each criterion on one basis; `None` where there is no number or no way to draw it.
    pub fn doubts(&self, origin: Origin, criteria: &[Criterion]) -> Doubts {
        match self.answers.table(origin) {
            Some(Ok(Table::Seen(joint))) => self.direct(origin, joint, criteria),
            Some(Ok(Table::Inferred(joint))) => self.calibrated(origin, joint, criteria),
            _ => none(criteria),
        }
    }

    fn direct(
        &self,
        origin: Origin,
        joint: &Joint<crate::vocabulary::Guess>,
        criteria: &[Criterion],
    ) -> Doubts {
        let answers = self.answers;
        let table = |seen: &Frequencies| {
            Some(match (origin.proxy, &answers.scores) {
                (Some(ProxyId(proxy)), _) => base(seen, answers.places[proxy]),
                (None, Some(scores)) => scores.joint(seen, answers.view),
                (None, None) => votes_of(seen, &answers.voters),
            })
        };
        // Pairs grow with the square of the groups, and with them what each draw costs.
        let fewer = if joint.members() > REFITTED_GROUPS { SLOW_FEWER } else { 1 };
        let asked = Asked { draws: (self.wanted.asked.draws / fewer).max(100), ..self.wanted.asked };
        let draws = resampled(&answers.seen, answers.effective.direct, asked, 0.0, table);
        let doubt = |criterion: &Criterion| {
            let spread = from_draws(joint, *criterion, &draws, self.wanted.asked)?;
            Some(Doubt { spread, honest: None, reached: 0.0 })
        };
        let rates = Some(rate_ends(joint, &draws, self.wanted.asked));
        Doubts { criteria: criteria.iter().map(doubt).collect(), rates }
    }

    fn calibrated(&self, origin: Origin, joint: &Joint<Group>, criteria: &[Criterion]) -> Doubts {
        let (answers, view) = (self.answers, self.answers.view);
        let (scope, estimator) =
            (origin.scope.unwrap_or(Scope::Global), origin.estimator.unwrap_or(Estimator::Hoc));
        if let (Estimator::Audit, Some(audit)) = (estimator, &answers.audit) {
            let draws = self.wanted.asked.draws / AUDIT_FEWER;
            let drawn =
                audit.draws(&answers.seen, view, answers.rows, draws.max(100), self.wanted.asked.seed);
            return self.sampling(joint, &drawn, criteria);
        }
        if let (Estimator::Given, Some(given)) = (estimator, &answers.given) {
            let undone = |seen: &Frequencies| given.explain(seen, view).ok().map(|explained| explained.joint);
            let drawn = resampled(&answers.seen, answers.rows, self.wanted.asked, 0.0, undone);
            return self.sampling(joint, &drawn, criteria);
        }
        if let (Estimator::ConfidentJoint, Some(confident)) = (estimator, &answers.confident) {
            let undone =
                |seen: &Frequencies| confident.explain(seen, view).ok().map(|explained| explained.joint);
            let drawn = resampled(&answers.seen, answers.rows, self.wanted.asked, 0.0, undone);
            return self.sampling(joint, &drawn, criteria);
        }
        let latent = estimator == Estimator::LatentClass;
        let alike = !latent || answers.latent == Errors::Alike;
        if let (Scope::Global, true, Some(model)) = (scope, alike, &self.model) {
            return self.by_likelihood(model, joint, criteria, latent);
        }
        if answers.seen.groups() > REFITTED_GROUPS {
            return none(criteria);
        }
        if !latent {
            return self.by_refitting(joint, criteria, &|seen| refitted(seen, view, scope));
        }
        let method = LatentClass { scope, errors: answers.latent };
        let Ok(near) = method.explain(&answers.seen, view) else { return none(criteria) };
        self.by_refitting(joint, criteria, &|seen| {
            method.near(seen, view, &near).ok().map(|found| found.joint)
        })
    }

    /// Intervals from draws, where shared mistakes are no question or not ours to ask.
    fn sampling(
        &self,
        joint: &Joint<Group>,
        drawn: &[Option<Joint<Group>>],
        criteria: &[Criterion],
    ) -> Doubts {
        let doubt = |criterion: &Criterion| {
            let spread = from_draws(joint, *criterion, drawn, self.wanted.asked)?;
            Some(Doubt { spread, honest: None, reached: 0.0 })
        };
        let rates = Some(rate_ends(joint, drawn, self.wanted.asked));
        Doubts { criteria: criteria.iter().map(doubt).collect(), rates }
    }

    fn by_likelihood(
        &self,
        model: &Model,
        joint: &Joint<Group>,
        criteria: &[Criterion],
        latent: bool,
    ) -> Doubts {
        let (agreement, reached) = self.shared();
        let randomized = !self.answers.seen.told.is_nothing();
        let copied: Vec<(Model, Joint<Group>)> = match randomized {
            // Without copying some cells hold less than no one, and there is no likelihood.
            true => Vec::new(),
            false => {
                PARTS.iter().filter_map(|part| self.without(part * agreement * reached, latent)).collect()
            }
        };
        let refit = |seen: &Frequencies| refitted(seen, self.answers.view, Scope::Global);
        let redrawn = if randomized { self.copied_draws(agreement * reached, 1, &refit) } else { Vec::new() };
        let doubt = |criterion: &Criterion| {
            let spread = model.spread(joint, *criterion, self.wanted.asked, false)?;
            let further = copied.iter().filter_map(|(model, joint)| {
                let asked = Asked { draws: self.wanted.asked.draws / 4, ..self.wanted.asked };
                model.spread(joint, *criterion, asked, true)
            });
            let redrawn = redrawn.iter().filter_map(|(joint, draws)| {
                from_draws(joint.as_ref()?, *criterion, draws, self.wanted.asked)
            });
            let honest = honest(&spread, &further.chain(redrawn).collect::<Vec<_>>());
            Some(Doubt { spread, honest: Some(honest), reached })
        };
        let fewer = Asked { draws: self.wanted.asked.draws / 4, ..self.wanted.asked };
        let drawn = model.joint_draws(joint.view(), joint.classes(), fewer);
        let rates = drawn.map(|drawn| rate_ends(joint, &drawn, fewer));
        Doubts { criteria: criteria.iter().map(doubt).collect(), rates }
    }

    fn by_refitting(&self, joint: &Joint<Group>, criteria: &[Criterion], refit: &Refit) -> Doubts {
        let (agreement, reached) = self.shared();
        let most = agreement * reached;
        let fewer = if self.answers.seen.groups() > QUICK_GROUPS { SLOW_FEWER } else { 1 };
        let draws = |copying: f64, fewer: usize| self.drawn(copying, fewer, refit);
        let plain = draws(0.0, fewer);
        let copied = self.copied_draws(most, fewer, refit);
        let doubt = |criterion: &Criterion| {
            let spread = from_draws(joint, *criterion, &plain, self.wanted.asked)?;
            let further = copied.iter().filter_map(|(joint, draws)| {
                from_draws(joint.as_ref()?, *criterion, draws, self.wanted.asked)
            });
            let honest = honest(&spread, &further.collect::<Vec<_>>());
            Some(Doubt { spread, honest: Some(honest), reached })
        };
        let rates = Some(rate_ends(joint, &plain, self.wanted.asked));
        Doubts { criteria: criteria.iter().map(doubt).collect(), rates }
    }

    fn drawn(&self, copying: f64, fewer: usize, refit: &Refit) -> Vec<Option<Joint<Group>>> {
        let asked = Asked { draws: (self.wanted.asked.draws / fewer).max(50), ..self.wanted.asked };
        resampled(&self.answers.seen, self.answers.rows, asked, copying, refit)
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
    fn without(&self, copying: f64, latent: bool) -> Option<(Model, Joint<Group>)> {
        let (answers, view) = (self.answers, self.answers.view);
        let undone = without_copying(&answers.seen, copying)?;
        let model = Model::of(&undone, view, answers.rows)?;
        let by_moments = if latent { None } else { refitted(&undone, view, Scope::Global) };
        let joint = by_moments.unwrap_or_else(|| model.joint(view, undone.classes()));
        Some((model, joint))
    }
}

/// Nothing can be drawn.
fn none(criteria: &[Criterion]) -> Doubts {
    Doubts { criteria: vec![None; criteria.len()], rates: None }
}

fn refitted(seen: &Frequencies, view: View, scope: Scope) -> Option<Joint<Group>> {
    Some(calibrate(seen, view, &Hoc { scope }.fit(seen).ok()?))
}

fn honest(spread: &Spread, further: &[Spread]) -> [Option<Interval>; 3] {
    std::array::from_fn(|i| {
        let own = spread.values[i].map(|(ends, _)| ends)?;
        let others = further.iter().filter_map(|spread| spread.values[i].map(|(ends, _)| ends));
        Some(others.fold(own, Interval::and))
    })
}
