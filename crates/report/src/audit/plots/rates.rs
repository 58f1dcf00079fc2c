//! Rates by group with their intervals, on the basis to report or, where there is none, as the proxies show them.

use crate::audit::words;
use crate::measured::{Measured, noted, origin, reported, results};
use crate::plot::Plot;
use crate::plot::rows::{Estimate, IntervalRow, draw};
use crate::sentence::{Figure, Sentence, Unit};
use crate::table::Table;
use fairveil_core::{Aggregate, Audit, Criterion, RatesRecord};

/// One plot for all rows and one for people with the same label. Equal opportunity is part of equalized odds and drawn
/// only without it.
pub(crate) fn rates(audit: &Audit) -> Vec<Plot> {
    let asked = &audit.settings.criteria;
    let shown = |criterion: &&Criterion| {
        **criterion != Criterion::EqualOpportunity || !asked.contains(&Criterion::EqualizedOdds)
    };
    asked.iter().filter(shown).filter_map(|criterion| rates_of(audit, *criterion)).collect()
}

fn rates_of(audit: &Audit, criterion: Criterion) -> Option<Plot> {
    let known = |r: &Measured| r.groups.iter().any(|group| group.rate.is_some());
    let result = reported(audit, criterion)
        .or_else(|| results(audit, criterion, Aggregate::Difference).into_iter().find(known))?;
    let labelled = result.groups.iter().any(|group| group.label.is_some());
    let mut table = Table::with_head(["group"]);
    if labelled {
        table.head.push(Sentence::of("label"));
    }
    let interval = format!("{:.0} % interval", 100.0 * audit.settings.confidence);
    table.head.extend([Sentence::of("share"), Sentence::of("selected"), Sentence::of(interval)]);
    let mut rows = Vec::new();
    for (i, group) in result.groups.iter().enumerate() {
        let (rate, interval) = (result.rate(i), result.rate_range(i));
        let label = Sentence::named(&group.group);
        let label = match &group.label {
            Some(class) => label.text(", ").then(words::labelled(audit, class)),
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
    let who = if labelled { ", among people with the same label" } else { "" };
    let reading = Sentence::of("Of each group")
        .text(if labelled { " and label" } else { "" })
        .text(", the share that gets ")
        .then(words::selected(audit))
        .text(" (")
        .then(result.origin())
        .text(if result.interval.is_some() { "), with what chance leaves open." } else { ")." });
    Some(Plot {
        id: format!("rates-{}", criterion.name().replace('_', "-")),
        title: Sentence::of("How often groups get ").then(words::selected(audit)).text(who),
        reading,
        key: Sentence::default(),
        canvas: draw(&rows, "share of people selected, from 0 to 1", None),
        table,
    })
}

/// The usual rates of every group on the basis to report, and what that basis is.
pub(crate) fn usual_rates(audit: &Audit) -> Option<(Sentence, Table)> {
    let wanted = |(_, r): &(usize, &RatesRecord)| {
        r.scope.is_some() && r.scope == audit.advice.scope && r.estimator == audit.advice.estimator
    };
    let records = || audit.rates.iter().enumerate();
    let (place, record) = records().find(wanted).or_else(|| records().next())?;
    let labelled = record.groups.iter().any(|g| g.base_rate.is_some() || g.true_positive_rate.is_some());
    let mut table = Table::with_head(["group", "share", "selected"]);
    if labelled {
        let names =
            ["true positive", "false positive", "false negative", "precision", "accuracy", "base rate"];
        table.head.extend(names.map(Sentence::of));
    }
    for (i, group) in record.groups.iter().enumerate() {
        let figure = |value, name: &str| {
            Sentence::from(Figure::new(value, format!("/rates/{place}/groups/{i}/{name}")).unit(Unit::Plain))
        };
        let mut cells = vec![
            Sentence::named(&group.group),
            figure(group.share, "share"),
            figure(group.selection_rate, "selection_rate"),
        ];
        if labelled {
            cells.extend([
                figure(group.true_positive_rate, "true_positive_rate"),
                figure(group.false_positive_rate, "false_positive_rate"),
                figure(group.false_negative_rate, "false_negative_rate"),
                figure(group.precision, "precision"),
                figure(group.accuracy, "accuracy"),
                figure(group.base_rate, "base_rate"),
            ]);
        }
        table.push(cells);
    }
    let origin =
        origin(&audit.results, record.basis, record.estimator, record.scope, record.proxy.as_deref());
    Some((origin, table))
}
