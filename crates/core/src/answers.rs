//! What is known about the rows of one view: what the proxies say, and every explanation of it.

use crate::counts::{Cell, Counts, Frequencies, View};
use crate::estimate::{Explained, Hoc, NoiseEstimator, Offered};
use crate::noise::{NoiseError, NoiseModel, ProxyNoise};
use crate::rates::{Joint, ScoreMeans, base, votes_of};
use crate::record::Origin;
use crate::settings::Settings;
use crate::uncertainty::checks::informativeness;
use crate::uncertainty::design::rows_of;
use crate::uncertainty::effective::{EffectiveRows, effective_rows};
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
}

impl Explanation {
    fn new(
        legend: &Legend,
        estimator: Arc<dyn NoiseEstimator>,
        found: Result<Explained, NoiseError>,
    ) -> Self {
        let (estimator_kind, scope) = (Some(estimator.kind()), Some(estimator.scope()));
        let origin = Origin { basis: estimator.basis(), estimator: estimator_kind, scope, proxy: None };
        let (noise, joint) = match found {
            Ok(explained) => (Ok(explained.noise), Ok(explained.joint)),
            Err(reason) => (Err(reason.clone()), Err(reason.describe(legend))),
        };
        Explanation { origin, estimator, noise, joint }
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
    /// Where each of the user's proxies stands.
    pub places: Vec<ProxyId>,
    /// The table without proxies whose guesses were lent, where there are such.
    own: Option<Frequencies>,
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
        let direct = |basis, proxy| Origin { basis, estimator: None, scope: None, proxy };
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
        let explain = |(estimator, explained)| Explanation::new(legend, estimator, explained);
        let mut explanations: Vec<Explanation> = offered.explanations().map(explain).collect();
        if let Some(reason) = selected_labels(legend, &seen, view) {
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
        Some(Answers { view, seen, rows, effective, readings, explanations, places, own })
    }

    /// What the proxies say without guesses that neighbours lent, and how many rows that is worth. Lent guesses may go with
    /// the decision where near people are decided alike.
    pub fn own(&self) -> (&Frequencies, f64) {
        match &self.own {
            Some(own) => (own, self.effective.direct),
            None => (&self.seen, self.rows),
        }
    }

    /// Everything that a number can be computed from, in the order of reports: the table, or why there is none.
    pub fn tables(&self) -> impl Iterator<Item = (&Origin, Result<Table<'_>, &String>)> {
        let read = self.readings.iter().map(|one| (&one.origin, one.joint.as_ref().map(Table::Seen)));
        let explained = self.explanations.iter();
        read.chain(explained.map(|one| (&one.origin, one.joint.as_ref().map(Table::Inferred))))
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

    /// How far the weakest stratum stands out from chance.
    pub fn weakest_stratum(&self) -> Option<f64> {
        let of_stratum = |cells: &[(Cell, f64)]| {
            let share: f64 = cells.iter().map(|(_, share)| share).sum();
            informativeness(self.seen.groups(), cells, self.rows * share).unwrap_or(0.0)
        };
        self.seen.strata().map(|(_, cells)| of_stratum(cells)).min_by(f64::total_cmp)
    }
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
