//! What is known about the rows of one view: what the proxies say, and every explanation of it.

use crate::counts::{Cell, Counts, Frequencies, View};
use crate::diagnose::SIGNIFICANT;
use crate::estimate::{Errors, Explained, Hoc, LatentClass, NoiseEstimator, Offer, Offered, Place};
use crate::evidence::EvidenceAnswers;
use crate::labels::{LabelAnswers, Unusable};
use crate::noise::{NoiseError, NoiseModel, ProxyNoise};
use crate::rates::{Joint, ScoreMeans, Shares, base, votes_of};
use crate::record::{ErrorModel, Origin};
use crate::settings::{EstimatorChoice, Settings};
use crate::uncertainty::Redraw;
use crate::uncertainty::checks::{Score, WEAK, informativeness};
use crate::uncertainty::design::rows_of;
use crate::uncertainty::effective::{EffectiveRows, effective_rows};
use crate::uncertainty::independent::Independent;
use crate::uncertainty::likelihood::Fitness;
use crate::uncertainty::{agreement, agreement_between, pair_agreements};
use crate::vocabulary::{Basis, Estimator, Group, Guess, Legend, ProxyId, Scope, Stratum};
use std::sync::Arc;

/// What proxies say by themselves.
pub(crate) struct Reading {
    pub origin: Origin,
    voices: Voices,
    /// The table, or why it says nothing.
    pub joint: Result<Joint<Guess>, String>,
}

/// Whose guesses are read, and how.
enum Voices {
    One(ProxyId),
    Votes(Vec<ProxyId>),
    Scores(ScoreMeans),
}

impl Reading {
    fn new(origin: Origin, voices: Voices, seen: &Frequencies, view: View) -> Self {
        let joint = Ok(voices.read(seen, view));
        Reading { origin, voices, joint }
    }

    /// Rows are shared out by their probabilities.
    pub fn is_by_scores(&self) -> bool {
        matches!(self.voices, Voices::Scores(_))
    }

    /// The same of other rows.
    pub fn again(&self, seen: &Frequencies, view: View) -> Joint<Guess> {
        self.voices.read(seen, view)
    }
}

impl Voices {
    fn read(&self, seen: &Frequencies, view: View) -> Joint<Guess> {
        match self {
            Voices::One(proxy) => base(seen, *proxy),
            Voices::Votes(voters) => votes_of(seen, voters),
            Voices::Scores(scores) => scores.joint(seen, view),
        }
    }
}

/// What one estimator makes of the rows.
pub(crate) struct Explanation {
    pub origin: Origin,
    pub estimator: Arc<dyn NoiseEstimator>,
    /// How the proxies err.
    pub noise: Result<NoiseModel, NoiseError>,
    /// What must be true to explain what they say, or why that cannot be told.
    pub joint: Result<Joint<Group>, String>,
    /// The maximum of the likelihood that it stands on, where it does.
    pub independent: Option<Independent>,
}

impl Explanation {
    fn new(
        legend: &Legend,
        estimator: Arc<dyn NoiseEstimator>,
        found: Result<Explained, NoiseError>,
    ) -> Self {
        let (estimator_kind, scope) = (Some(estimator.kind()), Some(estimator.scope()));
        let assumption = match estimator.errors() {
            Some(Errors::Alike) => Some(ErrorModel::Alike),
            Some(Errors::Own) => Some(ErrorModel::Own),
            Some(Errors::BySource) => Some(ErrorModel::BySource),
            Some(Errors::Free) | None => None,
        };
        let basis = estimator.basis();
        let origin = Origin { basis, estimator: estimator_kind, scope, proxy: None, assumption };
        let (noise, joint) = match found {
            Ok(explained) => (Ok(explained.noise), Ok(explained.joint)),
            Err(reason) => (Err(reason.clone()), Err(reason.describe(legend))),
        };
        Explanation { origin, estimator, noise, joint, independent: None }
    }

    /// The same with the likelihood it stands on.
    fn with_likelihood(mut self, seen: &Frequencies, rows: f64) -> Self {
        let model = self.estimator.errors().map(|errors| (errors, self.estimator.scope()));
        let found = self.explained().zip(model);
        self.independent = found.and_then(|(found, model)| Independent::near(seen, rows, model, &found));
        self
    }

    /// Noise and table, where there are both.
    pub fn explained(&self) -> Option<Explained> {
        Some(Explained { noise: self.noise.as_ref().ok()?.clone(), joint: self.joint.as_ref().ok()?.clone() })
    }

    /// How the proxies err, if that is one matrix for all rows.
    pub fn one_matrix(&self) -> Option<&ProxyNoise> {
        match &self.noise {
            Ok(NoiseModel::Global(fit)) => Some(&fit.value),
            _ => None,
        }
    }
}

/// A joint table, split by what was guessed or by what is inferred.
#[derive(Clone, Copy)]
pub(crate) enum Table<'a> {
    Seen(&'a Joint<Guess>),
    Inferred(&'a Joint<Group>),
}

/// All that is known about the rows of one view.
pub(crate) struct Answers {
    pub view: View,
    pub seen: Frequencies,
    /// The effective number of rows.
    pub rows: f64,
    /// The same for what proxies say by themselves, and what makes them differ.
    pub effective: EffectiveRows,
    /// What the proxies say.
    pub readings: Vec<Reading>,
    /// What must be true to explain it, by every estimator.
    pub explanations: Vec<Explanation>,
    /// What rows with a known group say without a model of errors.
    pub labels: Option<LabelAnswers>,
    /// What evidence says of the groups, where there is any.
    pub evidence: Option<EvidenceAnswers>,
    /// Where each of the user's proxies stands.
    pub places: Vec<ProxyId>,
    /// The table without proxies whose guesses were lent, where there are such.
    own: Option<Frequencies>,
    /// How far strata err in ways of their own, by the error model that is preferred for all of them.
    pub own_noise: Option<Fitness>,
    /// How clearly guesses shift with the decision, by the same error model.
    pub shift: Option<Fitness>,
    /// How far the table is from proxies that err independently, each in its own way, alike in all strata.
    pub fit: Option<Fitness>,
    /// How far it is from proxies that err independently in ways of every stratum's own; nothing where such proxies give any
    /// table.
    fit_by_stratum: Option<Fitness>,
}

impl Answers {
    /// About every view that the table has rows of. `places` says where each of the user's proxies stands.
    pub fn of_views(counts: &Counts, places: &[ProxyId], settings: &Settings) -> Vec<Self> {
        // One global matrix from all rows; local ones from the strata of each view.
        let by_moments = Hoc::of_all_rows(counts);
        let of_view = |view| Answers::of(view, counts, places, &by_moments, settings);
        [View::Predictions, View::Labelled].into_iter().filter_map(of_view).collect()
    }

    fn of(
        view: View,
        counts: &Counts,
        places: &[ProxyId],
        by_moments: &Result<NoiseModel, NoiseError>,
        settings: &Settings,
    ) -> Option<Self> {
        let seen = counts.frequencies().view(view)?;
        let legend = counts.legend();
        // What neighbours lent is for learning how the proxy errs: by itself it says nothing that the proxy does not.
        // Where guesses were mixed with lent ones at random, there is nothing else to show.
        let mixed = legend.proxies.iter().all(|proxy| proxy.lent_by.is_some());
        let own = |place: &ProxyId| mixed || legend.proxies[place.0].lent_by.is_none();
        let voters: Vec<ProxyId> = legend.all_proxies().filter(own).collect();
        let direct = |basis, proxy| Origin { basis, estimator: None, scope: None, proxy, assumption: None };
        let by_itself = |place: &ProxyId| {
            let origin = direct(Basis::Proxy, Some(legend.proxies[place.0].name.clone()));
            Reading::new(origin, Voices::One(*place), &seen, view)
        };
        let mut readings: Vec<Reading> = places.iter().filter(|place| own(place)).map(by_itself).collect();
        let scores = ScoreMeans::of(counts, view);
        let together = scores.map_or_else(|| Voices::Votes(voters.clone()), Voices::Scores);
        readings.push(Reading::new(direct(Basis::Soft, None), together, &seen, view));

        let effective = effective_rows(counts, view, &seen, rows_of(counts, view, by_moments.as_ref().ok()));
        let rows = effective.calibrated;
        let offered = Offered { counts, settings, view, seen: &seen, rows, by_moments };
        let explain = |(estimator, explained): Offer| {
            Explanation::new(legend, estimator, explained).with_likelihood(&seen, rows)
        };
        let mut explanations: Vec<Explanation> = offered.explanations().map(explain).collect();
        let independent = |errors: Option<Errors>| {
            let mut found = explanations
                .iter()
                .filter_map(|one| Some((one.estimator.errors()?, one.independent.as_ref()?)));
            found.find(|(other, _)| errors.is_none_or(|errors| errors == *other))
        };
        let preferred = independent(None);
        let own_noise = preferred.and_then(|(_, independent)| independent.own_noise(&seen, rows));
        let views = match preferred {
            Some((Errors::BySource, _)) => Errors::BySource,
            _ => Errors::Own,
        };
        let fit = independent(Some(views)).and_then(|(_, independent)| independent.together()?.fit());
        let preferred_fit = preferred.and_then(|(_, independent)| independent.together()?.fit());
        let fit_by_stratum = preferred_fit.zip(own_noise).and_then(|(all, strata)| all.beyond(strata));
        let shift = preferred.and_then(|(_, found)| found.together()?.shift(legend.positive));
        let shifts = shift.is_some_and(Fitness::is_clear_shift);
        let apart = (shifts
            || [own_noise, fit].into_iter().flatten().any(|test| test.p_value() < SIGNIFICANT))
            && weakest_stratum(&seen, rows).is_some_and(|z| z >= WEAK);
        let offered = settings.estimator == EstimatorChoice::Fixed(Estimator::LatentClass);
        let wanted = !offered && (apart || settings.scope.fixed() == Some(Scope::Local));
        let local = preferred.map(|(errors, _)| errors).filter(|_| wanted && own_noise.is_some());
        if let Some(errors) = local {
            let estimator = LatentClass { scope: Scope::Local, errors };
            let explained = estimator.explain(&seen, view);
            let after =
                explanations.iter().rposition(|one| one.estimator.errors().is_some()).map_or(0, |at| at + 1);
            explanations.insert(after, explain((Arc::new(estimator), explained)));
        }
        let redraw = Redraw { seen: &seen, view, rows, draws: 0, seed: settings.seed };
        let mut labels = LabelAnswers::of(counts, redraw);
        let mut evidence = EvidenceAnswers::of(counts, view, rows);
        // Labels that are no random part of the table say nothing, unless someone insists.
        let insisted = settings.estimator == EstimatorChoice::Fixed(Estimator::Audit);
        if let Some(reason @ Unusable::NotRandom { .. }) =
            labels.as_ref().and_then(|labels| labels.unusable.as_ref())
            && !insisted
        {
            let audits = explanations.iter_mut().filter(|one| one.origin.estimator == Some(Estimator::Audit));
            audits.for_each(|audit| audit.joint = Err(reason.describe(legend)));
        }
        if let Some(reason) = selected_labels(legend, &seen, view) {
            labels.iter_mut().for_each(|labels| labels.refuse(&reason));
            let inferred = evidence.iter_mut().flat_map(|evidence| &mut evidence.readings);
            inferred.for_each(|reading| reading.joint = Err(reason.clone()));
            readings.iter_mut().for_each(|reading| reading.joint = Err(reason.clone()));
            explanations.iter_mut().for_each(|explanation| explanation.joint = Err(reason.clone()));
        }
        let own = (voters.len() < legend.proxies.len()).then(|| {
            let guesses = |cell: &Cell| voters.iter().map(|proxy| cell.guesses[proxy.0]).collect();
            let alone =
                |(cell, share): &(Cell, f64)| (Cell { guesses: guesses(cell), ..cell.clone() }, *share);
            seen.of_proxies(seen.cells().iter().map(alone).collect(), &voters)
        });
        let places = places.to_vec();
        Some(Answers {
            view,
            seen,
            rows,
            effective,
            readings,
            explanations,
            labels,
            evidence,
            places,
            own,
            own_noise,
            shift,
            fit,
            fit_by_stratum,
        })
    }

    /// What the proxies say without guesses that neighbours lent, and how many rows that is worth. Lent guesses may go with
    /// the decision where near people are decided alike.
    pub fn own(&self) -> (&Frequencies, f64) {
        match &self.own {
            Some(own) => (own, self.effective.direct),
            None => (&self.seen, self.rows),
        }
    }

    /// What a row's guesses say for each group, as far as the proxies' errors are known: where they are not, or guesses were
    /// lent, votes.
    pub fn score(&self) -> Score<'_> {
        let preferred = self.by_scope(Estimator::LatentClass, Scope::Global).filter(|_| self.own.is_none());
        preferred.and_then(Explanation::one_matrix).map_or(Score::Votes, Score::Posterior)
    }

    /// Everything that a number can be computed from, in the order of reports: the table, or why there is none.
    pub fn tables(&self) -> impl Iterator<Item = (&Origin, Result<Table<'_>, &String>)> {
        let read = self.readings.iter().map(|one| (&one.origin, one.joint.as_ref().map(Table::Seen)));
        let explained = self.explanations.iter();
        let labelled = self.labels.iter().flat_map(|labels| &labels.readings);
        let evidence = self.evidence.iter().flat_map(|evidence| &evidence.readings);
        read.chain(explained.map(|one| (&one.origin, one.joint.as_ref().map(Table::Inferred))))
            .chain(labelled.map(|one| (&one.origin, one.joint.as_ref().map(Table::Inferred))))
            .chain(evidence.map(|one| (&one.origin, one.joint.as_ref().map(Table::Inferred))))
    }

    /// What an estimator makes of the rows, in every scope on offer.
    pub fn by(&self, estimator: Estimator) -> impl Iterator<Item = &Explanation> {
        self.explanations.iter().filter(move |explanation| explanation.origin.estimator == Some(estimator))
    }

    /// What an estimator makes of them in one scope.
    pub fn by_scope(&self, estimator: Estimator, scope: Scope) -> Option<&Explanation> {
        self.by(estimator).find(|explanation| explanation.origin.scope == Some(scope))
    }

    /// The scope in which an estimator that knows more than agreement has a number to offer.
    pub fn number_by(&self, estimator: Estimator) -> Option<Scope> {
        self.by(estimator).find(|explanation| explanation.joint.is_ok())?.origin.scope
    }

    /// The explanations that the table does not rule out: one matrix for all proxies, by moments and by likelihood, and
    /// one for each, and a set for each stratum where these clearly err in ways of their own or nothing else fits. Moments
    /// and likelihood of one matrix part ways where it does not hold. Where proxies declare one source, that they err
    /// independently is ruled out by who declared it: what is left are sources that do.
    pub fn plausible(&self, shared_error: f64) -> impl Iterator<Item = &Explanation> {
        // Where nothing that errs independently fits, skill is no explanation either.
        let fits = self.fit.is_none_or(|fit| fit.p_value() >= SIGNIFICANT);
        let ruled_out = fits && self.skill_differs(shared_error);
        let by_source = self.uses_sources();
        let asserts = move |estimator: &dyn NoiseEstimator| match estimator.errors() {
            errors if by_source => errors == Some(Errors::BySource),
            Some(errors) => !(ruled_out && errors == Errors::Alike),
            None => !ruled_out && estimator.in_likelihood() == Some(Place::Beside),
        };
        // Shares below nothing are those of no population.
        let can_be = |joint: &Joint<Group>| {
            let mut shares =
                joint.strata().flat_map(|(_, shares)| shares.map(Shares::as_slice).unwrap_or_default());
            shares.all(|share| *share > -1e-9)
        };
        let fits =
            move |one: &&Explanation| asserts(one.estimator.as_ref()) && one.joint.as_ref().is_ok_and(can_be);
        self.explanations.iter().filter(fits)
    }

    /// Proxies of one source are one view in what explains the table.
    pub fn uses_sources(&self) -> bool {
        self.explanations
            .iter()
            .any(|one| one.estimator.errors() == Some(Errors::BySource) && one.joint.is_ok())
    }

    /// The agreement of which a part may be shared error. Proxies of one source may share what they like where they are one
    /// view: what is in doubt is then the agreement of sources.
    pub fn agreement_in_doubt(&self) -> f64 {
        let found = if self.uses_sources() { agreement_between(&self.seen) } else { agreement(&self.seen) };
        found.unwrap_or(0.0).max(0.0)
    }

    /// Why proxies that declare one source are taken for independent nevertheless; nothing where they are not, or none do.
    pub fn sources_left(&self) -> Option<String> {
        if !self.seen.sources.are_shared() || self.uses_sources() {
            return None;
        }
        let by_source = self.explanations.iter().find(|one| one.estimator.errors() == Some(Errors::BySource));
        Some(match by_source.map(|one| &one.noise) {
            _ if self.seen.sources.views() == 1 => "all proxies come from one source".into(),
            Some(Err(NoiseError::StrataAlike { .. })) => {
                "the proxies come from two sources, whose errors show only where groups are decided differently, and that is \
                 not clear here"
                    .into()
            }
            None => "some proxies come from one source, and their guesses were randomised".into(),
            Some(_) => "some proxies come from one source, and the sources cannot be explained as views that err \
                        independently"
                .into(),
        })
    }

    /// Strata clearly err in ways of their own, whether or not proxies do.
    pub fn strata_clearly_differ(&self) -> bool {
        self.strata_differ_by(CLEARLY)
    }

    fn strata_differ_by(&self, gain: f64) -> bool {
        self.own_noise.is_some_and(|test| test.statistic > gain * test.freedom as f64)
    }

    /// Errors of every stratum's own are the best explanation. Strata that clearly differ do not say so alone, for mistakes that
    /// proxies share look the same and such errors are then further from the truth. They do where what is left fits; where
    /// nothing is left to test, a difference that is mostly a shift with the decision is told from sharing, and an enormous
    /// one is not left to it.
    pub fn strata_err_apart(&self) -> bool {
        let shifts = match (self.shift, self.own_noise) {
            (Some(shift), Some(strata)) => shift.is_clear_shift() && shift.statistic > strata.statistic / 2.0,
            _ => self.strata_clearly_differ(),
        };
        match self.fit_by_stratum {
            Some(fit) => fit.p_value() >= UNFIT && (shifts || self.strata_clearly_differ()),
            None => shifts || self.strata_differ_by(ENORMOUSLY),
        }
    }

    /// No errors that are independent give this table, neither alike in all strata nor of every stratum's own. Then skill that
    /// differs is no explanation, and one table of errors for all proxies is nearer to the truth.
    pub fn nothing_fits(&self) -> bool {
        self.fit_by_stratum.or(self.fit).is_some_and(|fit| fit.p_value() < UNFIT)
    }

    /// No sharing up to the stated share makes proxies of one skill agree like this. A test alone does not rule out one
    /// matrix: unequal skill and mistakes that some proxies share look the same, and one matrix is nearer to the truth under
    /// the second. But proxies of one skill that share nothing agree alike, so that under one matrix whatever the pairs agree
    /// beyond the one that agrees least is shared: `1 − φ_min/φ̄` of their agreement, and more than a share `r` it cannot be.
    fn skill_differs(&self, shared_error: f64) -> bool {
        let mut explanations = self.explanations.iter();
        let preferred = explanations.find_map(|one| one.estimator.errors().filter(|_| one.joint.is_ok()));
        let found = pair_agreements(&self.seen).filter(|found| !found.is_empty());
        let apart = |found: Vec<f64>| {
            let mean = found.iter().sum::<f64>() / found.len() as f64;
            let least = found.into_iter().fold(f64::INFINITY, f64::min);
            (mean * (1.0 - shared_error) - least) * self.rows.sqrt() > BEYOND_CHANCE
        };
        preferred == Some(Errors::Own) && found.is_some_and(apart)
    }
}

/// Strata err in ways of their own where the likelihood gains this much for each further parameter.
const CLEARLY: f64 = 6.0;
/// The same where nothing tells it from mistakes that proxies share.
const ENORMOUSLY: f64 = 20.0;
impl Fitness {
    /// Guesses shift with the decision, if this is the score test of it.
    fn is_clear_shift(self) -> bool {
        self.p_value() < CLEAR_SHIFT
    }
}

/// A shift is clear where a table without one looks like this once in ten thousand: another number then stands on top, and
/// where it stands by chance it is far off.
const CLEAR_SHIFT: f64 = 1e-4;
/// What fits no better than this does not fit: rarer than other tests ask for, because another number then stands on top.
const UNFIT: f64 = 0.001;
/// An agreement is known to about one over the root of the rows; sharing beyond what is stated must show by this much of
/// it. More keeps one matrix in the range of clearly unequal proxies until nothing can be said of them; at the very edge of
/// what may be shared, less would drop it too often.
const BEYOND_CHANCE: f64 = 0.5;

/// How far the weakest stratum stands out from chance.
fn weakest_stratum(seen: &Frequencies, rows: f64) -> Option<f64> {
    let of_stratum = |cells: &[(Cell, f64)]| {
        let share: f64 = cells.iter().map(|(_, share)| share).sum();
        informativeness(seen.groups(), cells, rows * share).unwrap_or(0.0)
    };
    seen.strata().map(|(_, cells)| of_stratum(cells)).min_by(f64::total_cmp)
}

/// Labels that exist only where one decision was taken say nothing about how people with the same label are
/// treated: every rate would be 1.
fn selected_labels(legend: &Legend, seen: &Frequencies, view: View) -> Option<String> {
    let mut decisions = seen.strata().map(|(stratum, _)| stratum.prediction);
    let first = decisions.next()?;
    (view == View::Labelled && decisions.all(|decision| decision == first)).then(|| {
        format!(
            "every row with a label has {}; labels are needed on rows with other decisions too",
            legend.stratum(Stratum { label: None, prediction: first })
        )
    })
}
