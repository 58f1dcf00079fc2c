"""What a finding means."""

from __future__ import annotations

from fairveil import _native
from fairveil.errors import SettingError


def explain(code: str) -> str:
    """Give the full text of a finding: what it means, why it matters, what to do."""
    text = _native.explain(code)
    if text is None:
        raise SettingError(f"there is no finding {code!r}", "a code as findings have it, such as P02")
    return text
