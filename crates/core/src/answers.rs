//! What is known about the rows of one view: a joint table, or why there is none, for everything a number can be
//! computed from.

use crate::calibrate::calibrate;
use crate::counts::{Counts, Frequencies, View};
use crate::diagnose::Explanation;
use crate::estimate::{Hoc, NoiseEstimator};
use crate::noise::{NoiseError, NoiseModel};
use crate::rates::{Joint, ScoreMeans, base, soft_votes};
use crate::uncertainty::checks::informativeness;
use crate::vocabulary::{Basis, Criterion, Group, Guess, Legend, ProxyId, Scope, Stratum};

/// What a number is computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Origin {
    pub basis: Basis,
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
    pub noise: [(Scope, Result<NoiseModel, NoiseError>); 2],
    pub tables: Vec<(Origin, Result<Table, String>)>,
    /// Where each of the user's proxies stands.
    pub places: Vec<ProxyId>,
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
    ) -> Option<Self> {
        let seen = counts.frequencies().view(view)?;
        let mut tables = Vec::new();
        for (id, place) in places.iter().enumerate() {
            let origin = Origin { basis: Basis::Proxy, scope: None, proxy: Some(ProxyId(id)) };
            tables.push((origin, Ok(Table::Seen(base(&seen, *place)))));
        }
        let scores = ScoreMeans::of(counts, view);
        let soft = scores.as_ref().map_or_else(|| soft_votes(&seen), |scores| scores.joint(&seen, view));
        tables.push((Origin { basis: Basis::Soft, scope: None, proxy: None }, Ok(Table::Seen(soft))));

        let rows = rows_of(counts, view);
        let local = Hoc { scope: Scope::Local }.fit(&seen).map(|noise| only_strong(noise, &seen, rows));
        let noise = [(Scope::Global, global.clone()), (Scope::Local, local)];
        for (scope, noise) in &noise {
            let origin = Origin { basis: Basis::Calibrated, scope: Some(*scope), proxy: None };
            let table = match noise {
                Ok(noise) => Ok(Table::Inferred(calibrate(&seen, view, noise))),
                Err(reason) => Err(reason.describe(counts.legend())),
            };
            tables.push((origin, table));
        }
        if let Some(reason) = selected_labels(counts.legend(), &seen, view) {
            tables.iter_mut().for_each(|(_, table)| *table = Err(reason.clone()));
        }
        Some(Answers { view, seen, rows, noise, tables, places: places.to_vec(), scores })
    }

    pub fn table(&self, origin: Origin) -> Option<&Result<Table, String>> {
        self.tables.iter().find(|(known, _)| *known == origin).map(|(_, table)| table)
    }

    /// How far the weakest stratum stands out from chance.
    pub fn weakest_stratum(&self) -> Option<f64> {
        let of_stratum = |cells: &[(crate::counts::Cell, f64)]| {
            let share: f64 = cells.iter().map(|(_, share)| share).sum();
            informativeness(self.seen.groups(), cells, self.rows * share).unwrap_or(0.0)
        };
        self.seen.strata().map(|(_, cells)| of_stratum(cells)).min_by(f64::total_cmp)
    }

    pub fn explanations(&self) -> impl Iterator<Item = Explanation<'_>> {
        self.noise.iter().map(|(scope, noise)| {
            let origin = Origin { basis: Basis::Calibrated, scope: Some(*scope), proxy: None };
            let joint = match self.table(origin) {
                Some(Ok(Table::Inferred(joint))) => Some(joint),
                _ => None,
            };
            Explanation { scope: *scope, view: self.view, seen: &self.seen, rows: self.rows, noise, joint }
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

/// Below this many standard errors of agreement the size of a gap can not be told.
const WEAK: f64 = 4.0;

/// One matrix for all rows, unless the proxies say too little for the size of the table.
pub(crate) fn global_noise(counts: &Counts) -> Result<NoiseModel, NoiseError> {
    let seen = counts.frequencies();
    // Asked first: what noise does to the equations is no finding about the proxies.
    match informativeness(seen.groups(), seen.cells(), counts.effective_rows()) {
        Some(z) if z < WEAK && seen.proxies() >= Hoc::PROXIES => Err(NoiseError::TooWeak { z }),
        _ => Hoc { scope: Scope::Global }.fit(&seen),
    }
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

/// The view that a criterion looks at.
pub(crate) fn view_of(criterion: Criterion) -> View {
    if criterion.needs_labels() { View::Labelled } else { View::Predictions }
}
