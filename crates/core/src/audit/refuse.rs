//! Tables and settings that make no sense together.

use crate::counts::Counts;
use crate::estimate::Population;
use crate::settings::{AuditError, MOST_GROUPS, MOST_PROXIES, Settings};
use crate::vocabulary::{Criterion, Estimator};

/// The criteria to measure, unless something stands against the whole audit.
pub(super) fn refuse(counts: &Counts, settings: &Settings) -> Result<Vec<Criterion>, AuditError> {
    settings.check()?;
    match settings.estimator.fixed() {
        Some(Estimator::Audit) if counts.audit_labels().is_none() => return Err(AuditError::NoAuditLabels),
        Some(Estimator::Regression) if labels_elsewhere(counts) => return Err(AuditError::NoAuditLabels),
        Some(Estimator::ConfidentJoint) if counts.confident_tally().is_none() => {
            return Err(AuditError::NoProbabilities);
        }
        Some(Estimator::Evidence | Estimator::Linear) if counts.evidence().is_none() => {
            return Err(AuditError::NoEvidence);
        }
        Some(Estimator::Given) if settings.given.is_none() => return Err(AuditError::NothingGiven),
        _ => {}
    }
    let found = counts.legend().groups.len();
    if found > MOST_GROUPS {
        return Err(AuditError::TooManyGroups { found });
    }
    let found = counts.legend().proxies.len();
    if found > MOST_PROXIES {
        return Err(AuditError::TooManyProxies { found });
    }
    refuse_useless_proxies(counts)?;
    super::beside::refuse(counts.legend(), settings)?;
    check_bounds(counts, settings)?;
    criteria(counts, settings)
}

/// No row of the table itself has a known group.
fn labels_elsewhere(counts: &Counts) -> bool {
    counts.audit_labels().is_none_or(|labels| labels.population() == Population::Other)
}

/// A proxy that tells no one apart, or proxies that are all one, are a mistake in the table and not a finding.
fn refuse_useless_proxies(counts: &Counts) -> Result<(), AuditError> {
    let legend = counts.legend();
    let cells = || counts.cells().filter(|(_, tally)| tally.weight > 0.0).map(|(cell, _)| cell);
    for id in legend.all_proxies() {
        let first = cells().next().and_then(|cell| cell.guesses[id.0]);
        let name = &legend.proxies[id.0].name;
        // Of a small group nobody may be likely to be, and what is said of it may differ from row to row all the same.
        let told_apart = counts.evidence().is_some_and(|evidence| evidence.tells_apart(name));
        if cells().all(|cell| cell.guesses[id.0] == first) && !told_apart {
            let silent = first.is_none();
            let looked =
                counts.intake().names.iter().find(|rows| silent && rows.source == *name && rows.known == 0);
            if let Some(rows) = looked {
                return Err(AuditError::UnknownNames { rows: rows.clone() });
            }
            return Err(AuditError::ConstantProxy { proxy: name.clone(), silent });
        }
    }
    let identical = cells().all(|cell| cell.guesses.iter().all(|guess| *guess == cell.guesses[0]));
    if identical && legend.proxies.len() > 1 {
        let proxies = legend.proxies.iter().map(|proxy| proxy.name.clone()).collect();
        return Err(AuditError::IdenticalProxies { proxies });
    }
    Ok(())
}

/// What is said about shares and errors must be about this table.
fn check_bounds(counts: &Counts, settings: &Settings) -> Result<(), AuditError> {
    let (legend, groups) = (counts.legend(), counts.legend().groups.len());
    if let Some(shares) = &settings.known_shares {
        let sum: f64 = shares.iter().sum();
        if shares.len() != groups || (sum - 1.0).abs() > 1e-3 || shares.iter().any(|share| *share <= 0.0) {
            return Err(AuditError::KnownShares { found: shares.clone(), groups });
        }
    }
    let unknown = settings.max_proxy_error.iter().filter_map(|known| known.proxy.as_ref());
    let mut unknown = unknown.filter(|name| !legend.proxies.iter().any(|proxy| proxy.name == **name));
    if let Some(name) = unknown.next() {
        return Err(AuditError::MaxProxyError { problem: format!("there is no proxy {name}") });
    }
    let named: Vec<_> = settings.max_proxy_error.iter().map(|known| &known.proxy).collect();
    if let Some((_, proxy)) = named.iter().enumerate().find(|(i, proxy)| named[..*i].contains(proxy)) {
        let problem = format!("{} is said twice", proxy.as_deref().unwrap_or("the error of all proxies"));
        return Err(AuditError::MaxProxyError { problem });
    }
    if !settings.max_proxy_error.is_empty() && settings.known_shares.is_none() {
        return Err(AuditError::MaxProxyError { problem: "the shares of the groups are not known".into() });
    }
    Ok(())
}

fn criteria(counts: &Counts, settings: &Settings) -> Result<Vec<Criterion>, AuditError> {
    let labelled = counts.cells().any(|(cell, tally)| cell.stratum.label.is_some() && tally.weight > 0.0);
    if settings.criteria.is_empty() {
        return Ok(Criterion::USUAL.into_iter().filter(|c| labelled || !c.needs_labels()).collect());
    }
    match settings.criteria.iter().find(|criterion| criterion.needs_labels() && !labelled) {
        Some(criterion) => Err(AuditError::NoLabels { criterion: *criterion }),
        None => Ok(Criterion::ALL.into_iter().filter(|c| settings.criteria.contains(c)).collect()),
    }
}
