"""Anybody's code kept apart: given a copy, so that what it does to it reaches nobody else, and waited for."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from typing import Any

from .dialogue import Dialogue
from .registry import Options

__all__ = ["Apart", "ended", "has_call", "kept_apart"]


class Apart(Options):
    """Mixed into a class of somebody else's, with what it has of the two below: gives it a copy."""


class _Called(Apart):
    """Also waits for what it returns."""

    def __call__(self, given: Any) -> object:
        judge: Callable[[Any], object] = super().__call__  # type: ignore[misc]  # of the class it is mixed into
        return ended(judge(deepcopy(given)))


class _Asked(Apart):
    def ask(self, given: Any) -> Dialogue:
        ask: Callable[[Any], Dialogue] = super().ask  # type: ignore[misc]  # as above
        return ask(deepcopy(given))


def kept_apart(found: type[Options]) -> type[Options]:
    """The class, with its call, its dialogues, or both, kept apart."""
    mixed = (*([_Asked] if found.can_ask else []), *([_Called] if has_call(found) else []))
    return type(found.__name__, (*mixed, found), {"__doc__": inspect.getdoc(found), "__module__": found.__module__})


def has_call(found: type) -> bool:
    """Whether what the class makes can be called."""
    return any("__call__" in vars(above) for above in found.__mro__)


def ended(returned: object) -> object:
    """What was returned, or what it comes to when it can be waited for."""
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
