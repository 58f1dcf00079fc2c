//! Where links lead: to a page of the book, to a file that is copied, or to a file of the project that is only named.

use crate::page::Page;
use pulldown_cmark::{CowStr, Event, Tag, TagEnd, html};
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Component, Path, PathBuf};

/// What is wrong with the book, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    file: String,
    what: String,
}

impl Problem {
    pub(crate) fn new(file: &str, what: String) -> Self {
        Self { file: file.to_owned(), what }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.what)
    }
}

/// What there is to link to.
pub struct Places<'a> {
    project: &'a Path,
    pages: &'a [Page],
    /// Files that pages link to: from where in the project, to where in the book.
    pub copies: BTreeSet<(PathBuf, PathBuf)>,
}

enum Target {
    /// A place in the book.
    Link(String),
    /// A file of the project that is not in the book.
    Source(PathBuf),
}

impl<'a> Places<'a> {
    pub fn new(project: &'a Path, pages: &'a [Page]) -> Self {
        Self { project, pages, copies: BTreeSet::new() }
    }

    /// The page as HTML, its links leading to where things are in the book.
    pub fn resolve(&mut self, page: &Page, problems: &mut Vec<Problem>) -> String {
        let mut events = Vec::with_capacity(page.events.len());
        let mut closing = Vec::new();
        for event in &page.events {
            let event = match event.clone() {
                Event::Start(Tag::Link { link_type, dest_url, title, id }) => match self
                    .target(page, &dest_url)
                {
                    Ok(Target::Link(to)) => {
                        closing.push("</a>");
                        Event::Start(Tag::Link { link_type, dest_url: CowStr::from(to), title, id })
                    }
                    Ok(Target::Source(file)) => {
                        closing.push("</span>");
                        Event::InlineHtml(
                            format!("<span class=\"source\" title=\"in the project: {}\">", file.display())
                                .into(),
                        )
                    }
                    Err(what) => {
                        problems.push(Problem::new(&page.entry.file.to_string_lossy(), what));
                        closing.push("</a>");
                        event.clone()
                    }
                },
                Event::End(TagEnd::Link) if closing.pop() == Some("</span>") => {
                    Event::InlineHtml("</span>".into())
                }
                Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                    match self.target(page, &dest_url) {
                        Ok(Target::Link(to)) => {
                            Event::Start(Tag::Image { link_type, dest_url: CowStr::from(to), title, id })
                        }
                        Ok(Target::Source(file)) => {
                            let what = format!("the image {} must lie in docs/", file.display());
                            problems.push(Problem::new(&page.entry.file.to_string_lossy(), what));
                            event.clone()
                        }
                        Err(what) => {
                            problems.push(Problem::new(&page.entry.file.to_string_lossy(), what));
                            event.clone()
                        }
                    }
                }
                other => other,
            };
            events.push(event);
        }
        let mut out = String::new();
        html::push_html(&mut out, events.into_iter());
        // Wide ones scroll in frames of their own, which the keyboard can reach.
        out.replace(
            "<table>",
            "<div class=\"scroll\" role=\"group\" aria-label=\"Table\" tabindex=\"0\"><table>",
        )
        .replace("</table>", "</table></div>")
        .replace("<pre>", "<pre role=\"group\" aria-label=\"Example\" tabindex=\"0\">")
    }

    fn target(&mut self, page: &Page, link: &str) -> Result<Target, String> {
        if link.contains("://") || link.starts_with("mailto:") {
            return Ok(Target::Link(link.to_owned()));
        }
        let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
        let here = page.entry.file.parent().unwrap_or(Path::new(""));
        let file = if path.is_empty() { page.entry.file.clone() } else { normal(&here.join(path)) };
        let found = self.pages.iter().find(|page| page.entry.file == file);
        // A folder is its first page.
        let within = || self.pages.iter().find(|page| page.entry.file.starts_with(&file));
        let folder = self.project.join(&file).is_dir();
        if let Some(to) = found.or_else(|| if folder { within() } else { None }) {
            if !anchor.is_empty() && to.headings.iter().all(|heading| heading.anchor != anchor) {
                return Err(format!("{link}: {} has no heading #{anchor}", to.entry.file.display()));
            }
            let place = if path.is_empty() {
                String::new()
            } else {
                between(&page.entry.output(), &to.entry.output())
            };
            let anchor = if anchor.is_empty() { String::new() } else { format!("#{anchor}") };
            return Ok(Target::Link(place + &anchor));
        }
        if !self.project.join(&file).exists() {
            return Err(format!("{link} leads nowhere"));
        }
        match file.strip_prefix("docs") {
            Ok(to) if !folder => {
                self.copies.insert((file.clone(), to.to_owned()));
                Ok(Target::Link(between(&page.entry.output(), to)))
            }
            _ => Ok(Target::Source(file)),
        }
    }
}

/// The way from a page to another file of the book.
pub fn between(from: &Path, to: &Path) -> String {
    let up = from.parent().map_or(0, |folder| folder.components().count());
    let to: Vec<_> = to.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    "../".repeat(up) + &to.join("/")
}

/// A path without `.` and `..`.
pub fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}
