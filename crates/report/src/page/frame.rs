//! The head of a page and the landmarks around its sections.

use super::parts::{name, sentence};
use crate::About;
use crate::audit::words;
use crate::sentence::{Figure, Sentence, clean};
use fairveil_core::Audit;
use maud::{DOCTYPE, Markup, PreEscaped, Render, html};

/// The style sheet: the page's and the plots'.
pub(crate) const STYLE: &str = concat!(include_str!("page.css"), include_str!("../plot/plot.css"));

/// The digest of [`STYLE`]: a page may use this style sheet and no other. A test compares the two.
pub(crate) const STYLE_DIGEST: &str = "sha256-INFrH37q4y7csSxs2PwO+NBHopHPbXHagrsehwmbKR8=";

fn policy() -> String {
    format!("default-src 'none'; style-src '{STYLE_DIGEST}'; base-uri 'none'; form-action 'none'")
}

/// What stands above the sections of a page.
pub(crate) struct Head {
    /// The name of the window.
    pub title: String,
    pub heading: Markup,
    pub dek: Sentence,
    /// The answers in words.
    pub summary: String,
}

impl Head {
    pub fn of(audit: &Audit, about: &About) -> Self {
        let table = file_name(about.table);
        let title = about.provenance.identity.title;
        let answers =
            audit.settings.criteria.iter().map(|criterion| words::answer(audit, *criterion).plain());
        Head {
            title: title.map_or_else(|| format!("Audit of {table}"), str::to_owned),
            heading: html! { @match title {
                Some(title) => (name(title)),
                None => { "Group disparities in " (name(table)) }
            } },
            dek: dek(audit),
            summary: answers.collect::<Vec<_>>().join(" "),
        }
    }
}

/// A part of a page, and its line in the contents where it has one.
pub(crate) struct Section {
    contents: Option<(&'static str, &'static str)>,
    body: Markup,
}

impl Section {
    /// A part with its heading, called `short` in the contents.
    pub fn new(id: &'static str, short: &'static str, title: impl Render, body: impl Render) -> Self {
        Section { contents: Some((id, short)), ..Section::unlisted(id, title, body) }
    }

    /// A part that the contents leave out.
    pub fn unlisted(id: &str, title: impl Render, body: impl Render) -> Self {
        let heading = format!("{id}-heading");
        Section::bare(html! {
            section id=(id) aria-labelledby=(heading) {
                h2 id=(heading) { (title) }
                (body)
            }
        })
    }

    /// A part that is all there.
    pub fn bare(body: Markup) -> Self {
        Section { contents: None, body }
    }
}

pub(crate) fn frame(page: &Head, about: &About, sections: &[Section]) -> String {
    let closing = html! {
        p {
            "Made by fairveil " (about.version) ", which estimates, calibrates and suggests; it gives no verdict. \
             This page holds everything it shows: it fetches nothing and runs nothing."
        }
    };
    framed(page, about, sections, "", &closing)
}

/// A page of one printed sheet: one part, and where it came from in the footer.
pub(crate) fn sheet(page: &Head, about: &About, section: Section, closing: &Markup) -> String {
    framed(page, about, &[section], "brief", closing)
}

fn framed(page: &Head, about: &About, sections: &[Section], kind: &str, closing: &Markup) -> String {
    let (version, contents) = (about.version, sections.iter().filter_map(|section| section.contents));
    let whole = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                meta name="generator" content={ "fairveil " (version) };
                meta name="description" content=(page.summary);
                title { (clean(&page.title)) " · fairveil" }
                style { (PreEscaped(STYLE)) }
            }
            body class=[(!kind.is_empty()).then_some(kind)] {
                a.skip href="#answer" { "To the answer" }
                header {
                    p.kicker { "fairveil " (version) @if let Some(date) = about.provenance.date { " · " (date) } }
                    h1 { (page.heading) }
                    p.dek { (sentence(&page.dek)) }
                    @for (name, said) in about.provenance.identity.said() {
                        p.identity { strong { (name) ": " } (clean(said)) }
                    }
                    @if sections.len() > 1 {
                        nav aria-label="Contents" {
                            ul { @for (id, title) in contents { li { a href={ "#" (id) } { (title) } } } }
                        }
                    }
                }
                main { @for section in sections { (section.body) } }
                footer { (closing) }
            }
        }
    };
    whole.into_string() + "\n"
}

/// The last part of a path: a heading needs no folders, and the whole stands where the page says its source.
pub(crate) fn file_name(table: &str) -> &str {
    table.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(table)
}

/// What a page is made from, in a sentence.
pub(crate) fn dek(audit: &Audit) -> Sentence {
    let input = &audit.input;
    let rows = Figure::count(input.rows, "/input/rows");
    let lent = if words::borrows(audit) { ", helped by nearest neighbours," } else { "" };
    let proxies = match words::own_proxies(audit).len() {
        1 if lent.is_empty() => "one proxy that guesses".to_string(),
        1 => format!("one proxy{lent} that guesses"),
        n => format!("{n} proxies{lent} that guess"),
    };
    let truth = match audit.truth {
        Some(_) => "the true groups, known here, were only compared against",
        None if words::uses(audit, fairveil_core::Estimator::Audit) => {
            "the groups are known for a labelled sample only"
        }
        None => "the groups themselves were not recorded",
    };
    let groups = input.groups.len();
    Sentence::of("Estimated from ")
        .number(rows)
        .text(format!(" rows and {proxies} which of {groups} groups a person is in; {truth}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    fn base64(bytes: &[u8]) -> String {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut out = String::new();
        for three in bytes.chunks(3) {
            let bits =
                three.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
            for place in 0..4 {
                let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize] as char;
                out.push(if place <= three.len() { letter } else { '=' });
            }
        }
        out
    }

    #[test]
    fn the_policy_knows_the_style_sheet_by_its_digest() {
        let digest = format!("sha256-{}", base64(Sha256::digest(STYLE.as_bytes()).as_slice()));
        assert_eq!(STYLE_DIGEST, digest, "the style sheet has changed: its digest goes into STYLE_DIGEST");
        // Escaping would change what the browser hashes.
        assert!(!STYLE.contains(['<', '&']));
    }
}
