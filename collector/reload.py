"""The configuration read again while the server runs: what can change without a restart, and what cannot."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Iterator
from typing import Final

import structlog

from tracegrade.queries.ports import OrderRefused

from .commands import StoreCommands
from .settings import BadConfiguration, Settings

__all__ = ["Reload", "reloading"]

_AT_WORK: Final = frozenset({"evaluators", "judges", "references", "pass_"})
"""The settings that come into force at once. Of `assembly`, `judge_settle` does."""

log = structlog.get_logger()


class Reload:
    """Lets the server go on with what the configuration says now, or with what it has where that cannot be used."""

    def __init__(
        self, settings: Settings, reread: Callable[[], Settings], change: Callable[[Settings], Awaitable[None]]
    ) -> None:
        self._settings = settings
        self._reread = reread
        self._change = change
        self._turn = asyncio.Lock()

    async def __call__(self) -> list[str]:
        """The settings that are others now and need a restart. Raises BadConfiguration; nothing has changed then."""
        async with self._turn:
            settings = await asyncio.to_thread(self._reread)
            await self._change(settings)
            waiting = _waiting(self._settings, settings)
            log.info("configuration read again", needs_a_restart=", ".join(waiting) or "nothing")
            return waiting


@contextlib.contextmanager
def reloading(commands: StoreCommands, reload: Reload) -> Iterator[None]:
    """SIGHUP and the API's order reload, as long as the context lasts. For the event loop of the server."""
    loop = asyncio.get_running_loop()
    under_way: set[asyncio.Task[None]] = set()

    def on_signal() -> None:
        task = loop.create_task(_logged(reload))
        under_way.add(task)
        task.add_done_callback(under_way.discard)

    def on_order() -> list[str]:
        try:
            return asyncio.run_coroutine_threadsafe(reload(), loop).result()
        except BadConfiguration as error:
            raise OrderRefused(f"the configuration stays as it was: {error}") from error

    commands.on_reload = on_order
    loop.add_signal_handler(signal.SIGHUP, on_signal)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGHUP)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # whoever sends one means no end


async def _logged(reload: Reload) -> None:
    try:
        await reload()
    except BadConfiguration as error:
        log.error("the configuration stays as it was", error=str(error))
    except Exception as error:
        log.exception("the configuration stays as it was", error=str(error))


def _waiting(before: Settings, now: Settings) -> list[str]:
    """What is said differently now and is read at the start alone, as it is written."""
    fixed = [name for name in type(before).model_fields if name not in _AT_WORK]
    return [name for name in fixed if _fixed(before, name) != _fixed(now, name)]


def _fixed(settings: Settings, name: str) -> object:
    value = getattr(settings, name)
    return value.model_copy(update={"judge_settle": None}) if name == "assembly" else value
