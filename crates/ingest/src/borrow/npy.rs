//! Arrays that NumPy saved: a short text that says what they are, and numbers.

use crate::error::{IngestError, Place, Problem, Spot};
use crate::features::FeatureProblem;
use crate::feed::open_file;
use std::io::{BufReader, Read};
use std::path::Path;

/// A two-dimensional array in single precision.
#[derive(Debug, PartialEq)]
pub(crate) struct Array {
    pub rows: usize,
    pub columns: usize,
    /// Row after row.
    pub values: Vec<f32>,
}

/// What the start of a file says about its numbers.
#[derive(Debug, PartialEq)]
struct About {
    /// Bytes of a number: 4 or 8.
    size: usize,
    rows: usize,
    columns: usize,
}

/// Reads an array of features; every number must be finite.
pub(crate) fn read(path: &Path) -> Result<Array, IngestError> {
    let error = |spot, problem| {
        let place = Place { file: path.display().to_string(), spot, column: None };
        IngestError { place, problem }
    };
    let no_array = |found: String| error(None, Problem::Features(FeatureProblem::Array { found }));
    let file = open_file(path).map_err(|e| error(None, Problem::Unreadable(e)))?;
    let length = file.metadata().map_err(|e| error(None, Problem::Unreadable(e)))?.len();
    let mut bytes = BufReader::with_capacity(1 << 20, file);
    let (text, start) = header(&mut bytes).map_err(no_array)?;
    let About { size, rows, columns } = about(&text).map_err(no_array)?;
    let too_many = || error(None, Problem::Features(FeatureProblem::TooMany { rows, dimensions: columns }));
    let numbers = rows.checked_mul(columns).ok_or_else(too_many)?;
    // Before memory is set aside for what the file only says it has.
    let needed = (numbers as u64).checked_mul(size as u64).and_then(|n| n.checked_add(start));
    if needed != Some(length) {
        return Err(no_array(format!(
            "an array of {rows} x {columns} in a file of {length} bytes, which is not its size"
        )));
    }
    let mut values = Vec::new();
    values.try_reserve_exact(numbers).map_err(|_| too_many())?;
    let mut number = [0; 8];
    for place in 0..numbers {
        bytes.read_exact(&mut number[..size]).map_err(|e| error(None, Problem::Unreadable(e)))?;
        let value = match size {
            4 => f64::from(f32::from_le_bytes([number[0], number[1], number[2], number[3]])),
            _ => f64::from_le_bytes(number),
        };
        let single = value as f32;
        if !single.is_finite() {
            let problem = FeatureProblem::Element { place: place % columns + 1, value: value.to_string() };
            let row = Spot::Row((place / columns) as u64 + 1);
            return Err(error(Some(row), Problem::Features(problem)));
        }
        values.push(single);
    }
    Ok(Array { rows, columns, values })
}

/// The text at the start of a file, and where the numbers begin.
fn header(bytes: &mut impl Read) -> Result<(String, u64), String> {
    let mut take = |length: usize| {
        let mut taken = vec![0; length];
        bytes.read_exact(&mut taken).map(|()| taken).map_err(|_| "the file ends in its header".to_owned())
    };
    let start = take(8).map_err(|_| "the file is too short for an array".to_owned())?;
    if !start.starts_with(b"\x93NUMPY") {
        return Err("this does not begin as a .npy file does".into());
    }
    let (length, before) = match start[6] {
        1 => {
            let size = take(2)?;
            (usize::from(u16::from_le_bytes([size[0], size[1]])), 10)
        }
        2 | 3 => {
            let size = take(4)?;
            (u32::from_le_bytes([size[0], size[1], size[2], size[3]]) as usize, 12)
        }
        version => return Err(format!("a .npy file of version {version}, and 1 to 3 are known")),
    };
    // NumPy writes about a hundred bytes.
    const LONGEST: usize = 1 << 16;
    if length > LONGEST {
        return Err(format!("the file says that its header has {length} bytes"));
    }
    let text = String::from_utf8(take(length)?).map_err(|_| "the header is not text".to_owned())?;
    Ok((text, (before + length) as u64))
}

/// What a header such as `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }` says.
fn about(text: &str) -> Result<About, String> {
    let after = |key: &str| {
        let quoted = [format!("'{key}':"), format!("\"{key}\":")];
        let found = quoted.iter().find_map(|key| text.split_once(key.as_str()));
        found.map(|(_, rest)| rest.trim_start()).ok_or_else(|| format!("the header does not say `{key}`"))
    };
    let kind: String = after("descr")?.chars().take_while(|letter| !matches!(letter, ',' | '}')).collect();
    let kind = kind.trim().trim_matches(['\'', '"']);
    let size = match kind {
        "<f4" => 4,
        "<f8" => 8,
        other => return Err(format!("an array of `{}`", other.chars().take(40).collect::<String>())),
    };
    if !after("fortran_order")?.starts_with("False") {
        return Err("an array in Fortran order".into());
    }
    let shape = after("shape")?.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let shape = shape.map(|(shape, _)| shape).ok_or("the header has no shape")?;
    let sizes = shape.split(',').map(str::trim).filter(|size| !size.is_empty()).map(str::parse::<usize>);
    let sizes =
        sizes.collect::<Result<Vec<usize>, _>>().map_err(|_| format!("an array of shape ({shape})"))?;
    match sizes.as_slice() {
        [_, 0] => Err(format!("an array without columns, of shape ({shape})")),
        [rows, columns] => Ok(About { size, rows: *rows, columns: *columns }),
        _ => Err(format!("an array of shape ({shape})")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_says_what_the_numbers_are_or_why_they_cannot_be_used() {
        let good = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }          \n";
        assert_eq!(about(good), Ok(About { size: 4, rows: 3, columns: 2 }));
        assert_eq!(about(&good.replace("<f4", "<f8")).map(|about| about.size), Ok(8));
        for (from, to, found) in [
            ("<f4", ">f4", "an array of `>f4`"),
            ("<f4", "|O", "an array of `|O`"),
            ("False", "True", "Fortran"),
            ("(3, 2)", "(3,)", "shape (3,)"),
            ("(3, 2)", "(3, 2, 1)", "shape (3, 2, 1)"),
            ("(3, 2)", "(3, 0)", "without columns"),
            ("(3, 2)", "(-3, 2)", "shape (-3, 2)"),
            ("'shape'", "'shop'", "does not say `shape`"),
        ] {
            let problem = about(&good.replace(from, to)).unwrap_err();
            assert!(problem.contains(found), "{problem}");
        }
    }
}
