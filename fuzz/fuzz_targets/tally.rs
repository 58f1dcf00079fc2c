#![no_main]

use fairveil_fuzz::claims;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    claims::lines_are_read_or_refused(data);
    claims::a_tally_tells_what_its_table_tells(data);
});
