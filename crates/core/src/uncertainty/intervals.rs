//! Intervals for everything an audit says about one joint table.
//!
//! | table | one difference between two groups | several |
//! |---|---|---|
//! | calibrated, global | profile likelihood ratio | gated, from normal draws around the estimate |
//! | a proxy, soft, calibrated local, any table with abstentions | bootstrap percentiles of the signed difference | gated, from bootstrap draws |

use super::against::{self, Open};
use super::bootstrap::normal_draws;
use super::draws::{
    chi_square_one, chi_square_tail, covariance, folded, gated, percentile, simultaneous, wald,
};
use super::interval::Interval;
use super::likelihood::{Contrast, Fitness, LOG_LIMIT, Likelihood, Maximum, Parameters, Scale};
use crate::counts::{Cell, Frequencies, View};
use crate::criterion::Proportion;
use crate::disparity::{Pair, measure, pairs};
use crate::estimate::{Errors, Explained};
use crate::measures::{Measure, Told};
use crate::rates::{Joint, Shares};
use crate::record::IntervalMethod as Method;
use crate::vocabulary::{Aggregate, Axis, Class, Criterion, Group, Stratum};
use crate::watch::pause;
use nalgebra::DMatrix;
use std::sync::{Mutex, PoisonError};

/// What chance does to one criterion on one table.
#[derive(Debug, Clone)]
pub(crate) struct Spread {
    /// For each aggregate, in the order of [`Aggregate::ALL`].
    pub values: [Option<(Interval, Method)>; 3],
    /// For each pair, in the order of [`pairs`].
    pub pairs: Vec<Interval>,
    /// For each label and group, in the order of the results.
    pub rates: Vec<Interval>,
    /// The same of measures beside a reference group; empty where none was asked for.
    pub measures: Vec<Open>,
    /// The share of draws without an estimate.
    pub without_estimate: f64,
}

impl Spread {
    /// Widens every interval to hold the number beside it.
    fn hold(&mut self, estimate: &Numbers) {
        let wide = |ends: &mut Interval, value: f64| *ends = ends.with(value);
        for (ends, value) in self.values.iter_mut().zip(estimate.values) {
            if let (Some((ends, _)), Some(value)) = (ends, value) {
                wide(ends, value);
            }
        }
        self.pairs.iter_mut().zip(&estimate.pairs).for_each(|(ends, value)| wide(ends, *value));
    }

    /// Widens every value's interval to hold another's.
    fn join(&mut self, other: &Spread) {
        for (mine, other) in self.values.iter_mut().zip(other.values) {
            if let (Some((ends, _)), Some((other, _))) = (mine, other) {
                *ends = ends.and(other);
            }
        }
    }
}

/// What is asked of an interval.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    pub confidence: f64,
    pub draws: usize,
    pub seed: u64,
    pub positive: Class,
    /// The group that others stand beside; nothing where no measure by name is wanted.
    pub reference: Option<Group>,
}

/// The numbers of one criterion on one table or draw.
struct Numbers {
    values: [Option<f64>; 3],
    pairs: Vec<f64>,
    rates: Vec<f64>,
}

fn numbers<A: Axis>(joint: &Joint<A>, criterion: Criterion, positive: Class) -> Option<Numbers> {
    pause();
    let told = criterion.spec().told(joint.classes(), positive);
    let of_groups = |rate: Proportion| joint.axis().map(move |a| joint.proportion(a, rate).ok());
    let rates: Option<Vec<f64>> = told.into_iter().flat_map(of_groups).collect();
    let values = Aggregate::ALL.map(|aggregate| measure(joint, criterion, aggregate, positive).ok());
    let pairs = pairs(joint, criterion, positive).iter().map(|pair| pair.difference).collect();
    // Without its mean gap a table says nothing about the criterion.
    values[0].and(rates).map(|rates| Numbers { values, pairs, rates })
}

/// Intervals from draws of the joint table. `None` where the table itself has no numbers.
pub(crate) fn from_draws<A: Axis, D: Axis>(
    joint: &Joint<A>,
    criterion: Criterion,
    draws: &[Option<Joint<D>>],
    asked: Asked,
) -> Option<Spread> {
    let estimate = numbers(joint, criterion, asked.positive)?;
    let drawn: Vec<Option<Numbers>> = draws
        .iter()
        .map(|draw| match draw.as_ref()? {
            draw if joint.compares_all() => numbers(draw, criterion, asked.positive),
            draw => numbers(&draw.clone().comparing(joint), criterion, asked.positive),
        })
        .collect();
    let missing = drawn.iter().filter(|draw| draw.is_none()).count();
    let differences: Vec<Option<Vec<f64>>> =
        drawn.iter().map(|draw| draw.as_ref().map(|n| n.pairs.clone())).collect();
    let one = estimate.pairs.len() == 1;
    let spread = if one { None } else { covariance(&differences) };

    let pairs: Vec<Interval> = match (one, &spread) {
        (true, _) => {
            let draws: Vec<Option<f64>> = differences.iter().map(|d| d.as_ref().map(|d| d[0])).collect();
            vec![percentile(&draws, asked.confidence, Interval::SIGNED)]
        }
        (false, Some(spread)) => {
            let errors: Vec<f64> = (0..spread.nrows()).map(|i| spread[(i, i)].max(0.0).sqrt()).collect();
            let reach = simultaneous(&differences, &estimate.pairs, &errors, asked.confidence).min(1e6);
            let ends = |(d, error): (&f64, &f64)| Interval {
                low: (d - reach * error).max(-1.0),
                high: (d + reach * error).min(1.0),
            };
            estimate.pairs.iter().zip(&errors).map(ends).collect()
        }
        (false, None) => vec![Interval::SIGNED; estimate.pairs.len()],
    };
    let values: [Option<(Interval, Method)>; 3] = std::array::from_fn(|i| {
        let value = estimate.values[i]?;
        let aggregate = Aggregate::ALL[i];
        if one && aggregate == Aggregate::Ratio {
            let log = |n: &Numbers| Some((n.rates[0] / n.rates[1]).ln()).filter(|x| x.is_finite());
            let draws: Vec<Option<f64>> = drawn.iter().map(|draw| draw.as_ref().and_then(log)).collect();
            let ends = folded(percentile(&draws, asked.confidence, Interval { low: -50.0, high: 50.0 }));
            return Some((inverted(ends), Method::Bootstrap));
        }
        if one {
            return Some((folded(pairs[0]), Method::Bootstrap));
        }
        let alike = spread.as_ref().is_none_or(|spread| {
            let (statistic, freedom) = wald(&estimate.pairs, spread);
            chi_square_tail(statistic, freedom.max(1)) > 1.0 - asked.confidence
        });
        let gap = |value: f64| if aggregate == Aggregate::Ratio { 1.0 - value } else { value };
        let gaps: Vec<Option<f64>> = drawn.iter().map(|draw| draw.as_ref()?.values[i].map(gap)).collect();
        let ends = gated(&gaps, gap(value), alike, asked.confidence);
        let ends = match aggregate {
            Aggregate::Ratio => Interval { low: (1.0 - ends.high).max(0.0), high: 1.0 - ends.low },
            _ => ends,
        };
        Some((ends, Method::Gated))
    });
    let rate = |i: usize| {
        let draws: Vec<Option<f64>> = drawn.iter().map(|draw| draw.as_ref().map(|n| n.rates[i])).collect();
        percentile(&draws, asked.confidence, Interval::UNIT)
    };
    Some(Spread {
        values,
        rates: (0..estimate.rates.len()).map(rate).collect(),
        measures: measures_open(joint, criterion, draws, asked),
        pairs,
        without_estimate: missing as f64 / draws.len().max(1) as f64,
    })
}

/// What chance leaves open of measures beside the reference group.
fn measures_open<A: Axis, D: Axis>(
    joint: &Joint<A>,
    criterion: Criterion,
    draws: &[Option<Joint<D>>],
    asked: Asked,
) -> Vec<Open> {
    let Some(reference) = asked.reference else { return Vec::new() };
    let Some(estimate) = Told::of(joint, criterion, asked.positive) else { return Vec::new() };
    let told = |draw: &Option<Joint<D>>| match draw.as_ref()? {
        draw if joint.compares_all() => Told::of(draw, criterion, asked.positive),
        draw => Told::of(&draw.clone().comparing(joint), criterion, asked.positive),
    };
    let drawn: Vec<Option<Told>> = draws.iter().map(told).collect();
    against::open(&estimate, joint.place_of(reference), &drawn, asked.confidence)
}

/// For every group, what chance leaves open of each of its usual rates, in the order of their fields.
pub(crate) fn rate_ends<A: Axis>(
    joint: &Joint<A>,
    draws: &[Option<Joint<A>>],
    asked: Asked,
) -> Vec<[Option<Interval>; 8]> {
    let of_group = |a: A| {
        let values = joint.group_rates(a, asked.positive).values();
        let drawn: Vec<Option<[Option<f64>; 8]>> = draws
            .iter()
            .map(|draw| {
                pause();
                draw.as_ref().map(|draw| draw.group_rates(a, asked.positive).values())
            })
            .collect();
        std::array::from_fn(|i| {
            // A rate that no population can have has no interval either.
            let value = values[i].filter(|value| (0.0..=1.0).contains(value))?;
            let column: Vec<Option<f64>> = drawn.iter().map(|draw| draw.and_then(|rates| rates[i])).collect();
            Some(percentile(&column, asked.confidence, Interval::UNIT).with(value))
        })
    };
    joint.axis().map(of_group).collect()
}

/// Interval of a ratio, smallest over largest, from those of the absolute logarithm.
fn inverted(ends: Interval) -> Interval {
    Interval { low: (-ends.high).exp(), high: (-ends.low).exp() }
}

/// The likelihood of a table, maximised; `None` where a proxy abstains or there are too many groups for it.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    likelihood: Likelihood,
    best: Maximum,
    profiled: Profiled,
}

/// Profiles that were traced, which take most of the time of a small table: estimates by moments and by likelihood ask for the
/// same ones.
#[derive(Debug, Default)]
struct Profiled(Mutex<Vec<Traced>>);

/// A profile: of what, down to which drop, and its ends.
#[derive(Debug)]
struct Traced {
    contrast: Contrast,
    drop: f64,
    ends: (f64, f64),
}

impl Profiled {
    fn interval(&self, contrast: &Contrast, drop: f64, trace: impl FnOnce() -> (f64, f64)) -> (f64, f64) {
        // What was kept is whole whatever became of its writer. Nobody waits while another traces: it may be the same thread.
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |traced: &&Traced| traced.contrast == *contrast && traced.drop == drop;
        let found = kept().iter().find(same).map(|traced| traced.ends);
        found.unwrap_or_else(|| {
            let ends = trace();
            kept().push(Traced { contrast: contrast.clone(), drop, ends });
            ends
        })
    }
}

impl Clone for Profiled {
    fn clone(&self) -> Self {
        Profiled::default()
    }
}

/// Past this the information matrix is too large to be formed for every step.
pub(crate) const MOST_GROUPS: usize = 5;

impl Model {
    /// The table that maximises the likelihood.
    pub fn joint(&self, view: View, classes: usize) -> Joint<Group> {
        self.likelihood.joint(&self.best.parameters, view, classes)
    }

    pub fn of(seen: &Frequencies, view: View, rows: f64) -> Option<Self> {
        if seen.groups() > MOST_GROUPS || seen.proxies() < 3 {
            return None;
        }
        let likelihood = Likelihood::new(seen, rows)?;
        let best = likelihood.maximise(seen, view)?;
        Some(Model { likelihood, best, profiled: Profiled::default() })
    }

    /// The maximum near an explanation, of proxies that err alike or each in its own way.
    pub fn near(seen: &Frequencies, rows: f64, errors: Errors, explained: &Explained) -> Option<Self> {
        let likelihood = Likelihood::of(seen, rows, errors)?;
        let best = likelihood.maximise_from(&likelihood.at(explained)?)?;
        Some(Model { likelihood, best, profiled: Profiled::default() })
    }

    /// The same of a table that differs little.
    pub fn again(&self, seen: &Frequencies, rows: f64, errors: Errors) -> Option<Self> {
        let likelihood = Likelihood::of(seen, rows, errors)?;
        let best = likelihood.maximise_from(&likelihood.nearest(&self.likelihood, &self.best.parameters)?)?;
        Some(Model { likelihood, best, profiled: Profiled::default() })
    }

    /// The maximum of one stratum's own errors, from those of all and from afresh.
    pub fn within(&self, alone: &Frequencies, rows: f64, errors: Errors) -> Option<Self> {
        let likelihood = Likelihood::of(alone, rows, errors)?;
        let near = likelihood.nearest(&self.likelihood, &self.best.parameters);
        let near = near.and_then(|start| likelihood.maximise_from(&start));
        // Several starts take long with many groups, and from afresh classes of few rows are found in any order.
        let quick = alone.groups() <= 3 || near.is_none();
        let afresh = if quick { likelihood.maximise(alone, View::Predictions) } else { None };
        let better = |a: &Maximum, b: &Maximum| a.log_likelihood.total_cmp(&b.log_likelihood);
        let best = near.into_iter().chain(afresh).max_by(better)?;
        Some(Model { likelihood, best, profiled: Profiled::default() })
    }

    pub fn log_likelihood(&self) -> f64 {
        self.best.log_likelihood
    }

    /// Free parameters.
    pub fn freedom(&self) -> usize {
        self.likelihood.freedom()
    }

    /// How far the table is from what the model expects of it.
    pub fn fit(&self) -> Option<Fitness> {
        self.likelihood.fit(&self.best.parameters)
    }

    /// Whether guesses shift with the decision.
    pub fn shift(&self, positive: Class) -> Option<Fitness> {
        self.likelihood.shift(&self.best.parameters, positive)
    }

    /// Shares of the groups and strata, group by group, drawn around the likeliest.
    pub fn shares_drawn(&self, asked: Asked) -> Option<Vec<Option<DMatrix<f64>>>> {
        let drawn = self.likelihood.draws(&self.best.parameters, asked.draws, asked.seed)?;
        Some(drawn.into_iter().map(|at| at.map(|at| at.joint)).collect())
    }

    /// The strata, and how far one more row in each of some cells would move the shares of groups in them.
    pub fn moved(&self, cells: &[Cell]) -> Option<(&[Stratum], Vec<DMatrix<f64>>)> {
        let moved = self.likelihood.shares_moved(&self.best.parameters, cells)?;
        Some((self.likelihood.strata(), moved))
    }

    /// Shares of the groups and strata, group by group.
    pub fn shares(&self) -> &DMatrix<f64> {
        &self.best.parameters.joint
    }

    /// Tables drawn around the likeliest one, with the covariance of the likelihood.
    pub fn joint_draws(&self, view: View, classes: usize, asked: Asked) -> Option<Vec<Option<Joint<Group>>>> {
        let drawn = self.likelihood.draws(&self.best.parameters, asked.draws, asked.seed)?;
        let table = |at: Option<Parameters>| {
            pause();
            at.map(|at| self.likelihood.joint(&at, view, classes))
        };
        Some(drawn.into_iter().map(table).collect())
    }

    /// What chance leaves open of measures by name: of whole tables, shares of the groups included.
    fn measures_open(
        &self,
        likeliest: &Joint<Group>,
        joint: &Joint<Group>,
        criterion: Criterion,
        asked: Asked,
        both: bool,
    ) -> Vec<Open> {
        let Some(reference) = asked.reference else { return Vec::new() };
        let Some(drawn) = self.joint_draws(joint.view(), joint.classes(), asked) else { return Vec::new() };
        let mut open = measures_open(joint, criterion, &drawn, asked);
        let told = |joint| Told::of(joint, criterion, asked.positive);
        if let (true, Some(from), Some(to)) = (both, told(likeliest), told(joint)) {
            against::around(&mut open, &from, &to, joint.place_of(reference));
        }
        open
    }

    fn contrast(&self, pair: &Pair<Group>) -> Contrast {
        self.likelihood.contrast(pair.a, pair.b, pair.rate)
    }

    /// Intervals from normal draws alone: what the honest range needs of every step, where a profile would cost more than
    /// it tells. With `both`, also laid around the table's own estimate.
    pub fn drawn_spread(
        &self,
        joint: &Joint<Group>,
        criterion: Criterion,
        asked: Asked,
        both: bool,
    ) -> Option<Spread> {
        let likeliest = self.joint(joint.view(), joint.classes()).comparing(joint);
        let around =
            |joint: &Joint<Group>| from_draws(joint, criterion, &self.draws(joint, criterion, asked)?, asked);
        let mut spread = around(&likeliest)?;
        spread.hold(&numbers(joint, criterion, asked.positive)?);
        spread.measures = self.measures_open(&likeliest, joint, criterion, asked, both);
        if both && let Some(other) = around(joint) {
            spread.join(&other);
        }
        Some(spread)
    }

    /// Intervals around a calibrated table: profile likelihood for single differences, normal draws for the rest.
    /// With `both`, the reach of the likelihood is also laid around the table's own estimate.
    pub fn spread(
        &self,
        joint: &Joint<Group>,
        criterion: Criterion,
        asked: Asked,
        both: bool,
    ) -> Option<Spread> {
        let found = pairs(joint, criterion, asked.positive);
        let estimate = numbers(joint, criterion, asked.positive)?;
        // Draws belong around the estimate whose covariance they have.
        let likeliest = self.joint(joint.view(), joint.classes()).comparing(joint);
        let around =
            |joint: &Joint<Group>| from_draws(joint, criterion, &self.draws(joint, criterion, asked)?, asked);
        let mut spread =
            around(&likeliest).unwrap_or_else(|| wide_open(joint, criterion, asked.positive, found.len()));
        spread.hold(&estimate);
        spread.measures = self.measures_open(&likeliest, joint, criterion, asked, both);
        if both && let Some(other) = around(joint) {
            spread.join(&other);
        }
        if joint.compared() == 2 {
            // Bonferroni keeps several pairs simultaneous.
            let confidence = 1.0 - (1.0 - asked.confidence) / found.len().max(1) as f64;
            let drop = chi_square_one(confidence);
            let around = |contrast: &Contrast, estimate: f64| {
                let trace = || self.likelihood.interval(&self.best, contrast, drop);
                let (low, high) = self.profiled.interval(contrast, drop, trace);
                let likeliest = contrast.value(&self.best.parameters);
                // The estimates by moments and by likelihood differ a little; the interval holds both. Where the
                // table was changed to undo copying they differ more, and each gets its own reach.
                let reach = |end: f64| if both { (end - likeliest).abs() } else { 0.0 };
                Interval { low: low.min(estimate - reach(low)), high: high.max(estimate + reach(high)) }
            };
            let within = |ends: Interval| Interval { low: ends.low.max(-1.0), high: ends.high.min(1.0) };
            spread.pairs =
                found.iter().map(|pair| within(around(&self.contrast(pair), pair.difference))).collect();
            if let [only] = found.as_slice() {
                let value = folded(spread.pairs[0]);
                spread.values[0] = spread.values[0].map(|_| (value, Method::ProfileLikelihood));
                spread.values[1] = spread.values[1].map(|_| (value, Method::ProfileLikelihood));
                let rate = |a: Group| joint.proportion(a, only.rate).unwrap_or(f64::NAN);
                let log = (rate(only.a) / rate(only.b)).ln();
                let contrast = |scale| self.contrast(only).on(scale);
                let mut of_ratio = None;
                if let Some(ratio) = spread.values[2].as_mut().filter(|_| log.is_finite()) {
                    let ends = around(&contrast(Scale::LogRatio), log);
                    of_ratio = Some(ends);
                    *ratio = (inverted(folded(ends)), Method::ProfileLikelihood);
                }
                let logit = |a: Group| (rate(a) / (1.0 - rate(a))).ln();
                let log = logit(only.a) - logit(only.b);
                if let Some(reference) = asked.reference.filter(|_| log.is_finite())
                    && let Some(ratio) = of_ratio
                {
                    let odds = around(&contrast(Scale::LogOdds), log);
                    let found = [spread.pairs[0], ratio, odds];
                    profiled(&mut spread.measures, reference == only.a, found);
                }
            }
        }
        Some(spread)
    }

    /// Tables whose rates are drawn around those of `joint`, with the covariance of the likelihood.
    fn draws(
        &self,
        joint: &Joint<Group>,
        criterion: Criterion,
        asked: Asked,
    ) -> Option<Vec<Option<Joint<Group>>>> {
        let spec = criterion.spec();
        if spec.is_of_several_strata() {
            return self.joint_draws(joint.view(), joint.classes(), asked);
        }
        let mut places = Vec::new();
        for among in spec.parts(joint.classes(), asked.positive) {
            for a in joint.axis() {
                places.extend((0..joint.classes()).map(|k| (a, Proportion { class: Class(k), among })));
            }
        }
        let rates: Option<Vec<f64>> =
            places.iter().map(|(a, rate)| joint.proportion(*a, *rate).ok()).collect();
        let contrasts: Vec<Contrast> =
            places.iter().map(|(a, rate)| self.likelihood.rate(*a, *rate)).collect();
        let covariance = self.likelihood.covariance(&self.best.parameters, &contrasts)?;
        let drawn = normal_draws(&rates?, &covariance, asked.draws, asked.seed);
        let table = |rates: Vec<f64>| {
            pause();
            Some(with_rates(joint, criterion, places.iter().copied().zip(rates)))
        };
        Some(drawn.into_iter().map(table).collect())
    }
}

/// Puts profiles of the one difference, of the logarithm of the ratio and of that of the odds in the place of percentiles. They are
/// of the first group beside the second; with `first` the first is the reference.
fn profiled(open: &mut [Open], first: bool, [difference, ratio, odds]: [Interval; 3]) {
    let turned = |ends: Interval| match first {
        true => Interval { low: -ends.high, high: -ends.low },
        false => ends,
    };
    // A profile that reaches its limits has no end.
    let ratio_of = |ends: Interval| Interval {
        low: if ends.low <= -LOG_LIMIT { 0.0 } else { ends.low.exp() },
        high: if ends.high >= LOG_LIMIT { f64::INFINITY } else { ends.high.exp() },
    };
    // The group that is not the reference.
    if let Some(open) = open.get_mut(usize::from(first)) {
        let mut put = |measure: Measure, ends: Interval| {
            let mine = &mut open.ends[measure as usize];
            *mine = mine.map(|_| ends);
        };
        put(Measure::Difference, turned(difference));
        put(Measure::AdverseImpactRatio, ratio_of(turned(ratio)));
        put(Measure::OddsRatio, ratio_of(turned(odds)));
    }
}

/// The same people in the same groups and labels, decided at other rates; or with the same decisions, and other labels.
fn with_rates(
    joint: &Joint<Group>,
    criterion: Criterion,
    cells: impl Iterator<Item = ((Group, Proportion), f64)>,
) -> Joint<Group> {
    let view = criterion.view();
    let mut strata = std::collections::BTreeMap::new();
    for ((a, counted), rate) in cells {
        let cell = |k: usize| {
            let stratum = Proportion { class: Class(k), ..counted }.stratum()?;
            joint.cell(a, stratum.label, stratum.prediction).ok()
        };
        let whole: f64 = (0..joint.classes()).filter_map(cell).sum();
        let Some(stratum) = counted.stratum() else { continue };
        let shares = strata.entry(stratum).or_insert_with(|| vec![0.0; joint.members()]);
        shares[a.0] = whole * rate;
    }
    let strata = strata.into_iter().map(|(stratum, shares)| (stratum, Some(Shares::new(shares))));
    Joint::new(view, joint.classes(), joint.members(), strata)
}

/// Nothing is known.
fn wide_open(joint: &Joint<Group>, criterion: Criterion, positive: Class, pairs: usize) -> Spread {
    let rates = criterion.spec().told(joint.classes(), positive).len() * joint.compared();
    Spread {
        values: [Some((Interval::UNIT, Method::Gated)); 3],
        pairs: vec![Interval::SIGNED; pairs],
        rates: vec![Interval::UNIT; rates],
        measures: Vec::new(),
        without_estimate: 0.0,
    }
}
