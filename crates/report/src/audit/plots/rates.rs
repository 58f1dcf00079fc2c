//! Rates by group with their intervals, on the basis to report or, where there is none, as the proxies show them.

use crate::audit::words;
use crate::measured::{Measured, noted, origin, reported, results};
use crate::plot::rows::{Estimate, IntervalRow, Tone, draw};
use crate::plot::{Plot, id};
use crate::sentence::{Figure, Sentence};
use crate::table::Table;
use crate::words::{CountedWords, CriterionWords, Rate, Voice};
use fairveil_core::{Aggregate, Audit, Criterion};

/// One plot for each criterion whose rates the first plot of the page does not draw.
pub(crate) fn rates(audit: &Audit) -> Vec<Plot> {
    let asked = &audit.settings.criteria;
    let first = asked.first().map(|criterion| drawn_as(asked, *criterion));
    let other =
        |criterion: &&Criterion| drawn_as(asked, **criterion) == **criterion && Some(**criterion) != first;
    asked.iter().filter(other).filter_map(|criterion| rates_of(audit, *criterion)).collect()
}

/// The criterion whose plot draws the rates of this one too.
fn drawn_as(asked: &[Criterion], criterion: Criterion) -> Criterion {
    CriterionWords::of(criterion).drawn_with.filter(|other| asked.contains(other)).unwrap_or(criterion)
}

/// Rates of one criterion: what they are, a row to draw for each, and their table.
pub(crate) struct RateRows {
    pub title: Sentence,
    pub reading: Sentence,
    pub axis: &'static str,
    pub rows: Vec<IntervalRow>,
    pub table: Table,
}

/// On the basis to report or, where there is none, as the proxies show them.
pub(crate) fn rate_rows(audit: &Audit, criterion: Criterion) -> Option<RateRows> {
    let known = |r: &Measured| r.groups.iter().any(|group| group.rate.is_some());
    let result = reported(audit, criterion)
        .or_else(|| results(audit, criterion, Aggregate::Difference).into_iter().find(known))?;
    let counted = CountedWords::of(criterion);
    let labelled = result.groups.iter().any(|group| group.label.is_some());
    let voice = Voice::of(audit);
    let mut table = Table::with_head(["group"]);
    if labelled {
        table.head.push(Sentence::of(counted.part));
    } else {
        table.head.push(Sentence::of("share"));
    }
    let interval = format!("{:.0} % interval", 100.0 * audit.settings.confidence);
    let rate = if criterion.is_about_decisions() { voice.selected() } else { counted.rate };
    table.head.extend([Sentence::of(rate), Sentence::of(interval)]);
    // Who is worse off, where that can be said: the lowest rate of something good, the highest of something adverse.
    let pair = audit.answer(criterion).filter(|answer| answer.direction.is_some());
    let pair = pair.and_then(|answer| answer.pair.as_ref());
    let worse = pair
        .zip(voice.worse_is_more(criterion))
        .map(|(pair, more)| if more { &pair.more } else { &pair.less });
    let mut rows = Vec::new();
    for (i, group) in result.groups.iter().enumerate() {
        let (rate, interval) = (result.rate(i), result.rate_range(i));
        let label = Sentence::named(&group.group);
        let label = match &group.label {
            Some(class) => label.text(", ").then(words::part(audit, criterion, class)),
            None => label,
        };
        let is_worse = result.recommended && worse == Some(&group.group);
        rows.push(IntervalRow {
            label: if is_worse { label.text(", worse off").plain() } else { label.plain() },
            note: noted(&rate, &interval),
            estimate: Estimate::shown(&rate),
            tone: if is_worse { Tone::Worse } else { Tone::of(result.recommended) },
            bold: false,
            marks: Vec::new(),
        });
        // By label, the share of the group among all would say nothing about the row.
        let part = match &group.label {
            Some(class) => Sentence::named(class),
            None => result.share(i).into(),
        };
        table.push(vec![Sentence::named(&group.group), part, rate.into(), interval]);
    }
    let part = |before: &str| if labelled { format!("{before}{}", counted.part) } else { String::new() };
    let reading = Sentence::of("Of each group")
        .text(part(" and ") + ", ")
        .then(words::filled(audit, counted.share, []))
        .text(": ")
        .then(result.origin())
        .text(".");
    Some(RateRows {
        title: words::filled(audit, counted.title, []).text(part(", among people with the same ")),
        reading,
        axis: counted.axis,
        rows,
        table: table.even(),
    })
}

fn rates_of(audit: &Audit, criterion: Criterion) -> Option<Plot> {
    let RateRows { title, reading, axis, rows, table } = rate_rows(audit, criterion)?;
    Some(Plot {
        id: format!("rates-{}", id(criterion)),
        title,
        reading,
        key: Sentence::default(),
        canvas: draw(&rows, axis, None),
        table,
    })
}

/// The usual rates of every group, what chance leaves open of them, and what they were computed from.
pub(crate) fn usual_rates(audit: &Audit) -> Option<(Sentence, Table)> {
    let (place, record) = words::usual_rates(audit)?;
    let rates = Rate::asked(audit, &record.groups);
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
    Some((origin(&record.origin), table.even()))
}
