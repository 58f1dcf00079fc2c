"""Tallies: how often each combination of decision, label and guesses occurs. No row is left in them."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import narwhals as nw

from fairveil import _native
from fairveil._audit import noting, warn
from fairveil._engine import push
from fairveil._frames import frame_of
from fairveil._progress import told
from fairveil._result import Audit
from fairveil._table import add, gather, is_lazy
from fairveil._words import CountWords, TallyWords, question, settings_told, takes, values_told
from fairveil.errors import SettingError, TableError

if TYPE_CHECKING:
    from typing_extensions import Unpack

_NUMBERS = ("count", "rows", "squared_weight", "soft_", "invalid", "hidden_", "noise_", "outcome_")
_NAMED = ("first_name", "surname", "zip")


class Counts:
    """A tally, and which of its columns means what. It can be added to others, kept as a small file, and audited."""

    __slots__ = ("_columns", "_small", "_tally", "evidence", "query")

    evidence: bytes | None
    """What names and places, or a lone proxy's probabilities, say of its rows, as ``fairveil count --evidence`` writes it; nothing
    where there are none. A rare name may be a cell of its own: keep it where the table may be."""
    query: str | None
    """What the engine was asked that made it; nothing where rows were counted here."""

    def __init__(
        self,
        tally: bytes,
        columns: Mapping[str, Any],
        query: str | None = None,
        evidence: bytes | None = None,
        small: int = 0,
    ) -> None:
        """Take a tally that was counted; :meth:`from_frame`, :meth:`from_engine` and :meth:`from_csv` make one."""
        self._tally = tally
        self._columns = dict(columns)
        self.query = query
        self.evidence = evidence
        self._small = small

    @classmethod
    @takes(CountWords)
    def from_frame(cls, table: Any = None, *, min_cell: int | None = None, **words: Unpack[CountWords]) -> Counts:
        """Count a table; roles are as in :func:`fairveil.audit`. Cells of fewer rows than ``min_cell`` are withheld, and said to be.

        A tally whose segments have fewer rows than ``min_segment`` can be audited, and is not handed out.

        >>> import fairveil
        >>> people = fairveil.simulate(rows=1000, lending=True)
        >>> north, south = people[:400], people[400:]
        >>> roles = {"y_pred": "approved", "proxies": ["surname", "first_name", "zip"]}
        >>> both = fairveil.Counts.from_frame(north, **roles) + fairveil.Counts.from_frame(south, **roles)
        >>> both == fairveil.Counts.from_frame(people, **roles)
        True
        """
        if is_lazy(table):
            if min_cell is not None:
                raise SettingError(
                    "min_cell= beside an engine", "rows that are counted here", "count first, then withhold"
                )
            return _pushed(table, words)
        gathered = gather(table, words)
        columns = {**gathered.columns, **values_told(words), "guesses_alone": min_cell is not None}
        asked = question(gathered.name, [gathered.table], columns, None, told(), noting(5))
        tally, evidence, small = _native.count(asked, min_cell)
        return cls(tally, _of_tally(columns), evidence=evidence, small=small)

    @classmethod
    def from_engine(cls, table: Any, **words: Any) -> Counts:
        """Count where the rows are: a PySpark or Dask frame, a DuckDB relation, an Ibis table or a polars LazyFrame.

        One GROUP BY is pushed down and only the tally comes back; :attr:`query` shows what ran. Roles are names of columns, as in
        :meth:`from_frame`.
        """
        if not is_lazy(table):
            raise TableError(
                f"a table of type {type(table).__name__}",
                "a table of PySpark, Dask, DuckDB or Ibis, or a polars LazyFrame",
                "Counts.from_frame takes rows that are here",
            )
        return cls.from_frame(table, **words)

    @classmethod
    @takes(CountWords)
    def from_csv(
        cls,
        tally: str | os.PathLike[str],
        *,
        evidence: str | os.PathLike[str] | bytes | None = None,
        **words: Unpack[CountWords],
    ) -> Counts:
        """Read a tally that :meth:`to_csv` or ``fairveil count`` wrote, and the evidence that was written beside it.

        ``tally`` is a file or what it holds; roles are names of columns.
        """
        text = tally if isinstance(tally, str) and "\n" in tally else Path(tally).read_text(encoding="utf-8")
        beside = evidence if evidence is None or isinstance(evidence, bytes) else Path(evidence).read_bytes()
        gathered = gather({"count": []}, words)
        columns = _of_tally({**gathered.columns, **values_told(words)})
        if beside is not None and not (columns["proxies"] or columns["proxy_probs"]):
            return cls(text.encode(), columns, evidence=beside)
        made = question("tally", [_native.Table.of_tally("tally", text.encode())], _counting(columns), None, None)
        return cls(_native.count(made)[0], columns, evidence=beside)

    def __add__(self, other: object) -> Counts:
        """Count the rows of both."""
        if not isinstance(other, Counts):
            return NotImplemented
        if self._columns != other._columns:
            raise SettingError(
                "the two tallies have other roles", "the same names and settings for both", "count both alike"
            )
        if (self.evidence is None) != (other.evidence is None):
            raise SettingError("one of the two tallies has no evidence", "evidence of both, or of none")
        tables = [_native.Table.of_tally("tally", one) for one in (self._tally, other._tally)]
        queries = [query for query in (self.query, other.query) if query is not None]
        both = None
        if self.evidence is not None and other.evidence is not None:
            both = _native.joined(self.evidence, other.evidence)
        tally, _, _ = _native.count(question("tally", tables, self._counted(), None, None))
        return Counts(tally, self._columns, "\n;\n".join(queries) or None, both, self._small + other._small)

    def __eq__(self, other: object) -> bool:
        """Say whether both count the same."""
        if not isinstance(other, Counts):
            return NotImplemented
        return (self._tally, self._columns, self.evidence) == (other._tally, other._columns, other.evidence)

    def __hash__(self) -> int:
        """Tell tallies apart."""
        return hash(self._tally)

    def _counted(self) -> dict[str, Any]:
        return _counting(self._columns)

    def to_csv(self) -> str:
        """Give the tally as ``fairveil count`` writes it.

        :raises TableError: where segments have so few rows that it would show what was guessed about the people in them.
        """
        if self._small:
            raise TableError(
                f"{self._small} segments have few rows, and a tally shows what was guessed about the people in them",
                "larger segments",
                "cut by another column, withhold small cells with min_cell=, or allow smaller segments with min_segment=",
            )
        return self._tally.decode()

    def to_frame(self, *, backend: str | None = None) -> Any:
        """Give the tally as a frame with one row for each combination."""
        read = csv.DictReader(io.StringIO(self.to_csv()))
        rows = [{name: _value(name, value) for name, value in row.items()} for row in read]
        return frame_of(rows, backend)

    @takes(TallyWords)
    def audit(self, **words: Unpack[TallyWords]) -> Audit:
        """Audit the tally, as :func:`fairveil.audit` would the rows it was counted from."""
        return self.audited(cast("Mapping[str, Any]", words), stacklevel=4)

    def audited(self, words: Mapping[str, Any], stacklevel: int) -> Audit:
        """Audit the tally; warnings are about whoever called this many calls before."""
        name = str(words.get("name") or "tally")
        asked = settings_told({**words, "groups": self._columns["groups"]})
        if not asked["evidence"] and self.evidence is not None:
            asked["evidence"] = [self.evidence]
        least = values_told(words)["min_segment"]
        columns = {**self._counted(), **({} if least is None else {"min_segment": least})}
        tables = [_native.Table.of_tally(name, self._tally)]
        made = Audit(_native.audit(question(name, tables, columns, asked, told())))
        warn(made, stacklevel=stacklevel)
        return made

    def overall(self) -> tuple[float | None, ...]:
        """Give the usual rates over all rows, in the order of :class:`fairveil.GroupRates`; nothing where there is none."""
        tables = [_native.Table.of_tally("tally", self._tally)]
        return tuple(_native.overall(question("tally", tables, self._counted(), None, None)))

    def __repr__(self) -> str:
        """Say how much is counted."""
        return f"Counts({len(self._tally.decode().splitlines()) - 1} cells)"


def _of_tally(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Give the roles of a tally's columns: a column of names has become a proxy, called by its role."""
    guessed = [f"{role}:{role}" for role in _NAMED if columns[role] is not None]
    names = dict.fromkeys((*_NAMED, "attribute", "tables"))
    return {**columns, **names, "proxies": [*columns["proxies"], *guessed], "guesses_alone": False}


def _counting(columns: Mapping[str, Any]) -> dict[str, Any]:
    return {**columns, "count": "count"}


def _pushed(table: Any, words: Mapping[str, Any]) -> Counts:
    """Count in an engine, and put the tally into the order that every tally has."""
    gathered = gather(table, words)
    columns = {**gathered.columns, **values_told(words)}
    for role in (*_NAMED, "control"):
        if columns[role]:
            raise SettingError(f"{role}= beside an engine", "rows that are here", "collect them first")
    tally, query = push(nw.from_native(table), columns)
    made = _native.Table("tally")
    for column in tally.columns:
        add(made, column, tally[column].to_native())
    counted, _, small = _native.count(question("tally", [made], _counting(columns), None, None))
    return Counts(counted, _of_tally(columns), query, small=small)


def _value(name: str, value: str) -> Any:
    if not value:
        return None
    if not name.startswith(_NUMBERS):
        return value
    number = float(value)
    return int(number) if number.is_integer() and name in {"count", "rows", "invalid", "outcome_rows"} else number
