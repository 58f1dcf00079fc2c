//! P(group | entry) for every entry, and the shares of the groups among all people counted.

use crate::keys::Keys;
use crate::normalise::{Words, is_particle, words, zip};
use crate::{Entry, Field, Found, Grouping, NamesError, Silence};
use flate2::read::ZlibDecoder;
use std::io::Read;
use std::sync::Arc;

/// Names or places, and what each says of its bearers' group.
#[derive(Debug, Clone)]
pub struct Table {
    name: String,
    field: Field,
    about: String,
    groups: Vec<String>,
    population: Vec<f64>,
    keys: Arc<Keys>,
    /// As many for each entry as there are groups.
    probabilities: Arc<Vec<f32>>,
}

impl Table {
    /// `values` has a row for each key; rows are brought to sum 1.
    pub(crate) fn new(
        (name, field, about): (String, Field, String),
        groups: Vec<String>,
        population: &[f64],
        keys: Keys,
        values: &[f64],
    ) -> Self {
        let total: f64 = population.iter().sum();
        let population = population.iter().map(|share| share / total).collect();
        let rows = values.chunks_exact(groups.len().max(1));
        let probabilities = rows.flat_map(|row| {
            let total: f64 = row.iter().sum();
            #[allow(clippy::cast_possible_truncation, reason = "seven digits of a share are enough")]
            row.iter().map(move |value| (value / total) as f32)
        });
        let probabilities = Arc::new(probabilities.collect());
        Self { name, field, about, groups, population, keys: Arc::new(keys), probabilities }
    }

    /// Reads the format that `tables/build.py` writes.
    pub(crate) fn unpack(
        name: &str,
        field: Field,
        about: &str,
        compressed: &[u8],
    ) -> Result<Self, NamesError> {
        let damaged = |part| NamesError::Damaged { table: name.to_owned(), part };
        let mut data = Vec::with_capacity(compressed.len() * 5);
        ZlibDecoder::new(compressed).read_to_end(&mut data).map_err(|_| damaged("compression"))?;
        let mut rest = Bytes(&data);
        let parts = (|| {
            let (magic, entries, count) = (rest.take(4)?, rest.u32()? as usize, usize::from(rest.u8()?));
            let (planes, scale) = (usize::from(rest.u8()?), rest.u32()?);
            let groups: Option<Vec<String>> = (0..count)
                .map(|_| {
                    let length = rest.u8()?;
                    String::from_utf8(rest.take(length.into())?.to_vec()).ok()
                })
                .collect();
            let population: Option<Vec<f64>> =
                (0..count).map(|_| Some(f64::from_le_bytes(rest.take(8)?.try_into().ok()?))).collect();
            let endings = rest.u32()? as usize;
            let (shared, endings) = (rest.take(entries)?, rest.take(endings)?);
            (magic == b"FVN1").then_some((entries, planes, scale, groups?, population?, shared, endings))
        })();
        let (entries, planes, scale, groups, population, shared, endings) = parts.ok_or(damaged("header"))?;
        let keys = unpack_keys(field, shared, endings).ok_or(damaged("entries"))?;
        let width = groups.len();
        let values = unpack_values(&mut rest, (entries, width), planes, scale).ok_or(damaged("values"))?;
        let (name, about, probabilities) = (name.to_owned(), about.to_owned(), values.into());
        Ok(Self { name, field, about, groups, population, keys: Arc::new(keys), probabilities })
    }

    /// What it is called: `rosenman_first_names`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is looked up in it.
    pub fn field(&self) -> Field {
        self.field
    }

    /// Its groups, in the order of all numbers it gives.
    pub fn groups(&self) -> &[String] {
        &self.groups
    }

    /// The shares of the groups among the people it was counted from; they sum to 1.
    pub fn population(&self) -> &[f64] {
        &self.population
    }

    /// Whose people, when, under which licence.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// How many entries it has.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An entry as the table spells it; empty for an entry of another table that this one has no place for.
    pub fn spelling(&self, entry: Entry) -> &str {
        std::str::from_utf8(self.keys.get(entry.0)).unwrap_or_default()
    }

    /// All entries, in the table's order.
    pub fn entries(&self) -> impl Iterator<Item = Entry> + use<> {
        (0..u32::try_from(self.len()).unwrap_or(u32::MAX)).map(Entry)
    }

    /// P(group | entry), in the order of [`groups`](Self::groups); sums to 1 within single precision. Empty for an entry
    /// of another table that this one has no place for.
    pub fn probabilities(&self, entry: Entry) -> &[f32] {
        let width = self.groups.len();
        let start = entry.0 as usize * width;
        self.probabilities.get(start..start + width).unwrap_or_default()
    }

    /// One word of two to twelve ASCII letters, or five digits of a ZIP code, as most fields are, as a number that
    /// [`find_number`](Self::find_number) looks up: no allocation, no decoding. Nothing for any other text, which [`find`](Self::find)
    /// makes sense of. Who has many names looks their numbers up together: then the processor waits for memory once for several.
    ///
    /// ```
    /// use fairveil_names::{Attribute, Field, built_in};
    /// let surnames = built_in(Field::Surname, Attribute::Race)?;
    /// let number = surnames.plain(b"Garcia");
    /// assert_eq!(number.map(|number| surnames.find_number(number)), Some(surnames.find("Garcia")));
    /// assert_eq!(surnames.plain(" García ".as_bytes()), None);
    /// # Ok::<(), fairveil_names::NamesError>(())
    /// ```
    #[inline]
    pub fn plain(&self, raw: &[u8]) -> Option<u64> {
        self.keys.plain(raw)
    }

    /// Looks up a number that [`plain`](Self::plain) gave.
    #[inline]
    pub fn find_number(&self, number: u64) -> Found {
        match self.keys.find_number(number) {
            Some(entry) => known(entry),
            // Of one plain word nothing can be dropped: it is unknown or a word for nothing.
            None if self.keys.is_nothing(number) => Found::Silent(Silence::Empty),
            None => Found::Silent(Silence::Unknown),
        }
    }

    /// Looks up a text as people write it; the [landing page](crate#names) says how it is read.
    #[inline]
    pub fn find(&self, raw: &str) -> Found {
        match self.plain(raw.as_bytes()) {
            Some(number) => self.find_number(number),
            None => self.find_written(raw),
        }
    }

    fn find_written(&self, raw: &str) -> Found {
        let found = match self.field {
            Field::Zip => zip(raw).map(|five| self.keys.find(&five)),
            Field::FirstName | Field::Surname => words(self.field, raw).map(|words| self.find_words(&words)),
        };
        match found {
            Ok(Some(entry)) => known(entry),
            Ok(None) => Found::Silent(Silence::Unknown),
            Err(silence) => Found::Silent(silence),
        }
    }

    fn find_words(&self, words: &Words) -> Option<u32> {
        let count = words.count();
        let mut found = self.keys.find(words.joined(0, count));
        let mut start = 0;
        while found.is_none() && count > 1 && start < count {
            // Particles and the word they belong to; at the end, a particle is a name by itself.
            let particles =
                (start..count - 1).take_while(|&word| is_particle(self.field, words.word(word))).count();
            let end = start + particles + 1;
            found = self.keys.find(words.joined(start, end)).or_else(|| self.keys.find(words.word(end - 1)));
            start = end;
        }
        found
    }

    /// The same table on other groups: probabilities and shares of groups that go together are summed.
    ///
    /// ```
    /// use fairveil_names::{Attribute, Field, built_in, canonical_groups};
    /// let zips = built_in(Field::Zip, Attribute::Race)?;
    /// let common = zips.regrouped(&canonical_groups(zips.groups())?)?;
    /// assert_eq!(common.groups(), ["white", "black", "hispanic", "asian", "other"]);
    /// # Ok::<(), fairveil_names::NamesError>(())
    /// ```
    ///
    /// # Errors
    /// If the grouping was made for another number of groups.
    pub fn regrouped(&self, onto: &Grouping) -> Result<Self, NamesError> {
        let (found, needed) = (onto.places().len(), self.groups.len());
        if found != needed {
            return Err(NamesError::OtherGroups { table: self.name.clone(), found, needed });
        }
        let width = onto.groups().len();
        let mut population = vec![0.0; width];
        for (&place, share) in onto.places().iter().zip(&self.population) {
            population[place] += share;
        }
        let mut probabilities = vec![0.0; width * self.len()];
        for (to, from) in probabilities.chunks_exact_mut(width).zip(self.probabilities.chunks_exact(needed)) {
            for (&place, share) in onto.places().iter().zip(from) {
                to[place] += share;
            }
        }
        let (groups, probabilities) = (onto.groups().to_vec(), probabilities.into());
        Ok(Self { groups, population, probabilities, ..self.clone() })
    }
}

fn known(entry: u32) -> Found {
    Found::Known(Entry(entry))
}

/// Undoes the front coding: each entry starts as the one before it.
fn unpack_keys(field: Field, shared: &[u8], endings: &[u8]) -> Option<Keys> {
    let mut text: Vec<u8> = Vec::with_capacity(shared.len() * 8);
    let mut ends = Vec::with_capacity(shared.len());
    let mut endings = endings.iter();
    let mut last = 0;
    for &shared in shared {
        let start = text.len();
        let shared = last..last + usize::from(shared);
        if shared.end > start {
            return None;
        }
        text.extend_from_within(shared);
        loop {
            let byte = endings.next()?;
            text.push(byte & 0x7F);
            if byte & 0x80 != 0 {
                break;
            }
        }
        ends.push(u32::try_from(text.len()).ok()?);
        last = start;
    }
    endings.next().is_none().then(|| Keys::of(field, text, ends))?
}

/// The shares of every entry, side by side: one pass over all columns, so that memory is written once.
fn unpack_values(
    rest: &mut Bytes,
    (entries, width): (usize, usize),
    planes: usize,
    scale: u32,
) -> Option<Vec<f32>> {
    // Where a row has a sum, the first group is what the others leave of it.
    let first = usize::from(scale > 0);
    let columns: Option<Vec<Column>> = (first..width)
        .map(|_| {
            let column = rest.take(entries * planes).filter(|_| matches!(planes, 2 | 3))?;
            let (low, upper) = column.split_at(entries);
            let (middle, high) = upper.split_at(entries);
            Some(Column { low, middle, high })
        })
        .collect();
    let columns = columns?;
    let mut values = Vec::with_capacity(entries * width);
    for entry in 0..entries {
        let start = values.len();
        values.extend(std::iter::repeat_n(0.0, first).chain(columns.iter().map(|column| column.at(entry))));
        let row = values.get_mut(start..)?;
        let sum: f32 = row.iter().sum();
        #[allow(clippy::cast_precision_loss, reason = "a scale has two bytes")]
        let total = if scale > 0 { scale as f32 } else { sum };
        if first == 1 {
            row[0] = total - sum;
        }
        row.iter_mut().for_each(|value| *value /= total);
    }
    Some(values)
}

/// The values of one group in planes of bytes.
struct Column<'b> {
    low: &'b [u8],
    middle: &'b [u8],
    /// Empty where two bytes are enough.
    high: &'b [u8],
}

impl Column<'_> {
    /// A whole number below 2^24, which single precision holds.
    #[inline]
    fn at(&self, entry: usize) -> f32 {
        let high = self.high.get(entry).copied().unwrap_or_default();
        f32::from(u16::from_le_bytes([self.low[entry], self.middle[entry]])) + f32::from(high) * 65_536.0
    }
}

/// Bytes that are left to read.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take(1).map(|taken| taken[0])
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }
}
