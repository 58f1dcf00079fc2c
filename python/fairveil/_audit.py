"""The whole flow, from a table to an audit."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from fairveil import _native
from fairveil._progress import told
from fairveil._result import Audit
from fairveil._table import gather, is_lazy, named_columns
from fairveil._words import (
    AuditWords,
    CountWords,
    TallyWords,
    kept,
    question,
    settings_told,
    takes,
    threshold_told,
    values_told,
)
from fairveil.errors import FairveilWarning, SettingError

if TYPE_CHECKING:
    from typing_extensions import Unpack

_OF_ROWS = (
    "cluster",
    "id",
    "label_probability",
    "audit_table",
    "features",
    "score",
    "first_name",
    "surname",
    "zip",
    "control",
    "lenient",
)


def noting(stacklevel: int) -> Callable[[str], None]:
    """Give what warns of what readers found out about a table; warnings are about whoever called this many calls before."""

    def note(sentence: str) -> None:
        warnings.warn(FairveilWarning("note", sentence), stacklevel=stacklevel + 1)

    return note


def warn(audit: Audit, stacklevel: int) -> None:
    """Warn of every finding that is more than good to know, once for each code."""
    told_of: set[str] = set()
    for finding in audit.findings:
        if finding.severity != "info" and finding.code not in told_of:
            told_of.add(finding.code)
            warnings.warn(FairveilWarning(finding.code, finding.message), stacklevel=stacklevel + 1)


@takes(AuditWords)
def audit(table: Any = None, **words: Unpack[AuditWords]) -> Audit:
    """Estimate how differently a model treats groups, from proxies that guess them.

    With a table (a frame of pandas, polars, pyarrow or modin, an Arrow stream, or a mapping), roles are names of its columns:
    ``audit(people, y_pred="hired", proxies=["surname", "zip"])``. Without one they are arrays, series or lists with a value for
    each row, and ``proxies`` is a frame, a mapping of names to values, an array with a column for each or a list of them.

    :param y_pred: the model's decisions.
    :param score: the model's scores, in place of decisions: whoever has at least ``threshold`` is selected.
    :param outcome: a number to compare between groups (a price, an amount), with :attr:`Audit.outcome` as its place; nothing (None,
        NaN) where a row has none.
    :param y_true: what they should have been; needed for equalized odds and equal opportunity.
    :param proxies: guesses of the group; nothing (None, NaN, a null) is no guess.
    :param proxy_probs: proxies that give probabilities: prefixes of the table's columns (``"p_"``) or patterns (``"*_prob"``); a
        mapping of proxies to the columns of their groups, ``{"bisg": {"white": "p_w", "black": "p_b"}}``, of which one of two may be
        None; or a mapping of proxies to frames with a column for each group.
    :param sources: what each proxy is made from; proxies of one source count as one view.
    :param first_name: first names, which are looked up in a table of names by group and kept nowhere; ``surname`` and ``zip`` (ZIP
        codes of the United States) likewise.
    :param attribute: what names and places are to tell: ``"race"`` (the default) or ``"sex"``.
    :param tables: a folder of tables of your own, as CSV, in place of the built-in ones for the same kind of column.
    :param control: columns within whose values names are believed: what they follow beside the group, such as age in bands.
    :param population: with one ``proxy_probs``: the shares of the groups among the people for whom its probabilities were made.
    :param evidence: with a tally: what names and places say of its rows, a file that ``fairveil count --evidence`` wrote, or several.
    :param control_features: what cuts the rows into segments, each audited on its own.
    :param min_segment: smaller segments are put together.
    :param audit_labels: the true group of a few rows, used.
    :param label_probability: the chance with which each of these rows was drawn.
    :param audit_table: rows of other people with the same proxies and the column that ``audit_labels`` names.
    :param truth: the true group of all rows, only compared against.
    :param cluster: what rows have in common that are not independent: a person, a household, a branch.
    :param id: who a row is about, only to find people who stand in several rows.
    :param features: with one or two proxies: what tells which rows are near each other; each borrows the guesses of two neighbours.
        ``metric`` and ``search`` say how they are found, ``scale=True`` puts features on one scale first, ``triple_seed`` keeps a
        random three guesses of each row.
    :param groups: the groups, in order.
    :param positive: the class that counts as selected.
    :param positive_label: the label that goes with being selected, where labels have other names than decisions.
    :param map: what the values of a column mean: ``{"race": {1: "White", 2: "Black", 9: None}}``; ``"*"`` stands for all others, and
        None for nothing.
    :param selected_is: what being selected means to a person, ``"good"`` or ``"adverse"``: it turns the words of reports.
    :param missing: values that mean nothing.
    :param lenient: leave out rows that are broken, and say how many.
    :param criteria: what to measure; all that the columns allow where none is named.
    :param estimator: how to learn the proxies' errors; with a name, it is an error that it gives no number.
    :param scope: which number to recommend: one table of errors for everybody (``"global"``) or one for each decision (``"local"``).
    :param given: error rates from elsewhere: a matrix with a row for each of ``groups``, a mapping with ``transition`` and
        ``groups``, or another audit.
    :param mechanism: how guesses were randomised, as :func:`fairveil.privatize` gives it.
    :param known_shares: shares of the groups that are known from elsewhere; with them, ``max_proxy_error`` bounds the gap.
    :param reference: the group that others stand beside in ``measures``; the largest where none is named.
    :param shared_error: the share of the proxies' agreement that may be shared error, in ranges.
    :param max_shift: how much more often a group may be guessed among selected people of the same group, in ranges.
    :param confidence: how often an interval should hold what it is about.
    :param n_boot: draws behind intervals; 0 for none.
    :param random_state: the seed of the draws: the same seed, the same digits.
    :param name: what reports call the table.
    :raises FairveilError: where no number can be given.

    >>> import fairveil
    >>> people = fairveil.simulate(rows=4000, lending=True)
    >>> audit = fairveil.audit(people, y_pred="approved", proxies=["surname", "first_name", "zip"], n_boot=200)
    >>> audit.answer["demographic_parity"].says
    'number'
    """
    if table is not None and is_lazy(table):
        return _in_engine(table, words)
    beside: dict[str, Any] = {}
    features = named_columns("features", words.get("features"), table, beside)
    decided = _decided(words)
    gathered = gather(table, {**words, **decided}, features=features, beside=beside)
    columns = {**gathered.columns, **values_told(words), "borrows": bool(features), "threshold": threshold_told(words)}
    asked = settings_told(words)
    sample = words.get("audit_table")
    if sample is not None:
        if not isinstance(words.get("audit_labels"), str):
            raise SettingError("audit_table= without audit_labels=", "the name of its column of known groups")
        named = {role: gathered.columns[role] or None for role in ("proxies", "proxy_probs", "audit_labels")}
        asked["audit_table"] = gather(sample, {**named, "name": "audit_table"}).table
    made = Audit(_native.audit(question(gathered.name, [gathered.table], columns, asked, told(), noting(3))))
    warn(made, stacklevel=3)
    return made


def _decided(words: AuditWords) -> dict[str, Any]:
    """Give decisions by score as the role that they have."""
    score, threshold = words.get("score"), words.get("threshold")
    if (score is None) != (threshold is None):
        raise SettingError("score= and threshold= go together", "both of them, or decisions as y_pred=")
    if score is None:
        return {}
    if words.get("y_pred") is not None:
        raise SettingError("score= and y_pred= are both given", "scores or decisions", "leave one of them out")
    return {"y_pred": score, "score": None}


def _in_engine(table: Any, words: AuditWords) -> Audit:
    """Count where the rows are, and audit the tally."""
    said = cast("dict[str, Any]", words)
    of_rows = [keyword for keyword in _OF_ROWS if said.get(keyword) not in {None, False}]
    if of_rows:
        raise SettingError(
            f"{of_rows[0]}= beside an engine, which gives a tally and no rows",
            "rows that are here",
            "collect them first",
        )
    counts: Any = importlib.import_module("fairveil._counts").Counts
    tally = counts.from_engine(table, **kept(said, CountWords))
    return cast("Audit", tally.audited(kept(said, TallyWords), stacklevel=5))
