"""A whole server in a thread of the test, on real sockets."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager

from tracegrade.collector.config.settings import Settings
from tracegrade.collector.server.app import serving

__all__ = ["FREE_PORTS", "serve_store"]

FREE_PORTS = {"grpc": "127.0.0.1:0", "http": "127.0.0.1:0", "web": "127.0.0.1:0"}


@contextmanager
def serve_store(settings: Settings) -> Iterator[str]:
    """Runs a server with these settings; yields the URL of its API."""
    address: Future[str] = Future()
    stopped = threading.Event()

    async def run() -> None:
        async with serving(settings) as addresses:
            address.set_result(f"http://{addresses.web}")
            await asyncio.to_thread(stopped.wait)

    def serve() -> None:
        try:
            asyncio.run(run())
        except BaseException as error:
            if not address.done():
                address.set_exception(error)
            raise

    thread = threading.Thread(target=serve, name="server")
    thread.start()
    try:
        yield address.result()
    finally:
        stopped.set()
        thread.join()
