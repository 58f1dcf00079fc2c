"""Tallies: how often each combination of decision, label and guesses occurs. No row is left in them."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw

from fairveil import _native
from fairveil._audit import Criterion, Scope, column_settings, settings, warn
from fairveil._engine import push
from fairveil._frames import frame_of
from fairveil._progress import told
from fairveil._result import Audit
from fairveil._table import Roles, Values, add, gather, is_lazy
from fairveil.errors import SettingError, TableError

_NUMBERS = ("count", "rows", "squared_weight", "soft_", "invalid", "hidden_", "noise_")


class Counts:
    """A tally, and which of its columns means what. It can be added to others, kept as a small file, and audited."""

    __slots__ = ("_columns", "_tally", "query")

    query: str | None
    """What the engine was asked that made it; nothing where rows were counted here."""

    def __init__(self, tally: bytes, columns: Mapping[str, Any], query: str | None = None) -> None:
        """Take a tally that was counted; :meth:`from_frame` and :meth:`from_engine` make one."""
        self._tally = tally
        self._columns = dict(columns)
        self.query = query

    @classmethod
    def from_frame(
        cls,
        table: Any = None,
        *,
        y_pred: Values = None,
        y_true: Values = None,
        proxies: Values = None,
        proxy_probs: Values = None,
        sources: Mapping[str, str] | Sequence[str | None] | None = None,
        sample_weight: Values = None,
        control_features: Values = None,
        audit_labels: Values = None,
        truth: Values = None,
        groups: Sequence[Any] | None = None,
        positive: Any = None,
        missing: Any = (),
        min_cell: int | None = None,
    ) -> Counts:
        """Count a table; roles are as in :func:`fairveil.audit`. Cells of fewer rows than ``min_cell`` are withheld, and told.

        >>> import fairveil
        >>> people = fairveil.simulate(rows=1000, lending=True)
        >>> north, south = people[:400], people[400:]
        >>> roles = {"y_pred": "approved", "proxies": ["surname", "first_name", "zip"]}
        >>> both = fairveil.Counts.from_frame(north, **roles) + fairveil.Counts.from_frame(south, **roles)
        >>> both == fairveil.Counts.from_frame(people, **roles)
        True
        """
        singles = {
            "y_pred": y_pred,
            "y_true": y_true,
            "sample_weight": sample_weight,
            "truth": truth,
            "audit_labels": audit_labels,
        }
        roles = _roles(singles, proxies, proxy_probs, sources, control_features)
        about = column_settings(groups=groups, positive=positive, missing=missing)
        if is_lazy(table):
            if min_cell is not None:
                raise SettingError(
                    "min_cell= beside an engine", "rows that are counted here", "count first, then withhold"
                )
            return _pushed(table, roles, about)
        gathered = gather(table, roles)
        columns = {**gathered.columns, **about}
        return cls(_native.count([gathered.table], columns, min_cell, told()), columns)

    @classmethod
    def from_engine(cls, table: Any, **roles: Any) -> Counts:
        """Count where the rows are: a PySpark or Dask frame, a DuckDB relation, an Ibis table or a polars LazyFrame.

        One GROUP BY is pushed down and only the tally comes back; :attr:`query` shows what ran. Roles are names of columns.
        """
        if not is_lazy(table):
            raise TableError(
                f"a table of type {type(table).__name__}",
                "a table of PySpark, Dask, DuckDB or Ibis, or a polars LazyFrame",
                "Counts.from_frame takes rows that are here",
            )
        return cls.from_frame(table, **roles)

    def __add__(self, other: object) -> Counts:
        """Count the rows of both."""
        if not isinstance(other, Counts):
            return NotImplemented
        if self._columns != other._columns:
            raise SettingError(
                "the two tallies have other roles", "the same names and settings for both", "count both alike"
            )
        tables = [_native.Table.of_tally("tally", one) for one in (self._tally, other._tally)]
        queries = [query for query in (self.query, other.query) if query is not None]
        return Counts(_native.count(tables, self._counted(), None, None), self._columns, "\n;\n".join(queries) or None)

    def __eq__(self, other: object) -> bool:
        """Say whether both count the same."""
        if not isinstance(other, Counts):
            return NotImplemented
        return (self._tally, self._columns) == (other._tally, other._columns)

    def __hash__(self) -> int:
        """Tell tallies apart."""
        return hash(self._tally)

    def _counted(self) -> dict[str, Any]:
        return {**self._columns, "count": "count"}

    def to_csv(self) -> str:
        """Give the tally as ``fairveil count`` writes it."""
        return self._tally.decode()

    def to_frame(self, *, backend: str | None = None) -> Any:
        """Give the tally as a frame with one row for each combination."""
        read = csv.DictReader(io.StringIO(self.to_csv()))
        rows = [{name: _value(name, value) for name, value in row.items()} for row in read]
        return frame_of(rows, backend)

    def audit(
        self,
        *,
        criteria: Criterion | Sequence[Criterion] | None = None,
        estimator: str = "auto",
        scope: Scope = "auto",
        given: Any = None,
        mechanism: Any = None,
        known_shares: Mapping[str, float] | None = None,
        max_proxy_error: float | Mapping[str, float] | None = None,
        shared_error: float = 0.5,
        max_shift: float = 0.0,
        confidence: float = 0.95,
        n_boot: int = 2000,
        random_state: Any = 0,
        min_segment: int | None = None,
        name: str = "tally",
    ) -> Audit:
        """Audit the tally, as :func:`fairveil.audit` would the rows it was counted from."""
        asked = settings(
            criteria=criteria,
            estimator=estimator,
            scope=scope,
            given=given,
            mechanism=mechanism,
            known_shares=known_shares,
            max_proxy_error=max_proxy_error,
            shared_error=shared_error,
            max_shift=max_shift,
            confidence=confidence,
            n_boot=n_boot,
            random_state=random_state,
            groups=self._columns["groups"],
        )
        columns = {**self._counted(), "min_segment": min_segment}
        made = Audit(_native.audit(name, [_native.Table.of_tally(name, self._tally)], columns, asked, told()))
        warn(made, stacklevel=2)
        return made

    def overall(self) -> tuple[float | None, ...]:
        """Give the usual rates over all rows, in the order of :class:`fairveil.GroupRates`; nothing where there is none."""
        return tuple(_native.overall([_native.Table.of_tally("tally", self._tally)], self._counted()))

    def __repr__(self) -> str:
        """Say how much is counted."""
        return f"Counts({len(self.to_csv().splitlines()) - 1} cells)"


def _roles(
    singles: Mapping[str, Values], proxies: Values, proxy_probs: Values, sources: Any, control_features: Values
) -> Roles:
    empty = dict.fromkeys(("label_probability", "cluster", "id"))
    return Roles(
        single={**singles, **empty},
        proxies=proxies,
        proxy_probs=proxy_probs,
        sources=sources,
        control_features=control_features,
    )


def _pushed(table: Any, roles: Roles, about: Mapping[str, Any]) -> Counts:
    """Count in an engine, and put the tally into the order that every tally has."""
    gathered = gather(table, roles)
    columns = {**gathered.columns, **about}
    tally, query = push(nw.from_native(table), columns)
    made = _native.Table("tally")
    for column in tally.columns:
        add(made, column, tally[column].to_native())
    return Counts(_native.count([made], {**columns, "count": "count"}, None, None), columns, query)


def _value(name: str, value: str) -> Any:
    if not value:
        return None
    if not name.startswith(_NUMBERS):
        return value
    number = float(value)
    return int(number) if number.is_integer() and name in {"count", "rows", "invalid"} else number
