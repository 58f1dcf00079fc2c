//! Segments side by side: intervals that know how many there are, and gaps drawn towards their mean.

use fairveil_core::counts::Row;
use fairveil_core::segments::{Segment, TogetherRecord};
use fairveil_core::{Counts, CountsBuilder, Criterion, Settings, World};

/// Segments of so many rows of a world with this gap, and all of them together.
fn segments(gaps: &[f64], rows: u64, seed: u64) -> (Counts, Vec<Segment>) {
    let sample = |(s, gap): (usize, &f64)| {
        let counts = World::symmetric(2, 2, &[0.8; 3], *gap).sample(rows, 1_000 * seed + s as u64).unwrap().0;
        Segment { values: vec![format!("{s:02}")], pooled: None, counts, truth: None }
    };
    let parts: Vec<Segment> = gaps.iter().enumerate().map(sample).collect();
    let legend = parts[0].counts.legend().clone();
    let mut all = CountsBuilder::new(legend.clone());
    for (cell, tally) in parts.iter().flat_map(|part| part.counts.cells()) {
        let guesses: Vec<Option<&str>> =
            cell.guesses.iter().map(|guess| guess.map(|guess| legend.group(guess))).collect();
        let prediction = legend.class(cell.stratum.prediction);
        let label = cell.stratum.label.map(|label| legend.class(label));
        for _ in 0..tally.weight as u64 {
            all.add(&Row { prediction, label, guesses: &guesses, weight: 1.0 }).unwrap();
        }
    }
    (all.finish().unwrap(), parts)
}

fn together(gaps: &[f64], rows: u64, seed: u64) -> TogetherRecord {
    let (counts, parts) = segments(gaps, rows, seed);
    let settings = Settings { reference: Some("group 1".into()), ..Settings::default() };
    TogetherRecord::run(&counts, &parts, Criterion::DemographicParity, &settings).unwrap()
}

#[test]
fn all_intervals_hold_at_once_and_pooled_gaps_are_nearer() {
    let gaps = [0.1; 20];
    let (mut all, mut own, mut pooled) = (0, 0.0, 0.0);
    let years = 20;
    for seed in 0..years {
        let found = together(&gaps, 500, seed);
        assert_eq!(found.segments, 20);
        assert!((found.confidence_of_each - 0.9975).abs() < 1e-12);
        let segments = &found.gaps[0].segments;
        let holds = |one: &fairveil_core::segments::SegmentGap| {
            one.own.interval.unwrap().holds(0.1) && one.pooled.interval.unwrap().holds(0.1)
        };
        all += usize::from(segments.iter().all(holds));
        for one in segments {
            own += (one.own.value.unwrap() - 0.1).powi(2);
            pooled += (one.pooled.value.unwrap() - 0.1).powi(2);
        }
    }
    // 95 % of 20, less three standard errors of 4.9 %.
    assert!(all >= 16, "{all}");
    // METHODS 12.8: .068 alone, .033 drawn together.
    assert!((pooled / own).sqrt() < 0.6, "{own} {pooled}");
}

#[test]
fn a_segment_that_stands_out_still_does() {
    let mut gaps = [0.05; 12];
    gaps[7] = 0.45;
    let found = together(&gaps, 3_000, 1);
    let gap = &found.gaps[0];
    let out = gap.segments[7].pooled.value.unwrap();
    assert!((out - 0.45).abs() < 0.06, "{out}");
    assert!(gap.spread.unwrap() > 0.05 && gap.mean.as_ref().unwrap().value.unwrap() < 0.15);
    assert!(gap.segments[7].pooled.interval.unwrap().low > gap.segments[0].pooled.interval.unwrap().high);
}

#[test]
fn two_segments_are_compared_and_not_pooled() {
    let found = together(&[0.1, 0.2], 4_000, 1);
    let one = &found.gaps[0].segments[0];
    assert!(one.own.value.is_some() && one.pooled.value.is_none());
    assert!(one.pooled.unavailable.as_ref().unwrap().contains("three segments"));
}
