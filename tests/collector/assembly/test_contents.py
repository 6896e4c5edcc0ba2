from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_spans, otlp
from tests.support.store import opened

from tracegrade.collector.assembly import assemble
from tracegrade.collector.otlp.decode import LOG_COLUMNS, decode_logs

QUESTION = {"content": "Find a flight to Paris"}


def without_span(name: str = "gen_ai.user.message", **fields: Any) -> bytes:
    """An export of a content event that names its trace alone."""
    event = {"event_name": name, "span_id": b"", "body": otlp.any_value(QUESTION)}
    return otlp.logs_request([otlp.log(1, **{**event, **fields})])


def rows(body: bytes) -> list[Mapping[str, Any]]:
    return [dict(zip(LOG_COLUMNS, row, strict=True)) for row in decode_logs(body).rows]


def test_content_without_a_span_belongs_to_the_only_model_call() -> None:
    spans = [agent_spans.agent(1), agent_spans.chat(2, parent=1, at_s=1), agent_spans.tool(3, parent=1, at_s=3)]
    [run] = assemble(spans, rows(without_span()))
    assert run.input == "Find a flight to Paris"
    assert "content_not_captured" not in run.gaps


def test_content_without_a_span_belongs_to_none_of_two_model_calls() -> None:
    spans = [agent_spans.agent(1), agent_spans.chat(2, parent=1, at_s=1), agent_spans.chat(3, parent=1, at_s=3)]
    [run] = assemble(spans, rows(without_span()))
    assert run.input is None
    assert run.gaps == ("content_not_captured", "unplaced_content")


def test_content_without_a_span_is_not_missed_where_the_spans_have_messages() -> None:
    [run] = assemble(agent_spans.trip(), rows(without_span()))
    assert run.gaps == ()


@pytest.mark.parametrize("name", ["page.view", "gen_ai.evaluation.result"], ids=["not-of-genai", "evaluation"])
def test_other_record_without_a_span_is_no_content(name: str) -> None:
    [run] = assemble([agent_spans.chat(2)], rows(without_span(name)))
    assert run.messages == ()


def test_content_without_a_span_is_read_from_the_store(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive([agent_spans.chat(2)], logs=without_span())
        store.revise(1)
        assert store.rows("select input from agent_traces") == [("Find a flight to Paris",)]
