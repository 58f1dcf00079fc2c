//! Audits of every shape that a page must carry.

use fairveil_core::bounds::MaxProxyError;
use fairveil_core::compare::{Candidate, PairedCell};
use fairveil_core::counts::{Cell, Intake, OutcomeColumn, OutcomeTotals, Tally};
use fairveil_core::estimate::{AuditLabels, Given, GivenNoise, Population};
use fairveil_core::noise::TransitionMatrix;
use fairveil_core::vocabulary::{Class, Group, Legend, Stratum};
use fairveil_core::world::{Truth, WorldStratum};
use fairveil_core::{Audit, Comparison, Counts, Criterion, Estimator, EstimatorChoice, Settings, World};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// One page: what it is called and what it shows.
pub struct Case {
    pub name: &'static str,
    pub audit: Audit,
}

fn audit(counts: &Counts, truth: Option<&Truth>) -> Audit {
    Audit::run(counts, truth, &Settings { n_boot: 200, ..Settings::default() }).unwrap()
}

fn sampled(world: &World, rows: u64) -> Audit {
    audit(&world.sample(rows, 0).unwrap().0, None)
}

/// The same tally under another legend, cells changed on the way.
fn changed(counts: &Counts, legend: Legend, change: impl Fn(Cell) -> Cell) -> Counts {
    let cells = counts.cells().map(|(cell, tally)| (change(cell.clone()), tally.clone()));
    let intake = Intake { rows: counts.intake().rows, ..Intake::default() };
    Counts::new(legend, intake, cells).unwrap()
}

fn without_labels() -> Audit {
    let (counts, _) = World::lending().sample(5_000, 0).unwrap();
    let legend = Legend { label: None, ..counts.legend().clone() };
    let bare = |cell: Cell| Cell { stratum: Stratum { label: None, ..cell.stratum }, ..cell };
    audit(&changed(&counts, legend, bare), None)
}

/// Proxies that know nothing about people with one decision and one label.
fn one_stratum_of_noise() -> Audit {
    let world = World::symmetric(2, 2, &[0.8; 3], 0.25);
    let part = |part: &WorldStratum| {
        let blind = part.stratum == Stratum { label: Some(Class(0)), prediction: Class(1) };
        let right = if blind { 0.5 } else { 0.8 };
        WorldStratum { noise: vec![TransitionMatrix::symmetric(2, right); 3], ..part.clone() }
    };
    let strata = world.strata().iter().map(part).collect();
    sampled(&World::new(world.legend().clone(), strata).unwrap(), 20_000)
}

/// Names that would run, break out, turn the text around or burst the layout.
pub const HOSTILE: [&str; 8] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "קבוצה א׳ (עברית) \u{202e}turned",
    "👩‍👩‍👧‍👦 émojis 🏳️‍🌈",
    "</title></style></svg><script>alert(2)</script>",
    "&lt;b&gt; {{7*7}} ${x} ' onload='alert(3)",
    "]]><!--<iframe src=https://example.invalid>",
    "javascript:alert(4)",
];

pub fn hostile() -> Audit {
    let world = World::symmetric(5, 3, &[0.7, 0.72, 0.74], 0.4);
    let (counts, _) = world.sample(20_000, 0).unwrap();
    let mut legend = counts.legend().clone();
    let long = "w".repeat(200);
    legend.groups = HOSTILE[..4].iter().map(|name| name.to_string()).chain([long.clone()]).collect();
    legend.classes = HOSTILE[4..7].iter().map(|name| name.to_string()).collect();
    legend.prediction = HOSTILE[7].into();
    legend.label = Some(format!("{long} with spaces {long}"));
    for (proxy, name) in legend.proxies.iter_mut().zip([HOSTILE[0], HOSTILE[1], &long]) {
        proxy.name = name.into();
        proxy.source = Some(HOSTILE[2].into());
    }
    audit(&changed(&counts, legend, |cell| cell), None)
}

fn with_truth() -> Audit {
    let (counts, truth) = World::lending().sample(20_000, 0).unwrap();
    audit(&counts, Some(&truth))
}

/// Prices that follow decisions and what the first proxy guesses; some people have none.
fn with_outcome() -> Audit {
    let (counts, _) = World::lending().sample(8_000, 0).unwrap();
    let priced = |(cell, tally): (&Cell, &Tally)| {
        let guess = cell.guesses[0].map_or(0, |guess| guess.0);
        let (mean, weight) =
            (9_000.0 + 700.0 * cell.stratum.prediction.0 as f64 + 400.0 * guess as f64, 0.9 * tally.weight);
        let squares = weight * (mean * mean + 1_500.0 * 1_500.0);
        let outcome = Some(OutcomeTotals { weight, sum: weight * mean, squares });
        (cell.clone(), Tally { outcome, ..tally.clone() })
    };
    let outcome = Some(OutcomeColumn { column: "price".into(), missing: 800 });
    let intake = Intake { outcome, ..counts.intake().clone() };
    audit(&Counts::new(counts.legend().clone(), intake, counts.cells().map(priced)).unwrap(), None)
}

fn without_intervals() -> Audit {
    let (counts, _) = World::lending().sample(5_000, 0).unwrap();
    Audit::run(&counts, None, &Settings { n_boot: 0, ..Settings::default() }).unwrap()
}

/// Proxies that share mistakes, and 400 rows whose group is known.
fn audit_sample() -> Audit {
    let world = World::lending().with_copying(0.3).unwrap();
    let (counts, _) = world.sample(10_000, 0).unwrap();
    let mut labels = AuditLabels::new(Population::Same);
    for person in world.people(0).take(400) {
        labels.add(Some(person.stratum), person.guesses, person.group, 1, 1.0);
    }
    audit(&counts.with_audit_labels(labels), None)
}

/// Proxies that err each at rates of its own, and shares of the groups known from elsewhere.
fn bounds_and_own_errors() -> Audit {
    let (counts, _) = World::symmetric(2, 2, &[0.9, 0.75, 0.65], 0.3).sample(20_000, 0).unwrap();
    let proxy = counts.legend().proxies[0].name.as_str();
    let settings = Settings {
        n_boot: 200,
        estimator: EstimatorChoice::Fixed(Estimator::LatentClass),
        known_shares: Some(vec![0.5, 0.5]),
        max_proxy_error: vec![MaxProxyError::of(proxy, 0.15), MaxProxyError::of_all(0.4)],
        ..Settings::default()
    };
    Audit::run(&counts, None, &settings).unwrap()
}

fn given() -> Audit {
    let (counts, _) = World::symmetric(2, 2, &[0.8], 0.25).sample(5_000, 0).unwrap();
    let noise = GivenNoise { stratum: None, transition: TransitionMatrix::flips(0.2), group_shares: None };
    let given = Some(Given { noise: vec![noise] });
    Audit::run(&counts, None, &Settings { n_boot: 200, given, ..Settings::default() }).unwrap()
}

/// Every shape of page that shows one audit.
pub fn cases() -> &'static [Case] {
    static CASES: LazyLock<Vec<Case>> = LazyLock::new(made);
    &CASES
}

fn made() -> Vec<Case> {
    let case = |name, audit| Case { name, audit };
    vec![
        case("two-groups", sampled(&World::lending(), 5_000)),
        case("five-groups", sampled(&World::symmetric(5, 2, &[0.75; 4], 0.4), 20_000)),
        case("three-classes", sampled(&World::symmetric(2, 3, &[0.8; 3], 0.25), 20_000)),
        case("no-label", without_labels()),
        case("local-infeasible", one_stratum_of_noise()),
        case("nothing-feasible", sampled(&World::symmetric(3, 2, &[0.34; 3], 0.25), 2_000)),
        case("one-proxy", sampled(&World::symmetric(2, 2, &[0.8], 0.25), 2_000)),
        case("many-of-all", sampled(&World::symmetric(12, 2, &[0.8; 14], 0.3), 5_000)),
        case("without-intervals", without_intervals()),
        case("truth", with_truth()),
        case("audit-sample", audit_sample()),
        case("bounds", bounds_and_own_errors()),
        case("given", given()),
        case("outcome", with_outcome()),
        case("hostile", hostile()),
    ]
}

/// Many segments with gaps of their own, one of them too small to say anything.
pub fn segments(count: usize) -> Vec<(String, Audit)> {
    let settings =
        Settings { n_boot: 100, criteria: vec![Criterion::DemographicParity], ..Settings::default() };
    let one = |i: usize| {
        let gap = 0.6 * ((i * 37) % count) as f64 / count as f64 - 0.1;
        let rows = if i == 7 { 40 } else { 1_500 };
        let (counts, _) = World::symmetric(2, 2, &[0.8; 3], gap).sample(rows, i as u64).unwrap();
        let name = if i == 3 { HOSTILE[1].to_string() } else { format!("branch {i}") };
        (name, Audit::run(&counts, None, &settings).unwrap())
    };
    (0..count).map(one).collect()
}

/// Models on the same people: the first decides as the world does, each further one gives more people of one group what
/// they were refused. With `names` of one's own.
pub fn compared(names: &[&str], truth: bool, n_boot: usize) -> Comparison {
    let world = World::lending();
    let models = names.len();
    let mut cells: BTreeMap<PairedCell, f64> = BTreeMap::new();
    let mut truths = vec![Truth::default(); models];
    for (i, person) in world.people(0).take(8_000).enumerate() {
        let turned = |model: usize| person.group == Group(0) && i % 12 < 2 * model;
        let decide = |model: usize| if turned(model) { Class(1) } else { person.stratum.prediction };
        let predictions: Vec<Class> = (0..models).map(decide).collect();
        for (truth, prediction) in truths.iter_mut().zip(&predictions) {
            truth.add(Stratum { prediction: *prediction, ..person.stratum }, person.group, 1.0);
        }
        let cell = PairedCell { predictions, label: person.stratum.label, guesses: person.guesses };
        *cells.entry(cell).or_default() += 1.0;
    }
    let of_model = |model: usize| {
        let legend = Legend { prediction: names[model].into(), ..world.legend().clone() };
        let intake = Intake { rows: 8_000, ..Intake::default() };
        let cells = cells.iter().map(|(row, weight)| {
            let stratum = Stratum { label: row.label, prediction: row.predictions[model] };
            (Cell { stratum, guesses: row.guesses.clone() }, Tally::of(*weight))
        });
        Counts::new(legend, intake, cells).unwrap()
    };
    let counts: Vec<Counts> = (0..models).map(of_model).collect();
    let candidate = |(counts, known)| Candidate { counts, truth: Some(known).filter(|_| truth) };
    let candidates: Vec<Candidate> = counts.iter().zip(&truths).map(candidate).collect();
    let rows: Vec<(PairedCell, f64)> = cells.clone().into_iter().collect();
    Comparison::run(&candidates, &rows, &Settings { n_boot, ..Settings::default() }).unwrap()
}

/// Every shape of page that shows several models.
pub fn comparisons() -> &'static [(&'static str, Comparison)] {
    static CASES: LazyLock<Vec<(&'static str, Comparison)>> = LazyLock::new(|| {
        vec![
            ("compare-two", compared(&["old", "new"], true, 200)),
            ("compare-four", compared(&["first", "second", "third", "fourth"], false, 200)),
            ("compare-hostile", compared(&[HOSTILE[0], HOSTILE[1], HOSTILE[2], &"w".repeat(200)], true, 0)),
        ]
    });
    &CASES
}

/// Months in no order, the gap growing over them.
pub fn months() -> Vec<(String, Audit)> {
    let one = |i: u64| {
        let gap = 0.05 + 0.03 * i as f64;
        let (counts, _) = World::symmetric(2, 2, &[0.8; 3], gap).sample(3_000, i).unwrap();
        let label = format!("{}-{:02}", 2024 + i / 6, 1 + 2 * (i % 6));
        (label, Audit::run(&counts, None, &Settings { n_boot: 100, ..Settings::default() }).unwrap())
    };
    [4, 0, 7, 2, 1, 3, 6, 5].into_iter().map(one).collect()
}
