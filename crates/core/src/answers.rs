//! What is known about the rows of one view: a joint table, or why there is none, for everything a number can be
//! computed from.

use crate::calibrate::calibrate;
use crate::counts::{Cell, Counts, Frequencies, View};
use crate::diagnose::Explanation;
use crate::estimate::{
    AuditSample, ConfidentJoint, Errors, Explained, Given, Hoc, LatentClass, NoiseEstimator,
};
use crate::noise::{NoiseError, NoiseModel};
use crate::rates::{Joint, ScoreMeans, base, votes_of};
use crate::settings::{EstimatorChoice, Settings};
use crate::uncertainty::checks::{informativeness, strata_differ};
use crate::uncertainty::effective::{EffectiveRows, effective_rows, repeated_pairs};
use crate::vocabulary::{Basis, Estimator, Group, Guess, Legend, ProxyId, Scope, Stratum};

/// What a number is computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Origin {
    pub basis: Basis,
    pub estimator: Option<Estimator>,
    pub scope: Option<Scope>,
    /// Position among the proxies as the user gave them.
    pub proxy: Option<ProxyId>,
}

/// A joint table, split by what was guessed or by what is inferred.
pub(crate) enum Table {
    Seen(Joint<Guess>),
    Inferred(Joint<Group>),
}

/// All that is known about the rows of one view: a table, or why there is none, for every origin.
pub(crate) struct Answers {
    pub view: View,
    pub seen: Frequencies,
    /// The effective number of rows.
    pub rows: f64,
    /// The same for what proxies say by themselves, and what makes them differ.
    pub effective: EffectiveRows,
    /// How the proxies err by each method.
    pub noise: Vec<(Origin, Result<NoiseModel, NoiseError>)>,
    /// What the latent classes assume of the proxies.
    pub latent: Errors,
    pub audit: Option<AuditSample>,
    pub given: Option<Given>,
    pub confident: Option<ConfidentJoint>,
    pub tables: Vec<(Origin, Result<Table, String>)>,
    /// Where each of the user's proxies stands.
    pub places: Vec<ProxyId>,
    /// The proxies that were not lent.
    pub voters: Vec<ProxyId>,
    /// The table of these alone, where others were lent.
    own: Option<Frequencies>,
    /// Mean probabilities of the cells, where proxies give them.
    pub scores: Option<ScoreMeans>,
}

impl Answers {
    /// `None` where the table has no rows of this view. `places` says where each of the user's proxies stands.
    pub fn of(
        view: View,
        counts: &Counts,
        places: &[ProxyId],
        global: &Result<NoiseModel, NoiseError>,
        settings: &Settings,
    ) -> Option<Self> {
        let seen = counts.frequencies().view(view)?;
        let seen_by = |basis, proxy| Origin { basis, estimator: None, scope: None, proxy };
        let mut tables = Vec::new();
        // What neighbours lent is for learning how the proxy errs: by itself it says nothing that the proxy does not.
        // Where guesses were mixed with lent ones at random, there is nothing else to show.
        let proxies = &counts.legend().proxies;
        let mixed = proxies.iter().all(|proxy| proxy.lent_by.is_some());
        let own = |place: &ProxyId| mixed || proxies[place.0].lent_by.is_none();
        for (id, place) in places.iter().enumerate().filter(|(_, place)| own(place)) {
            tables.push((seen_by(Basis::Proxy, Some(ProxyId(id))), Ok(Table::Seen(base(&seen, *place)))));
        }
        let scores = ScoreMeans::of(counts, view);
        let voters: Vec<ProxyId> = counts.legend().all_proxies().filter(own).collect();
        let soft =
            scores.as_ref().map_or_else(|| votes_of(&seen, &voters), |scores| scores.joint(&seen, view));
        tables.push((seen_by(Basis::Soft, None), Ok(Table::Seen(soft))));

        let own = (voters.len() < proxies.len()).then(|| {
            let guesses = |cell: &Cell| voters.iter().map(|proxy| cell.guesses[proxy.0]).collect();
            let cells = seen
                .cells()
                .iter()
                .map(|(cell, share)| (Cell { guesses: guesses(cell), ..cell.clone() }, *share));
            seen.of_proxies(cells.collect(), &voters)
        });
        let effective = effective_rows(counts, view, &seen, rows_of(counts, view));
        let rows = effective.calibrated;
        let mut noise = Vec::new();
        let mut add = |origin: Origin, explained: Result<Explained, NoiseError>| {
            let (model, table) = match explained {
                Ok(explained) => (Ok(explained.noise), Ok(Table::Inferred(explained.joint))),
                Err(reason) => (Err(reason.clone()), Err(reason.describe(counts.legend()))),
            };
            noise.push((origin, model));
            tables.push((origin, table));
        };
        let calibrated = |estimator, scope| Origin {
            basis: Basis::Calibrated,
            estimator: Some(estimator),
            scope: Some(scope),
            proxy: None,
        };
        let undone = |model: NoiseModel| Explained { joint: calibrate(&seen, view, &model), noise: model };
        let local = Hoc { scope: Scope::Local }.fit(&seen).map(|noise| only_strong(noise, &seen, rows));
        add(calibrated(Estimator::Hoc, Scope::Global), global.clone().map(undone));
        add(calibrated(Estimator::Hoc, Scope::Local), local.map(undone));
        let (latent, explained) = latent_classes(&seen, view, rows);
        add(calibrated(Estimator::LatentClass, Scope::Global), explained);
        if settings.estimator == EstimatorChoice::Fixed(Estimator::LatentClass) {
            let local = LatentClass { scope: Scope::Local, errors: latent };
            add(calibrated(Estimator::LatentClass, Scope::Local), local.explain(&seen, view));
        }
        let given = settings.given.clone();
        if let Some(given) = &given {
            add(calibrated(Estimator::Given, given.scope()), given.explain(&seen, view));
        }
        let confident = counts.confident_tally().map(|tally| ConfidentJoint { tally: tally.clone() });
        if let Some(confident) = &confident {
            add(calibrated(Estimator::ConfidentJoint, Scope::Global), confident.explain(&seen, view));
        }
        let audit = AuditSample::of(counts, view);
        if let Some(audit) = &audit {
            let origin = Origin { basis: Basis::AuditSample, ..calibrated(Estimator::Audit, Scope::Global) };
            add(origin, audit.explain(&seen, view));
        }
        if let Some(reason) = selected_labels(counts.legend(), &seen, view) {
            tables.iter_mut().for_each(|(_, table)| *table = Err(reason.clone()));
        }
        let places = places.to_vec();
        Some(Answers {
            view,
            seen,
            rows,
            effective,
            noise,
            latent,
            audit,
            given,
            confident,
            tables,
            places,
            voters,
            own,
            scores,
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

    /// Whether a method that knows more than agreement has a table to offer.
    pub fn gives_number(&self, estimator: Estimator) -> bool {
        self.tables.iter().any(|(origin, table)| origin.estimator == Some(estimator) && table.is_ok())
    }

    pub fn table(&self, origin: Origin) -> Option<&Result<Table, String>> {
        self.tables.iter().find(|(known, _)| *known == origin).map(|(_, table)| table)
    }

    /// How far the weakest stratum stands out from chance.
    pub fn weakest_stratum(&self) -> Option<f64> {
        let of_stratum = |cells: &[(Cell, f64)]| {
            let share: f64 = cells.iter().map(|(_, share)| share).sum();
            informativeness(self.seen.groups(), cells, self.rows * share).unwrap_or(0.0)
        };
        self.seen.strata().map(|(_, cells)| of_stratum(cells)).min_by(f64::total_cmp)
    }

    pub fn explanations(&self) -> impl Iterator<Item = Explanation<'_>> {
        self.noise.iter().map(|(origin, noise)| {
            let joint = match self.table(*origin) {
                Some(Ok(Table::Inferred(joint))) => Some(joint),
                _ => None,
            };
            Explanation { origin: *origin, view: self.view, seen: &self.seen, rows: self.rows, noise, joint }
        })
    }
}

/// The effective number of rows in a view.
fn rows_of(counts: &Counts, view: View) -> f64 {
    let mine = counts.cells().filter(|(cell, _)| view.regroup(cell.stratum).is_some());
    counts.effective_rows() * mine.map(|(_, tally)| tally.weight).sum::<f64>() / counts.weight()
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

/// Below this many standard errors of agreement the size of a gap cannot be told.
pub(crate) const WEAK: f64 = 4.0;

/// One matrix for all rows, unless the proxies say too little for the size of the table.
pub(crate) fn global_noise(counts: &Counts) -> Result<NoiseModel, NoiseError> {
    let seen = counts.frequencies();
    // Asked first: what noise does to the equations is no finding about the proxies.
    let rows = counts.effective_rows() / repeated_pairs(counts);
    match informativeness(seen.groups(), seen.cells(), rows) {
        Some(z) if z < WEAK && seen.proxies() >= Hoc::PROXIES => Err(NoiseError::TooWeak { z }),
        _ => Hoc { scope: Scope::Global }.fit(&seen),
    }
}

/// Latent classes of proxies that err alike or, where that gains more than the extra parameters cost (BIC), each in
/// its own way. Refused where the proxies say too little for the size of the table.
fn latent_classes(seen: &Frequencies, view: View, rows: f64) -> (Errors, Result<Explained, NoiseError>) {
    if seen.proxies() > 1
        && let Some(z) = informativeness(seen.groups(), seen.cells(), rows).filter(|z| *z < WEAK)
    {
        return (Errors::Alike, Err(NoiseError::TooWeak { z }));
    }
    if seen.proxies() == 2 {
        // Strata that do not differ leave the errors of two proxies open.
        let statistic = strata_differ(seen, rows);
        if statistic < WEAK * WEAK {
            return (Errors::Alike, Err(NoiseError::StrataAlike { statistic }));
        }
    }
    let explain = |errors| LatentClass { scope: Scope::Global, errors }.explain(seen, view);
    let misfit = |explained: &Explained| match &explained.noise {
        NoiseModel::Global(fit) => rows * fit.misfit,
        NoiseModel::Local(_) => f64::INFINITY,
    };
    let alike = explain(Errors::Alike);
    let Ok(found) = &alike else { return (Errors::Alike, alike) };
    let extra = seen.groups() * (seen.groups() - 1) * (seen.proxies() - 1);
    let price = extra as f64 * rows.ln();
    // Nothing can gain more than a table without any model.
    if misfit(found) > price
        && let Ok(own) = explain(Errors::Own)
        && misfit(found) - misfit(&own) > price
    {
        return (Errors::Own, Ok(own));
    }
    (Errors::Alike, alike)
}

/// The same for each stratum of a local model.
fn only_strong(noise: NoiseModel, seen: &Frequencies, rows: f64) -> NoiseModel {
    let NoiseModel::Local(mut fits) = noise else { return noise };
    for (stratum, cells) in seen.strata() {
        let share: f64 = cells.iter().map(|(_, share)| share).sum();
        let weak = informativeness(seen.groups(), cells, rows * share).filter(|z| *z < WEAK);
        if let (Some(fit), Some(z)) = (fits.get_mut(&stratum), weak) {
            *fit = Err(NoiseError::TooWeak { z });
        }
    }
    NoiseModel::Local(fits)
}
