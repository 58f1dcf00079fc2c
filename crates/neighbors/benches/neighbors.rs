//! One search for `bench/neighbors.py`: reads the rows, looks for the neighbours once, says how long that took.
//!
//! ```text
//! neighbors <rows.npy> <exact|hnsw> <threads> <neighbours, written here>
//! ```
//! The rows are `f32` in row order. Written are two little-endian `u32` for each row. Printed is one line of JSON with
//! the seconds from rows in memory to neighbours, the recall of the graph and the most memory the process ever had.
#![allow(clippy::print_stdout, reason = "what it prints is what it is for")]

use fairveil_neighbors::{Metric, SearchMethod, Vectors, nearest};
use std::error::Error;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [rows, method, threads, found] = arguments.as_slice() else {
        println!("run `make bench WHAT=neighbors`");
        return Ok(());
    };
    let method = if method == "hnsw" { SearchMethod::Hnsw } else { SearchMethod::Exact };
    let (data, dimensions) = npy(rows)?;
    rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build_global()?;
    let start = Instant::now();
    let vectors = Vectors::new(data, dimensions, Metric::Cosine)?;
    let neighbors = nearest(&vectors, method, &|_, _| ());
    let seconds = start.elapsed().as_secs_f64();
    let recall = neighbors.recall.map_or("null".to_owned(), |recall| recall.to_string());
    println!("{{\"seconds\": {seconds}, \"recall\": {recall}, \"peak_mib\": {}}}", peak_mib()?);
    let mut file = BufWriter::new(File::create(found)?);
    for row in neighbors.nearest.as_flattened() {
        file.write_all(&row.to_le_bytes())?;
    }
    Ok(file.flush()?)
}

/// The numbers of a file of numpy's format 1 or 2 and how many make a row. Read in pieces: a second copy would count.
fn npy(path: &str) -> Result<(Vec<f32>, usize), Box<dyn Error>> {
    let mut file = BufReader::new(File::open(path)?);
    let mut start = [0; 8];
    file.read_exact(&mut start)?;
    let mut length = vec![0; if start[6] == 1 { 2 } else { 4 }];
    file.read_exact(&mut length)?;
    let length = length.iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte));
    let mut header = vec![0; length];
    file.read_exact(&mut header)?;
    let header = String::from_utf8(header)?;
    if !header.contains("'<f4'") || !header.contains("'fortran_order': False") {
        return Err(format!("{path}: rows of little-endian f32 are needed, found {header}").into());
    }
    let shape = header.split(['(', ')']).nth(1).ok_or("no shape")?;
    let mut sizes = shape.split(',').map(|size| size.trim().parse::<usize>());
    let (Some(rows), Some(dimensions)) = (sizes.next().transpose()?, sizes.next().transpose()?) else {
        return Err(format!("{path}: rows and columns are needed, found {shape}").into());
    };
    let mut data = Vec::with_capacity(rows * dimensions);
    let mut number = [0; 4];
    for _ in 0..rows * dimensions {
        file.read_exact(&mut number)?;
        data.push(f32::from_le_bytes(number));
    }
    Ok((data, dimensions))
}

/// The most memory this process ever had, as Linux keeps it.
fn peak_mib() -> Result<f64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? / 1024.0)
}
