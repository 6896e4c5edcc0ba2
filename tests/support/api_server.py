"""The API over a store, served on loopback by a thread of the test."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from tests.support.api import make_api
from tests.support.store import opened

from tracegrade.collector.store.engines.readers import InProcess
from tracegrade.queries.cookbook.library import read_library
from tracegrade.queries.http.api import Listings

__all__ = ["serving"]


@contextmanager
def serving(folder: Path, *, token: str | None = None) -> Iterator[str]:
    """The address of an API over the store in `folder`, with the reports of the program."""
    with opened(folder) as store, socket.create_server(("127.0.0.1", 0)) as listening:
        listings = Listings(evaluators=tuple, reports=read_library)
        api = make_api(reader=InProcess(store.database.connect), listings=listings, token=token)
        server = uvicorn.Server(uvicorn.Config(api, log_level="error", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
