//! Settings as flags and jobs as commands: the one place where the command line spells what the libraries name.

use fairveil_core::AuditError;
use fairveil_core::counts::MechanismError;
use fairveil_core::estimate::StatedError;
use fairveil_core::gate::NotMeasured;
use fairveil_core::plan::FromAuditError;
use fairveil_core::privacy::CostError;
use fairveil_core::setting::{Dialect, Job, Refusal, Refuses, Setting, visible};
use fairveil_ingest::{IngestError, NameProblem, PopulationProblem};
use fairveil_train::{MitigateError, RuleError};
use std::error::Error;

/// The words of the command line.
#[derive(Debug)]
pub struct Flags;

impl Dialect for Flags {
    fn setting(&self, setting: Setting, value: Option<&str>) -> String {
        let flag = format!("--{}", setting.name().replace('_', "-"));
        match value {
            Some(value) => format!("{flag} {value}"),
            None => flag,
        }
    }

    fn job(&self, job: Job) -> String {
        format!("fairveil {}", job.name())
    }
}

/// An error with all its causes, those of the libraries in the words of the command line.
pub fn told(error: &anyhow::Error) -> String {
    let causes = error.chain().map(|cause| match refusal(cause) {
        Some(refusal) => refusal.text().spelled(&Flags),
        None => lines(&cause.to_string()),
    });
    causes.collect::<Vec<_>>().join(": ")
}

/// A message of the command line itself: a line may be followed by what was needed and what to do, each once, and by nothing else.
fn lines(message: &str) -> String {
    let (message, to_do) = cut(message, "\n  to do:  ");
    let (found, needed) = cut(message, "\n  needed: ");
    format!("{}{needed}{to_do}", visible(found))
}

/// What stands before the last of these heads, and the rest with it.
fn cut<'m>(message: &'m str, head: &str) -> (&'m str, String) {
    match message.rsplit_once(head) {
        Some((before, after)) => (before, format!("{head}{}", visible(after))),
        None => (message, String::new()),
    }
}

/// What a library refused, where it was one of ours.
pub fn refusal(cause: &(dyn Error + 'static)) -> Option<Refusal> {
    macro_rules! first_of {
        ($($error:ty),* $(,)?) => {
            None$(.or_else(|| cause.downcast_ref::<$error>().map(Refuses::refusal)))*
        };
    }
    first_of![
        AuditError,
        MechanismError,
        StatedError,
        NotMeasured,
        FromAuditError,
        CostError,
        MitigateError,
        RuleError,
        IngestError,
        NameProblem,
        PopulationProblem,
        fairveil_ingest::MechanismError,
        fairveil_ingest::PeriodsError,
        fairveil_core::intersect::IntersectError,
    ]
}
