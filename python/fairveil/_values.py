"""Numbers with what surrounds them: no value travels without its interval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast


@dataclass(frozen=True)
class Interval:
    """What chance leaves open, or what is held possible."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        """Say whether a value lies in it."""
        return self.low <= value <= self.high

    def __str__(self) -> str:
        """Say it in words."""
        return f"{_shown(self.low, self)} to {_shown(self.high, self)}"


@dataclass(frozen=True)
class Estimate:
    """A value, its interval, and the range that also allows for shared error; absent where there is none."""

    value: float | None
    interval: Interval | None = None
    """What chance alone leaves open, given what the method assumes."""
    range: Interval | None = None
    """The same with the proxies' errors shared up to the stated share, under every explanation that fits."""
    confidence: float = 0.95
    unavailable: str | None = None
    """Why there is no value."""
    group: str | None = None
    """The group that it is about, where it is about one."""

    def __float__(self) -> float:
        """Give the value alone; it is an error to ask for one that there is not."""
        if self.value is None:
            raise ValueError(self.unavailable or "there is no number")
        return self.value

    def __str__(self) -> str:
        """Say it in words."""
        of = "" if self.group is None else f"{self.group}: "
        if self.value is None:
            return f"{of}no number ({self.unavailable})"
        parts = [f"{of}{_shown(self.value, self.interval)}"]
        if self.interval is not None:
            parts.append(f"{100 * self.confidence:g}% interval {self.interval}")
        if self.range is not None:
            parts.append(f"range {self.range}")
        return ", ".join(parts)

    def __repr__(self) -> str:
        """Show the value beside its interval."""
        return f"Estimate({self})"


def _shown(value: float, interval: Interval | None) -> str:
    """Give the digits that the interval supports."""
    width = 0.0 if interval is None else interval.high - interval.low
    digits = 3 if width <= 0 or width >= 0.01 else 4 if width >= 0.001 else 5  # noqa: PLR2004 digits of a width
    return f"{value:.{digits}f}"


MEASURES = ("difference", "adverse_impact_ratio", "odds_ratio", "impact_ratio", "shortfall")
"""Measures of a group beside others, in the order of :class:`GroupMeasures`."""


@dataclass(frozen=True)
class GroupMeasures:
    """One group beside the reference group."""

    group: str
    reference: str | None
    rate: float | None
    people: float | None
    """The people among whom the rate is taken, by weight."""
    difference: Estimate
    adverse_impact_ratio: Estimate
    """The rate over that of the reference group: the four-fifths rule asks for 0.8."""
    odds_ratio: Estimate
    impact_ratio: Estimate
    """The rate over that of the most selected group."""
    shortfall: Estimate
    """People more who would have been selected at the rate of the reference group."""
    z: float | None
    p_value: float | None


@dataclass(frozen=True)
class GroupOutcome:
    """The outcome of one group beside the reference group."""

    group: str
    reference: str | None
    people: float | None
    """Those who have an outcome, by weight."""
    mean: Estimate
    standard_deviation: float | None
    difference: Estimate
    ratio: Estimate
    standardized_mean_difference: Estimate
    """The difference over the standard deviation within the two groups."""
    z: float | None
    p_value: float | None


@dataclass(frozen=True)
class Answer:
    """What may be said about one criterion: a number, a range, a direction or nothing."""

    criterion: str
    says: str
    """``"number"``, ``"range"``, ``"direction"`` or ``"nothing"``."""
    difference: Estimate
    ratio: Estimate
    more: str | None
    """The group that is selected more often, where that may be said."""
    less: str | None
    reasons: tuple[str, ...]
    """Why there is no number on top."""
    cautions: tuple[str, ...]

    def __str__(self) -> str:
        """Say it in one line."""
        name = self.criterion.replace("_", " ")
        more = "" if self.more is None else f"; selected more often: {self.more}"
        if self.says == "number":
            return f"{name}: a gap of {self.difference}{more}"
        why = "; ".join(self.reasons)
        if self.says == "range" and self.difference.range is not None:
            return f"{name}: a gap of {self.difference.range} ({why}){more}"
        said = "a gap, of unknown size" if self.says == "direction" else "nothing can be said"
        return f"{name}: {said}{f' ({why})' if why else ''}{more}"


@dataclass(frozen=True)
class Finding:
    """A reason to doubt: the number stands, and this says how far."""

    code: str
    severity: str
    """``"info"``, ``"warning"`` or ``"serious"``."""
    title: str
    message: str
    advice: str
    evidence: Mapping[str, Any]

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.code} ({self.severity}): {self.message}"


@dataclass(frozen=True)
class GroupRates:
    """The usual rates of one group, each with its interval."""

    group: str
    share: Estimate
    selection_rate: Estimate
    true_positive_rate: Estimate
    false_positive_rate: Estimate
    false_negative_rate: Estimate
    precision: Estimate
    accuracy: Estimate
    base_rate: Estimate


@dataclass(frozen=True)
class Advice:
    """What to rely on, and what to do next."""

    estimator: str | None
    scope: str | None
    reason: str
    direction_only: bool
    next: tuple[str, ...]


def interval(ends: Any) -> Interval | None:
    """Give an interval as a record has it: a pair, or an object with two ends."""
    if ends is None:
        return None
    if isinstance(ends, Mapping):
        found = cast("Mapping[str, float | None]", ends)
        low, high = found.get("low"), found.get("high")
        return None if low is None or high is None else Interval(low, high)
    return Interval(*ends)
