//! A result with its place in the JSON: none of its numbers is shown without one.

use crate::sentence::{Figure, Sentence, Unit};
use fairveil_core::headline::Says;
use fairveil_core::record::{ErrorModel, Measurement, Origin};
use fairveil_core::{Aggregate, Audit, Basis, Criterion, Estimator, Scope};
use std::ops::Deref;

/// A result, and where it stands in the JSON.
#[derive(Debug, Clone)]
pub(crate) struct Measured<'a> {
    result: &'a Measurement,
    path: String,
}

/// Every result of a list; `root` is the place in the JSON of what holds the list.
pub(crate) fn measured<'a>(
    results: &'a [Measurement],
    root: &str,
) -> impl Iterator<Item = Measured<'a>> + use<'a> {
    let root = root.to_owned();
    let place = move |(i, result)| Measured { result, path: format!("{root}/results/{i}") };
    results.iter().enumerate().map(place)
}

/// One aggregate of a criterion on every basis.
pub(crate) fn results(audit: &Audit, criterion: Criterion, aggregate: Aggregate) -> Vec<Measured<'_>> {
    measured(&audit.results, "").filter(|r| r.criterion == criterion && r.aggregate == aggregate).collect()
}

/// The largest gap between groups that is to be reported.
pub(crate) fn reported(audit: &Audit, criterion: Criterion) -> Option<Measured<'_>> {
    results(audit, criterion, Aggregate::Difference).into_iter().find(|result| result.recommended)
}

/// The largest gap between groups of which the range alone stands on top.
pub(crate) fn ranged(audit: &Audit, criterion: Criterion) -> Option<Measured<'_>> {
    let answer = audit.answer(criterion).filter(|answer| answer.says == Says::Range)?;
    let mine = |result: &Measured| Some(&result.origin) == answer.rests_on.as_ref();
    results(audit, criterion, Aggregate::Difference).into_iter().find(mine)
}

impl Deref for Measured<'_> {
    type Target = Measurement;

    fn deref(&self) -> &Measurement {
        self.result
    }
}

impl Measured<'_> {
    fn figure(&self, value: Option<f64>, name: &str) -> Figure {
        Figure::new(value, format!("{}/{name}", self.path))
    }

    pub fn value(&self) -> Figure {
        self.figure(self.result.value, "value").within(self.ends())
    }

    pub fn ends(&self) -> Option<(f64, f64)> {
        self.interval.as_ref().map(|interval| (interval.ends.low, interval.ends.high))
    }

    pub fn reach(&self) -> Option<(f64, f64)> {
        self.honest_interval.as_ref().map(|honest| (honest.ends.low, honest.ends.high))
    }

    /// What chance leaves open.
    pub fn sampling(&self) -> Sentence {
        Sentence::range(self.ends(), self.ends(), &format!("{}/interval", self.path))
    }

    /// The same when the proxies may share mistakes.
    pub fn honest(&self) -> Sentence {
        Sentence::range(self.reach(), self.ends(), &format!("{}/honest_interval", self.path))
    }

    /// The number and its interval as they stand beside its bar.
    pub fn note(&self) -> String {
        if self.result.value.is_none() { "no number".into() } else { noted(&self.value(), &self.sampling()) }
    }

    /// The share of the `i`-th group.
    pub fn share(&self, i: usize) -> Figure {
        self.figure(self.groups[i].share, &format!("groups/{i}/share"))
    }

    /// The rate of the `i`-th group.
    pub fn rate(&self, i: usize) -> Figure {
        let group = &self.groups[i];
        self.figure(group.rate, &format!("groups/{i}/rate")).within(group.interval.map(|i| (i.low, i.high)))
    }

    /// What chance leaves open of it.
    pub fn rate_range(&self, i: usize) -> Sentence {
        let ends = self.rate(i).ends;
        Sentence::range(ends, ends, &format!("{}/groups/{i}", self.path))
    }

    /// Raw error, normalised error and improvement; nothing where the truth is not known.
    pub fn errors(&self) -> Option<[Sentence; 3]> {
        let errors = self.result.errors?;
        Some([
            self.figure(errors.raw_error, "raw_error").within(Figure::GAP).into(),
            self.figure(errors.normalized_error, "normalized_error").unit(Unit::Percent).into(),
            self.figure(errors.improvement, "improvement").unit(Unit::Percent).into(),
        ])
    }

    /// What it was computed from, in a few words.
    pub fn origin(&self) -> Sentence {
        origin(&self.result.origin)
    }

    /// The same where there is little room.
    pub fn short_origin(&self) -> Sentence {
        short_origin(&self.result.origin)
    }

    pub fn same_origin(&self, other: &Measurement) -> bool {
        self.result.origin == other.origin
    }
}

/// `0.24 (0.22 to 0.26)`.
pub(crate) fn noted(value: &Figure, range: &Sentence) -> String {
    match range.plain() {
        none if none.is_empty() => value.shown(),
        range => format!("{} ({range})", value.shown()),
    }
}

/// What a number was computed from: in plain words, and by its name in small.
pub(crate) fn origin(origin: &Origin) -> Sentence {
    let Origin { basis, estimator, scope, proxy, .. } = origin;
    let (plain, _) = plain(origin);
    let named = estimator.filter(|estimator| estimator.learns_errors());
    let parts = [named.map(Estimator::name), scope.filter(|_| named.is_some()).map(Scope::name)];
    let names: Vec<&str> = parts.into_iter().flatten().collect();
    match (basis, proxy) {
        (Basis::Proxy, Some(proxy)) => Sentence::of("proxy ").name(proxy).text(", read directly"),
        _ if names.is_empty() => plain,
        _ => plain.small(format!(" ({})", names.join(", "))),
    }
}

/// The same where there is little room.
pub(crate) fn short_origin(origin: &Origin) -> Sentence {
    let Origin { basis, estimator, proxy, .. } = origin;
    let (_, short) = plain(origin);
    match (basis, proxy, estimator.filter(|estimator| estimator.learns_errors())) {
        (Basis::Proxy, Some(proxy), _) => Sentence::of("proxy ").name(proxy),
        (_, _, Some(estimator)) => short.small(format!(" ({estimator})")),
        _ => short,
    }
}

/// In plain words, and in few.
fn plain(origin: &Origin) -> (Sentence, Sentence) {
    let Origin { basis, estimator, scope, proxy, assumption } = origin;
    let both = |long: &str, short: &str| (Sentence::of(long), Sentence::of(short));
    match (basis, estimator) {
        (Basis::LabelledRows, _) => both("labelled rows, read directly", "labelled rows, read directly"),
        (_, Some(Estimator::Regression)) => both("labelled rows, regression", "labelled rows, regression"),
        (Basis::Soft, Some(Estimator::Evidence)) => {
            both("evidence, probabilities as weights", "probabilities as weights")
        }
        (_, Some(Estimator::Linear)) => {
            both("evidence, regression on probabilities", "regression on probabilities")
        }
        (_, Some(Estimator::Evidence)) => {
            let evidence = Sentence::of("evidence");
            let one = match proxy {
                Some(source) => evidence.text(", ").name(source).text(" alone"),
                None if assumption.is_some() => evidence.text(", tables may be off"),
                None => evidence,
            };
            (one.clone(), one)
        }
        (_, Some(Estimator::Audit)) => both("errors learned from labelled rows", "from labelled rows"),
        (_, Some(Estimator::Given)) => both("error rates as given", "error rates as given"),
        (_, Some(Estimator::ConfidentJoint)) => {
            both("errors counted where probabilities are surest", "where probabilities are surest")
        }
        (_, Some(Estimator::Hoc | Estimator::LatentClass)) => {
            let (long, short) = match (scope, assumption) {
                (Some(Scope::Local), _) => ("one table for each decision", "by decision"),
                (_, Some(ErrorModel::Own)) => ("one table for each proxy", "by proxy"),
                (_, Some(ErrorModel::BySource)) => ("one table for each source", "by source"),
                _ => ("one table for all", "one table"),
            };
            (
                Sentence::of(format!("errors learned from agreement, {long}")),
                Sentence::of(format!("from agreement, {short}")),
            )
        }
        (Basis::Soft, None) => both("all guesses as weights", "all guesses as weights"),
        (basis, None) => {
            let words = basis.name().replace('_', " ");
            both(&words, &words)
        }
    }
}

/// Why a basis has no number, each reason once.
pub(crate) fn reasons<'a>(results: impl Iterator<Item = Measured<'a>>) -> Vec<(Sentence, &'a str)> {
    let mut reasons: Vec<(Sentence, &str)> = Vec::new();
    for one in results {
        let reason = one.result.unavailable.as_deref().map(|reason| (one.origin(), reason));
        reasons.extend(reason.filter(|reason| !reasons.contains(reason)));
    }
    reasons
}
