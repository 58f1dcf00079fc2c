//! The report of a plan.

mod plot;

use crate::Style;
use crate::report::json;
use crate::sentence::{fixed, thousands};
use crate::text::{WIDTH, plain_table, render, wrapped};
use fairveil_core::plan::{Assumed, LabelsByDecision, Plan, PlannedRatio};
use fairveil_core::setting::{Dialect, Setting};
use fairveil_core::text;

/// What a wanted precision takes.
#[derive(Debug, Clone, Copy)]
pub struct PlanReport<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The version of fairveil.
    pub version: &'a str,
    /// How the front end says settings.
    pub dialect: &'a dyn Dialect,
}

impl PlanReport<'_> {
    /// The contract that the JSON keeps.
    pub const SCHEMA: &'static str = "fairveil.plan/1";

    /// For a screen.
    pub fn text(&self, style: Style) -> String {
        style.finish(&text(self.plan, self.dialect))
    }

    /// For machines, ending in a newline.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        json(Self::SCHEMA, self.version, self.plan)
    }

    /// The half-width over rows, as a file.
    pub fn svg(&self) -> String {
        plot::svg(self.plan)
    }
}

/// What the plan assumes, in a sentence.
fn assumptions(assumed: &Assumed) -> String {
    let percent = |shares: &[f64]| {
        let all: Vec<String> = shares.iter().map(|share| format!("{:.0} %", 100.0 * share)).collect();
        match all.split_last() {
            Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
            _ => all.concat(),
        }
    };
    let copying = match assumed.copying {
        0.0 => String::new(),
        share => format!("; {:.0} % of the time all repeat one shared guess", 100.0 * share),
    };
    let (groups, proxies) = (assumed.shares.len(), assumed.accuracy.len());
    let randomised = match assumed.epsilon {
        None => String::new(),
        Some(epsilon) => {
            // A mechanism holds chances; the epsilon that follows from them differs from the one asked for in its last digits.
            let told = |epsilon: f64| (epsilon * 1e6).round() / 1e6;
            format!(
                "; each guess randomised with an epsilon of {}, {} for the {proxies} of a person together",
                told(epsilon),
                told(epsilon * proxies as f64)
            )
        }
    };
    format!(
        "Assumed: {groups} groups ({} of all people), selected at rates of {}; {proxies} proxies, right {} of the time{copying}{randomised}.",
        percent(&assumed.shares),
        percent(&assumed.rates),
        percent(&assumed.accuracy)
    )
}

fn text(plan: &Plan, dialect: &dyn Dialect) -> String {
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
        WIDTH,
    );
    if let Some(PlannedRatio { value, low, high }) = plan.ratio {
        let ratio = format!(
            "So many rows put the smallest rate over the largest, assumed to be {}, between about {} and {}.",
            fixed(value, 2),
            fixed(low, 2),
            fixed(high, 2)
        );
        out += &wrapped(&ratio, "", WIDTH);
    }
    if let Some(assumed) = &plan.assumed {
        out += &wrapped(&assumptions(assumed), "", WIDTH);
    }
    if let (Some(rows), Some(labels)) = (plan.rows, plan.labels_beside_rows) {
        let beside = format!(
            "Beside {} rows, about {} labels on rows chosen at random, if the proxies err as stated.",
            count(rows),
            count(labels)
        );
        out += &wrapped(&beside, "", WIDTH);
    }
    if let Some(LabelsByDecision { labels, selected, others }) = plan.labels_whatever {
        let whatever = format!(
            "Whatever the proxies do: about {} labels, {} on selected rows and {} on the others, drawn at random in each and given with \
             their chances ({}).",
            count(labels),
            count(selected),
            count(others),
            dialect.setting(Setting::LabelProbability, None)
        );
        out += &wrapped(&whatever, "", WIDTH);
    }
    out += "\n";
    let mut table = plain_table();
    table.set_header(vec![
        "rows",
        "no label, if proxies err independently",
        "200 labels, whatever proxies share",
    ]);
    let width = |value: Option<f64>| match value {
        // A rate cannot be further off.
        Some(value) if value >= 1.0 => "± 1 or more".to_owned(),
        Some(value) => format!("± {value:.3}"),
        None => "–".to_owned(),
    };
    for point in &plan.curve {
        table.add_row(vec![
            count(point.rows),
            width(point.half_width),
            width(point.half_width_with_200_labels),
        ]);
    }
    out += &render(table);
    out += "\n";
    let holds = text![
        "The columns answer different questions. Without labels, the width holds only if the proxies err independently; if they \
         share mistakes, more rows do not help. With labels, nothing is assumed of shared mistakes, which is why that \
         width may be the larger one. To plan for shared mistakes, say {copying}."
    ];
    out + &wrapped(&holds.spelled(dialect), "", WIDTH)
}
