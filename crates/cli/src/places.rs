//! All that a command reports: places reserved before the work starts, and written together when everything is made.

use crate::output::{OutputFile, OutputFolder, is_standard, print, refuse_same, style};
use fairveil_report::Report;
use std::path::{Path, PathBuf};

/// The forms that were asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Forms<'a> {
    pub json: Option<&'a Path>,
    pub html: Option<&'a Path>,
    pub markdown: Option<&'a Path>,
    pub svg: Option<&'a Path>,
    /// Prints no text.
    pub quiet: bool,
    /// Another file that the command writes, such as a rule.
    pub beside: Option<&'a Path>,
}

/// The places of a command's outputs, proven writable.
pub struct Places {
    json: Option<OutputFile>,
    json_only: bool,
    html: Option<OutputFile>,
    markdown: Option<OutputFile>,
    svg: Option<OutputFolder>,
    beside: Option<OutputFile>,
    quiet: bool,
}

impl Places {
    /// Reserves every place. No output may be an input, nor another output.
    pub fn reserve(forms: &Forms, inputs: &[PathBuf]) -> anyhow::Result<Self> {
        let named = [forms.beside, forms.json, forms.html, forms.markdown].into_iter().flatten();
        refuse_same(named.filter(|path| !is_standard(path)))?;
        let file = |path: Option<&Path>| {
            path.map(|path| OutputFile::reserve(path, inputs.iter().map(PathBuf::as_path))).transpose()
        };
        let json_only = forms.json.is_some_and(is_standard);
        Ok(Places {
            beside: file(forms.beside)?,
            json: file(forms.json.filter(|_| !json_only))?,
            json_only,
            html: file(forms.html)?,
            markdown: file(forms.markdown)?,
            svg: forms.svg.map(OutputFolder::reserve).transpose()?,
            quiet: forms.quiet,
        })
    }

    /// Whether something is written that says where the table came from.
    pub fn shown(&self) -> bool {
        self.html.is_some() || self.markdown.is_some()
    }

    /// Makes every form, prints what goes to the screen, then gives all files their names.
    pub fn commit(self, report: &dyn Report, beside: &[u8]) -> anyhow::Result<()> {
        let printed = if self.json_only {
            report.json()?
        } else if self.quiet {
            String::new()
        } else {
            report.text(style())
        };
        let mut files: Vec<(OutputFile, String)> = Vec::new();
        if let Some(place) = self.json {
            files.push((place, report.json()?));
        }
        files.extend(self.html.map(|place| (place, report.html())));
        files.extend(self.markdown.map(|place| (place, report.markdown())));
        let plots = self.svg.map(|folder| (folder, report.plots()));
        print(&printed)?;
        for (place, text) in files {
            place.commit_bytes(text.as_bytes())?;
        }
        if let Some((folder, plots)) = plots {
            folder.commit(&plots)?;
        }
        self.beside.map_or(Ok(()), |place| place.commit_bytes(beside))
    }
}
