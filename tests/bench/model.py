"""A model to ask: the scripted server, in a process of its own, so that its work is not counted."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

from tests.support.llm import Asked, Reply, llm

__all__ = ["answering", "settings_of"]


@contextmanager
def answering(*, delay_s: float) -> Iterator[str]:
    """The address of a server that takes so long for every answer."""
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe()
    process = spawn.Process(target=_serve, args=(there, delay_s), daemon=True)
    process.start()
    try:
        yield here.recv()
    finally:
        here.send("enough")
        process.join()


def settings_of(url: str, *, concurrency: int) -> dict[str, object]:
    """How a judge at that address is configured, without key or limits."""
    free = {"api_key_env": None, "requests_per_minute": None, "usd_per_day": None}
    return {"base_url": url, "concurrency": concurrency, **free}


def _serve(pipe: Connection, delay_s: float) -> None:
    reply = Reply(text='{"reasoning": "It did.", "score": 1}', delay_s=delay_s)

    def script(_: Asked) -> Reply:
        return reply

    with llm(script) as server:
        pipe.send(server.url)
        pipe.recv()
