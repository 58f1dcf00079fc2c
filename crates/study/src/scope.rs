//! How well scope `auto` chooses between one matrix for all strata and one for each.

use fairveil_core::counts::View;
use fairveil_core::disparity::pairs;
use fairveil_core::noise::TransitionMatrix;
use fairveil_core::record::Measurement;
use fairveil_core::world::WorldStratum;
use fairveil_core::{Aggregate, Audit, Criterion, Scope, Settings, World};

/// Two groups and a gap; among the selected, the proxies are right more often in one group and less often
/// in the other, by `shift`.
fn world(accuracy: f64, shift: f64, gap: f64) -> World {
    let base = World::symmetric(2, 2, &[accuracy; 3], gap);
    let strata = base.strata().iter().map(|part| {
        let tilt = if part.stratum.prediction == base.legend().positive { shift } else { -shift };
        let (first, second) = (accuracy + tilt / 2.0, accuracy - tilt / 2.0);
        let rows = vec![vec![first, 1.0 - first], vec![1.0 - second, second]];
        WorldStratum { noise: vec![TransitionMatrix::new(rows).unwrap(); 3], ..part.clone() }
    });
    World::new(base.legend().clone(), strata.collect()).unwrap()
}

/// Root mean squared errors of the signed gap by global, local and auto, over the samples in which all have a number,
/// and their share. Signed: a gap of the right size in the wrong direction is no success.
fn errors(world: &World, rows: u64, samples: u64) -> Option<([f64; 3], f64)> {
    let criterion = Criterion::DemographicParity;
    let truth = pairs(&world.truth(View::Predictions), criterion, world.legend().positive)[0].difference;
    let settings = Settings { n_boot: 0, criteria: vec![criterion], ..Settings::default() };
    let (mut squares, mut made) = ([0.0; 3], 0.0);
    for seed in 0..samples {
        let (counts, _) = world.sample(rows, 77_000 + seed).unwrap();
        let audit = Audit::run(&counts, None, &settings).unwrap();
        let value = |wanted: &dyn Fn(&Measurement) -> bool| {
            audit
                .results
                .iter()
                .find(|r| r.aggregate == Aggregate::Difference && wanted(r))
                .and_then(|r| r.pairs.first().map(|pair| pair.difference))
        };
        let by_moments = |scope| {
            move |r: &Measurement| {
                (r.origin.estimator, r.origin.scope) == (Some(fairveil_core::Estimator::Hoc), Some(scope))
            }
        };
        let global = value(&by_moments(Scope::Global));
        let local = value(&by_moments(Scope::Local));
        let auto = value(&|r| r.recommended);
        if let (Some(global), Some(local), Some(auto)) = (global, local, auto) {
            for (square, value) in squares.iter_mut().zip([global, local, auto]) {
                *square += (value - truth).powi(2);
            }
            made += 1.0;
        }
    }
    (made >= 5.0).then(|| (squares.map(|square| (square / made).sqrt()), made / samples as f64))
}

pub fn print(samples: u64) {
    let (mut auto, mut global, mut local) = (Vec::new(), Vec::new(), Vec::new());
    let grid = [0.6, 0.7, 0.8, 0.9].into_iter().flat_map(|accuracy| {
        [2_000, 10_000, 50_000].into_iter().flat_map(move |rows| {
            [0.0, 0.03, 0.1, 0.2]
                .into_iter()
                .flat_map(move |shift| [0.0, 0.25].into_iter().map(move |gap| (accuracy, rows, shift, gap)))
        })
    });
    for (accuracy, rows, shift, gap) in grid {
        let shift = f64::min(shift, 2.0 * (1.0 - accuracy));
        let Some((found, _)) = errors(&world(accuracy, shift, gap), rows, samples) else { continue };
        let better = found[0].min(found[1]);
        global.push(found[0] / better);
        local.push(found[1] / better);
        auto.push(found[2] / better);
    }
    println!(
        "Scope auto against always one scope: RMSE of the gap relative to the better of global and local, {} worlds, \
         {samples} samples each",
        auto.len()
    );
    for (name, ratios) in [("auto", auto), ("global", global), ("local", local)] {
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        let worst = ratios.iter().copied().fold(0.0, f64::max);
        println!("{name}: mean {mean:.2}, worst {worst:.2}");
    }
}
