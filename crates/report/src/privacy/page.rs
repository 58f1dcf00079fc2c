//! One page on what an epsilon costs.

use super::{answer, plot};
use crate::About;
use crate::page::frame::{Head, Section, file_name, frame};
use crate::page::parts::{figure, name, sentence};
use crate::sentence::{Figure, Sentence, clean};
use fairveil_core::privacy::PrivacyCurve;
use maud::html;

/// The curve as one HTML page.
pub(super) fn html(curve: &PrivacyCurve, about: &About) -> String {
    let answer = answer(curve);
    let meaning = html! {
        p {
            "Randomised response reports a guess as it is, or as another, with stated chances. Whoever sees a reported guess may shift \
             their odds between any two guesses by at most a factor of e to the epsilon: 1.5 for 0.41, 2.7 for 1, 7.4 for 2. \
             It protects the proxy's guess; what the table says in other columns, and whether there is a guess at all, it does not."
        }
        p {
            "What is reported about one person adds up: over all proxies of a release, and over releases. The column “epsilon, all” is \
             the sum over the " (curve.proxies.len()) " proxies of one release."
        }
    };
    let method = html! {
        p {
            "The half-widths are planned from "
            @if curve.supposed { "the errors that the proxies are supposed to make" }
            @else { "the errors that the proxies' agreement shows in this table in the clear" }
            ", each of them followed by the mechanism, by the information that as many rows then have. They hold if the proxies err \
             independently of each other, and for many rows: where agreement hardly stands out from chance, intervals are wider \
             than planned. They are what chance leaves open: where proxies may share mistakes, intervals are wider, and the more so the more \
             is randomised. The mechanism itself is known and is not estimated."
        }
    };
    let proxies = html! {
        p {
            "Proxies: "
            @for (i, proxy) in curve.proxies.iter().enumerate() { @if i > 0 { ", " } (name(proxy)) }
            "."
        }
        @if let Some(command) = about.provenance.command { p { "Made by " code { (clean(command)) } } }
        @if let Some(sha256) = about.provenance.sha256 { p { "SHA-256 of the table: " code { (sha256) } } }
    };
    let first = html! {
        p { (sentence(&answer)) }
        p.assumes {
            strong { "Who may see this. " }
            @if curve.supposed {
                "Nobody's guesses are behind this page. It is computed from rows, accuracies and rates that were supposed."
            } @else {
                "This page is made from the guesses as they are, before any is randomised: no epsilon covers it."
            }
        }
    };
    let sections = [
        Section::new("answer", "Answer", "The answer", first),
        Section::new("curve", "Curve", "Privacy against precision", figure(&plot(curve))),
        Section::new("meaning", "Meaning", "What an epsilon promises", meaning),
        Section::new("method", "Method", "How it was done", method),
        Section::new("source", "Source", "Where it came from", proxies),
    ];
    let table = file_name(&curve.table);
    let rows = Figure::count(curve.rows, "/rows");
    let head = Head {
        title: format!("Privacy and precision of {table}"),
        heading: html! { "Privacy and precision of " (name(table)) },
        dek: Sentence::of("Planned for ").number(rows).text(format!(
            " rows and {} proxies that guess which of {} groups a person is in.",
            curve.proxies.len(),
            curve.groups
        )),
        summary: answer.plain(),
    };
    frame(&head, about, &sections)
}
