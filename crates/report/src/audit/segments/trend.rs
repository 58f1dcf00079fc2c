//! Segments whose names are numbers or dates, in their order: each gap with its intervals, joined by a thin line.

use super::Segment;
use crate::measured::{Measured, reported};
use crate::plot::rows::{Estimate, upright_axis};
use crate::plot::{Plot, id};
use crate::sentence::{Sentence, capital};
use crate::svg::{Anchor, Canvas, Scale, WIDTH, length};
use crate::table::{Row, Table};
use fairveil_core::Criterion;

/// Where segments stand on a line, where all their names are numbers, or all are dates.
fn places(labels: &[&str]) -> Option<Vec<f64>> {
    let all = |place: fn(&str) -> Option<f64>| -> Option<Vec<f64>> {
        labels.iter().map(|label| place(label.trim())).collect()
    };
    let number = |label: &str| label.parse().ok().filter(|number: &f64| number.is_finite());
    let places = all(number).or_else(|| all(date))?;
    let first = places.first()?;
    places.iter().any(|place| place != first).then_some(places)
}

/// `YYYY`, `YYYY-MM` or `YYYY-MM-DD` in years. Months are taken as equally long: a day or two off, and in order.
fn date(label: &str) -> Option<f64> {
    let part = |text: &str, letters: usize, most: u32| {
        let digits = text.len() == letters && text.bytes().all(|byte| byte.is_ascii_digit());
        let number: u32 = text.parse().ok().filter(|_| digits)?;
        (number <= most).then_some(f64::from(number))
    };
    let from_one = |text: &str, most: u32| part(text, 2, most).filter(|number| *number >= 1.0);
    let parts: Vec<&str> = label.split('-').collect();
    let year = part(parts.first()?, 4, 9999)?;
    match parts[1..] {
        [] => Some(year),
        [month] => Some(year + (from_one(month, 12)? - 1.0) / 12.0),
        [month, day] => Some(year + (from_one(month, 12)? - 1.0) / 12.0 + (from_one(day, 31)? - 1.0) / 372.0),
        _ => None,
    }
}

/// A segment on the line.
struct Point<'a> {
    place: f64,
    name: &'a str,
    result: Option<Measured<'a>>,
}

/// The gap over the segments. Nothing where their names have no order.
pub(crate) fn trend(criterion: Criterion, by: &str, segments: &[Segment]) -> Option<Plot> {
    let labels: Vec<&str> = segments.iter().map(|segment| segment.name.as_str()).collect();
    let places = places(&labels)?;
    let mut order: Vec<usize> = (0..segments.len()).collect();
    order.sort_by(|a, b| places[*a].total_cmp(&places[*b]));
    let point = |i: &usize| Point {
        place: places[*i],
        name: &segments[*i].name,
        result: reported(segments[*i].audit, criterion),
    };
    let points: Vec<Point> = order.iter().map(point).collect();
    let mut table = Table::with_head(["segment", "gap", "interval", "honest range"]);
    for (i, point) in order.iter().zip(&points) {
        let of = |shown: fn(&Measured) -> Sentence| point.result.as_ref().map_or(Sentence::of("–"), shown);
        let cells = vec![
            Sentence::named(point.name),
            of(|result| result.value().into()),
            of(|result| result.sampling()),
            of(|result| result.honest()),
        ];
        table.rows.push(Row { cells, strong: false, segment: Some(*i) });
    }
    let missing = points.iter().filter(|point| point.result.is_none()).count();
    let key = "Dots: estimates, joined in their order; thick: sampling error; thin: honest range.";
    let none = match missing {
        0 => String::new(),
        1 => " One segment has no number.".into(),
        n => format!(" {n} segments have no number."),
    };
    Some(Plot {
        id: format!("trend-{}", id(criterion)),
        title: Sentence::of(format!("{}: the gap in order of ", capital(criterion.words()))).name(by),
        reading: Sentence::of(format!(
            "Every segment was audited on its own: a change that stays inside the bars may be chance.{none}"
        )),
        key: Sentence::of(key),
        canvas: draw(by, &points),
        table: table.even(),
    })
}

const LEFT: f64 = 40.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 220.0;
/// More points than this are drawn smaller.
const MANY: usize = 40;

fn draw(by: &str, points: &[Point]) -> Canvas {
    let mut canvas = Canvas::new(BOTTOM + 42.0);
    let known = || points.iter().filter_map(|point| Some((point.place, point.result.as_ref()?)));
    let values: Vec<f64> = known().flat_map(|(_, result)| Estimate::of(result).held(false)).collect();
    // Wide intervals belong to the picture; boundless ones would flatten all the rest and leave it with an arrow.
    let most = 2.0 * values.iter().copied().fold(0.0, f64::max);
    let reaches = known().filter_map(|(_, result)| Some(result.reach()?.1)).filter(|high| *high <= most);
    let y = Scale::around(values.iter().copied().chain(reaches), (BOTTOM, TOP));
    let (first, last) = (points.first().map_or(0.0, |p| p.place), points.last().map_or(1.0, |p| p.place));
    let x = Scale { domain: (first, last), range: (LEFT + 16.0, WIDTH - 20.0) };
    upright_axis(&mut canvas, &y, LEFT, WIDTH - 4.0);
    canvas.text("small", Anchor::Start, (2.0, TOP - 9.0), 200.0, "largest gap");
    canvas.text("small", Anchor::Start, (LEFT, BOTTOM + 33.0), WIDTH - LEFT, by);
    names(&mut canvas, &x, points);
    let line = known().filter_map(|(place, result)| Some((x.at(place), y.at(result.value?))));
    canvas.polyline("joined", &line.collect::<Vec<_>>());
    let (thick, dot) = if points.len() > MANY { (1.5, 2.2) } else { (3.0, 3.8) };
    let inside = |value: f64| y.at(value.clamp(y.domain.0, y.domain.1));
    for (place, result) in known() {
        let at = x.at(place);
        if let Some((low, high)) = result.reach() {
            let top = inside(high);
            canvas.line("reach-strong", (at, inside(low)), (at, top));
            if !y.holds(high) {
                canvas.polyline("reach-strong", &[(at - 4.0, top + 5.0), (at, top), (at + 4.0, top + 5.0)]);
            }
        }
        if let Some((low, high)) = result.ends() {
            let (low, high) = (inside(low), inside(high));
            canvas.rect("bar-strong", (at - thick, high), (2.0 * thick, low - high));
        }
        if let Some(value) = result.value {
            canvas.circle("dot-strong", (at, inside(value)), dot);
        }
    }
    canvas
}

/// Names along the axis: the first, the last and those between that have room.
fn names(canvas: &mut Canvas, x: &Scale, points: &[Point]) {
    let room = |name: &str| length(name).min(90.0);
    let place = |point: &Point| {
        let half = room(point.name) / 2.0;
        x.at(point.place).clamp(half + 2.0, WIDTH - half - 2.0)
    };
    let mut taken: Vec<(f64, f64)> = Vec::new();
    let last = points.len().saturating_sub(1);
    for i in [0, last].into_iter().chain(1..last) {
        let (at, half) = (place(&points[i]), room(points[i].name) / 2.0);
        if taken.iter().all(|(other, wide)| (at - other).abs() > half + wide + 8.0) {
            taken.push((at, half));
            canvas.text("small", Anchor::Middle, (at, BOTTOM + 15.0), 90.0, points[i].name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_dates_have_an_order_and_names_have_none() {
        assert_eq!(places(&["2019", "2021", "2020"]), Some(vec![2019.0, 2021.0, 2020.0]));
        assert_eq!(places(&["10", "9.5", "-1"]), Some(vec![10.0, 9.5, -1.0]));
        let dates = places(&["2019-12-31", "2020-01-01", "2020-02", "2021"]).unwrap_or_default();
        assert!(dates.len() == 4 && dates.windows(2).all(|two| two[0] < two[1]), "{dates:?}");
        for labels in
            [["north", "1"], ["2019-13", "2019-01"], ["2019-00", "2019-01"], ["7", "7"], ["nan", "1"]]
        {
            assert_eq!(places(&labels), None, "{labels:?}");
        }
        assert_eq!(places(&["2019-1", "2019-02"]), None);
    }
}
