//! The program `fairveil`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(fairveil::run(std::env::args_os()))
}
