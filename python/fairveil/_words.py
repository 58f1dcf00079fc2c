"""The keywords of every function that looks at a table: one line for each, with its type, its default and what the core is told.

A new setting is a line here and a field in ``crates/python/src/asked``. Functions take ``**words: Unpack[...]``, which type
checkers know; :func:`takes` gives them the signature that ``help`` and notebooks show, and refuses a keyword that there is not.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, ParamSpec, TypeAlias, TypedDict, TypeVar, cast, get_type_hints

import numpy as np

from fairveil import _native
from fairveil._result import Audit
from fairveil.errors import FairveilError, SettingError

Values: TypeAlias = Any
"""The values of one column: an array, a series, a list; or the name of a column of the table."""

Criterion: TypeAlias = str
Scope: TypeAlias = Literal["auto", "global", "local"]
State: TypeAlias = int | np.random.RandomState | np.random.Generator | None


class Said(NamedTuple):
    """What a keyword is where nobody says it, and how the core is told of its value."""

    default: Any = None
    told: Callable[[str, Any], Any] | None = None


def _names(_: str, values: Any) -> list[str]:
    """Give one name or several as a list."""
    return [values] if isinstance(values, str) else [str(one) for one in cast("Sequence[Any]", values or [])]


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise SettingError(f"{name} is {value!r}", "a number") from error


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise SettingError(f"{name} is {value!r}", "True or False")
    return bool(cast("Any", value))


def _number_or_none(name: str, value: Any) -> float | None:
    return None if value is None else _number(name, value)


def _whole(name: str, value: Any) -> int:
    number = _number(name, value)
    if not 0 <= number < 2**64 or number != int(number):
        raise SettingError(f"{name} is {value}", "a whole number from 0")
    return int(value)


def _whole_or_none(name: str, value: Any) -> int | None:
    return None if value is None else _whole(name, value)


def _costs(name: str, costs: Any) -> tuple[float, float] | None:
    """Give what a false positive and a false negative cost."""
    if costs is None:
        return None
    if not isinstance(costs, Mapping) or set(cast("Mapping[Any, Any]", costs)) != {"fp", "fn"}:
        raise SettingError(f"{name} does not name both mistakes", "both", 'give costs={"fp": 1, "fn": 5}')
    both = cast("Mapping[str, Any]", costs)
    return _number(name, both["fp"]), _number(name, both["fn"])


def _text(name: str, value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise SettingError(f"{name} is of type {type(value).__name__}", "a text")
    return value


def _word(name: str, value: Any) -> str | None:
    """Give a name of a method as the core spells it."""
    text = _text(name, value)
    return None if text is None else text.replace("_", "-")


def _methods(name: str, value: Any) -> list[str]:
    """Give the names of methods, each once."""
    several = [value] if isinstance(value, str) else list(value)
    return list(dict.fromkeys(str(_word(name, method)) for method in several)) or ["plug-in"]


def _shares(name: str, shares: Any) -> list[tuple[str, float]]:
    return [(value_name(group), _number(name, share)) for group, share in dict(shares or {}).items()]


def _bounds(name: str, bounds: Any) -> list[tuple[str | None, float]]:
    if bounds is None:
        return []
    if isinstance(bounds, Mapping):
        by_proxy = cast("Mapping[str, Any]", bounds)
        return [(proxy, _number(name, share)) for proxy, share in by_proxy.items()]
    return [(None, _number(name, bounds))]


def value_name(value: Any) -> str:
    """Give a value as the readers find it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    return str(value)


def _groups(name: str, groups: Any) -> list[str] | None:
    if isinstance(groups, str):
        raise SettingError(f"{name} is a text", "a list of groups")
    return None if groups is None else [value_name(group) for group in groups]


def _value(_: str, value: Any) -> str | None:
    return None if value is None else value_name(value)


def _values(_: str, values: Any) -> list[str]:
    several = [values] if isinstance(values, (str, int, float)) else values
    return [value_name(value) for value in several]


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _maps(name: str, maps: Any) -> list[str]:
    """Give what values mean as the readers take it: ``column:"1"="White","9"=""``."""
    if maps is not None and not isinstance(maps, Mapping):
        raise SettingError(f"{name} is of type {type(maps).__name__}", 'a mapping of columns: {"race": {1: "White"}}')
    told: list[str] = []
    for column, meanings in cast("Mapping[str, Any]", maps or {}).items():
        if not isinstance(meanings, Mapping) or not meanings:
            found = type(cast("object", meanings)).__name__
            raise SettingError(f"{name} says of `{column}` a {found}", 'a mapping of values to names: {1: "White"}')
        pairs = [
            f"{'*' if value == '*' else _quoted(value_name(value))}={_quoted('' if meant is None else value_name(meant))}"
            for value, meant in cast("Mapping[Any, Any]", meanings).items()
        ]
        told.append(f"{column}:{','.join(pairs)}")
    return told


def _folder(_: str, folder: Any) -> str | None:
    return None if folder is None else str(folder)


def _stated(name: str, one: Any, starts: tuple[str, ...]) -> str:
    """Give a text as it is, and a file by what it holds."""
    if isinstance(one, str) and one.lstrip().startswith(starts):
        return one
    return _file(name, one).decode()


def _file(name: str, path: Any) -> bytes:
    try:
        return Path(path).read_bytes()
    except (OSError, TypeError, ValueError) as error:
        raise SettingError(f"{name} cannot be read: {error}", "the name of a file", "check the name") from error


def _evidence(name: str, evidence: Any) -> list[bytes]:
    """Give what ``fairveil count --evidence`` wrote: files, or what they hold."""
    if evidence is None:
        return []
    several: Sequence[Any] = cast("Sequence[Any]", evidence) if isinstance(evidence, (list, tuple)) else [evidence]
    return [one if isinstance(one, bytes) else _file(name, one) for one in several]


def _mechanisms(name: str, mechanism: Any) -> list[str]:
    if mechanism is None:
        return []
    several: Sequence[Any] = cast("Sequence[Any]", mechanism) if isinstance(mechanism, (list, tuple)) else [mechanism]
    return [json.dumps(one) if isinstance(one, Mapping) else _stated(name, one, ("{",)) for one in several]


def seed_of(name: str, state: Any) -> int:
    """Give the seed: of a generator, one that it draws."""
    if isinstance(state, np.random.RandomState):
        return int(state.randint(0, 2**31 - 1))
    if isinstance(state, np.random.Generator):
        return int(state.integers(0, 2**63 - 1))
    if state is None:
        return int(np.random.default_rng().integers(0, 2**63 - 1))
    return _whole(name, state)


def _given(given: Any, groups: Sequence[str] | None) -> str | None:
    """Give error rates as JSON: a matrix in the order of ``groups``, a record of one, an audit, or the text of either."""
    if given is None:
        return None
    if isinstance(given, Audit):
        return given.to_json()
    if isinstance(given, (str, os.PathLike)):
        return _stated("given", given, ("{", "["))
    if isinstance(given, Mapping):
        return json.dumps(given, default=_plain)
    matrix = np.asarray(given, dtype=float)
    if matrix.ndim != 2:  # noqa: PLR2004 rows and columns
        raise SettingError(f"given= has {matrix.ndim} dimensions", "a matrix: row the group, column the guess")
    named = {} if groups is None else {"groups": list(groups)}
    return json.dumps({"transition": matrix.tolist(), **named})


def _plain(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return cast("Any", value).tolist()
    raise SettingError(f"given= holds a {type(value).__name__}", "numbers, texts and lists of them")


class Proxied(TypedDict, total=False):
    """Roles that every function has."""

    y_true: Annotated[Values, Said()]
    proxies: Annotated[Values, Said()]
    proxy_probs: Annotated[Values, Said()]
    sources: Annotated[Mapping[str, str] | Sequence[str | None] | None, Said()]
    sample_weight: Annotated[Values, Said()]
    truth: Annotated[Values, Said()]


class Counted(Proxied, total=False):
    """Roles that a tally keeps."""

    y_pred: Annotated[Values, Said()]
    control_features: Annotated[Values, Said()]
    audit_labels: Annotated[Values, Said()]
    first_name: Annotated[Values, Said()]
    surname: Annotated[Values, Said()]
    zip: Annotated[Values, Said()]
    control: Annotated[Values, Said()]
    outcome: Annotated[Values, Said()]


class Roles(Counted, total=False):
    """Roles of single rows, which a tally does not tell."""

    score: Annotated[Values, Said()]
    cluster: Annotated[Values, Said()]
    id: Annotated[Values, Said()]
    label_probability: Annotated[Values, Said()]
    features: Annotated[Values, Said()]


class About(TypedDict, total=False):
    """What is said of values."""

    groups: Annotated[Sequence[Any] | None, Said(None, _groups)]
    positive: Annotated[Any, Said(None, _value)]
    positive_label: Annotated[Any, Said(None, _value)]
    map: Annotated[Mapping[str, Mapping[Any, Any]] | None, Said(None, _maps)]
    missing: Annotated[Any, Said((), _values)]
    lenient: Annotated[bool, Said(False, _flag)]
    show_values: Annotated[bool, Said(False, _flag)]


class Named(TypedDict, total=False):
    """What is said of names and places."""

    attribute: Annotated[str | None, Said(None, _text)]
    tables: Annotated[str | os.PathLike[str] | None, Said(None, _folder)]


class Near(TypedDict, total=False):
    """How neighbours are looked for."""

    metric: Annotated[str | None, Said(None, _text)]
    search: Annotated[str | None, Said(None, _text)]
    triple_seed: Annotated[int | None, Said(None, _whole_or_none)]
    scale: Annotated[bool, Said(False, _flag)]


class Segmented(TypedDict, total=False):
    """How segments are shown."""

    min_segment: Annotated[int | None, Said(None, _whole_or_none)]


class Drawn(TypedDict, total=False):
    """What is asked of every estimate."""

    estimator: Annotated[str, Said("auto", _word)]
    given: Annotated[Any, Said()]
    mechanism: Annotated[Any, Said(None, _mechanisms)]
    known_shares: Annotated[Mapping[str, float] | None, Said(None, _shares)]
    max_proxy_error: Annotated[float | Mapping[str, float] | None, Said(None, _bounds)]
    reference: Annotated[Any, Said(None, _value)]
    shared_error: Annotated[float, Said(0.5, _number)]
    max_shift: Annotated[float, Said(0.0, _number)]
    confidence: Annotated[float, Said(0.95, _number)]
    n_boot: Annotated[int, Said(2000, _whole)]
    random_state: Annotated[State, Said(0, seed_of)]


class Settings(Drawn, total=False):
    """What is asked of an audit."""

    criteria: Annotated[Criterion | Sequence[Criterion] | None, Said(None, _names)]
    scope: Annotated[Scope, Said("auto", _text)]
    selected_is: Annotated[Literal["good", "adverse"] | None, Said(None, _text)]


class OfOne(Settings, total=False):
    """What is asked of an audit of one model."""

    population: Annotated[Mapping[str, float] | None, Said(None, _shares)]
    evidence: Annotated[Any, Said(None, _evidence)]


class Training(TypedDict, total=False):
    """What is asked of a rule that is learned."""

    categorical: Annotated[Sequence[str], Said((), _names)]
    method: Annotated[str | Sequence[str], Said("plug-in", _methods)]
    tolerance: Annotated[float, Said(0.0, _number)]
    rate: Annotated[float | None, Said(None, _number_or_none)]
    threshold: Annotated[float | None, Said(None, _number_or_none)]
    costs: Annotated[Mapping[str, float] | None, Said(None, _costs)]
    held_out: Annotated[float | None, Said(None, _number_or_none)]
    cross_fit: Annotated[bool, Said(False, _flag)]
    folds: Annotated[int, Said(5, _whole)]
    noise_bins: Annotated[int, Said(1, _whole)]
    local: Annotated[bool, Said(False, _flag)]
    impute: Annotated[bool, Said(False, _flag)]
    recalibrate: Annotated[bool, Said(False, _flag)]
    curve: Annotated[bool, Said(True, _flag)]


class AuditWords(Roles, Named, Near, About, OfOne, Segmented, total=False):
    """The keywords of :func:`fairveil.audit`."""

    threshold: Annotated[float | None, Said(None, _number_or_none)]
    audit_table: Annotated[Any, Said()]
    name: Annotated[str | None, Said(None, _text)]


class CountWords(Counted, Named, About, Segmented, total=False):
    """The keywords of :meth:`fairveil.Counts.from_frame`."""


class TallyWords(OfOne, Segmented, total=False):
    """The keywords of :meth:`fairveil.Counts.audit`."""

    name: Annotated[str | None, Said(None, _text)]


class CompareWords(Proxied, About, Settings, total=False):
    """The keywords of :func:`fairveil.compare`."""

    name: Annotated[str | None, Said(None, _text)]


class MonitorWords(Proxied, About, Drawn, total=False):
    """The keywords of :func:`fairveil.monitor`."""

    y_pred: Annotated[Values, Said()]
    name: Annotated[str | None, Said(None, _text)]


class CurveWords(Proxied, About, Drawn, total=False):
    """The keywords of :func:`fairveil.curve`."""

    y_pred: Annotated[Values, Said()]
    name: Annotated[str | None, Said(None, _text)]


class IntersectWords(About, total=False):
    """The keywords of :func:`fairveil.intersect`."""

    y_pred: Annotated[Values, Said()]
    sample_weight: Annotated[Values, Said()]
    shared_error: Annotated[float, Said(0.5, _number)]
    confidence: Annotated[float, Said(0.95, _number)]
    n_boot: Annotated[int, Said(2000, _whole)]
    random_state: Annotated[State, Said(0, seed_of)]
    name: Annotated[str | None, Said(None, _text)]


class MitigateWords(Proxied, Training, About, Drawn, total=False):
    """The keywords of :func:`fairveil.mitigate`."""

    y_pred: Annotated[Values, Said()]
    score: Annotated[Values, Said()]
    split: Annotated[Values, Said()]
    name: Annotated[str | None, Said(None, _text)]


class WeightWords(Proxied, About, Drawn, total=False):
    """The keywords of :func:`fairveil.gap_weights`."""

    name: Annotated[str | None, Said(None, _text)]


@functools.cache
def _said(words: type) -> dict[str, tuple[Any, Said]]:
    """Give the type of every keyword and what is said of it."""
    hints = get_type_hints(words, include_extras=True)
    # Decisions come first, whichever kind of keywords has them.
    order = sorted(hints, key=lambda name: name != "y_pred")
    return {name: (hints[name], hints[name].__metadata__[0]) for name in order}


def _told(words: Mapping[str, Any], *kinds: type) -> dict[str, Any]:
    """Give what the core is told of keywords of these kinds, said or not."""
    told: dict[str, Any] = {}
    for kind in kinds:
        for name, (_, said) in _said(kind).items():
            if said.told is not None:
                told[name] = _tell(name, words.get(name, said.default), said.told)
    return told


def _tell(name: str, value: Any, told: Callable[[str, Any], Any]) -> Any:
    """Give what the core is told of one keyword; a value of another type is refused in words."""
    try:
        return told(name, value)
    except FairveilError:
        raise
    except (TypeError, ValueError) as error:
        raise SettingError(
            f"{name}= is of type {type(value).__name__}, which cannot be used: {error}", f"see what {name}= takes"
        ) from error


def kept(words: Mapping[str, Any], kind: type) -> dict[str, Any]:
    """Give those keywords that another function takes."""
    return {name: value for name, value in words.items() if name in _said(kind)}


def values_told(words: Mapping[str, Any]) -> dict[str, Any]:
    """Give what is said of columns and values as the readers take it."""
    told = _told(words, About, Named, Near, Segmented)
    for name, value in told.items():
        near = name in {"metric", "search", "triple_seed", "scale"} and value not in {None, False}
        if near and words.get("features") is None:
            raise SettingError(f"{name}= without features=", "the features that tell who is near", "give features=")
    nameless = all(words.get(role) is None for role in ("first_name", "surname", "zip"))
    for name in ("attribute", "tables"):
        if nameless and told[name] is not None:
            raise SettingError(
                f"{name}= is about names or places, and no column of them is named",
                "first_name=, surname= or zip=",
                f"name the column, or leave {name}= out",
            )
    return {**told, "count": None, "guesses_alone": False, "every": None, "bins": None, "threshold": None}


def threshold_told(words: Mapping[str, Any]) -> float | None:
    """Give the score from which people are selected."""
    return _number_or_none("threshold", words.get("threshold"))


def settings_told(words: Mapping[str, Any]) -> dict[str, Any]:
    """Give what is asked of an audit as the core takes it."""
    told = _told(words, OfOne)
    groups = _groups("groups", words.get("groups"))
    given = _tell("given", words.get("given"), lambda _, value: _given(value, groups))
    return {**told, "given": given, "audit_table": None}


def training_told(words: Mapping[str, Any]) -> dict[str, Any]:
    """Give what is asked of a rule as the core takes it."""
    return {**_told(words, Training), "score": None, "split": None, "drop": [], "weights_only": False}


Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def takes(words: type) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Give a function that takes ``**words`` their names: in its signature, and in what it refuses."""

    def named(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        of_function = inspect.signature(function)
        own = [one for one in of_function.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        known = {name: one for name, one in _said(words).items() if name not in of_function.parameters}
        keywords = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=said.default, annotation=hint.__origin__)
            for name, (hint, said) in known.items()
        ]
        there = {one.name for one in own} | set(known)

        @functools.wraps(function)
        def checked(*values: Parameters.args, **said: Parameters.kwargs) -> Result:
            for name in said:
                if name not in there:
                    near = difflib.get_close_matches(name, there, 1)
                    hint = f". Did you mean '{near[0]}'?" if near else ""
                    raise TypeError(f"{function.__name__}() got an unexpected keyword argument '{name}'{hint}")
            return function(*values, **said)

        checked.__signature__ = of_function.replace(parameters=[*own, *keywords])  # type: ignore[attr-defined]
        return checked

    return named


def question(
    name: str,
    tables: list[_native.Table],
    columns: Mapping[str, Any],
    settings: Mapping[str, Any] | None,
    told: _native.Told | None,
    noted: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Give all of it as the core takes it."""
    asked = settings_told({}) if settings is None else settings
    return {"name": name, "tables": tables, "columns": columns, "settings": asked, "told": told, "noted": noted}
