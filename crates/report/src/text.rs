//! Text for a terminal: marks that become colour, paragraphs in lines, tables in columns, findings.

use crate::About;
use crate::audit::merged;
use crate::sentence::{Sentence, number};
use crate::table as data;
use crate::words;
use anstyle::{AnsiColor, Style as Ansi};
use comfy_table::{CellAlignment, Table};
use fairveil_core::diagnose::{Entry, Finding, Severity};
use fairveil_core::setting::{Dialect, Job};
use std::borrow::Cow;
use std::fmt::Write;

/// Whether text may use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// No escape codes.
    Plain,
    /// Bold heads and coloured severities.
    Colour,
}

impl Style {
    /// Turns marks into escape codes, or leaves them out. Names in a table may hold control characters that
    /// would command a terminal: they are shown as a replacement mark instead.
    pub(crate) fn finish(self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for letter in text.chars() {
            match MARKS.iter().find(|(mark, _)| *mark == letter) {
                Some((_, style)) if self == Style::Colour => out += &style().to_string(),
                Some(_) => {}
                None if letter == END && self == Style::Colour => out += &anstyle::Reset.to_string(),
                None if letter == END => {}
                None if letter.is_control() && letter != '\n' => out.push(char::REPLACEMENT_CHARACTER),
                None => out.push(letter),
            }
        }
        out
    }
}

/// Private-use characters that stand for a style until the text is finished.
const HEAD: char = '\u{f0001}';
const WARNING: char = '\u{f0002}';
const SERIOUS: char = '\u{f0003}';
const END: char = '\u{f0004}';
type Mark = (char, fn() -> Ansi);
const MARKS: [Mark; 3] = [
    (HEAD, || Ansi::new().bold()),
    (WARNING, || AnsiColor::Yellow.on_default()),
    (SERIOUS, || AnsiColor::Red.on_default().bold()),
];

pub(crate) fn head(text: &str) -> String {
    format!("{HEAD}{text}{END}")
}

pub(crate) const WIDTH: usize = 100;
/// Past this a table is for machines.
pub(crate) const MOST_ROWS: usize = 30;

/// The full text of a finding.
pub fn explanation(entry: &Entry, style: Style, dialect: &dyn Dialect) -> String {
    let mut out = head(&format!("{} · {}", entry.code, entry.title)) + "\n";
    for line in entry.text.spelled(dialect).lines() {
        match line.strip_prefix("# ") {
            Some(title) => out += &format!("\n{}\n", head(title)),
            None => out += &wrapped(line, "  ", WIDTH),
        }
    }
    style.finish(&out)
}

/// `serious P07`, in its colour.
pub(crate) fn tag(finding: &Finding) -> String {
    let tag = format!("{} {}", words::severity(finding.severity), finding.code);
    match finding.severity {
        Severity::Info => tag,
        Severity::Warning => format!("{WARNING}{tag}{END}"),
        Severity::Serious => format!("{SERIOUS}{tag}{END}"),
    }
}

pub(crate) fn findings_section(findings: &[Finding], about: &About) -> String {
    let Some(first) = findings.first() else { return String::new() };
    let mut out = format!("\n{}\n", head("What to doubt"));
    for one in merged(findings) {
        let _ = writeln!(out, "  {}: {}", tag(one.first), one.first.title);
        for finding in [one.first].into_iter().chain(one.more.iter().copied()) {
            out += &wrapped(&finding.message.to_string(), "    ", WIDTH);
        }
        out += &wrapped(&one.first.advice.to_string(), "    ", WIDTH);
    }
    out + &format!("  More on each: {} {}\n", about.dialect.job(Job::Explain), first.code)
}

/// A table of words and numbers in columns; the first `names` columns hold names. What its rows have in common stands above them.
pub(crate) fn columns(table: &data::Table, names: usize) -> String {
    let mut out = plain_table();
    let head: Vec<String> = table.head.iter().map(Sentence::in_columns).collect();
    out.set_header(head);
    for row in table.rows.iter().take(2 * MOST_ROWS) {
        let mut cells: Vec<String> = row.cells.iter().map(Sentence::in_columns).collect();
        cells.resize(table.head.len(), String::new());
        if let (true, Some(first)) = (row.strong, cells.first_mut()) {
            *first += "  ◄";
        }
        out.add_row(cells);
    }
    let more = table.rows.len().saturating_sub(2 * MOST_ROWS);
    let rest = if more > 0 { format!("  … and {more} more rows, in the JSON\n") } else { String::new() };
    render_with_names(out, names) + &rest
}

pub(crate) fn plain_table() -> Table {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table
}

/// The table with its first column to the left, the others to the right, indented, without trailing blanks.
pub(crate) fn render(table: Table) -> String {
    render_with_names(table, 1)
}

/// The same where the first `names` columns hold names.
pub(crate) fn render_with_names(table: Table, names: usize) -> String {
    let mut table = with_short_names(table);
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_cell_alignment(if i < names { CellAlignment::Left } else { CellAlignment::Right });
    }
    table.lines().map(|line| format!("  {}\n", line.trim_end())).collect()
}

/// Longer than a digest: no sentence or table of ours has such a word, but a column may be called so.
const LONGEST_WORD: usize = 70;

/// A word without its middle, where it would break the lines around it. The JSON has it whole.
fn short_word(word: &str) -> Cow<'_, str> {
    const END: usize = 20;
    let length = visible(word);
    if length <= LONGEST_WORD {
        return word.into();
    }
    let letters = word.chars();
    let end = letters.clone().skip(word.chars().count() - END);
    letters.clone().take(LONGEST_WORD / 2 - END / 2).chain(['…']).chain(end).collect::<String>().into()
}

/// The same table, each long word of it without its middle.
fn with_short_names(table: Table) -> Table {
    let is_long =
        |row: &comfy_table::Row| row.cell_iter().any(|cell| cell.content().chars().count() > LONGEST_WORD);
    if !table.header().into_iter().chain(table.row_iter()).any(is_long) {
        return table;
    }
    let short = |row: &comfy_table::Row| -> Vec<String> {
        let cell = |cell: &comfy_table::Cell| {
            let content = cell.content();
            content.split(' ').map(short_word).collect::<Vec<_>>().join(" ")
        };
        row.cell_iter().map(cell).collect()
    };
    let mut new = plain_table();
    if let Some(header) = table.header() {
        new.set_header(short(header));
    }
    table.row_iter().for_each(|row| {
        new.add_row(short(row));
    });
    new
}

pub(crate) fn list(names: &[String]) -> String {
    const MOST: usize = 8;
    match names.len() {
        n if n > MOST => format!("{} and {} more", names[..MOST].join(", "), n - MOST),
        _ => names.join(", "),
    }
}

/// A paragraph in lines of at most `width`, indented; continuation lines two further.
pub(crate) fn wrapped(text: &str, indent: &str, width: usize) -> String {
    let mut out = String::new();
    let mut line = indent.to_owned();
    let mut empty = true;
    for word in text.split_whitespace().map(short_word) {
        if !empty && visible(&line) + 1 + visible(&word) > width {
            out += &line;
            out += "\n";
            line = format!("{indent}  ");
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line += &word;
        empty = false;
    }
    out + &line + "\n"
}

/// Letters of a text without marks.
fn visible(text: &str) -> usize {
    text.chars().filter(|letter| *letter != END && MARKS.iter().all(|(mark, _)| mark != letter)).count()
}

/// Both ends of an interval in a table; a dash where there is none.
pub(crate) fn ends(ends: Option<(f64, f64)>) -> String {
    ends.map_or("–".into(), |(low, high)| format!("{} to {}", number(Some(low)), number(Some(high))))
}
