//! Signs that a text holds a password, whatever else it is. To err is to hide too much.

use percent_encoding::percent_decode_str;

/// What stands in place of an address of which nothing can be shown.
pub(super) const HIDDEN: &str = "postgres://…";

/// Words that a password follows, after `=`.
const WORDS: [&str; 5] = ["password", "passwd", "passphrase", "pass", "pwd"];

/// Where a text is an address of PostgreSQL, rightly written or not: `postgres:/`, in any case, with a driver's name
/// (`postgresql+psycopg2:/`).
pub fn address_in(text: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    let is = |at: usize| {
        let rest = &lower[at + "postgres".len()..];
        let rest = rest.strip_prefix("ql").unwrap_or(rest);
        let driver = |letter: char| letter.is_ascii_alphanumeric() || "+-_.".contains(letter);
        rest.trim_start_matches(driver).starts_with(":/")
    };
    lower.match_indices("postgres").map(|(at, _)| at).find(|at| is(*at))
}

/// Where a text that is no address may begin to tell a password.
fn sign(text: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    let named = |word: &&str| {
        let ends = lower.match_indices(*word).map(|(at, _)| at + word.len());
        let mut values = ends.filter_map(|end| {
            let rest = lower[end..].trim_start();
            rest.starts_with('=').then(|| lower.len() - rest.len() + 1)
        });
        values.next()
    };
    // user:password@host, but not SQL, which has a blank before its first colon, and not the letter of a drive.
    let blank = text.len() - text.trim_start().len();
    let drive = &text.as_bytes()[blank..];
    let drive = matches!(drive, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    let from = if drive { blank + 2 } else { blank };
    let colon = text[from..].find(':').map(|at| from + at);
    let login =
        colon.filter(|at| !text[from..*at].contains(char::is_whitespace) && text[*at..].contains('@'));
    WORDS.iter().filter_map(named).chain(login.map(|at| at + 1)).min()
}

/// Whether a text may hold a password.
pub(super) fn is_in(text: &str) -> bool {
    address_in(text).is_some() || sign(text).is_some()
}

/// A text that is no address, up to where it may begin to tell a password.
pub(super) fn hide(text: &str) -> String {
    if let Some(at) = sign(text) {
        return format!("{}…", &text[..at]);
    }
    let decoded = percent_decode_str(text).decode_utf8_lossy();
    if decoded != text && is_in(&decoded) { HIDDEN.into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_a_password_is_cut_off_and_other_words_are_kept() {
        for (text, seen) in [
            ("ann:s3cret@h/d", "ann:…"),
            (" ann:s3 cret@h/d", " ann:…"),
            ("host=h password = 's3 cret'", "host=h password =…"),
            ("PGPASSWORD=s3cret", "PGPASSWORD=…"),
            ("https://ann:s3cret@h/t.csv", "https:…"),
            ("postgres%3A%2F%2Fann%3As3cret%40h", HIDDEN),
            ("--proxy=surname:census", "--proxy=surname:census"),
            ("C:\\me@work\\t.csv", "C:\\me@work\\t.csv"),
            ("year=2020/part.parquet", "year=2020/part.parquet"),
            ("passed", "passed"),
            ("100%", "100%"),
            ("SELECT a::text FROM t WHERE mail LIKE '%@x'", "SELECT a::text FROM t WHERE mail LIKE '%@x'"),
        ] {
            assert_eq!(hide(text), seen);
        }
    }

    #[test]
    fn an_address_is_found_in_every_spelling() {
        for (text, at) in [
            ("postgres://h", Some(0)),
            ("--html=PostgreSQL://h", Some(7)),
            ("jdbc:postgresql://h", Some(5)),
            ("postgresql+psycopg2://h", Some(0)),
            ("postgres:/h", Some(0)),
            ("postgres.csv", None),
            ("postgres: the manual", None),
            ("ünïcode postgres", None),
        ] {
            assert_eq!(address_in(text), at, "{text}");
        }
    }
}
