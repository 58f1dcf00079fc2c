use super::{Diagnosis, Evidence, Severity};
use crate::vocabulary::Legend;

#[doc = include_str!("texts/P02.md")]
pub(super) struct IndependenceAssumed {
    pub proxies: Vec<String>,
    pub testable: bool,
}

impl Diagnosis for IndependenceAssumed {
    const CODE: &'static str = "P02";
    const TITLE: &'static str = "independent errors are assumed, not shown";

    fn severity(&self) -> Severity {
        Severity::Info
    }

    fn message(&self) -> String {
        match self.testable {
            false => "The calibrated numbers hold if the proxies err independently of each other given the group. With \
                      three proxies and two groups no data without known groups can show whether they do."
                .into(),
            true => "The calibrated numbers hold if the proxies err independently of each other and alike given the \
                     group. That is assumed here and not tested."
                .into(),
        }
    }

    fn advice(&self) -> String {
        "Use proxies built from different sources (a name and an address, not two models of the same name) and say so \
         beside the number. If errors are shared, the true gap is usually larger than the calibrated one."
            .into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![("proxies", self.proxies.as_slice().into())]
    }
}

impl IndependenceAssumed {
    pub(super) fn of(legend: &Legend) -> Self {
        let proxies: Vec<String> = legend.proxies.iter().map(|proxy| proxy.name.clone()).collect();
        IndependenceAssumed { testable: proxies.len() > 3 || legend.groups.len() > 2, proxies }
    }
}
