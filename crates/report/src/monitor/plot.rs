//! The gap of one group by period, with what chance and shared error leave open, and where an alarm was raised.

use super::{MonitorReport, words};
use crate::plot::Plot;
use crate::plot::series::Series;
use crate::sentence::Sentence;
use crate::svg::Canvas;
use crate::table::Table;
use fairveil_core::monitor::Null;

/// One plot for each group and rate.
pub(super) fn plots(report: &MonitorReport) -> Vec<Plot> {
    (0..report.monitor.whole.len()).map(|series| plot(report, series)).collect()
}

fn plot(report: &MonitorReport, series: usize) -> Plot {
    let first = &report.monitor.whole[series];
    let interval = format!("{:.0} % interval", 100.0 * report.monitor.settings.confidence);
    let mut table =
        Table::with_head([report.every, "gap", interval.as_str(), "with shared error", "evidence"]);
    for (i, period) in report.monitor.periods.iter().enumerate() {
        let shown = match period.gaps.get(series) {
            Some(gap) => words::cells(&gap.difference, &format!("/periods/{i}/gaps/{series}/difference")),
            None => {
                let reason = period.unavailable.clone().unwrap_or_default();
                [Sentence::of("–"), Sentence::of(reason), Sentence::default()]
            }
        };
        let evidence = words::evidence(period.evidence, format!("/periods/{i}/evidence"));
        table.push([Sentence::named(&period.period)].into_iter().chain(shown).chain([evidence]).collect());
    }
    Plot {
        id: format!("gap-by-period-{}", series + 1),
        title: Sentence::of("The gap by ").text(report.every).text(": ").then(words::compared(
            report,
            &first.group,
            first.label.as_deref(),
        )),
        reading: words::answer(report),
        key: Sentence::of(
            "Dots: the rate of the group less that of the reference; thick: what chance leaves open; thin: with shared error.",
        ),
        canvas: draw(report, series),
        table,
    }
}

fn draw(report: &MonitorReport, series: usize) -> Canvas {
    let periods = &report.monitor.periods;
    let settings = &report.monitor.settings;
    let points = periods.iter().map(|period| {
        let gap = period.gaps.get(series);
        (period.period.clone(), gap.map(|gap| &gap.difference))
    });
    Series {
        what: "gap to the reference",
        points: points.collect(),
        limits: match (settings.null, settings.limit) {
            (Null::Limit, Some(limit)) => vec![-limit, limit],
            _ => vec![0.0],
        },
        mark: periods.iter().position(|period| period.alarm).map(|at| (at, "alarm")),
    }
    .draw()
}
