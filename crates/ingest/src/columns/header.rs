//! The names of a file's columns: which is meant, and what is refused.

use super::{
    CLUSTER, CONTROL, COUNT, Column, FEATURE, ID, Layout, NAMES, PROXY, ProxyColumn, ProxyKind, SEGMENT,
    TRUTH, in_name_order, of_a_tally,
};
use crate::error::{IngestError, Place, Problem};
use fairveil_core::setting::Setting;
use std::collections::BTreeMap;

/// The name that is most like this one, if any is alike at all.
pub(crate) fn nearest(name: &str, names: &[String]) -> Option<String> {
    const ALIKE: f64 = 0.75;
    let alike = |other: &str| strsim::jaro_winkler(&name.to_lowercase(), &other.to_lowercase());
    let best = names.iter().max_by(|a, b| alike(a).total_cmp(&alike(b)))?;
    (alike(best) >= ALIKE).then(|| best.clone())
}

/// The names of the columns of a file.
pub(crate) struct Header<'a> {
    pub file: &'a str,
    pub names: &'a [String],
}

impl Header<'_> {
    pub fn error(&self, column: Option<&str>, problem: Problem) -> IngestError {
        let place = Place { file: self.file.into(), spot: None, column: column.map(str::to_owned) };
        IngestError { place, problem }
    }

    pub fn not_said(
        &self,
        role: &'static str,
        default: &'static str,
        settings: &'static [Setting],
    ) -> IngestError {
        self.error(None, Problem::NotSaid { role, default, settings, columns: self.names.to_vec() })
    }

    pub fn named(&self, name: &str, role: &'static str) -> Result<Column, IngestError> {
        self.find(name)?.ok_or_else(|| {
            let nearest = self.nearest(name);
            let columns = self.names.to_vec();
            self.error(Some(name), Problem::NoSuchColumn { role, nearest, columns })
        })
    }

    /// The column of this name, if there is one.
    pub fn find(&self, name: &str) -> Result<Option<Column>, IngestError> {
        let mut found = (0..self.names.len()).filter(|i| self.names[*i] == name);
        let first = found.next().map(|position| Column { name: name.to_owned(), position });
        match found.next() {
            Some(_) => Err(self.error(Some(name), Problem::DuplicateColumn)),
            None => Ok(first),
        }
    }

    pub fn nearest(&self, name: &str) -> Option<String> {
        nearest(name, self.names)
    }

    /// The column of this name, or else all whose names start like this.
    pub fn starting(&self, asked: &str) -> Result<Vec<&String>, IngestError> {
        let exact = self.find(asked)?.is_some();
        let fits = |name: &&String| {
            if exact { *name == asked } else { !asked.is_empty() && name.starts_with(asked) }
        };
        let names: Vec<&String> = self.names.iter().filter(fits).collect();
        if names.is_empty() {
            let (nearest, columns) = (self.nearest(asked), self.names.to_vec());
            Err(self.error(Some(asked), Problem::NoSuchColumn { role: FEATURE, nearest, columns }))
        } else {
            Ok(names)
        }
    }

    /// The columns of the features asked for, which have none of these roles, in the order of their names.
    pub fn features(
        &self,
        asked: &[String],
        roles: &[(&Column, &'static str)],
    ) -> Result<Vec<Column>, IngestError> {
        let mut found: BTreeMap<String, Column> = BTreeMap::new();
        for asked in asked {
            for name in self.starting(asked)? {
                let column = self.named(name, FEATURE)?;
                let role = roles.iter().find(|(other, _)| **other == column).map(|(_, role)| *role);
                let role = role.or_else(|| found.contains_key(name).then_some(FEATURE));
                if let Some(first) = role {
                    return Err(self.error(Some(name), Problem::UsedTwice { first, second: FEATURE }));
                }
                found.insert(name.clone(), column);
            }
        }
        Ok(in_name_order(found.into_values().collect()))
    }

    /// A tally has no columns without a role: where there are some, the column `count` may count something else.
    pub fn refuse_left_over(&self, used: &[&str]) -> Result<(), IngestError> {
        let left_over = |name: &&String| !of_a_tally(name) && !used.contains(&name.as_str());
        let left_over: Vec<String> = self.names.iter().filter(left_over).cloned().collect();
        if left_over.is_empty() {
            Ok(())
        } else {
            Err(self.error(Some(COUNT), Problem::PerhapsTally { left_over }))
        }
    }

    pub fn refuse_double_use(&self, layout: &Layout) -> Result<(), IngestError> {
        let used = layout.used();
        for (i, (column, second)) in used.iter().enumerate() {
            if let Some((_, first)) = used[..i].iter().find(|(other, _)| other == column) {
                return Err(self.error(Some(&column.name), Problem::UsedTwice { first, second }));
            }
        }
        // A name must not come out as a segment, and the decision is no value to control for.
        let others = (layout.by.iter().map(|column| (column, SEGMENT)))
            .chain(layout.cluster.iter().map(|column| (column, CLUSTER)))
            .chain(layout.id.iter().map(|column| (column, ID)))
            .chain(layout.truth.iter().map(|column| (column, TRUTH)))
            .chain(layout.control.iter().map(|column| (column, CONTROL)));
        for (column, second) in others {
            let barred = |first: &str| first == NAMES || (second == CONTROL && first != PROXY);
            if let Some((_, first)) = used.iter().find(|(other, first)| *other == column && barred(first)) {
                return Err(self.error(Some(&column.name), Problem::UsedTwice { first, second }));
            }
        }
        for (i, proxy) in layout.proxies.iter().enumerate() {
            if layout.proxies[..i].iter().any(|other| other.name == proxy.name) {
                return Err(self.error(Some(&proxy.name), Problem::UsedTwice { first: PROXY, second: PROXY }));
            }
        }
        Ok(())
    }

    pub fn refuse_other_groups(&self, proxies: &[ProxyColumn]) -> Result<(), IngestError> {
        let mut first: Option<Vec<String>> = None;
        for proxy in proxies {
            let ProxyKind::Probabilities(columns) = &proxy.kind else { continue };
            let found: Vec<String> = columns.iter().map(|(group, _)| group.clone()).collect();
            match &first {
                Some(first) if *first != found => {
                    let problem = Problem::ProbabilityGroups { first: first.clone(), found };
                    return Err(self.error(Some(&proxy.name), problem));
                }
                _ => first = Some(found),
            }
        }
        Ok(())
    }
}
