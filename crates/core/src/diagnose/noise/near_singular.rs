use crate::diagnose::{Diagnosis, Fitted, Looked, finding};

/// A condition of 10 is that of two groups guessed right 55 times in 100.
const LIMIT: f64 = 10.0;

finding! {
    /// # What it means
    /// The transition matrix of the proxies is close to singular: they guess almost alike whatever the group. Its condition
    ///   number says how much undoing the error can magnify sampling error in the counts.
    /// # Why it matters
    /// With two groups guessed right 55 times in 100 the factor is 10, and a sample of 10,000 rows often has no solution at
    ///   all.
    /// # What to do
    /// Trust the direction of the gap more than its size. Better proxies help more than more rows.
    struct NearSingular {
        place: String,
        condition: f64,
    }
}

impl Diagnosis<Looked<'_>> for NearSingular {
    const CODE: &'static str = "N04";
    const TITLE: &'static str = "undoing the error magnifies chance";
    const ADVICE: &'static str =
        "Trust the direction of the gap more than its size; bring more rows or better proxies.";

    fn look(at: &Looked) -> Vec<Self> {
        let of = |fitted: Fitted| NearSingular {
            condition: fitted.fit.value.transition.condition(),
            place: fitted.place,
        };
        at.fits().into_iter().map(of).filter(|found| found.condition >= LIMIT).collect()
    }

    fn message(&self) -> String {
        format!(
            "Among {}, undoing the proxies' error multiplies chance in the counts by up to {:.0}.",
            self.place, self.condition
        )
    }
}
