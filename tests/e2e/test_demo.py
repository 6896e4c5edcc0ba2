"""`tracegrade demo`: what a visitor runs first."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from tests.support.command import tracegrade

from tracegrade.collector.demo.replay import read_recordings

A_RUN = re.compile(r"^\d\d:\d\d:\d\d ([0-9a-f]{8}) .* calls? .*[✓✗-] call_validity.*[✓✗-] efficiency.*[✓✗-] error")


@pytest.fixture
def _taken() -> Iterator[None]:
    """Somebody listens on the usual port of OTLP over gRPC: this test, or whoever was there before it."""
    with ExitStack() as stack:
        with suppress(OSError):
            stack.enter_context(socket.create_server(("127.0.0.1", 4317)))
        yield


@pytest.mark.usefixtures("_taken")
def test_demo_shows_scores_on_runs_of_several_frameworks_even_beside_a_server(tmp_path: Path) -> None:
    done = tracegrade("demo", "--once", at=tmp_path, TRACEGRADE_TOKEN="of my own server")
    assert (done.code, done.err) == (0, "")
    assert "127.0.0.1:4317" not in done.text
    frameworks = {name.partition("-")[0] for name, _ in read_recordings()}
    assert len(frameworks) >= 3
    judged = {match[1] for line in done.text.splitlines() if (match := A_RUN.match(line))}
    assert len(judged) >= len(read_recordings())
    assert "have no score" not in done.text
    assert "could be sent in time" not in done.text
    for evaluator in ("tool_call_validity", "tool_error", "tool_efficiency"):
        assert f"│ {evaluator} " in done.text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.nightly
def test_history_says_what_it_made_and_leaves_a_store_that_commands_read(tmp_path: Path) -> None:
    done = tracegrade("demo", "--history", "7d", "--once", "--store", "h.duckdb", at=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert re.search(r"\d{3} recorded runs over 7 days", done.text)
    for agent in ("booking_desk", "concierge", "research_agent", "support_agent", "travel_agent"):
        assert agent in done.text
    assert re.search(r"travel_agent 1\.4\.0 was released on \d{4}-\d\d-\d\d", done.text)
    assert re.search(r"get_weather is slow and fails since \d{4}-\d\d-\d\d \d\d:00 UTC", done.text)
    query = "select count(*) > 300 as many from runs where started_at >= since('8d')"
    assert "true" in tracegrade("sql", "--store", "h.duckdb", "--format", "csv", query, at=tmp_path).text
