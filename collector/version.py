"""The version of this installation."""

from __future__ import annotations

import importlib.metadata

__all__ = ["version"]


def version() -> str:
    """Return the version of the installed package, such as `0.1.0`."""
    return importlib.metadata.version("tracegrade")
