from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.store import opened

from tracegrade.collector.assembly import assemble
from tracegrade.collector.assembly.metadata import LEFT_OUT
from tracegrade.collector.spans.span import Span
from tracegrade.evaluators.model import ToolCall


def searching(**attributes: Any) -> Span:
    span = agent_spans.tool(3, parent=1, at_s=3, args={"to": "Paris"}, result="AF007", call_id="call_1")
    return agent_spans.span(3, parent=1, at_s=3, attributes={**span.attributes, **attributes})


def call_of(*spans: Span) -> ToolCall:
    [run] = assemble([agent_spans.agent(1), *spans])
    [call] = run.tool_calls
    return call


def test_metadata_is_what_no_field_of_the_call_was_read_from() -> None:
    further_attributes = {
        "gen_ai.tool.type": "function",
        "mcp.session.id": "9f3a",
        "shop.retries": 2,
        "shop.tags": ["a", "b"],
    }
    metadata = call_of(searching(**further_attributes)).metadata
    assert metadata == {"gen_ai.operation.name": "execute_tool", **further_attributes}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        pytest.param("input.value", '{"to": "Paris"}', id="arguments"),
        pytest.param("traceloop.entity.output", '"AF007"', id="result"),
        pytest.param("traceloop.entity.name", "search", id="name"),
        pytest.param("shop.call_id", "call_1", id="id"),
        pytest.param("gen_ai.tool.description", "Searches flights", id="description"),
        pytest.param("session.id", "talk", id="session"),
        pytest.param("tracegrade.gaps", ["dropped_by_exporter"], id="gaps"),
    ],
)
def test_what_the_call_has_in_a_field_is_not_in_its_metadata(key: str, value: Any) -> None:
    assert key not in call_of(searching(**{key: value})).metadata


def test_content_that_no_field_has_is_kept() -> None:
    span = agent_spans.tool(3, parent=1, at_s=3)
    kept = agent_spans.span(3, parent=1, at_s=3, attributes={**span.attributes, "shop.output": "AF007"})
    assert call_of(kept).metadata["shop.output"] == "AF007"


def test_largest_values_are_left_out_and_named_where_there_is_too_much() -> None:
    metadata = call_of(searching(**{"shop.page": "x" * 20_000, "shop.lane": "b"})).metadata
    assert metadata["shop.lane"] == "b"
    assert metadata[LEFT_OUT] == ["shop.page"]


def test_metadata_of_many_attributes_is_bounded() -> None:
    metadata = call_of(searching(**{f"shop.{number}": "x" * 900 for number in range(500)})).metadata
    assert len(json.dumps(metadata)) < 20_000


def test_call_without_a_span_has_no_metadata(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        asking = agent_spans.tool_call_message(("call_1", "search", {"to": "Paris"}), ("call_2", "book", {}))
        store.arrive(
            [
                agent_spans.agent(1),
                agent_spans.chat(2, parent=1, at_s=1, says=[asking]),
                searching(**{"shop.lane": "b"}),
            ]
        )
        store.revise(1)
        rows = store.rows("select name, metadata ->> 'shop.lane', metadata is null from tool_calls order by position")
        assert rows == [("search", "b", False), ("book", None, True)]


def test_metadata_is_no_content_of_the_run() -> None:
    [plain], [described] = (
        assemble([agent_spans.agent(1), span]) for span in (searching(), searching(**{"shop.lane": "b"}))
    )
    assert plain.tool_calls != described.tool_calls
    assert plain.fingerprint == described.fingerprint
