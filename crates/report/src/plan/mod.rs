//! A plan in words, and as JSON.

mod plot;

pub use plot::plan_svg;

use crate::sentence::thousands;
use crate::text::{plain_table, render, wrapped};
use fairveil_core::plan::Plan;
use serde::Serialize;

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    version: &'a str,
    #[serde(flatten)]
    plan: &'a Plan,
}

/// The plan as JSON, ending in a newline.
pub fn plan_json(plan: &Plan, version: &str) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string_pretty(&Document { schema: "fairveil.plan/1", version, plan })? + "\n")
}

/// The plan as text.
pub fn plan_text(plan: &Plan) -> String {
    let count = |n: u64| thousands(n as f64);
    let wanted = format!("± {} with {:.0} % confidence", plan.half_width, 100.0 * plan.confidence);
    let rows = match (plan.rows_without_labels, &plan.unavailable) {
        (Some(rows), _) => format!("about {} rows with these proxies and no label", count(rows)),
        (None, Some(reason)) => format!("no number of rows without labels: {reason}"),
        (None, None) => "no number of rows without labels".into(),
    };
    let mut out = wrapped(
        &format!("For {wanted}: {rows}; or {} labels without any proxy.", count(plan.labels_alone)),
        "",
        100,
    );
    if let (Some(rows), Some(labels)) = (plan.rows, plan.labels_beside_rows) {
        let beside = format!(
            "Beside {} rows, about {} labels on rows chosen at random, if the proxies err as stated.",
            count(rows),
            count(labels)
        );
        out += &wrapped(&beside, "", 100);
    }
    out += "\n";
    let mut table = plain_table();
    table.set_header(vec!["rows", "half-width", "with 200 labels"]);
    let width = |value: Option<f64>| value.map_or("–".to_string(), |value| format!("± {value:.3}"));
    for point in &plan.curve {
        table.add_row(vec![
            count(point.rows),
            width(point.half_width),
            width(point.half_width_with_200_labels),
        ]);
    }
    out += &render(table);
    out += "\n";
    out + &wrapped(
        "Without labels the plan holds if the proxies err independently of each other; if they share mistakes, more rows do \
         not help and labels do. Error rates learned from agreement alone are then too good, and more labels are needed than \
         planned: plan with --copying too.",
        "",
        100,
    )
}
