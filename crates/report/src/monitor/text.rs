//! The series for a screen.

use super::{MonitorReport, words};
use crate::sentence::thousands;
use crate::text::{WIDTH, findings_section, head, plain_table, render, wrapped};

pub(super) fn text(report: &MonitorReport) -> String {
    let (monitor, about) = (report.monitor, &report.about);
    let title = format!(
        "fairveil {} · {} by {} in {}",
        about.version,
        monitor.settings.criterion.words(),
        report.every,
        about.table
    );
    let mut out = head(&title) + "\n";
    let rows = thousands(monitor.input.rows as f64);
    out += &wrapped(&format!("{rows} rows in {} {}s", monitor.periods.len(), report.every), "", WIDTH);
    out += "\n";
    out += &wrapped(&words::answer(report).in_columns(), "", WIDTH);
    if let Some(left_out) = report.left_out {
        out += &wrapped(&format!("Not shown: {left_out}."), "", WIDTH);
    }
    for (series, first) in monitor.whole.iter().enumerate() {
        let compared = words::compared(report, &first.group, first.label.as_deref());
        out += &format!("\n{}\n", head(&compared.in_columns()));
        let mut table = plain_table();
        let interval = format!("{:.0} % interval", 100.0 * monitor.settings.confidence);
        let honest = format!("shared error {:.0} %", 100.0 * monitor.settings.shared_error);
        table.set_header(vec![
            report.every.to_owned(),
            "rows".into(),
            "gap".into(),
            interval,
            honest,
            "evidence".into(),
        ]);
        for (i, period) in monitor.periods.iter().enumerate() {
            let mut cells = vec![period.period.clone(), thousands(period.rows as f64)];
            match period.gaps.get(series) {
                Some(gap) => {
                    let path = format!("/periods/{i}/gaps/{series}/difference");
                    cells.extend(words::cells(&gap.difference, &path).map(|cell| cell.in_columns()));
                }
                None => {
                    cells.extend(["–".into(), period.unavailable.clone().unwrap_or_default(), String::new()]);
                }
            }
            let alarm = if period.alarm { "  alarm" } else { "" };
            cells.push(
                period
                    .evidence
                    .map_or("–".into(), |evidence| format!("{}{alarm}", evidence_shown(evidence))),
            );
            table.add_row(cells);
        }
        let [gap, interval, honest] = words::cells(&first.difference, &format!("/whole/{series}/difference"))
            .map(|cell| cell.in_columns());
        table.add_row(vec!["all".into(), rows.clone(), gap, interval, honest, String::new()]);
        out += &render(table);
    }
    if monitor.unavailable.is_none() {
        out += "\n";
        out += &wrapped(&words::meaning(report), "", WIDTH);
    }
    out += "\n";
    out + &findings_section(&monitor.findings, about)
}

/// Two digits, or a power of ten where there is no room for more.
fn evidence_shown(evidence: f64) -> String {
    if evidence < 1e4 { format!("{evidence:.2}") } else { format!("{evidence:.0e}") }
}
