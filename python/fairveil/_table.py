"""From arrays, series and frames of any library to the table that the readers take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import narwhals as nw
import numpy as np

from fairveil import _native
from fairveil._words import Values
from fairveil.errors import SettingError, TableError

_NUMBERS = {"b": "bool", "i": "int", "u": "uint", "f": "float"}
_OF_TALLIES = "count"


_SINGLES = (
    "y_pred",
    "y_true",
    "sample_weight",
    "truth",
    "audit_labels",
    "label_probability",
    "cluster",
    "id",
    "first_name",
    "surname",
    "zip",
    "score",
    "split",
    "outcome",
)
_NAMED = ("first_name", "surname", "zip")


class Gathered:
    """A table for the readers, and the names of its columns by role."""

    def __init__(self, table: _native.Table, columns: dict[str, Any], name: str) -> None:
        """Take what was gathered."""
        self.table = table
        self.columns = columns
        self.name = name


_DEFAULTS = {"y_pred": "y_pred", "y_true": "y_true", "sample_weight": "weight"}


def gather(
    table: Values,
    words: Mapping[str, Any],
    *,
    other_preds: Sequence[str] = (),
    features: Sequence[str] = (),
    beside: Mapping[str, Values] | None = None,
    whole: bool = False,
) -> Gathered:
    """Put the table together: what was named of it, and what was given beside it; of whole rows, all that has a text.

    A rule holds rows out by their whole content, so that other features are measured on the same people.
    """
    name = str(words.get("name") or "table")
    frame = None if table is None else _frame(table)
    given: dict[str, Values] = dict(beside or {})
    columns: dict[str, Any] = {role: _single(role, words.get(role), frame, given) for role in _SINGLES}
    columns["proxies"] = _several("proxies", words.get("proxies"), frame, given, "proxy_")
    columns["proxy_probs"] = _probabilities(words.get("proxy_probs"), frame, given)
    columns["control_features"] = _several("control_features", words.get("control_features"), frame, given, "segment_")
    columns["control"] = _several("control", words.get("control"), frame, given, "control_")
    columns["other_preds"] = list(other_preds)
    columns["features"] = list(features)
    columns["borrows"] = False
    made = _native.Table(name)
    if frame is None:
        if not given:
            raise SettingError(
                "there is neither a table nor an array",
                "decisions and guesses of proxies",
                "give y_pred= and proxies=, or a table and the names of its columns",
            )
        for column, values in given.items():
            add(made, column, values)
    else:
        made = _of_frame(made, name, frame, given, columns, whole=whole)
    _with_sources(columns, words.get("sources"))
    return Gathered(made, columns, name)


def is_lazy(table: Values) -> bool:
    """Say whether a table is held by an engine, which counts it."""
    return isinstance(_known(table), nw.LazyFrame)


def _known(table: Values, *, series: bool = False) -> Any:
    """Give a table as narwhals knows it, and what it does not know as it is."""
    try:
        return nw.from_native(table, pass_through=True, allow_series=series)
    except nw.exceptions.DuplicateError as error:
        found = " ".join(str(error).split())
        raise TableError(f"two columns go by one name: {found}", "a name of its own for each", "rename one") from error


class _Lazy:
    """A table that an engine holds: nothing of it is looked at here."""


def _frame(table: Values) -> nw.DataFrame[Any] | Mapping[str, Values]:
    if isinstance(table, Mapping):
        return {str(column): values for column, values in cast("Mapping[Any, Values]", table).items()}
    frame = _known(table)
    if isinstance(frame, nw.DataFrame):
        return cast("nw.DataFrame[Any]", frame)
    if isinstance(frame, nw.LazyFrame):
        return cast("Mapping[str, Values]", _Lazy())
    if hasattr(table, "__arrow_c_stream__"):
        return cast("Mapping[str, Values]", _Stream(table))
    raise TableError(
        f"a table of type {type(table).__name__}",
        "a frame of pandas, polars, pyarrow or modin, an Arrow stream, or a mapping of names to values",
        "turn it into one of these",
    )


class _Stream:
    """A table that is known by its stream alone, and read once."""

    def __init__(self, native: Any) -> None:
        self.native = native


def _names(frame: Values) -> list[str] | None:
    """Give the columns of a table; nothing, where only reading tells."""
    if isinstance(frame, _Stream):
        return None
    if isinstance(frame, nw.DataFrame):
        return [str(name) for name in cast("nw.DataFrame[Any]", frame).columns]
    return list(frame)


def _single(role: str, values: Values, frame: Values, given: dict[str, Values]) -> str | None:
    if values is None:
        return None
    if isinstance(values, str):
        if frame is None and values not in given:
            raise SettingError(
                f"{role}={values!r} names a column, and there is no table",
                f"a table as the first argument, or the values of {role}",
            )
        return values
    column = _DEFAULTS.get(role, role)
    _beside(given, {column: values}, role)
    return column


def _beside(given: dict[str, Values], values: Mapping[str, Values], role: str) -> None:
    """Put values beside the table, each under a name of its own."""
    for name, one in values.items():
        if name in given and given[name] is not one:
            raise SettingError(
                f"{role}= has a column `{name}`, and so has another role", "a name of its own for each", "rename one"
            )
        given[name] = one


def named_columns(role: str, values: Values, table: Values, given: dict[str, Values]) -> list[str]:
    """Give the names of columns of a role that has several, and put those into ``given`` that are no names of the table's."""
    return _several(role, values, table, given, f"{role}_")


def _several(role: str, values: Values, frame: Values, given: dict[str, Values], prefix: str) -> list[str]:
    """Give the names of columns of which there may be several: names, a frame, a mapping, an array of columns or a list."""
    if values is None:
        return []
    if isinstance(values, str):
        values = [values]
    if isinstance(values, (list, tuple)) and all(isinstance(one, str) for one in cast("list[Any]", values)):
        named = cast("Sequence[str]", values)
        if frame is not None and named:
            return list(named)
        if named:
            raise SettingError(
                f"{role} names columns, and there is no table",
                f"a table as the first argument, or the values of {role}",
            )
    named_values = _named(role, values, prefix)
    if role == "proxies" and not named_values:
        raise SettingError("proxies= names nothing", "at least one", "name one, or leave proxies= out")
    _beside(given, named_values, role)
    return list(named_values)


def _named(role: str, values: Values, prefix: str) -> dict[str, Values]:
    """Give columns by name; what has none is counted."""
    if isinstance(values, Mapping):
        return {str(name): one for name, one in cast("Mapping[Any, Values]", values).items()}
    native = _known(values, series=True)
    if isinstance(native, nw.DataFrame):
        frame = cast("nw.DataFrame[Any]", native)
        return {str(name): frame[name].to_native() for name in frame.columns}
    if isinstance(native, nw.Series):
        series = cast("nw.Series[Any]", native)
        return {str(series.name or f"{prefix}1"): values}
    if isinstance(values, np.ndarray):
        array = cast("np.ndarray[Any, Any]", values)
        if array.ndim == 2:  # noqa: PLR2004 rows and columns
            return {f"{prefix}{place + 1}": array[:, place] for place in range(array.shape[1])}
        return {f"{prefix}1": array}
    if not isinstance(values, Iterable):
        raise SettingError(
            f"{role} is of type {type(values).__name__}", "a frame, a mapping of names to values, or a list of them"
        )
    parts = list(cast("Iterable[Values]", values))
    if parts and not _is_column(parts[0]):
        return {f"{prefix}1": parts}
    named: dict[str, Values] = {}
    for place, part in enumerate(parts):
        series = nw.from_native(part, pass_through=True, series_only=True)
        name = series.name if isinstance(series, nw.Series) else None
        named[str(name or f"{prefix}{place + 1}")] = part
    if len(named) < len(parts):
        raise SettingError(f"two of {role} go by one name", "a name of its own for each", "rename one")
    return named


def _is_column(part: Values) -> bool:
    return not isinstance(part, str) and (isinstance(part, Sequence) or hasattr(part, "__len__"))


def _probabilities(values: Values, frame: Values, given: dict[str, Values]) -> list[str]:
    """Give which columns hold probabilities, as the readers are told: prefixes, patterns or lists of a table's columns.

    A mapping of proxies to frames with a column for each group gets a prefix for each proxy.
    """
    if values is None:
        return []
    if isinstance(values, str) or (
        isinstance(values, (list, tuple)) and all(isinstance(one, str) for one in cast("list[Any]", values))
    ):
        return _several("proxy_probs", values, frame, given, "")
    proxies: Mapping[Any, Values] = {"probability": values}
    if isinstance(values, Mapping):
        listed = _listed(cast("Mapping[Any, Any]", values), frame)
        if listed:
            return listed
        first: Any = next(iter(cast("Mapping[Any, Any]", values).values()), None)
        if isinstance(first, Mapping) or _is_frame(first):
            proxies = cast("Mapping[Any, Values]", values)
    prefixes: list[str] = []
    for proxy, by_group in proxies.items():
        if isinstance(by_group, np.ndarray):
            raise SettingError(
                f"the probabilities of {proxy} have no names of groups",
                "a frame or a mapping with a column for each group",
            )
        prefix = f"{proxy}_"
        by_name = {f"{prefix}{group}": one for group, one in _named("proxy_probs", by_group, "").items()}
        _beside(given, by_name, "proxy_probs")
        prefixes.append(prefix)
    return prefixes


def _listed(values: Mapping[Any, Any], frame: Values) -> list[str]:
    """Give lists of columns by group, ``bisg=white:p_w,black:p_b``; nothing where there are values in place of names."""
    by_proxy = values if all(isinstance(one, Mapping) for one in values.values()) else {"probability": values}
    lists: list[str] = []
    for proxy, by_group in by_proxy.items():
        columns = cast("Mapping[Any, Any]", by_group)
        if not columns or not all(one is None or isinstance(one, str) for one in columns.values()):
            return []
        if frame is None:
            raise SettingError(
                "proxy_probs names columns, and there is no table",
                "a table as the first argument, or the values of proxy_probs",
            )
        parts = (str(group) if column is None else f"{group}:{column}" for group, column in columns.items())
        lists.append(f"{proxy}={','.join(parts)}")
    return lists


def _holds(asked: str, column: str) -> bool:
    """Say whether a column may hold probabilities by what was asked: a prefix, a pattern or a list."""
    if "=" in asked and f":{column}" in asked:
        return True
    pattern = asked.split("=", 1)[-1]
    if "*" in pattern:
        before, after = pattern.split("*", 1)
        return column.startswith(before) and column.endswith((after.rsplit(":", 1)[0], after))
    return column.startswith((asked.rsplit(":", 1)[0], asked))


def _is_frame(values: Values) -> bool:
    return isinstance(_known(values), nw.DataFrame)


def _with_sources(columns: dict[str, Any], asked: Any) -> None:
    """Say where each proxy's knowledge comes from, as the readers are told: ``proxy:source``."""
    if asked is None:
        return
    if not isinstance(asked, (Mapping, Sequence)):
        raise SettingError(f"sources= is of type {type(asked).__name__}", "a mapping of proxies to sources, or a list")
    sources = cast("Mapping[str, str] | Sequence[str | None]", asked)
    proxies: list[str] = [*columns["proxies"], *columns["proxy_probs"]]
    if not isinstance(sources, Mapping):
        if isinstance(sources, str) or len(sources) != len(proxies):
            raise SettingError(
                f"sources= has {1 if isinstance(sources, str) else len(sources)} and there are {len(proxies)} proxies",
                "a source for each proxy, or a mapping of proxies to sources",
            )
        sources = {proxy: source for proxy, source in zip(proxies, sources, strict=True) if source is not None}
    known = {*proxies, *map(_proxy, proxies)}
    unknown = [proxy for proxy in sources if proxy not in known and f"{proxy}_" not in known]
    if unknown:
        raise SettingError(f"sources= names `{unknown[0]}`, which is no proxy", f"one of {', '.join(proxies)}")
    for role in ("proxies", "proxy_probs"):
        columns[role] = [_sourced(proxy, sources) for proxy in columns[role]]


def _proxy(asked: str) -> str:
    """Give the name of a proxy, which stands before the list of its columns."""
    return asked.split("=", 1)[0]


def _sourced(proxy: str, sources: Mapping[str, str]) -> str:
    name = _proxy(proxy)
    source = sources.get(proxy, sources.get(name, sources.get(name.removesuffix("_"))))
    return proxy if source is None else f"{name}:{source}{proxy[len(name) :]}"


def _of_frame(
    made: _native.Table,
    name: str,
    frame: Values,
    given: Mapping[str, Values],
    columns: Mapping[str, Any],
    *,
    whole: bool,
) -> _native.Table:
    if isinstance(frame, (_Stream, _Lazy)):
        if given:
            raise SettingError(
                f"values are given beside {'a stream' if isinstance(frame, _Stream) else 'an engine'}",
                "names of its columns",
                "read it into a frame first, or put the values into it",
            )
        return _native.Table.of_stream(name, frame.native, []) if isinstance(frame, _Stream) else made
    there = _names(frame) or []
    used = [column for column in there if column not in given and _is_used(column, there, columns)]
    others = [column for column in there if column not in given and column not in used]
    if isinstance(frame, nw.DataFrame):
        eager = cast("nw.DataFrame[Any]", frame)
        if not given and eager.implementation.is_polars() | eager.implementation.is_pyarrow():
            kept, rest = (there, []) if whole else (used, others)
            return _native.Table.of_stream(name, eager.select(kept).to_native(), rest)
        by_name = dict(zip(there, eager.columns, strict=True))
        every = {column: eager[by_name[column]].to_native() for column in (there if whole else used)}
    else:
        every = dict(cast("Mapping[str, Values]", frame))
    values = {column: every[column] for column in used}
    for column, one in {**values, **given}.items():
        add(made, column, one)
    for column in others:
        if not (whole and _added(made, column, every[column])):
            made.add_name(column)
    return made


def _added(made: _native.Table, column: str, values: Values) -> bool:
    """Add a column that nobody named, unless it holds what has no text."""
    try:
        add(made, column, values)
    except ValueError:
        return False
    return True


def _is_used(column: str, there: Sequence[str], columns: Mapping[str, Any]) -> bool:
    # A tally has columns of its own, which only the readers know.
    if _OF_TALLIES in there:
        return True
    singles = {named for named in columns.values() if isinstance(named, str)}
    singles |= {default for role, default in _DEFAULTS.items() if columns.get(role, "") is None}
    if any(column.startswith(named) for named in columns["features"]):
        return True
    several = [*columns["proxies"], *columns["control_features"], *columns["control"], *columns["other_preds"]]
    if column in singles or any(column == named or named.startswith(f"{column}:") for named in several):
        return True
    if any(_holds(asked, column) for asked in columns["proxy_probs"]):
        return True
    guessed = [*columns["proxies"], *columns["proxy_probs"], *(columns[role] for role in _NAMED if columns[role])]
    return not guessed and column.startswith("proxy_")


def add(table: _native.Table, name: str, values: Values) -> None:
    """Add a column, whatever it is made of."""
    try:
        _add(table, name, values)
    except TypeError as error:
        raise TableError(f"`{name}`: {error}", "numbers, texts, categories or nothing, one for each row") from error


def _add(table: _native.Table, name: str, values: Values) -> None:
    series = nw.from_native(values, pass_through=True, series_only=True)
    if isinstance(series, nw.Series) and cast("nw.Series[Any]", series).implementation.is_pandas_like():
        _add_pandas(table, name, cast("nw.Series[Any]", series).to_native())
    elif hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        table.add_arrow(name, values)
    elif isinstance(values, np.ndarray):
        _add_numpy(table, name, cast("np.ndarray[Any, Any]", values))
    elif hasattr(values, "codes") and hasattr(values, "categories"):
        _add_codes(table, name, values.codes, values.categories)
    elif isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"{type(values).__name__} is no column")
    else:
        table.add_objects(name, list(cast("Iterable[Any]", values)))


def _add_codes(table: _native.Table, name: str, codes: Values, categories: Values) -> None:
    table.add_codes(name, np.asarray(codes).astype("<i4").tobytes(), list(categories))


def _add_pandas(table: _native.Table, name: str, series: Any) -> None:
    if not hasattr(series, "array"):
        series = series.to_pandas()
    dtype: Any = series.dtype
    if hasattr(dtype, "categories"):
        _add_codes(table, name, series.cat.codes.to_numpy(), series.cat.categories)
    elif isinstance(dtype, np.dtype):
        _add_numpy(table, name, series.to_numpy())
    elif getattr(dtype, "storage", None) == "pyarrow" or hasattr(dtype, "pyarrow_dtype"):
        table.add_arrow(name, _of_pyarrow(series))
    elif hasattr(dtype, "numpy_dtype") and dtype.numpy_dtype.kind in _NUMBERS:
        _add_numpy(table, name, series.to_numpy(dtype=dtype.numpy_dtype, na_value=0), series.isna().to_numpy())
    elif getattr(dtype, "name", "") in {"string", "str"}:
        codes, names = series.factorize()
        _add_codes(table, name, codes, names)
    else:
        table.add_objects(name, series.astype(object).tolist())


def _of_pyarrow(series: Any) -> Any:
    return series if hasattr(series, "__arrow_c_stream__") else series.array.__arrow_array__()


def _add_numpy(table: _native.Table, name: str, array: np.ndarray[Any, Any], missing: Any = None) -> None:
    if array.ndim == 2 and array.shape[1] == 1:  # noqa: PLR2004 a column is a column
        array = array[:, 0]
    if array.ndim != 1:
        raise TypeError(f"an array of {array.ndim} dimensions is no column")
    if isinstance(array, np.ma.MaskedArray):
        missing = np.ma.getmaskarray(array)
        array = array.data
    kind = array.dtype.kind
    if kind in _NUMBERS:
        size = min(array.dtype.itemsize, 8)
        if kind == "f":
            size = max(size, 4)
        plain = np.ascontiguousarray(array, dtype=f"<{kind}{size}")
        type_name = "bool" if kind == "b" else f"{_NUMBERS[kind]}{8 * size}"
        mask = None if missing is None else np.ascontiguousarray(missing, dtype=np.uint8).tobytes()
        table.add_numbers(name, type_name, plain.tobytes(), mask)
    elif kind in "UOT":
        objects: list[Any] = array.tolist()
        if missing is not None:
            objects = [None if gone else one for one, gone in zip(objects, missing, strict=True)]
        table.add_objects(name, objects)
    elif kind in "mM":
        texts: list[str] = array.astype(str).tolist()
        table.add_objects(name, [None if gone else one for one, gone in zip(texts, np.isnat(array), strict=True)])
    else:
        raise TypeError(f"an array of type {array.dtype} is no column")
