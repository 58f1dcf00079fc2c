//! The paper's sampling: of all guesses that a row and its neighbours give, three are kept at random.

/// Three different places of so many, in random order. The same seed and row, the same places, on any thread.
pub(crate) fn three_of(seed: u64, row: u64, places: usize) -> [usize; 3] {
    // Two rounds, so that neither neighbouring rows nor neighbouring seeds have anything in common.
    let mut state = mix(mix(seed).wrapping_add(row));
    let mut left: Vec<usize> = (0..places).collect();
    std::array::from_fn(|_| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        // The high half of the product is uniform to one part in 2⁶⁰.
        let place = ((u128::from(mix(state)) * left.len() as u128) >> 64) as usize;
        left.remove(place)
    })
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014).
fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn every_ordered_triple_is_as_likely_as_any_other() {
        let draws = 120_000;
        let mut met: BTreeMap<[usize; 3], f64> = BTreeMap::new();
        (0..draws).for_each(|row| *met.entry(three_of(7, row, 6)).or_default() += 1.0);
        assert_eq!(met.len(), 6 * 5 * 4);
        // Each is expected 1000 times, give or take 32; of 120 the farthest is within five of those.
        assert!(met.values().all(|times| (times - 1000.0).abs() < 160.0), "{met:?}");
    }

    #[test]
    fn another_seed_gives_other_triples() {
        let same = (0..1000).filter(|row| three_of(0, *row, 6) == three_of(1, *row, 6)).count();
        // By chance one in 120.
        assert!(same < 30, "{same}");
    }
}
