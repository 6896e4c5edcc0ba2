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


class _IsolatedCall(Isolated):
    """Also awaits what it returns."""

    def __call__(self, target: Any) -> object:
        function: Callable[[Any], object] = super().__call__  # type: ignore[misc]  # of the class it is mixed into
        return self.event_loop.result(function(deepcopy(target)))


class _IsolatedAsk(Isolated):
    def ask(self, target: Any) -> Dialogue:
        ask: Callable[[Any], Dialogue] = super().ask  # type: ignore[misc]  # as above
        return ask(deepcopy(target))


def isolated(factory: type[Options]) -> type[Options]:
    """Return a subclass of `factory` whose `__call__` and `ask`, as far as it has them, get a copy of their input."""
    mixins = (*([_IsolatedAsk] if factory.can_ask else []), *([_IsolatedCall] if has_call(factory) else []))
    return type(
        factory.__name__, (*mixins, factory), {"__doc__": inspect.getdoc(factory), "__module__": factory.__module__}
    )


def has_call(factory: type) -> bool:
    """Return whether instances of the class can be called."""
    return any("__call__" in vars(above) for above in factory.__mro__)
