//! The frame of a page: contents beside it, the page before and after it below.

use crate::Summary;
use crate::links::between;
use crate::page::Page;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use pulldown_cmark::HeadingLevel;

const STYLE: &str = include_str!("book.css");

/// The page at this place, whole.
pub fn whole(summary: &Summary, pages: &[Page], at: usize, body: &str) -> String {
    let page = &pages[at];
    let from = page.entry.output();
    let to = |other: &Page| between(&from, &other.entry.output());
    let beside = |other: Option<&Page>, kind: &str, words: &str| match other {
        Some(other) => {
            html! { a class=(kind) rel=(kind) href=(to(other)) { small { (words) } " " (other.entry.title) } }
        }
        None => html! {},
    };
    let first = at == 0;
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { @if first { (summary.title) } @else { (page.entry.title) " · " (summary.title) } }
                style { (PreEscaped(STYLE)) }
            }
            body.book {
                a.skip href="#text" { "Skip the contents" }
                header { a href=(pages.first().map(to).unwrap_or_default()) { (summary.title) } }
                nav aria-label="Contents" { details.screen { summary { "Contents" } (contents(pages, at)) } }
                main #text { (PreEscaped(body)) }
                footer {
                    (beside(at.checked_sub(1).and_then(|i| pages.get(i)), "prev", "Before:"))
                    (beside(pages.get(at + 1), "next", "Next:"))
                }
            }
        }
    }
    .into_string()
}

/// All pages by part; of the page itself its sections too.
fn contents(pages: &[Page], at: usize) -> Markup {
    let here = &pages[at];
    let from = here.entry.output();
    let part = |i: usize| pages[i].entry.part.as_deref();
    let starts = |i: &usize| *i == 0 || part(*i) != part(*i - 1);
    html! {
        @for start in (0..pages.len()).filter(starts) {
            @if let Some(name) = part(start) { p.part { (name) } }
            ul {
                @for i in (start..pages.len()).take_while(|i| part(*i) == part(start)) {
                    li {
                        @if i == at {
                            a aria-current="page" href="#text" { (pages[i].entry.title) }
                            (sections(here))
                        } @else {
                            a href=(between(&from, &pages[i].entry.output())) { (pages[i].entry.title) }
                        }
                    }
                }
            }
        }
    }
}

fn sections(page: &Page) -> Markup {
    let sections: Vec<_> = page.headings.iter().filter(|heading| heading.level == HeadingLevel::H2).collect();
    html! {
        @if !sections.is_empty() {
            ul { @for heading in sections { li { a href={ "#" (heading.anchor) } { (heading.words) } } } }
        }
    }
}
