"""Speed of fairveil against peers measured in the same run. Prints a table; fails on nothing."""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas as pd
from scipy.optimize import least_squares

ROOT = pathlib.Path(__file__).resolve().parent.parent
FAIRVEIL = ROOT / "target" / "release" / "fairveil"


def median_seconds(call, times=15):
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def compas():
    """The COMPAS table and its columns, or a simulated one of the same size where it is absent."""
    shared = pathlib.Path(os.environ.get("FAIRVEIL_SHARED", ROOT.parent / "shared" / "data"))
    path = shared / "compas" / "compas.csv"
    if path.exists():
        return path, "pred_tree", "y_true", ["census_2", "fl_2", "nc_2"]
    print("COMPAS is not here; a simulated table of 5,555 rows takes its place")
    path = pathlib.Path(tempfile.mkdtemp()) / "simulated.csv"
    subprocess.run([FAIRVEIL, "simulate", "-o", path, "--rows", "5555"], check=True, capture_output=True)
    return path, "y_pred", "y_true", ["proxy_1", "proxy_2", "proxy_3"]


def audit_against_pandas():
    path, y_pred, y_true, proxies = compas()
    flags = [part for proxy in proxies for part in ("--proxy", proxy)]
    command = [FAIRVEIL, "audit", path, "--y-pred", y_pred, "--y-true", y_true, *flags, "--json", "-"]

    def run(*more):
        return median_seconds(lambda: subprocess.run([*command, *more], check=True, capture_output=True))

    ours = run("--n-boot", "0")
    with_intervals = run()

    def counted():
        columns = [y_pred, y_true, *proxies]
        return pd.read_csv(path, usecols=columns).groupby(columns).size()

    theirs = median_seconds(counted)
    print(f"audit of {path.name}, from file to JSON, whole process    {1e3 * ours:8.2f} ms   (limit 50 ms)")
    print(f"  the same with all intervals and 2,000 draws              {1e3 * with_intervals:8.2f} ms   (limit 1,000 ms)")
    print(f"  pandas read_csv + groupby of the same columns, warm      {1e3 * theirs:8.2f} ms   ratio {ours / theirs:.2f}")


def moments(case):
    """Mean frequencies of ordered triples of guesses, with the pairs and singles that follow from them."""
    groups = case["groups"]
    third = np.zeros((groups,) * 3)
    for (i, j, k), share in case["patterns"]:
        for v, w, x in ((i, j, k), (i, k, j), (j, i, k), (j, k, i), (k, i, j), (k, j, i)):
            third[v, w, x] += share / 6
    return third


def scipy_fit(case):
    """The same moments matched by scipy's least squares from one start, on logits."""
    groups, third = case["groups"], moments(case)
    second, first = third.sum(2), third.sum((1, 2))

    def softmax(x):
        e = np.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    def residuals(theta):
        p, t = softmax(theta[:groups]), softmax(theta[groups:].reshape(groups, groups))
        return np.concatenate([
            p @ t - first,
            (np.einsum("a,ai,aj->ij", p, t, t) - second).ravel(),
            (np.einsum("a,ai,aj,ak->ijk", p, t, t, t) - third).ravel(),
        ])

    diagonal = np.log(0.7 * np.eye(groups) + 0.3 / groups)
    start = np.concatenate([np.zeros(groups), diagonal.ravel()])
    return least_squares(residuals, start, method="trf", xtol=1e-14, ftol=1e-14, gtol=1e-14)


def fits_against_scipy():
    limits = {2: "limit 20 µs", 5: "limit 20,000 µs"}
    for line in (ROOT / "target" / "fit.jsonl").read_text().splitlines():
        if not line.startswith("{"):
            continue
        case = json.loads(line)
        theirs = median_seconds(lambda: scipy_fit(case), times=3)
        misfit = np.linalg.norm(scipy_fit(case).fun)
        ours = case["micros"] / 1e6
        limit = limits.get(case["groups"])
        print(f"one fit, {case['groups']} groups, 20,000 rows                       "
              f"{1e6 * ours:10.1f} µs {'   (' + limit + ')' if limit else ''}")
        print(f"  scipy least_squares, one start, same moments          {1e6 * theirs:10.1f} µs   "
              f"ratio {ours / theirs:.4f}   misfit ours {case['misfit']:.2e}, theirs {misfit:.2e}")


if __name__ == "__main__":
    if not FAIRVEIL.exists():
        sys.exit("build first: make bench")
    audit_against_pandas()
    fits_against_scipy()
