//! People with known groups, column by column.

use crate::refused::of_setting;
use fairveil_core::World;
use fairveil_core::setting::Refusal;
use fairveil_core::world::WorldError;
use pyo3::prelude::*;

/// A world to draw people from.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct WorldAsked {
    lending: bool,
    groups: usize,
    classes: usize,
    accuracy: Vec<f64>,
    gap: f64,
    copying: f64,
    abstain: f64,
}

/// Codes of a column, row by row, and the names they stand for; a code below 0 stands for nothing.
type Column = (String, Vec<i32>, Vec<String>);

/// The column of true groups, as the command line writes it.
const TRUTH: &str = "truth";

/// Draws people; gives the columns of their table, as the command line writes them.
#[pyfunction]
pub fn simulate(py: Python, world: WorldAsked, rows: usize, seed: u64) -> PyResult<Vec<Column>> {
    let world = made(&world).map_err(|error| of_setting(py, &Refusal::new(error.to_string())))?;
    let legend = world.legend();
    let column = |name: &str, names: &[String]| (name.to_owned(), Vec::with_capacity(rows), names.to_vec());
    let mut columns: Vec<Column> = vec![column(&legend.prediction, &legend.classes)];
    columns.extend(legend.label.iter().map(|label| column(label, &legend.classes)));
    columns.extend(legend.proxies.iter().map(|proxy| column(&proxy.name, &legend.groups)));
    columns.push(column(TRUTH, &legend.groups));
    py.detach(|| {
        let code = |place: usize| i32::try_from(place).unwrap_or(-1);
        for person in world.people(seed).take(rows) {
            let label = legend.label.iter().map(|_| person.stratum.label.map_or(-1, |label| code(label.0)));
            let guesses = person.guesses.iter().map(|guess| guess.map_or(-1, |guess| code(guess.0)));
            let codes = std::iter::once(code(person.stratum.prediction.0)).chain(label).chain(guesses);
            let codes = codes.chain([code(person.group.0)]);
            columns.iter_mut().zip(codes).for_each(|((_, column, _), code)| column.push(code));
        }
    });
    Ok(columns)
}

fn made(asked: &WorldAsked) -> Result<World, WorldError> {
    if asked.lending {
        return Ok(World::lending());
    }
    let abstention = vec![vec![asked.abstain; asked.groups]; asked.accuracy.len()];
    let world = World::symmetric(asked.groups, asked.classes, &asked.accuracy, asked.gap);
    world.with_copying(asked.copying)?.with_abstention(abstention)
}
