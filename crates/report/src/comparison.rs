//! Several models side by side, as text and as JSON.

use crate::sentence::{capital, number};
use crate::text::{Style, head, plain_table, render, wrapped};
use fairveil_core::{Aggregate, Comparison, Criterion, ModelPair};
use serde::Serialize;

/// The name of the contract that [`comparison_json`] keeps.
pub const COMPARISON_SCHEMA: &str = "fairveil.compare/1";

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
    let criteria = comparison.models.first().map(|model| model.audit.settings.criteria.clone());
    for criterion in criteria.unwrap_or_default() {
        out += &format!("\n{}\n", head(&capital(criterion.words())));
        out += &gaps(comparison, criterion);
        for pair in comparison.pairs.iter().filter(|pair| pair.criterion == criterion) {
            out += &wrapped(&sentence(pair), "  ", 100);
        }
    }
    out += "\n";
    out += &wrapped(
        "Gaps are the largest difference between two groups, as each model's own audit estimates them; chances are shares of \
         draws of the same rows. They hold under what the audits assume, and allow for no shared error: see fairveil audit for \
         each model.",
        "",
        100,
    );
    style.finish(&out)
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

/// Whose gap is smaller, and how sure that is.
fn sentence(pair: &ModelPair) -> String {
    let (a, b) = (&pair.a, &pair.b);
    let Some(difference) = pair.difference else {
        return format!("{a} and {b}: {}.", pair.unavailable.as_deref().unwrap_or("no comparison"));
    };
    let truth = match pair.true_difference {
        Some(truth) => format!(" The true difference is {}.", number(Some(truth))),
        None => String::new(),
    };
    let proxies = match pair.proxies_rank_otherwise {
        true => " The first proxy, read directly, ranks them the other way round.",
        false => "",
    };
    let (Some(chance), Some(low), Some(high)) = (pair.probability_a_smaller, pair.low, pair.high) else {
        let why = pair.unavailable.as_deref().unwrap_or("no draws were made");
        return format!(
            "{a} minus {b}: {}; how sure that is can not be said: {why}.{proxies}{truth}",
            number(Some(difference))
        );
    };
    if (low, high) == (0.0, 0.0) {
        return format!("{a} and {b} have the same gap in every draw.{truth}");
    }
    if (chance - 0.5).abs() < 0.25 {
        return format!(
            "{a} and {b} can not be told apart (a chance of {:.0} % that {a} has the smaller gap; {a} minus {b}: {}, interval {} to \
             {}).{proxies}{truth}",
            100.0 * chance,
            number(Some(difference)),
            number(Some(low)),
            number(Some(high))
        );
    }
    let (smaller, larger, chance) = match chance >= 0.5 {
        true => (a, b, chance),
        false => (b, a, 1.0 - chance),
    };
    format!(
        "{smaller} has a smaller gap than {larger} with a chance of {} ({a} minus {b}: {}, interval {} to {}).{proxies}{truth}",
        percent(chance),
        number(Some(difference)),
        number(Some(low)),
        number(Some(high))
    )
}

/// A chance from draws is never quite certain.
fn percent(chance: f64) -> String {
    match chance > 0.995 {
        true => "more than 99 %".into(),
        false => format!("{:.0} %", 100.0 * chance),
    }
}
