//! Every basis and estimator of one criterion on one scale, and the truth where it is known.

use crate::audit::words;
use crate::measured::{Measured, ranged, reported, results};
use crate::plot::rows::{self, Estimate, IntervalRow, Reference, Tone, draw};
use crate::plot::{Plot, id};
use crate::sentence::{Figure, Sentence, capital};
use crate::table::{Row, Table};
use fairveil_core::{Aggregate, Audit, Basis, Criterion};

/// The largest gap between groups on every basis.
pub(crate) fn forest(audit: &Audit, criterion: Criterion) -> Plot {
    let results = results(audit, criterion, Aggregate::Difference);
    let truth = truth(audit, criterion, Aggregate::Difference);
    Plot {
        id: format!("gap-{}", id(criterion)),
        title: Sentence::of(capital(criterion.words()) + ": the gap on every basis"),
        reading: reading(audit, criterion, truth.clone()),
        key: key(audit, criterion),
        canvas: draw(&rows_of(&results), UNIT, reference(truth.as_ref()).as_ref()),
        table: table(audit, &results, criterion).even(),
    }
}

/// What the scale of a gap is.
pub(crate) const UNIT: &str = "gap between groups, as a share of people (0: none)";

/// One row for each basis. Where there are too many to draw, single proxies come last and are left to the table.
pub(crate) fn rows_of(results: &[Measured]) -> Vec<IntervalRow> {
    let mut drawn: Vec<&Measured> = results.iter().collect();
    if drawn.len() > rows::MOST {
        drawn.sort_by_key(|result| (!result.recommended, result.origin.basis == Basis::Proxy));
    }
    drawn.into_iter().map(row).collect()
}

/// The truth as a line across all rows.
pub(crate) fn reference(truth: Option<&Figure>) -> Option<Reference> {
    truth.and_then(|figure| {
        Some(Reference { value: figure.value?, label: format!("truth {}", figure.shown()) })
    })
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
        label: capital(&result.short_origin().plain()),
        note: result.note(),
        estimate: Estimate::of(result),
        tone: Tone::of(result.recommended),
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
            .text("; no number inside it can be picked out."),
        (None, None) => Sentence::of(
            "No number can be reported. What is shown is what each way of computing it gives, to compare and not to report.",
        ),
    };
    match truth.filter(|truth| truth.value.is_some()) {
        Some(truth) => sentence.text(" The truth is ").number(truth).text("."),
        None => sentence,
    }
}

/// What bars and lines mean.
pub(crate) fn key(audit: &Audit, criterion: Criterion) -> Sentence {
    let of_it = || audit.results.iter().filter(|r| r.criterion == criterion);
    let bars = format!("Thick bars: sampling error ({:.0} % interval)", 100.0 * audit.settings.confidence);
    let lines = format!(
        "; thin lines: the honest range, if up to {:.0} % of the proxies' agreement is shared error{}",
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
    let mut table = head(audit, results.iter().any(|r| r.interval.is_some()));
    push_rows(audit, criterion, &mut table);
    table
}

/// Every basis of every criterion in one table, a part for each.
pub(crate) fn bases(audit: &Audit) -> Table {
    let mut table = head(audit, audit.results.iter().any(|r| r.interval.is_some()));
    let several = audit.settings.criteria.len() > 1;
    for criterion in &audit.settings.criteria {
        if several {
            table.part(Sentence::of(capital(criterion.words())));
        }
        push_rows(audit, *criterion, &mut table);
    }
    table.even()
}

fn head(audit: &Audit, intervals: bool) -> Table {
    let interval = format!("{:.0} % interval", 100.0 * audit.settings.confidence);
    if intervals {
        return Table::with_head(["basis", "gap", &interval, "honest range", "ratio", &interval]);
    }
    Table::with_head(["basis", "gap", "ratio"])
}

fn push_rows(audit: &Audit, criterion: Criterion, table: &mut Table) {
    let intervals = table.head.len() > 3;
    let ratios = results(audit, criterion, Aggregate::Ratio);
    for result in results(audit, criterion, Aggregate::Difference) {
        let ratio = ratios.iter().find(|ratio| ratio.same_origin(&result));
        let of_ratio = |shown: fn(&Measured) -> Sentence| ratio.map_or(Sentence::default(), shown);
        let mut cells = vec![result.origin(), result.value().into()];
        if intervals {
            cells.extend([result.sampling(), result.honest()]);
        }
        cells.push(of_ratio(|ratio| ratio.value().into()));
        if intervals {
            cells.push(of_ratio(|ratio| ratio.sampling()));
        }
        table.rows.push(Row { cells, strong: result.recommended, segment: None });
    }
    if let Some(known) = truth(audit, criterion, Aggregate::Difference) {
        let ratio = truth(audit, criterion, Aggregate::Ratio).map_or(Sentence::default(), Sentence::from);
        let mut cells = vec![Sentence::of("truth"), known.into()];
        cells.resize(table.head.len(), Sentence::default());
        cells[if intervals { 4 } else { 2 }] = ratio;
        table.push(cells);
    }
}

/// The paper's mean gap and how far off it is, where the truth is known: a part for each criterion.
pub(crate) fn against_truth(audit: &Audit) -> Option<Table> {
    audit.truth.as_ref()?;
    let mut table = Table::with_head([
        "basis",
        "mean gap",
        "interval",
        "honest range",
        "raw error",
        "normalised error",
        "improvement",
    ]);
    for criterion in &audit.settings.criteria {
        table.part(Sentence::of(capital(criterion.words())));
        for mean in results(audit, *criterion, Aggregate::MeanPairwise) {
            let mut cells = vec![mean.origin(), mean.value().into(), mean.sampling(), mean.honest()];
            cells.extend(mean.errors().into_iter().flatten());
            table.rows.push(Row { cells, strong: mean.recommended, segment: None });
        }
        let known = truth(audit, *criterion, Aggregate::MeanPairwise);
        let mut cells = vec![Sentence::of("truth"), known.map_or(Sentence::default(), Sentence::from)];
        cells.resize(table.head.len(), Sentence::default());
        table.push(cells);
    }
    Some(table.even())
}

/// Why a true value is not known, each reason once.
pub(crate) fn truth_missing(audit: &Audit) -> Vec<String> {
    let mut reasons: Vec<String> = Vec::new();
    for value in audit.truth.iter().flatten() {
        let reason = value.unavailable.as_ref().map(|reason| format!("No true value: {reason}."));
        reasons.extend(reason.filter(|reason| !reasons.contains(reason)));
    }
    reasons
}
