//! The page of an audit: the answer on one sheet, then the evidence in the order that a sceptic reads.

use super::front::{self, Answered, Big};
use super::plots::{Plots, against_truth, bases, truth_missing, usual_rates};
use super::{known, measures, outcome, words};
use crate::About;
use crate::page::frame::{Head, Section, frame, sheet};
use crate::page::parts::{self, figure, number, sentence, table};
use crate::page::reference::{self, Audited};
use crate::sentence::{Sentence, capital, clean};
use fairveil_core::Audit;
use fairveil_core::diagnose::Severity;
use maud::{Markup, html};

/// The audit as one HTML page.
pub(super) fn html(audit: &Audit, about: &About) -> String {
    let plots = Plots::of(audit);
    let mut sections = vec![Section::new("answer", "Answer", "The answer", answer(audit, &plots))];
    sections.extend(evidence(audit, &plots, about));
    let audited = Audited { audits: vec![audit], root: "" };
    sections.extend(reference::sections(&audited, about, ""));
    frame(&Head::of(audit, about), about, &sections)
}

/// The answer alone, on one printed sheet.
pub(super) fn brief(audit: &Audit, about: &About) -> String {
    let plots = Plots::of(audit);
    let section = Section::new("answer", "Answer", "The answer", answer(audit, &plots));
    sheet(&Head::of(audit, about), about, section, &reference::origin_line(audit, about))
}

/// All that stands behind the answer.
pub(super) fn evidence(audit: &Audit, plots: &Plots, about: &About) -> Vec<Section> {
    let mut sections = vec![
        Section::new("gaps", "Gaps", "The gap on every basis", gaps(audit, plots)),
        Section::new("rates", "Rates", "Rates by group", rates(audit, plots)),
        Section::new("errors", "Proxies", "How the proxies err", errors(audit, plots)),
    ];
    if !plots.shared_error.is_empty() {
        let title = "What if the proxies share mistakes";
        sections.push(Section::new("shared", "Shared error", title, shared_error(plots)));
    }
    sections.extend([
        Section::new("doubt", "Doubt", "What to doubt", parts::findings(&audit.findings, about)),
        Section::new("next", "Next", "What to do next", parts::next(audit)),
    ]);
    sections
}

/// Page one: what was found, how sure that is, what it rests on, what to doubt and what would settle it.
pub(super) fn answer(audit: &Audit, plots: &Plots) -> Markup {
    let Some(lead) = front::lead(audit) else { return html! {} };
    let several = audit.settings.criteria.len() > 1;
    html! {
        div.front {
            div.finding-first {
                (big(&lead))
                p.headline { (sentence(&lead.headline())) }
                @for more in [lead.people(), lead.ratio(), lead.left_out(), lead.reasons()] {
                    @if !more.0.is_empty() { p { (sentence(&more)) } }
                }
                p.note { (sentence(&front::meaning(audit))) }
            }
            (doubts(audit))
        }
        @if let Some(plot) = &plots.front { (figure(plot)) }
        @if several { (table(&front::criteria(audit), "The gap by every criterion")) (other_reasons(audit)) }
        div.grounds {
            p { strong { "What it rests on. " } (sentence(&front::rests_on(audit))) }
            p { strong { "What would settle it. " } (clean(&front::settles(audit))) }
        }
    }
}

/// The number with its honest range under it, or what stands in its place.
fn big(answered: &Answered) -> Markup {
    let (honest, sampling) = (answered.honest(), answered.sampling());
    let below = html! {
        @if !honest.0.is_empty() {
            p.range { strong { "honest range " (sentence(&honest)) } (clean(&answered.allows())) }
        }
        @if !sampling.0.is_empty() { p.detail { (sentence(&sampling)) } }
    };
    html! {
        @match answered.big() {
            Big::Number(figure) => { p.big { (number(&figure)) } (below) }
            Big::Range(range) => { p.big { (sentence(&range)) } p.range { "a range without a number inside it" (clean(&answered.allows())) } }
            Big::Words(words) => p.big { (capital(words)) },
        }
    }
}

/// How many warnings there are, and the titles of those that matter.
fn doubts(audit: &Audit) -> Markup {
    let listed = |severity| front::of_severity(&audit.findings, severity);
    let (serious, warnings) = (listed(Severity::Serious), listed(Severity::Warning));
    let class = match (serious.is_empty(), warnings.is_empty()) {
        (false, _) => "doubts serious",
        (true, false) => "doubts warning",
        (true, true) => "doubts",
    };
    html! {
        div class=(class) {
            p { strong { (front::doubts(audit)) } }
            @if !serious.is_empty() || !warnings.is_empty() {
                ul { @for one in serious.iter().chain(warnings.iter()).take(6) {
                    li { (capital(&one.first.title)) " " span.codes { "(" (one.first.code) ")" } }
                } }
            }
            @if !audit.findings.is_empty() { p.codes { "Each is explained on the full page, under “What to doubt”." } }
        }
    }
}

/// Why other criteria than the first have no number.
fn other_reasons(audit: &Audit) -> Markup {
    let others = audit.settings.criteria.iter().skip(1);
    let said = front::lead(audit).map(|lead| lead.reasons());
    html! {
        @for criterion in others {
            @if let Some(one) = front::answered(audit, *criterion) {
                @let reasons = one.reasons();
                @if !reasons.0.is_empty() && Some(&reasons) != said.as_ref() {
                    p.note { strong { (capital(criterion.words())) ". " } (sentence(&reasons)) }
                }
            }
        }
    }
}

fn gaps(audit: &Audit, plots: &Plots) -> Markup {
    html! {
        p.lead { (parts::BASES) }
        (table(&bases(audit), "The gap on every basis"))
        @for criterion in &audit.settings.criteria { (parts::reasons(&words::reasons(audit, *criterion))) }
        @for reason in truth_missing(audit) { p.note { (clean(&reason)) } }
        @let notes = notes(audit);
        @if !notes.is_empty() { ul.reasons { @for note in &notes { li { (sentence(note)) } } } }
        @if let Some(truth) = against_truth(audit) {
            details {
                summary { "The paper's mean gap beside the truth" }
                p.note { "Mean gap: over all pairs of groups and classes, as in the paper. " (words::ERRORS) }
                (table(&truth, "The paper's mean gap beside the truth"))
            }
        }
        @if !plots.forests.is_empty() {
            details.screen {
                summary { "The same, drawn for each criterion" }
                @for plot in &plots.forests { (figure(plot)) }
            }
        }
    }
}

/// Tests and bounds of all criteria, a line each.
fn notes(audit: &Audit) -> Vec<Sentence> {
    let of_one = |criterion: &fairveil_core::Criterion| {
        let named =
            |sentence: Sentence| Sentence::of(format!("{}: ", capital(criterion.words()))).then(sentence);
        let test = words::test(audit, *criterion).map(named);
        test.into_iter().chain(words::bounds(audit, *criterion).into_iter().map(named)).collect::<Vec<_>>()
    };
    audit.settings.criteria.iter().flat_map(of_one).collect()
}

fn rates(audit: &Audit, plots: &Plots) -> Markup {
    html! {
        @if plots.rates.is_empty() && plots.front.is_none() { p { "No rate by group can be given. The reasons are above." } }
        @if let Some((origin, rates)) = usual_rates(audit) {
            h3 { "The usual rates" }
            p.note { (sentence(&origin.capital())) ". " (sentence(&parts::meaning(audit))) }
            (table(&rates, "The usual rates of every group"))
        }
        @for plot in plots.rates.iter().chain(&plots.outcome) { (figure(plot)) }
        @for told in measures::told(audit).into_iter().chain(outcome::told(audit)) {
            h3 { (sentence(&told.heading)) }
            p.note { (told.meaning) }
            @if !told.table.rows.is_empty() { (table(&told.table, &told.heading.plain())) }
            @if !told.reasons.is_empty() { ul.reasons { @for reason in &told.reasons { li { (sentence(reason)) } } } }
        }
    }
}

/// More matrices than this are folded away.
const MOST_MATRICES: usize = 6;

fn errors(audit: &Audit, plots: &Plots) -> Markup {
    let (shown, more) = plots.matrices.split_at(plots.matrices.len().min(MOST_MATRICES));
    html! {
        p.lead { (words::errors_lead(audit)) }
        @for plot in shown { (figure(plot)) }
        @if !more.is_empty() {
            details.screen {
                summary { (more.len()) " more by the same method" }
                @for plot in more { (figure(plot)) }
            }
        }
        (parts::no_matrix(audit))
        @if !plots.other_matrices.is_empty() {
            details.screen {
                summary { "By other methods, in other rows: " (plots.other_matrices.len()) }
                @for plot in &plots.other_matrices { (figure(plot)) }
                @if plots.further_matrices > 0 { p.note { (plots.further_matrices) " more are in the JSON." } }
            }
        }
        @if let Some(plot) = &plots.agreement { (figure(plot)) }
        @for told in known::told(audit) {
            h3 { (sentence(&told.heading)) }
            p.note { (told.meaning) }
            (table(&told.table, &told.heading.plain()))
            @if !told.reasons.is_empty() { ul.reasons { @for reason in &told.reasons { li { (sentence(reason)) } } } }
        }
    }
}

fn shared_error(plots: &Plots) -> Markup {
    html! {
        p.lead {
            "Proxies that repeat each other's mistakes look better than they are, and the true gap is then larger. The table \
             cannot show how much they share. This is what follows from each share."
        }
        @for plot in plots.shared_error.iter().take(1) { (figure(plot)) }
        @if plots.shared_error.len() > 1 {
            ul.reasons { @for plot in &plots.shared_error[1..] {
                li { strong { (sentence(&plot.title)) ". " } (sentence(&plot.reading)) }
            } }
            details.screen {
                summary { "The same curves for the other criteria" }
                @for plot in &plots.shared_error[1..] { (figure(plot)) }
            }
        }
    }
}
