//! Every basis and estimator of one criterion on one scale, and the truth where it is known.

use crate::audit::words;
use crate::measured::{Measured, ranged, reported, results};
use crate::plot::rows::{self, Estimate, IntervalRow, Reference, draw};
use crate::plot::{Plot, id};
use crate::sentence::{Figure, Sentence, capital};
use crate::table::{Row, Table};
use fairveil_core::{Aggregate, Audit, Basis, Criterion};

/// The largest gap between groups on every basis.
pub(crate) fn forest(audit: &Audit, criterion: Criterion) -> Plot {
    let results = results(audit, criterion, Aggregate::Difference);
    let truth = truth(audit, criterion, Aggregate::Difference);
    let mut drawn: Vec<&Measured> = results.iter().collect();
    // Where there are too many to draw, single proxies are left to the table.
    if drawn.len() > rows::MOST {
        drawn.sort_by_key(|result| (!result.recommended, result.origin.basis == Basis::Proxy));
    }
    let rows: Vec<IntervalRow> = drawn.into_iter().map(row).collect();
    let line = truth.as_ref().and_then(|figure| {
        Some(Reference { value: figure.value?, label: format!("truth {}", figure.shown()) })
    });
    let unit = "largest gap between groups, share of people (0 is none)";
    Plot {
        id: format!("gap-{}", id(criterion)),
        title: Sentence::of(capital(criterion.words()) + ": the gap on every basis"),
        reading: reading(audit, criterion, truth),
        key: key(audit, criterion),
        canvas: draw(&rows, unit, line.as_ref()),
        table: table(audit, &results, criterion),
    }
}

/// The true value and where it stands in the JSON.
pub(crate) fn truth(audit: &Audit, criterion: Criterion, aggregate: Aggregate) -> Option<Figure> {
    let values = audit.truth.iter().flatten().enumerate();
    let same = |(_, t): &(usize, &fairveil_core::record::TrueValue)| {
        t.criterion == criterion && t.aggregate == aggregate
    };
    let (i, value) = values.into_iter().find(same)?;
    // A truth has no interval; three decimals tell it from the estimates.
    Some(Figure::new(value.value, format!("/truth/{i}/value")).within(Figure::GAP))
}

fn row(result: &Measured) -> IntervalRow {
    IntervalRow {
        label: capital(&result.origin().plain()),
        note: result.note(),
        estimate: Estimate::of(result),
        strong: result.recommended,
        bold: result.recommended,
        marks: Vec::new(),
    }
}

fn reading(audit: &Audit, criterion: Criterion, truth: Option<Figure>) -> Sentence {
    let sentence = match (reported(audit, criterion), ranged(audit, criterion)) {
        (Some(result), _) => Sentence::of("The number to report is ")
            .number(result.value())
            .text(", ")
            .then(result.origin())
            .text("."),
        (None, Some(result)) => Sentence::of("The range to report is ")
            .then(result.honest())
            .text(", ")
            .then(result.origin())
            .text("; no number inside it stands out."),
        (None, None) => {
            Sentence::of("No calibrated number can be reported; what is shown was read directly.")
        }
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
        "; thin lines: the same if up to {:.0} % of the proxies' agreement is shared error{}",
        100.0 * audit.settings.shared_error,
        words::of_evidence(audit, criterion).map_or_else(String::new, |evidence| format!("; {evidence}"))
    );
    let (chance, shared) =
        (of_it().any(|r| r.interval.is_some()), of_it().any(|r| r.honest_interval.is_some()));
    Sentence::of(match (chance, shared) {
        (true, true) => bars + &lines + ".",
        (true, false) => bars + ".",
        (false, _) => "There are no intervals.".into(),
    })
}

fn table(audit: &Audit, results: &[Measured], criterion: Criterion) -> Table {
    let intervals = results.iter().any(|r| r.interval.is_some());
    let mut table = Table::with_head(["basis", "largest gap"]);
    if intervals {
        table.head.push(Sentence::of(format!("{:.0} % interval", 100.0 * audit.settings.confidence)));
        let shared = format!("shared error up to {:.0} %", 100.0 * audit.settings.shared_error);
        let evidence = words::of_evidence(audit, criterion);
        table.head.push(Sentence::of(evidence.map_or(shared, |_| "range".into())));
    }
    for result in results {
        let mut cells = vec![result.origin(), result.value().into()];
        if intervals {
            cells.extend([result.sampling(), result.honest()]);
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
    let wider = words::of_evidence(audit, criterion).map_or("shared error", |_| "range");
    let mut table = Table::with_head(["basis", "mean gap", "interval", wider, "ratio", "interval"]);
    if audit.truth.is_some() {
        let errors = ["raw error", "normalised error", "improvement"];
        table.head.extend(errors.map(Sentence::of));
    }
    let ratios = results(audit, criterion, Aggregate::Ratio);
    for mean in results(audit, criterion, Aggregate::MeanPairwise) {
        let mut cells = vec![mean.origin(), mean.value().into(), mean.sampling(), mean.honest()];
        cells.extend(match ratios.iter().find(|ratio| ratio.same_origin(&mean)) {
            Some(ratio) => [ratio.value().into(), ratio.sampling()],
            None => [Sentence::default(), Sentence::default()],
        });
        cells.extend(mean.errors().filter(|_| audit.truth.is_some()).into_iter().flatten());
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
