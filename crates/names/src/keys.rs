//! Entries of a table: their spelling in one run of bytes, and how they are found.
//!
//! Ten million rows are looked up in one pass, and what that costs are misses of the cache. So a name of up to twelve
//! letters, as nearly all are, is one number, five bits for each letter, and lies beside its entry in one flat table: a
//! look-up reads one line of memory. Longer names go through their spelling. A ZIP code is a place in an array.

use crate::Field;
use crate::normalise::{NOTHING, stands_for_nothing};
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// Letters of five bits in 64.
const SHORT: usize = 12;
/// Parts of the flat table, each small enough to stay near the processor.
const PARTS: usize = 256;
/// No entry.
const NONE: u32 = u32::MAX;

/// Texts of capital letters, or of five digits, each once.
#[derive(Debug)]
pub(crate) struct Keys {
    text: Vec<u8>,
    /// Where each entry ends.
    ends: Vec<u32>,
    index: Index,
}

#[derive(Debug)]
enum Index {
    Names {
        short: Short,
        long: HashTable<u32>,
        hasher: DefaultHashBuilder,
    },
    /// The entry of every number of five digits, or [`NONE`].
    Zips(Vec<u32>),
}

impl Keys {
    pub(crate) fn with_capacity(field: Field, entries: usize) -> Self {
        let index = match field {
            Field::Zip => Index::Zips(vec![NONE; 100_000]),
            Field::FirstName | Field::Surname => Index::Names {
                short: Short::with_capacity(entries),
                long: HashTable::new(),
                hasher: DefaultHashBuilder::default(),
            },
        };
        Self { text: Vec::with_capacity(entries * 8), ends: Vec::with_capacity(entries), index }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, entry: u32) -> &[u8] {
        slice(&self.text, &self.ends, entry)
    }

    #[inline]
    pub(crate) fn find(&self, key: &[u8]) -> Option<u32> {
        match &self.index {
            Index::Names { short, long, hasher } => match packed(key) {
                Some(number) => short.find(number),
                None => long.find(hasher.hash_one(key), |&entry| self.get(entry) == key).copied(),
            },
            Index::Zips(entries) => entries.get(number(key)?).copied().filter(|&entry| entry != NONE),
        }
    }

    /// One word of two to twelve ASCII letters of either case, or five digits, as a number; nothing for any other text.
    #[inline]
    pub(crate) fn plain(&self, raw: &[u8]) -> Option<u64> {
        match &self.index {
            Index::Names { .. } if raw.len() > 1 => packed(raw),
            Index::Names { .. } => None,
            Index::Zips(_) => number(raw).map(|number| number as u64),
        }
    }

    /// Finds such a number.
    #[inline]
    pub(crate) fn find_number(&self, number: u64) -> Option<u32> {
        match &self.index {
            Index::Names { short, .. } => short.find(number),
            Index::Zips(entries) => entries.get(number as usize).copied().filter(|&entry| entry != NONE),
        }
    }

    /// Whether the number of a word is that of one which stands for nothing.
    pub(crate) fn is_nothing(&self, number: u64) -> bool {
        // None of these words has more than seven letters.
        matches!(self.index, Index::Names { .. })
            && number >> 35 == 0
            && NOTHING.iter().any(|nothing| packed(nothing) == Some(number))
    }

    /// All entries at once, as a built-in table brings them: `ends` says where in `text` each ends. None if one is no key
    /// of its field.
    pub(crate) fn of(field: Field, text: Vec<u8>, ends: Vec<u32>) -> Option<Self> {
        let mut keys = Self::with_capacity(field, ends.len());
        (keys.text, keys.ends) = (text, ends);
        let Self { text, ends, index } = &mut keys;
        let mut packed = Vec::with_capacity(ends.len());
        for entry in 0..u32::try_from(ends.len()).ok().filter(|&count| count < NONE)? {
            if let Some(number) = index.add(text, ends, entry)? {
                packed.push((number, entry));
            }
        }
        if let Index::Names { short, .. } = index {
            short.fill(&packed)?;
        }
        Some(keys)
    }

    /// Appends an entry that is not there yet. None where the table is full, or the entry is no key of its field.
    ///
    /// Initials and words for nothing are kept but cannot be found: so a look-up that finds need not ask.
    pub(crate) fn push(&mut self, key: &[u8]) -> Option<u32> {
        let entry = u32::try_from(self.ends.len()).ok().filter(|&entry| entry != NONE)?;
        let end = u32::try_from(self.text.len() + key.len()).ok()?;
        self.text.extend_from_slice(key);
        self.ends.push(end);
        let Self { text, ends, index } = self;
        let number = index.add(text, ends, entry)?;
        if let (Index::Names { short, .. }, Some(number)) = (index, number) {
            short.insert(number, entry)?;
        }
        Some(entry)
    }
}

impl Index {
    /// Takes in an entry, but for a short name: its number, which is left to the caller.
    fn add(&mut self, text: &[u8], ends: &[u32], entry: u32) -> Option<Option<u64>> {
        let key = slice(text, ends, entry);
        match self {
            Self::Names { .. } if key.len() < 2 || stands_for_nothing(key) => (),
            Self::Names { long, hasher, .. } => match packed(key) {
                Some(number) => return Some(Some(number)),
                None => {
                    let hash = |&other: &u32| hasher.hash_one(slice(text, ends, other));
                    long.insert_unique(hasher.hash_one(key), entry, hash);
                }
            },
            Self::Zips(entries) => *entries.get_mut(number(key)?)? = entry,
        }
        Some(None)
    }
}

#[inline]
fn slice<'t>(text: &'t [u8], ends: &[u32], entry: u32) -> &'t [u8] {
    let entry = entry as usize;
    let start = if entry == 0 { 0 } else { ends.get(entry - 1).map_or(0, |&end| end as usize) };
    let end = ends.get(entry).map_or(0, |&end| end as usize);
    text.get(start..end).unwrap_or_default()
}

/// One to twelve ASCII letters of either case as a number above 0; different words, different numbers.
///
/// All letters at once: a loop over them would end at a place that the processor cannot foresee.
#[inline]
fn packed(word: &[u8]) -> Option<u64> {
    let length = word.len();
    if length > SHORT {
        return None;
    }
    // Reads may overlap: what both have is the same.
    let (start, end) = match length {
        8.. => (eight(word, 0), eight(word, length - 8).checked_shr(8 * (16 - length as u32)).unwrap_or(0)),
        4..8 => (four(word, 0) | four(word, length - 4) << (8 * (length - 4)), 0),
        _ => (word.iter().rev().fold(0, |bytes, &byte| bytes << 8 | u64::from(byte)), 0),
    };
    let letters = letters(start).count_ones() + letters(end).count_ones();
    (length > 0 && letters as usize == length).then(|| by_five(start) | by_five(end) << 40)
}

#[inline]
fn eight(word: &[u8], at: usize) -> u64 {
    word.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
}

#[inline]
fn four(word: &[u8], at: usize) -> u64 {
    word.get(at..at + 4)
        .and_then(|bytes| bytes.try_into().ok())
        .map_or(0, |four| u32::from_le_bytes(four).into())
}

/// The same byte eight times.
const fn each(byte: u8) -> u64 {
    u64::MAX / 255 * byte as u64
}

/// The top bit of every one of eight bytes that is an ASCII letter of either case.
#[inline]
fn letters(bytes: u64) -> u64 {
    let small = (bytes | each(0x20)) & each(0x7F);
    let (from_a, past_z) = (small + each(0x80 - b'a'), small + each(0x7F - b'z'));
    from_a & !past_z & !bytes & each(0x80)
}

/// The lowest five bits of each of eight bytes, side by side: by twos, by fours, all.
#[inline]
fn by_five(bytes: u64) -> u64 {
    let twos = bytes & 0x001F_001F_001F_001F | (bytes & 0x1F00_1F00_1F00_1F00) >> 3;
    let fours = twos & 0x0000_03FF_0000_03FF | (twos & 0x03FF_0000_03FF_0000) >> 6;
    fours & 0xF_FFFF | (fours & 0x000F_FFFF_0000_0000) >> 12
}

/// Five digits as a number.
#[inline]
fn number(key: &[u8]) -> Option<usize> {
    let key: &[u8; 5] = key.try_into().ok()?;
    let digits = key.map(|byte| byte.wrapping_sub(b'0'));
    let number = digits.iter().fold(0, |number, &digit| number * 10 + usize::from(digit));
    digits.iter().all(|&digit| digit < 10).then_some(number)
}

/// Numbers above 0 and their entries, at the place their hash says or in the next free one.
#[derive(Debug)]
struct Short {
    /// A power of two of them, a third or more of them free; 0 is free.
    slots: Vec<(u64, u32)>,
    shift: u32,
}

impl Short {
    fn with_capacity(entries: usize) -> Self {
        let size = (entries + entries / 2 + 2).next_power_of_two();
        Self { slots: vec![(0, 0); size], shift: 64 - size.trailing_zeros() }
    }

    /// The upper bits of a product with the golden ratio, of a number whose upper letters went into its lower ones.
    #[inline]
    fn home(&self, number: u64) -> usize {
        ((number ^ number >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize
    }

    #[inline]
    fn find(&self, number: u64) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut place = self.home(number);
        // Ends: some slots are free.
        loop {
            let &(other, entry) = self.slots.get(place)?;
            if other == number {
                return Some(entry);
            }
            if other == 0 {
                return None;
            }
            place = (place + 1) & mask;
        }
    }

    /// Takes in all of a table, neighbours together: at random places, most of the time would go into waiting for memory.
    fn fill(&mut self, packed: &[(u64, u32)]) -> Option<()> {
        let part = |number: u64| self.home(number) * PARTS / self.slots.len();
        let mut starts = [0; PARTS + 1];
        for &(number, _) in packed {
            *starts.get_mut(part(number) + 1)? += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut sorted = vec![(0, 0); packed.len()];
        for &pair in packed {
            let start = starts.get_mut(part(pair.0))?;
            *sorted.get_mut(*start)? = pair;
            *start += 1;
        }
        sorted.into_iter().try_for_each(|(number, entry)| self.insert(number, entry))
    }

    /// None where it is full to the share that keeps look-ups short.
    fn insert(&mut self, number: u64, entry: u32) -> Option<()> {
        let mask = self.slots.len() - 1;
        if entry as usize > self.slots.len() / 3 * 2 {
            return None;
        }
        let mut place = self.home(number);
        while self.slots.get(place)?.0 != 0 {
            place = (place + 1) & mask;
        }
        *self.slots.get_mut(place)? = (number, entry);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::Keys;
    use crate::Field;

    #[test]
    fn every_entry_is_found_and_nothing_else() {
        let letter = |number: usize| b'A' + (number % 26) as u8;
        let words: Vec<Vec<u8>> = (0..20_000)
            .map(|number: usize| {
                let start =
                    [letter(number), letter(number / 26), letter(number / 676), letter(number / 17_576)];
                start.into_iter().cycle().take(4 + number % 17).collect()
            })
            .collect();
        let mut keys = Keys::with_capacity(Field::Surname, words.len());
        for (entry, word) in words.iter().enumerate() {
            assert_eq!(keys.find(word), None);
            assert_eq!(keys.push(word), Some(entry as u32));
        }
        for (entry, word) in words.iter().enumerate() {
            assert_eq!(keys.find(word), Some(entry as u32));
            assert_eq!(keys.get(entry as u32), word);
            let lower = word.to_ascii_lowercase();
            let plain = keys.plain(&lower);
            assert_eq!(plain.is_some(), word.len() <= 12);
            assert!(plain.is_none_or(|number| keys.find_number(number) == Some(entry as u32)));
        }
        assert_eq!(keys.plain(b"A1"), None);
        assert_eq!(keys.plain(b"[@"), None);
    }

    #[test]
    fn a_table_without_entries_finds_nothing() {
        assert_eq!(Keys::with_capacity(Field::Surname, 0).find(b"SMITH"), None);
        assert_eq!(Keys::with_capacity(Field::Zip, 0).find(b"02139"), None);
        assert_eq!(Keys::with_capacity(Field::Zip, 0).find(b"2139"), None);
    }
}
