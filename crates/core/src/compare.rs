//! Several models on the same people: whose gap is smaller, and how sure that is.
//!
//! Every model is audited for itself. Then the rows are drawn anew, all decisions of a row together, and every
//! model's gap is estimated on the same draw by the method its audit relies on:
//! ```text
//! P(A's gap < B's) = share of draws in which it is, ties counting half
//! ```
//! Draws that leave a model without an estimate count for neither side; their share is told. With one global matrix
//! the proxies rank two models as calibration does; where the proxies err in ways that go with a model's decisions,
//! only its own matrices (local scope) can show that they rank them the wrong way round.

use crate::advise::ReliedOn;
use crate::audit;
use crate::calibrate::calibrate;
use crate::counts::{Cell, Counts, Frequencies, View};
use crate::disparity::measure;
use crate::record::Audit;
use crate::setting::Dialect;
use crate::settings::{AuditError, Settings};
use crate::uncertainty::bootstrap::multinomial;
use crate::uncertainty::design::rows_of;
use crate::uncertainty::draws::percentile;
use crate::uncertainty::{Interval, draw_in_order};
use crate::vocabulary::{Aggregate, Class, Criterion, Guess, Stratum};
use crate::world::Truth;
use serde::{Deserialize, Serialize};

/// Rows with the same decisions of all models, the same label and the same guesses.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PairedCell {
    /// One decision for each model.
    pub predictions: Vec<Class>,
    /// The label, where there is one.
    pub label: Option<Class>,
    /// One guess for each proxy.
    pub guesses: Box<[Option<Guess>]>,
}

/// One model to compare.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// Its decisions, tallied.
    pub counts: &'a Counts,
    /// True groups, only compared against.
    pub truth: Option<&'a Truth>,
}

/// Several models side by side, as plain data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Every model's own audit, under the name of its column.
    pub models: Vec<ModelRecord>,
    /// Every pair of models, for every criterion.
    pub pairs: Vec<ModelPair>,
}

/// One model and its audit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelRecord {
    /// The column of its decisions.
    pub model: String,
    /// Its audit.
    pub audit: Audit,
}

/// Two models and one criterion: the largest gap of each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelPair {
    /// Which disparity.
    pub criterion: Criterion,
    /// The first model.
    pub a: String,
    /// The second.
    pub b: String,
    /// Gap of the first minus gap of the second.
    pub difference: Option<f64>,
    /// What chance leaves open of it.
    #[serde(flatten, with = "crate::uncertainty::interval::among_fields")]
    pub interval: Option<Interval>,
    /// How likely the first model's gap is the smaller one.
    pub probability_a_smaller: Option<f64>,
    /// The share of draws in which one of the models had no estimate.
    pub draws_without_estimate: f64,
    /// The same difference as the first proxy shows it.
    pub proxy_difference: Option<f64>,
    /// Whether the first proxy ranks the two the other way round.
    pub proxies_rank_otherwise: bool,
    /// The true difference, where groups are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub true_difference: Option<f64>,
    /// Why there is no number.
    pub unavailable: Option<String>,
}

impl Comparison {
    /// The comparison in the words of a front end.
    pub fn spelled(mut self, dialect: &dyn Dialect) -> Self {
        let spell = |model: ModelRecord| ModelRecord { audit: model.audit.spelled(dialect), ..model };
        self.models = self.models.into_iter().map(spell).collect();
        self
    }

    /// Audits every model, and compares each with each. `rows` are those of the candidates, decisions together, with
    /// what they weigh.
    pub fn run(
        candidates: &[Candidate],
        rows: &[(PairedCell, f64)],
        settings: &Settings,
    ) -> Result<Comparison, AuditError> {
        let (mut models, mut relied) = (Vec::new(), Vec::new());
        for candidate in candidates {
            let (audit, mut relied_on) = audit::run(candidate.counts, candidate.truth, settings)?;
            models.push(ModelRecord { model: candidate.counts.legend().prediction.clone(), audit });
            relied_on.retain(|one| one.estimator.learns_from_guesses_alone());
            relied.push(relied_on);
        }
        let criteria = models.first().map(|model| model.audit.settings.criteria.clone()).unwrap_or_default();
        let draws = Draws::of(candidates, rows, &relied, criteria, settings);
        let mut pairs = Vec::new();
        for criterion in draws.criteria.iter().copied() {
            for (i, a) in models.iter().enumerate() {
                for (j, b) in models.iter().enumerate().skip(i + 1) {
                    pairs.push(pair(criterion, (i, a), (j, b), &draws, settings));
                }
            }
        }
        Ok(Comparison { models, pairs })
    }
}

fn pair(
    criterion: Criterion,
    (i, a): (usize, &ModelRecord),
    (j, b): (usize, &ModelRecord),
    draws: &Draws,
    settings: &Settings,
) -> ModelPair {
    let gap = |audit: &Audit| audit.recommended(criterion, Aggregate::Difference).and_then(|r| r.value);
    let direct = |audit: &Audit| {
        let same = |r: &&crate::record::Measurement| {
            r.origin.proxy.is_some() && r.criterion == criterion && r.aggregate == Aggregate::Difference
        };
        audit.results.iter().find(same).and_then(|r| r.value)
    };
    let truth = |audit: &Audit| {
        let values = audit.truth.as_ref()?;
        values.iter().find(|t| t.criterion == criterion && t.aggregate == Aggregate::Difference)?.value
    };
    let between = |of: &dyn Fn(&Audit) -> Option<f64>| Some(of(&a.audit)? - of(&b.audit)?);
    let difference = between(&gap);
    let proxy_difference = between(&direct);
    let drawn: Vec<Option<f64>> = draws.differences(criterion, i, j);
    let known: Vec<f64> = drawn.iter().flatten().copied().collect();
    let enough = difference.is_some() && 2 * known.len() >= drawn.len() && !known.is_empty();
    let score = |d: &f64| {
        if *d < 0.0 {
            1.0
        } else if *d == 0.0 {
            0.5
        } else {
            0.0
        }
    };
    let missing = |model: &ModelRecord| match gap(&model.audit) {
        None => Some(format!("{} has no number to rely on: {}", model.model, model.audit.advice.reason)),
        Some(_) => None,
    };
    let unavailable = missing(a).or_else(|| missing(b)).or_else(|| {
        if enough || drawn.is_empty() {
            None
        } else {
            Some("more than half of the draws leave one of the models without an estimate".to_string())
        }
    });
    ModelPair {
        criterion,
        a: a.model.clone(),
        b: b.model.clone(),
        difference,
        interval: enough.then(|| percentile(&drawn, settings.confidence, Interval::SIGNED)),
        probability_a_smaller: enough.then(|| known.iter().map(score).sum::<f64>() / known.len() as f64),
        draws_without_estimate: match drawn.len() {
            0 => 0.0,
            all => (all - known.len()) as f64 / all as f64,
        },
        proxies_rank_otherwise: difference.zip(proxy_difference).is_some_and(|(d, proxy)| d * proxy < 0.0),
        proxy_difference,
        true_difference: between(&truth),
        unavailable,
    }
}

/// Gaps by draw, model and criterion.
struct Draws {
    criteria: Vec<Criterion>,
    gaps: Vec<Vec<Vec<Option<f64>>>>,
}

impl Draws {
    fn of(
        candidates: &[Candidate],
        rows: &[(PairedCell, f64)],
        relied: &[Vec<ReliedOn>],
        criteria: Vec<Criterion>,
        settings: &Settings,
    ) -> Self {
        if candidates.is_empty() {
            return Draws { criteria, gaps: Vec::new() };
        }
        let total: f64 = rows.iter().map(|(_, weight)| weight).sum();
        let shares: Vec<f64> = rows.iter().map(|(_, weight)| weight / total).collect();
        let worth = |candidate: &Candidate| rows_of(candidate.counts, View::Predictions, None);
        let effective = candidates.iter().map(worth).fold(f64::INFINITY, f64::min);
        let tables: Vec<Tallied> = (candidates.iter().enumerate())
            .map(|(model, candidate)| Tallied::of(candidate.counts, rows, model))
            .collect();
        let gaps = draw_in_order(settings.n_boot, |index| {
            let drawn = multinomial(&shares, effective, settings.seed, index);
            let of_model = |(model, candidate): (usize, &Candidate)| {
                let seen = tables[model].with(&drawn);
                gaps(&relied[model], &seen, &criteria, candidate.counts.legend().positive)
            };
            candidates.iter().enumerate().map(of_model).collect()
        });
        Draws { criteria, gaps }
    }

    fn differences(&self, criterion: Criterion, a: usize, b: usize) -> Vec<Option<f64>> {
        let place = self.criteria.iter().position(|other| *other == criterion).unwrap_or_default();
        self.gaps.iter().map(|gaps| Some(gaps[a][place]? - gaps[b][place]?)).collect()
    }
}

/// One model's table, its proxies in the order in which audits see them, and the cell that each row falls into.
struct Tallied {
    table: Frequencies,
    cells: Vec<Cell>,
    places: Vec<usize>,
}

impl Tallied {
    fn of(counts: &Counts, rows: &[(PairedCell, f64)], model: usize) -> Self {
        let (sorted, places) = counts.in_name_order();
        let cell = |(row, _): &(PairedCell, f64)| {
            let stratum = Stratum { label: row.label, prediction: row.predictions[model] };
            let mut guesses = row.guesses.clone();
            places.iter().zip(&row.guesses).for_each(|(place, guess)| guesses[place.0] = *guess);
            Cell { stratum, guesses }
        };
        let of_rows: Vec<Cell> = rows.iter().map(cell).collect();
        let mut cells = of_rows.clone();
        cells.sort();
        cells.dedup();
        // infallible: every cell is one of them
        let place = |cell: &Cell| cells.binary_search(cell).unwrap_or_default();
        let places = of_rows.iter().map(place).collect();
        Tallied { table: sorted.frequencies(), cells, places }
    }

    /// The table with drawn shares of the rows.
    fn with(&self, drawn: &[f64]) -> Frequencies {
        let mut shares = vec![0.0; self.cells.len()];
        self.places.iter().zip(drawn).for_each(|(place, share)| shares[*place] += share);
        let held = self.cells.iter().zip(shares).filter(|(_, share)| *share > 0.0);
        self.table.with_cells(held.map(|(cell, share)| (cell.clone(), share)).collect())
    }
}

/// One model's gaps on a draw, by what its audit relies on.
fn gaps(relied: &[ReliedOn], all: &Frequencies, criteria: &[Criterion], positive: Class) -> Vec<Option<f64>> {
    let from_all = relied.iter().find(|one| one.estimator.learns_from_all_rows());
    let everywhere = from_all.map(|one| one.estimator.fit(all));
    let of_view = |one: &ReliedOn| {
        let seen = all.view(one.view)?;
        match everywhere.as_ref().filter(|_| one.estimator.learns_from_all_rows()) {
            Some(noise) => Some(calibrate(&seen, one.view, noise.as_ref().ok()?)),
            None => one.estimator.again(&seen, one.view, &one.found),
        }
    };
    let joints: Vec<_> = relied.iter().map(|one| (one.view, of_view(one))).collect();
    let gap = |criterion: &Criterion| {
        let (_, joint) = joints.iter().find(|(view, _)| *view == criterion.view())?;
        measure(joint.as_ref()?, *criterion, Aggregate::Difference, positive).ok()
    };
    criteria.iter().map(gap).collect()
}
