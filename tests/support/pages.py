"""The pages over a real store, without a server, as a reader sees them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any

import httpx
from starlette.applications import Starlette

from tracegrade.collector.clock import utc_now
from tracegrade.collector.server.running_evaluators import list_running
from tracegrade.collector.store.engines.database import Database
from tracegrade.collector.store.engines.readers import InProcess
from tracegrade.collector.web.logins import Logins
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.queries.cookbook.library import read_library
from tracegrade.queries.http.access import AccessControl
from tracegrade.queries.http.api import Api, Listings
from tracegrade.queries.http.application import make_app
from tracegrade.queries.http.hosts import AllowedHosts
from tracegrade.queries.pages.access.session import Sessions
from tracegrade.queries.pages.assets import Assets
from tracegrade.queries.pages.page import make_page_routes
from tracegrade.queries.pages.receiving import Receiving
from tracegrade.queries.pages.rendering import Templates
from tracegrade.queries.pages.routes import PAGES
from tracegrade.queries.pages.site import Site
from tracegrade.queries.pages.streams import Streams

__all__ = ["Shown", "make_pages_app", "open_page"]


@dataclass(frozen=True)
class Shown:
    """A page: its status, its source, its text in one line, and its links as (text, address)."""

    status: int
    source: str
    text: str
    links: list[tuple[str, str]]
    headers: Mapping[str, str]

    def link(self, text: str) -> str:
        """The address of the first link with this text."""
        return next(address for label, address in self.links if label == text)


def make_pages_app(
    database: Database,
    *,
    token: str | None = None,
    now: Callable[[], datetime] = utc_now,
    received: Mapping[str, Any] | None = None,
    streams: Streams | None = None,
    commands: Any = None,
    evaluators: Sequence[Configured] = (),
) -> Starlette:
    """The application with every page; its server has received nothing but `received`, and runs `evaluators`."""
    reader = InProcess(database.connect)
    lanes: Any = SimpleNamespace(evaluators=evaluators)
    listings = Listings(evaluators=lambda: list_running(reader, lanes), reports=read_library)
    api = Api(reader, commands, lambda _: {}, own=reader, listings=listings)
    control = AccessControl(token, AllowedHosts())
    assets = Assets()
    counts = {"spans": 0, "logs": 0, "rejected": 0, "refused": {}, "open_traces": 0, "assembled": 0}
    receiving = Receiving(grpc="127.0.0.1:4317", http="127.0.0.1:4318", **{**counts, **(received or {})})
    site = Site(
        api=api,
        control=control,
        sessions=Sessions(token, Logins()),
        templates=Templates(assets),
        now=now,
        receiving=lambda: receiving,
        streams=streams or Streams(10),
    )
    return make_app([assets.make_route(), *make_page_routes(PAGES, site)])


def open_page(app: Starlette, address: str) -> Shown:
    """Opens a page, and follows redirects."""

    async def opening() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.get(address, follow_redirects=True)

    response = asyncio.run(opening())
    parser = _Reader()
    parser.feed(response.text)
    return Shown(response.status_code, response.text, " ".join(parser.words), parser.links, response.headers)


class _Reader(HTMLParser):
    """Collects words and links."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.links: list[tuple[str, str]] = []
        self._open: list[tuple[str, int]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self._open.append((dict(attrs).get("href") or "", len(self.words)))

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self._open:
            address, begin = self._open.pop()
            self.links.append((" ".join(self.words[begin:]), address))

    def handle_data(self, data: str) -> None:
        self.words.extend(data.split())
