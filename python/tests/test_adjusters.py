"""Numbers and decisions of several classes with a smaller gap, on rows that nothing was learned from."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from fairveil.adjusters import ClassAdjuster, ValueAdjuster
from fairveil.errors import SettingError


def people(rows: int, seed: int, groups: int = 2) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    group = random.integers(0, groups, rows)
    features = random.normal(size=(rows, 4))
    features[:, 0] += group
    features[:, 1] -= 0.5 * (group == 1)
    guesses = [np.where(random.random(rows) < 0.75, group, random.integers(0, groups, rows)) for _ in range(3)]
    amount = 10 + 3 * features[:, 0] + features[:, 2] + random.normal(size=rows)
    logits = np.column_stack([features[:, 0], 0.4 * features[:, 2], -features[:, 0] + features[:, 3]])
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    names = np.array(["a", "b", "c"])
    return {
        "group": group,
        "X": features,
        "proxies": np.column_stack([names[guess] for guess in guesses]),
        "amount": amount,
        "chances": chances,
    }


def widest(values: np.ndarray, group: np.ndarray) -> float:
    means = [values[group == one].mean() for one in np.unique(group)]
    return float(max(means) - min(means))


@pytest.mark.parametrize("groups", [2, 3])
def test_the_true_gap_of_numbers_closes_on_other_rows(groups: int) -> None:
    here, there = people(20_000, 1, groups), people(20_000, 2, groups)
    adjuster = ValueAdjuster().fit(here["X"], here["amount"], proxies=here["proxies"])
    moved = adjuster.adjust(there["X"], there["amount"])
    before, after = widest(there["amount"], there["group"]), widest(moved, there["group"])
    assert before > 2.5
    assert after < 0.1 * before
    assert moved.mean() == pytest.approx(there["amount"].mean(), abs=0.1)
    # What is not along the groups stays.
    assert np.corrcoef(moved, there["X"][:, 2])[0, 1] > np.corrcoef(there["amount"], there["X"][:, 2])[0, 1]
    again = pickle.loads(pickle.dumps(adjuster))
    assert (again.adjust(there["X"], there["amount"]) == moved).all()


def test_a_tolerance_is_met_in_true_units() -> None:
    here, there = people(40_000, 3), people(40_000, 4)
    adjuster = ValueAdjuster(tolerance=1.0).fit(here["X"], here["amount"], proxies=here["proxies"])
    assert abs(adjuster.gaps_after_).max() == pytest.approx(1.0, abs=1e-6)
    assert widest(adjuster.adjust(there["X"], there["amount"]), there["group"]) == pytest.approx(1.0, abs=0.15)


@pytest.mark.parametrize("groups", [2, 3])
def test_the_true_gap_of_every_class_closes_on_other_rows(groups: int) -> None:
    here, there = people(20_000, 5, groups), people(20_000, 6, groups)
    adjuster = ClassAdjuster().fit(here["X"], here["chances"], proxies=here["proxies"])
    first, decided = there["chances"].argmax(axis=1), adjuster.predict(there["X"], there["chances"])
    before = max(widest(first == one, there["group"]) for one in range(3))
    after = max(widest(decided == one, there["group"]) for one in range(3))
    assert before > 0.3
    assert after < 0.2 * before
    # As many people get each class as before.
    shares = [np.bincount(given, minlength=3) / len(given) for given in (first, decided)]
    assert np.abs(shares[0] - shares[1]).max() < 0.03


def test_what_cannot_be_used_is_refused() -> None:
    here = people(200, 7)
    for asked, needed in [
        (lambda: ValueAdjuster().fit(here["X"], here["amount"]), "proxies="),
        (lambda: ValueAdjuster(tolerance=-1).fit(here["X"], here["amount"], here["proxies"]), "tolerance"),
        (lambda: ValueAdjuster().fit(here["X"], here["amount"][:-1], here["proxies"]), "as many"),
        (lambda: ClassAdjuster().fit(here["X"], here["amount"], here["proxies"]), "each row and class"),
    ]:
        with pytest.raises(SettingError, match=needed):
            asked()
    missing = np.where(np.arange(200) == 3, np.nan, here["amount"])
    with pytest.raises(SettingError, match="finite"):
        ValueAdjuster().fit(here["X"], missing, here["proxies"])
