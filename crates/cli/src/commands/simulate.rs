//! `fairveil simulate`: a table whose true groups are known.

use crate::args::SimulateArgs;
use crate::output::{Outputs, Shown, is_standard, lost, tell};
use anyhow::{Context, bail};
use fairveil_core::disparity::measure;
use fairveil_core::{Aggregate, Criterion, World};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{BufWriter, Write};

/// The column of true groups.
pub const TRUTH: &str = "truth";

pub fn run(args: &SimulateArgs) -> anyhow::Result<()> {
    let world = world(args)?;
    let name = args.output.to_string_lossy().to_lowercase();
    let delimiter = if name.ends_with(".tsv") || name.ends_with(".tsv.gz") { b'\t' } else { b',' };
    if is_standard(&args.output) {
        write(&world, args.rows, args.seed, delimiter, std::io::stdout().lock()).map_err(lost)?;
    } else {
        if ![".csv", ".tsv", ".csv.gz", ".tsv.gz"].iter().any(|end| name.ends_with(end)) {
            bail!(
                "{}: the name must end in .csv or .tsv, with .gz if it is to be compressed",
                args.output.shown()
            );
        }
        // What is made up must not take the place of real people: a table is no input here that could be protected as one.
        if args.output.is_file() && !args.overwrite {
            bail!(
                "{}: this file is there already\n  needed: a new name\n  to do:  name another file, or say --overwrite",
                args.output.shown()
            );
        }
        let mut outputs = Outputs::default();
        let slot = outputs.reserve(&args.output)?;
        let file = outputs.writer(slot);
        let written = if name.ends_with(".gz") {
            let mut packed = GzEncoder::new(file, Compression::default());
            write(&world, args.rows, args.seed, delimiter, &mut packed)
                .and_then(|()| packed.try_finish().map_err(Into::into))
        } else {
            write(&world, args.rows, args.seed, delimiter, file)
        };
        written.with_context(|| outputs.unwritten(slot))?;
        outputs.commit()?;
    }
    tell(&truth(&world));
    Ok(())
}

fn world(args: &SimulateArgs) -> anyhow::Result<World> {
    if args.lending {
        return Ok(World::lending());
    }
    let proxies = args.proxies as usize;
    let accuracies = match args.accuracy.as_slice() {
        [all] => vec![*all; proxies],
        each if each.len() == proxies => each.to_vec(),
        each => {
            bail!("--accuracy has {} numbers\n  needed: 1, or as many as proxies ({proxies})", each.len())
        }
    };
    let world = World::symmetric(args.groups as usize, args.classes as usize, &accuracies, args.gap);
    let abstention = vec![vec![args.abstain; args.groups as usize]; proxies];
    Ok(world.with_copying(args.copying)?.with_abstention(abstention)?)
}

/// Writes simulated people row by row.
pub fn write(world: &World, rows: u64, seed: u64, delimiter: u8, out: impl Write) -> anyhow::Result<()> {
    let legend = world.legend();
    let mut table = csv::WriterBuilder::new().delimiter(delimiter).from_writer(BufWriter::new(out));
    let label = legend.label.as_deref();
    let names = [Some(legend.prediction.as_str()), label].into_iter().flatten();
    let names = names.chain(legend.proxies.iter().map(|proxy| proxy.name.as_str())).chain([TRUTH]);
    table.write_record(names)?;
    let whole = usize::try_from(rows).context("more rows than this machine can count")?;
    for person in world.people(seed).take(whole) {
        let prediction = Some(legend.class(person.stratum.prediction));
        let label = person.stratum.label.map(|label| legend.class(label));
        let guesses = person.guesses.iter().map(|guess| guess.map_or("", |guess| legend.group(guess)));
        let fields = [prediction, label].into_iter().flatten().chain(guesses);
        table.write_record(fields.chain([legend.group(person.group)]))?;
    }
    table.flush()?;
    Ok(())
}

/// What is true of the whole population, of which a table is a sample.
fn truth(world: &World) -> String {
    let value = |criterion: Criterion| {
        let positive = world.legend().positive;
        measure(&world.truth(criterion.view()), criterion, Aggregate::MeanPairwise, positive)
            .map_or("none".to_string(), |value| format!("{value:.4}"))
    };
    let values = Criterion::USUAL.map(|criterion| format!("{} {}", criterion.words(), value(criterion)));
    format!(
        "simulated; mean gaps in the population: {}. True groups are in column {TRUTH}.",
        values.join(", ")
    )
}
