//! The mitigation as Markdown: the words and tables of its page, without the plots.

use super::plots::{MitigationPlots, multipliers};
use super::{criteria, words};
use crate::About;
use crate::audit::merged;
use crate::markdown::{escaped, line_of, made, paragraph, reasons, shown, table};
use fairveil_core::mitigate::MitigationRecord;

/// The mitigation as Markdown.
pub(super) fn markdown(record: &MitigationRecord, about: &About) -> String {
    let plots = MitigationPlots::of(record);
    let mut out = format!("# Mitigation of {} in {}\n", record.criterion.words(), escaped(about.table));
    out += "\n## The answer\n";
    out += &paragraph(&words::answer(record));
    out += &format!("\n{}\n", words::caution(record));
    out += "\n## Before and after\n";
    out += &shown(&plots.gaps);
    out += &reasons(words::reasons(record));
    out += "\n### Every criterion\n";
    out += &format!("\n{}\n", escaped(criteria::READING));
    out += &table(&criteria::table(record));
    out += &shown(&plots.accuracy);
    plots.rates.iter().chain(&plots.trade).chain(&plots.methods).for_each(|plot| out += &shown(plot));
    out += "\n## How the proxies err\n";
    out += &paragraph(&words::drift(record));
    plots.drift.iter().chain(&plots.matrices).for_each(|plot| out += &shown(plot));
    out += "\n## What zero means\n\n";
    words::ZERO.iter().for_each(|line| out += &format!("- {}\n", escaped(line)));
    out += "\n## What to doubt\n";
    merged(&record.findings).iter().for_each(|alike| out += &line_of(alike));
    out += "\n\n## Where it came from\n";
    let (input, settings) = (&record.input, &record.settings);
    out += &format!(
        "\n- fairveil {}\n- method {}: {}\n",
        about.version,
        record.method,
        escaped(&record.stopped)
    );
    out += &format!(
        "- {} rows fitted, {} measured on ({}), {} left out\n",
        input.rows_fitted,
        input.rows_held_out,
        escaped(&words::measured_on(record).plain()),
        input.rows_left_out
    );
    out += &format!(
        "- tolerance {}, folds {}, bins of the score {}{}, estimator {}, confidence {}, shared error {}, draws {}, seed {}\n",
        settings.tolerance,
        settings.folds,
        settings.noise_bins,
        if settings.local { ", errors by the decision before" } else { "" },
        settings.estimator,
        settings.confidence,
        settings.shared_error,
        settings.n_boot,
        settings.seed
    );
    out += &made(about);
    if !record.multipliers.is_empty() {
        out += &table(&multipliers(record));
    }
    out
}
