"""The tally where the rows are: one GROUP BY, pushed down to the engine that holds them.

The columns are those that ``fairveil sql`` gives: keys as they are, ``count`` (rows, or their weight), ``rows`` and
``squared_weight`` beside weights, totals of probabilities, the sums of an outcome, and in ``invalid`` the rows that make no sense, which
readers refuse.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import narwhals as nw

from fairveil.errors import SettingError, TableError

_MOST_WEIGHT = 1e12
_OWN = "fv_"


class Pushed(NamedTuple):
    """A tally that an engine made, and what it was asked."""

    tally: nw.DataFrame[Any]
    query: str


class _Columns:
    """The columns of a table in an engine, by role; the same defaults as for every table."""

    def __init__(self, names: Sequence[str], asked: Mapping[str, Any]) -> None:
        self.names = names
        for listed in asked["proxy_probs"]:
            if "=" in listed or "*" in listed:
                raise SettingError(
                    f"proxy_probs lists columns (`{listed}`) beside an engine",
                    "columns whose names begin alike and end with the group",
                    "rename them in the engine, and give what they begin with",
                )
        probabilities = [_without_source(prefix, names) for prefix in asked["proxy_probs"]]
        proxies = [_without_source(proxy, names) for proxy in asked["proxies"]]
        if not proxies and not probabilities:
            proxies = [name for name in names if name.startswith("proxy_")]
        self.weight = asked["sample_weight"] or ("weight" if "weight" in names else None)
        label = asked["y_true"] or ("y_true" if "y_true" in names else None)
        plain = [asked["y_pred"] or "y_pred", label, *proxies, *asked["other_preds"], *asked["control_features"]]
        plain += [asked["audit_labels"], asked["truth"]]
        self.plain = list(dict.fromkeys(name for name in plain if name is not None))
        self.outcome: str | None = asked["outcome"]
        needed = [*self.plain, *(name for name in (self.weight, self.outcome) if name is not None)]
        for name in needed:
            if name not in names:
                raise TableError(f"there is no column `{name}`", f"one of {', '.join(names)}", "check the name")
        taken = {*needed}
        self.probabilities = {
            prefix: {name[len(prefix) :]: name for name in names if name.startswith(prefix) and name not in taken}
            for prefix in probabilities
        }
        for prefix, columns in self.probabilities.items():
            if len(columns) < 2:  # noqa: PLR2004 groups to tell apart
                raise TableError(
                    f"{len(columns)} columns begin with `{prefix}`", "one for each group", "check the prefix"
                )


def _without_source(proxy: str, names: Sequence[str]) -> str:
    """Give the column of ``column`` or ``column:source``."""
    return proxy if proxy in names or ":" not in proxy else proxy.rsplit(":", 1)[0]


def proxy_of(prefix: str) -> str:
    """Give the name of a proxy whose probabilities have this prefix, as the readers do."""
    return prefix.rstrip("_-. ") or prefix


def push(frame: nw.LazyFrame[Any], asked: Mapping[str, Any]) -> Pushed:
    """Count in the engine and bring back the tally alone."""
    columns = _Columns(frame.collect_schema().names(), asked)
    keys, sums, person = _expressions(columns)
    rows = frame.select(*person[0])
    for step in person[1:]:
        rows = rows.with_columns(*step)
    grouped = rows.group_by(*keys, drop_null_keys=False).agg(*sums)
    grouped = grouped.rename({f"{_OWN}guess_{prefix}": proxy_of(prefix) for prefix in columns.probabilities})
    return Pushed(grouped.collect(backend=_backend(grouped)), query_of(grouped))


def _backend(frame: nw.LazyFrame[Any]) -> Any:
    """Give the library that a tally comes back in."""
    if frame.implementation.is_dask():
        return "pandas"
    if frame.implementation.is_polars():
        return "polars"
    for name in ("pyarrow", "polars", "pandas"):
        if importlib.util.find_spec(name) is not None:
            return name
    raise SettingError("no library of frames is installed", "pyarrow, polars or pandas", "install one")


def _expressions(columns: _Columns) -> tuple[list[str], list[Any], list[list[Any]]]:
    """Give keys, sums, and what is made of a row before it is counted, step by step."""
    person: list[list[Any]] = [[nw.col(name) for name in columns.plain]]
    keys = list(columns.plain)
    weight: Any = None
    bad: list[Any] = []
    if columns.weight is not None:
        number = nw.col(columns.weight).cast(nw.Float64)
        person[0].append(number.alias(f"{_OWN}raw_weight"))
        raw = nw.col(f"{_OWN}raw_weight")
        person.append([nw.when((raw >= 0) & (raw <= _MOST_WEIGHT)).then(raw).alias(f"{_OWN}weight")])
        weight = nw.col(f"{_OWN}weight")
        bad.append(weight.is_null())
    soft: dict[str, list[Any]] = {}
    spoke: list[Any] = []
    judged: list[Any] = []
    for place, (prefix, by_group) in enumerate(columns.probabilities.items()):
        own = {group: f"{_OWN}p{place}_{at}" for at, group in enumerate(by_group)}
        person[0].extend(nw.col(name).cast(nw.Float64).alias(own[group]) for group, name in by_group.items())
        judged.extend(_judged(prefix, place, own))
        keys.append(f"{_OWN}guess_{prefix}")
        told = nw.col(f"{_OWN}spoke{place}")
        spoke.append(told)
        bad.append(told.is_null())
        for group, name in own.items():
            soft.setdefault(group, []).append(_known(nw.col(name)).fill_null(0.0))
    told_of = _outcome(columns.outcome, weight, person, bad)
    sums: list[Any] = [nw.len().alias("count") if weight is None else weight.sum().alias("count")]
    extra: list[Any] = []
    if weight is not None:
        extra.append((weight * weight).alias(f"{_OWN}squared"))
        sums += [nw.len().alias("rows"), nw.col(f"{_OWN}squared").sum().alias("squared_weight")]
    if spoke:
        person.append(judged)
        several = _all(_plus, spoke)
        one: Any = nw.lit(1.0) if weight is None else weight
        for at, (group, parts) in enumerate(soft.items()):
            share = _all(_plus, parts) * one / several
            extra.append(nw.when(several > 0).then(share).otherwise(nw.lit(0.0)).alias(f"{_OWN}soft{at}"))
            sums.append(nw.col(f"{_OWN}soft{at}").sum().alias(f"soft_{group}"))
        extra.append(nw.when(several > 0).then(one).otherwise(nw.lit(0.0)).alias(f"{_OWN}soft_weight"))
        sums.append(nw.col(f"{_OWN}soft_weight").sum().alias("soft_weight"))
    for name, value in told_of.items():
        extra.append(value.alias(f"{_OWN}{name}"))
        sums.append(nw.col(f"{_OWN}{name}").sum().alias(name))
    if bad:
        broken = _all(_either, bad)
        extra.append(nw.when(broken).then(nw.lit(1)).otherwise(nw.lit(0)).alias(f"{_OWN}invalid"))
        sums.append(nw.col(f"{_OWN}invalid").sum().alias("invalid"))
        person.append(extra)
    return keys, sums, person


def _outcome(column: str | None, weight: Any, person: list[list[Any]], bad: list[Any]) -> dict[str, Any]:
    """Give what is summed of an outcome; an infinite one is none, and one that no reader takes makes its row invalid."""
    if column is None:
        return {}
    person[0].append(nw.col(column).cast(nw.Float64).alias(f"{_OWN}raw_outcome"))
    raw = _known(nw.col(f"{_OWN}raw_outcome"))
    person.append([nw.when(raw.abs() < float("inf")).then(raw).alias(f"{_OWN}outcome")])
    outcome, one = nw.col(f"{_OWN}outcome"), nw.lit(1.0) if weight is None else weight
    bad.append((outcome.abs() > _MOST_WEIGHT).fill_null(value=False))
    return {
        "outcome_rows": nw.when(~outcome.is_null()).then(nw.lit(1)).otherwise(nw.lit(0)),
        "outcome_weight": nw.when(~outcome.is_null()).then(one).otherwise(nw.lit(0.0)),
        "outcome_sum": (outcome * one).fill_null(0.0),
        "outcome_squares": (outcome * one * outcome).fill_null(0.0),
    }


def _all(join: Callable[[Any, Any], Any], parts: Iterable[Any]) -> Any:
    """Join expressions to one."""
    return functools.reduce(join, parts)


def _both(one: Any, other: Any) -> Any:
    return one & other


def _either(one: Any, other: Any) -> Any:
    return one | other


def _plus(one: Any, other: Any) -> Any:
    return one + other


def _known(number: Any) -> Any:
    """Give a probability; nothing where it is NaN."""
    return nw.when(~number.is_nan()).then(number)


def _judged(prefix: str, place: int, own: Mapping[str, str]) -> list[Any]:
    """Give the one most likely group (nothing for a tie), and whether the proxy spoke, was silent or makes no sense."""
    numbers = {group: _known(nw.col(name)) for group, name in own.items()}
    guess: Any = nw.lit(None, dtype=nw.String)
    for group, number in numbers.items():
        largest = _all(_both, (number > other for name, other in numbers.items() if name != group))
        guess = nw.when(largest).then(nw.lit(group)).otherwise(guess)
    every = list(numbers.values())
    silent = _all(_both, (number.is_null() for number in every))
    within = _all(_both, ((number >= 0) & (number <= 1) for number in every))
    whole = (_all(_plus, every) - 1).abs() <= 1e-2  # noqa: PLR2004 as every reader allows
    spoke = nw.when(silent).then(nw.lit(0)).otherwise(nw.when(within & whole).then(nw.lit(1)))
    return [guess.alias(f"{_OWN}guess_{prefix}"), spoke.alias(f"{_OWN}spoke{place}")]


def query_of(frame: nw.LazyFrame[Any]) -> str:
    """Give what an engine was asked, in its own words."""
    native: Any = frame.to_native()
    # What the class has: of a Spark frame every other name is a column.
    known = dir(cast("type", native.__class__))
    if "sql_query" in known:  # DuckDB
        return cast("str", native.sql_query())
    if frame.implementation.is_ibis():
        ibis: Any = importlib.import_module("ibis")
        return str(ibis.to_sql(native))
    if frame.implementation.is_pyspark():
        return str(native._jdf.queryExecution().toString())  # noqa: SLF001 explain() prints only
    if "_explain_string" in known:  # Spark Connect
        return str(native._explain_string(extended=True))  # noqa: SLF001 as above
    if frame.implementation.is_polars():
        return cast("str", native.explain())
    expression: Any = getattr(native, "expr", native)  # Dask
    return str(expression.tree_repr() if hasattr(expression, "tree_repr") else expression)
