"""Time and memory of looking up names in one pass with the tally, against reading the same file, and against surgeo.

Makes a CSV file of people with names that the built-in tables know (and some that they do not), counts it once without looking names up and
once with three sources, then lets surgeo guess 100,000 of the same rows. Prints a table and writes target/bench-names/results.json. A
missed limit is only printed.

    names.py            10M rows, three rounds; minutes, 0.5 GB of disk
    names.py --quick    1M rows, one round
"""

import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FAIRVEIL = os.environ.get("FAIRVEIL", ROOT / "target" / "release" / "fairveil")
FOLDER = ROOT / "target" / "bench-names"
LIMIT, PEER = 2.0, 20.0
SURGEO_ROWS = 100_000

# Frequent names of the United States by rank; the long tail is made of syllables, of which tables know some.
FIRST = "James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth William Barbara Richard Susan Joseph Jessica Thomas Sarah Christopher Karen Charles Lisa Daniel Nancy Matthew Betty Anthony Sandra Mark Margaret Jose Ashley Tyrone Lakisha Darnell Keisha Juan Maria Carlos Guadalupe Wei Mei Nguyen Thuy Raj Priya".split()
LAST = "Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez Wilson Anderson Thomas Taylor Moore Jackson Martin Lee Perez Thompson White Harris Sanchez Clark Ramirez Lewis Robinson Walker Young Allen King Wright Scott Torres Nguyen Hill Flores Green Adams Nelson Baker Hall Rivera Campbell Mitchell Carter Roberts Washington Jefferson Booker Yang Kim Patel Singh Chen O'Brien Garcia-Lopez".split()
SYLLABLES = "an ber cor dal el fin gar har is jo kel lan mor nor ol pat quin ros sal tor ul van wil yan zel".split()


def names(known, count, seed):
    """Names from frequent to rare."""
    rng = random.Random(seed)
    made = {"".join(rng.choices(SYLLABLES, k=rng.randint(2, 3))).capitalize() for _ in range(count)}
    return known + sorted(made)


def write(path, rows):
    """A CSV file of people, the same for the same number of rows."""
    import numpy as np

    rng = np.random.default_rng(rows)
    pools = [names(FIRST, 20_000, 1), names(LAST, 60_000, 2)]
    zips = [f"{z:05d}" for z in rng.integers(1_000, 99_999, 20_000)]
    part = path.with_suffix(".unfinished")
    with part.open("w") as out:
        out.write("id,first,last,zip,y_pred,y_true,guess\n")
        for start in range(0, rows, 500_000):
            size = min(500_000, rows - start)
            rank = lambda pool: np.minimum(rng.zipf(1.3, size), len(pool)) - 1
            first, last, place = rank(pools[0]), rank(pools[1]), rng.integers(0, len(zips), size)
            decided = rng.integers(0, 2, (3, size))
            out.writelines(
                f"{start + i},{pools[0][first[i]]},{pools[1][last[i]]},{zips[place[i]]},{decided[0][i]},{decided[1][i]},{'ab'[decided[2][i]]}\n"
                for i in range(size)
            )
    part.rename(path)


def timed(rounds, *command):
    """The least seconds of some rounds, and the most memory in MiB."""
    best, peak = float("inf"), 0
    for _ in range(rounds):
        before = time.perf_counter()
        child = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        if status:
            sys.exit(f"{command}: exit {status}")
        best, peak = min(best, time.perf_counter() - before), max(peak, usage.ru_maxrss / 1024)
    return best, peak


def surgeo(path):
    """Seconds of surgeo for BISG of some rows, reading aside."""
    code = f"""
import pandas as pd, surgeo, time
people = pd.read_csv({str(path)!r}, nrows={SURGEO_ROWS}, dtype=str, usecols=["first", "last", "zip"])
model = surgeo.BIFSGModel()
before = time.perf_counter()
model.get_probabilities(people["first"], people["last"], people["zip"])
print(time.perf_counter() - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if done.returncode:
        print(done.stderr.strip().splitlines()[-1])
        return None
    return float(done.stdout.split()[-1])


def main():
    quick = "--quick" in sys.argv
    rows, rounds = (1_000_000, 1) if quick else (10_000_000, 3)
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"people-{rows}.csv"
    if not path.exists():
        write(path, rows)
    small = FOLDER / f"people-{rows // 10}.csv"
    if not small.exists():
        write(small, rows // 10)
    out = FOLDER / "tally.csv"
    # The threads of a run are the machine's; the tables are loaded in the timed run.
    plain = lambda file: timed(rounds, FAIRVEIL, "count", file, "--proxy", "guess", "-o", out, "--quiet")
    flags = ["--first-name", "first", "--surname", "last", "--zip", "zip", "--groups", "black,other"]
    looked = lambda file: timed(rounds, FAIRVEIL, "count", file, *flags, "-o", out, "--quiet")
    (read, _), (seconds, peak), (tenth, small_peak) = plain(path), looked(path), looked(small)
    peer = surgeo(path)
    ratio = seconds / read
    per_row = seconds / rows
    print(f"{rows:,} rows: reading {read:.2f} s, with three sources {seconds:.2f} s: ratio {ratio:.2f} (limit {LIMIT}: {'met' if ratio <= LIMIT else 'MISSED'})")
    print(f"memory {peak:.0f} MiB, of a tenth of the rows {small_peak:.0f} MiB ({tenth:.2f} s)")
    results = dict(rows=rows, read=read, seconds=seconds, ratio=ratio, peak=peak, small_peak=small_peak, surgeo=peer)
    if peer is not None:
        times = peer / SURGEO_ROWS / per_row
        print(f"surgeo, {SURGEO_ROWS:,} rows: {peer:.2f} s; per row {times:.0f} times ours (limit {PEER:.0f}: {'met' if times >= PEER else 'MISSED'})")
        results["times"] = times
    (FOLDER / "results.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
