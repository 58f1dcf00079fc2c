//! How many different people rows are of, in memory that does not grow with them.

use crate::value::{canonical, is_missing};

/// Registers of the sketch: their number gives an error of `1.04/√16384`, eight in a thousand.
const REGISTERS: usize = 1 << 14;
/// Bits of a hash that choose the register; the others are looked at for the first one that is set.
const CHOOSE: u32 = REGISTERS.trailing_zeros();

/// A HyperLogLog sketch of ids. It holds no id.
#[derive(Debug, Clone, Default)]
pub(crate) struct People {
    /// Empty while no id was met.
    registers: Vec<u8>,
    rows: u64,
}

impl People {
    /// Notes the id of one row; a row without one says nothing.
    pub fn note(&mut self, id: &str, missing: &[String]) {
        if is_missing(id, missing) {
            return;
        }
        self.registers.resize(REGISTERS, 0);
        let hash = hashed(id);
        let (register, rest) = ((hash >> (64 - CHOOSE)) as usize, hash << CHOOSE | 1 << (CHOOSE - 1));
        let rank = rest.leading_zeros() as u8 + 1;
        self.registers[register] = self.registers[register].max(rank);
        self.rows += 1;
    }

    pub fn merge(&mut self, other: People) {
        self.registers.resize(self.registers.len().max(other.registers.len()), 0);
        let pairs = self.registers.iter_mut().zip(other.registers);
        pairs.for_each(|(mine, theirs)| *mine = (*mine).max(theirs));
        self.rows += other.rows;
    }

    /// Rows for each different id; nothing where no row has one.
    pub fn rows_per_person(&self) -> Option<f64> {
        let size = REGISTERS as f64;
        let empty = self.registers.iter().filter(|rank| **rank == 0).count() as f64;
        let sum: f64 = self.registers.iter().map(|rank| (-f64::from(*rank)).exp2()).sum();
        let rough = 0.7213 / (1.0 + 1.079 / size) * size * size / sum;
        // While registers are empty, their number tells more.
        let distinct = if rough <= 2.5 * size && empty > 0.0 { size * (size / empty).ln() } else { rough };
        (self.rows > 0).then(|| self.rows as f64 / distinct.max(1.0))
    }
}

/// A value as a number, the same in every table and on every machine.
pub(crate) fn hashed(text: &str) -> u64 {
    // FNV-1a, its bits then mixed: a count of ids alone would fill places in order.
    let hash = canonical(text)
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let mixed = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^ (mixed >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: u64, person: impl Fn(u64) -> u64) -> f64 {
        let mut people = [People::default(), People::default()];
        (0..rows).for_each(|row| people[(row % 2) as usize].note(&person(row).to_string(), &[]));
        let [mut first, second] = people;
        first.merge(second);
        first.rows_per_person().unwrap()
    }

    #[test]
    fn rows_of_one_person_are_told_from_rows_of_many() {
        for rows in [50, 3_000, 20_000, 200_000] {
            assert!((of(rows, |row| row) - 1.0).abs() < 0.03, "{rows}");
            assert!((of(rows, |row| row / 2) - 2.0).abs() < 0.06, "{rows}");
        }
        assert!((of(1_000, |_| 7) - 1_000.0).abs() < 1.0);
        assert!(People::default().rows_per_person().is_none());
    }
}
