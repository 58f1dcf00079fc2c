//! From dates to periods: `2024-03-09T10:15` is in `2024-03`, and in `2024-W10`.
//!
//! A date is written as ISO 8601 has it, `YYYY-MM-DD`, alone or before a time; a period's own name (`2024-03`, `2024-Q1`,
//! `2024-W10`, `2024`) stands for itself. Whatever zone a time has, the date that is written counts.

use std::fmt;
use std::str::FromStr;

/// How long a period is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Every {
    /// A day, `2024-03-09`.
    Day,
    /// A week of ISO 8601, from Monday, `2024-W10`.
    Week,
    /// A month, `2024-03`.
    Month,
    /// A quarter, `2024-Q1`.
    Quarter,
    /// A year, `2024`.
    Year,
}

impl Every {
    /// All of them.
    pub const ALL: [Every; 5] = [Every::Day, Every::Week, Every::Month, Every::Quarter, Every::Year];

    /// The one name.
    pub const fn name(self) -> &'static str {
        match self {
            Every::Day => "day",
            Every::Week => "week",
            Every::Month => "month",
            Every::Quarter => "quarter",
            Every::Year => "year",
        }
    }

    /// The period that a date lies in; nothing where the text is no date.
    ///
    /// ```
    /// # use fairveil_ingest::Every;
    /// assert_eq!(Every::Month.of("2024-03-09 10:15:00").as_deref(), Some("2024-03"));
    /// assert_eq!(Every::Week.of("2024-12-30").as_deref(), Some("2025-W01"));
    /// assert_eq!(Every::Month.of("09.03.2024"), None);
    /// ```
    pub fn of(self, text: &str) -> Option<String> {
        let text = text.trim();
        if self.place(text).is_some() {
            return Some(text.to_owned());
        }
        let day = day(text)?;
        Some(self.named(self.place_of(day)))
    }

    /// Every period from one to another, in order; nothing where they are no periods, or too many.
    ///
    /// ```
    /// # use fairveil_ingest::Every;
    /// assert_eq!(Every::Quarter.between("2023-Q4", "2024-Q2").unwrap(), ["2023-Q4", "2024-Q1", "2024-Q2"]);
    /// ```
    pub fn between(self, first: &str, last: &str) -> Option<Vec<String>> {
        const MOST: i64 = 10_000;
        let (first, last) = (self.place(first)?, self.place(last)?);
        (last - first < MOST).then(|| (first..=last).map(|place| self.named(place)).collect())
    }

    /// The number of a period, one more than that of the one before.
    fn place(self, name: &str) -> Option<i64> {
        let year = |text: &str| digits(text, 4);
        let part = |mark: &str, most: i64| {
            let (of_year, part) = name.split_once(mark)?;
            let part =
                digits(part, if mark == "-Q" { 1 } else { 2 }).filter(|part| (1..=most).contains(part))?;
            Some((year(of_year)?, part))
        };
        match self {
            Every::Day => day(name).filter(|_| name.len() == 10),
            Every::Week => {
                let (year, week) = part("-W", 53)?;
                let monday = first_monday(year) + 7 * (week - 1);
                // Most years have no week 53.
                Some(monday / 7).filter(|_| monday < first_monday(year + 1))
            }
            Every::Month => part("-", 12).map(|(year, month)| 12 * year + month - 1),
            Every::Quarter => part("-Q", 4).map(|(year, quarter)| 4 * year + quarter - 1),
            Every::Year => year(name),
        }
    }

    fn place_of(self, day: i64) -> i64 {
        let (year, month, _) = civil(day);
        match self {
            Every::Day => day,
            Every::Week => monday(day) / 7,
            Every::Month => 12 * year + month - 1,
            Every::Quarter => 4 * year + (month - 1) / 3,
            Every::Year => year,
        }
    }

    fn named(self, place: i64) -> String {
        match self {
            Every::Day => {
                let (year, month, day) = civil(place);
                format!("{year:04}-{month:02}-{day:02}")
            }
            Every::Week => {
                let monday = 7 * place + MONDAY;
                // Its Thursday says which year a week belongs to.
                let (year, ..) = civil(monday + 3);
                format!("{year:04}-W{:02}", (monday - first_monday(year)) / 7 + 1)
            }
            Every::Month => format!("{:04}-{:02}", place.div_euclid(12), place.rem_euclid(12) + 1),
            Every::Quarter => format!("{:04}-Q{}", place.div_euclid(4), place.rem_euclid(4) + 1),
            Every::Year => format!("{place:04}"),
        }
    }
}

impl fmt::Display for Every {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Every {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        let known = Every::ALL.into_iter().find(|every| every.name() == name);
        known.ok_or_else(|| format!("`{name}` is none of {}", Every::ALL.map(Every::name).join(", ")))
    }
}

/// A whole number of so many digits.
fn digits(text: &str, letters: usize) -> Option<i64> {
    let all = text.len() == letters && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| all)
}

/// The day that a date or a timestamp names, counted from 0000-03-01.
fn day(text: &str) -> Option<i64> {
    let (date, time) = match text.get(..10) {
        Some(date) => (date, &text[10..]),
        None => return None,
    };
    let mut parts = date.split('-');
    let (year, month, day) =
        (digits(parts.next()?, 4)?, digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let number = number(year, month, day);
    let real = parts.next().is_none() && civil(number) == (year, month, day);
    (real && (time.is_empty() || is_time(time))).then_some(number)
}

/// `T10`, ` 10:15`, `T10:15:00.123Z`, `T10:15:00+01:00`.
fn is_time(text: &str) -> bool {
    let Some(time) = text.strip_prefix(['T', 't', ' ']) else { return false };
    let end = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
    let (clock, zone) = time.split_at(end);
    let clock = clock.trim_end();
    let (clock, fraction) = clock.split_once(['.', ',']).unwrap_or((clock, "0"));
    let number = |text: &str, most: i64| digits(text, 2).is_some_and(|number| number <= most);
    let mut parts = clock.split(':').zip([24, 59, 60]);
    let parted = clock.split(':').count() <= 3 && parts.all(|(part, most)| number(part, most));
    let zone = zone.trim_start_matches(['Z', 'z', '+', '-']);
    let zoned = zone.len() <= 6 && zone.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    parted && zoned && !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit())
}

/// 0000-03-01 was a Wednesday: the Monday after it.
const MONDAY: i64 = 5;

/// The Monday of a day's week.
fn monday(day: i64) -> i64 {
    day - (day - MONDAY).rem_euclid(7)
}

/// The Monday of the first week of a year: that of the 4th of January.
fn first_monday(year: i64) -> i64 {
    monday(number(year, 1, 4))
}

/// The number of a date in the calendar that is used today, counted from 0000-03-01: years begin in March, so that the leap
/// day is their last.
fn number(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    365 * year + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (153 * month + 2) / 5
        + day
        - 1
}

/// Year, month and day of a number.
fn civil(number: i64) -> (i64, i64, i64) {
    let era = number.div_euclid(146_097);
    let of_era = number.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + 400 * era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_in_the_periods_that_a_calendar_shows() {
        for (date, week) in [
            ("2021-01-03", "2020-W53"),
            ("2021-01-04", "2021-W01"),
            ("2024-12-29", "2024-W52"),
            ("2024-12-30", "2025-W01"),
            ("2016-01-01", "2015-W53"),
            ("2000-02-29", "2000-W09"),
        ] {
            assert_eq!(Every::Week.of(date).as_deref(), Some(week), "{date}");
        }
        assert_eq!(Every::Quarter.of("2024-07-01").as_deref(), Some("2024-Q3"));
        assert_eq!(Every::Year.of("1999-12-31T23:59:60Z").as_deref(), Some("1999"));
        assert_eq!(Every::Day.of("2024-02-29T10").as_deref(), Some("2024-02-29"));
        assert_eq!(Every::Month.of("2024-03").as_deref(), Some("2024-03"));
    }

    #[test]
    fn every_day_of_four_centuries_has_its_name_and_its_place() {
        let first = number(1900, 1, 1);
        for day in first..first + 146_097 {
            let (year, month, of_month) = civil(day);
            assert_eq!(number(year, month, of_month), day);
            for every in Every::ALL {
                let name = every.named(every.place_of(day));
                assert_eq!(every.place(&name), Some(every.place_of(day)), "{name}");
            }
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "2024",
            "2024-13",
            "2023-02-29",
            "2024-3-9",
            "09/03/2024",
            "20240309",
            "2024-03-09x",
            "2024-03-09T25",
            "2024-03-09T10:61",
            "2024-03-09T10:15:00+1000000",
            "soon",
            "2024-04-31",
            "２０２４-03-09",
        ] {
            assert_eq!(Every::Month.of(text), None, "{text}");
        }
        // A year without a week 53.
        assert_eq!(Every::Week.of("2024-W53"), None);
        assert_eq!(Every::Week.of("2020-W53").as_deref(), Some("2020-W53"));
    }

    #[test]
    fn periods_between_two_have_no_hole() {
        let months = Every::Month.between("2023-11", "2024-02").unwrap();
        assert_eq!(months, ["2023-11", "2023-12", "2024-01", "2024-02"]);
        let weeks = Every::Week.between("2020-W52", "2021-W02").unwrap();
        assert_eq!(weeks, ["2020-W52", "2020-W53", "2021-W01", "2021-W02"]);
        assert_eq!(Every::Day.between("2024-02-28", "2024-03-01").unwrap().len(), 3);
    }
}
