//! How often proxies guess the same, pair by pair.

use crate::plot::{Plot, matrix};
use crate::sentence::{Figure, Sentence};
use crate::table::Table;
use fairveil_core::Audit;

/// More proxies than this make cells too small to read; the table has them all.
const MOST: usize = 10;

/// Nothing with a single proxy.
pub(crate) fn agreement(audit: &Audit) -> Option<Plot> {
    let pairs = &audit.agreement;
    if pairs.is_empty() {
        return None;
    }
    let names: Vec<String> = audit.input.proxies.iter().map(|proxy| proxy.name.clone()).take(MOST).collect();
    let figure = |i: usize, value, field: &str| Figure::new(value, format!("/agreement/{i}/{field}"));
    let mut table = Table::with_head(["proxies", "both answered", "guess the same", "beyond chance"]);
    for (i, pair) in pairs.iter().enumerate() {
        table.push(vec![
            Sentence::named(&pair.a).text(" and ").name(&pair.b),
            figure(i, Some(pair.answered), "answered").into(),
            figure(i, pair.same, "same").into(),
            figure(i, pair.beyond_chance, "beyond_chance").into(),
        ]);
    }
    let (rows, columns) = (&names[1..], &names[..names.len() - 1]);
    let small = columns.len() > 4;
    let canvas = matrix::draw(rows, columns, |a, b| {
        let (first, second) = (&names[b], &names[a + 1]);
        let place = pairs.iter().position(|pair| (&pair.a, &pair.b) == (first, second))?;
        let pair = pairs.get(place).filter(|_| b <= a)?;
        let beyond = figure(place, pair.beyond_chance, "beyond_chance");
        let smaller = (!small).then(|| format!("beyond {}", beyond.shown()));
        Some((pair.beyond_chance.unwrap_or(0.0), figure(place, pair.same, "same").shown(), smaller))
    });
    Some(Plot {
        id: "agreement".into(),
        title: Sentence::of("How often two proxies guess the same"),
        reading: Sentence::of(
            "Of the rows that both answered, the share with the same guess; a pair that stands out may share mistakes, or \
             know more.",
        ),
        key: Sentence::of(
            "The smaller number and the colour say how far that is beyond chance (0) towards always (1).",
        ),
        canvas,
        table,
    })
}
