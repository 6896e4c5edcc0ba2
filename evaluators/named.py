"""The evaluators of the catalogue as functions: `tool_trajectory(mode="strict")` is ready to run.

Each takes the options of the evaluator by name, and a `threshold`. Names with a colon are given to `configure`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from .catalog.configure import catalogue, configure
from .catalog.source_names import source_hint
from .definition.registry import Configured
from .text.suggestions import nearest


def __getattr__(name: str) -> Callable[..., Configured]:
    if name.startswith("_") or name not in catalogue():
        source = source_hint(name)
        raise AttributeError(f"there is no evaluator {name!r}{f': {source}' if source else nearest(name, catalogue())}")
    return partial(_configure, name)


def __dir__() -> list[str]:
    return [name for name in catalogue() if name.isidentifier()]


def _configure(name: str, /, *, threshold: float | None = None, **options: Any) -> Configured:
    return configure(name, options=options, threshold=threshold)
