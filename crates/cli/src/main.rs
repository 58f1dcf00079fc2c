//! `fairveil`: group disparities of a model, estimated from weak proxies only.
//!
//! Owns arguments, files and exit codes: 0 done, 2 could not run (1 and 3 are kept for gates).

mod args;
mod commands;
mod output;

use args::{Arguments, Command};
use clap::Parser;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match &arguments.command {
        Command::Audit(args) => commands::audit::run(args),
        Command::Simulate(args) => commands::simulate::run(args),
        Command::Demo(args) => commands::demo::run(args),
        Command::Explain(args) => commands::explain::run(args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if output::reader_went_away(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // With standard error gone there is no one left to tell.
            let _ = writeln!(anstream::stderr(), "error: {error:#}");
            ExitCode::from(2)
        }
    }
}
