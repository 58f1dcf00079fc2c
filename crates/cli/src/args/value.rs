//! Values that several commands take, and what is said where one is no such value.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use fairveil_core::{Estimator, EstimatorChoice};
use std::str::FromStr;

/// A parser of one of these names, which help lists.
pub(super) fn one_of<T>(names: impl IntoIterator<Item = &'static str>) -> impl TypedValueParser<Value = T>
where
    T: FromStr + Clone + Send + Sync + 'static,
    T::Err: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    PossibleValuesParser::new(names).try_map(|name| T::from_str(&name))
}

/// A parser of an estimator, or of whichever is best.
pub(super) fn estimator_choice() -> impl TypedValueParser<Value = EstimatorChoice> {
    one_of(or_auto(Estimator::ALL.map(Estimator::name)))
}

/// Those that need nothing but guesses, or error rates from elsewhere.
pub(super) fn estimator_of_guesses() -> impl TypedValueParser<Value = EstimatorChoice> {
    let of_guesses = |estimator: &Estimator| {
        !matches!(
            estimator,
            Estimator::Audit | Estimator::Regression | Estimator::Evidence | Estimator::Linear
        )
    };
    one_of(or_auto(Estimator::ALL.into_iter().filter(of_guesses).map(Estimator::name)))
}

/// The names that a choice is made from.
pub(super) fn or_auto(names: impl IntoIterator<Item = &'static str>) -> Vec<&'static str> {
    ["auto"].into_iter().chain(names).collect()
}

pub(super) fn delimiter(text: &str) -> Result<u8, String> {
    match text {
        "tab" | "\\t" => Ok(b'\t'),
        _ => match text.as_bytes() {
            [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
            _ => Err("one ASCII character is needed, or tab".into()),
        },
    }
}

pub(super) fn within(text: &str, low: f64, high: f64) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (low..=high).contains(number));
    number.ok_or_else(|| format!("a number from {low} to {high} is needed"))
}

pub(super) fn probability(text: &str) -> Result<f64, String> {
    within(text, 0.0, 1.0)
}

pub(super) fn open_unit(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| *number > 0.0 && *number < 1.0);
    number.ok_or_else(|| "a number above 0 and below 1 is needed".to_string())
}

pub(super) fn gap(text: &str) -> Result<f64, String> {
    within(text, -0.7, 0.7)
}

/// A number of bytes, with K, M, G or T for thousands of them.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let letters = text.trim_end_matches(['B', 'b']);
    let (digits, unit) = match letters.char_indices().next_back() {
        Some((place, letter)) if letter.is_ascii_alphabetic() => {
            (&letters[..place], letter.to_ascii_uppercase())
        }
        _ => (letters, ' '),
    };
    let power = [' ', 'K', 'M', 'G', 'T'].iter().position(|known| *known == unit);
    let number = digits.parse::<u64>().ok().filter(|number| *number > 0);
    let size =
        power.zip(number).and_then(|(power, number)| number.checked_mul(1000_u64.checked_pow(power as u32)?));
    size.ok_or_else(|| "a number of bytes is needed, such as 500M or 4G".into())
}

/// Half of the memory that the machine has, or that this process may have, where that is told.
pub fn half_of_the_machine() -> Option<u64> {
    let number = |text: &str| text.split_whitespace().find_map(|word| word.parse::<u64>().ok());
    let about = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let machine =
        about.lines().find(|line| line.starts_with("MemTotal:")).and_then(number).map(|kb| kb * 1024);
    let allowed = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| number(&text));
    machine.into_iter().chain(allowed).min().map(|most| most / 2)
}
