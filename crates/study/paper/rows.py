"""A row of the paper beside ours, and what became of it."""

import csv
import html
import json
import subprocess
from dataclasses import asdict, dataclass, fields
from pathlib import Path

METRICS = {"dp": "demographic_parity", "eod": "equalized_odds", "eop": "equal_opportunity"}
VERDICTS = ("exact", "within the solver's spread", "differs by design", "not reproduced", "stand-in", "contradicted", "not run")


@dataclass
class Row:
    """One published figure."""

    table: str
    where: str
    metric: str
    method: str
    quantity: str
    published: float | None
    ours: float | None
    verdict: str
    why: str = ""
    as_printed: float | None = None
    """By the algorithm as it is printed, solved exactly."""
    spread: tuple[float, float] | None = None
    """The least and the most that a stochastic solver gives over its seeds."""


class Program:
    """The program, asked for audits as JSON."""

    def __init__(self, path):
        self.path = str(Path(path).resolve())

    def audit(self, table, *flags):
        command = [self.path, "audit", str(table), "--json", "-", "--n-boot", "0", "--quiet", *map(str, flags)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
        return json.loads(done.stdout)


def found(record, metric, basis, **wanted):
    """The mean gap of a basis, or None."""
    for one in record["results"]:
        same = one["criterion"] == METRICS[metric] and one["aggregate"] == "mean_pairwise" and one["basis"] == basis
        if same and all(one.get(name) == value for name, value in wanted.items()):
            return one["value"]
    return None


def truth(record, metric):
    """The true mean gap."""
    of = (METRICS[metric], "mean_pairwise")
    return next(one["value"] for one in record["truth"] if (one["criterion"], one["aggregate"]) == of)


def quantities(value, true, base):
    """The paper's four figures of an estimate."""
    if value is None:
        return {}
    error = abs(value - true)
    return {
        "raw_disparity": value,
        "raw_error": error,
        "normalized_error_pct": 100 * error / true,
        "improvement_pct": 100 * (1 - error / abs(base - true)),
    }


def published(path, *keys):
    """A published table by its first columns."""
    with Path(path).open() as file:
        return {tuple(row[key] for key in keys): float(row[list(row)[-1]]) for row in csv.DictReader(file)}


def summary(rows):
    """How many rows have which verdict."""
    counts = {verdict: sum(row.verdict == verdict for row in rows) for verdict in VERDICTS}
    return f"{len(rows)} rows: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items())


def write_csv(rows, path):
    """All rows as CSV."""
    names = [field.name for field in fields(Row)]
    with Path(path).open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        for row in rows:
            line = asdict(row)
            line["spread"] = "" if row.spread is None else f"{row.spread[0]:.4f} to {row.spread[1]:.4f}"
            writer.writerow("" if line[name] is None else line[name] for name in names)


def shown(value, quantity):
    if value is None:
        return "–"
    return f"{value:.2f}" if quantity.endswith("pct") else f"{value:.4f}"


def as_html(rows, sections, plots):
    """One page: the summary, plots, and every row under its table."""
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>",
        "<title>The paper beside fairveil</title><style>",
        "body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c}",
        "table{border-collapse:collapse;font-size:.85rem}td,th{padding:.15rem .6rem;text-align:right;border-bottom:1px solid #ddd}",
        "td:nth-child(-n+4),th:nth-child(-n+4),td:last-child{text-align:left}.frame{overflow-x:auto}",
        "summary{cursor:pointer;font-weight:600}svg{max-width:100%;height:auto}</style>",
        f"<h1>The paper beside fairveil</h1><p><strong>{html.escape(summary(rows))}.</strong></p>",
    ]
    parts += [f"<p>{html.escape(line)}</p>" for line in sections.pop("", [])]
    parts += [f"<figure>{svg}<figcaption>{html.escape(caption)}</figcaption></figure>" for caption, svg in plots]
    heads = ["where", "metric", "method", "quantity", "published", "ours", "difference", "as printed", "spread", "verdict", "why"]
    for table in dict.fromkeys(row.table for row in rows):
        mine = [row for row in rows if row.table == table]
        parts.append(f"<h2>{html.escape(table)}</h2><p>{html.escape(summary(mine))}.</p>")
        parts += [f"<p>{html.escape(line)}</p>" for line in sections.get(table, [])]
        parts.append("<details><summary>Every row</summary><div class=frame tabindex=0><table><tr>")
        parts += [f"<th scope=col>{head}</th>" for head in heads]
        for row in mine:
            both = row.published is not None and row.ours is not None
            far = shown(row.ours - row.published, row.quantity) if both else "–"
            spread = "–" if row.spread is None else " to ".join(shown(end, row.quantity) for end in row.spread)
            cells = [row.where, row.metric, row.method, row.quantity, shown(row.published, row.quantity)]
            cells += [shown(row.ours, row.quantity), far, shown(row.as_printed, row.quantity), spread, row.verdict, row.why]
            parts.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells))
        parts.append("</table></div></details>")
    return "\n".join(parts)
