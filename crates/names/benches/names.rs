//! How long a table takes to read and a name to look up; `cargo bench -p fairveil-names`.
//!
//! Names are drawn from the table as they are borne: the k-th of a shuffled list in proportion to 1 / (k + 10). One in
//! ten is written with small letters, one in twenty is unknown.
#![allow(clippy::print_stdout, reason = "what it prints is what it is for")]

use fairveil_names::{Found, built_in_tables};
use std::error::Error;
use std::time::Instant;

const ROWS: usize = 2_000_000;
/// Rows that are timed together; the median of all blocks is printed, which other programs disturb little.
const BLOCK: usize = 5_000;

fn main() -> Result<(), Box<dyn Error>> {
    let before = resident_mib();
    println!(
        "{:<28} {:>8} {:>8} {:>8} {:>10} {:>10}",
        "table", "entries", "packed", "load ms", "typical ns", "spread ns"
    );
    for built_in in built_in_tables() {
        let start = Instant::now();
        let table = built_in.table()?;
        let load = start.elapsed().as_secs_f64() * 1e3;
        let mut state = 1;
        let mut entries: Vec<_> = table.entries().collect();
        for at in (1..entries.len()).rev() {
            entries.swap(at, below(&mut state, at + 1));
        }
        // The inverse of the cumulated weights ln(1 + k / 10).
        let most = (1.0 + entries.len() as f64 / 10.0).ln();
        let mut written = |zipf: bool| {
            let mut text = String::new();
            let mut ends = Vec::with_capacity(ROWS);
            for _ in 0..ROWS {
                let uniform = below(&mut state, 1 << 30) as f64 / f64::from(1 << 30);
                let place =
                    if zipf { 10.0 * ((uniform * most).exp() - 1.0) } else { uniform * entries.len() as f64 };
                let name = table.spelling(entries[(place as usize).min(entries.len() - 1)]);
                match below(&mut state, 20) {
                    0 => text.extend([
                        name,
                        if name.starts_with(|sign: char| sign.is_ascii_digit()) { "1" } else { "QX" },
                    ]),
                    1 | 2 => text.push_str(&name.to_lowercase()),
                    _ => text.push_str(name),
                }
                ends.push(text.len());
            }
            (text, ends)
        };
        let mut time = |zipf| {
            let (text, ends) = written(zipf);
            let (mut from, mut known, mut sum) = (0, 0, 0.0);
            let mut nanoseconds = Vec::new();
            for ends in ends.chunks(BLOCK) {
                let start = Instant::now();
                for &end in ends {
                    if let Found::Known(entry) = table.find(&text[from..end]) {
                        known += 1;
                        sum += table.probabilities(entry)[0];
                    }
                    from = end;
                }
                nanoseconds.push(start.elapsed().as_secs_f64() * 1e9 / ends.len() as f64);
            }
            assert!(known > ROWS * 9 / 10 && sum > 0.0);
            nanoseconds.sort_by(f64::total_cmp);
            nanoseconds[nanoseconds.len() / 2]
        };
        let (typical, spread) = (time(true), time(false));
        println!(
            "{:<28} {:>8} {:>8} {load:>8.1} {typical:>10.1} {spread:>10.1}",
            built_in.name,
            table.len(),
            built_in.packed_bytes()
        );
    }
    if let (Some(before), Some(after)) = (before, resident_mib()) {
        println!(
            "resident: {before:.0} MiB before, {after:.0} MiB with all tables and the last list of names"
        );
    }
    Ok(())
}

/// A whole number below `end`, by xorshift: a benchmark needs no better.
fn below(state: &mut u64, end: usize) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    ((*state >> 11) % end as u64) as usize
}

/// Memory this process has, where Linux tells.
fn resident_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<f64>().ok()? / 1024.0)
}
