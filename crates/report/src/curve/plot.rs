//! The gap of a group along all thresholds, and within bands.

use super::{CurveReport, words};
use crate::plot::Plot;
use crate::plot::series::Series;
use crate::sentence::Sentence;
use crate::table::Table;
use fairveil_core::curve::BesideRecord;
use fairveil_core::measures::Estimate;

/// One plot for each group but the reference, of thresholds and of bands.
pub(super) fn plots(report: &CurveReport) -> Vec<Plot> {
    let curve = report.curve;
    let groups = curve.thresholds.first().map_or(&[][..], |one| one.groups.as_slice());
    let compared: Vec<usize> =
        (0..groups.len()).filter(|j| Some(&groups[*j].group) != curve.reference.as_ref()).collect();
    let reference = curve.reference.clone().unwrap_or_default();
    let title = |what: &str, group: &BesideRecord| {
        Sentence::of(what).name(&group.group).text(" less ").name(reference.clone())
    };
    let mut plots = Vec::new();
    for j in compared {
        let points = curve.thresholds.iter().map(|one| (words::threshold(one), one.groups.get(j)));
        plots.push(plot(
            format!("gap-along-thresholds-{}", j + 1),
            title("The gap along all thresholds: ", &groups[j]),
            ("threshold", "/thresholds", j),
            points.collect(),
        ));
        let points: Vec<_> =
            curve.calibration.iter().map(|one| (words::band(one), one.groups.get(j))).collect();
        if !points.is_empty() {
            plots.push(plot(
                format!("labels-within-bands-{}", j + 1),
                title("Positive labels within bands: ", &groups[j]),
                ("band", "/calibration", j),
                points,
            ));
        }
    }
    plots
}

fn plot(
    id: String,
    title: Sentence,
    (first, root, j): (&str, &str, usize),
    points: Vec<(String, Option<&BesideRecord>)>,
) -> Plot {
    let mut table = Table::with_head([first, "less", "interval", "with shared error"]);
    for (i, (name, group)) in points.iter().enumerate() {
        let path = format!("{root}/{i}/groups/{j}/difference");
        let cells = match group {
            Some(group) => crate::monitor::cells(&group.difference, &path),
            None => [Sentence::of("–"), Sentence::default(), Sentence::default()],
        };
        table.push([Sentence::of(name.clone())].into_iter().chain(cells).collect());
    }
    let differences: Vec<(String, Option<&Estimate>)> =
        points.into_iter().map(|(name, group)| (name, group.map(|group| &group.difference))).collect();
    let largest =
        |found: &&(String, Option<&Estimate>)| found.1.and_then(|one| one.value).map_or(0.0, f64::abs);
    let reading = match differences.iter().max_by(|a, b| largest(a).total_cmp(&largest(b))) {
        Some((name, Some(found))) if found.value.is_some() => {
            Sentence::of(format!("Farthest from zero at {first} {name}."))
        }
        _ => Sentence::of("No number can be given here."),
    };
    Plot {
        id,
        title,
        reading,
        key: Sentence::of(
            "Dots: the group less the reference; thick: what chance leaves open; thin: with shared error.",
        ),
        canvas: Series { what: "less the reference", points: differences, limits: vec![0.0], mark: None }
            .draw(),
        table,
    }
}
