//! Several models on the same people: whose gap is smaller, and how sure that is.
//!
//! Every model is audited for itself. Then the rows are drawn anew, all decisions of a row together, and every
//! model's rates are estimated on the same draw by the method its audit relies on. How likely the first gap is the smaller is
//! one minus how often equal gaps would look as unequal (`chance.rs`): noise alone makes no model the worse. The same is asked
//! under every explanation that the tables do not rule out, with shared error up to that stated (`possible.rs`); an
//! order that some of them turn round is not told.
//!
//! Draws that leave a model without an estimate count for neither side; their share is told. With one global matrix
//! the proxies rank two models as calibration does; where the proxies err in ways that go with a model's decisions,
//! only its own matrices (local scope) can show that they rank them the wrong way round.

mod chance;
mod possible;
mod redrawn;

use crate::advise::ReliedOn;
use crate::answers::Answers;
use crate::audit;
use crate::counts::{Counts, View};
use crate::named::named;
use crate::record::Audit;
use crate::setting::Dialect;
use crate::settings::{AuditError, Settings};
use crate::uncertainty::draws::percentile;
use crate::uncertainty::{Interval, draw_in_order};
use crate::vocabulary::{Aggregate, Class, Criterion, Guess};
use crate::world::Truth;
use chance::{Moved, chance_smaller, gap};
use possible::{Asked, Possible, copying, possible};
use redrawn::{Redrawn, rates};
use serde::{Deserialize, Serialize};

named! {
    /// Whose gap is smaller, where that may be said.
    pub enum Order {
        /// The first model's.
        FirstSmaller = "a_smaller",
        /// The second model's.
        SecondSmaller = "b_smaller",
    }

    /// Why no order is told.
    pub enum WhyNoOrder {
        /// There are no two numbers, or no draws that have both.
        NoNumber = "no_number",
        /// Chance alone could make either gap the smaller.
        Chance = "chance",
        /// Shared error, or an explanation that the tables do not rule out, turns it round.
        NotSupported = "not_supported",
    }
}

/// A reason why no order is told, as data and in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoOrder {
    /// Which.
    pub why: WhyNoOrder,
    /// In words, without a full stop.
    pub text: String,
}

impl NoOrder {
    fn new(why: WhyNoOrder, text: impl Into<String>) -> Self {
        NoOrder { why, text: text.into() }
    }
}

/// A chance this near to one half is little more than a coin's toss.
const TOSS: f64 = 0.25;

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
    /// From the lowest to the highest chance over shared error up to that stated and over every explanation that the tables do
    /// not rule out; nothing where only rows drawn anew tell.
    #[serde(default)]
    pub probability_range: Option<Interval>,
    /// Whose gap is smaller, where both chance and what else is possible leave it.
    #[serde(default)]
    pub order: Option<Order>,
    /// Why no order is told.
    #[serde(default)]
    pub no_order: Option<NoOrder>,
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
        let (mut models, mut known) = (Vec::new(), Vec::new());
        for candidate in candidates {
            let mut audited = audit::run(candidate.counts, candidate.truth, settings)?;
            audited.relied_on.retain(|one| one.estimator.learns_from_guesses_alone());
            let model = candidate.counts.legend().prediction.clone();
            models.push(ModelRecord { model, audit: audited.audit });
            let positive = candidate.counts.legend().positive;
            known.push(Known { relied_on: audited.relied_on, answers: audited.answers, positive });
        }
        let criteria = models.first().map(|model| model.audit.settings.criteria.clone()).unwrap_or_default();
        let comparing = Comparing::of(candidates, rows, &known, criteria, settings);
        let of_models = || (0..models.len()).flat_map(|i| (i + 1..models.len()).map(move |j| (i, j)));
        let places: Vec<(usize, usize, usize)> = (0..comparing.criteria.len())
            .flat_map(|place| of_models().map(move |(i, j)| (place, i, j)))
            .collect();
        let pairs = draw_in_order(places.len(), |at| {
            let (place, i, j) = places[at as usize];
            comparing.pair(place, (i, &models[i]), (j, &models[j]))
        });
        Ok(Comparison { models, pairs })
    }
}

/// What is known of one model's rows.
struct Known {
    relied_on: Vec<ReliedOn>,
    answers: Vec<Answers>,
    positive: Class,
}

/// What there is to compare from.
struct Comparing<'a> {
    settings: &'a Settings,
    criteria: Vec<Criterion>,
    draws: usize,
    /// By model and criterion: the rates by what is relied on.
    estimates: Vec<Vec<Option<Vec<f64>>>>,
    /// By model, criterion and draw: how far they move.
    moved: Vec<Vec<Vec<Option<Vec<f64>>>>>,
    /// By model: everything else that its table may mean.
    possible: Vec<Vec<Possible>>,
    groups: usize,
}

impl<'a> Comparing<'a> {
    fn of(
        candidates: &[Candidate],
        rows: &[(PairedCell, f64)],
        known: &[Known],
        criteria: Vec<Criterion>,
        settings: &'a Settings,
    ) -> Self {
        let relied: Vec<&[ReliedOn]> = known.iter().map(|one| one.relied_on.as_slice()).collect();
        let redrawn = Redrawn::of(candidates, rows, &relied, &criteria, settings);
        let estimate = |one: &Known, criterion: &Criterion| {
            let relied_on = one.relied_on.iter().find(|relied| relied.view == criterion.view())?;
            rates(&relied_on.found.joint, *criterion, one.positive)
        };
        let of_model = |one: &Known| criteria.iter().map(|criterion| estimate(one, criterion)).collect();
        let estimates: Vec<Vec<Option<Vec<f64>>>> = known.iter().map(of_model).collect();
        let off = |rates: &Vec<f64>, estimate: &Option<Vec<f64>>| -> Option<Vec<f64>> {
            Some(rates.iter().zip(estimate.as_ref()?).map(|(drawn, rate)| drawn - rate).collect())
        };
        let by_draw = |model: usize, place: usize| {
            let draws = redrawn.rates.iter();
            draws.map(|draw| off(draw[model][place].as_ref()?, &estimates[model][place])).collect()
        };
        let moved = (0..known.len())
            .map(|model| (0..criteria.len()).map(|place| by_draw(model, place)).collect())
            .collect();
        let possible = everything_possible(known, &redrawn, &criteria, settings);
        let groups = candidates.first().map_or(0, |one| one.counts.legend().groups.len());
        Comparing { settings, draws: redrawn.rates.len(), criteria, estimates, moved, possible, groups }
    }

    fn moved(&self, model: usize, place: usize) -> Option<Moved<'_>> {
        let estimate = self.estimates[model][place].as_deref()?;
        let by_draw = self.moved[model][place].iter().map(Option::as_deref).collect();
        Some(Moved { groups: self.groups, estimate, by_draw })
    }

    /// Gap of the first minus gap of the second, draw by draw around the estimates.
    fn differences(&self, place: usize, a: usize, b: usize) -> Vec<Option<f64>> {
        let Some((a, b)) = self.moved(a, place).zip(self.moved(b, place)) else { return Vec::new() };
        let of = |moved: &Moved, by: Option<&[f64]>| {
            let rates: Vec<f64> = moved.estimate.iter().zip(by?).map(|(rate, by)| rate + by).collect();
            Some(gap(&rates, moved.groups))
        };
        let both = a.by_draw.iter().zip(&b.by_draw);
        both.map(|(by_a, by_b)| Some(of(&a, *by_a)? - of(&b, *by_b)?)).collect()
    }

    /// The lowest and the highest chance that the first gap is the smaller, over all that the tables may mean. Both models are
    /// explained alike, for the proxies are the same, or each as its own audit does.
    fn range(&self, criterion: Criterion, a: usize, b: usize, chance: f64) -> Option<Interval> {
        let mine = |model: usize| self.possible[model].iter().filter(|one| one.criterion == criterion);
        let both = mine(a).flat_map(|one| mine(b).map(move |other| (one, other)));
        let alike = both.filter(|(a, b)| a.step == b.step && a.means.goes_with(b.means));
        let chances: Vec<f64> =
            alike.filter_map(|(a, b)| chance_smaller(&a.as_moved(), &b.as_moved())).collect();
        let start = Interval { low: chance, high: chance };
        (!chances.is_empty()).then(|| chances.into_iter().fold(start, Interval::with))
    }

    fn pair(&self, place: usize, (i, a): (usize, &ModelRecord), (j, b): (usize, &ModelRecord)) -> ModelPair {
        let criterion = self.criteria[place];
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
        let drawn: Vec<Option<f64>> = self.differences(place, i, j);
        let known = drawn.iter().flatten().count();
        let enough = difference.is_some() && 2 * known >= self.draws && known > 0;
        let missing = |model: &ModelRecord| match gap(&model.audit) {
            None => Some(format!("{} has no number to rely on: {}", model.model, model.audit.advice.reason)),
            Some(_) => None,
        };
        let unavailable = missing(a).or_else(|| missing(b)).or_else(|| {
            (!enough && self.draws > 0).then(|| {
                "more than half of the draws leave one of the models without an estimate".to_string()
            })
        });
        let both = self.moved(i, place).zip(self.moved(j, place)).filter(|_| enough);
        let chance = both.and_then(|(a, b)| chance_smaller(&a, &b));
        let range = chance.and_then(|chance| self.range(criterion, i, j, chance));
        let (order, no_order) = match chance.map(|chance| self.order(chance, range)) {
            Some(Ok(order)) => (Some(order), None),
            Some(Err(reason)) => (None, Some(reason)),
            None => (None, unavailable.clone().map(|reason| NoOrder::new(WhyNoOrder::NoNumber, reason))),
        };
        ModelPair {
            criterion,
            a: a.model.clone(),
            b: b.model.clone(),
            difference,
            interval: enough.then(|| percentile(&drawn, self.settings.confidence, Interval::SIGNED)),
            probability_a_smaller: chance,
            probability_range: range,
            order,
            no_order,
            draws_without_estimate: match self.draws {
                0 => 0.0,
                all => (all - known) as f64 / all as f64,
            },
            proxies_rank_otherwise: difference
                .zip(proxy_difference)
                .is_some_and(|(d, proxy)| d * proxy < 0.0),
            proxy_difference,
            true_difference: between(&truth),
            unavailable,
        }
    }

    /// Whose gap is smaller, or why that is not told.
    fn order(&self, chance: f64, range: Option<Interval>) -> Result<Order, NoOrder> {
        if (chance - 0.5).abs() < TOSS {
            return Err(NoOrder::new(
                WhyNoOrder::Chance,
                "chance alone could make either gap the smaller one",
            ));
        }
        let first = chance > 0.5;
        let turned = range.filter(|range| if first { range.low < 0.5 } else { range.high > 0.5 });
        match turned {
            // In words it is the chance of the order that the estimates have.
            Some(Interval { low, high }) => {
                let (low, high) = if first { (low, high) } else { (1.0 - high, 1.0 - low) };
                let text = format!(
                    "with shared error up to {:.0} % and every explanation that fits, the chance of this order is between {:.0} and \
                     {:.0} %",
                    100.0 * self.settings.shared_error,
                    100.0 * low,
                    100.0 * high,
                );
                Err(NoOrder::new(WhyNoOrder::NotSupported, text))
            }
            None if first => Ok(Order::FirstSmaller),
            None => Ok(Order::SecondSmaller),
        }
    }
}

/// By model, everything that its table may mean, as far as a likelihood tells how rows drawn anew would move it.
fn everything_possible(
    known: &[Known],
    redrawn: &Redrawn,
    criteria: &[Criterion],
    settings: &Settings,
) -> Vec<Vec<Possible>> {
    let mut found: Vec<Vec<Possible>> = known.iter().map(|_| Vec::new()).collect();
    if redrawn.rates.is_empty() {
        return found;
    }
    for view in [View::Predictions, View::Labelled] {
        let of_view = |one: &Known| -> Option<usize> { one.answers.iter().position(|own| own.view == view) };
        let tables: Vec<&Answers> =
            known.iter().filter_map(|one| Some(&one.answers[of_view(one)?])).collect();
        let copying = copying(&tables, settings.shared_error);
        let of_model = |model: usize| -> Option<Vec<Possible>> {
            let one = &known[model];
            let answers = &one.answers[of_view(one)?];
            let relied_on = one.relied_on.iter().find(|relied| relied.view == view)?;
            let off = &redrawn.off(model, &answers.seen, view);
            let asked = Asked { criteria, positive: one.positive, settings, copying: &copying, off };
            Some(possible(answers, relied_on, &asked))
        };
        let of_models = draw_in_order(known.len(), |model| of_model(model as usize).unwrap_or_default());
        found.iter_mut().zip(of_models).for_each(|(all, more)| all.extend(more));
    }
    found
}
