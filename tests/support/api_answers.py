"""Answers of the API to GET requests, with a store of the test behind it."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx

from tracegrade.collector.store.engines.readers import InProcess

from .api import make_api
from .store import Store

__all__ = ["Recorded", "get"]


class Recorded:
    """A reader that keeps the statements."""

    def __init__(self, store: Store) -> None:
        self.statements: list[str] = []
        self._reader = InProcess(store.database.connect)

    def read(self, sql: str, **options: Any) -> Any:
        self.statements.append(sql)
        return self._reader.read(sql, **options)


def get(store: Store, path: str, *, reader: Any = None, **parameters: Any) -> httpx.Response:
    """Asks the API for a path; `reader` answers SQL of users."""
    own = InProcess(store.database.connect)

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(make_api(reader=reader or own, own=own))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.get(path, params=parameters)

    return asyncio.run(ask())
