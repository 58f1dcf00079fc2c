"""Time of `fairveil count` with an outcome against the same rows without one, on the same files in the same run.

    outcome.py            10M rows, five rounds; 1 GB of disk
    outcome.py --quick    1M rows, two rounds

A missed limit is only printed.
"""

import os
import pathlib
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

ROOT = pathlib.Path(__file__).resolve().parent.parent
FAIRVEIL = os.environ.get("FAIRVEIL", ROOT / "target" / "release" / "fairveil")
FOLDER = ROOT / "target" / "bench-outcome"
CHUNK = 1_000_000
LIMIT = 1.3
ROLES = ["--y-pred", "y_pred", "--proxy", "proxy_a,proxy_b,proxy_c", "--quiet", "-o", str(FOLDER / "tally.csv")]


def table(chunk: int, rows: int) -> pa.Table:
    """Give people with decisions, three proxies and a price in cents; one in fifty has none."""
    rng = np.random.default_rng([7, chunk])
    group = rng.random(rows) < 0.4
    price = np.round(rng.lognormal(np.where(group, 7.2, 7.0), 0.5), 2)
    columns = {"y_pred": (rng.random(rows) < np.where(group, 0.4, 0.6)).astype(np.int64)}
    for name, right in (("proxy_a", 0.85), ("proxy_b", 0.8), ("proxy_c", 0.75)):
        said = np.where((rng.random(rows) < right) == group, 0, 1)
        columns[name] = pa.array(["black", "white"]).take(pa.array(said))
    columns["price"] = pa.array(price, mask=rng.random(rows) < 0.02)
    return pa.table(columns)


def write(rows: int) -> list[pathlib.Path]:
    """Make the files, unless they are there."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    made = [FOLDER / f"people-{rows}.{form}" for form in ("parquet", "csv")]
    if all(path.exists() for path in made):
        return made
    chunks = [table(chunk, min(CHUNK, rows)) for chunk in range(max(rows // CHUNK, 1))]
    whole = pa.concat_tables(chunks)
    pa.parquet.write_table(whole, made[0], compression="zstd", row_group_size=CHUNK)
    pa.csv.write_csv(whole, made[1], pa.csv.WriteOptions(quoting_style="none"))
    return made


def seconds(path: pathlib.Path, *more: str) -> float:
    """Give how long one count takes."""
    start = time.perf_counter()
    subprocess.run([str(FAIRVEIL), "count", str(path), *ROLES, *more], check=True)
    return time.perf_counter() - start


def main() -> None:
    """Count with and without, turn by turn; the fastest of each counts."""
    quick = "--quick" in sys.argv
    rows, rounds = (CHUNK, 2) if quick else (10 * CHUNK, 5)
    print(f"| {rows:,} rows | without an outcome, s | with one, s | ratio | limit |\n|---|---|---|---|---|")
    for path in write(rows):
        without, with_one = [], []
        for _ in range(rounds):
            without.append(seconds(path))
            with_one.append(seconds(path, "--outcome", "price"))
        ratio = min(with_one) / min(without)
        verdict = "held" if ratio <= LIMIT else "MISSED"
        print(f"| {path.suffix[1:]} | {min(without):.3f} | {min(with_one):.3f} | {ratio:.2f} | {LIMIT}: {verdict} |")


main()
