//! How sure we are: intervals from chance, and what shared mistakes would change.

pub(crate) mod against;
pub(crate) mod attach;
pub(crate) mod bootstrap;
pub(crate) mod checks;
mod copying;
pub(crate) mod design;
pub(crate) mod draws;
pub(crate) mod effective;
pub(crate) mod independent;
pub(crate) mod interval;
pub(crate) mod intervals;
pub(crate) mod left_out;
pub(crate) mod likelihood;
pub(crate) mod shift;
pub(crate) mod what_if;

pub use bootstrap::Redraw;
pub(crate) use bootstrap::resampled;
pub use copying::{agreement, without_copying};
pub(crate) use copying::{agreement_between, pair_agreements};
pub use draws::normal_quantile;
pub use interval::Interval;

use crate::counts::Counts;
use crate::settings::Settings;
use crate::vocabulary::Criterion;
use crate::watch::Watch;

/// One result for each index, in order: the same whether or not the work is shared out over threads.
pub(crate) fn draw_in_order<T: Send>(draws: usize, draw: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let watch = Watch::current();
    let draw = |index: usize| Watch::part(watch.as_ref(), || draw(index as u64));
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        (0..draws).into_par_iter().map(draw).collect()
    }
    #[cfg(not(feature = "parallel"))]
    (0..draws).map(draw).collect()
}

/// The sampling intervals of a criterion in the global scope, for each aggregate in the order of
/// [`Aggregate::ALL`](crate::Aggregate::ALL), around the table that maximises the likelihood. An audit gives them
/// around the estimate by moments and only where that can be told from chance; a study needs them everywhere.
/// `None` where proxies abstain, there are fewer than three, or too many groups.
pub fn sampling_intervals(
    counts: &Counts,
    criterion: Criterion,
    settings: &Settings,
) -> Option<[Option<Interval>; 3]> {
    let view = criterion.view();
    let seen = counts.frequencies().view(view)?;
    let rows = effective::effective_rows(counts, view, &seen, counts.effective_rows()).calibrated;
    let model = intervals::Model::of(&seen, view, rows)?;
    let asked = intervals::Asked {
        confidence: settings.confidence,
        draws: settings.n_boot,
        seed: settings.seed,
        positive: counts.legend().positive,
        reference: None,
    };
    let spread = model.spread(&model.joint(view, seen.classes()), criterion, asked, false)?;
    Some(spread.values.map(|value| value.map(|(interval, _)| interval)))
}
