"""GETs to the API over a real store, without a server."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import httpx
from tests.support.api import make_api
from tests.support.store import Store

from tracegrade.collector.server.running_evaluators import list_running
from tracegrade.collector.store.engines.readers import InProcess
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.queries.cookbook.library import Library, read_library
from tracegrade.queries.http.api import Listings

__all__ = ["ask"]


def ask(
    store: Store, path: str, *, evaluators: tuple[Configured, ...] = (), library: Library | None = None, **query: Any
) -> httpx.Response:
    """Sends a GET with these query parameters to an API whose server runs `evaluators`."""
    reader = InProcess(store.database.connect)
    lanes: Any = SimpleNamespace(evaluators=evaluators)
    listings = Listings(evaluators=lambda: list_running(reader, lanes), reports=lambda: library or read_library())

    async def sending() -> httpx.Response:
        app = make_api(reader=reader, own=reader, listings=listings)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            return await client.get(path, params=query or None)

    return asyncio.run(sending())
