//! The book of this project, and books that are broken on purpose.
#![allow(clippy::unwrap_used, clippy::panic)] // tests may stop at the first surprise

use fairveil_book::{Book, Refused, generated};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn project() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn book() -> Book {
    match Book::of(project()) {
        Ok(book) => book,
        Err(Refused::File(file, error)) => panic!("{}: {error}", file.display()),
        Err(Refused::Problems(problems)) => {
            panic!("{}", problems.iter().map(|problem| format!("{problem}\n")).collect::<String>())
        }
    }
}

#[test]
fn no_link_of_this_book_is_dead_and_no_document_is_left_out() {
    let book = book();
    assert!(book.pages.len() > 50, "{} pages", book.pages.len());
    // Links between pages, as a browser follows them: to files of the book and anchors in them.
    let mut followed = 0;
    for (file, text) in &book.pages {
        for link in text.split(" href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let to = if path.is_empty() { file.clone() } else { normal(&file.parent().unwrap().join(path)) };
            let page = book.pages.iter().find(|(file, _)| *file == to);
            let copied = book.copies.iter().any(|(_, copy)| *copy == to);
            assert!(page.is_some() || copied, "{}: {link}", file.display());
            let there = |text: &str| anchor.is_empty() || text.contains(&format!(" id=\"{anchor}\""));
            assert!(page.is_none_or(|(_, text)| there(text)), "{}: {link}", file.display());
            followed += 1;
        }
    }
    assert!(followed > 2_000, "{followed} links");
}

#[test]
fn pages_follow_each_other_and_need_nothing_else() {
    let book = book();
    for (i, (file, text)) in book.pages.iter().enumerate() {
        assert_eq!(text.contains("rel=\"prev\""), i > 0, "{}", file.display());
        assert_eq!(text.contains("rel=\"next\""), i + 1 < book.pages.len(), "{}", file.display());
        assert!(!text.contains("<script") && !text.contains("<link"), "{}", file.display());
        assert!(!text.contains(" src=\"http"), "{}", file.display());
    }
    assert_eq!(book.pages[0].0, Path::new("index.html"));
}

#[test]
fn every_finding_and_every_command_is_in_the_book() {
    let book = book();
    let page = |name: &str| &book.pages.iter().find(|(file, _)| file == Path::new(name)).unwrap().1;
    for entry in fairveil_core::diagnose::catalogue() {
        let anchor = format!(" id=\"{}\"", entry.code.to_lowercase());
        assert!(page("troubleshooting.html").contains(&anchor), "{}", entry.code);
    }
    assert!(generated::commands().contains("Usage: fairveil audit"));
    for command in fairveil::command().get_subcommands() {
        assert!(
            page("commands.html").contains(&format!(" id=\"{}\"", command.get_name())),
            "{}",
            command.get_name()
        );
    }
}

#[test]
fn it_is_written_whole() {
    let out = TempDir::new().unwrap();
    let book = book();
    book.write(project(), out.path()).unwrap_or_else(|_| panic!("cannot write"));
    assert!(out.path().join("methods/hoc.html").exists());
    assert!(out.path().join("images/report.png").exists());
    assert!(out.path().join("schema/fairveil.audit-2.json").exists());
}

#[test]
fn the_citation_has_the_version_of_the_program() {
    let citation = fs::read_to_string(project().join("CITATION.cff")).unwrap();
    let version = format!("\nversion: {}\n", env!("CARGO_PKG_VERSION"));
    assert!(citation.contains(&version), "{citation}");
}

/// A project with these pages, and what is wrong with its book.
fn broken(pages: &[(&str, &str)]) -> Vec<String> {
    let project = TempDir::new().unwrap();
    for (file, text) in pages {
        let file = project.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    match Book::of(project.path()) {
        Err(Refused::Problems(problems)) => problems.iter().map(ToString::to_string).collect(),
        Err(Refused::File(file, error)) => panic!("{}: {error}", file.display()),
        Ok(_) => Vec::new(),
    }
}

#[test]
fn what_is_broken_is_told_with_its_place() {
    let summary = ("docs/SUMMARY.md", "# B\n[A](README.md)\n[C](c.md)\n");
    let c = ("docs/c.md", "# C\n## Here\n");
    assert_eq!(
        broken(&[summary, c, ("docs/README.md", "# A\n[c](c.md#here) [self](#a)\n")]),
        Vec::<String>::new()
    );
    for (text, told) in [
        ("# A\n[x](d.md)\n", "docs/README.md: d.md leads nowhere"),
        ("# A\n[x](c.md#there)\n", "docs/README.md: c.md#there: docs/c.md has no heading #there"),
        ("# A\n[x](#b)\n", "docs/README.md: #b: docs/README.md has no heading #b"),
        ("# A\n![x](no.png)\n", "docs/README.md: no.png leads nowhere"),
        (
            "# A\n\n<!-- book: nothing -->\n",
            "docs/README.md: holds HTML, of which the book makes its own: <!-- book: nothing -->",
        ),
    ] {
        assert_eq!(broken(&[summary, c, ("docs/README.md", text)]), [told]);
    }
    let a = ("docs/README.md", "# A\n");
    assert_eq!(broken(&[summary, a]), ["docs/SUMMARY.md: docs/c.md cannot be read"]);
    let left = broken(&[summary, a, c, ("docs/deep/left.md", "# L\n")]);
    assert_eq!(
        left,
        ["docs/SUMMARY.md: docs/deep/left.md is no page of the summary, and no page links to it"]
    );
}

fn normal(path: &Path) -> std::path::PathBuf {
    let mut out = std::path::PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}
