//! How many rows, or how many labels, a wanted precision takes.
//!
//! Each row, with a label or without, adds its information about the joint table `J` and the errors of the proxies:
//! ```text
//! I = N·Σ ∇P(k,g)·∇P(k,g)ᵀ / P(k,g)  +  n·Σ ∇P(a,k,g)·∇P(a,k,g)ᵀ / P(a,k,g)          ± z·√(cᵀ I⁻¹ c)
//! ```
//! with `P(a,k,g) = J[a,k]·P(g|a)`, `P(k,g) = Σₐ P(a,k,g)` and `c` the slope of a difference between two groups' rates.
//! Rows alone are planned for proxies that err independently; with labels the proxies may share any mistakes. That is where
//! planning starts; it ends at the half-width that an audit then prints, by its own methods (`printed.rs`).
//!
//! Assumes that the proxies err as stated.

mod printed;
mod space;
mod strata;
mod wanted;

pub use strata::LabelsByDecision;
pub use wanted::{Assumed, FromAuditError, Plan, PlanPoint, PlannedRatio};

use crate::estimate::Errors;
use crate::noise::TransitionMatrix;
use crate::privacy::{RandomizedResponse, Told};
use crate::uncertainty::checks::WEAK;
use crate::uncertainty::checks::least_agreement;
use crate::uncertainty::draws::normal_quantile;
use nalgebra::DMatrix;
use space::Space;

/// What is expected: groups, rates, proxies.
///
/// ```
/// # use fairveil_core::noise::TransitionMatrix;
/// # use fairveil_core::plan::{PlanError, Situation};
/// // Two groups of equal size, half of each selected, three proxies right for 65 %.
/// let proxies = vec![TransitionMatrix::flips(0.35); 3];
/// let situation = Situation::new(vec![0.5, 0.5], vec![0.5, 0.5], proxies)?;
/// // By votes alone N rows are worth N·R labels, R = 3φ/(1+2φ), φ = (2·0.65 − 1)².
/// let rows = situation.rows_for(0.05, 0.95)?;
/// let by_votes = (1.96f64 / 0.05).powi(2) / (0.27 / 1.18);
/// assert!((rows / by_votes - 1.0).abs() < 0.05);
/// // The people themselves would tell as much in fewer rows, and a few of them beside many rows tell more.
/// let alone = situation.labels_alone(0.05, 0.95);
/// let beside = situation.labels_beside(20_000.0, 0.05, 0.95)?;
/// assert!(beside < alone && alone < rows);
/// # Ok::<(), PlanError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Situation {
    shares: Vec<f64>,
    rates: Vec<f64>,
    proxies: Vec<TransitionMatrix>,
    copying: f64,
    /// What each guess spends, where guesses are randomised.
    epsilon: Option<f64>,
}

/// Why nothing can be planned.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// Lists of different lengths.
    #[error("{what}: {found} given, {needed} needed")]
    Length {
        /// Of what.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many are needed.
        needed: usize,
    },
    /// A share or rate that leaves nothing to compare.
    #[error("{what} is {value}, a number above 0 and below 1 is needed")]
    Range {
        /// Which.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// Shares that do not sum to one.
    #[error("the shares of the groups sum to {sum}, 1 is needed")]
    Total {
        /// Their sum.
        sum: f64,
    },
    /// Too few proxies to learn from agreement.
    #[error("rows without labels need three proxies, and there are {found}; plan labels instead")]
    TooFewProxies {
        /// How many there are.
        found: usize,
    },
    /// More patterns of guesses than can be planned for.
    #[error(
        "{patterns} patterns of guesses are more than the {limit} that can be planned for; plan with fewer proxies"
    )]
    TooLarge {
        /// How many there are.
        patterns: usize,
        /// How many are taken.
        limit: usize,
    },
    /// The proxies share mistakes.
    #[error(
        "the proxies share mistakes, which more rows only repeat: no number of rows measures the gap; plan labels instead"
    )]
    Copying,
    /// A copying probability that leaves nothing, or is none.
    #[error("the copying probability is {value}, a number from 0 to below 1 is needed")]
    Copied {
        /// Its value.
        value: f64,
    },
    /// More labels than rows.
    #[error("more labels than the {rows} rows would be needed; bring more rows, or proxies that share less")]
    MoreThanRows {
        /// The rows.
        rows: u64,
    },
    /// The proxies say nothing.
    #[error(
        "the proxies guess alike whatever the group: no number of rows measures the gap; plan labels instead"
    )]
    NoInformation,
}

const MOST_PATTERNS: usize = 128;
/// Rows are looked for up to so many times what information alone would ask for.
const MOST_TIMES: f64 = 64.0;
/// Rows are planned to one in a hundred.
const CLOSE: f64 = 1.01;
/// Fewer labels are not planned.
const FEWEST_LABELS: f64 = 50.0;

impl Situation {
    /// Checks it once: the share of each group, its rate of the positive class, and how each proxy errs.
    pub fn new(shares: Vec<f64>, rates: Vec<f64>, proxies: Vec<TransitionMatrix>) -> Result<Self, PlanError> {
        let length = |what, found, needed| {
            if found == needed { Ok(()) } else { Err(PlanError::Length { what, found, needed }) }
        };
        length("groups", shares.len(), shares.len().max(2))?;
        length("rates", rates.len(), shares.len())?;
        for proxy in &proxies {
            length("groups of a proxy", proxy.groups(), shares.len())?;
        }
        let inside = |what, value: &f64| {
            if *value > 0.0 && *value < 1.0 { Ok(()) } else { Err(PlanError::Range { what, value: *value }) }
        };
        shares.iter().try_for_each(|share| inside("a group's share", share))?;
        rates.iter().try_for_each(|rate| inside("a group's rate", rate))?;
        let sum: f64 = shares.iter().sum();
        if (sum - 1.0).abs() > 1e-6 {
            return Err(PlanError::Total { sum });
        }
        // At certainty the information has no end and cannot be inverted.
        let inside = |row: &Vec<f64>| {
            let lifted: Vec<f64> = row.iter().map(|p| p.max(1e-6)).collect();
            let sum: f64 = lifted.iter().sum();
            lifted.iter().map(|p| p / sum).collect()
        };
        let proxies: Vec<TransitionMatrix> = (proxies.into_iter())
            .map(|proxy| TransitionMatrix::from_distributions(proxy.rows().iter().map(inside).collect()))
            .collect();
        let patterns = shares.len().saturating_pow(proxies.len() as u32);
        if patterns > MOST_PATTERNS {
            return Err(PlanError::TooLarge { patterns, limit: MOST_PATTERNS });
        }
        Ok(Situation { shares, rates, proxies, copying: 0.0, epsilon: None })
    }

    /// The same with proxies that all repeat one shared guess with this probability. Rows without labels are planned as
    /// if they did not: no number of rows makes up for it.
    pub fn with_copying(self, probability: f64) -> Result<Self, PlanError> {
        if (0.0..1.0).contains(&probability) {
            Ok(Situation { copying: probability, ..self })
        } else {
            Err(PlanError::Copied { value: probability })
        }
    }

    /// The same with every proxy's guesses told by a mechanism. Knowing the mechanism leaves as much to be learned as
    /// there was, from guesses that say less.
    ///
    /// ```
    /// # use fairveil_core::noise::TransitionMatrix;
    /// # use fairveil_core::plan::Situation;
    /// # use fairveil_core::privacy::RandomizedResponse;
    /// let proxies = vec![TransitionMatrix::flips(0.2); 3];
    /// let situation = Situation::new(vec![0.5, 0.5], vec![0.4, 0.6], proxies)?;
    /// let told = situation.randomized(&RandomizedResponse::flip(2, 0.4)?)?;
    /// let half_width = |s: &Situation| s.half_width(10_000.0, 0.0, 0.95).unwrap();
    /// // A guess right for 80 % and flipped for 40 % is right for 56 %: the interval is about five times as wide.
    /// assert!(half_width(&told) > 4.0 * half_width(&situation));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn randomized(&self, response: &RandomizedResponse) -> Result<Self, PlanError> {
        if response.groups() != self.shares.len() {
            let (found, needed) = (response.groups(), self.shares.len());
            return Err(PlanError::Length { what: "groups of the mechanism", found, needed });
        }
        let told = Told::new(vec![Some(response.clone()); self.proxies.len()]);
        let folded = |(c, proxy): (usize, &TransitionMatrix)| {
            TransitionMatrix::from_distributions(told.folded(c, proxy.rows()))
        };
        let proxies = self.proxies.iter().enumerate().map(folded).collect();
        Ok(Situation { proxies, epsilon: Some(response.epsilon().value()), ..self.clone() })
    }

    /// How many groups there are.
    pub fn groups(&self) -> usize {
        self.shares.len()
    }

    /// Whether so many rows would leave no more than the direction of a gap: the proxies' agreement would not stand out
    /// enough from chance for an audit to give a size.
    pub fn direction_only(&self, rows: f64) -> bool {
        let (groups, proxies) = (self.shares.len(), self.proxies.len());
        let said = |c: usize, v: usize, a: usize| self.proxies[c].rows()[a][v];
        let pairs: Vec<(usize, usize)> = (0..proxies).flat_map(|c| (0..c).map(move |d| (c, d))).collect();
        let both = |v: usize, w: usize| -> f64 {
            let of = |(c, d): &(usize, usize), a: usize| {
                self.shares[a] * (said(*c, v, a) * said(*d, w, a) + said(*c, w, a) * said(*d, v, a)) / 2.0
            };
            let all = pairs.iter().flat_map(|pair| (0..groups).map(move |a| of(pair, a)));
            all.sum::<f64>() / pairs.len().max(1) as f64
        };
        let second = DMatrix::from_fn(groups, groups, both);
        let first: Vec<f64> = second.row_iter().map(|row| row.sum()).collect();
        let stands_out = least_agreement(&first, &second).map(|phi| phi * (pairs.len() as f64 * rows).sqrt());
        stands_out.is_none_or(|z| z < WEAK)
    }

    /// Rows without labels for a half-width of every difference between two groups.
    pub fn rows_for(&self, half_width: f64, confidence: f64) -> Result<f64, PlanError> {
        if self.proxies.len() < 3 {
            return Err(PlanError::TooFewProxies { found: self.proxies.len() });
        }
        if self.copying > 0.0 {
            return Err(PlanError::Copying);
        }
        let by_information = self.rows_by_information(half_width, confidence)?;
        // An audit's own methods say how far that is off.
        let enough =
            |rows: f64| self.half_width(rows, 0.0, confidence).is_some_and(|found| found <= half_width);
        let (mut low, mut high) = (by_information / 4.0, by_information);
        while !enough(high) {
            (low, high) = (high, 2.0 * high);
            if high > MOST_TIMES * by_information {
                return Err(PlanError::NoInformation);
            }
        }
        while high / low > CLOSE {
            let middle = (low * high).sqrt();
            if enough(middle) { high = middle } else { low = middle }
        }
        Ok(high)
    }

    /// Rows for the same by the information of the true errors, where planning starts.
    fn rows_by_information(&self, half_width: f64, confidence: f64) -> Result<f64, PlanError> {
        let alike = self.proxies.windows(2).all(|pair| pair[0] == pair[1]);
        let errors = if alike { Errors::Alike } else { Errors::Own };
        let variance = self.variance(1.0, 0.0, errors).ok_or(PlanError::NoInformation)?;
        Ok(variance * (normal_quantile(confidence) / half_width).powi(2))
    }

    /// Labels for the same without any proxy.
    pub fn labels_alone(&self, half_width: f64, confidence: f64) -> f64 {
        let of_group = |a: usize| self.rates[a] * (1.0 - self.rates[a]) / self.shares[a];
        self.worst_pair(|a, b| of_group(a) + of_group(b)) * (normal_quantile(confidence) / half_width).powi(2)
    }

    /// Labels for the same beside rows without any, taking no independence for granted. At least 50, and ten of
    /// every group: with fewer the approximation means nothing.
    pub fn labels_beside(&self, rows: f64, half_width: f64, confidence: f64) -> Result<f64, PlanError> {
        let enough =
            |labels: f64| self.by_labels(rows, labels, confidence).is_some_and(|found| found <= half_width);
        let smallest = self.shares.iter().copied().fold(1.0, f64::min);
        let floor = (10.0 / smallest).max(FEWEST_LABELS);
        let (mut low, mut high) = (0.0, 2.0 * self.labels_alone(half_width, confidence));
        while high - low > 0.5 {
            let middle = (low + high) / 2.0;
            if enough(middle) { high = middle } else { low = middle }
        }
        if high.max(floor) > rows {
            Err(PlanError::MoreThanRows { rows: rows as u64 })
        } else {
            Ok(high.max(floor))
        }
    }

    /// The half-width that an audit of so many rows and labels prints: without labels if the proxies err independently, with
    /// labels whatever they share. Where the rows are too few for an audit to give a number it is what their information
    /// tells. `None` where they do not tell the gap.
    pub fn half_width(&self, rows: f64, labels: f64, confidence: f64) -> Option<f64> {
        if labels > rows || labels == 0.0 && (self.proxies.len() < 3 || self.copying > 0.0) {
            return None;
        }
        if labels > 0.0 {
            return self.by_labels(rows, labels, confidence);
        }
        let by_information =
            || Some(normal_quantile(confidence) * self.variance(rows, 0.0, Errors::Alike)?.sqrt());
        self.printed(rows, confidence).or_else(by_information)
    }

    /// What is known of the least rate over the largest where so many rows give a half-width: on the scale of logarithms, by the
    /// information that gives the half-width too. `None` where a rate is 0, or rows do not tell.
    pub fn ratio(&self, rows: f64, half_width: f64) -> Option<PlannedRatio> {
        let by_rate = |a: &usize, b: &usize| self.rates[*a].total_cmp(&self.rates[*b]);
        let (least, most) = ((0..self.rates.len()).min_by(by_rate)?, (0..self.rates.len()).max_by(by_rate)?);
        let (low, high) = (self.rates[least], self.rates[most]);
        if low <= 0.0 || least == most {
            return None;
        }
        let space = Space::of(self, Errors::Alike);
        let factor = space.information(self, rows, 0.0).cholesky()?;
        let slope = space.reduced(&space.weighed(self, [(least, 1.0 / low), (most, -1.0 / high)]));
        let of_ratio = slope.dot(&factor.solve(&slope));
        let reach = half_width * (of_ratio / self.variance(rows, 0.0, Errors::Alike)?).sqrt();
        let value = low / high;
        reach.is_finite().then(|| PlannedRatio {
            value,
            low: value * (-reach).exp(),
            high: value * reach.exp(),
        })
    }

    fn worst_pair(&self, variance: impl Fn(usize, usize) -> f64) -> f64 {
        let groups = self.shares.len();
        let pairs = (0..groups).flat_map(|a| (0..a).map(move |b| (a, b)));
        pairs.map(|(a, b)| variance(a, b)).fold(0.0, f64::max)
    }

    /// The largest variance of a difference between two groups.
    fn variance(&self, rows: f64, labels: f64, errors: Errors) -> Option<f64> {
        let space = Space::of(self, errors);
        let information = space.information(self, rows, labels);
        let factor = information.cholesky()?;
        let contrast = |a: usize, b: usize| space.reduced(&space.slope(self, a, b));
        let variance = |a: usize, b: usize| {
            let contrast = contrast(a, b);
            contrast.dot(&factor.solve(&contrast))
        };
        Some(self.worst_pair(variance)).filter(|found| found.is_finite() && *found > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::{Aggregate, Criterion};
    use crate::world::World;
    use crate::{Audit, Settings};

    #[test]
    fn the_planned_ratio_is_that_of_an_audit_of_so_many_rows() {
        let world = World::symmetric(2, 2, &[0.75; 3], 0.2);
        let situation =
            Situation::new(vec![0.5; 2], vec![0.4, 0.6], vec![TransitionMatrix::flips(0.25); 3]).unwrap();
        let plan = Plan::of(&situation, 0.05, 0.95, None);
        let (planned, rows) = (plan.ratio.unwrap(), plan.rows_without_labels.unwrap());
        assert!((planned.value - 2.0 / 3.0).abs() < 1e-12);
        // Around whatever number five samples give, the interval spans the planned factor within a tenth.
        let factors = (0..5).map(|seed| {
            let (counts, _) = world.sample(rows, seed).unwrap();
            let audit = Audit::run(&counts, None, &Settings::default()).unwrap();
            let groups = &audit.measures[0].groups;
            let ends = groups.iter().find_map(|group| group.adverse_impact_ratio.interval).unwrap();
            (ends.high / ends.low).ln()
        });
        let mean = factors.sum::<f64>() / 5.0;
        let wanted = (planned.high / planned.low).ln();
        assert!((mean / wanted - 1.0).abs() < 0.1, "{mean} for {wanted}");
    }

    #[test]
    fn planned_rows_give_the_planned_interval() {
        let world = World::symmetric(2, 2, &[0.7; 3], 0.2);
        let situation =
            Situation::new(vec![0.5; 2], vec![0.4, 0.6], vec![TransitionMatrix::flips(0.3); 3]).unwrap();
        let rows = situation.rows_for(0.05, 0.95).unwrap();
        let (counts, _) = world.sample(rows as u64, 3).unwrap();
        let audit = Audit::run(&counts, None, &Settings { n_boot: 200, ..Settings::default() }).unwrap();
        let parity = audit.recommended(Criterion::DemographicParity, Aggregate::Difference).unwrap();
        let interval = parity.interval.as_ref().unwrap();
        // The width of an interval from one sample varies by some percent.
        assert!((interval.ends.width() / 0.1 - 1.0).abs() < 0.15, "{interval:?}");
    }

    #[test]
    fn agreement_that_does_not_stand_out_leaves_the_direction() {
        // φ = (2·0.56 − 1)² = 0.0144 for flips of 0.44, and z = φ·√(3N): 4 at 25,720 rows.
        let proxies = vec![TransitionMatrix::flips(0.44); 3];
        let situation = Situation::new(vec![0.5, 0.5], vec![0.4, 0.6], proxies).unwrap();
        assert!(situation.direction_only(25_000.0) && !situation.direction_only(26_500.0));
    }

    #[test]
    fn what_rows_cannot_tell_is_not_planned() {
        let with = |proxies: usize, right: f64| {
            let proxies = vec![TransitionMatrix::symmetric(2, right); proxies];
            Situation::new(vec![0.5; 2], vec![0.5; 2], proxies).unwrap()
        };
        let copying = with(3, 0.75).with_copying(0.3).unwrap();
        assert_eq!(copying.rows_for(0.05, 0.95), Err(PlanError::Copying));
        assert!(
            copying.half_width(5_000.0, 0.0, 0.95).is_none()
                && copying.half_width(5_000.0, 200.0, 0.95).is_some()
        );
        assert!((1..3).all(|few| with(few, 0.75).half_width(5_000.0, 0.0, 0.95).is_none()));
        assert_eq!(with(3, 0.6).labels_beside(400.0, 0.02, 0.95), Err(PlanError::MoreThanRows { rows: 400 }));
        // Proxies that are always right are worth as many labels as there are rows.
        assert!(
            (with(3, 1.0).rows_for(0.05, 0.95).unwrap() / with(3, 1.0).labels_alone(0.05, 0.95) - 1.0).abs()
                < 1e-3
        );
    }

    #[test]
    fn rows_grow_as_proxies_weaken() {
        let rows = |right: f64| {
            let proxies = vec![TransitionMatrix::symmetric(2, right); 3];
            let situation = Situation::new(vec![0.5; 2], vec![0.5; 2], proxies).unwrap();
            let told = situation.rows_by_information(0.05, 0.95).unwrap();
            (told, situation.rows_for(0.05, 0.95).unwrap())
        };
        let [weak, moderate, good] = [0.58, 0.65, 0.8].map(rows);
        // 21k and 6.6k by the same formula computed elsewhere.
        assert!((weak.0 / 21_000.0 - 1.0).abs() < 0.02 && (moderate.0 / 6_650.0 - 1.0).abs() < 0.02);
        assert!(good.1 < 2_500.0);
        // The profile of a likelihood is wider than its information the weaker the proxies are.
        let wider = [weak, moderate, good].map(|(told, planned)| planned / told);
        assert!(wider[0] > wider[1] && wider[1] > wider[2] && wider[2] < 1.03 && wider[0] < 2.0, "{wider:?}");
    }

    #[test]
    fn proxies_that_know_nothing_cannot_be_planned_with() {
        let proxies = vec![TransitionMatrix::flips(0.5); 3];
        let situation = Situation::new(vec![0.5; 2], vec![0.5; 2], proxies).unwrap();
        assert_eq!(situation.rows_for(0.05, 0.95), Err(PlanError::NoInformation));
        // Rows beside 400 labels tell nothing: ± 1.96·√(2·(0.25/0.5)/400) = 0.0980. Student's quantile makes it 1.0061 times as
        // wide, predicting from five columns √(1 + 5/400) times; that both estimates are in the range adds 0.0017.
        let half = situation.half_width(10_000.0, 400.0, 0.95).unwrap();
        assert!((half - 0.1009).abs() < 1e-4, "{half}");
        // Labels beside rows are then a few more than labels alone.
        let beside =
            situation.labels_beside(10_000.0, 0.05, 0.95).unwrap() / situation.labels_alone(0.05, 0.95);
        assert!((1.0..1.06).contains(&beside), "{beside}");
    }
}
