//! From what people typed to how tables spell it.
//!
//! All built-in tables hold capital letters A to Z and nothing else: `OBRIEN`, `DELACRUZ`, `GARCIALOPEZ`. A text becomes
//! words of such letters; the look-up then tries them in the order of the [landing page](crate#names).

use crate::fold::fold;
use crate::{Field, Silence};

/// Letters of one text; longer ones are notes, not names.
const LETTERS: usize = 64;
/// Words of one text.
const WORDS: usize = 8;

/// Words of capital letters, without allocation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words {
    letters: [u8; LETTERS],
    ends: [u8; WORDS],
    count: usize,
}

impl Words {
    const NONE: Self = Self { letters: [0; LETTERS], ends: [0; WORDS], count: 0 };

    fn start(&self, word: usize) -> usize {
        if word == 0 { 0 } else { usize::from(self.ends[word - 1]) }
    }

    fn end(&self) -> usize {
        self.start(self.count)
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn word(&self, word: usize) -> &[u8] {
        self.joined(word, word + 1)
    }

    /// The words from `first` to before `last`, as one.
    pub(crate) fn joined(&self, first: usize, last: usize) -> &[u8] {
        &self.letters[self.start(first)..self.start(last)]
    }

    fn push_word(&mut self, word: &[u8]) -> Option<()> {
        let (start, end) = (self.end(), self.end() + word.len());
        self.letters.get_mut(start..end)?.copy_from_slice(word);
        *self.ends.get_mut(self.count)? = u8::try_from(end).ok()?;
        self.count += 1;
        Some(())
    }

    /// Only the words of some places.
    fn keep(&self, keep: impl Fn(usize) -> bool) -> Self {
        let mut kept = Self::NONE;
        for word in (0..self.count).filter(|&word| keep(word)) {
            // What fitted once fits again.
            let _ = kept.push_word(self.word(word));
        }
        kept
    }

    /// An initial says nothing; O, D and L before a surname are what is left of an apostrophe.
    fn is_initial(&self, field: Field, word: usize) -> bool {
        let elided = field == Field::Surname
            && matches!(self.word(word), b"O" | b"D" | b"L")
            && word + 1 < self.count
            && self.word(word + 1).len() > 2;
        self.word(word).len() < 2 && !elided
    }

    pub(crate) fn spaced(&self) -> String {
        let words = (0..self.count).map(|word| String::from_utf8_lossy(self.word(word)));
        words.collect::<Vec<_>>().join(" ")
    }
}

/// Whether what was written stands for nothing known.
fn says_nothing(words: &Words) -> bool {
    let all = words.joined(0, words.count);
    match words.count {
        0 => true,
        1 => stands_for_nothing(all),
        _ => {
            matches!(all, b"NA" | b"NOTAVAILABLE" | b"NOTAPPLICABLE" | b"NOTGIVEN" | b"NOTKNOWN" | b"NONAME")
        }
    }
}

/// Words that people write where there is no name.
pub(crate) const NOTHING: [&[u8]; 9] =
    [b"NA", b"NAN", b"NULL", b"NONE", b"MISSING", b"UNKNOWN", b"UNK", b"FNU", b"LNU"];

/// Whether one word, in either case, stands for nothing known. `FNU` and `LNU` are "first (last) name unknown".
pub(crate) fn stands_for_nothing(word: &[u8]) -> bool {
    word.len() < 8 && NOTHING.iter().any(|nothing| word.eq_ignore_ascii_case(nothing))
}

fn is_title(word: &[u8]) -> bool {
    matches!(word, b"MR" | b"MRS" | b"MS" | b"MISS" | b"DR" | b"PROF" | b"REV" | b"HON")
}

fn is_suffix(word: &[u8]) -> bool {
    matches!(word, b"JR" | b"SR" | b"II" | b"III" | b"IV" | b"ESQ" | b"PHD")
}

/// Words that belong to the one after them.
pub(crate) fn is_particle(field: Field, word: &[u8]) -> bool {
    match field {
        Field::FirstName => matches!(word, b"DE" | b"LA" | b"LE" | b"DA" | b"DU" | b"MC" | b"O" | b"D"),
        Field::Surname => matches!(
            word,
            b"DE"
                | b"DEL"
                | b"DELA"
                | b"DELLA"
                | b"DI"
                | b"DA"
                | b"DAS"
                | b"DOS"
                | b"DU"
                | b"LA"
                | b"LAS"
                | b"LE"
                | b"LOS"
                | b"VAN"
                | b"VANDE"
                | b"VANDER"
                | b"VANDEN"
                | b"VON"
                | b"DER"
                | b"DEN"
                | b"TEN"
                | b"TER"
                | b"ZU"
                | b"ZUM"
                | b"MC"
                | b"MAC"
                | b"O"
                | b"D"
                | b"L"
                | b"ST"
                | b"SAINT"
                | b"SAN"
                | b"SANTA"
                | b"AL"
                | b"EL"
                | b"ABU"
                | b"BEN"
                | b"BIN"
                | b"IBN"
        ),
        Field::Zip => false,
    }
}

/// The words of a name, without titles, suffixes and initials.
pub(crate) fn words(field: Field, raw: &str) -> Result<Words, Silence> {
    let text = after_or_before_comma(field, raw);
    let mut words = Words::NONE;
    let mut word = [0u8; LETTERS];
    let mut length = 0;
    // What closes the aside that is open: a nickname or a note after a name.
    let mut aside = None;
    let mut signs = text.chars();
    let mut digits = false;
    loop {
        let sign = signs.next();
        if let (Some(close), Some(sign)) = (aside, sign) {
            if sign == close {
                aside = None;
            }
            continue;
        }
        let letters: &[u8] = match sign {
            Some(letter) if letter.is_ascii_alphabetic() => &[letter.to_ascii_uppercase() as u8],
            Some(digit) if digit.is_ascii_digit() => {
                digits = true;
                &[digit as u8]
            }
            // Apostrophes of all kinds, marks that follow their letter, signs without width.
            Some('\'' | '’' | '‘' | '‛' | 'ʼ' | 'ʻ' | 'ʾ' | 'ʿ' | '`' | '´' | '′') => continue,
            Some('\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}') => {
                continue;
            }
            Some(letter) if !letter.is_ascii() && letter.is_alphabetic() => {
                fold(letter).ok_or(Silence::NotAName)?
            }
            Some(
                '@' | '#' | '&' | '+' | '=' | '<' | '>' | '{' | '}' | '[' | ']' | '|' | '\\' | '%' | '$',
            ) => {
                return Err(Silence::NotAName);
            }
            _ => {
                match sign {
                    _ if length == 0 && words.count == 0 => (),
                    Some('(') => aside = Some(')'),
                    Some('"') => aside = Some('"'),
                    Some('“') => aside = Some('”'),
                    _ => (),
                }
                let found = word.get(..length).unwrap_or_default();
                if digits {
                    // 2nd and its like stand for II.
                    if words.count == 0 || !matches!(found, b"1ST" | b"2ND" | b"3RD" | b"4TH") {
                        return Err(Silence::NotAName);
                    }
                } else if length > 0 {
                    words.push_word(found).ok_or(Silence::NotAName)?;
                }
                (length, digits) = (0, false);
                if sign.is_none() {
                    break;
                }
                continue;
            }
        };
        word.get_mut(length..length + letters.len()).ok_or(Silence::NotAName)?.copy_from_slice(letters);
        length += letters.len();
    }
    clean(field, &words)
}

/// Drops what is no part of a name, until nothing more can be dropped: what is left stays as it is.
fn clean(field: Field, words: &Words) -> Result<Words, Silence> {
    let mut words = *words;
    while !says_nothing(&words) {
        // Titles stand in front, suffixes behind; alone, either is a name: Miss, Iv.
        let titles = (0..words.count - 1).take_while(|&word| is_title(words.word(word))).count();
        let kept = words.keep(|word| {
            word >= titles
                && !(word > titles && is_suffix(words.word(word)))
                && !words.is_initial(field, word)
        });
        if kept.count == words.count {
            return Ok(words);
        }
        if kept.count == 0 {
            return Err(Silence::NotAName);
        }
        words = kept;
    }
    Err(Silence::Empty)
}

/// "Last, First" holds both names: the part that is asked for. A comma before a suffix is only a comma.
fn after_or_before_comma(field: Field, raw: &str) -> &str {
    match split(raw) {
        Some((first, _)) if field == Field::FirstName => first,
        Some((_, last)) => last,
        None => raw,
    }
}

/// The first and the last name of "Last, First".
fn split(raw: &str) -> Option<(&str, &str)> {
    let (last, first) = raw.split_once(',')?;
    let (last, first) = (last.trim(), first.trim());
    let start = first.split([' ', ',', '.']).next().unwrap_or_default();
    let suffix = is_suffix(start.to_ascii_uppercase().as_bytes())
        || start.starts_with(|sign: char| sign.is_ascii_digit());
    (!suffix && has_word(last) && has_letter(first)).then_some((first, last))
}

fn has_letter(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
}

fn has_word(text: &str) -> bool {
    text.chars().filter(|sign| sign.is_alphabetic()).count() > 1
}

/// Whether a text seems to hold a first name and a surname: "Lopez, Maria" or "Maria J. Lopez".
///
/// "Maria Lopez" may as well be two surnames or two first names: it is not suspected.
///
/// ```
/// use fairveil_names::looks_like_whole_name;
/// assert!(looks_like_whole_name("Lopez, Maria") && looks_like_whole_name("Maria J. Lopez"));
/// assert!(!looks_like_whole_name("Lopez, Jr.") && !looks_like_whole_name("de la Cruz") && !looks_like_whole_name("Mary J"));
/// ```
pub fn looks_like_whole_name(raw: &str) -> bool {
    // One word is none, and most names are one word.
    if !raw.bytes().any(|byte| matches!(byte, b' ' | b'.' | b',')) {
        return false;
    }
    if split(raw).is_some() {
        return true;
    }
    let words: Vec<&str> = raw
        .split([' ', '.', ','])
        .filter(|word| !word.is_empty() && !is_suffix(word.to_ascii_uppercase().as_bytes()))
        .collect();
    matches!(words.as_slice(), [first, middle, .., last]
        if has_word(first) && has_word(last) && middle.chars().count() == 1 && has_letter(middle)
            && !matches!(*middle, "y" | "Y" | "e" | "E"))
}

/// The first name and the surname of "Lopez, Maria", as they are written; nothing for any other form.
///
/// ```
/// use fairveil_names::split_whole_name;
/// assert_eq!(split_whole_name("de la Cruz, Maria J."), Some(("Maria J.".to_owned(), "de la Cruz".to_owned())));
/// assert_eq!(split_whole_name("Maria Lopez"), None);
/// ```
pub fn split_whole_name(raw: &str) -> Option<(String, String)> {
    split(raw).map(|(first, last)| (first.to_owned(), last.to_owned()))
}

/// The five digits of a ZIP code.
pub(crate) fn zip(raw: &str) -> Result<[u8; 5], Silence> {
    if let Ok(five) = <[u8; 5]>::try_from(raw.as_bytes())
        && five.iter().all(u8::is_ascii_digit)
    {
        return Ok(five);
    }
    let text = raw.trim().as_bytes();
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(length);
    if digits.is_empty() {
        return Err(match words(Field::Surname, raw) {
            Err(Silence::Empty) => Silence::Empty,
            _ => Silence::NotAName,
        });
    }
    let plus_four = |rest: &[u8]| rest.is_empty() || rest.len() == 4 && rest.iter().all(u8::is_ascii_digit);
    let allowed = match rest {
        [] => matches!(length, 3 | 4 | 5 | 9),
        [b'.', zeros @ ..] => matches!(length, 3 | 4 | 5 | 9) && zeros.iter().all(|&byte| byte == b'0'),
        [b'-' | b' ', rest @ ..] => length == 5 && plus_four(rest),
        _ => false,
    };
    if !allowed {
        return Err(Silence::NotAName);
    }
    let mut five = [b'0'; 5];
    let (from, to) = if length < 5 { (5 - length, length) } else { (0, 5) };
    five[from..].copy_from_slice(&digits[..to]);
    Ok(five)
}

/// A text as it is looked up: words of capital letters with single spaces, or five digits.
///
/// Looking up what this returns finds what looking up `raw` finds.
///
/// ```
/// use fairveil_names::{Field, Silence, normalise};
/// assert_eq!(normalise(Field::Surname, "de la Cruz, Jr."), Ok("DE LA CRUZ".to_owned()));
/// assert_eq!(normalise(Field::FirstName, "José M."), Ok("JOSE".to_owned()));
/// assert_eq!(normalise(Field::Zip, "2139.0"), Ok("02139".to_owned()));
/// assert_eq!(normalise(Field::Surname, "n/a"), Err(Silence::Empty));
/// ```
///
/// # Errors
/// Why there is nothing to look up.
pub fn normalise(field: Field, raw: &str) -> Result<String, Silence> {
    match field {
        Field::Zip => zip(raw).map(|five| String::from_utf8_lossy(&five).into_owned()),
        Field::FirstName | Field::Surname => words(field, raw).map(|words| words.spaced()),
    }
}
