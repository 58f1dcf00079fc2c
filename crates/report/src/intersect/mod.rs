//! The report of two attributes at once. The schema of its JSON is published in `docs/schema/`.

use crate::audit::merged;
use crate::markdown::{self, escaped, line_of, made, paragraph};
use crate::page::frame::{Head, Section, file_name, frame};
use crate::page::parts::{figure, findings, name, sentence, table};
use crate::plot::Plot;
use crate::plot::rows::{self, IntervalRow, Tone};
use crate::report::json;
use crate::sentence::{Figure, Sentence, fixed, thousands};
use crate::table::Table;
use crate::text::{MOST_ROWS, WIDTH, findings_section, head, plain_table, render, wrapped};
use crate::{About, PlotFile, Report, Style};
use fairveil_core::Interval;
use fairveil_core::intersect::{Intersection, PairRecord};
use fairveil_core::measures::Estimate;
use maud::html;

/// Rates of two attributes at once.
#[derive(Debug, Clone, Copy)]
pub struct IntersectionReport<'a> {
    /// The rates.
    pub intersection: &'a Intersection,
    /// Where it comes from.
    pub about: About<'a>,
}

impl IntersectionReport<'_> {
    /// The contract that the JSON keeps.
    pub const SCHEMA: &'static str = "fairveil.intersection/1";

    /// `race and sex`.
    fn attributes(&self) -> Sentence {
        let [first, second] = [0, 1].map(|i| self.intersection.attributes[i].name.as_str());
        Sentence::named(first).text(" and ").name(second)
    }

    /// What was found, in a sentence.
    fn answer(&self) -> Sentence {
        let record = self.intersection;
        if let Some(reason) = &record.unavailable {
            return Sentence::of(format!("No rate can be given: {reason}."));
        }
        let known = || {
            let rated = record.groups.iter().enumerate().filter(|(_, pair)| pair.rate.value.is_some());
            rated.map(|(i, pair)| (i, pair, pair.rate.value.unwrap_or_default()))
        };
        let (low, high) =
            (known().min_by(|a, b| a.2.total_cmp(&b.2)), known().max_by(|a, b| a.2.total_cmp(&b.2)));
        let (Some((i, low, low_rate)), Some((j, high, high_rate))) = (low, high) else {
            return Sentence::of("Too little is known of every pair of groups.");
        };
        let rate = |place: usize, value: f64| {
            Figure::new(Some(value), format!("/groups/{place}/rate/value")).within(Figure::GAP)
        };
        Sentence::of("Selected least often: ")
            .then(called(low))
            .text(", ")
            .number(rate(i, low_rate))
            .text("; most often: ")
            .then(called(high))
            .text(", ")
            .number(rate(j, high_rate))
            .text(".")
    }

    /// What the columns mean.
    fn meaning(&self) -> String {
        format!(
            "Less and ratio: beside the reference. In brackets what chance leaves open, for all pairs at once (each at {} %); with shared \
             error: the same when the proxies of either attribute may share mistakes. Errors were learned for each attribute by itself, and \
             the two sets of proxies are taken to err independently of each other.",
            fixed(100.0 * self.intersection.confidence_of_each, 2)
        )
    }

    /// How often every pair is selected; nothing where no rate is known.
    fn plot(&self) -> Option<Plot> {
        let mut table = Table::with_head(["groups", "selected", "with shared error"]);
        let mut rows = Vec::new();
        for (i, pair) in self.intersection.groups.iter().enumerate() {
            let path = format!("/groups/{i}/rate");
            let found = &pair.rate;
            let ends = |ends: Interval| (ends.low, ends.high);
            let honest = found.honest_interval.map(ends);
            let range = Sentence::range(honest, Figure::GAP, &format!("{path}/honest_interval"));
            let rate = Figure::new(found.value, format!("{path}/value")).within(Figure::GAP);
            rows.push(IntervalRow {
                label: called(pair).plain(),
                note: rate.shown(),
                estimate: rows::Estimate {
                    value: found.value,
                    interval: found.interval.map(ends),
                    reach: honest,
                    truth: None,
                },
                tone: Tone::Strong,
                bold: false,
                marks: Vec::new(),
            });
            let range = if range.0.is_empty() { dash() } else { range };
            table.push(vec![called(pair), figures(found, &path), range]);
        }
        let known = self.intersection.groups.iter().any(|pair| pair.rate.value.is_some());
        known.then(|| Plot {
            id: "selected-by-pair".into(),
            title: Sentence::of("How often every pair of groups is selected"),
            reading: self.answer(),
            key: Sentence::of("Dots: rates; thick: what chance leaves open; thin: with shared error."),
            canvas: rows::draw(&rows, "share selected", None),
            table,
        })
    }

    fn table(&self) -> Table {
        let mut table =
            Table::with_head(["groups", "people", "selected", "less", "less, with shared error", "ratio"]);
        for (i, pair) in self.intersection.groups.iter().enumerate() {
            let root = format!("/groups/{i}");
            if let Some(reason) = &pair.unavailable {
                table.push(vec![
                    called(pair),
                    Sentence::of("–"),
                    Sentence::of(reason),
                    dash(),
                    dash(),
                    dash(),
                ]);
                continue;
            }
            let people = Figure { digits: Some(0), ..Figure::new(pair.people, format!("{root}/people")) };
            let honest = pair.difference.honest_interval.map(|ends| (ends.low, ends.high));
            let honest = Sentence::range(honest, Figure::GAP, &format!("{root}/difference/honest_interval"));
            table.push(vec![
                called(pair),
                people.into(),
                figures(&pair.rate, &format!("{root}/rate")),
                figures(&pair.difference, &format!("{root}/difference")),
                if honest.0.is_empty() { dash() } else { honest },
                figures(&pair.adverse_impact_ratio, &format!("{root}/adverse_impact_ratio")),
            ]);
        }
        table
    }
}

fn dash() -> Sentence {
    Sentence::of("–")
}

/// `black, female`.
fn called(pair: &PairRecord) -> Sentence {
    let mut names = pair.groups.iter();
    let first = Sentence::named(names.next().map_or("", String::as_str));
    names.fold(first, |sentence, name| sentence.text(", ").name(name))
}

fn figures(found: &Estimate, path: &str) -> Sentence {
    let number = Sentence::from(Figure::new(found.value, format!("{path}/value")).within(Figure::GAP));
    match found.interval.filter(|_| found.value.is_some()) {
        None => number,
        Some(ends) => number
            .text(" (")
            .then(Sentence::range(Some((ends.low, ends.high)), Figure::GAP, &format!("{path}/interval")))
            .text(")"),
    }
}

impl Report for IntersectionReport<'_> {
    fn text(&self, style: Style) -> String {
        let (record, about) = (self.intersection, &self.about);
        let title =
            format!("fairveil {} · {} in {}", about.version, self.attributes().in_columns(), about.table);
        let mut out = head(&title) + "\n";
        let rows = thousands(record.input.rows as f64);
        out += &wrapped(
            &format!("{rows} rows · selected means {} = {}", record.input.prediction, record.input.positive),
            "",
            WIDTH,
        );
        out += "\n";
        out += &wrapped(&self.answer().in_columns(), "", WIDTH);
        if let Some(reference) = &record.reference {
            out += &wrapped(&format!("The reference is {}.", reference.join(", ")), "", WIDTH);
        }
        if !record.groups.is_empty() {
            let told = self.table();
            let mut table = plain_table();
            table.set_header(told.head.iter().map(Sentence::in_columns));
            for row in told.rows.iter().take(MOST_ROWS) {
                table.add_row(row.cells.iter().map(Sentence::plain));
            }
            out += "\n";
            out += &render(table);
            out += &wrapped(&self.meaning(), "  ", WIDTH);
        }
        style.finish(&(out + &findings_section(&record.findings, about)))
    }

    fn json(&self) -> Result<String, serde_json::Error> {
        json(Self::SCHEMA, self.about.version, self.intersection)
    }

    fn html(&self) -> String {
        let (record, about) = (self.intersection, &self.about);
        let answer = html! {
            p.sentence { (sentence(&self.answer())) }
            @if let Some(reference) = &record.reference { p { "The reference is " (name(&reference.join(", "))) "." } }
            @if let Some(plot) = self.plot() { (figure(&plot)) }
            @if !record.groups.is_empty() {
                (table(&self.table(), "Every pair of groups"))
                p.note { (self.meaning()) }
            }
        };
        let sections = [
            Section::new("answer", "Answer", "Both attributes at once", answer),
            Section::new("doubt", "Doubt", "What to doubt", findings(&record.findings, about)),
        ];
        let file = file_name(about.table);
        let head = Head {
            title: format!("{} in {file}", self.attributes().plain()),
            heading: html! { (sentence(&self.attributes())) " in " (name(file)) },
            dek: Sentence::default().number(Figure::count(record.input.rows, "/input/rows")).text(" rows"),
            summary: self.answer().plain(),
        };
        frame(&head, about, &sections)
    }

    fn markdown(&self) -> String {
        let record = self.intersection;
        let mut out = format!("# {} in {}\n", escaped(&self.attributes().plain()), escaped(self.about.table));
        out += &paragraph(&self.answer());
        if let Some(reference) = &record.reference {
            out += &paragraph(&Sentence::of("The reference is ").name(reference.join(", ")).text("."));
        }
        if !record.groups.is_empty() {
            out += &markdown::table(&self.table());
            out += &paragraph(&Sentence::of(self.meaning()));
        }
        out += "\n## What to doubt\n";
        merged(&record.findings).iter().for_each(|alike| out += &line_of(alike));
        out + "\n\n## Where it came from\n" + &made(&self.about)
    }

    fn plots(&self) -> Vec<PlotFile> {
        self.plot().iter().map(Plot::file).collect()
    }
}
