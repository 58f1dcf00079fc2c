"""Time, memory and truth of the search for nearest neighbours, against faiss on the same rows in the same run.

Prints two tables, writes target/bench-neighbors/results.json, and ends with an error where a limit is missed.

    neighbors.py            50k × 128 and 100k × 512 exactly, 1M × 64 by graph, best of three: many minutes, 0.5 GB of disk
    neighbors.py --quick    20k × 64 exactly, 50k × 64 by graph, best of two
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
FOLDER = ROOT / "target" / "bench-neighbors"
THREADS = os.cpu_count()

CLUSTERS = 1000
SPREAD = 0.5  # of the rows of a cluster, where centres spread by 1
CHUNK = 50_000  # rows made at a time

SLOWEST = 1.0  # of faiss's seconds
LEAST_RECALL = 0.98
MOST_MEMORY = 2.5  # of the rows' own
SAMPLE = 1000  # rows that faiss checks the graph on


# ---- the rows --------------------------------------------------------------------------------------


def file(rows, dimensions):
    return FOLDER / f"{rows}x{dimensions}.npy"


def write_rows(rows, dimensions):
    """Clusters of Gaussians, the same in every run. The file takes its name when complete."""
    import numpy as np

    rng = np.random.default_rng([2024, rows, dimensions])
    centres = rng.standard_normal((CLUSTERS, dimensions), dtype=np.float32)
    unfinished = FOLDER / "unfinished.npy"
    table = np.lib.format.open_memmap(unfinished, mode="w+", dtype=np.float32, shape=(rows, dimensions))
    for start in range(0, rows, CHUNK):
        size = min(CHUNK, rows - start)
        noise = rng.standard_normal((size, dimensions), dtype=np.float32)
        table[start:start + size] = centres[rng.integers(0, CLUSTERS, size)] + SPREAD * noise
    table.flush()
    unfinished.rename(file(rows, dimensions))


# ---- the runners -----------------------------------------------------------------------------------


def run(*command):
    """A process from start to end: what it printed, as JSON, and the seconds its threads computed."""
    before = os.times()
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: ended with {done.returncode}")
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {**(json.loads(done.stdout) if done.stdout else {}), "cpu": cpu}


def program():
    """Our side. Another build, say an older one, is measured by naming it in the environment."""
    if "NEIGHBORS" in os.environ:
        return os.environ["NEIGHBORS"]
    command = [os.environ.get("CARGO", "cargo"), "bench", "--locked", "--package", "fairveil-neighbors",
               "--bench", "neighbors", "--no-run", "--message-format", "json"]
    lines = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT).stdout.splitlines()
    built = [json.loads(line) for line in lines if '"executable":"' in line]
    return next(line["executable"] for line in built if line["target"]["name"] == "neighbors")


def unit_rows(path):
    """Rows of length 1, as an inner product needs them to be a cosine."""
    import faiss
    import numpy as np

    rows = np.load(path)
    faiss.normalize_L2(rows)
    return rows


def without_self(found):
    """From three neighbours, of which one is usually the row itself, to two that are not."""
    import numpy as np

    own = found == np.arange(len(found))[:, None]
    own[~own.any(axis=1), 2] = True
    return found[~own].reshape(-1, 2)


def ask_faiss(path, into):
    """In a process of its own: faiss, timed from rows in memory, as ours is."""
    import faiss
    import numpy as np

    rows = np.load(path)
    faiss.omp_set_num_threads(THREADS)
    start = time.perf_counter()
    faiss.normalize_L2(rows)
    index = faiss.IndexFlatIP(rows.shape[1])
    index.add(rows)
    _, found = index.search(rows, 3)
    seconds = time.perf_counter() - start
    without_self(found).astype("<u4").tofile(into)
    print(json.dumps({"version": faiss.__version__, "seconds": seconds}))


def compare(path, ours, theirs):
    """In a process of its own: rows where the two differ, and what double precision says of them.

    Both are judged on the rows as given, brought to length 1 in double precision. Distances that differ by less
    than single precision can tell from rows of length 1 count as a tie.
    """
    import numpy as np

    rows = np.load(path, mmap_mode="r")
    ours, theirs = (np.fromfile(found, dtype="<u4").reshape(-1, 2) for found in (ours, theirs))
    tie = 2.0**-23

    def distances(row, others):
        a, b = np.array(rows[row], dtype=float), np.array(rows[others], dtype=float)
        return 1 - b @ a / np.linalg.norm(a) / np.linalg.norm(b, axis=1)

    differing = np.flatnonzero((ours != theirs).any(axis=1))
    counts = {"differ": len(differing), "tie": 0, "ours_nearer": 0, "theirs_nearer": 0}
    for row in differing:
        gap = distances(row, ours[row]) - distances(row, theirs[row])
        first = next((g for g in gap if abs(g) > tie), 0.0)
        counts["tie" if first == 0 else "ours_nearer" if first < 0 else "theirs_nearer"] += 1
    print(json.dumps(counts))


def check_recall(path, ours):
    """In a process of its own: the share of faiss's exact neighbours, of a sample of rows, that the graph found."""
    import faiss
    import numpy as np

    rows = unit_rows(path)
    # Between the rows of our own sample, which are evenly spread.
    sample = np.sort(np.random.default_rng(7).choice(len(rows), SAMPLE, replace=False))
    faiss.omp_set_num_threads(THREADS)
    _, found = faiss.knn(rows[sample], rows, 3, metric=faiss.METRIC_INNER_PRODUCT)
    found = np.where(found == sample[:, None], -1, found)
    truth = np.array([[other for other in row if other >= 0][:2] for row in found])
    ours = np.fromfile(ours, dtype="<u4").reshape(-1, 2)[sample]
    hits = (ours[:, :, None] == truth[:, None, :]).any(axis=1).sum()
    print(json.dumps({"recall": float(hits / truth.size)}))


# ---- the tables ------------------------------------------------------------------------------------


def verdict(met):
    return "met" if met else "missed"


def rows_of(rows, dimensions):
    if not file(rows, dimensions).exists():
        print(f"making {file(rows, dimensions).name}", flush=True)
        run(sys.executable, __file__, "write", rows, dimensions)
    return file(rows, dimensions)


def exact(ours, sizes, rounds):
    print(f"\nexact, cosine, {THREADS} threads each, best of {rounds} taken in turn")
    print("rows × features    ours s  faiss s  ratio  limit   ours CPU s  faiss CPU s   peak MiB  rows MiB   "
          "differ  tie  ours nearer  faiss nearer  verdict")
    results = []
    for rows, dimensions in sizes:
        path = rows_of(rows, dimensions)
        found = {side: FOLDER / f"{side}.u32" for side in ("ours", "faiss")}
        taken = {"ours": [], "faiss": []}
        for _ in range(rounds):
            taken["ours"].append(run(ours, path, "exact", THREADS, found["ours"]))
            taken["faiss"].append(run(sys.executable, __file__, "ask", path, found["faiss"]))
        us, faiss = (min(taken[side], key=lambda once: once["seconds"]) for side in taken)
        versions["faiss"] = faiss["version"]
        counts = run(sys.executable, __file__, "compare", path, found["ours"], found["faiss"])
        ratio, peak = us["seconds"] / faiss["seconds"], max(once["peak_mib"] for once in taken["ours"])
        met = ratio <= SLOWEST and counts["theirs_nearer"] == 0
        print(f"{rows:>8} × {dimensions:<7} {us['seconds']:8.2f} {faiss['seconds']:8.2f}  {ratio:5.2f}  {SLOWEST:5.2f}   "
              f"{us['cpu']:10.1f}  {faiss['cpu']:11.1f}   {peak:8.1f}  {rows * dimensions * 4 / 2**20:8.1f}   "
              f"{counts['differ']:6}  {counts['tie']:3}  {counts['ours_nearer']:11}  {counts['theirs_nearer']:12}  {verdict(met)}",
              flush=True)
        results.append({"rows": rows, "dimensions": dimensions, "ratio": ratio, "counts": counts, "peak_mib": peak,
                        "rounds": taken, "met": met})
    return results


def graph(ours, rows, dimensions):
    path, found = rows_of(rows, dimensions), FOLDER / "graph.u32"
    us = run(ours, path, "hnsw", THREADS, found)
    recall = run(sys.executable, __file__, "check", path, found)["recall"]
    size = rows * dimensions * 4 / 2**20
    times = us["peak_mib"] / size
    met = min(recall, us["recall"]) >= LEAST_RECALL and times <= MOST_MEMORY
    print(f"\ngraph, cosine, {THREADS} threads; recall of both neighbours, limit {LEAST_RECALL}; memory of the process, "
          f"limit {MOST_MEMORY} × the rows")
    print("rows × features    ours s   CPU s   recall, ours  recall, faiss   peak MiB  rows MiB  times  verdict")
    print(f"{rows:>8} × {dimensions:<7} {us['seconds']:8.1f} {us['cpu']:7.1f}   {us['recall']:12.4f}  {recall:13.4f}   "
          f"{us['peak_mib']:8.1f}  {size:8.1f}  {times:5.2f}  {verdict(met)}", flush=True)
    return {"rows": rows, "dimensions": dimensions, **us, "recall_by_faiss": recall, "times": times, "met": met}


versions = {}


def main(quick):
    FOLDER.mkdir(parents=True, exist_ok=True)
    ours, load = program(), os.getloadavg()[0]
    sizes, rounds, big = ([(20_000, 64)], 2, (50_000, 64)) if quick else ([(50_000, 128), (100_000, 512)], 3, (1_000_000, 64))
    results = {"cores": THREADS, "load_before": load, "exact": exact(ours, sizes, rounds), "graph": graph(ours, *big)}
    results["versions"] = versions
    print(f"\nfaiss {versions['faiss']}, {THREADS} cores, load {load:.1f} before the run")
    (FOLDER / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    if not all(result["met"] for result in [*results["exact"], results["graph"]]):
        sys.exit("a limit was missed")


if __name__ == "__main__":
    if sys.argv[1:2] == ["write"]:
        write_rows(int(sys.argv[2]), int(sys.argv[3]))
    elif sys.argv[1:2] == ["ask"]:
        ask_faiss(*sys.argv[2:])
    elif sys.argv[1:2] == ["compare"]:
        compare(*sys.argv[2:])
    elif sys.argv[1:2] == ["check"]:
        check_recall(*sys.argv[2:])
    elif sys.argv[1:] in ([], ["--quick"]):
        main(quick=len(sys.argv) > 1)
    else:
        sys.exit(__doc__)
