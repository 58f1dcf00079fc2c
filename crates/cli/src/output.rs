//! Files that appear whole or not at all, and standard output that may close early.

use anyhow::{Context, anyhow, bail};
use fairveil_report::Style;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A place for a file, proven writable before the work starts. The file takes its name only when finished.
pub struct OutputFile {
    path: PathBuf,
    file: NamedTempFile,
}

impl OutputFile {
    /// Reserves a place. Refuses to write over the input.
    pub fn reserve(path: &Path, input: Option<&Path>) -> anyhow::Result<Self> {
        let same =
            |input: &Path| matches!((input.canonicalize(), path.canonicalize()), (Ok(a), Ok(b)) if a == b);
        if input.is_some_and(same) {
            bail!("{}: the output would replace the input\n  to do:  name another file", path.display());
        }
        if path.is_dir() {
            bail!("{}: this is a folder\n  to do:  name a file in it", path.display());
        }
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let file = NamedTempFile::new_in(folder).map_err(|error| {
            // The error itself names a temporary file that the user never asked for.
            anyhow!(
                "{}: cannot write here ({})\n  to do:  choose a folder that exists and is writable",
                path.display(),
                error.kind()
            )
        })?;
        Ok(OutputFile { path: path.to_owned(), file })
    }

    /// The file to write to.
    pub fn writer(&mut self) -> &mut impl Write {
        self.file.as_file_mut()
    }

    /// Gives the finished file its name.
    pub fn commit(self) -> anyhow::Result<()> {
        let path = self.path;
        open_to_others(self.file.path());
        self.file.persist(&path).with_context(|| format!("{}: cannot be written", path.display()))?;
        Ok(())
    }

    /// Writes everything and gives the file its name.
    pub fn commit_bytes(mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let path = self.path.clone();
        self.writer().write_all(bytes).with_context(|| format!("{}: cannot be written", path.display()))?;
        self.commit()
    }
}

/// Temporary files are private; a report is as readable as any file the user makes.
#[cfg(unix)]
fn open_to_others(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    // Without this the file is still whole, only private.
    let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644));
}

#[cfg(not(unix))]
fn open_to_others(_: &Path) {}

/// Whether a path means standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// Colour only on a terminal, and only if the user's environment does not forbid it.
pub fn style() -> Style {
    let stdout = std::io::stdout();
    match anstream::AutoStream::choice(&stdout) {
        anstream::ColorChoice::Never => Style::Plain,
        _ if !stdout.is_terminal() => Style::Plain,
        _ => Style::Colour,
    }
}

/// Prints on standard output.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(())
}

/// Tells something on standard error.
pub fn tell(text: &str) {
    // With standard error gone there is no one left to tell.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Whether an error only says that whoever read our output stopped reading.
pub fn reader_went_away(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
