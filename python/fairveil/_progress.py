"""How far a long run is: a line on a terminal or in a notebook, after two seconds."""

from __future__ import annotations

import itertools
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairveil._native import Told

_WIDTH = 24


def told() -> Told | None:
    """Give who is told how far it is; nobody, where nobody looks."""
    shell = sys.modules.get("IPython")
    kernel: Any = shell.get_ipython() if shell is not None else None
    if kernel is not None and hasattr(kernel, "kernel"):
        return _InNotebook()
    return _OnTerminal() if sys.stderr is not None and sys.stderr.isatty() else None


class _Line:
    """A bar that moves as long as there is work: how much there will be is not known."""

    def __init__(self) -> None:
        self._places = itertools.cycle([*range(_WIDTH - 3), *range(_WIDTH - 3, 0, -1)])

    def text(self, rows: int, draws: int) -> str:
        place = next(self._places)
        bar = "·" * place + "███" + "·" * (_WIDTH - 3 - place)
        done = [f"{rows:,} rows" if rows else "", f"{draws:,} draws" if draws else ""]
        return f"fairveil {bar} {', '.join(part for part in done if part) or 'estimating'}"


class _OnTerminal(_Line):
    def __call__(self, rows: int | None, draws: int | None) -> None:
        line = "" if rows is None or draws is None else self.text(rows, draws)
        sys.stderr.write(f"\r\x1b[2K{line}")
        sys.stderr.flush()


class _InNotebook(_Line):
    def __init__(self) -> None:
        super().__init__()
        self._shown: Any = None

    def __call__(self, rows: int | None, draws: int | None) -> None:
        display: Any = sys.modules["IPython"].display
        if rows is None or draws is None:
            self._shown.update({"text/plain": ""}, raw=True)
            return
        line = {"text/plain": self.text(rows, draws)}
        if self._shown is None:
            self._shown = display.display(line, raw=True, display_id=True)
        else:
            self._shown.update(line, raw=True)
