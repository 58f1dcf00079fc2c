//! Gates: a gap that must not be exceeded, and what an audit says to that.
//!
//! A gate looks at the range that stands on top: above the value it is crossed, at or below it held,
//! around it open.

use crate::record::Audit;
use crate::setting::{Refusal, Refuses};
use crate::uncertainty::Interval;
use crate::vocabulary::Criterion;
use crate::{shows_refusal, text};
use std::fmt;

/// A value that the gap in a criterion must not exceed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gate {
    /// The criterion.
    pub criterion: Criterion,
    /// The value.
    pub above: f64,
}

/// The state of a gate, from good to open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The whole interval lies at or below the value.
    Held,
    /// The whole interval lies above it.
    Crossed,
    /// The value lies inside, or there is no interval.
    Undecided,
}

/// One gate and its state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// The gate.
    pub gate: Gate,
    /// Its state.
    pub verdict: Verdict,
    /// The interval it was compared with.
    pub interval: Option<Interval>,
}

/// A gate on a criterion that the audit did not measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NotMeasured(pub Criterion);

impl Refuses for NotMeasured {
    fn refusal(&self) -> Refusal {
        Refusal::new(format!("{} was not measured", self.0.name()))
            .needed(text!["labels, and no {criterion} that leaves it out"])
            .to_do(text!["correct {fail_above}"])
    }
}

shows_refusal!(NotMeasured);

impl Gate {
    /// Compares an audit's interval with the value.
    ///
    /// ```
    /// # use fairveil_core::{Audit, Criterion, Settings, World};
    /// # use fairveil_core::gate::{Gate, Verdict};
    /// let (counts, _) = World::lending().sample(20_000, 0)?;
    /// let audit = Audit::run(&counts, None, &Settings::default())?;
    /// // A gap near 0.25, known to a few hundredths.
    /// let verdict = |above| Gate { criterion: Criterion::DemographicParity, above }.judge(&audit).map(|judged| judged.verdict);
    /// assert_eq!((verdict(0.05)?, verdict(0.25)?, verdict(0.60)?), (Verdict::Crossed, Verdict::Undecided, Verdict::Held));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn judge(self, audit: &Audit) -> Result<Judged, NotMeasured> {
        if !audit.settings.criteria.contains(&self.criterion) {
            return Err(NotMeasured(self.criterion));
        }
        let interval = audit.answer(self.criterion).and_then(|answer| answer.range);
        let verdict = match interval {
            Some(ends) if ends.low > self.above => Verdict::Crossed,
            Some(ends) if ends.high <= self.above => Verdict::Held,
            _ => Verdict::Undecided,
        };
        Ok(Judged { gate: self, verdict, interval })
    }
}

impl Judged {
    /// The state of several gates together: crossed if one is, else open if one is.
    pub fn together(judged: &[Judged]) -> Verdict {
        let states = || judged.iter().map(|judged| judged.verdict);
        if states().any(|state| state == Verdict::Crossed) {
            return Verdict::Crossed;
        }
        states().max().unwrap_or(Verdict::Held)
    }
}

impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let state = match self.verdict {
            Verdict::Held => "held",
            Verdict::Crossed => "crossed",
            Verdict::Undecided => "cannot be decided",
        };
        write!(f, "gate {} = {}: {state}: ", self.gate.criterion.name(), self.gate.above)?;
        match self.interval {
            Some(ends) => write!(f, "the gap is {:.3} to {:.3}", ends.low, ends.high),
            None => f.write_str("there is no interval"),
        }
    }
}
