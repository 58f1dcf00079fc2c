//! Several models side by side: the sentences about them, and the comparison as text and as JSON.

use crate::sentence::{Figure, Sentence, Unit, capital, number};
use crate::text::{Style, head, plain_table, render, wrapped};
use crate::words;
use fairveil_core::{Aggregate, Audit, Comparison, Criterion, ModelPair};
use serde::Serialize;

/// The name of the contract that [`comparison_json`] keeps.
pub const COMPARISON_SCHEMA: &str = "fairveil.compare/1";

/// What the numbers of a comparison are.
pub(crate) const MEANING: &str = "Gaps are the largest difference between two groups, as each model's own audit estimates them; \
     chances are shares of draws of the same rows.";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    version: &'a str,
    #[serde(flatten)]
    comparison: &'a Comparison,
}

/// The comparison as JSON, ending in a newline.
pub fn comparison_json(comparison: &Comparison, version: &str) -> Result<String, serde_json::Error> {
    let document = Document { schema: COMPARISON_SCHEMA, version, comparison };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

/// The comparison as text.
pub fn comparison_text(comparison: &Comparison, table: &str, version: &str, style: Style) -> String {
    let names: Vec<&str> = comparison.models.iter().map(|model| model.model.as_str()).collect();
    let mut out = head(&format!("fairveil {version} · {} compared on {table}", names.join(", "))) + "\n";
    for criterion in criteria(comparison) {
        out += &format!("\n{}\n", head(&capital(criterion.words())));
        out += &gaps(comparison, criterion);
        let pairs = comparison.pairs.iter().enumerate().collect::<Vec<_>>();
        for (i, pair) in pairs.iter().filter(|(_, pair)| pair.criterion == criterion) {
            out += &wrapped(&sentence(*i, pair).in_columns(), "  ", 100);
        }
    }
    out += "\n";
    let assumed = "They hold under what the audits assume, and allow for no shared error: see fairveil audit for each model.";
    out += &wrapped(&format!("{MEANING} {assumed}"), "", 100);
    style.finish(&out)
}

/// The criteria that the models are compared on.
pub(crate) fn criteria(comparison: &Comparison) -> Vec<Criterion> {
    comparison.models.first().map(|model| model.audit.settings.criteria.clone()).unwrap_or_default()
}

fn gaps(comparison: &Comparison, criterion: Criterion) -> String {
    let mut table = plain_table();
    let truth = comparison.models.iter().any(|model| model.audit.truth.is_some());
    let mut columns = vec!["model", "first proxy", "calibrated", "interval", "with shared error", "method"];
    if truth {
        columns.push("truth");
    }
    table.set_header(columns);
    for model in &comparison.models {
        let audit = &model.audit;
        let direct = audit
            .results
            .iter()
            .find(|r| r.proxy.is_some() && r.criterion == criterion && r.aggregate == Aggregate::Difference);
        let found = audit.recommended(criterion, Aggregate::Difference);
        let ends = |ends: Option<(f64, f64)>| {
            ends.map_or("–".into(), |(low, high)| {
                format!("{} to {}", number(Some(low)), number(Some(high)))
            })
        };
        let mut cells = vec![
            model.model.clone(),
            number(direct.and_then(|r| r.value)),
            number(found.and_then(|r| r.value)),
            ends(found.and_then(|r| r.interval.as_ref().map(|i| (i.low, i.high)))),
            ends(found.and_then(|r| r.honest_interval.as_ref().map(|i| (i.low, i.high)))),
            found.map_or("–".into(), |r| {
                format!("{}, {}", r.estimator.unwrap_or("–"), r.scope.map_or("–", |scope| scope.name()))
            }),
        ];
        if truth {
            let known = audit.truth.iter().flatten();
            let mut known =
                known.filter(|t| t.criterion == criterion && t.aggregate == Aggregate::Difference);
            cells.push(number(known.next().and_then(|t| t.value)));
        }
        table.add_row(cells);
    }
    render(table)
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
            difference.text(format!("; how sure that is can not be said: {why}."))
        }
        Some(_) if (pair.low, pair.high) == (Some(0.0), Some(0.0)) => {
            both(" and ").text(" have the same gap in every draw.")
        }
        Some(chance) => {
            let (smaller, larger) = match chance.unit {
                Unit::Chance => (&pair.a, &pair.b),
                _ => (&pair.b, &pair.a),
            };
            // Little more than a coin's toss is no ranking.
            let told = chance.value.is_some_and(|p| (p - 0.5).abs() >= 0.25);
            let start = match told {
                true => Sentence::named(smaller).text(" has a smaller gap than ").name(larger),
                false => {
                    both(" and ").text(" can not be told apart: ").name(smaller).text(" has the smaller gap")
                }
            };
            start
                .text(" with a chance of ")
                .number(chance)
                .text(" (")
                .then(difference)
                .text(", interval ")
                .then(interval(i, pair))
                .text(").")
        }
    };
    let sentence = match pair.proxies_rank_otherwise {
        true => sentence.text(" The first proxy, read directly, ranks them the other way round."),
        false => sentence,
    };
    match pair.true_difference {
        Some(_) => sentence
            .text(" The true difference is ")
            .number(figure(i, pair, pair.true_difference, "true_difference"))
            .text("."),
        None => sentence,
    }
}

/// How likely the model with the smaller gap has it, as far as draws tell.
pub(crate) fn chance(i: usize, pair: &ModelPair) -> Option<Figure> {
    let chance = pair.probability_a_smaller?;
    let unit = if chance >= 0.5 { Unit::Chance } else { Unit::Otherwise };
    Some(Figure::new(Some(chance), format!("/pairs/{i}/probability_a_smaller")).unit(unit))
}

/// A number of a pair, to the digits that the interval of its difference supports.
pub(crate) fn figure(i: usize, pair: &ModelPair, value: Option<f64>, name: &str) -> Figure {
    Figure::new(value, format!("/pairs/{i}/{name}")).within(pair.low.zip(pair.high))
}

/// Both ends of the interval of a difference.
pub(crate) fn interval(i: usize, pair: &ModelPair) -> Sentence {
    let ends = pair.low.zip(pair.high);
    words::from_to(ends, ends, &format!("/pairs/{i}"))
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
    let gap = |audit: &Audit| audit.recommended(criterion, Aggregate::Difference).and_then(|r| r.value);
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
