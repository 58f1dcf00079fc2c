//! Several models on one scale, and how sure it is whose gap is smaller.

use super::words::{figure, first_proxy, interval, method, ranks};
use crate::audit::plots::{UNIT, key, truth};
use crate::measured::{Measured, reported};
use crate::plot::rows::{Estimate, IntervalRow, Mark, Tone, draw};
use crate::plot::{Plot, id, matrix};
use crate::sentence::{Figure, Sentence, Unit, capital};
use crate::table::Table;
use fairveil_core::compare::{ModelPair, Order, WhyNoOrder};
use fairveil_core::{Aggregate, Comparison, Criterion};

/// The largest gap of every model: as the first proxy shows it, calibrated, and true where that is known.
pub(crate) fn models(comparison: &Comparison, criterion: Criterion) -> Plot {
    let confidence = comparison.models.first().map_or(0.0, |model| model.audit.settings.confidence);
    let known = comparison.models.iter().any(|model| model.audit.truth.is_some());
    let interval = format!("{:.0} % interval", 100.0 * confidence);
    let mut table = Table::with_head([
        "model",
        "first proxy",
        "errors undone",
        interval.as_str(),
        "honest range",
        "method",
    ]);
    if known {
        table.head.push(Sentence::of("truth"));
    }
    let mut rows = Vec::new();
    for (m, model) in comparison.models.iter().enumerate() {
        let audit = &model.audit;
        let found = reported(audit, criterion);
        let direct = first_proxy(audit, criterion);
        let true_gap = truth(audit, criterion, Aggregate::Difference);
        let dash = || Sentence::of("–");
        let of = |shown: fn(&Measured) -> Sentence| found.as_ref().map_or_else(dash, shown);
        let mut cells = vec![
            Sentence::named(&model.model),
            direct.as_ref().map_or_else(dash, |result| result.value().into()),
            of(|result| result.value().into()),
            of(|result| result.sampling()),
            of(|result| result.honest()),
            of(|result| Sentence::of(method(result))),
        ];
        if known {
            cells.push(true_gap.clone().map_or_else(dash, Sentence::from));
        }
        let root = format!("/models/{m}/audit");
        table.push(cells.into_iter().map(|cell| cell.under(&root)).collect());
        let mark = |value: Option<f64>, name, truth| value.map(|value| Mark { value, name, truth });
        let marks = [
            mark(direct.as_ref().and_then(|r| r.value), "first proxy", false),
            mark(true_gap.and_then(|t| t.value), "truth", true),
        ];
        rows.push(IntervalRow {
            label: Sentence::named(&model.model).plain(),
            note: found.as_ref().map_or("no number".into(), Measured::note),
            estimate: found.as_ref().map(Estimate::of).unwrap_or_default(),
            tone: Tone::Strong,
            bold: true,
            marks: marks.into_iter().flatten().collect(),
        });
    }
    let bars = comparison.models.first().map_or(Sentence::default(), |model| key(&model.audit, criterion));
    Plot {
        id: format!("models-{}", id(criterion)),
        title: Sentence::of(capital(criterion.words()) + ": the gap of every model"),
        reading: ranks(comparison, criterion),
        key: Sentence::of(
            "Circles: with the proxies' errors undone; open diamonds: the first proxy, read directly. ",
        )
        .then(bars),
        canvas: draw(&rows, UNIT, None),
        table: table.even(),
    }
}

/// Every pair of models with one criterion.
pub(crate) fn pairs(comparison: &Comparison, criterion: Criterion) -> Table {
    let of_it = || comparison.pairs.iter().enumerate().filter(|(_, pair)| pair.criterion == criterion);
    let known = of_it().any(|(_, pair)| pair.true_difference.is_some());
    let lost = of_it().any(|(_, pair)| pair.draws_without_estimate > 0.0);
    let mut table = Table::with_head([
        "first − second",
        "difference",
        "interval",
        "chance that the first is smaller",
        "with shared error",
        "order",
        "by first proxy",
        "ranks",
    ]);
    table.head.extend(lost.then(|| Sentence::of("draws without an estimate")));
    table.head.extend(known.then(|| Sentence::of("truth")));
    for (i, pair) in of_it() {
        let place = |name: &str| format!("/pairs/{i}/{name}");
        let chance = Figure::new(pair.probability_a_smaller, place("probability_a_smaller"));
        let without = Figure::new(Some(pair.draws_without_estimate), place("draws_without_estimate"));
        let ranked = match (pair.difference.and(pair.proxy_difference), pair.proxies_rank_otherwise) {
            (None, _) => "–",
            (_, true) => "otherwise",
            (_, false) => "alike",
        };
        let mut cells = vec![
            Sentence::named(&pair.a).text(" − ").name(&pair.b),
            figure(i, pair, pair.difference, "difference").into(),
            interval(i, pair),
            chance.unit(Unit::Chance).into(),
            chances_possible(i, pair),
            order(pair),
            figure(i, pair, pair.proxy_difference, "proxy_difference").into(),
            Sentence::of(ranked),
        ];
        cells.extend(lost.then(|| without.unit(Unit::Percent).into()));
        let truth = || figure(i, pair, pair.true_difference, "true_difference").into();
        cells.extend(known.then(truth));
        table.push(cells);
    }
    table
}

/// From the lowest to the highest chance.
fn chances_possible(i: usize, pair: &ModelPair) -> Sentence {
    let Some(range) = pair.probability_range else { return Sentence::of("–") };
    let end = |value, name: &str| {
        Figure::new(Some(value), format!("/pairs/{i}/probability_range/{name}")).unit(Unit::Chance)
    };
    Sentence::from(end(range.low, "low")).text(" to ").number(end(range.high, "high"))
}

/// Whose gap is smaller, or why that is not told.
fn order(pair: &ModelPair) -> Sentence {
    let smaller = |name: &str| Sentence::named(name).text(" smaller");
    match (pair.order, pair.no_order.as_ref().map(|reason| reason.why)) {
        (Some(Order::FirstSmaller), _) => smaller(&pair.a),
        (Some(Order::SecondSmaller), _) => smaller(&pair.b),
        (None, Some(WhyNoOrder::Chance)) => Sentence::of("cannot be told apart"),
        (None, Some(WhyNoOrder::NotSupported)) => Sentence::of("not supported"),
        (None, Some(WhyNoOrder::NoNumber) | None) => Sentence::of("–"),
    }
}

/// How likely the model of a row has a smaller gap than that of a column; of use from three models on.
pub(crate) fn chances(comparison: &Comparison, criterion: Criterion) -> Option<Plot> {
    let names: Vec<String> = comparison.models.iter().map(|model| model.model.clone()).collect();
    if names.len() < 3 {
        return None;
    }
    let of_it = || comparison.pairs.iter().filter(|pair| pair.criterion == criterion);
    let chance = |row: &str, column: &str| {
        let forth = of_it().find(|pair| pair.a == row && pair.b == column);
        let back = || of_it().find(|pair| pair.a == column && pair.b == row);
        let other = || back().and_then(|pair| pair.probability_a_smaller).map(|chance| 1.0 - chance);
        forth.and_then(|pair| pair.probability_a_smaller).or_else(other)
    };
    let canvas = matrix::draw(&names, &names, |row, column| {
        let chance = chance(&names[row], &names[column]).filter(|_| row != column)?;
        let figure = Figure::bare(Some(chance)).unit(Unit::Chance);
        Some((chance, brief(&figure), None))
    });
    Some(Plot {
        id: format!("chances-{}", id(criterion)),
        title: Sentence::of(capital(criterion.words()) + ": whose gap is smaller, pair by pair"),
        reading: Sentence::of(
            "How likely the gap of the model at the left is smaller than that of the model above.",
        ),
        key: Sentence::of("Darker is likelier; both ways round a pair makes 100 %."),
        canvas,
        table: pairs(comparison, criterion),
    })
}

/// A chance in a narrow place.
pub(crate) fn brief(chance: &Figure) -> String {
    chance.shown().replace("more than ", ">").replace("less than ", "<").replace(' ', "\u{a0}")
}
