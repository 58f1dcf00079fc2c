//! The documentation as one book: `docs/SUMMARY.md` names the pages, and each becomes a file that needs no network and no script.
//!
//! What the program knows is not typed again: findings, commands and the citation come from where they are
//! ([`generated`]). A link that leads nowhere, a page that no one lists and a page without a proper heading are problems,
//! and a book with problems is not written.

mod frame;
pub mod generated;
mod links;
mod page;
mod summary;

pub use links::Problem;
pub use summary::{Entry, Summary};

use links::Places;
use page::Page;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A book that can be written: pages in the order of the summary, and files that they link to.
#[derive(Debug)]
pub struct Book {
    /// Where each page goes, and its text.
    pub pages: Vec<(PathBuf, String)>,
    /// Files that are copied as they are: where they lie in the project, and where they go.
    pub copies: BTreeSet<(PathBuf, PathBuf)>,
}

/// Why there is no book.
#[derive(Debug)]
pub enum Refused {
    /// A file could not be read or written.
    File(PathBuf, io::Error),
    /// What is wrong with the pages.
    Problems(Vec<Problem>),
}

impl Book {
    /// Reads the pages of the project in this folder.
    pub fn of(project: &Path) -> Result<Self, Refused> {
        let summary = Summary::read(project)?;
        let mut problems = Vec::new();
        let mut pages = Vec::new();
        for entry in &summary.entries {
            match read(&project.join(&entry.file)) {
                Ok(text) => {
                    let text = generated::filled(&text, project)?;
                    pages.push(Page::parse(entry, &text, &mut problems));
                }
                Err(_) => problems
                    .push(Problem::new(summary::FILE, format!("{} cannot be read", entry.file.display()))),
            }
        }
        let mut places = Places::new(project, &pages);
        let bodies: Vec<String> = pages.iter().map(|page| places.resolve(page, &mut problems)).collect();
        unlisted(project, &pages, &places.copies, &mut problems)?;
        if !problems.is_empty() {
            return Err(Refused::Problems(problems));
        }
        let written = pages
            .iter()
            .zip(&bodies)
            .enumerate()
            .map(|(i, (page, body))| (page.entry.output(), frame::whole(&summary, &pages, i, body)));
        Ok(Self { pages: written.collect(), copies: places.copies })
    }

    /// Writes it into a folder, which need not exist.
    pub fn write(&self, project: &Path, out: &Path) -> Result<(), Refused> {
        for (file, text) in &self.pages {
            put(&out.join(file), text.as_bytes())?;
        }
        for (from, to) in &self.copies {
            let from = project.join(from);
            let bytes = fs::read(&from).map_err(|error| Refused::File(from, error))?;
            put(&out.join(to), &bytes)?;
        }
        Ok(())
    }
}

/// Every file in `docs/` is a page of the book, or a page links to it.
fn unlisted(
    project: &Path,
    pages: &[Page],
    copies: &BTreeSet<(PathBuf, PathBuf)>,
    problems: &mut Vec<Problem>,
) -> Result<(), Refused> {
    let mut folders = vec![PathBuf::from("docs")];
    while let Some(folder) = folders.pop() {
        let at = project.join(&folder);
        for entry in fs::read_dir(&at).map_err(|error| Refused::File(at.clone(), error))? {
            let entry = entry.map_err(|error| Refused::File(at.clone(), error))?;
            let file = folder.join(entry.file_name());
            let known = file == Path::new(summary::FILE)
                || pages.iter().any(|page| page.entry.file == file)
                || copies.iter().any(|(from, _)| *from == file);
            // What Python leaves beside a script.
            if entry.path().is_dir() && entry.file_name() != "__pycache__" {
                folders.push(file);
            } else if !entry.path().is_dir() && !known {
                let told = format!("{} is no page of the summary, and no page links to it", file.display());
                problems.push(Problem::new(summary::FILE, told));
            }
        }
    }
    Ok(())
}

fn read(file: &Path) -> Result<String, Refused> {
    fs::read_to_string(file).map_err(|error| Refused::File(file.to_owned(), error))
}

fn put(file: &Path, bytes: &[u8]) -> Result<(), Refused> {
    let written = match file.parent() {
        Some(folder) => fs::create_dir_all(folder).and_then(|()| fs::write(file, bytes)),
        None => fs::write(file, bytes),
    };
    written.map_err(|error| Refused::File(file.to_owned(), error))
}
