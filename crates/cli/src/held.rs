//! Files held open while they are read: what a report says of their bytes is said of those that were counted.

use crate::output::Shown;
use crate::provenance::hexadecimal;
use anyhow::{Context, bail};
use fairveil_ingest::Witness;
use sha2::{Digest, Sha256};
use std::fs::{File, Metadata};
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Past this many files nobody compares their digests.
const MOST_SHOWN: usize = 8;

/// The files of a table, as they were when reading began.
pub struct Held {
    files: Vec<HeldFile>,
    seen: Option<Arc<Seen>>,
}

struct HeldFile {
    path: PathBuf,
    /// Nothing where it is no file, or cannot be opened: whoever reads it says why.
    before: Option<Metadata>,
    /// Of many files, which would be too many handles, the look alone is compared.
    handle: Option<File>,
}

/// The digests of what passed, and how much it was, file by file.
#[derive(Debug)]
struct Seen(Mutex<Vec<(Sha256, u64)>>);

impl Witness for Seen {
    fn sees(&self, input: u32, bytes: &[u8]) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((digest, length)) = files.get_mut(input as usize) {
            digest.update(bytes);
            *length += bytes.len() as u64;
        }
    }
}

impl Held {
    /// Holds the files; `shown` where a report will show their digests.
    pub fn new(files: &[PathBuf], shown: bool) -> Self {
        let few = files.len() <= MOST_SHOWN;
        let hold = |path: &PathBuf| {
            let about = std::fs::metadata(path).ok().filter(Metadata::is_file);
            let handle = about.as_ref().filter(|_| few).and_then(|_| File::open(path).ok());
            let before = handle.as_ref().and_then(|handle| handle.metadata().ok()).or(about);
            HeldFile { path: path.clone(), before, handle }
        };
        let seen = || Arc::new(Seen(Mutex::new(vec![(Sha256::new(), 0); files.len()])));
        Held { seen: (shown && few).then(seen), files: files.iter().map(hold).collect() }
    }

    /// Who sees the bytes as they are read.
    pub fn witness(&self) -> Option<Arc<dyn Witness>> {
        self.seen.clone().map(|seen| seen as Arc<dyn Witness>)
    }

    /// The SHA-256 of each file where they are shown. Refuses files that are not what they were.
    pub fn digests(self) -> anyhow::Result<Option<String>> {
        let mut digests = Vec::new();
        for (place, file) in self.files.iter().enumerate() {
            let Some(before) = &file.before else { continue };
            // What is read in parts, or more than once, is read for its digest alone.
            let passed = self.seen.as_ref().and_then(|seen| {
                let files = seen.0.lock().unwrap_or_else(PoisonError::into_inner);
                files
                    .get(place)
                    .filter(|(_, length)| *length == before.len())
                    .map(|(digest, _)| digest.clone())
            });
            let digest = match (passed, &file.handle) {
                (Some(digest), _) => Some(digest),
                (None, Some(handle)) if self.seen.is_some() => {
                    let unreadable = || format!("{}: cannot be read", file.path.shown());
                    Some(digest_of(handle).with_context(unreadable)?)
                }
                _ => None,
            };
            file.refuse_changed(before)?;
            digests.extend(digest.map(|digest| (&file.path, hexadecimal(&digest.finalize()))));
        }
        let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(match digests.as_slice() {
            _ if digests.len() < self.files.len() => None,
            [] => None,
            [(_, only)] => Some(only.clone()),
            several => {
                let one = |(path, digest): &(&PathBuf, String)| Some(format!("{} {digest}", name(path)?));
                several.iter().map(one).collect::<Option<Vec<_>>>().map(|all| all.join(", "))
            }
        })
    }
}

impl HeldFile {
    fn refuse_changed(&self, before: &Metadata) -> anyhow::Result<()> {
        let same = |now: std::io::Result<Metadata>| now.is_ok_and(|now| look(&now) == look(before));
        if self.handle.as_ref().is_none_or(|handle| same(handle.metadata()))
            && same(std::fs::metadata(&self.path))
        {
            return Ok(());
        }
        bail!(
            "{}: the file changed while it was read\n  needed: a file that stays as it is\n  to do:  run it again when nothing writes to \
             the file",
            self.path.shown()
        )
    }
}

fn digest_of(mut handle: &File) -> std::io::Result<Sha256> {
    handle.rewind()?;
    let (mut digest, mut bytes) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match handle.read(&mut bytes)? {
            0 => return Ok(digest),
            read => digest.update(&bytes[..read]),
        }
    }
}

/// What shows that a file was written to, or that another took its name.
#[cfg(unix)]
fn look(about: &Metadata) -> impl PartialEq + use<> {
    use std::os::unix::fs::MetadataExt;
    // The last is the clock's own: nobody puts it back.
    (about.len(), about.modified().ok(), about.dev(), about.ino(), (about.ctime(), about.ctime_nsec()))
}

#[cfg(not(unix))]
fn look(about: &Metadata) -> impl PartialEq + use<> {
    (about.len(), about.modified().ok())
}
