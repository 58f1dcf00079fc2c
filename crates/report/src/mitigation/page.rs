//! One page about a mitigation: what it gains, what it costs, what zero means, what to doubt.

use super::criteria;
use super::plots::{MitigationPlots, learned_from, multipliers, other_aggregates};
use super::words::{self, Side, sides};
use crate::About;
use crate::page::frame::{Head, Section, file_name, frame};
use crate::page::parts::{self, asked, figure, findings, name, number, sentence, table, whole_name};
use crate::page::reference::{cited, made_facts, names, table_facts};
use crate::sentence::{Figure, Sentence, capital, clean};
use fairveil_core::mitigate::{MeasuredOn, Method, MitigationRecord};
use maud::{Markup, html};

/// The mitigation as one HTML page.
pub(super) fn html(record: &MitigationRecord, about: &About) -> String {
    let plots = MitigationPlots::of(record);
    let doubt = html! { (findings(&record.findings, about)) (asked(&record.findings, true)) };
    let sections = [
        Section::new("answer", "Answer", "The answer", answer(record)),
        Section::new("gap-part", "Gap", "The gap before and after", gap(record, &plots)),
        Section::new("criteria", "Criteria", "Every criterion before and after", every_criterion(record)),
        Section::new("accuracy-part", "Accuracy", "What it costs", figure(&plots.accuracy)),
        Section::new("rates-part", "Rates", "Rates by group", rates(&plots)),
        Section::new("tolerances", "Tolerances", "Other tolerances", tolerances(&plots)),
        Section::new("errors", "Proxies", "How the proxies err", errors(record, &plots)),
        Section::new("zero", "Zero", "What zero means", zero()),
        Section::new("doubt", "Doubt", "What to doubt", doubt),
        Section::new("source", "Source", "Where it came from", source(record, about)),
        Section::new("method", "Method", "How it was done", method(record)),
    ];
    let (criterion, table) = (record.criterion.words(), file_name(about.table));
    let head = Head {
        title: format!("Mitigation of {criterion} in {table}"),
        heading: html! { "Mitigation of " (criterion) " in " (name(table)) },
        dek: dek(record),
        summary: words::answer(record).plain(),
    };
    frame(&head, about, &sections)
}

fn dek(record: &MitigationRecord) -> Sentence {
    let input = &record.input;
    let proxies = match input.proxies.len() {
        1 => "one proxy that guesses".to_string(),
        n => format!("{n} proxies that guess"),
    };
    let start = Sentence::of(format!("A {} fitted on ", words::rule(record)))
        .number(Figure::count(input.rows_fitted, "/input/rows_fitted"));
    let measured = match &record.settings.measured_on {
        MeasuredOn::CrossFitted { .. } => {
            start.text(" rows and measured on the same, ").text(words::CROSS_FITTED)
        }
        MeasuredOn::HeldOut | MeasuredOn::Column { .. } => start
            .text(" rows and measured on ")
            .number(Figure::count(input.rows_held_out, "/input/rows_held_out"))
            .text(" others"),
    };
    measured
        .text(format!(
            ", with {proxies} which of {} groups a person is in. To decide, it needs neither a group nor a proxy.",
            input.groups.len()
        ))
}

fn answer(record: &MitigationRecord) -> Markup {
    let [before, after] = sides(record);
    let confidence = format!("{:.0}\u{a0}%: ", 100.0 * record.settings.confidence);
    let gap = |side: Side| {
        html! {
            div {
                p.range { "Gap " (side.name) }
                @match side.gap() {
                    Some(gap) => {
                        p.big { (number(&gap.value())) }
                        @if gap.ends().is_some() { p.range { (confidence) (sentence(&gap.sampling())) } }
                    }
                    None => { p.big { "–" } p.range { "no number" } }
                }
            }
        }
    };
    let accuracy = |side: Side| {
        html! {
            div {
                p.range { (if words::imitates(record) { "Agreement " } else { "Accuracy " }) (side.name) }
                p.big { (number(&side.accuracy())) }
                p.range { (confidence) (sentence(&side.accuracy_range())) }
            }
        }
    };
    let approvals = |side: Side| {
        html! {
            div {
                p.range { "Decided positive " (side.name) }
                p.big { (number(&side.positive())) }
                p.range { (confidence) (sentence(&side.positive_range())) }
            }
        }
    };
    let mut pieces = words::answer(record).0.into_iter();
    let first = Sentence(pieces.next().into_iter().collect());
    html! {
        div.change {
            (gap(before)) (gap(after))
            // Decisions agree with themselves.
            @if !words::imitates(record) { (accuracy(before)) }
            (accuracy(after))
            (approvals(before)) (approvals(after))
        }
        p.sentence { strong { (sentence(&first)) } (sentence(&Sentence(pieces.collect()))) }
        p.assumes { strong { "What this assumes. " } (words::caution(record)) }
    }
}

fn gap(record: &MitigationRecord, plots: &MitigationPlots) -> Markup {
    let aggregates = other_aggregates(record);
    let truth = record.before.true_gap.or(record.after.true_gap).is_some();
    html! {
        p.lead { (parts::BASES) }
        (figure(&plots.gaps))
        (parts::reasons(&words::reasons(record)))
        @if !aggregates.rows.is_empty() { (parts::other_aggregates("Mean gap and ratio", truth, &aggregates)) }
    }
}

fn every_criterion(record: &MitigationRecord) -> Markup {
    html! {
        p.lead { (criteria::READING) }
        (table(&criteria::table(record), "Every criterion before and after"))
    }
}

fn rates(plots: &MitigationPlots) -> Markup {
    html! {
        @match &plots.rates {
            Some(plot) => (figure(plot)),
            None => p { "No rate by calibrated group can be given; the reasons are above." },
        }
    }
}

fn tolerances(plots: &MitigationPlots) -> Markup {
    html! {
        @match &plots.trade {
            Some(plot) => (figure(plot)),
            None => p { "No other tolerance was tried." },
        }
        @if let Some(plot) = &plots.methods { (figure(plot)) }
    }
}

fn errors(record: &MitigationRecord, plots: &MitigationPlots) -> Markup {
    let bins = record.drift.iter().flat_map(|drift| drift.bins.iter().enumerate());
    let silent: Vec<_> = bins.filter(|(_, bin)| bin.transition.is_none()).collect();
    let missing: Vec<_> =
        record.noise.iter().enumerate().filter(|(_, noise)| noise.transition.is_none()).collect();
    html! {
        p.lead { (sentence(&words::drift(record))) }
        @if let Some(plot) = &plots.drift { (figure(plot)) }
        @if !silent.is_empty() || !missing.is_empty() {
            ul.reasons {
                @for (i, bin) in silent {
                    li {
                        strong { "No matrix, scores " (sentence(&words::scores(i, bin))) ": " }
                        (clean(bin.reason.as_deref().unwrap_or("it cannot be estimated"))) "."
                    }
                }
                @for (i, noise) in missing {
                    li {
                        strong { "No matrix, " (noise.estimator) ", " (sentence(&learned_from(record, i))) ": " }
                        (clean(noise.reason.as_deref().unwrap_or("it cannot be estimated"))) "."
                    }
                }
            }
        }
        @if !plots.matrices.is_empty() {
            details {
                summary { "What was learned from the fitted rows: " (plots.matrices.len()) @if plots.matrices.len() == 1 { " matrix" } @else { " matrices" } }
                @for plot in &plots.matrices { (figure(plot)) }
            }
        }
    }
}

fn zero() -> Markup {
    let [first, rest @ ..] = words::ZERO;
    html! {
        p.lead { (first) }
        ul { @for line in rest { li { (line) } } }
    }
}

/// Data, settings, version, seed and the digest of the input: enough to make the same digits again.
fn source(record: &MitigationRecord, about: &About) -> Markup {
    let (input, settings) = (&record.input, &record.settings);
    let count = |value: u64, path: &str| number(&Figure::count(value, path));
    let setting = |value: f64, path: &str| number(&words::setting(value, format!("/settings/{path}")));
    let column = |column: &Option<String>| match column {
        Some(column) => whole_name(column),
        None => html! { "none" },
    };
    html! {
        dl.facts {
            (table_facts(about))
            dt { "Rows fitted on" } dd { (count(input.rows_fitted, "/input/rows_fitted")) }
            dt { "Rows measured on" }
            dd { (count(input.rows_held_out, "/input/rows_held_out")) " (" (sentence(&words::measured_on(record))) ")" }
            dt { "Rows left out" } dd { (count(input.rows_left_out, "/input/rows_left_out")) }
            dt { "Decisions before" }
            dd { (sentence(&words::before(record).capital())) ", selected means " (sentence(&words::selected(record))) }
            dt { "Labels" } dd { (column(&input.label)) }
            dt { "Score" } dd { (column(&input.score)) }
            dt { "Features" }
            dd { (names(&input.features)) " (" (count(input.encoded_features as u64, "/input/encoded_features")) " numbers)" }
            dt { "Groups" } dd { (names(&input.groups)) }
            dt { "Proxies" } dd { (names(&input.proxies)) }
            dt { "Criterion and method" } dd { (capital(record.criterion.words())) ", " (record.method) }
            dt { "Tolerance" } dd { (setting(settings.tolerance, "tolerance")) }
            dt { "Cut" }
            dd {
                (sentence(&words::cut(record).capital())) " (cut at "
                (number(&words::precise(Some(record.operating_point.cut), "/operating_point/cut")))
                @if let Some(rate) = record.operating_point.wanted_rate {
                    ", for a share of " (number(&words::precise(Some(rate), "/operating_point/wanted_rate"))) " of the fitted rows"
                }
                ")"
            }
            dt { "Share held out" } dd { (setting(settings.held_out, "held_out")) }
            dt { "Folds" } dd { (count(settings.folds as u64, "/settings/folds")) }
            dt { "Bins of the score with errors of their own" } dd { (count(settings.noise_bins as u64, "/settings/noise_bins")) }
            @if settings.local {
                dt { "Errors of their own" } dd { "For each decision before (local calibration)" }
            }
            dt { "Estimator" } dd { (settings.estimator) }
            dt { "Confidence" } dd { (setting(settings.confidence, "confidence")) }
            dt { "Shared error allowed" } dd { (setting(settings.shared_error, "shared_error")) }
            dt { "Draws" } dd { (count(settings.n_boot as u64, "/settings/n_boot")) }
            dt { "Seed" } dd { data value=(settings.seed) data-path="/settings/seed" { (settings.seed) } }
            dt { "Why training stopped" } dd { (capital(&clean(&record.stopped))) }
            (made_facts(about))
        }
        @if !record.multipliers.is_empty() {
            h3 { "What each constraint costs" }
            (table(&multipliers(record), "What each constraint costs"))
        }
    }
}

/// Half a page with the equations. Plain MathML: browsers draw it, screen readers read it.
fn method(record: &MitigationRecord) -> Markup {
    let draws = record.settings.n_boot;
    html! {
        p {
            "With the proxies' error rates " math { mi { "T" } } " and the group shares fixed, a calibrated rate is linear in the \
             decisions, so that a constraint on it is one weight for each row and group. For row " math { mi { "n" } } " with guesses "
            math { msub { mi { "g" } mrow { mi { "n" } mi { "c" } } } } " of the proxies " math { mi { "c" } } ":"
        }
        math display="block" {
            msub { mi { "R" } mrow { mi { "n" } mi { "a" } } } mo { "=" }
            munder { mo { "mean" } mi { "c" } }
            msub {
                mrow { mo { "(" } msup { mi { "T" } mrow { mo { "−" } mi { "⊤" } } } mo { ")" } }
                mrow { mi { "a" } mo { "," } msub { mi { "g" } mrow { mi { "n" } mi { "c" } } } }
            }
            mo { "," }
        }
        math display="block" {
            mi { "W" } mo { "=" } mi { "R" } mo { "/" } munder { mo { "mean" } mi { "n" } } mi { "R" } mo { "," }
            msub { mi { "V" } mi { "j" } } mo { "=" }
            msub { mi { "W" } mrow { mo { "·" } mi { "j" } } } mo { "−" } msub { mi { "W" } mrow { mo { "·" } mn { "0" } } } mo { "," }
        }
        math display="block" {
            msub { mi { "c" } mi { "j" } } mo { "(" } mi { "f" } mo { ")" } mo { "=" }
            munder { mo { "mean" } mi { "n" } } msub { mi { "V" } mi { "j" } } mo { "·" } mi { "f" } mo { "." }
        }
        p {
            "Here " math { msub { mi { "c" } mi { "j" } } } " is the calibrated rate of group " math { mi { "j" } } " minus that of the first"
            @if record.criterion.needs_labels() { ", each among people with one label" }
            ". The weights are of rows and of use in the mean only: none says what group a person is in."
        }
        @match record.method {
            Method::PlugIn => {
                p {
                    "The plug-in rule has " math { mi { "η" } mo { "(" } mi { "x" } mo { ")" } } ", the chance of a positive "
                    (if words::imitates(record) { "decision before" } else { "label" })
                    (if record.input.score.is_some() { " as the score tells it" } else { " as learned from the features" })
                    ", and an estimate " math { mover { mi { "w" } mo { "^" } } mo { "(" } mi { "x" } mo { ")" } } " of the mean of "
                    math { mi { "V" } } " at " math { mi { "x" } } ". What is learned is learned from other rows than those it is used on ("
                    (number(&Figure::count(record.settings.folds as u64, "/settings/folds"))) " folds). It decides positive where"
                }
                math display="block" {
                    mn { "2" } mi { "η" } mo { "(" } mi { "x" } mo { ")" } mo { "−" } mn { "2" } mi { "t" } mo { ">" }
                    mi { "λ" } mo { "·" } mover { mi { "w" } mo { "^" } } mo { "(" } mi { "x" } mo { ")" } mo { "," }
                }
                p {
                    "with " math { mi { "λ" } } " such that the constraint on hard decisions is within the tolerance on the fitted rows, and the cut "
                    math { mi { "t" } } " as asked for: "(sentence(&words::cut(record))) "."
                }
            }
            Method::Logistic | Method::Mlp => {
                p { "The model is trained for the loss under the constraint, by an augmented Lagrangian: in turn the parameters minimise" }
                math display="block" {
                    mi { "L" } mo { "(" } mi { "θ" } mo { ")" } mo { "+" }
                    munder { mo { "∑" } mi { "j" } } msub { mi { "μ" } mi { "j" } } msub { mi { "c" } mi { "j" } } mo { "(" } msub { mi { "f" } mi { "θ" } } mo { ")" }
                    mo { "+" } mn { "½" } mi { "ρ" }
                    munder { mo { "∑" } mi { "j" } } msup { mrow { msub { mi { "c" } mi { "j" } } mo { "(" } msub { mi { "f" } mi { "θ" } } mo { ")" } } mn { "2" } } mo { "," }
                }
                p {
                    "and each multiplier " math { msub { mi { "μ" } mi { "j" } } } " grows by " math { mi { "ρ" } }
                    " times what is left of its constraint. What soft decisions leave is then set right for hard ones."
                }
            }
        }
        p {
            "The rule never sees the held-out rows. On them the decisions before and after are audited like any others"
            @if draws == 0 { "; no intervals were asked for. " } @else {
                ", with intervals by likelihood where that is possible, from "
                (number(&Figure::count(draws as u64, "/settings/n_boot"))) " draws otherwise. "
            }
            (cited())
        }
    }
}
