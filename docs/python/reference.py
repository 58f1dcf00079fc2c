"""Writes docs/python/reference.md from the docstrings of the package: python docs/python/reference.py."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from typing import Any

MODULES = {
    "fairveil": "The package",
    "fairveil.adjusters": "Numbers and several classes with a smaller gap",
    "fairveil.estimators": "A classifier of scikit-learn",
    "fairveil.metrics": "fairlearn's metrics, with proxies",
    "fairveil.reductions": "fairlearn's reductions, with proxies",
}


def text() -> str:
    """Give the whole reference."""
    parts = [
        "# Reference of the Python package",
        "Made from the docstrings by `python docs/python/reference.py`. Quick start: [quick-start.md](quick-start.md).",
    ]
    for name, title in MODULES.items():
        module = importlib.import_module(name)
        parts.append(f"## {title}: `{name}`")
        for one in sorted(getattr(module, "__all__", []), key=str.lower):
            made = getattr(module, one)
            if inspect.isclass(made) or callable(made):
                parts.extend(_entry(name, one, made))
    return "\n\n".join(parts) + "\n"


def _entry(module: str, name: str, made: Any) -> list[str]:
    parts = [f"### `{module}.{name}`", *_about(made)]
    if inspect.isclass(made):
        for member, value in vars(made).items():
            documented = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
            if not member.startswith(("_", "set_")) and inspect.getdoc(documented) and callable(documented):
                shown = "" if isinstance(value, property) else _signature(documented)
                about = inspect.cleandoc(inspect.getdoc(documented) or "").split("\n\n")[0].replace("\n", " ")
                parts.append(f"- `{member}{shown}`: {about}")
    elif callable(made):
        parts.insert(1, f"```python\n{name}{_signature(made)}\n```")
    return parts


def _signature(made: Any) -> str:
    words = [str(one.replace(annotation=inspect.Parameter.empty)) for one in inspect.signature(made).parameters.values()]
    keyword_only = [one.kind is one.KEYWORD_ONLY for one in inspect.signature(made).parameters.values()]
    if True in keyword_only:
        words.insert(keyword_only.index(True), "*")
    return f"({', '.join(word for word in words if word != 'self')})"


def _about(made: Any) -> list[str]:
    doc = inspect.getdoc(made) or ""
    body, _, example = doc.partition(">>>")
    found = [body.strip()] if body.strip() else []
    return [*found, f"```pycon\n>>>{example.rstrip()}\n```"] if example else found


if __name__ == "__main__":
    (Path(__file__).parent / "reference.md").write_text(text(), encoding="utf-8")
