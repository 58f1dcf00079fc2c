//! What an audit knows about a gap without calibration.

use super::{AssumptionFree, BoundError, intersect, non_differential_floor};
use crate::answers::Answers;
use crate::criterion::Among;
use crate::headline::errors_follow_decisions;
use crate::rates::base;
use crate::record::{Assumption, BoundRecord, TestRecord};
use crate::settings::Settings;
use crate::uncertainty::Interval;
use crate::vocabulary::{Criterion, Legend, ProxyId};
use serde::{Deserialize, Serialize};

/// How often one proxy is wrong at most, or all of them are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MaxProxyError {
    /// The proxy; absent for all that are not named.
    pub proxy: Option<String>,
    /// At most this share of its guesses is wrong.
    pub share: f64,
}

impl MaxProxyError {
    /// Of the proxy of this name.
    pub fn of(proxy: impl Into<String>, share: f64) -> Self {
        MaxProxyError { proxy: Some(proxy.into()), share }
    }

    /// Of every proxy that is not named.
    pub fn of_all(share: f64) -> Self {
        MaxProxyError { proxy: None, share }
    }
}

/// The floor of every criterion about one rate, and, where shares of the groups are known, the bounds that need nothing
/// else.
pub(crate) fn bounds(
    legend: &Legend,
    answers: &[Answers],
    tests: &[TestRecord],
    criteria: &[Criterion],
    settings: &Settings,
) -> Vec<BoundRecord> {
    let mut records = Vec::new();
    for criterion in criteria {
        // Of several rates the floor of each is in the criteria about one, and it is about decisions.
        let [among] = criterion.spec().parts(legend.classes.len(), legend.positive)[..] else { continue };
        let label = match among {
            Among::Everyone => None,
            Among::Label(label) => Some(label),
            Among::Decision(_) | Among::PassedOver(_) | Among::Judged(_) => continue,
        };
        let Some(answers) = answers.iter().find(|answers| answers.view == criterion.view()) else {
            continue;
        };
        let floor = |(id, place): (usize, &ProxyId)| {
            let floor = non_differential_floor(&base(&answers.seen, *place), label, legend.positive).ok()?;
            Some((legend.proxies[id].name.clone(), floor))
        };
        let evidence = answers.evidence.as_ref();
        records.extend(evidence.map_or_else(Vec::new, |evidence| evidence.bounds(*criterion, legend)));
        // What neighbours lent errs with who is near as well.
        let own = |(id, _): &(usize, &ProxyId)| legend.proxies[*id].lent_by.is_none();
        let floors = answers.places.iter().enumerate().filter(own).filter_map(floor);
        let void = errors_follow_decisions(tests, criterion.view());
        if let Some((proxy, floor)) = floors.max_by(|a, b| a.1.total_cmp(&b.1)) {
            records.push(BoundRecord {
                criterion: *criterion,
                assumes: Assumption::NonDifferential,
                proxy: Some(proxy),
                a: None,
                b: None,
                interval: (!void).then_some(Interval { low: floor, high: 1.0 }),
                unavailable: void.then(|| "the proxies' errors depend on the decision (finding N07)".into()),
            });
        }
    }
    let parity = criteria.contains(&Criterion::DemographicParity);
    if let (true, Some(shares), Some(answers)) = (parity, &settings.known_shares, answers.first()) {
        records.extend(from_shares(legend, answers, shares, settings));
    }
    records
}

/// Bounds on demographic parity from known shares: alone, and with what is known of each proxy's errors.
fn from_shares(legend: &Legend, answers: &Answers, shares: &[f64], settings: &Settings) -> Vec<BoundRecord> {
    let error_of = |name: &str| {
        let known = &settings.max_proxy_error;
        let named = known.iter().find(|known| known.proxy.as_deref() == Some(name));
        named.or_else(|| known.iter().find(|known| known.proxy.is_none())).map(|known| known.share)
    };
    let record = |assumes, proxy: Option<&str>, found: Result<Interval, String>| BoundRecord {
        criterion: Criterion::DemographicParity,
        assumes,
        proxy: proxy.map(str::to_owned),
        a: legend.groups.get(1).cloned(),
        b: legend.groups.first().cloned(),
        interval: found.as_ref().ok().copied(),
        unavailable: found.err(),
    };
    let names: Vec<&str> = legend.proxies.iter().map(|proxy| proxy.name.as_str()).collect();
    let share = shares[shares.len() - 1];
    let of_proxy = |id: usize, error: f64| {
        if answers.seen.told.of(answers.places[id]).is_some() {
            let reason = "its guesses were randomised, and a stated error is about the original guesses";
            return Err(reason.to_string());
        }
        let silent =
            answers.seen.cells().iter().filter(|(cell, _)| cell.guesses[answers.places[id].0].is_none());
        let silent: f64 = silent.map(|(_, share)| share).sum();
        if silent > 0.0 {
            return Err(format!(
                "the proxy abstains on {:.1} % of the rows, and a stated error is about guesses on all of them",
                100.0 * silent
            ));
        }
        let seen = base(&answers.seen, answers.places[id]);
        AssumptionFree::of(&seen, None, legend.positive, share, Some(error))
            .map_err(|reason| reason.to_string())
    };
    let mut records = vec![record(Assumption::KnownShares, None, from_share_alone(legend, answers, share))];
    if legend.groups.len() != 2 {
        return records; // said once
    }
    let (mut known, mut known_names) = (Vec::new(), Vec::new());
    for (id, name) in names.iter().enumerate().filter(|(id, _)| legend.proxies[*id].lent_by.is_none()) {
        if let Some(error) = error_of(name) {
            let found = of_proxy(id, error);
            if let Ok(found) = &found {
                known.push(*found);
                known_names.push(*name);
            }
            records.push(record(Assumption::MaxProxyError, Some(name), found.map(|found| found.interval())));
        }
    }
    if known.len() > 1 {
        let found = intersect(&known).map_err(|reason| describe(&reason, &known_names));
        records.push(record(Assumption::MaxProxyError, None, found));
    }
    records
}

/// What the share of a group and the share of the selected allow: no proxy is asked.
fn from_share_alone(legend: &Legend, answers: &Answers, share: f64) -> Result<Interval, String> {
    if legend.groups.len() != 2 {
        return Err(BoundError::NotTwoGroups { found: legend.groups.len() }.to_string());
    }
    let chosen = answers.seen.cells().iter().filter(|(cell, _)| cell.stratum.prediction == legend.positive);
    let selected: f64 = chosen.map(|(_, share)| share).sum();
    // Whom a proxy guesses does not matter, so let it guess one group for all.
    let bound = AssumptionFree::new([[1.0 - selected, 0.0], [selected, 0.0]], share, None);
    bound.map(|bound| bound.interval()).map_err(|reason| reason.to_string())
}

/// The reason with proxies by name.
fn describe(reason: &BoundError, names: &[&str]) -> String {
    match reason {
        BoundError::Contradiction { above, low, below, high } => format!(
            "no gap agrees with all of it: proxy {} needs at least {low:.3}, proxy {} at most {high:.3}; one of the stated \
             errors is too small",
            names.get(*above).unwrap_or(&"?"),
            names.get(*below).unwrap_or(&"?")
        ),
        other => other.to_string(),
    }
}
