//! How well scope `auto` chooses between one matrix for all strata and one for each.

use fairveil_core::{
    Aggregate, Audit, Copying, Criterion, Measurement, Scope, Settings, TransitionMatrix, View, World,
    WorldStratum, measure,
};

/// Two groups and a gap of 0.25; among the selected, the proxies are right more often in one group and less often
/// in the other, by `shift`.
fn world(accuracy: f64, shift: f64) -> World {
    let base = World::symmetric(2, 2, &[accuracy; 3], 0.25);
    let strata = base.strata().iter().map(|part| {
        let tilt = if part.stratum.prediction == base.legend().positive { shift } else { -shift };
        let (first, second) = (accuracy + tilt / 2.0, accuracy - tilt / 2.0);
        let rows = vec![vec![first, 1.0 - first], vec![1.0 - second, second]];
        WorldStratum { noise: vec![TransitionMatrix::new(rows).unwrap(); 3], ..part.clone() }
    });
    let copying = Copying { probability: 0.0, proxies: base.legend().all_proxies().collect() };
    World::new(base.legend().clone(), strata.collect(), copying, vec![vec![0.0; 2]; 3]).unwrap()
}

/// Root mean squared errors of global, local and auto, over the samples in which all have a number, and their share.
fn errors(world: &World, rows: u64, samples: u64) -> Option<([f64; 3], f64)> {
    let criterion = Criterion::DemographicParity;
    let truth =
        measure(&world.truth(View::Predictions), criterion, Aggregate::Difference, world.legend().positive)
            .unwrap();
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
                .and_then(|r| r.value)
        };
        let global = value(&|r| r.scope == Some(Scope::Global));
        let local = value(&|r| r.scope == Some(Scope::Local));
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
    for accuracy in [0.62, 0.66, 0.70, 0.75, 0.80] {
        for rows in [2_000, 10_000, 50_000] {
            for shift in [0.0, 0.04, 0.08, 0.14, 0.2] {
                let Some((found, _)) = errors(&world(accuracy, shift), rows, samples) else { continue };
                let better = found[0].min(found[1]);
                global.push(found[0] / better);
                local.push(found[1] / better);
                auto.push(found[2] / better);
            }
        }
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
