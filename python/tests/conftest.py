"""Tables to try things on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest


def run_cli(*words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command that comes with the package."""
    command = [sys.executable, "-m", "fairveil", *map(str, words)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def people(rows: int, seed: int, *, groups: int = 2, proxies: int = 3, error: float = 0.2) -> dict[str, list[str]]:
    """Give rows of a population with known groups: decisions, labels, guesses that err independently."""
    rng = np.random.default_rng(seed)
    names = np.array([f"g{place}" for place in range(groups)])
    group = rng.choice(groups, rows, p=np.arange(1, groups + 1) / np.arange(1, groups + 1).sum())
    label = rng.random(rows) < 0.4 + 0.1 * group / groups
    decided = rng.random(rows) < np.where(label, 0.7, 0.25) - 0.2 * group / groups
    table = {"y_pred": decided.astype(int).astype(str).tolist(), "y_true": label.astype(int).astype(str).tolist()}
    for place in range(proxies):
        wrong = rng.random(rows) < error
        guess = np.where(wrong, (group + rng.integers(1, groups, rows)) % groups, group)
        said = names[guess].astype(object)
        said[rng.random(rows) < 0.03] = None
        table[f"proxy_{place + 1}"] = said.tolist()
    table["group"] = names[group].tolist()
    return table


@pytest.fixture(scope="session")
def loans() -> dict[str, list[str]]:
    return people(3000, 7)
