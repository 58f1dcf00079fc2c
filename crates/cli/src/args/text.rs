//! How a text is read.

use super::value::delimiter;
use clap::Args;
use fairveil_ingest::{Decimal, Delimiter, Encoding, Reading};

/// How the fields of a text are set apart and its letters written.
#[derive(Debug, Clone, Args)]
pub struct TextArgs {
    /// The character between fields, or tab [default: by name and header].
    #[arg(long, value_name = "CHAR", value_parser = delimiter, help_heading = "Values")]
    pub delimiter: Option<u8>,
    /// The encoding of the text: utf-8, latin-1 (windows-1252), utf-16, utf-16le or utf-16be [default: as the
    /// bytes show, with a note where it is not utf-8].
    #[arg(long, value_name = "NAME", value_parser = encoding, help_heading = "Values")]
    pub encoding: Option<Encoding>,
}

impl TextArgs {
    /// How to read.
    pub fn reading(&self) -> Reading {
        let delimiter = self.delimiter.map_or(Delimiter::Detect, Delimiter::Byte);
        Reading { delimiter, encoding: self.encoding, ..Reading::default() }
    }
}

/// What stands before the decimals of numbers.
#[derive(Debug, Clone, Args)]
pub struct DecimalArgs {
    /// The decimal mark of numbers: a point or a comma [default: a point, or a comma where ; separates fields and numbers have
    /// commas].
    #[arg(long, value_name = ".|,", value_parser = decimal, help_heading = "Values")]
    pub decimal: Option<Decimal>,
}

impl DecimalArgs {
    /// The same, with what was said of decimals.
    pub fn reading(&self, reading: Reading) -> Reading {
        Reading { decimal: self.decimal.unwrap_or_default(), ..reading }
    }
}

fn encoding(text: &str) -> Result<Encoding, String> {
    Encoding::of_name(text)
        .ok_or_else(|| "one of utf-8, latin-1, utf-16, utf-16le and utf-16be is needed".into())
}

fn decimal(text: &str) -> Result<Decimal, String> {
    match text {
        "." | "point" => Ok(Decimal::Point),
        "," | "comma" => Ok(Decimal::Comma),
        _ => Err("a point or a comma is needed".into()),
    }
}
