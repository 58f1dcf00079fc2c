//! `seeds FOLDER` writes the seeds and ends. What is built with coverage ends in libFuzzer, this too.
#![no_main]
#![allow(unreachable_code)] // the macro goes on after the end

libfuzzer_sys::fuzz_target!(
    init: {
        let folder = std::env::args().nth(1).expect("seeds FOLDER");
        let written = fairveil_fuzz::seeds::write(folder.as_ref());
        std::process::exit(written.map_or_else(|error| panic!("{error}"), |()| 0))
    },
    |_data: &[u8]| {}
);
