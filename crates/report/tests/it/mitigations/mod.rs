//! Reports of mitigations: the numbers of the JSON, nothing that could run, and no verdict.

mod records;

use crate::page::{about, distinct_ids, elements, no_verdict, numbers, rounds_to, stays_text, write};
use fairveil_core::Aggregate;
use fairveil_core::mitigate::MitigationRecord;
use fairveil_report::{MitigationReport, PlotFile, Report, Style};
use records::cases;
use serde_json::Value;
use std::time::{Duration, Instant};

const CITED: &str = "Weak Proxies are Sufficient and Preferable for Fairness";

fn report(record: &MitigationRecord) -> MitigationReport<'_> {
    MitigationReport { record, about: about("data/people.csv") }
}

fn page(record: &MitigationRecord) -> String {
    report(record).html()
}

fn document(record: &MitigationRecord) -> Value {
    serde_json::from_str(&report(record).json().unwrap()).unwrap()
}

fn markdown(record: &MitigationRecord) -> String {
    report(record).markdown()
}

fn screen(record: &MitigationRecord) -> String {
    report(record).text(Style::Plain)
}

#[test]
fn every_number_of_a_mitigation_is_the_number_in_the_json() {
    for case in cases() {
        let (record, document, page) = (&case.record, document(&case.record), page(&case.record));
        let numbers = numbers(&page);
        for (path, exact, shown) in &numbers {
            let known = document.pointer(path).and_then(Value::as_f64);
            assert_eq!(known, Some(*exact), "{}: {path}", case.name);
            assert!(rounds_to(shown, *exact), "{}: {path}: {shown} for {exact}", case.name);
        }
        // And none is left out.
        let shown =
            |path: &str| assert!(numbers.iter().any(|(other, ..)| *other == path), "{}: {path}", case.name);
        for (name, side) in [("before", &record.before), ("after", &record.after)] {
            for (i, result) in side.results.iter().enumerate() {
                if result.aggregate != Aggregate::Ratio && result.value.is_some() {
                    shown(&format!("/{name}/results/{i}/value"));
                    result.interval.iter().for_each(|_| shown(&format!("/{name}/results/{i}/interval/high")));
                    let honest = format!("/{name}/results/{i}/honest_interval/high");
                    result.honest_interval.iter().for_each(|_| shown(&honest));
                }
            }
            for path in ["accuracy/value", "accuracy/low", "positive_rate/high"] {
                shown(&format!("/{name}/{path}"));
            }
            side.binned_gap.iter().for_each(|_| shown(&format!("/{name}/binned_gap/value")));
            side.true_gap.iter().for_each(|_| shown(&format!("/{name}/true_gap")));
            let rate = if record.criterion.needs_labels() { "true_positive_rate" } else { "selection_rate" };
            for i in 0..side.rates.as_ref().map_or(0, |rates| rates.groups.len()) {
                shown(&format!("/{name}/rates/groups/{i}/{rate}"));
            }
        }
        for (i, point) in record.curve.iter().enumerate() {
            shown(&format!("/curve/{i}/accuracy"));
            point.gap.iter().for_each(|_| shown(&format!("/curve/{i}/gap")));
        }
        for i in 0..record.multipliers.len() {
            shown(&format!("/multipliers/{i}/value"));
            shown(&format!("/multipliers/{i}/gap"));
        }
        for (i, change) in record.criteria.iter().enumerate() {
            change.before.iter().for_each(|_| shown(&format!("/criteria/{i}/before")));
            change.after.iter().for_each(|_| shown(&format!("/criteria/{i}/after")));
            change.wider_by.iter().for_each(|_| shown(&format!("/criteria/{i}/wider_by/value")));
            change.true_after.iter().for_each(|_| shown(&format!("/criteria/{i}/true_after")));
        }
        shown("/operating_point/cut");
        record.drift.iter().for_each(|_| shown("/drift/p_value"));
        ["/constant/accuracy", "/settings/tolerance", "/input/rows_fitted"].into_iter().for_each(shown);
    }
}

#[test]
fn the_json_of_a_mitigation_meets_the_published_schema() {
    let schema =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/fairveil.mitigation-1.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for case in cases() {
        let document = document(&case.record);
        let problem = |error: jsonschema::ValidationError| format!("{}: {error}", error.instance_path());
        let problems: Vec<String> = validator.iter_errors(&document).map(problem).collect();
        assert!(problems.is_empty(), "{}: {problems:?}", case.name);
        // The schema is strict: what it does not name is refused, and what it names must be there.
        for place in ["", "/input", "/settings", "/before", "/after/results/0", "/constant"] {
            let mut wrong = document.clone();
            wrong.pointer_mut(place).unwrap()["surprise"] = 1.into();
            assert!(!validator.is_valid(&wrong), "{}: {place}", case.name);
        }
        let mut short = document.clone();
        short.as_object_mut().unwrap().remove("after");
        assert!(!validator.is_valid(&short));
    }
}

#[test]
fn the_answer_says_before_after_and_what_deciding_alike_would_give() {
    let record = records::two_groups();
    let text = screen(&record).split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "Demographic parity: on 12,211 held-out rows, the calibrated gap was 0.183 (95 % interval 0.164 to 0.203; 0.164 to 0.229 \
         if up to 50 % of the proxies' agreement is shared error) before and is 0.012 (0.000 to 0.031; 0.000 to 0.058) after.",
        "Accuracy was 0.848 (0.842 to 0.855) and is 0.825 (0.818 to 0.832); deciding 0 for everyone would give 0.759.",
        "A calibrated gap of zero on these rows is not a true gap of zero",
        "Decided positive were 0.210 and are 0.210; the share of the decisions before was to be kept.",
        "The gap in equal opportunity is wider: it was 0.118 and is 0.295.",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("not clearly more often right"));
}

#[test]
fn a_rule_that_is_no_better_than_deciding_alike_is_called_that() {
    let case = cases().into_iter().find(|case| case.name == "mitigation-missing").unwrap();
    for report in [page(&case.record), markdown(&case.record)] {
        assert!(report.contains("not clearly right more often than one decision for everyone"));
    }
}

#[test]
fn a_missing_number_shows_its_reason() {
    let case = cases().into_iter().find(|case| case.name == "mitigation-missing").unwrap();
    for report in [page(&case.record), markdown(&case.record), screen(&case.record)] {
        let report = report.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(report.contains("after, there is no number: fewer than 3 proxies guess."), "{report}");
        assert!(!report.contains("NaN"));
    }
    let page = page(&case.record);
    // One estimate is of all rows, however many bins were asked for.
    assert!(page.contains("the fitted rows: ") && !page.contains("bin 1 of the score"));
    assert!(
        page.contains("the proxies hardly agree beyond chance")
            && page.contains("too few rows with three guesses")
    );
    let case = cases().into_iter().find(|case| case.name == "mitigation-without-labels").unwrap();
    for report in [self::page(&case.record), markdown(&case.record), screen(&case.record)] {
        assert!(report.contains("no column holds a score"));
        assert!(report.contains("There are no labels"));
    }
}

#[test]
fn a_mitigation_keeps_the_rules_of_every_page() {
    for case in cases() {
        let record = &case.record;
        let once = || {
            let start = Instant::now();
            let page = page(record);
            (start.elapsed(), page.len())
        };
        let (time, size) = (0..5).map(|_| once()).min().unwrap();
        println!("{}: {} KB in {:.1} ms", case.name, size / 1000, time.as_secs_f64() * 1e3);
        assert!(size <= 400_000, "{}: {size} bytes", case.name);
        assert!(time < Duration::from_millis(100), "{}: {time:?}", case.name);
        let page = page(record);
        assert!(page.contains("default-src 'none'") && !page.contains(">NaN"), "{}", case.name);
        for tag in elements(&page) {
            let name = tag.split_whitespace().next().unwrap_or_default();
            assert!(!["script", "img", "iframe", "b"].contains(&name), "{}: <{tag}>", case.name);
            let link = tag.split_once(" href=\"").map(|(_, link)| link);
            assert!(link.is_none_or(|link| link.starts_with('#')), "<{tag}>");
        }
        distinct_ids(case.name, &page);
        stays_text(&markdown(record));
        for report in [page.replace(CITED, ""), markdown(record), screen(record)] {
            no_verdict(case.name, &report);
        }
        let plots = report(record).plots();
        assert_eq!(page.matches("<svg").count(), plots.len(), "{}", case.name);
        for PlotFile { name, svg: text } in &plots {
            let id = name.strip_suffix(".svg").unwrap();
            assert!(page.contains(&format!("aria-labelledby=\"{id}-title {id}-description\"")), "{name}");
            assert!(text.starts_with("<svg") && text.contains("<title") && text.contains("<desc"), "{name}");
            assert!(!text.contains("NaN") && !text.contains("inf\"") && !text.contains("<script"), "{name}");
        }
        // No escape code of a name reaches the terminal.
        assert!(!screen(record).contains(|c: char| c.is_control() && c != '\n'), "{}", case.name);
    }
}

#[test]
fn pages_of_mitigations_are_left_for_the_browser() {
    for case in cases() {
        write(&format!("{}.html", case.name), &page(&case.record));
    }
    for PlotFile { name, svg: text } in report(&records::hostile()).plots() {
        write(&format!("mitigation-{name}"), &text);
    }
}
