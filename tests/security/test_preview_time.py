"""Previews that would never end: they have a turn and a time, and end with their client and with the server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.support import agent_spans
from tests.support.page_client import PageClient, serve_pages
from tests.support.store import opened

from tracegrade.collector.config.evaluator_config import EvaluatorEntry
from tracegrade.collector.preview import entry
from tracegrade.collector.server import preview

ENDLESS = '{use: tool_error, name: endless, options: {pattern: "(a+)+$"}}'
"""An expression that backtracks for years on the results of the store, in one call that no alarm interrupts."""

QUICK = "{use: tool_error, name: quick}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a store of a run."""
    with opened(tmp_path) as store:
        store.arrive([agent_spans.agent(1), agent_spans.tool(2, parent=1, result="a" * 60 + "!", at_s=1)])
        store.revise(1)
    return tmp_path


def send(client: PageClient, entry: str, *, within_s: float = 60) -> str:
    token = client.read_form_token("/preview")
    sent = {"form_token": token, "entry": entry, "past": "9000d", "limit": "5"}
    return client.post("/preview", data=sent, timeout=within_s).text


@pytest.fixture
def url(folder: Path) -> Iterator[str]:
    with serve_pages(folder) as address:
        yield address


def test_preview_ends_after_its_time(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preview, "_LIMIT_S", 2.0)
    with PageClient(url) as client:
        assert "It was stopped after its time" in send(client, ENDLESS)


def test_preview_ends_with_its_client(url: str) -> None:
    with PageClient(url) as client:
        with pytest.raises(httpx.ReadTimeout):
            send(client, ENDLESS, within_s=2)
        assert "1 scored" in send(client, QUICK, within_s=45)  # less than the minute that the first one has


def test_preview_ends_with_the_server(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preview, "_LIMIT_S", 600.0)  # longer than a test may take
    answers: list[str] = []
    begun, read_entry = threading.Event(), entry.read_entry

    def read(text: str) -> EvaluatorEntry:
        begun.set()
        return read_entry(text)

    def ask(address: str) -> None:
        with PageClient(address) as client:
            token = client.read_form_token("/preview")
            sent = {"form_token": token, "entry": ENDLESS, "past": "9000d", "limit": "5"}
            try:
                answers.append(client.post("/preview", data=sent, timeout=600).text)
            except httpx.HTTPError as error:
                answers.append(repr(error))

    monkeypatch.setattr(preview, "read_entry", read)
    with serve_pages(folder) as address:
        thread = threading.Thread(target=ask, args=(address,))
        thread.start()
        assert begun.wait(60)
    thread.join(60)
    assert len(answers) == 1
