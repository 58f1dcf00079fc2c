//! A rule as a Python file that needs nothing but Python: the rule itself, and what reads it.

use crate::{Rule, RuleError};

impl Rule {
    /// The rule as a Python module with `margin(row)` and `decide(row)`, which can also be run on a CSV file.
    pub fn python(&self) -> Result<String, RuleError> {
        let rule = self.to_json()?;
        // Plain letters only, so that no encoding of the file can change a name.
        let letter = |letter: char| match u32::from(letter) {
            code @ 0..=127 => char::from(code as u8).to_string(),
            code @ 128..=0xffff => format!("\\u{code:04x}"),
            code => {
                let high = 0xd800 + ((code - 0x10000) >> 10);
                let low = 0xdc00 + ((code - 0x10000) & 0x3ff);
                format!("\\u{high:04x}\\u{low:04x}")
            }
        };
        let rule: String = rule.trim_end().chars().map(letter).collect();
        // A raw text in three quotes ends at three quotes: inside JSON quotes never follow each other so, but names may have them.
        let rule = rule.replace('\'', "\\u0027");
        Ok(SCORER.replace("@RULE@", &rule))
    }
}

const SCORER: &str = include_str!("scorer.py");
