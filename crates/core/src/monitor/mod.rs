//! The gap by period, and an alarm that keeps its error rate over all periods looked at.
//!
//! Errors of the proxies are learned once, from the rows of all periods, as an audit does; every period is then calibrated with
//! them (`gaps`), so that short periods do not learn errors of their own by chance. What chance leaves open of a period's gap has
//! two parts: its own rows, and the errors, which tables drawn anew give. The honest range is the hull over shared error and over
//! every explanation that fits, as that of the answer is. `alarm` has the rule.
//!
//! Assumes that the proxies err alike in all periods. Rows of a period may be few: a period of which nothing can be said adds
//! nothing to the evidence, and is named.

mod alarm;
mod gaps;
mod watching;

pub use alarm::{MIXTURE_SD, Null};

use crate::counts::Counts;
use crate::diagnose::Finding;
use crate::measures::Estimate;
use crate::record::{Input, Origin};
use crate::setting::{Dialect, Setting};
use crate::settings::{AuditError, Settings};
use crate::vocabulary::Criterion;
use alarm::{Against, Point, evidence};
pub(crate) use gaps::Gap;
use serde::{Deserialize, Serialize};
use watching::spread;
pub(crate) use watching::{Look, Watch, Watching};

/// One period, in order.
#[derive(Debug, Clone)]
pub struct Period {
    /// Its name, such as `2024-03`.
    pub name: String,
    /// Its rows; nothing where it has none.
    pub counts: Option<Counts>,
}

/// What is asked of a monitor.
#[derive(Debug, Clone)]
pub struct MonitorSettings {
    /// Whose rates are compared.
    pub criterion: Criterion,
    /// What an alarm speaks against.
    pub null: Null,
    /// The limit that a gap must not pass, where that is the question.
    pub limit: Option<f64>,
    /// All that an audit of the rows is asked; an alarm errs as often as its intervals do.
    pub audit: Settings,
}

/// The gap by period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Monitor {
    /// What was read, all periods together.
    pub input: Input,
    /// What was asked.
    pub settings: MonitorRecord,
    /// What errors were learned by.
    pub rests_on: Option<Origin>,
    /// The gap over all periods.
    pub whole: Vec<GapRecord>,
    /// The periods in order.
    pub periods: Vec<PeriodRecord>,
    /// The first period at whose end there was an alarm.
    pub alarm: Option<Alarm>,
    /// What to doubt about the errors that were learned.
    pub findings: Vec<Finding>,
    /// Why nothing can be said.
    pub unavailable: Option<String>,
}

/// What was asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MonitorRecord {
    /// Whose rates are compared.
    pub criterion: Criterion,
    /// What an alarm speaks against.
    pub null: Null,
    /// The limit, where there is one.
    pub limit: Option<f64>,
    /// How often there is an alarm, at any time, where what it speaks against holds: at most.
    pub false_alarms: f64,
    /// The sd of the gaps that are looked for.
    pub mixture_sd: f64,
    /// The group that others stand beside.
    pub reference: Option<String>,
    /// How often an interval should hold.
    pub confidence: f64,
    /// The share of the proxies' agreement that may be shared error in honest intervals.
    pub shared_error: f64,
    /// Seed of the draws.
    pub seed: u64,
}

/// One period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PeriodRecord {
    /// Its name.
    pub period: String,
    /// Its rows.
    pub rows: u64,
    /// The gaps of the groups.
    pub gaps: Vec<GapRecord>,
    /// The evidence against what is tested, after this period: an alarm at one over the rate of false ones.
    pub evidence: Option<f64>,
    /// There was an alarm at the end of this period or before.
    pub alarm: bool,
    /// Why nothing can be said of it.
    pub unavailable: Option<String>,
}

/// The gap of one group to the reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GapRecord {
    /// The group.
    pub group: String,
    /// The label, or the decision, among whose people rates are taken.
    pub label: Option<String>,
    /// Its rate.
    pub rate: Option<f64>,
    /// The rate of the reference.
    pub reference_rate: Option<f64>,
    /// The first less the second.
    pub difference: Estimate,
}

/// An alarm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alarm {
    /// The period at whose end it was raised.
    pub period: String,
    /// The evidence then.
    pub evidence: f64,
}

impl Monitor {
    /// Errors from all rows, gaps by period, and the evidence after each. `counts` holds the rows of all periods, in the words of
    /// which theirs are.
    pub fn run(counts: &Counts, periods: &[Period], asked: &MonitorSettings) -> Result<Monitor, AuditError> {
        let limit = asked.limit.unwrap_or(0.0);
        if !(0.0..1.0).contains(&limit) {
            return Err(AuditError::Setting {
                setting: Setting::Limit,
                value: limit,
                needed: "from 0 to below 1",
            });
        }
        let watch = Watch::of(counts, asked.criterion, &asked.audit)?;
        let record = MonitorRecord {
            criterion: asked.criterion,
            null: asked.null,
            limit: asked.limit,
            false_alarms: 1.0 - asked.audit.confidence,
            mixture_sd: MIXTURE_SD,
            reference: watch.reference.clone(),
            confidence: asked.audit.confidence,
            shared_error: asked.audit.shared_error,
            seed: asked.audit.seed,
        };
        let mut monitor = Monitor {
            input: watch.audit().input.clone(),
            settings: record,
            rests_on: None,
            whole: Vec::new(),
            periods: Vec::new(),
            alarm: None,
            findings: watch.findings(),
            unavailable: None,
        };
        match watch.watching() {
            Err(reason) => monitor.unavailable = Some(reason),
            Ok(watching) => Series { watching: &watching, asked }.over(watch.counts(), periods, &mut monitor),
        }
        Ok(monitor)
    }

    /// The monitor in the words of a front end.
    pub fn spelled(mut self, dialect: &dyn Dialect) -> Self {
        self.findings.iter_mut().for_each(|finding| finding.spell(dialect));
        self
    }
}

/// The series of a monitor.
struct Series<'a> {
    watching: &'a Watching<'a>,
    asked: &'a MonitorSettings,
}

impl Series<'_> {
    fn over(&self, counts: &Counts, periods: &[Period], monitor: &mut Monitor) {
        monitor.rests_on = Some(self.watching.origin().clone());
        let looks: Vec<Result<Look, String>> = periods.iter().map(|period| self.period(period)).collect();
        if let Ok(look) = self.watching.look(counts) {
            monitor.whole = self.watching.records(&look);
        }
        let evidence = self.evidence(&looks);
        let bound = 1.0 / monitor.settings.false_alarms;
        for ((period, look), evidence) in periods.iter().zip(&looks).zip(evidence) {
            if monitor.alarm.is_none() && evidence >= bound {
                monitor.alarm = Some(Alarm { period: period.name.clone(), evidence });
            }
            monitor.periods.push(PeriodRecord {
                period: period.name.clone(),
                rows: period.counts.as_ref().map_or(0, |counts| counts.intake().rows),
                gaps: look.as_ref().map_or_else(|_| Vec::new(), |look| self.watching.records(look)),
                evidence: Some(evidence),
                alarm: monitor.alarm.is_some(),
                unavailable: look.as_ref().err().cloned(),
            });
        }
        if looks.iter().all(Result::is_err) {
            monitor.unavailable = Some("no period has a gap".into());
        }
    }

    fn period(&self, period: &Period) -> Result<Look, String> {
        let counts = period.counts.as_ref().ok_or("no rows")?;
        self.watching.look(&counts.in_name_order().0)
    }

    /// The evidence after each period: the mean over groups and rates, each of which has mean one where nothing is the matter.
    fn evidence(&self, looks: &[Result<Look, String>]) -> Vec<f64> {
        let against = match self.asked.null {
            Null::NoGap => Against::NoGap,
            Null::Limit => Against::Limit(self.asked.limit.unwrap_or(0.0)),
            Null::Baseline => Against::Baseline,
        };
        let of_place = |place: usize| {
            let point = |look: &Result<Look, String>| -> Point {
                let gap = look.as_ref().ok()?.found[place]?;
                Some((gap.difference(), gap.variance))
            };
            let series: Vec<Point> = looks.iter().map(point).collect();
            evidence(&series, against, |start, end| of_errors(&looks[start..=end], place))
        };
        let all: Vec<Vec<f64>> = self.watching.places().map(of_place).collect();
        let mean = |t: usize| all.iter().map(|series| series[t]).sum::<f64>() / all.len() as f64;
        (0..looks.len()).map(mean).collect()
    }
}

/// What not knowing the errors adds to the variance of the mean over a stretch of periods, which all share it.
fn of_errors(looks: &[Result<Look, String>], place: usize) -> f64 {
    let known = || looks.iter().flatten().filter_map(|look| Some((look, look.found[place]?.variance)));
    let information: f64 = known().map(|(_, variance)| 1.0 / variance).sum();
    let draws = looks.iter().flatten().map(|look| look.drawn.len()).min().unwrap_or(0);
    let mean = |draw: usize| -> Option<f64> {
        let gaps = known().map(|(look, variance)| Some(look.drawn[draw][place]?.difference() / variance));
        gaps.sum::<Option<f64>>().map(|sum| sum / information)
    };
    spread(&(0..draws).filter_map(mean).collect::<Vec<_>>())
}
