//! The two nearest neighbours, against every pair compared in double precision.
#![allow(clippy::unwrap_used)] // tests may stop at the first surprise

use fairveil_neighbors::{EXACT_ROWS, Metric, Neighbors, SearchMethod, VectorProblem, Vectors, nearest};
use proptest::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

fn search(vectors: &Vectors, method: SearchMethod, threads: usize) -> Neighbors {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| nearest(vectors, method, &|_, _| ()))
}

fn exact(vectors: &Vectors) -> Neighbors {
    search(vectors, SearchMethod::Exact, 2)
}

/// Numbers between −1 and 1 that look random and are always the same.
fn numbers(seed: u64, how_many: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..how_many)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        })
        .collect()
}

/// Every pair of rows as they are stored, one sum of squares after the other; equal sums in order of rows.
fn by_hand(vectors: &Vectors) -> Vec<[u32; 2]> {
    let squared = |i: usize, j: usize| -> f64 {
        vectors.row(i).iter().zip(vectors.row(j)).map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2)).sum()
    };
    (0..vectors.rows())
        .map(|i| {
            let mut others: Vec<(f64, u32)> =
                (0..vectors.rows()).filter(|&j| j != i).map(|j| (squared(i, j), j as u32)).collect();
            others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            [others[0].1, others[1].1]
        })
        .collect()
}

/// Whole numbers, so that sums of squares are exact and ties are ties.
fn whole(seed: u64, how_many: usize, up_to: f32) -> Vec<f32> {
    numbers(seed, how_many).into_iter().map(|number| (number * up_to).round()).collect()
}

#[test]
fn every_row_gets_its_two_nearest_whatever_the_size_and_the_number_of_threads() {
    // 256 rows make a block: one short, one full, one over, and some that do not divide.
    for (rows, dimensions) in [(3, 1), (5, 2), (100, 3), (255, 7), (256, 8), (257, 9), (700, 17), (1030, 33)]
    {
        for metric in [Metric::Cosine, Metric::Euclidean] {
            let vectors = Vectors::new(numbers(rows as u64, rows * dimensions), dimensions, metric);
            let Ok(vectors) = vectors else { continue };
            let expected = by_hand(&vectors);
            for threads in [1, 2, 4] {
                let found = search(&vectors, SearchMethod::Exact, threads);
                assert_eq!(found.nearest, expected, "{rows} × {dimensions}, {metric:?}, {threads} threads");
                assert_eq!((found.method, found.recall), (SearchMethod::Exact, None));
            }
        }
    }
}

#[test]
fn distances_are_one_less_the_cosine_and_the_length_of_the_difference() {
    let data = vec![1.0, 0.0, 0.0, 2.0, -3.0, 0.0, 1.0, 1.0];
    let cosine = exact(&Vectors::new(data.clone(), 2, Metric::Cosine).unwrap());
    assert_eq!(cosine.nearest, [[3, 1], [3, 0], [1, 3], [0, 1]]);
    // Half the rounding of a number in single precision.
    let near = |found: f32, truth: f64| assert!((f64::from(found) - truth).abs() < 1e-7, "{found} {truth}");
    near(cosine.distances[0][0], 1.0 - 0.5_f64.sqrt());
    near(cosine.distances[2][0], 1.0);
    near(cosine.distances[2][1], 1.0 + 0.5_f64.sqrt());
    let euclidean = exact(&Vectors::new(data, 2, Metric::Euclidean).unwrap());
    assert_eq!(euclidean.nearest[0], [3, 1]);
    near(euclidean.distances[0][1], 5.0_f64.sqrt());
}

#[test]
fn a_thousand_equal_rows_get_the_lowest_of_them() {
    // Rows 300 to 1299 are equal, and far from a multiple of a block.
    let mut data = numbers(7, 1500 * 5);
    let same: Vec<f32> = data[..5].to_vec();
    (300..1300).for_each(|row| data[row * 5..][..5].copy_from_slice(&same));
    for metric in [Metric::Cosine, Metric::Euclidean] {
        let vectors = Vectors::new(data.clone(), 5, metric).unwrap();
        let found = exact(&vectors);
        assert_eq!(found.nearest, by_hand(&vectors));
        assert_eq!(
            (found.nearest[0], found.nearest[300], found.nearest[1299]),
            ([300, 301], [0, 301], [0, 300])
        );
        assert_eq!(found.distances[700], [0.0, 0.0]);
    }
}

#[test]
fn ties_between_different_rows_go_to_the_lower_number() {
    // Corners of cubes: most rows have many others at the same distance, and many have duplicates.
    for (rows, dimensions, up_to) in [(400, 6, 1.0), (900, 10, 1.0), (700, 2, 9.0), (600, 20, 2.0)] {
        let vectors =
            Vectors::new(whole(3, rows * dimensions, up_to), dimensions, Metric::Euclidean).unwrap();
        assert_eq!(exact(&vectors).nearest, by_hand(&vectors), "{rows} × {dimensions}");
    }
    // All pairs are equally far.
    let mut axes = vec![0.0; 300 * 300];
    (0..300).for_each(|row| axes[row * 301] = 1.0);
    let found = exact(&Vectors::new(axes, 300, Metric::Cosine).unwrap());
    assert_eq!((found.nearest[0], found.nearest[1], found.nearest[299]), ([1, 2], [0, 2], [0, 1]));
}

#[test]
fn rounding_far_from_zero_loses_no_neighbour() {
    // Steps of 1/8 at a million are the last bit of single precision; squares of a million have no such bit.
    let data: Vec<f32> = whole(5, 800 * 4, 60.0).into_iter().map(|step| 1e6 + step / 8.0).collect();
    let vectors = Vectors::new(data, 4, Metric::Euclidean).unwrap();
    assert_eq!(exact(&vectors).nearest, by_hand(&vectors));
    // From the largest numbers there are to the smallest.
    for scale in [1e38, 1e-38, 1e-44] {
        let data = numbers(11, 300 * 3).into_iter().map(|number| number * scale).collect();
        let vectors = Vectors::new(data, 3, Metric::Euclidean).unwrap();
        assert_eq!(exact(&vectors).nearest, by_hand(&vectors), "{scale}");
    }
    let mut data = numbers(13, 300 * 3);
    data[450] = 3e38;
    let vectors = Vectors::new(data, 3, Metric::Euclidean).unwrap();
    assert_eq!(exact(&vectors).nearest, by_hand(&vectors));
}

#[test]
fn rows_in_order_are_searched_as_rows_in_none() {
    let data = (0..2000).map(|row| row as f32).collect();
    let found = exact(&Vectors::new(data, 1, Metric::Euclidean).unwrap());
    assert_eq!(
        (found.nearest[0], found.nearest[1000], found.nearest[1999]),
        ([1, 2], [999, 1001], [1998, 1997])
    );
}

#[test]
fn what_has_no_neighbours_is_refused_with_the_place() {
    let new = |data: &[f32], dimensions, metric| Vectors::new(data.to_vec(), dimensions, metric).unwrap_err();
    let cosine = Metric::Cosine;
    assert_eq!(new(&[1.0, 2.0], 1, cosine), VectorProblem::TooFew { rows: 2 });
    assert_eq!(new(&[], 4, cosine), VectorProblem::TooFew { rows: 0 });
    assert_eq!(new(&[1.0; 4], 0, cosine), VectorProblem::Ragged { numbers: 4, dimensions: 0 });
    assert_eq!(new(&[1.0; 7], 2, cosine), VectorProblem::Ragged { numbers: 7, dimensions: 2 });
    assert_eq!(
        new(&[1.0, 2.0, 3.0, f32::NAN, 5.0, 6.0], 2, cosine),
        VectorProblem::NotFinite { row: 1, dimension: 1 }
    );
    assert_eq!(
        new(&[1.0, 2.0, f32::INFINITY], 1, Metric::Euclidean),
        VectorProblem::NotFinite { row: 2, dimension: 0 }
    );
    assert_eq!(new(&[1.0, 2.0, 0.0, -0.0, 5.0, 6.0], 2, cosine), VectorProblem::Zero { row: 1 });
    assert_eq!(new(&[2.0; 8], 2, Metric::Euclidean), VectorProblem::AllIdentical);
    // On a line through zero there are two directions; these three have the same.
    assert_eq!(new(&[1.0, 2.0, 3.0], 1, cosine), VectorProblem::AllIdentical);
    assert!(new(&[0.0; 3], 1, cosine).to_string().contains("row 0"));
}

#[test]
fn the_progress_ends_at_all_rows() {
    let last = std::sync::atomic::AtomicUsize::new(0);
    let vectors = Vectors::new(numbers(1, 3000), 3, Metric::Cosine).unwrap();
    nearest(&vectors, SearchMethod::Auto, &|done, total| {
        assert!(done <= total && total == 1000);
        last.fetch_max(done, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(last.into_inner(), 1000);
}

#[test]
fn small_tables_are_searched_exactly_by_default() {
    let vectors = Vectors::new(numbers(1, 3000), 3, Metric::Cosine).unwrap();
    assert!(vectors.rows() <= EXACT_ROWS);
    assert_eq!(search(&vectors, SearchMethod::Auto, 1), search(&vectors, SearchMethod::Exact, 2));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_table_of_whole_numbers_is_searched_as_by_hand(
        dimensions in 1_usize..6,
        data in prop::collection::vec(-3_i8..=3, 1..400),
        threads in 1_usize..5,
    ) {
        let whole = data.len() / dimensions * dimensions;
        let data = data[..whole].iter().map(|&number| f32::from(number)).collect();
        // Sums of squares of whole numbers are exact, so ties are the same in any order of addition.
        if let Ok(vectors) = Vectors::new(data, dimensions, Metric::Euclidean) {
            prop_assert_eq!(search(&vectors, SearchMethod::Exact, threads).nearest, by_hand(&vectors));
        }
    }
}

/// Rows around `clusters` places, as embeddings are.
fn clustered(rows: usize, dimensions: usize, clusters: usize) -> Vec<f32> {
    let (centres, mut noise) = (numbers(1, clusters * dimensions), numbers(2, rows * dimensions));
    for (row, noise) in noise.chunks_exact_mut(dimensions).enumerate() {
        let centre = &centres[row * 7919 % clusters * dimensions..][..dimensions];
        noise.iter_mut().zip(centre).for_each(|(noise, centre)| *noise = centre + 0.3 * *noise);
    }
    noise
}

#[test]
fn the_graph_finds_nearly_all_neighbours_and_says_how_many() {
    for metric in [Metric::Cosine, Metric::Euclidean] {
        let vectors = Vectors::new(clustered(6000, 16, 40), 16, metric).unwrap();
        let (graph, truth) = (search(&vectors, SearchMethod::Hnsw, 2), exact(&vectors));
        assert_eq!(graph.method, SearchMethod::Hnsw);
        let hits: usize = graph
            .nearest
            .iter()
            .zip(&truth.nearest)
            .map(|(found, truth)| truth.iter().filter(|neighbor| found.contains(neighbor)).count())
            .sum();
        let recall = hits as f64 / 12_000.0;
        assert!(recall >= 0.98, "{metric:?}: {recall}");
        // Three standard errors of a share of 0.98 of 2,048 neighbours.
        assert!((graph.recall.unwrap() - recall).abs() < 0.01, "{metric:?}: {:?} {recall}", graph.recall);
    }
}

#[test]
fn the_graph_is_the_same_on_any_number_of_threads() {
    let vectors = Vectors::new(clustered(5000, 12, 100), 12, Metric::Cosine).unwrap();
    let found = search(&vectors, SearchMethod::Hnsw, 1);
    assert_eq!(found, search(&vectors, SearchMethod::Hnsw, 2));
    assert_eq!(found, search(&vectors, SearchMethod::Hnsw, 4));
}

#[test]
fn the_graph_gives_every_row_two_others_even_where_rows_are_few_or_equal() {
    for data in [vec![1.0, 1.0, 2.0], vec![1.0, 2.0, 3.0], vec![5.0, 1.0, 5.0, 1.0, 5.0], numbers(3, 40)] {
        let vectors = Vectors::new(data, 1, Metric::Euclidean).unwrap();
        let found = search(&vectors, SearchMethod::Hnsw, 4);
        assert_eq!(found.nearest, by_hand(&vectors));
        assert_eq!(found.recall, Some(1.0));
    }
    // A thousand different rows, each three times.
    let data: Vec<f32> = numbers(9, 1000 * 4).repeat(3);
    let vectors = Vectors::new(data, 4, Metric::Cosine).unwrap();
    let found = search(&vectors, SearchMethod::Hnsw, 2);
    assert_eq!((found.nearest[5], found.nearest[1005]), ([1005, 2005], [5, 2005]));
    assert!(found.distances.iter().all(|&distances| distances == [0.0, 0.0]));
}

#[test]
fn a_search_that_panics_hands_out_no_rows() {
    let vectors = Vectors::new(numbers(4, 3000 * 4), 4, Metric::Euclidean).unwrap();
    for method in [SearchMethod::Exact, SearchMethod::Hnsw] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let fails = |_: usize, _: usize| panic!("told too often");
        let found = catch_unwind(AssertUnwindSafe(|| pool.install(|| nearest(&vectors, method, &fails))));
        assert!(found.is_err());
    }
}
