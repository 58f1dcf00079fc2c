//! How often intervals of measures by name hold the truth, and how often a monitor alarms.

use fairveil_core::counts::View;
use fairveil_core::measures::Measure;
use fairveil_core::monitor::{Monitor, MonitorSettings, Null, Period};
use fairveil_core::vocabulary::{Class, Group};
use fairveil_core::{Audit, Counts, Criterion, Settings, World};

/// Coverage of the sampling and of the honest interval, in worlds whose proxies err independently and, in one, share.
pub fn print(samples: u64) {
    println!("Intervals of measures by name that hold the truth, %, {samples} samples (sampling / honest)\n");
    println!(
        "| world | rows | difference | adverse impact ratio | odds ratio | impact ratio | shortfall |\n|---|---|---|---|---|---|---|"
    );
    let two = |accuracies: &[f64], gap| World::symmetric(2, 2, accuracies, gap);
    let cells: [(&str, World, u64); 6] = [
        ("two groups, right .8", two(&[0.8; 3], 0.25), 4_000),
        ("two groups, right .65", two(&[0.65; 3], 0.25), 20_000),
        ("two groups, no gap", two(&[0.75; 3], 0.0), 4_000),
        ("two groups, right .9/.75/.65", two(&[0.9, 0.75, 0.65], 0.15), 10_000),
        ("lending, 40 % green", World::lending(), 5_000),
        ("three groups, right .8", World::symmetric(3, 2, &[0.8; 3], 0.3), 8_000),
    ];
    for (name, world, rows) in cells {
        let line = coverage(&world, rows, samples);
        println!("| {name} | {rows} | {} |", line.join(" | "));
    }
}

fn coverage(world: &World, rows: u64, samples: u64) -> Vec<String> {
    let settings = Settings { criteria: vec![Criterion::DemographicParity], ..Settings::default() };
    let truth = world.truth(View::Predictions);
    let mut held = [[0u64; 3]; Measure::ALL.len()];
    for seed in 0..samples {
        let (counts, _) = world.sample(rows, seed).unwrap();
        let audit = Audit::run(&counts, None, &settings).unwrap();
        let record = &audit.measures[0];
        let Some(reference) = &record.reference else { continue };
        let place = |name: &String| Group(audit.input.groups.iter().position(|group| group == name).unwrap());
        let rate = |a: Group| truth.rate(a, None, Class(1)).unwrap();
        let largest = truth.axis().map(rate).fold(0.0, f64::max);
        let beside = rate(place(reference));
        let odds = |rate: f64| rate / (1.0 - rate);
        for group in record.groups.iter().filter(|group| group.group != *reference) {
            let own = rate(place(&group.group));
            let people = truth.share(place(&group.group)).unwrap() * rows as f64;
            let known = [
                own - beside,
                own / beside,
                odds(own) / odds(beside),
                own / largest,
                people * (beside - own),
            ];
            for ((measure, known), held) in Measure::ALL.into_iter().zip(known).zip(&mut held) {
                let found = group.of(measure);
                if let (Some(chance), Some(honest)) = (found.interval, found.honest_interval) {
                    held[0] += 1;
                    held[1] += u64::from(chance.holds(known));
                    held[2] += u64::from(honest.holds(known));
                }
            }
        }
    }
    let share = |[all, chance, honest]: [u64; 3]| {
        let percent = |held: u64| 100.0 * held as f64 / all.max(1) as f64;
        format!("{:.1} / {:.1}", percent(chance), percent(honest))
    };
    held.map(share).to_vec()
}

/// Years of 24 periods: false alarms, and how soon a gap that opens is found.
pub fn print_monitor(years: u64) {
    println!("\nAlarms in {years} years of 24 periods of 1,000 rows, three proxies right .8\n");
    println!(
        "| gap by period | against | years with an alarm | median period of the alarm |\n|---|---|---|---|"
    );
    let steady = |gap: f64| vec![gap; 24];
    let opens: Vec<f64> = (0..24).map(|t| if t < 12 { 0.02 } else { 0.10 }).collect();
    let cells: [(&str, Vec<f64>, Null, Option<f64>); 6] = [
        ("none", steady(0.0), Null::NoGap, None),
        (".05", steady(0.05), Null::Limit, Some(0.05)),
        (".05", steady(0.05), Null::Baseline, None),
        (".02, from period 13 on .10", opens.clone(), Null::NoGap, None),
        (".02, from period 13 on .10", opens.clone(), Null::Limit, Some(0.05)),
        (".02, from period 13 on .10", opens, Null::Baseline, None),
    ];
    for (name, gaps, null, limit) in cells {
        let mut at: Vec<usize> = (0..years).filter_map(|year| alarm(&gaps, null, limit, year)).collect();
        at.sort_unstable();
        let median = at.get(at.len() / 2).map_or("–".into(), |place| (place + 1).to_string());
        let against =
            limit.map_or_else(|| null.name().to_owned(), |limit| format!("{} {limit}", null.name()));
        println!("| {name} | {against} | {:.1} % | {median} |", 100.0 * at.len() as f64 / years as f64);
    }
}

/// The period at whose end there was an alarm.
fn alarm(gaps: &[f64], null: Null, limit: Option<f64>, year: u64) -> Option<usize> {
    let sample = |(t, gap): (usize, &f64)| {
        let world = World::symmetric(2, 2, &[0.8; 3], *gap);
        world.sample(1_000, 100 * year + t as u64).unwrap().0
    };
    let parts: Vec<Counts> = gaps.iter().enumerate().map(sample).collect();
    let whole = together(&parts);
    let period = |(t, counts): (usize, Counts)| Period { name: format!("{t:02}"), counts: Some(counts) };
    let periods: Vec<Period> = parts.into_iter().enumerate().map(period).collect();
    let settings =
        MonitorSettings { criterion: Criterion::DemographicParity, null, limit, audit: Settings::default() };
    let monitor = Monitor::run(&whole, &periods, &settings).unwrap();
    monitor.alarm.map(|alarm| periods.iter().position(|period| period.name == alarm.period).unwrap())
}

/// The rows of all periods.
fn together(parts: &[Counts]) -> Counts {
    use fairveil_core::counts::Row;
    let legend = parts[0].legend().clone();
    let mut rows = fairveil_core::CountsBuilder::new(legend.clone());
    for (cell, tally) in parts.iter().flat_map(Counts::cells) {
        let guesses: Vec<Option<&str>> =
            cell.guesses.iter().map(|guess| guess.map(|guess| legend.group(guess))).collect();
        let prediction = legend.class(cell.stratum.prediction);
        let label = cell.stratum.label.map(|label| legend.class(label));
        // Whole people, one by one.
        for _ in 0..tally.weight.round() as u64 {
            rows.add(&Row { prediction, label, guesses: &guesses, weight: 1.0 }).unwrap();
        }
    }
    rows.finish().unwrap()
}
