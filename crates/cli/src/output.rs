//! The files of a command, which appear together or not at all, and standard output that may close early.

use crate::signals;
use anyhow::{Context, anyhow, bail};
use fairveil_core::setting::visible;
use fairveil_ingest::TableFormat;
use fairveil_report::Style;
use std::fs::{File, Metadata, Permissions};
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// All files that a command writes: proven writable before the work starts, named when all are finished.
#[derive(Default)]
pub struct Outputs {
    inputs: Vec<PathBuf>,
    files: Vec<OutputFile>,
    folders: Vec<MadeFolder>,
}

/// One of the files of a command.
#[derive(Debug, Clone, Copy)]
pub struct Slot(usize);

struct OutputFile {
    path: PathBuf,
    target: Target,
}

enum Target {
    /// A file without a name, which nothing leaves behind.
    #[cfg(target_os = "linux")]
    Unnamed(File),
    /// A file under another name, where there are none without.
    Named(NamedTempFile, signals::Removed),
    /// A device or a pipe, written to as it is.
    Stream(File),
}

/// A folder that was made for files; where it stays empty it goes away again.
struct MadeFolder(PathBuf);

impl Drop for MadeFolder {
    fn drop(&mut self) {
        // Fails where files are in it, as it should.
        let _ = std::fs::remove_dir(&self.0);
    }
}

impl Outputs {
    /// Of a command that reads these files: none of them is written over.
    pub fn beside(inputs: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        let inputs = inputs.into_iter().map(|input| input.as_ref().to_owned()).collect();
        Outputs { inputs, ..Outputs::default() }
    }

    /// Reserves a place. No output may be an input, nor another output.
    pub fn reserve(&mut self, path: &Path) -> anyhow::Result<Slot> {
        if is_standard(path) {
            bail!(
                "-: this output goes to a file\n  to do:  name one; --json alone takes - for standard output"
            );
        }
        if path.is_dir() {
            bail!("{}: this is a folder\n  to do:  name a file in it", path.shown());
        }
        if let Some(input) = self.inputs.iter().find(|input| is_same(input, path)) {
            bail!(
                "{}: the output would replace the input {}\n  needed: a name of its own\n  to do:  name another file",
                path.shown(),
                input.shown()
            );
        }
        // A link stays a link; what it points to is replaced.
        let place = behind_links(path);
        if self.files.iter().any(|file| file.path == place || is_same(&file.path, &place)) {
            bail!("{}: two outputs have this name\n  to do:  name a file for each", path.shown());
        }
        // The error itself may name a temporary file that the user never asked for.
        let target = Target::open(&place).map_err(|error| {
            anyhow!(
                "{}: cannot write here ({})\n  to do:  choose a folder that exists and is writable",
                place.shown(),
                error.kind()
            )
        })?;
        self.files.push(OutputFile { path: place, target });
        Ok(Slot(self.files.len() - 1))
    }

    /// Makes a folder for files if it is absent, and tries to write in it.
    pub fn folder(&mut self, path: &Path) -> anyhow::Result<()> {
        let unwritable = |error: std::io::Error| {
            anyhow!(
                "{}: cannot write here ({})\n  to do:  choose a folder that can be made and is writable",
                path.shown(),
                error.kind()
            )
        };
        let made = !path.exists();
        std::fs::create_dir_all(path).map_err(unwritable)?;
        if made {
            self.folders.push(MadeFolder(path.to_owned()));
        }
        Target::open(&path.join("new")).map_err(unwritable)?;
        Ok(())
    }

    /// The file to write to.
    pub fn writer(&mut self, slot: Slot) -> &mut File {
        match &mut self.files[slot.0].target {
            #[cfg(target_os = "linux")]
            Target::Unnamed(file) => file,
            Target::Named(file, _) => file.as_file_mut(),
            Target::Stream(file) => file,
        }
    }

    /// Writes all of a file.
    pub fn write(&mut self, slot: Slot, bytes: &[u8]) -> anyhow::Result<()> {
        let written = self.writer(slot).write_all(bytes);
        written.with_context(|| self.unwritten(slot))
    }

    /// Why a file is not there.
    pub fn unwritten(&self, slot: Slot) -> String {
        unwritten(&self.files[slot.0].path)
    }

    /// Gives all files their names, or none if one cannot have its own.
    pub fn commit(mut self) -> anyhow::Result<()> {
        for file in &mut self.files {
            file.target.finish(&file.path).with_context(|| unwritten(&file.path))?;
        }
        // Who wants to stop us now waits until all files are there.
        let _all = signals::wait();
        let mut ready: Vec<(NamedTempFile<()>, PathBuf)> = Vec::new();
        for OutputFile { path, target } in self.files.drain(..) {
            ready.extend(target.named(&path).with_context(|| unwritten(&path))?.map(|file| (file, path)));
        }
        // What a file replaces is kept until all are in their places.
        let mut done: Vec<(PathBuf, Before)> = Vec::new();
        for (file, path) in ready {
            let placed = Before::of(&path).and_then(|before| {
                file.persist(&path)?;
                Ok(before)
            });
            match placed {
                Ok(before) => done.push((path, before)),
                Err(error) => {
                    let error = anyhow::Error::from(error).context(unwritten(&path));
                    let undone = done.into_iter().rev().filter(|(path, before)| before.again(path).is_err());
                    let left: Vec<String> = undone.map(|(path, _)| path.shown()).collect();
                    return Err(match left.as_slice() {
                        [] => error,
                        left => {
                            error.context(format!("{}: written, and cannot be taken back", left.join(", ")))
                        }
                    });
                }
            }
        }
        Ok(())
    }
}

fn unwritten(path: &Path) -> String {
    format!("{}: cannot be written", path.shown())
}

/// What stood in the place of an output.
enum Before {
    Nothing,
    /// A file, under a second name.
    Kept(NamedTempFile<()>),
    /// A file that cannot have one.
    Gone,
}

impl Before {
    fn of(path: &Path) -> std::io::Result<Self> {
        if !path.exists() {
            return Ok(Before::Nothing);
        }
        match tempfile::Builder::new().make_in(folder_of(path), |name| std::fs::hard_link(path, name)) {
            Ok(kept) => Ok(Before::Kept(kept)),
            // Not every file system has second names, nor may everybody give them.
            Err(error) if [ErrorKind::Unsupported, ErrorKind::PermissionDenied].contains(&error.kind()) => {
                Ok(Before::Gone)
            }
            Err(error) => Err(error),
        }
    }

    /// Puts it back.
    fn again(&self, path: &Path) -> std::io::Result<()> {
        match self {
            Before::Nothing => std::fs::remove_file(path),
            Before::Kept(kept) => std::fs::rename(kept.path(), path),
            Before::Gone => Err(ErrorKind::Unsupported.into()),
        }
    }
}

impl Target {
    fn open(path: &Path) -> std::io::Result<Self> {
        let about = std::fs::metadata(path);
        if about.as_ref().is_ok_and(|about| !about.is_file()) {
            return File::options().write(true).open(path).map(Target::Stream);
        }
        #[cfg(target_os = "linux")]
        match unnamed_in(folder_of(path)) {
            Ok(file) => return Ok(Target::Unnamed(file)),
            // Not every file system has them.
            Err(error) if [ErrorKind::Unsupported, ErrorKind::IsADirectory].contains(&error.kind()) => {}
            Err(error) => return Err(error),
        }
        let file = NamedTempFile::new_in(folder_of(path))?;
        let removed = signals::Removed::new(file.path());
        Ok(Target::Named(file, removed))
    }

    /// Brings everything to the disk, as readable as the file that it replaces, or as any file that the user makes.
    fn finish(&mut self, path: &Path) -> std::io::Result<()> {
        let before = std::fs::metadata(path).map(|about| about.permissions()).ok();
        match self {
            #[cfg(target_os = "linux")]
            Target::Unnamed(file) => finish(file, before),
            Target::Named(file, _) => finish(file.as_file_mut(), before.or_else(usual)),
            Target::Stream(file) => file.flush(),
        }
    }

    /// The finished file, under another name in the same folder.
    fn named(self, path: &Path) -> std::io::Result<Option<NamedTempFile<()>>> {
        match self {
            #[cfg(target_os = "linux")]
            Target::Unnamed(file) => {
                tempfile::Builder::new().make_in(folder_of(path), |name| name_it(&file, name)).map(Some)
            }
            Target::Named(file, _removed) => {
                let (_, path) = file.into_parts();
                Ok(Some(NamedTempFile::from_parts((), path)))
            }
            Target::Stream(_) => Ok(None),
        }
    }
}

fn finish(file: &mut File, permissions: Option<Permissions>) -> std::io::Result<()> {
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.sync_all()
}

/// What any file of the user's can be read by, where that is told.
#[cfg(unix)]
fn usual() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let mask = status.lines().find_map(|line| line.strip_prefix("Umask:"))?;
    let mask = u32::from_str_radix(mask.trim(), 8).ok()?;
    Some(Permissions::from_mode(0o666 & !mask))
}

#[cfg(not(unix))]
fn usual() -> Option<Permissions> {
    None
}

#[cfg(target_os = "linux")]
fn unnamed_in(folder: &Path) -> std::io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    Ok(open(folder, flags, Mode::from_raw_mode(0o666))?.into())
}

#[cfg(target_os = "linux")]
fn name_it(file: &File, name: &Path) -> std::io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    let held = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, held, CWD, name, AtFlags::SYMLINK_FOLLOW)?)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

/// The place that a name stands for: links are followed, those to nothing too.
fn behind_links(path: &Path) -> PathBuf {
    const MOST: usize = 40;
    let mut place = path.to_owned();
    for _ in 0..MOST {
        let Ok(next) = std::fs::read_link(&place) else { break };
        place = folder_of(&place).join(next);
    }
    let folder = folder_of(&place).canonicalize().unwrap_or_else(|_| folder_of(&place).to_owned());
    place.file_name().map_or(place.clone(), |name| folder.join(name))
}

/// Whether two names are one file, by whatever links.
pub fn is_same(one: &Path, other: &Path) -> bool {
    match (std::fs::metadata(one), std::fs::metadata(other)) {
        (Ok(a), Ok(b)) if a.is_file() || b.is_file() => identity(&a).zip(identity(&b)).map_or_else(
            || one.canonicalize().ok().zip(other.canonicalize().ok()).is_some_and(|(a, b)| a == b),
            |(a, b)| a == b,
        ),
        _ => false,
    }
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "other systems do not tell")]
fn identity(about: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((about.dev(), about.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Option<(u64, u64)> {
    None
}

/// The format of a table that a name asks for; CSV on standard output.
pub fn table_format(output: &Path) -> anyhow::Result<TableFormat> {
    if is_standard(output) {
        return Ok(TableFormat::CSV);
    }
    TableFormat::of_name(&output.to_string_lossy()).with_context(|| {
        format!(
            "{}: the file name does not say which format\n  needed: a name that ends in .csv, .tsv, .jsonl (with .gz \
             compressed) or .parquet\n  to do:  name another file, or - for CSV on standard output",
            output.shown()
        )
    })
}

/// The same format with formulas made text, where that is asked for and means something.
pub fn safe_format(format: TableFormat, safe: bool, output: &Path) -> anyhow::Result<TableFormat> {
    if safe { format.safe().with_context(|| no_formulas(output)) } else { Ok(format) }
}

/// A file in which nothing is a formula needs nothing against them.
pub fn no_formulas(output: &Path) -> String {
    format!(
        "--safe-csv is given, but {} is not CSV or TSV: it cannot hold formulas\n  needed: a name that ends in .csv or \
         .tsv\n  to do:  leave --safe-csv out, or name another file",
        output.shown()
    )
}

/// Says that a spreadsheet would compute some of what was written, unless it was made text.
pub fn tell_of_formulas(met: u64, safe: bool) {
    if met == 0 {
        return;
    }
    let begin = if met == 1 { "1 cell begins".to_owned() } else { format!("{met} cells begin") };
    if safe {
        tell(&format!("{begin} like a formula; each now has an apostrophe before it (--safe-csv)"));
    } else {
        tell(&format!(
            "warning: {begin} like a formula (=, +, -, @, a tab or a line end), which a spreadsheet computes when it opens the file; \
             --safe-csv writes an apostrophe before it"
        ));
    }
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

/// Prints text for a person. Whoever stops reading misses the rest of it; files and exit codes do not depend on that.
pub fn print(text: &str) -> anyhow::Result<()> {
    match to_standard(text.as_bytes()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => done.context("standard output cannot be written to"),
    }
}

/// Puts data on standard output. Whoever stops reading has not got it, and that is no success.
pub fn print_data(bytes: &[u8]) -> anyhow::Result<()> {
    to_standard(bytes).map_err(|error| lost(error.into()))
}

fn to_standard(bytes: &[u8]) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

/// What data that did not arrive is told as.
pub fn lost(error: anyhow::Error) -> anyhow::Error {
    if !reader_went_away(&error) {
        return error.context("standard output cannot be written to");
    }
    anyhow!(
        "standard output was closed before all was written\n  needed: a reader that takes everything\n  to do:  write to a file, or \
         read to the end"
    )
}

/// Tells something on standard error: one line, whatever stands in the names it holds.
pub fn tell(text: &str) {
    // With standard error gone there is no one left to tell.
    let _ = writeln!(std::io::stderr(), "{}", visible(text));
}

/// A path as it may be shown.
pub trait Shown {
    /// With everything written out that a terminal would act on.
    fn shown(&self) -> String;
}

impl Shown for Path {
    fn shown(&self) -> String {
        visible(&self.to_string_lossy()).into_owned()
    }
}

/// Whether an error only says that whoever read our output stopped reading.
fn reader_went_away(error: &anyhow::Error) -> bool {
    let io = error.chain().find_map(|cause| match cause.downcast_ref::<csv::Error>().map(csv::Error::kind) {
        Some(csv::ErrorKind::Io(io)) => Some(io.kind()),
        _ => cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind),
    });
    io == Some(ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let names = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn where_one_file_cannot_have_its_name_none_has() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("old"), "as it was").unwrap();
        let mut outputs = Outputs::default();
        for name in ["new", "old", "taken"] {
            let slot = outputs.reserve(&path(name)).unwrap();
            outputs.write(slot, b"made").unwrap();
        }
        // Somebody makes a folder of the last name in the meantime.
        std::fs::create_dir(path("taken")).unwrap();
        std::fs::write(path("taken").join("file"), "").unwrap();
        let error = outputs.commit().unwrap_err();
        assert!(error.to_string().ends_with("taken: cannot be written"), "{error:#}");
        assert_eq!(names(folder.path()), ["old", "taken"]);
        assert_eq!(std::fs::read_to_string(path("old")).unwrap(), "as it was");
    }

    #[test]
    fn files_appear_together_and_nothing_else_is_there_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("b"), "old").unwrap();
        let mut outputs = Outputs::default();
        let slots = ["a", "b"].map(|name| outputs.reserve(&path(name)).unwrap());
        for slot in slots {
            outputs.write(slot, b"new").unwrap();
        }
        #[cfg(target_os = "linux")]
        assert_eq!(names(folder.path()), ["b"]);
        assert_eq!(std::fs::read_to_string(path("b")).unwrap(), "old");
        outputs.commit().unwrap();
        assert_eq!(names(folder.path()), ["a", "b"]);
        assert_eq!(std::fs::read_to_string(path("b")).unwrap(), "new");
    }

    #[test]
    #[cfg(unix)]
    fn a_name_of_its_own_is_as_readable_as_any_and_goes_away_with_the_program() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let file = NamedTempFile::new_in(folder.path()).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(file.path()), 0o600);
        let removed = signals::Removed::new(file.path());
        let mut outputs = Outputs::default();
        outputs.files.push(OutputFile { path: path.clone(), target: Target::Named(file, removed) });
        outputs.write(Slot(0), b"made").unwrap();
        outputs.commit().unwrap();
        let any = folder.path().join("any");
        std::fs::write(&any, "").unwrap();
        assert_eq!((mode(&path), names(folder.path())), (mode(&any), vec!["any".into(), "out".into()]));
    }
}
