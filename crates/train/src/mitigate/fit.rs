//! Rules on one ground.

use super::gaps::{PairedGap, largest, widest};
use super::ground::Ground;
use super::learner::{Learned, Learner};
use super::part::Part;
use super::{MitigateError, MitigateSettings};
use crate::{Aim, Rows, Rule};
use fairveil_core::mitigate::{GroupPair, OperatingPoint};
use fairveil_core::plan::Situation;
use fairveil_core::uncertainty::normal_quantile;

/// Below this part of the rarer decision before, what is left is a constant.
const COLLAPSED: f64 = 0.1;

/// What becomes of a gap before that drowns in chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chance {
    /// The rule would remove chance and make a true gap: it is refused.
    Refused,
    /// It is taken as it is: whoever asks has seen more rows.
    Taken,
}

/// Rules on one ground: the one that nothing holds back, and those with a tolerance.
pub(super) struct Fit<'a> {
    pub learner: &'a Learner<'a>,
    pub aim: Aim,
    pub free: Learned,
    pub free_rule: Rule,
    /// The widest gap of the rule that nothing holds back.
    pub there: f64,
    /// The largest gap before, and rows that would tell it to half of its size.
    pub gap_before: Option<PairedGap>,
    pub rows_needed: Option<f64>,
    pub share_before: f64,
    /// Whether it is the share before that is to be kept.
    kept: bool,
    pub pairs: &'a [GroupPair],
}

impl<'a> Fit<'a> {
    pub fn of(
        rows: &Rows,
        settings: &MitigateSettings,
        ground: &'a Ground,
        learner: &'a Learner<'a>,
        chance: Chance,
        progress: &(dyn Fn(String) + Sync),
    ) -> Result<Self, MitigateError> {
        let aim = aim(settings, ground, learner, progress)?;
        let free = learner.learn(None, aim, progress)?;
        let free_rule = ground.rule(rows, settings, &free);
        let there = widest(&ground.pairs, &free.gaps);
        let pairs = ground.pairs.as_slice();
        let mut fit = Fit {
            learner,
            aim,
            free,
            free_rule,
            there,
            gap_before: None,
            rows_needed: None,
            share_before: 0.0,
            kept: settings.operating_point == OperatingPoint::Kept,
            pairs,
        };
        let fitted = &ground.fitted;
        let before = fit.before(fitted);
        let gaps = ground.table.gaps(&ground.weights.all_pairs(), fitted, ground.bins(), &before);
        fit.gap_before = largest(&gaps);
        let clearest = gaps.iter().map(|gap| gap.gap.abs() / gap.error).fold(0.0, f64::max);
        // One standard error for one gap; the clearest of several must be clearer.
        let needed = normal_quantile(0.6827f64.powf(1.0 / gaps.len().max(1) as f64));
        fit.share_before = fitted.share(|row| before[row]);
        let drowns = clearest < needed && chance == Chance::Refused;
        fit.rows_needed = refuse_chance(fit.gap_before, drowns, ground, rows)?;
        Ok(fit)
    }

    /// The share that is to be decided positive, where it is a share that is asked for.
    pub fn wanted_rate(&self) -> Option<f64> {
        match self.aim {
            Aim::Chance(_) => None,
            Aim::Share(share) => Some(share),
        }
    }

    /// The decisions before.
    pub fn before(&self, part: &Part) -> Vec<bool> {
        match &part.before {
            Some(before) => before.clone(),
            None => self.free_rule.decide_all(&part.features, &part.scores),
        }
    }

    /// The rule with this gap left.
    pub fn at_tolerance(
        &self,
        tolerance: f64,
        progress: &(dyn Fn(String) + Sync),
    ) -> Result<Learned, MitigateError> {
        if self.there <= tolerance {
            return Ok(self.free.clone());
        }
        // All gaps shrink by one factor, so that the widest is what may stay.
        let targets: Vec<f64> = self.free.gaps.iter().map(|gap| tolerance / self.there * gap).collect();
        self.learner.learn(Some(&targets), self.aim, progress)
    }

    /// Deciding alike for everyone closes every gap. What counts are the decisions of the rule that is written.
    pub fn refuse_constant(&self, rule: &Rule, fitted: &Part) -> Result<(), MitigateError> {
        let decided = rule.decide_all(&fitted.features, &fitted.scores);
        let share = fitted.share(|row| decided[row]);
        let rarer = |share: f64| share.min(1.0 - share);
        // Cut elsewhere than before, a rule is held to what the same cut gives without a constraint.
        let without = if self.kept { self.share_before } else { self.free.share };
        if rarer(share) < COLLAPSED * rarer(without) {
            Err(MitigateError::Collapsed { share, without })
        } else {
            Ok(())
        }
    }
}

/// Where decisions are cut. The share that is kept is that of the decisions before or, where there are none, that of the rule
/// that nothing holds back, cut at one half.
fn aim(
    settings: &MitigateSettings,
    ground: &Ground,
    learner: &Learner,
    progress: &(dyn Fn(String) + Sync),
) -> Result<Aim, MitigateError> {
    let point = settings.operating_point;
    if let Some(chance) = point.threshold() {
        return Ok(Aim::Chance(chance));
    }
    let (share, of) = match (point, &ground.fitted.before) {
        (OperatingPoint::Rate { share }, _) => return Ok(Aim::Share(share)),
        (_, Some(before)) => (ground.fitted.share(|row| before[row]), "decisions before"),
        (_, None) => (learner.learn(None, Aim::default(), progress)?.share, "rule without a constraint"),
    };
    if share > 0.0 && share < 1.0 { Ok(Aim::Share(share)) } else { Err(MitigateError::Alike { share, of }) }
}

/// A gap that drowns in chance is not to be reduced; gives the rows that would tell it to half of its size.
fn refuse_chance(
    gap: Option<PairedGap>,
    drowns: bool,
    ground: &Ground,
    rows: &Rows,
) -> Result<Option<f64>, MitigateError> {
    let Some(found) = gap else { return Ok(None) };
    let (size, fitted) = (found.gap.abs(), &ground.fitted);
    let shares = ground.weights.shares(found.pair.label);
    // A plan for rates of 0 or 1 would be one for no chance at all.
    let inside = |rate: f64| rate.clamp(0.01, 0.99);
    let rate = |group: usize| match group {
        g if g == found.pair.a.0 => inside(found.rates[0]),
        g if g == found.pair.b.0 => inside(found.rates[1]),
        _ => inside((found.rates[0] + found.rates[1]) / 2.0),
    };
    let rates: Vec<f64> = (0..shares.len()).map(rate).collect();
    let proxies = rows.legend.proxies.len();
    let among = match found.pair.label {
        None => 1.0,
        Some(label) => fitted.share(|row| fitted.target[row] == (label == rows.legend.positive)),
    };
    let situation = Situation::new(shares, rates, vec![ground.noise.transition.clone(); proxies]);
    let needed = situation.and_then(|situation| situation.rows_for(size / 2.0, 0.95)).ok();
    let needed = needed.map(|rows| rows / among);
    if drowns {
        return Err(MitigateError::TooFewRows {
            rows: fitted.rows.len(),
            gap: size,
            error: found.error,
            needed,
        });
    }
    Ok(needed)
}
