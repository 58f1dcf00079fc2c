//! `fairveil-book PROJECT OUT` writes the book of the project in a folder, or says what is wrong with it.
#![allow(clippy::print_stdout, clippy::print_stderr)] // it is a program, and says what it did

use fairveil_book::{Book, Refused};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [project, out] = &words[..] else {
        eprintln!("error: two folders are needed\n  to do:  fairveil-book PROJECT OUT");
        return ExitCode::from(2);
    };
    match made(project, out) {
        Ok(book) => {
            println!("{} pages and {} files in {}", book.pages.len(), book.copies.len(), out.display());
            ExitCode::SUCCESS
        }
        Err(Refused::File(file, error)) => {
            eprintln!("error: {}: {error}", file.display());
            ExitCode::from(2)
        }
        Err(Refused::Problems(problems)) => {
            problems.iter().for_each(|problem| eprintln!("{problem}"));
            eprintln!("error: {} problems, no book", problems.len());
            ExitCode::FAILURE
        }
    }
}

fn made(project: &Path, out: &Path) -> Result<Book, Refused> {
    let book = Book::of(project)?;
    book.write(project, out)?;
    Ok(book)
}
