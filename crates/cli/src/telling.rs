//! Tables that are copied with guesses in them, and guesses told by randomised response: what `privatize` and `proxies` share.

use crate::chance::{self, uniform};
use crate::intake::{Source, read_stated};
use crate::output::{Outputs, Shown, Slot, is_same, is_standard, lost, tell};
use crate::provenance::{Hashed, today};
use anyhow::{Context, bail};
use chacha20::ChaCha20Rng;
use fairveil_core::counts::Randomized;
use fairveil_core::vocabulary::Guess;
use fairveil_ingest::{
    Copied, Edit, IngestError, Mechanism, Reading, RewriteError, RewritePlan, Rows, TableFormat, rewrite,
};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A table on its way to its copy.
pub struct Copying<'c> {
    pub source: &'c Source,
    pub plan: &'c RewritePlan,
    pub reading: &'c Reading,
    pub format: TableFormat,
    pub output: &'c Path,
}

impl Copying<'_> {
    /// Writes the copy to its place, or to standard output where it has none; gives what was copied and the SHA-256 of its bytes.
    pub fn write(
        &self,
        outputs: &mut Outputs,
        slot: Option<Slot>,
        edit: impl FnMut(&Rows) -> Result<Edit, IngestError>,
    ) -> anyhow::Result<(Copied, String)> {
        match slot {
            None => {
                let mut out = std::io::stdout();
                let written = self.to(&mut out, edit)?;
                out.flush().map_err(|error| lost(error.into()))?;
                Ok(written)
            }
            Some(slot) => self.to(outputs.writer(slot), edit),
        }
    }

    fn to(
        &self,
        out: &mut (dyn Write + Send),
        edit: impl FnMut(&Rows) -> Result<Edit, IngestError>,
    ) -> anyhow::Result<(Copied, String)> {
        let mut out = Hashed::new(out);
        let (copied, _) = self.source.read(self.reading, false, |inputs, reading| {
            let copied = rewrite(inputs, self.plan, reading, self.format, &mut out, edit);
            copied.map_err(|error| match error {
                RewriteError::Input(error) => error.into(),
                RewriteError::Output(error) if is_standard(self.output) => lost(error.into()),
                RewriteError::Output(error) => {
                    anyhow::Error::from(error).context(format!("{}: cannot be written", self.output.shown()))
                }
            })
        })?;
        Ok((copied, out.written()))
    }
}

/// Tells guesses, each by a draw of its own.
pub struct Teller {
    /// The columns, and how each is told.
    pub columns: Vec<Randomized>,
    pub random: ChaCha20Rng,
    /// Guesses that were missing.
    pub missing: u64,
}

impl Teller {
    /// What is told in place of a guess; what is missing stays missing.
    pub fn tell(&mut self, column: usize, guess: Option<Guess>) -> Option<String> {
        // What is missing takes no draw: a seed gives what it gave.
        let drawn = guess.map(|_| uniform(&mut self.random)).unwrap_or_default();
        self.tell_by(column, guess, |_, _| drawn)
    }

    /// The same, by a number that follows from the column and the guess.
    pub fn tell_by(
        &mut self,
        column: usize,
        guess: Option<Guess>,
        number: impl Fn(&Randomized, &str) -> f64,
    ) -> Option<String> {
        let Some((guess, how)) = guess.zip(self.columns.get(column)) else {
            self.missing += 1;
            return None;
        };
        let told = how.response.tell(guess, number(how, how.groups.get(guess.0)?));
        how.groups.get(told.0).cloned()
    }
}

/// A mechanism before anything was told by it: when, by which chance, and after which earlier releases of the same rows.
pub fn begun(date: Option<&str>, seed: Option<u64>, earlier: &[PathBuf]) -> anyhow::Result<Mechanism> {
    let mut mechanism = Mechanism {
        date: Some(date.map_or_else(today, str::to_owned)),
        columns: Vec::new(),
        table_sha256: None,
        earlier: Vec::new(),
        generator: Some(chance::described(seed).to_owned()),
        answers: None,
    };
    for path in earlier {
        let text = read_stated(path)?;
        mechanism.add_earlier(&Mechanism::from_json(&text).with_context(|| path.shown())?);
    }
    Ok(mechanism)
}

/// Where the mechanism of a table lies, unless it is said.
pub fn beside(table: &Path) -> PathBuf {
    let mut name = table.as_os_str().to_owned();
    name.push(".mechanism.json");
    name.into()
}

/// Where the mechanism goes.
pub fn mechanism_path(said: Option<&PathBuf>, output: &Path) -> anyhow::Result<PathBuf> {
    match said {
        Some(path) => Ok(path.clone()),
        None if is_standard(output) => bail!(
            "-: the table goes to standard output, and the mechanism has no place\n  to do:  name a file with --mechanism"
        ),
        None => Ok(beside(output)),
    }
}

/// A table that was told already is told again only by who says so: what was told before counts.
pub fn refuse_forgotten(earlier: &[PathBuf], source: &Source) -> anyhow::Result<()> {
    for table in source.files() {
        let beside = beside(table);
        let given = earlier.iter().any(|path| is_same(path, &beside));
        if !given && beside.is_file() {
            bail!(
                "{}: the table was already randomised by {}, and epsilons add up\n  needed: every earlier release of these rows\n  to do:  \
                 give it with --earlier, or randomise the table that it was made from",
                table.shown(),
                beside.shown()
            );
        }
    }
    Ok(())
}

/// An amount of privacy in plain words.
fn in_words(epsilon: f64) -> String {
    if epsilon.is_finite() {
        format!(
            "epsilon {epsilon:.2}: seeing it changes the odds between any two guesses of a row by at most a factor of {}",
            factor(epsilon)
        )
    } else {
        "no guarantee (epsilon is infinite): some randomised guess rules out another".into()
    }
}

/// `e^ε` to the digits that matter.
fn factor(epsilon: f64) -> String {
    match epsilon.exp() {
        factor if factor < 1000.0 => format!("{factor:.2}"),
        factor => format!("{factor:.1e}"),
    }
}

/// What was done, and what is not protected.
pub fn promised(mechanism: &Mechanism, rows: u64, missing: u64, path: &Path) -> Vec<String> {
    let each = mechanism.columns.first().map_or(0.0, |column| column.response.epsilon().value());
    let mut words = vec![
        format!("{rows} rows randomised; the mechanism is in {}", path.shown()),
        format!("each randomised guess: {}", in_words(each)),
    ];
    if mechanism.columns.len() > 1 {
        let here = mechanism.epsilon_here().value();
        words.push(format!("the {} proxies of a row together: {}", mechanism.columns.len(), in_words(here)));
    }
    if !mechanism.earlier.is_empty() {
        let (n, s) = (mechanism.earlier.len(), if mechanism.earlier.len() == 1 { "" } else { "s" });
        let total = mechanism.epsilon_per_row();
        words.push(format!("with {n} earlier release{s} of the same rows: {}", in_words(total)));
    }
    words.push(
        "not protected: all other columns, copied as they are, and whether a proxy gave a guess at all"
            .to_owned()
            + &match missing {
                0 => String::new(),
                n => format!(" ({n} missing guesses stay missing)"),
            },
    );
    words
}

/// Warnings that a told table comes with.
pub fn warn(mechanism: &Mechanism, seed: Option<u64>) {
    if !mechanism.epsilon_per_row().is_finite() {
        tell("warning: the mechanism gives no guarantee: a randomised guess can rule out another");
    }
    if seed.is_some() {
        tell(
            "warning: drawn with --seed: anyone who knows the seed can undo it; leave it out for tables that you share",
        );
    }
}
