//! What the values of a column mean: `COLUMN:1=White,2=Black`.
//!
//! A value that is on no left side is refused, unless it is one of the names already, or `*` says what all others mean. A name that is
//! empty means nothing: `9=` abstains. Text with a comma, a colon or an = goes between double quotes.

use super::problem::ColumnProblem;
use super::{Header, Layout};
use crate::error::{IngestError, Problem};
use crate::value::canonical;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The names of one column's values.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ValueMap {
    names: BTreeMap<String, Option<String>>,
    /// What all other values mean.
    others: Option<Option<String>>,
}

/// What a value means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Meaning {
    Name(String),
    Nothing,
    /// Nobody said what.
    Unsaid,
}

/// Maps, each with its column.
pub(crate) type Maps = Vec<(String, Arc<ValueMap>)>;

/// A part of a map: its text, and whether it was in quotes.
type Part = (String, bool);

impl ValueMap {
    /// What a value means.
    pub fn meaning(&self, value: &str) -> Meaning {
        let value = canonical(value);
        let said = |name: &Option<String>| name.clone().map_or(Meaning::Nothing, Meaning::Name);
        match self.names.get(value.as_ref()) {
            Some(name) => said(name),
            None if self.names.values().flatten().any(|name| *name == value) => {
                Meaning::Name(value.into_owned())
            }
            None => self.others.as_ref().map_or(Meaning::Unsaid, said),
        }
    }

    fn add(&mut self, (value, quoted): &Part, name: &str) -> Result<(), String> {
        let name = Some(canonical(name).into_owned()).filter(|name| !name.is_empty());
        if value == "*" && !quoted {
            return match self.others.replace(name) {
                None => Ok(()),
                Some(_) => Err("`*` has two names".into()),
            };
        }
        let value = canonical(value).into_owned();
        if value.is_empty() {
            return Err("a value is empty, and an empty field means nothing already".into());
        }
        match self.names.insert(value.clone(), name) {
            None => Ok(()),
            Some(_) => Err(format!("`{value}` has two names")),
        }
    }
}

/// A text cut at a letter that stands outside quotes.
fn cut(text: &str, at: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quoted = false;
    for letter in text.chars() {
        quoted ^= letter == '"';
        match parts.last_mut() {
            Some(_) if letter == at && !quoted => parts.push(String::new()),
            Some(part) => part.push(letter),
            None => {}
        }
    }
    parts
}

/// A text without the quotes around it.
fn bare(text: &str) -> Part {
    let text = text.trim();
    match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(inner) => (inner.replace("\"\"", "\""), true),
        None => (text.to_owned(), false),
    }
}

/// The maps of a table's columns, as they were asked for.
pub(crate) fn resolve(asked: &[String], names: &[String]) -> Result<Maps, Problem> {
    let mut maps: BTreeMap<String, ValueMap> = BTreeMap::new();
    for asked in asked {
        let form = |found: String| Problem::Columns(ColumnProblem::MapForm { asked: asked.clone(), found });
        // The name of a column may hold a colon: the longest that the table knows is meant, or else the first.
        let colons = asked.match_indices(':').map(|(place, _)| place);
        let known = colons.clone().filter(|place| names.iter().any(|name| name == asked[..*place].trim()));
        let colon = known.max().or_else(|| colons.min()).ok_or_else(|| form("there is no colon".into()))?;
        let (column, pairs) = (asked[..colon].trim(), &asked[colon + 1..]);
        if column.is_empty() || pairs.trim().is_empty() {
            return Err(form("nothing stands before or after the colon".into()));
        }
        let map = maps.entry(column.to_owned()).or_default();
        for pair in cut(pairs, ',') {
            match cut(&pair, '=').as_slice() {
                [value, name] => map.add(&bare(value), &bare(name).0).map_err(form)?,
                _ => return Err(form(format!("`{}` is not VALUE=NAME", pair.trim()))),
            }
        }
    }
    Ok(maps.into_iter().map(|(column, map)| (column, Arc::new(map))).collect())
}

impl Header<'_> {
    /// The maps of columns that this table has.
    pub fn maps(&self, asked: &[String]) -> Result<Maps, IngestError> {
        let maps = resolve(asked, self.names).map_err(|problem| self.error(None, problem))?;
        Ok(maps.into_iter().filter(|(column, _)| self.names.contains(column)).collect())
    }

    /// Every column that has a map must be there, and have values that are told apart.
    pub fn refuse_idle_maps(&self, asked: &[String], layout: &Layout) -> Result<(), IngestError> {
        let maps = resolve(asked, self.names).map_err(|problem| self.error(None, problem))?;
        for (column, _) in maps {
            let found = self.named(&column, "values that have names")?;
            if !layout.keys().any(|key| *key == found) {
                return Err(self.error(Some(&column), Problem::Columns(ColumnProblem::MapIdle)));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(asked: &[&str]) -> Result<ValueMap, Problem> {
        let asked: Vec<String> = asked.iter().map(|asked| (*asked).to_owned()).collect();
        let names = ["race".to_owned(), "a:b".to_owned()];
        Ok(ValueMap::clone(&resolve(&asked, &names)?[0].1))
    }

    #[test]
    fn values_are_named_as_it_was_said() {
        let map = one(&["race: 1 = White,2=Black , 9=", "race:\"Black, other\"=Black"]).unwrap();
        let name = |name: &str| Meaning::Name(name.to_owned());
        for (value, meaning) in [
            ("1", name("White")),
            ("1.0", name("White")),
            ("Black, other", name("Black")),
            ("Black", name("Black")),
            ("9", Meaning::Nothing),
            ("3", Meaning::Unsaid),
        ] {
            assert_eq!(map.meaning(value), meaning, "{value}");
        }
        assert_eq!(one(&["race:1=White,*=Other"]).unwrap().meaning("7"), name("Other"));
        assert_eq!(one(&["race:\"*\"=Star,1=x"]).unwrap().meaning("7"), Meaning::Unsaid);
        assert_eq!(one(&["a:b:1=x"]).unwrap().meaning("1"), name("x"));
    }

    #[test]
    fn what_is_no_map_is_refused() {
        for wrong in [
            "race",
            "race:",
            ":1=x",
            "race:1",
            "race:1=x,,2=y",
            "race:1=x,1.0=y",
            "race:=x",
            "race:a=b=c",
            "race:*=a,*=b",
        ] {
            assert!(one(&[wrong]).is_err(), "{wrong}");
        }
    }
}
