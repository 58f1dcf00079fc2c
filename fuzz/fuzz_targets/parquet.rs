#![no_main]

use fairveil_fuzz::claims;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    claims::columns_are_read_or_refused(data);
});
