//! Sentences as pieces: our own words, names from the table, and numbers. The screen, Markdown and the page print the
//! same sentence, each in its own way: a name cannot become markup, and a number keeps all its digits behind those shown.

/// A number, where it stands in the JSON, and how sure it is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figure {
    pub value: Option<f64>,
    /// A JSON pointer into the document; nothing where the number itself is not in it.
    pub path: Option<String>,
    /// The interval that says how many digits mean anything.
    pub ends: Option<(f64, f64)>,
    pub unit: Unit,
    /// Decimals that it has in common with the numbers beside it.
    pub digits: Option<usize>,
}

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A gap, a rate or a share.
    Plain,
    /// A share as a percentage.
    Percent,
    /// A chance that may be tiny.
    PValue,
    /// A whole number, or a weight.
    Count,
    /// A chance from draws as a percentage, never quite certain.
    Chance,
    /// The chance that it is otherwise: one minus the number.
    Otherwise,
}

impl Figure {
    /// Three decimals: of the size of a gap, and without an interval of its own.
    pub const GAP: Option<(f64, f64)> = Some((0.0, 0.002));

    /// A number of the JSON. What is not a number has none.
    pub fn new(value: Option<f64>, path: impl Into<String>) -> Self {
        Figure { path: Some(path.into()), ..Figure::bare(value) }
    }

    /// A number that the JSON does not have as it is.
    pub fn bare(value: Option<f64>) -> Self {
        let value = value.filter(|value| value.is_finite());
        Figure { value, path: None, ends: None, unit: Unit::Plain, digits: None }
    }

    pub fn count(value: u64, path: impl Into<String>) -> Self {
        Figure::new(Some(value as f64), path).unit(Unit::Count)
    }

    pub fn within(self, ends: Option<(f64, f64)>) -> Self {
        Figure { ends, ..self }
    }

    pub fn unit(self, unit: Unit) -> Self {
        Figure { unit, ..self }
    }

    /// Only the digits that the interval supports.
    pub fn shown(&self) -> String {
        match (self.value, self.unit) {
            (None, _) => "–".into(),
            (Some(value), Unit::Plain) => fixed(value, self.supported()),
            (Some(value), Unit::Percent) if value > 10.0 => "more than 1,000 %".into(),
            (Some(value), Unit::Percent) => format!("{} %", fixed(100.0 * value, 0)),
            (Some(p), Unit::PValue) if p < 1e-4 => "below 0.0001".into(),
            (Some(p), Unit::PValue) => fixed(p, 4),
            (Some(value), Unit::Count) => thousands(value),
            (Some(chance), Unit::Chance) => percent(chance),
            (Some(chance), Unit::Otherwise) => percent(1.0 - chance),
        }
    }

    /// Decimals that its interval supports, or those of its neighbours.
    fn supported(&self) -> usize {
        self.digits.unwrap_or_else(|| self.ends.map_or(FEWEST, decimals))
    }

    /// As in a table of the terminal: three decimals, so that columns line up.
    fn in_columns(&self) -> String {
        match self.unit {
            Unit::Plain => number(self.value),
            _ => self.shown(),
        }
    }
}

/// A rate is read as a percentage: two decimals say no more than that.
const FEWEST: usize = 2;

/// Decimals that keep one digit of the interval's width, and at least two.
pub(crate) fn decimals((low, high): (f64, f64)) -> usize {
    let width = high - low;
    if width > 0.0 { (-width.log10()).ceil().clamp(FEWEST as f64, 4.0) as usize } else { 3 }
}

/// Three decimals; a dash where there is no number.
pub(crate) fn number(value: Option<f64>) -> String {
    value.map_or("–".into(), |value| fixed(value, 3))
}

/// Rounded half away from zero, without a negative zero.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    let scale = 10f64.powi(decimals as i32);
    format!("{:.decimals$}", (value * scale).round() / scale + 0.0)
}

pub(crate) fn thousands(value: f64) -> String {
    let whole = format!("{:.0}", value.trunc());
    let mut out = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    let rest = value.fract();
    if rest == 0.0 { out } else { out + &format!("{rest:.2}")[1..] }
}

/// A chance from draws is never quite certain.
fn percent(chance: f64) -> String {
    match fixed(100.0 * chance, 0).as_str() {
        "100" => "more than 99 %".into(),
        "0" => "less than 1 %".into(),
        whole => format!("{whole} %"),
    }
}

/// One piece of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Piece {
    /// Our words.
    Text(String),
    /// A name from the table: anything at all may stand in it.
    Name(String),
    Number(Figure),
    /// Words for those who want the term behind the plain ones, set smaller where that is possible.
    Small(String),
}

/// A sentence, a label or the cell of a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Sentence(pub Vec<Piece>);

impl Sentence {
    pub fn of(text: impl Into<String>) -> Self {
        Sentence(vec![Piece::Text(text.into())])
    }

    pub fn named(name: impl Into<String>) -> Self {
        Sentence(vec![Piece::Name(name.into())])
    }

    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.0.push(Piece::Text(text.into()));
        self
    }

    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.0.push(Piece::Name(name.into()));
        self
    }

    pub fn small(mut self, text: impl Into<String>) -> Self {
        self.0.push(Piece::Small(text.into()));
        self
    }

    pub fn number(mut self, figure: Figure) -> Self {
        self.0.push(Piece::Number(figure));
        self
    }

    pub fn then(mut self, other: Sentence) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Words of our own in which `{place}` stands for one of the parts. Names are never searched for places.
    pub fn filled(words: &'static str, parts: &[(&str, Sentence)]) -> Self {
        let mut sentence = Sentence::default();
        let mut rest = words;
        while let Some((before, (place, after))) =
            rest.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
        {
            let part = parts.iter().find(|(name, _)| *name == place).map(|(_, part)| part.clone());
            sentence = sentence.text(before).then(part.unwrap_or_default());
            rest = after;
        }
        sentence.text(rest)
    }

    /// Both ends of an interval, `0.22 to 0.26`, to the digits that the second one supports; nothing where there is none.
    pub fn range(ends: Option<(f64, f64)>, digits: Option<(f64, f64)>, path: &str) -> Self {
        Sentence::between(ends, digits, [format!("{path}/low"), format!("{path}/high")])
    }

    /// The same where the JSON has the ends at other places.
    pub fn between(ends: Option<(f64, f64)>, digits: Option<(f64, f64)>, paths: [String; 2]) -> Self {
        let Some((low, high)) = ends else { return Sentence::default() };
        let [low, high] = [low, high].map(|end| Figure::bare(Some(end)).within(digits.or(ends)));
        let [first, last] = paths.map(Some);
        Sentence::from(Figure { path: first, ..low }).text(" to ").number(Figure { path: last, ..high })
    }

    /// The same where its audit is part of a larger document: `root` is where that stands in the JSON.
    pub fn under(mut self, root: &str) -> Self {
        for piece in &mut self.0 {
            if let Piece::Number(Figure { path: Some(path), .. }) = piece {
                path.insert_str(0, root);
            }
        }
        self
    }

    /// The sentence at the beginning of a paragraph.
    pub fn capital(mut self) -> Self {
        if let Some(Piece::Text(text)) = self.0.first_mut() {
            *text = capital(text);
        }
        self
    }

    /// For the terminal: three decimals.
    pub fn in_columns(&self) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) | Piece::Name(text) | Piece::Small(text) => text.clone(),
            Piece::Number(figure) => figure.in_columns(),
        };
        self.0.iter().map(piece).collect()
    }

    /// For labels of plots and for screen readers: the digits that the interval supports.
    pub fn plain(&self) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) | Piece::Small(text) => text.clone(),
            Piece::Name(name) => isolated(name),
            Piece::Number(figure) => figure.shown(),
        };
        clean(&self.0.iter().map(piece).collect::<String>())
    }

    /// The same number of decimals in all its numbers: as many as the one with the fewest has.
    pub fn even(mut self) -> Self {
        even([&mut self]);
        self
    }

    pub fn is_number(&self) -> bool {
        self.0.iter().any(|piece| matches!(piece, Piece::Number(_)))
    }
}

/// The same number of decimals in all numbers that stand side by side: as many as the one with the fewest has.
pub(crate) fn even<'a>(sentences: impl IntoIterator<Item = &'a mut Sentence>) {
    let pieces = sentences.into_iter().flat_map(|sentence| &mut sentence.0);
    let mut figures: Vec<&mut Figure> = pieces
        .filter_map(|piece| match piece {
            Piece::Number(figure) if figure.unit == Unit::Plain && figure.value.is_some() => Some(figure),
            _ => None,
        })
        .collect();
    let fewest = figures.iter().map(|figure| figure.supported()).min();
    figures.iter_mut().for_each(|figure| figure.digits = fewest);
}

impl From<Figure> for Sentence {
    fn from(figure: Figure) -> Self {
        Sentence(vec![Piece::Number(figure)])
    }
}

/// A name whose direction does not reach the text around it: what runs from right to left, or says that it does, is
/// set between the marks that Unicode has for it.
fn isolated(name: &str) -> String {
    if name.is_ascii() { name.to_owned() } else { format!("\u{2068}{name}\u{2069}") }
}

/// Control characters shown as a mark: XML forbids them and a page does not need them.
pub(crate) fn clean(text: &str) -> String {
    let safe = |letter: char| if letter.is_control() { char::REPLACEMENT_CHARACTER } else { letter };
    text.chars().map(safe).collect()
}

/// The first letter in upper case.
pub(crate) fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_shows_only_the_digits_that_its_interval_supports() {
        let shown = |value, low, high| Figure::bare(Some(value)).within(Some((low, high))).shown();
        assert_eq!(shown(0.23976, 0.2211, 0.2583), "0.24");
        assert_eq!(shown(0.13846, 0.1247, 0.1527), "0.14");
        assert_eq!(shown(0.63655, 0.6332, 0.6416), "0.637");
        // Wide as it is, a rate keeps two decimals, and no number claims more than four.
        assert_eq!(shown(0.4, 0.0, 1.0), "0.40");
        assert_eq!(shown(0.5, 0.499999, 0.500001), "0.5000");
        assert_eq!(shown(-0.0004, -0.01, 0.02), "0.00");
    }

    #[test]
    fn numbers_side_by_side_have_the_same_number_of_decimals() {
        let number = |value, low, high| Figure::bare(Some(value)).within(Some((low, high)));
        let sentence = Sentence::from(number(0.3724, 0.3701, 0.3745)).text(" beside ");
        let sentence = sentence.number(number(0.45, 0.40, 0.50));
        assert_eq!(sentence.plain(), "0.372 beside 0.45");
        assert_eq!(sentence.even().plain(), "0.37 beside 0.45");
    }

    #[test]
    fn a_share_of_next_to_nothing_is_not_told_to_the_digit() {
        assert_eq!(Figure::bare(Some(3298.82)).unit(Unit::Percent).shown(), "more than 1,000 %");
        assert_eq!(Figure::bare(Some(0.31)).unit(Unit::Percent).shown(), "31 %");
    }

    #[test]
    fn a_chance_from_draws_is_never_certain() {
        let shown = |chance, unit| Figure::bare(Some(chance)).unit(unit).shown();
        assert_eq!(shown(1.0, Unit::Chance), "more than 99 %");
        assert_eq!(shown(0.995, Unit::Chance), "more than 99 %");
        assert_eq!(shown(0.03, Unit::Otherwise), "97 %");
        assert_eq!(shown(0.001, Unit::Chance), "less than 1 %");
    }

    #[test]
    fn what_has_no_number_is_a_dash() {
        assert_eq!(Figure::bare(None).shown(), "–");
    }
}
