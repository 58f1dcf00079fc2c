//! Where a report came from: the command, the digest of the input, the date.

use crate::args::IdentityArgs;
use crate::dialect::Flags;
use fairveil_core::setting::visible;
use fairveil_ingest::without_password;
use fairveil_report::{About, Identity, Provenance};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

/// A reader or writer that digests what passes through it.
pub struct Hashed<R> {
    inner: R,
    state: Sha256,
}

impl<I> Hashed<I> {
    pub fn new(inner: I) -> Self {
        Hashed { inner, state: Sha256::new() }
    }
}

impl<R: Read> Hashed<R> {
    /// The digest of everything, including what nobody read.
    pub fn digest(mut self) -> std::io::Result<String> {
        std::io::copy(&mut self, &mut std::io::sink())?;
        Ok(hexadecimal(&self.state.finalize()))
    }
}

impl<W: Write> Hashed<W> {
    /// The digest of everything that was written.
    pub fn written(self) -> String {
        hexadecimal(&self.state.finalize())
    }
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.state.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.state.update(&buffer[..count]);
        Ok(count)
    }
}

/// The words of the command that runs.
static WORDS: OnceLock<Vec<OsString>> = OnceLock::new();

/// Takes the words that the command was asked for with; the first time counts.
pub fn asked(words: impl IntoIterator<Item = OsString>) {
    WORDS.get_or_init(|| words.into_iter().collect());
}

/// The words of the command as they were typed, its name first.
pub fn words() -> &'static [OsString] {
    WORDS.get().map_or(&[], Vec::as_slice)
}

/// The words of the command that are not to be shown as they were typed, each with what is shown instead, longest first:
/// whole, the value of a flag by itself, and what was left out by itself.
fn secrets() -> Vec<(String, String)> {
    let words = words().iter().skip(1).map(|word| word.to_string_lossy().into_owned());
    let mut secrets = Vec::new();
    for word in words {
        let value = word.split_once('=').filter(|_| word.starts_with('-')).map(|(_, value)| value.to_owned());
        for text in [Some(word), value].into_iter().flatten() {
            let shown = without_password(&text);
            if shown == text {
                continue;
            }
            // A message may repeat a part of a word. A few letters would be found in the message itself.
            let same = text.chars().zip(shown.chars()).take_while(|(a, b)| a == b).count();
            let left_out: String = text.chars().skip(same).collect();
            if left_out.chars().count() > 3 {
                secrets.push((left_out, "…".into()));
            }
            secrets.push((text, shown));
        }
    }
    // In a message they stand with everything written out that a terminal would act on.
    let written_out =
        |(text, shown): &(String, String)| (visible(text).into_owned(), visible(shown).into_owned());
    let more: Vec<(String, String)> = secrets.iter().map(written_out).collect();
    secrets.extend(more);
    secrets.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
    secrets.dedup();
    secrets
}

/// Whether an address with a password was typed.
pub fn holds_password() -> bool {
    !secrets().is_empty()
}

/// A message without the passwords that were typed.
pub fn concealed(message: &str) -> String {
    secrets().iter().fold(message.to_owned(), |message, (text, shown)| message.replace(text.as_str(), shown))
}

/// The command as typed, but for passwords in addresses, quoted for a shell where needed. The program goes by its name,
/// not by its place; so do files, unless their folders are asked for.
pub fn command(full_paths: bool) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=,+@%".contains(letter);
    let quoted = |word: String| {
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    let shown = |word: String| match word.split_once('=').filter(|_| word.starts_with("--")) {
        _ if full_paths => word,
        Some((flag, value)) => format!("{flag}={}", file_name(value)),
        None => file_name(&word).to_owned(),
    };
    let words = words().iter().skip(1).map(|word| quoted(shown(without_password(&word.to_string_lossy()))));
    std::iter::once("fairveil".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// Today by the clock, in UTC.
pub fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = civil(seconds / 86_400);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The date that lies so many days after 1970-01-01.
fn civil(mut days: u64) -> (u64, u64, u64) {
    let mut year = 1970;
    while days >= length(year, None) {
        days -= length(year, None);
        year += 1;
    }
    let mut month = 1;
    while days >= length(year, Some(month)) {
        days -= length(year, Some(month));
        month += 1;
    }
    (year, month, days + 1)
}

/// Days of a year, or of one of its months.
fn length(year: u64, month: Option<u64>) -> u64 {
    let leap = u64::from(year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)));
    match month {
        None => 365 + leap,
        Some(2) => 28 + leap,
        Some(4 | 6 | 9 | 11) => 30,
        Some(_) => 31,
    }
}

/// A date as typed: `YYYY-MM-DD`, and one that exists.
pub fn date(text: &str) -> Result<String, String> {
    let parts: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let digits = parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    let numbers: Vec<u64> = parts.iter().filter_map(|part| part.parse().ok()).collect();
    match numbers[..] {
        [year, month @ 1..=12, day] if digits && lengths == [4, 2, 2] => {
            let exists = (1..=length(year, Some(month))).contains(&day);
            exists.then(|| text.to_owned()).ok_or_else(|| "there is no such day".into())
        }
        _ => Err("a date is needed, YYYY-MM-DD".into()),
    }
}

/// How a report can be made again: the command as typed, the digest of its table, the date.
pub struct Made<'i> {
    command: String,
    date: String,
    sha256: Option<String>,
    identity: Identity<'i>,
    full_paths: bool,
}

impl Made<'static> {
    /// By this command, on the date that was said or today.
    pub fn new(date: Option<&str>, sha256: Option<String>) -> Self {
        Made::by(command(false), sha256).dated(date)
    }

    /// By another command than the one that runs.
    pub fn by(command: String, sha256: Option<String>) -> Self {
        Made { command, date: today(), sha256, identity: Identity::default(), full_paths: false }
    }

    fn dated(self, date: Option<&str>) -> Self {
        Made { date: date.map_or(self.date, str::to_owned), ..self }
    }
}

impl<'i> Made<'i> {
    /// With what was said of the page, files by their names unless their folders were asked for.
    pub fn identified(self, said: &'i IdentityArgs) -> Made<'i> {
        let Made { date, sha256, .. } = self;
        let command = command(said.full_paths);
        Made { command, date, sha256, identity: said.identity(), full_paths: said.full_paths }
    }

    /// For a report about a table.
    pub fn about<'a>(&'a self, table: &'a str) -> About<'a> {
        let provenance = Provenance {
            command: Some(&self.command),
            sha256: self.sha256.as_deref(),
            date: Some(&self.date),
            identity: self.identity,
        };
        let table = if self.full_paths { table } else { file_name(table) };
        About { table, version: env!("CARGO_PKG_VERSION"), provenance, dialect: &Flags }
    }
}

/// A path without its folders. What only looks like one, such as an address or a title with a stroke in it, stays as it is.
fn file_name(path: &str) -> &str {
    let folder =
        Path::new(path).parent().is_some_and(|folder| !folder.as_os_str().is_empty() && folder.is_dir());
    if !folder || path.contains("://") {
        return path;
    }
    path.rsplit('/').find(|part| !part.is_empty()).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_since_1970_become_dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(11_017), (2000, 3, 1));
        assert_eq!(civil(20_453), (2025, 12, 31));
    }

    #[test]
    fn files_go_by_their_names_and_addresses_stay_whole() {
        let folder = std::env::temp_dir();
        assert_eq!(file_name(&folder.join("loans.csv").to_string_lossy()), "loans.csv");
        assert_eq!(file_name("loans.csv"), "loans.csv");
        assert_eq!(file_name("approved/denied"), "approved/denied");
        assert_eq!(file_name("postgres://me@host/db"), "postgres://me@host/db");
    }

    #[test]
    fn only_dates_that_exist_are_taken() {
        assert_eq!(date("2024-02-29").as_deref(), Ok("2024-02-29"));
        for wrong in
            ["2023-02-29", "2024-13-01", "2024-1-1", "24-01-01", "yesterday", "2024-01-01-01", "+024-01-01"]
        {
            assert!(date(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_digest_is_of_all_bytes_even_of_those_not_read() {
        let mut reader = Hashed::new(&b"abc"[..]);
        let mut one = [0];
        reader.read_exact(&mut one).unwrap();
        let digest = reader.digest().unwrap();
        assert_eq!(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
