"""Runs third-party evaluator code on a copy of its input, so that it can change nothing for others, and awaits it."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from typing import Any

from .dialogue import Dialogue
from .registry import Options

__all__ = ["Isolated", "has_call", "isolated", "resolved"]


class Isolated(Options):
    """Marks a wrapped third-party evaluator class; the mixins below pass it a copy of its input."""


class _Called(Isolated):
    """Also awaits what it returns."""

    def __call__(self, given: Any) -> object:
        judge: Callable[[Any], object] = super().__call__  # type: ignore[misc]  # of the class it is mixed into
        return resolved(judge(deepcopy(given)))


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


def resolved(returned: object) -> object:
    """`returned`, or its result when it is awaitable."""
    if not inspect.isawaitable(returned):
        return returned
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_awaited(returned))
    with ThreadPoolExecutor(1) as thread:  # we are called from within a loop, which cannot wait for itself
        return thread.submit(asyncio.run, _awaited(returned)).result()


async def _awaited(returned: Awaitable[object]) -> object:
    return await returned
