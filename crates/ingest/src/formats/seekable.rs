//! Bytes of which any can be gone to: a file, or memory.

use super::Bytes;
use bytes::Bytes as Shared;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{BufReader, Cursor, ErrorKind, Read, Result, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

/// Bytes that can be opened more than once: where they lie, or a copy of what can be read only once.
#[derive(Debug)]
pub(crate) enum Seekable {
    File(PathBuf),
    Memory(Shared),
    /// A copy without a name, which nothing leaves behind.
    #[cfg(all(feature = "files", unix))]
    Copy(Arc<File>),
    #[cfg(all(feature = "files", not(unix)))]
    Copy(tempfile::NamedTempFile),
}

impl Seekable {
    /// What lies somewhere as it is read, if it does; else a copy of what is read.
    pub fn new(lies: Option<Seekable>, bytes: &mut Bytes) -> Result<Self> {
        match lies {
            Some(Seekable::File(path)) if !std::fs::metadata(&path)?.is_file() => Self::copy(bytes),
            Some(lies) => Ok(lies),
            None => Self::copy(bytes),
        }
    }

    #[cfg(all(feature = "files", unix))]
    pub fn copy(mut bytes: impl Read) -> Result<Self> {
        let mut copy = tempfile::tempfile()?;
        std::io::copy(&mut bytes, &mut copy)?;
        Ok(Seekable::Copy(Arc::new(copy)))
    }

    #[cfg(all(feature = "files", not(unix)))]
    pub fn copy(mut bytes: impl Read) -> Result<Self> {
        let mut copy = tempfile::NamedTempFile::new()?;
        std::io::copy(&mut bytes, &mut copy)?;
        Ok(Seekable::Copy(copy))
    }

    #[cfg(not(feature = "files"))]
    pub fn copy(mut bytes: impl Read) -> Result<Self> {
        let mut copy = Vec::new();
        bytes.read_to_end(&mut copy)?;
        Ok(Seekable::Memory(copy.into()))
    }

    /// A handle with a place of its own.
    pub fn open(&self) -> Result<Handle> {
        Ok(match self {
            Seekable::File(path) => Handle::File(File::open(path)?),
            Seekable::Memory(bytes) => Handle::Memory(Cursor::new(bytes.clone())),
            #[cfg(all(feature = "files", unix))]
            Seekable::Copy(copy) => Handle::Shared(At { file: Arc::clone(copy), place: 0 }),
            #[cfg(all(feature = "files", not(unix)))]
            Seekable::Copy(copy) => Handle::File(copy.reopen()?),
        })
    }
}

/// Bytes and a place in them.
#[derive(Debug)]
pub(crate) enum Handle {
    File(File),
    Memory(Cursor<Shared>),
    #[cfg(all(feature = "files", unix))]
    Shared(At),
}

/// A file that several read, each with a place of its own.
#[cfg(all(feature = "files", unix))]
#[derive(Debug, Clone)]
pub(crate) struct At {
    file: Arc<File>,
    place: u64,
}

#[cfg(all(feature = "files", unix))]
impl Read for At {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        let read = std::os::unix::fs::FileExt::read_at(self.file.as_ref(), out, self.place)?;
        self.place += read as u64;
        Ok(read)
    }
}

#[cfg(all(feature = "files", unix))]
impl Seek for At {
    fn seek(&mut self, place: SeekFrom) -> Result<u64> {
        let from = |start: u64, by: i64| start.checked_add_signed(by).ok_or(ErrorKind::InvalidInput);
        self.place = match place {
            SeekFrom::Start(place) => place,
            SeekFrom::End(by) => from(self.file.metadata()?.len(), by)?,
            SeekFrom::Current(by) => from(self.place, by)?,
        };
        Ok(self.place)
    }
}

impl Read for Handle {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        match self {
            Handle::File(file) => file.read(out),
            Handle::Memory(bytes) => bytes.read(out),
            #[cfg(all(feature = "files", unix))]
            Handle::Shared(file) => file.read(out),
        }
    }
}

impl Seek for Handle {
    fn seek(&mut self, place: SeekFrom) -> Result<u64> {
        match self {
            Handle::File(file) => file.seek(place),
            Handle::Memory(bytes) => bytes.seek(place),
            #[cfg(all(feature = "files", unix))]
            Handle::Shared(file) => file.seek(place),
        }
    }
}

impl Length for Handle {
    fn len(&self) -> u64 {
        match self {
            Handle::File(file) => Length::len(file),
            Handle::Memory(bytes) => bytes.get_ref().len() as u64,
            #[cfg(all(feature = "files", unix))]
            Handle::Shared(file) => Length::len(file.file.as_ref()),
        }
    }
}

impl ChunkReader for Handle {
    type T = Box<dyn Read + Send>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(match self {
            Handle::File(file) => Box::new(file.get_read(start)?),
            Handle::Memory(bytes) => Box::new(bytes.get_ref().get_read(start)?),
            #[cfg(all(feature = "files", unix))]
            Handle::Shared(file) => Box::new(BufReader::new(At { place: start, ..file.clone() })),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Shared> {
        match self {
            Handle::File(file) => file.get_bytes(start, length),
            Handle::Memory(bytes) => bytes.get_ref().get_bytes(start, length),
            #[cfg(all(feature = "files", unix))]
            Handle::Shared(file) => {
                let mut bytes = Vec::new();
                let mut from = At { place: start, ..file.clone() }.take(length as u64);
                from.read_to_end(&mut bytes)?;
                let short =
                    || ParquetError::EOF(format!("{length} bytes were expected, {} are there", bytes.len()));
                if bytes.len() == length { Ok(bytes.into()) } else { Err(short()) }
            }
        }
    }
}
