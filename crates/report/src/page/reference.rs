//! Where the numbers came from, how they were made and what the words mean.

use super::parts::{number, sentence, table, whole_name as name};
use crate::sentence::{Figure, Sentence, Unit};
use crate::table::Table;
use crate::{Provenance, Subject, words};
use fairveil_core::Audit;
use maud::{Markup, html};

/// Data, settings, version, seed and the digest of the input: enough to make the same digits again.
pub(crate) fn source(subject: &Subject, provenance: &Provenance) -> Markup {
    let audit = subject.audit;
    let (input, settings) = (&audit.input, &audit.settings);
    let count = |value: f64, path: &str| number(&Figure::new(Some(value), path.into()).unit(Unit::Count));
    let names =
        |all: &[String]| html! { @for (i, one) in all.iter().enumerate() { @if i > 0 { ", " } (name(one)) } };
    let criteria: Vec<&str> = settings.criteria.iter().map(|criterion| criterion.words()).collect();
    let setting = |value: f64, path: &str| number(&Figure::new(Some(value), format!("/settings/{path}")));
    let absent = || html! { "not recorded" };
    html! {
        dl.facts {
            dt { "Table" } dd { (name(subject.table)) }
            dt { "SHA-256" } dd.digest { (provenance.sha256.map_or_else(absent, |digest| html! { code { (digest) } })) }
            dt { "Rows counted" } dd { (count(input.rows as f64, "/input/rows")) }
            dt { "Weight" } dd { (count(input.weight, "/input/weight")) }
            dt { "Rows without a prediction, left out" }
            dd { (count(input.rows_without_prediction as f64, "/input/rows_without_prediction")) }
            @if let Some(rows) = input.rows_without_label {
                dt { "Rows without a label" } dd { (count(rows as f64, "/input/rows_without_label")) }
            }
            dt { "Predictions" } dd { (name(&input.prediction)) ", selected means " (sentence(&words::selected(audit))) }
            dt { "Labels" } dd { (input.label.as_deref().map_or_else(|| html! { "none" }, name)) }
            dt { "Groups" } dd { (names(&input.groups)) }
            dt { "Classes" } dd { (names(&input.classes)) }
            dt { "Criteria" } dd { (criteria.join(", ")) }
            dt { "Estimator and scope asked for" } dd { (settings.estimator) ", " (settings.scope) }
            dt { "Confidence" } dd { (setting(settings.confidence, "confidence")) }
            dt { "Shared error allowed" } dd { (setting(settings.shared_error, "shared_error")) }
            dt { "Draws" } dd { (count(settings.n_boot as f64, "/settings/n_boot")) }
            dt { "Seed" } dd { data value=(settings.seed) data-path="/settings/seed" { (settings.seed) } }
            dt { "Version" } dd { "fairveil " (subject.version) }
            dt { "Date" } dd { (provenance.date.map_or_else(absent, |date| html! { (date) })) }
            dt { "Command" } dd { (provenance.command.map_or_else(absent, |line| html! { code { (crate::sentence::clean(line)) } })) }
        }
        h3 { "Proxies" }
        (table(&proxies(audit), "Proxies"))
    }
}

fn proxies(audit: &Audit) -> Table {
    let mut table = Table::with_head(["proxy", "source", "weight without a guess"]);
    for (i, proxy) in audit.input.proxies.iter().enumerate() {
        let source = proxy.source.as_ref().map_or(Sentence::of("not said"), Sentence::named);
        let silent = Figure::new(Some(proxy.abstained), format!("/input/proxies/{i}/abstained"));
        table.push(vec![Sentence::named(&proxy.name), source, silent.unit(Unit::Count).into()]);
    }
    table
}

/// Half a page with the equations. Plain MathML: browsers draw it, screen readers read it.
pub(crate) fn method(audit: &Audit) -> Markup {
    html! {
        p {
            "A proxy mixes the groups before anyone counts them. For people with one decision " math { mi { "k" } } ", the share \
             that a proxy guesses to be in group " math { mi { "ã" } } " is"
        }
        math display="block" {
            mi { "P" } mo { "(" } mi { "f" } mo { "=" } mi { "k" } mo { "," } mi { "Ã" } mo { "=" } mi { "ã" } mo { ")" } mo { "=" }
            munder { mo { "∑" } mi { "a" } }
            msub { mi { "T" } mrow { mi { "a" } mi { "ã" } } } mo { "·" }
            mi { "P" } mo { "(" } mi { "f" } mo { "=" } mi { "k" } mo { "," } mi { "A" } mo { "=" } mi { "a" } mo { ")" } mo { "," }
        }
        p {
            "where row " math { mi { "a" } } " of " math { mi { "T" } } " says how often a proxy guesses each group for people who \
             are in group " math { mi { "a" } } ". With " math { mi { "T" } } " known, solving these equations gives the rates in \
             the groups, and from them the gap. Reading a proxy directly is to pretend that " math { mi { "T" } } " has ones on \
             its diagonal."
        }
        p {
            math { mi { "T" } } " is learned without knowing anyone's group. Proxies that err independently of each other, given \
             the group, agree in a way that only one pair of error rates and group shares explains: what three proxies guess for \
             the same person satisfies"
        }
        math display="block" {
            mi { "P" } mo { "(" } msub { mi { "Ã" } mn { "1" } } mo { "=" } mi { "i" } mo { "," }
            msub { mi { "Ã" } mn { "2" } } mo { "=" } mi { "j" } mo { "," }
            msub { mi { "Ã" } mn { "3" } } mo { "=" } mi { "l" } mo { ")" } mo { "=" }
            munder { mo { "∑" } mi { "a" } }
            msub { mi { "p" } mi { "a" } }
            msub { mi { "T" } mrow { mi { "a" } mi { "i" } } }
            msub { mi { "T" } mrow { mi { "a" } mi { "j" } } }
            msub { mi { "T" } mrow { mi { "a" } mi { "l" } } } mo { "." }
        }
        p {
            "Global scope learns one " math { mi { "T" } } " from all rows, local scope one for each decision (and label). The \
             largest gap is the largest minus the smallest rate of a group. "
            @if audit.settings.n_boot == 0 { "No intervals were asked for. " } @else {
                "Intervals say what chance leaves open: by likelihood where that is possible, from "
                (number(&Figure::new(Some(audit.settings.n_boot as f64), "/settings/n_boot".into()).unit(Unit::Count)))
                " draws otherwise. The wider ones take away from the proxies' agreement every share of shared error up to \
                 the stated one and keep all that follows. "
            }
            "The method is that of Zhu, Yao, Sun, Li and Liu, "
            cite { "Weak Proxies are Sufficient and Preferable for Fairness with Missing Sensitive Attributes" } " (2023)."
        }
    }
}

/// The words of the page.
pub(crate) fn glossary(audit: &Audit) -> Markup {
    let shared = format!("{:.0} %", 100.0 * audit.settings.shared_error);
    html! {
        dl.glossary {
            dt { "Group" } dd { "What people are or are seen as, and nobody recorded." }
            dt { "Proxy" } dd { "Something that guesses the group from other data, such as a name or an address, and errs." }
            dt { "Selected" } dd { "Given the decision that the audit is about: " (sentence(&words::selected(audit))) "." }
            dt { "Gap" } dd { "How much rates differ between groups, in shares of people: 0.10 is ten people in a hundred." }
            dt { "Demographic parity" } dd { "Compares how often groups are selected." }
            dt { "Equalized odds" } dd { "Compares the same among people with the same label; the worse label counts." }
            dt { "Equal opportunity" } dd { "Compares the same among people with the positive label only." }
            dt { "Read directly" } dd { "The proxy's guess taken for the group. Errors mix the groups, so the gap looks smaller." }
            dt { "Soft" } dd { "All proxies' guesses, or probabilities, as weights. Also read directly." }
            dt { "Calibrated" } dd { "The proxies' error estimated and undone." }
            dt { "Global, local" } dd { "One table of error rates for all rows, or one for each decision (and label)." }
            dt { "Interval" } dd { "What chance leaves open: made to hold the value it is about in the stated share of audits." }
            dt { "Shared error" } dd {
                "Mistakes that proxies make together. The wider interval allows up to " (shared) " of their agreement to be that; \
                 the share is a choice, not an estimate."
            }
            dt { "Stratum" } dd { "Rows with the same decision (and label)." }
            dt { "Transition matrix" } dd { "For each group, how often proxies guess each group." }
            dt { "Beyond chance" } dd { "Agreement from 0, as much as by chance, to 1, always (Cohen's kappa)." }
        }
    }
}
