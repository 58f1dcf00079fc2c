//! Rates by group with their intervals, on the basis to report or, where there is none, as the proxies show them.

use crate::audit::words;
use crate::measured::{Measured, noted, origin, reported, results};
use crate::plot::rows::{Estimate, IntervalRow, draw};
use crate::plot::{Plot, id};
use crate::sentence::{Figure, Sentence};
use crate::table::Table;
use crate::words::{CountedWords, CriterionWords, Rate};
use fairveil_core::{Aggregate, Audit, Criterion};

/// One plot for each criterion, but where another one draws the same rates.
pub(crate) fn rates(audit: &Audit) -> Vec<Plot> {
    let asked = &audit.settings.criteria;
    let shown = |criterion: &&Criterion| {
        !CriterionWords::of(**criterion).drawn_with.is_some_and(|other| asked.contains(&other))
    };
    asked.iter().filter(shown).filter_map(|criterion| rates_of(audit, *criterion)).collect()
}

fn rates_of(audit: &Audit, criterion: Criterion) -> Option<Plot> {
    let known = |r: &Measured| r.groups.iter().any(|group| group.rate.is_some());
    let result = reported(audit, criterion)
        .or_else(|| results(audit, criterion, Aggregate::Difference).into_iter().find(known))?;
    let counted = CountedWords::of(criterion);
    let labelled = result.groups.iter().any(|group| group.label.is_some());
    let mut table = Table::with_head(["group"]);
    if labelled {
        table.head.push(Sentence::of(counted.part));
    }
    let interval = format!("{:.0} % interval", 100.0 * audit.settings.confidence);
    table.head.extend([Sentence::of("share"), Sentence::of(counted.rate), Sentence::of(interval)]);
    let mut rows = Vec::new();
    for (i, group) in result.groups.iter().enumerate() {
        let (rate, interval) = (result.rate(i), result.rate_range(i));
        let label = Sentence::named(&group.group);
        let label = match &group.label {
            Some(class) => label.text(", ").then(words::part(audit, criterion, class)),
            None => label,
        };
        let mut cells = vec![Sentence::named(&group.group)];
        if labelled {
            cells.push(group.label.as_ref().map_or(Sentence::default(), Sentence::named));
        }
        rows.push(IntervalRow {
            label: label.plain(),
            note: noted(&rate, &interval),
            estimate: Estimate::shown(&rate),
            strong: result.recommended,
            bold: false,
            marks: Vec::new(),
        });
        cells.extend([result.share(i).into(), rate.into(), interval]);
        table.push(cells);
    }
    let part = |before: &str| if labelled { format!("{before}{}", counted.part) } else { String::new() };
    let reading = Sentence::of("Of each group")
        .text(part(" and ") + ", ")
        .then(words::filled(audit, counted.share, []))
        .text(" (")
        .then(result.origin())
        .text(if result.interval.is_some() { "), with what chance leaves open." } else { ")." });
    Some(Plot {
        id: format!("rates-{}", id(criterion)),
        title: words::filled(audit, counted.title, []).text(part(", among people with the same ")),
        reading,
        key: Sentence::default(),
        canvas: draw(&rows, counted.axis, None),
        table,
    })
}

/// The usual rates of every group, what chance leaves open of them, and what they were computed from.
pub(crate) fn usual_rates(audit: &Audit) -> Option<(Sentence, Table)> {
    let (place, record) = words::usual_rates(audit)?;
    let rates = Rate::of(&record.groups);
    let mut table = Table::with_head(["group"].into_iter().chain(rates.iter().map(|rate| rate.words)));
    for (i, group) in record.groups.iter().enumerate() {
        let path = format!("/rates/{place}/groups/{i}");
        let (values, ranges): (Vec<Figure>, Vec<Sentence>) =
            rates.iter().map(|rate| rate.figure(group, &path)).unzip();
        let row = |name: Sentence, cells: Vec<Sentence>| [name].into_iter().chain(cells).collect();
        table.push(row(Sentence::named(&group.group), values.into_iter().map(Sentence::from).collect()));
        if group.intervals.is_some() {
            let interval = format!("{:.0} % interval", 100.0 * audit.settings.confidence);
            table.push(row(Sentence::of(interval), ranges));
        }
    }
    let origin = origin(&audit.results, &record.origin);
    Some((origin, table))
}
