"""Awaits many coroutines at once."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

__all__ = ["all_results"]

T = TypeVar("T")


async def all_results(coroutines: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Return their results in order. If one raises, the others are cancelled, and its error is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(coroutine) for coroutine in coroutines]
    except BaseExceptionGroup as errors:
        raise _find_first(errors) from None
    return [task.result() for task in tasks]


def _find_first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
