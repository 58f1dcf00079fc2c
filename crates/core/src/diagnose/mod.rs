//! Reasons to doubt. A finding is not an error: the number stands, the finding says how far.
//!
//! One file per finding holds its text, its condition and its words; the list of its room names it. The text serves the
//! source, `fairveil explain CODE`, the reports and the website.

// A condition says whether it is found once at most (`Option`) or more often (`Vec`), and words what they are made of.
#![allow(refining_impl_trait_internal)]

mod catalogue;
mod curve;
mod data;
mod finding;
mod intersection;
mod looked;
mod mitigation;
mod noise;
mod proxies;
mod uncertainty;

use crate::mitigate::Trial;
pub use catalogue::{Entry, catalogue, explain};
pub(crate) use catalogue::{Kind, OfAudit, OfCurve, OfIntersection, OfMitigation, kinds};
pub(crate) use finding::{Declared, Diagnosis, finding};
pub use finding::{Evidence, Finding, Severity};
pub(crate) use looked::{Fitted, LIKELY, Looked, SIGNIFICANT, lent};
pub(crate) use proxies::reads_features;

/// The kinds of finding about an audit.
const ROOMS: [&[OfAudit]; 4] = [data::KINDS, noise::KINDS, proxies::KINDS, uncertainty::KINDS];

/// Everything worth doubting in an audit, most serious first. Pure: looks, and changes nothing.
pub(crate) fn examine(at: &Looked) -> Vec<Finding> {
    let kinds = ROOMS.into_iter().flatten();
    let mut findings: Vec<Finding> = kinds.flat_map(|kind| (kind.look)(at)).collect();
    findings.sort_by(|a, b| b.severity.cmp(&a.severity).then(a.code.cmp(&b.code)));
    // The global matrix is looked at once in each view.
    let mut told: Vec<Finding> = Vec::new();
    for finding in findings {
        if !told.contains(&finding) {
            told.push(finding);
        }
    }
    told
}

/// Everything worth doubting in rates of two attributes at once, which have these names.
pub(crate) fn of_intersection(names: &[String; 2]) -> Vec<Finding> {
    intersection::KINDS.iter().flat_map(|kind| (kind.look)(names)).collect()
}

/// Everything worth doubting in a number cut into bins.
pub(crate) fn of_curve(at: &crate::curve::Along) -> Vec<Finding> {
    curve::KINDS.iter().flat_map(|kind| (kind.look)(at)).collect()
}

impl Trial<'_> {
    /// Everything worth doubting in a mitigation.
    pub fn findings(&self) -> Vec<Finding> {
        mitigation::KINDS.iter().flat_map(|kind| (kind.look)(self)).collect()
    }
}
