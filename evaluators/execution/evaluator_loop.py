"""An event loop that awaits what `async` evaluators return."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

__all__ = ["EvaluatorLoop"]


class EvaluatorLoop:
    """One event loop for all calls of an evaluator: clients that it keeps (httpx, openai) are bound to the loop on
    which they connected. It runs in the calling thread, so that the time limit can interrupt it."""

    def __init__(self) -> None:
        self._runner: asyncio.Runner | None = None
        self._turn = threading.Lock()

    def __del__(self) -> None:
        if self._runner is not None:
            with suppress(Exception):
                self._runner.get_loop().close()

    def result(self, returned: object) -> object:
        """Return the result of `returned` if it is awaitable, else `returned`."""
        if not inspect.isawaitable(returned):
            return returned
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return self._run(returned)
        with ThreadPoolExecutor(1) as thread:  # this thread runs a loop, which cannot wait for itself
            return thread.submit(self._run, returned).result()

    def _run(self, awaitable: Awaitable[object]) -> object:
        if not self._turn.acquire(blocking=False):  # another thread uses the loop
            return asyncio.run(_awaited(awaitable))
        try:
            self._runner = self._runner or asyncio.Runner()
            return self._runner.run(_awaited(awaitable))
        except Exception:
            raise
        except BaseException:  # interrupted: its tasks must not continue during the next call
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
