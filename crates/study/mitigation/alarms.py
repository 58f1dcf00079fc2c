"""How often `mitigate` doubts a rule in worlds where nothing is wrong.

usage: alarms.py FAIRVEIL [DRAWS [FROM]]; FROM is the first draw, so that others can be made

In each world proxies err whatever the features, the label and each other, there are rows enough, and a score, where there is one, comes from
people apart. A serious finding is then a false alarm. What is refused (a gap no larger than chance, say) has no findings and is counted.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

CRITERIA = ["demographic_parity", "equalized_odds", "equal_opportunity"]
LIMIT = 0.05


@dataclass
class World:
    """People whose proxies and scores are as they should be."""

    name: str
    rows: int = 8_000
    right: tuple[float, ...] = (0.75, 0.75, 0.75)
    groups: tuple[float, ...] = (0.5, 0.5)
    rare: float = 0.0
    """How far the log odds of the label are pushed down."""
    score: bool = False
    cut: float | None = None
    weights: bool = False
    flags: tuple[str, ...] = ()

    def people(self, random: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Groups, features and labels."""
        group = random.choice(len(self.groups), rows, p=self.groups)
        lean = np.linspace(-0.6, 0.6, len(self.groups))[group]
        shift, weight = np.array([1.2, 0.8, 0.5, 0, 0, 0]), np.array([0.6, 0.5, 0.2, 0.8, -0.6, 0.5])
        x = lean[:, None] * shift + random.standard_normal((rows, 6))
        return group, x, (random.random(rows) < 1 / (1 + np.exp(self.rare - x @ weight))).astype(int)

    def table(self, random: np.random.Generator) -> pd.DataFrame:
        """A table to mitigate."""
        group, x, label = self.people(random, self.rows)
        frame = pd.DataFrame({f"f_{j}": x[:, j].round(5) for j in range(6)})
        frame["y_true"] = label
        others = len(self.groups)
        for place, right in enumerate(self.right):
            wrong = (group + random.integers(1, others, self.rows)) % others
            frame[f"proxy_{place}"] = [f"g{g}" for g in np.where(random.random(self.rows) < right, group, wrong)]
        if self.score or self.cut is not None:
            _, apart, known = self.people(random, 20_000)
            model = LogisticRegression().fit(apart, known)
            chance = model.predict_proba(x)[:, 1]
            if self.score:
                frame["chance"] = chance.round(6)
            if self.cut is not None:
                frame["y_pred"] = (chance > self.cut).astype(int)
        if self.weights:
            frame["weight"] = random.choice([0.5, 1.0, 2.0], self.rows)
        return frame


WORLDS = [
    World("proxies right for 75 %"),
    World("fewer people", rows=4_500),
    World("unequal proxies", right=(0.85, 0.75, 0.68)),
    World("four weak proxies", rows=16_000, right=(0.65, 0.65, 0.68, 0.7)),
    World("three groups", rows=16_000, right=(0.8, 0.8, 0.75), groups=(0.4, 0.35, 0.25)),
    World("a small group", rows=16_000, right=(0.85, 0.85, 0.8), groups=(0.88, 0.12)),
    World("rare labels", rows=20_000, right=(0.8, 0.8, 0.75), rare=2.5),
    World("a score, decisions at .4", score=True, cut=0.4, flags=("--score", "chance")),
    World("decisions at .3 by another model", cut=0.3),
    World("weights, a tolerance", weights=True, flags=("--weight", "weight", "--tolerance", "0.05")),
    World("trained with the constraint", flags=("--method", "logistic")),
]


def main() -> None:
    program, draws, start = [sys.argv[1], *map(int, sys.argv[2:]), *[20, 0][len(sys.argv) - 2 :]][:3]
    print(f"{draws} tables of each world, three criteria each.\n")
    print("| world | rules | with a serious finding | which | refused | warnings |\n|---|---|---|---|---|---|")
    total = serious_of_all = 0
    for place, world in enumerate(WORLDS):
        rules = alarmed = refused = 0
        serious, warnings = Counter(), Counter()
        with tempfile.TemporaryDirectory() as folder:
            table, record = Path(folder) / "table.csv", Path(folder) / "record.json"
            for draw in range(start, start + draws):
                world.table(np.random.default_rng([place, draw])).to_csv(table, index=False)
                for criterion in CRITERIA:
                    command = [program, "mitigate", table, "--y-true", "y_true", "--features", "f_", "--criterion", criterion, *world.flags]
                    command += ["--no-curve", "--n-boot", "200", "--quiet", "--json", record, "-o", Path(folder) / "rule.json"]
                    record.unlink(missing_ok=True)
                    (Path(folder) / "rule.json").unlink(missing_ok=True)
                    done = subprocess.run([str(part) for part in command], check=False, capture_output=True, text=True)
                    if done.returncode != 0:
                        refused += 1
                        continue
                    found = json.loads(record.read_text())["findings"]
                    codes = {one["code"] for one in found if one["severity"] == "serious"}
                    rules += 1
                    alarmed += bool(codes)
                    serious.update(codes)
                    warnings.update({one["code"] for one in found if one["severity"] == "warning"})
        total, serious_of_all = total + rules, serious_of_all + alarmed
        told = lambda counts: ", ".join(f"{code} {count}" for code, count in counts.most_common()) or "–"  # noqa: E731
        print(f"| {world.name} | {rules} | {alarmed} | {told(serious)} | {refused} | {told(warnings)} |", flush=True)
    share = serious_of_all / max(total, 1)
    error = (share * (1 - share) / max(total, 1)) ** 0.5
    held = share <= LIMIT
    print(f"\n{serious_of_all} of {total} rules have a serious finding: {100 * share:.1f} ± {100 * error:.1f} % (limit 5 %): {'hold' if held else 'MISSED'}")
    sys.exit(0 if held else 1)


if __name__ == "__main__":
    main()
