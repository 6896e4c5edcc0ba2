"""Previews that would never end: they have a turn and a time, and end with their client and with the server."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import httpx
import pytest
from pydantic import BaseModel
from tests.support import agent_spans
from tests.support.page_client import PageClient, serve_pages
from tests.support.store import opened

from tracegrade.collector.config.evaluator_config import EvaluatorEntry
from tracegrade.collector.preview import entry
from tracegrade.collector.server import preview
from tracegrade.evaluators.catalog.configure import catalogue, configure
from tracegrade.evaluators.definition.registry import WrongOptions

ENDLESS = '{use: tool_error, name: endless, options: {pattern: "(a+)+$"}}'
"""An expression that backtracks for years on the results of the store, in one call that no alarm interrupts."""

CLASSES = "[\u0100-\ufffc]" * 380
SLOW_PATTERNS = ", ".join(f'"(?i){CLASSES}{number}"' for number in range(8))
SLOW_TO_BUILD = f"{{use: tool_error, name: slow, options: {{pattern: [{SLOW_PATTERNS}]}}}}"
"""Expressions that take many times as long to compile as a preview may take here."""

DISTANCE = "levenshtein(repeat(''a'', 1000000), repeat(''b'', 1000000))"
SLOW_TO_PLAN = (
    f"{{use: tool_error, name: slow, when: '{DISTANCE} > 3'}}",
    f"{{name: slow, sql: 'select agent_trace_id, {DISTANCE} as value from agent_traces'}}",
)
"""SQL that takes hours before it reads a row, in one call that DuckDB cannot interrupt, and little memory."""

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
    monkeypatch.setattr(preview, "_LIMIT_S", 6.0)  # a worker takes a while to start, and a run may take 10 s
    with PageClient(url) as client:
        assert "It was stopped after its time" in send(client, ENDLESS)


def test_slow_expressions_are_built_outside_the_server(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preview, "_LIMIT_S", 2.0)
    spent_s = time.process_time()
    with PageClient(url) as client:
        assert "its options took too long; a regular expression" in send(client, SLOW_TO_BUILD)
        spent_s = time.process_time() - spent_s
        assert client.get("/runs").status_code == 200
    began_s = time.process_time()
    re.compile(f"(?i){CLASSES}")
    assert spent_s < 2 * (time.process_time() - began_s)  # building them here would take eight times as long


@pytest.mark.parametrize("entry", SLOW_TO_PLAN, ids=["when", "sql"])
def test_slow_sql_is_planned_outside_the_server(url: str, monkeypatch: pytest.MonkeyPatch, entry: str) -> None:
    monkeypatch.setattr(preview, "_LIMIT_S", 2.0)
    with PageClient(url) as client:
        assert "was stopped before it could evaluate anything" in send(client, entry)
        assert client.get("/runs").status_code == 200


@pytest.mark.parametrize(
    ("patterns", "reason"),
    [([str(number) for number in range(51)], "50 at most"), (["a" * 2_001], "2,000 at most")],
    ids=["number", "length"],
)
def test_expressions_are_bounded_before_they_are_compiled(patterns: list[str], reason: str) -> None:
    with pytest.raises(WrongOptions, match=reason):
        configure("tool_error", options={"pattern": patterns})


def test_no_evaluator_that_asks_takes_expressions() -> None:
    expressions = {name for name, definition in catalogue().items() if "re.Pattern" in describe(definition.factory)}
    assert expressions == {"tool_error"}  # what asks a judge is built in the server, too
    assert not catalogue()["tool_error"].factory.can_ask


def describe(model: type[BaseModel]) -> str:
    """The types of all fields of a model, and of the models in them."""
    types = [field.annotation for field in model.model_fields.values()]
    types += [inner for outer in types for inner in get_args(outer)]
    models = [type_ for type_ in types if isinstance(type_, type) and issubclass(type_, BaseModel)]
    return " ".join([*map(str, types), *map(describe, models)])


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
