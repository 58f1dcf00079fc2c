//! The sentences about several models.

use crate::measured::{Measured, reported, results};
use crate::sentence::{Figure, Sentence, Unit};
use fairveil_core::compare::{ModelPair, WhyNoOrder};
use fairveil_core::{Aggregate, Audit, Comparison, Criterion, Interval};

/// What the numbers of a comparison are.
pub(crate) const MEANING: &str = "Gaps are the largest difference between two groups, as each model's own audit estimates them. \
     The chance of an order is one minus how often equal gaps would look this unequal in draws of the same rows. The lower chance \
     allows for shared error as the honest ranges do. An order that does not survive it is not reported.";

/// The criteria that the models are compared on.
pub(crate) fn criteria(comparison: &Comparison) -> Vec<Criterion> {
    comparison.models.first().map(|model| model.audit.settings.criteria.clone()).unwrap_or_default()
}

/// Whose gap is smaller, and how sure that is. `i` is the pair's place in the JSON.
pub(crate) fn sentence(i: usize, pair: &ModelPair) -> Sentence {
    let both = |joined: &str| Sentence::named(&pair.a).text(joined).name(&pair.b);
    if pair.difference.is_none() {
        let why = pair.unavailable.as_deref().unwrap_or("no comparison");
        return both(" and ").text(format!(": {why}."));
    }
    let difference = both(" minus ").text(": ").number(figure(i, pair, pair.difference, "difference"));
    let sentence = match chance(i, pair) {
        None => {
            let why = pair.unavailable.as_deref().unwrap_or("no draws were made");
            difference.text(format!(". How sure that is cannot be said: {why}."))
        }
        Some(_) if pair.interval == Some(Interval { low: 0.0, high: 0.0 }) => {
            both(" and ").text(" have the same gap in every draw.")
        }
        Some(chance) => {
            let (smaller, larger) = match chance.unit {
                Unit::Chance => (&pair.a, &pair.b),
                _ => (&pair.b, &pair.a),
            };
            let start = match pair.no_order.as_ref().map(|reason| reason.why) {
                None => Sentence::named(smaller).text(" has a smaller gap than ").name(larger),
                Some(WhyNoOrder::NotSupported) => {
                    both(" and ").text(" cannot be put in order: ").name(smaller).text(" has the smaller gap")
                }
                Some(_) => {
                    both(" and ").text(" cannot be told apart: ").name(smaller).text(" has the smaller gap")
                }
            };
            start
                .text(" with a chance of ")
                .number(chance)
                .then(allowing(i, pair))
                .text(" (")
                .then(difference)
                .text(", interval ")
                .then(interval(i, pair))
                .text(").")
        }
    };
    let sentence = if pair.proxies_rank_otherwise {
        sentence.text(" The first proxy, read directly, ranks them the other way round.")
    } else {
        sentence
    };
    match pair.true_difference {
        Some(_) => sentence
            .text(" The true difference is ")
            .number(figure(i, pair, pair.true_difference, "true_difference"))
            .text("."),
        None => sentence,
    }
}

/// How low the chance of the order that the estimates have may be, with shared error and whatever else is possible.
fn allowing(i: usize, pair: &ModelPair) -> Sentence {
    let Some((chance, range)) = pair.probability_a_smaller.zip(pair.probability_range) else {
        return Sentence::default();
    };
    let end = |value, name: &str, unit| {
        Figure::new(Some(value), format!("/pairs/{i}/probability_range/{name}")).unit(unit)
    };
    let least = if chance >= 0.5 {
        end(range.low, "low", Unit::Chance)
    } else {
        end(range.high, "high", Unit::Otherwise)
    };
    let joined = match pair.no_order.as_ref().map(|reason| reason.why) {
        Some(WhyNoOrder::NotSupported) => {
            ", but with shared error and every explanation that fits perhaps only of "
        }
        _ => ", and with shared error and every explanation that fits still of ",
    };
    Sentence::of(joined).number(least)
}

/// How likely the model with the smaller gap has it, as far as draws tell.
pub(crate) fn chance(i: usize, pair: &ModelPair) -> Option<Figure> {
    let chance = pair.probability_a_smaller?;
    let unit = if chance >= 0.5 { Unit::Chance } else { Unit::Otherwise };
    Some(Figure::new(Some(chance), format!("/pairs/{i}/probability_a_smaller")).unit(unit))
}

/// A number of a pair, to the digits that the interval of its difference supports.
pub(crate) fn figure(i: usize, pair: &ModelPair, value: Option<f64>, name: &str) -> Figure {
    Figure::new(value, format!("/pairs/{i}/{name}")).within(pair.interval.map(|i| (i.low, i.high)))
}

/// Both ends of the interval of a difference.
pub(crate) fn interval(i: usize, pair: &ModelPair) -> Sentence {
    let ends = pair.interval.map(|i| (i.low, i.high));
    Sentence::range(ends, ends, &format!("/pairs/{i}"))
}

/// The gap as the first proxy shows it.
pub(crate) fn first_proxy(audit: &Audit, criterion: Criterion) -> Option<Measured<'_>> {
    results(audit, criterion, Aggregate::Difference).into_iter().find(|result| result.origin.proxy.is_some())
}

/// By which estimator, and in which scope.
pub(crate) fn method(result: &Measured) -> String {
    let scope = result.origin.scope.map_or("–", |scope| scope.name());
    format!("{}, {scope}", result.origin.estimator.map_or("–", |estimator| estimator.name()))
}

/// Whether the proxies rank the models as calibration does.
pub(crate) fn ranks(comparison: &Comparison, criterion: Criterion) -> Sentence {
    let of_it = || comparison.pairs.iter().filter(|pair| pair.criterion == criterion);
    if !of_it().any(|pair| pair.difference.is_some() && pair.proxy_difference.is_some()) {
        return Sentence::of("No pair of models can be ranked both ways.");
    }
    let mut otherwise = of_it().filter(|pair| pair.proxies_rank_otherwise);
    let Some(first) = otherwise.next() else {
        return Sentence::of("Read directly, the first proxy ranks the models the same way.");
    };
    let sentence = Sentence::of("Read directly, the first proxy ranks these the other way round: ");
    let both = |sentence: Sentence, pair: &ModelPair| sentence.name(&pair.a).text(" and ").name(&pair.b);
    otherwise.fold(both(sentence, first), |sentence, pair| both(sentence.text("; "), pair)).text(".")
}

/// The pairs that put the models in the order of their gaps, smallest first, then those without a number.
pub(crate) fn in_order(comparison: &Comparison, criterion: Criterion) -> Vec<(usize, &ModelPair)> {
    let gap = |audit: &Audit| reported(audit, criterion).and_then(|result| result.value);
    let mut order: Vec<(&str, f64)> =
        comparison.models.iter().filter_map(|m| Some((m.model.as_str(), gap(&m.audit)?))).collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let of_it = || comparison.pairs.iter().enumerate().filter(|(_, pair)| pair.criterion == criterion);
    let neighbours = order.windows(2).filter_map(|two| {
        let (one, other) = (two[0].0, two[1].0);
        of_it().find(|(_, pair)| (pair.a == one && pair.b == other) || (pair.a == other && pair.b == one))
    });
    neighbours.chain(of_it().filter(|(_, pair)| pair.difference.is_none())).collect()
}
