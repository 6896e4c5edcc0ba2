"""Runs third-party evaluator code on a copy of its input, so that it can change nothing for others, and awaits it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import deepcopy
from functools import cached_property
from typing import Any

from ..definition.dialogue import Dialogue
from ..definition.registry import Options
from .evaluator_loop import EvaluatorLoop

__all__ = ["Awaiting", "Isolated", "has_call", "isolated"]


class Awaiting(Options):
    """Base of evaluators that may be `async`."""

    @cached_property
    def event_loop(self) -> EvaluatorLoop:
        return EvaluatorLoop()


class Isolated(Awaiting):
    """Marks a wrapped third-party evaluator class; the mixins below pass it a copy of its input."""


class _Called(Isolated):
    """Also awaits what it returns."""

    def __call__(self, given: Any) -> object:
        judge: Callable[[Any], object] = super().__call__  # type: ignore[misc]  # of the class it is mixed into
        return self.event_loop.result(judge(deepcopy(given)))


class _Asked(Isolated):
    def ask(self, given: Any) -> Dialogue:
        ask: Callable[[Any], Dialogue] = super().ask  # type: ignore[misc]  # as above
        return ask(deepcopy(given))


def isolated(found: type[Options]) -> type[Options]:
    """A subclass of `found` whose `__call__` and `ask`, as far as it has them, get a copy of their input."""
    mixed = (*([_Asked] if found.can_ask else []), *([_Called] if has_call(found) else []))
    return type(found.__name__, (*mixed, found), {"__doc__": inspect.getdoc(found), "__module__": found.__module__})


def has_call(found: type) -> bool:
    """Whether instances of the class can be called."""
    return any("__call__" in vars(above) for above in found.__mro__)
