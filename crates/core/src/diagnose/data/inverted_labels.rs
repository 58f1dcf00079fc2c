use crate::counts::Counts;
use crate::diagnose::{Diagnosis, Looked, SIGNIFICANT, finding};
use crate::setting::Text;
use crate::text;
use crate::uncertainty::normal_quantile;

finding! {
    /// # What it means
    /// In the whole table, selected people have the positive label clearly less often than the others. Decisions that are any
    ///   use go the other way.
    /// # Why it matters
    /// Most likely the positive label is not the one that was meant: default instead of repaid, say. Equalized odds and equal
    ///   opportunity then compare the wrong people. How often groups are selected does not depend on it.
    /// # What to do
    /// Check what the labels mean, and name the one that goes with being selected ({positive_label}). If the labels are right,
    ///   the decisions are worse than a coin.
    struct InvertedLabels {
        positive_label: String,
        among_selected: f64,
        among_others: f64,
    }
}

/// A difference that no one would act on is not worth a finding, however sure it is.
const LEAST: f64 = 0.05;

/// The shares with the positive label among selected people and among the others, if the first is clearly smaller: by more than
/// [`LEAST`], and beyond chance by a one-sided test of two proportions.
fn inverted(counts: &Counts) -> Option<(f64, f64)> {
    let positive = counts.legend().positive;
    let (mut with, mut of) = ([0.0; 2], [0.0; 2]);
    for (cell, tally) in counts.cells() {
        let Some(label) = cell.stratum.label else { continue };
        let side = usize::from(cell.stratum.prediction != positive);
        of[side] += tally.weight;
        with[side] += if label == positive { tally.weight } else { 0.0 };
    }
    if of.iter().any(|weight| *weight <= 0.0) {
        return None;
    }
    // Weights by design count as the rows they are worth.
    let rows = of.map(|weight| weight * counts.effective_rows() / counts.weight());
    let [selected, others] = [with[0] / of[0], with[1] / of[1]];
    let pooled = (with[0] + with[1]) / (of[0] + of[1]);
    let error = (pooled * (1.0 - pooled) * (1.0 / rows[0] + 1.0 / rows[1])).sqrt();
    // One-sided: all of the rejected tail lies below.
    let beyond = normal_quantile(1.0 - 2.0 * SIGNIFICANT) * error;
    (others - selected > LEAST.max(beyond)).then_some((selected, others))
}

impl Diagnosis<Looked<'_>> for InvertedLabels {
    const CODE: &'static str = "D18";
    const TITLE: &'static str = "labels look inverted";

    fn look(at: &Looked) -> Option<Self> {
        let (among_selected, among_others) = inverted(at.counts)?;
        let positive_label = at.legend().label(at.legend().positive);
        Some(InvertedLabels { positive_label, among_selected, among_others })
    }

    fn message(&self) -> String {
        format!(
            "{:.0} % of the selected people have {}, and {:.0} % of the others: decisions and labels point in opposite directions.",
            100.0 * self.among_selected,
            self.positive_label,
            100.0 * self.among_others
        )
    }

    fn advice(&self) -> Text {
        text!["Check which label goes with being selected, and name it: {positive_label}."]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{Cell, Intake, Tally};
    use crate::vocabulary::{Class, Guess, Legend, Stratum};
    use rand_distr::{Binomial, Distribution};
    use rand_pcg::Pcg64;
    use rand_pcg::rand_core::SeedableRng;

    /// Selected and others with and without the positive label.
    fn table(cells: [[f64; 2]; 2]) -> Counts {
        let legend = Legend::plain(2, 2, 1, true);
        let cell = |decided: usize, label: usize| Cell {
            stratum: Stratum { prediction: Class(decided), label: Some(Class(label)) },
            guesses: vec![Some(Guess(0))].into(),
        };
        let all = (0..2).flat_map(|decided| (0..2).map(move |label| (decided, label)));
        let rows: f64 = cells.iter().flatten().sum();
        let intake = Intake { rows: rows as u64, ..Intake::default() };
        let tally =
            |(decided, label): (usize, usize)| (cell(decided, label), Tally::of(cells[decided][label]));
        Counts::new(legend, intake, all.map(tally)).unwrap()
    }

    #[test]
    fn labels_that_point_against_the_decisions_are_found() {
        // Not selected: 30 without, 70 with the label; selected: 70 without, 30 with.
        assert_eq!(inverted(&table([[30.0, 70.0], [70.0, 30.0]])), Some((0.3, 0.7)));
        assert_eq!(inverted(&table([[70.0, 30.0], [30.0, 70.0]])), None);
        // As clear in shares, and too few to tell from chance.
        assert_eq!(inverted(&table([[3.0, 7.0], [5.0, 5.0]])), None);
        // Beyond chance, and too small to matter.
        assert_eq!(inverted(&table([[48_000.0, 52_000.0], [52_000.0, 48_000.0]])), None);
        // Labels of selected people alone, as a lender has them.
        assert_eq!(inverted(&table([[0.0, 0.0], [70.0, 30.0]])), None);
    }

    #[test]
    fn labels_that_have_nothing_to_do_with_decisions_are_found_in_one_table_of_a_hundred() {
        let mut random = Pcg64::seed_from_u64(1);
        let mut draw = |rows: u64, share: f64| Binomial::new(rows, share).unwrap().sample(&mut random);
        let found = (0..4_000).filter(|_| {
            let selected = draw(300, 0.4);
            let with = [300 - selected, selected].map(|rows| (draw(rows, 0.6) as f64, rows as f64));
            inverted(&table(with.map(|(with, rows)| [rows - with, with]))).is_some()
        });
        let share = found.count() as f64 / 4_000.0;
        // Four standard errors of a share of .01 in 4,000 tables are .0063.
        assert!((0.0037..0.0163).contains(&share), "{share}");
    }
}
