//! A simulated table in the shape of the paper's CelebA experiment: 162,770 images of people, one gender classifier that
//! is right for 92.5 %, face embeddings of 128 and 512 numbers, and noise added to the classifier's guesses. Everything
//! is simulated; only the sizes and the accuracies are those of the paper. Prints normalised errors beside the
//! published ones.
//!
//! Images of one person lie near each other, so neighbours are mostly of one gender. Strays lie near a person of the
//! other gender: their share tunes clusterability.

use fairveil_core::counts::{Cell, Intake, ScoreTotals, Tally};
use fairveil_core::privacy::RandomizedResponse;
use fairveil_core::vocabulary::{Class, Group, Guess, Legend, Stratum};
use fairveil_core::world::Truth;
use fairveil_core::{Aggregate, Audit, Basis, Counts, Criterion, Scope, Settings};
use fairveil_neighbors::{Metric, SearchMethod, Vectors, nearest};
use rand_distr::{Distribution, StandardNormal, StandardUniform};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::SeedableRng;
use std::collections::BTreeMap;
use std::path::Path;

const IMAGES: usize = 162_770;
const PEOPLE: usize = 8_192;
/// Noise added to a guess of the first and of the second group, as the rows of the paper's table.
const NOISE: [[f64; 2]; 5] = [[0.0, 0.0], [0.2, 0.0], [0.2, 0.2], [0.4, 0.2], [0.4, 0.4]];
/// Share of the first group (female): the accuracies with noise are then those of the paper.
const FEMALE: f64 = 0.583;
/// `P(smile | group)`.
const SMILE: [f64; 2] = [0.54, 0.40];
/// `P(predicted smile | label, group)`: 90.7 % right in all.
const PREDICTED: [[f64; 2]; 2] = [[0.09, 0.93], [0.06, 0.85]];
/// `P(right guess | group)`: 92.5 % in all.
const RIGHT: [f64; 2] = [0.94, 0.905];
/// Images of one person differ by this much of the distance between people.
const WITHIN: f64 = 0.5;
/// Draws of the noise that are averaged.
const DRAWS: u64 = 5;

struct Images {
    groups: Vec<usize>,
    strata: Vec<Stratum>,
    guesses: Vec<usize>,
    /// The probability that the classifier gives to its guess.
    sure: Vec<f64>,
    neighbors: Vec<[u32; 2]>,
}

/// How the simulated embeddings and mistakes are made.
struct Kind {
    dimensions: usize,
    /// Share of images that lie near a person of the other group.
    strays: f64,
    /// Share of people for whom the classifier decides once, right or wrong, for all their images.
    same_mistake: f64,
}

impl Images {
    /// `known`: the neighbours, where the same embeddings were searched before.
    fn new(kind: &Kind, seed: u64, known: Option<Vec<[u32; 2]>>) -> Self {
        let mut random = Pcg64::seed_from_u64(seed);
        let even = |random: &mut Pcg64| -> f64 { StandardUniform.sample(random) };
        let person_group: Vec<usize> =
            (0..PEOPLE).map(|_| usize::from(even(&mut random) >= FEMALE)).collect();
        let same: Vec<Option<bool>> = (person_group.iter())
            .map(|a| {
                let decided = even(&mut random) < kind.same_mistake;
                let right = even(&mut random) < RIGHT[*a];
                decided.then_some(right)
            })
            .collect();
        let normal = |random: &mut Pcg64| -> f32 { StandardNormal.sample(random) };
        let faces: Vec<f32> = (0..PEOPLE * kind.dimensions).map(|_| normal(&mut random)).collect();
        let mut images = Images {
            groups: Vec::new(),
            strata: Vec::new(),
            guesses: Vec::new(),
            sure: Vec::new(),
            neighbors: Vec::new(),
        };
        let mut embeddings = Vec::with_capacity(IMAGES * kind.dimensions);
        for _ in 0..IMAGES {
            let person = (even(&mut random) * PEOPLE as f64) as usize;
            let a = person_group[person];
            let label = usize::from(even(&mut random) < SMILE[a]);
            let predicted = usize::from(even(&mut random) < PREDICTED[a][label]);
            let lucky = even(&mut random) < RIGHT[a];
            let right = same[person].unwrap_or(lucky);
            // More often sure where it is right, as classifiers are.
            let sure = 0.5 + 0.5 * even(&mut random).powf(if right { 0.1 } else { 0.35 });
            images.groups.push(a);
            images.strata.push(Stratum { label: Some(Class(label)), prediction: Class(predicted) });
            images.guesses.push(if right { a } else { 1 - a });
            images.sure.push(sure);
            let mut near = person;
            if even(&mut random) < kind.strays {
                while person_group[near] == a {
                    near = (even(&mut random) * PEOPLE as f64) as usize;
                }
            }
            let face = &faces[near * kind.dimensions..][..kind.dimensions];
            embeddings.extend(face.iter().map(|x| x + WITHIN as f32 * normal(&mut random)));
        }
        images.neighbors = known.unwrap_or_else(|| {
            let vectors = Vectors::new(embeddings, kind.dimensions, Metric::Cosine).unwrap();
            nearest(&vectors, SearchMethod::Exact, &|_, _| {}).nearest
        });
        images
    }

    /// The share of rows whose two neighbours are of their group.
    fn clusterability(&self) -> f64 {
        let alike =
            |row: &usize| self.neighbors[*row].iter().all(|n| self.groups[*n as usize] == self.groups[*row]);
        (0..IMAGES).filter(alike).count() as f64 / IMAGES as f64
    }

    /// The audit of guesses with noise added, and how often they are then right.
    fn audit(&self, noise: [f64; 2], seed: u64) -> (Audit, f64) {
        let mut random = Pcg64::seed_from_u64(seed);
        let [first, second] = noise;
        // No noise at all is no mechanism; a matrix is all that is needed here.
        let told =
            RandomizedResponse::new(vec![vec![1.0 - first, first], vec![second, 1.0 - second]]).unwrap();
        let told: Vec<usize> = (self.guesses.iter())
            .map(|guess| told.tell(Guess(*guess), StandardUniform.sample(&mut random)).0)
            .collect();
        let mut legend = Legend::plain(2, 2, 3, true);
        legend.groups = vec!["female".into(), "male".into()];
        for proxy in &mut legend.proxies[1..] {
            proxy.lent_by = Some("proxy_1".into());
        }
        let mut truth = Truth::default();
        let mut cells: BTreeMap<Cell, Tally> = BTreeMap::new();
        for row in 0..IMAGES {
            let [one, two] = self.neighbors[row].map(|n| n as usize);
            let guesses = [row, one, two].map(|place| Some(Guess(told[place]))).into();
            let tally = cells.entry(Cell { stratum: self.strata[row], guesses }).or_default();
            tally.weight += 1.0;
            let scores =
                tally.scores.get_or_insert_with(|| ScoreTotals { totals: vec![0.0; 2].into(), weight: 0.0 });
            scores.totals[told[row]] += self.sure[row];
            scores.totals[1 - told[row]] += 1.0 - self.sure[row];
            scores.weight += 1.0;
            truth.add(self.strata[row], Group(self.groups[row]), 1.0);
        }
        let intake = Intake { rows: IMAGES as u64, ..Intake::default() };
        let counts = Counts::new(legend, intake, cells).unwrap();
        let settings = Settings { n_boot: 0, ..Settings::default() };
        let right = told.iter().zip(&self.groups).filter(|(told, group)| told == group).count();
        (Audit::run(&counts, Some(&truth), &settings).unwrap(), right as f64 / IMAGES as f64)
    }
}

const METHODS: [&str; 4] = ["base", "soft", "global", "local"];
const CRITERIA: [(Criterion, &str); 3] = [
    (Criterion::DemographicParity, "dp"),
    (Criterion::EqualizedOdds, "eod"),
    (Criterion::EqualOpportunity, "eop"),
];

/// Normalised errors in percent, by criterion and method.
fn errors(audit: &Audit) -> [[Option<f64>; 4]; 3] {
    CRITERIA.map(|(criterion, _)| {
        METHODS.map(|method| {
            let found = audit.results.iter().find(|r| {
                let same = match method {
                    "base" => r.origin.basis == Basis::Proxy,
                    "soft" => r.origin.basis == Basis::Soft,
                    "global" => {
                        r.origin.estimator == Some(fairveil_core::Estimator::Hoc)
                            && r.origin.scope == Some(Scope::Global)
                    }
                    _ => {
                        r.origin.estimator == Some(fairveil_core::Estimator::Hoc)
                            && r.origin.scope == Some(Scope::Local)
                    }
                };
                same && r.criterion == criterion && r.aggregate == Aggregate::MeanPairwise
            });
            found?.errors.as_ref()?.normalized_error.map(|error| 100.0 * error)
        })
    })
}

/// The published rows: features, noise, criterion, method, and the normalised error in percent.
fn published(path: &Path) -> Option<BTreeMap<(String, String, String, String), f64>> {
    let text = std::fs::read_to_string(path).ok()?;
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let [features, first, second, criterion, method, quantity, value] = fields[..] else { return None };
        let noise = format!("{first},{second}");
        let key = (features.into(), noise, criterion.into(), method.into());
        (quantity == "normalized_error_pct").then_some((key, value.parse().ok()?))
    };
    Some(text.lines().skip(1).filter_map(row).collect())
}

/// Prints all tables; whether calibration beats Base on every row with noise where neighbours are mostly alike.
pub fn print(path: &Path) -> bool {
    let published = published(path);
    if published.is_none() {
        println!("{} is absent: no published rows beside", path.display());
    }
    println!(
        "Simulated. Normalised error in %, mean over {DRAWS} draws of the noise; published values in brackets."
    );
    let mut beaten = true;
    for (dimensions, name) in [(128, "Facenet"), (512, "Facenet512")] {
        let mut before: Option<(f64, Vec<[u32; 2]>)> = None;
        for (strays, same_mistake) in [(0.0, 0.0), (0.05, 0.0), (0.008, 0.0), (0.008, 1.0)] {
            // Who errs on whom does not move anyone.
            let known = before.filter(|(same, _)| *same == strays).map(|(_, neighbors)| neighbors);
            let images = Images::new(&Kind { dimensions, strays, same_mistake }, 7, known);
            before = Some((strays, images.neighbors.clone()));
            let clusterability = images.clusterability();
            let mistakes = if same_mistake > 0.0 {
                "the classifier errs alike on all images of a person"
            } else {
                "the classifier's own mistakes are independent"
            };
            println!(
                "\n{dimensions} numbers, clusterability {:.1} %, {mistakes} ({name} in brackets)",
                100.0 * clusterability
            );
            println!("{:>10} {:>8} | {:^51} | {:^51} | {:^51}", "noise", "right", "dp", "eod", "eop");
            let heads: Vec<String> = METHODS.iter().map(|method| format!("{method:>12}")).collect();
            let heads = heads.join(" ");
            println!("{:>19} | {heads} | {heads} | {heads}", "");
            for noise in NOISE {
                let drawn: Vec<(Audit, f64)> = (0..DRAWS).map(|seed| images.audit(noise, seed)).collect();
                let right = drawn.iter().map(|(_, right)| right).sum::<f64>() / DRAWS as f64;
                let drawn: Vec<[[Option<f64>; 4]; 3]> =
                    drawn.iter().map(|(audit, _)| errors(audit)).collect();
                let mut line =
                    format!("{:>10} {:>7.2}%", format!("[{}, {}]", noise[0], noise[1]), 100.0 * right);
                for (c, (_, criterion)) in CRITERIA.iter().enumerate() {
                    line += " |";
                    let mean = |m: usize| -> Option<f64> {
                        let all: Option<Vec<f64>> = drawn.iter().map(|errors| errors[c][m]).collect();
                        all.map(|all| all.iter().sum::<f64>() / DRAWS as f64)
                    };
                    for (m, method) in METHODS.iter().enumerate() {
                        let ours = mean(m).map_or("none".into(), |error| format!("{error:.1}"));
                        let noise = format!("{:?},{:?}", noise[0], noise[1]);
                        let key = (name.to_string(), noise, (*criterion).to_string(), (*method).to_string());
                        let theirs = published.as_ref().and_then(|rows| rows.get(&key));
                        let both = theirs.map_or(ours.clone(), |theirs| format!("{ours} ({theirs:.1})"));
                        line += &format!(" {both:>12}");
                    }
                    let base = mean(0).unwrap_or(f64::INFINITY);
                    let best = mean(2).unwrap_or(f64::INFINITY).min(mean(3).unwrap_or(f64::INFINITY));
                    let counts = noise != [0.0, 0.0] && clusterability >= 0.97 && same_mistake == 0.0;
                    if counts && best >= base {
                        println!("  not beaten: {criterion} at {noise:?}: {best:.1} against {base:.1}");
                        beaten = false;
                    }
                }
                println!("{line}");
            }
        }
    }
    println!(
        "\nWith independent mistakes, noise added and clusterability of at least 97 %, Global or Local beats Base on every row: {}",
        if beaten { "yes" } else { "NO" }
    );
    beaten
}
