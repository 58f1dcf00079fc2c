//! Text for people: the answer first, then every number with its meaning, then what to doubt.

use super::plots::place;
use super::words;
use crate::About;
use crate::measured::{Measured, measured, origin};
use crate::sentence::{capital, number, thousands};
use crate::text::{
    MOST_ROWS, WIDTH, findings_section, head, list, plain_table, render, render_with_names, wrapped,
};
use crate::words::{EstimatorWords, Rate};
use fairveil_core::{Aggregate, Audit, Criterion};
use std::fmt::Write;

/// The whole audit, to be finished in a style.
pub(super) fn text(audit: &Audit, about: &About) -> String {
    let mut out = head(&format!("fairveil {} · audit of {}", about.version, about.table)) + "\n";
    out += &wrapped(&input(audit), "", WIDTH);
    out += "\n";
    out += &answer(audit);
    for criterion in &audit.settings.criteria {
        out += "\n";
        out += &criterion_section(audit, *criterion);
    }
    out += "\n";
    out += &rates_section(audit);
    out += &noise_section(audit);
    out += &findings_section(&audit.findings, about);
    out + &next_section(audit)
}

fn input(audit: &Audit) -> String {
    let input = &audit.input;
    let weighted = input.weight != input.rows as f64;
    let weight =
        if weighted { format!(" of total weight {}", thousands(input.weight)) } else { String::new() };
    let source = |p: &fairveil_core::record::ProxyRecord| match &p.source {
        Some(source) => format!("{} ({source})", p.name),
        None => p.name.clone(),
    };
    let proxies: Vec<String> = words::own_proxies(audit).into_iter().map(source).collect();
    let lent = if words::borrows(audit) { ", and what nearest neighbours lend" } else { "" };
    format!(
        "{} rows{weight} · groups {} · selected means {} · {} {}: {}{lent}",
        thousands(input.rows as f64),
        list(&input.groups),
        words::selected(audit).in_columns(),
        proxies.len(),
        if proxies.len() == 1 { "proxy" } else { "proxies" },
        list(&proxies),
    )
}

fn answer(audit: &Audit) -> String {
    let mut out = head("The answer") + "\n";
    for criterion in &audit.settings.criteria {
        out += &wrapped(&words::answer(audit, *criterion).in_columns(), "  ", WIDTH);
    }
    out + &wrapped(words::caution(audit), "  ", WIDTH)
}

fn criterion_section(audit: &Audit, criterion: Criterion) -> String {
    let question = words::question(audit, criterion).in_columns();
    let mut out = wrapped(&format!("{}: {question}", head(&capital(criterion.words()))), "", WIDTH);
    out += &wrapped(
        "Proxies and soft are read directly. Gaps: 0 is none. Ratio: smallest over largest rate, 1 is no gap.",
        "  ",
        WIDTH,
    );

    let rows: Vec<Measured> = measured(&audit.results, "").filter(|r| r.criterion == criterion).collect();
    let with_truth = audit.truth.is_some();
    let mut table = plain_table();
    let with_intervals = rows.iter().any(|r| r.interval.is_some());
    let mut head = vec![String::new(), "mean gap".into()];
    if with_intervals {
        head.push(format!("{:.0} % interval", 100.0 * audit.settings.confidence));
        head.push(words::reach_head(audit, criterion));
    }
    head.extend(["largest", "ratio"].map(String::from));
    if with_truth {
        head.extend(["raw err.", "norm. err.", "improved"].map(String::from));
    }
    table.set_header(head);
    let mut reasons: Vec<String> = Vec::new();
    let of = |aggregate| rows.iter().filter(move |r| r.aggregate == aggregate);
    for ((mean, largest), ratio) in
        of(Aggregate::MeanPairwise).zip(of(Aggregate::Difference)).zip(of(Aggregate::Ratio))
    {
        let mark = if mean.recommended || largest.recommended { "  ◄" } else { "" };
        let mut cells = vec![format!("{}{mark}", mean.origin().in_columns())];
        cells.push(number(mean.value));
        if with_intervals {
            cells.extend([mean.sampling(), mean.honest()].map(|range| range.in_columns()));
        }
        cells.extend([largest, ratio].map(|r| number(r.value)));
        if let Some(errors) = mean.errors.filter(|_| with_truth) {
            cells.extend([
                number(errors.raw_error),
                percent(errors.normalized_error),
                percent(errors.improvement),
            ]);
        }
        table.add_row(cells);
        for result in [mean, largest, ratio] {
            if let Some(reason) = &result.unavailable {
                let origin = result.origin().in_columns();
                let note = format!("– {origin}: {reason}");
                if !reasons.contains(&note) {
                    reasons.push(note);
                }
            }
        }
    }
    if let Some(truth) = &audit.truth {
        let value = |aggregate| {
            let same =
                |t: &&fairveil_core::record::TrueValue| t.criterion == criterion && t.aggregate == aggregate;
            number(truth.iter().find(same).and_then(|t| t.value))
        };
        let mut cells = vec!["truth".to_string(), value(Aggregate::MeanPairwise)];
        if with_intervals {
            cells.extend([String::new(), String::new()]);
        }
        cells.extend([value(Aggregate::Difference), value(Aggregate::Ratio)]);
        table.add_row(cells);
    }
    out += &render(table);
    for reason in reasons {
        out += &wrapped(&reason, "  ", WIDTH);
    }
    // What columns mean is said once.
    let first = audit.settings.criteria.first() == Some(&criterion);
    if with_intervals && first {
        let share = 100.0 * audit.settings.shared_error;
        let wider = match words::of_evidence(audit, criterion) {
            Some(evidence) => format!(
                "Range: the same if up to {share:.0} % of the proxies' agreement is shared error; {evidence}"
            ),
            None => format!(
                "Shared error {share:.0} %: the same if up to that share of the proxies' agreement is shared error"
            ),
        };
        let note = format!(
            "Interval: what chance leaves open. {wider}. Intervals are of the mean gap; those of the others are in the JSON."
        );
        out += &wrapped(&note, "  ", WIDTH);
    }
    if let Some((path, test)) = words::no_gap(audit, criterion) {
        let note = format!(
            "Test of no gap, valid whatever mistakes the proxies share if they do not go with the decision: {}, χ² {:.1} on \
             {} df.",
            words::p_value(&path, test).in_columns(),
            test.statistic,
            test.degrees_of_freedom
        );
        out += &wrapped(&note, "  ", WIDTH);
    }
    for bound in words::bounds(audit, criterion) {
        out += &wrapped(&bound.in_columns(), "  ", WIDTH);
    }
    if let Some(what_if) = audit.shared_error.iter().find(|record| record.criterion == criterion) {
        let what_if = words::what_if("", what_if).in_columns();
        out += &wrapped(&format!("What if: {what_if}"), "  ", WIDTH);
    }
    if with_truth && first {
        out += &wrapped(words::ERRORS, "  ", WIDTH);
    }
    out
}

fn rates_section(audit: &Audit) -> String {
    let Some((_, record)) = words::usual_rates(audit) else { return String::new() };
    let origin = origin(&audit.results, &record.origin).in_columns();
    let mut out = format!("{} ({origin})\n", head("Rates by group"));
    let rates = Rate::of(&record.groups);
    let mut table = plain_table();
    table.set_header(["group"].into_iter().chain(rates.iter().map(|rate| rate.short)));
    for group in record.groups.iter().take(MOST_ROWS) {
        let cells = rates.iter().map(|rate| number(rate.of_group(group)));
        table.add_row([group.group.clone()].into_iter().chain(cells));
    }
    out += &render(table);
    if record.groups.len() > MOST_ROWS {
        let _ = writeln!(out, "  … and {} more groups, in the JSON", record.groups.len() - MOST_ROWS);
    }
    let meaning = words::meaning(audit, rates, |rate| rate.short).text(".");
    out + &wrapped(&meaning.in_columns(), "  ", WIDTH)
}

fn noise_section(audit: &Audit) -> String {
    let records = words::relied(audit);
    let Some((_, first)) = records.first() else { return String::new() };
    let how = EstimatorWords::of(first.estimator).how;
    let whose = if first.proxy.is_some() { "one for each proxy" } else { "one for all proxies" };
    let mut out = format!("\n{} ({how}, {whose})\n", head("How the proxies err"));
    let mut table = plain_table();
    // What tells the matrices apart, where there are several.
    let (by_proxy, by_stratum) = (first.proxy.is_some(), first.stratum.is_some());
    let apart = [by_proxy.then_some("proxy"), by_stratum.then_some("in"), Some("of group")];
    let mut head: Vec<String> = apart.into_iter().flatten().map(String::from).collect();
    head.extend(audit.input.groups.iter().map(|group| format!("guessed {group}")));
    table.set_header(head);
    let mut rows = 0;
    for (_, record) in &records {
        let lines = audit.input.groups.iter().zip(record.transition.iter().flatten());
        for (i, (group, row)) in lines.enumerate() {
            rows += 1;
            if rows > MOST_ROWS {
                continue;
            }
            // Said once for all rows of a matrix.
            let once = |text: String| if i == 0 { text } else { String::new() };
            let mut cells = Vec::new();
            if by_proxy {
                cells.push(once(record.proxy.clone().unwrap_or_default()));
            }
            if by_stratum {
                cells.push(once(place(audit, record).in_columns()));
            }
            cells.push(group.clone());
            cells.extend(row.iter().map(|p| number(Some(*p))));
            table.add_row(cells);
        }
    }
    let names = usize::from(by_proxy) + usize::from(by_stratum);
    out += &render_with_names(table, names + 1);
    if rows > MOST_ROWS {
        let _ = writeln!(out, "  … and {} more rows, in the JSON", rows - MOST_ROWS);
    }
    out
}

fn next_section(audit: &Audit) -> String {
    if audit.advice.next.is_empty() {
        return String::new();
    }
    let mut out = format!("\n{}\n", head("What to do next"));
    for step in &audit.advice.next {
        out += &wrapped(&format!("– {}", step.text), "  ", WIDTH);
    }
    out
}

fn percent(share: Option<f64>) -> String {
    share.map_or("–".into(), |share| format!("{:.1} %", (share * 1e3).round() / 10.0 + 0.0))
}
