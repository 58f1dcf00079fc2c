"""Time and result of training with a wanted gap, against scikit-learn without one on the same rows in the same run.

Ours is the whole training: scores constrained to tolerance, then the target shifted until decisions meet it. The peer is
`LogisticRegression` with its defaults (L-BFGS), in single and in double precision, of which the faster counts. Prints a
table, writes target/bench-train/results.json, and ends with an error where a limit is missed. Twice: with numbers, and with
categories that become a thousand one-hot columns, which scikit-learn gets as a sparse matrix.

    train.py            1M × 50 and 1M × 1,000, best of three: minutes, 0.3 GB of disk
    train.py --quick    100k rows, best of two
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
CATEGORIES, LEVELS = 10, 100  # a thousand one-hot columns
CASES = ("numbers", "categories")
PROXIES = 3
RIGHT = 0.7  # of a proxy's guesses
CHUNK = 50_000  # rows made at a time

SLOWEST = {"numbers": 3.0, "categories": 5.0}  # of scikit-learn's seconds
MOST_GAP = 0.001  # of decisions, where 0 is wanted
MOST_RESIDUAL = 1e-4  # of scores, from their last target: what training is asked for


# ---- the rows --------------------------------------------------------------------------------------


def files(rows, case):
    start = rows if case == "numbers" else f"{rows}-{case}"
    return {name: FOLDER / f"{start}-{name}.npy" for name in ("features", "labels", "groups", "weights")}


def save(rows, case, made):
    """Files take their names when complete."""
    import numpy as np

    for name, path in files(rows, case).items():
        np.save(FOLDER / "unfinished.npy", np.ascontiguousarray(made[name]))
        (FOLDER / "unfinished.npy").rename(path)


def weights_of(rng, groups):
    """Of each row in the rate of one group minus that of the other, with the matrix that made the guesses."""
    import numpy as np

    guesses = np.where(rng.random((len(groups), PROXIES)) < RIGHT, groups[:, None], 1 - groups[:, None])
    back = np.linalg.inv(np.array([[RIGHT, 1 - RIGHT], [1 - RIGHT, RIGHT]])).T
    weights = back[:, guesses.astype(int)].mean(axis=2)  # by group and row
    weights /= weights.mean(axis=1, keepdims=True)
    return weights[1] - weights[0]


def write_categories(rows):
    """Ten categories of a hundred levels, some common and some rare; levels go with the group and with the label."""
    import numpy as np

    rng = np.random.default_rng([2026, rows, CATEGORIES * LEVELS])
    groups = (rng.random(rows) < 0.4).astype(np.float32)
    log_odds = 1.0 * (groups - 0.4) - 0.3
    codes = np.empty((rows, CATEGORIES), dtype=np.uint32)
    for category in range(CATEGORIES):
        common = 1 / (1 + np.arange(LEVELS)) ** 0.7  # the hundredth level has one row in four hundred
        tilt = np.exp(0.6 * rng.standard_normal(LEVELS))
        effect = 0.5 * rng.standard_normal(LEVELS)
        for group, shares in enumerate((common, common * tilt)):
            some = groups == group
            codes[some, category] = rng.choice(LEVELS, size=some.sum(), p=shares / shares.sum())
        log_odds = log_odds + effect[codes[:, category]]
    labels = (rng.random(rows) < 1 / (1 + np.exp(-log_odds))).astype(np.float32)
    save(rows, "categories", {"features": codes, "labels": labels, "groups": groups, "weights": weights_of(rng, groups)})


def matrix(rows, case, precision):
    """What scikit-learn gets."""
    import numpy as np

    features = np.load(files(rows, case)["features"])
    if case == "numbers":
        return features.astype(precision)
    import scipy.sparse

    columns = (features + LEVELS * np.arange(CATEGORIES, dtype=np.uint32)).astype(np.int32)
    starts = np.arange(0, columns.size + 1, CATEGORIES, dtype=np.int32)
    return scipy.sparse.csr_matrix((np.ones(columns.size, dtype=precision), columns.ravel(), starts),
                                   shape=(rows, CATEGORIES * LEVELS))


def write_numbers(rows):
    """Two groups that differ in some features and in the label; proxies; the same in every run."""
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
    save(rows, "numbers", {"features": features, "labels": labels, "groups": groups, "weights": weights_of(rng, groups)})


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


def ask_sklearn(rows, case, precision):
    """In a process of its own: scikit-learn, timed from rows in memory, as ours is."""
    import numpy as np
    import sklearn
    from sklearn.linear_model import LogisticRegression

    features, labels = matrix(rows, case, precision), np.load(files(rows, case)["labels"])
    start = time.perf_counter()
    model = LogisticRegression(solver="lbfgs").fit(features, labels)
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "version": sklearn.__version__, "iterations": int(model.n_iter_[0]),
                      "intercept": float(model.intercept_[0]), "coefficients": model.coef_[0].tolist()}))


def judge(rows, case, models):
    """In a process of its own: accuracy and gaps of the decisions of each model, all measured alike."""
    import numpy as np

    paths, features = files(rows, case), matrix(rows, case, "float64")
    labels, groups, weights = (np.load(paths[name]) for name in ("labels", "groups", "weights"))
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


def measure(case, rows, rounds, ours):
    """Both sides in turn; prints the table of one case."""
    if not all(path.exists() for path in files(rows, case).values()):
        print(f"making {rows} rows of {case}", flush=True)
        run(sys.executable, __file__, "write", rows, case)
    paths, slowest = files(rows, case), SLOWEST[case]
    taken = {"ours": [], "float32": [], "float64": []}
    for _ in range(rounds):
        taken["ours"].append(run(ours, paths["features"], paths["labels"], paths["weights"], THREADS))
        for precision in ("float32", "float64"):
            taken[precision].append(run(sys.executable, __file__, "ask", rows, case, precision))
    best = {side: min(times, key=lambda once: once["seconds"]) for side, times in taken.items()}
    peer = min(("float32", "float64"), key=lambda precision: best[precision]["seconds"])
    (FOLDER / "models.json").write_text(json.dumps(best))
    judged = run(sys.executable, __file__, "judge", rows, case, FOLDER / "models.json")
    us, ratio = best["ours"], best["ours"]["seconds"] / best[peer]["seconds"]
    met = ratio <= slowest and abs(judged["ours"]["gap"]) <= MOST_GAP and us["residual"] <= MOST_RESIDUAL
    held = "only what is not 0 held" if us["sparse"] else "all numbers held"
    print(f"\n{case}: {rows} × {us['columns']} ({held}), {PROXIES} proxies right {RIGHT:.0%} of the time, {THREADS} threads "
          f"each, best of {rounds} taken in turn")
    print("                          seconds  accuracy  positive      gap  true gap   log loss")
    for side, name in (("float32", "scikit-learn, float32"), ("float64", "scikit-learn, float64"), ("ours", "ours, gap 0 wanted")):
        row = judged[side]
        print(f"{name:24} {best[side]['seconds']:9.2f}  {row['accuracy']:8.4f}  {row['positive']:8.4f}  {row['gap']:+7.4f}  "
              f"{row['true_gap']:+8.4f}   {row['loss']:8.5f}")
    print(f"deciding alike for everyone: accuracy {judged['constant']:.4f}")
    print(f"ours: {us['stopped']}, {us['shifts']} shifts, {us['passes']} passes over all rows, {us['peak_mb'] or 0:.0f} MB at most; "
          f"scores {us['residual']:.1e} from their target, limit {MOST_RESIDUAL}; scikit-learn: {best[peer]['iterations']} iterations")
    print(f"ratio {ratio:.2f} to {peer}, limit {slowest}; gap limit {MOST_GAP}: {'met' if met else 'missed'}", flush=True)
    return {"rows": rows, "columns": us["columns"], "ratio": ratio, "peer": peer, "judged": judged, "rounds": taken, "met": met,
            "sklearn": best[peer]["version"]}


def main(quick):
    FOLDER.mkdir(parents=True, exist_ok=True)
    rows, rounds = (100_000, 2) if quick else (1_000_000, 3)
    ours, load = program(), os.getloadavg()[0]
    cases = {case: measure(case, rows, rounds, ours) for case in CASES}
    print(f"\nscikit-learn {cases['numbers']['sklearn']}, {THREADS} cores, load {load:.1f} before the run")
    results = {"cores": THREADS, "load_before": load, "cases": cases}
    (FOLDER / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    if not all(case["met"] for case in cases.values()):
        sys.exit("a limit was missed")


if __name__ == "__main__":
    if sys.argv[1:2] == ["write"]:
        {"numbers": write_numbers, "categories": write_categories}[sys.argv[3]](int(sys.argv[2]))
    elif sys.argv[1:2] == ["ask"]:
        ask_sklearn(int(sys.argv[2]), *sys.argv[3:])
    elif sys.argv[1:2] == ["judge"]:
        judge(int(sys.argv[2]), *sys.argv[3:])
    elif sys.argv[1:] in ([], ["--quick"]):
        main(quick=len(sys.argv) > 1)
    else:
        sys.exit(__doc__)
