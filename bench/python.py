"""The Python package against fairlearn, crowd-kit and the command line, in the same run. Prints a table; fails on nothing."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

warnings.simplefilter("ignore")

import fairlearn.metrics as theirs  # noqa: E402 warnings are not what is measured
import fairveil  # noqa: E402
from crowdkit.aggregation import DawidSkene  # noqa: E402
from fairveil import metrics as ours  # noqa: E402
from sklearn.metrics import accuracy_score  # noqa: E402

GROUPS = 2


def seconds(call, times=5):
    """Median wall and CPU seconds."""
    wall, cpu = [], []
    for _ in range(times):
        begun, spent = time.perf_counter(), time.process_time()
        call()
        wall.append(time.perf_counter() - begun)
        cpu.append(time.process_time() - spent)
    return statistics.median(wall), statistics.median(cpu)


def people(rows, seed=0):
    rng = np.random.default_rng(seed)
    group = (rng.random(rows) < 0.4).astype(np.int64)
    y_true = (rng.random(rows) < 0.5).astype(np.int64)
    y_pred = (rng.random(rows) < 0.5 - 0.2 * group).astype(np.int64)
    proxies = {f"proxy_{i}": np.where(rng.random(rows) < 0.2, 1 - group, group) for i in range(1, 4)}
    return y_true, y_pred, proxies


def told(name, mine, other, wanted):
    ratio = other[0] / mine[0]
    print(f"{name:58} {mine[0]:9.4f} s {other[0]:9.3f} s {ratio:8.1f} x   (CPU {mine[1]:.3f} s, {other[1]:.3f} s)  wanted {wanted}")


def stated_likelihood(audit, counts):
    """The log-likelihood that the package states: `misfit` is what it lacks to that of a table without a model, twice and by row."""
    cells = counts.to_frame(backend="pandas")["count"].to_numpy(dtype=float)
    rows = cells.sum()
    # One table of errors for each proxy, which is what Dawid and Skene fit.
    misfits = {one["misfit"] for one in audit.to_dict()["noise"] if one["scope"] == "global" and one["proxy"]}
    (misfit,) = misfits
    return float(cells @ np.log(cells / rows) - rows * misfit / 2)


def likelihood(guesses, decisions, matrices):
    """The log-likelihood of decisions and guesses with these errors, at the likeliest shares of groups and decisions: what a package
    that states none is held to."""
    cells = pd.DataFrame({"y": decisions, **guesses}).value_counts()
    keys, counts = np.array(cells.index.tolist()), cells.to_numpy(dtype=float)
    seen = np.ones((len(counts), GROUPS))
    for place, matrix in enumerate(matrices):
        seen *= np.asarray(matrix)[:, keys[:, place + 1]].T
    joint = np.full((GROUPS, 2), 1 / (2 * GROUPS))
    for _ in range(500):
        parts = seen * joint[:, keys[:, 0]].T
        weights = parts / parts.sum(axis=1, keepdims=True) * counts[:, None]
        joint = np.stack([[weights[keys[:, 0] == y, a].sum() for y in range(2)] for a in range(GROUPS)]) / counts.sum()
    return float(counts @ np.log((seen * joint[:, keys[:, 0]].T).sum(axis=1)))


def main():
    print(f"fairveil {fairveil.__version__}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"{'':58} {'fairveil':>11} {'peer':>11}")
    y_true, y_pred, proxies = people(1_000_000)
    group = proxies["proxy_1"]
    mine = seconds(lambda: ours.demographic_parity_difference(y_true, y_pred, proxies=proxies))
    other = seconds(lambda: theirs.demographic_parity_difference(y_true, y_pred, sensitive_features=group), 3)
    told("demographic_parity_difference, 1M rows, 3 proxies", mine, other, ">= 50 x")
    mine = seconds(lambda: fairveil.audit(y_pred=y_pred, y_true=y_true, proxies=proxies), 3)
    metrics = {
        "selection_rate": theirs.selection_rate,
        "true_positive_rate": theirs.true_positive_rate,
        "accuracy": accuracy_score,
    }
    frame = lambda: theirs.MetricFrame(  # noqa: E731 measured once
        metrics=metrics, y_true=y_true, y_pred=y_pred, sensitive_features=group
    ).by_group
    told("audit with all intervals, 1M rows; MetricFrame without any", mine, seconds(frame, 1), "> 1 x")

    _, y_pred, proxies = people(50_000, 1)
    fit = lambda: fairveil.audit(y_pred=y_pred, proxies=proxies, estimator="latent-class", n_boot=0)  # noqa: E731
    mine = seconds(fit, 9)
    audit = fit()
    wide = pd.DataFrame(proxies)
    long = wide.stack().reset_index()
    long.columns = ["task", "worker", "label"]
    skene = DawidSkene(n_iter=300, tol=0.0)
    begun = time.perf_counter(), time.process_time()
    skene.fit(long)
    other = time.perf_counter() - begun[0], time.process_time() - begun[1]
    told("latent class, 50k x 3; DawidSkene of 300 steps", mine, other, ">= 100 x")
    errors = skene.errors_
    theirs_t = [errors.loc[name].sort_index().T.sort_index().to_numpy() for name in proxies]
    best = max(
        likelihood(proxies, y_pred, theirs_t), likelihood(proxies, y_pred, [np.asarray(one)[::-1] for one in theirs_t])
    )
    stated = stated_likelihood(audit, fairveil.Counts.from_frame(y_pred=y_pred, proxies=proxies))
    print(f"    log-likelihood: fairveil {stated:.3f} as it states it, DawidSkene {best:.3f} by its error rates; wanted: ours >= theirs")

    y_true, y_pred, proxies = people(10_000_000, 2)
    table = pa.table({"y_pred": y_pred, "y_true": y_true, **proxies})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.arrow"
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=1 << 20)
        flags = [part for name in proxies for part in ("--proxy", name)]
        words = ["fairveil", "count", str(path), "-o", f"{folder}/tally.csv", "--quiet", *flags]
        script = (
            "import sys, time; from fairveil._native import run; begun = time.perf_counter(), time.process_time()\n"
            "assert run(sys.argv[1:]) == 0\n"
            "print(time.perf_counter() - begun[0], time.process_time() - begun[1])"
        )

        def by_command():
            done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, check=True)
            return tuple(map(float, done.stdout.split()))

        runs = [by_command() for _ in range(5)]
        command = tuple(statistics.median(column) for column in zip(*runs, strict=True))
        with pa.memory_map(str(path)) as mapped:
            there = pa.ipc.open_file(mapped).read_all()
            mine = seconds(lambda: fairveil.Counts.from_frame(there, proxies=list(proxies)))
    print(
        f"{'tally of 10M rows of Arrow; the command line':58} {mine[0]:9.4f} s {command[0]:9.3f} s"
        f" {mine[0] / command[0]:8.2f} x its time   wanted <= 1.2 x"
    )


if __name__ == "__main__":
    main()
