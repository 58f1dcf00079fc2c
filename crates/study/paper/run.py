"""Every table and figure of the paper beside ours: published | ours | difference | verdict, as text, CSV and one page.

Usage: run.py FAIRVEIL SHARED OUT. FAIRVEIL is the program, SHARED the folder with `compas/` and `paper/`, OUT where the files go.
"""

import sys
from collections import defaultdict
from pathlib import Path

import anew
import celeba
import checks
import compas
import plots
import smiles
from rows import Program, Row, as_html, summary, write_csv


def means(rows):
    """A line for each table, method and metric: means over the models."""
    by = defaultdict(list)
    for row in rows:
        if row.quantity == "normalized_error_pct":
            by[row.table, row.metric, row.method].append(row)
    lines = [["table", "metric", "method", "published", "ours", "as printed", "solver, 20 seeds"]]
    for (table, metric, method), some in by.items():
        known = lambda values: [value for value in values if value is not None]  # noqa: E731
        mean = lambda values: f"{sum(known(values)) / len(known(values)):.1f}" if known(values) else "–"  # noqa: E731
        low, high = ([row.spread[end] for row in some if row.spread] for end in (0, 1))
        cells = [mean([row.published for row in some]), mean([row.ours for row in some]), mean([row.as_printed for row in some])]
        lines.append([table, metric, method, *cells, f"{mean(low)} to {mean(high)}" if low else "–"])
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]


def main():
    program, shared, out = Program(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
    if not (shared / "paper").is_dir():
        print(f"skipped: {shared} has no paper/: put the paper's tables (CSV) and compas/compas.csv there, as docs/study.md says")
        return
    out.mkdir(parents=True, exist_ok=True)
    program.folder = out / "work"
    program.folder.mkdir(exist_ok=True)
    disparities = compas.disparities(program, shared)
    rows = [*disparities, *checks.figure_one(disparities), *compas.rows(program, shared, 2), *compas.rows(program, shared, 3)]
    again, remade = anew.rows(program, shared, out.parent.parent / "target" / "names")
    images, notes = celeba.rows(program, shared)
    rows += [*again, *images, *smiles.rows(program, shared), *checks.rows(program)]
    rows += checks.in_words(shared, rows, celeba.right(shared))
    lines = means(rows)
    print("Normalised error in %, means over models or noise:", *lines, "", *remade, *notes, sep="\n")
    sections = {"CelebA": notes, anew.NAME: remade, "": ["Normalised errors are in percent of the true gap. “As printed” is the paper's algorithm solved exactly; the "
                                      "spread is what a stochastic solver gives over 20 seeds."]}  # fmt: skip
    write_csv(rows, out / "paper.csv")
    (out / "paper.html").write_text(as_html(rows, sections, plots.all_of(rows)))
    (out / "paper.txt").write_text("\n".join([*lines, "", *remade, *notes, "", summary(rows), ""]))
    print("", *[f"{row.table}: {row.where}: {row.verdict}, {row.ours:g} {row.quantity}: {row.why}" for row in rows if row.method == "statement"], sep="\n")
    print(f"\n{summary(rows)}\n{out / 'paper.html'}")


if __name__ == "__main__":
    main()
