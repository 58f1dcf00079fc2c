"""Time and result of training with a wanted gap, against scikit-learn without one on the same rows in the same run.

Ours is the whole training: scores constrained to tolerance, then the target shifted until decisions meet it. The peer is
`LogisticRegression` with its defaults (L-BFGS), in single and in double precision, of which the faster counts. Prints a
table, writes target/bench-train/results.json, and ends with an error where a limit is missed.

    train.py            1M × 50, best of three: two minutes, 0.2 GB of disk
    train.py --quick    100k × 50, best of two
"""

# Only small modules here, the large ones inside the functions that run in a process of their own: while one
# side is timed, the other is not in memory.
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "target" / "bench-train"
THREADS = os.cpu_count()

COLUMNS = 50
PROXIES = 3
RIGHT = 0.7  # of a proxy's guesses
CHUNK = 50_000  # rows made at a time

SLOWEST = 3.0  # of scikit-learn's seconds
MOST_GAP = 0.001  # of decisions, where 0 is wanted
MOST_RESIDUAL = 1e-4  # of scores, from their last target: what training is asked for


# ---- the rows --------------------------------------------------------------------------------------


def files(rows):
    return {name: FOLDER / f"{rows}-{name}.npy" for name in ("features", "labels", "groups", "weights")}


def write_rows(rows):
    """Two groups that differ in some features and in the label; proxies; the same in every run.

    The weight of a row is that of its guesses in the rate of one group minus that of the other, with the matrix that
    made the guesses. Files take their names when complete.
    """
    import numpy as np

    rng = np.random.default_rng([2024, rows, COLUMNS])
    shift = np.where(np.arange(COLUMNS) < 10, 0.5, 0.0)
    slopes = rng.standard_normal(COLUMNS) * 0.3
    loadings = rng.standard_normal((5, COLUMNS)) * 0.5  # features share five causes
    scale = np.sqrt(1 + (loadings**2).sum(axis=0) + shift**2 * 0.24)
    features = np.empty((rows, COLUMNS), dtype=np.float32)
    groups, labels = np.empty(rows, dtype=np.float32), np.empty(rows, dtype=np.float32)
    for start in range(0, rows, CHUNK):
        size = min(CHUNK, rows - start)
        group = (rng.random(size) < 0.4).astype(float)
        x = rng.standard_normal((size, COLUMNS)) + rng.standard_normal((size, 5)) @ loadings
        x = (x + np.outer(group - 0.4, shift)) / scale
        log_odds = x @ slopes + 1.2 * (group - 0.4) - 0.3
        features[start:start + size] = x
        groups[start:start + size] = group
        labels[start:start + size] = rng.random(size) < 1 / (1 + np.exp(-log_odds))
    guesses = np.where(rng.random((rows, PROXIES)) < RIGHT, groups[:, None], 1 - groups[:, None])
    back = np.linalg.inv(np.array([[RIGHT, 1 - RIGHT], [1 - RIGHT, RIGHT]])).T
    weights = back[:, guesses.astype(int)].mean(axis=2)  # by group and row
    weights /= weights.mean(axis=1, keepdims=True)
    made = {"features": features, "labels": labels, "groups": groups, "weights": weights[1] - weights[0]}
    for name, path in files(rows).items():
        np.save(FOLDER / "unfinished.npy", np.ascontiguousarray(made[name]))
        (FOLDER / "unfinished.npy").rename(path)


# ---- the runners -----------------------------------------------------------------------------------


def run(*command):
    """A process from start to end: what it printed, as JSON."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: ended with {done.returncode}")
    return json.loads(done.stdout) if done.stdout else {}


def program():
    """Our side. Another build, say an older one, is measured by naming it in the environment."""
    if "TRAIN" in os.environ:
        return os.environ["TRAIN"]
    command = [os.environ.get("CARGO", "cargo"), "bench", "--locked", "--package", "fairveil-train",
               "--bench", "logistic", "--no-run", "--message-format", "json"]
    lines = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT).stdout.splitlines()
    built = [json.loads(line) for line in lines if '"executable":"' in line]
    return next(line["executable"] for line in built if line["target"]["name"] == "logistic")


def ask_sklearn(rows, precision):
    """In a process of its own: scikit-learn, timed from rows in memory, as ours is."""
    import numpy as np
    import sklearn
    from sklearn.linear_model import LogisticRegression

    paths = files(rows)
    features, labels = np.load(paths["features"]).astype(precision), np.load(paths["labels"])
    start = time.perf_counter()
    model = LogisticRegression(solver="lbfgs").fit(features, labels)
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "version": sklearn.__version__, "iterations": int(model.n_iter_[0]),
                      "intercept": float(model.intercept_[0]), "coefficients": model.coef_[0].tolist()}))


def judge(rows, models):
    """In a process of its own: accuracy and gaps of the decisions of each model, all measured alike."""
    import numpy as np

    paths = files(rows)
    features, labels, groups, weights = (np.load(paths[name]) for name in ("features", "labels", "groups", "weights"))
    results = {"constant": float(max(labels.mean(), 1 - labels.mean()))}
    for name, model in json.loads(pathlib.Path(models).read_text()).items():
        z = features @ np.array(model["coefficients"]) + model["intercept"]
        p = 1 / (1 + np.exp(-z))
        loss = np.mean(np.maximum(z, 0) - labels * z + np.log1p(np.exp(-np.abs(z))))
        results[name] = {"accuracy": float(((z > 0) == labels).mean()), "loss": float(loss),
                         "positive": float((z > 0).mean()), "gap": float((weights * (z > 0)).mean()),
                         "soft_gap": float((weights * p).mean()),
                         "true_gap": float((z > 0)[groups == 1].mean() - (z > 0)[groups == 0].mean())}
    print(json.dumps(results))


# ---- the table -------------------------------------------------------------------------------------


def main(quick):
    FOLDER.mkdir(parents=True, exist_ok=True)
    rows, rounds = (100_000, 2) if quick else (1_000_000, 3)
    ours, load = program(), os.getloadavg()[0]
    if not all(path.exists() for path in files(rows).values()):
        print(f"making {rows} rows", flush=True)
        run(sys.executable, __file__, "write", rows)
    paths = files(rows)
    taken = {"ours": [], "float32": [], "float64": []}
    for _ in range(rounds):
        taken["ours"].append(run(ours, paths["features"], paths["labels"], paths["weights"], THREADS))
        for precision in ("float32", "float64"):
            taken[precision].append(run(sys.executable, __file__, "ask", rows, precision))
    best = {side: min(times, key=lambda once: once["seconds"]) for side, times in taken.items()}
    peer = min(("float32", "float64"), key=lambda precision: best[precision]["seconds"])
    (FOLDER / "models.json").write_text(json.dumps(best))
    judged = run(sys.executable, __file__, "judge", rows, FOLDER / "models.json")
    us, ratio = best["ours"], best["ours"]["seconds"] / best[peer]["seconds"]
    met = ratio <= SLOWEST and abs(judged["ours"]["gap"]) <= MOST_GAP and us["residual"] <= MOST_RESIDUAL
    print(f"\n{rows} × {COLUMNS}, {PROXIES} proxies right {RIGHT:.0%} of the time, {THREADS} threads each, "
          f"best of {rounds} taken in turn")
    print("                          seconds  accuracy  positive      gap  true gap   log loss")
    for side, name in (("float32", "scikit-learn, float32"), ("float64", "scikit-learn, float64"), ("ours", "ours, gap 0 wanted")):
        row = judged[side]
        print(f"{name:24} {best[side]['seconds']:9.2f}  {row['accuracy']:8.4f}  {row['positive']:8.4f}  {row['gap']:+7.4f}  "
              f"{row['true_gap']:+8.4f}   {row['loss']:8.5f}")
    print(f"deciding alike for everyone: accuracy {judged['constant']:.4f}")
    print(f"ours: {us['stopped']}, {us['shifts']} shifts, {us['passes']} passes over all rows; scores {us['residual']:.1e} "
          f"from their target, limit {MOST_RESIDUAL}; scikit-learn: {best[peer]['iterations']} iterations")
    print(f"ratio {ratio:.2f} to {peer}, limit {SLOWEST}; gap limit {MOST_GAP}: {'met' if met else 'missed'}")
    print(f"\nscikit-learn {best[peer]['version']}, {THREADS} cores, load {load:.1f} before the run")
    results = {"cores": THREADS, "load_before": load, "rows": rows, "columns": COLUMNS, "ratio": ratio, "peer": peer,
               "judged": judged, "rounds": taken, "met": met}
    (FOLDER / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    if not met:
        sys.exit("a limit was missed")


if __name__ == "__main__":
    if sys.argv[1:2] == ["write"]:
        write_rows(int(sys.argv[2]))
    elif sys.argv[1:2] == ["ask"]:
        ask_sklearn(int(sys.argv[2]), sys.argv[3])
    elif sys.argv[1:2] == ["judge"]:
        judge(int(sys.argv[2]), sys.argv[3])
    elif sys.argv[1:] in ([], ["--quick"]):
        main(quick=len(sys.argv) > 1)
    else:
        sys.exit(__doc__)
