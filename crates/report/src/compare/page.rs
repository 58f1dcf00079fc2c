//! One page for several models: whose gap is smaller, how sure that is, and what each model's audit rests on.

use super::plots::{brief, chances, models, pairs};
use super::words::{self, MEANING, in_order};
use crate::About;
use crate::audit::{merged, words as audit_words};
use crate::page::frame::{Head, Section, dek, file_name, frame};
use crate::page::parts::{answer_under, figure, name, number_as, sentence, severity, table};
use crate::page::reference::{self, Audited};
use crate::sentence::{Sentence, capital, clean};
use fairveil_core::compare::{ModelPair, ModelRecord, WhyNoOrder};
use fairveil_core::{Comparison, Criterion};
use maud::{Markup, html};

/// The comparison as one HTML page.
pub(super) fn html(comparison: &Comparison, about: &About) -> String {
    let criteria = words::criteria(comparison);
    let audits: Vec<_> = comparison.models.iter().map(|model| &model.audit).collect();
    let audited = Audited { audits, root: "/models/0/audit" };
    let answers = html! {
        @for criterion in &criteria {
            @for (i, pair) in in_order(comparison, *criterion) { (answer(*criterion, i, pair)) }
        }
        (assumes(comparison))
    };
    let mut sections = vec![
        Section::new("answer", "Answer", "Whose gap is smaller", answers),
        Section::new("gaps", "Gaps", "The gap of every model", gaps(comparison, &criteria)),
        Section::new("models", "Models", "What each model's audit says", each(comparison, &criteria)),
    ];
    sections.extend(reference::sections(&audited, about, drawn()));
    let (count, table) = (comparison.models.len(), file_name(about.table));
    let head = Head {
        title: format!("{count} models on {table}"),
        heading: html! { (count) " models compared on " (name(table)) },
        dek: audited.audits.first().map_or(Sentence::default(), |audit| dek(audit).under(audited.root)),
        summary: summary(comparison, &criteria),
    };
    frame(&head, about, &sections)
}

fn answer(criterion: Criterion, i: usize, pair: &ModelPair) -> Markup {
    let supported = pair.no_order.as_ref().is_none_or(|reason| reason.why != WhyNoOrder::NotSupported);
    let chance = words::chance(i, pair).filter(|_| supported);
    html! {
        div.answer {
            div.figure {
                @match &chance {
                    Some(chance) => { p.big { (number_as(chance, &brief(chance))) } p.range { "chance" } }
                    None if supported => p.big.wide { "No chance" },
                    None => p.big.wide { "No order" },
                }
            }
            p.sentence {
                strong { (capital(criterion.words())) ": " }
                (sentence(&words::sentence(i, pair)))
            }
        }
    }
}

/// What the numbers are and what the models' audits assume, each once.
fn assumes(comparison: &Comparison) -> Markup {
    let mut cautions: Vec<(&str, Vec<&str>)> = Vec::new();
    for model in &comparison.models {
        let caution = audit_words::caution(&model.audit);
        match cautions.iter_mut().find(|(other, _)| *other == caution) {
            Some((_, names)) => names.push(&model.model),
            None => cautions.push((caution, vec![&model.model])),
        }
    }
    let several = cautions.len() > 1;
    html! {
        p.assumes { strong { "What the numbers are. " } (MEANING) }
        @for (caution, names) in &cautions {
            p {
                strong { "What this assumes" @if several { " (" (listed(names)) ")" } ". " }
                (caution)
            }
        }
    }
}

fn listed(names: &[&str]) -> Markup {
    html! { @for (i, one) in names.iter().enumerate() { @if i > 0 { ", " } (name(one)) } }
}

fn gaps(comparison: &Comparison, criteria: &[Criterion]) -> Markup {
    let part = |criterion: Criterion| {
        let title = format!("{}: pair by pair", capital(criterion.words()));
        html! {
            (figure(&models(comparison, criterion)))
            @match chances(comparison, criterion) {
                Some(plot) => (figure(&plot)),
                None => { h3 { (title) } (table(&pairs(comparison, criterion), &title)) }
            }
        }
    };
    html! {
        p.lead { "Every model on one scale: the gap that the first proxy shows, and the gap with the proxies' estimated errors undone." }
        @for criterion in criteria { (part(*criterion)) }
    }
}

fn each(comparison: &Comparison, criteria: &[Criterion]) -> Markup {
    html! {
        p.lead { "Each model was audited on its own. For all plots of one, audit it alone." }
        @for (m, model) in comparison.models.iter().enumerate() { (one(m, model, criteria)) }
    }
}

fn one(m: usize, model: &ModelRecord, criteria: &[Criterion]) -> Markup {
    let (audit, root) = (&model.audit, format!("/models/{m}/audit"));
    html! {
        h3 { (name(&model.model)) }
        @for criterion in criteria { p { (answer_under(&root, audit, *criterion)) } }
        details {
            summary { "What it relies on and what to doubt: " (name(&model.model)) }
            p {
                @match (audit.advice.estimator, audit.advice.scope) {
                    (Some(estimator), Some(scope)) => { "Relies on " (estimator) ", " (scope.name()) ". " }
                    (Some(estimator), None) => { "Relies on " (estimator) ". " }
                    _ => "Relies on no calibrated number. ",
                }
                (capital(&clean(&audit.advice.reason))) ". " (audit_words::errors_lead(audit))
            }
            @for one in merged(&audit.findings) {
                @let finding = one.first;
                @let (class, word) = severity(finding);
                article class=(class) {
                    h4 { span.severity { (word) " " (finding.code) } " " (finding.title) }
                    p { (clean(&finding.message.to_string())) " " (clean(&finding.advice.to_string())) }
                    @for other in &one.more { p { (clean(&other.message.to_string())) } }
                }
            }
            @if !audit.advice.next.is_empty() {
                h4 { "What to do next" }
                ol.steps { @for step in &audit.advice.next { li { (clean(&step.text.to_string())) } } }
            }
        }
    }
}

/// How chances are made.
fn drawn() -> Markup {
    html! {
        p {
            "Rows are drawn anew, all decisions of a row together, and every model's rates are estimated on the same draw by the \
             method its audit relies on. The chance that one gap is the smaller answers this: how often would two models \
             with equal gaps look this unequal, given the noise that the draws show? The chance is one minus that; ties count \
             half. A model does not lose for being known less well. Draws that leave a model without an estimate count for neither side. The same is asked under \
             every explanation that the tables do not rule out, with shared error from none up to that stated."
        }
    }
}

fn summary(comparison: &Comparison, criteria: &[Criterion]) -> String {
    let of_one = |criterion: &Criterion| {
        let pairs = in_order(comparison, *criterion);
        let words: Vec<String> = pairs.iter().map(|(i, pair)| words::sentence(*i, pair).plain()).collect();
        format!("{}: {}", capital(criterion.words()), words.join(" "))
    };
    criteria.iter().map(of_one).collect::<Vec<_>>().join(" ")
}
