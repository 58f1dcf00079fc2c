//! BISG against the CFPB's published output, and from the built-in tables.
#![allow(clippy::unwrap_used, clippy::panic)] // tests may stop at the first surprise

use fairveil_names::{BISG_GROUPS, Bisg, Field, PosteriorProblem, Silence, bifsg, bisg, built_in_named};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A file of the shared data, or nothing, with a message, where it is absent.
fn shared(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("FAIRVEIL_SHARED").map_or(beside, PathBuf::from);
    let found = [folder.join(name), folder.join("data").join(name)].into_iter().find(|path| path.exists());
    if found.is_none() {
        // Written past the test harness, so that a skipped comparison is seen.
        let _ = writeln!(std::io::stderr(), "skipped: {name} is not in {}", folder.display());
    }
    found
}

#[test]
fn the_published_posteriors_are_reproduced() {
    let (Some(rows), Some(national)) =
        (shared("names/bisg_golden.csv"), shared("names/national_2010_over18.csv"))
    else {
        return;
    };
    let mut reader = csv::Reader::from_path(national).unwrap();
    let national: Vec<(String, f64)> = reader.deserialize().collect::<Result<_, _>>().unwrap();
    let national: Vec<f64> =
        BISG_GROUPS.iter().map(|group| national.iter().find(|(name, _)| name == group).unwrap().1).collect();
    let mut reader = csv::Reader::from_path(rows).unwrap();
    let header = reader.headers().unwrap().clone();
    let (mut count, mut worst) = (0, 0.0_f64);
    for record in reader.records() {
        let record = record.unwrap();
        let shares = |prefix: &str| -> Vec<f64> {
            let column =
                |group: &str| header.iter().position(|name| name == format!("{prefix}{group}")).unwrap();
            BISG_GROUPS.iter().map(|group| record[column(group)].parse().unwrap()).collect()
        };
        let posterior = bisg(&shares("name_pr_"), &shares("zip18_geo_pr_"), &national).unwrap();
        for (ours, published) in posterior.iter().zip(shares("zip18_pr_")) {
            worst = worst.max((ours - published).abs());
        }
        count += 1;
    }
    assert_eq!(count, 100);
    // Published with eight digits from inputs of eight digits, the smallest of which are divided by 0.007.
    assert!(worst < 1e-6, "{worst}");
}

#[test]
fn evidence_that_says_nothing_changes_nothing() {
    let (surname, national, first) = ([0.2, 0.3, 0.5], [0.6, 0.3, 0.1], [0.1, 0.2, 0.7]);
    let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-15);
    assert!(close(&bisg(&surname, &national, &national).unwrap(), &surname));
    let place = [0.3, 0.3, 0.4];
    let with = bifsg(&surname, &place, &national, &first, &first).unwrap();
    assert!(close(&with, &bisg(&surname, &place, &national).unwrap()));
}

#[test]
fn groups_can_be_relabelled() {
    let straight = bifsg(&[0.2, 0.8], &[0.3, 0.7], &[0.6, 0.4], &[0.9, 0.1], &[0.5, 0.5]).unwrap();
    let turned = bifsg(&[0.8, 0.2], &[0.7, 0.3], &[0.4, 0.6], &[0.1, 0.9], &[0.5, 0.5]).unwrap();
    assert!((straight[0] - turned[1]).abs() < 1e-15);
}

#[test]
fn contradictions_and_odd_shapes_are_refused() {
    assert_eq!(bisg(&[1.0, 0.0], &[0.0, 1.0], &[0.5, 0.5]), Err(PosteriorProblem::Impossible));
    assert_eq!(bisg(&[0.5, 0.5], &[0.5, 0.5], &[0.0, 1.0]), Err(PosteriorProblem::Impossible));
    assert_eq!(bisg(&[f64::NAN, 0.5], &[0.5, 0.5], &[0.5, 0.5]), Err(PosteriorProblem::Impossible));
    assert_eq!(bisg(&[1.0, 0.0], &[1.0], &[0.5, 0.5]), Err(PosteriorProblem::Groups { found: 1, needed: 2 }));
}

#[test]
fn names_and_places_together_say_more() {
    let bisg = Bisg::new().unwrap();
    let black = |zip, first| bisg.posterior("Washington", zip, first).unwrap()[1];
    // The south-west of Atlanta, and a small place in Maine.
    assert!(black("30310", None) > black("04769", None));
    assert!(black("04769", Some("Lakeisha")) > black("04769", None));
    let sum: f64 = bisg.posterior("Nguyen", "95122", Some("Anh")).unwrap().iter().sum();
    assert!((sum - 1.0).abs() < 1e-12);
    let silent = |field, silence| Err(PosteriorProblem::Silent { field, silence });
    assert_eq!(bisg.posterior("", "30310", None), silent(Field::Surname, Silence::Empty));
    assert_eq!(bisg.posterior("Smith", "SW1A 1AA", None), silent(Field::Zip, Silence::NotAName));
    assert_eq!(bisg.posterior("Smith", "30310", Some("Xqzwv")), silent(Field::FirstName, Silence::Unknown));
}

#[test]
fn five_groups_of_first_names_serve_six() {
    let table = |name| built_in_named(name).unwrap();
    let (surnames, places) = (table("census_2010_surnames"), table("census_2020_zips"));
    let bisg = Bisg::with(surnames.clone(), places.clone(), Some(table("rosenman_first_names"))).unwrap();
    let [without, with] = [None, Some("Mary")].map(|first| bisg.posterior("Begay", "86515", first).unwrap());
    // aian and mult_other share the ratio of other, so their odds do not move.
    assert!((with[4] / with[5] / (without[4] / without[5]) - 1.0).abs() < 1e-9);
    // As surnames, five groups cannot be told apart into six.
    assert!(Bisg::with(table("rosenman_surnames"), places, None).is_err());
}
