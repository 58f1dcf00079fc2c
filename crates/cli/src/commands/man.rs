//! `fairveil man`: manual pages from the same words as `--help`.

use crate::args::ManArgs;
use crate::output::print_data;
use anyhow::bail;
use clap_mangen::Man;

pub fn run(args: &ManArgs) -> anyhow::Result<()> {
    let mut program = crate::command();
    program.build();
    let page = match &args.command {
        None => Man::new(program),
        Some(name) => match program.get_subcommands().find(|command| command.get_name() == name) {
            Some(command) => Man::new(command.clone()),
            None => {
                let names: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
                bail!(
                    "there is no command {name}\n  needed: one of {}\n  to do:  fairveil --help says what each does",
                    names.join(", ")
                )
            }
        },
    };
    let mut text = Vec::new();
    page.render(&mut text)?;
    print_data(&text)
}
