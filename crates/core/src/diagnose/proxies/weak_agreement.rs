use crate::diagnose::{Diagnosis, Fitted, Looked, finding};
use crate::uncertainty::checks::informativeness;

finding! {
    /// # What it means
    /// Proxies that inform about the group agree more often than by chance. This measures by how many standard errors. It grows
    ///   with the proxies' accuracy and with the root of the number of rows. With more than two groups the pair of groups that
    ///   is hardest to tell apart counts.
    /// # Why it matters
    /// Below 4 the size of a gap cannot be measured, and no calibrated number is given. From 4 to 10 the number can be far off,
    ///   most often too large; the interval says how far. From 10 on the usual approximations hold.
    /// # What to do
    /// Report the interval. Replace the weakest proxy, bring more rows, or merge groups that the proxies cannot tell apart.
    struct WeakAgreement {
        place: String,
        z: f64,
    }
}

/// From here on estimates behave as the usual approximations say.
const STRONG: f64 = 10.0;

impl Diagnosis<Looked<'_>> for WeakAgreement {
    const CODE: &'static str = "P06";
    const TITLE: &'static str = "the proxies' agreement barely stands out from chance";
    const ADVICE: &'static str =
        "Report the interval, not the number alone. Better proxies help more than more rows.";

    fn look(at: &Looked) -> Vec<Self> {
        let weak = |Fitted { place, cells, rows, .. }: Fitted| {
            let z = informativeness(at.legend().groups.len(), cells, rows).filter(|z| *z < STRONG)?;
            Some(WeakAgreement { place, z })
        };
        at.fits().into_iter().filter_map(weak).collect()
    }

    fn message(&self) -> String {
        format!(
            "Among {}, the proxies' agreement stands out from chance by {:.1} standard errors; from {STRONG:.0} on \
             estimates are steady.",
            self.place, self.z
        )
    }
}
