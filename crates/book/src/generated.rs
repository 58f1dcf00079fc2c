//! What is not typed: parts of pages that the program, or a file of the project, says itself.
//!
//! A page asks for a part by a line `<!-- book: NAME -->`, which other readers of Markdown do not show.

use crate::{Refused, read};
use fairveil::Flags;
use fairveil_core::diagnose::catalogue;
use std::fmt::Write;
use std::path::Path;

/// The letters of codes, and what they are about.
const ROOMS: [(char, &str); 5] =
    [('D', "The table"), ('N', "The estimate"), ('P', "The proxies"), ('U', "Chance"), ('M', "Mitigation")];

/// A page with every part that it asks for. An unknown name stays, and is reported as markup.
pub fn filled(text: &str, project: &Path) -> Result<String, Refused> {
    let mut out = String::new();
    for line in text.lines() {
        match line {
            "<!-- book: findings -->" => out += &findings(),
            "<!-- book: commands -->" => out += &commands(),
            "<!-- book: citation -->" => {
                out += &format!("```yaml\n{}\n```\n", read(&project.join("CITATION.cff"))?.trim_end());
            }
            other => {
                out += other;
                out.push('\n');
            }
        }
    }
    Ok(out)
}

/// Every finding, as `fairveil explain` tells it, by what it is about; its anchor is its code.
pub fn findings() -> String {
    let mut out = String::new();
    for (letter, about) in ROOMS {
        let _ = writeln!(out, "## {about}\n");
        for entry in catalogue().iter().filter(|entry| entry.code.starts_with(letter)) {
            let code = entry.code.to_lowercase();
            let _ = writeln!(out, "### {} · {} {{#{code}}}\n", entry.code, plain(entry.title));
            for line in entry.text.spelled(&Flags).lines() {
                match line.strip_prefix("# ") {
                    Some(head) => {
                        let _ = writeln!(
                            out,
                            "\n#### {head} {{#{code}-{}}}\n",
                            head.to_lowercase().replace(' ', "-")
                        );
                    }
                    None => {
                        let _ = writeln!(out, "{}", plain(line.trim()));
                    }
                }
            }
        }
    }
    out
}

/// Every command and what its `--help` prints.
pub fn commands() -> String {
    let mut program = fairveil::command();
    program.build();
    let mut out = String::new();
    for command in
        program.get_subcommands_mut().filter(|command| !command.is_hide_set() && command.get_name() != "help")
    {
        let help = command.render_long_help().to_string();
        let _ = writeln!(out, "## {}\n\n```text\n{}\n```\n", command.get_name(), help.trim_end());
    }
    out
}

/// A line in which nothing is markup but what stands in backquotes.
fn plain(line: &str) -> String {
    let mut out = String::new();
    for (i, part) in line.split('`').enumerate() {
        if i > 0 {
            out.push('`');
        }
        for c in part.chars() {
            if i % 2 == 0 && matches!(c, '*' | '_' | '<' | '[' | '|' | '\\') {
                out.push('\\');
            }
            out.push(c);
        }
    }
    out
}
