"""Tables that are copied with guesses in them: told at random, lent by neighbours, or looked up from names and places.

Rows are written to a folder of this process alone, the command that comes with the package copies them, and the folder is removed.
"""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import narwhals as nw
import numpy as np

from fairveil.errors import FairveilWarning, SettingError, TableError

_KEYWORDS = {"proxy": "proxies", "seed": "random_state", "for": "attribute"}


class Told(NamedTuple):
    """A table whose guesses were told by a stated mechanism, and the mechanism, which an audit undoes."""

    table: Any
    mechanism: dict[str, Any]


def privatize(
    table: Any,
    *,
    proxies: str | Sequence[str],
    epsilon: float | None = None,
    flip: float | None = None,
    matrix: Any = None,
    groups: Sequence[Any] | None = None,
    missing: Any = (),
    random_state: int | None = None,
    key_file: str | os.PathLike[str] | None = None,
    id: str | None = None,  # noqa: A002 the name of the setting
    earlier: Sequence[Mapping[str, Any]] = (),
) -> Told:
    """Tell guesses by randomised response, with a stated epsilon, as ``fairveil privatize`` does.

    Give one of ``epsilon``, ``flip`` (how often another group is told) and ``matrix`` (rows for guesses, columns for what is told, in
    the order of ``groups``). With ``random_state`` whoever knows it can undo it. With ``key_file``, a file with a secret, a person (the
    column ``id``) whose guess stays the same has the same answer in every release, so that releases do not add up; ``earlier`` are the
    mechanisms of releases before. Audit the table with ``mechanism=``.

    >>> import fairveil
    >>> people = fairveil.simulate(rows=500, lending=True, backend="pandas")
    >>> told = fairveil.privatize(people, proxies=["surname", "zip"], epsilon=1.0)
    >>> [column["column"] for column in told.mechanism["columns"]]
    ['surname', 'zip']
    """
    named = [proxies] if isinstance(proxies, str) else list(proxies)
    flags = [part for name in named for part in ("--proxy", name)]
    flags += [*_one("--epsilon", epsilon), *_one("--flip", flip), *_one("--seed", random_state)]
    flags += _groups(groups) if matrix is None else []
    flags += _missing(missing)
    files: dict[str, str] = {}
    if key_file is not None:
        flags += ["--key-file", str(Path(key_file).absolute())]
    for place, release in enumerate(earlier):
        files[f"earlier-{place}.json"] = json.dumps(dict(release))
        flags += ["--earlier", f"earlier-{place}.json"]
    flags += _one("--id", id)
    if matrix is not None:
        if groups is None:
            raise SettingError("matrix= without groups=", "the groups, in the order of its rows")
        stated = {"groups": [str(group) for group in groups], "matrix": np.asarray(matrix, dtype=float).tolist()}
        files["matrix.json"] = json.dumps(stated)
        flags += ["--matrix", "matrix.json"]
    frame = _eager(table)
    copied = _copy("privatize", frame, [*named, *([id] if id is not None else [])], flags, files)
    made = frame.with_columns(*(_series(frame, name, copied.columns[name]) for name in named))
    return Told(made.to_native(), cast("dict[str, Any]", json.loads(copied.mechanism or "{}")))


def neighbors(
    table: Any,
    *,
    proxies: str | Sequence[str],
    features: str | Sequence[str],
    metric: str | None = None,
    search: str | None = None,
    missing: Any = (),
) -> Any:
    """Add what each proxy guesses on a row's two nearest neighbours, as ``fairveil neighbors`` does.

    For tables with one or two proxies; ``features`` are columns, or the start of their names. ``docs/neighbors.md`` says when not to
    believe it.
    """
    named = [proxies] if isinstance(proxies, str) else list(proxies)
    near = [features] if isinstance(features, str) else list(features)
    frame = _eager(table)
    used = [*named, *(name for name in frame.columns if name not in named and name.startswith(tuple(near)))]
    decisions = [name for name in frame.columns if name == "y_pred"]
    flags = [part for name in named for part in ("--proxy", name)]
    flags += ["--features", ",".join(near), *_one("--metric", metric), *_one("--search", search), *_missing(missing)]
    copied = _copy("neighbors", frame, [*used, *decisions], flags, {}, decides=not decisions)
    added = [name for name in copied.columns if name not in frame.columns and name != "y_pred"]
    return frame.with_columns(*(_series(frame, name, copied.columns[name]) for name in added)).to_native()


def proxies(
    table: Any,
    *,
    first_name: str | None = None,
    surname: str | None = None,
    zip: str | None = None,  # noqa: A002 the name of the setting
    name: str | None = None,
    attribute: str | None = None,
    groups: Sequence[Any] | None = None,
    epsilon: float | None = None,
    plain: bool = False,
    missing: Any = (),
    random_state: int | None = None,
) -> Told:
    """Look names and places up and add what each says of the group, told at random or in plain, as ``fairveil proxies`` does.

    The names themselves are not in the table that comes back. With ``plain=True`` whoever has it has a guessed group of every person
    in it; ``docs/proxies.md`` says which tables are used, and what law and decency say.
    """
    columns = {"--first-name": first_name, "--surname": surname, "--zip": zip, "--name": name}
    named = {flag: column for flag, column in columns.items() if column is not None}
    if not named:
        raise SettingError("no column of names or places is named", "first_name=, surname=, zip= or name=")
    flags = [part for flag, column in named.items() for part in (flag, column)]
    flags += [*_one("--for", attribute), *_one("--epsilon", epsilon), *_one("--seed", random_state), *_groups(groups)]
    flags += [*(["--plain"] if plain else []), *_missing(missing)]
    frame = _eager(table)
    taken = list(named.values())
    copied = _copy("proxies", frame, taken, flags, {})
    kept = frame.drop(*taken)
    made = kept.with_columns(*(_series(frame, column, values) for column, values in copied.columns.items()))
    return Told(made.to_native(), cast("dict[str, Any]", json.loads(copied.mechanism or "{}")))


class _Copied(NamedTuple):
    columns: dict[str, list[str | None]]
    mechanism: str | None


def _eager(table: Any) -> nw.DataFrame[Any]:
    frame = nw.from_native(table, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise TableError(f"a table of type {type(table).__name__}", "a frame of pandas, polars, pyarrow or modin")
    return cast("nw.DataFrame[Any]", frame)


def _copy(
    job: str,
    frame: nw.DataFrame[Any],
    used: Sequence[str],
    flags: Sequence[str],
    files: dict[str, str],
    *,
    decides: bool = False,
) -> _Copied:
    """Run the command on some columns of a table and read what it wrote."""
    absent = [column for column in used if column not in frame.columns]
    if absent:
        raise TableError(f"there is no column `{absent[0]}`", f"one of {', '.join(frame.columns)}", "check the name")
    with tempfile.TemporaryDirectory(prefix="fairveil-") as place:
        folder = Path(place)
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
        with (folder / "table.csv").open("w", newline="", encoding="utf-8") as out:
            writer = csv.writer(out)
            writer.writerow([*used, *(["y_pred"] if decides else [])])
            rows = frame.select(*used).iter_rows()
            writer.writerows([*map(_field, row), *([place % 2] if decides else [])] for place, row in enumerate(rows))
        words = [job, "table.csv", "-o", "told.csv", "--quiet", *flags]
        if job in {"privatize", "proxies"}:
            words += ["--count", "none"]
        command = [sys.executable, "-m", "fairveil", *words]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603 our own command
        if done.returncode:
            raise _refused(done.stderr)
        for line in done.stderr.splitlines():
            if line.startswith("warning: "):
                warnings.warn(FairveilWarning(job, _spelled(line.removeprefix("warning: "))), stacklevel=4)
        with (folder / "told.csv").open(newline="", encoding="utf-8") as into:
            read = csv.reader(into)
            names = next(read)
            by_row = [[value or None for value in row] for row in read]
        columns: dict[str, list[str | None]] = {name: [row[at] for row in by_row] for at, name in enumerate(names)}
        mechanism = folder / "told.csv.mechanism.json"
        return _Copied(columns, mechanism.read_text(encoding="utf-8") if mechanism.exists() else None)


def _field(value: Any) -> Any:
    """Give a value as a file holds it: nothing is empty."""
    return "" if value is None or value != value else value  # noqa: PLR0124 NaN alone is not itself


def _series(frame: nw.DataFrame[Any], name: str, values: list[str | None]) -> nw.Series[Any]:
    return nw.new_series(name, values, nw.String, backend=frame.implementation)


def _one(flag: str, value: Any) -> list[str]:
    return [] if value is None else [flag, str(value)]


def _groups(groups: Sequence[Any] | None) -> list[str]:
    return [] if groups is None else ["--groups", ",".join(str(group) for group in groups)]


def _missing(missing: Any) -> list[str]:
    several: Sequence[Any] = [missing] if isinstance(missing, (str, int, float)) else missing
    return [part for value in several for part in ("--missing", str(value))]


def _spelled(text: str) -> str:
    """Spell flags as keywords."""

    def keyword(flag: re.Match[str]) -> str:
        name = flag.group(1).replace("-", "_")
        return f"{_KEYWORDS.get(name, name)}="

    return re.sub(r"--([a-z][a-z-]*)", keyword, text)


def _refused(told: str) -> SettingError:
    """Give a refusal of the command as an exception."""
    text = _spelled(told.strip().removeprefix("error: "))
    text, _, to_do = text.partition("\n  to do:  ")
    found, _, needed = text.partition("\n  needed: ")
    return SettingError(found, needed or None, to_do or None)
