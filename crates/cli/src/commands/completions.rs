//! `fairveil completions`: what makes a shell complete the command line.

use crate::args::CompletionsArgs;
use crate::output::print_data;

pub fn run(args: &CompletionsArgs) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::command(), "fairveil", &mut script);
    print_data(&script)
}
