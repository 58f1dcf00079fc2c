"""What can go wrong, and what there is to doubt."""

from __future__ import annotations


class FairveilError(Exception):
    """No number can be given: what was found, what was needed, what to do."""

    def __init__(self, found: str, needed: str | None = None, to_do: str | None = None) -> None:
        """Say what was found, and where known what was needed and what to do."""
        self.found = found
        self.needed = needed
        self.to_do = to_do
        lines = [found, needed and f"  needed: {needed}", to_do and f"  to do:  {to_do}"]
        super().__init__("\n".join(line for line in lines if line))

    def __reduce__(self) -> tuple[type[FairveilError], tuple[str, str | None, str | None]]:
        """Travel between processes whole."""
        return type(self), (self.found, self.needed, self.to_do)


class TableError(FairveilError, ValueError):
    """The table cannot be read, or makes no sense."""


class SettingError(FairveilError, ValueError):
    """What was asked cannot be done."""


class EstimateError(FairveilError, ArithmeticError):
    """The estimator that was asked for gives no number."""


class FairveilWarning(UserWarning):
    """A finding: the number stands, and this is why to doubt it."""

    def __init__(self, code: str, message: str) -> None:
        """Say which finding, and what it says."""
        self.code = code
        super().__init__(f"{code}: {message}")
