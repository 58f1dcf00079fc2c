//! What is said of a gap by period.

use super::MonitorReport;
use crate::sentence::{Figure, Sentence};
use fairveil_core::measures::Estimate;
use fairveil_core::monitor::Null;

/// The answer: whether there was an alarm, and against what.
pub(super) fn answer(report: &MonitorReport) -> Sentence {
    let monitor = report.monitor;
    if let Some(reason) = &monitor.unavailable {
        return Sentence::of("Nothing can be said: ").text(reason.clone()).text(".");
    }
    let settings = &monitor.settings;
    let against = match (settings.null, settings.limit) {
        (Null::Limit, Some(limit)) => format!("a gap of at most {limit}"),
        (Null::Baseline, _) => "a gap that stays what it was in the first period".into(),
        _ => "no gap".into(),
    };
    match &monitor.alarm {
        Some(alarm) => Sentence::of("Alarm in ")
            .name(&alarm.period)
            .text(format!(": the rows up to then speak against {against} (evidence "))
            .then(evidence(Some(alarm.evidence), "/alarm/evidence".into()))
            .text(format!(", an alarm at {:.0}).", 1.0 / settings.false_alarms)),
        None => Sentence::of(format!(
            "No alarm: nothing speaks clearly against {against}. That is no proof of it."
        )),
    }
}

/// Evidence with two decimals; beyond ten thousand only that it is.
pub(super) fn evidence(found: Option<f64>, path: String) -> Sentence {
    match found {
        Some(found) if found >= 1e4 => Sentence::of("more than 10,000"),
        _ => Figure { digits: Some(2), ..Figure::new(found, path) }.into(),
    }
}

/// What an alarm means.
pub(super) fn meaning(report: &MonitorReport) -> String {
    let settings = &report.monitor.settings;
    format!(
        "Evidence is a normal-mixture e-process (gaps of about {}), over stretches that begin in any period. Whoever looks after every \
         period has a false alarm in at most {:.0} % of all series, however long. Errors of the proxies were learned from all periods \
         together and are taken to be the same in each.",
        settings.mixture_sd,
        100.0 * settings.false_alarms
    )
}

/// Whose gap it is.
pub(super) fn compared(report: &MonitorReport, group: &str, label: Option<&str>) -> Sentence {
    let reference = report.monitor.settings.reference.clone().unwrap_or_default();
    let gap = Sentence::named(group).text(" less ").name(reference);
    match label {
        Some(label) => gap.text(", among ").name(label),
        None => gap,
    }
}

/// The number of an estimate, what chance leaves open, and the honest range, by their place in the JSON.
pub(crate) fn cells(difference: &Estimate, path: &str) -> [Sentence; 3] {
    let ends = difference.interval.map(|ends| (ends.low, ends.high));
    let honest = difference.honest_interval.map(|ends| (ends.low, ends.high));
    [
        Figure::new(difference.value, format!("{path}/value")).within(ends).into(),
        Sentence::range(ends, ends, &format!("{path}/interval")),
        Sentence::range(honest, ends, &format!("{path}/honest_interval")),
    ]
}
