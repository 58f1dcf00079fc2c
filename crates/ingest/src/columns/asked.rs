//! What was typed about proxies, taken apart: lists of columns, and which columns hold probabilities of which group.
//!
//! ```text
//! a,b:census,c                     three proxies, unless a column has that very name
//! p_[:census]                      the columns p_<group>
//! *_prob[:census]                  the columns <group>_prob: the star stands for the group
//! bisg[:census]=*_prob             the same under a name
//! bisg=white:p_w,black:p_b         each group with its column
//! bisg=black:p_b,white             two groups, one column: white has the rest
//! ```

use super::problem::ColumnProblem;
use super::{Chance, Column, Header, PROBABILITIES};
use crate::error::{IngestError, Problem};
use crate::value::canonical;
use std::collections::BTreeMap;

/// A proxy of guesses: its column, and where its knowledge comes from.
pub(crate) type Guessing<'a> = (&'a str, Option<String>);

/// The proxies that one `COLUMN[:SOURCE]` names, or several of them between commas. `known` says whether there is a column of a name.
pub(crate) fn proxies<'a>(
    asked: &'a str,
    known: impl Fn(&str) -> bool,
) -> Result<Vec<Guessing<'a>>, Problem> {
    let (whole, _) = split_source(asked, &known);
    if !asked.contains(',') || known(whole) {
        return Ok(vec![split_source(asked, &known)]);
    }
    let parts: Vec<Guessing> = asked.split(',').map(|part| split_source(part.trim(), &known)).collect();
    if parts.iter().any(|(name, _)| name.is_empty()) {
        return Err(Problem::Columns(ColumnProblem::EmptyName { asked: asked.to_owned() }));
    }
    Ok(parts)
}

/// `COLUMN:SOURCE` apart, unless the whole is a name that the table knows.
pub(crate) fn split_source(asked: &str, known: impl Fn(&str) -> bool) -> (&str, Option<String>) {
    match asked.rsplit_once(':') {
        Some((name, source)) if !known(asked) && !source.is_empty() => (name, Some(source.to_owned())),
        _ => (asked, None),
    }
}

/// A proxy that gives probabilities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Probabilities {
    pub name: String,
    pub source: Option<String>,
    pub columns: Listed,
}

/// Which columns hold them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Listed {
    /// What stands before the group and after it.
    Pattern { prefix: String, suffix: String },
    /// Groups, each with its column; one of two may have none.
    Groups(Vec<(String, Option<String>)>),
}

impl Probabilities {
    /// Takes apart what was typed. `known` says whether columns begin with a prefix.
    pub fn parse(asked: &str, known: impl Fn(&str) -> bool) -> Result<Self, Problem> {
        let form = |found: &'static str| {
            Problem::Columns(ColumnProblem::Probabilities { asked: asked.to_owned(), found })
        };
        if known(asked) {
            return Ok(Self::pattern(None, None, asked, ""));
        }
        let (name, source, columns) = match asked.split_once('=') {
            Some((head, columns)) => {
                let (name, source) = split_source(head.trim(), |_| false);
                if name.is_empty() || columns.trim().is_empty() {
                    return Err(form("nothing stands before or after the ="));
                }
                (Some(name), source, columns.trim())
            }
            None => {
                let (columns, source) = split_source(asked, |_| false);
                (None, source, columns)
            }
        };
        match columns.matches('*').count() {
            0 => {}
            1 => {
                let (prefix, suffix) = columns.split_once('*').unwrap_or_default();
                if prefix.is_empty() && suffix.is_empty() {
                    return Err(form("a star alone takes every column"));
                }
                return Ok(Self::pattern(name, source, prefix, suffix));
            }
            _ => return Err(form("there are two stars, and one stands for the group")),
        }
        match name {
            Some(name) if columns.contains([':', ',']) => {
                let columns = Listed::Groups(listed(columns).map_err(form)?);
                Ok(Probabilities { name: name.to_owned(), source, columns })
            }
            _ if columns.contains(',') => Err(form("a list of columns has no name")),
            _ => Ok(Self::pattern(name, source, columns, "")),
        }
    }

    fn pattern(name: Option<&str>, source: Option<String>, prefix: &str, suffix: &str) -> Self {
        const ENDS: [char; 4] = ['_', '-', '.', ' '];
        let of_pattern = || {
            let parts = [prefix.trim_end_matches(ENDS), suffix.trim_matches(ENDS)];
            let name = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_");
            if name.is_empty() { format!("{prefix}{suffix}") } else { name }
        };
        let name = name.map_or_else(of_pattern, str::to_owned);
        let columns = Listed::Pattern { prefix: prefix.to_owned(), suffix: suffix.to_owned() };
        Probabilities { name, source, columns }
    }

    /// Whether a column of this name would be among them.
    pub fn takes(&self, name: &str) -> bool {
        match &self.columns {
            Listed::Pattern { prefix, suffix } => group_in(name, prefix, suffix).is_some(),
            Listed::Groups(groups) => groups.iter().any(|(_, column)| column.as_deref() == Some(name)),
        }
    }

    /// The columns of a table that is not at hand, where these are its groups.
    pub fn of_groups(&self, groups: &[String]) -> Vec<String> {
        match &self.columns {
            Listed::Pattern { prefix, suffix } => {
                groups.iter().map(|group| format!("{prefix}{}{suffix}", group.trim())).collect()
            }
            Listed::Groups(groups) => groups.iter().filter_map(|(_, column)| column.clone()).collect(),
        }
    }
}

/// The group that a column's name holds.
fn group_in<'n>(name: &'n str, prefix: &str, suffix: &str) -> Option<&'n str> {
    let group = name.strip_prefix(prefix)?.strip_suffix(suffix)?;
    (!group.is_empty()).then_some(group)
}

/// Groups and their columns.
fn listed(text: &str) -> Result<Vec<(String, Option<String>)>, &'static str> {
    let mut groups: Vec<(String, Option<String>)> = Vec::new();
    for part in text.split(',') {
        let (group, column) = match part.split_once(':') {
            Some((group, column)) => (group.trim(), Some(column.trim().to_owned())),
            None => (part.trim(), None),
        };
        let group = canonical(group).into_owned();
        if group.is_empty() || column.as_deref() == Some("") {
            return Err("a group or a column is empty");
        }
        if groups.iter().any(|(other, _)| *other == group) {
            return Err("a group is named twice");
        }
        groups.push((group, column));
    }
    let without = groups.iter().filter(|(_, column)| column.is_none()).count();
    match (groups.len(), without) {
        (1, _) => Err("one group is named, and the other one is not"),
        (_, 0) | (2, 1) => Ok(groups),
        _ => Err("a group has no column, and only one of two groups can have the rest"),
    }
}

impl Header<'_> {
    /// The probabilities of a proxy by group, in the order of the groups.
    pub fn probabilities(&self, asked: &Probabilities) -> Result<Vec<(String, Chance)>, IngestError> {
        match &asked.columns {
            Listed::Groups(groups) => {
                let mut columns = BTreeMap::new();
                for (group, column) in groups {
                    let chance = match column {
                        Some(column) => Chance::Column(self.named(column, PROBABILITIES)?),
                        None => Chance::Rest,
                    };
                    columns.insert(group.clone(), chance);
                }
                Ok(columns.into_iter().collect())
            }
            Listed::Pattern { prefix, suffix } => self.fitting(prefix, suffix),
        }
    }

    fn fitting(&self, prefix: &str, suffix: &str) -> Result<Vec<(String, Chance)>, IngestError> {
        let pattern = format!("{prefix}{}{suffix}", if suffix.is_empty() { "…" } else { "*" });
        let mut columns: BTreeMap<String, Column> = BTreeMap::new();
        for name in self.names {
            let Some(group) = group_in(name, prefix, suffix) else { continue };
            let group = canonical(group).into_owned();
            let column = self.named(name, PROBABILITIES)?;
            if let Some(first) = columns.get(&group) {
                let found = vec![first.name.clone(), column.name];
                let problem = ColumnProblem::GroupsAlike { group, columns: found };
                return Err(self.error(Some(&pattern), Problem::Columns(problem)));
            }
            columns.insert(group, column);
        }
        let mut found = columns.into_iter();
        match (found.next(), found.len()) {
            (None, _) => Err(self.no_probabilities(prefix, suffix, &pattern)),
            (Some((group, column)), 0) => {
                let problem = ColumnProblem::OneSided { group, column: column.name };
                Err(self.error(Some(&pattern), Problem::Columns(problem)))
            }
            (Some(first), _) => {
                let all = [first].into_iter().chain(found);
                Ok(all.map(|(group, column)| (group, Chance::Column(column))).collect())
            }
        }
    }

    /// No column fits. One that is named in full has others beside it that begin alike, or is the only one.
    fn no_probabilities(&self, prefix: &str, suffix: &str, pattern: &str) -> IngestError {
        let whole = suffix.is_empty() && self.names.iter().any(|name| name == prefix);
        if whole {
            let start = prefix.rfind(['_', '-', '.', ' ']).map(|end| &prefix[..=end]);
            let start = start.filter(|start| {
                self.names.iter().filter(|name| group_in(name, start, "").is_some()).count() > 1
            });
            let problem = match start {
                Some(start) => ColumnProblem::WholeColumn { prefix: start.to_owned() },
                None => {
                    let group = prefix.rsplit(['_', '-', '.', ' ']).next().unwrap_or(prefix);
                    ColumnProblem::OneSided {
                        group: canonical(group).into_owned(),
                        column: prefix.to_owned(),
                    }
                }
            };
            return self.error(Some(prefix), Problem::Columns(problem));
        }
        let nearest = self.nearest(&format!("{prefix}{suffix}"));
        let problem = Problem::NoSuchColumn { role: PROBABILITIES, nearest, columns: self.names.to_vec() };
        self.error(Some(pattern), problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(asked: &str) -> Probabilities {
        Probabilities::parse(asked, |_| false).unwrap()
    }

    #[test]
    fn every_way_to_name_probabilities_is_taken_apart() {
        let p = parsed("p_:census");
        assert_eq!((p.name.as_str(), p.source.as_deref()), ("p", Some("census")));
        assert_eq!(parsed("*_prob").columns, Listed::Pattern { prefix: "".into(), suffix: "_prob".into() });
        assert_eq!((parsed("*_prob").name, parsed("bisg_*_p").name), ("prob".into(), "bisg_p".into()));
        let p = parsed("bisg:vendor = *_prob");
        assert_eq!((p.name.as_str(), p.source.as_deref()), ("bisg", Some("vendor")));
        let groups = Listed::Groups(vec![("white".into(), Some("p_w".into())), ("black".into(), None)]);
        assert_eq!(parsed("s=white:p_w, black").columns, groups);
        for wrong in
            ["=*_p", "s=", "*", "a*b*", "a,b", "s=w:p", "s=w:p,w:q", "s=w:p,,b", "s=w:p,b,c", "s=w:,b"]
        {
            assert!(Probabilities::parse(wrong, |_| false).is_err(), "{wrong}");
        }
    }

    #[test]
    fn proxies_between_commas_are_several_unless_a_column_has_that_name() {
        let names = ["a,b", "a", "b", "x:y"];
        let known = |name: &str| names.contains(&name);
        assert_eq!(proxies("a,b", known).unwrap(), [("a,b", None)]);
        assert_eq!(proxies("a,b:s", known).unwrap(), [("a,b", Some("s".into()))]);
        assert_eq!(proxies("b, a:s", known).unwrap(), [("b", None), ("a", Some("s".into()))]);
        assert_eq!(proxies("x:y", known).unwrap(), [("x:y", None)]);
        assert!(proxies("a,,b", known).is_err() && proxies("b,", known).is_err());
    }
}
