//! One page: its events, its headings with their anchors, and what is wrong with it.

use crate::{Entry, Problem};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::path::Path;

/// A page before its links are looked at.
#[derive(Debug)]
pub struct Page {
    pub entry: Entry,
    /// What the page is, with anchors on its headings.
    pub events: Vec<Event<'static>>,
    pub headings: Vec<Heading>,
}

#[derive(Debug)]
pub struct Heading {
    pub level: HeadingLevel,
    pub words: String,
    pub anchor: String,
}

impl Page {
    pub fn parse(entry: &Entry, text: &str, problems: &mut Vec<Problem>) -> Self {
        let options =
            Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_HEADING_ATTRIBUTES;
        let mut events: Vec<Event<'static>> =
            Parser::new_ext(text, options).map(Event::into_static).collect();
        let headings = anchored(&mut events);
        let mut found = |what: String| problems.push(Problem::new(&entry.file.to_string_lossy(), what));
        if headings.iter().filter(|heading| heading.level == HeadingLevel::H1).count() != 1 {
            found("needs one heading of the first level".into());
        }
        for pair in headings.windows(2) {
            if pair[1].level as usize > pair[0].level as usize + 1 {
                found(format!("a level of headings is left out before \"{}\"", pair[1].words));
            }
        }
        for event in &events {
            if let Event::Html(markup) | Event::InlineHtml(markup) = event {
                found(format!("holds HTML, of which the book makes its own: {}", markup.trim()));
            }
        }
        shown_code(&entry.file, &mut events);
        Self { entry: entry.clone(), events, headings }
    }
}

/// Gives every heading its anchor: the one it states, or its words as forges spell them.
fn anchored(events: &mut [Event<'static>]) -> Vec<Heading> {
    let mut headings: Vec<Heading> = Vec::new();
    let mut open = None;
    let mut words = String::new();
    for i in 0..events.len() {
        match &events[i] {
            Event::Start(Tag::Heading { level, id, .. }) => {
                open = Some((i, *level, id.clone()));
                words.clear();
            }
            Event::Text(more) | Event::Code(more) if open.is_some() => words.push_str(more),
            Event::End(TagEnd::Heading(_)) => {
                let Some((start, level, id)) = open.take() else { continue };
                let wanted = id.map_or_else(|| slug(&words), |id| id.to_string());
                let anchor = (0..)
                    .map(|n| if n == 0 { wanted.clone() } else { format!("{wanted}-{n}") })
                    .find(|anchor| headings.iter().all(|heading| heading.anchor != *anchor))
                    .unwrap_or_default();
                events[start] = Event::Start(Tag::Heading {
                    level,
                    id: Some(CowStr::from(anchor.clone())),
                    classes: Vec::new(),
                    attrs: Vec::new(),
                });
                headings.push(Heading { level, words: words.clone(), anchor });
            }
            _ => {}
        }
    }
    headings
}

/// Words as an anchor: lower case, spaces as hyphens, punctuation left out.
fn slug(words: &str) -> String {
    let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Leaves out the lines that rustdoc hides in examples which it runs.
fn shown_code(file: &Path, events: &mut [Event<'static>]) {
    let mut hidden = false;
    for event in events {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let rust = match kind {
                    CodeBlockKind::Fenced(language) => language.is_empty() || language.starts_with("rust"),
                    CodeBlockKind::Indented => false,
                };
                hidden = rust && file.starts_with("docs/methods");
            }
            Event::End(TagEnd::CodeBlock) => hidden = false,
            Event::Text(code) if hidden => {
                let lines = code.lines().filter(|line| !line.starts_with("# ") && *line != "#");
                let shown: String = lines.map(|line| format!("{line}\n")).collect();
                *code = CowStr::from(shown);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (Page, Vec<String>) {
        let entry = Entry { title: "P".into(), file: "docs/methods/p.md".into(), part: None };
        let mut problems = Vec::new();
        let page = Page::parse(&entry, text, &mut problems);
        (page, problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn anchors_are_those_of_forges_and_never_twice_the_same() {
        let (page, problems) = parsed("# A `b`: c, d!\n## Same\n## Same\n## Stated {#x9}\n");
        let anchors: Vec<&str> = page.headings.iter().map(|heading| &*heading.anchor).collect();
        assert_eq!(anchors, ["a-b-c-d", "same", "same-1", "x9"]);
        assert!(problems.is_empty(), "{problems:?}");
    }

    #[test]
    fn a_page_has_one_title_no_gap_in_its_levels_and_no_markup_of_its_own() {
        for (text, told) in [
            ("## Two\n", "one heading of the first level"),
            ("# One\n# Two\n", "one heading of the first level"),
            ("# One\n### Three\n", "a level of headings is left out"),
            ("# One\n\n<b>bold</b>\n", "holds HTML"),
        ] {
            let (_, problems) = parsed(text);
            assert!(problems.iter().any(|problem| problem.contains(told)), "{text}: {problems:?}");
        }
    }

    #[test]
    fn lines_that_rustdoc_hides_are_hidden() {
        let (page, _) = parsed("# T\n```\n# use hidden;\nlet shown = 1;\n```\n```text\n# kept\n```\n");
        let code: String = page
            .events
            .iter()
            .filter_map(|event| match event {
                Event::Text(text) => Some(&**text),
                _ => None,
            })
            .collect();
        assert_eq!(code, "Tlet shown = 1;\n# kept\n");
    }
}
