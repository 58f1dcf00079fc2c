//! Words for being selected: a loan is not an alarm.

use fairveil_core::{Audit, SelectedIs};

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

    /// Which of the two groups is worse off, where that was said: `true` for the one that is selected more often.
    pub fn worse_is_more(self) -> Option<bool> {
        self.is.map(|is| is == SelectedIs::Adverse)
    }
}
