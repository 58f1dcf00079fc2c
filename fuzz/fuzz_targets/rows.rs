#![no_main]

use fairveil_fuzz::claims;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    claims::a_copy_can_be_read(data);
});
