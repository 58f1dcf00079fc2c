//! Where the numbers came from, how they were made and what the words mean.

use super::frame::Section;
use super::parts::{number, sentence, table, whole_name as name};
use crate::About;
use crate::audit::words;
use crate::sentence::{Figure, Sentence, Unit, capital, clean};
use crate::table::Table;
use crate::words::{CriterionWords, EstimatorWords, Reference, Voice};
use fairveil_core::{Audit, Criterion, Estimator};
use maud::{Markup, Render, html};

/// What a page rests on: one audit, or one for each model.
pub(crate) struct Audited<'a> {
    pub audits: Vec<&'a Audit>,
    /// Where the first audit stands in the JSON.
    pub root: &'static str,
}

impl<'a> Audited<'a> {
    /// All models were audited on the same rows with the same settings: the first tells of both.
    fn first(&self) -> Option<&'a Audit> {
        self.audits.first().copied()
    }

    /// The estimators that the page shows something of.
    fn estimators(&self) -> impl Iterator<Item = Estimator> {
        let used = |estimator: &Estimator| self.audits.iter().any(|audit| words::uses(audit, *estimator));
        Estimator::ALL.iter().copied().filter(used)
    }

    /// What there is to say of them.
    fn methods(&self) -> impl Iterator<Item = &'static Reference> {
        self.estimators().map(|estimator| &EstimatorWords::of(estimator).reference)
    }
}

/// The end of every page on audits; `done` stands before how it was done.
pub(crate) fn sections(audited: &Audited, about: &About, done: impl Render) -> [Section; 3] {
    [
        Section::new("source", "Source", "Where it came from", source(audited, about)),
        Section::new("method", "Method", "How it was done", html! { (done) (method(audited)) }),
        Section::new("words", "Words", "Words", glossary(audited)),
    ]
}

/// The table and its digest.
pub(crate) fn table_facts(about: &About) -> Markup {
    html! {
        dt { "Table" } dd { (name(about.table)) }
        dt { "SHA-256" } dd.digest { (recorded(about.provenance.sha256.map(|digest| html! { code { (digest) } }))) }
    }
}

/// The version, the date and the command.
pub(crate) fn made_facts(about: &About) -> Markup {
    let command = about.provenance.command.map(|line| html! { code { (clean(line)) } });
    html! {
        dt { "Version" } dd { "fairveil " (about.version) }
        dt { "Date" } dd { (recorded(about.provenance.date.map(|date| html! { (date) }))) }
        dt { "Command" } dd.command { (recorded(command)) }
    }
}

fn recorded(fact: Option<Markup>) -> Markup {
    fact.unwrap_or_else(|| html! { "not recorded" })
}

/// Where a sheet came from, in a line.
pub(crate) fn origin_line(audit: &Audit, about: &About) -> Markup {
    let rows = number(&Figure::count(audit.input.rows, "/input/rows"));
    html! {
        p {
            "fairveil " (about.version) " on " (name(about.table)) ", " (rows) " rows"
            @if let Some(date) = about.provenance.date { ", " (date) }
            @if let Some(digest) = about.provenance.sha256 { ", SHA-256 " code { (digest.get(..16).unwrap_or(digest)) "…" } }
            ". It estimates, calibrates and suggests, and gives no verdict. The evidence is in the full page and the JSON."
        }
    }
}

/// Names with all their letters.
pub(crate) fn names(all: &[String]) -> Markup {
    html! { @for (i, one) in all.iter().enumerate() { @if i > 0 { ", " } (name(one)) } }
}

/// Data, settings, version, seed and the digest of the input: enough to make the same digits again.
fn source(audited: &Audited, about: &About) -> Markup {
    let Some(audit) = audited.first() else { return html! {} };
    let root = audited.root;
    let (input, settings) = (&audit.input, &audit.settings);
    let count =
        |value: f64, path: &str| number(&Figure::new(Some(value), format!("{root}{path}")).unit(Unit::Count));
    let criteria: Vec<&str> = settings.criteria.iter().map(|criterion| criterion.words()).collect();
    let setting =
        |value: f64, path: &str| number(&Figure::new(Some(value), format!("{root}/settings/{path}")));
    html! {
        dl.facts {
            (table_facts(about))
            dt { "Rows counted" } dd { (count(input.rows as f64, "/input/rows")) }
            dt { "Weight" } dd { (count(input.weight, "/input/weight")) }
            dt { "Rows without a prediction, left out" }
            dd { (count(input.rows_without_prediction as f64, "/input/rows_without_prediction")) }
            @if let Some(rows) = input.rows_without_label {
                dt { "Rows without a label" } dd { (count(rows as f64, "/input/rows_without_label")) }
            }
            @for audit in &audited.audits {
                dt { "Predictions" } dd { (name(&audit.input.prediction)) ", " (Voice::of(audit).selected()) " means " (sentence(&words::selected(audit))) }
            }
            dt { "Labels" } dd { (input.label.as_deref().map_or_else(|| html! { "none" }, name)) }
            dt { "Groups" } dd { (names(&input.groups)) }
            dt { "Classes" } dd { (names(&input.classes)) }
            dt { "Criteria" } dd { (criteria.join(", ")) }
            dt { "Estimator and scope asked for" } dd { (settings.estimator) ", " (settings.scope) }
            dt { "Confidence" } dd { (setting(settings.confidence, "confidence")) }
            dt { "Shared error allowed" } dd { (setting(settings.shared_error, "shared_error")) }
            dt { "Draws" } dd { (count(settings.n_boot as f64, "/settings/n_boot")) }
            dt { "Seed" } dd { data value=(settings.seed) data-path={ (root) "/settings/seed" } { (settings.seed) } }
            (made_facts(about))
        }
        h3 { "Proxies" }
        (table(&proxies(audit, root), "Proxies"))
    }
}

fn proxies(audit: &Audit, root: &str) -> Table {
    let mut table = Table::with_head(["proxy", "source", "weight without a guess"]);
    for (i, proxy) in audit.input.proxies.iter().enumerate() {
        let source = match (&proxy.lent_by, &proxy.source) {
            (Some(_), _) => Sentence::of("lent by nearest neighbours"),
            (None, Some(source)) => Sentence::named(source),
            (None, None) => Sentence::of("not said"),
        };
        let silent = Figure::new(Some(proxy.abstained), format!("{root}/input/proxies/{i}/abstained"));
        table.push(vec![Sentence::named(&proxy.name), source, silent.unit(Unit::Count).into()]);
    }
    table
}

/// Half a page with the equations. Plain MathML: browsers draw it, screen readers read it.
fn method(audited: &Audited) -> Markup {
    let draws = audited.first().map_or(0, |audit| audit.settings.n_boot);
    let agreement = audited.estimators().any(|estimator| EstimatorWords::of(estimator).by_agreement);
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
        @if agreement {
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
        }
        @for method in audited.methods() { p { (method.method) } }
        p {
            "Global scope learns one " math { mi { "T" } } " from all rows, local scope one for each decision (and label). The \
             largest gap is the largest minus the smallest rate of a group. "
            @if draws == 0 { "No intervals were asked for. " } @else {
                "Intervals say what sampling error leaves open: by likelihood where that is possible, from "
                (number(&Figure::new(Some(draws as f64), format!("{}/settings/n_boot", audited.root)).unit(Unit::Count)))
                " draws otherwise. The honest range takes every share of shared error up to the stated one out of the proxies' \
                 agreement and keeps all that follows. "
            }
            (cited())
        }
    }
}

/// Whose method it is.
pub(crate) fn cited() -> Markup {
    html! {
        "The method is that of Zhu, Yao, Sun, Li and Liu, "
        cite { "Weak Proxies are Sufficient and Preferable for Fairness with Missing Sensitive Attributes" } " (2023)."
    }
}

/// The words of the page.
fn glossary(audited: &Audited) -> Markup {
    let Some(audit) = audited.first() else { return html! {} };
    let shared = format!("{:.0} %", 100.0 * audit.settings.shared_error);
    html! {
        dl.glossary {
            dt { "Group" } dd { "What people are, or are seen as. It was not recorded, or for few people only." }
            dt { "Proxy" } dd { "Something that guesses the group from other data, such as a name or an address, and errs." }
            dt { (capital(Voice::of(audit).selected())) } dd { "Given the decision that the audit is about, such as " (sentence(&words::selected(audit))) "." }
            dt { "Gap" } dd { "The largest rate of a group minus the smallest: 0.10 is ten people in a hundred. 0 is no gap." }
            dt { "Ratio" } dd { "The smallest rate of a group over the largest. 1 is no gap." }
            dt { "Honest range" } dd {
                "What the gap may be, allowing for sampling error and for up to " (shared) " of the proxies' agreement being shared \
                 error, under every explanation that fits the table. The share is a choice, not an estimate."
            }
            @for criterion in Criterion::ALL {
                dt { (capital(criterion.words())) } dd { (CriterionWords::of(criterion).meaning) }
            }
            dt { "Read directly" } dd { "The proxy's guess taken for the group. Errors mix the groups, so the gap looks smaller." }
            dt { "All guesses as weights" } dd { "Every proxy's guess, or probability, counts for a part of the person (soft). Also read directly." }
            dt { "Errors learned from agreement" } dd {
                "How often proxies guess wrongly, learned from how they agree and disagree, then undone. One table of error rates for \
                 all rows and proxies, or one for each proxy, source or decision."
            }
            dt { "Calibrated" } dd { "With the proxies' estimated errors undone." }
            @for method in audited.methods() { dt { (method.term) } dd { (method.meaning) } }
            dt { "Global, local" } dd { "One table of error rates for all rows, or one for each decision (and label)." }
            dt { "Interval" } dd { "Sampling error alone. It is made to hold the true value in the stated share of audits, if all else is right." }
            dt { "Shared error" } dd { "Mistakes that proxies make together. They look like skill." }
            dt { "Mean gap" } dd { "The mean difference over all pairs of groups and classes, as in the paper." }
            dt { "Test of no gap" } dd { "Whether there is a gap at all. It needs no error rates, and holds if errors are unrelated to the decision." }
            dt { "Stratum" } dd { "Rows with the same decision (and label)." }
            dt { "Transition matrix" } dd { "For each group, how often proxies guess each group." }
            dt { "Beyond chance" } dd { "Agreement from 0, as much as by chance, to 1, always (Cohen's kappa)." }
        }
    }
}
