"""A number by group: the gap along all thresholds, quantiles, and labels within bands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fairveil import _native
from fairveil._frames import frame_of
from fairveil._progress import told
from fairveil._record import Record, columns_of
from fairveil._table import gather
from fairveil._values import Estimate
from fairveil._words import CurveWords, Values, question, settings_told, takes, values_told
from fairveil.errors import SettingError

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Along(NamedTuple):
    """A number of a group at a threshold, a quantile or in a band, and the same less that of the reference."""

    at: float | tuple[float | None, float | None]
    group: str
    value: Estimate
    difference: Estimate


class Curve(Record):
    """A number by group. Nothing changes it; every number is that of :meth:`to_json`."""

    @property
    def reference(self) -> str | None:
        """The group that others stand beside."""
        return cast("str | None", self._record["reference"])

    @property
    def unavailable(self) -> str | None:
        """Why nothing can be said."""
        return cast("str | None", self._record["unavailable"])

    def _along(self, part: str, at: Sequence[str]) -> tuple[Along, ...]:
        confidence: float = self._record["confidence"]
        made: list[Along] = []
        for one in self._record[part]:
            place = one[at[0]] if len(at) == 1 else tuple(one[end] for end in at)
            for group in one["groups"]:
                both = (self._estimate(group[name], confidence, group["group"]) for name in ("value", "difference"))
                made.append(Along(place, group["group"], *both))
        return tuple(made)

    @property
    def thresholds(self) -> tuple[Along, ...]:
        """The share of every group that reaches a threshold, at every one, lowest first."""
        return self._along("thresholds", ["threshold"])

    @property
    def quantiles(self) -> tuple[Along, ...]:
        """Quantiles by group, lowest first."""
        return self._along("quantiles", ["quantile"])

    @property
    def calibration(self) -> tuple[Along, ...]:
        """How often the label is positive within bands, by group; empty without labels."""
        return self._along("calibration", ["low", "high"])

    def to_frame(self, *, backend: str | None = None) -> Any:
        """Give the thresholds as rows of a frame."""
        rows = [
            {"threshold": one.at, "group": one.group, "rate": one.value.value}
            | columns_of(one.difference, "difference")
            for one in self.thresholds
        ]
        return frame_of(rows, backend)


@takes(CurveWords)
def curve(
    table: Any = None,
    *,
    score: Values = None,
    outcome: Values = None,
    bins: int | str | Sequence[float] | None = None,
    threshold: float | None = None,
    **words: Unpack[CurveWords],
) -> Curve:
    """Give a number by group: the gap along all thresholds, quantiles, and how often labels follow within bands.

    The rest is as in :func:`fairveil.audit`.

    :param score: the model's scores; or
    :param outcome: a price, an amount, any number of every person.
    :param bins: where the number is cut: 20 for so many of equal width from 0 to 1 (the default of scores), ``"3:8:0.25"`` for from, to
        and step, or the cuts themselves.
    :param threshold: from which number on people count as selected while errors are learned, where no ``y_pred`` decides.

    >>> import numpy as np
    >>> import fairveil
    >>> people = fairveil.simulate(rows=4000, lending=True)
    >>> chance = np.random.default_rng(0).normal(np.where(people["approved"] == "1", 0.65, 0.35), 0.1)
    >>> found = fairveil.curve(
    ...     people, score=chance.clip(0, 1).round(3), proxies=["surname", "first_name", "zip"], bins=10, n_boot=100
    ... )
    >>> sorted({one.at for one in found.thresholds})[:3]
    [0.1, 0.2, 0.3]
    """
    if (score is None) == (outcome is None):
        raise SettingError("score= and outcome=: one number is needed", "one of them", "give score= or outcome=")
    if bins is None and outcome is not None:
        raise SettingError("outcome= is not said where to cut", "where bins begin", "give bins=, such as '3:8:0.25'")
    cuts = _cuts(20 if bins is None else bins)
    decides = words.get("y_pred") is None
    gathered = gather(table, {**words, "score": score, "outcome": outcome})
    column: str = gathered.columns["score" if score is not None else "outcome"]
    columns = {**gathered.columns, **values_told(words), "control_features": [column], "outcome": None}
    columns |= {"bins": cuts, "min_segment": 0, "borrows": False}
    if decides:
        columns |= {"y_pred": column, "threshold": _middle(cuts, score is not None) if threshold is None else threshold}
    asked = question(gathered.name, [gathered.table], columns, settings_told(words), told())
    return Curve(_native.curve(asked, column, cuts, decides))


def _cuts(bins: int | str | Sequence[float]) -> str:
    """Give cuts as the readers take them."""
    if isinstance(bins, (int, str)):
        return str(bins)
    return ",".join(repr(float(cut)) for cut in bins)


def _middle(cuts: str, score: bool) -> float:
    """Give the number that decides where nobody named one: the readers' own default."""
    return 0.5 if score else _native.middle(cuts)
