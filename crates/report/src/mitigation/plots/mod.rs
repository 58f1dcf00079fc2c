//! The plots of a mitigation: before and after side by side, what accuracy a smaller gap costs, how the proxies err.

mod drift;
mod methods;
mod paired;
mod sides;
mod trade;

pub(super) use sides::other_aggregates;

use crate::mitigation::words;
use crate::plot::{Plot, matrix};
use crate::sentence::Sentence;
use crate::table::Table;
use fairveil_core::mitigate::{Method, MitigationRecord};
use fairveil_core::record::NoiseRecord;

/// All plots of a mitigation, in the order of the page.
#[derive(Debug, Clone)]
pub(crate) struct MitigationPlots {
    pub gaps: Plot,
    pub accuracy: Plot,
    pub rates: Option<Plot>,
    pub trade: Option<Plot>,
    pub methods: Option<Plot>,
    pub drift: Option<Plot>,
    /// What was learned from the fitted rows.
    pub matrices: Vec<Plot>,
}

impl MitigationPlots {
    pub fn of(record: &MitigationRecord) -> Self {
        MitigationPlots {
            gaps: sides::gaps(record),
            accuracy: sides::accuracy(record),
            rates: sides::rates(record),
            trade: trade::trade(record),
            methods: methods::methods(record),
            drift: drift::drift(record),
            matrices: matrices(record),
        }
    }

    pub fn all(&self) -> impl Iterator<Item = &Plot> {
        let first = [&self.gaps, &self.accuracy].into_iter().chain(&self.rates);
        first.chain(&self.trade).chain(&self.methods).chain(&self.drift).chain(&self.matrices)
    }
}

/// Which fitted rows the `i`-th estimate of the proxies' errors is of: of a bin where there is one for each, else of all.
pub(crate) fn learned_from(record: &MitigationRecord, i: usize) -> Sentence {
    let proxy = record.noise.get(i).map(|noise| &noise.proxy);
    let alike = |noise: &&NoiseRecord| Some(&noise.proxy) == proxy;
    let bins = record.settings.noise_bins;
    if bins <= 1 || record.noise.iter().filter(alike).count() != bins {
        return Sentence::of("the fitted rows");
    }
    let before = record.noise.iter().take(i).filter(alike).count();
    Sentence::of(format!("the fitted rows, bin {} of the score", before + 1))
}

fn matrices(record: &MitigationRecord) -> Vec<Plot> {
    let plot = |(i, noise): (usize, &NoiseRecord)| {
        Some(matrix::matrix(learned_from(record, i), i, noise, noise.transition.as_ref()?))
    };
    record.noise.iter().enumerate().filter_map(plot).collect()
}

/// What each constraint costs at the optimum.
pub(crate) fn multipliers(record: &MitigationRecord) -> Table {
    let symbol = if record.method == Method::PlugIn { "multiplier λ" } else { "multiplier μ" };
    let mut table = Table::with_head(["constraint", symbol, "gap on fitted rows"]);
    for (i, multiplier) in record.multipliers.iter().enumerate() {
        let figure = |value, name: &str| words::precise(Some(value), format!("/multipliers/{i}/{name}"));
        table.push(vec![
            words::constraint(record, multiplier),
            figure(multiplier.value, "value").into(),
            // On fitted rows the constraint is met closely: four decimals.
            figure(multiplier.gap, "gap").within(Some((0.0, 0.000_2))).into(),
        ]);
    }
    table
}
