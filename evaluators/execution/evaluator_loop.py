"""The event loop on which what an `async` evaluator returns is awaited."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

__all__ = ["EvaluatorLoop"]


class EvaluatorLoop:
    """One event loop for all runs of an evaluator: clients that it keeps (httpx, openai) are bound to the loop on which
    they connected. It runs in the thread that calls, so that the limit of time reaches what it does."""

    def __init__(self) -> None:
        self._runner: asyncio.Runner | None = None
        self._turn = threading.Lock()

    def __del__(self) -> None:
        if self._runner is not None:
            with suppress(Exception):
                self._runner.get_loop().close()

    def result(self, returned: object) -> object:
        """`returned`, or its result when it is awaitable."""
        if not inspect.isawaitable(returned):
            return returned
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return self._run(returned)
        with ThreadPoolExecutor(1) as thread:  # we are called from within a loop, which cannot wait for itself
            return thread.submit(self._run, returned).result()

    def _run(self, awaitable: Awaitable[object]) -> object:
        if not self._turn.acquire(blocking=False):  # it evaluates in another thread, too
            return asyncio.run(_awaited(awaitable))
        try:
            self._runner = self._runner or asyncio.Runner()
            return self._runner.run(_awaited(awaitable))
        except Exception:
            raise
        except BaseException:  # interrupted: what it was doing must not go on with the next run
            self._end()
            raise
        finally:
            self._turn.release()

    def _end(self) -> None:
        runner, self._runner = self._runner, None
        if runner is not None:
            runner.close()


async def _awaited(returned: Awaitable[object]) -> object:
    return await returned
