"""The matchers of arguments by the names that they have in Dokimos."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeAlias

from ...definition.evaluator_object import make_options
from .arguments import TolerantArgumentMatcher

__all__ = ["ArgMatchMode", "ArgumentMatcher", "Matcher"]

Matcher: TypeAlias = TolerantArgumentMatcher | Callable[[dict[str, Any], dict[str, Any]], bool]
"""A matcher, or a function of the expected and the actual arguments."""


class ArgMatchMode(StrEnum):
    """How the keys of the actual arguments relate to the expected ones."""

    EXACT = "EXACT"
    SUBSET = "SUBSET"
    SUPERSET = "SUPERSET"
    IGNORE = "IGNORE"


class ArgumentMatcher:
    """Makes matchers: `ArgumentMatcher.tolerant()`, `ArgumentMatcher.of(ArgMatchMode.SUBSET)`."""

    @staticmethod
    def tolerant() -> TolerantArgumentMatcher:
        """Return the default matcher: the same keys, and numbers by their value."""
        return TolerantArgumentMatcher()

    @staticmethod
    def of(mode: ArgMatchMode | str) -> TolerantArgumentMatcher:
        """Return the tolerant matcher in this mode. Raises ValueError for an unknown one."""
        return make_options(TolerantArgumentMatcher, {"mode": mode})
