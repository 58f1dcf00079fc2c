//! From what was typed to inputs: files, names that stand for many, standard input; and how far reading is.

use crate::args::TableArgs;
use crate::database;
use crate::dialect::Flags;
use crate::held::Held;
use crate::output::{Shown, is_standard, tell};
use crate::provenance::Hashed;
use anyhow::{Context, bail};
use fairveil_ingest::{Database, Input, Notes, Progress, Reading, is_postgres};
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use std::collections::BTreeSet;
use std::io::{IsTerminal, Read, Stdin};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

/// Where a table is read from.
pub enum Source {
    Files(Vec<PathBuf>),
    Standard,
    Database(Box<Database>),
}

impl Source {
    pub fn new(args: &TableArgs) -> anyhow::Result<Self> {
        if let Some(database) = database::named(args)? {
            return Ok(Source::Database(Box::new(database)));
        }
        match args.tables.as_slice() {
            [only] if is_standard(only) => Ok(Source::Standard),
            tables if tables.iter().any(|table| is_standard(table)) => {
                bail!("-: standard input is named beside files\n  to do:  name files, or - alone")
            }
            tables => Ok(Source::Files(Input::files(tables)?)),
        }
    }

    /// Files or standard input, for what copies rows: a database gives a tally only.
    pub fn of_rows(tables: &[PathBuf]) -> anyhow::Result<Self> {
        if let Some(table) = tables.iter().find(|table| table.to_str().is_some_and(is_postgres)) {
            bail!(
                "{}: rows in a database cannot be copied\n  needed: files, or - for standard input\n  \
                 to do:  export the table first",
                fairveil_ingest::without_password(&table.to_string_lossy())
            );
        }
        match tables {
            [only] if is_standard(only) => Ok(Source::Standard),
            tables if tables.iter().any(|table| is_standard(table)) => {
                bail!("-: standard input is named beside files\n  to do:  name files, or - alone")
            }
            tables => Ok(Source::Files(Input::files(tables)?)),
        }
    }

    /// Whether it can be read more than once: files that are files.
    pub fn can_be_read_again(&self) -> bool {
        let regular = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|about| about.is_file());
        // What is not there is told when it is opened.
        matches!(self, Source::Files(files) if files.iter().all(|path| !path.exists() || regular(path)))
    }

    /// The files, to be kept from being written over.
    pub fn files(&self) -> &[PathBuf] {
        match self {
            Source::Files(files) => files,
            Source::Standard | Source::Database(_) => &[],
        }
    }

    pub fn is_standard(&self) -> bool {
        matches!(self, Source::Standard)
    }

    /// What reports call the table.
    pub fn name(&self) -> String {
        match self {
            Source::Standard => "standard input".into(),
            Source::Database(database) => database.address.to_string(),
            Source::Files(files) => match files.as_slice() {
                [] => String::new(),
                [only] => only.shown(),
                [first, rest @ ..] => format!("{} and {} more", first.shown(), rest.len()),
            },
        }
    }

    /// What is read, once more; nothing of what can be read only once.
    pub fn again(&self) -> Vec<Input<'static>> {
        match self {
            Source::Standard => Vec::new(),
            Source::Database(database) => {
                let warn = |warning: &str| tell(&format!("warning: {warning}"));
                vec![Input::Rows(Box::new(database.as_ref().clone().rows(warn)))]
            }
            Source::Files(files) => files.iter().cloned().map(Input::File).collect(),
        }
    }

    /// Reads the table, and says what was found out about it; also gives the SHA-256 of its bytes where a report will show it.
    pub fn read<T, E: Into<anyhow::Error>>(
        &self,
        reading: &Reading,
        shown: bool,
        read: impl FnOnce(Vec<Input>, &Reading) -> Result<T, E>,
    ) -> anyhow::Result<(T, Option<String>)> {
        let notes = Arc::new(Notes::default());
        let reading = &Reading { notes: Some(Arc::clone(&notes)), ..reading.clone() };
        let read = self.read_noted(reading, shown, read);
        notes.sentences().iter().for_each(|note| tell_once(&note.spelled(&Flags)));
        read
    }

    fn read_noted<T, E: Into<anyhow::Error>>(
        &self,
        reading: &Reading,
        shown: bool,
        read: impl FnOnce(Vec<Input>, &Reading) -> Result<T, E>,
    ) -> anyhow::Result<(T, Option<String>)> {
        match self {
            Source::Standard => {
                let mut bytes: Hashed<Stdin> = Hashed::new(std::io::stdin());
                let input = Input::Bytes { name: self.name(), bytes: Box::new(&mut bytes) };
                let table =
                    with_progress(reading, |reading| read(vec![input], reading)).map_err(Into::into)?;
                let sha256 = if shown { Some(bytes.digest()?) } else { None };
                Ok((table, sha256))
            }
            Source::Database(_) => Ok((read(self.again(), reading).map_err(Into::into)?, None)),
            Source::Files(files) => {
                let held = Held::new(files, shown);
                let reading = Reading { witness: held.witness(), ..reading.clone() };
                let table =
                    with_progress(&reading, |reading| read(self.again(), reading)).map_err(Into::into)?;
                Ok((table, held.digests()?))
            }
        }
    }
}

/// Says something about a table, once however often the table is read.
fn tell_once(note: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(note.to_owned()) {
        tell(&format!("note: {note}"));
    }
}

/// The text of a file that states something: a rule, a mechanism, error rates, an audit. What is larger than any of them is no such file.
pub fn read_stated(path: &Path) -> anyhow::Result<String> {
    const MOST: u64 = 64 << 20;
    let unread = || format!("cannot read {}", path.shown());
    let file = std::fs::File::open(path).with_context(unread)?;
    let mut text = String::new();
    file.take(MOST + 1).read_to_string(&mut text).with_context(unread)?;
    if text.len() as u64 > MOST {
        bail!(
            "{}: more than {} MiB\n  needed: a rule, a mechanism, error rates or an audit that fairveil wrote\n  to do:  check the name",
            path.shown(),
            MOST >> 20
        );
    }
    Ok(text)
}

/// Reads, and after a second begins to tell on a terminal how far it is.
pub fn with_progress<T>(reading: &Reading, read: impl FnOnce(&Reading) -> T) -> T {
    if !std::io::stderr().is_terminal() {
        return read(reading);
    }
    let progress = Arc::new(Progress::default());
    let reading = Reading { progress: Some(Arc::clone(&progress)), ..reading.clone() };
    let (done, waiting) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        // Where no thread can start, nobody is told how far it is.
        let _ = std::thread::Builder::new().spawn_scoped(scope, move || show(&progress, &waiting));
        let read = read(&reading);
        drop(done);
        read
    })
}

fn show(progress: &Progress, done: &mpsc::Receiver<()>) {
    const PATIENCE: Duration = Duration::from_secs(1);
    const STEP: Duration = Duration::from_millis(200);
    let ended = |wait| !matches!(done.recv_timeout(wait), Err(mpsc::RecvTimeoutError::Timeout));
    if ended(PATIENCE) {
        return;
    }
    let total = Some(progress.total()).filter(|total| *total > 0);
    let bar = match total {
        Some(total) => ProgressBar::new(total),
        None => ProgressBar::new_spinner(),
    };
    let style = match total {
        Some(_) => "{bar:24} {bytes} of {total_bytes}, {msg} rows, {eta} left",
        None => "{spinner} {bytes}, {msg} rows, {elapsed}",
    };
    if let Ok(style) = ProgressStyle::with_template(style) {
        bar.set_style(style);
    }
    loop {
        bar.set_position(progress.bytes());
        bar.set_message(HumanCount(progress.rows()).to_string());
        if ended(STEP) {
            break;
        }
    }
    bar.finish_and_clear();
}
