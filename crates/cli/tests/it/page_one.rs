//! The answer, first and short: one screen, one sheet, in the words that were asked for.

use crate::cli::Place;

const AUDIT: &str = "audit loans.csv --y-pred approved --y-true repaid --proxy surname --proxy first_name --proxy zip --n-boot 100";

fn lending() -> Place {
    let place = Place::new();
    assert_eq!(place.run("simulate --lending --rows 4000 --seed 7 -o loans.csv").code, 0);
    place
}

#[test]
fn one_screen_is_printed_and_all_of_it_on_demand() {
    let place = lending();
    let short = place.run(AUDIT);
    assert!(short.stdout.lines().count() <= 40, "{}", short.stdout);
    assert!(short.stdout.contains("green is selected less often than blue"), "{}", short.stdout);
    assert!(short.stdout.contains("Of 1,000 people in each of the two groups, about"), "{}", short.stdout);
    let full = place.run(&format!("{AUDIT} --full"));
    assert!(
        full.stdout.contains("mean gap") && full.stdout.contains("How the proxies err"),
        "{}",
        full.stdout
    );
    assert_eq!(full.stdout, place.run(&format!("{AUDIT} --verbose")).stdout);
    let adverse = place.run(&format!("{AUDIT} --selected-is adverse --json a.json"));
    assert!(adverse.stdout.contains("blue is flagged more often than green"), "{}", adverse.stdout);
    assert!(place.read("a.json").contains("\"selected_is\": \"adverse\""));
}

#[test]
fn a_sheet_and_a_page_name_files_without_their_folders() {
    let place = lending();
    let folder = place.folder.path().to_string_lossy().into_owned();
    let line = AUDIT.replace("loans.csv", &format!("{folder}/loans.csv"));
    let forms = format!(
        "--brief {folder}/sheet.html --html page.html --markdown page.md --title Loans --date 2026-01-31"
    );
    assert_eq!(place.run(&format!("{line} {forms}")).code, 0);
    for name in ["sheet.html", "page.html", "page.md"] {
        let text = place.read(name);
        assert!(text.contains("Loans") && text.contains("loans.csv"), "{name}");
        assert!(!text.contains(&folder), "{name}");
    }
    assert_eq!(place.run(&format!("{line} {forms} --full-paths")).code, 0);
    assert!(place.read("page.html").contains(&folder));
}

#[test]
fn labels_may_have_names_of_their_own() {
    let place = lending();
    let plain = place.read("loans.csv");
    let renamed: String = plain
        .lines()
        .enumerate()
        .map(|(i, line)| match line.split(',').collect::<Vec<_>>().as_slice() {
            [approved, repaid, rest @ ..] if i > 0 => {
                let decided = if *approved == "1" { "granted" } else { "denied" };
                let outcome = if *repaid == "1" { "back" } else { "lost" };
                format!("{decided},{outcome},{}\n", rest.join(","))
            }
            _ => format!("{line}\n"),
        })
        .collect();
    place.file("named.csv", &renamed);
    let line = AUDIT.replace("loans.csv", "named.csv");
    let said = place.run(&format!("{line} --positive granted"));
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains("--positive-label"), "{}", said.stderr);
    let gaps = |line: &str| -> Vec<f64> {
        let seen = place.run(&format!("{line} --json -"));
        let audit: serde_json::Value = serde_json::from_str(&seen.stdout).unwrap();
        audit["results"].as_array().unwrap().iter().filter_map(|one| one["value"].as_f64()).collect()
    };
    let named = format!("{line} --positive granted --positive-label back");
    let (one, other) = (gaps(&named), gaps(AUDIT));
    // Classes are in another order, which moves sums in their last digits.
    assert!(
        one.len() == other.len() && one.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-6),
        "{one:?} {other:?}"
    );
    assert!(place.run(&named).stdout.contains("repaid = back"));
    assert!(!place.run(&named).stdout.contains("labels look inverted"));
    let turned = place.run(&format!("{line} --positive granted --positive-label lost"));
    assert!(turned.stdout.contains("D18: labels look inverted"), "{}", turned.stdout);
    let unknown = place.run(&format!("{line} --positive granted --positive-label nothing"));
    assert!(unknown.code == 2 && unknown.stderr.contains("`back`, `lost`"), "{}", unknown.stderr);
}
