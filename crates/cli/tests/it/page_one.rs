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

#[test]
fn page_one_always_says_what_would_settle_it_and_fits_its_columns() {
    let place = Place::new();
    for (name, made) in [("two", "--proxies 2 --rows 4000"), ("five", "--groups 5 --rows 20000")] {
        assert_eq!(place.run(&format!("simulate {made} -o {name}.csv")).code, 0);
        let text = place.run(&format!("audit {name}.csv --n-boot 100")).stdout;
        assert!(text.contains("What would settle it: "), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert!(text.lines().count() <= 40, "{text}");
    }
    // Nothing is said of a third proxy where there are two.
    let full = place.run("audit two.csv --n-boot 100 --full --markdown two.md");
    for text in [full.stdout, place.read("two.md")] {
        assert!(!text.contains("three proxies") && !text.contains("Three proxies"), "{text}");
    }
    let few = place.run("explain P03").stdout;
    assert!(few.starts_with("P03 · fewer than three proxies, and nothing else shows how they err"), "{few}");
}

#[test]
fn proxies_that_contradict_each_other_are_said_to() {
    let place = Place::new();
    assert_eq!(place.run("simulate --rows 4000 -o plain.csv").code, 0);
    let swapped: String = (place.read("plain.csv").lines())
        .map(|line| {
            let mut fields: Vec<&str> = line.split(',').collect();
            fields[3] = match fields[3] {
                "group 1" => "group 2",
                "group 2" => "group 1",
                other => other,
            };
            fields.join(",") + "\n"
        })
        .collect();
    place.file("swapped.csv", &swapped);
    let text = place.run("audit swapped.csv --proxy proxy_1,proxy_2 --n-boot 0").stdout;
    assert!(text.contains("these proxies contradict each other"), "{text}");
    let text = place.run("audit swapped.csv --n-boot 0").stdout;
    assert!(text.contains("Check how proxy_2 codes the groups"), "{text}");
    assert!(!text.contains("standard errors"), "{text}");
}
