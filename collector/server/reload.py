"""Reads the configuration again while the server runs, and applies the settings that can change without a restart."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Iterator

from pydantic import BaseModel

from tracegrade.queries.ports import CommandRefused

from ..config.configuration_file import BadConfiguration
from ..config.settings import Settings
from ..system.log import log

__all__ = ["Reload", "reload_from_thread", "reloading_on_signal"]


class Reload:
    """Applies the configuration as it is now; if it is not valid, the previous settings stay active."""

    def __init__(
        self, settings: Settings, reread: Callable[[], Settings], change: Callable[[Settings], Awaitable[None]]
    ) -> None:
        self._settings = settings
        self._reread = reread
        self._change = change
        self._turn = asyncio.Lock()

    async def __call__(self) -> list[str]:
        """Reload, and return the changed settings that need a restart.

        Raises BadConfiguration without changing anything.
        """
        async with self._turn:
            settings = await asyncio.to_thread(self._reread)
            effective = _effective(self._settings, settings)
            await self._change(effective)
            waiting = _others(effective, settings)
            log.info("configuration read again", needs_a_restart=", ".join(waiting) or "nothing")
            return waiting


@contextlib.contextmanager
def reloading_on_signal(reload: Reload) -> Iterator[None]:
    """Reload on SIGHUP while the context lasts. Must be called on the event loop of the server."""
    loop = asyncio.get_running_loop()
    under_way: set[asyncio.Task[None]] = set()

    def on_signal() -> None:
        task = loop.create_task(_logged(reload))
        under_way.add(task)
        task.add_done_callback(under_way.discard)

    loop.add_signal_handler(signal.SIGHUP, on_signal)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGHUP)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a later SIGHUP must not end the process


def reload_from_thread(reload: Reload, loop: asyncio.AbstractEventLoop) -> list[str]:
    """Call `reload` and wait for its result, from any thread except that of `loop`. Raises CommandRefused."""
    try:
        return asyncio.run_coroutine_threadsafe(reload(), loop).result()
    except BadConfiguration as error:
        raise CommandRefused(f"the configuration stays as it was: {error}") from error


async def _logged(reload: Reload) -> None:
    try:
        await reload()
    except BadConfiguration as error:
        log.error("the configuration stays as it was", error=str(error))
    except Exception as error:  # noqa: BLE001 - logged with its traceback
        log.exception("the configuration stays as it was", error=str(error))


def _effective(at_start: Settings, now: Settings) -> Settings:
    """Return the settings that a server started with `at_start` changes to.

    From `now` come only evaluators, judges, references, prices, trust, reports, `evaluation` except its
    `worker_memory`, `assembly.judge_settle`, `listen.allowed_hosts` and `listen.allowed_origins`.
    """
    evaluation = now.evaluation.model_copy(update={"worker_memory": at_start.evaluation.worker_memory})
    assembly = at_start.assembly.model_copy(update={"judge_settle": now.assembly.judge_settle})
    names = {"allowed_hosts": now.listen.allowed_hosts, "allowed_origins": now.listen.allowed_origins}
    listen = at_start.listen.model_copy(update=names)
    changed = {
        name: getattr(now, name) for name in ("evaluators", "judges", "references", "prices", "trust", "reports")
    }
    return at_start.model_copy(update={**changed, "evaluation": evaluation, "assembly": assembly, "listen": listen})


def _others(effective: BaseModel, now: BaseModel) -> list[str]:
    """Return the names of the settings in `now` that differ from the effective ones."""
    found: list[str] = []
    for name, field in type(now).model_fields.items():
        before, after = getattr(effective, name), getattr(now, name)
        if before == after:
            continue
        below = _others(before, after) if isinstance(before, BaseModel) and isinstance(after, BaseModel) else [""]
        found += [f"{field.alias or name}.{key}".removesuffix(".") for key in below]
    return found
