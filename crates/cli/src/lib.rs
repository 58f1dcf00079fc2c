//! `fairveil`: group disparities of a model, estimated from weak proxies only.
//!
//! Owns arguments, files and exit codes: 0 done, 1 a gate was crossed, 2 could not run, 3 a gate cannot be decided. The program is
//! [`run`]; the Python package brings it under the same name.

mod args;
mod chance;
mod commands;
mod database;
mod dialect;
mod given;
mod held;
mod intake;
mod looking;
mod mechanism;
mod nearness;
mod output;
mod places;
mod provenance;
mod signals;
mod telling;
mod threads;

use args::{Arguments, Command};
use clap::{CommandFactory, Parser};
use fairveil_core::gate::Verdict;
use fairveil_core::setting::visible;
use std::ffi::OsString;
use std::io::Write;

pub use args::{Outside, half_of_the_machine};
pub use commands::apply::Decider;
pub use commands::rule::rule_sql;
pub use dialect::{Flags, refusal};
pub use threads::with_threads;

/// Done.
const DONE: u8 = 0;
/// Could not run.
const REFUSED: u8 = 2;

/// What may be typed, for what completes it, the manual pages and the book.
pub fn command() -> clap::Command {
    Arguments::command()
}

/// Does what these words say, the first of which is the program's name, and gives the exit code. Once in the life of a process:
/// reports tell the words they were asked for with.
pub fn run(words: impl IntoIterator<Item = OsString>) -> u8 {
    provenance::asked(words);
    let arguments = match Arguments::try_parse_from(provenance::words()) {
        Ok(arguments) => arguments,
        // What was typed is repeated in the message: it may be an address with a password, or command a terminal.
        Err(error)
            if error.use_stderr()
                && (provenance::holds_password()
                    || typed()
                        .ne(provenance::words().iter().map(|word| word.to_string_lossy().into_owned()))) =>
        {
            let error = Arguments::try_parse_from(typed()).err().unwrap_or(error);
            provenance::concealed(&error.to_string()).trim_end().lines().for_each(output::tell);
            return REFUSED;
        }
        Err(error) => {
            // With nobody left to read it there is no one to tell.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(REFUSED);
        }
    };
    let done = match &arguments.command {
        Command::Audit(args) => commands::audit::run(args).map(exit),
        Command::Compare(args) => commands::compare::run(args).map(|()| DONE),
        Command::Monitor(args) => commands::monitor::run(args).map(exit),
        Command::Curve(args) => commands::curve::run(args).map(|()| DONE),
        Command::Intersect(args) => commands::intersect::run(args).map(|()| DONE),
        Command::Count(args) => commands::count::run(args).map(|()| DONE),
        Command::Privatize(args) => commands::privatize::run(args).map(|()| DONE),
        Command::Proxies(args) => commands::proxies::run(args).map(|()| DONE),
        Command::Apply(args) => commands::apply::run(args).map(|()| DONE),
        Command::Rule(args) => commands::rule::run(args).map(|()| DONE),
        Command::Plan(args) => commands::plan::run(args).map(|()| DONE),
        Command::Simulate(args) => commands::simulate::run(args).map(|()| DONE),
        Command::Demo(args) => commands::demo::run(args).map(|()| DONE),
        Command::Neighbors(args) => commands::neighbors::run(args).map(|()| DONE),
        Command::Mitigate(args) => commands::mitigate::run(args).map(|()| DONE),
        Command::Sql(args) => commands::sql::run(args).map(|()| DONE),
        Command::Explain(args) => commands::explain::run(args).map(|()| DONE),
        Command::Completions(args) => commands::completions::run(args).map(|()| DONE),
        Command::Man(args) => commands::man::run(args).map(|()| DONE),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            // With standard error gone there is no one left to tell.
            let message = provenance::concealed(&format!("error: {}", dialect::told(&error)));
            let _ = writeln!(anstream::stderr(), "{message}");
            REFUSED
        }
    }
}

/// The words of the command as they may be shown.
fn typed() -> impl Iterator<Item = String> {
    provenance::words().iter().map(|word| visible(&word.to_string_lossy()).into_owned())
}

/// Exit codes are part of the contract.
fn exit(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Held => DONE,
        Verdict::Crossed => 1,
        Verdict::Undecided => 3,
    }
}
