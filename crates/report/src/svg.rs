//! A small SVG layer: shapes from plain numbers, classes instead of colours, text that cannot become markup.
//!
//! Drawn 460 units wide, so that 13-unit letters stay readable on a telephone (390 px) and calm on a desk. Colours come
//! from `plot.css`, which follows the reader's light or dark setting; nothing depends on colour alone.

use crate::sentence::clean;
use maud::{Markup, PreEscaped, html};
use std::fmt::Write;

/// The width of every plot.
pub(crate) const WIDTH: f64 = 460.0;

/// The colours and letters of plots, for the page and for plots in files of their own.
pub(crate) const STYLE: &str = include_str!("plot/plot.css");

/// Shapes in the order they are painted.
#[derive(Debug, Clone)]
pub(crate) struct Canvas {
    pub height: f64,
    body: String,
}

/// Where a text is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        }
    }
}

impl Canvas {
    pub fn new(height: f64) -> Self {
        Canvas { height, body: String::new() }
    }

    fn push(&mut self, shape: Markup) {
        self.body += &shape.into_string();
    }

    pub fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        self.push(html! { line class=(class) x1=(n(x1)) y1=(n(y1)) x2=(n(x2)) y2=(n(y2)) {} });
    }

    pub fn rect(&mut self, class: &str, (x, y): (f64, f64), (width, height): (f64, f64)) {
        self.push(html! { rect class=(class) x=(n(x)) y=(n(y)) width=(n(width)) height=(n(height)) {} });
    }

    /// A cell whose strength, from 0 to 1, is how strongly it is coloured. The text on it stays readable: it is never
    /// painted more than half.
    pub fn cell(&mut self, strength: f64, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let opacity = format!("{:.2}", 0.04 + 0.46 * strength.clamp(0.0, 1.0));
        self.push(html! {
            rect class="heat" fill-opacity=(opacity) x=(n(x)) y=(n(y)) width=(n(width)) height=(n(height)) {}
        });
    }

    pub fn circle(&mut self, class: &str, (x, y): (f64, f64), radius: f64) {
        self.push(html! { circle class=(class) cx=(n(x)) cy=(n(y)) r=(n(radius)) {} });
    }

    /// An open line through the points.
    pub fn polyline(&mut self, class: &str, points: &[(f64, f64)]) {
        self.push(html! { polyline class=(class) points=(joined(points)) {} });
    }

    /// A text of at most `room` units; what is longer ends in an ellipsis and shows whole on hovering.
    pub fn text(&mut self, class: &str, anchor: Anchor, (x, y): (f64, f64), room: f64, text: &str) {
        let text = clean(text);
        let short = shortened(&text, room);
        self.push(html! {
            text class=(class) x=(n(x)) y=(n(y)) text-anchor=(anchor.name()) {
                (short)
                @if short != text { title { (text) } }
            }
        });
    }

    /// A text that runs upwards from its place, for the heads of narrow columns.
    pub fn upright(&mut self, class: &str, (x, y): (f64, f64), room: f64, text: &str) {
        let text = clean(text);
        let short = shortened(&text, room);
        let turn = format!("rotate(-90 {} {})", n(x), n(y));
        self.push(html! {
            text class=(class) x=(n(x)) y=(n(y)) transform=(turn) {
                (short)
                @if short != text { title { (text) } }
            }
        });
    }

    /// The plot as part of a page. `id` must be the only one of its name there.
    pub fn inline(&self, id: &str, title: &str, description: &str) -> Markup {
        self.element(id, title, description, None)
    }

    /// The plot as a file of its own, with its style and its background.
    pub fn file(&self, id: &str, title: &str, description: &str) -> String {
        let own = html! {
            style { (PreEscaped(STYLE)) }
            rect class="paper" width="100%" height="100%" {}
        };
        self.element(id, title, description, Some(own)).into_string() + "\n"
    }

    fn element(&self, id: &str, title: &str, description: &str, own: Option<Markup>) -> Markup {
        let (title_id, description_id) = (format!("{id}-title"), format!("{id}-description"));
        let names = format!("{title_id} {description_id}");
        let view = format!("0 0 {WIDTH} {}", n(self.height));
        html! {
            svg xmlns="http://www.w3.org/2000/svg" class="plot" id=(id) viewBox=(view) role="img" aria-labelledby=(names)
                width=(WIDTH) height=(n(self.height))
            {
                title id=(title_id) { (clean(title)) }
                desc id=(description_id) { (clean(description)) }
                @if let Some(own) = own { (own) }
                (PreEscaped(&self.body))
            }
        }
    }
}

/// One decimal is finer than any screen.
fn n(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0 + 0.0;
    format!("{rounded}")
}

fn joined(points: &[(f64, f64)]) -> String {
    points.iter().fold(String::new(), |mut out, (x, y)| {
        let _ = write!(out, "{}{},{}", if out.is_empty() { "" } else { " " }, n(*x), n(*y));
        out
    })
}

/// Units that a letter takes at 13 units, generously: fonts differ.
fn letter(letter: char) -> f64 {
    match letter {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' => 4.0,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 12.0,
        'A'..='Z' => 9.2,
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => 0.0,
        '\u{2066}'..='\u{2069}' | '\u{fe00}'..='\u{fe0f}' => 0.0,
        // Ideographs, emoji and everything else beyond the alphabets.
        '\u{1100}'.. => 14.5,
        _ => 7.6,
    }
}

/// Units that a text takes, generously.
pub(crate) fn length(text: &str) -> f64 {
    text.chars().map(letter).sum()
}

/// The text, or as much of its beginning as fits, with an ellipsis.
fn shortened(text: &str, room: f64) -> String {
    if length(text) <= room {
        return text.to_owned();
    }
    let mut left = room - 10.0;
    let fits = |c: &char| {
        left -= letter(*c);
        left >= 0.0
    };
    text.chars().take_while(fits).collect::<String>() + "…"
}

/// From data to places on the canvas.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    pub domain: (f64, f64),
    pub range: (f64, f64),
}

impl Scale {
    /// From zero, or below it where the data go there, to the first round number past the data.
    pub fn around(values: impl IntoIterator<Item = f64>, range: (f64, f64)) -> Self {
        let (mut low, mut high) = (0.0f64, 0.0f64);
        for value in values.into_iter().filter(|value| value.is_finite()) {
            (low, high) = (low.min(value), high.max(value));
        }
        if high - low <= 0.0 {
            high = 0.1;
        }
        let step = step(high - low);
        Scale { domain: ((low / step).floor() * step, (high / step).ceil() * step), range }
    }

    /// Around the data alone, between round numbers: for dots, which unlike bars need no zero.
    pub fn near(values: impl IntoIterator<Item = f64>, range: (f64, f64)) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.into_iter().filter(|value| value.is_finite()) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            return Scale::around([], range);
        }
        // Narrower than this a difference is for the table.
        if high - low < 0.02 {
            (low, high) = (low - 0.01, high + 0.01);
        }
        let step = step(high - low);
        Scale { domain: ((low / step).floor() * step, (high / step).ceil() * step), range }
    }

    pub fn at(&self, value: f64) -> f64 {
        let share = (value - self.domain.0) / (self.domain.1 - self.domain.0);
        self.range.0 + share * (self.range.1 - self.range.0)
    }

    pub fn holds(&self, value: f64) -> bool {
        (self.domain.0..=self.domain.1).contains(&value)
    }

    /// Round numbers along the scale, and how many decimals they need.
    pub fn ticks(&self) -> (Vec<f64>, usize) {
        let step = step(self.domain.1 - self.domain.0);
        let first = (self.domain.0 / step).round() as i64;
        let last = (self.domain.1 / step + 1e-9).floor() as i64;
        // A gap of thousands can only come from broken rates; its scale is still finite.
        let ticks = (first..=last.min(first + 20)).map(|i| i as f64 * step).collect();
        (ticks, (-step.log10().floor()).clamp(0.0, 6.0) as usize)
    }
}

/// 1, 2 or 5 times a power of ten, so that a scale has four to eight steps.
fn step(length: f64) -> f64 {
    let power = 10f64.powf((length / 5.0).log10().floor());
    let wanted = length / 5.0 / power;
    power * [1.0, 2.0, 5.0].into_iter().find(|nice| *nice >= wanted - 1e-9).unwrap_or(10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_starts_at_zero_and_ends_on_a_round_number_past_the_data() {
        let scale = Scale::around([0.13, 0.327], (0.0, 100.0));
        assert!((scale.domain.0, (scale.domain.1 - 0.4).abs() < 1e-12) == (0.0, true));
        let (ticks, decimals) = scale.ticks();
        let shown: Vec<String> = ticks.iter().map(|tick| format!("{tick:.decimals$}")).collect();
        assert_eq!(shown, ["0.0", "0.1", "0.2", "0.3", "0.4"]);
    }

    #[test]
    fn nothing_to_show_and_negative_rates_still_make_a_scale() {
        assert!(Scale::around([], (0.0, 1.0)).domain.1 > 0.0);
        let scale = Scale::around([-0.07, 1.2, f64::NAN, f64::INFINITY], (0.0, 1.0));
        assert!(scale.domain.0 <= -0.07 && scale.domain.1 >= 1.2 && scale.at(0.0) > 0.0);
    }

    #[test]
    fn a_scale_near_the_data_leaves_zero_out_and_is_never_empty() {
        let scale = Scale::near([0.76, 0.848], (0.0, 1.0));
        assert!(scale.domain.0 > 0.7 && scale.domain.1 < 0.9 && scale.holds(0.76) && scale.holds(0.848));
        for values in [vec![], vec![f64::NAN], vec![0.5], vec![1.0, 1.0]] {
            let scale = Scale::near(values.clone(), (0.0, 1.0));
            assert!(scale.domain.0 < scale.domain.1 && scale.at(0.5).is_finite(), "{values:?}");
        }
    }

    #[test]
    fn long_names_end_in_an_ellipsis_and_keep_their_whole_in_a_title() {
        let mut canvas = Canvas::new(10.0);
        canvas.text("label", Anchor::Start, (0.0, 0.0), 100.0, &"x".repeat(200));
        assert!(canvas.body.contains('…') && canvas.body.contains(&"x".repeat(200)), "{}", canvas.body);
    }

    #[test]
    fn names_cannot_become_markup() {
        let mut canvas = Canvas::new(10.0);
        canvas.text("label", Anchor::Start, (0.0, 0.0), 900.0, "</text><script>alert(1)</script>\u{0}");
        assert!(!canvas.body.contains("<script") && !canvas.body.contains('\u{0}'), "{}", canvas.body);
    }
}
