//! What was read, as plain data.

use crate::counts::Counts;
use crate::estimate::AuditLabels;
use crate::record::{Input, MechanismRecord, ProxyRecord};
use crate::vocabulary::{Proxy, ProxyId};

/// What was read.
pub(super) fn record(counts: &Counts) -> Input {
    let (legend, intake) = (counts.legend(), counts.intake());
    let proxy = |id: ProxyId| {
        let Proxy { name, source, lent_by } = legend.proxies[id.0].clone();
        let mechanism = counts.mechanism(id).map(|told| MechanismRecord {
            matrix: told.rows().to_vec(),
            epsilon: Some(told.epsilon().value()).filter(|epsilon| epsilon.is_finite()),
        });
        ProxyRecord { name, source, abstained: counts.abstained(id), lent_by, mechanism }
    };
    Input {
        rows: intake.rows,
        weight: counts.weight(),
        rows_without_prediction: intake.without_prediction,
        rows_without_label: legend.label.is_some().then_some(intake.without_label),
        rows_with_known_group: counts.audit_labels().map(AuditLabels::rows),
        prediction: legend.prediction.clone(),
        label: legend.label.clone(),
        groups: legend.groups.clone(),
        classes: legend.classes.clone(),
        positive: legend.class(legend.positive).to_owned(),
        label_classes: legend.label_classes.clone(),
        proxies: legend.all_proxies().map(proxy).collect(),
    }
}
