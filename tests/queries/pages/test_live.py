"""Counts of what arrives while a page is open."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from tests.support.pages import make_pages_app, open_page
from tests.support.store import Store, opened

from tracegrade.queries.pages.access.session import Session, Sessions
from tracegrade.queries.pages.streams import Streams


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with opened(tmp_path) as store:
        yield store


def test_runs_that_have_arrived_since_are_counted(store: Store) -> None:
    store.add_runs(1, 2)
    after = store.one("select max(assembled_seq) from agent_traces")
    store.add_runs(3, 4, 5)
    assert first_events(store, f"/live?since=all&after={after}") == "event: runs\r\ndata: 3"


def test_only_runs_of_the_filter_are_counted(store: Store) -> None:
    store.add_runs(1)
    assert first_events(store, "/live?since=all&after=0&q=agent:nobody") == "event: runs\r\ndata: 0"


def test_counts_follow_a_period_that_moves(store: Store) -> None:
    store.add_runs(1)
    (began,) = store.rows("select started_at from agent_traces")[0]
    times = [began - timedelta(hours=2)] * 2
    counts = first_events(
        store, "/live?since=24h&after=0", parts=2, now=lambda: times.pop() if times else began + timedelta(minutes=1)
    )
    assert re.findall("data: ([0-9]+)", counts) == ["0", "1"]


def test_stream_ends_with_the_login(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.add_runs(1)
    monkeypatch.setattr("tracegrade.queries.pages.live._EVERY_S", 0.0)
    reads = [Session.start(), *[Session.start(is_logged_in=True)] * 2]
    monkeypatch.setattr(Sessions, "read", lambda *_: reads.pop())
    sent = first_events(store, "/live?since=all&after=0", parts=2, token="secret")
    assert sent == "event: runs\r\ndata: 1"


def test_stream_ends_when_the_server_stops(store: Store) -> None:
    assert first_events(store, "/live?since=all&after=0", stops=True) == ""


@pytest.mark.parametrize(
    ("q", "offers"),
    [("agent:nobody", True), ("sql:failing", False)],
)
def test_list_of_runs_offers_counts_of_its_filter_but_for_sql(store: Store, q: str, offers: bool) -> None:  # noqa: FBT001
    store.add_runs(1)
    shown = open_page(make_pages_app(store.database), f"/runs?since=all&q={q}")
    assert ("data-live=" in shown.source) is offers


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("", "needs after , the place of a run"),
        ("after=x", "after must be a whole number"),
        ("after=0&q=agnet:a", "did you mean 'agent'?"),
        ("after=0&q=sql:true", "Runs of a filter with SQL are not counted"),
    ],
)
def test_counts_that_cannot_be_sent_are_refused(store: Store, query: str, message: str) -> None:
    shown = open_page(make_pages_app(store.database), f"/live?{query}")
    assert shown.status == 400
    assert message in shown.text


def first_events(store: Store, address: str, *, stops: bool = False, parts: int = 1, **site: Any) -> str:
    """The first events of a stream, after which the server stops."""

    async def read() -> str:
        streams = Streams(10)
        if stops:
            await streams.end()
        app = make_pages_app(store.database, streams=streams, **site)
        texts: list[str] = []
        async for text in stream(app, address):
            texts.append(text)
            if len(texts) == parts:
                await streams.end()
        return "".join(texts).strip()

    return asyncio.run(read())


async def stream(app: Starlette, address: str) -> AsyncIterator[str]:
    """Yields what the application sends."""
    sent: asyncio.Queue[Any] = asyncio.Queue()
    path, _, query = address.partition("?")
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": query.encode(),
        "headers": [(b"host", b"localhost")],
        "scheme": "http",
        "server": ("localhost", 80),
    }

    async def receive() -> dict[str, Any]:
        await asyncio.Event().wait()
        return {}

    answering = asyncio.create_task(app(scope, receive, sent.put))
    while True:
        message = await sent.get()
        if body := message.get("body"):
            yield body.decode()
        if message["type"] == "http.response.body" and not message.get("more_body"):
            break
    await answering
