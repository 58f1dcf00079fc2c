"""Frames to hand out, of whichever library is there."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw

from fairveil.errors import SettingError

_BACKENDS = ("pandas", "polars", "pyarrow")


def backend_of(asked: str | None) -> Any:
    """Give the library asked for, or the first that is imported or installed."""
    if asked is not None:
        if asked not in _BACKENDS:
            raise SettingError(f"backend={asked!r}", f"one of {', '.join(_BACKENDS)}")
        return asked
    for name in _BACKENDS:
        if name in sys.modules:
            return name
    for name in _BACKENDS:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
        return name
    raise SettingError(
        "no library of frames is installed", "pandas, polars or pyarrow", "install one, or use to_dict()"
    )


def frame_of(rows: Sequence[Mapping[str, Any]], backend: str | None) -> Any:
    """Give rows as a frame."""
    names = list(rows[0]) if rows else []
    columns = {name: [row[name] for row in rows] for name in names}
    return nw.from_dict(columns, backend=backend_of(backend)).to_native()
