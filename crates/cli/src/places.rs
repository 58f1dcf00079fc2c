//! All that a command reports: places reserved before the work starts, and written together when everything is made.

use crate::output::{Outputs, Slot, is_standard, print, print_data, style};
use anyhow::Context;
use fairveil_report::Report;
use std::path::{Path, PathBuf};

/// The forms that were asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Forms<'a> {
    pub json: Option<&'a Path>,
    pub jsonl: Option<&'a Path>,
    pub html: Option<&'a Path>,
    pub markdown: Option<&'a Path>,
    pub svg: Option<&'a Path>,
    pub brief: Option<&'a Path>,
    /// Prints all there is.
    pub full: bool,
    /// Prints no text.
    pub quiet: bool,
    /// Another file that the command writes, such as a rule.
    pub beside: Option<&'a Path>,
}

/// The places of a command's outputs, proven writable.
pub struct Places {
    outputs: Outputs,
    json: Option<Slot>,
    jsonl: Option<Slot>,
    json_only: bool,
    html: Option<Slot>,
    markdown: Option<Slot>,
    svg: Option<PathBuf>,
    brief: Option<Slot>,
    beside: Option<Slot>,
    full: bool,
    quiet: bool,
}

impl Places {
    /// Reserves every place. No output may be an input, nor another output.
    pub fn reserve(forms: &Forms, inputs: &[PathBuf]) -> anyhow::Result<Self> {
        let mut outputs = Outputs::beside(inputs);
        let mut file = |path: Option<&Path>| path.map(|path| outputs.reserve(path)).transpose();
        let json_only = forms.json.is_some_and(is_standard);
        let beside = file(forms.beside)?;
        let json = file(forms.json.filter(|_| !json_only))?;
        let jsonl = file(forms.jsonl)?;
        let (html, markdown, brief) = (file(forms.html)?, file(forms.markdown)?, file(forms.brief)?);
        forms.svg.map(|path| outputs.folder(path)).transpose()?;
        let svg = forms.svg.map(Path::to_owned);
        let Forms { full, quiet, .. } = *forms;
        Ok(Places { outputs, json, jsonl, json_only, html, markdown, svg, brief, beside, full, quiet })
    }

    /// Whether something is written that says where the table came from.
    pub fn shown(&self) -> bool {
        self.html.is_some() || self.markdown.is_some() || self.brief.is_some()
    }

    /// Makes every form, prints what goes to the screen, then gives all files their names.
    pub fn commit(mut self, report: &dyn Report, beside: &[u8]) -> anyhow::Result<()> {
        let mut files: Vec<(Slot, Vec<u8>)> = Vec::new();
        if let Some(slot) = self.json {
            files.push((slot, report.json()?.into_bytes()));
        }
        if let Some(slot) = self.jsonl {
            files.push((slot, report.json_lines()?.into_bytes()));
        }
        files.extend(self.html.map(|slot| (slot, report.html().into_bytes())));
        files.extend(self.markdown.map(|slot| (slot, report.markdown().into_bytes())));
        if let Some(slot) = self.brief {
            let brief = report.brief().context(
                "--brief is about one audit\n  needed: fairveil audit\n  to do:  leave it out, or take --html",
            )?;
            files.push((slot, brief.into_bytes()));
        }
        if let Some(folder) = &self.svg {
            for plot in report.plots() {
                files.push((self.outputs.reserve(&folder.join(&plot.name))?, plot.svg.into_bytes()));
            }
        }
        files.extend(self.beside.map(|slot| (slot, beside.to_vec())));
        for (slot, bytes) in files {
            self.outputs.write(slot, &bytes)?;
        }
        if self.json_only {
            print_data(report.json()?.as_bytes())?;
        } else if !self.quiet {
            let text = if self.full { report.full_text(style()) } else { report.text(style()) };
            print(&text)?;
        }
        self.outputs.commit()
    }
}
