//! The report of a number by group. The schema of its JSON is published in `docs/schema/`.

mod plot;
mod words;

use crate::audit::merged;
use crate::markdown::{self, escaped, line_of, made, paragraph, shown};
use crate::page::frame::{Head, Section, file_name, frame};
use crate::page::parts::{figure, findings, name, sentence, table};
use crate::report::json;
use crate::sentence::{Figure, Sentence, thousands};
use crate::text::{WIDTH, columns, findings_section, head, wrapped};
use crate::{About, PlotFile, Report, Style};
use fairveil_core::Curve;
use maud::html;

/// A number by group.
#[derive(Debug, Clone, Copy)]
pub struct CurveReport<'a> {
    /// The number.
    pub curve: &'a Curve,
    /// Where it comes from.
    pub about: About<'a>,
}

impl CurveReport<'_> {
    /// The contract that the JSON keeps.
    pub const SCHEMA: &'static str = "fairveil.curve/1";

    /// Rows that have no number, where there are such.
    fn without(&self) -> Option<Sentence> {
        let rows = self.curve.rows_without;
        let told = || {
            Sentence::from(Figure::count(rows, "/rows_without"))
                .text(" rows have no number and are left out.")
        };
        (rows > 0).then(told)
    }
}

impl Report for CurveReport<'_> {
    fn text(&self, style: Style) -> String {
        let (curve, about) = (self.curve, &self.about);
        let title = format!("fairveil {} · {} by group in {}", about.version, curve.column, about.table);
        let mut out = head(&title) + "\n";
        out += &wrapped(&format!("{} rows", thousands(curve.input.rows as f64)), "", WIDTH);
        out += "\n";
        out += &wrapped(&words::answer(self).in_columns(), "", WIDTH);
        self.without().iter().for_each(|said| out += &wrapped(&said.in_columns(), "", WIDTH));
        if let Some(reference) = &curve.reference {
            out += &wrapped(
                &Sentence::of("The reference is ").name(reference).text(".").in_columns(),
                "",
                WIDTH,
            );
        }
        for told in words::tables(self, true) {
            out += &format!("\n{}\n", head(&told.heading.in_columns()));
            out += &columns(&told.table, 2);
            told.reasons.iter().for_each(|reason| {
                out += &wrapped(&format!("– {}", reason.in_columns()), "  ", WIDTH);
            });
        }
        if curve.unavailable.is_none() {
            out += "\n";
            out += &wrapped(&words::meaning(self), "", WIDTH);
        }
        out += "\n";
        style.finish(&(out + &findings_section(&curve.findings, about)))
    }

    fn json(&self) -> Result<String, serde_json::Error> {
        json(Self::SCHEMA, self.about.version, self.curve)
    }

    fn html(&self) -> String {
        let (curve, about) = (self.curve, &self.about);
        let answer = html! {
            p.sentence { (sentence(&words::answer(self))) }
            @if let Some(without) = self.without() { p { (sentence(&without)) } }
            @if let Some(reference) = &curve.reference { p { "The reference is " (name(reference)) "." } }
            @if curve.unavailable.is_none() { p.note { (words::meaning(self)) } }
        };
        let mut sections = vec![Section::new("answer", "Answer", "Where the gap is largest", answer)];
        let plots = plot::plots(self);
        if !plots.is_empty() {
            let shown = html! { @for plot in &plots { (figure(plot)) } };
            sections.push(Section::new("along", "Along", "The gap along the number", shown));
        }
        let tables = words::tables(self, false);
        if !tables.is_empty() {
            let shown = html! {
                @for told in &tables {
                    h3 { (sentence(&told.heading)) }
                    (table(&told.table, &told.heading.plain()))
                    @for reason in &told.reasons { p.note { "– " (sentence(reason)) } }
                }
            };
            sections.push(Section::new("numbers", "Numbers", "Every number", shown));
        }
        sections.push(Section::new("doubt", "Doubt", "What to doubt", findings(&curve.findings, about)));
        let file = file_name(about.table);
        let head = Head {
            title: format!("{} by group in {file}", curve.column),
            heading: html! { (name(&curve.column)) " by group in " (name(file)) },
            dek: Sentence::default().number(Figure::count(curve.input.rows, "/input/rows")).text(" rows"),
            summary: words::answer(self).plain(),
        };
        frame(&head, about, &sections)
    }

    fn markdown(&self) -> String {
        let curve = self.curve;
        let mut out = format!("# {} by group in {}\n", escaped(&curve.column), escaped(self.about.table));
        out += &paragraph(&words::answer(self));
        self.without().iter().for_each(|said| out += &paragraph(said));
        plot::plots(self).iter().for_each(|plot| out += &shown(plot));
        for told in words::tables(self, false) {
            out += &format!("\n## {}\n", escaped(&told.heading.plain()));
            out += &markdown::table(&told.table);
            told.reasons.iter().for_each(|reason| out += &paragraph(reason));
        }
        if curve.unavailable.is_none() {
            out += &paragraph(&Sentence::of(words::meaning(self)));
        }
        out += "\n## What to doubt\n";
        merged(&curve.findings).iter().for_each(|alike| out += &line_of(alike));
        out + "\n\n## Where it came from\n" + &made(&self.about)
    }

    fn plots(&self) -> Vec<PlotFile> {
        plot::plots(self).iter().map(crate::plot::Plot::file).collect()
    }
}
