//! Every basis and estimator of one criterion on one scale, and the truth where it is known.

use crate::audit::words;
use crate::plot::Plot;
use crate::plot::rows::{self, IntervalRow, Reference, draw};
use crate::sentence::{Figure, Sentence, Unit, capital};
use crate::table::{Row, Table};
use fairveil_core::{Aggregate, Audit, Basis, Criterion, Measurement};

/// The largest gap between groups on every basis.
pub(crate) fn forest(audit: &Audit, criterion: Criterion) -> Plot {
    let results = of(audit, criterion, Aggregate::Difference);
    let truth = truth(audit, criterion, Aggregate::Difference);
    let mut drawn: Vec<&Measurement> = results.clone();
    // Where there are too many to draw, single proxies are left to the table.
    if drawn.len() > rows::MOST {
        drawn.sort_by_key(|result| (!result.recommended, result.basis == Basis::Proxy));
    }
    let rows: Vec<IntervalRow> = drawn.iter().map(|result| row(audit, result)).collect();
    let line = truth.as_ref().and_then(|figure| {
        Some(Reference { value: figure.value?, label: format!("truth {}", figure.shown()) })
    });
    let unit = "largest gap between groups, share of people (0 is none)";
    Plot {
        id: format!("gap-{}", criterion.name().replace('_', "-")),
        title: Sentence::of(capital(criterion.words()) + ": the gap on every basis"),
        reading: reading(audit, criterion, truth),
        key: key(audit, criterion),
        canvas: draw(&rows, unit, line.as_ref()),
        table: table(audit, &results, criterion),
    }
}

fn of(audit: &Audit, criterion: Criterion, aggregate: Aggregate) -> Vec<&Measurement> {
    audit.results.iter().filter(|r| r.criterion == criterion && r.aggregate == aggregate).collect()
}

/// The true value and where it stands in the JSON.
pub(crate) fn truth(audit: &Audit, criterion: Criterion, aggregate: Aggregate) -> Option<Figure> {
    let values = audit.truth.iter().flatten().enumerate();
    let same =
        |(_, t): &(usize, &fairveil_core::TrueValue)| t.criterion == criterion && t.aggregate == aggregate;
    let (i, value) = values.into_iter().find(same)?;
    // A truth has no interval; three decimals tell it from the estimates.
    Some(Figure::new(value.value, format!("/truth/{i}/value")).within(value.value.map(|_| (0.0, 0.002))))
}

/// A result and its interval as they stand beside its bar.
pub(crate) fn note(audit: &Audit, result: &Measurement) -> String {
    let value = words::value(audit, result);
    let interval = words::sampling(audit, result).plain();
    match (result.value, interval.as_str()) {
        (None, _) => "no number".into(),
        (Some(_), "") => value.shown(),
        (Some(_), interval) => format!("{} ({interval})", value.shown()),
    }
}

fn row(audit: &Audit, result: &Measurement) -> IntervalRow {
    IntervalRow {
        label: capital(&words::origin_of(audit, result).plain()),
        note: note(audit, result),
        value: result.value,
        interval: result.interval.as_ref().map(|i| (i.low, i.high)),
        reach: result.honest_interval.as_ref().map(|i| (i.low, i.high)),
        strong: result.recommended,
        bold: result.recommended,
        marks: Vec::new(),
    }
}

fn reading(audit: &Audit, criterion: Criterion, truth: Option<Figure>) -> Sentence {
    let sentence = match audit.recommended(criterion, Aggregate::Difference) {
        Some(result) => Sentence::of("The number to report is ")
            .number(words::value(audit, result))
            .text(", ")
            .then(words::origin_of(audit, result))
            .text("."),
        None => Sentence::of("No calibrated number can be reported; what is shown was read directly."),
    };
    match truth.filter(|truth| truth.value.is_some()) {
        Some(truth) => sentence.text(" The truth is ").number(truth).text("."),
        None => sentence,
    }
}

/// What bars and lines mean.
pub(crate) fn key(audit: &Audit, criterion: Criterion) -> Sentence {
    let of_it = || audit.results.iter().filter(|r| r.criterion == criterion);
    let bars = format!("Thick bars: what chance leaves open ({:.0} %)", 100.0 * audit.settings.confidence);
    let lines = format!(
        "; thin lines: the same if up to {:.0} % of the proxies' agreement is shared error",
        100.0 * audit.settings.shared_error
    );
    match of_it().any(|r| r.interval.is_some()) {
        true if of_it().any(|r| r.honest_interval.is_some()) => Sentence::of(bars + &lines + "."),
        true => Sentence::of(bars + "."),
        false => Sentence::of("There are no intervals."),
    }
}

fn table(audit: &Audit, results: &[&Measurement], criterion: Criterion) -> Table {
    let intervals = results.iter().any(|r| r.interval.is_some());
    let mut table = Table::with_head(["basis", "largest gap"]);
    if intervals {
        table.head.push(Sentence::of(format!("{:.0} % interval", 100.0 * audit.settings.confidence)));
        let shared = format!("shared error up to {:.0} %", 100.0 * audit.settings.shared_error);
        table.head.push(Sentence::of(shared));
    }
    for result in results {
        let mut cells = vec![words::origin_of(audit, result), words::value(audit, result).into()];
        if intervals {
            cells.extend([words::sampling(audit, result), words::honest(audit, result)]);
        }
        table.rows.push(Row { cells, strong: result.recommended, segment: None });
    }
    if let Some(truth) = truth(audit, criterion, Aggregate::Difference) {
        let mut cells = vec![Sentence::of("truth"), truth.into()];
        cells.resize(table.head.len(), Sentence::default());
        table.push(cells);
    }
    table
}

/// The paper's mean gap, the ratio, and how far off they are where the truth is known.
pub(crate) fn other_aggregates(audit: &Audit, criterion: Criterion) -> Table {
    let mut table = Table::with_head(["basis", "mean gap", "interval", "shared error", "ratio", "interval"]);
    if audit.truth.is_some() {
        let errors = ["raw error", "normalised error", "improvement"];
        table.head.extend(errors.map(Sentence::of));
    }
    let (means, ratios) =
        (of(audit, criterion, Aggregate::MeanPairwise), of(audit, criterion, Aggregate::Ratio));
    for mean in means {
        let ratio = ratios.iter().find(|ratio| same_origin(ratio, mean));
        let mut cells = vec![
            words::origin_of(audit, mean),
            words::value(audit, mean).into(),
            words::sampling(audit, mean),
            words::honest(audit, mean),
        ];
        cells.extend(match ratio {
            Some(ratio) => [words::value(audit, ratio).into(), words::sampling(audit, ratio)],
            None => [Sentence::default(), Sentence::default()],
        });
        if let Some(errors) = mean.errors.filter(|_| audit.truth.is_some()) {
            let figure =
                |value, name: &str| Figure::new(value, format!("{}/{name}", words::path(audit, mean)));
            cells.extend([
                figure(errors.raw_error, "raw_error").within(Some((0.0, 0.002))).into(),
                figure(errors.normalized_error, "normalized_error").unit(Unit::Percent).into(),
                figure(errors.improvement, "improvement").unit(Unit::Percent).into(),
            ]);
        }
        table.rows.push(Row { cells, strong: mean.recommended, segment: None });
    }
    let true_value =
        |aggregate| truth(audit, criterion, aggregate).map_or(Sentence::default(), Sentence::from);
    if audit.truth.is_some() {
        let none = Sentence::default;
        let mut cells = vec![Sentence::of("truth"), true_value(Aggregate::MeanPairwise), none(), none()];
        cells.push(true_value(Aggregate::Ratio));
        cells.resize(table.head.len(), none());
        table.push(cells);
    }
    table
}

fn same_origin(a: &Measurement, b: &Measurement) -> bool {
    (a.basis, a.estimator, a.scope, &a.proxy) == (b.basis, b.estimator, b.scope, &b.proxy)
}
