//! Files that appear whole or not at all, and standard output that may close early.

use anyhow::{Context, anyhow, bail};
use fairveil_ingest::TableFormat;
use fairveil_report::{PlotFile, Style};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A place for a file, proven writable before the work starts. The file takes its name only when finished.
pub struct OutputFile {
    path: PathBuf,
    target: Target,
}

enum Target {
    /// A file that is not there yet, or will be replaced.
    New(NamedTempFile),
    /// A device or a pipe, written to as it is.
    Stream(std::fs::File),
}

impl OutputFile {
    /// Reserves a place. Refuses to write over an input.
    pub fn reserve<'i>(path: &Path, inputs: impl IntoIterator<Item = &'i Path>) -> anyhow::Result<Self> {
        let same =
            |input: &Path| matches!((input.canonicalize(), path.canonicalize()), (Ok(a), Ok(b)) if a == b);
        if let Some(input) = inputs.into_iter().find(|input| same(input)) {
            bail!(
                "{}: the output would replace the input {}\n  to do:  name another file",
                path.display(),
                input.display()
            );
        }
        if is_standard(path) {
            bail!(
                "-: this output goes to a file\n  to do:  name one; --json alone takes - for standard output"
            );
        }
        if path.is_dir() {
            bail!("{}: this is a folder\n  to do:  name a file in it", path.display());
        }
        // A link stays a link; what it points to is replaced.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let unwritable = |error: &std::io::Error| {
            // The error itself may name a temporary file that the user never asked for.
            anyhow!(
                "{}: cannot write here ({})\n  to do:  choose a folder that exists and is writable",
                path.display(),
                error.kind()
            )
        };
        if std::fs::metadata(&path).is_ok_and(|meta| !meta.is_file()) {
            let file =
                std::fs::OpenOptions::new().write(true).open(&path).map_err(|error| unwritable(&error))?;
            return Ok(OutputFile { path, target: Target::Stream(file) });
        }
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let file = temporary(&path).tempfile_in(folder).map_err(|error| unwritable(&error))?;
        Ok(OutputFile { target: Target::New(file), path })
    }

    /// The file to write to.
    pub fn writer(&mut self) -> &mut std::fs::File {
        match &mut self.target {
            Target::New(file) => file.as_file_mut(),
            Target::Stream(file) => file,
        }
    }

    /// Gives the finished file its name.
    pub fn commit(self) -> anyhow::Result<()> {
        let path = self.path;
        if let Target::New(file) = self.target {
            file.persist(&path).with_context(|| format!("{}: cannot be written", path.display()))?;
        }
        Ok(())
    }

    /// Writes everything and gives the file its name.
    pub fn commit_bytes(mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let path = self.path.clone();
        self.writer().write_all(bytes).with_context(|| format!("{}: cannot be written", path.display()))?;
        self.commit()
    }
}

/// Gives two finished files their names; if the second cannot have its own, the first is not left alone.
pub fn commit_both(first: OutputFile, bytes: &[u8], second: OutputFile) -> anyhow::Result<()> {
    let path = first.path.clone();
    let replaced = path.exists();
    first.commit_bytes(bytes)?;
    second.commit().inspect_err(|_| {
        if !replaced {
            // What cannot be removed was told by the error of the other.
            let _ = std::fs::remove_file(&path);
        }
    })
}

/// A folder for several files, proven writable before the work starts. One that was made for them and stays empty goes
/// away again.
pub struct OutputFolder {
    path: PathBuf,
    made: bool,
}

impl OutputFolder {
    /// Makes the folder if it is absent, and tries to write in it.
    pub fn reserve(path: &Path) -> anyhow::Result<Self> {
        let unwritable = |error: std::io::Error| {
            anyhow!(
                "{}: cannot write here ({})\n  to do:  choose a folder that can be made and is writable",
                path.display(),
                error.kind()
            )
        };
        let made = !path.exists();
        std::fs::create_dir_all(path).map_err(unwritable)?;
        let folder = OutputFolder { path: path.to_owned(), made };
        NamedTempFile::new_in(path).map_err(unwritable)?;
        Ok(folder)
    }

    /// Writes every file: a name and its text.
    pub fn commit(self, files: &[PlotFile]) -> anyhow::Result<()> {
        let places: Result<Vec<OutputFile>, _> =
            files.iter().map(|file| OutputFile::reserve(&self.path.join(&file.name), None)).collect();
        places?.into_iter().zip(files).try_for_each(|(place, file)| place.commit_bytes(file.svg.as_bytes()))
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        if self.made {
            // Fails where files are in it, as it should.
            let _ = std::fs::remove_dir(&self.path);
        }
    }
}

/// A temporary file as readable as the one it replaces, or as any file that the user makes.
#[cfg(unix)]
fn temporary(path: &Path) -> tempfile::Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt;
    let permissions = std::fs::metadata(path).map(|meta| meta.permissions());
    let mut builder = tempfile::Builder::new();
    builder.permissions(permissions.unwrap_or_else(|_| std::fs::Permissions::from_mode(0o666)));
    builder
}

#[cfg(not(unix))]
fn temporary(_: &Path) -> tempfile::Builder<'static, 'static> {
    tempfile::Builder::new()
}

/// Refuses outputs that would replace each other.
pub fn refuse_same<'p>(paths: impl IntoIterator<Item = &'p Path>) -> anyhow::Result<()> {
    let mut seen: Vec<PathBuf> = Vec::new();
    for path in paths {
        let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        let place = folder
            .canonicalize()
            .unwrap_or_else(|_| folder.to_owned())
            .join(path.file_name().unwrap_or_default());
        if seen.contains(&place) {
            bail!("{}: two outputs have this name\n  to do:  name a file for each", path.display());
        }
        seen.push(place);
    }
    Ok(())
}

/// The format of a table that a name asks for; CSV on standard output.
pub fn table_format(output: &Path) -> anyhow::Result<TableFormat> {
    if is_standard(output) {
        return Ok(TableFormat::CSV);
    }
    TableFormat::of_name(&output.to_string_lossy()).with_context(|| {
        format!(
            "{}: the name does not tell the format\n  needed: a name that ends in .csv, .tsv, .jsonl (with .gz \
             compressed) or .parquet\n  to do:  name another file, or - for CSV on standard output",
            output.display()
        )
    })
}

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

/// Prints on standard output. Whoever stops reading misses the rest of it; files and exit codes do not depend on that.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(error).context("standard output cannot be written to")
        }
        _ => Ok(()),
    }
}

/// Tells something on standard error.
pub fn tell(text: &str) {
    // With standard error gone there is no one left to tell.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Text for a terminal: characters that would command it are shown as a mark.
pub fn harmless(text: &str) -> String {
    let safe = |letter: char| {
        if letter.is_control() && letter != '\n' { char::REPLACEMENT_CHARACTER } else { letter }
    };
    text.chars().map(safe).collect()
}

/// Whether an error only says that whoever read our output stopped reading.
pub fn reader_went_away(error: &anyhow::Error) -> bool {
    let io = error.chain().find_map(|cause| match cause.downcast_ref::<csv::Error>().map(csv::Error::kind) {
        Some(csv::ErrorKind::Io(io)) => Some(io.kind()),
        _ => cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind),
    });
    io == Some(std::io::ErrorKind::BrokenPipe)
}
