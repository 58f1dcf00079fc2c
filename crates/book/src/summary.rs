//! `docs/SUMMARY.md`: the pages in their order, under the names of their parts.

use crate::{Refused, links, read};
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};
use std::path::{Path, PathBuf};

/// Where the summary lies in the project.
pub const FILE: &str = "docs/SUMMARY.md";

/// What the summary says.
#[derive(Debug)]
pub struct Summary {
    /// The name of the book.
    pub title: String,
    /// Pages in their order.
    pub entries: Vec<Entry>,
}

/// A page of the book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What the contents call it.
    pub title: String,
    /// Where its text lies in the project.
    pub file: PathBuf,
    /// The part it stands in; none before the first part.
    pub part: Option<String>,
}

impl Summary {
    pub(crate) fn read(project: &Path) -> Result<Self, Refused> {
        Ok(Self::parse(&read(&project.join(FILE))?))
    }

    /// A heading of the first level names the book, one of the second a part; every link is a page.
    pub fn parse(text: &str) -> Self {
        let (mut title, mut part, mut entries) = (String::new(), None, Vec::new());
        let (mut words, mut file) = (String::new(), None);
        for event in Parser::new(text) {
            match event {
                Event::Start(Tag::Heading { .. }) => words.clear(),
                Event::Start(Tag::Link { dest_url, .. }) => {
                    words.clear();
                    file = Some(links::normal(&Path::new("docs").join(&*dest_url)));
                }
                Event::Text(more) | Event::Code(more) => words.push_str(&more),
                Event::End(TagEnd::Heading(HeadingLevel::H1)) => title = std::mem::take(&mut words),
                Event::End(TagEnd::Heading(_)) => part = Some(std::mem::take(&mut words)),
                Event::End(TagEnd::Link) => {
                    if let Some(file) = file.take() {
                        entries.push(Entry { title: std::mem::take(&mut words), file, part: part.clone() });
                    }
                }
                _ => {}
            }
        }
        Self { title, entries }
    }
}

impl Entry {
    /// Where the page goes: what lies in `docs/` keeps its place, and the first page opens by itself.
    pub fn output(&self) -> PathBuf {
        if self.file == Path::new("docs/README.md") {
            return PathBuf::from("index.html");
        }
        self.file.strip_prefix("docs").unwrap_or(&self.file).with_extension("html")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_pages_and_headings_are_parts() {
        let summary = Summary::parse(
            "# Book\n\n[First](README.md)\n\n## Part `a`\n- [One](a/one.md)\n- [Two](../TWO.md)\n",
        );
        assert_eq!(summary.title, "Book");
        let entry = |title: &str, file: &str, part: Option<&str>| Entry {
            title: title.into(),
            file: file.into(),
            part: part.map(Into::into),
        };
        let part = Some("Part a");
        let pages = [
            entry("First", "docs/README.md", None),
            entry("One", "docs/a/one.md", part),
            entry("Two", "TWO.md", part),
        ];
        assert_eq!(summary.entries, pages);
        let outputs: Vec<PathBuf> = summary.entries.iter().map(Entry::output).collect();
        assert_eq!(outputs, ["index.html", "a/one.html", "TWO.html"].map(PathBuf::from));
    }
}
