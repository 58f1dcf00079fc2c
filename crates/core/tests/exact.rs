use fairveil_core::*;
#[test]
fn quick() {
    let mut worst: f64 = 0.0;
    for groups in 2..=5 {
        for classes in 2..=4 {
            for proxies in 3..=5 {
                if groups == 5 && proxies > 4 {
                    continue;
                }
                for own in [false, true] {
                    for seed in 0..4 {
                        let world = World::random(groups, classes, proxies, own, seed);
                        let seen = world.frequencies().view(View::Labelled).unwrap();
                        for scope in [Scope::Global, Scope::Local] {
                            if own && scope == Scope::Global {
                                continue;
                            }
                            let t = std::time::Instant::now();
                            let noise = Hoc { scope }.fit(&seen);
                            let el = t.elapsed();
                            let noise = match noise {
                                Ok(n) => n,
                                Err(e) => {
                                    println!("FAIL {groups} {classes} {proxies} {own} {seed}: {e}");
                                    continue;
                                }
                            };
                            if let NoiseModel::Global(f) = &noise {
                                println!(
                                    "{groups} {classes} {proxies} {seed} {:?} misfit {:e} {:?}",
                                    f.stopped, f.misfit, el
                                );
                            }
                            if let NoiseModel::Local(f) = &noise {
                                for (s, r) in f {
                                    match r {
                                        Err(e) => println!(
                                            "FAIL local {groups} {classes} {proxies} {own} {seed} {s:?}: {e}"
                                        ),
                                        Ok(f) => {
                                            if f.misfit > 1e-14 {
                                                println!(
                                                    "MISFIT {groups} {classes} {proxies} {own} {seed} {s:?} {:?} {:e}",
                                                    f.stopped, f.misfit
                                                )
                                            }
                                        }
                                    }
                                }
                            }
                            let j = calibrate(&seen, View::Labelled, &noise);
                            let truth = world.truth(View::Labelled);
                            for (s, sh) in truth.strata() {
                                for a in world.legend().all_groups() {
                                    if let Ok(c) = j.cell(a, s.label, s.prediction) {
                                        worst = worst.max((c - sh.unwrap()[a]).abs());
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    println!("worst {worst:e}");
}
