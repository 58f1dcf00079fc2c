//! A plot: its title, its reading in a sentence, its shapes and the table it draws; and what several plots are made of.

pub(crate) mod matrix;
pub(crate) mod rows;
pub(crate) mod series;

use crate::PlotFile;
use crate::sentence::Sentence;
use crate::svg::Canvas;
use crate::table::Table;
use fairveil_core::Criterion;

/// One plot and what stands around it.
#[derive(Debug, Clone)]
pub(crate) struct Plot {
    /// The name of its file, and of its element on a page.
    pub id: String,
    pub title: Sentence,
    /// What it shows, in a sentence.
    pub reading: Sentence,
    /// What its marks mean, where names beside them do not say it; of no use without the plot.
    pub key: Sentence,
    pub canvas: Canvas,
    pub table: Table,
}

impl Plot {
    /// The plot in words, for those who cannot see it.
    pub fn description(&self) -> String {
        [self.reading.plain(), self.key.plain()].join(" ").trim_end().to_owned()
    }

    /// The plot as a file of its own.
    pub fn file(&self) -> PlotFile {
        let svg = self.canvas.file(&self.id, &self.title.plain(), &self.description());
        PlotFile { name: format!("{}.svg", self.id), svg }
    }
}

/// A criterion in the name of a file or of an element.
pub(crate) fn id(criterion: Criterion) -> String {
    criterion.name().replace('_', "-")
}
