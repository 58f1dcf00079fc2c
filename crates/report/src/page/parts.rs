//! Sentences, tables and figures as HTML, and the parts of a page that are words.

use crate::About;
use crate::audit::plots::place;
use crate::audit::{front, words};
use crate::plot::Plot;
use crate::sentence::{Figure, Piece, Sentence, Unit, capital, clean};
use crate::table::Table;
use crate::words::Rate;
use fairveil_core::diagnose::{Severity, explain};
use fairveil_core::record::NoiseRecord;
use fairveil_core::setting::Text;
use fairveil_core::{Audit, Criterion, Finding};
use maud::{Markup, html};

/// A name from the table: set apart from the direction of the text around it. A long one is cut, here or by the style
/// sheet, and shows whole on hovering; the page says it whole where it says its source.
pub(crate) fn name(text: &str) -> Markup {
    let text = clean(text);
    let long = text.chars().count() > NARROW;
    html! { bdi.name title=[long.then_some(&text)] { (shortened(&text)) } }
}

/// A name with all its letters.
pub(crate) fn whole_name(text: &str) -> Markup {
    html! { bdi { (clean(text)) } }
}

/// Past this a name may be cut in a table.
const NARROW: usize = 20;
/// Past this it is cut in a sentence.
const WIDE: usize = 60;

fn shortened(text: &str) -> String {
    if text.chars().count() <= WIDE {
        return text.to_owned();
    }
    text.chars().take(WIDE - 1).chain(['…']).collect()
}

/// A number: the digits that its interval supports, with all of them, and its place in the JSON, behind.
pub(crate) fn number(figure: &Figure) -> Markup {
    number_as(figure, &unbroken(&figure.shown()))
}

/// The same in other letters, where there is little room.
pub(crate) fn number_as(figure: &Figure, shown: &str) -> Markup {
    let shows = (figure.unit == Unit::Otherwise).then_some("one minus value");
    match (figure.value, &figure.path) {
        (Some(value), Some(path)) => {
            html! { data value=(format!("{value:?}")) data-path=(path) data-shows=[shows] { (shown) } }
        }
        _ => html! { (shown) },
    }
}

pub(crate) fn sentence(sentence: &Sentence) -> Markup {
    html! {
        @for piece in &sentence.0 {
            @match piece {
                Piece::Text(text) => (unbroken(text)),
                Piece::Name(text) => (name(text)),
                Piece::Number(figure) => (number(figure)),
                Piece::Small(text) => small { (unbroken(text)) },
            }
        }
    }
}

/// A number and its percent sign stay on one line.
fn unbroken(text: &str) -> String {
    clean(text).replace(" %", "\u{a0}%")
}

/// A table that scrolls in its own frame where it is wider than the page.
pub(crate) fn table(table: &Table, caption: &str) -> Markup {
    let numeric = |cell: &Sentence| cell.is_number() || cell.0.is_empty();
    let right = |i: usize| {
        let numbers = table.rows.iter().all(|row| row.cells.get(i).is_none_or(numeric));
        (i > 0 && numbers).then_some("number")
    };
    html! {
        div.scroll role="group" aria-label=(clean(caption)) tabindex="0" {
            table {
                caption.hidden { (clean(caption)) }
                thead { tr { @for (i, head) in table.head.iter().enumerate() {
                    th scope="col" class=[right(i)] { (sentence(head)) }
                } } }
                tbody { @for row in &table.rows {
                    @if row.is_part(table) {
                        tr.part { th scope="colgroup" colspan=(table.head.len()) { (sentence(&row.cells[0])) } }
                    } @else {
                    tr class=[row.strong.then_some("strong")] data-segment=[row.segment] { @for (i, cell) in row.cells.iter().enumerate() {
                        @if i == 0 {
                            th scope="row" { (sentence(cell)) @if row.strong { span.mark { " to report" } } }
                        } @else {
                            td class=[right(i)] { (sentence(cell)) }
                        }
                    } }
                    }
                } }
            }
        }
    }
}

/// A plot with its title, its reading and its table.
pub(crate) fn figure(plot: &Plot) -> Markup {
    let title = plot.title.plain();
    html! {
        figure {
            figcaption { h3 { (sentence(&plot.title)) } p { (sentence(&plot.reading)) " " span.key { (sentence(&plot.key)) } } }
            div class=(if plot.table.head.len() > 5 { "pair wide" } else { "pair" }) {
                (plot.canvas.inline(&plot.id, &title, &plot.description()))
                (table(&plot.table, &title))
            }
        }
    }
}

/// The answer with the name of its criterion set off.
pub(crate) fn answer(audit: &Audit, criterion: Criterion) -> Markup {
    answer_under("", audit, criterion)
}

/// The same of an audit in a larger document.
pub(crate) fn answer_under(root: &str, audit: &Audit, criterion: Criterion) -> Markup {
    let mut pieces = words::answer(audit, criterion).under(root).0.into_iter();
    let name = Sentence(pieces.next().into_iter().collect());
    html! { strong { (sentence(&name)) } (sentence(&Sentence(pieces.collect()))) }
}

/// Why a basis has no number, each reason once.
pub(crate) fn reasons(reasons: &[(Sentence, &str)]) -> Markup {
    html! {
        @if !reasons.is_empty() {
            ul.reasons { @for (origin, reason) in reasons {
                li { strong { "No number, " (sentence(origin)) ": " } (clean(reason)) "." }
            } }
        }
    }
}

/// How to read the gaps on every basis.
pub(crate) const BASES: &str = "Every way of computing the gap, side by side. Proxies read directly take a guess for the group. The \
     others undo the errors of the guesses, each in its own way.";

/// The paper's mean gap and the ratio, folded away.
pub(crate) fn other_aggregates(title: &str, with_truth: bool, aggregates: &Table) -> Markup {
    html! {
        details {
            summary { (title) }
            p.note {
                "Mean gap: over all pairs of groups and classes, as in the paper. Ratio: smallest over largest rate, 1 is no gap."
                @if with_truth { " " (words::ERRORS) }
            }
            (table(aggregates, title))
        }
    }
}

/// What the columns of the usual rates mean.
pub(crate) fn meaning(audit: &Audit) -> Sentence {
    let Some((_, record)) = words::usual_rates(audit) else { return Sentence::default() };
    // The share needs no words.
    let meaning = words::meaning(audit, &Rate::asked(audit, &record.groups)[1..], |rate| rate.words)
        .capital()
        .text(".");
    if record.groups.iter().any(|group| group.intervals.is_some()) {
        return meaning;
    }
    meaning.text(" There are no intervals of these.")
}

/// Where the proxies' error could not be estimated, and why.
pub(crate) fn no_matrix(audit: &Audit) -> Markup {
    let labels = audit.settings.criteria.iter().any(|criterion| criterion.needs_labels());
    let asked = |record: &&NoiseRecord| {
        labels || record.stratum.as_ref().is_none_or(|stratum| stratum.label.is_none())
    };
    let missing: Vec<_> = audit.noise.iter().filter(|record| !record.feasible).filter(asked).collect();
    html! {
        @if !missing.is_empty() {
            ul.reasons { @for record in missing {
                li {
                    strong { "No matrix, " (record.estimator) ", " (record.scope.name()) ", " (sentence(&place(audit, record))) ": " }
                    (clean(record.reason.as_deref().unwrap_or("it cannot be estimated"))) "."
                }
            } }
        }
    }
}

/// The class and the word of a finding's severity.
pub(crate) fn severity(finding: &Finding) -> (String, String) {
    let word = crate::words::severity(finding.severity);
    let class = if finding.severity == Severity::Info { "info" } else { word };
    (format!("finding {class}"), capital(word))
}

/// Findings, most serious first, those of one kind together, each with its explanation folded away.
pub(crate) fn findings(findings: &[Finding], about: &About) -> Markup {
    html! {
        @if findings.is_empty() { p { "Nothing was found to doubt, which does not mean that there is nothing." } }
        @for one in front::merged(findings) {
            @let finding = one.first;
            @let (class, word) = severity(finding);
            article class=(class) {
                h3 { span.severity { (word) " " (finding.code) } " " (finding.title) }
                p { (clean(&finding.message.to_string())) }
                @if !one.more.is_empty() {
                    ul.reasons { @for finding in &one.more { li { (clean(&finding.message.to_string())) } } }
                }
                @if let Some(entry) = explain(&finding.code) {
                    details.screen {
                        summary { "What " (finding.code) " means and why it matters" }
                        @for line in about.spelled(&entry.text).lines() {
                            @match line.strip_prefix("# ") {
                                Some(title) => h4 { (title) },
                                None => p { (line) },
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What to report, what to do first, and what the findings ask for, each once.
pub(crate) fn next(audit: &Audit) -> Markup {
    let advised = words::advised(audit);
    html! {
        @match advised {
            Some(origin) => p { strong { "Report the gap from " (sentence(&origin)) ". " } (capital(&clean(&audit.advice.reason))) "." },
            None => p { strong { "Report no single number. " } (capital(&clean(&audit.advice.reason))) "." },
        }
        @if !audit.advice.next.is_empty() {
            ol.steps { @for step in &audit.advice.next { li { (unbroken(&step.text.to_string())) } } }
        }
        (asked(&audit.findings, !audit.advice.next.is_empty()))
    }
}

/// What findings ask for, each once, under a heading where other things to do stand before it.
pub(crate) fn asked(findings: &[Finding], headed: bool) -> Markup {
    let mut steps: Vec<(Vec<&str>, &Text)> = Vec::new();
    for finding in findings {
        match steps.iter_mut().find(|(_, advice)| **advice == finding.advice) {
            Some((codes, _)) if codes.contains(&&*finding.code) => {}
            Some((codes, _)) => codes.push(&finding.code),
            None => steps.push((vec![&*finding.code], &finding.advice)),
        }
    }
    html! {
        @if !steps.is_empty() {
            @if headed { h3 { "What the findings ask for" } }
            ol.steps { @for (codes, advice) in &steps {
                li { (clean(&advice.to_string())) " " span.codes { "(" (codes.join(", ")) ")" } }
            } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_the_json_does_not_have_points_nowhere() {
        let shown = |figure: Figure| number(&figure).into_string();
        assert_eq!(shown(Figure::bare(Some(0.25))), "0.25");
        assert_eq!(
            shown(Figure::new(Some(0.25), "/gap")),
            "<data value=\"0.25\" data-path=\"/gap\">0.25</data>"
        );
        assert_eq!(shown(Figure::new(Some(f64::NAN), "/gap")), "–");
    }
}
