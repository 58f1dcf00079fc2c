"""One report of speed: peers in the same run, ratios, the machine and versions, growth with rows, groups, proxies and classes.

Usage: report.py [FOLDER]. It is kept by date in FOLDER (default: docs/benchmarks) and listed in docs/SUMMARY.md.
"""

import contextlib
import datetime
import io
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version

import pandas as pd

import compare

ROOT, FAIRVEIL = compare.ROOT, compare.FAIRVEIL
TIMES = 5
SIZES = {
    "rows": [10_000, 100_000, 1_000_000],
    "groups": [2, 3, 4, 5, 6, 8, 10, 12, 16, 20],
    "proxies": [3, 4, 5, 6, 8, 10, 12],
    "classes": [2, 3, 4, 6, 8],
}
USUAL = {"rows": 20_000, "groups": 2, "proxies": 3, "classes": 2}


def machine():
    """Lines that say where this was measured."""
    info = pathlib.Path("/proc/cpuinfo")
    names = [line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")] if info.exists() else []
    told = lambda *command: subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: E731
    peers = ", ".join(f"{name} {version(name)}" for name in ("pandas", "numpy", "scipy"))
    load = f"{os.getloadavg()[0]:.1f} before it began" if hasattr(os, "getloadavg") else "unknown"
    return [
        ["machine", f"{names[0] if names else platform.processor() or 'unknown'}, {os.cpu_count()} cores, {platform.system()}"],
        ["load", load],
        ["versions", f"{told(FAIRVEIL, '--version')}, {told('rustc', '--version').rsplit(' (', 1)[0]}, Python {platform.python_version()}, {peers}"],
    ]


def simulated(folder, shape):
    """A table of this shape."""
    path = folder / "table.csv"
    flags = [part for name, value in shape.items() for part in (f"--{name}", str(value))]
    subprocess.run([FAIRVEIL, "simulate", *flags, "--overwrite", "-o", path], check=True, capture_output=True)
    return path


def seconds(call, times=TIMES):
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def grown(folder, what, value):
    """Milliseconds of an audit without draws, of counting alone, and of pandas on the same columns."""
    shape = USUAL | {what: value}
    path = simulated(folder, shape)
    proxies = [f"proxy_{i + 1}" for i in range(shape["proxies"])]
    columns = ["--y-pred", "y_pred", "--y-true", "y_true", "--positive", "1", "--proxy", ",".join(proxies)]
    run = lambda *words: subprocess.run([FAIRVEIL, *words], check=True, capture_output=True)  # noqa: E731
    audit = seconds(lambda: run("audit", path, *columns, "--n-boot", "0", "--json", "-"))
    count = seconds(lambda: run("count", path, *columns, "-o", folder / "tally.csv"))
    keys = ["y_pred", "y_true", *proxies]
    peer = seconds(lambda: pd.read_csv(path, usecols=keys).groupby(keys).size())
    return [f"{value:,}", *(f"{1e3 * one:.1f}" for one in (audit, count, peer)), f"{audit / peer:.2f}", f"{count / peer:.2f}"]


def table(head, rows):
    line = lambda cells: "| " + " | ".join(cells) + " |"  # noqa: E731
    return [line(head), line(["---"] * len(head)), *map(line, rows)]


def main():
    if not FAIRVEIL.exists():
        sys.exit("build first: make bench")
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "benchmarks"
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    lines = [f"# Speed on {today}", "", *table(["", ""], machine()), "", "## Against peers", ""]
    heard = io.StringIO()
    with contextlib.redirect_stdout(heard):
        compare.audit_against_pandas()
        if (ROOT / "target" / "fit.jsonl").exists():
            compare.fits_against_scipy()
    print(heard.getvalue(), end="")
    lines += ["```text", heard.getvalue().rstrip(), "```", "", "## Growth", ""]
    lines += [
        f"Simulated tables; but for what grows {USUAL['rows']:,} rows, two groups, three proxies, two classes. Whole processes, from file to JSON,",
        f"median of {TIMES} runs. pandas is warm: it reads the same columns and counts them. Above twelve groups an audit reads proxies directly only.",
    ]
    with tempfile.TemporaryDirectory() as place:
        for what, values in SIZES.items():
            rows = []
            for value in values:
                rows.append(grown(pathlib.Path(place), what, value))
                print(what, *rows[-1])
            head = [what, "audit, ms", "count, ms", "pandas, ms", "audit over pandas", "count over pandas"]
            lines += ["", f"### {what.capitalize()}", "", *table(head, rows)]
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / f"{today}.md"
    kept.write_text("\n".join([*lines, ""]))
    listed(kept)
    print(kept.relative_to(ROOT) if kept.is_relative_to(ROOT) else kept)


def listed(kept):
    """A line in the book's contents, once."""
    summary = ROOT / "docs" / "SUMMARY.md"
    line = f"- [Speed on {kept.stem}](benchmarks/{kept.name})\n"
    head = "- [Benchmarks](benchmarks/README.md)\n"
    text = summary.read_text()
    if kept.parent == ROOT / "docs" / "benchmarks" and line not in text:
        summary.write_text(text.replace(head, head + line))


if __name__ == "__main__":
    main()
