//! The gap of one group by period, with what chance and shared error leave open, and where an alarm was raised.

use super::{MonitorReport, words};
use crate::plot::Plot;
use crate::plot::rows::upright_axis;
use crate::sentence::Sentence;
use crate::svg::{Anchor, Canvas, Scale, WIDTH, length};
use crate::table::Table;
use fairveil_core::monitor::{GapRecord, Null};

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
        let evidence = crate::sentence::Figure::new(period.evidence, format!("/periods/{i}/evidence"));
        table.push(
            [Sentence::named(&period.period)].into_iter().chain(shown).chain([evidence.into()]).collect(),
        );
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

const LEFT: f64 = 48.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 220.0;

fn draw(report: &MonitorReport, series: usize) -> Canvas {
    let mut canvas = Canvas::new(BOTTOM + 42.0);
    let periods = &report.monitor.periods;
    let gap = |i: usize| -> Option<&GapRecord> { periods[i].gaps.get(series) };
    let settings = &report.monitor.settings;
    let limits: Vec<f64> = match (settings.null, settings.limit) {
        (Null::Limit, Some(limit)) => vec![-limit, limit],
        _ => vec![0.0],
    };
    let ends = |gap: &GapRecord| {
        let ends = gap.difference.interval.map(|ends| [ends.low, ends.high]);
        ends.into_iter().flatten().collect::<Vec<f64>>()
    };
    let values: Vec<f64> =
        (0..periods.len()).filter_map(gap).flat_map(ends).chain(limits.iter().copied()).collect();
    let y = Scale::near(values, (BOTTOM, TOP));
    let last = periods.len().saturating_sub(1).max(1) as f64;
    let x = Scale { domain: (0.0, last), range: (LEFT + 16.0, WIDTH - 20.0) };
    upright_axis(&mut canvas, &y, LEFT, WIDTH - 4.0);
    canvas.text("small", Anchor::Start, (2.0, TOP - 9.0), 200.0, "gap to the reference");
    limits
        .iter()
        .filter(|limit| y.holds(**limit))
        .for_each(|limit| canvas.line("tip", (LEFT, y.at(*limit)), (WIDTH - 4.0, y.at(*limit))));
    let inside = |value: f64| y.at(value.clamp(y.domain.0, y.domain.1));
    let line: Vec<(f64, f64)> = (0..periods.len())
        .filter_map(|i| Some((x.at(i as f64), inside(gap(i)?.difference.value?))))
        .collect();
    canvas.polyline("joined", &line);
    for i in 0..periods.len() {
        let (at, Some(gap)) = (x.at(i as f64), gap(i)) else { continue };
        if let Some(honest) = gap.difference.honest_interval {
            canvas.line("reach-strong", (at, inside(honest.low)), (at, inside(honest.high)));
        }
        if let Some(ends) = gap.difference.interval {
            let (low, high) = (inside(ends.low), inside(ends.high));
            canvas.rect("bar-strong", (at - 2.0, high), (4.0, low - high));
        }
        if let Some(value) = gap.difference.value {
            canvas.circle("dot-strong", (at, inside(value)), 3.4);
        }
    }
    if let Some(i) = periods.iter().position(|period| period.alarm) {
        let at = x.at(i as f64);
        canvas.line("tip", (at, TOP), (at, BOTTOM));
        let anchor = if at > WIDTH * 0.8 { Anchor::End } else { Anchor::Start };
        canvas.text(
            "strong",
            anchor,
            (at + if anchor == Anchor::End { -5.0 } else { 5.0 }, TOP + 4.0),
            90.0,
            "alarm",
        );
    }
    names(&mut canvas, &x, report);
    canvas
}

/// Names along the axis: the first, the last and those between that have room.
fn names(canvas: &mut Canvas, x: &Scale, report: &MonitorReport) {
    let periods = &report.monitor.periods;
    let mut taken: Vec<(f64, f64)> = Vec::new();
    let last = periods.len().saturating_sub(1);
    for i in [0, last].into_iter().chain(1..last) {
        let name = &periods[i].period;
        let half = length(name).min(90.0) / 2.0;
        let at = x.at(i as f64).clamp(half + 2.0, WIDTH - half - 2.0);
        if taken.iter().all(|(other, wide)| (at - other).abs() > half + wide + 8.0) {
            taken.push((at, half));
            canvas.text("small", Anchor::Middle, (at, BOTTOM + 15.0), 90.0, name);
        }
    }
}
