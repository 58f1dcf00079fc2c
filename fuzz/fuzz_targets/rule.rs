#![no_main]

// For its ceiling on memory.
use fairveil_fuzz as _;

use fairveil_train::{NeedKind, Rule, Value};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(rule) = Rule::from_json(text) else { return };
    let written = rule.to_json().expect("what was read is written");
    assert!(Rule::from_json(&written).expect("and read again") == rule);
    // Decisions about rows of every kind are made or refused.
    let needs = rule.needs();
    for numbers in [0.0, 1.0, -1e30, 1e300, f64::NAN, f64::INFINITY] {
        let values: Vec<Value> = needs
            .iter()
            .map(|need| match &need.kind {
                NeedKind::Category { levels } => levels.first().map_or(Value::Missing, |level| Value::Text(level)),
                _ => Value::Number(numbers),
            })
            .collect();
        let _ = rule.decide(&values);
        let _ = rule.decide(&vec![Value::Missing; values.len()]);
        let _ = rule.decide(&vec![Value::Text("x"); values.len()]);
    }
});
