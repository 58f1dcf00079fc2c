#![no_main]

// For its ceiling on memory.
use fairveil_fuzz as _;

use fairveil_core::estimate::StatedNoise;
use fairveil_core::{Audit, Criterion, Estimator, EstimatorChoice, Settings, World};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(stated) = serde_json::from_slice::<StatedNoise>(data) else { return };
    let world = World::symmetric(2, 2, &[0.8; 3], 0.2);
    let Ok(given) = stated.given(world.legend()) else { return };
    // Error rates that make sense are audited with.
    let settings = Settings {
        n_boot: 0,
        criteria: vec![Criterion::DemographicParity],
        estimator: EstimatorChoice::Fixed(Estimator::Given),
        given: Some(given),
        ..Settings::default()
    };
    let (counts, _) = world.sample(500, 1).expect("a world has people");
    let _ = Audit::run(&counts, None, &settings);
});
