//! A number cut into bins: which one it lies in, and the bins of a table in order, as a curve takes them.
//!
//! A bin is named by where it begins, and the lowest, which has no beginning, `-inf`: a tally's own name of a bin lies in it again.

use fairveil_core::curve::Bin;
use fairveil_core::segments::Segment;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Where bins begin, lowest first; the one before the first has no beginning.
#[derive(Debug, Clone, PartialEq)]
pub struct Bins {
    cuts: Arc<[f64]>,
}

/// So many bins are told apart at most: more of them are people.
const MOST: usize = 200;

impl Bins {
    /// The bins that begin at these numbers.
    ///
    /// ```
    /// # use fairveil_ingest::Bins;
    /// let bins: Bins = "0.2,0.5,0.8".parse()?;
    /// assert_eq!(bins.name_of(0.5), "0.5");
    /// assert_eq!(bins.name_of(0.1), "-inf");
    /// // Tenths of what lies between 0 and 1, and steps of a quarter from 3 to 5.
    /// assert_eq!("10".parse::<Bins>()?.cuts().len(), 11);
    /// assert_eq!("3:5:0.25".parse::<Bins>()?.cuts(), [3.0, 3.25, 3.5, 3.75, 4.0, 4.25, 4.5, 4.75, 5.0]);
    /// # Ok::<(), String>(())
    /// ```
    pub fn new(cuts: Vec<f64>) -> Result<Bins, String> {
        if !(1..MOST).contains(&cuts.len()) {
            return Err(format!("{} cuts make no bins: 1 to {} are needed", cuts.len(), MOST - 1));
        }
        if !cuts.iter().all(|cut| cut.is_finite()) || !cuts.is_sorted_by(|a, b| a < b) {
            return Err("cuts are numbers, each above the one before".into());
        }
        Ok(Bins { cuts: cuts.into() })
    }

    /// Where bins begin.
    pub fn cuts(&self) -> &[f64] {
        &self.cuts
    }

    /// Where the bin begins that a number lies in.
    fn low_of(&self, number: f64) -> f64 {
        match self.cuts.partition_point(|cut| *cut <= number) {
            0 => f64::NEG_INFINITY,
            place => self.cuts[place - 1],
        }
    }

    /// The name of the bin that a number lies in.
    pub fn name_of(&self, number: f64) -> String {
        named(self.low_of(number))
    }

    /// The names of all bins, lowest first.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.lows().map(named)
    }

    fn lows(&self) -> impl Iterator<Item = f64> {
        std::iter::once(f64::NEG_INFINITY).chain(self.cuts.iter().copied())
    }

    /// The cut in the middle: where a decision is cut that nobody named.
    pub fn middle(&self) -> f64 {
        self.cuts[self.cuts.len() / 2]
    }

    /// Segments that are bins, all of them in order, and the rows that lie in none.
    pub fn of(&self, segments: Vec<Segment>) -> (Vec<Bin>, u64) {
        let mut bins: Vec<Bin> = self.lows().map(|low| Bin { low, counts: None }).collect();
        let mut without = 0;
        for segment in segments {
            let low = segment.values.first().and_then(|name| name.parse::<f64>().ok());
            match low.and_then(|low| bins.iter_mut().find(|bin| bin.low == low)) {
                Some(bin) => bin.counts = Some(segment.counts),
                None => without += segment.counts.intake().rows,
            }
        }
        (bins, without)
    }
}

fn named(low: f64) -> String {
    // As a table writes it.
    if low == f64::NEG_INFINITY { "-inf".to_owned() } else { low.to_string() }
}

impl FromStr for Bins {
    type Err = String;

    /// `20` equal bins from 0 to 1, `3:8:0.25` from, to and step, or the cuts themselves between commas.
    fn from_str(text: &str) -> Result<Bins, String> {
        let number = |text: &str| {
            let number: Option<f64> = text.trim().parse().ok();
            number
                .filter(|number| number.is_finite())
                .ok_or_else(|| format!("`{}` is no number", text.trim()))
        };
        if let Ok(bins @ 2..) = text.trim().parse::<usize>() {
            if bins >= MOST - 1 {
                return Err(format!("{bins} bins are too many: {} at most", MOST - 2));
            }
            return Bins::new((0..=bins).map(|place| place as f64 / bins as f64).collect());
        }
        let parts: Vec<&str> = text.split(':').collect();
        if let [from, to, step] = parts[..] {
            let (from, to, step) = (number(from)?, number(to)?, number(step)?);
            if step <= 0.0 || to <= from || (to - from) / step > MOST as f64 {
                return Err(format!("steps of {step} from {from} to {to} make no bins, or too many"));
            }
            let steps = ((to - from) / step + 1e-9).floor() as usize;
            // Multiples of the step as they are written: 0.1 · 3 is not 0.3.
            let digits = step
                .to_string()
                .split_once('.')
                .map_or(0, |(_, decimals)| decimals.len())
                .max(from.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len()));
            let cut =
                |place: usize| format!("{:.*}", digits, from + place as f64 * step).parse().unwrap_or(from);
            return Bins::new((0..=steps).map(cut).collect());
        }
        Bins::new(text.split(',').map(number).collect::<Result<_, _>>()?)
    }
}

impl fmt::Display for Bins {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let cuts: Vec<String> = self.cuts.iter().map(f64::to_string).collect();
        f.write_str(&cuts.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bins_name_lies_in_the_bin() {
        for text in ["20", "3:8:0.25", "0.1:0.9:0.1", "-5,0,1e6"] {
            let bins: Bins = text.parse().unwrap();
            for (name, low) in bins.names().zip(bins.lows()) {
                assert_eq!(bins.name_of(name.parse().unwrap()), name, "{text}");
                assert_eq!(bins.low_of(low), low);
            }
        }
        assert_eq!("0.1:0.3:0.1".parse::<Bins>().unwrap().cuts(), [0.1, 0.2, 0.3]);
    }

    #[test]
    fn what_makes_no_bins_is_refused_with_the_reason() {
        for text in ["", "1,1", "2,1", "a", "inf", "1:0:0.1", "0:1:0", "0:1e9:1", "500", "1e400"] {
            assert!(text.parse::<Bins>().is_err(), "{text}");
        }
    }
}
