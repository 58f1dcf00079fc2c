//! How proxies err: transition matrices as heat maps with numbers.

use super::Plot;
use crate::sentence::{Figure, Sentence};
use crate::svg::{Anchor, Canvas, WIDTH, length};
use crate::table::Table;
use crate::words::EstimatorWords;
use fairveil_core::record::NoiseRecord;

/// The `i`-th matrix of a document; `place` says which rows it is of.
pub(crate) fn matrix(place: Sentence, i: usize, record: &NoiseRecord, transition: &[Vec<f64>]) -> Plot {
    let groups = &record.groups;
    let figure =
        |a: usize, g: usize| Figure::new(Some(transition[a][g]), format!("/noise/{i}/transition/{a}/{g}"));
    let mut table = Table { head: vec![Sentence::of("of group")], rows: Vec::new() };
    table.head.extend(groups.iter().map(|group| Sentence::of("guessed ").name(group)));
    table.head.push(Sentence::of("share of rows"));
    for (a, group) in groups.iter().enumerate().take(transition.len()) {
        let mut cells = vec![Sentence::named(group)];
        cells.extend((0..transition[a].len()).map(|g| Sentence::from(figure(a, g))));
        let share = record.group_shares.as_ref().and_then(|shares| shares.get(a).copied());
        cells.push(Figure::new(share, format!("/noise/{i}/group_shares/{a}")).into());
        table.push(cells);
    }
    let condition = Figure::new(record.condition, format!("/noise/{i}/condition"));
    let reading =
        Sentence::of("A row is a group, a column what proxies guess; on the diagonal they are right. ")
            .text("Undoing these errors magnifies chance about ")
            .number(condition)
            .text(format!(" times. {}", EstimatorWords::of(record.estimator).matrix))
            .text(if record.proxy.is_some() {
                ", for this proxy alone."
            } else {
                ", one matrix for all proxies."
            });
    let whose = match &record.proxy {
        Some(proxy) => Sentence::of("How ").name(proxy).text(" errs in "),
        None => Sentence::of("How the proxies err in "),
    };
    Plot {
        id: format!("matrix-{}", i + 1),
        title: whose.then(place),
        reading,
        key: Sentence::of("Darker is more often."),
        canvas: draw(groups, groups, |a, g| {
            let share = *transition.get(a)?.get(g)?;
            Some((share, figure(a, g).shown(), None))
        }),
        table,
    }
}

/// A number on its colour: strength, text, smaller text.
pub(crate) type Shade = Option<(f64, String, Option<String>)>;

/// Cells of numbers: darker is more.
pub(crate) fn draw(rows: &[String], columns: &[String], shade: impl Fn(usize, usize) -> Shade) -> Canvas {
    // As much room as the longest name takes, and never more than a third.
    let longest = rows.iter().map(|name| length(name)).fold(0.0, f64::max);
    let names = (longest + 14.0).clamp(50.0, WIDTH / 3.0);
    let width = ((WIDTH - names - 4.0) / columns.len().max(1) as f64).min(110.0);
    let height = if width > 60.0 { 44.0 } else { 30.0 };
    // Upright a name has the room of `top`: more than in a narrow column.
    let cut = columns.iter().any(|name| length(name) > width - 4.0);
    let narrow = width < 60.0 || (width < 88.0 && cut);
    let top = if narrow { 92.0 } else { 24.0 };
    let mut canvas = Canvas::new(top + height * rows.len() as f64 + 6.0);
    for (g, name) in columns.iter().enumerate() {
        let x = names + width * (g as f64 + 0.5);
        if narrow {
            canvas.upright("quiet", (x + 4.0, top - 6.0), top - 8.0, name);
        } else {
            canvas.text("quiet", Anchor::Middle, (x, top - 8.0), width - 4.0, name);
        }
    }
    for (a, name) in rows.iter().enumerate() {
        let y = top + height * a as f64;
        canvas.text("", Anchor::Start, (2.0, y + height / 2.0 + 4.5), names - 12.0, name);
        for g in 0..columns.len() {
            let (x, size) = (names + width * g as f64, (width, height));
            let Some((strength, text, smaller)) = shade(a, g) else { continue };
            canvas.cell(strength, (x, y), size);
            let lift = if smaller.is_some() { -3.0 } else { 4.5 };
            canvas.text("bare", Anchor::Middle, (x + width / 2.0, y + height / 2.0 + lift), width, &text);
            if let Some(smaller) = smaller {
                let place = (x + width / 2.0, y + height / 2.0 + 12.0);
                canvas.text("small bare", Anchor::Middle, place, width, &smaller);
            }
        }
    }
    canvas
}
