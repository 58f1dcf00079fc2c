//! One training for `bench/train.py`: reads the rows, learns once, says how long that took.
//!
//! ```text
//! logistic <rows.npy> <labels.npy> <weights of the constraint.npy> <threads>
//! ```
//! Features are `f32`, or `u32` where they are codes of categories, which become one-hot; labels are `f32`, weights `f64`, all in row
//! order. Printed is one line of JSON with the seconds from rows in
//! memory to a model that meets the constraint with hard decisions, and the model.
#![allow(clippy::print_stdout, reason = "what it prints is what it is for")]

use fairveil_train::{Aim, Design, Encoding, Feature, FeatureValues, LogisticSettings, Problem, logistic};
use std::error::Error;
use std::fs::File;
use std::io::{BufReader, Read};
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [rows, labels, weights, threads] = arguments.as_slice() else {
        println!("run `make bench WHAT=train`");
        return Ok(());
    };
    rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build_global()?;
    let features = design(rows)?;
    let labels: Vec<bool> =
        npy(labels, "<f4", f32::from_le_bytes)?.0.iter().map(|&label| label > 0.5).collect();
    let constraints = [npy(weights, "<f8", f64::from_le_bytes)?.0];
    let problem = Problem {
        features: &features,
        labels: &labels,
        weights: None,
        constraints: &constraints,
        targets: &[0.0],
        aim: Aim::default(),
    };
    let settings = LogisticSettings::default();
    let start = Instant::now();
    let found = logistic(&problem, &settings, None, &|_| ())?;
    let seconds = start.elapsed().as_secs_f64();
    let line = serde_json::json!({
        "seconds": seconds,
        "columns": features.columns(),
        "sparse": features.is_sparse(),
        "peak_mb": peak_mb(),
        "stopped": found.stopped.to_string(),
        "passes": found.passes,
        "rounds": found.rounds,
        "shifts": found.shifts,
        "residual": found.residual,
        "soft": found.soft,
        "hard": found.hard,
        "multipliers": found.multipliers,
        "loss": found.loss,
        "intercept": found.model.intercept,
        "coefficients": found.model.coefficients,
    });
    println!("{line}");
    Ok(())
}

/// The most memory that this process has had, where the system says it.
fn peak_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kilobytes| kilobytes / 1024.0)
}

/// Numbers as they are; codes of categories as the crate encodes them.
fn design(path: &str) -> Result<Design, Box<dyn Error>> {
    let table = |shape: Vec<usize>| match shape[..] {
        [rows, columns] => Ok((rows, columns)),
        _ => Err(format!("rows and columns are needed, found {shape:?}")),
    };
    let Ok((codes, shape)) = npy(path, "<u4", u32::from_le_bytes) else {
        let (values, shape) = npy(path, "<f4", f32::from_le_bytes)?;
        let (rows, columns) = table(shape)?;
        return Ok(Design::new(rows, columns, values));
    };
    let (rows, width) = table(shape)?;
    let feature = |place: usize| {
        let codes: Vec<u32> = codes.iter().skip(place).step_by(width).copied().collect();
        let most = codes.iter().copied().max().unwrap_or(0);
        // In the order of their names, so that columns are in the order of codes.
        let levels = (0..=most).map(|code| format!("{code:06}")).collect();
        Feature { name: format!("x{place:03}"), values: FeatureValues::Categories { levels, codes } }
    };
    let features: Vec<Feature> = (0..width).map(feature).collect();
    let rows: Vec<usize> = (0..rows).collect();
    Ok(Encoding::fit(&features, &rows, false)?.encode(&features, &rows)?)
}

/// The numbers of a file of numpy's format 1 or 2, and its shape.
fn npy<const SIZE: usize, T>(
    path: &str,
    kind: &str,
    number: impl Fn([u8; SIZE]) -> T,
) -> Result<(Vec<T>, Vec<usize>), Box<dyn Error>> {
    let mut file = BufReader::new(File::open(path)?);
    let mut start = [0; 8];
    file.read_exact(&mut start)?;
    let mut length = vec![0; if start[6] == 1 { 2 } else { 4 }];
    file.read_exact(&mut length)?;
    let length = length.iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte));
    let mut header = vec![0; length];
    file.read_exact(&mut header)?;
    let header = String::from_utf8(header)?;
    if !header.contains(kind) || !header.contains("'fortran_order': False") {
        return Err(
            format!("{path}: numbers of the kind {kind} in row order are needed, found {header}").into()
        );
    }
    let shape = header.split(['(', ')']).nth(1).ok_or("no shape")?;
    let sizes = shape.split(',').map(str::trim).filter(|size| !size.is_empty());
    let shape = sizes.map(str::parse).collect::<Result<Vec<usize>, _>>()?;
    let mut data = Vec::with_capacity(shape.iter().product());
    let mut bytes = [0; SIZE];
    for _ in 0..data.capacity() {
        file.read_exact(&mut bytes)?;
        data.push(number(bytes));
    }
    Ok((data, shape))
}
