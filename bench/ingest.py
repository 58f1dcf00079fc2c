"""Time and memory of `fairveil count` against DuckDB and Polars on the same files in the same run.

Prints two tables and writes target/bench-ingest/results.json. A missed limit is only printed; a tally
that differs from DuckDB's by one cell or one person ends the run with an error.

    ingest.py            20M rows, five rounds; then 2M, 20M and 100M rows, three rounds: minutes, 4.5 GB of disk
    ingest.py --quick    2M rows, two rounds
"""

# Only small modules here, the large ones inside the functions that run in a process of their own: the
# peak of a child, as the system reports it, is never below that of the process that started it.
import csv
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Another build, say an older one, is measured by naming it in the environment.
FAIRVEIL = os.environ.get("FAIRVEIL", ROOT / "target" / "release" / "fairveil")
FOLDER = ROOT / "target" / "bench-ingest"

COLUMNS = ["y_pred", "y_true", "proxy_name", "proxy_zip", "proxy_face"]
GROUPS = ["asian", "black", "hispanic", "white"]
NAMES = [["deny", "approve"], ["default", "repaid"], GROUPS, GROUPS, GROUPS]
CHUNK = 1_000_000  # rows made at a time, and rows of a Parquet row group
MILLION = 1_000_000

# Table and format: most seconds as a multiple of the faster peer's, most MiB.
LIMITS = {"strings.parquet": (1.00, 64), "ints.parquet": (1.15, 64), "strings.csv": (1.00, 128)}
GROWING = ["strings.parquet", "strings.csv"]
SIZES = [2, 20, 100]  # millions of rows
OFF_THE_LINE = 0.15
MORE_MEMORY = 0.10


# ---- the files -------------------------------------------------------------------------------------


def file(data, millions):
    table, form = data.split(".")
    return FOLDER / f"{table}-{millions}M.{form}"


def unfinished(data, millions):
    return FOLDER / f"{file(data, millions).name}.unfinished"


def codes(chunk):
    """One chunk's columns as small integers, -1 where a proxy abstains; the same for any number of rows."""
    import numpy as np

    rng = np.random.default_rng([2024, chunk])
    group = rng.choice(4, CHUNK, p=[0.1, 0.2, 0.3, 0.4])
    y_true = rng.random(CHUNK) < np.array([0.80, 0.60, 0.65, 0.75])[group]
    y_pred = rng.random(CHUNK) < np.array([0.30, 0.10, 0.15, 0.35])[group] + 0.5 * y_true
    guesses = []
    for right in (0.70, 0.75, 0.80):
        wrong = rng.random(CHUNK) >= right
        guesses.append((group + wrong * rng.integers(1, 4, CHUNK)) % 4)
    guesses[0][rng.random(CHUNK) < 0.02] = -1
    return [y_pred.astype(np.int64), y_true.astype(np.int64), *guesses]


def write_files(millions, *wanted):
    """Makes the files, all in one pass. They take their names when complete, so that a file is a whole one."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    # What most programs write: quotes only where needed, an empty field where there is no guess.
    plain = pa.csv.WriteOptions(include_header=False, quoting_style="none")
    kinds = {"strings": pa.string(), "ints": pa.int64()}
    writers = {}
    for data in wanted:
        table, form = data.split(".")
        schema = pa.schema([(column, kinds[table]) for column in COLUMNS])
        path = unfinished(data, millions)
        if form == "csv":
            sink = pa.OSFile(str(path), "wb")
            sink.write((",".join(COLUMNS) + "\n").encode())
            writers[data] = pa.csv.CSVWriter(sink, schema, write_options=plain), sink
        else:
            writers[data] = pa.parquet.ParquetWriter(path, schema, compression="zstd"), None
    for chunk in range(millions * MILLION // CHUNK):
        ints = [pa.array(column, mask=column < 0) for column in codes(chunk)]
        columns = {"ints": ints, "strings": [pa.array(names).take(column) for names, column in zip(NAMES, ints)]}
        for data, (writer, _) in writers.items():
            writer.write_table(pa.table(columns[data.split(".")[0]], names=COLUMNS))
    for data, (writer, sink) in writers.items():
        writer.close()
        if sink:
            sink.close()
        unfinished(data, millions).rename(file(data, millions))


def have_files(millions, wanted):
    missing = [data for data in wanted if not file(data, millions).exists()]
    if missing:
        print(f"making {', '.join(file(data, millions).name for data in missing)}", flush=True)
        run(sys.executable, __file__, "write", millions, *missing)


# ---- the runners -----------------------------------------------------------------------------------


def run(*command):
    """A process from start to end: wall seconds, peak MiB, what it printed."""
    start = time.perf_counter()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: ended with {process.returncode}")
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return seconds, usage.ru_maxrss / unit, printed


def duckdb_query(path):
    import duckdb

    connection = duckdb.connect()
    read = "read_csv" if path.endswith(".csv") else "read_parquet"
    columns = ", ".join(COLUMNS)
    query = f"SELECT {columns}, COUNT(*) FROM {read}(?) GROUP BY ALL"
    return duckdb.__version__, lambda: connection.execute(query, [path]).fetchall()


def polars_query(path):
    import polars

    scan = polars.scan_csv if path.endswith(".csv") else polars.scan_parquet
    return polars.__version__, lambda: scan(path).group_by(COLUMNS).len().collect(engine="streaming").rows()


PEERS = {"duckdb": duckdb_query, "polars": polars_query}


def ask(peer, path):
    """In a process of its own: the peer's query, timed without the import, as JSON."""
    version, query = PEERS[peer](path)
    start = time.perf_counter()
    cells = query()
    seconds = time.perf_counter() - start
    print(json.dumps({"version": version, "seconds": seconds, "cells": cells}))


def theirs(peer, path):
    """Seconds of the query alone, peak MiB of the process, the tally."""
    _, peak, printed = run(sys.executable, __file__, "ask", peer, path)
    answer = json.loads(printed)
    versions[peer] = answer["version"]
    cells = [(*("" if name is None else str(name) for name in names), count) for *names, count in answer["cells"]]
    return answer["seconds"], peak, sorted(cells)


def ours(path):
    """Seconds and peak MiB of the whole command, the tally."""
    tally = FOLDER / "tally.csv"
    tally.unlink(missing_ok=True)
    seconds, peak, _ = run(FAIRVEIL, "count", "--quiet", path, "-o", tally)
    with tally.open(newline="") as lines:
        # Counts may be weights, so `1` and `1.0` are the same; both are exact below 2⁵³.
        cells = [(*(row[column] for column in COLUMNS), float(row["count"])) for row in csv.DictReader(lines)]
    return seconds, peak, sorted(cells)


RUNNERS = {"fairveil": ours, "duckdb": lambda path: theirs("duckdb", path), "polars": lambda path: theirs("polars", path)}
versions = {}


def same_tally(path, found, expected):
    if found != expected:
        differing = sorted(set(found) ^ set(expected))[:10]
        sys.exit(f"{path.name}: our tally has {len(found)} cells, DuckDB's {len(expected)}; in one only: {differing}")


# ---- the tables ------------------------------------------------------------------------------------


def best(rounds):
    """Best seconds, since all else on the machine only ever adds; largest peak, since a limit holds always."""
    return min(seconds for seconds, _ in rounds), max(peak for _, peak in rounds)


def verdict(met):
    return "met" if met else "missed"


def against_peers(millions, rounds):
    print(f"\n{millions}M rows × {len(COLUMNS)} columns, best of {rounds}; ours the whole command, theirs the query alone")
    print("data               ours s  DuckDB s  Polars s   ratio  limit   peak MiB  limit   verdict   (peak of DuckDB, Polars)")
    results = []
    for data, (slowest, largest) in LIMITS.items():
        path = file(data, millions)
        taken = {name: [] for name in RUNNERS}
        for _ in range(rounds):
            # All three in every round: a slow moment of the machine hits them alike.
            tallies = {}
            for name, runner in RUNNERS.items():
                seconds, peak, tallies[name] = runner(path)
                taken[name].append((seconds, peak))
            same_tally(path, tallies["fairveil"], tallies["duckdb"])
        (us, peak), (duckdb, duckdb_peak), (polars, polars_peak) = (best(taken[name]) for name in RUNNERS)
        ratio = us / min(duckdb, polars)
        met = ratio <= slowest and peak <= largest
        print(f"{data:<16} {us:8.3f}  {duckdb:8.3f}  {polars:8.3f}  {ratio:6.2f}  {slowest:5.2f}   {peak:8.1f}  {largest:5}   "
              f"{verdict(met):<7}   ({duckdb_peak:.0f}, {polars_peak:.0f})", flush=True)
        results.append({"data": data, "rows": millions * MILLION, "bytes": path.stat().st_size, "ratio": ratio,
                        "ratio_limit": slowest, "peak_mib": peak, "peak_mib_limit": largest, "met": met,
                        "rounds": {name: [{"seconds": s, "peak_mib": p} for s, p in taken[name]] for name in RUNNERS}})
    return results


def off_the_line(seconds):
    """By how much, as a share of the line, each size lies off the line that fits all sizes best.

    Least squares of relative deviations: of absolute ones, a hundredth of the largest size would
    outweigh all of the smallest.
    """
    weights = [1 / s**2 for s in seconds]
    total = sum(weights)
    x = sum(w * n for w, n in zip(weights, SIZES)) / total
    y = sum(w * s for w, s in zip(weights, seconds)) / total
    slope = (sum(w * (n - x) * (s - y) for w, n, s in zip(weights, SIZES, seconds))
             / sum(w * (n - x) ** 2 for w, n in zip(weights, SIZES)))
    return [s / (y + slope * (n - x)) - 1 for n, s in zip(SIZES, seconds)]


def growth(rounds):
    print(f"\nGrowth of ours, best of {rounds}; limits: {OFF_THE_LINE:.0%} off a line, {MORE_MEMORY:.0%} more memory at "
          f"{SIZES[-1]}M than at {SIZES[-2]}M")
    print("data              rows        s   s per 20M   off the line   peak MiB")
    results = []
    for data in GROWING:
        taken = {millions: [] for millions in SIZES}
        for _ in range(rounds):
            for millions in SIZES:
                seconds, peak, tally = ours(file(data, millions))
                taken[millions].append((seconds, peak))
                if len(taken[millions]) == rounds:
                    same_tally(file(data, millions), tally, theirs("duckdb", file(data, millions))[2])
        figures = [best(taken[millions]) for millions in SIZES]
        deviations = off_the_line([seconds for seconds, _ in figures])
        for millions, (seconds, peak), deviation in zip(SIZES, figures, deviations):
            print(f"{data:<16} {millions:4}M  {seconds:7.3f}   {20 * seconds / millions:9.3f}   {deviation:+12.1%}   {peak:8.1f}")
        linear = all(abs(deviation) <= OFF_THE_LINE for deviation in deviations)
        more = figures[-1][1] / figures[-2][1] - 1
        print(f"  a line: {verdict(linear)}; memory {more:+.1%}: {verdict(more <= MORE_MEMORY)}", flush=True)
        results.append({"data": data, "linear": linear, "more_memory": more, "memory_met": more <= MORE_MEMORY,
                        "sizes": [{"rows": millions * MILLION, "seconds": seconds, "off_the_line": deviation, "peak_mib": peak}
                                  for millions, (seconds, peak), deviation in zip(SIZES, figures, deviations)]})
    return results


def main(quick):
    if not os.path.exists(FAIRVEIL):
        sys.exit("build first: make bench-ingest")
    FOLDER.mkdir(parents=True, exist_ok=True)
    millions, rounds = (2, 2) if quick else (20, 5)
    have_files(millions, LIMITS)
    for size in SIZES if not quick else []:
        have_files(size, GROWING)
    floor, load = run("true")[1], os.getloadavg()[0]
    results = {"cores": os.cpu_count(), "load_before": load, "floor_mib": floor,
               "against_peers": against_peers(millions, rounds)}
    if not quick:
        results["growth"] = growth(3)
    results["versions"] = versions
    print(f"\nDuckDB {versions['duckdb']}, Polars {versions['polars']}, {os.cpu_count()} cores, load {load:.1f} before the run; "
          f"a peak below {floor:.0f} MiB would show as {floor:.0f}")
    (FOLDER / "results.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["write"]:
        write_files(int(sys.argv[2]), *sys.argv[3:])
    elif sys.argv[1:2] == ["ask"]:
        ask(*sys.argv[2:])
    elif sys.argv[1:] in ([], ["--quick"]):
        main(quick=len(sys.argv) > 1)
    else:
        sys.exit(__doc__)
