//! A user's own table, as a CSV file.

use crate::keys::Keys;
use crate::normalise::{words, zip};
use crate::{Field, NamesError, Silence, Table};
use csv::{ReaderBuilder, StringRecord, Trim};
use std::path::Path;

/// How far from 1 a row of probabilities may sum: they are often rounded to two digits.
const ROUNDING: f64 = 0.02;

/// What the values of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Counts,
    Shares,
}

/// Reads a table from the text of a CSV file.
///
/// ```
/// use fairveil_names::{Found, from_csv};
/// let text = "\
/// surname,north,south,count
/// Ash,0.9,0.1,300
/// Oak,0.2,0.8,100
/// ";
/// let table = from_csv(text, "trees")?;
/// assert!((table.population()[0] - (0.9 * 300.0 + 0.2 * 100.0) / 400.0).abs() < 1e-12);
/// assert!(matches!(table.find("ASH"), Found::Known(_)));
/// # Ok::<(), fairveil_names::NamesError>(())
/// ```
///
/// - The first column is called `first_name`, `surname` or `zip` and holds what is looked up; it is normalised as the
///   look-up does it, and words are joined.
/// - Every other column is a group, but a last one called `count`: how many people bear the name.
/// - If all values are whole numbers they are counts of people. If every row sums to 1 (within 0.02), or every row
///   sums to 100 (within 2), they are shares. Anything else is an error. Rows are then brought to sum exactly 1.
/// - The population is the row called `*`, if there is one (shares or counts). Without it, counts are summed; shares are
///   weighted by `count`; shares without either are an error, since nothing then says how large the groups are.
/// - Two rows of counts with the same name (`José`, `Jose`) are added up. Two of shares are an error, unless `count` says
///   how to weigh them.
///
/// # Errors
/// [`NamesError::Csv`]: where in the file, what was found, what was needed, what to do.
pub fn from_csv(text: impl AsRef<[u8]>, name: &str) -> Result<Table, NamesError> {
    let at = |place: &str| Place { table: name.to_owned(), place: place.to_owned() };
    let text = text.as_ref();
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let mut reader = ReaderBuilder::new().has_headers(false).trim(Trim::All).from_reader(text);
    let mut records = reader.records();
    let mut next = |row: usize| {
        records.next().transpose().map_err(|error| {
            let place = at(&format!("row {row}"));
            place.error(
                &error.to_string(),
                "as many cells in each row as in the first, in UTF-8",
                "mend the row",
            )
        })
    };
    let header = next(1)?.ok_or_else(|| {
        at("row 1").error(
            "nothing",
            "a header such as surname,white,black",
            "write the header in the first row",
        )
    })?;
    let Header { field, groups, count } = Header::read(&header, &at("row 1"))?;
    let mut rows = Vec::new();
    let mut population = None;
    let mut number = 1;
    loop {
        number += 1;
        let Some(record) = next(number)? else { break };
        let row = Row::read(&record, number, &groups, count, name)?;
        let key = record.get(0).unwrap_or_default();
        if key != "*" {
            rows.push((key_of(field, key, &at(&format!("row {number}, column {field}")))?, row));
        } else if population.replace(row.values).is_some() {
            return Err(at(&format!("row {number}")).error("a second row *", "one", "keep the right one"));
        }
    }
    if rows.is_empty() {
        return Err(at("the whole file").error(
            "no names",
            "a row for each",
            "write the names below the header",
        ));
    }
    let kind = kind_of(&rows, name)?;
    build((name, field), groups, &rows, (kind, count), population)
}

fn build(
    (name, field): (&str, Field),
    groups: Vec<String>,
    rows: &[(Vec<u8>, Row)],
    (kind, count): (Kind, bool),
    population: Option<Vec<f64>>,
) -> Result<Table, NamesError> {
    let at = |place: String| Place { table: name.to_owned(), place };
    let weighted = kind == Kind::Counts || count;
    let mut keys = Keys::with_capacity(field, rows.len());
    let mut values: Vec<f64> = Vec::with_capacity(rows.len() * groups.len());
    let mut totals = vec![0.0; groups.len()];
    for (key, row) in rows {
        let sum: f64 = row.values.iter().sum();
        let weight = if kind == Kind::Counts { 1.0 } else { row.count.unwrap_or(1.0) / sum };
        let people = row.values.iter().map(|value| value * weight);
        totals.iter_mut().zip(people.clone()).for_each(|(total, value)| *total += value);
        if let Some(entry) = keys.find(key) {
            if !weighted {
                let spelling = String::from_utf8_lossy(key);
                return Err(at(format!("row {}", row.number)).error(
                    &format!("{spelling} a second time"),
                    "each name once, after normalisation",
                    "keep one of the rows, or add a column count to weigh them",
                ));
            }
            let start = entry as usize * groups.len();
            values[start..].iter_mut().zip(people).for_each(|(total, value)| *total += value);
        } else {
            values.extend(people);
            keys.push(key).ok_or_else(|| {
                at(format!("row {}", row.number)).error("too much", "fewer rows", "split it")
            })?;
        }
    }
    let population = match population {
        Some(population) => population,
        None if weighted => totals,
        None => {
            return Err(at("the whole file".to_owned()).error(
                "shares, and nothing that says how large the groups are",
                "a row * with the groups' shares of all people, or a column count",
                "add one of them",
            ));
        }
    };
    let about = format!("The user's table {name}");
    Ok(Table::new((name.to_owned(), field, about), groups, &population, keys, &values))
}

/// Reads every `*.csv` of a folder, in the order of their names; a table is called as its file without the ending.
///
/// # Errors
/// [`NamesError::Unreadable`] for the folder or a file, and what [`from_csv`] says of a file.
pub fn from_dir(folder: &Path) -> Result<Vec<Table>, NamesError> {
    let unreadable = |path: &Path, error: &std::io::Error| NamesError::Unreadable {
        path: path.display().to_string(),
        cause: error.to_string(),
    };
    let mut paths = Vec::new();
    for file in std::fs::read_dir(folder).map_err(|error| unreadable(folder, &error))? {
        let path = file.map_err(|error| unreadable(folder, &error))?.path();
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv")) {
            paths.push(path);
        }
    }
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
        from_csv(text, &path.file_stem().unwrap_or_default().to_string_lossy())
    };
    paths.iter().map(read).collect()
}

/// Where in which file.
struct Place {
    table: String,
    place: String,
}

impl Place {
    fn error(&self, found: &str, needed: &str, advice: &str) -> NamesError {
        NamesError::Csv {
            table: self.table.clone(),
            place: self.place.clone(),
            found: found.to_owned(),
            needed: needed.to_owned(),
            advice: advice.to_owned(),
        }
    }
}

struct Header {
    field: Field,
    groups: Vec<String>,
    /// Whether the last column counts people.
    count: bool,
}

impl Header {
    fn read(header: &StringRecord, at: &Place) -> Result<Self, NamesError> {
        let first = header.get(0).unwrap_or_default();
        let field = first.parse().map_err(|_| {
            at.error(
                &format!("\"{first}\""),
                "first_name, surname or zip",
                "name the first column by what it holds",
            )
        })?;
        let mut groups: Vec<String> = header.iter().skip(1).map(str::to_owned).collect();
        let count = groups.last().is_some_and(|last| last == "count");
        if count {
            groups.pop();
        }
        if groups.len() < 2 {
            let found = format!("{} groups", groups.len());
            return Err(at.error(&found, "two or more", "give each group a column"));
        }
        for (place, group) in groups.iter().enumerate() {
            if group.is_empty() || group == "count" || groups[..place].contains(group) {
                let found = format!("column {} called \"{group}\"", place + 2);
                return Err(at.error(
                    &found,
                    "a name of its own for each group, count last",
                    "rename the column",
                ));
            }
        }
        Ok(Self { field, groups, count })
    }
}

struct Row {
    number: usize,
    values: Vec<f64>,
    count: Option<f64>,
}

impl Row {
    fn read(
        record: &StringRecord,
        number: usize,
        groups: &[String],
        count: bool,
        table: &str,
    ) -> Result<Self, NamesError> {
        let at =
            |column: &str| Place { table: table.to_owned(), place: format!("row {number}, column {column}") };
        let population = record.get(0) == Some("*");
        let parse = |cell: &str, column: &str| {
            let value = cell.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0);
            let found = format!("\"{cell}\"");
            value.ok_or_else(|| {
                at(column).error(&found, "a number, 0 or more", "write shares or counts of people")
            })
        };
        let values = groups.iter().zip(record.iter().skip(1)).map(|(group, cell)| parse(cell, group));
        let values = values.collect::<Result<Vec<f64>, _>>()?;
        let sum: f64 = values.iter().sum();
        if !(sum > 0.0 && sum.is_finite()) {
            let place = Place { table: table.to_owned(), place: format!("row {number}") };
            return Err(place.error(
                "values that sum to 0 or past all numbers",
                "a sum above 0",
                "leave the row out",
            ));
        }
        let last = record.iter().next_back().unwrap_or_default();
        // The row * needs no count.
        let count = if count && !population { Some(parse(last, "count")?) } else { None };
        if count.is_some_and(|count| count <= 0.0) {
            return Err(at("count").error(&format!("\"{last}\""), "a number above 0", "leave the row out"));
        }
        Ok(Self { number, values, count })
    }
}

/// Shares if all rows sum to 1 or all to 100, counts if all values are whole.
fn kind_of(rows: &[(Vec<u8>, Row)], table: &str) -> Result<Kind, NamesError> {
    let sums_to = |whole: f64| {
        let off =
            |(_, row): &&(Vec<u8>, Row)| (row.values.iter().sum::<f64>() / whole - 1.0).abs() > ROUNDING;
        rows.iter().find(off)
    };
    let fraction = rows.iter().find(|(_, row)| row.values.iter().any(|value| value.fract() > 0.0));
    let Some(not_one) = sums_to(1.0) else {
        return Ok(if fraction.is_some() { Kind::Shares } else { Kind::Counts });
    };
    if sums_to(100.0).is_none() {
        return Ok(Kind::Shares);
    }
    let Some((_, with_fraction)) = fraction else { return Ok(Kind::Counts) };
    let (_, row) = not_one;
    let place = format!("row {}", row.number);
    let found = format!(
        "a sum of {:.4}, and parts of a person in row {}",
        row.values.iter().sum::<f64>(),
        with_fraction.number
    );
    let needed = "rows that all sum to 1 or all to 100, or whole numbers";
    Err(Place { table: table.to_owned(), place }.error(&found, needed, "write shares or counts, not both"))
}

fn key_of(field: Field, raw: &str, at: &Place) -> Result<Vec<u8>, NamesError> {
    let key = match field {
        Field::Zip => zip(raw).map(|five| five.to_vec()),
        Field::FirstName | Field::Surname => {
            words(field, raw).map(|words| words.joined(0, words.count()).to_vec())
        }
    };
    key.map_err(|silence| {
        let found = if silence == Silence::Empty {
            format!("\"{raw}\", which stands for nothing")
        } else {
            format!("\"{raw}\"")
        };
        let needed =
            if field == Field::Zip { "a ZIP code of five digits" } else { "a name in Latin letters" };
        at.error(&found, needed, "leave the row out")
    })
}
