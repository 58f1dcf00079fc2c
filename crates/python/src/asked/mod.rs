//! What was asked: tables, columns and settings, as dictionaries that the package fills in, and the one way to read them.

mod columns;
mod settings;

use crate::attend::attend;
use crate::keywords::Keywords;
use crate::refused::{of_setting, of_table, to_setting};
use crate::table::{Table, inputs};
use fairveil::with_threads;
use fairveil_core::Settings;
use fairveil_core::setting::{Refusal, Refuses, Setting, Text};
use fairveil_core::text;
use fairveil_core::vocabulary::Legend;
use fairveil_ingest::{AuditTable, Columns, Input, Notes, Progress, Reading};
use pyo3::prelude::*;
use std::str::FromStr;
use std::sync::Arc;

/// A question: of which tables, and who is told how far its answer is.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Asked {
    /// What the tables are called, which are one.
    pub name: String,
    tables: Vec<Py<Table>>,
    columns: columns::ColumnsAsked,
    settings: settings::SettingsAsked,
    told: Option<Py<PyAny>>,
    /// Who is told what readers found out about the tables.
    noted: Option<Py<PyAny>>,
}

/// A word that is one of a few.
pub fn word<T: FromStr>(py: Python, setting: Setting, word: &str) -> PyResult<T>
where
    T::Err: std::fmt::Display,
{
    word.parse().map_err(|error: T::Err| {
        of_setting(py, &Refusal::new(text![setting, " is not known: ", error.to_string()]))
    })
}

impl Asked {
    /// Does the work without the interpreter's lock, in threads of its own.
    pub fn attend<T: Send>(&self, py: Python, work: impl FnOnce(&Arc<Progress>) -> T + Send) -> PyResult<T> {
        let told = self.told.as_ref().map(|told| told.bind(py));
        attend(py, told, |progress| with_threads(None, || work(progress)))
    }

    /// Reads the tables with one of the readers.
    pub fn read<T: Send, E: Refuses + Send>(
        &self,
        py: Python,
        read: impl FnOnce(Vec<Input>, &Columns, &Reading) -> Result<T, E> + Send,
    ) -> PyResult<T> {
        let (inputs, columns) = (inputs(&self.tables)?, self.columns.columns(py)?);
        let notes = Arc::new(Notes::default());
        let read =
            self.attend(py, |progress| read(inputs, &columns, &self.columns.reading(progress, &notes)))?;
        if let Some(noted) = &self.noted {
            let say = |note: Text| noted.bind(py).call1((note.spelled(&Keywords),)).map(drop);
            notes.sentences().into_iter().try_for_each(say)?;
        }
        read.map_err(|error| of_table(py, &error))
    }

    /// The table of an audit, and what is asked of it.
    pub fn table(&self, py: Python) -> PyResult<(fairveil_ingest::Table, Settings)> {
        let twice = self.settings.reads_twice(py)?;
        if twice {
            self.tables.iter().try_for_each(|table| table.get().keep())?;
        }
        let again = if twice { Some(inputs(&self.tables)?) } else { None };
        let sample = self.settings.sample()?;
        let evidence = self.settings.evidence(py)?;
        let near = self.columns.near(py)?;
        let read = self.read(py, |inputs, columns, reading| {
            let asked = AuditTable { columns: columns.clone(), near, again, sample, evidence };
            asked.read(inputs, reading)
        })?;
        let read = match self.settings.population() {
            [] => read,
            stated => read.with_population(stated).map_err(to_setting(py))?,
        };
        let read = read.with_mechanisms(&self.settings.mechanisms(py)?).map_err(to_setting(py))?;
        let settings = self.settings(py, read.counts.legend())?;
        Ok((read, settings))
    }

    /// How guesses were randomised before they were counted.
    pub fn mechanisms(&self, py: Python) -> PyResult<Vec<fairveil_core::counts::Randomized>> {
        self.settings.mechanisms(py)
    }

    /// What is asked of an audit, in the words of its table.
    pub fn settings(&self, py: Python, legend: &Legend) -> PyResult<Settings> {
        self.settings.settings(py, legend)
    }

    /// Keeps the tables, so that they can be read again.
    pub fn keep(&self) -> PyResult<()> {
        self.tables.iter().try_for_each(|table| table.get().keep())
    }

    /// The columns that make segments.
    pub fn by(&self) -> Vec<String> {
        self.columns.by().to_vec()
    }
}
