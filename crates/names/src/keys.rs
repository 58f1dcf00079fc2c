//! Entries of a table in one run of bytes, found by hash.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// Texts of capital letters or digits, each once.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    text: Vec<u8>,
    /// Where each entry ends.
    ends: Vec<u32>,
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Keys {
    pub(crate) fn with_capacity(entries: usize, bytes: usize) -> Self {
        Self {
            text: Vec::with_capacity(bytes),
            ends: Vec::with_capacity(entries),
            index: HashTable::with_capacity(entries),
            hasher: DefaultHashBuilder::default(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, entry: u32) -> &[u8] {
        slice(&self.text, &self.ends, entry)
    }

    #[inline]
    pub(crate) fn find(&self, key: &[u8]) -> Option<u32> {
        let same = |&entry: &u32| slice(&self.text, &self.ends, entry) == key;
        self.index.find(self.hasher.hash_one(key), same).copied()
    }

    /// Appends an entry that is not there yet. None where the table is full.
    pub(crate) fn push(&mut self, key: &[u8]) -> Option<u32> {
        let entry = u32::try_from(self.ends.len()).ok()?;
        let end = u32::try_from(self.text.len() + key.len()).ok()?;
        self.text.extend_from_slice(key);
        self.ends.push(end);
        let Self { text, ends, index, hasher } = self;
        index.insert_unique(hasher.hash_one(key), entry, |&other| hasher.hash_one(slice(text, ends, other)));
        Some(entry)
    }
}

#[inline]
fn slice<'t>(text: &'t [u8], ends: &[u32], entry: u32) -> &'t [u8] {
    let entry = entry as usize;
    let start = if entry == 0 { 0 } else { ends.get(entry - 1).map_or(0, |&end| end as usize) };
    let end = ends.get(entry).map_or(0, |&end| end as usize);
    text.get(start..end).unwrap_or_default()
}
