"""What is asked of a table beside an audit: a record, in every form that the command line writes."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NoReturn, cast

from fairveil._result import Identity, Plot, write
from fairveil._values import Estimate, interval
from fairveil.errors import SettingError

if TYPE_CHECKING:
    import os

    from typing_extensions import Unpack

    from fairveil import _native


def columns_of(found: Estimate, name: str) -> dict[str, Any]:
    """Give an estimate as columns of a frame."""
    ends, honest = found.interval, found.range
    row: dict[str, Any] = {name: found.value, "low": ends and ends.low, "high": ends and ends.high}
    return row | {"range_low": honest and honest.low, "range_high": honest and honest.high}


class Record:
    """A record. Nothing changes it; every number is that of :meth:`to_json`."""

    _recorded: _native.Recorded

    def __init__(self, recorded: _native.Recorded) -> None:
        """Take a record that was made."""
        self.__dict__["_recorded"] = recorded

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: a record is what it is."""
        raise AttributeError(f"a record does not change: {name} cannot be set")

    @cached_property
    def _record(self) -> dict[str, Any]:
        return cast("dict[str, Any]", json.loads(self.to_json()))

    def _estimate(self, found: dict[str, Any], confidence: float, group: str) -> Estimate:
        """Give a number of the record with its intervals."""
        ends, honest = interval(found["interval"]), interval(found["honest_interval"])
        return Estimate(found["value"], ends, honest, confidence, found.get("unavailable"), group)

    def to_dict(self) -> dict[str, Any]:
        """Give the record as plain data."""
        return cast("dict[str, Any]", json.loads(self.to_json()))

    def to_json(self, *, words: Literal["keywords", "flags"] = "keywords") -> str:
        """Give the record as JSON, digit for digit what the command line writes."""
        return self._recorded.json(words)

    def save_html(self, path: str | os.PathLike[str], **identity: Unpack[Identity]) -> None:
        """Write one page that needs nothing else."""
        write(path, self._recorded.html, identity)

    def save_markdown(self, path: str | os.PathLike[str], **identity: Unpack[Identity]) -> None:
        """Write the same as Markdown."""
        write(path, self._recorded.markdown, identity)

    def plot(self, name: str | None = None) -> Plot:
        """Give a plot of the page as SVG: the first, or the one of this name."""
        plots = {file.removesuffix(".svg"): svg for file, svg in self._recorded.plots()}
        if name is None:
            name = next(iter(plots), "")
        if name not in plots:
            raise SettingError(f"there is no plot {name!r}", f"one of {', '.join(plots)}")
        return Plot(name, plots[name])

    def __str__(self) -> str:
        """Give what the command line prints."""
        return self._recorded.text()
