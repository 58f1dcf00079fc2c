"""Executes the trainers of docs/mitigation.md on weights that fairveil wrote, and scores them by the true groups."""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd

fairveil, page = os.path.abspath(sys.argv[1]), sys.argv[2]
needs = {"scikit-learn": "sklearn", "xgboost": "xgboost", "torch": "torch", "numbers": "sklearn", "classes": "sklearn"}
with open(page, encoding="utf-8") as file:
    blocks = dict(re.findall(r"```python\n# (\S+)\n(.*?)```", file.read(), flags=re.DOTALL))
assert set(blocks) == set(needs), f"the page shows {sorted(blocks)}"
for name, code in blocks.items():
    lines = len(code.strip().splitlines())
    assert lines <= 10, f"{name} takes {lines} lines"

random = np.random.default_rng(3)
rows = 20_000
group = random.integers(0, 2, rows)
X = random.normal(size=(rows, 4)) + np.outer(group - 0.5, [1.0, 0.6, 0.0, 0.0])
chance = 1 / (1 + np.exp(-(X @ [0.7, 0.4, 0.9, 0.0])))
y = (random.uniform(size=rows) < chance).astype(int)
table = pd.DataFrame(X, columns=["x1", "x2", "x3", "x4"])
table["y_true"] = y
for c in range(3):
    right = random.uniform(size=rows) < 0.75
    table[f"proxy_{c}"] = np.where(np.where(right, group, 1 - group) == 1, "b", "a")


def scored(decide):
    decide = np.asarray(decide).astype(int)
    return decide[group == 1].mean() - decide[group == 0].mean(), (decide == y).mean()


# A number of each person, and three classes, from the same features.
amount = 100 * X @ [0.7, 0.4, 0.9, 0.0]
odds = np.exp(np.column_stack([np.zeros(rows), X @ [0.7, 0.4, 0.9, 0.0], X @ [-0.5, 0.2, 0.0, 0.6]]))
P = odds / odds.sum(axis=1, keepdims=True)


def gaps_of_classes(decide):
    return [(decide[group == 1] == k).mean() - (decide[group == 0] == k).mean() for k in range(3)]


def judged(names):
    """The largest true gap before and after, as a share of what it is measured in, and whether enough is kept."""
    if "moved" in names:
        moved, spread = names["moved"], amount.std()
        gap = [abs(some[group == 1].mean() - some[group == 0].mean()) / spread for some in (amount, moved)]
        # The same with the true groups keeps as much of the number as can be kept.
        known = group / group.mean() - (1 - group) / (1 - group.mean())
        slopes = np.linalg.lstsq(X, known, rcond=None)[0]
        best = amount - (known * amount).mean() / (known * (X @ slopes)).mean() * (X @ slopes)
        like = [np.corrcoef(amount, some)[0, 1] for some in (moved, best)]
        print(f"numbers: like the amounts by {like[0]:.3f}, with the true groups {like[1]:.3f}")
        return *gap, like[0] > like[1] - 0.05
    first, decide = P.argmax(axis=1), names["decide"]
    gap = [max(map(abs, gaps_of_classes(some))) for some in (first, decide)]
    return *gap, (first == decide).mean() > 0.6


before = scored(chance > 0.5)
print(f"without a constraint: gap {before[0]:.3f}, accuracy {before[1]:.3f}")
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    table.to_csv("people.csv", index=False)
    command = [fairveil, "mitigate", "people.csv", "--weights-only", "-o", "weights.csv", "--quiet"]
    subprocess.run(command, check=True)
    failed = False
    for name, code in blocks.items():
        if importlib.util.find_spec(needs[name]) is None:
            print(f"{name}: skipped, not installed")
            continue
        if name == "torch":
            import torch

            torch.manual_seed(0)
        names = {"X": X, "y": y, "amount": amount, "P": P}
        exec(compile(code, f"{page}: {name}", "exec"), names)
        if name in ("numbers", "classes"):
            first, gap, like = judged(names)
            kept = first > 0.2 and gap < 0.06 and like
            print(f"{name}: gap {first:.3f} before, {gap:.3f} after{'' if kept else '  FAILED'}")
            failed |= not kept
            continue
        gap, accuracy = scored(names["decide"])
        # Proxies right for 75 % on so many rows leave about .015 to chance; half the accuracy above chance must stay.
        kept = abs(gap) < 0.06 and accuracy > 0.5 + (before[1] - 0.5) / 2
        print(f"{name}: gap {gap:+.3f}, accuracy {accuracy:.3f}{'' if kept else '  FAILED'}")
        failed |= not kept
sys.exit(failed)
