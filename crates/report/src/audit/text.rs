//! Text for people: one screen with the answer, or all there is.

use super::front::{self, Answered, Big};
use super::plots::{bases, place, truth_missing};
use super::words;
use crate::About;
use crate::measured::{Measured, measured, origin};
use crate::sentence::{Sentence, capital, number, thousands};
use crate::table::Table;
use crate::text::{
    MOST_ROWS, WIDTH, columns, findings_section, head, list, plain_table, render, render_with_names, tag,
    wrapped,
};
use crate::words::{EstimatorWords, Rate, Voice};
use fairveil_core::diagnose::Severity;
use fairveil_core::setting::Job;
use fairveil_core::{Aggregate, Audit, Criterion};
use std::fmt::Write;

/// One screen, to be finished in a style.
pub(super) fn short(audit: &Audit, about: &About) -> String {
    let mut out = opening(audit, about);
    out += &grounds(audit);
    out += &super::outcome::text(audit);
    out += &doubts(audit, about);
    if let Some(finding) = audit.findings.first() {
        out += &format!("  What a finding means: {} {}\n", about.dialect.job(Job::Explain), finding.code);
    }
    out
}

/// Everything, to be finished in a style.
pub(super) fn full(audit: &Audit, about: &About) -> String {
    let mut out = opening(audit, about);
    out += &grounds(audit);
    out += &format!("\n{}\n", head("The gap on every basis"));
    for question in front::questions(audit) {
        out += &wrapped(&question.in_columns(), "  ", WIDTH);
    }
    out += &columns(&bases(audit), 1);
    for criterion in &audit.settings.criteria {
        out += &criterion_notes(audit, *criterion);
    }
    out += &mean_section(audit);
    out += "\n";
    out += &rates_section(audit);
    out += &super::measures::text(audit);
    out += &super::outcome::text(audit);
    out += &noise_section(audit);
    out += &super::known::text(audit);
    out += &findings_section(&audit.findings, about);
    out + &next_section(audit)
}

/// The head and the answer.
fn opening(audit: &Audit, about: &About) -> String {
    let mut out = head(&format!("fairveil {} · audit of {}", about.version, about.table)) + "\n";
    out += &wrapped(&input(audit), "", WIDTH);
    if let Some(title) = about.provenance.identity.title {
        out += &wrapped(title, "", WIDTH);
    }
    out += &format!("\n{}\n", head("The answer"));
    let Some(lead) = front::lead(audit) else { return out };
    out += &answer(&lead);
    if audit.settings.criteria.len() > 1 {
        out += "\n";
        out += &columns(&front::criteria(audit), 1);
        for criterion in &audit.settings.criteria[1..] {
            let reasons = front::answered(audit, *criterion).map(|one| one.reasons()).unwrap_or_default();
            if !reasons.0.is_empty() && reasons != lead.reasons() {
                let line = format!("{}. {}", capital(criterion.words()), reasons.in_columns());
                out += &wrapped(&line, "  ", WIDTH);
            }
        }
    }
    out + &truth_line(audit)
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
        "{} rows{weight} · groups {} · {} means {} · {} {}: {}{lent}",
        thousands(input.rows as f64),
        list(&input.groups),
        Voice::of(audit).selected(),
        words::selected(audit).in_columns(),
        proxies.len(),
        if proxies.len() == 1 { "proxy" } else { "proxies" },
        list(&proxies),
    )
}

/// The finding, the honest range under it, and what that is in people.
fn answer(lead: &Answered) -> String {
    let mut out = String::new();
    let mut line = |indent: &str, sentence: Sentence| {
        if !sentence.0.is_empty() {
            out += &wrapped(&sentence.in_columns(), indent, WIDTH);
        }
    };
    line("  ", lead.headline());
    let honest = lead.honest();
    if !honest.0.is_empty() && matches!(lead.big(), Big::Number(_)) {
        line("  ", Sentence::of("Honest range ").then(honest).text(lead.allows() + "."));
    } else if !honest.0.is_empty() {
        line("  ", Sentence::of(format!("The range holds{}.", lead.allows())));
    }
    let sampling = lead.sampling();
    if !sampling.0.is_empty() {
        line("  ", sampling.text("."));
    }
    for more in [lead.people(), lead.ratio(), lead.left_out(), lead.reasons()] {
        line("  ", more);
    }
    out
}

/// What the numbers are beside the truth, where that is known.
fn truth_line(audit: &Audit) -> String {
    let Some(truth) = &audit.truth else { return String::new() };
    let mut out = String::new();
    let known = |criterion, aggregate| {
        let same =
            |t: &&fairveil_core::record::TrueValue| t.criterion == criterion && t.aggregate == aggregate;
        number(truth.iter().find(same).and_then(|t| t.value))
    };
    let one =
        |criterion: &Criterion| format!("{} {}", criterion.words(), known(*criterion, Aggregate::Difference));
    let all: Vec<String> = audit.settings.criteria.iter().map(one).collect();
    out += &wrapped(
        &format!("The true gap, known here and only compared with: {}.", all.join(", ")),
        "  ",
        WIDTH,
    );
    let mean = |criterion: &Criterion| {
        let of_it = |r: &&fairveil_core::record::Measurement| {
            r.criterion == *criterion && r.aggregate == Aggregate::MeanPairwise && r.recommended
        };
        let result = audit.results.iter().find(of_it)?;
        let off = result.errors.and_then(|errors| errors.normalized_error);
        let truth = known(*criterion, Aggregate::MeanPairwise);
        Some(format!("{} {} (truth {truth}, {} off)", criterion.words(), number(result.value), percent(off)))
    };
    let means: Vec<String> = audit.settings.criteria.iter().filter_map(mean).collect();
    if !means.is_empty() {
        out += &wrapped(&format!("The paper's mean gap: {}.", means.join(", ")), "  ", WIDTH);
    }
    for reason in truth_missing(audit) {
        out += &wrapped(&reason, "  ", WIDTH);
    }
    out
}

/// What the answer rests on and what would settle it.
fn grounds(audit: &Audit) -> String {
    let rests = format!("{}: {}", head("Rests on"), front::rests_on(audit).in_columns());
    let settles = format!("{}: {}", head("What would settle it"), front::settles(audit));
    format!("\n{}{}", wrapped(&rests, "", WIDTH), wrapped(&settles, "", WIDTH))
}

/// How many warnings there are; those that matter by name, serious ones in full.
fn doubts(audit: &Audit, about: &About) -> String {
    let mut out = format!("\n{}: {}\n", head("What to doubt"), front::doubts(audit));
    for one in front::of_severity(&audit.findings, Severity::Serious) {
        let _ = writeln!(out, "  {}: {}{}", tag(one.first), one.first.title, more(one.more.len()));
        let message = about.spelled(&one.first.message);
        // The answer above has said why it has no number.
        if !front::is_said(audit, &message) {
            out += &wrapped(&message, "    ", WIDTH);
        }
        out += &wrapped(&about.spelled(&one.first.advice), "    ", WIDTH);
    }
    for one in front::of_severity(&audit.findings, Severity::Warning) {
        let _ = writeln!(out, "  {}: {}{}", tag(one.first), one.first.title, more(one.more.len()));
    }
    let notes = front::of_severity(&audit.findings, Severity::Info);
    if !notes.is_empty() {
        let named: Vec<String> =
            notes.iter().map(|one| format!("{} {}", one.first.code, one.first.title)).collect();
        out += &wrapped(&format!("notes: {}", named.join("; ")), "  ", WIDTH);
    }
    out
}

/// `, in 6 places`.
fn more(others: usize) -> String {
    if others == 0 { String::new() } else { format!(" ({} times)", others + 1) }
}

fn criterion_notes(audit: &Audit, criterion: Criterion) -> String {
    let named = |sentence: Sentence| format!("{}: {}", capital(criterion.words()), sentence.in_columns());
    let mut out = String::new();
    let mut reasons: Vec<String> = Vec::new();
    for result in measured(&audit.results, "").filter(|r| r.criterion == criterion) {
        let reason = result.unavailable.as_ref();
        let note = reason.map(|reason| format!("– {}: {reason}.", result.origin().in_columns()));
        reasons.extend(note.filter(|note| !reasons.contains(note)));
    }
    let test = words::test(audit, criterion).map(named);
    let bounds = words::bounds(audit, criterion).into_iter().map(named);
    let what_if = audit.shared_error.iter().find(|record| record.criterion == criterion);
    let what_if = what_if.map(|record| named(words::what_if(audit, "", record).capital()));
    for line in reasons.into_iter().chain(test).chain(bounds).chain(what_if) {
        out += &wrapped(&line, "  ", WIDTH);
    }
    out
}

/// The paper's mean gap on every basis, and how far off it is where the truth is known.
fn mean_section(audit: &Audit) -> String {
    let mut out = format!("\n{}\n", head("The paper's mean gap, over all pairs of groups and classes"));
    let truth = audit.truth.is_some();
    let mut heads = vec!["basis", "mean gap", "interval", "honest range"];
    if truth {
        heads.extend(["raw error", "normalised error", "improvement"]);
    }
    let mut table = Table::with_head(heads);
    for criterion in &audit.settings.criteria {
        table.part(Sentence::of(capital(criterion.words())));
        let of_it = |r: &Measured| r.criterion == *criterion && r.aggregate == Aggregate::MeanPairwise;
        for mean in measured(&audit.results, "").filter(of_it) {
            let mut cells = vec![mean.short_origin(), mean.value().into(), mean.sampling(), mean.honest()];
            cells.extend(mean.errors().filter(|_| truth).into_iter().flatten());
            table.rows.push(crate::table::Row { cells, strong: mean.recommended, segment: None });
        }
    }
    out += &columns(&table, 1);
    if truth {
        out += &wrapped(words::ERRORS, "  ", WIDTH);
    }
    out
}

fn rates_section(audit: &Audit) -> String {
    let Some((_, record)) = words::usual_rates(audit) else { return String::new() };
    let origin = origin(&record.origin).in_columns();
    let mut out = format!("{} ({origin})\n", head("Rates by group"));
    let rates = Rate::asked(audit, &record.groups);
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
    let whose = if first.proxy.is_some() { "one table for each proxy" } else { "one table for all proxies" };
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

/// A share as a percentage. Of next to nothing, everything is thousands of times too much.
fn percent(share: Option<f64>) -> String {
    match share {
        None => "–".into(),
        Some(share) if share > 10.0 => "more than 1,000 %".into(),
        Some(share) => format!("{:.1} %", (share * 1e3).round() / 10.0 + 0.0),
    }
}
