//! Words for being selected: a loan is not an alarm.

use fairveil_core::criterion::Counted;
use fairveil_core::{Audit, Criterion, SelectedIs};

/// How reports speak of being selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Voice {
    is: Option<SelectedIs>,
}

impl Voice {
    pub fn of(audit: &Audit) -> Self {
        Voice { is: audit.settings.selected_is }
    }

    /// `selected`, or `flagged` where that is adverse.
    pub fn selected(self) -> &'static str {
        if self.is == Some(SelectedIs::Adverse) { "flagged" } else { "selected" }
    }

    /// Whether the group that is selected more often is named first: it is the one that bears it.
    pub fn more_first(self) -> bool {
        self.is == Some(SelectedIs::Adverse)
    }

    /// Which of the two groups is worse off, where that was said: `true` for the one with the higher rate.
    pub fn worse_is_more(self, criterion: Criterion) -> Option<bool> {
        let adverse = self.is? == SelectedIs::Adverse;
        match criterion.spec().within.counted() {
            Counted::Decisions | Counted::Labels => Some(adverse),
            Counted::Misses => Some(!adverse),
            // Whom a wrong decision hurts depends on the decision.
            Counted::Hits => None,
        }
    }
}
