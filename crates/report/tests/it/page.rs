//! Pages of every shape: the numbers of the JSON, small, quick, and nothing in them that could run.

use crate::worlds;
use fairveil_core::plan::{Plan, PlanPoint};
use fairveil_core::privacy::{PrivacyCurve, PrivacyPoint};
use fairveil_core::record::{ErrorModel, NoiseRecord, SegmentRecord};
use fairveil_core::setting::Plain;
use fairveil_core::{Aggregate, Audit, Comparison, Criterion, SelectedIs, Settings};
use fairveil_report::{
    About, AuditReport, ComparisonReport, Identity, PlanReport, PlotFile, PrivacyReport, Provenance, Report,
    Style,
};
use serde_json::Value;
use std::time::{Duration, Instant};

/// The report of an audit.
fn of(audit: &Audit) -> AuditReport<'_> {
    AuditReport::new(audit, about("people.csv"))
}

pub fn about(table: &str) -> About<'_> {
    let provenance = Provenance {
        command: Some("fairveil audit people.csv --html report.html"),
        sha256: Some("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        date: Some("2026-01-31"),
        ..Provenance::default()
    };
    About { table, version: "0.1.0", provenance, dialect: &Plain }
}

fn compared(comparison: &Comparison) -> ComparisonReport<'_> {
    ComparisonReport { comparison, about: about("people.csv") }
}

/// Segments with their names.
fn records(segments: &[(String, Audit)]) -> Vec<SegmentRecord> {
    let record = |(name, audit): &(String, Audit)| SegmentRecord {
        values: vec![Some(name.clone())],
        pooled: None,
        audit: Some(audit.clone()),
        unavailable: None,
    };
    segments.iter().map(record).collect()
}

/// Every number of a page: its pointer into the JSON, its exact value and what is shown.
pub fn numbers(page: &str) -> Vec<(&str, f64, &str)> {
    page.split("<data value=\"").skip(1).map(|part| number(part).unwrap()).collect()
}

fn number(part: &str) -> Option<(&str, f64, &str)> {
    let (value, rest) = part.split_once("\" data-path=\"")?;
    let (attributes, rest) = rest.split_once("\">")?;
    let path = attributes.split('"').next()?;
    let (shown, _) = rest.split_once("</data>")?;
    Some((path, value.parse().ok()?, shown))
}

/// Whether the digits shown are those of the exact value, rounded.
pub fn rounds_to(shown: &str, exact: f64) -> bool {
    match shown {
        "below 0.0001" => return exact < 1e-4,
        "more than 99\u{a0}%" | "&gt;99\u{a0}%" => return exact > 0.99,
        "less than 1\u{a0}%" | "&lt;1\u{a0}%" => return exact < 0.01,
        "more than 1,000\u{a0}%" => return exact > 10.0,
        _ => {}
    }
    let (digits, exact) = match shown.strip_suffix("\u{a0}%") {
        Some(digits) => (digits, 100.0 * exact),
        None => (shown, exact),
    };
    let digits = digits.replace(',', "");
    let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let close = 0.5 * 10f64.powi(-(decimals as i32)) * (1.0 + 1e-9);
    (digits.parse::<f64>().unwrap() - exact).abs() <= close
}

#[test]
fn every_number_on_the_page_is_the_number_in_the_json() {
    for case in worlds::cases() {
        let document: Value = serde_json::from_str(&of(&case.audit).json().unwrap()).unwrap();
        let page = of(&case.audit).html();
        let numbers = numbers(&page);
        for (path, exact, shown) in &numbers {
            let known = document.pointer(path).and_then(Value::as_f64);
            assert_eq!(known, Some(*exact), "{}: {path}", case.name);
            assert!(rounds_to(shown, *exact), "{}: {path}: {shown} for {exact}", case.name);
        }
        // And none is left out.
        let shown = |path: &str| numbers.iter().any(|(other, ..)| *other == path);
        for (i, result) in case.audit.results.iter().enumerate() {
            // The paper's mean gap stands beside the truth alone, and in the JSON.
            if result.aggregate == Aggregate::MeanPairwise && case.audit.truth.is_none() {
                continue;
            }
            assert!(result.value.is_none() || shown(&format!("/results/{i}/value")), "{} {i}", case.name);
            let ends = result.interval.is_none() || shown(&format!("/results/{i}/interval/high"));
            assert!(ends, "{} {i}", case.name);
        }
        for (i, bound) in case.audit.bounds.iter().enumerate() {
            assert!(bound.interval.is_none() || shown(&format!("/bounds/{i}/low")), "{} {i}", case.name);
        }
        for i in 0..case.audit.agreement.len() {
            assert!(shown(&format!("/agreement/{i}/same")), "{} {i}", case.name);
        }
    }
}

fn case(name: &str) -> &'static Audit {
    &worlds::cases().iter().find(|case| case.name == name).unwrap().audit
}

/// The text of one section of a page, up to what is folded away.
fn opening<'a>(page: &'a str, section: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("<section id=\"{section}\"")).unwrap();
    rest.split("<details").next().unwrap().split("</section>").next().unwrap()
}

#[test]
fn error_rates_say_truly_where_they_come_from_and_those_relied_on_come_first() {
    let agreement = "Learned from how the proxies agree and disagree";
    for (name, lead) in [
        ("two-groups", agreement),
        ("bounds", agreement),
        ("audit-sample", "Learned from the rows whose group is known"),
        ("given", "Given from elsewhere"),
    ] {
        let audit = case(name);
        let page = of(audit).html();
        let section = opening(&page, "errors");
        assert!(section.contains(lead), "{name}: {section}");
        assert!(lead == agreement || !page.contains(agreement), "{name}");
        let places: Vec<usize> = numbers(section)
            .iter()
            .filter_map(|(path, ..)| path.strip_prefix("/noise/")?.split('/').next()?.parse().ok())
            .collect();
        assert!(!places.is_empty(), "{name}");
        for place in places {
            let record = &audit.noise[place];
            assert_eq!(
                (Some(record.estimator), record.rows),
                (audit.advice.estimator, fairveil_core::record::LearnedFrom::All),
                "{name}"
            );
        }
        let screen = of(audit).full_text(Style::Plain);
        let own = |n: &&NoiseRecord| {
            let origin = audit.answers.iter().find_map(|answer| answer.rests_on.as_ref());
            let apart = origin.and_then(|origin| origin.assumption).map(|errors| errors != ErrorModel::Alike);
            Some(n.estimator) == audit.advice.estimator
                && apart.is_none_or(|apart| apart == n.proxy.is_some())
        };
        for proxy in audit.noise.iter().filter(own) {
            let proxy = proxy.proxy.as_deref().unwrap_or_default();
            let table = screen.split("How the proxies err").nth(1).unwrap();
            assert!(table.contains(proxy), "{name}: {proxy}");
        }
    }
}

#[test]
fn usual_rates_are_shown_with_the_intervals_that_the_json_has() {
    let mut shown = 0;
    for case in worlds::cases() {
        let page = of(&case.audit).html();
        let places: Vec<&str> = numbers(&page).iter().map(|(path, ..)| *path).collect();
        for (r, record) in case.audit.rates.iter().enumerate() {
            let path = |i: usize, name: &str| format!("/rates/{r}/groups/{i}/{name}");
            if !places.contains(&path(0, "selection_rate").as_str()) {
                continue;
            }
            for (i, group) in record.groups.iter().enumerate() {
                let known = group.intervals.is_some_and(|intervals| intervals.selection_rate.is_some());
                let ends = ["0", "1"].map(|end| path(i, &format!("intervals/selection_rate/{end}")));
                assert!(ends.iter().all(|end| places.contains(&end.as_str()) == known), "{} {i}", case.name);
                assert!(!known || !page.contains("There are no intervals of these"), "{}", case.name);
                shown += usize::from(known);
            }
        }
    }
    assert!(shown > 0);
}

#[test]
fn what_to_do_next_leads_and_findings_follow() {
    for case in worlds::cases() {
        let page = of(&case.audit).html();
        let section = opening(&page, "next").replace('\u{a0}', " ");
        let text = of(&case.audit).markdown();
        let first = case.audit.advice.next.first();
        let place = first.map(|step| section.find(&step.text.to_string().replace('\'', "&#39;")));
        let findings = section.find("What the findings ask for");
        if let (Some(step), false) = (first, case.name == "hostile") {
            let place =
                place.flatten().or_else(|| section.find(step.text.to_string().split('\'').next().unwrap()));
            assert!(place.is_some() && findings.is_none_or(|after| place < Some(after)), "{}", case.name);
            let start: String =
                step.text.to_string().chars().take_while(|c| c.is_alphanumeric() || *c == ' ').collect();
            assert!(text.split("## What to do next").nth(1).unwrap().contains(&start), "{}", case.name);
        }
    }
}

#[test]
fn every_number_of_a_comparison_is_the_number_in_the_json() {
    for (name, comparison) in worlds::comparisons() {
        let document: Value = serde_json::from_str(&compared(comparison).json().unwrap()).unwrap();
        let page = compared(comparison).html();
        assert!(page.len() <= 400_000, "{name}: {} bytes", page.len());
        println!("{name}: {} KB", page.len() / 1000);
        // Of a pair the chance of either side is said; the JSON has that of the first.
        let whole = page.replace("\" data-shows=\"one minus value\">", "\" data-shows=\"\">otherwise ");
        let numbers = numbers(&whole);
        for (path, exact, shown) in &numbers {
            assert_eq!(document.pointer(path).and_then(Value::as_f64), Some(*exact), "{name}: {path}");
            let (shown, exact) = match shown.strip_prefix("otherwise ") {
                Some(shown) => (shown, 1.0 - exact),
                None => (*shown, *exact),
            };
            assert!(rounds_to(shown, exact), "{name}: {path}: {shown} for {exact}");
        }
        let shown = |path: String| numbers.iter().any(|(other, ..)| *other == path);
        for (i, pair) in comparison.pairs.iter().enumerate() {
            assert!(pair.difference.is_none() || shown(format!("/pairs/{i}/difference")), "{name} {i}");
            let chance = pair.probability_a_smaller.is_none();
            assert!(chance || shown(format!("/pairs/{i}/probability_a_smaller")), "{name} {i}");
        }
        for (m, model) in comparison.models.iter().enumerate() {
            for (i, result) in model.audit.results.iter().enumerate() {
                let gap = result.recommended && result.aggregate == Aggregate::Difference;
                assert!(!gap || shown(format!("/models/{m}/audit/results/{i}/value")), "{name} {m} {i}");
            }
        }
    }
}

#[test]
fn a_comparison_keeps_the_rules_of_every_page() {
    let cited = "Weak Proxies are Sufficient and Preferable for Fairness";
    for (name, comparison) in worlds::comparisons() {
        let page = compared(comparison).html();
        let text = compared(comparison).markdown();
        assert!(!page.contains("<script") && !page.contains("<img") && !page.contains("NaN"), "{name}");
        no_verdict(name, &page.replace(cited, ""));
        no_verdict(name, &text);
        distinct_ids(name, &page);
        stays_text(&text);
    }
}

#[test]
fn a_page_without_segments_is_small_and_made_at_once() {
    for case in worlds::cases() {
        let once = || {
            let start = Instant::now();
            let page = of(&case.audit).html();
            (start.elapsed(), page.len())
        };
        // The machine may be busy with other tests: the quickest of several counts.
        let (time, size) = (0..5).map(|_| once()).min().unwrap();
        println!("{}: {} KB in {:.1} ms", case.name, size / 1000, time.as_secs_f64() * 1e3);
        assert!(size <= 400_000, "{}: {size} bytes", case.name);
        assert!(time < Duration::from_millis(100), "{}: {time:?}", case.name);
    }
}

/// The elements of a page with their attributes.
pub fn elements(page: &str) -> Vec<&str> {
    page.split('<').skip(1).map(|part| part.split('>').next().unwrap_or(part)).collect()
}

#[test]
fn hostile_names_stay_text() {
    let audit = worlds::hostile();
    let page = of(&audit).html();
    for tag in elements(&page) {
        let name = tag.split_whitespace().next().unwrap_or_default();
        assert!(!["script", "img", "iframe", "b"].contains(&name), "<{tag}>");
    }
    assert!(!page.contains("<script") && !page.contains("onerror=alert(1)>"));
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    // What looks like an entity in the table is shown as it was typed.
    assert!(page.contains("&amp;lt;b&amp;gt;"));
    for PlotFile { name, svg: text } in of(&audit).plots() {
        assert!(!text.contains("<script") && !text.contains("<img"), "{name}");
    }
}

#[test]
fn a_page_fetches_nothing_and_runs_nothing() {
    for case in worlds::cases() {
        let page = of(&case.audit).html();
        assert!(page.contains("default-src 'none'"), "{}", case.name);
        for tag in elements(&page) {
            // Outside of quotes stand the names of the attributes; a name of the table can only stand inside.
            let names: String = tag.split('"').step_by(2).collect();
            for name in names.split_whitespace().skip(1) {
                let name = name.trim_end_matches('=');
                assert!(
                    !["src", "style", "action", "data"].contains(&name) && !name.starts_with("on"),
                    "<{tag}>"
                );
            }
            let link = tag.split_once(" href=\"").map(|(_, link)| link);
            assert!(link.is_none_or(|link| link.starts_with('#')), "<{tag}>");
        }
    }
}

#[test]
fn reports_give_no_verdict() {
    let cited = "Weak Proxies are Sufficient and Preferable for Fairness";
    for case in worlds::cases() {
        let page = of(&case.audit).html().replace(cited, "");
        let text = of(&case.audit).markdown();
        for report in [page, text] {
            no_verdict(case.name, &report);
        }
    }
}

pub fn no_verdict(name: &str, report: &str) {
    let words = report.split(|c: char| !c.is_alphanumeric());
    let verdicts = ["fair", "unfair", "fairness", "unbiased", "compliant", "discriminates"];
    let found: Vec<&str> = words.filter(|word| verdicts.contains(&word.to_lowercase().as_str())).collect();
    assert!(found.is_empty(), "{name}: {found:?}");
}

/// An element that a link or a label means is the only one of its name.
pub fn distinct_ids(name: &str, page: &str) {
    let mut ids: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|part| part.split('"').next()).collect();
    ids.sort_unstable();
    assert!(ids.windows(2).all(|two| two[0] != two[1]), "{name}: {ids:?}");
}

#[test]
fn every_plot_has_a_title_a_description_and_a_file() {
    for case in worlds::cases() {
        let page = of(&case.audit).html();
        let plots = of(&case.audit).plots();
        assert_eq!(page.matches("<svg").count(), plots.len(), "{}", case.name);
        for PlotFile { name, svg: text } in &plots {
            let id = name.strip_suffix(".svg").unwrap();
            assert!(page.contains(&format!("aria-labelledby=\"{id}-title {id}-description\"")), "{name}");
            assert!(text.starts_with("<svg") && text.contains("<title") && text.contains("<desc"), "{name}");
            assert!(!text.contains("NaN") && !text.contains("inf\""), "{name}");
        }
        distinct_ids(case.name, &page);
    }
}

#[test]
fn markdown_keeps_names_as_text_and_rows_on_one_line() {
    let text = of(&worlds::hostile()).markdown();
    assert!(text.contains("\\<script\\>"));
    stays_text(&text);
}

/// No markup, and every table in as many columns as its head has.
pub fn stays_text(text: &str) {
    let bare = |(place, _): &(usize, &str)| !text[..*place].ends_with('\\');
    assert_eq!(text.match_indices('<').find(bare), None);
    let mut columns = None;
    for line in text.lines() {
        let cells = line.starts_with('|').then(|| line.replace("\\|", "").matches('|').count());
        assert!(columns.is_none() || cells.is_none() || cells == columns, "{line}");
        columns = cells;
    }
}

#[test]
fn two_hundred_segments_fit_one_page_largest_gap_first() {
    let segments = worlds::segments(200);
    let mut all = records(&segments);
    // Segments that could not be audited are named with the reason, as text.
    let unavailable = Some("one <b>proxy</b> never varies".into());
    all.push(SegmentRecord {
        values: vec![Some("elsewhere".into())],
        pooled: None,
        audit: None,
        unavailable,
    });
    let report = AuditReport { by: &["branch".into()], segments: &all, ..of(&segments[0].1) };
    let start = Instant::now();
    let page = report.html();
    println!("200 segments: {} KB in {:.1} ms", page.len() / 1000, start.elapsed().as_secs_f64() * 1e3);
    assert_eq!(page.matches("class=\"segment\"").count(), 200);
    assert!(!page.contains("<img"));

    let mut last = f64::INFINITY;
    for part in page.split("<li data-segment=\"").skip(1) {
        let item = part.split("</li>").next().unwrap();
        let segment: usize = item.split('"').next().unwrap().parse().unwrap();
        let document: Value = serde_json::from_str(&of(&segments[segment].1).json().unwrap()).unwrap();
        for (i, (path, exact, _)) in numbers(item).into_iter().enumerate() {
            assert_eq!(document.pointer(path).and_then(Value::as_f64), Some(exact), "{segment} {path}");
            if i == 0 {
                assert!(exact <= last, "{segment}: {exact} after {last}");
                last = exact;
            }
        }
    }
    write("segments.html", &page);
}

#[test]
fn segments_with_dates_are_drawn_in_their_order() {
    let mut segments = worlds::months();
    let page = |by: &str, segments: &[(String, Audit)]| {
        AuditReport { by: &[by.into()], segments: &records(segments), ..of(&segments[0].1) }.html()
    };
    let months = page("month", &segments);
    let (_, trend) = months.split_once("id=\"trend-demographic-parity\"").unwrap();
    let (trend, _) = trend.split_once("</figure>").unwrap();
    let mut last = "";
    for part in trend.split("<tr data-segment=\"").skip(1) {
        let segment: usize = part.split('"').next().unwrap().parse().unwrap();
        let label = segments[segment].0.as_str();
        assert!(last < label, "{label} after {last}");
        last = label;
        let document: Value = serde_json::from_str(&of(&segments[segment].1).json().unwrap()).unwrap();
        let found = numbers(part.split("</tr>").next().unwrap());
        assert!(!found.is_empty());
        for (path, exact, shown) in found {
            assert_eq!(document.pointer(path).and_then(Value::as_f64), Some(exact), "{label} {path}");
            assert!(rounds_to(shown, exact), "{label} {path}: {shown} for {exact}");
        }
    }
    assert_eq!(last, "2025-03");
    distinct_ids("months", &months);
    write("months.html", &months);

    for (i, (name, _)) in segments.iter_mut().enumerate() {
        *name = format!("branch {i}");
    }
    assert!(!page("branch", &segments).contains("id=\"trend-"));
}

fn plan(rows_without_labels: Option<u64>) -> Plan {
    let point = |rows: u64| {
        let alone = 0.05 * (6_400.0 / rows as f64).sqrt();
        let with = (1.0 / (alone.powi(-2) + 0.09f64.powi(-2))).sqrt();
        let half_width = rows_without_labels.map(|_| alone);
        PlanPoint { rows, half_width, half_width_with_200_labels: Some(with) }
    };
    Plan {
        half_width: 0.05,
        confidence: 0.95,
        rows_without_labels,
        labels_alone: 1_537,
        rows: None,
        labels_beside_rows: None,
        labels_whatever: None,
        ratio: None,
        curve: [640, 1_600, 3_200, 6_400, 12_800, 25_600, 64_000].map(point).into(),
        unavailable: None,
        assumed: None,
    }
}

fn drawn(plan: &Plan) -> String {
    PlanReport { plan, version: "0.1.0", dialect: &Plain }.svg()
}

#[test]
fn a_plan_is_drawn_with_what_is_wanted_and_what_it_takes() {
    let reached = drawn(&plan(Some(6_400)));
    for text in ["wanted: ± 0.05", "6,400 rows", "no labels", ">200 labels", "<title", "<desc", "10,000"] {
        assert!(reached.contains(text), "{text}: {reached}");
    }
    write("plan.svg", &reached);
    // Nothing is drawn of what cannot be reached.
    let none = drawn(&plan(None));
    assert!(!none.contains("6,400 rows") && !none.contains(">no labels") && none.contains("not reached"));
    let none = drawn(&Plan { curve: Vec::new(), ..plan(None) });
    assert!(none.contains("no curve") && !none.contains("NaN") && !none.contains("inf\""));
}

/// What epsilons cost on a made-up table with a hostile name.
fn cost() -> PrivacyCurve {
    let point = |(epsilon, half_width): (f64, f64)| PrivacyPoint {
        epsilon,
        epsilon_per_row: 3.0 * epsilon,
        flip: 1.0 / (1.0 + epsilon.exp()),
        half_width: (half_width <= 1.0).then_some(half_width),
        direction_only: half_width > 0.2,
    };
    let points = [(0.1, 1.48), (0.41, 0.143), (0.2, 0.422), (1.0, 0.056), (4.0, 0.031)];
    let mut points: Vec<PrivacyPoint> = points.into_iter().map(point).collect();
    points.sort_by(|a, b| a.epsilon.total_cmp(&b.epsilon));
    PrivacyCurve {
        table: "<script>alert(1)</script>.csv".into(),
        rows: 5555,
        proxies: vec!["surname".into(), "<b>zip</b>".into(), "voice".into()],
        groups: 2,
        gap: 0.18,
        confidence: 0.95,
        supposed: false,
        in_the_clear: 0.0299,
        points,
    }
}

#[test]
fn the_page_of_what_an_epsilon_costs_shows_the_numbers_of_its_json() {
    let curve = cost();
    let report = PrivacyReport { curve: &curve, about: about(&curve.table) };
    let page = report.html();
    let json: Value = serde_json::from_str(&report.json().unwrap()).unwrap();
    let mut shown = 0;
    for part in page.split("<data value=\"").skip(1) {
        let (value, rest) = part.split_once('"').unwrap();
        let path = rest.split_once("data-path=\"").unwrap().1.split_once('"').unwrap().0;
        let expected = json.pointer(path).and_then(Value::as_f64).unwrap();
        assert_eq!(value.parse::<f64>().unwrap(), expected, "{path}");
        shown += 1;
    }
    assert!(shown > 15, "{shown}");
    assert!(!page.contains("<script>") && !page.contains("<b>zip"));
    // The least epsilon that tells the gap from none, and none of those that give a direction only.
    assert!(page.contains("with an epsilon of") && page.contains("direction only"));
}

/// Leaves a page for the browser test, where one was asked for.
pub fn write(name: &str, page: &str) {
    if let Some(folder) = std::env::var_os("FAIRVEIL_PAGES") {
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(std::path::Path::new(&folder).join(name), page).unwrap();
    }
}

#[test]
fn pages_are_left_for_the_browser() {
    for case in worlds::cases() {
        write(&format!("{}.html", case.name), &of(&case.audit).html());
        write(&format!("{}.brief.html", case.name), &of(&case.audit).brief().unwrap());
        write(&format!("{}.txt", case.name), &of(&case.audit).text(Style::Plain));
        write(&format!("{}.full.txt", case.name), &of(&case.audit).full_text(Style::Plain));
    }
    for (name, comparison) in worlds::comparisons() {
        write(&format!("{name}.html"), &compared(comparison).html());
    }
    let curve = cost();
    let report = PrivacyReport { curve: &curve, about: about(&curve.table) };
    write("privacy.html", &report.html());
    write("privacy.svg", &report.svg());
    // A plot in a file of its own is XML, which forgives nothing.
    for PlotFile { name, svg: text } in of(&worlds::hostile()).plots() {
        write(&name, &text);
    }
}

/// What a page shows to a reader who unfolds nothing, without markup.
fn words_of(page: &str) -> String {
    let mut text = String::new();
    for part in page.split('<').skip(1) {
        text += part.split_once('>').map_or("", |(_, text)| text);
    }
    text
}

#[test]
fn the_plain_audit_fits_one_screen() {
    for name in ["two-groups", "no-label"] {
        let text = of(case(name)).text(Style::Plain);
        assert!(text.lines().count() <= 40, "{name}: {} lines\n{text}", text.lines().count());
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(100), "{name}: {widest:?}\n{text}");
        let full = of(case(name)).full_text(Style::Plain);
        assert!(full.lines().count() > text.lines().count() && full.contains("mean gap"), "{name}");
        assert!(!text.contains("mean gap"), "{name}: {text}");
    }
}

#[test]
fn the_headline_names_the_pair_of_the_largest_gap_and_the_table_begins_with_its_number() {
    for case in worlds::cases() {
        let answer = &case.audit.answers[0];
        let (Some(value), Some(pair)) = (answer.value, &answer.pair) else { continue };
        let (more, less) = (pair.more_rate.unwrap(), pair.less_rate.unwrap());
        assert!((more - less - value).abs() < 1e-9, "{}", case.name);
        let page = of(&case.audit).brief().unwrap();
        let places: Vec<&str> = numbers(&page).iter().map(|(path, ..)| *path).collect();
        assert_eq!(
            places.iter().find(|path| path.contains("/value")),
            Some(&"/answers/0/value"),
            "{}",
            case.name
        );
        // Each way of computing it comes after the number that stands on top.
        let full = of(&case.audit).html();
        let first = numbers(&full)[1].0.to_owned();
        assert!(first.starts_with("/answers/0/"), "{}: {first}", case.name);
    }
}

#[test]
fn no_number_is_an_answer_with_a_reason_and_never_a_dash() {
    let mut without = 0;
    for case in worlds::cases() {
        let page = of(&case.audit).html();
        for big in page.split("<p class=\"big\">").skip(1) {
            assert!(!big.starts_with('–'), "{}", case.name);
        }
        if case.audit.answers[0].value.is_none() {
            without += 1;
            let text = words_of(&page);
            assert!(text.contains("Why no size") || text.contains("Why there is no number"), "{}", case.name);
            assert!(!text.contains("what is shown was read directly"), "{}", case.name);
        }
    }
    assert!(without > 0);
}

#[test]
fn what_is_adverse_is_flagged_and_nobody_is_favoured() {
    let of_setting = |selected_is| {
        let mut audit = case("two-groups").clone();
        audit.settings.selected_is = selected_is;
        audit
    };
    for case in worlds::cases() {
        for text in
            [of(&case.audit).html(), of(&case.audit).markdown(), of(&case.audit).full_text(Style::Plain)]
        {
            assert!(!text.contains("favour"), "{}", case.name);
        }
    }
    let neutral = of_setting(None);
    assert!(of(&neutral).text(Style::Plain).contains("green is selected less often than blue"));
    assert!(!of(&neutral).html().contains("class=\"bar-worse\""));
    let adverse = of_setting(Some(SelectedIs::Adverse));
    let text = of(&adverse).text(Style::Plain);
    assert!(
        text.contains("blue is flagged more often than green") && !text.contains("is selected"),
        "{text}"
    );
    // Colours turn with the words: the other group is worse off.
    let worse = |audit: &Audit| {
        let page = of(audit).html();
        assert_eq!(page.matches(", worse off<").count(), page.matches("class=\"bar-worse\"").count());
        page.split(", worse off<").next().unwrap().rsplit('>').next().unwrap().to_owned()
    };
    let good = of_setting(Some(SelectedIs::Good));
    assert_eq!([worse(&good), worse(&adverse)], ["green", "blue"]);
}

#[test]
fn a_finding_that_occurs_in_six_strata_is_one_finding() {
    let mut audit = case("two-groups").clone();
    let one = audit.findings[0].clone();
    audit.findings.extend(vec![one.clone(); 5]);
    let page = of(&audit).html();
    let heads = page.matches(&format!("{}</span> {}</h3>", one.code, one.title)).count();
    assert_eq!(heads, 1);
    let text = of(&audit).full_text(Style::Plain);
    assert_eq!(text.matches(&format!("{}: {}\n", one.code, one.title)).count(), 1, "{text}");
}

#[test]
fn every_method_on_a_page_is_among_its_words() {
    for case in worlds::cases() {
        let page = of(&case.audit).html();
        let (_, words) = page.split_once("<dl class=\"glossary\">").unwrap();
        for result in &case.audit.results {
            let Some(estimator) = result.origin.estimator.filter(|estimator| estimator.learns_errors())
            else {
                continue;
            };
            assert!(words.contains(&format!("<dt>{estimator}</dt>")), "{}: {estimator}", case.name);
        }
    }
}

#[test]
fn without_a_question_about_labels_nothing_is_said_of_labels() {
    let (counts, _) = fairveil_core::World::lending().sample(5_000, 0).unwrap();
    let settings =
        Settings { n_boot: 100, criteria: vec![Criterion::DemographicParity], ..Settings::default() };
    let audit = Audit::run(&counts, None, &settings).unwrap();
    let text = of(&audit).full_text(Style::Plain);
    assert!(!text.contains("true pos.") && !text.contains("repaid"), "{text}");
    let page = words_of(&of(&audit).html());
    assert!(!page.contains("true positive") && !page.contains("repaid = "), "{page}");
}

#[test]
fn shares_of_groups_are_not_repeated_for_each_label() {
    let page = of(case("two-groups")).html();
    let (_, plot) = page.split_once("id=\"rates-equalized-odds\"").unwrap();
    let table = plot.split_once("</thead>").unwrap().0.rsplit_once("<thead>").unwrap().1;
    assert!(table.contains("label") && !table.contains("share"), "{table}");
}

#[test]
fn a_truth_that_is_not_known_says_why_and_one_near_zero_gives_no_absurd_error() {
    let mut audit = case("truth").clone();
    for value in audit.truth.iter_mut().flatten() {
        value.value = None;
        value.unavailable = Some("no row has the true group green".into());
    }
    for result in &mut audit.results {
        if let Some(errors) = &mut result.errors {
            errors.normalized_error = Some(3298.82);
        }
    }
    for text in [of(&audit).text(Style::Plain), of(&audit).markdown(), of(&audit).html()] {
        assert!(text.contains("no row has the true group green"), "{text}");
        assert!(!text.contains("329882"), "{text}");
    }
    assert!(of(&audit).text(Style::Plain).contains("more than 1,000 %"));
}

#[test]
fn a_page_says_what_it_is_and_whose_as_text() {
    let identity = Identity {
        title: Some("Loans <b>2026</b>"),
        model: Some("score v7"),
        author: Some("Risk & Co"),
        purpose: Some("yearly review"),
        note: Some("draft"),
    };
    let base = of(case("two-groups"));
    let about = About { provenance: Provenance { identity, ..base.about.provenance }, ..base.about };
    let report = AuditReport { about, ..base };
    for page in [report.html(), report.brief().unwrap()] {
        for text in ["Loans &lt;b&gt;2026", "score v7", "Risk &amp; Co", "yearly review", "draft"] {
            assert!(page.contains(text), "{text}");
        }
        assert!(!page.contains("<b>2026"));
    }
    let markdown = report.markdown();
    assert!(markdown.starts_with("# Loans \\<b\\>2026") && markdown.contains("score v7"), "{markdown}");
}

#[test]
fn a_page_of_segments_has_the_answer_for_all_rows() {
    let segments = worlds::months();
    let whole = case("two-groups");
    let report = AuditReport { by: &["month".into()], segments: &records(&segments), ..of(whole) };
    let page = report.html();
    assert!(opening(&page, "answer").contains("data-path=\"/answers/0/value\""));
}
