//! Settings as keywords and jobs as functions: the one place where Python spells what the libraries name.

use fairveil_core::setting::{Dialect, Job, Setting};

/// The words of the Python package.
#[derive(Debug)]
pub struct Keywords;

impl Dialect for Keywords {
    fn setting(&self, setting: Setting, value: Option<&str>) -> String {
        let keyword = keyword(setting);
        match value {
            Some(value) if value.parse::<f64>().is_ok() => format!("{keyword}={value}"),
            Some(value) => format!("{keyword}={value:?}"),
            None => format!("{keyword}="),
        }
    }

    fn job(&self, job: Job) -> String {
        match job {
            Job::Apply => "Rule.predict".into(),
            Job::Count => "fairveil.Counts".into(),
            // What has no function is a command, which the package brings.
            Job::Demo | Job::Sql => format!("`fairveil {}`", job.name()),
            other => format!("fairveil.{}", other.name()),
        }
    }
}

/// The keyword of a setting: that of scikit-learn and fairlearn where they have one.
fn keyword(setting: Setting) -> &'static str {
    match setting {
        Setting::By => "control_features",
        Setting::Criterion => "criteria",
        Setting::For => "attribute",
        Setting::Proxy => "proxies",
        Setting::Seed => "random_state",
        Setting::Weight => "sample_weight",
        other => other.name(),
    }
}
