//! Texts that a Parquet file writes as differences: how much they are, before memory is set aside for them.
//!
//! Lengths are written as differences too, so that a few bytes can stand for any number of them (Parquet's
//! `DELTA_BINARY_PACKED`), and the start of a text may be that of the one before (`DELTA_BYTE_ARRAY`), so that a few bytes
//! can stand for a long text again and again.

use parquet::basic::Encoding;
use parquet::column::page::Page;

/// A page holds thousands of texts, not this many.
const MOST_TEXTS: u64 = 1 << 24;

/// Whether a page is what it seems to be: `None` where it is not. A column of this depth has levels of repetition and of
/// definition; as many texts as `batch` are read at a time and may have `most` bytes together.
pub(crate) fn fits(page: &Page, levels: (i16, i16), batch: usize, most: u64) -> Option<()> {
    let (values, encoding) = match page {
        Page::DataPage { buf, encoding, num_values, def_level_encoding, rep_level_encoding, .. } => {
            let mut rest: &[u8] = buf;
            for (level, kind) in [(levels.0, rep_level_encoding), (levels.1, def_level_encoding)] {
                if level > 0 {
                    let length = match kind {
                        Encoding::RLE => 4 + u64::from(u32::from_le_bytes(rest.get(..4)?.try_into().ok()?)),
                        _ => (u64::from(*num_values) * u64::from(16 - level.leading_zeros())).div_ceil(8),
                    };
                    rest = rest.get(usize::try_from(length).ok()?..)?;
                }
            }
            (rest, encoding)
        }
        Page::DataPageV2 { buf, encoding, def_levels_byte_len, rep_levels_byte_len, .. } => {
            let levels = usize::try_from(def_levels_byte_len.checked_add(*rep_levels_byte_len)?).ok()?;
            (buf.get(levels..)?, encoding)
        }
        Page::DictionaryPage { .. } => return Some(()),
    };
    match encoding {
        Encoding::DELTA_LENGTH_BYTE_ARRAY => lengths(values).map(drop),
        Encoding::DELTA_BYTE_ARRAY => {
            let (starts, end) = lengths(values)?;
            let (ends, _) = lengths(values.get(end..)?)?;
            let sizes: Vec<u64> = starts.iter().zip(&ends).map(|(start, end)| start + end).collect();
            let mut together = 0;
            for (place, size) in sizes.iter().enumerate() {
                together += size;
                together -= place.checked_sub(batch).map_or(0, |gone| sizes[gone]);
                if together > most {
                    return None;
                }
            }
            Some(())
        }
        _ => Some(()),
    }
}

/// Lengths, and where they end. One that is negative is refused by the reader, and none here.
fn lengths(bytes: &[u8]) -> Option<(Vec<u64>, usize)> {
    let mut place = 0;
    let (block, parts) = (number(bytes, &mut place)?, number(bytes, &mut place)?);
    let (count, mut last) = (number(bytes, &mut place)?, signed(number(bytes, &mut place)?) as i32);
    if count > MOST_TEXTS || parts == 0 || !block.is_multiple_of(parts) {
        return None;
    }
    let length = |last: i32| u64::try_from(last).unwrap_or(0);
    let (part, mut found) = (block / parts, Vec::new());
    if count > 0 {
        found.push(length(last));
    }
    while (found.len() as u64) < count {
        let least = signed(number(bytes, &mut place)?) as i32;
        let widths = bytes.get(place..place.checked_add(usize::try_from(parts).ok()?)?)?;
        place += widths.len();
        for width in widths.iter().map(|width| u64::from(*width)) {
            let left = count - found.len() as u64;
            if left == 0 {
                break;
            }
            if width > 32 || part == 0 {
                return None;
            }
            let packed = bytes.get(place..)?;
            for i in 0..part.min(left) {
                last = last.wrapping_add(least).wrapping_add(bits(packed, i * width, width)? as i32);
                found.push(length(last));
            }
            // The last part may be cut short: nothing follows but texts.
            place = place.checked_add(usize::try_from(part * width / 8).ok()?)?;
        }
    }
    Some((found, place))
}

/// So many bits from a place on, the lowest first.
fn bits(bytes: &[u8], from: u64, width: u64) -> Option<u32> {
    if width == 0 {
        return Some(0);
    }
    let first = usize::try_from(from / 8).ok()?;
    let last = usize::try_from((from + width - 1) / 8).ok()?;
    let mut eight = [0; 8];
    let found = bytes.get(first..=last)?;
    eight[..found.len()].copy_from_slice(found);
    Some(((u64::from_le_bytes(eight) >> (from % 8)) & ((1 << width) - 1)) as u32)
}

fn number(bytes: &[u8], place: &mut usize) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*place)?;
        *place += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn signed(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}
