//! How the rows of a part of the table are looked at where errors are learned from all of them.

use super::GapRecord;
use super::gaps::{Gap, gaps};
use crate::advise::ReliedOn;
use crate::answers::Answers;
use crate::audit::{self, Audited};
use crate::counts::{Counts, Frequencies};
use crate::criterion::Proportion;
use crate::diagnose::Finding;
use crate::headline::range_stands;
use crate::measures::Estimate;
use crate::record::{Audit, Origin};
use crate::settings::{AuditError, Settings};
use crate::uncertainty::bootstrap::redrawn;
use crate::uncertainty::checks::{WEAK, informativeness};
use crate::uncertainty::design::rows_of;
use crate::uncertainty::effective::effective_rows;
use crate::uncertainty::{Interval, Redraw, normal_quantile};
use crate::undo::{self, Undo};
use crate::vocabulary::{Criterion, Group, Legend};

/// So many tables are drawn anew to learn errors from.
const REDRAWN: usize = 100;

/// An audit of all rows without intervals, from which errors are learned.
pub(crate) struct Watch {
    audited: Audited,
    /// The tally, its proxies in the order of their names.
    sorted: Counts,
    criterion: Criterion,
    settings: Settings,
    /// The group that others stand beside.
    pub reference: Option<String>,
}

impl Watch {
    pub fn of(counts: &Counts, criterion: Criterion, settings: &Settings) -> Result<Watch, AuditError> {
        // Intervals of an audit are not what is needed of it here.
        let asked = Settings { criteria: vec![criterion], n_boot: 0, ..settings.clone() };
        let audited = audit::run(counts, None, &asked)?;
        let reference = audited.audit.settings.reference.clone();
        let sorted = counts.in_name_order().0;
        Ok(Watch { audited, sorted, criterion, settings: settings.clone(), reference })
    }

    pub fn audit(&self) -> &Audit {
        &self.audited.audit
    }

    pub fn counts(&self) -> &Counts {
        &self.sorted
    }

    /// What to doubt of what errors are learned from. It was asked for no interval.
    pub fn findings(&self) -> Vec<Finding> {
        self.audit().findings.iter().filter(|finding| finding.code != "U01").cloned().collect()
    }

    /// Why no number stands on top of an audit of all rows, where none does.
    pub fn withheld(&self) -> Option<String> {
        let reasons = self.audit().answers.first().map(|answer| &answer.reasons)?;
        let reasons: Vec<&str> = reasons.iter().map(|reason| reason.text.as_str()).collect();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    /// What errors were learned by and from, and the group that others stand beside; or why there are none.
    pub fn learned(&self) -> Result<(&ReliedOn, &Answers, Group), String> {
        let Audited { audit, relied_on, answers } = &self.audited;
        let answer = audit.answers.first();
        if answer.is_some_and(|answer| !answer.reasons.is_empty() && !range_stands(&answer.reasons)) {
            return Err(self.withheld().unwrap_or_default());
        }
        let view = self.criterion.view();
        let relied = relied_on.iter().find(|relied| relied.view == view);
        let relied = relied.ok_or("no error rates of the proxies can be learned from these rows")?;
        let answers = answers.iter().find(|answers| answers.view == view).ok_or("no row has a label")?;
        let known = informativeness(answers.seen.groups(), answers.seen.cells(), answers.rows);
        if relied.estimator.trusts_agreement() && known.is_none_or(|known| known < WEAK) {
            return Err("the proxies agree too little beyond chance to learn their errors from".into());
        }
        let groups = &self.sorted.legend().groups;
        let reference = groups.iter().position(|group| Some(group) == self.reference.as_ref());
        Ok((relied, answers, reference.map(Group).ok_or("no group is larger than the others")?))
    }

    /// How parts are looked at, or why that cannot be done.
    pub fn watching(&self) -> Result<Watching<'_>, String> {
        Watching::of(self, self.learned()?)
    }
}

/// How every period is looked at.
pub(crate) struct Watching<'a> {
    legend: &'a Legend,
    criterion: Criterion,
    settings: &'a Settings,
    origin: Origin,
    reference: Group,
    told: Vec<Proportion>,
    /// By what is relied on.
    undo: Undo,
    /// By the same on tables drawn anew.
    drawn: Vec<Undo>,
    /// With shared error taken out, and by other explanations that fit.
    others: Vec<Undo>,
}

impl<'a> Watching<'a> {
    fn of(
        watch: &'a Watch,
        (relied, answers, reference): (&ReliedOn, &Answers, Group),
    ) -> Result<Self, String> {
        let Watch { sorted, criterion, settings, .. } = watch;
        let (legend, view) = (sorted.legend(), criterion.view());
        let proxies = legend.proxies.len();
        let undo =
            Undo::of(&relied.found.noise, proxies).ok_or("some errors of the proxies cannot be undone")?;
        let table = Redraw {
            seen: &answers.seen,
            view,
            rows: answers.rows,
            draws: settings.n_boot.min(REDRAWN),
            seed: settings.seed,
        };
        let explained = |seen: &Frequencies| {
            let found = relied.estimator.explain(seen, view).ok()?;
            Undo::of(&found.noise, proxies)
        };
        let drawn = match relied.estimator.trusts_agreement() {
            true => redrawn(table, explained).into_iter().flatten().collect(),
            false => Vec::new(),
        };
        Ok(Watching {
            legend,
            criterion: *criterion,
            settings,
            origin: relied.origin.clone(),
            reference,
            told: criterion.spec().told(legend.classes.len(), legend.positive),
            undo,
            drawn,
            others: undo::others(relied, answers, settings),
        })
    }

    /// Every gap of some rows.
    pub fn look(&self, counts: &Counts) -> Result<Look, String> {
        let view = self.criterion.view();
        let seen = counts.frequencies().view(view).ok_or("no row has a label")?;
        let rows = effective_rows(counts, view, &seen, rows_of(counts, view, None)).calibrated;
        let by = |undo: &Undo| -> Vec<Option<Gap>> {
            self.told.iter().flat_map(|rate| gaps(&seen, rows, undo, *rate, self.reference)).collect()
        };
        let look = Look {
            found: by(&self.undo),
            drawn: self.drawn.iter().map(by).collect(),
            others: self.others.iter().map(by).collect(),
        };
        match look.found.iter().flatten().next() {
            Some(_) => Ok(look),
            None => Err("too few rows to tell a rate of two groups".into()),
        }
    }

    pub fn records(&self, look: &Look) -> Vec<GapRecord> {
        let groups = self.legend.groups.len();
        let reach = normal_quantile(self.settings.confidence);
        let record = |(place, gap): (usize, &Option<Gap>)| {
            let group = Group(place % groups);
            let found = gap.filter(|gap| possible(*gap));
            let ends = |gap: Gap, more: f64| {
                let reach = reach * (gap.variance + more).sqrt();
                let ends = Interval { low: gap.difference() - reach, high: gap.difference() + reach };
                ends.within(Interval::SIGNED)
            };
            let errors = look.of_errors(place);
            let interval = found.map(|gap| ends(gap, errors));
            let others = look.others.iter().filter_map(|gaps| gaps[place]).map(|gap| ends(gap, errors));
            let honest = interval.map(|interval| others.fold(interval, Interval::and));
            let missing = found.is_none().then(|| "its rate would be that of no population here".to_owned());
            (group != self.reference).then(|| GapRecord {
                group: self.legend.group(group).to_owned(),
                label: self.told[place / groups].among.name(self.legend),
                rate: found.map(|gap| gap.rate),
                reference_rate: found.map(|gap| gap.reference_rate),
                difference: Estimate {
                    value: found.map(Gap::difference),
                    interval,
                    honest_interval: honest.filter(|_| !self.others.is_empty()),
                    unavailable: missing,
                },
            })
        };
        look.found.iter().enumerate().filter_map(record).collect()
    }

    /// Of which errors.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// What undoes the errors that were learned.
    pub fn undo(&self) -> &Undo {
        &self.undo
    }

    /// The same learned from tables drawn anew.
    pub fn drawn(&self) -> &[Undo] {
        &self.drawn
    }

    /// The same of errors that may be true too.
    pub fn others(&self) -> &[Undo] {
        &self.others
    }

    /// How often an interval should hold.
    pub fn confidence(&self) -> f64 {
        self.settings.confidence
    }

    /// Every rate of every group but the reference.
    pub fn places(&self) -> impl Iterator<Item = usize> {
        let (groups, reference) = (self.legend.groups.len(), self.reference.0);
        (0..self.told.len() * groups).filter(move |place| place % groups != reference)
    }

    /// The group of such a place, and the part of the people among whom its rate is taken.
    pub fn named(&self, place: usize) -> (String, Option<String>) {
        let groups = self.legend.groups.len();
        let group = self.legend.group(Group(place % groups)).to_owned();
        (group, self.told[place / groups].among.name(self.legend))
    }
}

/// Rates that a population can have, up to what chance does.
fn possible(gap: Gap) -> bool {
    Interval::SIGNED.holds(gap.difference())
}

/// What one period says, group by group within each rate.
pub(crate) struct Look {
    pub found: Vec<Option<Gap>>,
    pub drawn: Vec<Vec<Option<Gap>>>,
    pub others: Vec<Vec<Option<Gap>>>,
}

impl Look {
    /// What not knowing the errors adds to the variance of a gap.
    pub fn of_errors(&self, place: usize) -> f64 {
        let drawn: Vec<f64> = self.drawn.iter().filter_map(|gaps| gaps[place]).map(Gap::difference).collect();
        spread(&drawn)
    }
}

pub(super) fn spread(values: &[f64]) -> f64 {
    if values.len() < 10 {
        return 0.0;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64
}
