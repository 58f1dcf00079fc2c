"""Rows or labels for a wanted precision."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from fairveil import _native
from fairveil._result import Audit, Plot, whole
from fairveil.errors import SettingError


class Cost:
    """What randomised guesses cost in precision, by epsilon (``fairveil plan --cost``)."""

    def __init__(self, json_: str, html: str, svg: str) -> None:
        """Take what was computed; :func:`fairveil.plan` computes it."""
        self._json, self._html, self._svg = json_, html, svg

    def to_dict(self) -> dict[str, Any]:
        """Give the curve as plain data."""
        record: dict[str, Any] = json.loads(self._json)
        return record

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """Write one page that needs nothing else."""
        whole(path, self._html)

    def plot(self) -> Plot:
        """Give the half-width over epsilon as SVG."""
        return Plot("privacy", self._svg)


@dataclass(frozen=True)
class Plan:
    """What a wanted half-width takes; absent where nothing gives it."""

    half_width: float
    confidence: float
    rows_without_labels: int | None
    """Rows without any label, if the proxies err independently."""
    labels_alone: int
    """Labels without any proxy."""
    rows: int | None
    """Rows that are there."""
    labels_beside_rows: int | None
    """Labels beside them, if the proxies err as stated."""
    labels_whatever: Mapping[str, Any] | None
    """Labels beside them whatever the proxies do, and where to draw them."""
    ratio: Mapping[str, float] | None
    """The smallest rate over the largest as assumed (``value``), and the interval (``low``, ``high``) that so many rows give it."""
    curve: tuple[Mapping[str, Any], ...]
    """Half-widths over rows."""
    unavailable: str | None
    """Why there is no number of rows."""
    text: str
    svg: str
    cost: Cost | None = None
    """What each epsilon would cost, where rows are known or supposed."""

    def plot(self) -> Plot:
        """Give the half-width over rows as SVG."""
        return Plot("plan", self.svg)

    def __str__(self) -> str:
        """Give what the command line prints."""
        return self.text


def plan(
    audit: Audit | None = None,
    *,
    half_width: float = 0.05,
    confidence: float = 0.95,
    rows: int | None = None,
    accuracy: float | Sequence[float] = 0.75,
    proxies: int = 3,
    share: float = 0.5,
    rate: float = 0.5,
    gap: float = 0.0,
    copying: float = 0.0,
    epsilon: float | None = None,
) -> Plan:
    """Say how many rows, or labels, a difference between two groups takes to be known to ``± half_width``.

    From an audit, its proxies, groups and rows are taken; without one, those that are supposed. ``epsilon`` plans for guesses that are
    each randomised so; ``cost`` of the plan says what others would cost, where ``rows`` are said.

    >>> import fairveil
    >>> wanted = fairveil.plan(half_width=0.05, accuracy=0.8)
    >>> wanted.rows_without_labels > wanted.labels_alone
    True
    """
    right = [float(accuracy)] * proxies if isinstance(accuracy, (int, float)) else [float(one) for one in accuracy]
    if len(right) not in {1, proxies}:
        raise SettingError(f"accuracy= has {len(right)} numbers", f"1, or as many as proxies ({proxies})")
    for one in right:
        if not 0 <= one <= 1:
            raise SettingError(f"accuracy is {one}", "numbers from 0 to 1")
    within = {"half_width": half_width, "confidence": confidence, "share": share, "rate": rate}
    for name, value in within.items():
        if not 0 < value < 1:
            raise SettingError(f"{name} is {value}", "a number above 0 and below 1")
    supposed = {"accuracy": right, "share": float(share), "rate": float(rate), "gap": float(gap)}
    audited = None if audit is None else audit.native
    text, shown, svg, cost = _native.plan(audited, supposed, float(copying), half_width, confidence, rows, epsilon)
    record: dict[str, Any] = json.loads(text)
    return Plan(
        half_width=record["half_width"],
        confidence=record["confidence"],
        rows_without_labels=record["rows_without_labels"],
        labels_alone=record["labels_alone"],
        rows=record["rows"],
        labels_beside_rows=record["labels_beside_rows"],
        labels_whatever=record["labels_whatever"],
        ratio=record["ratio"],
        curve=tuple(MappingProxyType(point) for point in record["curve"]),
        unavailable=record["unavailable"],
        text=shown,
        svg=svg,
        cost=None if cost is None else Cost(*cost),
    )
