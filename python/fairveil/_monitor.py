"""The gap by period, and an alarm that keeps its error rate over all looks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fairveil import _native
from fairveil._frames import frame_of
from fairveil._progress import told
from fairveil._record import Record, columns_of
from fairveil._table import gather
from fairveil._values import Estimate
from fairveil._words import MonitorWords, Values, question, settings_told, takes, values_told
from fairveil.errors import SettingError

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Alarm(NamedTuple):
    """The period at whose end there was an alarm, and the evidence then."""

    period: str
    evidence: float


class Gap(NamedTuple):
    """The gap of a group to the reference in one period."""

    period: str
    rows: int
    group: str
    label: str | None
    difference: Estimate


class Monitor(Record):
    """The gap by period. Nothing changes it; every number is that of :meth:`to_json`."""

    @property
    def alarm(self) -> Alarm | None:
        """The first period at whose end the rows spoke against what is tested; nothing where they did not."""
        alarm: dict[str, Any] | None = self._record["alarm"]
        return None if alarm is None else Alarm(alarm["period"], alarm["evidence"])

    @property
    def unavailable(self) -> str | None:
        """Why nothing can be said."""
        return cast("str | None", self._record["unavailable"])

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """The gap of every group to the reference in every period, in order."""
        confidence: float = self._record["settings"]["confidence"]
        made: list[Gap] = []
        for period in self._record["periods"]:
            for one in period["gaps"]:
                estimate = self._estimate(one["difference"], confidence, one["group"])
                made.append(Gap(period["period"], period["rows"], one["group"], one["label"], estimate))
        return tuple(made)

    def to_frame(self, *, backend: str | None = None) -> Any:
        """Give the gaps as rows of a frame."""
        rows: list[dict[str, Any]] = []
        for one in self.gaps:
            row: dict[str, Any] = {"period": one.period, "rows": one.rows, "group": one.group, "label": one.label}
            rows.append(row | columns_of(one.difference, "difference"))
        return frame_of(rows, backend)


@takes(MonitorWords)
def monitor(
    table: Any = None,
    *,
    date: Values,
    every: str = "month",
    criterion: str = "demographic_parity",
    limit: float | None = None,
    baseline: bool = False,
    min_rows: int | None = None,
    **words: Unpack[MonitorWords],
) -> Monitor:
    """Give the gap by period, and an alarm against a stated null that keeps its error rate over all periods looked at.

    The rest is as in :func:`fairveil.audit`.

    :param date: the dates of the rows: ``2024-03-09``, alone or before a time.
    :param every: how long a period is: ``"day"``, ``"week"``, ``"month"``, ``"quarter"`` or ``"year"``.
    :param criterion: whose rates are compared.
    :param limit: alarm when the gap to the reference group has passed this value, not when there is any.
    :param baseline: alarm when the gap is no longer what it was in the first period.
    :param min_rows: the fewest rows of a period that is shown by itself.

    >>> import fairveil
    >>> people = fairveil.simulate(rows=3000, lending=True)
    >>> people["applied"] = [f"2024-{1 + i % 3:02d}-05" for i in range(3000)]
    >>> series = fairveil.monitor(
    ...     people, y_pred="approved", proxies=["surname", "first_name", "zip"], date="applied", n_boot=100
    ... )
    >>> [one.period for one in series.gaps]
    ['2024-01', '2024-02', '2024-03']
    """
    if limit is not None and baseline:
        raise SettingError("limit= and baseline= are both given", "one question", "leave one of them out")
    gathered = gather(table, {**words, "control_features": date})
    columns = {**gathered.columns, **values_told(words), "every": every, "min_segment": min_rows, "borrows": False}
    asked = question(gathered.name, [gathered.table], columns, settings_told(words), told())
    watched = {
        "every": every,
        "min_rows": min_rows,
        "criterion": criterion,
        "limit": limit,
        "baseline": bool(baseline),
    }
    return Monitor(_native.monitor(asked, watched))
