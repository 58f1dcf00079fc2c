//! The series as one page, and as Markdown.

use super::{MonitorReport, plot, words};
use crate::audit::merged;
use crate::markdown::{escaped, line_of, made, paragraph, shown};
use crate::page::frame::{Head, Section, file_name, frame};
use crate::page::parts::{figure, findings, name, sentence};
use crate::sentence::{Figure, Sentence, capital};
use maud::html;

/// The series as one HTML page.
pub(super) fn html(report: &MonitorReport) -> String {
    let (monitor, about) = (report.monitor, &report.about);
    let answer = html! {
        p.sentence { (sentence(&words::answer(report))) }
        @if let Some(left_out) = report.left_out { p { "Not shown: " (left_out) "." } }
        @if monitor.unavailable.is_none() { p { (words::meaning(report)) } }
    };
    let plots = html! { @for plot in plot::plots(report) { (figure(&plot)) } };
    let mut sections = vec![
        Section::new("answer", "Answer", "Whether there was an alarm", answer),
        Section::new("series", "Series", "The gap by period", plots),
    ];
    if !monitor.findings.is_empty() {
        let doubts = findings(&monitor.findings, about);
        sections.push(Section::new(
            "doubt",
            "Doubt",
            "What to doubt about the errors that were learned",
            doubts,
        ));
    }
    let table = file_name(about.table);
    let head = Head {
        title: format!("{} by {} in {table}", capital(monitor.settings.criterion.words()), report.every),
        heading: html! { (capital(monitor.settings.criterion.words())) " by " (report.every) " in " (name(table)) },
        dek: Sentence::default().number(Figure::count(monitor.input.rows, "/input/rows")).text(format!(
            " rows in {} {}s",
            monitor.periods.len(),
            report.every
        )),
        summary: words::answer(report).plain(),
    };
    frame(&head, about, &sections)
}

/// The series as Markdown.
pub(super) fn markdown(report: &MonitorReport) -> String {
    let (monitor, about) = (report.monitor, &report.about);
    let title = capital(monitor.settings.criterion.words());
    let mut out = format!("# {title} by {} in {}\n", report.every, escaped(about.table));
    out += &paragraph(&words::answer(report));
    if let Some(left_out) = report.left_out {
        out += &format!("\nNot shown: {left_out}.\n");
    }
    plot::plots(report).iter().for_each(|plot| out += &shown(plot));
    if monitor.unavailable.is_none() {
        out += &format!("\n{}\n", words::meaning(report));
    }
    if !monitor.findings.is_empty() {
        out += "\n## What to doubt\n";
        merged(&monitor.findings).iter().for_each(|alike| out += &line_of(alike));
    }
    out + "\n## Where it came from\n" + &made(about)
}
