#![no_main]

// For its ceiling on memory.
use fairveil_fuzz as _;

use fairveil_core::plan::{Plan, Situation};
use fairveil_core::record::Audit;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(audit) = serde_json::from_slice::<Audit>(data) else { return };
    let Ok(situation) = Situation::of_audit(&audit) else { return };
    let plan = Plan::of(&situation, 0.05, 0.95, Some(audit.input.rows));
    assert!(serde_json::to_string(&plan).is_ok());
});
