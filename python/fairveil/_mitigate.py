"""Decisions with a smaller gap, learned from proxies only."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NoReturn, cast

import numpy as np

from fairveil import _native
from fairveil._progress import told
from fairveil._result import Identity, write
from fairveil._table import gather, named_columns
from fairveil._words import (
    Criterion,
    MitigateWords,
    Values,
    WeightWords,
    question,
    settings_told,
    takes,
    training_told,
    values_told,
)
from fairveil.errors import FairveilWarning, SettingError

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray
    from typing_extensions import Unpack


Outside = Literal["tell", "empty", "refuse"]


@dataclass(frozen=True)
class Decided:
    """What a rule decides on each row of a table."""

    decisions: NDArray[Any]
    """In the words of the table that the rule was learned from, as whole numbers where these were; ``None`` where there is no decision."""
    margins: NDArray[np.float64]
    """How far a row is from the cut, as the rule counts it; a NaN where there is no decision."""
    review: NDArray[np.bool_] | None
    """Whether the margin is within ``review`` of 0, so that a person should look; nothing where that was not asked for."""
    doubts: tuple[str, ...]
    """What speaks against relying on the decisions: rows far outside, people of another kind, rows without a decision."""


class Rule:
    """A rule that was learned. It looks at features that someone named, never at a group or a proxy by itself."""

    _native_rule: _native.Rule

    def __init__(self, rule: _native.Rule) -> None:
        """Take a rule that was learned; :func:`fairveil.mitigate` learns one."""
        self.__dict__["_native_rule"] = rule

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: a rule is what was learned."""
        raise AttributeError(f"a rule does not change: {name} cannot be set")

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        """Travel between processes as JSON."""
        return Rule.from_json, (self.to_json(),)

    @classmethod
    def from_json(cls, text: str) -> Rule:
        """Read a rule that Python or ``fairveil mitigate`` wrote."""
        return cls(_native.Rule.from_json(text))

    def to_json(self) -> str:
        """Give the rule as ``fairveil apply`` takes it."""
        return self._native_rule.json()

    @property
    def features(self) -> tuple[str, ...]:
        """The columns that it looks at."""
        return tuple(self._native_rule.columns)

    @property
    def positive(self) -> str | int:
        """The decision that counts as selected."""
        return self._typed(self._native_rule.decisions[0])

    @property
    def negative(self) -> str | int:
        """The other decision."""
        return self._typed(self._native_rule.decisions[1])

    def _typed(self, decision: str) -> str | int:
        """Give 0 and 1 as numbers, where both decisions are."""
        whole = all(re.fullmatch(r"0|-?[1-9][0-9]{0,17}", one) for one in self._native_rule.decisions)
        return int(decision) if whole else decision

    def __str__(self) -> str:
        """Give the rule in words and numbers."""
        return self._native_rule.show()

    def to_sql(self, table: str, *, dialect: str = "ansi") -> str:
        """Give one query that decides on each row of a database's table, in its dialect."""
        return self._native_rule.sql(table, dialect)

    def to_python(self) -> str:
        """Give a module that needs no package and decides on rows."""
        return self._native_rule.python()

    def to_onnx(self) -> bytes:
        """Give the rule as an ONNX model."""
        return self._native_rule.onnx()

    def predict(self, table: Any, *, outside: Outside = "tell", lenient: bool = False) -> NDArray[Any]:
        """Decide on each row of a table; :meth:`apply` tells more."""
        return self._apply(table, None, outside, lenient=lenient).decisions

    def apply(
        self, table: Any, *, review: float | None = None, outside: Outside = "tell", lenient: bool = False
    ) -> Decided:
        """Decide on each row of a table, with margins, as ``fairveil apply`` does.

        Rows far outside of what the rule was learned from are decided about and told in a warning; with ``outside="empty"`` they get
        no decision, with ``outside="refuse"`` the table is refused. A value that the rule cannot decide on is refused; with ``lenient``
        its row gets no decision. ``review`` marks the rows whose margin is within it. Doubts are warnings too.
        """
        if review is not None and not 0 < review < np.inf:
            raise SettingError(f"review is {review}", "a number above 0")
        return self._apply(table, review, outside, lenient=lenient)

    def _apply(self, table: Any, review: float | None, outside: Outside, *, lenient: bool) -> Decided:
        gathered = gather(table, {}, features=self.features)
        decided, told_margins, doubts = self._native_rule.apply([gathered.table], outside, lenient)
        for doubt in doubts:
            warnings.warn(FairveilWarning("note", doubt), stacklevel=3)
        names = {name: self._typed(name) for name in self._native_rule.decisions}
        decisions = np.array([None if one is None else names[one] for one in decided], dtype=object)
        if isinstance(self.positive, int) and None not in decided:
            decisions = decisions.astype(np.int64)
        margins = np.array([np.nan if margin is None else margin for margin in told_margins], dtype=float)
        return Decided(
            decisions=decisions,
            margins=margins,
            review=None if review is None else np.abs(margins) <= review,
            doubts=tuple(doubts),
        )


class Mitigation:
    """A rule, and what became of the gap on rows that were held out. Nothing changes it."""

    _mitigated: _native.Mitigated

    def __init__(self, mitigated: _native.Mitigated) -> None:
        """Take what was learned; :func:`fairveil.mitigate` learns it."""
        self.__dict__["_mitigated"] = mitigated

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: what was measured does not change."""
        raise AttributeError(f"a mitigation does not change: {name} cannot be set")

    @cached_property
    def _record(self) -> dict[str, Any]:
        return cast("dict[str, Any]", json.loads(self.to_json()))

    @property
    def rule(self) -> Rule:
        """The rule."""
        return Rule(self._mitigated.rule)

    @property
    def findings(self) -> tuple[Mapping[str, Any], ...]:
        """What to doubt."""
        return tuple(self._record["findings"])

    def to_dict(self) -> dict[str, Any]:
        """Give before and after as plain data."""
        return cast("dict[str, Any]", json.loads(self.to_json()))

    def to_json(self, *, words: Literal["keywords", "flags"] = "keywords") -> str:
        """Give before and after as JSON, digit for digit what the command line writes."""
        return self._mitigated.json(words)

    def save_html(self, path: str | os.PathLike[str], **identity: Unpack[Identity]) -> None:
        """Write one page that needs nothing else."""
        write(path, self._mitigated.html, identity)

    def save_markdown(self, path: str | os.PathLike[str], **identity: Unpack[Identity]) -> None:
        """Write the same as Markdown."""
        write(path, self._mitigated.markdown, identity)

    def __str__(self) -> str:
        """Give what the command line prints."""
        return self._mitigated.text()


@takes(MitigateWords)
def mitigate(
    table: Any = None,
    *,
    features: Values,
    criterion: Criterion = "demographic_parity",
    **words: Unpack[MitigateWords],
) -> Mitigation:
    """Learn decisions with a smaller gap from proxies only, and measure before and after on rows that were held out.

    ``features`` are what the rule may look at: names of the table's columns, or a frame of them. The rest is as in
    :func:`fairveil.audit`; ``docs/mitigation.md`` says what the methods do and what zero means. As many are decided positive as
    before, unless ``rate`` asks for a share, ``threshold`` for a chance of the label or ``costs={"fp": 1, "fn": 5}`` says what
    mistakes cost. ``split`` says which rows to learn from and which to measure on (train or test); without it rows are cross-fitted
    where they are few, and else a share is held out. Of several methods the first makes the rule, and the others stand beside it.
    ``local=True`` gives each decision of ``y_pred`` error rates of its own, fixed before training.
    """
    cuts = [name for name in ("rate", "threshold", "costs") if words.get(name) is not None]
    if len(cuts) > 1:
        raise SettingError(f"{' and '.join(cuts)} are given", "one cut", "leave out the others")
    sides = [name for name in ("split", "held_out", "cross_fit") if words.get(name) not in (None, False)]
    if len(sides) > 1:
        raise SettingError(f"{' and '.join(sides)} are given", "one way to measure", "leave out the others")
    beside: dict[str, Values] = {}
    named = named_columns("features", features, table, beside)
    if not named:
        raise SettingError("no features are named", "the columns that the rule may look at", "give features=")
    return Mitigation(_native.mitigate(*rows_asked(table, {**words, "criteria": criterion}, named, beside)))


@dataclass(frozen=True)
class GapWeights:
    """The weight of every row in each gap, in the order of the table."""

    pairs: tuple[str, ...]
    """The columns of ``weights``: ``v_b_a`` is the rate of ``b`` minus that of ``a``, ``v_b_a_given_1`` the same among rows labelled 1."""
    weights: NDArray[np.float64]
    """A row for each row of the table, a column for each gap."""
    estimator: str
    """How the proxies' errors were learned."""


@takes(WeightWords)
def gap_weights(
    table: Any = None, *, criterion: Criterion = "demographic_parity", **words: Unpack[WeightWords]
) -> GapWeights:
    """Give the weight of every row in each gap, for a trainer of your own (``fairveil mitigate --weights-only``).

    The gap of decisions, or of numbers, ``f`` is ``weights.T @ f / len(f)``, whatever model they come from (with ``sample_weight`` ``w``:
    ``weights.T @ (w * f) / w.sum()``). A weight follows from what is guessed of a row, so keep it as you keep guesses.
    """
    asked, training = rows_asked(table, {**words, "criteria": criterion}, [], {})
    pairs, values, estimator = _native.weights(asked, {**training, "weights_only": True})
    return GapWeights(pairs=tuple(pairs), weights=np.column_stack(values), estimator=estimator)


def rows_asked(
    table: Any, words: Mapping[str, Any], features: Sequence[str], beside: Mapping[str, Values]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Put rows and features together; give what is asked of them, and of the rule."""
    gathered = gather(table, words, features=features, beside=beside, whole=True)
    columns = {**gathered.columns, **values_told({**words, "features": features})}
    training = {**training_told(words), "score": columns["score"], "split": columns["split"]}
    return question(gathered.name, [gathered.table], columns, settings_told(words), told()), training
