#![no_main]

// For its ceiling on memory.
use fairveil_fuzz as _;

use fairveil_core::vocabulary::Guess;
use fairveil_ingest::{Mechanism, stated_matrix};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let told = |response: &fairveil_core::privacy::RandomizedResponse| {
        for guess in 0..response.rows().len() {
            for draw in [0.0, 0.5, 1.0 - f64::EPSILON / 2.0] {
                assert!(response.tell(Guess(guess), draw).0 < response.rows().len());
            }
        }
    };
    if let Ok((groups, response)) = stated_matrix(text) {
        assert_eq!(groups.len(), response.rows().len());
        told(&response);
    }
    let Ok(mechanism) = Mechanism::from_json(text) else { return };
    mechanism.columns.iter().for_each(|column| told(&column.response));
    assert!(mechanism.epsilon_per_row() >= 0.0);
    let written = mechanism.to_json("0");
    assert!(Mechanism::from_json(&written).expect("what was read is written and read again") == mechanism);
});
