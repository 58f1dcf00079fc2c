"""People whose groups are known, to learn and to test on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np

from fairveil import _native
from fairveil._frames import backend_of
from fairveil._words import seed_of
from fairveil.errors import SettingError


def simulate(
    *,
    rows: int = 10_000,
    groups: int = 2,
    classes: int = 2,
    proxies: int = 3,
    accuracy: float | Sequence[float] = 0.75,
    gap: float = 0.25,
    copying: float = 0.0,
    abstain: float = 0.0,
    lending: bool = False,
    random_state: int | None = 0,
    backend: str | None = None,
) -> Any:
    """Draw people whose groups are known: a frame of pandas, polars or pyarrow, as ``fairveil simulate`` writes it.

    With ``lending``, applicants for a loan in two groups, whose groups three proxies from different sources guess.

    :param accuracy: how often a proxy is right, one number for all or one for each.
    :param gap: how much more often the last group is selected than the first.
    :param copying: how often all proxies repeat one shared guess.
    :param abstain: how often a proxy gives no guess.

    >>> import fairveil
    >>> people = fairveil.simulate(rows=3, lending=True, backend="pandas")
    >>> list(people.columns)
    ['approved', 'repaid', 'surname', 'first_name', 'zip', 'truth']
    """
    right = [float(accuracy)] * proxies if isinstance(accuracy, (int, float)) else [float(one) for one in accuracy]
    if len(right) != proxies:
        raise SettingError(f"accuracy= has {len(right)} numbers", f"1, or as many as proxies ({proxies})")
    outside = [one for one in [*right, copying, abstain] if not 0 <= one <= 1]
    if outside or not -0.7 <= gap <= 0.7:  # noqa: PLR2004 what the command line allows
        raise SettingError(
            f"a share is {outside[0] if outside else gap}", "shares from 0 to 1, and a gap from -0.7 to 0.7"
        )
    if not 2 <= groups <= 50 or not 2 <= classes <= 50 or not 1 <= proxies <= 50 or rows < 1:  # noqa: PLR2004 as above
        raise SettingError("too few or too many", "2 to 50 groups and classes, 1 to 50 proxies, and at least one row")
    world = {
        "lending": lending,
        "groups": groups,
        "classes": classes,
        "accuracy": right,
        "gap": float(gap),
        "copying": float(copying),
        "abstain": float(abstain),
    }
    columns = _native.simulate(world, rows, seed_of("random_state", random_state))
    values = {name: _names(codes, names) for name, codes, names in columns}
    return nw.from_dict(values, backend=backend_of(backend)).to_native()


def _names(codes: list[int], names: list[str]) -> list[str | None]:
    """Give the names that codes stand for; the last of them, which -1 finds, is nothing."""
    named: list[str | None] = np.array([*names, None], dtype=object)[np.array(codes)].tolist()
    return named
