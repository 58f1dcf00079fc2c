"""Libraries that only some functions need, and that have no types."""

from __future__ import annotations

import importlib
from typing import Any

from fairveil.errors import SettingError


def library(name: str) -> Any:
    """Give a library; say what to install where it is absent."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.split(".", maxsplit=1)[0]
        raise SettingError(
            f"{package} is not installed", f"{package}, for this function alone", f"install {package}"
        ) from error
