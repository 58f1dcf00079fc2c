//! Bytes of which any can be gone to: a file, or memory.

use super::Bytes;
use bytes::Bytes as Shared;
use parquet::errors::Result as ParquetResult;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{Cursor, Read, Result, Seek, SeekFrom};
use std::path::PathBuf;

/// Bytes that can be opened more than once: where they lie, or a copy of what can be read only once.
#[derive(Debug)]
pub(crate) enum Seekable {
    File(PathBuf),
    Memory(Shared),
    #[cfg(feature = "files")]
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

    #[cfg(feature = "files")]
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
            #[cfg(feature = "files")]
            Seekable::Copy(copy) => Handle::File(copy.reopen()?),
        })
    }
}

/// Bytes and a place in them.
#[derive(Debug)]
pub(crate) enum Handle {
    File(File),
    Memory(Cursor<Shared>),
}

impl Read for Handle {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        match self {
            Handle::File(file) => file.read(out),
            Handle::Memory(bytes) => bytes.read(out),
        }
    }
}

impl Seek for Handle {
    fn seek(&mut self, place: SeekFrom) -> Result<u64> {
        match self {
            Handle::File(file) => file.seek(place),
            Handle::Memory(bytes) => bytes.seek(place),
        }
    }
}

impl Length for Handle {
    fn len(&self) -> u64 {
        match self {
            Handle::File(file) => Length::len(file),
            Handle::Memory(bytes) => bytes.get_ref().len() as u64,
        }
    }
}

impl ChunkReader for Handle {
    type T = Box<dyn Read + Send>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(match self {
            Handle::File(file) => Box::new(file.get_read(start)?),
            Handle::Memory(bytes) => Box::new(bytes.get_ref().get_read(start)?),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Shared> {
        match self {
            Handle::File(file) => file.get_bytes(start, length),
            Handle::Memory(bytes) => bytes.get_ref().get_bytes(start, length),
        }
    }
}
