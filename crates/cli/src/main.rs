//! `fairveil`: group disparities of a model, estimated from weak proxies only.
//!
//! Owns arguments, files and exit codes: 0 done, 1 a gate was crossed, 2 could not run, 3 a gate cannot be decided.

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
use clap::Parser;
use fairveil_core::gate::Verdict;
use fairveil_core::setting::visible;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        // What was typed is repeated in the message: it may be an address with a password, or command a terminal.
        Err(error)
            if error.use_stderr()
                && (provenance::holds_password()
                    || typed().ne(std::env::args_os().map(|word| word.to_string_lossy().into_owned()))) =>
        {
            let error = Arguments::try_parse_from(typed()).err().unwrap_or(error);
            provenance::concealed(&error.to_string()).trim_end().lines().for_each(output::tell);
            return ExitCode::from(2);
        }
        Err(error) => error.exit(),
    };
    let done = match &arguments.command {
        Command::Audit(args) => commands::audit::run(args).map(exit),
        Command::Compare(args) => commands::compare::run(args).map(|()| ExitCode::SUCCESS),
        Command::Count(args) => commands::count::run(args).map(|()| ExitCode::SUCCESS),
        Command::Privatize(args) => commands::privatize::run(args).map(|()| ExitCode::SUCCESS),
        Command::Proxies(args) => commands::proxies::run(args).map(|()| ExitCode::SUCCESS),
        Command::Apply(args) => commands::apply::run(args).map(|()| ExitCode::SUCCESS),
        Command::Plan(args) => commands::plan::run(args).map(|()| ExitCode::SUCCESS),
        Command::Simulate(args) => commands::simulate::run(args).map(|()| ExitCode::SUCCESS),
        Command::Demo(args) => commands::demo::run(args).map(|()| ExitCode::SUCCESS),
        Command::Neighbors(args) => commands::neighbors::run(args).map(|()| ExitCode::SUCCESS),
        Command::Mitigate(args) => commands::mitigate::run(args).map(|()| ExitCode::SUCCESS),
        Command::Sql(args) => commands::sql::run(args).map(|()| ExitCode::SUCCESS),
        Command::Explain(args) => commands::explain::run(args).map(|()| ExitCode::SUCCESS),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            // With standard error gone there is no one left to tell.
            let message = provenance::concealed(&format!("error: {}", dialect::told(&error)));
            let _ = writeln!(anstream::stderr(), "{message}");
            ExitCode::from(2)
        }
    }
}

/// The words of the command as they may be shown.
fn typed() -> impl Iterator<Item = String> {
    std::env::args_os().map(|word| visible(&word.to_string_lossy()).into_owned())
}

/// Exit codes are part of the contract.
fn exit(verdict: Verdict) -> ExitCode {
    match verdict {
        Verdict::Held => ExitCode::SUCCESS,
        Verdict::Crossed => ExitCode::from(1),
        Verdict::Undecided => ExitCode::from(3),
    }
}
